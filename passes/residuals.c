/* What the known half saves for the linear half, and what is computed again.
 *
 * A value that is saved costs memory, once for each trip where the function is the body of a
 * loop; a value that is computed again costs an instruction or two where it is used.  So:
 *   - constants are made again;
 *   - a broadcast, reshape or transpose is made again from its operand: never x and
 * broadcast(x);
 *   - a cheap pointwise op, or a slice, is made again if its operands are at hand anyway;
 *   - what is zero by its making is made again: the linear half must see that it is no second
 * term;
 *   - everything else is saved.
 * An input of the function counts as anything else: saved if it is wanted, which copies nothing
 * where the halves are joined or the input outlives the loop. */
#include "passes/engine.h"

#define DEEPEST 8 /* cheap ops in a row that are computed again */

/* A convert from a type no wider is one too: the narrower one is saved. */
static bool
widens(const ir_build *b, const ir_node *n)
{
    return n->op == OP_convert && cot_dtype_size(ir_btype(b, n->in[0])->dtype) <=
                                      cot_dtype_size(ir_btype(b, n->first)->dtype);
}

static bool
is_view(ir_op op)
{
    return op == OP_broadcast_in_dim || op == OP_reshape || op == OP_transpose;
}

bool
pass_is_cheap(ir_op op)
{
    switch (op) {
    case OP_neg:
    case OP_abs:
    case OP_sign:
    case OP_is_finite:
    case OP_not:
    case OP_convert:
    case OP_bitcast:
    case OP_stop_gradient:
    case OP_barrier:
    case OP_integer_pow:
    case OP_add:
    case OP_sub:
    case OP_mul:
    case OP_max:
    case OP_min:
    case OP_and:
    case OP_or:
    case OP_xor:
    case OP_eq:
    case OP_ne:
    case OP_lt:
    case OP_le:
    case OP_gt:
    case OP_ge:
    case OP_fma:
    case OP_select:
    case OP_clamp:
    case OP_slice:
    case OP_windows:
    case OP_reverse: return true;
    default: return is_view(op);
    }
}

/* Can v be made from what is in `saved`? */
static bool
at_hand(const ir_build *b, const bool *saved, ir_ref v, int depth)
{
    const ir_node *n = ir_bdef(b, v);
    if (saved[v])
        return true;
    if (!n || depth == 0)
        return false;
    if (n->op == OP_constant || n->op == OP_iota)
        return true;
    if (!pass_is_cheap((ir_op)n->op))
        return false;
    for (int i = 0; i < n->n_in; i++)
        if (!at_hand(b, saved, n->in[i], depth - 1))
            return false;
    return true;
}

void
pass_choose_residuals(const ir_build *b, bool *saved)
{
    const bool *zero = pass_zeros(b->arena, b->node, b->n_nodes, b->value, b->n_values);
    for (ir_ref v = b->n_values - 1; v > 0; v--) {
        const ir_node *n = ir_bdef(b, v);
        if (!saved[v] || !n)
            continue;
        if (zero[v] || is_view((ir_op)n->op) || widens(b, n)) {
            saved[v] = false;
            for (int i = 0; i < n->n_in; i++)
                saved[n->in[i]] = true;
        }
    }
    /* In order: what v is made from was decided before v. */
    for (ir_ref v = 1; v < b->n_values; v++) {
        if (!saved[v])
            continue;
        saved[v] = false;
        saved[v] = !at_hand(b, saved, v, DEEPEST);
    }
}
