/* Special functions against MPFR: f64 and f32 over the ranges where they are of use, and their
 * special values.
 *
 * The distance is in ulp of the exact value, or of the scale of exact.h where terms cancel.
 * ULP=1 prints the worst of each. */
#include <stdio.h>

#include "cotrace/cotrace.h"
#include "tests/exact.h"
#include "tests/unit/judged.h"

enum { SAMPLES = 160 };

/* ---- the judge ---- */

/* Samples from [lo, hi] of each operand: evenly, or with `log` evenly in the exponent.  `whole`
 * rounds operand 0.
 * The reference of the inverses takes the result in place of y. */
typedef struct row {
    ir_op op;
    reference *exact;
    double lo, hi, lo2, hi2;
    double bound32, bound64;
    bool log, whole, inverse;
} row;

static const row rows[] = {
    { OP_lgamma, lgamma_at, 0.1, 12, 0, 0, 0.6, 3, 0, 0, 0 },
    { OP_lgamma, lgamma_at, 0.9, 2.1, 0, 0, 0.6, 3, 0, 0, 0 },
    { OP_lgamma, lgamma_at, 1e-30, 1e30, 0, 0, 0.6, 3, 1, 0, 0 },
    { OP_lgamma, lgamma_at, -20, 0, 0, 0, 0.7, 4, 0, 0, 0 },
    { OP_digamma, digamma_at, 1e-2, 15, 0, 0, 0.6, 3, 0, 0, 0 },
    { OP_digamma, digamma_at, 1.4, 1.5, 0, 0, 0.6, 3, 0, 0, 0 },
    { OP_digamma, digamma_at, 1e-30, 1e30, 0, 0, 0.6, 3, 1, 0, 0 },
    { OP_digamma, digamma_at, -20, 0, 0, 0, 1, 6, 0, 0, 0 },
    { OP_zeta, zeta_at, 1.01, 60, 0.1, 40, 0.6, 5, 0, 0, 0 },
    { OP_zeta, zeta_at, 1.001, 3, 1e-3, 1e5, 0.6, 5, 1, 0, 0 },
    { OP_polygamma, polygamma_at, 1, 8, 0.05, 40, 0.6, 6, 0, 1, 0 },
    { OP_polygamma, polygamma_at, 1, 60, 1, 40, 0.6, 6, 0, 1, 0 },
    { OP_lbeta, lbeta_at, 0.01, 9, 0.01, 9, 0.7, 4, 0, 0, 0 },
    { OP_lbeta, lbeta_at, 1e-3, 1e8, 1e-3, 1e8, 0.7, 6, 1, 0, 0 },
    { OP_igamma, igamma_at, 0.05, 2, 0.01, 6, 0.7, 10, 0, 0, 0 },
    { OP_igamma, igamma_at, 0.5, 25, 0.5, 40, 0.7, 10, 0, 0, 0 },
    { OP_igamma, igamma_at, 20, 200, 20, 200, 0.7, 10, 0, 0, 0 },
    { OP_igamma, igamma_at, 0.001, 300, 0.001, 300, 0.7, 10, 1, 0, 0 },
    { OP_igammac, igammac_at, 0.05, 2, 0.01, 6, 0.7, 20, 0, 0, 0 },
    { OP_igammac, igammac_at, 0.5, 25, 0.5, 40, 0.7, 20, 0, 0, 0 },
    { OP_igammac, igammac_at, 20, 200, 20, 200, 0.7, 20, 0, 0, 0 },
    { OP_igammac, igammac_at, 0.001, 300, 0.001, 300, 0.7, 20, 1, 0, 0 },
    { OP_igamma_grad_a, grad_a_at, 0.05, 2, 0.01, 6, 0.7, 25, 0, 0, 0 },
    { OP_igamma_grad_a, grad_a_at, 0.5, 25, 0.5, 40, 0.7, 25, 0, 0, 0 },
    { OP_igamma_grad_a, grad_a_at, 20, 200, 20, 200, 0.7, 25, 0, 0, 0 },
    { OP_igamma_grad_a, grad_a_at, 0.001, 300, 0.001, 300, 0.7, 25, 1, 0, 0 },
    { OP_random_gamma_grad, sample_at, 0.05, 2, 0.01, 6, 0.7, 50, 0, 0, 0 },
    { OP_random_gamma_grad, sample_at, 0.5, 25, 0.5, 40, 0.7, 50, 0, 0, 0 },
    { OP_random_gamma_grad, sample_at, 20, 200, 20, 200, 0.7, 50, 0, 0, 0 },
    { OP_random_gamma_grad, sample_at, 0.001, 300, 0.001, 300, 0.7, 50, 1, 0, 0 },
    { OP_erf_inv, erf_inv_at, -1, 1, 0, 0, 0.6, 2.5, 0, 0, 1 },
    { OP_erf_inv, erf_inv_at, 1e-30, 1, 0, 0, 0.6, 2.5, 1, 0, 1 },
    { OP_erf_inv, erf_inv_at, 0.9999, 1, 0, 0, 0.6, 2.5, 0, 0, 1 },
    { OP_ndtri, ndtri_at, 0, 1, 0, 0, 0.6, 4, 0, 0, 1 },
    { OP_ndtri, ndtri_at, 1e-300, 0.5, 0, 0, 0.6, 4, 1, 0, 1 },
    { OP_erfcx, erfcx_at, -5, 40, 0, 0, 0.6, 3, 0, 0, 0 },
    { OP_erfcx, erfcx_at, -26, 0.6, 0, 0, 0.6, 3, 0, 0, 0 },
    { OP_ndtr, ndtr_at, -37, 8, 0, 0, 0.6, 3, 0, 0, 0 },
    { OP_log_ndtr, log_ndtr_at, -50, 9, 0, 0, 0.6, 3, 0, 0, 0 },
    { OP_log_ndtr, log_ndtr_at, -2, 35, 0, 0, 0.6, 3, 0, 0, 0 },
    { OP_bessel_i0e, i0e_at, -20, 300, 0, 0, 0.6, 3, 0, 0, 0 },
    { OP_bessel_i0e, i0e_at, -9, 9, 0, 0, 0.6, 3, 0, 0, 0 },
    { OP_bessel_i1e, i1e_at, -20, 300, 0, 0, 0.6, 3, 0, 0, 0 },
    { OP_bessel_i1e, i1e_at, -9, 9, 0, 0, 0.6, 3.5, 0, 0, 0 },
    { OP_bessel_j0, j0_at, -5, 5, 0, 0, 0.6, 5, 0, 0, 0 },
    { OP_bessel_j0, j0_at, -40, 1000, 0, 0, 0.6, 5, 0, 0, 0 },
    { OP_bessel_j1, j1_at, -5, 5, 0, 0, 0.6, 5, 0, 0, 0 },
    { OP_bessel_j1, j1_at, -40, 1000, 0, 0, 0.6, 5, 0, 0, 0 },
    { OP_hypot, hypot_at, 1e-300, 1e300, 1e-300, 1e300, 0.6, 1, 1, 0, 0 },
    { OP_hypot, hypot_at, -3, 3, -3, 3, 0.6, 1, 0, 0, 0 },
    { OP_logaddexp, logaddexp_at, -50, 50, -50, 50, 2, 2, 0, 0, 0 },
};
#define ROWS ((int)(sizeof rows / sizeof *rows))

