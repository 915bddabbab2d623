/* f16 and bf16, as bits: to f32 and back, rounded to nearest, ties to even.  A NaN stays one.
 *
 * The functions are here and in no object, as those of owner.h. */
#ifndef IR_HALF_H
#define IR_HALF_H

#include <stdint.h>
#include <string.h>

/* Round the integer x / 2^shift to nearest, ties to even. */
static inline uint32_t
ir_round_shift(uint32_t x, int shift)
{
    uint32_t half = 1u << (shift - 1), rest = x & (2 * half - 1), y = x >> shift;

    return y + (rest > half || (rest == half && (y & 1)));
}

static inline uint16_t
ir_f32_to_f16(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000, a = bits & 0x7fffffff;
    if (a > 0x7f800000)
        return (uint16_t)(sign | 0x7e00);
    if (a >= 0x47800000) /* 2^16 and above; what rounds up to it carries over below */
        return (uint16_t)(sign | 0x7c00);
    if (a >= 0x38800000) /* normal: rebias the exponent */
        return (uint16_t)(sign | ir_round_shift(a - 0x38000000, 13));
    if (a < 0x33000000) /* below half the least subnormal, 2^-25 */
        return (uint16_t)sign;
    return (uint16_t)(sign | ir_round_shift((a & 0x7fffff) | 0x800000, 126 - (int)(a >> 23)));
}

static inline float
ir_f16_to_f32(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, a = h & 0x7fff, bits;
    float x;

    if (a >= 0x7c00)
        bits = a << 13 | 0x7f800000;
    else if (a >= 0x400)
        bits = (a << 13) + 0x38000000;
    else {
        x = (float)a * 0x1p-24f;
        memcpy(&bits, &x, sizeof bits);
    }
    bits |= sign;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint16_t
ir_f32_to_bf16(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return (uint16_t)(bits >> 16 | 0x40); /* a NaN stays one, and is quiet */
    return (uint16_t)ir_round_shift(bits, 16);
}

static inline float
ir_bf16_to_f32(uint16_t h)
{
    uint32_t bits = (uint32_t)h << 16;
    float x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif
