/* Spread arrays on several processes, judged by the bytes of one:
 *
 *   spread arrays         scatter, gather, calls with spread arguments and results, npy files
 *                         in parts, and what is refused; 1 to 16 processes
 *   spread heat           a heat equation with halos and its gradient, by each back end
 *   spread bytes          what a halo, a sum, an extreme and slices of sums send
 *   spread checkpoint     written by one number of processes, read by another; damaged files,
 *                         full disks
 *   spread ended [TIMES]  a process is killed while all write a checkpoint, so many times
 *
 * Each process writes what it has to memory that it shares with the one that judges. */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/processes/heat.h"

enum { MAX_PROCESSES = 16, RESULTS = 1 << 17 };

static int failures, checks;
static int started; /* processes of the last start */
static char folder[] = "/tmp/cot_spread_XXXXXX";

/* What a process has to say. */
typedef struct report {
    size_t bytes, sent;
    int status;
    char text[300];
    unsigned char at[RESULTS];
} report;
static report *reports; /* [MAX_PROCESSES], shared */

static void
fail(const char *what, int64_t n, int processes, const char *text)
{
    failures++;
    printf("%s, %d, %d processes: %s\n", what, (int)n, processes, text);
}

static void
expect(bool good, const char *what, int64_t n, int processes, const char *text)
{
    checks++;
    if (!good)
        fail(what, n, processes, text);
}

static void *
shared_memory(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        exit(2);
    return p;
}

static const char *
file_name(const char *name)
{
    static char path[2][200];
    static int k;

    k = !k;
    snprintf(path[k], sizeof path[k], "%s/%s", folder, name);
    return path[k];
}

/* Adds an array to what a process has to say. */
static void
tell(report *r, const cot_array *a)
{
    const size_t n = cot_array_bytes(a);

    if (r->bytes + n > RESULTS)
        exit(2);
    if (n)
        memcpy(r->at + r->bytes, cot_array_read(a), n);
    r->bytes += n;
}

/* ---- the work of a process ---- */

typedef struct work {
    const char *what, *backend;
    int64_t blocks;
    int threads;
    int (*run)(cot_context *ctx, const struct work *w, report *r);
    int victim, microseconds;
} work;

/* A communicator that counts what is sent. */
typedef struct counter {
    const cot_comm *of;
    size_t sent;
} counter;

static int
count_exchange(void *user, int partner, const void *send, size_t send_bytes, void *receive,
               size_t receive_bytes)
{
    counter *c = user;

    c->sent += send_bytes;
    return c->of->exchange(c->of->user, partner, send, send_bytes, receive, receive_bytes);
}

static void
count_abort(void *user)
{
    const counter *c = user;

    c->of->abort(c->of->user);
}

static const char *
count_error(void *user)
{
    const counter *c = user;

    return c->of->error(c->of->user);
}

static int
run_process(const cot_comm *comm, void *user)
{
    const work *w = user;
    report *r = &reports[comm->rank];
    counter c = { comm, 0 };
    const cot_comm counted = { &c,   comm->rank,  comm->size, count_exchange,
                               NULL, count_abort, count_error };
    cot_context *ctx = cot_context_new(&(cot_options){ .comm = &counted,
                                                       .threads = w->threads ? w->threads : 1,
                                                       .cache_dir = "off",
                                                       .verify = 1 });

    r->bytes = r->sent = 0;
    r->status = w->run(ctx, w, r);
    snprintf(r->text, sizeof r->text, "%s", r->status ? cot_error(ctx) : "");
    r->sent = c.sent;
    cot_context_free(ctx);
    return r->status != 0;
}

/* Runs the work on so many processes. */
static int
start(const work *w, int processes)
{
    memset(reports, 0, sizeof *reports * MAX_PROCESSES);
    started = processes;
    return cot_shm_run(processes, run_process, (void *)(uintptr_t)w, .timeout = 30);
}

/* All processes say what one says. */
static void
compare(const work *w, const report *one, int processes)
{
    const int status = start(w, processes);

    for (int k = 0; k < processes; k++)
        expect(status == 0 && reports[k].bytes == one->bytes && one->bytes > 0 &&
                   memcmp(reports[k].at, one->at, one->bytes) == 0,
               w->what, w->blocks, processes,
               reports[k].text[0] ? reports[k].text : "other bytes");
}

