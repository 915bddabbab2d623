/* Drawings of stages that are too large for one: parts.c cuts them, part_dot.c describes each
 * part and the overview of a stage to Graphviz, layout.c writes what it answers. */
#ifndef RUNTIME_EXPLORE_PARTS_H
#define RUNTIME_EXPLORE_PARTS_H

#include "runtime/explore/explore.h"

/* The values `first` to `last` of a stage, by number. */
typedef struct rt_part {
    uint32_t stage, first, last;
} rt_part;

typedef struct rt_parts {
    rt_part *part;
    uint32_t n, cap;
    uint32_t *of; /* by value: its part, from 1 on; 0: of a stage that is drawn whole */
    uint32_t *later; /* by value: its first user in a later part; 0: none */
    uint32_t *held, *next_held; /* by part: a graph that it holds, from 1 on; the next one */
    /* part_dot.c, by value: the last node with an edge from it; the last part with a node */
    uint32_t *drawn_to;
    const rt_part **declared;
} rt_parts;

/* Cuts the stages that are large. */
void rt_explore_cut(const rt_exploring *x, const bool *large, rt_parts *p);

/* part_dot.c.  Nodes are n<value>, n<value>_<user> for an operand that is drawn once more,
 * h<graph> for the head of a body, m for operands that are left out; in an overview p<value>,
 * the first of `each` parts that share a node. */
void rt_part_dot(ir_buf *b, const rt_exploring *x, const rt_parts *p, uint32_t part);
void rt_overview_dot(ir_buf *b, const rt_exploring *x, const rt_parts *p, uint32_t first,
                     uint32_t n, uint32_t each);

#endif
