/* Grid schedules: every program of the laws, scheduled for a GPU, run by the simulator, against
 * the reference evaluator, bit for bit.
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

static int programs;

static void
check(const laws_program *p, laws_filler *fill)
{
    const ir_graph *f = p->f;
    uint64_t seed = 4000 + (uint64_t)p->number;
    const cot_compile_options reference = { .backend = "eval" };
    void **in = laws_sample(f, &seed, p->lo, p->hi, fill);
    void **got = laws_values(f->n_out, f->out, f), **want;

    if (rt_run_graph(f, &reference, in, &want) != COT_OK || grid_run(f, in, got) != COT_OK) {
        laws_fail(p, "grid", cot_error(f->ctx));
        cot_error_clear(f->ctx);
    } else {
        for (int i = 0; i < f->n_out; i++) {
            const int64_t at = laws_differ(ir_type_at(f, f->out[i]), want[i], got[i]);
            if (at >= 0) {
                laws_fail(p, "grid",
                          ir_format(&f->ctx->arena,
                                    "result %d differs from the reference evaluator at %lld", i,
                                    (long long)at));
                break;
            }
        }
    }
    laws_free(f->n_in, in);
    laws_free(f->n_out, got);
}

static void
check_both(const laws_program *p, const void *user)
{
    (void)user;
    check(p, laws_fill);
    check(p, laws_fill_special);
    programs++;
}

int
main(int argc, char **argv)
{
    const int first = argc > 1 ? atoi(argv[1]) : 0;
    const int step = argc > 2 ? atoi(argv[2]) : laws_count();

    laws_each(first, step, laws_count(), false, check_both, NULL);
    printf("grid: %d programs, %d failures\n", programs, laws_failures);
    return laws_failures > 0;
}
