#!/usr/bin/env python3
"""differences.py refuses wrong answers: a test that wants neither a peer nor mpmath.

    check_differences.py tests/laws/special.table

For every result that the table states, an explanation accepts the exact one, and refuses it
when it is off by twice its bound, of another class, 1e6 beside it, or a zero of the other sign.
With mpmath the table's sample is stated anew."""
import math
import sys
from fractions import Fraction

import differences
import exact
from exact import INF, NAN, Statement

OTHERS = [0.0, -0.0, 1.0, 1e6, -1e6, INF, -INF, NAN]        # what a peer may have


def statements(path):
    """(op, type of the operands, type of the result, statement) of each result of a float
    type."""
    with open(path) as f:
        for line in f:
            part = line.rstrip("\n").split("\t")
            if part[0] == "operands" or line[0] == "#" or not exact.is_float(part[3]):
                continue
            for word in part[7].split():
                if word != "-":
                    yield part[0], part[2], part[3], statement(word, part[3], int(part[6]))


def statement(word, t, steps):
    if word == "nan":
        return Statement(NAN)
    if word == "z":
        return Statement(0.0, signed=False)
    bits, _, around = word.partition("~")
    v = exact.of_bits(int(bits, 16), t)
    if v == 0 and around:
        return Statement(v, 1, Fraction(float(around)))
    if v == 0 or math.isinf(v):
        return Statement(v)
    v = Fraction(v)
    return Statement(v, Fraction(float(around)) / exact.unit(t, abs(v)) if around
                     else max(steps, Fraction(1, 2)))


def wrong_answers(s, t):
    """Results that a bound must refuse."""
    v, top = s.value, exact.largest(t)
    if not isinstance(v, Fraction):
        classes = [NAN, INF, -INF, 1.0] + ([] if s.scale else [exact.smallest(t)])
        if v == 0:
            zero = [-v] if s.signed and not s.scale else []
        else:
            zero = [0.0]
        return [x for x in classes + zero if not same(x, v)]
    step = (2 * s.bound + 1) * exact.unit(t, abs(v))
    near = [float(v + d) for d in (step, -step) if abs(v + d) <= Fraction(top)]
    far = [x for x in (1e6, -1e6, 1.0, 0.0) if abs(Fraction(x) - v) > 2 * step]
    edge = abs(v) + step >= Fraction(top)
    return near + far + [NAN] + ([] if edge else [INF, -INF])


def same(x, v):
    return math.isnan(x) and math.isnan(v) or x == v and math.copysign(1, x) == math.copysign(1,
        v)


def check_table(path):
    count = failures = 0
    for op, t, rt, s in statements(path):
        right = s.value if isinstance(s.value, float) else float(s.value)
        accepted = [differences.explain(s, right, b, [1.0], t, rt) for b in OTHERS]
        refused = [(a, b) for a in wrong_answers(s, rt) for b in OTHERS[2:5]
                   if differences.explain(s, a, b, [1.0], t, rt)]
        count += 1
        if None in accepted or refused:
            failures += 1
            print(f"{op} of {t}: {right!r} within {s.bound}: {accepted}, wrong but explained: "
                  f"{refused[:3]}")
    return count, failures


def check_examples():
    """Mistakes by name."""
    one, pi = Statement(Fraction(1), 2), Statement(Fraction(355, 113), 0.5)
    cases = [
        ("1e6 beside 1", one, 1e6, False), ("1 beside 1", one, 1.0, True),
        ("two ulp", one, 1 + 2.0 ** -51, True),
        ("five ulp", one, 1 + 5 * 2.0 ** -52, False), ("NaN beside a number", one, NAN, False),
        ("inf beside 1", one, INF, False),
        ("a number beside NaN", Statement(NAN), 1.0, False), ("NaN", Statement(NAN), NAN, True),
        ("a number beside inf", Statement(INF), 1e300, False),
        ("-inf beside inf", Statement(INF), -INF, False),
        ("-0 beside 0", Statement(0.0), -0.0, False),
        ("either zero", Statement(0.0, signed=False), -0.0, True),
        ("nearest", pi, 355 / 113, True),
        ("not nearest", pi, math.nextafter(355 / 113, 4), False),
        ("a kink's rule broken", Statement(0.0, signed=False, kind="e"), 1.0, False),
    ]
    bad = [name for name, s, ours, fine in cases
           if (differences.explain(s, ours, 7.0, [1.0], "f64", "f64") is not None) != fine]
    if differences.explain(None, 1.0, 7.0, [1.0], "f64", "f64") is not None:
        bad.append("nothing stated")
    if differences.explain(3, 4, 5, [1], "i32", "i32") is not None or differences.explain(3, 3,
        5, [1], "i32", "i32") is None:
        bad.append("integers")
    for name in bad:
        print(f"explained, or not, but should: {name}")
    return len(cases) + 2, len(bad)


def check_rules(path):
    """The table's results of some ops once more, where there is mpmath."""
    try:
        import mpmath       # noqa: F401
    except ImportError:
        return 0, 0
    import cases
    import special
    with open(path) as f:
        lines = set(f.read().splitlines())
    count = failures = 0
    for c in cases.CASES:
        if c.shapes is None and c.n < 3 and c.name in ("exp", "lgamma", "pow", "atan2", "max",
                                                       "rem", "ndtri"):
            for t in ("f32", "bf16"):
                if t in c.types:
                    count += 1
                    if special.line(c, t, 0, special.sets(t)[c.n]) not in lines:
                        failures += 1
                        print(f"special.table is older than the rule of {c.name}: python3 "
                              f"tests/peers/special.py")
    return count, failures


def main():
    counts = [check_table(sys.argv[1]), check_examples(), check_rules(sys.argv[1])]
    print(f"differences: {sum(n for n, _ in counts)} statements, "
          f"{sum(bad for _, bad in counts)} failures")
    return any(bad for _, bad in counts) or counts[0][0] == 0


if __name__ == "__main__":
    sys.exit(main())
