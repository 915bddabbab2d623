/* Specialisation: the graph of a function value for the types of its arguments.
 *
 * A transform is a row of the pass table with its options.  To specialise it, the types of its
 * arguments are turned into those of the function inside (vmap removes the mapped axes, jvp and
 * vjp drop the tangents and cotangents), that function is specialised first, and the pass runs
 * on its graph.  What a body captured comes last among a graph's inputs, at every level:
 * unmapped, and in no wrt.
 *
 * To take an optional argument as an argument, a trace is opened around the whole recipe: its
 * last inputs are the optional arguments, and the recipe inside captures them. */
#include "cotrace/compile.h"
#include "frontend/fn.h"
#include "frontend/signature.h"
#include "frontend/trace.h"
#include "ir/diag.h"
#include "ir/sized.h"

cot_status
fe_specialise_inside(cot_fn *f, int n, const ir_type *const *type, bool alone,
                     const fe_special **out)
{
    cot_context *ctx = f->ctx;
    const ir_around *around = ctx->around;

    fe_around_push(ctx, f->row ? f->row->name : f->vjp ? "vjp" : "linearize", f->loc);
    cot_status status = fe_specialise(f->of, n, type, alone, out);
    ctx->around = around;
    return status;
}

/* ---- argument types ---- */

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
    const fe_shape *s = fe_shape_of(f->row->name);
    if (s->extra == FE_MAPPED)
        return f->options.vmap.in.one ? arity(f->of, n, roughly_unmapped(f, n, type), alone)
                                      : f->options.vmap.in.n;
    k = arity(f->of, n, type, alone);
    if (k < 0 || k > n || s->extra == FE_SAME)
        return k;
    if (s->extra == FE_TANGENTS)
        return k + (f->options.wrt.n == PASS_DEFAULT ? fe_count_floating(k, type)
                                                     : f->options.wrt.n);
    if (fe_specialise_inside(f, k, type, alone, &inner) != COT_OK ||
        fe_check_results(f, s, inner->graph) != COT_OK)
        return -1;
    return k + fe_count_cotangents(inner->graph, f->options.aux + inner->graph->n_inout);
}

static cot_status
wrong_directions(cot_fn *f, const fe_shape *s, int k, int n, const ir_type *const *type,
                 bool alone)
{
    const fe_special *inner;

    if (n < k)
        return fe_wrong_count(f, n, k);
    COT_TRY(fe_specialise_inside(f, k, type, alone, &inner));
    return fe_wrong_directions(f, s, k, n, type, inner->graph);
}

/* The types that the function inside f is traced with; *n becomes their number. */
static cot_status
inner_types(cot_fn *f, int *n, const ir_type *const *type, bool alone, pass_vmap_options *vmap,
            const ir_type *const **out)
{
    const fe_shape *s = f->kind == FE_FN_PASS ? fe_shape_of(f->row->name) : fe_shape_of("");

    *out = type;
    if (s->extra == FE_MAPPED) {
        const ir_type **example = IR_NEW_N(&f->ctx->arena, const ir_type *, *n + 1);
        *out = example;
        if (f->options.in_names) {
            pass_named names = { f->ctx, f->loc, s->name, *n, fe_argument_names(f->of, *n),
                                 0,      NULL };
            names.n_never = fe_optional_names(f, &names.never);
            vmap->in = (pass_dims){ *n, NULL, false };
            COT_TRY(pass_named_dims(&names, f->options.in_names, &vmap->in.at));
        }
        return pass_vmap_example(f->ctx, f->loc, *n, type, vmap, example);
    }
    if (s->extra == FE_SAME)
        return COT_OK;
    int all = arity(f, *n, type, alone), k = all < 0 ? -1 : arity(f->of, *n, type, alone);
    if (k < 0)
        return fe_fn_failed(f);
    if (all != *n)
        return wrong_directions(f, s, k, *n, type, alone);
    *n = k;
    return COT_OK;
}

/* The names of the n arguments of f, if it is a transform that keeps them and its body has
 * names; else NULL. */
