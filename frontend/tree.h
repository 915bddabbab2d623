/* Trees, inside: the path of each leaf. */
#ifndef FRONTEND_TREE_H
#define FRONTEND_TREE_H

#include <stdbool.h>

#include "cotrace/transform.h"
#include "ir/loc.h"

struct cot_tree {
    cot_context *ctx;
    ir_loc loc;
    int n;
    const char *const *name;
};

/* The paths of the leaves that a text describes; false with the error recorded. */
bool fe_tree_names(cot_context *ctx, ir_loc loc, const char *text, int *n,
                   const char *const **name);

#endif
