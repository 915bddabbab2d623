/* How a line of n complex numbers is transformed: the factors of n, and their roots of unity.
 *
 * Stockham's method, decimation in frequency: with n = s r m, stage (r, m, s) takes x to
 *   y[q + s (r p + k)] = w^(p k) sum_j x[q + s (p + m j)] e^(-2 pi i j k / r),
 *   w = e^(-2 pi i / (r m)), for p < m, q < s, k < r;
 * the next stage divides m by its own radix and has s multiplied by r.  No reordering pass is
 * needed.  The sums of a stage are in butterfly.h, which the evaluator and codegen both
 * include, so that both have the same bits.
 *
 * Source: P. N. Swarztrauber, FFT algorithms for vector computers, Parallel Computing 1
 * (1984). */
#ifndef IR_FFT_H
#define IR_FFT_H

#include <stdbool.h>

#include "ir/arena.h"
#include "cotrace/tensor.h"

enum { IR_FFT_LARGEST = 13, IR_FFT_STAGES = 64 };

typedef struct ir_fft_stage {
    int radix;
    int64_t m, s;
    /* w^(p k) at [(k - 1) m + p], k = 1 ... radix - 1, of the plan's type; NULL where m is 1 */
    const void *re, *im;
} ir_fft_stage;

typedef struct ir_fft {
    int64_t n;
    int stages;
    ir_fft_stage stage[IR_FFT_STAGES];
} ir_fft;

/* Is every prime factor of n at most IR_FFT_LARGEST?  n >= 1. */
bool ir_fft_takes(int64_t n);
/* t: f32 or f64. */
ir_fft *ir_fft_new(ir_arena *a, int64_t n, cot_dtype t);
/* e^(-2 pi i j / n), 0 <= j < n, rounded to within 0.6 ulp; the same bits on every machine. */
void ir_fft_root(int64_t j, int64_t n, double *re, double *im);

/* Transforms a line of doubles, real and imaginary parts alternating, as the evaluator does. */
void ir_fft_line(ir_arena *a, int64_t n, bool inverse, const double *x, double *y);

#endif
