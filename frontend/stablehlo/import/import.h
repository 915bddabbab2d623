/* Import, inside: what the program `cot` sees beyond the public function. */
#ifndef FRONTEND_STABLEHLO_IMPORT_H
#define FRONTEND_STABLEHLO_IMPORT_H

#include "ir/graph.h"

/* An expectation of the module: result `found` of the graph must be like result `wanted`. */
typedef enum fe_hlo_check_kind { FE_HLO_EQ, FE_HLO_CLOSE, FE_HLO_ALMOST } fe_hlo_check_kind;
typedef struct fe_hlo_check {
    fe_hlo_check_kind kind;
    int found, wanted;
    uint64_t least, most; /* CLOSE: units in the last place */
    double tolerance;     /* ALMOST: absolutely             */
    ir_loc loc;
} fe_hlo_check;
typedef struct fe_hlo_checks {
    uint32_t n, cap;
    fe_hlo_check *at;
    int n_results;     /* of the function itself; the others are of checks */
} fe_hlo_checks;

/* A module: what is from `from` to `to` of a text, whose lines are counted from its start. */
typedef struct fe_hlo_source {
    const char *path, *text;
    size_t from, to;
} fe_hlo_source;

/* Functions by name. */
typedef struct fe_hlo_names {
    int n;
    const char **at;
} fe_hlo_names;

typedef struct fe_hlo_extra {
    fe_hlo_checks *checks; /* filled: then the graph has their operands as its last results */
    ir_ints *donated;      /* filled: arguments that the text lets a result take */
    /* filled where no function is the entry, and no graph made: public ones without
     * arguments */
    fe_hlo_names *several;
    /* Of a function of open sizes the types of its n arguments, which have the element types
     * `want` (in type: those that the text has, or NULL), and the values of those that come
     * first and are integers; false if nothing is given. */
    bool (*given)(void *user, int n, const cot_dtype *want, const ir_type **type,
                  ir_ints *sizes);
    void *user;
} fe_hlo_extra;

struct cot_import_options;
/* extra: NULL, or what of it is not NULL. */
cot_status fe_hlo_import(cot_context *ctx, const fe_hlo_source *s,
                         const struct cot_import_options *o, const fe_hlo_extra *extra,
                         ir_graph **out);
/* The end of the module that starts at `from`: lines `// -----` stand between several in one
 * text. */
size_t fe_hlo_module_end(const char *text, size_t from, size_t bytes);
/* Does the text, or the name, say StableHLO? */
bool fe_hlo_is_mlir(const char *path, const char *text, size_t bytes);

#endif
