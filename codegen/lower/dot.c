/* Matrix products (dot.h): the inner form as the reduction of docs/numerics.md section 3, the
 * general form as register tiles.
 *
 * A tile is `unroll i MR { unroll v NV { vector l W { for k ... fma } } }`: MR x NV vectors of
 * W lanes are accumulated in registers, each k loading NV vectors of the right side and MR
 * scalars of the left.  Two schedules surround it:
 *
 *   direct   tiles read both operands in place: small products, few rows, outer products.  A
 *            right side that does not stay in the cache is streamed: blocks of k are the
 *            outermost loop, and a tile prefetches what the next one reads
 *   packed   the loops of BLIS (Van Zee, van de Geijn, ACM TOMS 41(3), 2015): a block of 256
 *            k's of the right side is copied into panels of NR columns, with zeros beyond the
 *            edge; a tile multiplies a panel that stays in L1 by rows of the left side that
 *            stay in L2
 *
 * Where the right side has fewer columns than a vector has lanes, these run along a line, which
 * is the last axis of the left side, or along the batch: convolutions to few features, those of
 * groups of few features, and batches of small matrices.
 *
 * All compute the numbers of docs/numerics.md section 4: a chain of fma from +0 over each
 * block of 256 k's, and the sum of the blocks in order, which starts at -0 (the neutral
 * element).  The choice does not change the result. */
#include "codegen/lower/dot_inside.h"

const cg_dot_shape *
cg_dot_plan(cg_lowering *l, const cg_dot *d, bool inner, ir_loc loc)
{
    cg_dot_shape *s = IR_NEW(l->draft, cg_dot_shape);

    *s = cg_dot_shape_of(d);
    s->b.open = cg_is_open(l, s->b.total);
    s->m.open = cg_is_open(l, s->m.total);
    s->n.open = cg_is_open(l, s->n.total);
    s->k.open = cg_is_open(l, s->k.total);
    cg_dot_schedule how = cg_dot_choose(s, d, &l->target, l->o->threads, inner);
    cg_dot_given(l, d, inner, loc, &how);
    cg_dot_schedule_by(s, d, &how);
    ir_buf_printf(l->why, "%s: schedule ", l->k->name);
    cg_dot_schedule_print(l->why, &how);
    ir_buf_str(l->why, "\n");
    return s;
}

void
cg_dot_build(cg_lowering *l, const cg_dot *d, const cg_dot_shape *shape, bool inner)
{
    cg_dot_product p = { .l = l, .b = &l->b, .d = d, .s = *shape, .inner = inner };

    if (!p.s.b.total || !p.s.m.total || !p.s.n.total)
        return;
    p.base = p.c_at = p.b_at = p.a_at = cg_i64(p.b, 0);
    if (p.s.how.lanes == CG_DOT_TENSOR)
        cg_dot_tensor(&p);
    else if (l->target.grid)
        cg_dot_grid(&p);
    else
        cg_dot_nest(&p);
}
