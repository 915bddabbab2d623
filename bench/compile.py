#!/usr/bin/env python3
"""Time and memory of compiling programs of 100 to 10,000 ops, beside JAX.

    compile.py FOLDER [--ops N,N...] [--seconds S] [--runs R] [--write DOCS] [NAME ...]

FOLDER has the programs `growth` and `bench`.  Each row is a program of bench/growth.c and the
same program of JAX, and its gradient; each size is compiled alone, in R fresh processes of each
library in turn, on one processor, without a cache of code, and the least time and memory count.
A time is processor time of reading or tracing, transforms, lowering and compiling; memory is
the most that the process held.  A row ends at the first size that takes longer than S seconds.
Slopes are those of the last factor of two or more: 1 is linear.  The small programs are those
of `bench`, whose compilation is timed by the clock.

--write makes the page DOCS/compile-time.md anew, and its two plots.  """
import argparse
import importlib.util
import json
import math
import os
import resource
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ENV = dict(os.environ, COT_CACHE_DIR="off", JAX_PLATFORMS="cpu", OMP_NUM_THREADS="1")
SMALL = ["tiny_sinx", "tiny_sinx_grad", "matmul_512", "mlp_step", "softmax_grad",
         "layernorm_grad", "black_scholes_greeks", "lorenz_1", "conv_28", "cholesky_256",
         "attention_grad", "lstm_grad"]


def waves(np, n):
    def f(x, y):
        v = x + y
        for i in range(1, n + 1):
            v = np.sin(v) if i % 3 == 0 else v * y if i % 3 == 1 else v + y
        return v.sum()
    return f, [(1000,), (1000,)]


def products(np, n):
    def f(v, w, c):
        for _ in range(n):
            v = np.maximum(v @ w + c, 0)
        return v.sum()
    return f, [(16, 24), (24, 24), (24,)]


def convolutions(np, n):
    import jax.lax

    def f(v, w):
        for _ in range(n):
            y = jax.lax.conv_general_dilated(v, w, (1, 1), "SAME",
                                             dimension_numbers=("NHWC", "HWIO", "NHWC"))
            v = v + np.maximum(y, 0)
        return v.sum()
    return f, [(2, 8, 8, 16), (3, 3, 16, 16)]


def stack(np, n):
    def f(v, w):
        for i in range(n):
            v = np.tanh(v @ w[i])
        return v.sum()
    return f, [(16, 24), (n, 24, 24)]


def scalars(np, n):
    def f(x, y):
        v = x + y
        for i in range(1, n + 1):
            v = v * x if i % 2 else v + y
        return v
    return f, [(), ()]


def steps(np, n):
    def f(q, p):
        for _ in range(n):
            middle = q + p * 0.01
            p = p - (np.sin(middle) + 0.1 * p) * 0.01
            q = middle + p * 0.01
        return q.sum()
    return f, [(64,), (64,)]


# What growth.c calls it, the ops of a part, what it is.
ROWS = {"waves": (1, waves, "chain of sin, mul, add"),
        "products": (4, products, "relu(x @ w + b)"),
        "convolutions": (4, convolutions, "residual convolutions"),
        "stack": (4, stack, "layers with slices of one stack of weights"),
        "scalars": (1, scalars, "unrolled loop of scalars"),
        "steps": (9, steps, "ODE, unrolled steps")}


