#!/usr/bin/env python3
"""Makes docs/benchmarks.md, and its plots, of docs/benchmarks.csv.

    page.py FOLDER [--no-plots]

FOLDER holds benchmarks.csv (bench/sheet.py says what is in it) and gets benchmarks.md and
benchmarks-SECTION.svg.  Every figure of the page comes from there; bench/behind.csv has the
reasons of what is slower than a peer.  """
import argparse
import csv
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from sheet import Sheet     # noqa: E402

# Below this quotient a workload is behind; a twentieth is noise.
BEHIND = 0.95
# Seconds below which a call of a peer costs more than what it computes: such workloads are left
# out of the means.
TINY = 1e-6
# Rows of a section above which its plot has a curve for each peer instead of a line for each.
CROWDED = 60
ABOUT = {
    "arrays and models": "Elementwise functions, reductions, products, factors of matrices, "
    "loops, and training steps, with gradients.",
    "convolutions and pooling": "NHWC, f32; `_dx` is the gradient in the operand, `_dw` that "
    "in the kernel.",
    "indexing": "Gathers, scatters, sorts and their gradients.",
    "Fourier transforms": "Lines by length; c64 unless the name says f64. FFTW plans with "
    "`FFTW_MEASURE`, and has one thread.",
    "layers": "Layers of networks, special functions and cumulative ops.",
    "ADBench": "Two objectives of ADBench (Srajer, Kukelova, Fitzgibbon, 2018) in f64: a "
    "mixture of 25 Gaussians of 10 axes over 1,000 points, and bundle adjustment with 31,843 "
    "observations, whose Jacobian has 2 x 15 numbers for each.",
    "C source": "The C that `cot build -o f.c` writes, compiled with `-O2 -march=native` by "
    "clang and by gcc, and by gcc with `-O2` alone, beside the JIT's code of the same "
    "function: above 1, that of the JIT is faster.",
    "what users write": "Functions and gradients as JAX lowers them (`bench/everyday.py`, "
    "`bench/everyday_more.py`), run from the same text.",
    "programs of JAX's packages": "What users of Flax, Optax, Diffrax, NumPyro and 21 other "
    "packages write, with gradients (`bench/packages.py`, `bench/packages_more.py`). Results "
    "are compared with JAX's first; a package that is not installed is left out.",
    "programs that JAX lowered": "[examples/jax_to_c](../examples/jax_to_c), "
    "`tests/programs`, linear algebra, and the largest texts among the reference cases. Most "
    "are small: of the microseconds that a call takes in JAX, nearly all are spent on the call "
    "itself.",
    "a training step of GPT-2": "A step of AdamW on the 124 million weights of GPT-2, 256 "
    "tokens, forward and backward in bf16, weights and moments in f32, all of them arguments "
    "(`bench/gpt2.py`).",
}
HEAD = """# Benchmarks

    ./dev bench                 # measures all of this, and makes the page anew
    ./dev bench NAME ...        # the workloads whose names begin so, beside code by hand

Every figure of this page comes from [benchmarks.csv](benchmarks.csv), which `./dev bench`
writes ({month}, on {processor}; JAX {jax}, PyTorch {torch}), so none is typed. A figure is the
least time of a call of the other library over that of Cotrace, in one run, one library after
the other, so that **above 1 Cotrace is faster**; the first is with one thread, the second with
two, each library pinned to as many processors as it has threads. The sheet has the medians,
too. Another run, and another machine, give other figures; differences of a twentieth are noise,
and what is behind by more is bold and has its reason below its table, where one is known.

All results of Cotrace have the bits of the reference evaluator. The other libraries do not
specify the bits of theirs.

"of the limit" is the time that this machine needs at least for the bytes and operations that
the workload must move and compute, over the time that Cotrace takes, with one thread. What a
machine can do is measured as by
[`cot bench --profile`](profile.md#the-machines-limits): {limits}. The bytes are taken to be in
the nearest cache that holds all arguments and results. Functions such as `exp` count as no
operations, so these limits are out of reach there.
"""


SHORT = """The geometric mean of each section's figures, without calls that take less than a
microsecond, where a peer's call costs more than what it computes; and how many workloads are
behind, at one thread and at two. "A second thread" is how many times as fast Cotrace is with
two threads, over the workloads that take 100 microseconds or more with one."""


