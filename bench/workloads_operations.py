"""Workloads of single operations of a library: linear algebra, special functions, order,
convolutions, gathers, products of narrow types, Fourier transforms."""
import numpy as np

from workloads_define import I, N, T, U, add, rng


# ---------------------------------------------------------------- linear algebra
def jla(n):
    import jax
    import jax.numpy as jnp
    if n == "cholesky":
        return lambda x: jnp.linalg.cholesky(x +
                                             x.shape[-1] * jnp.eye(x.shape[-1], dtype=x.dtype))
    return {"lu": lambda x: jax.lax.linalg.lu(x)[0], "qr": jnp.linalg.qr,
            "eigh": jnp.linalg.eigh, "svd": jnp.linalg.svd,
            "inv": jnp.linalg.inv, "logdet_grad": jax.grad(lambda x: jnp.linalg.slogdet(x)[1]),
            "det_grad": jax.grad(jnp.linalg.det),
            "lstsq": lambda x, y: jnp.linalg.lstsq(x, y)[0]}[n]


def tla(n):
    import torch
    if n == "cholesky":
        return lambda x: torch.linalg.cholesky((x + x.mT) / 2 +
                                               x.shape[-1] * torch.eye(x.shape[-1],
                                                   dtype=x.dtype))
    return {"lu": lambda x: torch.linalg.lu_factor(x)[0], "qr": torch.linalg.qr,
            "eigh": torch.linalg.eigh,
            "svd": torch.linalg.svd, "inv": torch.linalg.inv,
            "logdet_grad": torch.func.grad(lambda x: torch.linalg.slogdet(x)[1]),
            "det_grad": torch.func.grad(torch.linalg.det),
            "lstsq": lambda x, y: torch.linalg.lstsq(x, y[:, None])[0]}[n]


def matrices(shape, seed, wide=False):
    def make():
        if not wide:
            return [U(shape, -1, 1, seed)]
        import jax
        jax.config.update("jax_enable_x64", True)
        return [U(shape, -1, 1, seed).astype(np.float64)]
    return make


for op, sizes in (("cholesky", (256, 1024)), ("lu", (128, 256, 1024)), ("qr", (256, 1024)),
                  ("eigh", (32,)),
                  ("svd", (16,)), ("inv", (128,)), ("logdet_grad", (128,)),
                  ("det_grad", (32, 128))):
    for n in sizes:
        add(f"{op}_{n}", matrices((n, n), 51), lambda op=op: jla(op), lambda op=op: tla(op),
            cache=True)
for n in (256, 1024):
    add(f"cholesky_f64_{n}", matrices((n, n), 51, True), lambda: jla("cholesky"),
        lambda: tla("cholesky"), cache=True)
add("lstsq_256x64", lambda: [U((256, 64), -1, 1, 53), U(256, -1, 1, 54)], lambda: jla("lstsq"),
    lambda: tla("lstsq"), cache=True)
for op in ("cholesky", "eigh"):
    add(f"{op}_4096x8", matrices((4096, 8, 8), 52), lambda op=op: jla(op),
        lambda op=op: tla(op), cache=True)


# ---------------------------------------------------------------- 15c special functions
def jspecial(n):
    import jax
    jax.config.update("jax_enable_x64", True)
    return getattr(jax.scipy.special, n)

for n, j, low, high in (("erf", "erf", -3, 3), ("lgamma", "gammaln", .1, 30),
                        ("digamma", "digamma", .1, 30), ("ndtri", "ndtri", 0, 1)):
    for tail, kind in (("", np.float32), ("_f64", np.float64)):
        add(n + tail + "_1e6",
            lambda low=low, high=high, kind=kind: [rng(1).uniform(low, high,
                10**6).astype(kind)],
            lambda j=j: jspecial(j), T(lambda t, j=j: getattr(t.special, j)))


# ---------------------------------------------------------------- 17 sort cumsum argmax
def jl(n):
    import jax.numpy as jnp
    return getattr(jnp, n)

add("sort_1e6", lambda: [N(10**6, 43)], lambda: jl("sort"), T(lambda t: lambda x: t.sort(x)[0]),
    bytes=8e6, cache=True)
add("cumsum_1e7", lambda: [U(10**7, -1, 1, 44)], lambda: jl("cumsum"),
    T(lambda t: lambda x: t.cumsum(x, 0)), bytes=8e7, rtol=1e-2, atol=5e-1)
add("argmax_1e7", lambda: [N(10**7, 45)], lambda: jl("argmax"),
    T(lambda t: lambda x: t.argmax(x)), bytes=4e7)


add("sort_1e4", lambda: [N(10**4, 43)], lambda: jl("sort"), T(lambda t: lambda x: t.sort(x)[0]),
    bytes=8e4, cache=True)
