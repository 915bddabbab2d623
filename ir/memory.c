/* Memory from the context's allocator, and where its failure returns to. */
#include <stdio.h>
#include <stdlib.h>

#include "ir/context.h"

/* The message has a place of its own: there may be no memory for it. */
void
ir_short_of_memory(cot_context *ctx, size_t bytes)
{
    if (ctx->status == COT_OK) {
        ctx->status = COT_ERR_MEMORY;
        ctx->message = NULL;
        snprintf(ctx->short_of, sizeof ctx->short_of,
                 bytes ? "out of memory: %zu bytes more are wanted" : "out of memory", bytes);
    }
    if (!ctx->recover)
        abort(); /* every public call sets a recovery point */
    longjmp(ctx->recover->jump, 1);
}

void
ir_out_of_memory(cot_context *ctx)
{
    ir_short_of_memory(ctx, 0);
}

void *
ir_realloc(cot_context *ctx, void *old, size_t bytes)
{
    void *p = ctx->realloc(ctx->alloc_user, old, bytes);
    if (!p)
        ir_short_of_memory(ctx, bytes);
    return p;
}

void
ir_free(cot_context *ctx, void *p)
{
    if (p)
        ctx->realloc(ctx->alloc_user, p, 0);
}
