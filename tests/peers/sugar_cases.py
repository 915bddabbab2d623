"""The cases of sugar.py: functions of sugar_functions.h beside expressions in JAX and PyTorch.

Operands are written `kind sizes; ...`.  The kinds:

    n       normal numbers                      p, u, s     evenly from 0.2 to 3, 0.05 to 0.95,
            -0.9 to 0.9
    e       whole numbers from -2 to 3, some    nan         normal numbers, some of them NaN
            twice, in the type                  up          numbers in ascending order, some
                                                twice
    r       as n, real where others are complex iM, jM      i32 from 0 to M - 1; from -M to M -
            1
    b       bool                                lens A B    i32 from A to B

In the expressions x, y, z, v, w are the operands, k the variant of the function
(sugar_functions.h), lax, jnp, jax, s (jax.scipy.special) or torch, F (torch.nn.functional), t
(torch.special) are at hand."""
from collections import namedtuple

Case = namedtuple("Case", "name args k jax torch types derivative limit")
CASES = []
REAL, ALL, WIDE = ("f64", "f32", "f16", "bf16"), ("f64", "f32", "f16", "bf16", "c128",
                                                  "c64"), ("f64", "f32")
COMPLEX, INTS = ("c128", "c64"), ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")
BOTH = REAL + ("i32", "u8", "i64")


def case(name, args, jax=None, torch=None, k=0, types=REAL, derivative=True, limit=(4, 8)):
    """limit: of value and derivatives, in eps of the largest element; complex and f16, bf16
    have twice that."""
    CASES.append(Case(name, args, k, jax, torch, types, derivative, limit))


def same(name, args, expression, **more):
    """One expression for both: np is jnp or torch."""
    case(name, args, expression.replace("np.", "jnp."), expression.replace("np.", "torch."),
         **more)


DN = "dimension_numbers"
CONV = "lax.conv_general_dilated(x, y, {})".format
MORE = ALL + ("i32", "u8", "i8")
case("conv", "n 2 3 7 6; n 4 3 3 2", CONV("(2, 1), ((1, 2), (0, 1))"),
     "F.conv2d(F.pad(x, (0, 1, 1, 2)), y, stride=(2, 1))", types=MORE, limit=(8, 16))
case("conv", "n 2 3 7 6; n 4 3 2 3", CONV("(1, 1), ((2, 1), (-1, 2)), (1, 3), (2, 1)"), k=1,
     types=MORE, limit=(8, 16))
case("conv", "n 2 4 7 6; n 6 2 3 2", CONV("(2, 3), 'SAME', feature_group_count=2"), k=2,
     types=MORE, limit=(8, 16))
case("conv", "n 4 3 7 6; n 4 3 3 2", CONV("(1, 1), ((1, 1), (0, 0)), batch_group_count=2"), k=3,
     types=MORE, limit=(8, 16))
case("conv", "n 2 5 6 3; n 3 2 3 4",
     CONV("(1, 2), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC')"), k=4, types=MORE,
     limit=(8, 16))
case("conv", "n 5 2 6 3; n 4 3 2 3",
     CONV("(1, 1), 'VALID', dimension_numbers=('HNWC', 'OIWH', 'CHNW')"), k=5,
     types=MORE, limit=(8, 16))
case("conv", "n 2 3 9; n 2 3 3", CONV("(3,), ((4, -1),), (2,), (2,)"), k=6, types=MORE,
     limit=(8, 16))
case("conv", "n 1 2 3 4 3; n 2 2 2 3 2", CONV("(1, 2, 1), ((1, 0), (0, 1), (1, 1))"), k=7,
     types=MORE, limit=(8, 16))
case("conv", "n 0 2 5 4; n 3 2 2 2", CONV("(1, 1), 'VALID'"), k=8, types=WIDE)
case("conv", "n 2 0 5 4; n 3 0 2 2", CONV("(1, 1), 'VALID'"), k=8, types=WIDE)
case("conv", "n 2 3; n 4 3", CONV("(), ()"), k=8, types=WIDE)
WIN = ("lax.reduce_window(x, {}, {}, (1,) * (x.ndim - 2) + {}, "
       "(1,) * (x.ndim - 2) + {}, {}, {}, {})")


