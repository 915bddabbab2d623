/* Rows of the feature list about ops under transforms that a table of single ops does not show:
 * indexed writes, ops with several results, layers made of primitives, halves, numbers in a
 * program, inputs at the ends of the range, and sizes: of batches, and of trees. */
#include <time.h>

#include "tests/unit/oracle.h"
#include "tests/unit/traced.h"

#include "cotrace/random.h"

/* The graph of a body at types. */
static const ir_graph *
traced(cot_body *body, int n_out, cot_types types)
{
    const cot_graph *g;
    cot_status status =
        cot_trace_fn(cot_fn_new(ctx, "f", body, types.n, n_out, NULL), types, &g);

    ck_assert_msg(status == COT_OK, "%s", cot_error(ctx));
    return g;
}

/* Every choice of mapped arguments against a loop, for batches of 1, 2 and 5. */
static void
maps_of(cot_body *body, int n_out, cot_types types)
{
    const ir_graph *f = traced(body, n_out, types);

    maps(f, 1);
    maps(f, 2);
    maps(f, 5);
}

/* ---- B40: matrix products ---- */

BODY(product, out[0] = cot_matmul(in[0], in[1]);)

/* Vectors, matrices, stacks of them that broadcast; and a stack of four axes by one of three,
 * mapped twice. */
START_TEST(products_of_any_ranks)
{
    static const struct {
        int n, m;
        int64_t x[4], y[4];
    } row[] = {
        { 1, 1, { 3 }, { 3 } },
        { 1, 2, { 3 }, { 3, 2 } },
        { 2, 1, { 2, 3 }, { 3 } },
        { 2, 2, { 2, 3 }, { 3, 4 } },
        { 1, 3, { 3 }, { 2, 3, 4 } },
        { 3, 1, { 2, 4, 3 }, { 3 } },
        { 2, 3, { 4, 3 }, { 2, 3, 4 } },
        { 3, 2, { 2, 4, 3 }, { 3, 2 } },
        { 3, 3, { 2, 4, 3 }, { 2, 3, 5 } },
        { 3, 3, { 1, 4, 3 }, { 2, 3, 5 } },
        { 4, 3, { 5, 2, 2, 2 }, { 2, 2, 7 } },
    };

    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        maps_of(product, 1,
                COT_TYPES(cot_type_new(COT_F64, row[k].n, row[k].x),
                          cot_type_new(COT_F64, row[k].m, row[k].y)));
    /* [5,2,2,2] by [5,7,2]: the first axis of both, then the second of y alone, one example 2 x
     * 2 x 2 by 2 */
    const ir_graph *f = traced(product, 1, COT_TYPES(cot_f64(2, 2, 2), cot_f64(2)));
    ir_graph *g = piped(f, "vmap(size=7, in=[none,0]) | vmap(size=5)");
    values x = values_of(g, g->n_in, g->in);
    fill(&x);
    values y = evaluated(g, &x);
    const double *a = x.at[0], *b = x.at[1], *c = y.at[0];
    ck_assert_int_eq(y.type[0]->size, 5 * 7 * 2 * 2);
    for (int e = 0; e < 5; e++)
        for (int j = 0; j < 7; j++)
            for (int k = 0; k < 4; k++) {
                double want = a[8 * e + 2 * k] * b[14 * e + 2 * j] +
                              a[8 * e + 2 * k + 1] * b[14 * e + 2 * j + 1];
                ck_assert(near(c[(e * 7 + j) * 4 + k], want, 1e-14));
            }
    release(&x), release(&y);
}
END_TEST

/* ---- B48: indexed writes ---- */

#define AT0 .collapsed = COT_LIST(0), .index_map = COT_LIST(0)
BODY(put, out[0] = cot_scatter(in[0], in[1], in[2], AT0);)
BODY(put_add, out[0] = cot_scatter_add(in[0], in[1], in[2], AT0);)
BODY(put_rows, out[0] = cot_scatter(in[0], in[1], in[2], AT0, .offset_dims = COT_LIST(1));)
BODY(put_places, out[0] = cot_scatter(in[0], in[1], in[2], .collapsed = COT_LIST(0, 1),
                                      .index_map = COT_LIST(0, 1));)