static void
compare_all(work *w, const int *processes, int n)
{
    static report one;

    start(w, 1);
    one = reports[0];
    expect(one.status == 0 && one.bytes > 0, w->what, w->blocks, 1, one.text);
    for (int k = 0; k < n; k++)
        compare(w, &one, processes[k]);
}

/* ---- arrays ---- */

/* Rows as cot_spread_rows says, which are consecutive and all. */
static bool
is_shared_out(const cot_array *a)
{
    const cot_rows r = cot_array_rows(a);

    return cot_array_is_spread(a) && cot_array_type(a).dims[0] == r.count &&
           cot_array_bytes(a) == (size_t)r.count * HEAT_ROWS * HEAT_COLUMNS * sizeof(float);
}

/* A file and back, and through process `root`. */
static cot_status
carry(cot_context *ctx, int root, const char *path, cot_array *a, report *r)
{
    cot_array *whole = NULL, *read = NULL, *all = NULL;

    COT_TRY(cot_npy_write(ctx, path, a));
    COT_TRY(cot_npy_read_spread(ctx, path, &read));
    COT_TRY(cot_array_gather(ctx, root, read, &whole));
    memset(cot_array_data(read), 0, cot_array_bytes(read));
    COT_TRY(cot_array_scatter(ctx, root, whole, read));
    COT_TRY(cot_array_gather(ctx, COT_ALL_PROCESSES, read, &all));
    tell(r, all);
    COT_TRY(cot_array_scatter(ctx, COT_ALL_PROCESSES, all, a));
    cot_array_free(whole), cot_array_free(read), cot_array_free(all);
    return COT_OK;
}

/* A step whose arguments and result are spread or not, in each way. */
static int
run_arrays(cot_context *ctx, const work *w, report *r)
{
    heat h;
    cot_array *all = NULL;

    heat_make(ctx, &h);
    for (int kinds = 0; kinds < 8; kinds++) {
        cot_array *u = heat_field(ctx, w->blocks, 0, kinds & 1),
                  *k = heat_field(ctx, w->blocks, 1, kinds & 2),
                  *y = kinds & 4 ? cot_array_spread(ctx, heat_type(w->blocks)) : NULL;
        if ((kinds & 1) && !is_shared_out(u))
            return COT_ERR_INTERNAL;
        COT_TRY(cot_jit(h.step, &y, 1, (const cot_array *[]){ u, k }, 2));
        if (kinds & 4)
            COT_TRY(cot_array_gather(ctx, COT_ALL_PROCESSES, y, &all));
        tell(r, kinds & 4 ? all : y);
        if (kinds == 5)
            COT_TRY(carry(ctx, 0, file_name("carried.npy"), y, r));
        if (kinds & 4)
            cot_array_free(all);
        cot_array_free(u), cot_array_free(k), cot_array_free(y);
    }
    /* One process holds all rows of what is spread. */
    return cot_cache_of(h.step).misses == (started > 1 ? 8 : 1) ? COT_OK : COT_ERR_INTERNAL;
}

/* What is refused says so, on each process, and is no end of others. */
static int
run_refused(cot_context *ctx, const work *w, report *r)
{
    heat h;
    cot_array *u = heat_field(ctx, w->blocks, 0, true),
              *whole = heat_field(ctx, w->blocks, 0, false), *y = NULL;
    cot_kernel *kernel;
    int wrong = 0;

    (void)r;
    heat_make(ctx, &h);
    const cot_types types = COT_TYPES(heat_type(w->blocks), heat_type(w->blocks));
    COT_TRY(cot_compile(h.step, types,
                        &(cot_compile_options){ .spread = COT_LIST(0, 1),
                                                .spread_results = COT_LIST(0),
                                                .backend = "eval" },
                        &kernel));
    cot_array *results[] = { cot_array_spread(ctx, heat_type(w->blocks)) };
    const cot_array *good[] = { u, u }, *bad[] = { u, whole };
    COT_TRY(cot_run(kernel, results, good));
    wrong += cot_run(kernel, results, bad) != COT_ERR_ARG ||
             !strstr(cot_error(ctx), "argument 1 is whole; wants rows of f32[9,3,6] that is "
                                     "spread over processes");
    cot_error_clear(ctx);
    cot_kernel_free(kernel);
    COT_TRY(cot_compile(h.step, types, &(cot_compile_options){ .backend = "eval" }, &kernel));
    wrong += cot_run(kernel, &whole, good) != COT_ERR_ARG ||
             !strstr(cot_error(ctx), "argument 0 is spread, with 3 rows of 9; wants a whole");
    cot_error_clear(ctx);
    cot_kernel_free(kernel);
    wrong += cot_compile(h.step, types, &(cot_compile_options){ .spread = COT_LIST(2) },
                         &kernel) != COT_ERR_ARG;
    cot_error_clear(ctx);
    wrong += cot_array_spread(ctx, cot_f32()) != NULL;
    cot_error_clear(ctx);
    wrong += cot_array_gather(ctx, 5, u, &y) != COT_ERR_ARG || y;
    cot_error_clear(ctx);
    wrong += cot_array_gather(ctx, 0, whole, &y) != COT_ERR_ARG || y;
    cot_error_clear(ctx);
    wrong += cot_npy_read_spread(ctx, file_name("none.npy"), &y) != COT_ERR_IO ||
             !strstr(cot_error(ctx), "none.npy");
    cot_error_clear(ctx);
    wrong += cot_save(ctx, file_name("state.npz"),
                      &(cot_state){ .n = 1, .at = (cot_named[]){ { "u", u } } }) != COT_ERR_ARG;
    cot_error_clear(ctx);
    cot_array_free(u), cot_array_free(whole), cot_array_free(results[0]);
    return wrong ? COT_ERR_INTERNAL : COT_OK;
}

