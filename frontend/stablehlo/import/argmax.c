/* argmax and argmin, recognised in a reduction of values with their indices.
 *
 * The body is recognised by evaluating it.  A body of comparisons, selections and bool logic,
 * without constants, depends only on the order of its arguments.  So a few numbers represent
 * all orders, and a body that agrees with argmax on them agrees everywhere. */
#include "frontend/stablehlo/import/rules.h"

#include "ir/scalar.h"

#include <math.h>

/* Does the graph have only comparisons, selections and bool logic, so that only the order of
 * its arguments matters? */
static bool
is_order_only(const ir_graph *g)
{
    ir_each_node (n, g)
        switch (n->op) {
        case OP_eq:
        case OP_ne:
        case OP_lt:
        case OP_le:
        case OP_gt:
        case OP_ge:
        case OP_and:
        case OP_or:
        case OP_xor:
        case OP_not:
        case OP_select:
        case OP_max:
        case OP_min: break;
        default: return false;
        }
    return true;
}

/* Of the pairs (x, i) and (y, j), i < j: is the first the one that argmax (argmin) keeps?  NaN
 * first, then the value, then the lower place. */
static bool
keeps_first(bool most, double x, double y)
{
    if (isnan(x) || isnan(y))
        return isnan(x);
    return most ? x >= y : x <= y;
}

static void
put(cot_dtype t, double x, char *to)
{
    const float f = (float)x;
    const uint16_t half = t == COT_F16 ? cot_f32_to_f16(f) : cot_f32_to_bf16(f);
    const int64_t i = isnan(x) ? 0 : (int64_t)x;

    if (t == COT_F64)
        memcpy(to, &x, 8);
    else if (t == COT_F32)
        memcpy(to, &f, 4);
    else if (ir_is_half(t))
        memcpy(to, &half, 2);
    else
        memcpy(to, &i, cot_dtype_size(t));
}

/* Does the body answer as argmax (argmin) does, for all orders of two numbers?  Pairs are
 * combined in the order of their indices, so the body is not tried on the other order (for two
 * NaNs, JAX's keeps the left one). */
static bool
answers_as(const ir_graph *g, bool most)
{
    static const double value[] = { 1, 2, (double)NAN };
    const cot_dtype t = ir_type_at(g, g->in[0])->dtype, place = ir_type_at(g, g->in[1])->dtype;
    const int n = ir_is_float(t) ? 3 : 2;
    char in[4][16], out[2][16], want[2][16];

    for (int k = 0; k < n * n * 9; k++) {
        const double x = value[k % n], y = value[k / n % n];
        const int i = k / (n * n) % 3, j = k / (n * n) / 3;
        if (i >= j)
            continue;
        put(t, x, in[0]), put(place, i, in[1]), put(t, y, in[2]), put(place, j, in[3]);
        if (ir_eval(g, (void *const[]){ out[0], out[1] },
                    (const void *const[]){ in[0], in[1], in[2], in[3] }) != COT_OK)
            return false;
        const int first = keeps_first(most, x, y) ? 0 : 2;
        memcpy(want[0], in[first], 16), memcpy(want[1], in[first + 1], 16);
        const bool nan = isnan(first ? y : x);
        if ((!nan && memcmp(out[0], want[0], cot_dtype_size(t)) != 0) ||
            memcmp(out[1], want[1], cot_dtype_size(place)) != 0)
            return false;
    }
    return true;
}

/* Is v 0, 1, 2, ... along the axis? */
static bool
counts_along(const hlo_emit *e, ir_ref v, int64_t axis)
{
    const ir_node *n = ir_bdef(e->b, v);
    const ir_type *t = ir_btype(e->b, v);

    if (n && n->op == OP_iota)
        return n->at->iota.axis == axis;
    if (n && n->op == OP_broadcast_in_dim) {
        const ir_node *m = ir_bdef(e->b, n->in[0]);
        return m && m->op == OP_iota && n->at->broadcast.dims.at[m->at->iota.axis] == axis &&
               ir_btype(e->b, n->in[0])->dims[m->at->iota.axis] == t->dims[axis];
    }
    return t->dims[axis] == 1 && n && n->op == OP_constant && n->at->constant.data.splat;
}

/* Does the initial pair lose against every element: is its value the least (greatest) of the
 * type, and its index 0? */
static bool
starts_low(const hlo_emit *e, bool *most)
{
    const cot_dtype t = fe_hlo_in_type(e, 0)->dtype;
    double x, place;

    if (!ir_is_splat(e->b, e->in[2], &x) || !ir_is_splat(e->b, e->in[3], &place) || place != 0)
        return false;
    if (ir_is_float(t))
        return isinf(x) && ((*most = x < 0) || x > 0);
    const double high = ldexp(1, ir_bits(t) - ir_is_signed(t)),
                 low = ir_is_signed(t) ? -high : 0;
    *most = x == low;
    return x == low || x == high - 1 || (ir_bits(t) == 64 && x == high);
}

bool
fe_hlo_arg_search(hlo_emit *e, const pass_combiner *c, ir_ints axes)
{
    const ir_graph *g = c->g;
    bool most;

    if (c->n != 2 || c->n_captured > 0 || axes.n != 1 ||
        !ir_is_int(fe_hlo_in_type(e, 1)->dtype) || fe_hlo_in_type(e, 0)->dtype == COT_BOOL ||
        fe_hlo_in_type(e, 0)->dims[axes.at[0]] < 1 ||
        (!ir_is_float(fe_hlo_in_type(e, 0)->dtype) &&
         !ir_is_int(fe_hlo_in_type(e, 0)->dtype)) ||
        !is_order_only(g) || !counts_along(e, e->in[1], axes.at[0]) || !starts_low(e, &most) ||
        !answers_as(g, most))
        return false;
    e->out[0] = ir_reduce(e->b, most ? OP_reduce_max : OP_reduce_min, e->in[0],
                          ir_axes_of((int)axes.at[0]));
    e->out[1] = ir_node1(e->b, most ? OP_argmax : OP_argmin, 1, e->in,
                         &(ir_attrs){ .arg = { axes.at[0], fe_hlo_in_type(e, 1)->dtype } });
    return true;
}
