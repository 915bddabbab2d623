/* Reductions that are emitted inline.
 *
 * argmax and argmin are two such reductions: the best value, then the least index that has it.
 * On a long line the first works block by block, and the second visits only the first block
 * that has the best value, so that memory is read once. */
#include "codegen/elemental/fold.h"
#include "codegen/elemental/element.h"
#include "codegen/fuse/cost.h"
#include "codegen/lower/rules.h"
#include "codegen/plan/plan.h"
#include "codegen/tuning.h"

/* The empty float sum is +0, unlike the neutral element, which is -0. */
static cg_val
empty_fold(cg_lowering *l, ir_op op, const cg_fold *how)
{
    if (ir_ops[op].by == IR_BY_SUM)
        return cg_const(&l->b, how->type, 0);
    return cg_neutral(&l->b, how->op, how->type);
}

typedef struct inline_fold {
    cg_frame *fr;
    const ir_node *n;
    const cg_ix *at;
    cot_dtype type;
    cg_ix from;                 /* index of the first element */
    cg_val best;                /* arg: the best value; the type of indices */
    cot_dtype index;
} inline_fold;

static void
reduced_element(cg_lowering *l, void *user, cg_ix j, cg_val *e)
{
    inline_fold *p = user;
    cg_ix to[COT_MAX_RANK];
    cg_reduced_index(l, p->fr->f, p->n, p->at, cg_ix_add(&l->ix, p->from, j), to);
    cot_dtype t = ir_type_at(p->fr->f, p->n->in[0])->dtype;
    e[0] = cg_convert(l, cg_element(l, p->fr, p->n->in[0], to), t, p->type);
}

/* An estimate of the instructions for an element of v; some of them may be shared or in
 * memory. */
static int64_t
element_cost(const ir_graph *f, ir_ref v, int depth)
{
    const ir_node *n = ir_def(f, v);
    if (!n || depth == 0 || ir_ops[n->op].flag != IR_POINTWISE)
        return 0;
    int64_t cost = cg_op_cost(f, n);
    for (int i = 0; i < n->n_in; i++)
        cost += element_cost(f, n->in[i], depth - 1);
    return cost;
}

/* Does emitting an element of v emit sums, or too many nodes to examine?  Unrolled copies share
 * such sums, which are memoised; a loop would compute them again in each iteration, and nested
 * loops multiply that. */
static bool
contains_sums(const cg_frame *fr, ir_ref v, int *left)
{
    const ir_node *n = ir_def(fr->f, v);
    const cg_bind *b = cg_bound(fr, v);
    if (b->kind == CG_BIND_OUTER)
        return contains_sums(b->frame, b->ref, left);
    if (!n || b->kind != CG_BIND_NODE || (fr->place && fr->place[v].set && !cg_is_made(fr, v)))
        return false;
    bool sums =
        ir_ops[n->op].flag == IR_REDUCE || ir_ops[n->op].flag == IR_CONTRACT || (*left)-- <= 0;
    for (int i = 0; i < n->n_in && !sums; i++)
        sums = contains_sums(fr, n->in[i], left);
    return sums;
}

static cg_fold_form
pick_form(const cg_lowering *l, const cg_frame *fr, const ir_node *n, int64_t size)
{
    const ir_graph *f = fr->f;
    int first, last, left = CG_LOWER_MAX_SUM_SEARCH;
    cg_reduced(f, n, &first, &last);
    bool expensive = size > 2 && element_cost(f, n->in[0], 4) > CG_LOWER_MAX_UNROLLED_COST &&
                     !contains_sums(fr, n->in[0], &left);
    if (l->exact || (size <= CG_LOWER_MAX_UNROLLED_SUM && (!expensive || l->vector)))
        return CG_FOLD_UNROLLED;
    if (l->vector && !l->target.grid && size <= CG_FUSE_MAX_WINDOW &&
        element_cost(f, n->in[0], 4) == 0 && !contains_sums(fr, n->in[0], &left))
        return CG_FOLD_UNROLLED;
    bool trailing = true;
    for (int k = last; k < ir_type_at(f, n->in[0])->rank; k++)
        trailing &= ir_type_at(f, n->in[0])->dims[k] == 1;
    if (l->reduce_scope)
        return CG_FOLD_LANES;
    return l->vector || !trailing || l->target.vector_bits <= 64 ? CG_FOLD_SERIAL
                                                                 : CG_FOLD_LANES;
}