BODY(put_zeros, out[0] = cot_scatter(cot_zeros(t, cot_f64(5)), in[0], in[1], AT0);)
BODY(put_masked, out[0] = cot_where(in[1], in[2], in[0]);)

/* Operand, indices and values, each mapped or not; a destination that is not becomes one for
 * each example. */
START_TEST(indexed_writes)
{
    ints = 5;
    maps_of(put, 1, COT_TYPES(cot_f64(5), cot_i64(3, 1), cot_f64(3)));
    maps_of(put_add, 1, COT_TYPES(cot_f64(5), cot_i32(3, 1), cot_f64(3)));
    maps_of(put_rows, 1, COT_TYPES(cot_f64(5, 2), cot_i32(3, 1), cot_f64(3, 2)));
    maps_of(put_places, 1, COT_TYPES(cot_f64(5, 6), cot_i32(4, 2), cot_f64(4)));
    maps_of(put_zeros, 1, COT_TYPES(cot_i32(3, 1), cot_f64(3)));
    maps_of(put_masked, 1, COT_TYPES(cot_f64(4), cot_bool(4), cot_f64(4)));
    derivative_agrees(traced(put, 1, COT_TYPES(cot_f64(5), cot_i64(3, 1), cot_f64(3))), 1e-7);
}
END_TEST

/* ---- B49: several results, or operands ---- */

BODY(split, cot_split(in[0], 3, 1, out);)
BODY(uneven, out[0] = cot_slice(in[0], .limit = COT_LIST(2));
     out[1] = cot_slice(in[0], .start = COT_LIST(2));)
BODY(unbind, for (int i = 0; i < 3; i++) out[i] = cot_index(in[0], i, 0);)
BODY(unbind_last, for (int i = 0; i < 3; i++) out[i] = cot_index(in[0], i, -1);)
BODY(stacked, out[0] = cot_stack(COT_VALUES(in[0], in[1], in[0]), 1);)
BODY(stacked_last, out[0] = cot_stack(COT_VALUES(in[0], in[1]), -1);)

START_TEST(several_results)
{
    maps_of(split, 3, COT_TYPES(cot_f64(2, 6)));
    maps_of(uneven, 2, COT_TYPES(cot_f64(5)));
    maps_of(unbind, 3, COT_TYPES(cot_f64(3, 2)));
    maps_of(unbind, 3, COT_TYPES(cot_f64(3)));
    maps_of(unbind_last, 3, COT_TYPES(cot_f64(2, 3)));
    maps_of(stacked, 1, COT_TYPES(cot_f64(2, 3), cot_f64(2, 3)));
    maps_of(stacked_last, 1, COT_TYPES(cot_f64(), cot_f64()));
    derivative_agrees(traced(split, 3, COT_TYPES(cot_f64(2, 6))), 1e-7);
}
END_TEST

/* ---- B51: batch norm ---- */

BODY(norm_training, cot_value stats[2];
     out[0] = cot_batch_norm(in[0], stats, .scale = in[1], .bias = in[2], .mean = in[3],
                             .var = in[4], .training = 1);
     out[1] = stats[0]; out[2] = stats[1];)
BODY(norm_running, cot_value stats[2];
     out[0] = cot_batch_norm(in[0], stats, .scale = in[1], .bias = in[2], .mean = in[3],
                             .var = in[4]);
     out[1] = stats[0]; out[2] = stats[1];)
BODY(norm_plain, out[0] = cot_batch_norm(in[0], NULL);)

/* Statistics are values, so that every combination is legal, training with shared ones too. */
START_TEST(batch_norm)
{
    cot_types types =
        COT_TYPES(cot_f64(4, 3, 2), cot_f64(3), cot_f64(3), cot_f64(3), cot_f64(3));

    centre = 2;
    maps_of(norm_training, 3, types);
    maps_of(norm_running, 3, types);
    maps_of(norm_plain, 1, COT_TYPES(cot_f64(4, 3, 2)));
    derivative_agrees(traced(norm_training, 3, types), 1e-6);
}
END_TEST

/* ---- B53: dropout ---- */

