/* What world_parts.c and world_sum.c share: who has what of a reduction, and where it is. */
#ifndef RUNTIME_SUPPORT_WORLD_SUM_H
#define RUNTIME_SUPPORT_WORLD_SUM_H

#include "runtime/support/world.h"
#include "runtime/support/world_fold.h"

typedef struct cot_rt_reduction {
    cot_rt_own_rule rule;
    int64_t groups;
    int by;
    cot_dtype t, wide;
    int64_t m, parted;
    bool few; /* of two processes with one part each, each sends all that it knows */
} cot_rt_reduction;

/* Of two processes that know one part each, and of so few bytes, each sends all that it knows:
 * as many bytes as otherwise, in one message. */
enum { COT_RT_SUM_FEW = 10240 };

/* A part of one process. */
typedef struct cot_rt_known {
    cot_rt_sum_part part;
    int process;
    int64_t at; /* which of those of the process it is */
} cot_rt_known;

/* What a process has of a reduction. */
typedef struct cot_rt_share {
    cot_rt_owned own;
    int64_t parts;
    /* the segment of the result that it folds: `length` elements, in `pieces` of `piece` each
     * that begin at `piece` times list[k], or one from `from` on */
    int64_t from, length, piece;
    int64_t *list, pieces;
    const char *part; /* its parts for the segment of this process: [parts, length], wide */
} cot_rt_share;

/* Where the room is used: sizes in bytes, in this order.  message: what is packed at most for
 * one process; it takes no room where it is sent from where it is.  messages: for all. */
typedef struct cot_rt_sum_room {
    int64_t shares, known, lists, fold, values, packed, parts, message, messages;
} cot_rt_sum_room;

typedef struct cot_rt_sum {
    const cot_comm *comm;
    cot_rt_reduction r;
    cot_rt_fold fold;
    cot_rt_share *of, *own; /* by process; that of this one */
    cot_rt_known *mine, *known; /* of this process; of all, in the order of their elements */
    int64_t all; /* how many */
    bool direct; /* each process has all of the result for its segment */
    int64_t begin, n; /* the block: its first element, and how many */
    const char **value; /* by own part: its elements of the block, wide */
    char *values, *packed, *parts;
} cot_rt_sum;

/* The reduction of world.h by its numbers. */
cot_rt_reduction cot_rt_sum_of(cot_rt_own_rule rule, int64_t groups, int64_t by, int64_t parted,
                               int64_t dtype, int64_t m);
/* Elements of a block: many are reduced in blocks, one after the other. */
int64_t cot_rt_sum_block(const cot_rt_reduction *r, int size);
/* The segment of process p in a block of n elements. */
void cot_rt_sum_segment(const cot_rt_reduction *r, int size, int p, int64_t n, bool direct,
                        cot_rt_share *s);
/* The room of process `rank`; of: the shares of all, or NULL where they are not known. */
cot_rt_sum_room cot_rt_sum_plan(const cot_rt_reduction *r, int size, int rank,
                                const cot_rt_share *of);
/* Fills all of s, whose comm and r are set, but the block, and packed and parts.  The room that
 * is left. */
char *cot_rt_sum_take(cot_rt_sum *s, char *room);
int64_t cot_rt_aligned(int64_t bytes);

/* The steps of a block: its n elements from `begin` on, their segments, and where their parts
 * go. */
void cot_rt_sum_begin(cot_rt_sum *s, int64_t begin, int64_t n);
/* The parts of this process, of its rows x. */
void cot_rt_sum_rows(cot_rt_sum *s, const char *x);
/* What the own parts have of a process's segment, one part after the other: where it is, if it
 * is consecutive, or a copy. */
const void *cot_rt_sum_pack(const cot_rt_sum *s, const cot_rt_share *p, char *to);
/* The own segment of the result, of the parts of all. */
void cot_rt_sum_fold(cot_rt_sum *s, char *out);

#endif
