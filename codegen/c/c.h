/* Internal declarations of the C emitter: kernels as C11 with vector extensions.
 *
 * The text of a file has three parts: what does not depend on the width (`common`: functions of
 * scalars, tables), and for each width its vector types and functions (`head`) and the kernels
 * (`body`).  An instruction is an operator of C where that gives the same bits, and otherwise a
 * call of a small function (`max_f32x8`), which is printed on first use.
 *
 * A value has a copy for each iteration of the unroll loops over which it varies.  A vector
 * loop with more lanes than a register holds becomes copies of vectors, and at the width of
 * scalars, copies of scalars.  So no vector is wider than the machine's, and scalar code needs
 * no case of its own.  A BOOL with lanes is a vector of i32, whose elements are 0 or -1. */
#ifndef CODEGEN_C_C_H
#define CODEGEN_C_C_H

#include "codegen/backend.h"

typedef struct cg_c_names {
    ir_map map;
    struct cg_c_name *name;
    uint32_t n, cap;
} cg_c_names;

/* The function of one kernel in the body of a width: n bytes from `at`.  A function that calls
 * no other kernel may be moved before all widths. */
typedef struct cg_c_kernel_text {
    uint32_t at, n;
    bool calls;
} cg_c_kernel_text;

/* The C signature of a public function: its parameters, and the arguments that pass them on,
 * both without `work`. */
typedef struct cg_c_entry {
    const char *params, *args;
} cg_c_entry;

typedef struct cg_c_text {
    cot_context *ctx;
    ir_arena *arena;
    ir_buf tables, common, head, body;
    cg_c_names shared, own; /* names used in common; names used in head and body */
    cg_c_names constants;   /* names of tables, which all levels share */
    cg_c_kernel_text *kernel;
    uint32_t n_kernels, cap_kernels;
    const ir_sc_program **slow_path;
    uint32_t n_slow_paths, cap_slow_paths;
    int n_fn;
    const cg_natural *fn; /* the functions of the file */
    /* for each function: it has the name of a library function that this file calls, so that
     * its own definition takes another name */
    const bool *renamed;
    cg_c_entry *entry; /* for each function, in a file for several processors; otherwise NULL */
    int bits;          /* bits of a vector; 32: there are no vectors */
    bool in_process, trapping_math;
    cot_status status;
} cg_c_text;

/* text.c: names, types, constants.  Adds a name to a set; false: the set already had it. */
bool cg_c_new_name(cg_c_text *t, cg_c_names *in, const char *name);
bool cg_c_has_name(const cg_c_names *in, const char *name);
/* Returns the C type of a value with lanes ("f32x8"), which is defined on first use. */
const char *cg_c_type(cg_c_text *t, cot_dtype type, int lanes);
const char *cg_c_unsigned(cot_dtype type);
/* A constant as an expression. */
const char *cg_c_constant(cg_c_text *t, cot_dtype type, uint64_t bits);
/* Returns "{ pattern(0), pattern(1), ... }", where each '#' of the pattern is replaced by the
 * lane. */
const char *cg_c_lanes_text(cg_c_text *t, int lanes, const char *pattern);
/* Returns a valid C identifier like `name` that is not in the set, and adds it. */
const char *cg_c_unique(cg_c_text *t, cg_c_names *in, const char *name);
cot_dtype cg_c_result_type(ir_sc_op op, cot_dtype type);
cot_dtype cg_c_operand_type(ir_sc_op op, cot_dtype type, cot_dtype from, int i);

/* Is the text an expression of more than one term?  Is it an identifier? */
bool cg_c_is_compound(const char *s);
bool cg_c_is_name(const char *s);
/* inline.c: the text without the brackets around the whole; bare_term keeps them unless it is a
 * sum of products, which may be a term of another sum. */
const char *cg_c_bare(cg_c_text *t, const char *s);
const char *cg_c_bare_term(cg_c_text *t, const char *s);

/* scalar.c: an instruction applied to operands that are all scalars or all vectors, as an
 * expression with operators outside of brackets. */
const char *cg_c_apply(cg_c_text *t, ir_sc_op op, cot_dtype type, cot_dtype from, int lanes,
                       const char *const *x);
/* -x for a scalar x that instruction `from` computes, hidden from gcc where that may be an fma:
 * gcc rewrites -fma(x, y, z) as fma(-x, y, -z), whose zeros have the other sign.  NULL: a plain
 * -x is right. */
const char *cg_c_careful_neg(cg_c_text *t, int from, cot_dtype type, const char *x);
/* Returns the name of the function for an instruction on scalars, which is printed on first
 * use. */
const char *cg_c_scalar(cg_c_text *t, ir_sc_op op, cot_dtype type, cot_dtype from);
const char *cg_c_table(cg_c_text *t, const ir_sc_table *table);
/* Returns the name of an array of these elements, which all functions and widths share. */
const char *cg_c_data(cg_c_text *t, cot_dtype type, const void *data, int64_t n);
/* Returns the name of the function of scalars for a slow path, which is printed on first
 * use. */
const char *cg_c_slow_path(cg_c_text *t, const ir_sc_program *p);

/* soft.c: functions that C has no operators for. */
extern const char cg_c_trapping_text[], cg_c_preamble[], cg_c_target_text[], cg_c_half_text[],
    cg_c_root_text[];
/* fma.c: prints fma_f32 and fma_f64, and helpers of their vector versions. */
void cg_c_add_fma(cg_c_text *t);

/* vector.c: returns the name of the function for an instruction on vectors. */
const char *cg_c_vector(cg_c_text *t, ir_sc_op op, cot_dtype type, cot_dtype from, int lanes);
/* x86.c: lines that fix a vector of this many bytes in a register, on targets with such
 * vectors; clang: for clang as well as for gcc. */
