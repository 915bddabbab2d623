/* Products of many small pairs (dot.c): convolutions of groups of few features, above all
 * depthwise ones, and batched products whose batch axis is contiguous.
 *
 * One product has too few columns for lanes, so lanes run along the batch.  A tile is `unroll i
 * MR { unroll o N { vector g W { for k ... fma } } }`, all of whose loads are vectors.  Each
 * element is computed by the same chain as in any other schedule.  A right side that many rows
 * use is copied first, so that the lanes of each (k, o) are contiguous.  Rows are visited along
 * the innermost of their axes, in which addresses are affine; the few rows of a convolution's
 * kernel gradient are one tile. */
#include "codegen/lower/dot_inside.h"

/* The index of the lanes of (k, o) in a packed right side. k counts from the start of its
 * block, and `block` is the number of the block of the batch among those that are kept. */
static cg_val
kept_right(const cg_dot_product *p, cg_val block, cg_val k, cg_val o, cg_val lane)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    cg_val at = cg_iadd(b, cg_imul(b, block, at_most(KC, s->k.total)), k);
    cg_val right = cg_imul(b, o, s->how.width);
    return scratch_at(p, s->c_size, cg_iadd(b, cg_iadd(b, cg_imul(b, at, s->nr), right), lane));
}

static cg_val
right_element(const cg_dot_product *p, cg_val k, cg_val o, cg_val when)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    cg_val right = offset(b, &s->k, right_of(s, &s->k), k);
    cg_val at = cg_iadd(b, offset(b, &s->n, right_of(s, &s->n), o), right);
    return load(p, false, at, when);
}

/* The product for the lanes of elements g0 ... of the batch. */
typedef struct block {
    cg_dot_product p;
    cg_val lanes, lane, when;
    /* the packed right side: the number of its block of the batch; its first k */
    cg_val kept, k0;
} block;

static block
block_begin(const cg_dot_product *p, cg_val g0, cg_val kept, cg_val k0)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    block x = { .p = *p, .kept = kept, .k0 = k0 };
    x.lane = spmd(b, CG_VECTOR, s->how.width, &x.lanes);
    x.p.batch = cg_iadd(b, g0, x.lane);
    x.p.left = cg_iadd(b, p->left, cg_imul(b, x.p.batch, s->b.lhs[0]));
    x.p.right = cg_iadd(b, p->right, cg_imul(b, x.p.batch, s->b.rhs[0]));
    x.when = s->b.total % s->how.width ? less(b, x.p.batch, cg_i64(b, s->b.total)) : 0;
    return x;
}

static void
pack_block(const cg_dot_product *p, cg_val g0, cg_val kept, cg_val k0, cg_val k_end)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    cg_val loop = loop_over(b, k0, k_end, 1), k = cg_loop_var(b, loop), columns;
    cg_val o = spmd(b, CG_UNROLL, s->n.total, &columns);
    block x = block_begin(p, g0, kept, k0);
    cg_val value = right_element(&x.p, k, o, x.when);
    cg_store(b, p->d->scratch, kept_right(p, kept, cg_isub(b, k, k0), o, x.lane), value, 0);
    cg_loop_end(b, x.lanes);
    if (columns)
        cg_loop_end(b, columns);
    cg_loop_end(b, loop);
}

/* An element: the offset of its row, and its column. */
typedef struct batch_element {
    const block *x;
    cg_val row, o;
} batch_element;

static cg_val
step(const void *user, const cg_dot_runs *r, cg_val k, cg_val acc)
{
    const batch_element *e = user;
    const block *x = e->x;
    const cg_dot_shape *s = &x->p.s;
    cg_build *b = x->p.b;
    cg_val along = cg_imul(b, k, innermost(&s->k, left_of(s, &s->k)));
    cg_val left = load(&x->p, true, cg_iadd(b, cg_iadd(b, e->row, r->base), along), x->when);
    cg_val right =
        s->how.right != CG_DOT_IN_PLACE
            ? cg_load(b, x->p.d->scratch,
                      kept_right(&x->p, x->kept, cg_isub(b, k, x->k0), e->o, x->lane), 0)
            : right_element(&x->p, k, e->o, x->when);

    return multiply_add(&x->p, left, right, acc);
}

