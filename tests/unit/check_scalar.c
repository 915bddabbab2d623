/* Scalar programs: instructions at their edges, folding, half formats, and the exact ops. */
#include <math.h>

#include "ir/context.h"
#include "ir/op.h"
#include "ir/scalar.h"
#include "runtime/values.h"
#include "tests/unit/suite.h"

static ir_arena arena;

static void
setup(void)
{
    suite_begin();
    ir_arena_init(&arena, ctx);
}

static void
teardown(void)
{
    ir_arena_free(&arena);
    suite_end();
}

/* op on one element of each operand, given and answered as bits. */
static uint64_t
apply(ir_op op, int n, cot_dtype in, cot_dtype out, const uint64_t *x)
{
    cot_dtype types[3] = { in, in, in };
    ir_attrs at = { 0 };
    const void *p[3] = { &x[0], &x[1], &x[2] };
    uint64_t y = 0;

    if (ir_ops[op].record == IR_AT_dtype)
        at.dtype.dtype = out;
    if (ir_ops[op].record == IR_AT_ipow) {
        at.ipow.y = (int64_t)x[1];
        n = 1;
    }
    if (op == OP_select)
        types[0] = COT_BOOL;
    const ir_sc_program *f = ir_sc_of(ctx, op, &at, n, types, out);
    ck_assert_ptr_nonnull(f);
    ir_sc_run(&arena, f, 1, &y, p);
    return y;
}

static uint64_t f64(double x) { uint64_t u; memcpy(&u, &x, 8); return u; }
static uint64_t f32(float x) { uint32_t u; memcpy(&u, &x, 4); return u; }

#define M UINT64_MAX
static const struct integer_row { ir_op op; cot_dtype t; uint64_t x, y,
    want; } integer_row[] = {
    { OP_add, COT_I8, 0x7f, 1, 0x80 },
    { OP_mul, COT_U16, 0xffff, 0xffff, 1 },
    { OP_sub, COT_U64, 0, 1, M },
    { OP_neg, COT_I32, 0x80000000, 0, 0x80000000 },
    { OP_abs, COT_I8, 0x80, 0, 0x80 },
    { OP_abs, COT_I64, M, 0, 1 },
    { OP_sign, COT_I16, 0x8000, 0, 0xffff },
    { OP_sign, COT_U16, 0x8000, 0, 1 },
    { OP_div, COT_I32, 7, 0, 0xffffffff },
    { OP_div, COT_U8, 7, 0, 0xff },
    { OP_div, COT_I32, 0x80000000, 0xffffffff, 0x80000000 },
    { OP_div, COT_I8, 0xf9, 2, 0xfd },          /* -7 / 2 = -3 */
    { OP_div, COT_U64, M, 3, M / 3 },
    { OP_rem, COT_I8, 0xf9, 2, 0xff },          /* -7 rem 2 = -1 */
    { OP_rem, COT_I64, 1ull << 63, M, 0 },
    { OP_rem, COT_I64, 5, 0, 5 },
    { OP_rem, COT_U32, 5, 0, 5 },
    { OP_shl, COT_I8, 1, 7, 0x80 },
    { OP_shl, COT_I8, 1, 8, 0 },
    { OP_shl, COT_I32, 1, 0xffffffff, 0 },
    { OP_shr_logical, COT_I8, 0x80, 1, 0x40 },
    { OP_shr_logical, COT_I64, M, 64, 0 },
    { OP_shr_logical, COT_U32, 0x80000000, 31, 1 },
    { OP_shr_arithmetic, COT_I8, 0x80, 1, 0xc0 },
    { OP_shr_arithmetic, COT_I8, 0x80, 200, 0xff },
    { OP_shr_arithmetic, COT_U8, 0x80, 7, 0xff },
    { OP_shr_arithmetic, COT_I64, 1, 99, 0 },
    { OP_not, COT_BOOL, 1, 0, 0 },
    { OP_not, COT_U8, 1, 0, 0xfe },
    { OP_max, COT_BOOL, 1, 0, 1 },
    { OP_min, COT_BOOL, 1, 0, 0 },
    { OP_max, COT_I8, 0xff, 1, 1 },
    { OP_max, COT_U8, 0xff, 1, 0xff },
    { OP_popcnt, COT_I8, 0xff, 0, 8 },
    { OP_popcnt, COT_I64, M, 0, 64 },
    { OP_clz, COT_I8, 0, 0, 8 },
    { OP_clz, COT_I16, 1, 0, 15 },
    { OP_clz, COT_U64, 1, 0, 63 },
    { OP_clz, COT_I32, 0xffffffff, 0, 0 },
    { OP_integer_pow, COT_I32, 3, 5, 243 },
    { OP_integer_pow, COT_U8, 2, 8, 0 },
    { OP_integer_pow, COT_I32, 0, 0, 1 },
};

