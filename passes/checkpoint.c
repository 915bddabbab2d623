/* A function whose derivative recomputes values instead of saving them.
 *
 * The new function is one marked call.  The rule that splits calls (rules/call.c) obeys the
 * mark at every depth, so that the recomputed part may itself be differentiated, mapped and
 * checkpointed.  Unmarked calls inside are inlined, so that the rule sees their products.
 * In/out arguments pass through as in every transform. */
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
    b->loc = f->n_out > 0 ? pass_output_loc(f, 0) : 0;
    ir_add_node(b, OP_call, f->n_in, in, &at, y);
    for (int j = 0; j < f->n_out; j++)
        pass_output(b, f, j, y[j], "");
    return pass_end(b, "checkpoint", out);
}
