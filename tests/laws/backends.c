/* Every back end and vector width against the reference evaluator, bit for bit, over the
 * programs of the laws: `backends FIRST STEP` takes programs FIRST, FIRST + STEP, ...;
 * `backends N` is program N alone.
 *
 * Each program runs on a sample inside its domain and on one with NaN, infinities, zeros,
 * subnormals and extreme integers in it. */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/check.h"
#include "tests/laws/programs.h"

static int programs;

static void
check(const laws_program *p, laws_filler *fill)
{
    const ir_graph *f = p->f;
    uint64_t seed = 4000 + (uint64_t)p->number;
    void **in = laws_sample(f, &seed, p->lo, p->hi, fill);
    rt_verdict v;

    if (rt_check_backends(f, in, &v) != COT_OK) {
        laws_fail(p, "backends", cot_error(f->ctx));
        cot_error_clear(f->ctx);
    } else if (!v.good) {
        laws_fail(p, "backends", v.why.text);
    }
    laws_free(f->n_in, in);
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
    printf("backends: %d programs, %d failures\n", programs, laws_failures);
    return laws_failures > 0;
}
