/* The C emitter, inside: kernels as C11 with vector extensions.
 *
 * The text of a file is in three parts: what does not depend on the width (`common`: functions
 * of scalars, tables), and for each width its vector types and functions (`head`) and the
 * kernels (`body`).  An instruction is C's operator where that means the same to the last bit,
 * else a call of a small function (`max_f32x8`), made when it is first needed.
 *
 * A value has a copy for each iteration of the unroll loops that it varies over.  A vector loop
 * of more lanes than a register holds is copies of vectors, and without vectors it is copies of
 * scalars: so no vector is wider than the machine's, and scalar code is nothing special.  A
 * BOOL with lanes is a vector of i32, 0 or -1. */
#ifndef CODEGEN_C_C_H
#define CODEGEN_C_C_H

#include "codegen/backend.h"

typedef struct cg_c_names {
    ir_map map;
    struct cg_c_name *name;
    uint32_t n, cap;
} cg_c_names;

/* A kernel's function in the body of a width: it begins at `at`; what calls none can stand
 * before all widths. */
typedef struct cg_c_piece {
    uint32_t at, n;
    bool calls;
} cg_c_piece;

/* How the caller sees a function: its parameters and what to call it with, but for work. */
typedef struct cg_c_entry {
    const char *params, *args;
} cg_c_entry;

typedef struct cg_c_text {
    cot_context *ctx;
    ir_arena *arena;
    ir_buf tables, common, head, body;
    cg_c_names shared, own; /* the names of what common, and head and body, have */
    cg_c_names constants; /* and the tables, which all levels share */
    cg_c_piece *piece;
    uint32_t n_pieces, cap_pieces;
    const ir_sc_program **slow_path;
    uint32_t n_slow_paths, cap_slow_paths;
    int n_fn;
    const cg_natural *fn; /* the functions of the file */
    /* of each: it is called as a function of the file's own, which takes another name */
    const bool *renamed;
    cg_c_entry *entry; /* of each, where there is text for several processors; or NULL */
    int bits; /* of a vector; 32: there are none */
    bool in_process, trapping_math;
    cot_status status;
} cg_c_text;

/* text.c: names, types, constants.  Is the name new?  It is not afterwards. */
bool cg_c_new_name(cg_c_text *t, cg_c_names *in, const char *name);
bool cg_c_has_name(const cg_c_names *in, const char *name);
/* The C type of a value with lanes ("f32x8"), made if it is new. */
const char *cg_c_type(cg_c_text *t, cot_dtype type, int lanes);
const char *cg_c_unsigned(cot_dtype type);
/* A constant as an expression. */
const char *cg_c_constant(cg_c_text *t, cot_dtype type, uint64_t bits);
/* "{ pattern(0), pattern(1), ... }": every '#' of the pattern becomes the lane. */
const char *cg_c_lanes_text(cg_c_text *t, int lanes, const char *pattern);
/* A name that C takes, unlike all of `in`; it is added. */
const char *cg_c_unique(cg_c_text *t, cg_c_names *in, const char *name);
cot_dtype cg_c_result_type(ir_sc_op op, cot_dtype type);
cot_dtype cg_c_operand_type(ir_sc_op op, cot_dtype type, cot_dtype from, int i);

/* Is the text more than one term?  Is it a name? */
bool cg_c_is_compound(const char *s);
bool cg_c_is_name(const char *s);
/* inline.c: a text without brackets around all of it; likewise if it is a sum of products, for
 * a term of another sum. */
const char *cg_c_bare(cg_c_text *t, const char *s);
const char *cg_c_bare_term(cg_c_text *t, const char *s);

/* scalar.c: an instruction applied to operands, all scalars or all of the lanes: an expression
 * that stands alone. */
const char *cg_c_apply(cg_c_text *t, ir_sc_op op, cot_dtype type, cot_dtype from, int lanes,
                       const char *const *x);
/* -x of a scalar that gcc may see as an fma, made by `from`: it takes -fma(x, y, z) for fma(-x,
 * y, -z), whose zeros have the other sign.  NULL: -x will do. */
const char *cg_c_careful_neg(cg_c_text *t, int from, cot_dtype type, const char *x);
/* The name of the function for an instruction on scalars. */
const char *cg_c_scalar(cg_c_text *t, ir_sc_op op, cot_dtype type, cot_dtype from);
const char *cg_c_table(cg_c_text *t, const ir_sc_table *table);
/* Elements that all functions and widths share: the name of their array. */
const char *cg_c_data(cg_c_text *t, cot_dtype type, const void *data, int64_t n);
/* A program as a function of scalars, made once. */
const char *cg_c_slow_path(cg_c_text *t, const ir_sc_program *p);

/* soft.c: texts of functions that no operator of C has. */
extern const char cg_c_trapping_text[], cg_c_preamble[], cg_c_target_text[], cg_c_half_text[],
    cg_c_root_text[];
