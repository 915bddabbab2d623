/* Every back end and vector width against the twin, bit for bit, over the programs of the laws:
 * `backends FIRST STEP` takes programs FIRST, FIRST + STEP, ...; `backends N` is program N
 * alone.
 *
 * Each program runs on a sample inside its domain and on one with NaN, infinities, zeros,
 * subnormals and extreme integers in it. */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/check.h"
#include "tests/laws/programs.h"

static int failures;

static void
report(const laws_program *p, const char *why)
{
    failures++;
    printf("backends: program %d: %s\n%s", p->number, why, p->text);
    fflush(stdout);
}

typedef void fill(uint64_t *seed, const ir_type *t, const char *name, double lo, double hi,
                  void *array);

static void
check(const laws_program *p, fill *sample)
{
    const ir_graph *f = p->f;
    uint64_t seed = 4000 + (uint64_t)p->number;
    const ir_type **type = IR_NEW_N(&f->ctx->arena, const ir_type *, f->n_in + 1);
    rt_verdict v;

    for (int i = 0; i < f->n_in; i++)
        type[i] = ir_type_at(f, f->in[i]);
    void **in = laws_arrays(f->n_in, type);
    for (int i = 0; i < f->n_in; i++)
        sample(&seed, type[i], f->in_name[i], p->lo, p->hi, in[i]);
    if (rt_check_backends(f, in, &v) != COT_OK) {
        report(p, cot_error(f->ctx));
        cot_error_clear(f->ctx);
    } else if (!v.good) {
        report(p, v.why.text);
    }
    laws_free(f->n_in, in);
}

int
main(int argc, char **argv)
{
    int first = argc > 1 ? atoi(argv[1]) : 0, step = argc > 2 ? atoi(argv[2]) : laws_count(), n = 0;

    for (int i = first; i < laws_count(); i += step, n++) {
        cot_context *ctx = cot_context_new(NULL);
        laws_program p;

        IR_TRY(ctx) {
            if (laws_make(ctx, i, &p)) {
                check(&p, laws_fill);
                check(&p, laws_fill_special);
            } else {
                report(&p, cot_error(ctx));
            }
        }
        cot_context_free(ctx);
    }
    printf("backends: %d programs, %d failures\n", n, failures);
    return failures > 0;
}
