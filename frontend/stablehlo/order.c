/* Order: sort, top_k, and the place of an extremum.
 *
 * What a comparator does is found by asking it.  A body of comparisons, selections and the logic of bools, whose
 * constants are zeros and NaNs, can only depend on how its arguments stand to each other and to zero: so a few
 * numbers stand for all, and what agrees on them agrees everywhere. */
#include "frontend/stablehlo/rules.h"

#include "cotrace/order.h"
#include "ir/diag.h"

bool
fe_hlo_arg_search(hlo_emit *e, const pass_combiner *c, ir_ints axes)
{
    (void)e, (void)c, (void)axes;
    return false;
}

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

void
fe_hlo_top_k(hlo_emit *e)
{
    cot_value places, y;
    int64_t k;

    if (!fe_hlo_int(e, "k", NULL, &k) || e->n_out != 2)
        return;
    y = cot_top_k_(fe_hlo_place(e), fe_hlo_handle(e, e->in[0]), k, &places);
    e->out[0] = fe_hlo_ref(e, y);
    e->out[1] = fe_hlo_ref(e, places);
}
