/* The simulator, inside: sim.c runs control, sim/instructions.c what holds no region,
 * sim/trees.c has the trees of serial loops, sim/memory.c is memory that notices races,
 * sim/tensor.c has what tensor.h adds. */
#ifndef CODEGEN_SIM_SIM_H
#define CODEGEN_SIM_SIM_H

#include "codegen/kernel/grid.h"

enum { SIM_NONE = -1, SIM_SEVERAL = -2, SIM_MAX_WARPS = 32, SIM_SLOTS = 4 };

/* Who touched an element, and how many barriers there had been: of the block, of the warp. */
typedef struct sim_touch { int32_t thread, block, warp; } sim_touch;
typedef struct sim_shadow {
    int64_t owner;              /* block that stored it last, or SIM_NONE */
    sim_touch wrote, read;
    int32_t on_its_way;         /* 1 + the group of copies that brings it; 0: it is there */
} sim_shadow;

typedef struct sim_memory {
    char *data;
    sim_shadow *shadow;         /* of each element; NULL: nobody stores it, or a thread's own */
    int64_t elements;
    size_t size;                /* of an element */
    bool own;                   /* one copy for each thread */
} sim_memory;

/* The iterations in flight, at once: lanes.  A value that was defined where there were fewer
 * holds for as many neighbours as there are more now. */
typedef struct sim_lanes {
    int64_t n;
    const uint8_t *mask;        /* active, or NULL: all         */
    cg_kind kind;               /* of the innermost thread loop, or CG_GRID */
    int64_t teams;              /* how many threads, or warps, these lanes are of */
    int64_t lanes;              /* kind lanes: of each warp     */
} sim_lanes;

typedef struct sim {
    const cg_kernel *k;
    ir_arena *arena;
    cg_launch launch;
    int64_t block;              /* the one in hand */
    int32_t barriers, warp_barriers[SIM_MAX_WARPS];
    int32_t groups;             /* of copies in the background that were closed */
    const int64_t *params;
    const uint32_t *uses;
    void **value;
    int64_t *width;             /* lanes of each value, once it is defined */
    void **scratch;             /* SIM_SLOTS for each value */
    void *operand[4];
    int64_t operand_cap[4];
    sim_memory *memory;
    sim_lanes at;
    cg_val now;
    int32_t failed;             /* status of a CG_FAIL */
    const char *wrong;
} sim;

bool cg_sim_wrong(sim *s, const char *what);
/* Memory for value v at the lanes in hand, by slot; the value itself, of n numbers; bytes of
 * one. */
void *cg_sim_scratch(sim *s, cg_val v, int slot, size_t bytes);
void *cg_sim_define(sim *s, cg_val v, int64_t n);
size_t cg_sim_size_of(const sim *s, cg_val v);
/* The first thread of lane i, and whether every thread of the warp or block is at its place. */
int32_t cg_sim_thread(const sim *s, int64_t i, bool *many);
void cg_sim_memory_new(sim *s, void *const *buffers);
void cg_sim_memory_block(sim *s);
bool cg_sim_load(sim *s, uint32_t buffer, int64_t lane, int64_t index, void *to);
bool cg_sim_store(sim *s, uint32_t buffer, int64_t lane, int64_t index, const void *from);
/* Has this thread sent for these very bits since the last commit? */
bool cg_sim_is_sent(const sim *s, uint32_t buffer, int64_t lane, int64_t index, const void *x);
/* What was stored last comes with the group of copies that is open; all groups below `groups`
 * have come. */
void cg_sim_send(sim *s, uint32_t buffer, int64_t index);
void cg_sim_land(sim *s, int32_t groups);
/* Value v for each lane; j: which operand of the instruction in hand. */
const void *cg_sim_operand(sim *s, cg_val v, int j);
/* sim/tensor.c */
bool cg_sim_tensor(sim *s, cg_val v);

/* sim/instructions.c */
bool cg_sim_is_active(const sim *s, int64_t i);
/* The lanes of a mask that are on. */
int cg_sim_count(const sim *s, const uint8_t *mask);
void cg_sim_scalar(sim *s, cg_val v);
void cg_sim_slow_path(sim *s, cg_val v);
/* out = a op b, of n elements. */
void cg_sim_combine(sim *s, const cg_yield *y, int64_t n, void *out, const void *a,
                    const void *b);
/* False: the kernel is wrong, or has failed. */
bool cg_sim_memory_insn(sim *s, cg_val v);
bool cg_sim_barrier(sim *s);
bool cg_sim_fail(sim *s, const cg_insn *p);

/* sim/trees.c: one for each yield, of which those of trees are used. */
typedef struct sim_counter {
    int64_t *n;
    char *slot; /* 64 levels of every lane */
} sim_counter;
sim_counter *cg_sim_trees_new(sim *s, const cg_block *x);
void cg_sim_tree_push(sim *s, const cg_yield *y, sim_counter *c, const char *x);
void cg_sim_tree_take(sim *s, const cg_yield *y, const sim_counter *c, char *out);

#endif
