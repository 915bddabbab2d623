"""Small programs as users of JAX write them: what JAX lowers them to, arguments, and what JAX
computes.

    python lower.py [NAME]

writes, beside itself, a folder for each program and transform, laid out for
tests/cases/run_cases.c.  Python is not needed again.  """
import json
import os
import sys

import jax
import jax.scipy.special
import jax.numpy as jnp
import mpmath
import numpy as np
from jax import lax
from jax._src.lax.linalg import geqrf, ormqr

HERE = os.path.dirname(os.path.abspath(__file__))
TYPES = {"float32": "f32", "float64": "f64", "int32": "i32", "uint32": "u32", "bool": "i1"}
PROGRAMS = []


def program(*transforms, rtol=2e-5, exact=None):
    """Transforms: "" for the value, "vjp", "jvp", "vmap"; arguments are the defaults of the
    function's.  exact: the cotangents of the arguments, where JAX's own are not to be
    trusted."""
    def keep(f):
        PROGRAMS.append((f, transforms, rtol, exact))
        return f
    return keep


def waves(phase, *shape):
    """Numbers that look arbitrary, the same everywhere."""
    i = np.arange(np.prod(shape, dtype=int))
    return np.sin(phase + 0.7 * i + 0.01 * i * i).reshape(shape).astype(np.float32)


@program("", "vjp", "vmap")
def softmax(x=waves(1, 4, 7), mask=waves(2, 4, 7) > -0.3):
    return jax.nn.softmax(x, where=mask), jax.nn.log_softmax(3 * x, axis=0), jax.nn.logsumexp(x,
        axis=1)


@program("", "vjp")
def attention(x=waves(1, 6, 8), wq=waves(2, 8, 8), wk=waves(3, 8, 8), wv=waves(4, 8, 8)):
    q, k, v = ((x @ w).reshape(6, 2, 4) for w in (wq, wk, wv))
    scores = jnp.einsum("qhd,khd->hqk", q, k) / 2
    scores = jnp.where(jnp.tril(jnp.ones((6, 6), bool)), scores, -jnp.inf)
    return jnp.einsum("hqk,khd->qhd", jax.nn.softmax(scores), v).reshape(6, 8)


