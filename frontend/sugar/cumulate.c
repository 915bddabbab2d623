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

/* In log2(n) steps, in each of which an element takes in the one d before it. */
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
    for (int64_t d = 1; d < size; d *= 2) {
        ir_ref more = log_add(b, ir_slice_axis(b, y, axis, 0, size - d), ir_slice_axis(b, y, axis, d, size));
        ir_ref part[2] = { ir_slice_axis(b, y, axis, 0, d), more };
        y = ir_concatenate(b, 2, part, axis);
    }
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