static const char *const *
argument_names(const cot_fn *f, int n)
{
    while (f->kind == FE_FN_PASS && fe_shape_of(f->row->name)->extra != FE_TANGENTS &&
           fe_shape_of(f->row->name)->extra != FE_COTANGENTS)
        f = f->of;
    return f->kind == FE_FN_BODY && f->n_in == n ? f->in_name : NULL;
}

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
verify(const ir_graph *g, const char *after)
{
    return g->ctx->config.verify ? ir_verify(g->ctx, g, after) : COT_OK;
}

static cot_status
specialise_body(cot_fn *f, bool alone, fe_special *s)
{
    fe_source source = { .name = f->name,
                         .body = f->body,
                         .user = f->user,
                         .loc = f->loc,
                         .n_in = f->n_in,
                         .n_out = f->n_out,
                         .type = s->type,
                         .alone = alone,
                         .in_name = f->in_name,
                         .out_name = f->out_name,
                         .fn = f,
                         .inout = true };
    cot_trace *t;

    if (s->n_types != f->n_in)
        return fe_wrong_count(f, s->n_types, f->n_in);
    COT_TRY(fe_trace_run(f->ctx, &source, &s->graph, &t));
    s->n_captured = (int)t->n_captured;
    s->captured = t->captured;
    s->n_hidden = (int)t->n_hidden;
    pass_dump("trace", NULL, s->graph);
    return verify(s->graph, "trace");
}

/* The function inside, in sight of the axis if this vmap names one. */
static cot_status
inside_axis(cot_fn *f, const pass_vmap_options *vmap, int n, const ir_type *const *type,
            bool alone, const fe_special **inner)
{
    const ir_named_axis *around = f->ctx->axes;

    if (vmap->axis_name && *vmap->axis_name) {
        ir_named_axis *axis = IR_NEW(&f->ctx->arena, ir_named_axis);
        *axis = (ir_named_axis){ around, vmap->axis_name, vmap->size };
        f->ctx->axes = axis;
    }
    cot_status status = fe_specialise_inside(f, n, type, alone, inner);
    f->ctx->axes = around;
    return status;
}

