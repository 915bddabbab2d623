/* Which functions stay functions, and which become part of what uses them (calls.c). */
#ifndef PASSES_CALLS_H
#define PASSES_CALLS_H

#include "ir/graph.h"
#include "ir/map.h"

typedef struct pass_called {
    const ir_graph *f;
    uint64_t size; /* nodes, including inlined calls */
    /* The same, without the calls that are inlined for what they update alone. */
    uint64_t counts;
    uint64_t inlined; /* nodes, including all calls */
    bool branches;    /* it is the branch of a cond, or the body or the condition of a loop */
    uint32_t uses;  /* in all graphs, as the callee of calls and as a branch of conds */
    uint32_t loops; /* and as the body or the condition of loops */
    int depth;      /* the depth of calls that stay */
    bool stays;     /* calls stay, and conds call it */
    bool in_loops;  /* loops call it as well */
    /* It is compiled once, unless it is inlined for what it updates: then no sum is joined
     * across its calls, as none is across one that stays. */
    bool saves, saves_in_loops;
    int *updates;   /* by result: the large input that it is an update of, or -1 */
    bool *used;     /* by result: some call, cond or loop uses it */
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
    uint64_t inlined; /* the size of all graphs if each call is inlined */
} pass_calls;

/* Decides for the calls in f and in the graphs below it. */
pass_calls *pass_calls_of(const ir_graph *f);
pass_called *pass_called_of(const pass_calls *c, const ir_graph *f);

#endif
