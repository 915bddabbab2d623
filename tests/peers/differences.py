"""The differences from JAX and PyTorch that are deliberate or theirs, each with its reason."""

# Number: text of the page.
REASONS = {}
# (op, peer, "value" or "derivative"): list of (number, condition on the operands and both results).
RULES = {}


def reason(np, c, name, what, t, arrays, a, b, bad):
    """The numbers of the reasons, each with the places it explains; None: those that are left."""
    left, out = bad.copy(), {}
    with np.errstate(all="ignore"):
        for op in (c.name, "*"):
            for number, holds in RULES.get((op, name, ("value", "derivative")[what]), []):
                hit = left & holds(np, a, b, *arrays)
                if hit.any():
                    out[number] = hit
                    left &= ~hit
    if left.any():
        out[None] = left
    return out


def bound(c, t, name):
    """The largest distance in ulp on random operands, of values and of derivatives."""
    return 64, 1024
