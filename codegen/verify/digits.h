/* Does an index determine the iteration of a parallel loop?  Digit by digit: digits.c. */
#ifndef CODEGEN_VERIFY_DIGITS_H
#define CODEGEN_VERIFY_DIGITS_H

#include "codegen/verify/races.h"

/* A part of each of n indices. */
typedef struct cg_parts {
    cg_races *r;
    uint32_t n;
    const cg_touch **at;
    cg_sum *part;
} cg_parts;

/* Two different iterations never have one of these indices in common. */
bool cg_fixes_iteration(const cg_parts *x);
/* What holds at the touch, in r->known until the next call. */
cg_known *cg_known_at(const cg_races *r, const cg_touch *t);
/* s with quotients that leave no carry there, and remainders by them, put in. */
void cg_settle_quotients(const cg_races *r, const cg_touch *t, cg_sum *s);

#endif
