/* Does an index determine the iteration of a parallel loop?  See digits.c. */
#ifndef CODEGEN_VERIFY_DIGITS_H
#define CODEGEN_VERIFY_DIGITS_H

#include "codegen/verify/races.h"

/* One part of each of n indices. */
typedef struct cg_parts {
    cg_races *r;
    uint32_t n;
    const cg_touch **at;
    cg_sum *part;
} cg_parts;

/* Proves that two different iterations never have equal indices. */
bool cg_fixes_iteration(const cg_parts *x);
/* What holds at the touch, stored in r->known until the next call. */
cg_known *cg_known_at(const cg_races *r, const cg_touch *t);
/* Replaces quotients in s that have no carry, and remainders by them, by their forms. */
void cg_settle_quotients(const cg_races *r, const cg_touch *t, cg_sum *s);

#endif
