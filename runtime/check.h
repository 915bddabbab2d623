/* The checks of `cot check`, for tests as well: each runs a graph on arrays and judges the
 * results. */
#ifndef RUNTIME_CHECK_H
#define RUNTIME_CHECK_H

#include "cotrace/compile.h"
#include "ir/graph.h"

/* The result of a check, with text for the user. */
typedef struct rt_verdict {
    bool good, skipped;
    ir_buf why;
} rt_verdict;

/* Each check takes arrays for the inputs of f.  A status other than COT_OK means that it could
 * not run, and the context says why. */

/* Does f end for these inputs, as far as can be told? rt_check_points: *ends tells whether
 * every loop without a bound ends after a moderate number of iterations.  If it does not, the
 * floats in `in` are made positive and it is tested again. */
cot_status rt_check_points(const ir_graph *f, void *const *in, bool *ends);
#define RT_NO_END "a loop does not end for the arguments made from a seed; --in gives others"
/* f as it can be run many times: a loop without a bound ends with COT_ERR_BOUND after a
 * moderate number of iterations, and nothing is printed. */
cot_status rt_tame(const ir_graph *f, ir_graph **out);
/* Compares every back end and width with the reference evaluator, bit for bit; all NaNs count
 * as equal. */
cot_status rt_check_backends(const ir_graph *f, void *const *in, rt_verdict *v);
/* The same for a derivative of f, "jvp" or "vjp", in f's own types: with the widest vectors,
 * and with the narrowest and two threads.  `in` are arguments of f.  Skipped if no input or no
 * output is floating. */
cot_status rt_check_derived(const ir_graph *f, const char *pipeline, void *const *in,
                            rt_verdict *v);
/* Compares jvp and vjp with central differences of the reference evaluator, and with each
 * other: <w, Jv> = <J'w, v>.  Skipped if no input or no output is f64 or f32. */
cot_status rt_check_derivatives(const ir_graph *f, void *const *in, rt_verdict *v);
/* Compares vmap(f) over `size` examples with a loop over them. */
cot_status rt_check_vmap(const ir_graph *f, int64_t size, rt_verdict *v);
/* Checks that printing and parsing gives the same graph. */
cot_status rt_check_text(const ir_graph *f, rt_verdict *v);

/* Run f compiled with the options; the outputs are in arrays of the context's arena. */
cot_status rt_run_graph(const ir_graph *f, const cot_compile_options *o, void *const *in,
                        void ***out);

#endif
