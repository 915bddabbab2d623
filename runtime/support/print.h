/* Functions that compiled code calls to print and to check a value. */
#ifndef RUNTIME_SUPPORT_PRINT_H
#define RUNTIME_SUPPORT_PRINT_H

#include <stdbool.h>
#include <stdint.h>

/* Prints the zero-terminated text, with x in place of its first {}, or after it. shape: the
 * rank, then the sizes. */
void cot_rt_print_f32(float *x, const uint8_t *text, const int64_t *shape);
void cot_rt_print_f64(double *x, const uint8_t *text, const int64_t *shape);
void cot_rt_print_i64(int64_t *x, const uint8_t *text, const int64_t *shape);
void cot_rt_print_u64(uint64_t *x, const uint8_t *text, const int64_t *shape);
void cot_rt_print_bool(bool *x, const uint8_t *text, const int64_t *shape);

/* Returns 0 if *holds is true, otherwise 1. */
int cot_rt_check(const bool *holds);

#endif
