#!/usr/bin/env python3
"""Every worked example of torch.func beside PyTorch, and beside JAX: time per call, as ratios (above 1:
Cotrace is faster).

    torch_func.py FOLDER [--peers torch,jax] [--seconds S] [NAME ...]

FOLDER has the programs of examples/torch_func.  Each is asked to time the functions it carries (CARRIERS_TIME), as a
user calls them: cot_jit, whose first call compiled.  PyTorch calls the same function as its documentation writes it;
JAX calls it through jax.jit.  All run pinned to one processor; Cotrace runs before and after each peer, and its better
half is compared.  A peer's figures have to be Cotrace's.  A peer that this Python does not have is skipped, and named;
so is what has no time: errors, and what a peer cannot do.
"""
import argparse
import importlib.util
import json
import os
import re
import statistics
import subprocess
import sys
import time

X = [[1., 2, 3, 4, 5], [6, 7, 8, 9, 10]]
Y = [[1., -1, 2, -2, 3], [0, 1, 0, -1, 2]]
E = [[1., 2, 3, 4, 5], [-1, 0, 1, -2, 2], [.5, -.5, 1, 0, 4]]
W5 = [1., -1, .5, 2, -.25]
W3 = [[1., 2, 3], [4, 5, 6], [7, 8, 10]]
B3 = [.5, -.5, 1]
A = [[[float(15 * i + 5 * j + k) for k in range(5)] for j in range(3)] for i in range(2)]
B = [[[x % 7 - 3 for x in row] for row in m] for m in A]
VECS = [[0., 1, 2], [3, 4, 5]]

# What has no time: why.
UNTIMED = {
    "global_escape": "an error in each",
    "inplace_unmapped": "an error in each",
    "item_error": "an error in each",
}


