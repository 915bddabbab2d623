/* igamma, igammac, igamma_grad_a, random_gamma_grad: the incomplete gamma functions and their
 * derivative by a.
 *
 * P(a, x) + Q(a, x) = 1.  Three expansions of fixed length, each where it converges in few
 * terms; F = x^a e^-x / Gamma(a + 1):
 *   series     x < a + 1 or x < 3, unless the third:   P = F S, S = 1 + x / (a + 1) (1 + x /
 * (a + 2) (1 + ...));
 *              of all but P for a < 2 only x < 7/4
 *   fraction   above that:                             Q = F a / (x + 1 - a - 1 (1 - a) / (x
 * + 3 - a - ...))
 *   uniform    a >= 20, 0.4 < x / a < 2.35:            Temme's expansion by erfc, of both
 * The series and the fraction are kept as numerator and denominator, without divisions: a and x
 * are brought into the range where neither overflows and F is not yet 0.  Q for a < 1, x < 7/4
 * is not 1 - P but
 *     -expm1(a log x - log Gamma(a + 1)) - a x^a / Gamma(a + 1) sum (-x)^n / (n! (a + n)), n >=
 *     1,
 * whose terms cancel the more the larger x is: a 16th of them is left at 7/4, a 128th would be
 * at 3.
 * Uniform, with m = (x - a) / a and eta^2 / 2 = m - log(1 + m), eta of the sign of m: the
 * smaller of P, Q is
 *     E (sqrt(pi a / 2) erfcx(|eta| sqrt(a / 2)) +- T), E = e^(-a eta^2 / 2) / sqrt(2 pi a), T
 *     = sum a^-k C_k(eta).
 * With s = m / (2 + m), m - log(1 + m) = m s - s^3 A(s^2): no cancellation at m = 0.
 * Derivatives by a: the same expansions in pairs of a value and its derivative.
 * random_gamma_grad is -(dP/da) / (dP/dx) = dx/da at fixed P, the derivative of a sample: F
 * cancels from it, so that it neither overflows nor underflows.
 *
 * Worst error (sampled): f32 0.51 ulp.  f64, in units of (1 + |log y| / 2) ulp: P 8, Q 18,
 * igamma_grad_a 20 (of F);
 * random_gamma_grad 40 ulp.
 * Source: N. Temme, The asymptotic expansion of the incomplete gamma functions, SIAM J. Math.
 * Anal. 10, 1979; A. Gil, J. Segura, N. Temme, SIAM J. Sci. Comput. 34, 2012 (the regions); M.
 * Figurnov, S. Mohamed, A. Mnih, Implicit Reparameterization Gradients, NeurIPS 2018.
 * Coefficients by fit_special.py. */
#include <math.h>

#include "ir/math/math.h"

#define ROOT_TWO_PI 2.50662827463100050242
#define EARLY 1.75 /* the least x for the fraction, by more of its terms */

typedef enum gamma_output { LOWER, UPPER, GRADIENT, SAMPLE } gamma_output;