static double
sample(double lo, double hi, bool log_scale)
{
    return log_scale ? exp(uniform(log(lo), log(hi))) : uniform(lo, hi);
}

static void
fill(const row *r, bool wide)
{
    double lo = !wide && r->log && r->lo < 1e-37 ? 1e-37 : r->lo,
           hi = !wide && r->hi > 1e38 ? 1e38 : r->hi;
    double lo2 = !wide && r->log && r->lo2 < 1e-37 ? 1e-37 : r->lo2,
           hi2 = !wide && r->hi2 > 1e38 ? 1e38 : r->hi2;

    for (int i = 0; i < SAMPLES; i++) {
        double u = sample(lo, hi, r->log), v = r->hi2 != 0 ? sample(lo2, hi2, r->log) : 0;
        u = r->whole ? nearbyint(u) : u;
        x[i] = wide ? u : (double)(float)u;
        x2[i] = wide ? v : (double)(float)v;
    }
}

/* In ulp of the exact value, or of the scale where that is larger. */
static double
distance(double got, const mpfr_t r, double scale, bool wide)
{
    int e;

    if (scale <= fabs(mpfr_get_d(r, MPFR_RNDN)))
        return ulp_distance_exact(got, r, wide);
    mpfr_t d;
    mpfr_init2(d, BITS);
    mpfr_set_d(d, got, MPFR_RNDN);
    mpfr_sub(d, d, r, MPFR_RNDN);
    double off = fabs(mpfr_get_d(d, MPFR_RNDN));
    mpfr_clear(d);
    frexp(scale, &e);
    return isfinite(off) ? off / (double)ulp_of(e, wide) : INFINITY;
}