def torch_cases(at):
    """at(program, title, function, *arguments) for each example, as torch.func's users write it."""
    import torch
    from torch.func import functional_call, functionalize, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, \
        linearize, vjp, vmap
    t = torch.tensor

    def d(x):
        return torch.tensor(x, dtype=torch.float64)

    dot = torch.dot
    at("batched_dot", "vmap(dot)(X, Y)", vmap(dot), t(X), t(Y))
    at("dot_in_dims_1", "vmap(dot, in_dims=1)(X, Y)", vmap(dot, in_dims=1), t(X), t(Y))
    at("dot_0_none", "vmap(dot, in_dims=(0, none))(X, y)", vmap(dot, in_dims=(0, None)), t(X), t(Y[0]))
    struct = vmap(lambda a: dot(a["x"], a["y"]), in_dims=({"x": 0, "y": None},))
    for title in ("in_dims x:0, y:none", "the same as a pipeline"):
        at("dot_struct", title, struct, {"x": t(X), "y": t(Y[0])})
    at("nested_dot", "vmap(vmap(dot))(A, B)", vmap(vmap(dot)), t(A), t(B))
    at("square_out_dims_1", "vmap(square, out_dims=1)(X)", vmap(lambda x: x ** 2, out_dims=1), t(X))

    def scaled(x, scale=4.):
        return x * scale

    at("scale_optional", "vmap(f)(X)", vmap(scaled), t(X))
    at("scale_optional", "vmap(f)(X, scale=X)", lambda x, s: vmap(scaled)(x, scale=s), t(X), t(X))
    at("scale_optional", "vmap(f)(X, scale=0.5)", lambda x: vmap(scaled)(x, scale=.5), t(X))

    def model(w, e):
        return e.dot(w).relu()

    def batch(w, es):
        return vmap(lambda e: model(w, e))(es)

    at("hidden_batch_model", "the batch", batch, t(W5), t(E))
    at("hidden_batch_model", "gradient of the sum", grad(lambda w, es: batch(w, es).sum()), t(W5), t(E))
    at("hidden_batch_model", "gradients per example", vmap(grad(model), (None, 0)), t(W5), t(E))
    at("aux_intermediate", "grad(f, aux)(0.5), sin(0.5)",
       grad(lambda x: (x.sin().sin(), x.sin()), has_aux=True), d(.5))

    def squares(x):
        return (x * x).sum(0)

    at("for_loop_model", "vmap(f)(x)", vmap(squares), t([[1., 2], [3, 4], [5, 6]]))
    at("for_loop_model", "f of one example", squares, t([1., 2]))
    for title in ("vmap(f)(x)", "vmap(f)(x), again"):
        at("effects_once", title, vmap(lambda x: x.sum(0)), t([[1.], [2], [3]]))

    def custom_dot(x):
        return torch.dot(x, x) if x.dim() == 1 else x ** 2

    at("custom_dot", "vmap(f)([1, -2, 3])", vmap(custom_dot), t([1., -2, 3]))
    at("custom_dot", "vmap(f)([[1, 2, 3], [4, 5, 6]])", vmap(custom_dot), t([[1., 2, 3], [4, 5, 6]]))
    at("custom_dot", "f([1, -2, 3])", custom_dot, t([1., -2, 3]))

    def choose(x):
        return torch.where(x > 0, x, 0.)

    at("relu_if", "vmap(relu)(x)", vmap(choose), t([1., -2, 3]))
    at("relu_if", "vmap(grad(relu))(x)", vmap(grad(choose)), t([1., -2, 3]))

    def diag_embed(v):
        out = v.new_zeros(v.shape[-1], v.shape[-1])
        out.diagonal(0, -1, -2).copy_(v)
        return out

    at("diag_embed_new_zeros", "vmap(diag_embed)(vecs)", vmap(diag_embed), t(VECS))

    def plus_one(x):
        y = x.clone()
        y.view(-1).add_(1)
        return y * x

    x4 = t([[1., 2], [3, 4]])
    at("functionalize", "f(x)", plus_one, x4)
    at("functionalize", "without mutations", functionalize(plus_one), x4)
    at("functionalize", "without mutations and views", functionalize(plus_one, remove="mutations_and_views"), x4)

    def into(x, y):
        out = x.new_zeros(2)
        return out.copy_(x + y)

    at("out_argument", "into a local value", vmap(into, (0, None)), t([[1., 2], [3, 4], [5, 6]]), t([10., 20]))
    at("inplace_mapped", "vmap(x += y)", vmap(lambda x, y: x.add_(y)), t([[10.], [20], [30]]), t([[1.], [2], [3]]))
    for title, x in (("nonzero(xs[0])", [0., 1, 2]), ("nonzero(xs[1])", [0., 0, 3])):
        at("nonzero", title, torch.nonzero, t(x))
    ones = torch.ones(3)
    for name, how in (("add_noise_different", "different"), ("add_noise_same", "same")):
        at(name, "vmap(add_noise)(1)", vmap(lambda x: x + torch.randn(()), randomness=how), ones)

    linear = torch.nn.Linear(3, 3)
    with torch.no_grad():
        linear.weight.copy_(t(W3))
        linear.bias.copy_(t(B3))
    for p in linear.parameters():
        p.requires_grad_(False)
    params = {"weight": t(W3), "bias": t(B3)}
    x3 = t([1., -1, 2])
    at("linear_jacobian", "y", linear, x3)
    at("linear_jacobian", "jacrev(f)(x)", jacrev(linear), x3)
    for name, jac in (("jacrev", jacrev), ("jacfwd", jacfwd)):
        at("linear_param_jacobian", name + " over {weight, bias}",
           jac(lambda p, x: functional_call(linear, p, (x,))), params, x3)

    weights = {"weight": t([[[1., 0]], [[2, -1]], [[3, -2]]]), "bias": t([[0.], [10], [20]])}
    line = torch.nn.Linear(2, 1, device="meta")

    def one(p, x):
        return functional_call(line, p, (x,))

    at("stack_module_state", "shared x", vmap(one, (0, None)), weights, t([2., 3]))
    at("stack_module_state", "own x", vmap(one), weights, t([[2., 3], [1, 1], [0, 2]]))

    norm = torch.nn.functional.batch_norm

    def normed(x):
        return norm(2 * norm(x, None, None, training=True), None, None, training=True)

    at("batch_norm_patch", "vmap, patched", vmap(normed), t([[[1.], [3]], [[0], [8]]]))

    def f(x):
        return (x * x.sin()).sum()

    x, dx, ct = d([.5, -1, 2]), d([1., 2, -1]), d(2.)
    at("transforms", "f(x)", f, x)
    at("transforms", "grad(f)(x)", grad(f), x)
    at("transforms", "grad_and_value(f)(x)", grad_and_value(f), x)

    def pull(x, ct):
        y, back = vjp(f, x)
        return y, back(ct)[0]

    at("transforms", "vjp(f)(x, 2)", pull, x, ct)
    at("transforms", "jvp(f)(x, dx)", lambda x, dx: jvp(f, (x,), (dx,)), x, dx)

    def push(x, dx):
        y, lin = linearize(f, x)
        return y, lin(dx)

    at("transforms", "linearize(f)(x, dx)", push, x, dx)
    at("transforms", "jacrev(f)(x)", jacrev(f), x)
    at("transforms", "jacfwd(f)(x)", jacfwd(f), x)
    at("transforms", "hessian(f)(x)", hessian(f), x)
    back, lin = vjp(f, x)[1], linearize(f, x)[1]
    at("transforms", "bwd(res, 2)", lambda ct: back(ct)[0], ct)
    at("transforms", "lin(res, dx)", lin, dx)
    at("transforms", "fwd(x)", lambda x: vjp(f, x)[0], x)

    eye = torch.eye(5, dtype=torch.float32)
    x5 = t([1., -2, 3, .5, -.25])
    pullback = vjp(lambda x: x ** 2, x5)[1]
    at("jacobian_rows", "vmap(bwd)(I)", lambda i: vmap(pullback)(i)[0], eye)


