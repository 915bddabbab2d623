"""Workloads of whole arrays: elements, rows, sums, products, draws, and calls that do nearly
nothing."""
import math
import numpy as np

from workloads_define import N, U, add


# saxpy
def saxpy_in():
    return [np.float32(2.5).reshape(()), N(10**7, 1), N(10**7, 2)]

add("saxpy_1e7", saxpy_in,
    lambda: (lambda a, x, y: a * x + y),
    lambda: (lambda a, x, y: a * x + y),
    bytes=12e7, flops=2e7)


# gelu
def jgelu():
    import jax
    return lambda x: jax.nn.gelu(x, approximate=True)

def tgelu():
    import torch.nn.functional as F
    return lambda x: F.gelu(x, approximate="tanh")

add("gelu_tanh_1e7", lambda: [N(10**7, 3)], jgelu, tgelu, bytes=8e7, flops=10e7)
add("gelu_tanh_3e4", lambda: [N(30000, 3)], jgelu, tgelu, bytes=8 * 3e4, flops=10 * 3e4,
    cache=True, inner=50)


# black scholes
R = 0.03

def bs_in():
    n = 10**6
    return [U(n, 50, 150, 4), U(n, 50, 150, 5), U(n, 0.1, 2.0, 6), U(n, 0.1, 0.6, 7)]

def jbs():
    import jax.numpy as jnp
    from jax.scipy.special import erf
    def price(S, K, T, v):
        sq = jnp.sqrt(T)
        d1 = (jnp.log(S / K) + (R + 0.5 * v * v) * T) / (v * sq)
        d2 = d1 - v * sq
        c = lambda d: 0.5 * (1.0 + erf(d * (1 / math.sqrt(2))))
        return S * c(d1) - K * jnp.exp(-R * T) * c(d2)
    return price

def tbs():
    import torch
    def price(S, K, T, v):
        sq = torch.sqrt(T)
        d1 = (torch.log(S / K) + (R + 0.5 * v * v) * T) / (v * sq)
        d2 = d1 - v * sq
        c = lambda d: 0.5 * (1.0 + torch.erf(d * (1 / math.sqrt(2))))
        return S * c(d1) - K * torch.exp(-R * T) * c(d2)
    return price

def jbsg():
    import jax
    return jax.vmap(jax.grad(jbs(), argnums=(0, 2, 3)))

def tbsg():
    import torch
    return torch.func.vmap(torch.func.grad(tbs(), argnums=(0, 2, 3)))

add("black_scholes_price", bs_in, jbs, tbs, bytes=20e6, flops=20e6, atol=1e-3)
add("black_scholes_greeks", bs_in, jbsg, tbsg, bytes=28e6, flops=60e6, atol=1e-3)


# softmax
def jsm():
    import jax
    return lambda x: jax.nn.softmax(x, axis=-1)

def tsm():
    import torch
    return lambda x: torch.softmax(x, -1)

add("softmax_4096x1024", lambda: [N((4096, 1024), 8, 3)], jsm, tsm, bytes=2 * 4096 * 1024 * 4,
    flops=4 * 4096 * 1024, atol=1e-6)

def jsmg():
    import jax
    f = jsm()
    return lambda x, ct: jax.vjp(f, x)[1](ct)[0]

def tsmg():
    import torch
    f = tsm()
    return lambda x, ct: torch.func.vjp(f, x)[1](ct)[0]

add("softmax_grad", lambda: [N((4096, 1024), 8, 3), N((4096, 1024), 9)], jsmg, tsmg,
    bytes=3 * 4096 * 1024 * 4, flops=8 * 4096 * 1024, atol=1e-6)


# layernorm
def ln_in():
    return [N((4096, 1024), 9), N(1024, 10), N(1024, 11)]

def lng_in():
    return ln_in() + [N((4096, 1024), 12)]

def jln():
    import jax.numpy as jnp
    from jax import lax
    def ln(x, g, b):
        m = jnp.mean(x, -1, keepdims=True)
        v = jnp.var(x, -1, keepdims=True)
        return (x - m) * lax.rsqrt(v + 1e-5) * g + b
    return ln

def tln():
    import torch.nn.functional as F
    return lambda x, g, b: F.layer_norm(x, (1024,), g, b, 1e-5)

def jlng():
    import jax
    f = jln()
    return lambda x, g, b, ct: jax.vjp(f, x, g, b)[1](ct)

def tlng():
    import torch
    f = tln()
    return lambda x, g, b, ct: torch.func.vjp(f, x, g, b)[1](ct)

add("layernorm_fwd", ln_in, jln, tln, bytes=2 * 4096 * 1024 * 4, flops=7 * 4096 * 1024)
add("layernorm_grad", lng_in, jlng, tlng, bytes=3 * 4096 * 1024 * 4, flops=20 * 4096 * 1024,
    atol=1e-2)


# reductions
def jsum():
    import jax.numpy as jnp
    return jnp.sum

def tsum():
    import torch
    return torch.sum

def jlse():
    import jax
    return jax.nn.logsumexp

def tlse():
    import torch
    return lambda x: torch.logsumexp(x, 0)

add("sum_1e7", lambda: [U(10**7, 0, 1, 13)], jsum, tsum, bytes=4e7, flops=1e7)
add("logsumexp_1e7", lambda: [N(10**7, 14)], jlse, tlse, bytes=4e7, flops=2e7)


# matmul
def jmm():
    import jax.numpy as jnp
    return jnp.matmul

def tmm():
    import torch
    return torch.matmul

for n in (512, 1024, 2048):
    add(f"matmul_{n}", (lambda n=n: [N((n, n), 15), N((n, n), 16)]), jmm, tmm, bytes=12 * n * n,
        flops=2 * n**3, atol=1e-2, cache=n < 2048)
for name, m, n in (("matmul_8x4096", 8, 4096), ("matmul_4096x8", 4096, 8)):
    add(name, (lambda m=m, n=n: [N((m, 4096), 15), N((4096, n), 16)]), jmm, tmm,
        bytes=4 * 4096 * 4112, flops=16 * 4096 * 4096, atol=1e-2)
add("bmm_4096x16x16", lambda: [N((4096, 16, 16), 17), N((4096, 16, 16), 18)], jmm, tmm,
    bytes=12 * 4096 * 256, flops=2 * 4096 * 16**3, cache=True)
add("matvec_4096", lambda: [N((4096, 4096), 19), N(4096, 20)], jmm, tmm, bytes=4 * 4096 * 4096,
    flops=2 * 4096**2, atol=1e-2)


# random normal
def jrn():
    import jax
    return lambda seed: jax.random.normal(jax.random.key(seed), (10**7,))

def trn():
    import torch
    return lambda seed: torch.randn(10**7)

add("randn_1e7", lambda: [np.array(0, np.int32)], jrn, trn, bytes=4e7, check="none",
    tnote="RNGs differ: JAX threefry2x32+erfinv, torch mt19937+Box-Muller, inductor its own")


# tiny
def jtiny():
    import jax.numpy as jnp
    return lambda x: jnp.sum(jnp.sin(x) * x)

def ttiny():
    import torch
    return lambda x: torch.sum(torch.sin(x) * x)

add("tiny_sinx", lambda: [N(4, 46)], jtiny, ttiny, inner=2000, cache=True)
add("tiny_sinx_grad", lambda: [N(4, 46)], lambda: __import__("jax").grad(jtiny()),
    lambda: __import__("torch").func.grad(ttiny()), inner=1000, cache=True)
