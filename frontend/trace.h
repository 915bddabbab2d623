/* Traces, inside: how a handle becomes an operand, and how an op on handles is made.
 *
 * An open trace wraps a builder.  The context knows the innermost one, which every op goes to;
 * an operand of an enclosing trace becomes an input of each trace between, appended at the
 * first touch. Allocation failures are caught at each op, so that no jump crosses a body. */
#ifndef FRONTEND_TRACE_H
#define FRONTEND_TRACE_H

#include "cotrace/index.h"
#include "ir/build.h"

/* What a handle stands for.  Equal nodes are shared, so that one IR value may serve many
 * handles; a write tells them apart, by giving its handle a clone. */
typedef struct fe_slot {
    ir_ref ref;
    uint32_t base; /* the slot that it is a view of, or 0 */
    bool captured; /* stands for a value of a trace further out */
    /* in a body of control flow: the slot of the trace around that it stands for */
    uint32_t from;
    ir_loc written;
} fe_slot;

struct cot_trace {
    cot_context *ctx;
    ir_build *b;
    cot_trace *below; /* the innermost open trace when this one began       */
    cot_trace *before; /* that of this thread, of any context                */
    cot_trace *earlier; /* begun just before this one, open or ended          */
    cot_trace *outer; /* where captures come from: below, or NULL: nowhere  */
    cot_value *in;    /* handles of the arguments                           */
    ir_loc loc;       /* of the function                                    */
    const ir_around *around; /* what it is inside */
    uint32_t serial;
    int depth; /* of the stack of open traces                        */
    bool open;
    bool flow; /* a body of control flow: what it writes of the trace around is passed out  */
    uint32_t n_captured, cap_captured, n_input, cap_input;
    uint32_t n_hidden; /* inputs that the runtime supplies: of a trace with no outer one */
    ir_ref key;        /* the input that random numbers come from; IR_NONE until one is drawn */
    uint64_t draws;    /* so far: the next draw's number, part of its key */
    ir_ref *captured, *input; /* values of outer, and the inputs that stand for them */
    /* for each of them: the slot of outer, if a slot adopted it */
    uint32_t n_from, cap_from, *from;
    /* slots that stand for slots of outer, in order */
    uint32_t n_adopted, cap_adopted, *adopted;
    uint32_t n_slot, cap_slot;
    fe_slot *slot; /* by the id of a handle; entry 0 is none, the arguments come first */
};

/* A body to be traced as a sub-function of the open trace, or alone. */
typedef struct fe_source {
    const char *name;
    cot_body *body;
    void *user;
    ir_loc loc;
    int n_in, n_out;
    const ir_type *const *type;
    bool alone;                                   /* nothing may be captured */
    const char *const *in_name, *const *out_name; /* or NULL */
    const struct cot_fn *fn; /* whose optional arguments the body reads, or NULL */
    bool inout;              /* written arguments are in/out, else local */
    bool flow; /* a body of control flow: what it writes of outside are its last results */
    const char *counted; /* what says how many results it has, or NULL: its function */
} fe_source;

/* Begin a trace with the inputs of s (in, or t->in where that is NULL, gets handles), end it
 * with the results out.  An ended trace leaves its graph, whose last inputs are t->captured.
 *  fe_trace_run does both around the body. */
cot_trace *fe_trace_begin(cot_context *ctx, const fe_source *s, cot_value *in);
cot_status fe_trace_end(cot_trace *t, const fe_source *s, const cot_value *out,
                        ir_graph **graph);
/* *graph and what it captured, in the arena of the graph. */
cot_status fe_trace_run(cot_context *ctx, const fe_source *s, ir_graph **graph,
                        cot_trace **trace);
/* Removes a trace that failed: no graph was made of it, and its handles belong to no trace. */
void fe_trace_forget(cot_trace *t);
/* End the traces above `below` that an error left open. */
void fe_trace_unwind(cot_context *ctx, const cot_trace *below);
/* The context of a handle: while a trace is open on this thread, that of the trace.  A handle
 * that was never set may hold anything, and what it points to is not looked at.  NULL for
 * NULL. */
cot_context *fe_context(cot_context *ctx);

/* The operand of t for a handle: its own value, or a capture; IR_NONE with the error recorded.
 */
ir_ref fe_resolve(cot_trace *t, cot_value v, const char *op, int i);
/* A new handle to v; a bad one for IR_NONE. */
cot_value fe_handle(cot_trace *t, ir_ref v);
/* The trace of a handle, open or ended; NULL for what is no handle of this context. */
const cot_trace *fe_trace_of(const cot_context *ctx, cot_value v);
/* The slot of a handle in t, for views and writes: of its own or, of a value from outside, a
 * new one; 0 with the error recorded. */
