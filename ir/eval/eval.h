/* The reference evaluator, inside: a function for each op that is not pointwise, with plain
 * loops over dense arrays in the orders of docs/numerics.md.  The driver runs pointwise ops as
 * scalar programs, in strips.
 *
 * An op that computes widens f16 and bf16 operands to f32 first and rounds its results once at
 * the end; ops that only move elements need to know only their width. */
#ifndef IR_EVAL_EVAL_H
#define IR_EVAL_EVAL_H

#include "ir/graph.h"

/* The memory of one evaluation: blocks that go back to a list when their value is dead, so that
 * a loop of any length stays as small as one step. */
typedef struct eval_mem eval_mem;

/* One node: also for constants folded by the builder, so it need not be in a graph.  in[i] and
 * out[i] are dense row-major arrays of in_type[i], out_type[i]; bool is one byte. */
typedef struct ir_eval_args {
    cot_context *ctx;
    ir_arena *scratch;                  /* emptied after each op without sub-functions */
    ir_loc loc;
    ir_op op;
    const ir_attrs *at;
    int n_in, n_out;
    const ir_type *const *in_type, *const *out_type;
    const void *const *in;
    void *const *out;
    eval_mem *mem;                      /* for ops with sub-functions; NULL when folding */
} ir_eval_args;

/* eval_<column>, for rows that are neither POINTWISE nor EXPAND; those have eval_expand
 * (../expand.c). */
typedef cot_status eval_rule(const ir_eval_args *a);

#define EVAL_RULE_POINTWISE(rule)
#define EVAL_RULE_EXPAND(rule)
#define EVAL_RULE_MOVE(rule)                          eval_rule eval_##rule;
#define EVAL_RULE_REDUCE(rule)                        eval_rule eval_##rule;
#define EVAL_RULE_CONTRACT(rule)                      eval_rule eval_##rule;
#define EVAL_RULE_LINE(rule)                          eval_rule eval_##rule;
#define EVAL_RULE_INDEX(rule)                         eval_rule eval_##rule;
#define EVAL_RULE_COLLECTIVE(rule)                    eval_rule eval_##rule;
#define EVAL_RULE_FLOW(rule)                          eval_rule eval_##rule;
#define EVAL_RULE_EFFECT(rule)                        eval_rule eval_##rule;
#define OP(name, n_in, attrs, flag, infer, eval, ...) EVAL_RULE_##flag(eval)
#include "ir/ops.def"
#undef OP
eval_rule eval_expand;

/* dot.c: the general form, p [rows, k] and q [columns, k] of a compute type to out [rows,
 * columns]. */
void eval_products(cot_dtype t, int64_t rows, int64_t columns, int64_t k, const void *p,
                   const void *q, void *out);

cot_status ir_eval_node(const ir_eval_args *a);

/* For ops with sub-functions.  Blocks are not cleared. */
void *eval_take(eval_mem *m, size_t bytes);
void eval_drop(eval_mem *m, void *p, size_t bytes);
ir_arena *eval_scratch(eval_mem *m);
cot_status eval_graph(eval_mem *m, const ir_graph *f, void *const *out, const void *const *in);

/* writes.c: clones, which can be written, and their views, in one run of a graph whose arrays
 * are val.  The driver calls `before` ahead of every read of a value, and `after` when a node
 * has run. */
typedef struct eval_views eval_views;
eval_views *eval_views_new(eval_mem *m, const ir_graph *f, const void **val);
void eval_views_read(eval_views *w, ir_ref v);
cot_status eval_views_note(eval_views *w, const ir_node *n);
void eval_views_end(eval_views *w);

/* For rules.  Copy a box of elements of `width` bytes; steps are in elements, and may be 0
 * (repeat) or negative. */
void eval_copy(size_t width, int rank, const int64_t *dims, void *to, const int64_t *to_step,
               const void *from, const int64_t *from_step);
void eval_fill(size_t width, int64_t n, void *to, const void *element);
/* x as an array of its compute type: itself, or f32 in the arena. */
const void *eval_widen(ir_arena *a, const ir_type *t, const void *x);
/* Where a result of type t is computed: out itself, or f32 in the arena that eval_narrow
 * rounds. */
void *eval_wide(ir_arena *a, const ir_type *t, void *out);
void eval_narrow(const ir_type *t, const void *wide, void *out);
/* Integer element i of x, as int64; above INT64_MAX it is INT64_MAX. */
int64_t eval_index(cot_dtype t, const void *x, int64_t i);

static inline size_t
eval_bytes(const ir_type *t)
{
    return cot_dtype_size(t->dtype) * (size_t)t->size;
}

/* memcpy; the arrays of no bytes may be NULL. */
static inline void
eval_put(void *to, const void *from, size_t bytes)
{
    if (bytes)
        memcpy(to, from, bytes);
}

/* The types that arithmetic is done in.  X(dtype, C type, is floating) */
#define EVAL_INTS(X)                                                                           \
    X(COT_I8, int8_t, 0)                                                                       \
    X(COT_I16, int16_t, 0) X(COT_I32, int32_t, 0) X(COT_I64, int64_t, 0) X(COT_U8, uint8_t, 0) \
        X(COT_U16, uint16_t, 0) X(COT_U32, uint32_t, 0) X(COT_U64, uint64_t, 0)
#define EVAL_NUMBERS(X) EVAL_INTS(X) X(COT_F32, float, 1) X(COT_F64, double, 1)

/* Modulo 2^n in any integer type. */
#define EVAL_ADD_INT(T, x, y) ((T)((uint64_t)(x) + (uint64_t)(y)))
#define EVAL_MUL_INT(T, x, y) ((T)((uint64_t)(x) * (uint64_t)(y)))
/* NaN wins, -0 is below +0.  <math.h> is the user's. */
#define EVAL_MAX_INT(x, y) ((x) > (y) ? (x) : (y))
#define EVAL_MIN_INT(x, y) ((x) < (y) ? (x) : (y))
#define EVAL_MAX_FLOAT(x, y)                                                                   \
    ((x) != (x)   ? (x)                                                                        \
     : (y) != (y) ? (y)                                                                        \
     : (x) == (y) ? (signbit(x) ? (y) : (x))                                                   \
                  : EVAL_MAX_INT(x, y))
#define EVAL_MIN_FLOAT(x, y)                                                                   \
    ((x) != (x)   ? (x)                                                                        \
     : (y) != (y) ? (y)                                                                        \
     : (x) == (y) ? (signbit(x) ? (x) : (y))                                                   \
                  : EVAL_MIN_INT(x, y))

#endif
