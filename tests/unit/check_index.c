/* Indexing, updates and segments beside NumPy's figures: x is arange(24).reshape(2, 3, 4), i
 * [1, 0, -1], j [[0, 2], [1, 1]], k 1 and m [[1, 0, 1], [0, 0, 1]]. */
#include "traced.h"

#define F64(...) ((const double[]){__VA_ARGS__})
#define I32(...) ((const int32_t[]){__VA_ARGS__})
#define IN(...) ((const void *const[]){__VA_ARGS__})
enum { X = 24 };

static double X234[X];
static const int32_t I3[] = {1, 0, -1}, J22[] = {0, 2, 1, 1}, K[] = {1};
static const uint8_t M23[] = {1, 0, 1, 0, 0, 1};
static const void *const in5[] = {X234, I3, J22, K, M23};
#define TYPES5 COT_TYPES(cot_f64(2, 3, 4), cot_i32(3), cot_i32(2, 2), cot_i32(), cot_bool(2, 3))

static void
begin(void)
{
    for (int i = 0; i < X; i++)
        X234[i] = i;
}

typedef struct case_ {
    const char *name;
    cot_body *body;
    struct { int rank; int64_t dims[5]; } type;
    double want[64];
} case_;

static void
gives(const case_ *c)
{
    body_gives(c->name, c->body, TYPES5, in5, cot_type_new(COT_F64, c->type.rank, c->type.dims),
               c->want, 0);
}

/* Mapped over two copies of x, or of the indices and the mask: each example gives the same. */
static void
maps(const case_ *c, bool x)
{
    const int64_t x_first[5] = { 0, COT_NONE, COT_NONE, COT_NONE, COT_NONE },
                  x_not[5] = { COT_NONE, 0, 0, 0, 0 };
    const cot_types one = TYPES5;
    cot_type types[5];
    void *in[5];
    double want[128];
    int64_t dims[6] = {2}, n = 1;
    cot_context *ctx = cot_context_new(NULL);

    for (int i = 0; i < 5; i++) {
        const bool twice = (i == 0) == x;
        const size_t bytes =
            (size_t)cot_type_count(&one.at[i]) * cot_dtype_size(one.at[i].dtype);
        types[i] = one.at[i];
        in[i] = malloc(2 * bytes);
        memcpy(in[i], in5[i], bytes);
        memcpy((char *)in[i] + bytes, in5[i], bytes);
        for (int k = types[i].rank; k > 0 && twice; k--)
            types[i].dims[k] = types[i].dims[k - 1];
        types[i].dims[0] = twice ? 2 : types[i].dims[0];
        types[i].rank += twice;
    }
    for (int k = 0; k < c->type.rank; k++)
        n *= dims[k + 1] = c->type.dims[k];
    memcpy(want, c->want, sizeof *want * (size_t)n);
    memcpy(want + n, c->want, sizeof *want * (size_t)n);
    cot_fn *f = cot_vmap(cot_fn_new(ctx, c->name, c->body, 5, 1, NULL),
                         .in_dims = { .n = 5, .at = x ? x_first : x_not }, .size = 2);
    traced_gives(f, (cot_types){ .n = 5, .at = types }, (const void *const *)in,
                 cot_type_new(COT_F64, c->type.rank + 1, dims), want, 0);
    for (int i = 0; i < 5; i++)
        free(in[i]);
    cot_context_free(ctx);
}

/* ---- reading ---- */

BODY(integer, out[0] = cot_index(in[0], COT_AT(1));)
BODY(integers, out[0] = cot_index(in[0], COT_AT(-1, 2, 0));)
BODY(span, out[0] = cot_index(in[0], COT_AT(COT_WHOLE, COT_SPAN(1, 3)));)
BODY(span_step,
     out[0] = cot_index(in[0], COT_AT(COT_WHOLE, COT_WHOLE, COT_SPAN(COT_NONE, COT_NONE, 2)));)
