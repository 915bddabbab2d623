/* Which functions that are called stay functions.
 *
 * A call that is inlined fuses with what stands around it, and every pass sees across it.  But
 * each copy is compiled, so that a large function that is called often is most of the time and
 * memory of a compilation, and functions that call each other twice are twice as many copies at
 * each level.  So a function stays one if the copies that are saved are many ops; then the work
 * of passes and back ends is linear in what is written:  a function that does not stay adds
 * fewer than CALLS_SAVED ops, or CALL_SMALL ops a call.
 *
 * The choice depends on the graph alone, as contraction does, which does not look across a
 * call that stays (docs/numerics.md): so the evaluator and every back end compute the same. */
#include "passes/calls.h"

#include "ir/op.h"

#include <stdlib.h>

enum {
    /* Ops of a function that is always inlined: a call takes as long as a kernel or two, and
     * what so few ops pass to their neighbours through memory is not worth it. */
    CALL_SMALL = 32,
    /* Ops that are not compiled again for a function to stay: a quarter to half a second of
     * LLVM's.  Below it are the four stages of a Runge-Kutta step and the few layers of a
     * small network, which are faster when they are one with the loop around them. */
    CALLS_SAVED = 512,
    /* Functions that stay, one below the other: each is a level of whatever recurses. */
    CALLS_DEEP = 16,
    /* Elements of an argument that a function writes parts of and returns: copied at each
     * call, while in place, as it is where the function is inlined, nothing is copied. */
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

/* Below a graph are graphs of a smaller chain. */
static int
by_chain(const void *x, const void *y)
{
    const ir_graph *a = *(const ir_graph *const *)x, *b = *(const ir_graph *const *)y;

    return a->chain < b->chain ? -1 : a->chain > b->chain;
}

/* The operand that result k of n is but for parts, -1 if there is none. */
static int
updated_operand(const pass_calls *c, const ir_node *n, int k)
{
    const ir_loop loop = ir_loop_of(n);
    const int at = loop.consts + k;

    if (n->op == OP_call)
        return find(c, n->at.call.body)->updates[k];
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

/* What f is when the calls in it that do not stay are inlined. */
static void
measure(const pass_calls *c, pass_called *x, ir_arena *scratch)
{
    ir_graph *const *sub;

    x->size = x->f->n_nodes - 1;
    ir_each_node (n, x->f) {
        if (ir_ops[n->op].flag != IR_FLOW)
            continue;
        for (int i = 0, subs = ir_subgraphs(n, &sub, scratch); i < subs; i++) {
            const pass_called *y = find(c, sub[i]);
            const bool copied = n->op != OP_call || !y->stays;
            x->size = sum(x->size, copied ? y->size : 0);
            x->depth = y->depth > x->depth ? y->depth : x->depth;
        }
    }
    for (int k = 0; k < x->f->n_out; k++)
        x->updates[k] = updated_input(c, x->f, x->f->out[k]);
}

static bool
stays(const pass_called *x)
{
    for (int k = 0; k < x->f->n_out; k++)
        if (x->updates[k] >= 0)
            return false;
    return x->uses > 1 && x->size > CALL_SMALL && x->depth < CALLS_DEEP &&
           x->size >= CALLS_SAVED / (x->uses - 1);
}

static void
count_uses_in(const pass_calls *c, const ir_graph *g)
{
    const uint32_t *uses = ir_count_uses(g, g->arena);

    ir_each_node (n, g) {
        pass_called *x = n->op == OP_call ? find(c, n->at.call.body) : NULL;
        for (int k = 0; x && k < n->n_out; k++)
            x->used[k] |= uses[n->first + (ir_ref)k] > 0;
        if (x)
            x->uses++;
    }
}

/* Those of the rules of custom functions do not count, since only dumps have them. */
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
        x->stays = stays(x);
        x->depth += x->stays;
        if (x->stays || x->f == f)
            c->size = sum(c->size, x->size);
    }
    return c;
}
