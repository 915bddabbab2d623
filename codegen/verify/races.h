/* No two iterations of a parallel loop touch one element, if one of them stores it. */
#ifndef CODEGEN_VERIFY_RACES_H
#define CODEGEN_VERIFY_RACES_H

#include "codegen/verify/facts.h"

/* What a loop touches: an index, and what holds there. */
typedef struct cg_touch {
    uint32_t buffer;
    bool writes;
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

void cg_races_begin(cg_races *r, cg_facts *f, uint32_t counter);
/* `count` elements from the index on; local and shared buffers are private to an iteration. */
void cg_races_touch(cg_races *r, const cg_known *known, uint32_t buffer, const cg_form *index,
                    int64_t count, bool writes);
/* Ends the loop. Of each buffer that it stores to: are its iterations proved to be apart?  The
 * number of those that are; *open is that of the others, *first one of these. */
int cg_races_end(cg_races *r, int *open, uint32_t *first);

#endif
