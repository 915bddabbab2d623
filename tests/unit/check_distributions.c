/* gumbel, poisson, choice, dirichlet and multivariate_normal: moments and probabilities of
 * thousands of draws under fixed keys, near enough to tell a wrong formula; what they give at
 * the ends of their parameters; derivatives against those of the expectations. */
#include "tests/unit/valued.h"

enum { N = 20000, FEW = 8192 };

/* One number after the other, as a vector. */
#define NUMBERS(...) cot_stack(COT_VALUES(__VA_ARGS__), 0)

static cot_value
share(cot_value p)
{
    return cot_mean(cot_convert(p, COT_F64));
}

static void
gives(const char *name, cot_body *body, void *user, cot_type type, const double *want,
      double tolerance)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_fn *f = cot_fn_new(ctx, name, body, 0, 1, user);

    traced_gives(f, COT_TYPES(), NULL, type, want, tolerance);
    cot_context_free(ctx);
}

BODY(gumbel_f64, cot_value x = cot_gumbel(t, cot_f64(N), .key = cot_key(t, 5));
     out[0] = NUMBERS(cot_mean(x), cot_var(x), share(cot_lt(x, 0)), share(cot_lt(x, 1)));)
BODY(gumbel_f32, cot_value x = cot_gumbel(t, cot_f32(N), .key = cot_key(t, 6));
     x = cot_convert(x, COT_F64);
     out[0] = NUMBERS(cot_mean(x), cot_var(x), share(cot_lt(x, 0)), share(cot_lt(x, 1)));)
BODY(gumbel_bf16, cot_value x = cot_gumbel(t, cot_bf16(N), .key = cot_key(t, 7));
     x = cot_convert(x, COT_F64);
     out[0] = NUMBERS(share(cot_is_finite(x)), share(cot_lt(x, 0)), share(cot_lt(x, 1)));)

START_TEST(gumbel)
{
    const double *want = AT(0.57721566, 1.64493407, 0.36787944, 0.69220063);

    gives("gumbel f64", gumbel_f64, NULL, cot_f64(4), want, 0.03);
    gives("gumbel f32", gumbel_f32, NULL, cot_f64(4), want, 0.03);
    gives("gumbel bf16", gumbel_bf16, NULL, cot_f64(3), AT(1, 0.36787944, 0.69220063), 0.015);
}
END_TEST

/* Mean and variance over the rate; waiting times below 10, rejection from there. */
BODY(poisson_moments,
     cot_value rate = cot_constant(t, cot_f64(6), AT(0.5, 3, 9.5, 10, 30, 1000));
     cot_value x = cot_poisson(t, cot_broadcast_to(rate, FEW, 6), .key = cot_key(t, 11));
     out[0] = cot_stack(COT_VALUES(cot_div(cot_mean(x, .axes = COT_LIST(0)), rate),
                                   cot_div(cot_var(x, .axes = COT_LIST(0)), rate)),
                        0);)
BODY(poisson_probabilities,
     cot_value rate = cot_constant(t, cot_f32(2), ((const float[]){ 3, 10 }));
     cot_value x = cot_poisson(t, cot_broadcast_to(rate, FEW, 2), .key = cot_key(t, 12));
     cot_value small = cot_index(x, 0, 1), large = cot_index(x, 1, 1);
     out[0] = NUMBERS(share(cot_eq(small, 0)), share(cot_eq(small, 2)), share(cot_eq(small, 5)),
                      share(cot_eq(large, 5)), share(cot_eq(large, 10)),
                      share(cot_eq(large, 14)), share(cot_eq(x, cot_floor(x))));)
BODY(poisson_ends,
     cot_value rate = cot_constant(t, cot_f64(5), AT(0, -1, NAN, INFINITY, 1e-300));
     out[0] = cot_poisson(t, rate, .key = cot_key(t, 1));)
BODY(poisson_slope, out[0] = cot_reduce_sum(cot_poisson(t, in[0], .key = cot_key(t, 1)));)

