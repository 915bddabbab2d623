/* Functions of cotrace/numpy.h on elements; derivatives, complex numbers, halves and mistakes
 * of all of them. */
#include "tests/unit/numpy_case.h"

BODY(isnan_of, out[0] = cot_isnan(in[0]);)
BODY(isinf_of, out[0] = cot_isinf(in[0]);)
BODY(isnan_i32, out[0] = cot_isnan(cot_convert(in[0], COT_I32));)
BODY(nan_to_num, out[0] = cot_nan_to_num(in[0]);)
BODY(nan_to_given, out[0] = cot_nan_to_num(in[0], .nan = 7, .posinf = 8, .neginf = -9);)
BODY(log10_of, out[0] = cot_log10(in[0]);)
BODY(log10_exact, out[0] = cot_log10(in[0]);)
BODY(log10_f32, out[0] = cot_convert(cot_log10(cot_convert(in[0], COT_F32)), COT_F64);)
BODY(mod, out[0] = cot_mod(in[0], in[1]);)
BODY(floor_divide, out[0] = cot_floor_divide(in[0], in[1]);)
BODY(floor_divide_zero, out[0] = cot_div(1, cot_floor_divide(in[0], in[1]));)
BODY(mod_i32, out[0] = cot_mod(cot_convert(in[0], COT_I32), cot_convert(in[1], COT_I32));)
BODY(floor_divide_i32,
     out[0] = cot_floor_divide(cot_convert(in[0], COT_I32), cot_convert(in[1], COT_I32));)
BODY(copysign_of, out[0] = cot_div(1, cot_copysign(in[0], in[1]));)

