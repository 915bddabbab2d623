/* A function whose derivative computes again what it would otherwise keep.
 *
 * The new function is one call, marked; the rule that splits calls (rules/call.c) obeys the
 * mark, at every depth: what is computed again may be differentiated, mapped and checkpointed
 * itself.
 * Calls inside are dissolved, so that the products in them are in sight; marked ones stay.
 * In/out arguments pass through as they do in every transform. */
#include "passes/engine.h"

cot_status
pass_checkpoint(const ir_graph *f, bool products, ir_graph **out)
{
    ir_build *b = pass_begin(f, "checkpoint");
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, f->n_in + 1),
           *y = IR_NEW_N(b->arena, ir_ref, f->n_out + 1);
    ir_attrs at = { .call = { .remat = products ? IR_REMAT_BUT_PRODUCTS : IR_REMAT_ALL } };

    COT_TRY(pass_inline(f, &at.call.body));
    pass_inputs(b, f, in);
    ir_add_node(b, OP_call, f->n_in, in, &at, y);
    for (int j = 0; j < f->n_out; j++)
        pass_output(b, f, j, y[j], "");
    return pass_end(b, "checkpoint", out);
}
