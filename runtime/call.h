/* Calling C functions whose arguments are known only at run time. */
#ifndef RUNTIME_CALL_H
#define RUNTIME_CALL_H

#include <stdbool.h>

#include "cotrace/tensor.h"

typedef struct rt_arg {
    /* at points to a scalar of this type; otherwise the argument is the pointer `at` */
    bool by_value;
    cot_dtype dtype;
    void *at;
} rt_arg;

/* Call `T fn(args...)`, where T is `type`, or void for COT_DTYPE_NONE, and store the bytes of
 * its result at `answer`.  False: the platform cannot make the call. */
bool rt_call_any(void (*fn)(void), int n, const rt_arg *args, cot_dtype type, void *answer);

/* Call `int fn(args...)` and store its result in *result.  COT_ERR_FOREIGN if the platform
 * cannot make the call.  Errors are recorded in ctx under its lock. */
cot_status rt_call_c(cot_context *ctx, void (*fn)(void), int n, const rt_arg *args,
                     int *result);

/* Call the natural C entry of a kernel with pointers to its arguments and results. */
cot_status rt_call_natural(const cot_kernel *k, void *const *args, void *work);

#endif