static void
judge(const row *r, bool wide)
{
    double worst = 0, at = 0, at2 = 0, bound = wide ? r->bound64 : r->bound32;
    mpfr_t exact;

    mpfr_init2(exact, BITS);
    fill(r, wide);
    run(r->op, wide, ir_ops[r->op].n_in, SAMPLES);
    for (int i = 0; i < SAMPLES; i++) {
        double scale = 0;
        r->exact(exact, x[i], r->inverse ? y[i] : x2[i], &scale);
        double d = mpfr_regular_p(exact) || mpfr_zero_p(exact)
                       ? distance(y[i], exact, scale, wide)
                       : 0;
        if (d > worst || d != d) {
            worst = d == d ? d : INFINITY;
            at = x[i];
            at2 = x2[i];
        }
    }
    mpfr_clear(exact);
    if (getenv("ULP") != NULL)
        printf("%-12s %s [%g, %g] %.3f at %a, %a\n", ir_ops[r->op].name, wide ? "f64" : "f32",
               r->lo, r->hi, worst, at, at2);
    ck_assert_msg(worst <= bound, "%s of %a, %a is off by %.3f ulp", ir_ops[r->op].name, at,
                  at2, worst);
}

START_TEST(f32_within_bounds)
{
    judge(&rows[_i], false);
}
END_TEST

START_TEST(f64_within_bounds)
{
    judge(&rows[_i], true);
}
END_TEST

/* ---- special values, as XLA and SciPy have them ---- */

