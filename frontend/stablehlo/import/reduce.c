/* Reductions, windows of them, and bodies applied element by element.
 *
 * A body becomes a closed graph on scalars, which passes/combine.c and passes/window.c take;
 * one that is the name of an op becomes that reduction, and windows that grow by one element a
 * running one.  The initial value comes last, and is left out where it changes nothing. */
#include "frontend/stablehlo/import/rules.h"

#include <math.h>

#include "ir/diag.h"
#include "passes/pass.h"
#include "passes/prefix.h"

/* ---- element by element ---- */

/* A graph on scalars, applied to each element of operands of one shape. */
static void
each_element(hlo_emit *e, const ir_graph *g, const ir_ref *in, ir_ref *out)
{
    const ir_type *t = ir_btype(e->b, in[0]);
    pass_vmap_options o = {
        .in = { 0, NULL, true }, .out = { 0, NULL, true }, .size = t->size, .sized = true
    };
    const int64_t zero = 0;
    ir_graph *mapped;
    ir_ref *x = IR_NEW_N(e->b->arena, ir_ref, g->n_in + 1);

    o.in = (pass_dims){ 1, &zero, true };
    o.out = (pass_dims){ 1, &zero, true };
    if (t->rank == 0) {
        fe_hlo_call(e, (ir_graph *)g, in, out);
        return;
    }
    if (pass_vmap(g, &o, &mapped) != COT_OK) {
        e->b->status = e->h->ctx->status;
        return;
    }
    for (int i = 0; i < g->n_in; i++)
        x[i] = ir_reshape(e->b, in[i], 1, &t->size);
    fe_hlo_call(e, mapped, x, out);
    for (int i = 0; i < g->n_out && !fe_hlo_bad(e); i++)
        out[i] = ir_reshape(e->b, out[i], t->rank, t->dims);
}

void
fe_hlo_map(hlo_emit *e)
{
    const ir_type **type = IR_NEW_N(e->b->arena, const ir_type *, e->n_in + 1);

    for (int i = 0; i < e->n_in; i++)
        type[i] = ir_scalar_type(e->b->ctx, fe_hlo_in_type(e, i)->dtype);
    for (int i = 1; i < e->n_in; i++)
        if (!ir_same_shape(fe_hlo_in_type(e, i), fe_hlo_in_type(e, 0)))
            fe_hlo_fail(e, "its operands have different shapes");
    ir_graph *g = e->n_in > 0 ? fe_hlo_body(e, 0, e->n_in, type) : NULL;
    if (g && g->n_out == e->n_out)
        each_element(e, g, e->in, e->out);
    else if (!fe_hlo_bad(e))
        fe_hlo_fail(e, "its body gives another number of results");
}

/* ---- named combiners ---- */

static int64_t
extreme(cot_dtype t, bool most)
{
    const int bits = ir_bits(t);

    if (ir_is_signed(t))
        return most ? (int64_t)(((uint64_t)1 << (bits - 1)) - 1)
                    : -(int64_t)(((uint64_t)1 << (bits - 1)) - 1) - 1;
    return !most ? 0 : bits == 64 ? -1 : (int64_t)(((uint64_t)1 << bits) - 1);
}

/* The value that a combiner leaves as it is; IR_NONE if there is none. */
static ir_ref
neutral(ir_build *b, ir_op combiner, const ir_type *t)
{
    const bool real = ir_is_float(t->dtype) && ir_is_float(ir_compute_type(t->dtype)),
               yes = t->dtype == COT_BOOL;

    switch (combiner) {
    case OP_add: return ir_splat(b, t, 0);
    case OP_mul: return ir_splat(b, t, 1);
    case OP_max:
        return real ? ir_splat(b, t, -(double)INFINITY)
                    : ir_splat_int(b, t, yes ? 0 : extreme(t->dtype, false));
    case OP_min:
        return real ? ir_splat(b, t, (double)INFINITY)
                    : ir_splat_int(b, t, yes ? 1 : extreme(t->dtype, true));
    case OP_and: return ir_splat_int(b, t, yes ? 1 : -1);
    case OP_or: return ir_splat_int(b, t, 0);
    default: return IR_NONE;
    }
}

bool
fe_hlo_is_neutral(hlo_emit *e, ir_op combiner, ir_ref v)
{
    const ir_type *t = ir_btype(e->b, v);
    const ir_ref want = neutral(e->b, combiner, t);
    double x, y;

    return want &&
           (v == want || (ir_is_splat(e->b, v, &x) && ir_is_splat(e->b, want, &y) && x == y));
}

