#!/usr/bin/env python3
"""Measures what docs/benchmarks.md shows, into the sheet that bench/page.py makes it of.

    record.py FOLDER SHEET.csv [--seconds S] [--threads N,N] [--again] [--only PART,PART]
              [NAME ...]

FOLDER is the build folder of a release: `bench/bench` and `tools/cot`.  For each workload of
`bench`, at one thread and at two, Cotrace runs with its hand-written peer and with compilers of
its C source in turn, then JAX, PyTorch and torch.compile run, then Cotrace again; every library
is pinned to as many processors as it has threads, and each has S seconds.  Then come the
programs of jax_programs.py.  PART is `bench` or a part of jax_programs.py (`everyday`,
`packages`, `lowered`, `gpt2`).  What the sheet has is not measured again but for --again, so
that a run that was stopped goes on.  The machine should have no other work.  """
import argparse
import json
import os
import platform
import select
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from peers import KEEP_PAGES, load     # noqa: E402
from sheet import Sheet     # noqa: E402

PEERS = {"jax": "JAX", "torch": "PyTorch", "compiled": "PyTorch, compiled"}
PARTS = ["everyday", "packages", "lowered", "gpt2"]
LONGEST = 60     # seconds for one workload of a peer


def pinned(threads):
    env = dict(os.environ, OMP_NUM_THREADS=str(threads), GLIBC_TUNABLES=KEEP_PAGES,
               JAX_PLATFORMS="cpu")
    return ["taskset", "-c", ",".join(map(str, range(threads)))], env


