/* The state of one lowering, shared by all folders of codegen. */
#ifndef CODEGEN_LOWERING_H
#define CODEGEN_LOWERING_H

#include "codegen/kernel/affine.h"
#include "codegen/lower.h"

typedef struct cg_lowering cg_lowering;
typedef struct cg_frame cg_frame;
typedef struct cg_level cg_level;
typedef struct cg_group cg_group;

/* The memory of a value in the entry: a buffer, and the element of it at which the value
 * starts. */
typedef struct cg_place {
    bool set;
    uint32_t buffer;            /* index of a buffer of the entry */
    cg_val offset;              /* first element, an i64 of the entry; 0: element 0 */
} cg_place;

/* Emit element `at` of a node's result at the cursor of the current kernel; 0: the element
 * cannot be emitted inside a kernel. */
typedef cg_val lower_rule(cg_lowering *l, cg_frame *fr, const ir_node *n, int result,
                          const cg_ix *at);

/* Emit the kernels that compute a node with a lowering of its own, and their calls in the
 * entry. */
typedef void cg_node_rule(cg_lowering *l, cg_level *v, const cg_group *g);

/* How each op is lowered (lower/rules.c).  Folders that `lower` depends on reach its rules only
 * through these tables. */
typedef struct cg_rules {
    lower_rule *const *element;
    cg_node_rule *const *node;
} cg_rules;

struct cg_lowering {
    cot_context *ctx;
    ir_arena *arena;
    /* for one kernel, or one access analysis: released by marks */
    ir_arena *scratch;
    ir_arena *tables; /* what cg_fuse needs, until it returns */
    ir_arena *draft; /* the current kernel, until it is kept or dropped: kernel/keep.c */
    const cg_lower_options *o;
    const cg_rules *rules;
    cg_target target;
    cg_module *m;
    cg_build entry; /* builder of kernel 0, or of the sub-function that is being planned */
    ir_map kernels; /* kernels of m by content: cg_kernel_hash */
    /* kernels that are sub-functions, found by their graphs (called.c) */
    struct cg_called *called;
    uint32_t n_called, cap_called;
    ir_map called_of;
    uint64_t unfolded; /* GPU: number of nodes inside inlined calls */
    struct cg_plan *plan;
    /* cached answers of fuse/overwrites.c, found by node */
    struct cg_known_over *over;
    uint32_t n_over, cap_over;
    ir_map over_of;
    const cg_level *outermost; /* that of the graph itself */
    cg_place predicate; /* GPU: kernels do nothing unless this word is true (predicate.h) */
    /* GPU: the enclosing loop, if its iterations may wait for loops inside them; or NULL */
    const struct cg_nest *nest;
    struct cg_counted *counted;         /* GPU: counts of launches by region (launches.h) */
    ir_buf *why;                        /* text of cg_explain */
    size_t why_before; /* its length when the current kernel began */
    const char **scheduled; /* the kernels that o->schedules may name */
    uint32_t n_scheduled, cap_scheduled;
    cot_status status;
    ir_loc loc;                         /* location of the node that is being lowered */
    /* the current kernel */
    cg_kernel *k;
    cg_build b;
    cg_ix_table ix;
    uint32_t n_frames;
    /* the condition under which loads may touch memory; 0: none is needed */
    cg_val mask;
    bool vector;                        /* inside a vector loop */
    bool split; /* threads may share the elements of the reduction that is being emitted */
    /* GPU: the threads that such a reduction uses: CG_WARPS, those of a warp; CG_GRID, those of
     * the block */
    cg_kind reduce_scope;
    cg_val threads;                     /* GPU: the block loop that cg_threads_begin opened */
    /* indices must be constants, so that reductions are unrolled: for values in registers */
    bool exact;
    struct cg_memo *memo;
    uint32_t n_memo, cap_memo;
    uint32_t memo_head[1024];
    /* for each buffer of k: 1 + the entry's buffer that it is bound to, or 0: local, const */
    uint32_t *arg;
    cg_val *arg_offset;
    uint32_t cap_arg, cap_offset;
};

cot_status cg_lower_fail(cg_lowering *l, ir_loc loc, const char *op, const char *text);

/* Does so much work take long enough for threads to share it?  Operations, each on `lanes`
 * elements at a time, and the bytes that are read and written. */
bool cg_is_shareable(double operations, int64_t lanes, double bytes);
/* Are loops of so much work divided among threads?  On a GPU all of them are, and a loop that
 * would be serial elsewhere has a kind whose iterations are threads (cg_kind_of_all). */
bool cg_is_shared(const cg_lowering *l, int64_t operations, int64_t lanes, int64_t bytes);
/* Are there so many iterations for each thread? */
bool cg_has_shares(const cg_lowering *l, int64_t iterations, int64_t each);
/* May threads share the lines of t along that axis, or do lines of two threads lie side by side
 * in one line of the cache? */
bool cg_lines_are_apart(const cg_lowering *l, const ir_type *t, int axis);
/* Is the extent open, or all of an open one but a few elements? */
bool cg_is_open(const cg_lowering *l, int64_t extent);
/* Is n, a fixed or open extent, a multiple of d at all sizes? */
bool cg_is_multiple(const cg_lowering *l, int64_t n, int64_t d);
/* May n, which is computed from extents, be no multiple of d at some sizes? */
bool cg_has_rest(const cg_lowering *l, int64_t n, int64_t d);
cg_kind cg_kind_of_all(const cg_lowering *l);
/* The lanes of a vector loop whose widest type has `bits` bits; 1: no vector loop. */
int64_t cg_lanes(const cg_lowering *l, int bits);

#endif
