/* Running sums, products, extrema; and what is made of them. */
#include "cotrace/order.h"

#include <math.h>
#include <string.h>

#include "frontend/trace.h"

enum { LOG_BLOCK = 32 }; /* a shorter cumulative logsumexp is one loop */

typedef struct cumulation {
    const char *title;
    ir_op op;
    int axis;
    cot_order_options o;
    int64_t size, fill;
} cumulation;

static int
axis_of(ir_build *b, const cumulation *r, ir_ref x)
{
    return x ? fe_axis(b, r->title, r->axis, ir_btype(b, x)->rank) : -1;
}

static ir_ref
cumulate(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const cumulation *r = options;
    const int axis = axis_of(b, r, x[0].ref);
    ir_ref y = x[0].ref;

    (void)n;
    if (axis < 0)
        return IR_NONE;
    if (ir_btype(b, y)->dtype == COT_BOOL)
        y = ir_convert(b, y, COT_I32);
    return ir_node1(b, r->op, 1, &y, &(ir_attrs){ .cumulate = { axis, r->o.reverse != 0 } });
}

#define FE_CUMULATE(name)                                                                      \
    cot_value cot_##name##_(cot_place at, cot_value x, int axis, const cot_order_options *o,   \
                            size_t size)                                                       \
    {                                                                                          \
        cumulation r = { .title = #name, .op = OP_##name, .axis = axis };                      \
                                                                                               \
        fe_options(&r.o, sizeof r.o, o, size);                                                 \
        return fe_apply1(at, #name, cumulate, x, &r);                                          \
    }
FE_CUMULATE(cumsum)
FE_CUMULATE(cumprod)
FE_CUMULATE(cummax)
FE_CUMULATE(cummin)

/* `low` and `high` elements of log 0 more along the axis. */
static ir_ref
padded(ir_build *b, ir_ref x, int axis, int64_t low, int64_t high)
{
    const ir_type *t = x ? ir_btype(b, x) : NULL;
    int64_t before[COT_MAX_RANK] = { 0 }, after[COT_MAX_RANK] = { 0 },
            inside[COT_MAX_RANK] = { 0 };

    if (!t || (!low && !high))
        return x;
    before[axis] = low;
    after[axis] = high;
    return ir_pad(b, x, ir_splat(b, ir_type_new(b->ctx, t->dtype, 0, NULL), -(double)INFINITY),
                  before, after, inside);
}

/* A step: the sum so far and the next element to their sum, twice. */
static ir_graph *
log_step(ir_build *b, const ir_type *t)
{
    ir_build *s = ir_build_new(b->ctx, "log_add");
    ir_graph *g = NULL;

    s->loc = b->loc;
    ir_ref c = ir_input(s, t, NULL), x = ir_input(s, t, NULL),
           y = ir_op2(s, OP_logaddexp, c, x);
    ir_output(s, y);
    ir_output(s, y);
    const cot_status status = ir_build_end(s, &g);
    if (b->status == COT_OK)
        b->status = status;
    return g;
}

/* Prefixes along the axis: of blocks of about sqrt(n), all blocks at once, of the blocks' sums,
 * and the two together. */
static ir_ref
log_prefixes(ir_build *b, ir_ref x, int axis, int64_t n)
{
    int64_t each = n, dims[COT_MAX_RANK + 1], whole[COT_MAX_RANK];
    ir_ref y[2] = { IR_NONE, IR_NONE };

    if (n < 2 || !x)
        return ir_rounded(b, x);
    if (n > LOG_BLOCK)
        each = (int64_t)ceil(sqrt((double)n));
    const int64_t blocks = (n + each - 1) / each;
    x = padded(b, x, axis, 0, blocks * each - n);
    const ir_type *t = x ? ir_btype(b, x) : NULL;
    if (!t)
        return IR_NONE;
    memcpy(whole, t->dims, sizeof *whole * (size_t)t->rank);
    memcpy(dims, t->dims, sizeof *dims * (size_t)axis);
    memcpy(dims + axis + 1, t->dims + axis, sizeof *dims * (size_t)(t->rank - axis));
    dims[axis] = blocks;
    dims[axis + 1] = each;
    ir_ref xs = ir_move_axis(b, ir_reshape(b, x, t->rank + 1, dims), axis + 1, 0);
    whole[axis] = blocks;
    const ir_type *sum = ir_type_new(b->ctx, t->dtype, t->rank, whole);
    ir_graph *body = xs ? log_step(b, sum) : NULL;
    if (!body)
        return IR_NONE;
    ir_add_node(b, OP_scan, 2, (ir_ref[]){ ir_splat(b, sum, -(double)INFINITY), xs },
                &(ir_attrs){ .scan = { 0, 1, each, 0, body } }, y);
    if (blocks > 1) {
        ir_ref before = padded(
            b, ir_slice_axis(b, log_prefixes(b, y[0], axis, blocks), axis, 0, blocks - 1), axis,
            1, 0);
        y[1] = ir_op2(b, OP_logaddexp, ir_broadcast_axis(b, before, 0, each), y[1]);
    }
    whole[axis] = blocks * each;
    return ir_slice_axis(b, ir_reshape(b, ir_move_axis(b, y[1], 0, axis + 1), t->rank, whole),
                         axis, 0, n);
}

static ir_ref
cumlogsumexp(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const cumulation *r = options;
    const int axis = axis_of(b, r, x[0].ref);
    ir_ref y = axis < 0 ? IR_NONE : fe_widen(b, x[0].ref);
    const ir_type *t = y ? ir_btype(b, y) : NULL;

    (void)n;
    if (!t || !fe_is_float(b, r->title, t))
        return IR_NONE;
    const int64_t size = t->dims[axis];
    if (r->o.reverse)
        y = ir_reverse(b, y, ir_axes_of(axis));
    y = log_prefixes(b, y, axis, size);
    if (r->o.reverse)
        y = ir_reverse(b, y, ir_axes_of(axis));
    return fe_narrow(b, y, ir_btype(b, x[0].ref)->dtype);
}

cot_value
cot_cumlogsumexp_(cot_place at, cot_value x, int axis, const cot_order_options *o, size_t size)
{
    cumulation r = { .title = "cumlogsumexp", .axis = axis };

    fe_options(&r.o, sizeof r.o, o, size);
    return fe_apply1(at, "cumlogsumexp", cumlogsumexp, x, &r);
}
