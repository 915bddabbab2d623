/* Memory from the context's allocator, and where its failure returns to. */
#include <stdlib.h>

#include "ir/context.h"

void
ir_out_of_memory(cot_context *ctx)
{
    if (ctx->status == COT_OK) {
        ctx->status = COT_ERR_MEMORY;
        ctx->message = NULL;
    }
    if (!ctx->recover)
        abort(); /* every public call sets a recovery point */
    longjmp(ctx->recover->jump, 1);
}

void *
ir_realloc(cot_context *ctx, void *old, size_t bytes)
{
    void *p = ctx->realloc(ctx->alloc_user, old, bytes);
    if (!p)
        ir_out_of_memory(ctx);
    return p;
}

void
ir_free(cot_context *ctx, void *p)
{
    if (p)
        ctx->realloc(ctx->alloc_user, p, 0);
}
