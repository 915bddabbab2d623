/* Rows of the feature list about custom functions and their derivatives: `ctest -R A42` runs
 * one.  check_custom_maps.c has those about vmap.
 *
 * Each row is a test case of its own; it registers what it needs in a context of its own,
 * and compares values by the reference evaluator and, where kernels can be compiled, by
 * cot_call; messages are compared whole. */
#include "tests/unit/check_custom.h"

static void
cube_checks(cot_fn *f)
{
    const double x = 1.5;
    traced_gives(f, S64, (const void *[]){ &x }, cot_f64(), (const double[]){ 3.375 }, 0);
    traced_gives(cot_grad(f), S64, (const void *[]){ &x }, cot_f64(), (const double[]){ 6.75 },
                 0);
    traced_gives(cot_grad(cot_grad(f)), S64, (const void *[]){ &x }, cot_f64(),
                 (const double[]){ 9 }, 0);
    traced_gives(cot_grad(cot_grad(cot_grad(f))), S64, (const void *[]){ &x }, cot_f64(),
                 (const double[]){ 6 }, 0);
}
START_TEST(a57)
{
    cube_checks(cube_fn());
}
END_TEST

START_TEST(a45)
{
    cube_checks(cube_fn());
}
END_TEST

/* The rule, a hundredfold, also where the function is mapped first. */
static cot_fn *
hundred(cot_body *body)
{
    return cot_fn_new(ctx, "f", body, 1, 1,
                      (void *)cot_custom_new(ctx, "square", .forward = square,
                                             .setup = save_in0, .vjp = square_vjp,
                                             .generate_vmap = true));
}

START_TEST(a36)
{
    cot_fn *f = hundred(apply), *h = cot_fn_new(ctx, "h", mapped_sum, 1, 1, f);
    const double want[] = { 200, -400, 100 };
    traced_gives(cot_grad(h), V64, (const void *[]){ xs }, cot_f64(3), want, 0);
    traced_gives(cot_vmap(cot_grad(f)), V64, (const void *[]){ xs }, cot_f64(3), want, 0);
}
END_TEST

START_TEST(a42)
{
    const double want[] = { 200, -400, 100 };
    traced_gives(cot_grad(hundred(sum_of)), V64, (const void *[]){ xs }, cot_f64(3), want, 0);
}
END_TEST

START_TEST(a48)
{
    const cot_custom *c = cot_custom_new(ctx, "square", .forward = square);
    fails(cot_grad(fn_of(c)), S64, COT_ERR_RULE,
          "in grad: custom_call: square has neither a .vjp nor a .jvp rule; wants one to "
          "differentiate it");
}
END_TEST

START_TEST(a50)
{
    const double x = 2, dx = 1, want = 600;
    const cot_custom *c = cot_custom_new(ctx, "square", .forward = square, .jvp = square_jvp);
    cot_fn *f = cot_jvp(fn_of(c));
    const cot_graph *g;
    double y, dy;
    ck_assert_int_eq(cot_trace_fn(f, COT_TYPES(cot_f64(), cot_f64()), &g), COT_OK);
    ck_assert_int_eq(ir_eval(g, (void *[]){ &y, &dy }, (const void *[]){ &x, &dx }), COT_OK);
    ck_assert(y == 4 && dy == 600);
    /* reverse mode transposes a jvp rule that stands alone */
    traced_gives(cot_grad(fn_of(c)), S64, (const void *[]){ &x }, cot_f64(), &want, 0);
}
END_TEST
static void
forward_gives(cot_fn *f, double x, double want)
{
    const cot_graph *g;
    double y, dy, dx = 1;
    ck_assert_msg(cot_trace_fn(cot_jvp(f), COT_TYPES(cot_f64(), cot_f64()), &g) == COT_OK, "%s",
                  cot_error(ctx));
    ck_assert_int_eq(ir_eval(g, (void *[]){ &y, &dy }, (const void *[]){ &x, &dx }), COT_OK);
    ck_assert_msg(dy == want, "%g, wants %g", dy, want);
}

/* Each mode its own rule, where both are given. */
START_TEST(a52)
{
    const double x = 2, back = 400, second = 200;
    cot_fn *f = fn_of(cot_custom_new(ctx, "square", .forward = square, .setup = save_in0,
                                     .vjp = square_vjp, .jvp = square_jvp));
    forward_gives(f, 2, 600);
    traced_gives(cot_grad(f), S64, (const void *[]){ &x }, cot_f64(), &back, 0);
    traced_gives(cot_grad(cot_grad(f)), S64, (const void *[]){ &x }, cot_f64(), &second, 0);
}
END_TEST

