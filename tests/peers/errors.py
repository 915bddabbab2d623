"""The errors of the elementary and special functions, of Cotrace and of its peers, against
mpmath with 60 digits.

A row: name, references' expression in mpmath (m) of the exact operands x, y, z, domains, and
bounds in ulp of Cotrace's f32 and f64.  A domain has an interval for each operand, sampled
evenly, or with "log" evenly in the exponent; or with "whole" rounded to an integer.  Domains
keep away from results that are subnormal, which the peers flush."""
import cases
from exact import DIGITS

FEWER = 8       # so many times fewer samples of what mpmath takes long for
SMALLEST = {"f64": 2.0 ** -1022, "f32": 2.0 ** -126, "bf16": 2.0 ** -126, "f16": 2.0 ** -14}


class Function:
    def __init__(self, name, reference, *domains, bounds=(1, 2), jax=None, torch=None,
                 few=False, types=None, attrs="", cancels=False):
        found = [c for c in cases.CASES if c.name == name and c.shapes is None
                 and "f32" in c.types]
        self.name, self.reference, self.domains = name, reference, domains
        self.bounds, self.few, self.attrs = bounds, few, attrs
        self.cancels = cancels
        self.jax = jax or (found[0].jax if found else None)
        self.torch = torch or (found[0].torch if found else None)
        self.types = types or ["f64", "f32", "bf16", "f16"]
        self.n = len([d for d in domains[0] if isinstance(d, tuple)])


def of(lo, hi, *how):
    return ((lo, hi), *how)


