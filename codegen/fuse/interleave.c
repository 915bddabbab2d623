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

/* How many operands of concatenation n one kernel may compute.  Those along rows are parts of
 * the loop over a row (index_split.h), whose stores are adjacent: a kernel for each operand
 * would store to a part of every row. */
static int
most_parts(const ir_graph *f, const ir_node *n)
{
    const ir_type *t = ir_type_at(f, n->first);

    return n->at->axis.axis == t->rank - 1 && t->rank > 1 && t->size > t->dims[t->rank - 1]
               ? CG_FUSE_MAX_ROW_PARTS
               : CG_FUSE_MAX_PARTS;
}

bool
cg_has_many_parts(const cg_lowering *l, const ir_graph *f, ir_ref v)
{
    const ir_node *n = concatenation_of(f, v);

    return n && n->n_in > most_parts(f, n) && l->o->fuse && !l->target.grid &&
           !cg_interleave_of(f, v);
}
