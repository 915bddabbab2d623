"""Rules of the elementwise ops of two and three operands, of integers and of converts: see
rules.py."""
import math
from fractions import Fraction

import mpmath as m

import rules
from exact import (DIGITS, INF, MIN_EXPONENT, NAN, Statement, is_float, largest, next_after,
                   rounded)
from rules import SLOPE, VALUE, WORK, number

sign = math.copysign


def nan_of(*x):
    return any(math.isnan(v) for v in x)


def times(x, y):
    """x y in extended reals, exact where both are numbers."""
    if x != x or y != y or (x in (INF, -INF) or y in (INF, -INF)) and (x == 0 or y == 0):
        return NAN
    s = (1 if x > 0 or x == 0 and sign(1, x) > 0 else -1) * (1 if y > 0 or y == 0
        and sign(1, y) > 0 else -1)
    if x in (INF, -INF) or y in (INF, -INF):
        return s * INF
    return Fraction(x) * Fraction(y) or s * 0.0


def over(x, y):
    if nan_of(x, y) or math.isinf(x) and math.isinf(y) or x == 0 and y == 0:
        return NAN
    s = sign(1, x) * sign(1, y)
    if math.isinf(x) or y == 0:
        return s * INF
    return s * 0.0 if math.isinf(y) or x == 0 else Fraction(x) / Fraction(y)


def plus(x, y):
    """The sum of floats or Fractions; a zero sum of numbers that cancel is +0."""
    fx, fy = isinstance(x, float), isinstance(y, float)
    if fx and math.isnan(x) or fy and math.isnan(y):
        return NAN
    ix, iy = fx and math.isinf(x), fy and math.isinf(y)
    if ix or iy:
        return NAN if ix and iy and x != y else x if ix else y
    if x == 0 and y == 0:
        return x if fx and fy and sign(1, x) == sign(1, y) else 0.0
    v = Fraction(x) + Fraction(y)
    return v if v else 0.0


def remainder(x, y):
    if nan_of(x, y) or math.isinf(x) or y == 0:
        return NAN
    if math.isinf(y) or x == 0:
        return x
    r = abs(Fraction(x)) % abs(Fraction(y))
    return sign(1, x) * r if r else sign(0.0, x)


def power(x, y):
    """x^y with the special cases of IEEE 754-2019, 9.2.1."""
    if y == 0 or x == 1:
        return 1.0
    if x != x or y != y:
        return NAN
    odd = y not in (INF, -INF) and y == math.floor(y) and y % 2 == 1
    if y in (INF, -INF):
        return 1.0 if x == -1 else INF if (abs(x) > 1) == (y > 0) else 0.0
    if x == 0 or math.isinf(x):
        size = INF if (x == 0) == (y < 0) else 0.0
        return sign(size, x) if odd else size
    if x < 0 and y != math.floor(y):
        return NAN
    y = m.mpf(y.numerator) / y.denominator if isinstance(y, Fraction) else m.mpf(y)
    return number((-1 if x < 0 and odd else 1) * m.power(abs(m.mpf(x)), y))


def power_slope(t, x, y, i):
    """y x^(y - 1), and 0 for x = y = 0: y - 1 is rounded before a power of 0, of an infinity or
    of a negative number is taken, and a power beyond the range is infinite; an infinite factor
    y is the largest number.  x^y log x, and 0 at x = 0 for y >= 0 and at x = inf for y < 0.  0
    times an infinity is NaN."""
    if i == 0:
        if x == 0 and y == 0:
            return 0.0
        less = number(m.mpf(y) - 1) if 0 < x < INF and math.isfinite(y) else plain(plus(y,
            -1.0))
        p = power(x, less if 0 < x < INF or not isinstance(less, Fraction)
                  else rounded(less, t))
        if isinstance(p, Fraction) and abs(p) > Fraction(largest(t)):
            p = INF if p > 0 else -INF
        return times(sign(largest(t), y) if math.isinf(y) else y, p)
    if x == 1:
        return 0.0
    if nan_of(x, y) or x < 0:
        return NAN
    if x == 0:
        return 0.0 if y >= 0 else times(power(x, y), -INF)
    if math.isinf(x) and y < 0:
        return 0.0
    p = power(x, y)
    if math.isinf(x) or isinstance(p, float) and p != 1:
        return times(p, math.log(x))
    return number(m.power(m.mpf(x), m.mpf(y)) * m.log(m.mpf(x)))


