/* Order: sort and top_k.  Comparators of sort are read by passes/sorting.c. */
#include "frontend/stablehlo/import/rules.h"

#include "cotrace/order.h"
#include "cotrace/sugar.h"

void
fe_hlo_sort(hlo_emit *e)
{
    const int rank = e->n_in > 0 ? fe_hlo_in_type(e, 0)->rank : 0;
    int64_t axis = fe_hlo_int_or(e, "dimension", rank - 1);
    pass_combiner c;

    axis += axis < 0 ? rank : 0;
    if (e->n_in < 1 || e->n_out != e->n_in || axis < 0 || axis >= rank) {
        fe_hlo_fail(e, "wants operands with an axis to sort along, and a result for each");
        return;
    }
    for (int i = 1; i < e->n_in; i++)
        if (!ir_same_shape(fe_hlo_in_type(e, i), fe_hlo_in_type(e, 0))) {
            fe_hlo_fail(e, "its operands have different shapes");
            return;
        }
    if (!fe_hlo_combiner(e, 0, e->n_in, e->in, true, &c))
        return;
    if (c.g->n_out != 1 || ir_type_at(c.g, c.g->out[0]) != ir_scalar_type(e->b->ctx, COT_BOOL))
        fe_hlo_fail(e, "its comparator gives no i1");
    else
        pass_sort(e->b, &c, (int)axis, e->in, e->out);
}

/* The first k along an axis by the order of a comparator, exactly: half of the operands, the
 * others are what is less than all. */
void
fe_hlo_approx_top_k(hlo_emit *e)
{
    const int n = e->n_in / 2, rank = fe_hlo_in_type(e, 0)->rank;
    const ir_type *t = fe_hlo_out_type(e, 0);
    pass_combiner c;

    if (!t)
        return;
    int axis = 0;
    while (axis < rank && axis < t->rank && t->dims[axis] == fe_hlo_in_type(e, 0)->dims[axis])
        axis++;
    if (n < 1 || e->n_in != 2 * n || e->n_out != n || t->rank != rank) {
        fe_hlo_fail(e, "has %d operands and %d results", e->n_in, e->n_out);
        return;
    }
    if (axis == rank)
        axis = rank - 1;
    for (int i = 0; i < n; i++)
        if (!ir_same_shape(fe_hlo_in_type(e, i), fe_hlo_in_type(e, 0)) || axis < 0 ||
            t->dims[axis] > fe_hlo_in_type(e, 0)->dims[axis]) {
            fe_hlo_fail(
                e, "wants operands of one shape, and results that are shorter along one axis");
            return;
        }
    if (!fe_hlo_combiner(e, 0, n, e->in, true, &c))
        return;
    ir_ref *y = IR_NEW_N(e->b->arena, ir_ref, n + 1);
    pass_sort(e->b, &c, axis, e->in, y);
    for (int i = 0; i < n; i++)
        e->out[i] = y[i] ? ir_slice_axis(e->b, y[i], axis, 0, t->dims[axis]) : IR_NONE;
}

/* The largest by the total order of floats: NaN, inf, ..., 0, -0, ..., -inf, -NaN. */
void
fe_hlo_top_k(hlo_emit *e)
{
    const bool real = ir_is_float(fe_hlo_in_type(e, 0)->dtype);
    cot_value places;
    int64_t k;

    ir_ints known;
    if (e->n_in == 2 && fe_hlo_known(e, e->in[1], "the number of elements", &known))
        k = known.n == 1 ? known.at[0] : -1;
    else if (!fe_hlo_int(e, "k", NULL, &k))
        return;
    if (e->n_out != 2)
        return;
    if (!real) {
        cot_value y = cot_top_k_(fe_hlo_place(e), fe_hlo_handle(e, e->in[0]), k, &places);
        e->out[0] = fe_hlo_ref(e, y);
    } else {
        cot_top_k_(fe_hlo_place(e), fe_hlo_handle(e, fe_hlo_total(e->b, e->in[0])), k, &places);
        e->out[0] = fe_hlo_ref(
            e, cot_take_along_(fe_hlo_place(e), fe_hlo_handle(e, e->in[0]), places, -1));
    }
    e->out[1] = fe_hlo_ref(e, places);
}