def run_jax(name, gradient, parts):
    """In a process of its own: milliseconds and megabytes as one line of JSON."""
    import jax
    f, shapes = ROWS[name][1](jax.numpy, parts)
    args = [jax.ShapeDtypeStruct(s, "float32") for s in shapes]
    jax.jit(lambda x: x + 1).lower(1.0).compile()
    start = time.process_time()
    jax.jit(jax.grad(f) if gradient else f).lower(*args).compile()
    ms = 1e3 * (time.process_time() - start)
    print(json.dumps([ms, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))


def output_of(command, seconds):
    """On one processor; None if it takes too long or fails."""
    try:
        done = subprocess.run(["taskset", "-c", "0"] + command, env=ENV, capture_output=True,
                              text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None
    return done.stdout if done.returncode == 0 else None


def measure_ours(o, name, gradient, parts):
    text = output_of([os.path.join(o.folder, "bench", "growth"), "-t", str(o.seconds), "-m",
                      "16", "-s", str(parts), "-f", "g" if gradient else "f", name],
                     2 * o.seconds)
    words = text.splitlines()[-1].split() if text else []
    if "compiled" in words or len(words) < 10:
        return None
    return tuple(float(x) for x in (words[-3], words[-1], words[-2]))


def measure_jax(o, name, gradient, parts):
    text = output_of([sys.executable, os.path.abspath(__file__), o.folder, "--one", name,
                      str(int(gradient)), str(parts)], o.seconds + 20)
    return tuple(json.loads(text.splitlines()[-1])) if text else None


def least(measure, *args, runs):
    got = [measure(*args) for _ in range(runs)]
    return None if None in got else tuple(min(x) for x in zip(*got))


def grow(o, name, gradient):
    """By size: ours, and JAX's."""
    points, ours, theirs = {}, True, True
    for ops in o.ops:
        parts = max(1, ops // ROWS[name][0])
        ours = ours and least(measure_ours, o, name, gradient, parts, runs=o.runs)
        theirs = theirs and least(measure_jax, o, name, gradient, parts, runs=o.runs)
        points[ops] = ours, theirs
        print(f"{name}{' gradient' * gradient} {ops}: {ours} {theirs}", file=sys.stderr)
    return points


def slope(points, side, k):
    known = [(ops, p[side][k]) for ops, p in points.items() if p[side]]
    for ops, x in reversed(known[:-1]):
        if known[-1][0] >= 2 * ops:
            return f"{math.log(known[-1][1] / x) / math.log(known[-1][0] / ops):.2f}"
    return ""


def cell(p, k):
    shown = ["-" if side is None else f"{side[k]:,.0f}" for side in p]
    return " / ".join(shown)


def table(o, rows, k):
    head = ["program"] + [f"{n:,} ops" for n in o.ops] + ["slope"]
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for (name, gradient), points in rows.items():
        cells = [ROWS[name][2] + (", gradient" if gradient else "")]
        cells += [cell(p, k) for p in points.values()]
        cells += [f"{slope(points, 0, k)} / {slope(points, 1, k)}"]
        yield "| " + " | ".join(cells) + " |"


def small(o, names):
    spec = importlib.util.spec_from_file_location("peers", os.path.join(HERE, "peers.py"))
    peers = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(peers)
    os.environ.update(ENV)
    yield "| program | Cotrace / JAX |"
    yield "|---|---|"
    bench = os.path.join(o.folder, "bench", "bench")
    for name in names:
        ours = [peers.pinned([bench, "--json", "--only", "cotrace", name], name, 1, 300)
                for _ in range(o.runs)]
        jax = [peers.pinned([sys.executable, os.path.join(HERE, "peers.py"), bench, "--one",
                             "jax", name], name, 1, 300) for _ in range(o.runs)]
        if None not in ours + jax:
            yield (f"| {name} | {min(x['trace_ms'] + x['compile_ms'] for x in ours):.0f} / "
                   f"{min(x['compile_ms'] for x in jax):.0f} |")


def plot(o, rows, k, title, path):
    import matplotlib
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "cotrace", "svg.fonttype": "none",
                                "font.size": 8})
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(2, 3, figsize=(9, 5.5), sharex=True, sharey=True)
    for axis, name in zip(axes.flat, ROWS):
        for gradient in (False, True):
            for side, colour, who in ((0, "tab:blue", "Cotrace"), (1, "tab:orange", "JAX")):
                points = rows.get((name, gradient), {})
                known = [(n, p[side][k]) for n, p in points.items() if p[side]]
                axis.loglog(*zip(*known) if known else ([], []), color=colour, marker=".",
                            linestyle="--" if gradient else "-",
                            label=who + (", gradient" if gradient else ""))
        axis.set_title(ROWS[name][2])
        axis.grid(alpha=0.3)
    axes[0][0].legend()
    figure.supxlabel("ops")
    figure.supylabel(title)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


PAGE = """# What compiling costs, beside JAX

    ./dev bench --compile [NAME ...]

makes this page anew. Figures are Cotrace / JAX {jax}, each of a fresh process on one
processor, the least of {runs}; - is a size that took longer than {seconds} s. Cotrace keeps no
code from one process to the next here; [cache](cache.md) says what that saves.
[codegen](codegen.md#what-compiling-costs) says what keeps time linear, and `bench/growth.c`
shows the stages.

## Milliseconds of processor time

Reading or tracing, transforms, lowering and compiling. The slope is that of the logarithm of
time over that of ops, at the largest sizes: 1 is linear. A program of some thousand nodes whose
steps repeat becomes a loop (`reroll`), so that it takes less time than a shorter one.

{time}

![time over ops](compile-time.svg)

## Megabytes of the process

{memory}

![memory over ops](compile-memory.svg)

The graphs and kernels of Cotrace take of this, for each op of the largest size:

{own}

## Small programs, in milliseconds

{small}
"""


def own(rows):
    yield "| program | bytes for each op |"
    yield "|---|---|"
    for (name, gradient), points in rows.items():
        known = [(n, p[0][2]) for n, p in points.items() if p[0]]
        if known:
            yield (f"| {ROWS[name][2]}{', gradient' * gradient} | "
                   f"{1e6 * known[-1][1] / known[-1][0]:,.0f} |")


def write(o, rows, others):
    import jax
    text = PAGE.format(runs=o.runs, seconds=o.seconds, jax=jax.__version__,
                       time="\n".join(table(o, rows, 0)), memory="\n".join(table(o, rows, 1)),
                       own="\n".join(own(rows)), small="\n".join(others))
    with open(os.path.join(o.write, "compile-time.md"), "w") as page:
        page.write(text)
    plot(o, rows, 0, "ms", os.path.join(o.write, "compile-time.svg"))
    plot(o, rows, 1, "MB", os.path.join(o.write, "compile-memory.svg"))


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder")
    p.add_argument("--ops", default="100,1000,3000,10000")
    p.add_argument("--seconds", type=int, default=60)
    p.add_argument("--runs", type=int, default=2)
    p.add_argument("--write", metavar="DOCS")
    p.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    p.add_argument("names", nargs="*")
    o = p.parse_intermixed_args()
    if o.one:
        run_jax(o.one[0], o.one[1] == "1", int(o.one[2]))
        return
    o.ops = [int(n) for n in o.ops.split(",")]
    rows = {(name, gradient): grow(o, name, gradient) for name in o.names or ROWS
            if name in ROWS for gradient in (False, True)}
    others = list(small(o, [n for n in SMALL if not o.names or n in o.names]))
    if o.write:
        write(o, rows, others)
    for k in (0, 1):
        print("\n".join(table(o, rows, k)) + "\n")
    print("\n".join(others))


if __name__ == "__main__":
    main()
