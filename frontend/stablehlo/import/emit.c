/* Functions and regions: the ops of a tree, one after the other, each by its rule. */
#include "frontend/stablehlo/import/emit.h"

#include "ir/diag.h"
#include "passes/pass.h"

/* ---- an op ---- */

/* The result is of the type that the text says, but for sizes that the text leaves open. */
static void
check_result(hlo_emit *e, int i)
{
    const hlo_type *t = e->h->m->value[e->op->out + (uint32_t)i].type;
    const ir_type *is = e->out[i] ? ir_btype(e->b, e->out[i]) : NULL;
    bool same;

    if (t->kind != HLO_TENSOR || !is)
        return;
    same = t->type ? t->type == is : t->dtype == is->dtype && t->rank == is->rank;
    for (int k = 0; same && !t->type && k < t->rank; k++)
        same = t->dims[k] == HLO_DYNAMIC || t->dims[k] == is->dims[k];
    if (!same)
        fe_hlo_fail(e, "result %d is %s; the text says %.*s", i, ir_type_str(e->b->ctx, is),
                    (int)t->text.n, t->text.at);
}

static bool
is_return(const hlo_op *op)
{
    return strcmp(op->name, "return") == 0 || strcmp(op->name, "func.return") == 0 ||
           strcmp(op->name, "stablehlo.return") == 0;
}

static void
emit_op(hlo_emit *e, const hlo_op *op)
{
    hlo_import *h = e->h;
    ir_ref *in = IR_NEW_N(e->b->arena, ir_ref, op->n_in + 1),
           *out = IR_NEW_N(e->b->arena, ir_ref, op->n_out + 1);

    e->op = op;
    e->in = in;
    e->out = out;
    e->n_in = op->n_in;
    e->n_out = op->n_out;
    e->shaped = (ir_ints){ 0, NULL };
    e->b->loc = fe_hlo_location(h, op);
    for (int i = 0; i < op->n_in; i++)
        in[i] = h->env[op->in[i]];
    e->row = fe_hlo_row(h, op->name);
    if (!e->row) {
        fe_hlo_fail(e, "the op is not supported");
        return;
    }
    if (e->row->n_in >= 0 && e->row->n_in != op->n_in) {
        fe_hlo_fail(e, "has %d operands; wants %d", op->n_in, e->row->n_in);
        return;
    }
    for (int i = 0; i < op->n_in; i++)
        if (!in[i] && h->m->value[op->in[i]].type->kind == HLO_TENSOR) {
            fe_hlo_fail(e, "operand %d has no value", i);
            return;
        }
    e->row->rule(e);
    for (int i = 0; i < op->n_out && !fe_hlo_bad(e); i++) {
        const hlo_small *small = h->m->value[op->out + (uint32_t)i].type->small;
        if (small && !fe_hlo_moves(e->row))
            out[i] = fe_hlo_narrow(e->b, small, out[i]);
        check_result(e, i);
        h->env[op->out + (uint32_t)i] = out[i];
    }
}

/* All ops but the one that returns, which is answered; NULL after an error. */
static const hlo_op *
emit_ops(hlo_emit *e, const hlo_region *r)
{
    const hlo_op *const outer = e->op;
    const hlo_op *last = NULL;

    for (uint32_t i = 0; i < r->n_ops && !fe_hlo_bad(e); i++) {
        if (is_return(r->op[i])) {
            last = r->op[i];
            break;
        }
        emit_op(e, r->op[i]);
    }
    if (!last && !fe_hlo_bad(e)) {
        e->op = r->n_ops ? r->op[r->n_ops - 1] : outer;
        fe_hlo_fail(e, "the region ends without a return");
    }
    return fe_hlo_bad(e) ? NULL : last;
}

/* ---- graphs ---- */

enum { MAX_DEPTH = 200, MAX_VARIANTS = 256, MAX_INLINED = 10000 };

/* A frame for a graph with these inputs; the values from `first` on are its arguments. */
static void
begin(hlo_emit *e, hlo_import *h, fe_source *s, const ir_type *const *type, ir_ref *in)
{
    cot_value *v = IR_NEW_N(&h->ctx->arena, cot_value, s->n_in + 1);

    s->type = type;
    s->alone = true;
    *e = (hlo_emit){ .h = h };
    e->t = fe_trace_begin(h->ctx, s, v);
    e->b = e->t->b;
    for (int i = 0; i < s->n_in; i++)
        in[i] = e->t->slot[v[i].id].ref;
}

