/* The kernel IR: structured loops over typed scalars and memory, in which a schedule is data.
 *
 * A kernel is a function of buffers and i64 parameters.  Its body is a region: a list of
 * instructions in SSA form, some of which (loop, if, while) hold regions of their own.  The
 * text of a body is that of ONE element: a value has an element type and no width.  The kind of
 * each loop says how its iterations run:
 *
 *   serial     one after the other
 *   parallel   split among threads; iterations are independent; not inside a parallel or SPMD
 *              loop
 *   unroll     all at once, as copies in registers; constant extent
 *   vector     all at once, as lanes of one SIMD value; constant extent, a power of two; never
 *              inside another vector loop.  `limit`, if given, is an i64: lanes >= limit are
 *              inactive
 *
 * and, in kernels for a GPU (grid.h),
 *
 *   grid       split among blocks of threads: the outermost loop, the only one of its kind
 *   block      all at once, one iteration for each thread of the block
 *   warps      all at once, one iteration for each warp (32 threads) of the block
 *   lanes      all at once, one iteration for each thread of a warp: at most 32
 *
 * of which the last three are thread loops; they have a constant extent, and `limit` as
 * vectors.
 *
 * `unroll` and `vector` loops are SPMD loops.  A value varies over an enclosing SPMD loop if it
 * depends on its variable; an emitter gives it a register per copy and a lane per lane of the
 * loops it varies over, and one scalar where it varies over none.  A serial loop inside SPMD
 * loops runs once for all of them, its carries held per copy and lane: so `unroll i 6 { unroll
 * j 2 { vector l 8 { for k ... fma } } }` is a register tile, with no mechanism of its own.
 *
 * A loop yields results by a mode for each:
 *   carry   the value yielded last; starts at its init (loop-carried)
 *   fold    an SPMD, lanes or serial loop of extent E <= 64, a power of two: e_0 ... e_(E-1)
 * combined
 *           by halves: for h = E/2 ... 1: e_l = e_l op e_(l+h).  A vector loop folds its lanes
 *           by shuffles; inactive lanes count as the neutral element.  A serial loop runs in
 *           bit-reversed order and combines with a stack of partials (binary counter), which is
 *           the same tree
 *   tree    a serial, parallel or warps loop: e_0 ... e_(n-1) in a binary tree aligned at
 * powers of
 *           two; an element without a partner passes up unchanged.  The neutral element if the
 *           loop runs no time
 * so the sum of docs/numerics.md section 3 is, with no further mechanism,
 *   tree over blocks b { fold over 32 lanes l { carry over steps t { acc op e[512 b + 32 t + l]
 *   } } }
 * in which each loop may be of any kind.  Neutral elements: add -0.0 (0 for integers), mul 1,
 * max the least value (-inf), min the largest (+inf), and all ones, or 0.
 *
 * Control that varies: `if` and `while` on a condition that varies over SPMD lanes run with a
 * mask of active lanes: a branch runs if any active lane takes it, a while until no active lane
 * goes on; stores touch only active lanes, loads of inactive lanes touch no memory, and results
 * are selected by lane.
 *
 * The IR knows neither LLVM nor C: codegen/llvm and codegen/c translate it, instruction by
 * instruction.  Instructions on scalars are those of ir/scalar.h, with its semantics to the
 * last bit.
 *
 * Some rules that follow (cg_verify holds us to them): carries belong to serial loops and
 * whiles; a loop with folds or trees that is serial has no carries, and one with folds no
 * trees; bounds of loops, parameters, offsets and calls are uniform; `limit` is at least 1; a
 * parallel loop that yields trees has a constant extent <= 4096, and no failure leaves from
 * within it (a kernel it calls may fail).  CG_VAR, CG_CARRIED and CG_RESULT stand in no
 * region's list: their block names them.  A CG_LOCAL buffer used in a parallel loop is private
 * to it, per thread. */
#ifndef CODEGEN_KERNEL_KERNEL_H
#define CODEGEN_KERNEL_KERNEL_H

#include "ir/context.h"
#include "ir/scalar.h"

typedef uint32_t cg_val;                /* a value or instruction of a kernel; 0: none */

