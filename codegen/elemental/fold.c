/* Reductions in the order of docs/numerics.md section 3, in the form of kernel.h:
 *
 *     tree over blocks b { fold over 32 lanes l { carry over steps t {
 *         acc op e[512 b + 32 t + l] } } }
 *
 * The loops are specialised to the number n of elements, which is constant.  Up to 32 elements
 * are one fold, and up to 512 are one block.  The last block, if it is partial, is a second
 * body whose absent elements are neutral.  If any order gives the same result (integers, max,
 * min, and, or), all elements are one block. */
#include "codegen/elemental/fold.h"

#include "codegen/elemental/strip_mine.h"
#include "codegen/tuning.h"

enum {
    LANES = 32,                 /* accumulators of a block: docs/numerics.md section 3 */
    BLOCK = 512,                /* elements of a block: the same section */
    PARTS = CG_ELEMENTAL_SUM_PARTS,
    RUN = CG_ELEMENTAL_STREAM_BLOCKS, /* of each stream that two_runs reads */
};

typedef struct fold_loops {
    cg_lowering *l;
    int k;
    const cg_fold *how;
    cg_fold_form form;
    bool open; /* the number of elements is: no loop depends on its value */
    int64_t n;
    bool any_order;             /* no reduction depends on the order: one block suffices */
    int64_t unit;               /* blocks in an iteration of the tree loop */
    uint32_t reduction; /* number of the reduction, declared to the verifier */
    cg_fold_body *body;
    void *user;
} fold_loops;

static bool
is_any_order(const cg_fold *how)
{
    return !ir_is_float(how->type) || (how->op != SC_add && how->op != SC_mul);
}

static void
combine(fold_loops *d, const cg_val *x, const cg_val *y, cg_val *out)
{
    for (int i = 0; i < d->k; i++)
        out[i] = cg_insn2(&d->l->b, d->how[i].op, d->how[i].type, x[i], y[i]);
}

void
cg_take_at(cg_lowering *l, uint32_t reduction, cg_ix j, cg_val present)
{
    const cg_ix_expr *e = &l->ix.expr[j];
    cg_take_term *term = IR_NEW_N(l->arena, cg_take_term, e->n + 1);
    cg_take x = { .reduction = reduction, .when = present, .k = e->c, .term = term };

    for (uint32_t i = 0; i < e->n && x.n >= 0; i++) {
        const cg_ix_atom *a = &l->ix.atom[e->term[i].atom];
        term[i] = (cg_take_term){ a->val, e->term[i].k };
        x.n = a->kind == CG_IX_VAR && a->val ? x.n + 1 : -1;
    }
    cg_take_element(&l->b, x);
}

/* The elements at j if `present` holds (0: always), else neutral elements. */
static void
elements(fold_loops *d, cg_ix j, cg_val present, cg_val *e)
{
    cg_lowering *l = d->l;
    cg_val old = cg_mask_and(l, present);
    cg_take_at(d->l, d->reduction, j, present);
    d->body(l, d->user, j, e);
    l->mask = old;
    for (int i = 0; i < d->k; i++)
        if (present)
            e[i] = cg_choose(l, d->how[i].type, present, e[i],
                             cg_neutral(&l->b, d->how[i].op, d->how[i].type));
}

/* The element at j, which starts a lane. */
static void
first_element(fold_loops *d, cg_ix j, cg_val *acc)
{
    cg_build *b = &d->l->b;

    if (!d->how->step) {
        elements(d, j, 0, acc);
        return;
    }
    cg_take_at(d->l, d->reduction, j, 0);
    *acc = d->how->step(d->l, d->user, j, cg_neutral(b, d->how->op, d->how->type));
}

