/* What passes have made of a sub-function, found again (memo.c). */
#ifndef PASSES_MEMO_H
#define PASSES_MEMO_H

#include "ir/graph.h"

typedef void pass_any(void); /* the type to which the entry points of passes are cast */

/* A pass and its options: a flag for each input and for each output of the graph, another for
 * each output, or NULL; a name, a size and a number where the pass has them. */
typedef struct pass_key {
    pass_any *pass;
    const bool *in, *out, *more_out;
    const char *name; /* of an axis, or NULL */
    int64_t size;
    int option;
} pass_key;

typedef struct pass_made {
    struct pass_made *next;
    pass_key key;
    ir_graph *graph;                    /* NULL: not made yet */
    ir_graph *second;                   /* of a split: the rest */
    int n;                              /* of a split: residuals */
    bool *in, *out;                     /* what the pass says of each input, of each output */
} pass_made;

/* The entry of f for the key.  The caller fills one that is not made yet. */
pass_made *pass_made_of(const ir_graph *f, const pass_key *key);

/* m, of a pass that was given the outputs wanted at least and says in m->out what it has made:
 * whoever wants just those gets the same graph. */
void pass_made_wanted(const ir_graph *f, const pass_made *m);

#endif
