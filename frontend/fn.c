/* Function values: recipes, and graphs for argument types.
 *
 * A transform is a row of the pass table with its options.  To specialise it, the types of its
 * arguments are turned into those of the function inside (vmap removes the mapped axes, jvp and
 * vjp drop the tangents and cotangents), that function is specialised first, and the pass runs
 * on its graph.  What a body captured comes last among a graph's inputs, at every level:
 * unmapped, and in no wrt. */
#include "frontend/fn.h"

#include "cotrace/compile.h"
#include "frontend/trace.h"
#include "frontend/tree.h"
#include "ir/diag.h"

/* What the frontend knows of a transform: its arguments, and what to check before it runs. */
typedef enum fe_extra { FE_SAME, FE_TANGENTS, FE_COTANGENTS, FE_MAPPED } fe_extra;
typedef struct fe_shape {
    const char *name;
    fe_extra extra; /* arguments after those of the function inside       */
    bool wrt, all;  /* takes wrt; its default is all floating arguments   */
    bool scalar;    /* result 0 must be a floating scalar                 */
} fe_shape;

static const fe_shape shapes[] = {
    { "grad", FE_SAME, true, false, true },
    { "grad_and_value", FE_SAME, true, false, true },
    { "jvp", FE_TANGENTS, true, true, false },
    { "linearize", FE_TANGENTS, true, true, false },
    { "vjp", FE_COTANGENTS, true, true, false },
    { "jacfwd", FE_SAME, true, false, false },
    { "jacrev", FE_SAME, true, false, false },
    { "hessian", FE_SAME, true, false, false },
    { "vmap", FE_MAPPED, false, false, false },
};

static const fe_shape *
shape_of(const char *name)
{
    static const fe_shape same = { "", FE_SAME, false, false, false };

    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (strcmp(shapes[i].name, name) == 0)
            return &shapes[i];
    return &same;
}

static cot_status
fail_text(cot_context *ctx)
{
    return ctx->status ? ctx->status : COT_ERR_ARG;
}

/* ---- making ---- */

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
    IR_TRY (ctx) {
        ir_loc loc = ir_loc_file(ctx, at.file, at.line);
        bool ok = name && body && n_in >= 0 && n_out >= 1;
        cot_fn *g = new_fn(ctx, ok ? FE_FN_BODY : FE_FN_BAD, loc,
                           ir_copy_string(&ctx->arena, name ? name : "f"));
        g->n_in = n_in;
        g->n_out = n_out;
        g->body = body;
        g->user = user;
        if (!ok)
            ir_fail(ctx, loc, g->name, ERR_usage,
                    !name || !body ? "name or body is NULL; wants both"
                    : n_in < 0     ? "has a negative number of arguments; wants 0 or more"
                                   : "has no results; wants 1 or more");
        f = g;
    }
    return f;
}