/* Combine acc with the elements at j, if `present` holds (0: always). */
static void
next_element(fold_loops *d, cg_ix j, cg_val present, const cg_val *acc, cg_val *out)
{
    cg_lowering *l = d->l;

    if (!d->how->step) {
        cg_val *e = IR_NEW_N(l->arena, cg_val, d->k);
        elements(d, j, present, e);
        combine(d, acc, e, out);
        return;
    }
    cg_take_at(d->l, d->reduction, j, present);
    cg_val old = cg_mask_and(l, present), next = d->how->step(l, d->user, j, *acc);
    l->mask = old;
    *out = present ? cg_choose(l, d->how->type, present, next, *acc) : next;
}

/* A block of elements base ... base + m - 1, unrolled at constant indices. */
static void
unrolled_block(fold_loops *d, int64_t base, int64_t m, cg_val *out)
{
    size_t row = sizeof(cg_val) * (size_t)d->k;
    cg_val *lane = IR_NEW_N(d->l->arena, cg_val, LANES * d->k);
    int64_t n = m < LANES ? m : LANES;
    for (int64_t i = 0; i < m; i++) {
        cg_val *a = lane + i % LANES * d->k;
        cg_ix at = cg_ix_const(&d->l->ix, base + i);
        if (i < LANES)
            first_element(d, at, a);
        else
            next_element(d, at, 0, a, a);
    }
    for (int64_t h = cg_pow2_from(n) / 2; h >= 1; h /= 2)
        for (int64_t i = 0; i < h && i + h < n; i++)
            combine(d, lane + i * d->k, lane + (i + h) * d->k, lane + i * d->k);
    memcpy(out, lane, row);
}

static void
unrolled(fold_loops *d, int64_t n, cg_val *out)
{
    int64_t blocks = d->any_order ? 1 : (n + BLOCK - 1) / BLOCK;
    cg_val *node = IR_NEW_N(d->l->arena, cg_val, blocks * d->k);
    for (int64_t i = 0; i < blocks; i++) {
        int64_t m = blocks == 1 ? n : n - i * BLOCK < BLOCK ? n - i * BLOCK : BLOCK;
        unrolled_block(d, i * BLOCK, m, node + i * d->k);
    }
    for (int64_t s = 1; s < blocks; s *= 2)
        for (int64_t i = 0; i + s < blocks; i += 2 * s)
            combine(d, node + i * d->k, node + (i + s) * d->k, node + i * d->k);
    memcpy(out, node, sizeof(cg_val) * (size_t)d->k);
}

/* Combine the elements start, start + step, ... in order; there are `count` of them, a value
 * that is at least 0 and at most `most`. */
static void
chain(fold_loops *d, cg_ix start, int64_t step, cg_val count, int64_t most, cg_val *acc)
{
    cg_lowering *l = d->l;
    cg_val loop = cg_loop_begin(&l->b, CG_SERIAL, cg_i64(&l->b, 0), count, 1, 0);
    cg_ix t = cg_ix_var(&l->ix, cg_loop_var(&l->b, loop), 0, most - 1);
    cg_val *carried = IR_NEW_N(l->arena, cg_val, d->k), *e = IR_NEW_N(l->arena, cg_val, d->k);
    for (int i = 0; i < d->k; i++)
        carried[i] = cg_loop_carry(&l->b, loop, d->how[i].type,
                                   cg_neutral(&l->b, d->how[i].op, d->how[i].type));
    next_element(d, cg_ix_add(&l->ix, start, cg_ix_mul(&l->ix, t, step)), 0, carried, e);
    for (int i = 0; i < d->k; i++)
        cg_loop_next(&l->b, loop, carried[i], e[i]);
    cg_loop_end(&l->b, loop);
    for (int i = 0; i < d->k; i++)
        acc[i] = cg_loop_result(&l->b, loop, i);
}

/* The steps that a chain may have: one step is no loop at one size alone. */
static int64_t
most_of(const fold_loops *d, int64_t steps)
{
    return d->open && steps < 2 ? 2 : steps;
}

/* j < n, which is not folded, since n may be anything at another size. */
static cg_val
is_below(fold_loops *d, cg_ix j, int64_t n)
{
    cg_build *b = &d->l->b;
    const cg_val x = cg_ix_value(&d->l->ix, b, j), y = cg_i64(b, n);

    return cg_insn2_kept(b, SC_lt, x, y);
}

