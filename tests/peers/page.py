"""docs/accuracy.md from what accuracy.py found and from docs/accuracy.rows, the output of ./dev
bench --ulp.

    page.py docs/accuracy.md        the section of all inputs again, from new rows
"""
import os
import re
import sys

NAMES = {"cotrace": "Cotrace", "jax": "JAX", "torch": "PyTorch"}
HEAD = """# Accuracy, and agreement with JAX and PyTorch

`tests/peers/accuracy.py build/tools/cot --write docs/accuracy.md` writes this page, in a Python
with numpy and mpmath. The peers are {peers}. `ctest -R accuracy` runs a sample of the
comparisons.

This table states the largest errors in units of the last place (ulp) of the exact result.
`check_math.c` and `check_special.c` test them by MPFR:

| functions | f32 | f64 |
|---|---|---|
| `exp` ... `erfc`, `pow`, `atan2` | 1 | 2 |
| `lgamma`, `digamma`, x > 0 | 0.51 | 2.8 |
| `lgamma`, `digamma`, x < 0; `lbeta` | 0.51 | 3.1 of the largest term |
| `polygamma`, `zeta` | 0.51 | 3.0 |
| `erf_inv`, `ndtr`, `erfcx`, `log_ndtr`; `ndtri` | 0.51 | 2.1; 3.3 |
| `bessel_i0e`, `bessel_i1e`; `bessel_j0`, `bessel_j1` | 0.51 | 2.5; 3.1, above x = 5 of the amplitude |
| `hypot`, `logaddexp` | 0.52 | 0.52 |
| `igamma`, `igammac` | 0.51 | 8; 18 of (1 + \\|log y\\| / 2) |
| `igamma_grad_a`, `random_gamma_grad` | 0.51 | 20; 40 |
| `hyp1f1` and its derivatives, 0 <= a, b <= 10, 0 <= x <= 600 | 0.51 | 50 |

f16 and bf16 compute in f32 and round once.

## Errors beside the peers

The figures are the worst errors in ulp, judged by mpmath with 60 digits, over {samples} random
operands of each domain ({few} for functions of two operands that are slow to judge). Operands
are uniform in the domain, and where a row says log, in the logarithm. Near the zeros of
`lgamma`, `digamma`, `lbeta` and the Bessel functions large terms cancel, so that an error that
is small beside them is many ulp of the result. A blank says that the peer lacks the function at
the type. {machine}

"""
ALL = """
## f32, all inputs

The table has functions of one operand over all 2^32 inputs: the worst error and its operand,
the mean error of finite results, and how many results are not the exact value correctly
rounded. `./dev bench --ulp NAME ...` measures them again and takes about a minute for each on
an idle core. It runs the JIT's kernels and compares them with libmvec or libm in f64; for
functions that libm lacks it compares with the JIT's f64 kernel, which it checks by MPFR. Near
the middle between two f32, MPFR decides.

| function | worst ulp | at | mean ulp | not nearest | share |
|---|---|---|---|---|---|
"""
AGREE = """
## Agreement

The figures are the worst differences from the peer in ulp, over {random} random operands: of
the value / of the derivative by reverse mode with cotangents 1. A difference contains the
errors of both sides. For reductions and products the unit is an ulp of the largest result. A
letter in the last column names a kind of difference that is more than rounding, on random
operands or on special ones (zeros, infinities, NaN, subnormal numbers and the ends of the
range, in all combinations); the kinds are explained below. Ops without a letter agree
everywhere.

"""
DIFFERENCES = """
## The differences

`tests/peers/rules.py` and `pairs.py` state an exact value for each op, type and operand, by
mpmath with 60 digits or by a standard, and a bound in ulp. All {stated:,} results of
elementwise ops, values and derivatives, are within these bounds. Nothing else explains a
difference from a peer. The differences are counted by kind:

"""
REST = """
`accuracy.differences` tests that no wrong answer is explained: a result that is off by twice
its bound, 1e6 in its place, one of another class, or a zero of the other sign. `laws.special`
tests 20 thousand of the stated results on every machine, without peers and Python: special
operands of every op in f64, f32, bf16 and f16, values and derivatives.

The stated value is the limit wherever the function has one, except for some derivatives at the
ends of the range, where it is what the arithmetic of the rule gives: `atan2` where the root of
the sum of squares is beyond the range; x^y by x where x^(y - 1) is beyond the range; x / y by y
where 1 / y is beyond the range; `lbeta` where the sum of its operands is; the density of
`igamma` for a <= 0. [Derivatives](derivatives.md) has the reasons. Nothing is stated of
`igamma_grad_a` and `random_gamma_grad` outside [0.001, 1000].
"""


