/* Views: ops that only change the index of an element. */
#include "codegen/fuse/views.h"

/* A reshape that only adds or drops axes of size 1: every other axis keeps its index. */
static bool
same_but_ones(const ir_type *x, const ir_type *y, const cg_ix *at, cg_ix *to)
{
    int k = 0;

    for (int i = 0; i < x->rank; i++) {
        to[i] = 0;
        if (x->dims[i] == 1)
            continue;
        while (k < y->rank && y->dims[k] == 1)
            k++;
        if (k == y->rank || y->dims[k] != x->dims[i])
            return false;
        to[i] = at[k++];
    }
    return true;
}

void
cg_view_index(cg_ix_table *t, const ir_graph *f, const ir_node *n, const cg_ix *at, cg_ix *to)
{
    const ir_type *x = ir_type_at(f, n->in[0]), *y = ir_type_at(f, n->first);
    switch (n->op) {
    case OP_broadcast_in_dim:
        for (int k = 0; k < x->rank; k++)
            to[k] = x->dims[k] == 1 ? 0 : at[n->at->broadcast.dims.at[k]];
        break;
    case OP_reshape:
        if (x->rank > 0 && !same_but_ones(x, y, at, to))
            cg_ix_split(t, cg_ix_flat(t, y->rank, y->dims, at), x->rank, x->dims, to);
        break;
    case OP_transpose:
        for (int k = 0; k < y->rank; k++)
            to[n->at->perm.perm.at[k]] = at[k];
        break;
    case OP_slice:
        for (int k = 0; k < y->rank; k++)
            to[k] = cg_ix_addc(t, cg_ix_mul(t, at[k], n->at->slice.stride.at[k]),
                               n->at->slice.start.at[k]);
        break;
    case OP_windows:
        memcpy(to, at, sizeof *at * (size_t)x->rank);
        to[n->at->windows.axis] =
            cg_ix_add(t, cg_ix_mul(t, at[n->at->windows.axis], n->at->windows.stride),
                      cg_ix_mul(t, at[x->rank], n->at->windows.dilation));
        break;
    default: /* reverse */
        for (int k = 0; k < y->rank; k++)
            to[k] = ir_axes_has(n->at->axes.axes, k)
                        ? cg_ix_addc(t, cg_ix_mul(t, at[k], -1), y->dims[k] - 1)
                        : at[k];
        break;
    }
}

void
cg_index_via(cg_ix_table *t, const ir_graph *f, ir_ref y, ir_ref via, const cg_ix *at,
             cg_ix *to)
{
    const ir_type *x, *z = ir_type_at(f, via);
    cg_ix from[COT_MAX_RANK];
    if (via == y) {
        memcpy(to, at, sizeof *at * (size_t)z->rank);
        return;
    }
    const ir_node *n = ir_def(f, via);
    x = ir_type_at(f, n->in[0]);
    cg_index_via(t, f, y, n->in[0], at, from);
    if (n->op == OP_reshape)
        cg_ix_split(t, cg_ix_flat(t, x->rank, x->dims, from), z->rank, z->dims, to);
    else
        for (int k = 0; k < z->rank; k++)
            to[k] = from[n->at->perm.perm.at[k]];
}

bool
cg_is_identity(int rank, const cg_ix *at, const cg_ix *space, int want)
{
    return rank == want && (rank == 0 || memcmp(at, space, sizeof *at * (size_t)rank) == 0);
}
