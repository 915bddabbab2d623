/* The profile: how often each kernel of compiled code ran, and how long. */
#ifndef RUNTIME_PROFILE_H
#define RUNTIME_PROFILE_H

#include <stdatomic.h>

#include "runtime/compile.h"

/* One row: a kernel of a module, a foreign function that it calls, or the copies of its plans.
 * Rows belong to the context. */
typedef struct rt_counter {
    const struct rt_profile *of;
    const char *name, *note, *why; /* note: what it computes; why: decisions, or "" */
    /* of one run, by the cost model; bytes of each array once; 0 where sizes are open */
    int64_t bytes, flops;
    int64_t
        around; /* bytes that are touched between two runs, and by one: cg_each_working_set */
    bool is_vector, is_parallel;
    /* of the ticks, those in loops that threads share; what all threads worked in these */
    _Atomic int64_t runs, ticks, shared, worked;
    struct rt_counter *next;
} rt_counter;

typedef struct rt_profile {
    const char *function;
    int threads; /* that calls have */
    rt_counter *first, **last;
    struct rt_profiles *all;
    struct rt_profile *next;
} rt_profile;

extern const char rt_copies[]; /* the name of the row of all copies */

/* Puts probes into a kernel's module where the context counts (ir_config.counted), and makes
 * the profile that they and the kernel's threads fill.  The first call opens the file of
 * cot_options.profile. */
cot_status rt_profile_kernel(cot_kernel *k, cg_module *m);
/* The rows and the latest runs as JSON of Chrome's trace format. */
void rt_profile_json(ir_buf *b, cot_context *ctx);
/* The seconds of a row; the share of the threads' time in which they had nothing to do; all
 * rows at 0 again. */
double rt_profile_seconds(rt_counter *c);
double rt_profile_idle(rt_counter *c);
void rt_profile_clear(rt_profile *p);

#endif
