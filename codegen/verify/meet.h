/* Do two iterations of a parallel loop touch one element that one of them stores? */
#ifndef CODEGEN_VERIFY_MEET_H
#define CODEGEN_VERIFY_MEET_H

#include "codegen/verify/facts.h"

/* The loop's variable in both iterations, and the element. */
typedef struct cg_conflict {
    int64_t first, second;
    uint32_t buffer;
    int64_t element;
} cg_conflict;

/* False: no conflict was found, which does not prove that there is none. param: the interval of
 * each parameter, or NULL. */
bool cg_find_conflict(const cg_kernel *k, const cg_block *loop, const cg_interval *param,
                      ir_arena *scratch, cg_conflict *out);

#endif