def angle(x, y):
    """atan2 with the special cases of IEEE 754-2019, 9.2.1: the angle of the point (y, x)."""
    if nan_of(x, y):
        return NAN
    if math.isinf(x):
        part = m.mpf(1) / 2 if math.isfinite(y) else m.mpf(1) / 4 if y > 0 else m.mpf(3) / 4
        return number(sign(1, x) * part * m.pi)
    if x == 0 or math.isinf(y):
        return sign(0.0, x) if sign(1, y) > 0 else number(sign(1, x) * m.pi)
    return number(m.atan2(m.mpf(x), m.mpf(y)))


def angle_slope(t, x, y, i):
    """y / h / h and -x / h / h with h = hypot(x, y), which may be infinite beside finite
    operands: there it is 0."""
    if nan_of(x, y) or x == 0 and y == 0:
        return NAN
    top = y if i == 0 else -x
    if math.isinf(x) or math.isinf(y) or math.isinf(rounded(number(m.hypot(m.mpf(x), m.mpf(y))),
        t)):
        return 0.0
    return number(m.mpf(top) / (m.mpf(x) ** 2 + m.mpf(y) ** 2))


def larger(x, y):
    return NAN if nan_of(x, y) else x if x > y or x == y and sign(1, x) >= sign(1, y) else y


def hypot(x, y):
    if math.isinf(x) or math.isinf(y):
        return INF
    return NAN if nan_of(x, y) else number(m.hypot(m.mpf(x), m.mpf(y)))


def hypot_slope(x, y, i):
    if nan_of(x, y):
        return NAN
    if i:
        x, y = y, x
    if math.isinf(x):
        return number(sign(1, x) / m.sqrt(2)) if math.isinf(y) else sign(1.0, x)
    return 0.0 if math.isinf(y) or x == 0 else number(m.mpf(x) / m.hypot(m.mpf(x), m.mpf(y)))


def logaddexp(x, y):
    if nan_of(x, y):
        return NAN
    if math.isinf(x) or math.isinf(y):
        return max(x, y) if max(x, y) in (INF, -INF) else number(m.mpf(max(x, y)))
    x, y = max(m.mpf(x), m.mpf(y)), min(m.mpf(x), m.mpf(y))
    return number(x + m.log1p(m.exp(y - x))) if x else number(m.log1p(m.exp(y)))


def logaddexp_slope(x, y, i):
    """The share of each, e^x / (e^x + e^y); equal infinities share evenly."""
    if i:
        x, y = y, x
    if nan_of(x, y):
        return NAN
    if math.isinf(x) or math.isinf(y):
        return 0.5 if x == y else 1.0 if x > y else 0.0
    d = m.mpf(y) - m.mpf(x)
    return number(1 / (1 + m.exp(d)) if d < 0 else m.exp(-d) / (1 + m.exp(-d)))


def lgamma(x):
    """log |Gamma(x)| of an mpmath number, with its limits."""
    return m.inf if m.isinf(x) else rules.gamma_log(x)


def in_range(v, t):
    """A number, or an infinity where the type has none so large."""
    v = number(v)
    if isinstance(v, float) or v == 0 or abs(v) <= Fraction(largest(t)):
        return v
    return INF if v > 0 else -INF


def sum_of(x, y, t):
    """x + y as rounded: beside a pole, or beyond the range, that is another number."""
    v = plus(x, y)
    return m.mpf(rounded(v, t) if isinstance(v, Fraction) else v)


def lbeta(t, x, y):
    """lgamma(x) + lgamma(y) - lgamma(x + y) in extended arithmetic; of positive operands its
    limit."""
    if nan_of(x, y):
        return NAN
    if min(x, y) >= 0 and max(x, y) == INF:
        return -INF if min(x, y) > 0 else NAN
    if min(x, y) == 0:
        return INF
    if min(x, y) > 0:
        with m.workdps(700 if max(x, y) > 1e20 * min(x, y) else WORK):
            x, y = m.mpf(x), m.mpf(y)
            return number(+(lgamma(x) + lgamma(y) - lgamma(x + y)))
    terms = [in_range(lgamma(v), t) for v in (m.mpf(x), m.mpf(y), sum_of(x, y, t))]
    return plus(plus(terms[0], terms[1]), -terms[2])