cg_val
lower_reduce(cg_lowering *l, cg_frame *fr, const ir_node *n, int result, const cg_ix *at)
{
    int first, last;
    int64_t size = cg_reduced(fr->f, n, &first, &last);
    const cg_fold how = cg_fold_of(ir_ops[n->op].by, ir_type_at(fr->f, n->in[0])->dtype);
    inline_fold p = {
        .fr = fr, .n = n, .at = at, .type = how.type, .from = cg_ix_const(&l->ix, 0)
    };
    cg_val x;
    (void)result;
    if (size == 0)
        x = empty_fold(l, n->op, &how);
    else
        cg_fold_loops(l, size, 1, &how, pick_form(l, fr, n, size), false, reduced_element, &p,
                      &x);
    return cg_fold_finish(l, fr->f, n, x);
}

/* The index of element j if the element equals the best value (NaN equals NaN), else the
 * largest index. */
static void
reduced_place(cg_lowering *l, void *user, cg_ix j, cg_val *e)
{
    inline_fold *p = user;
    cg_val x, here = cg_ix_value(&l->ix, &l->b, cg_ix_add(&l->ix, p->from, j));
    here = cg_convert(l, here, COT_I64, p->index);
    reduced_element(l, user, j, &x);
    cg_val hit = cg_insn2(&l->b, SC_eq, p->type, x, p->best);
    if (ir_is_float(p->type))
        hit = cg_insn2(&l->b, SC_or, COT_BOOL, hit, cg_insn2(&l->b, SC_ne, p->type, x, x));
    e[0] = cg_insn3(&l->b, SC_select, p->index, hit, here, cg_neutral(&l->b, SC_min, p->index));
}

/* Is x better than best?  NaN is better than any number. */
static cg_val
is_better(cg_lowering *l, const cg_fold *how, cg_val x, cg_val best)
{
    cg_build *b = &l->b;
    const bool max = how->op == SC_max;
    cg_val y = cg_insn2(b, SC_lt, how->type, max ? best : x, max ? x : best);
    if (!ir_is_float(how->type))
        return y;
    cg_val nan = cg_insn2(b, SC_and, COT_BOOL, cg_insn2(b, SC_ne, how->type, x, x),
                          cg_insn2(b, SC_eq, how->type, best, best));
    return cg_insn2(b, SC_or, COT_BOOL, y, nan);
}

/* The first element of block k.  The last block is moved back to end with the line.  The
 * verifier knows no range of a number that a loop carries, so both bounds are stated. */
static cg_ix
block_start(cg_lowering *l, cg_val k, int64_t size)
{
    cg_val start = cg_imul(&l->b, k, CG_LOWER_ARG_BLOCK),
           last = cg_i64(&l->b, size - CG_LOWER_ARG_BLOCK);
    start = cg_insn2(&l->b, SC_max, COT_I64, cg_imin(&l->b, start, last), cg_i64(&l->b, 0));
    return cg_ix_var(&l->ix, start, 0, size - CG_LOWER_ARG_BLOCK);
}

/* The best value so far, and the first block that has it. */
typedef struct best {
    cg_val value, block;
} best;

typedef best candidate(cg_lowering *l, const void *user, cg_val k);

/* The first of the candidates lo ... hi - 1 that has the best value. */
static best
first_best(cg_lowering *l, const cg_fold *how, cg_val lo, cg_val hi, candidate *at,
           const void *user)
{
    cg_build *b = &l->b;
    cg_val loop = cg_loop_begin(b, CG_SERIAL, lo, hi, 1, 0);
    const best old = { cg_loop_carry(b, loop, how->type, cg_neutral(b, how->op, how->type)),
                       cg_loop_carry(b, loop, COT_I64, lo) };
    const best x = at(l, user, cg_loop_var(b, loop));
    cg_val better = is_better(l, how, x.value, old.value);
    cg_loop_next(b, loop, old.value,
                 cg_insn3(b, SC_select, how->type, better, x.value, old.value));
    cg_loop_next(b, loop, old.block,
                 cg_insn3(b, SC_select, COT_I64, better, x.block, old.block));
    cg_loop_end(b, loop);
    return (best){ cg_loop_result(b, loop, 0), cg_loop_result(b, loop, 1) };
}

