/* Runs grid schedules on the CPU, which tests them where there is no GPU.
 *
 * Blocks run one after the other.  In a block, all iterations of the thread and SPMD loops
 * around an instruction run at once, as lanes of arrays, so that an instruction is one call of
 * the evaluator (ir_sc_eval) on the active lanes.  A branch or loop whose condition differs
 * between lanes runs under a mask until no lane is left, as in the threads of a warp.
 * sim/memory.c has memory. */
#include "codegen/sim/sim.h"

#include "ir/diag.h"

static bool run_region(sim *s, const cg_region *r);

static int64_t
constant(const sim *s, cg_val v)
{
    int64_t x = 0;

    cg_is_const(s->k, v, &x);
    return x;
}

/* -- loops whose iterations are lanes: threads, copies, vectors ---------------------------- */

static const uint8_t *
spread_mask(sim *s, cg_val v, const cg_block *x, const sim_lanes *outer, int64_t e)
{
    const int64_t *limit = x->limit ? cg_sim_operand(s, x->limit, 0) : NULL;
    uint8_t *mask;

    if (!limit && !outer->mask)
        return NULL;
    mask = cg_sim_scratch(s, v, 0, (size_t)(outer->n * e));
    for (int64_t i = 0; i < outer->n * e; i++)
        mask[i] = (!outer->mask || outer->mask[i / e]) && (!limit || i % e < limit[i / e]);
    return mask;
}

/* Folds each e adjacent lanes into one, by halves; inactive lanes count as the neutral
 * element. */
static void
fold_lanes(sim *s, const cg_block *x, int k, int64_t e, const sim_lanes *outer)
{
    const cg_yield *y = &x->yield[k];
    const size_t size = cot_dtype_size(y->type);
    const uint64_t neutral = cg_neutral_bits(y->combine, y->type);
    char *all = cg_sim_scratch(s, x->result[k], 0, (size_t)s->at.n * 8);
    char half[2][8];
    const uint8_t *mask = s->at.mask;

    memcpy(all, cg_sim_operand(s, y->value, 0), (size_t)s->at.n * size);
    for (int64_t i = 0; i < s->at.n; i++)
        if (mask && !mask[i])
            memcpy(all + (size_t)i * size, &neutral, size);
    for (int64_t n = e; n > 1; n = (n + 1) / 2) {
        /* folds have e a power of two: e_l op e_(l + h); trees join adjacent elements, the last
         * may have no partner */
        const int64_t h = n / 2;
        for (int64_t o = 0; o < outer->n; o++)
            for (int64_t i = 0; i < h; i++) {
                const char *at = all + (size_t)(o * e) * size;
                const bool tree = y->mode == CG_TREE;
                memcpy(half[0], at + (size_t)(tree ? 2 * i : i) * size, size);
                memcpy(half[1], at + (size_t)(tree ? 2 * i + 1 : i + h) * size, size);
                cg_sim_combine(s, y, 1, (char *)(uintptr_t)at + (size_t)i * size, half[0],
                               half[1]);
            }
        if (n % 2)
            for (int64_t o = 0; o < outer->n; o++)
                memcpy(all + (size_t)(o * e + h) * size, all + (size_t)(o * e + n - 1) * size,
                       size);
    }
    char *out = cg_sim_define(s, x->result[k], outer->n);
    for (int64_t o = 0; o < outer->n; o++)
        memcpy(out + (size_t)o * size, all + (size_t)(o * e) * size, size);
}

static bool
enter_threads(sim *s, const cg_block *x, int64_t e)
{
    sim_lanes *at = &s->at;

    if (x->kind < CG_BLOCK || x->kind > CG_LANES)
        return true;
    at->threads = at->kind == CG_WARPS ? at->threads * e : e;
    at->lanes = e;
    at->kind = x->kind;
    return at->n == at->threads || cg_sim_wrong(s, "a thread loop in the wrong place");
}

static bool
run_at_once(sim *s, cg_val v)
{
    const cg_block *x = s->k->insn[v].block;
    const sim_lanes outer = s->at;
    const int64_t e = cg_extent(s->k, x), lo = constant(s, x->lo);

    s->at.mask = spread_mask(s, v, x, &outer, e);
    s->at.n = outer.n * e;
    if (!enter_threads(s, x, e))
        return false;
    int64_t *var = cg_sim_define(s, x->var, s->at.n);
    for (int64_t i = 0; i < s->at.n; i++)
        var[i] = lo + i % e * x->step;
    if (!run_region(s, &x->body))
        return false;
    for (int k = 0; k < x->n; k++)
        fold_lanes(s, x, k, e, &outer);
    s->at = outer;
    if (x->kind == CG_WARPS && x->n > 0) {
        if (s->at.n > 1 || s->at.mask)
            return cg_sim_wrong(s, "a tree of warps that not all threads of the block reach");
        s->barriers++;
    }
    return true;
}

