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
 * Both compute the numbers of docs/numerics.md section 4: a chain of fma from +0 over each
 * block of 256 k's, and the sum of the blocks in order, which starts at -0 (the neutral
 * element).  The choice does not change the result. */
#include "codegen/elemental/element.h"
#include "codegen/fuse/fuse.h"
#include "codegen/lower/dot_inside.h"

static void
one_batch(cg_dot_product *p, cg_val batch, cg_val m_begin, cg_val m_end)
{
    const cg_dot_shape *s = &p->s;

    cg_dot_set_batch(p, batch);
    if (s->how.lanes == CG_DOT_SUM)
        cg_dot_inner_form(p, m_begin, m_end);
    else if (s->how.lanes == CG_DOT_LINES)
        cg_dot_direct(p, m_begin, m_end);
    else if (is_packed(s))
        cg_dot_packed(p);
    else
        cg_dot_in_place(p, m_begin, m_end);
}

static void
batches(cg_dot_product *p, cg_val from, cg_val to, cg_val m_begin, cg_val m_end)
{
    if (p->s.how.lanes == CG_DOT_BATCH) {
        p->left = p->d->lhs_offset ? p->d->lhs_offset : cg_i64(p->b, 0);
        p->right = p->d->rhs_offset ? p->d->rhs_offset : cg_i64(p->b, 0);
        cg_dot_batch_vectorised(p, from, to);
        return;
    }
    cg_val loop = loop_over(p->b, from, to, 1);
    one_batch(p, cg_loop_var(p->b, loop), m_begin, m_end);
    cg_loop_end(p->b, loop);
}

const cg_dot_shape *
cg_dot_plan(cg_lowering *l, const cg_dot *d, bool inner, ir_loc loc)
{
    cg_dot_shape *s = IR_NEW(l->draft, cg_dot_shape);

    *s = cg_dot_shape_of(d);
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
    cg_build *b = &l->b;
    cg_dot_product p = { .l = l, .b = b, .d = d, .s = *shape, .inner = inner };
    const cg_dot_shape *s = &p.s;
    const bool by_batch = s->how.share == CG_DOT_SHARE_BATCH;
    cg_val zero = cg_i64(b, 0), rows = cg_i64(b, s->m.total), count = cg_i64(b, s->b.total);

    if (!s->b.total || !s->m.total || !s->n.total)
        return;
    p.base = p.c_at = p.b_at = p.a_at = zero;
    if (l->target.grid) {
        cg_dot_grid(&p);
        return;
    }
    if (!by_batch && s->how.share != CG_DOT_SHARE_ROWS) {
        batches(&p, zero, count, zero, rows);
        return;
    }
    const int64_t share = cg_dot_share_size(s);
    cg_val loop = cg_loop_begin(b, CG_PARALLEL, zero, cg_i64(b, s->how.shares), 1, 0),
           number = cg_loop_var(b, loop);
    cg_val from = cg_imul(b, number, share);
    cg_val bound = cg_i64(b, by_batch ? s->b.total : s->m.total);
    cg_val to = cg_imin(b, cg_iadd(b, from, cg_i64(b, share)), bound);
    p.base = cg_imul(b, number, s->c_size + s->b_size + s->a_size);
    if (by_batch)
        batches(&p, from, to, zero, rows);
    else
        batches(&p, zero, count, from, to);
    cg_loop_end(b, loop);
}
