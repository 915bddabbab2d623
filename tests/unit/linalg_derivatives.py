"""Derivatives of functions of matrices, from their definitions in 100 digits.

    python linalg_derivatives.py > linalg_derivatives.def

Each row is a function, a matrix x, and of the loss sum_k y_k / (k + 2) over the results y its
gradient g and the product h of its Hessian with the direction e_k = ((5 k + 2) mod 7 - 3) / 2,
by differences of 100 digits with steps of 1e-25.  Behind them is what an error of x by 1 ulp of
its elements can do to g and h: the largest element of each, and of what a step along the sizes
of x adds.  """
import textwrap

from mpmath import mp, mpf, mpc, matrix, eye, eig, eigsy, svd_r, inverse
from mpmath import log, sqrt, sin, cos, atan2, pi, fsum

mp.dps = 100
STEP = mpf(10) ** -25


def flat(a):
    return [a[i, j] for i in range(a.rows) for j in range(a.cols)]


def right(n):
    return matrix([mpf(1) / (k + 2) for k in range(n)])


def lower(x):
    n = x.rows
    return matrix([[x[i, j] if j <= i else 0 for j in range(n)] for i in range(n)])


def symmetric(x):
    n = x.rows
    return matrix([[x[max(i, j), min(i, j)] for j in range(n)] for i in range(n)])


def cholesky(x):
    a, n = symmetric(x), x.rows
    l = matrix(n, n)
    for j in range(n):
        l[j, j] = sqrt(a[j, j] - fsum(l[j, k] ** 2 for k in range(j)))
        for i in range(j + 1, n):
            l[i, j] = (a[i, j] - fsum(l[i, k] * l[j, k] for k in range(j))) / l[j, j]
    return flat(l)


def lu(x):
    a, m, n = x.copy(), x.rows, x.cols
    for k in range(min(m, n)):
        p = max(range(k, m), key=lambda i: (abs(a[i, k]), -i))
        for j in range(n):
            a[k, j], a[p, j] = a[p, j], a[k, j]
        for i in range(k + 1, m):
            a[i, k] /= a[k, k] if a[k, k] != 0 else 1
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    return flat(a)


# of the diagonal of R where a function is differentiated: the reflections of steps keep them
SIGNS = []


def qr(x):
    m, n = x.rows, x.cols
    q, r, k = eye(m), x.copy(), min(m, n)
    for j in range(k):
        if all(r[i, j] == 0 for i in range(j + 1, m)):
            continue
        v = matrix([r[i, j] if i >= j else 0 for i in range(m)])
        norm = sqrt(fsum(c ** 2 for c in v))
        v[j] += norm if r[j, j] >= 0 else -norm
        h = eye(m) - 2 * (v * v.T) / (v.T * v)[0]
        q, r = q * h, h * r
    for j in range(k):
        if SIGNS and r[j, j] * SIGNS[j] < 0:
            for i in range(n):
                r[j, i] = -r[j, i]
            for i in range(m):
                q[i, j] = -q[i, j]
    if not SIGNS:
        return [r[j, j] for j in range(k)]
    return flat(q[:, 0:k]) + [r[i, j] if i <= j else mpf(0) for i in range(k) for j in range(n)]


def eigh(x):
    w, v = eigsy(symmetric(x))
    at = sorted(range(len(w)), key=lambda i: w[i])
    return [w[i] for i in at] + [v[r, c] ** 2 for r in range(x.rows) for c in at]


def svd(x):
    u, s, v = svd_r(x)
    return list(s) + [u[i, 0] * v[0, j] for i in range(x.rows) for j in range(x.cols)]


# of eigenvalues, by their real parts; of a pair whether |b| > |c| in its block [a, b; c, a]
ORDER = []


