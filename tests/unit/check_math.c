/* Elementary functions against MPFR: at most 1 ulp in f32, 2 ulp in f64.
 *
 * f32: a stratified sample of all bit patterns, a value from each block of 2^16.  f64: all
 * exponents, ordinary magnitudes, and neighbourhoods of the hard cases: multiples of pi/2, 1,
 * powers of two, and the ends of the range.  ./dev bench --ulp runs f32 over all inputs. */
#include <fenv.h>
#include <stdio.h>

#include "tests/unit/judged.h"

static double
any_bits(void)
{
    uint64_t u = draw();
    double x;

    memcpy(&x, &u, sizeof x);
    return x;
}

static const double special[] = {
    0, 1, 2, 0.5, 3, 10, 0.25, 0.75, 1.5, 0.55, 0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp-1023,
    0x1p-149, 0x1p-126, 0x1.fffffffffffffp1023, 0x1p1023, 0x1.fffffep127, 0x1p30, 0x1p17,
    0x1.921fb54442d18p0, 0x1.921fb54442d18p1, 0x1.6ac5b262ca1ffp849, 0x1.62e42fefa39efp-1,
    709.782712893384, 709.7827128933841, 745.1332191019411, 745.1332191019412, 88.72284,
    103.97208, 87.33655, 710.4758600739439, 1022, 1023, 1024, 1074, 1075, 127, 128, 149, 150,
    26.5, 27.2, 9.2, 10.05, 5.9, 6, 19, 22, 4, 176, 254, 1418, 2046, 0x1p-27, 0x1p-26, 0x1p-25,
    0x1p-54, 0x1p-55, 0x1p-12, 0x1p-13, 0x1p52, 0x1p53,
};
#define SPECIALS ((int)(sizeof special / sizeof *special))

/* Specials, their neighbours and negatives, infinities and NaN, as T values. */
static int
fill_special(double *x, bool wide)
{
    int n = 0;

    for (int i = 0; i < SPECIALS; i++)
        for (int step = -2; step <= 2; step++) {
            double v = special[i];
            float f = (float)v;
            for (int k = 0; k < abs(step); k++) {
                v = nextafter(v, step < 0 ? -INFINITY : INFINITY);
                f = nextafterf(f, step < 0 ? -INFINITY : INFINITY);
            }
            v = wide ? v : f;
            x[n++] = v;
            x[n++] = -v;
        }
    x[n++] = INFINITY;
    x[n++] = -INFINITY;
    x[n++] = NAN;
    return n;
}

static int
fill_f32(double *x)
{
    int n = fill_special(x, false);

    for (uint32_t i = 0; i < 65536; i++) {
        uint32_t bits = i << 16 | (uint32_t)(draw() & 0xffff);
        float f;
        memcpy(&f, &bits, sizeof f);
        x[n++] = f;
    }
    return n;
}

static int
fill_f64(double *x)
{
    int n = fill_special(x, true);

    for (int i = 0; i < 8192; i++) {
        x[n++] = any_bits();
        x[n++] = uniform(-2, 2);
        x[n++] = uniform(-30, 30);
        x[n++] = uniform(-800, 800);
        x[n++] = ldexp(uniform(-2, 2), (int)(draw() % 80) - 60);
        x[n++] = 1 + ldexp(uniform(-1, 1), -(int)(draw() % 50));
        x[n++] = (double)(draw() % 100000) * 0x1.921fb54442d18p0;
    }
    return n;
}

static void
judge(const ulp_row *row, bool wide, double bound)
{
    double at = 0;
    int n = wide ? fill_f64(x) : fill_f32(x);

    run(row->op, wide, 1, n);
    double worst = ulp_worst(row, n, x, y, wide, bound, &at);
    if (getenv("ULP") != NULL)
        printf("%-10s %s %.3f at %a\n", ir_ops[row->op].name, wide ? "f64" : "f32", worst, at);
    ck_assert_msg(worst <= bound, "%s of %a is off by %.3f ulp", ir_ops[row->op].name, at,
                  worst);
}

START_TEST(unary_f32_within_1_ulp)
{
    judge(&ulp_rows[_i], false, 1);
}
END_TEST

START_TEST(unary_f64_within_2_ulp)
{
    judge(&ulp_rows[_i], true, 2);
}
END_TEST

/* Pairs: specials with each other, then random ones. */
static int
fill_pairs(ir_op op, bool wide)
{
    int n = 0;
    static const double edge[] = { 0, 1, 2, 3, 0.5, INFINITY, NAN, 0x1p-1074, 0x1p-1022,
                                   0x1.fffffffffffffp1023, 1e-40, 7 };
    const int m = sizeof edge / sizeof *edge;

    for (int i = 0; i < 4 * m * m; i++, n++) {
        x[n] = (i & 1 ? -1 : 1) * edge[i / 4 / m];
        x2[n] = (i & 2 ? -1 : 1) * edge[i / 4 % m];
    }
    while (n < 40000) {
        int how = (int)(draw() % 4);
        x[n] = how == 0 ? any_bits() : how == 1 ? uniform(0, 3) : how == 2 ? 1 +
            ldexp(uniform(-1, 1), -(int)(draw() % 40))
                                                                         : uniform(-50, 50);
        x2[n] = how == 0 ? any_bits() : uniform(-40, 40);
        if (op == OP_pow && how != 0 && how != 1)       /* near the ends of the range */
            x2[n] = (wide ? 745 : 104) * uniform(-1, 1) / log(fabs(x[n]));
        if (op == OP_pow && how == 3 && draw() % 2)
            x2[n] = trunc(x2[n]);
        n++;
    }
    for (int i = 0; !wide && i < n; i++) {
        x[i] = (float)x[i];
        x2[i] = (float)x2[i];
    }
    return n;
}

