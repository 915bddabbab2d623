/* The state of one lowering: what its rooms share. */
#ifndef CODEGEN_LOWERING_H
#define CODEGEN_LOWERING_H

#include "codegen/kernel/affine.h"
#include "codegen/lower.h"

typedef struct cg_lowering cg_lowering;
typedef struct cg_frame cg_frame;
typedef struct cg_level cg_level;
typedef struct cg_group cg_group;

/* Where a value lives for the entry: a buffer of it, from an element on. */
typedef struct cg_place {
    bool set;
    uint32_t buffer;            /* of the entry */
    cg_val offset;              /* i64 of the entry, in elements; 0: none */
} cg_place;

/* Element `at` of a node's result, at the cursor of the kernel in hand; 0: there is none
 * inside a kernel. */
typedef cg_val lower_rule(cg_lowering *l, cg_frame *fr, const ir_node *n, int result,
                          const cg_ix *at);

/* A node with a lowering of its own: the kernels that make it, in the entry. */
typedef void cg_node_rule(cg_lowering *l, cg_level *v, const cg_group *g);

/* How each op is lowered (lower/rules.c).  The rooms below `lower` reach its rules through
 * these tables alone. */
typedef struct cg_rules {
    lower_rule *const *element;
    cg_node_rule *const *node;
} cg_rules;

struct cg_lowering {
    cot_context *ctx;
    ir_arena *arena;
    ir_arena *scratch;                  /* for one kernel, or one walk: given back by marks */
    const cg_lower_options *o;
    const cg_rules *rules;
    cg_target target;
    cg_module *m;
    cg_build entry; /* of kernel 0, or of the sub-function that is planned */
    ir_map kernels; /* of m, by what they hold: cg_kernel_hash */
    /* kernels that are sub-functions, found by their graphs (called.c) */
    struct cg_called *called;
    uint32_t n_called, cap_called;
    ir_map called_of;
    uint64_t unfolded; /* GPU: nodes of calls, which are inlined */
    struct cg_plan *plan;
    struct cg_known_over *over;         /* what cg_overwrites has answered, found by its node */
    uint32_t n_over, cap_over;
    ir_map over_of;
    cg_place predicate; /* GPU: kernels run where this word holds (predicate.h) */
    /* GPU: the loop whose iterations may wait for loops in it; NULL */
    const struct cg_nest *nest;
    struct cg_counted *counted;         /* GPU: what is known of regions (launches.h) */
    ir_buf *why;                        /* cg_explain's text */
    cot_status status;
    ir_loc loc;                         /* of the node that is lowered */
    /* the kernel in hand */
    cg_kernel *k;
    cg_build b;
    cg_ix_table ix;
    uint32_t n_frames;
    cg_val mask;                        /* 0: all loads are fine */
    bool vector;                        /* inside a vector loop */
    /* GPU: which threads are at hand for a fold: CG_WARPS those of a warp, CG_GRID of the
     * block */
    bool split; /* threads may share the elements of the reduction that is emitted */
    cg_kind team;
    cg_val threads;                     /* GPU: the block loop of cg_threads_begin */
    /* constant indices only: reductions unroll (loop bodies in registers) */
    bool exact;
    struct cg_memo *memo;
    uint32_t n_memo, cap_memo;
    uint32_t memo_head[1024];
    /* for each buffer of k: 1 + the entry's buffer, or 0: local, const */
    uint32_t *arg;
    cg_val *arg_offset;
    uint32_t cap_arg, cap_offset;
};

cot_status cg_lower_fail(cg_lowering *l, ir_loc loc, const char *op, const char *text);

/* Is that many instructions' worth of work shared among threads?  On a GPU all is; and what is
 * no vector of its own there has a kind of loop whose iterations are threads. */
bool cg_is_shared(const cg_lowering *l, int64_t cost);
cg_kind cg_kind_of_all(const cg_lowering *l);
/* How many lanes a vector loop has whose widest type has that many bits: 1 is no vector
 * loop. */
int64_t cg_lanes(const cg_lowering *l, int bits);

#endif
