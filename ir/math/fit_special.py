#!/usr/bin/env python3
"""Minimax fits of the special functions (gamma.c, igamma.c, normal.c, bessel.c), by fit.py's
exchange; and the coefficients of Temme's expansion.  `fit_special.py NAME ...` prints the
tables named, without names all."""
import sys

from fit import fit, mp, mpf, pi, show, sin, sqrt
from mpmath import (atanh, besseli, besselj, besseljzero, bessely, cos, erfc, erfinv, exp,
                    expm1, findroot, log,
                    loggamma, psi)

mp.dps = 45


def over(f, at, first, second):
    """f(at + e) / e, with its limit and slope at e = 0."""
    return lambda e: f(at + e) / e if abs(e) > 1e-12 else first + e * second / 2


def digamma_zero():
    """psi(y) / (y - y0) at y = 3/2 + t, y0 the zero of psi."""
    y0 = findroot(lambda x: psi(0, x), 1.4616)
    return lambda t: psi(0, 1.5 + t) / (1.5 + t - y0) if abs(1.5 + t - y0) > 1e-12 else psi(1,
        y0)


def inverse(w):
    """erf_inv(x) / x for w = -log(1 - x^2)."""
    w = mpf(w)
    if w < 1e-14:
        return sqrt(pi) / 2 * (1 + w * pi / 12)
    x = sqrt(-expm1(-w))
    if w < 2:
        return erfinv(x) / x
    q = exp(-w) / (1 + x)               # 1 - x: erfc of the result
    y = sqrt(w - log(sqrt(pi * w))) if w > 3 else mpf(1)
    for _ in range(60):
        e = erfc(y)
        d = (log(e) - log(q)) / (-2 / sqrt(pi) * exp(-y * y) / e)
        y -= d
        if abs(d) < mpf(10) ** -38 * y:
            break
    return y / x


def modified_far(n):
    """sqrt(x) e^-x I_n(x) of u = 16 / x - 1."""
    def f(u):
        v = (u + 1) / 2
        x = 8 / max(v, mpf("1e-30"))
        if v > 1e-6:
            return sqrt(x) * exp(-x) * besseli(n, x)
        m, t, s = 4 * n * n, mpf(1), mpf(1)
        for k in range(1, 5):
            t *= -(m - (2 * k - 1) ** 2) / (8 * k * x)
            s += t
        return s / sqrt(2 * pi)
    return f


def near_zeros(n):
    """J_0(x) / ((z - r1)(z - r2)) or J_1(x) / (x (z - r1)) of 2 z / 25 - 1, z = x^2, r the
    squares of the zeros."""
    r = [besseljzero(n, k) ** 2 for k in (1, 2)]

    def f(s):
        z = (s + 1) * 25 / 2
        if min(abs(z - k) for k in r) < 1e-10:
            z += mpf("1e-9")
        x = sqrt(z)
        if n == 0:
            return besselj(0, x) / ((z - r[0]) * (z - r[1]))
        return (besselj(1, x) / x if x > 1e-20 else mpf(1) / 2) / (z - r[0])
    return f


def wave(n, odd):
    """P, or x Q, of J_n = sqrt(2 / (pi x)) (P cos(x - c) - Q sin(x - c)) as functions of 25 /
    x^2."""
    def f(v):
        m, x2 = 4 * n * n, 25 / max(v, mpf("1e-40"))
        if v < 1e-7:
            return (m - 1) / mpf(8) - (m - 1) * (m - 9) * (m - 25) / (3072 * x2) if odd else \
                1 - (m - 1) * (m - 9) / (128 * x2)
        x = sqrt(x2)
        chi, k = x - (mpf(n) / 2 + mpf(1) / 4) * pi, sqrt(pi * x / 2)
        j, y = besselj(n, x), bessely(n, x)
        return k * (y * cos(chi) - j * sin(chi)) * x if odd else k * (j * cos(chi) +
            y * sin(chi))
    return f


