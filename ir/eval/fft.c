/* fft, by the stages of ir/fft.h on each line; the inverse is the same with re and im exchanged
 * on both sides. */
#include <math.h>

#include "ir/eval/eval.h"
#include "ir/fft.h"

#define B_ARGS
#define B_CALL
#define ADD(x, y) ((x) + (y))
#define SUB(x, y) ((x) - (y))
#define MUL(x, y) ((x) * (y))
#define NEG(x)    (-(x))

/* The numbers of one kind of float: one butterfly after the other, from src to dst and back. */
#define LINES(T)                                                                               \
    static void fft_stage_##T(const ir_fft_stage *g, const T *src, T *dst)                     \
    {                                                                                          \
        const int r = g->radix;                                                                \
        const T *re = g->re, *im = g->im;                                                      \
        for (int64_t p = 0; p < g->m; p++)                                                     \
            for (int64_t q = 0; q < g->s; q++) {                                               \
                T x[2 * IR_FFT_LARGEST], y[2 * IR_FFT_LARGEST];                                \
                for (int j = 0; j < r; j++) {                                                  \
                    x[2 * j] = src[2 * (q + g->s * (p + g->m * j))];                           \
                    x[2 * j + 1] = src[2 * (q + g->s * (p + g->m * j)) + 1];                   \
                }                                                                              \
                butterfly_of_##T(r, x, y);                                                     \
                for (int k = 0; k < r; k++) {                                                  \
                    if (k && g->m > 1)                                                         \
                        twiddle_of_##T(y + 2 * k, re[(k - 1) * g->m + p],                      \
                                       im[(k - 1) * g->m + p]);                                \
                    dst[2 * (q + g->s * (r * p + k))] = y[2 * k];                              \
                    dst[2 * (q + g->s * (r * p + k)) + 1] = y[2 * k + 1];                      \
                }                                                                              \
            }                                                                                  \
    }                                                                                          \
    static void fft_line_##T(const ir_fft *f, bool inverse, const T *x, T *y, T *a, T *b)      \
    {                                                                                          \
        for (int64_t i = 0; i < 2 * f->n; i++)                                                 \
            a[i] = x[inverse ? i ^ 1 : i];                                                     \
        for (int i = 0; i < f->stages; i++) {                                                  \
            T *t = a;                                                                          \
            fft_stage_##T(&f->stage[i], a, b);                                                 \
            a = b, b = t;                                                                      \
        }                                                                                      \
        for (int64_t i = 0; i < 2 * f->n; i++)                                                 \
            y[i] = a[inverse ? i ^ 1 : i];                                                     \
    }

#define V         float
#define FMA       fmaf
#define NUMBER(c) ((float)(c))
#define butterfly   butterfly_of_float
#define butterfly_4 butterfly_4_of_float
#define butterfly_8 butterfly_8_of_float
#define butterfly_odd butterfly_odd_of_float
#define twiddle       twiddle_of_float
#include "ir/butterfly.h"
#undef V
#undef FMA
#undef NUMBER
#undef butterfly
#undef butterfly_4
#undef butterfly_8
#undef butterfly_odd
#undef twiddle
LINES(float)

#define V         double
#define FMA       fma
#define NUMBER(c) (c)
#define butterfly   butterfly_of_double
#define butterfly_4 butterfly_4_of_double
#define butterfly_8 butterfly_8_of_double
#define butterfly_odd butterfly_odd_of_double
#define twiddle       twiddle_of_double
#include "ir/butterfly.h"
LINES(double)

void
ir_fft_line(ir_arena *a, int64_t n, bool inverse, const double *x, double *y)
{
    double *p = IR_NEW_N(a, double, 2 * n), *q = IR_NEW_N(a, double, 2 * n);
    fft_line_double(ir_fft_new(a, n, COT_F64), inverse, x, y, p, q);
}

cot_status
eval_fft(const ir_eval_args *a)
{
    const ir_type *t = a->in_type[0];
    const bool inverse = a->at->fft.inverse;
    if (t->size == 0)
        return COT_OK;
    const int64_t n = t->dims[t->rank - 2];
    const ir_fft *f = ir_fft_new(a->scratch, n, t->dtype);
    const size_t bytes = 2 * (size_t)n * cot_dtype_size(t->dtype);
    void *p = ir_alloc(a->scratch, bytes), *q = ir_alloc(a->scratch, bytes);
    for (int64_t i = 0; i < t->size; i += 2 * n)
        if (t->dtype == COT_F32)
            fft_line_float(f, inverse, (const float *)a->in[0] + i, (float *)a->out[0] + i, p,
                           q);
        else
            fft_line_double(f, inverse, (const double *)a->in[0] + i, (double *)a->out[0] + i,
                            p, q);
    return COT_OK;
}
