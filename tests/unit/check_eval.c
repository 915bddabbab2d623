/* The reference evaluator: values worked out by hand, special values, and the orders of
 * docs/numerics.md against a reference written for this test by another road (one lane at a
 * time, recursion for the tree). */
#include <math.h>
#include <stdio.h>

#include "ir/build.h"
#include "tests/unit/suite.h"

/* A program of text, its inputs and the result wanted: numbers by blanks, in the order of
 * memory. */
typedef struct eval_row {
    const char *text; /* the body of @f, or whole functions before it and then "fn @f" */
    const char *in[4];
    const char *want;
} eval_row;

static void
store(cot_dtype t, void *array, int64_t i, double x)
{
    switch (t) {
    case COT_BOOL: case COT_U8: ((uint8_t *)array)[i] = (uint8_t)x; break;
    case COT_I8:   ((int8_t *)array)[i] = (int8_t)x; break;
    case COT_I32:  ((int32_t *)array)[i] = (int32_t)x; break;
    case COT_I64:  ((int64_t *)array)[i] = (int64_t)x; break;
    case COT_F32:  ((float *)array)[i] = (float)x; break;
    default:       ((double *)array)[i] = x; break;
    }
}

static double
load(cot_dtype t, const void *array, int64_t i)
{
    switch (t) {
    case COT_BOOL: case COT_U8: return ((const uint8_t *)array)[i];
    case COT_I8:   return ((const int8_t *)array)[i];
    case COT_I32:  return ((const int32_t *)array)[i];
    case COT_I64:  return (double)((const int64_t *)array)[i];
    case COT_F32:  return (double)((const float *)array)[i];
    default:       return ((const double *)array)[i];
    }
}

static void *
read_array(const ir_type *t, const char *text)
{
    void *p = calloc((size_t)t->size + 1, 8);
    char *rest;

    for (int64_t i = 0; i < t->size; i++, text = rest) {
        store(t->dtype, p, i, strtod(text, &rest));
        ck_assert_msg(rest != text, "too few numbers");
    }
    return p;
}

static bool
same(double x, double y)
{
    return isnan(x) ? isnan(y) : x == y && signbit(x) == signbit(y);
}

static void
compare(const ir_type *t, const void *got, const char *want)
{
    const char *all = want;
    char *rest;

    for (int64_t i = 0; i < t->size; i++, want = rest) {
        double x = strtod(want, &rest), y = load(t->dtype, got, i);

        ck_assert_msg(rest != want && same(x, y), "element %d is %g, not that of '%s'", (int)i,
                      y, all);
    }
    ck_assert_msg(strspn(want, " ") == strlen(want), "more numbers than elements");
}

static void
check_row(const eval_row *row)
{
    cot_context *ctx = cot_context_new(NULL);
    ir_module m = { 0 };
    volatile cot_status status = COT_ERR_MEMORY;

    IR_TRY(ctx) {
        status = ir_parse(ctx, "t.cot", row->text, strlen(row->text), &m);
    }
    ck_assert_msg(status == COT_OK, "%s", cot_error(ctx));
    const ir_graph *f = m.fn[m.n - 1];
    void *in[4] = { 0 }, *out[1];
    const ir_type *t = ir_type_at(f, f->out[0]);
    for (int i = 0; i < f->n_in; i++)
        in[i] = read_array(ir_type_at(f, f->in[i]), row->in[i]);
    out[0] = calloc((size_t)t->size + 1, 8);
    status = ir_eval(f, out, (const void *const *)in);
    ck_assert_msg(status == COT_OK, "%s", cot_error(ctx));
    compare(t, out[0], row->want);
    for (int i = 0; i < f->n_in; i++)
        free(in[i]);
    free(out[0]);
    cot_context_free(ctx);
}

#define F(in, type, body) "fn @f(" in ") -> " type " {\n" body "}\n"

