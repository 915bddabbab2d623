/* The transforms of functions: each call makes a recipe, copies its options, and looks at no
 * type. */
#include "cotrace/open.h"
#include "cotrace/transform.h"

#include "frontend/fn.h"
#include "frontend/trace.h"
#include "ir/diag.h"

static pass_wrt
copy_wrt(cot_context *ctx, cot_list wrt)
{
    int *arg = IR_NEW_N(&ctx->arena, int, wrt.n + 1);

    if (!FE_AT(wrt) || wrt.one == COT_BY_NAME)
        return (pass_wrt){ PASS_DEFAULT, NULL };
    for (int i = 0; i < wrt.n; i++)
        arg[i] = FE_AT(wrt)[i] > INT32_MAX || FE_AT(wrt)[i] < INT32_MIN ? INT32_MAX
                                                                        : (int)FE_AT(wrt)[i];
    return (pass_wrt){ wrt.n, arg };
}

static pass_dims
copy_dims(cot_context *ctx, cot_list dims)
{
    static const int64_t zero = 0;

    if (!FE_AT(dims) || dims.one == COT_BY_NAME)
        return (pass_dims){ 1, ir_copy_bytes(&ctx->arena, &zero, sizeof zero), true };
    return (pass_dims){
        dims.n, ir_copy_bytes(&ctx->arena, FE_AT(dims), sizeof *FE_AT(dims) * (size_t)dims.n),
        dims.one != 0
    };
}

/* A list by names, to be resolved where the names are known; NULL: of positions. */
static const char *
copy_names(cot_context *ctx, cot_list list)
{
    return list.one == COT_BY_NAME ? ir_copy_string(&ctx->arena, list.names ? list.names : "")
                                   : NULL;
}

/* A function that takes optional arguments keeps them last: the transform goes inside. */
static cot_fn *
new_transform(cot_place at, cot_fn *f, fe_kind kind, const char *name, const pass_options *o)
{
    cot_context *ctx = f->ctx;

    if (f->kind == FE_FN_TAKING && kind == FE_FN_PASS)
        return fe_fn_shared(f, fe_fn_with(f, new_transform(at, f->of, kind, name, o)));
    cot_fn *g = IR_NEW(&ctx->arena, cot_fn);

    g->ctx = ctx;
    g->kind = f->kind == FE_FN_BAD ? FE_FN_BAD : kind;
    g->name = ir_format(&ctx->arena, "%s(%s)", name, f->name);
    g->loc = ir_loc_file(ctx, at.file, at.line);
    g->of = f;
    g->row = pass_find(name);
    g->options = *o;
    return g->kind == FE_FN_PASS ? fe_fn_shared(f, g) : g;
}

/* `.in_dims = 1` gives a list a length and no entries: what is made of it is bad. */
static cot_fn *
no_bare(cot_fn *g, const char *what, cot_list list)
{
    if (list.n == 0 || FE_AT(list) || list.one == COT_BY_NAME)
        return g;
    ir_fail(g->ctx, g->loc, g->name, ERR_list_bare, what, list.n, list.n);
    cot_fn *bad = fe_fn_with(g, NULL);
    fe_fn_spoil(bad);
    return bad;
}

static cot_fn *
with_wrt(cot_place at, cot_fn *f, const char *name, const cot_wrt_options *options, size_t size)
{
    cot_fn *volatile g = NULL;
    FE_OPTIONS(cot_wrt_options, o, options, size);

    if (!f)
        return NULL;
    IR_TRY (f->ctx) {
        pass_options p = { .wrt = copy_wrt(f->ctx, o.wrt),
                           .wrt_names = copy_names(f->ctx, o.wrt),
                           .aux = o.aux,
                           .chunk = o.chunk,
                           .strict = o.strict != 0 };
        g = no_bare(new_transform(at, f, FE_FN_PASS, name, &p), "wrt", o.wrt);
    }
    return g;
}

