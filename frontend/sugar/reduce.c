/* Means, norms and softmaxes: compositions that reduce.
 *
 * f16 and bf16 widen to f32 at the start and are rounded once at the end.  A maximum that is
 * subtracted and added again has no influence on the derivative, hence the stop_gradient. */
#include <float.h>
#include <math.h>

#include "cotrace/numpy.h"

#include "frontend/trace.h"

/* An operand made ready: floating or, where that is allowed, complex; widened, with its set of
 * axes. */
typedef struct ready {
    ir_ref x;
    cot_dtype dtype; /* of the operand; of its parts, where the result is real */
    ir_axes axes;
    int64_t count; /* elements that are reduced to one result */
    bool keep;
} ready;

static bool
prepare_any(ir_build *b, const char *op, ir_ref x, cot_list axes, bool last, bool keep,
            bool complex, ready *r)
{
    const ir_type *t = ir_btype(b, x);
    ir_axes absent =
        last ? (t->rank > 0 ? ir_axes_of(t->rank - 1) : 0) : ir_axes_below(t->rank);

    if (!complex && !fe_is_float(b, op, t))
        return false;
    if (!ir_is_inexact(t->dtype)) {
        ir_build_fail(b, op, ERR_dtype_not, ir_type_str(b->ctx, t),
                      "a floating or complex type");
        return false;
    }
    if (!fe_axes(b, op, axes, t->rank, absent, &r->axes))
        return false;
    r->dtype = t->dtype;
    r->x = fe_widen(b, x);
    r->keep = keep;
    r->count = 1;
    for (int k = 0; k < t->rank; k++)
        r->count *= ir_axes_has(r->axes, k) ? t->dims[k] : 1;
    return true;
}

static bool
prepare(ir_build *b, const char *op, ir_ref x, cot_list axes, bool last, bool keep, ready *r)
{
    return prepare_any(b, op, x, axes, last, keep, false, r);
}

/* |x|^2, a real number; the result then has the type of the parts. */
static ir_ref
squares(ir_build *b, ir_ref x, ready *r)
{
    if (!ir_is_complex(ir_btype(b, x)->dtype))
        return ir_mul(b, x, x);
    ir_ref re = ir_op1(b, OP_real, x), im = ir_op1(b, OP_imag, x);

    r->dtype = ir_part_type(r->dtype);
    ir_ref product = ir_mul(b, im, im);
    return ir_add(b, ir_mul(b, re, re), product);
}

/* sum(x) / n over the axes; of complex numbers part by part. */
static ir_ref
average(ir_build *b, ir_ref x, const ready *r, bool keep, double less)
{
    if (x && ir_is_complex(ir_btype(b, x)->dtype)) {
        ir_ref re = average(b, ir_op1(b, OP_real, x), r, keep, less),
               im = average(b, ir_op1(b, OP_imag, x), r, keep, less);
        return ir_op2(b, OP_complex, re, im);
    }
    ir_ref sum = fe_reduce(b, OP_reduce_sum, x, r->axes, keep);
    return ir_div(b, sum, ir_like(b, sum, fmax((double)r->count - less, 0)));
}

/* x op y, with y reduced over the axes. */
static ir_ref
against(ir_build *b, ir_op op, ir_ref x, ir_ref y, const ready *r)
{
    return ir_op2(b, op, x, fe_spread(b, y, x, r->axes));
}

static ir_ref
centred(ir_build *b, const ready *r)
{
    return against(b, OP_sub, r->x, average(b, r->x, r, false, 0), r);
}

static ir_ref
mean(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const cot_reduce_options *o = options;
    ready r;

    (void)n;
    if (!prepare_any(b, "mean", x[0].ref, o->axes, false, o->keepdims, true, &r))
        return IR_NONE;
    return fe_narrow(b, average(b, r.x, &r, r.keep, 0), r.dtype);
}

static ir_ref
var(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const cot_reduce_options *o = options;
    ready r;

    (void)n;
    if (!prepare_any(b, "var", x[0].ref, o->axes, false, o->keepdims, true, &r))
        return IR_NONE;
    ir_ref d = squares(b, centred(b, &r), &r);
    return fe_narrow(b, average(b, d, &r, r.keep, o->ddof), r.dtype);
}

static ir_ref
standard_deviation(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const cot_reduce_options *o = options;
    ready r;

    (void)n;
    if (!prepare_any(b, "std", x[0].ref, o->axes, false, o->keepdims, true, &r))
        return IR_NONE;
    ir_ref d = squares(b, centred(b, &r), &r);
    ir_ref y = ir_op1(b, OP_sqrt, average(b, d, &r, r.keep, o->ddof));
    return fe_narrow(b, y, r.dtype);
}

static ir_ref
norm(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const cot_reduce_options *o = options;
    ready r;

    (void)n;
    if (!prepare_any(b, "norm", x[0].ref, o->axes, false, o->keepdims, true, &r))
        return IR_NONE;
    ir_ref sum = fe_reduce(b, OP_reduce_sum, squares(b, r.x, &r), r.axes, r.keep);
    return fe_narrow(b, ir_op1(b, OP_sqrt, sum), r.dtype);
}

static ir_ref
maximum(ir_build *b, const ready *r)
{
    return ir_op1(b, OP_stop_gradient, ir_reduce(b, OP_reduce_max, r->x, r->axes));
}

