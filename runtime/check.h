/* The engines of `cot check`, usable by tests: each runs a graph on arrays and judges what
 * comes out. */
#ifndef RUNTIME_CHECK_H
#define RUNTIME_CHECK_H

#include "cotrace/compile.h"
#include "ir/graph.h"

/* What a check found: text for the reader. */
typedef struct rt_verdict {
    bool good, skipped;
    ir_buf why;
} rt_verdict;

/* Each takes arrays of the types of f's inputs.  A status other than COT_OK: it could not be
 * judged, and the context says why. */

/* Does f end there, as far as can be told: no loop without a bound goes on for long.  The
 * other, where it does not, makes the floats in `in` positive and asks again. */
cot_status rt_check_points(const ir_graph *f, void *const *in, bool *ends);
#define RT_NO_END "a loop goes on and on at the arguments made from a seed; --in gives others"
/* Every back end and width against the reference evaluator, bit for bit: NaNs count as one. */
cot_status rt_check_backends(const ir_graph *f, void *const *in, rt_verdict *v);
/* The same of a derivative of f, "jvp" or "vjp", in f's own types: the widest vectors, and the
 * narrowest with two threads.  `in` are arguments of f.  Skipped where no input or no output is
 * floating. */
cot_status rt_check_derived(const ir_graph *f, const char *pipeline, void *const *in,
                            rt_verdict *v);
/* jvp and vjp against central differences of the reference evaluator, and against each
 * other: <w, Jv> = <J'w, v>.  Skipped where no input or no output is f64 or f32. */
cot_status rt_check_derivatives(const ir_graph *f, void *const *in, rt_verdict *v);
/* vmap(f) over `size` examples against a loop over them. */
cot_status rt_check_vmap(const ir_graph *f, int64_t size, rt_verdict *v);
/* print, then parse, is the identity. */
cot_status rt_check_text(const ir_graph *f, rt_verdict *v);

/* Run f compiled with o: outputs in arrays of the context's arena. */
cot_status rt_run_graph(const ir_graph *f, const cot_compile_options *o, void *const *in,
                        void ***out);

#endif