static const struct { ir_op op; double x, y, want;
} values[] = {
    { OP_lgamma, 0, 0, INFINITY },
    { OP_lgamma, -0.0, 0, INFINITY },
    { OP_lgamma, 1, 0, 0 },
    { OP_lgamma, 2, 0, 0 },
    { OP_lgamma, -3, 0, INFINITY },
    { OP_lgamma, INFINITY, 0, INFINITY },
    { OP_lgamma, -INFINITY, 0, INFINITY },
    { OP_lgamma, NAN, 0, NAN },
    { OP_lgamma, -1e300, 0, INFINITY },
    { OP_digamma, 0, 0, NAN },
    { OP_digamma, -2, 0, NAN },
    { OP_digamma, INFINITY, 0, INFINITY },
    { OP_digamma, -INFINITY, 0, NAN },
    { OP_digamma, NAN, 0, NAN },
    { OP_zeta, 1, 2, INFINITY },
    { OP_zeta, 0.5, 1, NAN },
    { OP_zeta, 3, 0, INFINITY },
    { OP_zeta, 3, -2, INFINITY },
    { OP_zeta, 2.5, -0.5, NAN },
    { OP_zeta, 2, INFINITY, 0 },
    { OP_zeta, INFINITY, 2, 0 },
    { OP_zeta, NAN, 2, NAN },
    { OP_polygamma, 1, 0, INFINITY },
    { OP_polygamma, 1, -1, INFINITY },
    { OP_polygamma, 2, 0, -INFINITY },
    { OP_polygamma, 2, -1, -INFINITY },
    { OP_polygamma, 30, -7, -INFINITY },
    { OP_polygamma, 31, -7, INFINITY },
    { OP_polygamma, 6.5, -2.5, NAN },
    { OP_polygamma, 0, 0, NAN },
    { OP_polygamma, 3, -INFINITY, INFINITY },
    { OP_polygamma, 2, INFINITY, -0.0 },
    { OP_zeta, 2, -1e30, INFINITY },
    { OP_zeta, 1e30, 2, 0 },
    { OP_zeta, 1e30, 1, 1 },
    { OP_zeta, 1e30, 0.5, INFINITY },
    { OP_zeta, 1, NAN, NAN },
    { OP_zeta, -3, 2, NAN },
    { OP_zeta, 2, -INFINITY, INFINITY },
    { OP_lgamma, -1e15, 0, INFINITY },
    { OP_digamma, -1e15, 0, NAN },
    { OP_ndtr, -0x1p-149, 0, 0.5 },
    { OP_erfcx, -1e30, 0, INFINITY },
    { OP_bessel_i0e, -0x1p-149, 0, 1 },
    { OP_bessel_j0, 0x1p-149, 0, 1 },
    { OP_bessel_j1, -INFINITY, 0, -0.0 },
    { OP_igamma, 0x1p-149, 1, 1 },
    { OP_igamma, 1, 1e38, 1 },
    { OP_igammac, INFINITY, INFINITY, NAN },
    { OP_igamma, 0, INFINITY, 1 },
    { OP_igammac, 0, 0, NAN },
    { OP_igamma, -0.0, 1, 1 },
    { OP_igammac, 1e38, 1e30, 1 },
    { OP_lbeta, 0, 0, INFINITY },
    { OP_lbeta, 0, 3e38, INFINITY },
    { OP_lbeta, 0, INFINITY, NAN },
    { OP_lbeta, -1, 2, INFINITY },
    { OP_polygamma, 0.5, 2, NAN },
    { OP_polygamma, -1, 2, NAN },
    { OP_polygamma, 2, NAN, NAN },
    { OP_polygamma, 1, INFINITY, 0 },
    { OP_igamma, 0, 1, 1 },
    { OP_igamma, 0, 0, NAN },
    { OP_igamma, 2, 0, 0 },
    { OP_igamma, 2, INFINITY, 1 },
    { OP_igamma, INFINITY, 3, 0 },
    { OP_igamma, -1, 2, NAN },
    { OP_igamma, 2, -1, NAN },
    { OP_igamma, NAN, 1, NAN },
    { OP_igammac, 0, 1, 0 },
    { OP_igammac, 2, 0, 1 },
    { OP_igammac, 2, INFINITY, 0 },
    { OP_igammac, INFINITY, 3, 1 },
    { OP_igammac, 1, NAN, NAN },
    { OP_igamma, 1e30, 1e35, 1 },
    { OP_igammac, 1e30, 1, 1 },
    { OP_igammac, 1, 1e30, 0 },
    { OP_igamma_grad_a, 2, 0, 0 },
    { OP_igamma_grad_a, 2, INFINITY, 0 },
    { OP_igamma_grad_a, -2, 1, NAN },
    { OP_random_gamma_grad, 2, 0, 0 },
    { OP_random_gamma_grad, -2, 1, NAN },
    { OP_igamma, DBL_MAX, 2, 0 },
    { OP_igammac, DBL_MAX, 2, 1 },
    { OP_lbeta, 1, 1, 0 },
    { OP_lbeta, 0, 2, INFINITY },
    { OP_lbeta, 1, INFINITY, -INFINITY },
    { OP_lbeta, NAN, 1, NAN },
    { OP_erf_inv, 0, 0, 0 },
    { OP_erf_inv, -0.0, 0, -0.0 },
    { OP_erf_inv, 1, 0, INFINITY },
    { OP_erf_inv, -1, 0, -INFINITY },
    { OP_erf_inv, 1.5, 0, NAN },
    { OP_erf_inv, -INFINITY, 0, NAN },
    { OP_erf_inv, NAN, 0, NAN },
    { OP_ndtri, 0.5, 0, 0 },
    { OP_ndtri, 0, 0, -INFINITY },
    { OP_ndtri, 1, 0, INFINITY },
    { OP_ndtri, -1, 0, NAN },
    { OP_ndtri, 2, 0, NAN },
    { OP_ndtri, NAN, 0, NAN },
    { OP_erfcx, INFINITY, 0, 0 },
    { OP_erfcx, -INFINITY, 0, INFINITY },
    { OP_erfcx, 0, 0, 1 },
    { OP_erfcx, NAN, 0, NAN },
    { OP_ndtr, INFINITY, 0, 1 },
    { OP_ndtr, -INFINITY, 0, 0 },
    { OP_ndtr, 0, 0, 0.5 },
    { OP_ndtr, NAN, 0, NAN },
    { OP_log_ndtr, 100, 0, -0.0 },
    { OP_log_ndtr, INFINITY, 0, -0.0 },
    { OP_log_ndtr, -INFINITY, 0, -INFINITY },
    { OP_log_ndtr, NAN, 0, NAN },
    { OP_bessel_i0e, INFINITY, 0, 0 },
    { OP_bessel_i0e, 0, 0, 1 },
    { OP_bessel_i0e, NAN, 0, NAN },
    { OP_bessel_i1e, -INFINITY, 0, -0.0 },
    { OP_bessel_i1e, -0.0, 0, -0.0 },
    { OP_bessel_i1e, NAN, 0, NAN },
    { OP_bessel_j0, 0, 0, 1 },
    { OP_bessel_j0, -INFINITY, 0, 0 },
    { OP_bessel_j0, NAN, 0, NAN },
    { OP_bessel_j1, -0.0, 0, -0.0 },
    { OP_bessel_j1, INFINITY, 0, 0 },
    { OP_bessel_j1, NAN, 0, NAN },
    { OP_hypot, 0, -0.0, 0 },
    { OP_hypot, -INFINITY, NAN, INFINITY },
    { OP_hypot, NAN, 1, NAN },
    { OP_hypot, -3, 4, 5 },
    { OP_logaddexp, -INFINITY, -INFINITY, -INFINITY },
    { OP_logaddexp, INFINITY, INFINITY, INFINITY },
    { OP_logaddexp, INFINITY, -INFINITY, INFINITY },
    { OP_logaddexp, -INFINITY, 3, 3 },
    { OP_logaddexp, NAN, 1, NAN },
    { OP_nextafter, 1, 2, 0 },
    { OP_nextafter, 0, -0.0, -0.0 },
    { OP_nextafter, INFINITY, INFINITY, INFINITY },
    { OP_nextafter, NAN, 1, NAN },
    { OP_nextafter, 1, NAN, NAN },
    { OP_nextafter, -0.0, 1, 0 },
    { OP_nextafter, 0, -1, 0 },
    { OP_nextafter, INFINITY, 0, 0 },
    { OP_nextafter, -1, INFINITY, 0 },
    { OP_nextafter, 1, 0, 0 },
};

