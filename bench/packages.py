"""What users of JAX's packages write, for jax_programs.py: layers and training steps of Flax,
Haiku and Equinox, optimisers and losses of Optax, differential equations, roots, systems of
equations, graphs, rotations.  packages_more.py has the rest: densities, samplers, filters,
games.

PROGRAMS has a name, which begins with its package's, a function, its arguments, which are trees
of arrays, and which of these, if any, its gradient is also wanted in.  A package that is not
installed is left out with a line that says so.  Steps of time are powers of two, so that their
sums are exact: a solver rounds none of them otherwise than JAX does."""
import functools
import importlib
import os
import sys

os.environ["EQX_ON_ERROR"] = "nan"       # the text then has no callback into Python
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

PROGRAMS = []
KEY = np.array([0, 7], np.uint32)


class Draws:
    """Numbers that do not depend on which other packages there are."""
    of = np.random.default_rng(0)


def normal(*shape):
    return Draws.of.standard_normal(shape).astype(np.float32)


def uniform(*shape):
    return Draws.of.random(shape).astype(np.float32)


def integers(most, *shape):
    return Draws.of.integers(0, most, shape).astype(np.int32)


def add(name, f, args, grad=None):
    PROGRAMS.append((name, f, args, grad))


def program(*args, grad=None):
    def keep(f):
        add(f.__name__, f, args, grad)
        return f
    return keep


def package(*names):
    """Calls what defines the programs of a package with its modules, if it is installed."""
    def define(f):
        try:
            modules = [importlib.import_module(n) for n in names]
        except ImportError as e:
            print(f"{f.__name__} left out: {e}", file=sys.stderr)
            return
        Draws.of = np.random.default_rng(0)
        f(*modules)
    return define


def repeat(step, state, n):
    return lax.scan(lambda s, _: (step(s), None), state, None, length=n)[0]


def add_training(name, optax, optimiser, loss, params, *batch):
    """A step of training: the loss, new parameters and the state of the optimiser."""
    def step(params, state, *batch):
        value, g = jax.value_and_grad(loss)(params, *batch)
        updates, state = optimiser.update(g, state, params)
        return value, optax.apply_updates(params, updates), state
    add(name, step, (params, optimiser.init(params), *batch))


# ---- Flax ----

