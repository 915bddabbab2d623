/* From the tree to graphs: what the rules of ops.def may use.
 *
 * A function becomes a graph, a region becomes a sub-function: a closed graph whose captures
 * are its first inputs.  Each is built in a trace of its own, so that rules may call the public
 * ops too.  A rule finds its operands in e->in and puts its results in e->out; a result left
 * IR_NONE is a failure that is recorded. */
#ifndef FRONTEND_STABLEHLO_EMIT_H
#define FRONTEND_STABLEHLO_EMIT_H

#include "cotrace/custom.h"
#include "cotrace/stablehlo.h"
#include "frontend/stablehlo/import/import.h"
#include "frontend/stablehlo/read/tree.h"
#include "frontend/trace.h"

/* A function of the module: what it is for each list of argument types. */
typedef struct hlo_func {
    const hlo_op *op;
    const char *name;
    bool busy;   /* it is being built: a call of it now is a recursion */
    int checks;  /* 0: not known, 1: it has expectations to check, 2: it has none */
    int open;    /* likewise: sizes inside are open */
    const cot_custom *custom;
    uint32_t n, cap;
    struct hlo_variant {
        int n_types;
        const ir_type *const *type;
        ir_graph *graph;
    } *variant;
} hlo_func;

/* The values of a tuple, some of which may be tuples. */
typedef struct hlo_tuple {
    int n;
    const struct hlo_item {
        ir_ref ref;
        const struct hlo_tuple *tuple;
    } *item;
} hlo_tuple;
typedef struct hlo_item hlo_item;

typedef struct hlo_flow hlo_flow; /* select.c */
typedef struct hlo_import {
    cot_context *ctx;
    ir_arena *a;
    hlo_reader *r;
    hlo_module *m;
    const cot_import_options *o;
    ir_ref *env; /* by value, in the graph that is being built */
    const hlo_tuple **tuple; /* by value; NULL: there are none */
    hlo_func *func;
    ir_map funcs, rows;
    fe_hlo_checks *checks; /* NULL: expectations are left out */
    hlo_flow *flow; /* NULL: no select has asked for it */
    int depth, n_inlined;
    bool ieee; /* the function at hand has selects without a guard */
    bool open; /* sizes of the entry's arguments are not in the text */
    ir_ints sizes; /* what the first arguments of the entry, integers, always are */
} hlo_import;

struct hlo_row;
typedef struct hlo_emit {
    hlo_import *h;
    cot_trace *t;
    ir_build *b;
    const hlo_op *op;
    const struct hlo_row *row;
    bool main; /* the entry, or what is inlined in it: results of checks are its results */
    int n_in, n_out;
    const ir_ref *in;
    ir_ref *out;
    /* all operands of a custom call, those of `shaped` too: the sizes of result i */
    const ir_ref *given;
    ir_ints shaped;
} hlo_emit;

typedef void fe_hlo_rule(hlo_emit *e);
typedef struct hlo_row {
    const char *name;
    fe_hlo_rule *rule;
    const char *op; /* of ours, by name, where the rule wants one */
    int n_in;       /* -1: any number */
} hlo_row;
/* Are the op's results elements of its operands, or given by its bodies? */
bool fe_hlo_moves(const hlo_row *row);
const hlo_row *fe_hlo_row(hlo_import *h, const char *name); /* NULL: none */

