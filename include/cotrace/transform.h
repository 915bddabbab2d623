/* Cotrace: functions and their transforms.
 *
 * A cot_fn is a recipe: a C body, a graph, or a transform of another function.  It is immutable
 * and names no types: what depends on types is found when it is traced for some, at most once
 * for each list of types.  Functions belong to their context.  A transform of a function that
 * failed is a function that failed: expressions of transforms need no checks between the calls,
 * the next call that returns a status reports the first error with the line of the call at
 * fault. */
#ifndef COTRACE_TRANSFORM_H
#define COTRACE_TRANSFORM_H

#include "cotrace/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A function from a body: n_in arguments, n_out results.  user is handed to the body and must
 * outlive the function, since tracing waits for the types; name is copied. */
COT_API cot_fn *cot_fn_new_(cot_place at, cot_context *ctx, const char *name, cot_body *body,
                            int n_in, int n_out, void *user);
/* A function that is a graph, such as cot_parse read: it takes exactly the graph's types, and
 * can be transformed, called and compiled as any function. Where its text has sizes, it is open
 * (cot_open), and its transforms take types of any of the sizes. It belongs to the graph's
 * context; NULL where g is NULL. */
COT_API cot_fn *cot_fn_of_graph(const cot_graph *g);
/* The name of a function, as dumps have it, transforms after dots: "loss.grad". The text
 * belongs to the function; "" where f is NULL. */
COT_API const char *cot_fn_name(const cot_fn *f);
/* The context to which a function belongs, and with which it is freed; NULL where f is NULL. */
COT_API cot_context *cot_fn_context(const cot_fn *f);

/* f with names for its arguments and results, as trees (below) or lists: "w, x, y".  They
 * appear in dumps and in the headers of objects.  f is a body; NULL leaves a side unnamed. */
COT_API cot_fn *cot_fn_named_(cot_place at, cot_fn *f, const char *arguments,
                              const char *results);

/* Optional arguments.  cot_fn_optional(f, "scale", 4.0) is the body f with one more argument
 * that it reads after the others (in[n_in], then in[n_in + 1], ...) and that a call may leave
 * out; a number is a scalar of the element type of the first floating argument (f32 if there is
 * none).  They are passed by name, to f or to any transform of it, and are never mapped, by any
 * in_dims, nor named by wrt:
 *     cot_with(f, "scale", x)       f with scale set to a number or to a value of a trace
 *                                   that is open
 *     cot_taking(f, "scale, shift") f with these as its last arguments, after those of every
 *                                   transform made of the result: for cot_jit, cot_compile
 *                                   and cot_call
 * Errors, with f's: COT_ERR_ARG  f is not a body (cot_fn_optional), or has no such optional
 * argument. */
COT_API cot_fn *cot_fn_optional_(cot_place at, cot_fn *f, const char *name, double value);
COT_API cot_fn *cot_with_(cot_place at, cot_fn *f, const char *name, cot_operand x);
COT_API cot_fn *cot_taking_(cot_place at, cot_fn *f, const char *names);

/* A struct whose fields are all cot_value, arrays of them, or such structs again, is a flat
 * list of values; a tree describes it once:
 *     struct layer { cot_value weight, bias; };
 *     struct model { struct layer layer[2]; cot_value scale; };
 *     cot_tree *tree = cot_tree_new(ctx, "layer[2]{weight, bias}, scale",
 *                                   sizeof(struct model));
 * A body reads it as `const struct model *m = COT_STRUCT(struct model, in)` and passes it on as
 * COT_FIELDS(*m), the list of its values.  Trees belong to their context.  NULL with the error
 * recorded if the text is wrong or has not the struct's size. */
typedef struct cot_tree cot_tree;
COT_API cot_tree *cot_tree_new_(cot_place at, cot_context *ctx, const char *text, size_t bytes);
/* The number of leaves of a tree, which is that of the cot_value fields of its struct; 0 where
 * t is NULL. */
COT_API int cot_tree_count(const cot_tree *t);
/* The path of leaf i, counted from 0: "layer.1.bias". The text belongs to the tree; "" where
 * there is no such leaf. */