/* fma.c: fma_f32 and fma_f64, and what vectors need for theirs. */
void cg_c_add_fma(cg_c_text *t);

/* vector.c: the name of the function for an instruction on vectors. */
const char *cg_c_vector(cg_c_text *t, ir_sc_op op, cot_dtype type, cot_dtype from, int lanes);
/* x86.c: lines that keep a vector of so many bytes in its register, where the target has one;
 * whether clang's too. */
const char *cg_c_hold(cg_c_text *t, int bytes, const char *name, bool clang);
/* The name of a macro: clang makes a variable before what follows, and that after it. */
const char *cg_c_settled(cg_c_text *t);
/* vector.c: f(sum, x, y): sum + SC_pairs of x and y. */
const char *cg_c_sum_pairs(cg_c_text *t, cot_dtype type, int lanes);
/* select.c: f(a, b, y, z): y where a < b, or what comparison it is of two of `from`, which have
 * the width of a T, else z. */
const char *cg_c_pick(cg_c_text *t, ir_sc_op op, cot_dtype type, cot_dtype from, int lanes);
/* f(x, y): x if it is less than y (SC_min), or larger (SC_max), else y. */
const char *cg_c_limit(cg_c_text *t, ir_sc_op op, cot_dtype type, int lanes);
/* lanes.c: a scalar in all lanes. */
const char *cg_c_splat(cg_c_text *t, cot_dtype type, int lanes);
/* x, x + step, ... of i64's, as I64 or I32. */
const char *cg_c_ramp(cg_c_text *t, cot_dtype type, int lanes);
/* The fold of the lanes by halves; whether any lane of a BOOL holds; f(n, first): first + lane
 * < n, or <= n, of i64's, which does not wrap. */
const char *cg_c_fold(cg_c_text *t, ir_sc_op op, cot_dtype type, int lanes);
const char *cg_c_any(cg_c_text *t, int lanes);
const char *cg_c_below(cg_c_text *t, int lanes, bool equal);
const char *cg_c_table_vector(cg_c_text *t, const ir_sc_table *table, int lanes);
const char *cg_c_slow_path_vector(cg_c_text *t, const ir_sc_program *p, int lanes);

/* How a vector meets memory: element after element; a constant apart; where an i64 or,
 * of indices of 32 bits, an i32 says. */
typedef enum cg_c_shape { CG_C_DENSE, CG_C_BACK, CG_C_STEP, CG_C_AT, CG_C_AT32 } cg_c_shape;
/* the first n lanes; a BOOL */
typedef enum cg_c_when { CG_C_ALWAYS, CG_C_PART, CG_C_MASK } cg_c_when;
/* type load(const T *p, [step or index], [n or mask]); void store(T *p, [..], value, [..]). */
const char *cg_c_load(cg_c_text *t, cot_dtype type, int lanes, cg_c_shape s, cg_c_when w);
/* x, an element that is read for a lane, as it stands among others that lie apart. */
const char *cg_c_alone(cg_c_text *t, cot_dtype type, int lane, const char *x);
/* load(p) of a vector that stays in its register, used many times as it is. */
const char *cg_c_load_held(cg_c_text *t, cot_dtype type, int lanes);
const char *cg_c_store(cg_c_text *t, cot_dtype type, int lanes, cg_c_shape s, cg_c_when w);

/* rows.c: x reversed; load(p) of p[0], p[2], ..., or of p[0], p[-2], ...; a store of n
 * whole vectors past the caches, or NULL for n > 1;
 * store(p, x0, x1, ...) of n rows as columns; transpose(r) of `lanes` vectors in place.  None
 * for BOOL. */
const char *cg_c_reversed(cg_c_text *t, cot_dtype type, int lanes, const char *x);
const char *cg_c_load_every_other(cg_c_text *t, cot_dtype type, int lanes, bool back);
/* load(p) of p[0], p[2], ..., where another one is of p[1], p[3], ..., or, second, the other
 * way round: both read the same vectors. */
const char *cg_c_load_of_pairs(cg_c_text *t, cot_dtype type, int lanes, bool second);
const char *cg_c_stream(cg_c_text *t, cot_dtype type, int lanes, int n);
const char *cg_c_store_rows(cg_c_text *t, cot_dtype type, int lanes, int n, bool stream);
const char *cg_c_transpose(cg_c_text *t, cot_dtype type, int lanes);

/* own_names.c: is the name one of the texts' that any file may have? */
bool cg_c_is_fixed(const char *name);
void cg_c_begin_width(cg_c_text *t, int bits);
cot_status cg_c_check_foreign(cg_c_text *t, const cg_module *m);
/* levels.c: the functions for each level of x86-64, and those that choose. */
cot_status cg_c_write_levels(cg_c_text *t, int n, const cg_c_width *w, ir_buf *all);

/* emit.c: a kernel as a static function; kernel 0 as the function itself. */
void cg_c_module(cg_c_text *t, const cg_natural *fn);

#endif
