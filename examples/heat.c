/* A 2-D heat equation with halos on several processes, and its gradient, with the bits of one.
 *
 * The grid is BLOCKS blocks of rows.  cot_vmap maps a step of one block over the axis of all,
 * which is spread over processes; cot_ppermute takes the row on each side from the neighbour,
 * and only the rows at the limits of what a process has are sent.  The temperatures are a
 * spread array: a process has its blocks and no others.  Then the sum of squares after a while
 * is differentiated with respect to the start, through a scan, in reverse.  docs/processes.md
 * says how.  ./heat takes other numbers of processes; with MPI it does not start them itself:
 *
 *   mpicc -DHEAT_MPI heat.c $(pkg-config --cflags --libs cotrace) -o heat
 *   mpirun -n 4 ./heat */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef HEAT_MPI
#include <mpi.h>
#endif

#include "cotrace/cotrace.h"
#include "cotrace/mpi.h"

enum { STEPS = 500, HEAT_STEPS = 50 };

#include "heat_step.h"

/* A warm corner, and rows of sources. */
static cot_array *
start(cot_context *ctx)
{
    cot_array *a = cot_array_spread(ctx, cot_f32(BLOCKS, LINES, COLUMNS));
    const cot_rows rows = cot_array_rows(a);
    float *x = cot_array_data(a);

    for (int64_t i = 0; i < rows.count * LINES; i++)
        for (int64_t k = 0; k < COLUMNS; k++) {
            const int64_t row = rows.first * LINES + i;
            x[i * COLUMNS + k] = row + k < 40 ? 4 : (float)(row % 8 == 0 && k % 5 == 0);
        }
    return a;
}

/* FNV-1a of all rows, on process 0: G. Fowler, L. C. Noll, K.-P. Vo, 1991. */
static cot_status
hash(cot_context *ctx, const cot_array *spread, uint32_t *h)
{
    cot_array *a = NULL;

    COT_TRY(cot_array_gather(ctx, 0, spread, &a));
    const unsigned char *byte = cot_array_read(a);
    *h = 2166136261u;
    for (size_t i = 0; i < cot_array_bytes(a); i++)
        *h = (*h ^ byte[i]) * 16777619u;
    cot_array_free(a);
    return COT_OK;
}

static cot_status
simulate(cot_context *ctx, const cot_comm *comm)
{
    cot_fn *over[2] = {
        cot_vmap(cot_fn_new(ctx, "step", step, 1, 1, NULL), .axis = "block", .over = "world"),
        cot_vmap(cot_fn_new(ctx, "squares", squares, 1, 1, NULL), .axis = "block",
                 .over = "world", .out_dims = COT_LIST(COT_NONE))
    };
    cot_fn *df = cot_grad_and_value(cot_fn_new(ctx, "loss", warmth, 1, 1, over));
    cot_array *u = start(ctx), *next = start(ctx), *d[2] = { start(ctx), NULL };
    uint32_t field, gradient;

    COT_TRY(cot_jit(df, d, 2, (const cot_array *[]){ u }, 1));
    for (int i = 0; i < STEPS; i++) {
        COT_TRY(cot_jit(over[0], &next, 1, (const cot_array *[]){ u }, 1));
        cot_array *before = u;
        u = next;
        next = before;
    }
    COT_TRY(hash(ctx, u, &field));
    COT_TRY(hash(ctx, d[0], &gradient));
    if (comm->rank == 0)
        printf("%d processes: temperatures %08x, loss %.4f, its gradient %08x\n", comm->size,
               (unsigned)field, (double)*(const float *)cot_array_read(d[1]),
               (unsigned)gradient);
    cot_array_free(u), cot_array_free(next), cot_array_free(d[0]), cot_array_free(d[1]);
    return COT_OK;
}

/* What each process runs. */
static int
run(const cot_comm *comm, void *user)
{
    cot_context *ctx = cot_context_new(&(cot_options){ .comm = comm });
    const cot_status status = simulate(ctx, comm);

    (void)user;
    if (status != COT_OK)
        fprintf(stderr, "process %d: %s\n", comm->rank, cot_error(ctx));
    cot_context_free(ctx);
    return status != COT_OK;
}

int
main(int argc, char **argv)
{
#ifdef HEAT_MPI
    static cot_mpi world;

    MPI_Init(&argc, &argv);
    if (cot_mpi_open(&world, MPI_COMM_WORLD, 60))
        return 1;
    const int status = run(&world.comm, NULL);
    cot_mpi_close(&world);
    MPI_Finalize();
    return status;
#else
    static const int processes[] = { 1, 2, 3, 4, 7 };
    const int n = argc > 1 ? argc - 1 : 5;

    for (int i = 0; i < n; i++)
        if (cot_shm_run(argc > 1 ? atoi(argv[i + 1]) : processes[i], run, NULL) != 0)
            return 1;
    return 0;
#endif
}