/* The elements of lane j of a block of m elements at base: full steps in a chain, the last
 * partial step under a mask. */
static void
lane_of_vector(fold_loops *d, cg_ix base, cg_ix j, int64_t m, int64_t lanes, cg_val *acc)
{
    cg_lowering *l = d->l;
    int64_t steps = m / lanes, tail = m % lanes;
    cg_ix first = cg_ix_add(&l->ix, base, j);
    bool never;
    if (steps == 0 && !d->open) { /* the limit of the loop excludes absent lanes */
        first_element(d, first, acc);
        return;
    }
    if (steps == 1 && !d->open)
        first_element(d, first, acc);
    else
        chain(d, first, lanes, cg_i64(&l->b, steps), most_of(d, steps), acc);
    if (d->open && m != BLOCK) {
        /* nothing of the index follows from how many lanes there are at this size */
        const cg_ix behind = cg_ix_addc(&l->ix, first, steps * lanes);
        const cg_ix at = cg_ix_var(&l->ix, cg_ix_value(&l->ix, &l->b, behind), 0, d->n - 1);
        next_element(d, at, is_below(d, j, tail), acc, acc);
    } else if (tail) {
        const cg_val there = cg_within(l, j, 0, tail, &never);
        /* the mask excludes all other lanes, so their index needs no clamp */
        cg_ix last = cg_ix_var(&l->ix, cg_ix_value(&l->ix, &l->b, j), 0, tail - 1);
        cg_ix at = cg_ix_addc(&l->ix, cg_ix_add(&l->ix, base, last), steps * lanes);
        next_element(d, at, there, acc, acc);
    }
}

static void
lane_of_serial(fold_loops *d, cg_ix base, cg_ix j, int64_t m, int64_t lanes, cg_val *acc)
{
    cg_lowering *l = d->l;
    cg_ix first = cg_ix_add(&l->ix, base, j);
    if (m == lanes && !d->open) {
        first_element(d, first, acc);
        return;
    }
    cg_val count = cg_i64(&l->b, m / lanes);
    if (d->open) {
        /* the last step has fewer lanes; which elements there are is known without it */
        const cg_val all = cg_i64(&l->b, m + lanes - 1), of = cg_ix_value(&l->ix, &l->b, j);
        count = cg_insn2(&l->b, SC_shr, COT_I64, cg_isub(&l->b, all, of), cg_i64(&l->b, 5));
        chain(d, first, lanes, count, most_of(d, (m + lanes - 1) / lanes), acc);
        return;
    }
    if (m % lanes) {
        cg_ix left = cg_ix_addc(&l->ix, cg_ix_mul(&l->ix, j, -1), m + lanes - 1);
        count = cg_idiv(&l->b, cg_ix_value(&l->ix, &l->b, left), lanes);
    }
    chain(d, first, lanes, count, (m + lanes - 1) / lanes, acc);
}

/* Begin a loop over lo <= i < hi. */
static cg_val
begin_loop(fold_loops *d, cg_kind kind, cg_val lo, cg_val hi)
{
    return cg_loop_begin(&d->l->b, kind, lo, hi, 1, 0);
}

/* End a loop whose iterations computed `out`, to which their combination is assigned. */
static void
end_loop(fold_loops *d, cg_val loop, cg_mode mode, cg_val *out)
{
    cg_build *b = &d->l->b;
    for (int i = 0; i < d->k; i++)
        cg_loop_reduce(b, loop, mode, d->how[i].op, d->how[i].type, out[i]);
    cg_loop_end(b, loop);
    for (int i = 0; i < d->k; i++)
        out[i] = cg_loop_result(b, loop, i);
}