def ratio(sheet, section, workload, threads, who):
    them = sheet.least(section, workload, threads, who)
    us = sheet.least(section, workload, threads, "Cotrace")
    return them / us if them and us else None


def shown(x):
    if x is None:
        return "-"
    text = f"{x:.0f}" if x >= 20 else f"{x:.1f}" if x >= 5 else f"{x:.2f}"
    return f"**{text}**" if x < BEHIND else text


def time_of(seconds):
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)):
        if seconds >= size or unit == "ns":
            x = seconds / size
            return f"{x:.0f} {unit}" if x >= 100 else f"{x:.3g} {unit}"


def mean(numbers):
    numbers = [math.log(x) for x in numbers if x]
    return math.exp(sum(numbers) / len(numbers)) if numbers else None


def threads_of(sheet, section, who):
    return sorted({k[2] for k in sheet.rows if k[0] == section and k[3] == who})


def pair(sheet, section, workload, who):
    found = [ratio(sheet, section, workload, n, who)
             for n in threads_of(sheet, section, who)]
    return ", ".join(map(shown, found)) if any(found) else ""


def gain(sheet, section, workload):
    least = [sheet.least(section, workload, n, "Cotrace") for n in sheet.threads()]
    return least[0] / least[-1] if len(least) > 1 and all(least) else None


def summary(sheet):
    lines = ["## In short", ""] + wrapped([SHORT], "") + [
        "", "| section | peer | workloads | mean | behind | a second thread |",
        "|---|---|---|---|---|---|"]
    for section in sections(sheet):
        names = sheet.workloads(section)
        long = [w for w in names if (sheet.least(section, w, 1, "Cotrace") or 0) >= 1e-4]
        gains = mean([gain(sheet, section, w) for w in long])
        timed = [w for w in names if (sheet.least(section, w, 1, "Cotrace") or 0) >= TINY]
        for who in sheet.who(section):
            found = [[ratio(sheet, section, w, n, who) for w in timed]
                     for n in threads_of(sheet, section, who)]
            found = [[x for x in r if x] for r in found]
            lines.append(f"| [{section}](#{anchor(section)}) | {who} | {len(found[0])} | "
                         f"{', '.join(shown(mean(r)) for r in found)} | "
                         f"{', '.join(str(sum(x < BEHIND for x in r)) for r in found)} | "
                         f"{shown(gains) if gains else ''} |")
    return lines


def sections(sheet):
    """In the order of the page; one that it does not describe is a mistake."""
    return sorted(sheet.sections(), key=list(ABOUT).index)


def anchor(section):
    return section.lower().replace(" ", "-")


def reasons(sheet, section):
    """For each workload that is behind a peer, the reason that bench/behind.csv knows."""
    path = os.path.join(HERE, "behind.csv")
    with open(path, newline="") as file:
        known = {r["workload"]: r["reason"] for r in csv.DictReader(file)}
    said, unknown = {}, []
    for w in sheet.workloads(section):
        least = [ratio(sheet, section, w, n, p) for p in sheet.who(section)
                 for n in sheet.threads()]
        if any(x and x < BEHIND for x in least):
            if w in known:
                said.setdefault(known[w], []).append(f"`{w}`")
            else:
                unknown.append(f"`{w}`")
    lines = [f"- {', '.join(names)}: {reason}" for reason, names in said.items()]
    if unknown:
        lines.append(f"- No reason is known for {', '.join(unknown)}.")
    return (["Behind:", ""] + wrapped(lines) + [""]) if lines else []


def wrapped(lines, indent="  "):
    """Each line broken at 96 columns; what follows its first is indented."""
    out = []
    for line in lines:
        now = ""
        for word in line.split():
            if now and len(now) + 1 + len(word) > 96:
                out.append(now)
                now = indent + word
            else:
                now = now + " " + word if now else word
        out.append(now)
    return out


