/* Cotrace: discrete Fourier transforms.
 *
 *     Y[k] = sum_j x[j] e^(-2 pi i j k / n),  k = 0 ... n - 1,  along an axis, or several one
 *     after the other.
 *
 * Any length will do: one whose prime factors are at most 13 is transformed as it is, another
 * by a convolution of a length of that kind (Bluestein).  f16 and bf16 become f32.  Normwise
 * error of a line: about log2(n) / 2 ulp, some 4 times that by convolution.  Derivatives are
 * transforms again.
 *
 *   .axes    which; absent: the last, and of the functions that end in n all
 *   .sizes   lengths to transform, one for each axis (where .axes is absent, for the last so
 *            many): x is cut, or zeros are put behind it; absent: as x is (of irfft and irfftn
 *            the last one is 2 (m - 1) for m numbers)
 *   .norm    COT_FFT_BACKWARD (default): the inverse is divided by the number of elements;
 *            COT_FFT_FORWARD: the other is; COT_FFT_ORTHO: both are, by its root
 *
 * Errors   COT_ERR_DTYPE  x is an integer or bool; of rfft complex, of irfft real
 *          COT_ERR_SHAPE  an axis that x does not have, or twice; an axis without elements
 *          COT_ERR_ARG    a size is below 1
 * Source   J. W. Cooley, J. W. Tukey, Math. Comp. 19 (1965); L. I. Bluestein, IEEE Trans.
 *          AU-18 (1970). */
#ifndef COTRACE_FFT_H
#define COTRACE_FFT_H

#include "cotrace/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cot_fft_norm { COT_FFT_BACKWARD = 0, COT_FFT_ORTHO, COT_FFT_FORWARD } cot_fft_norm;

typedef struct COT_NAMED_ cot_fft_options {
    COT_BEGIN_
    cot_list axes, sizes;
    cot_fft_norm norm;
} cot_fft_options;

typedef struct COT_NAMED_ cot_stft_options {
    COT_BEGIN_
    /* floating [n], or shorter, then with zeros around it; absent: ones */
    cot_value window;
    /* from a frame to the next; 0: n / 4 */
    int64_t hop;
    /* 1: frame i begins at i hop; else it has its middle there */
    int uncentred;
    /* 1: divided by sqrt(n), the inverse multiplied */
    int normalised;
    /* 1: all n frequencies of real x, too */
    int twosided;
    /* istft: of the result; 0: of whole frames */
    int64_t length;
} cot_stft_options;

#define COT_FOURIER_(name) \
    COT_API cot_value name(cot_place at, cot_value x, const cot_fft_options *o, size_t size);
COT_FOURIER_(cot_fft_)
COT_FOURIER_(cot_ifft_)
COT_FOURIER_(cot_rfft_)
COT_FOURIER_(cot_irfft_)
COT_FOURIER_(cot_fftn_)
COT_FOURIER_(cot_ifftn_)
COT_FOURIER_(cot_rfftn_)
COT_FOURIER_(cot_irfftn_)
COT_FOURIER_(cot_fftshift_)
COT_FOURIER_(cot_ifftshift_)
#undef COT_FOURIER_
COT_API cot_value cot_fftfreq_(cot_place at, cot_trace *t, cot_dtype dtype, int64_t n,
                               double d);
COT_API cot_value cot_rfftfreq_(cot_place at, cot_trace *t, cot_dtype dtype, int64_t n,
                                double d);

COT_API cot_value cot_stft_(cot_place at, cot_value x, int64_t n, const cot_stft_options *o,
                            size_t size);
COT_API cot_value cot_istft_(cot_place at, cot_value x, int64_t n, const cot_stft_options *o,
                             size_t size);

#ifndef __cplusplus
#define COT_FFT_(...) &(const cot_fft_options){__VA_ARGS__}, sizeof(cot_fft_options)
/* The discrete Fourier transform of complex or real x along one axis, to complex numbers of
 * the same shape. */
#define cot_fft(...) COT_FFT_FFT_(__VA_ARGS__, .end_ = 0)
#define COT_FFT_FFT_(x, ...) cot_fft_(COT_HERE, x, COT_FFT_(__VA_ARGS__))
/* The inverse of cot_fft along one axis, with e^(+2 pi i j k / n) and divided by n unless .norm
 * says otherwise: complex numbers of the same shape. */
#define cot_ifft(...) COT_FFT_IFFT_(__VA_ARGS__, .end_ = 0)
#define COT_FFT_IFFT_(x, ...) cot_ifft_(COT_HERE, x, COT_FFT_(__VA_ARGS__))
/* The first n / 2 + 1 numbers of the transform of real x, which say the others. */
#define cot_rfft(...) COT_FFT_RFFT_(__VA_ARGS__, .end_ = 0)
#define COT_FFT_RFFT_(x, ...) cot_rfft_(COT_HERE, x, COT_FFT_(__VA_ARGS__))
/* Back from those to n real numbers; imaginary parts that cannot be of such a transform,
 * those of the first and, for an even n, of the last number, do not count. */
