"""Numbers of a floating-point type, and statements about results: an exact value and a bound in
ulp.

A statement has the exact value (a Fraction, or a float for a zero, an infinity, a NaN), the
bound in units of the last place that a result must meet, and the size that the unit is of,
where terms cancel that are larger than the result.  This module needs nothing but Python:
values kept in the tree are judged by it on machines without mpmath."""
import math
import struct
from fractions import Fraction
from typing import NamedTuple, Union

DIGITS = {"f64": 52, "f32": 23, "bf16": 7, "f16": 10}       # behind the point
MIN_EXPONENT = {"f64": -1022, "f32": -126, "bf16": -126, "f16": -14}
MAX_EXPONENT = {"f64": 1023, "f32": 127, "bf16": 127, "f16": 15}
FORMAT = {"f64": ("d", "Q"), "f32": ("f", "I"), "f16": ("e", "H")}
INF, NAN = float("inf"), float("nan")


def is_float(t):
    return t in DIGITS


def largest(t):
    return float((2 - Fraction(2) ** -DIGITS[t]) * Fraction(2) ** MAX_EXPONENT[t])


def smallest(t):
    return 2.0 ** (MIN_EXPONENT[t] - DIGITS[t])


def specials(t):
    """Zeros, infinities, NaN, subnormal numbers, the ends of the range, and a few plain
    numbers."""
    tiny = 2.0 ** MIN_EXPONENT[t]
    return [0.0, -0.0, 1.0, -1.0, 2.0, -3.0, 0.5, -2.5, INF, -INF, NAN, tiny, smallest(t),
            -tiny / 16, largest(t), -largest(t),
            100.0, 7.0]


class Statement(NamedTuple):
    value: Union[Fraction, float]
    bound: float = 0.5          # ulp
    scale: Fraction = Fraction(0)
    signed: bool = True         # whether the sign of a zero is stated
    kind: str = ""              # the letter of a convention, in differences.py


def unit(t, size):
    """The last place of numbers of this size."""
    return Fraction(2) ** (max(exponent(size), MIN_EXPONENT[t]) - DIGITS[t])


def exponent(size):
    """The exponent of a positive Fraction: 2^e <= size < 2^(e + 1)."""
    e = size.numerator.bit_length() - size.denominator.bit_length()
    return e if Fraction(2) ** e <= size else e - 1


def rounded(v, t):
    """A Fraction to the nearest number of the type, ties to even; beyond the range an
    infinity."""
    if v == 0:
        return 0.0
    u = unit(t, abs(v))
    n = v / u
    k = math.floor(n)
    k += (n - k > Fraction(1, 2)) or (n - k == Fraction(1, 2) and k % 2)
    v = k * u
    if abs(v) > Fraction(largest(t)):
        return INF if v > 0 else -INF
    return float(v) if k else 0.0 if n > 0 else -0.0


def error(got, s, t):
    """How far a result is from the statement, in its units: infinite for another class or
    another sign of a zero."""
    v = s.value
    if isinstance(v, float):
        if math.isnan(v) or math.isnan(got):
            return 0 if math.isnan(v) and math.isnan(got) else INF
        if math.isinf(v):
            return 0 if got == v else INF
        if got == 0:
            return 0 if not s.signed or math.copysign(1, v) == math.copysign(1, got) else INF
        if not s.scale or math.isinf(got):
            return INF
        return ratio(Fraction(got), unit(t, s.scale))
    u = unit(t, max(abs(v), s.scale))
    if math.isnan(got):
        return INF
    if math.isinf(got):         # right where the nearest number would lie beyond the range
        edge = Fraction(largest(t)) + unit(t, Fraction(largest(t))) / 2
        return ratio(max(edge - abs(v), 0), u) if (got > 0) == (v > 0) else INF
    if got == 0 and s.signed and not s.scale and math.copysign(1, got) != (1 if v > 0 else -1):
        return INF
    return ratio(Fraction(got) - v, u)


def ratio(difference, u):
    return min(abs(difference) / u, Fraction(2) ** 1000)


def meets(got, s, t):
    return error(got, s, t) <= s.bound


def to_bits(x, t):
    """The bits of a number that the type holds."""
    if t == "bf16":
        return struct.unpack("I", struct.pack("f", x))[0] >> 16
    number, bits = FORMAT[t]
    return struct.unpack(bits, struct.pack(number, x))[0]


def of_bits(b, t):
    if t == "bf16":
        return struct.unpack("f", struct.pack("I", b << 16))[0]
    number, bits = FORMAT[t]
    return struct.unpack(number, struct.pack(bits, b))[0]


def next_after(x, y, t):
    """The number of the type after x in the direction of y."""
    if math.isnan(x) or math.isnan(y):
        return NAN
    if x == y:
        return y
    if x == 0:
        return math.copysign(smallest(t), y)
    return of_bits(to_bits(x, t) + (1 if (x < y) == (x > 0) else -1), t)