START_TEST(integers_at_their_edges)
{
    const struct integer_row *r = &integer_row[_i];
    const uint64_t x[3] = { r->x, r->y, 0 };

    ck_assert_msg(apply(r->op, ir_ops[r->op].n_in, r->t, r->t, x) == r->want,
                  "%s %s row %d gave %llx", ir_ops[r->op].name, cot_dtype_name(r->t), _i,
                  (unsigned long long)apply(r->op, ir_ops[r->op].n_in, r->t, r->t, x));
}
END_TEST

/* ---- every integer op at every width, by 128-bit arithmetic ---- */

static const cot_dtype integers[8] = { COT_I8, COT_I16, COT_I32, COT_I64,
                                       COT_U8, COT_U16, COT_U32, COT_U64 };

static __int128
number_of(cot_dtype t, uint64_t bits)
{
    int unused = 64 - ir_bits(t);

    return ir_is_signed(t) ? (__int128)((int64_t)(bits << unused) >> unused) : (__int128)bits;
}

static int
ones_of(uint64_t bits)
{
    int n = 0;

    for (; bits != 0; bits &= bits - 1)
        n++;
    return n;
}

static int
zeros_before(uint64_t bits, int width)
{
    int n = width;

    for (; bits != 0; bits >>= 1)
        n--;
    return n;
}

/* The result modulo 2^width; the corners of docs/ir.md: x / 0 is all ones, x rem 0 is x, shifts
 * beyond the width. */
static __int128
integer_result(ir_op op, cot_dtype t, uint64_t u, uint64_t v)
{
    const int width = ir_bits(t);
    const __int128 x = number_of(t, u), y = number_of(t, v);
    const bool far = y < 0 || y >= width;
    const uint64_t top = u >> (width - 1);

    switch (op) {
    case OP_add: return x + y;
    case OP_sub: return x - y;
    case OP_mul: return (__int128)((unsigned __int128)x * (unsigned __int128)y);
    case OP_div: return y == 0 ? -1 : x / y;
    case OP_rem: return y == 0 ? x : x % y;
    case OP_max: return x > y ? x : y;
    case OP_min: return x < y ? x : y;
    case OP_and: return x & y;
    case OP_or: return x | y;
    case OP_xor: return x ^ y;
    case OP_neg: return -x;
    case OP_abs: return x < 0 ? -x : x;
    case OP_sign: return (x > 0) - (x < 0);
    case OP_not: return ~x;
    case OP_popcnt: return ones_of(u);
    case OP_clz: return zeros_before(u, width);
    case OP_shl: return far ? 0 : (__int128)((unsigned __int128)u << (int)y);
    case OP_shr_logical: return far ? 0 : (__int128)(u >> (int)y);
    default: return far ? (top ? -1 : 0)
        : (number_of(ir_is_signed(t) ? t : (cot_dtype)(t - COT_U8 + COT_I8), u) >> (int)y);
    }
}

