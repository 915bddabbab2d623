/* Chains of transforms over a program: what compose.c, which builds them, and compose_laws.c,
 * which has the transforms, share. */
#ifndef TESTS_LAWS_COMPOSE_H
#define TESTS_LAWS_COMPOSE_H

#include "tests/laws/programs.h"

typedef struct chain {
    const laws_program *p;
    char name[100];
    const ir_graph *g, *h; /* what the last transform was given, and what it gave */
    void **in, **out;      /* of h                                                */
} chain;

bool chain_fail(const chain *c, const char *what);
/* That, with the context's error, which is cleared. */
bool chain_fail_error(const chain *c, const char *step);
bool chain_run(const chain *c, const ir_graph *f, void **out, void **in);
/* Arrays are equal, to a tolerance of the largest finite element or of 1. */
bool chain_same(const chain *c, const char *what, int k, const ir_type *t, const void *got,
                const void *want, double tolerance);
/* Arguments of f: those of the program come first in every transform of it; what follows are
 * tangents and cotangents, of unit size. */
void **chain_sample(const chain *c, const ir_graph *f, uint64_t seed);

int chain_count_floating(const ir_graph *f, int n, const ir_ref *v);
/* Are all floating values f64, and is there one on both sides? */
bool chain_in_f64(const ir_graph *f);
int64_t chain_elements(const ir_graph *f, int n, const ir_ref *v);

/* Of the program and the link that is built or judged: how a map maps differs by it. */
extern unsigned chain_salt;

/* `order`: how often the derivative multiplies by the number of arguments' elements; `nth`:
 * of which order it is. */
typedef struct chain_transform {
    const char *name;
    cot_status (*make)(const ir_graph *f, ir_graph **out);
    bool (*law)(const chain *c);
    int order, nth;
} chain_transform;

enum { CHAIN_VMAP, CHAIN_JVP, CHAIN_VJP, CHAIN_GRAD = 4, CHAIN_TRANSFORMS = 9 };
extern const chain_transform chain_transforms[CHAIN_TRANSFORMS];

#endif
