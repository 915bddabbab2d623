/* Which process owns which groups of a spread axis, and the order in which their sums fold.
 *
 * A sum of G elements in the order of docs/numerics.md section 3 is one binary tree that is
 * aligned at powers of two.  Its leaves are the lanes of the blocks: leaf q is lane
 * reverse(q mod 32) of block q / 32, with the five bits of a lane reversed, since a block that
 * folds its lanes by halves first joins l and l + 16, then l and l + 8.  A leaf is the chain of
 * its at most 16 elements; one without elements is absent, and its neighbour passes up
 * unchanged.
 *
 * A process owns the groups of a run of leaves, so that it computes whole nodes of the tree:
 * those of its run that are in no larger one.  The runs are in the order of the processes, and
 * share the groups as evenly as whole leaves allow. */
#ifndef IR_OWNER_H
#define IR_OWNER_H

#include <stdbool.h>
#include <stdint.h>

/* The leaves of a sum over so many groups: 32 for each block of 512. */
int64_t ir_leaves(int64_t groups);
/* The elements of leaf q; the first is *first, and each next one is 32 further. */
int64_t ir_leaf_size(int64_t groups, int64_t q, int64_t *first);

typedef struct ir_owned {
    int64_t from, to; /* leaves */
    int64_t groups;   /* how many it owns */
} ir_owned;
/* What process `rank` of `processes` owns. */
ir_owned ir_owned_by(int64_t groups, int processes, int rank);
/* The numbers of its groups, in the order of the leaves. */
void ir_owned_list(int64_t groups, const ir_owned *own, int64_t *list);

/* The maximal nodes of a run of leaves, one after the other: begin with *q = own->from.  Each
 * has the leaves *q to *q + 2^level - 1; false: there is none left.  Nodes without any element
 * are left out. */
bool ir_owned_node(int64_t groups, const ir_owned *own, int64_t *q, int *level);
int64_t ir_owned_nodes(int64_t groups, const ir_owned *own);

#endif