START_TEST(poisson)
{
    gives("poisson", poisson_moments, NULL, cot_f64(2, 6),
          AT(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), 0.06);
    gives("poisson p", poisson_probabilities, NULL, cot_f64(7),
          AT(0.04978707, 0.22404181, 0.10081881, 0.03783327, 0.12511004, 0.05207710, 1), 0.012);
    gives("poisson ends", poisson_ends, NULL, cot_f64(5), AT(0, NAN, NAN, INFINITY, 0), 0);
    valued_slope("poisson", poisson_slope, AT(2, 20), 2, AT(0, 0));
}
END_TEST

BODY(choice_even, cot_value x = cot_constant(t, cot_f64(3), AT(2, 5, 7));
     x = cot_choice(t, x, COT_LIST(N), .key = cot_key(t, 3));
     out[0] = NUMBERS(share(cot_eq(x, 2)), share(cot_eq(x, 5)), share(cot_eq(x, 7)));)
BODY(choice_p, cot_value x = cot_iota(t, cot_i32(4), 0);
     cot_value p = cot_constant(t, cot_f32(4), ((const float[]){ 1, 0, 6, 3 }));
     x = cot_choice(t, x, COT_LIST(100, N / 100), .p = p, .key = cot_key(t, 4));
     out[0] = NUMBERS(share(cot_eq(x, 0)), share(cot_eq(x, 1)), share(cot_eq(x, 2)),
                      share(cot_eq(x, 3)));)
/* Two of three by a key, mapped over keys: the probabilities of the first, and of a pair. */
BODY(two_distinct, cot_value p = cot_constant(t, cot_f64(3), AT(1, 3, 6));
     out[0] = cot_choice(t, cot_iota(t, cot_i32(3), 0), COT_LIST(2), .p = p, .distinct = 1,
                         .key = in[0]);)
BODY(choice_distinct,
     cot_fn *f = cot_fn_new(cot_trace_context(t), "two", two_distinct, 1, 1, NULL);
     cot_value x = cot_call(cot_vmap(f), cot_split_key(cot_key(t, 8), N));
     cot_value a = cot_index(x, 0, 1), b = cot_index(x, 1, 1);
     out[0] = NUMBERS(share(cot_eq(a, 0)), share(cot_eq(a, 1)), share(cot_eq(a, 2)),
                      share(cot_and(cot_eq(a, 2), cot_eq(b, 1))), share(cot_eq(a, b)));)
/* All slices along an axis, in some order: their sum is that of x. */
BODY(choice_axis, cot_value x = cot_reshape(cot_iota(t, cot_f64(12), 0), 3, 4);
     cot_value y = cot_choice(t, x, COT_LIST(2, 2), .axis = -1, .distinct = 1,
                              .key = cot_key(t, 1));
     out[0] = cot_sub(cot_reduce_sum(y, .axes = COT_LIST(1, 2)),
                      cot_reduce_sum(x, .axes = COT_LIST(1)));)
BODY(choice_slope, out[0] = cot_reduce_sum(cot_choice(t, in[0], COT_LIST(6), .distinct = 1,
                                                      .key = cot_key(t, 2), .p = in[0]));)

START_TEST(choice)
{
    gives("even", choice_even, NULL, cot_f64(3), AT(1.0 / 3, 1.0 / 3, 1.0 / 3), 0.012);
    gives("p", choice_p, NULL, cot_f64(4), AT(0.1, 0, 0.6, 0.3), 0.012);
    gives("distinct", choice_distinct, NULL, cot_f64(5), AT(0.1, 0.3, 0.6, 0.45, 0), 0.012);
    gives("axis", choice_axis, NULL, cot_f64(3), AT(0, 0, 0), 0);
    valued_slope("choice", choice_slope, AT(1, 2, 3, 4, 5, 6), 6, AT(1, 1, 1, 1, 1, 1));
}
END_TEST

/* Of p = 0 nothing is ever drawn: the probability above is exactly 0. */
BODY(choice_never, cot_value x = cot_iota(t, cot_f64(3), 0);
     cot_value p = cot_constant(t, cot_f64(3), AT(0, 1, 0));
     x = cot_choice(t, x, COT_LIST(N), .p = p, .key = cot_key(t, 5));
     out[0] = share(cot_ne(x, 1));)

START_TEST(zero_probability)
{
    gives("never", choice_never, NULL, cot_f64(), AT(0), 0);
}
END_TEST