START_TEST(integers_wrap_at_every_width)
{
    static const ir_op ops[] = { OP_add, OP_sub, OP_mul, OP_div, OP_rem, OP_max, OP_min, OP_and,
                                 OP_or, OP_xor, OP_neg, OP_abs,
                                 OP_sign, OP_not, OP_popcnt, OP_clz, OP_shl, OP_shr_logical,
                                 OP_shr_arithmetic };
    enum { OPS = sizeof ops / sizeof *ops, EDGES = 14 };
    const cot_dtype t = integers[_i / OPS];
    const ir_op op = ops[_i % OPS];
    const uint64_t mask = UINT64_MAX >> (64 - ir_bits(t)), top = mask ^ (mask >> 1);
    const uint64_t edge[EDGES] = { 0, 1, 2, 3, 7, 8, (uint64_t)ir_bits(t) - 1,
                                   (uint64_t)ir_bits(t), top - 1, top, top + 1,
                                   mask - 1, mask, 0x5bd1e995a3c7f21dull & mask };

    for (int i = 0; i < EDGES; i++)
        for (int j = 0; j < (ir_ops[op].n_in == 2 ? EDGES : 1); j++) {
            const uint64_t x[3] = { edge[i], edge[j], 0 },
                           want = (uint64_t)integer_result(op, t, x[0], x[1]) & mask;
            const uint64_t got = apply(op, ir_ops[op].n_in, t, t, x);
            ck_assert_msg(got == want, "%s %s of %llx, %llx gave %llx, not %llx",
                          ir_ops[op].name, cot_dtype_name(t), (unsigned long long)x[0],
                          (unsigned long long)x[1], (unsigned long long)got,
                          (unsigned long long)want);
        }
}
END_TEST

/* From each floating type to each integer: toward zero, saturating, NaN to 0. */
START_TEST(converts_saturate_at_every_width)
{
    static const double value[] = { 0, -0.0, 0.9, -0.9, 1.5, -1.5, 127.5, 128, -128.5, -129,
                                    255.5, 256, 32767.5, 32768, -32769, 65504, 65536,
                                    2147483647.5, 2147483648.0, -2147483649.0, 4294967295.5,
                                    4294967296.0, 0x1p63, -0x1p63,
                                    -0x1.0000000000001p63, 0x1p64, 0x1.fffffffffffffp63, 1e300,
                                    -1e300, INFINITY, -INFINITY, NAN };
    const cot_dtype from[4] = { COT_F64, COT_F32, COT_F16, COT_BF16 }, in = from[_i / 8],
        t = integers[_i % 8];
    const int bits = ir_bits(t) - ir_is_signed(t);
    const long double most = ldexpl(1, bits) - 1,
                      least = ir_is_signed(t) ? -ldexpl(1, bits) : 0;

    for (size_t k = 0; k < sizeof value / sizeof *value; k++) {
        float narrow = (float)value[k];
        double v = in == COT_F64 ? value[k] : (double)narrow;
        uint64_t x[3] = { 0 };
        if (in == COT_F64)
            memcpy(x, &v, sizeof v);
        else if (in == COT_F32)
            memcpy(x, &narrow, sizeof narrow);
        else {
            uint16_t h = in == COT_F16 ? cot_f32_to_f16(narrow) : cot_f32_to_bf16(narrow);
            x[0] = h;
            v = (double)(in == COT_F16 ? cot_f16_to_f32(h) : cot_bf16_to_f32(h));
        }
        long double w = isnan(v) ? 0 : fminl(fmaxl(truncl(v), least), most);
        uint64_t want = w < 0 ? (uint64_t)(int64_t)w : (uint64_t)w;
        want &= UINT64_MAX >> (64 - ir_bits(t));
        ck_assert_msg(apply(OP_convert, 1, in, t, x) == want, "%s %a to %s gave %llx, not %llx",
                      cot_dtype_name(in), v, cot_dtype_name(t),
                      (unsigned long long)apply(OP_convert, 1, in, t, x),
                      (unsigned long long)want);
    }
}
END_TEST

