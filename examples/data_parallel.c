/* Data-parallel training on several processes, with the bits of one.
 *
 * The batch is GROUPS microbatches.  cot_vmap maps the loss of one over an axis of them that is
 * spread over processes, and pmean takes the mean; the gradient of that is an ordinary one.
 * Each process runs the groups that it owns, and sums go between processes in the order in
 * which one process adds.  So the parameters after STEPS steps are the same to the last bit on
 * 1, 2, 3 and 8 processes, which the program shows by a hash of their bytes.  docs/processes.md
 * says how.  ./data_parallel takes other numbers of processes; with MPI:
 *
 *   mpicc -DDATA_MPI data_parallel.c $(pkg-config --cflags --libs cotrace) -o data_parallel
 *   mpirun -n 4 ./data_parallel */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef DATA_MPI
#include <mpi.h>
#endif

#include "cotrace/cotrace.h"
#include "cotrace/mpi.h"

enum { GROUPS = 48, ROWS = 8, D = 4, H = 16, PARAMS = 4, STEPS = 60 };
static const float RATE = 0.125f;

struct example {
    cot_value w1, b1, w2, b2, x, y;
};

/* The mean over all groups of the squared error of a group. */
static void
loss(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const struct example *e = COT_STRUCT(struct example, in);
    cot_value hidden = cot_tanh(cot_linear(e->x, e->w1, e->b1));

    (void)t, (void)user;
    out[0] = cot_pmean(cot_mse(cot_linear(hidden, e->w2, e->b2), e->y), "group");
}

/* The parameters after a step of gradient descent, and the loss before it. */
static void
step(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value g[PARAMS + 1];

    (void)t;
    cot_call_all(user, COT_VALUES(in[0], in[1], in[2], in[3], in[4], in[5]), g, PARAMS + 1);
    for (int i = 0; i < PARAMS; i++)
        out[i] = cot_sub(in[i], cot_mul((double)RATE, g[i]));
    out[PARAMS] = g[PARAMS];
}

/* Numbers between -1 and 1 that look like nothing in particular. */
static cot_array *
numbers(cot_context *ctx, cot_type type, int from)
{
    cot_array *a = cot_array_new(ctx, type);
    float *x = a ? cot_array_data(a) : NULL;

    for (size_t i = 0; a && i < cot_array_bytes(a) / sizeof *x; i++)
        x[i] = (float)((from + 37 * (int)i) % 65 - 32) / 32;
    return a;
}

/* FNV-1a: G. Fowler, L. C. Noll, K.-P. Vo, 1991. */
static uint32_t
hash(uint32_t h, const cot_array *a)
{
    const unsigned char *byte = cot_array_read(a);

    for (size_t i = 0; i < cot_array_bytes(a); i++)
        h = (h ^ byte[i]) * 16777619u;
    return h;
}

static cot_status
train(cot_context *ctx, const cot_comm *comm)
{
    cot_fn *over =
        cot_vmap(cot_fn_new(ctx, "loss", loss, 6, 1, NULL), .axis = "group", .over = "world",
                 .in_dims = COT_LIST(COT_NONE, COT_NONE, COT_NONE, COT_NONE, 0, 0),
                 .out_dims = COT_ALL(COT_NONE));
    cot_fn *f = cot_fn_new(ctx, "step", step, 6, PARAMS + 1,
                           cot_grad_and_value(over, .wrt = COT_LIST(0, 1, 2, 3)));
    cot_array *now[6] = { numbers(ctx, cot_f32(H, D), 1),
                          numbers(ctx, cot_f32(H), 2),
                          numbers(ctx, cot_f32(1, H), 3),
                          numbers(ctx, cot_f32(1), 4),
                          numbers(ctx, cot_f32(GROUPS, ROWS, D), 5),
                          numbers(ctx, cot_f32(GROUPS, ROWS, 1), 6) };
    cot_array *next[PARAMS + 1] = { NULL };
    uint32_t h = 2166136261u;

    for (int k = 0; k < STEPS; k++) {
        COT_TRY(cot_jit(f, next, PARAMS + 1, (const cot_array *const *)now, 6));
        for (int i = 0; i < PARAMS; i++) {
            cot_array *before = now[i];
            now[i] = next[i];
            next[i] = before;
        }
    }
    for (int i = 0; i < PARAMS; i++)
        h = hash(h, now[i]);
    if (comm->rank == 0)
        printf("%d processes: loss %.6f, parameters %08x\n", comm->size,
               (double)*(const float *)cot_array_read(next[PARAMS]), (unsigned)h);
    for (int i = 0; i < 6; i++)
        cot_array_free(now[i]);
    for (int i = 0; i <= PARAMS; i++)
        cot_array_free(next[i]);
    return COT_OK;
}

/* What each process runs. */
static int
run(const cot_comm *comm, void *user)
{
    cot_context *ctx = cot_context_new(&(cot_options){ .comm = comm });
    const cot_status status = train(ctx, comm);

    (void)user;
    if (status != COT_OK)
        fprintf(stderr, "process %d: %s\n", comm->rank, cot_error(ctx));
    cot_context_free(ctx);
    return status != COT_OK;
}

int
main(int argc, char **argv)
{
#ifdef DATA_MPI
    static cot_mpi world;

    MPI_Init(&argc, &argv);
    if (cot_mpi_open(&world, MPI_COMM_WORLD, 60))
        return 1;
    const int status = run(&world.comm, NULL);
    cot_mpi_close(&world);
    MPI_Finalize();
    return status;
#else
    static const int processes[] = { 1, 2, 3, 8 };
    const int n = argc > 1 ? argc - 1 : 4;

    for (int i = 0; i < n; i++)
        if (cot_shm_run(argc > 1 ? atoi(argv[i + 1]) : processes[i], run, NULL) != 0)
            return 1;
    return 0;
#endif
}