/* The chain over one block of k. */
static cg_val
element(const block *x, cg_val row, cg_val o, cg_val k_end)
{
    const cg_dot_shape *s = &x->p.s;
    const batch_element e = { x, row, o };
    const cg_dot_chain c = { .type = x->p.d->type,
                             .runs = &s->k,
                             .stride = left_of(s, &s->k),
                             .lo = x->k0,
                             .hi = k_end,
                             .unroll = s->how.unroll,
                             .reduction = cg_reduction_new(x->p.b, s->k.total, x->k0, 1),
                             .step = step,
                             .user = &e };

    return cg_dot_chain_sum(x->p.b, &c);
}

/* The index at which a sum is kept: for a long epilogue, which is compiled once, the sums of a
 * tile; for further blocks of k, the sums of all rows. m counts from the start of what is
 * kept. */
static cg_val
kept_sum(const block *x, cg_val g, cg_val m, cg_val o)
{
    cg_build *b = x->p.b;
    const cg_dot_shape *s = &x->p.s;
    cg_val row = s->k.total > KC ? cg_iadd(b, cg_imul(b, g, s->m.total), m) : m;
    cg_val right = cg_imul(b, o, s->how.width);
    return scratch_at(&x->p, 0, cg_iadd(b, cg_iadd(b, cg_imul(b, row, s->nr), right), x->lane));
}

/* Pass the kept sums of rows from, from + 1, ... to the epilogue, as rows m, m + 1, ... */
static void
emit_kept(const cg_dot_product *p, cg_val g0, cg_val g, cg_val m, cg_val from, cg_val count)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    cg_val rows = loop_over(b, cg_i64(b, 0), count, 1), i = cg_loop_var(b, rows);
    cg_val columns = loop_over(b, cg_i64(b, 0), cg_i64(b, s->n.total), 1),
           o = cg_loop_var(b, columns);
    block x = block_begin(p, g0, 0, 0);
    cg_val sum = cg_load(b, p->d->scratch, kept_sum(&x, g, cg_iadd(b, from, i), o), 0);
    emit_result(&x.p, cg_iadd(b, m, i), o, sum, x.when);
    cg_loop_end(b, x.lanes);
    cg_loop_end(b, columns);
    cg_loop_end(b, rows);
}

/* The part of a product that a tile belongs to: block g of the batch, which starts at g0; its
 * packed right side; its range of k. */
typedef struct batch_block {
    cg_val g0, g, kept, k0, k_end;
} batch_block;

/* Emit the tile of rows m0 + r0 ... of the run of rows that starts at m0. */
static void
groups_tile(const cg_dot_product *p, const batch_block *a, cg_val m0, cg_val r0)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    const int64_t by = s->how.run == s->m.total ? 0 : innermost(&s->m, left_of(s, &s->m));
    const bool over = s->how.run % s->how.rows != 0, blocks = s->k.total > KC;
    cg_val rows, columns, i = spmd(b, CG_UNROLL, s->how.rows, &rows),
                          o = spmd(b, CG_UNROLL, s->n.total, &columns);
    block x = block_begin(p, a->g0, a->kept, a->k0);
    cg_val r = cg_iadd(b, r0, i), in_row = over ? less(b, r, cg_i64(b, s->how.run)) : 0;
    cg_val safe = over ? cg_imin(b, r, cg_i64(b, s->how.run - 1)) : r, m = cg_iadd(b, m0, safe);
    cg_val down = by ? cg_imul(b, safe, by) : 0;
    cg_val row = by ? cg_iadd(b, offset(b, &s->m, left_of(s, &s->m), m0), down)
                    : offset(b, &s->m, left_of(s, &s->m), safe);
    cg_val sum = element(&x, row, o, a->k_end);
    if (blocks || p->d->expensive) {
        cg_val at = kept_sum(&x, a->g, blocks ? m : i, o);
        sum = blocks ? add_before(p, x.k0, p->d->scratch, at, sum, 0) : sum;
        cg_store(b, p->d->scratch, at, sum, in_row);
    } else {
        cg_val within = both(b, in_row, x.when);
        emit_result(&x.p, cg_iadd(b, m0, r), o, sum, within);
    }
    cg_loop_end(b, x.lanes);
    if (columns)
        cg_loop_end(b, columns);
    if (rows)
        cg_loop_end(b, rows);
    cg_val count = cg_i64(b, s->how.rows);
    if (over)
        count = cg_imin(b, count, cg_isub(b, cg_i64(b, s->how.run), r0));
    if (p->d->expensive && !blocks) {
        cg_val zero = cg_i64(b, 0);
        emit_kept(p, a->g0, a->g, cg_iadd(b, m0, r0), zero, count);
    }
}

