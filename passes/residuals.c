/* Which values the known half saves for the linear half, and which are recomputed.
 *
 * A saved value costs memory, in a loop body once for each iteration.  A recomputed value costs
 * one or two instructions where it is used.  So:
 *
 *   - values that ops.def calls FREE are recomputed: constants, and a broadcast, reshape or
 *     transpose from its operand; x and broadcast(x) are never both saved;
 *   - values that it calls CHEAP are recomputed if their operands are available anyway;
 *   - values that are zero by construction are recomputed, since the linear half must see
 *     that they are zero;
 *   - all others are saved.
 *
 * An input of the function is treated like any other value: if it is wanted it is saved, which
 * copies nothing if the halves are joined or if the input outlives the loop. */
#include "passes/engine.h"

#define MAX_CHEAP_CHAIN 8 /* the longest chain of cheap ops that is recomputed */

/* A convert to a wider type is cheap as well: the narrower value is saved. */
static bool
widens(const ir_build *b, const ir_node *n)
{
    return n->op == OP_convert && cot_dtype_size(ir_btype(b, n->in[0])->dtype) <=
                                      cot_dtype_size(ir_btype(b, n->first)->dtype);
}

/* Can v be recomputed from the values in `saved`? */
static bool
at_hand(const ir_build *b, const bool *saved, ir_ref v, int depth)
{
    const ir_node *n = ir_bdef(b, v);
    if (saved[v])
        return true;
    if (!n || depth == 0)
        return false;
    if (ir_ops[n->op].cost == IR_EXPENSIVE)
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
        if (zero[v] || ir_ops[n->op].cost == IR_FREE || widens(b, n)) {
            saved[v] = false;
            for (int i = 0; i < n->n_in; i++)
                saved[n->in[i]] = true;
        }
    }
    /* In order: the operands of v are decided before v. */
    for (ir_ref v = 1; v < b->n_values; v++) {
        if (!saved[v])
            continue;
        saved[v] = false;
        saved[v] = !at_hand(b, saved, v, MAX_CHEAP_CHAIN);
    }
}