COT_API const char *cot_tree_name(const cot_tree *t, int i);
/* The first leaf at or below a path, -1 if there is none; their number in *n (may be NULL). */
COT_API int cot_tree_find(const cot_tree *t, const char *path, int *n);
/* One entry for each leaf, by name: cot_tree_list(tree, "layer: none, scale: 0"), for in_dims
 * and out_dims.  An entry at an inner name serves all below, later entries win, every leaf
 * needs one.
 * The list belongs to the context; it is empty, with the error recorded, if the text is
 * wrong. */
COT_API cot_list cot_tree_list(const cot_tree *t, const char *text);

/* Options of the transforms that name arguments.  Zero is the default of each.  Negative
 * argument numbers count from the end. */
typedef struct COT_NAMED_ cot_wrt_options {
    COT_BEGIN_
    cot_list wrt;               /* arguments to differentiate in: see each transform        */
    int aux;                    /* the last aux results are passed on, not differentiated   */
    int64_t chunk;              /* jacobians: rows at a time; 0: all at once                */
    /* jvp: 1: a result that depends on nothing in wrt is an error */
    int strict;
} cot_wrt_options;

typedef enum cot_randomness {
    COT_RANDOM_ERROR = 0,
    COT_RANDOM_DIFFERENT,
    COT_RANDOM_SAME
} cot_randomness;

/* Options of jacfwd, which maps over the columns: .randomness as in vmap. */
typedef struct COT_NAMED_ cot_jacfwd_options {
    COT_BEGIN_
    cot_list wrt;
    int aux;
    int64_t chunk;
    cot_randomness randomness;
} cot_jacfwd_options;

typedef struct COT_NAMED_ cot_vmap_options {
    COT_BEGIN_
    cot_list in_dims;           /* an axis or COT_NONE for each argument; absent: 0 for all */
    cot_list out_dims;          /* likewise for results                                     */
    int64_t chunk;              /* examples at a time; 0: all at once                       */
    int64_t size;               /* of the mapped axis, where no argument is mapped          */
    cot_randomness randomness;
    const char *axis;           /* a name for the mapped axis                               */
    const char *over;           /* "world": the axis is spread over processes               */
} cot_vmap_options;

COT_API cot_fn *cot_vmap_(cot_place at, cot_fn *f, const cot_vmap_options *o, size_t size);
COT_API cot_fn *cot_grad_(cot_place at, cot_fn *f, const cot_wrt_options *o, size_t size);
COT_API cot_fn *cot_grad_and_value_(cot_place at, cot_fn *f, const cot_wrt_options *o,
                                    size_t size);
COT_API cot_fn *cot_jvp_(cot_place at, cot_fn *f, const cot_wrt_options *o, size_t size);
COT_API cot_fn *cot_vjp_(cot_place at, cot_fn *f, const cot_wrt_options *o, size_t size);
COT_API cot_fn *cot_linearize_(cot_place at, cot_fn *f, const cot_wrt_options *o, size_t size);
COT_API cot_fn *cot_jacfwd_(cot_place at, cot_fn *f, const cot_jacfwd_options *o, size_t size);
COT_API cot_fn *cot_jacrev_(cot_place at, cot_fn *f, const cot_wrt_options *o, size_t size);
COT_API cot_fn *cot_hessian_(cot_place at, cot_fn *f, const cot_wrt_options *o, size_t size);
/* f without in-place writes: views stay as pure ops, or go too.  f itself where there is
 * nothing to remove.  Every other transform does this first. */
typedef enum cot_remove { COT_REMOVE_MUTATIONS = 0, COT_REMOVE_MUTATIONS_AND_VIEWS } cot_remove;
typedef struct COT_NAMED_ cot_functionalize_options {
    COT_BEGIN_
    cot_remove remove;
} cot_functionalize_options;
COT_API cot_fn *cot_functionalize_(cot_place at, cot_fn *f, const cot_functionalize_options *o,
                                   size_t size);
/* What reverse mode keeps of a checkpointed function besides its arguments. */
typedef enum cot_keep { COT_KEEP_NOTHING = 0, COT_KEEP_PRODUCTS } cot_keep;
typedef struct COT_NAMED_ cot_checkpoint_options {
    COT_BEGIN_
    /* products: results of dot_general, which cost most to compute again */
    cot_keep keep;
} cot_checkpoint_options;
COT_API cot_fn *cot_checkpoint_(cot_place at, cot_fn *f, const cot_checkpoint_options *o,
                                size_t size);
