/* The state of the emitter for one kernel.
 *
 * A value of the kernel IR that varies over unroll loops has a copy for each of their
 * iterations; where it varies over the vector loop, each copy is a vector.  An i64 that moves
 * by a constant from lane to lane stays a scalar with a slope until an instruction needs a
 * vector.  Addresses therefore become vectors only for gathers and scatters. */
#ifndef CODEGEN_LLVM_EMIT_H
#define CODEGEN_LLVM_EMIT_H

#include "codegen/kernel/parts.h"
#include "codegen/llvm/llvm.h"
#include "codegen/verify/ranges.h"

typedef struct cg_ll_copy {
    LLVMValueRef v;
    int64_t slope; /* v is a scalar: lane l has the value v + slope l */
    bool wide;     /* v is a vector with one element for each lane */
} cg_ll_copy;

typedef struct cg_ll_var {
    uint32_t set;     /* bits: levels of the unroll and vector loops over which it varies */
    cg_ll_copy *copy; /* one for each iteration of the unroll loops in set */
} cg_ll_var;

typedef struct cg_ll_mask {
    cg_ll_var lanes; /* BOOL: the active lanes */
    /* i64: the lanes below it are active, where nothing but the limit of a vector loop masks;
     * or NULL. */
    LLVMValueRef limit;
    const cg_applied *by; /* the conditions that the mask consists of */
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
    LLVMBasicBlockRef allocas; /* the first block of fn, for stack slots */
    LLVMValueRef args, work; /* the entry's arguments, or NULL; the work block, or NULL */
    const uint32_t *divergence, *uses;
    cg_ll_var *var;       /* of each value                                      */
    LLVMValueRef *buffer; /* address of each buffer; NULL: not used yet (local) */
    cg_swapped swapped;
    LLVMValueRef *address; /* of each swapped buffer: where its current address is stored */
    LLVMValueRef *param;
    const LLVMValueRef *kernel_fn; /* of each kernel of the module */
    const bool *can_fail; /* of each kernel: it may return a status other than 0 */
    LLVMValueRef pool; /* const cot_parallel *, or NULL */
    LLVMValueRef status; /* in an outlined body: where a failure is stored */
    bool streams; /* has emitted non-temporal stores */
    bool fills_tails; /* see cg_fills_tails */
    LLVMValueRef sink; /* stack memory that a store writes to where its condition is false */
    cg_ll_level level[32];
    int digit[32]; /* for each level, the iteration whose copy cg_ll_get returns */
    int n_levels;
    int vector_level;       /* or -1 */
    int lanes;              /* of the enclosing vector loop, or 1 */
    const cg_ll_mask *mask; /* or NULL */
    cg_ranges *ranges;
    const cg_applied *under; /* the conditions of the enclosing branches */
    cg_partition *partition; /* of long regions, or NULL: there was none so far */
    /* GPU: the kind of the enclosing thread loop, CG_GRID outside of them */
    cg_kind thread_kind;
    int threads; /* GPU: threads of a block */
} cg_ll_emit;

/* function.c: begin to emit a kernel, whose function is e->fn; returns the first block of its
 * body. */
LLVMBasicBlockRef cg_ll_kernel_begin(cg_ll_emit *e);
void cg_ll_kernel_end(cg_ll_emit *e, LLVMBasicBlockRef body);
void cg_ll_buffer_attributes(cg_ll_module *l, LLVMValueRef fn, const cg_kernel *k);

/* ptx.c */
void cg_ll_thread_loop(cg_ll_emit *e, cg_val v);
void cg_ll_barrier(cg_ll_emit *e);
void cg_ll_fail_thread(cg_ll_emit *e, LLVMValueRef cond, LLVMValueRef status);

/* threads.c, for GPUs: the thread's number in its block; lane: its number in its warp. */
LLVMValueRef cg_ll_thread(cg_ll_emit *e);
LLVMValueRef cg_ll_special_register(cg_ll_emit *e, const char *name);
LLVMValueRef cg_ll_lane(cg_ll_emit *e);
/* A condition that holds in the one thread that acts for all; NULL: each thread acts for
 * itself. */
