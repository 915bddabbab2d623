/* Limits of a call, and its cancellation.  The builder asks for every node, passes and readers
 * at each of their steps. */
#include "ir/limit.h"

#include "ir/diag.h"

_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal handler stores to the flag");

static const double report_every = 0.1;

void
ir_stage(cot_context *ctx, const char *stage, const char *function, uint64_t total)
{
    if (ctx->progress.call)
        ctx->progress.at =
            (cot_progress){ .stage = stage,
                            .function = function ? ir_intern(ctx, function) : NULL,
                            .total = total };
}

static void
report(cot_context *ctx)
{
    const double now = ir_now();

    if (now < ctx->progress.next || !ctx->progress.at.stage)
        return;
    ctx->progress.next =
        now + (ctx->progress.after < report_every ? ctx->progress.after : report_every);
    ctx->progress.told = true;
    ctx->progress.at.seconds = now - ctx->began;
    if (!ctx->progress.at.total)
        ctx->progress.at.done = ctx->made;
    ctx->progress.call(ctx->progress.user, &ctx->progress.at);
}

cot_status
ir_check(cot_context *ctx)
{
    if (ctx->progress.call)
        report(ctx);
    if (ir_is_cancelled(ctx))
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
