/* The sum of an element of a contraction: docs/numerics.md section 4.
 *
 * A chain of fma from +0 over each block of 256 k's, and the sum of the blocks in order, which
 * starts at -0.  Schedules differ in where a step reads its operands, and in how many steps an
 * iteration has.  If k has several axes (the window of a convolution), a block is visited in
 * runs along the innermost axis, so that addresses are affine in the innermost loop. */
#include "codegen/lower/dot_inside.h"

cg_val
cg_dot_blocks(cg_build *b, cot_dtype t, int64_t total, bool open, cg_dot_part *part,
              const void *user)
{
    cg_val zero = cg_i64(b, 0), all = cg_i64(b, total);

    if (total <= KC)
        return part(user, zero, all);
    cg_val blocks = loop_over(b, zero, blocks_end(b, total, open), KC),
           lo = cg_loop_var(b, blocks),
           sum = cg_loop_carry(b, blocks, t, cg_neutral(b, SC_add, t));
    cg_val hi = cg_imin(b, cg_iadd(b, lo, cg_i64(b, KC)), all);
    cg_loop_next(b, blocks, sum, cg_insn2(b, SC_add, t, sum, part(user, lo, hi)));
    cg_loop_end(b, blocks);
    return cg_loop_result(b, blocks, 0);
}

cg_val
cg_dot_base(cg_build *b, const cg_dot_group *g, const int64_t *stride, cg_val from)
{
    cg_val along = cg_imul(b, from, innermost(g, stride));

    return cg_isub(b, offset(b, g, stride, from), along);
}

cg_dot_runs
cg_dot_runs_begin(cg_build *b, const cg_dot_group *g, const int64_t *stride, cg_val lo,
                  cg_val hi, bool constant)
{
    cg_dot_runs r = { 0, lo, hi, cg_i64(b, 0), cg_i64(b, 0) };
    int64_t first, end;

    if (!g || g->n <= 1)
        return r;
    const int64_t size = g->size[g->n - 1];
    cg_val past = cg_idiv(b, cg_iadd(b, hi, cg_i64(b, size - 1)), size);
    r.loop = loop_over(b, cg_idiv(b, lo, size), past, 1);
    r.from = cg_imul(b, cg_loop_var(b, r.loop), size);
    /* all k's are whole runs, whose lengths are then constant */
    const bool whole = constant && cg_is_const(b->k, lo, &first) &&
                       cg_is_const(b->k, hi, &end) && first == 0 && end == g->total;
    r.lo = whole ? r.from : cg_insn2(b, SC_max, COT_I64, r.from, lo);
    r.hi = cg_iadd(b, r.from, cg_i64(b, size));
    r.hi = whole ? r.hi : cg_imin(b, r.hi, hi);
    r.base = cg_dot_base(b, g, stride, r.from);
    return r;
}

/* Declare to the verifier that k number `i` of an iteration is taken. */
static void
take(cg_build *b, const cg_dot_chain *c, cg_val k, int64_t i)
{
    const cg_take_term term[2] = { { k, 1 }, { c->k0, 1 } };

    cg_take_element(
        b, (cg_take){ .reduction = c->reduction, .k = i, .n = c->k0 ? 2 : 1, .term = term });
}

/* Continue the chain with the k's of one run. */
static cg_val
run_chain(cg_build *b, const cg_dot_chain *c, const cg_dot_runs *r, cg_val acc)
{
    cg_val loop = loop_over(b, r->lo, r->hi, c->unroll), k = cg_loop_var(b, loop),
           sum = cg_loop_carry(b, loop, c->type, acc), next = sum;

    for (int64_t i = 0; i < c->unroll; i++) {
        take(b, c, k, i);
        next = c->step(c->user, r, cg_iadd(b, k, cg_i64(b, i)), next);
    }
    cg_loop_next(b, loop, sum, next);
    cg_loop_end(b, loop);
    return cg_loop_result(b, loop, 0);
}

cg_val
cg_dot_chain_sum(cg_build *b, const cg_dot_chain *c)
{
    const cg_dot_group *g = c->runs;
    cg_val acc = cg_const(b, c->type, 0);

    for (int64_t i = 0; c->unroll == CG_DOT_ALL && i < g->total; i++) {
        cg_val k = cg_i64(b, i);
        const cg_dot_runs r = { .from = k, .base = cg_dot_base(b, g, c->stride, k) };
        take(b, c, k, 0);
        acc = c->step(c->user, &r, k, acc);
    }
    if (c->unroll == CG_DOT_ALL)
        return acc;
    const cg_dot_runs r = cg_dot_runs_begin(b, g, c->stride, c->lo, c->hi, c->unroll > 1);
    if (!r.loop)
        return run_chain(b, c, &r, acc);
    cg_val sum = cg_loop_carry(b, r.loop, c->type, acc);
    cg_loop_next(b, r.loop, sum, run_chain(b, c, &r, sum));
    cg_loop_end(b, r.loop);
    return cg_loop_result(b, r.loop, 0);
}