static const int to_16[] = { 2, 3, 4, 5, 7, 8, 16 };

static void
arrays(void)
{
    static const int64_t blocks[] = { 1, 3, 9, 150 };
    work w = { .what = "arrays", .run = run_arrays };

    for (int k = 0; k < 4; k++) {
        w.blocks = blocks[k];
        compare_all(&w, to_16, 7);
    }
    w = (work){ .what = "refused", .run = run_refused, .blocks = 9 };
    expect(start(&w, 3) == 0, w.what, 9, 3, reports[0].text);
    for (int p = 1; p < 40; p++)
        for (int64_t all = 0; all < 40000; all = all * 3 / 2 + 1) {
            int64_t next = 0;
            for (int rank = 0; rank < p; rank++) {
                const cot_rows rows = cot_spread_rows(all, p, rank);
                expect(rows.first == next && rows.all == all && rows.count >= 0, "rows", all, p,
                       "rows are not consecutive");
                next += rows.count;
            }
            expect(next == all, "rows", all, p, "some rows are of nobody");
        }
}

/* ---- heat ---- */

/* Steps one after the other, of spread arrays, and the gradient through some of them, of whole
 * and of spread ones. */
static int
run_heat(cot_context *ctx, const work *w, report *r)
{
    heat h;
    cot_kernel *step, *gradient, *loop;
    const cot_type t = heat_type(w->blocks);
    cot_array *u = heat_field(ctx, w->blocks, 0, true), *k = heat_field(ctx, w->blocks, 1, true),
              *z = heat_field(ctx, w->blocks, 2, true),
              *next = cot_array_spread(ctx, t), *d[3] = { cot_array_spread(ctx, t),
                                                          cot_array_spread(ctx, t),
                                                          cot_array_new(ctx, cot_f32()) };

    heat_make(ctx, &h);
    COT_TRY(cot_compile(h.step, COT_TYPES(t, t),
                        &(cot_compile_options){ .backend = w->backend,
                                                .spread = COT_LIST(0, 1),
                                                .spread_results = COT_LIST(0) },
                        &step));
    COT_TRY(cot_compile(h.gradient, COT_TYPES(t, t, t),
                        &(cot_compile_options){ .backend = w->backend,
                                                .spread = COT_LIST(0, 1, 2),
                                                .spread_results = COT_LIST(0, 1) },
                        &gradient));
    COT_TRY(cot_compile(h.loop_gradient, COT_TYPES(t, t, t),
                        &(cot_compile_options){ .backend = w->backend,
                                                .spread = COT_LIST(0, 1, 2) },
                        &loop));
    cot_array *whole[3] = { cot_array_new(ctx, t), cot_array_new(ctx, t), d[2] };
    COT_TRY(cot_run(loop, whole, (const cot_array *[]){ u, k, z }));
    for (int i = 0; i < 3; i++)
        tell(r, whole[i]);
    cot_array_free(whole[0]), cot_array_free(whole[1]);
    COT_TRY(cot_run(gradient, d, (const cot_array *[]){ u, k, z }));
    for (int i = 0; i < 5; i++) {
        COT_TRY(cot_run(step, &next, (const cot_array *[]){ u, k }));
        cot_array *before = u;
        u = next;
        next = before;
    }
    cot_array *of[] = { u, d[0], d[1] };
    for (int i = 0; i < 3; i++) {
        cot_array *all = NULL;
        COT_TRY(cot_array_gather(ctx, COT_ALL_PROCESSES, of[i], &all));
        tell(r, all);
        cot_array_free(all), cot_array_free(of[i]);
    }
    tell(r, d[2]);
    cot_array_free(d[2]), cot_array_free(k), cot_array_free(z), cot_array_free(next);
    cot_kernel_free(step), cot_kernel_free(gradient), cot_kernel_free(loop);
    return COT_OK;
}

