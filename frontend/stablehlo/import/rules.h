/* The rules that rows of ops.def name. */
#ifndef FRONTEND_STABLEHLO_RULES_H
#define FRONTEND_STABLEHLO_RULES_H

#include "frontend/stablehlo/import/emit.h"
#include "passes/scatter.h"
#include "passes/sorting.h"
#include "passes/window.h"

#define HLO(name, n_in, rule, op) fe_hlo_rule fe_hlo_##rule;
#include "frontend/stablehlo/import/ops.def"
#undef HLO

/* A call of the function that the attribute names. */
void fe_hlo_call_named(hlo_emit *e, const char *attribute);
/* A scalar among arrays serves all elements: x, broadcast where `like` is an array. */
ir_ref fe_hlo_as_wide(hlo_emit *e, ir_ref x, ir_ref like);
/* Floats as integers in their total order. */
ir_ref fe_hlo_total(ir_build *b, ir_ref x);
/* A reduction of values with their places that is argmax or argmin, made so: false if it is
 * none. */
bool fe_hlo_arg_search(hlo_emit *e, const pass_combiner *c, ir_ints axes);
/* Region i as a combiner of elements of x[0 ... n-1]: (a's, b's), or with in_pairs (a0, b0, a1,
 * b1, ...). */
bool fe_hlo_combiner(hlo_emit *e, int region, int n, const ir_ref *x, bool in_pairs,
                     pass_combiner *c);
/* Are the elements of v what the combiner leaves as it is?  Its running op, or OP_none. */
bool fe_hlo_is_neutral(hlo_emit *e, ir_op combiner, ir_ref v);
ir_op fe_hlo_running(ir_op combiner);
/* Operands of a product as it computes in: in the result's type where that holds more. */
void fe_hlo_product_operands(hlo_emit *e, cot_dtype *as, ir_ref *x);
/* Custom calls: of a reduction over windows whose sizes are operands; of JAX's approximate
 * top_k. */
void fe_hlo_dynamic_reduce_window(hlo_emit *e);
void fe_hlo_approx_top_k(hlo_emit *e);
/* A call of LAPACK by the name that JAX gives it; false if it is none that is known. */
bool fe_hlo_lapack(hlo_emit *e, hlo_span name);
/* The same by the names and in the form that older programs have. */
bool fe_hlo_older_lapack(hlo_emit *e, hlo_span name);
/* Of LAPACK's gtsv, the solution: operands are three diagonals, element i of each in row i, and
 * right sides. */
void fe_hlo_tridiagonal(hlo_emit *e);
/* A matrix stored by rows (what is not zero, where each row starts, columns) times a vector
 * or a matrix. */
void fe_hlo_csr(hlo_emit *e);
/* A while that is counted, as a scan: false if it is none.  in: its captures, then the
 * operands; y: a result for each operand. */
bool fe_hlo_counted(hlo_emit *e, const ir_attrs *loop, const ir_ref *in, ir_ref *y);
/* Axes anywhere in the result, not ascending as the op of ours wants. */
ir_ref fe_hlo_spread(hlo_emit *e, ir_ref x, int rank, const int64_t *shape, ir_ints dims);

#endif
