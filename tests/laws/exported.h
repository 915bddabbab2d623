/* What export writes, for laws that compare it: kept, imported again, and put into files with
 * values. */
#ifndef TESTS_LAWS_EXPORTED_H
#define TESTS_LAWS_EXPORTED_H

#include "ir/build.h"

typedef struct exported_text {
    char *at;
    size_t n;
} exported_text;

/* As the `write` of cot_export_stablehlo, whose user is an exported_text; `at` is malloc'd. */
void exported_keep(void *text, const char *at, size_t n);
/* NULL, the error in the context. */
const ir_graph *exported_import(cot_context *ctx, const exported_text *t);
/* The same nodes, be it that a constant stands earlier, here or in a body. */
bool exported_same(const ir_graph *f, const ir_graph *g);
const char *exported_printed(const ir_graph *g);
/* PATH.mlir is f, PATH.bin the bytes of a sample of operands in [lo, hi] and of what the
 * reference evaluator makes of it; false: neither can be written.  Where f has no
 * counterpart, or the reference evaluator refuses, there are none. */
bool exported_files(const ir_graph *f, const char *path, uint64_t seed, double lo, double hi);

#endif