/* A block of elements base ... base + m - 1, as a fold over lanes. */
static void
block(fold_loops *d, cg_ix base, int64_t m, cg_val *out)
{
    cg_lowering *l = d->l;
    int64_t lanes = m < LANES && !d->open ? cg_pow2_from(m) : LANES;
    bool vector = d->form == CG_FOLD_LANES || d->form == CG_FOLD_STREAMS;
    if (m == 1 && !d->open) {
        first_element(d, base, out);
        return;
    }
    if (!vector && d->any_order) {
        chain(d, base, 1, cg_i64(&l->b, m), m, out);
        return;
    }
    cg_val limit = vector && m < lanes ? cg_i64(&l->b, m) : 0;
    const cg_kind reduce_scope = l->reduce_scope, kind = !vector        ? CG_SERIAL
                                                         : reduce_scope ? CG_LANES
                                                                        : CG_VECTOR;
    cg_val loop = cg_loop_begin(&l->b, kind, cg_i64(&l->b, 0), cg_i64(&l->b, lanes), 1, limit);
    cg_ix j = cg_ix_var(&l->ix, cg_loop_var(&l->b, loop), 0, (m < lanes ? m : lanes) - 1);
    bool old = l->vector;
    l->vector |= kind == CG_VECTOR;
    l->reduce_scope = CG_SERIAL;
    if (vector)
        lane_of_vector(d, base, j, m, lanes, out);
    else
        lane_of_serial(d, base, j, m, lanes, out);
    l->vector = old;
    l->reduce_scope = reduce_scope;
    end_loop(d, loop, CG_FOLD, out);
}

/* End a branch whose sides computed x and y; out is what was computed. */
static void
end_branch(fold_loops *d, cg_val branch, const cg_val *x, const cg_val *y, cg_val *out)
{
    cg_build *b = &d->l->b;
    for (int i = 0; i < d->k; i++)
        cg_if_yield(b, branch, d->how[i].type, x[i], y[i]);
    cg_if_end(b, branch);
    for (int i = 0; i < d->k; i++)
        out[i] = cg_loop_result(b, branch, i);
}

/* Block b of n elements.  The last block may be partial. */
static void
any_block(fold_loops *d, cg_val b, int64_t n, int64_t lo, int64_t hi, cg_val *out)
{
    cg_lowering *l = d->l;
    int64_t full = n / BLOCK, rest = n % BLOCK;
    /* last full block: the range keeps index expressions affine */
    int64_t last = hi < full ? hi - 1 : full - 1;
    cg_ix base = cg_ix_mul(&l->ix, cg_ix_var(&l->ix, b, lo, last), BLOCK);
    if (!rest || hi <= full) {
        block(d, base, BLOCK, out);
        return;
    }
    cg_val branch = cg_if_begin(&l->b, cg_insn2(&l->b, SC_lt, COT_I64, b, cg_i64(&l->b, full)));
    cg_val *x = IR_NEW_N(l->arena, cg_val, d->k), *y = IR_NEW_N(l->arena, cg_val, d->k);
    block(d, base, BLOCK, x);
    cg_if_else(&l->b, branch);
    /* nothing follows from the number at which it begins at this size */
    const cg_ix behind = d->open ? cg_ix_mul(&l->ix, cg_ix_var(&l->ix, b, lo, full), BLOCK)
                                 : cg_ix_const(&l->ix, full * BLOCK);
    block(d, behind, rest, y);
    end_branch(d, branch, x, y, out);
}

/* Two runs of blocks from block `first` on, in lockstep, since one stream of loads does not
 * saturate memory.  Each run is a node of the tree, and so are both together. */
static void
two_runs(fold_loops *d, cg_val first, int64_t n, cg_val *out)
{
    cg_lowering *l = d->l;
    cg_build *b = &l->b;
    cg_val runs = begin_loop(d, CG_UNROLL, cg_i64(b, 0), cg_i64(b, 2));
    cg_val from = cg_iadd(b, first, cg_imul(b, cg_loop_var(b, runs), RUN));
    cg_val loop = begin_loop(d, CG_SERIAL, cg_i64(b, 0), cg_i64(b, RUN));
    cg_ix at_block =
        cg_ix_var(&l->ix, cg_iadd(b, from, cg_loop_var(b, loop)), 0, n / BLOCK - 1);
    block(d, cg_ix_mul(&l->ix, at_block, BLOCK), BLOCK, out);
    end_loop(d, loop, CG_TREE, out);
    end_loop(d, runs, CG_FOLD, out);
}

