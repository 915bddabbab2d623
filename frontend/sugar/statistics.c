/* Reductions that leave NaN out, and covariances, under the names of NumPy. */
#include <math.h>

#include "cotrace/numpy.h"

#include "frontend/trace.h"

static ir_ref
with(ir_build *b, ir_op op, ir_ref x, double k)
{
    return ir_op2(b, op, x, ir_like(b, x, k));
}

/* An operand that is widened, which of its elements are numbers, and how many of them a result
 * is made of, in the type of x's parts. */
typedef struct counted_elements {
    ir_ref x, valid;
    ir_axes axes;
    bool keep;
    cot_dtype dtype;
} counted_elements;

static bool
count_of(ir_build *b, const char *op, ir_ref x, const cot_reduce_options *o,
         counted_elements *c)
{
    const ir_type *t = ir_btype(b, x);

    if (!fe_axes(b, op, o->axes, t->rank, ir_axes_below(t->rank), &c->axes))
        return false;
    c->dtype = t->dtype;
    c->keep = o->keepdims;
    c->x = fe_widen(b, x);
    c->valid = IR_NONE;
    if (!ir_is_inexact(t->dtype))
        return true;
    if (ir_is_complex(t->dtype)) {
        ir_ref re = ir_op1(b, OP_real, x), im = ir_op1(b, OP_imag, x);
        ir_ref whole = ir_op2(b, OP_eq, re, re);
        c->valid = ir_op2(b, OP_and, whole, ir_op2(b, OP_eq, im, im));
    } else {
        c->valid = ir_op2(b, OP_eq, x, x);
    }
    return true;
}

/* x, or the number where it is NaN. */
static ir_ref
or_else(ir_build *b, const counted_elements *c, ir_ref x, double k)
{
    return c->valid ? ir_select(b, c->valid, x, ir_like(b, x, k)) : x;
}

/* How many elements count, in the real type of the result. */
static ir_ref
number(ir_build *b, const counted_elements *c)
{
    const cot_dtype t = ir_part_type(ir_btype(b, c->x)->dtype);
    return fe_reduce(b, OP_reduce_sum, ir_convert(b, c->valid, t), c->axes, c->keep);
}

static ir_ref
plain(ir_build *b, const char *op, ir_op reduce, double neutral, ir_ref x,
      const cot_reduce_options *o)
{
    counted_elements c;

    if (!count_of(b, op, x, o, &c))
        return IR_NONE;
    ir_ref y = fe_reduce(b, reduce, or_else(b, &c, c.x, neutral), c.axes, c.keep);
    return fe_narrow(b, y, c.dtype);
}

/* The reduction of no element is NaN. */
static ir_ref
extreme(ir_build *b, const char *op, ir_op reduce, double neutral, ir_ref x,
        const cot_reduce_options *o)
{
    counted_elements c;

    if (!fe_is_ordered(b, op, ir_btype(b, x)) || !count_of(b, op, x, o, &c))
        return IR_NONE;
    ir_ref y = fe_reduce(b, reduce, or_else(b, &c, c.x, neutral), c.axes, c.keep);
    if (c.valid) {
        ir_ref nan = ir_like(b, y, (double)NAN);
        y = ir_select(b, fe_reduce(b, OP_reduce_or, c.valid, c.axes, c.keep), y, nan);
    }
    return fe_narrow(b, y, c.dtype);
}

/* sum / count, where count is real. */
static ir_ref
divided(ir_build *b, ir_ref sum, ir_ref count)
{
    const cot_dtype t = ir_btype(b, sum)->dtype;

    if (!ir_is_complex(t))
        return ir_div(b, sum, count);
    ir_ref re = ir_div(b, ir_op1(b, OP_real, sum), count);
    return ir_op2(b, OP_complex, re, ir_div(b, ir_op1(b, OP_imag, sum), count));
}

static bool
floating(ir_build *b, const char *op, ir_ref x, bool complex)
{
    const ir_type *t = ir_btype(b, x);

    if (complex && ir_is_complex(t->dtype))
        return true;
    return fe_is_float(b, op, t);
}

static ir_ref
mean_of(ir_build *b, const counted_elements *c)
{
    ir_ref sum = fe_reduce(b, OP_reduce_sum, or_else(b, c, c->x, 0), c->axes, c->keep);
    return divided(b, sum, number(b, c));
}

/* Squares of distances from the mean, of the elements that count. */
static ir_ref
variance(ir_build *b, const char *op, ir_ref x, const cot_reduce_options *o, bool root)
{
    counted_elements c;

    if (!floating(b, op, x, false) || !count_of(b, op, x, o, &c))
        return IR_NONE;
    const bool keep = c.keep;
    c.keep = false;
    ir_ref mean = fe_spread(b, mean_of(b, &c), c.x, c.axes);
    ir_ref d = or_else(b, &c, ir_sub(b, c.x, mean), 0);
    c.keep = keep;
    ir_ref sum = fe_reduce(b, OP_reduce_sum, ir_mul(b, d, d), c.axes, keep);
    ir_ref freedom = with(b, OP_sub, number(b, &c), o->ddof);
    ir_ref none = with(b, OP_le, freedom, 0), nan = ir_like(b, freedom, (double)NAN);
    ir_ref y = ir_div(b, sum, ir_select(b, none, nan, freedom));
    return fe_narrow(b, root ? ir_op1(b, OP_sqrt, y) : y, c.dtype);
}

