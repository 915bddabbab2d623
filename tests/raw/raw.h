/* The second judgement: a graph as it is written, with no pass before it.
 *
 * Nodes are taken one by one.  Complex numbers are C's complex numbers, sums of them go from
 * the first to the last, a Fourier transform is its sum, products are three loops, and an op
 * that is defined by a graph of smaller ops (EXPAND) has a definition of a dozen lines of its
 * own here. All that is computed in double precision and rounded once, so it is not what the
 * project computes bit for bit: see the bounds of tests/laws/raw.c.  Every other op is the
 * evaluator's, node by node, to the last bit. */
#ifndef TESTS_RAW_RAW_H
#define TESTS_RAW_RAW_H

#include "ir/eval/eval.h"

#include <complex.h>
#undef complex                  /* a name of ours */

typedef double _Complex raw_number;

/* One node, with its operands' and results' arrays. */
typedef struct raw_node {
    const ir_graph *f;
    const ir_node *n;
    void *const *in, **out;
} raw_node;

/* The results of f.  COT_ERR_RULE: an op of it has no definition here. */
cot_status raw_eval(const ir_graph *f, void *const *out, void *const *in);

/* Of one node; false: it has none here. */
bool raw_complex(const raw_node *a);
bool raw_linalg(const raw_node *a);

/* Element i as a number, and back, rounded to the type. */
raw_number raw_load(const ir_type *t, const void *array, int64_t i);
void raw_store(const ir_type *t, void *array, int64_t i, raw_number z);

#endif
