"""Lines of random programs: each generator takes a Maker (programs_maker.py), picks operands,
and emits lines of jax.numpy or lax.  programs_compound.py has those that are more than one
call."""
import numpy as np

FLOATS = ["float64", "float32", "float16", "bfloat16"]
COMPLEX = ["complex64", "complex128"]
SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
INTS = SIGNED + UNSIGNED
WIDE = ["float64", "float32"]
ALL = FLOATS + COMPLEX + INTS + ["bool"]
NUMBERS = FLOATS + COMPLEX + INTS

SMOOTH = ["jnp.sin({})", "jnp.cos({})", "jnp.tanh({})", "lax.logistic({})", "jnp.arctan({})",
          "jnp.arcsinh({})", "lax.erf({})",
          "jnp.exp(-jnp.abs({}))", "jnp.log1p(jnp.abs({}))", "jnp.sqrt(jnp.abs({}) + 0.5)",
          "lax.rsqrt(jnp.abs({}) + 0.5)",
          "jax.nn.softplus({})", "jax.nn.gelu({})", "jax.nn.silu({})", "jax.nn.relu({})",
          "jax.nn.elu({})", "jnp.cbrt({})",
          "jnp.square({})", "lax.integer_pow({}, 3)", "jnp.expm1(jnp.sin({}))",
          "jnp.arcsin(0.9 * jnp.sin({}))", "jnp.sinc({})",
          "lax.integer_pow(jnp.abs({}) + 0.5, -2)", "jnp.abs({})", "jax.nn.leaky_relu({})",
          "jax.nn.log_sigmoid({})", "jax.nn.selu({})",
          "jax.nn.hard_tanh({})", "jnp.logaddexp({}, 0.5)", "lax.erfc({})",
          "jnp.tan(0.7 * jnp.sin({}))", "jnp.exp2(jnp.sin({}))",
          "jax.scipy.special.gammaln(jnp.abs({}) + 0.5)",
          "jax.scipy.special.xlogy(jnp.abs({}), jnp.abs({}) + 0.1)", "jax.nn.mish({})",
          "jax.nn.celu({})", "jax.nn.relu6({})", "jax.scipy.special.entr(jnp.abs({}) + 0.1)",
          "jnp.clip({}, -0.7, 0.8)"]
RAW = ["jnp.exp({})", "jnp.log({})", "jnp.sqrt({})", "lax.rsqrt({})", "jnp.arcsin({})",
       "jnp.arccos({})", "jnp.arccosh({})", "jnp.arctanh({})",
       "jnp.log1p({})", "jnp.expm1({})", "jnp.sinh({})", "jnp.cosh({})", "1 / {}",
       "lax.lgamma({})", "lax.digamma({})", "lax.erf_inv({})",
       "jnp.tan({})", "jnp.log2({})", "jnp.log10({})", "lax.bessel_i0e({})",
       "lax.bessel_i1e({})", "jnp.sinc({})", "lax.cbrt({})"]
COMPLEX_UNARY = ["jnp.sin({})", "jnp.cos({})", "jnp.exp({})", "jnp.tanh({})", "jnp.log({} + 3)",
                 "jnp.sqrt({} + 3)", "jnp.square({})",
                 "jnp.conj({})", "lax.rsqrt({} + 3)", "jnp.expm1({})", "jnp.log1p({} + 3)",
                 "lax.integer_pow({}, 3)", "1 / ({} + 3)",
                 "jnp.sinh({})", "jnp.cosh({})", "jnp.sign({} + 3)", "jnp.arctan({} / 4)",
                 "jnp.arcsinh({} / 4)", "jnp.power({} + 3, 1.5)",
                 "-{}", "jnp.tan({} / 3)", "lax.logistic({})"]
COMPLEX_REAL = ["jnp.real({})", "jnp.imag({})", "jnp.abs({} + 3)", "jnp.angle({} + 3)"]
EXACT_FLOAT = ["-{}", "jnp.abs({})", "jnp.sign({})", "jnp.floor({})", "jnp.ceil({})",
               "jnp.trunc({})", "jnp.round({})",
               "lax.round({}, lax.RoundingMethod.AWAY_FROM_ZERO)", "jnp.nan_to_num({})",
               "jnp.isnan({})", "jnp.isinf({})", "jnp.isfinite({})",
               "jnp.signbit({})", "jnp.frexp({})[1]", "jnp.modf({})[1]",
               "lax.reduce_precision({}, 5, 7)", "lax.reduce_precision({}, 3, 2)",
               "lax.reduce_precision({}, 8, 0)", "lax.clamp(-1.0, {}, 1.0)", "jnp.isposinf({})"]
