/* Which functions are linear: checks the result of linearize.
 *
 * The transpose column of ops.def says in which operands an op is linear.  A constant term is
 * accepted if it is zero by construction. */
#include "passes/engine.h"

#include "ir/diag.h"

static bool
is_never_linear(const ir_node *n)
{
    return transpose_rules[n->op] == transpose_never;
}

static bool
is_zero_data(const ir_data *d)
{
    const unsigned char *byte = d->bytes;
    if (!d->splat && d->n > 0)
        return false;
    for (size_t i = 0, size = cot_dtype_size(ir_part_type(d->type->dtype)); i < d->n; i++)
        if (byte[i] && !(byte[i] == 0x80 && i % size == size - 1)) /* -0 is zero, too */
            return false;
    return true;
}

static bool
makes_zero(const ir_node *n, const ir_value *value, const bool *zero)
{
    if (ir_ops[n->op].record == IR_AT_constant)
        return is_zero_data(&n->at->constant.data);
    if (is_never_linear(n) || ir_ops[n->op].flag == IR_FLOW)
        return false;
    int zeros = 0, others = 0;
    for (int i = 0; i < n->n_in; i++) {
        zeros += zero[n->in[i]];
        others += !zero[n->in[i]] && ir_is_inexact(value[n->in[i]].type->dtype);
    }
    switch (ir_ops[n->op].linear) {
    case IR_LINEAR_JOINTLY: return zeros > 0 && others == 0;
    case IR_LINEAR_FIRST: return zero[n->in[0]];
    case IR_LINEAR_SECOND: return zero[n->in[1]];
    case IR_LINEAR_EITHER: return zero[n->in[0]] || zero[n->in[1]];
    case IR_LINEAR_FMA: return (zero[n->in[0]] || zero[n->in[1]]) && zero[n->in[2]];
    }
    return false;
}

const bool *
pass_zeros(ir_arena *a, const ir_node *node, uint32_t n_nodes, const ir_value *value,
           uint32_t n_values)
{
    bool *zero = IR_NEW_N(a, bool, n_values);
    for (const ir_node *n = node + 1; n < node + n_nodes; n++) {
        const bool is = n->n_out == 1 && ir_is_inexact(value[n->first].type->dtype) &&
                        makes_zero(n, value, zero);
        if (is)
            zero[n->first] = true;
    }
    return zero;
}

static bool
node_is_linear(const ir_graph *f, const ir_node *n, const bool *lin, const bool *zero)
{
    int linear = 0, other = 0;
    if (is_never_linear(n) || ir_ops[n->op].flag == IR_FLOW)
        return !is_never_linear(n); /* bodies are checked when they are split */
    for (int i = 0; i < n->n_in; i++) {
        linear += lin[n->in[i]];
        other += !lin[n->in[i]] && ir_is_floating(f, n->in[i]) && !zero[n->in[i]];
    }
    switch (ir_ops[n->op].linear) {
    case IR_LINEAR_JOINTLY: return other == 0 && !(n->op == OP_select && lin[n->in[0]]);
    case IR_LINEAR_FIRST: return lin[n->in[0]] && linear == 1;
    case IR_LINEAR_SECOND: return lin[n->in[1]] && linear == 1;
    case IR_LINEAR_EITHER: return !(lin[n->in[0]] && lin[n->in[1]]) && linear == 1;
    case IR_LINEAR_FMA:
        if ((lin[n->in[0]] || lin[n->in[1]]) && !lin[n->in[2]] && !zero[n->in[2]])
            return false;
        return !(lin[n->in[0]] && lin[n->in[1]]);
    }
    return false;
}

const ir_node *
pass_find_nonlinear(const ir_graph *f, const bool *linear)
{
    const bool *zero = pass_zeros(f->arena, f->node, f->n_nodes, f->value, f->n_values);
    bool *lin = IR_NEW_N(f->arena, bool, f->n_values);
    for (int i = 0; i < f->n_in; i++)
        lin[f->in[i]] = linear[i];
    ir_each_node (n, f) {
        bool varies = false;
        for (int i = 0; i < n->n_in; i++)
            varies |= lin[n->in[i]];
        if (varies && !node_is_linear(f, n, lin, zero))
            return n;
        for (int i = 0; i < n->n_out; i++)
            lin[n->first + (ir_ref)i] = varies && ir_is_floating(f, n->first + (ir_ref)i);
    }
    return NULL;
}

cot_status
pass_check_linear(const ir_graph *f, const bool *linear)
{
    const ir_node *n = pass_find_nonlinear(f, linear);
    return n ? ir_fail(f->ctx, n->loc, ir_ops[n->op].name, ERR_not_linear) : COT_OK;
}
