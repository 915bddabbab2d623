/* Functions with open sizes: which axes are open, by what a user wrote, and kernels for all
 * sizes. */
#ifndef RUNTIME_OPEN_OPEN_H
#define RUNTIME_OPEN_OPEN_H

#include "codegen/open/open.h"
#include "frontend/fn.h"
#include "ir/array.h"
#include "runtime/compile.h"
#include "runtime/open/constants.h"

/* An axis of an argument: fixed, or as long as a polynomial of the sizes says. */
typedef struct rt_axis {
    bool is_open;
    cg_polynomial length;
} rt_axis;

enum { RT_OPEN_MOST = 1 << 30 };

/* What is known of a size: least <= n <= most, and `multiple` divides it. */
typedef struct rt_size {
    const char *name;
    int64_t least, most, multiple;
    int argument, axis;         /* where it is found: the length is factor * n + offset */
    int64_t factor, offset;
} rt_size;

/* "x: [n, _], y: [2*n + 1] where n >= 1", of a function's arguments. */
typedef struct rt_sizes {
    int n, n_args;
    rt_size size[CG_MAX_SIZES];
    const char **argument;      /* names; entries may be NULL */
    int *rank;                  /* of each argument; -1: none of its axes is open */
    rt_axis **axis;
} rt_sizes;

/* In which length is each size found: by itself, or in a multiple of it and a number? NULL, or
 * the name of one that is in none. */
const char *rt_sizes_find_lengths(rt_sizes *s);
/* How argument i is called in messages. */
const char *rt_sizes_name(const rt_sizes *s, int i, char text[32]);

/* A length that a call compares: that of an axis of an argument, or of a result. */
typedef struct rt_length {
    int array, axis;
    int size; /* the size that it is by itself; -1: none */
    const cg_size_form *form; /* where it is no size; NULL: it is fixed */
    int64_t fixed;
} rt_length;

static inline int64_t
rt_length_at(const rt_length *x, const int64_t *size)
{
    return x->size >= 0 ? size[x->size] : x->form ? cg_form_at(x->form, size) : x->fixed;
}

typedef struct rt_lengths {
    rt_length *at;
    uint32_t n, cap;
} rt_lengths;

/* A function at sizes: its graph, in the context, which is built for them. */
typedef struct rt_open_source {
    const char *name;
    ir_loc loc;
    cot_status (*graph)(void *user, ir_arena *scratch, const int64_t *size,
                        const cot_graph **out);
    void *user;
} rt_open_source;

/* The evaluator's graph for sizes. */
typedef struct rt_open_prepared {
    int64_t size[CG_MAX_SIZES];
    const ir_graph *f;
} rt_open_prepared;

/* What an open kernel has besides. */
typedef struct rt_open {
    const rt_sizes *sizes;
    cg_open general;
    rt_lengths fixed, open; /* of the arguments, but for the axes in which sizes are found */
    rt_lengths *result; /* of each result */
    cg_size_form **length; /* of the axes of each result */
    int *input; /* of each argument, its number among the graph's inputs */
    cg_size_form cost; /* instructions of a call, or 0 where that is not known */
    rt_open_source source; /* of the evaluator */
    rt_open_prepared *prepared;
    uint32_t n_prepared, cap_prepared;
    ir_arena arena; /* of all of this */
} rt_open;

/* text.c: the source of f, which was parsed from a text with sizes, and its sizes, whose axes
 * are found.  `transform` is applied to each graph that is parsed; NULL: none is. */
typedef cot_status rt_open_transform(void *user, const ir_graph *f, ir_graph **out);
cot_status rt_open_text_source(const ir_graph *f, rt_open_transform *transform, void *user,
                               const rt_open_source **source, rt_sizes **sizes);
/* print.c: the text of a function with its sizes, from "format 2" on. */
cot_status rt_open_print(cot_context *ctx, const rt_open_source *source, const rt_sizes *sizes,
                         int flags, ir_buf *out);
/* spec.c: reads a text for the function, whose arguments have these names (NULL: none). */
cot_status rt_sizes_read(cot_context *ctx, const rt_open_source *of,
                         const char *const *argument, int n_args, const char *text,
                         rt_sizes **out);
