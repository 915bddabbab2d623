/* The special functions by MPFR: r = f(x, y) to 200 bits, and in *scale the size of what
 * cancels on the way (0: nothing), near the zeros of lgamma at negative x, of the Bessel
 * functions, of lbeta.  The references of the inverses (erf_inv, ndtri) take in place of y a
 * value of f32 or f64 from which two steps of Newton's method reach that precision.
 * What MPFR lacks is made of what it has: sums of series, Euler and Maclaurin, differences of
 * second order. */
#ifndef TESTS_EXACT_H
#define TESTS_EXACT_H

#include <math.h>
#include <mpfr.h>
#include <stdbool.h>

enum { BITS = 200, TERMS = 24 };

typedef void reference(mpfr_t r, double x, double y, double *scale);

static inline void
lgamma_at(mpfr_t r, double x, double y, double *scale)
{
    int sign;
    (void)y;
    mpfr_set_d(r, x, MPFR_RNDN);
    mpfr_lgamma(r, &sign, r, MPFR_RNDN);
    if (x < 0)
        *scale = fabs(lgamma(-x)) + log(fabs(x) + 1) + 2;
}

static inline void
digamma_at(mpfr_t r, double x, double y, double *scale)
{
    (void)y;
    mpfr_set_d(r, x, MPFR_RNDN);
    mpfr_digamma(r, r, MPFR_RNDN);
    if (x < 0)
        *scale = fabs(mpfr_get_d(r, MPFR_RNDN)) + log(2 - x) + 3.15;
}

/* Euler and Maclaurin with TERMS terms of each. */
static inline void
zeta_at(mpfr_t r, double s, double q, double *scale)
{
    mpfr_t t, w, p, pi;
    (void)scale;
    mpfr_inits2(BITS, t, w, p, pi, (mpfr_ptr)0);
    mpfr_set_ui(r, 0, MPFR_RNDN);
    for (int k = 0; k < TERMS; k++) {
        mpfr_set_d(t, q, MPFR_RNDN);
        mpfr_add_ui(t, t, (unsigned long)k, MPFR_RNDN);
        mpfr_set_d(w, -s, MPFR_RNDN);
        mpfr_pow(t, t, w, MPFR_RNDN);
        mpfr_add(r, r, t, MPFR_RNDN);
    }
    mpfr_set_d(w, q, MPFR_RNDN);
    mpfr_add_ui(w, w, TERMS, MPFR_RNDN);
    mpfr_set_d(t, -s, MPFR_RNDN);
    mpfr_pow(p, w, t, MPFR_RNDN);
    mpfr_mul_d(t, p, 0.5, MPFR_RNDN);
    mpfr_add(r, r, t, MPFR_RNDN);
    mpfr_mul(t, p, w, MPFR_RNDN);
    mpfr_set_d(pi, s, MPFR_RNDN);
    mpfr_sub_ui(pi, pi, 1, MPFR_RNDN);
    mpfr_div(t, t, pi, MPFR_RNDN);
    mpfr_add(r, r, t, MPFR_RNDN);
    /* B(2j)/(2j)! = 2 (-1)^(j+1) zeta(2j) / (2 pi)^(2j) */
    mpfr_const_pi(pi, MPFR_RNDN);
    mpfr_mul_2ui(pi, pi, 1, MPFR_RNDN);
    mpfr_mul_d(p, p, s, MPFR_RNDN);
    mpfr_div(p, p, w, MPFR_RNDN);
    mpfr_div(p, p, pi, MPFR_RNDN);
    mpfr_div(p, p, pi, MPFR_RNDN);
    for (unsigned long j = 1; j <= TERMS; j++) {
        mpfr_zeta_ui(t, 2 * j, MPFR_RNDN);
        mpfr_mul(t, t, p, MPFR_RNDN);
        mpfr_mul_si(t, t, j % 2 ? 2 : -2, MPFR_RNDN);
        mpfr_add(r, r, t, MPFR_RNDN);
        for (int k = 0; k < 2; k++) {
            mpfr_mul_d(p, p, s + (double)(2 * j) - 1 + k, MPFR_RNDN);
            mpfr_div(p, p, w, MPFR_RNDN);
            mpfr_div(p, p, pi, MPFR_RNDN);
        }
    }
    mpfr_clears(t, w, p, pi, (mpfr_ptr)0);
}

