/* bench --profile: what kernels took, beside what the machine can do. */
#ifndef TOOLS_PROFILE_H
#define TOOLS_PROFILE_H

#include "runtime/profile.h"
#include "tools/cot.h"
#include "tools/machine.h"

/* Memory for a call of f by kernel k: arguments from --in or a seed, results, the pool. */
cot_status profile_arguments(cot_cli *c, const cot_kernel *k, const ir_graph *f, void ***out);
/* f with probes, called for a while; the caller frees k. */
typedef struct profiled {
    cot_kernel *k;
    int64_t calls;
    double seconds, least; /* of all calls; of the quickest */
} profiled;
/* args: from profile_arguments, or NULL. */
cot_status profile_calls(cot_cli *c, const ir_graph *f, const cot_compile_options *o,
                         void **args, profiled *out);

/* The rows of a profile, the longest time first, in the arena. */
uint32_t profile_sorted(const rt_profile *p, ir_arena *a, rt_counter ***out);
/* Seconds of one run of a row. */
double profile_run_seconds(rt_counter *c);
/* What bounds a row: the machine's limit over what it reaches, and what limits it: a level of
 * memory, or "flops"; share 0: nothing that is known does. */
typedef struct profile_bound {
    double share;
    const char *by;
} profile_bound;
profile_bound profile_bound_of(rt_counter *c, const machine *m);
/* The level of memory that a row's data is in; NULL: it is not known. */
const machine_level *profile_level_of(const rt_counter *c, const machine *m);

/* The table. calls, seconds: of the function that the rows belong to. */
void profile_table(ir_buf *b, const rt_profile *p, const machine *m, int64_t calls,
                   double seconds);
/* roofline.c: the plot of Williams, Waterman and Patterson (Roofline: an insightful visual
 * performance model, CACM 52, 2009), as SVG. */
void profile_roofline(ir_buf *b, const rt_profile *p, const machine *m, double seconds);

#endif
