#!/usr/bin/env python3
"""Writes tests/derivatives/derivatives.table: derivatives of orders 1 to 3 by mpmath.

    python3 tests/peers/derivatives.py >tests/derivatives/derivatives.table

wants mpmath and sympy.  sympy differentiates a formula, mpmath evaluates it, with twice the
digits until two evaluations agree.  A function with kinks is a formula for each point: the
piece that the function's own rule names there (ties of max and min share evenly, |x| is 0 at 0,
a select takes its branch).

At an infinity the value is the limit, where there is one; at a singular end (log at 0) the
one-sided limit, of which orders 2 and 3, where they are infinite, are promised as not finite:
NaN or an infinity.  Where there is no limit `stated` has the convention.  What is not promised
is `-`: at a NaN a derivative that does not depend on the argument, and what docs/derivatives.md
lists (orders that a row leaves out, points that it leaves out).  `over` is a number beyond the
range of f64.  `pole P` says that the rule divides by powers of the argument: order k is
promised only where x^(k P) and its inverse are normal numbers.

Each value has the scale of its error: |f^(a)|, and what the argument's own rounding makes of
it,
|x_i f^(a + e_i)|, and the lower derivatives that rules form it from, |f^(b)| / h^(a - b) for 0
< b <= a with h_i = max(1, |x_i|).
  by_result  the magnitude of the rule's terms, where these are larger than the result and
             cancel: y (1 - y) of a y that tends to 1
  amplify    the exponent of an e^z with a z that is rounded: the relative error is |z| times
             z's"""
import itertools
import math
import struct
import sys

import mpmath
import sympy as sp

X, Y = sp.symbols("x y")
INF, NAN = float("inf"), float("nan")
INDICES = [(1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3)]
NAMES = ["x" * i + "y" * j for i, j in INDICES]

F32_TINY = [2.0**-149, 2.0**-130]
ORDINARY = [0.7, -0.3, 1.5, 2.0, -2.0, 3.25, -7.5, 1.0, -1.0, 0.5, -0.5, 0.25, 12.0,
            -12.0, 30.0, -30.0,
            2.0**-6, -(2.0**-10), 39.0, -39.0, 80.0, -80.0, 5.0, -5.0, 9.0, -9.0]
SMALL = [2.0**-27, -(2.0**-27), 2.0**-60, 2.0**-100, *F32_TINY, -F32_TINY[0], 1e-160,
         1e-300, 2.0**-1074]
LARGE = [200.0, -200.0, 700.0, -700.0, 1e4, -1e4, 2.0**20, -(2.0**20), 2.0**40, -(2.0**40),
         2.0**80, -(2.0**80),
         2.0**120, -(2.0**120), 1e160, -1e160, 1e300, -1e300]
ZEROS = [0.0, -0.0]
ENDS = [INF, -INF]


def next_single(x, to):
    """The number of f32 that follows x, one of f32, towards `to`."""
    bits = struct.unpack("i", struct.pack("f", x))[0]
    return struct.unpack("f", struct.pack("i", bits + (1 if abs(to) > abs(x) else -1)))[0]


def beside(*points):
    """The numbers of f64 and of f32 on either side of each point, which is no zero, and the
    point."""
    return [y for x in points for y in (x, math.nextafter(x, INF), math.nextafter(x, -INF),
                                        next_single(x, 2 * x), next_single(x, 0.0))]


EVERY = ZEROS + ORDINARY + SMALL + [-(2.0**-1074)] + LARGE + ENDS + [NAN] + beside(1.0, -1.0)
PAIRS = [(0.7, -0.3), (1.5, 2.0), (-2.0, 3.25), (0.0, 0.0), (1.0, 1.0), (-7.5, -7.5),
         (0.0, 1.0), (2.0, 0.0), (-0.0, 0.0),
         (12.0, -12.0), (30.0, 31.0), (1.0, 1.0 + 2.0**-20), (2.0**-27, 2.0**-30),
         (2.0**-130, 2.0**-130), (-40.0, 40.0)]
NUMBERS = (0.0, 0.5, 2.0, -1.5)
# one of two at an infinity
FAR = [(a, b) for a in ENDS for b in NUMBERS] + [(b, a) for a in ENDS for b in NUMBERS]


def ONE(*point):
    return 1


def TIMES_X(*point):
    return min(max(1, *map(abs, point)), 1000)