def win(op, init, sizes, strides, pads, base="(1,) * x.ndim", dil="(1,) * x.ndim"):
    return WIN.format(init, op, sizes, strides, pads, base, dil)


LESS = ("np.array(-np.inf if jnp.issubdtype(x.dtype, jnp.floating) "
        "else np.iinfo(x.dtype).min, x.dtype)")
MOST = LESS.replace("-np", "np").replace("min", "max")
case("window_sum", "n 2 4 7", win("lax.add", "np.zeros((), x.dtype)", "(2, 3)", "(1, 2)",
                                  "((0, 0), (1, 0), (0, 2))"), types=BOTH + COMPLEX)
case("window_sum", "n 2 4 5", win("lax.add", "np.zeros((), x.dtype)", "(2, 2)", "(1, 1)",
                                  "((0, 0),) * 3", "(1, 1, 2)", "(1, 2, 1)"), k=1, types=BOTH)
case("window_max", "n 2 4 7", win("lax.max", LESS, "(2, 3)", "(1, 2)",
                                  "((0, 0), (1, 0), (0, 2))"), types=BOTH)
case("window_max", "n 2 4 5",
     win("lax.max", LESS, "(2, 2)", "(1, 1)", "((0, 0),) * 3", "(1, 1, 2)", "(1, 2, 1)"), k=1,
     types=BOTH, derivative=False)
case("window_min", "n 2 4 7", win("lax.min", MOST, "(2, 3)", "(2, 2)", "'SAME'"), types=BOTH)
case("window_prod", "n 6 3",
     "jnp.prod(jnp.stack([jnp.pad(x, ((1, 1), (0, 0)), constant_values=1)[i:i + 6] for i in "
     "range(3)]), 0, dtype=x.dtype)", types=BOTH + COMPLEX)
case("max_pool", "n 2 3 6 7", None, "F.max_pool2d(x, (2, 3))")
case("max_pool", "e 2 3 6 7", None, "F.max_pool2d(x, 3, 2, 1, (2, 1))", k=1)
case("avg_pool", "n 2 3 6 7", None, "F.avg_pool2d(x, (2, 3))")
case("avg_pool", "n 2 3 6 7", None, "F.avg_pool2d(x, 3, (2, 1), 1)", k=1)
case("avg_pool", "n 2 3 6 7", None, "F.avg_pool2d(x, 3, (2, 1), 1, count_include_pad=False)",
     k=2)
WINDOWED = "lax.reduce_window(x, -jnp.inf, lax.max, (2, 3), (2, 1), ((0, 1), (1, 0)))"
case("select_and_scatter", "e 5 6; n 3 5",
     f"jax.vjp(lambda x: {WINDOWED}, lax.stop_gradient(x))[1](y)[0]", types=WIDE)
same("dot_general", "n 5 3; n 4 5", "np.einsum('ia,bi->ab', x, y)", types=ALL + INTS,
     limit=(8, 16))
same("dot_general", "n 4 5 3; n 5 3 2", "np.einsum('aib,ibc->bac', x, y)", k=1,
     types=ALL + INTS, limit=(8, 16))
same("dot_general", "n 4 3 5; n 5 3 4", "np.einsum('ibj,jbi->b', x, y)", k=2, types=ALL + INTS,
     limit=(8, 16))
same("dot_general", "n 4 3; n 4 2", "np.einsum('ba,bc->bac', x, y)", k=3, types=ALL + INTS)
same("dot_general", "n 70; n 70", "np.einsum('i,i->', x, y)", k=4, types=ALL + INTS,
     limit=(16, 16))
