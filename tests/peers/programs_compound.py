"""Lines of random programs that are programs in themselves: Fourier transforms and
factorisations of operands made for them, loops and reductions with random bodies.  The
generators are as in programs_ops.py."""
from programs_ops import COMPLEX, WIDE


def fft(g):
    kind = g.choice(["fft", "ifft", "rfft", "irfft", "fftn", "fft2", "hfft", "rfftn",
                     "irfftn", "ifftn"])
    t = g.choice(WIDE if kind.startswith("r") else COMPLEX)
    need = 2 if "2" in kind or "n" in kind else 1
    x = g.value([g.size(4) for _ in range(g.integer(0, 1))] +
                [(g.choice([1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 16, 30]) if not g.large or need > 1
                  else g.integer(1, 3000)) for _ in range(need)], t)
    if kind in ("irfft", "irfftn", "hfft"):
        x = f"jnp.concatenate([{x}, {x}], -1)"
    return g.emit(f"jnp.fft.{kind}({x})")


def linalg(g):
    n, m = g.choice([1, 2, 3, 4, 5, 7, 9]), g.choice([1, 2, 3, 4, 6])
    if g.large:
        n, m = g.integer(1, 90), g.integer(1, 40)
    batch = [g.size(3) for _ in range(g.integer(0, 1))]
    t = g.choice(["float64"] * 3 + ["float32"] +
                 (COMPLEX if not g.smooth or g.chance(0.3) else []))
    a = g.tame(batch + [n, n], t)
    eye = f"jnp.eye({n}, dtype={a}.dtype)"
    spd = f"({a} @ jnp.conj(jnp.swapaxes({a}, -1, -2)) + {n + 1} * {eye})"
    well = f"({a} + {2 * n + 2} * jnp.eye({n}, dtype={a}.dtype))"
    kind = g.integer(0, 13)
    b = g.tame(batch + [n, m], t)
    flags = ", ".join(["left_side=True", f"lower={g.chance(0.5)}",
                       f"transpose_a={g.chance(0.5)}", f"conjugate_a={g.chance(0.3)}",
                       f"unit_diagonal={g.chance(0.2)}"])
    if kind == 0:
        return g.emit(f"lax.linalg.cholesky({spd})")
    if kind == 1:
        return g.emit(f"lax.linalg.triangular_solve({well}, {b}, {flags})")
    if kind == 2:
        return g.emit(f"lax.linalg.triangular_solve({well}, jnp.swapaxes({b}, -1, -2), "
                      f"{flags.replace('left_side=True', 'left_side=False')})")
    if kind == 3:
        return g.emit(f"jnp.linalg.solve({well}, {b})")
    if kind == 4:
        return g.emit(f"jnp.linalg.inv({well})")
    if kind == 5:
        return g.emit(f"jnp.linalg.det({well})")
    if kind == 6:
        return g.emit(f"jnp.linalg.slogdet({well})[1]")
    if kind == 7:
        return g.emit(f"jnp.abs(jnp.linalg.qr({b if m <= n else spd})[1])")
    if kind == 8:
        return g.emit(f"jnp.linalg.svd({b}, compute_uv=False)")
    if kind == 9:
        return g.emit(f"jnp.linalg.eigvalsh({spd})")
    if kind == 10:
        return g.emit(f"lax.linalg.lu({well})[0]")
    if kind == 11:
        return g.emit(f"jnp.linalg.pinv({b})" if m <= n else f"jnp.linalg.matrix_power({a}, 3)")
    if kind == 12:
        return g.emit(f"jax.scipy.linalg.expm({a})")
    return g.emit(f"jnp.linalg.norm({a}, axis=(-2, -1))")


