"""The examples as users of JAX write them."""
import peers_inputs as inputs
from peers_inputs import A, B, B3, E, VECS, W3, W5, X, Y


def cases(at):
    """As peers_torch.py; at jits."""
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
    at("dot_0_none", "vmap(dot, in_dims=(0, none))(X, y)", vmap(dot, in_axes=(0, None)),
       t(X), t(Y[0]))
    struct = vmap(lambda a: dot(a["x"], a["y"]), in_axes=({"x": 0, "y": None},))
    for title in ("in_dims x:0, y:none", "the same as a pipeline"):
        at("dot_struct", title, struct, {"x": t(X), "y": t(Y[0])})
    at("nested_dot", "vmap(vmap(dot))(A, B)", vmap(vmap(dot)), t(A), t(B))
    at("square_out_dims_1", "vmap(square, out_dims=1)(X)", vmap(lambda x: x ** 2, out_axes=1),
       t(X))
    at("scale_optional", "vmap(f)(X)", vmap(lambda x: x * 4.), t(X))
    at("scale_optional", "vmap(f)(X, scale=X)", vmap(lambda x, s: x * s, (0, None)), t(X), t(X))
    at("scale_optional", "vmap(f)(X, scale=0.5)", vmap(lambda x: x * .5), t(X))

    def model(w, e):
        return jax.nn.relu(e @ w)

    batch = vmap(model, (None, 0))
    at("hidden_batch_model", "the batch", batch, t(W5), t(E))
    at("hidden_batch_model", "gradient of the sum", grad(lambda w, es: batch(w, es).sum()),
       t(W5), t(E))
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
    at("custom_dot", "vmap(f)([[1, 2, 3], [4, 5, 6]])", vmap(custom_dot),
       t([[1., 2, 3], [4, 5, 6]]))
    at("custom_dot", "f([1, -2, 3])", custom_dot, t([1., -2, 3]))

    def choose(x):
        return jax.lax.cond(x > 0, lambda x: x, lambda x: x * 0., x)

    at("relu_if", "vmap(relu)(x)", vmap(choose), t([1., -2, 3]))
    at("relu_if", "vmap(grad(relu))(x)", vmap(grad(choose)), t([1., -2, 3]))
    for name in ("diag_embed_zeros", "diag_embed_new_zeros"):
        at(name, "vmap(diag_embed)(vecs)", vmap(jnp.diag), t(VECS))
    for title in ("f(x)", "without mutations", "without mutations and views"):
        at("functionalize", title, lambda x: (x + 1) * x, t([[1., 2], [3, 4]]))
    at("out_argument", "into a local value", vmap(jnp.add, (0, None)),
       t([[1., 2], [3, 4], [5, 6]]), t([10., 20]))
    at("inplace_mapped", "vmap(x += y)", vmap(jnp.add), t([[10.], [20], [30]]),
       t([[1.], [2], [3]]))
    for title, x, n in (("nonzero(xs[0])", [0., 1, 2], 2), ("nonzero(xs[1])", [0., 0, 3], 1)):
        at("nonzero", title, lambda x, n=n: jnp.stack(jnp.nonzero(x, size=n), -1), t(x))

    def bounded(x):
        return jnp.stack(jnp.nonzero(x, size=2, fill_value=-1), -1), (x != 0).sum()

    at("nonzero", "vmap(nonzero, size 2)(xs)", vmap(bounded), t([[0., 1, 2], [0, 0, 3]]))
    key = jax.random.key(0)

    def different(x, key):
        return x + vmap(jax.random.normal)(jax.random.split(key, 3))

    at("add_noise_different", "vmap(add_noise)(1)", different, jnp.ones(3), key)
    at("add_noise_same", "vmap(add_noise)(1)", lambda x, key: x + jax.random.normal(key),
       jnp.ones(3), key)

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

    at("batch_norm_patch", "vmap, patched", vmap(lambda x: norm(2 * norm(x))),
       t([[[1.], [3]], [[0], [8]]]))

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
    eye, x5 = jnp.eye(5), d([1., -2, 3, .5, -.25])
    pullback = jax.vjp(lambda x: x ** 2, x5)[1]
    at("jacobian_rows", "fwd(x)", lambda x: jax.vjp(lambda x: x ** 2, x)[0], x5)
    at("jacobian_rows", "bwd(res, row of I)", lambda row: pullback(row)[0], eye[0])
    at("jacobian_rows", "vmap(bwd)(res, I)", lambda i: vmap(pullback)(i)[0], eye)
    custom_cases(at)
    example_cases(at)


