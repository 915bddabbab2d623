"""What every elementwise op is at given operands: the exact value by mpmath or by a standard,
and a bound in ulp.

A rule of one operand is a row: the formula at numbers other than 0, then what stands at 0, -0,
inf and -inf (`=`: the formula), the same of the derivative, and the bounds.  A formula that is
complex is NaN; so is every function of a NaN for which nothing else is written.  Zeros,
infinities and NaN of arithmetic, `pow`, `atan2` and `hypot` are those of IEEE 754-2019 (clauses
6 to 9.2) and C (annex F), elsewhere limits.  The derivatives are those of reverse mode with
cotangent 1: limits where the formula has one, and conventions at kinks.  The sign of a
derivative that is zero is not stated."""
import math
from fractions import Fraction

import mpmath as m

from exact import INF, NAN, Statement

WORK = 60           # digits
FAR = 2200          # exponents of 2 beyond which a number is 0 or infinite in every type
VALUE = {"f64": 2, "f32": 1, "bf16": 0.51, "f16": 0.51}
SLOPE = {"f64": 8, "f32": 8, "bf16": 4, "f16": 4}
ENDS = {"nan": NAN, "inf": INF, "-inf": -INF, "-0": -0.0}


def number(v):
    """A float as it is, an mpmath number as a Fraction; complex ones are NaN."""
    if isinstance(v, (Fraction, int)):
        return Fraction(v)
    if isinstance(v, float):
        return Fraction(v) if v and math.isfinite(v) else v
    if isinstance(v, m.mpc):
        if v.imag != 0:
            return NAN
        v = v.real
    if m.isnan(v) or m.isinf(v) or v == 0:
        return float(v)
    sign, man, exp, bits = v._mpf_
    if abs(exp + bits) > FAR:
        man, exp = 1, FAR if exp > 0 else -FAR
    return (-1) ** sign * Fraction(int(man)) * Fraction(2) ** exp


def gamma_log(x):
    return m.inf if pole(x) else m.loggamma(x).real


def reflected(x):
    """The largest term of log |Gamma| of a negative number by reflection, whose terms
    cancel."""
    return max(abs(m.loggamma(-x)),
               abs(m.log(m.pi / abs(x * m.sinpi(x))))) if x < 0 and not pole(x) else 0


def digamma(x):
    return m.nan if pole(x) else m.digamma(x)


def trigamma(x):
    return m.inf if pole(x) else m.psi(1, x)


def pole(x):
    return x <= 0 and x == m.floor(x)


def upper(x):
    """erfc, where mpmath's own wants exponents of machine size: e^(-x^2) / (x sqrt pi) far
    out."""
    return m.exp(-x * x) / (x * m.sqrt(m.pi)) * (1 - 1 / (2 * x * x)) if x > 1e15 else m.erfc(x)


def scaled_upper(x):
    return (1 - 1 / (2 * x * x)) / (x * m.sqrt(m.pi)) if x > 1e15 else m.exp(x * x) * upper(x)


def phi(x):
    return m.exp(-x * x / 2) / m.sqrt(2 * m.pi)


def ndtr(x):
    return upper(-x / m.sqrt(2)) / 2


def log_ndtr(x):
    return m.log1p(-ndtr(-x)) if x > 0 else m.log(ndtr(x))


def ndtri(p):
    if not 0 < p < 1:
        return m.inf if p == 1 else m.nan
    if p > 0.01:
        return -m.sqrt(2) * m.erfinv(1 - 2 * p)
    x = -m.sqrt(-2 * m.log(p))
    for _ in range(12):
        x -= (log_ndtr(x) - m.log(p)) * ndtr(x) / phi(x)
    return x


def bessel_i(k, x):
    """I_k(x) e^-|x|; far out from Hankel's expansion."""
    if abs(x) > 1e30:
        return (m.sign(x) if k == 1 else 1) / m.sqrt(2 * m.pi * abs(x)) * (1 -
            (4 * k * k - 1) / (8 * abs(x)))
    return m.exp(-abs(x)) * m.besseli(k, x)


