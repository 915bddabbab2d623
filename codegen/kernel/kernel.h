/* The kernel IR: structured loops over typed scalars and memory, in which a schedule is data.
 *
 * A kernel is a function of buffers and i64 parameters.  Its body is a region: a list of
 * instructions in SSA form, some of which (loop, if, while) contain regions of their own.  The
 * text of a body is that of ONE element: a value has an element type and no width.  The kind of
 * each loop says how its iterations run:
 *
 *   serial     one after the other
 *   parallel   divided among threads; iterations are independent; not inside a parallel or SPMD
 *              loop
 *   unroll     all at once, as copies in registers; constant extent
 *   vector     all at once, as lanes of one SIMD value; constant extent, a power of two; never
 *              inside another vector loop.  `limit`, if given, is an i64: lanes >= limit are
 *              inactive
 *
 * and, in kernels for a GPU (grid.h),
 *
 *   grid       divided among blocks of threads: the outermost loop, the only one of its kind
 *   block      all at once, one iteration for each thread of the block
 *   warps      all at once, one iteration for each warp (32 threads) of the block
 *   lanes      all at once, one iteration for each thread of a warp: at most 32
 *
 * The last three are thread loops; they have a constant extent, and a `limit` as vector loops.
 *
 * `unroll` and `vector` loops are SPMD loops.  A value varies over an enclosing SPMD loop if it
 * depends on its variable.  An emitter gives a value a register for each copy and a lane for
 * each lane of the loops over which it varies, and one scalar if it varies over none.  A serial
 * loop inside SPMD loops runs once for all of them, and its carries are held for each copy and
 * lane.  `unroll i 6 { unroll j 2 { vector l 8 { for k ... fma } } }` is therefore a register
 * tile, without a mechanism of its own.
 *
 * Each result of a loop has a mode:
 *
 *   carry   the value yielded last; starts at its init (loop-carried)
 *   fold    an SPMD, lanes or serial loop of extent E <= 64, a power of two: e_0 ... e_(E-1)
 *           combined by halves: for h = E/2 ... 1: e_l = e_l op e_(l+h).  A vector loop folds
 *           its lanes by shuffles; inactive lanes count as the neutral element.  A serial loop
 *           runs in bit-reversed order and combines with a stack of partial results (a binary
 *           counter), which is the same tree
 *   tree    a serial, parallel or warps loop: e_0 ... e_(n-1) in a binary tree aligned at
 *           powers of two; an element without a partner moves up unchanged.  The neutral
 *           element if the loop does not run
 *
 * The sum of docs/numerics.md section 3 is, without further mechanism,
 *
 *   tree over blocks b { fold over 32 lanes l { carry over steps t {
 *       acc op e[512 b + 32 t + l] } } }
 *
 * in which each loop may be of any kind.  Neutral elements: add -0.0 (0 for integers), mul 1,
 * max the least value (-inf), min the largest (+inf), and all ones, or 0.
 *
 * Scans: a scan combines lanes within a vector loop by the method of Hillis and Steele.  For
 * d = 1, 2, 4, ... below the extent of the loop, x_l becomes x_(l-d) op x_l in all lanes l >= d
 * at once.  Lane l depends on no lane behind it, so that a limit does not change the active
 * lanes.  A scan, or the use of the last lane, must not be inside divergent control.
 *
 * Divergent control: an `if` or `while` whose condition varies over SPMD lanes runs with a mask
 * of active lanes.  A branch runs if any active lane takes it, and a while until no active lane
 * continues; stores only affect active lanes, loads of inactive lanes access no memory, and
 * results are selected by lane.
 *
 * The IR does not depend on LLVM or C: codegen/llvm and codegen/c translate it, instruction by
 * instruction.  Scalar instructions are those of ir/scalar.h, with its semantics to the last
 * bit.
 *
 * Further rules, which cg_verify checks: carries belong to serial loops and whiles; a serial
 * loop with folds or trees has no carries, and one with folds no trees; bounds of loops,
 * parameters, offsets and calls are uniform; `limit` is at least 1; a parallel loop that yields
 * trees has a constant extent <= 4096, and no CG_FAIL is inside it (a kernel that it calls may
 * fail).  CG_VAR, CG_CARRIED and CG_RESULT are in no region's list: their block refers to them.
 * A CG_LOCAL buffer that is used in a parallel loop is private to each thread. */
