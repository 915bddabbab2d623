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
 * elements, fold to the sum.
 *
 * The functions are here and in no object, since programs that are shipped need them at run
 * time (runtime/support), which have nothing of this folder. */
#ifndef IR_OWNER_H
#define IR_OWNER_H

#include <stdbool.h>
#include <stdint.h>

typedef enum ir_own_rule { IR_OWN_LEAVES, IR_OWN_RUNS } ir_own_rule;
enum { IR_LANES = 32, IR_BLOCK = 512, IR_MANY_BLOCKS = 8 };

typedef struct ir_owned {
    ir_own_rule rule;
    int64_t from, to; /* leaves, of which some elements may be of others */
    int64_t first;    /* runs: the first group */
    int64_t groups;   /* how many it owns */
} ir_owned;

/* A part of a sum: the leaves q to q + 2^level - 1 with all their elements, or, if level is 0,
 * n elements of leaf q from element t on. */
typedef struct ir_part {
    int64_t q, t, n;
    int level;
} ir_part;

/* The leaves of a sum over so many groups: 32 for each block of 512. */
static inline int64_t
ir_leaves(int64_t groups)
{
    return (groups + IR_BLOCK - 1) / IR_BLOCK * IR_LANES;
}

/* The five bits of a lane's number, reversed. */
static inline int64_t
ir_lane_reversed(int64_t lane)
{
    static const uint8_t r[IR_LANES] = { 0,  16, 8,  24, 4,  20, 12, 28, 2,  18, 10,
                                         26, 6,  22, 14, 30, 1,  17, 9,  25, 5,  21,
                                         13, 29, 3,  19, 11, 27, 7,  23, 15, 31 };

    return r[lane];
}

/* The elements of leaf q; the first is *first, and each next one is 32 further. */
static inline int64_t
ir_leaf_size(int64_t groups, int64_t q, int64_t *first)
{
    const int64_t lane = ir_lane_reversed(q % IR_LANES),
                  left = groups - q / IR_LANES * IR_BLOCK,
                  n = left < IR_BLOCK ? left : IR_BLOCK;

    *first = q / IR_LANES * IR_BLOCK + lane;
    return lane < n ? (n - lane - 1) / IR_LANES + 1 : 0;
}

/* A leaf belongs to the process in whose share of 1 / processes its first group is. */
static inline ir_owned
ir_owned_leaves(int64_t groups, int processes, int rank)
{
    const int64_t leaves = ir_leaves(groups),
                  lo = ((int64_t)rank * groups + processes - 1) / processes,
                  hi = rank + 1 < processes
                           ? (((int64_t)rank + 1) * groups + processes - 1) / processes
                           : INT64_MAX;
    ir_owned own = { .from = leaves, .to = leaves };
    int64_t before = 0, first;

    for (int64_t q = 0; q < leaves && before < hi; q++) {
        const int64_t size = ir_leaf_size(groups, q, &first);
        if (before >= lo && own.from == leaves)
            own.from = q;
        if (before >= lo)
            own.groups += size;
        before += size;
        own.to = q + 1;
    }
    if (own.from == leaves)
        own.to = leaves;
    return own;
}

/* The first group of a process, or of the one behind the last. */
static inline int64_t
ir_run_start(int64_t groups, int processes, int64_t rank)
{
    const int64_t at = groups / processes * rank + groups % processes * rank / processes;

    return rank < processes && groups / IR_BLOCK / IR_MANY_BLOCKS >= processes
               ? at / IR_BLOCK * IR_BLOCK
               : at;
}

static inline ir_owned
ir_owned_run(int64_t groups, int processes, int rank)
{
    const int64_t first = ir_run_start(groups, processes, rank),
                  end = ir_run_start(groups, processes, (int64_t)rank + 1);

    return (ir_owned){ .rule = IR_OWN_RUNS,
                       .from = first / IR_BLOCK * IR_LANES,
                       .to = (end + IR_BLOCK - 1) / IR_BLOCK * IR_LANES,
                       .first = first,
                       .groups = end - first };
}

/* What process `rank` of `processes` owns. */
static inline ir_owned
ir_owned_by(ir_own_rule rule, int64_t groups, int processes, int rank)
{
    return rule == IR_OWN_RUNS ? ir_owned_run(groups, processes, rank)
                               : ir_owned_leaves(groups, processes, rank);
}

/* The numbers of its groups, in the order in which it has them: that of the leaves, or
 * ascending. */
static inline void
ir_owned_list(int64_t groups, const ir_owned *own, int64_t *list)
{
    int64_t first;

    if (own->rule == IR_OWN_RUNS) {
        for (int64_t k = 0; k < own->groups; k++)
            list[k] = own->first + k;
        return;
    }
    for (int64_t q = own->from; q < own->to; q++) {
        const int64_t size = ir_leaf_size(groups, q, &first);
        for (int64_t t = 0; t < size; t++)
            *list++ = first + t * IR_LANES;
    }
}

/* The elements of a leaf below a group. */
static inline int64_t
ir_elements_below(int64_t first, int64_t size, int64_t group)
{
    const int64_t n = group > first ? (group - first + IR_LANES - 1) / IR_LANES : 0;

    return n < size ? n : size;
}

/* Elements t to t + n - 1 of leaf q are own's; is that all of it? */
static inline bool
ir_leaf_share(int64_t groups, const ir_owned *own, int64_t q, int64_t *t, int64_t *n)
{
    int64_t first;
    const int64_t size = ir_leaf_size(groups, q, &first);

    *t = 0;
    *n = size;
    if (own->rule == IR_OWN_RUNS) {
        *t = ir_elements_below(first, size, own->first);
        *n = ir_elements_below(first, size, own->first + own->groups) - *t;
    }
    return *n == size;
}

static inline bool
ir_node_is_whole(int64_t groups, const ir_owned *own, int64_t q, int64_t end)
{
    int64_t t, n;

    if (end > own->to)
        return false;
    for (; q < end; q++)
        if (!ir_leaf_share(groups, own, q, &t, &n))
            return false;
    return true;
}

/* The part that begins at element t of leaf q, of which the process has n. */
static inline ir_part
ir_part_at(int64_t groups, const ir_owned *own, int64_t q, int64_t t, int64_t n, bool whole)
{
    ir_part part = { q, t, t ? 1 : n, 0 };

    for (int64_t size = 1; whole && q % (2 * size) == 0; size *= 2) {
        if (!ir_node_is_whole(groups, own, q + size, q + 2 * size))
            break;
        part.level++;
    }
    return part;
}

/* The parts of a process, one after the other: begin with all 0.  false: there is none left.
 * A leaf that is absent is behind those that are there, in each node. */
static inline bool
ir_owned_part(int64_t groups, const ir_owned *own, ir_part *part)
{
    int64_t q = part->n ? part->q : own->from, t, n;

    if (part->n && part->t) {
        ir_leaf_share(groups, own, q, &t, &n);
        if (part->t + 1 < t + n) {
            part->t++;
            return true;
        }
    }
    for (q += part->n ? (int64_t)1 << part->level : 0; q < own->to; q++) {
        const bool whole = ir_leaf_share(groups, own, q, &t, &n);
        if (n == 0)
            continue;
        *part = ir_part_at(groups, own, q, t, n, whole);
        return true;
    }
    return false;
}

static inline int64_t
ir_owned_parts(int64_t groups, const ir_owned *own)
{
    ir_part part = { 0 };
    int64_t n = 0;

    while (own->groups && ir_owned_part(groups, own, &part))
        n++;
    return n;
}

#endif
