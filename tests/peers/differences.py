"""What explains a difference from JAX or PyTorch: that our result is right.

`rules.py` and `pairs.py` state for every elementwise op, type and place an exact value, by
mpmath or by a standard, and a bound in ulp.  A difference is explained where our result meets
its statement, and by nothing else: 1e6 beside 1, a NaN beside a number, or a zero of the wrong
sign are refused, whatever the peer has.  What a difference is called, its kind, follows from
the two results; only conventions (kinks, NaN) are named by their statements."""
import math

from exact import MIN_EXPONENT, Statement, is_float, meets

# Letter: text of the page.
KINDS = {
    "a": "Subnormal numbers, and the least normal ones on the way to a result: the peer "
         "flushes them to zero, we keep them.",
    "b": "The sign of a zero: IEEE 754-2019 and C99 state it for values (maximum, minimum, "
         "`sign`, `rem`, odd functions); a "
         "derivative's zero is a product with a zero of that sign, and either sign is right.",
    "c": "NaN there, where its formula divides 0 by 0 or takes inf from inf; here the number "
         "or limit that is stated.",
    "d": "NaN here, as stated: at a pole whose two sides differ in sign (`digamma` at 0 and "
         "below), for an angle without "
         "direction (the derivative of `atan2` at (0, 0)), of an operand that is NaN, outside "
         "the domain, and where extended "
         "arithmetic has inf - inf.",
    "e": "Derivatives at kinks: `abs` has 0 at 0, `hypot` 0 at (0, 0), `clamp` 0 at its "
         "bounds; of equal running extrema the "
         "last has it.",
    "f": "The derivative of `max`, `min` and `clamp` beside a NaN: here NaN by both operands "
         "of `max` and `min`, `clamp` 0.",
    "h": "Digits: both are near the exact value, the peer's outside the bound that ours meets.",
    "i": "An infinity on one side, a number on the other: the exact value is within the bound "
         "of ours.",
    "n": "Another number: the peer is off by more than a sixteenth of the exact value, at the "
         "ends of the range and where its "
         "formula loses all digits (the slope of `hypot` there, of `logaddexp` beside an "
         "infinity, `lbeta`, `zeta` of negative q).",
}
ROUGH = {"f64": 1e-9, "f32": 1e-4, "bf16": 0.05, "f16": 0.01}


def differs(a, b, t):
    """Another class, another sign of zero, or digits that are not those of the same number."""
    if not is_float(t):
        return a != b
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) != math.isnan(b)
    if a == b:
        return a == 0 and math.copysign(1, a) != math.copysign(1, b)
    return math.isinf(a) or math.isinf(b) or not abs(a - b) <= ROUGH[t] * max(abs(a), abs(b))


def right(got, s, t):
    """Whether a result meets its statement, which is a whole number for results that are."""
    return meets(got, s, t) if isinstance(s, Statement) else int(got) == s


def subnormal(t, numbers):
    return any(v and abs(v) < 2 * 2.0 ** MIN_EXPONENT[t] for v in numbers)


def kind(s, ours, theirs, operands, t, rt):
    """The letter of a difference between two results of type rt, of operands of type t, ours
    being right."""
    if isinstance(s, Statement) and s.kind:
        return s.kind
    if is_float(t) and (subnormal(t, operands) or is_float(rt)
                        and subnormal(rt, (ours, theirs))):
        return "a"
    if not is_float(rt):
        return "n"
    if ours == 0 and theirs == 0:
        return "b"
    if math.isnan(theirs):
        return "c"
    if math.isnan(ours):
        return "d"
    if math.isinf(ours) or math.isinf(theirs):
        return "i"
    return "h" if abs(theirs - ours) <= abs(ours) / 16 else "n"


def explain(s, ours, theirs, operands, t, rt):
    """The letter that explains a difference; None: nothing is stated, or our result is not what
    is."""
    return kind(s, ours, theirs, operands, t, rt) if s is not None and right(ours, s,
        rt) else None
