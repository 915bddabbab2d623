/* Building blocks of the expansions of linear algebra.
 *
 * The algorithms are written once for real and complex elements: for a real number the
 * conjugate and the real part below are the number itself, and cost nothing.  passes/complex
 * decides what an element of a complex matrix becomes.
 *
 * Inside, a matrix always has rank 3, [batch, rows, columns]: la_in joins the leading axes,
 * la_out restores them.  Loops are scans whose body is begun and ended by la_loop_*. */
#ifndef IR_LINALG_PARTS_H
#define IR_LINALG_PARTS_H

#include "ir/expand.h"

/* Sizes of v, a matrix inside. */
static inline int64_t
ir_la_batch(const ir_build *b, ir_ref v)
{
    return v ? ir_btype(b, v)->dims[0] : 0;
}
static inline int64_t
ir_la_rows(const ir_build *b, ir_ref v)
{
    return v ? ir_btype(b, v)->dims[1] : 0;
}
static inline int64_t
ir_la_cols(const ir_build *b, ir_ref v)
{
    return v ? ir_btype(b, v)->dims[2] : 0;
}

ir_ref ir_la_in(ir_build *b, ir_ref x);
/* y, whose first axis is a batch, with the axes that x has before its matrices in its place. */
ir_ref ir_la_out(ir_build *b, ir_ref y, ir_ref x);
/* A batch of vectors, [..., n], as lines: [batch, 1, n]. */
ir_ref ir_la_line(ir_build *b, ir_ref x);

/* The element type of v, of a shape. */
const ir_type *ir_la_type(ir_build *b, ir_ref v, int64_t batch, int64_t rows, int64_t cols);

/* Rows r ... r+m-1, columns c ... c+n-1; x with that block replaced by y. */
ir_ref ir_la_block(ir_build *b, ir_ref x, int64_t r, int64_t m, int64_t c, int64_t n);
ir_ref ir_la_put(ir_build *b, ir_ref x, ir_ref y, int64_t r, int64_t c);
/* The same where the program knows r or c only when it runs (i32 scalars; IR_NONE: 0). */
ir_ref ir_la_block_at(ir_build *b, ir_ref x, ir_ref r, int64_t m, ir_ref c, int64_t n);
ir_ref ir_la_put_at(ir_build *b, ir_ref x, ir_ref y, ir_ref r, ir_ref c);
ir_ref ir_la_transpose(ir_build *b, ir_ref x); /* rows for columns */
/* x y; tx, ty say that the operand is transposed. */
ir_ref ir_la_dot(ir_build *b, ir_ref x, bool tx, ir_ref y, bool ty);
/* The conjugate; the conjugate transpose; x y^H. */
ir_ref ir_la_conj(ir_build *b, ir_ref x);
ir_ref ir_la_adjoint(ir_build *b, ir_ref x);
ir_ref ir_la_dot_adjoint(ir_build *b, ir_ref x, ir_ref y);
/* Real, of each element: its real part; a size, |x|, or of a complex number |Re| + |Im|; x
 * conj(x). */
ir_ref ir_la_real(ir_build *b, ir_ref x);
ir_ref ir_la_size(ir_build *b, ir_ref x);
ir_ref ir_la_square(ir_build *b, ir_ref x);
/* A real x in the element type of like, repeated to its shape. */
ir_ref ir_la_fit_real(ir_build *b, ir_ref x, ir_ref like);
static inline bool
ir_la_is_complex(const ir_build *b, ir_ref x)
{
    return x && ir_is_complex(ir_btype(b, x)->dtype);
}
/* The Hermitian (symmetric) matrix of which x has the lower triangle. */
ir_ref ir_la_hermitian(ir_build *b, ir_ref x);
/* x repeated where its size is 1, to the shape of like. */
ir_ref ir_la_fit(ir_build *b, ir_ref x, ir_ref like);

/* Rows of x in the order of i32 [batch, n, 1]. */
ir_ref ir_la_in_order(ir_build *b, ir_ref x, ir_ref order);

/* A bool matrix inside, like x: op(row, column + k). */
ir_ref ir_la_compare(ir_build *b, ir_op op, ir_ref x, int64_t k);
/* x where p, else the number. */
ir_ref ir_la_keep(ir_build *b, ir_ref p, ir_ref x, double otherwise);
/* 1 where row == column + k, in the type of like. */
ir_ref ir_la_eye(ir_build *b, ir_ref like);
/* On each row, or column (i32 [1, n, 1], [1, 1, n]): op(number of the row, i), as wide as x. */
ir_ref ir_la_rows_where(ir_build *b, ir_op op, ir_ref x, ir_ref i);
ir_ref ir_la_cols_where(ir_build *b, ir_op op, ir_ref x, ir_ref i);

/* x with rows and columns up to n, as those of the unit matrix; and cut to n again. */
ir_ref ir_la_grow(ir_build *b, ir_ref x, int64_t n);
ir_ref ir_la_crop(ir_build *b, ir_ref x, int64_t m, int64_t n);

