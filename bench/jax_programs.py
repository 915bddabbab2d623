#!/usr/bin/env python3
"""Programs that JAX lowered, in Cotrace beside JAX: time of a call, and of what comes before
the first one.

    jax_programs.py COT [--goldens FOLDER] [--seconds S] [--everyday | --packages | --gpt2]
                    [NAME ...]

COT is the program `cot`, of a release build.  The programs are those of examples/jax_to_c with
their gradients, those of tests/programs, a few of linear algebra, and the GOLDENS (the folder
of reference cases) of most text; JAX runs the same arrays on one thread.  Ours is the least
time of `cot bench`, taken between two runs of JAX, the better of which counts.  Before the
first call: JAX compiles what it has lowered (lowering is not counted); Cotrace reads the text,
transforms it and compiles.  Above 1, Cotrace is faster.  --everyday: those of everyday.py and
everyday_more.py instead; some are large enough for JAX to take more threads than one: `taskset
-c 0` gives both one processor.  --packages: those of packages.py and packages_more.py, what
users of Flax, Optax, Diffrax and other packages write; the results of each are first compared
with JAX's, and each that differs, or that Cotrace does not read, has a line that says so and
makes the exit status 1.  --gpt2: the training step of gpt2.py instead, which wants 8 GB of
memory.  """
import argparse
import glob
import importlib.util
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, HERE)
from sheet import Sheet     # noqa: E402