/* Errors: file:line:column: op: text. */
void fe_hlo_fail(hlo_emit *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline bool
fe_hlo_bad(const hlo_emit *e)
{
    return e->b->status != COT_OK || e->b->ctx->status != COT_OK;
}

/* Where the program that was lowered to the text has the op, or where the text has it. */
ir_loc fe_hlo_location(const hlo_import *h, const hlo_op *op);

/* Attributes: by the name in the generic form, or in the pretty one. */
const hlo_attr *fe_hlo_find(const hlo_op *op, const char *name, const char *pretty);
/* A list of integers, however it is written; absent: n times x, or an error where n < 0. */
bool fe_hlo_ints(hlo_emit *e, const char *name, const char *pretty, int n, int64_t x,
                 ir_ints *out);
/* an error if it is not there */
bool fe_hlo_int(hlo_emit *e, const char *name, const char *pretty, int64_t *x);
int64_t fe_hlo_int_or(const hlo_emit *e, const char *name, int64_t x);
bool fe_hlo_flag(const hlo_emit *e, const char *name, bool absent);
/* The enumerator: LT of LT, "LT" and #stablehlo<comparison_direction LT>; empty if it is not
 * there. */
hlo_span fe_hlo_enum(const hlo_emit *e, const char *name, const char *pretty);
/* #stablehlo.gather<key = value, ...> as an op with these attributes, for the functions
 * above. */
bool fe_hlo_record(hlo_emit *e, const char *name, hlo_op *out);
bool fe_hlo_axes(hlo_emit *e, ir_ints list, int rank, ir_axes *out);

static inline const ir_type *
fe_hlo_in_type(const hlo_emit *e, int i)
{
    return ir_btype(e->b, e->in[i]);
}
/* As the text has it; NULL, the error recorded, where it is none of ours. */
const hlo_type *fe_hlo_declared(hlo_emit *e, int i);
/* The same where no size is open, or an operand says all sizes. */
const ir_type *fe_hlo_out_type(hlo_emit *e, int i);
/* The elements of a constant integer value (a shape); false, the error recorded, if it is not
 * constant. */
bool fe_hlo_known(hlo_emit *e, ir_ref v, const char *what, ir_ints *out);

/* x as a value of the small type that its own type stands for; the bits that count, of
 * integers. */
ir_ref fe_hlo_narrow(ir_build *b, const hlo_small *s, ir_ref x);
ir_ref fe_hlo_low_bits(ir_build *b, const hlo_small *s, ir_ref x);
/* The bits of x's elements as u8, in the low bits, and back. */
ir_ref fe_hlo_bits_of_small(ir_build *b, const hlo_small *s, ir_ref x);
ir_ref fe_hlo_small_of_bits(ir_build *b, const hlo_small *s, ir_ref i);
/* A float clamped to the range of a small integer type; unchanged where the small type is a
 * float. */
ir_ref fe_hlo_saturated(ir_build *b, const hlo_small *s, ir_ref x);
/* The small type of operand i, or NULL. */
static inline const hlo_small *
fe_hlo_small_in(const hlo_emit *e, int i)
{
    return e->h->m->value[e->op->in[i]].type->small;
}
ir_ref fe_hlo_op(hlo_emit *e, const char *op, int n, const ir_ref *in);
cot_value fe_hlo_handle(hlo_emit *e, ir_ref v);
ir_ref fe_hlo_ref(hlo_emit *e, cot_value v);
cot_place fe_hlo_place(const hlo_emit *e);

/* Values from outside that regions capture: their numbers, and what they are outside. */
typedef struct hlo_captures {
    int n;
    const uint32_t *value;
    const ir_ref *ref;
    const ir_type *const *type;
} hlo_captures;
/* Those of several regions of one op; small constants are made anew in each. */
hlo_captures fe_hlo_captures(hlo_emit *e, int n, hlo_region *const *region);
/* Inputs: the captures, then the arguments. */
ir_graph *fe_hlo_region(hlo_emit *e, const hlo_region *r, const hlo_captures *c,
                        const char *what, int n_args, const ir_type *const *arg);
/* Region i of the op at hand, which takes n scalars and captures nothing. */
ir_graph *fe_hlo_body(hlo_emit *e, int i, int n_args, const ir_type *const *arg);
/* With its calls inside copied; NULL where that would be out of all proportion. */
ir_graph *fe_hlo_flat(hlo_emit *e, ir_graph *g);
void fe_hlo_call(hlo_emit *e, ir_graph *g, const ir_ref *in, ir_ref *out);
hlo_func *fe_hlo_func(hlo_import *h, hlo_span name);
ir_graph *fe_hlo_function(hlo_import *h, hlo_func *f, int n, const ir_type *const *type,
                          const char *at);
/* g with a stop_gradient on what only shifts (shift.c); NULL after an error. */
ir_graph *fe_hlo_shifts(hlo_import *h, ir_graph *g);
/* Binds the derivative rules that the user gave: calls of their functions become calls of
 * custom functions. */
bool fe_hlo_bind_rules(hlo_import *h);
/* The operands of `last`, with tuples replaced by their values; returns their number. */
int fe_hlo_returned(hlo_import *h, const hlo_op *last, ir_ref **out);
/* The operands of the op at hand likewise, in e->in; false, the error recorded, if one is
 * none. */
bool fe_hlo_spread_operands(hlo_emit *e);
/* The types of a region's arguments likewise; how many a type is; these values as arguments. */
int fe_hlo_arguments(hlo_import *h, const hlo_region *r, const hlo_type *const **out);
int fe_hlo_leaves(const hlo_type *t);
void fe_hlo_enter(hlo_import *h, const hlo_region *r, const ir_ref *from);
/* The same backwards: how many values are the results of the op, and these to them. */
int fe_hlo_count_results(const hlo_emit *e);
void fe_hlo_distribute(hlo_emit *e, const ir_ref *from);
/* The ops of f, in the graph at hand. */
void fe_hlo_inline(hlo_emit *e, hlo_func *f);

#endif