static void
heat_equation(void)
{
    static const int processes[] = { 1, 2, 3, 4, 7 };
    static const char *const backends[] = { "eval", "jit", "c" };
    static report one;

    for (int64_t blocks = 1; blocks < 50; blocks = blocks * 4 + 3) {
        work w = { .what = "heat", .backend = "eval", .blocks = blocks, .run = run_heat };
        start(&w, 1);
        one = reports[0];
        for (int b = 0; b < 3; b++)
            for (int threads = 1; threads <= 2; threads++)
                for (int p = 0; p < 5; p++) {
                    w.backend = backends[b];
                    w.threads = threads;
                    if (b < 2 || (blocks == 7 && threads == 1 + p % 2))
                        compare(&w, &one, processes[p]);
                }
    }
}

/* ---- bytes ---- */

enum { WIDE = 96 };

/* An extreme, a sum, and slices of a sum, of a value of each group. */
static void
meet(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const char *what = user;

    (void)t;
    out[0] = strcmp(what, "extreme") == 0 ? cot_pmax(in[0], "i")
             : strcmp(what, "sum") == 0   ? cot_psum(in[0], "i")
                                          : cot_psum_scatter(in[1], "i");
}

static int
run_bytes(cot_context *ctx, const work *w, report *r)
{
    heat h;
    const bool parted = strcmp(w->what, "slices") == 0;
    cot_array *u = heat_field(ctx, w->blocks, 0, true), *k = heat_field(ctx, w->blocks, 1, true),
              *x = cot_array_spread(ctx, cot_f32(w->blocks, WIDE)),
              *z = cot_array_spread(ctx, cot_f32(w->blocks, w->blocks)), *y = NULL;
    cot_fn *f = cot_vmap(
        cot_fn_new(ctx, "meet", meet, 2, 1, (void *)(uintptr_t)w->what), .axis = "i",
        .over = "world", .out_dims = parted ? COT_LIST(0) : COT_LIST(COT_NONE));

    heat_make(ctx, &h);
    if (strcmp(w->what, "gradient") == 0 || strcmp(w->what, "loop") == 0) {
        cot_array *d[] = { cot_array_spread(ctx, heat_type(w->blocks)),
                           cot_array_spread(ctx, heat_type(w->blocks)), NULL };
        COT_TRY(cot_jit(w->what[0] == 'g' ? h.gradient : h.loop_gradient, d, 3,
                        (const cot_array *[]){ u, k, k }, 3));
        cot_array_free(d[0]), cot_array_free(d[1]);
        y = d[2];
    } else if (strcmp(w->what, "halo") == 0) {
        y = cot_array_spread(ctx, heat_type(w->blocks));
        COT_TRY(cot_jit(h.step, &y, 1, (const cot_array *[]){ u, k }, 2));
    } else {
        y = parted ? cot_array_spread(ctx, cot_f32(w->blocks)) : NULL;
        COT_TRY(cot_jit(f, &y, 1, (const cot_array *[]){ x, z }, 2));
    }
    tell(r, y);
    cot_array_free(u), cot_array_free(k), cot_array_free(x), cot_array_free(z);
    cot_array_free(y);
    return COT_OK;
}