START_TEST(special_values)
{
    ir_op op = values[_i].op;
    bool wide = false;

    do {
        double want = values[_i].want;
        x[0] = values[_i].x;
        x2[0] = values[_i].y;
        if (op == OP_nextafter)         /* libm knows */
            want =
                wide ? nextafter(x[0], x2[0]) : (double)nextafterf((float)x[0], (float)x2[0]);
        run(op, wide, ir_ops[op].n_in, 1);
        ck_assert_msg(
            isnan(want) ? isnan(y[0]) : y[0] == want && !signbit(y[0]) == !signbit(want),
            "%s(%g, %g) is %a in %s", ir_ops[op].name, x[0], x2[0], y[0], wide ? "f64" : "f32");
        wide = !wide;
    } while (wide);
}
END_TEST

/* Formats: bf16 is 8 bits of exponent and 7 of mantissa, but for subnormal numbers, which
 * become 0. */
START_TEST(reduced_precision)
{
    static const struct { int e, m; double x, want;
    } row[] = {
        { 5, 10, 1.2345, 0x1.3cp0 },
        { 5, 10, 65520, INFINITY },
        { 5, 10, 65519, 65504 },
        { 5, 10, 0x1p-15, 0 },
        { 5, 10, -0x1p-14, -0x1p-14 },
        { 5, 2, -57344, -57344 },
        { 4, 3, NAN, NAN },
        { 4, 3, -INFINITY, -INFINITY },
        { 8, 0, 1.5, 2 },
        { 8, 7, 0x1.81p0, 0x1.8p0 },
        { 8, 7, 0x1.83p0, 0x1.84p0 },
        { 63, 63, 0x1p-149, 0x1p-149 },
        { 2, 1, 3, 3 },
        { 2, 1, -4, -INFINITY },
        { 2, 1, 0.5, 0 },
    };
    cot_dtype in[1] = { _i % 2 ? COT_F64 : COT_F32 };
    ir_attrs at = { .precision = { row[_i / 2].e, row[_i / 2].m } };
    const ir_sc_program *p = ir_sc_of(ctx, OP_reduce_precision, &at, 1, in, in[0]);
    double v = row[_i / 2].x, got;
    float narrow = (float)v, r;

    ir_sc_run(&arena, p, 1, _i % 2 ? (void *)&got : (void *)&r,
              (const void *[]){ _i % 2 ? (void *)&v : (void *)&narrow });
    got = _i % 2 ? got : (double)r;
    double want = row[_i / 2].want;
    ck_assert_msg(isnan(want) ? isnan(got) : got == want && !signbit(got) == !signbit(v),
                  "%g to %d, %d is %g", v, row[_i / 2].e, row[_i / 2].m, got);
}
END_TEST

