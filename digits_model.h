/* digits_model.h: written by Cotrace 0.1.0.  This file belongs to you: use it as you like.
 *
 * Arrays are dense, row-major and aligned to their element; no array overlaps one that is written.
 * f16, bf16 are bits in uint16_t; bool is one byte, 0 or 1; c64, c128 are pairs of float, double, the
 * real part first, as float _Complex and std::complex<float>.  work has NAME_WORK_BYTES bytes aligned
 * to NAME_WORK_ALIGN, and may be NULL if that is 0 bytes.  The answer is 0; or a number
 * of cotrace/base.h, as 8 where a loop passed its bound or 10 where a foreign function failed: then
 * no result is defined. */
#ifndef DIGITS_MODEL_H
#define DIGITS_MODEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* digits_predict(arg0: f32[64]) -> (out0: f32[10], out1: i32[])
 * About 18986 flops; 39592 bytes moved. */
#define DIGITS_PREDICT_WORK_BYTES 320
#define DIGITS_PREDICT_WORK_ALIGN 64
int digits_predict(const float *arg0, float *out0, int32_t *out1, void *work);

/* digits_step(arg0: f32[32,64], arg1: i32[32], arg2: f32[], arg3: f32[64,64], arg4: f32[64], arg5: f32[64,10], arg6: f32[10], arg7: f32[64,64], arg8: f32[64], arg9: f32[64,10], arg10: f32[10]) -> (out0: f32[64,64], out1: f32[64], out2: f32[64,10], out3: f32[10], out4: f32[64,64], out5: f32[64], out6: f32[64,10], out7: f32[10], out8: f32[])
 * About 1351056 flops; 212896 bytes moved. */
#define DIGITS_STEP_WORK_BYTES 32064
#define DIGITS_STEP_WORK_ALIGN 64
int digits_step(const float *arg0, const int32_t *arg1, const float *arg2, const float *arg3, const float *arg4, const float *arg5, const float *arg6, const float *arg7, const float *arg8, const float *arg9, const float *arg10, float *out0, float *out1, float *out2, float *out3, float *out4, float *out5, float *out6, float *out7, float *out8, void *work);

#ifdef __cplusplus
}
#endif
#endif
