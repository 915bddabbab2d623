/* What the laws of laws.c and laws_derivatives.c share. */
#ifndef TESTS_LAWS_LAWS_H
#define TESTS_LAWS_LAWS_H

#include "tests/laws/programs.h"

/* Programs that a law judged, where it leaves some out. */
extern int law_checked;

/* laws_fail with the context's error, which is cleared. */
bool law_fail_error(const laws_program *p, const char *law, const char *step);
/* Arrays of f's inputs, sampled; of its outputs, empty. */
void **law_inputs(const laws_program *p, const ir_graph *f, uint64_t *seed);
void **law_outputs(const ir_graph *f);
bool law_run(const laws_program *p, const char *law, const ir_graph *f, void **out, void **in);

bool law_dot(const laws_program *p);
bool law_differences(const laws_program *p);
bool law_commute(const laws_program *p);
/* over: the vmap is over an axis that is spread, "world", or not, NULL. */
bool law_pairs(const laws_program *p, const char *over);

#endif
