"""Programs with jax.export's symbolic shapes: each is exported, built once for all sizes, and
called at three, with JAX's results:  jax_results.py COT CC [NAME]

A program is a function, the specifications of its arguments, and the constraints of its sizes;
--open is made of the latter.  The objects are called by their manifests.  Numbers are compared
within 2e-4 of the largest, integers as they are. """
import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile

try:
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax import export, lax
except ImportError as error:
    print(error)
    sys.exit(77)

SIZES = ({"n": 4, "m": 7}, {"n": 33, "m": 12}, {"n": 100, "m": 129})
F, I = "f32", "i32"
programs = {}


def program(*arguments, where="n >= 4"):
    """Arguments as "f32[n, 3]"; `where` as --open has it."""
    def keep(f):
        programs[f.__name__] = (f, arguments, where)
        return f
    return keep


TWO = "n >= 4, m >= 4"


@program("f32[n]", "f32[n]")
def axpy(x, y):
    return 2.5 * x + y


@program("f32[n, 8]", "f32[8, 3]", "f32[3]")
def layer(x, w, b):
    return jax.nn.relu(x @ w + b)


@program("f32[n, 8]", "f32[n, 3]", "f32[8, 3]")
def mlp_gradient(x, y, w):
    return jax.grad(lambda w: jnp.mean((jnp.tanh(x @ w) - y) ** 2))(w)


@program("f32[n, 8]", "f32[n, 8]", "f32[n, 8]")
def attention(q, k, v):
    return jax.nn.softmax(q @ k.T / np.sqrt(8.0), axis=-1) @ v


@program("f32[n, 8]", "f32[n, 8]", "f32[n, 8]")
def causal_attention(q, k, v):
    at = jnp.arange(q.shape[0])
    score = jnp.where(at[:, None] >= at[None, :], q @ k.T, -1e9)
    return jax.nn.softmax(score, axis=-1) @ v


@program("f32[n, m]", where=TWO)
def mean_by_size(x):
    return x.sum() / (x.shape[0] * x.shape[1])


@program("f32[n, m]", where=TWO)
def layer_norm(x):
    centred = x - x.mean(-1, keepdims=True)
    return centred / jnp.sqrt((centred ** 2).mean(-1, keepdims=True) + 1e-5)


@program("f32[n]")
def arange_times(x):
    return x * jnp.arange(x.shape[0], dtype=jnp.float32)


@program("f32[2*n + 1]", "f32[n]")
def odd_length(x, y):
    return x[1::2] + y


@program("f32[n, 3]")
def forces(x):
    far = x[:, None] - x[None]
    square = (far ** 2).sum(-1) + 0.01
    return (far / (square * jnp.sqrt(square))[..., None]).sum(1)


@program("f32[n]")
def running_sum(x):
    return jnp.cumsum(x)


@program("f32[n, 5]")
def running_product(x):
    return jnp.cumprod(1 + 0.01 * x, axis=0)


@program("f32[n]")
def scan_of_rows(x):
    return lax.scan(lambda c, y: (0.5 * c + y, c), jnp.float32(0), x)


@program("f32[n]")
def loop_to_the_size(x):
    return lax.fori_loop(0, x.shape[0], lambda i, c: 0.9 * c + x[i], jnp.float32(1))


@program("f32[n, 4]", "i32[m]", where=TWO)
def rows_by_index(x, i):
    return x[jnp.abs(i) % x.shape[0]]


@program("f32[n]", "i32[m]", "f32[m]", where=TWO)
def added_at(x, i, y):
    return x.at[jnp.abs(i) % 4].add(y)


@program("f32[n, 6]")
def sorted_columns(x):
    return jnp.sort(x, axis=0)


@program("f32[n, 6]")
def order_of_rows(x):
    return jnp.argsort(x, axis=1)


@program("f32[n]")
def largest_at(x):
    return jnp.argmax(x), jnp.max(x)


@program("f32[n, m]", where=TWO)
def flat(x):
    return x.reshape(-1) * 2


@program("f32[n, 6]")
def folded_rows(x):
    return x.reshape(2 * x.shape[0], 3).sum(1)


@program("f32[n]", "f32[m]", where=TWO)
def joined(x, y):
    return jnp.concatenate([x, 2 * y, x])


@program("f32[n]")
def padded(x):
    return jnp.pad(x, (2, 3), constant_values=1.5)


@program("f32[n]")
def differences(x):
    return jnp.diff(x, n=2)


@program("f32[n, 16]", "f32[3, 1, 4]")
def convolved(x, w):
    return lax.conv_general_dilated(x[:, :, None], w, (1,), "SAME",
                                    dimension_numbers=("NWC", "WIO", "NWC"))


@program("f32[1, n, 1]", "f32[3, 1, 4]")
def convolved_along(x, w):
    return lax.conv_general_dilated(x, w, (1,), "VALID",
                                    dimension_numbers=("NWC", "WIO", "NWC"))


@program("f32[n, 8]")
def pooled(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2), (1, 2), "VALID")


@program("f32[n]")
def pooled_along(x):
    return lax.reduce_window(x, 0.0, lax.add, (3,), (2,), "VALID")


@program("f32[n, 4]", "f32[4]")
def mapped(x, y):
    return jax.vmap(lambda r: jnp.dot(r, y) * jnp.sin(r))(x)