/* compile.c: one kernel for all sizes.  The axes of arguments may be absent from `sizes`: they
 * are found. */
cot_status rt_open_compile(cot_context *ctx, const rt_open_source *source, rt_sizes *sizes,
                           const rt_plan *p, cot_kernel **out);
/* function.c: that of a function, at argument types whose open axes may have any length. */
cot_status rt_open_compile_fn(cot_fn *f, cot_types types, const rt_plan *p, cot_kernel **out);
/* The function at argument types, in the arena, with what its text says of them. */
cot_status rt_open_source_of(cot_fn *f, cot_types types, ir_arena *a,
                             const rt_open_source **source, rt_sizes **sizes);
/* The general module of a function, for a file. */
cot_status rt_open_lower_file(cot_context *ctx, const rt_open_source *source, rt_sizes *sizes,
                              const rt_plan *p, ir_arena *a, rt_open **out);
/* at.c: the sets of sizes of a text such as "n=64,m=32; n=256,m=32", or "n=64,256"; *out has
 * s->n numbers for each. */
cot_status rt_open_at_read(cot_context *ctx, const rt_sizes *s, const char *text, int *n,
                           const int64_t **out);
/* trial.c: has the loaded kernel the results of f, which is its function at these sizes?
 * What a call changes, or the runtime supplies, is not tried, nor, if `small`, what takes
 * long. */
typedef enum rt_trial { RT_TRIAL_NONE, RT_TRIAL_AGREES, RT_TRIAL_DIFFERS } rt_trial;
rt_trial rt_open_trial(const cot_kernel *k, const cot_graph *f, const int64_t *size, bool small,
                       ir_arena *a);
/* Have two graphs of the same types these results? */
rt_trial rt_open_trial_graphs(const cot_graph *f, const cot_graph *g, ir_arena *a);
void rt_open_free(cot_context *ctx, rt_open *o);

/* sizes.c: the lengths of the axes of a parameter, arguments and then results; NULL: none is
 * open. */
const cg_size_form *rt_open_axes(const rt_open *o, const ir_graph *f, int parameter,
                                 ir_arena *a);
/* List the lengths that calls of k compare, k->open being complete. */
void rt_open_list_lengths(const cot_kernel *k, rt_open *o);
/* The sizes of a call.  rt_open_fits: do the element types, ranks and fixed lengths
 * fit the kernel? rt_open_sizes: and the open ones? rt_open_refuse_sizes: COT_ERR_SHAPE, with
 * what disagrees, where they do not. */
bool rt_open_fits(const cot_kernel *k, const cot_array *const *args, int n);
bool rt_open_sizes(const cot_kernel *k, const cot_array *const *args, int64_t *size);
cot_status rt_open_refuse_sizes(const cot_kernel *k, const cot_array *const *args);
/* The type of result i; dims has room for COT_MAX_RANK. */
cot_type rt_open_result(const cot_kernel *k, int i, const int64_t *size, int64_t *dims);
/* Inline: a call of a small kernel takes less time than its checks. */
static inline bool
rt_open_is_result(const cot_kernel *k, int i, const int64_t *size, const cot_array *a)
{
    const ir_type *t = k->type[k->n_in + i];
    const rt_lengths *l = &k->open->result[i];

    if (a->type.dtype != t->dtype || a->type.rank != t->rank)
        return false;
    for (uint32_t j = 0; j < l->n; j++)
        if (a->dims[j] != rt_length_at(&l->at[j], size))
            return false;
    return true;
}

/* evaluate.c: the graph that the evaluator runs at these sizes. */
cot_status rt_open_graph_at(rt_open *o, const int64_t *size, const ir_graph **out);
/* run.c: a call at sizes that were found in its arguments, which fit. */
cot_status rt_run_open(const cot_kernel *k, void *work, const int64_t *size,
                       cot_array *const *results, const cot_array *const *args);
/* Is there work for several threads? */
bool rt_open_wants_threads(const cot_kernel *k, const int64_t *size);
/* A work block for these sizes, from the kernel's slots; NULL: memory is short. */
void *rt_open_block_take(const cot_kernel *k, const int64_t *size);
void rt_open_block_give(const cot_kernel *k, void *block);

#endif
