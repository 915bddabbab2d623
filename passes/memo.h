/* Results of passes on sub-functions, kept for reuse (memo.c). */
#ifndef PASSES_MEMO_H
#define PASSES_MEMO_H

#include "ir/graph.h"

typedef void pass_any(void); /* the type to which entry points of passes are cast */

/* A pass and its options: a flag for each input and two for each output of the graph, any of
 * which may be NULL; a name, a type, a size and a number if the pass has them. */
typedef struct pass_key {
    pass_any *pass;
    const bool *in, *out, *more_out;
    const char *name; /* of an axis, or NULL */
    const ir_type *type;
    int64_t size;
    int option;
} pass_key;

typedef struct pass_made {
    struct pass_made *next;
    pass_key key;
    ir_graph *graph;  /* NULL: not made yet */
    ir_graph *second; /* for a split: the second half */
    int n;            /* for a split: the number of residuals */
    bool *in, *out;   /* flags that the pass returns for inputs and outputs */
} pass_made;

/* The entry of f for the key.  If it is not made yet, the caller fills it. */
pass_made *pass_made_of(const ir_graph *f, const pass_key *key);

/* g, which was made from f, or an equal graph that was made from f before. */
ir_graph *pass_made_equal(const ir_graph *f, ir_graph *g);

/* Also finds m for a request of exactly the outputs in m->out, which a pass may have extended
 * beyond those that were wanted. */
void pass_made_wanted(const ir_graph *f, const pass_made *m);

#endif
