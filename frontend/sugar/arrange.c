/* Arrangements of elements under the names of NumPy: copies, grids, differences. */
#include "cotrace/numpy.h"

#include "frontend/trace.h"

typedef struct move {
    int from, to;
} move;

static ir_ref
moveaxis(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const move *m = o;
    const int rank = ir_btype(b, x[0].ref)->rank;
    const int from = fe_axis(b, "moveaxis", m->from, rank),
              to = from < 0 ? -1 : fe_axis(b, "moveaxis", m->to, rank);

    (void)n;
    return to < 0 ? IR_NONE : ir_move_axis(b, x[0].ref, from, to);
}

cot_value
cot_moveaxis_(cot_place at, cot_value x, int from, int to)
{
    return fe_apply1(at, "moveaxis", moveaxis, x, &(move){ from, to });
}

/* x as an array of shape[0], dims[0], shape[1], dims[1], ..., repeated along the first axis of
 * each pair, and its pairs joined. */
static ir_ref
tile(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const cot_list *times = o;
    const ir_type *t = ir_btype(b, x[0].ref);
    const int rank = times->n > t->rank ? times->n : t->rank;
    int64_t pairs[2 * COT_MAX_RANK], joined[COT_MAX_RANK], dims[COT_MAX_RANK];

    (void)n;
    if (!fe_lists(b, "tile", 1, &(fe_named_list){ "times", *times }))
        return IR_NONE;
    if (2 * rank > COT_MAX_RANK) {
        ir_build_fail(
            b, "tile", ERR_attr_wrong,
            ir_format(b->arena, "has %d axes; wants %d or less", rank, COT_MAX_RANK / 2));
        return IR_NONE;
    }
    for (int k = 0; k < rank; k++) {
        const int at = k - (rank - times->n), axis = k - (rank - t->rank);
        pairs[2 * k] = at < 0 ? 1 : FE_AT(*times)[at];
        pairs[2 * k + 1] = axis < 0 ? 1 : t->dims[axis];
        if (pairs[2 * k] < 0) {
            ir_build_fail(b, "tile", ERR_attr_wrong,
                          ir_format(b->arena, "times[%d] is %lld; wants 0 or more", at,
                                    (long long)pairs[2 * k]));
            return IR_NONE;
        }
        if (axis >= 0)
            dims[axis] = 2 * k + 1;
    }
    ir_ref y = ir_broadcast_in_dim(b, x[0].ref, 2 * rank, pairs, dims);
    const ir_type *wide = y ? ir_btype(b, y) : NULL;
    for (int k = 0; wide && k < rank; k++)
        joined[k] = wide->dims[2 * k] * wide->dims[2 * k + 1];
    return wide ? ir_reshape(b, y, rank, joined) : IR_NONE;
}

cot_value
cot_tile_(cot_place at, cot_value x, cot_list times)
{
    return fe_apply1(at, "tile", tile, x, &times);
}

typedef struct along {
    int64_t n;
    int axis;
} along;

static ir_ref
repeat(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const along *a = o;
    const ir_type *t = ir_btype(b, x[0].ref);
    const int axis = fe_axis(b, "repeat", a->axis, t->rank);
    int64_t shape[COT_MAX_RANK];

    (void)n;
    if (axis < 0)
        return IR_NONE;
    if (a->n < 0) {
        ir_build_fail(b, "repeat", ERR_attr_wrong,
                      ir_format(b->arena, "n is %lld; wants 0 or more", (long long)a->n));
        return IR_NONE;
    }
    ir_ref y = ir_broadcast_axis(b, x[0].ref, axis + 1, a->n);
    const ir_type *wide = y ? ir_btype(b, y) : NULL;
    for (int k = 0; wide && k < t->rank; k++)
        shape[k] = k == axis ? wide->dims[k] * wide->dims[k + 1] : t->dims[k];
    return wide ? ir_reshape(b, y, t->rank, shape) : IR_NONE;
}

cot_value
cot_repeat_(cot_place at, cot_value x, int64_t n, int axis)
{
    return fe_apply1(at, "repeat", repeat, x, &(along){ n, axis });
}

/* Coordinate i of a grid; swapped: axes 0 and 1 are each other's. */
typedef struct grid {
    int i;
    bool swapped;
} grid;

static ir_ref
coordinate(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const grid *g = o;
    int64_t shape[COT_MAX_RANK];

    if (n > COT_MAX_RANK) {
        ir_build_fail(b, "meshgrid", ERR_attr_wrong,
                      ir_format(b->arena, "has %d vectors; wants %d or less", n, COT_MAX_RANK));
        return IR_NONE;
    }
    const int64_t axis = g->swapped && g->i < 2 && n > 1 ? 1 - g->i : g->i;
    for (int k = 0; k < n; k++) {
        const ir_type *t = ir_btype(b, x[k].ref);
        if (t->rank > 1) {
            ir_build_fail(b, "meshgrid", ERR_attr_wrong,
                          ir_format(b->arena, "vector %d is %s; wants one axis, or none", k,
                                    ir_type_str(b->ctx, t)));
            return IR_NONE;
        }
        shape[g->swapped && k < 2 && n > 1 ? 1 - k : k] = t->size;
    }
    ir_ref line = ir_reshape(b, x[g->i].ref, 1, &ir_btype(b, x[g->i].ref)->size);
    return ir_broadcast_in_dim(b, line, n, shape, &axis);
}

void
cot_meshgrid_(cot_place at, cot_values xs, cot_value *out, const cot_meshgrid_options *o,
              size_t size)
{
    FE_OPTIONS(cot_meshgrid_options, opt, o, size);
    fe_readable(&xs);
    for (int i = 0; out && i < xs.n; i++)
        out[i] = fe_apply_values(at, "meshgrid", coordinate, xs, &(grid){ i, !opt.matrix });
}

static ir_ref
diff(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const along *a = o;
    const int axis = fe_axis(b, "diff", a->axis, ir_btype(b, x[0].ref)->rank);
    ir_ref y = x[0].ref;

    (void)n;
    if (axis < 0)
        return IR_NONE;
    if (a->n < 0) {
        ir_build_fail(b, "diff", ERR_attr_wrong,
                      ir_format(b->arena, "n is %lld; wants 0 or more", (long long)a->n));
        return IR_NONE;
    }
    for (int64_t k = 0; y && k < a->n; k++) {
        const ir_type *t = ir_btype(b, y);
        if (t->dims[axis] == 0)
            break;
        ir_ref after = ir_slice_axis(b, y, axis, 1, t->dims[axis]);
        ir_ref before = ir_slice_axis(b, y, axis, 0, t->dims[axis] - 1);
        y = ir_op2(b, t->dtype == COT_BOOL ? OP_xor : OP_sub, after, before);
    }
    return y;
}

cot_value
cot_diff_(cot_place at, cot_value x, int n, int axis)
{
    return fe_apply1(at, "diff", diff, x, &(along){ n, axis });
}
