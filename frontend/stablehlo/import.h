/* Import, inside: what the program `cot` sees beyond the public function. */
#ifndef FRONTEND_STABLEHLO_IMPORT_H
#define FRONTEND_STABLEHLO_IMPORT_H

#include "ir/graph.h"

/* An expectation of the module: result `found` of the graph must be like result `wanted`. */
typedef enum fe_hlo_check_kind { FE_HLO_EQ, FE_HLO_CLOSE, FE_HLO_ALMOST } fe_hlo_check_kind;
typedef struct fe_hlo_check {
    fe_hlo_check_kind kind;
    int found, wanted;
    int64_t ulp;       /* CLOSE: units in the last place  */
    double tolerance;  /* ALMOST: absolutely              */
    ir_loc loc;
} fe_hlo_check;
typedef struct fe_hlo_checks {
    uint32_t n, cap;
    fe_hlo_check *at;
    int n_results;     /* of the function itself; the others are of checks */
} fe_hlo_checks;

struct cot_import_options;
/* checks: NULL, or filled: then the graph has their operands as its last results.  donated: arguments that the
 * text lets a result take. */
cot_status fe_hlo_import(cot_context *ctx, const char *path, const char *text, size_t bytes,
                         const struct cot_import_options *o, fe_hlo_checks *checks, ir_ints *donated, ir_graph **out);
/* Does the text, or the name, say StableHLO? */
bool fe_hlo_is_mlir(const char *path, const char *text, size_t bytes);

#endif