@program("f32[n, 4]")
def second_derivatives(x):
    return jax.vmap(jax.hessian(lambda r: jnp.prod(jnp.sin(r))))(x)


@program("f32[n]")
def smoothed_gradient(x):
    return jax.grad(lambda x: jnp.sum(jnp.tanh(x[1:] - x[:-1]) ** 2))(x)


@program("f32[n, m]", "f32[m, n]", where=TWO)
def product(x, y):
    return x @ y


@program("f32[n, 4, 4]")
def factors_of_a_batch(x):
    return jnp.linalg.cholesky(x @ x.transpose(0, 2, 1) + 8 * jnp.eye(4))


@program("f32[n, 3]", "i32[n]")
def loss_of_classes(x, i):
    rows = jax.nn.log_softmax(x)
    return -jnp.take_along_axis(rows, (jnp.abs(i) % 3)[:, None], axis=1).mean()


@program("f32[4*n]")
def quarters(x):
    return x.reshape(4, -1).sum(0)


@program("i32[n]")
def remainders(i):
    return i % 7 + jnp.where(i > 0, i, -i)


@program("f32[n, 2]")
def spread(x):
    return jnp.std(x, axis=0), jnp.var(x, axis=0, ddof=1)


@program("f32[n]", "f32[3]")
def polynomial(x, c):
    return jnp.polyval(c, x)


def open_of(arguments, where):
    shapes = [re.search(r"\[(.*)\]", a).group(1) for a in arguments]
    opened = ["%d: [%s]" % (i, s) for i, s in enumerate(shapes) if re.search("[nm]", s)]
    facts = where + ", " + ", ".join(
        "%s <= 30000" % s for s in "nm" if any(s in x for x in shapes))
    return ", ".join(opened) + " where " + facts


def exported(f, arguments, where):
    scope = export.SymbolicScope([x.strip() for x in where.split(",")])
    types = []
    for a in arguments:
        dtype, shape = re.match(r"(\w+)\[(.*)\]", a).groups()
        types.append(jax.ShapeDtypeStruct(
            export.symbolic_shape(shape, scope=scope),
            {"f32": jnp.float32, "i32": jnp.int32}[dtype]))
    return export.export(jax.jit(f))(*types).mlir_module()


def evaluated(expression, sizes):
    return int(eval(str(expression).replace("/", "//"), {}, sizes))


def array_of(argument, sizes, draw):
    dtype, shape = re.match(r"(\w+)\[(.*)\]", argument).groups()
    dims = [evaluated(x, sizes) for x in shape.split(",")]
    if dtype == "i32":
        return draw.integers(-50, 50, dims, dtype=np.int32)
    return draw.standard_normal(dims, dtype=np.float32)


def call(f, about, sizes, arguments):
    own = {s["name"]: sizes[s["name"]] for s in about["sizes"]}
    results = [
        np.zeros([evaluated(x, own) for x in p["shape"]],
                 {"f32": np.float32, "i32": np.int32, "bool": np.bool_}[p["dtype"]])
        for p in about["parameters"] if p["role"] == "out"]
    work = ctypes.create_string_buffer(
        max(evaluated(x, own) for x in about["work_bytes"]) + 64)
    at = ctypes.addressof(work)
    status = f(*(ctypes.c_int64(n) for n in own.values()),
               *(ctypes.c_void_p(x.ctypes.data) for x in arguments + results),
               ctypes.c_void_p(at + -at % 64))
    return status, results


def same(got, want):
    want = np.asarray(want)
    if got.shape != want.shape:
        return False
    if want.dtype.kind != "f":
        return bool((got == want).all())
    return bool(np.allclose(got, want, rtol=0, atol=2e-4 * (1 + np.abs(want).max(initial=0))))


def check(cot, cc, name):
    """How many sizes are wrong."""
    f, arguments, where = programs[name]
    with open(name + ".mlir", "w", encoding="utf-8") as out:
        out.write(exported(f, arguments, where))
    built = subprocess.run([cot, "build", name + ".mlir", "--open", open_of(arguments, where),
                            "--name", "f", "-o", "f.o", "--manifest", "f.json"],
                           stderr=subprocess.PIPE, text=True, check=False)
    if built.returncode:
        print("%s: %s" % (name, built.stderr.strip()))
        return len(SIZES)
    subprocess.run([cc, "-shared", "f.o", "-lm", "-o", name + ".so"], check=True)
    entry = ctypes.CDLL("./%s.so" % name).f
    with open("f.json", encoding="utf-8") as file:
        about = json.load(file)["functions"][0]
    wrong = 0
    draw = np.random.default_rng(24)
    for sizes in SIZES:
        given = [array_of(a, sizes, draw) for a in arguments]
        status, got = call(entry, about, sizes, given)
        want = jax.tree_util.tree_leaves(jax.jit(f)(*given))
        if status or len(got) != len(want) or not all(map(same, got, want)):
            print("%s differs from JAX at %s" % (name, sizes))
            wrong += 1
    return wrong


def main():
    cot, cc = os.path.abspath(sys.argv[1]), sys.argv[2]
    names = sys.argv[3:] or list(programs)
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        wrong = sum(check(cot, cc, name) for name in names)
        os.chdir("/")
    print("%d programs, each at %d sizes: %d wrong" % (len(names), len(SIZES), wrong))
    return wrong != 0 or not names


if __name__ == "__main__":
    sys.exit(main())
