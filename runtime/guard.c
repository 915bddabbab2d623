/* Entry into a context from a public call: takes its lock, and sets a recovery point for
 * running out of memory. */
#include "runtime/compile.h"

cot_status
rt_guard(cot_context *ctx, rt_body *body, void *arg)
{
    volatile cot_status status = COT_ERR_MEMORY;

    if (!ctx)
        return COT_ERR_ARG; /* there is no context, so no error can be recorded */
    pthread_mutex_lock(&ctx->lock);
    IR_TRY(ctx) {
        status = body(ctx, arg);
    }
    if (status == COT_ERR_MEMORY)
        ctx->unfolded = false; /* what set it may not have ended */
    pthread_mutex_unlock(&ctx->lock);
    return status;
}
