#!/usr/bin/env python3
"""Windows, order, scans, indexing, special functions, complex numbers, Fourier transforms and
layers beside JAX and PyTorch: forward, by jvp, by vjp, and mapped.

    sugar.py SUGAR_RUN [--jax PYTHON] [--torch PYTHON] [--backend eval]
             [--write docs/accuracy.md] [--keep FOLDER]
             [--types f64,f32,...] [NAME ...]

SUGAR_RUN is functions_run.c with sugar_functions.h.  Operands are numbers of the narrow type in
every precision, so that the peers' f64 and c128 are the truth for f32, c64, f16 and bf16, too;
integers and bool must be the same.  The mapped function and its mapped gradients get the
operands and others beside them, and the first example must be what it is alone.  What is
compared: sugar_cases.py.  A difference above the limit of its case fails.  --write puts the
table into the page.  Exit status: 77 if there is neither JAX nor PyTorch, or this Python has no
numpy."""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from linalg import NAMES, direction, number, off        # noqa: E402
from sugar_cases import CASES                           # noqa: E402

EPS = {"f64": 2.0 ** -52, "c128": 2.0 ** -52, "f32": 2.0 ** -23, "c64": 2.0 ** -23,
       "f16": 2.0 ** -10, "bf16": 2.0 ** -7}
INTEGERS = {t: {"i": "int", "u": "uint"}[t[0]] + t[1:]
            for t in ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")}
NUMPY = {"f64": "float64", "c128": "complex128", "f32": "float32", "c64": "complex64",
         "f16": "float16", "bf16": "uint16", **INTEGERS}
# whose f64 is the truth for a type
TRUTH = {"f32": "f64", "f16": "f64", "bf16": "f64", "c64": "c128"}
BOTH = ("f64", "c128", "i32")       # types that JAX has, too: it compiles each
LETTERS = "xyzvw"


# ---- operands ----

def rounded(np, a, t):
    """As numbers of the type, in f64 or c128."""
    if t == "bf16":
        bits = a.astype(np.float32).view(np.uint32)
        rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32)
        return np.where(np.isnan(a), np.nan, rounded.view(np.float32)).astype(np.float64)
    if t[0] == "c":
        return a.astype(np.complex64).astype(np.complex128)
    return a.astype("float16" if t == "f16" else "float32").astype(np.float64)


def drawn(np, rng, kind, shape, cplx):
    between = {"p": (0.2, 3), "u": (0.05, 0.95), "s": (-0.9, 0.9)}
    if kind in between:
        a, b = (rng.uniform(*between[kind], shape) for _ in range(2))
        return a + 1j * b if cplx else a
    if kind == "e":
        return rng.integers(-2, 4, shape).astype(np.float64)
    x = rng.standard_normal(shape)
    if kind == "up":
        return np.sort(np.round(x))
    if kind == "nan":
        return np.where(rng.random(shape) < 0.2, np.nan, x)
    return x + 1j * rng.standard_normal(shape) if cplx and kind == "n" else x


def operand(np, rng, arg, t):
    """An array of f64, c128, or of integers or bool, of numbers of the type."""
    kind, *sizes = arg.split()
    sizes = [int(s) for s in sizes]
    if kind == "b":
        return rng.random(sizes) < 0.5
    if kind == "lens":
        return rng.integers(sizes[0], sizes[1] + 1, sizes[2:]).astype(np.int32)
    if kind.startswith("pos"):
        return rng.integers(1, int(kind[3:]), sizes).astype(np.int32)
    if kind[0] in "ij" and kind[1:].isdigit():
        m = int(kind[1:])
        return np.asarray(rng.integers(0 if kind[0] == "i" else -m, m, sizes), np.int32)
    if t in INTEGERS:
        low = 0 if t[0] == "u" else -9
        x = rng.integers(low, 10, sizes).astype(NUMPY[t]) if kind != "e" else rng.integers(0, 5,
            sizes).astype(NUMPY[t])
        return np.sort(x) if kind == "up" else np.asarray(x)
    x = np.asarray(drawn(np, rng, kind, sizes, t[0] == "c"))
    return rounded(np, x, {"f64": "f32", "c128": "c64"}.get(t, t)
                   if not (t[0] == "c" and kind == "r") else "f32")


def operands(np, c, t, other=0):
    rng = np.random.default_rng(sum(map(ord, c.name + c.args)) * 10 + len(t) + other)
    return [operand(np, rng, a, t) for a in c.args.split(";")]