def jax_cases(at):
    """The same in JAX: at jits."""
    import jax
    import jax.numpy as jnp
    jax.config.update("jax_enable_x64", True)
    vmap, grad = jax.vmap, jax.grad

    def t(x):
        return jnp.asarray(x, jnp.float32)

    def d(x):
        return jnp.asarray(x, jnp.float64)

    dot = jnp.dot
    at("batched_dot", "vmap(dot)(X, Y)", vmap(dot), t(X), t(Y))
    at("dot_in_dims_1", "vmap(dot, in_dims=1)(X, Y)", vmap(dot, in_axes=1), t(X), t(Y))
    at("dot_0_none", "vmap(dot, in_dims=(0, none))(X, y)", vmap(dot, in_axes=(0, None)), t(X), t(Y[0]))
    struct = vmap(lambda a: dot(a["x"], a["y"]), in_axes=({"x": 0, "y": None},))
    for title in ("in_dims x:0, y:none", "the same as a pipeline"):
        at("dot_struct", title, struct, {"x": t(X), "y": t(Y[0])})
    at("nested_dot", "vmap(vmap(dot))(A, B)", vmap(vmap(dot)), t(A), t(B))
    at("square_out_dims_1", "vmap(square, out_dims=1)(X)", vmap(lambda x: x ** 2, out_axes=1), t(X))
    at("scale_optional", "vmap(f)(X)", vmap(lambda x: x * 4.), t(X))
    at("scale_optional", "vmap(f)(X, scale=X)", vmap(lambda x, s: x * s, (0, None)), t(X), t(X))
    at("scale_optional", "vmap(f)(X, scale=0.5)", vmap(lambda x: x * .5), t(X))

    def model(w, e):
        return jax.nn.relu(e @ w)

    batch = vmap(model, (None, 0))
    at("hidden_batch_model", "the batch", batch, t(W5), t(E))
    at("hidden_batch_model", "gradient of the sum", grad(lambda w, es: batch(w, es).sum()), t(W5), t(E))
    at("hidden_batch_model", "gradients per example", vmap(grad(model), (None, 0)), t(W5), t(E))
    at("aux_intermediate", "grad(f, aux)(0.5), sin(0.5)",
       grad(lambda x: (jnp.sin(jnp.sin(x)), jnp.sin(x)), has_aux=True), d(.5))

    def squares(x):
        return (x * x).sum(0)

    at("for_loop_model", "vmap(f)(x)", vmap(squares), t([[1., 2], [3, 4], [5, 6]]))
    at("for_loop_model", "f of one example", squares, t([1., 2]))
    for title in ("vmap(f)(x)", "vmap(f)(x), again"):
        at("effects_once", title, vmap(lambda x: x.sum(0)), t([[1.], [2], [3]]))

    def custom_dot(x):
        return x @ x if x.ndim == 1 else x ** 2

    at("custom_dot", "vmap(f)([1, -2, 3])", vmap(custom_dot), t([1., -2, 3]))
    at("custom_dot", "vmap(f)([[1, 2, 3], [4, 5, 6]])", vmap(custom_dot), t([[1., 2, 3], [4, 5, 6]]))
    at("custom_dot", "f([1, -2, 3])", custom_dot, t([1., -2, 3]))

    def choose(x):
        return jax.lax.cond(x > 0, lambda x: x, lambda x: x * 0., x)

    at("relu_if", "vmap(relu)(x)", vmap(choose), t([1., -2, 3]))
    at("relu_if", "vmap(grad(relu))(x)", vmap(grad(choose)), t([1., -2, 3]))
    for name in ("diag_embed_zeros", "diag_embed_new_zeros"):
        at(name, "vmap(diag_embed)(vecs)", vmap(jnp.diag), t(VECS))
    for title in ("f(x)", "without mutations", "without mutations and views"):
        at("functionalize", title, lambda x: (x + 1) * x, t([[1., 2], [3, 4]]))
    at("out_argument", "into a local value", vmap(jnp.add, (0, None)), t([[1., 2], [3, 4], [5, 6]]), t([10., 20]))
    at("inplace_mapped", "vmap(x += y)", vmap(jnp.add), t([[10.], [20], [30]]), t([[1.], [2], [3]]))
    for title, x, n in (("nonzero(xs[0])", [0., 1, 2], 2), ("nonzero(xs[1])", [0., 0, 3], 1)):
        at("nonzero", title, lambda x, n=n: jnp.stack(jnp.nonzero(x, size=n), -1), t(x))

    def bounded(x):
        return jnp.stack(jnp.nonzero(x, size=2, fill_value=-1), -1), (x != 0).sum()

    at("nonzero", "vmap(nonzero, size 2)(xs)", vmap(bounded), t([[0., 1, 2], [0, 0, 3]]))
    key = jax.random.key(0)

    def different(x, key):
        return x + vmap(jax.random.normal)(jax.random.split(key, 3))

    at("add_noise_different", "vmap(add_noise)(1)", different, jnp.ones(3), key)
    at("add_noise_same", "vmap(add_noise)(1)", lambda x, key: x + jax.random.normal(key), jnp.ones(3), key)

    def linear(p, x):
        return p["weight"] @ x + p["bias"]

    params, x3 = {"weight": t(W3), "bias": t(B3)}, t([1., -1, 2])
    at("linear_jacobian", "y", linear, params, x3)
    at("linear_jacobian", "jacrev(f)(x)", jax.jacrev(linear, 1), params, x3)
    for name, jac in (("jacrev", jax.jacrev), ("jacfwd", jax.jacfwd)):
        at("linear_param_jacobian", name + " over {weight, bias}", jac(linear), params, x3)

    weights = {"weight": t([[[1., 0]], [[2, -1]], [[3, -2]]]), "bias": t([[0.], [10], [20]])}
    at("stack_module_state", "shared x", vmap(linear, (0, None)), weights, t([2., 3]))
    at("stack_module_state", "own x", vmap(linear), weights, t([[2., 3], [1, 1], [0, 2]]))

    def norm(x):
        return (x - x.mean(0)) / jnp.sqrt(x.var(0) + 1e-5)

    at("batch_norm_patch", "vmap, patched", vmap(lambda x: norm(2 * norm(x))), t([[[1.], [3]], [[0], [8]]]))

    def f(x):
        return (x * jnp.sin(x)).sum()

    x, dx, ct = d([.5, -1, 2]), d([1., 2, -1]), d(2.)
    at("transforms", "f(x)", f, x)
    at("transforms", "grad(f)(x)", grad(f), x)
    at("transforms", "grad_and_value(f)(x)", lambda x: jax.value_and_grad(f)(x)[::-1], x)

    def pull(x, ct):
        y, back = jax.vjp(f, x)
        return y, back(ct)[0]

    def push(x, dx):
        y, lin = jax.linearize(f, x)
        return y, lin(dx)

    at("transforms", "vjp(f)(x, 2)", pull, x, ct)
    at("transforms", "jvp(f)(x, dx)", lambda x, dx: jax.jvp(f, (x,), (dx,)), x, dx)
    at("transforms", "linearize(f)(x, dx)", push, x, dx)
    at("transforms", "jacrev(f)(x)", jax.jacrev(f), x)
    at("transforms", "jacfwd(f)(x)", jax.jacfwd(f), x)
    at("transforms", "hessian(f)(x)", jax.hessian(f), x)
    back, lin = jax.vjp(f, x)[1], jax.linearize(f, x)[1]
    at("transforms", "bwd(res, 2)", lambda ct: back(ct)[0], ct)
    at("transforms", "lin(res, dx)", lin, dx)
    at("transforms", "fwd(x)", lambda x: jax.vjp(f, x)[0], x)
    pullback = jax.vjp(lambda x: x ** 2, t([1., -2, 3, .5, -.25]))[1]
    at("jacobian_rows", "vmap(bwd)(I)", lambda i: vmap(pullback)(i)[0], jnp.eye(5, dtype=jnp.float32))


