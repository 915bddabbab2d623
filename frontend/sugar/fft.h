/* Fourier transforms of the last axis of complex z or real x. */
#ifndef FRONTEND_SUGAR_FFT_H
#define FRONTEND_SUGAR_FFT_H

#include "cotrace/fft.h"
#include "frontend/trace.h"

ir_ref fe_fft_scaled(ir_build *b, ir_ref z, double c);
/* x cut to n elements of an axis, or zeros put after them. */
ir_ref fe_fft_resized(ir_build *b, ir_ref x, int axis, int64_t n);
ir_ref fe_fft_complex(ir_build *b, ir_ref x);
/* Along the last axis, undivided. */
ir_ref fe_fft_line(ir_build *b, ir_ref z, bool inverse);
/* The numbers 0 ... n/2 of the transform of n real ones. */
ir_ref fe_fft_real(ir_build *b, ir_ref x);
/* n real numbers from the first n/2 + 1 of their transform, undivided. */
ir_ref fe_fft_real_back(ir_build *b, ir_ref y, int64_t n);

#endif
