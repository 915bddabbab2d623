/* The first NaN of a run: the evaluator is watched, node by node. */
#include "runtime/trap.h"

#include <math.h>

#include "ir/diag.h"
#include "runtime/values.h"

static const char *
number_text(ir_arena *a, double x)
{
    return isnan(x) ? "nan" : ir_format(a, "%.9g", x);
}

const char *
rt_op_text(ir_arena *a, const ir_node *n, int n_in, const double *in, double out)
{
    const char *text = ir_ops[n->op].name;

    if (n_in == 0)
        return ir_format(a, "a result of %s is %s", text, number_text(a, out));
    for (int i = 0; i < n_in; i++)
        text = ir_format(a, "%s%s%s", text, i ? ", " : "(", number_text(a, in[i]));
    return ir_format(a, "%s) is %s", text, number_text(a, out));
}

static cot_status
fail_at(const ir_graph *f, const ir_node *n, const void *const *in, int64_t i)
{
    ir_arena *a = &f->ctx->message_arena;
    double x[3];
    int k = 0;

    for (; ir_ops[n->op].flag == IR_POINTWISE && k < n->n_in && k < 3; k++)
        x[k] = rt_number(ir_type_at(f, n->in[k]), in[k], i);
    return ir_fail(f->ctx, n->loc, ir_ops[n->op].name, ERR_trap,
                   ir_format(a, "%s, and no operand is", rt_op_text(a, n, k, x, NAN)));
}

static cot_status
trap_node(void *user, const ir_graph *f, const ir_node *n, int depth, const void *const *in,
          void *const *out)
{
    (void)user, (void)depth;
    for (int j = 0; j < n->n_out; j++) {
        const int64_t i = rt_find_nan(ir_type_at(f, n->first + (ir_ref)j), out[j]);
        bool given = i < 0 || n->n_in == 0;
        for (int k = 0; k < n->n_in && !given; k++)
            given = rt_find_nan(ir_type_at(f, n->in[k]), in[k]) >= 0;
        if (!given)
            return fail_at(f, n, in, i);
    }
    return COT_OK;
}

cot_status
rt_eval(const ir_graph *f, void *const *out, const void *const *in)
{
    const ir_watch watch = { trap_node, NULL };

    if (!f->ctx->config.trap)
        return ir_eval(f, out, in);
    for (int i = 0; i < f->n_in; i++)
        if (rt_find_nan(ir_type_at(f, f->in[i]), in[i]) >= 0)
            return ir_fail(f->ctx, 0, f->name, ERR_trap,
                           ir_format(&f->ctx->message_arena, "argument %d has a NaN", i));
    return ir_eval_watched(f, out, in, &watch);
}
