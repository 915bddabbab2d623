/* Cotrace: solvers whose derivatives do not look into them.
 *
 * cot_custom_linear_solve answers x with A x = b, where A is a function of the user's, linear
 * in its arguments, and the solver is code of the user's: a direct method, conjugate gradients
 * in a cot_while, anything that traces. Its derivatives are solutions of the same system and of
 * the transposed one, of every order and under every transform; the solver is never
 * differentiated. cot_custom_root does the same for f(x) = 0, by the implicit function theorem.
 *
 * Bodies may use values of the trace around them: derivatives by those are what is wanted.
 * Source: lax.custom_linear_solve and lax.custom_root of JAX; M. Blondel et al., Efficient
 * and Modular Implicit Differentiation, NeurIPS 2022. */
#ifndef COTRACE_IMPLICIT_H
#define COTRACE_IMPLICIT_H

#include "cotrace/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A solver: x with A(x) = b, or for a root x with f(x) = 0 from the guess b.  A is called by
 * cot_call(A, v) or cot_call_all; all lists have as many values, of the same types. */
typedef void cot_solver(cot_trace *t, cot_fn *A, const cot_value *b, cot_value *x, void *user);

typedef struct COT_NAMED_ cot_solve_options {
    COT_BEGIN_
    /* linear: the right-hand sides; root: the first guess */
    cot_values b;
    /* the results; NULL: only the first, which is returned */
    cot_value *out;
    /* of the transposed system; NULL: the same solver */
    cot_solver *transpose;
    /* root: of the linear systems with f's derivative */
    cot_solver *tangent;
    /* A (root: f's derivative) is its own (conjugate) transpose */
    int symmetric;
    /* handed to the bodies */
    void *user;
} cot_solve_options;

COT_API cot_value cot_custom_linear_solve_(cot_place at, cot_body *matvec, cot_solver *solve,
                                           const cot_solve_options *o, size_t size);
COT_API cot_value cot_custom_root_(cot_place at, cot_body *f, cot_solver *solve,
                                   const cot_solve_options *o, size_t size);

#ifndef __cplusplus
#define COT_SOLVE_(...) &(const cot_solve_options){__VA_ARGS__}, sizeof(cot_solve_options)

/* cot_custom_linear_solve(matvec, solve, .b = COT_VALUES(b)): x with matvec(x) = b.
 *     matvec       n values -> n values of the types of b, linear; transposed by the library
 *     solve        any solver; called for b, for tangents, and unless .transpose or
 * .symmetric is given
 *                  for cotangents with the transposed matvec
 * Of complex numbers the transposed matvec is the conjugate transpose, and .symmetric means
 * Hermitian: torch's convention.
 * Errors: COT_ERR_ARG    matvec is not linear, or there is no b
 *         COT_ERR_SHAPE, COT_ERR_DTYPE    a body's results are not of the types of b; b is
 *                                         neither floating nor complex */
#define cot_custom_linear_solve(...) COT_LINEAR_SOLVE_(__VA_ARGS__, .end_ = 0)
#define COT_LINEAR_SOLVE_(matvec, solve, ...) \
    cot_custom_linear_solve_(COT_HERE, matvec, solve, COT_SOLVE_(__VA_ARGS__))

/* cot_custom_root(f, solve, .b = COT_VALUES(guess), .tangent = solver): x with f(x) = 0.
 *     f            n values -> n values of their types
 *     .tangent     solves f'(x) v = b, linear in v; .transpose the transposed system (NULL:
 * the same solver) The result does not depend on the guess. Errors: as above; no .tangent is
 * COT_ERR_ARG. */
#define cot_custom_root(...) COT_ROOT_(__VA_ARGS__, .end_ = 0)
#define COT_ROOT_(f, solve, ...) cot_custom_root_(COT_HERE, f, solve, COT_SOLVE_(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif
#endif