#define CONCENTRATIONS(t) cot_constant(t, cot_f64(3), AT(0.5, 1, 2.5))
BODY(dirichlet_moments,
     cot_value x = cot_dirichlet(t, cot_broadcast_to(CONCENTRATIONS(t), FEW, 3),
                                 .key = cot_key(t, 21));
     cot_value sum = cot_reduce_sum(x, .axes = COT_LIST(1));
     cot_value moments[] = { cot_mean(x, .axes = COT_LIST(0)), cot_var(x, .axes = COT_LIST(0)),
                             cot_broadcast_to(cot_reduce_max(cot_abs(cot_sub(sum, 1))), 3) };
     out[0] = cot_stack(cot_values_of(3, moments), 0);)
BODY(dirichlet_small,
     cot_value x = cot_dirichlet(t, cot_full(t, cot_f32(N / 4, 4), 1e-3), .key = cot_key(t, 1));
     cot_value most = cot_reduce_max(x, .axes = COT_LIST(1));
     out[0] = NUMBERS(share(cot_is_finite(x)), share(cot_gt(most, 0.99)),
                      share(cot_gt(x, 0.5)));)
BODY(dirichlet_slope,
     cot_value x = cot_dirichlet(t, cot_broadcast_to(in[0], FEW, 3), .key = cot_key(t, 2));
     out[0] = cot_mean(cot_index(x, 0, 1));)

static void
near_slope(const char *name, cot_body *body, cot_type type, const double *x, const double *want,
           double tolerance)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_fn *f = cot_fn_new(ctx, name, body, 1, 1, NULL);

    traced_gives(cot_grad(f), COT_TYPES(type), (const void *const[]){ x }, type, want,
                 tolerance);
    cot_context_free(ctx);
}

START_TEST(dirichlet)
{
    gives("dirichlet", dirichlet_moments, NULL, cot_f64(3, 3),
          AT(0.125, 0.25, 0.625, 0.021875, 0.0375, 0.046875, 0, 0, 0), 0.006);
    gives("dirichlet small", dirichlet_small, NULL, cot_f64(3), AT(1, 0.98, 0.25), 0.02);
    /* of the mean alpha0 / sum(alpha) */
    near_slope("dirichlet", dirichlet_slope, cot_f64(3), AT(0.5, 1, 2.5),
               AT(0.21875, -0.03125, -0.03125), 0.01);
}
END_TEST

#define COVARIANCE AT(2, 0.6, 0.6, 0.5)
BODY(normal_moments, cot_value mean = cot_constant(t, cot_f64(2), AT(1, -2));
     cot_value cov = cot_constant(t, cot_f64(2, 2), COVARIANCE);
     cot_value x = cot_multivariate_normal(t, cot_broadcast_to(mean, N, 2), cov,
                                           .key = cot_key(t, 31));
     out[0] = cot_concatenate(COT_VALUES(cot_mean(x, .axes = COT_LIST(0)),
                                         cot_reshape(cot_cov(x, .columns = 1), 4)),
                              0);)
BODY(normal_slope, cot_value mean = cot_full(t, cot_f64(N, 2), 1);
     cot_value x = cot_multivariate_normal(t, mean, in[0], .key = cot_key(t, 32));
     cot_value a = cot_index(x, 0, 1), b = cot_index(x, 1, 1);
     out[0] = cot_mean(cot_add(cot_mul(a, a), cot_mul(a, b)));)
BODY(normal_wrong, cot_value mean = cot_zeros(t, cot_f64(2));
     cot_value cov = cot_constant(t, cot_f64(2, 2), AT(1, 2, 2, 1));
     out[0] = cot_multivariate_normal(t, mean, cov, .key = cot_key(t, 1));)
BODY(normal_batch, cot_value mean = cot_zeros(t, cot_f32(5, 1, 2));
     cot_value cov = cot_broadcast_to(cot_eye(t, COT_F32, 2), 3, 2, 2);
     cot_value x = cot_multivariate_normal(t, mean, cov, .key = cot_key(t, 1));
     out[0] = cot_zeros(t, cot_f64(cot_size(x, 0), cot_size(x, 1), cot_size(x, 2)));)

