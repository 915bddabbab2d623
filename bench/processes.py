#!/usr/bin/env python3
"""What processes cost: writes the tables of docs/processes.md#what-it-costs.

    processes.py BUILD [--rounds N] [--page docs/processes.md]

BUILD is a folder of a release build.  Compiles bench/processes.c with mpicc.openmpi, and the
programs of examples/processes at larger sizes; runs sums over shared memory and over MPI in
turn, each beside MPI_Allreduce; fits the time of a message, alpha + beta bytes, to a ping-pong;
and predicts the programs on 2 to 4,096 processes: the same work on more processes, and as much
work for each.  With chrt, where it is allowed, so that other programs do not take part.  """
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Sizes of the programs, in place of those of the example.
SIZES = {"ROWS": 64, "D": 64, "H": 512, "LINES": 32, "COLUMNS": 1024, "PATHS": 1024}
GROUPS = {"train": 32, "heat": 24, "price": 64}
# Groups of each process where the work grows with the processes: a leaf of the sums, or a run.
EACH = {"train": 16, "heat": 12, "price": 16}
NAMES = {"train": "GROUPS", "heat": "BLOCKS", "price": "BUNDLES"}
MEASURED = (1, 2, 4, 8, 16)
STEPS = 20
SHORT = 1 << 15  # bytes of sums that go in one message (passes/own_order.c)
PREDICTED = (2, 3, 4, 8, 16, 32, 64, 256, 1024, 4096)
ENV = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def run(*command, cwd=None):
    done = subprocess.run(command, cwd=cwd, env=ENV, capture_output=True, text=True)
    if done.returncode:
        sys.exit("%s: %s" % (" ".join(command), done.stderr))
    return done.stdout


def compile_all(build, folder, sizes, processes):
    """The program `processes` in a folder, of the programs with these sizes, for these numbers
    of processes."""
    os.mkdir(folder)
    for name in ("processes/build.c", "processes/programs.h", "heat_step.h"):
        with open(os.path.join(HERE, "examples", name)) as f:
            text = f.read().replace('"../heat_step.h"', '"heat_step.h"')
        for size, value in sizes.items():
            text = re.sub(r"\b%s = \d+" % size, "%s = %d" % (size, value), text)
        with open(os.path.join(folder, os.path.basename(name)), "w") as f:
            f.write(text.replace('"1-8,16"', '"%s"' % processes))
    include = "-I" + os.path.join(HERE, "include")
    run("cc", "-std=c11", "-O1", include, "build.c", "-L" + build, "-lcotrace",
        "-Wl,-rpath," + build, "-o", "build", cwd=folder)
    run("./build", "processes.o", "processes.h", cwd=folder)
    run("mpicc.openmpi", "-std=gnu11", "-O2", "-I.", "-I" + HERE, include,
        os.path.join(HERE, "bench/processes.c"), "processes.o",
        os.path.join(build, "libcotrace_rt.a"), "-o", "processes", cwd=folder)


def measure(folder, first, *command):
    """{(name, bytes): [median, ...]}"""
    for line in run(*first, *command, cwd=folder).splitlines():
        name, _, size, _, median = line.split(",")
        yield (name, int(size)), float(median)


def sums(folder, first, rounds):
    times = {}
    for _ in range(rounds):
        for command in (("./processes", "shm", "2"),
                        ("mpirun.openmpi", "-n", "2", "./processes", "mpi")):
            for key, median in measure(folder, first, *command):
                times.setdefault(key, []).append(median)
    return {key: statistics.median(all) for key, all in times.items()}


def measure_programs(folder, first, processes, rounds):
    times = {}
    for _ in range(rounds):
        for key, median in measure(folder, first, "./processes", "shm", str(processes),
                                   "programs"):
            times.setdefault(key[0], []).append(median)
    return {name: statistics.median(all) for name, all in times.items()}


def fit(times, name):
    """alpha in us, and beta in us for a byte, of one message: from 1 KB and from 256 KB."""
    few, many = times[name, 1024] / 2, times[name, 1 << 18] / 2
    beta = (many - few) / ((1 << 18) - 1024)
    return few - 1024 * beta, beta


def messages(program, processes, groups):
    """Messages one after the other of a call, and the bytes that a process sends in them."""
    others = processes - 1
    n, total = others, 8 * others           # the comparison of programs

    def reduce(*sums):
        nonlocal n, total
        short = [elements for elements in sums if 4 * elements <= SHORT]
        n += 2 * others * (len(sums) - len(short) + (len(short) > 0))
        total += 2 * 4 * sum(sums) * others / processes
    def gather(row):
        nonlocal n, total
        n += others
        total += row * groups * others / processes
    if program == "train":
        reduce(SIZES["H"] * SIZES["D"], SIZES["H"], SIZES["H"], 1, 1)
    elif program == "heat":
        n += 4 * STEPS                      # a row down and one up, there and back
        total += 4 * STEPS * 4 * SIZES["COLUMNS"]
        gather(4 * SIZES["LINES"] * SIZES["COLUMNS"])
        reduce(1)
    else:
        reduce(1, 1, 1)
    return n, total