def schur(x):
    """Squares of the elements of t and z: signs of columns are free."""
    n, (w, v) = x.rows, eig(x)
    basis, pairs = [], []
    for value, high in ORDER:
        i = min((i for i in range(n) if mpc(w[i]).imag > -mpf(10) ** -20),
                key=lambda i: abs(mpc(w[i]).real - value))
        top = max((v[k, i] for k in range(n)), key=abs)
        column = [mpc(v[k, i] / top) for k in range(n)]
        if abs(mpc(w[i]).imag) > mpf(10) ** -20:
            pairs.append((len(basis), high))
            basis += [[c.real for c in column], [c.imag for c in column]]
        else:
            basis.append([c.real for c in column])
    z = matrix(n, n)
    for j, column in enumerate(basis):
        c = matrix(column)
        for _ in range(2):
            for k in range(j):
                c = c - z[:, k] * (z[:, k].T * c)[0]
        z[:, j] = c / sqrt((c.T * c)[0])
    for j, high in pairs:
        t = z.T * x * z
        angle = atan2(t[j + 1, j + 1] - t[j, j], t[j, j + 1] + t[j + 1, j]) / 2
        for turn in (angle, angle + pi / 2):
            g = eye(n)
            g[j, j] = g[j + 1, j + 1] = cos(turn)
            g[j + 1, j], g[j, j + 1] = sin(turn), -sin(turn)
            t = (z * g).T * x * (z * g)
            if (abs(t[j, j + 1]) > abs(t[j + 1, j])) == high:
                z = z * g
                break
    t = z.T * x * z
    return [c ** 2 for c in flat(t) + flat(z)]


def power(x, n):
    y = eye(x.rows)
    for _ in range(abs(n)):
        y = y * (x if n > 0 else inverse(x))
    return flat(y)


def pinv(x):
    return inverse(x.T * x) * x.T if x.rows >= x.cols else x.T * inverse(x * x.T)


def expm(x):
    term, y = eye(x.rows), eye(x.rows)
    for k in range(1, 120):
        term = term * x / k
        y = y + term
    return flat(y)


def logdet(x):
    return [log(abs(determinant(x)[0]))]


def determinant(x):
    n = x.rows
    if n == 1:
        return [x[0, 0]]
    return [fsum((-1) ** j * x[0, j] *
                 determinant(matrix([[x[i, k] for k in range(n) if k != j]
                                     for i in range(1, n)]))[0]
                 for j in range(n))]


def eigvals(x):
    """The sum of their exponentials."""
    return [fsum(expm(x)[i * (x.rows + 1)] for i in range(x.rows))]


def singular(x):
    return list(svd_r(x, compute_uv=False))


def lu_diagonal(x):
    f, y = lu(x), mpf(1)
    for i in range(x.rows):
        y *= f[i * x.cols + i]
    return [y]


FUNCTIONS = {
    "cholesky": cholesky, "lu": lu, "qr": qr, "eigh": eigh, "svd": svd,
    "solve": lambda x: flat(inverse(x) * right(x.rows)),
    "triangular": lambda x: flat(inverse(lower(x)) * right(x.rows)),
    "lstsq": lambda x: flat(pinv(x) * right(x.rows)),
    "inverse": lambda x: flat(inverse(x)), "pinv": lambda x: flat(pinv(x)),
    "determinant": determinant,
    "logdet": logdet, "expm": expm, "cube": lambda x: power(x, 3),
    "inverse_square": lambda x: power(x, -2),
    "eigvals": eigvals, "nuclear": lambda x: [fsum(singular(x))],
    "spectral": lambda x: [singular(x)[0]],
    "cond": lambda x: [singular(x)[0] / singular(x)[-1]], "lu_diagonal": lu_diagonal,
    "schur": schur,
}

GENERAL = [[2, -1, .5], [.25, 1.5, -.75], [1, .5, 3]]
TALL = [[1, -.5], [2, .75], [-1.25, 3], [.5, 1]]
WIDE = [[1, 2, -1.25, .5], [-.5, .75, 3, 1]]
POSITIVE = [[4, 1, .5], [1, 3, -.25], [.5, -.25, 2]]
DIAGONAL = [[3, 0, 0], [0, 1, 0], [0, 0, 2]]
EYE = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
ONE = [[2.5]]
CLOSE = [[-0.1360040158033371, 0.9592933058738708, 0.24492883682250977],
         [0.5057922601699829, -0.14447709918022156, 0.8508121967315674]]
CLOSE_VALUES = [[1.25, 2 ** -9, 2 ** -10], [2 ** -9, 1.2490234375, 2 ** -9],
                [2 ** -10, 2 ** -9, 3]]
