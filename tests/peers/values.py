#!/usr/bin/env python3
"""Writes tests/laws/values.table: values of the elementary and special functions by mpmath, for
a test that wants no peer.

    python3 tests/peers/values.py >tests/laws/values.table

wants mpmath alone.  The functions, their domains and bounds are those of errors.py, which
compares on many more operands where the peers are.  A line has the op, the bounds in units of
the last place of f32 and f64, the operands, which f32 holds, and the exact result to 30 digits:
two ways to compute it, with 60 digits and with 120, agree in those."""
import struct

import mpmath

import errors

POINTS = 6
MAX_ULP = 64       # ulp of results that may cross zero: these points are not so close to one


def f32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def operand(k, i, lo, hi, how):
    """Point k of the domain for operand i: the multiples of an irrational number are spread
    evenly."""
    part = (0.27 + (k + 1) * (0.618034 if i == 0 else 0.754878 if i == 1 else 0.569840)) % 1
    x = float(lo * (hi / lo) ** part) if "log" in how else lo + (hi - lo) * part
    return float(round(x)) if "whole" in how and i == 0 else f32(x)


def exact(f, x, digits):
    mpmath.mp.dps = digits
    return mpmath.mpf(eval(f.reference, {"m": mpmath, **dict(zip("xyz", map(mpmath.mpf, x)))}))


def main():
    print("# Written by tests/peers/values.py: op, bounds of f32 and f64 in ulp, operands, "
          "the exact result.")
    for f in errors.FUNCTIONS:
        for d in f.domains:
            for k in range(2 if "m.diff" in f.reference else POINTS):
                x = [operand(k, i, lo, hi, d) for i, (lo, hi) in enumerate(d[:f.n])]
                y, again = exact(f, x, 60), exact(f, x, 120)
                differ = abs(y - again) > abs(again) * mpmath.mpf(10) ** -30
                if "m.diff" not in f.reference and differ:
                    raise SystemExit(f"{f.name} at {x}: {y} or {again}")
                print(f.name, f.bounds[0], MAX_ULP if f.cancels else min(f.bounds[1], MAX_ULP),
                      *[v.hex() for v in x], mpmath.nstr(again, 30))


main()
