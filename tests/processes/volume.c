/* What a psum of G groups sends over MPI, counted by counted_mpi.c, between each two processes:
 *
 *   mpirun -n P ./volume
 *
 * The least that an all-reduce takes as a reduce-scatter and an all-gather is 2 (P - 1) / P
 * times the bytes of the result for each process.  Where P is a power of two and G at most 512,
 * a process sends and receives these, of f32 up to 1.1 times with all that comes beside them;
 * else it sends its nodes of the sum, whose number owners.c judges.  Nothing is gathered on one
 * process: none receives more than the parts of its own segment and the segments of the others,
 * and no message is longer than these.
 *
 * Beside the sum there are 16 bytes to each process at the start of a call, and one byte each
 * way before an exchange with a message of more than COT_MPI_SHORT_ bytes; long sums go in
 * blocks.  So the bytes and messages from each process to each are known exactly.  All is run
 * once more by a communicator that begins no message before it waits for it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cotrace/cotrace.h"
#include "cotrace/half.h"
#include "cotrace/mpi.h"
#include "runtime/support/owner.h"
#include "runtime/support/world_sum.h"
#include "tests/processes/counted_mpi.h"

enum { BLOCK = 1 << 16 }; /* elements of the longest segment of a block of a long sum */
enum { COMPARISON = 16, SHOWN = 20 };

typedef struct volume {
    cot_dtype dtype;
    int64_t groups, n; /* elements of the result */
    bool starts; /* messages are begun before they are waited for */
} volume;

static int failures, checks;

static void
expect(bool good, const volume *v, int processes, int rank, const char *what, double got,
       double want)
{
    checks++;
    if (good)
        return;
    if (failures++ >= SHOWN)
        return;
    printf("%d groups of %d %s, %d processes, %s: process %d %s %.10g, wanted %.10g\n",
           (int)v->groups, (int)v->n, cot_dtype_name(v->dtype), processes,
           v->starts ? "begun" : "exchanged", rank, what, got, want);
}

/* ---- what is wanted ---- */

/* One node of the tree for each process. */
static bool
is_least(const volume *v, int processes)
{
    return (processes & (processes - 1)) == 0 && v->groups >= processes;
}

static int64_t
parts_of(const volume *v, int processes, int rank)
{
    const cot_rt_owned own = cot_rt_owned_by(COT_RT_OWN_LEAVES, v->groups, processes, rank);

    return is_least(v, processes) ? 1 : cot_rt_owned_parts(v->groups, &own);
}

/* Elements of a result and bytes of one; parts of sums of f16 and bf16 are f32. */
static int64_t
result_size(const volume *v)
{
    return v->dtype == COT_F32 ? 4 : 2;
}

static int64_t
segment(int64_t n, int processes, int rank)
{
    return n * (rank + 1) / processes - n * rank / processes;
}

/* Two processes send all that they know of a short sum, in one message. */
static bool
is_direct(const volume *v, int processes)
{
    return processes == 2 && v->n * 4 <= COT_RT_SUM_FEW && parts_of(v, 2, 0) == 1 &&
           parts_of(v, 2, 1) == 1;
}

/* One way of an exchange. */
static void
add_exchange(counted *c, int64_t sends, int64_t receives)
{
    if (sends > COT_MPI_SHORT_ || receives > COT_MPI_SHORT_)
        counted_add(c, 1);
    if (sends)
        counted_add(c, sends);
}

/* Bytes of the sum alone, and all that goes from one process to another in a call. */
static int64_t
wanted(const volume *v, int processes, int from, int to, counted *all)
{
    const int64_t parts = parts_of(v, processes, from), their = parts_of(v, processes, to),
                  block = (int64_t)BLOCK * processes, size = result_size(v);
    int64_t bytes = 0;

    *all = (counted){ 0 };
    counted_add(all, COMPARISON);
    if (is_direct(v, processes)) {
        add_exchange(all, v->n * 4, v->n * 4);
        return v->n * 4;
    }
    for (int64_t at = 0; at < v->n; at += block) {
        const int64_t n = v->n - at < block ? v->n - at : block,
                      own = segment(n, processes, from), other = segment(n, processes, to);
        add_exchange(all, parts * other * 4, their * own * 4);
        add_exchange(all, own * size, other * size);
        bytes += parts * other * 4 + own * size;
    }
    return bytes;
}

/* ---- a call ---- */

