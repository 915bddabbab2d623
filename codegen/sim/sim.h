/* Internal declarations of the simulator. sim.c runs control flow, sim/instructions.c
 * instructions without regions; sim/trees.c has the trees of serial loops, sim/memory.c memory
 * that detects races, and sim/tensor.c the instructions of tensor.h. */
#ifndef CODEGEN_SIM_SIM_H
#define CODEGEN_SIM_SIM_H

#include "codegen/kernel/grid.h"

enum { SIM_NONE = -1, SIM_SEVERAL = -2, SIM_MAX_WARPS = 32, SIM_SLOTS = 4 };

/* An access of an element: the thread, and the number of barriers before it, of the block and
 * of the warp. */
typedef struct sim_touch { int32_t thread, block, warp; } sim_touch;
typedef struct sim_shadow {
    int64_t owner; /* the block that stored it last, or SIM_NONE */
    sim_touch wrote, read;
    /* 1 + the group of asynchronous copies that writes it; 0: no copy is pending. */
    int32_t pending;
} sim_shadow;

typedef struct sim_memory {
    char *data;
    /* For each element; NULL: it is never stored, or is private to a thread. */
    sim_shadow *shadow;
    int64_t elements;
    size_t size; /* bytes of an element */
    bool own;    /* each thread has a copy */
} sim_memory;

/* The iterations that run at once, as lanes.  A value that was defined with fewer lanes has one
 * element for several adjacent lanes of the current ones. */
typedef struct sim_lanes {
    int64_t n;
    const uint8_t *mask; /* active lanes, or NULL: all */
    cg_kind kind;        /* kind of the innermost thread loop, or CG_GRID */
    int64_t threads; /* the number of threads, or of warps, that have these lanes */
    int64_t lanes;       /* for kind CG_LANES: the lanes of each warp */
} sim_lanes;

typedef struct sim {
    const cg_kernel *k;
    ir_arena *arena;
    cg_launch launch;
    int64_t block, blocks; /* the current one; how many are launched, -1: all */
    int32_t barriers, warp_barriers[SIM_MAX_WARPS];
    int32_t groups; /* the number of committed groups of asynchronous copies */
    const int64_t *params;
    const uint32_t *uses;
    void **value;
    int64_t *width; /* the number of lanes of each value, once it is defined */
    void **scratch; /* SIM_SLOTS for each value */
    void *operand[4];
    int64_t operand_cap[4];
    sim_memory *memory;
    sim_lanes at;
    cg_val now;
    int32_t failed; /* status of a CG_FAIL, or 0 */
    const char *wrong;
} sim;

bool cg_sim_wrong(sim *s, const char *what);
/* Memory for value v at the current lanes, by slot; define: the value itself, of n elements;
 * size_of: bytes of an element. */
void *cg_sim_scratch(sim *s, cg_val v, int slot, size_t bytes);
void *cg_sim_define(sim *s, cg_val v, int64_t n);
size_t cg_sim_size_of(const sim *s, cg_val v);
/* The first thread of lane i; *many: every thread of the warp or block executes it. */
int32_t cg_sim_thread(const sim *s, int64_t i, bool *many);
void cg_sim_memory_new(sim *s, void *const *buffers);
void cg_sim_memory_block(sim *s);
bool cg_sim_load(sim *s, uint32_t buffer, int64_t lane, int64_t index, void *to);
bool cg_sim_store(sim *s, uint32_t buffer, int64_t lane, int64_t index, const void *from);
/* Has this thread copied the same bits to the element since the last commit? */
bool cg_sim_is_sent(const sim *s, uint32_t buffer, int64_t lane, int64_t index, const void *x);
/* send: the last store is an asynchronous copy of the open group. land: all groups below
 * `groups` have arrived. */
void cg_sim_send(sim *s, uint32_t buffer, int64_t index);
void cg_sim_land(sim *s, int32_t groups);
/* Value v for each current lane; j: which operand of the instruction it is. */
const void *cg_sim_operand(sim *s, cg_val v, int j);
/* sim/tensor.c */
bool cg_sim_tensor(sim *s, cg_val v);

/* sim/instructions.c */
bool cg_sim_is_active(const sim *s, int64_t i);
/* The number of set lanes in a mask. */
int cg_sim_count(const sim *s, const uint8_t *mask);
void cg_sim_scalar(sim *s, cg_val v);
void cg_sim_slow_path(sim *s, cg_val v);
/* out = a op b, for n elements. */
void cg_sim_combine(sim *s, const cg_yield *y, int64_t n, void *out, const void *a,
                    const void *b);
/* These return false if the kernel is wrong or has failed. */
bool cg_sim_memory_insn(sim *s, cg_val v);
bool cg_sim_barrier(sim *s);
bool cg_sim_fail(sim *s, const cg_insn *p);

/* sim/trees.c: a counter for each yield; only those of trees are used. */
typedef struct sim_counter {
    int64_t *n;
    char *slot; /* 64 levels for each lane */
} sim_counter;
sim_counter *cg_sim_trees_new(sim *s, const cg_block *x);
void cg_sim_tree_push(sim *s, const cg_yield *y, sim_counter *c, const char *x);
void cg_sim_tree_take(sim *s, const cg_yield *y, const sim_counter *c, char *out);

#endif
