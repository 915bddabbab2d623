#!/usr/bin/env python3
"""Ops at all pairs (triples for clamp) of special operands beside JAX, in one process: what
rounds, wraps, saturates or orders.

    special_pairs.py COT [TYPE ...]

COT is the program `cot`; TYPE is one of f64 f32 f16 bf16 i8 i32 i64 u8 u64, absent: all.
Results must be the same, bit for bit, but for what JAX flushes (subnormal operands and results)
and, of atan2 and pow, two units in the last place.  Exit status: 1 for a difference, 77 if
there is no JAX."""
import os
import subprocess
import sys
import tempfile

try:
    import jax
    import jax.numpy as jnp
    import ml_dtypes
    import numpy as np
    from jax import lax
except ImportError:
    print("no JAX here")
    sys.exit(77)

jax.config.update("jax_enable_x64", True)
NUMPY = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16,
         "i8": np.int8, "i32": np.int32,
         "i64": np.int64, "u8": np.uint8, "u64": np.uint64}
FLOATS = ["f64", "f32", "f16", "bf16"]


def specials(t):
    if t in FLOATS:
        f = ml_dtypes.finfo(NUMPY[t])
        return np.array([0.0, -0.0, 1, -1, 2, -3, 0.5, -2.5, 1.5, np.inf, -np.inf, np.nan,
                         float(f.tiny), float(f.smallest_subnormal),
                         -float(f.max), float(f.max), 100, 7]).astype(NUMPY[t])
    i = np.iinfo(NUMPY[t])
    return np.array([0, 1, 2, 3, 7, 31, 64, i.max, i.max - 1, i.min, i.min + 1] +
                    ([-1, -2, -7] if i.min else []), dtype=NUMPY[t])


def run(cot, folder, t, expression, operands, result):
    n = len(operands[0])
    inputs = ", ".join(f"%{c}: {t}[{n}]" for c, _ in zip("xyz", operands))
    with open(f"{folder}/f.cot", "w") as f:
        f.write(f"fn @f({inputs}) -> {result}[{n}] "
                f"{{\n  %0 = {expression} : {result}[{n}]\n  ret %0\n}}\n")
    paths = [f"{folder}/in{i}.npy" for i in range(len(operands))]
    for path, x in zip(paths, operands):
        np.save(path, x.view(np.uint16) if t == "bf16" else x)
    subprocess.run([cot, "run", f"{folder}/f.cot", "--backend", "eval", "--in"] + paths +
                   ["--out", f"{folder}/out"], check=True)
    y = np.load(f"{folder}/out0.npy")
    return y.view(ml_dtypes.bfloat16) if result == "bf16" else y


def flushed(t, x):
    tiny = float(ml_dtypes.finfo(NUMPY[t]).tiny)
    return (np.abs(x.astype(np.float64)) < tiny) & (x.astype(np.float64) != 0)


def differ(name, t, result, operands, ours, theirs):
    if result not in FLOATS:
        return ours != theirs
    a, b = ours.astype(np.float64), theirs.astype(np.float64)
    bad = ~(((a == b) & (np.signbit(a) == np.signbit(b))) | (np.isnan(a) & np.isnan(b)))
    if name in ("atan2", "pow"):
        with np.errstate(all="ignore"):
            bad &= ~(np.abs(a - b) <= 2 * float(ml_dtypes.finfo(NUMPY[t]).eps) * np.abs(b))
    for x in operands + [ours]:
        bad &= ~flushed(t, x)
    return bad


def rows(t):
    """Name, expression, number of operands, JAX's function, result type."""
    if t in FLOATS:
        yield from [("nextafter", "nextafter %x, %y", 2, lax.nextafter, t),
                    ("clamp", "clamp %x, %y, %z", 3, lax.clamp, t),
                    ("rem", "rem %x, %y", 2, lax.rem, t),
                    ("atan2", "atan2 %x, %y", 2, lax.atan2, t),
                    ("pow", "pow %x, %y", 2, lax.pow, t),
                    ("max", "max %x, %y", 2, lax.max, t), ("min", "min %x, %y", 2, lax.min, t),
                    ("round", "round %x", 1,
                     lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), t),
                    ("round_even", "round_even %x", 1, jnp.round, t),
                    ("reduce_precision",
                     "reduce_precision %x {exponent_bits=5, mantissa_bits=3}", 1,
                     lambda x: lax.reduce_precision(x, 5, 3), t)]
        for to in NUMPY:
            if to not in FLOATS:
                def cast(x, to=to):
                    return lax.convert_element_type(x, NUMPY[to])
                yield "convert", f"convert %x {{dtype={to}}}", 1, cast, to
        return
    for name in ("div", "rem", "shift_left", "shift_right_logical", "shift_right_arithmetic"):
        ours = {"shift_left": "shl", "shift_right_logical": "shr_logical",
                "shift_right_arithmetic": "shr_arithmetic"}.get(name, name)
        yield ours, f"{ours} %x, %y", 2, getattr(lax, name), t
    yield "clz", "clz %x", 1, lax.clz, t
    yield "popcnt", "popcnt %x", 1, lax.population_count, t


def main():
    cot, failures = os.path.abspath(sys.argv[1]), 0
    with tempfile.TemporaryDirectory() as folder:
        for t in sys.argv[2:] or NUMPY:
            values = specials(t)
            for name, expression, n, peer, result in rows(t):
                grid = np.meshgrid(*[np.arange(len(values))] * n, indexing="ij")
                x = [values[k.ravel()] for k in grid]
                ours, theirs = run(cot, folder, t, expression, x,
                                   result), np.asarray(peer(*[jnp.asarray(v) for v in x]))
                for k in np.nonzero(differ(name, t, result, x, ours, theirs))[0][:5]:
                    print(f"{t} {expression}:", *[str(v[k]) for v in x],
                          f": {ours[k]}, JAX {theirs[k]}")
                    failures += 1
    print(f"special_pairs: {failures} differences")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
