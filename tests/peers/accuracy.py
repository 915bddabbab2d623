#!/usr/bin/env python3
"""Accuracy beside JAX and PyTorch, in two parts.

`errors`: the elementary and special functions of Cotrace and of the peers against mpmath with
60 digits (errors.py).
`cases`: every pointwise, reducing and moving op beside the peers: values and derivatives, on
random operands and on special ones (zeros of both signs, infinities, NaN, subnormal numbers,
the ends of the range).

    accuracy.py COT [--jax PYTHON] [--torch PYTHON] [--write FILE] [--show]
                [--keep FOLDER] [--part errors|cases]
                [--samples 1000] [--types f64,f32,bf16,f16,i32,u8] [NAME ...]

COT is the program `cot`: each op becomes a .cot file, run by the evaluator, whose bits every
back end has.  The peers run in Pythons of their own, for all ops at once.  A difference on
special operands must be one of those explained in differences.py, and an error must be within
the bounds of errors.py; anything else fails.  --write makes the page;
--show lists what a peer lacks; --keep holds what the peers gave, for the next run with the same
cases.  Exit status: 77 if there is neither JAX nor PyTorch, or this Python has no numpy or
mpmath."""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import exact                # noqa: E402
from cases import CASES     # noqa: E402
from exact import INF, is_float         # noqa: E402

NUMPY = {"f64": "float64", "f32": "float32", "bf16": "uint16", "f16": "float16", "bool": "bool",
         "i8": "int8", "i16": "int16",
         "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32",
         "u64": "uint64"}
RANDOM = 200


# ---- operands, the same for all ----

def specials(np, t):
    if is_float(t):
        return exact.specials(t)
    info = np.iinfo(NUMPY[t])
    return [0, 1, 2, 3, 7, 31, 64, info.max, info.max - 1, info.min, info.min + 1] + ([-1, -2,
        -7] if info.min else [])


def narrow(np, values, t):
    """As the type in which the operand travels; bf16 as its bits."""
    if t != "bf16":
        return np.array(values).astype(NUMPY[t])
    bits = np.array(values, np.float32).view(np.uint32).astype(np.uint64)
    nan = np.isnan(np.array(values, np.float32))
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(nan, np.uint16(0x7FC0), rounded)