static inline void
polygamma_at(mpfr_t r, double m, double x, double *scale)
{
    mpfr_t t;
    mpfr_init2(t, BITS);
    zeta_at(r, m + 1, x, scale);
    mpfr_fac_ui(t, (unsigned long)m, MPFR_RNDN);
    mpfr_mul(r, r, t, MPFR_RNDN);
    if (fmod(m, 2) == 0)
        mpfr_neg(r, r, MPFR_RNDN);
    mpfr_clear(t);
}

static inline void
lbeta_at(mpfr_t r, double x, double y, double *scale)
{
    mpfr_t t, u;
    int sign;
    mpfr_inits2(BITS, t, u, (mpfr_ptr)0);
    mpfr_set_d(t, x, MPFR_RNDN);
    mpfr_set_d(u, y, MPFR_RNDN);
    mpfr_add(r, t, u, MPFR_RNDN);
    mpfr_lgamma(r, &sign, r, MPFR_RNDN);
    mpfr_lgamma(t, &sign, t, MPFR_RNDN);
    mpfr_lgamma(u, &sign, u, MPFR_RNDN);
    mpfr_add(t, t, u, MPFR_RNDN);
    mpfr_sub(r, t, r, MPFR_RNDN);
    mpfr_clears(t, u, (mpfr_ptr)0);
    *scale = fabs(lgamma(fmin(x, y))) + fmin(x, y) + 1;
    if (x < 10 && y < 10)
        *scale += fabs(lgamma(x)) + fabs(lgamma(y));
}

/* e^(x^2) erfc(x); erfc(-x / sqrt 2) / 2 */
static inline void
erfcx_at(mpfr_t r, double x, double y, double *scale)
{
    mpfr_t t;
    (void)y, (void)scale;
    mpfr_init2(t, BITS);
    mpfr_set_d(t, x, MPFR_RNDN);
    mpfr_erfc(r, t, MPFR_RNDN);
    mpfr_sqr(t, t, MPFR_RNDN);
    mpfr_exp(t, t, MPFR_RNDN);
    mpfr_mul(r, r, t, MPFR_RNDN);
    mpfr_clear(t);
}

static inline void
ndtr_at(mpfr_t r, double x, double y, double *scale)
{
    (void)y, (void)scale;
    mpfr_set_d(r, 0.5, MPFR_RNDN);
    mpfr_sqrt(r, r, MPFR_RNDN);
    mpfr_mul_d(r, r, -x, MPFR_RNDN);
    mpfr_erfc(r, r, MPFR_RNDN);
    mpfr_div_2ui(r, r, 1, MPFR_RNDN);
}

static inline void
log_ndtr_at(mpfr_t r, double x, double y, double *scale)
{
    if (x > 5) {                /* log1p of the other tail */
        ndtr_at(r, -x, y, scale);
        mpfr_neg(r, r, MPFR_RNDN);
        mpfr_log1p(r, r, MPFR_RNDN);
        return;
    }
    ndtr_at(r, x, y, scale);
    mpfr_log(r, r, MPFR_RNDN);
}

/* One step of Newton's method from a value near 1e-16 is near 1e-32. */
static inline void
erf_inv_at(mpfr_t r, double x, double y, double *scale)
{
    mpfr_t t, u;
    (void)scale;
    mpfr_inits2(BITS, t, u, (mpfr_ptr)0);
    mpfr_set_d(r, y, MPFR_RNDN);
    for (int i = 0; i < 2; i++) {
        mpfr_erf(t, r, MPFR_RNDN);
        mpfr_sub_d(t, t, x, MPFR_RNDN);
        mpfr_sqr(u, r, MPFR_RNDN);
        mpfr_exp(u, u, MPFR_RNDN);
        mpfr_mul(t, t, u, MPFR_RNDN);
        mpfr_const_pi(u, MPFR_RNDN);
        mpfr_sqrt(u, u, MPFR_RNDN);
        mpfr_div_2ui(u, u, 1, MPFR_RNDN);
        mpfr_mul(t, t, u, MPFR_RNDN);
        mpfr_sub(r, r, t, MPFR_RNDN);
    }
    mpfr_clears(t, u, (mpfr_ptr)0);
}

