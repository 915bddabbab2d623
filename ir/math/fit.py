#!/usr/bin/env python3
"""Minimax fits of the polynomials in ir/math: Remez's exchange in 60 digits (needs mpmath).

fit(f, w, lo, hi, n) gives c[0..n-1] with |w(x) (f(x) - sum c[i] x^i)| least over [lo, hi], and
that error; then the coefficients are rounded to f32 or f64.  `fit.py NAME ...` prints the
tables named, without names all.  w turns the error of the polynomial into the relative error of
the function."""
import struct
import sys

from mpmath import (mp, mpf, asin, atan, atanh, besseli, cos, erf, erfc, exp, log, log1p,
                    lu_solve, matrix, pi, sin,
                    sinh, sqrt, tanh)

mp.dps = 60


def extrema(e, lo, hi, n, grid):
    """The n + 1 largest alternating extrema of e on a Chebyshev grid."""
    xs = [(lo + hi) / 2 - (hi - lo) / 2 * cos(pi * k / grid) for k in range(grid + 1)]
    es = [e(x) for x in xs]
    runs = []
    for x, v in zip(xs, es):
        if v == 0:
            continue
        if runs and (runs[-1][1] > 0) == (v > 0):
            if abs(v) > abs(runs[-1][1]):
                runs[-1] = (x, v)
        else:
            runs.append((x, v))
    while len(runs) > n + 1:
        if len(runs) == n + 2:
            runs.pop(0 if abs(runs[0][1]) < abs(runs[-1][1]) else -1)
        else:
            k = min(range(len(runs)), key=lambda i: abs(runs[i][1]))
            runs.pop(k)
            if 0 < k < len(runs):
                runs.pop(k if abs(runs[k][1]) < abs(runs[k - 1][1]) else k - 1)
    return runs


def fit(f, w, lo, hi, n, rounds=8, grid=None):
    lo, hi = mpf(lo), mpf(hi)
    grid = grid or 40 * n
    xs = [(lo + hi) / 2 - (hi - lo) / 2 * cos(pi * (2 * k + 1) / (2 * n + 2))
          for k in range(n + 1)]
    cache = {}

    def fw(x):
        if x not in cache:
            cache[x] = (f(x), w(x))
        return cache[x]
    for _ in range(rounds):
        a, b = matrix(n + 1, n + 1), matrix(n + 1, 1)
        for i, x in enumerate(xs):
            fx, wx = fw(x)
            for j in range(n):
                a[i, j] = wx * x ** j
            a[i, n] = (-1) ** i
            b[i] = wx * fx
        s = lu_solve(a, b)
        c = [s[j] for j in range(n)]

        def e(x):
            fx, wx = fw(x)
            p = mpf(0)
            for k in reversed(c):
                p = p * x + k
            return wx * (fx - p)
        runs = extrema(e, lo, hi, n, grid)
        if len(runs) < n + 1:
            break
        xs = [r[0] for r in runs]
    worst = max(abs(r[1]) for r in runs)
    return c, worst


def stepwise(f, w, lo, hi, n):
    """fit, but one coefficient rounded to f32 after the other, so that those behind make up for
    it."""
    done = []
    while len(done) < n:
        k = len(done)

        def g(x):
            return (f(x) - sum(c * x ** i for i, c in enumerate(done))) / x ** k
        c, worst = fit(g, lambda x: w(x) * x ** k, mpf(hi) / 4000 if k and not lo else lo, hi,
                       n - k)
        done.append(mpf(f32(c[0])))
    return done, worst


def f32(x):
    return struct.unpack("f", struct.pack("f", float(x)))[0]


def show(name, c, worst, single=False):
    print(f"/* {name}: error 2^{float(mp.log(worst, 2)):.1f} */")
    print("    " + ", ".join((f32(k) if single else float(k)).hex() for k in c))


def odd(f, first):
    """(f(x) - x) / x^3 as a function of z = x^2, and its weight."""
    def g(z):
        x = sqrt(z)
        return (f(x) - x) / (x * z) if z > 1e-15 else first

    def w(z):
        return z / (f(sqrt(z)) / sqrt(z)) if z else mpf(0)
    return g, w