LINALG_TITLE = "## Linear algebra"
LINALG = LINALG_TITLE + """

By `tests/peers/linalg.py build/tests/peers/linalg_run --write docs/accuracy.md`; {peers}. The worst difference, of the
value / of tangents and gradients, in eps (2^-52, 2^-23) of the result's largest element: {count:,} comparisons over random
matrices of {sizes} rows (beside JAX 3 and 16), square, wide and tall, batched, of condition 4 or less. f64 and c128 are judged beside the
peers, f32 and c64 (Cotrace's and PyTorch's) by the peers' f64 on the same numbers. What libraries may choose is taken
out: vectors of eigh and svd are compared as V diag(1, 2, ...) V^H, the sum of eig's w^2 and its R exp(w) L^H with the
trace and exponential that the peers have without eigenvalues, so that its column has the condition of random
eigenvectors. Singular matrices (det, its cofactors, matrix_rank, pinv), equal singular values and eigenvalues are
among them. A blank: there is no derivative, or the peer lacks it.

"""
SUGAR_TITLE = "## Windows, order, indexing, transforms, layers"
SUGAR = SUGAR_TITLE + """

By `tests/peers/sugar.py build/tests/peers/sugar_run --write docs/accuracy.md`; {peers}. The worst difference, of the
value / of tangents and gradients, in eps of the type (2^-52, 2^-23, 2^-10, 2^-7) of the result's largest element, on random
operands, among them some without elements: {count:,} comparisons, also of the mapped function and its mapped gradients with what
one example gives alone. Operands are numbers of the narrow type, on which the peers' f64 and c128 are the truth for
f32, c64, f16 and bf16. Integers are the same. Derivatives of complex numbers are in PyTorch's convention. A blank: no such type
here or there.

"""


def number(d):
    return "" if d is None else "inf" if d == float("inf") else f"{d:.2f}" if d < 100 else f"{d:.0f}" if d < 1e5 else f"{d:.0e}"


def domain(d, n):
    how = [w for w in d[n:]]
    parts = [f"[{lo:g}, {hi:g}]" for lo, hi in d[:n]]
    return " x ".join(parts) + "".join(" " + w for w in how)


def table_head(head):
    return "| " + " | ".join(head) + " |\n|" + "---|" * len(head) + "\n"


def errors_table(run, types):
    import errors
    who = ["cotrace", *run.peers]
    lines = [table_head(["function", "operands"] + [f"{t} {NAMES[p]}" for t in types
                                                    for p in who])]
    for k, f in enumerate(errors.FUNCTIONS):
        if not any((k, t, "cotrace") in run.errors for t in types):
            continue
        for i, d in enumerate(f.domains):
            worst = [run.errors.get((k, t, p)) for t in types for p in who]
            lines.append(f"| `{f.name}` | {domain(d, f.n)} | " +
                         " | ".join("" if w is None else number(w[i]) for w in worst) + " |\n")
    return lines


def all_inputs(path):
    """The lines of bench/ulp: name, worst, at, mean, count, share, ..."""
    lines = []
    with open(path) as f:
        for line in f:
            w = line.split()
            if len(w) >= 6 and w[0] != "f32":
                lines.append(f"| `{w[0]}` | {w[1]} | {w[2]} | {w[3]} | {w[4]} | {w[5]} |\n")
    return [ALL, *lines] if lines else []


def cell(row):
    if row is None:
        return "", set()
    v, d = row.worst
    return f"{v:.3g} / {d:.3g}", row.letters


