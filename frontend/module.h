/* Modules, inside: leaves with their names, aliases and arrays. */
#ifndef FRONTEND_MODULE_H
#define FRONTEND_MODULE_H

#include <stdbool.h>

#include "cotrace/module.h"
#include "ir/loc.h"

typedef struct fe_leaf {
    const char *name;
    cot_array *array;
    int of;      /* the leaf whose storage this is: itself, if not tied */
    bool absent; /* taken away                                          */
    bool frozen;
} fe_leaf;

typedef struct fe_norm_layer {
    const char *path;
    cot_batch_norm_config *config;
} fe_norm_layer;

struct cot_module {
    cot_context *ctx;
    ir_loc loc;
    const char *name;
    cot_body *body;
    void *user;
    int n, n_params; /* leaves: parameters, then buffers */
    fe_leaf *leaf;
    int n_in, n_out;
    const char *const *in_name, *const *out_name;
    bool training;
    uint32_t n_norms, cap_norms;
    fe_norm_layer *norm;
    cot_fn *fn[2]; /* tied, untied; NULL: not made since the last change */
};

/* The leaf with a name, or -1. */
int fe_module_find(const cot_module *m, const char *name);
/* Is leaf i an argument of its own? */
bool fe_module_takes(const cot_module *m, int i, bool untied);

#endif
