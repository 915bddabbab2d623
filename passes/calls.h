/* Which functions that are called stay functions, and which are copied to where they are
 * called (calls.c). */
#ifndef PASSES_CALLS_H
#define PASSES_CALLS_H

#include "ir/graph.h"
#include "ir/map.h"

typedef struct pass_called {
    const ir_graph *f;
    uint64_t size;              /* nodes, with the bodies of calls that do not stay */
    uint32_t uses;              /* calls of it, in whatever graph                   */
    int depth;                  /* functions that stay, one below the other         */
    bool stays;
    int *updates; /* by result: the large input that it is but for parts, or -1 */
    bool *used;                 /* by result: somebody uses it */
    ir_graph *made;             /* what inline makes of it */
    /* The same for calls: the results that are used, of the inputs that they need. */
    ir_graph *function;
    bool *needed;
} pass_called;

typedef struct pass_calls {
    ir_map find;
    pass_called *of;            /* what is called, or is a body, comes before who uses it */
    uint32_t n;
    uint64_t size;              /* of all that is compiled: f, and what stays, once each */
} pass_calls;

/* For f and the graphs below it. */
pass_calls *pass_calls_of(const ir_graph *f);
pass_called *pass_called_of(const pass_calls *c, const ir_graph *f);

#endif