PARSER = argparse.ArgumentParser(description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
PARSER.add_argument("cot")
PARSER.add_argument("--goldens", default=os.path.join(ROOT, "..", "shared", "goldens"))
PARSER.add_argument("--seconds", type=float, default=0.3)
PARSER.add_argument("--threads", type=int, default=1)
PARSER.add_argument("--everyday", action="store_true")
PARSER.add_argument("--packages", action="store_true")
PARSER.add_argument("--gpt2", action="store_true")
PARSER.add_argument("--sheet")
PARSER.add_argument("--again", action="store_true")
PARSER.add_argument("names", nargs="*")
OPTIONS = PARSER.parse_intermixed_args()
SECTION = "a training step of GPT-2" if OPTIONS.gpt2 else "what users write" \
    if OPTIONS.everyday else "programs of JAX's packages" if OPTIONS.packages \
    else "programs that JAX lowered"
SHEET = Sheet(OPTIONS.sheet) if OPTIONS.sheet else None

os.environ["JAX_PLATFORMS"] = "cpu"
if OPTIONS.threads == 1:          # XLA reads it when it is loaded
    os.environ["XLA_FLAGS"] = \
        "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
try:
    import jax
    import numpy as np
except ImportError as e:
    print(f"no JAX: {e}")
    sys.exit(77)
sys.path.insert(0, os.path.join(ROOT, "tests", "peers"))
import near     # noqa: E402

# Of results, relative to the largest number of an array.
NEAR = {"float64": 1e-6, "float32": 1e-3, "float16": 2e-2, "bfloat16": 1e-1,
        "complex64": 1e-3, "complex128": 1e-6}
FAILED = []


def load(path):
    """The module, without what it does when run: lower.py of the example ends with main()."""
    spec = importlib.util.spec_from_file_location("lowered", path)
    module = importlib.util.module_from_spec(spec)
    source = open(path).read()
    exec(compile(re.sub(r"\nmain\(\)\s*$", "\n", source), path, "exec"), module.__dict__)
    return module


def times(call, seconds):
    call()
    samples, end = [], time.perf_counter() + seconds
    while len(samples) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        call()
        samples.append(time.perf_counter() - start)
    return min(samples), statistics.median(samples)


def ours(mlir, pipeline, arrays):
    """Seconds of a call, least and median, and before the first one."""
    command = [OPTIONS.cot, "bench", mlir] + (["-p", pipeline] if pipeline else []) + \
        ["--threads", str(OPTIONS.threads), "--in", *arrays]
    text = subprocess.run(command, capture_output=True, text=True, check=True,
                          env=dict(os.environ, COT_CACHE_DIR="off")).stdout
    number = lambda name: float(re.search(name + r"\s+([\d.]+)", text)[1])
    return (number("call, least") * 1e-6, number("call, median") * 1e-6,
            (number("read") + number("compile")) * 1e-3)


def has(name):
    return SHEET is not None and not OPTIONS.again and \
        SHEET.has(SECTION, name, OPTIONS.threads, "Cotrace")


def compare(name, call, compile_jax, mlir, pipeline, arrays):
    before = times(call, OPTIONS.seconds)
    us, median, first = ours(mlir, pipeline, arrays)
    after = times(call, OPTIONS.seconds)
    them = min(before, after)
    print(f"| {name} | {us * 1e6:.2f} us | {them[0] / us:.1f} | {first * 1e3:.0f} ms | "
          f"{compile_jax / first:.1f} |", flush=True)
    if SHEET is not None:
        SHEET.put(SECTION, name, OPTIONS.threads, "JAX", *them, compile_jax)
        SHEET.put(SECTION, name, OPTIONS.threads, "Cotrace", us, median, first)


def saved(args, folder):
    arrays = [os.path.join(folder, f"{i}.npy") for i in range(len(args))]
    for path, a in zip(arrays, args):
        np.save(path, a)
    return arrays


def difference(mlir, arrays, theirs, folder):
    """The first difference of our results from JAX's, or None.  What is 0 but for rounding, as
    the derivative by a bias before a normalisation, is measured by the largest of all."""
    prefix = os.path.join(folder, "result")
    done = subprocess.run([OPTIONS.cot, "run", mlir, "--out", prefix, "--in", *arrays],
                          capture_output=True, text=True)
    if done.returncode:
        return "refused: " + " ".join(done.stderr.split())
    theirs = [np.asarray(y) for y in theirs]
    most = max((near.largest(y) for y in theirs if near.is_floating(y.dtype)), default=0)
    for k, y in enumerate(theirs):
        ours = np.load(f"{prefix}{k}.npy")
        ours = ours.view(y.dtype) if str(y.dtype) == "bfloat16" else ours
        bound = NEAR.get(str(y.dtype), 0)
        why = near.differs(ours, y, bound, near.largest(y))
        if why and near.differs(ours, y, 0.01 * bound, most):
            return f"differs: result {k}: {why}"
    return None


def measure(name, f, args, pipeline, mlir, folder):
    if has(name):
        return
    jitted = jax.jit(f, keep_unused=True)
    lowered = jitted.lower(*args)
    start = time.perf_counter()
    compiled = lowered.compile()
    compile_jax = time.perf_counter() - start
    on_device = [jax.device_put(a) for a in args]
    if OPTIONS.packages:
        why = difference(mlir, saved(args, folder),
                         jax.tree.leaves(compiled(*on_device)), folder)
        if why:
            FAILED.append(name)
            print(f"| {name} | {why} | | | |", flush=True)
        if why and why.startswith("refused"):
            return
    compare(name, lambda: jax.block_until_ready(jitted(*on_device)), compile_jax, mlir,
            pipeline, saved(args, folder))


def goldens(folder, most):
    """Those of most text: their functions, as JAX compiles the text."""
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client
    from jaxlib.mlir import ir
    paths = sorted(glob.glob(os.path.join(folder, "*", "forward.stablehlo.mlir")),
                   key=os.path.getsize)[-most:]
    device = jax.devices("cpu")[0]
    for path in reversed(paths):
        with mlir.make_ir_context(), ir.Location.unknown():
            module = ir.Module.parse(open(path).read())
            start = time.perf_counter()
            exe = device.client.compile_and_load(module, xla_client.DeviceList((device,)),
                                                 xla_client.CompileOptions())
            seconds = time.perf_counter() - start
            main = next(op for op in module.body.operations if op.name.value == "main")
            types = [ir.RankedTensorType(t) for t in main.type.inputs]
            shapes = [(tuple(t.shape),
                       {"f64": "f8", "f32": "f4", "i32": "i4",
                        "i64": "i8"}.get(str(t.element_type))) for t in types]
        yield os.path.basename(os.path.dirname(path)), path, exe, seconds, shapes, device


def measure_golden(name, path, exe, compile_jax, shapes, device, folder):
    if any(kind is None for _, kind in shapes) or has(name):
        return
    args = [(1 + np.arange(np.prod(s, dtype=int)).reshape(s) % 7).astype(kind)
            for s, kind in shapes]
    on_device = [jax.device_put(a, device) for a in args]
    compare(name, lambda: jax.block_until_ready(exe.execute(on_device)), compile_jax, path, "",
            saved(args, folder))


def linear_algebra(waves):
    """Matrix by matrix: names, functions, arguments."""
    a, tall, b = waves(1, 8, 8), waves(2, 12, 5), waves(3, 12)
    large = waves(1, 64, 64)

    def by_qr(a, b):
        q, r = jax.numpy.linalg.qr(a)
        return jax.scipy.linalg.solve_triangular(r, q.T @ b)

    def factors(a):
        q, r = jax.numpy.linalg.qr(a)
        p, l, u = jax.scipy.linalg.lu(a)
        v, s, w = jax.numpy.linalg.svd(a)
        e, x = jax.numpy.linalg.eigh(a + a.T)
        return q @ r, p @ l @ u, (v * s) @ w, (x * e) @ x.T

    total = lambda f: lambda *args: jax.grad(lambda a: jax.numpy.sum(f(a,
        *args[1:]) ** 2))(args[0])
    return [("QR, LU, SVD and eigh of 8", factors, [a]),
            ("SVD of 8", jax.numpy.linalg.svd, [a]),
            ("least squares by QR, 12 x 5", by_qr, [tall, b]),
            ("its gradient", total(by_qr), [tall, b]),
            ("gradient of eigenvectors of 8",
             total(lambda a: jax.numpy.linalg.eigh(a + a.T)[1]), [a]),
            ("solve with 64", jax.numpy.linalg.solve, [large, waves(2, 64)]),
            ("cholesky of 64", lambda a: jax.numpy.linalg.cholesky(a @ a.T +
                8 * jax.numpy.eye(64)), [large])]


def flat(f, args):
    """f as a function of the leaves of its arguments to those of its result; the leaves."""
    leaves, tree = jax.tree.flatten(tuple(args))
    if tree == jax.tree.structure(tuple(range(len(args)))):
        return f, args
    return lambda *x: jax.tree.leaves(f(*jax.tree.unflatten(tree, x))), leaves


def measure_lowered(name, f, args, folder):
    if has(name):
        return
    f, args = flat(f, args)
    mlir = os.path.join(folder, "lowered.mlir")
    with open(mlir, "w") as out:
        out.write(jax.jit(f, keep_unused=True).lower(*args).as_text())
    measure(name, f, args, "", mlir, folder)


def wanted(name):
    return not OPTIONS.names or any(name.startswith(n) for n in OPTIONS.names)


def measure_listed(path, folder):
    """The programs of a file, and their gradients."""
    for name, f, args, grad in load(os.path.join(HERE, path)).PROGRAMS:
        if wanted(name):
            measure_lowered(name, f, args, folder)
        if wanted(name) and grad is not None:
            measure_lowered(name + ", gradient", jax.grad(f, grad), args, folder)


def measure_examples(folder):
    """Those of examples/jax_to_c, whose gradients are ours on our side."""
    example = load(os.path.join(ROOT, "examples", "jax_to_c", "lower.py"))
    w, n, d, h = example.waves, 16, 32, 64
    block = [w(k, d, d, scale=0.2) for k in range(4)] + [w(4, d, h, scale=0.2),
        w(5, h, d, scale=0.2)]
    block += [1 + w(6, d, scale=0.1), 1 + w(7, d, scale=0.1), w(8, n, d), w(9, n, d)]
    noise = [w(1, 4, scale=0.5, dtype=np.float64) - 3,
             w(2, 2, scale=0.5, dtype=np.float64) - 1, w(3, 50, 2, dtype=np.float64)]
    for f, args, wrt in ((example.transformer, block, range(8)),
                         (example.kalman, noise, range(2))):
        mlir = os.path.join(ROOT, "examples", "jax_to_c", f.__name__ + ".mlir")
        names = ",".join(map(str, wrt))
        if wanted(f.__name__):
            measure(f.__name__, f, args, "", mlir, folder)
            measure(f.__name__ + ", value and gradient", jax.value_and_grad(f, tuple(wrt)),
                    args, f"grad_and_value(wrt=[{names}])", mlir, folder)


def measure_small(folder):
    small = load(os.path.join(ROOT, "tests", "programs", "lower.py"))
    for f, *_ in small.PROGRAMS:
        if wanted(f.__name__):
            measure(f.__name__, f, [np.asarray(a) for a in f.__defaults__], "",
                    os.path.join(ROOT, "tests", "programs", f.__name__ + ".mlir"), folder)
    for name, f, args in linear_algebra(small.waves):
        if wanted(name):
            measure_lowered(name, f, args, folder)


def main():
    print("| program | a call | JAX | read and compile | JAX |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        if OPTIONS.gpt2:
            f, args = load(os.path.join(HERE, "gpt2.py")).program()
            measure_lowered("GPT-2, training step", f, args, folder)
        elif OPTIONS.everyday:
            measure_listed("everyday_more.py", folder)
        elif OPTIONS.packages:
            measure_listed("packages_more.py", folder)
        else:
            jax.config.update("jax_enable_x64", True)
            measure_examples(folder)
            jax.config.update("jax_enable_x64", False)
            measure_small(folder)
            jax.config.update("jax_enable_x64", True)
            for g in goldens(OPTIONS.goldens, 12) if os.path.isdir(OPTIONS.goldens) else ():
                if wanted(g[0]):
                    measure_golden(*g, folder)
    if FAILED:
        print(f"{len(FAILED)} differ or are refused: {', '.join(FAILED)}", file=sys.stderr)
    sys.exit(1 if FAILED else 0)


main()