same("dot_general", "n 3 0; n 2 0", "np.einsum('ai,bi->ab', x, y)", k=4, types=ALL + INTS)
for i, (args, spec) in enumerate((("n 3 4; n 2 4", "ij,kj->ki"),
                                  ("n 2 3 4; n 2 4 5", "bij,bjk->ibk"),
                                  ("n 3 3 4; n 1", "iij->j"),
                                  ("n 2 1 4; n 4 3", "...i,ij->...j"),
                                  ("n 3 4; n 4", "ij,j,j->"), ("n 2 0; n 3 1", "ab,cd"))):
    same("einsum", args,
         f"np.einsum('{spec}', {'x, y, y' if i == 4 else 'x' if i == 2 else 'x, y'})", k=i,
         types=ALL, limit=(16, 32))
same("matmul", "n 2 1 3 4; n 5 4 2", "np.matmul(x, y)", types=ALL + ("i32",), limit=(8, 16))
same("matmul", "n 4; n 3 4 2", "np.matmul(x, y)", types=ALL, limit=(8, 16))
case("dot", "n 2 3 4; n 5 4 2", "jnp.dot(x, y)", "torch.tensordot(x, y, dims=([2], [1]))",
     types=ALL, limit=(8, 16))

for axis in (0, -1):
    case("sort", "e 5 6", f"jnp.sort(x, {axis})", f"torch.sort(x, dim={axis}, stable=True)[0]",
         k=axis, types=BOTH + ("i8", "u64"))
    case("sort", "n 5 6", f"jnp.sort(x, {axis}, descending=True)",
         f"torch.sort(x, {axis}, True)[0]", k=100 + axis, types=BOTH)
    case("argsort", "e 5 6", f"jnp.argsort(x, {axis}).astype(jnp.int32)",
         f"torch.argsort(x, dim={axis}, stable=True).int()", k=axis, types=BOTH,
         derivative=False)
    case("argsort", "e 5 6",
         f"jnp.argsort(x, {axis}, descending=True, stable=True).astype(jnp.int32)", None,
         k=100 + axis, types=BOTH,
         derivative=False)
    case("sort_many", "e 5 6; n 5 6", f"tuple(lax.sort((x, y), {axis % 2}, num_keys=1))",
         k=axis, types=BOTH)
    case("sort_many", "e 5 6; n 5 6", f"tuple(lax.sort((x, y), {axis % 2}, num_keys=2))",
         k=100 + axis, types=BOTH)
    case("lexsort", "e 5 6; n 5 6", f"jnp.lexsort((y, x), {axis}).astype(jnp.int32)", k=axis,
         types=BOTH, derivative=False)
    case("median", "n 4 5", f"jnp.median(x, {axis})", k=axis, types=WIDE)
    case("median", "n 4 5", f"jnp.median(x, {axis}, keepdims=True)", k=100 + axis, types=WIDE)
    case("cumsum", "n 5 40", f"lax.cumsum(x, {axis % 2})",
         f"torch.cumsum(x, {axis}).to(x.dtype)", k=axis, types=BOTH + COMPLEX, limit=(8, 16))
    case("cumsum", "n 5 40", f"lax.cumsum(x, {axis % 2}, reverse=True)", k=100 + axis,
         types=BOTH + COMPLEX, limit=(8, 16))
    case("cumprod", "n 5 9", f"lax.cumprod(x, {axis % 2})",
         f"torch.cumprod(x, {axis}).to(x.dtype)", k=axis, types=BOTH + COMPLEX, limit=(16, 32))
    case("cumprod", "n 5 9", f"lax.cumprod(x, {axis % 2}, reverse=True)", k=100 + axis,
         types=BOTH + COMPLEX, limit=(16, 32))
    for m in ("max", "min"):
        case(f"cum{m}", "n 5 40", f"lax.cum{m}(x, {axis % 2})", f"torch.cum{m}(x, {axis})[0]",
             k=axis, types=BOTH)
        case(f"cum{m}", "n 5 40", f"lax.cum{m}(x, {axis % 2}, reverse=True)",
             k=100 + axis, types=BOTH)
    case("cumlogsumexp", "n 5 40", f"lax.cumlogsumexp(x, {axis % 2})", k=axis, limit=(8, 16))
    case("cumlogsumexp", "n 5 40", f"lax.cumlogsumexp(x, {axis % 2}, reverse=True)",
         k=100 + axis, limit=(8, 16))
