/* Counter-based random bits.
 *
 * Philox 4x32-10 and Threefry 2x32-20 of J. Salmon, M. Moraes, R. Dror, D. Shaw, Parallel
 * Random
 * Numbers: As Easy as 1, 2, 3, SC 2011: bijections of a counter, keyed, that pass BigCrush.
 * Philox's words travel in u64; products of two 32-bit words are then exact, and a vector unit
 * has them. */
#include "ir/math/math.h"

enum { PHILOX_ROUNDS = 10 };

static ir_sc
k64(ir_sc_build *b, uint64_t x)
{
    return ir_sc_const_bits(b, COT_U64, x);
}

static ir_sc
low(ir_sc_build *b, ir_sc x)
{
    return m_and(b, x, k64(b, 0xffffffff));
}

static ir_sc
high(ir_sc_build *b, ir_sc x)
{
    return m_shr(b, x, k64(b, 32));
}

static ir_sc
pair(ir_sc_build *b, ir_sc lo, ir_sc hi)
{
    return m_or(b, lo, m_shl(b, hi, k64(b, 32)));
}

ir_sc
eval_philox(MATH_ARGS)
{
    ir_sc c[4] = { low(b, x[1]), high(b, x[1]), low(b, x[2]), high(b, x[2]) };
    ir_sc k0 = low(b, x[0]), k1 = high(b, x[0]);

    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        ir_sc p = m_mul(b, k64(b, 0xd2511f53), c[0]), q = m_mul(b, k64(b, 0xcd9e8d57), c[2]);

        c[0] = m_xor(b, m_xor(b, high(b, q), c[1]), k0);
        c[2] = m_xor(b, m_xor(b, high(b, p), c[3]), k1);
        c[1] = low(b, q);
        c[3] = low(b, p);
        k0 = low(b, m_add(b, k0, k64(b, 0x9e3779b9)));
        k1 = low(b, m_add(b, k1, k64(b, 0xbb67ae85)));
    }
    return at->word.word == 0 ? pair(b, c[0], c[1]) : pair(b, c[2], c[3]);
}

static ir_sc
k32(ir_sc_build *b, uint32_t x)
{
    return ir_sc_const_bits(b, COT_U32, x);
}

static ir_sc
rotate(ir_sc_build *b, ir_sc x, int by)
{
    ir_sc shifted = m_shr(b, x, k32(b, (uint32_t)(32 - by)));
    return m_or(b, m_shl(b, x, k32(b, (uint32_t)by)), shifted);
}

/* Threefry is only sums, rotations and xor, so it computes in words of its own size, of which a
 * vector holds twice as many as of u64. */
ir_sc
eval_threefry(MATH_ARGS)
{
    static const int by[2][4] = { { 13, 15, 26, 6 }, { 17, 29, 16, 24 } };
    ir_sc k[3] = { m_cvt(b, COT_U32, high(b, x[0])), m_cvt(b, COT_U32, x[0]), 0 };
    ir_sc v = m_add(b, m_cvt(b, COT_U32, high(b, x[1])), k[0]),
          w = m_add(b, m_cvt(b, COT_U32, x[1]), k[1]);

    ir_sc mask = k32(b, 0x1bd11bda);
    k[2] = m_xor(b, m_xor(b, k[0], k[1]), mask);
    for (int group = 0; group < 5; group++) {
        for (int i = 0; i < 4; i++) {
            v = m_add(b, v, w);
            w = m_xor(b, rotate(b, w, by[group % 2][i]), v);
        }
        v = m_add(b, v, k[(group + 1) % 3]);
        ir_sc constant = k32(b, (uint32_t)group + 1);
        w = m_add(b, m_add(b, w, k[(group + 2) % 3]), constant);
    }
    ir_sc converted = m_cvt(b, COT_U64, v);
    return pair(b, m_cvt(b, COT_U64, w), converted);
}
