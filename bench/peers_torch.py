"""The examples as users of torch.func write them."""
import peers_inputs as inputs
from peers_inputs import A, B, B3, E, VECS, W3, W5, X, Y


def cases(at):
    """at(program, title, function, *arguments) for each example, as torch.func's users write
    it."""
    import torch
    from torch.func import functional_call, functionalize, grad, grad_and_value, hessian
    from torch.func import jacfwd, jacrev, jvp, \
        linearize, vjp, vmap
    t = torch.tensor

    def d(x):
        return torch.tensor(x, dtype=torch.float64)

    dot = torch.dot
    at("batched_dot", "vmap(dot)(X, Y)", vmap(dot), t(X), t(Y))
    at("dot_in_dims_1", "vmap(dot, in_dims=1)(X, Y)", vmap(dot, in_dims=1), t(X), t(Y))
    at("dot_0_none", "vmap(dot, in_dims=(0, none))(X, y)", vmap(dot, in_dims=(0, None)),
       t(X), t(Y[0]))
    struct = vmap(lambda a: dot(a["x"], a["y"]), in_dims=({"x": 0, "y": None},))
    for title in ("in_dims x:0, y:none", "the same as a pipeline"):
        at("dot_struct", title, struct, {"x": t(X), "y": t(Y[0])})
    at("nested_dot", "vmap(vmap(dot))(A, B)", vmap(vmap(dot)), t(A), t(B))
    at("square_out_dims_1", "vmap(square, out_dims=1)(X)", vmap(lambda x: x ** 2, out_dims=1),
       t(X))

    def scaled(x, scale=4.):
        return x * scale

    at("scale_optional", "vmap(f)(X)", vmap(scaled), t(X))
    at("scale_optional", "vmap(f)(X, scale=X)", lambda x, s: vmap(scaled)(x, scale=s), t(X),
       t(X))
    at("scale_optional", "vmap(f)(X, scale=0.5)", lambda x: vmap(scaled)(x, scale=.5), t(X))

    def model(w, e):
        return e.dot(w).relu()

    def batch(w, es):
        return vmap(lambda e: model(w, e))(es)

    at("hidden_batch_model", "the batch", batch, t(W5), t(E))
    at("hidden_batch_model", "gradient of the sum", grad(lambda w, es: batch(w, es).sum()),
       t(W5), t(E))
    at("hidden_batch_model", "gradients per example", vmap(grad(model), (None, 0)), t(W5), t(E))
    at("aux_intermediate", "grad(f, aux)(0.5), sin(0.5)",
       grad(lambda x: (x.sin().sin(), x.sin()), has_aux=True), d(.5))

    def squares(x):
        return (x * x).sum(0)

    at("for_loop_model", "vmap(f)(x)", vmap(squares), t([[1., 2], [3, 4], [5, 6]]))
    at("for_loop_model", "f of one example", squares, t([1., 2]))
    for title in ("vmap(f)(x)", "vmap(f)(x), again"):
        at("effects_once", title, vmap(lambda x: x.sum(0)), t([[1.], [2], [3]]))

    def custom_dot(x):
        return torch.dot(x, x) if x.dim() == 1 else x ** 2

    at("custom_dot", "vmap(f)([1, -2, 3])", vmap(custom_dot), t([1., -2, 3]))
    at("custom_dot", "vmap(f)([[1, 2, 3], [4, 5, 6]])", vmap(custom_dot),
       t([[1., 2, 3], [4, 5, 6]]))
    at("custom_dot", "f([1, -2, 3])", custom_dot, t([1., -2, 3]))

    def choose(x):
        return torch.where(x > 0, x, 0.)

    at("relu_if", "vmap(relu)(x)", vmap(choose), t([1., -2, 3]))
    at("relu_if", "vmap(grad(relu))(x)", vmap(grad(choose)), t([1., -2, 3]))

    def diag_embed(v):
        out = v.new_zeros(v.shape[-1], v.shape[-1])
        out.diagonal(0, -1, -2).copy_(v)
        return out

    at("diag_embed_new_zeros", "vmap(diag_embed)(vecs)", vmap(diag_embed), t(VECS))

    def plus_one(x):
        y = x.clone()
        y.view(-1).add_(1)
        return y * x

    x4 = t([[1., 2], [3, 4]])
    at("functionalize", "f(x)", plus_one, x4)
    at("functionalize", "without mutations", functionalize(plus_one), x4)
    at("functionalize", "without mutations and views",
       functionalize(plus_one, remove="mutations_and_views"), x4)

    def into(x, y):
        out = x.new_zeros(2)
        return out.copy_(x + y)

    at("out_argument", "into a local value", vmap(into, (0, None)),
       t([[1., 2], [3, 4], [5, 6]]), t([10., 20]))
    at("inplace_mapped", "vmap(x += y)", vmap(lambda x, y: x.add_(y)), t([[10.], [20], [30]]),
       t([[1.], [2], [3]]))
    for title, x in (("nonzero(xs[0])", [0., 1, 2]), ("nonzero(xs[1])", [0., 0, 3])):
        at("nonzero", title, torch.nonzero, t(x))
    ones = torch.ones(3)
    for name, how in (("add_noise_different", "different"), ("add_noise_same", "same")):
        at(name, "vmap(add_noise)(1)", vmap(lambda x: x + torch.randn(()), randomness=how),
           ones)

    linear = torch.nn.Linear(3, 3)
    with torch.no_grad():
        linear.weight.copy_(t(W3))
        linear.bias.copy_(t(B3))
    for p in linear.parameters():
        p.requires_grad_(False)
    params = {"weight": t(W3), "bias": t(B3)}
    x3 = t([1., -1, 2])
    at("linear_jacobian", "y", linear, x3)
    at("linear_jacobian", "jacrev(f)(x)", jacrev(linear), x3)
    for name, jac in (("jacrev", jacrev), ("jacfwd", jacfwd)):
        at("linear_param_jacobian", name + " over {weight, bias}",
           jac(lambda p, x: functional_call(linear, p, (x,))), params, x3)

    weights = {"weight": t([[[1., 0]], [[2, -1]], [[3, -2]]]), "bias": t([[0.], [10], [20]])}
    line = torch.nn.Linear(2, 1, device="meta")

    def one(p, x):
        return functional_call(line, p, (x,))

    at("stack_module_state", "shared x", vmap(one, (0, None)), weights, t([2., 3]))
    at("stack_module_state", "own x", vmap(one), weights, t([[2., 3], [1, 1], [0, 2]]))

    norm = torch.nn.functional.batch_norm

    def normed(x):
        return norm(2 * norm(x, None, None, training=True), None, None, training=True)

    at("batch_norm_patch", "vmap, patched", vmap(normed), t([[[1.], [3]], [[0], [8]]]))

    def f(x):
        return (x * x.sin()).sum()

    x, dx, ct = d([.5, -1, 2]), d([1., 2, -1]), d(2.)
    at("transforms", "f(x)", f, x)
    at("transforms", "grad(f)(x)", grad(f), x)
    at("transforms", "grad_and_value(f)(x)", grad_and_value(f), x)

    def pull(x, ct):
        y, back = vjp(f, x)
        return y, back(ct)[0]

    at("transforms", "vjp(f)(x, 2)", pull, x, ct)
    at("transforms", "jvp(f)(x, dx)", lambda x, dx: jvp(f, (x,), (dx,)), x, dx)

    def push(x, dx):
        y, lin = linearize(f, x)
        return y, lin(dx)

    at("transforms", "linearize(f)(x, dx)", push, x, dx)
    at("transforms", "jacrev(f)(x)", jacrev(f), x)
    at("transforms", "jacfwd(f)(x)", jacfwd(f), x)
    at("transforms", "hessian(f)(x)", hessian(f), x)
    back, lin = vjp(f, x)[1], linearize(f, x)[1]
    at("transforms", "bwd(res, 2)", lambda ct: back(ct)[0], ct)
    at("transforms", "lin(res, dx)", lin, dx)
    at("transforms", "fwd(x)", lambda x: vjp(f, x)[0], x)

    x5, eye = d([1., -2, 3, .5, -.25]), torch.eye(5, dtype=torch.float64)
    pullback = vjp(lambda x: x ** 2, x5)[1]
    at("jacobian_rows", "fwd(x)", lambda x: vjp(lambda x: x ** 2, x)[0], x5)
    at("jacobian_rows", "bwd(res, row of I)", lambda row: pullback(row)[0], eye[0])
    at("jacobian_rows", "vmap(bwd)(res, I)", lambda i: vmap(pullback)(i)[0], eye)
    custom_cases(at)
    example_cases(at)