BODY(dropped, out[0] = cot_dropout(in[0], 0.5, .key = in[1]);)
/* whole channels of [4, 8] */
BODY(dropped_features,
     cot_value ones = cot_dropout(cot_ones(t, cot_f64(4, 1)), 0.5, .key = in[1]);
     out[0] = cot_mul(in[0], ones);)
BODY(drops, out[0] = cot_dropout(in[0], 0.5);)

static double *
masks(cot_body *body, int n_in, cot_types types, const char *pipeline, uint64_t *keys,
      int64_t n)
{
    const cot_graph *g;
    double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
    uint64_t one[2] = { 7, 9 };
    const void *in[] = { x, keys ? keys : one };

    for (int64_t i = 0; i < n; i++)
        x[i] = 1;
    cot_fn *f = cot_pipeline(cot_fn_new(ctx, "f", body, n_in, 1, NULL), pipeline);
    ck_assert_msg(cot_trace_fn(f, types, &g) == COT_OK, "%s", cot_error(ctx));
    ck_assert_int_eq(ir_eval(g, (void *[]){ y }, in), COT_OK);
    free(x);
    return y;
}

/* Each example has the mask of its own key, or all that of the one key; a mask of features has
 * the example's shape, whatever the batch. */
START_TEST(dropout_by_example)
{
    cot_body *body = _i ? dropped_features : dropped;
    uint64_t keys[6] = { 1, 2, 3, 4, 5, 6 };
    double *own = masks(body, 2, COT_TYPES(cot_f64(3, 4, 8), cot_u64(3, 2)), "vmap", keys, 96);
    double *shared =
        masks(body, 2, COT_TYPES(cot_f64(3, 4, 8), cot_u64(2)), "vmap(in=[0,none])", keys, 96);

    for (int e = 0; e < 3; e++) {
        double *alone =
            masks(body, 2, COT_TYPES(cot_f64(4, 8), cot_u64(2)), "", keys + 2 * e, 32);
        ck_assert_mem_eq(own + 32 * e, alone, 32 * sizeof *alone);
        ck_assert_mem_eq(shared + 32 * e, shared, 32 * sizeof *alone);
        free(alone);
    }
    ck_assert_mem_ne(own, own + 32, 32 * sizeof *own);
    for (int i = 0; i < 96; i++) {
        ck_assert(own[i] == 0 || own[i] == 2);
        ck_assert(!_i || own[i] == own[i / 8 * 8]);
    }
    free(own), free(shared);
    /* from the context's generator: masks differ between examples, or are one */
    double *other =
        masks(drops, 1, COT_TYPES(cot_f64(3, 32)), "vmap(randomness=different)", NULL, 96);
    double *same =
        masks(drops, 1, COT_TYPES(cot_f64(3, 32)), "vmap(randomness=same)", NULL, 96);
    ck_assert_mem_ne(other, other + 32, 32 * sizeof *other);
    ck_assert_mem_eq(same, same + 32, 32 * sizeof *same);
    free(other), free(same);
}
END_TEST

/* ---- B52: layers and losses, of primitives ---- */

BODY(layer_norm, out[0] = cot_layer_norm(in[0], .scale = in[1], .bias = in[2]);)
/* x [4, 6] in two groups of channels */
BODY(group_norm, cot_value g = cot_layer_norm(cot_reshape(in[0], 2, 12));
     out[0] = cot_add(cot_mul(cot_reshape(g, 4, 6), cot_expand_dims(in[1], 1)),
                      cot_expand_dims(in[2], 1));)
BODY(max_pool, out[0] = cot_reduce_max(cot_reshape(in[0], 2, 3, 2), .axes = COT_LIST(2));)
/* windows of 3 a step apart */
BODY(average_pool, cot_value sum = cot_slice(in[0], .limit = COT_LIST(4));
     for (int k = 1; k < 3; k++)
         sum = cot_add(sum, cot_slice(in[0], .start = COT_LIST(k), .limit = COT_LIST(4 + k)));
     out[0] = cot_div(sum, 3);)
BODY(embedding, out[0] = cot_take(in[0], in[1], 0);)
BODY(nll, cot_value picked = cot_take_along(in[0], cot_expand_dims(in[1], 1), 1);
     out[0] = cot_neg(cot_mean(picked));)
