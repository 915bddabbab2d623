/* Graphs of one function at several sizes. */
#ifndef RUNTIME_OPEN_GRAPHS_H
#define RUNTIME_OPEN_GRAPHS_H

#include "codegen/open/form.h"

/* The first few are near to each other, and the others far. */
enum { RT_OPEN_NEAR = 9, RT_OPEN_SAMPLES = 13 };

/* A number in the text of a graph. */
typedef struct rt_open_number {
    cg_size_form form;
    bool varies;
} rt_open_number;

typedef struct rt_open_graphs {
    cg_samples samples;
    const char *text;           /* of the first sample */
    rt_open_number *number;
    uint32_t n_numbers, cap_numbers;
    const char *why;            /* they are not one graph */
    int other;                  /* the sample that differs; -1: all */
    int line;                   /* of the text */
} rt_open_graphs;

/* Find how the numbers of the samples' texts depend on the sizes; false, and why, where the
 * texts are not those of one graph. */
bool rt_open_fit_graphs(rt_open_graphs *g, const char **text);
/* The bytes of the next piece of a text: a number, or what lies before the next one. */
size_t rt_open_piece(const char *text, const char *at, bool *is_number);
/* Is this the text at these sizes? */
bool rt_open_is_instance(rt_open_graphs *g, const char *text, const int64_t *size);

#endif