RULE(same, out[0] = cot_mul(in[0], 1);)
RULE(clip_vjp, out[0] = cot_clip(in[0], -1, 1);)

START_TEST(a113)
{
    forward_gives(cube_fn(), 2, 12);
    const cot_custom *c =
        cot_custom_new(ctx, "clip", .forward = same, .vjp = clip_vjp, .generate_vmap = true);
    const cot_graph *g;
    ck_assert_int_eq(cot_trace_fn(cot_jvp(fn_of(c)), COT_TYPES(cot_f64(), cot_f64()), &g),
                     COT_ERR_RULE);
    const char *text = strstr(cot_error(ctx), "custom_call: ");
    ck_assert_ptr_nonnull(text);
    char want[200];
    const char *line = strstr(cot_error(ctx), "clamp at ");
    ck_assert_msg(line && strstr(line, "check_custom"), "%s", cot_error(ctx));
    snprintf(want, sizeof want,
             "custom_call: clip has no jvp rule, and its vjp rule is not linear in its "
             "cotangent: %.*s is not; wants .jvp",
             (int)(strstr(line, " is not;") - line), line);
    ck_assert_str_eq(text, want);
    cot_error_clear(ctx);
}
END_TEST

/* Forward mode takes a jvp rule as it is; what transposes it wants one that is linear. */
static void
same_body(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = in[0];
}

RULE(squared_jvp, out[0] = cot_mul(in[2], in[2]);)
RULE(signed_jvp, out[0] = cot_cond(cot_gt(in[2], 0), same_body, same_body,
                                   .in = COT_VALUES(cot_mul(cot_mul(in[2], in[0]), 2)));)

START_TEST(jvp_rules_that_are_not_linear)
{
    const cot_custom *c[] = {
        cot_custom_new(ctx, "squared", .forward = square, .jvp = squared_jvp),
        cot_custom_new(ctx, "signed", .forward = square, .jvp = signed_jvp),
    };
    const char *op[] = { "mul", "gt" };
    const double x = 3, dx = -0.5, want[] = { 9, _i ? -3 : 0.25 };
    double y[2];
    const cot_graph *g;

    ck_assert_int_eq(cot_trace_fn(cot_jvp(fn_of(c[_i])), COT_TYPES(cot_f64(), cot_f64()), &g),
                     COT_OK);
    ck_assert_int_eq(ir_eval(g, (void *[]){ &y[0], &y[1] }, (const void *[]){ &x, &dx }),
                     COT_OK);
    ck_assert(y[0] == want[0] && y[1] == want[1]);
    for (int k = 0; k < 2; k++) {
        cot_fn *f = k ? cot_linearize(fn_of(c[_i])) : cot_grad(fn_of(c[_i]));
        ck_assert_int_eq(cot_trace_fn(f, k ? COT_TYPES(cot_f64(), cot_f64()) : S64, &g),
                         COT_ERR_RULE);
        const char *text = strstr(cot_error(ctx), "check_custom");
        ck_assert_ptr_nonnull(text);
        ck_assert_str_eq(
            strchr(text, ' ') + 1,
            ir_format(&ctx->arena,
                      "%s: is not linear in the tangents; linearize and reverse mode want a "
                      "jvp rule that is",
                      op[_i]));
        cot_error_clear(ctx);
    }
}
END_TEST

static cot_value escaped;
RULE(capture, out[0] = cot_mul(in[0], escaped);)

static void
captures(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    escaped = in[0];
    apply(t, in, out, user);
}

/* Three kinds of capture (mapped, reverse, forward) by the bodies that can touch a value. */
START_TEST(a59)
{
#define CAPTURED                                                                               \
    ": mul: operand 1 belongs to a trace around the body of c0.forward; wants it passed as "   \
    "an argument"
    const cot_custom *c =
        cot_custom_new(ctx, "c0", .forward = capture, .generate_vmap = true, .vjp = capture);
    cot_fn *f = cot_fn_new(ctx, "f", captures, 1, 1, (void *)c);
    fails(cot_vmap(f), V64, COT_ERR_TRACE, "in vmap" CAPTURED);
    fails(cot_grad(f), S64, COT_ERR_TRACE, "in grad" CAPTURED);
    fails(cot_jvp(f), COT_TYPES(cot_f64(), cot_f64()), COT_ERR_TRACE, "in jvp" CAPTURED);
}
END_TEST

