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
 *           evenly as whole leaves allow.  Of one block and 2^k processes, up to 32, each owns
 *           the leaves of one node, 32 / 2^k of them: since the bits of lanes are reversed,
 *           these are the groups i that are equal modulo 2^k, and as even as can be.
 *   runs    A process owns consecutive groups, so that neighbours are mostly of one process.
 *           Process p has the groups from p G / P to (p + 1) G / P; where each has at least
 *           eight blocks of 512, those limits are rounded down to whole blocks.
 *
 * What a process knows of a sum are parts: the maximal nodes all of whose elements it owns; the
 * beginning of a leaf whose end it does not own; and each element of a leaf whose beginning it
 * does not own.  All parts of all processes, in the order of their leaves and in these of their
 * elements, fold to the sum. */
#ifndef RUNTIME_SUPPORT_OWNER_H
#define RUNTIME_SUPPORT_OWNER_H

#include <stdbool.h>
#include <stdint.h>

typedef enum cot_rt_own_rule { COT_RT_OWN_LEAVES, COT_RT_OWN_RUNS } cot_rt_own_rule;
enum { COT_RT_LANES = 32, COT_RT_BLOCK = 512, COT_RT_MANY_BLOCKS = 8 };

typedef struct cot_rt_owned {
    cot_rt_own_rule rule;
    int64_t from, to; /* leaves, of which some elements may be of others */
    int64_t first;    /* runs: the first group */
    int64_t groups;   /* how many it owns */
} cot_rt_owned;

/* A part of a sum: the leaves q to q + 2^level - 1 with all their elements, or, if level is 0,
 * n elements of leaf q from element t on. */
typedef struct cot_rt_sum_part {
    int64_t q, t, n;
    int level;
} cot_rt_sum_part;

/* The leaves of a sum over so many groups: 32 for each block of 512. */
int64_t cot_rt_leaves(int64_t groups);
/* The elements of leaf q; the first is *first, and each next one is 32 further. */
int64_t cot_rt_leaf_size(int64_t groups, int64_t q, int64_t *first);
/* The process that owns the groups of leaf q, before whose first there are so many, by the rule
 * of leaves. */
int cot_rt_leaf_owner(int64_t groups, int processes, int64_t q, int64_t before);
/* What process `rank` of `processes` owns. */
cot_rt_owned cot_rt_owned_by(cot_rt_own_rule rule, int64_t groups, int processes, int rank);
/* The numbers of its groups, in the order in which it has them: that of the leaves, or
 * ascending. */
void cot_rt_owned_list(int64_t groups, const cot_rt_owned *own, int64_t *list);
/* The parts of a process, one after the other: begin with all 0.  false: there is none left.
 * A leaf that is absent is behind those that are there, in each node. */
bool cot_rt_owned_part(int64_t groups, const cot_rt_owned *own, cot_rt_sum_part *part);
int64_t cot_rt_owned_parts(int64_t groups, const cot_rt_owned *own);

#endif