/* -- serial loops -------------------------------------------------------------------------- */

/* Assigns x to the active lanes of value v. */
static void
assign(sim *s, cg_val v, const void *x, const uint8_t *mask)
{
    const size_t size = cg_sim_size_of(s, v);
    char *to = s->value[v];

    for (int64_t i = 0; i < s->at.n; i++)
        if (!mask || mask[i])
            memcpy(to + (size_t)i * size, (const char *)x + (size_t)i * size, size);
}

static void
begin_carries(sim *s, const cg_block *x)
{
    for (int k = 0; k < x->n; k++) {
        if (!x->yield[k].carried)
            continue;
        const void *init = cg_sim_operand(s, x->yield[k].init, 0);
        memcpy(cg_sim_define(s, x->yield[k].carried, s->at.n), init,
               (size_t)s->at.n * cg_sim_size_of(s, x->yield[k].carried));
    }
}

/* All new values are computed first, since a carry may be the next value of another. */
static void
next_carries(sim *s, const cg_block *x, const uint8_t *mask)
{
    void **next = IR_NEW_N(s->arena, void *, x->n + 1);

    for (int k = 0; k < x->n; k++)
        if (x->yield[k].carried)
            next[k] = memcpy(cg_sim_scratch(s, x->yield[k].carried, 3, (size_t)s->at.n * 8),
                             cg_sim_operand(s, x->yield[k].value, 0),
                             (size_t)s->at.n * cot_dtype_size(x->yield[k].type));
    for (int k = 0; k < x->n; k++)
        if (x->yield[k].carried)
            assign(s, x->yield[k].carried, next[k], mask);
}

static void
end_carries(sim *s, const cg_block *x)
{
    for (int k = 0; k < x->n; k++)
        if (x->yield[k].carried)
            memcpy(cg_sim_define(s, x->result[k], s->at.n), s->value[x->yield[k].carried],
                   (size_t)s->at.n * cot_dtype_size(x->yield[k].type));
}

static bool
run_serial(sim *s, cg_val v)
{
    const cg_block *x = s->k->insn[v].block;
    const uint8_t *outer = s->at.mask;
    const size_t bytes = (size_t)s->at.n * 8;
    const int64_t *lo =
        memcpy(cg_sim_scratch(s, v, 0, bytes), cg_sim_operand(s, x->lo, 0), bytes);
    const int64_t *hi =
        memcpy(cg_sim_scratch(s, v, 1, bytes), cg_sim_operand(s, x->hi, 0), bytes);
    uint8_t *mask = cg_sim_scratch(s, v, 2, (size_t)s->at.n);
    sim_counter *c = cg_sim_trees_new(s, x);

    begin_carries(s, x);
    for (int64_t step = 0;; step += x->step) {
        int m = 0;
        int64_t *var = cg_sim_define(s, x->var, s->at.n);
        for (int64_t i = 0; i < s->at.n; i++) {
            var[i] = lo[i] + step;
            m += mask[i] = (!outer || outer[i]) && var[i] < hi[i];
        }
        if (m == 0)
            break;
        s->at.mask = m == s->at.n ? NULL : mask;
        if (!run_region(s, &x->body))
            return false;
        for (int k = 0; k < x->n; k++)
            if (x->yield[k].mode == CG_TREE)
                cg_sim_tree_push(s, &x->yield[k], &c[k],
                                 cg_sim_operand(s, x->yield[k].value, 0));
        next_carries(s, x, s->at.mask);
    }
    s->at.mask = outer;
    end_carries(s, x);
    for (int k = 0; k < x->n; k++)
        if (x->yield[k].mode == CG_TREE)
            cg_sim_tree_take(s, &x->yield[k], &c[k], cg_sim_define(s, x->result[k], s->at.n));
    return true;
}

static int64_t
reversed(int64_t i, int64_t e)
{
    int64_t r = 0;

    for (int64_t bit = 1; bit < e; bit *= 2)
        r = r * 2 + (i & bit ? 1 : 0);
    return r;
}