static const eval_row moves[] = {
    { F("%x: f32[2,1]", "f32[2,2,3]",
        "%0 = broadcast_in_dim %x {shape=[2,2,3], dims=[0,2]} : f32[2,2,3] ret %0"),
      { "1 2" },
      "1 1 1 1 1 1 2 2 2 2 2 2" },
    { F("%x: f32[3]", "f32[2,3]",
        "%0 = broadcast_in_dim %x {shape=[2,3], dims=[1]} : f32[2,3] ret %0"),
      { "1 2 3" },
      "1 2 3 1 2 3" },
    { F("%x: i8[2,3]", "i8[3,2]", "%0 = transpose %x {perm=[1,0]} : i8[3,2] ret %0"),
      { "1 2 3 4 5 6" },
      "1 4 2 5 3 6" },
    { F("%x: f64[2,3]", "f64[3,2]", "%0 = reshape %x {shape=[3,2]} : f64[3,2] ret %0"),
      { "1 2 3 4 5 6" },
      "1 2 3 4 5 6" },
    { F("%x: f32[7]", "f32[3]",
        "%0 = slice %x {start=[1], limit=[6], stride=[2]} : f32[3] ret %0"),
      { "0 1 2 3 4 5 6" },
      "1 3 5" },
    { F("%x: f32[3], %y: f32[]", "f32[8]",
        "%0 = pad %x, %y {low=[1], high=[2], interior=[1]} : f32[8] ret %0"),
      { "1 2 3", "9" },
      "9 1 9 2 9 3 9 9" },
    { F("%x: f32[3], %y: f32[]", "f32[3]",
        "%0 = pad %x, %y {low=[-1], high=[-1], interior=[1]} : f32[3] ret %0"),
      { "1 2 3", "9" },
      "9 2 9" },
    { F("%x: f32[3], %y: f32[]", "f32[2]",
        "%0 = pad %x, %y {low=[4], high=[-5], interior=[0]} : f32[2] ret %0"),
      { "1 2 3", "9" },
      "9 9" },
    { F("%x: f32[2,2], %y: f32[2,1]", "f32[2,3]",
        "%0 = concatenate %x, %y {axis=1} : f32[2,3] ret %0"),
      { "1 2 3 4", "8 9" },
      "1 2 8 3 4 9" },
    { F("%x: f32[2,3]", "f32[2,3]", "%0 = reverse %x {axes=[1]} : f32[2,3] ret %0"),
      { "1 2 3 4 5 6" },
      "3 2 1 6 5 4" },
    { F("", "i32[2,3]", "%0 = iota {dtype=i32, shape=[2,3], axis=1} : i32[2,3] ret %0"),
      { 0 },
      "0 1 2 0 1 2" },
    { F("", "f32[2,2]", "%0 = iota {dtype=f32, shape=[2,2], axis=0} : f32[2,2] ret %0"),
      { 0 },
      "0 0 1 1" },
    { F("", "f32[3]", "%0 = constant {data=[1,-0.0,nan]} : f32[3] ret %0"), { 0 }, "1 -0 nan" },
    { F("", "i32[2,2]", "%0 = constant {data=7} : i32[2,2] ret %0"), { 0 }, "7 7 7 7" },
};