/* What follows the scalar instructions 0 ... SC_COUNT-1 (slow_path and const included). */
typedef enum cg_op {
    /* i64 parameter number imm */
    CG_PARAM = SC_COUNT,
    /* the variable (i64) of the loop in[0] */
    CG_VAR,
    /* the carried value number imm of the loop or while in[0] */
    CG_CARRIED,
    /* result number imm of the loop, if or while in[0] */
    CG_RESULT,
    /* buffer imm, element in[0] (i64); optional in[1]: BOOL, else no access and 0 */
    CG_LOAD,
    /* buffer imm, element in[0], value in[1]; optional in[2]: BOOL, else nothing */
    CG_STORE,
    CG_LOOP,
    CG_IF,
    CG_WHILE,
    /* kernel imm of the module, buffers and params: see cg_call */
    CG_CALL,
    /* if in[0] (BOOL, uniform) holds: leave the entry with status imm */
    CG_FAIL,
    /* a C function of someone else's: see cg_extern.  Its answer, or nothing */
    CG_EXTERN,
    /* imm bytes from buffer b[1] to buffer b[0], at element offsets in[0], in[1] */
    CG_COPY,
    /* what threads of the block (in a warps loop: of the warp) stored, all of them see */
    CG_BARRIER,
    /* buffers b[0] and b[1] of a plan exchange what they hold, and so their addresses */
    CG_SWAP,
    /* buffer imm and those that are swapped with it are at their own addresses again, as before
     * any swap; it holds what it held, and what the others held is lost */
    CG_SETTLE,
    /* buffer imm, element in[0] (i64, uniform): will be wanted soon; changes nothing */
    CG_PREFETCH,
    CG_FETCH,
    CG_COMMIT,
    CG_ARRIVE,
    CG_FRAGMENT,
    CG_MMA, /* GPU: tensor.h */
    CG_OP_COUNT
} cg_op;

typedef enum cg_kind {
    CG_SERIAL, CG_PARALLEL,
    CG_GRID, CG_BLOCK, CG_WARPS, CG_LANES,
    CG_UNROLL, CG_VECTOR        /* SPMD: from CG_UNROLL on */
} cg_kind;
enum { CG_MAX_VECTOR = 256 }; /* lanes of a vector loop, a power of two */
typedef enum cg_mode { CG_CARRY, CG_FOLD, CG_TREE } cg_mode;

/* mark: names it to takes, also where it has moved to another block; 0: no take is in it. */
typedef struct cg_region {
    uint32_t n, cap;
    cg_val *insn;
    uint32_t mark;
} cg_region;

typedef struct cg_yield {
    cg_mode mode;
    ir_sc_op combine;           /* fold, tree: SC_add, SC_mul, SC_max, SC_min, SC_and, SC_or */
    cot_dtype type;
    cg_val init;                /* carry */
    cg_val value;               /* what the body yields */
    cg_val carried;             /* carry: the CG_CARRIED instruction */
} cg_yield;

typedef struct cg_block {
    cg_region body;             /* loop: the body.  if: then.  while: the body */
    cg_region other;            /* if: else.  while: computes the condition    */
    cg_kind kind;
    cg_val lo, hi;              /* loop: i64; iterations lo, lo + step, ... below hi */
    int64_t step;
    cg_val limit;               /* vector, threads: number of active lanes, or 0: all   */
    cg_val cond;                /* if: BOOL.  while: yielded by `other`        */
    cg_val var;                 /* loop: its CG_VAR                            */
    int n;                      /* results */
    uint32_t cap;
    cg_yield *yield;            /* if: value is then's, init is else's         */
    cg_val *result;             /* the CG_RESULT instructions */
} cg_block;

typedef struct cg_call {
    int kernel;                 /* index in the module */
    int n_buffers, n_params;
    /* of the caller, one for each IN and OUT buffer of the callee, in order */
    uint32_t *buffer;
    cg_val *offset;             /* element offset (i64) into each; 0: none */
    cg_val *param;
} cg_call;

