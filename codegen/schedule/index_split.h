/* Where loops are split: see index_split.c. */
#ifndef CODEGEN_SCHEDULE_INDEX_SPLIT_H
#define CODEGEN_SCHEDULE_INDEX_SPLIT_H

#include "codegen/fuse/access.h"

/* The starts of the parts of a loop, ascending: start[0] is 0, and start[n] is the extent. */
typedef struct cg_index_splits {
    int n;
    const int64_t *start;
} cg_index_splits;

/* Split the loop over axes first ... last - 1 of the space `at` where the result of a test
 * changes that depends on these axes alone. n is 1 if there is no such test, or if there would
 * be more than `most` parts. */
cg_index_splits cg_index_splits_of(const cg_access *w, const cg_ix *at, int first, int last,
                                   int64_t extent, int most);

#endif
