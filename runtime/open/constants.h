/* Constants of a function that are made of its sizes, as the number of elements that a mean
 * divides by. */
#ifndef RUNTIME_OPEN_CONSTANTS_H
#define RUNTIME_OPEN_CONSTANTS_H

#include "codegen/open/open.h"
#include "ir/graph.h"

typedef struct rt_open_constants {
    cg_open_constant *at;
    uint32_t *node;             /* in the graph as it was traced */
    uint32_t n, cap, n_nodes, cap_nodes;
} rt_open_constants;

/* Find the constants that differ between n graphs, whose sizes the samples are; NULL, or why
 * one is of no known kind, with its node. */
const char *rt_open_find_constants(cg_samples *s, const cot_graph *const *f,
                                   rt_open_constants *out, uint32_t *node);
/* The bits of a constant at these sizes, in its element type. */
void rt_open_constant_at(const cg_open_constant *c, const int64_t *size, void *out);
/* Does f have these constants at these sizes? */
bool rt_open_has_constants(const rt_open_constants *c, const cot_graph *f, const int64_t *size);
/* f with an input for each of them, behind its own. */
cot_status rt_open_without_constants(const cot_graph *f, const rt_open_constants *c,
                                     const cot_graph **out);

#endif
