/* Turns a while with a known number of steps into a scan of that length.
 *
 * The pass recognises `for (i = a; i < n; i += s)` in any form: the predicate compares one
 * carry with a constant (lt, le, gt, ge or ne, on either side); the initial value of the carry
 * is constant, and each step adds or subtracts a constant.  Constants may be inside of the loop
 * or outside.  The counter must not wrap before the loop ends, and a bound on the steps must
 * not be exceeded; otherwise the loop is unchanged.
 *
 * Reverse mode then saves the values that it needs once for each step, instead of running
 * forward again from checkpoints (rules/while_transpose.c).  It applies this pass by itself to
 * loops whose carries, or the saved values, stay below COUNT_BYTES for all steps; the pass by
 * name rewrites all loops.
 *
 * Wants: nothing.  Gives: the same function, bit for bit; the same operations in the same
 * order.  Source: A. V. Aho et al., Compilers, 2nd ed., section 9.6 (induction variables). */
#include "passes/engine.h"
#include "passes/rules/flow.h"

#define COUNT_BYTES ((int64_t)1 << 26)

typedef struct loop_counter {
    int carry;
    ir_op compare; /* with the carry as its left operand */
    int64_t start, limit, step;
    cot_dtype dtype;
} loop_counter;

/* The integer value of a constant of a graph. */
static bool
constant_of(const ir_graph *g, ir_ref v, int64_t *x)
{
    const ir_node *n = ir_def(g, v);
    const ir_type *t = ir_type_at(g, v);
    const void *p = n && n->op == OP_constant ? n->at->constant.data.bytes : NULL;

    if (!p || t->rank != 0)
        return false;
    switch (t->dtype) {
    case COT_I8: *x = *(const int8_t *)p; return true;
    case COT_I16: *x = *(const int16_t *)p; return true;
    case COT_I32: *x = *(const int32_t *)p; return true;
    case COT_I64: *x = *(const int64_t *)p; return true;
    case COT_U8: *x = *(const uint8_t *)p; return true;
    case COT_U16: *x = *(const uint16_t *)p; return true;
    case COT_U32: *x = *(const uint32_t *)p; return true;
    default: return false;
    }
}

/* The same for a value of the graph that is being built. */
static bool
constant_in(const ir_build *b, ir_ref v, int64_t *x)
{
    const ir_graph g = { .node = b->node, .value = b->value };

    return constant_of(&g, v, x);
}

/* The value of a constant in a sub-function of the loop, or of an operand that is constant and
 * that the loop does not change. */
static bool
number_in(const ir_build *b, const ir_node *n, const ir_graph *g, const ir_ref *in, ir_ref v,
          int64_t *x)
{
    const ir_graph *body = n->at->loop.body;
    int consts = (int)n->at->loop.consts;

    if (constant_of(g, v, x))
        return true;
    for (int i = 0; i < g->n_in; i++)
        if (g->in[i] == v)
            return (i < consts || body->out[i - consts] == body->in[i]) &&
                   constant_in(b, in[i], x);
    return false;
}

static ir_op
swapped_comparison(ir_op op)
{
    switch (op) {
    case OP_lt: return OP_gt;
    case OP_le: return OP_ge;
    case OP_gt: return OP_lt;
    case OP_ge: return OP_le;
    default: return op;
    }
}

static int
carry_of(const ir_node *n, const ir_graph *g, ir_ref v)
{
    for (int i = (int)n->at->loop.consts; i < g->n_in; i++)
        if (g->in[i] == v)
            return i - (int)n->at->loop.consts;
    return -1;
}

/* The step of the counter: is body->out[carry] the carry plus or minus a constant? */
static bool
find_step(const ir_build *b, const ir_node *n, const ir_ref *in, loop_counter *c)
{
    const ir_graph *f = n->at->loop.body;
    ir_ref i = f->in[n->at->loop.consts + c->carry];
    const ir_node *add = ir_def(f, f->out[c->carry]);

    if (!add || (add->op != OP_add && add->op != OP_sub))
        return false;
    if (add->in[0] == i && number_in(b, n, f, in, add->in[1], &c->step)) {
        c->step = add->op == OP_sub ? -c->step : c->step;
        return true;
    }
    return add->op == OP_add && add->in[1] == i && number_in(b, n, f, in, add->in[0], &c->step);
}

