/* The emitter of one kernel.
 *
 * Where a value of the kernel IR varies over unroll loops it has a copy for each of their
 * iterations; where it varies over the vector loop a copy is a vector.  An i64 that moves
 * evenly from lane to lane stays a scalar with a slope until an instruction needs the lanes
 * themselves: addresses never become vectors unless they must. */
#ifndef CODEGEN_LLVM_EMIT_H
#define CODEGEN_LLVM_EMIT_H

#include "codegen/llvm/llvm.h"
#include "codegen/verify/ranges.h"

typedef struct cg_ll_copy {
    LLVMValueRef v;
    int64_t slope; /* of a scalar: lane l holds v + slope l */
    bool wide;     /* v is a vector of the lanes */
} cg_ll_copy;

typedef struct cg_ll_var {
    uint32_t set;     /* levels of the unroll and vector loops it varies over */
    cg_ll_copy *copy; /* one for each iteration of the unroll loops in set    */
} cg_ll_var;

typedef struct cg_ll_mask {
    cg_ll_var lanes;    /* BOOL: active                                       */
    LLVMValueRef limit; /* i64: nothing masks but a vector loop's limit; or NULL */
    const cg_applied *by; /* the conditions that it is made of                   */
} cg_ll_mask;

typedef struct cg_ll_level {
    const cg_block *loop;
    int64_t extent;
} cg_ll_level;

typedef struct cg_ll_emit {
    cg_ll_module *l;
    const cg_module *m;
    const cg_kernel *k;
    ir_arena *arena;
    LLVMBuilderRef b;
    LLVMValueRef fn;
    LLVMBasicBlockRef allocas; /* first block of fn: stack slots                     */
    const uint32_t *divergence, *uses;
    cg_ll_var *var;       /* of each value                                      */
    LLVMValueRef *buffer; /* address of each buffer; NULL: not used yet (local) */
    cg_swapped swapped;
    LLVMValueRef *address; /* of each swapped buffer: the word that says where it is */
    LLVMValueRef *param;
    const LLVMValueRef *kernel_fn; /* of each kernel of the module                       */
    const bool *can_fail;          /* likewise                                           */
    LLVMValueRef pool;             /* const cot_parallel *, or NULL                      */
    LLVMValueRef status;           /* in an outlined body: where a failure is noted      */
    bool streams;                  /* it has stored past the caches                      */
    bool fills_tails; /* see cg_fills_tails                                 */
    LLVMValueRef sink;             /* where stores go that must not store                */
    cg_ll_level level[32];
    int digit[32]; /* which copy is meant, for each level                */
    int n_levels;
    int vector_level;       /* or -1                                              */
    int lanes;              /* of the vector loop around, or 1                    */
    const cg_ll_mask *mask; /* or NULL                                            */
    cg_ranges *ranges;
    const cg_applied *under; /* the conditions of the branches around            */
    /* GPU: CG_GRID outside of thread loops, or the kind of the one around */
    cg_kind team;
    int threads;            /* GPU: of a block                                    */
} cg_ll_emit;

/* function.c: an emitter for a kernel whose function is e->fn; the block its body begins in. */
LLVMBasicBlockRef cg_ll_kernel_begin(cg_ll_emit *e);
void cg_ll_kernel_end(cg_ll_emit *e, LLVMBasicBlockRef body);
void cg_ll_buffer_attributes(cg_ll_module *l, LLVMValueRef fn, const cg_kernel *k);

/* ptx.c */
void cg_ll_thread_loop(cg_ll_emit *e, cg_val v);
void cg_ll_barrier(cg_ll_emit *e);
void cg_ll_fail_thread(cg_ll_emit *e, LLVMValueRef cond, LLVMValueRef status);

/* threads.c: of a GPU.  The thread's number in its block, and in its warp. */
LLVMValueRef cg_ll_thread(cg_ll_emit *e);
LLVMValueRef cg_ll_special_register(cg_ll_emit *e, const char *name);
LLVMValueRef cg_ll_lane(cg_ll_emit *e);
/* Whether this thread does what one must do for all; NULL: each does it for itself. */
LLVMValueRef cg_ll_first_thread(cg_ll_emit *e);
LLVMValueRef cg_ll_shared_array(cg_ll_emit *e, LLVMTypeRef element, int64_t n, int align);
LLVMValueRef cg_ll_shared_buffer(cg_ll_emit *e, uint32_t buffer);

/* tensor.c */
void cg_ll_tensor(cg_ll_emit *e, cg_val v);

/* access.c: what has been stored past the caches is seen before all that follows. */
void cg_ll_settle(cg_ll_emit *e);

/* emit.c */
void cg_ll_region(cg_ll_emit *e, const cg_region *r);

