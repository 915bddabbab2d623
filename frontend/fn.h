/* Function values, inside: the recipe, and the cache of its specialisations. */
#ifndef FRONTEND_FN_H
#define FRONTEND_FN_H

#include <stdatomic.h>

#include "cotrace/transform.h"
#include "passes/pass.h"

typedef enum fe_kind {
    FE_FN_BODY,   /* a C body                                            */
    FE_FN_GRAPH,  /* a graph                                             */
    FE_FN_PASS,   /* a transform of another function                     */
    FE_FN_FIRST,  /* the forward half of a vjp or linearize              */
    FE_FN_SECOND, /* its backward or linear half                         */
    FE_FN_TAKING, /* optional arguments of another function, given last  */
    FE_FN_BAD     /* an error is recorded: functions made from it fail, too */
} fe_kind;

/* A function at given argument types.  captured: values of the enclosing trace that the body
 * used; they are the last inputs of the graph, and such an entry is not kept. */
typedef struct fe_special {
    int n_types;
    const ir_type *const *type;
    const ir_named_axis *axes; /* of the vmaps around, which collectives see */
    bool unfolded;   /* traced without folds: ctx->unfolded */
    ir_graph *graph;
    ir_graph *second; /* of halves: the other graph                    */
    int n_out;        /* of halves: results of fwd that are no residual */
    int n_captured;
    const ir_ref *captured;
    int n_hidden; /* inputs after these that the runtime supplies: of a function traced alone */
} fe_special;

/* An optional argument of a body, which reads it after its arguments. */
typedef struct fe_optional {
    const char *name;
    cot_operand value; /* a number, or a value of a trace that is open */
} fe_optional;

#define FE_CACHE 64 /* specialisations kept for one function */

struct cot_fn {
    cot_context *ctx;
    fe_kind kind;
    const char *name;
    ir_loc loc;      /* of the call that made it                  */
    int n_in, n_out; /* BODY, GRAPH                               */
    cot_body *body;
    void *user;
    const char *const *in_name, *const *out_name; /* BODY: names for dumps, or NULL */
    int n_optional;
    const fe_optional *optional; /* BODY: its own; TAKING: those given last   */
    ir_graph *graph;
    cot_fn *of; /* PASS, FIRST, TAKING: the function inside; SECOND: its FIRST */
    const pass_row *row; /* PASS: which                               */
    bool vjp;            /* FIRST: of vjp, else of linearize          */
    pass_options options;
    fe_special *cache[FE_CACHE]; /* under the context's lock                  */
    uint32_t n_cached;           /* ever; the slot is this modulo FE_CACHE    */
    _Atomic(void *) compiled;    /* for the runtime: what cot_jit has compiled */
    _Atomic uint64_t hits, misses; /* for cot_cache_of                        */
    uint64_t traces;
    /* transforms of this one, the latest first; the next in such a list */
    cot_fn *made, *made_before;
    const char *with;           /* made by cot_with: of this optional argument */
    cot_operand with_value;
    const char *why;            /* BAD: the message that said why, and its status */
    cot_status failed;
    const char *open; /* cot_open: which axes are open, as text; NULL: none is */
};

/* Marks g as failed, for the recorded reason, which g keeps so that it can be reported again
 * after the record was cleared. */
void fe_fn_spoil(cot_fn *g);
/* Returns the recorded status; where that was cleared, records the reason why f failed once
 * more. */
cot_status fe_fn_failed(const cot_fn *f);

/* The graph for these argument types, with captures last; the innermost open trace is what may
 * be captured from, or nothing if alone.  The caller holds the context's lock. */
cot_status fe_specialise(cot_fn *f, int n, const ir_type *const *type, bool alone,
                         const fe_special **out);
/* The function inside f, a transform, in the scope of the axes that f names. */
cot_status fe_specialise_inside(cot_fn *f, int n, const ir_type *const *type, bool alone,
                                const fe_special **out);
/* f with another function inside, or with other optional arguments: the recipe without its
 * cache. */
cot_fn *fe_fn_with(const cot_fn *f, cot_fn *of);
/* optional.c: f with an optional argument of its body bound to x. */
cot_fn *fe_optional_bind(const cot_fn *f, const char *name, cot_operand x);
/* The body at the root of f, below all transforms. */
const cot_fn *fe_body_of(const cot_fn *f);
/* Is f a function of a text with sizes, which are its own? */
bool fe_has_own_sizes(const cot_fn *f);
/* Returns fresh, a transform of f or f with a number, or an equal one that was made from f at
 * the same line, so that a loop that makes its functions in each iteration traces and compiles
 * them once. */
cot_fn *fe_fn_shared(cot_fn *f, cot_fn *fresh);
/* The names of the first n arguments of f, as far as they are known: entries may be NULL. */
const char *const *fe_argument_names(const cot_fn *f, int n);
/* How many of the last results of g, f's graph, are residuals: 0 unless f is the first of two
 * halves. */
int fe_count_residuals(const cot_fn *f, const ir_graph *g);
/* The names of the optional arguments of the body at the root of f; returns their number. */
int fe_optional_names(const cot_fn *f, const char *const **out);
/* The graph of the body at the root of f, for the dump stage "trace". */
cot_status fe_innermost(cot_fn *f, int n, const ir_type *const *type, ir_graph **out);

#endif
