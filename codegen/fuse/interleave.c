/* Concatenations: interleaves, of values of size 1 along an axis, and those of many parts. */
#include "codegen/fuse/fuse.h"
#include "codegen/tuning.h"

static const ir_node *
concatenation_of(const ir_graph *f, ir_ref v)
{
    const ir_node *n = ir_def(f, v);

    return n && n->op == OP_concatenate ? n : NULL;
}

const ir_node *
cg_interleave_of(const ir_graph *f, ir_ref v)
{
    const ir_node *n = ir_def(f, v);
    const ir_type *t = ir_type_at(f, v);
    const bool hidden = n && n->op == OP_barrier;
    while (n && n->op == OP_barrier)
        n = ir_def(f, v = n->in[0]);
    n = concatenation_of(f, v);
    if (!n || n->n_in > CG_FUSE_MAX_INTERLEAVED)
        return NULL;
    const int64_t axis = n->at->axis.axis;
    return (axis == t->rank - 1 || (axis == 0 && hidden)) && n->n_in == t->dims[axis] ? n
                                                                                      : NULL;
}

bool
cg_has_many_parts(const cg_lowering *l, const ir_graph *f, ir_ref v)
{
    const ir_node *n = concatenation_of(f, v);

    return n && n->n_in > CG_FUSE_MAX_PARTS && l->o->fuse && !l->target.grid &&
           !cg_interleave_of(f, v);
}
