"""Makes random programs of jax.numpy and lax: a Maker draws generators from programs_ops.py and
programs_compound.py by their weights, hands them operands, and keeps the lines that they emit.
JAX is set up here, for all that import it."""
import collections
import os
import re
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = (os.environ.get("XLA_FLAGS", "") +
                           " --xla_allow_excess_precision=false"
                           " --xla_backend_optimization_level=0")
try:
    import jax
    import jax.numpy as jnp
    import ml_dtypes
    import numpy as np
    from jax import lax
except ImportError:
    print("no JAX here")
    sys.exit(77)
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import programs_compound as compound     # noqa: E402
import programs_ops as ops     # noqa: E402

jax.config.update("jax_enable_x64", True)
TOLERANCE = {"float64": 1e-8, "float32": 2e-3, "float16": 0.08, "bfloat16": 0.3,
             "complex64": 2e-3, "complex128": 1e-8}
NAMES = re.compile(r"\bv\d+\b")
SCOPE = {"jax": jax, "jnp": jnp, "lax": lax, "np": np}


def numpy_type(t):
    return ml_dtypes.bfloat16 if t == "bfloat16" else np.dtype("bool" if t == "bool" else t)


def differentiable(t):
    return str(t) in ops.FLOATS + ops.COMPLEX


# Generator and weight, of programs that are differentiated and of others.
SMOOTH_OPS = [
    (compound.invariant, 3), (compound.reducer, 1), (ops.unary, 6), (ops.binary, 5),
    (ops.chain, 3), (ops.broadcasting, 3), (ops.movement, 7), (ops.reduction, 5),
    (ops.cumulative, 3), (ops.sorting, 2), (ops.dot, 4), (ops.convolution, 4), (ops.window, 4),
    (ops.gather, 3), (ops.indexing, 4), (ops.scatter, 3), (ops.dynamic, 3), (compound.fft, 1),
    (compound.linalg, 3), (compound.loops, 4), (ops.einsum, 2), (ops.complex_unary, 2),
    (ops.complex_binary, 2), (ops.make_complex, 1), (ops.select, 2), (ops.numpy_function, 3),
    (compound.associative, 1), (ops.convert, 1)
]
VALUE_OPS = SMOOTH_OPS + [
    (ops.exact_float, 5), (ops.nextafter, 1), (ops.integer_unary, 4), (ops.integer_binary, 7),
    (ops.compare, 4), (ops.logic, 2), (ops.convert, 6), (ops.bitcast, 3), (ops.select, 2),
    (ops.iota, 1), (ops.lax_reduce, 5), (ops.argument, 4), (ops.sorting, 5), (ops.gather, 3),
    (ops.scatter, 3), (ops.random_bits, 1)
]

# What JAX refused, by generator or check.
REFUSED = collections.Counter()


class Program:
    """Operands by name, lines (names, expression), names of the results."""

    def __init__(self, operands, lines, results):
        self.operands, self.lines, self.results = dict(operands), list(lines), list(results)

    def trimmed(self):
        """Without lines and operands that no result needs."""
        need, lines = set(self.results), []
        for names, text in reversed(self.lines):
            if need & set(names):
                need |= set(NAMES.findall(text))
                lines.append((names, text))
        return Program({k: v for k, v in self.operands.items() if k in need}, lines[::-1],
                       self.results)

    def call(self, *values):
        scope = dict(SCOPE, **dict(zip(self.operands, values)))
        for names, text in self.lines:
            out = eval(text, scope)     # lambdas in it see the scope as their globals
            scope.update(zip(names, out if len(names) > 1 or isinstance(out, (tuple, list))
                             else (out,)))
        return tuple(scope[k] for k in self.results)

    def __str__(self):
        head = [f"{k} = {v.dtype}{list(v.shape)}" + (f" {v.tolist()}" if v.size <= 12 else "")
                for k, v in self.operands.items()]
        return "\n".join(head + [f"{', '.join(n)} = {t}" for n, t in self.lines] +
                         ["return " + ", ".join(self.results)])