static const eval_row reductions[] = {
    { F("%x: f32[2,3]", "f32[2]", "%0 = reduce_sum %x {axes=[1]} : f32[2] ret %0"),
      { "1 2 3 4 5 6" },
      "6 15" },
    { F("%x: f32[2,3]", "f32[3]", "%0 = reduce_sum %x {axes=[0]} : f32[3] ret %0"),
      { "1 2 3 4 5 6" },
      "5 7 9" },
    { F("%x: f32[2,2]", "f32[2]", "%0 = reduce_sum %x {axes=[1]} : f32[2] ret %0"),
      { "-0 -0 inf -inf" },
      "-0 nan" },
    { F("%x: f32[2,0]", "f32[2]", "%0 = reduce_sum %x {axes=[1]} : f32[2] ret %0"),
      { "" },
      "0 0" },
    { F("%x: f64[0]", "f64[]", "%0 = reduce_prod %x {axes=[0]} : f64[] ret %0"), { "" }, "1" },
    { F("%x: i8[3]", "i8[]", "%0 = reduce_sum %x {axes=[0]} : i8[] ret %0"),
      { "100 100 3" },
      "-53" },
    { F("%x: i8[2]", "i8[]", "%0 = reduce_prod %x {axes=[0]} : i8[] ret %0"),
      { "100 3" },
      "44" },
    { F("%x: f32[2,2,2]", "f32[2]", "%0 = reduce_max %x {axes=[0,2]} : f32[2] ret %0"),
      { "1 2 nan 4 5 6 7 8" },
      "6 nan" },
    { F("%x: f32[2]", "f32[]", "%0 = reduce_max %x {axes=[0]} : f32[] ret %0"),
      { "-0 0" },
      "0" },
    { F("%x: f32[2]", "f32[]", "%0 = reduce_min %x {axes=[0]} : f32[] ret %0"),
      { "0 -0" },
      "-0" },
    { F("%x: f32[0]", "f32[]", "%0 = reduce_max %x {axes=[0]} : f32[] ret %0"),
      { "" },
      "-inf" },
    { F("%x: i8[0]", "i8[]", "%0 = reduce_max %x {axes=[0]} : i8[] ret %0"), { "" }, "-128" },
    { F("%x: i8[0]", "i8[]", "%0 = reduce_min %x {axes=[0]} : i8[] ret %0"), { "" }, "127" },
    { F("%x: u8[0]", "u8[]", "%0 = reduce_max %x {axes=[0]} : u8[] ret %0"), { "" }, "0" },
    { F("%x: u8[0]", "u8[]", "%0 = reduce_and %x {axes=[0]} : u8[] ret %0"), { "" }, "255" },
    { F("%x: bool[2,2]", "bool[2]", "%0 = reduce_and %x {axes=[1]} : bool[2] ret %0"),
      { "1 0 1 1" },
      "0 1" },
    { F("%x: bool[0]", "bool[]", "%0 = reduce_and %x {axes=[0]} : bool[] ret %0"),
      { "" },
      "1" },
    { F("%x: bool[2,2]", "bool[2]", "%0 = reduce_or %x {axes=[0]} : bool[2] ret %0"),
      { "0 0 1 0" },
      "1 0" },
    { F("%x: f32[2,3]", "i32[2]", "%0 = argmax %x {axis=1} : i32[2] ret %0"),
      { "1 3 3 4 nan nan" },
      "1 1" },
    { F("%x: f32[2,2]", "i8[2]", "%0 = argmin %x {axis=0, dtype=i8} : i8[2] ret %0"),
      { "0 1 -0 -1" },
      "0 1" },
};

static const eval_row products[] = {
    { F("%x: f32[2,3], %y: f32[3,2]", "f32[2,2]",
        "%0 = dot_general %x, %y {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[2,2] ret "
        "%0"),
      { "1 2 3 4 5 6", "1 2 3 4 5 6" },
      "22 28 49 64" },
    { F("%x: f32[2,3], %y: f32[3]", "f32[2]",
        "%0 = dot_general %x, %y {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[2] ret "
        "%0"),
      { "1 2 3 4 5 6", "1 10 100" },
      "321 654" },
    { F("%x: f32[3,2], %y: f32[2,3]", "f32[2]",
        "%0 = dot_general %x, %y {lhs=[0], rhs=[1], lhs_batch=[1], rhs_batch=[0]} : f32[2] ret "
        "%0"),
      { "1 2 3 4 5 6", "1 2 3 4 5 6" },
      "22 64" },
    { F("%x: f32[2,0], %y: f32[0]", "f32[2]",
        "%0 = dot_general %x, %y {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[2] ret "
        "%0"),
      { "", "" },
      "0 0" },
    /* Nothing contracted: the inner form keeps -0, the general form adds it to +0. */
    { F("%x: f32[1], %y: f32[]", "f32[1]",
        "%0 = dot_general %x, %y {lhs=[], rhs=[], lhs_batch=[], rhs_batch=[]} : f32[1] ret %0"),
      { "-0", "1" },
      "-0" },
    { F("%x: f32[1], %y: f32[1]", "f32[1,1]",
        "%0 = dot_general %x, %y {lhs=[], rhs=[], lhs_batch=[], rhs_batch=[]} : f32[1,1] ret "
        "%0"),
      { "-0", "1" },
      "0" },
    { F("%x: i8[2], %y: i8[2]", "i8[]",
        "%0 = dot_general %x, %y {lhs=[0], rhs=[0], lhs_batch=[], rhs_batch=[]} : i8[] ret %0"),
      { "100 100", "1 2" },
      "44" },
};

