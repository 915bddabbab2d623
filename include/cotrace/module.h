/* Cotrace: modules: a function with named parameters and buffers.
 *
 * A module is a body, two trees of names (cot_tree) for its parameters and its buffers, and an
 * array for each leaf.  Its function (cot_module_fn) is an ordinary cot_fn over (parameters...,
 * buffers..., inputs...) with these names, so that transforms, in_dims and wrt speak of
 * "layer.1.weight".  The arrays are read at each call: a weight that changed is seen.  Modules
 * belong to their context and are changed by one thread at a time; arrays stay the caller's,
 * who keeps them alive. */
#ifndef COTRACE_MODULE_H
#define COTRACE_MODULE_H

#include "cotrace/compile.h"
#include "cotrace/sugar.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cot_module cot_module;

/* body reads the parameters, then the buffers, then the inputs: structs whose fields follow the
 * texts.  A buffer that was taken away is a handle that was never set. */
typedef struct COT_NAMED_ cot_module_spec {
    COT_BEGIN_
    const char *name;
    cot_body *body;
    void *user;
    const char *params, *buffers;   /* as for cot_tree_new; NULL: none     */
    const char *inputs, *results;   /* likewise; inputs may be NULL: none  */
} cot_module_spec;

/* Arrays by name. */
typedef struct cot_named {
    const char *name;
    cot_array *array;
} cot_named;
/* A list of at most COT_HELD_STATE entries that COT_STATE or cot_state_of made holds a copy of
 * them, so it may outlive the block that made it; a longer one, one written
 * `(cot_state){ .n = n, .at = p }`, and those that cot_load and others fill point to memory.
 * Of any of them the entries are cot_state_entries(&list)[i]. */
#define COT_HELD_STATE 16
typedef struct cot_state {
    int n;
    cot_named *at; /* the entries; NULL where they are held */
    cot_named held[COT_HELD_STATE] COT_OR_ZERO_;
} cot_state;

typedef struct COT_NAMED_ cot_functional_options {
    COT_BEGIN_
    /* a transform of the module's function; NULL: that function */
    cot_fn *fn;
    /* 1: tied names are arguments of their own (fn: of cot_module_fn_untied) */
    int untied;
    /* 1: every parameter and buffer is to be given */
    int strict;
} cot_functional_options;

/* NULL with the error recorded if a text is wrong. */
COT_API cot_module *cot_module_new_(cot_place at, cot_context *ctx, const cot_module_spec *spec,
                                    size_t size);
/* Make `a` the array of the leaf (parameter or buffer) of that name. The array stays the
 * caller's, who keeps it alive while the module is called. Errors: COT_ERR_ARG where nothing
 * has the name. */
COT_API cot_status cot_module_set(cot_module *m, const char *name, cot_array *a);
/* The array of the leaf of that name, which stays its owner's; NULL if there is no such leaf,
 * it was taken away, or it has no array yet. */
COT_API cot_array *cot_module_array(const cot_module *m, const char *name);
/* One storage, two names: `name` becomes another name of `of`.  The function takes it once, and
 * its gradient sums both uses. */
COT_API cot_status cot_module_tie(cot_module *m, const char *name, const char *of);
/* Set the mode, which is 1 (training) at first, before the first call: bodies that ask
 * cot_module_is_training see it when they are traced. A function that was traced, by
 * cot_module_call too, keeps its mode for those types. */
COT_API void cot_module_train(cot_module *m, int training);
/* The mode of the module: 1 while training, 0 after cot_module_train(m, 0), and 0 where m is
 * NULL. */
COT_API int cot_module_is_training(const cot_module *m);
/* The leaves at or below a path are not to be trained (frozen = 1), or are. */
COT_API cot_status cot_module_freeze(cot_module *m, const char *path, int frozen);

/* (distinct parameters..., buffers that are there..., inputs...) -> (results...), named.  As
 * the module is now: what is tied or taken away later does not change it.  Untied: every leaf
 * is an argument. */
COT_API cot_fn *cot_module_fn(cot_module *m);
/* The function of cot_module_fn with every leaf as an argument of its own, also names that are
 * tied to another one. It belongs to the context; NULL with the error recorded if it cannot be
 * made. */
COT_API cot_fn *cot_module_fn_untied(cot_module *m);

/* Run the module with arrays of `given` (n_given states, disjoint) in place of its own, as
 * torch.func.functional_call does.  Results are those of cot_jit, and come first; inputs follow
 * the parameters and buffers.
 *
 * Errors   COT_ERR_ARG  a name appears in two states, is unknown, is missing (strict), has
 *                       no array; tied names are given different arrays
 *          and those of cot_jit */
COT_API cot_status cot_module_call_(cot_place at, cot_module *m, cot_array **results,
                                    int n_results, const cot_state *given, int n_given,
                                    cot_array *const *inputs, int n_inputs,
                                    const cot_functional_options *o, size_t size);
COT_DEPRECATED_("use cot_module_call(m, results, n_results, given, n_given, inputs, n_inputs)")
COT_API cot_status cot_functional_call_(cot_place at, cot_module *m, const cot_state *given,
                                        int n_given, cot_array *const *inputs, int n_inputs,
                                        cot_array **results, int n_results,
                                        const cot_functional_options *o, size_t size);
