/* Keys as unsigned words that order as they do, for the kernels of argsort.c and top.c. */
#ifndef CODEGEN_LOWER_SORT_KEYS_H
#define CODEGEN_LOWER_SORT_KEYS_H

#include "codegen/lower/level.h"

cot_dtype cg_word_type(cot_dtype key);
cg_val cg_word_of(cg_lowering *l, cg_val x, cot_dtype t);
/* The index of line number i along an axis: all of at but at[axis]. */
void cg_line_at(cg_lowering *l, const ir_type *t, int axis, cg_ix i, cg_ix *at);
/* Is 0 <= i < n?  Places that are read back from memory, or counted, are tested so before
 * anything is stored there: no proof knows that counts of digits add up. */
cg_val cg_is_place(cg_build *b, cg_val i, int64_t n);
/* The kernel of a top_k of few elements; false if it takes many, and is sorted. */
bool cg_plan_top(cg_lowering *l, cg_level *v, const cg_group *g);

/* argsort_grid.c: on a GPU, lines of more than CG_LOWER_MAX_SORT_ALONE elements; false: it is
 * for argsort.c. */
bool cg_plan_sort_grid(cg_lowering *l, cg_level *v, const ir_node *n, int axis, bool top);

#endif