BODY(span_down, out[0] = cot_index(in[0], COT_AT(0, COT_SPAN(COT_NONE, COT_NONE, -1),
                                                 COT_SPAN(-1, 0, -2)));)
BODY(span_clamped, out[0] = cot_index(in[0], COT_AT(0, COT_SPAN(-9, 9), COT_SPAN(2, -9, -1)));)
BODY(span_empty, out[0] = cot_index(in[0], COT_AT(COT_WHOLE, COT_SPAN(2, 1)));)
BODY(newaxis,
     out[0] = cot_index(in[0], COT_AT(0, COT_NEWAXIS, COT_SPAN(0, 2), 1, COT_NEWAXIS));)
BODY(ellipsis, out[0] = cot_index(in[0], COT_AT(COT_ELLIPSIS, 3));)
BODY(ellipsis_inside, out[0] = cot_index(in[0], COT_AT(1, COT_ELLIPSIS, COT_NEWAXIS, 0));)
BODY(ellipsis_empty, out[0] = cot_index(in[0], COT_AT(1, 0, COT_ELLIPSIS, 2));)
BODY(array, out[0] = cot_index(in[0], COT_AT(COT_WHOLE, in[1]));)
BODY(array_first, out[0] = cot_index(in[0], COT_AT(in[2]));)
BODY(array_span, out[0] = cot_index(in[0], COT_AT(in[2], COT_SPAN(COT_NONE, COT_NONE, -2),
                                                  COT_SPAN(1, 3)));)
BODY(arrays, out[0] = cot_index(in[0], COT_AT(COT_WHOLE, in[1], in[1]));)
BODY(arrays_meet, out[0] = cot_index(in[0], COT_AT(COT_ELLIPSIS, COT_SPAN(0, 2), in[2]));)
BODY(arrays_not_adjacent, out[0] = cot_index(in[0], COT_AT(in[3], COT_WHOLE, in[1]));)
BODY(arrays_broadcast,
     out[0] = cot_index(in[0], COT_AT(COT_WHOLE, in[2], cot_reshape(in[1], 3, 1, 1)));)
BODY(array_integer, out[0] = cot_index(in[0], COT_AT(COT_WHOLE, 1, in[1]));)
BODY(array_and_integer_not_adjacent, out[0] = cot_index(in[0], COT_AT(1, COT_WHOLE, in[1]));)
BODY(array_newaxis, out[0] = cot_index(in[0], COT_AT(in[1], COT_NEWAXIS, in[1]));)
BODY(scalar, out[0] = cot_index(in[0], COT_AT(in[3], COT_SPAN(0, 2)));)
BODY(scalars, out[0] = cot_index(in[0], COT_AT(in[3], COT_WHOLE, in[3]));)
BODY(clamped, out[0] = cot_index(in[0], COT_AT(COT_WHOLE, COT_WHOLE, cot_mul(in[1], 9)));)
BODY(mask, out[0] = cot_index(in[0], COT_AT(COT_MASK(in[4], 4)));)
BODY(mask_span, out[0] = cot_index(in[0], COT_AT(COT_MASK(in[4], 2), COT_SPAN(1, 3)));)
BODY(mask_array, out[0] = cot_index(in[0], COT_AT(COT_MASK(in[4], 3), in[1]));)

