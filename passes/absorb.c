/* What a sum absorbs is not subnormal.
 *
 * 1 + e^x is 1 for all x below -18 in f32, and kernels keep subnormal numbers: e^-90 takes many
 * processors ten times as long as e^-80, and so does a sum of it.  In a sum of a constant and
 * of a function that is positive and grows with its argument (NORMAL in ir/ops.def: e^x, 2^x,
 * the logistic function), and that nothing else uses, the argument is therefore at least the
 * number from which on results are normal.  The constant is far enough from 0 to absorb the
 * result there as well as any below: the sum has the same bits.
 *
 * A derivative would differ, so that the pass belongs behind all transforms. */
#include <math.h>

#include "passes/engine.h"

/* Does adding the least normal number, or twice that, leave c unchanged? */
static bool
is_far_from_0(double c, cot_dtype t)
{
    return fabs(c) >= (t == COT_F64 ? 0x1p-960 : 0x1p-96);
}

static bool
absorbs(const ir_node *c, cot_dtype t)
{
    double x;

    return c && ir_ops[c->op].record == IR_AT_constant &&
           ir_data_number(&c->at->constant.data, &x) && is_far_from_0(x, t);
}

/* The operand of n that is such a function and is added to such a constant; -1: none. */
static int
absorbed(const ir_graph *f, const ir_node *n, const uint32_t *uses)
{
    const cot_dtype t = ir_type_at(f, n->first)->dtype;

    if (ir_ops[n->op].flag != IR_POINTWISE || ir_ops[n->op].by != IR_BY_SUM ||
        (t != COT_F32 && t != COT_F64))
        return -1;
    for (int i = 0; i < 2; i++) {
        const ir_node *e = ir_def(f, n->in[i]);
        if (e && ir_ops[e->op].normal[0] && uses[e->first] == 1 &&
            absorbs(ir_def(f, n->in[1 - i]), t))
            return i;
    }
    return -1;
}

/* A NaN stays what it is. */
static ir_ref
normal_result(ir_build *b, const ir_graph *f, const ir_node *e, const ir_ref *env)
{
    const bool wide = ir_type_at(f, e->first)->dtype == COT_F64;
    const ir_ref x = env[e->in[0]], least = ir_like(b, x, ir_ops[e->op].normal[wide]);

    return ir_op1(b, (ir_op)e->op, ir_select(b, ir_op2(b, OP_lt, x, least), least, x));
}

static void
absorb_node(ir_build *b, const ir_graph *f, const ir_node *n, const ir_ref *env,
            const ir_ref *in, ir_ref *out, const void *uses)
{
    ir_attrs at;
    int i;

    if (ir_ops[n->op].flag == IR_FLOW) {
        const cot_status status = pass_rewrite_subs(b, n, pass_absorb, &at);
        if (status != COT_OK)
            b->status = status;
        ir_add_node(b, (ir_op)n->op, n->n_in, in, &at, out);
    } else if ((i = absorbed(f, n, uses)) >= 0) {
        const ir_ref y = normal_result(b, f, ir_def(f, n->in[i]), env);
        out[0] = ir_op2(b, (ir_op)n->op, i == 0 ? y : in[0], i == 0 ? in[1] : y);
    } else {
        ir_copy_node(b, n, in, out);
    }
}

bool
pass_absorbs(const ir_graph *f)
{
    const ir_graph *const *all;
    const uint32_t graphs = ir_all_graphs(f, true, &all, f->arena);

    for (uint32_t i = 0; i < graphs; i++)
        ir_each_node (n, all[i])
            if (ir_ops[n->op].normal[0])
                return true;
    return false;
}

cot_status
pass_absorb(const ir_graph *f, ir_graph **out)
{
    return pass_rewrite_with(f, "absorb", absorb_node, ir_count_uses(f, f->arena), out);
}
