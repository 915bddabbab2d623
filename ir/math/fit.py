#!/usr/bin/env python3
"""Minimax fits of the polynomials in ir/math: Remez's exchange in 60 digits (needs mpmath).

fit(f, w, lo, hi, n) gives c[0..n-1] with |w(x) (f(x) - sum c[i] x^i)| least over [lo, hi], and that
error; then the coefficients are rounded to f32 or f64.  `fit.py NAME ...` prints the tables named."""
import struct
import sys

from mpmath import mp, mpf, cos, pi, matrix, lu_solve

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
    xs = [(lo + hi) / 2 - (hi - lo) / 2 * cos(pi * (2 * k + 1) / (2 * n + 2)) for k in range(n + 1)]
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


def f32(x):
    return struct.unpack("f", struct.pack("f", float(x)))[0]


def show(name, c, worst, single=False):
    print(f"/* {name}: error 2^{float(mp.log(worst, 2)):.1f} */")
    print("    " + ", ".join((f32(k) if single else float(k)).hex() for k in c))