static const case_ reads[] = {
    { "integer", integer, { 2, { 3, 4 } }, { 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23 } },
    { "integers", integers, { 0, { 0 } }, { 20 } },
    { "span",
      span,
      { 3, { 2, 2, 4 } },
      { 4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19, 20, 21, 22, 23 } },
    { "span_step",
      span_step,
      { 3, { 2, 3, 2 } },
      { 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22 } },
    { "span_down", span_down, { 2, { 3, 2 } }, { 11, 9, 7, 5, 3, 1 } },
    { "span_clamped", span_clamped, { 2, { 3, 3 } }, { 2, 1, 0, 6, 5, 4, 10, 9, 8 } },
    { "span_empty", span_empty, { 3, { 2, 0, 4 } }, { 0 } },
    { "newaxis", newaxis, { 3, { 1, 2, 1 } }, { 1, 5 } },
    { "ellipsis", ellipsis, { 2, { 2, 3 } }, { 3, 7, 11, 15, 19, 23 } },
    { "ellipsis_inside", ellipsis_inside, { 2, { 3, 1 } }, { 12, 16, 20 } },
    { "ellipsis_empty", ellipsis_empty, { 0, { 0 } }, { 14 } },
    { "array", array, { 3, { 2, 3, 4 } }, { 4,  5,  6,  7,  0,  1,  2,  3,  8,  9,  10, 11,
                                            16, 17, 18, 19, 12, 13, 14, 15, 20, 21, 22, 23 } },
    { "array_first",
      array_first,
      { 4, { 2, 2, 3, 4 } },
      { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
        16, 17, 18, 19, 20, 21, 22, 23, 12, 13, 14, 15, 16, 17, 18, 19,
        20, 21, 22, 23, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23 } },
    { "array_span",
      array_span,
      { 4, { 2, 2, 2, 2 } },
      { 9, 10, 1, 2, 21, 22, 13, 14, 21, 22, 13, 14, 21, 22, 13, 14 } },
    { "arrays", arrays, { 2, { 2, 3 } }, { 5, 0, 11, 17, 12, 23 } },
    { "arrays_meet",
      arrays_meet,
      { 4, { 2, 2, 2, 2 } },
      { 0, 2, 1, 1, 4, 6, 5, 5, 12, 14, 13, 13, 16, 18, 17, 17 } },
    { "arrays_not_adjacent",
      arrays_not_adjacent,
      { 2, { 3, 3 } },
      { 13, 17, 21, 12, 16, 20, 15, 19, 23 } },
    { "arrays_broadcast",
      arrays_broadcast,
      { 4, { 2, 3, 2, 2 } },
      { 1, 9, 5, 5, 0, 8, 4, 4, 3, 11, 7, 7, 13, 21, 17, 17, 12, 20, 16, 16, 15, 23, 19, 19 } },
    { "array_integer", array_integer, { 2, { 2, 3 } }, { 5, 4, 7, 17, 16, 19 } },
    { "array_and_integer_not_adjacent",
      array_and_integer_not_adjacent,
      { 2, { 3, 3 } },
      { 13, 17, 21, 12, 16, 20, 15, 19, 23 } },
    { "array_newaxis",
      array_newaxis,
      { 3, { 3, 1, 4 } },
      { 16, 17, 18, 19, 0, 1, 2, 3, 20, 21, 22, 23 } },
    { "scalar", scalar, { 2, { 2, 4 } }, { 12, 13, 14, 15, 16, 17, 18, 19 } },
    { "scalars", scalars, { 1, { 3 } }, { 13, 17, 21 } },
    { "mask_span", mask_span, { 2, { 2, 2 } }, { 1, 2, 9, 10 } },
    { "mask_array", mask_array, { 1, { 3 } }, { 1, 8, 23 } },
    /* 9 and -9 are clamped; the fourth element of the mask is not there. */
    { "clamped",
      clamped,
      { 3, { 2, 3, 3 } },
      { 3, 0, 0, 7, 4, 4, 11, 8, 8, 15, 12, 12, 19, 16, 16, 23, 20, 20 } },
    { "mask", mask, { 2, { 4, 4 } }, { 0, 1, 2, 3, 8, 9, 10, 11, 20, 21, 22, 23, 0, 0, 0, 0 } },
};

START_TEST(reading)
{
    gives(&reads[_i]);
    maps(&reads[_i], true);
    maps(&reads[_i], false);
}
END_TEST

/* ---- updating ---- */