/* What process `rank` sends, beside 8 bytes to each other one. */
static size_t
wanted_bytes(const work *w, int processes, int rank)
{
    const size_t others = (size_t)(processes - 1),
                 own = (size_t)cot_spread_rows(w->blocks, processes, rank).count;
    const size_t halo =
        (size_t)((rank > 0) + (rank < processes - 1)) * HEAT_COLUMNS * sizeof(float);
    const size_t sums = strcmp(w->what, "gradient") == 0 ? 1
                        : strcmp(w->what, "loop") == 0   ? HEAT_STEPS + 1
                                                         : 0;
    size_t bytes = 0;

    if (strcmp(w->what, "halo") == 0)
        return halo;
    /* A halo for each step, forward and back, and sums of one element, which the last process
     * adds. */
    if (sums)
        return 2 * HEAT_STEPS * halo +
               sums * sizeof(float) * (rank == processes - 1 ? others : own);
    /* One row to the segments of others, and the own segment to all. */
    if (strcmp(w->what, "extreme") == 0)
        return (WIDE - WIDE / (size_t)processes) * sizeof(float) +
               others * (WIDE / (size_t)processes) * sizeof(float);
    /* Up to 32 groups no two neighbours have one sum: each own row for those of others. */
    for (int p = 0; p < processes; p++) {
        const size_t theirs = strcmp(w->what, "sum") == 0
                                  ? WIDE / (size_t)processes
                                  : (size_t)cot_spread_rows(w->blocks, processes, p).count;
        bytes += p == rank ? 0 : own * theirs * sizeof(float);
    }
    return bytes + (strcmp(w->what, "sum") == 0
                        ? others * (WIDE / (size_t)processes) * sizeof(float)
                        : 0);
}

static void
bytes(void)
{
    static const char *const whats[] = { "halo", "gradient", "loop", "extreme", "sum", "slices" };
    static const int of[] = { 2, 3, 4, 8 };
    char text[100];

    for (int k = 0; k < 6; k++)
        for (int i = 0; i < 4; i++) {
            const work w = { .what = whats[k], .blocks = 16, .run = run_bytes };
            expect(start(&w, of[i]) == 0, w.what, 16, of[i], reports[0].text);
            for (int rank = 0; rank < of[i]; rank++) {
                const size_t want =
                    wanted_bytes(&w, of[i], rank) + 8 * (size_t)(of[i] - 1);
                snprintf(text, sizeof text, "process %d sends %zu bytes, wanted %zu", rank,
                         reports[rank].sent, want);
                expect(reports[rank].sent == want, w.what, 16, of[i], text);
            }
        }
}

/* ---- checkpoints ---- */

/* Arrays of several types, whole and spread, of values that depend on `version`. */
enum { N_ARRAYS = 5 };

static const char *const array_names[N_ARRAYS] = { "u", "step", "empty", "flags", "w\303\244rme" };

static void
make_state(cot_context *ctx, int version, cot_named *at)
{
    const cot_type types[N_ARRAYS] = { cot_f32(50, 3), cot_i64(), cot_f64(0, 4), cot_bool(7),
                                       cot_u16(13) };

    for (int i = 0; i < N_ARRAYS; i++) {
        cot_array *a =
            i % 2 == 0 ? cot_array_spread(ctx, types[i]) : cot_array_new(ctx, types[i]);
        const cot_rows rows = cot_array_rows(a);
        const size_t n = cot_array_bytes(a),
                     row = rows.count ? n / (size_t)rows.count : 0;
        unsigned char *x = cot_array_data(a);
        for (size_t k = 0; k < n; k++)
            x[k] = (unsigned char)(((size_t)rows.first * row + k) * 7 + (size_t)(version * 13 + i));
        for (size_t k = 0; k < n && i == 3; k++)
            x[k] &= 1;
        at[i] = (cot_named){ array_names[i], a };
    }
}

/* What a file holds is all of one version: which one, or below 0. */
static int
version_of(cot_context *ctx, const cot_state *s, int versions)
{
    for (int v = 0; v < versions && s->n == N_ARRAYS; v++) {
        cot_named at[N_ARRAYS];
        bool same = true;
        make_state(ctx, v, at);
        for (int i = 0; i < N_ARRAYS; i++) {
            const cot_named *got = &s->at[i];
            same &= strcmp(got->name, at[i].name) == 0 &&
                    cot_array_is_spread(got->array) == cot_array_is_spread(at[i].array) &&
                    cot_array_bytes(got->array) == cot_array_bytes(at[i].array) &&
                    memcmp(cot_array_read(got->array), cot_array_read(at[i].array),
                           cot_array_bytes(at[i].array)) == 0;
            cot_array_free(at[i].array);
        }
        if (same)
            return v;
    }
    return -1;
}

