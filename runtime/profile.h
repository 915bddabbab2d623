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
    int64_t bytes, flops; /* of one run, by the cost model; bytes of each array once */
    bool is_vector, is_parallel;
    _Atomic int64_t runs, ticks;
    struct rt_counter *next;
} rt_counter;

typedef struct rt_profile {
    const char *function;
    rt_counter *first, **last;
    struct rt_profiles *all;
    struct rt_profile *next;
} rt_profile;

/* Puts probes into the module where the context counts (ir_config.counted), and makes the
 * profile that they fill; NULL where it does not.  The first call opens the file of
 * cot_options.profile. */
cot_status rt_profile_begin(cot_context *ctx, cg_module *m, rt_profile **out);
/* The rows as a table. calls, seconds: of the function that they belong to. */
void rt_profile_table(ir_buf *b, const rt_profile *p, int64_t calls, double seconds);
/* The rows and the latest runs as JSON of Chrome's trace format. */
void rt_profile_json(ir_buf *b, cot_context *ctx);
/* The seconds of a row, and all rows at 0 again. */
double rt_profile_seconds(rt_counter *c);
void rt_profile_clear(rt_profile *p);

#endif