INT_UNARY = ["-{}", "jnp.abs({})", "jnp.sign({})", "~{}", "lax.population_count({})",
             "lax.clz({})", "lax.integer_pow({}, 3)", "{} * {}"]
INT_BINARY = ["{} + {}", "{} - {}", "{} * {}", "lax.div({}, {})", "lax.rem({}, {})", "{} // {}",
              "{} % {}", "jnp.maximum({}, {})",
              "jnp.minimum({}, {})", "{} & {}", "{} | {}", "{} ^ {}", "lax.shift_left({}, {})",
              "lax.shift_right_logical({}, {})",
              "lax.shift_right_arithmetic({}, {})"]
COMPARE = ["==", "!=", "<", "<=", ">", ">="]

def unary(g):
    if g.smooth and g.chance(0.8):
        x = g.pick(g.floats())
        return g.emit(g.choice(SMOOTH).replace("{}", x))
    kind = g.chance(0.5)
    x = g.pick(FLOATS)
    return g.emit(g.choice(SMOOTH if kind else RAW).replace("{}", x))

def complex_unary(g):
    # JAX has 0 for its derivative
    forms = [f for f in COMPLEX_UNARY + COMPLEX_REAL if not g.smooth or "sign" not in f]
    return g.emit(g.choice(forms).replace("{}", g.pick(COMPLEX)))

def make_complex(g):
    x = g.pick(WIDE)
    return g.emit(f"lax.complex({x}, {g.like(x)})")

def binary(g):
    x = g.pick(g.floats())
    y = g.like(x)
    forms = ["{0} + {1}", "{0} - {1}", "{0} * {1}", "{0} / (jnp.abs({1}) + 0.5)",
             "jnp.maximum({0}, {1})", "jnp.minimum({0}, {1})",
             "jnp.arctan2({0}, {1})", "jnp.hypot({0}, {1})",
             "jnp.power(jnp.abs({0}) + 0.5, {1})", "jnp.logaddexp({0}, {1})",
             "jnp.where({0} > {1}, {0}, jnp.sin({1}))",
             "lax.clamp(jnp.minimum({0}, {1}) - 0.1, {0} + {1}, jnp.maximum({0}, {1}))",
             "jnp.float_power(jnp.abs({0}) + 0.5, 2)", "jnp.fmax({0}, {1})",
             "jnp.copysign({0}, {1})", "jnp.heaviside({0}, {1})"]
    if not g.smooth:
        forms += ["{0} / {1}", "jnp.power({0}, {1})", "lax.rem({0}, {1})", "jnp.fmod({0}, {1})",
                  "jnp.remainder({0}, {1})", "{0} // {1}"]
    return g.emit(g.choice(forms).format(x, y))

def chain(g):
    """Sums of products, which contract."""
    x = g.pick(g.floats())
    y, z = g.like(x), g.like(x)
    return g.emit(g.choice(["{0} * {1} + {2}", "{2} - {0} * {1}", "{0} * {1} - {2} * {0}",
                            "({0} + {1}) * ({0} - {1})", "-({0} * {1}) - {2}",
                            "jnp.where({0} < {1}, {2} * {2}, {0} * {2} + 1)",
                            "{0} * 2 + {1} * 0.5 - {2}"]).format(x, y, z))

def complex_binary(g):
    x = g.pick(COMPLEX)
    y = g.like(x)
    return g.emit(g.choice(["{0} + {1}", "{0} * {1}", "{0} - {1}", "{0} / ({1} + 4)",
                            "{0} * jnp.conj({1})", "jnp.where(jnp.real({0}) > 0, {0}, {1})",
                            "jnp.power({0} + 3, {1})"]).format(x, y))

def broadcasting(g):
    """numpy's broadcasting of two shapes."""
    x = g.pick(g.floats(), rank=(1, 4))
    shape = [s if g.chance(0.6) else 1 for s in g.shape(x)][g.integer(0, 2):]
    return g.emit(f"{x} {g.choice('+-*')} {g.value(shape, g.dtype(x))}")

