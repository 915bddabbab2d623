/* The arithmetic of sums and extremes between processes. */
#ifndef RUNTIME_SUPPORT_WORLD_FOLD_H
#define RUNTIME_SUPPORT_WORLD_FOLD_H

#include <stddef.h>

#include "cotrace/tensor.h"

/* The type that a reduction of elements of type t is made in, and converts to and from it.  A
 * complex number is no element. */
cot_dtype cot_rt_wide_type(cot_dtype t);
size_t cot_rt_bytes_of(cot_dtype t);
void cot_rt_widen(cot_dtype t, int64_t n, const void *from, void *to);
void cot_rt_narrow(cot_dtype t, int64_t n, const void *from, void *to);

/* to = to by from, element by element, of a wide type: a sum, whose integers wrap, a maximum or
 * minimum as of the ops, `or` or `and` (COT_RT_SUM and the like). */
void cot_rt_combine(int by, cot_dtype t, int64_t n, void *to, const void *from);

/* Elements that are folded at a time: a stack of them stays in the first-level cache. */
enum { COT_RT_CHUNK = 1024, COT_RT_MAX_LEVELS = 64 };

/* Nodes of a sum come in the order of their leaves.  Two neighbours are joined at the height of
 * the node in which they meet, the highest bit in which the numbers of their leaves differ, and
 * before those that meet higher up.  So a node without elements is passed by.  A node is where
 * it came from until it is added to. */
typedef struct cot_rt_fold {
    cot_dtype t; /* wide */
    int64_t n; /* elements of a node */
    int64_t last;
    int depth;
    int height[COT_RT_MAX_LEVELS]; /* where a node meets the one before it */
    const void *node[COT_RT_MAX_LEVELS];
    char *room; /* for each level, of so many bytes */
    int64_t bytes;
} cot_rt_fold;
/* The levels that a fold of so many leaves has at most. */
int cot_rt_fold_levels(int64_t leaves);
/* The node whose first leaf is q, of n elements. */
void cot_rt_fold_push(cot_rt_fold *s, int64_t q, const void *x);
/* The room of the node that is pushed next, with the first leaf q, which may be made there. */
void *cot_rt_fold_room(cot_rt_fold *s, int64_t q);
/* More elements of the leaf that was pushed last, in the order of its chain. */
void cot_rt_fold_more(cot_rt_fold *s, const void *x);
/* The sum of what was pushed; the next one begins. */
const void *cot_rt_folded(cot_rt_fold *s);

#endif