def custom_cases(at):
    """Rules by jax.custom_vjp and jax.custom_jvp; the sort of numpy_sort_* is JAX's own."""
    import jax
    import jax.numpy as jnp
    vmap, grad = jax.vmap, jax.grad

    def d(x):
        return jnp.asarray(x, jnp.float64)

    s, w = d([[3., 1, 2], [-1, 5, 0]]), d([1., 10, 100])

    def cubed(x):
        return (w * jnp.sort(x) ** 3).sum()

    at("numpy_sort_grad", "grad(sum(sort))(S)", grad(lambda x: jnp.sort(x).sum()), s)
    at("numpy_sort_grad", "grad(sum(w sort))(S)", grad(lambda x: (w * jnp.sort(x)).sum()), s)
    at("numpy_sort_grad", "grad(sum(w sort^3))(S)", grad(cubed), s)
    at("numpy_sort_grad", "vmap(hessian(sum(w sort^3)))(S)", vmap(jax.hessian(cubed)), s)
    at("numpy_sort_grad", "jacrev(sort)(S[0])", jax.jacrev(jnp.sort), s[0])
    at("numpy_sort_vmap", "vmap(sort)(S)", vmap(jnp.sort), s)
    at("numpy_sort_vmap", "vmap(sort)(vmap(sort)(S))", vmap(jnp.sort),
       d([[1., 2, 3], [-1, 0, 5]]))
    at("numpy_sort_vmap", "vmap(sort, in_dims 1)(S)", vmap(jnp.sort, 1), s)
    at("numpy_sort_vmap", "vmap(take, in_dims 1)",
       vmap(lambda x, i: jnp.take_along_axis(x, i, -1), 1),
       d([[1., 4], [2, 5], [3, 6]]), jnp.asarray([[2, 1], [0, 2], [1, 0]]))

    @jax.custom_jvp
    def cube(x):
        return x ** 3

    cube.defjvp(lambda p, t: (cube(p[0]), 3 * p[0] ** 2 * t[0]))
    x = d(1.5)
    at("my_cube_gg", "cube(x)", cube, x)
    at("my_cube_gg", "grad(cube)(x)", grad(cube), x)
    at("my_cube_gg", "grad(grad(cube))(x)", grad(grad(cube)), x)
    at("my_cube_gg", "grad(grad(grad(cube)))(x)", grad(grad(grad(cube))), x)
    at("my_cube_gg", "jvp(cube)(x, 1)", lambda x, dx: jax.jvp(cube, (x,), (dx,)), x, d(1.))
    xs = d([1., -2, .5])
    at("my_cube_vmap", "vmap(cube)(x)", vmap(cube), xs)
    at("my_cube_vmap", "vmap(grad(grad(cube)))(x)", vmap(grad(grad(cube))), xs)

    def rule(forward, backward):
        f = jax.custom_vjp(forward)
        f.defvjp(lambda x: (forward(x), x), lambda x, g: (backward(x, g),))
        return f

    clip = rule(lambda x: x, lambda x, g: g * jnp.minimum(1 / jnp.sqrt((g * g).sum()), 1))
    pairs = d([[3., 4], [.3, .4]])
    at("clip_norm", "vmap(grad(h))(x)", vmap(grad(lambda x: (clip(x) ** 2).sum() / 2)), pairs)
    at("clip_norm", "grad(sum of vmap)(x)", grad(lambda x: (vmap(clip)(x) ** 2).sum() / 2),
       pairs)

    def plain(x):
        return jnp.log(1 + jnp.exp(x))

    stable = rule(plain, lambda x, g: g * (1 - 1 / (1 + jnp.exp(x))))
    at("log1pexp", "grad(plain)(100)", grad(plain), jnp.float32(100))
    at("log1pexp", "grad(log1pexp)(100)", grad(stable), jnp.float32(100))
    at("log1pexp", "vmap(grad(log1pexp))([100, 0])", vmap(grad(stable)),
       jnp.asarray([100, 0], jnp.float32))

    def length(x):
        return jnp.sqrt((x * x).sum())

    norm = rule(length, lambda x, g: jnp.where(length(x) == 0, 0., g * x / length(x)))
    at("norm_at_zero", "grad(plain)(0)", grad(length), d([0., 0]))
    at("norm_at_zero", "grad(norm)(0)", grad(norm), d([0., 0]))
    at("norm_at_zero", "vmap(grad(norm))", vmap(grad(norm)), d([[3., 4], [0, 0]]))

    through = jax.custom_jvp(lambda x: jnp.round(x))
    through.defjvp(lambda p, t: (through(p[0]), t[0]))
    xs, dx = jnp.asarray([.25, 1.75, -2.5], jnp.float32), jnp.asarray([1, 0, 1], jnp.float32)

    def loss(x):
        return ((through(x) - 1) ** 2).sum()

    at("straight_through", "grad(plain)(x)", grad(lambda x: ((jnp.round(x) - 1) ** 2).sum()),
       xs)
    at("straight_through", "grad(loss)(x)", grad(loss), xs)
    at("straight_through", "jvp(loss)(x, dx)", lambda x, dx: jax.jvp(loss, (x,), (dx,)), xs, dx)
    at("straight_through", "hessian(loss)(x)", jax.hessian(loss), xs)


