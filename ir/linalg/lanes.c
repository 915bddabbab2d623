/* Jacobi's sweeps over many small matrices at once.
 *
 * Matrices are interleaved element by element, so that each operation is one on a vector with a
 * lane for each matrix.  A batch is split into blocks of lanes that fit into the first-level
 * cache, and a block is swept until none of its matrices has a rotation left.  A matrix that is
 * done rotates by nothing, which changes no bit, so that each matrix has the bits that it has
 * alone. */
#include "ir/linalg/jacobi.h"

/* The bytes that a block of matrices may have to stay in the first-level cache, and the bounds
 * of its lanes. */
enum { BLOCK_BYTES = 16384, MAX_LANES = 64, MIN_LANES = 8 };

/* Matrices in a block, and blocks. */
static ir_la_blocking
lanes_of(const ir_build *b, ir_ref a)
{
    const ir_type *t = ir_btype(b, a);
    const int64_t batch = t->dims[0],
                  one = t->dims[1] * t->dims[2] * (int64_t)cot_dtype_size(t->dtype);
    int64_t lanes = BLOCK_BYTES / one / MIN_LANES * MIN_LANES;

    lanes = lanes < MIN_LANES ? MIN_LANES : lanes > MAX_LANES ? MAX_LANES : lanes;
    return (ir_la_blocking){ (batch + lanes - 1) / lanes, batch < lanes ? batch : lanes };
}

/* Rows of x [rows, columns, lanes], permuted. */
static ir_ref
taken(ir_build *b, ir_ref x, const int32_t *at, int64_t n)
{
    static const int64_t own[2] = { 1, 2 }, first = 0;
    if (!x)
        return IR_NONE;
    const ir_type *t = ir_btype(b, x);
    const int64_t sizes[3] = { 1, t->dims[1], t->dims[2] };
    const ir_ints none = { 0, NULL }, place = { 1, &first };
    ir_ref i = ir_constant(b, ir_type_new(b->ctx, COT_I32, 2, (const int64_t[]){ n, 1 }), at);

    return ir_node1(
        b, OP_gather, 2, (ir_ref[]){ x, i },
        &(ir_attrs){
            .gather = {
                { 2, own }, place, none, none, place, { 3, sizes }, IR_MODE_PROMISE } });
}

/* Numbers of pairs [n/2, lanes], for both rows of each: [n, 1, lanes]. */
static ir_ref
on_both(ir_build *b, ir_ref upper, ir_ref lower)
{
    ir_ref all = ir_concatenate(b, 2, (ir_ref[]){ upper, lower }, 0);
    const ir_type *t = all ? ir_btype(b, all) : NULL;

    return t ? ir_reshape(b, all, 3, (const int64_t[]){ t->dims[0], 1, t->dims[1] }) : IR_NONE;
}

/* x with its pairs of rows rotated and dealt: as `rotated` of jacobi.c. */
static ir_ref
rotated(ir_build *b, const ir_la_deal *d, const ir_la_rotations *t, ir_ref x)
{
    if (t->phase)
        x = ir_mul(b, x, ir_la_fit(b, on_both(b, ir_like(b, t->phase, 1), t->phase), x));
    ir_ref own = taken(b, x, d->from, d->n), other = taken(b, x, d->with, d->n);
    ir_ref tau = taken(b, on_both(b, ir_neg(b, t->tau), t->tau), d->from, d->n);
    ir_ref s = taken(b, on_both(b, ir_neg(b, t->s), t->s), d->from, d->n);

    tau = ir_la_fit_real(b, tau, own), s = ir_la_fit_real(b, s, own);
    return ir_add(b, own, ir_mul(b, s, ir_sub(b, other, ir_mul(b, tau, own))));
}

/* The conjugate transpose of each matrix, in the first two axes.  The columns of a symmetric
 * matrix are rotated as the rows of the transposed one, in the order in which jacobi.c rotates
 * a single matrix. */
static ir_ref
adjoint(ir_build *b, ir_ref x)
{
    ir_ref y = x ? ir_transpose(b, x, (const int64_t[]){ 1, 0, 2 }) : IR_NONE;
    return ir_la_conj(b, y);
}

/* The same, materialised: the result of a loop of one step. */
static ir_ref
materialise_rotated(ir_build *b, const ir_la_deal *d, const ir_la_rotations *t, ir_ref x)
{
    const int parts = t->phase ? 3 : 2;
    ir_ref in[4] = { t->s, t->tau, t->phase }, next;
    ir_la_loop l;

    in[parts] = x;
    ir_la_loop_begin(b, &l, 1, parts, 1, in);
    const ir_la_rotations inner = { l.in[0], l.in[1], t->phase ? l.in[2] : IR_NONE };
    next = rotated(l.b, d, &inner, l.in[parts]);
    ir_la_loop_end(b, &l, 0, &next, &next);
    return next;
}

