#!/usr/bin/env python3
"""Every worked example of torch.func beside PyTorch, and beside JAX: time per call, as ratios
(above 1: Cotrace is faster).

    torch_func.py BUILD [--peers torch,jax] [--seconds S] [NAME ...]

BUILD is the build folder.  The programs of its examples/torch_func, and those of examples/ that
bench/ builds with a clock in them, are asked to time the functions they call (HARNESS_TIME),
as a user calls them: cot_jit, whose first call compiled.  PyTorch calls the same function as
its documentation writes it (peers_torch.py); JAX calls it through jax.jit (peers_jax.py).  All
run pinned to one processor; Cotrace runs before and after each peer, and its better half is
compared.  Where a program prints figures a peer has to give the same.  A peer that this Python
does not have is skipped, and named; so is what has no time: errors, and what a peer cannot do.
Exit status 1: behind somewhere, or other figures.  """
import argparse
import importlib
import importlib.util
import json
import os
import re
import statistics
import subprocess
import sys
import time

# What has no time: why.
UNTIMED = {
    "global_escape": "an error in each",
    "inplace_unmapped": "an error in each",
    "item_error": "an error in each",
}


# One peer, in a process of its own.

def median_us(call, seconds):
    """Of calls in groups of four; one by one, and few, where a call takes long."""
    start = time.perf_counter()
    call()
    slow = time.perf_counter() - start > 0.2
    samples, calls = [], 1 if slow else 4
    end = time.perf_counter() + seconds
    while len(samples) < (3 if slow else 5) or (time.perf_counter() < end
                                                and len(samples) < 5000):
        start = time.perf_counter()
        for _ in range(calls):
            call()
        samples.append((time.perf_counter() - start) / calls)
    return 1e6 * statistics.median(samples)


def numbers(tree):
    """All numbers of a result in order; of a dict, as it lists them."""
    if isinstance(tree, dict):
        tree = list(tree.values()) if "weight" not in tree else [tree["weight"], tree["bias"]]
    if isinstance(tree, (list, tuple)):
        return [x for part in tree for x in numbers(part)]
    flat = tree.reshape(-1).tolist()
    return [float(x) for x in flat]


def run_peer(peer, seconds, names):
    """Prints a line of JSON for each example."""
    def report(program, title, f, *args):
        if names and program not in names:
            return
        if peer == "jax":
            import jax
            f = jax.jit(f)
            call = lambda: jax.block_until_ready(f(*args))
        else:
            call = lambda: f(*args)
        first = numbers(call())
        print(json.dumps({"program": program, "title": title, "us": median_us(call, seconds),
                          "figures": first}),
              flush=True)

    if peer == "torch":
        import torch
        torch.set_num_threads(1)
    importlib.import_module("peers_" + peer).cases(report)


def pinned(command, **more):
    env = dict(os.environ, OMP_NUM_THREADS="1", JAX_PLATFORMS="cpu", **more)
    return subprocess.run(["taskset", "-c", "0"] + command, env=env, capture_output=True,
                          text=True, timeout=600)


def find_programs(build, names):
    """{name: path} of what is built."""
    found = {}
    for folder, prefix in (("examples/torch_func", "torch_func_"), ("bench", "timed_")):
        folder = os.path.join(build, folder)
        for f in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            path = os.path.join(folder, f)
            if f.startswith(prefix) and os.path.isfile(path) and os.access(path, os.X_OK):
                found[f[len(prefix):]] = path
    return {n: path for n, path in found.items() if not names or n in names}


def ours(programs, seconds):
    """{(program, title): (microseconds, figures of each call so titled)}, and {program: why
    not}."""
    times, missing = {}, {}
    for program, path in programs.items():
        done = pinned([path], HARNESS_TIME=str(seconds))
        if done.returncode != 0:
            missing[program] = done.stderr.strip().split("\n")[-1]
        figures = {}
        for line in done.stdout.splitlines():
            if line.startswith("time\t"):
                _, title, us = line.split("\t")
                times[program, title] = float(us), figures.get(title, [])
            elif " = " in line:
                title, text = line.rsplit(" = ", 1)
                figures.setdefault(title, []).append(
                    [float(x) for x in re.findall(r"-?(?:nan|inf|[0-9][0-9.e+-]*)", text)])
    return times, missing


def near(x, y):
    return x != x and y != y or abs(x - y) <= 1e-6 * max(1, abs(y))


def same(ours, theirs):
    """Ours may have more results after theirs: a count, what a pullback will read."""
    return not ours or any(len(f) >= len(theirs) and all(map(near, f, theirs)) for f in ours)


class Table:
    """Rows of one peer; where it is ahead, and where its figures are others."""

    def __init__(self, peer, before, after):
        self.before, self.after = before, after
        self.left, self.behind, self.wrong = dict(before), [], []
        print(f"{'program':<22} {'call':<36} {peer + ' us':>12} {'ours us':>10} {'speed':>9}")

    def row(self, program, title, us, figures):
        at = program, title
        if at not in self.before or at not in self.after:
            print(f"{program:<22} {title:<36} {us:12.2f} {'none':>10}")
            return
        self.left.pop(at)
        best = min(self.before[at][0], self.after[at][0])
        good = program.startswith("add_noise") or same(self.before[at][1], figures)
        if not good:
            self.wrong.append(" ".join(at))
        if us <= best:
            self.behind.append(" ".join(at))
        print(f"{program:<22} {title:<36} {us:12.2f} {best:10.2f} "
              f"{us / best:9.1f}{'' if good else '  other figures'}")

    def rest(self, programs, missing):
        for (program, title), (us, _) in self.left.items():
            if program not in UNTIMED:
                print(f"{program:<22} {title:<36} {'none':>12} {us:10.2f}")
        for name in programs:
            why = missing.get(name, UNTIMED.get(name))
            if why is not None:
                print(f"{name:<22} no time: {why}")
        print()


def side_by_side(peer, a, programs):
    before, missing = ours(programs, a.seconds)
    done = pinned([sys.executable, os.path.abspath(__file__), a.build, "--one", peer,
                   "--seconds", str(a.seconds)] +
                  list(programs))
    after, _ = ours(programs, a.seconds)
    table = Table(peer, before, after)
    for line in done.stdout.splitlines():
        table.row(**json.loads(line))
    table.rest(programs, missing)
    if done.returncode != 0:
        print(f"{peer}: stopped: {done.stderr.strip().split(chr(10))[-1]}")
    return table


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("build")
    p.add_argument("--peers", default="torch,jax")
    p.add_argument("--seconds", type=float, default=0.1, help="for each timing")
    p.add_argument("--one", help=argparse.SUPPRESS)
    p.add_argument("names", nargs="*")
    a = p.parse_intermixed_args()
    if a.one:
        run_peer(a.one, a.seconds, a.names)
        return 0
    programs = find_programs(a.build, a.names)
    if not programs:
        p.error(f"{a.build} has none of the programs")
    behind, wrong = [], []
    for peer in a.peers.split(","):
        if importlib.util.find_spec(peer) is None:
            print(f"{peer}: this Python does not have it: skipped\n")
            continue
        table = side_by_side(peer, a, programs)
        behind += [f"{at} ({peer})" for at in table.behind]
        wrong += [f"{at} ({peer})" for at in table.wrong]
    print(f"behind: {', '.join(behind) or 'nowhere'}; other figures: "
          f"{', '.join(wrong) or 'nowhere'}")
    return 1 if behind or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
