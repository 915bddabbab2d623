/* Elements of arrays as numbers and as text: what a seed makes, what is printed, where two
 * differ. */
#include "runtime/values.h"

#include <math.h>
#include <stdio.h>

#include "cotrace/compile.h"
#include "ir/context.h"
#include "tests/unit/suite.h"

static const ir_type *
type(cot_dtype t, int rank, const int64_t *dims)
{
    cot_type x = cot_type_new(t, rank, dims);

    return ir_type_of(ctx, &x);
}

#define DIMS(...)                                                                              \
    (sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)), (const int64_t[])                  \
    {                                                                                          \
        __VA_ARGS__                                                                            \
    }

static const float counted[24] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,
                                   10, 11, 12, 13, 14, 15, 16, 17, 18, 19 };

/* Each type's own text; nests of three axes; a long row cut in its middle, eight at either
 * end. */
START_TEST(printed)
{
    const struct {
        cot_dtype t;
        int rank;
        const int64_t *dims;
        const void *data;
        bool whole;
        const char *text;
    } row[] = {
        { COT_F32, 0, NULL, counted + 3, false, "3" },
        { COT_F32, DIMS(0), counted, false, "[]" },
        { COT_F32, DIMS(2, 0), counted, false, "[[], []]" },
        { COT_F32, DIMS(2, 2, 3), counted, false,
          "[[[0, 1, 2], [3, 4, 5]], [[6, 7, 8], [9, 1e+01, 11]]]" },
        { COT_F32, DIMS(16), counted, false,
          "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1e+01, 11, 12, 13, 14, 15]" },
        { COT_F32, DIMS(17), counted, false,
          "[0, 1, 2, 3, 4, 5, 6, 7, ..., 9, 1e+01, 11, 12, 13, 14, 15, 16]" },
        { COT_F32, DIMS(20), counted, false,
          "[0, 1, 2, 3, 4, 5, 6, 7, ..., 12, 13, 14, 15, 16, 17, 18, 19]" },
        { COT_F32, DIMS(1, 18, 1), counted, true,
          "[[[0], [1], [2], [3], [4], [5], [6], [7], [8], [9], [1e+01], [11], [12], [13], "
          "[14], "
          "[15], [16], [17]]]" },
        { COT_F64, DIMS(2), (const double[]){ 0.1, -HUGE_VAL }, false, "[0.1, -inf]" },
        { COT_F64, DIMS(2), (const double[]){ -NAN, -0.0 }, false, "[nan, -0]" },
        { COT_F16, DIMS(2), (const uint16_t[]){ 0x3c00, 0xfe00 }, false, "[1, nan]" },
        { COT_BOOL, DIMS(3), (const uint8_t[]){ 1, 0, 1 }, false, "[true, false, true]" },
        { COT_I8, DIMS(2), (const int8_t[]){ -128, 127 }, false, "[-128, 127]" },
        { COT_I64, DIMS(2), (const int64_t[]){ INT64_MIN, INT64_MAX }, false,
          "[-9223372036854775808, 9223372036854775807]" },
        { COT_U64, DIMS(2), (const uint64_t[]){ 0, UINT64_MAX }, false,
          "[0, 18446744073709551615]" },
        { COT_C64, DIMS(2), (const float[]){ 1, -2, 3, 0.5f }, false, "[(1, -2), (3, 0.5)]" },
    };

    for (int i = 0; i < (int)(sizeof row / sizeof *row); i++) {
        ir_buf b;

        ir_buf_init(&b, &ctx->arena);
        rt_print_elements(&b, type(row[i].t, row[i].rank, row[i].dims), row[i].data,
                          row[i].whole);
        ck_assert_msg(strcmp(b.text, row[i].text) == 0, "row %d: %s; wants %s", i, b.text,
                      row[i].text);
    }
}
END_TEST

/* The same seed makes the same numbers: floats in [-2, 2) that fill it, whole numbers from 0 to
 * 3. */
START_TEST(made_from_a_seed)
{
    enum { N = 4000 };
    static const cot_dtype types[] = { COT_F32, COT_F64, COT_F16, COT_C64, COT_BOOL,
                                       COT_I8,  COT_U8,  COT_I32, COT_U64 };
    const cot_dtype t = types[_i], part = ir_part_type(t);
    const ir_type *x = type(t, DIMS(N));
    const bool whole = t == COT_BOOL || ir_is_int(t);
    char *data = ir_alloc(&ctx->arena, rt_bytes(x)),
         *again = ir_alloc(&ctx->arena, rt_bytes(x));
    double lo = 9, hi = -9, sum = 0;

    rt_random_fill(x, 7, data);
    rt_random_fill(x, 7, again);
    ck_assert_int_eq(rt_first_difference(x, data, again), -1);
    rt_random_fill(x, 8, again);
    ck_assert_int_ge(rt_first_difference(x, data, again), 0);
    for (int64_t i = 0; i < rt_parts(x); i++) {
        const double v = rt_element(part, data, i);
        ck_assert(!whole || v == floor(v));
        lo = fmin(lo, v);
        hi = fmax(hi, v);
        sum += v;
    }
    const double top = t == COT_BOOL ? 1 : whole ? 3 : 2, bottom = whole ? 0 : -2;
    ck_assert(lo >= bottom && lo < bottom + 0.01);
    ck_assert(hi <= top && hi > top - 0.01 && (whole || hi < top || t == COT_F16));
    ck_assert(fabs(sum / (double)rt_parts(x) - (top + bottom) / 2) < 0.1);
}
END_TEST

/* Where the first of two that differ is; NaNs are one, zeros are two. */
START_TEST(first_that_differs)
{
    const double zero = 0, x[] = { 1, NAN, zero, 2 }, same[] = { 1, -NAN, zero, 2 },
                 other[] = { 1, NAN, -zero, 3 };
    const ir_type *t = type(COT_F64, DIMS(4));

    ck_assert_int_eq(rt_first_difference(t, x, same), -1);
    ck_assert_int_eq(rt_first_difference(t, x, other), 2);
    ck_assert_int_eq(rt_first_difference(type(COT_C128, DIMS(2)), x, other), 2);
    ck_assert_int_eq(rt_first_difference(type(COT_F64, DIMS(2)), x, other), -1);
    ck_assert_int_eq(rt_first_difference(t, x, (const double[]){ 1, 0, zero, 2 }), 1);
}
END_TEST

START_TEST(no_function_has_no_cache)
{
    const cot_cache c = cot_cache_of(NULL);

    ck_assert(c.hits == 0 && c.misses == 0 && c.traces == 0);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(printed),
        EACH(made_from_a_seed, 9),
        ONCE(first_that_differs),
        ONCE(no_function_has_no_cache),
    };

    return SUITE("values", cases);
}
