/* The nodes and inputs of every graph, by number: what they are, and which ones they came
 * from. */
#include <stdlib.h>

#include "codegen/fuse/cost.h"
#include "runtime/explore/explore.h"

enum { ATTRS_MOST = 240 }; /* bytes of the text of attributes; constants may have thousands */

typedef struct number_list {
    ir_arena *arena;
    uint32_t *at, n, cap;
} number_list;

static void
add_number(void *user, uint32_t mark)
{
    number_list *x = user;

    IR_PUSH(x->arena, x->at, x->n, x->cap, mark);
}

static int
ascending(const void *x, const void *y)
{
    const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

    return (a > b) - (a < b);
}

/* The numbers of what the node at loc came from. */
static void
write_origins(const rt_exploring *x, ir_buf *b, ir_loc loc)
{
    number_list from = { .arena = x->arena };
    bool first = true;

    ir_loc_each_mark(x->ctx, ir_loc_at(x->ctx, loc)->from, add_number, &from);
    if (from.n)
        qsort(from.at, from.n, sizeof *from.at, ascending);
    ir_buf_str(b, ",\"from\":[");
    for (uint32_t i = 0; i < from.n; i++)
        if (i == 0 || from.at[i] != from.at[i - 1]) {
            rt_json_next(b, &first);
            ir_buf_printf(b, "%u", from.at[i]);
        }
    ir_buf_str(b, "]");
}

/* The transforms that made what is at loc, the first one first. */
static void
add_transforms(const rt_exploring *x, ir_buf *b, ir_loc loc)
{
    const ir_loc_entry e = *ir_loc_at(x->ctx, loc);

    if (e.from)
        add_transforms(x, b, e.from);
    if (e.how)
        ir_buf_printf(b, "%s%s", b->n ? ", " : "", e.how);
}

static void
write_place(const rt_exploring *x, ir_buf *b, bool *first, ir_loc loc)
{
    int line = 0;
    const char *name = ir_loc_root(x->ctx, loc, &line);
    ir_buf how;

    if (name) {
        rt_json_number(b, first, "file", rt_explore_file(x, name));
        rt_json_number(b, first, "line", line);
    }
    ir_buf_init(&how, x->arena);
    add_transforms(x, &how, loc);
    if (how.n)
        rt_json_text(b, first, "how", how.text);
}

static void
write_types(const rt_exploring *x, ir_buf *b, const ir_graph *f, ir_ref v, int n)
{
    bool first = true;

    ir_buf_str(b, ",\"type\":[");
    for (int i = 0; i < n; i++) {
        rt_json_next(b, &first);
        rt_json_string(b, ir_type_str(x->ctx, ir_type_at(f, v + (ir_ref)i)));
    }
    ir_buf_str(b, "]");
}

static void
write_operands(const rt_exploring *x, ir_buf *b, uint32_t graph, const ir_node *n)
{
    const ir_graph *f = x->graph[graph];
    bool first = true;

    ir_buf_str(b, ",\"in\":[");
    for (int i = 0; i < n->n_in; i++) {
        const ir_node *d = ir_def(f, n->in[i]);
        const uint32_t k = d ? n->in[i] - d->first : 0;

        rt_json_next(b, &first);
        ir_buf_printf(b, k ? "[%u,%u]" : "%u", rt_explore_definer(x, graph, n->in[i]), k);
    }
    ir_buf_str(b, "]");
}

static void
write_attrs(const rt_exploring *x, ir_buf *b, bool *first, const ir_node *n)
{
    ir_buf text;

    ir_buf_init(&text, x->arena);
    ir_print_attrs(&text, n);
    if (!text.n)
        return;
    if (text.n > ATTRS_MOST) {
        text.n = ATTRS_MOST;
        ir_buf_str(&text, " ...}");
    }
    rt_json_name(b, first, "attrs");
    rt_json_bytes(b, text.text + 1, text.n - 1);
}

/* The graphs that the node holds, by number. */
static void
write_subs(const rt_exploring *x, ir_buf *b, bool *first, const ir_node *n)
{
    ir_graph *const *sub;
    bool inner = true;

    if (!ir_runs_bodies(n->op))
        return;
    rt_json_name(b, first, "subs");
    ir_buf_str(b, "[");
    for (int k = 0, subs = ir_subgraphs(n, &sub, x->arena); k < subs; k++) {
        rt_json_next(b, &inner);
        ir_buf_printf(b, "%u", rt_explore_graph(x, sub[k]));
    }
    ir_buf_str(b, "]");
}

static void
write_input(const rt_exploring *x, ir_buf *b, uint32_t graph, int i)
{
    const ir_graph *f = x->graph[graph];
    bool first = true;

    ir_buf_str(b, "{");
    rt_json_text(b, &first, "op", "input");
    rt_json_text(b, &first, "name",
                 f->in_name[i] ? f->in_name[i] : ir_format(x->arena, "arg%d", i));
    rt_json_number(b, &first, "graph", graph);
    write_types(x, b, f, f->in[i], 1);
    write_origins(x, b, f->in_loc[i]);
    ir_buf_str(b, "}\n");
}

static void
write_node(const rt_exploring *x, ir_buf *b, uint32_t graph, const ir_node *n)
{
    const ir_graph *f = x->graph[graph];
    bool first = true;

    ir_buf_str(b, "{");
    rt_json_text(b, &first, "op", ir_ops[n->op].name);
    rt_json_text(b, &first, "name", ir_format(x->arena, "%u", n->first - (ir_ref)f->n_in - 1));
    rt_json_number(b, &first, "graph", graph);
    write_types(x, b, f, n->first, n->n_out);
    write_operands(x, b, graph, n);
    write_attrs(x, b, &first, n);
    write_subs(x, b, &first, n);
    write_place(x, b, &first, n->loc);
    rt_json_number(b, &first, "bytes", (double)rt_explore_bytes(f, n));
    rt_json_number(b, &first, "flops", (double)rt_explore_flops(f, n));
    rt_json_number(b, &first, "cost", n->n_out ? (double)cg_op_cost(f, n) : 0);
    write_origins(x, b, n->loc);
    ir_buf_str(b, "}\n");
}

void
rt_explore_values(const rt_exploring *x, ir_buf *b)
{
    ir_buf_str(b, "\"values\":[null");
    for (uint32_t i = 0; i < x->n_graphs; i++) {
        for (int k = 0; k < x->graph[i]->n_in; k++) {
            ir_buf_str(b, ",");
            write_input(x, b, i, k);
        }
        ir_each_node (n, x->graph[i]) {
            ir_buf_str(b, ",");
            write_node(x, b, i, n);
        }
    }
    ir_buf_str(b, "]");
}