static bool
run_fold(sim *s, cg_val v)
{
    const cg_block *x = s->k->insn[v].block;
    const int64_t e = cg_extent(s->k, x);
    const size_t row = (size_t)s->at.n * 8;
    char **all = IR_NEW_N(s->arena, char *, x->n + 1);

    for (int k = 0; k < x->n; k++)
        all[k] = ir_alloc(s->arena, row * (size_t)e + 8);
    for (int64_t i = 0; i < e; i++) {
        const int64_t l = reversed(i, e);
        int64_t *var = cg_sim_define(s, x->var, s->at.n);
        for (int64_t j = 0; j < s->at.n; j++)
            var[j] = constant(s, x->lo) + l * x->step;
        if (!run_region(s, &x->body))
            return false;
        for (int k = 0; k < x->n; k++)
            memcpy(all[k] + row * (size_t)l, cg_sim_operand(s, x->yield[k].value, 0),
                   (size_t)s->at.n * cot_dtype_size(x->yield[k].type));
    }
    for (int k = 0; k < x->n; k++) {
        for (int64_t h = e / 2; h > 0; h /= 2)
            for (int64_t l = 0; l < h; l++) {
                char *to = all[k] + row * (size_t)l;
                const char *left = memcpy(cg_sim_scratch(s, x->result[k], 0, row), to, row);
                cg_sim_combine(s, &x->yield[k], s->at.n, to, left,
                               all[k] + row * (size_t)(l + h));
            }
        memcpy(cg_sim_define(s, x->result[k], s->at.n), all[k],
               (size_t)s->at.n * cot_dtype_size(x->yield[k].type));
    }
    return true;
}

/* -- branches ------------------------------------------------------------------------------ */

static bool
run_side(sim *s, const cg_region *r, const uint8_t *mask, int m)
{
    const uint8_t *outer = s->at.mask;
    bool good = true;

    if (m > 0) {
        s->at.mask = m == s->at.n ? NULL : mask;
        good = run_region(s, r);
    }
    s->at.mask = outer;
    return good;
}

static void
yield_side(sim *s, const cg_block *x, bool other, const uint8_t *mask)
{
    for (int k = 0; k < x->n; k++) {
        const void *y = cg_sim_operand(s, other ? x->yield[k].init : x->yield[k].value, 0);
        if (!s->value[x->result[k]] || s->width[x->result[k]] != s->at.n)
            cg_sim_define(s, x->result[k], s->at.n);
        assign(s, x->result[k], y, mask);
    }
}

static bool
run_if(sim *s, cg_val v)
{
    const cg_block *x = s->k->insn[v].block;
    uint8_t *yes = cg_sim_scratch(s, v, 0, (size_t)s->at.n),
            *no = cg_sim_scratch(s, v, 1, (size_t)s->at.n);
    const uint8_t *cond = cg_sim_operand(s, x->cond, 0);
    int n_yes = 0, n_no = 0;

    for (int64_t i = 0; i < s->at.n; i++) {
        n_yes += yes[i] = cg_sim_is_active(s, i) && cond[i];
        n_no += no[i] = cg_sim_is_active(s, i) && !cond[i];
    }
    if (!run_side(s, &x->body, yes, n_yes))
        return false;
    if (n_yes)
        yield_side(s, x, false, yes);
    if (!run_side(s, &x->other, no, n_no))
        return false;
    if (n_no)
        yield_side(s, x, true, no);
    /* a block that no thread takes part in, as the last one of a multiple of an open size */
    for (int k = 0; k < x->n && n_yes + n_no == 0; k++)
        memset(cg_sim_define(s, x->result[k], s->at.n), 0,
               (size_t)s->at.n * cg_sim_size_of(s, x->result[k]));
    return true;
}

static bool
run_while(sim *s, cg_val v)
{
    const cg_block *x = s->k->insn[v].block;
    const uint8_t *outer = s->at.mask;
    uint8_t *mask = cg_sim_scratch(s, v, 0, (size_t)s->at.n);

    begin_carries(s, x);
    for (int64_t i = 0; i < s->at.n; i++)
        mask[i] = cg_sim_is_active(s, i);
    for (;;) {
        int m = cg_sim_count(s, mask);
        s->at.mask = m == s->at.n ? NULL : mask;
        if (!run_region(s, &x->other))
            return false;
        const uint8_t *cond = cg_sim_operand(s, x->cond, 0);
        for (int64_t i = 0; i < s->at.n; i++)
            mask[i] = mask[i] && cond[i];
        m = cg_sim_count(s, mask);
        if (m == 0)
            break;
        s->at.mask = m == s->at.n ? NULL : mask;
        if (!run_region(s, &x->body))
            return false;
        next_carries(s, x, s->at.mask);
    }
    s->at.mask = outer;
    end_carries(s, x);
    return true;
}

