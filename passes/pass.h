/* What a pass is: it reads one finished graph and builds another; a failed pass leaves its
 * input whole.  All of them go through the builder, so results are typed, checked, folded and
 * shared.
 * Locations of what a pass adds are derived: "in grad", "in vmap". */
#ifndef PASSES_PASS_H
#define PASSES_PASS_H

#include "ir/build.h"

/* Which arguments; n == PASS_DEFAULT: the default of the transform (see below). */
#define PASS_DEFAULT (-1)
typedef struct pass_wrt { int n; const int *arg; } pass_wrt;

/* Axes of vmap.  n == 1 and one is set: the axis serves every argument. */
#define PASS_NO_AXIS INT64_MIN
typedef struct pass_dims { int n; const int64_t *at; bool one; } pass_dims;

typedef struct pass_vmap_options {
    pass_dims in, out;
    int64_t size;                       /* of the mapped axis; 0: from the arguments   */
    bool sized;                         /* size is known, also where it is 0           */
    int64_t chunk;                      /* 0: all at once; else examples at a time     */
    int randomness;
    const char *axis_name;
    const char *who;                    /* for messages: the mapped function; NULL: "vmap" */
    ir_loc loc;                         /* and the line that mapped it                 */
    const char *const *in_name;         /* and the paths of its arguments, or NULL     */
} pass_vmap_options;

typedef struct pass_options {
    pass_wrt wrt;                       /* default: n = PASS_DEFAULT                   */
    int aux;
    int64_t chunk;
    bool strict;                        /* jvp: no output may have the tangent zero    */
    bool remove_views;                  /* functionalize */
    bool keep_products;                 /* checkpoint */
    pass_vmap_options vmap;
    /* by name (names.c); instead of wrt, vmap.in, vmap.out */
    const char *wrt_names, *in_names, *out_names;
} pass_options;

/* names.c: lists by the names of n arguments or results, whose entries may be NULL.  dims: "x:
 * 0, layer:
 * {weight: 0, bias: none}", one axis for each; wrt: "layer, x", all at or below a path. */
typedef struct pass_named {
    cot_context *ctx;
    ir_loc loc;
    const char *op;                     /* for messages */
    int n;
    const char *const *name;
    int n_never;                        /* names that no list may have: optional arguments */
    const char *const *never;
} pass_named;
/* Names for a message: the first of them, and how many there are. */
const char *pass_names_text(cot_context *ctx, const char *const *name, int n);
cot_status pass_named_dims(const pass_named *s, const char *text, const int64_t **out);
cot_status pass_named_wrt(const pass_named *s, const char *text, pass_wrt *out);

/* Transforms.  wrt NULL or n == PASS_DEFAULT: argument 0 for grad, jacobians, hessian; all
 * floating arguments for jvp, vjp, linearize.  Negative argument numbers count from the end. */
cot_status pass_jvp(const ir_graph *f, const pass_wrt *wrt, int aux, ir_graph **out);
/* jvp's `strict`: a floating output besides aux whose tangent is zero for every x is an error
 * at loc. */
cot_status pass_check_strict(const ir_graph *f, const pass_wrt *wrt, int aux, ir_loc loc);
cot_status pass_linearize(const ir_graph *f, const pass_wrt *wrt, int aux, ir_graph **out);
cot_status pass_vjp(const ir_graph *f, const pass_wrt *wrt, int aux, ir_graph **out);
cot_status pass_grad(const ir_graph *f, const pass_wrt *wrt, int aux, ir_graph **out);
cot_status pass_grad_and_value(const ir_graph *f, const pass_wrt *wrt, int aux, ir_graph **out);
cot_status pass_jacfwd(const ir_graph *f, const pass_wrt *wrt, int aux, int64_t chunk,
                       int randomness, ir_graph **out);
cot_status pass_jacrev(const ir_graph *f, const pass_wrt *wrt, int aux, int64_t chunk,
                       ir_graph **out);