BODY(cross_entropy, out[0] = cot_cross_entropy(in[0], in[1]);)
BODY(one_hot, out[0] = cot_one_hot(in[0], 4, COT_F64);)

START_TEST(layers_and_losses)
{
    ints = 4;
    maps_of(layer_norm, 1, COT_TYPES(cot_f64(3, 4), cot_f64(4), cot_f64(4)));
    maps_of(group_norm, 1, COT_TYPES(cot_f64(4, 6), cot_f64(4), cot_f64(4)));
    maps_of(max_pool, 1, COT_TYPES(cot_f64(2, 6)));
    maps_of(average_pool, 1, COT_TYPES(cot_f64(6)));
    maps_of(embedding, 1, COT_TYPES(cot_f64(4, 3), cot_i64(2, 2)));
    maps_of(embedding, 1, COT_TYPES(cot_f64(4, 3), cot_i32()));
    maps_of(nll, 1, COT_TYPES(cot_f64(3, 4), cot_i64(3)));
    maps_of(cross_entropy, 1, COT_TYPES(cot_f64(3, 4), cot_i32(3)));
    maps_of(one_hot, 1, COT_TYPES(cot_i32(3)));
    derivative_agrees(traced(group_norm, 1, COT_TYPES(cot_f64(4, 6), cot_f64(4), cot_f64(4))),
                      1e-7);
    derivative_agrees(traced(embedding, 1, COT_TYPES(cot_f64(4, 3), cot_i64(2, 2))), 1e-7);
    derivative_agrees(traced(nll, 1, COT_TYPES(cot_f64(3, 4), cot_i64(3))), 1e-7);
}
END_TEST

/* ---- B55: sizes of batches ---- */

BODY(wave, out[0] = cot_mul(cot_sin(in[0]), in[1]);)

/* Three levels of any sizes; the second argument is mapped by the middle one alone. */
START_TEST(batches_of_any_size)
{
    static const int64_t size[][3] = { { 20, 25, 20 }, { 100, 1, 100 }, { 2, 5000, 1 },
                                       { 0, 3, 2 },    { 3, 0, 2 },     { 3, 2, 0 },
                                       { 1, 1, 1 },    { 7, 11, 13 } };
    const int64_t *s = size[_i];
    char pipeline[200];
    const ir_graph *f = traced(wave, 1, COT_TYPES(cot_f64(), cot_f64()));

    snprintf(pipeline, sizeof pipeline,
             "vmap(size=%d, in=[0,none]) | vmap(size=%d) | vmap(size=%d, in=[0,none])",
             (int)s[2], (int)s[1], (int)s[0]);
    ir_graph *g = piped(f, pipeline);
    values x = values_of(g, g->n_in, g->in);
    fill(&x);
    values y = evaluated(g, &x);
    const double *a = x.at[0], *b = x.at[1], *c = y.at[0];
    ck_assert_int_eq(y.type[0]->size, s[0] * s[1] * s[2]);
    for (int64_t i = 0; i < y.type[0]->size; i++)
        ck_assert(near(c[i], sin(a[i]) * b[i / s[2] % s[1]], 1e-15));
    release(&x), release(&y);
}
END_TEST

/* ---- B187: halves ---- */

BODY(total, out[0] = cot_reduce_sum(in[0]);)
BODY(inner, out[0] = cot_dot(in[0], in[1]);)
BODY(spread_out, out[0] = cot_reduce_sum(cot_mul(cot_broadcast_to(in[0], 4096), in[1]));)
BODY(mean_of, out[0] = cot_mean(in[0]);)
BODY(soft, out[0] = cot_reduce_sum(cot_mul(cot_softmax(in[0]), in[0]));)
BODY(norm_of, out[0] = cot_reduce_sum(cot_sin(cot_layer_norm(in[0])));)

static double
half(cot_dtype t, uint16_t bits)
{
    if (t == COT_BF16) {
        uint32_t wide = (uint32_t)bits << 16;
        float x;
        memcpy(&x, &wide, sizeof x);
        return (double)x;
    }
    int e = bits >> 10 & 31;
    return ldexp((bits & 1023) + (e ? 1024 : 0), (e ? e : 1) - 25) * (bits >> 15 ? -1 : 1);
}

