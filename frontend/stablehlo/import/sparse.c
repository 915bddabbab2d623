/* A sparse matrix times a dense one, as JAX calls it for matrices stored by rows (BCSR).
 *
 * Element k is in the row before which k + 1 starts come; it adds data[k] times the row of its
 * column to the result.  What is stored after the last row is in none: it is dropped. */
#include "cotrace/index.h"
#include "cotrace/order.h"
#include "cotrace/sugar.h"
#include "frontend/stablehlo/import/emit.h"
#include "frontend/stablehlo/import/rules.h"

void
fe_hlo_csr(hlo_emit *e)
{
    ir_build *b = e->b;
    const cot_place at = fe_hlo_place(e);
    const ir_type *data = fe_hlo_in_type(e, 0), *start = fe_hlo_in_type(e, 1),
                  *column = fe_hlo_in_type(e, 2), *x = fe_hlo_in_type(e, 3);
    const bool fits = data->rank == 1 && start->rank == 1 && column->rank == 1 &&
                      x->rank >= 1 && x->rank <= 2 && start->size > 0 &&
                      column->size == data->size && start->dtype == column->dtype &&
                      ir_is_int(start->dtype) && data->dtype == x->dtype;

    if (!fits) {
        fe_hlo_fail(e, "operands are %s, %s, %s and %s", ir_type_str(b->ctx, data),
                    ir_type_str(b->ctx, start), ir_type_str(b->ctx, column),
                    ir_type_str(b->ctx, x));
        return;
    }
    const int64_t rows = start->size - 1,
                  wide[2] = { data->size, x->rank == 2 ? x->dims[1] : 1 };
    if (data->size == 0 || x->size == 0) {
        const ir_type *t = fe_hlo_out_type(e, 0);
        e->out[0] = t ? ir_zeros(b, t) : IR_NONE;
        return;
    }
    ir_ref k = ir_iota(b, start->dtype, 1, wide, 0);
    const cot_order_options right = { .right = 1 };
    ir_ref row = fe_hlo_ref(e, cot_searchsorted_(at, fe_hlo_handle(e, e->in[1]),
                                                 fe_hlo_handle(e, k), &right, sizeof right));
    row = row ? ir_sub(b, row, ir_splat_int(b, ir_btype(b, row), 1)) : IR_NONE;
    ir_ref of =
        fe_hlo_ref(e, cot_take_(at, fe_hlo_handle(e, e->in[3]), fe_hlo_handle(e, e->in[2]), 0));
    ir_ref by = x->rank == 2 ? ir_broadcast_axis(b, e->in[0], 1, wide[1]) : e->in[0];
    ir_ref term = by && of ? ir_mul(b, by, of) : IR_NONE;
    if (term && row)
        e->out[0] = fe_hlo_ref(e, cot_segment_(at, COT_UPDATE_ADD, fe_hlo_handle(e, term),
                                               fe_hlo_handle(e, row), rows));
}
