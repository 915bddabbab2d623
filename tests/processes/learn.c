/* Data-parallel training of the transformer of examples/transformer.c with AdamW, for
 * matrix.sh: the batch is groups of sequences that are drawn from one key, and the gradient is
 * that of the mean loss of all groups.
 *
 *   learn OBJECT HEADER THREADS    writes `first` and `learn`, of a vector of all parameters
 *                                  and moments
 *
 * With -DJIT it has these two functions instead, compiled when they are first called; then the
 * header of the object is learn.h. */
#define main transformer_main
#include "transformer.c"
#undef main

#include <stdlib.h>

enum { ALL = 3 * P + 1, GROUPS = 32 };

typedef struct learner {
    cot_fn *over; /* the loss, mapped over groups */
    cot_type type[ALL];
    int64_t n; /* elements of all */
} learner;

static int64_t
size_of(const cot_type *t)
{
    int64_t n = 1;

    for (int i = 0; i < t->rank; i++)
        n *= t->dims[i];
    return n;
}

/* All values as one vector, and back.  The number of steps is exact in f32. */
static cot_value
joined(const cot_value *x, const cot_type *type)
{
    cot_value flat[ALL];

    for (int i = 0; i < ALL; i++)
        flat[i] = cot_reshape(cot_convert(x[i], COT_F32), size_of(&type[i]));
    return cot_concatenate(((cot_values){ .n = ALL, .at = flat }), 0);
}

static void
split(cot_value flat, const cot_type *type, cot_value *x)
{
    int64_t at = 0;

    for (int i = 0; i < ALL; i++) {
        const int64_t n = size_of(&type[i]);
        const cot_value part =
            cot_slice(flat, .start = COT_LIST(at), .limit = COT_LIST(at + n));
        const cot_list shape = { .n = type[i].rank, .at = type[i].dims };
        x[i] = cot_convert(cot_reshape_(COT_HERE, part, shape), type[i].dtype);
        at += n;
    }
}

/* key -> all */
static void
first_flat(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const learner *l = user;
    cot_value x[ALL];

    begin_all(t, in, x, NULL);
    out[0] = joined(x, l->type);
}

/* parameters, symbols of a group -> the mean loss of all groups, the share that is right */
static void
group_loss(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value own[2];

    loss(t, in, own, user);
    out[0] = cot_pmean(own[0], "group");
    out[1] = cot_pmean(own[1], "group");
}

/* all -> the next, and the loss and the share before it; transformer.c's step, over groups */
static void
learn_flat(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const learner *l = user;
    cot_value now[ALL], next[ALL], d[P + 2], clipped[P], arguments[P + 1];
    int64_t wrt[P];
    cot_optim optim = adamw;

    split(in[0], l->type, now);
    for (int i = 0; i < P; i++) {
        wrt[i] = i;
        arguments[i] = now[i];
    }
    arguments[P] = cot_randint(t, cot_i32(GROUPS, BATCH, LENGTH), 0, SYMBOLS,
                               .key = cot_fold_in(cot_key(t, 1), now[P]));
    cot_call_all(
        cot_grad_and_value(l->over, .wrt = ((cot_list){ .n = P, .at = wrt }), .aux = 1),
        ((cot_values){ .n = P + 1, .at = arguments }), d, P + 2);
    cot_clip_by_norm(((cot_values){ .n = P, .at = d }), 1.0, clipped);
    optim.schedule = cot_cosine_rate(now[P], 0.01, STEPS, .warmup = 20);
    cot_optim_step(&optim, ((cot_values){ .n = P, .at = now }),
                   ((cot_values){ .n = P, .at = clipped }),
                   ((cot_values){ .n = ALL - P, .at = now + P }), next, next + P);
    out[0] = joined(next, l->type);
    out[1] = d[P];
    out[2] = d[P + 1];
}

/* The two functions, and what they read when they are traced. */
static cot_status
make(cot_context *ctx, learner *l, cot_export *out)
{
    int64_t in_dims[P + 1];
    const cot_graph *g;

    for (int i = 0; i <= P; i++)
        in_dims[i] = i < P ? COT_NONE : 0;
    l->over = cot_vmap(cot_fn_new(ctx, "group", group_loss, P + 1, 2, NULL), .axis = "group",
                       .over = "world", .in_dims = ((cot_list){ .n = P + 1, .at = in_dims }),
                       .out_dims = COT_ALL(COT_NONE));
    COT_TRY(cot_trace_fn(cot_fn_new(ctx, "all", begin_all, 1, ALL, NULL), COT_TYPES(cot_u64(2)),
                         &g));
    for (int i = 0; i < ALL; i++) {
        l->type[i] = cot_graph_out_type(g, i);
        l->n += size_of(&l->type[i]);
    }
    out[0] = (cot_export){ cot_fn_named(cot_fn_new(ctx, "begin", first_flat, 1, 1, l), "key",
                                        "state"),
                           COT_TYPES(cot_u64(2)), "first" };
    out[1] = (cot_export){ cot_fn_named(cot_fn_new(ctx, "learn", learn_flat, 1, 3, l), "state",
                                        "next, loss, right"),
                           COT_TYPES(cot_f32(l->n)), "learn" };
    return COT_OK;
}

#ifdef JIT
#include "learn.h"

/* Compiled at the first call; without a communicator of those of one process. */
static int
call(const cot_comm *comm, int which, const void *in, float *const *out)
{
    static struct {
        cot_context *ctx;
        cot_kernel *kernel;
        learner l;
        cot_export export[2];
    } of[2], *c;
    cot_array *y[3];

    c = &of[which];
    if (!c->ctx) {
        c->ctx = cot_context_new(&(cot_options){ .comm = comm, .cache_dir = "off" });
        if (make(c->ctx, &c->l, c->export) ||
            cot_compile(c->export[which].fn, c->export[which].types, NULL, &c->kernel)) {
            fprintf(stderr, "%s\n", cot_error(c->ctx));
            return 1;
        }
    }
    const cot_graph *g = cot_kernel_graph(c->kernel);
    const int n = cot_graph_n_out(g);
    cot_array *x = cot_array_copy(c->ctx, cot_graph_in_type(g, 0), in);
    for (int i = 0; i < n; i++)
        y[i] = cot_array_borrow(c->ctx, cot_graph_out_type(g, i), out[i]);
    const int status = cot_run(c->kernel, y, (const cot_array *[]){ x });
    for (int i = 0; i < n; i++)
        cot_array_free(y[i]);
    cot_array_free(x);
    return status;
}

int
first(const uint64_t *key, float *state, void *work)
{
    (void)work;
    return call(NULL, 0, key, (float *const[]){ state });
}

int
learn(const struct cot_comm *comm, const float *state, float *next, float *loss_now,
      float *right, void *work)
{
    (void)work;
    return call(comm, 1, state, (float *const[]){ next, loss_now, right });
}

#else

int
main(int argc, char **argv)
{
    static learner l;
    cot_context *ctx = cot_context_new(NULL);
    cot_export all[2];
    cot_status s = argc == 4 ? make(ctx, &l, all) : COT_ERR_ARG;

    if (s == COT_OK)
        s = cot_build_object(
            ctx, all, 2,
            &(cot_compile_options){ .processes = "1-5,7,8,16", .threads = atoi(argv[3]) },
            argv[1], argv[2]);
    if (s != COT_OK)
        fprintf(stderr, "%s\n", cot_error(ctx));
    cot_context_free(ctx);
    return s != COT_OK;
}
#endif
