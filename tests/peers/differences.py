"""The differences from JAX and PyTorch that are deliberate or theirs, each with its reason."""
import math

# Letter: text of the page.
REASONS = {
    "a": "Subnormal numbers, and the least normal ones on the way to a result: the peer flushes them to zero, we keep them.",
    "b": "The sign of a zero: IEEE 754-2019 and C99 say it (maximum, minimum, `sign`, `rem`, odd functions); a derivative's zero "
         "is a product with a zero of that sign.",
    "c": "NaN there, where its formula divides 0 by 0 or takes inf from inf; here the limit, where there is one.",
    "d": "NaN here: at a pole whose two sides differ in sign (`digamma` at 0 and below, and the derivative of `lgamma`, as XLA's "
         "`digamma`), for an angle without direction (the derivative of `atan2` at (0, 0)), for an operand that is NaN (there 0 "
         "or 1), the derivative of `rem` by a divisor 0, and "
         "outside the domain (`zeta` for s < 1; `lbeta` of negative numbers, an inf beside a pole).",
    "e": "Derivatives at kinks: `abs` has 0 at 0 (JAX 1), `hypot` 0 at (0, 0) (JAX shares out 1), `clamp` 0 at its bounds (here the "
         "peer's minimum and maximum share ties).",
    "f": "The derivative of `max` and `min` beside a NaN: here it goes to the other operand, in the peer to both or to the NaN.",
    "g": "A half type with roundings on the way: the peer computes in steps of bf16, we in f32 with one rounding.",
    "h": "Digits: on these operands, the ends of the range or close to a zero, the two differ in more than the last digits; where "
         "MPFR was asked, the peer is the one that is off.",
    "i": "The derivative beside an infinity: the peer gives the whole to the wrong operand, or a number where the derivative tends "
         "to 0.",
    "j": "The sums over whole s of `zeta` for negative q: the peers' recurrence of some ten terms, in f32 for f32, has them near 0 only, and loses digits where terms cancel.",
    "k": "A derivative of 0 to the power 0, or of 0 to a negative power: here the limits of y x^(y - 1) and x^y log x as "
         "IEEE arithmetic gives them.",
}


def zeros(np, a, b, *x):
    return (a == 0) & (b == 0)


def theirs_nan(np, a, b, *x):
    return np.isnan(b) & ~np.isnan(a)


def ours_nan(np, a, b, *x):
    return np.isnan(a) & ~np.isnan(b)


def nan_operand(np, a, b, *x):
    found = np.isnan(x[0])
    for y in x[1:]:
        found = found | np.isnan(y)
    return found


def infinite_operand(np, a, b, *x):
    found = np.isinf(x[0])
    for y in x[1:]:
        found = found | np.isinf(y)
    return found


def finite(np, a, b, *x):
    return np.isfinite(a) & np.isfinite(b)


def always(np, a, b, *x):
    return np.ones(a.shape, bool)


def at_zero(np, a, b, *x):
    found = x[0] == 0
    for y in x[1:]:
        found = found & (y == 0)
    return found


# (op, peer, "value" or "derivative"): list of (letter, condition on both results and the operands).
RULES = {}


def rule(ops, peers, what, letter, holds):
    for op in ops.split():
        for peer in peers.split():
            for w in what.split():
                RULES.setdefault((op, peer, w), []).append((letter, holds))


rule("*", "jax torch", "value derivative", "b", zeros)
rule("digamma log_ndtr logaddexp hypot lbeta div pow rem", "jax torch", "derivative", "c", theirs_nan)
rule("bessel_j0 bessel_j1 rem lbeta zeta", "jax torch", "value", "c", theirs_nan)
rule("digamma lbeta", "jax torch", "value", "d", ours_nan)
rule("zeta", "jax torch", "value", "d", lambda np, a, b, s, q: ours_nan(np, a, b) & (np.isnan(s) | np.isnan(q) | (s < 1)))
rule("zeta", "jax torch", "value", "j", lambda np, a, b, s, q: q < 0)
rule("lgamma atan2 lbeta", "jax torch", "derivative", "d", ours_nan)
rule("abs hypot", "jax", "derivative", "e", at_zero)
rule("clamp", "jax torch", "derivative", "e", lambda np, a, b, lo, x, hi: (a == 0) & ((x == lo) | (x == hi)))
rule("max min", "jax torch", "derivative", "f", nan_operand)
rule("bessel_i1e", "jax", "derivative", "d", nan_operand)
rule("lgamma lbeta", "jax", "value", "h", finite)
rule("bessel_i0e bessel_i1e erfcx", "jax torch", "derivative", "h", finite)
rule("logaddexp hypot", "jax", "derivative", "i", infinite_operand)
rule("pow", "jax torch", "derivative", "k", lambda np, a, b, x, y: x == 0)

rule("abs", "jax torch", "derivative", "d", nan_operand)
rule("sign", "torch", "value", "d", nan_operand)
rule("pow", "torch", "derivative", "d", nan_operand)
rule("rem", "jax torch", "derivative", "d", ours_nan)
rule("log_ndtr", "jax", "value", "h", finite)
rule("bessel_j0 bessel_j1", "torch", "value", "h", finite)
rule("pow hypot logaddexp lbeta", "jax", "derivative", "h", finite)
rule("hypot", "torch", "derivative", "h", finite)

# Where the peer's own error is larger than 64 ulp of the value, 1024 of the derivative: bounds that watch the rest of the sum.
BOUNDS = {
    "log1p": (200, 1024), "atanh": (200, 1024), "lgamma": (2000, 1024), "digamma": (1e4, 1e7), "ndtr": (200, 1024),
    "log_ndtr": (300, 1024), "bessel_i0e": (64, 1e5), "bessel_i1e": (64, 1e5), "bessel_j0": (1e6, 1024), "bessel_j1": (1e6, 1024),
    "lbeta": (math.inf, math.inf), "igammac": (200, 1024), "igamma_grad_a": (200, 1024), "random_gamma_grad": (400, 1024),
}


def reason(np, c, name, what, t, arrays, a, b, bad):
    """The letters of the reasons, each with the places it explains; None: those that are left."""
    left, out = bad.copy(), {}
    with np.errstate(all="ignore"):
        if t in ("bf16", "f16") and c.name == "exp2":
            out["g"] = left.copy()
            left &= False
        for op in (c.name, "*"):
            for letter, holds in RULES.get((op, name, ("value", "derivative")[what]), []):
                hit = left & holds(np, a, b, *arrays)
                if hit.any():
                    out[letter] = out.get(letter, False) | hit
                    left &= ~hit
    if left.any():
        out[None] = left
    return out


def bound(c, t, name):
    """The largest distance in ulp on random operands, of values and of derivatives."""
    return BOUNDS.get(c.name, (64, 1024))
