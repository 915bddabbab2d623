/* cot_print, cot_check: custom functions with effects, which the runtime defines.
 *
 * Each is the identity, so that the printed or checked value keeps its derivative.  The text
 * and the shape are constant operands, so that dumps and objects contain them. */
#include "cotrace/effects.h"

#include "cotrace/sugar.h"
#include "frontend/trace.h"
#include "ir/custom.h"
#include "ir/diag.h"
#include "runtime/support/print.h"

typedef struct print_function {
    cot_dtype dtype;
    const char *name, *prototype;
    cot_symbol *symbol;
} print_function;

#define PRINTER(DTYPE, name, type)                                                             \
    {                                                                                          \
        COT_##DTYPE, "cot.print." #name,                                                       \
            "void cot_rt_print_" #name "(" #type                                               \
            " *out0 = in0, const uint8_t *in1, const int64_t *in2)",                           \
            (cot_symbol *)cot_rt_print_##name                                                  \
    }
static const print_function printers[] = { PRINTER(F32, f32, float), PRINTER(F64, f64, double),
                                           PRINTER(I64, i64, int64_t),
                                           PRINTER(U64, u64, uint64_t),
                                           PRINTER(BOOL, bool, bool) };

/* The printer whose type represents every value of the type exactly. */
static const print_function *
printer_for(cot_dtype t)
{
    cot_dtype wide = ir_is_complex(t)              ? ir_part_type(t)
                     : t == COT_F64 || t == COT_BOOL ? t
                     : ir_is_float(t)              ? COT_F32
                     : ir_is_signed(t)             ? COT_I64
                                                   : COT_U64;

    for (size_t i = 0; i < sizeof printers / sizeof *printers; i++)
        if (printers[i].dtype == wide)
            return &printers[i];
    return NULL;
}

static void
same_type(const cot_custom_info *info, const cot_type *in, cot_type *out)
{
    (void)info;
    out[0] = in[0];
}

static void
cotangent(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    (void)t, (void)info;
    out[0] = in[0];
}

/* The inputs are three operands and a result, followed by the tangent of the first operand. */
static void
tangent(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    (void)t, (void)info;
    out[0] = in[4];
}

static const cot_custom *
defined(cot_place at, cot_context *ctx, const char *name, const cot_custom_options *o)
{
    const ir_custom *c = ir_custom_find(ctx, name);
    return c ? c->def : cot_custom_new_(at, ctx, name, o, sizeof *o);
}

/* Complex numbers as alternating real and imaginary parts; below: the inverse. */
static cot_value
as_parts(cot_place at, cot_value z, int64_t n)
{
    const cot_list line = COT_LIST(n);
    const cot_value parts[2] = { cot_reshape_(at, cot_real_(at, z), line),
                                 cot_reshape_(at, cot_imag_(at, z), line) };

    return cot_stack_(at, (cot_values){ .n = 2, .at = parts }, 1);
}

static cot_value
complex_of(cot_place at, cot_value parts, const ir_type *t)
{
    const cot_list shape = { .n = t->rank, .at = t->dims };
    cot_value re = cot_reshape_(at, cot_index_(at, parts, 0, 1), shape),
              im = cot_reshape_(at, cot_index_(at, parts, 1, 1), shape);

    return cot_complex_(at, COT_OPERAND(re), COT_OPERAND(im));
}

cot_value
cot_print_(cot_place at, cot_value x, const char *text)
{
    cot_context *ctx = x.ctx;
    cot_trace *t = ctx ? fe_current(ctx, at, "print") : NULL;
    ir_ref v = t ? fe_resolve(t, x, "print", 0) : IR_NONE;

    if (!v)
        return (cot_value){ ctx, 0, 0 };
    if (!text)
        return cot_trace_fail_(at, t, "print: the text is NULL; wants one, as \"x is {}\"");
    const ir_type *type = ir_btype(t->b, v);
    const print_function *p = printer_for(type->dtype);
    const cot_custom_options o = { .n_in = 3,
                                   .symbol = p->symbol,
                                   .prototype = p->prototype,
                                   .types = same_type,
                                   .vjp = cotangent,
                                   .jvp = tangent,
                                   .sequential = true,
                                   .effects = true };
    const cot_custom *c = defined(at, ctx, p->name, &o);
    const bool pairs = ir_is_complex(type->dtype);
    int64_t shape[1 + COT_MAX_RANK] = { pairs ? -1 - type->rank : type->rank };
    memcpy(shape + 1, type->dims, sizeof *shape * (size_t)type->rank);
    cot_value in[3] = { pairs                     ? as_parts(at, x, type->size)
                        : type->dtype == p->dtype ? x
                                                  : cot_convert_(at, x, p->dtype),
                        cot_constant_(at, t, cot_u8((int64_t)strlen(text) + 1), text),
                        cot_constant_(at, t, cot_i64(1 + type->rank), shape) };
    cot_value y =
        cot_custom_call_(at, c, (cot_list){ 0 }, (cot_values){ .n = 3, .at = in }, NULL);
    return pairs                     ? complex_of(at, y, type)
           : type->dtype == p->dtype ? y
                                     : cot_convert_(at, y, type->dtype);
}

/* Checks all examples in one call; each still has its own result. */
static void
check_all(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    const cot_custom *const *self = info->user;
    cot_place at = { NULL, 0 }; /* location of the mapped check */

    at.file = ir_loc_root(t->ctx, t->loc, &at.line);
    cot_value all = cot_reduce_and_(at, in[0], &(cot_reduce_options){ .axes = COT_LIST(0) },
                                    sizeof(cot_reduce_options));
    cot_value said = cot_custom_call_(at, *self, (cot_list){ 0 }, COT_VALUES(all), NULL);
    out[0] = cot_and_(at, COT_OPERAND(in[0]), COT_OPERAND(said));
}

static cot_value
check(cot_place at, cot_context *ctx, cot_value p, const char *text)
{
    const char *name = ir_format(&ctx->arena, "check \"%s\"", text);
    const ir_custom *known = ir_custom_find(ctx, name);
    const cot_custom **self = known ? NULL : IR_NEW(&ctx->arena, const cot_custom *);
    const cot_custom_options o = { .symbol = (cot_symbol *)cot_rt_check,
                                   .prototype = "status = int cot_rt_check(bool *out0 = in0)",
                                   .types = same_type,
                                   .vmap = check_all,
                                   .effects = true,
                                   .user = self };
    const cot_custom *c = known ? known->def : cot_custom_new_(at, ctx, name, &o, sizeof o);

    if (self)
        *self = c;
    return cot_custom_call_(at, c, (cot_list){ 0 }, (cot_values){ .n = 1, .at = &p }, NULL);
}

cot_value
cot_check_(cot_place at, cot_value p, const char *text)
{
    cot_context *ctx = p.ctx;
    cot_trace *t = ctx ? fe_current(ctx, at, "check") : NULL;
    ir_ref v = t ? fe_resolve(t, p, "check", 0) : IR_NONE;
    cot_value volatile y = { ctx, 0, 0 };

    if (!v)
        return y;
    if (ir_btype(t->b, v)->rank > 0)
        p = cot_reduce_and_(at, p, NULL, 0);
    IR_TRY(ctx) {
        y = check(at, ctx, p, text);
    }
    return y;
}