def bell_slope(y, c):
    """The derivative of the inverse of a distribution function: c e^(y^2 / 2) and the like."""
    return m.inf if m.isinf(y) else c(y)


def erf_inv(x):
    return m.nan if abs(x) > 1 else m.erfinv(x)


def round_away(x):
    return m.sign(x) * m.floor(abs(x) + m.mpf(1) / 2)


def precise(x, exponent_bits, mantissa_bits):
    """x in the format of so many bits, as XLA's reduce-precision: no subnormal numbers."""
    v, bias = number(x), 2 ** (exponent_bits - 1) - 1
    e = v.numerator.bit_length() - v.denominator.bit_length()
    e -= Fraction(2) ** e > abs(v)
    u = Fraction(2) ** (e - mantissa_bits)
    n = v / u
    k = math.floor(n)
    k += (n - k > Fraction(1, 2)) or (n - k == Fraction(1, 2) and k % 2)
    r = k * u
    if abs(r) >= Fraction(2) ** (bias + 1):
        return math.copysign(INF, v)
    return math.copysign(0.0, v) if abs(r) < Fraction(2) ** (1 - bias) else r


# name: formula, at 0 -0 inf -inf; derivative, at 0 -0 inf -inf; optionally f32 and f64 bounds
# of the value, or "exact"; the scale of the value's unit; the scale of the derivative's.
TABLE = """
neg       | -x               | -0 0 -inf inf      | -1              | -1 -1 -1 -1       | exact
abs       | abs(x)           | 0 0 inf inf        | m.sign(x)       | 0 0 1 -1          | exact
sign      | m.sign(x)        | 0 -0 1 -1          | 0               | 0 0 0 0           | exact
exp       | m.exp(x)         | 1 1 inf 0          | m.exp(x)        | 1 1 inf 0
exp2      | m.power(2, x)    | 1 1 inf 0          | m.ln2 * m.power(2, x) | = = inf 0
expm1     | m.expm1(x)       | 0 -0 inf -1        | m.exp(x)        | 1 1 inf 0         | | | 1
log       | m.log(x)         | -inf -inf inf nan  | 1 / x           | inf -inf 0 0
log2      | m.log(x, 2)      | -inf -inf inf nan  | 1 / (x * m.ln2) | inf -inf 0 0
log1p     | m.log1p(x)       | 0 -0 inf nan       | 1 / (1 + x) if x != -1 else m.inf | 1 1 0 0
sqrt      | m.sqrt(x)        | 0 -0 inf nan       | 1 / (2 * m.sqrt(x)) | inf -inf 0 nan | exact
rsqrt     | 1 / m.sqrt(x)    | inf -inf 0 nan     | -1 / (2 * x * m.sqrt(x)) | -inf inf 0 nan
cbrt      | m.sign(x) * m.cbrt(abs(x)) | 0 -0 inf -inf | 1 / (3 * m.cbrt(abs(x)) ** 2) | inf inf 0 0
sin       | m.sin(x)         | 0 -0 nan nan       | m.cos(x)        | 1 1 nan nan
cos       | m.cos(x)         | 1 1 nan nan        | -m.sin(x)       | 0 0 nan nan
tan       | m.tan(x)         | 0 -0 nan nan       | 1 + m.tan(x) ** 2 | 1 1 nan nan
asin      | m.asin(x)        | 0 -0 nan nan       | 1 / m.sqrt(1 - x * x) if abs(x) != 1 else m.inf | 1 1 nan nan
acos      | m.acos(x)        | = = nan nan        | -1 / m.sqrt(1 - x * x) if abs(x) != 1 else -m.inf | -1 -1 nan nan
atan      | m.atan(x)        | 0 -0 = =           | 1 / (1 + x * x) | 1 1 0 0
sinh      | m.sinh(x)        | 0 -0 inf -inf      | m.cosh(x)       | 1 1 inf inf
cosh      | m.cosh(x)        | 1 1 inf inf        | m.sinh(x)       | 0 0 inf -inf
tanh      | m.tanh(x)        | 0 -0 1 -1          | m.sech(x) ** 2  | 1 1 0 0           | | | 1
asinh     | m.asinh(x)       | 0 -0 inf -inf      | 1 / m.sqrt(1 + x * x) | 1 1 0 0
acosh     | m.acosh(x)       | nan nan inf nan    | 1 / m.sqrt(x - 1) / m.sqrt(x + 1) if x > 1 else m.inf if x == 1 else m.nan | nan nan 0 nan
atanh     | m.atanh(x)       | 0 -0 nan nan       | 1 / (1 - x * x) if abs(x) != 1 else m.inf | 1 1 0 0
logistic  | 1 / (1 + m.exp(-x)) | = = 1 0         | m.exp(-abs(x)) / (1 + m.exp(-abs(x))) ** 2 | = = 0 0 | | | 1
erf       | m.erf(x)         | 0 -0 1 -1          | 2 / m.sqrt(m.pi) * m.exp(-x * x) | = = 0 0 | | | m.exp(-x * x) * (1 + x * x)
erfc      | upper(x)         | 1 1 0 2            | -2 / m.sqrt(m.pi) * m.exp(-x * x) | = = 0 0 | | | m.exp(-x * x) * (1 + x * x)
floor     | m.floor(x)       | 0 -0 inf -inf      | 0               | 0 0 0 0           | exact
ceil      | m.ceil(x)        | 0 -0 inf -inf      | 0               | 0 0 0 0           | exact
trunc     | m.sign(x) * m.floor(abs(x)) | 0 -0 inf -inf | 0         | 0 0 0 0           | exact
round     | round_away(x)    | 0 -0 inf -inf      | 0               | 0 0 0 0           | exact
round_even | m.nint(x)       | 0 -0 inf -inf      | 0               | 0 0 0 0           | exact
stop_gradient | x            | 0 -0 inf -inf      | 0               | 0 0 0 0           | exact
lgamma    | gamma_log(x)     | inf inf inf inf    | digamma(x)      | nan nan inf nan   | 0.7 4 | reflected(x)
digamma   | digamma(x)       | nan nan inf nan    | trigamma(x)     | inf inf 0 inf     | 0.7 4 | abs(m.digamma(-x)) + m.pi * abs(m.cot(m.pi * x)) if x < 0 and not pole(x) else 0
erf_inv   | erf_inv(x)       | 0 -0 nan nan       | bell_slope(erf_inv(x), lambda y: m.sqrt(m.pi) / 2 * m.exp(y * y)) | = = nan nan | 0.7 4 | | bell_slope(erf_inv(x), lambda y: (1 + y * y) * m.exp(y * y)) if abs(x) < 1 else 0
erfcx     | scaled_upper(x)  | 1 1 0 inf          | 2 * x * scaled_upper(x) - 2 / m.sqrt(m.pi) if x < 1e15 else -1 / (m.sqrt(m.pi) * x * x) | = = 0 -inf | 0.7 4 | | 1 if 0 < x < 3.6 else 0
ndtr      | ndtr(x)          | = = 1 0            | phi(x)          | = = 0 0           | 0.7 4 | | phi(x) * (1 + x * x)
ndtri     | ndtri(x)         | -inf -inf nan nan  | bell_slope(ndtri(x), lambda y: 1 / phi(y)) | inf inf nan nan | 0.7 4 | | bell_slope(ndtri(x), lambda y: (1 + y * y) / phi(y)) if 0 < x < 1 else 0
log_ndtr  | log_ndtr(x)      | = = -0 -inf         | m.sqrt(2 / m.pi) / scaled_upper(-x / m.sqrt(2)) if x < 0 else phi(x) / ndtr(x) | = = 0 inf | 0.7 4 | | 1 / (1 + abs(x)) if x < -1 else phi(x) * (1 + x * x)
bessel_i0e | bessel_i(0, x)  | 1 1 0 0            | bessel_i(1, x) - m.sign(x) * bessel_i(0, x) | 0 0 0 0 | 0.7 4 | | bessel_i(0, x)
bessel_i1e | bessel_i(1, x)  | 0 -0 0 -0          | bessel_i(0, x) - m.sign(x) * bessel_i(1, x) - bessel_i(1, x) / x | 0.5 0.5 0 0 | 0.7 4 | | bessel_i(0, x)
bessel_j0 | m.besselj(0, x)  | 1 1 0 0            | -m.besselj(1, x) | 0 0 0 0          | 0.7 4 | m.sqrt(2 / m.pi / abs(x)) if abs(x) > 1 else 0
bessel_j1 | m.besselj(1, x)  | 0 -0 0 -0          | m.besselj(0, x) - m.besselj(1, x) / x | 0.5 0.5 0 0 | 0.7 4 | m.sqrt(2 / m.pi / abs(x)) if abs(x) > 1 else 0
"""
# to zero with the sign of the operand
ROUNDING = {"floor", "ceil", "trunc", "round", "round_even"}
WHERE = {"m": m, **{f.__name__: f for f in (pole, gamma_log, reflected, digamma, trigamma,
                                            upper, scaled_upper, phi, ndtr, log_ndtr, ndtri,
                                              bessel_i, bell_slope, erf_inv, round_away)}}


