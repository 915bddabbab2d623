"""The ops that accuracy.py compares, and how JAX and PyTorch write them.

A case is a row: name, attributes, operands, expressions for the peers (None: it has no such op)
and the interval that random operands come from.  In expressions x, y, z are the operands; lax,
jnp, s (jax.scipy.special), torch and t (torch.special) are at hand."""

FLOATS, HALVES = ["f64", "f32"], ["f64", "f32", "bf16", "f16"]
INTS = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]


class Case:
    def __init__(self, name, jax, torch, n=1, lo=-3, hi=3, types=HALVES, attrs="",
                 result=None, shapes=None,
                 shape=None, wrt=None, ints=(), label=None, kind="pointwise", special=True):
        self.name, self.jax, self.torch, self.n, self.lo, self.hi = name, jax, torch, n, lo, hi
        self.types, self.attrs, self.result, self.label = types, attrs, result, label or name
        # of the operands and the result; None: pointwise
        self.shapes, self.shape = shapes, shape
        self.wrt = list(range(n)) if wrt is None else wrt
        # operands that are indices: number to values
        self.ints, self.kind = dict(ints), kind
        # False: JAX's loop does not end on some special operands
        self.special = special


def same(name, **more):
    """One that both peers have under its own name."""
    args = ", ".join("xyz"[:more.get("n", 1)])
    return Case(name, f"jnp.{name}({args})", f"torch.{name}({args})", **more)


