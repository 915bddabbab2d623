/* Every program of the laws over groups, on several processes:
 *
 *   law_processes BACKEND FIRST STEP     of programs FIRST, FIRST + STEP, ... of the laws
 *   law_processes BACKEND FIRST STEP FILE
 *                                        the same, started by mpirun, with the communicator of
 *                                        a shared object: each process judges itself
 *
 * Each program is mapped over GROUPS groups of a spread axis, over all arguments and over one
 * of them, and so is its vjp; the vjp of the map is taken as well.  The program itself, and its
 * map, run with spread arguments and results, too.  Each process of three has the bytes that
 * one process has; and so has each of six, three rows of two, where groups are mapped within
 * groups. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cotrace/cotrace.h"
#include "ir/context.h"
#include "passes/pass.h"
#include "runtime/compile.h"
#include "runtime/support/world.h"
#include "tests/laws/programs.h"
#include "tests/processes/joined.h"

enum { GROUPS = 5, INNER = 3, PROCESSES = 3, GRID = 6, COLUMNS = 2 };
/* Variants from NESTED on have groups within groups. */
enum { NESTED = 8, VARIANTS = 12, MAX_PROGRAMS = 8192, MAX_IN = 16 };

/* The results of a program: its status, and a hash of their bytes. */
typedef struct outcome {
    int status;
    uint64_t hash;
} outcome;

typedef struct sweep {
    const char *backend;
    int first, step;
    int from, to; /* the variants */
    const cot_comm *comm;
    outcome *one, *own; /* [program][variant]: of one process; of this one */
} sweep;

static cot_status
map(const ir_graph *f, int64_t groups, int only, ir_graph **out)
{
    const int64_t first = 0;
    int64_t in[MAX_IN];
    pass_vmap_options o = { .in = { f->n_in, in, false },
                            .out = { 1, &first, true },
                            .size = groups,
                            .sized = true,
                            .over = "world" };

    for (int i = 0; i < f->n_in; i++)
        in[i] = only < 0 || i == only ? 0 : PASS_NO_AXIS;
    return pass_vmap(f, &o, out);
}

/* Variants: the map; the map of the vjp; the vjp of the map; each over all, or one argument;
 * the program and the map, whose arguments and results are spread; the map of a map, and the
 * vjp of that, of which the inner map, and in every second the outer one too, is over all. */
static bool
is_spread(int variant)
{
    return variant == 6 || variant == 7;
}

static cot_status
make_nest(const laws_program *p, int variant, int only, ir_graph **out)
{
    ir_graph *g;

    COT_TRY(map(p->f, INNER, -1, &g));
    if (variant < NESTED + 2)
        return map(g, GROUPS, only, out);
    COT_TRY(map(g, GROUPS, only, &g));
    return pass_vjp(g, NULL, 0, out);
}

static cot_status
make(const laws_program *p, int variant, ir_graph **out)
{
    const int only = variant % 2 ? p->number % p->f->n_in : -1;
    ir_graph *g;

    *out = (ir_graph *)p->f;
    if (variant >= NESTED)
        return make_nest(p, variant, only, out);
    if (is_spread(variant))
        return variant % 2 ? map(p->f, GROUPS, -1, out) : COT_OK;
    if (variant / 2 == 0)
        return map(p->f, GROUPS, only, out);
    if (variant / 2 == 1) {
        COT_TRY(pass_vjp(p->f, NULL, 0, &g));
        return map(g, GROUPS, only, out);
    }
    COT_TRY(map(p->f, GROUPS, only, &g));
    return pass_vjp(g, NULL, 0, out);
}

/* Real parts of NaN have any bits. */
static uint64_t
hash_values(const ir_graph *f, void *const *y)
{
    uint64_t h = 14695981039346656037u;

    for (int j = 0; j < f->n_out; j++) {
        const ir_type *t = ir_type_at(f, f->out[j]);
        const size_t size = laws_parts(t) ? laws_bytes(t) / (size_t)laws_parts(t) : 0;
        for (int64_t i = 0; i < laws_parts(t); i++) {
            const unsigned char *byte = (const unsigned char *)y[j] + (size_t)i * size;
            const double x = laws_load(t->dtype, y[j], i);
            for (size_t b = 0; b < size; b++)
                h = (h ^ (x == x ? byte[b] : 0xff)) * 1099511628211u;
        }
    }
    return h;
}

/* Which of some values are spread: those with an axis. */
static cot_list
with_axis(const ir_graph *f, int n, const ir_ref *v, int64_t *list)
{
    int k = 0;

    for (int i = 0; i < n; i++)
        if (ir_type_at(f, v[i])->rank > 0)
            list[k++] = i;
    return (cot_list){ .n = k, .at = list };
}

static size_t
row_bytes(const ir_type *t)
{
    return t->rank && t->dims[0] ? laws_bytes(t) / (size_t)t->dims[0] : 0;
}

/* The own rows of the arguments; whole results of those of all processes. */
static void
own_rows(const sweep *s, const ir_graph *f, void *const *in, void **own)
{
    for (int i = 0; i < f->n_in; i++) {
        const ir_type *t = ir_type_at(f, f->in[i]);
        const cot_rows rows =
            cot_spread_rows(t->rank ? t->dims[0] : 0, s->comm->size, s->comm->rank);
        own[i] = (char *)in[i] + (size_t)rows.first * row_bytes(t);
    }
}