static cot_status
write_version(cot_context *ctx, const char *path, int version)
{
    cot_named at[N_ARRAYS];

    make_state(ctx, version, at);
    const cot_status status =
        cot_checkpoint_write(ctx, path, &(cot_state){ .n = N_ARRAYS, .at = at });
    for (int i = 0; i < N_ARRAYS; i++)
        cot_array_free(at[i].array);
    return status;
}

static int
run_write(cot_context *ctx, const work *w, report *r)
{
    (void)r;
    return write_version(ctx, file_name("state"), (int)w->blocks);
}

static int
run_read(cot_context *ctx, const work *w, report *r)
{
    cot_state s;

    (void)r;
    COT_TRY(cot_checkpoint_read(ctx, file_name("state"), &s));
    const int version = version_of(ctx, &s, (int)w->blocks + 1);
    cot_state_free(&s);
    return version == w->blocks ? COT_OK : COT_ERR_INTERNAL;
}

/* Every process answers the status with a text that has the words. */
static void
all_say(const work *w, int processes, int status, const char *words, const char *more)
{
    start(w, processes);
    for (int k = 0; k < processes; k++)
        expect(reports[k].status == status && strstr(reports[k].text, words) &&
                   strstr(reports[k].text, more),
               w->what, w->blocks, processes, reports[k].text);
}

static size_t
file_size(const char *path)
{
    struct stat s;

    return stat(path, &s) == 0 ? (size_t)s.st_size : 0;
}

/* Changes a byte of the file, or its length. */
static void
damage(const char *path, size_t at, long long length)
{
    const int file = open(path, O_RDWR);
    unsigned char x = 0;

    if (file < 0 || pread(file, &x, 1, (off_t)at) != 1)
        exit(2);
    x ^= 0x10;
    if (length < 0 ? pwrite(file, &x, 1, (off_t)at) != 1 : ftruncate(file, (off_t)length) != 0)
        exit(2);
    close(file);
}

/* Each byte of the header, and some of the data. */
static void
damaged(int processes)
{
    const char *path = file_name("state");
    work w = { .what = "write", .run = run_write, .blocks = 1 },
         read = { .what = "damaged", .run = run_read, .blocks = 1 };

    expect(start(&w, 2) == 0, w.what, 1, 2, reports[0].text);
    const size_t size = file_size(path);
    for (size_t at = 0; at < size; at += at < 600 ? 7 : 31) {
        damage(path, at, -1);
        start(&read, processes);
        /* What lies between two arrays is of no use. */
        const bool found = reports[0].status != 0;
        for (int k = 0; k < processes; k++)
            expect(reports[k].status == (found ? COT_ERR_PARSE : 0) &&
                       (!found || strstr(reports[k].text, path)),
                   "damaged", (int64_t)at, processes, reports[k].text);
        expect(found || at > 400, "damaged", (int64_t)at, processes, "nobody has seen it");
        damage(path, at, -1);
    }
    all_say(&read, processes, 0, "", "");
    damage(path, 0, (long long)size - 1);
    all_say(&read, processes, COT_ERR_PARSE, path, "it has not the length that it says");
    damage(path, 0, 10);
    all_say(&read, processes, COT_ERR_PARSE, path, "it is no checkpoint");
    unlink(path);
    all_say(&read, processes, COT_ERR_IO, path, "No such file");
}

/* The file of one process has no more room: the others say who, and the old file stays. */
static int
run_full(cot_context *ctx, const work *w, report *r)
{
    if (r == &reports[w->victim]) {
        signal(SIGXFSZ, SIG_IGN);
        if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 700, 700 }))
            return COT_ERR_INTERNAL;
    }
    const int status = write_version(ctx, file_name("state"), (int)w->blocks);
    return status;
}

static void
full(int victim)
{
    work w = { .what = "write", .run = run_write, .blocks = 2 },
         read = { .what = "read", .run = run_read, .blocks = 2 };
    char who[40];

    expect(start(&w, 4) == 0, w.what, 2, 4, reports[0].text);
    w = (work){ .what = "full", .run = run_full, .blocks = 3, .victim = victim };
    start(&w, 4);
    snprintf(who, sizeof who, "process %d: ", victim);
    for (int k = 0; k < 4; k++)
        expect(reports[k].status == COT_ERR_IO && strstr(reports[k].text, file_name("state")) &&
                   strstr(reports[k].text, "File too large") &&
                   (k == victim || strstr(reports[k].text, who)),
               "full", victim, 4, reports[k].text);
    expect(start(&read, 3) == 0, "full: read", 2, 3, reports[0].text);
}

