"""Whether an array of ours is near one of a peer's: the bound is relative to the largest number
of the array, or to what the caller says, and results below the normal numbers are zeros, as JAX
flushes them."""
import ml_dtypes
import numpy as np


def is_floating(dtype):
    return dtype.kind in "fc" or dtype == ml_dtypes.bfloat16


def wide(x):
    return x.astype(np.complex128) if x.dtype.kind == "c" else x.astype(np.float64)


def largest(x, initial=0):
    """The largest finite magnitude."""
    x = np.abs(wide(x))
    return np.max(x, initial=initial, where=np.isfinite(x))


def differs(ours, theirs, tolerance, most):
    """What is wrong with an array, or None.  Floats may be off by tolerance * (most + |x|)."""
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return f"is {ours.dtype}{ours.shape}, there {theirs.dtype}{theirs.shape}"
    if not is_floating(ours.dtype):
        bad = ours != theirs
    else:
        a, b = wide(ours), wide(theirs)
        with np.errstate(all="ignore"):
            tiny = float(ml_dtypes.finfo(ours.dtype).tiny
                         if ours.dtype.kind != "c" else np.finfo(ours.dtype).tiny)
            a, b = np.where(np.abs(a) < 4 * tiny, 0, a), np.where(np.abs(b) < 4 * tiny, 0, b)
            near = np.abs(a - b) <= tolerance * (most + np.abs(b))
            bad = ~(near | (a == b) | (np.isnan(a) & np.isnan(b)))
            if ours.dtype.kind == "c":
                bad &= ~(~np.isfinite(a) & ~np.isfinite(b))
    if not bad.any():
        return None
    i = int(np.argmax(bad.ravel()))
    return (f"element {i} is {ours.ravel()[i]}, there {theirs.ravel()[i]} "
            f"({int(bad.sum())} of {bad.size})")