# ---- one peer, in a process of its own ----

def median_us(call, seconds):
    call(), call()
    samples = []
    end = time.perf_counter() + seconds
    while len(samples) < 5 or (time.perf_counter() < end and len(samples) < 5000):
        start = time.perf_counter()
        for _ in range(4):
            call()
        samples.append((time.perf_counter() - start) / 4)
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
        print(json.dumps({"program": program, "title": title, "us": median_us(call, seconds), "figures": first}),
              flush=True)

    if peer == "torch":
        import torch
        torch.set_num_threads(1)
    {"torch": torch_cases, "jax": jax_cases}[peer](report)


# ---- side by side ----

def pinned(command, **more):
    env = dict(os.environ, OMP_NUM_THREADS="1", JAX_PLATFORMS="cpu", **more)
    return subprocess.run(["taskset", "-c", "0"] + command, env=env, capture_output=True, text=True, timeout=600)


def ours(folder, programs, seconds):
    """{(program, title): (microseconds, figures of each call so titled)}, and {program: why not}."""
    times, missing = {}, {}
    for program in programs:
        done = pinned([os.path.join(folder, "torch_func_" + program)], CARRIERS_TIME=str(seconds))
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


def same(ours, theirs):
    """Ours may have more results after theirs: a count, what a pullback will read."""
    return not ours or any(len(f) >= len(theirs) and all(abs(x - y) <= 1e-6 * max(1, abs(y)) for x, y in zip(f, theirs))
                           for f in ours)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder")
    p.add_argument("--peers", default="torch,jax")
    p.add_argument("--seconds", type=float, default=0.1, help="for each timing")
    p.add_argument("--one", help=argparse.SUPPRESS)
    p.add_argument("names", nargs="*")
    a = p.parse_intermixed_args()
    if a.one:
        run_peer(a.one, a.seconds, a.names)
        return 0
    programs = sorted(f[len("torch_func_"):] for f in os.listdir(a.folder)
                      if f.startswith("torch_func_") and os.access(os.path.join(a.folder, f), os.X_OK)
                      and not f.endswith(".dir"))
    programs = [n for n in programs if not a.names or n in a.names]
    behind, wrong, seen = [], [], set()
    for peer in a.peers.split(","):
        if importlib.util.find_spec(peer) is None:
            print(f"{peer}: this Python does not have it: skipped\n")
            continue
        before, missing = ours(a.folder, programs, a.seconds)
        done = pinned([sys.executable, os.path.abspath(__file__), a.folder, "--one", peer, "--seconds",
                       str(a.seconds)] + a.names)
        after, _ = ours(a.folder, programs, a.seconds)
        if done.returncode != 0:
            print(f"{peer}: {done.stderr.strip().split(chr(10))[-1]}")
        print(f"{'program':<22} {'call':<36} {peer + ' us':>10} {'ours us':>9} {'speed':>8}")
        for line in done.stdout.splitlines():
            r = json.loads(line)
            at = r["program"], r["title"]
            if at not in before or at not in after:
                print(f"{at[0]:<22} {at[1]:<36} {r['us']:10.2f} {'none':>9}")
                continue
            seen.add(at)
            best = min(before[at][0], after[at][0])
            note = ""
            if not at[0].startswith("add_noise") and not same(before[at][1], r["figures"]):
                note = "  other figures"
                wrong.append(at)
            if r["us"] <= best:
                behind.append(at)
            print(f"{at[0]:<22} {at[1]:<36} {r['us']:10.2f} {best:9.2f} {r['us'] / best:8.1f}{note}")
        for at in before:
            if at not in seen and at[0] not in UNTIMED:
                print(f"{at[0]:<22} {at[1]:<36} {'none':>10} {before[at][0]:9.2f}")
        for name, why in {**{n: w for n, w in UNTIMED.items() if n in programs}, **missing}.items():
            print(f"{name:<22} no time: {why}")
        seen = set()
        print()
    print(f"behind: {', '.join(' '.join(b) for b in behind) or 'nowhere'}")
    return 1 if behind or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
