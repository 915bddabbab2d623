/* Rotations of pairs of rows (rotations.c): what one matrix (jacobi.c) and many at once
 * (lanes.c) share. */
#ifndef IR_LINALG_JACOBI_H
#define IR_LINALG_JACOBI_H

#include "ir/linalg/parts.h"

enum { IR_LA_SWEEPS = 30, IR_LA_LANES = 10 };

/* Row i of the next step is made of rows from[i] and with[i] of this one. */
typedef struct ir_la_deal {
    int64_t n;
    int32_t *from, *with;
} ir_la_deal;
ir_la_deal ir_la_deal_of(ir_build *b, int64_t n);
/* Elements (i, k) of a matrix that met in the step before: bool, row by row. */
uint8_t *ir_la_met(ir_build *b, const ir_la_deal *d);

/* The rotations of a step, of one shape: s, s / (1 + c), and the phases of complex pairs
 * (IR_NONE of real ones). */
typedef struct ir_la_rotations {
    ir_ref s, tau, phase;
} ir_la_rotations;
/* Of pairs with squares (in eigh: diagonal elements) p and q and product r; s is 0 where |r| is
 * not above the bound, and nowhere else.  `scaled` says that r^2 does not vanish above it. */
ir_la_rotations ir_la_rotations_of(ir_build *b, bool scaled, ir_ref p, ir_ref q, ir_ref r,
                           ir_ref bound);
/* Bool: which pairs are rotated, i.e. have s other than 0.  The second function puts the
 * rotations behind barriers, so that they are computed once and not again for each use. */
ir_ref ir_la_rotates(ir_build *b, const ir_la_rotations *t);
void ir_la_materialise(ir_build *b, ir_la_rotations *t);
/* In eigh: does a (rows and columns along axes `first` and the next) have an off-diagonal
 * element above the bound?  If not, another sweep would rotate nothing. */
ir_ref ir_la_has_off_diagonal(ir_build *b, ir_ref a, ir_ref bound, int first);
/* In svd, the bound above which |r| is rotated away. */
ir_ref ir_la_svd_bound(ir_build *b, ir_ref p, ir_ref q, int64_t n);

/* Does a sweep follow, given the bound, whether the last one did something, how many there
 * were, a and v? */
ir_graph *ir_la_goes_on(ir_build *b, const ir_ref *x);

/* lanes.c: sweeps over matrices a [batch, n, m] and v, vectors in rows, many at a time:
 * `symmetric` as eigh, with bound [batch, 1, 1], else as svd. */
void ir_la_lanes(ir_build *b, bool symmetric, ir_ref bound, ir_ref *a, ir_ref *v);

#endif