static ir_graph *
end(hlo_emit *e, fe_source *s, int n, const ir_ref *out)
{
    cot_value *v = IR_NEW_N(e->b->arena, cot_value, n + 1);
    ir_graph *g = NULL;

    if (e->h->ctx->status != COT_OK && e->b->status == COT_OK)
        e->b->status = e->h->ctx->status;
    for (int i = 0; i < n; i++)
        v[i] = fe_handle(e->t, out[i]);
    s->n_out = e->b->status == COT_OK ? n : 0;
    return fe_trace_end(e->t, s, v, &g) == COT_OK ? fe_hlo_shifts(e->h, g) : NULL;
}

static bool
is_small_constant(const ir_build *b, ir_ref v)
{
    const ir_node *n = ir_bdef(b, v);

    return n && n->op == OP_constant &&
           (n->at->constant.data.splat || n->at->constant.data.n <= 256);
}

hlo_captures
fe_hlo_captures(hlo_emit *e, int n, hlo_region *const *region)
{
    hlo_captures c = { 0, NULL, NULL, NULL };
    uint32_t most = 0;
    ir_map seen;

    for (int i = 0; i < n; i++)
        most += region[i]->n_captured;
    uint32_t *value = IR_NEW_N(e->h->a, uint32_t, most + 1);
    ir_ref *ref = IR_NEW_N(e->h->a, ir_ref, most + 1);
    const ir_type **type = IR_NEW_N(e->h->a, const ir_type *, most + 1);
    ir_map_init(&seen, e->h->a);
    for (int i = 0; i < n; i++)
        for (uint32_t k = 0; k < region[i]->n_captured; k++) {
            const uint32_t v = region[i]->captured[k];
            uint32_t at = 0;
            if (e->h->m->value[v].type->kind == HLO_TUPLE)
                fe_hlo_fail(e, "a region that captures a tuple is not supported");
            if (ir_map_next(&seen, v, &at) || !e->h->env[v])
                continue;
            ir_map_add(&seen, v, 1);
            value[c.n] = v;
            ref[c.n] = e->h->env[v];
            if (is_small_constant(e->b, ref[c.n]))
                continue;
            type[c.n] = ir_btype(e->b, ref[c.n]);
            c.n++;
        }
    c.value = value;
    c.ref = ref;
    c.type = type;
    return c;
}

/* What the region captures, as values of its own graph: inputs, or constants made anew. */
static ir_ref *
enter(hlo_emit *in, const ir_build *outer, const hlo_region *r, const hlo_captures *c,
      const ir_ref *input)
{
    hlo_import *h = in->h;
    ir_ref *saved = IR_NEW_N(h->a, ir_ref, r->n_captured + (uint32_t)c->n + 1);

    for (uint32_t k = 0; k < r->n_captured; k++) {
        const ir_ref v = saved[k] = h->env[r->captured[k]];
        const ir_node *n = v ? ir_bdef(outer, v) : NULL;
        if (v && is_small_constant(outer, v))
            h->env[r->captured[k]] = ir_node1(in->b, OP_constant, 0, NULL, n->at);
    }
    for (int k = 0; k < c->n; k++) {
        saved[r->n_captured + (uint32_t)k] = h->env[c->value[k]];
        h->env[c->value[k]] = input[k];
    }
    return saved;
}

static void
leave(hlo_import *h, const hlo_region *r, const hlo_captures *c, const ir_ref *saved)
{
    for (int k = c->n; k-- > 0;)
        h->env[c->value[k]] = saved[r->n_captured + (uint32_t)k];
    for (uint32_t k = r->n_captured; k-- > 0;)
        h->env[r->captured[k]] = saved[k];
}

ir_graph *
fe_hlo_region(hlo_emit *e, const hlo_region *r, const hlo_captures *c, const char *what,
              int n_args, const ir_type *const *arg)
{
    hlo_import *h = e->h;
    const int n_in = c->n + n_args;
    const ir_type **type = IR_NEW_N(h->a, const ir_type *, n_in + 1);
    ir_ref *in = IR_NEW_N(h->a, ir_ref, n_in + 1);
    fe_source s = { .name = ir_format(&h->ctx->arena, "%s.%s", e->b->name, what),
                    .loc = e->b->loc,
                    .n_in = n_in };
    hlo_emit sub;

    const hlo_type *const *declared;
    const int takes = fe_hlo_arguments(h, r, &declared);
    if (takes != n_args)
        fe_hlo_fail(e, "the region takes %d arguments; wants %d", takes, n_args);
    if (h->depth >= MAX_DEPTH)
        fe_hlo_fail(e, "regions and calls are too deep");
    if (fe_hlo_bad(e))
        return NULL;
    for (int i = 0; i < c->n; i++)
        type[i] = c->type[i];
    for (int i = 0; i < n_args; i++)
        type[c->n + i] = arg[i];
    h->depth++;
    begin(&sub, h, &s, type, in);
    sub.op = e->op;
    ir_ref *saved = enter(&sub, e->b, r, c, in);
    fe_hlo_enter(h, r, in + c->n);
    const hlo_op *last = emit_ops(&sub, r);
    ir_ref *out;
    const int n = fe_hlo_returned(h, last, &out);
    leave(h, r, c, saved);
    h->depth--;
    ir_graph *g = end(&sub, &s, n, out);
    if (!g && e->b->status == COT_OK)
        e->b->status = h->ctx->status;
    return g;
}

