/* What compiled functions call to print a value, and to check one. */
#ifndef RUNTIME_SUPPORT_PRINT_H
#define RUNTIME_SUPPORT_PRINT_H

#include <stdbool.h>
#include <stdint.h>

/* text, which ends with 0, with x where it has {} first, or behind it; shape: the rank, then
 * the sizes. */
void cot_rt_print_f32(float *x, const uint8_t *text, const int64_t *shape);
void cot_rt_print_f64(double *x, const uint8_t *text, const int64_t *shape);
void cot_rt_print_i64(int64_t *x, const uint8_t *text, const int64_t *shape);
void cot_rt_print_u64(uint64_t *x, const uint8_t *text, const int64_t *shape);
void cot_rt_print_bool(bool *x, const uint8_t *text, const int64_t *shape);

/* 0 if it holds, else 1. */
int cot_rt_check(const bool *holds);

#endif