LAST_PIVOT = [[2, 1, 1, 0], [4, 3, 3, 1], [8, 7, 9, 5], [4, 2, 2, 0]]
RANK_2 = [[1, 2, 3, 4], [2, 1, 0, 1], [3, 3, 3, 5], [1, -1, -3, -3]]
RANK_1 = [[1, 2, 3, 4], [2, 4, 6, 8], [0, 0, 0, 0], [-1, -2, -3, -4]]

FIRST_PAIR = [[.5, -2, .25], [1, .25, -1], [.5, .75, 3]]
TWO_PAIRS = [[1, -2, .5, .25], [3, .5, -1, .75], [.25, 1, -2, -4], [-.5, .5, 2, -1.5]]
SCHUR = [(GENERAL, [(3.4, 0), (1.5, False)]), (POSITIVE, [(4.7, 0), (1.7, 0), (2.7, 0)]),
         (ONE, [(2.5, 0)]),
         (DIAGONAL, [(3, 0), (1, 0), (2, 0)]), (FIRST_PAIR, [(.4, False), (3, 0)]),
         (TWO_PAIRS, [(.8, True), (-1.8, True)])]

ROWS = [(f, x) for x in (GENERAL, POSITIVE, DIAGONAL, ONE) for f in FUNCTIONS
        if f != "schur" and not (f in ("cholesky", "eigh") and x is GENERAL)]
ROWS += [(f, EYE) for f in ("cholesky", "lu", "qr", "solve", "triangular", "lstsq", "inverse",
                            "pinv", "determinant",
                            "logdet", "expm", "cube", "inverse_square", "lu_diagonal")]
ROWS += [(f, x) for x in (TALL, WIDE) for f in ("lu", "qr", "svd", "pinv", "nuclear",
                                                "spectral", "cond")]
ROWS += [("lstsq", TALL), ("svd", CLOSE), ("pinv", CLOSE), ("nuclear", CLOSE), ("cond", CLOSE),
         ("eigh", CLOSE_VALUES)]
ROWS += [("determinant", x) for x in (LAST_PIVOT, RANK_2, RANK_1)]
ROWS += [("lu_diagonal", LAST_PIVOT), ("expm", RANK_2), ("cube", RANK_1)]
ROWS += [("schur", x) for x, _ in SCHUR]
ROWS = [r for r in ROWS if not (r[1] is ONE and r[0] in ("cond",))]


def numbers(a):
    return ", ".join(repr(float(c) if abs(c) > mpf(10) ** -20 else 0.0) for c in a)


def row(name, rows):
    f, m, n = FUNCTIONS[name], len(rows), len(rows[0])
    x = matrix(rows)
    SIGNS[:] = []
    if name == "qr":
        SIGNS[:] = qr(x)
    if name == "schur":
        ORDER[:] = next(order for y, order in SCHUR if y is rows)
    e = matrix(m, n)
    for k in range(m * n):
        e[k // n, k % n] = mpf((5 * k + 2) % 7 - 3) / 2
    size = matrix([[abs(x[i, j]) for j in range(n)] for i in range(m)])

    def loss(y):
        return fsum(c / (k + 2) for k, c in enumerate(f(y)))

    def unit(k):
        u = matrix(m, n)
        u[k // n, k % n] = 1
        return u

    def along(g, d):
        return lambda y: (g(y + STEP * d) - g(y - STEP * d)) / (2 * STEP)
    parts = [along(loss, unit(k)) for k in range(m * n)]
    twice = [along(p, e) for p in parts]
    g, h = [p(x) for p in parts], [p(x) for p in twice]
    more = [along(p, size)(x) for p in parts], [along(p, size)(x) for p in twice]
    scale = [max(map(abs, a)) + max(map(abs, b)) for a, b in zip((g, h), more)]
    # the vectors turn by e over the gap, of which some ulps stay where turns cancel
    if x == matrix(CLOSE):
        scale[1] += max(map(abs, e)) / (singular(x)[0] - singular(x)[1]) / 16
    text = f"ROW({name}, {m}, {n}, LIST({numbers(flat(x))}), LIST({numbers(g)}), "
    text += f"LIST({numbers(h)}), "
    print(textwrap.fill(text + f"{float(scale[0]):.4g}, {float(scale[1]):.4g})", 96,
                        subsequent_indent="    "))


print("/* Made by linalg_derivatives.py: function, sizes, x, gradient, Hessian times "
      "direction,\n"
      " * scales. */")
for r in ROWS:
    row(*r)
