/* Sums in the order of docs/numerics.md section 3, and extremes (world_fold.h). */
#include "runtime/support/world_fold.h"

#include <math.h>
#include <string.h>

#include "cotrace/half.h"
#include "runtime/support/world.h"

cot_dtype
cot_rt_wide_type(cot_dtype t)
{
    return t == COT_F16 || t == COT_BF16 ? COT_F32 : t;
}

size_t
cot_rt_bytes_of(cot_dtype t)
{
    switch (t) {
    case COT_BOOL:
    case COT_I8:
    case COT_U8: return 1;
    case COT_I16:
    case COT_U16:
    case COT_F16:
    case COT_BF16: return 2;
    case COT_I32:
    case COT_U32:
    case COT_F32: return 4;
    default: return 8;
    }
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
#define SUM(T)                                                                                 \
    static void sum_##T(int64_t n, T *restrict to, const T *restrict x, const T *restrict y)   \
    {                                                                                          \
        int64_t i = 0;                                                                         \
        for (; i + 16 <= n; i += 16)                                                           \
            for (int k = 0; k < 16; k++)                                                       \
                to[i + k] = (T)(x[i + k] + y[i + k]);                                          \
        for (; i < n; i++)                                                                     \
            to[i] = (T)(x[i] + y[i]);                                                          \
    }
SUM(float)
SUM(double)
SUM(uint8_t)
SUM(uint16_t)
SUM(uint32_t)
SUM(uint64_t)
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
        switch (cot_rt_bytes_of(t)) {                                                          \
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

/* to = x + y, of which x may be to. */
static void
sum(cot_dtype t, int64_t n, void *to, const void *x, const void *y)
{
    if (to == x) {
        add(t, n, to, y);
        return;
    }
    switch (cot_rt_bytes_of(t) + (t == COT_F32 || t == COT_F64)) {
    case 1: sum_uint8_t(n, to, x, y); break;
    case 2: sum_uint16_t(n, to, x, y); break;
    case 4: sum_uint32_t(n, to, x, y); break;
    case 5: sum_float(n, to, x, y); break;
    case 9: sum_double(n, to, x, y); break;
    default: sum_uint64_t(n, to, x, y); break;
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
cot_rt_combine(int by, cot_dtype t, int64_t n, void *to, const void *from)
{
    switch (by) {
    case COT_RT_MAX: max(t, n, to, from); break;
    case COT_RT_MIN: min(t, n, to, from); break;
    case COT_RT_AND: and_bits(t, n, to, from); break;
    case COT_RT_OR: or_bits(t, n, to, from); break;
    default: add(t, n, to, from); break;
    }
}

void
cot_rt_widen(cot_dtype t, int64_t n, const void *from, void *to)
{
    if (cot_rt_wide_type(t) == t) {
        memcpy(to, from, (size_t)n * cot_rt_bytes_of(t));
        return;
    }
    for (int64_t i = 0; i < n; i++)
        ((float *)to)[i] = t == COT_F16 ? cot_f16_to_f32(((const uint16_t *)from)[i])
                                        : cot_bf16_to_f32(((const uint16_t *)from)[i]);
}

void
cot_rt_narrow(cot_dtype t, int64_t n, const void *from, void *to)
{
    if (cot_rt_wide_type(t) == t) {
        memcpy(to, from, (size_t)n * cot_rt_bytes_of(t));
        return;
    }
    for (int64_t i = 0; i < n; i++)
        ((uint16_t *)to)[i] = t == COT_F16 ? cot_f32_to_f16(((const float *)from)[i])
                                           : cot_f32_to_bf16(((const float *)from)[i]);
}

int
cot_rt_fold_levels(int64_t leaves)
{
    int n = 2;

    while (leaves > 1) {
        leaves = (leaves + 1) / 2;
        n++;
    }
    return n;
}

static void *
room_of(const cot_rt_fold *s, int level)
{
    return s->room + (size_t)level * (size_t)s->bytes;
}

/* Joins the nodes that meet below a height. */
static void
join(cot_rt_fold *s, int below)
{
    while (s->depth > 1 && s->height[s->depth - 1] < below) {
        const int k = s->depth - 2;
        void *to = room_of(s, k);
        sum(s->t, s->n, to, s->node[k], s->node[k + 1]);
        s->node[k] = to;
        s->depth--;
    }
}

static int
height_of(const cot_rt_fold *s, int64_t q)
{
    int height = 0;

    for (int64_t differ = s->depth ? s->last ^ q : 0; differ > 1; differ >>= 1)
        height++;
    return height;
}

void *
cot_rt_fold_room(cot_rt_fold *s, int64_t q)
{
    join(s, height_of(s, q));
    return room_of(s, s->depth);
}

void
cot_rt_fold_push(cot_rt_fold *s, int64_t q, const void *x)
{
    const int height = height_of(s, q);

    join(s, height);
    s->last = q;
    s->height[s->depth] = height;
    s->node[s->depth++] = x;
}

void
cot_rt_fold_more(cot_rt_fold *s, const void *x)
{
    const int k = s->depth - 1;
    void *to = room_of(s, k);

    sum(s->t, s->n, to, s->node[k], x);
    s->node[k] = to;
}

const void *
cot_rt_folded(cot_rt_fold *s)
{
    join(s, COT_RT_MAX_LEVELS);
    s->depth = 0;
    return s->node[0];
}