/* -- the grid ------------------------------------------------------------------------------ */

static bool
run_grid(sim *s, cg_val v)
{
    const cg_block *x = s->k->insn[v].block;
    const int64_t hi = *(const int64_t *)cg_sim_operand(s, x->hi, 0), lo = constant(s, x->lo),
                  n = hi > lo ? (hi - lo + x->step - 1) / x->step : 0;

    if (s->blocks >= 0 && n != s->blocks)
        return cg_sim_wrong(s, "another number of blocks is launched than it has");
    for (s->block = 0; s->block < n; s->block++) {
        *(int64_t *)cg_sim_define(s, x->var, 1) = lo + s->block * x->step;
        cg_sim_memory_block(s);
        if (!run_region(s, &x->body))
            return false;
    }
    return true;
}

static bool
run_insn(sim *s, cg_val v)
{
    const cg_insn *p = &s->k->insn[v];

    if (s->uses[v] == 0 && p->op < CG_STORE)
        return true;
    s->now = v;
    switch (p->op) {
    case SC_const:
    case CG_PARAM: return true;
    case SC_slow_path: cg_sim_slow_path(s, v); return true;
    case CG_LOAD:
    case CG_STORE: return cg_sim_memory_insn(s, v);
    case CG_PREFETCH: return true;
    case CG_BARRIER: return cg_sim_barrier(s);
    case CG_FETCH:
    case CG_COMMIT:
    case CG_ARRIVE:
    case CG_FRAGMENT:
    case CG_MMA: return cg_sim_tensor(s, v);
    case CG_FAIL: return cg_sim_fail(s, p);
    case CG_IF: return run_if(s, v);
    case CG_WHILE: return run_while(s, v);
    case CG_LOOP:
        if (p->block->kind == CG_GRID)
            return run_grid(s, v);
        if (p->block->kind > CG_GRID)
            return run_at_once(s, v);
        return cg_has_mode(p->block, CG_FOLD) ? run_fold(s, v) : run_serial(s, v);
    default:
        if (p->op < SC_COUNT)
            cg_sim_scalar(s, v);
        return p->op < SC_COUNT || cg_sim_wrong(s, "an instruction that no GPU has");
    }
}

static bool
run_region(sim *s, const cg_region *r)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (!run_insn(s, r->insn[i]))
            return false;
    return true;
}

static void
launch(sim *s, void *const *buffers)
{
    const cg_kernel *k = s->k;

    s->value = IR_NEW_N(s->arena, void *, k->n_insns);
    s->uses = cg_count_uses(k, s->arena);
    s->width = IR_NEW_N(s->arena, int64_t, k->n_insns);
    s->scratch = IR_NEW_N(s->arena, void *, k->n_insns * SIM_SLOTS);
    s->launch = cg_launch_of(k);
    s->at = (sim_lanes){ .n = 1, .kind = CG_GRID, .threads = 1, .lanes = 1 };
    cg_sim_memory_new(s, buffers);
    cg_sim_memory_block(s);
    run_region(s, &k->body);
}

cot_status
cg_sim_launch(const cg_kernel *k, int64_t blocks, void *const *buffers, const int64_t *params,
              int32_t *status)
{
    ir_arena arena;
    volatile bool short_of_memory = false;
    sim s = { .k = k, .params = params, .blocks = blocks };
    char why[256] = "";

    ir_arena_init(&arena, k->ctx);
    s.arena = &arena;
    IR_TRY (k->ctx) {
        launch(&s, buffers);
    }
    IR_CAUGHT(k->ctx)
    {
        short_of_memory = true;
    }
    if (s.wrong)
        snprintf(why, sizeof why, "kernel %s, value %u: %s", k->name, s.now, s.wrong);
    ir_arena_free(&arena);
    if (short_of_memory)
        ir_out_of_memory(k->ctx);
    if (status && s.failed)
        *status = s.failed;
    return why[0] ? ir_fail(k->ctx, k->loc, NULL, ERR_internal, why) : COT_OK;
}