#define ROWS                                                                                   \
    "offset_dims=[1], collapsed=[0], operand_batch=[], indices_batch=[], index_map=[0], "      \
    "sizes=[1,2]"
#define PUT "window_dims=[1], inserted=[0], operand_batch=[], indices_batch=[], index_map=[0]"

static const eval_row indexing[] = {
    { F("%x: f32[2,3], %i: i32[], %j: i32[]", "f32[1,2]",
        "%0 = dynamic_slice %x, %i, %j {sizes=[1,2]} : f32[1,2] ret %0"),
      { "1 2 3 4 5 6", "1", "9" },
      "5 6" },
    { F("%x: f32[2,3], %i: i32[], %j: i32[]", "f32[1,2]",
        "%0 = dynamic_slice %x, %i, %j {sizes=[1,2]} : f32[1,2] ret %0"),
      { "1 2 3 4 5 6", "-3", "0" },
      "1 2" },
    { F("%x: f32[4], %y: f32[2], %i: u8[]", "f32[4]",
        "%0 = dynamic_update_slice %x, %y, %i : f32[4] ret %0"),
      { "1 2 3 4", "8 9", "200" },
      "1 2 8 9" },
    { F("%x: f32[3,2], %i: i32[4,1]", "f32[4,2]",
        "%0 = gather %x, %i {" ROWS "} : f32[4,2] ret %0"),
      { "1 2 3 4 5 6", "2 0 -1 7" },
      "5 6 1 2 1 2 5 6" },
    { F("%x: f32[3,2], %i: i32[3,1]", "f32[3,2]",
        "%0 = gather %x, %i {" ROWS ", mode=fill} : f32[3,2] ret %0"),
      { "1 2 3 4 5 6", "1 -1 3" },
      "3 4 nan nan nan nan" },
    { F("%x: i8[3,2], %i: i32[1,1]", "i8[1,2]",
        "%0 = gather %x, %i {" ROWS ", mode=fill} : i8[1,2] ret %0"),
      { "1 2 3 4 5 6", "5" },
      "-128 -128" },
    { F("%x: f32[2,3], %i: i32[2,2,1]", "f32[2,2]",
        "%0 = gather %x, %i {offset_dims=[], collapsed=[1], operand_batch=[0], "
        "indices_batch=[0], "
        "index_map=[1], sizes=[1,1]} : f32[2,2] ret %0"),
      { "1 2 3 4 5 6", "2 1 0 2" },
      "3 2 4 6" },
    { F("%x: f32[2,3], %i: i32[2,2]", "f32[2,2]",
        "%0 = gather %x, %i {offset_dims=[0], collapsed=[0], operand_batch=[], "
        "indices_batch=[], "
        "index_map=[1,0], sizes=[1,2]} : f32[2,2] ret %0"),
      { "1 2 3 4 5 6", "0 1 1 0" },
      "4 2 5 3" },
    { F("%x: f32[3,2], %i: i32[3,1], %z: f32[3,2]", "f32[3,2]",
        "%0 = scatter %x, %i, %z {" PUT "} : f32[3,2] ret %0"),
      { "0 0 0 0 0 0", "1 1 2", "1 2 3 4 5 6" },
      "0 0 3 4 5 6" },
    { F("%x: f32[3,2], %i: i32[3,1], %z: f32[3,2]", "f32[3,2]",
        "%0 = scatter_add %x, %i, %z {" PUT "} : f32[3,2] ret %0"),
      { "10 10 10 10 10 10", "1 1 7", "1 2 3 4 5 6" },
      "10 10 14 16 15 16" },
    { F("%x: f32[3,2], %i: i32[3,1], %z: f32[3,2]", "f32[3,2]",
        "%0 = scatter_add %x, %i, %z {" PUT ", mode=fill} : f32[3,2] ret %0"),
      { "10 10 10 10 10 10", "1 -1 7", "1 2 3 4 5 6" },
      "10 10 11 12 10 10" },
    { F("%x: f32[2], %i: i32[3,1], %z: f32[3]", "f32[2]",
        "%0 = scatter_max %x, %i, %z {window_dims=[], inserted=[0], operand_batch=[], "
        "indices_batch=[], "
        "index_map=[0]} : f32[2] ret %0"),
      { "1 1", "0 0 1", "5 3 nan" },
      "5 nan" },
    { F("%x: i8[1], %i: i32[2,1], %z: i8[2]", "i8[1]",
        "%0 = scatter_mul %x, %i, %z {window_dims=[], inserted=[0], operand_batch=[], "
        "indices_batch=[], "
        "index_map=[0]} : i8[1] ret %0"),
      { "50", "0 0", "3 2" },
      "44" },
    /* The order is that of the updates: 1e8 + 1 - 1e8 differs from 1e8 - 1e8 + 1. */
    { F("%x: f32[1], %i: i32[2,1], %z: f32[2]", "f32[1]",
        "%0 = scatter_add %x, %i, %z {window_dims=[], inserted=[0], operand_batch=[], "
        "indices_batch=[], "
        "index_map=[0]} : f32[1] ret %0"),
      { "1e8", "0 0", "1 -1e8" },
      "0" },
};