cot_status pass_hessian(const ir_graph *f, const pass_wrt *wrt, int aux, ir_graph **out);
/* f has the types of one example; the result takes the mapped axis where o->in says. */
cot_status pass_vmap(const ir_graph *f, const pass_vmap_options *o, ir_graph **out);
/* The types of one example, from those of the arguments with the mapped axis: what a
 * shape-polymorphic function must be traced with before it is mapped.  Fills o->size. */
cot_status pass_vmap_example(cot_context *ctx, ir_loc loc, int n_in, const ir_type *const *in,
                             pass_vmap_options *o, const ir_type **example);

/* What messages call an argument or an output: "argument 1 (layer.bias)". */
const char *pass_argument_text(const ir_graph *f, int i);
const char *pass_output_text(const ir_graph *f, int j);

/* f with the traced rules of its custom functions in its calls, for dumps (custom_text.c); f
 * itself if none. */
cot_status pass_custom_with_rules(const ir_graph *f, ir_graph **out);

/* The two functions of linearize and vjp: the first computes results and residuals, the second
 * is linear and takes the residuals. */
cot_status pass_linearize_halves(const ir_graph *f, const pass_wrt *wrt, int aux,
                                 ir_graph **known, ir_graph **linear);
cot_status pass_vjp_halves(const ir_graph *f, const pass_wrt *wrt, int aux, ir_graph **fwd,
                           ir_graph **bwd);

/* The same function, smaller. */
cot_status pass_simplify(const ir_graph *f, ir_graph **out);
cot_status pass_dce(const ir_graph *f, ir_graph **out);
cot_status pass_dce_last(const ir_graph *f, ir_graph **out); /* calls are whole */
/* and custom functions, whose rules are done with */
cot_status pass_inline_all(const ir_graph *f, ir_graph **out);
/* calls, where that is safe: all */
cot_status pass_inline(const ir_graph *f, ir_graph **out);
/* The same two, but calls of large functions that are called several times stay (calls.h). */
cot_status pass_inline_small(const ir_graph *f, ir_graph **out);
cot_status pass_inline_last(const ir_graph *f, ir_graph **out);
/* Ops that have an expansion become calls of it; f itself where there are none. */
cot_status pass_expand(const ir_graph *f, ir_graph **out);
/* whiles of known length are scans */
cot_status pass_while_to_scan(const ir_graph *f, ir_graph **out);
/* what no step of a loop changes is computed before it */
cot_status pass_hoist(const ir_graph *f, ir_graph **out);
/* Complex values as pairs of reals, all but inputs and outputs (complex.c); with those too,
 * c64[S] as the f32[S,2] that it is in memory.  f itself where nothing is complex. */
cot_status pass_complex(const ir_graph *f, ir_graph **out);
cot_status pass_complex_memory(const ir_graph *f, ir_graph **out);
/* Without in-place writes; views: without views too.  f itself where there are none. */
/* Reverse mode of f keeps its arguments, and products if so asked, and computes the rest
 * again. */
cot_status pass_checkpoint(const ir_graph *f, bool products, ir_graph **out);
cot_status pass_functionalize(const ir_graph *f, bool views, ir_graph **out);
/* Products and sums to fma (docs/numerics.md section 2): the last pass that can change a
 * bit. */
/* short loops over large arrays are straight code */
cot_status pass_unroll(const ir_graph *f, ir_graph **out);
/* would it change anything? */
bool pass_unrolls(const ir_graph *f);
cot_status pass_contract(const ir_graph *f, ir_graph **out);
/* writes of most of a value, at places that are known, as pieces put together; are there
 * any? */
cot_status pass_boxes(const ir_graph *f, ir_graph **out);
bool pass_has_boxes(const ir_graph *f);
/* The same function, whose products and sums no later pass joins. */
cot_status pass_uncontract(const ir_graph *f, ir_graph **out);