LLVMValueRef cg_ll_first_thread(cg_ll_emit *e);
LLVMValueRef cg_ll_shared_array(cg_ll_emit *e, LLVMTypeRef element, int64_t n, int align);
LLVMValueRef cg_ll_shared_buffer(cg_ll_emit *e, uint32_t buffer);

/* tensor.c */
void cg_ll_tensor(cg_ll_emit *e, cg_val v);

/* access.c: non-temporal stores are ordered before everything that follows. */
void cg_ll_settle(cg_ll_emit *e);

/* emit.c */
void cg_ll_region(cg_ll_emit *e, const cg_region *r);

/* parts.c: a call of a part of a region, whose function is made by `statements`: its status. */
typedef void cg_ll_statement_list(cg_ll_emit *e, const cg_val *insn, uint32_t n);
LLVMValueRef cg_ll_call_part(cg_ll_emit *e, const cg_region *r, cg_part at,
                             cg_ll_statement_list *statements);

/* values.c */
int cg_ll_copies(const cg_ll_emit *e, uint32_t set);
/* Set e->digit for copy number `copy` of a value that varies over set. cg_ll_at returns the
 * copy that e->digit selects. */
void cg_ll_seek(cg_ll_emit *e, uint32_t set, int copy);
cg_ll_copy *cg_ll_at(const cg_ll_emit *e, const cg_ll_var *x);
cg_ll_copy cg_ll_get(const cg_ll_emit *e, cg_val v);
void cg_ll_define(cg_ll_emit *e, cg_val v, uint32_t set);
void cg_ll_set(cg_ll_emit *e, cg_val v, cg_ll_copy x); /* the copy that e->digit selects */
LLVMValueRef cg_ll_uniform(const cg_ll_emit *e, cg_val v);
/* Converts a scalar or a slope to a vector. */
LLVMValueRef cg_ll_widen(cg_ll_emit *e, cg_ll_copy x);
LLVMValueRef cg_ll_as(cg_ll_emit *e, cg_ll_copy x, bool wide);
LLVMValueRef cg_ll_splat(cg_ll_emit *e, LLVMValueRef x, int n);
/* The element type, as a vector if x is one. */
LLVMTypeRef cg_ll_type_like(LLVMTypeRef element, LLVMValueRef x);
LLVMValueRef cg_ll_stack(cg_ll_emit *e, LLVMTypeRef t, int64_t n, int align);
LLVMTypeRef cg_ll_wide(const cg_ll_emit *e, LLVMTypeRef t, bool wide);
bool cg_ll_is_wide(const cg_ll_emit *e, uint32_t set);
LLVMBasicBlockRef cg_ll_block(cg_ll_emit *e, const char *name);
/* Branch to `yes` or `no`, and go on in `yes`; jump to a block, and go on in `next`. */
void cg_ll_branch(cg_ll_emit *e, LLVMValueRef cond, LLVMBasicBlockRef yes,
                  LLVMBasicBlockRef no);
void cg_ll_goto(cg_ll_emit *e, LLVMBasicBlockRef to, LLVMBasicBlockRef next);
/* A phi whose value is `first` from block `from`; one of x or y, where these differ. */
LLVMValueRef cg_ll_phi(cg_ll_emit *e, LLVMTypeRef t, const char *name, LLVMValueRef first,
                       LLVMBasicBlockRef from);
LLVMValueRef cg_ll_join(cg_ll_emit *e, LLVMValueRef x, LLVMBasicBlockRef from_x, LLVMValueRef y,
                        LLVMBasicBlockRef from_y);
LLVMValueRef cg_ll_iota(cg_ll_emit *e, LLVMTypeRef t, int n, int64_t step);
LLVMValueRef cg_ll_index(const cg_ll_emit *e, int64_t x);
/* Emit a constrained intrinsic, under trapping math: LLVM then preserves its floating-point
 * exceptions. to: the type of the result; NULL: that of in[0]. */
