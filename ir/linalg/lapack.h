/* Calls of LAPACK, for matrices too large for our own algorithms. */
#ifndef IR_LINALG_LAPACK_H
#define IR_LINALG_LAPACK_H

#include "ir/custom.h"
#include "ir/linalg/parts.h"

typedef enum ir_la_kind { IR_LA_EIGH, IR_LA_SVD, IR_LA_EIG } ir_la_kind;

/* x [batch, m, n].  eigh: w [batch, n] and vectors, conjugated, in rows; svd: u, s [batch, k]
 * and v^H; eig: w [batch, n], then right and left vectors, conjugated, in rows.  An error where
 * this machine has no LAPACK. */
void ir_la_lapack(ir_build *b, ir_la_kind kind, bool full, ir_ref x, ir_ref *y);
/* The C code of a call, by the name in its node; NULL for another name. */
const ir_custom *ir_la_lapack_find(const char *name);

#endif
