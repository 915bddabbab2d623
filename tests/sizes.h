/* The sizes at which loops change their shape, for tests that ask every axis of every class of
 * ops.
 *
 * A lowering divides an axis by the lanes of a vector, by the rows and columns of a register
 * tile, by the 256 k's of a block of a product, by the 512 elements (16 steps of 32 lanes) of a
 * block of a reduction, and by threads.  What is left over is a tail, which is another piece of
 * code.  So the table holds the numbers around each of those.
 *
 * Two axes fail together more often than three do: sizes_row gives rows in which every pair of
 * sizes occurs in every pair of axes (an orthogonal array of strength 2; Bush, Annals of
 * Mathematical Statistics 23(3), 1952).  Row p q + r holds p, r, p + r, 2 p + r, ... modulo the
 * prime number q of sizes. */
#ifndef TESTS_SIZES_H
#define TESTS_SIZES_H

#include <stdbool.h>
#include <stdint.h>

static const int64_t sizes_that_matter[] = {
    /* nothing, one, less than any vector */
    0, 1, 2, 3,
    /* powers of two, which lanes of all widths are, and their neighbours */
    4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512,
    513, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097,
    /* rows and columns of register tiles (6, 12, 14; 24, 48, 72) and their neighbours */
    6, 11, 12, 13, 14, 23, 24, 25, 28, 47, 48, 49, 72, 73, 96,
    /* blocks of a reduction, with a tail of less than a step, of a step, and of more */
    527, 528, 529, 543, 544, 545, 1039, 1040, 1041, 1055, 1056, 1057, 1536, 1537, 1551, 1552,
    1553, 1567, 1568, 1569, 4111, 4112, 4113, 4127, 4128, 4129,
    /* primes, whose every division leaves a rest */
    19, 29, 37, 61, 97, 101, 131, 251, 509, 521, 1009, 2053
};

/* The most telling ones: a tail of each kind. */
static const int64_t sizes_few[] = { 0,  1,  2,  3,  5,  7,  8,   13,  16,  17,
                                     31, 33, 49, 64, 129, 257, 513, 529, 1057 };

/* Of one axis alone: sizes at which sums are split among threads, or go in two streams. */
static const int64_t sizes_large[] = { 8191,  8193,   32767,  32768,  32769, 33281,
                                       65537, 262143, 262144, 262145, 262657 };

enum {
    SIZES_MATTER = sizeof sizes_that_matter / sizeof *sizes_that_matter,
    SIZES_FEW = sizeof sizes_few / sizeof *sizes_few,
    SIZES_LARGE = sizeof sizes_large / sizeof *sizes_large,
};

/* The least prime number that is not below n. */
static inline int64_t
sizes_prime(int64_t n)
{
    for (;; n++) {
        bool prime = n > 1;
        for (int64_t d = 2; d * d <= n && prime; d++)
            prime = n % d != 0;
        if (prime)
            return n;
    }
}

/* Rows, for up to sizes_prime(n) + 1 axes of n sizes each. */
static inline int64_t
sizes_rows(int64_t n)
{
    return sizes_prime(n) * sizes_prime(n);
}

/* The number, below sizes_prime(n), of what axis number `axis` is in row `row`: any two of them
 * meet, in any two axes, in one row. */
static inline int64_t
sizes_level(int64_t n, int64_t row, int axis)
{
    const int64_t q = sizes_prime(n), p = row / q % q, r = row % q;

    return axis == 0 ? p : (r + p * (axis - 1)) % q;
}

/* The same as a size.  Numbers between n and the prime stand for the first sizes again. */
static inline int64_t
sizes_row(const int64_t *table, int64_t n, int64_t row, int axis)
{
    return table[sizes_level(n, row, axis) % n];
}

/* The largest size of the table that is at most `most`: for an axis that would be too much
 * work. */
static inline int64_t
sizes_at_most(const int64_t *table, int64_t n, int64_t most)
{
    int64_t best = 0;

    for (int64_t i = 0; i < n; i++)
        if (table[i] <= most && table[i] > best)
            best = table[i];
    return best;
}

#endif