LLVMValueRef cg_ll_constrained(cg_ll_emit *e, const char *name, LLVMTypeRef to, int n,
                               const LLVMValueRef *in);
/* Rounds a float x to a shorter float of type `to`. */
LLVMValueRef cg_ll_narrow(cg_ll_emit *e, LLVMValueRef x, LLVMTypeRef to);
static inline cg_ll_copy
cg_ll_scalar(LLVMValueRef v)
{
    return (cg_ll_copy){ .v = v };
}

/* scalar.c: emit instruction op.  Operands have type `from`, and are all scalars or all vectors
 * of n lanes. */
LLVMValueRef cg_ll_op(cg_ll_emit *e, ir_sc_op op, cot_dtype type, cot_dtype from,
                      LLVMValueRef *in);
void cg_ll_scalar_insn(cg_ll_emit *e, cg_val v);
LLVMValueRef cg_ll_program(cg_ll_emit *e, const ir_sc_program *p, const LLVMValueRef *in);
/* memory.c: in lanes past the end of a tail, replace x by the value of lane 0 if the kernel
 * wants that (cg_fills_tails). */
LLVMValueRef cg_ll_fill_tail(cg_ll_emit *e, uint32_t set, LLVMValueRef x);

/* soft.c: instructions that the machine lacks */
LLVMValueRef cg_ll_soft_fma32(cg_ll_emit *e, LLVMValueRef *in);
LLVMValueRef cg_ll_soft_fma64(cg_ll_emit *e, LLVMValueRef *in); /* soft_fma.c */
/* The exact error of the rounded sum s = a + b; and s rounded to odd, given its error. */
LLVMValueRef cg_ll_sum_error(cg_ll_emit *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef s);
LLVMValueRef cg_ll_to_odd(cg_ll_emit *e, LLVMValueRef s, LLVMValueRef err);
LLVMValueRef cg_ll_soft_extreme(cg_ll_emit *e, ir_sc_op op, cot_dtype t, LLVMValueRef *in);
LLVMValueRef cg_ll_soft_round(cg_ll_emit *e, ir_sc_op op, cot_dtype t, LLVMValueRef x);
LLVMValueRef cg_ll_half_to_f32(cg_ll_emit *e, cot_dtype from, LLVMValueRef x);
LLVMValueRef cg_ll_f32_to_half(cg_ll_emit *e, cot_dtype to, LLVMValueRef x);

/* shuffle.c. picked: the elements of x and y at the positions in mask, where y's count from
 * e->lanes. transpose_registers: n rows of n columns, in place. interleave: n rows, in place,
 * so that the elements of lane l are adjacent. */
LLVMValueRef cg_ll_picked(cg_ll_emit *e, LLVMValueRef x, LLVMValueRef y, const int *mask);
void cg_ll_transpose_registers(cg_ll_emit *e, LLVMValueRef *row, int n);
void cg_ll_interleave(cg_ll_emit *e, LLVMValueRef *row, int n);

/* move.c */
void cg_ll_move_bytes(cg_ll_emit *e, LLVMValueRef to, LLVMValueRef from, LLVMValueRef bytes);
void cg_ll_prefetch(cg_ll_emit *e, const cg_insn *i);
void cg_ll_copy_insn(cg_ll_emit *e, cg_val v);
/* swap.c: called before the first instruction of an entry; then the instructions swap and
 * settle. */
void cg_ll_begin_swapped(cg_ll_emit *e);
void cg_ll_swap(cg_ll_emit *e, const cg_insn *i);
void cg_ll_settle_buffer(cg_ll_emit *e, const cg_insn *i);
void cg_ll_place_buffer(cg_ll_emit *e, const cg_insn *i);
LLVMValueRef cg_ll_gather(cg_ll_emit *e, LLVMTypeRef element, LLVMValueRef base,
                          LLVMValueRef index, LLVMValueRef mask);

