#!/usr/bin/env python3
"""Cotrace beside JAX, PyTorch and NumPy, as ratios (above 1: Cotrace is faster).

    peers.py BENCH [--threads N] [--cpu] [--workloads FILE.py]
             [--peers jax,torch,compiled,numpy] [NAME ...]

BENCH is the program `bench`.  FILE.py defines the workloads for the peers (a dict WORKLOADS, as
workloads_peers.py beside this file).  Each peer and workload runs in a fresh process, pinned to
N processors; Cotrace runs before and after it, and its better half is compared, so that a
change of the machine's speed shows.  --cpu compares processor time, for machines that others
use too.  The peer `compiled` is torch.compile.  JAX and PyTorch allocate their results: glibc
is kept from returning pages.  """
import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
KEEP_PAGES = "glibc.malloc.mmap_threshold=4294967296:glibc.malloc.trim_threshold=4294967296"


def load(path):
    spec = importlib.util.spec_from_file_location("workloads", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["workloads"] = module
    spec.loader.exec_module(module)
    return module.WORKLOADS


def time_calls(call, seconds=1.0, inner=1):
    clock = time.process_time if "BENCH_CPU" in os.environ else time.perf_counter
    call()
    samples = []
    end = clock() + seconds
    while len(samples) < 5 or (clock() < end and len(samples) < 2000):
        start = clock()
        for _ in range(inner):
            call()
        samples.append((clock() - start) / inner)
    return statistics.median(samples), min(samples)


def tensor(torch, a):
    if a.dtype.name == "bfloat16":
        return torch.from_numpy(a.astype("float32")).bfloat16()
    return torch.from_numpy(a.copy()) if a.shape else torch.tensor(a.item())


def run_peer(w, peer, threads, seconds=1.0):
    """What one line of JSON says of a workload."""
    args = w.inputs()
    if peer == "jax":
        import jax
        jax.config.update("jax_enable_x64", False)     # an earlier workload may have had it
        f = jax.jit(w.jax())
        args = [jax.device_put(a) for a in args]
        start = time.perf_counter()
        f = f.lower(*args).compile()
        compile_ms = 1e3 * (time.perf_counter() - start)
        median, least = time_calls(lambda: jax.block_until_ready(f(*args)), seconds, w.inner)
    elif peer == "numpy":
        f, compile_ms = w.numpy(), 0.0
        median, least = time_calls(lambda: f(*args), seconds, w.inner)
    else:
        import torch
        torch.set_num_threads(threads)
        args = [tensor(torch, a) for a in args]
        start = time.perf_counter()
        if peer == "compiled":
            torch._dynamo.reset()
            f = w.tcompile() if w.tcompile else torch.compile(w.torch())
            f(*args)
        else:
            f = w.torch()
        compile_ms = 1e3 * (time.perf_counter() - start) if peer == "compiled" else 0.0
        median, least = time_calls(lambda: f(*args), seconds, w.inner)
    return {"median": median, "least": least, "compile_ms": compile_ms}


def serve(known, peer, threads, seconds):
    """A line of JSON for each name on standard input, so that a peer starts once."""
    for line in sys.stdin:
        name = line.strip()
        try:
            found = run_peer(known[name], peer, threads, seconds)
        except Exception as e:                     # a peer's own error ends no run
            found = {"error": f"{type(e).__name__}: {e}".split("\n")[0][:200]}
        print(json.dumps(dict(found, name=name)), flush=True)


def find_json(output, name):
    """The line of JSON for a workload: a name that begins with this one is another's."""
    for line in output.splitlines():
        if line.startswith("{"):
            found = json.loads(line)
            if found.get("name", name) == name:
                return found
    return None


def pinned(command, name, threads, timeout):
    env = dict(os.environ, OMP_NUM_THREADS=str(threads), GLIBC_TUNABLES=KEEP_PAGES,
               JAX_PLATFORMS="cpu")
    cpus = ",".join(str(i) for i in range(threads))
    try:
        done = subprocess.run(["taskset", "-c", cpus] + command, env=env, capture_output=True,
                              text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        print(f"{name}: longer than {timeout} s", file=sys.stderr)
        return None
    found = find_json(done.stdout, name)
    if not found:
        print(f"{name}: {(done.stderr.strip() or 'no output').splitlines()[-1]}",
              file=sys.stderr)
    return found


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("bench")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--workloads", default=os.path.join(HERE, "workloads_peers.py"))
    p.add_argument("--peers", default="jax,torch")
    p.add_argument("--cpu", action="store_true")
    p.add_argument("--one", nargs=2, metavar=("PEER", "NAME"), help=argparse.SUPPRESS)
    p.add_argument("--serve", metavar="PEER", help=argparse.SUPPRESS)
    p.add_argument("--seconds", type=float, default=1.0, help=argparse.SUPPRESS)
    p.add_argument("names", nargs="*")
    a = p.parse_intermixed_args()
    known = load(a.workloads)
    if a.one:
        print(json.dumps(run_peer(known[a.one[1]], a.one[0], a.threads)))
        return
    if a.serve:
        serve(known, a.serve, a.threads, a.seconds)
        return
    if a.cpu:
        os.environ["BENCH_CPU"] = "1"
    names = subprocess.run([a.bench, "--list"], capture_output=True, text=True,
                           check=True).stdout.split()
    print(f"{'workload':<22} {'peer':<6} {'peer us':>11} {'ours us':>11} {'speed':>7} "
          f"{'compile: peer ms':>17} {'ours ms':>8}")
    for name in names:
        if name not in known or (a.names and not any(name.startswith(n) for n in a.names)):
            continue
        for peer in a.peers.split(","):
            if peer == "numpy" and not known[name].numpy:
                continue
            ours = [a.bench, "--json", "--only", "cotrace", "--threads", str(a.threads),
                    name] + ["--cpu"] * a.cpu
            before = pinned(ours, name, a.threads, 300)
            theirs = pinned([sys.executable, os.path.abspath(__file__), a.bench, "--threads",
                             str(a.threads),
                             "--workloads", a.workloads, "--one", peer, name], name,
                            a.threads, 300)
            after = pinned(ours, name, a.threads, 300)
            if not (before and theirs and after):
                print(f"{name:<22} {peer:<6} no result")
                continue
            best = min(before["median"], after["median"])
            print(f"{name:<22} {peer:<6} {1e6 * theirs['median']:11.2f} {1e6 * best:11.2f} "
                  f"{theirs['median'] / best:7.2f} {theirs['compile_ms']:17.1f} "
                  f"{before['trace_ms'] + before['compile_ms']:8.1f}", flush=True)


if __name__ == "__main__":
    main()