def table(sheet, section):
    peers, threads = sheet.who(section), sheet.threads()
    names = sheet.workloads(section)
    has_limit = any(sheet.has(section, w, 1, "machine") for w in names)
    has_compile = any(sheet.compile(section, w, 1, p) for w in names for p in ["JAX"])
    head = ["workload", "a call, with 1 and 2 threads"] + ["of the limit"] * has_limit + peers \
        + ["compile", "JAX's compile"] * has_compile
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for w in names:
        took = [sheet.least(section, w, n, "Cotrace") for n in threads]
        cells = [f"`{w}`", ", ".join(time_of(t) for t in took if t)]
        if has_limit:
            limit = sheet.least(section, w, 1, "machine")
            cells.append(f"{100 * limit / took[0]:.0f} %" if limit and took[0] else "")
        cells += [pair(sheet, section, w, p) for p in peers]
        if has_compile:
            us, them = (sheet.compile(section, w, 1, p) for p in ("Cotrace", "JAX"))
            cells += [time_of(us) if us else "", shown(them / us) if us and them else ""]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def page(sheet, plots):
    of_machine = {k[1]: k[3] for k in sheet.rows if k[0] == "machine" and k[2] == 1}
    head = HEAD.format(month=of_machine["month"], processor=of_machine["processor"],
                       jax=of_machine["JAX"], torch=of_machine["PyTorch"],
                       limits=limits(sheet))
    lines = []
    for paragraph in head.rstrip("\n").split("\n\n"):
        is_text = paragraph[0] not in "# "
        lines += (wrapped([paragraph], "") if is_text else paragraph.split("\n")) + [""]
    lines += summary(sheet)
    for section in sections(sheet):
        lines += ["", f"## {section[0].upper()}{section[1:]}", ""]
        lines += wrapped([ABOUT[section]], "") + [""]
        if has_plot(sheet, section):
            lines += [f"![{section}: quotients](benchmarks-{anchor(section)}.svg)", ""]
            if plots:
                draw(sheet, section, plots)
        lines += table(sheet, section) + [""] + reasons(sheet, section)
        while lines[-1] == "":
            lines.pop()
    return "\n".join(lines) + "\n"


def limits(sheet):
    speed = {k[1]: sheet.least(*k) for k in sheet.rows
             if k[0] == "machine" and k[2] == 1 and sheet.least(*k)}
    levels = ", ".join(f"{name} {x * 1e-9:.0f}" for name, x in speed.items()
                       if name != "operations of f32")
    return f"{speed['operations of f32'] * 1e-9:.0f} GFLOP/s in f32; {levels} GB/s"


def has_plot(sheet, section):
    return len(sheet.workloads(section)) > 1


def draw(sheet, section, folder):
    """The quotients on a logarithmic axis; filled with one thread, hollow with two."""
    import matplotlib
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "cotrace", "svg.fonttype": "none",
                                "font.size": 8})
    from matplotlib import pyplot
    names, peers = sheet.workloads(section), sheet.who(section)
    crowded = len(names) > CROWDED
    figure, axis = pyplot.subplots(figsize=(9, 4 if crowded else 1 + 0.17 * len(names)))
    for i, who in enumerate(peers):
        for n in sheet.threads():
            found = [(ratio(sheet, section, w, n, who), k) for k, w in enumerate(names)]
            found = [p for p in found if p[0]]
            style = {"color": f"C{i}", "label": who if n == 1 else f"{who}, 2 threads"}
            if not found:
                continue
            if crowded:
                axis.plot(range(len(found)), sorted(x for x, _ in found),
                          linestyle="-" if n == 1 else "--", **style)
            else:
                axis.plot(*zip(*found), "o", markersize=4,
                          fillstyle="full" if n == 1 else "none", **style)
    if crowded:
        axis.set_yscale("log")
        axis.axhline(1, color="black", linewidth=0.8)
        axis.set_xlabel("workloads, sorted by the quotient for each line")
    else:
        axis.set_xscale("log")
        axis.axvline(1, color="black", linewidth=0.8)
        axis.set_yticks(range(len(names)), names)
        axis.invert_yaxis()
    axis.grid(alpha=0.3)
    axis.legend(loc="best")
    axis.set_title("time of the peer over that of Cotrace")
    figure.tight_layout()
    figure.savefig(os.path.join(folder, f"benchmarks-{anchor(section)}.svg"),
                   metadata={"Date": None})
    pyplot.close(figure)


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder")
    p.add_argument("--no-plots", action="store_true")
    o = p.parse_args()
    sheet = Sheet(os.path.join(o.folder, "benchmarks.csv"))
    text = page(sheet, None if o.no_plots else o.folder)
    with open(os.path.join(o.folder, "benchmarks.md"), "w") as file:
        file.write(text)


if __name__ == "__main__":
    main()
