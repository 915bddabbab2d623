/* Interpolation, convolution, integrals and polynomials under the names of NumPy.
 *
 * These are written with the public functions; an op that one of them makes stands at the place
 * of the caller. */
#include "cotrace/linalg.h"
#include "cotrace/numpy.h"
#include "cotrace/order.h"
#include "cotrace/window.h"

#include "frontend/trace.h"

#undef COT_HERE
#define COT_HERE at

/* ---- operands ---- */

typedef struct accepted {
    const char *op, *what;
    int rank;                   /* -1: any */
    bool complex, integer;      /* are taken besides floating types */
} accepted;

static bool
takes(const accepted *w, const ir_type *t)
{
    return (w->rank < 0 || t->rank == w->rank) &&
           (ir_is_float(t->dtype) || (w->complex && ir_is_complex(t->dtype)) ||
            (w->integer && ir_is_int(t->dtype)));
}

static ir_ref
judged(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const accepted *w = o;
    const ir_type *t = ir_btype(b, x[0].ref);

    (void)n;
    if (takes(w, t))
        return x[0].ref;
    ir_build_fail(b, w->op, ERR_attr_wrong,
                  ir_format(b->arena, "%s is %s; wants a %s type%s", w->what,
                            ir_type_str(b->ctx, t),
                            w->integer   ? "numeric"
                            : w->complex ? "floating or complex"
                                         : "floating",
                            w->rank == 1 ? " and one axis" : ""));
    return IR_NONE;
}

/* Is *x as wanted?  Else it becomes a bad value, and the error says why. */
static bool
want(cot_place at, cot_value *x, accepted w)
{
    *x = fe_apply1(at, w.op, judged, *x, &w);
    return cot_type_of(*x).dtype != COT_DTYPE_NONE;
}

static ir_ref
refused(ir_build *b, const fe_arg *x, int n, const void *o)
{
    (void)x, (void)n;
    ir_build_fail(b, ((const char *const *)o)[0], ERR_attr_wrong, ((const char *const *)o)[1]);
    return IR_NONE;
}

static cot_value
refuse(cot_place at, cot_value x, const char *op, const char *why)
{
    return fe_apply1(at, op, refused, x, (const char *const[]){ op, why });
}

static bool
is_half(cot_value x)
{
    return ir_is_half(cot_type_of(x).dtype);
}

/* f32 for the halves: a composition of them is rounded once, back to the type it has. */
static cot_value
wide(cot_place at, cot_value x)
{
    return is_half(x) ? cot_convert(x, COT_F32) : x;
}

static cot_dtype
both(cot_value x, cot_value y)
{
    return fe_promote(cot_type_of(x).dtype, cot_type_of(y).dtype);
}

static cot_value
back(cot_place at, cot_value x, cot_dtype t)
{
    return t == COT_F16 || t == COT_BF16 ? cot_convert(x, t) : x;
}

/* ---- interpolation ---- */

/* A line between two points, from each of them. */
typedef struct segment {
    cot_value x0, f0, x1, f1, slope;
} segment;

/* What takes the place of NaN, which an infinite value at a point makes: at a point its value,
 * else the line from the right point, and where that is NaN the value that both have. */
static cot_value
from_the_right(cot_place at, cot_value x, const segment *s)
{
    cot_value y = cot_add(s->f1, cot_mul(s->slope, cot_sub(x, s->x1)));
    cot_value level = cot_and(cot_isnan(y), cot_and(cot_eq(s->f0, s->f1), cot_eq(x, x)));

    y = cot_where(cot_or(level, cot_eq(x, s->x1)), s->f1, y);
    return cot_where(cot_eq(x, s->x0), s->f0, y);
}

/* Segment i lies between points i - 1 and i; outside, the nearest.  Of equal points the last
 * one counts. */
static cot_value
inside(cot_place at, cot_value x, cot_value xp, cot_value fp, int64_t n)
{
    cot_value i = cot_clip(cot_searchsorted(xp, x, .right = 1), 1, n - 1),
              before = cot_sub(i, 1);
    segment s = { .x0 = cot_take(xp, before, 0), .f0 = cot_take(fp, before, 0) };
    s.x1 = cot_take(xp, i, 0), s.f1 = cot_take(fp, i, 0);
    cot_value width = cot_sub(s.x1, s.x0), none = cot_eq(width, 0), rise = cot_sub(s.f1, s.f0);
    s.slope = cot_div(rise, cot_where(none, 1, width));
    cot_value y = cot_add(s.f0, cot_mul(s.slope, cot_sub(x, s.x0)));

    y = cot_where(cot_isnan(y), from_the_right(at, x, &s), y);
    return cot_where(none, s.f1, y);
}