case("cumsum", "n 0 3", "lax.cumsum(x, 0)", "torch.cumsum(x, 0).to(x.dtype)", types=BOTH)
case("sort", "n 0 3", "jnp.sort(x, 0)", "torch.sort(x, 0)[0]", types=BOTH)
case("sort", "nan 30", "jnp.sort(x)", "torch.sort(x)[0]", derivative=False)
case("top_k", "n 3 7", "tuple(lax.top_k(x, 3))",
     "(torch.topk(x, 3)[0], torch.topk(x, 3)[1].int())", k=3)
case("top_k", "e 3 7", "tuple(lax.top_k(x, 3))", k=3, types=BOTH)
case("nanmedian", "nan 3 8", "jnp.nanmedian(x, 0)", k=0, types=WIDE, derivative=False)
for i, method in enumerate(("linear", "lower", "higher", "nearest", "midpoint")):
    case("quantile", "n 3 8", f"jnp.quantile(x, 0.3, -1, method='{method}')",
         f"torch.quantile(x, 0.3, -1, interpolation='{method}')", k=i, types=WIDE)
for right, side in ((0, "left"), (100, "right")):
    case("searchsorted", "up 9; e 4 3",
         f"jnp.searchsorted(x, y, side='{side}').astype(jnp.int32)",
         f"torch.searchsorted(x, y.contiguous(), side='{side}').int()", k=right, types=BOTH,
         derivative=False)
case("unique", "e 3 5", "unique(x)", types=("f64", "f32", "i32", "i64", "u8"), derivative=False)
case("bincount", "i6 20", "jnp.bincount(x, length=6).astype(jnp.int32)",
     "torch.bincount(x, minlength=6).int()", types=("i32",))
case("bincount_weighted", "i6 20; n 20", "jnp.bincount(x, y, length=6)", types=WIDE)
case("histogram", "n 50", "jnp.histogram(x, 5, (-1, 2))[0].astype(jnp.int32)",
     "torch.histc(x, 5, -1, 2).int()", types=WIDE, derivative=False)
SCAN = "lax.associative_scan(lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), (x, y){})"
case("associative_scan", "s 11 2; n 11 2", SCAN.format(""), types=ALL, limit=(8, 32))
case("associative_scan", "s 11 2; n 11 2", SCAN.format(", reverse=True"), k=1, types=ALL,
     limit=(8, 32))
case("reduce_lines", "s 3 11; n 3 11", "tuple(a[-1] for a in " +
     SCAN.format("").replace("(x, y)", "(x.T, y.T)") + ")", types=ALL, limit=(8, 32))

case("index", "n 3 6 2; i3 1", "x[1, ::-2, None]", "x[1].flip(0)[::2, None]",
     types=BOTH + COMPLEX)
case("index", "n 4 3; j4 2 5", "x[y]", "x[y]", k=1, types=BOTH + COMPLEX)
case("index", "n 4 3 4; j4 5", "x[y, :, y]", "x[y.long(), :, y.long()]", k=2,
     types=BOTH + COMPLEX)
case("index", "n 2 3 4; j4 5", "x[..., y]", "x[..., y]", k=3, types=BOTH + COMPLEX)
case("index", "n 4 3 4; j3 5", "x[-1:0:-1, y, -1]", None, k=4, types=BOTH + COMPLEX)
case("index", "n 2 4 4; j4 2 3", "x[:, y, y]", "x[:, y.long(), y.long()]", k=5,
     types=BOTH + COMPLEX)
