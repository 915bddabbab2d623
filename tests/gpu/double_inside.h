/* What the double's files share. */
#ifndef TESTS_GPU_DOUBLE_INSIDE_H
#define TESTS_GPU_DOUBLE_INSIDE_H

#include "runtime/cuda/driver.h"
#include "tests/gpu/double.h"

/* The driver's functions, under its names. */
#define CU_DECLARE(member, symbol, parameters) cu_result member##_ parameters __asm__(symbol);
CU_FUNCTIONS(CU_DECLARE)
#undef CU_DECLARE

/* A defect of the caller's: the first one is remembered. */
void double_wrong(const char *what);
double_state *double_counts(void);
/* Memory is taken from this pool. */
void double_use_pool(cu_pool p);

#endif