static bool
find_counter(const ir_build *b, const ir_node *n, const ir_ref *in, loop_counter *c)
{
    const ir_graph *g = n->at->loop.cond;
    const ir_node *p = ir_def(g, g->out[0]);

    if (!p || p->n_in != 2 || ir_type_at(g, g->out[0])->rank != 0)
        return false;
    for (int side = 0; side < 2; side++) {
        c->carry = carry_of(n, g, p->in[side]);
        c->compare = side == 0 ? (ir_op)p->op : swapped_comparison((ir_op)p->op);
        c->dtype = ir_type_at(g, p->in[0])->dtype;
        if (c->carry >= 0 && number_in(b, n, g, in, p->in[1 - side], &c->limit) &&
            constant_in(b, in[n->at->loop.consts + c->carry], &c->start) &&
            find_step(b, n, in, c))
            return true;
    }
    return false;
}

/* Is the size of x below 2^61, so that sums do not overflow? */
static bool
small(int64_t x)
{
    return x > -((int64_t)1 << 61) && x < (int64_t)1 << 61;
}

/* The number of steps; -1: not known, or the counter wraps. */
static int64_t
trips_of(const loop_counter *c)
{
    int64_t gap = c->limit - c->start, s = c->step, trips;
    int bits = ir_bits(c->dtype);
    bool sign = ir_is_signed(c->dtype);
    int64_t most = bits >= 62 ? INT64_MAX / 4 : ((int64_t)1 << (sign ? bits - 1 : bits)) - 1;
    int64_t least = !sign ? 0 : -most - 1;

    if (!small(c->limit) || !small(c->start) || !small(s))
        return -1;
    switch (c->compare) {
    case OP_lt: trips = gap <= 0 ? 0 : s > 0 ? (gap - 1) / s + 1 : -1; break;
    case OP_le: trips = gap < 0 ? 0 : s > 0 ? gap / s + 1 : -1; break;
    case OP_gt: trips = gap >= 0 ? 0 : s < 0 ? (gap + 1) / s + 1 : -1; break;
    case OP_ge: trips = gap > 0 ? 0 : s < 0 ? gap / s + 1 : -1; break;
    case OP_ne: trips = gap == 0 ? 0 : s != 0 && gap % s == 0 ? gap / s : -1; break;
    default: return -1;
    }
    if (trips <= 0)
        return trips == 0 ? 0 : -1;
    int64_t end;
    if (__builtin_mul_overflow(trips, s, &end) || !small(end))
        return -1;
    end += c->start;
    return end < least || end > most ? -1 : trips;
}

/* The number of steps of the while n on operands `in`, if it is known; otherwise -1. */
static int64_t
trips_at(const ir_build *b, const ir_node *n, const ir_ref *in)
{
    loop_counter c;
    int64_t trips = find_counter(b, n, in, &c) ? trips_of(&c) : -1;

    return n->at->loop.max > 0 && trips > n->at->loop.max ? -1 : trips;
}

/* The bytes of the outputs from `first` on that are in `which`; NULL: of all. */
static int64_t
bytes_of(const ir_graph *f, int first, const bool *which)
{
    int64_t bytes = 0;

    for (int j = first; j < f->n_out; j++)
        if (!which || which[j])
            bytes += ir_type_at(f, f->out[j])->size *
                     (int64_t)cot_dtype_size(ir_type_at(f, f->out[j])->dtype);
    return bytes;
}

/* The bytes that reverse mode would save in a step of the body: values that its derivative with
 * respect to all carries and consts needs and that do not depend on consts alone.  A step that
 * writes an element of a long carry saves that element. -1: it has no derivative. */
