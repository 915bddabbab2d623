/* What a kernel, and a whole module, costs. */
#ifndef CODEGEN_KERNEL_COST_H
#define CODEGEN_KERNEL_COST_H

#include "codegen/kernel/kernel.h"

/* Has it so many steps on floats that a compiler may keep vectors of them on the stack? */
bool cg_may_spill(const cg_kernel *k);
/* Are lanes behind the end of a tail to compute what another lane does?  Under trapping math
 * they are, else where floats are divided: a zero there raises FE_DIVBYZERO or FE_INVALID. */
bool cg_fills_tails(const cg_kernel *k);
/* So are values of other types that are made of an index, under trapping math. */
bool cg_is_made_of_index(const cg_kernel *k, const cg_insn *i);

/* Of one call of a program: operations, and bytes of all arrays that its kernels are handed.  A
 * loop whose trips only the run knows counts once, a branch as its dearer side; where the
 * device decides (lower/predicate.h), as all that is launched: some iterations, every side. */
void cg_module_cost(const cg_module *m, int64_t *flops, int64_t *bytes);

#endif