/* pipeline.c: the passes by name. */
typedef enum pass_option_bit {
    PASS_WRT = 1, PASS_AUX = 2, PASS_CHUNK = 4, PASS_IN = 8, PASS_OUT = 16, PASS_SIZE = 32,
    PASS_RANDOMNESS = 64, PASS_AXIS = 128, PASS_REMOVE = 256, PASS_STRICT = 512,
    PASS_KEEP = 1024
} pass_option_bit;
typedef enum pass_randomness {
    PASS_RANDOM_ERROR,
    PASS_RANDOM_DIFFERENT,
    PASS_RANDOM_SAME
} pass_randomness;
/* What a graph may be, as its marks say (graph.h). */
typedef enum pass_property {
    PASS_UNWRITTEN = 1, /* no node writes to memory */
    PASS_VIEWLESS = 2, /* none shows memory of another value */
    PASS_SHALLOW = 4, /* calls lie at most IR_MAX_NEST deep */
    PASS_EXPANDED = 8, /* no op is a graph of smaller ones */
    PASS_REAL = 16, /* no value is complex */
    PASS_KEEPS =
        32, /* of a row that gives it: each property of the graph stays, but for SHALLOW */
    PASS_PURE = PASS_UNWRITTEN | PASS_VIEWLESS
} pass_property;
unsigned pass_properties(const ir_graph *f);

/* pass_run makes what a row wants and the graph is not, by the pass that gives it, and checks
 * that the result is what the row gives. */
typedef struct pass_row {
    const char *name;
    const char *doc;
    bool transform;                     /* a transform of the user's (else a clean-up) */
    unsigned takes;                     /* a set of pass_option_bit: the options it knows */
    cot_status (*run)(const ir_graph *f, const pass_options *o, ir_graph **out);
    bool each_use; /* makes something of each use of a sub-function, however often it is used */
    unsigned wants, gives; /* sets of pass_property */
} pass_row;
extern const pass_row pass_rows[];
extern const int pass_row_count;
const pass_row *pass_find(const char *name);
/* The defaults of every option. */
pass_options pass_default_options(void);
/* The names in o, found among those of f. */
cot_status pass_resolve_names(const pass_row *row, const ir_graph *f, pass_options *o);
/* One pass, on a graph that is what its row wants; in/out arguments are results that it passes
 * on.  With what the context asks for around it: the verifier, COT_TIME, COT_DUMP. */
cot_status pass_run(const pass_row *row, const ir_graph *f, const pass_options *o,
                    ir_graph **out);
/* f, or f with its calls inlined where they are more than IR_MAX_NEST deep: what recurses
 * into calls begins with it.  An error if f unfolds to too much (IR_MAX_UNFOLDED); each_use:
 * if it does where no call stays, since something is made for each of them. */
cot_status pass_shallow(const ir_graph *f, bool each_use, ir_graph **out);
/* COT_DUMP at a stage ("trace", "grad", ...): f as text, or one line if it equals before (may
 * be NULL). */
void pass_dump(const char *stage, const ir_graph *before, const ir_graph *f);
/* `grad(wrt=[0]) | vmap(in=[none,0,0], out=0)`, read left to right, applied to f.  after, if
 * not NULL, is called with each result. */
typedef void pass_after(void *user, const char *name, const ir_graph *before,
                        const ir_graph *result);
cot_status pass_pipeline(const ir_graph *f, const char *text, pass_after *after, void *user,
                         ir_graph **out);
/* Parse one pipeline into rows and options, so that vmap's sizes can be inferred by the
 * caller. */
typedef struct pass_step { const pass_row *row; pass_options options; } pass_step;
cot_status pass_parse(cot_context *ctx, ir_loc loc, const char *text, int *n,
                      const pass_step **steps);
/* What every graph goes through before kernels: expand, inline, simplify, dce, contract. */
cot_status pass_prepare(const ir_graph *f, ir_graph **out);

#endif
