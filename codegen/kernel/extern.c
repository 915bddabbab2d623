/* The C functions that a module calls, and which back end can call them. */
#include "codegen/kernel/kernel.h"
#include "ir/diag.h"
#include "ir/foreign.h"

bool
cg_extern_on_device(const cg_extern *x)
{
    for (int i = 0; i < x->n; i++)
        if (x->arg[i].address == ir_c_stream)
            return true;
    return false;
}

cot_status
cg_check_externs(const cg_module *m, const char *back_end)
{
    for (uint32_t i = 0; i < m->n_ext; i++) {
        const cg_extern *x = m->ext[i];
        if (cg_extern_on_device(x))
            return ir_fail(
                m->ctx, x->loc, "custom_call", ERR_target,
                ir_format(
                    &m->ctx->message_arena,
                    "%s runs on a GPU: its prototype takes the stream; wants the back end cuda",
                    x->name));
        if (!back_end && !x->address)
            return ir_fail(m->ctx, x->loc, "custom_call", ERR_custom_missing, x->name, "run");
        if (back_end && strncmp(x->name, "lapack.", 7) == 0)
            return ir_fail(m->ctx, x->loc, x->name + 7, ERR_lapack_back_end, back_end);
        if (back_end && !x->symbol)
            return ir_fail(m->ctx, x->loc, "custom_call", ERR_custom_back_end, x->name,
                           back_end);
    }
    return COT_OK;
}
