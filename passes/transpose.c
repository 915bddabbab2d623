/* Running a linear function backwards.
 *
 * If y = A x, then a cotangent c of y gives A'c of x.  One walk against the order: each linear
 * node turns the cotangents of its results into cotangents of its linear operands, by the rule
 * named in ops.def; a value that was used several times collects the sum.  Nodes that do not
 * depend on a linear input are computed forward first.  A cotangent that is structurally zero
 * is never built.
 *
 * Wants: linear in the inputs named (pass_check_linear).  Source: as linearize.c. */
#include "passes/engine.h"

typedef struct backward {
    ir_build *b;
    const ir_graph *f;
    bool *lin;        /* by value: depends on a linear input */
    ir_ref *val, *ct; /* by value: if not linear; if linear  */
    bool loop;        /* f is the body of one                */
} backward;

static void
mark_linear(backward *w, const bool *linear)
{
    for (int i = 0; i < w->f->n_in; i++)
        w->lin[w->f->in[i]] = linear[i];
    ir_each_node (n, w->f) {
        bool lin = false;
        for (int i = 0; i < n->n_in; i++)
            lin |= w->lin[n->in[i]];
        for (int i = 0; i < n->n_out; i++)
            w->lin[n->first + (ir_ref)i] = lin;
    }
}

/* A few elements of a long value, side by side, at a place that is known. */
static bool
is_small_slice(const ir_graph *f, const ir_node *n)
{
    if (n->op != OP_slice || ir_is_half(ir_type_at(f, n->first)->dtype) ||
        8 * ir_type_at(f, n->first)->size > ir_type_at(f, n->in[0])->size)
        return false;
    for (int i = 0; i < n->at.slice.stride.n; i++)
        if (n->at.slice.stride.at[i] != 1)
            return false;
    return true;
}

/* ct where the slice was taken from: in a loop that place alone is then added to, as a pad
 * would not be. */
static ir_ref
put_back(ir_build *b, const ir_graph *f, const ir_node *n, ir_ref ct)
{
    const ir_ints start = n->at.slice.start;
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, start.n + 2);
    in[0] = ir_zeros(b, ir_type_at(f, n->in[0]));
    in[1] = ct;
    for (int i = 0; i < start.n; i++)
        in[2 + i] = ir_splat_int(b, ir_scalar_type(b->ctx, COT_I64), start.at[i]);
    return ir_node1(b, OP_dynamic_update_slice, start.n + 2, in, NULL);
}

static void
run_backward(backward *w, const ir_node *n)
{
    ir_arena *a = w->b->arena;
    bool any = false, *linear = IR_NEW_N(a, bool, n->n_in + 1);
    ir_ref *in = IR_NEW_N(a, ir_ref, n->n_in + 1), *ct_in = IR_NEW_N(a, ir_ref, n->n_in + 1);
    for (int j = 0; j < n->n_out; j++)
        any |= w->ct[n->first + (ir_ref)j] != IR_NONE;
    if (!any)
        return;
    for (int i = 0; i < n->n_in; i++) {
        linear[i] = w->lin[n->in[i]];
        in[i] = linear[i] ? IR_NONE : w->val[n->in[i]];
    }
    w->b->loc = n->loc;
    if (w->loop && is_small_slice(w->f, n))
        ct_in[0] = put_back(w->b, w->f, n, w->ct[n->first]);
    else
        transpose_rules[n->op](w->b, w->f, n, linear, in, w->ct + n->first, ct_in);
    for (int i = 0; i < n->n_in; i++)
        if (linear[i])
            w->ct[n->in[i]] = pass_accumulate(w->b, w->ct[n->in[i]], ct_in[i]);
}

static cot_status
transposed(const ir_graph *f, bool loop, const bool *linear, const bool *has_ct, ir_graph **out)
{
    backward w = { .b = pass_begin(f, "transpose"), .f = f, .loop = loop };
    w.lin = IR_NEW_N(w.b->arena, bool, f->n_values);
    w.val = IR_NEW_N(w.b->arena, ir_ref, f->n_values);
    w.ct = IR_NEW_N(w.b->arena, ir_ref, f->n_values);
    mark_linear(&w, linear);
    for (int i = 0; i < f->n_in; i++)
        if (!linear[i])
            w.val[f->in[i]] = ir_input_like(w.b, f, f->in[i], "");
    for (int j = 0; j < f->n_out; j++) {
        const ir_ref y = f->out[j];
        if (!has_ct[j])
            continue;
        ir_ref ct = ir_input(w.b, ir_type_at(f, y), "ct");
        if (w.lin[y])
            w.ct[y] = tan_add(w.b, w.ct[y], ct);
    }
    ir_each_node (n, f)
        if (n->n_out > 0 && !w.lin[n->first])
            ir_copy_mapped(w.b, n, w.val);
    for (uint32_t i = f->n_nodes - 1; i > 0 && w.b->status == COT_OK; i--)
        if (f->node[i].n_out > 0 && w.lin[f->node[i].first])
            run_backward(&w, &f->node[i]);
    w.b->loc = 0;
    for (int i = 0; i < f->n_in; i++)
        if (linear[i])
            ir_output(w.b, w.ct[f->in[i]] ? w.ct[f->in[i]]
                                          : pass_zeros_like(w.b, ir_type_at(f, f->in[i])));
    return pass_end(w.b, "transpose", out);
}

cot_status
pass_transpose_graph(const ir_graph *f, const bool *linear, const bool *has_ct, ir_graph **out)
{
    return transposed(f, false, linear, has_ct, out);
}

cot_status
pass_transpose_body(const ir_graph *f, const bool *linear, const bool *has_ct, ir_graph **out)
{
    return transposed(f, true, linear, has_ct, out);
}