def body(g, names, depth=2):
    """A random expression of values of one shape and type, none of which grows."""
    x, y = g.choice(names), g.choice(names)
    if depth == 0:
        return g.choice([x, f"0.5 * {x}", f"jnp.sin({x})"])
    p, q = body(g, names, depth - 1), body(g, names, depth - 1)
    kind = g.integer(0, 11)
    if kind < 7:
        return [f"jnp.sin({p}) + {q}", f"jnp.tanh({p} * {q})",
                f"jnp.where({x} > {y}, {p}, {q})", f"0.5 * ({p} - {q})", f"jnp.cos({p}) * {x}",
                f"jnp.maximum({p}, {q})", f"{p} / (1 + {y} ** 2)"][kind]
    if kind == 7:
        text = f"lax.cond(jnp.sum({x}) > 0.3, lambda s, t: {p}, lambda s, t: {q}, {x}, {y})"
        reduce = g.choice(["jnp.sum", "jnp.max"]) if g.full else "jnp.sum"
        return text.replace("jnp.sum", reduce)
    if kind == 8:
        return f"lax.fori_loop(0, {g.integer(0, 3)}, lambda i, s: {body(g, ['s', x], 1)}, {p})"
    if kind == 9:
        step = f"lambda s, t: ({body(g, ['s', 't'], 1)}, {body(g, ['s', 't'], 1)})"
        part = g.choice(['0', '1][0', '1][1'])
        return f"lax.scan({step}, {p}, jnp.stack([{x}, {q}]))[{part}]"
    if kind == 10:
        first = f"lambda s: {body(g, ['s', x], 1)}"
        branches = f"[{first}, lambda s: {q}, lambda s: s]"
        return f"lax.switch((jnp.sum({x}) * 3).astype(int), {branches}, {p})"
    return f"jax.checkpoint(lambda s, t: {body(g, ['s', 't'], 1)})({p}, {q})"


def loops(g):
    x = g.pick(g.floats(), rank=(0, 2))
    y, n = g.like(x), g.integer(0, 4)
    g.full = 0 not in g.shape(x)
    c = g.value([], "bool")
    k = g.index([], 3, "int32", wild=True)
    kind = g.integer(0, 8)
    if kind == 5 and g.smooth and not g.chance(0.2):
        kind = 6                            # JAX has no reverse mode of it
    if kind == 0:
        return g.emit(f"lax.fori_loop({g.integer(-1, 1)}, {n}, lambda i, a: "
                      f"{body(g, ['a', y])} * i.astype({x}.dtype), {x})")
    if kind == 1:
        return g.emit(f"lax.scan(lambda a, b: ({body(g, ['a', 'b'])}, "
                      f"{body(g, ['a', 'b', y])}), {x}, jnp.stack([{y}] * {n + 1}), "
                      f"reverse={g.chance(0.3)})", 2)
    if kind == 2:
        return g.emit(f"lax.scan(lambda a, b: ((a[1], {body(g, ['a[0]', 'a[1]', 'b'])}), "
                      f"{body(g, ['a[0]', 'b'])}), ({x}, {y}), jnp.stack([{y}, {x}, {y}]))[1]")
    if kind == 3:
        return g.emit(f"lax.cond({c}, lambda a, b: {body(g, ['a', 'b'])}, lambda a, b: "
                      f"{body(g, ['a', 'b', x])}, {x}, {y})")
    if kind == 4:
        return g.emit(f"lax.switch({k}, [lambda a, b: {body(g, ['a', 'b'])}, lambda a, b: "
                      f"{body(g, ['a', 'b'])}, lambda a, b: jnp.cos(b)], {x}, {y})")
    if kind == 5:
        return g.emit(f"lax.while_loop(lambda s: (s[0] < {n}) & (jnp.sum(s[1]) < "
                      f"{g.choice(['2', '5', '1e9'])}), "
                      f"lambda s: (s[0] + 1, {body(g, ['s[1]', y])} + "
                      f"{g.choice(['0', '1'])}), (0, {x}))", 2)
    if kind == 6:
        return g.emit(f"lax.scan(lambda a, b: (lax.fori_loop(0, 2, lambda i, s: "
                      f"{body(g, ['s', 'b'])}, a), {body(g, ['a', 'b'])}), "
                      f"{x}, jnp.stack([{y}] * {n}) if {n} else jnp.zeros((0,) + {x}.shape, "
                      f"{x}.dtype))", 2)
    if kind == 7:
        return g.emit(f"lax.fori_loop(0, 3, lambda i, s: "
                      f"s.at[i].set({body(g, ['s[i - 1]', y])}).at[-1].add(s[i]), "
                      f"jnp.stack([{x}] * 4))")
    return g.emit(f"lax.map(lambda v: jnp.sin(v) * jnp.sum({y}), {x})" if g.shape(x)
                  else f"jax.checkpoint(lambda v: jnp.sin(v) * {y})({x})")


