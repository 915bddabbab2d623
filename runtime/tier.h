/* Two tiers: kernels that the reference evaluator runs until their code is compiled. */
#ifndef RUNTIME_TIER_H
#define RUNTIME_TIER_H

#include "runtime/compile.h"

/* Begin with the evaluator where that pays, or with code that is compiled already: then *begun,
 * and if the code is still to be compiled the module's memory, which is the arena's, becomes
 * the tier's.  The caller holds the context's lock and a recovery point. */
cot_status rt_tier_begin(cot_kernel *k, const rt_lowered *low, ir_arena *arena, bool *begun);
/* The evaluator has run the kernel for so long: its compilation begins if that pays.  The
 * caller holds the context's lock. */
void rt_tier_ran(const cot_kernel *k, double seconds);
/* Compile the kernel now, and wait for its code; where there is one tier that is ready.  After
 * an error the evaluator goes on running the kernel. */
cot_status rt_tier_wait(const cot_kernel *k);
/* Give up the kernel's place in the queue, or end its compilation. */
void rt_tier_free(cot_kernel *k);

#endif
