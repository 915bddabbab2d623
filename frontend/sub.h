/* Bodies traced as sub-functions of a node, and what they share. */
#ifndef FRONTEND_SUB_H
#define FRONTEND_SUB_H

#include "frontend/trace.h"

/* Values of the trace around, handed to every sub-function of a node. */
typedef struct fe_shared {
    ir_ref *at;
    uint32_t n, cap;
} fe_shared;

/* A traced body: own inputs, then what it captured. */
typedef struct fe_sub {
    ir_graph *g;
    int n_own;
    int n_captured;
    const ir_ref *captured;
    int key; /* which capture random numbers come from; -1: none */
} fe_sub;

/* The place of v among the shared values; it becomes the last if it is new. */
int fe_share(ir_build *b, fe_shared *s, ir_ref v);

/* Trace a body while the trace of b stays open; what it captures joins the consts. False,
 * with b failed. */
bool fe_trace_sub(ir_build *b, const char *name, cot_body *body, void *user, int n_in,
                  const ir_type *const *type, int n_out, fe_shared *consts, fe_sub *s);

/* The trip of a loop, which joins the key of its draws: nothing draws; the counter that is
 * there; one more input, the last; the same, and its successor is the last result. */
typedef enum fe_trips { FE_NO_TRIPS, FE_COUNTER, FE_TRIP_IN, FE_TRIP_IN_OUT } fe_trips;

/* The graph of s with an input for each shared value, before its own inputs or after.
 * counts: input 0 of its own is a counter, whose successor becomes result 0. */
ir_graph *fe_rewire(ir_build *b, const fe_sub *s, fe_shared *consts, bool first, bool counts,
                    fe_trips trips);

/* The consts, then in[0 ... n-1]. */
ir_ref *fe_with_consts(ir_build *b, const fe_shared *consts, int n, const ir_ref *in);

#endif