def widen(np, a, t):
    """As numbers: bf16 from its bits."""
    if t == "bf16":
        return (a.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return a.astype(np.float64) if is_float(t) else a


def operands(np, c, t):
    """Arrays of the operands: random ones first; pointwise ops get the special ones after them,
    in all combinations."""
    rng = np.random.default_rng(sum(map(ord, c.label + t)))
    out = []
    if c.shapes is None:
        sp = specials(np, t)
        grids = np.meshgrid(*[np.arange(len(sp))] * c.n,
                            indexing="ij") if c.n < 3 else [np.arange(len(sp))] * 3
        for i in range(c.n):
            if is_float(t):
                r = list(rng.uniform(c.lo, c.hi, RANDOM))
            else:
                info = np.iinfo(NUMPY[t])
                r = [int(k) for k in rng.integers(info.min, info.max, RANDOM, dtype=NUMPY[t],
                                                  endpoint=True)]
            chosen = [sp[k] for k in (np.roll(grids[i], i) if c.n == 3
                                      else grids[i]).ravel()] if c.special else []
            out.append(narrow(np, r + chosen, t) if is_float(t)
                       else np.array(r + chosen, NUMPY[t]))
        if c.name == "clamp":               # lo <= hi
            out[0], out[2] = (np.where(widen(np, out[0], t) <= widen(np, out[2], t),
                                       out[0], out[2]),
                              np.where(widen(np, out[0], t) <= widen(np, out[2], t),
                                       out[2], out[0]))
        return out
    for i in range(c.n):
        shape = tuple(json.loads(c.shapes[i]))
        if i in c.ints:
            out.append(np.array(c.ints[i], np.int32))
        else:
            out.append(narrow(np, rng.uniform(c.lo, c.hi, shape), t))
    return out


def signature(c, t, arrays):
    size = [f"[{len(arrays[0])}]"] * c.n if c.shapes is None else c.shapes
    shape = size[0] if c.shapes is None else c.shape
    types = ["i32" if i in c.ints else t for i in range(c.n)]
    result = (c.result or t) + shape
    args = ", ".join(f"%{'xyz'[i]}: {types[i]}{size[i]}" for i in range(c.n))
    names = ", ".join("%" + "xyz"[i] for i in range(c.n))
    body = f"  %0 = {c.name} {names} {c.attrs} : {result}\n  ret %0\n"
    return f"fn @f({args}) -> {result} {{\n{body}}}\n"


def gradients(c, t):
    return c.wrt if is_float(t) and is_float(c.result or t) else []


# ---- Cotrace ----

def run_cot(np, cot, c, t, arrays, folder):
    """The value and the gradients with cotangents 1; None if the op does not take the type."""
    with open(f"{folder}/f.cot", "w") as f:
        f.write(signature(c, t, arrays))
    wrt = gradients(c, t)
    inputs = []
    for i, a in enumerate(arrays):
        np.save(f"{folder}/in{i}.npy", a)
        inputs.append(f"{folder}/in{i}.npy")
    command = [cot, "run", f"{folder}/f.cot", "--backend", "eval", "--out", f"{folder}/out"]
    if wrt:
        shape = arrays[0].shape if c.shapes is None else tuple(json.loads(c.shape))
        np.save(f"{folder}/ct.npy", narrow(np, np.ones(shape), t))
        command += ["-p", "vjp(wrt=[" + ",".join(map(str, wrt)) + "])"]
        inputs.append(f"{folder}/ct.npy")
    done = subprocess.run(command + ["--in"] + inputs, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{c.label} {t}: {done.stderr}\n{signature(c, t, arrays)}")
    return [np.load(f"{folder}/out{k}.npy") for k in range(1 + len(wrt))]


# ---- the peers, each in a Python of its own ----

def peer_jax(path):
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["JAX_ENABLE_X64"] = "1"
    import jax
    import jax.numpy as jnp
    import jax.scipy.special as s
    import numpy as np
    from jax import lax

    def load(a, t):
        return jnp.asarray(a.view(jnp.bfloat16) if t == "bf16" else a)

    def store(a):
        a = np.asarray(a)
        return a.view(np.uint16) if a.dtype == jnp.bfloat16 else a

    def run(c, t, arrays, wrt):
        code = compile(c.jax, c.label, "eval")
        x = [load(a, "i32" if i in c.ints else t) for i, a in enumerate(arrays)]

        def f(*v):
            return eval(code, {"lax": lax, "jnp": jnp, "s": s, **dict(zip("xyz", v))})
        if not wrt:
            return [store(jax.jit(f)(*x))]

        def g(*w):
            v = list(x)
            for i, k in enumerate(wrt):
                v[k] = w[i]
            return f(*v)

        def both(*w):
            y, pull = jax.vjp(g, *w)
            return (y, *pull(jnp.ones_like(y)))
        return [store(a) for a in jax.jit(both)(*[x[k] for k in wrt])]
    peer(path, np, "jax", run)


def peer_torch(path):
    import numpy as np
    import torch

    def load(a, t):
        if t == "bf16":
            return torch.from_numpy(a.view(np.int16).copy()).view(torch.bfloat16)
        return torch.from_numpy(a.copy())

    def store(a):
        a = a.detach()
        bf16 = a.dtype == torch.bfloat16
        return a.view(torch.int16).numpy().view(np.uint16) if bf16 else a.numpy()

    def run(c, t, arrays, wrt):
        x = [load(a, "i32" if i in c.ints else t) for i, a in enumerate(arrays)]
        for k in wrt:
            x[k].requires_grad_(True)
        y = eval(c.torch, {"torch": torch, "t": torch.special, **dict(zip("xyz", x))})
        if not wrt:
            return [store(y)]
        if not y.requires_grad:
            return [store(y)] + [np.zeros_like(arrays[k]) for k in wrt]
        grads = torch.autograd.grad(y, [x[k] for k in wrt], torch.ones_like(y),
                                    allow_unused=True)
        return [store(y)] + [np.zeros_like(arrays[k]) if g is None else store(g)
                             for k, g in zip(wrt, grads)]
    peer(path, np, "torch", run)


def peer(path, np, name, run):
    """Reads the operands of every case from path, writes results beside them.  A case is of
    CASES, or of errors.ALL."""
    import errors
    with open(f"{path}/cases.json") as f:
        wanted = json.load(f)
    for table, k, t in wanted:
        c, file = (errors.ALL if table == "errors" else CASES)[k], f"{path}/{table}{k}.{t}"
        if getattr(c, name) is None or os.path.exists(f"{file}.{name}.npz"):
            continue
        data = np.load(f"{file}.npz")
        arrays = [data[f"a{i}"] for i in range(c.n)]
        try:
            out = run(c, t, arrays, gradients(c, t))
        except Exception as e:              # a type that the peer lacks
            print(f"{name}: {c.label} {t}: {str(e).splitlines()[0][:90]}", file=sys.stderr)
            continue
        np.savez(f"{file}.{name}.npz", *out)


# ---- comparing ----

def ulps(np, a, b, t, scale=None):
    """|a - b| in units of the last place of b, or of `scale`; equal infinities and two NaN are
    0, one of them inf."""
    with np.errstate(all="ignore"):
        size = np.maximum(np.abs(b) if scale is None else scale, 2.0 ** exact.MIN_EXPONENT[t])
        unit = 2.0 ** (np.floor(np.log2(np.where(np.isfinite(size), size, 1))) -
                       exact.DIGITS[t])
        off = np.abs(a - b) / unit
    off = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0, off)
    return np.where(np.isnan(off), INF, off)


# Ops that are no functions of one element beside the peer's: random operands only, the largest
# distance of the value and of the derivative in ulp of the largest result, which counts the
# errors of both.
MAX_ULP = {"reduction": (12, 12), "movement": (0, 0)}
SUMS = {"scatter_add": (4, 0), "scatter_mul": (2, 2)}


class Row:
    """What the page says of an op at a type beside a peer."""

    def __init__(self):
        self.worst, self.letters, self.same = [0.0, 0.0], set(), True


class Judged:
    """Our results of a case at a type, with what is stated of each."""

    def __init__(self, np, c, t, arrays, results):
        import pairs
        self.c, self.t, self.types = c, t, [t if k else c.result or t
                                            for k in range(len(results))]
        self.operands = list(zip(*[widen(np, a, t).ravel().tolist() for a in arrays]))
        self.ours = [widen(np, np.asarray(r), rt).ravel().tolist()
                     for r, rt in zip(results, self.types)]
        self.stated = [[pairs.truth(c, t, x, k) for x in self.operands]
                       for k in range(len(results))]

    def count(self):
        return sum(s is not None for row in self.stated for s in row)

    def wrong(self):
        """(number of the result, place) of all that is not as stated."""
        import differences
        return [(k, i) for k, row in enumerate(self.stated) for i, s in enumerate(row)
                if s is not None and not differences.right(self.ours[k][i], s, self.types[k])]


def distances(np, row, c, t, mine, theirs):
    """The worst distances on random operands."""
    for k, (a, b) in enumerate(zip(mine, theirs)):
        what, rt = min(k, 1), t if k else c.result or t
        if not is_float(rt):
            continue
        a, b = widen(np, a, rt).ravel(), widen(np, b, rt).ravel()
        n = len(a) if c.shapes else RANDOM
        scale = np.full(n, np.max(np.abs(b))) if c.kind == "reduction" else None
        row.worst[what] = max(row.worst[what],
                              float(ulps(np, a[:n], b[:n], rt, scale).max(initial=0)))


def last_extremes(np, x, name):
    """The derivative of a running extremum with cotangents 1: each result's goes to the last of
    its equals so far."""
    out = np.zeros(x.shape)
    for row, to in zip(x, out):
        at = 0
        for i in range(len(row)):
            if (row[i] >= row[at]) if name == "cummax" else (row[i] <= row[at]):
                at = i
            to[at] += 1
    return out


# ---- all of it ----

def python_with(module, given):
    """A Python that has the module: the one given, the one of ./dev bench --peers, or this
    one."""
    made = os.path.join(HERE, "..", "..", "build", "peers", "bin", "python")
    for python in [given] if given else [made, sys.executable]:
        if os.path.exists(python) and subprocess.run([python, "-c", f"import {module}, numpy"],
                                                     capture_output=True).returncode == 0:
            return python
    return None


def version(python, module):
    done = subprocess.run([python, "-c", f"import {module}; print({module}.__version__)"],
                          capture_output=True, text=True)
    return done.stdout.strip()


def processor():
    """This machine's, for the page."""
    try:
        with open("/proc/cpuinfo") as f:
            names = [line.split(":")[1].strip() for line in f if line.startswith("model name")]
        return f"Measured on: {names[0]}."
    except (OSError, IndexError):
        return ""


class Run:
    """What a run of this program has found: rows beside the peers, errors, and what it cannot
    explain."""

    def __init__(self, np, args, peers, folder):
        self.np, self.args, self.peers, self.folder = np, args, peers, folder
        self.rows, self.errors, self.unexplained = {}, {}, []
        # (letter, peer, what): count; results that are judged
        self.kinds, self.stated = collections.Counter(), 0
        self.versions, self.machine = {k: version(p, k) for k, p in peers.items()}, processor()

    def save(self, table, k, t, arrays):
        self.np.savez(f"{self.folder}/{table}{k}.{t}.npz",
                      **{f"a{i}": a for i, a in enumerate(arrays)})

    def ask_peers(self, wanted):
        """All at once, each in its Python."""
        with open(f"{self.folder}/cases.json", "w") as f:
            json.dump(wanted, f)
        started = [subprocess.Popen([python, os.path.abspath(__file__), "--peer", name,
                                     self.folder], stderr=subprocess.PIPE,
                                    text=True) for name, python in self.peers.items()]
        for one in started:
            said = one.communicate()[1]
            if self.args.show:
                print(said)
            if one.returncode != 0:
                raise SystemExit(said)

    def of_peer(self, table, k, t, name):
        path = f"{self.folder}/{table}{k}.{t}.{name}.npz"
        if not os.path.exists(path):
            return None
        data = self.np.load(path)
        return [data[f] for f in data.files]

    def fail(self, judged, k, i, text):
        what = f"derivative by operand {judged.c.wrt[k - 1]}" if k else "value"
        at = ", ".join(repr(x) for x in judged.operands[i])
        self.unexplained.append(f"{judged.c.label} {judged.t}, {what} at {at}: "
                                f"{judged.ours[k][i]!r}, {text}")

    def judge(self, c, t, arrays, results):
        """Our results beside what is stated of them."""
        judged = Judged(self.np, c, t, arrays, results)
        self.stated += judged.count()
        for k, i in judged.wrong():
            s = judged.stated[k][i]
            if isinstance(s, exact.Statement):
                v = s.value
                v = v if isinstance(v, float) else float(exact.rounded(v, 'f64'))
                stated = f"stated {v!r} within {s.bound} ulp"
            else:
                stated = f"stated {s}"
            self.fail(judged, k, i, stated)
        return judged

    def explain(self, row, judged, theirs, name):
        """Every difference of a pointwise op from a peer has a letter, or is a failure."""
        import differences
        t = judged.t
        for k, result in enumerate(theirs):
            rt = judged.types[k]
            there = widen(self.np, self.np.asarray(result), rt).ravel().tolist()
            for i, (a, b) in enumerate(zip(judged.ours[k], there)):
                if not differences.differs(a, b, rt):
                    continue
                row.same = False
                letter = differences.explain(judged.stated[k][i], a, b, judged.operands[i], t,
                                             rt)
                if letter is None:
                    self.fail(judged, k, i, f"{name} has {b!r}")
                else:
                    row.letters.add(letter)
                    self.kinds[letter, name, min(k, 1)] += 1

    def compare_cases(self, wanted, mine):
        for k, t in wanted:
            c = CASES[k]
            judged = self.judge(c, t, *mine[k, t]) if c.shapes is None else None
            for name in self.peers:
                theirs = self.of_peer("cases", k, t, name)
                if theirs is None:
                    continue
                row = self.rows[k, t, name] = Row()
                distances(self.np, row, c, t, mine[k, t][1], theirs)
                if judged:
                    self.explain(row, judged, theirs, name)
                else:
                    self.within(row, c, t, *mine[k, t], theirs, name)

    def within(self, row, c, t, arrays, mine, theirs, name):
        """What is no pointwise op: the distance is bounded, whole numbers are the same."""
        if c.name in ("cummax", "cummin") and is_float(t):
            stated = last_extremes(self.np, widen(self.np, arrays[0], t), c.name)
            if (widen(self.np, mine[1], t) != stated).any():
                self.unexplained.append(f"{c.label} {t}: the derivative is not that of the "
                                        f"last extremes")
            elif (widen(self.np, theirs[1], t) != stated).any():    # JAX shares ties
                row.letters.add("e")
                self.kinds["e", name, 1] += int((widen(self.np, theirs[1], t) != stated).sum())
                theirs = theirs[:1]
                row.worst[1] = 0.0
        for k, (a, b) in enumerate(zip(mine, theirs)):
            if not is_float(t if k else c.result
                            or t) and (self.np.asarray(a) != self.np.asarray(b)).any():
                row.same = False
                self.unexplained.append(f"{c.label} {t} beside {name}: other numbers")
        for what, most in enumerate(SUMS.get(c.name, MAX_ULP[c.kind])):
            if not row.worst[what] <= most:
                self.unexplained.append(f"{c.label} {t} beside {name}: worst "
                                        f"{('value', 'derivative')[what]} "
                                        f"{row.worst[what]:.3g} ulp, more than {most}")

    def judge_errors(self, wanted, mine):
        """Worst errors by function, type and who, and Cotrace's against its bounds."""
        import errors
        for k, t in wanted:
            f = errors.FUNCTIONS[k]
            arrays, count = mine[k, t][0], len(mine[k, t][0][0]) // len(f.domains)
            truth = errors.exact(self.np, f, t, arrays)
            for name in ["cotrace", *self.peers]:
                result = mine[k, t][1] if name == "cotrace" else self.of_peer("errors", k, t,
                    name)
                if result is not None:
                    self.errors[k, t, name] = errors.worst(self.np, f, t, count,
                        truth, result[0])
            if f.cancels:       # bounded by the statement, in ulp of the terms
                self.judge(errors.ALL[k], t, arrays, mine[k, t][1])
                continue
            bound = f.bounds[0] if t == "f32" else f.bounds[1] if t == "f64" else 0.51
            got = max((w for w in self.errors[k, t, "cotrace"] if w is not None), default=0)
            if not got <= bound:
                self.unexplained.append(f"{f.name} {t}: off by {got:.3g} ulp, more than "
                                        f"{bound}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("cot")
    p.add_argument("--jax")
    p.add_argument("--torch")
    p.add_argument("--write")
    p.add_argument("--show", action="store_true")
    p.add_argument("--keep")
    p.add_argument("--types", default="f64,f32,bf16,f16,i32,u8")
    p.add_argument("--samples", type=int, default=1000)
    p.add_argument("--part", choices=["errors", "cases"])
    p.add_argument("names", nargs="*")
    args = p.parse_intermixed_args()
    peers = {k: python_with(k, getattr(args, k)) for k in ("jax", "torch")}
    peers = {k: v for k, v in peers.items() if v}
    try:
        import numpy as np
        import mpmath       # noqa: F401
    except ImportError:
        peers = {}
    if not peers:
        print("accuracy: neither JAX nor PyTorch here, or no numpy or mpmath")
        return 77
    import errors
    types = args.types.split(",")
    tables = {"errors": [(k, t) for k, f in enumerate(errors.FUNCTIONS)
                         for t in errors.types_of(f, types)],
              "cases": [(k, t) for k, c in enumerate(CASES) for t in c.types if t in types]}
    if args.part:
        tables = {args.part: tables[args.part]}
    if args.names:
        tables = {n: [(k, t) for k, t in w
                      if (errors.ALL if n == "errors" else CASES)[k].name in args.names]
                  for n, w in tables.items()}
    with tempfile.TemporaryDirectory() as empty:
        run, mine = Run(np, args, peers, args.keep or empty), {}
        for table, wanted in tables.items():
            mine[table] = {}
            for k, t in wanted:
                c = errors.ALL[k] if table == "errors" else CASES[k]
                f = errors.FUNCTIONS[k] if table == "errors" else None
                count = max(args.samples // (errors.FEWER if f.few else 1), 8) if f else 0
                arrays = errors.operands(np, f, t, count) if f else operands(np, c, t)
                run.save(table, k, t, arrays)
                mine[table][k, t] = arrays, run_cot(np, args.cot, c, t, arrays, empty)
        run.ask_peers([(table, k, t) for table, wanted in tables.items() for k, t in wanted])
        run.judge_errors(tables.get("errors", []), mine.get("errors"))
        run.compare_cases(tables.get("cases", []), mine.get("cases"))
    if args.write:
        import page
        page.write(args.write, run, CASES)
    print(f"accuracy: {len(run.errors)} errors, {len(run.rows)} comparisons, {run.stated} "
          f"results as stated, "
          f"{sum(run.kinds.values())} differences explained, {len(run.unexplained)} "
          f"unexplained")
    for line in run.unexplained:
        print("  " + line)
    return 1 if run.unexplained else 0


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "--peer":
        {"jax": peer_jax, "torch": peer_torch}[sys.argv[2]](sys.argv[3])
    else:
        sys.exit(main())
