"""More of what users of JAX's packages write, for jax_programs.py: densities and samplers,
Gaussian processes, filters of state spaces, graphs, rotations, transport, losses of
reinforcement learning, evolution, quadrature, games.

PROGRAMS as in packages.py, those there first."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from packages import (     # noqa: F401
    KEY, PROGRAMS, add, integers, normal, package, program, uniform)


# ---- densities and samplers ----

@package("distrax")
def distrax(dx):
    @program(normal(1000, 8), normal(8), normal(8), grad=(1, 2))
    def distrax_diagonal_normal(x, m, s):
        return jnp.sum(dx.MultivariateNormalDiag(m, jax.nn.softplus(s)).log_prob(x))

    @program(normal(500, 2), normal(5), normal(5, 2), normal(5, 2), grad=(1, 2, 3))
    def distrax_mixture(x, w, m, s):
        mixture = dx.MixtureSameFamily(dx.Categorical(logits=w),
                                       dx.MultivariateNormalDiag(m, jax.nn.softplus(s)))
        return -jnp.mean(mixture.log_prob(x))

    @program(normal(256, 4), normal(4, 2, 25), grad=1)
    def distrax_flow_of_splines(x, p):
        layers = [dx.MaskedCoupling(
            jnp.arange(4) % 2 == k % 2,
            lambda z, k=k: jnp.tile(p[k].reshape(-1)[:25], (4, 1)) + 0.1 * z[..., :, None],
            lambda q: dx.RationalQuadraticSpline(q, -4., 4.)) for k in range(4)]
        flow = dx.Transformed(dx.MultivariateNormalDiag(jnp.zeros(4), jnp.ones(4)),
                              dx.Inverse(dx.Chain(layers)))
        return -jnp.mean(flow.log_prob(x))

    @program(normal(3), normal(3, 3), normal(3), normal(100), grad=(0, 1, 2))
    def distrax_hidden_markov_model(p, a, m, x):
        hmm = dx.HMM(dx.Categorical(logits=p), dx.Categorical(logits=a), dx.Normal(m, 1.))
        return jnp.sum(hmm.forward(x)[1][-1] * m) + jnp.sum(hmm.forward_backward(x)[2])

    @program(normal(64, 6), KEY)
    def distrax_policy(x, key):
        p = dx.Categorical(logits=x)
        a, log_p = p.sample_and_log_prob(seed=key)
        return a, log_p, p.entropy(), p.kl_divergence(dx.Categorical(logits=x * 0.9))


@package("numpyro", "numpyro.distributions", "numpyro.infer", "numpyro.infer.util",
         "numpyro.infer.autoguide")
def numpyro(npr, dist, infer, util, autoguide):
    x, y = normal(200, 4), integers(2, 200)

    def logistic(x, y):
        w = npr.sample("w", dist.Normal(0, 1).expand([4]).to_event(1))
        b = npr.sample("b", dist.Normal(0, 2))
        npr.sample("y", dist.Bernoulli(logits=x @ w + b), obs=y)

    @program({"w": normal(4), "b": np.float32(.1)}, x, y, grad=0)
    def numpyro_logistic_regression(p, x, y):
        return util.log_density(logistic, (x, y), {}, p)[0]

    sigma, effects = np.arange(8, 16, dtype=np.float32), normal(8) * np.float32(10)

    def schools():
        mu, tau = npr.sample("mu", dist.Normal(0, 5)), npr.sample("tau", dist.HalfCauchy(5))
        with npr.plate("schools", 8):
            theta = npr.sample("theta", dist.TransformedDistribution(
                dist.Normal(0., 1.), dist.transforms.AffineTransform(mu, tau)))
            npr.sample("obs", dist.Normal(theta, sigma), obs=effects)

    @program({"mu": np.float32(1), "tau": np.float32(.3), "theta": normal(8)}, grad=0)
    def numpyro_eight_schools(p):
        return util.potential_energy(schools, (), {}, p)

    def sampler(name, kernel):
        state = kernel.init(jax.random.PRNGKey(0), 10, None, (x, y), {})
        leaves, tree = jax.tree.flatten(state)

        def f(leaves, x, y):
            s = kernel.sample(jax.tree.unflatten(tree, leaves), (x, y), {})
            return s.z, s.potential_energy, s.accept_prob
        add(name, f, (leaves, x, y))

    sampler("numpyro_hmc_step", infer.HMC(logistic, step_size=0.05, num_steps=10))
    sampler("numpyro_nuts_step", infer.NUTS(logistic, step_size=0.1, max_tree_depth=5))

    svi = infer.SVI(logistic, autoguide.AutoNormal(logistic), npr.optim.Adam(1e-2),
                    infer.Trace_ELBO())
    leaves, tree = jax.tree.flatten(svi.init(jax.random.PRNGKey(0), x, y))

    @program(leaves, x, y)
    def numpyro_variational_step(leaves, x, y):
        s, loss = svi.update(jax.tree.unflatten(tree, leaves), x, y)
        return jax.tree.leaves(s), loss

    @program(normal(50), normal(6), uniform(50), grad=1)
    def numpyro_densities(x, p, u):
        a, b, c = jax.nn.softplus(p[0]), jax.nn.softplus(p[1]), p[2]
        return (dist.StudentT(a + 2, c, b).log_prob(x) + dist.Gamma(a, b).log_prob(
            u + 0.1) + dist.Beta(a, b).log_prob(0.1 + 0.8 * u) + dist.VonMises(
                c, b).log_prob(x) + dist.LogNormal(c, b).log_prob(u + 0.1) + dist.Laplace(
                    c, a).log_prob(x) + dist.NegativeBinomial2(a, b).log_prob(
                        jnp.floor(10 * u))).sum()


@package("blackjax")
def blackjax_(blackjax):
    a = normal(5, 5)
    precision = (a @ a.T + np.eye(5, dtype=np.float32)).astype(np.float32)
    density = lambda x, p: -0.5 * x @ p @ x

    def chain(name, algorithm, n, **options):
        def f(x, p, key):
            kernel = algorithm(lambda x: density(x, p), **options)
            step = lambda s, k: (kernel.step(k, s)[0], s.position)
            return lax.scan(step, kernel.init(x), jax.random.split(key, n))[1]
        add(name, f, (normal(5), precision, KEY))

    mass = np.ones(5, np.float32)
    chain("blackjax_hmc", blackjax.hmc, 10, step_size=0.1, inverse_mass_matrix=mass,
          num_integration_steps=10)
    chain("blackjax_nuts", blackjax.nuts, 3, step_size=0.1, inverse_mass_matrix=mass,
          max_num_doublings=4)
    chain("blackjax_mala", blackjax.mala, 20, step_size=0.05)
    chain("blackjax_random_walk", blackjax.rmh, 20,
          proposal_generator=lambda k, x: x + 0.1 * jax.random.normal(k, (5,)))
    chain("blackjax_elliptical_slice", lambda f: blackjax.elliptical_slice(
        f, mean=jnp.zeros(5), cov=jnp.eye(5)), 5)


@package("tinygp")
def tinygp_(tinygp):
    x = np.sort(uniform(100)) * np.float32(10)
    y = np.sin(x) + np.float32(.1) * normal(100)

    @program(np.array([.1, .2, -2], np.float32), x, y, grad=0)
    def tinygp_likelihood(p, x, y):
        a, s, noise = jnp.exp(p)
        kernel = a * tinygp.kernels.Matern52(s) + 0.1 * tinygp.kernels.ExpSineSquared(
            scale=2., gamma=0.5)
        return -tinygp.GaussianProcess(kernel, x, diag=noise).log_probability(y)

    @program(x, y, np.linspace(0, 10, 50, dtype=np.float32))
    def tinygp_prediction(x, y, at):
        gp = tinygp.GaussianProcess(tinygp.kernels.ExpSquared(1.5), x, diag=0.01)
        there = gp.condition(y, at).gp
        return there.mean, there.variance

    @program(np.array([.1, .2, -2], np.float32), x, y, grad=0)
    def tinygp_quasiseparable(p, x, y):
        a, s, noise = jnp.exp(p)
        kernel = a * tinygp.kernels.quasisep.Matern32(s)
        return -tinygp.GaussianProcess(kernel, x, diag=noise,
                                       assume_sorted=True).log_probability(y)


# ---- filters of state spaces ----

@package("dynamax.linear_gaussian_ssm", "dynamax.hidden_markov_model",
         "dynamax.nonlinear_gaussian_ssm")
def dynamax(lg, hmm, ng):
    z = normal(50, 2)
    model = lg.LinearGaussianSSM(4, 2)
    params, _ = model.initialize(
        jax.random.PRNGKey(0), dynamics_weights=jnp.eye(4) + 0.1 * jnp.eye(4, k=2),
        dynamics_covariance=0.01 * jnp.eye(4), emission_weights=jnp.eye(2, 4),
        emission_covariance=0.1 * jnp.eye(2))
    leaves, tree = jax.tree.flatten(params)

    @program(leaves, z, grad=0)
    def dynamax_kalman_filter(p, z):
        return lg.lgssm_filter(jax.tree.unflatten(tree, p), z).marginal_loglik

    @program(leaves, z)
    def dynamax_kalman_smoother(p, z):
        s = lg.lgssm_smoother(jax.tree.unflatten(tree, p), z)
        return s.smoothed_means, s.smoothed_covariances

    @program(normal(5), normal(5, 5), normal(200, 5), grad=(0, 1, 2))
    def dynamax_hidden_markov_filter(p, a, l):
        return hmm.hmm_filter(jax.nn.softmax(p), jax.nn.softmax(a), l).marginal_loglik

    @program(normal(5), normal(5, 5), normal(200, 5))
    def dynamax_hidden_markov_smoother(p, a, l):
        p, a = jax.nn.softmax(p), jax.nn.softmax(a)
        s = hmm.hmm_two_filter_smoother(p, a, l)
        return s.smoothed_probs, hmm.hmm_posterior_mode(p, a, l)

    @program(z)
    def dynamax_extended_filter(z):
        p = ng.ParamsNLGSSM(
            initial_mean=jnp.zeros(2), initial_covariance=jnp.eye(2),
            dynamics_function=lambda x: jnp.array([x[0] + 0.1 * x[1],
                                                   x[1] - 0.1 * jnp.sin(x[0])]),
            dynamics_covariance=0.01 * jnp.eye(2), emission_function=lambda x: jnp.sin(x),
            emission_covariance=0.1 * jnp.eye(2))
        s = ng.extended_kalman_filter(p, z)
        return s.filtered_means, s.marginal_loglik


# ---- rotations and graphs ----

@package("e3nn_jax")
def e3nn(e3nn):
    @program(normal(1000, 3), grad=0)
    def e3nn_spherical_harmonics(x):
        return jnp.sum(e3nn.spherical_harmonics("0e + 1o + 2e + 3o", x, True).array ** 3)

    @program(normal(256, 40), normal(256, 9), grad=(0, 1))
    def e3nn_tensor_product(x, y):
        x = e3nn.IrrepsArray("4x0e + 4x1o + 4x2e + 4x0o", x)
        z = e3nn.tensor_product(x, e3nn.IrrepsArray("0e + 1o + 2e", y),
                                filter_ir_out=["0e", "1o", "2e"])
        return jnp.mean(z.array ** 2)

    @program(normal(256, 32), normal(256, 4), integers(256, 1024), integers(256, 1024),
             normal(256, 3))
    def e3nn_message_passing(x, s, sender, receiver, at):
        x = e3nn.IrrepsArray("8x0e + 8x1o", x)
        edge = e3nn.IrrepsArray("1o", at[receiver] - at[sender])
        message = e3nn.tensor_product(x[sender], e3nn.spherical_harmonics("0e + 1o", edge,
                                                                          True))
        message = message.filter("0e + 1o")
        total = e3nn.scatter_sum(message, dst=receiver, output_size=256)
        return e3nn.norm_activation(total, [jax.nn.tanh] * len(total.irreps)).array

    @program(normal(100, 3), normal(100, 3))
    def e3nn_rotations(a, x):
        turn = lambda a, x: e3nn.IrrepsArray("1o", x).transform_by_angles(*a).array
        return jax.vmap(turn)(a, x)


@package("jraph", "jax.tree_util")
def jraph_(jraph, _):
    n, e = 200, 1000
    graph = (normal(n, 16), normal(e, 8), integers(n, e), integers(n, e))
    weights = {"e": normal(48, 32) * np.float32(.1), "n": normal(88, 16) * np.float32(.1),
               "a": normal(32) * np.float32(.1)}

    def made(nodes, edges, senders, receivers):
        return jraph.GraphsTuple(nodes, edges, receivers, senders, jnp.zeros((1, 8)),
                                 jnp.array([n]), jnp.array([e]))

    @program(weights, *graph, grad=0)
    def jraph_graph_network(w, *graph):
        edge = lambda e, s, r, g: jax.nn.relu(jnp.concatenate([e, s, r, g], 1) @ w["e"])
        node = lambda v, s, r, g: jnp.tanh(jnp.concatenate([v, s, r, g], 1) @ w["n"])
        net = jraph.GraphNetwork(edge, node, lambda v, e, g: g + e[:, :8] + v[:, :8])
        y = net(made(*graph))
        return jnp.mean(y.nodes ** 2) + jnp.mean(y.globals ** 2)

    @program(weights, *graph, grad=0)
    def jraph_graph_convolution(w, *graph):
        layer = jraph.GraphConvolution(lambda v: v @ w["n"][:16], add_self_edges=True)
        return jnp.mean(layer(layer(made(*graph))).nodes ** 2)

    @program(weights, *graph, grad=0)
    def jraph_graph_attention(w, *graph):
        net = jraph.GAT(lambda v: v @ w["n"][:16], lambda s, r, e: jnp.concatenate(
            [s, r], -1) @ w["a"][:, None])
        return jnp.mean(net(made(*graph)).nodes ** 2)


# ---- transport ----

@package("ott.geometry.pointcloud", "ott.problems.linear.linear_problem",
         "ott.solvers.linear.sinkhorn", "ott.tools.soft_sort")
def ott(pointcloud, linear_problem, sinkhorn, soft_sort):
    @program(normal(64, 2), normal(80, 2) + np.float32(1), grad=0)
    def ott_sinkhorn(x, y):
        problem = linear_problem.LinearProblem(pointcloud.PointCloud(x, y, epsilon=0.1))
        return sinkhorn.Sinkhorn(max_iterations=100, threshold=1e-3)(problem).reg_ot_cost

    @program(normal(64, 2), normal(80, 2) + np.float32(1))
    def ott_transport_plan(x, y):
        problem = linear_problem.LinearProblem(pointcloud.PointCloud(x, y, epsilon=0.5))
        out = sinkhorn.Sinkhorn(lse_mode=False, max_iterations=200)(problem)
        return out.matrix, out.converged

    @program(normal(50))
    def ott_soft_ranks(x):
        return soft_sort.ranks(x, epsilon=0.1)


# ---- reinforcement learning, evolution, games ----

@package("rlax")
def rlax_(rlax):
    @program(normal(100), normal(100), uniform(100), np.exp(normal(100) * np.float32(.1)),
             normal(100), grad=0)
    def rlax_vtrace(v, v1, r, rho, a):
        out = rlax.vtrace_td_error_and_advantage(v, v1, r, jnp.full(100, 0.99), rho)
        return jnp.sum(out.errors ** 2) + jnp.sum(out.pg_advantage * a)

    @program(normal(64, 6), integers(6, 64), normal(64), uniform(64), normal(64, 6),
             grad=0)
    def rlax_double_q_learning(q, a, r, g, q1):
        td = jax.vmap(rlax.double_q_learning)(q, a, r, g, q1, q1 + 0.1)
        return jnp.mean(rlax.huber_loss(td))

    @program(normal(128, 6), integers(6, 128), normal(128), normal(128, 6), grad=0)
    def rlax_ppo(x, a, advantage, old):
        pick = lambda x: jnp.take_along_axis(jax.nn.log_softmax(x), a[:, None], 1)[:, 0]
        ratio = jnp.exp(pick(x) - pick(old))
        return rlax.clipped_surrogate_pg_loss(ratio, advantage, 0.2) + 0.01 * jnp.mean(
            rlax.entropy_loss(x, jnp.ones(128)))

    @program(normal(32, 51), integers(4, 32), normal(32), normal(32, 4, 51), grad=0)
    def rlax_categorical_q_learning(x, a, r, y):
        atoms = jnp.linspace(-10., 10., 51)
        q = jnp.stack([x, x * 0.5, -x, x + 1], 1)
        f = lambda q, a, r, y: rlax.categorical_q_learning(atoms, q, a, r, 0.99, atoms, y)
        return jnp.mean(jax.vmap(f)(q, a, r, y))

    @program(normal(200), uniform(200), normal(200))
    def rlax_returns(r, g, v):
        return rlax.lambda_returns(r, g, v, 0.9), rlax.n_step_bootstrapped_returns(
                r, g, v, 5), rlax.truncated_generalized_advantage_estimation(
                    r[:-1], g[:-1], 0.95, v)


@package("evosax.algorithms")
def evosax(algorithms):
    sphere = lambda x: jnp.sum((x - 0.5) ** 2, -1)

    def strategy(name, kind, population=False, **options):
        es = kind(population_size=32, solution=jnp.zeros(10), **options)
        params = es.default_params
        if population:
            x = jnp.asarray(normal(32, 10))
            state = es.init(jax.random.PRNGKey(0), x, sphere(x), params)
        else:
            state = es.init(jax.random.PRNGKey(0), jnp.zeros(10), params)
        leaves, tree = jax.tree.flatten(state)

        def f(leaves, key):
            def step(s, k):
                k, m = jax.random.split(k)
                x, s = es.ask(k, s, params)
                s, _ = es.tell(m, x, sphere(x), s, params)
                return s, s.best_fitness
            return lax.scan(step, jax.tree.unflatten(tree, leaves), jax.random.split(key, 5))[1]
        add(name, f, (leaves, KEY))

    # One generation: the signs of eigenvectors, which are free, do not show yet.
    es = algorithms.CMA_ES(population_size=32, solution=jnp.zeros(10))
    leaves, tree = jax.tree.flatten(es.init(jax.random.PRNGKey(0), jnp.zeros(10),
                                            es.default_params))

    @program(leaves, KEY)
    def evosax_cma_es(leaves, key):
        x, s = es.ask(key, jax.tree.unflatten(tree, leaves), es.default_params)
        s, _ = es.tell(key, x, sphere(x), s, es.default_params)
        return s.mean, s.C, s.std, s.best_fitness

    strategy("evosax_open_es", algorithms.Open_ES)
    strategy("evosax_differential_evolution", algorithms.DifferentialEvolution, True)
    strategy("evosax_particle_swarm", algorithms.PSO, True)


@package("gymnax")
def gymnax_(gymnax):
    def played(name, game, n, steps):
        env, params = gymnax.make(game)

        def f(key):
            def one(key):
                key, k = jax.random.split(key)
                obs, state = env.reset(k, params)

                def step(c, k):
                    a = env.action_space(params).sample(k)
                    obs, state, r, done, *_ = env.step(k, c, a, params)
                    return state, (obs, r, done)
                return lax.scan(step, state, jax.random.split(key, steps))[1]
            return jax.vmap(one)(jax.random.split(key, n))
        add(name, f, (KEY,))

    played("gymnax_cart_pole", "CartPole-v1", 64, 20)
    played("gymnax_pendulum", "Pendulum-v1", 64, 20)
    played("gymnax_acrobot", "Acrobot-v1", 16, 10)
    played("gymnax_breakout", "Breakout-MinAtar", 8, 10)


# ---- quadrature, interpolation, formulas, neighbours ----

@package("quadax")
def quadax_(quadax):
    @program(np.float32(1.5), grad=0)
    def quadax_gauss_kronrod(a):
        return quadax.quadgk(lambda x: jnp.exp(-a * x ** 2) * jnp.cos(x), jnp.array([0., 3.]),
                             epsabs=1e-5, epsrel=1e-5, max_ninter=20)[0]

    @program(np.float32(1.5))
    def quadax_romberg(a):
        return quadax.romberg(lambda x: jnp.exp(-a * x), jnp.array([0., 1.]), epsabs=1e-5,
                              epsrel=1e-5, divmax=8)[0]


@package("interpax")
def interpax_(interpax):
    x = np.linspace(0, 1, 50, dtype=np.float32)

    @program(uniform(1000), np.sin(6 * x), grad=1)
    def interpax_cubic(at, f):
        return jnp.sum(interpax.interp1d(at, x, f, method="cubic2") ** 2)

    @program(uniform(1000), np.sin(6 * x))
    def interpax_monotonic(at, f):
        return interpax.interp1d(at, x, f, method="monotonic")

    @program(uniform(1000), uniform(1000), normal(50, 50), grad=2)
    def interpax_bicubic(a, b, f):
        return jnp.sum(interpax.interp2d(a, b, x, x, f, method="cubic") ** 2)


@package("sympy2jax", "sympy")
def sympy2jax(s2j, sympy):
    x, y = sympy.symbols("x y")
    f = s2j.SymbolicModule(sympy.simplify(
        sympy.diff(sympy.exp(-x ** 2) * sympy.sin(3 * x * y) / (1 + y ** 2), x, 2)))

    @program(normal(1000), normal(1000))
    def sympy2jax_derivative(x, y):
        return f(x=x, y=y)


@package("jaxkd")
def jaxkd_(jaxkd):
    @program(uniform(500, 3), uniform(100, 3))
    def jaxkd_neighbours(x, at):
        return jaxkd.query_neighbors(jaxkd.build_tree(x), at, k=5)


@package("tensorflow_probability.substrates.jax")
def tensorflow_probability(tfp):
    tfd = tfp.distributions

    @program(normal(100), normal(100), grad=0)
    def tensorflow_probability_joint(x, y):
        joint = tfd.JointDistributionSequentialAutoBatched([
            tfd.Normal(0., 1.), tfd.Gamma(2., 1.),
            lambda s, m: tfd.Sample(tfd.Normal(m, s), 100)])
        return joint.log_prob([x[0], jnp.exp(x[1]), y])

    @program(normal(5), KEY)
    def tensorflow_probability_sampler(x, key):
        kernel = tfp.mcmc.HamiltonianMonteCarlo(lambda x: -0.5 * jnp.sum(x * x), 0.1, 5)
        return tfp.mcmc.sample_chain(10, x, kernel=kernel, trace_fn=None, seed=key)
