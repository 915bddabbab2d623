"""What users write, some seventy functions in JAX, for jax_programs.py: simulation, control,
pricing, statistics, signals, images, learning; rows of few elements, points of two to six
coordinates.

PROGRAMS has a name, a function, its arguments and which of these, if any, its gradient is also
wanted in.  """
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

_random = np.random.default_rng(0)
PROGRAMS = []


def normal(*shape):
    return _random.standard_normal(shape).astype(np.float32)


def uniform(*shape):
    return _random.random(shape).astype(np.float32)


def integers(most, *shape):
    return _random.integers(0, most, shape).astype(np.int32)


def program(*args, grad=None):
    def keep(f):
        PROGRAMS.append((f.__name__, f, args, grad))
        return f
    return keep


def repeat(step, state, n):
    return lax.scan(lambda s, _: (step(s), None), state, None, length=n)[0]


# ---- simulation ----

def neighbours(u):
    return jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u,
        -1, 1) - 4 * u


@program(normal(512, 512))
def heat_on_a_torus(u):
    return repeat(lambda u: u + 0.1 * neighbours(u), u, 50)


@program(normal(512, 512), grad=0)
def heat_in_a_box(u):
    def step(u):
        p = jnp.pad(u, 1)
        return u + 0.1 * (p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2] - 4 * u)
    return jnp.sum(repeat(step, u, 50) ** 2)


@program(normal(256, 256), normal(256, 256))
def waves(u, v):
    def step(c, _):
        u, v = c
        v = v + 0.1 * neighbours(u)
        return (u + 0.1 * v, v), jnp.sum(u * u)
    return lax.scan(step, (u, v), None, length=100)


@program(normal(1024, 3), grad=0)
def energy_of_points(x):
    d = x[:, None] - x[None]
    return -jnp.sum(1 / jnp.sqrt(jnp.sum(d * d, -1) + 0.01))


@program(normal(100, 3), grad=0)
def neural_ode(y):
    w = jnp.asarray(np.sin(np.arange(9)).reshape(3, 3), jnp.float32)

    def step(y):
        f = lambda y: jnp.tanh(y @ w)
        k1 = f(y)
        k2 = f(y + 0.05 * k1)
        k3 = f(y + 0.05 * k2)
        return y + 0.1 / 6 * (k1 + 2 * k2 + 2 * k3 + f(y + 0.1 * k3))
    return jnp.sum(repeat(step, y, 100) ** 2)


@program(np.abs(normal(100000)) * 20 + 0.01)
def kepler(mean):
    return repeat(lambda e: e - (e - 0.5 * jnp.sin(e) - mean) / (1 - 0.5 * jnp.cos(e)), mean, 8)


@program(_random.random((10000, 2)).astype(np.float32))
def charges_to_a_grid(x):
    i = jnp.floor(x * 64).astype(jnp.int32) % 64
    f = x * 64 - jnp.floor(x * 64)
    grid = jnp.zeros((64, 64))
    for a in (0, 1):
        for b in (0, 1):
            weight = (f[:, 0] if a else 1 - f[:, 0]) * (f[:, 1] if b else 1 - f[:, 1])
            grid = grid.at[(i[:, 0] + a) % 64, (i[:, 1] + b) % 64].add(weight)
    return grid


@program(normal(500, 500))
def life(x):
    def step(g):
        n = sum(jnp.roll(g, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
        return ((n == 3) | ((g == 1) & (n == 2))).astype(jnp.int32)
    return repeat(step, (x > 0).astype(jnp.int32), 20)


@program(normal(256, 256))
def poisson_by_fft(f):
    k = jnp.fft.fftfreq(256) * 512 * np.pi
    k2 = k[:, None] ** 2 + k[None] ** 2
    return jnp.fft.ifft2(jnp.where(k2 > 0, -jnp.fft.fft2(f) / jnp.where(k2 > 0, k2, 1), 0)).real


# ---- points ----

@program(normal(100000, 3), normal(4))
def rotated(p, q):
    q = q / jnp.linalg.norm(q)
    v = jnp.broadcast_to(q[1:], p.shape)
    t = 2 * jnp.cross(v, p)
    return p + q[0] * t + jnp.cross(v, t)


@program(normal(100000, 3), normal(100000, 3))
def cross_products(a, b):
    return jnp.cross(a, b)


@program(normal(100000, 3), normal(100000, 3))
def cross_products_stacked(a, b):
    (a0, a1, a2), (b0, b1, b2) = a.T, b.T
    return jnp.stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], -1)