/* Blocks lo ... hi - 1 of n elements, as a tree. */
static void
tree_of_blocks(fold_loops *d, int64_t n, cg_val lo, cg_val hi, int64_t least, cg_val *out)
{
    int64_t blocks = (n + BLOCK - 1) / BLOCK;
    cg_val loop = begin_loop(d, CG_SERIAL, lo, hi);
    any_block(d, cg_loop_var(&d->l->b, loop), n, least, blocks, out);
    end_loop(d, loop, CG_TREE, out);
}

/* Iteration u of the tree loop: a block, or two runs of blocks, the last of which may be
 * partial. */
static void
any_unit(fold_loops *d, cg_val u, int64_t n, cg_val *out)
{
    cg_build *b = &d->l->b;
    int64_t blocks = (n + BLOCK - 1) / BLOCK, full = n / (d->unit * BLOCK);
    if (d->unit == 1) {
        any_block(d, u, n, 0, blocks, out);
        return;
    }
    cg_val first = cg_imul(b, u, d->unit);
    if (full * d->unit * BLOCK == n) {
        two_runs(d, first, n, out);
        return;
    }
    cg_val branch = cg_if_begin(b, cg_insn2(b, SC_lt, COT_I64, u, cg_i64(b, full)));
    cg_val *rest = IR_NEW_N(d->l->arena, cg_val, d->k);
    two_runs(d, first, n, out);
    cg_if_else(b, branch);
    tree_of_blocks(d, n, cg_i64(b, full * d->unit), cg_i64(b, blocks), full * d->unit, rest);
    end_branch(d, branch, out, rest, out);
}

/* Iteration u of the tree loop, or neutral elements if u is not below `units`. */
static void
unit_within(fold_loops *d, cg_val u, int64_t units, int64_t n, cg_val *out)
{
    cg_build *b = &d->l->b;
    cg_val branch = cg_if_begin(b, cg_insn2(b, SC_lt, COT_I64, u, cg_i64(b, units)));
    cg_val neutral[8];
    any_unit(d, u, n, out);
    cg_if_else(b, branch);
    for (int i = 0; i < d->k; i++)
        neutral[i] = cg_neutral(b, d->how[i].op, d->how[i].type);
    end_branch(d, branch, out, neutral, out);
}

/* A warp's run of iterations of the tree loop, from `first` on.  Their number is a power of
 * two; absent ones are neutral, like a node without a partner.  The extent is therefore
 * constant, and the partial results of the tree stay in registers. */
static void
run_of_warp(fold_loops *d, cg_val first, int64_t run, int64_t units, bool all, int64_t n,
            cg_val *out)
{
    cg_build *b = &d->l->b;
    if (run == 1 && all) {
        any_unit(d, first, n, out);
        return;
    }
    cg_val loop = begin_loop(d, CG_SERIAL, cg_i64(b, 0), cg_i64(b, run));
    cg_val u = cg_iadd(b, first, cg_loop_var(b, loop));
    if (!all)
        unit_within(d, u, units, n, out);
    else
        any_unit(d, u, n, out);
    end_loop(d, loop, CG_TREE, out);
}

/* Runs of `run` iterations from `base` on (0: the first), one for each of so many warps. */
static void
runs_of_warps(fold_loops *d, int64_t warps, cg_val base, int64_t run, int64_t units, bool all,
              int64_t n, cg_val *out)
{
    cg_build *b = &d->l->b;
    cg_val loop = cg_loop_of(b, CG_WARPS, warps), lo = cg_imul(b, cg_loop_var(b, loop), run);

    lo = base ? cg_iadd(b, base, lo) : lo;
    d->l->reduce_scope = CG_WARPS;
    run_of_warp(d, lo, run, units, all, n, out);
    d->l->reduce_scope = CG_GRID;
    end_loop(d, loop, CG_TREE, out);
}