ir_graph *
fe_hlo_body(hlo_emit *e, int i, int n_args, const ir_type *const *arg)
{
    if (i >= e->op->n_regions) {
        fe_hlo_fail(e, "has %d regions; wants %d", e->op->n_regions, i + 1);
        return NULL;
    }
    const hlo_captures c = fe_hlo_captures(e, 1, &e->op->region[i]);
    if (c.n > 0) {
        fe_hlo_fail(e, "a region that computes with values from outside is not supported here");
        return NULL;
    }
    return fe_hlo_region(e, e->op->region[i], &c, "body", n_args, arg);
}

/* ---- functions ---- */

hlo_func *
fe_hlo_func(hlo_import *h, hlo_span name)
{
    const uint64_t hash = ir_hash(0, name.at, name.n);
    uint32_t at = 0, id;

    while ((id = ir_map_next(&h->funcs, hash, &at)) != 0)
        if (fe_hlo_is(name, h->func[id - 1].name))
            return &h->func[id - 1];
    return NULL;
}

static bool
fits(hlo_import *h, hlo_func *f, int n, const ir_type *const *type, const char *at)
{
    const hlo_region *r = f->op->n_regions ? f->op->region[0] : NULL;

    if (!r)
        return fe_hlo_refuse(h->ctx, h->r, at, f->name, "the function has no body");
    if (f->busy)
        return fe_hlo_refuse(h->ctx, h->r, at, f->name, "the function calls itself");
    if (h->depth >= MAX_DEPTH)
        return fe_hlo_refuse(h->ctx, h->r, at, f->name, "calls are too deep");
    const hlo_type *const *want;
    const int n_want = fe_hlo_arguments(h, r, &want);
    if (n_want != n)
        return fe_hlo_refuse(
            h->ctx, h->r, at, f->name,
            ir_format(h->a, "is called with %d arguments; wants %d", n, n_want));
    for (int i = 0; i < n; i++) {
        const hlo_type *t = want[i];
        bool same =
            t->kind == HLO_TENSOR && t->dtype == type[i]->dtype && t->rank == type[i]->rank;
        for (int k = 0; same && k < t->rank; k++)
            same = t->dims[k] == HLO_DYNAMIC || t->dims[k] == type[i]->dims[k];
        if (!same)
            return fe_hlo_refuse(h->ctx, h->r, at, f->name,
                                 ir_format(h->a, "argument %d is %s; wants %.*s", i,
                                           ir_type_str(h->ctx, type[i]), (int)t->text.n,
                                           t->text.at));
    }
    return true;
}

static const char *
argument_name(hlo_import *h, int i)
{
    return ir_format(&h->ctx->arena, "arg%d", i);
}

/* Argument i of the entry: a constant where its value is given. */
static ir_ref
known_size(hlo_emit *e, int i, ir_ref in)
{
    const ir_ints sizes = e->h->sizes;
    const ir_type *t = ir_btype(e->b, in);

    if (i >= sizes.n)
        return in;
    if (t->rank == 0 && ir_is_int(t->dtype))
        return ir_splat_int(e->b, t, sizes.at[i]);
    fe_hlo_fail(e, "a size is given for argument %d, which is %s; wants an integer scalar", i,
                ir_type_str(e->b->ctx, t));
    return in;
}

