"""Workloads of networks: steps of training, ensembles, Jacobians, attention, recurrences."""
import math
import numpy as np

from workloads_define import N, T, U, add, rng


# MLPs
def mlp_params(sizes, seed, lead=()):
    out = []
    for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
        out += [N(lead + (a, b), seed + 10 * i, math.sqrt(2 / a)),
                N(lead + (b,), seed + 10 * i + 1, 0.01)]
    return out

def labels(n, seed=77):
    return rng(seed).integers(0, 10, n).astype(np.int32)

def jloss(act="relu"):
    import jax, jax.numpy as jnp
    def logits(ps, x):
        n = len(ps) // 2
        for i in range(n):
            x = x @ ps[2 * i] + ps[2 * i + 1]
            if i < n - 1:
                x = jax.nn.relu(x)
        return x
    def loss(ps, x, y):
        l = logits(ps, x)
        lp = jax.nn.log_softmax(l, -1)
        return -jnp.mean(jnp.take_along_axis(lp, y[..., None], -1))
    return logits, loss

def tloss():
    import torch, torch.nn.functional as F
    def logits(ps, x):
        n = len(ps) // 2
        for i in range(n):
            x = x @ ps[2 * i] + ps[2 * i + 1]
            if i < n - 1:
                x = torch.relu(x)
        return x
    def loss(ps, x, y):
        return F.cross_entropy(logits(ps, x), y.long())
    return logits, loss

def jstep():
    import jax
    _, loss = jloss()
    def step(x, y, *ps):
        l, g = jax.value_and_grad(loss)(list(ps), x, y)
        return [l] + [p - 0.1 * d for p, d in zip(ps, g)]
    return step

def tstep():
    import torch
    _, loss = tloss()
    def step(x, y, *ps):
        g, l = torch.func.grad_and_value(loss)(list(ps), x, y)
        return [l] + [p - 0.1 * d for p, d in zip(ps, g)]
    return step

_P = 784 * 512 + 512 + 512 * 512 + 512 + 512 * 10 + 10
add("mlp_step", lambda: [N((128, 784), 21), labels(128)] + mlp_params([784, 512, 512, 10], 100),
    jstep, tstep,
    bytes=4 * 2 * _P, flops=2 * 128 * (2 * 784 * 512 + 3 * (512 * 512 + 512 * 10)), cache=True)

def jpsg():
    import jax
    _, loss = jloss()
    g = jax.vmap(jax.grad(lambda ps, x, y: loss(ps, x[None], y[None])), in_axes=(None, 0, 0))
    return lambda x, y, *ps: g(list(ps), x, y)

def tpsg():
    import torch
    _, loss = tloss()
    g = torch.func.vmap(torch.func.grad(lambda ps, x, y: loss(ps, x[None], y[None])),
                        in_dims=(None, 0, 0))
    return lambda x, y, *ps: g(list(ps), x, y)

_Q = 784 * 128 + 128 + 128 * 128 + 128 + 128 * 10 + 10
add("per_sample_grads", lambda: [N((64, 784), 22), labels(64)] +
    mlp_params([784, 128, 128, 10], 200), jpsg, tpsg,
    bytes=4 * (64 * _Q + _Q), flops=64 * 2 * (784 * 128 + 128 * 128 + 1280) * 2 + 64 * _Q)

def ens_in():
    return [N((64, 784), 23), labels(64)] + mlp_params([784, 128, 10], 300, (10,))

def jensf():
    import jax
    logits, _ = jloss()
    return lambda x, y, *ps: jax.vmap(logits, in_axes=(0, None))(list(ps), x)

def tensf():
    import torch
    logits, _ = tloss()
    return lambda x, y, *ps: torch.func.vmap(logits, in_dims=(0, None))(list(ps), x)

def jensg():
    import jax
    _, loss = jloss()
    return lambda x, y, *ps: jax.vmap(jax.grad(loss), in_axes=(0, None, None))(list(ps), x, y)

def tensg():
    import torch
    _, loss = tloss()
    return lambda x, y, *ps: torch.func.vmap(torch.func.grad(loss),
                                             in_dims=(0, None, None))(list(ps), x, y)

_E = 784 * 128 + 128 * 10
add("ensemble_fwd", ens_in, jensf, tensf, bytes=4 * 10 * _E, flops=2 * 64 * 10 * _E, cache=True)
add("ensemble_grad", ens_in, jensg, tensg, bytes=4 * 20 * _E,
    flops=2 * 64 * 10 * (2 * 784 * 128 + 3 * 1280), cache=True)