/* Element 0 of the first result of a pipeline of the body, where every element is 1. */
static double
at_ones(cot_body *body, const char *pipeline, cot_dtype t, int n_in, const int64_t *size)
{
    const cot_graph *g;
    cot_type type[2];
    void *x[2], *y[4];

    for (int i = 0; i < n_in; i++) {
        type[i] = cot_type_new(t, size[i] > 0, &size[i]);
        int64_t n = cot_type_count(&type[i]);
        uint16_t *p = malloc(2 * (size_t)n);
        for (int64_t k = 0; k < n; k++)
            p[k] = t == COT_BF16 ? 0x3f80 : 0x3c00;
        x[i] = p;
    }
    cot_fn *f = cot_pipeline(cot_fn_new(ctx, "f", body, n_in, 1, NULL), pipeline);
    ck_assert_msg(cot_trace_fn(f, (cot_types){ .n = n_in, .at = type }, &g) == COT_OK, "%s",
                  cot_error(ctx));
    for (int j = 0; j < g->n_out; j++) {
        const ir_type *r = ir_type_at(g, g->out[j]);
        ck_assert_msg(r->dtype == t, "%s: result %d is %s", pipeline, j,
                      cot_dtype_name(r->dtype));
        y[j] = malloc(2 * (size_t)r->size + 2);
    }
    ck_assert_int_eq(ir_eval(g, y, (const void *const *)x), COT_OK);
    double first = half(t, *(uint16_t *)y[0]);
    for (int i = 0; i < n_in; i++)
        free(x[i]);
    for (int j = 0; j < g->n_out; j++)
        free(y[j]);
    return first;
}

/* Derivatives have the argument's type; sums and products keep more than eight bits on the way:
 * added one by one in bf16, ones stop at 256, and in f16 at 2048. */
START_TEST(halves)
{
    cot_dtype t = _i ? COT_BF16 : COT_F16;
    const int64_t many[] = { 4096, 4096 }, scalar[] = { 0, 4096 };

    ck_assert(at_ones(total, "", t, 1, many) == 4096);
    ck_assert(at_ones(inner, "", t, 2, many) == 4096);
    ck_assert(at_ones(mean_of, "", t, 1, many) == 1);
    ck_assert(at_ones(inner, "grad(wrt=[0,1])", t, 2, many) == 1);
    ck_assert(at_ones(spread_out, "grad", t, 2, scalar) == 4096);
    ck_assert(at_ones(mean_of, "grad", t, 1, many) == 1.0 / 4096);
    at_ones(soft, "grad", t, 1, (const int64_t[]){ 7 });
    at_ones(norm_of, "grad", t, 1, (const int64_t[]){ 7 });
    at_ones(soft, "hessian", t, 1, (const int64_t[]){ 7 });
    at_ones(norm_of, "jacfwd", t, 1, (const int64_t[]){ 7 });
}
END_TEST

/* ---- B188: numbers ---- */

BODY(numbers, cot_value x = cot_add(cot_mul(in[0], 2.0), 1); x = cot_sub(3.5f, cot_div(1, x));
     x = cot_where(cot_gt(x, 0.5), x, -1.0); x = cot_clip(x, 0.1, 10.0);
     out[0] = cot_reduce_sum(cot_pow(cot_abs(x), 1.5));)
BODY(sugared, cot_value x = cot_gelu(in[0]); x = cot_add(x, cot_silu(in[0]));
     x = cot_add(x, cot_softplus(x)); x = cot_add(cot_layer_norm(x), cot_softmax(x));
     x = cot_add(x, cot_sigmoid(cot_relu(x))); x = cot_add(x, cot_log_softmax(x));
     x = cot_add(x, cot_pad(cot_slice(x, .limit = COT_LIST(3)), 0.5, .high = COT_LIST(1)));
     out[0] = cot_add(cot_mse(x, cot_full(t, cot_type_of(x), 0.1)),
                      cot_add(cot_var(x), cot_norm(x)));)
BODY(made, out[0] = cot_reduce_sum(cot_mul(in[0],
                                           cot_linspace(t, cot_dtype_of(in[0]), 0.1, 0.9, 4)));)

