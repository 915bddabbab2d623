/* Cotrace: programs in StableHLO text, as JAX and the StableHLO tools print it.
 *
 * `jax.jit(f).lower(...).as_text()` in a file is a function like any other: it can be
 * evaluated, transformed, compiled and shipped, without Python and without MLIR. */
#ifndef COTRACE_STABLEHLO_H
#define COTRACE_STABLEHLO_H

#include "cotrace/compile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A derivative rule for calls of a private function of the module. */
typedef struct cot_import_rule {
    const char *callee; /* the function's name in the text, without @ */
    /* vjp: the inputs, the results, a cotangent for each floating result -> a cotangent for
     * each floating input.
     * jvp: the inputs, the results, a tangent for each floating input -> a tangent for each
     * floating result. */
    cot_fn *vjp, *jvp;
} cot_import_rule;

typedef struct cot_import_options {
    const char *entry; /* the function; NULL: @main, or the only public one */
    /* of its arguments, where the text leaves sizes open (tensor<?xf32>); n == 0: as in the
     * text */
    cot_types types;
    int n_rules;
    const cot_import_rule *rules;
    /* what the first arguments, integer scalars, always are, where shapes depend on them: they
     * stay arguments, which nothing reads */
    cot_list sizes;
} cot_import_options;

/* Read a module of StableHLO text (pretty or generic form; dialects func, stablehlo, chlo).
 *
 *   path     for messages
 *   options  NULL: none
 *   out      the entry as a graph; it belongs to the context, like everything made of it.  The
 *            text is not needed afterwards.
 *
 * Expectations (custom calls @check...) are left out; `cot run` checks them.
 *
 * Errors   COT_ERR_PARSE  the text is malformed: "file:line:column: what was found, what was
 *                         wanted"; or it holds an op, a type or a custom call that cannot be
 *                         imported, which is named
 *          COT_ERR_SHAPE, COT_ERR_DTYPE  an op does not fit its operands; sizes are open
 * Source   StableHLO specification,
 *          https://github.com/openxla/stablehlo/blob/main/docs/spec.md */
COT_API cot_status cot_import_stablehlo(cot_context *ctx, const char *path, const char *text,
                                        size_t bytes, const cot_import_options *options,
                                        const cot_graph **out);

/* Write a graph as a module of StableHLO text, which JAX's parser and the StableHLO tools read.
 *
 *   g      the function: @main of the module.  Its sub-functions are private functions; what it
 *          reads of the context (captured arrays, the generator's key) are arguments at the
 *          end; the new values of in/out arguments are results at the end, and the arguments
 *          have tf.aliasing_output
 *   write  receives the text
 *
 * Elements are bool as i1, c64 as complex<f32>; large constants are in hexadecimal.  An op that
 * StableHLO and chlo have not is a composite named cotrace.NAME, whose decomposition is a
 * private function of other ops: it agrees to the accuracy of the op, not to the last bit.
 * Imported again, the text is the same graph.
 *
 * Errors   COT_ERR_TARGET  an op has no counterpart: one with an effect, a collective outside
 *                          of its vmap, or a call of a foreign function; the message has the
 *                          line of the op
 * Source   StableHLO specification,
 *          https://github.com/openxla/stablehlo/blob/main/docs/spec.md */
COT_API cot_status cot_export_stablehlo(const cot_graph *g, cot_write *write, void *user);

#ifdef __cplusplus
}
#endif
#endif
