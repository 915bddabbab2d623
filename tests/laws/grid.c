/* Grid schedules: every program of the laws, scheduled for a GPU, run by the simulator, against
 * the twin, bit for bit.
 *
 *   grid FIRST STEP          programs FIRST, FIRST + STEP, ...
 *
 * A schedule that is wrong in any way that the simulator notices (races, barriers, bounds)
 * fails likewise. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/check.h"
#include "tests/grid.h"
#include "tests/laws/programs.h"

static int failures;

static void
report(const laws_program *p, const char *why)
{
    failures++;
    printf("grid: program %d: %s\n%s", p->number, why, p->text);
    fflush(stdout);
}

typedef void fill(uint64_t *seed, const ir_type *t, const char *name, double lo, double hi,
                  void *array);

static void
check(const laws_program *p, fill *sample)
{
    const ir_graph *f = p->f;
    uint64_t seed = 4000 + (uint64_t)p->number;
    const cot_compile_options twin = { .backend = "eval" };
    void **in = laws_values(f->n_in, f->in, f), **got = laws_values(f->n_out, f->out, f), **want;

    for (int i = 0; i < f->n_in; i++)
        sample(&seed, ir_type_at(f, f->in[i]), f->in_name[i], p->lo, p->hi, in[i]);
    if (rt_run_graph(f, &twin, in, &want) != COT_OK || grid_run(f, in, got) != COT_OK) {
        report(p, cot_error(f->ctx));
        cot_error_clear(f->ctx);
    } else {
        for (int i = 0; i < f->n_out; i++) {
            const int64_t at = laws_differ(ir_type_at(f, f->out[i]), want[i], got[i]);
            if (at >= 0) {
                report(p, ir_format(&f->ctx->arena, "result %d differs from the twin at %lld",
                                    i, (long long)at));
                break;
            }
        }
    }
    laws_free(f->n_in, in);
    laws_free(f->n_out, got);
}

static void
check_program(cot_context *ctx, int i)
{
    laws_program p;

    if (laws_make(ctx, i, &p)) {
        check(&p, laws_fill);
        check(&p, laws_fill_special);
    } else {
        report(&p, cot_error(ctx));
    }
}

int
main(int argc, char **argv)
{
    int first = argc > 1 ? atoi(argv[1]) : 0, step = argc > 2 ? atoi(argv[2]) : laws_count(), n = 0;

    for (int i = first; i < laws_count(); i += step, n++) {
        cot_context *ctx = cot_context_new(NULL);
        IR_TRY (ctx) {
            check_program(ctx, i);
        }
        cot_context_free(ctx);
    }
    printf("grid: %d programs, %d failures\n", n, failures);
    return failures > 0;
}