# ---- evaluation ----

class Undefined(Exception):
    pass


def once(f, x, digits):
    with mpmath.workdps(digits):
        try:
            v = f(*[mpmath.mpf(a) for a in x])
        except ZeroDivisionError:
            raise Undefined
        v = mpmath.mpc(v)
        if abs(v.imag) > abs(v.real) * mpmath.mpf(10) ** (-digits // 3):
            raise Undefined
        return +v.real


def value(f, x):
    """f at x, to 25 digits."""
    least = min([abs(a) for a in x if a] + [1])
    enough = 60 + (5 * int(-mpmath.log10(least)) if least < 1e-6 else 0)
    digits, last = 60, None
    while digits <= max(1000, 4 * enough):
        try:
            v = once(f, x, digits)
        except (ValueError, OverflowError, Undefined, mpmath.libmp.NoConvergence):
            v = None
        if v is not None and last is not None:
            if mpmath.isinf(v) or mpmath.isnan(v):
                raise Undefined
            agree = abs(v - last) <= abs(v) * mpmath.mpf(10) ** -25 or (abs(v) < 1e-350
                and abs(last) < 1e-350)
            if agree and (v != 0 or digits > enough):
                return v
        last, digits = v, digits * 2
    raise Undefined


def limit(f, near):
    """The limit of f along points near(10^30), near(10^60): 0, a number, an infinity, or NaN if
    there is none."""
    a, b = value(f, near(mpmath.mpf(10) ** 30)), value(f, near(mpmath.mpf(10) ** 60))
    if abs(b) < 1e-12 and abs(b) <= abs(a):
        return mpmath.mpf(0)
    if abs(b) > 50 and abs(b) > 1.5 * abs(a):
        return mpmath.sign(b) * mpmath.inf
    if abs(a - b) <= 1e-9 * abs(b):
        return b
    return mpmath.nan


# ---- functions ----

class Function:
    """formula: an expression, or one for each point.  points; at which orders the infinities
    and the singular points are promised; poisoned: first derivatives at NaN are NaN although
    they are constants; stated: the derivatives at points without a limit, by name (x, xy, yyy);
    by_result, amplify, pole: see above.  `first`: the formula is f', not f."""

    def __init__(self, name, formula, points, ends=(1, 2, 3), singular=(),
                 singular_orders=(1, 2, 3), by_result=None,
                 amplify=None, first=False, orders=(1, 2, 3), pole=0, side=None,
                 poisoned=False, stated=None):
        self.name, self.points, self.ends = name, points, ends
        self.first, self.orders = first, orders
        self.amplify, self.pole, self.side = amplify, pole, side
        self.poisoned, self.stated = poisoned, stated or {}
        self.formula = formula if callable(formula) else lambda *x: formula
        self.singular, self.singular_orders = singular, singular_orders
        self.by_result = by_result
        self.compiled = {}

    def derivative(self, point, index):
        e = sp.sympify(self.formula(*point))
        key = (e, index)
        if key not in self.compiled:
            n = index[0] - self.first
            d = sp.diff(e, X, n) if n else e
            d = sp.diff(d, Y, index[1]) if index[1] else d
            self.compiled[key] = (sp.lambdify((X, Y)[:len(point)], d, "mpmath"), d)
        return self.compiled[key]

    def scale(self, point, index):
        n = len(point)
        h = [max(1, abs(x)) for x in point] + [1]
        total = mpmath.mpf(0)
        for b in itertools.product(range(index[0] + 1), range(index[1] + 1)):
            if b == (0, 0) or b[0] < self.first:
                continue
            total += abs(value(self.derivative(point, b)[0], point)) / (
                mpmath.mpf(h[0]) ** (index[0] - b[0]) * mpmath.mpf(h[1]) ** (index[1] - b[1]))
        for i in range(n):
            more = tuple(k + (i == j) for j, k in enumerate(index))
            total += abs(point[i]) * abs(value(self.derivative(point, more)[0], point))
        if self.by_result:
            total += self.by_result(*point)
        if self.amplify:
            total *= 1 + self.amplify(*point)
        return total

    def entry(self, point, index):
        order = sum(index)
        if point in self.stated:
            v = self.stated[point].get("x" * index[0] + "y" * index[1])
            return "-" if v is None else "%s 1" % text(v)
        if order not in self.orders or index[0] < self.first:
            return "-"
        f, d = self.derivative(point, index)
        if any(x != x for x in point):
            return "nan 1" if d.free_symbols or self.poisoned and order == 1 else "-"
        infinite = [i for i, x in enumerate(point) if abs(x) == INF]
        try:
            if infinite:
                if order not in self.ends or len(infinite) > 1:
                    return "-"
                i = infinite[0]
                v = limit(f, lambda t: [t * (1 if x > 0 else -1) if j == i else x
                                        for j, x in enumerate(point)]) \
                    if d.free_symbols else value(f, point)
                return "%s %s" % (text(v), text(1 if mpmath.isinf(v) else 1 + abs(v)))
            if point[0] in self.singular:
                if order not in self.singular_orders:
                    return "-"
                side = self.side or (1 if str(point[0]) == "0.0" or point[0] < 0 else -1)
                v = limit(f, lambda t: [point[0] + side / t, *point[1:]])
                if order > 1 and mpmath.isinf(v):
                    return "over 1"
                return "%s %s" % (text(v), text(1 + abs(v) if not mpmath.isinf(v) else 1))
            v = value(f, point)
            return "%s %s" % (text(v), text(self.scale(point, index), 4))
        except Undefined:
            print("# undefined: %s %s %s" % (self.name, point, index), file=sys.stderr)
            return "-"

    def write(self):
        print("fn %s%s" % (self.name, " pole %d" % self.pole if self.pole else ""))
        for p in self.points:
            point = p if isinstance(p, tuple) else (p,)
            entries = [self.entry(point, i) for i in INDICES if len(point) == 2 or i[1] == 0]
            print(" ".join("%r" % x for x in point), " ", "  ".join(entries), sep="")


def text(v, digits=17):
    v = mpmath.mpf(v)
    if mpmath.isnan(v):
        return "nan"
    if mpmath.isinf(v):
        return "inf" if v > 0 else "-inf"
    if abs(v) >= mpmath.mpf(2) ** 1024:
        return "over"
    if abs(v) < mpmath.mpf(10) ** -330:
        return "0"
    return mpmath.nstr(v, digits, min_fixed=-4, max_fixed=6, strip_zeros=True)


def between(lo, hi, points=EVERY):
    return [x for x in points if x != x or lo <= x <= hi]


def above(lo, points=EVERY):
    return [x for x in points if x != x or x > lo]


def inner(lo, hi, points=EVERY):
    return [x for x in points if x != x or lo < x < hi]


# ---- the table ----

def phi(x):
    return sp.exp(-x**2 / 2) / sp.sqrt(2 * sp.pi)


def gauss(x):
    return sp.erfc(-x / sp.sqrt(2)) / 2


def logistic(x, at):
    """In the form that has no large number at this point."""
    return 1 / (1 + sp.exp(-x)) if at > 0 else sp.exp(x) / (1 + sp.exp(x))


def erfcx(x, at):
    """From 25 on its asymptotic series, of which 20 terms leave 10^-38 of it."""
    if at < 25:
        return sp.exp(x**2) * sp.erfc(x)
    terms = [sp.factorial2(2 * k - 1) / (-2 * x**2) ** k if k else 1 for k in range(20)]
    return sum(terms) / (x * sp.sqrt(sp.pi))


def log_gauss(x, at):
    z = -x / sp.sqrt(2)
    if at > 1e30:
        return -gauss(-x)
    return sp.log(gauss(x)) if at > -25 else -z**2 + sp.log(erfcx(z, -at) / 2)


def softplus(x, at):
    return x + sp.log(1 + sp.exp(-x)) if at > 0 else sp.log(1 + sp.exp(x))


def log_add(x, y, a, b):
    return y + softplus(x - y, a - b) if abs(a) < INF and abs(b) < INF else sp.log(sp.exp(x) +
        sp.exp(y))


def near_ends(lo, hi):
    return [lo + 2.0**-20 if lo else 2.0**-20, hi - 2.0**-20, lo + (hi - lo) * 0.99]


def functions():
    half = sp.Rational(1, 2)
    x, y = X, Y
    I0, I1 = sp.besseli(0, x), sp.besseli(1, x)
    selu = (sp.Rational(10507009873554805, 10**16), sp.Rational(16732632423543772, 10**16))
    gt = lambda yes, no: lambda a: yes if a > 0 else no
    sided = lambda f: lambda a: f(sp.Integer(0) if a == 0 else x if a > 0 else -x)

    # polynomials and pieces of them
    yield Function("neg", -x, EVERY)
    yield Function("abs", lambda a: x if a > 0 else -x if a < 0 else sp.Integer(0), EVERY)
    yield Function("sign", sp.Integer(1), EVERY)
    yield Function("stop_gradient", sp.Integer(1), EVERY)
    yield Function("barrier", x, EVERY)
    yield Function("convert", x, EVERY)
    yield Function("nextafter", x, EVERY)
    yield Function("reduce_precision", x, EVERY)
    yield Function("ldexp", 8 * x, EVERY)
    yield Function("frexp",
                   lambda a: x * sp.Integer(2) ** -(int(mpmath.frexp(a)[1]) if a
                                                    and abs(a) < INF else 0), EVERY)
    yield Function("cube", x**3, EVERY)
    yield Function("square", x**2, EVERY)
    yield Function("inverse_square", x**-2, EVERY, singular=ZEROS)
    yield Function("relu", gt(x, sp.Integer(0)), EVERY)
    yield Function("relu6", lambda a: x if 0 < a < 6 else sp.Integer(0), EVERY + beside(6.0))
    yield Function("hardtanh", lambda a: x if -1 < a < 1 else sp.Integer(0), EVERY)
    yield Function("clamp", lambda a: x if -1 < a < 2 else sp.Integer(0), EVERY + beside(2.0))
    yield Function("leaky_relu", gt(x, x * sp.Rational(1, 100)), EVERY)
    yield Function("hardsigmoid", lambda a: x / 6 if -3 < a < 3 else sp.Integer(0),
                   EVERY + beside(3.0, -3.0))
    yield Function("hardswish", lambda a: x * (x + 3) / 6 if -3 < a < 3 else x if a >= 3
                   else sp.Integer(0), EVERY + beside(3.0, -3.0))
    yield Function("hardshrink", lambda a: x if abs(a) > 0.5 else sp.Integer(0),
                   EVERY + beside(0.5, -0.5))
    yield Function("softshrink", lambda a: x if abs(a) > 0.5 else sp.Integer(0),
                   EVERY + beside(0.5, -0.5))

    # elementary
    yield Function("exp", sp.exp(x), EVERY)
    yield Function("exp2", 2**x, EVERY)
    yield Function("expm1", sp.exp(x) - 1, EVERY, by_result=ONE)
    yield Function("log", sp.log(x), above(0) + [0.0], singular=ZEROS)
    yield Function("log2", sp.log(x) / sp.log(2), above(0) + [0.0], singular=ZEROS)
    yield Function("log1p", sp.log(1 + x), between(-1, INF), singular=[-1.0])
    yield Function("sqrt", sp.sqrt(x), above(0) + [0.0], singular=ZEROS)
    yield Function("rsqrt", 1 / sp.sqrt(x), above(0) + [0.0], singular=ZEROS)
    yield Function("cbrt", lambda a: sp.sign(a) * (sp.sign(a) * x) ** sp.Rational(1, 3) if a
                   else x ** sp.Rational(1, 3), EVERY,
                   singular=ZEROS, pole=1)
    yield Function("sin", sp.sin(x), EVERY)
    yield Function("cos", sp.cos(x), EVERY)
    yield Function("tan", sp.tan(x), EVERY, by_result=ONE)
    yield Function("asin", sp.asin(x), between(-1, 1) + near_ends(-1, 1), singular=[1.0, -1.0])
    yield Function("acos", sp.acos(x), between(-1, 1) + near_ends(-1, 1), singular=[1.0, -1.0])
    yield Function("atan", sp.atan(x), EVERY, pole=2)
    yield Function("sinh", sp.sinh(x), EVERY)
    yield Function("cosh", sp.cosh(x), EVERY)
    yield Function("tanh", sp.tanh(x), EVERY, by_result=ONE)
    yield Function("asinh", sp.asinh(x), EVERY)
    yield Function("acosh", sp.acosh(x), between(1, INF) + [1 + 2.0**-20, 1.0 + 2.0**-8],
                   singular=[1.0], side=1)
    yield Function("atanh", sp.atanh(x), inner(-1, 1) + near_ends(-1, 1))
    yield Function("logistic", lambda a: logistic(x, a), EVERY, by_result=ONE)
    yield Function("sigmoid", lambda a: logistic(x, a), EVERY, by_result=ONE)
    yield Function("erf", sp.erf(x), EVERY + beside(28.0, -28.0))
    yield Function("erfc", sp.erfc(x), EVERY + beside(28.0, -28.0))

    # special
    positive = above(0, [p for p in EVERY if not 1e150 < p < INF])
    yield Function("lgamma", sp.polygamma(0, x), above(0) + [-0.3, -7.5, -0.5], first=True)
    yield Function("digamma", sp.polygamma(0, x), above(0) + [-0.3, -7.5, -0.5])
    yield Function("polygamma", sp.polygamma(2, x), above(0) + [-0.3, -7.5, -0.5])
    yield Function("zeta", sp.zeta(sp.Rational(5, 2), x), above(0))
    density = lambda a: x ** (a - 1) * sp.exp(-x) / sp.gamma(a)
    yield Function("igamma", density(sp.Rational(5, 2)), positive + [0.0], first=True,
                   singular=ZEROS, singular_orders=(1,), pole=1,
                   amplify=lambda a: 3 * abs(mpmath.log(a)) + a if 0 < a < INF else 0)
    yield Function("igamma_1", density(1), positive + [0.0], first=True, pole=1,
                   amplify=lambda a: 3 * abs(mpmath.log(a)) + a if 0 < a < INF else 0)
    amplified = lambda a, c: 3 * abs(mpmath.log(a)) + a
    yield Function("igamma_both", x ** (y - 1) * sp.exp(-x) / sp.gamma(y),
                   [(0.7, 0.25), (1.5, 1.0), (2.0, 2.0), (0.25, 1.0), (12.0, 3.25),
                    (30.0, 12.0), (1.0, 1.0),
                    (INF, 0.5), (INF, 2.0), (0.5, INF), (2.0, INF), (NAN, INF), (INF, NAN)],
                   first=True, amplify=amplified,
                   stated={(NAN, INF): {"x": NAN}, (INF, NAN): {"x": NAN}})
    yield Function("igammac", -density(half), positive, first=True, pole=1,
                   amplify=lambda a: 3 * abs(mpmath.log(a)) + a if 0 < a < INF else 0)
    yield Function("betainc",
                   x ** sp.Rational(3, 2) * (1 - x) ** half / sp.beta(sp.Rational(5, 2),
                       sp.Rational(3, 2)),
                   inner(0, 1) + near_ends(0, 1), first=True, pole=1,
                   amplify=lambda a: 3 * abs(mpmath.log(a)) + a if 0 < a < INF else 0)
    yield Function("betainc_1", 2 * (1 - x), between(0, 1), first=True, singular=[1.0],
                   singular_orders=(1,))
    yield Function("erf_inv", sp.erfinv(x), inner(-1, 1) + near_ends(-1, 1) + [-1.0, 1.0],
                   singular=[-1.0, 1.0])
    yield Function("erfcx", lambda a: erfcx(x, a), [p for p in EVERY if p > -25] +
                   beside(5 / math.sqrt(2)))
    yield Function("ndtr", gauss(x), EVERY + beside(39.0, -39.0))
    yield Function("ndtri", sp.sqrt(2) * sp.erfinv(2 * x - 1), inner(0, 1) + near_ends(0, 1),
                   pole=1, amplify=lambda a: 4 * abs(mpmath.log(min(a, 1 - a)))
                   if 0 < a < 1 else 0)
    yield Function("log_ndtr", lambda a: log_gauss(x, a), EVERY + beside(-14.0))
    yield Function("bessel_i0e",
                   lambda a: I0 * (sp.exp(-x) if a > 0 else sp.exp(x) if a < 0 else 1), EVERY,
                   by_result=lambda a: 1 / mpmath.sqrt(max(1, abs(a))))
    yield Function("bessel_i1e",
                   lambda a: I1 * (sp.exp(-x) if a > 0 else sp.exp(x) if a < 0 else 1), EVERY,
                   by_result=lambda a: 1 / mpmath.sqrt(max(1, abs(a))))
    yield Function("bessel_i0", I0, between(-700, 700))
    yield Function("bessel_i1", I1, between(-700, 700))
    oscillating = [p for p in EVERY if not 1e5 < abs(p) < INF]
    yield Function("bessel_j0", sp.besselj(0, x), oscillating)
    yield Function("bessel_j1", sp.besselj(1, x), oscillating)
    yield Function("sinc", lambda a: sp.sin(sp.pi * x) / (sp.pi * x) if a else 1 -
                   (sp.pi * x) ** 2 / 6 + (sp.pi * x) ** 4 / 120,
                   oscillating + beside(0.5, -0.5), by_result=ONE)
    yield Function("entr", -x * sp.log(x), above(0), pole=1)
    yield Function("logit", sp.log(x / (1 - x)), inner(0, 1) + near_ends(0, 1) + [0.0, 1.0],
                   singular=[0.0, 1.0])
    yield Function("multigammaln",
                   sum(sp.polygamma(0, x - sp.Rational(i, 2)) for i in range(3)),
                   above(1), first=True)

    # activations
    gelu = x * gauss(x)
    saturated = lambda a: None if abs(a) < 1e30 else x if a > 0 else sp.exp(x)
    u = sp.sqrt(2 / sp.pi) * (x + sp.Rational(44715, 10**6) * x**3)
    yield Function("silu", lambda a: x * logistic(x, a), EVERY + beside(1000.0, -1000.0),
                   by_result=TIMES_X)
    yield Function("softplus", lambda a: softplus(x, a), EVERY, by_result=ONE)
    yield Function("log_sigmoid", lambda a: -softplus(-x, -a), EVERY, by_result=ONE)
    yield Function("gelu", lambda a: saturated(a) or gelu, EVERY + beside(1000.0, -1000.0),
                   by_result=TIMES_X)
    yield Function("gelu_tanh", lambda a: saturated(a) or x * logistic(2 * u, a),
                   EVERY + beside(25.0, -25.0), by_result=TIMES_X)
    yield Function("quick_gelu", lambda a: x * logistic(sp.Rational(1702, 1000) * x, a),
                   EVERY + beside(1000.0, -1000.0), by_result=TIMES_X)
    yield Function("elu", gt(x, sp.exp(x) - 1), EVERY, by_result=ONE)
    yield Function("celu", gt(x, sp.exp(x) - 1), EVERY, by_result=ONE)
    yield Function("celu_2", gt(x, 2 * (sp.exp(x / 2) - 1)), EVERY, by_result=ONE)
    yield Function("selu", gt(selu[0] * x, selu[0] * selu[1] * (sp.exp(x) - 1)), EVERY,
                   by_result=ONE)
    yield Function("mish", lambda a: x * (1 - 2 / ((1 + sp.exp(x))**2 + 1)) if a < 0
                   else x * (1 - 2 * sp.exp(-2 * x) / ((1 + sp.exp(-x))**2 + sp.exp(-2 * x))),
                   EVERY + beside(1000.0, -1000.0), by_result=TIMES_X)
    yield Function("softsign", lambda a: x / (1 + x) if a > 0 else x / (1 - x) if a < 0 else x,
                   EVERY, by_result=ONE)
    yield Function("tanhshrink", x - sp.tanh(x), EVERY, by_result=ONE)

    # two arguments
    zero = sp.Integer(0)
    yield Function("add", x + y, PAIRS + FAR)
    yield Function("sub", x - y, PAIRS + FAR)
    yield Function("mul", x * y, PAIRS + FAR + [(1e160, 1e160), (2.0**100, 2.0**-100)])
    divisors = [p for p in PAIRS if p[1]]
    yield Function("div", x / y, divisors + [(1.0, INF), (1.5, 2.0**60), (2.0**-60, 2.0**-60),
                                             (2.0**60, 3.0)])
    # at multiples, where x rem y jumps, the slopes of the piece that holds the multiple
    yield Function("rem", lambda a, c: x - int(a / c) * y if abs(c) < INF else x,
                   divisors + [p for p in FAR if abs(p[0]) < INF])
    powers = [(0.7, -0.3), (1.5, 2.0), (2.0, 3.25), (1.0, 1.0), (0.5, 0.0), (12.0, -12.0),
              (30.0, 31.0), (2.0**-27, 2.0**-30),
              (1.0, 0.0), (2.0**-100, 2.0), (1e300, 0.75), (1e300, -0.5), (1e-300, 2.5),
              (1e-300, 0.5), (1e-300, -0.5),
              (2.0**-1074, 2.0), (2.0**-1074, 0.5), (2.0**-130, 1.5), (2.0**120, 0.5),
              (2.0**120, -0.75), (1.0, 1e10),
              (1.0 + 2.0**-20, 1e9), (1.0 + 2.0**-20, -1e9)]
    at_0 = [(0.0, 1.0), (0.0, 2.0), (0.0, 3.0), (0.0, 0.5), (0.0, 2.5)]
    yield Function("pow", x**y, powers + at_0 + [(0.0, 0.0)] + [p for p in FAR if p[0] > 0],
                   singular=[0.0], singular_orders=(1,), ends=(1,),
                   stated={(0.0, 0.0): {"x": 0, "y": 0, "xx": 0, "yy": 0}})
    nan_slopes, flat = {"x": NAN, "y": NAN}, dict.fromkeys(NAMES, 0)
    no_angle = {(0.0, 0.0): dict.fromkeys(NAMES, NAN), (INF, NAN): nan_slopes,
                (NAN, INF): nan_slopes, (INF, INF): flat, (-INF, INF): flat}
    yield Function("atan2", sp.atan2(x, y), [p for p in PAIRS if any(p)] + FAR + [*no_angle] +
                   [(2.0**100, 2.0**99),
                   (2.0**-100, 2.0**-101), (1e200, 1e200), (1e-200, 1e-200), (1.0, 2.0**80),
                    (2.0**80, 1.0)], pole=1, stated=no_angle)
    most = lambda a, c: x if a > c else y if c > a else (x + y) / 2
    least = lambda a, c: x if a < c else y if c < a else (x + y) / 2
    nans = PAIRS + FAR + [(INF, INF), (-INF, 1.0), (NAN, 1.0), (1.0, NAN), (NAN, NAN)]
    yield Function("max", most, nans, poisoned=True)
    yield Function("min", least, nans, poisoned=True)
    yield Function("reduce_max", most, nans, poisoned=True)
    yield Function("reduce_min", least, nans, poisoned=True)
    yield Function("scatter_max", most, nans, poisoned=True)
    yield Function("scatter_min", least, nans, poisoned=True)
    yield Function("scatter_mul", x**2 * y, PAIRS)
    yield Function("cummax", lambda a, c: x if a > c else y, PAIRS + FAR)
    yield Function("reduce_prod", x * y, PAIRS)
    yield Function("cumprod", x * y, PAIRS)
    yield Function("fma", x * y + x, PAIRS + FAR)
    yield Function("select", lambda a, c: x * y if a > c else sp.sin(x), PAIRS)
    yield Function("prelu", lambda a, c: x if a > 0 else x * y, PAIRS + FAR)
    positives = [(0.7, 0.25), (1.5, 2.0), (1.0, 1.0), (12.0, 12.0), (30.0, 31.0),
                 (2.0**-27, 2.0**-30), (3.25, 80.0),
                 (2.0**-60, 1.0)]
    far = [(a, b) for a, b in FAR if min(a, b) > 0]
    yield Function("lbeta", sp.loggamma(x) + sp.loggamma(y) - sp.loggamma(x + y),
                   positives + far + [(INF, INF)], by_result=ONE,
                   stated={(INF, INF): {"x": NAN, "y": NAN}})
    yield Function("beta", sp.gamma(x) * sp.gamma(y) / sp.gamma(x + y),
                   [p for p in positives if min(p) > 0.1], by_result=ONE)
    large = [(1e200, 1e200), (1e300, -1e300), (1e-200, 1e-200), (2.0**100, 2.0**99),
             (2.0**-100, 2.0**-101), (2.0**80, 1.0)]
    yield Function("hypot", lambda a, c: sp.sqrt(x**2 + y**2) if a or c else zero,
                   PAIRS + FAR + large, pole=1)
    yield Function("reduce_prod_3", x**2 * y, PAIRS)
    yield Function("cumprod_3", x**2 * y, PAIRS)
    finite = [p for p in EVERY if abs(p) < 1e100]
    yield Function("pow_by_0", sp.Integer(1), finite, pole=1)
    yield Function("pow_by_1", x, finite, pole=1)
    yield Function("pow_by_2", x**2, finite)
    yield Function("pow_by_3", x**3, finite)
    yield Function("margin_ranking", lambda a, c: y - x if a < c else zero, PAIRS + FAR)
    yield Function("norm", sp.sqrt(x**2 + y**2), PAIRS, pole=1,
                   stated={(0.0, 0.0): {"x": NAN, "y": NAN}, (-0.0, 0.0): {"x": NAN, "y": NAN}})
    ties = PAIRS + FAR + [(100.0, -100.0), (800.0, 800.0), (-800.0, 5.0), (1e300, 1e300),
                          (1.0, -INF), (INF, 2.0)]
    both = lambda a, c: log_add(x, y, a, c)
    two = sp.log(2)
    yield Function("logaddexp", both, ties, by_result=ONE)
    yield Function("cumlogsumexp", both, ties, by_result=ONE)
    yield Function("logaddexp2", lambda a, c: log_add(x * two, y * two, a, c) / two, ties,
                   by_result=ONE)
    yield Function("logsumexp", both, ties, by_result=ONE)
    ties = [p for p in ties if INF not in p]      # the exponential of inf - inf
    yield Function("cross_entropy", lambda a, c: softplus(y - x, c - a),
                   ties + [(-INF, 1.0), (800.0, -800.0), (-800.0, 800.0)], by_result=ONE)
    yield Function("softmax", lambda a, c: logistic(x - y, a - c), ties, by_result=ONE)
    yield Function("log_softmax", lambda a, c: -softplus(y - x, c - a), ties, by_result=ONE)
    yield Function("var", (x - y) ** 2 / 4, PAIRS)
    logs = [(0.7, 0.25), (1.5, 2.0), (0.0, 1.0), (-2.0, 3.25), (1.0, 1.0),
            (2.0**-27, 2.0**-30), (0.0, 2.0)]
    yield Function("xlogy", x * sp.log(y), logs + [(0.0, 0.0)],
                   stated={(0.0, 0.0): {"x": 0, "y": 0}})
    yield Function("xlog1py", x * sp.log(1 + y), logs + [(1.0, 0.0), (0.0, 0.0), (1.0, -0.3),
        (0.0, -1.0)],
                   stated={(0.0, -1.0): {"x": 0, "y": 0}})
    yield Function("mse", (x - y) ** 2, PAIRS + FAR)
    yield Function("l1", lambda a, c: x - y if a > c else y - x if c > a else zero, PAIRS + FAR)
    huber = lambda a, c: (x - y) ** 2 / 2 if abs(a - c) <= 1 else (x - y if a > c
        else y - x) - half
    yield Function("huber", huber, PAIRS + FAR)
    yield Function("smooth_l1", huber, PAIRS + FAR)
    chances = [(0.7, 0.25), (0.25, 1.0), (0.5, 0.0), (2.0**-20, 1.0),
               (1 - 2.0**-20, 0.5), (0.5, 0.5)]
    yield Function("bce", -(y * sp.log(x) + (1 - y) * sp.log(1 - x)), chances, by_result=ONE)
    yield Function("bce_with_logits", lambda a, c: (1 - y) * x + softplus(-x, -a),
                   PAIRS + FAR + [(0.0, 0.5), (80.0, 1.0), (-80.0, 1.0)], by_result=ONE)
    yield Function("kl_div", lambda a, c: y * (sp.log(y) - x) if c > 0 else zero, PAIRS, pole=1)
    yield Function("poisson_nll", sp.exp(x) - y * x, PAIRS + FAR, by_result=ONE)
    yield Function("hinge", lambda a, c: 1 - x * y if a * c < 1 else zero, PAIRS)
    yield Function("soft_margin", lambda a, c: softplus(-x * y, -a * c), PAIRS, by_result=ONE)
    yield Function("hinge_embedding", lambda a: 1 - x if a < 1 else zero,
                   [p for p in EVERY if abs(p) < INF])
    yield Function("gaussian_nll", (sp.log(y) + x**2 / y) / 2,
                   [p for p in PAIRS if p[1] > 1e-5], by_result=ONE)


def main():
    mpmath.mp.dps = 200
    print("# Made by tests/peers/derivatives.py.  fn NAME, then points: the arguments, and "
          "for each derivative its")
    print("# value and its scale, or - where nothing is promised: f' f'' f''', of two "
          "arguments x y xx xy yy xxx xxy xyy yyy.")
    chosen = sys.argv[1:]
    for f in functions():
        if not chosen or f.name in chosen:
            f.write()


if __name__ == "__main__":
    main()