#ifndef CODEGEN_KERNEL_KERNEL_H
#define CODEGEN_KERNEL_KERNEL_H

#include "ir/context.h"
#include "ir/scalar.h"

typedef uint32_t cg_val;                /* a value or instruction of a kernel; 0: none */

/* The instructions after the scalar instructions 0 ...  SC_COUNT-1 (which include slow_path and
 * const). */
typedef enum cg_op {
    /* i64 parameter number imm */
    CG_PARAM = SC_COUNT,
    /* the variable (i64) of the loop in[0] */
    CG_VAR,
    /* the carried value number imm of the loop or while in[0] */
    CG_CARRIED,
    /* result number imm of the loop, if or while in[0] */
    CG_RESULT,
    /* element in[0] (i64) of buffer imm; optional in[1] (BOOL): if false, 0 without an
     * access */
    CG_LOAD,
    /* in lane l of the vector loop around: lanes 0 to l of in[0], combined by imm (ir_sc_op) */
    CG_SCAN,
    /* in[0] in the last lane of the vector loop around, which has no limit; uniform over it */
    CG_LAST,
    /* element in[0] of buffer imm becomes in[1]; optional in[2] (BOOL): if false, nothing */
    CG_STORE,
    CG_LOOP,
    CG_IF,
    CG_WHILE,
    /* call kernel imm of the module, with buffers and parameters: see cg_call */
    CG_CALL,
    /* if in[0] (BOOL, uniform) holds, leave the entry with status imm */
    CG_FAIL,
    /* call a foreign C function: see cg_extern.  The value is its result, if it has one */
    CG_EXTERN,
    /* copy in[2] bytes, or imm where it is 0, from buffer b[1] to buffer b[0], at element
     * offsets in[1] and in[0] */
    CG_COPY,
    /* all threads of the block (in a warps loop: of the warp) see what the others stored
     * before */
    CG_BARRIER,
    /* buffers b[0] and b[1] of a plan swap their addresses, and so their contents */
    CG_SWAP,
    /* undo all swaps of buffer imm and the buffers swapped with it: each has its own address
     * again.  Buffer imm keeps its content, of in[0] bytes if that is not 0; that of the others
     * is lost */
    CG_SETTLE,
    /* work buffer imm begins at byte in[0] of the work block: before its first use, once */
    CG_PLACE,
    /* prefetch element in[0] (i64, uniform) of buffer imm; has no effect on results */
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
enum { CG_MAX_VECTOR = 256 }; /* the largest number of lanes of a vector loop, a power of two */
typedef enum cg_mode { CG_CARRY, CG_FOLD, CG_TREE } cg_mode;

/* mark: identifies the region to takes, even after it has moved to another block; 0: it has
 * none. */
typedef struct cg_region {
    uint32_t n, cap;
    cg_val *insn;
    uint32_t mark;
} cg_region;

typedef struct cg_yield {
    cg_mode mode;
    ir_sc_op combine;           /* fold, tree: SC_add, SC_mul, SC_max, SC_min, SC_and, SC_or */
    cot_dtype type;
    cg_val init;                /* carry: the first value */
    cg_val value;               /* what the body yields */
    cg_val carried;             /* carry: the CG_CARRIED instruction */
} cg_yield;

typedef struct cg_block {
    cg_region body;             /* loop: the body.  if: then.  while: the body */
    cg_region other;            /* if: else.  while: computes the condition    */
    cg_kind kind;
    cg_val lo, hi;              /* loop: i64; iterations lo, lo + step, ... below hi */
    int64_t step;
    cg_val limit;               /* vector, threads: number of active lanes; 0: all */
    cg_val cond;                /* if: the condition, BOOL. while: yielded by `other` */
    cg_val var;                 /* loop: its CG_VAR */
    int n;                      /* number of results */
    uint32_t cap;
    cg_yield *yield;            /* if: `value` is yielded by then, `init` by else */
    cg_val *result;             /* the CG_RESULT instructions */
} cg_block;

typedef struct cg_call {
    int kernel;                 /* index in the module */
    int n_buffers, n_params;
    /* buffers of the caller, one for each IN and OUT buffer of the callee, in order */
    uint32_t *buffer;
    cg_val *offset;             /* element offset (i64) into each; 0: none */
    cg_val *param;
    cg_val grid; /* GPU: the number of blocks, where sizes are open; 0: it is the kernel's */
} cg_call;

/* An argument of a C function: a pointer to an element of a buffer, a scalar, or an address. */
typedef struct cg_extern_arg {
    cot_dtype type;             /* of a scalar; COT_DTYPE_NONE: a pointer */
    cg_val value;               /* of a scalar (uniform)                  */
    uint32_t buffer;            /* of a pointer: 1 + the buffer; 0: `address` */
    cg_val offset;              /* i64, in elements; 0: none              */
    bool writes;
    const void *address;        /* in this process                        */
} cg_extern_arg;

/* A call of a function outside the module.  It may read and write the memory that it is
 * passed. */
typedef struct cg_extern {
    const char *name;           /* of the custom function, for messages */
    ir_loc loc;
    const char *symbol;         /* NULL: it exists in this process only */
    const char *prototype;      /* in C */
    void (*address)(void);      /* in this process; NULL: it is not registered */
    /* args[0] is an address; the function gets that, and an array of the other pointers */
    bool packed;
    int n;
    cg_extern_arg *arg;
} cg_extern;

typedef struct cg_insn {
    uint8_t op;                 /* ir_sc_op or cg_op */
    /* cot_dtype T, as in ir_sc_insn; of a load, the type of its value */
    uint8_t type;
    cg_val in[3];
    uint64_t imm;
    const ir_sc_table *table;
    const struct ir_sc_program *sub; /* slow_path: its program */
    cg_val args[4];
    cg_block *block;
    cg_call *call;
    const cg_extern *ext;
    ir_loc loc;                 /* source line; of a shared instruction, the first one */
} cg_insn;

typedef enum cg_space {
    /* read-only argument */
    CG_IN,
    /* argument that is written (and perhaps read) */
    CG_OUT,
    /* `elements` on the stack of the kernel (in a parallel loop: of each thread) */
    CG_LOCAL,
    /* constant data of the module */
    CG_CONST,
    /* `elements` that a block of threads shares */
    CG_SHARED,
    CG_WORK /* of a kernel that calls others: at byte `offset` of its work block */
} cg_space;

/* Distinct buffers of a kernel never overlap, unless `alias` says so. alias must be set before
 * the first load, because loads of buffers that nothing writes move out of loops. */
typedef struct cg_buffer {
    const char *name;
    cot_dtype type;
    cg_space space;
    int64_t elements;
    int64_t offset;             /* work: bytes                                   */
    bool placed; /* work: CG_PLACE says where it begins            */
    bool sizes; /* in: the open sizes of a call, in memory of the host */
    int align;                  /* known alignment in bytes; 0: that of the element */
    /* out: too large for any cache and written once, so that stores may bypass the caches */
    bool streams;
    const void *data;           /* const                                         */
    int arg;                    /* entry, in and out: index in args[] */
    /* 1 + index of a buffer that it may overlap exactly (in place); 0: none */
    uint32_t alias;
    bool aliased; /* it is such a buffer of another one: cg_buffer_over */
} cg_buffer;

/* A reduction over elements 0 ... n - 1 in the region `in`, as its lowering declares it.  If a
 * run of the region takes only a part of the elements, `split` identifies the part: it is the
 * variable of an enclosing loop with constant bounds, or a value from 0 to parts - 1. */
typedef struct cg_reduction {
    uint32_t in;
    int64_t n;
    cg_val split;
    int64_t parts; /* 1: the reduction is not split */
    ir_loc loc;
    cg_val count; /* 0, or the value of n, which is computed */
} cg_reduction;

typedef struct cg_take_term {
    cg_val v;
    int64_t c;
} cg_take_term;

/* If control is in the region `in` and `when` holds, the reduction takes the element whose
 * number is k + sum of c v.  This is not an instruction: it changes neither the text nor the
 * result. */
typedef struct cg_take {
    uint32_t reduction;         /* 1 + its index */
    uint32_t in;
    cg_val when; /* 0: always */
    int64_t k;
    int n; /* -1: the number is unknown */
    const cg_take_term *term;
    /* 0: it takes one element; else that one and those behind it, `extent` in all, of which
     * those exist for which the value of the last term, whose factor is 1, is below `limit` as
     * it rises with them: the rows of a tile, whose last tile is a partial one */
    int64_t extent, limit;
} cg_take;

typedef struct cg_kernel {
    cot_context *ctx;
    ir_arena *arena;
    struct cg_module *module;
    const char *name;           /* unique in the module */
    /* Kernels of one name are numbered (sum, sum.2, ...): the place of that name in the
     * module's table, and the last number given before this kernel, which is restored if the
     * kernel is dropped (module.c). */
    uint32_t numbering;
    int number_before;
    /* what it computes, from which lines; printed as a comment */
    const char *note;
    ir_loc loc;
    uint32_t n_buffers, cap_buffers;
    cg_buffer *buffer;
    int n_params;
    uint32_t n_insns, cap_insns;
    cg_insn *insn;              /* entry 0 is "none" */
    cg_region body;
    int64_t flops;              /* an estimate for one call, without called kernels: cost.h */
    /* GPU: one block runs on a multiprocessor at a time, so that its threads may use all of the
     * registers */
    bool alone;
    bool plans; /* it calls kernels, which share a work block: the entry, or a function */
    int64_t work_bytes; /* size of that work block */
    uint32_t work; /* of a function: 1 + the buffer that is its work block; 0: it has none */
    uint32_t n_reductions, cap_reductions, n_takes, cap_takes, n_marks;
    cg_reduction *reduction; /* declared for the proofs of verify/coverage.h */
    cg_take *take;
} cg_kernel;

/* A program.  Kernel 0 is the entry; its buffers are arguments, constants and parts of the work
 * block, and its body calls the other kernels.  A sub-function that is not inlined
 * (passes/calls.h) is a kernel that calls others; its last buffer, of bytes, is its work block,
 * a part of its caller's.  The compiled entry is
 *     int name(void *const *args, void *work)
 * with args[] the inputs, then the outputs; it returns 0 or a cot_status.  A module with
 * parallel loops takes one more entry at the end of args[]: a `const cot_parallel *`
 * (runtime/support/pool.h), or NULL for one thread. */
typedef struct cg_module {
    cot_context *ctx;
    ir_arena *arena;
    const char *name;
    uint32_t n_kernels, cap_kernels;
    cg_kernel **kernel;
    int n_args;
    int n_sizes; /* open sizes, an array behind the other arguments: codegen/open */
    int64_t work_bytes;
    int work_align;
    bool parallel;              /* some kernel has a parallel loop */
    uint32_t n_serial; /* parallel loops that were made serial: see cg_verify_or_serial */
    /* Values that are computed but not used raise no floating-point exception: operands under a
     * mask are harmless numbers where it is false, and emitters compute nothing else in
     * addition. */
    bool trapping_math;
    bool read;                  /* read from text: errors are the text's, not the library's */
    const char *why;            /* the decisions of the lowering, as text: cg_explain */
    struct cg_record *record; /* what was made of which nodes (record.h); or NULL */
    const cg_extern **ext;      /* the foreign calls */
    uint32_t n_ext, cap_ext;
    struct cg_names *names; /* names of kernels: module.c */
    /* extents that are open (lower.h), ascending: what is compared with one is not folded */
    const int64_t *open;
    uint32_t n_open;
} cg_module;

/* scope.c, build.c, blocks.c: building.  The cursor is where instructions are appended.
 * Constants and pure instructions are folded, and shared within the enclosing regions. */
typedef struct cg_build {
    cg_kernel *k;
    cg_region **open;           /* stack of open regions; the last one receives instructions */
    uint32_t n_open, cap_open;
    struct cg_scope *scope;
    ir_loc loc;                 /* source line of the instructions that are being built */
} cg_build;

/* Is x an open extent of the module, or one but for a few elements? */
bool cg_module_is_open(const cg_module *m, int64_t x);
/* The open extent that x is, but for a few elements; false: it is none. */
bool cg_module_open_extent(const cg_module *m, int64_t x, int64_t *extent);
cg_module *cg_module_new(cot_context *ctx, ir_arena *a, const char *name);
/* Add a kernel; a number is appended if the name is taken. */
cg_kernel *cg_kernel_new(cg_module *m, const char *name);
/* keep.c: the same, in an arena that is not the module's; it is valid until that is reset. */
cg_kernel *cg_kernel_draft(cg_module *m, ir_arena *a, const char *name);
/* Copy the draft with that number into the arena of the module. */
cg_kernel *cg_kernel_keep(cg_module *m, uint32_t number);
void cg_kernel_drop(cg_module *m); /* removes the last kernel */
void cg_begin(cg_build *b, cg_kernel *k);
uint32_t cg_buffer_add(cg_kernel *k, const char *name, cot_dtype type, cg_space space,
                       int64_t elements);
/* Buffer b may overlap buffer x. */
void cg_buffer_over(cg_kernel *k, uint32_t b, uint32_t x);
/* May the buffer overlap another? */
static inline bool
cg_is_aliased(const cg_buffer *x)
{
    return x->alias || x->aliased;
}

cg_val cg_const(cg_build *b, cot_dtype t, uint64_t bits);
cg_val cg_i64(cg_build *b, int64_t x);
cg_val cg_insn1(cg_build *b, ir_sc_op op, cot_dtype t, cg_val x);
/* x converted to another type. f16 and bf16 are converted by way of f32. */
cg_val cg_cvt(cg_build *b, cot_dtype from, cot_dtype to, cg_val x);
cg_val cg_insn2(cg_build *b, ir_sc_op op, cot_dtype t, cg_val x, cg_val y);
cg_val cg_insn3(cg_build *b, ir_sc_op op, cot_dtype t, cg_val x, cg_val y, cg_val z);
/* Index arithmetic on i64, with folds that keep indices affine: x + 0, (x + c) + d, x * 0, x *
 * 1, (x c) / c, ... */
cg_val cg_iadd(cg_build *b, cg_val x, cg_val y);
cg_val cg_isub(cg_build *b, cg_val x, cg_val y);
cg_val cg_imul(cg_build *b, cg_val x, int64_t c);
cg_val cg_idiv(cg_build *b, cg_val x, int64_t c);       /* x >= 0: floor(x / c) */
cg_val cg_imod(cg_build *b, cg_val x, int64_t c);
cg_val cg_imin(cg_build *b, cg_val x, cg_val y);
bool cg_is_const(const cg_kernel *k, cg_val v, int64_t *x);
/* The number of iterations; -1: a bound is not constant. */
int64_t cg_extent(const cg_kernel *k, const cg_block *loop);
/* The range of an index, if constant bounds of loops or the like determine it. */
bool cg_range(const cg_kernel *k, cg_val v, int64_t *lo, int64_t *hi);
/* Is an index x known to be at most y, v to be least ... most, whatever open extents are? */
bool cg_is_upto(const cg_kernel *k, cg_val x, cg_val y);
bool cg_is_within(const cg_kernel *k, cg_val v, int64_t least, int64_t most);
/* The comparison, or what else has two operands, even where its result is known. */
cg_val cg_insn2_kept(cg_build *b, ir_sc_op op, cg_val x, cg_val y);
/* The i64 that an integer of fewer bits is made of, if index arithmetic is known not to wrap
 * around; else 0. */
cg_val cg_index_of(cg_build *b, cg_val v);
/* Do the ranges of integers x and y, of fewer bits, decide a comparison?  *is: its result. */
bool cg_compare(const cg_kernel *k, ir_sc_op op, cg_val x, cg_val y, bool *is);
cot_dtype cg_type(const cg_kernel *k, cg_val v);
/* defined.c.  Is the scalar instruction defined for operands of this type (of a conversion: for
 * a value of it)? */
bool cg_scalar_takes(ir_sc_op op, cot_dtype t);
/* Is the conversion defined between these types? */
bool cg_scalar_converts(ir_sc_op op, cot_dtype from, cot_dtype to);
/* Can the instruction combine the values of a fold or tree? */
bool cg_scalar_combines(ir_sc_op op);
bool cg_any_parallel(const cg_module *m); /* is there a parallel loop? */
/* query.c: the values that an instruction names as operands; those that it and the regions in
 * it name; those that it and these define; the buffers that it names; that all of it names. */
typedef void cg_visit(void *user, cg_val v);
void cg_each_operand(const cg_insn *i, cg_visit *visit, void *user);
void cg_each_use(const cg_kernel *k, cg_val v, cg_visit *visit, void *user);
void cg_each_definition(const cg_kernel *k, cg_val v, cg_visit *visit, void *user);
typedef void cg_visit_buffer(void *user, uint32_t buffer);
void cg_each_buffer_of(const cg_insn *i, cg_visit_buffer *visit, void *user);
void cg_each_buffer(const cg_kernel *k, cg_val v, cg_visit_buffer *visit, void *user);

/* swap.c: the buffers that swaps permute, in groups.  Each buffer has the next one of its
 * group, which is a ring, and the number of the group.  A buffer without swaps is alone in its
 * group. next is NULL if the kernel has no swap. */
typedef struct cg_swapped {
    uint32_t *next, *group;
} cg_swapped;
enum { CG_MAX_SWAPPED = 16 }; /* the most buffers in a group */

cg_swapped cg_find_swapped(const cg_kernel *k, ir_arena *a);
bool cg_is_swapped(const cg_swapped *s, uint32_t buffer);
/* The source line of v (0: no value), or else of the kernel; of the entry, the first line of
 * any instruction. */
ir_loc cg_loc_of(const cg_kernel *k, cg_val v);
bool cg_has_mode(const cg_block *x, cg_mode mode);     /* is a result of that mode? */
/* The depth of the region that contains a value; 0: the body of the kernel. */
uint32_t cg_depth(const cg_build *b, cg_val v);
cg_val cg_param(cg_build *b, int index);
cg_val cg_inline(cg_build *b, const ir_sc_program *p, const cg_val *in);
/* when: 0: always */
cg_val cg_load(cg_build *b, uint32_t buffer, cg_val index, cg_val when);
void cg_store(cg_build *b, uint32_t buffer, cg_val index, cg_val value, cg_val when);
void cg_copy(cg_build *b, uint32_t to, cg_val to_offset, uint32_t from, cg_val from_offset,
             int64_t bytes);
/* In a vector loop: what lanes 0 to l combine to, and what the last lane holds. */
cg_val cg_scan_lanes(cg_build *b, ir_sc_op combine, cg_val x);
cg_val cg_last_lane(cg_build *b, cg_val x);
void cg_barrier(cg_build *b);
void cg_swap(cg_build *b, uint32_t x, uint32_t y);
void cg_settle(cg_build *b, uint32_t buffer);
/* The index may be past the end of the buffer, since nothing is read. */
void cg_prefetch(cg_build *b, uint32_t buffer, cg_val index);
void cg_effect(cg_build *b, cg_insn x);                 /* appends x */
void cg_fail_if(cg_build *b, cg_val cond, cot_status status);
void cg_call_kernel(cg_build *b, int kernel, const uint32_t *buffers, const cg_val *offsets,
                    int n_params, const cg_val *params);

/* Returns a value of the type; COT_DTYPE_NONE: the function returns nothing. */
cg_val cg_call_extern(cg_build *b, const cg_extern *x, cot_dtype type);

/* Declarations for the verifier: what the reductions of a kernel take (verify/coverage.h), at
 * the cursor. cg_reduction_new returns the number of the reduction, from 1 on. */
uint32_t cg_reduction_new(cg_build *b, int64_t n, cg_val split, int64_t parts);
/* A reduction that is not split, whose number of elements is a value. */
uint32_t cg_reduction_counted(cg_build *b, cg_val count);
void cg_take_element(cg_build *b, cg_take x);
/* Declare that element x + y is taken; y is 0 for none. */
void cg_take_value(cg_build *b, uint32_t reduction, cg_val x, cg_val y);

/* Loops are built by cg_loop_begin ... cg_loop_end.  Carries are declared at the beginning,
 * folds and trees at the end. */
cg_val cg_loop_begin(cg_build *b, cg_kind kind, cg_val lo, cg_val hi, int64_t step,
                     cg_val limit);
/* Over 0 <= i < n. */
cg_val cg_loop_of(cg_build *b, cg_kind kind, int64_t n);
cg_val cg_loop_var(const cg_build *b, cg_val loop);
/* Declare a carry; returns its value inside the loop. */
cg_val cg_loop_carry(cg_build *b, cg_val loop, cot_dtype t, cg_val init);
/* Set the next value of a carry. */
void cg_loop_next(cg_build *b, cg_val loop, cg_val carried, cg_val value);
/* replace.c: before the end of a serial loop whose carries are complete and which is inside no
 * SPMD loop, make what its iterations load of what earlier ones stored carries. */
void cg_replace_loads(cg_build *b, cg_val loop);
int cg_loop_reduce(cg_build *b, cg_val loop, cg_mode mode, ir_sc_op combine, cot_dtype t,
                   cg_val value);
void cg_loop_end(cg_build *b, cg_val loop);
/* Result i, in the order of declaration. */
cg_val cg_loop_result(cg_build *b, cg_val loop, int i);
cg_val cg_if_begin(cg_build *b, cg_val cond);
void cg_if_else(cg_build *b, cg_val branch);
/* Declare a result, after both branches are closed. */
int cg_if_yield(cg_build *b, cg_val branch, cot_dtype t, cg_val then, cg_val otherwise);
void cg_if_end(cg_build *b, cg_val branch);
cg_val cg_while_begin(cg_build *b);
cg_val cg_while_carry(cg_build *b, cg_val loop, cot_dtype t, cg_val init);
/* End the condition and begin the body. */
void cg_while_test(cg_build *b, cg_val loop, cg_val cond);
void cg_while_next(cg_build *b, cg_val loop, cg_val carried, cg_val value);
void cg_while_end(cg_build *b, cg_val loop);
cg_val cg_neutral(cg_build *b, ir_sc_op combine, cot_dtype t);
uint64_t cg_neutral_bits(ir_sc_op combine, cot_dtype t);

void cg_kernel_print(ir_buf *b, const cg_kernel *k);
/* The same, and the places in b at which instructions begin, with their locations. */
typedef struct cg_print_place {
    size_t at;
    ir_loc loc;
} cg_print_place;
typedef struct cg_print_places {
    cg_print_place *at;
    uint32_t n, cap;
} cg_print_places;
void cg_kernel_print_places(ir_buf *b, const cg_kernel *k, cg_print_places *places);
void cg_module_print(ir_buf *b, const cg_module *m);
/* kernel/parse.c: read what cg_module_print prints, into a module in the arena. cg_module_parse
 * does not prove the module; cg_module_read (verify/read.c) reads and verifies it. */
cot_status cg_module_parse(cot_context *ctx, ir_arena *a, const char *file, const char *text,
                           size_t bytes, cg_module **out);
cot_status cg_module_read(cot_context *ctx, ir_arena *a, const char *file, const char *text,
                          size_t bytes, cg_module **out);
/* Is it the text of a module of kernels, rather than of StableHLO? */
bool cg_is_module_text(const char *text, size_t bytes);
/* Does the C function run on the GPU, in its stream? */
bool cg_extern_on_device(const cg_extern *x);
/* Can the back end (NULL: this process) make the module's foreign calls? */
cot_status cg_check_externs(const cg_module *m, const char *back_end);
/* kernel/compare.c: are two kernels equal, instruction by instruction?  Names are not
 * compared. */
bool cg_kernel_same(const cg_kernel *x, const cg_kernel *y);
uint64_t cg_kernel_hash(const cg_kernel *k); /* equal for equal kernels */
/* Let constants that nothing uses be 0, so that they make no difference between kernels. */
void cg_kernel_clear_unused(cg_kernel *k, ir_arena *scratch);
/* Check every invariant: types, dominance, bounds of buffers, kinds of loops. */
cot_status cg_verify(const cg_module *m);
/* The same, but a parallel loop whose iterations are neither proved independent nor found to
 * conflict becomes serial, and m->why says so.  If the context's `verify` is 2, such a loop is
 * refused. */
cot_status cg_verify_or_serial(cg_module *m);

/* divergence.c: analyses for emitters.
 *
 * SPMD loops nest at most 32 deep; the outermost of a nest has level 0, the next level 1, ...
 * cg_divergence returns for each value, as bits, the levels of the enclosing SPMD loops over
 * which it varies.  The result of an `if` or `while` varies at least over the levels of its
 * condition. */
uint32_t *cg_divergence(const cg_kernel *k, ir_arena *a);
/* How often each value is used by instructions with effects, directly or through others; a pure
 * instruction with 0 uses is dead. */
uint32_t *cg_count_uses(const cg_kernel *k, ir_arena *a);
/* Is the index affine in the variable of the loop?  Then *coefficient is its stride for each
 * iteration. */
bool cg_affine(const cg_kernel *k, cg_val v, cg_val loop, int64_t *coefficient);
/* The stride of v for each iteration of the loop; 0: it is not constant, or 0. */
int64_t cg_stride_over(const cg_kernel *k, cg_val v, const cg_block *loop);
/* Are s and t stores to, or loads of, elements i and i + step of one buffer, without
 * conditions? */
bool cg_are_adjacent(const cg_kernel *k, cg_val s, cg_val t, int64_t step);
/* A power of two, at most 64, that divides the index for all values of its operands, in the
 * first lane of vector loops. */
int64_t cg_multiple_of(const cg_kernel *k, cg_val v);
/* The same, for the first iteration of loop `copies` and all indices that are a multiple of
 * `stride` after it. */
int64_t cg_multiple_of_rows(const cg_kernel *k, cg_val v, const cg_block *copies,
                            int64_t stride);

#endif
