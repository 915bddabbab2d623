/* Sums in the order of docs/numerics.md section 3, and extremes (world_fold.h). */
#include "runtime/world_fold.h"

#include <math.h>
#include <string.h>

#include "ir/scalar.h"

cot_dtype
rt_wide_type(cot_dtype t)
{
    return t == COT_F16 || t == COT_BF16 ? COT_F32 : t;
}

/* In pieces of a fixed length, which any compiler makes vectors of. */
#define EACH(NAME, T, VALUE)                                                                   \
    static void NAME##_##T(int64_t n, T *restrict to, const T *restrict from)                  \
    {                                                                                          \
        int64_t i = 0;                                                                         \
        for (; i + 16 <= n; i += 16)                                                           \
            for (int k = 0; k < 16; k++) {                                                     \
                const T x = to[i + k], y = from[i + k];                                        \
                to[i + k] = (T)(VALUE);                                                        \
            }                                                                                  \
        for (; i < n; i++) {                                                                   \
            const T x = to[i], y = from[i];                                                    \
            to[i] = (T)(VALUE);                                                                \
        }                                                                                      \
    }
EACH(add, float, x + y)
EACH(add, double, x + y)
EACH(add, uint8_t, x + y)
EACH(add, uint16_t, x + y)
EACH(add, uint32_t, x + y)
EACH(add, uint64_t, x + y)
#define BITS(T) EACH(and, T, (x & y)) EACH(or, T, (x | y))
BITS(uint8_t)
BITS(uint16_t)
BITS(uint32_t)
BITS(uint64_t)

/* A NaN wins, the first of two; -0 is less than +0. */
#define FLOAT_MAX(x, y) (x != x ? x : y != y ? y : x > y || (x == y && !signbit(x)) ? x : y)
#define FLOAT_MIN(x, y) (x != x ? x : y != y ? y : x < y || (x == y && signbit(x)) ? x : y)
EACH(max, float, FLOAT_MAX(x, y))
EACH(min, float, FLOAT_MIN(x, y))
EACH(max, double, FLOAT_MAX(x, y))
EACH(min, double, FLOAT_MIN(x, y))
#define EXTREMES(T) EACH(max, T, x > y ? x : y) EACH(min, T, x < y ? x : y)
EXTREMES(int8_t)
EXTREMES(int16_t)
EXTREMES(int32_t)
EXTREMES(int64_t)
EXTREMES(uint8_t)
EXTREMES(uint16_t)
EXTREMES(uint32_t)
EXTREMES(uint64_t)

/* Integers of one size are alike: sums wrap. */
#define BY_SIZE(NAME, FULL)                                                                    \
    static void FULL(cot_dtype t, int64_t n, void *to, const void *from)                       \
    {                                                                                          \
        switch (cot_dtype_size(t)) {                                                           \
        case 1: NAME##_uint8_t(n, to, from); break;                                            \
        case 2: NAME##_uint16_t(n, to, from); break;                                           \
        case 4: NAME##_uint32_t(n, to, from); break;                                           \
        default: NAME##_uint64_t(n, to, from); break;                                          \
        }                                                                                      \
    }
BY_SIZE(add, add_integers)
BY_SIZE(and, and_bits)
BY_SIZE(or, or_bits)

static void
add(cot_dtype t, int64_t n, void *to, const void *from)
{
    switch (t) {
    case COT_F32: add_float(n, to, from); break;
    case COT_F64: add_double(n, to, from); break;
    default: add_integers(t, n, to, from); break;
    }
}

#define EXTREME(NAME)                                                                          \
    static void NAME(cot_dtype t, int64_t n, void *to, const void *from)                       \
    {                                                                                          \
        switch (t) {                                                                           \
        case COT_F32: NAME##_float(n, to, from); break;                                        \
        case COT_F64: NAME##_double(n, to, from); break;                                       \
        case COT_I8: NAME##_int8_t(n, to, from); break;                                        \
        case COT_I16: NAME##_int16_t(n, to, from); break;                                      \
        case COT_I32: NAME##_int32_t(n, to, from); break;                                      \
        case COT_I64: NAME##_int64_t(n, to, from); break;                                      \
        case COT_U16: NAME##_uint16_t(n, to, from); break;                                     \
        case COT_U32: NAME##_uint32_t(n, to, from); break;                                     \
        case COT_U64: NAME##_uint64_t(n, to, from); break;                                     \
        default: NAME##_uint8_t(n, to, from); break;                                           \
        }                                                                                      \
    }
EXTREME(max)
EXTREME(min)

void
rt_combine(ir_combine by, cot_dtype t, int64_t n, void *to, const void *from)
{
    switch (by) {
    case IR_BY_MAX: max(t, n, to, from); break;
    case IR_BY_MIN: min(t, n, to, from); break;
    case IR_BY_AND: and_bits(t, n, to, from); break;
    case IR_BY_OR: or_bits(t, n, to, from); break;
    default: add(t, n, to, from); break;
    }
}

void
rt_widen(cot_dtype t, int64_t n, const void *from, void *to)
{
    if (rt_wide_type(t) == t) {
        memcpy(to, from, (size_t)n * cot_dtype_size(t));
        return;
    }
    for (int64_t i = 0; i < n; i++)
        ((float *)to)[i] = t == COT_F16 ? ir_f16_to_f32(((const uint16_t *)from)[i])
                                        : ir_bf16_to_f32(((const uint16_t *)from)[i]);
}

void
rt_narrow(cot_dtype t, int64_t n, const void *from, void *to)
{
    if (rt_wide_type(t) == t) {
        memcpy(to, from, (size_t)n * cot_dtype_size(t));
        return;
    }
    for (int64_t i = 0; i < n; i++)
        ((uint16_t *)to)[i] = t == COT_F16 ? ir_f32_to_f16(((const float *)from)[i])
                                           : ir_f32_to_bf16(((const float *)from)[i]);
}

static void
join(rt_fold *s, int below)
{
    while (s->depth > 1 && s->height[s->depth - 1] < below) {
        add(s->t, s->n, s->at[s->depth - 2], s->at[s->depth - 1]);
        s->depth--;
    }
}

void *
rt_fold_push(rt_fold *s, int64_t q)
{
    int height = 0;

    for (int64_t differ = s->depth ? s->last ^ q : 0; differ > 1; differ >>= 1)
        height++;
    join(s, height);
    s->last = q;
    s->height[s->depth] = height;
    return s->at[s->depth++];
}

void
rt_fold_more(rt_fold *s, const void *from)
{
    add(s->t, s->n, s->at[s->depth - 1], from);
}

const void *
rt_folded(rt_fold *s)
{
    join(s, RT_MAX_LEVELS);
    s->depth = 0;
    return s->at[0];
}
