"""Workloads of simulations: trajectories, bodies, fields, escapes, and gradients through
them."""
import numpy as np

from workloads_define import N, T, U, add


# lorenz
DT = 0.001
LP = [np.float32(10.0), np.float32(28.0), np.float32(8.0 / 3.0)]

def lor_in(n=None):
    if n is None:
        s = [np.float32(1.0).reshape(()), np.float32(1.0).reshape(()),
             np.float32(1.0).reshape(())]
    else:
        s = [1 + N(n, 26, 0.1), 1 + N(n, 27, 0.1), 1 + N(n, 28, 0.1)]
    return s + [p.reshape(()) for p in LP]

def _rk4(x, y, z, s, r, b):
    def f(x, y, z):
        return s * (y - x), x * (r - z) - y, x * y - b * z
    k1 = f(x, y, z)
    k2 = f(x + DT / 2 * k1[0], y + DT / 2 * k1[1], z + DT / 2 * k1[2])
    k3 = f(x + DT / 2 * k2[0], y + DT / 2 * k2[1], z + DT / 2 * k2[2])
    k4 = f(x + DT * k3[0], y + DT * k3[1], z + DT * k3[2])
    return tuple(u + DT / 6 * (p + 2 * q + 2 * w + t)
                 for u, p, q, w, t in zip((x, y, z), k1, k2, k3, k4))

def jlor(steps):
    from jax import lax
    def run(x, y, z, s, r, b):
        return lax.scan(lambda c, _: (_rk4(*c, s, r, b), None), (x, y, z), None,
                        length=steps)[0]
    return run

def tlor(steps):
    def run(x, y, z, s, r, b):
        c = (x, y, z)
        for _ in range(steps):
            c = _rk4(*c, s, r, b)
        return c
    return run

