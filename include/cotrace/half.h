/* Cotrace: elements of f16 and bf16 arrays in C, which has no type for them everywhere. */
#ifndef COTRACE_HALF_H
#define COTRACE_HALF_H

#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* x / 2^shift to nearest, ties to even. */
static inline uint32_t
cot_round_shift_(uint32_t x, int shift)
{
    uint32_t half = 1u << (shift - 1), rest = x & (2 * half - 1), y = x >> shift;

    return y + (rest > half || (rest == half && (y & 1)));
}

/* The f16 (IEEE binary16) nearest to x, ties to even, as the bits that arrays of COT_F16 hold.
 * It is infinite from 65,520 on; subnormal numbers are kept, and a NaN
 * becomes a quiet one of the same sign. */
static inline uint16_t
cot_f32_to_f16(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000, a = bits & 0x7fffffff;
    if (a > 0x7f800000)
        return (uint16_t)(sign | 0x7e00);
    if (a >= 0x47800000) /* 2^16 and above; what rounds up to it carries over below */
        return (uint16_t)(sign | 0x7c00);
    if (a >= 0x38800000) /* normal: rebias the exponent */
        return (uint16_t)(sign | cot_round_shift_(a - 0x38000000, 13));
    if (a < 0x33000000) /* below half the least subnormal, 2^-25 */
        return (uint16_t)sign;
    return (uint16_t)(sign | cot_round_shift_((a & 0x7fffff) | 0x800000, 126 - (int)(a >> 23)));
}

/* The value of an f16, exactly. */
static inline float
cot_f16_to_f32(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, a = h & 0x7fff, bits;
    float x;

    if (a >= 0x7c00)
        bits = a << 13 | 0x7f800000;
    else if (a >= 0x400)
        bits = (a << 13) + 0x38000000;
    else {
        x = (float)a * 5.9604644775390625e-8f;
        memcpy(&bits, &x, sizeof bits);
    }
    bits |= sign;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The bf16 (the upper half of binary32) nearest to x, ties to even, as the bits that arrays of
 * COT_BF16 hold.  Subnormal numbers are kept, and a NaN stays one. */
static inline uint16_t
cot_f32_to_bf16(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return (uint16_t)(bits >> 16 | 0x40); /* a NaN stays one, and is quiet */
    return (uint16_t)cot_round_shift_(bits, 16);
}

/* The value of a bf16, exactly. */
static inline float
cot_bf16_to_f32(uint16_t h)
{
    uint32_t bits = (uint32_t)h << 16;
    float x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

#ifdef __cplusplus
}
#endif
#endif