case("index_set", "n 5 2; i5 1; n 1 2", "x.at[y].set(z)", k=0, types=BOTH + COMPLEX)
case("index_set", "n 3 6; i3 1; n 3 3", "x.at[:, 1::2].set(z)", k=1, types=BOTH + COMPLEX)
case("index_set", "n 3 6; i3 1; n 1", "x.at[..., -1].set(2.5)", k=2, types=REAL + COMPLEX)
for op, to in (("add", "add"), ("mul", "multiply"), ("min", "min"), ("max", "max")):
    case("index_" + op, "n 5 2; j6 7; n 7 2", f"x.at[y].{to}(z)",
         types=BOTH + (COMPLEX if op == "add" else ()), derivative=op == "add", limit=(8, 8))
case("where_mask", "n 3 4; b 3 4", "jnp.where(y, jnp.asarray(0.5, x.dtype), x)",
     "torch.where(y, 0.5, x)", types=REAL + COMPLEX)
case("take", "n 3 4 2; j4 2 3", "jnp.take(x, y, 1)", k=1, types=BOTH)
case("take", "n 3 4 2; i2", "jnp.take(x, y, -1)", k=-1, types=BOTH)
case("take_along", "n 3 4 2; i4 3 5 2", "jnp.take_along_axis(x, y, 1)",
     "torch.take_along_dim(x, y.long(), 1)", k=1, types=BOTH)
case("take_along", "n 3 4; i4 3 0", "jnp.take_along_axis(x, y, -1)",
     "torch.take_along_dim(x, y.long(), -1)", k=-1, types=BOTH)
case("add_along", "n 3 4; i4 3 6; n 3 6", None, "x.scatter_add(1, y.long(), z)", k=1,
     types=BOTH, limit=(8, 8))
case("put_along", "n 3 4; i4 3 1; n 3 1", "jnp.put_along_axis(x, y, z, 1, inplace=False)",
     "x.scatter(1, y.long(), z)", k=1, types=BOTH)
for op in ("sum", "prod", "max", "min"):
    case("segment_" + op, "n 9 2; j4 9", f"jax.ops.segment_{op}(x, jnp.where(y < 0, 7, y), 4)",
         types=BOTH, derivative=op == "sum", limit=(8, 8))
case("gather_fill", "n 5 3; j8 6 1",
     "x.at[y[:, 0] + 0 * 1].get(mode='clip', wrap_negative_indices=False)", k=0, types=BOTH)
case("gather_fill", "n 5 3; j8 6 1",
     "x.at[y[:, 0]].get(mode='fill', fill_value=None, wrap_negative_indices=False)", k=1,
     types=REAL + ("i32",))
case("gather_batch", "n 3 5; i5 3 4 1", "jnp.take_along_axis(x, y[..., 0], 1)", types=BOTH)
case("roll", "n 3 5", "jnp.roll(x, 7, -1)", "torch.roll(x, 7, -1)", k=7, types=BOTH)
case("roll", "n 3 0", "jnp.roll(x, 7, -1)", "torch.roll(x, 7, -1)", k=7, types=BOTH)

# Special functions: PyTorch's trigamma has 10 digits.

for name, arg, jax, torch in (
        ("lgamma", "p 40", "lax.lgamma(x)", "torch.lgamma(x)"),
    ("digamma", "p 40", "lax.digamma(x)", None),
        ("erf_inv", "s 40", "lax.erf_inv(x)", "torch.erfinv(x)"),
    ("sinc", "n 40", "jnp.sinc(x)", "torch.sinc(x)"),
        ("sinc", "e 40", "jnp.sinc(x)", "torch.sinc(x)"),
    ("logit", "u 40", "s.logit(x)", "torch.logit(x)"),
        ("entr", "p 40", "s.entr(x)", "t.entr(x)"), ("bessel_i0", "n 40", "s.i0(x)", "t.i0(x)"),
        ("bessel_i1", "n 40", "s.i1(x)", "t.i1(x)"),
    ("bessel_i0e", "n 40", "s.i0e(x)", "t.i0e(x)"),
        ("bessel_i1e", "n 40", "s.i1e(x)", "t.i1e(x)")):
    case(name, arg, jax, torch, limit=(16, 64))
