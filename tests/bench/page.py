#!/usr/bin/env python3
"""page.py ROOT: docs/benchmarks.md is what bench/page.py makes of docs/benchmarks.csv, and a
sheet of known figures gives the page that it should."""
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = sys.argv[1]
SHEET = """section,workload,threads,who,least,median,compile
machine,operations of f32,1,a second,1e+11,,
machine,L1,1,bytes a second,2e+11,,
machine,processor,1,a processor,,,
machine,JAX,1,0.1,,,
machine,PyTorch,1,2.1,,,
machine,month,1,2020-01,,,
layers,attention,1,Cotrace,0.002,0.0021,0.01
layers,attention,1,machine,0.001,,
layers,attention,1,JAX,0.004,0.0042,0.005
layers,attention,2,Cotrace,0.001,,
layers,attention,2,JAX,0.0009,,
layers,tiny,1,Cotrace,1e-08,,0.01
layers,tiny,1,JAX,1e-05,,0.02
layers,other,1,Cotrace,0.003,,0.01
layers,other,1,JAX,0.0015,,0.02
layers,other,1,JAX,0.024,,0.02
"""
WANT = [
    "| [layers](#layers) | JAX | 2 | 4.00, **0.90** | 0, 1 | 2.00 |",
    "| `attention` | 2 ms, 1 ms | 50 % | 2.00, **0.90** | 10 ms | **0.50** |",
    "| `tiny` | 10 ns |  | 1000, - | 10 ms | 2.00 |",
    "| `other` | 3 ms |  | 8.0, - | 10 ms | 2.00 |",
    "- No reason is known for `attention`.",
    "100 GFLOP/s in f32; L1 200 GB/s",
]


def made(folder):
    subprocess.run([sys.executable, os.path.join(ROOT, "bench", "page.py"), folder,
                    "--no-plots"], check=True)
    with open(os.path.join(folder, "benchmarks.md")) as file:
        return file.read()


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "benchmarks.csv"), "w") as file:
            file.write(SHEET)
        lines = made(folder)
        wrong += [f"of known figures the page lacks: {w}" for w in WANT
                  if w not in lines.replace("\n", " ") and w not in lines.split("\n")]
    docs = os.path.join(ROOT, "docs")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(os.path.join(docs, "benchmarks.csv"), folder)
        with open(os.path.join(docs, "benchmarks.md")) as file:
            kept = file.read()
        if made(folder) != kept:
            wrong.append("docs/benchmarks.md is not what bench/page.py makes of its sheet")
    wrong += [f"{name} is missing" for name in
              {part.split(")")[0] for part in kept.split("](")[1:] if part.startswith("benchm")}
              if not os.path.exists(os.path.join(docs, name))]
    print("\n".join(wrong) or f"{len(WANT)} parts of a page, and docs/benchmarks.md: as wanted")
    sys.exit(bool(wrong))


main()
