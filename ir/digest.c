/* SHA-256, as the standard states it: blocks of 64 bytes, each mixed into eight words by 64
 * rounds.
 *
 * Source: FIPS PUB 180-4, Secure Hash Standard, 2015, sections 4.1.2, 5.1.1, 5.3.3 and 6.2. */
#include "ir/digest.h"

#include <string.h>

/* The fractional parts of the cube roots of the first 64 primes. */
static const uint32_t round_constant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
    0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
    0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
    0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
    0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
    0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
    0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2
};

static uint32_t
rotated(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static uint32_t
word_at(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* The message schedule: 64 words of the block's 16. */
static void
expand(const uint8_t *block, uint32_t w[64])
{
    for (int t = 0; t < 16; t++)
        w[t] = word_at(block + 4 * t);
    for (int t = 16; t < 64; t++) {
        const uint32_t x = w[t - 15], y = w[t - 2];
        w[t] = w[t - 16] + (rotated(x, 7) ^ rotated(x, 18) ^ x >> 3) + w[t - 7] +
               (rotated(y, 17) ^ rotated(y, 19) ^ y >> 10);
    }
}

static void
mix(uint32_t h[8], const uint8_t *block)
{
    uint32_t w[64], v[8];

    expand(block, w);
    memcpy(v, h, sizeof v);
    for (int t = 0; t < 64; t++) {
        const uint32_t a = v[0], e = v[4];
        const uint32_t t1 = v[7] + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) +
                            ((e & v[5]) ^ (~e & v[6])) + round_constant[t] + w[t];
        const uint32_t t2 = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) +
                            ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        h[i] += v[i];
}

void
ir_digest_begin(ir_digest_state *s)
{
    *s = (ir_digest_state){ .h = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                   0x9b05688c, 0x1f83d9ab, 0x5be0cd19 } };
}

void
ir_digest_add(ir_digest_state *s, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;

    while (n > 0) {
        const size_t at = s->n % 64, part = n < 64 - at ? n : 64 - at;
        memcpy(s->block + at, p, part);
        s->n += part;
        p += part;
        n -= part;
        if (s->n % 64 == 0)
            mix(s->h, s->block);
    }
}

void
ir_digest_text(ir_digest_state *s, const char *text)
{
    text = text ? text : "";
    ir_digest_add(s, text, strlen(text) + 1);
}

/* Padding: a one, zeros, and the number of bits in the last eight bytes of a block. */
ir_digest
ir_digest_end(ir_digest_state *s)
{
    static const uint8_t padding[64] = { 0x80 };
    const uint64_t bits = s->n * 8;
    uint8_t length[8];
    ir_digest d;

    for (int i = 0; i < 8; i++)
        length[i] = (uint8_t)(bits >> (56 - 8 * i));
    ir_digest_add(s, padding, s->n % 64 < 56 ? 56 - s->n % 64 : 120 - s->n % 64);
    ir_digest_add(s, length, sizeof length);
    for (int i = 0; i < 32; i++)
        d.byte[i] = (uint8_t)(s->h[i / 4] >> (24 - 8 * (i % 4)));
    return d;
}

void
ir_digest_hex(const ir_digest *d, char out[65])
{
    for (int i = 0; i < 32; i++) {
        out[2 * i] = "0123456789abcdef"[d->byte[i] >> 4];
        out[2 * i + 1] = "0123456789abcdef"[d->byte[i] & 15];
    }
    out[64] = '\0';
}
