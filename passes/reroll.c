/* Loops that the user wrote out are loops again.
 *
 * A C loop around ops is traced step by step, and its derivative is made node by node.  Where
 * equal steps follow each other, and each takes from those before it what the last one took,
 * they become a scan, which takes a hundredth of the time to compile.  Carries are what a step
 * takes from the one before; constants of each step's own are rows of a table; what is used
 * outside of the steps is a result.  What steps keep for reverse mode becomes an array, whose
 * rows the loop of the reverse steps reads in its order.
 *
 * Every node is computed as before from the same operands: no bit changes.  The pass comes
 * behind contraction, which must not see other sums and products because of it, and only before
 * kernels: the evaluator judges it by the nodes as they were.
 *
 * Loops in the body of a loop are found when the pass runs on the body. */
#include "passes/reroll.h"

enum { NEST = IR_MAX_NEST / 2 }; /* of the graph: a loop is a further level */

static bool
is_leaf(const ir_node *n)
{
    return n->n_in == 0 && ir_ops[n->op].flag != IR_EFFECT && ir_ops[n->op].flag != IR_FLOW;
}

/* May n be in a loop? */
static bool
may_repeat(const ir_graph *f, const ir_node *n)
{
    return n->n_out > 0 && ir_ops[n->op].flag != IR_COLLECTIVE && !ir_is_spread(n) &&
           !(f->effectful && ir_effectful(n));
}

/* Equal for nodes that differ in their operands, and in the place of a slice or pad, alone. */
static uint64_t
kind_of(const ir_graph *f, const ir_node *n)
{
    const ir_record record = ir_ops[n->op].record;
    uint64_t h = ir_hash_u64(ir_hash_u64(n->op, (uint64_t)n->n_in), (uint64_t)n->n_out);

    for (int i = 0; i < n->n_out; i++)
        h = ir_hash_u64(h, (uint64_t)(uintptr_t)ir_type_at(f, n->first + (ir_ref)i));
    return record == IR_AT_slice || record == IR_AT_pad
               ? ir_hash_u64(h, (uint64_t)(uintptr_t)ir_type_at(f, n->in[0]))
               : ir_hash_u64(h, ir_attrs_hash(record, n->at));
}

static void
make_sequence(const ir_graph *f, ir_arena *a, reroll_sequence *s)
{
    uint32_t *node = IR_NEW_N(a, uint32_t, f->n_nodes);

    *s = (reroll_sequence){ .f = f, .a = a, .node = node, .eager = f->ctx->small_passes };
    s->place = IR_NEW_N(a, uint32_t, f->n_nodes);
    s->kind = IR_NEW_N(a, uint64_t, f->n_nodes);
    s->work = IR_NEW_N(a, uint32_t, f->n_nodes + 1);
    s->place[0] = REROLL_NOWHERE;
    for (uint32_t i = 1; i < f->n_nodes; i++) {
        const ir_node *n = &f->node[i];
        s->place[i] = is_leaf(n) ? REROLL_NOWHERE : s->n;
        if (is_leaf(n))
            continue;
        node[s->n] = i;
        s->work[s->n + 1] = s->work[s->n] + (ir_ops[n->op].flag != IR_MOVE);
        s->kind[s->n] = may_repeat(f, n) ? kind_of(f, n) : ir_hash_u64(UINT64_MAX, i);
        s->n++;
    }
}

static void
find_loops(rerolling *w)
{
    reroll_sequence *s = &w->s;
    reroll_run *run = NULL;
    const uint32_t n = pass_reroll_find(s, &run);

    w->loop_of = IR_NEW_N(s->a, uint32_t, s->n + 1);
    w->loop = IR_NEW_N(s->a, reroll_loop, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        reroll_loop *l = &w->loop[w->n_loops];
        if (!pass_reroll_match(s, &run[i], w->loop_of, w->loop, l))
            continue;
        w->n_loops++;
        for (uint32_t k = 0; k < l->run.count; k++)
            w->loop_of[l->run.first + k] = w->n_loops;
        l->last = IR_NEW_N(s->a, bool, l->n_values);
        l->all = IR_NEW_N(s->a, bool, l->n_values);
    }
}