/* f16 and bf16: the op of f32, rounded once. */
START_TEST(halves_compute_in_f32)
{
    static const ir_op ops[] = { OP_add, OP_sub, OP_mul,    OP_div, OP_sqrt,
                                 OP_exp, OP_sin, OP_lgamma, OP_pow, OP_fma };
    const ir_op op = ops[_i / 2];
    const cot_dtype t = _i % 2 ? COT_F16 : COT_BF16;
    uint32_t state = 12345;

    for (int k = 0; k < 24; k++) {
        uint64_t h[3], w[3] = { 0 };
        for (int i = 0; i < 3; i++) {
            state = state * 1664525 + 1013904223;
            h[i] = state >> 16;
            float f =
                t == COT_F16 ? cot_f16_to_f32((uint16_t)h[i]) : cot_bf16_to_f32((uint16_t)h[i]);
            memcpy(&w[i], &f, sizeof f);
        }
        uint64_t wide = apply(op, ir_ops[op].n_in, COT_F32, COT_F32, w);
        float y;
        memcpy(&y, &wide, sizeof y);
        uint16_t want = t == COT_F16 ? cot_f32_to_f16(y) : cot_f32_to_bf16(y),
                 got = (uint16_t)apply(op, ir_ops[op].n_in, t, t, h);
        float back = t == COT_F16 ? cot_f16_to_f32(got) : cot_bf16_to_f32(got);
        ck_assert_msg(got == want || (isnan(y) && isnan(back)), "%s %s gave %x, not %x",
                      ir_ops[op].name, cot_dtype_name(t), got, want);
    }
}
END_TEST

static const struct float_row { ir_op op; double x, y, want; } float_row[] = {
    { OP_max, NAN, 1, NAN }, { OP_max, 1, NAN, NAN }, { OP_max, -0.0, 0.0, 0.0 },
    { OP_max, 0.0, -0.0, 0.0 },
    { OP_max, -0.0, -0.0, -0.0 }, { OP_max, 1, 2, 2 }, { OP_max, -INFINITY, 2, 2 },
    { OP_min, NAN, 1, NAN }, { OP_min, 1, NAN, NAN }, { OP_min, -0.0, 0.0, -0.0 },
    { OP_min, 0.0, -0.0, -0.0 },
    { OP_min, 0.0, 0.0, 0.0 }, { OP_min, 1, 2, 1 },
    { OP_sign, -0.0, 0, -0.0 }, { OP_sign, NAN, 0, NAN }, { OP_sign, -INFINITY, 0, -1 },
    { OP_sign, 0x1p-140, 0, 1 },
    { OP_abs, -0.0, 0, 0.0 }, { OP_neg, 0.0, 0, -0.0 },
    { OP_floor, -0.5, 0, -1 }, { OP_ceil, -0.5, 0, -0.0 }, { OP_trunc, -0.5, 0, -0.0 },
    { OP_round, 0.5, 0, 1 }, { OP_round, -2.5, 0, -3 }, { OP_round, 0.25, 0, 0 },
    { OP_round, -0.25, 0, -0.0 },
    { OP_round_even, 0.5, 0, 0 }, { OP_round_even, 2.5, 0, 2 }, { OP_round_even, -1.5, 0, -2 },
    { OP_integer_pow, 2, -3, 0.125 }, { OP_integer_pow, 0, -1, INFINITY },
    { OP_integer_pow, NAN, 0, 1 },
};

START_TEST(floats_at_their_edges)
{
    const struct float_row *r = &float_row[_i];
    uint64_t y = r->op == OP_integer_pow ? (uint64_t)(int64_t)r->y : f64(r->y);
    uint64_t z = r->op == OP_integer_pow ? y : f32((float)r->y);
    uint64_t d =
        apply(r->op, ir_ops[r->op].n_in, COT_F64, COT_F64, (uint64_t[]){ f64(r->x), y, 0 });
    uint64_t s = apply(r->op, ir_ops[r->op].n_in, COT_F32, COT_F32,
                       (uint64_t[]){ f32((float)r->x), z, 0 });
    double dy;
    float sy;

    memcpy(&dy, &d, 8);
    memcpy(&sy, &s, 4);
    if (isnan(r->want))
        ck_assert(isnan(dy) && isnan(sy));
    else {
        ck_assert_msg(d == f64(r->want), "%s row %d: %g", ir_ops[r->op].name, _i, dy);
        ck_assert_msg(s == f32((float)r->want), "%s row %d: %g", ir_ops[r->op].name, _i,
                      (double)sy);
    }
}
END_TEST

