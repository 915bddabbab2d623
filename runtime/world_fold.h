/* The arithmetic of sums and extremes between processes. */
#ifndef RUNTIME_WORLD_FOLD_H
#define RUNTIME_WORLD_FOLD_H

#include "ir/op.h"
#include "ir/type.h"

/* The type that a reduction of elements of type t is made in, and converts to and from it. */
cot_dtype rt_wide_type(cot_dtype t);
void rt_widen(cot_dtype t, int64_t n, const void *from, void *to);
void rt_narrow(cot_dtype t, int64_t n, const void *from, void *to);

/* to = to by from, element by element, of a wide type: a sum, whose integers wrap, a maximum or
 * minimum as of the ops, `or` or `and`. */
void rt_combine(ir_combine by, cot_dtype t, int64_t n, void *to, const void *from);

/* Elements that are folded at a time: a stack of them stays in the first-level cache. */
enum { RT_CHUNK = 1024, RT_MAX_LEVELS = 64, RT_WIDE = 8 };

/* Nodes of a sum come in the order of their leaves.  Two neighbours are joined at the height of
 * the node in which they meet, the highest bit in which the numbers of their leaves differ, and
 * before those that meet higher up.  So a node without elements is passed by. */
typedef struct rt_fold {
    cot_dtype t; /* wide */
    int64_t n; /* elements of a node */
    int64_t last;
    int depth;
    int height[RT_MAX_LEVELS]; /* where a node meets the one before it */
    uint64_t at[RT_MAX_LEVELS][RT_CHUNK * RT_WIDE / sizeof(uint64_t)];
} rt_fold;
/* Room for n elements of the node whose first leaf is q, to be filled. */
void *rt_fold_push(rt_fold *s, int64_t q);
/* More elements of the leaf that was pushed last, in the order of its chain. */
void rt_fold_more(rt_fold *s, const void *from);
/* The sum of what was pushed; the next one begins. */
const void *rt_folded(rt_fold *s);

#endif