def exact_float(g):
    return g.emit(g.choice(EXACT_FLOAT).replace("{}", g.pick(FLOATS, exact=True)), exact=True)

def nextafter(g):
    x = g.pick(WIDE, exact=True)
    return g.emit(f"jnp.nextafter({x}, {g.like(x, exact=True)})", exact=True)

def integer_unary(g):
    return g.emit(g.choice(INT_UNARY).replace("{}", g.pick(INTS)), exact=True)

def integer_binary(g):
    x = g.pick(INTS)
    return g.emit(g.choice(INT_BINARY).replace("{}", x, 1).replace("{}", g.like(x), 1),
                  exact=True)

def compare(g):
    x = g.pick(ALL, exact=True)
    ops = COMPARE[:2] if g.dtype(x) in COMPLEX else COMPARE
    return g.emit(f"{x} {g.choice(ops)} {g.like(x, exact=True)}", exact=True)

def logic(g):
    x = g.pick(["bool"])
    return g.emit(g.choice(["{} & {}", "{} | ~{}", "{} ^ {}", "jnp.where({}, {}, True)",
                            "jnp.logical_not({})"]).replace("{}", x, 1).replace(
        "{}", g.like(x), 1), exact=True)

def convert(g):
    to = g.choice(ALL)
    exact = to not in FLOATS + COMPLEX
    x = g.pick(ALL, exact=exact)
    return g.emit(f"lax.convert_element_type({x}, jnp.{to + '_' if to == 'bool' else to})",
                  exact=exact or g.exact(x) and g.dtype(x) in FLOATS)

def bitcast(g):
    x = g.pick(FLOATS + INTS, exact=True)
    size = {"64": 8, "32": 4, "16": 2, "8": 1}[[k for k in ("64", "32", "16", "8")
                                                if g.dtype(x).endswith(k)][0]]
    to = [t for t in INTS + FLOATS if np.dtype(g.np(t)).itemsize == size or g.chance(0.2)]
    to = [t for t in to if t in INTS or g.dtype(x) in FLOATS]   # no subnormal from an integer
    return g.emit(f"lax.bitcast_convert_type({x}, jnp.{g.choice(to)})", exact=True)

def select(g):
    x = g.pick(ALL)
    c = g.value(g.shape(x) if g.chance(0.7) else [], "bool")
    if g.chance(0.3):
        i = g.index(g.shape(x), 3, "int32")
        return g.emit(f"lax.select_n({i}, {x}, {g.like(x)}, {g.like(x)})")
    return g.emit(f"lax.select_n({c}, {x}, {g.like(x)})")

def movement(g):
    x = g.pick(ALL)
    shape, rank = g.shape(x), len(g.shape(x))
    kind = g.integer(0, 12)
    if kind == 0:
        return g.emit(f"jnp.transpose({x}, {g.permutation(rank)})")
    if kind == 1:
        return g.emit(f"lax.rev({x}, {tuple(g.axes(rank))})")
    if kind == 2:
        return g.emit(f"jnp.reshape({x}, {g.reshaped(shape)})")
    if kind == 3:
        start = [g.integer(0, s) for s in shape]
        limit = [g.integer(a, s) for a, s in zip(start, shape)]
        return g.emit(f"lax.slice({x}, {start}, {limit}, {[g.integer(1, 3) for _ in shape]})")
    if kind in (4, 5):
        config = [(g.integer(-2, 3), g.integer(-2, 3), g.integer(0, 2) if g.chance(0.5) else 0)
                  for _ in shape]
        return g.emit(f"lax.pad({x}, {g.value([], g.dtype(x))}, {config})")
    if kind == 6 and rank:
        axis = g.integer(0, rank - 1)
        others = [x] + [g.value(shape[:axis] + [g.integer(0, 4)] + shape[axis + 1:], g.dtype(x))
                        for _ in range(g.integer(1, 2))]
        g.rng.shuffle(others)
        return g.emit(f"jnp.concatenate([{', '.join(others)}], {axis})")
    if kind == 7:
        dims, out = sorted(g.rng.permutation(rank + 2)[:rank].tolist()), [2, 3] * 4
        target = [g.integer(1, 3) for _ in range(rank + 2)]
        for d, s in zip(dims, shape):
            target[d] = s if s != 1 or g.chance(0.5) else g.integer(1, 4)
        del out
        return g.emit(f"lax.broadcast_in_dim({x}, {target}, {dims})")
    if kind == 8 and rank:
        return g.emit(f"jnp.roll({x}, {g.integer(-5, 5)}, {g.integer(0, rank - 1)})")
    if kind == 9:
        return g.emit(f"jnp.tile({x}, {[g.integer(1, 2) for _ in shape]})")
    if kind == 10 and rank >= 2:
        return g.emit(g.choice([f"jnp.tril({x}, {g.integer(-2, 2)})",
                                f"jnp.triu({x}, {g.integer(-2, 2)})",
                                f"jnp.diagonal({x}, {g.integer(-1, 1)})",
                                f"jnp.rot90({x})", f"jnp.swapaxes({x}, 0, -1)"]))
    if kind == 11 and rank:
        return g.emit(f"jnp.repeat({x}, {g.integer(1, 3)}, {g.integer(0, rank - 1)})")
    if kind == 12:
        return g.emit(f"jnp.expand_dims({x}, {g.integer(0, rank)})")
    return g.emit(f"jnp.ravel({x})")