def lbeta_scale(x, y):
    """The largest of the terms that cancel; beside a large operand they are formed together."""
    if nan_of(x, y) or math.isinf(x) or math.isinf(y) or x == 0 or y == 0:
        return 0
    x, y = m.mpf(min(x, y)), m.mpf(max(x, y))
    terms = (lgamma(x), x * m.log(y)) if x > 0 and y > 1e6 else [lgamma(z)
        for z in (x, y, x + y)]
    return max([abs(number(v)) for v in terms if not m.isinf(v)] + [0])


def lbeta_slope(t, x, y, i):
    """digamma(x) - digamma(x + y) in extended arithmetic; 0 at x = inf beside a number y."""
    if i:
        x, y = y, x
    if nan_of(x, y):
        return NAN
    if x == INF and math.isfinite(y):
        return 0.0
    both = []
    for z in (m.mpf(x), sum_of(x, y, t)):
        v = number(m.inf if z == m.inf else m.nan if z == -m.inf else rules.digamma(z))
        if isinstance(v, Fraction) and abs(abs(v) / Fraction(largest(t)) -
                                           1) < 8 * Fraction(2) ** -DIGITS[t]:
            return None         # in the range or beyond by its last place
        both.append(in_range(v, t))
    return plus(both[0], -both[1])


def zeta(s, q):
    """The Hurwitz zeta function of s > 1: the sum of (q + k)^-s, q > 0, or any q for whole s
    but its poles."""
    if nan_of(s, q) or s < 1:
        return NAN
    if s == 1:
        return INF
    if q == INF:
        return 0.0
    if q == -INF or q <= 0 and q == math.floor(q):
        return INF
    if math.isinf(s):           # whole and even, as in `pow`
        return INF if q < 1 else 1.0 if q == 1 else 0.0
    if q < 0 and s != math.floor(s):
        return NAN
    if s > 1e4:
        terms = [m.power(abs(m.mpf(q) + k), -m.mpf(s)) for k in range(8)]
        return number(m.fsum(terms))
    if q > 1e6:
        return number(m.power(m.mpf(q), 1 - m.mpf(s)) / (m.mpf(s) - 1) +
                      m.power(m.mpf(q), -m.mpf(s)) / 2
                      + m.mpf(s) * m.power(m.mpf(q), -m.mpf(s) - 1) / 12)
    return number(m.zeta(m.mpf(s), m.mpf(q)))


def gamma_part(a, x, lower):
    """P(a, x) or Q(a, x)."""
    if nan_of(a, x) or a < 0 or x < 0 or a == 0 and x == 0 or math.isinf(a) and math.isinf(x):
        return NAN
    if a == 0 or math.isinf(x):
        return 1.0 if lower else 0.0
    if x == 0 or math.isinf(a):
        return 0.0 if lower else 1.0
    a, x = m.mpf(a), m.mpf(x)
    if a < 1e-30:
        little = a * m.e1(x) if x < 1e6 else m.mpf(2) ** -3000
        return number(1 - little if lower else little)
    if max(a, x) > 1e6:
        if a == x:
            p = m.mpf(1) / 2 + 1 / (3 * m.sqrt(2 * m.pi * a))
            return number(p if lower else 1 - p)
        little = m.exp(a * m.log(x) - x - m.loggamma(a + 1))
        return number((little if x < a else 1 - little) if lower else 1 - little if x < a
                      else little * a / x)
    return number(m.gammainc(a, 0, x, regularized=True) if lower
                  else m.gammainc(a, x, regularized=True))


def gamma_slope(t, a, x, lower):
    """The density by x: e^((a - 1) log x - x - log |Gamma(a)|), in extended arithmetic where an
    operand is no positive number; 0 at a = inf."""
    if a == INF and x == x:
        return 0.0
    if nan_of(a, x) or x < 0:
        return NAN
    s = 1 if lower else -1
    x = min(x, largest(t))
    if a == 1 and x == 0:
        return Fraction(s)
    if 0 < a < INF and 0 < x and not math.isinf(in_range(lgamma(m.mpf(a)), t)):
        a, x = m.mpf(a), m.mpf(x)
        with m.workdps(700 if max(a, x) > 1e30 else WORK):
            return number(+(s * m.exp((a - 1) * m.log(x) - x - m.loggamma(a))))
    log = -INF if x == 0 else number(m.log(m.mpf(x)))
    gamma = in_range(lgamma(m.mpf(a)), t) if a > -INF else INF
    e = plus(plus(in_range(times(plus(a, -1.0), log), t), -x), -gamma)
    if isinstance(e, float) and math.isnan(e):
        return e
    if e in (INF, -INF):
        return s * INF if e == INF else 0.0
    e = m.mpf(e.numerator) / e.denominator if isinstance(e, Fraction) else m.mpf(e)
    return number(s * m.exp(e))


