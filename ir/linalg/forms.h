/* Forms of matrices, as graphs; x may have axes in front. */
#ifndef IR_LINALG_FORMS_H
#define IR_LINALG_FORMS_H

#include "ir/build.h"

/* x = q t q^H, square and not empty; y: t and q by the op
 * schur; the eigenvalues, of a real x their real parts and their imaginary parts. */
void ir_schur(ir_build *b, ir_ref x, ir_ref *y);
/* x = q h q^H: h, and below it the vectors of the reflections whose product q is; their
 * factors, one less than rows. */
void ir_hessenberg(ir_build *b, ir_ref x, ir_ref *packed, ir_ref *tau);
/* q, m >= n, of orthonormal columns that are the first of a product of LAPACK's reflections:
 * their vectors below the diagonal of v, 0 elsewhere, and their factors. */
void ir_reflections(ir_build *b, ir_ref q, ir_ref *v, ir_ref *tau);
/* x with its columns in the order in which a QR factorisation takes the longest rest first;
 * which they were, i32. */
void ir_pivoted(ir_build *b, ir_ref x, ir_ref *y, ir_ref *order);

#endif