static int
whole_results(const sweep *s, const ir_graph *f, void **y)
{
    for (int j = 0; j < f->n_out; j++) {
        const ir_type *t = ir_type_at(f, f->out[j]);
        void *whole = malloc(laws_bytes(t) + 1);
        if (t->rank == 0 || !whole) {
            free(whole);
            continue;
        }
        if (cot_rt_world_gather(s->comm, y[j], whole, NULL, COT_RT_OWN_RUNS, t->dims[0],
                                (int64_t)row_bytes(t)))
            return 1;
        if (laws_bytes(t))
            memcpy(y[j], whole, laws_bytes(t));
        free(whole);
    }
    return 0;
}

static int
run_graph(const sweep *s, const laws_program *p, const ir_graph *f, bool spread, uint64_t *hash)
{
    uint64_t seed = 900 + (uint64_t)p->number;
    int64_t in_list[MAX_IN], out_list[MAX_IN];
    cot_compile_options o = { .backend = s->backend };
    cot_kernel *k;

    spread &= s->comm && s->comm->size > 1;
    if (spread) {
        o.spread = with_axis(f, f->n_in, f->in, in_list);
        o.spread_results = with_axis(f, f->n_out, f->out, out_list);
    }
    COT_TRY(cot_compile_graph(f, &o, &k));
    void **in = laws_sample(f, &seed, p->lo, p->hi, laws_fill),
         **y = laws_values(f->n_out, f->out, f),
         **args = calloc((size_t)(f->n_in + f->n_out + 1), sizeof *args);
    rt_arguments(k, in, y, args);
    if (spread)
        own_rows(s, f, in, args);
    int status = rt_call_kernel(k, args, NULL);
    if (spread && status == 0)
        status = whole_results(s, f, y);
    *hash = status ? 0 : hash_values(f, y);
    free(args);
    laws_free(f->n_in, in);
    laws_free(f->n_out, y);
    cot_kernel_free(k);
    return status;
}

/* What fails on one process is not tried on several. */
static void
judge(const laws_program *p, const void *user)
{
    const sweep *s = user;
    cot_context *ctx = p->f->ctx;

    ctx->comm = s->comm;
    for (int v = s->from; v < s->to; v++) {
        const bool grid = v >= NESTED && s->comm && s->comm->size % COLUMNS == 0;
        ctx->columns = grid ? COLUMNS : 0;
        outcome *own = &s->own[p->number * VARIANTS + v];
        ir_graph *g;
        const bool tried = s->own == s->one || !s->one[p->number * VARIANTS + v].status;

        own->status = (is_spread(v) && (p->f->n_out > MAX_IN || p->f->n_inout)) ||
                              p->f->n_in == 0 || p->f->n_in > MAX_IN || !tried
                          ? 1
                          : make(p, v, &g);
        if (own->status == COT_OK)
            own->status = run_graph(s, p, g, is_spread(v), &own->hash);
        cot_error_clear(ctx);
    }
}

static int
run_all(const cot_comm *comm, void *user)
{
    sweep s = *(const sweep *)user;

    s.comm = comm;
    if (comm->size > 1)
        s.own += comm->rank * MAX_PROGRAMS * VARIANTS;
    laws_each(s.first, s.step, laws_count(), false, judge, &s);
    return laws_failures > 0;
}

/* What processes have computed, beside what one has. */
static int
compare(const sweep *s, int processes)
{
    int same = 0, refused = 0, failures = 0;

    for (int i = s->first; i < laws_count(); i += s->step)
        for (int v = s->from; v < s->to; v++) {
            const int at = i * VARIANTS + v;
            if (s->one[at].status) {
                refused++;
                continue;
            }
            for (int k = 0; k < processes; k++) {
                const outcome *got = &s->own[k * MAX_PROGRAMS * VARIANTS + at];
                if (got->status == 0 && got->hash == s->one[at].hash)
                    same++;
                else if (++failures)
                    printf("program %d, variant %d, process %d: status %d, other bytes\n", i, v,
                           k, got->status);
            }
        }
    printf("processes, %s: %d results as on one, %d that one process refuses, %d failures\n",
           s->backend, same, refused, failures);
    return failures > 0;
}

/* Of one process that something else has started. */
static int
judge_own(const cot_comm *comm, void *user)
{
    sweep s = *(sweep *)user;
    const sweep *const all = &s;

    s.to = VARIANTS;

    laws_each(s.first, s.step, laws_count(), false, judge, all);
    s.comm = comm;
    s.own += MAX_PROGRAMS * VARIANTS;
    laws_each(s.first, s.step, laws_count(), false, judge, all);
    return compare(all, 1) || laws_failures > 0;
}

/* Runs some variants on one process, and on several. */
static int
run(sweep *s, int from, int to, int processes)
{
    outcome *const memory = s->one;

    s->from = from;
    s->to = to;
    s->own = memory;
    int failed = cot_shm_run(1, run_all, s) != 0;
    s->own = memory + MAX_PROGRAMS * VARIANTS;
    failed |= cot_shm_run(processes, run_all, s) != 0;
    return compare(s, processes) || failed;
}

int
main(int argc, char **argv)
{
    const size_t bytes = sizeof(outcome) * MAX_PROGRAMS * VARIANTS;
    outcome *memory = mmap(NULL, bytes * (GRID + 1), PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (argc < 4 || argc > 5 || memory == MAP_FAILED || laws_count() > MAX_PROGRAMS)
        return 2;
    sweep s = { .backend = argv[1],
                .first = atoi(argv[2]),
                .step = atoi(argv[3]),
                .one = memory,
                .own = memory };
    if (argc == 5)
        return joined_run(argv[4], judge_own, &s);
    const int failed = run(&s, 0, NESTED, PROCESSES);
    return run(&s, NESTED, VARIANTS, GRID) || failed;
}
