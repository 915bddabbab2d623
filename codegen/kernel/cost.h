/* Estimates of the cost of a kernel and of a module. */
#ifndef CODEGEN_KERNEL_COST_H
#define CODEGEN_KERNEL_COST_H

#include "codegen/kernel/kernel.h"

/* Has the kernel so many float instructions that a compiler may spill vectors? */
bool cg_may_spill(const cg_kernel *k);
/* Should lanes beyond a tail compute what an active lane computes?  They should under trapping
 * math, and where floats are divided: a zero there would raise FE_DIVBYZERO or FE_INVALID. */
bool cg_fills_tails(const cg_kernel *k);
/* Does instruction i convert an index to another type under trapping math?  Then lanes beyond a
 * tail should compute what an active lane computes as well. */
bool cg_is_made_of_index(const cg_kernel *k, const cg_insn *i);

/* The cost of one call of a program: operations, and bytes of all arrays that are passed to its
 * kernels.  A loop whose trip count is only known at run time counts once, and a branch counts
 * as its more expensive side.  Where the GPU decides (lower/predicate.h) everything that is
 * launched counts: some iterations, and every side. */
void cg_module_cost(const cg_module *m, int64_t *flops, int64_t *bytes);
/* working_set.c.  The statements of the module's plans that call or copy, each with the bytes
 * that are touched before the same data may be touched again: in a step of the innermost loop
 * around it, or in a run of the plan. */
typedef void cg_working_set(void *user, const cg_insn *statement, int64_t bytes);
void cg_each_working_set(const cg_module *m, ir_arena *a, cg_working_set *visit, void *user);
/* The bytes of the arrays that are passed to a kernel, each counted once. */
int64_t cg_kernel_bytes(const cg_kernel *k);
/* The number of instructions that a compiler sees of a kernel: copies count, lanes do not. */
int64_t cg_kernel_weight(const cg_kernel *k);

#endif