class Row:
    def __init__(self, line):
        part = [p.strip() for p in line.split("|")]
        self.name, self.parts = part[0], ((part[1], part[2].split()),
                                          (part[3], part[4].split()))
        bounds = part[5] if len(part) > 5 else ""
        self.exact = bounds == "exact"
        self.bounds = dict(zip(("f32", "f64"),
                               map(float, bounds.split()))) if bounds and not self.exact else {}
        self.scales = tuple(part[k] if len(part) > k else "" for k in (6, 7))
        self.code = [compile(text, self.name, "eval") for text, _ in self.parts]
        self.size = [compile(text, self.name, "eval") if text else None for text in self.scales]

    def at(self, x, what):
        """The exact value or derivative."""
        ends = self.parts[what][1]
        where = 3 if x == -INF else 2 if x == INF else (1 if math.copysign(1, x) < 0
                                                        else 0) if x == 0 else None
        if where is not None and ends[where] != "=":
            return ENDS[ends[where]] if ends[where] in ENDS else number(m.mpf(ends[where]))
        v = number(eval(self.code[what], WHERE, {"x": m.mpf(x)}))
        return math.copysign(0.0, x) if v == 0 and self.name in ROUNDING else v

    def scale(self, x, what):
        return abs(number(m.mpf(eval(self.size[what], WHERE,
                                     {"x": m.mpf(x)})))) if self.size[what] and x and math.isfinite(x) else 0


ROWS = {r.name: r for r in map(Row, TABLE.strip().splitlines())}


def bound(row, t, what):
    if what:
        return SLOPE[t]
    return 0.5 if row.exact else row.bounds.get(t, VALUE[t])


def unary(name, t, x, what):
    """The statement of a function of one operand at x: its value (what = 0) or its derivative
    (1)."""
    row = ROWS[name]
    if math.isnan(x):
        constant = what and row.parts[1][0].lstrip("-").isdigit()
        return Statement(number(m.mpf(row.parts[1][0])) if constant else NAN, signed=not what)
    with m.workdps(WORK):
        v = row.at(x, what)
        kind = "e" if what and name == "abs" and x == 0 else ""
        return Statement(v, bound(row, t, what), row.scale(x, what), not what, kind)
