/* cot_explore: a function on its way to kernels, as one page. */
#include "cotrace/explore.h"

#include <errno.h>

#include "frontend/fn.h"
#include "ir/diag.h"
#include "runtime/explore/explore.h"

static void
write_head(const rt_exploring *x, ir_buf *b)
{
    bool first = true;

    rt_json_text(b, &first, "format", "cotrace explore 1");
    rt_json_text(b, &first, "library", cot_version());
    rt_json_text(b, &first, "function", x->n_graphs ? x->graph[0]->name : "");
    rt_json_text(b, &first, "pipeline", x->o->pipeline);
    rt_json_text(b, &first, "target", x->plan.target.grid ? x->plan.target.cpu : "");
    rt_json_text(b, &first, "error", x->wrong);
    rt_json_name(b, &first, "measured");
    ir_buf_str(b, x->o->profile ? "true" : "false");
}

static cot_status
write_data(rt_exploring *x, ir_buf *b)
{
    rt_explore_find_files(x);
    ir_buf_str(b, "{");
    write_head(x, b);
    ir_buf_str(b, ",\n");
    rt_explore_files(x, b);
    ir_buf_str(b, ",\n");
    rt_explore_stages(x, b);
    ir_buf_str(b, ",\n");
    rt_explore_values(x, b);
    ir_buf_str(b, ",\n");
    rt_explore_kernels(x, b);
    ir_buf_str(b, ",\n");
    rt_explore_work(x, b);
    ir_buf_str(b, ",\n");
    rt_explore_code(x, b);
    ir_buf_str(b, ",\n");
    rt_explore_drawings(x, b);
    ir_buf_str(b, "}\n");
    return COT_OK;
}

static bool
ends_in(const char *s, const char *end)
{
    const size_t n = strlen(s), k = strlen(end);

    return n >= k && strcmp(s + n - k, end) == 0;
}

static cot_status
write_file(cot_context *ctx, const char *path, const ir_buf *b)
{
    FILE *file = fopen(path, "wb");
    bool good = file && fwrite(b->text, 1, b->n, file) == b->n;
    int why = errno;

    if (file && fclose(file) != 0 && good) {
        good = false;
        why = errno;
    }
    return good ? COT_OK : ir_fail_io(ctx, path, why);
}

/* The way as far as it went is written, too, before its error is reported. */
static cot_status
explore(rt_exploring *x, rt_explore_make *make, void *user, const char *path)
{
    const cot_status status = rt_explore_collect(x, make, user);
    ir_buf data, page;

    if (x->n_stages == 0)
        return status;
    ir_buf_init(&data, x->arena);
    ir_buf_init(&page, x->arena);
    write_data(x, &data);
    if (!ends_in(path, ".json"))
        rt_explore_page(&page, data.text, data.n);
    const cot_status written = write_file(x->ctx, path, ends_in(path, ".json") ? &data : &page);
    return status != COT_OK ? status : written;
}

cot_status
rt_explore(cot_context *ctx, const rt_explore_options *o, rt_explore_make *make, void *user,
           const char *path)
{
    volatile cot_status status = COT_ERR_MEMORY;
    ir_arena *arena = ir_arena_take(ctx);
    rt_exploring x = { .ctx = ctx, .arena = arena, .o = o };
    bool ended[1] = { false };

    IR_TRY (ctx) {
        status = explore(&x, make, user, path);
        ended[0] = true;
    }
    ctx->follow = NULL;
    if (!ended[0])
        ir_out_of_memory(ctx);
    ir_arena_give(arena);
    return status;
}

/* A function that a page is written of. */
typedef struct explore_call {
    cot_fn *fn;
    cot_types types;
    const ir_graph *graph;
    const char *path;
} explore_call;

/* The way of a graph begins with it; that of a function, with the graph of its body. */
static cot_status
make_graph(void *user, ir_graph **out)
{
    const explore_call *c = user;
    const cot_graph *g;

    if (c->graph) {
        *out = (ir_graph *)c->graph;
        return pass_follow("source", NULL, out);
    }
    COT_TRY(cot_trace_fn(c->fn, c->types, &g));
    *out = (ir_graph *)g;
    return COT_OK;
}

static cot_status
explore_body(cot_context *ctx, void *user)
{
    explore_call *c = user;

    if (!c->path)
        return ir_fail_null(ctx, "explore", "path");
    return rt_explore(ctx, &(rt_explore_options){ .pipeline = "" }, make_graph, c, c->path);
}

cot_status
cot_explore(cot_fn *f, cot_types types, const char *path)
{
    explore_call c = { .fn = f, .types = types, .path = path };

    return rt_guard(cot_fn_context(f), explore_body, &c);
}

cot_status
cot_explore_graph(const cot_graph *g, const char *path)
{
    explore_call c = { .graph = g, .path = path };

    return g ? rt_guard(g->ctx, explore_body, &c) : COT_ERR_ARG;
}
