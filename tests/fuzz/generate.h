/* Random programs: a seed gives a graph over all ops, element types and awkward shapes,
 * sub-functions included.  Equal seeds give equal graphs on every machine. */
#ifndef TESTS_FUZZ_GENERATE_H
#define TESTS_FUZZ_GENERATE_H

#include "ir/build.h"

/* What half of the steps are; of any program, at times writes or loops. */
typedef enum fuzz_kind {
    FUZZ_ANY,
    FUZZ_WRITES, /* writes, views, and values for them */
    FUZZ_LOOPS,  /* loops over several arrays          */
    FUZZ_STEPS   /* loops that are written out         */
} fuzz_kind;

/* The graph; NULL with the error recorded in the context: a bug of the generator or of
 * inference. */
ir_graph *fuzz_generate(cot_context *ctx, uint64_t seed, fuzz_kind kind);

/* f in several steps, each on results of earlier ones, rows of arrays, and constants; f itself
 * if that is too large, or f writes.  NULL as above. */
const ir_graph *fuzz_steps(const ir_graph *f, uint64_t seed);

/* Does the graph still fail as it did?  Asked of smaller and smaller graphs. */
typedef bool fuzz_fails(void *user, const ir_graph *f);
/* The smallest graph found that fails: outputs are dropped, results become inputs, operands or
 * zeros. */
const ir_graph *fuzz_shrink(const ir_graph *f, fuzz_fails *fails, void *user);

#endif
