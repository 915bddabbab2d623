/* Fourier transforms beside FFTW (FFTW_MEASURE, where the machine has it): powers of two, mixed
 * radix, primes (Bluestein's convolution here, Rader's in FFTW), batches, real, two axes, f64
 * (see workloads.h). */
#include "bench/workloads.h"

#ifdef BENCH_FFTW
#include <fftw3.h>
#include <string.h>
#endif

#define BODY(name, ...)                                                                        \
    static void name(cot_trace *t, const cot_value *in, cot_value *out, void *user)            \
    {                                                                                          \
        (void)t, (void)user;                                                                   \
        __VA_ARGS__;                                                                           \
    }                                                                                          \
    static cot_fn *make_##name(cot_context *ctx)                                               \
    {                                                                                          \
        return cot_fn_new(ctx, #name, name, 1, 1, NULL);                                       \
    }
BODY(fft, out[0] = cot_fft(in[0]))
BODY(rfft, out[0] = cot_rfft(in[0]))
BODY(irfft, out[0] = cot_irfft(in[0]))
BODY(fft2, out[0] = cot_fftn(in[0]))

/* FFTW's side: the plan is made at the first call, on memory of its own, since measuring
 * overwrites. */
#ifdef BENCH_FFTW
#define PLAN(p, name, in_type, in_n, out_type, out_n, call)                                    \
    static void hand_##name(void *const *args)                                                 \
    {                                                                                          \
        static p##plan plan;                                                                   \
        if (!plan) {                                                                           \
            in_type *x = p##malloc(sizeof *x * (in_n));                                        \
            out_type *y = p##malloc(sizeof *y * (out_n));                                      \
            plan = call;                                                                       \
            p##free(x);                                                                        \
            p##free(y);                                                                        \
        }                                                                                      \
        EXECUTE_##in_type(out_type);                                                           \
    }
#define LINES(p, lines, n)                                                                     \
    p##plan_many_dft(1, (const int[]){ n }, lines, x, NULL, 1, n, y, NULL, 1, n, FFTW_FORWARD, \
                     FFTW_MEASURE)
#define EXECUTE_fftwf_complex(to) EXECUTE_TO_##to
#define EXECUTE_TO_fftwf_complex  fftwf_execute_dft(plan, args[0], args[1])
#define EXECUTE_TO_float                                                                       \
    fftwf_execute_dft_c2r(plan, memcpy(kept, args[0], sizeof kept), args[1])
#define EXECUTE_fftw_complex(to)  fftw_execute_dft(plan, args[0], args[1])
#define EXECUTE_float(to)         fftwf_execute_dft_r2c(plan, args[0], args[1])
#define SINGLE(lines, n)                                                                       \
    PLAN(fftwf_, fft_##lines##x##n, fftwf_complex, lines *n, fftwf_complex, lines *n,          \
         LINES(fftwf_, lines, n))
#define DOUBLE(lines, n)                                                                       \
    PLAN(fftw_, fft_f64_##lines##x##n, fftw_complex, lines *n, fftw_complex, lines *n,         \
         LINES(fftw_, lines, n))
#define REAL(lines, n)                                                                         \
    PLAN(fftwf_, rfft_##lines##x##n, float, lines *n, fftwf_complex, lines *(n / 2 + 1),       \
         fftwf_plan_many_dft_r2c(1, (const int[]){ n }, lines, x, NULL, 1, n, y, NULL, 1,      \
                                 n / 2 + 1, FFTW_MEASURE))
/* c2r destroys its input */
#define BACK(lines, n)                                                                         \
    static float kept[2 * lines * (n / 2 + 1)];                                                \
    PLAN(fftwf_, irfft_##lines##x##n, fftwf_complex, lines *(n / 2 + 1), float, lines *n,      \
         fftwf_plan_many_dft_c2r(1, (const int[]){ n }, lines, x, NULL, 1, n / 2 + 1, y, NULL, \
                                 1, n, FFTW_MEASURE))
#define SQUARE(n)                                                                              \
    PLAN(fftwf_, fft2_##n##x##n, fftwf_complex, n * n, fftwf_complex, n * n,                   \
         fftwf_plan_dft_2d(n, n, x, y, FFTW_FORWARD, FFTW_MEASURE))
#define HAND(name) hand_##name
#else
#define SINGLE(lines, n)
#define DOUBLE(lines, n)
#define REAL(lines, n)
#define BACK(lines, n)
#define SQUARE(n)
#define HAND(name) NULL
#endif

#define ARGS(name, type)                                                                       \
    static void args_##name(workload_arg *a)                                                   \
    {                                                                                          \
        a[0] = (workload_arg){ type, 0, 1, 1 };                                                \
    }
/* X(lines, length, log2 of the length) */
#define SINGLES(X)                                                                             \
    X(4096, 16, 4) X(256, 1024, 10) X(16, 65536, 16) X(1, 1048576, 20) X(256, 1000, 9.97)      \
    X(256, 720, 9.49) X(64, 1009, 9.98) X(8, 10007, 13.29)
#define DOUBLES(X) X(256, 1024, 10) X(16, 65536, 16) X(256, 1000, 9.97) X(64, 1009, 9.98)
#define FLOPS(lines, n, log) 5.0 * (lines) * (n) * (log)

#define DEFINE(lines, n, log) SINGLE(lines, n) ARGS(fft_##lines##x##n, cot_c64(lines, n))
SINGLES(DEFINE)
#undef DEFINE
#define DEFINE(lines, n, log) DOUBLE(lines, n) ARGS(fft_f64_##lines##x##n, cot_c128(lines, n))
DOUBLES(DEFINE)
REAL(256, 1024)
BACK(256, 1024)
SQUARE(512)
ARGS(rfft_256x1024, cot_f32(256, 1024))
ARGS(irfft_256x1024, cot_c64(256, 513))
ARGS(fft2_512x512, cot_c64(512, 512))

#define ROW(name, make, bytes, flops)                                                          \
    { #name, make, args_##name, 1, HAND(name), bytes, flops, 0 }
#define ROW_SINGLE(lines, n, log)                                                              \
    ROW(fft_##lines##x##n, make_fft, 16.0 * lines * n, FLOPS(lines, n, log)),
#define ROW_DOUBLE(lines, n, log)                                                              \
    ROW(fft_f64_##lines##x##n, make_fft, 32.0 * lines * n, FLOPS(lines, n, log)),

static const workload rows[] = {
    SINGLES(ROW_SINGLE) DOUBLES(ROW_DOUBLE)
    ROW(rfft_256x1024, make_rfft, 8.0 * 256 * 1024, FLOPS(256, 512, 10)),
    ROW(irfft_256x1024, make_irfft, 8.0 * 256 * 1024, FLOPS(256, 512, 10)),
    ROW(fft2_512x512, make_fft2, 16.0 * 512 * 512, FLOPS(512, 512, 18)),
};
const workload_list fourier_workloads = { rows, sizeof rows / sizeof *rows,
                                          "Fourier transforms", "FFTW" };
