/* Loop-invariant code motion: values that do not change in a loop are computed once, before it.
 *
 * A value of a body is invariant if it depends on consts alone.  It is moved if it is expensive
 * (a product, a factorisation, a reduction, a loop, an elementary function), or if it is a
 * small part of a large operand (whose cotangent is then accumulated in the small part),
 * together with the cheap values that it depends on.  An index map and one or two instructions
 * for each element stay, as memory costs more, unless a product would need the value in memory
 * in every step.  A product that is an operand of a sum stays with the sum, so that it can be
 * contracted.
 *
 * Inner loops come first, so that a value can leave several loops.  Values that may fail or not
 * terminate are not moved, nor those that a checkpoint wants recomputed.
 *
 * Wants: nothing.  Gives: the same function, bit for bit.  Source: A. V. Aho et al., Compilers,
 * 2nd ed., section 9.5 (code motion). */
#include "passes/engine.h"
#include "passes/rules/flow.h"

typedef struct hoisting {
    const ir_graph *g;          /* the body                                                 */
    int consts;
    bool runs;  /* the loop takes at least one step */
    bool *same; /* by value: it is invariant */
    /* By value: it is invariant, and it or a value that it depends on is expensive. */
    bool *costs;
    bool *moved;                /* by value: computed before the loop                       */
    /* by value: it is added to something, or it may be after a view */
    bool *summed;
    bool *whole; /* by value: a user needs it in memory */
} hoisting;

/* Does n only compute its results?  If the loop may take no step, n must also terminate. */
static bool
is_movable(const hoisting *h, const ir_node *n)
{
    ir_graph *const *sub;
    const int subs = ir_subgraphs(n, &sub, h->g->arena);

    if (n->op == OP_barrier || ir_ops[n->op].record == IR_AT_custom ||
        (n->op == OP_call && n->at->call.remat) || ir_ops[n->op].flag == IR_COLLECTIVE ||
        ir_effectful(n))
        return false;
    if (!h->runs && (ir_loop_of(n).cond || ir_ops[n->op].record == IR_AT_implicit))
        return false;
    for (int i = 0; i < subs; i++)
        if (sub[i]->effectful || (!h->runs && sub[i]->whiles))
            return false;
    return true;
}

static int64_t
size_of(const hoisting *h, ir_ref v)
{
    return ir_type_at(h->g, v)->size;
}

/* Is n itself expensive? */
static bool
is_expensive(const hoisting *h, const ir_node *n)
{
    const ir_op_flag flag = ir_ops[n->op].flag;

    switch (flag) {
    case IR_CONTRACT:
    case IR_LINE:
    case IR_FLOW:
    case IR_EXPAND: return true;
    case IR_REDUCE: return size_of(h, n->in[0]) > 2 * size_of(h, n->first);
    case IR_POINTWISE: return ir_ops[n->op].cost == IR_EXPENSIVE;
    case IR_INDEX:
        return ir_is_update(n->op) || 2 * size_of(h, n->first) <= size_of(h, n->in[0]);
    default: return n->op == OP_slice && 2 * size_of(h, n->first) <= size_of(h, n->in[0]);
    }
}

static void
find_same(hoisting *h)
{
    for (int i = 0; i < h->consts; i++)
        h->same[h->g->in[i]] = true;
    ir_each_node (n, h->g) {
        bool same = is_movable(h, n), costs = is_expensive(h, n);
        for (int i = 0; i < n->n_in; i++) {
            same = same && h->same[n->in[i]];
            costs |= h->costs[n->in[i]];
        }
        for (int i = 0; same && i < n->n_out; i++) {
            h->same[n->first + (ir_ref)i] = true;
            h->costs[n->first + (ir_ref)i] = costs;
        }
    }
}

static void
note_uses(hoisting *h)
{
    for (const ir_node *n = h->g->node + h->g->n_nodes - 1; n > h->g->node; n--)
        for (int i = 0; i < n->n_in; i++) {
            const ir_ref x = n->in[i];
            const bool passes_on = n->op == OP_neg || ir_ops[n->op].flag == IR_MOVE;
            h->summed[x] |= n->op == OP_add || n->op == OP_sub || n->op == OP_fma ||
                            (passes_on && h->summed[n->first]);
            h->whole[x] |= ir_ops[n->op].flag == IR_CONTRACT || ir_ops[n->op].flag == IR_LINE;
        }
}