@program("", "vjp", "jvp")
def lstm(x=waves(1, 5, 2, 3), wx=waves(2, 3, 16), wh=waves(3, 4, 16), b=waves(4, 16)):
    def step(carry, x):
        h, c = carry
        i, f, g, o = jnp.split(x @ wx + h @ wh + b, 4, axis=-1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h
    return lax.scan(step, (jnp.zeros((2, 4)), jnp.zeros((2, 4))), x)[1]


@program("", "vjp", "vmap")
def runge_kutta(y=waves(1, 2), k=np.float32(2.5)):
    def slope(y):
        return jnp.stack([y[1], -k * jnp.sin(y[0])])

    def step(i, y):
        a = slope(y)
        b = slope(y + 0.05 * a)
        c = slope(y + 0.05 * b)
        d = slope(y + 0.1 * c)
        return y + 0.1 / 6 * (a + 2 * b + 2 * c + d)
    return lax.fori_loop(0, 20, step, y)


@program("", "vmap", "jvp", rtol=1e-4)
def newton(a=np.float32(2.0)):
    def more(state):
        x, i = state
        return (jnp.abs(x * x * x - a) > 1e-6) & (i < 50)
    return lax.while_loop(more, lambda s: (s[0] - (s[0] ** 3 - a) / (3 * s[0] ** 2), s[1] + 1),
                          (a, 0))


@program("", "vjp", rtol=2e-4)
def gaussian_process(x=waves(1, 8), y=waves(2, 8), log_scale=np.float32(0.1)):
    k = jnp.exp(-0.5 * (x[:, None] - x[None]) ** 2 / jnp.exp(log_scale)) + 0.1 * jnp.eye(8)
    l = jnp.linalg.cholesky(k)
    u = jax.scipy.linalg.solve_triangular(l, y, lower=True)
    return 0.5 * u @ u + jnp.sum(jnp.log(jnp.diag(l)))


@program("", "vjp", "vmap")
def low_pass(x=waves(1, 30)):
    f = jnp.fft.rfft(x)
    return jnp.fft.irfft(jnp.where(jnp.arange(16) < 5, f, 0), n=30)


@program("", "vjp", "vmap")
def largest(x=waves(1, 3, 9)):
    values, places = lax.top_k(x, 4)
    return values, places, jnp.sort(x, axis=1), jnp.argsort(x, axis=1), jnp.median(x, axis=1)


@program("", "vjp")
def histogram(x=waves(1, 40), w=waves(2, 40)):
    bins = jnp.clip(((x + 1) * 5).astype(jnp.int32), 0, 9)
    return jnp.zeros(10).at[bins].add(w), jax.ops.segment_max(w, bins,
        num_segments=10), jnp.bincount(bins, length=10)


@program("", "vmap")
def draws(key=np.array([3, 11], np.uint32), mean=waves(1, 5)):
    a, b, c = jax.random.split(key, 3)
    return (mean + jax.random.normal(a, (5,)), jax.random.permutation(b, 6),
            jax.random.categorical(c, mean),
            jax.random.gamma(a, 1 + mean ** 2))


@program("", "vjp")
def convolution(x=waves(1, 2, 8, 8, 2), w=waves(2, 3, 3, 2, 3)):
    y = lax.conv_general_dilated(x, w, (2, 2), "SAME",
                                 dimension_numbers=("NHWC", "HWIO", "NHWC"))
    y = lax.reduce_window(jax.nn.relu(y), -jnp.inf, lax.max, (1, 2, 2, 1),
                          (1, 2, 2, 1), "VALID")
    mean = y.mean((0, 1, 2))
    return (y - mean) * lax.rsqrt(((y - mean) ** 2).mean((0, 1, 2)) + 1e-5)


@program("", "vmap", rtol=2e-4)
def factors(a=waves(1, 4, 4), tall=waves(2, 5, 3)):
    c = a + 1j * a[::-1]
    w, v = jnp.linalg.eig(a)
    e, u = jnp.linalg.eigh(c + c.conj().T)
    q, r = jnp.linalg.qr(c)
    reflected, tau = geqrf(tall)
    parts = (v * w) @ jnp.linalg.inv(v), (u * e) @ u.conj().T, q @ r
    return tuple(jnp.stack([p.real, p.imag]) for p in parts) + (
        jnp.triu(ormqr(reflected, tau, tall, left=True,
                       transpose=True)[:3]) * jnp.sign(jnp.diag(reflected))[:, None],
        ormqr(reflected, tau, ormqr(reflected, tau, tall.T, left=False), left=False,
              transpose=True))


@program("", "vjp", rtol=2e-4)
def kalman(z=waves(1, 6, 2), log_q=np.float32(-2.0)):
    a, h = jnp.array([[1, 0.1], [0, 1]]), jnp.eye(2)

    def step(state, z):
        m, p = a @ state[0], a @ state[1] @ a.T + jnp.exp(log_q) * jnp.eye(2)
        s = h @ p @ h.T + 0.3 * jnp.eye(2)
        gain = jnp.linalg.solve(s, h @ p).T
        m, p = m + gain @ (z - h @ m), p - gain @ h @ p
        return (m, p), (m, jnp.linalg.slogdet(s)[1])
    return lax.scan(step, (jnp.zeros(2), jnp.eye(2)), z)[1]



@program("", "vjp")
def branches(x=np.array([-7.5, -1.2, 0.3, 1.7, 2.9, 7.5, 21.0], np.float32)):
    return jax.scipy.special.expi(x), jax.scipy.special.hyp1f1(1.5, 2.5, x / 4)



def sides_exact(x, s, ct3, ct_spence, ct2):
    """What the cotangents give, by mpmath: E_n' = -E_(n-1); JAX's own gradient of spence is NaN
    above 1."""
    def sum_of(x, ct, *f):
        return np.array([sum(float(g(mpmath.mpf(float(v)))) * c for g, c in zip(f, cs))
                         for v, *cs in zip(x, *ct)], np.float32)
    return [sum_of(x, (ct3, ct_spence), lambda v: -mpmath.expint(2, v),
                   lambda v: mpmath.log(v) / (1 - v)),
            sum_of([s], ([ct2],), lambda v: -mpmath.expint(1, v))[0]]


@program("", "vjp", rtol=2e-6, exact=sides_exact)
def sides(x=np.array([0.05, 0.4, 0.9, 1.5, 1.8, 3.0, 12.0], np.float32), s=np.float32(0.6)):
    return jax.scipy.special.expn(3.0,
                                  x), jax.scipy.special.spence(x), jax.scipy.special.expn(2.0,
                                      s)


@program("", rtol=2e-2)
def training_step(ids=np.array([[3, 1, 4, 1, 5, 9]], np.int32), tokens=waves(1, 11, 8),
                  places=waves(2, 6, 8), qkv=waves(3, 8, 24) / 4, out=waves(4, 8, 8) / 4,
                  up=waves(5, 8, 32) / 4, down=waves(6, 32, 8) / 4, mean=waves(7, 8, 24),
                  square=waves(8, 8, 24) ** 2, step=np.float32(3)):
    """A step of one block of a language model: bf16 inside, weights and moments in f32."""
    half = jnp.bfloat16

    def norm(x):
        x = x.astype(jnp.float32)
        x = x - x.mean(-1, keepdims=True)
        return (x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5)).astype(half)

    def loss(tokens, qkv, out, up, down):
        x = (tokens[ids] + places).astype(half)
        q, k, v = jnp.split(norm(x) @ qkv.astype(half), 3, -1)
        scores = (q @ k.transpose(0, 2, 1)).astype(jnp.float32) * 8 ** -0.5
        scores = jnp.where(jnp.tril(jnp.ones((6, 6), bool)), scores, -jnp.inf)
        x = x + jax.nn.softmax(scores).astype(half) @ v @ out.astype(half)
        x = x + jax.nn.gelu(norm(x) @ up.astype(half)) @ down.astype(half)
        logs = jax.nn.log_softmax((norm(x) @ tokens.astype(half).T).astype(jnp.float32))
        return -jnp.mean(jnp.take_along_axis(logs, jnp.roll(ids, -1, 1)[..., None], -1))

    value, g = jax.value_and_grad(loss, range(5))(tokens, qkv, out, up, down)
    mean = 0.9 * mean + 0.1 * g[1]
    square = 0.95 * square + 0.05 * g[1] ** 2
    scaled = mean / (1 - 0.9 ** step) / (jnp.sqrt(square / (1 - 0.95 ** step)) + 1e-8)
    return value, g, qkv - 3e-4 * (scaled + 0.1 * qkv), mean, square