cot_value
cot_interp_(cot_place at, cot_value x, cot_value xp, cot_value fp, const cot_interp_options *o,
            size_t size)
{
    FE_OPTIONS(cot_interp_options, opt, o, size);
    if (!want(at, &x, (accepted){ "interp", "x", -1, false, false }))
        return x;
    if (!want(at, &xp, (accepted){ "interp", "xp", 1, false, false }))
        return xp;
    if (!want(at, &fp, (accepted){ "interp", "fp", 1, false, false }))
        return fp;
    const int64_t n = cot_size(xp, 0);
    const cot_dtype t = fe_promote(both(x, xp), cot_type_of(fp).dtype);
    if (n < 1 || cot_size(fp, 0) != n)
        return refuse(at, x, "interp", "wants as many elements of fp as of xp, one or more");
    x = wide(at, x), xp = wide(at, xp), fp = wide(at, fp);
    cot_value first = cot_index_(at, fp, 0, 0), last = cot_index_(at, fp, n - 1, 0);
    cot_value from = cot_index_(at, xp, 0, 0), to = cot_index_(at, xp, n - 1, 0);
    cot_value left = opt.left.ctx ? opt.left : first, right = opt.right.ctx ? opt.right : last;
    cot_value y = n > 1 ? inside(at, x, xp, fp, n) : cot_add(first, cot_mul(x, 0));

    y = cot_where(cot_lt(x, from), left, y);
    return back(at, cot_where(cot_gt(x, to), right, y), t);
}

/* ---- convolutions ---- */

/* The sums of products of y [m], moved along x [n], n at least m. */
static cot_value
slid(cot_place at, cot_value x, cot_value y, cot_overlap overlap)
{
    const int64_t n = cot_size(x, 0), m = cot_size(y, 0), skipped = (m - 1) / 2;
    const int64_t low = overlap == COT_OVERLAP_VALID  ? 0
                        : overlap == COT_OVERLAP_SAME ? m - 1 - skipped
                                                      : m - 1,
                  high = overlap == COT_OVERLAP_VALID  ? 0
                         : overlap == COT_OVERLAP_SAME ? skipped
                                                       : m - 1;
    cot_value image = cot_reshape(x, 1, 1, n), kernel = cot_reshape(y, 1, 1, m);
    cot_value z = cot_conv(image, kernel, .padding = COT_LIST(low, high));

    return cot_reshape(z, n + low + high - m + 1);
}

/* Both as vectors of one type, with elements; false: *x is a bad value. */
static bool
two_lines(cot_place at, const char *op, cot_value *x, cot_value *y, cot_overlap overlap,
          cot_dtype *t)
{
    if (!want(at, x, (accepted){ op, "x", 1, true, true }))
        return false;
    if (!want(at, y, (accepted){ op, "y", 1, true, true })) {
        *x = *y;
        return false;
    }
    if (overlap < COT_OVERLAP_FULL || overlap > COT_OVERLAP_VALID) {
        *x = refuse(at, *x, op, "overlap is none of cot_overlap");
        return false;
    }
    *t = both(*x, *y);
    if (*t != COT_DTYPE_NONE && cot_size(*x, 0) > 0 && cot_size(*y, 0) > 0) {
        *x = cot_convert(*x, *t), *y = cot_convert(*y, *t);
        return true;
    }
    *x = refuse(at, *x, op, "wants vectors of types that promote, of one element or more");
    return false;
}

cot_value
cot_convolve_(cot_place at, cot_value x, cot_value y, cot_overlap overlap)
{
    cot_dtype t;

    if (!two_lines(at, "convolve", &x, &y, overlap, &t))
        return x;
    if (cot_size(x, 0) < cot_size(y, 0))
        return slid(at, y, cot_reverse(x, .axes = COT_LIST(0)), overlap);
    return slid(at, x, cot_reverse(y, .axes = COT_LIST(0)), overlap);
}

cot_value
cot_correlate_(cot_place at, cot_value x, cot_value y, cot_overlap overlap)
{
    cot_dtype t;

    if (!two_lines(at, "correlate", &x, &y, overlap, &t))
        return x;
    y = ir_is_complex(t) ? cot_conj(y) : y;
    if (cot_size(x, 0) < cot_size(y, 0))
        return cot_reverse(slid(at, y, x, overlap), .axes = COT_LIST(0));
    return slid(at, x, y, overlap);
}

/* ---- integrals ---- */

/* x without its first, or its last, slice along an axis. */
static cot_value
without(cot_place at, cot_value x, int axis, bool first)
{
    const cot_type t = cot_type_of(x);
    int64_t start[COT_MAX_RANK] = { 0 }, limit[COT_MAX_RANK], stride[COT_MAX_RANK];

    for (int k = 0; k < t.rank; k++)
        limit[k] = cot_size(x, k), stride[k] = 1;
    start[axis] = first;
    limit[axis] -= !first;
    return cot_slice(x, .start = (cot_list){ .n = t.rank, .at = start },
                     .limit = (cot_list){ .n = t.rank, .at = limit },
                     .stride = (cot_list){ .n = t.rank, .at = stride });
}