/* ---- bodies ---- */

/* xor, say: a body of that one op. */
static ir_graph *
body_of_op(hlo_emit *e, ir_op op, const ir_type *t)
{
    const ir_type *const type[2] = { t, t };
    fe_source s = { .name = "body", .n_in = 2, .n_out = 1, .type = type, .alone = true };
    cot_value in[2];
    ir_graph *g = NULL;
    cot_trace *trace = fe_trace_begin(e->h->ctx, &s, in);
    ir_ref y = ir_op2(trace->b, op, trace->slot[in[0].id].ref, trace->slot[in[1].id].ref);

    fe_trace_end(trace, &s, (const cot_value[]){ fe_handle(trace, y) }, &g);
    return g;
}

/* The inputs of g in another order: input i of the result is input order[i] of g. */
static ir_graph *
reordered(hlo_emit *e, const ir_graph *g, const int *order)
{
    ir_build *b = ir_build_new(e->h->ctx, g->name);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, g->n_in + 1),
           *out = IR_NEW_N(b->arena, ir_ref, g->n_out + 1);
    ir_graph *made = NULL;

    for (int i = 0; i < g->n_in; i++)
        in[order[i]] = ir_input_like(b, g, g->in[order[i]], "");
    ir_inline_graph(b, g, in, out);
    for (int i = 0; i < g->n_out; i++)
        ir_output(b, out[i]);
    if (ir_build_end(b, &made) != COT_OK)
        e->b->status = e->h->ctx->status;
    return made;
}

/* The body of an op that is printed as `applies OP` rather than as a region. */
static ir_graph *
applied_op(hlo_emit *e, const hlo_attr *applies, const ir_type *t)
{
    const hlo_row *row = fe_hlo_row(e->h, fe_hlo_text(e->h->a, applies->text));
    ir_op op = row && row->op && row->n_in == 2 ? ir_op_find(row->op) : OP_none;

    if (t->dtype == COT_BOOL)
        op = op == OP_add || op == OP_max ? OP_or : op == OP_mul || op == OP_min ? OP_and : op;
    if (op != OP_none)
        return body_of_op(e, op, t);
    fe_hlo_fail(e, "applies %.*s, which is no op of two operands", (int)applies->text.n,
                applies->text.at);
    return NULL;
}

bool
fe_hlo_combiner(hlo_emit *e, int region, int n, const ir_ref *x, bool in_pairs,
                pass_combiner *c)
{
    const hlo_attr *applies = fe_hlo_find(e->op, "applies", NULL);
    const ir_type **type = IR_NEW_N(e->b->arena, const ir_type *, 2 * n + 1);
    ir_graph *g;

    *c = (pass_combiner){ .n = n };
    for (int i = 0; i < 2 * n; i++)
        type[i] = ir_scalar_type(e->b->ctx, ir_btype(e->b, x[in_pairs ? i / 2 : i % n])->dtype);
    if (applies && n == 1 && e->op->n_regions == 0) {
        c->g = applied_op(e, applies, type[0]);
        return c->g != NULL;
    }
    const hlo_attr *called = fe_hlo_find(e->op, "called_computations", NULL);
    hlo_func *f = called && called->n == 1 && called->item[0].kind == HLO_SYMBOL
                      ? fe_hlo_func(e->h, called->item[0].text)
                      : NULL;
    if (region >= e->op->n_regions && !f) {
        fe_hlo_fail(e, "has %d regions; wants %d", e->op->n_regions, region + 1);
        return false;
    }
    const hlo_captures around =
        f ? (hlo_captures){ 0 } : fe_hlo_captures(e, 1, &e->op->region[region]);
    if (!(g = f ? fe_hlo_function(e->h, f, 2 * n, type, e->op->at)
                : fe_hlo_region(e, e->op->region[region], &around, "body", 2 * n, type)))
        return false;
    if (!(g = fe_hlo_flat(e, g))) {
        fe_hlo_fail(e, "its body is too large");
        return false;
    }
    int *order = IR_NEW_N(e->b->arena, int, g->n_in + 1);
    for (int i = 0; i < n; i++) { /* the a's, the b's, then what is captured */
        order[i] = around.n + (in_pairs ? 2 * i : i);
        order[n + i] = around.n + (in_pairs ? 2 * i + 1 : n + i);
    }
    for (int i = 0; i < around.n; i++)
        order[2 * n + i] = i;
    c->g = around.n > 0 || in_pairs ? reordered(e, g, order) : g;
    c->n_captured = around.n;
    c->captured = around.ref;
    return c->g != NULL;
}

