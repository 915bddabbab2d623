/* What functions written with the public ops share: errors, and checks of a type. */
#include "frontend/sugar/written.h"

#include "ir/number.h"

#include <stdarg.h>

typedef struct complaint {
    const char *op;
    ir_error error;
    char text[512];
} complaint;

static ir_ref
complain(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const complaint *c = options;

    (void)x, (void)n;
    ir_build_fail(b, c->op, c->error, ir_format(b->arena, "%s", c->text));
    return IR_NONE;
}

cot_value
fe_wrong(cot_place at, cot_value x, const char *op, ir_error error, const char *format, ...)
{
    complaint c = { .op = op, .error = error };
    va_list rest;

    va_start(rest, format);
    ir_vsnprintf(c.text, sizeof c.text, format, rest);
    va_end(rest);
    return fe_apply1(at, op, complain, x, &c);
}

/* The trace that is open where an op on x stands; NULL, with the error recorded before the rule
 * of the op is called, if none is open. */
cot_trace *
fe_open(cot_place at, cot_value x, const char *op)
{
    cot_trace *t = fe_given(x) ? fe_context(x.ctx)->trace : NULL;

    if (fe_given(x) && !t)
        fe_wrong(at, x, op, ERR_internal, "no trace");
    return t;
}

const char *
fe_type_text(cot_value x)
{
    const char *volatile text = "nothing";

    if (!fe_given(x) || cot_dtype_of(x) == COT_DTYPE_NONE)
        return "nothing";
    cot_context *ctx = fe_context(x.ctx);
    IR_TRY(ctx) {
        const cot_type t = cot_type_of(x);
        text = ir_type_str(ctx, ir_type_of(ctx, &t));
    }
    return text;
}

typedef struct written_op {
    const char *op;
} written_op;

static ir_ref
not_floating(ir_build *b, const fe_arg *x, int n, const void *options)
{
    (void)n;
    (void)fe_is_float(b, ((const written_op *)options)->op, ir_btype(b, x[0].ref));
    return IR_NONE;
}

bool
fe_floating(cot_place at, const char *op, cot_value x)
{
    const cot_dtype t = cot_dtype_of(x);

    if (t == COT_DTYPE_NONE || ir_is_float(t))
        return true;
    fe_apply1(at, op, not_floating, x, &(written_op){ op });
    return false;
}