/* Is v a product that may be contracted? */
static bool
is_factor_of_sum(const hoisting *h, ir_ref v)
{
    const ir_node *n = ir_def(h->g, v);

    while (n && h->summed[v] && (n->op == OP_neg || ir_ops[n->op].flag == IR_MOVE) &&
           n->n_in == 1)
        n = ir_def(h->g, n->in[0]);
    return n && h->summed[v] && n->op == OP_mul;
}

typedef struct worklist {
    ir_ref *at;
    uint32_t n, cap;
    bool *asked; /* by value: it was in the list */
} worklist;

static void
want(const hoisting *h, worklist *w, ir_ref v)
{
    if (w->asked[v] || !ir_def(h->g, v))
        return;
    w->asked[v] = true;
    IR_PUSH(h->g->arena, w->at, w->n, w->cap, v);
}

/* v is invariant and has a user that is not: move it, or what it depends on. */
static void
choose(hoisting *h, worklist *w, ir_ref v)
{
    const ir_node *n = ir_def(h->g, v);
    int64_t most = 0;

    if (n->n_in == 0)
        return;
    for (int i = 0; i < n->n_in; i++)
        most = size_of(h, n->in[i]) > most ? size_of(h, n->in[i]) : most;
    const bool pointwise = ir_ops[n->op].flag == IR_POINTWISE;
    if (!is_factor_of_sum(h, v) &&
        (is_expensive(h, n) ||
         (pointwise && (h->costs[v] || h->whole[v]) && size_of(h, v) <= most))) {
        h->moved[v] = true;
        return;
    }
    for (int i = 0; i < n->n_in; i++)
        want(h, w, n->in[i]);
}

static bool
choose_all(hoisting *h)
{
    worklist w = { .asked = IR_NEW_N(h->g->arena, bool, h->g->n_values) };
    bool any = false;

    ir_each_node (n, h->g)
        for (int i = 0; n->n_out > 0 && !h->same[n->first] && i < n->n_in; i++)
            if (h->same[n->in[i]])
                want(h, &w, n->in[i]);
    for (int i = 0; i < h->g->n_out; i++)
        if (h->same[h->g->out[i]])
            want(h, &w, h->g->out[i]);
    while (w.n > 0)
        choose(h, &w, w.at[--w.n]);
    for (uint32_t v = 1; v < h->g->n_values; v++)
        any |= h->moved[v];
    return any;
}

/* Does the body still execute n, for an effect or for a live result that was not moved? */
static bool
stays(const hoisting *h, const ir_node *n, const bool *live)
{
    bool wanted = h->g->effectful && ir_effectful(n);

    for (int j = 0; j < n->n_out; j++)
        wanted |= live[n->first + (ir_ref)j] && !h->moved[n->first + (ir_ref)j];
    return wanted;
}

/* The body with the moved values as further consts. */
static ir_graph *
smaller_body(ir_build *outer, const hoisting *h)
{
    const ir_graph *g = h->g;
    ir_build *b = pass_flow_begin(outer, g->name);
    ir_ref *map = IR_NEW_N(b->arena, ir_ref, g->n_values);
    bool *live = IR_NEW_N(b->arena, bool, g->n_values);

    b->uncontracted = g->uncontracted;
    for (int i = 0; i < h->consts; i++)
        map[g->in[i]] = ir_input_like(b, g, g->in[i], "");
    for (uint32_t v = 1; v < g->n_values; v++) {
        b->loc = ir_value_loc(g, v);
        if (h->moved[v])
            map[v] = ir_input(b, ir_type_at(g, v), NULL);
    }
    for (int i = h->consts; i < g->n_in; i++)
        map[g->in[i]] = ir_input_like(b, g, g->in[i], "");
    for (int i = 0; i < g->n_out; i++)
        live[g->out[i]] = true;
    for (const ir_node *n = g->node + g->n_nodes - 1; n > g->node; n--) {
        const bool wanted = stays(h, n, live);
        for (int i = 0; wanted && i < n->n_in; i++)
            live[n->in[i]] = true;
    }
    ir_each_node (n, g) {
        if (!stays(h, n, live))
            continue;
        ir_ref *operand = IR_NEW_N(b->arena, ir_ref, n->n_in + 1),
               *y = IR_NEW_N(b->arena, ir_ref, n->n_out + 1);
        for (int i = 0; i < n->n_in; i++)
            operand[i] = map[n->in[i]];
        b->loc = n->loc;
        ir_copy_node(b, n, operand, y);
        for (int j = 0; j < n->n_out; j++)
            if (!h->moved[n->first + (ir_ref)j])
                map[n->first + (ir_ref)j] = y[j];
    }
    for (int i = 0; i < g->n_out; i++)
        pass_output(b, g, i, map[g->out[i]], "");
    return pass_flow_end(outer, b, h->g);
}

