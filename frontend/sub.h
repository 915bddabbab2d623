/* Bodies traced as sub-functions of a node, and what they share. */
#ifndef FRONTEND_SUB_H
#define FRONTEND_SUB_H

#include "cotrace/index.h"
#include "frontend/trace.h"
#include "passes/scatter.h"

/* Values of the trace around, handed to every sub-function of a node. */
typedef struct fe_shared {
    ir_ref *at;
    uint32_t n, cap;
} fe_shared;

/* A traced body: own inputs, then what it captured; its results, then the new values of what it
 * wrote. */
typedef struct fe_sub {
    ir_graph *g;
    int n_own;
    int n_captured;
    const ir_ref *captured;
    const uint32_t *from; /* by capture: its slot in the enclosing trace, 0: none */
    uint32_t n_written;
    uint32_t *written; /* slots of values of the enclosing trace */
    int key;   /* which capture random numbers come from; -1: none */
    bool test; /* of a loop: it writes nothing */
} fe_sub;

/* What the sub-functions of a node of control flow have in common. */
typedef struct fe_wiring {
    bool loop;
    const char *counted; /* which options say how many results a body has */
    fe_shared consts;
    uint32_t *written; /* slots of this trace */
    uint32_t n_written, cap_written;
} fe_wiring;

/* The place of v among the shared values; it becomes the last if it is new. */
int fe_share(ir_build *b, fe_shared *s, ir_ref v);

/* Trace a body while the trace of b stays open; what it captures joins the consts. False,
 * with b failed. */
bool fe_trace_sub(ir_build *b, const char *name, cot_body *body, void *user, int n_in,
                  const ir_type *const *type, int n_out, fe_shared *consts, fe_sub *s);
/* Traces a body of control flow, which may write to values of the enclosing trace: they are
 * added to w. When all n bodies are traced, their captures are added to the consts, but for the
 * carries of what is written. */
bool fe_trace_flow(ir_build *b, const char *name, cot_body *body, void *user, int n_in,
                   const ir_type *const *type, int n_out, fe_wiring *w, fe_sub *s);
void fe_share_captures(ir_build *b, fe_wiring *w, const fe_sub *s, int n);
/* z[i]: x[i], of one shape, with the elements at an index combined with y[i], which broadcasts
 * to what a read gives. */
bool fe_scatter_by(ir_build *b, const char *op, cot_ats at, int clip, const pass_combiner *by,
                   const ir_ref *x, const ir_ref *y, ir_ref *z);
/* What a slot of the open trace stands for. */
ir_ref fe_outside(const ir_build *b, uint32_t slot);

/* The trip of a loop, which joins the key of its draws: nothing draws; the counter that is
 * there; one more input, the last; the same, and its successor is the last result. */
typedef enum fe_trips { FE_NO_TRIPS, FE_COUNTER, FE_TRIP_IN, FE_TRIP_IN_OUT } fe_trips;

/* The graph of s with an input for each shared value: before its own inputs in a loop, where
 * `carries` of its own inputs come before the carries of what is written; else after.  counts:
 * input 0 of its own is a counter, whose successor becomes result 0. */
ir_graph *fe_wire(ir_build *b, const fe_sub *s, fe_wiring *w, int carries, bool counts,
                  fe_trips trips);
/* Of a body that writes nothing: the consts first. */
ir_graph *fe_rewire(ir_build *b, const fe_sub *s, const fe_shared *consts);

/* The consts, then in[0 ... n-1]. */
ir_ref *fe_with_consts(ir_build *b, const fe_shared *consts, int n, const ir_ref *in);
/* The consts; `carries` of the n operands; the carries of what is written; the other operands.
 * Their number. */
int fe_loop_operands(ir_build *b, const fe_wiring *w, int carries, int n, const ir_ref *in,
                     ir_ref **out);

#endif
