/* Decides which functions stay functions.
 *
 * A call that is inlined fuses with the ops around it, and passes see across it.  But each copy
 * is compiled: a large function with many calls then dominates the time and memory of a
 * compilation, and functions that use each other twice are copied twice as often at each level.
 * So a function stays if that saves many ops.  The work of passes and back ends is then linear
 * in the size of the program: a function that does not stay adds fewer than CALLS_SAVED ops, or
 * CALL_SMALL ops for each use.
 *
 * A function that is a branch of several conds, or the body of several loops, is copied in the
 * same way.  If it stays, it is called there: what was the branch holds one call of it.  A loop
 * calls its body in each step, which costs more than it does in a branch, so that it has to
 * save more (LOOPS_SAVED).
 *
 * The choice depends only on the graph, as does contraction, which does not look across a call
 * that stays (docs/numerics.md).  So the evaluator and every back end compute the same.  One
 * that is inlined for the size of what it updates is inlined so that contraction does not look
 * across it either: no size chooses a bit. */
#include "passes/calls.h"

#include "ir/op.h"

#include <stdlib.h>

enum {
    /* Functions of up to this many ops are always inlined: a call takes as long as a kernel or
     * two, which is more than passing the values of so few ops through memory costs. */
    CALL_SMALL = 32,
    /* The number of ops that a function must save to stay: LLVM compiles them in a quarter to
     * half a second.  Below it are the four stages of a Runge-Kutta step and the few layers of
     * a small network, which are faster if they are fused with the loop around them. */
    CALLS_SAVED = 512,
    /* The same where loops call it: seconds of LLVM's time. */
    LOOPS_SAVED = 16384,
    /* Elements of an argument that a function updates in part and returns.  A call copies such
     * an argument, while the inlined function updates it in place. */
    UPDATE_LARGE = 1024
};

static pass_called *
find(const pass_calls *c, const ir_graph *f)
{
    const uint64_t hash = ir_hash_u64(0, (uint64_t)(uintptr_t)f);
    uint32_t at = 0, id;

    while ((id = ir_map_next(&c->find, hash, &at)))
        if (c->of[id - 1].f == f)
            return &c->of[id - 1];
    return NULL;
}

pass_called *
pass_called_of(const pass_calls *c, const ir_graph *f)
{
    return find(c, f);
}

/* Sorts graphs so that those that another one contains come before it. */
static int
by_chain(const void *x, const void *y)
{
    const ir_graph *a = *(const ir_graph *const *)x, *b = *(const ir_graph *const *)y;

    return a->chain < b->chain ? -1 : a->chain > b->chain;
}

/* The operand that result k of n is an update of; -1: there is none. */
static int
updated_operand(const pass_calls *c, const ir_node *n, int k)
{
    const ir_loop loop = ir_loop_of(n);
    const int at = loop.consts + k;

    if (n->op == OP_call)
        return find(c, n->at->call.body)->updates[k];
    if (loop.body)
        return k < loop.carries && find(c, loop.body)->updates[k] == at ? at : -1;
    return ir_is_update(n->op) ? 0 : -1;
}

static int
updated_input(const pass_calls *c, const ir_graph *f, ir_ref x)
{
    bool any = false;

    if (ir_type_at(f, x)->size < UPDATE_LARGE)
        return -1;
    for (const ir_node *n; (n = ir_def(f, x)) != NULL; any = true) {
        const int from = updated_operand(c, n, (int)(x - n->first));
        if (from < 0)
            return -1;
        x = n->in[from];
    }
    for (int i = 0; any && i < f->n_in; i++)
        if (f->in[i] == x)
            return i;
    return -1;
}

static uint64_t
sum(uint64_t x, uint64_t y)
{
    return x + y < x ? UINT64_MAX : x + y;
}

/* Computes the size and depth of f with the calls inlined that do not stay, and its size with
 * those inlined that save too little to stay. */