static inline void
ndtri_at(mpfr_t r, double p, double y, double *scale)
{
    mpfr_t t, u, z;
    mpfr_inits2(BITS, t, u, z, (mpfr_ptr)0);
    mpfr_set_d(z, y, MPFR_RNDN);
    for (int i = 0; i < 2; i++) {
        mpfr_set_d(t, 0.5, MPFR_RNDN);
        mpfr_sqrt(t, t, MPFR_RNDN);
        mpfr_mul(t, t, z, MPFR_RNDN);
        mpfr_neg(t, t, MPFR_RNDN);
        mpfr_erfc(t, t, MPFR_RNDN);
        mpfr_div_2ui(t, t, 1, MPFR_RNDN);
        mpfr_sub_d(t, t, p, MPFR_RNDN);
        mpfr_sqr(u, z, MPFR_RNDN);
        mpfr_div_2ui(u, u, 1, MPFR_RNDN);
        mpfr_exp(u, u, MPFR_RNDN);
        mpfr_mul(t, t, u, MPFR_RNDN);
        mpfr_const_pi(u, MPFR_RNDN);
        mpfr_mul_2ui(u, u, 1, MPFR_RNDN);
        mpfr_sqrt(u, u, MPFR_RNDN);
        mpfr_mul(t, t, u, MPFR_RNDN);
        mpfr_sub(z, z, t, MPFR_RNDN);
    }
    mpfr_set(r, z, MPFR_RNDN);
    (void)scale;
    mpfr_clears(t, u, z, (mpfr_ptr)0);
}

/* e^-|x| (x/2)^n sum (x^2/4)^k / (k! (k + n)!) */
static inline void
modified(mpfr_t r, double x, unsigned long n)
{
    mpfr_t t, z;
    mpfr_inits2(BITS, t, z, (mpfr_ptr)0);
    mpfr_set_d(z, x, MPFR_RNDN);
    mpfr_div_2ui(z, z, 1, MPFR_RNDN);
    mpfr_pow_ui(t, z, n, MPFR_RNDN);
    mpfr_sqr(z, z, MPFR_RNDN);
    mpfr_set(r, t, MPFR_RNDN);
    for (unsigned long k = 1; k < 2000; k++) {
        mpfr_mul(t, t, z, MPFR_RNDN);
        mpfr_div_ui(t, t, k * (k + n), MPFR_RNDN);
        mpfr_add(r, r, t, MPFR_RNDN);
        if (mpfr_zero_p(t) || mpfr_get_exp(t) < mpfr_get_exp(r) - BITS)
            break;
    }
    mpfr_set_d(t, -fabs(x), MPFR_RNDN);
    mpfr_exp(t, t, MPFR_RNDN);
    mpfr_mul(r, r, t, MPFR_RNDN);
    mpfr_clears(t, z, (mpfr_ptr)0);
}

static inline void
i0e_at(mpfr_t r, double x, double y, double *scale)
{
    (void)y, (void)scale;
    modified(r, x, 0);
}

static inline void
i1e_at(mpfr_t r, double x, double y, double *scale)
{
    (void)y, (void)scale;
    modified(r, x, 1);
}

static inline void
j0_at(mpfr_t r, double x, double y, double *scale)
{
    (void)y;
    mpfr_set_d(r, x, MPFR_RNDN);
    mpfr_j0(r, r, MPFR_RNDN);
    if (fabs(x) > 5)
        *scale = sqrt(0.6366 / fabs(x));
}

static inline void
j1_at(mpfr_t r, double x, double y, double *scale)
{
    (void)y;
    mpfr_set_d(r, x, MPFR_RNDN);
    mpfr_j1(r, r, MPFR_RNDN);
    if (fabs(x) > 5)
        *scale = sqrt(0.6366 / fabs(x));
}

static inline void
hypot_at(mpfr_t r, double x, double y, double *scale)
{
    mpfr_t t;
    (void)scale;
    mpfr_init2(t, BITS);
    mpfr_set_d(r, x, MPFR_RNDN);
    mpfr_set_d(t, y, MPFR_RNDN);
    mpfr_hypot(r, r, t, MPFR_RNDN);
    mpfr_clear(t);
}

static inline void
logaddexp_at(mpfr_t r, double x, double y, double *scale)
{
    mpfr_t t;
    mpfr_init2(t, BITS);
    mpfr_set_d(r, x, MPFR_RNDN);
    mpfr_set_d(t, y, MPFR_RNDN);
    mpfr_exp(r, r, MPFR_RNDN);
    mpfr_exp(t, t, MPFR_RNDN);
    mpfr_add(r, r, t, MPFR_RNDN);
    mpfr_log(r, r, MPFR_RNDN);
    mpfr_clear(t);
    *scale = fmax(fabs(x), fabs(y)) + 0.7;
}