add("cumsum_1e4", lambda: [U(10**4, -1, 1, 44)], lambda: jl("cumsum"),
    T(lambda t: lambda x: t.cumsum(x, 0)), bytes=8e4, cache=True)


def jtop(k):
    import jax
    return lambda x: jax.lax.top_k(x, k)

add("top_10_1e6", lambda: [N(10**6, 46)], lambda: jtop(10),
    T(lambda t: lambda x: t.topk(x, 10)), bytes=4e6)
add("top_5_1000x1000", lambda: [N((1000, 1000), 47)], lambda: jtop(5),
    T(lambda t: lambda x: t.topk(x, 5)), bytes=4e6)


# ---------------------------------------------------------------- convolution and pooling, NHWC
def conv_in(n, h, c, o):
    return lambda: [N((n, h, h, c), 48), N((3, 3, c, o), 49)]

def conv_grad_in(n, h, c, o):
    return lambda: [N((n, h, h, c), 48), N((3, 3, c, o), 49), N((n, h, h, o), 50)]

def jconv():
    import jax
    return lambda x, w: jax.lax.conv_general_dilated(x, w, (1, 1), "SAME",
                                                     dimension_numbers=("NHWC", "HWIO", "NHWC"))

def jconv_grad(i):
    import jax
    f = jconv()
    return jax.grad(lambda x, w, c: (f(x, w) * c).sum(), argnums=i)

def tconv(t):
    return lambda x, w: t.nn.functional.conv2d(x.permute(0, 3, 1, 2), w.permute(3, 2, 0, 1),
                                               padding=1).permute(0, 2, 3, 1)

def tconv_grad(i):
    def make(t):
        f = tconv(t)
        return t.func.grad(lambda x, w, c: (f(x, w) * c).sum(), argnums=i)
    return make

def jpool(k):
    import jax
    return lambda x: jax.lax.reduce_window(x, -float("inf"), jax.lax.max, (1, k, k, 1),
                                           (1, 2, 2, 1), "SAME")

def tpool(k):
    def make(t):
        def f(x):
            x = x.permute(0, 3, 1, 2)
            x = t.nn.functional.pad(x, (0, k - 2, 0, k - 2), value=-float("inf"))
            return t.nn.functional.max_pool2d(x, k, 2).permute(0, 2, 3, 1)
        return f
    return make

for name, shape in (("conv_56", (32, 56, 64, 64)), ("conv_28", (1, 28, 16, 32))):
    flops = 18 * shape[0] * shape[1] ** 2 * shape[2] * shape[3]
    add(name, conv_in(*shape), jconv, T(tconv), flops=flops)
    add(name + "_grad_x", conv_grad_in(*shape), lambda: jconv_grad(0),
        T(tconv_grad(0)), flops=flops)
    add(name + "_grad_w", conv_grad_in(*shape), lambda: jconv_grad(1),
        T(tconv_grad(1)), flops=flops)
add("max_pool_112", lambda: [N((32, 112, 112, 64), 51)], lambda: jpool(3), T(tpool(3)),
    bytes=128.5e6)
add("max_pool_28", lambda: [N((1, 28, 28, 32), 52)], lambda: jpool(2), T(tpool(2)), bytes=125e3)


def jconv_as(strides=(1, 1), dilation=(1, 1), groups=1):
    import jax
    return lambda x, w: jax.lax.conv_general_dilated(x, w, strides, "SAME",
                                                     rhs_dilation=dilation,
                                                     feature_group_count=groups,
                                                     dimension_numbers=("NHWC", "HWIO", "NHWC"))