SPECIAL = (0.7, 4)
FUNCTIONS = [
    Function("exp", "m.exp(x)", of(-80, 80), of(-1, 1)),
    Function("exp2", "m.power(2, x)", of(-120, 120), of(-1, 1)),
    Function("expm1", "m.expm1(x)", of(-10, 80), of(1e-7, 1, "log")),
    Function("log", "m.log(x)", of(1e-30, 1e30, "log"), of(0.5, 2)),
    Function("log2", "m.log(x, 2)", of(1e-30, 1e30, "log"), of(0.5, 2)),
    Function("log1p", "m.log1p(x)", of(-0.9, 1), of(1e-7, 1e30, "log")),
    Function("cbrt", "m.sign(x) * m.cbrt(abs(x))", of(1e-30, 1e30, "log")),
    Function("sqrt", "m.sqrt(x)", of(1e-30, 1e30, "log"), bounds=(0.5, 0.5)),
    Function("rsqrt", "1 / m.sqrt(x)", of(1e-30, 1e30, "log")),
    Function("sin", "m.sin(x)", of(-3, 3), of(1, 1e6, "log"), of(1e6, 1e30, "log")),
    Function("cos", "m.cos(x)", of(-3, 3), of(1, 1e6, "log"), of(1e6, 1e30, "log")),
    Function("tan", "m.tan(x)", of(-3, 3), of(1, 1e6, "log"), of(1e6, 1e30, "log")),
    Function("asin", "m.asin(x)", of(-1, 1)),
    Function("acos", "m.acos(x)", of(-1, 1)),
    Function("atan", "m.atan(x)", of(-10, 10), of(1e-6, 1e6, "log")),
    Function("sinh", "m.sinh(x)", of(-80, 80), of(1e-6, 1, "log")),
    Function("cosh", "m.cosh(x)", of(-80, 80), of(-1, 1)),
    Function("tanh", "m.tanh(x)", of(-10, 10), of(1e-6, 1, "log")),
    Function("asinh", "m.asinh(x)", of(-10, 10), of(1e-6, 1e30, "log")),
    Function("acosh", "m.acosh(x)", of(1, 2), of(1, 1e30, "log")),
    Function("atanh", "m.atanh(x)", of(-1, 1), of(1e-6, 1, "log")),
    Function("logistic", "1 / (1 + m.exp(-x))", of(-80, 20)),
    Function("erf", "m.erf(x)", of(-4, 4), of(1e-6, 1, "log")),
    Function("erfc", "m.erfc(x)", of(-4, 9), of(-1, 1)),
    Function("pow", "m.power(x, y)", ((0.01, 20), (-15, 15)), ((0.9, 1.1), (-500, 500))),
    Function("atan2", "m.atan2(x, y)", ((-10, 10), (-10, 10)),
             ((1e-6, 1e6), (1e-6, 1e6), "log")),
    Function("hypot", "m.hypot(x, y)", ((-10, 10), (-10, 10)),
             ((1e-15, 1e15), (1e-15, 1e15), "log"), bounds=(0.51, 0.51)),
    Function("logaddexp", "m.log(m.exp(x) + m.exp(y))", ((0, 50), (0, 50)), bounds=(0.52, 1)),
    Function("lgamma", "m.loggamma(x)", of(0.01, 0.9), of(2.1, 100), of(0.9, 2.1),
             of(1e-20, 1e20, "log"), bounds=SPECIAL),
    Function("lgamma", "m.log(abs(m.gamma(x)))", of(-20, 0), types=["f64", "f32"],
             bounds=(0.7, 4), cancels=True),
    Function("digamma", "m.digamma(x)", of(1.6, 100), of(0.01, 1.3), of(1.4, 1.5),
             of(1e-20, 1e20, "log"), bounds=SPECIAL),
    Function("digamma", "m.digamma(x)", of(-20, 0), types=["f64", "f32"], bounds=(1, 4),
             cancels=True),
    Function("polygamma", "m.psi(int(x), y)", ((1, 8), (0.1, 40), "whole"),
             jax="s.polygamma(x.astype(jnp.int32), y)", few=True,
             bounds=(0.7, 6), types=["f64", "f32"]),
    Function("zeta", "m.zeta(x, y)", ((1.1, 40), (0.1, 20)), few=True, bounds=(0.7, 5),
             types=["f64", "f32"]),
    Function("lbeta", "m.loggamma(x) + m.loggamma(y) - m.loggamma(x + y)", ((2, 9), (2, 9)),
             ((1e-3, 1e6), (1e-3, 1e6), "log"),
             types=["f64", "f32"], bounds=(0.7, 4), cancels=True),
    Function("betainc", "m.betainc(x, y, 0, z, regularized=True)",
             ((0.2, 9), (0.2, 9), (0.01, 0.99)),
             ((1, 80), (1, 80), (0.01, 0.99)), jax="s.betainc(x, y, z)", few=True,
             types=["f64", "f32"], bounds=(0.7, 2e2)),
    Function("igamma", "m.gammainc(x, 0, y, regularized=True)", ((0.1, 9), (0.1, 9)),
             ((1, 100), (1, 100)), few=True,
             types=["f64", "f32"], bounds=(0.7, 500)),
    Function("igammac", "m.gammainc(x, y, regularized=True)", ((0.1, 9), (0.1, 9)),
             ((1, 100), (1, 100)), few=True,
             types=["f64", "f32"], bounds=(0.7, 500)),
    Function("igamma_grad_a", "m.diff(lambda a: m.gammainc(a, 0, y, regularized=True), x)",
             ((0.1, 9), (0.1, 9)), few=True,
             types=["f64", "f32"], bounds=(0.7, 100)),
    Function("random_gamma_grad", "-m.diff(lambda a: m.gammainc(a, 0, y, regularized=True), x)"
             " / (m.power(y, x - 1) * m.exp(-y) / m.gamma(x))", ((0.1, 9), (0.1, 9)), few=True,
             types=["f64", "f32"],
             bounds=(0.7, 100)),
    Function("erf_inv", "m.erfinv(x)", of(-1, 1), of(1e-10, 1, "log"), bounds=SPECIAL),
    Function("erfcx", "m.exp(x * x) * m.erfc(x)", of(-5, 40), bounds=SPECIAL),
    Function("ndtr", "m.erfc(-x / m.sqrt(2)) / 2", of(-12, 6), bounds=SPECIAL),
    Function("ndtri", "-m.sqrt(2) * m.erfinv(1 - 2 * x)", of(0.01, 0.45), of(1e-20, 0.4, "log"),
             bounds=SPECIAL),
    Function("log_ndtr",
             "m.log1p(-m.erfc(x / m.sqrt(2)) / 2) if x > 0 else m.log(m.erfc(-x / m.sqrt(2)) "
             "/ 2)", of(-40, 5),
             bounds=SPECIAL),
    Function("bessel_i0e", "m.exp(-abs(x)) * m.besseli(0, x)", of(-40, 40), bounds=SPECIAL),
    Function("bessel_i1e", "m.exp(-abs(x)) * m.besseli(1, x)", of(-40, 40), bounds=SPECIAL),
    Function("bessel_j0", "m.besselj(0, x)", of(-2.3, 2.3), of(-40, 40), bounds=(0.7, 4),
             cancels=True),
    Function("bessel_j1", "m.besselj(1, x)", of(-3.7, 3.7), of(-40, 40), bounds=(0.7, 4),
             cancels=True),
]
# Where results cross zero an error relative to the result says little of any implementation:
# `cancels` bounds it by what rules.py and pairs.py state, in ulp of the terms that cancel.  The
# bound of igamma grows with the logarithm of P.


