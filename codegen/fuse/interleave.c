/* Interleaves: concatenations of values of size 1 along an axis. */
#include "codegen/fuse/fuse.h"
#include "codegen/tuning.h"

const ir_node *
cg_interleave_of(const ir_graph *f, ir_ref v)
{
    const ir_node *n = ir_def(f, v);
    const ir_type *t = ir_type_at(f, v);
    const bool hidden = n && n->op == OP_barrier;
    while (n && n->op == OP_barrier)
        n = ir_def(f, n->in[0]);
    if (!n || n->op != OP_concatenate || n->n_in > CG_FUSE_MAX_INTERLEAVED)
        return NULL;
    const int64_t axis = n->at->axis.axis;
    return (axis == t->rank - 1 || (axis == 0 && hidden)) && n->n_in == t->dims[axis] ? n
                                                                                      : NULL;
}