static void
run_of_rows(const cg_dot_product *p, const batch_block *a, cg_val m0)
{
    cg_build *b = p->b;
    cg_val loop = loop_over(b, cg_i64(b, 0), cg_i64(b, p->s.how.run), p->s.how.rows);
    groups_tile(p, a, m0, cg_loop_var(b, loop));
    cg_loop_end(b, loop);
}

/* Begin the loop over blocks of the batch. */
static cg_val
batch_begin(const cg_dot_product *p, cg_val from, cg_val to, batch_block *a)
{
    cg_val loop = loop_over(p->b, from, to, p->s.how.width);
    a->g0 = cg_loop_var(p->b, loop);
    a->g = cg_idiv(p->b, cg_isub(p->b, a->g0, from), p->s.how.width);
    return loop;
}

/* A right side that fits L2 is packed first, then each run of rows visits the whole batch, so
 * that contiguous memory is read together. */
static void
groups_whole(const cg_dot_product *p, cg_val from, cg_val to)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    batch_block a = { .k0 = cg_i64(b, 0), .k_end = cg_i64(b, s->k.total) };
    cg_val pack = batch_begin(p, from, to, &a);
    pack_block(p, a.g0, a.g, a.k0, a.k_end);
    cg_loop_end(b, pack);
    cg_val rows = loop_over(b, cg_i64(b, 0), cg_i64(b, s->m.total), s->how.run),
           blocks = batch_begin(p, from, to, &a);
    a.kept = a.g;
    run_of_rows(p, &a, cg_loop_var(b, rows));
    cg_loop_end(b, blocks);
    cg_loop_end(b, rows);
}

/* All rows of the whole batch, over one block of k. */
static void
groups_part(const cg_dot_product *p, cg_val from, cg_val to, batch_block *a)
{
    cg_build *b = p->b;
    cg_val blocks = batch_begin(p, from, to, a);
    a->kept = cg_i64(b, 0);
    if (p->s.how.right != CG_DOT_IN_PLACE)
        pack_block(p, a->g0, a->kept, a->k0, a->k_end);
    cg_val rows = loop_over(b, cg_i64(b, 0), cg_i64(b, p->s.m.total), p->s.how.run);
    run_of_rows(p, a, cg_loop_var(b, rows));
    cg_loop_end(b, rows);
    cg_loop_end(b, blocks);
}

void
cg_dot_batch_vectorised(const cg_dot_product *p, cg_val from, cg_val to)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    cg_val zero = cg_i64(b, 0), all = cg_i64(b, s->k.total);
    batch_block a = { .k0 = zero, .k_end = all };
    cg_dot_product q = *p;

    q.left = p->d->lhs_offset ? p->d->lhs_offset : zero;
    q.right = p->d->rhs_offset ? p->d->rhs_offset : zero;
    p = &q;
    if (s->how.right == CG_DOT_ONCE) {
        groups_whole(p, from, to);
        return;
    }
    if (s->k.total <= KC) {
        groups_part(p, from, to, &a);
        return;
    }
    cg_val blocks = loop_over(b, zero, all, KC);
    a.k0 = cg_loop_var(b, blocks);
    a.k_end = cg_imin(b, cg_iadd(b, a.k0, cg_i64(b, KC)), all);
    groups_part(p, from, to, &a);
    cg_loop_end(b, blocks);
    cg_val each = batch_begin(p, from, to, &a);
    emit_kept(p, a.g0, a.g, zero, zero, cg_i64(b, s->m.total));
    cg_loop_end(b, each);
}