/* memory.c */
void cg_ll_load_insn(cg_ll_emit *e, cg_val v);
/* If the first stores of `left` instructions write 2, 4 or 8 adjacent elements in each lane,
 * emit them as stores of whole vectors.  Returns how many stores that were; 0: none. */
uint32_t cg_ll_store_rows(cg_ll_emit *e, const cg_val *v, uint32_t left);
void cg_ll_store_insn(cg_ll_emit *e, cg_val v);
/* buffer.c */
LLVMValueRef cg_ll_buffer(cg_ll_emit *e, uint32_t buffer);
/* Its own address, whatever was swapped; can that be found from args and work? */
LLVMValueRef cg_ll_home(cg_ll_emit *e, uint32_t buffer);
bool cg_ll_is_found(const cg_ll_emit *e, uint32_t buffer);

/* control.c */
void cg_ll_if(cg_ll_emit *e, cg_val v);
void cg_ll_while(cg_ll_emit *e, cg_val v);
void cg_ll_slow_path(cg_ll_emit *e, cg_val v);
/* Is x (BOOL) true in any active lane and copy? */
LLVMValueRef cg_ll_any(cg_ll_emit *e, const cg_ll_var *x);
LLVMValueRef cg_ll_any_lane(cg_ll_emit *e, cg_ll_copy x);
cg_ll_mask *cg_ll_mask_and(cg_ll_emit *e, const cg_ll_mask *m, const cg_ll_var *x, bool negate,
                           const cg_applied *by);
/* Emit a region that is executed if v holds, or (holds = false) if it does not. */
void cg_ll_region_under(cg_ll_emit *e, const cg_region *r, cg_val v, bool holds);

/* reduce.c */
void cg_ll_fold_spmd(cg_ll_emit *e, const cg_block *x, int i, int level,
                     const cg_ll_mask *limit);
void cg_ll_fold_serial(cg_ll_emit *e, const cg_block *x);
void cg_ll_across_lanes(cg_ll_emit *e, cg_val v); /* CG_SCAN, CG_LAST */
/* A reduction tree as a binary counter of partial results on the stack: push each element, then
 * take the result. */
typedef struct cg_ll_tree {
    const cg_block *loop;
    int levels;
    bool per_level; /* each level has its own stack slot */
    /* per_level: `levels` slots for each yield and copy, in order; otherwise one array for
     * each */
    LLVMValueRef *slots;
    int n;
} cg_ll_tree;
cg_ll_tree cg_ll_tree_begin(cg_ll_emit *e, const cg_block *x, int64_t extent);
void cg_ll_tree_push(cg_ll_emit *e, cg_ll_tree *t, LLVMValueRef count, const LLVMValueRef *x);
void cg_ll_tree_end(cg_ll_emit *e, cg_ll_tree *t, LLVMValueRef count);
/* The values of all yields of a loop, in all copies (out NULL: only their number); the levels
 * over which a yield varies. */
int cg_ll_yield_values(cg_ll_emit *e, const cg_block *x, LLVMValueRef *out);
uint32_t cg_ll_yield_set(const cg_ll_emit *e, const cg_yield *y);

/* parallel.c: parallel loops, and calls of kernels */
void cg_ll_parallel(cg_ll_emit *e, cg_val v);
void cg_ll_call(cg_ll_emit *e, cg_val v);
/* extern.c */
void cg_ll_extern(cg_ll_emit *e, cg_val v);
/* In code of this process: return if cot_cancel was called.  The entry checks before each call
 * and in each step of its loops.  Every kernel checks in each step of a while loop, which may
 * run without bound. */
void cg_ll_check_cancel(cg_ll_emit *e);
void cg_ll_leave_if(cg_ll_emit *e, LLVMValueRef cond, LLVMValueRef status);
/* The same with a status that is not 0. */
void cg_ll_leave_with(cg_ll_emit *e, LLVMValueRef status);

#endif