/* A parameter of a C function: a pointer to an element of a buffer, a scalar, or an address. */
typedef struct cg_extern_arg {
    cot_dtype type;             /* of a scalar; COT_DTYPE_NONE: a pointer */
    cg_val value;               /* of a scalar (uniform)                  */
    uint32_t buffer;            /* of a pointer: 1 + which; 0: `address`  */
    cg_val offset;              /* i64, in elements; 0: none              */
    bool writes;
    const void *address;        /* in this process                        */
} cg_extern_arg;

/* A call of a function that the module does not have.  It may read and write what it is
 * handed. */
typedef struct cg_extern {
    const char *name;           /* of the custom function, for messages */
    ir_loc loc;
    const char *symbol;         /* NULL: it lives in this process only  */
    const char *prototype;      /* in C */
    void (*address)(void);      /* in this process; NULL: nobody registered it */
    /* args[0] is an address; it gets that and an array of the other pointers */
    bool packed;
    int n;
    cg_extern_arg *arg;
} cg_extern;

typedef struct cg_insn {
    uint8_t op;                 /* ir_sc_op or cg_op */
    uint8_t type;               /* cot_dtype T, as in ir_sc_insn; of a load, its value */
    cg_val in[3];
    uint64_t imm;
    const ir_sc_table *table;
    const struct ir_sc_program *sub; /* slow_path */
    cg_val args[4];
    cg_block *block;
    cg_call *call;
    const cg_extern *ext;
    ir_loc loc;                 /* where it comes from; of a shared one, the first place */
} cg_insn;

typedef enum cg_space {
    /* read-only argument */
    CG_IN,
    /* argument written (and perhaps read) */
    CG_OUT,
    /* `elements` on the stack of the kernel (of each thread's share) */
    CG_LOCAL,
    /* constant data of the module */
    CG_CONST,
    /* `elements` that a block of threads shares */
    CG_SHARED,
    CG_WORK /* of what plans: at byte `offset` of its work block             */
} cg_space;

/* Distinct buffers of a kernel never overlap, unless `alias` says so (which it must before the
 * first load: loads of what nobody writes move out of loops). */
typedef struct cg_buffer {
    const char *name;
    cot_dtype type;
    cg_space space;
    int64_t elements;
    int64_t offset;             /* work: bytes                                   */
    int align;                  /* bytes known; 0: the element's                 */
    /* out: too large for any cache, and written once: stores may go past them */
    bool streams;
    const void *data;           /* const                                         */
    int arg;                    /* entry, in and out: index in args[]            */
    /* 1 + index of a buffer it may overlap exactly (in place), or 0 */
    uint32_t alias;
} cg_buffer;

/* A reduction over elements 0 ... n - 1 in the region `in`, as its lowering declares it.
 *  Where each run of that text makes but a part of it, `split` says which: the variable of a
 * loop of constant bounds around it, or a value from 0 to parts - 1. */
typedef struct cg_reduction {
    uint32_t in;
    int64_t n;
    cg_val split;
    int64_t parts; /* 1: it is not split */
    ir_loc loc;
} cg_reduction;

typedef struct cg_take_term {
    cg_val v;
    int64_t c;
} cg_take_term;

/* Where control is in the region `in` and `when` holds, the reduction takes the element of
 * number k + sum of c v.  It is no instruction: it changes neither the text nor what it
 * computes. */
typedef struct cg_take {
    uint32_t reduction;         /* 1 + its index */
    uint32_t in;
    cg_val when; /* 0: always */
    int64_t k;
    int n; /* -1: the number is not known */
    const cg_take_term *term;
} cg_take;

typedef struct cg_kernel {
    cot_context *ctx;
    ir_arena *arena;
    struct cg_module *module;
    const char *name;           /* unique in the module */
    uint32_t numbering; /* which numbers its name, and the last number before (module.c) */
    int number_before;
    /* what it computes and from which lines; printed as a comment */
    const char *note;
    ir_loc loc;
    uint32_t n_buffers, cap_buffers;
    cg_buffer *buffer;
    int n_params;
    uint32_t n_insns, cap_insns;
    cg_insn *insn;              /* entry 0 is "none" */
    cg_region body;
    int64_t flops;              /* an estimate for one call, without what it calls: cost.h */
    bool alone;                 /* GPU: a block has a multiprocessor's registers for itself  */
    bool plans; /* the entry, or a function: it calls kernels, which share a work block   */
    int64_t work_bytes; /* of that block */
    uint32_t work; /* of a function: 1 + the buffer that is the block; 0: it has none      */
    uint32_t n_reductions, cap_reductions, n_takes, cap_takes, n_marks;
    cg_reduction *reduction; /* what verify/coverage.h proves */
    cg_take *take;
} cg_kernel;