for i in (0, 1):
    case(f"bessel_j{i}", "n 40", None, f"t.bessel_j{i}(x)", types=WIDE, derivative=False,
         limit=(64, 64))
for name, args, jax, torch, derivative in (
        ("igamma", "p 40; p 40", "lax.igamma(x, y)", None, True),
    ("igammac", "p 40; p 40", "lax.igammac(x, y)", None, True),
        ("beta", "p 40; p 40", "s.beta(x, y)", None, True),
    ("lbeta", "p 40; p 40", "s.betaln(x, y)", None, True),
        ("xlogy", "n 40; p 40", "s.xlogy(x, y)", "t.xlogy(x, y)", True),
    ("xlog1py", "n 40; p 40", "s.xlog1py(x, y)", "t.xlog1py(x, y)", True),
        ("logaddexp", "n 40; n 40", "jnp.logaddexp(x, y)", "torch.logaddexp(x, y)", True),
        ("logaddexp2", "n 40; n 40", "jnp.logaddexp2(x, y)", "torch.logaddexp2(x, y)", True),
        ("hypot", "n 40; n 40", "jnp.hypot(x, y)", "torch.hypot(x, y)", True)):
    case(name, args, jax, torch, derivative=derivative, limit=(64, 128))
case("ldexp", "n 40; j6 40", "jnp.ldexp(x, y)", "torch.ldexp(x, y)", types=WIDE)
case("frexp", "n 40", "jnp.frexp(x)", "(torch.frexp(x)[0], torch.frexp(x)[1])", types=WIDE,
     derivative=False)
for n in (0, 1, 2, 5):
    case("polygamma", "p 40", f"s.polygamma({n}, x)", k=n, types=WIDE, limit=(64, 64))
case("betainc", "p 40; p 40; u 40", "s.betainc(lax.stop_gradient(x), lax.stop_gradient(y), z)",
     types=REAL, limit=(64, 64))
case("hyp1f1", "p 40; p 40; u 40", "s.hyp1f1(x, y, z)", types=REAL, limit=(64, 64))
case("multigammaln", "p 40", "s.multigammaln(x + 0, 1)", "torch.mvlgamma(x, 1)", k=1,
     types=WIDE, limit=(16, 32))

# Complex numbers: principal values, and the convention of derivatives; JAX's derivative of
# acosh is of another branch where the real part is negative, and that of sign is 0.

for name, jax, torch in (("log2", "jnp.log2(x)", "torch.log2(x)"),
                         ("rsqrt", "lax.rsqrt(x)", "torch.rsqrt(x)"),
                         ("exp2", "jnp.exp2(x)", None),
                         ("asin", "jnp.arcsin(x)", "torch.asin(x)"),
                         ("acos", "jnp.arccos(x)", "torch.acos(x)"),
                         ("atan", "jnp.arctan(x)", "torch.atan(x)"),
                         ("asinh", "jnp.arcsinh(x)", "torch.asinh(x)"),
                         ("acosh", None, "torch.acosh(x)"),
                         ("atanh", "jnp.arctanh(x)", "torch.atanh(x)"),
                         ("logistic", "1 / (1 + jnp.exp(-x))", "torch.sigmoid(x)"),
                         ("sign", None, "torch.sgn(x)"),
                         ("angle", "jnp.angle(x)", "torch.angle(x)"),
                         ("conj", "jnp.conj(x)", "torch.conj(x).resolve_conj()")):
    case(name, "n 40", jax, torch, types=COMPLEX, limit=(16, 64))
for name in ("exp", "expm1", "log", "log1p", "sqrt", "sin", "cos", "tan", "sinh", "cosh",
             "tanh", "abs", "square", "real", "imag"):
    same(name, "n 40", f"np.{name}(x)", types=COMPLEX, limit=(16, 64))
