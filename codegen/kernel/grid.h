/* Kernels for a GPU: the same kernel IR, scheduled for grids of threads.
 *
 * A grid schedule is a choice of loop kinds, like any other (kernel.h):
 *
 *     grid b in 0..n           blocks, in any order, at the same time
 *       block t in 0..256      the threads of a block                      (SIMT code in it)
 *       warps w in 0..8        its warps, 32 threads each
 *         lanes l in 0..32     the threads of a warp
 *
 * A row sum, for example, is
 *
 *     grid rows { tree warps { tree blocks { fold lanes { carry steps }}}}
 *
 * which is the order of the contract, with a kind for each of its loops.  A fold of lanes is a
 * butterfly of shuffles, a tree of warps goes through shared memory, and both leave their
 * result in every thread.
 *
 * Code outside of thread loops is executed by every thread (in a warps loop, by every thread of
 * the warp), but a store there is done by the first thread alone.  Bounds and conditions may
 * vary from thread to thread; unroll and vector loops inside a thread are copies and short
 * vectors, as on a CPU.  A CG_LOCAL buffer belongs to a thread, a CG_SHARED one to the block.
 * There is a barrier between a store of one thread and a load of it by another; blocks never
 * read what other blocks of the kernel store.
 *
 * A branch on a value that all threads read may surround the whole kernel (cg_grid_predicate).
 *
 * A module for a GPU has kernels of this form, and an entry (kernel 0) that the host runs:
 * calls, copies, loops, and tests of scalars that it reads back. */
#ifndef CODEGEN_KERNEL_GRID_H
#define CODEGEN_KERNEL_GRID_H

#include "codegen/backend.h"
#include "codegen/tuning.h"

enum {
    CG_WARP = 32,               /* threads of a warp */
    CG_BLOCK_THREADS = CG_KERNEL_BLOCK_THREADS, /* threads of a block, by default */
    CG_MAX_SHARED = 48 << 10,  /* bytes of static shared memory that a block may have */
    /* bytes of dynamic shared memory that every GPU from sm_80 on has */
    CG_MAX_DYNAMIC = 96 << 10,
    CG_DEVICE_ALIGN = 16 /* bytes; the least alignment of arguments and of the work block */
};

/* How a kernel is launched.  Its extents are constant, but for that of the grid where sizes are
 * open. */
typedef struct cg_launch {
    int64_t grid; /* blocks, at least 1; -1: cg_call has the number            */
    int block;                  /* threads of a block: a multiple of 32                      */
    int64_t shared;             /* bytes of static shared memory; nothing to pass at launch  */
    int64_t dynamic;            /* bytes of dynamic shared memory, which the launch asks for */
    /* there is one more parameter, the last: a pointer to the i32 status */
    bool fails;
} cg_launch;

/* Fill the open fields of a target for GPUs: sm_80. */
void cg_grid_target(cg_target *t);
/* The threads of a block if there are n independent threads. */
int64_t cg_block_threads(int64_t n);
cg_launch cg_launch_of(const cg_kernel *k);
/* The end of a grid's loop over x y blocks.  Where both depend on open sizes the product is no
 * form of these (open/form.h), and each of its factors is one. */
cg_val cg_number_of_blocks(cg_build *b, int64_t x, int64_t y, bool both_open);
/* The offset of a CG_SHARED buffer in dynamic shared memory; -1: it is static.  All shared
 * buffers of a kernel are dynamic if they exceed CG_MAX_SHARED together. */
int64_t cg_dynamic_place(const cg_kernel *k, uint32_t buffer);
/* The name of a kernel's entry point in PTX. */
const char *cg_ptx_name(ir_arena *a, const char *fn, const char *kernel);

/* Schedule a kernel that was not lowered for a grid.  If it has one parallel loop, that becomes
 * blocks of threads, one for each iteration.  A kernel with no such loop, or with other code
 * around it, runs in one thread. */
void cg_grid_schedule(cg_kernel *k);
/* Run a scheduled kernel only if the first element of this BOOL buffer, which it does not
 * write, is true. */
void cg_grid_predicate(cg_kernel *k, uint32_t buffer);

/* sim.c: run one kernel by its grid schedule on the CPU.
 *
 *   blocks   how many are launched, which must be those of its grid; -1: as many
 *   buffers  one for each IN and OUT buffer of k, in order
 *   params   the i64 parameters
 *   status   set to the status of a CG_FAIL whose condition held, if any; may be NULL
 *
 * Threads of a block run in lockstep.  The following are COT_ERR_INTERNAL, and name the kernel
 * and the value: a read of what another thread stored since the last barrier, or of what
 * another block stored; two stores of different values to one element without a barrier in
 * between; a barrier that not all threads reach; and an index out of bounds. */
cot_status cg_sim_launch(const cg_kernel *k, int64_t blocks, void *const *buffers,
                         const int64_t *params, int32_t *status);

#endif
