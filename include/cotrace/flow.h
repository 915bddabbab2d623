/* Cotrace: calls of functions, branches and loops, whose bodies are traced as functions of
 * their own.
 *
 * Part of cotrace/trace.h, which includes it.  docs/control-flow.md shows each of them. */
#ifndef COTRACE_FLOW_H
#define COTRACE_FLOW_H

#include "cotrace/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

#define COT_SQRT (-1)
/* Options of cond, switch, while, scan, fori and map.  A body may use values of the trace
 * around it: they become operands by themselves. */
typedef struct COT_NAMED_ cot_flow_options {
    COT_BEGIN_
    /* cond, switch: the operands; while, scan, fori: the first carries */
    cot_values in;
    /* scan, map: sliced on axis 0, one slice a step */
    cot_values xs;
    /* the results; NULL: only the first, which is returned */
    cot_value *out;
    /* cond, switch, map: results; 0: 1.  scan: results after the carries */
    int n_out;
    int64_t length;             /* scan: steps, where xs is empty; COT_NONE: none         */
    /* while: at most so many steps; passing it is COT_ERR_BOUND */
    int64_t max;
    /* scan: from the last slice to the first */
    int reverse;
    int64_t segments;           /* scan: reverse mode keeps the carries between so many segments
                                 * and runs each again; COT_SQRT: as many as a segment has
                                 * steps */
    /* handed to the bodies */
    void *user;
    /* the open trace, where neither predicate nor operands say it */
    cot_trace *t;
} cot_flow_options;

typedef struct cot_bodies {
    int n;
    cot_body *const *at;
    int n_held COT_OR_ZERO_;
    cot_body *held[COT_HELD] COT_OR_ZERO_;
} cot_bodies;
/* A list of the n bodies at `at`: up to 8 of them are copied into it, of more it has the
 * pointer, and the caller keeps the memory. */
COT_API cot_bodies cot_bodies_of(int n, cot_body *const *at);

COT_API cot_value cot_call_(cot_place at, cot_fn *f, cot_values in);
COT_API void cot_call_all_(cot_place at, cot_fn *f, cot_values in, cot_value *out, int n_out);
/* As cot_switch; cot_cond is this with the bodies {no, yes}. */
COT_API cot_value cot_switch_(cot_place at, cot_operand index, cot_bodies branches,
                              const cot_flow_options *o, size_t size);
COT_API cot_value cot_while_(cot_place at, cot_body *holds, cot_body *step,
                             const cot_flow_options *o, size_t size);
COT_API cot_value cot_scan_(cot_place at, cot_body *step, const cot_flow_options *o,
                            size_t size);
COT_API cot_value cot_fori_(cot_place at, cot_operand n, cot_body *step,
                            const cot_flow_options *o, size_t size);
COT_API cot_value cot_map_(cot_place at, cot_body *each, const cot_flow_options *o,
                           size_t size);
#ifndef __cplusplus
#define COT_FLOW_(...) &(const cot_flow_options){__VA_ARGS__}, sizeof(cot_flow_options)
/* A list of bodies for cot_switch, in the order of the index, one or more: COT_BODIES(b0, b1).
 * Up to 8 are copied into it. */
#define COT_BODIES(...)                                                             \
    cot_bodies_of((int)(sizeof((cot_body *const[]){__VA_ARGS__}) / sizeof(cot_body *)), \
                  (cot_body *const[]){__VA_ARGS__})

/* The result of f, transformed or not, on values: cot_call(f, x, y). f must have one result. */
#define cot_call(...) COT_CALL_(__VA_ARGS__, )
#define COT_CALL_(f, ...) cot_call_(COT_HERE, f, COT_VALUES(__VA_ARGS__))
/* All n_out results of f on values, to out[0] ... out[n_out - 1]: cot_call_all(f,
 * COT_VALUES(x, y), out, n). */
#define cot_call_all(f, in, out, n_out) cot_call_all_(COT_HERE, f, in, out, n_out)

/* cot_cond(p, yes, no, .in = COT_VALUES(x)): the results of yes where p (bool[]) holds, else
 * of no. Nothing leaks from the body not taken, mapped or not.  Both give the same types. */
#define cot_cond(...) COT_COND_(__VA_ARGS__, .end_ = 0)
#define COT_COND_(p, yes, no, ...) \
    cot_switch_(COT_HERE, COT_OPERAND(p), COT_BODIES(no, yes), COT_FLOW_(__VA_ARGS__))
/* cot_switch(i, COT_BODIES(b0, b1, b2), .in = COT_VALUES(x)): i, an integer, is clamped.
 * Where p or i is a number of C, the choice is made now: only that body is traced, in place. */
#define cot_switch(...) COT_SWITCH_(__VA_ARGS__, .end_ = 0)
#define COT_SWITCH_(i, bodies, ...)                                                            \
    cot_switch_(COT_HERE, COT_OPERAND(i), bodies, COT_FLOW_(__VA_ARGS__))
/* While holds(carries) gives true, carries = step(carries).  .in are the first carries; the
 * results have their types. */
#define cot_while(...) COT_WHILE_(__VA_ARGS__, .end_ = 0)
#define COT_WHILE_(holds, step, ...) cot_while_(COT_HERE, holds, step, COT_FLOW_(__VA_ARGS__))
/* step(carries, slices) gives (carries, ys), once for each slice of .xs on axis 0, or .length
 * times; results: the last carries, then each y stacked on axis 0. */
#define cot_scan(...) COT_SCAN_(__VA_ARGS__, .end_ = 0)
#define COT_SCAN_(step, ...) cot_scan_(COT_HERE, step, COT_FLOW_(__VA_ARGS__))
/* step(i, carries) gives the carries, for i (i32[]) from 0 to n - 1; n is a number or a
 * value. */
#define cot_fori(...) COT_FORI_(__VA_ARGS__, .end_ = 0)
#define COT_FORI_(n, step, ...)                                                                \
    cot_fori_(COT_HERE, COT_OPERAND(n), step, COT_FLOW_(__VA_ARGS__))
/* each(slices) for each slice of .xs on axis 0, one after the other; results stacked on axis
 * 0. */
#define cot_map(...) COT_MAP_(__VA_ARGS__, .end_ = 0)
#define COT_MAP_(each, ...) cot_map_(COT_HERE, each, COT_FLOW_(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif
#endif
