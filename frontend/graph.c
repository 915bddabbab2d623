/* Graphs as users see them: types of arguments and results, text out and in. */
#include "cotrace/compile.h"
#include "ir/diag.h"
#include "ir/graph.h"
#include "ir/sized.h"
#include "passes/pass.h"

const char *
cot_graph_name(const cot_graph *g)
{
    return g ? g->name : NULL;
}

int
cot_graph_n_in(const cot_graph *g)
{
    return g ? g->n_in : 0;
}

int
cot_graph_n_out(const cot_graph *g)
{
    return g ? g->n_out - g->n_inout : 0;
}

bool
cot_graph_in_is_inout(const cot_graph *g, int i)
{
    for (int k = 0; g && k < g->n_inout; k++)
        if (g->inout[k].arg == i)
            return true;
    return false;
}

cot_type
cot_graph_in_type(const cot_graph *g, int i)
{
    return g && i >= 0 && i < g->n_in ? ir_type_public(ir_type_at(g, g->in[i]))
                                      : (cot_type){ 0 };
}

cot_type
cot_graph_out_type(const cot_graph *g, int i)
{
    return g && i >= 0 && i < g->n_out ? ir_type_public(ir_type_at(g, g->out[i]))
                                       : (cot_type){ 0 };
}

int
cot_graph_node_count(const cot_graph *g)
{
    return g ? (int)g->n_nodes - 1 : 0;
}

static cot_status
parse(cot_context *ctx, const char *path, const char *text, size_t bytes, const char *entry,
      const cot_graph **out)
{
    int n, order[IR_MAX_SIZES];
    ir_module m;

    COT_TRY(ir_parse(ctx, path, text, bytes, &m));
    for (int i = m.n - 1; i >= 0; i--)
        if (!entry || strcmp(m.fn[i]->name, entry) == 0) {
            if (m.fn[i]->sized)
                COT_TRY(ir_sized_order(m.fn[i], &n, order));
            *out = m.fn[i];
            return COT_OK;
        }
    return ir_fail(ctx, 0, path, ERR_no_function, entry ? entry : "at all");
}

cot_status
cot_parse(cot_context *ctx, const char *path, const char *text, size_t bytes, const char *entry,
          const cot_graph **out)
{
    volatile cot_status status = COT_ERR_MEMORY;

    if (!ctx || !text || !out)
        return ir_fail_null(ctx, "parse", text ? "the result" : "the text");
    *out = NULL;
    pthread_mutex_lock(&ctx->lock);
    IR_TRY (ctx) {
        status = parse(ctx, path, text, bytes, entry, out);
    }
    pthread_mutex_unlock(&ctx->lock);
    return status;
}

void
cot_write_file(void *file, const char *text, size_t bytes)
{
    if (file && text)
        fwrite(text, 1, bytes, file);
}

cot_status
cot_dump_graph(const cot_graph *g, cot_write *write, void *user)
{
    volatile cot_status status = COT_ERR_MEMORY;
    ir_graph *whole = NULL;
    ir_arena scratch;
    ir_buf text;

    if (!g || !write)
        return ir_fail_null(g ? g->ctx : NULL, "dump_graph", "the function that writes");
    pthread_mutex_lock(&g->ctx->lock);
    ir_arena_init(&scratch, g->ctx);
    IR_TRY (g->ctx) {
        ir_buf_init(&text, &scratch);
        const cot_status found = pass_custom_with_rules(g, &whole);
        ir_print(&text, found == COT_OK ? whole : g, 0);
        write(user, text.text ? text.text : "", text.n);
        status = found; /* not before: printing may run short of memory */
    }
    ir_arena_free(&scratch);
    pthread_mutex_unlock(&g->ctx->lock);
    return status;
}