/* Each element of the result is x times the sum of the numbers of the groups: exact. */
static void
group(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const volume *v = user;

    out[0] = cot_psum(cot_mul(in[0], cot_convert(cot_axis_index(t, "g"), v->dtype)), "g");
}

static int
factor(const volume *v, int64_t i)
{
    return (int)(i % (v->dtype == COT_F32 ? 7 : 2));
}

static void
store(const volume *v, cot_array *a)
{
    for (int64_t i = 0; i < v->n; i++)
        if (v->dtype == COT_F32)
            ((float *)cot_array_data(a))[i] = (float)factor(v, i);
        else
            ((uint16_t *)cot_array_data(a))[i] = v->dtype == COT_F16
                                                     ? cot_f32_to_f16((float)factor(v, i))
                                                     : cot_f32_to_bf16((float)factor(v, i));
}

static bool
is_right(const volume *v, const cot_array *a)
{
    const void *y = cot_array_read(a);

    for (int64_t i = 0; i < v->n; i++) {
        const uint16_t bits = v->dtype == COT_F32 ? 0 : ((const uint16_t *)y)[i];
        const float got = v->dtype == COT_F32   ? ((const float *)y)[i]
                          : v->dtype == COT_F16 ? cot_f16_to_f32(bits)
                                                : cot_bf16_to_f32(bits);
        if (got != (float)(v->groups * (v->groups - 1) / 2 * factor(v, i)))
            return false;
    }
    return true;
}

static cot_status
run(cot_context *ctx, volume *v, bool *right)
{
    const cot_type type = cot_type_new(v->dtype, 1, (const int64_t[]){ v->n });
    cot_array *x = cot_array_new(ctx, type), *y = NULL;
    cot_fn *f = cot_vmap(cot_fn_new(ctx, "group", group, 1, 1, v), .axis = "g", .over = "world",
                         .size = v->groups, .in_dims = COT_ALL(COT_NONE),
                         .out_dims = COT_ALL(COT_NONE));

    store(v, x);
    counted_clear();
    COT_TRY(cot_jit(f, &y, 1, (const cot_array *[]){ x }, 1));
    *right = is_right(v, y);
    cot_array_free(x), cot_array_free(y);
    return COT_OK;
}

/* ---- judged by process 0, of the counts of all ---- */

typedef struct counts {
    counted sent[COUNTED_PROCESSES], received[COUNTED_PROCESSES];
} counts;

/* What each two processes exchange is what is wanted of them. */
static void
judge_pairs(const volume *v, int processes, const counts *of)
{
    for (int i = 0; i < processes; i++)
        for (int k = 0; k < processes; k++) {
            counted want = { 0 };
            const counted *s = &of[i].sent[k], *r = &of[k].received[i];
            if (i != k)
                wanted(v, processes, i, k, &want);
            expect(s->bytes == want.bytes, v, processes, i, "sends bytes", (double)s->bytes,
                   (double)want.bytes);
            expect(s->messages == want.messages, v, processes, i, "sends messages",
                   (double)s->messages, (double)want.messages);
            expect(s->longest <= want.longest, v, processes, i, "sends a message of",
                   (double)s->longest, (double)want.longest);
            expect(memcmp(r, s, sizeof *r) == 0, v, processes, k, "receives", (double)r->bytes,
                   (double)s->bytes);
        }
}

/* Bytes of the parts that process `rank` adds, and of the segments of the others. */
static double
share(const volume *v, int processes, int rank)
{
    int64_t parts = 0;

    for (int k = 0; k < processes; k++)
        parts += k == rank ? 0 : parts_of(v, processes, k);
    if (is_direct(v, processes))
        return (double)(4 * v->n);
    return (double)((parts * 4 - result_size(v)) * (v->n / processes + 1) +
                    v->n * result_size(v));
}

/* What comes beside a sum: 16 bytes to each process, and bytes of meetings, which are fewer
 * than a thousandth of what follows each. */
static double
beside(const volume *v, int processes)
{
    return COMPARISON * (processes - 1) + (double)v->n * 8 / 1000;
}