def entry(folder, name, x):
    x = np.asarray(x)
    np.save(os.path.join(folder, name), x)
    return {"file": name, "dtype": TYPES[x.dtype.name], "shape": list(x.shape)}


def is_float(x):
    return x.dtype.kind == "f"


def transformed(f, transform, args):
    """Arguments and results of the transformed function."""
    if transform == "vmap":
        args = [np.stack([a, a * 0.9 if is_float(a) else a]).astype(a.dtype) for a in args]
        return args, jax.tree.leaves(jax.jit(jax.vmap(f))(*args))
    if not transform:
        return args, jax.tree.leaves(jax.jit(f)(*args))
    at = [i for i, a in enumerate(args) if is_float(a)]

    def of_floats(*x):
        full = list(args)
        for i, a in zip(at, x):
            full[i] = a
        out = jax.tree.leaves(f(*full))
        return [y for y in out if is_float(y)], [y for y in out if not is_float(y)]
    x = [jnp.asarray(args[i]) for i in at]
    whole = jax.tree.leaves(jax.jit(f)(*args))
    if transform == "vjp":
        y, back, _ = jax.vjp(of_floats, *x, has_aux=True)
        ct = [waves(7 + i, *a.shape) for i, a in enumerate(y)]
        return args + ct, whole + list(back([jnp.asarray(c) for c in ct]))
    dx = [waves(9 + i, *a.shape) for i, a in enumerate(x)]
    return args + dx, whole + list(jax.jvp(lambda *x: of_floats(*x)[0], x,
                                           [jnp.asarray(d) for d in dx])[1])


def write(f, transform, rtol, exact):
    name = f.__name__ + ("_" + transform if transform else "")
    folder = os.path.join(HERE, name)
    os.makedirs(folder, exist_ok=True)
    args = [np.asarray(a) for a in f.__defaults__]
    with open(os.path.join(HERE, f.__name__ + ".mlir"), "w") as out:
        out.write(jax.jit(f, keep_unused=True).lower(*args).as_text())
    inputs, results = transformed(f, transform, args)
    if transform == "vjp" and exact:
        own = exact(*inputs)
        results = results[:-len(own)] + own
    how = {"op": transform}
    if transform == "vmap":
        how.update(in_dims=0, out_dims=0)
    elif transform:
        how.update(argnums=[i for i, a in enumerate(args) if is_float(a)])
    if transform == "vjp":
        how.update(n_cotangents=len(inputs) - len(args))
    expected = []
    for i, y in enumerate(results):
        e = entry(folder, f"out{i}.npy", y)
        largest = float(np.max(np.abs(y))) if is_float(y) and np.size(y) else 0.0
        expected.append({**e, "rtol": rtol if is_float(y) else 0, "atol": rtol * largest})
    case = {"name": name, "forward": f"../{f.__name__}.mlir", "transform": [how]
            if transform else [],
            "inputs": [entry(folder, f"in{i}.npy", x) for i, x in enumerate(inputs)],
            "expected": expected}
    with open(os.path.join(folder, "case.json"), "w") as out:
        json.dump(case, out, indent=1)
        out.write("\n")


if __name__ == "__main__":
    for f, transforms, rtol, exact in PROGRAMS:
        for transform in transforms if sys.argv[1:] in ([], [f.__name__]) else ():
            write(f, transform, rtol, exact)