def order_slope(a, x, share):
    """The derivative of P by a; share: as a sample's, divided by minus the density."""
    if nan_of(a, x):
        return NAN
    if not (1e-3 < a < 1e3 and 1e-3 < x < 1e3):
        return None
    a, x = m.mpf(a), m.mpf(x)
    d = m.diff(lambda z: m.gammainc(z, 0, x, regularized=True), a)
    return number(-d / (m.power(x, a - 1) * m.exp(-x) / m.gamma(a)) if share else d)


def quotient_slope(t, x, y, i):
    """1 / y, -x / y^2.  Reverse mode divides the cotangent first: where 1 / y is beyond the
    range, it is infinite."""
    if i == 0:
        return over(1.0, y)
    if nan_of(x, y) or x == 0 and y == 0 or math.isinf(x) and math.isinf(y):
        return NAN
    if y and math.isfinite(y) and math.isinf(rounded(1 / Fraction(y), t)):
        return times(-x, INF)
    if x == 0 or math.isinf(y):
        return 0.0
    return -sign(INF, x) if math.isinf(x) or y == 0 else -Fraction(x) / Fraction(y) ** 2


def density_scale(t, a, x):
    """The terms of the logarithm of the density x^(a - 1) e^-x / Gamma(a), whose roundings
    count in it."""
    v = gamma_slope(t, a, x, True)
    if not isinstance(v, Fraction) or x == 0 or not (abs(a) < 1e15 and x < 1e15):
        return 0
    a, x = m.mpf(a), m.mpf(x)
    return v * number(1 + (abs((a - 1) * m.log(x)) + x + abs(lgamma(a))) / 4)


VALUES = {
    "add": plus, "sub": lambda x, y: plus(x, -y), "mul": times, "div": over, "rem": remainder,
    "pow": power, "atan2": angle,
    "max": larger, "min": lambda x, y: -larger(-x, -y), "hypot": hypot, "logaddexp": logaddexp,
    "zeta": zeta,
    "igamma": lambda a, x: gamma_part(a, x, True),
    "igammac": lambda a, x: gamma_part(a, x, False),
    "igamma_grad_a": lambda a, x: order_slope(a, x, False),
    "random_gamma_grad": lambda a, x: order_slope(a, x, True),
    "fma": lambda x, y, z: plus(times(x, y), z),
    "clamp": lambda lo, x, hi: NAN if nan_of(lo, x, hi) else -larger(-larger(x, lo), -hi),
}
SLOPES = {
    "add": lambda x, y, i: 1.0, "sub": lambda x, y, i: -1.0 if i else 1.0,
    "mul": lambda x, y, i: x if i else y,
    "hypot": hypot_slope, "logaddexp": logaddexp_slope, 
    "fma": lambda x, y, z, i: (y, x, 1.0)[i],
}
# The rounding of these is once, so that the nearest number is the bound.
EXACT = {"add", "sub", "mul", "div", "rem", "max", "min", "nextafter", "clamp", "fma"}
BOUNDS = {"hypot": (0.52, 0.52), "logaddexp": (1, 1), "lbeta": (0.7, 4), "zeta": (0.7, 5),
          "igamma": (0.7, 500),
          "igammac": (0.7, 500), "igamma_grad_a": (0.7, 100), "random_gamma_grad": (0.7, 100)}


def cancelled(name, x):
    """The size of the terms of a value that cancel."""
    if name == "lbeta":
        return lbeta_scale(*x)
    if nan_of(*x) or math.isinf(x[0]) or math.isinf(x[1]):
        return 0
    if name == "logaddexp":
        return max(abs(Fraction(max(x))), number(m.log1p(m.exp(m.mpf(min(x)) - m.mpf(max(x))))))
    if name == "zeta" and x[1] < 0 and x[1] != math.floor(x[1]):
        return number(max(abs(m.mpf(x[1]) + k) ** -m.mpf(x[0])
                          for k in (-math.floor(x[1]), -math.floor(x[1]) - 1)))
    return 0


