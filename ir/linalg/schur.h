/* Similarity transformations that eigenvalues (eig.c) and the forms that importers ask for
 * (forms.c) share. */
#ifndef IR_LINALG_SCHUR_H
#define IR_LINALG_SCHUR_H

#include "ir/linalg/parts.h"

/* x = q h q^H. */
typedef struct ir_la_schur {
    ir_ref h, q;
} ir_la_schur;

/* The reflections of a Hessenberg form, in the order of their columns, which may be zero at the
 * end: the vectors [batch, n, n], column k with its 1 in row k + 1, and the factors [batch, 1,
 * n]. */
typedef struct ir_la_reflections {
    ir_ref v, tau;
} ir_la_reflections;

/* h is zero below the first diagonal under the main one; r: NULL, or filled. */
ir_la_schur ir_la_hessenberg(ir_build *b, ir_ref x, ir_la_reflections *r);
/* Sweeps that reduce it to blocks of one or two rows.  Returns bool [batch, 1, 1]: where they
 * did not converge. */
ir_ref ir_la_sweeps(ir_build *b, ir_la_schur *s);
/* eig.c: from there, complex triangles; *w gets their eigenvalues, [batch, 1, n], of real
 * matrices in conjugate pairs. */
void ir_la_triangles(ir_build *b, bool real, ir_la_schur *s, ir_ref *w);

/* x over its largest element, which is answered; *bad where that is infinite or NaN, and the
 * unit matrix in its place. */
ir_ref ir_la_scaled(ir_build *b, ir_ref *x, ir_ref *bad);
/* Diagonal k below the main one, [batch, 1, n], with zeros before its first element. */
ir_ref ir_la_diagonal(ir_build *b, ir_ref h, int64_t k);

#endif