const char *cg_c_hold(cg_c_text *t, int bytes, const char *name, bool clang);
/* Returns the name of a macro that fixes the time at which clang computes a variable: before
 * the text that follows, which is computed after it. */
const char *cg_c_settled(cg_c_text *t);
/* vector.c: f(sum, x, y) = sum + SC_pairs of x and y. */
const char *cg_c_sum_pairs(cg_c_text *t, cot_dtype type, int lanes);
/* select.c: f(a, b, y, z), which is y where a op b and z elsewhere.  `op` compares values of
 * type `from`, which is as wide as `type`. */
const char *cg_c_pick(cg_c_text *t, ir_sc_op op, cot_dtype type, cot_dtype from, int lanes);
/* f(x, y): x if it is less (SC_min) or larger (SC_max) than y, otherwise y. */
const char *cg_c_limit(cg_c_text *t, ir_sc_op op, cot_dtype type, int lanes);
/* lanes.c: a vector with the scalar in all lanes. */
const char *cg_c_splat(cg_c_text *t, cot_dtype type, int lanes);
/* The vector x, x + step, ... of an i64 x, with elements of type I64 or I32. */
const char *cg_c_ramp(cg_c_text *t, cot_dtype type, int lanes);
/* The fold of the lanes by halves; whether any lane of a BOOL is true; f(n, first): the BOOL
 * first + lane < n (equal: <= n) of i64, where the sum does not wrap. */
const char *cg_c_fold(cg_c_text *t, ir_sc_op op, cot_dtype type, int lanes);
const char *cg_c_any(cg_c_text *t, int lanes);
const char *cg_c_below(cg_c_text *t, int lanes, bool equal);
const char *cg_c_table_vector(cg_c_text *t, const ir_sc_table *table, int lanes);
const char *cg_c_slow_path_vector(cg_c_text *t, const ir_sc_program *p, int lanes);

/* How a vector is laid out in memory: consecutive elements, consecutive elements in reverse, a
 * constant stride, an index for each lane of i64, of i32. */
typedef enum cg_c_shape { CG_C_DENSE, CG_C_BACK, CG_C_STEP, CG_C_AT, CG_C_AT32 } cg_c_shape;
/* every lane; the first n lanes; the lanes of a BOOL */
typedef enum cg_c_when { CG_C_ALWAYS, CG_C_PART, CG_C_MASK } cg_c_when;
/* The names of functions `type load(const T *p, [step or index], [n or mask])` and `void
 * store(T *p, [step or index], value, [n or mask])`. */
const char *cg_c_load(cg_c_text *t, cot_dtype type, int lanes, cg_c_shape s, cg_c_when w);
/* The scalar element x of one lane, hidden from clang in some lanes, so that clang does not
 * merge separate loads into a gather. */
const char *cg_c_alone(cg_c_text *t, cot_dtype type, int lane, const char *x);
/* load(p) of a vector that is used many times and stays in its register. */
const char *cg_c_load_held(cg_c_text *t, cot_dtype type, int lanes);
const char *cg_c_store(cg_c_text *t, cot_dtype type, int lanes, cg_c_shape s, cg_c_when w);

/* rows.c. reversed: x with its lanes in reverse. load_every_other: load(p) of p[0], p[2], ...,
 * or back, of p[0], p[-2], .... stream: a store of n whole vectors past the caches; NULL if
 * there is none for n > 1. store_rows: store(p, x0, x1, ...) of n interleaved rows. transpose:
 * transpose(r) of `lanes` vectors in place.  There are none for BOOL. */
const char *cg_c_reversed(cg_c_text *t, cot_dtype type, int lanes, const char *x);
/* f(before, x): x moved up by so many lanes, behind the last of `before`. */
const char *cg_c_moved_up(cg_c_text *t, cot_dtype type, int lanes, int by);
const char *cg_c_load_every_other(cg_c_text *t, cot_dtype type, int lanes, bool back);
/* load(p) of p[0], p[2], ..., for a load whose pair loads p[1], p[3], ...; second: for that
 * other load, with the same p.  Both load the same vectors, which the compiler then shares. */
const char *cg_c_load_of_pairs(cg_c_text *t, cot_dtype type, int lanes, bool second);
const char *cg_c_stream(cg_c_text *t, cot_dtype type, int lanes, int n);
const char *cg_c_store_rows(cg_c_text *t, cot_dtype type, int lanes, int n, bool stream);
const char *cg_c_transpose(cg_c_text *t, cot_dtype type, int lanes);

/* own_names.c: is this one of the names that the fixed texts of any file define? */
bool cg_c_is_fixed(const char *name);
void cg_c_begin_width(cg_c_text *t, int bits);
cot_status cg_c_check_foreign(cg_c_text *t, const cg_module *m);
/* levels.c: writes the functions once for each level of x86-64, and functions that select
 * one. */
cot_status cg_c_write_levels(cg_c_text *t, int n, const cg_c_width *w, ir_buf *all);

/* emit.c: writes each kernel as a static function, and kernel 0 as the public function;
 * inner: as a static one, too.  fixed: the functions that are called at some sizes. */
void cg_c_function(cg_c_text *t, const cg_natural *fn, bool inner, const char *const *fixed);
/* failing.c: for each kernel, can it return a status? */
const bool *cg_c_find_failing(cg_c_text *t, const cg_module *m);
/* fixed.c: the same, and the bodies of fn for some sizes before it. */
void cg_c_module(cg_c_text *t, const cg_natural *fn);

#endif