/* Iterations lo ... hi - 1 of the tree loop. */
static void
units(fold_loops *d, cg_val lo, cg_val hi, int64_t n, cg_val *out)
{
    cg_val loop = begin_loop(d, CG_SERIAL, lo, hi);

    any_unit(d, cg_loop_var(&d->l->b, loop), n, out);
    end_loop(d, loop, CG_TREE, out);
}

/* All blocks as a tree.  Threads get runs of a power of two of iterations, each of which is a
 * node of the tree. */
static void
tree(fold_loops *d, int64_t n, bool parallel, cg_val *out)
{
    cg_build *b = &d->l->b;
    int64_t blocks = (n + BLOCK - 1) / BLOCK, all = (blocks + d->unit - 1) / d->unit, run = 1;
    const bool warps = d->l->reduce_scope == CG_GRID;
    const int64_t most = warps ? cg_block_warps(n) : PARTS;
    if (!warps && (!parallel || blocks < PARTS)) {
        cg_val end = cg_i64(b, all);
        units(d, cg_i64(b, 0), end, n, out);
        return;
    }
    while ((all + run - 1) / run > most)
        run *= 2;
    if (warps) {
        runs_of_warps(d, (all + run - 1) / run, 0, run, all, all % run == 0, n, out);
        return;
    }
    cg_val parts = cg_loop_of(b, CG_PARALLEL, (all + run - 1) / run);
    cg_val lo = cg_imul(b, cg_loop_var(b, parts), run), bound = cg_i64(b, all);
    units(d, lo, cg_imin(b, cg_iadd(b, lo, cg_i64(b, run)), bound), n, out);
    end_loop(d, parts, CG_TREE, out);
}

/* The blocks of a share, a power of two, so that there are at most so many shares of the blocks
 * of an open number n of elements: all bits below the highest one of n / (BLOCK parts) are set,
 * and one is added. */
static cg_val
blocks_of_share(cg_build *b, int64_t n, int64_t parts)
{
    const cg_val least = cg_i64(b, BLOCK * parts);
    cg_val x = cg_insn2(b, SC_div, COT_I64, cg_i64(b, n), least);

    for (int shift = 1; shift < 64; shift *= 2)
        x = cg_insn2(b, SC_or, COT_I64, x, cg_insn2(b, SC_shr, COT_I64, x, cg_i64(b, shift)));
    return cg_insn2(b, SC_max, COT_I64, cg_iadd(b, x, cg_i64(b, 1)), cg_i64(b, 1));
}

/* The tree of an open number of blocks, by threads or by the warps of a GPU's block: shares
 * behind the last block are neutral, like a node without a partner. */
static void
tree_of_shares(fold_loops *d, cg_kind kind, int64_t most, int64_t n, cg_val *out)
{
    cg_build *b = &d->l->b;
    const cg_val zero = cg_i64(b, 0), run = blocks_of_share(b, n, most),
                 bound = cg_i64(b, (n + BLOCK - 1) / BLOCK);
    const cg_val parts = cg_loop_of(b, kind, most);
    cg_val lo = cg_insn2(b, SC_mul, COT_I64, cg_loop_var(b, parts), run);

    /* the proof of a division of the index wants to know how large it is */
    lo = cg_imin(b, cg_insn2(b, SC_max, COT_I64, lo, zero), bound);
    units(d, lo, cg_imin(b, cg_iadd(b, lo, run), bound), n, out);
    end_loop(d, parts, CG_TREE, out);
}

static void
tree_of_warps(fold_loops *d, int64_t n, cg_val *out)
{
    d->l->reduce_scope = CG_WARPS;
    tree_of_shares(d, CG_WARPS, CG_ELEMENTAL_LONG_ROW_WARPS, n, out);
    d->l->reduce_scope = CG_GRID;
}