static cot_status
specialise_pass(cot_fn *f, bool alone, fe_special *s)
{
    const fe_shape *shape = fe_shape_of(f->row->name);
    pass_options o = f->options;
    struct ir_follow *const follow = f->ctx->follow;
    const ir_type *const *type;
    const fe_special *inner;
    int n = s->n_types;

    o.vmap.who = f->name;
    o.vmap.loc = f->loc;
    o.vmap.in_name = argument_names(f, n);
    f->ctx->follow = NULL; /* which may ask for the types of the function inside */
    const cot_status typed = inner_types(f, &n, s->type, alone, &o.vmap, &type);
    f->ctx->follow = follow;
    COT_TRY(typed);
    COT_TRY(inside_axis(f, &o.vmap, n, type, alone, &inner));
    o.in_names = NULL;
    if (shape->wrt) {
        COT_TRY(fe_check_results(f, shape, inner->graph));
        COT_TRY(fe_explicit_wrt(f, shape, inner->graph, n, &o.wrt));
        o.wrt_names = NULL;
    }
    COT_TRY(fe_check_directions(f, shape, inner->graph, n, &o.wrt, s));
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
    const fe_shape *shape = fe_shape_of(f->vjp ? "vjp" : "linearize");
    const fe_special *inner;
    pass_wrt wrt;

    ir_graph *pure;

    COT_TRY(fe_specialise_inside(f, s->n_types, s->type, alone, &inner));
    COT_TRY(fe_check_results(f, shape, inner->graph));
    COT_TRY(fe_explicit_wrt(f, shape, inner->graph, s->n_types, &wrt));
    COT_TRY(pass_shallow(inner->graph, PASS_AS_RUN, &pure));
    COT_TRY(pass_functionalize(pure, true, &pure));
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

/* If the residuals match the latest trace of the first half, the error is in the cotangents or
 * tangents. */
static cot_status
check_half(const cot_fn *f, const fe_special *first, const fe_special *s)
{
    const fe_shape *shape = fe_shape_of(f->of->vjp ? "vjp" : "linearize");
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
    COT_TRY(fe_explicit_wrt(f->of, shape, &outer, first->n_types, &wrt));
    return fe_check_directions(f, shape, &outer, n_res, &wrt, s);
}

/* The second half is typed by the first: the latest specialisation whose residuals fit. */
static cot_status
specialise_second(cot_fn *f, fe_special *s)
{
    const cot_fn *first = f->of;

    if (first->kind == FE_FN_BAD)
        return fe_fn_failed(f);
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

static bool
same_axes(const ir_named_axis *a, const ir_named_axis *b)
{
    for (; a && b && a != b; a = a->outer, b = b->outer)
        if (a->size != b->size || strcmp(a->name, b->name) != 0)
            return false;
    return a == b;
}

static const fe_special *
find_cached(const cot_fn *f, int n, const ir_type *const *type)
{
    uint32_t kept = f->n_cached < FE_CACHE ? f->n_cached : FE_CACHE;

    for (uint32_t i = 0; i < kept; i++) {
        const fe_special *s = f->cache[i];
        if (s->n_types == n && s->n_captured == 0 && s->unfolded == f->ctx->unfolded &&
            same_axes(s->axes, f->ctx->axes) &&
            memcmp(s->type, type, sizeof *type * (size_t)n) == 0)
            return s;
    }
    return NULL;
}

/* The recipe inside, on the inputs of t; its captures are values of t. */
static cot_status
call_inside(cot_fn *f, cot_trace *t, fe_source *s, const cot_value *in, cot_value **out)
{
    int n = s->n_in - f->n_optional;
    cot_fn *g = f->of;
    const fe_special *inner;

    for (int i = 0; i < f->n_optional; i++)
        g = fe_optional_bind(g, f->optional[i].name, cot_operand_value(in[n + i]));
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

static cot_status
specialise_taking(cot_fn *f, bool alone, fe_special *s)
{
    cot_context *ctx = f->ctx;
    cot_trace *const below = ctx->trace;
    cot_trace *volatile begun = NULL;
    fe_source source = {
        .name = f->name, .loc = f->loc, .n_in = s->n_types, .type = s->type, .alone = alone
    };
    volatile cot_status status = COT_ERR_MEMORY;

    if (s->n_types < f->n_optional)
        return ir_fail(ctx, f->loc, f->name, ERR_fn_arguments, s->n_types, f->n_optional);
    IR_TRY (ctx) {
        cot_value *in = IR_NEW_N(&ctx->arena, cot_value, s->n_types + 1), *out = NULL;
        source.in_name = names_with_optional(f, s->n_types);
        cot_trace *t = begun = fe_trace_begin(ctx, &source, in);
        const cot_status called = call_inside(f, t, &source, in, &out);
        status = called == COT_OK ? fe_trace_end(t, &source, out, &s->graph) : called;
        s->n_captured = (int)t->n_captured;
        s->captured = t->captured;
        s->n_hidden = (int)t->n_hidden;
    }
    fe_trace_unwind(ctx, below); /* it failed: the trace was not ended */
    if (status != COT_OK && begun)
        fe_trace_forget(begun);
    return status;
}

/* A text with sizes is parsed at those that the types have.  Facts may exclude the sizes that a
 * kernel for all of them is read off. */
static cot_status
specialise_graph(cot_fn *f, fe_special *s)
{
    int64_t size[IR_MAX_SIZES];

    s->graph = f->graph;
    if (!f->graph->sized || s->n_types != f->n_in)
        return COT_OK;
    ir_sized_solve(f->graph, s->n_types, s->type, size);
    COT_TRY(ir_sized_at(f->graph, size, &s->graph));
    return f->ctx->unfolded ? COT_OK : ir_sized_check(s->graph, s->n_types, s->type);
}

static cot_status
specialise(cot_fn *f, bool alone, fe_special *s)
{
    switch (f->kind) {
    case FE_FN_BODY: return specialise_body(f, alone, s);
    case FE_FN_GRAPH:
        s->n_hidden = f->graph->n_in - ir_count_open(f->graph);
        return specialise_graph(f, s);
    case FE_FN_PASS: return specialise_pass(f, alone, s);
    case FE_FN_FIRST: return specialise_first(f, alone, s);
    case FE_FN_SECOND: return specialise_second(f, s);
    case FE_FN_TAKING: return specialise_taking(f, alone, s);
    default: return fe_fn_failed(f);
    }
}

/* While values are followed: nothing is kept, since locations are those of one walk; what is no
 * transform is where it begins. */
static cot_status
specialise_followed(cot_fn *f, int n, const ir_type *const *type, bool alone,
                    const fe_special **out)
{
    struct ir_follow *const follow = f->ctx->follow;
    fe_special *s = IR_NEW(&f->ctx->arena, fe_special);
    const fe_special *first;

    *s = (fe_special){ .n_types = n, .type = type, .axes = f->ctx->axes };
    *out = s;
    if (f->kind == FE_FN_PASS)
        return specialise(f, alone, s);
    f->ctx->follow = NULL;
    const cot_status status = fe_specialise(f, n, type, alone, &first);
    f->ctx->follow = follow;
    COT_TRY(status);
    *s = *first;
    return pass_follow("source", NULL, &s->graph);
}

cot_status
fe_specialise(cot_fn *f, int n, const ir_type *const *type, bool alone, const fe_special **out)
{
    if (f->ctx->follow)
        return specialise_followed(f, n, type, alone, out);
    const fe_special *cached = find_cached(f, n, type);

    if (cached) {
        *out = cached;
        return COT_OK;
    }
    fe_special made = {
        .n_types = n, .type = type, .axes = f->ctx->axes, .unfolded = f->ctx->unfolded
    };
    f->traces++;
    COT_TRY(specialise(f, alone, &made));
    COT_TRY(fe_check_types(f, made.graph, n, type, made.n_captured + made.n_hidden));
    fe_special *s = ir_copy_bytes(&f->ctx->arena, &made, sizeof made);
    s->type = ir_copy_bytes(&f->ctx->arena, type, sizeof *type * (size_t)n);
    if (s->n_captured == 0 || f->kind == FE_FN_FIRST)
        f->cache[f->n_cached++ % FE_CACHE] = s;
    *out = s;
    return COT_OK;
}

int
fe_count_residuals(const cot_fn *f, const ir_graph *g)
{
    uint32_t kept = f->n_cached < FE_CACHE ? f->n_cached : FE_CACHE;

    for (uint32_t i = 0; f->kind == FE_FN_FIRST && i < kept; i++)
        if (f->cache[i]->graph == g)
            return g->n_out - f->cache[i]->n_out;
    return 0;
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
trace_types(cot_fn *f, cot_types types, ir_arena *scratch, const cot_graph **out)
{
    const fe_special *s;

    if (types.n < 0 || (types.n > 0 && !FE_AT(types)))
        return ir_fail(f->ctx, f->loc, f->name, ERR_usage,
                       "the list of types is NULL, or shorter than none");
    const ir_type **type = IR_NEW_N(scratch, const ir_type *, types.n + 1);
    f->ctx->here = (ir_here){ f->loc, f->name };
    for (int i = 0; i < types.n; i++)
        type[i] = ir_type_of(f->ctx, &FE_AT(types)[i]);
    f->ctx->here = (ir_here){ 0, NULL };
    for (int i = 0; i < types.n; i++)
        if (!type[i])
            return fe_fn_failed(f);
    if (!f->ctx->trace)
        f->ctx->axes = NULL, f->ctx->around = NULL; /* a failed allocation may have left some */
    COT_TRY(fe_specialise(f, types.n, type, true, &s));
    *out = s->graph;
    return COT_OK;
}

cot_status
cot_trace_fn(cot_fn *f, cot_types types, const cot_graph **out)
{
    volatile cot_status status = COT_ERR_MEMORY;
    const cot_graph *graph = NULL;

    if (out)
        *out = NULL;
    if (!f)
        return COT_ERR_ARG;
    pthread_mutex_lock(&f->ctx->lock);
    IR_TRY (f->ctx) {
        ir_arena *scratch = ir_arena_take(f->ctx);
        status = trace_types(f, types, scratch, out ? out : &graph);
        ir_arena_give(scratch);
    }
    pthread_mutex_unlock(&f->ctx->lock);
    return status;
}