@program(normal(100000, 3), normal(100000, 3), grad=0)
def squares_of_cross_products(a, b):
    return jnp.sum(jnp.cross(a, b) ** 2)


@program(normal(20000, 4), normal(20000, 4))
def quaternion_products(a, b):
    (w, x, y, z), (s, t, u, v) = a.T, b.T
    return jnp.stack([w * s - x * t - y * u - z * v, w * t + x * s + y * v - z * u,
                      w * u - x * v + y * s + z * t,
                      w * v + x * u - y * t + z * s], -1)


@program(normal(100000, 4))
def unit_quaternions(q):
    return q / jnp.sqrt(jnp.sum(q * q, 1, keepdims=True))


@program(normal(100000, 3), normal(3, 3))
def points_by_a_matrix(p, r):
    return p @ r.T


@program(normal(50000, 2))
def polar(p):
    return jnp.stack([jnp.hypot(p[:, 0], p[:, 1]), jnp.arctan2(p[:, 1], p[:, 0])], -1)


# ---- control and estimation ----

def cost(x, u):
    a, b = jnp.eye(4) + 0.1 * jnp.diag(jnp.ones(3), 1), jnp.array([[0.], [0.], [0.], [.1]])

    def step(x, u):
        x = a @ jnp.sin(x) + b @ u
        return x, jnp.sum(x * x) + 0.1 * jnp.sum(u * u)
    return jnp.sum(lax.scan(step, x, u)[1])


@program(normal(4), normal(20, 1), grad=1)
def horizon(x, u):
    return cost(x, u)


@program(normal(4), normal(20))
def horizon_by_newton(x, u):
    f = lambda u: cost(x, u.reshape(20, 1))
    return repeat(lambda u: u - jnp.linalg.solve(jax.hessian(f)(u) + 0.1 * jnp.eye(20),
                                                 jax.grad(f)(u)), u, 5)


@program(normal(6, 6), normal(1000, 3))
def kalman_track(p, z):
    f, h = jnp.eye(6) + 0.1 * jnp.diag(jnp.ones(3), 3), jnp.eye(3, 6)

    def step(c, z):
        x, p = c
        x, p = f @ x, f @ p @ f.T + 0.01 * jnp.eye(6)
        k = jnp.linalg.solve(h @ p @ h.T + 0.1 * jnp.eye(3), h @ p).T
        x, p = x + k @ (z - h @ x), (jnp.eye(6) - k @ h) @ p
        return (x, p), x
    return lax.scan(step, (jnp.zeros(6), p @ p.T), z)[1]


@program(normal(8, 200, 32), normal(32, 32) * np.float32(0.2), grad=1)
def hidden_markov(e, t):
    t = jax.nn.log_softmax(t)
    step = lambda a, e: (jax.nn.logsumexp(a[:, :, None] + t[None], axis=1) + e, None)
    return jnp.sum(jax.nn.logsumexp(lax.scan(step, e[:, 0], e[:, 1:].swapaxes(0, 1))[0], -1))


@program(integers(4, 300), integers(4, 300))
def edit_distance(a, b):
    def row(p, ai):
        def cell(left, t):
            d, u, bj = t
            v = jnp.minimum(jnp.minimum(left + 1, u + 1), d + (ai != bj))
            return v, v
        first = p[0] + 1
        return jnp.concatenate([first[None],
                                lax.scan(cell, first, (p[:-1], p[1:], b))[1]]), None
    return lax.scan(row, jnp.arange(301), a)[0][-1]


# ---- pricing ----

@program(normal(10000, 64), np.float32(100), np.float32(0.2), grad=2)
def asian_option(z, start, vol):
    s = start * jnp.exp(jnp.cumsum((0.05 - vol * vol / 2) / 64 + vol * z / 8, axis=1))
    return jnp.mean(jnp.maximum(jnp.mean(s, 1) - 100, 0)) * jnp.exp(-0.05)


@program(normal(64, 10000), np.float32(100), np.float32(0.2), grad=2)
def barrier_option(z, start, vol):
    def step(c, z):
        s, alive = c
        s = s * jnp.exp((0.05 - vol * vol / 2) / 64 + vol * z / 8)
        return (s, alive * jax.nn.sigmoid((130 - s) * 2)), None
    (s, alive), _ = lax.scan(step, (jnp.full(10000, 1.) * start, jnp.ones(10000)), z)
    return jnp.mean(alive * jnp.maximum(s - 100, 0))


