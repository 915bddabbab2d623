/* Windows of gather and scatter, and boxes of dynamic slices, as index expressions. */
#ifndef CODEGEN_LOWER_INDEX_H
#define CODEGEN_LOWER_INDEX_H

#include "codegen/elemental/element.h"

typedef struct cg_windows {
    /* type of the operand */
    const ir_type *x;
    /* the index vectors, along the last axis */
    ir_ref y;
    /* outer: offset_dims, window_dims */
    ir_ints thin, operand_batch, indices_batch, index_map, outer;
    int mode;
    /* windows are known to be inside: indices are not clamped */
    bool known;
    /* of the window, on each axis of x */
    int64_t size[COT_MAX_RANK];
} cg_windows;

cg_windows cg_scatter_windows(const ir_graph *f, const ir_node *n);
/* The index of the operand for index `at` of the result of a gather, or of the updates of a
 * scatter (of that rank).  *inside: is the window inside the operand, so that it is not left
 * out? (0: always).  Returns false if no window fits. */
bool cg_window_at(cg_lowering *l, cg_frame *fr, const cg_windows *w, const cg_ix *at, int rank,
                  cg_ix *to, cg_val *inside);
/* The clamped starts of a box of that size in operand 0, from operands from, from + 1, ... of
 * n. */
void cg_box_starts(cg_lowering *l, cg_frame *fr, const ir_node *n, int from,
                   const int64_t *sizes, cg_ix *start);
cg_val cg_scatter_combine(cg_lowering *l, ir_combine by, cot_dtype t, cg_val old,
                          cg_val update);

#endif