/* Elements i, i + shift, i = first ...: [count, lanes]. */
static ir_ref
diagonal(ir_build *b, ir_ref x, int64_t first, int64_t shift, int64_t count)
{
    if (!x)
        return IR_NONE;
    const ir_type *t = ir_btype(b, x);
    const int64_t n = t->dims[1], lanes = t->dims[2], at = first * (n + 1) + shift;
    ir_ref flat = ir_reshape(b, x, 2, (const int64_t[]){ t->dims[0] * n, lanes });
    const int64_t start[2] = { at, 0 }, limit[2] = { at + (count - 1) * (n + 1) + 1, lanes },
                  stride[2] = { n + 1, 1 };
    return ir_op1(b, OP_barrier, ir_slice(b, flat, start, limit, stride));
}

/* Of bound [lanes], for each of count pairs. */
static ir_ref
for_pairs(ir_build *b, ir_ref bound, int64_t count)
{
    return bound ? ir_broadcast_axis(b, bound, 0, count) : IR_NONE;
}

static ir_la_rotations
eigh_step(ir_build *b, const ir_la_deal *d, ir_ref bound, ir_ref *a)
{
    const int64_t h = d->n / 2, dims[3] = { d->n, d->n, 1 };
    ir_ref p = ir_la_real(b, diagonal(b, *a, 0, 0, h)),
           q = ir_la_real(b, diagonal(b, *a, h, 0, h));
    ir_ref pairs = for_pairs(b, bound, h);
    ir_la_rotations t = ir_la_rotations_of(b, true, p, q, diagonal(b, *a, 0, h, h), pairs);
    ir_la_materialise(b, &t);
    ir_ref next = materialise_rotated(b, d, &t, adjoint(b, materialise_rotated(b, d, &t, *a)));
    ir_ref met = ir_la_fit(
        b, ir_constant(b, ir_type_new(b->ctx, COT_BOOL, 3, dims), ir_la_met(b, d)), next);
    ir_ref active = ir_la_rotates(b, &t);
    active = taken(b, on_both(b, active, active), d->from, d->n);

    ir_ref zero = ir_like(b, next, 0);
    *a = ir_select(b, ir_op2(b, OP_and, met, ir_la_fit(b, active, next)), zero, next);
    return t;
}

static ir_la_rotations
svd_step(ir_build *b, const ir_la_deal *d, ir_ref *a)
{
    const int64_t h = d->n / 2;
    ir_ref x = ir_slice_axis(b, *a, 0, 0, h), y = ir_slice_axis(b, *a, 0, h, 2 * h), part[3];
    const ir_ref of[3] = { ir_la_square(b, x), ir_la_square(b, y),
                           ir_mul(b, x, ir_la_conj(b, y)) };

    for (int i = 0; i < 3; i++)
        part[i] = ir_op1(b, OP_barrier, ir_reduce(b, OP_reduce_sum, of[i], ir_axes_of(1)));
    ir_la_rotations t = ir_la_rotations_of(b, false, part[0], part[1], part[2],
                                   ir_la_svd_bound(b, part[0], part[1], d->n));
    ir_la_materialise(b, &t);
    *a = materialise_rotated(b, d, &t, *a);
    return t;
}

/* n - 1 steps: the new a and v, and whether anything was rotated in [n/2, lanes]. */
static void
sweep(ir_build *b, bool symmetric, const ir_la_deal *d, ir_ref bound, ir_ref *x)
{
    const ir_ref in[4] = { bound, x[0], x[1], x[2] };
    ir_ref next[3], out[3] = { IR_NONE, IR_NONE, IR_NONE };
    ir_la_loop l;

    ir_la_loop_begin(b, &l, d->n - 1, 1, 3, in);
    memcpy(next, l.in + 1, sizeof next);
    const ir_la_rotations t =
        symmetric ? eigh_step(l.b, d, l.in[0], &next[0]) : svd_step(l.b, d, &next[0]);
    next[1] = materialise_rotated(l.b, d, &t, next[1]);
    next[2] = ir_op2(l.b, OP_or, next[2], ir_la_rotates(l.b, &t));
    ir_la_loop_end(b, &l, 0, next, out);
    memcpy(x, out, sizeof out);
}

