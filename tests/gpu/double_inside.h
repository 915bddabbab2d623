/* What the double's files share. */
#ifndef TESTS_GPU_DOUBLE_INSIDE_H
#define TESTS_GPU_DOUBLE_INSIDE_H

#include <stdbool.h>

#include "runtime/cuda/driver.h"
#include "tests/gpu/double.h"

/* The driver's functions, under its names. */
#define CU_DECLARE(member, symbol, parameters) cu_result member##_ parameters __asm__(symbol);
CU_FUNCTIONS(CU_DECLARE)
#undef CU_DECLARE

/* An entry point of a module: its parameters, the threads it was compiled for, the shared
 * memory that was asked for. */
struct cu_function_ { char name[128]; int n; unsigned threads, dynamic; };

/* A setting of double.h, by its name. */
int64_t double_setting(const char *name);
/* Has the caller pushed a context? */
bool double_is_current(void);
/* A defect of the caller's: the first one is remembered. */
void double_wrong(const char *what);
double_state *double_counts(void);
/* Memory is taken from this pool. */
void double_use_pool(cu_pool p);

#endif