/* Q; in *scale what the bound grows with: the logarithm of the result. */
static inline void
upper(mpfr_t r, const mpfr_t a, double x)
{
    mpfr_t t;
    mpfr_init2(t, 2 * BITS);
    mpfr_set_d(t, x, MPFR_RNDN);
    mpfr_gamma_inc(r, a, t, MPFR_RNDN);
    mpfr_gamma(t, a, MPFR_RNDN);
    mpfr_div(r, r, t, MPFR_RNDN);
    mpfr_clear(t);
}

static inline void
widen_by_log(const mpfr_t r, double *scale)
{
    double y = fabs(mpfr_get_d(r, MPFR_RNDN));
    *scale = y * (1 + fabs(log(y)) / 2);
}

static inline void
igamma_of(mpfr_t r, double a, double x, double *scale, bool lower)
{
    mpfr_t t, u;
    mpfr_inits2(2 * BITS, t, u, (mpfr_ptr)0);
    mpfr_set_d(t, a, MPFR_RNDN);
    upper(u, t, x);
    if (lower)
        mpfr_ui_sub(u, 1, u, MPFR_RNDN);
    mpfr_set(r, u, MPFR_RNDN);
    mpfr_clears(t, u, (mpfr_ptr)0);
    widen_by_log(r, scale);
}

static inline void
igamma_at(mpfr_t r, double a, double x, double *scale)
{
    igamma_of(r, a, x, scale, true);
}

static inline void
igammac_at(mpfr_t r, double a, double x, double *scale)
{
    igamma_of(r, a, x, scale, false);
}

/* dP/da by a difference of second order, h = 2^-100 a: right to 2^-180 or so; and x^(a - 1)
 * e^-x / Gamma(a). */
static inline void
gradient(mpfr_t r, mpfr_t density, double a, double x)
{
    mpfr_t t, u, v;
    mpfr_inits2(2 * BITS, t, u, v, (mpfr_ptr)0);
    for (int side = -1; side <= 1; side += 2) {
        mpfr_set_d(t, ldexp(a, -100), MPFR_RNDN);
        mpfr_mul_si(t, t, side, MPFR_RNDN);
        mpfr_add_d(t, t, a, MPFR_RNDN);
        upper(side < 0 ? u : v, t, x);
    }
    mpfr_sub(u, u, v, MPFR_RNDN);
    mpfr_set_d(t, 2 * ldexp(a, -100), MPFR_RNDN);
    mpfr_div(r, u, t, MPFR_RNDN);
    mpfr_set_d(t, a, MPFR_RNDN);
    mpfr_gamma(v, t, MPFR_RNDN);
    mpfr_sub_ui(t, t, 1, MPFR_RNDN);
    mpfr_set_d(u, x, MPFR_RNDN);
    mpfr_pow(t, u, t, MPFR_RNDN);
    mpfr_neg(u, u, MPFR_RNDN);
    mpfr_exp(u, u, MPFR_RNDN);
    mpfr_mul(t, t, u, MPFR_RNDN);
    mpfr_div(density, t, v, MPFR_RNDN);
    mpfr_mul_d(t, density, x / a, MPFR_RNDN);
    if (mpfr_get_d(t, MPFR_RNDN) < 1e-60) /* the difference has lost its digits beside 1 */
        mpfr_set_nan(r);
    mpfr_clears(t, u, v, (mpfr_ptr)0);
}

static inline void
grad_a_at(mpfr_t r, double a, double x, double *scale)
{
    mpfr_t p;
    mpfr_init2(p, 2 * BITS);
    gradient(r, p, a, x);
    *scale = fabs(mpfr_get_d(p, MPFR_RNDN)) * x / a;
    *scale *= 1 + fabs(log(*scale)) / 2;
    mpfr_clear(p);
}

static inline void
sample_at(mpfr_t r, double a, double x, double *scale)
{
    mpfr_t p;
    mpfr_init2(p, 2 * BITS);
    gradient(r, p, a, x);
    mpfr_div(r, r, p, MPFR_RNDN);
    mpfr_neg(r, r, MPFR_RNDN);
    (void)scale;
    mpfr_clear(p);
}

#endif
