/* How often inline emission computes a value again. */
#ifndef CODEGEN_FUSE_RECOMPUTE_H
#define CODEGEN_FUSE_RECOMPUTE_H

#include "codegen/lowering.h"

/* `n` rows along the axes from `axis` on; n = 0: there are no such rows. */
typedef struct cg_short_rows { int64_t n; int axis; } cg_short_rows;

typedef struct cg_recompute {
    cg_lowering *l;
    const ir_graph *f;
    /* all by value: the number of indices at which a kernel emits it */
    uint32_t *copies;
    /* what identifies these indices: those of its only user, or its own */
    uint32_t *index, n_indices;
    /* how many elements are computed for all its uses; for a root: of its iteration space */
    double *elements;
    bool *interleaved; /* a concatenation whose operands are computed together: an interleave */
    /* the short rows of the only kernel that emits it, each of which is computed at once and
     * takes from the value the part of the same number */
    cg_short_rows *rows;
} cg_recompute;

/* Nodes are visited in reverse, so that all users of a value come before it. */
cg_recompute *cg_recompute_begin(cg_lowering *l, const ir_graph *f);
/* Value v is a root, and its kernel iterates over `space`. */
void cg_recompute_root(cg_recompute *c, ir_ref v, const ir_type *space);
/* Node n emits its operand x inline, at another index than its own if `moves`; ratio: how often
 * at least each element of x is computed for one computation of all elements of n. */
void cg_recompute_use(cg_recompute *c, const ir_node *n, ir_ref x, bool moves, double ratio);
/* Are more elements of v computed than it has?  On a GPU, where a kernel of its own costs a
 * launch: several times as many. */
bool cg_is_recomputed(const cg_recompute *c, ir_ref v);

#endif
