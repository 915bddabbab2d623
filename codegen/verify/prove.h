/* Is an affine form >= 0 for all values of its atoms that satisfy what is known? */
#ifndef CODEGEN_VERIFY_PROVE_H
#define CODEGEN_VERIFY_PROVE_H

#include "codegen/verify/facts.h"

/* known.c.  Add what follows if the BOOL value v is true (holds), or false.  Only comparisons
 * of integers and their conjunctions say anything. */
void cg_know_that(cg_facts *f, cg_known *known, cg_val v, bool holds);
void cg_know(cg_facts *f, cg_known *known, const cg_sum *s); /* add s >= 0 */
/* The bound on the quotient floor(x / c) that s >= 0 implies, rounded: s = d - x bounds it from
 * above (sign -1), s = x + d from below (sign 1). */
bool cg_bounds_quotient(const cg_atom *q, const cg_form *s, int sign, int64_t *bound);
bool cg_prove(cg_facts *f, cg_known *known, const cg_sum *s);
/* Tries methods, too, that cost several times as much: for what is refused if it fails. */
bool cg_prove_at_length(cg_facts *f, cg_known *known, const cg_sum *s);

#endif
