#!/usr/bin/env python3
"""Linear algebra beside JAX and PyTorch on random matrices, forward, by jvp and by vjp; and the
statistics of dropout and of initial weights.

    linalg.py LINALG_RUN [--jax PYTHON] [--torch PYTHON] [--backend eval]
              [--write docs/accuracy.md] [--keep FOLDER]
              [--most 40] [--types f64,f32,c128,c64] [NAME ... draws]

LINALG_RUN is functions_run.c with linalg_functions.h.  The operands are numbers of f32 in both
precisions, so that the peers' f64 is the truth for f32, too.  What is compared, and how what is
free (signs, phases, order) is taken out: linalg_cases.py.  A difference above the limit of its
case fails.  --write puts the table into the page.  Exit status: 77 if there is neither JAX nor
PyTorch, or this Python has no numpy."""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from linalg_cases import CASES      # noqa: E402

EPS = {"f64": 2.0 ** -52, "c128": 2.0 ** -52, "f32": 2.0 ** -23, "c64": 2.0 ** -23}
NUMPY = {"f64": "float64", "c128": "complex128", "f32": "float32", "c64": "complex64"}
BOTH = (3, 16)      # sizes that JAX has, too: it compiles each
NAMES = {"jax": "JAX", "torch": "PyTorch"}


# ---- operands ----

def gauss(np, rng, shape, cplx):
    x = rng.standard_normal(shape)
    return x + 1j * rng.standard_normal(shape) if cplx else x


def with_values(np, rng, batch, m, n, values, cplx, hermitian=False):
    """U diag(values) V^H, or with V = U."""
    u = np.linalg.qr(gauss(np, rng, (*batch, m, m), cplx))[0]
    v = u if hermitian else np.linalg.qr(gauss(np, rng, (*batch, n, n), cplx))[0]
    k = len(values)
    return (u[..., :, :k] * values) @ np.conj(np.swapaxes(v[..., :, :k], -1, -2))


def apart(np, rng, lo, hi, n):
    """n numbers from lo to hi, half a step apart at least."""
    return lo + (hi - lo) * (np.arange(n) + 0.5 * rng.random(n)) / max(n, 1)