cot_fn *
cot_fn_of_graph(const cot_graph *g)
{
    cot_fn *volatile f = NULL;

    if (!g)
        return NULL;
    IR_TRY (g->ctx) {
        cot_fn *h = new_fn(g->ctx, FE_FN_GRAPH, 0, g->name);
        h->n_in = ir_count_open(g);
        h->n_out = g->n_out;
        h->graph = (ir_graph *)g;
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
        return fail_text(f->ctx);
    return n == wants ? COT_OK : ir_fail(f->ctx, f->loc, f->name, ERR_fn_names, wants, what, n);
}

cot_fn *
cot_fn_named_(cot_place at, cot_fn *f, const char *arguments, const char *results)
{
    cot_fn *volatile out = NULL;

    if (!f)
        return NULL;
    IR_TRY (f->ctx) {
        cot_fn *g = fe_fn_with(f, NULL);
        g->loc = ir_loc_file(f->ctx, at.file, at.line);
        g->in_name = g->out_name = NULL;
        if (f->kind != FE_FN_BODY && f->kind != FE_FN_BAD)
            ir_fail(f->ctx, g->loc, f->name, ERR_usage,
                    "is not a body; name the body it is made of");
        if (f->kind != FE_FN_BODY ||
            give_names(g, arguments, "arguments", g->n_in, &g->in_name) != COT_OK ||
            give_names(g, results, "results", g->n_out, &g->out_name) != COT_OK)
            g->kind = FE_FN_BAD;
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
    cot_fn *g = new_fn(f->ctx, of && of->kind == FE_FN_BAD ? FE_FN_BAD : f->kind, f->loc, f->name);

    g->n_in = f->n_in;
    g->n_out = f->n_out;
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

/* ---- argument types ---- */

static cot_status
wrong_count(const cot_fn *f, int has, int wants)
{
    return ir_fail(f->ctx, f->loc, f->name, ERR_fn_arguments, has, wants);
}

static int
count_floating(int n, const ir_type *const *type)
{
    int count = 0;

    for (int i = 0; i < n; i++)
        count += ir_is_float(type[i]->dtype);
    return count;
}

/* How many results of a graph, aux apart, are floating. */
static int
count_cotangents(const ir_graph *g, int aux)
{
    int count = 0;

    for (int i = 0; i < g->n_out - aux; i++)
        count += ir_is_floating(g, g->out[i]);
    return count;
}

/* What can be said at the line of the transform, before the pass speaks of lines in the body.
 */
static cot_status
check_results(const cot_fn *f, const fe_shape *s, const ir_graph *g)
{
    const char *name = s->name;
    int aux = f->options.aux, own = g->n_out - g->n_inout;

    if (aux < 0 || aux > own)
        return ir_fail(f->ctx, f->loc, name, ERR_aux_range, aux, g->name, own);
    if (f->options.chunk < 0)
        return ir_fail(f->ctx, f->loc, name, ERR_pass_option,
                       ir_format(&f->ctx->arena, "chunk is %lld; wants 1 or more",
                                 (long long)f->options.chunk));
    if (s->extra == FE_COTANGENTS && count_cotangents(g, aux + g->n_inout) == 0)
        return ir_fail(f->ctx, f->loc, name, ERR_vjp_none, g->name);
    if (!s->scalar)
        return COT_OK;
    if (own - aux != 1)
        return ir_fail(f->ctx, f->loc, name, ERR_grad_count, g->name, own - aux);
    const ir_type *y = ir_type_at(g, g->out[0]);
    if (y->rank != 0 || !ir_is_float(y->dtype))
        return ir_fail(f->ctx, f->loc, name, ERR_grad_shape, g->name, ir_type_str(f->ctx, y));
    return COT_OK;
}

/* The types of one example as far as axes can be taken off: enough to count arguments with. */
static const ir_type *const *
roughly_unmapped(cot_fn *f, int n, const ir_type *const *type)
{
    const ir_type **example = IR_NEW_N(&f->ctx->arena, const ir_type *, n + 1);

    for (int i = 0; i < n; i++)
        example[i] = type[i]->rank > 0 ? ir_type_close(f->ctx, type[i], 0) : type[i];
    return example;
}

/* How many arguments f takes if the first have these types; -1 with the error recorded. */
static int
arity(cot_fn *f, int n, const ir_type *const *type, bool alone)
{
    const fe_special *inner;
    int k;

    if (f->kind == FE_FN_BODY || f->kind == FE_FN_GRAPH)
        return f->n_in;
    if (f->kind == FE_FN_SECOND || f->kind == FE_FN_BAD)
        return n;
    if (f->kind == FE_FN_FIRST)
        return arity(f->of, n, type, alone);
    if (f->kind == FE_FN_TAKING)
        return arity(f->of, n, type, alone) + f->n_optional;
    const fe_shape *s = shape_of(f->row->name);
    if (s->extra == FE_MAPPED)
        return f->options.vmap.in.one ? arity(f->of, n, roughly_unmapped(f, n, type), alone)
                                      : f->options.vmap.in.n;
    k = arity(f->of, n, type, alone);
    if (k < 0 || k > n || s->extra == FE_SAME)
        return k;
    if (s->extra == FE_TANGENTS)
        return k +
               (f->options.wrt.n == PASS_DEFAULT ? count_floating(k, type) : f->options.wrt.n);
    if (fe_specialise(f->of, k, type, alone, &inner) != COT_OK ||
        check_results(f, s, inner->graph) != COT_OK)
        return -1;
    return k + count_cotangents(inner->graph, f->options.aux + inner->graph->n_inout);
}

/* wrt, made explicit for a graph of n declared arguments. */
static cot_status
explicit_wrt(const cot_fn *f, const fe_shape *s, const ir_graph *g, int n, pass_wrt *wrt)
{
    const pass_wrt *given = &f->options.wrt;
    pass_wrt named;

    if (f->options.wrt_names) {
        pass_named names = { f->ctx, f->loc, s->name, n, g->in_name };
        COT_TRY(pass_named_wrt(&names, f->options.wrt_names, &named));
        given = &named;
    }
    int *arg = IR_NEW_N(&f->ctx->arena, int, n + given->n + 2), count = 0;
    if (given->n == PASS_DEFAULT && s->all) {
        for (int i = 0; i < n; i++)
            if (ir_is_floating(g, g->in[i]))
                arg[count++] = i;
    } else if (given->n == PASS_DEFAULT) {
        arg[count++] = 0;
    } else {
        for (int i = 0; i < given->n; i++)
            arg[count++] = given->arg[i] < 0 ? given->arg[i] + n : given->arg[i];
    }
    for (int i = 0; i < count; i++) {
        if (arg[i] < 0 || arg[i] >= n)
            return ir_fail(f->ctx, f->loc, s->name, ERR_wrt_range,
                           given->n < 0 ? 0 : given->arg[i], g->name, n);
        for (int k = 0; k < i; k++)
            if (arg[k] == arg[i])
                return ir_fail(f->ctx, f->loc, s->name, ERR_wrt_twice,
                               pass_argument_text(g, arg[i]));
        if (!ir_is_floating(g, g->in[arg[i]]))
            return ir_fail(f->ctx, f->loc, s->name, ERR_wrt_dtype,
                           pass_argument_text(g, arg[i]), g->name,
                           ir_type_str(f->ctx, ir_type_at(g, g->in[arg[i]])));
    }
    if (given->n == 0)
        return ir_fail(f->ctx, f->loc, s->name, ERR_wrt_empty);
    if (count == 0)
        return ir_fail(f->ctx, f->loc, s->name, ERR_wrt_none, g->name);
    *wrt = (pass_wrt){ count, arg };
    return COT_OK;
}

/* One more entry "name: type" of a list. */
static void
list_type(ir_buf *b, const ir_graph *g, ir_ref v, const char *name, const char *what)
{
    ir_buf_printf(b, "%s%s%s%s%s", b->n > 0 ? ", " : "", what, name ? name : "",
                  name && *name ? ": " : "", ir_type_str(g->ctx, ir_type_at(g, v)));
}

/* Directions are missing or too many: both lists, with names where there are any. */
static cot_status
wrong_directions(cot_fn *f, const fe_shape *s, int k, int n, const ir_type *const *type,
                 bool alone)
{
    const fe_special *inner;
    pass_wrt wrt;
    ir_buf has, wants;

    if (n < k)
        return wrong_count(f, n, k);
    COT_TRY(fe_specialise(f->of, k, type, alone, &inner));
    COT_TRY(explicit_wrt(f, s, inner->graph, k, &wrt));
    const ir_graph *g = inner->graph;
    ir_buf_init(&has, &f->ctx->arena);
    ir_buf_init(&wants, &f->ctx->arena);
    for (int i = 0; i < n; i++)
        ir_buf_printf(&has, "%s%s", i ? ", " : "", ir_type_str(f->ctx, type[i]));
    for (int i = 0; i < k; i++)
        list_type(&wants, g, g->in[i], g->in_name ? g->in_name[i] : NULL, "");
    for (int i = 0; s->extra == FE_TANGENTS && i < wrt.n; i++)
        list_type(&wants, g, g->in[wrt.arg[i]], g->in_name ? g->in_name[wrt.arg[i]] : NULL,
                  "tangent ");
    for (int j = 0; s->extra == FE_COTANGENTS && j < g->n_out - g->n_inout - f->options.aux; j++)
        if (ir_is_floating(g, g->out[j]))
            list_type(&wants, g, g->out[j], g->out_name ? g->out_name[j] : NULL, "cotangent ");
    return ir_fail(f->ctx, f->loc, f->name, ERR_fn_structure, has.text, wants.text);
}

/* The types that the function inside f is traced with; *n becomes their number. */
static cot_status
inner_types(cot_fn *f, int *n, const ir_type *const *type, bool alone, pass_vmap_options *vmap,
            const ir_type *const **out)
{
    const fe_shape *s = f->kind == FE_FN_PASS ? shape_of(f->row->name) : shape_of("");

    *out = type;
    if (s->extra == FE_MAPPED) {
        const ir_type **example = IR_NEW_N(&f->ctx->arena, const ir_type *, *n + 1);
        *out = example;
        if (f->options.in_names) {
            pass_named names = { f->ctx, f->loc, s->name, *n, fe_argument_names(f->of, *n) };
            vmap->in = (pass_dims){ *n, NULL, false };
            COT_TRY(pass_named_dims(&names, f->options.in_names, &vmap->in.at));
        }
        return pass_vmap_example(f->ctx, f->loc, *n, type, vmap, example);
    }
    if (s->extra == FE_SAME)
        return COT_OK;
    int all = arity(f, *n, type, alone), k = all < 0 ? -1 : arity(f->of, *n, type, alone);
    if (k < 0)
        return fail_text(f->ctx);
    if (all != *n)
        return wrong_directions(f, s, k, *n, type, alone);
    *n = k;
    return COT_OK;
}

/* ---- checks ---- */

/* Entries for the captures too: unmapped. */
static void
map_captures(cot_fn *f, int n, int n_captured, pass_dims *in)
{
    int64_t *at = IR_NEW_N(&f->ctx->arena, int64_t, n + n_captured);

    for (int i = 0; i < n; i++)
        at[i] = in->one ? in->at[0] : in->at[i];
    for (int i = n; i < n + n_captured; i++)
        at[i] = PASS_NO_AXIS;
    *in = (pass_dims){ n + n_captured, at, false };
}

/* A direction's type is exactly that of what it belongs to. */
static cot_status
check_direction(const cot_fn *f, int i, const ir_type *has, const char *what, const char *of,
                const char *name, const ir_type *wants)
{
    if (has == wants)
        return COT_OK;
    return ir_fail(f->ctx, f->loc, f->name,
                   has->dtype == wants->dtype ? ERR_direction_shape : ERR_direction_dtype, i,
                   what, of, name, ir_type_str(f->ctx, has), ir_type_str(f->ctx, wants));
}

/* Tangents and cotangents, arguments n ... of f. */
static cot_status
check_directions(const cot_fn *f, const fe_shape *s, const ir_graph *g, int n,
                 const pass_wrt *wrt, const fe_special *special)
{
    int at = n;

    for (int i = 0; s->extra == FE_TANGENTS && i < wrt->n && at < special->n_types; i++, at++)
        COT_TRY(check_direction(f, at, special->type[at], "tangent",
                                pass_argument_text(g, wrt->arg[i]), g->name,
                                ir_type_at(g, g->in[wrt->arg[i]])));
    if (s->extra != FE_COTANGENTS)
        return COT_OK;
    for (int j = 0; j < g->n_out - g->n_inout - f->options.aux && at < special->n_types; j++)
        if (ir_is_floating(g, g->out[j])) {
            COT_TRY(check_direction(f, at, special->type[at], "cotangent",
                                    pass_output_text(g, j), g->name,
                                    ir_type_at(g, g->out[j])));
            at++;
        }
    return COT_OK;
}

/* ---- specialising ---- */

/* The inputs of g in the order first ... first + k - 1 moved to the end: captures come last. */
static cot_status
captures_last(const ir_graph *g, int first, int k, ir_graph **out)
{
    ir_build *b = ir_build_new(g->ctx, g->name);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, g->n_in + 1),
           *y = IR_NEW_N(b->arena, ir_ref, g->n_out + 1);

    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < g->n_in; i++)
            if ((i >= first && i < first + k) == (pass == 1))
                in[i] = ir_input_like(b, g, g->in[i], "");
    ir_inline_graph(b, g, in, y);
    for (int i = 0; i < g->n_out; i++)
        ir_output_named(b, y[i], g->out_name ? g->out_name[i] : NULL);
    for (int k = 0; k < g->n_inout; k++)
        ir_inout_arg(b, g->inout[k].arg, g->inout[k].loc);
    return ir_build_end(b, out);
}

static cot_status
check_types(const cot_fn *f, const ir_graph *g, int n, const ir_type *const *type,
            int n_captured)
{
    if (g->n_in - n_captured != n)
        return wrong_count(f, n, g->n_in - n_captured);
    for (int i = 0; i < n; i++)
        if (ir_type_at(g, g->in[i]) != type[i])
            return ir_fail(f->ctx, f->loc, f->name, ERR_fn_type, i,
                           ir_type_str(f->ctx, type[i]),
                           ir_type_str(f->ctx, ir_type_at(g, g->in[i])));
    return COT_OK;
}

static cot_status
verify(const ir_graph *g, const char *after)
{
    return g->ctx->config.verify ? ir_verify(g->ctx, g, after) : COT_OK;
}

static cot_status
specialise_body(cot_fn *f, bool alone, fe_special *s)
{
    fe_source source = { f->name, f->body, f->user,    f->loc,      f->n_in, f->n_out,
                         s->type, alone,   f->in_name, f->out_name, f,       true };
    cot_trace *t;

    if (s->n_types != f->n_in)
        return wrong_count(f, s->n_types, f->n_in);
    COT_TRY(fe_trace_run(f->ctx, &source, &s->graph, &t));
    s->n_captured = (int)t->n_captured;
    s->captured = t->captured;
    s->n_hidden = (int)t->n_hidden;
    pass_dump("trace", NULL, s->graph);
    return verify(s->graph, "trace");
}

static cot_status
specialise_pass(cot_fn *f, bool alone, fe_special *s)
{
    const fe_shape *shape = shape_of(f->row->name);
    pass_options o = f->options;
    const ir_type *const *type;
    const fe_special *inner;
    int n = s->n_types;

    COT_TRY(inner_types(f, &n, s->type, alone, &o.vmap, &type));
    COT_TRY(fe_specialise(f->of, n, type, alone, &inner));
    o.in_names = NULL;
    if (shape->wrt) {
        COT_TRY(check_results(f, shape, inner->graph));
        COT_TRY(explicit_wrt(f, shape, inner->graph, n, &o.wrt));
        o.wrt_names = NULL;
    }
    COT_TRY(check_directions(f, shape, inner->graph, n, &o.wrt, s));
    if (o.strict && strcmp(shape->name, "jvp") == 0)
        COT_TRY(pass_check_strict(inner->graph, &o.wrt, o.aux, f->loc));
    const int tail = inner->n_captured + inner->n_hidden;
    if (shape->extra == FE_MAPPED && tail > 0)
        map_captures(f, n, tail, &o.vmap.in);
    COT_TRY(pass_run(f->row, inner->graph, &o, &s->graph));
    s->n_captured = inner->n_captured;
    s->captured = inner->captured;
    s->n_hidden = inner->n_hidden;
    if (tail > 0 && (shape->extra == FE_TANGENTS || shape->extra == FE_COTANGENTS))
        COT_TRY(captures_last(s->graph, n, tail, &s->graph));
    return COT_OK;
}

static cot_status
specialise_first(cot_fn *f, bool alone, fe_special *s)
{
    const fe_shape *shape = shape_of(f->vjp ? "vjp" : "linearize");
    const fe_special *inner;
    pass_wrt wrt;

    ir_graph *pure;

    COT_TRY(fe_specialise(f->of, s->n_types, s->type, alone, &inner));
    COT_TRY(check_results(f, shape, inner->graph));
    COT_TRY(explicit_wrt(f, shape, inner->graph, s->n_types, &wrt));
    COT_TRY(pass_functionalize(inner->graph, true, &pure));
    COT_TRY((f->vjp ? pass_vjp_halves : pass_linearize_halves)(
        pure, &wrt, f->options.aux + pure->n_inout, &s->graph, &s->second));
    s->n_out = inner->graph->n_out;
    s->n_captured = inner->n_captured;
    s->captured = inner->captured;
    s->n_hidden = inner->n_hidden;
    COT_TRY(verify(s->graph, "fwd"));
    return verify(s->second, f->vjp ? "bwd" : "lin");
}

static bool
takes(const ir_graph *g, int n, const ir_type *const *type)
{
    if (g->n_in != n)
        return false;
    for (int i = 0; i < n; i++)
        if (ir_type_at(g, g->in[i]) != type[i])
            return false;
    return true;
}

/* Where the residuals fit the latest trace of the first half, the directions are at fault. */
static cot_status
check_half(const cot_fn *f, const fe_special *first, const fe_special *s)
{
    const fe_shape *shape = shape_of(f->of->vjp ? "vjp" : "linearize");
    const ir_graph *g = first->graph;
    int n_res = g->n_out - first->n_out;
    pass_wrt wrt;
    ir_graph outer = *g;

    if (s->n_types != first->second->n_in)
        return COT_OK;
    for (int i = 0; i < n_res; i++)
        if (s->type[i] != ir_type_at(first->second, first->second->in[i]))
            return COT_OK;
    outer.name = f->of->of->name;
    outer.n_out = first->n_out;
    COT_TRY(explicit_wrt(f->of, shape, &outer, first->n_types, &wrt));
    return check_directions(f, shape, &outer, n_res, &wrt, s);
}

/* The second half is typed by the first: the latest specialisation whose residuals fit. */
static cot_status
specialise_second(cot_fn *f, fe_special *s)
{
    const cot_fn *first = f->of;

    if (first->kind == FE_FN_BAD)
        return fail_text(f->ctx);
    for (uint32_t i = first->n_cached; i > 0 && i + FE_CACHE > first->n_cached; i--) {
        const fe_special *c = first->cache[(i - 1) % FE_CACHE];
        if (takes(c->second, s->n_types, s->type)) {
            s->graph = c->second;
            return COT_OK;
        }
    }
    if (first->n_cached > 0)
        COT_TRY(check_half(f, first->cache[(first->n_cached - 1) % FE_CACHE], s));
    return ir_fail(f->ctx, f->loc, f->name, ERR_fn_halves, s->n_types);
}

static const fe_special *
find_cached(const cot_fn *f, int n, const ir_type *const *type)
{
    uint32_t kept = f->n_cached < FE_CACHE ? f->n_cached : FE_CACHE;

    for (uint32_t i = 0; i < kept; i++) {
        const fe_special *s = f->cache[i];
        if (s->n_types == n && s->n_captured == 0 &&
            memcmp(s->type, type, sizeof *type * (size_t)n) == 0)
            return s;
    }
    return NULL;
}

static cot_status
specialise(cot_fn *f, bool alone, fe_special *s)
{
    switch (f->kind) {
    case FE_FN_BODY: return specialise_body(f, alone, s);
    case FE_FN_GRAPH:
        s->graph = f->graph;
        s->n_hidden = f->graph->n_in - ir_count_open(f->graph);
        return COT_OK;
    case FE_FN_PASS: return specialise_pass(f, alone, s);
    case FE_FN_FIRST: return specialise_first(f, alone, s);
    case FE_FN_SECOND: return specialise_second(f, s);
    case FE_FN_TAKING: return fe_specialise_taking(f, alone, s);
    default: return fail_text(f->ctx);
    }
}

cot_status
fe_specialise(cot_fn *f, int n, const ir_type *const *type, bool alone, const fe_special **out)
{
    const fe_special *cached = find_cached(f, n, type);

    if (cached) {
        *out = cached;
        return COT_OK;
    }
    fe_special *s = IR_NEW(&f->ctx->arena, fe_special);
    s->n_types = n;
    s->type = ir_copy_bytes(&f->ctx->arena, type, sizeof *type * (size_t)n);
    COT_TRY(specialise(f, alone, s));
    COT_TRY(check_types(f, s->graph, n, type, s->n_captured + s->n_hidden));
    if (s->n_captured == 0 || f->kind == FE_FN_FIRST)
        f->cache[f->n_cached++ % FE_CACHE] = s;
    *out = s;
    return COT_OK;
}

cot_status
fe_innermost(cot_fn *f, int n, const ir_type *const *type, ir_graph **out)
{
    const fe_special *s;

    while (f->kind == FE_FN_PASS || f->kind == FE_FN_FIRST) {
        pass_vmap_options vmap = f->options.vmap;
        COT_TRY(inner_types(f, &n, type, true, &vmap, &type));
        f = f->of;
    }
    COT_TRY(fe_specialise(f, n, type, true, &s));
    *out = s->graph;
    return COT_OK;
}

/* ---- for users ---- */

static cot_status
trace_types(cot_fn *f, cot_types types, const cot_graph **out)
{
    const ir_type **type = IR_NEW_N(&f->ctx->arena, const ir_type *, types.n + 1);
    const fe_special *s;

    for (int i = 0; i < types.n; i++) {
        type[i] = ir_type_of(f->ctx, &types.at[i]);
        if (!type[i])
            return fail_text(f->ctx);
    }
    COT_TRY(fe_specialise(f, types.n, type, true, &s));
    *out = s->graph;
    return COT_OK;
}

cot_status
cot_trace_fn(cot_fn *f, cot_types types, const cot_graph **out)
{
    volatile cot_status status = COT_ERR_MEMORY;

    *out = NULL;
    if (!f)
        return COT_ERR_ARG;
    pthread_mutex_lock(&f->ctx->lock);
    IR_TRY (f->ctx) {
        status = trace_types(f, types, out);
    }
    pthread_mutex_unlock(&f->ctx->lock);
    return status;
}