BODY(set_box, out[0] = cot_index_set(in[0], COT_AT(1, COT_SPAN(1, 3), COT_SPAN(0, 2)), -1);)
BODY(set_steps, out[0] = cot_index_set(in[0],
                                       COT_AT(COT_WHOLE, COT_SPAN(COT_NONE, COT_NONE, -2), 3),
                                       cot_iota(t, cot_f64(2, 2), 1));)
BODY(set_array, out[0] = cot_index_set(in[0], COT_AT(COT_WHOLE, in[1]),
                                       cot_iota(t, cot_f64(3, 4), 1));)
BODY(set_last, out[0] = cot_index_set(in[0], COT_AT(0, in[2], 0),
                                      cot_reshape(cot_iota(t, cot_f64(4), 0), 2, 2));)
BODY(set_mask, out[0] = cot_index_set(in[0], COT_AT(in[4]), -1);)
BODY(set_bound,
     out[0] = cot_index_set(in[0], COT_AT(COT_MASK(in[4], 4)), cot_iota(t, cot_f64(4, 4), 0));)
BODY(set_dynamic, out[0] = cot_index_set(in[0], COT_AT(in[3], in[3]), 7);)
BODY(add_box, out[0] = cot_index_add(in[0], COT_AT(COT_ELLIPSIS, COT_SPAN(1, 3)), 0.5);)
BODY(add_array, out[0] = cot_index_add(in[0], COT_AT(0, COT_WHOLE, in[2]), 1);)
BODY(mul_array, out[0] = cot_index_mul(in[0], COT_AT(1, 0, in[2]), 2);)
BODY(min_array, out[0] = cot_index_min(in[0], COT_AT(1, in[1]), cot_iota(t, cot_f64(4), 0));)
BODY(max_array, out[0] = cot_index_max(in[0], COT_AT(COT_WHOLE, in[1], 0), 9);)
BODY(drop, out[0] = cot_index_add(in[0], COT_AT(0, 0, cot_mul(in[1], 4)), 1);)
BODY(clip, out[0] = cot_index_add(in[0], COT_AT(0, 0, cot_mul(in[1], 4)), 1, .clip = 1);)

/* Beside x[...] = y and numpy.add.at(x, ..., y) and so on; what is outside is dropped or
 * clamped. */
static const case_ updates[] = {
    { "set_box", set_box, {3, {2, 3, 4}},
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, -1, -1, 18, 19, -1, -1, 22, 23} },
    { "set_steps", set_steps, {3, {2, 3, 4}},
      {0, 1, 2, 1, 4, 5, 6, 7, 8, 9, 10, 0, 12, 13, 14, 1, 16, 17, 18, 19, 20, 21, 22, 0} },
    { "set_array", set_array, {3, {2, 3, 4}},
      {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3} },
    { "set_last", set_last, {3, {2, 3, 4}},
      {0, 1, 2, 3, 3, 5, 6, 7, 1, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23} },
    { "set_mask", set_mask, {3, {2, 3, 4}},
      {-1, -1, -1, -1, 4, 5, 6, 7, -1, -1, -1, -1, 12, 13, 14, 15, 16, 17, 18, 19, -1,
       -1, -1, -1} },
    { "set_bound", set_bound, {3, {2, 3, 4}},
      {0, 0, 0, 0, 4, 5, 6, 7, 1, 1, 1, 1, 12, 13, 14, 15, 16, 17, 18, 19, 2, 2, 2, 2} },
    { "set_dynamic", set_dynamic, {3, {2, 3, 4}},
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 7, 7, 7, 7, 20, 21, 22, 23} },
    { "add_box", add_box, {3, {2, 3, 4}},
      {0, 1.5, 2.5, 3, 4, 5.5, 6.5, 7, 8, 9.5, 10.5, 11, 12, 13.5, 14.5, 15, 16, 17.5, 18.5, 19,
       20, 21.5, 22.5, 23} },
    { "add_array", add_array, {3, {2, 3, 4}},
      {1, 3, 3, 3, 5, 7, 7, 7, 9, 11, 11, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23} },
    { "mul_array", mul_array, {3, {2, 3, 4}},
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 24, 52, 28, 15, 16, 17, 18, 19, 20, 21, 22, 23} },
    { "min_array", min_array, {3, {2, 3, 4}},
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3} },
    { "max_array", max_array, {3, {2, 3, 4}},
      {9, 1, 2, 3, 9, 5, 6, 7, 9, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23} },
    { "drop", drop, {3, {2, 3, 4}},
      {2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23} },
    { "clip", clip, {3, {2, 3, 4}},
      {2, 1, 2, 4, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23} },
};

