/* Divergence analysis, strides of indices, and uses of values: for emitters.
 *
 * Divergence is a forward data-flow analysis over sets of loop levels.  Only carried values
 * depend on later ones; their loops are analysed again until nothing changes, which takes as
 * many rounds as carries depend on each other. */
#include "codegen/kernel/kernel.h"
#include "codegen/tuning.h"

typedef struct divergence {
    const cg_kernel *k;
    uint32_t *set;
    uint32_t lanes; /* the level of the vector loop around, as a bit */
    bool grew;
} divergence;

static void diverge_region(divergence *w, const cg_region *r, int level);

/* Operands may be invalid here, since the verifier asks before it checks them; an invalid
 * operand varies over nothing. */
static uint32_t
set_of(const divergence *w, cg_val v)
{
    return v < w->k->n_insns ? w->set[v] : 0;
}

static void
grow(divergence *w, cg_val v, uint32_t set)
{
    if (v < w->k->n_insns && (w->set[v] | set) != w->set[v]) {
        w->set[v] |= set;
        w->grew = true;
    }
}

/* Analyse the regions of a loop or while once; carried values receive the sets of the values
 * that flow back to them. */
static void
diverge_carried(divergence *w, const cg_block *x, uint32_t also, int level)
{
    for (int i = 0; i < x->n; i++)
        if (x->yield[i].carried)
            grow(w, x->yield[i].carried,
                 set_of(w, x->yield[i].init) | set_of(w, x->yield[i].value) | also);
    diverge_region(w, &x->other, level);
    diverge_region(w, &x->body, level);
}

static void
diverge_until_stable(divergence *w, const cg_block *x, bool on_cond, int level)
{
    bool outer = w->grew;

    do {
        w->grew = false;
        diverge_carried(w, x, on_cond ? set_of(w, x->cond) : 0, level);
        for (int i = 0; i < x->n; i++)
            if (x->yield[i].carried)
                grow(w, x->yield[i].carried,
                     set_of(w, x->yield[i].value) | (on_cond ? set_of(w, x->cond) : 0));
        outer |= w->grew;
    } while (w->grew);
    w->grew = outer;
}

static void
diverge_loop(divergence *w, const cg_block *x, int level)
{
    bool spmd = x->kind >= CG_UNROLL;
    const uint32_t own = spmd && level < 32 ? (uint32_t)1 << level : 0, lanes = w->lanes;

    grow(w, x->var, own | set_of(w, x->lo) | set_of(w, x->hi));
    w->lanes = x->kind == CG_VECTOR ? own : lanes;
    if (spmd)
        diverge_region(w, &x->body, level + 1);
    else
        diverge_until_stable(w, x, false, level);
    w->lanes = lanes;
    for (int i = 0; i < x->n; i++)
        grow(w, x->result[i],
             (set_of(w, x->yield[i].value) | set_of(w, x->yield[i].init)) & ~own);
}

static void
diverge_insn(divergence *w, cg_val v, int level)
{
    const cg_insn *i = &w->k->insn[v];
    const cg_block *x = i->block;
    uint32_t set = 0;

    switch (i->op) {
    case CG_LOOP: diverge_loop(w, x, level); return;
    case CG_IF:
        diverge_region(w, &x->body, level);
        diverge_region(w, &x->other, level);
        for (int j = 0; j < x->n; j++)
            grow(w, x->result[j],
                 set_of(w, x->cond) | set_of(w, x->yield[j].value) |
                     set_of(w, x->yield[j].init));
        return;
    case CG_WHILE:
        diverge_until_stable(w, x, true, level);
        for (int j = 0; j < x->n; j++)
            grow(w, x->result[j], set_of(w, x->yield[j].carried));
        return;
    case CG_SCAN: grow(w, v, set_of(w, i->in[0]) | w->lanes); return;
    case CG_LAST: grow(w, v, set_of(w, i->in[0]) & ~w->lanes); return;
    default:
        for (int j = 0; j < 3; j++)
            set |= set_of(w, i->in[j]);
        for (int j = 0; j < 4; j++)
            set |= set_of(w, i->args[j]);
        grow(w, v, set);
    }
}

static void
diverge_region(divergence *w, const cg_region *r, int level)
{
    for (uint32_t i = 0; i < r->n; i++)
        diverge_insn(w, r->insn[i], level);
}

uint32_t *
cg_divergence(const cg_kernel *k, ir_arena *a)
{
    divergence w = { .k = k, .set = IR_NEW_N(a, uint32_t, k->n_insns) };

    diverge_region(&w, &k->body, 0);
    return w.set;
}

static bool
has_effect(cg_op op)
{
    return op == CG_STORE || op == CG_COPY || op == CG_FAIL || op == CG_CALL ||
           op == CG_EXTERN || op >= CG_BARRIER;
}