/* ---- reduce ---- */

/* The body gives a result for each pair, of its type. */
static bool
results_of(hlo_emit *e, const pass_combiner *c, int n)
{
    bool good = c->g->n_out == n;

    for (int i = 0; i < n && good; i++)
        good = ir_type_at(c->g, c->g->out[i]) == ir_type_at(c->g, c->g->in[i]);
    if (!good)
        fe_hlo_fail(e, "its body gives results of other types than it takes");
    return good;
}

static bool
pairs(hlo_emit *e, int n)
{
    if (e->n_in != 2 * n || n < 1 || n != e->n_out) {
        fe_hlo_fail(e, "has %d operands and %d results; wants two operands for each result",
                    e->n_in, e->n_out);
        return false;
    }
    for (int i = 0; i < n; i++)
        if (fe_hlo_in_type(e, n + i)->rank != 0 ||
            fe_hlo_in_type(e, n + i)->dtype != fe_hlo_in_type(e, i)->dtype ||
            !ir_same_shape(fe_hlo_in_type(e, i), fe_hlo_in_type(e, 0))) {
            fe_hlo_fail(e, "operand %d is %s, its initial value %s", i,
                        ir_type_str(e->b->ctx, fe_hlo_in_type(e, i)),
                        ir_type_str(e->b->ctx, fe_hlo_in_type(e, n + i)));
            return false;
        }
    return true;
}

/* The combiner is the body's op, by name: then its name among ops of two operands. */
static ir_op
named(const pass_combiner *c, ir_op *reduction)
{
    *reduction = pass_combiner_op(c);
    return *reduction ? (ir_op)c->g->node[1].op : OP_none;
}

void
fe_hlo_reduce(hlo_emit *e)
{
    const int n = e->n_in / 2;
    ir_op reduction;
    pass_combiner c;
    ir_ints list;
    ir_axes axes;

    if (!pairs(e, n) || !fe_hlo_ints(e, "dimensions", NULL, -1, 0, &list) ||
        !fe_hlo_axes(e, list, fe_hlo_in_type(e, 0)->rank, &axes) ||
        !fe_hlo_combiner(e, 0, n, e->in, false, &c))
        return;
    if (!results_of(e, &c, n))
        return;
    const ir_op op = named(&c, &reduction);
    if (op && (fe_hlo_in_type(e, 0)->dtype != COT_BOOL || op == OP_and || op == OP_or) &&
        fe_hlo_is_neutral(e, op, e->in[1]))
        e->out[0] = ir_reduce(e->b, reduction, e->in[0], axes);
    else if (!fe_hlo_arg_search(e, &c, list))
        pass_reduce(e->b, &c, axes, e->in, e->in + n, e->out);
}

/* ---- windows ---- */

/* Fill w from the lists: sizes, strides, dilations of the operand and of the window, padding
 * before and after. */
static bool
make_windows(hlo_emit *e, int rank, const ir_ints *list, pass_window *w)
{
    for (int k = 0; k < rank; k++) {
        w[k] = (pass_window){ .size = list[0].at[k],
                              .stride = list[1].at[k],
                              .base = list[2].at[k],
                              .dilation = list[3].at[k],
                              .low = list[4].at[2 * k],
                              .high = list[4].at[2 * k + 1] };
        if (w[k].size < 1 || w[k].stride < 1 || w[k].base < 1 || w[k].dilation < 1) {
            fe_hlo_fail(e, "sizes, strides and dilations of windows are 1 or more");
            return false;
        }
    }
    return true;
}

/* An entry for each axis of the operand. */
static bool
read_windows(hlo_emit *e, int rank, pass_window *w)
{
    ir_ints size, stride, base, dilation, padding;

    if (!fe_hlo_ints(e, "window_dimensions", NULL, rank, 1, &size) ||
        !fe_hlo_ints(e, "window_strides", NULL, rank, 1, &stride) ||
        !fe_hlo_ints(e, "base_dilations", NULL, rank, 1, &base) ||
        !fe_hlo_ints(e, "window_dilations", NULL, rank, 1, &dilation) ||
        !fe_hlo_ints(e, "padding", NULL, 2 * rank, 0, &padding))
        return false;
    return make_windows(e, rank, (const ir_ints[]){ size, stride, base, dilation, padding }, w);
}

