"""More of what users write, for jax_programs.py: bodies and fields in time, filters and plans,
prices and their sensitivities, layers and losses, windows over signals, estimates from samples,
rotations and rays; some under jacfwd, hessian, jvp and vmap.

PROGRAMS as in everyday.py, those there first.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from everyday import PROGRAMS, integers, normal, program, repeat, uniform  # noqa: F401


# ---- simulation ----

@program(normal(200, 3), normal(200, 3), uniform(200))
def bodies_by_leapfrog(x, v, m):
    def pull(x):
        d = x[None] - x[:, None]
        return jnp.sum(m[None, :, None] * d / (jnp.sum(d * d, -1, keepdims=True) + 0.01) ** 1.5,
                       1)

    def step(s):
        x, v = s
        v = v + 0.005 * pull(x)
        x = x + 0.01 * v
        return x, v + 0.005 * pull(x)
    return repeat(step, (x, v), 10)


@program(normal(1000, 2), normal(1000, 2), grad=0)
def chain_of_springs(x, v):
    def step(s):
        x, v = s
        d = x[1:] - x[:-1]
        length = jnp.sqrt(jnp.sum(d * d, 1, keepdims=True) + 1e-6)
        f = 5 * (length - 1) * d / length
        pull = jnp.pad(f, ((0, 1), (0, 0))) - jnp.pad(f, ((1, 0), (0, 0)))
        v = 0.99 * v + 0.01 * pull
        return x + 0.01 * v, v
    x, v = repeat(step, (x, v), 50)
    return jnp.sum(v * v)


@program(uniform(9, 64, 64) + np.float32(0.5))
def lattice_boltzmann(f):
    c = np.array([(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)])
    w = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4, np.float32)

    def step(f):
        rho = jnp.sum(f, 0)
        u = jnp.tensordot(jnp.asarray(c.T, jnp.float32), f, 1) / rho
        cu = jnp.tensordot(jnp.asarray(c, jnp.float32), u, 1)
        near = rho * w[:, None, None] * (1 + 3 * cu + 4.5 * cu ** 2 - 1.5 * jnp.sum(u * u, 0))
        f = f - 0.6 * (f - near)
        return jnp.stack([jnp.roll(f[i], tuple(c[i]), (0, 1)) for i in range(9)])
    return repeat(step, f, 20)


@program(np.sign(normal(128, 128)), uniform(20, 2, 128, 128))
def ising(s, u):
    black = (jnp.arange(128)[:, None] + jnp.arange(128)) % 2

    def step(s, u):
        for k in (0, 1):
            n = jnp.roll(s, 1, 0) + jnp.roll(s, -1, 0) + jnp.roll(s, 1, 1) + jnp.roll(s, -1, 1)
            flip = (u[k] < jnp.exp(-0.88 * s * n)) & (black == k)
            s = jnp.where(flip, -s, s)
        return s, jnp.mean(s)
    return lax.scan(step, s, u)


@program(np.array([.99, .01, 0], np.float32), uniform(2) + np.float32(.3), grad=1)
def epidemic(y, p):
    f = lambda y: jnp.stack([-p[0] * y[0] * y[1], p[0] * y[0] * y[1] - p[1] * y[1],
                             p[1] * y[1]])

    def step(y, _):
        k1 = f(y)
        k2 = f(y + 0.05 * k1)
        k3 = f(y + 0.05 * k2)
        y = y + 0.1 / 6 * (k1 + 2 * k2 + 2 * k3 + f(y + 0.1 * k3))
        return y, y[1]
    return jnp.max(lax.scan(step, y, None, length=200)[1])


@program(integers(2, 1000))
def rule_110(x):
    rule = jnp.array([0, 1, 1, 1, 0, 1, 1, 0])
    return lax.scan(lambda x, _: (rule[4 * jnp.roll(x, 1) + 2 * x + jnp.roll(x, -1)], x), x,
                    None, length=100)[1]


@program(uniform(128, 128), uniform(128, 128), grad=0)
def reaction_diffusion(u, v):
    lap = lambda a: jnp.roll(a, 1, 0) + jnp.roll(a, -1, 0) + jnp.roll(a, 1, 1) + jnp.roll(a,
        -1, 1) - 4 * a

    def step(s):
        u, v = s
        r = u * v * v
        return u + 0.16 * lap(u) - r + 0.04 * (1 - u), v + 0.08 * lap(v) + r - 0.1 * v
    return jnp.sum(repeat(step, (u, v), 30)[1])


@program(uniform(1000, 3))
def lorenz(x):
    def f(y):
        a, b, c = y
        return jnp.array([10 * (b - a), a * (28 - c) - b, a * b - 8 / 3 * c])

    def path(y):
        def step(y, _):
            k = f(y + 0.005 * f(y))
            return y + 0.01 * k, None
        return lax.scan(step, y, None, length=100)[0]
    return jax.vmap(path)(x)


@program(uniform(500, 2), grad=0)
def lennard_jones(x):
    d = x[:, None] - x[None]
    d = d - jnp.round(d)
    r2 = jnp.sum(d * d, -1) + jnp.eye(500)
    s = (0.001 / r2) ** 3
    return jnp.sum(jnp.where(r2 < 0.25, 4 * (s * s - s), 0)) / 2


@program(normal(256), normal(256))
def tridiagonal(b, d):
    def down(c, t):
        cp, dp = c
        b, d = t
        m = 1 / (4 + b * b - cp)
        return (m, (d - dp) * m), (m, (d - dp) * m)
    _, (cp, dp) = lax.scan(down, (jnp.float32(0), jnp.float32(0)), (b, d))
    return lax.scan(lambda x, t: (t[1] - t[0] * x,) * 2, jnp.float32(0), (cp, dp),
                    reverse=True)[1]


# ---- control and estimation ----

@program(np.eye(4, dtype=np.float32) + normal(4, 4) * np.float32(.1), normal(4, 2))
def riccati(a, b):
    def step(p):
        k = jnp.linalg.solve(jnp.eye(2) + b.T @ p @ b, b.T @ p @ a)
        return jnp.eye(4) + a.T @ p @ (a - b @ k)
    return repeat(step, jnp.eye(4), 50)


@program(normal(64, 4))
def many_plans(x0):
    a, b = jnp.eye(4) + 0.1 * jnp.diag(jnp.ones(3), 1), jnp.array([0., 0., 0., .1])

    def cost(u, x):
        def step(x, u):
            x = a @ x + b * u
            return x, jnp.sum(x * x) + 0.1 * u * u
        return jnp.sum(lax.scan(step, x, u)[1])
    plan = lambda x: repeat(lambda u: u - 0.02 * jax.grad(cost)(u, x), jnp.zeros(20), 30)
    return jax.vmap(plan)(x0)


@program(normal(100, 2))
def extended_kalman(z):
    f = lambda x: jnp.array([x[0] + 0.1 * x[1], x[1] - 0.1 * jnp.sin(x[0]), x[2]])
    h = lambda x: jnp.array([jnp.sin(x[0]) + x[2], x[1]])

    def step(c, z):
        x, p = c
        j = jax.jacfwd(f)(x)
        x, p = f(x), j @ p @ j.T + 0.01 * jnp.eye(3)
        j = jax.jacfwd(h)(x)
        k = jnp.linalg.solve(j @ p @ j.T + 0.1 * jnp.eye(2), j @ p).T
        return (x + k @ (z - h(x)), p - k @ j @ p), x
    return lax.scan(step, (jnp.zeros(3), jnp.eye(3)), z)[1]


@program(normal(1000), uniform(50, 1000))
def particles(x, u):
    def step(x, u):
        x = x + 0.1 * jnp.sin(x) + 0.1 * (u - 0.5)
        w = jnp.exp(-0.5 * (x - 0.3) ** 2)
        c = jnp.cumsum(w / jnp.sum(w))
        i = jnp.searchsorted(c, (jnp.arange(1000) + u[0]) / 1000)
        return x[jnp.clip(i, 0, 999)], jnp.mean(x)
    return lax.scan(step, x, u)[1]


@program(normal(7), grad=0)
def arm(q):
    x = jnp.eye(3)
    p = jnp.zeros(3)
    for i in range(7):
        c, s = jnp.cos(q[i]), jnp.sin(q[i])
        r = jnp.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) if i % 2 else jnp.array([[1, 0, 0],
            [0, c, -s], [0, s, c]])
        x = x @ r
        p = p + x @ jnp.array([0., 0., .3])
    return jnp.sum((p - 0.5) ** 2)


@program(normal(100, 7))
def jacobians_of_arms(q):
    return jax.vmap(jax.jacfwd(arm))(q), jax.vmap(jax.hessian(arm))(q[:10])


# ---- pricing ----

@program(uniform(100) + np.float32(.5))
def binomial_tree(k):
    n = 200
    up = np.float32(np.exp(0.2 * np.sqrt(1 / n)))
    p = (np.float32(np.exp(0.03 / n)) - 1 / up) / (up - 1 / up)
    s = up ** (2 * jnp.arange(n + 1, dtype=jnp.float32) - n)

    def price(k):
        def back(v, i):
            v = 0.9998 * (p * jnp.roll(v, -1) + (1 - p) * v)
            return jnp.maximum(v, k - s * up ** (n - i)), None
        return lax.scan(back, jnp.maximum(k - s, 0),
                        jnp.arange(n - 1, -1, -1).astype(jnp.float32))[0][0]
    return jax.vmap(price)(k)


@program(normal(50, 2, 5000), np.float32(.04), grad=1)
def heston(z, v0):
    def step(c, z):
        s, v = c
        p = jnp.maximum(v, 0)
        root = jnp.sqrt(p + 1e-6)
        s = s * jnp.exp(-p / 100 + root * z[0] / np.sqrt(50.))
        return (s, v + 0.04 * (0.04 - p) +
                0.3 * root * (-0.7 * z[0] + 0.714 * z[1]) / np.sqrt(50.)), None
    (s, _), _ = lax.scan(step, (jnp.ones(5000), jnp.full(5000, 1.) * v0), z)
    return jnp.mean(jnp.maximum(s - 1, 0))


def call(s, k, t, r, v):
    d = (jnp.log(s / k) + (r + v * v / 2) * t) / (v * jnp.sqrt(t))
    phi = jax.scipy.stats.norm.cdf
    return s * phi(d) - k * jnp.exp(-r * t) * phi(d - v * jnp.sqrt(t))


@program(uniform(10000) * np.float32(.1) + np.float32(.1), uniform(10000) + np.float32(.5))
def implied_volatility(price, t):
    def step(v):
        y, slope = jax.jvp(lambda v: call(1., 1.02, t, 0.01, v), (v,), (jnp.ones_like(v),))
        return jnp.clip(v - (y - price) / (slope + 1e-6), 0.01, 3)
    return repeat(step, jnp.full(10000, .3), 10)


@program(uniform(1000, 5) + np.float32(.5))
def greeks(x):
    f = lambda x: call(*x)
    return jax.vmap(jax.grad(f))(x), jax.vmap(jax.hessian(f))(x)


@program(uniform(20) * np.float32(.01) + np.float32(.02), uniform(300) * np.float32(19))
def yield_curve(rate, t):
    def step(total, r):
        d = (1 - r * total) / (1 + r)
        return total + d, d
    d = lax.scan(step, jnp.float32(0), rate)[1]
    return jnp.interp(t, jnp.arange(1., 21.), -jnp.log(d) / jnp.arange(1., 21.))


@program(normal(500, 20) * np.float32(.01))
def portfolio(r):
    c = jnp.cov(r.T) + 1e-5 * jnp.eye(20)

    def step(w):
        w = w * jnp.exp(-200 * (c @ w))
        return w / jnp.sum(w)
    return repeat(step, jnp.ones(20) / 20, 100)


# ---- learning ----

@program(normal(4, 4, 64, 32), normal(4, 4, 64, 32), normal(4, 4, 64, 32), integers(64, 4),
         grad=(0, 1, 2))
def masked_attention(q, k, v, n):
    s = jnp.einsum('bhqd,bhkd->bhqk', q, k) / np.sqrt(32.)
    s = jnp.where(jnp.arange(64)[None, None, None] < n[:, None, None, None] + 1, s, -1e9)
    return jnp.mean(jnp.einsum('bhqk,bhkd->bhqd', jax.nn.softmax(s), v) ** 2)


@program(normal(16, 16, 16, 8), normal(3, 3, 8, 16) * np.float32(.1), normal(16), normal(16),
         grad=(1, 2, 3))
def convolution_and_batch_norm(x, k, g, b):
    y = lax.conv_general_dilated(x, k, (1, 1), 'SAME',
                                 dimension_numbers=('NHWC', 'HWIO', 'NHWC'))
    y = (y - y.mean((0, 1, 2))) * lax.rsqrt(y.var((0, 1, 2)) + 1e-5) * g + b
    return jnp.mean(jax.nn.relu(y) ** 2)


@program(normal(20, 16, 32), normal(32, 192) * np.float32(.1), normal(64, 192) * np.float32(.1),
         grad=(1, 2))
def gated_recurrence(x, w, u):
    def step(h, x):
        a, b = jnp.split(x @ w, 3, -1), jnp.split(h @ u, 3, -1)
        z, r = jax.nn.sigmoid(a[0] + b[0]), jax.nn.sigmoid(a[1] + b[1])
        return (1 - z) * jnp.tanh(a[2] + r * b[2]) + z * h, None
    return jnp.mean(lax.scan(step, jnp.zeros((16, 64)), x)[0] ** 2)


@program(normal(5000, 32), integers(5000, 256, 20), grad=0)
def embedding_bag(table, i):
    return jnp.sum(jnp.tanh(jnp.mean(table[i], 1)))


@program(normal(128, 64), normal(128, 64), grad=(0, 1))
def contrastive(a, b):
    a, b = (x / jnp.linalg.norm(x, axis=1, keepdims=True) for x in (a, b))
    s = a @ b.T / 0.1
    return -jnp.mean(jnp.diag(jax.nn.log_softmax(s, 1)) +
                     jnp.diag(jax.nn.log_softmax(s, 0))) / 2


@program(normal(300, 300), normal(300, 300), normal(300, 300), np.abs(normal(300, 300)),
         np.float32(3))
def adam(w, g, m, v, t):
    norm = jnp.sqrt(jnp.sum(g * g))
    g = g * jnp.minimum(1, 1 / norm)
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return w - 1e-3 * (m / (1 - 0.9 ** t)) / (jnp.sqrt(v / (1 - 0.999 ** t)) + 1e-8), m, v


@program(normal(256, 64), normal(256, 64), normal(256, 64), grad=(0, 1, 2))
def triplets(a, p, n):
    near, far = jnp.sum((a - p) ** 2, 1), jnp.sum((a - n) ** 2, 1)
    return jnp.mean(jnp.maximum(near - far + 1, 0))


@program(normal(2000, 100), integers(100, 2000), grad=0)
def one_hot_cross_entropy(x, y):
    smooth = 0.9 * jax.nn.one_hot(y, 100) + 0.001
    return -jnp.mean(jnp.sum(smooth * jax.nn.log_softmax(x), 1))


@program(normal(64, 20), normal(20, 32) * np.float32(.3), normal(32, 1) * np.float32(.3))
def gradients_of_examples(x, a, b):
    f = lambda p, x: jnp.sum(jnp.tanh(jnp.tanh(x @ p[0]) @ p[1]) ** 2)
    return jax.vmap(jax.grad(f), (None, 0))((a, b), x)


@program(normal(20), normal(20, 30) * np.float32(.3), normal(30) * np.float32(.3),
         normal(5, 20))
def curvature(x, a, b, v):
    f = lambda x: jnp.sum(jax.nn.softplus(x @ a) * b)
    return jax.hessian(f)(x), jax.vmap(lambda v: jax.jvp(jax.grad(f), (x,), (v,))[1])(v)


@program(normal(32, 50, 16), normal(16, 16) * np.float32(.2), integers(50, 32), grad=0)
def pooled_by_length(x, w, n):
    mask = (jnp.arange(50) <= n[:, None])[..., None]
    y = jnp.where(mask, jax.nn.gelu(x @ w), -jnp.inf)
    return jnp.sum(jnp.max(y, 1) ** 2)


@program(normal(8, 32, 32, 3), normal(8, 8, 3, 64) * np.float32(.1))
def patches(x, k):
    p = x.reshape(8, 4, 8, 4, 8, 3).transpose(0, 1, 3, 2, 4, 5).reshape(8, 16, 192)
    return jax.nn.gelu(p @ k.reshape(192, 64))


# ---- signals and images ----

@program(normal(16, 4096), normal(64))
def filters(x, h):
    return jax.vmap(lambda x: jnp.convolve(x, h, 'valid')[::4])(x)


@program(normal(8192))
def autocorrelation(x):
    x = x - x.mean()
    f = jnp.fft.rfft(x, 16384)
    y = jnp.fft.irfft(f * jnp.conj(f))[:8192]
    return y / y[0]


@program(normal(128, 128))
def median_of_nine(x):
    p = jnp.pad(x, 1, mode='edge')
    return jnp.sort(jnp.stack([p[i:i + 128, j:j + 128] for i in range(3) for j in range(3)]),
                    0)[4]


@program(uniform(50000))
def histogram_by_scatter(x):
    return jnp.zeros(256, jnp.int32).at[(x * 256).astype(jnp.int32)].add(1)


@program(uniform(128, 128), uniform(10000, 2) * np.float32(126), grad=1)
def bilinear(image, at):
    i = jnp.floor(at).astype(jnp.int32)
    f = at - i
    a, b, c, d = (image[i[:, 0] + k, i[:, 1] + l] for k in (0, 1) for l in (0, 1))
    g, h = f[:, 0], f[:, 1]
    return jnp.sum((a * (1 - h) + b * h) * (1 - g) + (c * (1 - h) + d * h) * g)


@program(normal(64, 64, 3), normal(3, 3))
def sobel(x, m):
    y = jnp.sqrt(jnp.sum((x @ m) ** 2, -1))
    k = jnp.array([[1., 0, -1], [2, 0, -2], [1, 0, -1]])
    g, h = jax.scipy.signal.convolve2d(y, k, 'same'), jax.scipy.signal.convolve2d(y, k.T,
        'same')
    return jnp.hypot(g, h)


@program(normal(200000))
def running_statistics(x):
    c = jnp.cumsum(x)
    mean = (c[64:] - c[:-64]) / 64
    s = jnp.cumsum(x * x)
    return mean, jnp.sqrt(jnp.maximum((s[64:] - s[:-64]) / 64 - mean ** 2, 0)), lax.cummax(x)


@program(uniform(100, 100, 3))
def hue(x):
    r, g, b = x[..., 0], x[..., 1], x[..., 2]
    top, low = x.max(-1), x.min(-1)
    d = top - low + 1e-6
    h = jnp.where(top == r, (g - b) / d % 6,
                  jnp.where(top == g, (b - r) / d + 2, (r - g) / d + 4)) / 6
    return jnp.stack([h, d / (top + 1e-6), top], -1)


# ---- statistics ----

@program(normal(1000), integers(1000, 200, 1000))
def bootstrap(x, i):
    m = jnp.mean(x[i], 1)
    return jnp.std(m), jnp.percentile(m, jnp.array([5., 95.]))


@program(normal(500), np.linspace(-3, 3, 200, dtype=np.float32))
def kernel_density(x, at):
    return jnp.mean(jnp.exp(-0.5 * ((at[:, None] - x) / 0.2) ** 2),
                    1) / (0.2 * np.sqrt(2 * np.pi))


@program(normal(1000, 30))
def correlations(x):
    return jnp.corrcoef(x.T), jnp.cov(x.T)


@program(normal(500, 20))
def quantiles_of_columns(x):
    return jnp.quantile(x, jnp.array([.25, .5, .75]), axis=0), jnp.median(x, 0)


@program(normal(5000, 8))
def welford(x):
    def step(c, x):
        n, mean, m2 = c
        n = n + 1
        d = x - mean
        mean = mean + d / n
        return (n, mean, m2 + d * (x - mean)), None
    (n, mean, m2), _ = lax.scan(step, (jnp.float32(0), jnp.zeros(8), jnp.zeros(8)), x)
    return mean, m2 / (n - 1)


@program(normal(1000, 4), normal(5, 4), grad=1)
def mixture(x, m):
    d = x[:, None] - m
    return -jnp.sum(jax.nn.logsumexp(-0.5 * jnp.sum(d * d, -1), 1))


@program(normal(300, 10), np.abs(normal(300)), normal(10))
def poisson_regression(x, y, w):
    f = lambda w: jnp.mean(jnp.exp(jnp.clip(x @ w, -5, 5)) - y * (x @ w))
    return repeat(lambda w: w - jnp.linalg.solve(jax.hessian(f)(w) + 0.01 * jnp.eye(10),
                                                 jax.grad(f)(w)), w * 0.1, 5)


@program(normal(200), normal(5000), uniform(5000))
def metropolis(data, z, u):
    energy = lambda m: 0.5 * jnp.sum((data - m) ** 2)

    def step(c, t):
        m, e = c
        new = m + 0.1 * t[0]
        f = energy(new)
        keep = jnp.log(t[1] + 1e-9) < e - f
        c = jnp.where(keep, new, m), jnp.where(keep, f, e)
        return c, c[0]
    return lax.scan(step, (jnp.float32(0), energy(0.)), (z, u))[1]


@program(normal(400, 12), normal(400))
def ridge_path(x, y):
    solve = lambda l: jnp.linalg.solve(x.T @ x + l * jnp.eye(12), x.T @ y)
    return jax.vmap(solve)(jnp.logspace(-2, 3, 30))


@program(normal(1000, 64))
def sorting_network(x):
    n = x.shape[1]
    for size in (2, 4, 8, 16, 32, 64):
        apart = size // 2
        while apart:
            pair = x.reshape(-1, n // (2 * apart), 2, apart)
            low, high = jnp.minimum(*_halves(pair)), jnp.maximum(*_halves(pair))
            up = (np.arange(n // (2 * apart)) * 2 * apart & size == 0)[None, :, None]
            pair = jnp.stack([jnp.where(up, low, high), jnp.where(up, high, low)], 2)
            x = pair.reshape(-1, n)
            apart //= 2
    return x


def _halves(pair):
    return pair[:, :, 0], pair[:, :, 1]


# ---- geometry ----

@program(normal(5000, 3), normal(5000, 3))
def rotation_vectors(v, p):
    a = jnp.sqrt(jnp.sum(v * v, 1, keepdims=True) + 1e-12)
    k = v / a
    return p * jnp.cos(a) + jnp.cross(k, p) * jnp.sin(a) + k * jnp.sum(k * p, 1,
        keepdims=True) * (1 - jnp.cos(a))


@program(normal(5000, 3), normal(20, 3) * np.float32(5), uniform(20))
def rays_and_spheres(d, c, r):
    d = d / jnp.linalg.norm(d, axis=1, keepdims=True)
    b = d @ c.T
    disc = b * b - jnp.sum(c * c, 1) + r * r
    t = jnp.where((disc > 0) & (b > 0), b - jnp.sqrt(jnp.maximum(disc, 0)), jnp.inf)
    i = jnp.argmin(t, 1)
    return jnp.min(t, 1), i, (jnp.min(t, 1)[:, None] * d - c[i]) / r[i][:, None]


@program(normal(10000, 2), normal(3, 2))
def barycentric(p, t):
    a, b, c = t
    u, v, w = b - a, c - a, p - a
    d = u[0] * v[1] - u[1] * v[0]
    s, q = (w[:, 0] * v[1] - w[:, 1] * v[0]) / d, (u[0] * w[:, 1] - u[1] * w[:, 0]) / d
    return jnp.stack([1 - s - q, s, q], -1), (s >= 0) & (q >= 0) & (s + q <= 1)


@program(normal(2000, 3), integers(2000, 4000, 3), grad=0)
def area_of_a_mesh(x, face):
    a, b, c = x[face[:, 0]], x[face[:, 1]], x[face[:, 2]]
    return jnp.sum(jnp.linalg.norm(jnp.cross(b - a, c - a), axis=1)) / 2


@program(normal(1000, 6))
def matrices_of_six(x):
    a, b = x[:, :3], x[:, 3:]
    e1 = a / jnp.linalg.norm(a, axis=1, keepdims=True)
    b = b - jnp.sum(e1 * b, 1, keepdims=True) * e1
    e2 = b / jnp.linalg.norm(b, axis=1, keepdims=True)
    return jnp.stack([e1, e2, jnp.cross(e1, e2)], -1)


@program(normal(1000, 3, 3))
def small_inverses(a):
    a = a + 3 * jnp.eye(3)
    return jnp.linalg.inv(a), jnp.linalg.det(a)


@program(normal(100, 3), normal(100, 3))
def rigid_fit(p, q):
    p, q = p - p.mean(0), q - q.mean(0)
    u, _, v = jnp.linalg.svd(p.T @ q)
    return (u * jnp.stack([jnp.float32(1), jnp.float32(1),
                           jnp.sign(jnp.linalg.det(u @ v))])) @ v
