/* The inverse of a matrix from its LU factors: U^-1 L^-1 P.
 *
 * Both triangles are inverted by halves down to a few rows, which costs a third of solving for
 * the unit matrix, and their product leaves out the blocks that are 0.  All of it is computed
 * transposed, as L^-T U^-T, so that P exchanges rows, which are contiguous.  Matrices of few
 * rows are solved as systems with the rows of P on the right.
 *
 * Source: J. Du Croz, N. Higham, Stability of methods for matrix inversion, IMA J. Numer. Anal.
 * 12, 1992 (method D). */
#include "ir/linalg/parts.h"

enum { FEW = 8,          /* rows of a triangle that is not halved */
       WHOLE = 64 };     /* up to so many rows two triangles are multiplied as one product */

/* The matrix that brings rows into an order, i32 [batch, 1, n]. */
static ir_ref
permutation(ir_build *b, ir_ref order, ir_ref like)
{
    ir_ref col = like ? ir_iota(b, COT_I32, 3, ir_btype(b, like)->dims, 2) : IR_NONE;
    ir_ref to = ir_la_fit(b, ir_la_transpose(b, order), like);

    return col && to ? ir_convert(b, ir_op2(b, OP_eq, to, col), ir_btype(b, like)->dtype)
                     : IR_NONE;
}

/* x^T y of lower triangles of n rows. */
static ir_ref
product(ir_build *b, ir_ref x, ir_ref y)
{
    const int64_t n = ir_la_rows(b, x), h = n / 2;

    if (n <= WHOLE || n % 2)
        return ir_la_dot(b, x, true, y, false);
    ir_ref low[2] = { ir_la_block(b, x, h, h, 0, h), ir_la_block(b, y, h, h, 0, h) },
           far[2] = { ir_la_block(b, x, h, h, h, h), ir_la_block(b, y, h, h, h, h) };
    ir_ref block = ir_la_block(b, y, 0, h, 0, h);
    ir_ref first = product(b, ir_la_block(b, x, 0, h, 0, h), block);
    ir_ref high[2] = { ir_add(b, first, ir_la_dot(b, low[0], true, low[1], false)),
                       ir_la_dot(b, low[0], true, far[1], false) },
           last[2] = { ir_la_dot(b, far[0], true, low[1], false), product(b, far[0], far[1]) };
    if (!high[0] || !last[1])
        return IR_NONE;
    ir_ref rows[2] = { ir_concatenate(b, 2, high, 2), ir_concatenate(b, 2, last, 2) };
    return ir_concatenate(b, 2, rows, 1);
}

/* n rounded up to a small number times a power of two, so that it can be halved. */
static int64_t
halved_size(int64_t n)
{
    int64_t parts = 1;

    while ((n + parts - 1) / parts > FEW)
        parts *= 2;
    return (n + parts - 1) / parts * parts;
}

/* x with its rows times by, [batch, n, 1], if there is one. */
static ir_ref
times(ir_build *b, ir_ref x, ir_ref by)
{
    return by ? ir_mul(b, x, ir_la_fit_real(b, by, x)) : x;
}

/* A column extended by so many ones. */
static ir_ref
longer(ir_build *b, ir_ref x, int64_t n)
{
    ir_ref one = ir_splat(b, ir_type_new(b->ctx, ir_btype(b, x)->dtype, 0, NULL), 1);

    return ir_pad(b, x, one, (const int64_t[]){ 0, 0, 0 }, (const int64_t[]){ 0, n, 0 }, NULL);
}

static ir_ref
by_systems(ir_build *b, ir_ref l, ir_ref u, ir_ref order, ir_ref by)
{
    const ir_attrs lower = { .triangle = { .unit = 1 } },
                   upper = { .triangle = { .upper = 1 } };
    ir_ref y[2] = { l, permutation(b, order, l) };

    y[1] = times(b, ir_node1(b, OP_triangular_solve, 2, y, &lower), by);
    y[0] = u;
    return ir_node1(b, OP_triangular_solve, 2, y, &upper);
}

ir_ref
ir_la_inverse_of(ir_build *b, ir_ref l, ir_ref u, ir_ref order, ir_ref by)
{
    const int64_t n = ir_la_rows(b, l), size = halved_size(n);

    if (!l || !u || !order)
        return IR_NONE;
    if (n <= FEW)
        return by_systems(b, l, u, order, by);
    ir_ref x = ir_la_inverse(b, ir_la_grow(b, l, size), true),
           y = ir_la_inverse(b, ir_la_grow(b, ir_la_transpose(b, u), size), false);
    ir_ref z = product(b, times(b, x, by ? longer(b, by, size - n) : IR_NONE), y);
    ir_ref line = ir_la_transpose(b, order);
    ir_ref back = ir_node1(b, OP_argsort, 1, &line, &(ir_attrs){ .arg = { 1, COT_I32 } });
    return ir_la_transpose(b, ir_la_in_order(b, ir_la_crop(b, z, n, n), back));
}

/* One matrix: its factors, and the order of its rows. */
static void
one(ir_build *b, const void *user, const ir_ref *in, ir_ref *y)
{
    (void)user;
    *y = ir_la_inverse_of(b, in[0], in[0], in[1], IR_NONE);
}

void
eval_inverse(ir_build *b, const ir_attrs *at, int n_in, const ir_ref *in, ir_ref *out)
{
    ir_ref x[2] = { ir_la_in(b, in[1]), ir_la_line(b, in[3]) }, y = x[0];

    (void)at, (void)n_in;
    if (!y || !x[1])
        return;
    if (ir_la_rows(b, y) > IR_LA_SMALL && ir_btype(b, y)->size > 0)
        ir_la_map(b, one, NULL, 2, x, 1, &y);
    else if (ir_btype(b, y)->size > 0)
        one(b, NULL, x, &y);
    out[0] = ir_la_out(b, y, in[0]);
}
