/* Custom functions, below the frontend: what passes and the evaluator may ask of one.
 *
 * A node `custom_call` holds the name of its function and what its setup kept; the rules are C
 * code, which the frontend wraps in this table.  A rule answers a closed graph over the types
 * of one example;
 * nothing of it is kept in the node, so that a rule may call the function that it belongs
 * to. */
#ifndef IR_CUSTOM_H
#define IR_CUSTOM_H

#include "ir/graph.h"

typedef struct ir_custom ir_custom;
/* C code on dense arrays of one example: 0, or what it answers when it fails. */
typedef int ir_custom_caller(const ir_custom *c, const ir_attrs *at, void *const *out,
                             const void *const *in);
struct ir_custom {
    const ir_custom *next;
    const char *name;                   /* unique in the context */
    bool has_jvp, has_vjp, has_vmap, generate, sequential;
    bool once;                          /* the vjp rule has no derivative    */
    bool symbolic;                      /* the vjp rule sees zero cotangents */
    /* a rule of this once-differentiable function; or NULL */
    const char *marked;
    bool printed;                       /* not registered here: its rules are those of a text */
    /* inputs, results, tangents of the active inputs -> a tangent for each differentiable
     * result */
    cot_status (*jvp)(const ir_custom *c, const ir_node *n, ir_loc loc, const bool *active,
                      ir_graph **out);
    /* what is saved, the cotangents there are -> a cotangent for each active input */
    cot_status (*vjp)(const ir_custom *c, const ir_node *n, ir_loc loc, const bool *active,
                      const bool *has_ct, ir_graph **out);
    /* operands, the mapped ones with the axis first -> results; out_dims[j]: its axis, or
     * INT64_MIN */
    cot_status (*vmap)(const ir_custom *c, const ir_node *n, ir_loc loc, int64_t size,
                       int randomness, const bool *mapped, ir_graph **out, int64_t *out_dims);
    ir_custom_caller *run;              /* opaque */
    /* why it failed, as text; NULL: its status says it */
    const char *(*why)(const ir_custom *c);
    const struct ir_c_function *c;      /* its prototype, and then its address; or NULL */
    void (*address)(void);
    void *user;
    void *def;
};

/* By name; NULL if the context has none. */
const ir_custom *ir_custom_find(const cot_context *ctx, const char *name);
void ir_custom_add(cot_context *ctx, ir_custom *c);
/* A call of C code without a prototype, for compiled code: run(call, operands then results). */
typedef struct ir_custom_closure {
    const ir_custom *c;
    int n_in;
    ir_attrs at;
} ir_custom_closure;
const ir_custom_closure *ir_custom_close(cot_context *ctx, const ir_custom *c,
                                         const ir_node *n);
int ir_custom_run(const ir_custom_closure *call, void *const *args);
/* Operand i is mapped at level l. */
static inline bool
ir_custom_mapped(const ir_attrs *at, int l, int i)
{
    return at->custom.mapped.at[l * at->custom.forward->n_in + i] != 0;
}

#endif
