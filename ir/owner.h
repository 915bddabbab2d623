/* Which process owns which groups of a spread axis, and the order in which their sums fold.
 *
 * A sum of G elements in the order of docs/numerics.md section 3 is one binary tree that is
 * aligned at powers of two.  Its leaves are the lanes of the blocks: leaf q is lane
 * reverse(q mod 32) of block q / 32, with the five bits of a lane reversed, since a block that
 * folds its lanes by halves first joins l and l + 16, then l and l + 8.  A leaf is the chain of
 * its at most 16 elements; one without elements is absent, and its neighbour passes up
 * unchanged.
 *
 * There are two rules of ownership, and a program has one of them:
 *
 *   leaves  A process owns the groups of a run of leaves, so that it computes whole nodes of
 *           the tree.  The runs are in the order of the processes, and share the groups as
 *           evenly as whole leaves allow.
 *   runs    A process owns consecutive groups, so that neighbours are mostly of one process.
 *           Process p has the groups from p G / P to (p + 1) G / P; where each has at least
 *           eight blocks of 512, those limits are rounded down to whole blocks.
 *
 * What a process knows of a sum are parts: the maximal nodes all of whose elements it owns; the
 * beginning of a leaf whose end it does not own; and each element of a leaf whose beginning it
 * does not own.  All parts of all processes, in the order of their leaves and in these of their
 * elements, fold to the sum. */
#ifndef IR_OWNER_H
#define IR_OWNER_H

#include <stdbool.h>
#include <stdint.h>

typedef enum ir_own_rule { IR_OWN_LEAVES, IR_OWN_RUNS } ir_own_rule;

/* The leaves of a sum over so many groups: 32 for each block of 512. */
int64_t ir_leaves(int64_t groups);
/* The elements of leaf q; the first is *first, and each next one is 32 further. */
int64_t ir_leaf_size(int64_t groups, int64_t q, int64_t *first);

typedef struct ir_owned {
    ir_own_rule rule;
    int64_t from, to; /* leaves, of which some elements may be of others */
    int64_t first;    /* runs: the first group */
    int64_t groups;   /* how many it owns */
} ir_owned;
/* What process `rank` of `processes` owns. */
ir_owned ir_owned_by(ir_own_rule rule, int64_t groups, int processes, int rank);
/* The numbers of its groups, in the order in which it has them: that of the leaves, or
 * ascending. */
void ir_owned_list(int64_t groups, const ir_owned *own, int64_t *list);

/* A part of a sum: the leaves q to q + 2^level - 1 with all their elements, or, if level is 0,
 * n elements of leaf q from element t on. */
typedef struct ir_part {
    int64_t q, t, n;
    int level;
} ir_part;
/* The parts of a process, one after the other: begin with all 0.  false: there is none left. */
bool ir_owned_part(int64_t groups, const ir_owned *own, ir_part *part);
int64_t ir_owned_parts(int64_t groups, const ir_owned *own);

#endif
