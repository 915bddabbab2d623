/* A kernel gives the same bits in the evaluator, which is its first tier, in the code that
 * replaces it, and where it is compiled at once: programs FIRST, FIRST + STEP, ... of the laws.
 *
 *   law_tiers FIRST STEP */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/tier.h"
#include "tests/laws/programs.h"

static int n_tiered, n_at_once;

/* The results, each in an array; they are freed with laws_free. */
static void **
run(const laws_program *p, const cot_kernel *k)
{
    const ir_graph *f = p->f;
    void **args = IR_NEW_N(&f->ctx->arena, void *, f->n_in + f->n_out + 1);
    uint64_t seed = 77 + (uint64_t)p->number;
    void **in = laws_sample(f, &seed, p->lo, p->hi, laws_fill_special),
         **out = laws_values(f->n_out, f->out, f);

    rt_arguments(k, in, out, args);
    if (rt_call_kernel(k, args, NULL) != COT_OK)
        laws_fail(p, "tiers", cot_error(f->ctx));
    laws_free(f->n_in, in);
    return out;
}

static void
compare(const laws_program *p, void **got, void **want, const char *why)
{
    bool same = true;

    for (int i = 0; i < p->f->n_out; i++)
        same = same && laws_differ(ir_type_at(p->f, p->f->out[i]), got[i], want[i]) < 0;
    if (!same)
        laws_fail(p, "tiers", why);
    laws_free(p->f->n_out, got);
}

static bool
compiled(const laws_program *p, bool tiered, cot_kernel **k)
{
    p->f->ctx->config.tiered = tiered;
    return cot_compile_graph(p->f, &(cot_compile_options){ .backend = "jit" }, k) == COT_OK ||
           laws_fail(p, "tiers", cot_error(p->f->ctx));
}

static void
judge(const laws_program *p, const void *user)
{
    cot_kernel *k, *at_once;
    void **first, **second, **want;

    (void)user;
    if (!compiled(p, true, &k))
        return;
    if (!k->tier) {
        n_at_once++;
        cot_kernel_free(k);
        return;
    }
    n_tiered++;
    first = run(p, k);
    if (rt_tier_wait(k) != COT_OK || !atomic_load(&k->entry))
        laws_fail(p, "tiers", cot_error(p->f->ctx));
    second = run(p, k);
    cot_kernel_free(k);
    if (!compiled(p, false, &at_once))
        return;
    want = run(p, at_once);
    cot_kernel_free(at_once);
    compare(p, first, want, "the evaluator gives other bits than code");
    compare(p, second, want, "the second tier gives other bits");
    laws_free(p->f->n_out, want);
}

int
main(int argc, char **argv)
{
    const int first = argc == 3 ? atoi(argv[1]) : -1, step = argc == 3 ? atoi(argv[2]) : 0;

    if (first < 0 || step < 1)
        return fprintf(stderr, "law_tiers FIRST STEP\n"), 2;
    laws_each(first, step, laws_count(), false, judge, NULL);
    printf("%d programs began in the evaluator, %d were compiled at once\n", n_tiered,
           n_at_once);
    return laws_failures || n_tiered == 0;
}