/* Few blocks are not worth that. */
static void
tree_of_open(fold_loops *d, int64_t n, cg_val *out)
{
    cg_build *b = &d->l->b;
    const cg_val few = cg_insn2_kept(b, SC_lt, cg_i64(b, n), cg_i64(b, BLOCK * PARTS)),
                 branch = cg_if_begin(b, few);
    cg_val *x = IR_NEW_N(d->l->arena, cg_val, d->k);

    if (d->any_order)
        block(d, 0, n, x);
    else
        units(d, cg_i64(b, 0), cg_i64(b, (n + BLOCK - 1) / BLOCK), n, x);
    cg_if_else(b, branch);
    tree_of_shares(d, CG_PARALLEL, PARTS, n, out);
    end_branch(d, branch, x, out, out);
}

int64_t
cg_block_warps(int64_t n)
{
    return n >= CG_ELEMENTAL_LONG_ROW ? CG_ELEMENTAL_LONG_ROW_WARPS : CG_ELEMENTAL_BLOCK_WARPS;
}

static fold_loops
fold_of(cg_lowering *l, int k, const cg_fold *how, cg_fold_form form, cg_fold_body *body,
        void *user)
{
    fold_loops d = { .l = l, .k = k, .how = how, .form = form, .body = body, .user = user };
    d.unit = 1;
    d.any_order = true;
    for (int i = 0; i < k; i++)
        d.any_order &= is_any_order(&how[i]);
    return d;
}

void
cg_fold_loops(cg_lowering *l, int64_t n, int k, const cg_fold *how, cg_fold_form form,
              bool parallel, cg_fold_body *body, void *user, cg_val *out)
{
    fold_loops d = fold_of(l, k, how, form, body, user);
    d.reduction = cg_reduction_new(&l->b, n, 0, 1);
    d.open = cg_is_open(l, n);
    d.n = n;
    if (form == CG_FOLD_STREAMS && n >= CG_ELEMENTAL_MIN_STREAMS && !d.open)
        d.unit = 2 * RUN;
    if (form == CG_FOLD_UNROLLED)
        unrolled(&d, n, out);
    else if (l->reduce_scope != CG_GRID &&
             (n <= BLOCK || (d.any_order && !parallel && d.unit == 1)))
        block(&d, 0, n, out);
    else if (d.open && l->reduce_scope == CG_GRID)
        tree_of_warps(&d, n, out);
    else if (parallel && d.open)
        tree_of_open(&d, n, out);
    else
        tree(&d, n, parallel && !d.open, out);
    for (int i = 0; i < k && d.open; i++)
        out[i] = cg_unless_empty(l, n, &how[i], out[i]);
}

/* Each warp has a run of blocks.  Absent blocks are neutral, like a node without a partner. */
void
cg_fold_part(cg_lowering *l, int64_t n, int k, const cg_fold *how, cg_val part, int64_t each,
             cg_fold_body *body, void *user, cg_val *out)
{
    fold_loops d = fold_of(l, k, how, CG_FOLD_LANES, body, user);
    const int64_t blocks = (n + BLOCK - 1) / BLOCK, run = each / CG_ELEMENTAL_MIN_GRID_PART;
    d.reduction = cg_reduction_new(&l->b, n, part, (blocks + each - 1) / each);
    runs_of_warps(&d, CG_ELEMENTAL_MIN_GRID_PART, cg_imul(&l->b, part, each), run, blocks,
                  blocks % each == 0, n, out);
}

void
cg_fold_one_block(cg_lowering *l, int64_t n, int k, const cg_fold *how, cg_val number,
                  cg_fold_body *body, void *user, cg_val *out)
{
    fold_loops d = fold_of(l, k, how, CG_FOLD_SERIAL, body, user);
    const int64_t blocks = (n + BLOCK - 1) / BLOCK;
    d.reduction = cg_reduction_new(&l->b, n, number, blocks);
    any_block(&d, number, n, 0, blocks, out);
}
