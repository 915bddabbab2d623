/* Reports of calls that take long (cot_options.progress): the stages in their order, steps that
 * grow, one end; and cancellation from inside a report. */
#include "cotrace/cotrace.h"
#include "tests/unit/suite.h"

enum { SUMS = 40 };

/* Kernels that differ, more than one LLVM module has: sums keep them apart. */
static void
many_kernels(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = in[0];
    for (int i = 0; i < SUMS; i++) {
        cot_value x = cot_exp(cot_sin(cot_mul(out[0], 1.5 + i)));
        for (int k = 0; k < i % 7; k++)
            x = cot_tanh(cot_add(x, in[0]));
        out[0] = cot_add(out[0], cot_mean(x));
    }
}

typedef struct heard {
    cot_context *ctx;
    cot_progress last;
    char stages[4096]; /* each followed by a blank, where another one began */
    int reports, ends;
    const char *cancel_in;
} heard;

static void
hear(void *user, const cot_progress *at)
{
    heard *h = user;

    ck_assert_int_eq(h->ends, 0);
    if (!at->stage) {
        h->ends++;
        return;
    }
    const bool same = h->last.stage && strcmp(h->last.stage, at->stage) == 0;
    ck_assert_msg(at->total == 0 || at->done <= at->total, "%s: %llu of %llu", at->stage,
                  (unsigned long long)at->done, (unsigned long long)at->total);
    ck_assert_msg(!same || at->total != h->last.total || at->done >= h->last.done,
                  "%s: %llu after %llu", at->stage, (unsigned long long)at->done,
                  (unsigned long long)h->last.done);
    ck_assert(at->seconds >= h->last.seconds);
    if (!same)
        snprintf(h->stages + strlen(h->stages), sizeof h->stages - strlen(h->stages), "%s ",
                 at->stage);
    h->reports++;
    h->last = *at;
    h->last.function = NULL;
    if (h->cancel_in && strcmp(h->cancel_in, at->stage) == 0)
        cot_cancel(h->ctx);
}

static cot_context *
new_context(heard *h, bool isolate)
{
    *h = (heard){ 0 };
    h->ctx = cot_context_new(&(cot_options){ .progress = hear,
                                             .progress_user = h,
                                             .progress_after = 1e-9,
                                             .isolate = isolate,
                                             .cache_dir = "off" });
    ck_assert_ptr_nonnull(h->ctx);
    return h->ctx;
}

static cot_status
compile(heard *h, cot_kernel **k)
{
    return cot_compile(cot_fn_new(h->ctx, "f", many_kernels, 1, 1, NULL),
                       COT_TYPES(cot_f32(100)), NULL, k);
}

static void
stages_in_order(const heard *h, const char *const *want, int n)
{
    const char *at = h->stages;

    for (int i = 0; i < n; i++) {
        at = strstr(at, want[i]);
        ck_assert_msg(at != NULL, "'%s' is not in its place among: %s", want[i], h->stages);
        at += strlen(want[i]);
    }
}

START_TEST(stages_of_a_compilation)
{
    static const char *const want[] = { "trace ",    "inline ", "simplify ",
                                        "contract ", "lower ",  "compile " };
    heard h;
    cot_kernel *k = NULL;

    new_context(&h, _i);
    ck_assert_msg(compile(&h, &k) == COT_OK, "%s", cot_error(h.ctx));
    cot_kernel_free(k);
    ck_assert_int_eq(h.ends, 1);
    stages_in_order(&h, want, (int)(sizeof want / sizeof *want));
    cot_context_free(h.ctx);
}
END_TEST

START_TEST(none_of_a_short_call)
{
    heard h = { 0 };
    cot_kernel *k = NULL;

    h.ctx = cot_context_new(&(cot_options){
        .progress = hear, .progress_user = &h, .progress_after = 1e9, .cache_dir = "off" });
    ck_assert_int_eq(compile(&h, &k), COT_OK);
    cot_kernel_free(k);
    ck_assert_int_eq(h.reports + h.ends, 0);
    cot_context_free(h.ctx);
}
END_TEST

START_TEST(cancelled_from_a_report)
{
    static const char *const stages[] = { "trace", "simplify", "lower", "compile" };
    heard h;
    cot_kernel *k = NULL;

    new_context(&h, false);
    h.cancel_in = stages[_i];
    ck_assert_int_eq(compile(&h, &k), COT_ERR_CANCELLED);
    ck_assert_ptr_null(k);
    ck_assert_int_eq(h.ends, 1);
    ck_assert_str_eq(h.last.stage, stages[_i]);
    cot_error_clear(h.ctx);
    cot_cancel_clear(h.ctx);
    h.cancel_in = NULL;
    h.ends = 0;
    h.last = (cot_progress){ 0 };
    ck_assert_msg(compile(&h, &k) == COT_OK, "%s", cot_error(h.ctx));
    cot_kernel_free(k);
    cot_context_free(h.ctx);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(stages_of_a_compilation, 2), /* here, and isolated */
        ONCE(none_of_a_short_call),
        EACH(cancelled_from_a_report, 4),
    };

    return SUITE("progress", cases);
}