static const double area[] = {
    0x1.5555555555555p-1, 0x1.9999999999931p-2, 0x1.2492492499b63p-2, 0x1.c71c71c07e808p-3,
    0x1.745d18cd519ep-3, 0x1.3b137b81b5256p-3, 0x1.1115c8701acc7p-3, 0x1.e15487b43de18p-4,
    0x1.b4c7a33c19bccp-4, 0x1.5f4066b6c0d6ep-4, 0x1.0ae26d33da363p-3, -0x1.5f4ac332c7262p-5,
    0x1.0721a6753403bp-2,
};
/* C_k(eta), k = 0 ... 10, of so many terms; of so many for f32. */
static const int temme_n[] = { 27, 27, 25, 23, 21, 19, 17, 15, 11, 9, 7 };
static const int temme_n32[] = { 15, 13, 11, 9, 6, 1, 0, 0, 0, 0, 0 };
static const double temme[] = {
    -0x1.5555555555555p-2, 0x1.5555555555555p-4, -0x1.e573ac901e574p-7, 0x1.2f684bda12f68p-10,
    0x1.71de3a556c734p-12, -0x1.76e06fec7273bp-13, 0x1.48c5892f7cd83p-15,
    -0x1.255370652afc1p-19, -0x1.f1b22f594c6b5p-20, 0x1.bd6d21e4b4109p-21,
    -0x1.7b5f9a2d0465cp-23, 0x1.ccf5ceb7f0d9fp-28, 0x1.6097d55c37c1cp-27,
    -0x1.2d2197c7a2faap-28, 0x1.f6e66d24d5c8ap-31, -0x1.c0d9b6edf2b0bp-36,
    -0x1.0070a87340428p-34, 0x1.ac9475c463659p-36, -0x1.61ca701fd754ap-38,
    0x1.ef98008f5eec2p-44, 0x1.7ba0759769d7cp-42, -0x1.3989bebb193cp-43, 0x1.0104fc4369a3cp-45,
    -0x1.283fe7950ad7bp-51, -0x1.1ca914d71a27cp-49, 0x1.d2e7d5ca48b9p-51,
    -0x1.7cfbcf3db9bfcp-53, -0x1.e573ac901e574p-10, -0x1.c71c71c71c71cp-9, 0x1.5ac056b015acp-9,
    -0x1.0394f6f09e723p-10, 0x1.af83440e53dbcp-13, -0x1.af83440e53dbcp-22,
    -0x1.2fa4ae89e5afp-16, 0x1.00a9cabd6b83ep-17, -0x1.b0bdfcc629cbap-20, 0x1.3f59230a8357cp-28,
    0x1.280f2cde3f847p-23, -0x1.ee23d0cba8aeep-25, 0x1.9aa7a30de114cp-27,
    -0x1.349fbca3a377bp-36, -0x1.1564ecff73d58p-30, 0x1.c9b434bf3c34ep-32,
    -0x1.78a5056f8ce45p-34, 0x1.113e3a466db9ep-44, 0x1.f8041c5540ea2p-38,
    -0x1.9ccf2fab4608bp-39, 0x1.519580a10cd82p-41, -0x1.f3b7a5dcd1851p-53,
    -0x1.c068b448455eap-45, 0x1.6d8a9ef5c1827p-46, -0x1.29b03783db2a2p-48,
    0x1.e9264affa1c17p-61, 0x1.892658e7d5d81p-52, 0x1.0ee643b990ee6p-8, -0x1.5f7268edab4c8p-9,
    0x1.948b0fcd6e9ep-11, 0x1.0db20a88f4696p-19, -0x1.c253efaa1a932p-14, 0x1.bbf43daf4fe53p-15,
    -0x1.ac2d05890f2c3p-17, 0x1.26154ae39151dp-25, 0x1.7058929663937p-20,
    -0x1.522cb05171911p-21, 0x1.32ac81c15d3d7p-23, -0x1.c24bd0e740a6cp-33,
    -0x1.e437343a46f5dp-27, 0x1.ac0d455e2536p-28, -0x1.77c5829460139p-30, 0x1.0962774f638bbp-40,
    0x1.1b1056c188672p-33, -0x1.e9778dbc61371p-35, 0x1.a55da34225759p-37,
    -0x1.2c681309d6007p-48, -0x1.33f39f65c6eeep-40, 0x1.0675f56b95f3bp-41,
    -0x1.be16182b001e8p-44, 0x1.5d3b42a398b8fp-56, 0x1.3f2fe637bc2b8p-47, 0x1.547d93b34e2b6p-11,
    0x1.e13ce465fa859p-13, -0x1.ebfb188b7cap-12, 0x1.18b9b5bf2d984p-12, -0x1.3d2a3a29b5d9dp-14,
    -0x1.0152a1871f27ap-22, 0x1.73df462204ef4p-17, -0x1.7cd6f27b3f02p-18, 0x1.7e0201539310ep-20,
    -0x1.ea23269c140a7p-36, -0x1.6c2dcffbefeefp-23, 0x1.5bde8ef4c4dc7p-24,
    -0x1.4853ced169327p-26, 0x1.50c3f0dd501ebp-39, 0x1.1b66a39794ba9p-29, -0x1.040c53b2491fp-30,
    0x1.d9b15465daec1p-33, -0x1.f46057e1c9d1fp-47, -0x1.812d3d94d533bp-36,
    0x1.587d7a7c1a668p-37, -0x1.328e9df2eb8b6p-39, 0x1.1e54cdbaa3443p-54, 0x1.def3f46a086e5p-43,
    -0x1.c3e0b02da7bf9p-11, 0x1.9b0ff6874f2c4p-11, -0x1.3999a85a4237ap-12,
    -0x1.88f2ae1def9dp-20, 0x1.16908b48ce058p-14, -0x1.4ce3fd902bcadp-15, 0x1.7db4c02846e81p-17,
    0x1.13b3c5b7cb45ep-32, -0x1.c71c074985d3fp-20, 0x1.de37d9f09164cp-21,
    -0x1.ec676cf33153cp-23, 0x1.041515bab6adap-35, 0x1.efe94304ac16bp-26,
    -0x1.e78e449f4e3bep-27, 0x1.d9a9f1a8b7696p-29, -0x1.033ba70791e5ep-42,
    -0x1.b14f212618752p-32, 0x1.9911dbca7ce93p-33, -0x1.7f2fac5e22aaep-35,
    0x1.7088090f49aabp-50, 0x1.49465337812c4p-38, -0x1.6128ac5a4fa71p-12,
    -0x1.247604839c038p-14, 0x1.22be87360ef1fp-12, -0x1.a2042c5148e27p-13,
    0x1.1d1e9cb24760bp-14, 0x1.30bdcf208080ep-23, -0x1.c823fc1b3cc36p-17, 0x1.0d0e229150428p-17,
    -0x1.338eb19652fd9p-19, -0x1.659cfde0bb2ebp-32, 0x1.741504e5c87c2p-22,
    -0x1.8c267becd0c0fp-23, 0x1.9e630225a095bp-25, -0x1.4411c5ac40e35p-46,
    -0x1.b15bbf334c8c3p-28, 0x1.b2a3adb58623dp-29, -0x1.af0f32d677057p-31,
    0x1.762c060bd9bdap-48, 0x1.9b9c5831849dcp-34, 0x1.168ef1b0931c8p-11, -0x1.36773bdb97b48p-11,
    0x1.1c0950d3ecb9dp-12, 0x1.a8411da6cab49p-21, -0x1.5600945495b37p-14, 0x1.d6bdf83130dc1p-15,
    -0x1.3382f4cf48618p-16, -0x1.a74243fa27729p-29, 0x1.d115d4f5dcc68p-19,
    -0x1.10587854fcb37p-19, 0x1.36c8903447d35p-21, 0x1.074e709bf4b8bp-42,
    -0x1.7b2f7de505322p-24, 0x1.9778c6d79bcc1p-25, -0x1.af0ea334cc20ep-27,
    0x1.858ba968e7d04p-44, 0x1.cf0f99fa070bcp-30, 0x1.691879c01efb4p-12, 0x1.b1d75d3346711p-15,
    -0x1.5f3385098cebfp-12, 0x1.26eeb5ece1d9fp-12, -0x1.cc642787368cep-14,
    -0x1.119c70312e0a2p-23, 0x1.d179830b113abp-16, -0x1.3269164e3e304p-16,
    0x1.8467d794bd7f2p-18, 0x1.0f82da50cdaeep-31, -0x1.1c6acec59f442p-20, 0x1.4b12ad51452d5p-21,
    -0x1.7929779607d63p-23, -0x1.6d32eed259534p-40, 0x1.cf11fbdf49e99p-26,
    -0x1.5629b3187b744p-11, 0x1.b8239c670e69p-11, -0x1.cb967b4446107p-12,
    -0x1.762676b30cfd6p-21, 0x1.5d1157082916dp-13, -0x1.0c16fcea7ddb2p-13,
    0x1.84637d3f583cdp-15, 0x1.3937992ec9b02p-28, -0x1.6384af9ac219dp-17, 0x1.c738f198ab55p-18,
    -0x1.1adec9530a7adp-19, -0x1.38dff1cc96982p-11, -0x1.2e31f9b7913eap-14,
    0x1.63969bb825829p-11, -0x1.4f9f2582dd0a5p-11, 0x1.22fb20c28e8ap-12, 0x1.86c71c8cebf16p-23,
    -0x1.63a803aebc9b7p-14, 0x1.00120036172bp-14, -0x1.618fcc48d37bcp-16, 0x1.5d4ae684527bfp-10,
    -0x1.f5dbcaf756cdep-10, 0x1.22b37f1b46951p-10, 0x1.0a9ef61e90004p-20,
    -0x1.0aba998a532bfp-11, 0x1.c01c0b52c3345p-12, -0x1.618e482f9d229p-13,
};