/* No node of f32 programs is f64, under any transform. */
START_TEST(numbers_do_not_widen)
{
    static const char *const pipeline[] = {
        "", "grad", "jvp", "linearize", "hessian", "jacfwd", "grad | vmap(size=3)"
    };
    cot_body *const body[] = { numbers, sugared, made };

    for (int k = 0; k < 3; k++) {
        const ir_graph *f = traced(body[k], 1, COT_TYPES(cot_f32(4)));
        for (size_t p = 0; p < sizeof pipeline / sizeof *pipeline; p++) {
            const ir_graph *g = piped(f, pipeline[p]);
            for (uint32_t v = 1; v < g->n_values; v++)
                ck_assert_msg(ir_type_at(g, v)->dtype != COT_F64,
                              "body %d, %s: value %u is f64", k, pipeline[p], v);
            ck_assert_int_eq(ir_type_at(g, g->out[0])->dtype, COT_F32);
        }
    }
}
END_TEST

/* ---- B193: the ends of the range ---- */

BODY(softmax_1, out[0] = cot_index(cot_softmax(in[0]), 1, 0);)
BODY(log_softmax_1, out[0] = cot_index(cot_log_softmax(in[0]), 1, 0);)
BODY(entropy, out[0] = cot_cross_entropy(in[0], cot_constant(t, cot_i32(), &(int32_t){ 1 }));)
BODY(nll_1, out[0] = cot_neg(cot_index(in[0], 1, 0));)
BODY(l1, out[0] = cot_mean(cot_abs(in[0]));)
BODY(mse, out[0] = cot_mse(in[0], cot_zeros(t, cot_f64(3)));)
BODY(bce, out[0] = cot_mean(cot_sub(cot_softplus(in[0]), in[0]));) /* all labels are 1 */
BODY(normed, out[0] = cot_index(cot_layer_norm(in[0]), 0, 0);)

static const struct extreme {
    cot_body *body;
    double x[3], value, gradient[3];
} extremes[] = {
    { softmax_1, { -1e300, 1e300, 0 }, 1, { 0, 0, 0 } },
    { softmax_1, { 1e300, -1e300, 0 }, 0, { 0, 0, 0 } },
    { softmax_1, { 1e-300, 0, -1e-300 }, 1. / 3, { -1. / 9, 2. / 9, -1. / 9 } },
    { log_softmax_1, { 1e300, -1e300, 0 }, -2e300, { -1, 1, 0 } },
    { log_softmax_1, { 1e-300, 0, 0 }, -1.0986122886681098, { -1. / 3, 2. / 3, -1. / 3 } },
    { entropy, { 1e300, -1e300, 0 }, 2e300, { 1, -1, 0 } },
    { entropy, { -1e300, 1e300, 0 }, 0, { 0, 0, 0 } },
    { nll_1, { 1e308, -1e308, 0 }, 1e308, { 0, -1, 0 } },
    { l1, { 3e307, -3e307, 3e-308 }, 2e307, { 1. / 3, -1. / 3, 1. / 3 } },
    { mse, { 3e150, -6e-300, 0 }, 3e300, { 2e150, -4e-300, 0 } },
    { bce, { 1e300, -3e300, 0 }, 1e300 + 0.23104906018664842, { 0, -1. / 3, -1. / 6 } },
    { normed,
      { 1e20, 0, -1e20 },
      1.2247448713915889,
      { 2.0412414523193152e-21, -4.08248290463863e-21, 2.0412414523193152e-21 } },
    { normed,
      { 1e-20, 0, -1e-20 },
      3.1622776601683793e-18,
      { 210.81851067789195, -105.40925533894598, -105.40925533894598 } },
};

