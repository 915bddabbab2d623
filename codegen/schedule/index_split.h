/* Where loops are split: see index_split.c. */
#ifndef CODEGEN_SCHEDULE_INDEX_SPLIT_H
#define CODEGEN_SCHEDULE_INDEX_SPLIT_H

#include "codegen/fuse/access.h"

/* Starts of pieces along one loop, rising: start[0] is 0, start[n] the extent. */
typedef struct cg_index_splits {
    int n;
    const int64_t *start;
} cg_index_splits;

/* The pieces of a loop over axes first ... last - 1 of the space `at`, in which no test changes
 * that depends on these axes alone; n is 1 if there is none, or more than `most`. */
cg_index_splits cg_index_splits_of(const cg_access *w, const cg_ix *at, int first, int last,
                                   int64_t extent, int most);

#endif