class Maker:
    """Makes one program; what the generators see."""

    def __init__(self, seed, smooth, lines, large=False):
        self.large = large
        self.rng, self.smooth = np.random.default_rng(seed), smooth
        self.operands, self.lines, self.types, self.same = {}, [], {}, {}
        table = SMOOTH_OPS if smooth else VALUE_OPS
        weights = np.array([w for _, w in table], float)
        count = self.integer(3, lines)
        for _ in range(4 * count):
            if len(self.lines) >= count:
                break
            make = table[self.rng.choice(len(table), p=weights / weights.sum())][0]
            before = dict(self.operands)
            self.moves = make in (ops.movement, ops.select, ops.gather, ops.dynamic)
            try:
                make(self)
            except Exception as e:  # noqa: BLE001 -- what JAX refuses
                REFUSED[f"{make.__name__}: {type(e).__name__}"] += 1
                if os.environ.get("PROGRAMS_DEBUG"):
                    print(make.__name__, str(e)[:300])
                for k in set(self.operands) - set(before):
                    del self.operands[k], self.types[k], self.same[k]

    def program(self):
        made = [n for names, _ in self.lines for n in names]
        used = set(n for _, text in self.lines for n in NAMES.findall(text))
        results = [n for n in made if n not in used or self.chance(0.2)]
        return Program(self.operands, self.lines, results[:12]).trimmed() if results else None

    def chance(self, p):
        return bool(self.rng.random() < p)

    def integer(self, low, high):
        return int(self.rng.integers(low, max(low, high), endpoint=True))

    def choice(self, items):
        return items[self.integer(0, len(items) - 1)]

    def permutation(self, n):
        return self.rng.permutation(n).tolist()

    def axes(self, rank):
        return sorted(self.permutation(rank)[:self.integer(0 if self.chance(0.1)
            else min(rank, 1), rank)])

    def floats(self):
        return ["float64", "float64", "float32"] if self.smooth else ops.FLOATS

    def np(self, t):
        return numpy_type(t)

    def dtype(self, name):
        return str(self.types[name].dtype)

    def shape(self, name):
        return list(self.types[name].shape)

    def exact(self, name):
        return self.same[name]

    def size(self, most=9):
        if self.large:
            most = self.choice([most, 3 * most, 15 * most])
        return 0 if self.chance(0.03) else 1 if self.chance(0.15) else self.integer(1, most)

    def new_shape(self, rank=(0, 5), full=False):
        n = self.integer(*rank) if self.chance(0.3) else self.integer(rank[0], min(rank[1], 3))
        shape = [self.size(33 if n < 2 else 9 if n < 4 else 4) for _ in range(n)]
        while self.large and np.prod(shape) > 300000:
            shape = [(k + 1) // 2 for k in shape]
        return [max(s, 1) for s in shape] if full else shape

    def reshaped(self, shape):
        n = int(np.prod(shape))
        out = []
        for _ in range(self.integer(0, 3)):
            d = self.choice([d for d in range(1, n + 1) if n % d == 0]) if n else 0
            out.append(d)
            n = n // d if d else 0
        return out + [n]

    def numbers(self, shape, t):
        if t == "bool":
            return np.asarray(self.rng.random(shape) < 0.5)
        if t in ops.INTS:
            info = np.iinfo(t)
            wide = self.rng.integers(info.min, info.max, shape, dtype=t, endpoint=True)
            small = self.rng.integers(max(-5, info.min), 9, shape).astype(t)
            ends = self.rng.choice(np.array([info.min, info.max, 0, 1, info.max - 1,
                                             info.min + 1], t), shape)
            return np.asarray(self.choice([small, small,
                                           np.where(self.rng.random(shape) < 0.5, small,
                                                    np.where(self.rng.random(shape) < 0.5,
                                                        wide, ends))]))
        if t in ops.COMPLEX:
            return np.asarray(self.rng.uniform(-1.5, 1.5, shape) +
                              1j * self.rng.uniform(-1.5, 1.5, shape)).astype(t)
        out = np.asarray(self.rng.uniform(-2, 2, shape))
        if self.smooth and self.chance(0.1):
            out = out * self.choice([0.01, 30, 300])
        if not self.smooth and self.chance(0.3):
            out = np.where(self.rng.random(shape) < 0.3, np.round(out), out)
        if not self.smooth and self.chance(0.15):
            special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e30 if t != "float16" else 6e4,
                       127.5, -128.5, 3e9 if t != "float16" else 300, 0.5, 1.5, 2.5]
            out = np.where(self.rng.random(shape) < 0.4,
                           self.rng.choice(np.array(special), shape), out)
        return np.asarray(out).astype(numpy_type(t))

    def fresh(self, array):
        name = f"v{len(self.types)}"
        while name in self.types:
            name = f"v{int(name[1:]) + 1}"
        self.operands[name] = array
        self.types[name], self.same[name] = jax.ShapeDtypeStruct(array.shape, array.dtype), True
        return name

    def candidates(self, good, exact):
        return [n for n in self.types if good(n) and (self.same[n] or not exact)]

    def pick(self, types, rank=(0, 5), exact=False, full=False):
        t = self.choice(types)
        found = self.candidates(lambda n: self.dtype(n) in types
                                and rank[0] <= len(self.shape(n)) <= rank[1]
                                and not (full and 0 in self.shape(n)),
                                exact)
        if found and self.chance(0.75):
            return found[self.integer(0, len(found) - 1)] if self.chance(0.5) else found[-1]
        return self.fresh(self.numbers(self.new_shape(rank, full), t))

    def value(self, shape, t, exact=False):
        found = self.candidates(lambda n: self.dtype(n) == t and self.shape(n) == list(shape),
                                exact)
        if found and self.chance(0.6):
            return self.choice(found)
        return self.fresh(self.numbers(tuple(shape), t))

    def tame(self, shape, t):
        """An operand for what XLA computes with products by the zeros of padding, or where
        digits cancel: without infinities."""
        if self.smooth or t not in ops.FLOATS:
            return self.value(shape, t)
        return self.fresh(np.asarray(self.rng.uniform(-2, 2,
                                                      tuple(shape))).astype(numpy_type(t)))

    def like(self, name, exact=False):
        return self.value(self.shape(name), self.dtype(name), exact)

    def index(self, shape, n, t, wild=False, negative=False):
        """Whole numbers below n; wild ones may lie outside."""
        info = np.iinfo(t)
        low, high = (-n if negative else 0), max(n - 1, 0)
        if wild and self.chance(0.5):
            low, high = low - 3, high + 3
        return self.fresh(np.asarray(self.rng.integers(max(low, info.min), min(high, info.max),
                                                       shape, endpoint=True)).astype(t))

    def infer(self, text):
        names = sorted(set(NAMES.findall(text)))
        out = jax.eval_shape(lambda *v: eval(text, dict(SCOPE, **dict(zip(names, v)))),
                             *[self.types[n] for n in names])
        return list(out) if isinstance(out, (tuple, list)) else [out]

    def emit(self, text, n=1, exact=False):
        types = self.infer(text)
        assert len(types) == n, (text, len(types))
        if any(int(np.prod(t.shape)) > (300000 if self.large else 4000) or len(t.shape) > 6
               for t in types):
            return None
        operands = [self.same[k] for k in set(NAMES.findall(text))]
        names = []
        for t in types:
            name = f"v{len(self.types)}"
            while name in self.types:
                name = f"v{int(name[1:]) + 1}"
            self.types[name] = t
            moved = self.moves and all(operands)
            self.same[name] = exact or not differentiable(t.dtype) or moved
            names.append(name)
        self.lines.append((names, text))
        return names[0]
