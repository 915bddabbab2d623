/* The judges of `cot check` against rules that are wrong in one element: each result and each
 * element in turn, by its number in the message, and the same function without the mistake is
 * right.
 *
 * The function is u = x x, w = sum(x) y of f64[3] and f64[2], with a whole number between them
 * and one among the results: what is not floating has no tangent, and is counted over. */
#include "runtime/check.h"

#include <stdio.h>

#include "tests/unit/traced.h"

/* What is wrong: of result (jvp, vmap) or argument (vjp) `of`, element `at`; of -1: nothing. */
typedef struct fault {
    int of, at;
} fault;

static fault in_jvp, in_vjp, in_vmap;

/* v with 1 added at the fault's element, if it is in value i. */
static cot_value
broken(cot_trace *t, fault f, int i, cot_value v, cot_type type)
{
    double by[16] = { 0 };

    if (f.of != i)
        return v;
    by[f.at] = 0.25;
    return cot_add(v, cot_constant(t, type, by));
}

static void
forward(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    (void)t, (void)info;
    out[0] = cot_mul(in[0], in[0]);
    out[1] = cot_mul(cot_reduce_sum(in[0]), in[1]);
}

static void
tangents(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    const cot_value x = in[0], y = in[1], dx = in[4], dy = in[5];

    (void)info;
    out[0] = broken(t, in_jvp, 0,
                    cot_mul(cot_mul(x, dx), cot_constant(t, cot_f64(), &(const double){ 2 })),
                    cot_f64(3));
    out[1] = broken(t, in_jvp, 1,
                    cot_add(cot_mul(cot_reduce_sum(dx), y), cot_mul(cot_reduce_sum(x), dy)),
                    cot_f64(2));
}

static void
keep(cot_setup *s, const cot_custom_info *info)
{
    (void)info;
    cot_save_in(s, 0);
    cot_save_in(s, 1);
}

static void
cotangents(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    const cot_value x = in[0], y = in[1], du = in[2], dw = in[3];

    (void)info;
    out[0] = broken(
        t, in_vjp, 0,
        cot_add(cot_mul(cot_mul(x, du), cot_constant(t, cot_f64(), &(const double){ 2 })),
                cot_reduce_sum(cot_mul(dw, y))),
        cot_f64(3));
    out[1] = broken(t, in_vjp, 1, cot_mul(cot_reduce_sum(x), dw), cot_f64(2));
}

static void
mapped(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    (void)info;
    out[0] = broken(t, in_vmap, 0, cot_mul(in[0], in[0]), cot_f64(4, 3));
    out[1] = broken(t, in_vmap, 1,
                    cot_mul(cot_reduce_sum(in[0], .axes = COT_LIST(1), .keepdims = 1), in[1]),
                    cot_f64(4, 2));
}

static void
whole(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value y[2];

    (void)t;
    cot_custom_call((const cot_custom *)user, COT_LIST(), COT_VALUES(in[0], in[2]), y);
    out[0] = y[0];
    out[1] = cot_neg(in[1]);
    out[2] = y[1];
}

static const double at_x[] = { 0.5, -1.25, 2 }, at_y[] = { 3, -0.75 };
static const int32_t at_n[] = { 5 };
static void *const args[] = { (void *)at_x, (void *)at_n, (void *)at_y };

static const cot_graph *
graph(void)
{
    const cot_custom *c =
        cot_custom_new(ctx, "judged", .n_in = 2, .n_out = 2, .forward = forward,
                       .jvp = tangents, .setup = keep, .vjp = cotangents, .vmap = mapped);
    const cot_graph *g;

    ck_assert_msg(c != NULL, "%s", cot_error(ctx));
    cot_fn *f = cot_fn_new(ctx, "f", whole, 3, 3, (void *)c);
    ck_assert_msg(cot_trace_fn(f, COT_TYPES(cot_f64(3), cot_i32(), cot_f64(2)), &g) == COT_OK,
                  "%s", cot_error(ctx));
    return g;
}

static void
says(cot_status status, const rt_verdict *v, const char *want)
{
    ck_assert_msg(status == COT_OK, "%s", cot_error(ctx));
    ck_assert(!v->skipped);
    ck_assert_msg(v->good == (want == NULL), "it is found %s: %s", v->good ? "right" : "wrong",
                  want ? want : v->why.text);
    ck_assert_msg(!want || strncmp(v->why.text, want, strlen(want)) == 0, "%s; wants %s",
                  v->why.text, want);
}

static void
begin(void)
{
    suite_begin();
    in_jvp = in_vjp = in_vmap = (fault){ -1, 0 };
}

START_TEST(right)
{
    const cot_graph *g = graph();
    rt_verdict v;

    says(rt_check_derivatives(g, args, &v), &v, NULL);
    says(rt_check_vmap(g, 4, &v), &v, NULL);
    says(rt_check_text(g, &v), &v, NULL);
}
END_TEST

static const int sizes[] = { 3, 2 }, results[] = { 0, 2 };

START_TEST(wrong_tangent)
{
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < sizes[i]; k++) {
            char want[64];
            rt_verdict v;

            suite_end();
            suite_begin();
            in_jvp = (fault){ i, k };
            snprintf(want, sizeof want, "jvp: result %d, element %d has tangent ", results[i],
                     k);
            says(rt_check_derivatives(graph(), args, &v), &v, want);
        }
}
END_TEST

START_TEST(wrong_cotangent)
{
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < sizes[i]; k++) {
            rt_verdict v;

            suite_end();
            suite_begin();
            in_vjp = (fault){ i, k };
            says(rt_check_derivatives(graph(), args, &v), &v, "vjp: <w, Jv> is ");
        }
}
END_TEST

START_TEST(wrong_example)
{
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 4 * sizes[i]; k++) {
            char want[64];
            rt_verdict v;

            suite_end();
            suite_begin();
            in_vmap = (fault){ i, k };
            snprintf(want, sizeof want, "vmap: example %d, result %d, element %d is ",
                     k / sizes[i], results[i], k % sizes[i]);
            says(rt_check_vmap(graph(), 4, &v), &v, want);
        }
}
END_TEST

int
main(void)
{
    const suite_case cases[] = { ONCE(right), ONCE(wrong_tangent), ONCE(wrong_cotangent),
                                 ONCE(wrong_example) };

    return SUITE_WITH("judges", cases, begin, suite_end);
}
