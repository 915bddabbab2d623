/* Function values: recipes for bodies, graphs and transforms, and their names. */
#include "frontend/fn.h"

#include "cotrace/compile.h"
#include "frontend/signature.h"
#include "frontend/trace.h"
#include "frontend/tree.h"
#include "ir/diag.h"
#include "ir/sized.h"

void
fe_fn_spoil(cot_fn *g)
{
    g->kind = FE_FN_BAD;
    if (g->ctx->status == COT_OK || g->why)
        return;
    g->why = ir_copy_string(&g->ctx->arena, cot_error(g->ctx));
    g->failed = g->ctx->status;
}

cot_status
fe_fn_failed(const cot_fn *f)
{
    const cot_fn *bad = f;

    if (f->ctx->status != COT_OK)
        return f->ctx->status;
    while (bad && !bad->why)
        bad = bad->of;
    if (!bad)
        return ir_fail(f->ctx, f->loc, f->name, ERR_usage, "could not be made");
    f->ctx->here = (ir_here){ 0, NULL };
    ir_fail(f->ctx, 0, NULL, ERR_usage, bad->why);
    return f->ctx->status = bad->failed;
}

static cot_fn *
new_fn(cot_context *ctx, fe_kind kind, ir_loc loc, const char *name)
{
    cot_fn *f = IR_NEW(&ctx->arena, cot_fn);

    f->ctx = ctx;
    f->kind = kind;
    f->loc = loc;
    f->name = name;
    return f;
}

cot_fn *
cot_fn_new_(cot_place at, cot_context *ctx, const char *name, cot_body *body, int n_in,
            int n_out, void *user)
{
    cot_fn *volatile f = NULL;

    if (!ctx)
        return NULL;
    IR_TRY(ctx) {
        ir_loc loc = ir_loc_file(ctx, at.file, at.line);
        bool ok = name && body && n_in >= 0 && n_out >= 1;
        cot_fn *g = new_fn(ctx, ok ? FE_FN_BODY : FE_FN_BAD, loc,
                           ir_copy_string(&ctx->arena, name ? name : "f"));
        g->n_in = n_in;
        g->n_out = n_out;
        g->body = body;
        g->user = user;
        if (!ok) {
            ir_fail(ctx, loc, g->name, ERR_usage,
                    !name || !body ? "name or body is NULL; wants both"
                    : n_in < 0     ? "has a negative number of arguments; wants 0 or more"
                                   : "has no results; wants 1 or more");
            fe_fn_spoil(g);
        }
        f = g;
    }
    return f;
}

/* In place of the text of cot_open. */
static const char own_sizes[] = "those of its text";

bool
fe_has_own_sizes(const cot_fn *f)
{
    return f->open == own_sizes;
}

cot_fn *
cot_fn_of_graph(const cot_graph *g)
{
    cot_fn *volatile f = NULL;

    if (!g)
        return NULL;
    IR_TRY(g->ctx) {
        cot_fn *h = new_fn(g->ctx, FE_FN_GRAPH, 0, g->name);
        h->n_in = ir_count_open(g);
        h->n_out = g->n_out;
        h->graph = (ir_graph *)g;
        if (g->sized) {
            h->loc = ir_loc_file(g->ctx, g->sized->text->path, g->sized->head->line);
            h->open = own_sizes;
        }
        f = h;
    }
    return f;
}

static cot_status
give_names(cot_fn *f, const char *text, const char *what, int wants, const char *const **name)
{
    int n;

    if (!text)
        return COT_OK;
    if (!fe_tree_names(f->ctx, f->loc, text, &n, name))
        return fe_fn_failed(f);
    return n == wants ? COT_OK : ir_fail(f->ctx, f->loc, f->name, ERR_fn_names, wants, what, n);
}

cot_fn *
cot_fn_named_(cot_place at, cot_fn *f, const char *arguments, const char *results)
{
    cot_fn *volatile out = NULL;

    if (!f)
        return NULL;
    IR_TRY(f->ctx) {
        cot_fn *g = fe_fn_with(f, NULL);
        g->loc = ir_loc_file(f->ctx, at.file, at.line);
        g->in_name = g->out_name = NULL;
        if (f->kind != FE_FN_BODY && f->kind != FE_FN_BAD)
            ir_fail(f->ctx, g->loc, f->name, ERR_usage,
                    "is not a body; name the body it is made of");
        if (f->kind != FE_FN_BODY ||
            give_names(g, arguments, "arguments", g->n_in, &g->in_name) != COT_OK ||
            give_names(g, results, "results", g->n_out, &g->out_name) != COT_OK)
            fe_fn_spoil(g);
        out = g;
    }
    return out;
}

