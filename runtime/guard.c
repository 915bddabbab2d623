/* The way into a context from a public call: its lock, and a point to return to when memory is
 * short. */
#include "runtime/compile.h"

cot_status
rt_guard(cot_context *ctx, rt_body *body, void *arg)
{
    volatile cot_status status = COT_ERR_MEMORY;

    if (!ctx)
        return COT_ERR_ARG; /* of an object that was never made: there is nobody to tell */
    pthread_mutex_lock(&ctx->lock);
    IR_TRY(ctx) {
        status = body(ctx, arg);
    }
    pthread_mutex_unlock(&ctx->lock);
    return status;
}
