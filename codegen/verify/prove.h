/* Is an affine form >= 0, whatever its atoms are under what is known of them? */
#ifndef CODEGEN_VERIFY_PROVE_H
#define CODEGEN_VERIFY_PROVE_H

#include "codegen/verify/facts.h"

/* What the BOOL value v says if it holds, or if it does not; what is no comparison of integers
 * says nothing. */
void cg_know_that(cg_facts *f, cg_known *known, cg_val v, bool holds);
void cg_know(cg_facts *f, cg_known *known, const cg_sum *s);            /* s >= 0 */
bool cg_prove(cg_facts *f, cg_known *known, const cg_sum *s);

#endif
