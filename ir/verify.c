/* Every invariant of a graph, checked from scratch: numbering, order of definition, arity, and
 * that inference still gives the types that stand there.  Runs after each pass when asked. */
#include "ir/build.h"

static cot_status
broken(cot_context *ctx, const ir_node *n, const char *after, const char *what)
{
    return ir_fail(ctx, n ? n->loc : 0, n ? ir_ops[n->op].name : NULL, ERR_verify, after, what);
}

static const char *
node_fault(const ir_graph *f, const ir_node *n, ir_build *probe)
{
    const ir_type **in = IR_NEW_N(probe->arena, const ir_type *, n->n_in + 1);
    const ir_type **out = IR_NEW_N(probe->arena, const ir_type *, n->n_out + 1);
    if (n->op == OP_none || n->op >= OP_COUNT)
        return "the op is not in the table";
    if (ir_ops[n->op].n_in >= 0 && n->n_in != ir_ops[n->op].n_in)
        return "wrong number of operands";
    if (n->first == 0 || n->first + (ir_ref)n->n_out > f->n_values)
        return "results are outside the values";
    for (int i = 0; i < n->n_in; i++) {
        if (n->in[i] == 0 || n->in[i] >= n->first)
            return "an operand is not defined before its use";
        in[i] = f->value[n->in[i]].type;
    }
    probe->loc = n->loc;
    if (ir_infer(probe, (ir_op)n->op, n->n_in, in, n->at, out, n->n_out) != n->n_out)
        return "inference fails";
    for (int i = 0; i < n->n_out; i++) {
        if (f->value[n->first + (ir_ref)i].type != out[i])
            return "a result's type is not the inferred one";
        if (&f->node[f->value[n->first + (ir_ref)i].node] != n)
            return "a result does not name its node";
    }
    return NULL;
}

/* One graph without its sub-functions. */
static cot_status
verify_one(cot_context *ctx, const ir_graph *f, const char *after, ir_build *probe)
{
    ir_ref next = (ir_ref)f->n_in + 1;

    for (int i = 0; i < f->n_in; i++)
        if (f->in[i] != (ir_ref)i + 1 || f->value[f->in[i]].node)
            return broken(ctx, NULL, after, "an input is not numbered in order");
    ir_each_node(n, f) {
        const char *fault =
            n->first == next ? node_fault(f, n, probe) : "results are not numbered in order";
        if (fault)
            return broken(ctx, n, after, fault);
        next += (ir_ref)n->n_out;
    }
    for (int k = 0; k < f->n_inout; k++) {
        const ir_inout *x = f->inout;
        if (x[k].arg < 0 || x[k].arg >= f->n_in || (k > 0 && x[k].arg <= x[k - 1].arg) ||
            f->n_inout > f->n_out ||
            f->value[f->out[f->n_out - f->n_inout + k]].type != f->value[f->in[x[k].arg]].type)
            return broken(ctx, NULL, after, "an in/out argument has no result of its type");
    }
    for (int i = 0; i < f->n_out; i++)
        if (f->out[i] == 0 || f->out[i] >= f->n_values)
            return broken(ctx, NULL, after, "an output is not a value");
    return COT_OK;
}

cot_status
ir_verify(cot_context *ctx, const ir_graph *f, const char *after)
{
    ir_build *probe = ir_build_new(ctx, "verify");
    const ir_graph *const *all;
    const uint32_t n = ir_all_graphs(f, true, &all, probe->arena);
    cot_status status = COT_OK;

    for (uint32_t i = 0; i < n && status == COT_OK; i++)
        status = verify_one(ctx, all[i], after, probe);
    ir_build_drop(probe);
    return status;
}