static void
judge(const volume *v, int processes, const counts *of)
{
    const double least = 2.0 * (double)(v->n * result_size(v)) * (processes - 1) / processes;
    double lowest = 1e30, highest = 0, total = 0;

    judge_pairs(v, processes, of);
    for (int i = 0; i < processes; i++) {
        double sent = 0, received = 0, sum = 0;
        for (int k = 0; k < processes; k++) {
            counted all;
            sent += (double)of[i].sent[k].bytes;
            received += (double)of[i].received[k].bytes;
            sum += i == k ? 0 : (double)wanted(v, processes, i, k, &all);
        }
        if (is_least(v, processes) && v->dtype == COT_F32 && v->n >= 20 * processes) {
            expect(sent <= 1.1 * least, v, processes, i, "sends", sent, 1.1 * least);
            expect(received <= 1.1 * least, v, processes, i, "receives", received, 1.1 * least);
        }
        const double most = share(v, processes, i) + beside(v, processes);
        expect(received <= most, v, processes, i, "gathers", received, most);
        lowest = sent < lowest ? sent : lowest;
        highest = sent > highest ? sent : highest;
        total += sum;
    }
    if (is_least(v, processes) && v->dtype == COT_F32)
        expect(total == least * processes, v, processes, 0, "and all others send", total,
               least * processes);
    if (processes == 3 && v->groups == 32 && v->dtype == COT_F32 && v->n > 100000)
        expect(lowest > 1.499 * least && highest < 2.501 * least, v, processes, 0,
               "and others send, by the least", lowest / least, 1.5);
    if (v->n > 100000 && v->starts)
        printf("%2d processes, %3d groups, %6d %-4s: %.2f to %.2f times the least\n", processes,
               (int)v->groups, (int)v->n, cot_dtype_name(v->dtype), lowest / least,
               highest / least);
}

/* Do all processes have the right result? */
static cot_status
run_and_judge(cot_context *ctx, volume *v, const cot_comm *comm)
{
    static counts own, all[COUNTED_PROCESSES];
    bool right = false;

    COT_TRY(run(ctx, v, &right));
    memcpy(own.sent, counted_sent, sizeof own.sent);
    memcpy(own.received, counted_received, sizeof own.received);
    PMPI_Gather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, 0, MPI_COMM_WORLD);
    const int wrong = !right;
    int wrongs = 0;
    PMPI_Reduce(&wrong, &wrongs, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (comm->rank)
        return COT_OK;
    expect(wrongs == 0, v, comm->size, 0, "and others have wrong sums", wrongs, 0);
    judge(v, comm->size, all);
    return COT_OK;
}

static cot_status
run_all(cot_context *ctx, const cot_comm *comm)
{
    const bool starts = comm->start != NULL;
    /* Lengths about the limits of the short form (2,560), of short messages, and of blocks. */
    static const int64_t groups[] = { 32, 64, 512, 16, 45 },
                         lengths[] = { 1, 3, 320, 2560, 2561, 8192, 8195, 100003 };

    for (int g = 0; g < 5; g++)
        for (int n = 0; n < 8; n++)
            COT_TRY(
                run_and_judge(ctx, &(volume){ COT_F32, groups[g], lengths[n], starts }, comm));
    COT_TRY(run_and_judge(ctx, &(volume){ COT_F32, 32, 300001, starts }, comm));
    for (int n = 0; n < 8; n += 7) {
        COT_TRY(run_and_judge(ctx, &(volume){ COT_F16, 32, lengths[n], starts }, comm));
        COT_TRY(run_and_judge(ctx, &(volume){ COT_BF16, 32, lengths[n], starts }, comm));
    }
    return COT_OK;
}

static cot_status
run_with(const cot_comm *comm)
{
    cot_context *ctx = cot_context_new(&(cot_options){ .comm = comm, .cache_dir = "off" });
    const cot_status status = run_all(ctx, comm);

    if (status != COT_OK)
        fprintf(stderr, "process %d: %s\n", comm->rank, cot_error(ctx));
    cot_context_free(ctx);
    return status;
}

int
main(int argc, char **argv)
{
    static cot_mpi mpi;

    MPI_Init(&argc, &argv);
    if (cot_mpi_open(&mpi, MPI_COMM_WORLD, 60) || mpi.comm.size > COUNTED_PROCESSES)
        return 2;
    cot_comm plain = mpi.comm;
    plain.start = NULL;
    plain.wait = NULL;
    cot_status status = run_with(&mpi.comm);
    if (status == COT_OK)
        status = run_with(&plain);
    if (mpi.comm.rank == 0)
        printf("%2d processes: %d checks, %d failures\n", mpi.comm.size, checks, failures);
    cot_mpi_close(&mpi);
    MPI_Finalize();
    return status != COT_OK || failures > 0;
}