def slope_scale(name, t, x, v):
    if nan_of(*x):
        return 0
    if name in ("igamma", "igammac"):
        return density_scale(t, *x)
    if name == "lbeta" and max(x) < INF:
        terms = [rules.digamma(m.mpf(z)) for z in (*x, m.mpf(x[0]) + m.mpf(x[1]))]
        return max([abs(number(d)) for d in terms if m.isfinite(d)] + [0])
    # x / h with an h that is subnormal
    if name in ("hypot", "atan2") and isinstance(v, Fraction):
        h = max([abs(Fraction(z)) for z in x if math.isfinite(z)] + [0])
        return abs(v) * max(1, Fraction(2) ** MIN_EXPONENT[t] / h / 8) if h else 0
    return 0


def value_bound(name, t):
    if name in EXACT:
        return 0.5
    return dict(zip(("f32", "f64"), BOUNDS[name])).get(t,
                                                       VALUE[t]) if name in BOUNDS else VALUE[t]


def extreme_slope(name, x, y, i):
    """max and min: to the one that is the result, ties evenly; NaN beside a NaN."""
    if nan_of(x, y):
        return NAN
    if x == y:
        return Fraction(1, 2)
    return 1.0 if (x > y) == ((name == "max") == (i == 0)) else 0.0


def several(name, t, x, what):
    """The statement of an op of two or three operands: what = 0 the value, else 1 + the number
    of the operand."""
    with m.workdps(WORK):
        if name == "nextafter":
            v = next_after(*x, t)
            return Statement(Fraction(v) if v and math.isfinite(v) else v)
        if not what:
            v = lbeta("f64", *x) if name == "lbeta" else VALUES[name](*x)
            return None if v is None else Statement(plain(v), value_bound(name, t),
                                                    cancelled(name, x) if name in ("lbeta",
                                                        "logaddexp", "zeta") else 0)
        return slope(name, t, x, what - 1)


def plain(v):
    return number(v) if isinstance(v, float) else v


def slope(name, t, x, i):
    kind = ""
    if name in ("max", "min"):
        v, kind = extreme_slope(name, *x, i), "f" if nan_of(*x) else ""
    elif name == "clamp":
        lo, y, hi = x
        v, kind = (1.0, "") if lo < y < hi else (0.0, "f" if nan_of(*x)
                                                 else "e" if y in (lo, hi) else "")
    elif name == "pow":
        v = power_slope(t, *x, i)
    elif name == "atan2":
        v = angle_slope(t, *x, i)
    elif name == "lbeta":
        v = lbeta_slope(t, *x, i)
    elif name in ("igamma", "igammac"):
        v = gamma_slope(t, *x, name == "igamma")
    elif name == "div":
        v = quotient_slope(t, *x, i)
    elif name == "rem":
        v = 1.0 if i == 0 else quotient(*x)
    else:
        v = SLOPES[name](*x, i)
    if name == "hypot" and x[0] == 0 and x[1] == 0:
        kind = "e"
    if v is None:
        return None
    return Statement(plain(v), SLOPE[t], slope_scale(name, t, x, v), False, kind)


def quotient(x, y):
    """-trunc(x / y)"""
    if nan_of(x, y) or math.isinf(x) or y == 0:
        return NAN
    if math.isinf(y) or x == 0:
        return 0.0
    q = int(abs(Fraction(x) / Fraction(y)))
    return -sign(1, x) * sign(1, y) * q if not q or q < 2 ** 1000 else number(-m.mpf(sign(1,
        x) * sign(1, y)) * q)


# ---- comparisons, integers, converts ----

COMPARE = {"eq": lambda x, y: x == y, "ne": lambda x, y: x != y, "lt": lambda x, y: x < y,
           "le": lambda x, y: x <= y,
           "gt": lambda x, y: x > y, "ge": lambda x, y: x >= y}


def width(t):
    return int(t[1:])


def wrap(v, t):
    v &= (1 << width(t)) - 1
    return v - (1 << width(t)) if t[0] == "i" and v >> (width(t) - 1) else v