typedef struct blocks {
    inline_fold *p;
    const cg_fold *how;
    int64_t size;
} blocks;

static best
best_of_block(cg_lowering *l, const void *user, cg_val k)
{
    const blocks *w = user;
    cg_val x;
    w->p->from = block_start(l, k, w->size);
    cg_fold_loops(l, CG_LOWER_ARG_BLOCK, 1, w->how, CG_FOLD_LANES, false, reduced_element, w->p,
                  &x);
    return (best){ x, k };
}

/* Buffers of the results of each part. */
typedef struct parts {
    uint32_t value, block;
} parts;

static best
best_of_part(cg_lowering *l, const void *user, cg_val k)
{
    const parts *w = user;
    return (best){ cg_load(&l->b, w->value, k, 0), cg_load(&l->b, w->block, k, 0) };
}

/* The same, with parts of the blocks divided among threads. */
static best
best_of_parts(cg_lowering *l, const blocks *w, int64_t n)
{
    cg_build *b = &l->b;
    const int64_t run = (n + CG_LOWER_ARG_PARTS - 1) / CG_LOWER_ARG_PARTS,
                  all = (n + run - 1) / run;
    const uint32_t value = cg_work_buffer(l, "t", "parts", w->how->type, all);
    const parts y = { value, cg_work_buffer(l, "t", "parts", COT_I64, all) };
    cg_val loop = cg_loop_of(b, CG_PARALLEL, all);
    cg_val part = cg_loop_var(b, loop), lo = cg_imul(b, part, run);
    cg_val hi = cg_imin(b, cg_iadd(b, lo, cg_i64(b, run)), cg_i64(b, n));
    const best x = first_best(l, w->how, lo, hi, best_of_block, w);
    cg_store(b, y.value, part, x.value, 0);
    cg_store(b, y.block, part, x.block, 0);
    cg_loop_end(b, loop);
    return first_best(l, w->how, cg_i64(b, 0), cg_i64(b, all), best_of_part, &y);
}

/* Find the best value of a long line, p->best, and the first block that has it, p->from.  The
 * last block may repeat elements of the block before it, but if it is chosen, these are not as
 * good. */
static void
best_block(cg_lowering *l, inline_fold *p, const cg_fold *how, int64_t size, bool split)
{
    const blocks w = { p, how, size };
    const int64_t n = (size + CG_LOWER_ARG_BLOCK - 1) / CG_LOWER_ARG_BLOCK;
    const best x =
        split ? best_of_parts(l, &w, n)
              : first_best(l, how, cg_i64(&l->b, 0), cg_i64(&l->b, n), best_of_block, &w);
    p->best = x.value;
    p->from = block_start(l, x.block, size);
}

cg_val
lower_arg(cg_lowering *l, cg_frame *fr, const ir_node *n, int result, const cg_ix *at)
{
    int first, last;
    int64_t size = cg_reduced(fr->f, n, &first, &last);
    cg_fold how = cg_fold_of(ir_ops[n->op].by, ir_type_at(fr->f, n->in[0])->dtype);
    inline_fold p = { .fr = fr,
                      .n = n,
                      .at = at,
                      .type = how.type,
                      .from = cg_ix_const(&l->ix, 0),
                      .index = size <= INT32_MAX ? COT_I32 : COT_I64 };
    cg_fold_form form = pick_form(l, fr, n, size);
    cot_dtype t = ir_type_at(fr->f, n->first)->dtype;
    const bool split = l->split; /* reductions inside the operand are not split */
    cg_val x;
    (void)result;
    l->split = false;
    if (size == 0)
        return cg_const(&l->b, t, 0);
    if (form == CG_FOLD_LANES && !l->reduce_scope && how.type != COT_BOOL &&
        size >= CG_LOWER_ARG_BLOCKS * CG_LOWER_ARG_BLOCK) {
        best_block(l, &p, &how, size, split);
        size = CG_LOWER_ARG_BLOCK;
    } else {
        cg_fold_loops(l, size, 1, &how, form, false, reduced_element, &p, &p.best);
    }
    how = (cg_fold){ .op = SC_min, .type = p.index };
    cg_fold_loops(l, size, 1, &how, form, false, reduced_place, &p, &x);
    return cg_convert(l, x, p.index, t);
}