START_TEST(updating)
{
    gives(&updates[_i]);
    maps(&updates[_i], true);
    maps(&updates[_i], false);
}
END_TEST

BODY(put_along, out[0] = cot_put_along(in[0], in[1], in[2], 1);)
BODY(put_along_0, out[0] = cot_put_along(in[0], in[1], -1, 0);)
BODY(add_along, out[0] = cot_add_along(in[0], in[1], 1, -1);)
BODY(select_bound, out[0] = cot_masked_select(in[0], cot_gt(in[0], 2), 4);)

START_TEST(along)
{
    const cot_type m = cot_f64(2, 3), i = cot_i32(2, 2);
    const double *x = F64(1, 2, 3, 4, 5, 6);

    body_gives("put", put_along, COT_TYPES(m, i, cot_f64(2, 2)),
               IN(x, I32(2, 0, -2, 7), F64(10, 20, 30, 40)), m, F64(20, 2, 10, 4, 30, 6), 0);
    body_gives("put", put_along_0, COT_TYPES(m, cot_i32(1, 3)), IN(x, I32(1, 0, -1)), m,
               F64(1, -1, 3, -1, 5, -1), 0);
    body_gives("add", add_along, COT_TYPES(m, i), IN(x, I32(1, 1, 0, 2)), m,
               F64(1, 4, 3, 5, 5, 7), 0);
    body_gives("select", select_bound, COT_TYPES(cot_f64(5)), IN(F64(5, 1, 7, 2, 3)),
               cot_f64(4), F64(5, 7, 3, 0), 0);
}
END_TEST

BODY(sum, out[0] = cot_segment_sum(in[0], in[1], 3);)
BODY(prod, out[0] = cot_segment_prod(in[0], in[1], 3);)
BODY(most, out[0] = cot_segment_max(in[0], in[1], 3);)
BODY(least, out[0] = cot_segment_min(in[0], in[1], 3);)
BODY(grid, out[0] = cot_segment_sum(in[0], in[1], 2);)
BODY(bytes, out[0] = cot_segment_max(in[0], in[1], 2);)

START_TEST(segments)
{
    const cot_type x = cot_f64(4, 2), ids = cot_i32(4), y = cot_f64(3, 2);
    const void *const in[] = {F64(1, 2, 3, 4, 5, 6, 7, 8), I32(2, 0, 2, -1)};

    body_gives("sum", sum, COT_TYPES(x, ids), in, y, F64(3, 4, 0, 0, 6, 8), 0);
    body_gives("prod", prod, COT_TYPES(x, ids), in, y, F64(3, 4, 1, 1, 5, 12), 0);
    body_gives("max", most, COT_TYPES(x, ids), in, y, F64(3, 4, -INFINITY, -INFINITY, 5, 6), 0);
    body_gives("min", least, COT_TYPES(x, ids), in, y, F64(3, 4, INFINITY, INFINITY, 1, 2), 0);
    body_gives("grid", grid, COT_TYPES(cot_f64(2, 2), cot_i32(2, 2)),
               IN(F64(1, 2, 3, 4), I32(1, 0, 1, 9)), cot_f64(2), F64(2, 4), 0);
    body_gives("bytes", bytes, COT_TYPES(cot_u8(2), cot_i32(2)),
               IN(((const uint8_t[]){ 7, 9 }), I32(1, 1)), cot_u8(2), F64(0, 9), 0);
}
END_TEST

