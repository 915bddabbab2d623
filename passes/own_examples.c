/* pass_own: loops and conds that each example of a map goes through in its own way, and in
 * which groups meet.
 *
 * Their op keeps the values of the examples that are done, or takes those of the branch that
 * each chooses.  Here that is select, so that all processes take the same steps and branches,
 * and have own rows in them: a while goes on as long as any example does, with the predicates
 * of all as one carry more; of a cond all branches run.  No derivative is taken of it.
 *
 * Wants: prepared.  Gives: the same function, bit for bit. */
#include <string.h>

#include "passes/own.h"
#include "passes/rules/flow.h"

/* x, of the leading axes of type t, for each of its elements. */
static ir_ref
lead(ir_build *b, ir_ref x, const ir_type *t)
{
    int64_t axes[COT_MAX_RANK];

    for (int k = 0; k < COT_MAX_RANK; k++)
        axes[k] = k;
    return x ? ir_broadcast_in_dim(b, x, t->rank, t->dims, axes) : IR_NONE;
}

static ir_ref
choose(ir_build *b, ir_ref p, ir_ref x, ir_ref y)
{
    return p && x && y ? ir_select(b, lead(b, p, ir_btype(b, x)), x, y) : IR_NONE;
}

static void
visit_cond(ir_build *b, const ir_node *n, const ir_attrs *at, const ir_ref *in, ir_ref *out)
{
    const ir_graphs branches = at->cond.branches;
    ir_ref *y = IR_NEW_N(b->arena, ir_ref, n->n_out + 1);

    for (int k = branches.n; k-- > 0;) {
        ir_inline_graph(b, branches.at[k], in + 1, y);
        const ir_ref p = pass_branch_chosen(b, in[0], k, branches.n);
        for (int j = 0; j < n->n_out; j++)
            out[j] = k == branches.n - 1 ? y[j] : choose(b, p, y[j], out[j]);
    }
}

/* consts, carries, predicates -> does any example go on? */
static ir_graph *
any_goes_on(ir_build *outer, const ir_graph *cond, const ir_type *t)
{
    ir_build *b = pass_begin(cond, "any");
    ir_graph *g = NULL;
    ir_axes all = 0;

    for (int i = 0; i < cond->n_in; i++)
        ir_input(b, ir_type_at(cond, cond->in[i]), NULL);
    const ir_ref p = ir_input(b, t, NULL);
    for (int k = 0; k < t->rank; k++)
        all |= ir_axes_of(k);
    ir_output(b, ir_reduce(b, OP_reduce_or, p, all));
    pass_flow_ok(outer, pass_end(b, "own", &g));
    return g;
}

/* consts, carries, predicates -> the next carries of the examples that go on, and which go on
 * after that. */
static ir_graph *
next_of_each(ir_build *outer, const ir_graph *body, const ir_graph *cond, int consts,
             const ir_type *t)
{
    ir_build *b = pass_begin(body, "each");
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, body->n_in + 1),
           *y = IR_NEW_N(b->arena, ir_ref, body->n_out + 1), p;
    ir_graph *g = NULL;

    for (int i = 0; i < body->n_in; i++)
        x[i] = ir_input(b, ir_type_at(body, body->in[i]), NULL);
    p = ir_input(b, t, NULL);
    ir_inline_graph(b, body, x, y);
    for (int j = 0; j < body->n_out; j++) {
        x[consts + j] = choose(b, p, y[j], x[consts + j]);
        ir_output(b, x[consts + j]);
    }
    ir_inline_graph(b, cond, x, &p);
    ir_output(b, p);
    pass_flow_ok(outer, pass_end(b, "own", &g));
    return g;
}

static void
visit_while(ir_build *b, const ir_node *n, ir_attrs *at, const ir_ref *in, ir_ref *out)
{
    const ir_graph *body = at->loop.body, *cond = at->loop.cond;
    const ir_type *t = ir_type_at(cond, cond->out[0]);
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, n->n_in + 1),
           *y = IR_NEW_N(b->arena, ir_ref, n->n_out + 2);

    memcpy(x, in, sizeof *in * (size_t)n->n_in);
    ir_inline_graph(b, cond, in, &x[n->n_in]);
    at->loop.body = next_of_each(b, body, cond, (int)at->loop.consts, t);
    at->loop.cond = any_goes_on(b, cond, t);
    if (b->status != COT_OK)
        return;
    ir_add_node(b, OP_while, n->n_in + 1, x, at, y);
    memcpy(out, y, sizeof *y * (size_t)n->n_out);
}

/* Has a function within n groups? */
static bool
holds_groups(const ir_node *n, ir_arena *a)
{
    ir_graph *const *sub;
    bool any = false;

    for (int i = 0, count = ir_subgraphs(n, &sub, a); i < count && !any; i++)
        any = pass_has_groups(sub[i]);
    return any;
}

static void
visit(ir_build *b, const ir_graph *f, const ir_node *n, const ir_ref *env, const ir_ref *in,
      ir_ref *out)
{
    const ir_record record = (ir_record)ir_ops[n->op].record;
    ir_attrs at;

    (void)env;
    if (!ir_runs_bodies(n->op) || !holds_groups(n, b->arena)) {
        ir_copy_node(b, n, in, out);
        return;
    }
    if (!pass_flow_ok(b, pass_rewrite_subs(b, n, pass_own_examples, &at)))
        return;
    if (record == IR_AT_cond && ir_type_at(f, n->in[0])->rank > 0)
        visit_cond(b, n, &at, in, out);
    else if (record == IR_AT_loop && ir_type_at(at.loop.cond, at.loop.cond->out[0])->rank > 0)
        visit_while(b, n, &at, in, out);
    else
        ir_add_node(b, (ir_op)n->op, n->n_in, in, &at, out);
}

cot_status
pass_own_examples(const ir_graph *f, ir_graph **out)
{
    if (!pass_has_groups(f)) {
        *out = (ir_graph *)f;
        return COT_OK;
    }
    return pass_rewrite(f, "own", visit, out);
}
