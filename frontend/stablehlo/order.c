/* Order: sort, top_k, and the place of an extremum.
 *
 * What a comparator does is found by asking it.  A body of comparisons, selections and the logic of bools, whose
 * constants are zeros and NaNs, can only depend on how its arguments stand to each other and to zero: so a few
 * numbers stand for all, and what agrees on them agrees everywhere. */
#include "frontend/stablehlo/rules.h"

#include "cotrace/order.h"
#include "ir/diag.h"

bool
fe_hlo_arg_search(hlo_emit *e, const ir_graph *g, ir_ints axes)
{
    (void)e, (void)g, (void)axes;
    return false;
}

void
fe_hlo_sort(hlo_emit *e)
{
    fe_hlo_fail(e, "the op is not supported");
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
