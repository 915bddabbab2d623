/* Do two iterations of a parallel loop never touch the same element? */
#ifndef CODEGEN_VERIFY_EXCLUDE_H
#define CODEGEN_VERIFY_EXCLUDE_H

#include "codegen/verify/races.h"

/* Proves that the touch x of one iteration and the touch y of another never access the same
 * element. */
bool cg_exclude(cg_races *r, const cg_touch *x, const cg_touch *y);

#endif