def example_cases(at):
    """The programs of examples/, whose kernels take longer."""
    import jax
    import jax.numpy as jnp
    from jax import grad, hessian, jacfwd, jacrev, jvp, vjp, vmap

    def grad_and_value(f, argnums=0):
        return lambda *a: jax.value_and_grad(f, argnums)(*a)[::-1]

    def n(shape, start, divisor):
        return jnp.asarray(inputs.numbers(shape, start, divisor))

    def hidden(p, x):
        return jnp.tanh(x @ p[0].T + p[1])

    def logits(p, x):
        return hidden(p, x) @ p[2].T + p[3]

    # ---- per_sample ----
    p = tuple(n(*s, 32) for s in inputs.PER_SAMPLE)
    xs, labels = n((6, 4), 5, 32), jnp.asarray(inputs.LABELS)

    def loss(p, x, label):
        return -jax.nn.log_softmax(logits(p, x))[label]

    def clipped(p, xs, labels):
        g = vmap(grad(loss), (None, 0, 0))(p, xs, labels)
        norm = sum((x.reshape(len(xs), -1) ** 2).sum(1) for x in g) ** .5
        factor = jnp.minimum(1 / norm, 1)
        return g, norm, [jnp.einsum("n,n...->...", factor, x) / len(xs) for x in g]

    at("per_sample", "clipped", clipped, p, xs, labels)
    at("per_sample", "grad(loss)", grad(loss), p, xs[0], labels[0])

    # ---- ensemble ----
    start = [jax.random.normal(jax.random.key(0), s, jnp.float32)
             for s in ((5, 16, 1), (5, 16), (5, 1, 16), (5, 1))]
    points = jnp.linspace(-1, 1, 16, dtype=jnp.float32)[:, None]
    ys, seen = jnp.sin(3 * points), jnp.asarray(inputs.SEEN, jnp.float32)[:, :, None]

    def error(p, seen):
        return ((logits(p, points) - ys) ** 2 * seen).sum() / seen.sum()

    step = vmap(grad(error))

    def train(p, seen):
        return jax.lax.fori_loop(0, 500,
                                 lambda i, p: [x - .1 * g for x, g in zip(p, step(p, seen))], p)

    at("ensemble", "vmap(train)", train, start, seen)

    # ---- lennard_jones ----
    def inverse_sixth(x):
        apart = x[:, None] - x[None]
        square = (apart ** 2).sum(2) + jnp.eye(len(x))
        return apart, square, square ** -3

    def energy(x):
        s = inverse_sixth(x)[2]
        return 2 * (s * s - s).sum()

    def textbook(x):
        apart, square, s = inverse_sixth(x)
        return jnp.einsum("ij,ijk->ik", 24 * (2 * s * s - s) / square, apart)

    def relax(x):
        return jax.lax.fori_loop(0, 1000, lambda i, x: x - .002 * grad(energy)(x), x)

    atoms = jnp.asarray(inputs.ATOMS)
    at("lennard_jones", "grad_and_value(energy)", grad_and_value(energy), atoms)
    at("lennard_jones", "textbook", textbook, atoms)
    at("lennard_jones", "relax", relax, atoms)

    # ---- network_jacobians ----
    q = tuple(n(*s, 64) for s in inputs.JACOBIANS)
    batch, v, eye = n((4, 5), 5, 64), n((5,), 6, 64), jnp.eye(3)
    x = batch[0]

    def predict(x):
        return jnp.tanh(logits(q, x))

    def squares(x):
        return (predict(x) ** 2).sum()

    def by_rows(x):
        back = vjp(predict, x)[1]
        return jnp.stack([back(row)[0] for row in eye])

    for title, f in (("jacrev(predict)", jacrev(predict)), ("jacfwd(predict)", jacfwd(predict)),
                     ("by_rows", by_rows),
                     ("hessian(sum_of_squares)", hessian(squares)),
                     ("jacrev(grad(sum_of_squares))", jacrev(grad(squares)))):
        at("network_jacobians", title, f, x)
    at("network_jacobians", "jvp(grad(sum_of_squares))",
       lambda x, v: jvp(grad(squares), (x,), (v,)), x, v)
    at("network_jacobians", "vmap(jacrev(predict))", vmap(jacrev(predict)), batch)
    at("network_jacobians", "vmap(hessian(sum_of_squares))", vmap(hessian(squares)), batch)

    # ---- tangent_kernel ----
    r = tuple(n(*s, 32) for s in inputs.KERNEL)
    left, right, unit = n((4, 3), 5, 32), n((3, 3), 6, 32), jnp.eye(2)

    def by_contraction(p, xs, ys):
        jacobian = vmap(jacrev(logits), (None, 0))
        return sum(jnp.einsum("nap,mbp->nmab", a.reshape(4, 2, -1), b.reshape(3, 2, -1))
                   for a, b in zip(jacobian(p, xs), jacobian(p, ys)))

    def by_products(p, xs, ys):
        def there_and_back(x, y, e):
            g = vjp(lambda p: logits(p, y), p)[1](e)
            return jvp(lambda p: logits(p, x), (p,), g)[1]
        f = vmap(there_and_back, (None, None, 0), 1)
        return vmap(vmap(f, (None, 0, None)), (0, None, None))(xs, ys, unit)

    at("tangent_kernel", "by_contraction", by_contraction, r, left, right)
    at("tangent_kernel", "by_products", by_products, r, left, right)

    # ---- maml, lorenz, black_scholes ----
    def fit(w, x, y):
        return ((w[0] * x + w[1] - y) ** 2).mean()

    def adapted(w, x, y):
        return fit(w - .1 * grad(fit)(w, x, y), x, y)

    xs, ys = (jnp.asarray(a) for a in inputs.TASKS)
    at("maml", "grad_and_value(meta_loss)",
       grad_and_value(lambda w, xs, ys: vmap(adapted, (None, 0, 0))(w, xs, ys).mean()),
       jnp.asarray([.5, 0]), xs, ys)

    def end_x(s):
        def slope(s):
            x, y, z = s[0], s[1], s[2]
            return jnp.stack([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])

        def step(s, _):
            a = slope(s)
            b = slope(s + .0025 * a)
            c = slope(s + .0025 * b)
            return s + .005 / 6 * (a + slope(s + .005 * c) + 2 * (b + c)), None
        return jax.lax.scan(step, s, length=100)[0][0]

    at("lorenz", "vmap(grad_and_value(end_x))", vmap(grad_and_value(end_x)),
       jnp.asarray(inputs.STARTS))

    def price(spot, strike, rate, vol, time):
        def normal(x):
            return .5 * jax.scipy.special.erfc(-.70710678118654752440 * x)
        spread = vol * jnp.sqrt(time)
        d1 = (jnp.log(spot / strike) + (rate + .5 * vol * vol) * time) / spread
        return spot * normal(d1) - strike * jnp.exp(-rate * time) * normal(d1 - spread)

    market = [jnp.asarray(a, jnp.float64) for a in inputs.MARKET]
    each = (0, None, None, None, None)
    at("black_scholes", "vmap(grad_and_value(price))",
       vmap(grad_and_value(price, (0, 3, 4, 2)), each), *market)
    at("black_scholes", "vmap(grad(grad(price)))", vmap(grad(grad(price)), each), *market)
