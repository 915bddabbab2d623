/* Every program of the laws over groups, on several processes:
 *
 *   law_processes BACKEND FIRST STEP     of programs FIRST, FIRST + STEP, ... of the laws
 *
 * Each program is mapped over GROUPS groups of a spread axis, over all arguments and over one
 * of them, and so is its vjp; the vjp of the map is taken as well.  Each process of three has
 * the bytes that one process has. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cotrace/cotrace.h"
#include "ir/context.h"
#include "passes/pass.h"
#include "runtime/compile.h"
#include "tests/laws/programs.h"

enum { GROUPS = 5, PROCESSES = 3, VARIANTS = 6, MAX_PROGRAMS = 8192, MAX_IN = 16 };

/* The results of a program: its status, and a hash of their bytes. */
typedef struct outcome {
    int status;
    uint64_t hash;
} outcome;

typedef struct sweep {
    const char *backend;
    int first, step;
    const cot_comm *comm;
    outcome *one, *own; /* [program][variant]: of one process; of this one */
} sweep;

static cot_status
map(const ir_graph *f, int only, ir_graph **out)
{
    const int64_t first = 0;
    int64_t in[MAX_IN];
    pass_vmap_options o = { .in = { f->n_in, in, false },
                            .out = { 1, &first, true },
                            .size = GROUPS,
                            .sized = true,
                            .over = "world" };

    for (int i = 0; i < f->n_in; i++)
        in[i] = only < 0 || i == only ? 0 : PASS_NO_AXIS;
    return pass_vmap(f, &o, out);
}

/* Variants: the map; the map of the vjp; the vjp of the map; each over all, or one argument. */
static cot_status
make(const laws_program *p, int variant, ir_graph **out)
{
    const int only = variant % 2 ? p->number % p->f->n_in : -1;
    ir_graph *g;

    if (variant / 2 == 0)
        return map(p->f, only, out);
    if (variant / 2 == 1) {
        COT_TRY(pass_vjp(p->f, NULL, 0, &g));
        return map(g, only, out);
    }
    COT_TRY(map(p->f, only, &g));
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

static int
run_graph(const sweep *s, const laws_program *p, const ir_graph *f, uint64_t *hash)
{
    uint64_t seed = 900 + (uint64_t)p->number;
    cot_kernel *k;

    COT_TRY(cot_compile_graph(f, &(cot_compile_options){ .backend = s->backend }, &k));
    void **in = laws_sample(f, &seed, p->lo, p->hi, laws_fill),
         **y = laws_values(f->n_out, f->out, f),
         **args = calloc((size_t)(f->n_in + f->n_out + 1), sizeof *args);
    rt_arguments(k, in, y, args);
    const int status = rt_call_kernel(k, args, NULL);
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
    for (int v = 0; v < VARIANTS; v++) {
        outcome *own = &s->own[p->number * VARIANTS + v];
        ir_graph *g;
        const bool tried = s->own == s->one || !s->one[p->number * VARIANTS + v].status;

        own->status = p->f->n_in == 0 || p->f->n_in > MAX_IN || !tried ? 1 : make(p, v, &g);
        if (own->status == COT_OK)
            own->status = run_graph(s, p, g, &own->hash);
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

static void
compare(const sweep *s, int *same, int *refused, int *failures)
{
    for (int i = s->first; i < laws_count(); i += s->step)
        for (int v = 0; v < VARIANTS; v++) {
            const int at = i * VARIANTS + v;
            if (s->one[at].status) {
                ++*refused;
                continue;
            }
            for (int rank = 0; rank < PROCESSES; rank++) {
                const outcome *got = &s->own[rank * MAX_PROGRAMS * VARIANTS + at];
                if (got->status == 0 && got->hash == s->one[at].hash)
                    ++*same;
                else if (++*failures)
                    printf("program %d, variant %d, process %d: status %d, other bytes\n", i, v,
                           rank, got->status);
            }
        }
}

int
main(int argc, char **argv)
{
    const size_t bytes = sizeof(outcome) * MAX_PROGRAMS * VARIANTS;
    outcome *memory = mmap(NULL, bytes * (PROCESSES + 1), PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int same = 0, refused = 0, failures = 0;

    if (argc != 4 || memory == MAP_FAILED || laws_count() > MAX_PROGRAMS)
        return 2;
    sweep s = { argv[1], atoi(argv[2]), atoi(argv[3]), NULL, memory, memory };
    failures += cot_shm_run(1, run_all, &s) != 0;
    s.own = memory + MAX_PROGRAMS * VARIANTS;
    failures += cot_shm_run(PROCESSES, run_all, &s) != 0;
    compare(&s, &same, &refused, &failures);
    printf("processes, %s: %d results as on one, %d that one process refuses, %d "
           "failures\n",
           s.backend, same, refused, failures);
    return failures > 0;
}