#define cot_irfft(...) COT_FFT_IRFFT_(__VA_ARGS__, .end_ = 0)
#define COT_FFT_IRFFT_(x, ...) cot_irfft_(COT_HERE, x, COT_FFT_(__VA_ARGS__))
/* cot_fft along each of .axes (absent: all, or with .sizes the last so many): complex numbers
 * of x's shape, but for .sizes. */
#define cot_fftn(...) COT_FFT_FFTN_(__VA_ARGS__, .end_ = 0)
#define COT_FFT_FFTN_(x, ...) cot_fftn_(COT_HERE, x, COT_FFT_(__VA_ARGS__))
/* The inverse of cot_fftn, with its options and errors: cot_ifft along each of .axes, complex
 * numbers of x's shape, but for .sizes. */
#define cot_ifftn(...) COT_FFT_IFFTN_(__VA_ARGS__, .end_ = 0)
#define COT_FFT_IFFTN_(x, ...) cot_ifftn_(COT_HERE, x, COT_FFT_(__VA_ARGS__))
/* cot_rfft along the last of .axes (absent: all), then cot_fft along the others: complex
 * numbers, n / 2 + 1 of them along that axis. x is real floating. */
#define cot_rfftn(...) COT_FFT_RFFTN_(__VA_ARGS__, .end_ = 0)
#define COT_FFT_RFFTN_(x, ...) cot_rfftn_(COT_HERE, x, COT_FFT_(__VA_ARGS__))
/* The inverse of cot_rfftn: real numbers of x complex. The last of .axes has the last of .sizes
 * elements, absent 2 (m - 1) for m numbers. */
#define cot_irfftn(...) COT_FFT_IRFFTN_(__VA_ARGS__, .end_ = 0)
#define COT_FFT_IRFFTN_(x, ...) cot_irfftn_(COT_HERE, x, COT_FFT_(__VA_ARGS__))
/* x, of any type, with the zero frequency moved to the middle of each of .axes (absent: all):
 * rolled by half the size, rounded down. Other options are not used. */
#define cot_fftshift(...) COT_FFT_SHIFT_(__VA_ARGS__, .end_ = 0)
#define COT_FFT_SHIFT_(x, ...) cot_fftshift_(COT_HERE, x, COT_FFT_(__VA_ARGS__))
/* The inverse of cot_fftshift, also for odd sizes: x rolled back by half of each size, rounded
 * down. Other options than .axes are not used. */
#define cot_ifftshift(...) COT_FFT_ISHIFT_(__VA_ARGS__, .end_ = 0)
#define COT_FFT_ISHIFT_(x, ...) cot_ifftshift_(COT_HERE, x, COT_FFT_(__VA_ARGS__))
/* The frequencies of a transform of n numbers taken every d, [n]: 0, 1, ..., -2, -1 over n d,
 * in cycles per unit of d. Errors are those of cot_rfftfreq. */
#define cot_fftfreq(t, dtype, n, d) cot_fftfreq_(COT_HERE, t, dtype, n, d)
/* The n / 2 + 1 frequencies that cot_rfft keeps of n numbers taken every d, 0, 1, ..., n / 2
 * over n d, in cycles per unit of d. Errors: COT_ERR_ARG where dtype is not real floating or n
 * is below 1. */
#define cot_rfftfreq(t, dtype, n, d) cot_rfftfreq_(COT_HERE, t, dtype, n, d)

#define COT_STFT_(...) &(const cot_stft_options){__VA_ARGS__}, sizeof(cot_stft_options)
/* The transforms of frames of n elements of x [..., l], each times .window: complex
 * [..., n / 2 + 1, frames] of real x, [..., n, frames] of complex x or with .twosided.  There
 * are 1 + (l + 2 (n / 2) - n) / .hop frames, x being reflected at its ends by n / 2 elements,
 * or 1 + (l - n) / .hop with .uncentred.  As torch.stft.
 *
 * Errors   COT_ERR_DTYPE  x is an integer or bool
 *          COT_ERR_SHAPE  x is too short for a frame or for the reflection
 *          COT_ERR_ARG    an option is wrong */
#define cot_stft(...) COT_STFT_ALL_(__VA_ARGS__, .end_ = 0)
#define COT_STFT_ALL_(x, n, ...) cot_stft_(COT_HERE, x, n, COT_STFT_(__VA_ARGS__))
/* Real signals [..., l] of which these are the transforms, with the same options (.twosided too
 * of a transform of complex x, whose imaginary part does not count): the least squares where
 * frames overlap.  NaN or infinite where all windows are 0; l = n + .hop (frames - 1), less 2
 * (n / 2) without .uncentred, or .length, zeros after the last frame.  As torch.istft.
 *
 * Errors   COT_ERR_SHAPE  x is not complex, or has not as many frequencies
 *          COT_ERR_ARG    an option is wrong */
#define cot_istft(...) COT_ISTFT_ALL_(__VA_ARGS__, .end_ = 0)
#define COT_ISTFT_ALL_(x, n, ...) cot_istft_(COT_HERE, x, n, COT_STFT_(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif
#endif
