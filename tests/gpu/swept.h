/* Programs of the sweeps for a GPU: of tests/laws/classes.h and tests/laws/sized.h, by name.
 *
 * The name is `s` and the number of a class's program, or `z` and that of a product, so that
 * the bundle holds the PTX of a program and neither its operands nor its results: both sides
 * draw the operands from the number, and the side with the GPU has the reference evaluator. */
#ifndef TESTS_GPU_SWEPT_H
#define TESTS_GPU_SWEPT_H

#include "tests/laws/programs.h"

/* The name of draw k by the seed: two classes' programs, then a product, and so on. */
const char *swept_name(ir_arena *a, uint64_t seed, int k);
/* The program of that name in the context; false (an error is recorded) if it does not parse
 * or the name is of no program. */
bool swept_make(cot_context *ctx, const char *name, laws_program *out);
/* Its operands, to be given back with laws_free. */
void **swept_operands(cot_context *ctx, const char *name, const laws_program *p);

#endif
