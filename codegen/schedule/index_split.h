/* Where loops are cut: see index_split.c. */
#ifndef CODEGEN_SCHEDULE_INDEX_SPLIT_H
#define CODEGEN_SCHEDULE_INDEX_SPLIT_H

#include "codegen/fuse/access.h"

/* Starts of pieces along one loop, rising: start[0] is 0, start[n] the extent. */
typedef struct cg_cuts { int n; const int64_t *start; } cg_cuts;

/* The pieces of a loop over axes first ... last - 1 of the space `at`, in which no test changes
 * that depends on these axes alone; n is 1 if there is none, or more than `most`. */
cg_cuts cg_cuts_of(const cg_access *w, const cg_ix *at, int first, int last, int64_t extent,
                   int most);

#endif
