/* Optional arguments: declared by a body with a default, passed by name to any transform of it.
 *
 * The value is kept in the recipe of the body, so that no transform sees an argument: a number
 * becomes a constant; a value of an enclosing trace is captured at its first use, and captures
 * are not mapped and not differentiated. */
#include "frontend/fn.h"
#include "frontend/trace.h"
#include "frontend/tree.h"
#include "ir/diag.h"

static cot_fn *
bad(cot_fn *f, ir_loc loc)
{
    cot_fn *g = fe_fn_with(f, NULL);

    fe_fn_spoil(g);
    g->loc = loc;
    return g;
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
    const cot_fn *body = fe_body_of(f);
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
cot_fn *
fe_optional_bind(const cot_fn *f, const char *name, cot_operand x)
{
    if (f->of)
        return fe_fn_with(f, fe_optional_bind(f->of, name, x));
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
        const cot_fn *body = fe_body_of(f);
        if (f->kind == FE_FN_BAD) {
            out = f;
        } else if (body->kind != FE_FN_BODY || find(body, name) < 0) {
            fail_unknown(f, loc, name);
            out = bad(f, loc);
        } else {
            cot_fn *g = fe_optional_bind(f, name, x);
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
        const cot_fn *body = fe_body_of(f);
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