def table():
    """Name: (f, weight, lo, hi, terms, single)."""
    ln2, third = log(2), mpf(1) / 3
    h, half = ln2 / 2 * mpf("1.0005"), mpf("0.50025")
    root = sqrt(mpf(2)) - 1
    s2 = (root / (2 + root)) ** 2 * mpf("1.001")
    quarter = (pi / 4 * mpf("1.01")) ** 2

    def q(r):
        return (exp(r) - 1 - r) / r ** 2 if r else mpf(1) / 2

    def q2(r):
        return (2 ** r - 1 - r * ln2) / r ** 2 if r else ln2 ** 2 / 2

    def cubic(f):
        return (log1p(f) - f + f * f / 2) / f ** 3 if abs(f) > 1e-12 else third

    def area(z):
        s = sqrt(z)
        return (2 * atanh(s) - 2 * s) / (s * z) if z > 1e-20 else 2 * third

    def area2(z):
        return (area(z) - 2 * third) / z if z > 1e-18 else mpf(2) / 5 + z * 2 / 7

    def cosine(z):
        return (cos(sqrt(z)) - 1) / z if z > 1e-15 else -mpf(1) / 2 + z / 24

    def error(z):
        return erf(sqrt(z)) / sqrt(z) - 1 if z > 1e-20 else 2 / sqrt(pi) - 1

    def g(t):
        x = 4 * (1 + t) / (1 - t)
        return (1 + 2 * x) * exp(x * x) * erfc(x)

    def gx(t):
        x = 2 * (1 + t) / (1 - t)
        if x < 60:
            return (x + 2) * exp(x * x) * erfc(x)
        return (x + 2) * (1 - 1 / (2 * x * x) + 3 / (4 * x ** 4) -
                          15 / (8 * x ** 6)) / (x * sqrt(pi))

    def two(r):
        return (mpf(2) ** r - 1) / r if abs(r) > 1e-20 else ln2

    def full(z):
        s = sqrt(z)
        return 2 * atanh(s) / s if z > 1e-20 else mpf(2)

    def near(order):
        return lambda t: besseli(order, 2 * sqrt(t)) / sqrt(t) ** order if t > 1e-20 else mpf(1)

    def far(order):
        def scaled(u):
            a = 16 / (u + 1)
            return sqrt(a) * exp(-a) * besseli(order, a)
        return lambda u: scaled(u) if u > -1 + mpf("1e-6") else 1 / sqrt(2 * pi)

    def t(x):
        return (mpf(x) - 4) / (mpf(x) + 4)
    def twice(r):
        return (exp(2 * r) - 1 - 2 * r) / r ** 2 if abs(r) > 1e-20 else mpf(2)
    rows = {
        "hyper twice32": (twice, lambda r: r * r * exp(-2 * r), -h / 2, h / 2, 5, True),
        "exp q32": (q, lambda r: r * r * exp(-r), -h, h, 5, True),
        "exp q64": (q, lambda r: r * r * exp(-r), -h, h, 10, False),
        "exp q2_32": (q2, lambda r: r * r, -half, half, 5, True),
        "exp q2_64": (q2, lambda r: r * r, -half, half, 11, False),
        "log p32": (cubic, lambda f: f ** 3 / log1p(f), sqrt(mpf(1) / 2) - 1, root, 8, True),
        "log r64": (area, lambda z: z, 0, s2, 7, False),
        "power q64": (area2, lambda z: z * z / 2, 0, s2, 7, False),
        "trig cos32": (cosine, lambda z: z / cos(sqrt(z)), 0, quarter, 4, True),
        "trig cos64": (cosine, lambda z: z / cos(sqrt(z)), 0, quarter, 7, False),
        "root start": (lambda x: x ** -third, lambda x: x ** third, 1, 8, 6, False),
        "erf q32": (error, lambda z: 1 / (1 + error(z)), 0, mpf("0.85") ** 2, 6, True),
        "erf q64": (error, lambda z: 1 / (1 + error(z)), 0, 1, 12, False),
        "erf log32": (lambda x: log(erfc(x)) / (x * ln2) + 2,
                      lambda x: x * ln2 * erfc(x) / erf(x), mpf("0.85"), "3.95", 6, True),
        "erf two32": (two, lambda r: r / mpf(2) ** r, -mpf("0.5"), mpf("0.5"), 6, True),
        "erf g_short": (gx, lambda t: 1 / gx(t), -1, mpf("8.2") / mpf("12.2"), 12, False),
        "erf gx_short": (gx, lambda t: 1 / gx(t), -1, 1 - mpf("1e-9"), 14, False),
        "exp q64_short": (q, lambda r: r * r * exp(-r), -h, h, 6, False),
        "log r64_short": (full, lambda z: 1 / full(z), 0, s2, 5, False),
        "bessel i0_near32": (near(0), lambda t: 1 / near(0)(t), 0, 16, 11, False),
        "bessel i1_near32": (near(1), lambda t: 1 / near(1)(t), 0, 16, 11, False),
        "bessel i0_far32": (far(0), lambda u: 1 / far(0)(u), -1, 1, 8, False),
        "bessel i1_far32": (far(1), lambda u: 1 / far(1)(u), -1, 1, 8, False),
        "erf g64": (g, lambda t: 1 / g(t), t("0.499"), t(28), 22, False),
    }
    for name, f, first, hi, n, single in (
            ("trig sin32", sin, -mpf(1) / 6, quarter, 3, True),
        ("trig sin64", sin, -mpf(1) / 6, quarter, 6, False),
            ("hyper sinh32", sinh, mpf(1) / 6, 1, 4, True),
        ("hyper sinh64", sinh, mpf(1) / 6, 1, 8, False),
            ("hyper tanh32", tanh, -third, mpf("0.92") ** 2, 7, True),
            ("hyper tanh64", tanh, -third, mpf("0.2556") ** 2, 7, False),
            ("arc atan64", atan, -third, mpf("0.438") ** 2, 11, False),
            ("arc asin64", asin, mpf(1) / 6, mpf("0.2501"), 12, False)):
        rows[name] = (*odd(f, first), 0, hi, n, single)
    return rows


if __name__ == "__main__":
    for name, (f, w, lo, hi, n, single) in table().items():
        if len(sys.argv) == 1 or any(k in name for k in sys.argv[1:]):
            if name in ("hyper tanh32", "hyper twice32", "erf q32", "erf log32", "erf two32"):
                show(name, *stepwise(f, w, lo, hi, n), single)
            else:
                show(name, *fit(f, w, lo, hi, n,
                                grid={"log p32": 400, "erf g64": 300}.get(name)), single)