UNARY = [
    Case("neg", "-x", "-x"), same("abs"), same("sign"), same("exp"), same("exp2"),
    same("expm1"),
    same("log", lo=0.1, hi=4), same("log2", lo=0.1, hi=4), same("log1p", lo=-0.9),
    same("sqrt", lo=0.1, hi=4),
    Case("rsqrt", "lax.rsqrt(x)", "torch.rsqrt(x)", lo=0.1, hi=4),
    Case("cbrt", "jnp.cbrt(x)", None),
    same("sin"), same("cos"), same("tan", lo=-1.2, hi=1.2),
    Case("asin", "jnp.arcsin(x)", "torch.asin(x)", lo=-0.9, hi=0.9),
    Case("acos", "jnp.arccos(x)", "torch.acos(x)", lo=-0.9, hi=0.9),
    Case("atan", "jnp.arctan(x)", "torch.atan(x)"), same("sinh"), same("cosh"), same("tanh"),
    Case("asinh", "jnp.arcsinh(x)", "torch.asinh(x)"),
    Case("acosh", "jnp.arccosh(x)", "torch.acosh(x)", lo=1.1, hi=4),
    Case("atanh", "jnp.arctanh(x)", "torch.atanh(x)", lo=-0.9, hi=0.9),
    Case("logistic", "lax.logistic(x)", "torch.sigmoid(x)"),
    Case("erf", "lax.erf(x)", "torch.erf(x)"),
    Case("erfc", "lax.erfc(x)", "torch.erfc(x)"), same("floor"), same("ceil"), same("trunc"),
    Case("round", "lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO)", None),
    Case("round_even", "jnp.round(x)", "torch.round(x)"),
    Case("is_finite", "jnp.isfinite(x)", "torch.isfinite(x)", result="bool"),
    Case("integer_pow", "lax.integer_pow(x, 3)", "x ** 3", attrs="{y=3}"),
    Case("integer_pow", "lax.integer_pow(x, -2)", "x ** -2", attrs="{y=-2}", lo=0.5,
         label="integer_pow {y=-2}"),
    Case("stop_gradient", "lax.stop_gradient(x)", "x.detach()"),
    Case("lgamma", "lax.lgamma(x)", "torch.lgamma(x)", lo=0.1, hi=9),
    Case("digamma", "lax.digamma(x)", "torch.digamma(x)", lo=0.1, hi=9),
    Case("erf_inv", "lax.erf_inv(x)", "torch.erfinv(x)", lo=-0.99, hi=0.99),
    Case("erfcx", None, "t.erfcx(x)", types=FLOATS),
    Case("ndtr", "s.ndtr(x)", "t.ndtr(x)", types=FLOATS),
    Case("ndtri", "s.ndtri(x)", "t.ndtri(x)", lo=0.01, hi=0.99, types=FLOATS),
    Case("log_ndtr", "s.log_ndtr(x)", "t.log_ndtr(x)", types=FLOATS),
    Case("bessel_i0e", "lax.bessel_i0e(x)", "t.i0e(x)", types=FLOATS),
    Case("bessel_i1e", "lax.bessel_i1e(x)", "t.i1e(x)", types=FLOATS),
    Case("bessel_j0", None, "t.bessel_j0(x)", types=FLOATS, wrt=[]),
    Case("bessel_j1", None, "t.bessel_j1(x)", types=FLOATS, wrt=[]),
    Case("reduce_precision", "lax.reduce_precision(x, 5, 7)", None,
         attrs="{exponent_bits=5, mantissa_bits=7}"),
]
BINARY = [
    Case("add", "x + y", "x + y", 2), Case("sub", "x - y", "x - y", 2),
    Case("mul", "x * y", "x * y", 2),
    Case("div", "x / y", "x / y", 2, lo=0.5),
    Case("rem", "lax.rem(x, y)", "torch.fmod(x, y)", 2, lo=0.5),
    Case("pow", "lax.pow(x, y)", "torch.pow(x, y)", 2, lo=0.2),
    Case("atan2", "lax.atan2(x, y)", "torch.atan2(x, y)", 2),
    Case("max", "lax.max(x, y)", "torch.maximum(x, y)", 2),
    Case("min", "lax.min(x, y)", "torch.minimum(x, y)", 2),
    Case("nextafter", "lax.nextafter(x, y)", "torch.nextafter(x, y)", 2, types=FLOATS, wrt=[]),
    same("hypot", n=2, types=FLOATS), same("logaddexp", n=2, types=FLOATS),
    Case("lbeta", "s.betaln(x, y)", None, 2, lo=0.1, hi=9, types=FLOATS),
    Case("zeta", "s.zeta(x, y)", "t.zeta(x, y)", 2, lo=1.1, hi=9, types=FLOATS, wrt=[]),
    Case("igamma", "lax.igamma(x, y)", "t.gammainc(x, y)", 2, lo=0.2, hi=9, types=FLOATS,
         wrt=[1], special=False),
    Case("igammac", "lax.igammac(x, y)", "t.gammaincc(x, y)", 2, lo=0.2, hi=9, types=FLOATS,
         wrt=[1], special=False),
    Case("igamma_grad_a", "lax.igamma_grad_a(x, y)", None, 2, lo=0.2, hi=9, types=FLOATS,
         wrt=[], special=False),
    Case("random_gamma_grad", "lax.random_gamma_grad(x, y)", None, 2, lo=0.2, hi=9,
         types=FLOATS, wrt=[], special=False),
] + [Case(op, f"lax.{op}(x, y)", f"torch.{op}(x, y)", 2, result="bool")
     for op in ("eq", "ne", "lt", "le", "gt", "ge")]
