/* A program on the processes of MPI, by the public headers alone:
 *
 *   mpirun -n P ./mpi            prints a hash of all results, that of each process
 *   mpirun -n P ./mpi other      process 1 runs another program
 *   mpirun -n P ./mpi ends       process 1 is killed within a call
 *   mpirun -n P ./mpi leaves     process 1 does not answer
 *
 *   mpirun -n P ./mpi heat FILE  a heat equation with halos: what each process sends, a
 *                        checkpoint in FILE and back, and the same two hashes
 *   mpirun -n P ./mpi reads FILE  the hash of the checkpoint
 *
 * tests/processes/mpi.sh compares the hashes for several P. */
#define _DEFAULT_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cotrace/mpi.h"
#include "tests/processes/heat.h"

/* LONG elements of f32 are more than a piece of a message. */
enum { GROUPS = 45, D = 6, LONG = 50000, RESULTS = 9 };

/* Every collective of a group's x, and the loss of weights w. */
static void
group(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const cot_value w = in[0], x = in[1], y = cot_tanh(cot_mul(w, x));
    const cot_value all = cot_all_gather(cot_reduce_sum(y), "g");

    (void)user;
    out[0] = cot_pmean(cot_reduce_sum(cot_mul(y, cot_sub(y, cot_psum(y, "g")))), "g");
    out[1] = cot_psum(cot_sin(y), "g");
    out[2] = cot_pmax(y, "g");
    out[3] = cot_pmin(y, "g");
    out[4] = cot_mul(all, cot_convert(cot_axis_index(t, "g"), COT_F32));
    out[5] = cot_psum_scatter(cot_cos(all), "g");
    out[6] = cot_ppermute(y, "g", COT_LIST(0, 1, 1, 44, 44, 7));
}

static void
sum(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_psum(cot_mul(in[0], in[0]), "g");
}

/* The loss alone: of it there is a gradient. */
static void
loss(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value all[7];

    group(t, in, all, user);
    out[0] = cot_add(all[0], cot_reduce_sum(cot_mul(all[1], all[2])));
}

static cot_array *
numbers(cot_context *ctx, cot_type type)
{
    cot_array *a = cot_array_new(ctx, type);
    float *x = cot_array_data(a);

    for (size_t i = 0; i < cot_array_bytes(a) / sizeof *x; i++)
        x[i] = (float)((int)(i * 37 % 101) - 50) / 31;
    return a;
}

static uint32_t
hash(uint32_t h, const cot_array *a)
{
    const unsigned char *byte = cot_array_read(a);

    for (size_t i = 0; i < cot_array_bytes(a); i++)
        h = (h ^ byte[i]) * 16777619u;
    return h;
}

#define SPREAD(...) .axis = "g", .over = "world", .out_dims = COT_LIST(__VA_ARGS__)

static cot_status
run(cot_context *ctx, uint32_t *h)
{
    cot_array *w = numbers(ctx, cot_f32(D)), *x = numbers(ctx, cot_f32(GROUPS, D)),
              *z = numbers(ctx, cot_f32(GROUPS, LONG)), *y[RESULTS] = { NULL };
    const cot_array *in[] = { w, x }, *in_long[] = { z };
    cot_fn *f =
        cot_vmap(cot_fn_new(ctx, "group", group, 2, 7, NULL), .in_dims = COT_LIST(COT_NONE, 0),
                 SPREAD(COT_NONE, COT_NONE, COT_NONE, COT_NONE, 0, 0, 0));
    cot_fn *l = cot_vmap(cot_fn_new(ctx, "loss", loss, 2, 1, NULL),
                         .in_dims = COT_LIST(COT_NONE, 0), SPREAD(COT_NONE));
    cot_fn *s = cot_vmap(cot_fn_new(ctx, "sum", sum, 1, 1, NULL), SPREAD(COT_NONE));

    COT_TRY(cot_jit(f, y, 7, in, 2));
    COT_TRY(cot_jit(cot_grad(l), y + 7, 1, in, 2));
    COT_TRY(cot_jit(s, y + 8, 1, in_long, 1));
    *h = 2166136261u;
    for (int i = 0; i < RESULTS; i++)
        *h = hash(*h, y[i]);
    for (int i = 0; i < RESULTS; i++)
        cot_array_free(y[i]);
    cot_array_free(w), cot_array_free(x), cot_array_free(z);
    return COT_OK;
}

/* Of process 1; "": none. */
static const char *fault;
static cot_comm inner;

static void
fault_at_a_call(void)
{
    static int calls;

    if (calls++ == 3 && strcmp(fault, "ends") == 0)
        raise(SIGKILL);
    if (calls == 3 && strcmp(fault, "leaves") == 0)
        sleep(30);
}

static int
faulty_exchange(void *user, int partner, const void *send, size_t send_bytes, void *receive,
                size_t receive_bytes)
{
    fault_at_a_call();
    return inner.exchange(user, partner, send, send_bytes, receive, receive_bytes);
}

static int64_t
faulty_start(void *user, int partner, const void *send, size_t send_bytes, void *receive,
             size_t receive_bytes)
{
    fault_at_a_call();
    return inner.start(user, partner, send, send_bytes, receive, receive_bytes);
}

/* Bytes that this process sends. */
static size_t sent;

static int
counted_exchange(void *user, int partner, const void *send, size_t send_bytes, void *receive,
                 size_t receive_bytes)
{
    sent += send_bytes;
    return inner.exchange(user, partner, send, send_bytes, receive, receive_bytes);
}

