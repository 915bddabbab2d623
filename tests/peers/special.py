#!/usr/bin/env python3
"""Writes tests/laws/special.table: every elementwise op of floats at special operands, for a
test that wants no peer.

    python3 tests/peers/special.py >tests/laws/special.table

wants mpmath alone.  The values are what rules.py and pairs.py state.  A line `operands` has a
type, a number of operands, which of them, and their bits; ops of one operand are asked for the
derivative as well, ops of two at all pairs.  Other lines have, with tabs between them, the op,
its attributes, the type, the type of the result, the number of operands,
`value` or `slope`, how many steps from the number of the type that is nearest to the exact
result are allowed, and the results: bits; `nan`; `z`, a zero of either sign; `-`, nothing is
stated; and `~` before the distance that is allowed instead of steps, where terms cancel."""
import math
from fractions import Fraction

import cases
import exact
import pairs

FEWER = {5, 11, 13, 15, 16}         # of the special operands: left out of pairs


def sets(t):
    """The operands by their number: each, all pairs, each beside its neighbours."""
    one = exact.specials(t)
    few = [x for i, x in enumerate(one) if i not in FEWER]
    return {1: [one], 2: [[x for x in few for _ in few], few * len(few)],
            3: [one[i:] + one[:i] for i in range(3)]}


def entry(s, t, steps):
    if s is None:
        return "-"
    if not isinstance(s, exact.Statement):
        return f"{s:x}"
    v = s.value
    if isinstance(v, float) and math.isnan(v):
        return "nan"
    if v == 0 and not s.signed:
        return "z"
    near = v if isinstance(v, float) else exact.rounded(v, t)
    text = f"{exact.to_bits(near, t):x}"
    if s.scale and isinstance(v, Fraction):
        wide = Fraction(s.bound) * exact.unit(t, max(abs(v), s.scale)) + exact.unit(t,
            abs(v)) / 2
        if wide > steps * exact.unit(t, abs(v)):
            return f"{text}~{float(min(wide, Fraction(exact.largest('f64')))):.3g}"
    return text


def line(c, t, what, operands):
    rt = t if what else c.result or t
    found = [pairs.truth(c, t, x, what) for x in zip(*operands)]
    bound = max((s.bound for s in found if isinstance(s, exact.Statement)), default=0)
    steps = 0 if bound <= 0.5 else max(1, math.floor(bound + 0.5))
    entries = [entry(s, rt, steps) for s in found]
    return "\t".join([c.name, c.attrs, t, rt, str(c.n), "slope" if what else "value",
                      str(steps), " ".join(entries)])


def main():
    print("# Written by tests/peers/special.py, which says what the lines are.")
    operands = {t: sets(t) for t in exact.DIGITS}
    for t, by_number in operands.items():
        for n, lists in by_number.items():
            for k, one in enumerate(lists):
                print("\t".join(["operands", t, str(n), str(k),
                                 " ".join(f"{exact.to_bits(x, t):x}" for x in one)]))
    for c in cases.CASES:
        if c.shapes is None:
            for t in c.types:
                if t in operands:
                    slope = c.n == 1 and c.wrt and exact.is_float(c.result or t)
                    for what in range(2 if slope else 1):
                        print(line(c, t, what, operands[t][c.n]))


if __name__ == "__main__":
    main()