/* values.c */
int cg_ll_copies(const cg_ll_emit *e, uint32_t set);
/* Set the digits of copy number `copy`; the copy that the digits mean. */
void cg_ll_seek(cg_ll_emit *e, uint32_t set, int copy);
cg_ll_copy *cg_ll_at(const cg_ll_emit *e, const cg_ll_var *x);
cg_ll_copy cg_ll_get(const cg_ll_emit *e, cg_val v);
void cg_ll_define(cg_ll_emit *e, cg_val v, uint32_t set);
void cg_ll_set(cg_ll_emit *e, cg_val v, cg_ll_copy x); /* at the digits */
LLVMValueRef cg_ll_uniform(const cg_ll_emit *e, cg_val v);
LLVMValueRef cg_ll_widen(cg_ll_emit *e, cg_ll_copy x); /* as a vector of the lanes */
LLVMValueRef cg_ll_as(cg_ll_emit *e, cg_ll_copy x, bool wide);
LLVMValueRef cg_ll_splat(cg_ll_emit *e, LLVMValueRef x, int n);
LLVMValueRef cg_ll_stack(cg_ll_emit *e, LLVMTypeRef t, int64_t n, int align);
LLVMTypeRef cg_ll_wide(const cg_ll_emit *e, LLVMTypeRef t, bool wide);
bool cg_ll_is_wide(const cg_ll_emit *e, uint32_t set);
LLVMBasicBlockRef cg_ll_block(cg_ll_emit *e, const char *name);
LLVMValueRef cg_ll_iota(cg_ll_emit *e, LLVMTypeRef t, int n, int64_t step);
LLVMValueRef cg_ll_index(const cg_ll_emit *e, int64_t x);
/* An operation under trapping math, of which LLVM is told that its exceptions count; to: the
 * type of its result, or NULL: that of in[0]. */
LLVMValueRef cg_ll_constrained(cg_ll_emit *e, const char *name, LLVMTypeRef to, int n,
                               const LLVMValueRef *in);
/* x, a float, as a shorter float of type `to`. */
LLVMValueRef cg_ll_narrow(cg_ll_emit *e, LLVMValueRef x, LLVMTypeRef to);
static inline cg_ll_copy
cg_ll_scalar(LLVMValueRef v)
{
    return (cg_ll_copy){ .v = v };
}

/* scalar.c: instruction op with values of operand type `from`, all scalars or all vectors of n
 * lanes. */
LLVMValueRef cg_ll_op(cg_ll_emit *e, ir_sc_op op, cot_dtype type, cot_dtype from,
                      LLVMValueRef *in);
void cg_ll_scalar_insn(cg_ll_emit *e, cg_val v);
LLVMValueRef cg_ll_program(cg_ll_emit *e, const ir_sc_program *p, const LLVMValueRef *in);
/* x, all of which LLVM must compute as it stands: for what is used of some lanes, or on one
 * side of a choice, it may compute anything in the others, where exceptions do not count for
 * it.  No instruction comes of it. */
LLVMValueRef cg_ll_fence(cg_ll_emit *e, LLVMValueRef x);
/* x, whose lanes behind the end of a tail are its lane 0. */
LLVMValueRef cg_ll_fill_tail(cg_ll_emit *e, uint32_t set, LLVMValueRef x);
/* x, whose other half of a register, if it is half of one, is the same again. */
LLVMValueRef cg_ll_fill_half(cg_ll_emit *e, LLVMValueRef x);

/* memory.c: x, whose lanes behind the end of a tail are its lane 0 where the kernel wants
 * that. */
LLVMValueRef cg_ll_fill_tail(cg_ll_emit *e, uint32_t set, LLVMValueRef x);

/* soft.c: what the machine lacks */
LLVMValueRef cg_ll_soft_fma32(cg_ll_emit *e, LLVMValueRef *in);
LLVMValueRef cg_ll_soft_fma64(cg_ll_emit *e, LLVMValueRef *in); /* soft_fma.c */
/* The error of s = a + b, exact; and s rounded to odd, err being its error. */
LLVMValueRef cg_ll_sum_error(cg_ll_emit *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef s);
LLVMValueRef cg_ll_to_odd(cg_ll_emit *e, LLVMValueRef s, LLVMValueRef err);
LLVMValueRef cg_ll_soft_extreme(cg_ll_emit *e, ir_sc_op op, cot_dtype t, LLVMValueRef *in);
LLVMValueRef cg_ll_soft_round(cg_ll_emit *e, ir_sc_op op, cot_dtype t, LLVMValueRef x);
LLVMValueRef cg_ll_half_to_f32(cg_ll_emit *e, cot_dtype from, LLVMValueRef x);
LLVMValueRef cg_ll_f32_to_half(cg_ll_emit *e, cot_dtype to, LLVMValueRef x);

