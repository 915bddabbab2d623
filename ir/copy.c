/* Copying nodes of a graph, or all of them, into a builder; and their locations. */
#include "ir/build.h"

ir_loc
ir_build_loc(const ir_build *b, ir_ref v)
{
    return b->value[v].node ? b->node[b->value[v].node].loc : b->follows ? b->value_loc[v] : 0;
}

int
ir_copy_node(ir_build *b, const ir_node *n, const ir_ref *in, ir_ref *out)
{
    return ir_add_node(b, (ir_op)n->op, n->n_in, in, n->at, out);
}

void
ir_copy_mapped(ir_build *b, const ir_node *n, ir_ref *at)
{
    ir_ref *in = IR_NEW_N(b->work, ir_ref, n->n_in + 1);

    for (int i = 0; i < n->n_in; i++)
        in[i] = at[n->in[i]];
    b->loc = n->loc;
    ir_copy_node(b, n, in, at + n->first);
}

ir_loc
ir_loc_inside(const ir_build *b, ir_loc loc, ir_loc around)
{
    if (!b->follows || ir_loc_is_marked(b->ctx, loc))
        return loc;
    return ir_loc_join(b->ctx, loc, around);
}

void
ir_inline_graph(ir_build *b, const ir_graph *f, const ir_ref *in, ir_ref *out)
{
    ir_ref *map = IR_NEW_N(b->work, ir_ref, f->n_values);
    ir_loc loc = b->loc;
    b->uncontracted |= f->uncontracted;
    b->guarded |= f->guarded;
    b->contracted |= f->contracted;
    for (int i = 0; i < f->n_in; i++)
        map[f->in[i]] = in[i];
    ir_each_node (n, f) {
        ir_ref *operand = IR_NEW_N(b->work, ir_ref, n->n_in + 1);

        for (int i = 0; i < n->n_in; i++)
            operand[i] = map[n->in[i]];
        b->loc = ir_loc_inside(b, n->loc, loc);
        ir_copy_node(b, n, operand, map + n->first);
    }
    b->loc = loc;
    for (int i = 0; i < f->n_out; i++)
        out[i] = map[f->out[i]];
}