def invariant(g):
    """What of eigenvectors and singular vectors does not depend on their signs."""
    n, m = g.choice([1, 2, 3, 4, 5]), g.choice([1, 2, 3])
    if g.large:
        n, m = g.integer(1, 70), g.integer(1, 40)
    t = g.choice(["float64"] * 3 + (["complex128"] if not g.smooth or g.chance(0.3) else []))
    batch = [g.size(3) for _ in range(g.integer(0, 1))]
    a, b = g.tame(batch + [n, n], t), g.tame(batch + [n, m], t)
    high = f"({a} + jnp.conj(jnp.swapaxes({a}, -1, -2)))"
    well = f"({a} + {2 * n + 2} * jnp.eye({n}, dtype={a}.dtype))"
    return g.emit(g.choice([
        f"(lambda w, v: (v * jnp.tanh(w)[..., None, :]) @ jnp.conj(jnp.swapaxes(v, -1, "
        f"-2)))(*jnp.linalg.eigh({high}))",
        f"(lambda w, v: jnp.abs(v) ** 2 @ w[..., "
        f"None].astype(jnp.float64))(*jnp.linalg.eigh({high}))",
        f"(lambda u, s, v: (u * jnp.log1p(s)[..., None, :]) @ v)(*jnp.linalg.svd({b}, "
        f"full_matrices=False))",
        f"(lambda u, s, v: u @ v)(*jnp.linalg.svd({well}, full_matrices=False))",
        f"(lambda q, r: q @ jnp.triu(r * "
        f"r))(*jnp.linalg.qr({b if n >= m else a}))" if t == "float64" else f"(lambda q, r: q "
            f"@ r)(*jnp.linalg.qr({a}))",
        f"(lambda q, r: q * jnp.sign(jnp.diagonal(r, axis1=-2, axis2=-1))[..., None, "
        f":])(*jnp.linalg.qr({well}))",
        f"jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor({high} @ "
        f"jnp.conj(jnp.swapaxes({high}, -1, -2)) + jnp.eye({n})), {b})",
        f"jax.scipy.linalg.solve_triangular({well}, {b}, trans={g.integer(0, 2)}, "
        f"lower={g.chance(0.5)})",
        f"(lambda lu: jax.scipy.linalg.lu_solve(lu, {b}, "
        f"trans={g.integer(0, 2)}))(jax.scipy.linalg.lu_factor({well}))" if not batch
        else f"jnp.linalg.det({a})",
        f"jnp.linalg.slogdet({a})[1]", f"jnp.linalg.det({a})",
        f"jnp.linalg.norm({b}, 'nuc', axis=(-2, -1))",
        f"jnp.linalg.norm({well}, 2, axis=(-2, -1))",
        f"jnp.linalg.lstsq({well}, {b})[0]" if not batch
        else f"jnp.linalg.solve({well}, {b})"]))


def reducer(g):
    """Bodies of one's own: two values at once, a function of both, windows."""
    x = g.pick(WIDE, rank=(1, 3), exact=True)
    y, axis = g.like(x), g.integer(0, len(g.shape(x)) - 1)
    if g.smooth:
        return g.emit(f"jax.ops.segment_{g.choice(['sum', 'max', 'prod'])}({x}, "
                      f"jnp.arange({x}.shape[0]) // 2, 4)")
    nan_free = f"jnp.nan_to_num({x})"
    return g.emit(g.choice([
        f"lax.reduce(({x}, {y}), (jnp.asarray(-jnp.inf, {x}.dtype), jnp.zeros((), "
        f"{x}.dtype)), lambda a, b: (jnp.maximum(a[0], b[0]), a[1] + b[1]), ({axis},))",
        f"lax.reduce(({nan_free}, lax.broadcasted_iota(jnp.int32, {x}.shape, {axis})), "
        f"(jnp.asarray(-jnp.inf, {x}.dtype), np.int32(99)), lambda a, b: "
        f"lax.cond(False, lambda: a, lambda: (jnp.where(a[0] > b[0], a[0], b[0]), "
        f"jnp.where((a[0] > b[0]) | ((a[0] == b[0]) & (a[1] < b[1])), a[1], b[1]))), "
        f"({axis},))",
        ]), 2)


def associative(g):
    x = g.pick(WIDE, rank=(1, 3))
    return g.emit(f"lax.associative_scan(lambda a, b: a + b, {x}, "
                  f"axis={g.integer(0, len(g.shape(x)) - 1)})")
