/* Removing in-place writes and views.
 *
 * One walk in order.  A clone is a base: what it holds at the moment is a value of the new
 * graph, and a write replaces that value.  A view is a lens on what it shows (lens.c): a write
 * to it is a put into its operand, and so on down to the base; whoever reads it gets it from
 * the base of that moment.  So every alias sees every write, in both directions, and what is
 * left is pure.  An in/out argument is read at the end, once: its new value is a result.
 *
 * remove=mutations keeps the views as the pure ops that they are now; mutations_and_views
 * leaves their copying twins.  A graph without either is answered as it stands.
 *
 * Source: functionalization in PyTorch (torch.func.functionalize), with the bases explicit. */
#include "passes/engine.h"
#include "passes/lens.h"

typedef struct writes {
    ir_build *b;
    const ir_graph *f;
    bool keep;   /* the views */
    ir_ref *now; /* by value of f: what it holds; of a view of a clone: unused         */
    ir_ref **in; /* of a view of a clone: its operands, all but the first as they were */
} writes;

/* The node of v if v is a view of something that can be written. */
static const ir_node *
view_of_mutable(const ir_graph *f, ir_ref v)
{
    const ir_node *n = ir_def(f, v), *base = n;

    while (base && ir_is_view(base->op))
        base = ir_def(f, base->in[0]);
    return n && ir_is_view(n->op) && base && base->op == OP_clone ? n : NULL;
}

static ir_ref read_value(writes *w, ir_ref v);

/* The operands of a view, with what its base holds now. */
static const ir_ref *
operands(writes *w, const ir_node *view)
{
    w->in[view->first][0] = read_value(w, view->in[0]);
    return w->in[view->first];
}

static ir_ref
read_value(writes *w, ir_ref v)
{
    const ir_node *view = view_of_mutable(w->f, v);

    return view ? pass_lens_get(w->b, view, operands(w, view), w->keep) : w->now[v];
}

static void
write_value(writes *w, ir_ref v, ir_ref y)
{
    const ir_node *view = view_of_mutable(w->f, v);

    if (view)
        write_value(w, view->in[0], pass_lens_put(w->b, view, operands(w, view), y));
    else
        w->now[v] = y;
}

static cot_status
without_mutations(const ir_graph *f, ir_graph **out)
{
    return pass_functionalize(f, false, out);
}

static cot_status
without_views(const ir_graph *f, ir_graph **out)
{
    return pass_functionalize(f, true, out);
}

static void
visit(writes *w, const ir_node *n)
{
    const bool lens = view_of_mutable(w->f, n->first) != NULL;
    ir_ref *in = IR_NEW_N(w->b->arena, ir_ref, n->n_in + 1), *y = w->now + n->first;

    w->b->loc = n->loc;
    for (int i = lens || n->op == OP_assign; i < n->n_in; i++)
        in[i] = read_value(w, n->in[i]);
    w->in[n->first] = in;
    if (lens)
        return;
    if (n->op == OP_clone) {
        y[0] = in[0];
    } else if (n->op == OP_assign) {
        y[0] = in[1];
        write_value(w, n->in[0], in[1]);
    } else if (ir_is_view(n->op)) {
        y[0] = pass_lens_get(w->b, n, in, w->keep);
    } else if (ir_ops[n->op].flag == IR_FLOW) {
        ir_attrs at;
        cot_status s =
            pass_rewrite_subs(w->b, n, w->keep ? without_mutations : without_views, &at);
        if (s != COT_OK)
            w->b->status = s;
        else
            ir_add_node(w->b, (ir_op)n->op, n->n_in, in, &at, y);
    } else {
        ir_copy_node(w->b, n, in, y);
    }
}

cot_status
pass_functionalize(const ir_graph *f, bool views, ir_graph **out)
{
    *out = (ir_graph *)f;
    if (!f->mutates && !(views && f->views))
        return COT_OK;
    ir_build *b = ir_build_new(f->ctx, f->name);
    writes w = { b, f, !views, IR_NEW_N(b->arena, ir_ref, f->n_values),
                 IR_NEW_N(b->arena, ir_ref *, f->n_values) };
    for (int i = 0; i < f->n_in; i++)
        w.now[f->in[i]] = ir_input_like(b, f, f->in[i], "");
    ir_each_node (n, f)
        if (b->status == COT_OK)
            visit(&w, n);
    for (int j = 0; j < f->n_out && b->status == COT_OK; j++)
        pass_output(b, f, j, read_value(&w, f->out[j]), "");
    for (int k = 0; k < f->n_inout; k++)
        ir_inout_arg(b, f->inout[k].arg, f->inout[k].loc);
    return pass_end(b, "functionalize", out);
}