START_TEST(elements)
{
    const numpy_case cases[] = {
        { "isnan",
          isnan_of,
          1,
          { cot_f64(5) },
          { AT(NAN, INFINITY, -INFINITY, 0, -3.5) },
          cot_bool(5),
          AT(1, 0, 0, 0, 0),
          0,
          false },
        { "isinf",
          isinf_of,
          1,
          { cot_f64(5) },
          { AT(NAN, INFINITY, -INFINITY, 0, -3.5) },
          cot_bool(5),
          AT(0, 1, 1, 0, 0),
          0,
          false },
        { "isnan_i32", isnan_i32, 1, { cot_f64(1) }, { AT(3) }, cot_bool(1), AT(0), 0, false },
        { "nan_to_num",
          nan_to_num,
          1,
          { cot_f64(5) },
          { AT(NAN, INFINITY, -INFINITY, 0, -3.5) },
          cot_f64(5),
          AT(0, 1.7976931348623157e+308, -1.7976931348623157e+308, 0, -3.5),
          0,
          false },
        { "nan_to_given",
          nan_to_given,
          1,
          { cot_f64(5) },
          { AT(NAN, INFINITY, -INFINITY, 0, -3.5) },
          cot_f64(5),
          AT(7, 8, -9, 0, -3.5),
          0,
          false },
        { "log10",
          log10_of,
          1,
          { cot_f64(9) },
          { AT(1, 10, 1000, 1e+22, 0.5, 0, INFINITY, -1, 2e+300) },
          cot_f64(9),
          AT(0, 1, 3, 22, -0.3010299956639812, -INFINITY, INFINITY, NAN, 300.30102999566395),
          1e-15,
          false },
        { "log10_exact",
          log10_exact,
          1,
          { cot_f64(5) },
          { AT(1000, 10000000000, 1000000000000000, 1e+22, 1) },
          cot_f64(5),
          AT(3, 10, 15, 22, 0),
          0,
          false },
        { "log10_f32",
          log10_f32,
          1,
          { cot_f64(5) },
          { AT(1, 10, 1000, 10000000000, 7) },
          cot_f64(5),
          AT(0, 1, 3.000000238418579, 10.000000953674316, 0.845098078250885),
          1e-7,
          false },
        { "mod",
          mod,
          2,
          { cot_f64(14), cot_f64(14) },
          { AT(7, -7, 7, -7, 6, -6, 0, 5.5, -5.5, 1, -1, INFINITY, 3, -3),
            AT(3, 3, -3, -3, 3, 3, 2, -2, 2, INFINITY, INFINITY, 2, 0, 0) },
          cot_f64(14),
          AT(1, 2, -2, -1, 0, 0, 0, -0.5, 0.5, 1, INFINITY, NAN, NAN, NAN),
          1e-15,
          false },
        { "floor_divide",
          floor_divide,
          2,
          { cot_f64(14), cot_f64(14) },
          { AT(7, -7, 7, -7, 6, -6, 0, 5.5, -5.5, 1, -1, INFINITY, 3, -3),
            AT(3, 3, -3, -3, 3, 3, 2, -2, 2, INFINITY, INFINITY, 2, 0, 0) },
          cot_f64(14),
          AT(2, -3, -3, 2, 2, -2, 0, -3, -3, 0, -1, NAN, INFINITY, -INFINITY),
          1e-15,
          false },
        { "floor_divide_zero",
          floor_divide_zero,
          2,
          { cot_f64(6), cot_f64(6) },
          { AT(0, -0.0, 0, -0.0, 1, -1e-320), AT(3, 3, -3, -3, 2, -2) },
          cot_f64(6),
          AT(INFINITY, -INFINITY, -INFINITY, INFINITY, INFINITY, INFINITY),
          0,
          false },
        { "mod_i32",
          mod_i32,
          2,
          { cot_f64(7), cot_f64(7) },
          { AT(7, -7, 7, -7, 6, -6, 0), AT(3, 3, -3, -3, 3, 3, 2) },
          cot_i32(7),
          AT(1, 2, -2, -1, 0, 0, 0),
          0,
          false },
        { "floor_divide_i32",
          floor_divide_i32,
          2,
          { cot_f64(7), cot_f64(7) },
          { AT(7, -7, 7, -7, 6, -6, 0), AT(3, 3, -3, -3, 3, 3, 2) },
          cot_i32(7),
          AT(2, -3, -3, 2, 2, -2, 0),
          0,
          false },
        { "copysign",
          copysign_of,
          2,
          { cot_f64(5), cot_f64(5) },
          { AT(1, -1, 0, 2, -3), AT(-0.0, 1, -2, 5, -INFINITY) },
          cot_f64(5),
          AT(-1, 1, -INFINITY, 0.5, -0.3333333333333333),
          1e-15,
          false },
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        run_case(&cases[k]);
}
END_TEST

/* Where a function is not smooth its derivative is the one that its header names. */
BODY(log10_f, out[0] = cot_log10(in[0]);)
BODY(mod_f, out[0] = cot_mod(in[0], -3.0);)
BODY(floor_divide_f, out[0] = cot_floor_divide(in[0], 0.0);)
BODY(copysign_f, out[0] = cot_copysign(in[0], -1.0);)
BODY(nan_to_num_f, out[0] = cot_nan_to_num(in[0]);)
BODY(nansum_f, out[0] = cot_mul(cot_nansum(in[0]), 2.0);)
BODY(nanvar_f, out[0] = cot_nanvar(in[0]);)
BODY(interp_f, cot_value xp = cot_constant(t, cot_f64(3), AT(0, 1, 3));
     out[0] = cot_interp(in[0], xp, cot_mul(xp, xp));)

static void
slopes(const char *name, cot_body *body, const double *x, int n, const double *want)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_fn *f = cot_fn_new(ctx, name, body, 1, 1, NULL);
    const cot_types types = COT_TYPES(cot_f64(n));

    if (body == nansum_f || body == nanvar_f)
        traced_gives(cot_grad(f), types, (const void *const[]){ x }, cot_f64(n), want, 1e-14);
    else
        for (int i = 0; i < n; i++)
            traced_gives(cot_grad(f), COT_TYPES(cot_f64()), (const void *const[]){ x + i },
                         cot_f64(), want + i, 1e-14);
    cot_context_free(ctx);
}

START_TEST(derivatives)
{
    const double nan = NAN;

    slopes("log10", log10_f, AT(1, 1000, 7), 3,
           AT(0.43429448190325182765, 4.3429448190325182765e-4, 0.062042068843321689664));
    slopes("mod", mod_f, AT(7, -7, -6, 0), 4, AT(1, 1, 1, 1));
    slopes("floor_divide", floor_divide_f, AT(3, -3), 2, AT(0, 0));
    slopes("copysign", copysign_f, AT(2, -2), 2, AT(-1, 1));
    slopes("nan_to_num", nan_to_num_f, AT(2, nan, INFINITY), 3, AT(1, 0, 0));
    slopes("nansum", nansum_f, AT(2, nan, -3), 3, AT(2, 0, 2));
    slopes("nanvar", nanvar_f, AT(2, nan, -4), 3, AT(3, 0, -3));
    slopes("interp", interp_f, AT(-1, 0.5, 1, 2, 9), 5, AT(0, 1, 4, 4, 0));
}
END_TEST

