/* Views: ops that only change the index of an element. */
#ifndef CODEGEN_FUSE_VIEWS_H
#define CODEGEN_FUSE_VIEWS_H

#include "codegen/kernel/affine.h"
#include "ir/graph.h"

/* Is `at` exactly the first `want` index variables of the space? */
bool cg_is_identity(int rank, const cg_ix *at, const cg_ix *space, int want);
/* The index into operand 0 of a view (broadcast_in_dim, reshape, transpose, slice, reverse,
 * windows) for element `at` of its result. */
void cg_view_index(cg_ix_table *t, const ir_graph *f, const ir_node *n, const cg_ix *at,
                   cg_ix *to);
/* Value `via` is made of y by transposes and reshapes alone: the index in `via` of the element
 * that is at `at` in y. */
void cg_index_via(cg_ix_table *t, const ir_graph *f, ir_ref y, ir_ref via, const cg_ix *at,
                  cg_ix *to);

#endif
