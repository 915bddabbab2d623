"""The two programs, as a user of JAX writes them, lowered to transformer.mlir and kalman.mlir,
and what JAX makes of them, in jax_values.h.  Python is not needed again.

    python lower.py
"""
import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)


# A transformer block and a loss.

def layer_norm(x, gain):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * gain


def attention(x, wq, wk, wv, wo, heads):
    n, d = x.shape
    q, k, v = ((x @ w).reshape(n, heads, d // heads).transpose(1, 0, 2) for w in (wq, wk, wv))
    scores = q @ k.transpose(0, 2, 1) / np.float32(np.sqrt(d // heads))
    scores = jnp.where(jnp.tril(jnp.ones((n, n), bool)), scores, -1e9)
    return (jax.nn.softmax(scores, -1) @ v).transpose(1, 0, 2).reshape(n, d) @ wo


def transformer(wq, wk, wv, wo, w1, w2, gain1, gain2, x, y):
    x = x + attention(layer_norm(x, gain1), wq, wk, wv, wo, heads=4)
    x = x + jax.nn.gelu(layer_norm(x, gain2) @ w1) @ w2
    return jnp.mean((x - y) ** 2)


# The log likelihood of a Kalman filter, by its noise.

def kalman(log_q, log_r, observed):
    a = jnp.eye(4) + 0.1 * jnp.eye(4, k=2)          # positions move by velocities
    c = jnp.eye(2, 4)                               # positions are seen
    q, r = jnp.diag(jnp.exp(log_q)), jnp.diag(jnp.exp(log_r))

    def step(carry, z):
        m, p, likelihood = carry
        m, p = a @ m, a @ p @ a.T + q
        s = c @ p @ c.T + r
        l = jnp.linalg.cholesky(s)
        u = jax.scipy.linalg.solve_triangular(l, z - c @ m, lower=True)
        gain = jax.scipy.linalg.cho_solve((l, True), c @ p).T
        likelihood -= 0.5 * u @ u + jnp.log(jnp.diag(l)).sum() + jnp.log(2 * jnp.pi)
        return (m + gain @ (z - c @ m), p - gain @ c @ p, likelihood), None

    return jax.lax.scan(step, (jnp.zeros(4), jnp.eye(4), 0.0), observed)[0][2]


# Arguments that C can make, too.

def waves(phase, *shape, scale=1.0, dtype=np.float32):
    i = np.arange(np.prod(shape, dtype=int))
    return (scale * np.sin(phase + 0.7 * i)).reshape(shape).astype(dtype)


def main():
    n, d, h = 16, 32, 64
    args = [waves(k, d, d, scale=0.2) for k in range(4)] + [waves(4, d, h, scale=0.2),
        waves(5, h, d, scale=0.2)]
    args += [1 + waves(6, d, scale=0.1), 1 + waves(7, d, scale=0.1), waves(8, n, d),
             waves(9, n, d)]
    noise = [waves(1, 4, scale=0.5, dtype=np.float64) - 3,
             waves(2, 2, scale=0.5, dtype=np.float64) - 1]
    noise.append(waves(3, 50, 2, dtype=np.float64))

    with open("jax_values.h", "w") as out:
        out.write("/* Written by lower.py: values and gradients as JAX computes them. */\n")
        for f, a, wrt in ((transformer, args, tuple(range(8))), (kalman, noise, (0, 1))):
            with open(f"{f.__name__}.mlir", "w") as text:
                text.write(jax.jit(f).lower(*a).as_text())
            value, grads = jax.jit(jax.value_and_grad(f, wrt))(*a)
            out.write(f"static const double jax_{f.__name__}[] = {{ {float(value):.12g}")
            for g in grads:
                out.write(f", {float(np.sqrt(np.sum(np.asarray(g, np.float64) ** 2))):.12g}")
            out.write(" }; /* the value, then the norm of each gradient */\n")


main()
