/* Optional arguments: declared by a body with a default, passed by name to any transform of it.
 *
 * The value lies in the recipe of the body, so that no transform sees an argument: a number
 * becomes a constant, a value of a trace around is captured at its first use, and captures are
 * unmapped and in no wrt.  To take one as an argument, a trace is opened around the whole
 * recipe: its last inputs are the optional arguments, and the recipe inside captures them. */
#include "frontend/fn.h"
#include "frontend/trace.h"
#include "frontend/tree.h"
#include "ir/diag.h"

cot_value
fe_optional_value(cot_trace *t, const fe_optional *o, int n, const ir_type *const *type)
{
    fe_arg x = { IR_NONE, o->value.kind, o->value.real, o->value.integer };
    cot_dtype dtype = COT_DTYPE_NONE;

    if (o->value.kind == COT_IS_VALUE)
        return o->value.value;
    for (int i = 0; i < n && dtype == COT_DTYPE_NONE; i++)
        dtype = ir_is_float(type[i]->dtype) ? type[i]->dtype : dtype;
    if (dtype == COT_DTYPE_NONE)
        dtype = COT_F32;
    return fe_handle(t, fe_number(t->b, o->name, &x, ir_scalar_type(t->ctx, dtype)));
}

static cot_fn *
bad(cot_fn *f, ir_loc loc)
{
    cot_fn *g = fe_fn_with(f, NULL);

    fe_fn_spoil(g);
    g->loc = loc;
    return g;
}

/* The body that f is made of. */
static const cot_fn *
body_of(const cot_fn *f)
{
    while (f->of)
        f = f->of;
    return f;
}

int
fe_optional_names(const cot_fn *f, const char *const **out)
{
    const cot_fn *body = body_of(f);
    const char **name = IR_NEW_N(&f->ctx->arena, const char *, body->n_optional + 1);

    for (int i = 0; i < body->n_optional; i++)
        name[i] = body->optional[i].name;
    *out = name;
    return body->n_optional;
}

static int
find(const cot_fn *body, const char *name)
{
    for (int i = 0; i < body->n_optional; i++)
        if (strcmp(body->optional[i].name, name) == 0)
            return i;
    return -1;
}

static void
fail_unknown(const cot_fn *f, ir_loc loc, const char *name)
{
    const cot_fn *body = body_of(f);
    const char *list = body->n_optional ? body->optional[0].name : "none";

    for (int i = 1; i < body->n_optional; i++)
        list = ir_format(&f->ctx->message_arena, "%s, %s", list, body->optional[i].name);
    ir_fail(f->ctx, loc, f->name, ERR_optional_unknown, name, list);
}

cot_fn *
cot_fn_optional_(cot_place at, cot_fn *f, const char *name, double value)
{
    cot_fn *volatile out = NULL;

    if (!f)
        return NULL;
    IR_TRY(f->ctx) {
        ir_arena *a = &f->ctx->arena;
        ir_loc loc = ir_loc_file(f->ctx, at.file, at.line);
        const char *const *names;
        int n, k = f->n_optional;
        bool ok = fe_tree_names(f->ctx, loc, name ? name : "", &n, &names);
        if (f->kind != FE_FN_BODY && f->kind != FE_FN_BAD)
            ir_fail(f->ctx, loc, f->name, ERR_usage,
                    "is not a body; give optional arguments to the body it is made of");
        else if (ok && n != 1)
            ir_fail(f->ctx, loc, f->name, ERR_fn_names, 1, "optional argument", n);
        else if (ok && find(f, names[0]) >= 0)
            ir_fail(f->ctx, loc, f->name, ERR_optional_twice, name);
        if (!ok || f->kind != FE_FN_BODY || n != 1 || find(f, names[0]) >= 0) {
            out = bad(f, loc);
        } else {
            cot_fn *g = fe_fn_with(f, NULL);
            fe_optional *list = IR_NEW_N(a, fe_optional, k + 1);
            if (k > 0)
                memcpy(list, f->optional, sizeof *list * (size_t)k);
            list[k] = (fe_optional){ names[0], cot_operand_real(value) };
            g->optional = list;
            g->n_optional = k + 1;
            out = g;
        }
    }
    return out;
}

/* The recipe with another value in its body, which has the name. */
static cot_fn *
bind(const cot_fn *f, const char *name, cot_operand x)
{
    if (f->of)
        return fe_fn_with(f, bind(f->of, name, x));
    cot_fn *g = fe_fn_with(f, NULL);
    fe_optional *list = IR_NEW_N(&f->ctx->arena, fe_optional, f->n_optional);
    memcpy(list, f->optional, sizeof *list * (size_t)f->n_optional);
    list[find(f, name)].value = x;
    g->optional = list;
    return g;
}