/* An infinite maximum would make inf - inf.  For -inf, 0 is subtracted instead.  For inf,
 * infinite elements are replaced by the largest number, by nextafter, whose derivative is 1, so
 * that they share the derivative evenly; then an infinity is added. */
static ir_ref
logsumexp(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const cot_reduce_options *o = options;
    ready r;

    (void)n;
    if (!prepare(b, "logsumexp", x[0].ref, o->axes, false, o->keepdims, &r))
        return IR_NONE;
    const bool wide = r.x && ir_btype(b, r.x)->dtype == COT_F64;
    ir_ref m = maximum(b, &r), infinity = ir_like(b, r.x, (double)INFINITY);
    ir_ref infinite = ir_op2(b, OP_eq, m, ir_like(b, m, (double)INFINITY));
    ir_ref largest = ir_op2(b, OP_nextafter, r.x, ir_like(b, r.x, 0));
    ir_ref x_near = ir_select(b, ir_op2(b, OP_eq, r.x, infinity), largest, r.x);
    ir_ref other = ir_select(b, infinite, ir_like(b, m, wide ? DBL_MAX : (double)FLT_MAX),
                             ir_like(b, m, 0));
    ir_ref off = ir_select(b, ir_op1(b, OP_is_finite, m), m, other);
    ir_ref e = ir_op1(b, OP_exp, against(b, OP_sub, x_near, off, &r));
    ir_ref y = ir_add(b, ir_op1(b, OP_log, ir_reduce(b, OP_reduce_sum, e, r.axes)), off);
    y = ir_add(b, y,
               ir_select(b, infinite, ir_like(b, y, (double)INFINITY), ir_like(b, y, -0.0)));
    return fe_narrow(b, fe_keep(b, y, r.x, r.axes, r.keep), r.dtype);
}

static ir_ref
softmax(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const cot_reduce_options *o = options;
    ready r;

    (void)n;
    if (!prepare(b, "softmax", x[0].ref, o->axes, true, true, &r))
        return IR_NONE;
    ir_ref e = ir_op1(b, OP_exp, against(b, OP_sub, r.x, maximum(b, &r), &r));
    ir_ref y = against(b, OP_div, e, ir_reduce(b, OP_reduce_sum, e, r.axes), &r);
    return fe_narrow(b, y, r.dtype);
}

static ir_ref
log_softmax(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const cot_reduce_options *o = options;
    ready r;

    (void)n;
    if (!prepare(b, "log_softmax", x[0].ref, o->axes, true, true, &r))
        return IR_NONE;
    ir_ref d = against(b, OP_sub, r.x, maximum(b, &r), &r);
    ir_ref sum = ir_reduce(b, OP_reduce_sum, ir_op1(b, OP_exp, d), r.axes);
    return fe_narrow(b, against(b, OP_sub, d, ir_op1(b, OP_log, sum), &r), r.dtype);
}

/* y op v, where v is given; the type to round to takes v's part. */
static ir_ref
with_weight(ir_build *b, ir_op op, ir_ref y, cot_value v, cot_dtype *to)
{
    if (!v.ctx)
        return y;
    ir_ref w = fe_resolve(b->ctx->trace, v, "layer_norm", op == OP_mul ? 1 : 2);
    if (!w || !y)
        return IR_NONE;
    if (!fe_type_fits(ir_btype(b, w), ir_btype(b, y))) {
        ir_build_fail(
            b, "layer_norm", ERR_shape_wrong,
            ir_format(b->arena, ".%s is %s; wants a shape that broadcasts to that of %s",
                      op == OP_mul ? "scale" : "bias", ir_type_str(b->ctx, ir_btype(b, w)),
                      ir_type_str(b->ctx, ir_btype(b, y))));
        return IR_NONE;
    }
    cot_dtype both = fe_promote(*to, ir_btype(b, w)->dtype);
    *to = both == COT_DTYPE_NONE ? *to : both;
    return fe_op2(b, op, y, fe_widen(b, w));
}

static ir_ref
layer_norm(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const cot_norm_options *o = options;
    ready r;

    (void)n;
    if (!prepare(b, "layer_norm", x[0].ref, o->axes, true, true, &r))
        return IR_NONE;
    ir_ref d = centred(b, &r);
    ir_ref v = average(b, ir_mul(b, d, d), &r, false, 0);
    ir_ref scale =
        ir_op1(b, OP_rsqrt, ir_add(b, v, ir_like(b, v, o->eps == 0 ? 1e-5 : o->eps)));
    ir_ref y = against(b, OP_mul, d, scale, &r);
    y = with_weight(b, OP_mul, y, o->scale, &r.dtype);
    y = with_weight(b, OP_add, y, o->bias, &r.dtype);
    return fe_narrow(b, y, r.dtype);
}

FE_REDUCTION(mean)
FE_REDUCTION(var)
FE_REDUCTION(norm)
FE_REDUCTION(logsumexp)
FE_REDUCTION(softmax)
FE_REDUCTION(log_softmax)

cot_value
cot_std_(cot_place at, cot_value x, const cot_reduce_options *o, size_t size)
{
    FE_OPTIONS(cot_reduce_options, opt, o, size);
    return fe_apply1(at, "std", standard_deviation, x, &opt);
}

cot_value
cot_layer_norm_(cot_place at, cot_value x, const cot_norm_options *o, size_t size)
{
    FE_OPTIONS(cot_norm_options, opt, o, size);
    return fe_apply1(at, "layer_norm", layer_norm, x, &opt);
}
