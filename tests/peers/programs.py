#!/usr/bin/env python3
"""Random programs beside JAX: values, and derivatives and maps by both.

    programs.py COT [--first 0] [--count 40] [--keep FOLDER] [--checks NAME,...] [--lines 20]
    [--seconds N]

A program is a list of lines of jax.numpy and lax on random operands (programs_maker.py
makes them), lowered by JAX to StableHLO.  Of each, these are compared with what JAX computes:

    values        what it computes, by the evaluator and by the JIT, which must agree bit for
                  bit
    imported      JAX's own vjp of it, imported
    vjp, jvp, vmap, ...   our transforms of the imported program, beside JAX's of the Python one

Integers, bools and floats that are only moved must be the same; computed floats near.  Results
below the normal numbers are zeros, as JAX flushes them.  A difference is shrunk: fewer results,
then lines that become operands.  Exit status: 1 if a program differs or is refused, 77 without
JAX."""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs_maker import (     # noqa: E402
    NAMES, REFUSED, TOLERANCE, Maker, Program, differentiable, jax, jnp, ml_dtypes, np)
import near     # noqa: E402
from jax import export     # noqa: E402


# ---- Cotrace ----

class Refused(Exception):
    """cot did not give a result: (status, message)."""

def save(path, x):
    np.save(path, x.view(np.uint16) if x.dtype == ml_dtypes.bfloat16 else x)