COT_API cot_fn *cot_pipeline_(cot_place at, cot_fn *f, const char *text);
COT_API void cot_vjp_halves_(cot_place at, cot_fn *f, cot_fn **fwd, cot_fn **bwd,
                             const cot_wrt_options *o, size_t size);
COT_API void cot_linearize_halves_(cot_place at, cot_fn *f, cot_fn **fwd, cot_fn **lin,
                                   const cot_wrt_options *o, size_t size);

#ifndef __cplusplus
/* A tree from its text and the size of its struct, as above; NULL, with the error recorded, if
 * they do not fit. */
#define cot_tree_new(ctx, text, bytes) cot_tree_new_(COT_HERE, ctx, text, bytes)
/* The values of a body, `in` or `out`, read as a struct of values: const struct model *m =
 * COT_STRUCT(struct model, in). Nothing is copied. */
#define COT_STRUCT(type, values) ((const type *)(values))
/* The values of a struct of values as a list, in the order of its fields, for cot_call and the
 * like: COT_FIELDS(*m). */
#define COT_FIELDS(x) \
    cot_values_of((int)(sizeof(x) / sizeof(cot_value)), (const cot_value *)(const void *)&(x))
/* f with one more argument, of the given default, that calls may leave out: see above. */
#define cot_fn_optional(f, name, value) cot_fn_optional_(COT_HERE, f, name, value)
/* f with an optional argument set to a number or to a value of the open trace: see above. */
#define cot_with(f, name, x) cot_with_(COT_HERE, f, name, COT_OPERAND(x))
/* f with the named optional arguments (cot_fn_optional) as its last ones, in that order, after
 * those of every transform made of it: see above. */
#define cot_taking(f, names) cot_taking_(COT_HERE, f, names)
#define cot_fn_named(f, arguments, results) cot_fn_named_(COT_HERE, f, arguments, results)
#define cot_fn_new(ctx, name, body, n_in, n_out, user) \
    cot_fn_new_(COT_HERE, ctx, name, body, n_in, n_out, user)

/* Map f over an axis of its arguments.
 *
 *   f        (x0, ..., xn) -> (y0, ..., ym), on one example
 *   returns  the same with an axis of size B inserted at in_dims[i] of each mapped argument,
 *            and at out_dims[j] of each result
 *
 * .in_dims has one entry for each argument, COT_NONE for one that all examples share;
 * COT_ALL(k) serves every argument; the default maps axis 0 of all.  .out_dims likewise;
 * COT_NONE asks that the result depend on nothing mapped.  Negative axes count from the end.
 * .chunk maps that many examples at a time.  What is unmapped is never copied for each example.
 *
 * .over = "world" makes the examples groups, which run one after the other, or spread over the
 * processes of cot_options.comm (cotrace/comm.h), with the same bits.  Groups meet in
 * collectives only, and the cotangent of an operand that is not mapped is the sum over the
 * groups of that of each, in the order of cot_psum: last bits may differ from the vmap without
 * .over, which contracts all examples at once.
 *
 * .randomness says what draws from the context's generator (cotrace/random.h) do:
 * COT_RANDOM_ERROR, COT_RANDOM_DIFFERENT (each example its own numbers, whatever the chunk) or
 * COT_RANDOM_SAME.
 *
 * Errors   COT_ERR_ARG    in_dims or out_dims has not one entry for each argument or result
 *          COT_ERR_ARG    .over is not "world", stands beside .chunk, or f has effects, or
 *                         collectives of this axis in solvers or custom functions, under it
 *          COT_ERR_SHAPE  an axis is out of range, or mapped sizes differ */
#define cot_vmap(...) COT_VMAP_(__VA_ARGS__, .end_ = 0)
#define COT_VMAP_(f, ...) \
    cot_vmap_(COT_HERE, f, &(const cot_vmap_options){__VA_ARGS__}, sizeof(cot_vmap_options))