/* The second operand is conjugated. */
BODY(correlated, out[0] = cot_imag(cot_correlate(cot_complex(in[0], in[1]),
                                                 cot_complex(in[2], in[3]), COT_OVERLAP_FULL));)

START_TEST(complex_numbers)
{
    cot_context *ctx = cot_context_new(NULL);
    const double *in[] = { AT(1, 3, 0), AT(2, -1, 0.5), AT(2, 1), AT(-1, 1) };
    const double *want = AT(1, 1, 1.5, 1);
    const cot_graph *g;
    void **out;

    ck_assert_int_eq(cot_trace_fn(cot_fn_new(ctx, "correlated", correlated, 4, 1, NULL),
                                  COT_TYPES(cot_f64(3), cot_f64(3), cot_f64(2), cot_f64(2)),
                                  &g),
                     COT_OK);
    ck_assert_int_eq(rt_run_graph(g, &(cot_compile_options){ .backend = "eval" },
                                  (void *const *)(uintptr_t)in, &out),
                     COT_OK);
    for (int i = 0; i < 4; i++)
        ck_assert_double_eq(((const double *)out[0])[i], want[i]);
    cot_context_free(ctx);
}
END_TEST

/* Halves are computed in f32 and rounded once: 1/3 of three bf16 sevenths, and so on, would
 * lose bits at every op. */
BODY(halves, cot_value x = cot_convert(in[0], COT_F16);
     out[0] = cot_stack(COT_VALUES(cot_convert(cot_trapezoid(x, 0), COT_F64),
                                   cot_convert(cot_std(x), COT_F64)),
                        0);)

START_TEST(halves_round_once)
{
    body_gives("halves", halves, COT_TYPES(cot_f64(4)),
               (const void *const[]){ AT(1, 2.5, 3.25, 1000) }, cot_f64(2), AT(506.25, 432), 0);
}
END_TEST

BODY(bad_interp, out[0] = cot_interp(in[0], in[0], in[1]);)
BODY(bad_polyfit, out[0] = cot_polyfit(in[0], in[0], 3);)
BODY(bad_tile, out[0] = cot_tile(in[0], COT_LIST(-1));)
BODY(bad_repeat, out[0] = cot_repeat(in[0], -1, 0);)
BODY(bad_mod, out[0] = cot_mod(cot_gt(in[0], 0), cot_gt(in[0], 0));)
BODY(bad_convolve, out[0] = cot_convolve(in[0], cot_gt(in[1], 0), COT_OVERLAP_FULL);)
BODY(bad_cov, out[0] = cot_cov(cot_reshape(in[0], 3, 1, 1));)
BODY(bad_grid, cot_value g[1]; cot_meshgrid(COT_VALUES(cot_reshape(in[0], 3, 1)), g);
     out[0] = g[0];)

START_TEST(mistakes)
{
    static const struct {
        const char *name;
        cot_body *body;
        const char *want;
    } bad[] = {
        { "interp", bad_interp, "interp: wants as many elements of fp as of xp, one or more" },
        { "polyfit", bad_polyfit, "polyfit: wants y of x's length" },
        { "tile", bad_tile, "tile: times[0] is -1; wants 0 or more" },
        { "repeat", bad_repeat, "repeat: n is -1; wants 0 or more" },
        { "mod", bad_mod, "mod: operand is bool[3]; wants a real number" },
        { "convolve", bad_convolve,
          "convolve: y is bool[2]; wants a numeric type and one axis" },
        { "cov", bad_cov, "cov: operand is f64[3,1,1]; wants one axis or two" },
        { "meshgrid", bad_grid, "meshgrid: vector 0 is f64[3,1]; wants one axis, or none" },
    };

    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        cot_context *ctx = cot_context_new(NULL);
        const cot_graph *g;
        ck_assert_int_ne(cot_trace_fn(cot_fn_new(ctx, bad[k].name, bad[k].body, 2, 1, NULL),
                                      COT_TYPES(cot_f64(3), cot_f64(2)), &g),
                         COT_OK);
        ck_assert_msg(strstr(cot_error(ctx), bad[k].want) &&
                          strstr(cot_error(ctx), "check_numpy.c:"),
                      "%s: %s", bad[k].name, cot_error(ctx));
        cot_context_free(ctx);
    }
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(elements),          ONCE(derivatives), ONCE(complex_numbers),
        ONCE(halves_round_once), ONCE(mistakes),
    };

    return SUITE("numpy", cases);
}
