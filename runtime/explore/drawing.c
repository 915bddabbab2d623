/* Drawings of the stages: Graphviz lays them out, where its program `dot` is installed.  Small
 * stages are drawn whole, as SVG; of large ones layout.c writes where the nodes of each part
 * are. */
#include "runtime/explore/drawing.h"

enum { VALUES_MOST = 300 }; /* of a stage that is drawn whole: a larger drawing is no help */

/* The svg element of what dot has written, as a string; false: there is none. */
static bool
draw(const rt_exploring *x, ir_buf *b, const ir_graph *f)
{
    ir_buf dot, text;

    ir_buf_init(&dot, x->arena);
    ir_buf_init(&text, x->arena);
    rt_dot(&dot, f, x);
    rt_dot_job job = { .format = "-Tsvg", .text = &dot };
    rt_dot_start(&job);
    const char *svg = rt_dot_finish(&job, &text) ? strstr(text.text, "<svg") : NULL;
    if (svg)
        rt_json_string(b, svg);
    return svg != NULL;
}

static uint32_t
count_values(const rt_exploring *x, const rt_stage_graphs *s)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->n; i++)
        n += (uint32_t)x->graph[s->first + i]->n_in + x->graph[s->first + i]->n_nodes - 1;
    return n;
}

/* Where dot is missing it is missing for every stage. */
void
rt_explore_drawings(const rt_exploring *x, ir_buf *b)
{
    bool *large = IR_NEW_N(x->arena, bool, x->n_stages + 1), first = true, there = true;
    ir_buf layouts;

    ir_buf_init(&layouts, x->arena);
    for (uint32_t i = 0; i < x->n_stages; i++)
        large[i] = count_values(x, &x->stage[i]) > VALUES_MOST;
    const bool laid_out = rt_explore_layouts(x, large, &layouts);
    ir_buf_str(b, "\"drawings\":[");
    for (uint32_t i = 0; i < x->n_stages; i++) {
        const size_t before = b->n;

        rt_json_next(b, &first);
        if (large[i]) {
            ir_buf_str(b, laid_out ? "\"\"" : "null");
        } else if (!there || !(there = draw(x, b, x->graph[x->stage[i].first]))) {
            b->n = before + (i > 0);
            ir_buf_str(b, "null");
        }
    }
    ir_buf_str(b, "],\n\"layouts\":[");
    ir_buf_add(b, layouts.n ? layouts.text : "", layouts.n);
    ir_buf_str(b, "]");
}
