/* Elementary functions judged: references by MPFR, by libm, and the distance in units of the
 * last place.
 *
 * The distance of y from the exact f(x) is |y - f(x)| / 2^(e - digits), e the exponent of f(x),
 * not below that of subnormal numbers; an infinite y stands for the power of two at which
 * overflow begins.  libm's next wider type screens (its error is far below the differences
 * asked about); MPFR decides where the distance is near the bound, and on a sample. */
#ifndef TESTS_ULP_H
#define TESTS_ULP_H

#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "ir/op.h"

typedef int ulp_exact(mpfr_t y, const mpfr_t x, mpfr_rnd_t round);
typedef double ulp_double(double x);
typedef long double ulp_long(long double x);

static inline double ulp_rsqrt(double x) { return 1 / sqrt(x); }
static inline long double ulp_rsqrtl(long double x) { return 1 / sqrtl(x); }
static inline double
ulp_logistic(double x)
{
    return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x));
}
static inline long double
ulp_logisticl(long double x)
{
    return x < 0 ? expl(x) / (1 + expl(x)) : 1 / (1 + expl(-x));
}
static inline int
ulp_logistic_exact(mpfr_t y, const mpfr_t x, mpfr_rnd_t round)
{
    mpfr_neg(y, x, round);
    mpfr_exp(y, y, round);
    mpfr_add_ui(y, y, 1, round);
    return mpfr_ui_div(y, 1, y, round);
}

typedef struct ulp_row {
    ir_op op;
    ulp_exact *exact;
    ulp_double *d;
    ulp_long *l;
} ulp_row;

#define ULP_ROW(f) { OP_##f, mpfr_##f, f, f##l }
static const ulp_row ulp_rows[] = {
    ULP_ROW(exp),
    ULP_ROW(exp2),
    ULP_ROW(expm1),
    ULP_ROW(log),
    ULP_ROW(log2),
    ULP_ROW(log1p),
    ULP_ROW(cbrt),
    ULP_ROW(sqrt),
    { OP_rsqrt, mpfr_rec_sqrt, ulp_rsqrt, ulp_rsqrtl },
    ULP_ROW(sin),
    ULP_ROW(cos),
    ULP_ROW(tan),
    ULP_ROW(asin),
    ULP_ROW(acos),
    ULP_ROW(atan),
    ULP_ROW(sinh),
    ULP_ROW(cosh),
    ULP_ROW(tanh),
    ULP_ROW(asinh),
    ULP_ROW(acosh),
    ULP_ROW(atanh),
    ULP_ROW(erf),
    ULP_ROW(erfc),
    { OP_logistic, ulp_logistic_exact, ulp_logistic, ulp_logisticl },
};
#define ULP_ROWS ((int)(sizeof ulp_rows / sizeof *ulp_rows))

/* 2^-(ulp of a number near the exact value), and what an infinite y counts as. */
static inline long double
ulp_of(int exponent, bool wide)
{
    int digits = wide ? 53 : 24, least = wide ? -1021 : -125;

    return ldexpl(1, (exponent < least ? least : exponent) - digits);
}

/* Distance of y from the reference r, in ulp of type f32 or f64. */
static inline double
ulp_distance(double y, long double r, bool wide)
{
    int e;

    if (isnan(r) || isnan(y))
        return isnan(r) && isnan(y) ? 0 : INFINITY;
    if (isinf(y) && isinf(r))
        return (y > 0) == (r > 0) ? 0 : INFINITY;
    if (r == 0 || isinf(r))
        return (long double)y == r ? 0 : INFINITY;
    frexpl(r, &e);
    long double value = isinf(y) ? copysignl(ldexpl(1, wide ? 1024 : 128), y) : y;
    if (e > (wide ? 1024 : 128))        /* overflow: the largest power stands for all beyond */
        return isinf(y) && (y > 0) == (r > 0) ? 0 : INFINITY;
    return (double)(fabsl(value - r) / ulp_of(e, wide));
}

/* The same against the exact value. */
static inline double
ulp_distance_exact(double y, const mpfr_t r, bool wide)
{
    mpfr_t d;
    double distance;

    if (!mpfr_regular_p(r) || isnan(y))
        return ulp_distance(y, mpfr_get_ld(r, MPFR_RNDN), wide);
    if (mpfr_get_exp(r) > (wide ? 1024 : 128))
        return isinf(y) && (y > 0) == (mpfr_sgn(r) > 0) ? 0 : INFINITY;
    mpfr_init2(d, 200);
    mpfr_set_d(d, isinf(y) ? copysign(1, y) : y, MPFR_RNDN);
    if (isinf(y))
        mpfr_mul_2si(d, d, wide ? 1024 : 128, MPFR_RNDN);
    mpfr_sub(d, d, r, MPFR_RNDN);
    long e = mpfr_get_exp(r);
    mpfr_div_2si(d, d,
                 (e < (wide ? -1021 : -125) ? (wide ? -1021 : -125) : e) - (wide ? 53 : 24),
                 MPFR_RNDN);
    distance = fabs(mpfr_get_d(d, MPFR_RNDN));
    mpfr_clear(d);
    return distance;
}

static inline double
ulp_judge(const ulp_row *row, double x, double y, bool wide)
{
    mpfr_t a, r;

    mpfr_init2(a, 53);
    mpfr_init2(r, 160);
    mpfr_set_d(a, x, MPFR_RNDN);
    row->exact(r, a, MPFR_RNDN);
    double distance = ulp_distance_exact(y, r, wide);
    mpfr_clear(a);
    mpfr_clear(r);
    return distance;
}

/* Worst distance over inputs x[] and results y[]; *at is where.  Zeros must have libm's
 * sign. */
static inline double
ulp_worst(const ulp_row *row, int n, const double *x, const double *y, bool wide, double bound,
          double *at)
{
    double worst = 0;

    for (int i = 0; i < n; i++) {
        long double r = wide ? row->l(x[i]) : (long double)row->d(x[i]);
        double d = ulp_distance(y[i], r, wide);
        if (d > bound - 0.05 || i % 4096 == 0)
            d = ulp_judge(row, x[i], y[i], wide);
        if (y[i] == 0 && d == 0 && r == 0 && !signbit(y[i]) != !signbit(r))
            d = INFINITY;
        if (d > worst) {
            worst = d;
            *at = x[i];
        }
    }
    return worst;
}

#endif