START_TEST(once)
{
    cot_fn *f = fn_of(cot_custom_new(ctx, "square", .forward = square, .setup = save_in0,
                                     .vjp = square_vjp, .once_differentiable = true));
    const double x = 2, want = 400;
    traced_gives(cot_grad(f), S64, (const void *[]){ &x }, cot_f64(), &want, 0);
    fails(cot_grad(cot_grad(f)), S64, COT_ERR_RULE,
          "in grad: custom_call: square is marked once_differentiable; its vjp rule has no "
          "derivative");
}
END_TEST

/* Integers and what is marked have no cotangent. */
RULE(pair, out[0] = cot_mul(in[0], in[0]); out[1] = cot_sin(in[0]);)
RULE(pair_vjp, out[0] = cot_mul(in[0], 5);)
static void
mark1(cot_setup *s, const cot_custom_info *info)
{
    (void)info;
    cot_mark_nondiff(s, 1);
}
static void
both(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value y[2];
    (void)t;
    cot_custom_call((const cot_custom *)user, COT_LIST(), COT_VALUES(in[0]), y);
    out[0] = cot_add(y[0], cot_mul(y[1], 100));
}
START_TEST(a54)
{
    const cot_custom *c = cot_custom_new(ctx, "pair", .n_out = 2, .forward = pair,
                                         .setup = mark1, .vjp = pair_vjp);
    const double x = 2, want = 5;
    traced_gives(cot_grad(cot_fn_new(ctx, "f", both, 1, 1, (void *)c)), S64,
                 (const void *[]){ &x }, cot_f64(), &want, 0);
}
END_TEST

/* Cotangents that are zero, seen and not seen. */
static int zeros_seen;
static void
symbolic_vjp(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    (void)t, (void)info;
    zeros_seen = cot_is_zero(in[0]) + 2 * cot_is_zero(in[1]);
    out[0] = cot_is_zero(in[1]) ? COT_ZERO : in[1];
}
START_TEST(b155)
{
    const double x = 2, want = 0;
    for (int symbolic = 0; symbolic < 2; symbolic++) {
        const cot_custom *c =
            cot_custom_new(ctx, symbolic ? "pair1" : "pair0", .n_out = 2, .forward = pair,
                           .vjp = symbolic_vjp, .symbolic_zeros = symbolic);
        zeros_seen = -1;
        traced_gives(cot_grad(fn_of(c)), S64, (const void *[]){ &x }, cot_f64(), &want, 0);
        ck_assert_int_eq(zeros_seen, symbolic ? 2 : 0);
    }
}
END_TEST

/* The mask, and no work for what is not wanted. */
static bool mask[2];
static void
masked_vjp(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    (void)t;
    memcpy(mask, info->needs, sizeof mask);
    out[0] = cot_mul(in[2], in[1]);
    out[1] = info->needs[1] ? cot_exp(cot_mul(in[2], in[0])) : COT_ZERO;
}
START_TEST(b156)
{
    const cot_custom *c = cot_custom_new(ctx, "product", .n_in = 2, .forward = product,
                                         .setup = save_both, .vjp = masked_vjp);
    traced_prints(cot_grad(cot_fn_new(ctx, "f", apply2, 2, 1, (void *)c)),
                  COT_TYPES(cot_f64(), cot_f64()),
                  "fn @f.grad(%arg0: f64[], %arg1: f64[]) -> f64[] {\n  ret %arg1\n}\n");
    ck_assert(mask[0] && !mask[1]);
}
END_TEST

/* x as it came, saved: an SSA value like any other. */
RULE(identity, out[0] = in[0];)
START_TEST(b153)
{
    const cot_custom *c = cot_custom_new(ctx, "identity", .forward = identity,
                                         .setup = save_in0, .vjp = square_vjp);
    const double x = 3, want = 600;
    traced_gives(cot_grad(fn_of(c)), S64, (const void *[]){ &x }, cot_f64(), &want, 0);
}
END_TEST

/* Jvp, vmap and vjp of one function in one program. */
static void
cube_sum(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_reduce_sum(cot_call(cot_vmap((cot_fn *)user), in[0]));
}
START_TEST(b163)
{
    cot_fn *h = cot_fn_new(ctx, "h", cube_sum, 1, 1, cube_fn());
    const double want[] = { 6, 0, 0, 0, -12, 0, 0, 0, 3 };
    traced_gives(cot_hessian(h), V64, (const void *[]){ xs }, cot_f64(3, 3), want, 0);
    traced_gives(cot_jacrev(cot_jacrev(h)), V64, (const void *[]){ xs }, cot_f64(3, 3), want,
                 0);
    traced_gives(cot_vmap(cot_hessian(h)), COT_TYPES(cot_f64(1, 3)), (const void *[]){ xs },
                 cot_f64(1, 3, 3), want, 0);
}
END_TEST

