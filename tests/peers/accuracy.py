#!/usr/bin/env python3
"""Every pointwise, reducing and moving op beside JAX and PyTorch: values and derivatives, on random operands and on
special ones (zeros of both signs, infinities, NaN, subnormal numbers, the ends of the range).

    accuracy.py COT [--jax PYTHON] [--torch PYTHON] [--write FILE] [--show] [--keep FOLDER]
                [--types f64,f32,bf16,i32,u8] [NAME ...]

COT is the program `cot`: each op becomes a .cot file, run by the evaluator, whose bits every back end has.  The peers
run in Pythons of their own, for all ops at once.  A difference on special operands must be one of those explained in
differences.py; anything else fails.  --write makes the page; --show lists what a peer lacks; --keep holds what the peers gave, for the next run
with the same cases.
Exit status: 77 if there is neither JAX nor PyTorch."""
import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from cases import CASES     # noqa: E402

SIZE = {"f64": (52, -1022), "f32": (23, -126), "bf16": (7, -126), "f16": (10, -14)}
NUMPY = {"f64": "float64", "f32": "float32", "bf16": "uint16", "f16": "float16", "bool": "bool", "i8": "int8", "i16": "int16",
         "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64"}
RANDOM = 200


def is_float(t):
    return t in SIZE


# ---- operands, the same for all ----

def specials(np, t):
    if is_float(t):
        digits, least = SIZE[t]
        top = (2 - 2.0 ** -digits) * 2.0 ** {"f64": 1023, "f32": 127, "bf16": 127, "f16": 15}[t]
        return [0.0, -0.0, 1, -1, 2, -3, 0.5, -2.5, float("inf"), float("-inf"), float("nan"), 2.0 ** least, 2.0 ** (least - digits),
                -2.0 ** (least - 2), top, -top, 100.0, 7.0]
    info = np.iinfo(NUMPY[t])
    return [0, 1, 2, 3, 7, 31, 64, info.max, info.max - 1, info.min, info.min + 1] + ([-1, -2, -7] if info.min else [])


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
    """Arrays of the operands: random ones first; pointwise ops get the special ones after them, in all combinations."""
    rng = np.random.default_rng(sum(map(ord, c.label + t)))
    out = []
    if c.shapes is None:
        sp = specials(np, t)
        grids = np.meshgrid(*[np.arange(len(sp))] * c.n, indexing="ij") if c.n < 3 else [np.arange(len(sp))] * 3
        for i in range(c.n):
            if is_float(t):
                r = list(rng.uniform(c.lo, c.hi, RANDOM))
            else:
                info = np.iinfo(NUMPY[t])
                r = [int(k) for k in rng.integers(info.min, info.max, RANDOM, dtype=NUMPY[t], endpoint=True)]
            chosen = [sp[k] for k in (np.roll(grids[i], i) if c.n == 3 else grids[i]).ravel()]
            out.append(narrow(np, r + chosen, t) if is_float(t) else np.array(r + chosen, NUMPY[t]))
        if c.name == "clamp":               # lo <= hi
            out[0], out[2] = (np.where(widen(np, out[0], t) <= widen(np, out[2], t), out[0], out[2]),
                              np.where(widen(np, out[0], t) <= widen(np, out[2], t), out[2], out[0]))
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
    return f"fn @f({args}) -> {result} {{\n  %0 = {c.name} {names} {c.attrs} : {result}\n  ret %0\n}}\n"


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
        return torch.from_numpy(a.view(np.int16).copy()).view(torch.bfloat16) if t == "bf16" else torch.from_numpy(a.copy())

    def store(a):
        a = a.detach()
        return a.view(torch.int16).numpy().view(np.uint16) if a.dtype == torch.bfloat16 else a.numpy()

    def run(c, t, arrays, wrt):
        x = [load(a, "i32" if i in c.ints else t) for i, a in enumerate(arrays)]
        for k in wrt:
            x[k].requires_grad_(True)
        y = eval(c.torch, {"torch": torch, "t": torch.special, **dict(zip("xyz", x))})
        if not wrt:
            return [store(y)]
        if not y.requires_grad:
            return [store(y)] + [np.zeros_like(arrays[k]) for k in wrt]
        grads = torch.autograd.grad(y, [x[k] for k in wrt], torch.ones_like(y), allow_unused=True)
        return [store(y)] + [np.zeros_like(arrays[k]) if g is None else store(g) for k, g in zip(wrt, grads)]
    peer(path, np, "torch", run)