/* ---- a value and its derivative by a ---- */

typedef struct varying {
    ir_sc v, d;
    bool varies; /* false: v does not depend on a, and d is not set */
} varying;

/* The program being built: the parameters are pairs if derivatives are wanted. */
typedef struct gamma_ctx {
    ir_sc_build *b;
    bool wide;
    gamma_output want;
    varying a, x; /* x does not vary */
} gamma_ctx;

static varying
fixed(ir_sc v)
{
    return (varying){ .v = v };
}

static varying
add(ir_sc_build *b, varying x, varying y)
{
    return (varying){ m_add(b, x.v, y.v),
                      !x.varies   ? y.d
                      : !y.varies ? x.d
                                  : m_add(b, x.d, y.d),
                      x.varies || y.varies };
}

static varying
negative(ir_sc_build *b, varying x)
{
    return (varying){ m_neg(b, x.v), x.varies ? m_neg(b, x.d) : 0, x.varies };
}

/* x y + z */
static varying
fma_(ir_sc_build *b, varying x, varying y, varying z)
{
    varying r = { m_fma(b, x.v, y.v, z.v), z.d, x.varies || y.varies || z.varies };

    if (x.varies)
        r.d = z.varies ? m_fma(b, x.d, y.v, r.d) : m_mul(b, x.d, y.v);
    if (y.varies)
        r.d = x.varies || z.varies ? m_fma(b, x.v, y.d, r.d) : m_mul(b, x.v, y.d);
    return r;
}