static int64_t
saved_bytes(const ir_graph *body, int consts)
{
    ir_arena *a = body->arena;
    bool *active = IR_NEW_N(a, bool, body->n_in + 1), *has = IR_NEW_N(a, bool, body->n_out + 1);
    ir_graph *jvp = NULL, *known = NULL, *rest = NULL;
    int n_res = 0;

    for (int i = 0; i < body->n_in; i++)
        active[i] = ir_is_floating(body, body->in[i]);
    for (int j = 0; j < body->n_out; j++)
        has[j] = ir_is_floating(body, body->out[j]);
    cot_status status = pass_jvp_graph(body, active, has, &jvp);
    if (status == COT_OK) {
        bool *given = IR_NEW_N(a, bool, jvp->n_in + 1),
             *gives = IR_NEW_N(a, bool, jvp->n_out + 1);
        memset(given, true, (size_t)body->n_in * sizeof *given);
        status = pass_split(jvp, given, gives, &n_res, &known, &rest);
    }
    if (status != COT_OK) {
        cot_error_clear(body->ctx);
        return -1;
    }
    bool *moves = IR_NEW_N(a, bool, known->n_in + 1),
         *varies = IR_NEW_N(a, bool, known->n_out + 1);
    for (int i = consts; i < known->n_in; i++)
        moves[i] = true;
    pass_depends(a, known, moves, varies);
    return bytes_of(known, known->n_out - n_res, varies);
}

/* Is there memory for the values that `trips` steps save? */
static bool
has_room(const ir_node *n, int64_t trips, int64_t most)
{
    const ir_graph *body = n->at->loop.body;
    const int64_t each = most / (trips > 0 ? trips : 1);

    if (bytes_of(body, 0, NULL) <= each)
        return true;
    const int64_t saved = saved_bytes(body, (int)n->at->loop.consts);
    return saved >= 0 && saved <= each;
}

static void
count_loop(ir_build *b, const ir_node *n, const ir_attrs *at, const ir_ref *in, int64_t most,
           ir_ref *out)
{
    const int64_t trips = trips_at(b, n, in);

    if (trips < 0 || !has_room(n, trips, most)) {
        ir_add_node(b, OP_while, n->n_in, in, at, out);
        return;
    }
    ir_attrs scan = { .scan = { .consts = at->loop.consts,
                                .carries = n->n_out,
                                .length = trips,
                                .body = at->loop.body } };
    ir_add_node(b, OP_scan, n->n_in, in, &scan, out);
}

static cot_status count_small(const ir_graph *f, ir_graph **out);

static void
count_node(ir_build *b, const ir_node *n, const ir_ref *in, pass_simple *pass, int64_t most,
           ir_ref *out)
{
    ir_attrs at;

    if (ir_ops[n->op].flag != IR_FLOW) {
        ir_copy_node(b, n, in, out);
        return;
    }
    cot_status status = pass_rewrite_subs(b, n, pass, &at);
    if (status != COT_OK)
        b->status = status;
    else if (n->op == OP_while)
        count_loop(b, n, &at, in, most, out);
    else
        ir_add_node(b, (ir_op)n->op, n->n_in, in, &at, out);
}

static void
visit_all(ir_build *b, const ir_graph *f, const ir_node *n, const ir_ref *env, const ir_ref *in,
          ir_ref *out)
{
    (void)f, (void)env;
    count_node(b, n, in, pass_while_to_scan, INT64_MAX, out);
}

static void
visit_small(ir_build *b, const ir_graph *f, const ir_node *n, const ir_ref *env,
            const ir_ref *in, ir_ref *out)
{
    (void)f, (void)env;
    count_node(b, n, in, count_small, COUNT_BYTES, out);
}

static cot_status
count_small(const ir_graph *f, ir_graph **out)
{
    return pass_rewrite(f, "while_to_scan", visit_small, out);
}

cot_status
pass_while_to_scan(const ir_graph *f, ir_graph **out)
{
    return pass_rewrite(f, "while_to_scan", visit_all, out);
}

cot_status
pass_while_to_scan_for_reverse(const ir_graph *f, const ir_graph **out)
{
    ir_graph *g = NULL;

    *out = f;
    if (!f->whiles)
        return COT_OK;
    COT_TRY(count_small(f, &g));
    *out = g;
    return COT_OK;
}
