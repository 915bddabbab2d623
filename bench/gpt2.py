"""A training step of GPT-2 of 124 million weights, for jax_programs.py: forward and backward in
bf16, a cross entropy in f32, and AdamW on weights in f32, all weights and moments as arguments.

The model is that of Radford et al., "Language Models are Unsupervised Multitask Learners"
(2019), with weights drawn at random; the optimiser is that of Loshchilov and Hutter, "Decoupled
Weight Decay Regularization" (2019).  """
import jax
import jax.numpy as jnp

LAYERS, WIDTH, HEADS, VOCABULARY, TOKENS, BATCH = 12, 768, 12, 50257, 256, 1
RATE, DECAY, BETA1, BETA2 = 3e-4, 0.1, 0.9, 0.95
half = jnp.bfloat16


def linear_weights(key, n, m):
    return 0.02 * jax.random.normal(key, (n, m)), jnp.zeros(m)


def weights(key):
    keys = iter(jax.random.split(key, 4 * LAYERS + 2))
    norm = lambda: (jnp.ones(WIDTH), jnp.zeros(WIDTH))
    block = lambda: {"norm1": norm(), "norm2": norm(),
                     "qkv": linear_weights(next(keys), WIDTH, 3 * WIDTH),
                     "out": linear_weights(next(keys), WIDTH, WIDTH),
                     "up": linear_weights(next(keys), WIDTH, 4 * WIDTH),
                     "down": linear_weights(next(keys), 4 * WIDTH, WIDTH)}
    return {"tokens": 0.02 * jax.random.normal(next(keys), (VOCABULARY, WIDTH)),
            "places": 0.01 * jax.random.normal(next(keys), (TOKENS, WIDTH)),
            "blocks": [block() for _ in range(LAYERS)], "norm": norm()}


def layer_norm(x, w):
    x = x.astype(jnp.float32)
    x = x - x.mean(-1, keepdims=True)
    x = x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5)
    return (x * w[0] + w[1]).astype(half)


def linear(x, w):
    return x @ w[0].astype(half) + w[1].astype(half)


def attention(x, w):
    n, t, _ = x.shape
    q, k, v = (y.reshape(n, t, HEADS, WIDTH // HEADS).transpose(0, 2, 1, 3)
               for y in jnp.split(linear(x, w["qkv"]), 3, -1))
    scores = (q @ k.transpose(0, 1, 3, 2)).astype(jnp.float32) * (WIDTH // HEADS) ** -0.5
    scores = jnp.where(jnp.tril(jnp.ones((t, t), bool)), scores, -jnp.inf)
    mixed = jax.nn.softmax(scores).astype(half) @ v
    return linear(mixed.transpose(0, 2, 1, 3).reshape(n, t, WIDTH), w["out"])


def loss(w, ids, targets):
    x = (w["tokens"][ids] + w["places"]).astype(half)
    for block in w["blocks"]:
        x = x + attention(layer_norm(x, block["norm1"]), block)
        y = jax.nn.gelu(linear(layer_norm(x, block["norm2"]), block["up"]))
        x = x + linear(y, block["down"])
    logits = layer_norm(x, w["norm"]) @ w["tokens"].astype(half).T
    logs = jax.nn.log_softmax(logits.astype(jnp.float32))
    return -jnp.mean(jnp.take_along_axis(logs, targets[..., None], -1))


def training_step(w, mean, square, step, ids, targets):
    value, g = jax.value_and_grad(loss)(w, ids, targets)
    mean = jax.tree.map(lambda m, g: BETA1 * m + (1 - BETA1) * g, mean, g)
    square = jax.tree.map(lambda v, g: BETA2 * v + (1 - BETA2) * g * g, square, g)
    moved = lambda w, m, v: w - RATE * (m / (1 - BETA1 ** step) / (jnp.sqrt(v /
        (1 - BETA2 ** step)) + 1e-8) + DECAY * w)
    return value, jax.tree.map(moved, w, mean, square), mean, square


def arguments():
    w = weights(jax.random.key(1))
    ids = jax.random.randint(jax.random.key(2), (BATCH, TOKENS), 0, VOCABULARY)
    zeros = jax.tree.map(jnp.zeros_like, w)
    return w, zeros, zeros, jnp.float32(1), ids, jnp.roll(ids, -1, 1)


def program():
    """The step as a function of a list of arrays, and these arrays."""
    leaves, tree = jax.tree.flatten(arguments())
    return lambda *x: training_step(*jax.tree.unflatten(tree, x)), leaves
