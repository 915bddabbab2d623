/* Products of every kind at the sizes that matter, as programs with a number.
 *
 * A kind is a pair of index strings, as of einsum, and what is made of the product: "mk,kn" and
 * nothing, "bmk,bkn" and a bias with an activation; or a convolution.  Its sizes, types and
 * attributes are a row of an orthogonal array (tests/sizes.h): first of few sizes with all
 * types, then of all sizes.  Sizes whose product would take too long are cut down axis by
 * axis.  A last class has few rows and a right side that is larger than the second cache. */
#ifndef TESTS_LAWS_SIZED_H
#define TESTS_LAWS_SIZED_H

#include "ir/graph.h"

typedef struct sized {
    int64_t number;
    const char *kind;       /* "matmul nt"                          */
    const char *text;       /* of the function @f, in the arena     */
    const char *type;       /* of its first operand in memory       */
} sized;

int64_t sized_count(void);
/* The first number of the last class. */
int64_t sized_streamed(void);
/* The first number of the kind of this name, others of which follow in steps up to
 * sized_streamed(); -1: there is no such kind. */
int64_t sized_kind(const char *name, int64_t *step);
sized sized_make(ir_arena *a, int64_t number);

#endif