START_TEST(ends_of_the_range)
{
    static const char *const pipeline[] = { "grad",
                                            "grad | simplify",
                                            "simplify | grad",
                                            "jacfwd",
                                            "jacrev",
                                            "grad | vmap(size=2, out=0)",
                                            "vmap(size=2) | vjp | simplify",
                                            "grad | contract" };
    const struct extreme *e = &extremes[_i];
    const ir_graph *f = traced(e->body, 1, COT_TYPES(cot_f64(3)));
    const double x[] = { e->x[0], e->x[1], e->x[2], e->x[0], e->x[1], e->x[2] },
                 ones[] = { 1, 1 };
    const void *const in[] = { x, ones };
    double value[2], gradient[6];

    ck_assert_int_eq(ir_eval(f, (void *[]){ value }, in), COT_OK);
    ck_assert_msg(near(value[0], e->value, 1e-14), "value %.17g, wants %.17g", value[0],
                  e->value);
    for (size_t p = 0; p < sizeof pipeline / sizeof *pipeline; p++) {
        const ir_graph *g = piped(f, pipeline[p]);
        bool both = strstr(pipeline[p], "vjp"), two = strstr(pipeline[p], "vmap");
        void *const out[] = { both ? value : gradient, gradient };
        ck_assert_int_eq(ir_eval(g, out, in), COT_OK);
        for (int i = 0; i < (two ? 6 : 3); i++) {
            double want = e->gradient[i % 3];
            ck_assert_msg(fabs(gradient[i] - want) <=
                              1e-12 * fabs(want) + 1e-14 * (fabs(want) > 1e-10 || want == 0),
                          "%s: element %d is %.17g, wants %.17g", pipeline[p], i, gradient[i],
                          want);
        }
    }
}
END_TEST

/* ---- B186: large trees ---- */

static void
sum_of_squares(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    int n = *(const int *)user;
    cot_value sum = cot_zeros(t, cot_f64());

    for (int i = 0; i < n; i++)
        sum = cot_add(sum, cot_reduce_sum(cot_mul(in[i], cot_sin(in[i]))));
    out[0] = sum;
}

static size_t taken;

static void *
counting_alloc(void *user, void *old, size_t bytes)
{
    (void)user;
    taken += bytes;
    if (bytes)
        return realloc(old, bytes);
    free(old);
    return NULL;
}

/* Processor time and memory for the gradient, mapped, of n leaves of a tree. */
static double
gradient_of_leaves(int n, size_t *bytes)
{
    char text[64];
    cot_type *type = malloc(sizeof *type * (size_t)n);
    const cot_graph *g;
    clock_t begin = clock();

    taken = 0;
    cot_context *c = cot_context_new(&(cot_options){ .alloc = counting_alloc, .verify = -1 });
    cot_fn *f = cot_fn_new(c, "f", sum_of_squares, n, 1, &n);
    snprintf(text, sizeof text, "layer[%d]{weight[2]}", n / 2);
    f = cot_vmap(cot_grad(cot_fn_named(f, text, "loss"), .wrt = COT_NAMES("layer")));
    for (int i = 0; i < n; i++)
        type[i] = cot_f64(5, 3);
    ck_assert_msg(cot_trace_fn(f, (cot_types){ .n = n, .at = type }, &g) == COT_OK, "%s",
                  cot_error(c));
    ck_assert_int_eq(cot_graph_n_out(g), n);
    cot_context_free(c);
    free(type);
    *bytes = taken;
    return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

/* Eight times the leaves take eight times the memory, and not sixty-four times the time. */
START_TEST(large_trees)
{
    size_t small, large;
    double quick = gradient_of_leaves(1000, &small), slow = gradient_of_leaves(8000, &large);

    ck_assert_msg(large < 10 * small, "%zu and %zu bytes", small, large);
    ck_assert_msg(slow < 25 * quick + 0.5, "%g and %g seconds", quick, slow);
}
END_TEST

#define N(a) ((int)(sizeof(a) / sizeof *(a)))

int
main(void)
{
    const suite_case cases[] = {
        { "B40", products_of_any_ranks, 1 },
        { "B48", indexed_writes, 1 },
        { "B49", several_results, 1 },
        { "B51", batch_norm, 1 },
        { "B53", dropout_by_example, 2 },
        { "B52", layers_and_losses, 1 },
        { "B55", batches_of_any_size, 8 },
        { "B186", large_trees, 1 },
        { "B187", halves, 2 },
        { "B188", numbers_do_not_widen, 1 },
        { "B193", ends_of_the_range, N(extremes) },
    };

    return SUITE_WITH("op_rows", cases, oracle_setup, suite_end);
}
