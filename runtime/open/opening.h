/* The compilation of a function with open sizes, while it goes on. */
#ifndef RUNTIME_OPEN_OPENING_H
#define RUNTIME_OPEN_OPENING_H

#include "runtime/open/graphs.h"
#include "runtime/open/open.h"

/* Sizes at which the graph is not the one that the samples predict. */
typedef struct rt_other_graph {
    ir_loc loc;
    int64_t size[CG_MAX_SIZES];
} rt_other_graph;

typedef struct rt_opening {
    cot_context *ctx;
    const rt_open_source *source;
    const rt_plan *plan;
    rt_sizes *sizes;
    ir_arena *arena;            /* of the kernel */
    uint32_t random;
    bool folded;                /* graphs are traced with folds, for their text */
    int redrawn;                /* how many samples were */
    int64_t times[RT_OPEN_SAMPLES]; /* how much larger a sample is than the least */
    int64_t *size;              /* of each sample, sizes->n for each */
    const cot_graph **traced, **graph; /* at each sample; with inputs for its constants */
    rt_open_constants constants;
    const ir_graph **prepared;
    rt_open_graphs graphs;
    cg_size_form *extent;       /* open extents of the prepared graphs */
    uint32_t n_extents, cap_extents;
    rt_other_graph *other;
    uint32_t n_other, cap_other;
} rt_opening;

/* samples.c. */
void rt_open_begin(rt_opening *o, cot_context *ctx, const rt_open_source *source,
                   rt_sizes *sizes, const rt_plan *p, ir_arena *a);
/* Refuse to compile, at a line of the user's or, where that is 0, of the source. */
cot_status rt_open_refuse(const rt_opening *o, ir_loc loc, const char *why);
/* The same where a number or the program differs: an op whose matrices are of open order is
 * named, if there is one. */
cot_status rt_open_refuse_number(const rt_opening *o, ir_loc loc, const char *why);
/* "n = 3, m = 4" */
const char *rt_open_sizes_text(const rt_opening *o, const int64_t *size);
/* The function's graph at sizes, of which nothing is folded. */
cot_status rt_open_trace_at(rt_opening *o, const int64_t *size, const cot_graph **out);
/* The text of a graph in which ops that are graphs of other ops are these: what they do may
 * depend on sizes. */
cot_status rt_open_text_of(rt_opening *o, const cot_graph *g, const char **out);
/* The user's line that a line of such a text names; 0: none. */
ir_loc rt_open_loc_of_line(const rt_opening *o, const char *text, int line);
/* Draw and trace the samples; how their extents depend on the sizes. */
cot_status rt_open_trace_samples(rt_opening *o);
void rt_open_add_extents(rt_opening *o, const ir_graph *const *f);
/* Find how the samples' texts depend on the sizes, or refuse. */
cot_status rt_open_fit_texts(rt_opening *o, const char **text);
/* Find samples of which no open extent is a special case, and trace them. */
cot_status rt_open_find_samples(rt_opening *o);
/* Replace one sample by another one, which is nearer if it is far. */
cot_status rt_open_draw_again(rt_opening *o, int sample);
/* Find how the graphs of the samples depend on the sizes. */
cot_status rt_open_fit(rt_opening *o);
/* The open extents at sizes, ascending. */
const int64_t *rt_open_extents_at(const rt_opening *o, const int64_t *size);

/* compile.c: find the general module, with all that is known of it, and check it. */
cot_status rt_open_lower(rt_opening *o, rt_open *open);

/* check.c.  Refuse since the function is another program at these sizes, with a fact that would
 * exclude some. */
cot_status rt_open_refuse_at(const rt_opening *o, ir_loc loc, const int64_t *size);
/* Are sizes such that a graph may be another by coincidence, and can be tried? */
bool rt_open_is_small(const rt_opening *o, const int64_t *size);
/* The sizes, by their number, at which a function is traced again; false: there are
 * no more. */
bool rt_open_other(const rt_opening *o, int number, int64_t *size);
/* Check the graph and the kernel at sizes that are no samples. */
cot_status rt_open_check_others(rt_opening *o, rt_open *out);
/* Try the loaded kernel where the graph is another one, and at a few small sizes: trial.c. */
cot_status rt_open_try(rt_opening *o, const cot_kernel *k);

#endif