static varying
mul(ir_sc_build *b, varying x, varying y)
{
    varying r = { m_mul(b, x.v, y.v), 0, x.varies || y.varies };

    if (x.varies)
        r.d = m_mul(b, x.d, y.v);
    if (y.varies)
        r.d = x.varies ? m_fma(b, x.v, y.d, r.d) : m_mul(b, x.v, y.d);
    return r;
}

static varying
quotient(ir_sc_build *b, varying x, varying y)
{
    varying r = { m_div(b, x.v, y.v), 0, x.varies || y.varies };

    if (r.varies) {
        ir_sc top = x.varies ? x.d : m_num(b, x.v, 0);
        r.d = m_div(b, y.varies ? m_fnma(b, r.v, y.d, top) : top, y.v);
    }
    return r;
}

/* ---- the three expansions ---- */

/* S. */
static varying
series(gamma_ctx *g, varying a, varying x)
{
    ir_sc_build *b = g->b;
    varying p = fixed(m_num(b, a.v, 1)), q = p;

    for (int n = g->wide ? 56 : 38; n >= 1; n--) {
        q = mul(b, add(b, a, fixed(m_num(b, a.v, n))), q);
        p = fma_(b, x, p, q);
    }
    return quotient(b, p, q);
}

/* 1 / (x + 1 - a - ...). */
static varying
fraction(gamma_ctx *g, varying a, varying x)
{
    ir_sc_build *b = g->b;
    const int depth = !g->wide ? 22 : g->want == LOWER ? 44 : 60;
    varying from = add(b, x, negative(b, a)), v = fixed(m_num(b, a.v, 1)),
            u = add(b, from, fixed(m_num(b, a.v, 2 * depth + 1)));

    for (int n = depth; n >= 1; n--) {
        varying c = add(b, from, fixed(m_num(b, a.v, 2 * n - 1)));
        varying m = fma_(b, a, fixed(m_num(b, a.v, n)), fixed(m_num(b, a.v, -(double)n * n)));
        varying next = fma_(b, c, u, mul(b, m, v));
        v = u;
        u = next;
    }
    return quotient(b, v, u);
}

