/* Memory for proofs (scratch.h). */
#include "codegen/verify/scratch.h"

#include "ir/context.h"

cot_status
cg_with_scratch(const cg_module *m, cg_scratch_use *use, void *user)
{
    volatile cot_status status = COT_OK;
    volatile bool ended = false;
    cg_scratch s;

    ir_arena_init(&s.module, m->ctx);
    ir_arena_init(&s.kernel, m->ctx);
    ir_arena_init(&s.proof, m->ctx);
    IR_TRY (m->ctx) {
        status = use(m, &s, user);
        ended = true;
    }
    ir_arena_free(&s.proof);
    ir_arena_free(&s.kernel);
    ir_arena_free(&s.module);
    if (!ended)
        ir_out_of_memory(m->ctx);
    return status;
}