uint32_t fe_slot_of(cot_trace *t, cot_value v, const char *op);

/* random.c: the key of the next draw of t, in t; the input of t that stands for a hidden
 * input. */
ir_ref fe_next_key(cot_trace *t);
ir_ref fe_hidden_input(cot_trace *t, const ir_type *type, const char *name, ir_hidden hidden);
/* The input of t for a value of the trace around it. */
ir_ref fe_input_for(cot_trace *t, ir_ref outer, ir_hidden hidden);

/* An operand of an op: a value of the innermost trace, or a number. */
typedef struct fe_arg {
    ir_ref ref;
    cot_operand_kind kind;
    double real;
    int64_t integer;
} fe_arg;

/* Makes the nodes of an op from its operands and options, at b->loc. */
typedef ir_ref fe_rule(ir_build *b, const fe_arg *x, int n, const void *options);

/* move.c: the rules of ops that are views too. */
fe_rule fe_rule_slice, fe_rule_transpose, fe_rule_reverse, fe_rule_reshape,
    fe_rule_broadcast_to;

/* Run a rule in the innermost trace, at the user's line.  Operands: any; values only; none (t
 * says the context). */
cot_value fe_apply(cot_place at, const char *op, fe_rule *rule, int n, const cot_operand *x,
                   const void *options);
cot_value fe_apply_values(cot_place at, const char *op, fe_rule *rule, cot_values x,
                          const void *options);
cot_value fe_apply1(cot_place at, const char *op, fe_rule *rule, cot_value x,
                    const void *options);
cot_value fe_apply2(cot_place at, const char *op, fe_rule *rule, cot_value x, cot_value y,
                    const void *options);
cot_value fe_apply0(cot_place at, cot_trace *t, const char *op, fe_rule *rule,
                    const void *options);
/* The rule resolves its operands itself (fe_resolve): for lists of any length, and bodies. */
cot_value fe_apply_in(cot_context *ctx, cot_place at, const char *op, fe_rule *rule,
                      const void *options);
/* The innermost trace, made ready for nodes at the place; NULL, the error recorded, if none is
 * open. */
cot_trace *fe_current(cot_context *ctx, cot_place at, const char *op);

/* The caller's options, of the size its header knew, in the callee's record (zeroed before). */
void fe_options(void *to, size_t to_size, const void *from, size_t from_size);
#define FE_OPTIONS(type, name, from, size)                                                     \
    type name;                                                                                 \
    fe_options(&name, sizeof name, from, size)