/* T, with eta as a pair. */
static varying
uniform(gamma_ctx *g, varying inverse, varying eta)
{
    ir_sc_build *b = g->b;
    const int *terms = g->wide ? temme_n : temme_n32;
    const double *c = temme + sizeof temme / sizeof *temme;
    varying sum = fixed(m_num(b, eta.v, 0));
    bool begun = false;

    for (int k = (int)(sizeof temme_n / sizeof *temme_n) - 1; k >= 0; k--) {
        c -= temme_n[k];
        if (terms[k] == 0)
            continue;
        varying p = fixed(m_num(b, eta.v, c[terms[k] - 1]));
        for (int j = terms[k] - 2; j >= 0; j--)
            p = fma_(b, p, eta, fixed(m_num(b, eta.v, c[j])));
        sum = begun ? fma_(b, sum, inverse, p) : p;
        begun = true;
    }
    return sum;
}

/* What Temme's expansion needs: eta and h = eta / m, m = (x - a) / a. */
typedef struct temme_eta {
    varying eta;
    ir_sc h;
} temme_eta;

/* eta = m h, h = sqrt(2 (q - q^2 s A(s^2))), q = 1 / (2 + m), s = m q; d eta / da = -1 / (h
 * a). */
static temme_eta
angle_of(gamma_ctx *g, ir_sc a, ir_sc x)
{
    ir_sc_build *b = g->b;
    ir_sc inverse = m_div(b, m_num(b, a, 1), a), m = m_div(b, m_sub(b, x, a), a);
    ir_sc right = m_addk(b, m, 2);
    ir_sc q = m_div(b, m_num(b, a, 1), right), s = m_mul(b, m, q), z = m_mul(b, s, s);
    ir_sc product = m_mul(b, s, ir_math_poly(b, z, 13, area));
    ir_sc rest = m_mul(b, m_mul(b, q, q), product);
    ir_sc h = m_sqrt(b, m_mulk(b, m_sub(b, q, rest), 2));
    temme_eta r = { { m_mul(b, m, h), 0, g->want >= GRADIENT }, h };

    r.eta.d = m_neg(b, m_div(b, inverse, h));
    return r;
}

/* ---- the prefactor ---- */

/* x + y and, added to *low, its rounding error (D. Knuth). */
static ir_sc
sum(ir_sc_build *b, ir_sc x, ir_sc y, ir_sc *low)
{
    ir_sc s = m_add(b, x, y), z = m_sub(b, s, x);

    ir_sc difference = m_sub(b, y, z);
    *low = m_add(b, *low, m_add(b, m_sub(b, x, m_sub(b, s, z)), difference));
    return s;
}

/* F = e^(a log(x / w) - x + v - u) / d and the logarithm of x: for a >= 7.5 by Stirling, w = v
 * = a, d = sqrt(2 pi a); below, w = 1, v = 0, Gamma(a + 1) = d e^u.  The exponent is large
 * beside its terms' rounding errors: they are kept.  Where an operand is so large that a
 * product would overflow, the exponent of operands 2^100 times smaller stands for it: it is 0
 * for equal ones, and far below the range for all others. */
