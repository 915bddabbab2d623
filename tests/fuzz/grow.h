/* The state of a random graph as it grows, and the steps of its families; see generate.c. */
#ifndef TESTS_FUZZ_GROW_H
#define TESTS_FUZZ_GROW_H

#include "tests/fuzz/generate.h"
#include "tests/laws/programs.h"

/* Complex values are pairs of reals to all that this compares: they come and go within a
 * step. */
enum { REAL_TYPES = COT_C64 - 1 };

enum { MAX_VALUES = 64, MAX_WRITTEN = 12, LARGEST = 3000, DEEPEST = 2 };

typedef struct gen {
    ir_build *b;
    uint64_t *seed;
    ir_ref v[MAX_VALUES];
    int n, depth;
    ir_ref w[MAX_WRITTEN];     /* clones and views of them, which may be written */
    int n_w;
    fuzz_kind kind;
    cot_dtype main;             /* the element type that most values have */
} gen;

static inline int
below(gen *g, int n)
{
    return (int)(laws_uniform(g->seed) * n);
}

static inline ir_ref
any(gen *g)
{
    return g->v[below(g, g->n)];
}

static inline void
keep(gen *g, ir_ref v)
{
    if (v && g->n < MAX_VALUES && ir_btype(g->b, v)->size <= LARGEST)
        g->v[g->n++] = v;
}

static inline const ir_type *
type_of(gen *g, ir_ref v)
{
    return ir_btype(g->b, v);
}

/* v as a value of type t, by whatever it takes. */
ir_ref grow_coerce(gen *g, ir_ref v, const ir_type *t);
/* A value of type t: one that is there, made from another, or a constant. */
ir_ref grow_like(gen *g, const ir_type *t);
/* x in another shape or order. */
ir_ref grow_reshape(gen *g, ir_ref x);
ir_ref grow_transpose(gen *g, ir_ref x);
ir_ref grow_slice(gen *g, ir_ref x);

/* Complex numbers of values, through some ops and a Fourier transform, and their parts. */
void grow_complex(gen *g);
/* Factors of matrices, or solutions of systems. */
void grow_matrices(gen *g);
/* The incomplete beta function, whose program is a loop. */
void grow_betainc(gen *g);
/* Loops over several arrays of a type. */
void grow_loop(gen *g);

#endif