START_TEST(round_just_below_a_half_stays)
{
    float x = 0x1.fffffep-2f;

    ck_assert_uint_eq(apply(OP_round, 1, COT_F32, COT_F32, (uint64_t[]){ f32(x), 0, 0 }), 0);
    ck_assert_uint_eq(apply(OP_round, 1, COT_F32, COT_F32,
                            (uint64_t[]){ f32(8388609.0f), 0, 0 }), f32(8388609.0f));
    ck_assert_uint_eq(apply(OP_round, 1, COT_F32, COT_F32,
                            (uint64_t[]){ f32(4194304.5f), 0, 0 }), f32(4194305.0f));
}
END_TEST

static const struct convert_row { cot_dtype from, to; uint64_t x, want; } convert_row[] = {
    { COT_F32, COT_I32, 0x7fc00000, 0 },
    { COT_F32, COT_I32, 0x4f000000, 0x7fffffff },       /* 2^31 */
    { COT_F32, COT_I32, 0xcf000000, 0x80000000 },       /* -2^31 */
    { COT_F32, COT_I32, 0xff800000, 0x80000000 },
    { COT_F32, COT_I8, 0x4effffff, 0x7f },
    { COT_F32, COT_U8, 0xbf800000, 0 },                 /* -1 */
    { COT_F32, COT_U8, 0x437f8000, 0xff },              /* 255.5 */
    { COT_F32, COT_U64, 0x7f800000, M },
    { COT_F32, COT_I64, 0x5f000000, M >> 1 },           /* 2^63 */
    { COT_F32, COT_I16, 0xbfe00000, 0xffff },           /* -1.75 to -1 */
    { COT_F16, COT_I8, 0xfc00, 0x80 },
    { COT_F32, COT_BOOL, 0x7fc00000, 1 },
    { COT_F32, COT_BOOL, 0x80000000, 0 },
    { COT_BOOL, COT_F16, 1, 0x3c00 },
    { COT_BOOL, COT_I64, 1, 1 },
    { COT_I8, COT_U32, 0xff, 0xffffffff },
    { COT_U8, COT_I32, 0xff, 0xff },
    { COT_I64, COT_I8, 0x1ff, 0xff },
    { COT_I64, COT_F32, 0x1000001, 0x4b800000 },        /* 2^24 + 1: a tie, to even */
    { COT_U64, COT_F64, M, 0x43f0000000000000 },
    { COT_I32, COT_BF16, 0x1010000, 0x4b80 },           /* 257 * 2^16: a tie of bf16 */
    /* just above: f32 alone would lose it */
    { COT_I32, COT_BF16, 0x1010001, 0x4b81 },
    { COT_I64, COT_BF16, 0x101000000000001, 0x5b81 },
    { COT_I64, COT_BF16, 0x101000000000000, 0x5b80 },
    { COT_F64, COT_BF16, 0x3ff0100000000001, 0x3f81 },  /* 1 + 2^-8 + a little */
    { COT_F64, COT_BF16, 0x3ff0100000000000, 0x3f80 },
    { COT_F64, COT_F16, 0x3ff0020000000001, 0x3c01 },   /* 1 + 2^-11 + a little */
    { COT_F64, COT_F16, 0x3ff0020000000000, 0x3c00 },
    { COT_F64, COT_F16, 0x7fefffffffffffff, 0x7c00 },
    { COT_F64, COT_F16, 0x0000000000000001, 0 },
    { COT_F64, COT_F16, 0x3e60000000000001, 1 },        /* 2^-25 + a little: up to the least */
    { COT_F64, COT_F16, 0x3e60000000000000, 0 },
    { COT_F64, COT_F32, 0x3ff0000010000000, 0x3f800000 },
    { COT_F16, COT_F64, 0x0001, 0x3e70000000000000 },
    { COT_F16, COT_BF16, 0x3c01, 0x3f80 },
};

START_TEST(convert_saturates_and_rounds_once)
{
    const struct convert_row *r = &convert_row[_i];
    uint64_t y = apply(OP_convert, 1, r->from, r->to, (uint64_t[]){ r->x, 0, 0 });

    ck_assert_msg(y == r->want, "%s to %s row %d: %llx", cot_dtype_name(r->from),
                  cot_dtype_name(r->to), _i, (unsigned long long)y);
}
END_TEST