@program(normal(32, 10000))
def american_option(z):
    s = 100 * jnp.exp(jnp.cumsum(-0.02 / 32 + 0.2 / np.sqrt(32.) * z, axis=0))

    def step(cash, s):
        x, in_money = s / 100, s < 100
        a = jnp.stack([jnp.ones_like(x), x, x * x], 1)
        w = in_money.astype(jnp.float32)[:, None] * a
        c = jnp.linalg.solve(w.T @ a + 1e-3 * jnp.eye(3), w.T @ (cash * 0.999))
        now = jnp.maximum(100 - s, 0)
        return jnp.where(in_money & (now > a @ c), now, cash * 0.999), None
    return jnp.mean(lax.scan(step, jnp.maximum(100 - s[-1], 0), s[:-1][::-1])[0])


# ---- statistics ----

@program(normal(2000, 50), integers(2, 2000).astype(np.float32), normal(50), grad=2)
def logistic_regression(x, y, w):
    z = x @ w
    return jnp.mean(jnp.logaddexp(0, z) - y * z)


@program(normal(2000, 50), integers(2, 2000).astype(np.float32), normal(50))
def its_hessian(x, y, w):
    return jax.hessian(lambda w: logistic_regression(x, y, w))(w)


@program(normal(2000, 50), normal(2000), normal(50), grad=2)
def linear_regression(x, y, w):
    return jnp.mean((x @ w - y) ** 2)


@program(normal(300, 8), normal(300), normal(50, 8))
def gaussian_process_of_300(x, y, at):
    k = lambda a, b: jnp.exp(-0.5 * jnp.sum((a[:, None] - b[None]) ** 2, -1))
    factor = jnp.linalg.cholesky(k(x, x) + 0.1 * jnp.eye(300))
    v = jax.scipy.linalg.solve_triangular(factor, k(x, at), lower=True)
    return k(at, x) @ jax.scipy.linalg.cho_solve((factor, True), y), 1 - jnp.sum(v * v, 0)


@program(normal(2000, 2), normal(16, 2))
def k_means(x, c):
    def step(c, _):
        near = jnp.argmin(jnp.sum((x[:, None] - c[None]) ** 2, -1), 1)
        n = jax.ops.segment_sum(jnp.ones(2000), near, 16)
        return jax.ops.segment_sum(x, near, 16) / jnp.maximum(n, 1)[:, None], near
    return lax.scan(step, c, None, length=10)[0]


@program(normal(100000))
def histogram_of_50(x):
    return jnp.histogram(x, bins=50, range=(-4, 4))[0]


@program(normal(100000))
def quantiles(x):
    return jnp.quantile(x, jnp.array([.1, .5, .9]))


@program(normal(1000, 32))
def nearest_five(x):
    return lax.top_k(2 * x @ x.T - jnp.sum(x * x, 1)[:, None] - jnp.sum(x * x, 1)[None], 5)


@program(normal(100, 100))
def transport(c):
    k = jnp.exp(-jnp.abs(c) * 5)

    def step(uv):
        u = 1 / (k @ uv[1])
        return u, 1 / (k.T @ u)
    u, v = repeat(step, (jnp.ones(100), jnp.ones(100)), 100)
    return u[:, None] * k * v


@program(normal(200, 200))
def conjugate_gradients(a):
    a = a @ a.T + 200 * jnp.eye(200)
    return jax.scipy.sparse.linalg.cg(lambda x: a @ x, jnp.ones(200), maxiter=30)[0]


@program(normal(200), grad=0)
def rosenbrock(x):
    return jnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


# ---- rows of few elements ----

def logsumexp_of_rows(rows, n):
    def f(x):
        return jax.nn.logsumexp(x, 1)
    f.__name__ = f"logsumexp_of_rows_of_{n}"
    program(normal(rows, n))(f)


logsumexp_of_rows(10000, 10)
logsumexp_of_rows(10000, 32)
logsumexp_of_rows(10000, 100)
logsumexp_of_rows(4000, 1024)


@program(normal(10000, 10))
def softmax_of_rows_of_10(x):
    return jax.nn.softmax(x, 1)


@program(normal(10000, 10), integers(10, 10000), grad=0)
def cross_entropy_of_10(x, y):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(x), y[:, None], 1))


@program(normal(10000, 20))
def entropy_of_rows_of_20(x):
    p = jax.nn.softmax(x, 1)
    return -jnp.sum(p * jnp.log(p + 1e-9), 1)


