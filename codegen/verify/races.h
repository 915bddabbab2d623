/* No two iterations of a parallel loop touch one element, if one of them stores it. */
#ifndef CODEGEN_VERIFY_RACES_H
#define CODEGEN_VERIFY_RACES_H

#include "codegen/verify/facts.h"

/* What a loop touches: an index, and what holds there. */
typedef struct cg_touch {
    uint32_t buffer;
    bool writes;
    bool by_data; /* the index depends on what was loaded, or the like (bounds.c) */
    cg_form index;
    int n_known;
    const cg_form *known;
} cg_touch;

typedef struct cg_races {
    cg_facts *f;
    bool inside;      /* of a parallel loop or a grid           */
    uint32_t counter; /* the atom that counts its iterations    */
    uint32_t n, cap;
    cg_touch *touch;
    cg_known *known;  /* where a proof's facts are put together */
} cg_races;

/* Of the buffers that a loop stores to: those of which its iterations are proved to be apart,
 * those that data decides on, and the others, the first of which is named; if there are none,
 * the first that data decides on. */
typedef struct cg_races_count {
    int proved, by_data, open;
    uint32_t first;
} cg_races_count;

void cg_races_begin(cg_races *r, cg_facts *f, uint32_t counter);
/* `count` elements from t's index on; local and shared buffers are private to an iteration. */
void cg_races_touch(cg_races *r, const cg_known *known, cg_touch t, int64_t count);
/* Ends the loop. */
cg_races_count cg_races_end(cg_races *r);

#endif
