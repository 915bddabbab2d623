/* Inputs from a fixed seed, and comparing results bit for bit: for tests of compiled graphs. */
#ifndef TESTS_TRIAL_H
#define TESTS_TRIAL_H

#include <stdlib.h>

#include "ir/scalar.h"

static inline uint64_t
draw(uint64_t *state)
{
    *state += 0x9E3779B97F4A7C15u;
    uint64_t z = *state;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static inline double
number(uint64_t *state, bool special)
{
    uint64_t r = draw(state);
    if (special && r % 23 == 0) {
        static const double odd[] = { 0.0, -0.0, 1.0 / 0.0, -1.0 / 0.0, 0.0 / 0.0, 1.0 };
        return odd[r / 23 % 6];
    }
    return ((double)(r >> 11) / 9007199254740992.0 - 0.5) * 4;
}

static inline void
fill(void *p, const ir_type *t, uint64_t *state, bool special)
{
    for (int64_t i = 0; i < t->size; i++) {
        uint64_t r = draw(state);
        switch (t->dtype) {
        case COT_BOOL: ((uint8_t *)p)[i] = r & 1; break;
        case COT_F16: ((uint16_t *)p)[i] = cot_f32_to_f16((float)number(state, special)); break;
        case COT_BF16:
            ((uint16_t *)p)[i] = cot_f32_to_bf16((float)number(state, special));
            break;
        case COT_F32: ((float *)p)[i] = (float)number(state, special); break;
        case COT_F64: ((double *)p)[i] = number(state, special); break;
        case COT_I8:
        case COT_U8: ((uint8_t *)p)[i] = (uint8_t)(r % 13); break;
        case COT_I16:
        case COT_U16: ((uint16_t *)p)[i] = (uint16_t)(r % 13); break;
        case COT_I32:
        case COT_U32:
            ((uint32_t *)p)[i] = (uint32_t)(r % 13) - 3 * (t->dtype == COT_I32);
            break;
        default: ((uint64_t *)p)[i] = (uint64_t)(r % 13) - 3 * (t->dtype == COT_I64); break;
        }
    }
}

/* Equal bits, all NaN being one. */
static inline bool
same(const ir_type *t, const void *x, const void *y, int64_t i)
{
    size_t size = cot_dtype_size(t->dtype);
    uint64_t a = 0, b = 0, inf, all;
    memcpy(&a, (const char *)x + (size_t)i * size, size);
    memcpy(&b, (const char *)y + (size_t)i * size, size);
    switch (t->dtype) {
    case COT_F16:
        inf = 0x7c00;
        all = 0x7fff;
        break;
    case COT_BF16:
        inf = 0x7f80;
        all = 0x7fff;
        break;
    case COT_F32:
        inf = 0x7f800000;
        all = 0x7fffffff;
        break;
    case COT_F64:
        inf = 0x7ff0000000000000u;
        all = 0x7fffffffffffffffu;
        break;
    default: return a == b;
    }
    return a == b || ((a & all) > inf && (b & all) > inf);
}

static inline void *
room(const ir_type *t)
{
    size_t bytes = (size_t)t->size * cot_dtype_size(t->dtype);
    return aligned_alloc(64, (bytes + 127) / 64 * 64);
}

#endif