/* cot_NAME_ of a rule called NAME, which reduces by cot_reduce_options. */
#define FE_REDUCTION(name)                                                                     \
    cot_value cot_##name##_(cot_place at, cot_value x, const cot_reduce_options *o,            \
                            size_t size)                                                       \
    {                                                                                          \
        FE_OPTIONS(cot_reduce_options, opt, o, size);                                          \
        return fe_apply1(at, #name, name, x, &opt);                                            \
    }

/* segment.c: the results of a scan in segments, of which reverse mode keeps the ends. */
const ir_ref *fe_segments(ir_build *b, const ir_attrs *scan, int64_t segments, int n_in,
                          const ir_ref *in);

/* The slots of the trace around that an ended body of control flow wrote to: its last results
 * are their new values, in this order.  Their number. */
uint32_t fe_written(const cot_trace *t, uint32_t *from);

/* mutate.c: y to what a handle, a slot shows, y of its type; a slot as one that can be written;
 * a handle of its own to what v holds now. */
void fe_write(ir_build *b, const char *op, cot_value dst, ir_ref y);
void fe_write_slot(ir_build *b, const char *op, uint32_t id, ir_ref y);
ir_ref fe_writable(cot_trace *t, uint32_t id);
/* Records a level around the traces that follow (ctx->around before the call is the state to
 * return to). */
void fe_around_push(cot_context *ctx, const char *how, ir_loc loc);
cot_value fe_local_copy(ir_build *b, cot_value v, const char *op, int i);

/* value.c: numbers, promotion, broadcasting. */

/* The element type that holds both; COT_DTYPE_NONE if none does. */
cot_dtype fe_promote(cot_dtype a, cot_dtype b);
/* Operands of one shape; those with data[i] (all if NULL) of one element type too. */
bool fe_unify(ir_build *b, const char *op, int n, const fe_arg *x, const bool *data,
              ir_ref *out);
/* A number as a constant of a type. */
ir_ref fe_number(ir_build *b, const char *op, const fe_arg *x, const ir_type *type);
ir_ref fe_broadcast_to(ir_build *b, const char *op, ir_ref x, int rank, const int64_t *shape);
/* An axis counted from the end if negative; -1, the error recorded, if out of range. */
int fe_axis(ir_build *b, const char *op, int64_t axis, int rank);
/* `.axes = 1` gives a list a length and no entries: an error.  False where it is recorded. */
typedef struct fe_named_list {
    const char *what;
    cot_list list;
} fe_named_list;
bool fe_lists(ir_build *b, const char *op, int n, const fe_named_list *lists);
/* A list of axes as a set; absent: which is the default.  False, the error recorded, if wrong.
 */
bool fe_axes(ir_build *b, const char *op, cot_list axes, int rank, ir_axes absent,
             ir_axes *out);
/* A list of rank integers; absent: each is the default. */
bool fe_ints(ir_build *b, const char *op, const char *what, cot_list list, int rank,
             int64_t absent, int64_t *out);
/* The entries of a list of any kind, held by it or not. */
#define FE_AT(list)                                                                            \
    (_Generic((list),                                                                          \
         cot_list: cot_list_entries,                                                           \
         cot_types: cot_types_entries,                                                         \
         cot_values: cot_values_entries,                                                       \
         cot_bodies: fe_bodies,                                                                \
         cot_ats: fe_ats)(&(list)))
cot_body *const *fe_bodies(const cot_bodies *bodies);
const cot_at *fe_ats(const cot_ats *ats);
/* A list of values whose entries cannot be read, since its count is below 0 or it points
 * nowhere, becomes one value that was never set, which is reported as such. */
void fe_readable(cot_values *list);
/* Is p not NULL?  If it is, an error at the line of the op on x. */
bool fe_present(cot_place at, cot_value x, const char *op, const void *p, const char *what);
static inline ir_ints
fe_list(const cot_list *list)
{
    return (ir_ints){ list->n, cot_list_entries(list) };
}

/* Arithmetic on values with broadcasting and promotion, for compositions. */
ir_ref fe_op2(ir_build *b, ir_op op, ir_ref x, ir_ref y);
/* Reduce over a set of axes; keep: they stay with size 1 (fe_keep: y was x reduced). */
ir_ref fe_keep(ir_build *b, ir_ref y, ir_ref x, ir_axes axes, bool keep);
ir_ref fe_reduce(ir_build *b, ir_op op, ir_ref x, ir_axes axes, bool keep);
/* y, reduced over axes, repeated along them to the shape of x. */
ir_ref fe_spread(ir_build *b, ir_ref y, ir_ref x, ir_axes axes);
/* Elements of x along an axis, at index vectors of x's rank and one axis more
 * (sugar/index.c). */
ir_ref fe_along(ir_build *b, ir_ref x, ir_ref vectors, int axis, ir_mode mode);
/* The places along an axis in the order of the keys, complex ones by their real, then imaginary
 * parts. */
ir_ref fe_argsort(ir_build *b, int n, const ir_ref *keys, int axis, cot_dtype place);
/* The places of the first `size` elements that are not 0, one row of indices each, `fill` in
 * rows that are left; all of them are *count (sugar/nonzero.c).  y in an element type that
 * holds it; the error recorded if none (move.c). */
ir_ref fe_places(ir_build *b, ir_ref x, int64_t size, int64_t fill, ir_ref *count);
ir_ref fe_convert_into(ir_build *b, const char *op, ir_ref y, cot_dtype to);
/* Integers in a type that holds them and the size, those below 0 counted from the end
 * (sugar/index.c). */
ir_ref fe_from_start(ir_build *b, ir_ref index, int64_t size);
/* Is an element type real and floating, does it have an order?  Else the error says so for
 * op. */
bool fe_is_float(ir_build *b, const char *op, const ir_type *t);
bool fe_is_ordered(ir_build *b, const char *op, const ir_type *t);
/* Does a weight broadcast to x, so that x keeps its shape? */
bool fe_type_fits(const ir_type *weight, const ir_type *x);
/* f16 and bf16 become f32, others stay; and back. */
ir_ref fe_widen(ir_build *b, ir_ref x);
ir_ref fe_narrow(ir_build *b, ir_ref x, cot_dtype to);

#endif