#define FN_LESS3                                                                               \
    "fn @less(%c: i32[2], %n: i32[2]) -> bool[2] { %0 = lt %n, %c : bool[2] ret %0 }\n"
#define FN_NEXT                                                                                \
    "fn @next(%c: i32[2], %n: i32[2]) -> i32[2] { %0 = constant {data=1} : i32[2] %1 = add "   \
    "%n, %0 : i32[2] ret %1 }\n"
#define FN_ADD                                                                                 \
    "fn @add(%c: f32[], %x: f32[]) -> (f32[], f32[]) { %0 = add %c, %x : f32[] ret %0, %c }\n"

static const eval_row flow[] = {
    { "fn @a(%x: f32[2]) -> f32[2] { ret %x }\n fn @b(%x: f32[2]) -> f32[2] { %0 = neg %x : "
      "f32[2] ret %0 }\n" F("%p: i32[], %x: f32[2]", "f32[2]",
                            "%0 = cond %p, %x {branches=[@a, @b]} : f32[2] ret %0"),
      { "5", "1 2" },
      "-1 -2" },
    { "fn @a(%x: f32[2]) -> f32[2] { ret %x }\n fn @b(%x: f32[2]) -> f32[2] { %0 = neg %x : "
      "f32[2] ret %0 }\n" F("%p: bool[2], %x: f32[2]", "f32[2]",
                            "%0 = cond %p, %x {branches=[@a, @b]} : f32[2] ret %0"),
      { "0 1", "1 2" },
      "1 -2" },
    { FN_LESS3 FN_NEXT F(
          "%c: i32[2], %n: i32[2]", "i32[2]",
          "%0 = while %c, %n {consts=1, cond=@less, body=@next} : i32[2] ret %0"),
      { "3 7", "0 9" },
      "3 9" },
    { FN_ADD F(
          "%c: f32[], %x: f32[4]", "f32[4]",
          "%0, %1 = scan %c, %x {carries=1, length=4, body=@add} : (f32[], f32[4]) ret %1"),
      { "10", "1 2 3 4" },
      "10 11 13 16" },
    { FN_ADD F("%c: f32[], %x: f32[4]", "f32[4]",
               "%0, %1 = scan %c, %x {carries=1, length=4, reverse=true, body=@add} : (f32[], "
               "f32[4]) ret %1"),
      { "10", "1 2 3 4" },
      "19 17 14 10" },
    { FN_ADD F(
          "%c: f32[], %x: f32[0]", "f32[]",
          "%0, %1 = scan %c, %x {carries=1, length=0, body=@add} : (f32[], f32[0]) ret %0"),
      { "10", "" },
      "10" },
    { FN_ADD F("%c: f32[], %x: f32[]", "f32[]",
               "%0, %1 = call %c, %x {body=@add} : (f32[], f32[]) ret %0"),
      { "10", "2" },
      "12" },
};

START_TEST(a_move_by_hand) { check_row(&moves[_i]); }
END_TEST
START_TEST(a_reduction_by_hand) { check_row(&reductions[_i]); }
END_TEST
START_TEST(a_product_by_hand) { check_row(&products[_i]); }
END_TEST
START_TEST(an_index_by_hand) { check_row(&indexing[_i]); }
END_TEST
START_TEST(a_sub_function_by_hand) { check_row(&flow[_i]); }
END_TEST