static ir_graph *
build_function(hlo_import *h, hlo_func *f, int n, const ir_type *const *type, bool main)
{
    const hlo_region *r = f->op->region[0];
    ir_ref *in = IR_NEW_N(h->a, ir_ref, n + 1);
    const char **name = IR_NEW_N(h->a, const char *, n + 1);
    const bool outer_ieee = h->ieee;
    hlo_emit e;

    for (int i = 0; i < n; i++)
        name[i] = argument_name(h, i);
    fe_source s = { .name = ir_format(&h->ctx->arena, "%s", f->name),
                    .loc = fe_hlo_location(h, f->op),
                    .n_in = n,
                    .in_name = name };
    f->busy = true;
    h->depth++;
    begin(&e, h, &s, type, in);
    e.op = f->op;
    e.main = main;
    e.b->uncontracted = !fe_hlo_flag(&e, "cotrace.contract", true);
    h->ieee = !fe_hlo_flag(&e, "cotrace.guard", true);
    for (int i = 0; main && i < n; i++)
        in[i] = known_size(&e, i, in[i]);
    fe_hlo_enter(h, r, in);
    const hlo_op *last = emit_ops(&e, r);
    ir_ref *own;
    const int n_own = fe_hlo_returned(h, last, &own),
              n_out = n_own + (main && h->checks ? 2 * (int)h->checks->n : 0);
    ir_ref *out = IR_NEW_N(h->a, ir_ref, n_out + 1);
    for (int i = 0; i < n_own; i++)
        out[i] = own[i];
    if (main && h->checks) {
        h->checks->n_results = n_own;
        for (uint32_t k = 0; k < h->checks->n; k++) {
            fe_hlo_check *c = &h->checks->at[k];
            out[n_own + 2 * (int)k] = (ir_ref)c->found;
            out[n_own + 2 * (int)k + 1] = (ir_ref)c->wanted;
            c->found = n_own + 2 * (int)k;
            c->wanted = c->found + 1;
        }
    }
    h->depth--;
    h->ieee = outer_ieee;
    f->busy = false;
    return end(&e, &s, n_out, out);
}

ir_graph *
fe_hlo_function(hlo_import *h, hlo_func *f, int n, const ir_type *const *type, const char *at)
{
    const bool main = at == f->op->at;

    for (uint32_t i = 0; i < f->n && !main; i++)
        if (f->variant[i].n_types == n &&
            (n == 0 || memcmp(f->variant[i].type, type, sizeof *type * (size_t)n) == 0))
            return f->variant[i].graph;
    if (!fits(h, f, n, type, at))
        return NULL;
    if (f->n >= MAX_VARIANTS) {
        fe_hlo_refuse(h->ctx, h->r, at ? at : f->op->at, f->name,
                      "is called with too many lists of types");
        return NULL;
    }
    ir_graph *g = build_function(h, f, n, type, main);
    if (!g || main)
        return g;
    struct hlo_variant v = { n, n ? ir_copy_bytes(h->a, type, sizeof *type * (size_t)n) : NULL,
                             g };
    IR_PUSH(h->a, f->variant, f->n, f->cap, v);
    return g;
}

void
fe_hlo_inline(hlo_emit *e, hlo_func *f)
{
    hlo_import *h = e->h;
    const hlo_emit outer = *e;
    const ir_type **type = IR_NEW_N(h->a, const ir_type *, e->n_in + 1);

    for (int i = 0; i < e->n_in; i++)
        type[i] = ir_btype(e->b, e->in[i]);
    if (++h->n_inlined > MAX_INLINED)
        fe_hlo_fail(e, "too many calls hold expectations");
    if (fe_hlo_bad(e) || !fits(h, f, e->n_in, type, e->op->at)) {
        e->b->status = h->ctx->status;
        return;
    }
    f->busy = true;
    h->depth++;
    fe_hlo_enter(h, f->op->region[0], e->in);
    const hlo_op *last = emit_ops(e, f->op->region[0]);
    *e = outer;
    h->depth--;
    f->busy = false;
    ir_ref *own;
    const int n = fe_hlo_returned(h, last, &own), want = fe_hlo_count_results(e);
    if (last && n != want)
        fe_hlo_fail(e, "%s has %d results; wants %d", f->name, n, want);
    if (last && !fe_hlo_bad(e))
        fe_hlo_distribute(e, own);
}

/* Nodes of g with its calls copied, up to a limit: calls within calls may be exponentially
 * many. */
static int
flat_size(const ir_graph *g, int limit)
{
    int n = 0;

    ir_each_node (node, g) {
        n += 1 + (node->op == OP_call ? flat_size(node->at->call.body, limit - n) : 0);
        if (n >= limit)
            return limit;
    }
    return n;
}

ir_graph *
fe_hlo_flat(hlo_emit *e, ir_graph *g)
{
    enum { MAX_NODES = 1 << 17 };

    if (g && flat_size(g, MAX_NODES) >= MAX_NODES)
        return NULL;
    if (g && pass_inline(g, &g) != COT_OK)
        e->b->status = e->h->ctx->status;
    return fe_hlo_bad(e) ? NULL : g;
}

void
fe_hlo_call(hlo_emit *e, ir_graph *g, const ir_ref *in, ir_ref *out)
{
    const ir_attrs at = { .call = { .body = g } };
    ir_ref *y = IR_NEW_N(e->b->arena, ir_ref, g->n_out + 1);

    ir_add_node(e->b, OP_call, g->n_in, in, &at, y);
    for (int i = 0; i < g->n_out; i++)
        out[i] = fe_hlo_bad(e) ? IR_NONE : y[i];
}