static void
measure(const pass_calls *c, pass_called *x, ir_arena *scratch)
{
    ir_graph *const *sub;

    x->size = x->counts = x->inlined = x->f->n_nodes - 1;
    ir_each_node (n, x->f) {
        if (ir_ops[n->op].flag != IR_FLOW)
            continue;
        for (int i = 0, subs = ir_subgraphs(n, &sub, scratch); i < subs; i++) {
            const pass_called *y = find(c, sub[i]);
            const bool loop = ir_loop_of(n).body;
            x->size = sum(x->size, (loop ? y->in_loops : y->stays) ? 0 : y->size);
            x->counts = sum(x->counts, (loop ? y->saves_in_loops : y->saves) ? 0 : y->counts);
            if (ir_ops[n->op].record == IR_AT_call)
                x->inlined = sum(x->inlined, y->inlined);
            x->depth = y->depth > x->depth ? y->depth : x->depth;
        }
    }
    for (int k = 0; k < x->f->n_out; k++)
        x->updates[k] = updated_input(c, x->f, x->f->out[k]);
}

/* Does x save that many ops if it is compiled once for so many uses? */
static bool
saves(const pass_called *x, uint64_t uses, uint64_t ops)
{
    return uses > 1 && x->counts >= ops / (uses - 1);
}

/* deep: how deep calls that stay may nest, since code that walks over them recurses.  What a
 * function updates does not change whether it saves ops, only what is done then: sizes choose
 * no bit. */
static void
decide(pass_called *x, int deep)
{
    const bool may = x->counts > CALL_SMALL && x->depth < deep;
    bool updates = false;

    for (int k = 0; k < x->f->n_out; k++)
        updates |= x->updates[k] >= 0;
    x->saves_in_loops = may && saves(x, (uint64_t)x->uses + x->loops, LOOPS_SAVED);
    x->saves = x->saves_in_loops || (may && saves(x, x->uses, CALLS_SAVED));
    x->in_loops = x->saves_in_loops && !updates;
    x->stays = x->saves && !updates;
    x->depth += x->saves;
}

/* What n calls, branches to or repeats; returns the number of these functions. */
static int
bodies(const ir_node *n, ir_graph *const **sub, ir_arena *a)
{
    const bool runs = ir_runs_bodies(n->op) && ir_ops[n->op].record != IR_AT_implicit;

    return runs ? ir_subgraphs(n, sub, a) : 0;
}

static void
count_uses_in(const pass_calls *c, const ir_graph *g)
{
    const uint32_t *uses = ir_count_uses(g, g->arena);
    ir_graph *const *sub;

    ir_each_node (n, g) {
        const bool loop = ir_loop_of(n).body, called = n->op == OP_call;
        for (int i = 0, subs = bodies(n, &sub, g->arena); i < subs; i++) {
            pass_called *x = find(c, sub[i]);
            for (int k = 0; k < x->f->n_out; k++)
                x->used[k] |= !called || uses[n->first + (ir_ref)k] > 0;
            x->uses += !loop;
            x->loops += loop;
            x->branches |= !called;
        }
    }
}

/* Counts uses, except in rules of custom functions, which are only there for dumps. */
static void
count_uses(const pass_calls *c, const ir_graph *f)
{
    const ir_graph *const *all;

    for (uint32_t i = 0, graphs = ir_all_graphs(f, false, &all, f->arena); i < graphs; i++)
        count_uses_in(c, all[i]);
}

pass_calls *
pass_calls_of(const ir_graph *f)
{
    ir_arena *a = f->arena;
    pass_calls *c = IR_NEW(a, pass_calls);
    const ir_graph *const *all;

    c->n = ir_all_graphs(f, true, &all, a);
    c->of = IR_NEW_N(a, pass_called, c->n);
    ir_map_init(&c->find, a);
    qsort((void *)all, c->n, sizeof *all, by_chain);
    for (uint32_t i = 0; i < c->n; i++) {
        c->of[i].f = all[i];
        c->of[i].updates = IR_NEW_N(a, int, all[i]->n_out + 1);
        c->of[i].used = IR_NEW_N(a, bool, all[i]->n_out + 1);
        ir_map_add(&c->find, ir_hash_u64(0, (uint64_t)(uintptr_t)all[i]), i + 1);
    }
    count_uses(c, f);
    for (uint32_t i = 0; i < c->n; i++) {
        pass_called *x = &c->of[i];
        measure(c, x, a);
        decide(x, IR_MAX_NEST - f->nest);
        if (x->stays || x->f == f)
            c->size = sum(c->size, x->size);
        if (x->branches || x->f == f)
            c->inlined = sum(c->inlined, x->inlined);
    }
    return c;
}
