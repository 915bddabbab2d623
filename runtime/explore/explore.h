/* The explorer, inside: a function on its way through passes, fusion and kernels, as data.
 *
 * collect.c follows the function (ir/follow.h) and numbers each node of each stage; the other
 * files write what is known of them as the JSON of docs/explore.md; page.c puts that into a
 * page. */
#ifndef RUNTIME_EXPLORE_EXPLORE_H
#define RUNTIME_EXPLORE_EXPLORE_H

#include "codegen/kernel/record.h"
#include "ir/follow.h"
#include "runtime/compile.h"

typedef struct rt_stage_graphs {
    const char *name;
    uint32_t first, n; /* its graphs, the function first */
    bool part; /* of the next stage that is none: of a pass that works in several steps */
} rt_stage_graphs;

typedef struct rt_explore_options {
    const char *pipeline; /* as text, or "" */
    bool assembly; /* written as well */
    const cot_compile_options *compile; /* of the kernels; NULL: as the context has it */
    /* what calls of the function took, by kernels that have the names of those that it is
     * lowered to here; NULL: times are estimated */
    const struct rt_profile *profile;
    int64_t calls;
} rt_explore_options;

typedef struct rt_exploring {
    cot_context *ctx;
    ir_arena *arena;
    const rt_explore_options *o;
    const char *wrong; /* why the walk ended before the kernels, or NULL */
    rt_stage_graphs *stage;
    ir_graph **graph; /* of all stages */
    uint32_t *holder; /* by graph: the number of the node that holds it; 0: none */
    uint32_t *input; /* by graph: the number of its first input, which its nodes follow */
    ir_map graphs, kernels; /* by address: the number of a graph or kernel, from 1 on */
    uint32_t n_stages, cap_stages, n_graphs, cap_graphs, cap_holders, n_holders, cap_inputs,
        n_inputs;
    uint32_t transforms; /* of the stages, those that the pipeline made */
    uint32_t next; /* the next number, from 1 on */
    const char **file; /* the source files */
    uint32_t n_files, cap_files;
    ir_follow follow;
    rt_plan plan;
    rt_lowered low; /* module NULL: it was not lowered */
    cg_record record;
} rt_exploring;

/* collect.c.  Follows what `make` makes, then prepares and lowers it.  An error of the way is
 * kept in x->wrong if a stage was reached, and is returned otherwise. */
typedef cot_status rt_explore_make(void *user, ir_graph **out);
cot_status rt_explore_collect(rt_exploring *x, rt_explore_make *make, void *user);
/* The number of the node at this location, or 0. */
uint32_t rt_explore_number(const rt_exploring *x, ir_loc loc);
/* The number of a graph, and that of a kernel of the module. */
uint32_t rt_explore_graph(const rt_exploring *x, const ir_graph *f);
uint32_t rt_explore_kernel(const rt_exploring *x, const cg_kernel *k);
/* The number of node n of graph i, and that of the node or input that defines value v. */
uint32_t rt_explore_node(const rt_exploring *x, uint32_t i, const ir_node *n);
uint32_t rt_explore_definer(const rt_exploring *x, uint32_t i, ir_ref v);

/* json.c.  Text in quotes that also stands in a script element: `<` and what is no UTF-8 are
 * escaped. */
void rt_json_string(ir_buf *b, const char *s);
void rt_json_bytes(ir_buf *b, const char *s, size_t n);
/* The start of the next item of a list or object: a comma, unless it is the first. */
void rt_json_next(ir_buf *b, bool *first);
/* `, "name": x`, `"name": x` where first. */
void rt_json_number(ir_buf *b, bool *first, const char *name, double x);
void rt_json_text(ir_buf *b, bool *first, const char *name, const char *s);
void rt_json_name(ir_buf *b, bool *first, const char *name);

/* Each writes a part of the data, with its name in front. */
void rt_explore_files(const rt_exploring *x, ir_buf *b); /* files.c   */
void rt_explore_stages(const rt_exploring *x, ir_buf *b); /* stages.c  */
void rt_explore_values(const rt_exploring *x, ir_buf *b); /* values.c  */
void rt_explore_kernels(const rt_exploring *x, ir_buf *b); /* kernels.c */
void rt_explore_work(const rt_exploring *x, ir_buf *b); /* work.c    */
void rt_explore_code(rt_exploring *x, ir_buf *b); /* code.c    */
void rt_explore_drawings(const rt_exploring *x, ir_buf *b); /* drawing.c */

/* files.c: finds the source files, and the number of the one with that name; -1: unknown. */
void rt_explore_find_files(rt_exploring *x);
int rt_explore_file(const rt_exploring *x, const char *name);
/* cost.c: what a node of f reads and writes in bytes, and computes in operations. */
int64_t rt_explore_bytes(const ir_graph *f, const ir_node *n);
int64_t rt_explore_flops(const ir_graph *f, const ir_node *n);

/* dot.c: f as a graph for Graphviz, with the bodies of its nodes.  In the drawing the elements
 * have the numbers of x in their identifiers, unless x is NULL. */
void rt_dot(ir_buf *b, const ir_graph *f, const rt_exploring *x);
/* page.c: the page of n bytes of data. */
void rt_explore_page(ir_buf *b, const char *data, size_t n);

/* explore.c: writes the page of the graph that `make` makes. */
cot_status rt_explore(cot_context *ctx, const rt_explore_options *o, rt_explore_make *make,
                      void *user, const char *path);

#endif