cot_fn *
cot_with_(cot_place at, cot_fn *f, const char *name, cot_operand x)
{
    cot_fn *volatile out = NULL;

    if (!f)
        return NULL;
    IR_TRY(f->ctx) {
        ir_loc loc = ir_loc_file(f->ctx, at.file, at.line);
        const cot_fn *body = body_of(f);
        if (f->kind == FE_FN_BAD) {
            out = f;
        } else if (body->kind != FE_FN_BODY || find(body, name) < 0) {
            fail_unknown(f, loc, name);
            out = bad(f, loc);
        } else {
            cot_fn *g = bind(f, name, x);
            g->with = ir_copy_string(&f->ctx->arena, name);
            g->with_value = x;
            out = x.kind == COT_IS_VALUE ? g : fe_fn_shared(f, g);
        }
    }
    return out;
}

cot_fn *
cot_taking_(cot_place at, cot_fn *f, const char *text)
{
    cot_fn *volatile out = NULL;

    if (!f)
        return NULL;
    IR_TRY(f->ctx) {
        ir_loc loc = ir_loc_file(f->ctx, at.file, at.line);
        const cot_fn *body = body_of(f);
        const char *const *name;
        int n = 0, i = 0;
        if (f->kind != FE_FN_BAD && fe_tree_names(f->ctx, loc, text ? text : "", &n, &name))
            while (i < n && find(body, name[i]) >= 0)
                i++;
        if (i < n)
            fail_unknown(f, loc, name[i]);
        if (n == 0 || i < n) {
            out = bad(f, loc);
        } else {
            cot_fn *g = fe_fn_with(f, f);
            fe_optional *list = IR_NEW_N(&f->ctx->arena, fe_optional, n);
            for (i = 0; i < n; i++)
                list[i].name = name[i];
            g->kind = FE_FN_TAKING;
            g->loc = loc;
            g->optional = list;
            g->n_optional = n;
            g->with = ir_copy_string(&f->ctx->arena, text);
            out = fe_fn_shared(f, g);
        }
    }
    return out;
}

/* The recipe inside, on the inputs of t; its captures are values of t. */
static cot_status
call_inside(cot_fn *f, cot_trace *t, fe_source *s, const cot_value *in, cot_value **out)
{
    int n = s->n_in - f->n_optional;
    cot_fn *g = f->of;
    const fe_special *inner;

    for (int i = 0; i < f->n_optional; i++)
        g = bind(g, f->optional[i].name, cot_operand_value(in[n + i]));
    COT_TRY(fe_specialise(g, n, s->type, false, &inner));
    const ir_graph *h = inner->graph;
    ir_ref *x = IR_NEW_N(t->b->arena, ir_ref, h->n_in + 1);
    ir_ref *y = IR_NEW_N(t->b->arena, ir_ref, h->n_out + 1);
    for (int i = 0; i < n; i++)
        x[i] = in[i].id;
    for (int i = 0; i < inner->n_captured; i++)
        x[n + i] = inner->captured[i];
    ir_inline_graph(t->b, h, x, y);
    *out = IR_NEW_N(t->b->arena, cot_value, h->n_out + 1);
    for (int i = 0; i < h->n_out; i++)
        (*out)[i] = fe_handle(t, y[i]);
    s->n_out = h->n_out;
    s->out_name = h->out_name;
    return COT_OK;
}

/* The inputs' names: those of the recipe inside, then the optional arguments'. */
static const char *const *
names_with_optional(const cot_fn *f, int n)
{
    const char *const *known = fe_argument_names(f->of, n - f->n_optional);
    const char **name = IR_NEW_N(&f->ctx->arena, const char *, n + 1);

    for (int i = 0; i < n; i++)
        name[i] = i < n - f->n_optional ? known[i] : f->optional[i - (n - f->n_optional)].name;
    return name;
}

cot_status
fe_specialise_taking(cot_fn *f, bool alone, fe_special *s)
{
    cot_context *ctx = f->ctx;
    cot_trace *const below = ctx->trace;
    fe_source source = {
        .name = f->name, .loc = f->loc, .n_in = s->n_types, .type = s->type, .alone = alone
    };
    volatile cot_status status = COT_ERR_MEMORY;

    if (s->n_types < f->n_optional)
        return ir_fail(ctx, f->loc, f->name, ERR_fn_arguments, s->n_types, f->n_optional);
    IR_TRY(ctx) {
        cot_value *in = IR_NEW_N(&ctx->arena, cot_value, s->n_types + 1), *out = NULL;
        source.in_name = names_with_optional(f, s->n_types);
        cot_trace *t = fe_trace_begin(ctx, &source, in);
        const cot_status called = call_inside(f, t, &source, in, &out);
        status = called == COT_OK ? fe_trace_end(t, &source, out, &s->graph) : called;
        s->n_captured = (int)t->n_captured;
        s->captured = t->captured;
        s->n_hidden = (int)t->n_hidden;
    }
    fe_trace_unwind(ctx, below); /* it failed: the trace was not ended */
    return status;
}
