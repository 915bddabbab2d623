"""docs/accuracy.md from the rows of accuracy.py."""
import differences

HEAD = """# Accuracy, and agreement with JAX and PyTorch

Written by `tests/peers/accuracy.py --write`; the errors of the elementary and special functions themselves are
measured against MPFR by `tests/unit/check_math.c` and `check_special.c`, whose bounds fail the test when passed:

| functions | f32, worst ulp | f64, worst ulp |
|---|---|---|
| exp ... erfc, pow, atan2 | 1 | 2 |
| lgamma, digamma, x > 0 | 0.51 | 2.8 |
| lgamma, digamma, x < 0; lbeta | 0.51 | 3.1 of the largest term |
| polygamma, zeta | 0.51 | 3.0 |
| erf_inv, ndtr, erfcx, log_ndtr; ndtri | 0.51 | 2.1; 3.3 |
| bessel_i0e, bessel_i1e; bessel_j0, bessel_j1 | 0.51 | 2.5; 3.1, above x = 5 of the amplitude |
| hypot, logaddexp | 0.51 | 0.51 |
| igamma, igammac | 0.51 | 16 (1 + \\|log y\\| / 2); igammac for a < 1, x < 3: 77 |
| igamma_grad_a, random_gamma_grad | 0.51 | 25; 130; where a is small and x near 2: 400, 1300 |

f16 and bf16 compute in f32 and round once.

The table below gives the worst difference from the peer in units of the last place of the type, over {random} random
operands: of the value / of the derivative by reverse mode with cotangents 1. It counts the errors of both: where it
is above the bound of the table above, the error is the peer's. Reductions and products count in units of the
largest result. The letters name differences on special operands (zeros, infinities, NaN, subnormal numbers, the ends
of the range, in all combinations), which are explained below; without a letter all of them agree.

"""


def cell(row):
    if row is None:
        return "", set()
    v, d = row.worst
    return f"{v:.3g} / {d:.3g}", row.letters


def write(path, rows, cases, peers, seen):
    import accuracy
    types = [t for t in ("f64", "f32", "bf16", "f16") if any(t == k[1] for k in rows)]
    lines = [HEAD.replace("{random}", str(accuracy.RANDOM))]
    names = {"jax": "JAX", "torch": "PyTorch"}
    columns = [(t, p) for t in types for p in peers]
    lines.append("| op | " + " | ".join(f"{t} {names[p]}" for t, p in columns) + " | special |\n")
    lines.append("|---|" + "---|" * len(columns) + "---|\n")
    used = set()
    for k, c in enumerate(cases):
        if not any((k, t, p) in rows for t, p in columns):
            continue
        cells, letters = [], set()
        for t, p in columns:
            text, found = cell(rows.get((k, t, p)))
            cells.append(text)
            letters |= found
        used |= letters
        lines.append(f"| `{c.label}` | " + " | ".join(cells) + " | " + " ".join(sorted(letters)) + " |\n")
    whole = sorted({k[1] for k in rows} - set(types))
    exact = [c.label for k, c in enumerate(cases) if any((k, t, p) in rows for t in whole for p in peers)
             and all(r.special == [0, 0] for (i, t, p), r in rows.items() if i == k and t in whole)]
    other = [c.label for k, c in enumerate(cases) if any((k, t, p) in rows for t in whole for p in peers) and c.label not in exact]
    lines.append(f"\nOn {', '.join(whole)} every element is the same, on random operands and on the least, the largest, 0, 1, -1 "
                 f"and their neighbours, for: {', '.join(f'`{e}`' for e in exact)}.\n")
    if other:
        lines.append(f"With differences explained below: {', '.join(f'`{e}`' for e in other)}.\n")
    lines.append("\n## The differences\n\n")
    for letter in sorted(used | set(k for k in seen if k)):
        lines.append(f"- **{letter}** {differences.REASONS[letter]}\n")
    with open(path, "w") as f:
        f.write("".join(lines))