static ir_sc
prefactor(gamma_ctx *g, ir_sc *log_x)
{
    ir_sc_build *b = g->b;
    ir_sc high = m_ltk(b, m_max(b, g->a.v, g->x.v), 0x1p900), one = m_num(b, g->a.v, 1);
    ir_sc scale = m_select(b, high, one, m_num(b, one, 0x1p-100)), zero = m_num(b, one, 0);
    ir_sc a = m_mul(b, g->a.v, scale), x = m_mul(b, g->x.v, scale), p, x_tail, a_tail,
          low = zero;
    ir_sc large = m_le(b, m_num(b, a, 7.5), a), small = m_ltk(b, a, 1.5),
          above = ir_math_above(b, a, 7.5);
    ir_sc lx = ir_math_log_pair(b, x, &x_tail), la = ir_math_log_pair(b, above, &a_tail);
    ir_sc middle =
        ir_math_gamma_factors(b, ir_math_above(b, ir_math_below(b, a, 7.5), 1.5), &p);
    ir_sc u = m_select(b, small, ir_math_lgamma1p(b, ir_math_below(b, a, 1.5)), middle);

    u = m_select(b, large, ir_math_stirling(b, above), u);
    *log_x = m_add(b, lx, x_tail);
    /* not small beside the heads */
    ir_sc tail = m_sub(b, x_tail, m_select(b, large, a_tail, zero));
    ir_sc l = sum(b, sum(b, lx, m_select(b, large, m_neg(b, la), zero), &low), tail, &low);
    ir_sc e = m_mul(b, a, l), rest = m_fma(b, a, low, m_fma(b, a, l, m_neg(b, e)));
    ir_sc right = m_neg(b, x);
    ir_sc from = sum(b, m_select(b, large, a, zero), right, &rest);
    ir_sc negative_u = m_neg(b, u);
    e = sum(b, sum(b, e, from, &rest), negative_u, &rest);

    ir_sc product = m_mul(b, a, p);
    ir_sc d = m_select(b, small, m_num(b, a, 1), product),
          f = eval_exp(b, NULL, COT_F64, COT_F64, &e);
    d = m_select(b, large, m_mulk(b, m_sqrt(b, ir_math_above(b, g->a.v, 7.5)), ROOT_TWO_PI), d);
    return m_div(b, m_fma(b, f, rest, f), d);
}

/* Q for a < 1, x < EARLY: `l` is log x. */
static ir_sc
small_upper(gamma_ctx *g, ir_sc l)
{
    ir_sc_build *b = g->b;
    ir_sc a = ir_math_below(b, g->a.v, 1), x = ir_math_below(b, g->x.v, EARLY),
          e = m_fma(b, a, l, m_neg(b, ir_math_lgamma1p(b, a)));
    ir_sc p = m_num(b, a, 0), q = m_num(b, a, 1), t = q, w = m_addk(b, ir_math_expm1(b, e), 1);

    /* sum of t_n / (a + n) over a common divisor, t_n = (-x)^n / n! */
    for (int n = 1; n <= (g->wide ? 23 : 17); n++) {
        ir_sc d = m_addk(b, a, n);
        t = m_mul(b, t, m_mulk(b, x, -1.0 / n));
        p = m_fma(b, p, d, m_mul(b, t, q));
        q = m_mul(b, q, d);
    }
    ir_sc power = ir_math_expm1(b, e);
    ir_sc right = m_div(b, p, q);
    return m_neg(b, m_fma(b, m_mul(b, a, w), right, power));
}

/* ---- values ---- */

typedef struct region { ir_sc uniform, series, tiny, low; } region;

/* Which expansion; the parameters of the others are harmless. */
static region
choose(gamma_ctx *g)
{
    ir_sc_build *b = g->b;
    const bool lower = g->want == LOWER;
    ir_sc a = g->a.v, x = g->x.v, early = m_num(b, a, EARLY), until = m_addk(b, a, 1);
    ir_sc above = m_lt(b, m_mulk(b, a, 0.4), x), below = m_lt(b, x, m_mulk(b, a, 2.35));
    ir_sc large = m_le(b, m_num(b, a, 20), a);
    region r;

    r.uniform = m_and(b, large, m_and(b, above, below));
    until = lower ? m_max(b, m_num(b, a, 3), until) : m_select(b, m_ltk(b, a, 2), early, until);
    r.series = m_lt(b, x, until);
    ir_sc less = m_lt(b, x, early);
    r.tiny = m_and(b, m_ltk(b, a, 1), less);
    r.low = m_lt(b, x, a); /* P is the smaller one in the uniform expansion */
    return r;
}

/* The parameters where the series or the fraction is used and F is not 0: both finite, with
 * room for the products. */
static void
within(gamma_ctx *g, bool fraction, varying *a, varying *x)
{
    ir_sc_build *b = g->b;

    *a = g->a;
    a->v = ir_math_below(b, a->v, 2400);
    ir_sc low = ir_math_below(b, g->x.v, fraction ? 5700 : 1000);
    *x = fixed(fraction ? ir_math_above(b, low, g->want == LOWER ? 3 : EARLY) : low);
}