/* The predicate of a while, with the moved values as operands that it does not read. */
static ir_graph *
same_predicate(ir_build *outer, const hoisting *h, const ir_graph *cond)
{
    ir_build *b = pass_flow_begin(outer, cond->name);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, cond->n_in + 1), p = IR_NONE;

    b->uncontracted = cond->uncontracted;
    for (int i = 0; i < h->consts; i++)
        in[i] = ir_input_like(b, cond, cond->in[i], "");
    for (uint32_t v = 1; v < h->g->n_values; v++)
        if (h->moved[v])
            ir_input(b, ir_type_at(h->g, v), NULL);
    for (int i = h->consts; i < cond->n_in; i++)
        in[i] = ir_input_like(b, cond, cond->in[i], "");
    ir_inline_graph(b, cond, in, &p);
    ir_output(b, p);
    return pass_flow_end(outer, b, cond);
}

/* Hoists out of the loop with attributes `at` and operands x; false: nothing moves. */
static bool
hoist_loop(ir_build *b, const ir_node *n, ir_attrs *at, const ir_ref *x, ir_ref *out)
{
    int64_t *consts = ir_attrs_consts(ir_ops[n->op].record, at);
    const bool scan = !ir_loop_of(n).cond;
    ir_graph **body = scan ? &at->scan.body : &at->loop.body;
    const ir_graph *g = *body;
    const ir_loc loc = b->loc;
    hoisting h = { .g = g, .consts = (int)*consts, .runs = scan };
    int n_in = 0;

    h.same = IR_NEW_N(b->arena, bool, g->n_values);
    h.costs = IR_NEW_N(b->arena, bool, g->n_values);
    h.moved = IR_NEW_N(b->arena, bool, g->n_values);
    h.summed = IR_NEW_N(b->arena, bool, g->n_values);
    h.whole = IR_NEW_N(b->arena, bool, g->n_values);
    find_same(&h);
    note_uses(&h);
    if (!choose_all(&h))
        return false;
    ir_ref *map = IR_NEW_N(b->arena, ir_ref, g->n_values);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, (uint32_t)n->n_in + g->n_values);
    for (int i = 0; i < h.consts; i++) {
        in[n_in++] = x[i];
        map[g->in[i]] = ir_rounded(b, x[i]); /* a const is no product in the body */
    }
    for (uint32_t v = 1; v < g->n_values && b->status == COT_OK; v++)
        if (h.moved[v])
            in[n_in++] = pass_make(b, g->node, g->value, v, map);
    *consts = n_in;
    for (int i = h.consts; i < n->n_in; i++)
        in[n_in++] = x[i];
    b->loc = loc;
    *body = smaller_body(b, &h);
    if (!scan)
        at->loop.cond = same_predicate(b, &h, at->loop.cond);
    if (b->status == COT_OK)
        ir_add_node(b, (ir_op)n->op, n_in, in, at, out);
    return true;
}

static void
visit(ir_build *b, const ir_graph *f, const ir_node *n, const ir_ref *env, const ir_ref *in,
      ir_ref *out)
{
    ir_attrs at;

    (void)f, (void)env;
    if (ir_ops[n->op].flag != IR_FLOW) {
        ir_copy_node(b, n, in, out);
        return;
    }
    const cot_status status = pass_rewrite_subs(b, n, pass_hoist, &at);
    if (status != COT_OK) {
        b->status = status;
        return;
    }
    const ir_loop loop = ir_loop_of(n);
    if (!loop.body || (!loop.cond && n->at->scan.length <= 1) ||
        !hoist_loop(b, n, &at, in, out))
        ir_add_node(b, (ir_op)n->op, n->n_in, in, &at, out);
}

cot_status
pass_hoist(const ir_graph *f, ir_graph **out)
{
    *out = (ir_graph *)f;
    return f->loops ? pass_rewrite(f, "hoist", visit, out) : COT_OK;
}
