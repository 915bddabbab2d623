/* Which called functions stay functions, and which are inlined (calls.c). */
#ifndef PASSES_CALLS_H
#define PASSES_CALLS_H

#include "ir/graph.h"
#include "ir/map.h"

typedef struct pass_called {
    const ir_graph *f;
    uint64_t size; /* nodes, including inlined calls */
    uint32_t uses; /* the number of its calls, in all graphs */
    int depth;     /* the depth of calls that stay */
    bool stays;
    int *updates;   /* by result: the large input that it is an update of, or -1 */
    bool *used;     /* by result: some call uses it */
    ir_graph *made; /* the function after inlining */
    /* That function with only the used results, and the inputs that they need. */
    ir_graph *function;
    bool *needed;
} pass_called;

typedef struct pass_calls {
    ir_map find;
    pass_called *of; /* callees and bodies come before their users */
    uint32_t n;
    uint64_t size; /* the size of all compiled code: f, and each function that stays once */
} pass_calls;

/* Decides for the calls in f and in the graphs below it. */
pass_calls *pass_calls_of(const ir_graph *f);
pass_called *pass_called_of(const pass_calls *c, const ir_graph *f);

#endif