/* E (sqrt(pi a / 2) erfcx + sign T): the smaller one of P and Q. */
static ir_sc
uniform_value(gamma_ctx *g, region r)
{
    ir_sc_build *b = g->b;
    ir_sc a = ir_math_above(b, g->a.v, 20), inverse = m_div(b, m_num(b, a, 1), a),
          root = m_sqrt(b, a);
    temme_eta w = angle_of(g, a, m_select(b, r.uniform, g->x.v, a));
    ir_sc t = uniform(g, fixed(inverse), w.eta).v,
          z = m_mul(b, m_mulk(b, m_abs(b, w.eta.v), 0.70710678118654752440), root);
    ir_sc e = m_mulk(b, m_mul(b, m_mul(b, w.eta.v, w.eta.v), a), -0.5);
    ir_sc erfcx = ir_math_erfcx(b, z);
    ir_sc scaled = m_mul(b, m_mulk(b, root, 1.25331413731550025121), erfcx);

    ir_sc product = m_mulk(b, root, ROOT_TWO_PI);
    e = m_div(b, eval_exp(b, NULL, COT_F64, COT_F64, &e), product);
    return m_mul(b, e, m_add(b, scaled, m_select(b, r.low, m_neg(b, t), t)));
}

/* P or Q for a > 0, x > 0, both finite. */
static ir_sc
value(gamma_ctx *g)
{
    ir_sc_build *b = g->b;
    region r = choose(g);
    ir_sc one = m_num(b, g->a.v, 1), l, f = prefactor(g, &l), t = uniform_value(g, r);
    varying a, x;

    within(g, false, &a, &x);
    ir_sc p = m_mul(b, f, series(g, a, x).v);
    within(g, true, &a, &x);
    ir_sc right = fraction(g, a, x).v;
    ir_sc q = m_mul(b, m_mul(b, f, a.v), right);
    bool upper = g->want == UPPER;
    ir_sc other_p = m_sub(b, one, p), other_q = m_sub(b, one, q), other_t = m_sub(b, one, t);
    if (upper)
        other_p = m_select(b, r.tiny, small_upper(g, l), other_p);
    ir_sc y = m_select(b, r.series, upper ? other_p : p, upper ? q : other_q);
    ir_sc both = m_select(b, r.low, upper ? other_t : t, upper ? t : other_t);
    return m_select(b, r.uniform, both, y);
}

/* dP/da, or -(dP/da) / (dP/dx), for a > 0, x > 0, both finite. */
static ir_sc
derivative(gamma_ctx *g)
{
    ir_sc_build *b = g->b;
    region r = choose(g);
    bool sample = g->want == SAMPLE;
    ir_sc l, f = prefactor(g, &l), a = g->a.v, x = g->x.v, one = m_num(b, a, 1);
    ir_sc inverse = m_div(b, one, a), ratio = m_mul(b, x, inverse), near = m_lt(b, a, one);
    /* 1 / a would cancel from that of a */
    ir_sc d = ir_math_digamma(b, m_select(b, near, m_addk(b, a, 1), a));
    ir_sc psi = m_select(b, near, m_sub(b, d, inverse), d),
          next = m_select(b, near, d, m_add(b, d, inverse));
    varying u, v;

    within(g, false, &u, &v);
    varying s = series(g, u, v);
    ir_sc p = m_fma(b, s.v, m_sub(b, l, next), s.d);
    within(g, true, &u, &v);
    varying c = fraction(g, u, v);
    ir_sc q = m_fma(b, c.v, m_sub(b, l, psi), c.d);

    ir_sc ua = ir_math_above(b, a, 20), ui = m_div(b, one, ua),
          ux = m_select(b, r.uniform, x, ua);
    temme_eta w = angle_of(g, ua, ux);
    varying t = uniform(g, (varying){ ui, m_neg(b, m_mul(b, ui, ui)), true }, w.eta);
    ir_sc half = m_mulk(b, m_mul(b, w.eta.v, w.eta.v), 0.5),
          log = m_sub(b, m_div(b, m_sub(b, ux, ua), ua), half);
    ir_sc product = m_mulk(b, w.eta.v, 0.5);
    ir_sc k = m_sub(b, m_div(b, one, w.h), product);
    k = m_add(b, k, m_fma(b, t.v, m_fma(b, ui, m_num(b, ui, -0.5), log), t.d));
    ir_sc otherwise = sample ? m_mul(b, x, q) : m_neg(b, m_mul(b, m_mul(b, f, u.v), q));
    ir_sc y = m_select(b, r.series, sample ? m_neg(b, m_mul(b, ratio, p)) : m_mul(b, f, p),
                       otherwise);
    ir_sc more = ir_math_stirling(b, ua), scale = eval_exp(b, NULL, COT_F64, COT_F64, &more);
    scale = m_mul(b, scale, sample ? ratio : f); /* E = F e^stirling */
    scale = m_mul(b, scale, sample ? k : m_neg(b, k));
    return m_select(b, r.uniform, scale, y);
}