def matrix(np, rng, kind, batch, m, n, cplx):
    if kind == "normal":
        return gauss(np, rng, (*batch, m, n), cplx)
    if kind == "some":
        return gauss(np, rng, (*batch, m, n), cplx) / np.sqrt(n * (1 + cplx))
    if kind == "general":
        return with_values(np, rng, batch, m, n, apart(np, rng, 0.5, 2, min(m, n)), cplx)
    if kind == "singular":
        x = with_values(np, rng, batch, m, n, apart(np, rng, 0.5, 2, n), cplx)
        x[..., -1] = x[..., 0] if n > 1 else 0
        return x
    if kind == "pairs":
        return with_values(np, rng, batch, m, n,
                           np.repeat(apart(np, rng, 0.5, 2, n // 2 + 1), 2)[:n], cplx)
    if kind == "repeated":
        return with_values(np, rng, batch, n, n,
                           np.repeat(apart(np, rng, 1, 2, n // 2 + 1), 2)[:n], cplx, True)
    if kind.startswith("spd"):
        whole = with_values(np, rng, batch, n, n, apart(np, rng, 0.5, 2, n), cplx, True)
    elif kind.startswith("herm"):
        whole = with_values(np, rng, batch, n, n, apart(np, rng, -2, 2, n), cplx, True)
    else:
        whole = gauss(np, rng, (*batch, n, n), cplx) / (2 * n) + 1.5 * np.eye(n)
    other = gauss(np, rng, (*batch, n, n), cplx)
    if kind.endswith("lower"):
        return np.tril(whole) + np.triu(other, 1)
    if kind.endswith("upper"):
        return np.triu(whole) + np.tril(other, -1)
    return whole


def reflectors(np, rng, batch, m, n, cplx):
    """Vectors below the diagonal, and the tau that makes I - tau v v^H unitary."""
    v = np.tril(gauss(np, rng, (*batch, m, n), cplx), -1)
    v = v.astype(np.complex64 if cplx else np.float32).astype(v.dtype)
    return v, 2 / (1 + (np.abs(v) ** 2).sum(-2)) + (0j if cplx else 0)


def operands(np, c, n, batch, cplx):
    """The arrays, of f64 or c128 with numbers of f32."""
    rng = np.random.default_rng(sum(map(ord, c.name + c.args)) * 100 + n * 2 + cplx)
    out = []
    if c.args.startswith("reflectors"):
        out = list(reflectors(np, rng, batch, n + 3, n, cplx))
    else:
        for arg in c.args.split(";"):
            kind, *sizes = arg.split()
            shape = [eval(s, {"n": n}) for s in sizes]
            if len(shape) == 2:
                out.append(matrix(np, rng, kind, batch, *shape, cplx))
            elif kind == "general":         # of tensorsolve and tensorinv: square as a matrix
                m = int(np.sqrt(np.prod(shape)))
                out.append(matrix(np, rng, kind, batch, m, m, cplx).reshape(*batch, *shape))
            else:
                out.append(gauss(np, rng, (*batch, *shape), cplx))
    return [a.astype(np.complex64 if cplx else np.float32).astype(np.complex128 if cplx
        else np.float64) for a in out]


def direction(np, shape, dtype):
    """As in functions_run.c."""
    i = np.arange(int(np.prod(shape)))
    x = (i * 37 + 11) % 101 / 64 - 0.75
    if np.issubdtype(dtype, np.complexfloating):
        x = x + 1j * ((i * 53 + 29) % 97 / 64 - 0.75)
    return x.reshape(shape).astype(dtype)


def number(k):
    """Whole where it is: powers and axes are."""
    return int(k) if abs(k) < 1e9 and k == int(k) else k


# ---- the peers: value, tangents, gradients of a case ----

def run_jax():
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["JAX_ENABLE_X64"] = "1"
    import jax
    import jax.numpy as jnp
    import jax.scipy.linalg as jsl
    import numpy as np
    from jax import lax

    def adj(x):
        return jnp.conj(jnp.swapaxes(x, -1, -2))

    def trace(x):
        return jnp.trace(x, axis1=-2, axis2=-1)

    def of(x, s):
        diagonal = jnp.real(jnp.diagonal(x, 0, -2, -1))[..., None, :] * jnp.eye(x.shape[-1])
        return s + adj(s) + diagonal

    def tri(a, b, left_side=True, **how):
        return lax.linalg.triangular_solve(a, b, left_side=left_side, **how)

    def weighted(x):
        return x * (1 + jnp.arange(x.shape[-1]))

    def eigh(x):
        w, v = jnp.linalg.eigh(x, symmetrize_input=False)
        return w, weighted(v) @ adj(v)

    def svd(x):
        u, s, vt = jnp.linalg.svd(x, full_matrices=False)
        return s, weighted(u) @ vt

    def householder(x, tau):
        m, n = x.shape[-2:]
        q = jnp.broadcast_to(jnp.eye(m, n, dtype=x.dtype), x.shape)
        for i in reversed(range(n)):
            v = jnp.where(jnp.arange(m) < i, 0,
                          jnp.where(jnp.arange(m) == i, 1, x[..., i]))[..., None]
            q = q - tau[..., i, None, None] * v @ (adj(v) @ q)
        return q

    def cplx(x):
        return x if jnp.iscomplexobj(x) else x + 0j
    names = dict(lax=lax, jnp=jnp, jsl=jsl, adj=adj, trace=trace, tri=tri, weighted=weighted,
                 eigh=eigh, svd=svd, cplx=cplx,
                 householder=householder, tril=jnp.tril, triu=jnp.triu,
                 H=lambda x: (x + adj(x)) / 2,
                 low=lambda x: of(x, jnp.tril(x, -1)), up=lambda x: of(x, jnp.triu(x, 1)))

    def run(c, arrays, derivative):
        def f(*v):
            y = eval(c.jax, {**names, "k": number(c.k), **dict(zip("xyzw", v))})
            return tuple(y) if isinstance(y, (tuple, list)) else (y,)

        def smooth(*v):
            return tuple(y for y in f(*v) if jnp.issubdtype(y.dtype, jnp.inexact))

        def all_of(*v):
            if not derivative:
                return f(*v), (), ()
            _, t = jax.jvp(smooth, v,
                           tuple(jnp.asarray(direction(np, a.shape, a.dtype)) for a in v))
            y, pull = jax.vjp(smooth, *v)
            g = pull(tuple(jnp.conj(jnp.asarray(direction(np, a.shape, a.dtype))) for a in y))
            return f(*v), t, tuple(jnp.conj(a) for a in g)
        return [[np.asarray(a) for a in part]
                for part in jax.jit(all_of)(*map(jnp.asarray, arrays))]
    return run


def run_torch():
    import numpy as np
    import torch
    torch.set_num_threads(1)

    def adj(x):
        return torch.conj(x.mT).resolve_conj()

    def of(x, s):
        return s + adj(s) + torch.diag_embed(torch.diagonal(x, 0, -2, -1).real if x.is_complex()
                                             else torch.diagonal(x, 0, -2, -1))

    def weighted(x):
        return x * (1 + torch.arange(x.shape[-1]))

    def eigh(x):
        w, v = torch.linalg.eigh(x)
        return w, weighted(v) @ adj(v)

    def svd(x):
        u, s, vt = torch.linalg.svd(x, full_matrices=False)
        return s, weighted(u) @ vt

    def cplx(x):
        return x if x.is_complex() else x + 0j
    names = dict(torch=torch, adj=adj, weighted=weighted, eigh=eigh, svd=svd, cplx=cplx,
                 tril=torch.tril, triu=torch.triu,
                 trace=lambda x: torch.diagonal(x, 0, -2, -1).sum(-1),
                 H=lambda x: (x + adj(x)) / 2,
                 low=lambda x: of(x, torch.tril(x, -1)), up=lambda x: of(x, torch.triu(x, 1)))

    def plain(a):
        return a.detach().resolve_conj().numpy(force=True)

    def run(c, arrays, derivative):
        def f(*v):
            y = eval(c.torch, {**names, "k": number(c.k), **dict(zip("xyzw", v))})
            return y if isinstance(y, tuple) else (y,)
        x = [torch.from_numpy(a.copy()) for a in arrays]
        value = [a.numpy() for a in f(*x)]
        if not derivative:
            return [value, [], []]

        def along(a):
            return torch.from_numpy(direction(np, tuple(a.shape), a.detach().numpy().dtype))
        floats = [i for i, a in enumerate(value) if a.dtype.kind in "fc"]
        try:
            t = torch.func.jvp(lambda *v: tuple(f(*v)[i] for i in floats), tuple(x),
                               tuple(along(a) for a in x))[1]
        except (RuntimeError, NotImplementedError):
            t = []
        for a in x:
            a.requires_grad_(True)
        y = [f(*x)[i] for i in floats]
        try:
            g = torch.autograd.grad(y, x, [along(a) for a in y], allow_unused=True)
            g = [torch.zeros_like(a) if b is None else b for a, b in zip(x, g)]
        except RuntimeError:                # not differentiable in these arguments
            g = []
        return [value, [plain(a) for a in t], [plain(a) for a in g]]
    return run


def peer(name, folder):
    """Results of the peer for all cases of the folder; in f32 also PyTorch's own."""
    import numpy as np
    run = {"jax": run_jax, "torch": run_torch}[name]()
    for i, n, batch, t in jobs_of(folder):
        wide = t in ("f64", "c128")
        path = f"{folder}/{i}.{n}.{t}"
        if name == "jax" and (not wide or n not in BOTH) or not getattr(CASES[i],
            name) or os.path.exists(f"{path}.{name}.npz"):
            continue
        arrays, c = [a.astype(NUMPY[t])
                     for a in operands(np, CASES[i], n, batch, t[0] == "c")], CASES[i]
        try:
            parts = run(c, arrays, c.derivative)
        except Exception as e:
            print(f"{name}: {c.name} {c.args} {n} {t}: "
                  f"{(str(e).splitlines() or [type(e).__name__])[0][:120]}", file=sys.stderr)
            continue
        np.savez(f"{path}.{name}.npz",
                 **{f"{w}{k}": a for w, part in zip("vtg", parts) for k, a in enumerate(part)})


def jobs_of(folder):
    with open(f"{folder}/jobs") as f:
        for line in f:
            i, n, batch, t = line.split()
            yield int(i), int(n), tuple(int(b) for b in batch.split("x") if b), t


# ---- comparing ----

def off(np, a, b, eps):
    """The largest difference in eps of the largest element; inf where one is finite and the
    other is not."""
    a, b = np.asarray(a, np.complex128), np.asarray(b, np.complex128)
    if a.shape != b.shape:
        return np.inf
    if b.size == 0:
        return 0.0
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(all="ignore"):
        d = np.where(same, 0, np.abs(a - b)) / eps / max(np.abs(np.where(np.isfinite(b), b,
            0)).max(), 1e-30)
    return float(np.where(np.isnan(d), np.inf, d).max())


class Table:
    """Worst differences by case's name, type, what is compared and with whom; and what is above
    its limit."""

    def __init__(self, np, folder):
        self.np, self.folder, self.worst, self.bad, self.count = np, folder, {}, [], 0

    def load(self, i, n, t, who):
        path = f"{self.folder}/{i}.{n}.{t}.{who}.npz"
        if not os.path.exists(path):
            return {}
        data = self.np.load(path)
        return {k: data[k] for k in data.files}

    def mine(self, i, n, t):
        out = {}
        for what in "vtg":
            for k in range(4):
                path = f"{self.folder}/{i}.{n}.{t}.{what}{k}.npy"
                if os.path.exists(path):
                    out[f"{what}{k}"] = self.np.load(path)
        return out

    def one(self, i, n, t, ours, theirs, who, judged):
        c = CASES[i]
        for key, b in theirs.items():
            if key not in ours:
                self.bad.append(f"{c.name} {c.args} k={c.k} n={n} {t}: no result {key}")
                continue
            a, what = ours[key], min("vtg".index(key[0]), 1)
            d = off(self.np, a, b,
                    EPS[t]) if b.dtype.kind in "fc" else 0.0 if (a == b).all() else float("inf")
            self.count += 1
            if c.limit[what] < float("inf"):
                self.worst[c.name, t, who, what] = max(self.worst.get((c.name, t, who, what),
                    0), d)
            if judged and d > c.limit[what] * (n + 4):
                self.bad.append(f"{c.name} ({c.args}) k={c.k} n={n} {t} {key} beside {who}: "
                                f"{d:.3g} eps = {d / (n + 4):.1f} (n + 4) eps")

    def add(self, i, n, t):
        wide = {"f32": "f64", "c64": "c128"}.get(t, t)
        ours, jax, torch = self.mine(i, n, t), self.load(i, n, wide, "jax"), self.load(i, n,
            wide, "torch")
        if not ours:
            self.bad.append(f"{CASES[i].name} {CASES[i].args} k={CASES[i].k} n={n} {t}: failed")
        elif wide == t:
            self.one(i, n, t, ours, jax, "jax", True)
            self.one(i, n, t, ours, torch, "torch", True)
        else:
            truth = {**torch, **jax}
            self.one(i, n, t, ours, truth, "truth", True)
            self.one(i, n, t, self.load(i, n, t, "torch"),
                     {k: v for k, v in truth.items() if k in self.load(i, n, t, "torch")},
                     "torch", False)


# ---- the statistics of draws ----

DRAWS = (("dropout", 0.3), ("init_normal", 0.5), ("truncated_normal", 0.7),
         ("xavier_uniform", 1.5), ("xavier_normal", 1.5),
         ("kaiming_uniform", 0.2), ("kaiming_normal", 0.2), ("orthogonal", 1.3))
DRAWN = (160, 48, 3, 5)                     # out, in, window: fans 720 and 2400


def expected(name, k):
    """The distribution's mean, variance, and fourth moment about the mean over the variance
    squared; the interval."""
    into, out = DRAWN[1] * 15, DRAWN[0] * 15
    glorot, kaiming = 2 * k * k / (into + out), 2 / (1 + k * k)
    cut = 0.7737413035          # variance of a standard normal within 2
    return {"dropout": (1, k / (1 - k), 1 / (k * (1 - k)) - 3, (0, 1 / (1 - k))),
            "init_normal": (1, k * k, 3, (-3, 5)),
            "truncated_normal": (0, k * k * cut, 2.37, (-2 * k, 2 * k)),
            "xavier_uniform": (0, glorot, 1.8, (-(3 * glorot) ** 0.5, (3 * glorot) ** 0.5)),
            "xavier_normal": (0, glorot, 3, (-8 * glorot ** 0.5, 8 * glorot ** 0.5)),
            "kaiming_uniform": (0, kaiming / into, 1.8,
                                (-(3 * kaiming / into) ** 0.5, (3 * kaiming / into) ** 0.5)),
            "kaiming_normal": (0, kaiming / out, 3,
                               (-8 * (kaiming / out) ** 0.5, 8 * (kaiming / out) ** 0.5))}[name]


def judge_draws(np, program, backend, folder):
    """Mean and variance within 5 standard deviations of their estimates, all numbers in the
    interval, and the orthogonal ones so.  The keys are fixed: a run gives what the last one
    gave."""
    bad = []
    for t in ("f32", "f64"):
        jobs = "".join(f"{folder}/draw.{name}.{t} {name} {k}\n" for name, k in DRAWS)
        for name, _ in DRAWS:
            np.save(f"{folder}/draw.{name}.{t}.in0.npy", np.ones(DRAWN, NUMPY[t]))
        subprocess.run([program, backend], input=jobs, text=True, check=True)
        for name, k in DRAWS:
            x = np.load(f"{folder}/draw.{name}.{t}.v0.npy").astype(np.float64)
            if name == "orthogonal":
                w = x.reshape(DRAWN[0], -1)
                if np.abs(w @ w.T - k * k * np.eye(len(w))).max() > 100 * EPS[t]:
                    bad.append(f"orthogonal {t}: rows are not")
                continue
            mean, var, fourth, (lo, hi) = expected(name, k)
            if abs(x.mean() - mean) > 5 * (var / x.size) ** 0.5:
                bad.append(f"{name} {t}: mean {x.mean()}, not {mean}")
            if abs(((x - mean) ** 2).mean() - var) > 5 * var * ((fourth - 1) / x.size) ** 0.5:
                bad.append(f"{name} {t}: variance {((x - mean) ** 2).mean()}, not {var}")
            if x.min() < lo - 4 * EPS[t] or x.max() > hi + 4 * EPS[t] * abs(hi):
                bad.append(f"{name} {t}: numbers from {x.min()} to {x.max()}, not in [{lo}, "
                           f"{hi}]")
        g = [np.load(f"{folder}/draw.dropout.{t}.{x}0.npy") for x in "gv"]
        if not (g[0] == direction(np, DRAWN, NUMPY[t]) * g[1]).all():
            bad.append(f"dropout {t}: the gradient has another mask")
    return bad


# ---- all of it ----

def wanted(args):
    types = args.types.split(",")
    for i, c in enumerate(CASES):
        if args.names and c.name not in args.names:
            continue
        for n, batch in c.sizes:
            for t in types:
                if n <= args.most and not (c.reals and t[0] == "c"):
                    yield i, n, batch, t


def main():
    from accuracy import version
    import cli
    p = cli.options()
    p.add_argument("--most", type=int, default=40)
    p.add_argument("--types", default="f64,f32,c128,c64")
    args, peers, np = cli.parse(p)
    if not peers:
        print("linalg: neither JAX nor PyTorch here, or no numpy")
        return 77
    with tempfile.TemporaryDirectory() as empty:
        folder, jobs = args.keep or empty, list(wanted(args))
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/jobs", "w") as f:
            f.writelines(f"{i} {n} x{'x'.join(map(str, batch))} {t}\n" for i, n,
                         batch, t in jobs)
        started = [subprocess.Popen([python, os.path.abspath(__file__), "--peer", name, folder])
                   for name, python in peers.items()]
        lines = []
        for i, n, batch, t in jobs:
            for k, a in enumerate(operands(np, CASES[i], n, batch, t[0] == "c")):
                np.save(f"{folder}/{i}.{n}.{t}.in{k}.npy", a.astype(NUMPY[t]))
            lines.append(f"{folder}/{i}.{n}.{t} {CASES[i].name} {CASES[i].k}\n")
        subprocess.run([args.program, args.backend], input="".join(lines),
                       text=True, check=True)
        if any(s.wait() != 0 for s in started):
            return 1
        table = Table(np, folder)
        for i, n, _, t in jobs:
            table.add(i, n, t)
        bad = table.bad + ([] if args.names and "draws" not in args.names
                           else judge_draws(np, args.program, args.backend, folder))
    print(f"linalg: {len(jobs)} cases, {table.count} comparisons, {len(bad)} above their "
          f"limits")
    for line in bad:
        print("  " + line)
    if args.write:
        import page
        table.versions = ", ".join(f"{NAMES[k]} {version(python, k)}" for k,
                                   python in peers.items())
        page.write_linalg(args.write, table, peers)
    return 1 if bad else 0


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "--peer":
        peer(sys.argv[2], sys.argv[3])
    else:
        sys.exit(main())