for name, op in (("add", "x + y"), ("sub", "x - y"), ("mul", "x * y"), ("div", "x / y")):
    same(name, "n 4 5; n 5", op, types=COMPLEX, limit=(8, 16))
    same(name, "n 4 5; r 4 1", op, types=COMPLEX, limit=(8, 16))
    same(name, "r; n 4", op, types=COMPLEX, limit=(8, 16))
case("pow", "n 40; n 40", "lax.pow(x, y)", "torch.pow(x, y)", types=COMPLEX, limit=(64, 128))
case("complex", "r 7; r 7", "lax.complex(x, y)", "torch.complex(x, y)", types=("f64", "f32"))
case("integer_pow", "n 40", "lax.integer_pow(x, -3)", "x ** -3", k=-3, types=COMPLEX,
     limit=(32, 64))
for axis in (0, -1):
    for name in ("sum", "prod"):
        same("reduce_" + name, "n 3 7", f"np.{name}(x, {axis})", k=axis, types=COMPLEX,
             limit=(8, 32))
    same("mean", "n 3 7", f"np.mean(x, {axis})", k=axis, types=ALL)
    case("norm", "n 3 7", f"jnp.linalg.norm(x, axis={axis})",
         f"torch.linalg.vector_norm(x, dim={axis})", k=axis, types=ALL)
    case("reduce_max", "e 3 7", f"jnp.max(x, {axis})", f"torch.amax(x, {axis})", k=axis)
for d in (0, 1):
    case("var", "n 3 7", f"jnp.var(x, -1, ddof={d})", f"torch.var(x, -1, correction={d})",
         k=d, types=ALL)

FFT = dict(types=("f64", "f32", "c128", "c64"), limit=(16, 16))
for n in (1, 2, 6, 7, 13, 17, 34, 97, 100, 128, 210):
    same("fft", f"n 2 {n}", "np.fft.fft(x)", k=-1, **FFT)
    same("fft", f"n 2 {n}", "np.fft.fft(x, norm='ortho')", k=99, **FFT)
    same("ifft", f"n {n} 2", "np.fft.ifft(x, None, 0)", k=0, **FFT)
    same("rfft", f"n 2 {n}", "np.fft.rfft(x)", types=WIDE, limit=(16, 16))
    if n > 1:
        same("irfft", f"n 2 {n}", "np.fft.irfft(x)", types=COMPLEX, limit=(16, 16))
    same("irfft", f"n 2 {n // 2 + 1}", f"np.fft.irfft(x, {n})", k=n, types=COMPLEX,
         limit=(16, 16))
same("ifft", "n 6 2", "np.fft.ifft(x, None, 0, norm='forward')", k=100, **FFT)
same("fft_sized", "n 2 6", "np.fft.fft(x, 9)", k=9, **FFT)
same("fft_sized", "n 2 6", "np.fft.fft(x, 4)", k=4, **FFT)
for name in ("fftn", "ifftn"):
    same(name, "n 3 5 4", f"np.fft.{name}(x)", **FFT)
same("rfftn", "n 3 5 4", "np.fft.rfftn(x)", types=WIDE, limit=(16, 16))
same("irfftn", "n 3 5 4", "np.fft.irfftn(x)", types=COMPLEX, limit=(16, 16))
for name in ("fftshift", "ifftshift"):
    same(name, "n 3 5 4", f"np.fft.{name}(x)", types=BOTH + COMPLEX)

NEAR = dict(limit=(16, 64))
case("linear", "n 2 3 5; n 4 5; n 4", "x @ y.T + z", "F.linear(x, y, z)", **NEAR)
case("conv1d", "n 2 3 9; n 4 3 3; n 4", None, "F.conv1d(x, y, z, 2, 1)", **NEAR)
case("conv2d", "n 2 4 7 6; n 6 2 3 2; n 6", None,
     "F.conv2d(x, y, z, groups=2, dilation=(2, 1))", **NEAR)