def agreement(run, cases):
    rows, types = run.rows, [t for t in ("f64", "f32", "bf16", "f16")
                             if any(t == k[1] for k in run.rows)]
    columns = [(t, p) for t in types for p in run.peers]
    lines = [table_head(["op"] + [f"{t} {NAMES[p]}" for t, p in columns] + ["special"])]
    for k, c in enumerate(cases):
        if not any((k, t, p) in rows for t, p in columns):
            continue
        found = [cell(rows.get((k, t, p))) for t, p in columns]
        letters = set().union(*(s for _, s in found))
        lines.append(f"| `{c.label}` | " + " | ".join(s for s, _ in found) + " | " +
                     " ".join(sorted(letters)) + " |\n")
    whole = sorted({k[1] for k in rows} - set(types))
    named = [(k, c) for k, c in enumerate(cases) if any((k, t, p) in rows for t in whole
                                                        for p in run.peers)]
    exact = [c.label for k, c in named if all(r.same for (i, t, p), r in rows.items() if i == k
                                              and t in whole)]
    other = [c.label for _, c in named if c.label not in exact]
    if exact:
        lines.append(f"\nOn {', '.join(whole)} every element is the same, on random operands "
                     f"and on the least, the largest, 0, 1, -1 "
                     f"and their neighbours, for: {', '.join(f'`{e}`' for e in exact)}.\n")
    if other:
        lines.append(f"With differences explained below: "
                     f"{', '.join(f'`{e}`' for e in other)}.\n")
    return lines


def explained(run):
    """The counts of differences by kind, and what the kinds are."""
    import differences
    columns = [(p, what) for p in run.peers for what in (0, 1)]
    lines = [DIFFERENCES.format(stated=run.stated),
             table_head(["kind"] +
                        [f"{NAMES[p]}, {('values', 'derivatives')[what]}" for p,
                         what in columns] + ["all"])]
    for letter in sorted({k for k, _, _ in run.kinds}):
        counts = [run.kinds[letter, p, what] for p, what in columns]
        lines.append(f"| **{letter}** | " + " | ".join(f"{n:,}" for n in [*counts, sum(counts)])
                     + " |\n")
    sums = [sum(n for k, n in run.kinds.items() if k[1:] == column) for column in columns]
    lines.append("| all | " + " | ".join(f"{n:,}" for n in [*sums, sum(sums)]) + " |\n\n")
    lines += [f"- **{letter}** {differences.KINDS[letter]}\n" for letter in sorted({k
        for k, _, _ in run.kinds})]
    return lines + [REST]


