/* A pass that changes no bit: the function before and behind it, evaluated, and by all back
 * ends. */
#ifndef TESTS_UNIT_BITS_H
#define TESTS_UNIT_BITS_H

#include "passes/pass.h"

/* The prepared last function of a text, behind a pipeline; what the passes of these names, the
 * last one NULL, make of it.  Fails the test unless both are valid and give equal bits for
 * numbers of moderate size, and all back ends agree with the evaluator. */
void bits_keep(cot_context *ctx, const char *text, const char *pipeline,
               const char *const *pass, ir_graph **prepared, ir_graph **behind);

#endif