/* Gradient of a scalar function, by reverse accumulation.
 *
 *   f        (x0:T0, ..., xn:Tn) -> (y:float[], aux...)
 *   returns  (x0:T0, ..., xn:Tn) -> (dx:Ti for each i in wrt, in that order, aux...)
 *
 * .wrt names distinct arguments of floating type; the default is the first.  .aux results after
 * y are passed on.
 *
 * Errors   reported by cot_trace_fn, cot_jit and cot_compile, at the line of this call:
 *          COT_ERR_SHAPE   y is not a scalar
 *          COT_ERR_DTYPE   y or an argument in wrt is not floating
 *          COT_ERR_ARG     wrt names an argument twice, or one that does not exist
 *          COT_ERR_RULE    an op of f has no derivative; the message gives its line in f
 * Source   Radul et al., You Only Linearize Once, POPL 2023: jvp, linearize, transpose. */
#define cot_grad(...) COT_GRAD_(__VA_ARGS__, .end_ = 0)
#define COT_GRAD_(f, ...) \
    cot_grad_(COT_HERE, f, &(const cot_wrt_options){__VA_ARGS__}, sizeof(cot_wrt_options))

/* As cot_grad, with the value as well: f (x...) -> (y, aux...) becomes (x...) -> (dx for each
 * in .wrt, y, aux...). Options and errors are those of cot_grad. */
#define cot_grad_and_value(...) COT_GRAD_AND_VALUE_(__VA_ARGS__, .end_ = 0)
#define COT_GRAD_AND_VALUE_(f, ...)                                       \
    cot_grad_and_value_(COT_HERE, f, &(const cot_wrt_options){__VA_ARGS__}, \
                        sizeof(cot_wrt_options))

/* Forward mode: the derivative along a direction.
 *
 *   f        (x0:T0, ..., xn:Tn) -> (y0, ..., ym, aux...)
 *   returns  (x0, ..., xn, dx:Ti for each i in wrt) -> (y0, ..., ym, dy for each floating y,
 *            aux...)
 *
 * .wrt defaults to all floating arguments.  A tangent has exactly the type of its argument.  A
 * floating result that depends on none of them has the tangent zero, or is COT_ERR_ARG with
 * .strict.
 * Errors and source as cot_grad. */
#define cot_jvp(...) COT_JVP_(__VA_ARGS__, .end_ = 0)
#define COT_JVP_(f, ...) \
    cot_jvp_(COT_HERE, f, &(const cot_wrt_options){__VA_ARGS__}, sizeof(cot_wrt_options))

/* The same function as cot_jvp, split inside: what is known without the tangents is computed
 * apart from what is linear in them. */
#define cot_linearize(...) COT_LINEARIZE_(__VA_ARGS__, .end_ = 0)
#define COT_LINEARIZE_(f, ...) \
    cot_linearize_(COT_HERE, f, &(const cot_wrt_options){__VA_ARGS__}, sizeof(cot_wrt_options))

/* Reverse mode: cotangents of the results pulled back to the arguments.
 *
 *   f        (x0:T0, ..., xn:Tn) -> (y0, ..., ym, aux...)
 *   returns  (x0, ..., xn, ct for each floating y) -> (y0, ..., ym, ctx:Ti for each i in
 *            wrt, aux...)
 *
 * .wrt defaults to all floating arguments.  Errors and source as cot_grad. */
#define cot_vjp(...) COT_VJP_(__VA_ARGS__, .end_ = 0)
#define COT_VJP_(f, ...) \
    cot_vjp_(COT_HERE, f, &(const cot_wrt_options){__VA_ARGS__}, sizeof(cot_wrt_options))

/* Jacobians by columns, in forward mode: best where there are fewer inputs than outputs.  For
 * each floating y, for each i in wrt: [shape of y, shape of xi]; then aux.  .wrt defaults to
 * the first argument; .chunk computes that many columns at a time. */
#define cot_jacfwd(...) COT_JACFWD_(__VA_ARGS__, .end_ = 0)
#define COT_JACFWD_(f, ...)                                                                    \
    cot_jacfwd_(COT_HERE, f, &(const cot_jacfwd_options){ __VA_ARGS__ },                       \
                sizeof(cot_jacfwd_options))
/* Jacobians by rows, in reverse mode: best where there are fewer outputs than inputs.
 * Results and options are those of cot_jacfwd, but for .randomness. */