/* The distances of the samples, of y's rank, with one slice less along the axis. */
static cot_value
distances(cot_place at, cot_value x, cot_value y, int axis)
{
    const int rank = cot_rank(y);
    int64_t shape[COT_MAX_RANK];

    if (cot_rank(x) == 1 && rank > 1) {
        for (int k = 0; k < rank; k++)
            shape[k] = k == axis ? cot_size(x, 0) : 1;
        x = cot_reshape_(at, x, (cot_list){ .n = rank, .at = shape });
    }
    return cot_sub(without(at, x, axis, true), without(at, x, axis, false));
}

cot_value
cot_trapezoid_(cot_place at, cot_value y, int axis, const cot_trapezoid_options *o, size_t size)
{
    FE_OPTIONS(cot_trapezoid_options, opt, o, size);
    if (!want(at, &y, (accepted){ "trapezoid", "y", -1, true, false }))
        return y;
    const int64_t n = cot_size(y, axis);
    const bool placed = opt.x.ctx != NULL;
    cot_dtype t = cot_type_of(y).dtype;
    axis += axis < 0 ? cot_rank(y) : 0;
    if (axis < 0 || axis >= cot_rank(y))
        return cot_index_(at, y, 0, axis);
    if (placed && !want(at, &opt.x, (accepted){ "trapezoid", "x", -1, false, false }))
        return opt.x;
    if (placed &&
        (cot_rank(opt.x) == 1 ? cot_size(opt.x, 0) != n : cot_rank(opt.x) != cot_rank(y)))
        return refuse(at, y, "trapezoid", ".x wants a place for each sample along the axis");
    t = placed ? both(y, opt.x) : t;
    y = wide(at, y);
    if (n == 0)
        return back(at, cot_reduce_sum(y, .axes = COT_LIST(axis)), t);
    cot_value sum = cot_add(without(at, y, axis, true), without(at, y, axis, false));
    const double half = 0.5 * (placed || opt.dx == 0 ? 1 : opt.dx);
    sum = placed ? cot_mul(sum, distances(at, wide(at, opt.x), y, axis)) : sum;
    cot_value total = cot_reduce_sum(sum, .axes = COT_LIST(axis));
    return back(at, cot_mul(total, half), t);
}

/* ---- polynomials ---- */

cot_value
cot_polyval_(cot_place at, cot_value p, cot_value x)
{
    if (!want(at, &p, (accepted){ "polyval", "p", 1, true, true }))
        return p;
    if (!want(at, &x, (accepted){ "polyval", "x", -1, true, true }))
        return x;
    const cot_dtype t = both(p, x);
    const int64_t n = cot_size(p, 0);
    p = wide(at, p), x = wide(at, x);
    cot_value y = cot_mul(x, 0);

    if (n > 0)
        y = cot_add(y, cot_index_(at, p, 0, 0));
    for (int64_t k = 1; k < n; k++)
        y = cot_add(cot_mul(y, x), cot_index_(at, p, k, 0));
    return back(at, y, t);
}

enum { MAX_DEGREE = 999 };

/* The powers of x, the highest first, as columns. */
static cot_value
powers(cot_place at, cot_value x, int degree)
{
    cot_value column[MAX_DEGREE + 1];

    column[degree] = cot_add(cot_mul(x, 0), 1);
    for (int k = degree - 1; k >= 0; k--)
        column[k] = cot_mul(column[k + 1], x);
    return cot_stack_(at, cot_values_of(degree + 1, column), 1);
}

cot_value
cot_polyfit_(cot_place at, cot_value x, cot_value y, int degree)
{
    if (!want(at, &x, (accepted){ "polyfit", "x", 1, true, false }))
        return x;
    if (!want(at, &y, (accepted){ "polyfit", "y", -1, true, false }))
        return y;
    const cot_dtype t = both(x, y);
    const int64_t n = cot_size(x, 0);
    const int rank = cot_rank(y);
    if (rank < 1 || rank > 2 || cot_size(y, 0) != n || degree < 0 || degree >= n ||
        degree > MAX_DEGREE)
        return refuse(
            at, x, "polyfit",
            "wants y of x's length, in one or more columns, and a degree from 0 to the "
            "count of points less one, at most 999");
    x = wide(at, x), y = wide(at, y);
    cot_value a = powers(at, x, degree), scale = cot_norm(a, .axes = COT_LIST(0));
    cot_value z = cot_lstsq(cot_div(a, scale), y);
    scale = rank == 2 ? cot_reshape(scale, degree + 1, 1) : scale;
    return back(at, cot_div(z, scale), t);
}