/* A program: kernel 0 is the entry, whose buffers are arguments, constants and pieces of the
 * work block, and whose body calls the others.  A sub-function that stays one (passes/calls.h)
 * is a kernel with a plan of its own: its last buffer, of bytes, is its work block, a piece of
 * its caller's.  The compiled entry is
 *     int name(void *const *args, void *work)
 * with args[] the inputs, then the outputs; 0 or a cot_status.  A module with parallel loops
 * takes one more entry at the end of args[]: a `const cot_parallel *` (runtime/support/pool.h),
 * or NULL for one thread. */
typedef struct cg_module {
    cot_context *ctx;
    ir_arena *arena;
    const char *name;
    uint32_t n_kernels, cap_kernels;
    cg_kernel **kernel;
    int n_args;
    int64_t work_bytes;
    int work_align;
    bool parallel;              /* some kernel has a parallel loop */
    uint32_t n_serial; /* loops that were parallel: see cg_verify_or_serial */
    /* What is computed and not used raises no floating-point exception: operands under a mask
     * are harmless where it does not hold, and emitters compute nothing else besides. */
    bool trapping_math;
    bool read;                  /* it was read from text, to which its mistakes belong */
    const char *why;            /* the choices made, as text: cg_explain */
    const cg_extern **ext;      /* the foreign calls */
    uint32_t n_ext, cap_ext;
    struct cg_names *names; /* of kernels: module.c */
} cg_module;

/* scope.c, build.c, blocks.c: building.  A cursor says where instructions go; constants and
 * pure instructions are folded and shared within the enclosing regions. */
typedef struct cg_build {
    cg_kernel *k;
    cg_region **open;           /* stack of regions; the last receives instructions */
    uint32_t n_open, cap_open;
    struct cg_scope *scope;
    ir_loc loc;                 /* of what is built now         */
} cg_build;

cg_module *cg_module_new(cot_context *ctx, ir_arena *a, const char *name);
/* a number is appended if the name is taken */
cg_kernel *cg_kernel_new(cg_module *m, const char *name);
void cg_kernel_drop(cg_module *m); /* the last one */
void cg_begin(cg_build *b, cg_kernel *k);
uint32_t cg_buffer_add(cg_kernel *k, const char *name, cot_dtype type, cg_space space,
                       int64_t elements);

cg_val cg_const(cg_build *b, cot_dtype t, uint64_t bits);
cg_val cg_i64(cg_build *b, int64_t x);
cg_val cg_insn1(cg_build *b, ir_sc_op op, cot_dtype t, cg_val x);
/* x as another type: f16 and bf16 are made of f32 and make f32 alone. */
cg_val cg_cvt(cg_build *b, cot_dtype from, cot_dtype to, cg_val x);
cg_val cg_insn2(cg_build *b, ir_sc_op op, cot_dtype t, cg_val x, cg_val y);
cg_val cg_insn3(cg_build *b, ir_sc_op op, cot_dtype t, cg_val x, cg_val y, cg_val z);
/* Index arithmetic on i64, with the folds that keep maps affine: x + 0, (x + c) + d, x * 0, x *
 * 1, (x c) / c, ... */
cg_val cg_iadd(cg_build *b, cg_val x, cg_val y);
cg_val cg_isub(cg_build *b, cg_val x, cg_val y);
cg_val cg_imul(cg_build *b, cg_val x, int64_t c);
cg_val cg_idiv(cg_build *b, cg_val x, int64_t c);       /* x >= 0: floor(x / c) */
cg_val cg_imod(cg_build *b, cg_val x, int64_t c);
cg_val cg_imin(cg_build *b, cg_val x, cg_val y);
bool cg_is_const(const cg_kernel *k, cg_val v, int64_t *x);
/* The values an index can take, where loops with constant bounds or the like say so. */
bool cg_range(const cg_kernel *k, cg_val v, int64_t *lo, int64_t *hi);
cot_dtype cg_type(const cg_kernel *k, cg_val v);
/* defined.c: is the scalar instruction defined for operands (of a conversion: for a value) of
 * the type?  From the one type to the other?  Does it combine what a fold or a tree yields? */