case("conv3d", "n 1 2 3 4 3; n 2 2 2 3 2; n 2", None, "F.conv3d(x, y, z, padding=(1, 0, 1))",
     **NEAR)
case("conv_transpose1d", "n 2 3 5; n 3 4 3; n 4", None, "F.conv_transpose1d(x, y, z, 2, 1, 1)",
     **NEAR)
case("conv_transpose2d", "n 2 4 3 4; n 4 3 3 2; n 6", None,
     "F.conv_transpose2d(x, y, z, (2, 3), groups=2, dilation=(1, 2))", **NEAR)
case("conv_transpose3d", "n 1 2 3 2 3; n 2 3 2 3 2; n 3", None,
     "F.conv_transpose3d(x, y, z, (1, 2, 1))", **NEAR)
case("batch_norm", "n 4 3 5; n 3; n 3", None, "F.batch_norm(x, None, None, y, z, True)",
     types=WIDE, **NEAR)
case("layer_norm", "n 4 3 5; n 5; n 5", None, "F.layer_norm(x, (5,), y, z)", **NEAR)
case("group_norm", "n 3 4 5; n 4; n 4", None, "F.group_norm(x, 2, y, z)", **NEAR)
case("rms_norm", "n 4 3 5; n 5", None, "F.rms_norm(x, (5,), y, 1e-3)", **NEAR)
for axis in (0, -1):
    for name in ("softmax", "log_softmax"):
        case(name, "n 3 7", f"jax.nn.{name}(x, {axis})", f"F.{name}(x, {axis})", k=axis, **NEAR)
    case("logsumexp", "n 3 7", f"s.logsumexp(x, {axis})", f"torch.logsumexp(x, {axis})",
         k=axis, **NEAR)
for i in (0, 1):
    case("attention", "n 2 3 5 4; n 2 1 6 4; n 1 3 6 2", None,
         f"F.scaled_dot_product_attention(x, y.expand(2, 3, 6, 4), z.expand(2, 3, 6, 2), "
         f"is_causal={bool(i)})",
         k=i, **NEAR)
    for name, gates in (("lstm", 4), ("gru", 3)):
        case(name, f"n 5 2 3; n {gates * 4} 3; n {gates * 4} 4; n {gates * 4}; n {gates * 4}",
             None,
             f"rnn('{name}', x, y, z, v, w, {i})", k=i, limit=(32, 128))
case("cross_entropy", "n 6 5; i5 6", None, "F.cross_entropy(x, y.long())", **NEAR)
case("cross_entropy", "n 6 5; i5 6", None, "F.cross_entropy(x, y.long(), label_smoothing=0.1)",
     k=0.1, **NEAR)
case("ctc", "n 9 3 5; pos5 3 3; lens 7 9 3; lens 1 3 3", None,
     "F.ctc_loss(F.log_softmax(x, -1), y.long(), z.long(), v.long(), reduction='sum')",
     types=WIDE, **NEAR)
for name, jax, torch in (("gelu", "jax.nn.gelu(x, approximate=False)", "F.gelu(x)"),
                         ("silu", "jax.nn.silu(x)", "F.silu(x)"),
                         ("softplus", "jax.nn.softplus(x)", "F.softplus(x)"),
                         ("mish", "jax.nn.mish(x)", "F.mish(x)"),
                         ("elu", "jax.nn.elu(x)", "F.elu(x)"),
                         ("selu", "jax.nn.selu(x)", "F.selu(x)"),
                         ("celu", "jax.nn.celu(x)", "F.celu(x)"),
                         ("relu", "jax.nn.relu(x)", "F.relu(x)"),
                         ("log_sigmoid", "jax.nn.log_sigmoid(x)", "F.logsigmoid(x)")):
    case(name, "n 40", jax, torch, **NEAR)
    case(name, "n 0 3", jax, torch, **NEAR)
