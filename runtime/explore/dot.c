/* A graph for Graphviz: operands in order, constants, attributes, lines, and the bodies of
 * calls, conds and loops as clusters of their own, each once. */
#include "runtime/explore/explore.h"

typedef struct dot_writer {
    ir_buf *b;
    const rt_exploring *x; /* whose numbers are the identifiers in the drawing; or NULL */
    const ir_graph *const *graph;
    uint32_t n;
} dot_writer;

enum { LABEL_MOST = 60 };

/* The text of a label: quoted, and a line break is \n. */
static void
write_text(ir_buf *b, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (s[i] == '"' || s[i] == '\\')
            ir_buf_printf(b, "\\%c", s[i]);
        else if (s[i] == '\n')
            ir_buf_str(b, "\\n");
        else
            ir_buf_add(b, s + i, 1);
}

static void
write_name(const dot_writer *w, uint32_t g, ir_ref v)
{
    const uint32_t node = w->graph[g]->value[v].node;

    if (node)
        ir_buf_printf(w->b, "g%un%u", g, node);
    else
        ir_buf_printf(w->b, "g%ui%u", g, v - 1);
}

static void
write_id(const dot_writer *w, uint32_t g, ir_ref v)
{
    if (w->x)
        ir_buf_printf(w->b, ", id=\"drawn-%u\"",
                      rt_explore_number(w->x, ir_value_loc(w->graph[g], v)));
}

static void
write_input(const dot_writer *w, uint32_t g, int i)
{
    const ir_graph *f = w->graph[g];
    const char *name = f->in_name[i] ? f->in_name[i] : ir_format(w->b->arena, "arg%d", i);

    ir_buf_str(w->b, "    ");
    write_name(w, g, f->in[i]);
    ir_buf_str(w->b, " [label=\"%");
    write_text(w->b, name, strlen(name));
    ir_buf_printf(w->b, "\\n%s\", shape=ellipse", ir_type_str(f->ctx, ir_type_at(f, f->in[i])));
    write_id(w, g, f->in[i]);
    ir_buf_str(w->b, "];\n");
}

/* The op, its attributes, its types, its line. */
static void
write_label(const dot_writer *w, const ir_graph *f, const ir_node *n)
{
    ir_buf text;

    ir_buf_init(&text, w->b->arena);
    ir_buf_str(&text, ir_ops[n->op].name);
    ir_print_attrs(&text, n);
    write_text(w->b, text.text, text.n < LABEL_MOST ? text.n : LABEL_MOST);
    ir_buf_str(w->b, text.n < LABEL_MOST ? "" : " ...");
    for (int i = 0; i < n->n_out; i++)
        ir_buf_printf(w->b, "%s%s", i ? ", " : "\\n",
                      ir_type_str(f->ctx, ir_type_at(f, n->first + (ir_ref)i)));
    ir_buf_init(&text, w->b->arena);
    ir_loc_print(f->ctx, n->loc, &text);
    if (text.n) {
        ir_buf_str(w->b, "\\n");
        write_text(w->b, text.text, text.n);
    }
}

static void
write_edge(const dot_writer *w, uint32_t g, ir_ref from, const char *to, int operand, int all)
{
    const ir_graph *f = w->graph[g];
    const ir_node *d = ir_def(f, from);

    ir_buf_str(w->b, "    ");
    write_name(w, g, from);
    ir_buf_printf(w->b, " -> %s", to);
    ir_buf_str(w->b, all > 1 || (d && d->n_out > 1) ? " [" : "");
    if (all > 1)
        ir_buf_printf(w->b, "label=\"%d\"", operand);
    if (d && d->n_out > 1)
        ir_buf_printf(w->b, "%staillabel=\"%u\"", all > 1 ? ", " : "", from - d->first);
    ir_buf_str(w->b, all > 1 || (d && d->n_out > 1) ? "];\n" : ";\n");
}

static uint32_t
graph_number(const dot_writer *w, const ir_graph *f)
{
    uint32_t i = 0;

    while (i < w->n && w->graph[i] != f)
        i++;
    return i;
}

/* A dashed edge to each body that node n of graph `of` runs. */
static void
write_bodies(const dot_writer *w, uint32_t of, const ir_node *n)
{
    const uint32_t number = (uint32_t)(n - w->graph[of]->node);
    ir_graph *const *sub;

    for (int k = 0, subs = ir_subgraphs(n, &sub, w->b->arena); k < subs; k++) {
        const uint32_t g = graph_number(w, sub[k]);

        if (g < w->n && sub[k]->n_out > 0)
            ir_buf_printf(w->b, "  g%un%u -> g%uo0 [style=dashed, lhead=cluster%u];\n", of,
                          number, g, g);
    }
}

static void
write_node(const dot_writer *w, uint32_t g, const ir_node *n)
{
    const ir_graph *f = w->graph[g];
    const char *name = ir_format(w->b->arena, "g%un%u", g, (uint32_t)(n - f->node));

    ir_buf_printf(w->b, "    %s [label=\"", name);
    write_label(w, f, n);
    ir_buf_str(w->b, "\"");
    if (n->n_out)
        write_id(w, g, n->first);
    ir_buf_str(w->b, "];\n");
    for (int i = 0; i < n->n_in; i++)
        write_edge(w, g, n->in[i], name, i, n->n_in);
}

static void
write_graph(const dot_writer *w, uint32_t g)
{
    const ir_graph *f = w->graph[g];

    ir_buf_printf(w->b, "  subgraph cluster%u {\n    label=\"@", g);
    write_text(w->b, f->name, strlen(f->name));
    ir_buf_str(w->b, "\";\n");
    for (int i = 0; i < f->n_in; i++)
        write_input(w, g, i);
    ir_each_node (n, f)
        write_node(w, g, n);
    for (int i = 0; i < f->n_out; i++) {
        const char *to = ir_format(w->b->arena, "g%uo%d", g, i);

        ir_buf_printf(w->b, "    %s [label=\"result %d\", shape=ellipse];\n", to, i);
        write_edge(w, g, f->out[i], to, 0, 1);
    }
    ir_buf_str(w->b, "  }\n");
}

void
rt_dot(ir_buf *b, const ir_graph *f, const rt_exploring *x)
{
    dot_writer w = { .b = b, .x = x };

    w.n = ir_all_graphs(f, true, &w.graph, b->arena);
    ir_buf_str(b, "digraph \"");
    write_text(b, f->name, strlen(f->name));
    ir_buf_str(b,
               "\" {\n  compound=true;\n  node [shape=box, fontname=monospace, fontsize=10];\n"
               "  edge [fontname=monospace, fontsize=9];\n");
    for (uint32_t g = 0; g < w.n; g++)
        write_graph(&w, g);
    /* behind the clusters: a node is in the first one that names it */
    for (uint32_t g = 0; g < w.n; g++)
        ir_each_node (n, w.graph[g])
            write_bodies(&w, g, n);
    ir_buf_str(b, "}\n");
}