/* Every f16 and bf16 survives the way to f32 and back; what lies between two rounds to even. */
START_TEST(halves_round_to_nearest_even)
{
    for (uint32_t h = 0; h < 0x7bff; h++) {
        float x = cot_f16_to_f32((uint16_t)h), y = cot_f16_to_f32((uint16_t)(h + 1)),
              mid = x + (y - x) / 2;
        ck_assert_uint_eq(cot_f32_to_f16(x), h);
        ck_assert_uint_eq(cot_f32_to_f16(-x), h | 0x8000);
        ck_assert_uint_eq(cot_f32_to_f16(mid), h + (h & 1));
        ck_assert_uint_eq(cot_f32_to_f16(nextafterf(mid, 1e9f)), h + 1);
        ck_assert_uint_eq(cot_f32_to_f16(nextafterf(mid, 0)), h);
    }
    for (uint32_t h = 0; h < 0x7f7f; h++) {
        float x = cot_bf16_to_f32((uint16_t)h), y = cot_bf16_to_f32((uint16_t)(h + 1)),
              mid = x + (y - x) / 2;
        ck_assert_uint_eq(cot_f32_to_bf16(x), h);
        ck_assert_uint_eq(cot_f32_to_bf16(mid), h + (h & 1));
    }
    ck_assert_uint_eq(cot_f32_to_f16(65519.996f), 0x7bff);
    ck_assert_uint_eq(cot_f32_to_f16(65520), 0x7c00);
    ck_assert_uint_eq(cot_f32_to_f16(INFINITY), 0x7c00);
    ck_assert(isnan(cot_f16_to_f32(cot_f32_to_f16(NAN))));
    ck_assert(isnan(cot_bf16_to_f32(cot_f32_to_bf16(NAN))));
    ck_assert_uint_eq(cot_f32_to_bf16(0x1.fffffep127f), 0x7f80);
    ck_assert_float_eq(cot_f16_to_f32(1), 0x1p-24f);
    ck_assert_float_eq(cot_f16_to_f32(0x0400), 0x1p-14f);
}
END_TEST

START_TEST(constants_fold_and_equals_share)
{
    ir_sc_build b;
    cot_dtype in[1] = { COT_F32 };

    ir_sc_begin(&b, &arena, 1, in);
    ir_sc two = ir_sc_f32(&b, 2), three = ir_sc_f32(&b, 3);
    ir_sc six = ir_sc_add_insn(&b, SC_mul, COT_F32, two, three, 0);
    ck_assert_uint_eq(six, ir_sc_f32(&b, 6));
    ir_sc x = ir_sc_add_insn(&b, SC_add, COT_F32, 0, six, 0);
    ck_assert_uint_eq(x, ir_sc_add_insn(&b, SC_add, COT_F32, 0, six, 0));
    ir_sc yes = ir_sc_add_insn(&b, SC_lt, COT_F32, two, three, 0);
    ck_assert_uint_eq(ir_sc_type_in(&b, yes), COT_BOOL);
    ck_assert_uint_eq(ir_sc_add_insn(&b, SC_select, COT_F32, yes, x, two), x);
    const ir_sc_program *p = ir_sc_end(&b, x);
    ck_assert_int_eq(p->n, 2);                  /* 6 and the sum; the rest is gone */
    ck_assert_int_eq(p->type, COT_F32);
}
END_TEST

/* The guards of an integer division vanish where the divisor is known. */
START_TEST(division_by_a_constant_needs_no_guard)
{
    cot_dtype in[2] = { COT_I32, COT_I32 };
    const ir_sc_program *div = ir_sc_of(ctx, OP_div, NULL, 2, in, COT_I32);
    ir_sc_build b;

    ir_sc_begin(&b, &arena, 1, in);
    const ir_sc args[2] = { 0, ir_sc_int(&b, COT_I32, 10) };
    ck_assert_int_eq(ir_sc_end(&b, ir_sc_inline(&b, div, args))->n, 2);
    ck_assert_ptr_eq(div, ir_sc_of(ctx, OP_div, NULL, 2, in, COT_I32));
}
END_TEST