/* shuffle.c: of two vectors the elements that the mask lists, those of the second counting from
 * e->lanes; n rows of n columns, in place; n rows whose elements l come to lie side by side. */
LLVMValueRef cg_ll_picked(cg_ll_emit *e, LLVMValueRef x, LLVMValueRef y, const int *mask);
void cg_ll_transpose_registers(cg_ll_emit *e, LLVMValueRef *row, int n);
void cg_ll_interleave(cg_ll_emit *e, LLVMValueRef *row, int n);

/* move.c */
void cg_ll_move_bytes(cg_ll_emit *e, LLVMValueRef to, LLVMValueRef from, LLVMValueRef bytes);
void cg_ll_prefetch(cg_ll_emit *e, const cg_insn *i);
void cg_ll_copy_insn(cg_ll_emit *e, cg_val v);
/* swap.c: before the first instruction of a plan; its instructions. */
void cg_ll_begin_swapped(cg_ll_emit *e);
void cg_ll_swap(cg_ll_emit *e, const cg_insn *i);
void cg_ll_settle_buffer(cg_ll_emit *e, uint32_t buffer);
LLVMValueRef cg_ll_gather(cg_ll_emit *e, LLVMTypeRef element, LLVMValueRef base,
                          LLVMValueRef index, LLVMValueRef mask);

/* memory.c */
void cg_ll_load_insn(cg_ll_emit *e, cg_val v);
/* The first stores of `left` instructions, if those of 2, 4 or 8 neighbouring elements in
 * lanes, as whole vectors: how many; 0: none. */
uint32_t cg_ll_store_rows(cg_ll_emit *e, const cg_val *v, uint32_t left);
void cg_ll_store_insn(cg_ll_emit *e, cg_val v);
/* buffer.c */
LLVMValueRef cg_ll_buffer(cg_ll_emit *e, uint32_t buffer);

/* control.c */
void cg_ll_if(cg_ll_emit *e, cg_val v);
void cg_ll_while(cg_ll_emit *e, cg_val v);
void cg_ll_slow_path(cg_ll_emit *e, cg_val v);
/* Is x (BOOL) true in any active lane and copy? */
LLVMValueRef cg_ll_any(cg_ll_emit *e, const cg_ll_var *x);
LLVMValueRef cg_ll_any_lane(cg_ll_emit *e, cg_ll_copy x);
cg_ll_mask *cg_ll_mask_and(cg_ll_emit *e, const cg_ll_mask *m, const cg_ll_var *x, bool negate,
                           const cg_applied *by);
/* A region that a branch leads to if v holds, or does not. */
void cg_ll_region_under(cg_ll_emit *e, const cg_region *r, cg_val v, bool holds);

/* reduce.c */
void cg_ll_fold_spmd(cg_ll_emit *e, const cg_block *x, int i, int level,
                     const cg_ll_mask *limit);
void cg_ll_fold_serial(cg_ll_emit *e, const cg_block *x);
/* A binary counter of partial results on the stack: push each element, then take the whole. */
typedef struct cg_ll_tree {
    const cg_block *loop;
    int levels;
    bool per_level; /* each level has a place of its own */
    /* `levels` for each yield and copy, in order; not per_level: one array first */
    LLVMValueRef *slots;
    int n;
} cg_ll_tree;
cg_ll_tree cg_ll_tree_begin(cg_ll_emit *e, const cg_block *x, int64_t extent);
void cg_ll_tree_push(cg_ll_emit *e, cg_ll_tree *t, LLVMValueRef count, const LLVMValueRef *x);
void cg_ll_tree_end(cg_ll_emit *e, cg_ll_tree *t, LLVMValueRef count);
/* All yields of a loop, all copies; the levels over which one varies. */
int cg_ll_yield_values(cg_ll_emit *e, const cg_block *x, LLVMValueRef *out);
uint32_t cg_ll_yield_set(const cg_ll_emit *e, const cg_yield *y);

/* parallel.c: parallel loops, and calls of kernels */
void cg_ll_parallel(cg_ll_emit *e, cg_val v);
void cg_ll_call(cg_ll_emit *e, cg_val v);
/* extern.c */
void cg_ll_extern(cg_ll_emit *e, cg_val v);
/* In this process: leave if cot_cancel was called.  The entry asks before each call and at each
 * step of its loops, every kernel at each step of a while, which nothing else bounds. */
void cg_ll_check_cancel(cg_ll_emit *e);
void cg_ll_leave_if(cg_ll_emit *e, LLVMValueRef cond, LLVMValueRef status);

#endif