def iota(g):
    shape = g.new_shape(rank=(1, 3))
    return g.emit(f"lax.broadcasted_iota(jnp.{g.choice(NUMBERS)}, {shape}, "
                  f"{g.integer(0, len(shape) - 1)})", exact=True)

def reduction(g):
    x = g.pick(ALL if not g.smooth else g.floats() + COMPLEX[1:])
    rank, t = len(g.shape(x)), g.dtype(x)
    axes = g.axes(rank)
    empty = any(g.shape(x)[a] == 0 for a in axes)
    ops = ["sum", "prod"]
    if t == "bool":
        ops = ["any", "all"]
    elif t not in COMPLEX:
        ops += ["mean", "var", "std", "logsumexp"] if t in FLOATS else []
        ops += [] if empty else ["max", "min", "ptp"]
        ops += ["softmax", "log_softmax"] if t in FLOATS and not empty else []
    op = g.choice(ops)
    call = {"logsumexp": "jax.nn.logsumexp", "softmax": "jax.nn.softmax",
            "log_softmax": "jax.nn.log_softmax"}.get(op, "jnp." + op)
    keep = f", keepdims={g.chance(0.3)}" if op not in ("softmax", "log_softmax") else ""
    if op in ("var", "std"):
        x = f"({x} + jnp.reshape(jnp.arange({x}.size, dtype={x}.dtype), {x}.shape))"
    return g.emit(f"{call}({x}, axis={tuple(axes)}{keep})")

def lax_reduce(g):
    x = g.pick(NUMBERS, exact=True)
    t, axes = g.dtype(x), tuple(g.axes(len(g.shape(x))))
    ops = {"lax.add": "0", "lax.mul": "1"}      # neutral ones: of others XLA leaves some out
    if t not in COMPLEX:
        low, high = ("-jnp.inf", "jnp.inf") if t in FLOATS else (f"jnp.iinfo(jnp.{t}).min",
            f"jnp.iinfo(jnp.{t}).max")
        ops.update({"lax.max": low, "lax.min": high, "lambda a, b: a + b - 0 * b": "0"})
    if t in INTS:
        ops.update({"lax.bitwise_or": "0", "lax.bitwise_and": "-1" if t in SIGNED else high,
                    "lax.bitwise_xor": "0"})
    op = g.choice(list(ops))
    exact = t in INTS or op in ("lax.max", "lax.min")
    return g.emit(f"lax.reduce({x}, jnp.asarray({ops[op]}, {x}.dtype), {op}, {axes})",
                  exact=exact)

def argument(g):
    x = g.pick(FLOATS + INTS + ["bool"], rank=(1, 4), exact=True, full=True)
    axis = g.integer(0, len(g.shape(x)) - 1)
    kind = g.choice(["jnp.argmax", "jnp.argmin", "lax.argmax", "jnp.nanargmax"]
                    if g.dtype(x) in FLOATS else ["jnp.argmax", "jnp.argmin"])
    if kind == "lax.argmax":
        return g.emit(f"lax.argmax({x}, {axis}, jnp.{g.choice(['int32', 'int64', 'uint8'])})",
                      exact=True)
    return g.emit(f"{kind}({x}, {axis})", exact=True)