/* ---- modes, and derivatives ---- */

BODY(fills, out[0] = cot_index_get(in[0], COT_AT(in[1]), .mode = COT_FILL);)
BODY(promised, out[0] = cot_index_get(in[0], COT_AT(in[1]), .mode = COT_PROMISE);)
BODY(d_read, out[0] = cot_reduce_sum(cot_mul(cot_index(in[0], COT_AT(in[1])),
                                             cot_iota(t, cot_f64(3), 0)));)
BODY(d_set, out[0] = cot_reduce_sum(cot_square(cot_index_set(in[0], COT_AT(in[1]),
                                                             cot_index(in[0], COT_AT(0)))));)
BODY(d_segment, out[0] = cot_reduce_sum(cot_square(cot_segment_sum(in[0], in[1], 2)));)
BODY(d_mask,
     out[0] = cot_reduce_sum(cot_square(cot_masked_select(in[0], cot_gt(in[0], 1), 4)));)

START_TEST(modes)
{
    const cot_type x = cot_f64(4), i = cot_i32(3);
    const double *v = F64(1, 2, 3, 4);

    body_gives("fill", fills, COT_TYPES(x, i), IN(v, I32(4, -1, -5)), cot_f64(3),
               F64(NAN, 4, NAN), 0);
    body_gives("promise", promised, COT_TYPES(x, i), IN(v, I32(0, -1, 2)), cot_f64(3),
               F64(1, 4, 3), 0);
}
END_TEST

static void
gradient(cot_body *body, cot_types types, const void *const *in, cot_type type,
         const double *want)
{
    cot_context *ctx = cot_context_new(NULL);

    traced_gives(cot_grad(cot_fn_new(ctx, "f", body, types.n, 1, NULL)), types, in, type,
                 want, 1e-15);
    cot_context_free(ctx);
}

START_TEST(gradients)
{
    const cot_type x = cot_f64(4), i = cot_i32(3);
    const double *v = F64(1, 2, 3, 4);

    gradient(d_read, COT_TYPES(x, i), IN(v, I32(1, -1, 1)), x, F64(0, 2, 0, 1));
    /* x[2] and x[3] are x[0]: the squares are 3 x0^2 + x1^2. */
    gradient(d_set, COT_TYPES(x, i), IN(v, I32(2, 3, 2)), x, F64(6, 4, 0, 0));
    gradient(d_segment, COT_TYPES(x, cot_i32(4)), IN(v, I32(1, 0, 1, 5)), x, F64(8, 4, 8, 0));
    gradient(d_mask, COT_TYPES(x), IN(v), x, F64(0, 4, 6, 8));
}
END_TEST

#if COT_PLANS
/* The gradient of a read, and an update in a loop, are made where the result is: no copy of x
 * is planned. */
BODY(d_place, out[0] = cot_reduce_sum(cot_square(cot_index(in[0], COT_AT(in[1]))));)
BODY(count_one, out[0] = cot_index_add(in[1], COT_AT(cot_rem(in[0], 7)), 1);)
BODY(count_many, out[0] = cot_fori(1000, count_one, .in = COT_VALUES(in[0]));)

