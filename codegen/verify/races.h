/* Proof that no two iterations of a parallel loop touch one element that one of them stores. */
#ifndef CODEGEN_VERIFY_RACES_H
#define CODEGEN_VERIFY_RACES_H

#include "codegen/verify/facts.h"

/* An access in a loop: its index, and what is known there. */
typedef struct cg_touch {
    uint32_t buffer;
    bool writes;
    bool by_data; /* the index depends on loaded data, or counts as such (bounds.c) */
    bool impossible; /* its conditions contradict each other */
    cg_form index;
    int n_known;
    const cg_form *known;
} cg_touch;

typedef struct cg_races {
    cg_facts *f;
    bool inside;      /* inside a parallel loop or a grid */
    uint32_t counter; /* the atom that counts the loop's iterations */
    uint32_t n, cap;
    cg_touch *touch;
    cg_known *known; /* temporary, for the known forms of one proof */
} cg_races;

/* Counts the buffers that a loop stores to: those for which its iterations are proved
 * independent, those whose indices depend on data, and the others.  `first` is the first of the
 * others, or if there are none, the first that depends on data. */
typedef struct cg_races_count {
    int proved, by_data, open;
    uint32_t first;
} cg_races_count;

void cg_races_begin(cg_races *r, cg_facts *f, uint32_t counter);
/* Record an access of `count` elements from t's index on.  Local and shared buffers are private
 * to an iteration and are ignored. */
void cg_races_touch(cg_races *r, const cg_known *known, cg_touch t, int64_t count);
/* End the loop and check its touches. */
cg_races_count cg_races_end(cg_races *r);

#endif