def types_of(f, asked):
    return [t for t in f.types if t in asked]


def operands(np, f, t, count):
    """Arrays for the function's operands: count samples of each domain, one domain after the
    other."""
    import accuracy
    rng = np.random.default_rng(sum(map(ord, f.name + t)))
    out = [[] for _ in range(f.n)]
    for d in f.domains:
        for i, (lo, hi) in enumerate(d[:f.n]):
            if t == "f16":
                lo, hi = max(min(lo, 1e4), 1e-3 if "log" in d else -6e4), min(hi, 6e4)
            v = np.exp(rng.uniform(np.log(lo), np.log(hi),
                                   count)) if "log" in d else rng.uniform(lo, hi, count)
            out[i].append(np.round(v) if "whole" in d and i == 0 else v)
    return [accuracy.narrow(np, np.concatenate(o), t) for o in out]


def exact(np, f, t, arrays):
    """The exact results as mpmath numbers."""
    import accuracy
    import mpmath
    code = compile(f.reference, f.name, "eval")
    mpmath.mp.dps = 60
    wide = [accuracy.widen(np, a, t) for a in arrays]
    return [mpmath.mpf(eval(code,
                            {"m": mpmath, **dict(zip("xyz", map(mpmath.mpf, map(float, v))))}))
            for v in zip(*wide)]


def off(r, y, t):
    """|y - r| in units of the last place of r; None where the exact result is outside the
    normal numbers of the type."""
    import math
    import mpmath
    digits = DIGITS[t]
    largest = mpmath.mpf(2) ** (15 if t == "f16" else 127)
    if r == 0 or not mpmath.isfinite(r) or abs(r) < SMALLEST[t] or abs(r) >= largest:
        return None
    if not math.isfinite(y):
        return math.inf
    _, e = mpmath.frexp(r)
    return float(abs(mpmath.mpf(y) - r) / mpmath.mpf(2) ** (e - 1 - digits))


def worst(np, f, t, count, truth, result):
    """The worst error of each domain."""
    import accuracy
    y = accuracy.widen(np, np.asarray(result), t).ravel()
    out = []
    for k in range(len(f.domains)):
        part = [off(truth[i], float(y[i]), t) for i in range(k * count, (k + 1) * count)]
        part = [d for d in part if d is not None]
        out.append(max(part) if part else None)
    return out


def case_of(f):
    """As a case of accuracy.py, for its runs of Cotrace and of the peers."""
    return cases.Case(f.name, f.jax, f.torch, f.n, types=f.types, attrs=f.attrs, wrt=[])


ALL = [case_of(f) for f in FUNCTIONS]
