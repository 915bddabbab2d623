/* Views: ops that change the index of an element, and nothing else. */
#ifndef CODEGEN_FUSE_VIEWS_H
#define CODEGEN_FUSE_VIEWS_H

#include "codegen/kernel/affine.h"
#include "ir/graph.h"

/* Is this index the axes 0 ... of the space, one by one? */
bool cg_is_identity(int rank, const cg_ix *at, const cg_ix *space, int want);
/* The index into operand 0 of a view op (broadcast_in_dim, reshape, transpose, slice, reverse,
 * windows). */
void cg_view_index(cg_ix_table *t, const ir_graph *f, const ir_node *n, const cg_ix *at,
                   cg_ix *to);
/* The index of value `via`, made of y by transposes and reshapes alone, at which element `at`
 * of y is. */
void cg_index_via(cg_ix_table *t, const ir_graph *f, ir_ref y, ir_ref via, const cg_ix *at,
                  cg_ix *to);

#endif
