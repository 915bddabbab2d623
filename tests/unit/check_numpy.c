/* The functions of cotrace/numpy.h against values of NumPy 2.4, on the evaluator; each mapped
 * against a loop, and where it is smooth its derivatives against differences. */
#include "tests/unit/traced.h"

#include "runtime/check.h"

typedef struct numpy_case {
    const char *name;
    cot_body *body;
    int n_in;
    cot_type in_type[4];
    const double *in[4];
    cot_type type;
    const double *want;
    double tolerance;
    bool smooth;
} numpy_case;

#define AT(...) ((const double[]){ __VA_ARGS__ })

static void
wants(const char *name, const char *what, cot_status s, const rt_verdict *v)
{
    ck_assert_msg(s == COT_OK && v->good, "%s: %s: %s", name, what,
                  s == COT_OK ? v->why.text : "cannot be judged");
}

static void
run_case(const numpy_case *c)
{
    cot_context *ctx = cot_context_new(NULL);
    const cot_types types = cot_types_of(c->n_in, c->in_type);
    cot_fn *f = cot_fn_new(ctx, c->name, c->body, c->n_in, 1, NULL);
    const cot_graph *g;
    rt_verdict v;

    traced_gives(f, types, (const void *const *)c->in, c->type, c->want, c->tolerance);
    ck_assert_int_eq(cot_trace_fn(f, types, &g), COT_OK);
    wants(c->name, "vmap", rt_check_vmap(g, 3, &v), &v);
    if (c->smooth)
        wants(c->name, "derivatives",
              rt_check_derivatives(g, (void *const *)(uintptr_t)c->in, &v), &v);
    cot_context_free(ctx);
}

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

BODY(std, out[0] = cot_std(in[0], .axes = COT_LIST(1), .ddof = 1);)
BODY(std_all, out[0] = cot_std(in[0]);)
BODY(nansum, out[0] = cot_nansum(in[0], .axes = COT_LIST(1));)
BODY(nansum_all, out[0] = cot_nansum(in[0], .keepdims = 1);)
BODY(nanprod, out[0] = cot_nanprod(in[0], .axes = COT_LIST(1));)
BODY(nanprod_all, out[0] = cot_nanprod(in[0], .keepdims = 1);)
BODY(nanmax, out[0] = cot_nanmax(in[0], .axes = COT_LIST(1));)
BODY(nanmax_all, out[0] = cot_nanmax(in[0], .keepdims = 1);)
BODY(nanmin, out[0] = cot_nanmin(in[0], .axes = COT_LIST(1));)
BODY(nanmin_all, out[0] = cot_nanmin(in[0], .keepdims = 1);)
BODY(nanmean, out[0] = cot_nanmean(in[0], .axes = COT_LIST(1));)
BODY(nanmean_all, out[0] = cot_nanmean(in[0], .keepdims = 1);)
BODY(nanvar, out[0] = cot_nanvar(in[0], .axes = COT_LIST(1));)
BODY(nanvar_all, out[0] = cot_nanvar(in[0], .keepdims = 1);)
BODY(nanstd, out[0] = cot_nanstd(in[0], .axes = COT_LIST(1));)
BODY(nanstd_all, out[0] = cot_nanstd(in[0], .keepdims = 1);)
BODY(nanvar_ddof, out[0] = cot_nanvar(in[0], .axes = COT_LIST(1), .ddof = 2);)
BODY(cov, out[0] = cot_cov(in[0]);)
BODY(cov_columns, out[0] = cot_cov(in[0], .columns = 1, .biased = 1);)
BODY(cov_line, out[0] = cot_cov(in[0]);)
BODY(corrcoef, out[0] = cot_corrcoef(in[0]);)

