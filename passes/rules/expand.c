/* Rules of ops with an expansion and without rules of their own: the pass is applied to the
 * expansion.
 *
 * The result consists of the smaller ops, without the op itself.  An op whose derivative is
 * simpler in terms of other ops, or of itself, has a rule of its own. */
#include "ir/expand.h"

#include "passes/rules/flow.h"

static const ir_graph *
expansion(ir_build *b, const ir_graph *f, const ir_node *n)
{
    const ir_type **type = IR_NEW_N(b->arena, const ir_type *, n->n_in + 1);
    ir_expansion *x;

    for (int i = 0; i < n->n_in; i++)
        type[i] = ir_type_at(f, n->in[i]);
    if (!pass_flow_ok(b, ir_expand(b->ctx, n->loc, (ir_op)n->op, n->at, n->n_in, type, &x)))
        return NULL;
    return x->graph;
}

/* Values and tangents come from one graph, so that they share common parts. */
void
jvp_expand(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    bool *active = IR_NEW_N(b->arena, bool, n->n_in + 1),
         *varies = IR_NEW_N(b->arena, bool, n->n_out + 1);
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, 2 * n->n_in + 1),
           *z = IR_NEW_N(b->arena, ir_ref, 2 * n->n_out + 1);
    const ir_graph *g = expansion(b, f, n);
    int n_in = n->n_in, at = n->n_out;
    ir_graph *d;

    for (int i = 0; i < n->n_in; i++) {
        x[i] = in[i].val;
        active[i] = in[i].tan != IR_NONE;
        if (active[i])
            x[n_in++] = in[i].tan;
    }
    if (!g || !pass_flow_ok(b, pass_jvp_graph(g, active, varies, &d)))
        return;
    ir_inline_graph(b, d, x, z);
    for (int j = 0; j < n->n_out; j++)
        y[j] = (dual){ z[j], varies[j] ? z[at++] : IR_NONE };
}

void
transpose_expand(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
                 const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    bool *has = IR_NEW_N(b->arena, bool, n->n_out + 1);
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, n->n_in + n->n_out + 1);
    ir_ref *z = IR_NEW_N(b->arena, ir_ref, n->n_in + 1);
    const ir_graph *g = expansion(b, f, n);
    ir_graph *t;

    pass_flow_known(n, linear, in, ct, has, x);
    if (!g || !pass_flow_ok(b, pass_transpose_graph(g, linear, has, &t)))
        return;
    ir_inline_graph(b, t, x, z);
    pass_flow_give(n, linear, z, ct_in);
}

void
vmap_expand(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
            const bool *mapped, ir_ref *y, bool *out_mapped)
{
    const ir_graph *g = expansion(b, f, n);

    if (g)
        pass_vmap_into(b, g, size, 0, in, mapped, y, out_mapped);
}

/* The leading axes of every operand and result are batch axes; the mapped axis is one more of
 * them. */
void
vmap_batched(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
             const bool *mapped, ir_ref *y, bool *out_mapped)
{
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, n->n_in + 1);

    (void)f, (void)out_mapped;
    for (int i = 0; i < n->n_in; i++)
        x[i] = pass_map_operand(b, in[i], mapped[i], size);
    ir_copy_node(b, n, x, y);
}
