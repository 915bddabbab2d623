/* Transforms seen from their callers: arguments, and the checks before a pass runs. */
#ifndef FRONTEND_SIGNATURE_H
#define FRONTEND_SIGNATURE_H

#include "frontend/fn.h"

typedef enum fe_extra { FE_SAME, FE_TANGENTS, FE_COTANGENTS, FE_MAPPED } fe_extra;
typedef struct fe_shape {
    const char *name;
    fe_extra extra; /* arguments after those of the function inside       */
    bool wrt, all;  /* takes wrt; its default is all floating arguments   */
    bool scalar;    /* result 0 must be a floating scalar                 */
} fe_shape;

/* Of the transform of this name; clean-ups take what the function inside takes. */
const fe_shape *fe_shape_of(const char *name);

int fe_count_floating(int n, const ir_type *const *type);
/* How many results of a graph, the last `aux` apart, are floating. */
int fe_count_cotangents(const ir_graph *g, int aux);

/* f has `has` arguments and wants `wants`. */
cot_status fe_wrong_count(const cot_fn *f, int has, int wants);
/* Directions are missing or too many: f of `n` types, g, the function inside, takes k. */
cot_status fe_wrong_directions(cot_fn *f, const fe_shape *s, int k, int n,
                               const ir_type *const *type, const ir_graph *g);
/* Can f be made from the results of g, the function inside? */
cot_status fe_check_results(const cot_fn *f, const fe_shape *s, const ir_graph *g);
/* wrt, made explicit for a graph of n declared arguments. */
cot_status fe_explicit_wrt(const cot_fn *f, const fe_shape *s, const ir_graph *g, int n,
                           pass_wrt *wrt);
/* Tangents and cotangents, arguments n ... of f, are of the type of what they belong to. */
cot_status fe_check_directions(const cot_fn *f, const fe_shape *s, const ir_graph *g, int n,
                               const pass_wrt *wrt, const fe_special *special);
/* The inputs of g, captured ones apart, are of these types. */
cot_status fe_check_types(const cot_fn *f, const ir_graph *g, int n, const ir_type *const *type,
                          int n_captured);

#endif