TERNARY = [
    Case("clamp", "lax.clamp(x, y, z)", "torch.minimum(torch.maximum(x, y), z)", 3, wrt=[1]),
    Case("fma", "x * y + z", "x * y + z", 3, types=["f64"]),
]
INTEGER = [
    Case("neg", "-x", "-x", types=INTS), Case("abs", "jnp.abs(x)", "torch.abs(x)", types=INTS),
    Case("sign", "jnp.sign(x)", "torch.sign(x)", types=INTS),
    Case("not", "~x", "~x", types=INTS),
    Case("popcnt", "lax.population_count(x)", None, types=INTS),
    Case("clz", "lax.clz(x)", None, types=INTS),
    Case("add", "x + y", "x + y", 2, types=INTS), Case("sub", "x - y", "x - y", 2, types=INTS),
    Case("mul", "x * y", "x * y", 2, types=INTS),
    Case("div", "lax.div(x, y)", None, 2, types=INTS),
    Case("rem", "lax.rem(x, y)", None, 2, types=INTS),
    Case("max", "lax.max(x, y)", "torch.maximum(x, y)", 2, types=INTS),
    Case("min", "lax.min(x, y)", "torch.minimum(x, y)", 2, types=INTS),
    Case("and", "x & y", "x & y", 2, types=INTS), Case("or", "x | y", "x | y", 2, types=INTS),
    Case("xor", "x ^ y", "x ^ y", 2, types=INTS), Case("shl", "lax.shift_left(x, y)", None,
                                                       2, types=INTS),
    Case("shr_logical", "lax.shift_right_logical(x, y)", None, 2, types=INTS),
    Case("shr_arithmetic", "lax.shift_right_arithmetic(x, y)", None, 2, types=INTS),
    Case("integer_pow", "lax.integer_pow(x, 3)", "x ** 3", types=INTS, attrs="{y=3}"),
] + [Case(op, f"lax.{op}(x, y)", f"torch.{op}(x, y)", 2, types=INTS, result="bool")
     for op in ("eq", "ne", "lt", "le", "gt", "ge")]
CONVERT = [Case("convert", f"x.astype(jnp.{long})", None, types=types,
                attrs=f"{{dtype={short}}}", result=short, wrt=[],
                label=f"convert to {short}")
           for short, long, types in
           [(k, {"i": "int", "u": "uint"}[k[0]] + k[1:], HALVES) for k in INTS] +
           [("f32", "float32", ["f64", "bf16", "f16"] + INTS),
            ("bf16", "bfloat16", ["f64", "f32", "f16"] + INTS),
            ("f16", "float16", ["f64", "f32", "bf16"] + INTS),
            ("f64", "float64", ["f32"] + INTS), ("bool", "bool_", HALVES + INTS)]]


def reduction(op, jax, torch, result="[4]", attrs="{axes=[1]}", **more):
    return Case(op, jax, torch, attrs=attrs, shapes=["[4,65]"], shape=result,
                kind="reduction", **more)


REDUCE = [
    reduction("reduce_sum", "jnp.sum(x, 1)", "x.sum(1)"),
    reduction("reduce_prod", "jnp.prod(x, 1)", "x.prod(1)", lo=0.9, hi=1.1),
    reduction("reduce_max", "jnp.max(x, 1)", "torch.amax(x, 1)"),
    reduction("reduce_min", "jnp.min(x, 1)", "torch.amin(x, 1)"),
    reduction("argmax", "lax.argmax(x, 1, jnp.int32)", None, attrs="{axis=1}", wrt=[],
              types=HALVES),
    reduction("argmin", "lax.argmin(x, 1, jnp.int32)", None, attrs="{axis=1}", wrt=[],
              types=HALVES),
    reduction("argsort", "jnp.argsort(x, 1, stable=True).astype(jnp.int32)",
              "torch.argsort(x, 1, stable=True).int()", "[4,65]",
              "{axis=1}", wrt=[]),
    reduction("cumsum", "lax.cumsum(x, 1)", "x.cumsum(1)", "[4,65]", "{axis=1}"),
    reduction("cumprod", "lax.cumprod(x, 1)", "x.cumprod(1)", "[4,65]", "{axis=1}",
              lo=0.9, hi=1.1),
    reduction("cummax", "lax.cummax(x, 1)", "x.cummax(1)[0]", "[4,65]", "{axis=1}"),
    reduction("cummin", "lax.cummin(x, 1)", "x.cummin(1)[0]", "[4,65]", "{axis=1}"),
    Case("dot_general", "x @ y", "x @ y", 2,
         attrs="{lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]}",
         shapes=["[4,65]", "[65,3]"], shape="[4,3]", kind="reduction"),
]
for c in REDUCE:
    if c.name in ("argmax", "argmin", "argsort"):
        c.result = "i32"