/* The same where the five lists are operands, from `first` on. */
static bool
known_windows(hlo_emit *e, int first, int rank, pass_window *w)
{
    ir_ints list[5];

    for (int i = 0; i < 5; i++) {
        const int64_t n = ir_btype(e->b, e->in[first + i])->size;
        const int64_t want = i < 4 ? rank : 2 * rank;
        ir_ref flat = ir_reshape(e->b, e->in[first + i], 1, &n);
        if (!flat || !fe_hlo_known(e, flat, "the window", &list[i]))
            return false;
        if (n != want) {
            fe_hlo_fail(e, "operand %d has %lld entries; wants %lld", first + i, (long long)n,
                        (long long)want);
            return false;
        }
    }
    return make_windows(e, rank, list, w);
}
/* A window over all of one axis, padded on one side, makes running sums: the axis, or -1.  (The
 * specification has the initial value be neutral, so that padding counts for nothing.) */
static int
running_axis(const ir_type *t, const pass_window *w, bool *reverse)
{
    int axis = -1;

    for (int k = 0; k < t->rank; k++) {
        if (w[k].stride != 1 || w[k].base != 1 || w[k].dilation != 1)
            return -1;
        if (w[k].size == 1 && w[k].low == 0 && w[k].high == 0)
            continue;
        if (axis >= 0 || w[k].size != t->dims[k] || w[k].low + w[k].high != w[k].size - 1 ||
            (w[k].low != 0 && w[k].high != 0))
            return -1;
        axis = k;
        *reverse = w[k].low == 0 && w[k].size > 1;
    }
    return axis;
}

ir_op
fe_hlo_running(ir_op combiner)
{
    return combiner == OP_add   ? OP_cumsum
           : combiner == OP_mul ? OP_cumprod
           : combiner == OP_max ? OP_cummax
           : combiner == OP_min ? OP_cummin
                                : OP_none;
}

static void
reduce_windows(hlo_emit *e, int n, const pass_window *w)
{
    bool reverse = false;
    ir_op reduction;
    pass_combiner c;

    if (!fe_hlo_combiner(e, 0, n, e->in, false, &c) || !results_of(e, &c, n))
        return;
    const ir_type *t = fe_hlo_in_type(e, 0);
    const ir_op running = fe_hlo_running(named(&c, &reduction));
    const int axis = running_axis(t, w, &reverse);
    if (axis >= 0 && running && t->dtype != COT_BOOL &&
        fe_hlo_is_neutral(e, (ir_op)c.g->node[1].op, e->in[1]))
        e->out[0] =
            ir_node1(e->b, running, 1, e->in, &(ir_attrs){ .cumulate = { axis, reverse } });
    else if (axis >= 0 && !running && t->size > 0)
        pass_running(e->b, &c, axis, reverse, e->in, e->out);
    else
        pass_reduce_window(e->b, &c, w, e->in, e->in + n, e->out);
}

void
fe_hlo_reduce_window(hlo_emit *e)
{
    pass_window w[COT_MAX_RANK];

    if (pairs(e, e->n_in / 2) && read_windows(e, fe_hlo_in_type(e, 0)->rank, w))
        reduce_windows(e, e->n_in / 2, w);
}

void
fe_hlo_dynamic_reduce_window(hlo_emit *e)
{
    const int n = (e->n_in - 5) / 2;
    pass_window w[COT_MAX_RANK];

    if (n < 1 || e->n_in != 2 * n + 5) {
        fe_hlo_fail(e, "has %d operands; wants pairs and five lists", e->n_in);
        return;
    }
    e->n_in = 2 * n;
    if (pairs(e, n) && known_windows(e, 2 * n, fe_hlo_in_type(e, 0)->rank, w))
        reduce_windows(e, n, w);
}

void
fe_hlo_select_and_scatter(hlo_emit *e)
{
    pass_combiner select, scatter;
    pass_window w[COT_MAX_RANK];

    if (read_windows(e, fe_hlo_in_type(e, 0)->rank, w) &&
        fe_hlo_combiner(e, 0, 1, e->in, false, &select) &&
        fe_hlo_combiner(e, 1, 1, e->in, false, &scatter) && results_of(e, &scatter, 1))
        e->out[0] =
            pass_select_and_scatter(e->b, &select, &scatter, w, e->in[0], e->in[1], e->in[2]);
}