# jacobians
def jac_in():
    return [N(256, 24)] + mlp_params([256, 512, 256], 400)

def hes_in():
    return [N(64, 25)] + mlp_params([64, 128, 64], 500)

def jnet():
    import jax.numpy as jnp
    return lambda x, a, b, c, d: jnp.tanh(x @ a + b) @ c + d

def tnet():
    import torch
    return lambda x, a, b, c, d: torch.tanh(x @ a + b) @ c + d

def jjr():
    import jax
    return jax.jacrev(jnet())

def jjf():
    import jax
    return jax.jacfwd(jnet())

def tjr():
    import torch
    return torch.func.jacrev(tnet())

def tjf():
    import torch
    return torch.func.jacfwd(tnet())

def jh():
    import jax, jax.numpy as jnp
    f = jnet()
    return jax.hessian(lambda x, *p: jnp.sum(f(x, *p) ** 2))

def thh():
    import torch
    f = tnet()
    return torch.func.hessian(lambda x, *p: torch.sum(f(x, *p) ** 2))

# minimal work for the Jacobian: D*W2 scaled, one 256x512x256 matmul
add("jacrev_256", jac_in, jjr, tjr, bytes=4 * (256 * 512 * 2 + 256 * 256),
    flops=2 * 256 * 512 * 256, cache=True)
add("jacfwd_256", jac_in, jjf, tjf, bytes=4 * (256 * 512 * 2 + 256 * 256),
    flops=2 * 256 * 512 * 256, cache=True)
# J (64x128x64), J^T J (64x64x64), curvature term (64x128x64)
add("hessian_64", hes_in, jh, thh, bytes=4 * (64 * 128 * 2 + 64 * 64),
    flops=2 * (64 * 128 * 64 * 2 + 64**3), cache=True, atol=1e-2)


# attention
def att_in():
    s = (4, 8, 256, 64)
    return [N(s, 34), N(s, 35), N(s, 36)]

def attg_in():
    return att_in() + [N((4, 8, 256, 64), 37)]

def jatt():
    import jax, jax.numpy as jnp
    def att(q, k, v):
        s = jnp.einsum("bhqd,bhkd->bhqk", q, k) * (1 / 8.0)
        m = jnp.tril(jnp.ones((256, 256), bool))
        p = jax.nn.softmax(jnp.where(m, s, -jnp.inf), -1)
        return jnp.einsum("bhqk,bhkd->bhqd", p, v)
    return att

def tatt():
    import torch.nn.functional as F
    return lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True)

def jattg():
    import jax
    f = jatt()
    return lambda q, k, v, ct: jax.vjp(f, q, k, v)[1](ct)

def tattg():
    import torch
    f = tatt()
    return lambda q, k, v, ct: torch.func.vjp(f, q, k, v)[1](ct)

_AT = 32 * 2 * 256 * 256 * 64
# flop count for the causal half
add("attention_fwd", att_in, jatt, tatt, bytes=4 * 4 * 32 * 256 * 64,
    flops=2 * _AT / 2, cache=True)
add("attention_grad", attg_in, jattg, tattg, bytes=7 * 4 * 32 * 256 * 64,
    flops=7 * _AT / 2, cache=True)


# recurrence
def lstm_in():
    return [N((64, 32, 128), 38)] + [U(s, -.09, .09, 39)
                                     for s in ((512, 128), (512, 128), (512,), (512,))]

def jlstm():
    import jax, jax.numpy as jnp
    def f(x, wi, wh, bi, bh):
        def step(hc, g):
            h, c = hc
            i, f, g, o = jnp.split(g + h @ wh.T, 4, -1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h
        z = jnp.zeros((32, 128))
        return jax.lax.scan(step, (z, z), x @ wi.T + (bi + bh))[1]
    return f

def tlstm(t):
    def f(x, *w):
        z = t.zeros(1, 32, 128)
        return t.lstm(x, (z, z), w, True, 1, 0.0, False, False, False)[0]
    return f

def jpull(make):
    import jax
    f = make()
    return lambda *a: jax.vjp(f, *a[:-1])[1](a[-1])

def tpull(make):
    def build(t):
        f = make(t)
        def g(*a):
            p = [x.detach().requires_grad_(True) for x in a[:-1]]
            return t.autograd.grad(f(*p), p, a[-1])
        return g
    return build

add("lstm_fwd", lstm_in, jlstm, T(tlstm))
add("lstm_grad", lambda: lstm_in() + [N((64, 32, 128), 40)], lambda: jpull(jlstm),
    T(tpull(tlstm)))
