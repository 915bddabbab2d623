/* Unrolls short loops over large arrays.
 *
 * An elementwise scan of a few steps reads and writes its carries once in each step.  Unrolled,
 * its steps are one chain, which fuses with the ops around it, and values that depend only on
 * the step (tables of rotations, counters) become constants.  An example are the rounds of a
 * counter-based generator in programs from JAX. Loops with small carries stay loops, since they
 * run in registers.
 *
 * The pass comes after contraction, which must not see more products and sums because of it: no
 * bit changes. */
#include "passes/engine.h"

enum { MAX_STEPS = 8, MAX_NODES = 600, MIN_SIZE = 4096 };

static bool
is_elementwise(const ir_graph *g)
{
    ir_each_node(n, g)
        if (ir_ops[n->op].flag != IR_POINTWISE && ir_ops[n->op].flag != IR_MOVE)
            return false;
    return !g->effectful;
}

static bool
is_worth_it(const ir_graph *f, const ir_node *n)
{
    const ir_graph *body = n->op == OP_scan ? n->at->scan.body : NULL;
    const int64_t steps = body ? n->at->scan.length : 0;
    int64_t largest = 0;

    if (!body || steps < 1 || steps > MAX_STEPS ||
        n->n_in != n->at->scan.consts + n->at->scan.carries ||
        n->n_out != n->at->scan.carries || (int64_t)body->n_nodes * steps > MAX_NODES ||
        !is_elementwise(body))
        return false;
    for (int i = 0; i < n->n_out; i++) {
        const int64_t size = ir_type_at(f, n->first + (ir_ref)i)->size;
        largest = size > largest ? size : largest;
    }
    return largest >= MIN_SIZE;
}

bool
pass_unrolls(const ir_graph *f)
{
    const ir_graph *const *all;
    const uint32_t graphs = f->loops ? ir_all_graphs(f, true, &all, f->arena) : 0;

    for (uint32_t i = 0; i < graphs; i++)
        ir_each_node (n, all[i])
            if (is_worth_it(all[i], n))
                return true;
    return false;
}

static void
visit(ir_build *b, const ir_graph *f, const ir_node *n, const ir_ref *env, const ir_ref *in,
      ir_ref *out)
{
    const int consts = n->op == OP_scan ? (int)n->at->scan.consts : 0;
    ir_ref *x;
    ir_attrs at;

    (void)env;
    if (ir_ops[n->op].flag != IR_FLOW) {
        ir_copy_node(b, n, in, out);
    } else if (is_worth_it(f, n)) {
        x = ir_copy_bytes(b->arena, in, sizeof *in * (size_t)n->n_in);
        for (int64_t i = 0; i < n->at->scan.length; i++) {
            ir_inline_graph(b, n->at->scan.body, x, out);
            memcpy(x + consts, out, sizeof *out * (size_t)n->n_out);
        }
    } else {
        const cot_status status = pass_rewrite_subs(b, n, pass_unroll, &at);
        if (status != COT_OK)
            b->status = status;
        else
            ir_add_node(b, (ir_op)n->op, n->n_in, in, &at, out);
    }
}

cot_status
pass_unroll(const ir_graph *f, ir_graph **out)
{
    return pass_rewrite(f, "unroll", visit, out);
}