def cumulative(g):
    x = g.pick(NUMBERS if not g.smooth else WIDE, rank=(1, 4))
    axis, reverse = g.integer(0, len(g.shape(x)) - 1), g.chance(0.3)
    ops = ["cumsum", "cumprod"] + ([] if g.dtype(x) in COMPLEX else ["cummax", "cummin"] +
                                   (["cumlogsumexp"] if g.dtype(x) in FLOATS else []))
    return g.emit(f"lax.{g.choice(ops)}({x}, {axis}, reverse={reverse})")

def sorting(g):
    x = g.pick(FLOATS + INTS + ["bool"], rank=(1, 4), exact=True)
    shape = g.shape(x)
    axis = g.integer(0, len(shape) - 1)
    kind = g.integer(0, 5)
    if kind == 0:
        return g.emit(f"jnp.sort({x}, {axis}, descending={g.chance(0.5)})", exact=True)
    if kind == 1:
        return g.emit(f"jnp.argsort({x}, {axis}, descending={g.chance(0.5)})", exact=True)
    if kind == 2 and shape[-1]:
        return g.emit(f"lax.top_k({x}, {g.integer(0, shape[-1])})", 2, exact=True)
    if kind == 3 and g.dtype(x) in FLOATS and shape[axis] and g.smooth:
        return g.emit(g.choice([f"jnp.median({x}, {axis})", f"jnp.quantile({x}, 0.3, {axis})"]))
    if kind == 4:
        y = g.value(shape[axis:axis + 1], g.dtype(x), exact=True)
        return g.emit(f"jnp.searchsorted(jnp.sort({y}), {x}, "
                      f"side='{g.choice(['left', 'right'])}')", exact=True)
    n = g.integer(2, 3)
    more = [g.value(shape, g.choice(ALL), exact=True) for _ in range(n - 1)]
    keys = 1
    while keys < n and g.dtype(more[keys - 1]) != "bool" and g.chance(0.4):
        keys += 1
    return g.emit(f"lax.sort(({x}, {', '.join(more)}), dimension={axis}, is_stable=True, "
                  f"num_keys={keys})", n, exact=True)

def dot(g):
    t = g.choice(NUMBERS if not g.smooth else WIDE * 3 + COMPLEX)
    batch = [g.size(4 if not g.large else 9) for _ in range(g.integer(0, 2))]
    contract = [g.size() for _ in range(g.integer(0, 2))]
    free = [[g.size() for _ in range(g.integer(0, 2))] for _ in range(2)]
    names, numbers = [], []
    for k in range(2):
        roles = [("b", i, s) for i, s in enumerate(batch)] + [("c", i, s)
            for i, s in enumerate(contract)] + [("f", i, s) for i, s in enumerate(free[k])]
        order = g.rng.permutation(len(roles)).tolist()
        roles = [roles[o] for o in order]
        names.append(g.value([r[2] for r in roles], t))
        numbers.append({w: [next(j for j, r in enumerate(roles) if r[:2] == (w, i))
                            for i in range(n)]
                        for w, n in (("b", len(batch)), ("c", len(contract)))})
    more = ""
    if t in ("bfloat16", "float16", "float32") and g.chance(0.3):
        more = f", preferred_element_type=jnp.{g.choice(['float32', 'float64'])}"
    if t in ("int8", "uint8", "int16") and g.chance(0.5):
        more = ", preferred_element_type=jnp.int32"
    return g.emit(f"lax.dot_general({names[0]}, {names[1]}, (({numbers[0]['c']}, "
                  f"{numbers[1]['c']}), ({numbers[0]['b']}, {numbers[1]['b']})){more})")