bool cg_scalar_takes(ir_sc_op op, cot_dtype t);
bool cg_scalar_converts(ir_sc_op op, cot_dtype from, cot_dtype to);
bool cg_scalar_combines(ir_sc_op op);
bool cg_any_parallel(const cg_module *m); /* loop */

/* swap.c: the buffers that swaps permute.  Each buffer has the next one of its group, which is
 * a ring, and a number that its group has alone; a buffer that no swap names is its own next
 * one.  next is NULL where the kernel has no swap. */
typedef struct cg_swapped {
    uint32_t *next, *group;
} cg_swapped;
enum { CG_MAX_SWAPPED = 16 }; /* buffers of a group */

cg_swapped cg_find_swapped(const cg_kernel *k, ir_arena *a);
bool cg_is_swapped(const cg_swapped *s, uint32_t buffer);
/* The line that v (0: no value) comes from, else the kernel; of the entry, the first that any
 * of its instructions comes from. */
ir_loc cg_loc_of(const cg_kernel *k, cg_val v);
bool cg_has_mode(const cg_block *x, cg_mode mode);     /* does it yield anything so? */
/* of the region a value is in: 0 is the kernel's body */
uint32_t cg_depth(const cg_build *b, cg_val v);
cg_val cg_param(cg_build *b, int index);
cg_val cg_inline(cg_build *b, const ir_sc_program *p, const cg_val *in);
/* when: 0 for always */
cg_val cg_load(cg_build *b, uint32_t buffer, cg_val index, cg_val when);
void cg_store(cg_build *b, uint32_t buffer, cg_val index, cg_val value, cg_val when);
void cg_copy(cg_build *b, uint32_t to, cg_val to_offset, uint32_t from, cg_val from_offset,
             int64_t bytes);
void cg_barrier(cg_build *b);
void cg_swap(cg_build *b, uint32_t x, uint32_t y);
void cg_settle(cg_build *b, uint32_t buffer);
/* The index may lie past the buffer: nothing is read. */
void cg_prefetch(cg_build *b, uint32_t buffer, cg_val index);
void cg_effect(cg_build *b, cg_insn x);                 /* x, at the cursor */
void cg_fail_if(cg_build *b, cg_val cond, cot_status status);
void cg_call_kernel(cg_build *b, int kernel, const uint32_t *buffers, const cg_val *offsets,
                    int n_params, const cg_val *params);

/* Answers a value of the type; COT_DTYPE_NONE: nothing. */
cg_val cg_call_extern(cg_build *b, const cg_extern *x, cot_dtype type);

/* What the reductions of a kernel take (verify/coverage.h), at the cursor.  Answers the
 * number of the reduction, from 1 on. */
uint32_t cg_reduction_new(cg_build *b, int64_t n, cg_val split, int64_t parts);
void cg_take_element(cg_build *b, cg_take x);
/* Element x + y, y being 0 for nothing. */
void cg_take_value(cg_build *b, uint32_t reduction, cg_val x, cg_val y);

/* Loops: cg_loop_begin ... cg_loop_end.  Carries are declared at the beginning, folds and trees
 * at the end. */
cg_val cg_loop_begin(cg_build *b, cg_kind kind, cg_val lo, cg_val hi, int64_t step,
                     cg_val limit);
cg_val cg_loop_var(const cg_build *b, cg_val loop);
/* the carried value, inside */
cg_val cg_loop_carry(cg_build *b, cg_val loop, cot_dtype t, cg_val init);
/* what it becomes */
void cg_loop_next(cg_build *b, cg_val loop, cg_val carried, cg_val value);
int cg_loop_reduce(cg_build *b, cg_val loop, cg_mode mode, ir_sc_op combine, cot_dtype t,
                   cg_val value);