def temme(terms=11, room=75):
    """C_k(eta) as power series: C_0 = 1/m - 1/eta, C_k = C_(k-1)' / eta + g_k / m, g_k so that
    no pole is left."""
    a = [mpf(0), mpf(1)]                # m as a series of eta: m m' = eta (1 + m)
    for n in range(2, room + 1):
        a.append((a[n - 1] - sum(a[i] * (n + 1 - i) * a[n + 1 - i]
                                 for i in range(2, n))) / (n + 1))
    r = [mpf(1)]                        # eta / m
    for n in range(1, room):
        r.append(-sum(a[i + 1] * r[n - i] for i in range(1, n + 1)))
    c = [r[1:]]
    while len(c) < terms:
        p = c[-1]
        c.append([(n + 2) * p[n + 2] - p[1] * r[n + 1] for n in range(len(p) - 2)])
    return c


def table():
    """Name: (f, lo, hi, terms); the weight is 1 / f unless a fifth entry says 1."""
    lgamma2 = over(loggamma, 2, psi(0, 2), psi(1, 2))
    lgamma1 = over(loggamma, 1, psi(0, 1), psi(1, 1))

    def sine(z):
        return sin(pi * sqrt(z)) / sqrt(z) if z > 1e-20 else pi - z * pi ** 3 / 6

    def area(z):
        return 2 * (atanh(sqrt(z)) -
                    sqrt(z)) / (sqrt(z) * z) if z > 1e-14 else mpf(2) / 3 + 2 * z / 5

    rows = {
        "gamma near": (lgamma2, "-0.5", "0.5", 20),
        "gamma one": (lambda t: lgamma1(t + mpf(1) / 4), "-0.375", "0.375", 21),
        "gamma zero": (digamma_zero(), "-0.5", "0.5", 24),
        "gamma sine": (sine, 0, "0.2501", 10),
        "igamma area": (area, 0, "0.19", 13, 1),
        "normal low": (lambda t: inverse(t + mpf("3.125")), "-3.125", "3.125", 27),
        "normal middle": (lambda t: inverse((t + mpf("3.25")) ** 2), "-0.75", "0.75", 21),
        "normal high": (lambda t: inverse((t + 5) ** 2), -1, "1.1", 19),
        "normal low32": (lambda t: inverse(t + mpf("3.125")), "-3.125", "3.126", 13),
        "normal middle32": (lambda t: inverse((t + mpf("3.25")) ** 2), "-0.75", "0.76", 11),
        "normal tail": (lambda t: inverse((t + mpf("0.1")) ** -2) * (t + mpf("0.1")),
                        mpf(1) / 28 - mpf("0.1"),
                        mpf(1) / 6 - mpf("0.1"), 28),
        "bessel i0_near": (lambda t: besseli(0, 2 * sqrt(t)), 0, 16, 16),
        "bessel i1_near": (lambda t: besseli(1, 2 * sqrt(t)) / sqrt(t) if t > 1e-20 else 1 +
                           t / 2, 0, 16, 16),
        "bessel i0_far": (modified_far(0), -1, 1, 27),
        "bessel i1_far": (modified_far(1), -1, 1, 27),
        "bessel j0_near": (near_zeros(0), -1, 1, 12),
        "bessel j1_near": (near_zeros(1), -1, 1, 12),
        "bessel j0_cos": (wave(0, False), 0, 1, 19, 1),
        "bessel j0_sin": (wave(0, True), 0, 1, 20, 1),
        "bessel j1_cos": (wave(1, False), 0, 1, 19, 1),
        "bessel j1_sin": (wave(1, True), 0, 1, 20, 1),
    }
    return rows


if __name__ == "__main__":
    wanted = sys.argv[1:]
    for name, (f, lo, hi, n, *weight) in table().items():
        if not wanted or any(k in name for k in wanted):
            w = (lambda x: mpf(1)) if weight else (lambda x: 1 / f(x))
            show(name, *fit(f, w, lo, hi, n, rounds=5, grid=12 * n))
    if not wanted or "temme" in wanted:
        for k, c in enumerate(temme()):
            kept = max(j for j in range(len(c)) if abs(c[j]) / mpf(20) ** k > 1.5e-17) + 1
            print(f"/* igamma temme, k = {k} */\n    " +
                  ", ".join(float(x).hex() for x in c[:kept]))
