/* Running sums, products, extrema; and what is made of them. */
#include "cotrace/order.h"

#include "frontend/trace.h"

typedef struct running {
    const char *title;
    ir_op op;
    int axis;
    cot_order_options o;
    int64_t size, fill;
} running;

static int
axis_of(ir_build *b, const running *r, ir_ref x)
{
    return x ? fe_axis(b, r->title, r->axis, ir_btype(b, x)->rank) : -1;
}

static ir_ref
cumulate(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const running *r = options;
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
        running r = { .title = #name, .op = OP_##name, .axis = axis };                          \
                                                                                               \
        fe_options(&r.o, sizeof r.o, o, size);                                                 \
        return fe_apply1(at, #name, cumulate, x, &r);                                          \
    }
FE_CUMULATE(cumsum)
FE_CUMULATE(cumprod)
FE_CUMULATE(cummax)
FE_CUMULATE(cummin)

/* log(e^x + e^y), by the larger: m + log1p(e^-|x - y|); -inf and -inf give -inf. */
static ir_ref
log_add(ir_build *b, ir_ref x, ir_ref y)
{
    ir_ref m = ir_op2(b, OP_max, x, y), d = ir_sub(b, x, y);

    if (!d)
        return IR_NONE;
    ir_ref same = ir_op2(b, OP_eq, x, y), zero = ir_like(b, d, 0);
    d = ir_op1(b, OP_abs, ir_select(b, same, zero, d));
    return ir_add(b, m, ir_op1(b, OP_log1p, ir_op1(b, OP_exp, ir_neg(b, d))));
}

/* Elements from, from + 2, ... of n along the axis. */
static ir_ref
every_second(ir_build *b, ir_ref x, int axis, int64_t from, int64_t n)
{
    const ir_type *t = x ? ir_btype(b, x) : NULL;
    int64_t start[COT_MAX_RANK] = { 0 }, limit[COT_MAX_RANK], by[COT_MAX_RANK];

    for (int k = 0; t && k < t->rank; k++) {
        limit[k] = k == axis ? n : t->dims[k];
        by[k] = k == axis ? 2 : 1;
    }
    start[axis] = from;
    return t ? ir_slice(b, x, start, limit, by) : IR_NONE;
}

/* even[0], odd[0], even[1], ...; there may be one more even than odd. */
static ir_ref
interleaved(ir_build *b, ir_ref even, ir_ref odd, int axis, int64_t n)
{
    ir_ref pair[2] = { ir_broadcast_axis(b, ir_slice_axis(b, even, axis, 0, n / 2), axis + 1, 1),
                       ir_broadcast_axis(b, odd, axis + 1, 1) };
    ir_ref y = ir_concatenate(b, 2, pair, axis + 1);
    const ir_type *t = y ? ir_btype(b, odd) : NULL;
    int64_t dims[COT_MAX_RANK];

    for (int k = 0; t && k < t->rank; k++)
        dims[k] = k == axis ? 2 * t->dims[k] : t->dims[k];
    y = t ? ir_reshape(b, y, t->rank, dims) : IR_NONE;
    if (n % 2 == 0)
        return y;
    return ir_concatenate(b, 2, (ir_ref[]){ y, ir_slice_axis(b, even, axis, n / 2, n / 2 + 1) }, axis);
}

/* The recursion of cot_associative_scan: pairs, their prefixes, and what is between. */
static ir_ref
log_prefixes(ir_build *b, ir_ref x, int axis, int64_t n)
{
    const int64_t rest = (n - 1) / 2;

    if (n < 2 || !x)
        return x;
    ir_ref pairs = log_add(b, every_second(b, x, axis, 0, n / 2 * 2), every_second(b, x, axis, 1, n));
    ir_ref odd = log_prefixes(b, pairs, axis, n / 2), even = ir_slice_axis(b, x, axis, 0, 1);
    if (rest > 0) {
        ir_ref more = log_add(b, ir_slice_axis(b, odd, axis, 0, rest), every_second(b, x, axis, 2, n));
        even = ir_concatenate(b, 2, (ir_ref[]){ even, more }, axis);
    }
    return interleaved(b, even, odd, axis, n);
}

static ir_ref
cumlogsumexp(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const running *r = options;
    const int axis = axis_of(b, r, x[0].ref);
    ir_ref y = axis < 0 ? IR_NONE : fe_widen(b, x[0].ref);
    const ir_type *t = y ? ir_btype(b, y) : NULL;

    (void)n;
    if (!t)
        return IR_NONE;
    if (!ir_is_float(t->dtype)) {
        ir_build_fail(b, r->title, ERR_dtype_not, ir_type_str(b->ctx, t), "a floating type");
        return IR_NONE;
    }
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
    running r = { .title = "cumlogsumexp", .axis = axis };

    fe_options(&r.o, sizeof r.o, o, size);
    return fe_apply1(at, "cumlogsumexp", cumlogsumexp, x, &r);
}