/* Results of a Jacobian or gradient, one for each leaf at or below the paths of COT_NAMES(...),
 * with the leaves' names.  The list belongs to the context, the arrays stay the caller's. */
COT_API cot_status cot_module_named(const cot_module *m, cot_list paths,
                                    cot_array *const *arrays, int n, cot_state *out);

/* The state of n modules of one kind, each leaf with a new first axis of size n: for an
 * ensemble by cot_vmap with dims 0 for what is stacked.  The arrays are new: free them with
 * cot_state_free.
 *
 * Errors   COT_ERR_ARG    no module; of different kinds; in different modes; a leaf frozen
 *                         in one only
 *          COT_ERR_SHAPE  arrays of a leaf differ in type, or one is missing: the message
 *                         names it */
COT_API cot_status cot_stack_module_state_(cot_place at, cot_context *ctx,
                                           cot_module *const *modules, int n, cot_state *params,
                                           cot_state *buffers);
/* Free the arrays of a list, as cot_stack_module_state and cot_load make them; the list is
 * empty afterwards. NULL is allowed. */
COT_API void cot_state_free(cot_state *s);
/* A list of the n entries at `at`, which are copied where they are few.  Names and arrays are
 * the caller's. */
COT_API cot_state cot_state_of(int n, const cot_named *at);
/* The entries of a list of named arrays, n of them: those that it holds, or where it points.
 * They live as long as the list. */
COT_API const cot_named *cot_state_entries(const cot_state *s);
/* The array of the entry of exactly that name, which the list keeps; NULL if there is none. */
COT_API cot_array *cot_state_find(const cot_state *s, const char *name);

/* A batch-norm layer at a path of a module ("" for the module itself), with buffers
 * running_mean, running_var and num_batches_tracked below it.  config is the caller's and
 * outlives the module. */
typedef struct cot_batch_norm_config {
    int track_running_stats;
} cot_batch_norm_config;
/* Say that a module has such a layer.  Errors: COT_ERR_ARG, config tracks statistics and the
 * module has not their buffers below the path. */
COT_API cot_status cot_module_batch_norm(cot_module *m, const char *path,
                                         cot_batch_norm_config *config);
/* Every batch-norm layer of the module, at any depth: no running statistics, and the flag off.
 * What clashes with vmap is gone: each example is normalised by its own.  Returns m. */
COT_API cot_module *cot_replace_batch_norm(cot_module *m);

#ifndef __cplusplus
/* A module from its spec, named fields of cot_module_spec: NULL, with the error recorded, if
 * a text is wrong. */
#define cot_module_new(ctx, ...)                                                               \
    cot_module_new_(COT_HERE, ctx, &(const cot_module_spec){ __VA_ARGS__ },                    \
                    sizeof(cot_module_spec))
/* COT_STATE({"weight", w}, {"bias", b}), of at most 32 entries.  They are evaluated once: the
 * list holds them, or points to them, not both. */
#define COT_STATE(...)                                                                         \
    COT_LIST_OF_(__VA_ARGS__, COT_16_(COT_STATE_AT_), COT_16_(COT_STATE_AT_),                  \
                 COT_16_(COT_STATE_AT_), COT_16_(COT_STATE_HELD_), )(__VA_ARGS__)
#define COT_STATE_N_(...) ((int)(sizeof((cot_named[]){ __VA_ARGS__ }) / sizeof(cot_named)))
#define COT_STATE_HELD_(...)                                                                   \
    ((cot_state){ .n = COT_STATE_N_(__VA_ARGS__), .held = { __VA_ARGS__ } })
#define COT_STATE_AT_(...)                                                                     \
    ((cot_state){ .n = COT_STATE_N_(__VA_ARGS__), .at = (cot_named[]){ __VA_ARGS__ } })
/* The call of cot_module_call_ with options by name: cot_module_call(m, results, n_results,
 * states, n_states, inputs, n_inputs, .strict = 1). What stands there about arrays, results and
 * errors holds. */
#define cot_module_call(...) COT_MODULE_CALL_(__VA_ARGS__, .end_ = 0)
#define COT_MODULE_CALL_(m, out, n_out, given, n, in, n_in, ...)                               \
    cot_module_call_(COT_HERE, m, out, n_out, given, n, in, n_in,                              \
                     &(const cot_functional_options){ __VA_ARGS__ },                           \
                     sizeof(cot_functional_options))
/* Deprecated, gone in the next version: write cot_module_call, which takes the results before
 * the states and inputs, and is else the same. */
#define cot_functional_call(...) COT_FUNCTIONAL_CALL_(__VA_ARGS__, .end_ = 0)
#define COT_FUNCTIONAL_CALL_(m, given, n, in, n_in, out, n_out, ...)                           \
    cot_functional_call_(COT_HERE, m, given, n, in, n_in, out, n_out,                          \
                         &(const cot_functional_options){ __VA_ARGS__ },                       \
                         sizeof(cot_functional_options))
#define cot_stack_module_state(ctx, modules, n, params, buffers) \
    cot_stack_module_state_(COT_HERE, ctx, modules, n, params, buffers)
#endif

#ifdef __cplusplus
}
#endif
#endif