def custom_cases(at):
    """Functions with rules of their own: torch.autograd.Function."""
    import numpy as np
    import torch
    from torch.func import grad, hessian, jacrev, jvp, vmap

    def d(x):
        return torch.tensor(x, dtype=torch.float64)

    class Take(torch.autograd.Function):
        @staticmethod
        def forward(x, index, back, dim):
            return torch.from_numpy(np.take_along_axis(x.numpy(), index.numpy(), dim))

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(inputs[1], inputs[2])
            ctx.dim = inputs[3]

        @staticmethod
        def backward(ctx, g):
            index, back = ctx.saved_tensors
            return Take.apply(g, back, index, ctx.dim), None, None, None

        @staticmethod
        def vmap(info, in_dims, x, index, back, dim):
            rank = x.dim() if in_dims[0] is None else x.dim() - 1
            dim = dim if dim >= 0 else dim + rank

            def front(y, at):
                return y.expand(info.batch_size, *y.shape) if at is None else y.movedim(at, 0)
            return Take.apply(front(x, in_dims[0]), front(index, in_dims[1]),
                              front(back, in_dims[2]), dim + 1), 0

    class Sort(torch.autograd.Function):
        @staticmethod
        def forward(x, dim):
            index = np.argsort(x.numpy(), axis=dim)
            back = np.argsort(index, axis=dim)
            return (torch.from_numpy(np.take_along_axis(x.numpy(), index, dim)),
                    torch.from_numpy(index),
                    torch.from_numpy(back))

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.mark_non_differentiable(output[1], output[2])
            ctx.save_for_backward(output[1], output[2])
            ctx.dim = inputs[1]

        @staticmethod
        def backward(ctx, g, _0, _1):
            index, back = ctx.saved_tensors
            return Take.apply(g, back, index, ctx.dim), None

        @staticmethod
        def vmap(info, in_dims, x, dim):
            rank = x.dim() - 1
            return Sort.apply(x.movedim(in_dims[0], 0), (dim if dim >= 0 else dim + rank) +
                              1), (0, 0, 0)

    def sort(x):
        return Sort.apply(x, -1)[0]

    s, w = d([[3., 1, 2], [-1, 5, 0]]), d([1., 10, 100])
    at("numpy_sort_grad", "grad(sum(sort))(S)", grad(lambda x: sort(x).sum()), s)
    at("numpy_sort_grad", "grad(sum(w sort))(S)", grad(lambda x: (w * sort(x)).sum()), s)

    def cubed(x):
        return (w * sort(x) ** 3).sum()

    at("numpy_sort_grad", "grad(sum(w sort^3))(S)", grad(cubed), s)
    at("numpy_sort_grad", "vmap(hessian(sum(w sort^3)))(S)", vmap(jacrev(jacrev(cubed))), s)
    at("numpy_sort_grad", "jacrev(sort)(S[0])", jacrev(sort), s[0])
    at("numpy_sort_vmap", "vmap(sort)(S)", vmap(sort), s)
    at("numpy_sort_vmap", "vmap(sort)(vmap(sort)(S))", vmap(sort), d([[1., 2, 3], [-1, 0, 5]]))
    at("numpy_sort_vmap", "vmap(sort, in_dims 1)(S)", vmap(sort, in_dims=1), s)
    index = torch.tensor([[2, 1], [0, 2], [1, 0]])
    at("numpy_sort_vmap", "vmap(take, in_dims 1)",
       vmap(lambda x, i: Take.apply(x, i, i, -1), in_dims=1),
       d([[1., 4], [2, 5], [3, 6]]), index)

    class MyCube(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return x ** 3, 3 * x ** 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(inputs[0], output[1])
            ctx.save_for_forward(inputs[0], output[1])

        @staticmethod
        def backward(ctx, g, g_dx):
            x, dx = ctx.saved_tensors
            return g * dx + g_dx * 6 * x

        @staticmethod
        def jvp(ctx, t):
            x, dx = ctx.saved_tensors
            return t * dx, 6 * t * x

    def cube(x):
        return MyCube.apply(x)[0]

    x = d(1.5)
    at("my_cube_gg", "cube(x)", cube, x)
    at("my_cube_gg", "grad(cube)(x)", grad(cube), x)
    at("my_cube_gg", "grad(grad(cube))(x)", grad(grad(cube)), x)
    at("my_cube_gg", "grad(grad(grad(cube)))(x)", grad(grad(grad(cube))), x)
    at("my_cube_gg", "jvp(cube)(x, 1)", lambda x, dx: jvp(cube, (x,), (dx,)), x, d(1.))
    xs = d([1., -2, .5])
    at("my_cube_vmap", "vmap(cube)(x)", vmap(cube), xs)
    at("my_cube_vmap", "vmap(grad(grad(cube)))(x)", vmap(grad(grad(cube))), xs)

    def rule(forward, backward, tangent=None):
        """A function of one argument that keeps it."""
        class Rule(torch.autograd.Function):
            generate_vmap_rule = True

            @staticmethod
            def setup_context(ctx, inputs, output):
                ctx.save_for_backward(inputs[0])
        Rule.forward = staticmethod(forward)
        Rule.backward = staticmethod(lambda ctx, g: backward(ctx.saved_tensors[0], g))
        if tangent:
            Rule.jvp = staticmethod(tangent)
        return Rule.apply

    clip = rule(lambda x: x.clone(),
                lambda x, g: g * torch.clamp(1 / g.pow(2).sum().sqrt(), max=1))
    pairs = d([[3., 4], [.3, .4]])
    at("clip_norm", "vmap(grad(h))(x)", vmap(grad(lambda x: clip(x).pow(2).sum() / 2)), pairs)
    at("clip_norm", "grad(sum of vmap)(x)", grad(lambda x: vmap(clip)(x).pow(2).sum() / 2),
       pairs)

    def plain(x):
        return torch.log(1 + torch.exp(x))

    stable = rule(plain, lambda x, g: g * (1 - 1 / (1 + torch.exp(x))))
    at("log1pexp", "grad(plain)(100)", grad(plain), torch.tensor(100.))
    at("log1pexp", "grad(log1pexp)(100)", grad(stable), torch.tensor(100.))
    at("log1pexp", "vmap(grad(log1pexp))([100, 0])", vmap(grad(stable)),
       torch.tensor([100., 0]))

    def length(x):
        return x.pow(2).sum().sqrt()

    norm = rule(length, lambda x, g: torch.where(length(x) == 0, 0., g * x / length(x)))
    at("norm_at_zero", "grad(plain)(0)", grad(length), d([0., 0]))
    at("norm_at_zero", "grad(norm)(0)", grad(norm), d([0., 0]))
    at("norm_at_zero", "vmap(grad(norm))", vmap(grad(norm)), d([[3., 4], [0, 0]]))

    through = rule(lambda x: torch.round(x), lambda x, g: g, lambda ctx, t: t.clone())
    xs, target = torch.tensor([.25, 1.75, -2.5]), torch.ones(3)
    dx = torch.tensor([1., 0, 1])

    def loss(x):
        return (through(x) - target).pow(2).sum()

    at("straight_through", "grad(plain)(x)", grad(lambda x: (x.round() - target).pow(2).sum()),
       xs)
    at("straight_through", "grad(loss)(x)", grad(loss), xs)
    at("straight_through", "jvp(loss)(x, dx)", lambda x, dx: jvp(loss, (x,), (dx,)), xs, dx)
    at("straight_through", "hessian(loss)(x)", hessian(loss), xs)


def example_cases(at):
    """The programs of examples/, whose kernels take longer."""
    import torch
    from torch.func import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, vjp, vmap

    def n(shape, start, divisor):
        return torch.tensor(inputs.numbers(shape, start, divisor), dtype=torch.float64)

    def hidden(p, x):
        return torch.tanh(x @ p[0].T + p[1])

    def logits(p, x):
        return hidden(p, x) @ p[2].T + p[3]

    # ---- per_sample ----
    p = tuple(n(*s, 32) for s in inputs.PER_SAMPLE)
    xs, labels = n((6, 4), 5, 32), torch.tensor(inputs.LABELS)

    def loss(p, x, label):
        return -torch.log_softmax(logits(p, x), -1)[label]

    def one_hot_loss(p, x, label):
        """torch.func cannot index with a mapped label."""
        return torch.nn.functional.cross_entropy(logits(p, x)[None], label[None])

    def clipped(p, xs, labels):
        g = vmap(grad(one_hot_loss), (None, 0, 0))(p, xs, labels)
        norm = sum(x.reshape(len(xs), -1).square().sum(1) for x in g).sqrt()
        factor = (1 / norm).clamp(max=1)
        return g, norm, [torch.einsum("n,n...->...", factor, x) / len(xs) for x in g]

    at("per_sample", "clipped", clipped, p, xs, labels)
    at("per_sample", "grad(loss)", grad(loss), p, xs[0], labels[0])

    # ---- ensemble ----
    start = [torch.randn(s) for s in ((5, 16, 1), (5, 16), (5, 1, 16), (5, 1))]
    points = torch.linspace(-1, 1, 16)[:, None]
    ys, seen = torch.sin(3 * points), torch.tensor(inputs.SEEN)[:, :, None]

    def error(p, seen):
        return ((logits(p, points) - ys).square() * seen).sum() / seen.sum()

    step = vmap(grad(error))

    def train(p, seen):
        for _ in range(500):
            p = [x - .1 * g for x, g in zip(p, step(p, seen))]
        return p

    at("ensemble", "vmap(train)", train, start, seen)

    # ---- lennard_jones ----
    def inverse_sixth(x):
        apart = x[:, None] - x[None]
        square = apart.square().sum(2) + torch.eye(len(x), dtype=torch.float64)
        return apart, square, square ** -3

    def energy(x):
        s = inverse_sixth(x)[2]
        return 2 * (s * s - s).sum()

    def textbook(x):
        apart, square, s = inverse_sixth(x)
        return torch.einsum("ij,ijk->ik", 24 * (2 * s * s - s) / square, apart)

    def relax(x):
        force = grad(energy)
        for _ in range(1000):
            x = x - .002 * force(x)
        return x

    atoms = torch.tensor(inputs.ATOMS, dtype=torch.float64)
    at("lennard_jones", "grad_and_value(energy)", grad_and_value(energy), atoms)
    at("lennard_jones", "textbook", textbook, atoms)
    at("lennard_jones", "relax", relax, atoms)

    # ---- network_jacobians ----
    q = tuple(n(*s, 64) for s in inputs.JACOBIANS)
    batch, v, eye = n((4, 5), 5, 64), n((5,), 6, 64), torch.eye(3, dtype=torch.float64)
    x = batch[0]

    def predict(x):
        return torch.tanh(logits(q, x))

    def squares(x):
        return predict(x).square().sum()

    def by_rows(x):
        back = vjp(predict, x)[1]
        return torch.stack([back(row)[0] for row in eye])

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
    left, right, unit = n((4, 3), 5, 32), n((3, 3), 6, 32), torch.eye(2, dtype=torch.float64)

    def by_contraction(p, xs, ys):
        jacobian = vmap(jacrev(logits), (None, 0))
        return sum(torch.einsum("nap,mbp->nmab", a.reshape(4, 2, -1), b.reshape(3, 2, -1))
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
        return (w[0] * x + w[1] - y).square().mean()

    def adapted(w, x, y):
        return fit(w - .1 * grad(fit)(w, x, y), x, y)

    xs, ys = (torch.tensor(a, dtype=torch.float64) for a in inputs.TASKS)
    at("maml", "grad_and_value(meta_loss)",
       grad_and_value(lambda w, xs, ys: vmap(adapted, (None, 0, 0))(w, xs, ys).mean()),
       torch.tensor([.5, 0], dtype=torch.float64), xs, ys)

    def end_x(s):
        def slope(s):
            x, y, z = s[0], s[1], s[2]
            return torch.stack([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])
        for _ in range(100):
            a = slope(s)
            b = slope(s + .0025 * a)
            c = slope(s + .0025 * b)
            s = s + .005 / 6 * (a + slope(s + .005 * c) + 2 * (b + c))
        return s[0]

    at("lorenz", "vmap(grad_and_value(end_x))", vmap(grad_and_value(end_x)),
       torch.tensor(inputs.STARTS, dtype=torch.float64))

    def price(spot, strike, rate, vol, time):
        def normal(x):
            return .5 * torch.erfc(-.70710678118654752440 * x)
        spread = vol * time.sqrt()
        d1 = ((spot / strike).log() + (rate + .5 * vol * vol) * time) / spread
        return spot * normal(d1) - strike * (-rate * time).exp() * normal(d1 - spread)

    market = [torch.tensor(a, dtype=torch.float64) for a in inputs.MARKET]
    each = (0, None, None, None, None)
    at("black_scholes", "vmap(grad_and_value(price))",
       vmap(grad_and_value(price, (0, 3, 4, 2)), each), *market)
    at("black_scholes", "vmap(grad(grad(price)))", vmap(grad(grad(price)), each), *market)