/* Sweeps over one block, a and v [rows, columns, lanes], bound [lanes]. */
static void
block(ir_build *b, bool symmetric, ir_ref bound, ir_ref *a, ir_ref *v)
{
    if (!*a || !*v || !bound)
        return;
    const int64_t n = ir_btype(b, *a)->dims[0], pairs[2] = { n / 2, ir_btype(b, *a)->dims[2] };
    const ir_la_deal d = ir_la_deal_of(b, n);
    ir_ref in[5] = { bound, ir_splat_int(b, ir_type_new(b->ctx, COT_BOOL, 0, NULL), 1),
                     ir_la_number(b, 0), *a, *v };
    ir_ref x[5], out[4];

    ir_build *s = ir_sub_begin(b, "sweep");
    for (int i = 0; i < 5; i++)
        x[i] = ir_input(s, ir_btype(b, in[i]), NULL);
    ir_ref now[3] = { x[3], x[4], ir_splat_int(s, ir_type_new(b->ctx, COT_BOOL, 2, pairs), 0) };
    sweep(s, symmetric, &d, x[0], now);
    ir_ref some = now[2] ? ir_reduce(s, OP_reduce_or, now[2], ir_axes_of(0) | ir_axes_of(1))
                         : IR_NONE,
           each = ir_reshape(s, x[0], 3, (const int64_t[]){ 1, 1, pairs[1] });
    ir_output(s, symmetric ? ir_op2(s, OP_and, some, ir_la_has_off_diagonal(s, now[0], each, 0))
                           : some);
    ir_output(s, ir_add(s, x[2], ir_la_number(s, 1)));
    ir_output(s, now[0]);
    ir_output(s, now[1]);
    ir_graph *body = ir_sub_end(b, s), *cond = ir_la_goes_on(b, in);
    *a = *v = IR_NONE;
    if (!body || !cond)
        return;
    ir_add_node(b, OP_while, 5, in, &(ir_attrs){ .loop = { 1, 0, cond, body } }, out);
    *a = out[2], *v = out[3];
}

/* [batch, m, n] as [blocks, m, n, lanes], with matrices of zeros to fill the last one; and
 * back. */
static ir_ref
in_lanes(ir_build *b, ir_ref x, ir_la_blocking c)
{
    const int64_t m = ir_la_rows(b, x), n = ir_la_cols(b, x), none[3] = { 0 },
                  more[3] = { c.blocks * c.size - ir_la_batch(b, x), 0, 0 };

    if (!x)
        return IR_NONE;
    if (more[0])
        x = ir_pad(b, x, ir_zeros(b, ir_type_new(b->ctx, ir_btype(b, x)->dtype, 0, NULL)), none,
                   more, NULL);
    x = ir_reshape(b, x, 4, (const int64_t[]){ c.blocks, c.size, m, n });
    return ir_transpose(b, x, (const int64_t[]){ 0, 2, 3, 1 });
}

static ir_ref
from_lanes(ir_build *b, ir_ref x, int64_t batch)
{
    const ir_type *t = x ? ir_btype(b, x) : NULL;

    if (!t)
        return IR_NONE;
    const int64_t dims[3] = { t->dims[0] * t->dims[3], t->dims[1], t->dims[2] };
    x = ir_reshape(b, ir_transpose(b, x, (const int64_t[]){ 0, 3, 1, 2 }), 3, dims);
    return dims[0] == batch ? x : ir_slice_axis(b, x, 0, 0, batch);
}

void
ir_la_lanes(ir_build *b, bool symmetric, ir_ref bound, ir_ref *a, ir_ref *v)
{
    if (!*a || !*v || !bound)
        return;
    const ir_la_blocking c = lanes_of(b, *a);
    const int64_t batch = ir_la_batch(b, *a);
    ir_ref in[3] = { in_lanes(b, bound, c), in_lanes(b, *a, c), in_lanes(b, *v, c) }, x[3],
           out[2];
    ir_build *s = ir_sub_begin(b, "block");

    *a = *v = IR_NONE;
    for (int i = 0; i < 3; i++)
        x[i] = in[i] ? ir_input(s,
                                ir_type_new(b->ctx, ir_btype(b, in[i])->dtype, 3,
                                            ir_btype(b, in[i])->dims + 1),
                                NULL)
                     : IR_NONE;
    x[0] = ir_reshape(s, x[0], 1, &c.size);
    block(s, symmetric, x[0], &x[1], &x[2]);
    ir_output(s, x[1]);
    ir_output(s, x[2]);
    ir_graph *body = ir_sub_end(b, s);
    if (!body)
        return;
    ir_add_node(b, OP_scan, 3, in, &(ir_attrs){ .scan = { 0, 0, c.blocks, 0, body } }, out);
    *a = from_lanes(b, out[0], batch), *v = from_lanes(b, out[1], batch);
}
