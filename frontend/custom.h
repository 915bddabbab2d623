/* Registering custom functions; the public name is where C code can be called, in runtime. */
#ifndef FRONTEND_CUSTOM_H
#define FRONTEND_CUSTOM_H

#include "cotrace/custom.h"
#include "ir/custom.h"

/* foreign: calls what has a prototype. */
const cot_custom *fe_custom_new(cot_place at, cot_context *ctx, const char *name,
                                const cot_custom_options *options, size_t size,
                                ir_custom_caller *foreign);

/* How many operands and results a call has. */
void fe_custom_counts(const cot_custom *c, int *n_in, int *n_out);

#endif