/* How often C code runs: merged and dropped, unless it has effects. */
static int runs;
static int
count_run(const cot_custom_info *info, const void *const *in, void *const *out)
{
    (void)info;
    runs++;
    *(double *)out[0] = *(const double *)in[0];
    return 0;
}
static void
unused(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    cot_custom_call((const cot_custom *)user, COT_LIST(), COT_VALUES(in[0]), NULL);
    out[0] = in[0];
}
START_TEST(b165)
{
    const double x = 3;
    for (int effects = 0; effects < 2; effects++) {
        const cot_custom *c = cot_custom_new(ctx, effects ? "log" : "pure", .run = count_run,
                                             .types = same_types, .effects = effects);
        runs = 0;
        traced_gives(cot_fn_new(ctx, "f", unused, 1, 1, (void *)c), S64, (const void *[]){ &x },
                     cot_f64(), &x, 0);
        ck_assert_int_eq(runs, effects);
    }
}
END_TEST

/* The name is printed with its attributes and its body, and parses back. */
START_TEST(a114)
{
    static traced_text got, again;
    const cot_graph *g;
    cot_context *other = cot_context_new(NULL);
    cot_fn *f = cube_fn();
    got.n = again.n = 0;
    ck_assert_int_eq(cot_trace_fn(cot_vmap(f), V64, &g), COT_OK);
    ck_assert_int_eq(cot_dump_graph(g, traced_write, &got), COT_OK);
    ck_assert_ptr_nonnull(strstr(
        got.text, "custom_call %arg0 {name=\"cube\", save=[0,2], size=[3], mapped=[1], "
                  "forward=@cube.forward, by=\"vjp generate_vmap\", rules=[@cube.vjp]}"));
    ir_module m;
    ck_assert_msg(ir_parse(other, "dump", got.text, got.n, &m) == COT_OK, "%s",
                  cot_error(other));
    ck_assert_int_eq(cot_dump_graph(m.fn[m.n - 1], traced_write, &again), COT_OK);
    ck_assert_str_eq(got.text, again.text);
    ck_assert_int_eq(cot_trace_fn(cot_grad(cot_fn_new(ctx, "h", cube_sum, 1, 1, f)), V64, &g),
                     COT_OK);
    cot_context_free(other);
    registers_not(cot_custom_new(ctx, "cube", .forward = square),
                  "cot_custom_new: cube is the name of a custom function of this context "
                  "already; wants another");
    /* nobody registered it */
    other = cot_context_new(NULL);
    const cot_custom *c =
        cot_custom_new(ctx, "lib.negate", .run = negate_run, .types = same_types);
    got.n = 0;
    ck_assert_int_eq(cot_trace_fn(fn_of(c), V64, &g), COT_OK);
    ck_assert_int_eq(cot_dump_graph(g, traced_write, &got), COT_OK);
    ck_assert_int_eq(ir_parse(other, "dump", got.text, got.n, &m), COT_OK);
    ck_assert_int_eq(ir_verify(other, m.fn[m.n - 1], "parse"), COT_OK);
    double y[3];
    ck_assert_int_eq(ir_eval(m.fn[m.n - 1], (void *[]){ y }, (const void *[]){ xs }),
                     COT_ERR_RULE);
    ck_assert_ptr_nonnull(strstr(
        cot_error(other), "custom_call: lib.negate is not registered in this context; wants "
                          "cot_custom_new with that name before it is run"));
    cot_context_free(other);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "A36", a36, 1 },
        { "A42", a42, 1 },
        { "A45", a45, 1 },
        { "A48", a48, 1 },
        { "A50", a50, 1 },
        { "A52", a52, 1 },
        { "A54", a54, 1 },
        { "A57", a57, 1 },
        { "A59", a59, 1 },
        { "A64", a50, 1 },
        { "A113", a113, 1 },
        { "A113", jvp_rules_that_are_not_linear, 2 },
        { "A114", a114, 1 },
        { "B153", b153, 1 },
        { "B155", b155, 1 },
        { "B156", b156, 1 },
        { "B157", once, 1 },
        { "B163", b163, 1 },
        { "B165", b165, 1 },
    };

    return SUITE("custom", cases);
}