def write(path, run, cases):
    import accuracy
    import errors
    head = HEAD.replace("{peers}",
                        ", ".join(f"{NAMES[p]} {v}" for p, v in run.versions.items()))
    head = head.replace("{samples}", f"{run.args.samples:,}").replace("{few}",
        str(run.args.samples // errors.FEWER))
    lines = [head.replace("{machine}", run.machine), *errors_table(run, ["f64", "f32"]), "\n",
             *errors_table(run, ["bf16", "f16"])]
    rows = os.path.join(os.path.dirname(path) or ".", "accuracy.rows")
    if os.path.exists(rows):
        lines += all_inputs(rows)
    if run.rows:
        lines += [AGREE.replace("{random}", str(accuracy.RANDOM)), *agreement(run, cases),
                  *explained(run)]
    kept = []
    if os.path.exists(path):
        with open(path) as f:
            text = f.read()
        kept = [section(text, title)[0].rstrip() + "\n" for title in (LINALG_TITLE, SUGAR_TITLE)
                if title + "\n" in text]
    with open(path, "w") as f:
        f.write("\n".join(["".join(lines), *kept]))


def section(text, title):
    """The section of a page with this title, and where it is; empty at the end, if there is
    none."""
    begin = text.find(title + "\n")
    if begin < 0:
        return "", len(text), len(text)
    end = text.find("\n## ", begin)
    end = len(text) if end < 0 else end + 1
    return text[begin:end], begin, end


def linalg_cell(worst, key):
    parts = [worst.get((*key, what)) for what in (0, 1)]
    return " / ".join(number(d) if d is not None else "" for d in parts) if parts != [None,
        None] else ""


KEPT = "The columns beside {present} are of a run with {peers} alone, the others of an earlier one with {earlier}.\n\n"


def table_of(path, title):
    """The names of the columns of the section's table, and its cells by row and column."""
    with open(path) as f:
        rows = [line.rstrip("\n")[2:-2].split(" | ")
                for line in section(f.read(), title)[0].splitlines() if line.startswith("| ")]
    return (rows[0], {(r[0], h): c for r in rows[1:]
                      for h, c in zip(rows[0], r)}) if rows else ([], {})


def judged(path, title, intro, head, rows, table, peers):
    """The section's lines: the new table; where a peer was not there, the new columns of those
    that were in the old one."""
    old_head, old = table_of(path, title)
    if any(NAMES[p] in h for p in ("jax", "torch") if p not in peers for h in old_head):
        with open(path) as f:
            earlier = re.findall(r"(?:`; |earlier one with )(.*?)\.(?: The worst|\n)",
                                 section(f.read(), title)[0])[-1]
        present = " and ".join(NAMES[p] for p in peers)
        new = {(r[0], h): c for r in rows for h, c in zip(head, r) if c
               and any(NAMES[p] in h for p in peers)}
        names = [r[0] for r in rows] + [n for n in dict.fromkeys(n for n, _ in old)
                                        if n not in {r[0] for r in rows}]
        head = old_head + [h for h in head if h not in old_head]
        rows = [[n] + [new.get((n, h), old.get((n, h), "")) for h in head[1:]] for n in names]
        intro += KEPT.format(present=present, peers=table.versions, earlier=earlier)
    return [intro, table_head(head)] + ["| " + " | ".join(r) + " |\n" for r in rows]


def put_section(path, title, lines):
    """The section in place of the one that the page has, or behind all."""
    with open(path) as f:
        text = f.read()
    _, begin, end = section(text, title)
    with open(path, "w") as f:
        f.write(text[:begin].rstrip() + "\n\n" + "".join(lines) +
                ("\n" + text[end:] if text[end:] else ""))


def write_sugar(path, table, peers):
    """The section of all that is not an op of the table of agreement, nor linear algebra."""
    from sugar_cases import CASES
    types = ("f64", "c128", "f32", "c64", "f16", "bf16")
    who = [(t, p) for t in ("f64", "c128") for p in peers]
    worst = dict(table.worst)
    for (name, t, p, what), d in table.worst.items():       # the truth is one, whoever says it
        worst[name, t, "truth", what] = max(d, worst.get((name, t, "truth", what), 0))
    who += [(t, "truth") for t in types[2:]]
    head = [t if p == "truth" else f"{t} beside {NAMES[p]}" for t, p in who]
    names = [n for n in dict.fromkeys(c.name for c in CASES)
             if any((n, *w, 0) in worst for w in who)]
    rows = [[f"`{n}`"] + [linalg_cell(worst, (n, *w)) for w in who] for n in names]
    lines = judged(path, SUGAR_TITLE, SUGAR.format(count=table.count, peers=table.versions),
                   ["function"] + head, rows, table, peers)
    put_section(path, SUGAR_TITLE, lines)


def write_linalg(path, table, peers):
    """The section of linear algebra in place of the one that the page has."""
    from linalg_cases import CASES, SIZES
    who = [("f64", p) for p in peers] + [("c128", p) for p in peers]
    who += [(t, p) for t in ("f32", "c64") for p in ("truth", "torch")
            if p == "truth" or "torch" in peers]
    names = {"jax": "JAX", "torch": "PyTorch", "truth": "Cotrace"}
    head = [f"{t} {'of ' if t in ('f32', 'c64') else 'beside '}{names[p]}" for t, p in who]
    rows = [[f"`{f}`"] + [linalg_cell(table.worst, (f, *w)) for w in who]
            for f in dict.fromkeys(c.name for c in CASES)]
    intro = LINALG.format(sizes=", ".join(str(n) for n, _ in SIZES), count=table.count,
                          peers=table.versions)
    lines = judged(path, LINALG_TITLE, intro, ["function"] + head, rows, table, peers)
    put_section(path, LINALG_TITLE, lines)


def refresh(path):
    """The section of all inputs in place of the one that the page has."""
    with open(path) as f:
        text = f.read()
    title, after = ALL.lstrip().splitlines()[0], AGREE.lstrip().splitlines()[0]
    begin, end = text.index(title), text.index(after)
    rows = all_inputs(os.path.join(os.path.dirname(path) or ".", "accuracy.rows"))
    with open(path, "w") as f:
        f.write(text[:begin] + "".join(rows).lstrip() + "\n" + text[end:])


if __name__ == "__main__":
    refresh(sys.argv[1])
