/* What a call may take (cot_limits), and the flag that cancels it. */
#ifndef IR_LIMIT_H
#define IR_LIMIT_H

#include "ir/context.h"

/* COT_OK, or the error recorded at the place that ctx->here names: cancelled, or past a
 * limit. */
cot_status ir_check(cot_context *ctx);

/* Begins a stage of the call at hand, of total steps (0: not known), for cot_options.progress,
 * which ir_check calls.  stage is a constant. */
void ir_stage(cot_context *ctx, const char *stage, const char *function, uint64_t total);
static inline void
ir_stage_done(cot_context *ctx, uint64_t done)
{
    ctx->progress.at.done = done;
}

/* Called for each node made: is it time to call ir_check?  The clock is read for one node of
 * many. */
static inline bool
ir_tick(cot_context *ctx)
{
    ctx->made++;
    return (ctx->limits.nodes && ctx->made > ctx->limits.nodes) || ctx->made % 64 == 0 ||
           ir_is_cancelled(ctx);
}

/* Seconds of the monotonic clock. */
double ir_now(void);
/* COT_TIME: prints a row: what took how many seconds since start, the memory that the process
 * has now, and text. */
void ir_print_time(const cot_context *ctx, const char *what, double seconds, const char *text);
/* Seconds that the call at hand has left; below 0 where there is no limit. */
double ir_seconds_left(const cot_context *ctx);

/* limits.bytes: the context's allocator becomes one that counts.  False: memory is short.
 *  The end frees the context's own block; arrays that outlive it keep the meter. */
bool ir_meter_begin(cot_context *ctx, uint64_t bytes);
void ir_meter_end(cot_context *ctx);
/* The text for an allocation that the limit refused since the last ir_meter_clear, or NULL. */
const char *ir_meter_refused(const cot_context *ctx);
void ir_meter_clear(cot_context *ctx);

#endif