/* ---- the order of sums and products ---- */

/* Lane l of block b, by section 3. */
static float
lane_sum(const float *x, int n, int b, int l)
{
    float a = -0.0f;

    for (int t = 0; t < 16; t++) {
        int i = 512 * b + 32 * t + l;
        if (i < n)
            a += x[i];
    }
    return a;
}

static float
half_sum(const float *x, int n, int b, int l, int h)
{
    return h == 32 ? lane_sum(x, n, b, l)
                   : half_sum(x, n, b, l, 2 * h) + half_sum(x, n, b, l + h, 2 * h);
}

/* Blocks [b, b + width) of the aligned tree. */
static float
tree_sum(const float *x, int n, int blocks, int b, int width)
{
    if (width == 1)
        return half_sum(x, n, b, 0, 1);
    float left = tree_sum(x, n, blocks, b, width / 2);
    return b + width / 2 < blocks ? left + tree_sum(x, n, blocks, b + width / 2, width / 2)
                                  : left;
}

static float
reference_sum(const float *x, int n)
{
    int blocks = (n + 511) / 512, width = 1;

    while (width < blocks)
        width *= 2;
    return n == 0 ? 0 : tree_sum(x, n, blocks, 0, width);
}

static float
random_float(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return ldexpf((float)(int32_t)*seed, (int)(*seed >> 8 & 15) - 40);
}

static const int sizes[] = { 1, 2, 31, 32, 33, 511, 512, 513, 1025, 2560, 5000 };

START_TEST(a_sum_is_in_lanes_blocks_and_tree)
{
    char text[200];
    int n = sizes[_i];
    float *x = malloc(sizeof *x * (size_t)n), got;
    uint32_t seed = (uint32_t)n;
    void *out = &got;
    const void *in = x;
    ir_module m;
    cot_context *ctx = cot_context_new(NULL);

    for (int i = 0; i < n; i++)
        x[i] = random_float(&seed);
    snprintf(text, sizeof text,
             "fn @f(%%x: f32[%d]) -> f32[] { %%0 = reduce_sum %%x {axes=[0]} : f32[] ret %%0 }",
             n);
    ck_assert_int_eq(ir_parse(ctx, "t", text, strlen(text), &m), COT_OK);
    ck_assert_int_eq(ir_eval(m.fn[0], &out, &in), COT_OK);
    ck_assert_msg(got == reference_sum(x, n), "%a, not %a", (double)got,
                  (double)reference_sum(x, n));
    free(x);
    cot_context_free(ctx);
}
END_TEST

/* A row-major matrix and a vector: lanes as in a sum, but by fma.  A matrix product: blocks of
 * 256. */
static float
inner_reference(const float *x, const float *y, int n)
{
    float part[16];
    int blocks = (n + 511) / 512;

    for (int b = 0; b < blocks; b++) {
        float a[32];
        for (int l = 0; l < 32; l++) {
            a[l] = -0.0f;
            for (int i = 512 * b + l; i < n && i < 512 * (b + 1); i += 32)
                a[l] = fmaf(x[i], y[i], a[l]);
        }
        for (int h = 16; h; h /= 2)
            for (int l = 0; l < h; l++)
                a[l] += a[l + h];
        part[b] = a[0];
    }
    return reference_sum(part, 0) + (blocks == 1 ? part[0] : blocks == 2 ? part[0] + part[1]
                                                 : (part[0] + part[1]) + part[2]);
}

static float
general_reference(const float *x, const float *y, int n)
{
    float sum = 0;

    for (int b = 0; b < n; b += 256) {
        float p = 0;
        for (int i = b; i < n && i < b + 256; i++)
            p = fmaf(x[i], y[i], p);
        sum = b ? sum + p : p;
    }
    return sum;
}

