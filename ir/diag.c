/* The error record: the first error since the last clear, as text. */
#include "ir/diag.h"

#include <errno.h>

#include "ir/context.h"
#include "ir/limit.h"

static const struct {
    cot_status status;
    const char *format;
} error_row[ERR_COUNT] = {
#define ERR(name, status, ...)   { status, ERR_FORMAT(__VA_ARGS__, "") },
#define ERR_FORMAT(format, ...) format
#include "ir/errors.def"
#undef ERR_FORMAT
#undef ERR
};

/* The functions and transforms around the op, innermost first; of a deep nest only both
 * ends. */
static void
print_around(const ir_around *a, ir_buf *b)
{
    int n = 0, i = 0;

    for (const ir_around *each = a; each; each = each->outer)
        n++;
    for (; a; a = a->outer, i++)
        if (n <= 8 || i < 4 || i >= n - 2)
            ir_buf_printf(b, ", in %s", a->how);
        else if (i == 4)
            ir_buf_printf(b, ", in %d more", n - 6);
}

cot_status
ir_fail_v(cot_context *ctx, ir_loc loc, const char *op, ir_error error, va_list ap)
{
    cot_status status = error_row[error].status;
    if (ctx->status != COT_OK)
        return status;
    ir_buf b;
    ir_buf_init(&b, &ctx->message_arena);
    if (!loc && !op) {
        loc = ctx->here.loc;
        op = ctx->here.op;
    }
    ir_loc_print(ctx, loc, &b);
    if (b.n)
        print_around(ctx->around, &b);
    if (b.n)
        ir_buf_str(&b, ": ");
    if (op)
        ir_buf_printf(&b, "%s: ", op);
    ir_buf_vprintf(&b, error_row[error].format, ap);
    ctx->status = status;
    ctx->message = b.text;
    return status;
}

cot_status
ir_fail(cot_context *ctx, ir_loc loc, const char *op, ir_error error, ...)
{
    va_list ap;
    va_start(ap, error);
    const cot_status status = ir_fail_v(ctx, loc, op, error, ap);
    va_end(ap);
    return status;
}

cot_status
ir_fail_null(cot_context *ctx, const char *op, const char *what)
{
    volatile cot_status status = COT_ERR_ARG;

    if (!ctx)
        return COT_ERR_ARG;
    IR_TRY (ctx) {
        ir_fail(ctx, 0, op, ERR_is_null, what);
    }
    IR_CAUGHT(ctx)
    {
        status = COT_ERR_MEMORY;
    }
    return status;
}

cot_status
ir_fail_io(cot_context *ctx, const char *path, int error)
{
    if (error == EINTR && ir_is_cancelled(ctx))
        /* the handler that cancels interrupted it */
        return ir_fail(ctx, 0, NULL, ERR_cancelled);
    return error == ENOMEM ? ir_fail(ctx, 0, NULL, ERR_memory)
                           : ir_fail(ctx, 0, NULL, ERR_io, path, strerror(error));
}

const char *
cot_error(const cot_context *ctx)
{
    if (!ctx)
        return "the context is NULL";
    if (ctx->status == COT_ERR_MEMORY && ir_meter_refused(ctx))
        return ir_meter_refused(ctx);
    return ctx->status == COT_OK ? ""
           : ctx->message        ? ctx->message
           : ctx->short_of[0]    ? ctx->short_of
                                 : "out of memory";
}

cot_status
cot_error_status(const cot_context *ctx)
{
    return ctx ? ctx->status : COT_ERR_ARG;
}

void
cot_error_clear(cot_context *ctx)
{
    if (!ctx)
        return;
    ctx->status = COT_OK;
    ctx->message = NULL;
    ctx->short_of[0] = '\0';
    ir_meter_clear(ctx);
    ir_arena_free(&ctx->message_arena);
}

const char *
cot_status_name(cot_status status)
{
    static const char *const name[] = {
        [COT_OK] = "ok",
        [COT_ERR_SHAPE] = "shape",
        [COT_ERR_DTYPE] = "dtype",
        [COT_ERR_ARG] = "argument",
        [COT_ERR_RULE] = "rule",
        [COT_ERR_TRACE] = "trace",
        [COT_ERR_PARSE] = "parse",
        [COT_ERR_IO] = "io",
        [COT_ERR_BOUND] = "bound",
        [COT_ERR_TARGET] = "target",
        [COT_ERR_FOREIGN] = "foreign",
        [COT_ERR_MEMORY] = "memory",
        [COT_ERR_INTERNAL] = "internal",
        [COT_ERR_LIMIT] = "limit",
        [COT_ERR_CANCELLED] = "cancelled",
    };
    return (unsigned)status < sizeof name / sizeof *name ? name[status] : "unknown";
}
