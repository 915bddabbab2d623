/* The functions of the object of examples/processes/build.c, compiled by the JIT when they are
 * first called: examples/processes/main.c calls them as it calls those of the object.
 * COT_THREADS says how many threads run them. */
#include <stdint.h>
#include <stdio.h>

#include "processes.h"
#include "programs.h"

enum { MOST = 16 };

typedef struct compiled {
    cot_context *ctx;
    cot_kernel *kernel;
    cot_fn *grid[2];
} compiled;

typedef struct made {
    cot_fn *fn;
    cot_types types;
} made;

/* A kernel for these types, on memory of the caller's: the arguments, then the results. */
static int
call(compiled *c, const made *m, void *const *at)
{
    if (!c->kernel && cot_compile(m->fn, m->types, NULL, &c->kernel) != COT_OK) {
        fprintf(stderr, "%s\n", cot_error(c->ctx));
        return 1;
    }
    const cot_graph *g = cot_kernel_graph(c->kernel);
    const int n = cot_graph_n_in(g), n_out = cot_graph_n_out(g);
    cot_array *array[MOST];

    for (int i = 0; i < n + n_out; i++)
        array[i] = cot_array_borrow(
            c->ctx, i < n ? cot_graph_in_type(g, i) : cot_graph_out_type(g, i - n), at[i]);
    const int status = cot_run(c->kernel, array + n, (const cot_array *const *)(void *)array);
    if (status)
        fprintf(stderr, "%s\n", cot_error(c->ctx));
    for (int i = 0; i < n + n_out; i++)
        cot_array_free(array[i]);
    return status;
}

static void
begin(compiled *c, const cot_comm *comm)
{
    if (!c->ctx)
        c->ctx = cot_context_new(&(cot_options){ .comm = comm, .cache_dir = "off" });
}

/* What is read is not written. */
#define IN(x) (void *)(uintptr_t)(x)

int
train(const struct cot_comm *comm, const float *w1, const float *b1, const float *w2,
      const float *b2, const float *x, const float *y, float *w1_next, float *b1_next,
      float *w2_next, float *b2_next, float *loss, void *work)
{
    static compiled c;

    (void)work;
    begin(&c, comm);
    return call(&c, &(made){ c.kernel ? NULL : train_program(c.ctx), TRAIN_TYPES },
                (void *const[]){ IN(w1), IN(b1), IN(w2), IN(b2), IN(x), IN(y), w1_next, b1_next,
                                 w2_next, b2_next, loss });
}

int
heat(const struct cot_comm *comm, const float *u, float *du, float *squares, void *work)
{
    static compiled c;

    (void)work;
    begin(&c, comm);
    return call(&c, &(made){ c.kernel ? NULL : heat_program(c.ctx, c.grid), HEAT_TYPES },
                (void *const[]){ IN(u), du, squares });
}

int
price(const struct cot_comm *comm, const float *market, const uint64_t *key, float *dmarket,
      float *price, void *work)
{
    static compiled c;

    (void)work;
    begin(&c, comm);
    return call(&c, &(made){ c.kernel ? NULL : price_program(c.ctx), PRICE_TYPES },
                (void *const[]){ IN(market), IN(key), dmarket, price });
}