void cg_loop_end(cg_build *b, cg_val loop);
/* results in the order of declaration */
cg_val cg_loop_result(cg_build *b, cg_val loop, int i);
cg_val cg_if_begin(cg_build *b, cg_val cond);
void cg_if_else(cg_build *b, cg_val branch);
/* after the end of both */
int cg_if_yield(cg_build *b, cg_val branch, cot_dtype t, cg_val then, cg_val otherwise);
void cg_if_end(cg_build *b, cg_val branch);
cg_val cg_while_begin(cg_build *b);
cg_val cg_while_carry(cg_build *b, cg_val loop, cot_dtype t, cg_val init);
/* ends the condition, begins the body */
void cg_while_test(cg_build *b, cg_val loop, cg_val cond);
void cg_while_next(cg_build *b, cg_val loop, cg_val carried, cg_val value);
void cg_while_end(cg_build *b, cg_val loop);
cg_val cg_neutral(cg_build *b, ir_sc_op combine, cot_dtype t);
uint64_t cg_neutral_bits(ir_sc_op combine, cot_dtype t);

void cg_kernel_print(ir_buf *b, const cg_kernel *k);
void cg_module_print(ir_buf *b, const cg_module *m);
/* kernel/parse.c: what cg_module_print prints, as a module in the arena.  What parses is not
 * proved yet: cg_module_read (verify/read.c) reads and verifies it. */
cot_status cg_module_parse(cot_context *ctx, ir_arena *a, const char *file, const char *text,
                           size_t bytes, cg_module **out);
cot_status cg_module_read(cot_context *ctx, ir_arena *a, const char *file, const char *text,
                          size_t bytes, cg_module **out);
/* Is it the text of a module of kernels, and not one of StableHLO? */
bool cg_is_module_text(const char *text, size_t bytes);
/* Does a C function run on the device, in its stream? */
bool cg_extern_on_device(const cg_extern *x);
/* Can this process (back end NULL), or the back end, hold the module's foreign calls? */
cot_status cg_check_externs(const cg_module *m, const char *back_end);
/* kernel/compare.c: do two kernels compute the same, instruction by instruction?  Names do not
 * count. */
bool cg_kernel_same(const cg_kernel *x, const cg_kernel *y);
uint64_t cg_kernel_hash(const cg_kernel *k); /* one number for kernels that are the same */
/* Every invariant: types, dominance, indices of buffers, kinds of loops. */
cot_status cg_verify(const cg_module *m);
/* The same, but a parallel loop whose iterations are not proved to be apart, nor found to meet,
 * runs serially from now on, and m->why says so; where the context's `verify` is 2, it is
 * refused. */
cot_status cg_verify_or_serial(cg_module *m);

/* divergence.c: for emitters.
 *
 * SPMD loops nest at most 32 deep; the outermost of a nest has level 0, the next level 1, ...
 * cg_divergence gives for each value the set of levels of the SPMD loops around its definition
 * over which it varies, as bits.  What an `if` or `while` yields varies over what its condition
 * varies over. */
uint32_t *cg_divergence(const cg_kernel *k, ir_arena *a);
/* How often each value is used by what has an effect; a pure instruction with 0 uses is
 * dead. */
uint32_t *cg_count_uses(const cg_kernel *k, ir_arena *a);
/* How the index moves per iteration of a loop: the coefficient if it is affine in the loop's
 * variable; false otherwise. */
bool cg_affine(const cg_kernel *k, cg_val v, cg_val loop, int64_t *coefficient);
/* How far it moves per iteration of the loop; 0: not evenly, or not at all. */
int64_t cg_stride_over(const cg_kernel *k, cg_val v, const cg_block *loop);
/* Are s and t stores to, or loads of, elements i and i + step of one buffer, without
 * conditions? */
bool cg_are_adjacent(const cg_kernel *k, cg_val s, cg_val t, int64_t step);
/* A power of two, at most 64, that divides the index whatever values its parts take, in the
 * first lane of vector loops. */
int64_t cg_multiple_of(const cg_kernel *k, cg_val v);
/* The same in the first iteration of the loop, and of all that is a multiple of `apart` behind
 * it. */
int64_t cg_multiple_of_rows(const cg_kernel *k, cg_val v, const cg_block *copies,
                            int64_t stride);

#endif
