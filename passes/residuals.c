/* What the known half saves for the linear half, and what is computed again.
 *
 * A value that is saved costs memory, once for each trip where the function is the body of a
 * loop; a value that is computed again costs an instruction or two where it is used.  So:
 *   - what ops.def calls FREE is made again: constants, and a broadcast, reshape or transpose
 *     from its operand: never x and broadcast(x);
 *   - what it calls CHEAP is made again if its operands are at hand anyway;
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

/* Can v be made from what is in `saved`? */
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
    /* In order: what v is made from was decided before v. */
    for (ir_ref v = 1; v < b->n_values; v++) {
        if (!saved[v])
            continue;
        saved[v] = false;
        saved[v] = !at_hand(b, saved, v, DEEPEST);
    }
}
