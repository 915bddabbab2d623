/* Spread arrays on several processes, judged by the bytes of one:
 *
 *   spread arrays   scatter, gather, calls with spread arguments and results, npy files in
 *                   parts, and what is refused; 1 to 16 processes
 *   spread heat     a heat equation with halos and its gradient, by each back end
 *   spread bytes    what a halo, a sum, an extreme, slices of sums and a gradient send */
#include <stdlib.h>
#include <string.h>

#include "tests/processes/heat.h"
#include "tests/processes/run.h"

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

static void
capturing(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    out[0] = cot_add(in[0], cot_capture(t, user, NULL));
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
    wrong += cot_jit(cot_fn_new(ctx, "capturing", capturing, 1, 1, u), &y, 1,
                     (const cot_array *[]){ whole }, 1) != COT_ERR_ARG ||
             !strstr(cot_error(ctx), "the array is spread over processes; wants a whole one");
    cot_error_clear(ctx);
    wrong += cot_save(ctx, file_name("state.npz"),
                      &(cot_state){ .n = 1, .at = (cot_named[]){ { "u", u } } }) != COT_ERR_ARG;
    cot_error_clear(ctx);
    cot_array_free(u), cot_array_free(whole), cot_array_free(results[0]);
    return wrong ? COT_ERR_INTERNAL : COT_OK;
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
    cot_array *u = heat_field(ctx, w->blocks, 0, true),
              *k = heat_field(ctx, w->blocks, 1, true),
              *z = heat_field(ctx, w->blocks, 2, true), *next = cot_array_spread(ctx, t),
              *d[3] = { cot_array_spread(ctx, t), cot_array_spread(ctx, t),
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
    COT_TRY(cot_compile(
        h.loop_gradient, COT_TYPES(t, t, t),
        &(cot_compile_options){ .backend = w->backend, .spread = COT_LIST(0, 1, 2) }, &loop));
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
                    w.begins = (p + threads) % 2;
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
    cot_array *u = heat_field(ctx, w->blocks, 0, true),
              *k = heat_field(ctx, w->blocks, 1, true),
              *x = cot_array_spread(ctx, cot_f32(w->blocks, WIDE)),
              *z = cot_array_spread(ctx, cot_f32(w->blocks, w->blocks)), *y = NULL;
    cot_fn *f =
        cot_vmap(cot_fn_new(ctx, "meet", meet, 2, 1, (void *)(uintptr_t)w->what), .axis = "i",
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

/* What process `rank` sends, beside 16 bytes to each other one. */
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
    static const char *const whats[] = {
        "halo", "gradient", "loop", "extreme", "sum", "slices"
    };
    static const int of[] = { 2, 3, 4, 8 };
    char text[100];

    for (int k = 0; k < 6; k++)
        for (int i = 0; i < 4; i++) {
            const work w = { .what = whats[k], .blocks = 16, .run = run_bytes };
            expect(start(&w, of[i]) == 0, w.what, 16, of[i], reports[0].text);
            for (int rank = 0; rank < of[i]; rank++) {
                const size_t want = wanted_bytes(&w, of[i], rank) + 16 * (size_t)(of[i] - 1);
                snprintf(text, sizeof text, "process %d sends %zu bytes, wanted %zu", rank,
                         reports[rank].sent, want);
                expect(reports[rank].sent == want, w.what, 16, of[i], text);
            }
        }
}

int
main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    begin_tests();
    if (strcmp(what, "arrays") == 0)
        arrays();
    else if (strcmp(what, "heat") == 0)
        heat_equation();
    else if (strcmp(what, "bytes") == 0)
        bytes();
    else
        return 2;
    return end_tests(what);
}