static int64_t
counted_start(void *user, int partner, const void *send, size_t send_bytes, void *receive,
              size_t receive_bytes)
{
    sent += send_bytes;
    return inner.start(user, partner, send, send_bytes, receive, receive_bytes);
}

static cot_status
hash_rows(cot_context *ctx, const cot_array *a, uint32_t *h)
{
    cot_array *all = NULL;

    COT_TRY(cot_array_gather(ctx, COT_ALL_PROCESSES, a, &all));
    *h = hash(*h, all);
    cot_array_free(all);
    return COT_OK;
}

/* The temperatures in a file. */
static cot_status
run_reads(cot_context *ctx, const char *path, uint32_t *h)
{
    cot_state s;

    *h = 2166136261u;
    COT_TRY(cot_checkpoint_read(ctx, path, &s));
    COT_TRY(hash_rows(ctx, s.at[0].array, h));
    cot_state_free(&s);
    return COT_OK;
}

/* Steps, each of which sends a row to each neighbour and 16 bytes to each process; then the
 * gradient. */
static cot_status
run_heat(cot_context *ctx, const cot_comm *comm, const char *path, uint32_t *h)
{
    enum { BLOCKS = 11, STEPS = 6 };
    heat f;
    const size_t others = (size_t)comm->size - 1,
                 ends = (size_t)((comm->rank > 0) + (comm->rank < comm->size - 1)),
                 want = STEPS * (16 * others + ends * HEAT_COLUMNS * sizeof(float));
    cot_array *u = heat_field(ctx, BLOCKS, 0, true), *k = heat_field(ctx, BLOCKS, 1, true),
              *next = cot_array_spread(ctx, heat_type(BLOCKS)),
              *d[3] = { heat_field(ctx, BLOCKS, 0, true), heat_field(ctx, BLOCKS, 0, true),
                        NULL };
    uint32_t in_file;

    heat_make(ctx, &f);
    for (int i = 0; i < STEPS; i++) {
        COT_TRY(cot_jit(f.step, &next, 1, (const cot_array *[]){ u, k }, 2));
        cot_array *before = u;
        u = next;
        next = before;
    }
    if (sent != want)
        printf("process %d sends %zu bytes, wanted %zu\n", comm->rank, sent, want);
    COT_TRY(cot_jit(f.loop_gradient, d, 3, (const cot_array *[]){ u, k, next }, 3));
    COT_TRY(cot_checkpoint_write(ctx, path,
                                 &(cot_state){ .n = 1, .at = (cot_named[]){ { "u", u } } }));
    COT_TRY(run_reads(ctx, path, &in_file));
    *h = 2166136261u;
    COT_TRY(hash_rows(ctx, u, h));
    if (in_file != *h)
        printf("process %d reads other bytes than it wrote\n", comm->rank);
    COT_TRY(hash_rows(ctx, d[0], h));
    COT_TRY(hash_rows(ctx, d[1], h));
    *h = hash(*h, d[2]);
    cot_array_free(u), cot_array_free(k), cot_array_free(next);
    cot_array_free(d[0]), cot_array_free(d[1]), cot_array_free(d[2]);
    return COT_OK;
}

static cot_status
run_other(cot_context *ctx)
{
    cot_array *x = numbers(ctx, cot_f32(GROUPS, D)), *y = NULL;
    const cot_array *in[] = { x };
    const cot_status status = cot_jit(
        cot_vmap(cot_fn_new(ctx, "sum", sum, 1, 1, NULL), SPREAD(COT_NONE)), &y, 1, in, 1);

    cot_array_free(x), cot_array_free(y);
    return status;
}

int
main(int argc, char **argv)
{
    static cot_mpi mpi;
    uint32_t h = 0, least, most;

    MPI_Init(&argc, &argv);
    fault = argc > 1 ? argv[1] : "";
    if (cot_mpi_open(&mpi, MPI_COMM_WORLD, 5))
        return 2;
    inner = mpi.comm;
    const char *path = argc > 2 ? argv[2] : NULL;
    const int one = *fault && !path && mpi.comm.rank == 1;
    if (one || path) {
        mpi.comm.exchange = path ? counted_exchange : faulty_exchange;
        mpi.comm.start = path ? counted_start : faulty_start;
    }
    cot_context *ctx = cot_context_new(&(cot_options){ .comm = &mpi.comm, .cache_dir = "off" });
    const cot_status status = path && strcmp(fault, "heat") == 0
                                  ? run_heat(ctx, &mpi.comm, path, &h)
                              : path                               ? run_reads(ctx, path, &h)
                              : one && strcmp(fault, "other") == 0 ? run_other(ctx)
                                                                   : run(ctx, &h);
    if (status != COT_OK) {
        fprintf(stderr, "process %d: %s\n", mpi.comm.rank, cot_error(ctx));
        fflush(stderr);
    }
    cot_context_free(ctx);
    if (status == COT_OK && mpi.comm.barrier(mpi.comm.user) == 0) {
        MPI_Allreduce(&h, &least, 1, MPI_UINT32_T, MPI_MIN, MPI_COMM_WORLD);
        MPI_Allreduce(&h, &most, 1, MPI_UINT32_T, MPI_MAX, MPI_COMM_WORLD);
        if (mpi.comm.rank == 0)
            printf("%08x %08x\n", (unsigned)least, (unsigned)most);
    }
    cot_mpi_close(&mpi);
    MPI_Finalize();
    return status != COT_OK;
}
