/* The derivative of the Schur form x = z t z^H.
 *
 *   m = z^H x' z, z' = z s, t' = m + t s - s t, s skew-Hermitian
 *
 * t' has zeros where the form of t has them: below the diagonal, or for a real t below its
 * blocks.  These equations are the lower triangle of a Sylvester equation in the lower triangle
 * l of s, since elements of s above the diagonal do not contribute to it.  They are solved
 * column by column, as R. Bartels and G. Stewart do (Solution of the matrix equation AX + XB =
 * C, CACM 15(9), 1972).  For a complex x the columns of z may have any phase, so the diagonal
 * of s is arbitrary: it is 0.
 *
 * A real t is made triangular by unitary rotations g of its blocks, which keep the zeros below
 * the blocks.  The angle within a block [a, b; c, a] follows from the condition that its two
 * diagonal elements stay equal; it is arbitrary where b = -c. */
#include "ir/linalg/schur.h"
#include "passes/rules/linalg.h"

/* Finds l, zero on and above the diagonal, such that l t - t l has the elements of m below the
 * diagonal.  Column j satisfies, given the columns before it, (t_jj - t) l_j = m_j - l t_j in
 * the rows below j. */
static ir_ref
lower_sylvester(ir_build *b, ir_ref t, ir_ref m)
{
    const int64_t n = ir_la_rows(b, t);
    const ir_ref in[3] = { t, m, t ? ir_zeros(b, ir_btype(b, t)) : IR_NONE };
    ir_la_loop l;
    ir_ref y;

    if (n < 2 || !m)
        return in[2];
    ir_la_loop_begin(b, &l, n, 2, 1, in);
    ir_build *s = l.b;
    ir_ref column = ir_la_block_at(s, l.in[0], IR_NONE, n, l.step, 1);
    ir_ref right = ir_la_block_at(s, l.in[1], IR_NONE, n, l.step, 1);
    right = ir_sub(s, right, ir_la_dot(s, l.in[2], false, column, false));
    ir_ref below = ir_la_rows_where(s, OP_gt, right, l.step);
    ir_ref eigenvalue = ir_la_block_at(s, l.in[0], l.step, 1, l.step, 1);
    ir_ref eye = ir_la_eye(s, l.in[0]);
    ir_ref left = ir_sub(s, ir_mul(s, eye, ir_la_fit(s, eigenvalue, eye)), l.in[0]);
    ir_ref above = ir_la_rows_where(s, OP_le, left, l.step);
    left = ir_select(s, above, eye, left);
    ir_ref operands[2] = { left, ir_la_keep(s, below, right, 0) };
    ir_ref x = ir_node1(s, OP_triangular_solve, 2, operands,
                        &(ir_attrs){ .triangle = { .upper = 1 } });
    ir_ref next = ir_la_put_at(s, l.in[2], ir_la_keep(s, below, x, 0), IR_NONE, l.step);
    ir_la_loop_end(b, &l, 0, &next, &y);
    return y;
}

/* Mask of the elements c of the blocks of a real t. */
static ir_ref
blocks_of(ir_build *b, ir_ref t)
{
    return ir_op2(b, OP_and, ir_la_compare(b, OP_eq, t, 1),
                  ir_op2(b, OP_ne, t, ir_like(b, t, 0)));
}

/* The row sums and column sums of x, which is zero except on the first diagonal above the main
 * one, as a diagonal. */
static ir_ref
on_diagonal(ir_build *b, ir_ref x)
{
    const int64_t n = ir_la_rows(b, x), line[3] = { ir_la_batch(b, x), 1, n },
                  column[3] = { line[0], n, 1 };

    if (!x)
        return IR_NONE;
    ir_ref rows = ir_reshape(b, ir_reduce(b, OP_reduce_sum, x, ir_axes_of(2)), 3, column);
    ir_ref columns = ir_reshape(b, ir_reduce(b, OP_reduce_sum, x, ir_axes_of(1)), 3, line);
    ir_ref sum = ir_la_fit(b, ir_add(b, rows, ir_la_transpose(b, columns)), x);
    return ir_la_keep(b, ir_la_compare(b, OP_eq, x, 0), sum, 0);
}

/* The complex g: [p, i q; i q, p] for each block [a, b; c, a], where the first column is its
 * eigenvector (b, i sqrt(-b c)) scaled to length 1, and 1 for other diagonal elements. */