@package("flax.linen", "optax")
def flax_linen(nn, optax):
    def cross_entropy(logits, y):
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    class MLP(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.relu(nn.Dense(256)(x))
            return nn.Dense(10)(nn.relu(nn.Dense(128)(x)))

    x, y = normal(64, 784), integers(10, 64)
    params = MLP().init(KEY, x)
    add_training("flax_mlp_with_adam", optax, optax.adam(1e-3),
                 lambda p, x, y: cross_entropy(MLP().apply(p, x), y), params, x, y)

    class CNN(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.avg_pool(nn.relu(nn.Conv(16, (3, 3))(x)), (2, 2), (2, 2))
            x = nn.avg_pool(nn.relu(nn.Conv(32, (3, 3))(x)), (2, 2), (2, 2))
            x = nn.relu(nn.Dense(64)(x.reshape(x.shape[0], -1)))
            return nn.Dense(10)(x)

    @program(CNN().init(KEY, normal(1, 28, 28, 1)), normal(8, 28, 28, 1), integers(10, 8),
             grad=0)
    def flax_convolutions(p, x, y):
        return cross_entropy(CNN().apply(p, x), y)

    class Block(nn.Module):
        @nn.compact
        def __call__(self, x):
            y = nn.Conv(16, (3, 3), use_bias=False)(x)
            y = nn.relu(nn.BatchNorm(use_running_average=False)(y))
            y = nn.Conv(16, (3, 3), use_bias=False)(y)
            return nn.relu(x + nn.BatchNorm(use_running_average=False)(y))

    state = Block().init(KEY, normal(1, 16, 16, 16))
    add_training(
        "flax_residual_block_with_batch_norm", optax, optax.sgd(0.1, 0.9, nesterov=True),
        lambda p, s, x: jnp.mean(Block().apply({"params": p, "batch_stats": s}, x,
                                               mutable=["batch_stats"])[0] ** 2),
        state["params"], state["batch_stats"], normal(8, 16, 16, 16))

    def recurrent(name, cell):
        rnn = nn.RNN(cell)
        params = rnn.init(KEY, normal(1, 20, 32))
        add(name, lambda p, x: jnp.mean(rnn.apply(p, x)[:, -1] ** 2),
            (params, normal(16, 20, 32)), 0)

    recurrent("flax_lstm", nn.OptimizedLSTMCell(64))
    recurrent("flax_gru", nn.GRUCell(64))

    class Encoder(nn.Module):
        @nn.compact
        def __call__(self, x, train):
            mask = nn.make_causal_mask(x[..., 0])
            y = nn.LayerNorm()(x)
            x = x + nn.MultiHeadDotProductAttention(4, dropout_rate=0.1)(
                y, mask=mask, deterministic=not train)
            y = nn.gelu(nn.Dense(128)(nn.LayerNorm()(x)))
            return x + nn.Dropout(0.1, deterministic=not train)(nn.Dense(64)(y))

    @program(Encoder().init(KEY, normal(1, 32, 64), False), normal(4, 32, 64), KEY, grad=0)
    def flax_attention_with_dropout(p, x, key):
        return jnp.mean(Encoder().apply(p, x, True, rngs={"dropout": key}) ** 2)

    class Decoder(nn.Module):
        @nn.compact
        def __call__(self, z):
            x = nn.Dense(4 * 4 * 32)(z).reshape(-1, 4, 4, 32)
            for n in (32, 16):
                x = nn.silu(nn.GroupNorm(8)(nn.ConvTranspose(n, (3, 3), (2, 2))(x)))
            return nn.sigmoid(nn.Conv(1, (3, 3))(x))

    @program(Decoder().init(KEY, normal(1, 16)), normal(8, 16), grad=0)
    def flax_decoder_with_group_norm(p, z):
        return jnp.mean(Decoder().apply(p, z) ** 2)

    class Tokens(nn.Module):
        @nn.compact
        def __call__(self, t):
            embed = nn.Embed(1000, 64)
            x = embed(t)
            x = nn.RMSNorm()(x + nn.SelfAttention(4)(x, mask=nn.make_causal_mask(t)))
            return embed.attend(x)

    t = integers(1000, 4, 32)
    add_training(
        "flax_language_model_with_adamw", optax, optax.chain(
            optax.clip_by_global_norm(1.),
            optax.adamw(optax.warmup_cosine_decay_schedule(0, 1e-3, 10, 100))),
        lambda p, t: cross_entropy(Tokens().apply(p, t)[:, :-1], t[:, 1:]),
        Tokens().init(KEY, t), t)


@package("flax.nnx", "optax")
def flax_nnx(nnx, optax):
    class Model(nnx.Module):
        def __init__(self, rngs):
            self.a = nnx.Linear(32, 128, use_bias=False, rngs=rngs)
            self.norm = nnx.BatchNorm(128, rngs=rngs)
            self.drop = nnx.Dropout(0.2, rngs=rngs)
            self.b = nnx.Linear(128, 1, rngs=rngs)

        def __call__(self, x):
            return self.b(self.drop(nnx.relu(self.norm(self.a(x)))))

    model = Model(nnx.Rngs(0))
    graph, state = nnx.split((model, nnx.Optimizer(model, optax.lion(1e-3), wrt=nnx.Param)))
    leaves, tree = jax.tree.flatten(state)
    leaves = [jax.random.key_data(v) if jnp.issubdtype(v.dtype, jax.dtypes.prng_key) else v
              for v in leaves]
    keys = [jnp.issubdtype(v.dtype, jax.dtypes.prng_key) for v in jax.tree.leaves(state)]

    @program(leaves, normal(64, 32), normal(64, 1))
    def flax_nnx_step_with_lion(leaves, x, y):
        model, optimiser = nnx.merge(graph, jax.tree.unflatten(
            tree, [jax.random.wrap_key_data(v) if k else v for v, k in zip(leaves, keys)]))
        loss, g = nnx.value_and_grad(lambda m: jnp.mean((m(x) - y) ** 2))(model)
        optimiser.update(model, g)
        return loss, nnx.state(model, nnx.Param, nnx.BatchStat), nnx.state(optimiser)

    attention = nnx.MultiHeadAttention(4, 32, decode=False, rngs=nnx.Rngs(0))
    graph_a, state_a = nnx.split(attention)

    @program(nnx.to_pure_dict(state_a), normal(8, 16, 32), grad=0)
    def flax_nnx_attention(p, x):
        s = nnx.State(state_a)
        nnx.replace_by_pure_dict(s, p)
        return jnp.mean(nnx.merge(graph_a, s)(x) ** 2)


# ---- Haiku ----

@package("haiku", "optax")
def dm_haiku(hk, optax):
    def transformed(f, *args):
        f = hk.without_apply_rng(hk.transform_with_state(f))
        return f.apply, *f.init(KEY, *args)

    def net(x):
        x = hk.Conv2D(16, 3, stride=2)(x)
        x = jax.nn.relu(hk.BatchNorm(True, True, 0.9)(x, is_training=True))
        x = hk.MaxPool((2, 2, 1), (2, 2, 1), "SAME")(hk.Conv2D(32, 3)(x))
        return hk.nets.MLP([64, 10])(hk.Flatten()(x))

    apply, p, s = transformed(net, normal(8, 32, 32, 3))

    @program(p, s, normal(8, 32, 32, 3), integers(10, 8), grad=0)
    def haiku_convolutions(p, s, x, y):
        x, s = apply(p, s, x)
        return jnp.mean(optax.softmax_cross_entropy_with_integer_labels(x, y))

    def lstm(x):
        y, _ = hk.dynamic_unroll(hk.LSTM(64), x, hk.LSTM(64).initial_state(16))
        return hk.Linear(1)(y[-1])
    unroll, p, s = transformed(lstm, normal(20, 16, 32))

    @program(p, s, normal(20, 16, 32), grad=0)
    def haiku_lstm(p, s, x):
        return jnp.mean(unroll(p, s, x)[0] ** 2)

    def block(x):
        h = hk.LayerNorm(-1, True, True)(x)
        mask = jnp.tril(jnp.ones((1, 1, 32, 32)))
        x = x + hk.MultiHeadAttention(4, 16, w_init=hk.initializers.VarianceScaling(1.))(
            h, h, h, mask)
        return x + hk.nets.MLP([128, 64], activation=jax.nn.gelu)(hk.LayerNorm(-1, True,
                                                                              True)(x))
    attend, p, s = transformed(block, normal(4, 32, 64))

    @program(p, s, normal(4, 32, 64), grad=0)
    def haiku_transformer_block(p, s, x):
        return jnp.mean(attend(p, s, x)[0] ** 2)

    def resnet(x):
        return hk.nets.ResNet([1, 1, 1, 1], 10, bottleneck=False,
                              channels_per_group=(16, 32, 64, 128),
                              use_projection=(True,) * 4)(x, is_training=True)
    residual, p, s = transformed(resnet, normal(2, 32, 32, 3))

    @program(p, s, normal(2, 32, 32, 3))
    def haiku_resnet(p, s, x):
        return residual(p, s, x)

    def quantised(x):
        v = hk.nets.VectorQuantizer(16, 64, 0.25)(hk.Linear(16)(x), is_training=True)
        return v["loss"], v["quantize"], v["encoding_indices"]
    quantise, p, s = transformed(quantised, normal(128, 32))

    @program(p, s, normal(128, 32))
    def haiku_vector_quantiser(p, s, x):
        return quantise(p, s, x)[0]


# ---- Equinox ----

@package("equinox", "optax")
def equinox(eqx, optax):
    key = jax.random.PRNGKey(0)
    mlp = eqx.nn.MLP(8, 1, 64, 3, activation=jax.nn.tanh, key=key)
    p, fixed = eqx.partition(mlp, eqx.is_array)
    add_training("equinox_mlp_with_adam", optax, optax.adam(3e-4), lambda p, x, y: jnp.mean(
        (jax.vmap(eqx.combine(p, fixed))(x) - y) ** 2), p, normal(128, 8), normal(128, 1))

    cell = eqx.nn.GRUCell(16, 64, key=key)
    c, cell_fixed = eqx.partition(cell, eqx.is_array)

    @program(c, normal(32, 25, 16), grad=0)
    def equinox_gru(c, x):
        cell = eqx.combine(c, cell_fixed)
        last = jax.vmap(lambda x: lax.scan(lambda h, x: (cell(x, h), None), jnp.zeros(64),
                                           x)[0])
        return jnp.mean(last(x) ** 2)

    net = eqx.nn.Sequential([
        eqx.nn.Conv2d(3, 16, 3, padding=1, key=key), eqx.nn.GroupNorm(4, 16),
        eqx.nn.Lambda(jax.nn.silu), eqx.nn.MaxPool2d(2, 2),
        eqx.nn.Conv2d(16, 32, 3, padding=1, key=key), eqx.nn.Lambda(jax.nn.silu),
        eqx.nn.AdaptiveAvgPool2d(1), eqx.nn.Lambda(jnp.ravel),
        eqx.nn.Linear(32, 10, key=key)])
    n, net_fixed = eqx.partition(net, eqx.is_array)

    @program(n, normal(8, 3, 32, 32), integers(10, 8), grad=0)
    def equinox_convolutions(n, x, y):
        z = jax.vmap(eqx.combine(n, net_fixed))(x)
        return jnp.mean(optax.softmax_cross_entropy_with_integer_labels(z, y))

    attention = eqx.nn.MultiheadAttention(4, 64, dropout_p=0.1, key=key)
    norm = eqx.nn.LayerNorm(64)
    a, a_fixed = eqx.partition((attention, norm), eqx.is_array)

    @program(a, normal(4, 32, 64), KEY, grad=0)
    def equinox_attention_with_dropout(a, x, key):
        attention, norm = eqx.combine(a, a_fixed)

        def one(x, key):
            y = jax.vmap(norm)(x)
            mask = jnp.tril(jnp.ones((32, 32), bool))
            return x + attention(y, y, y, mask=mask, key=key)
        return jnp.mean(jax.vmap(one)(x, jax.random.split(key, 4)) ** 2)


# ---- Optax ----

@package("optax", "optax.contrib")
def optax_(optax, contrib):
    params = {"w": normal(256, 128), "b": normal(128), "k": normal(3, 3, 16, 32)}
    grads = jax.tree.map(lambda x: np.float32(0.1) * x + np.float32(0.01), params)

    def update(name, optimiser, again=2):
        def f(g, s, p):
            for _ in range(again):
                u, s = optimiser.update(g, s, p)
                p = optax.apply_updates(p, u)
            return p, s
        add(name, f, (grads, optimiser.init(params), params))

    update("optax_adamw_with_clip_and_schedule", optax.chain(
        optax.clip_by_global_norm(1.), optax.adamw(optax.cosine_decay_schedule(1e-3, 1000))))
    update("optax_lamb", optax.lamb(1e-3))
    update("optax_adafactor", optax.adafactor(1e-3))
    update("optax_rmsprop", optax.rmsprop(1e-3, momentum=0.9, centered=True))
    update("optax_muon", contrib.muon(1e-3), 1)

    x, y = normal(100, 10), normal(100)
    fit = lambda w: jnp.mean(jnp.log1p(jnp.exp(-y * (x @ w)))) + 0.01 * jnp.sum(w * w)
    lbfgs = optax.lbfgs(memory_size=5)

    @program(normal(10))
    def optax_lbfgs(w):
        grad_of = optax.value_and_grad_from_state(fit)

        def step(c):
            w, s = c
            value, g = grad_of(w, state=s)
            u, s = lbfgs.update(g, s, w, value=value, grad=g, value_fn=fit)
            return optax.apply_updates(w, u), s
        return repeat(step, (w, lbfgs.init(w)), 5)[0]

    @program(normal(4, 50, 20), np.zeros((4, 50), np.float32), integers(19, 4, 10) + 1,
             np.zeros((4, 10), np.float32), grad=0)
    def optax_ctc_loss(x, pad, y, y_pad):
        return jnp.sum(optax.ctc_loss(x, pad, y, y_pad))

    @program(normal(256, 10), integers(10, 256), normal(256, 10), grad=0)
    def optax_losses(x, y, z):
        one = jax.nn.one_hot(y, 10)
        return jnp.mean(optax.smooth_labels(one, 0.1) * x) + jnp.mean(
            optax.huber_loss(x, z)) + jnp.mean(optax.sigmoid_focal_loss(x, one)) + jnp.mean(
                optax.cosine_distance(x, z)) + jnp.mean(optax.kl_divergence(
                    jax.nn.log_softmax(x), jax.nn.softmax(z))) + jnp.mean(
                        optax.log_cosh(x, z)) + jnp.mean(optax.squared_error(
                            x, one))


# ---- Diffrax ----

@package("diffrax", "equinox")
def diffrax(dfx, eqx):
    def predator(t, y, p):
        a, b = y
        return jnp.stack([p[0] * a - p[1] * a * b, p[2] * a * b - p[3] * b])

    p = np.array([1.1, 0.4, 0.1, 0.4], np.float32)
    y0 = np.array([10, 5], np.float32)
    solve = functools.partial(dfx.diffeqsolve, dfx.ODETerm(predator), t0=0., t1=10.)
    fit = dict(stepsize_controller=dfx.PIDController(rtol=1e-4, atol=1e-6))
    at = dfx.SaveAt(ts=jnp.linspace(0., 10., 21))

    @program(y0, p, grad=1)
    def diffrax_tsit5_of_fixed_steps(y, p):
        return jnp.sum(solve(dfx.Tsit5(), dt0=0.125, y0=y, args=p,
                             saveat=at, max_steps=128).ys ** 2)

    @program(y0, p, grad=1)
    def diffrax_tsit5_of_adaptive_steps(y, p):
        return jnp.sum(solve(dfx.Tsit5(), dt0=0.1, y0=y, args=p, saveat=at, max_steps=256,
                             **fit).ys ** 2)

    @program(normal(100, 2) ** 2 + np.float32(5), p)
    def diffrax_dopri5_of_many(y, p):
        return jax.vmap(lambda y: solve(dfx.Dopri5(), dt0=0.1, y0=y, args=p, **fit).ys)(y)

    @program(y0, p)
    def diffrax_heun(y, p):
        return solve(dfx.Heun(), dt0=1 / 16, y0=y, args=p).ys

    def robertson(t, y, k):
        a, b, c = y
        r = k[0] * a, k[1] * b * b, k[2] * b * c
        return jnp.stack([r[2] - r[0], r[0] - r[1] - r[2], r[1]])

    @program(np.array([1, 0, 0], np.float32), np.array([.04, 3e4, 1e3], np.float32))
    def diffrax_kvaerno3_of_a_stiff_system(y, k):
        return dfx.diffeqsolve(dfx.ODETerm(robertson), dfx.Kvaerno3(), 0., 10., 1e-3, y, k,
                               stepsize_controller=dfx.PIDController(rtol=1e-3, atol=1e-5),
                               max_steps=1000).ys

    @program(np.float32(1), KEY)
    def diffrax_stochastic_equation(y, key):
        w = dfx.VirtualBrownianTree(0., 1., tol=1e-3, shape=(), key=key)
        terms = dfx.MultiTerm(dfx.ODETerm(lambda t, y, a: -y), dfx.ControlTerm(
            lambda t, y, a: 0.1 * jnp.cos(t), w))
        return dfx.diffeqsolve(terms, dfx.Euler(), 0., 1., 1 / 64, y,
                               saveat=dfx.SaveAt(ts=jnp.linspace(0., 1., 11))).ys

    @program(np.ones(10, np.float32), KEY)
    def diffrax_paths_of_unsafe_noise(y, key):
        def one(y, key):
            w = dfx.UnsafeBrownianPath((), key)
            terms = dfx.MultiTerm(dfx.ODETerm(lambda t, y, a: 0.05 * y), dfx.ControlTerm(
                lambda t, y, a: 0.2 * y, w))
            return dfx.diffeqsolve(terms, dfx.EulerHeun(), 0., 1., 1 / 64, y,
                                   adjoint=dfx.DirectAdjoint(), max_steps=80).ys
        return jax.vmap(one)(y, jax.random.split(key, 10))

    field = eqx.nn.MLP(2, 2, 32, 2, activation=jax.nn.softplus, key=jax.random.PRNGKey(0))
    w, fixed = eqx.partition(field, eqx.is_array)

    @program(w, normal(16, 2), grad=0)
    def diffrax_neural_equation(w, y):
        f = eqx.combine(w, fixed)
        one = lambda y: dfx.diffeqsolve(
            dfx.ODETerm(lambda t, y, a: f(y)), dfx.Tsit5(), 0., 1., 0.1, y, max_steps=16,
            saveat=dfx.SaveAt(ts=jnp.linspace(0., 1., 5))).ys
        return jnp.mean(jax.vmap(one)(y) ** 2)

    @program(w, normal(16, 2))
    def diffrax_neural_equation_solved_backwards(w, y):
        def loss(w):
            f = eqx.combine(w, fixed)
            one = lambda y: dfx.diffeqsolve(
                dfx.ODETerm(lambda t, y, a: a(y)), dfx.Tsit5(), 0., 1., 0.1, y, f,
                adjoint=dfx.BacksolveAdjoint(), max_steps=64).ys
            return jnp.mean(jax.vmap(one)(y) ** 2)
        return jax.grad(loss)(w)


# ---- Optimistix, Lineax, JAXopt ----

@package("optimistix")
def optimistix(optx):
    def bent(y, a):
        return jnp.stack([y[0] ** 2 + y[1] ** 2 - a[0], y[0] - jnp.cos(y[1]) + a[1]])

    @program(np.ones(2, np.float32), np.array([2, .5], np.float32), grad=1)
    def optimistix_newton(y, a):
        return jnp.sum(optx.root_find(bent, optx.Newton(1e-5, 1e-5), y, a).value)

    @program(np.array([3., 2.], np.float32))
    def optimistix_bisection(a):
        root = optx.root_find(lambda y, a: y ** 3 - a[0] * y - a[1],
                              optx.Bisection(1e-5, 1e-5), jnp.float32(2.), a,
                              options={"lower": 0., "upper": 4.})
        return root.value

    t = np.linspace(0, 4, 50, dtype=np.float32)
    data = (2.5 * np.exp(-1.3 * t) + 0.3 + 0.01 * normal(50)).astype(np.float32)
    decay = lambda p, d: p[0] * jnp.exp(-p[1] * t) + p[2] - d

    @program(np.ones(3, np.float32), data, grad=1)
    def optimistix_levenberg_marquardt(p, d):
        return jnp.sum(optx.least_squares(decay, optx.LevenbergMarquardt(1e-5, 1e-5), p,
                                          d).value)

    rosenbrock = lambda y, a: jnp.sum(a[0] * (y[1:] - y[:-1] ** 2) ** 2 + (1 - y[:-1]) ** 2)

    @program(np.zeros(4, np.float32), np.array([10], np.float32))
    def optimistix_bfgs(y, a):
        return optx.minimise(rosenbrock, optx.BFGS(1e-4, 1e-4), y, a, throw=False).value

    @program(normal(5) * np.float32(.5), np.array([1], np.float32))
    def optimistix_nelder_mead(y, a):
        return optx.minimise(lambda y, a: jnp.sum((y - a) ** 2), optx.NelderMead(1e-3, 1e-3),
                             y, a, max_steps=100, throw=False).value

    @program(normal(20), normal(20, 20) * np.float32(.1), grad=1)
    def optimistix_fixed_point(y, w):
        return jnp.sum(optx.fixed_point(lambda y, w: jnp.tanh(w @ y + 0.5),
                                        optx.FixedPointIteration(1e-5, 1e-5), y, w).value)


@package("lineax")
def lineax(lx):
    a, b = normal(32, 32) + 8 * np.eye(32, dtype=np.float32), normal(32)

    def solved(name, operator, solver, *args, grad=None):
        add(name, lambda *args: jnp.sum(lx.linear_solve(
            operator(*args[:-1]), args[-1], solver).value ** 2), args, grad)

    positive = lambda a: lx.MatrixLinearOperator(a @ a.T, lx.positive_semidefinite_tag)
    solved("lineax_lu", lx.MatrixLinearOperator, lx.LU(), a, b, grad=(0, 1))
    solved("lineax_qr", lx.MatrixLinearOperator, lx.QR(), normal(40, 12), normal(40),
           grad=(0, 1))
    solved("lineax_cholesky", positive, lx.Cholesky(), a, b, grad=(0, 1))
    solved("lineax_conjugate_gradients", positive, lx.CG(1e-5, 1e-5), a, b, grad=(0, 1))
    solved("lineax_gmres", lx.MatrixLinearOperator, lx.GMRES(1e-5, 1e-5), a, b)
    solved("lineax_tridiagonal", lx.TridiagonalLinearOperator, lx.Tridiagonal(),
           normal(200) + np.float32(5), normal(199), normal(199), normal(200),
           grad=(0, 1, 2, 3))
    solved("lineax_least_squares_by_svd", lx.MatrixLinearOperator, lx.SVD(), normal(20, 6),
           normal(20))


@package("jaxopt")
def jaxopt_(jaxopt):
    x, y = normal(200, 20), np.sign(normal(200))

    def loss(w, l2, x, y):
        return jnp.mean(jax.nn.softplus(-y * (x @ w))) + 0.5 * l2 * jnp.sum(w * w)

    @program(np.zeros(20, np.float32), np.float32(.1), x, y, grad=1)
    def jaxopt_lbfgs(w, l2, x, y):
        w = jaxopt.LBFGS(loss, maxiter=20, tol=1e-4).run(w, l2, x, y).params
        return jnp.sum(w ** 2)

    @program(np.ones(20, np.float32) / 20, x)
    def jaxopt_projected_gradient(w, x):
        risk = lambda w, x: jnp.mean((x @ w) ** 2)
        return jaxopt.ProjectedGradient(risk, jaxopt.projection.projection_simplex,
                                        maxiter=50).run(w, x=x).params

    @program(np.zeros(20, np.float32), x, y)
    def jaxopt_lasso(w, x, y):
        return jaxopt.ProximalGradient(jaxopt.objective.least_squares, jaxopt.prox.prox_lasso,
                                       stepsize=0.5, maxiter=50).run(w, 0.1, data=(x, y)).params

    @program(np.ones(3, np.float32), np.linspace(0, 3, 40, dtype=np.float32))
    def jaxopt_gauss_newton(p, t):
        f = lambda p: p[0] * jnp.exp(-p[1] * t) + p[2] - 2 * jnp.exp(-0.7 * t) - 0.2
        return jaxopt.GaussNewton(f, maxiter=10).run(p).params