def tclor(steps, chunk=10):
    import torch
    def part(x, y, z, s, r, b):
        c = (x, y, z)
        for _ in range(chunk):
            c = _rk4(*c, s, r, b)
        return c
    cp = torch.compile(part)
    def run(x, y, z, s, r, b):
        c = (x, y, z)
        for _ in range(steps // chunk):
            c = cp(*c, s, r, b)
        return c
    return run

# per step per trajectory: 4*8 (rhs) + 3*3*2 (stages) + 3*6 (combine) = 68 flops
add("lorenz_1", lambda: lor_in(), lambda: jlor(10000), lambda: tlor(10000),
    tcompile=lambda: tclor(10000), flops=68e4, lat_ms=1e4 * 47 / 3.5e6, rtol=5e-2,
    atol=5e-1, cache=True,
    tnote="compiled 10-step chunk called 1000 times from Python")
add("lorenz_1024", lambda: lor_in(1024),
    lambda: (lambda x, y, z, s, r, b: __import__("jax").vmap(jlor(10000),
        in_axes=(0, 0, 0, None, None, None))(x, y, z, s, r, b)),
    lambda: tlor(10000), tcompile=lambda: tclor(10000), flops=68e4 * 1024, rtol=5e-2,
    atol=5e-1, cache=True,
    tnote="eager: broadcast elementwise ops (same as vmap); compiled 10-step chunk called "
          "1000 times from Python")

def jlorg():
    import jax
    f = jlor(1000)
    def g(x, y, z, s, r, b):
        return jax.grad(lambda s, r, b: sum(f(x, y, z, s, r, b)), argnums=(0, 1, 2))(s, r, b)
    return g

def tlorg():
    import torch
    f = tlor(1000)
    def g(x, y, z, s, r, b):
        return torch.func.grad(lambda s, r, b: sum(f(x, y, z, s, r, b)),
                               argnums=(0, 1, 2))(s, r, b)
    return g

def tclorg():
    import torch
    f = tclor(1000)
    def g(x, y, z, s, r, b):
        p = [t.clone().requires_grad_(True) for t in (s, r, b)]
        return torch.autograd.grad(sum(f(x, y, z, *p)), p)
    return g

add("lorenz_grad_1000", lambda: lor_in(), jlorg, tlorg, tcompile=tclorg, flops=3 * 68e3,
    lat_ms=2e3 * 47 / 3.5e6, rtol=1e-2, atol=1e-2, cache=True,
    tnote="compiled 10-step chunk (AOTAutograd fwd+bwd) called 100 times under autograd")


# loops that each example
# leaves on its own
def jmandelbrot():
    import jax
    def f(a, b):
        near = lambda s: (s[0] * s[0] + s[1] * s[1] < 4.) & (s[2] < 256)
        step = lambda s: (s[0] * s[0] - s[1] * s[1] + a, 2. * (s[0] * s[1]) + b, s[2] + 1)
        return jax.lax.while_loop(near, step, (0., 0., 0))[2]
    return jax.vmap(f)

def tmandelbrot(t):
    def f(a, b):
        x, y, n = t.zeros_like(a), t.zeros_like(a), t.zeros_like(a, dtype=t.int32)
        for _ in range(256):
            near = x * x + y * y < 4
            x, y, n = t.where(near, x * x - y * y + a, x), t.where(near,
                2 * (x * y) + b, y), n + near
        return n
    return f

add("mandelbrot", lambda: [U(65536, -2, .5, 1), U(65536, -1.25, 1.25, 2)], jmandelbrot,
    T(tmandelbrot))


# nbody
def nb_in():
    return [N((1024, 3), 41), U(1024, 0.5, 1.5, 42)]

EPS2 = 1e-2

def jnb():
    import jax.numpy as jnp
    from jax import lax
    def forces(p, m):
        d = p[None] - p[:, None]
        r2 = jnp.sum(d * d, -1) + EPS2
        inv = lax.rsqrt(r2)
        return jnp.sum(d * (m[None, :] * inv * inv * inv)[..., None], 1) * m[:, None]
    return forces

def tnb():
    import torch
    def forces(p, m):
        d = p[None] - p[:, None]
        r2 = torch.sum(d * d, -1) + EPS2
        inv = torch.rsqrt(r2)
        return torch.sum(d * (m[None, :] * inv * inv * inv)[..., None], 1) * m[:, None]
    return forces

def jnbg():
    import jax, jax.numpy as jnp
    from jax import lax
    def pot(p, m):
        d = p[None] - p[:, None]
        r2 = jnp.sum(d * d, -1) + EPS2
        return -0.5 * jnp.sum(m[:, None] * m[None] * lax.rsqrt(r2))
    return jax.grad(pot)

def tnbg():
    import torch
    def pot(p, m):
        d = p[None] - p[:, None]
        r2 = torch.sum(d * d, -1) + EPS2
        return -0.5 * torch.sum(m[:, None] * m[None] * torch.rsqrt(r2))
    return torch.func.grad(pot)

add("nbody_forces", nb_in, jnb, tnb, flops=20 * 1024 * 1024, cache=True, atol=1e-1)
add("nbody_grad", nb_in, jnbg, tnbg, flops=20 * 1024 * 1024, cache=True, atol=1e-1)


# heat2d
AL = 0.1

def jheat():
    from jax import lax
    def step(_, u):
        return u.at[1:-1, 1:-1].add(AL * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] +
                                          u[1:-1, :-2] - 4 * u[1:-1, 1:-1]))
    return lambda u: lax.fori_loop(0, 100, step, u)

def _theat_step(u):
    v = u.clone()
    v[1:-1, 1:-1] += AL * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] -
                           4 * u[1:-1, 1:-1])
    return v

def theat():
    def run(u):
        for _ in range(100):
            u = _theat_step(u)
        return u
    return run

def tcheat():
    import torch
    cp = torch.compile(_theat_step)
    def run(u):
        for _ in range(100):
            u = cp(u)
        return u
    return run

add("heat2d_2048", lambda: [N((2048, 2048), 47)], jheat, theat, tcompile=tcheat,
    bytes=100 * 8 * 2048 * 2048, flops=100 * 7 * 2048 * 2048,
    tnote="compiled single step called 100 times from Python; bytes assume one DRAM round "
          "trip per step (no time tiling)")


# rosenbrock
def ros(x):
    a, b = x[:-1], x[1:]
    t = b - a * a
    return (100.0 * t * t + (1 - a) * (1 - a)).sum()

def jhvp():
    import jax
    return lambda x, v: jax.jvp(jax.grad(ros), (x,), (v,))[1]

def thvp():
    import torch
    return lambda x, v: torch.func.jvp(torch.func.grad(ros), (x,), (v,))[1]

add("rosenbrock_grad_1e6", lambda: [N(10**6, 52)], lambda: __import__("jax").grad(ros),
    lambda: __import__("torch").func.grad(ros), bytes=8e6, flops=12e6, cache=True, atol=1e-1)
add("rosenbrock_hvp_1e6", lambda: [N(10**6, 52), N(10**6, 53)], jhvp, thvp, bytes=12e6,
    flops=20e6, cache=True, atol=1e-1)