/* v is used outside of the loop that may have made it. */
static void
note_use(rerolling *w, ir_ref v)
{
    const uint32_t p = reroll_place(&w->s, v), made = p == REROLL_NOWHERE ? 0 : w->loop_of[p];
    uint32_t step;

    if (!made)
        return;
    const reroll_loop *l = &w->loop[made - 1];
    const uint32_t of = reroll_value(&w->s, l, v, &step);
    if (!reroll_end(l, of, step))
        *(step + 1 == reroll_steps(&l->run) ? &l->last[of] : &l->all[of]) = true;
}

static void
note_uses_of_loop(rerolling *w, const reroll_loop *l)
{
    for (uint32_t i = 0; i < l->n_same; i++)
        note_use(w, l->same[i]);
    for (uint32_t i = 0; i < l->n_carry; i++)
        note_use(w, l->carry[i].start);
    for (uint32_t i = 0; i < l->n_row; i++)
        if (l->row[i].kind == REROLL_OF_LOOP)
            w->loop[l->row[i].loop].all[l->row[i].of] = true;
}

static void
note_uses(rerolling *w)
{
    const ir_graph *f = w->s.f;

    for (uint32_t i = 0; i < w->s.n; i++)
        for (int k = 0; !w->loop_of[i] && k < reroll_node(&w->s, i)->n_in; k++)
            note_use(w, reroll_node(&w->s, i)->in[k]);
    for (uint32_t i = 0; i < w->n_loops; i++)
        note_uses_of_loop(w, &w->loop[i]);
    for (int i = 0; i < f->n_out; i++)
        note_use(w, f->out[i]);
}

static void
copy_node(rerolling *w, const ir_node *n)
{
    ir_ref *in = IR_NEW_N(w->s.a, ir_ref, n->n_in + 1);
    ir_attrs at;

    for (int k = 0; k < n->n_in; k++)
        in[k] = pass_reroll_value_of(w, n->in[k]);
    w->b->loc = n->loc;
    if (ir_ops[n->op].flag != IR_FLOW) {
        ir_copy_node(w->b, n, in, &w->env[n->first]);
        return;
    }
    const cot_status status = pass_rewrite_subs(w->b, n, pass_reroll, &at);
    if (status != COT_OK)
        w->b->status = status;
    else
        ir_add_node(w->b, (ir_op)n->op, n->n_in, in, &at, &w->env[n->first]);
}

static cot_status
rerolled(const ir_graph *f, ir_graph **out)
{
    rerolling w = { .b = ir_build_like(f, f->name) };

    w.b->uncontracted = f->uncontracted;
    w.b->guarded = f->guarded;
    w.b->contracted = f->contracted;
    make_sequence(f, w.b->work, &w.s);
    find_loops(&w);
    note_uses(&w);
    w.of = IR_NEW_N(w.s.a, reroll_results, w.n_loops + 1);
    w.env = IR_NEW_N(w.s.a, ir_ref, f->n_values);
    for (int i = 0; i < f->n_in; i++)
        w.env[f->in[i]] = ir_input_like(w.b, f, f->in[i], "");
    for (uint32_t i = 0; i < w.s.n && w.b->status == COT_OK; i++) {
        const uint32_t loop = w.loop_of[i];
        if (!loop)
            copy_node(&w, reroll_node(&w.s, i));
        else if (w.loop[loop - 1].run.first == i)
            pass_reroll_make(&w, loop - 1);
    }
    for (int j = 0; j < f->n_out && w.b->status == COT_OK; j++)
        pass_output(w.b, f, j, pass_reroll_value_of(&w, f->out[j]), "");
    return pass_end(w.b, "reroll", out);
}

bool
pass_rerolls(const ir_graph *f)
{
    return (f->unfolded > REROLL_MIN_NODES || f->ctx->small_passes) && f->nest < NEST;
}

cot_status
pass_reroll(const ir_graph *f, ir_graph **out)
{
    *out = (ir_graph *)f;
    return pass_rerolls(f) ? rerolled(f, out) : COT_OK;
}