START_TEST(reductions)
{
    const numpy_case cases[] = {
        { "std",
          std,
          1,
          { cot_f64(2, 3) },
          { AT(1, 2, 4, 3, 3, 9) },
          cot_f64(2),
          AT(1.5275252316519465, 3.4641016151377544),
          1e-14,
          true },
        { "std_all",
          std_all,
          1,
          { cot_f64(2, 3) },
          { AT(1, 2, 4, 3, 3, 9) },
          cot_f64(),
          AT(2.560381915956203),
          1e-14,
          true },
        { "nansum",
          nansum,
          1,
          { cot_f64(3, 3) },
          { AT(1.5, -2, NAN, NAN, NAN, NAN, 4, 0.25, -7) },
          cot_f64(3),
          AT(-0.5, 0, -2.75),
          1e-14,
          false },
        { "nansum_all",
          nansum_all,
          1,
          { cot_f64(3, 3) },
          { AT(1.5, -2, NAN, NAN, NAN, NAN, 4, 0.25, -7) },
          cot_f64(1, 1),
          AT(-3.25),
          1e-14,
          false },
        { "nanprod",
          nanprod,
          1,
          { cot_f64(3, 3) },
          { AT(1.5, -2, NAN, NAN, NAN, NAN, 4, 0.25, -7) },
          cot_f64(3),
          AT(-3, 1, -7),
          1e-14,
          false },
        { "nanprod_all",
          nanprod_all,
          1,
          { cot_f64(3, 3) },
          { AT(1.5, -2, NAN, NAN, NAN, NAN, 4, 0.25, -7) },
          cot_f64(1, 1),
          AT(21),
          1e-14,
          false },
        { "nanmax",
          nanmax,
          1,
          { cot_f64(3, 3) },
          { AT(1.5, -2, NAN, NAN, NAN, NAN, 4, 0.25, -7) },
          cot_f64(3),
          AT(1.5, NAN, 4),
          1e-14,
          false },
        { "nanmax_all",
          nanmax_all,
          1,
          { cot_f64(3, 3) },
          { AT(1.5, -2, NAN, NAN, NAN, NAN, 4, 0.25, -7) },
          cot_f64(1, 1),
          AT(4),
          1e-14,
          false },
        { "nanmin",
          nanmin,
          1,
          { cot_f64(3, 3) },
          { AT(1.5, -2, NAN, NAN, NAN, NAN, 4, 0.25, -7) },
          cot_f64(3),
          AT(-2, NAN, -7),
          1e-14,
          false },
        { "nanmin_all",
          nanmin_all,
          1,
          { cot_f64(3, 3) },
          { AT(1.5, -2, NAN, NAN, NAN, NAN, 4, 0.25, -7) },
          cot_f64(1, 1),
          AT(-7),
          1e-14,
          false },
        { "nanmean",
          nanmean,
          1,
          { cot_f64(3, 3) },
          { AT(1.5, -2, NAN, NAN, NAN, NAN, 4, 0.25, -7) },
          cot_f64(3),
          AT(-0.25, NAN, -0.9166666666666666),
          1e-14,
          false },
        { "nanmean_all",
          nanmean_all,
          1,
          { cot_f64(3, 3) },
          { AT(1.5, -2, NAN, NAN, NAN, NAN, 4, 0.25, -7) },
          cot_f64(1, 1),
          AT(-0.65),
          1e-14,
          false },
        { "nanvar",
          nanvar,
          1,
          { cot_f64(3, 3) },
          { AT(1.5, -2, NAN, NAN, NAN, NAN, 4, 0.25, -7) },
          cot_f64(3),
          AT(3.0625, NAN, 20.847222222222225),
          1e-14,
          false },
        { "nanvar_all",
          nanvar_all,
          1,
          { cot_f64(3, 3) },
          { AT(1.5, -2, NAN, NAN, NAN, NAN, 4, 0.25, -7) },
          cot_f64(1, 1),
          AT(13.84),
          1e-14,
          false },
        { "nanstd",
          nanstd,
          1,
          { cot_f64(3, 3) },
          { AT(1.5, -2, NAN, NAN, NAN, NAN, 4, 0.25, -7) },
          cot_f64(3),
          AT(1.75, NAN, 4.565875843934242),
          1e-14,
          false },
        { "nanstd_all",
          nanstd_all,
          1,
          { cot_f64(3, 3) },
          { AT(1.5, -2, NAN, NAN, NAN, NAN, 4, 0.25, -7) },
          cot_f64(1, 1),
          AT(3.7202150475476548),
          1e-14,
          false },
        { "nanvar_ddof",
          nanvar_ddof,
          1,
          { cot_f64(3, 3) },
          { AT(1.5, -2, NAN, NAN, NAN, NAN, 4, 0.25, -7) },
          cot_f64(3),
          AT(NAN, NAN, 62.54166666666667),
          1e-14,
          false },
        { "cov",
          cov,
          1,
          { cot_f64(3, 4) },
          { AT(1, 2, 4, 8, 3, 1, 0, 5, 2, 2.5, 1, -1) },
          cot_f64(3, 3),
          AT(9.583333333333332, 3.75, -4.625, 3.75, 4.916666666666666, -2.208333333333333,
             -4.625, -2.208333333333333, 2.395833333333333),
          1e-14,
          true },
        { "cov_columns",
          cov_columns,
          1,
          { cot_f64(3, 4) },
          { AT(1, 2, 4, 8, 3, 1, 0, 5, 2, 2.5, 1, -1) },
          cot_f64(4, 4),
          AT(0.6666666666666666, -0.3333333333333333, -1.3333333333333333, -1,
             -0.3333333333333333, 0.3888888888888889, 0.4444444444444444, -1.1666666666666665,
             -1.3333333333333333, 0.4444444444444444, 2.8888888888888884, 3.666666666666666, -1,
             -1.1666666666666665, 3.666666666666666, 14),
          1e-14,
          true },
        { "cov_line",
          cov_line,
          1,
          { cot_f64(4) },
          { AT(1, 2, 4, 8) },
          cot_f64(),
          AT(9.583333333333332),
          1e-14,
          true },
        { "corrcoef",
          corrcoef,
          1,
          { cot_f64(3, 4) },
          { AT(1, 2, 4, 8, 3, 1, 0, 5, 2, 2.5, 1, -1) },
          cot_f64(3, 3),
          AT(1, 0.546308034611348, -0.965217391304348, 0.546308034611348, 0.9999999999999998,
             -0.6434294629866987, -0.965217391304348, -0.6434294629866987, 1),
          1e-14,
          false },
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        run_case(&cases[k]);
}
END_TEST

BODY(moveaxis, out[0] = cot_moveaxis(in[0], 2, 0);)
BODY(tile, out[0] = cot_tile(in[0], COT_LIST(2, 1, 2));)
BODY(tile_short, out[0] = cot_tile(in[0], COT_LIST(2));)
BODY(tile_none, out[0] = cot_tile(in[0], COT_LIST(0, 2));)
BODY(repeat, out[0] = cot_repeat(in[0], 2, -2);)
BODY(meshgrid_0, cot_value g[2]; cot_meshgrid(COT_VALUES(in[0], in[1]), g); out[0] = g[0];)
BODY(meshgrid_ij_0, cot_value g[2]; cot_meshgrid(COT_VALUES(in[0], in[1]), g, .matrix = 1);
     out[0] = g[0];)
BODY(meshgrid_1, cot_value g[2]; cot_meshgrid(COT_VALUES(in[0], in[1]), g); out[0] = g[1];)
BODY(meshgrid_ij_1, cot_value g[2]; cot_meshgrid(COT_VALUES(in[0], in[1]), g, .matrix = 1);
     out[0] = g[1];)
BODY(diff, out[0] = cot_diff(in[0], 2, 1);)
BODY(diff_bool, out[0] = cot_diff(cot_gt(in[0], 3), 1, 1);)
BODY(diff_more, out[0] = cot_diff(in[0], 5, 0);)

START_TEST(arrangement)
{
    const numpy_case cases[] = {
        { "moveaxis",
          moveaxis,
          1,
          { cot_f64(1, 2, 3) },
          { AT(0, 1, 2, 3, 4, 5) },
          cot_f64(3, 1, 2),
          AT(0, 3, 1, 4, 2, 5),
          0,
          true },
        { "tile",
          tile,
          1,
          { cot_f64(2, 3) },
          { AT(0, 1, 2, 3, 4, 5) },
          cot_f64(2, 2, 6),
          AT(0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5, 0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5),
          0,
          true },
        { "tile_short",
          tile_short,
          1,
          { cot_f64(2, 3) },
          { AT(0, 1, 2, 3, 4, 5) },
          cot_f64(2, 6),
          AT(0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5),
          0,
          true },
        { "tile_none",
          tile_none,
          1,
          { cot_f64(2, 3) },
          { AT(0, 1, 2, 3, 4, 5) },
          cot_f64(0, 6),
          AT(0),
          0,
          false },
        { "repeat",
          repeat,
          1,
          { cot_f64(2, 3) },
          { AT(0, 1, 2, 3, 4, 5) },
          cot_f64(4, 3),
          AT(0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5),
          0,
          true },
        { "meshgrid_0",
          meshgrid_0,
          2,
          { cot_f64(3), cot_f64(2) },
          { AT(1, 2, 3), AT(10, 20) },
          cot_f64(2, 3),
          AT(1, 2, 3, 1, 2, 3),
          0,
          true },
        { "meshgrid_ij_0",
          meshgrid_ij_0,
          2,
          { cot_f64(3), cot_f64(2) },
          { AT(1, 2, 3), AT(10, 20) },
          cot_f64(3, 2),
          AT(1, 1, 2, 2, 3, 3),
          0,
          true },
        { "meshgrid_1",
          meshgrid_1,
          2,
          { cot_f64(3), cot_f64(2) },
          { AT(1, 2, 3), AT(10, 20) },
          cot_f64(2, 3),
          AT(10, 10, 10, 20, 20, 20),
          0,
          true },
        { "meshgrid_ij_1",
          meshgrid_ij_1,
          2,
          { cot_f64(3), cot_f64(2) },
          { AT(1, 2, 3), AT(10, 20) },
          cot_f64(3, 2),
          AT(10, 20, 10, 20, 10, 20),
          0,
          true },
        { "diff",
          diff,
          1,
          { cot_f64(2, 4) },
          { AT(1, 4, 9, 16, 2, 3, 5, 8) },
          cot_f64(2, 2),
          AT(2, 2, 1, 1),
          0,
          true },
        { "diff_bool",
          diff_bool,
          1,
          { cot_f64(2, 4) },
          { AT(1, 4, 9, 16, 2, 3, 5, 8) },
          cot_bool(2, 3),
          AT(1, 0, 0, 0, 1, 0),
          0,
          false },
        { "diff_more",
          diff_more,
          1,
          { cot_f64(2, 4) },
          { AT(1, 4, 9, 16, 2, 3, 5, 8) },
          cot_f64(0, 4),
          AT(0),
          0,
          false },
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        run_case(&cases[k]);
}
END_TEST

BODY(interp, out[0] = cot_interp(in[0], in[1], in[2]);)
BODY(interp_sides, out[0] = cot_interp(in[0], in[1], in[2], .left = in[3], .right = in[3]);)
BODY(interp_one, out[0] = cot_interp(in[0], in[1], in[2]);)
BODY(convolve_5_3_full, out[0] = cot_convolve(in[0], in[1], COT_OVERLAP_FULL);)
BODY(correlate_5_3_full, out[0] = cot_correlate(in[0], in[1], COT_OVERLAP_FULL);)
BODY(convolve_5_3_same, out[0] = cot_convolve(in[0], in[1], COT_OVERLAP_SAME);)
BODY(correlate_5_3_same, out[0] = cot_correlate(in[0], in[1], COT_OVERLAP_SAME);)
BODY(convolve_5_3_valid, out[0] = cot_convolve(in[0], in[1], COT_OVERLAP_VALID);)
BODY(correlate_5_3_valid, out[0] = cot_correlate(in[0], in[1], COT_OVERLAP_VALID);)
BODY(convolve_5_4_full, out[0] = cot_convolve(in[0], in[1], COT_OVERLAP_FULL);)
BODY(correlate_5_4_full, out[0] = cot_correlate(in[0], in[1], COT_OVERLAP_FULL);)
BODY(convolve_5_4_same, out[0] = cot_convolve(in[0], in[1], COT_OVERLAP_SAME);)
BODY(correlate_5_4_same, out[0] = cot_correlate(in[0], in[1], COT_OVERLAP_SAME);)
BODY(convolve_5_4_valid, out[0] = cot_convolve(in[0], in[1], COT_OVERLAP_VALID);)
BODY(correlate_5_4_valid, out[0] = cot_correlate(in[0], in[1], COT_OVERLAP_VALID);)
BODY(convolve_2_4_full, out[0] = cot_convolve(in[0], in[1], COT_OVERLAP_FULL);)
BODY(correlate_2_4_full, out[0] = cot_correlate(in[0], in[1], COT_OVERLAP_FULL);)
BODY(convolve_2_4_same, out[0] = cot_convolve(in[0], in[1], COT_OVERLAP_SAME);)
BODY(correlate_2_4_same, out[0] = cot_correlate(in[0], in[1], COT_OVERLAP_SAME);)
BODY(convolve_2_4_valid, out[0] = cot_convolve(in[0], in[1], COT_OVERLAP_VALID);)
BODY(correlate_2_4_valid, out[0] = cot_correlate(in[0], in[1], COT_OVERLAP_VALID);)
BODY(convolve_1_1_full, out[0] = cot_convolve(in[0], in[1], COT_OVERLAP_FULL);)
BODY(correlate_1_1_full, out[0] = cot_correlate(in[0], in[1], COT_OVERLAP_FULL);)
BODY(convolve_1_1_same, out[0] = cot_convolve(in[0], in[1], COT_OVERLAP_SAME);)
BODY(correlate_1_1_same, out[0] = cot_correlate(in[0], in[1], COT_OVERLAP_SAME);)
BODY(convolve_1_1_valid, out[0] = cot_convolve(in[0], in[1], COT_OVERLAP_VALID);)
BODY(correlate_1_1_valid, out[0] = cot_correlate(in[0], in[1], COT_OVERLAP_VALID);)
BODY(trapezoid, out[0] = cot_trapezoid(in[0], 1);)
BODY(trapezoid_dx, out[0] = cot_trapezoid(in[0], -2, .dx = 0.5);)
BODY(trapezoid_x, out[0] = cot_trapezoid(in[0], 1, .x = in[1]);)
BODY(polyval, out[0] = cot_polyval(in[0], in[1]);)
BODY(polyfit, out[0] = cot_polyfit(in[0], in[1], 2);)
BODY(polyfit_two, out[0] = cot_polyfit(in[0], in[1], 1);)

START_TEST(curves)
{
    const numpy_case cases[] = {
        { "interp",
          interp,
          3,
          { cot_f64(10), cot_f64(4), cot_f64(4) },
          { AT(-1, 0, 0.5, 1, 2, 3, 3.5, 4, 9, NAN), AT(0, 1, 3, 4), AT(2, 0, 6, 5) },
          cot_f64(10),
          AT(2, 2, 1, 0, 3, 6, 5.5, 5, 5, NAN),
          1e-14,
          false },
        { "interp_sides",
          interp_sides,
          4,
          { cot_f64(2, 5), cot_f64(4), cot_f64(4), cot_f64() },
          { AT(-1, 0, 0.5, 1, 2, 3, 3.5, 4, 9, NAN), AT(0, 1, 3, 4), AT(2, 0, 6, 5), AT(7) },
          cot_f64(2, 5),
          AT(7, 2, 1, 0, 3, 6, 5.5, 5, 7, NAN),
          1e-14,
          false },
        { "interp_one",
          interp_one,
          3,
          { cot_f64(3), cot_f64(1), cot_f64(1) },
          { AT(-1, 0, 1), AT(0), AT(5) },
          cot_f64(3),
          AT(5, 5, 5),
          1e-14,
          true },
        { "convolve_5_3_full",
          convolve_5_3_full,
          2,
          { cot_f64(5), cot_f64(3) },
          { AT(1, -2, 3, 0.5, 4), AT(2, 1, -1) },
          cot_f64(7),
          AT(2, -3, 3, 6, 5.5, 3.5, -4),
          1e-14,
          true },
        { "correlate_5_3_full",
          correlate_5_3_full,
          2,
          { cot_f64(5), cot_f64(3) },
          { AT(1, -2, 3, 0.5, 4), AT(2, 1, -1) },
          cot_f64(7),
          AT(-1, 3, -3, -1.5, 2.5, 5, 8),
          1e-14,
          true },
        { "convolve_5_3_same",
          convolve_5_3_same,
          2,
          { cot_f64(5), cot_f64(3) },
          { AT(1, -2, 3, 0.5, 4), AT(2, 1, -1) },
          cot_f64(5),
          AT(-3, 3, 6, 5.5, 3.5),
          1e-14,
          true },
        { "correlate_5_3_same",
          correlate_5_3_same,
          2,
          { cot_f64(5), cot_f64(3) },
          { AT(1, -2, 3, 0.5, 4), AT(2, 1, -1) },
          cot_f64(5),
          AT(3, -3, -1.5, 2.5, 5),
          1e-14,
          true },
        { "convolve_5_3_valid",
          convolve_5_3_valid,
          2,
          { cot_f64(5), cot_f64(3) },
          { AT(1, -2, 3, 0.5, 4), AT(2, 1, -1) },
          cot_f64(3),
          AT(3, 6, 5.5),
          1e-14,
          true },
        { "correlate_5_3_valid",
          correlate_5_3_valid,
          2,
          { cot_f64(5), cot_f64(3) },
          { AT(1, -2, 3, 0.5, 4), AT(2, 1, -1) },
          cot_f64(3),
          AT(-3, -1.5, 2.5),
          1e-14,
          true },
        { "convolve_5_4_full",
          convolve_5_4_full,
          2,
          { cot_f64(5), cot_f64(4) },
          { AT(1, -2, 3, 0.5, 4), AT(2, 1, -1, 3) },
          cot_f64(8),
          AT(2, -3, 3, 9, -0.5, 12.5, -2.5, 12),
          1e-14,
          true },
        { "correlate_5_4_full",
          correlate_5_4_full,
          2,
          { cot_f64(5), cot_f64(4) },
          { AT(1, -2, 3, 0.5, 4), AT(2, 1, -1, 3) },
          cot_f64(8),
          AT(3, -7, 12, -1.5, 10.5, 2.5, 5, 8),
          1e-14,
          true },
        { "convolve_5_4_same",
          convolve_5_4_same,
          2,
          { cot_f64(5), cot_f64(4) },
          { AT(1, -2, 3, 0.5, 4), AT(2, 1, -1, 3) },
          cot_f64(5),
          AT(-3, 3, 9, -0.5, 12.5),
          1e-14,
          true },
        { "correlate_5_4_same",
          correlate_5_4_same,
          2,
          { cot_f64(5), cot_f64(4) },
          { AT(1, -2, 3, 0.5, 4), AT(2, 1, -1, 3) },
          cot_f64(5),
          AT(-7, 12, -1.5, 10.5, 2.5),
          1e-14,
          true },
        { "convolve_5_4_valid",
          convolve_5_4_valid,
          2,
          { cot_f64(5), cot_f64(4) },
          { AT(1, -2, 3, 0.5, 4), AT(2, 1, -1, 3) },
          cot_f64(2),
          AT(9, -0.5),
          1e-14,
          true },
        { "correlate_5_4_valid",
          correlate_5_4_valid,
          2,
          { cot_f64(5), cot_f64(4) },
          { AT(1, -2, 3, 0.5, 4), AT(2, 1, -1, 3) },
          cot_f64(2),
          AT(-1.5, 10.5),
          1e-14,
          true },
        { "convolve_2_4_full",
          convolve_2_4_full,
          2,
          { cot_f64(2), cot_f64(4) },
          { AT(1, -2), AT(2, 1, -1, 3) },
          cot_f64(5),
          AT(2, -3, -3, 5, -6),
          1e-14,
          true },
        { "correlate_2_4_full",
          correlate_2_4_full,
          2,
          { cot_f64(2), cot_f64(4) },
          { AT(1, -2), AT(2, 1, -1, 3) },
          cot_f64(5),
          AT(3, -7, 3, 0, -4),
          1e-14,
          true },
        { "convolve_2_4_same",
          convolve_2_4_same,
          2,
          { cot_f64(2), cot_f64(4) },
          { AT(1, -2), AT(2, 1, -1, 3) },
          cot_f64(4),
          AT(2, -3, -3, 5),
          1e-14,
          true },
        { "correlate_2_4_same",
          correlate_2_4_same,
          2,
          { cot_f64(2), cot_f64(4) },
          { AT(1, -2), AT(2, 1, -1, 3) },
          cot_f64(4),
          AT(-7, 3, 0, -4),
          1e-14,
          true },
        { "convolve_2_4_valid",
          convolve_2_4_valid,
          2,
          { cot_f64(2), cot_f64(4) },
          { AT(1, -2), AT(2, 1, -1, 3) },
          cot_f64(3),
          AT(-3, -3, 5),
          1e-14,
          true },
        { "correlate_2_4_valid",
          correlate_2_4_valid,
          2,
          { cot_f64(2), cot_f64(4) },
          { AT(1, -2), AT(2, 1, -1, 3) },
          cot_f64(3),
          AT(-7, 3, 0),
          1e-14,
          true },
        { "convolve_1_1_full",
          convolve_1_1_full,
          2,
          { cot_f64(1), cot_f64(1) },
          { AT(1), AT(2) },
          cot_f64(1),
          AT(2),
          1e-14,
          true },
        { "correlate_1_1_full",
          correlate_1_1_full,
          2,
          { cot_f64(1), cot_f64(1) },
          { AT(1), AT(2) },
          cot_f64(1),
          AT(2),
          1e-14,
          true },
        { "convolve_1_1_same",
          convolve_1_1_same,
          2,
          { cot_f64(1), cot_f64(1) },
          { AT(1), AT(2) },
          cot_f64(1),
          AT(2),
          1e-14,
          true },
        { "correlate_1_1_same",
          correlate_1_1_same,
          2,
          { cot_f64(1), cot_f64(1) },
          { AT(1), AT(2) },
          cot_f64(1),
          AT(2),
          1e-14,
          true },
        { "convolve_1_1_valid",
          convolve_1_1_valid,
          2,
          { cot_f64(1), cot_f64(1) },
          { AT(1), AT(2) },
          cot_f64(1),
          AT(2),
          1e-14,
          true },
        { "correlate_1_1_valid",
          correlate_1_1_valid,
          2,
          { cot_f64(1), cot_f64(1) },
          { AT(1), AT(2) },
          cot_f64(1),
          AT(2),
          1e-14,
          true },
        { "trapezoid",
          trapezoid,
          1,
          { cot_f64(2, 4) },
          { AT(1, 4, 9, 16, 2, 3, 5, 8) },
          cot_f64(2),
          AT(21.5, 13),
          1e-14,
          true },
        { "trapezoid_dx",
          trapezoid_dx,
          1,
          { cot_f64(2, 4) },
          { AT(1, 4, 9, 16, 2, 3, 5, 8) },
          cot_f64(4),
          AT(0.75, 1.75, 3.5, 6),
          1e-14,
          true },
        { "trapezoid_x",
          trapezoid_x,
          2,
          { cot_f64(2, 4), cot_f64(4) },
          { AT(1, 4, 9, 16, 2, 3, 5, 8), AT(0, 1, 3, 4) },
          cot_f64(2),
          AT(28, 17),
          1e-14,
          true },
        { "polyval",
          polyval,
          2,
          { cot_f64(4), cot_f64(2, 2) },
          { AT(2, -1, 0, 3), AT(0, 1, -2, 0.5) },
          cot_f64(2, 2),
          AT(3, 4, -17, 3),
          1e-14,
          true },
        { "polyfit",
          polyfit,
          2,
          { cot_f64(5), cot_f64(5) },
          { AT(0, 1, 2, 3, 4), AT(1, 0, 2, 9, 17) },
          cot_f64(3),
          AT(1.6428571428571441, -2.4714285714285786, 0.8857142857142926),
          1e-12,
          true },
        { "polyfit_two",
          polyfit_two,
          2,
          { cot_f64(5), cot_f64(5, 2) },
          { AT(0, 1, 2, 3, 4), AT(1, 1, 0, 3, 2, 5, 9, 7, 17, 9) },
          cot_f64(2, 2),
          AT(4.1, 1.9999999999999998, -2.399999999999998, 1.0000000000000024),
          1e-12,
          true },
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
        ONCE(elements),    ONCE(reductions),      ONCE(arrangement),       ONCE(curves),
        ONCE(derivatives), ONCE(complex_numbers), ONCE(halves_round_once), ONCE(mistakes),
    };

    return SUITE("numpy", cases);
}