static ir_ref
nansum(ir_build *b, const fe_arg *x, int n, const void *o)
{
    (void)n;
    return plain(b, "nansum", OP_reduce_sum, 0, x[0].ref, o);
}

static ir_ref
nanprod(ir_build *b, const fe_arg *x, int n, const void *o)
{
    (void)n;
    return plain(b, "nanprod", OP_reduce_prod, 1, x[0].ref, o);
}

static ir_ref
nanmax(ir_build *b, const fe_arg *x, int n, const void *o)
{
    (void)n;
    return extreme(b, "nanmax", OP_reduce_max, -(double)INFINITY, x[0].ref, o);
}

static ir_ref
nanmin(ir_build *b, const fe_arg *x, int n, const void *o)
{
    (void)n;
    return extreme(b, "nanmin", OP_reduce_min, (double)INFINITY, x[0].ref, o);
}

static ir_ref
nanmean(ir_build *b, const fe_arg *x, int n, const void *o)
{
    counted_elements c;

    (void)n;
    if (!floating(b, "nanmean", x[0].ref, true) || !count_of(b, "nanmean", x[0].ref, o, &c))
        return IR_NONE;
    return fe_narrow(b, mean_of(b, &c), c.dtype);
}

static ir_ref
nanvar(ir_build *b, const fe_arg *x, int n, const void *o)
{
    (void)n;
    return variance(b, "nanvar", x[0].ref, o, false);
}

static ir_ref
nanstd(ir_build *b, const fe_arg *x, int n, const void *o)
{
    (void)n;
    return variance(b, "nanstd", x[0].ref, o, true);
}

FE_REDUCTION(nansum)
FE_REDUCTION(nanprod)
FE_REDUCTION(nanmax)
FE_REDUCTION(nanmin)
FE_REDUCTION(nanmean)
FE_REDUCTION(nanvar)
FE_REDUCTION(nanstd)

typedef struct covariances {
    const char *op;
    cot_cov_options o;
    bool coefficients;
} covariances;

/* The variables as rows [v, n], widened. */
static ir_ref
variables(ir_build *b, const covariances *d, ir_ref x)
{
    const ir_type *t = ir_btype(b, x);

    if (!fe_is_float(b, d->op, t))
        return IR_NONE;
    if (t->rank < 1 || t->rank > 2) {
        ir_build_fail(b, d->op, ERR_attr_wrong,
                      ir_format(b->arena, "operand is %s; wants one axis or two",
                                ir_type_str(b->ctx, t)));
        return IR_NONE;
    }
    ir_ref w = fe_widen(b, x);
    if (t->rank == 1)
        return ir_reshape(b, w, 2, (const int64_t[]){ 1, t->dims[0] });
    return d->o.columns ? ir_move_axis(b, w, 0, 1) : w;
}

/* c divided by both deviations, the square roots of its diagonal. */
static ir_ref
coefficients(ir_build *b, ir_ref c)
{
    const ir_type *t = ir_btype(b, c);
    ir_ref column = ir_iota(b, COT_I32, 2, t->dims, 1),
           row = ir_iota(b, COT_I32, 2, t->dims, 0);
    ir_ref zero = ir_like(b, c, 0);
    ir_ref diagonal = ir_select(b, ir_op2(b, OP_eq, row, column), c, zero);
    ir_ref deviation = ir_op1(b, OP_sqrt, ir_reduce(b, OP_reduce_sum, diagonal, ir_axes_of(1)));
    ir_ref y = ir_div(b, c, fe_spread(b, deviation, c, ir_axes_of(1)));
    y = ir_div(b, y, fe_spread(b, deviation, c, ir_axes_of(0)));
    return with(b, OP_max, with(b, OP_min, y, 1), -1);
}

static ir_ref
cov(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const covariances *d = options;
    const ir_type *given = ir_btype(b, x[0].ref);
    ir_ref w = variables(b, d, x[0].ref);

    (void)n;
    if (!w)
        return IR_NONE;
    const int64_t elements = ir_btype(b, w)->dims[1], last = 1;
    ir_ref sum = ir_reduce(b, OP_reduce_sum, w, ir_axes_of(1));
    ir_ref mean = with(b, OP_div, sum, (double)elements);
    ir_ref far = ir_sub(b, w, fe_spread(b, mean, w, ir_axes_of(1)));
    const ir_ints contracted = { 1, &last }, none = { 0, NULL };
    ir_ref y = ir_dot(b, far, far, contracted, contracted, none, none);
    const double freedom = (double)elements - (d->o.biased ? 0 : 1);
    y = with(b, OP_div, y, freedom > 0 ? freedom : (double)NAN);
    y = d->coefficients ? coefficients(b, y) : y;
    y = given->rank == 1 ? ir_reshape(b, y, 0, NULL) : y;
    return fe_narrow(b, y, given->dtype);
}

cot_value
cot_cov_(cot_place at, cot_value x, const cot_cov_options *o, size_t size)
{
    covariances d = { .op = "cov" };

    fe_options(&d.o, sizeof d.o, o, size);
    return fe_apply1(at, d.op, cov, x, &d);
}

cot_value
cot_corrcoef_(cot_place at, cot_value x, const cot_cov_options *o, size_t size)
{
    covariances d = { .op = "corrcoef", .coefficients = true };

    fe_options(&d.o, sizeof d.o, o, size);
    return fe_apply1(at, d.op, cov, x, &d);
}