/* The sub-program of a slow path or branch runs for the lanes that take it, at any
 * number of lanes and over several strips. */
START_TEST(slow_path_replaces_only_its_lanes)
{
    enum { N = 1300 };
    cot_dtype t[1] = { COT_I32 };
    ir_sc_build sub, b;
    static int32_t x[N], y[N];
    const void *in[1] = { x };

    ir_sc_begin(&sub, &arena, 1, t);
    const ir_sc_program *neg = ir_sc_end(&sub, ir_sc_add_insn(&sub, SC_neg, COT_I32, 0, 0, 0));
    ir_sc_begin(&b, &arena, 1, t);
    ir_sc odd = ir_sc_add_insn(&b, SC_and, COT_I32, 0, ir_sc_int(&b, COT_I32, 1), 0);
    ir_sc want = ir_sc_add_insn(&b, SC_eq, COT_I32, odd, ir_sc_int(&b, COT_I32, 1), 0);
    const ir_sc args[1] = { 0 };
    const ir_sc_program *p =
        ir_sc_end(&b, (_i ? ir_sc_branch : ir_sc_slow_path)(&b, want, neg, 1, args, 0));
    for (int i = 0; i < N; i++)
        x[i] = i;
    ir_sc_run(&arena, p, N, y, in);
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(y[i], i & 1 ? -i : i);
}
END_TEST

START_TEST(programs_print)
{
    cot_dtype in[1] = { COT_F16 };
    ir_buf text;

    ir_buf_init(&text, &arena);
    ir_sc_print(&text, ir_sc_of(ctx, OP_sqrt, NULL, 1, in, COT_F16));
    ck_assert_str_eq(text.text, "(%0: f16) -> f16 {\n"
                                "  %1 = cvt f32 %0\n"
                                "  %2 = sqrt f32 %1\n"
                                "  %3 = cvt f16 %2\n"
                                "  ret %3\n"
                                "}\n");
}
END_TEST

/* What is written to an array's element from a number: the nearest that the type has. */
START_TEST(elements_are_set_to_the_nearest)
{
    static const struct { cot_dtype t; double x, y; } row[] = {
        { COT_I8, 127, 127 },      { COT_I8, 200, 127 },      { COT_I8, -128, -128 },
        { COT_I8, -1e9, -128 },    { COT_U8, 255, 255 },      { COT_U8, 256, 255 },
        { COT_U8, -1, 0 },         { COT_I16, 32767, 32767 }, { COT_I16, 4e4, 32767 },
        { COT_U16, 65535, 65535 }, { COT_U16, 7e4, 65535 },
        { COT_I32, 2147483647, 2147483647 },
        { COT_I32, 3e9, 2147483647 }, { COT_U32, 4294967295, 4294967295 }, { COT_I8, NAN, 0 },
        { COT_I8, -2.75, -2 },     { COT_BOOL, 0.5, 1 },      { COT_F32, 0.1, 0.1f },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        uint64_t out = 0;
        rt_set_element(row[i].t, &out, 0, row[i].x);
        ck_assert_msg(rt_element(row[i].t, &out, 0) == row[i].y, "%s: %g is %g, wants %g",
                      cot_dtype_name(row[i].t), row[i].x, rt_element(row[i].t, &out, 0),
                      row[i].y);
    }
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(integers_at_their_edges, sizeof integer_row / sizeof *integer_row),
        EACH(floats_at_their_edges, sizeof float_row / sizeof *float_row),
        EACH(convert_saturates_and_rounds_once, sizeof convert_row / sizeof *convert_row),
        EACH(integers_wrap_at_every_width, 8 * 19),
        EACH(converts_saturate_at_every_width, 4 * 8),
        EACH(halves_compute_in_f32, 10 * 2),
        ONCE(round_just_below_a_half_stays),
        ONCE(halves_round_to_nearest_even),
        ONCE(constants_fold_and_equals_share),
        ONCE(division_by_a_constant_needs_no_guard),
        EACH(slow_path_replaces_only_its_lanes, 2),
        ONCE(programs_print),
        ONCE(elements_are_set_to_the_nearest),
    };

    return SUITE_WITH("scalar", cases, setup, teardown);
}