def tconv_as(strides=(1, 1), dilation=(1, 1), groups=1):
    def make(t):
        def f(x, w):
            high = [max((-(-n // s) - 1) * s + 2 * a + 1 - n, 0)
                    for n, s, a in zip(x.shape[1:3], strides, dilation)]
            x = t.nn.functional.pad(x.permute(0, 3, 1, 2),
                                    (high[1] // 2, high[1] - high[1] // 2, high[0] // 2,
                                     high[0] - high[0] // 2))
            return t.nn.functional.conv2d(x, w.permute(3, 2, 0, 1), stride=strides,
                                          dilation=dilation, groups=groups).permute(0, 2, 3, 1)
        return f
    return make

def jwith(f, i):
    import jax
    return jax.grad(lambda x, w, c: (f(x, w) * c).sum(), argnums=i)

def twith(make, i):
    def build(t):
        f = make(t)
        return t.func.grad(lambda x, w, c: (f(x, w) * c).sum(), argnums=i)
    return build

for name, o, how, x, w, y in (("dilated", 64, dict(dilation=(2, 2)), (8, 56, 56, 64),
                               (3, 3, 64, 64), (8, 56, 56, 64)),
                              ("steps", 128, dict(strides=(2, 2)), (8, 56, 56, 64),
                               (3, 3, 64, 128), (8, 28, 28, 128)),
                              ("groups", 128, dict(groups=32), (8, 56, 56, 128), (3, 3, 4, 128),
                               (8, 56, 56, 128)),
                              ("depthwise", 128, dict(groups=128), (8, 56, 56, 128),
                               (3, 3, 1, 128), (8, 56, 56, 128))):
    two = lambda x=x, w=w: [N(x, 48), N(w, 49)]
    three = lambda x=x, w=w, y=y: [N(x, 48), N(w, 49), N(y, 50)]
    add("conv_" + name, two, lambda how=how: jconv_as(**how), T(tconv_as(**how)))
    for i, s in ((0, "_grad_x"), (1, "_grad_w")):
        add("conv_" + name + s, three, lambda how=how, i=i: jwith(jconv_as(**how), i),
            T(twith(tconv_as(**how), i)))

def jpool_grad(k):
    import jax
    f = jpool(k)
    return jax.grad(lambda x, _, c: (f(x) * c).sum())

def tpool_grad(k):
    def make(t):
        f = tpool(k)(t)
        return t.func.grad(lambda x, _, c: (f(x) * c).sum())
    return make

add("max_pool_112_grad", lambda: [N((32, 112, 112, 64), 51), N(1, 0), N((32, 56, 56, 64), 52)],
    lambda: jpool_grad(3), T(tpool_grad(3)))
add("max_pool_28_grad", lambda: [N((1, 28, 28, 32), 52), N(1, 0), N((1, 14, 14, 32), 53)],
    lambda: jpool_grad(2), T(tpool_grad(2)))


# ---------------------------------------------------------------- gather and scatter

def jrows_grad():
    import jax
    return jax.grad(lambda x, i, c: (x[i] * c).sum())

def trows_grad(t):
    return t.func.grad(lambda x, i, c: (x[i] * c).sum())

def jsegments(n):
    import jax
    return lambda x, i: jax.ops.segment_sum(x, i, n)

def tsegments(n):
    def make(t):
        return lambda x, i: t.zeros((n,) + x.shape[1:]).index_add(0, i, x)
    return make

def jalong():
    import jax.numpy as jnp
    return lambda x, i: jnp.take_along_axis(x, i, 1)

for tail, n, k, w in (("rows_32768x64", 50000, 32768, (64,)),
                      ("rows_1000x16", 1000, 1000, (16,)), ("1e6", 10**6, 10**6, ()),
                      ("1e4", 10**4, 10**4, ())):
    two = lambda n=n, k=k, w=w: [N((n,) + w, 61), I(n, k, 62)]
    three = lambda n=n, k=k, w=w: [N((n,) + w, 61), I(n, k, 62), N((k,) + w, 63)]
    add("gather_" + tail, two, lambda: lambda x, i: x[i], T(lambda t: lambda x, i: x[i]))
    add("scatter_" + (tail if w else "add_" + tail), three,
        lambda: lambda x, i, y: x.at[i].add(y),
        T(lambda t: lambda x, i, y: x.index_add(0, i, y)))
    if w:
        add("gather_grad_" + tail[5:], three, jrows_grad, T(trows_grad))
add("take_along_1000x1000", lambda: [N((1000, 1000), 61), I(1000, (1000, 1000), 62)], jalong,
    T(lambda t: lambda x, i: t.gather(x, 1, i.long())))
add("segment_sum_1e6", lambda: [N(10**6, 61), I(10**4, 10**6, 62)], lambda: jsegments(10**4),
    T(tsegments(10**4)))
add("segment_sum_1e5x16", lambda: [N((10**5, 16), 61), I(10**3, 10**5, 62)],
    lambda: jsegments(10**3), T(tsegments(10**3)))


# ---------------------------------------------------------------- more order
def jpairs():
    import jax
    return lambda x, y: jax.lax.sort((x, y), num_keys=1)

def tpairs(t):
    def f(x, y):
        x, i = t.sort(x, stable=True)
        return x, y[i]
    return f

def jlogcumsum():
    import jax
    return lambda x: jax.lax.cumlogsumexp(x, 1)

def jcum(n):
    import jax
    return lambda x: getattr(jax.lax, n)(x, 0 if n == "cumsum" else 1)

add("sort_pairs_1e6", lambda: [N(10**6, 43), I(10**6, 10**6, 44)], jpairs, T(tpairs))
for n in ("6", "4"):
    add("argsort_1e" + n, lambda n=n: [N(10**int(n), 43)], lambda: jl("argsort"),
        T(lambda t: lambda x: t.argsort(x, stable=True)))
add("top_1000_1e6", lambda: [N(10**6, 46)], lambda: jtop(1000),
    T(lambda t: lambda x: t.topk(x, 1000)))
square = lambda: [N((1000, 1000), 61)]
add("cumprod_1000x1000", square, lambda: jcum("cumprod"),
    T(lambda t: lambda x: t.cumprod(x, 1)))
add("cummax_1000x1000", square, lambda: jcum("cummax"),
    T(lambda t: lambda x: t.cummax(x, 1)[0]))
add("cumsum_columns_1000", square, lambda: jcum("cumsum"),
    T(lambda t: lambda x: t.cumsum(x, 0)))
add("cumlogsumexp_1000", square, jlogcumsum, T(lambda t: lambda x: t.logcumsumexp(x, 1)))


# ---------------------------------------------------------------- products of narrow types
def jwide(rows=False):
    import jax, jax.numpy as jnp
    return lambda x, y: jax.lax.dot_general(x, y, (((1,), (int(rows),)), ((), ())),
                                            preferred_element_type=jnp.int32)

def integers(t, u, n):
    return lambda: [rng(1).integers(0 if t == "uint8" else -100, 100, (n, n)).astype(t),
                    rng(2).integers(-100, 100, (n, n)).astype(u)]

def jhalves(t):
    import jax.numpy as jnp
    return lambda x, y: jnp.matmul(x, y)

def half_inputs(t):
    def make():
        if t == "bf16":
            import jax.numpy as jnp
            return [N((1024, 1024), 1).astype(jnp.bfloat16),
                    N((1024, 1024), 2).astype(jnp.bfloat16)]
        return [N((1024, 1024), 1).astype(np.float16), N((1024, 1024), 2).astype(np.float16)]
    return make

add("dot_i8_1024", integers("int8", "int8", 1024), jwide,
    T(lambda t: lambda x, y: t._int_mm(x, y)))
add("dot_i8_1024_rows", integers("int8", "int8", 1024), lambda: jwide(True),
    T(lambda t: lambda x, y: t._int_mm(x, y.T)))
add("dot_i8_256", integers("int8", "int8", 256), jwide,
    T(lambda t: lambda x, y: t._int_mm(x, y)))
add("dot_u8_i8_1024", integers("uint8", "int8", 1024), jwide,
    T(lambda t: lambda x, y: x.int() @ y.int()))
add("dot_i16_1024", integers("int16", "int16", 1024), jwide,
    T(lambda t: lambda x, y: x.int() @ y.int()))
for t in ("f16", "bf16"):
    add(f"dot_{t}_1024", half_inputs(t), lambda t=t: jhalves(t),
        T(lambda t: lambda x, y: x @ y))


# ---------------------------------------------------------------- 17b Fourier transforms (JAX's
# are ducc's, heir of NumPy's pocketfft)
def jf(n):
    import jax.numpy as jnp
    return getattr(jnp.fft, n)


def C(shape, seed):
    return (N(shape, seed) + 1j * N(shape, seed + 1)).astype(np.complex64)

def wide(shape, seed):
    def make():
        import jax
        jax.config.update("jax_enable_x64", True)
        return [rng(seed).standard_normal(shape) + 1j * rng(seed + 1).standard_normal(shape)]
    return make

def nf(n):
    return lambda: getattr(np.fft, n)

for lines, n in ((4096, 16), (256, 1024), (16, 65536), (1, 1048576), (256, 1000), (256, 720),
                 (64, 1009), (8, 10007)):
    add(f"fft_{lines}x{n}", lambda lines=lines, n=n: [C((lines, n), 60)], lambda: jf("fft"),
        T(lambda t: t.fft.fft), numpy=nf("fft"))
for lines, n in ((256, 1024), (16, 65536), (256, 1000), (64, 1009)):
    add(f"fft_f64_{lines}x{n}", wide((lines, n), 60), lambda: jf("fft"), T(lambda t: t.fft.fft),
        numpy=nf("fft"))
add("rfft_256x1024", lambda: [N((256, 1024), 66)], lambda: jf("rfft"), T(lambda t: t.fft.rfft),
    numpy=nf("rfft"))
add("irfft_256x1024", lambda: [C((256, 513), 66)], lambda: jf("irfft"),
    T(lambda t: t.fft.irfft), numpy=nf("irfft"))
add("fft2_512x512", lambda: [C((512, 512), 68)], lambda: jf("fft2"), T(lambda t: t.fft.fft2),
    numpy=nf("fft2"))