/* ---- kernels ---- */

#define BODY(name)                                                                             \
    static void name(cot_trace *t, const cot_value *in, cot_value *out, void *user)
BODY(with_branches)
{
    (void)t, (void)user;
    out[0] = cot_lgamma(in[0]);
    out[1] = cot_digamma(in[0]);
    out[2] = cot_ndtri(in[1]);
    out[3] = cot_erf_inv(in[1]);
}

/* A branch of the program is one for all lanes: arguments on both of its sides, mixed in one
 * vector and in vectors of their own. */
START_TEST(branches_are_taken_lane_by_lane)
{
    enum { N = 93, BITS = 3, OUT = 4 };
    static const ir_op op[OUT] = { OP_lgamma, OP_digamma, OP_ndtri, OP_erf_inv };
    static const int bits[BITS] = { 32, 128, 256 };
    const bool wide = _i % 2;
    const cot_type type = wide ? cot_f64(N) : cot_f32(N);
    cot_fn *f = cot_fn_new(ctx, "f", with_branches, 2, OUT, NULL);
    const cot_compile_options o = { .vector_bits = bits[_i / 2] };
    cot_array *arg[2], *out[OUT];
    cot_kernel *k;

    ck_assert_int_eq(cot_compile(f, COT_TYPES(type, type), &o, &k), COT_OK);
    for (int i = 0; i < 2; i++)
        arg[i] = cot_array_new(ctx, type);
    for (int i = 0; i < N; i++) {
        const double at[2] = { uniform(-9, 9),
                               i % 3 ? uniform(0, 1) : pow(2, uniform(-100, -20)) };
        for (int j = 0; j < 2; j++)
            if (wide)
                ((double *)cot_array_data(arg[j]))[i] = i >= 64 ? fabs(at[j]) : at[j];
            else
                ((float *)cot_array_data(arg[j]))[i] = (float)(i >= 64 ? fabs(at[j]) : at[j]);
    }
    for (int j = 0; j < OUT; j++)
        out[j] = cot_array_new(ctx, type);
    ck_assert_int_eq(cot_run(k, out, (const cot_array *[]){ arg[0], arg[1] }), COT_OK);
    for (int j = 0; j < OUT; j++) {
        static double want[N];
        const void *in = cot_array_data(arg[j / 2]);

        ir_sc_run(&arena, ir_sc_of(ctx, op[j], NULL, 1, &type.dtype, type.dtype), N, want, &in);
        ck_assert_mem_eq(cot_array_data(out[j]), want, N * cot_dtype_size(type.dtype));
        cot_array_free(out[j]);
    }
    for (int j = 0; j < 2; j++)
        cot_array_free(arg[j]);
    cot_kernel_free(k);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(f32_within_bounds, ROWS),
        EACH(f64_within_bounds, ROWS),
        EACH(special_values, sizeof values / sizeof *values),
        EACH(reduced_precision, 30),
        EACH(branches_are_taken_lane_by_lane, 6),
    };

    return SUITE_WITH("special", cases, judged_begin, judged_end);
}