#define FE_TRANSFORM(name)                                                                     \
    cot_fn *cot_##name##_(cot_place at, cot_fn *f, const cot_wrt_options *o, size_t size)      \
    {                                                                                          \
        return with_wrt(at, f, #name, o, size);                                                \
    }
FE_TRANSFORM(grad)
FE_TRANSFORM(grad_and_value)
FE_TRANSFORM(jvp)
FE_TRANSFORM(vjp)
FE_TRANSFORM(linearize)
FE_TRANSFORM(jacrev)
FE_TRANSFORM(hessian)

cot_fn *
cot_jacfwd_(cot_place at, cot_fn *f, const cot_jacfwd_options *options, size_t size)
{
    cot_fn *volatile g = NULL;
    FE_OPTIONS(cot_jacfwd_options, o, options, size);

    if (!f)
        return NULL;
    IR_TRY (f->ctx) {
        pass_options p = { .wrt = copy_wrt(f->ctx, o.wrt),
                           .wrt_names = copy_names(f->ctx, o.wrt),
                           .aux = o.aux,
                           .chunk = o.chunk };
        p.vmap.randomness = (int)o.randomness;
        g = no_bare(new_transform(at, f, FE_FN_PASS, "jacfwd", &p), "wrt", o.wrt);
    }
    return g;
}

cot_fn *
cot_checkpoint_(cot_place at, cot_fn *f, const cot_checkpoint_options *options, size_t size)
{
    cot_fn *volatile g = NULL;
    FE_OPTIONS(cot_checkpoint_options, o, options, size);

    if (!f)
        return NULL;
    IR_TRY (f->ctx) {
        pass_options p = pass_default_options();
        p.keep_products = o.keep == COT_KEEP_PRODUCTS;
        g = new_transform(at, f, FE_FN_PASS, "checkpoint", &p);
        if ((unsigned)o.keep > COT_KEEP_PRODUCTS) {
            ir_fail(f->ctx, g->loc, "checkpoint", ERR_checkpoint_keep, (int)o.keep);
            fe_fn_spoil(g);
        }
    }
    return g;
}

cot_fn *
cot_functionalize_(cot_place at, cot_fn *f, const cot_functionalize_options *options,
                   size_t size)
{
    cot_fn *volatile g = NULL;
    FE_OPTIONS(cot_functionalize_options, o, options, size);

    if (!f)
        return NULL;
    IR_TRY (f->ctx) {
        pass_options p = pass_default_options();
        p.remove_views = o.remove == COT_REMOVE_MUTATIONS_AND_VIEWS;
        g = new_transform(at, f, FE_FN_PASS, "functionalize", &p);
        if ((unsigned)o.remove > COT_REMOVE_MUTATIONS_AND_VIEWS) {
            ir_fail(f->ctx, g->loc, "functionalize", ERR_functionalize_mode, (int)o.remove);
            fe_fn_spoil(g);
        }
    }
    return g;
}

cot_fn *
cot_vmap_(cot_place at, cot_fn *f, const cot_vmap_options *options, size_t size)
{
    cot_fn *volatile g = NULL;
    FE_OPTIONS(cot_vmap_options, o, options, size);

    if (!f)
        return NULL;
    IR_TRY (f->ctx) {
        pass_options p = { .wrt = { PASS_DEFAULT, NULL },
                           .in_names = copy_names(f->ctx, o.in_dims),
                           .out_names = copy_names(f->ctx, o.out_dims) };
        p.vmap = (pass_vmap_options){
            .in = copy_dims(f->ctx, o.in_dims),
            .out = copy_dims(f->ctx, o.out_dims),
            .size = o.size,
            .chunk = o.chunk,
            .randomness = (int)o.randomness,
            .axis_name = o.axis ? ir_copy_string(&f->ctx->arena, o.axis) : NULL,
            .over = o.over ? ir_copy_string(&f->ctx->arena, o.over) : NULL,
        };
        g = no_bare(no_bare(new_transform(at, f, FE_FN_PASS, "vmap", &p), "in_dims", o.in_dims),
                    "out_dims", o.out_dims);
    }
    return g;
}

static void
halves(cot_place at, cot_fn *f, bool vjp, cot_fn **first, cot_fn **second,
       const cot_wrt_options *options, size_t size)
{
    FE_OPTIONS(cot_wrt_options, o, options, size);

    *first = *second = NULL;
    if (!f)
        return;
    IR_TRY (f->ctx) {
        pass_options p = { .wrt = copy_wrt(f->ctx, o.wrt),
                           .wrt_names = copy_names(f->ctx, o.wrt),
                           .aux = o.aux };
        cot_fn *g = no_bare(new_transform(at, f, FE_FN_FIRST, "fwd", &p), "wrt", o.wrt);
        g->vjp = vjp;
        *first = g;
        *second = new_transform(at, g, FE_FN_SECOND, vjp ? "bwd" : "lin", &p);
        (*second)->name = ir_format(&f->ctx->arena, "%s(%s)", vjp ? "bwd" : "lin", f->name);
    }
}

void
cot_vjp_halves_(cot_place at, cot_fn *f, cot_fn **fwd, cot_fn **bwd, const cot_wrt_options *o,
                size_t size)
{
    cot_fn *unwanted;

    halves(at, f, true, fwd ? fwd : &unwanted, bwd ? bwd : &unwanted, o, size);
}

void
cot_linearize_halves_(cot_place at, cot_fn *f, cot_fn **fwd, cot_fn **lin,
                      const cot_wrt_options *o, size_t size)
{
    cot_fn *unwanted;

    halves(at, f, false, fwd ? fwd : &unwanted, lin ? lin : &unwanted, o, size);
}

cot_fn *
cot_pipeline_(cot_place at, cot_fn *f, const char *text)
{
    cot_fn *volatile made = NULL; /* of all the passes, or none */

    if (!f)
        return NULL;
    IR_TRY (f->ctx) {
        const pass_step *steps;
        cot_fn *g = f;
        int n;
        if (pass_parse(f->ctx, ir_loc_file(f->ctx, at.file, at.line), text, &n, &steps) !=
            COT_OK) {
            pass_options none = { .wrt = { PASS_DEFAULT, NULL } };
            g = new_transform(at, f, FE_FN_BAD, "pipeline", &none);
            fe_fn_spoil(g);
        } else {
            for (int i = 0; i < n; i++)
                g = new_transform(at, g, FE_FN_PASS, steps[i].row->name, &steps[i].options);
        }
        made = g;
    }
    return made;
}

cot_fn *
cot_open_(cot_place at, cot_fn *f, const char *sizes)
{
    cot_fn *volatile g = NULL;

    if (!f)
        return NULL;
    IR_TRY (f->ctx) {
        cot_fn *made = fe_fn_with(f, f->of);

        made->loc = ir_loc_file(f->ctx, at.file, at.line);
        made->open = ir_copy_string(&f->ctx->arena, sizes ? sizes : "");
        g = fe_fn_shared(f, made);
    }
    return g;
}