/* Scalars, i32. */
ir_ref ir_la_number(ir_build *b, int64_t i);
ir_ref ir_la_times(ir_build *b, ir_ref i, int64_t k);

/* A split of n rows into blocks of equal size, at most `most` rows each, with little
 * padding. */
typedef struct ir_la_blocking {
    int64_t blocks, size;
} ir_la_blocking;
ir_la_blocking ir_la_blocking_of(int64_t n, int64_t most);

/* A loop of n steps over carries, with the number of the step.  Between begin and end nodes go
 * to loop->b; in[] are the consts, then the carries, as they are inside. */
typedef struct ir_la_loop {
    ir_build *b;
    int consts, carries;
    int64_t n;
    ir_ref step, last, in[8], outer[10];
} ir_la_loop;
void ir_la_loop_begin(ir_build *b, ir_la_loop *l, int64_t n, int consts, int carries,
                      const ir_ref *x);
/* next: the carries of the next step, then n_ys that are stacked on a new first axis; results
 * to out. */
void ir_la_loop_end(ir_build *b, ir_la_loop *l, int n_ys, const ir_ref *next, ir_ref *out);

/* The same for step = from, from + 1, ..., to - 1, whose bounds are values of the graph. */
void ir_la_for_begin(ir_build *b, ir_la_loop *l, ir_ref from, ir_ref to, int consts,
                     int carries, const ir_ref *x);
void ir_la_for_end(ir_build *b, ir_la_loop *l, const ir_ref *next, ir_ref *out);

/* One matrix after the other, for those that are large: f on x[0 ... n-1], of batch 1 each. */
typedef void ir_la_each(ir_build *b, const void *user, const ir_ref *x, ir_ref *y);
void ir_la_map(ir_build *b, ir_la_each *f, const void *user, int n_in, const ir_ref *x,
               int n_out, ir_ref *y);

/* qr.c: the reflection I - tau v v^H, v_j = 1.  Its conjugate maps a column, given transposed
 * as col [batch, 1, rows], to one that is zero below element j, which becomes beta; tau and
 * beta are [batch, 1, 1]. */
typedef struct ir_la_reflection {
    ir_ref v, tau, beta;
} ir_la_reflection;
ir_la_reflection ir_la_reflection_of(ir_build *b, ir_ref col, ir_ref j);

/* triangular.c: the inverse of lower triangles, for sizes up to IR_LA_SMALL. */
enum { IR_LA_TINY = 6, IR_LA_SMALL = 32, IR_LA_LARGE = 128 };
ir_ref ir_la_inverse(ir_build *b, ir_ref x, bool unit);
/* The inverses of the blocks of `size` on the diagonal of x, [batch, blocks * size, size]. */
ir_ref ir_la_inverses(ir_build *b, ir_ref x, int64_t size, bool unit);
/* z with z x^T = y, or x z = y, x lower triangular, with those inverses. */
ir_ref ir_la_solve_right(ir_build *b, ir_ref x, ir_ref inverses, ir_ref y);
ir_ref ir_la_solve_left(ir_build *b, ir_ref x, ir_ref inverses, ir_ref y);

/* inverse.c: U^-1 D L^-1 P with L below the diagonal of l, U in u, P the order of rows, i32
 * [batch, 1, n], D the numbers in by, [batch, n, 1], or IR_NONE.  Of batch 1, or small. */
ir_ref ir_la_inverse_of(ir_build *b, ir_ref l, ir_ref u, ir_ref order, ir_ref by);

/* powers.c: numbers m 2^e with integers e, i32 or i64 as wide as the parts of m. */
typedef struct ir_la_power {
    ir_ref m, e;
} ir_la_power;
/* The exponents of the elements of x, so that x 2^-e is near 1; x 2^-e, with such an e; x 2^e
 * with any.  e is repeated where its size is 1. */
ir_ref ir_la_exponents(ir_build *b, ir_ref x);
ir_ref ir_la_less(ir_build *b, ir_ref x, ir_ref e);
ir_ref ir_la_ldexp(ir_build *b, ir_ref x, ir_ref e);
/* The product of each line of x, [batch, 1, n]; its parts are [batch, 1, 1]. */
ir_la_power ir_la_power_product(ir_build *b, ir_ref x);

/* The distance from 1 to the next number in the type of x (f32 for f16 and bf16). */
double ir_la_precision(const ir_build *b, ir_ref x);

/* tiny.c: unrolled code for real matrices of at most IR_LA_TINY rows and columns. */
bool ir_la_is_tiny(const ir_build *b, ir_ref x);
/* y: L and U; the order of the rows, i32 [batch, 1, m]; the pivots, i32 [batch, 1, least]. */
void ir_la_tiny_lu(ir_build *b, ir_ref x, ir_ref *y);
/* z with x z = y, x lower triangular; only that triangle is read. */
ir_ref ir_la_tiny_solve(ir_build *b, ir_ref x, ir_ref y, bool unit);
ir_ref ir_la_tiny_cholesky(ir_build *b, ir_ref x);

#endif