def stored(np, a, t):
    """As it goes to a file: in the type, bf16 as its bits."""
    if a.dtype.kind in "bi" and a.dtype != np.float64 or a.dtype.kind == "u":
        return a
    if t == "bf16":
        return (a.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return a.astype({"c64": "float32", "c128": "float64"}[t]
                    if t[0] == "c" and a.dtype.kind == "f" else NUMPY[t])


def loaded(np, a, t):
    """As numbers."""
    if t == "bf16" and a.dtype == np.uint16:
        return (a.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return a


# ---- the peers: value, tangents, gradients of a case ----

def floats(np, a):
    return a.dtype.kind in "fc"


def run_jax():
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["JAX_ENABLE_X64"] = "1"
    import jax
    import jax.numpy as jnp
    import jax.scipy.special as s
    import numpy as np
    from jax import lax

    def unique(x):
        v, inv, n = jnp.unique(x, return_inverse=True, return_counts=True, size=9, fill_value=7)
        inverse = inv.astype(jnp.int32).reshape(x.shape)
        return v, jnp.int32(jnp.unique(x).size), n.astype(jnp.int32), inverse
    names = dict(jax=jax, jnp=jnp, np=np, lax=lax, s=s, unique=unique)

    def run(c, arrays, derivative):
        where = [i for i, a in enumerate(arrays) if floats(np, a)]

        def f(*v):
            y = eval(c.jax, {**names, "k": number(c.k), **dict(zip(LETTERS, v))})
            return tuple(y) if isinstance(y, (tuple, list)) else (y,)

        def smooth(*v):
            all_in = list(arrays)
            for i, a in zip(where, v):
                all_in[i] = a
            return tuple(y for y in f(*map(jnp.asarray, all_in))
                         if jnp.issubdtype(y.dtype, jnp.inexact))

        def all_of(*v):
            if not derivative or not where:
                return f(*v), (), ()
            d = [v[i] for i in where]
            _, t = jax.jvp(smooth, d, [jnp.asarray(direction(np, a.shape, a.dtype)) for a in d])
            y, pull = jax.vjp(smooth, *d)
            g = pull(tuple(jnp.conj(jnp.asarray(direction(np, a.shape, a.dtype))) for a in y))
            return f(*v), t, tuple(jnp.conj(a) for a in g)
        jit = (lambda f: f) if c.name == "unique" else jax.jit
        return [[np.asarray(a) for a in part]
                for part in jit(all_of)(*map(jnp.asarray, arrays))]
    return run


def run_torch():
    import numpy as np
    import torch
    import torch.nn.functional as F
    torch.set_num_threads(1)

    def rnn(kind, x, w_ih, w_hh, b_ih, b_hh, reverse):
        hidden = w_hh.shape[1]
        h = c = torch.zeros(x.shape[1], hidden, dtype=x.dtype)
        ys = []
        for step in (x.flip(0) if reverse else x):
            a, b = step @ w_ih.T + b_ih, h @ w_hh.T + b_hh
            if kind == "lstm":
                i, f, g, o = (a + b).split(hidden, -1)
                c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
                h = torch.sigmoid(o) * torch.tanh(c)
            else:
                (ar, az, an), (br, bz, bn) = a.split(hidden, -1), b.split(hidden, -1)
                z = torch.sigmoid(az + bz)
                h = (1 - z) * torch.tanh(an + torch.sigmoid(ar + br) * bn) + z * h
            ys.append(h)
        y = torch.stack(ys)
        return y.flip(0) if reverse else y
    names = dict(torch=torch, t=torch.special, F=F, rnn=rnn)

    def plain(a):
        return a.detach().resolve_conj().resolve_neg().numpy(force=True)

    def run(c, arrays, derivative):
        def f(*v):
            y = eval(c.torch, {**names, "k": number(c.k), **dict(zip(LETTERS, v))})
            return tuple(y) if isinstance(y, (tuple, list)) else (y,)
        x = [torch.from_numpy(np.array(a)) for a in arrays]
        value = [plain(a) for a in f(*x)]
        outs = [i for i, a in enumerate(value) if floats(np, a)]
        where = [i for i, a in enumerate(arrays) if floats(np, a)]
        if not derivative or not outs or not where:
            return [value, [], []]

        def along(a):
            return torch.from_numpy(direction(np, tuple(a.shape), plain(a).dtype))

        def smooth(*v):
            all_in = list(x)
            for i, a in zip(where, v):
                all_in[i] = a
            y = f(*all_in)
            return tuple(y[i] for i in outs)
        try:
            d = [x[i] for i in where]
            t = [plain(a) for a in torch.func.jvp(smooth, tuple(d),
                                                  tuple(along(a) for a in d))[1]]
        except (RuntimeError, NotImplementedError):
            t = []
        d = [x[i].clone().requires_grad_(True) for i in where]
        y = smooth(*d)
        try:
            g = torch.autograd.grad(y, d, [along(a) for a in y], allow_unused=True)
            g = [plain(torch.zeros_like(a) if b is None else b) for a, b in zip(d, g)]
        except RuntimeError:                # not differentiable in these arguments
            g = []
        return [value, t, g]
    return run


def peer(name, folder):
    """Results of the peer for all cases of the folder, in f64, c128 or integers, by operands of
    each type."""
    import numpy as np
    run = {"jax": run_jax, "torch": run_torch}[name]()
    for i, t in jobs_of(folder):
        c, path = CASES[i], f"{folder}/{i}.{t}"
        if not getattr(c, name) or os.path.exists(f"{path}.{name}.npz") or \
                name == "jax" and t not in BOTH and c.torch:
            continue
        try:
            parts = run(c, operands(np, c, t), c.derivative)
        except Exception as e:
            print(f"{name}: {c.name} ({c.args}) k={c.k} {t}: "
                  f"{(str(e).splitlines() or [type(e).__name__])[0][:120]}", file=sys.stderr)
            continue
        np.savez(f"{path}.{name}.npz",
                 **{f"{w}{k}": a for w, part in zip("vtg", parts) for k, a in enumerate(part)})


def jobs_of(folder):
    with open(f"{folder}/jobs") as f:
        for line in f:
            i, t = line.split()
            yield int(i), t


# ---- comparing ----

class Table:
    """Worst differences by function, type, what is compared and with whom; and what is above
    its limit."""

    def __init__(self, np, folder):
        self.np, self.folder, self.worst, self.bad, self.count = np, folder, {}, [], 0

    def mine(self, i, t):
        out = {}
        for what in "vtgwh":
            for k in range(6):
                path = f"{self.folder}/{i}.{t}.{what}{k}.npy"
                if os.path.exists(path):
                    out[f"{what}{k}"] = loaded(self.np, self.np.load(path), t)
        return out

    def difference(self, a, b, t):
        np = self.np
        if a.shape != b.shape:
            return float("inf")
        if b.dtype.kind in "fc":
            return off(np, a, b, EPS.get(t, EPS["f64"]))
        return 0.0 if (a == b).all() else float("inf")

    def judge(self, c, t, key, a, b, who):
        what = 0 if key[0] in "vw" else 1
        d, loose = self.difference(a, b, t), 1 if t in ("f64", "f32") else 2
        self.count += 1
        if who in NAMES:
            self.worst[c.name, t, who, what] = max(self.worst.get((c.name, t, who, what), 0), d)
        if not d <= c.limit[what] * loose:
            self.bad.append(f"{c.name} ({c.args}) k={c.k} {t} {key} beside {who}: {d:.3g} eps" +
                            (f", shapes {a.shape} {b.shape}" if a.shape != b.shape else ""))

    def add(self, i, t):
        c, ours = CASES[i], self.mine(i, t)
        if not ours:
            self.bad.append(f"{c.name} ({c.args}) k={c.k} {t}: failed")
            return
        for who in NAMES:
            path = f"{self.folder}/{i}.{t}.{who}.npz"
            if not os.path.exists(path):
                continue
            theirs = self.np.load(path)
            for key in theirs.files:
                if key not in ours:
                    self.bad.append(f"{c.name} ({c.args}) k={c.k} {t}: no result {key}")
                else:
                    self.judge(c, t, key, ours[key], theirs[key], who)
        for key, alone in (("w", "v"), ("h", "g")):
            for k in range(6):
                if f"{alone}{k}" in ours and f"{key}{k}" not in ours:
                    self.bad.append(f"{c.name} ({c.args}) k={c.k} {t}: no result {key}{k}")
                elif f"{alone}{k}" in ours:
                    self.judge(c, t, f"{key}{k}", ours[f"{key}{k}"][0], ours[f"{alone}{k}"],
                               "itself, mapped")


# ---- all of it ----

def wanted(args):
    types = args.types.split(",") if args.types else None
    for i, c in enumerate(CASES):
        for t in c.types:
            if (not args.names or c.name in args.names) and (not types or t in types):
                yield i, t


def main():
    from accuracy import version
    import cli
    p = cli.options()
    p.add_argument("--types")
    args, peers, np = cli.parse(p)
    if not peers:
        print("sugar: neither JAX nor PyTorch here, or no numpy")
        return 77
    with tempfile.TemporaryDirectory() as empty:
        folder, jobs = args.keep or empty, list(wanted(args))
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/jobs", "w") as f:
            f.writelines(f"{i} {t}\n" for i, t in jobs)
        started = [subprocess.Popen([python, os.path.abspath(__file__), "--peer", name, folder])
                   for name, python in peers.items()]
        lines = []
        for i, t in jobs:
            beside = operands(np, CASES[i], t, 1)
            for k, a in enumerate(operands(np, CASES[i], t)):
                np.save(f"{folder}/{i}.{t}.in{k}.npy", stored(np, a, t))
                np.save(f"{folder}/{i}.{t}.m{k}.npy", stored(np, np.stack([a, beside[k]]), t))
            lines.append(f"{folder}/{i}.{t} {CASES[i].name} {CASES[i].k}\n")
        subprocess.run([args.program, args.backend], input="".join(lines),
                       text=True, check=True)
        if any([s.wait() != 0 for s in started]):
            return 1
        table = Table(np, folder)
        for i, t in jobs:
            table.add(i, t)
    print(f"sugar: {len(jobs)} cases, {table.count} comparisons, {len(table.bad)} above their "
          f"limits")
    for line in table.bad:
        print("  " + line)
    if args.write:
        import page
        table.versions = ", ".join(f"{NAMES[k]} {version(python, k)}" for k,
                                   python in peers.items())
        page.write_sugar(args.write, table, peers)
    return 1 if table.bad else 0


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "--peer":
        peer(sys.argv[2], sys.argv[3])
    else:
        sys.exit(main())