def predict(program, processes, alone, alpha, beta):
    used = min(processes, 32 if program != "heat" else GROUPS[program])
    leaves = min(GROUPS[program], 32)
    own = -(-leaves // used) / leaves if program != "heat" else \
        -(-GROUPS[program] // used) / GROUPS[program]
    n, total = messages(program, processes, GROUPS[program])
    return alone * own + n * alpha + total * beta


def predict_weak(program, processes, alone, alpha, beta):
    """The same where each process has as much work as one has alone."""
    n, total = messages(program, processes, EACH[program] * processes)
    return alone + n * alpha + total * beta


def size_of(n):
    return "%d KB" % (n >> 10) if n < 1 << 20 else "%d MB" % (n >> 20)


def table(times, programs, weak):
    sizes = sorted({n for name, n in times if name == "MPI_Allreduce"})
    lines = ["| bytes of a sum | MPI_Allreduce | over shared memory | quotient | over MPI | "
             "quotient |", "|---|---|---|---|---|---|"]
    for n in sizes:
        mpi, shm, ours = (times[name, n] for name in ("MPI_Allreduce", "shm.sum", "mpi.sum"))
        lines.append("| %s | %.1f us | %.1f us | %.2f | %.1f us | %.2f |"
                     % (size_of(n), mpi, shm, shm / mpi, ours, ours / mpi))
    fits = {name: fit(times, name + ".ping") for name in ("shm", "mpi")}
    lines += ["", "A message takes %.2f us and %.3f ns for each byte over shared memory, "
              "%.2f us and" % (fits["shm"][0], fits["shm"][1] * 1e3, fits["mpi"][0]),
              "%.3f ns over MPI (a ping-pong of 1 KB and of 256 KB)." % (fits["mpi"][1] * 1e3),
              ""]
    lines += ["Strong scaling, the same work on more processes:", ""]
    lines += programs_table(programs, predict, fits["shm"], "")
    lines += ["", "Weak scaling, as much work for each process: %d groups of `train`, %d of "
              "`heat` and" % (EACH["train"], EACH["heat"]),
              "%d of `price` for each. With a star: more processes than the two cores, which "
              "take" % EACH["price"],
              "turns. The gradient of `heat` is whole on each process, and so grows with them.",
              ""]
    lines += programs_table(weak, predict_weak, fits["shm"], " *")
    return "\n".join(lines)


def programs_table(seen, predict, costs, shared):
    """Of each program the prediction beside what was measured; shared: how a time is marked of
    more processes than cores."""
    lines = ["| processes | " + " | ".join("`%s`, predicted | measured" % p for p in GROUPS)
             + " |", "|---|" + "---|" * 6]
    for n in (1,) + PREDICTED:
        cells = []
        for p in GROUPS:
            said = predict(p, n, seen[1][p], *costs) if n > 1 else seen[1][p]
            took = "%.0f us%s" % (seen[n][p], shared if n > 2 else "") if n in seen else ""
            cells.append("%.0f us | %s" % (said, took))
        lines.append("| %s | %s |" % (format(n, ","), " | ".join(cells)))
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--page")
    options = parser.parse_args()
    first = ["chrt", "-f", "20"]
    if subprocess.run(first + ["true"], capture_output=True).returncode:
        first = []
    build = os.path.abspath(options.build)
    with tempfile.TemporaryDirectory() as folder:
        strong = os.path.join(folder, "strong")
        compile_all(build, strong, SIZES, "1-8,16")
        times = sums(strong, first, options.rounds)
        programs = {n: measure_programs(strong, first, n, options.rounds) for n in MEASURED}
        weak = {}
        for n in MEASURED:
            at = os.path.join(folder, str(n))
            compile_all(build, at, dict(SIZES, **{NAMES[p]: EACH[p] * n for p in EACH}), str(n))
            weak[n] = measure_programs(at, first, n, options.rounds)
    text = table(times, programs, weak)
    if not options.page:
        print(text)
        return
    with open(options.page) as f:
        page = f.read()
    begin, end = "<!-- processes.py -->\n", "<!-- end -->"
    page = re.sub(re.escape(begin) + ".*?" + end, lambda m: begin + text + "\n" + end, page,
                  flags=re.S)
    with open(options.page, "w") as f:
        f.write(page)


if __name__ == "__main__":
    main()