def convolution(g):
    t = g.choice(WIDE * 3 + ["bfloat16", "float16"] + COMPLEX +
                 ["int32", "int8", "uint16"]) if not g.smooth else g.choice(WIDE + COMPLEX[1:])
    d = g.integer(0, 3)
    groups, batch_groups = (g.choice([1, 1, 2, 3]), 1) if g.chance(0.7) else (1,
        g.choice([1, 2, 3]))
    cin, cout = g.integer(1, 3) * groups, g.integer(1, 3) * groups * batch_groups
    n = g.integer(1, 3) * batch_groups
    if g.chance(0.05):
        n = 0
    if g.large:
        cin, cout, n = cin * g.integer(1, 9), cout * g.integer(1, 9), n * g.integer(1, 3)
    spatial = [g.choice([8, 13, 16, 27, 30]) if g.large
               else g.choice([0, 1, 2, 3, 4, 5, 7, 9] if d > 1 else [1, 5, 9, 17, 33])
               for _ in range(d)]
    window = [g.choice([1, 2, 3, 4, 5]) for _ in range(d)]
    letters = "XYZ"[:d]
    spec = ["".join(g.rng.permutation(list(k + letters))) for k in ("NC", "OI", "NC")]
    sizes = {"N": n, "C": cin, "O": cout, "I": cin // groups}
    x = g.tame([sizes[c] if c in "NC" else spatial[letters.index(c)] for c in spec[0]], t)
    k = g.tame([sizes[c] if c in "OI" else window[letters.index(c)] for c in spec[1]], t)
    pads = [(g.integer(-1, 3), g.integer(-1, 3)) for _ in range(d)]
    if g.chance(0.3):
        pads = f"'{g.choice(['SAME', 'VALID', 'SAME_LOWER'])}'"
    some = lambda m: [g.integer(1, m) if g.chance(0.4) else 1 for _ in range(d)]
    lhs = some(3) if not isinstance(pads, str) else [1] * d
    return g.emit(f"lax.conv_general_dilated({x}, {k}, {some(3)}, {pads}, lhs_dilation={lhs}, "
                  f"rhs_dilation={some(3)}, "
                  f"dimension_numbers=('{spec[0]}', '{spec[1]}', '{spec[2]}'), "
                  f"feature_group_count={groups}, batch_group_count={batch_groups})")

def window(g):
    x = g.pick(g.floats() if g.smooth else FLOATS + INTS, rank=(1, 4))
    shape, t = g.shape(x), g.dtype(x)
    some = lambda m, p: [g.integer(1, m) if g.chance(p) else 1 for _ in shape]
    size, strides, base, dilation = some(4, 0.6), some(3, 0.4), some(2, 0.15), some(2, 0.15)
    if g.smooth:
        base = dilation = [1 for _ in shape]        # JAX has no derivative of others
    pads = [(g.integer(0, 2), g.integer(0, 2)) if g.chance(0.5) else (0, 0) for _ in shape]
    if g.chance(0.2):
        pads = f"'{g.choice(['SAME', 'VALID'])}'"
    op, init = g.choice([("lax.add", "0"), ("lax.max", None), ("lax.min", None)] +
                        ([("lax.mul", "1")] if not g.smooth else []))
    if init is None:
        info = "jnp.iinfo" if t in INTS else None
        low = op == "lax.max"
        init = f"{info}(jnp.{t}).{'min' if low else 'max'}" if info else ("-jnp.inf" if low
            else "jnp.inf")
    return g.emit(f"lax.reduce_window({x}, np.asarray({init}, jnp.{t}), {op}, {size}, "
                  f"{strides}, {pads}, "
                  f"base_dilation={base}, window_dilation={dilation})")

MODES = ["clip", "fill", "promise_in_bounds"]

def gather(g):
    """lax.gather with all kinds of dimension numbers."""
    x = g.pick(ALL, rank=(1, 4), full=True)
    shape, rank, mode = g.shape(x), len(g.shape(x)), g.choice(MODES)
    mapped = g.rng.permutation(rank)[:g.integer(1, rank)].tolist()
    sizes = [g.integer(0 if g.chance(0.1) else 1, s) for s in shape]
    collapsed = sorted(d for d in range(rank) if g.chance(0.5)
                       and (d in mapped or shape[d] == 1 or g.chance(0.5)))
    for d in collapsed:
        sizes[d] = 1
    batch = [g.size(5) for _ in range(g.integer(0, 2))]
    out = len(batch) + rank - len(collapsed)
    offset = sorted(g.rng.permutation(out)[:rank - len(collapsed)].tolist())
    i = g.index(batch + [len(mapped)], min(shape[d] - sizes[d] + 1 for d in mapped),
                g.choice(["int32", "int64", "uint8", "int8", "uint32"]),
                wild=mode != "promise_in_bounds")
    filled = mode == "fill" and g.chance(0.4) and g.dtype(x) not in COMPLEX + ["bool"]
    more = ", fill_value=3" if filled else ""
    return g.emit(f"lax.gather({x}, {i}, lax.GatherDimensionNumbers({tuple(offset)}, "
                  f"{tuple(collapsed)}, {tuple(mapped)}), {tuple(sizes)}, "
                  f"mode='{mode}'{more})")

def indexing(g):
    """numpy's indexing."""
    x = g.pick(ALL, rank=(1, 4), full=True)
    shape, items, shared = g.shape(x), [], g.new_shape(rank=(0, 2))
    mode = g.choice(["clip", "fill", "drop", "wrap", None])
    for s in shape:
        k = g.integer(0, 4)
        if k == 0:
            items.append(":")
        elif k == 1:
            items.append(f"{g.integer(0, s - 1)}:{g.integer(0, s + 1)}:{g.choice([1, 2, 3])}")
        elif k == 2:
            items.append("::-1")
        elif k == 3:
            items.append(g.index(shared if g.chance(0.7) else [], s, "int32",
                                 wild=mode not in (None, "wrap"), negative=True))
        else:
            items.append(str(g.integer(-s, s - 1)))
    what = f"[{', '.join(items)}]"
    if g.chance(0.5):
        return g.emit(f"{x}.at{what}.get({'' if mode is None else f'mode={mode!r}'})")
    y = g.value(list(g.infer(f"{x}{what}")[0].shape), g.dtype(x))
    if not g.shape(x):
        return None
    ops = {"bool": ["set"], "complex64": ["add", "mul"],
           "complex128": ["add", "mul"]}.get(g.dtype(x),
                                             ["add", "multiply", "max", "min", "set"])
    op = g.choice(ops)
    if g.smooth:
        op = g.choice(["add", "set", "add"])
    if op == "set" or mode == "wrap":
        items = [s if s[0] != "v" else str(0) for s in items]
        name = op if op != 'mul' else 'multiply'
        return g.emit(f"{x}.at[{', '.join(items)}].{name}({g.value([], g.dtype(x))})")
    op = {"mul": "multiply"}.get(op, op)
    return g.emit(f"{x}.at{what}.{op}({y}{'' if mode is None else f', mode={mode!r}'})")

def scatter(g):
    x = g.pick(NUMBERS, rank=(1, 4), full=True)
    shape, rank, mode = g.shape(x), len(g.shape(x)), g.choice(MODES)
    mapped = g.rng.permutation(rank)[:g.integer(1, rank)].tolist()
    sizes = [g.integer(1, s) for s in shape]
    inserted = sorted(d for d in range(rank) if g.chance(0.5))
    for d in inserted:
        sizes[d] = 1
    batch = [g.size(5) for _ in range(g.integer(0, 2))]
    kept = [sizes[d] for d in range(rank) if d not in inserted]
    out = len(batch) + len(kept)
    window_dims = sorted(g.rng.permutation(out)[:len(kept)].tolist())
    rest, left = iter(batch), iter(kept)
    updates = [next(left) if d in window_dims else next(rest) for d in range(out)]
    # of u8 XLA takes 245 for -11
    i = g.index(batch + [len(mapped)], min(shape[d] - sizes[d] + 1 for d in mapped),
                g.choice(["int32", "int64"]),
                wild=mode != "promise_in_bounds")
    ops = ["scatter_add", "scatter_add", "scatter_mul"] + ([] if g.dtype(x) in COMPLEX
        else ["scatter_max", "scatter_min", "scatter"])
    op = g.choice(ops) if not g.smooth else g.choice(["scatter_add", "scatter"])
    if op == "scatter":
        y = f"jnp.full({updates}, {g.value([], g.dtype(x))})"
    else:
        y = g.value(updates, g.dtype(x))
    return g.emit(f"lax.{op}({x}, {i}, {y}, lax.ScatterDimensionNumbers({tuple(window_dims)}, "
                  f"{tuple(inserted)}, {tuple(mapped)}), mode='{mode}')")

def dynamic(g):
    x = g.pick(ALL, rank=(1, 4))
    shape = g.shape(x)
    sizes = [g.integer(0 if g.chance(0.1) else min(1, s), s) for s in shape]
    t = g.choice(["int32", "int64", "uint32", "int8", "uint8"])
    starts = ", ".join(g.index([], s + 1, t, wild=True) for s in shape)
    if g.chance(0.5):
        return g.emit(f"lax.dynamic_slice({x}, ({starts},), {sizes})")
    return g.emit(f"lax.dynamic_update_slice({x}, {g.value(sizes, g.dtype(x))}, ({starts},))")

def einsum(g):
    t = g.choice(WIDE)
    n, m, k, b = (g.size(5) for _ in range(4))
    spec, shapes = g.choice([("ij,jk->ik", [(n, m), (m, k)]),
                             ("bij,bjk->bik", [(b, n, m), (b, m, k)]),
                             ("ij,kj->ik", [(n, m), (k, m)]),
                             ("bij,bij->b", [(b, n, m)] * 2), ("ij,ij->", [(n, m)] * 2),
                             ("i,j->ij", [(n,), (m,)]), ("bi,bj->bij", [(b, n), (b, m)]),
                             ("ii->i", [(n, n)]), ("ii->", [(n, n)]), ("bij->ji", [(b, n, m)]),
                             ("ij,jk,kl->il", [(n, m), (m, k), (k, b)]),
                             ("bhqd,bhkd->bhqk", [(b, 2, n, k), (b, 2, m, k)]),
                             ("abc,cba->b", [(n, m, k), (k, m, n)])])
    return g.emit(f"jnp.einsum('{spec}', {', '.join(g.value(list(s), t) for s in shapes)})")

def numpy_function(g):
    x = g.pick(WIDE, rank=(1, 2), full=True)
    n = len(g.shape(x))
    return g.emit(g.choice([f"jnp.diff({x})", f"jnp.outer({x}, {x})",
                            f"jnp.cumsum({x} ** 2, 0)", f"jnp.linalg.norm({x}, axis=-1)",
                            f"jnp.trapezoid({x})",
                            f"jnp.interp({x}, jnp.arange(5.0), jnp.arange(5.0) ** 2)",
                            f"jnp.convolve({x}.ravel(), {x}.ravel()[:3])",
                            f"jax.nn.one_hot(jnp.argmax({x}, -1), 4)",
                            f"jnp.polyval({x}.ravel()[:4], {x})",
                            f"jax.nn.standardize({x} + jnp.arange({x}.shape[-1]))",
                            f"jnp.vander({x}.ravel()[:4])", f"jnp.nanmean({x}, {n - 1})",
                            f"jax.ops.segment_sum({x}, jnp.arange({x}.shape[0]) % 2, 3)",
                            f"jax.nn.glu(jnp.concatenate([{x}, {x}], -1))",
                            f"jnp.select([{x} > 0.5, {x} < -0.5], [{x} ** 2, -{x}], 0.1)",
                            f"jnp.piecewise({x}, [{x} < 0], [lambda v: v * v, lambda v: "
                            f"jnp.sin(v)])", f"jnp.ediff1d({x})",
                            f"jnp.unwrap({x})", f"jnp.correlate({x}.ravel(), {x}.ravel()[:2])",
                            f"jnp.cov({x})", f"jnp.average({x}, weights=jnp.abs({x}) + 1)",
                            f"jnp.cross({x}.ravel()[:1].repeat(3), jnp.arange(3.0))",
                            f"jnp.kron({x}, {x}[:2])"]))

def random_bits(g):
    n = g.new_shape(rank=(0, 2))
    key = g.value([], "uint32", exact=True)
    return g.emit(g.choice([f"jax.random.bits(jax.random.key({key}), {n})",
                            f"jax.random.uniform(jax.random.key({key}), {n})",
                            f"jax.random.normal(jax.random.key({key}), {n})",
                            f"jax.random.randint(jax.random.key({key}), {n}, -5, 100)",
                            f"jax.random.permutation(jax.random.key({key}), 9)",
                            f"jax.random.categorical(jax.random.key({key}), jnp.arange(5.0), "
                            f"shape={n})",
                            f"jax.random.bernoulli(jax.random.key({key}), 0.3, {n})",
                            f"jax.random.gamma(jax.random.key({key}), 1.5, {n})"]))