static int
run_other(cot_context *ctx, const work *w, report *r)
{
    cot_named at[N_ARRAYS];

    make_state(ctx, 0, at);
    at[1].name = r == &reports[1] ? "other" : at[1].name;
    if (w->blocks)
        at[1].name = at[0].name;
    return cot_checkpoint_write(ctx, file_name("state"),
                                &(cot_state){ .n = N_ARRAYS, .at = at });
}

static void
checkpoint(void)
{
    static const int of[] = { 1, 2, 3, 4, 5, 7, 8, 16 };

    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 8; k++) {
            const work w = { .what = "write", .run = run_write, .blocks = i },
                       read = { .what = "read", .run = run_read, .blocks = i };
            if (k == 0)
                expect(start(&w, of[i]) == 0, w.what, i, of[i], reports[0].text);
            expect(start(&read, of[k]) == 0, read.what, of[i], of[k], reports[0].text);
        }
    damaged(1);
    damaged(3);
    for (int victim = 0; victim < 4; victim++)
        full(victim);
    const work other = { .what = "other", .run = run_other },
               twice = { .what = "twice", .run = run_other, .blocks = 1 };
    all_say(&other, 3, COT_ERR_FOREIGN, "calls with other types, names or bytes", "state");
    all_say(&twice, 3, COT_ERR_ARG, "state", "has the name of another");
}

/* ---- ended ---- */

static void
on_alarm(int signal)
{
    (void)signal;
    raise(SIGKILL);
}

/* Versions one after the other, until a process is killed. */
static int
run_until(cot_context *ctx, const work *w, report *r)
{
    int status = 0;

    if (r == &reports[w->victim]) {
        timer_t timer;
        struct sigaction action = { .sa_handler = on_alarm };
        sigaction(SIGALRM, &action, NULL);
        if (timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0)
            timer_settime(
                timer, 0,
                &(struct itimerspec){ .it_value = { .tv_nsec = 1000L * w->microseconds } },
                NULL);
    }
    for (int k = 0; status == 0; k++) {
        status = write_version(ctx, file_name("state"), k % 4);
        r->sent = (size_t)k;
    }
    return status;
}

static int
run_read_any(cot_context *ctx, const work *w, report *r)
{
    cot_state s;

    (void)w, (void)r;
    COT_TRY(cot_checkpoint_read(ctx, file_name("state"), &s));
    const int version = version_of(ctx, &s, 4);
    cot_state_free(&s);
    return version >= 0 ? COT_OK : COT_ERR_INTERNAL;
}

/* Whatever the moment, the file is whole, and the next write goes through. */
static void
ended(int times)
{
    uint32_t seed = 1;
    work w = { .what = "write", .run = run_write };
    const work read = { .what = "ended", .run = run_read_any };

    expect(start(&w, 2) == 0, w.what, 0, 2, reports[0].text);
    for (int i = 0; i < times; i++) {
        seed = seed * 1664525 + 1013904223;
        w = (work){ .what = "ended", .run = run_until, .victim = i % 3,
                    .microseconds = 500 + (int)(seed >> 16) % 20000 };
        expect(start(&w, 3) != 0, w.what, i, 3, "nothing was killed");
        for (int k = 0; k < 3; k++)
            expect(k == w.victim || (reports[k].status == COT_ERR_FOREIGN &&
                                     strstr(reports[k].text, "was ended by signal 9")),
                   "ended", i, 3, reports[k].text);
        expect(start(&read, 1 + i % 4) == 0, "ended: read", i, 1 + i % 4, reports[0].text);
    }
}

int
main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    reports = shared_memory(sizeof *reports * MAX_PROCESSES);
    if (!mkdtemp(folder))
        return 2;
    if (strcmp(what, "arrays") == 0)
        arrays();
    else if (strcmp(what, "heat") == 0)
        heat_equation();
    else if (strcmp(what, "bytes") == 0)
        bytes();
    else if (strcmp(what, "checkpoint") == 0)
        checkpoint();
    else if (strcmp(what, "ended") == 0)
        ended(argc > 2 ? atoi(argv[2]) : 200);
    else
        return 2;
    char remove[100];
    snprintf(remove, sizeof remove, "rm -rf %s", folder);
    if (system(remove) != 0)
        failures++;
    printf("%s: %d checks, %d failures\n", what, checks, failures);
    return failures > 0;
}