def peer(path, np, name, run):
    """Reads the operands of every case from path, writes results beside them."""
    with open(f"{path}/cases.json") as f:
        wanted = json.load(f)
    for k, t in wanted:
        c = CASES[k]
        if getattr(c, name) is None:
            continue
        if os.path.exists(f"{path}/{k}.{t}.{name}.npz"):
            continue
        data = np.load(f"{path}/{k}.{t}.npz")
        arrays = [data[f"a{i}"] for i in range(c.n)]
        try:
            out = run(c, t, arrays, gradients(c, t))
        except Exception as e:              # a type that the peer lacks
            print(f"{name}: {c.label} {t}: {str(e).splitlines()[0][:90]}", file=sys.stderr)
            continue
        np.savez(f"{path}/{k}.{t}.{name}.npz", *out)


# ---- comparing ----

def ulps(np, a, b, t, scale=None):
    """|a - b| in units of the last place of b, or of `scale`; equal infinities and two NaN are 0, one of them inf."""
    digits, least = SIZE[t]
    with np.errstate(all="ignore"):
        size = np.maximum(np.abs(b) if scale is None else scale, 2.0 ** least)
        unit = 2.0 ** (np.floor(np.log2(np.where(np.isfinite(size), size, 1))) - digits)
        off = np.abs(a - b) / unit
    off = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0, off)
    return np.where(np.isnan(off), np.inf, off)


def differs(np, a, b, t):
    """On special operands: another class, another sign of zero, or digits that are not the same number."""
    rough = {"f64": 1e-9, "f32": 1e-4, "bf16": 0.05, "f16": 0.01}[t]
    with np.errstate(all="ignore"):
        near = np.abs(a - b) <= rough * np.maximum(np.abs(a), np.abs(b))
    same = (a == b) | (np.isnan(a) & np.isnan(b)) | near
    zero = (a == 0) & (b == 0) & (np.signbit(a) != np.signbit(b))
    return ~same | zero


def subnormal(np, arrays, t):
    least = 2.0 ** SIZE[t][1]
    found = np.zeros(len(arrays[0]), bool)
    for a in arrays:
        found |= (a != 0) & (np.abs(a) < least)
    return found


class Row:
    """What the page says of an op at a type beside a peer."""

    def __init__(self):
        self.worst, self.special, self.letters = [0.0, 0.0], [0, 0], set()


def compare(np, c, t, arrays, mine, theirs, name, complain):
    row = Row()
    wide = [widen(np, a, "i32" if i in c.ints else t) for i, a in enumerate(arrays)]
    for k, (a, b) in enumerate(zip(mine, theirs)):
        what, rt = min(k, 1), t if k else c.result or t
        if not is_float(rt):
            a, b = np.asarray(a), np.asarray(b).astype(a.dtype)
            bad = (a != b).ravel()
            if c.shapes is None and is_float(t):
                flushed = bad & subnormal(np, wide, t)
                row.letters |= {"a"} if flushed.any() else set()
                bad &= ~flushed
            row.special[what] += int(bad.sum())
            if bad.any():
                row.letters |= complain(c, t, name, what, wide, a.ravel(), b.ravel(), bad)
            continue
        a, b = widen(np, a, rt).ravel(), widen(np, b, rt).ravel()
        n = len(a) if c.shapes else RANDOM
        scale = np.full(n, np.max(np.abs(b))) if c.kind == "reduction" else None
        row.worst[what] = max(row.worst[what], float(ulps(np, a[:n], b[:n], rt, scale).max(initial=0)))
        if c.shapes:
            continue
        bad = differs(np, a, b, rt)
        bad[:n] = False
        flushed = bad & subnormal(np, wide + [a, b], t if is_float(t) else rt)
        row.letters |= {"a"} if flushed.any() else set()
        bad &= ~flushed
        row.special[what] += int(bad.sum())
        if bad.any():
            row.letters |= complain(c, t, name, what, wide, a, b, bad)
    return row