def moving(op, jax, torch, shapes, shape, attrs, **more):
    return Case(op, jax, torch, len(shapes), shapes=shapes, shape=shape, attrs=attrs,
                kind="movement", types=["f64", "f32", "bf16"], **more)


PLACES = [[0], [2], [5], [2]]
PUT = "{window_dims=[], inserted=[0], operand_batch=[], indices_batch=[], index_map=[0]}"
MOVE = [
    moving("broadcast_in_dim", "lax.broadcast_in_dim(x, (2, 3, 4), (1,))",
           "x[None, :, None].expand(2, 3, 4)", ["[3]"], "[2,3,4]",
           "{shape=[2,3,4], dims=[1]}"),
    moving("reshape", "x.reshape(3, 8)", "x.reshape(3, 8)", ["[4,6]"], "[3,8]",
           "{shape=[3,8]}"),
    moving("transpose", "x.transpose(2, 0, 1)", "x.permute(2, 0, 1)", ["[2,3,4]"], "[4,2,3]",
           "{perm=[2,0,1]}"),
    moving("slice", "lax.slice(x, (1, 0), (4, 6), (2, 3))", "x[1:4:2, 0:6:3]",
           ["[5,6]"], "[2,2]",
           "{start=[1,0], limit=[4,6], stride=[2,3]}"),
    moving("pad", "lax.pad(x, y, ((1, 2, 1),))", None, ["[4]", "[]"], "[10]",
           "{low=[1], high=[2], interior=[1]}"),
    moving("concatenate", "jnp.concatenate([x, y], 1)", "torch.cat([x, y], 1)",
           ["[2,3]", "[2,4]"], "[2,7]", "{axis=1}"),
    moving("reverse", "lax.rev(x, (0,))", "x.flip(0)", ["[7,2]"], "[7,2]", "{axes=[0]}"),
    moving("windows", None, "x.unfold(0, 3, 2)", ["[9]"], "[4,3]",
           "{axis=0, size=3, stride=2}"),
    moving("dynamic_slice", "lax.dynamic_slice(x, (y,), (3,))", None, ["[7]", "[]"], "[3]",
           "{sizes=[3]}", wrt=[0], ints={1: 6}),
    moving("dynamic_update_slice", "lax.dynamic_update_slice(x, y, (z,))", None,
           ["[7]", "[3]", "[]"], "[7]", "", wrt=[0, 1],
           ints={2: 6}),
    moving("gather", "x[y[:, 0]]", "x[y[:, 0].long()]", ["[6]", "[4,1]"], "[4]",
           "{offset_dims=[], collapsed=[0], operand_batch=[], indices_batch=[], "
           "index_map=[0], sizes=[1]}", wrt=[0], ints={1: PLACES}),
    moving("scatter_add", "x.at[y[:, 0]].add(z)", "x.index_add(0, y[:, 0].long(), z)",
           ["[6]", "[4,1]", "[4]"], "[6]", PUT,
           wrt=[0, 2], ints={1: PLACES}),
    moving("scatter_mul", "x.at[y[:, 0]].mul(z, unique_indices=True)", None,
           ["[6]", "[3,1]", "[3]"], "[6]", PUT, wrt=[0, 2],
           ints={1: PLACES[:3]}),
    moving("scatter_max", "x.at[y[:, 0]].max(z)",
           "x.index_reduce(0, y[:, 0].long(), z, 'amax')", ["[6]", "[4,1]", "[4]"], "[6]",
           PUT, wrt=[], ints={1: PLACES}),
    moving("scatter_min", "x.at[y[:, 0]].min(z)",
           "x.index_reduce(0, y[:, 0].long(), z, 'amin')", ["[6]", "[4,1]", "[4]"], "[6]",
           PUT, wrt=[], ints={1: PLACES}),
]
CASES = UNARY + BINARY + TERNARY + INTEGER + CONVERT + REDUCE + MOVE