START_TEST(in_place)
{
    enum { N = 1 << 18 };
    cot_context *ctx = cot_context_new(NULL);
    cot_kernel *k;

    ck_assert_int_eq(cot_compile(cot_grad(cot_fn_new(ctx, "f", d_place, 2, 1, NULL)),
                                 COT_TYPES(cot_f32(N), cot_i32(10)),
                                 NULL, &k), COT_OK);
    ck_assert_msg(cot_kernel_work_bytes(k) < N, "%zu bytes", cot_kernel_work_bytes(k));
    cot_kernel_free(k);
    ck_assert_int_eq(cot_compile(cot_fn_new(ctx, "g", count_many, 1, 1, NULL),
                                 COT_TYPES(cot_f32(N)), NULL, &k), COT_OK);
    ck_assert_msg(cot_kernel_work_bytes(k) < 4 * N + 4096, "%zu bytes",
                  cot_kernel_work_bytes(k));
    cot_kernel_free(k);
    cot_context_free(ctx);
}
END_TEST
#endif

/* ---- errors ---- */

#line 1 "at.c"
BODY(too_many, out[0] = cot_index(in[0], COT_AT(0, 0, 0, 0));)
BODY(two_dots, out[0] = cot_index(in[0], COT_AT(COT_ELLIPSIS, COT_ELLIPSIS));)
BODY(outside, out[0] = cot_index(in[0], COT_AT(0, 3));)
BODY(no_step, out[0] = cot_index(in[0], COT_AT(COT_SPAN(0, 1, 0)));)
BODY(real, out[0] = cot_index(in[0], COT_AT(in[0]));)
BODY(unbound, out[0] = cot_index(in[0], COT_AT(in[4]));)
BODY(misfit, out[0] = cot_index(in[0], COT_AT(0, COT_MASK(in[4], 2)));)
BODY(too_wide, out[0] = cot_index_set(in[0], COT_AT(0), in[0]);)
BODY(bad_ids, out[0] = cot_segment_sum(in[0], in[1], 2);)

START_TEST(errors)
{
    static const struct { cot_body *body; cot_status status; const char *want; } row[] = {
        { too_many, COT_ERR_SHAPE,
          "at.c:1: index: 4 entries for f64[2,3,4]; wants at most one for each axis, and one "
          "COT_ELLIPSIS" },
        { two_dots, COT_ERR_SHAPE,
          "at.c:2: index: 0 entries for f64[2,3,4]; wants at most one for each axis, and one "
          "COT_ELLIPSIS" },
        { outside, COT_ERR_ARG,
          "at.c:3: index: index 3 is out of range for axis 1 of f64[2,3,4]" },
        { no_step, COT_ERR_ARG, "at.c:4: index: entry 0 has step 0; wants another step" },
        { real, COT_ERR_DTYPE, "at.c:5: index: entry 0 is f64[2,3,4]; wants integers or bool" },
        { unbound, COT_ERR_SHAPE,
          "at.c:6: index: how many elements of mask bool[2,3] hold is not known while "
          "tracing; wants COT_MASK(mask, bound) for entry 0" },
        { misfit, COT_ERR_SHAPE,
          "at.c:7: index: entry 1, a mask, is bool[2,3]; wants bool of one or more axes as "
          "they stand in f64[2,3,4]" },
        { too_wide, COT_ERR_SHAPE,
          "at.c:8: index_set: operands are f64[2,3,4] and f64[3,4]; wants shapes that "
          "broadcast: sizes equal, or 1, from the last axis on" },
        { bad_ids, COT_ERR_SHAPE,
          "at.c:9: segment: x is f64[2,3,4], ids are i32[3]; wants ids of x's leading axes, "
          "and 0 or more segments" },
    };
    cot_context *ctx = cot_context_new(NULL);

    traced_fails(cot_fn_new(ctx, "f", row[_i].body, 5, 1, NULL), TYPES5, row[_i].status,
                 row[_i].want);
    cot_context_free(ctx);
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

int
main(void)
{
    const suite_case cases[] = {
        EACH(reading, COUNT(reads)),
        EACH(updating, COUNT(updates)),
        ONCE(along),
        ONCE(segments),
        ONCE(modes),
        ONCE(gradients),
#if COT_PLANS
        ONCE(in_place),
#endif
        EACH(errors, 9),
    };

    return SUITE_WITH("index", cases, begin, NULL);
}
