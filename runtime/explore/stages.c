/* The stages and their graphs. */
#include "runtime/explore/explore.h"

static void
write_stage(const rt_exploring *x, ir_buf *b, uint32_t i)
{
    const rt_stage_graphs *s = &x->stage[i];
    bool first = true;

    ir_buf_str(b, "{");
    rt_json_text(b, &first, "name", s->name);
    rt_json_text(b, &first, "kind",
                 s->part                ? "part"
                 : i == 0               ? "source"
                 : i < x->transforms    ? "transform"
                 : i == x->n_stages - 1 ? "prepared"
                                        : "cleanup");
    rt_json_number(b, &first, "graph", s->first);
    rt_json_number(b, &first, "graphs", s->n);
    ir_buf_str(b, "}\n");
}

/* Result k of the node with that number: the number, or [number, k]. */
static void
write_result(ir_buf *b, uint32_t number, uint32_t k)
{
    ir_buf_printf(b, k ? "[%u,%u]" : "%u", number, k);
}

static void
write_graph(const rt_exploring *x, ir_buf *b, uint32_t i, uint32_t stage)
{
    const ir_graph *f = x->graph[i];
    bool first = true, inner = true;

    ir_buf_str(b, "{");
    rt_json_text(b, &first, "name", f->name);
    rt_json_number(b, &first, "stage", stage);
    rt_json_number(b, &first, "holder", x->holder[i]);
    rt_json_number(b, &first, "first", x->input[i]);
    rt_json_number(b, &first, "inputs", f->n_in);
    rt_json_number(b, &first, "nodes", f->n_nodes - 1);
    rt_json_name(b, &first, "outputs");
    ir_buf_str(b, "[");
    for (int j = 0; j < f->n_out; j++) {
        const ir_node *n = ir_def(f, f->out[j]);

        rt_json_next(b, &inner);
        write_result(b, rt_explore_definer(x, i, f->out[j]), n ? f->out[j] - n->first : 0);
    }
    ir_buf_str(b, "]}\n");
}

void
rt_explore_stages(const rt_exploring *x, ir_buf *b)
{
    bool first = true;

    ir_buf_str(b, "\"stages\":[");
    for (uint32_t i = 0; i < x->n_stages; i++) {
        rt_json_next(b, &first);
        write_stage(x, b, i);
    }
    ir_buf_str(b, "],\"graphs\":[");
    first = true;
    for (uint32_t s = 0; s < x->n_stages; s++)
        for (uint32_t i = 0; i < x->stage[s].n; i++) {
            rt_json_next(b, &first);
            write_graph(x, b, x->stage[s].first + i, s);
        }
    ir_buf_str(b, "]");
}
