"""Two objectives of ADBench and their derivatives, in f64: bench/adbench.c has the same, and
the paper."""
import numpy as np

from workloads_define import I, T, U, add, rng

N, K, D = 1000, 25, 10
PAIRS = D * (D - 1) // 2
CAMERAS, POINTS, SEEN = 49, 7776, 31843


def normal(shape, seed, scale=1.0):
    return rng(seed).standard_normal(shape) * scale


def triangle():
    """Where the strict lower triangle, column by column, has its elements, and masks."""
    place, below = np.zeros((D, D), np.int32), np.zeros((D, D))
    for col in range(D):
        for row in range(col + 1, D):
            place[row, col] = col * D - col * (col + 1) // 2 + row - col - 1
            below[row, col] = 1
    return place.reshape(-1), below, np.eye(D)


def gmm_in():
    return [normal(K, 1), U((K, D), 0, 1, 2).astype(np.float64),
            normal((K, D + PAIRS), 3, 0.3), normal((N, D), 4)]


def gmm(np_, logsumexp, place, below, eye):
    def f(alphas, means, icf, x):
        log_d, low = icf[:, :D], icf[:, D:]
        d = np_.exp(log_d)
        q = low[:, place].reshape(K, D, D) * below + d[:, None, :] * eye
        y = np_.einsum("kij,nkj->nki", q, x[:, None, :] - means)
        inner = alphas + log_d.sum(1) - 0.5 * (y * y).sum(2)
        e = logsumexp(inner, 1).sum() - N * logsumexp(alphas, 0)
        return e - 0.5 * N * D * 1.8378770664093453 + \
            0.5 * ((d * d).sum() + (low * low).sum())
    return f


def wide(make):
    def build():
        import jax
        jax.config.update("jax_enable_x64", True)
        return make(jax)
    return build


def jax_gmm(jax):
    place, below, eye = triangle()
    return gmm(jax.numpy, jax.scipy.special.logsumexp, place, below, eye)


def torch_gmm(t):
    place, below, eye = triangle()
    return gmm(t, t.logsumexp, t.from_numpy(place).long(), t.from_numpy(below),
               t.from_numpy(eye))


add("adbench_gmm", gmm_in, wide(jax_gmm), T(torch_gmm))
add("adbench_gmm_grad", gmm_in, wide(lambda jax: jax.grad(jax_gmm(jax), (0, 1, 2))),
    T(lambda t: t.func.grad(torch_gmm(t), (0, 1, 2))))


def ba_in():
    return [U((CAMERAS, 11), 0.1, 0.9, 5).astype(np.float64),
            U((POINTS, 3), 2, 3, 6).astype(np.float64), U(SEEN, 0, 1, 7).astype(np.float64),
            normal((SEEN, 2), 8), I(CAMERAS, SEEN, 9), I(POINTS, SEEN, 10)]


def reprojection(np_, dot, cross):
    def f(cam, x, w, seen):
        r = cam[:3]
        angle = np_.sqrt(dot(r, r))
        c, axis, x = np_.cos(angle), r / angle, x - cam[3:6]
        x = x * c + cross(axis, x) * np_.sin(angle) + axis * (dot(axis, x) * (1 - c))
        p = x[:2] / x[2]
        square = dot(p, p)
        bend = 1 + cam[9] * square + cam[10] * square * square
        return w * (p * bend * cam[6] + cam[7:9] - seen)
    return f


def for_each(vmap, of):
    def f(cams, points, w, seen, camera, point):
        return vmap(of)(cams[camera], points[point], w, seen)
    return f


def jax_ba(of):
    def make(jax):
        f = reprojection(jax.numpy, jax.numpy.dot, jax.numpy.cross)
        return for_each(jax.vmap, of(jax, f))
    return wide(make)


def torch_ba(of):
    def make(t):
        f = reprojection(t, t.dot, lambda x, y: t.linalg.cross(x, y))
        return for_each(t.func.vmap, of(t, f))
    return T(make)


add("adbench_ba", ba_in, jax_ba(lambda jax, f: f), torch_ba(lambda t, f: f))
add("adbench_ba_jacfwd", ba_in, jax_ba(lambda jax, f: jax.jacfwd(f, (0, 1, 2))),
    torch_ba(lambda t, f: t.func.jacfwd(f, (0, 1, 2))))
add("adbench_ba_jacrev", ba_in, jax_ba(lambda jax, f: jax.jacrev(f, (0, 1, 2))),
    torch_ba(lambda t, f: t.func.jacrev(f, (0, 1, 2))))