/* With the values at the ends: x = 0 and x = inf, a = 0 and a = inf where there is a limit. */
static ir_sc
incomplete(ir_sc_build *b, bool wide, gamma_output want, ir_sc a, ir_sc x)
{
    ir_sc zero = m_num(b, a, 0), one = m_num(b, a, 1), infinity = m_num(b, a, (double)INFINITY),
          nan = m_num(b, a, (double)NAN);
    ir_sc less = m_lt(b, x, infinity);
    ir_sc both = m_and(b, m_lt(b, zero, x), less);
    ir_sc right = m_lt(b, a, infinity);
    ir_sc usual = m_and(b, m_and(b, m_lt(b, zero, a), right), both);
    gamma_ctx g = { b,
                    wide,
                    want,
                    { m_select(b, usual, a, one), one, want >= GRADIENT },
                    fixed(m_select(b, usual, x, one)) };
    ir_sc y = want <= UPPER ? value(&g) : derivative(&g);
    ir_sc less_x = m_lt(b, zero, x);
    ir_sc at_a0 = m_and(b, m_eq(b, a, zero), less_x);
    ir_sc less_a = m_lt(b, zero, a);
    ir_sc at_x0 = m_and(b, m_eq(b, x, zero), less_a);
    ir_sc less_infinity = m_lt(b, x, infinity);
    ir_sc other = m_and(b, m_le(b, zero, x), less_infinity);
    ir_sc at_a = m_and(b, m_eq(b, a, infinity), other);
    ir_sc second = m_lt(b, a, infinity);
    ir_sc third = m_and(b, m_lt(b, zero, a), second);
    ir_sc at_x = m_and(b, m_eq(b, x, infinity), third);
    ir_sc full = want == LOWER ? one : want == UPPER ? zero : want == GRADIENT ? zero : nan;
    ir_sc none = want == LOWER ? zero : want == UPPER ? one : zero;

    if (want <= UPPER)          /* a rounding beyond 0 or 1 would make a logarithm of it NaN */
        y = m_min(b, m_max(b, y, zero), one);
    y = m_select(b, usual, y, nan);
    y = m_select(b, at_x, full, y);
    y = m_select(b, at_x0, none, y);
    if (want > UPPER)
        return y;
    y = m_select(b, at_a0, full, y);
    return m_select(b, at_a, none, y);
}

static ir_sc
of(ir_sc_build *b, cot_dtype in, gamma_output want, const ir_sc *x)
{
    ir_sc converted = m_cvt(b, COT_F64, x[1]);
    return m_cvt(b, in, incomplete(b, in == COT_F64, want, m_cvt(b, COT_F64, x[0]), converted));
}

ir_sc
eval_igamma(MATH_ARGS)
{
    return of(b, in, LOWER, x);
}
ir_sc
eval_igammac(MATH_ARGS)
{
    return of(b, in, UPPER, x);
}
ir_sc
eval_igamma_grad_a(MATH_ARGS)
{
    return of(b, in, GRADIENT, x);
}
ir_sc
eval_random_gamma_grad(MATH_ARGS)
{
    return of(b, in, SAMPLE, x);
}

/* gamma_sample returns the sample itself: the op exists so that the sample has a derivative
 * rule. */
ir_sc
eval_gamma_sample(MATH_ARGS)
{
    return x[1];
}