static ir_ref
block_vectors(ir_build *b, ir_ref t, ir_ref blocks)
{
    ir_ref at = blocks ? ir_la_transpose(b, blocks) : IR_NONE, one = ir_like(b, t, 1);
    ir_ref high = ir_select(b, at, t, one), low = ir_select(b, at, ir_la_transpose(b, t), one);
    ir_ref high_size = ir_op1(b, OP_abs, high), low_size = ir_op1(b, OP_abs, low);
    ir_ref sum = ir_add(b, high_size, low_size);
    ir_ref p = ir_mul(b, ir_op1(b, OP_sign, high),
                      ir_op1(b, OP_sqrt, ir_div(b, high_size, sum)));
    ir_ref q = ir_la_keep(b, at, ir_op1(b, OP_sqrt, ir_div(b, low_size, sum)), 0);
    ir_ref more = on_diagonal(b, ir_la_keep(b, at, ir_sub(b, p, one), 0));

    return ir_op2(b, OP_complex, ir_add(b, ir_la_eye(b, t), more),
                  ir_add(b, q, ir_la_transpose(b, q)));
}

/* The part of s below the blocks of a real t. */
static ir_ref
below_blocks(ir_build *b, ir_ref t, ir_ref m, ir_ref blocks)
{
    ir_ref g = block_vectors(b, t, blocks);

    if (!g)
        return IR_NONE;
    ir_ref back = ir_la_adjoint(b, g);
    const cot_dtype complex = ir_btype(b, g)->dtype;
    ir_ref in[2] = { t, m };
    for (int i = 0; i < 2; i++) {
        in[i] = ir_la_dot(b, ir_convert(b, in[i], complex), false, g, false);
        in[i] = ir_la_dot(b, back, false, in[i], false);
    }
    ir_ref l = lower_sylvester(b, in[0], in[1]);
    ir_ref low = ir_op2(b, OP_and, ir_la_compare(b, OP_gt, l, 0), ir_op1(b, OP_not, blocks));
    l = ir_la_dot(b, ir_la_keep(b, low, l, 0), false, back, false);
    return ir_la_real(b, ir_la_dot(b, g, false, l, false));
}

/* m + t s - s t. */
static ir_ref
add_commutator(ir_build *b, ir_ref t, ir_ref m, ir_ref s)
{
    ir_ref after = ir_la_dot(b, s, false, t, false);

    return ir_sub(b, ir_add(b, m, ir_la_dot(b, t, false, s, false)), after);
}

/* The angles of blocks, at the positions of their c: with d = m + t s - s t for the rest of s,
 * half the difference of the diagonal elements of d over b + c. */
static ir_ref
angles(ir_build *b, ir_ref t, ir_ref d, ir_ref blocks)
{
    ir_ref diagonal = ir_la_diagonal(b, d, 0);
    ir_ref first = ir_la_fit(b, diagonal, t),
           second = diagonal ? ir_la_fit(b, ir_la_transpose(b, diagonal), t) : IR_NONE;
    ir_ref sum = ir_add(b, t, ir_la_transpose(b, t));
    ir_ref twice = ir_select(b, blocks, ir_add(b, sum, sum), ir_like(b, t, 1));

    return ir_la_keep(b, blocks, ir_div(b, ir_sub(b, second, first), twice), 0);
}

static ir_ref
skew(ir_build *b, ir_ref l)
{
    return ir_sub(b, l, ir_la_adjoint(b, l));
}

/* Converts f16 and bf16 to f32, for which complex types exist. */
static ir_ref
widened(ir_build *b, ir_ref x)
{
    const bool half = x && cot_dtype_size(ir_btype(b, x)->dtype) == 2;

    return ir_la_in(b, half ? ir_convert(b, x, COT_F32) : x);
}

static ir_ref
narrowed(ir_build *b, ir_ref y, ir_ref like)
{
    return ir_convert(b, ir_la_out(b, y, like), ir_btype(b, like)->dtype);
}

void
jvp_schur(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    ir_ref dx = in[0].tan, blocks = IR_NONE, s;

    (void)f, (void)n;
    if (!dx || !y[0].val || ir_btype(b, dx)->size == 0)
        return;
    ir_ref t = widened(b, y[0].val), z = widened(b, y[1].val);
    ir_ref xz = ir_la_dot(b, widened(b, dx), false, z, false);
    ir_ref m = ir_la_dot(b, ir_la_adjoint(b, z), false, xz, false);
    ir_ref form = ir_la_compare(b, OP_le, t, 0);
    if (ir_la_is_complex(b, t)) {
        s = skew(b, lower_sylvester(b, t, m));
    } else {
        blocks = blocks_of(b, t);
        form = ir_op2(b, OP_or, form, blocks);
        s = skew(b, below_blocks(b, t, m, blocks));
        s = ir_add(b, s, skew(b, angles(b, t, add_commutator(b, t, m, s), blocks)));
    }
    y[0].tan = narrowed(b, ir_la_keep(b, form, add_commutator(b, t, m, s), 0), dx);
    y[1].tan = narrowed(b, ir_la_dot(b, z, false, s, false), dx);
}