class Peer:
    """A process of a peer that waits for names of workloads."""

    def __init__(self, peer, threads, seconds):
        self.peer, self.threads, self.seconds, self.process = peer, threads, seconds, None

    def start(self):
        pin, env = pinned(self.threads)
        self.process = subprocess.Popen(
            pin + [sys.executable, os.path.join(HERE, "peers.py"), "-", "--serve", self.peer,
                   "--threads", str(self.threads), "--seconds", str(self.seconds)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, env=env)

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
        self.process = None

    def measure(self, name):
        """What it takes for a workload; None where it fails or takes too long."""
        if not self.process:
            self.start()
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        end = time.monotonic() + LONGEST
        while time.monotonic() < end:
            ready, _, _ = select.select([self.process.stdout], [], [], 1)
            line = self.process.stdout.readline() if ready else ""
            if line.startswith("{"):
                found = json.loads(line)
                if "error" in found:
                    print(f"{name}, {self.peer}: {found['error']}", file=sys.stderr)
                    return None
                return found
            if ready and not line:
                break
        print(f"{name}, {self.peer}: it ended, or took longer than {LONGEST} s",
              file=sys.stderr)
        self.stop()
        return None


def ours(bench, name, threads, seconds, *options):
    pin, env = pinned(threads)
    done = subprocess.run(pin + [bench, "--json", "--exact", "--threads", str(threads),
                                 "--seconds", str(seconds), *options, name],
                          capture_output=True, text=True, env=env)
    for line in done.stdout.splitlines():
        if line.startswith("{"):
            return json.loads(line)
    raise SystemExit(f"{name}: {done.stderr.strip()}")


def limit(w, machine, threads):
    """The least seconds that the machine needs: for its operations, for its bytes."""
    k = 1 if threads > 1 else 0
    flops = machine["flops"][k] / (2 if w["wide"] else 1)
    level = next((l for l in machine["levels"] if w["held"] <= l["bytes"]),
                 machine["levels"][-1] if machine["levels"] else None)
    return max(w["flops"] / flops if flops else 0,
               w["bytes"] / level["speed"][k] if level else 0)


def measure_workload(o, sheet, section, name, threads, peers, machine):
    seconds = o.seconds
    hand = ours(o.bench, name, threads, 2 * seconds)
    c = ours(o.bench, name, threads, 3 * seconds, "--only", "cotrace", "--c") \
        if threads == 1 else {}
    found = {peer: p.measure(name) for peer, p in peers.items()}
    again = ours(o.bench, name, threads, seconds, "--only", "cotrace")
    runs = [r for r in (hand, c, again) if r]
    sheet.put(section, name, threads, "Cotrace", min(r["least"] for r in runs),
              min(r["median"] for r in runs),
              1e-3 * min(r["trace_ms"] + r["compile_ms"] for r in (hand, again)))
    least = limit(hand, machine, threads)
    if least > 0:
        sheet.put(section, name, threads, "machine", least)
    if hand["hand_least"] > 0 and (threads == 1 or hand["hand"] != "FFTW"):
        sheet.put(section, name, threads, hand["hand"], hand["hand_least"],
                  hand["hand_median"])
    for peer, r in found.items():
        if r:
            sheet.put(section, name, threads, PEERS[peer], r["least"], r["median"],
                      1e-3 * r["compile_ms"] or None)
    for who, r in c.items():
        if who.startswith("C, "):
            sheet.put("C source", name, threads, who, *r)
    if c:
        sheet.put("C source", name, threads, "Cotrace", c["least"], c["median"])


def workloads(bench):
    text = subprocess.run([bench, "--json", "--list"], capture_output=True, text=True,
                          check=True).stdout
    return [line.split("\t") for line in text.splitlines()]


def measure_bench(o, sheet):
    known = load(os.path.join(HERE, "workloads_peers.py"))
    rows = [(s, n) for n, s in workloads(o.bench)
            if not o.names or any(n.startswith(x) for x in o.names)]
    for threads in o.threads:
        machine = describe(o, sheet, threads)
        peers = {p: Peer(p, threads, o.seconds) for p in PEERS}
        for i, (section, name) in enumerate(rows):
            if o.again or not sheet.has(section, name, threads, "Cotrace"):
                print(f"{threads} thread{'s' * (threads > 1)}: {i + 1} of {len(rows)}, {name}",
                      flush=True)
                measure_workload(o, sheet, section, name, threads,
                                 peers if name in known else {}, machine)
        for p in peers.values():
            p.stop()


def describe(o, sheet, threads):
    """The machine, into the sheet, and its limits."""
    pin, env = pinned(threads)
    found = json.loads(subprocess.run(pin + [o.bench, "--machine", "--threads", str(threads)],
                                      capture_output=True, text=True, check=True,
                                      env=env).stdout)
    k = 1 if threads > 1 else 0
    sheet.put("machine", "operations of f32", threads, "a second", found["flops"][k])
    for level in found["levels"]:
        sheet.put("machine", level["name"], threads, "bytes a second", level["speed"][k])
    for name, text in versions():
        sheet.put("machine", name, threads, text, None)
    return found


def versions():
    import jax
    import torch
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo")
                if line.startswith("model name")), platform.processor())
    flags = next((line.split() for line in open("/proc/cpuinfo") if line.startswith("flags")),
                 [])
    vectors = "AVX-512" if "avx512f" in flags else "AVX2" if "avx2" in flags else "SSE"
    yield "processor", f"{cpu}, {vectors}"
    yield "JAX", jax.__version__
    yield "PyTorch", torch.__version__.split("+")[0]
    yield "month", time.strftime("%Y-%m")


def measure_programs(o, sheet, part):
    for threads in o.threads:
        pin, env = pinned(threads)
        command = pin + [sys.executable, os.path.join(HERE, "jax_programs.py"), o.cot,
                         "--sheet", sheet.path, "--threads", str(threads),
                         "--seconds", str(o.seconds)] + ["--again"] * o.again
        if part != "lowered":
            command.append("--" + part)
        if subprocess.run(command + o.names, env=env).returncode:
            print(f"{part}: jax_programs.py failed", file=sys.stderr)


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder")
    p.add_argument("sheet")
    p.add_argument("--seconds", type=float, default=0.3)
    p.add_argument("--threads", default="1,2", type=lambda t: [int(n) for n in t.split(",")])
    p.add_argument("--again", action="store_true")
    p.add_argument("--only", default=",".join(["bench"] + PARTS))
    p.add_argument("names", nargs="*")
    o = p.parse_intermixed_args()
    o.bench = os.path.join(o.folder, "bench", "bench")
    o.cot = os.path.join(o.folder, "tools", "cot")
    sheet = Sheet(o.sheet)
    for part in o.only.split(","):
        if part == "bench":
            measure_bench(o, sheet)
        else:
            measure_programs(o, sheet, part)
    Sheet(o.sheet).rewrite()


if __name__ == "__main__":
    main()
