/* Do two iterations of a parallel loop never touch one element? */
#ifndef CODEGEN_VERIFY_EXCLUDE_H
#define CODEGEN_VERIFY_EXCLUDE_H

#include "codegen/verify/races.h"

/* An iteration that makes the touch x, and another one that makes y, never touch the same
 * element. */
bool cg_exclude(cg_races *r, const cg_touch *x, const cg_touch *y);

#endif