static double
exact_pair(ir_op op, double u, double v, double result, bool wide)
{
    mpfr_t a, c, r;

    mpfr_inits2(53, a, c, (mpfr_ptr)0);
    mpfr_init2(r, 160);
    mpfr_set_d(a, u, MPFR_RNDN);
    mpfr_set_d(c, v, MPFR_RNDN);
    if (op == OP_pow)
        mpfr_pow(r, a, c, MPFR_RNDN);
    else
        mpfr_atan2(r, a, c, MPFR_RNDN);
    double d = ulp_distance_exact(result, r, wide);
    mpfr_clears(a, c, r, (mpfr_ptr)0);
    return d;
}

static void
judge_pairs(ir_op op, bool wide, double bound)
{
    int n = fill_pairs(op, wide);
    double worst = 0;

    run(op, wide, 2, n);
    for (int i = 0; i < n; i++) {
        double u = x[i], v = x2[i];
        long double r = op == OP_pow ? powl(u, v) : atan2l(u, v);
        double d = ulp_distance(y[i], r, wide);
        if (d > bound - 0.05 || i % 256 == 0)
            d = exact_pair(op, u, v, y[i], wide);
        if (y[i] == 0 && !signbit(y[i]) != !signbit(r))
            d = INFINITY;
        ck_assert_msg(d <= bound, "%s(%a, %a) = %a is off by %.3f ulp", ir_ops[op].name,
                      u, v, y[i], d);
        worst = fmax(worst, d);
    }
    if (getenv("ULP") != NULL)
        printf("%-10s %s %.3f\n", ir_ops[op].name, wide ? "f64" : "f32", worst);
}

START_TEST(pow_and_atan2_within_bounds)
{
    judge_pairs(_i & 1 ? OP_pow : OP_atan2, _i & 2, _i & 2 ? 2 : 1);
}
END_TEST

/* rem is exact: it is fmod to the bit, for far quotients and subnormal numbers too. */
START_TEST(rem_is_exact)
{
    int n = fill_pairs(OP_rem, _i == 1);

    for (int i = n / 2; i < n; i++)
        if (draw() % 2)
            x2[i] = ldexp(x2[i], -(int)(draw() % 1000));
    run(OP_rem, _i == 1, 2, n);
    for (int i = 0; i < n; i++) {
        double want = _i == 1 ? fmod(x[i], x2[i]) : (double)fmodf((float)x[i], (float)x2[i]);
        ck_assert_msg(isnan(want) ? isnan(y[i]) : memcmp(&want, &y[i], sizeof want) == 0,
                      "%a rem %a gave %a", x[i], x2[i], y[i]);
    }
}
END_TEST

/* Far below its range an exponential is 0 without a product that falls below the least number:
 * many processors take long for such. */
START_TEST(far_exponentials_do_not_underflow)
{
    static const struct { ir_op op; double y; } row[] = { { OP_exp, 0 }, { OP_exp2, 0 },
        { OP_logistic, 0 } };
    static const double far[] = { -106, -178, -1e9, -INFINITY },
                        far_wide[] = { -1420, -2100, -1e18, -INFINITY };
    const bool wide = _i % 2;
    const int n = 4, k = _i / 2, shift = row[k].op == OP_exp2 ? 2 : 1; /* of 2^x, not of e^x */

    for (int i = 0; i < n; i++)
        x[i] = shift * (wide ? far_wide : far)[i];
    feclearexcept(FE_ALL_EXCEPT);
    run(row[k].op, wide, 1, n);
    ck_assert_msg(!fetestexcept(FE_UNDERFLOW), "%s underflows", ir_ops[row[k].op].name);
    for (int i = 0; i < n; i++)
        ck_assert_msg(y[i] == 0 && !signbit(y[i]), "%s of %g is %g", ir_ops[row[k].op].name,
                      x[i], y[i]);
}
END_TEST

/* A subnormal result of f32 is no product that falls below the least normal number, and is
 * right to 1 ulp beside it and down to 0. */
START_TEST(subnormal_exponentials_do_not_underflow)
{
    static const struct {
        ir_op op;
        double lo, hi;
    } judged[] = {
        { OP_exp, -105.5, -86.5 },
        { OP_exp2, -152, -124.5 },
        { OP_logistic, -105.5, 105.5 },
    };
    const ulp_row *row = ulp_rows;
    double at = 0;

    while (row->op != judged[_i].op)
        row++;
    for (int i = 0; i < MANY; i++)
        x[i] = (double)(float)uniform(judged[_i].lo, judged[_i].hi);
    feclearexcept(FE_ALL_EXCEPT);
    run(row->op, false, 1, MANY);
    ck_assert_msg(!fetestexcept(FE_UNDERFLOW), "%s underflows", ir_ops[row->op].name);
    const double worst = ulp_worst(row, MANY, x, y, false, 1, &at);
    ck_assert_msg(worst <= 1, "%s of %a is off by %.3f ulp", ir_ops[row->op].name, at, worst);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(unary_f32_within_1_ulp, ULP_ROWS),
        EACH(unary_f64_within_2_ulp, ULP_ROWS),
        EACH(pow_and_atan2_within_bounds, 4),
        EACH(rem_is_exact, 2),
        EACH(far_exponentials_do_not_underflow, 6),
        EACH(subnormal_exponentials_do_not_underflow, 3),
    };

    return SUITE_WITH("math", cases, judged_begin, judged_end);
}