#define cot_jacrev(...) COT_JACREV_(__VA_ARGS__, .end_ = 0)
#define COT_JACREV_(f, ...) \
    cot_jacrev_(COT_HERE, f, &(const cot_wrt_options){__VA_ARGS__}, sizeof(cot_wrt_options))

/* Second derivatives, forward over reverse: for each y, for each pair i, j of wrt:
 * [shape of y, shape of xi, shape of xj]. */
#define cot_hessian(...) COT_HESSIAN_(__VA_ARGS__, .end_ = 0)
#define COT_HESSIAN_(f, ...) \
    cot_hessian_(COT_HERE, f, &(const cot_wrt_options){__VA_ARGS__}, sizeof(cot_wrt_options))

/* The value now, the derivative later: cot_vjp_halves(f, &fwd, &bwd) makes
 *     fwd  (x...) -> (y..., aux..., res...)          bwd  (res..., ct...) -> (dx...)
 * and cot_linearize_halves(f, &fwd, &lin) the same fwd and lin (res..., dx...) -> (dy...).
 * res is a list of values whose types are known once fwd is traced.  bwd and lin find those
 * types when fwd was traced before for the arguments meant; both halves can be called, mapped
 * and compiled.  In one object file they share res as one block: the header has its size,
 * NAME_RES_BYTES with the name of fwd, and NAME_RES(block), which stands for its parts among
 * the arguments of both. */
#define cot_vjp_halves(...) COT_VJP_HALVES_(__VA_ARGS__, .end_ = 0)
#define COT_VJP_HALVES_(f, fwd, bwd, ...)                                          \
    cot_vjp_halves_(COT_HERE, f, fwd, bwd, &(const cot_wrt_options){__VA_ARGS__}, \
                    sizeof(cot_wrt_options))
/* The value now, the derivative along directions later: fwd (x...) -> (y..., aux..., res...)
 * and lin (res..., dx...) -> (dy...), as cot_vjp_halves. */
#define cot_linearize_halves(...) COT_LINEARIZE_HALVES_(__VA_ARGS__, .end_ = 0)
#define COT_LINEARIZE_HALVES_(f, fwd, lin, ...)                                          \
    cot_linearize_halves_(COT_HERE, f, fwd, lin, &(const cot_wrt_options){__VA_ARGS__}, \
                          sizeof(cot_wrt_options))

/* f, whose derivative keeps the arguments of f and computes the rest again when it is wanted:
 * memory for work.  Values and derivatives are those of f.  What a call of it inside a larger
 * function keeps ends with that call, so checkpoint the parts of a long chain; loops have
 * .segments (cot_scan).
 *
 *     .keep      COT_KEEP_NOTHING, COT_KEEP_PRODUCTS
 * Errors: COT_ERR_ARG if .keep is neither.
 * Source: A. Griewank, A. Walther, Revolve, ACM TOMS 2000; T. Chen et al., Training Deep Nets
 * with Sublinear Memory Cost, 2016. */
#define cot_checkpoint(...) COT_CHECKPOINT_(__VA_ARGS__, .end_ = 0)
#define COT_CHECKPOINT_(f, ...)                                                                \
    cot_checkpoint_(COT_HERE, f, &(const cot_checkpoint_options){ __VA_ARGS__ },               \
                    sizeof(cot_checkpoint_options))

/* f as a function without in-place writes and, with .remove = COT_REMOVE_MUTATIONS_AND_VIEWS,
 * without views; a written argument stays in/out (docs/writes.md). Every other transform does
 * it first. */
#define cot_functionalize(...) COT_FUNCTIONALIZE_(__VA_ARGS__, .end_ = 0)
#define COT_FUNCTIONALIZE_(f, ...)                                                             \
    cot_functionalize_(COT_HERE, f, &(const cot_functionalize_options){ __VA_ARGS__ },         \
                       sizeof(cot_functionalize_options))

/* Transforms by name, left to right: cot_pipeline(f, "grad(wrt=[0]) | vmap(in=[none,0,0],
 * out=0)").
 * Names and options are those of the program cot.  Errors: COT_ERR_PARSE with the place in the
 * text. */
#define cot_pipeline(f, text) cot_pipeline_(COT_HERE, f, text)
#endif

#ifdef __cplusplus
}
#endif
#endif