START_TEST(multivariate_normal)
{
    gives("normal", normal_moments, NULL, cot_f64(6), AT(1, -2, 2, 0.6, 0.6, 0.5), 0.04);
    /* E(a^2 + a b) = c00 + c01 + 2, and the matrix is made symmetric */
    near_slope("normal", normal_slope, cot_f64(2, 2), COVARIANCE, AT(1, 0.5, 0.5, 0), 0.03);
    gives("normal wrong", normal_wrong, NULL, cot_f64(2), AT(NAN, NAN), 0);
    gives("normal batch", normal_batch, NULL, cot_f64(5, 3, 2), (const double[30]){ 0 }, 0);
}
END_TEST

/* Equal keys give equal numbers; without a key the generator's, which differ. */
BODY(keys, cot_value a = cot_gumbel(t, cot_f64(4), .key = cot_key(t, 1));
     cot_value b = cot_gumbel(t, cot_f64(4), .key = cot_key(t, 1));
     cot_value c = cot_gumbel(t, cot_f64(4)), d = cot_gumbel(t, cot_f64(4));
     out[0] = NUMBERS(share(cot_eq(a, b)), share(cot_eq(c, d)));)

START_TEST(keys_decide)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_fn *f = cot_fn_new(ctx, "keys", keys, 0, 1, NULL);
    cot_array *y = NULL;

    ck_assert_msg(cot_jit(f, &y, 1, NULL, 0) == COT_OK, "%s", cot_error(ctx));
    ck_assert_double_eq(((const double *)cot_array_read(y))[0], 1);
    ck_assert_double_eq(((const double *)cot_array_read(y))[1], 0);
    cot_array_free(y);
    cot_context_free(ctx);
}
END_TEST

BODY(bad_logits, out[0] = cot_categorical(cot_convert(in[0], COT_I32));)
BODY(bad_gumbel, out[0] = cot_gumbel(t, cot_i32(3));)
BODY(bad_poisson, out[0] = cot_poisson(t, cot_convert(in[0], COT_I32));)
BODY(bad_count, out[0] = cot_choice(t, in[0], COT_LIST(2, 2), .distinct = 1);)
BODY(bad_p, out[0] = cot_choice(t, in[0], COT_LIST(2), .p = in[1]);)
BODY(bad_axis, out[0] = cot_choice(t, in[0], COT_LIST(2), .axis = 1);)
BODY(bad_empty, out[0] = cot_choice(t, cot_zeros(t, cot_f64(0)), COT_LIST(2));)
BODY(bad_alpha, out[0] = cot_dirichlet(t, cot_reduce_sum(in[0]));)
BODY(bad_cov, out[0] = cot_multivariate_normal(t, in[0], in[1]);)
BODY(bad_key, out[0] = cot_poisson(t, in[0], .key = in[1]);)

START_TEST(mistakes)
{
    static const mistake bad[] = {
        { "logits", bad_logits, "categorical: operand is i32[3]; wants a floating type" },
        { "gumbel", bad_gumbel, "gumbel: operand is i32[3]; wants a floating type" },
        { "poisson", bad_poisson, "poisson: operand is i32[3]" },
        { "count", bad_count, "choice: x is f64[3]; wants no more elements than there are" },
        { "p", bad_p, "choice: x is f64[3]; wants .p with a probability for each" },
        { "axis", bad_axis, "axis 1" },
        { "empty", bad_empty, "choice: x is f64[0]; wants an element or more" },
        { "alpha", bad_alpha, "dirichlet: alpha is f64[]; wants an axis" },
        { "cov", bad_cov, "multivariate_normal: mean is f64[3], cov is f64[2,2]; wants" },
        { "key", bad_key, "key is f64[2,2]" },
    };

    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        valued_mistake(&bad[k], "check_distributions.c:", cot_f64(3), cot_f64(2, 2));
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(gumbel),           ONCE(poisson),   ONCE(choice),
        ONCE(zero_probability), ONCE(dirichlet), ONCE(multivariate_normal),
        ONCE(keys_decide),      ONCE(mistakes),
    };

    return SUITE("distributions", cases);
}
