/* Custom functions: the forward graph, or the C code of an opaque one, example by example. */
#include "ir/custom.h"
#include "ir/diag.h"
#include "ir/eval/eval.h"

static cot_status
run_opaque(const ir_eval_args *a, void *const *out, const void *const *in)
{
    const char *name = a->at->custom.name;
    const ir_custom *c = ir_custom_find(a->ctx, name);
    if (!c || !c->run)
        return ir_fail(a->ctx, a->loc, "custom_call", ERR_custom_missing, name, "run");
    int answer = c->run(c, a->at, out, in);
    const char *why = answer && c->why ? c->why(c) : NULL;
    if (why)
        return ir_fail(a->ctx, a->loc, name, ERR_comm, why);
    return answer == 0
               ? COT_OK
               : ir_fail(a->ctx, a->loc, "custom_call", ERR_custom_failed, name, answer);
}

/* Operand bases, moved to example e, whose digits are those of the levels, the innermost
 * last. */
static void
example(const ir_eval_args *a, int64_t e, const void **in, void **out)
{
    const ir_graph *f = a->at->custom.forward;
    const ir_ints size = a->at->custom.size;
    for (int i = 0; i < a->n_in; i++) {
        int64_t rest = e, at = 0, stride = 1;
        for (int l = 0; l < size.n; l++) {
            if (ir_custom_mapped(a->at, l, i)) {
                at += rest % size.at[l] * stride;
                stride *= size.at[l];
            }
            rest /= size.at[l];
        }
        in[i] = (const char *)a->in[i] + (size_t)at * eval_bytes(ir_type_at(f, f->in[i]));
    }
    for (int j = 0; j < a->n_out; j++)
        out[j] = (char *)a->out[j] + (size_t)e * eval_bytes(ir_type_at(f, f->out[j]));
}

cot_status
eval_custom_call(const ir_eval_args *a)
{
    const ir_graph *f = a->at->custom.forward;
    const ir_ints size = a->at->custom.size;
    size_t in_bytes = sizeof(void *) * (size_t)(a->n_in + 1),
           out_bytes = sizeof(void *) * (size_t)(a->n_out + 1);
    const void **in = eval_take(a->mem, in_bytes);
    void **out = eval_take(a->mem, out_bytes);
    cot_status status = COT_OK;
    int64_t n = 1;
    for (int l = 0; l < size.n; l++)
        n *= size.at[l];
    for (int64_t e = 0; e < n && status == COT_OK; e++) {
        example(a, e, in, out);
        status = a->at->custom.opaque ? run_opaque(a, out, in) : eval_graph(a->mem, f, out, in);
    }
    eval_drop(a->mem, out, out_bytes);
    eval_drop(a->mem, in, in_bytes);
    return status;
}

cot_status
eval_none(const ir_eval_args *a)
{
    return ir_fail(a->ctx, a->loc, ir_ops[a->op].name, ERR_internal,
                   "stands outside of a derivative");
}
