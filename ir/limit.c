/* Limits of a call, and its cancellation.  The builder asks for every node, passes and readers
 * at each of their steps. */
#include "ir/limit.h"

#include "ir/diag.h"

_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal handler stores to the flag");

cot_status
ir_check(cot_context *ctx)
{
    if (atomic_load_explicit(&ctx->cancelled, memory_order_relaxed))
        return ir_fail(ctx, 0, NULL, ERR_cancelled);
    if (ctx->limits.nodes && ctx->made > ctx->limits.nodes)
        return ir_fail(ctx, 0, NULL, ERR_limit_nodes, (unsigned long long)ctx->made,
                       (unsigned long long)ctx->limits.nodes);
    if (ir_seconds_left(ctx) == 0)
        return ir_fail(ctx, 0, NULL, ERR_limit_seconds, ir_now() - ctx->began,
                       ctx->limits.seconds);
    return COT_OK;
}

void
cot_cancel(cot_context *ctx)
{
    if (ctx)
        atomic_store_explicit(&ctx->cancelled, 1, memory_order_relaxed);
}

void
cot_cancel_clear(cot_context *ctx)
{
    if (ctx)
        atomic_store_explicit(&ctx->cancelled, 0, memory_order_relaxed);
}