def limits(t):
    return (-(1 << (width(t) - 1)), (1 << (width(t) - 1)) - 1) if t[0] == "i" else (0,
        (1 << width(t)) - 1)


def toward_zero(x, y):
    q = abs(x) // abs(y)
    return q if (x < 0) == (y < 0) else -q


INTEGER = {
    "neg": lambda t, x: -x, "abs": lambda t, x: abs(x), "sign": lambda t, x: (x > 0) - (x < 0),
    "not": lambda t, x: ~x,
    "popcnt": lambda t, x: bin(x & ((1 << width(t)) - 1)).count("1"),
    "clz": lambda t, x: width(t) - (x & ((1 << width(t)) - 1)).bit_length(),
    "add": lambda t, x, y: x + y, "sub": lambda t, x, y: x - y, "mul": lambda t, x, y: x * y,
    "div": lambda t, x, y: toward_zero(x, y) if y else -1, "rem": lambda t, x, y: x -
    y * toward_zero(x, y) if y else x,
    "max": lambda t, x, y: max(x, y), "min": lambda t, x, y: min(x, y),
    "and": lambda t, x, y: x & y,
    "or": lambda t, x, y: x | y, "xor": lambda t, x, y: x ^ y,
    "shl": lambda t, x, y: x << y if 0 <= y < width(t) else 0,
    "shr_logical": lambda t, x, y: (x & ((1 << width(t)) - 1)) >> y if 0 <= y < width(t) else 0,
    "shr_arithmetic": lambda t, x, y: (x if t[0] == "i" else wrap(x, "i" + t[1:])) >> (y
        if 0 <= y < width(t) else width(t) - 1),
    "integer_pow": lambda t, x: x ** 3,
}


def convert(t, to, x):
    """To another type; whole numbers for integers and bool."""
    if to == "bool":
        return int(x != 0)
    if is_float(to):
        v = Fraction(x) if not isinstance(x, float) or x and math.isfinite(x) else x
        return Statement(v if not isinstance(v, Fraction) or v else 0.0)
    if not is_float(t):
        return wrap(x, to)
    lo, hi = limits(to)
    return 0 if math.isnan(x) else hi if x == INF else lo if x == -INF else min(max(int(x), lo),
        hi)


def whole_power(t, x, y):
    """x^3 = x^2 x, and x^-2 = 1 / x^2, a rounding at each step, of f32 for the halves, which
    round once more."""
    inner = "f32" if t in ("bf16", "f16") else t

    def near(v):
        return rounded(v, inner) if isinstance(v, Fraction) else v
    square = near(times(x, x))
    return Statement(plain(near(times(square, x) if y == 3 else over(1.0, square))), 0.5)


def whole_power_slope(t, x, y):
    """3 x^2, -2 / x^3"""
    if math.isnan(x):
        return Statement(NAN)
    if y == 3:
        v = INF if math.isinf(x) else 3 * Fraction(x) ** 2 if x else 0.0
    else:
        v = 0.0 if math.isinf(x) else -sign(INF, x) if x == 0 else -2 / Fraction(x) ** 3
    return Statement(v, SLOPE[t], signed=False)


def truth(c, t, x, what):
    """The statement of case c of type t at the operands x, or the integer that the result is;
    None: nothing is stated.  what: 0 the value, k the derivative by the k-th of the operands
    that are differentiated."""
    if not is_float(t) and c.name in INTEGER:
        return wrap(INTEGER[c.name](t, *x), t)
    if c.name in COMPARE:
        return int(COMPARE[c.name](*x))
    if c.name == "convert":
        return convert(t, c.result, *x)
    if c.name == "is_finite":
        return int(math.isfinite(x[0]))
    if c.name == "integer_pow":
        y = -2 if "-2" in c.attrs else 3
        return whole_power_slope(t, *x, y) if what else whole_power(t, *x, y)
    if c.name == "reduce_precision":
        if what:
            return Statement(Fraction(1), signed=False)
        v = x[0]
        return Statement(plain(rules.precise(v, 5, 7) if v and math.isfinite(v) else v))
    if c.n == 1:
        return rules.unary(c.name, t, *x, what)
    return several(c.name, t, x, 1 + c.wrt[what - 1] if what else 0)
