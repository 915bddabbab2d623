/* Keys as unsigned words whose order is that of the keys, for the kernels of argsort.c and
 * top.c. */
#ifndef CODEGEN_LOWER_SORT_KEYS_H
#define CODEGEN_LOWER_SORT_KEYS_H

#include "codegen/lower/level.h"

cot_dtype cg_word_type(cot_dtype key);
cg_val cg_word_of(cg_lowering *l, cg_val x, cot_dtype t);
/* Set the index of line number i along an axis: all of `at` except at[axis]. */
void cg_line_at(cg_lowering *l, const ir_type *t, int axis, cg_ix i, cg_ix *at);
/* Is 0 <= i < n?  A position that is read back from memory, or counted, is tested before
 * anything is stored at it, since the verifier cannot prove that counts of digits add up. */
cg_val cg_is_place(cg_build *b, cg_val i, int64_t n);
/* Plan a top_k of few elements; false if it selects many, which argsort.c sorts. */
bool cg_plan_top(cg_lowering *l, cg_level *v, const cg_group *g);

/* argsort_grid.c.  On a GPU, sort lines of more than CG_LOWER_MAX_SORT_ALONE elements; false:
 * argsort.c sorts them. */
bool cg_plan_sort_grid(cg_lowering *l, cg_level *v, const ir_node *n, int axis, bool top);

#endif
