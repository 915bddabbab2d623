/* The module: functions, and for each node its rule of export.def, in place or in a composite's
 * legalised form. */
#include "frontend/stablehlo/export/export.h"

#include "cotrace/stablehlo.h"
#include "ir/diag.h"
#include "passes/pass.h"

typedef enum how { STAND_IN = 0, PLAIN, COMPOSITE } how;

typedef struct export_row {
    how how;
    fe_hlo_writer *rule;
    const char *types, *name;
} export_row;

static const export_row rows[OP_COUNT] = {
#define EXPORT(op, how, rule, types, name)                                                     \
    [OP_##op] = { how, fe_hlo_write_##rule, types, name },
#include "frontend/stablehlo/export/export.def"
#undef EXPORT
};

static bool
holds_for(const char *types, const hlo_site *s)
{
    const ir_type *t = s->n_in > 0 ? s->in_type[0] : NULL;
    const cot_dtype d = t ? t->dtype : COT_F32;
    const char letter = d == COT_BOOL      ? 'b'
                        : ir_is_complex(d) ? 'c'
                        : ir_is_float(d)   ? 'f'
                        : ir_is_signed(d)  ? 's'
                                           : 'u';

    return strchr(types, letter) != NULL;
}

static bool
write_node(hlo_site *s)
{
    const export_row *r = &rows[s->op];

    s->name = r->name;
    s->rule = r->rule;
    if (s->n_out == 0 || ir_ops[s->op].flag == IR_COLLECTIVE || ir_ops[s->op].flag == IR_EFFECT)
        return fe_hlo_no_counterpart(s);
    if (r->how == STAND_IN || !holds_for(r->types, s))
        return fe_hlo_composite_of(s, false);
    return r->how == PLAIN ? r->rule(s) : fe_hlo_composite_of(s, true);
}

static bool
write_nodes(hlo_write *w, const ir_graph *f, const char **name)
{
    ir_each_node (n, f) {
        const ir_type **type = IR_NEW_N(w->a, const ir_type *, n->n_in + n->n_out + 1);
        const char **in = IR_NEW_N(w->a, const char *, n->n_in + 1);
        hlo_site s = { .w = w,
                       .op = (ir_op)n->op,
                       .loc = n->loc,
                       .at = n->at,
                       .n_in = n->n_in,
                       .n_out = n->n_out,
                       .in = in,
                       .in_type = type,
                       .out_type = type + n->n_in,
                       .out = name + n->first };
        for (int i = 0; i < n->n_in; i++) {
            in[i] = name[n->in[i]];
            type[i] = ir_type_at(f, n->in[i]);
        }
        for (int i = 0; i < n->n_out; i++)
            type[n->n_in + i] = ir_type_at(f, n->first + (ir_ref)i);
        if (!write_node(&s))
            return false;
    }
    return true;
}

/* Has g, or a body in it, a select with derivatives? */
static bool
has_select(hlo_write *w, const ir_graph *g)
{
    ir_graph *const *sub;

    ir_each_node (n, g) {
        if (n->op == OP_select && ir_is_inexact(ir_type_at(g, n->first)->dtype))
            return true;
        for (int i = 0, k = n->op == OP_call ? 0 : ir_subgraphs(n, &sub, w->a); i < k; i++)
            if (has_select(w, sub[i]))
                return true;
    }
    return false;
}

/* "func.func @f(%arg0: T {...}, ...) -> (T, ...) {"; the names of the arguments to `in`. */
static void
write_head(hlo_write *w, const hlo_written *f, int n_in, const ir_type *const *in, int n_out,
           const ir_type *const *out, const char **name)
{
    const bool main = f == w->fn;

    fe_hlo_put(w, "  func.func %s @%s(", main ? "public" : "private", f->name);
    for (int i = 0; i < n_in; i++) {
        name[i] = ir_format(w->a, "%%arg%d", i);
        fe_hlo_put(w, "%s%s: %s", i ? ", " : "", name[i], fe_hlo_type_text(w, in[i]));
        for (int k = 0; main && k < f->g->n_inout; k++)
            if (f->g->inout[k].arg == i)
                fe_hlo_put(w, " {tf.aliasing_output = %d : i32}", n_out - f->g->n_inout + k);
    }
    fe_hlo_put(w, ") -> (");
    fe_hlo_put_types(w, n_out, out);
    const bool ieee = f->g && !f->g->guarded && has_select(w, f->g);
    const char *both = f->g && f->g->uncontracted && ieee ? ", " : "";
    fe_hlo_put(w, f->g && (f->g->uncontracted || ieee) ? ") attributes {%s%s%s} {\n" : ") {\n",
               f->g && f->g->uncontracted ? "cotrace.contract = false" : "", both,
               ieee ? "cotrace.guard = false" : "");
}

static void
write_tail(hlo_write *w, int n, const char *const *x, const ir_type *const *type)
{
    fe_hlo_put(w, "    return ");
    fe_hlo_put_names(w, n, x);
    fe_hlo_put(w, n ? " : " : "");
    fe_hlo_put_types(w, n, type);
    fe_hlo_put(w, "\n  }\n");
}

static bool
write_graph(hlo_write *w, const hlo_written *f)
{
    const ir_graph *g = f->g;
    const ir_type **type = IR_NEW_N(w->a, const ir_type *, g->n_in + g->n_out + 1);
    const char **name = IR_NEW_N(w->a, const char *, g->n_values + 1),
               **arg = IR_NEW_N(w->a, const char *, g->n_in + 1);
    const char **out = IR_NEW_N(w->a, const char *, g->n_out + 1);

    for (int i = 0; i < g->n_in; i++)
        type[i] = ir_type_at(g, g->in[i]);
    for (int i = 0; i < g->n_out; i++)
        type[g->n_in + i] = ir_type_at(g, g->out[i]);
    write_head(w, f, g->n_in, type, g->n_out, type + g->n_in, arg);
    for (int i = 0; i < g->n_in; i++)
        name[g->in[i]] = arg[i];
    if (!write_nodes(w, g, name))
        return false;
    for (int i = 0; i < g->n_out; i++)
        out[i] = name[g->out[i]];
    write_tail(w, g->n_out, out, type + g->n_in);
    return true;
}

static bool
write_by_rule(hlo_write *w, const hlo_written *f)
{
    const char **in = IR_NEW_N(w->a, const char *, f->n_in + 1),
               **out = IR_NEW_N(w->a, const char *, f->n_out + 1);
    hlo_site s = { .w = w,
                   .op = f->op,
                   .loc = f->loc,
                   .at = f->at,
                   .n_in = f->n_in,
                   .n_out = f->n_out,
                   .in = in,
                   .in_type = f->in_type,
                   .out_type = f->out_type,
                   .out = out,
                   .name = f->row,
                   .alone = true };

    write_head(w, f, f->n_in, f->in_type, f->n_out, f->out_type, in);
    if (!f->rule(&s))
        return false;
    write_tail(w, f->n_out, out, f->out_type);
    return true;
}

/* Functions that are still to be written are found while others are written. */
static bool
write_module(hlo_write *w, const ir_graph *g)
{
    fe_hlo_add_function(w, (hlo_written){ .name = "main", .g = g }, g->hash);
    fe_hlo_put(w, "module @%s {\n", fe_hlo_function_name(w, g->name ? g->name : "f"));
    for (uint32_t i = 0; i < w->n_fns; i++) {
        const hlo_written f = w->fn[i];
        w->next = 0;
        w->indent = 2;
        if (!(f.rule ? write_by_rule(w, &f) : write_graph(w, i == 0 ? w->fn : &f)))
            return false;
    }
    fe_hlo_put(w, "}\n");
    return true;
}

cot_status
fe_hlo_export(const ir_graph *g, ir_arena *scratch, ir_buf *text)
{
    hlo_write w = { .ctx = g->ctx, .a = scratch, .text = text };
    ir_graph *f = (ir_graph *)g;

    ir_map_init(&w.by_hash, scratch);
    ir_map_init(&w.by_name, scratch);
    if (f->mutates || f->views)
        COT_TRY(pass_functionalize(f, true, &f));
    COT_TRY(pass_custom_with_rules(f, &f));
    if (!write_module(&w, f))
        return g->ctx->status != COT_OK ? g->ctx->status : COT_ERR_INTERNAL;
    return COT_OK;
}

cot_status
cot_export_stablehlo(const cot_graph *g, cot_write *write, void *user)
{
    volatile cot_status status = COT_ERR_MEMORY;
    ir_arena scratch;
    ir_buf text;

    if (!g || !write)
        return ir_fail_null(g ? g->ctx : NULL, "export_stablehlo", "the function that writes");
    pthread_mutex_lock(&g->ctx->lock);
    ir_arena_init(&scratch, g->ctx);
    IR_TRY (g->ctx) {
        ir_buf_init(&text, &scratch);
        status = fe_hlo_export(g, &scratch, &text);
        if (status == COT_OK)
            write(user, text.text, text.n);
    }
    ir_arena_free(&scratch);
    pthread_mutex_unlock(&g->ctx->lock);
    return status;
}