# ---- all of it ----

def python_with(module, given):
    for python in [given] if given else [sys.executable]:
        if os.path.exists(python) and subprocess.run([python, "-c", f"import {module}, numpy"], capture_output=True).returncode == 0:
            return python
    return None


def main():
    p = argparse.ArgumentParser()
    p.add_argument("cot")
    p.add_argument("--jax")
    p.add_argument("--torch")
    p.add_argument("--write")
    p.add_argument("--show", action="store_true")
    p.add_argument("--keep")
    p.add_argument("--types", default="f64,f32,bf16,i32,u8")
    p.add_argument("names", nargs="*")
    args = p.parse_args()
    peers = {k: python_with(k, getattr(args, k)) for k in ("jax", "torch")}
    peers = {k: v for k, v in peers.items() if v}
    if not peers:
        print("accuracy: neither JAX nor PyTorch here")
        return 77
    import numpy as np
    import differences
    import page
    wanted = [(k, t) for k, c in enumerate(CASES) for t in c.types
              if t in args.types.split(",") and (not args.names or c.name in args.names)]
    rows, unexplained, seen = {}, [], set()

    def complain(c, t, name, what, arrays, a, b, bad):
        why = differences.reason(np, c, name, what, t, arrays, a, b, bad)
        seen.update(why)
        if None in why:
            i = int(np.flatnonzero(bad & why[None])[0])
            at = ", ".join(repr(x.ravel()[i].item()) for x in arrays) if c.shapes is None else str(i)
            unexplained.append(f"{c.label} {t} beside {name}, {('value', 'derivative')[what]} at {at}: {a[i]!r}, there {b[i]!r}"
                               f" ({int((bad & why[None]).sum())} such)")
        return {k for k in why if k}
    with tempfile.TemporaryDirectory() as empty:
        folder, mine = args.keep or empty, {}
        with open(f"{folder}/cases.json", "w") as f:
            json.dump(wanted, f)
        for k, t in wanted:
            arrays = operands(np, CASES[k], t)
            np.savez(f"{folder}/{k}.{t}.npz", **{f"a{i}": a for i, a in enumerate(arrays)})
        started = {name: subprocess.Popen([python, os.path.abspath(__file__), "--peer", name, folder], stderr=subprocess.PIPE,
                                          text=True) for name, python in peers.items()}
        for k, t in wanted:
            arrays = operands(np, CASES[k], t)
            mine[k, t] = arrays, run_cot(np, args.cot, CASES[k], t, arrays, empty)
        for name in peers:
            said = started[name].communicate()[1]
            if args.show:
                print(said)
            if started[name].returncode != 0:
                raise SystemExit(said)
            for k, t in wanted:
                path = f"{folder}/{k}.{t}.{name}.npz"
                if os.path.exists(path):
                    data = np.load(path)
                    theirs = [data[f] for f in data.files]
                    rows[k, t, name] = compare(np, CASES[k], t, *mine[k, t], theirs, name, complain)
    for k, t, name in rows:
        limit = differences.bound(CASES[k], t, name)
        for what in (0, 1):
            if rows[k, t, name].worst[what] > limit[what]:
                unexplained.append(f"{CASES[k].label} {t} beside {name}: worst {('value', 'derivative')[what]} "
                                   f"{rows[k, t, name].worst[what]:.3g} ulp, more than {limit[what]}")
    if args.write:
        page.write(args.write, rows, CASES, list(peers), seen)
    print(f"accuracy: {len(wanted)} ops at a type, {len(rows)} comparisons, {len(unexplained)} unexplained")
    for line in unexplained:
        print("  " + line)
    return 1 if unexplained else 0


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "--peer":
        {"jax": peer_jax, "torch": peer_torch}[sys.argv[2]](sys.argv[3])
    else:
        sys.exit(main())