def run_cot(cot, folder, text, operands, types, backend="eval", passes=None):
    with open(f"{folder}/f.mlir", "w") as f:
        f.write(text)
    paths = [f"{folder}/in{i}.npy" for i in range(len(operands))]
    for path, x in zip(paths, operands):
        save(path, np.asarray(x))
    command = [cot, "run", f"{folder}/f.mlir", "--backend", backend, "--out",
               f"{folder}/out"] + (["-p", passes] if passes else [])
    for i in range(len(types)):
        if os.path.exists(f"{folder}/out{i}.npy"):
            os.remove(f"{folder}/out{i}.npy")
    try:
        done = subprocess.run(command + (["--in"] + paths if paths else []),
                              capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        raise Refused("ran for 120 seconds")
    if done.returncode:
        raise Refused(f"status {done.returncode}: " +
                      "; ".join(line for line in done.stderr.strip().splitlines()[:2]))
    out = [np.load(f"{folder}/out{i}.npy") for i in range(len(types))]
    return [y.view(ml_dtypes.bfloat16) if t.dtype == ml_dtypes.bfloat16 else y
            for y, t in zip(out, types)]

# ---- comparing ----

def differs(ours, theirs, exact=False, scale=None):
    """What is wrong with an array, or None."""
    most = near.largest(theirs, 1) if not exact else 0
    return near.differs(ours, theirs, 0 if exact else TOLERANCE.get(str(ours.dtype), 0),
                        min(most, 1e4) if scale is None else max(most, scale))

def bits(x):
    nan = np.isnan(near.wide(x)) if differentiable(x.dtype) else np.zeros(x.shape, bool)
    return np.where(nan[..., None], 0,
                    np.ascontiguousarray(x).reshape(x.shape +
                                                    (1,)).view(np.uint8)) if x.size else x

def first_difference(ours, theirs, exact=None, scale=None):
    for k, (a, b) in enumerate(zip(ours, theirs)):
        why = differs(a, np.asarray(b), bool(exact and exact[k]), scale)
        if why:
            return f"result {k}: {why}"
    return None

# ---- checks: None, or what is wrong ----

def partly(q, x, wrt):
    """q as a function of its operands `wrt`, the others being x's."""
    def part(*w):
        y = list(x)
        for i, k in enumerate(wrt):
            y[k] = w[i]
        return q.call(*y)
    return part

class Checks:
    def __init__(self, cot, folder):
        self.cot, self.folder = cot, folder

    def peer(self, f, operands):
        """The text of f, and what JAX computes."""
        jitted = jax.jit(f, keep_unused=True)
        lowered = jitted.lower(*operands)
        return lowered.as_text(), [np.asarray(y)
                                   for y in jax.tree.leaves(lowered.compile()(*operands))]

    def text(self, f, operands):
        return jax.jit(f, keep_unused=True).lower(*operands).as_text()

    def compare(self, f, passes, g, operands, more=(), skip=0, back=None):
        """Our passes on f at operands and more, beside JAX's g at the same."""
        text = self.text(f, operands)
        _, want = self.peer(g, [*operands, *more])
        given = [*operands, *(back(m) if back else m for m in more)]
        got = run_cot(self.cot, self.folder, text, given, want, self.backend(), passes)
        if back:
            got = got[:skip] + [back(y) for y in got[skip:]]
        return first_difference(got, want)

    def backend(self):
        return "jit"

    def floating(self, p):
        wrt = [i for i, x in enumerate(p.operands.values()) if differentiable(x.dtype)]
        types = jax.eval_shape(p.call, *p.operands.values())
        q = Program(p.operands, p.lines,
                    [n for n, t in zip(p.results, types) if differentiable(t.dtype)])
        return q, wrt, [t for t in types if differentiable(t.dtype)]

    def cotangents(self, types):
        types = list(types)
        rng = np.random.default_rng(len(types))
        return [numbers(rng, t) for t in types]

    def values(self, p):
        operands = list(p.operands.values())
        text, want = self.peer(p.call, operands)
        a, b = (run_cot(self.cot, self.folder, text, operands, want, k)
                for k in ("eval", "jit"))
        for k, (x, y) in enumerate(zip(a, b)):
            if not np.array_equal(bits(x), bits(y)):
                return f"back ends differ in result {k}: " + str(differs(x, y, True))
        return first_difference(a, want, getattr(p, "same", None))

    def passes(self, p):
        """Passes that do not change what is computed, in any order; its reverse mode written as
        StableHLO and read again."""
        operands, rng = list(p.operands.values()), np.random.default_rng(len(p.lines) +
            len(p.operands))
        text, want = self.peer(p.call, operands)
        order = rng.permutation(["simplify", "dce", "inline", "expand", "complex", "unroll",
                                 "hoist", "functionalize", "contract", "while_to_scan"])[:4]
        got = run_cot(self.cot, self.folder, text, operands, want, "eval", " | ".join(order))
        why = first_difference(got, want, getattr(p, "same", None))
        if why:
            return f"{' | '.join(order)}: {why}"
        passes = "vjp" if any(differentiable(y.dtype)
                              for y in want) and any(differentiable(x.dtype)
                                                     for x in operands) else "simplify"
        cts = self.cotangents([y for y in want
                               if differentiable(y.dtype)]) if passes == "vjp" else []
        types = want + [x for x in operands
                        if differentiable(x.dtype)] if passes == "vjp" else want
        got = run_cot(self.cot, self.folder, text, operands + cts, types, "eval", passes)
        done = subprocess.run([self.cot, "build", f"{self.folder}/f.mlir", "-p", passes, "-o",
                               f"{self.folder}/g.mlir"], capture_output=True, text=True)
        if done.returncode:
            raise Refused("export: " + done.stderr.strip().splitlines()[0])
        with open(f"{self.folder}/g.mlir") as f:
            again = run_cot(self.cot, self.folder, f.read(), operands + cts, types, "eval")
        why = first_difference(again, got)
        return f"exported {passes}: {why}" if why else None

    def sizes(self, p):
        """With sizes that the text leaves open: axes of one size have one name."""
        operands = list(p.operands.values())
        scope = export.SymbolicScope()

        def open_type(x):
            names = ", ".join(f"n{s}" if s > 1 else str(s) for s in x.shape)
            return jax.ShapeDtypeStruct(export.symbolic_shape(names, scope=scope) if x.shape
                                        else (), x.dtype)
        text = export.export(jax.jit(p.call, keep_unused=True))(*map(open_type,
            operands)).mlir_module()
        if "?" not in text:
            return None
        _, want = self.peer(p.call, operands)
        return first_difference(run_cot(self.cot, self.folder, text, operands, want, "eval"),
                                want, getattr(p, "same", None))

    def reverse(self, p):
        q, wrt, types = self.floating(p)
        operands = list(p.operands.values())

        def g(*v):
            x, ct = list(v[:len(operands)]), v[len(operands):]
            out, pull = jax.vjp(partly(q, x, wrt), *[x[k] for k in wrt])
            return (*out, *pull(tuple(ct)))
        return q, wrt, types, operands, g

    def imported(self, p):
        q, wrt, types, operands, g = self.reverse(p)
        if not wrt or not types:
            return None
        given, kind = operands + self.cotangents(types), (len(p.lines) + len(operands)) % 4
        f, real = self.scalar(p)
        if kind == 1:
            tangents = self.cotangents(operands[k] for k in wrt)

            def g(*v):
                return jax.jvp(partly(q, list(v[:len(operands)]), wrt),
                               tuple(v[k] for k in wrt), tuple(v[len(operands):]))
            given = operands + tangents
        if kind == 2:
            g, given = jax.vmap(g), [np.stack([x, np.roll(x, 1)]) for x in given]
        if kind == 3 and real and operands[real[0]].size <= 12:
            g, given = jax.hessian(f, real[0]), operands
        text, want = self.peer(g, given)
        return first_difference(run_cot(self.cot, self.folder, text, given, want, "jit"), want)

    def vjp(self, p):
        q, wrt, types, operands, g = self.reverse(p)
        if not wrt or not types:
            return None
        return self.compare(q.call, f"vjp(wrt={wrt})".replace(" ", ""), g, operands,
                            self.cotangents(types), len(types), np.conj)

    def jvp(self, p):
        q, wrt, types = self.floating(p)
        operands = list(p.operands.values())
        if not wrt or not types:
            return None

        def g(*v):
            x, dx = list(v[:len(operands)]), v[len(operands):]
            out, dout = jax.jvp(partly(q, x, wrt), tuple(x[k] for k in wrt), tuple(dx))
            return (*out, *dout)
        return self.compare(q.call, f"jvp(wrt={wrt})".replace(" ", ""), g, operands,
                            self.cotangents([operands[k] for k in wrt]))

    def vmap(self, p):
        """Over axes anywhere, of some operands; twice for every other program."""
        operands, rng = list(p.operands.values()), np.random.default_rng(len(p.lines))
        mapped = [rng.random() < 0.7 for _ in operands]
        needs = dict(zip(p.operands, mapped))
        for names, text in p.lines:
            needs.update({n: any(needs[k] for k in NAMES.findall(text)) for n in names})
        q = Program(p.operands, p.lines, [n for n in p.results if needs[n]])
        if not q.results:
            return None
        axes = [int(rng.integers(0, x.ndim + 1)) if m else None
                for x, m in zip(operands, mapped)]
        given = [x if a is None else np.stack([x, np.roll(x, 1), np.flip(x)], a)
                 for x, a in zip(operands, axes)]
        out = int(rng.integers(0, 1 + min(y.ndim for y in jax.eval_shape(q.call, *operands))))
        f, text = jax.vmap(q.call, in_axes=axes, out_axes=out), self.text(q.call, operands)
        mapped = ','.join('none' if a is None else str(a) for a in axes)
        passes = f"vmap(in=[{mapped}],out={out})"
        if rng.random() < 0.5:
            inner = [x.shape for x in given]
            k = int(rng.integers(0, len(given)))
            f = jax.vmap(f, in_axes=[0 if i == k else None for i in range(len(given))])
            if axes[k] is None:
                return None
            given[k] = np.stack([given[k], np.roll(given[k], 1)])
            mapped = ','.join('0' if i == k else 'none' for i in range(len(inner)))
            passes += f" | vmap(in=[{mapped}],out=0)"
            reach = {n: n == list(p.operands)[k] for n in p.operands}
            for names, line in p.lines:
                reach.update({n: any(reach[j] for j in NAMES.findall(line)) for n in names})
            if not all(reach[n] for n in q.results):
                return None
        _, want = self.peer(f, given)
        return first_difference(run_cot(self.cot, self.folder, text, given, want,
                                        self.backend(), passes), want)

    def scalar(self, p):
        """The sum of all results, each element weighted, as a real number."""
        q, wrt, types = self.floating(p)
        weights = self.cotangents(types)
        real = [k for k in wrt if list(p.operands.values())[k].dtype in (np.float64,)]

        def f(*v):
            return sum((jnp.sum(jnp.real(y * w).astype(jnp.float64))
                        for y, w in zip(q.call(*v), weights)), jnp.float64(0))
        return f, real

    def hvp(self, p):
        f, wrt = self.scalar(p)
        operands = list(p.operands.values())
        if not wrt:
            return None
        tangents = self.cotangents([operands[k] for k in wrt])

        def g(*v):
            x, dx = list(v[:len(operands)]), v[len(operands):]

            def part(*w):
                y = list(x)
                for i, k in enumerate(wrt):
                    y[k] = w[i]
                return f(*y)
            out, dout = jax.jvp(jax.grad(part, tuple(range(len(wrt)))),
                                tuple(x[k] for k in wrt), tuple(dx))
            return (*out, *dout)
        w = str(wrt).replace(" ", "")
        return self.compare(f, f"grad(wrt={w}) | jvp(wrt={w})", g, operands, tangents)

    def grads(self, p):
        """Gradients by example."""
        f, wrt = self.scalar(p)
        operands = list(p.operands.values())
        if not wrt:
            return None
        given = [np.stack([x, np.roll(x, 1)]) for x in operands]
        text = jax.jit(f, keep_unused=True).lower(*operands).as_text()
        _, want = self.peer(jax.vmap(jax.grad(f, tuple(wrt))), given)
        w = str(wrt).replace(" ", "")
        return first_difference(run_cot(self.cot, self.folder, text, given, want,
                                        self.backend(), f"grad(wrt={w}) | vmap(in=0,out=0)"),
                                want)

    def jacobian(self, p):
        """Both modes, of the first operands that are small."""
        f, wrt = self.scalar(p)
        operands = list(p.operands.values())
        q, _, types = self.floating(p)
        real = [k for k in wrt if operands[k].size <= 12][:2]
        if not real or any(t.dtype.kind == "c" or np.prod(t.shape) > 40
                           for t in types) or not types:
            return None
        for name, of, g in (("jacrev", q.call, jax.jacrev), ("jacfwd", q.call, jax.jacfwd),
                            ("hessian", f, jax.hessian)):
            if name != "hessian" and (name == "jacrev") == (len(p.lines) % 2 == 0):
                continue
            why = self.compare(of, f"{name}(wrt={real})".replace(" ", ""),
                               g(of, tuple(real)), operands)
            if why:
                return f"{name}: {why}"
        return None

    def twice(self, p):
        """The derivative of a derivative, forwards."""
        f, wrt = self.scalar(p)
        operands = list(p.operands.values())
        if not wrt:
            return None
        k, d = wrt[0], self.cotangents([operands[wrt[0]]])[0]

        def along(h):
            return lambda *v: jax.jvp(lambda x: h(*v[:k], x, *v[k + 1:]), (v[k],),
                                      (jnp.asarray(d),))[1]

        def g(*v):
            return along(along(f))(*v[:-2])
        text = self.text(f, operands)
        _, want = self.peer(g, [*operands, d, d])
        got = run_cot(self.cot, self.folder, text, [*operands, d, d, np.zeros_like(d)],
                      [np.float64(0)] * 4, self.backend(),
                      f"jvp(wrt=[{k}]) | jvp(wrt=[{k},{len(operands)}])")
        return first_difference([got[3]], want)

def numbers(rng, t):
    x = rng.uniform(-1, 1, t.shape)
    return np.asarray(x + 1j * rng.uniform(-1, 1, t.shape)
                      if np.dtype(t.dtype).kind == "c" else x).astype(t.dtype)

VALUE, DERIVATIVE = ["values", "passes", "sizes"], ["imported", "vjp", "jvp", "vmap", "hvp",
                                                    "grads", "jacobian", "twice"]

def attempt(checks, name, p):
    """None, or (kind, message)."""
    try:
        why = getattr(checks, name)(p)
        return ("differs", why) if why else None
    except Refused as e:
        return ("refused", str(e))
    except Exception as e:  # noqa: BLE001 -- JAX has no such derivative, or cannot compile it
        REFUSED[f"{name}: {type(e).__name__}"] += 1
        if os.environ.get("PROGRAMS_DEBUG"):
            print(name, str(e)[:300])
        return None

# ---- shrinking ----

def shrink(checks, name, p, kind):
    def bad(q):
        found = attempt(checks, name, q)
        return found and found[0] == kind
    for k in p.results:
        q = Program(p.operands, p.lines, [k]).trimmed()
        if bad(q):
            p = q
            break
    done = set()
    while True:
        rest = [n for n, _ in p.lines if n[0] not in done and not set(n) & set(p.results)]
        if not rest:
            return p
        # the last line that has not been tried becomes operands
        names = rest[-1]
        done.add(names[0])
        try:
            values = Program(p.operands, p.lines, names).call(*p.operands.values())
        except Exception:  # noqa: BLE001
            continue
        order = {**p.operands, **{n: np.asarray(v) for n, v in zip(names, values)}}
        q = Program(order, [x for x in p.lines if x[0] != names], p.results).trimmed()
        if bad(q):
            p = q

def report(args, checks, seed, name, p, found, seen):
    small = shrink(checks, name, p, found[0])
    what = attempt(checks, name, small) or found
    signature = (name, found[0],
                 tuple(sorted(set(re.findall(r"[a-z]\w+(?=\()",
                                             " ".join(t for _, t in small.lines))))))
    seen[signature] += 1
    if seen[signature] > 2:
        return
    print(f"---- program {seed}, {name}: {what[1]}\n{small}", flush=True)
    if args.keep:
        at = f"{args.keep}/{seed}.{name}"
        os.makedirs(at, exist_ok=True)
        with open(f"{at}/f.mlir", "w") as f:
            f.write(jax.jit(small.call,
                            keep_unused=True).lower(*small.operands.values()).as_text())
        for i, x in enumerate(small.operands.values()):
            save(f"{at}/in{i}.npy", x)
        with open(f"{at}/f.txt", "w") as f:
            f.write(f"{what[1]}\n{small}\n")

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cot")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--lines", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--keep")
    parser.add_argument("--checks")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--step", type=int, default=1)
    args = parser.parse_args()
    wanted = args.checks.split(",") if args.checks else VALUE + DERIVATIVE
    began, ran, lines, failed, seen = time.time(), 0, 0, 0, collections.Counter()
    compared = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        checks = Checks(os.path.abspath(args.cot), folder)
        for seed in range(args.first, args.first + args.count * args.step, args.step):
            if time.time() - began > args.seconds:
                break
            smooth = seed % 2 == 0
            if os.environ.get("PROGRAMS_DEBUG"):
                print("#", seed, round(time.time() - began), lines, flush=True)
            maker = Maker(seed, smooth, args.lines, args.large)
            p = maker.program()
            if p is None:
                continue
            p.same = [maker.same[k] for k in p.results]
            ran, lines = ran + 1, lines + len(p.lines)
            # The derivatives and maps that are asked of a program differ from seed to seed:
            # compiling is most of the time.
            some = [k for i, k in enumerate(DERIVATIVE)
                    if (seed // 2 + i) % 4 == 0] if smooth else ["vmap"][seed // 2 % 3:]
            for name in [k for k in wanted if k in VALUE + some]:
                found = attempt(checks, name, p)
                compared[name] += 1
                if found:
                    failed += 1
                    report(args, checks, seed, name, p, found, seen)
    print(f"programs: {ran} of {lines} lines, compared " +
          ", ".join(f"{n} {k}" for k, n in compared.items()) + f"; {failed} differ")
    if os.environ.get("PROGRAMS_DEBUG"):
        print(REFUSED.most_common(40))
    return failed > 0

if __name__ == "__main__":
    sys.exit(main())
