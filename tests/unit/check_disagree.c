/* `cot check` finds back ends that disagree: here C code that answers differently from call to
 * call, so that no two runs of one program are alike. */
#include "tests/unit/traced.h"

#include "codegen/backend.h"
#include "cotrace/custom.h"
#include "runtime/check.h"

static void
like_first(const cot_custom_info *info, const cot_type *in, cot_type *out)
{
    (void)info;
    out[0] = in[0];
}

static void
apply(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_custom_call((const cot_custom *)user, COT_LIST(), COT_VALUES(in[0]), NULL);
}

/* `cot check` runs the back ends of the derivatives too.  What only the pullback shows is here
 * C code whose answer grows from call to call. */
static int calls;

static int
same_again(const cot_custom_info *info, const void *const *in, void *const *out)
{
    (void)info;
    *(double *)out[0] = *(const double *)in[0];
    return 0;
}

static int
ever_more(const cot_custom_info *info, const void *const *in, void *const *out)
{
    (void)info;
    *(double *)out[0] = *(const double *)in[0] + ++calls;
    return 0;
}

static void
pull_more(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    (void)t;
    out[0] = cot_custom_call(info->user, COT_LIST(0), COT_VALUES(in[0]), NULL);
}

START_TEST(back_ends_of_derivatives)
{
    const cot_custom *more =
        cot_custom_new(ctx, "more", .run = ever_more, .types = like_first, .n_in = 1);
    const cot_custom *c = cot_custom_new(ctx, "same", .run = same_again, .types = like_first,
                                         .vjp = pull_more, .user = (void *)more);
    const cot_graph *g;
    double x = 2;
    void *in[] = { &x, NULL };
    rt_verdict v;
    ck_assert_int_eq(
        cot_trace_fn(cot_fn_new(ctx, "f", apply, 1, 1, (void *)c), COT_TYPES(cot_f64()), &g),
        COT_OK);
    ck_assert_int_eq(rt_check_backends(g, in, &v), COT_OK);
    ck_assert_msg(v.good, "%s", v.why.text);
    ck_assert_int_eq(rt_check_derived(g, "vjp", in, &v), COT_OK);
    ck_assert_msg(v.skipped || (!v.good && strstr(v.why.text, "result 1, element 0")), "%s",
                  v.why.text);
    ck_assert_int_eq(rt_check_derived(g, "jvp", in, &v), COT_ERR_RULE);
}
END_TEST

/* `cot check` runs each width on one thread and on two, and its message names the run, the
 * result and the element that differ first.  The C code adds a quarter to one element from
 * one call on: the first call is that of the reference evaluator. */
static int wrong_from;

static int
once_right(const cot_custom_info *info, const void *const *in, void *const *out)
{
    double *y = out[0];
    (void)info;
    memcpy(y, in[0], 3 * sizeof *y);
    if (++calls > wrong_from)
        y[2] += 0.25;
    return 0;
}

static void
apply_and_negate(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    apply(t, in, out, user);
    out[1] = cot_neg(in[0]);
}

START_TEST(back_ends_that_differ)
{
    static const char *const run[] = { "32 bits, 1 threads", "32 bits, 2 threads",
                                       "128 bits, 1 threads", "128 bits, 2 threads" };
    const cot_custom *c = cot_custom_new(ctx, "once", .run = once_right, .types = like_first);
    const cot_graph *g;
    double x[] = { 1, 2, 3 };
    void *in[] = { x, NULL };
    rt_verdict v;
    ck_assert_int_eq(cot_trace_fn(cot_fn_new(ctx, "f", apply_and_negate, 1, 2, (void *)c),
                                  COT_TYPES(cot_f64(3)), &g),
                     COT_OK);
    calls = 0;
    wrong_from = 1 + _i;
    ck_assert_int_eq(rt_check_backends(g, in, &v), COT_OK);
    ck_assert(v.skipped || !v.good);
    if (!v.skipped)
        ck_assert_str_eq(
            v.why.text,
            ir_format(&ctx->arena,
                      "%s%s: result 0, element 2 is 3.25; the reference evaluator has 3",
                      cg_llvm() ? "" : "C, ", run[_i]));
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "A112", back_ends_of_derivatives, 0 },
        { "A112", back_ends_that_differ, 4 },
    };

    return SUITE("disagree", cases);
}