const char *
cot_fn_name(const cot_fn *f)
{
    return f ? f->name : "";
}

cot_context *
cot_fn_context(const cot_fn *f)
{
    return f ? f->ctx : NULL;
}

cot_fn *
fe_fn_with(const cot_fn *f, cot_fn *of)
{
    cot_fn *g =
        new_fn(f->ctx, of && of->kind == FE_FN_BAD ? FE_FN_BAD : f->kind, f->loc, f->name);

    g->n_in = f->n_in;
    g->n_out = f->n_out;
    g->why = f->why;
    g->failed = f->failed;
    g->body = f->body;
    g->user = f->user;
    g->in_name = f->in_name;
    g->out_name = f->out_name;
    g->n_optional = f->n_optional;
    g->optional = f->optional;
    g->graph = f->graph;
    g->of = of;
    g->row = f->row;
    g->vjp = f->vjp;
    g->options = f->options;
    return g;
}

const char *const *
fe_argument_names(const cot_fn *f, int n)
{
    const char **name = IR_NEW_N(&f->ctx->arena, const char *, n + 1);
    const char *const *known;

    while (f->kind == FE_FN_PASS || f->kind == FE_FN_FIRST || f->kind == FE_FN_TAKING)
        f = f->of;
    known = f->kind == FE_FN_GRAPH ? f->graph->in_name : f->in_name;
    for (int i = 0; known && i < n && i < f->n_in; i++)
        name[i] = known[i];
    return name;
}

/* The body at the root of f, below all transforms. */
const cot_fn *
fe_body_of(const cot_fn *f)
{
    while (f->of)
        f = f->of;
    return f;
}

int
fe_optional_names(const cot_fn *f, const char *const **out)
{
    const cot_fn *body = fe_body_of(f);
    const char **name = IR_NEW_N(&f->ctx->arena, const char *, body->n_optional + 1);

    for (int i = 0; i < body->n_optional; i++)
        name[i] = body->optional[i].name;
    *out = name;
    return body->n_optional;
}

static bool
same_text(const char *x, const char *y)
{
    return x == y || (x && y && strcmp(x, y) == 0);
}

static bool
same_dims(const pass_dims *x, const pass_dims *y)
{
    return x->n == y->n && x->one == y->one &&
           (x->n <= 0 || memcmp(x->at, y->at, sizeof *x->at * (size_t)x->n) == 0);
}

static bool
same_options(const pass_options *x, const pass_options *y)
{
    const pass_vmap_options *u = &x->vmap, *v = &y->vmap;

    return x->wrt.n == y->wrt.n &&
           (x->wrt.n <= 0 ||
            memcmp(x->wrt.arg, y->wrt.arg, sizeof *x->wrt.arg * (size_t)x->wrt.n) == 0) &&
           x->aux == y->aux && x->chunk == y->chunk && x->strict == y->strict &&
           x->remove_views == y->remove_views && same_text(x->wrt_names, y->wrt_names) &&
           same_text(x->in_names, y->in_names) && same_text(x->out_names, y->out_names) &&
           same_dims(&u->in, &v->in) && same_dims(&u->out, &v->out) && u->size == v->size &&
           u->sized == v->sized && u->chunk == v->chunk && u->randomness == v->randomness &&
           same_text(u->axis_name, v->axis_name) && same_text(u->over, v->over);
}

static bool
same_number(const cot_operand *x, const cot_operand *y)
{
    return x->kind == y->kind && memcmp(&x->real, &y->real, sizeof x->real) == 0 &&
           x->integer == y->integer;
}

/* Lists are short: one entry for each place in the program that transforms f. */
cot_fn *
fe_fn_shared(cot_fn *f, cot_fn *fresh)
{
    for (cot_fn *g = f->made; g; g = g->made_before)
        if (g->kind == fresh->kind && g->loc == fresh->loc && g->row == fresh->row &&
            same_text(g->open, fresh->open) && (fresh->with || g->of == fresh->of) &&
            same_text(g->with, fresh->with) &&
            same_number(&g->with_value, &fresh->with_value) &&
            same_options(&g->options, &fresh->options))
            return g;
    fresh->made_before = f->made;
    f->made = fresh;
    return fresh;
}
