/* Removes in-place writes and views.
 *
 * In one walk in order, each clone is a base: its current contents are a value of the new
 * graph, and a write replaces that value.  A view is a lens on its operand (lens.c): a write to
 * it is a put into the operand, and so on down to the base; a read gets the current contents
 * through the base.  So every alias sees every write, in both directions, and the result is
 * pure.  An in/out argument is read once, at the end: its new value is a result.
 *
 * remove=mutations keeps the views, which are pure ops now; mutations_and_views replaces them
 * by the ops that copy.  A graph without either is returned unchanged.
 *
 * Source: functionalization in PyTorch (torch.func.functionalize), with explicit bases. */
#include "passes/engine.h"
#include "passes/lens.h"

typedef struct writes {
    ir_build *b;
    const ir_graph *f;
    bool keep;   /* keeps the views */
    bool *view;  /* by value of f: is it a view of a clone? */
    ir_ref *now; /* by value of f: its current contents; for a view of a clone: unused */
    ir_ref **in; /* for a view of a clone: its operands; all but the first keep their value */
} writes;

/* The node of v if v is a view of a value that can be written; otherwise NULL. */
static const ir_node *
view_of_mutable(const writes *w, ir_ref v)
{
    return w->view[v] ? ir_def(w->f, v) : NULL;
}

static void
find_views(writes *w)
{
    ir_each_node (n, w->f) {
        const ir_node *base = ir_is_alias(n->op) ? ir_def(w->f, n->in[0]) : NULL;
        if (base && (base->op == OP_clone || w->view[n->in[0]]))
            w->view[n->first] = true;
    }
}

/* The views from v down to *base, which they show; returns how many.  Each gets the current
 * contents of its operand. */
static uint32_t
look_through(writes *w, ir_ref v, const ir_node ***views, ir_ref *base)
{
    uint32_t n = 0, cap = 0;
    const ir_node **list = NULL, *view;

    for (; (view = view_of_mutable(w, v)) != NULL; v = view->in[0])
        IR_PUSH(w->b->arena, list, n, cap, view);
    ir_ref now = w->now[v];
    for (uint32_t k = n; k-- > 0;) {
        w->in[list[k]->first][0] = now;
        if (k > 0)
            now = pass_lens_get(w->b, list[k], w->in[list[k]->first], w->keep);
    }
    *views = list;
    *base = v;
    return n;
}

static ir_ref
read_value(writes *w, ir_ref v)
{
    const ir_node **view;
    ir_ref base;

    if (look_through(w, v, &view, &base) == 0)
        return w->now[v];
    return pass_lens_get(w->b, view[0], w->in[v], w->keep);
}

static void
write_value(writes *w, ir_ref v, ir_ref y)
{
    const ir_node **view;
    ir_ref base;
    const uint32_t n = look_through(w, v, &view, &base);

    for (uint32_t k = 0; k < n; k++)
        y = pass_lens_put(w->b, view[k], w->in[view[k]->first], y);
    w->now[base] = y;
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
    const bool lens = view_of_mutable(w, n->first) != NULL;
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
    } else if (ir_is_alias(n->op)) {
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
    ir_build *b = ir_build_like(f, f->name);
    writes w = { b,
                 f,
                 !views,
                 IR_NEW_N(b->arena, bool, f->n_values + 1),
                 IR_NEW_N(b->arena, ir_ref, f->n_values),
                 IR_NEW_N(b->arena, ir_ref *, f->n_values) };
    find_views(&w);
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