@program(normal(10000, 48), normal(48), normal(48), grad=(0, 1, 2))
def layer_norm_of_48(x, g, b):
    return jnp.sum(((x - x.mean(1, keepdims=True)) / jnp.sqrt(x.var(1, keepdims=True) +
        1e-5) * g + b) ** 2)


@program(normal(10000, 8), normal(8))
def tanh_of_a_product(x, w):
    return jnp.tanh(x @ w)


# ---- signals and images ----

@program(normal(20000), normal(31))
def filtered(x, h):
    return jnp.convolve(x, h, 'same')


@program(normal(20000))
def recursive_filter(x):
    def step(c, x):
        y = 0.1 * x + 1.6 * c[0] - 0.7 * c[1]
        return (y, c[0]), y
    return lax.scan(step, (jnp.float32(0), jnp.float32(0)), x)[1]


@program(normal(4096))
def spectrogram(x):
    at = jnp.arange(0, 4096 - 256, 64)[:, None] + jnp.arange(256)
    return jnp.abs(jnp.fft.rfft(x[at] * jnp.hanning(256).astype(jnp.float32))) ** 2


@program(normal(256, 256, 3))
def blurred(image):
    p = jnp.pad(image, ((1, 1), (1, 1), (0, 0)), mode='edge')
    return sum(p[i:i + 256, j:j + 256] for i in range(3) for j in range(3)) / 9


@program(normal(512, 512, 3))
def channels_first(image):
    return image.transpose(2, 0, 1) * 2


@program(normal(3, 512, 512))
def channels_last(image):
    return image.transpose(1, 2, 0) * 2


# ---- learning ----

@program(normal(256, 64), normal(64, 256) * np.float32(.1), normal(256, 256) * np.float32(.1),
         normal(256, 10) * np.float32(.1),
         integers(10, 256), grad=(1, 2, 3))
def classifier(x, a, b, c, y):
    h = jax.nn.relu(jax.nn.relu(x @ a) @ b)
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(h @ c), y[:, None], 1))


@program(normal(32, 28, 28, 1), normal(3, 3, 1, 16) * np.float32(.3),
         normal(3, 3, 16, 32) * np.float32(.1),
         normal(1568, 10) * np.float32(.05), integers(10, 32), grad=(1, 2, 3))
def digits_by_convolution(x, k1, k2, w, y):
    conv = lambda x, k: lax.conv_general_dilated(x, k, (1, 1), 'SAME',
                                                 dimension_numbers=('NHWC', 'HWIO', 'NHWC'))
    pool = lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1),
                                       (1, 2, 2, 1), 'VALID')
    h = pool(jax.nn.relu(conv(pool(jax.nn.relu(conv(x, k1))), k2)))
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(h.reshape(32, -1) @ w),
                                         y[:, None], 1))


@program(normal(8, 64, 128), normal(128, 384) * np.float32(.1),
         normal(128, 128) * np.float32(.1),
         normal(128, 512) * np.float32(.1), normal(512, 128) * np.float32(.1),
         grad=(1, 2, 3, 4))
def transformer_block(x, qkv, wo, w1, w2):
    norm = lambda x: (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5)
    heads = lambda t: t.reshape(8, 64, 4, 32).transpose(0, 2, 1, 3)
    q, k, v = map(heads, jnp.split(norm(x) @ qkv, 3, -1))
    s = jnp.where(jnp.tril(jnp.ones((64, 64), bool)), q @ k.swapaxes(-1, -2) / np.sqrt(32.),
                  -1e9)
    x = x + (jax.nn.softmax(s) @ v).transpose(0, 2, 1, 3).reshape(8, 64, 128) @ wo
    return jnp.mean((x + jax.nn.gelu(norm(x) @ w1) @ w2) ** 2)


@program(normal(30, 512), normal(512, 512) * np.float32(.05),
         normal(512, 512) * np.float32(.05), grad=(1, 2))
def recurrence(x, w, u):
    return jnp.sum(lax.scan(lambda h, x: (jnp.tanh(x @ w + h @ u), None), jnp.zeros(512), x)[0])


@program(normal(50000, 8), integers(50000, 200000, 2))
def messages_of_a_graph(h, edge):
    return jnp.zeros_like(h).at[edge[:, 1]].add(jax.nn.relu(h[edge[:, 0]] - h[edge[:, 1]]))


@program(normal(64, 128, 128), grad=0)
def instance_norm(x):
    y = (x - x.mean((1, 2), keepdims=True)) / jnp.sqrt(x.var((1, 2), keepdims=True) + 1e-5)
    return jnp.sum(jax.nn.silu(y) ** 3)