START_TEST(a_product_has_its_form)
{
    enum { N = 1300 };
    static const char text[] =
        "fn @f(%x: f32[1,1300], %y: f32[1300]) -> (f32[1], f32[1,1]) {\n"
        "%0 = dot_general %x, %y {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[1]\n"
        "%1 = reshape %y {shape=[1300,1]} : f32[1300,1]\n"
        "%2 = dot_general %x, %1 {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[1,1]\n"
        "ret %0, %2 }";
    float x[N], y[N], inner, general;
    uint32_t seed = 7;
    ir_module m;
    cot_context *ctx = cot_context_new(NULL);

    for (int i = 0; i < N; i++) {
        x[i] = random_float(&seed);
        y[i] = random_float(&seed);
    }
    ck_assert_int_eq(ir_parse(ctx, "t", text, strlen(text), &m), COT_OK);
    ck_assert_int_eq(ir_eval(m.fn[0], (void *[]){ &inner, &general }, (const void *[]){ x, y }),
                     COT_OK);
    ck_assert(inner == inner_reference(x, y, N));
    ck_assert(general == general_reference(x, y, N));
    cot_context_free(ctx);
}
END_TEST

/* ---- loops ---- */

#define FN_ALWAYS "fn @yes(%n: i32[]) -> bool[] { %0 = constant {data=true} : bool[] ret %0 }\n"
#define FN_INC                                                                                 \
    "fn @inc(%n: i32[]) -> i32[] { %0 = constant {data=1} : i32[] %1 = add %n, %0 : i32[] "    \
    "ret %1 }\n"

START_TEST(a_while_past_its_max_is_an_error)
{
    static const char text[] =
        FN_ALWAYS FN_INC "fn @f(%n: i32[]) -> i32[] {\n  %0 = while %n {max=5, cond=@yes, "
                         "body=@inc} : i32[]\n  ret %0\n}\n";
    int32_t n = 0, out;
    ir_module m;
    cot_context *ctx = cot_context_new(NULL);

    ck_assert_int_eq(ir_parse(ctx, "t", text, strlen(text), &m), COT_OK);
    ck_assert_int_eq(ir_eval(m.fn[2], (void *[]){ &out }, (const void *[]){ &n }),
                     COT_ERR_BOUND);
    ck_assert_ptr_nonnull(strstr(cot_error(ctx), "while: still goes on after 5 steps"));
    cot_context_free(ctx);
}
END_TEST

/* The memory of a loop is that of a step. */
static size_t held, most_held;

static void *
counting(void *user, void *old, size_t bytes)
{
    size_t *p = old ? (size_t *)old - 2 : NULL;

    (void)user;
    held -= p ? *p : 0;
    if (bytes == 0) {
        free(p);
        return NULL;
    }
    p = realloc(p, bytes + 16);
    *p = bytes;
    held += bytes;
    most_held = held > most_held ? held : most_held;
    return p + 2;
}

START_TEST(a_long_scan_stays_small)
{
    static const char text[] = "fn @b(%c: f32[64]) -> f32[64] { %0 = add %c, %c : f32[64] %1 = "
                               "sub %0, %c : f32[64] ret %1 }\n"
                               "fn @f(%c: f32[64]) -> f32[64] { %0 = scan %c {carries=1, "
                               "length=10000, body=@b} : f32[64] ret %0 }\n";
    float x[64] = { 1 }, y[64];
    ir_module m;
    cot_context *ctx = cot_context_new(&(cot_options){ .alloc = counting });

    ck_assert_int_eq(ir_parse(ctx, "t", text, strlen(text), &m), COT_OK);
    size_t before = most_held = held;
    ck_assert_int_eq(ir_eval(m.fn[1], (void *[]){ y }, (const void *[]){ x }), COT_OK);
    ck_assert(y[0] == 1);
    ck_assert_msg(most_held - before < 1 << 20, "%zu bytes", most_held - before);
    cot_context_free(ctx);
    ck_assert_uint_eq(held, 0);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(a_move_by_hand, sizeof moves / sizeof *moves),
        EACH(a_reduction_by_hand, sizeof reductions / sizeof *reductions),
        EACH(a_product_by_hand, sizeof products / sizeof *products),
        EACH(an_index_by_hand, sizeof indexing / sizeof *indexing),
        EACH(a_sub_function_by_hand, sizeof flow / sizeof *flow),
        EACH(a_sum_is_in_lanes_blocks_and_tree, sizeof sizes / sizeof *sizes),
        ONCE(a_product_has_its_form),
        ONCE(a_while_past_its_max_is_an_error),
        ONCE(a_long_scan_stays_small),
    };

    return SUITE("eval", cases);
}