typedef struct using
{
    const cg_kernel *k;
    ir_arena *arena;
    uint32_t *uses;
    cg_val *todo; /* values with a first use, whose operands are still to be counted */
    uint32_t n, cap;
}
using;

static void
count(using *u, cg_val v)
{
    if (v && u->uses[v]++ == 0)
        IR_PUSH(u->arena, u->todo, u->n, u->cap, v);
}

static void
use(void *user, cg_val v)
{
    using *u = user;

    count(u, v);
    while (u->n > 0) {
        const cg_insn *i = &u->k->insn[u->todo[--u->n]];

        if (i->op == CG_VAR || i->op == CG_CARRIED || i->op == CG_RESULT)
            continue;
        for (int j = 0; j < 3; j++)
            count(u, i->in[j]);
        for (int j = 0; j < 4; j++)
            count(u, i->args[j]);
    }
}

static void
use_region(using *u, const cg_region *r)
{
    for (uint32_t n = 0; n < r->n; n++) {
        const cg_insn *i = &u->k->insn[r->insn[n]];
        const cg_block *x = i->block;

        if (has_effect((cg_op)i->op))
            use(u, r->insn[n]);
        if (i->op == CG_CALL || i->ext || x)
            cg_each_operand(i, use, u);
        if (!x)
            continue;
        use_region(u, &x->other);
        use_region(u, &x->body);
    }
}

uint32_t *
cg_count_uses(const cg_kernel *k, ir_arena *a)
{
    using u = { .k = k, .arena = a, .uses = IR_NEW_N(a, uint32_t, k->n_insns) };

    use_region(&u, &k->body);
    return u.uses;
}

/* Does v depend on the variable of the loop?  Values share operands, so that there may be
 * exponentially many paths; past the budget the answer is yes. */
static bool
depends(const cg_kernel *k, cg_val v, cg_val loop, int *budget)
{
    const cg_insn *i = &k->insn[v];

    if (v == 0 || i->op == SC_const || i->op == CG_PARAM)
        return false;
    if (i->op == CG_VAR)
        return i->in[0] == loop;
    if (i->op == CG_CARRIED || i->op == CG_RESULT || --*budget < 0)
        return true;
    for (int j = 0; j < 3; j++)
        if (depends(k, i->in[j], loop, budget))
            return true;
    for (int j = 0; j < 4; j++)
        if (depends(k, i->args[j], loop, budget))
            return true;
    return false;
}

bool
cg_affine(const cg_kernel *k, cg_val v, cg_val loop, int64_t *coefficient)
{
    const cg_insn *i = &k->insn[v];
    int64_t x, y;
    int budget = CG_KERNEL_MAX_AFFINE_VISITS;

    *coefficient = 0;
    if (i->op == CG_VAR && i->in[0] == loop) {
        *coefficient = k->insn[loop].block->step;
        return true;
    }
    if (i->op == SC_add || i->op == SC_sub) {
        if (!cg_affine(k, i->in[0], loop, &x) || !cg_affine(k, i->in[1], loop, &y))
            return false;
        return !__builtin_sub_overflow(x, i->op == SC_add ? -y : y, coefficient);
    }
    if (i->op == SC_mul && cg_is_const(k, i->in[1], &y))
        return cg_affine(k, i->in[0], loop, &x) && !__builtin_mul_overflow(x, y, coefficient);
    return !depends(k, v, loop, &budget);
}

int64_t
cg_stride_over(const cg_kernel *k, cg_val v, const cg_block *loop)
{
    int64_t c;

    for (uint32_t i = 1; i < k->n_insns; i++)
        if (k->insn[i].block == loop)
            return cg_affine(k, v, i, &c) ? c : 0;
    return 0;
}

/* The operand of v without the constant that is added to it, and that constant. */
static cg_val
without_constant(const cg_kernel *k, cg_val v, int64_t *c)
{
    const cg_insn *i = &k->insn[v];

    *c = 0;
    return i->op == SC_add && cg_is_const(k, i->in[1], c) ? i->in[0] : v;
}

bool
cg_are_adjacent(const cg_kernel *k, cg_val s, cg_val t, int64_t step)
{
    const cg_insn *i = &k->insn[s], *j = &k->insn[t];
    const int when = i->op == CG_STORE ? 2 : 1;
    int64_t a, b;

    return (i->op == CG_STORE || i->op == CG_LOAD) && i->op == j->op && i->imm == j->imm &&
           !i->in[when] && !j->in[when] &&
           without_constant(k, i->in[0], &a) == without_constant(k, j->in[0], &b) &&
           b == a + step;
}
