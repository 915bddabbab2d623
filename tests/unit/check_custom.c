/* Rows of the feature list about custom functions: `ctest -R A25` runs one.
 *
 * Each row is a test case of its own; it registers what it needs in a context of its own,
 * and compares values by the reference evaluator and, where kernels can be compiled, by
 * cot_call; messages are compared whole. */
#include "tests/unit/traced.h"

#include "cotrace/custom.h"

/* The function inside the body: user is the cot_custom; no attributes; its first results. */
static void
apply(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_custom_call((const cot_custom *)user, COT_LIST(), COT_VALUES(in[0]), NULL);
}

static cot_fn *
fn_of(const cot_custom *c)
{
    return cot_fn_new(ctx, "f", apply, 1, 1, (void *)c);
}

static void
apply2(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] =
        cot_custom_call((const cot_custom *)user, COT_LIST(), COT_VALUES(in[0], in[1]), NULL);
}

static void
sum_of(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    apply(t, in, out, user);
    out[0] = cot_reduce_sum(out[0]);
}

/* ---- functions ---- */

#define RULE(name, ...)                                                                        \
    static void name(cot_trace *t, const cot_custom_info *info, const cot_value *in,           \
                     cot_value *out)                                                           \
    {                                                                                          \
        (void)t, (void)info, (void)in;                                                         \
        __VA_ARGS__                                                                            \
    }

static void
save_in0(cot_setup *s, const cot_custom_info *info)
{
    (void)info;
    cot_save_in(s, 0);
}

/* A square whose derivative is a hundredfold: what the rule says, not what the body is. */
RULE(square, out[0] = cot_mul(in[0], in[0]);)
RULE(square_vjp, out[0] = cot_mul(cot_mul(in[1], in[0]), 200);)
RULE(square_jvp, out[0] = cot_mul(cot_mul(in[2], in[0]), 300);)
RULE(ten, out[0] = cot_mul(in[0], 10);)

static int
negate_run(const cot_custom_info *info, const void *const *in, void *const *out)
{
    (void)info;
    for (int i = 0; i < 3; i++)
        ((double *)out[0])[i] = -((const double *)in[0])[i];
    return 0;
}

static void
same_types(const cot_custom_info *info, const cot_type *in, cot_type *out)
{
    (void)info;
    out[0] = in[0];
}

#define S64 COT_TYPES(cot_f64())
#define V64 COT_TYPES(cot_f64(3))

static const double xs[] = { 1, -2, 0.5 };

static void
fails(cot_fn *f, cot_types types, cot_status status, const char *want)
{
    const cot_graph *g;
    ck_assert_int_eq(cot_trace_fn(f, types, &g), status);
    const char *text = strstr(cot_error(ctx), "check_custom.c:");
    text = text ? strchr(text, ' ') + 1 : cot_error(ctx);
    ck_assert_str_eq(text, want);
    cot_error_clear(ctx);
}

static void
registers_not(const cot_custom *c, const char *want)
{
    ck_assert_ptr_null(c);
    ck_assert_str_eq(strchr(strstr(cot_error(ctx), "check_custom.c:"), ' ') + 1, want);
    cot_error_clear(ctx);
}

START_TEST(a25)
{
    const cot_custom *c = cot_custom_new(ctx, "square", .forward = square, .vjp = square_vjp);
    fails(cot_vmap(fn_of(c)), V64, COT_ERR_RULE,
          "in vmap: vmap: square has no vmap rule; wants .vmap, .generate_vmap (or .sequential "
          "for C code), or a "
          "vmap with .chunk = 1");
}
END_TEST

START_TEST(a26)
{
    registers_not(
        cot_custom_new(ctx, "square", .forward = square, .vmap = square, .generate_vmap = true),
        "cot_custom_new: square: has both .vmap and .generate_vmap; wants one of them");
}
END_TEST

/* What the last vmap rule was told. */
static struct {
    int calls;
    int64_t size[4], dim[4][3];
    int rank[4];
    cot_randomness randomness;
    int64_t attr;
} seen;

static void
spy(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    (void)t;
    int k = seen.calls++ & 3;
    seen.size[k] = info->batch_size;
    seen.randomness = info->randomness;
    seen.attr = info->n_attrs ? info->attrs[0] : -1;
    for (int i = 0; i < 2; i++)
        seen.dim[k][i] = info->in_dims[i];
    seen.rank[k] = cot_rank(in[0]);
    out[0] = cot_mul(in[0], in[1]);
}
RULE(product, out[0] = cot_mul(in[0], in[1]);)

static void
call_attr(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] =
        cot_custom_call((const cot_custom *)user, COT_LIST(7), COT_VALUES(in[0], in[1]), NULL);
}

static void
call_inner(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    (void)t;
    out[0] = cot_custom_call((const cot_custom *)info->user, COT_LIST(7),
                             COT_VALUES(in[0], in[1]), NULL);
}

static void
pull_inner(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    (void)t;
    out[0] = out[1] = cot_custom_call((const cot_custom *)info->user, COT_LIST(7),
                                      COT_VALUES(in[0], in[0]), NULL);
}

static void
call_plain(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] =
        cot_custom_call((const cot_custom *)user, COT_LIST(), COT_VALUES(in[0], in[1]), NULL);
}

/* A rule is told what the level at hand says of draws: of each of two levels its own; the same
 * inside a function that is mapped by its body, and inside its derivative. */
static void
told_of_draws(cot_fn *f)
{
    static const cot_randomness modes[] = { COT_RANDOM_ERROR, COT_RANDOM_DIFFERENT,
                                            COT_RANDOM_SAME };
    const cot_custom *inner = cot_custom_new(ctx, "inner", .n_in = 2, .forward = product,
                                             .vmap = spy),
                     *outer = cot_custom_new(ctx, "outer", .n_in = 2, .forward = call_inner,
                                             .vjp = pull_inner, .generate_vmap = true,
                                             .user = (void *)inner);
    cot_fn *g = cot_fn_new(ctx, "g", call_plain, 2, 1, (void *)outer);
    const cot_types one = COT_TYPES(cot_f64(5), cot_f64(5)),
                    two = COT_TYPES(cot_f64(5, 3), cot_f64(5, 3)),
                    three = COT_TYPES(cot_f64(5), cot_f64(5), cot_f64(5));
    const cot_graph *graph;

    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(cot_trace_fn(cot_vmap(f, .randomness = modes[i]), one, &graph),
                         COT_OK);
        ck_assert_int_eq(seen.randomness, modes[i]);
        ck_assert_int_eq(cot_trace_fn(cot_vmap(cot_vmap(f, .randomness = modes[(i + 1) % 3]),
                                               .randomness = modes[i]), two, &graph), COT_OK);
        ck_assert_int_eq(seen.randomness, modes[(i + 1) % 3]);
        ck_assert_int_eq(cot_trace_fn(cot_vmap(g, .randomness = modes[i]), one, &graph),
                         COT_OK);
        ck_assert_int_eq(seen.randomness, modes[i]);
        seen.randomness =
            (cot_randomness)-1; /* a rule of one example is mapped after the vmap */
        ck_assert_int_eq(
            cot_trace_fn(cot_vjp(cot_vmap(g, .randomness = modes[i])), three, &graph), COT_OK);
        ck_assert_int_eq(seen.randomness, modes[i]);
    }
}

static void
spied(int row)
{
    const cot_custom *c =
        cot_custom_new(ctx, "product", .n_in = 2, .forward = product, .vmap = spy);
    cot_fn *f = cot_fn_new(ctx, "f", call_attr, 2, 1, (void *)c);
    const double x[] = { 1, 2, 3, 4, 5 }, y[] = { 10 }, want[] = { 10, 20, 30, 40, 50 };
    seen.calls = 0;
    traced_gives(cot_vmap(f, .in_dims = COT_LIST(0, COT_NONE)),
                 COT_TYPES(cot_f64(5), cot_f64()), (const void *[]){ x, y }, cot_f64(5), want,
                 0);
    ck_assert_int_eq(seen.calls, 1);
    if (row == 27) {
        ck_assert_int_eq(seen.size[0], 5);
        ck_assert_int_eq(seen.randomness, COT_RANDOM_ERROR);
        const cot_graph *g;
        told_of_draws(f);
        seen.calls = 0;
        ck_assert_int_eq(
            cot_trace_fn(cot_vmap(f, .chunk = 2), COT_TYPES(cot_f64(5), cot_f64(5)), &g),
            COT_OK);
        ck_assert_int_eq(seen.size[0], 2);
        ck_assert_int_eq(seen.size[1], 1);
    }
    if (row == 28) {
        ck_assert_int_eq(seen.dim[0][0], 0);
        ck_assert(seen.dim[0][1] == COT_NONE);
        ck_assert_int_eq(seen.attr, 7);
    }
    if (row == 29)
        ck_assert_int_eq(seen.rank[0], 1);
}
START_TEST(a27)
{
    spied(27);
}
END_TEST

START_TEST(a28)
{
    spied(28);
}
END_TEST

START_TEST(a29)
{
    spied(29);
}
END_TEST

RULE(out_axis_9, out[0] = cot_mul(in[0], in[0]); info->out_dims[0] = 9;)
RULE(out_missing, (void)out;)
RULE(out_shape, out[0] = cot_reduce_sum(in[0]);)
RULE(constant_rule, out[0] = cot_constant(t, cot_f64(), &(const double){ 4 });
     info->out_dims[0] = COT_NONE;)

static void
vmap_rule_fails(cot_custom_body *rule, const char *want)
{
    const cot_custom *c = cot_custom_new(ctx, "square", .forward = square, .vmap = rule);
    fails(cot_vmap(fn_of(c)), V64,
          rule == out_missing ? COT_ERR_ARG : COT_ERR_SHAPE, want);
}
START_TEST(a30)
{
    vmap_rule_fails(out_axis_9, "in vmap: custom_call: vmap of square: out_dims[0] is 9, the "
                                "result is f64[3]; wants one of its "
                                "axes, or COT_NONE");
}
END_TEST
START_TEST(b159)
{
    vmap_rule_fails(
        out_missing,
        "custom_call: vmap of square: result 0 was not set; wants a value, or COT_ZERO");
}
END_TEST
START_TEST(b160)
{
    vmap_rule_fails(out_shape, "in vmap: custom_call: vmap of square: out_dims[0] is 0, the "
                               "result is f64[]; wants one of its axes, "
                               "or COT_NONE");
}
END_TEST
START_TEST(b158)
{
    const cot_custom *c = cot_custom_new(ctx, "four", .forward = square, .vmap = constant_rule);
    traced_gives(cot_vmap(fn_of(c)), V64, (const void *[]){ xs }, cot_f64(3),
                 (const double[]){ 4, 4, 4 }, 0);
}
END_TEST

/* A rule that says something else than the body is what runs. */
START_TEST(a37)
{
    const cot_custom *c = cot_custom_new(ctx, "square", .forward = square, .vmap = ten);
    traced_gives(cot_vmap(fn_of(c)), V64, (const void *[]){ xs }, cot_f64(3),
                 (const double[]){ 10, -20, 5 }, 0);
}
END_TEST

START_TEST(a38)
{
    registers_not(cot_custom_new(ctx, "negate", .run = negate_run, .types = same_types,
                                 .generate_vmap = true),
                  "cot_custom_new: negate: .generate_vmap wants a traced .forward; .run is "
                  "opaque: give .vmap or .sequential");
    cot_custom_new(ctx, "negate", .run = negate_run, .types = same_types);
}
END_TEST

/* x^3 with its derivative as a hidden result, whose derivative is 6 x. */
RULE(cube, out[0] = cot_mul(cot_mul(in[0], in[0]), in[0]);
     out[1] = cot_mul(cot_mul(in[0], in[0]), 3);)
RULE(cube_vjp,
     out[0] = cot_add(cot_mul(in[2], in[1]), cot_mul(in[3], cot_mul(in[0], 6)));)

static void
cube_setup(cot_setup *s, const cot_custom_info *info)
{
    (void)info;
    cot_save_in(s, 0);
    cot_save_out(s, 1);
}

static cot_fn *
cube_fn(void)
{
    return fn_of(cot_custom_new(ctx, "cube", .n_out = 2, .forward = cube, .setup = cube_setup,
                                .vjp = cube_vjp, .generate_vmap = true));
}

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

START_TEST(a39)
{
    cot_fn *f = cube_fn();
    traced_gives(cot_vmap(f), V64, (const void *[]){ xs }, cot_f64(3),
                 (const double[]){ 1, -8, .125 }, 0);
    traced_gives(cot_vmap(cot_grad(cot_grad(f))), V64, (const void *[]){ xs }, cot_f64(3),
                 (const double[]){ 6, -12, 3 }, 0);
    const double m[] = { 1, 2, 3, 4, 5, 6 }, want[] = { 1, 8, 27, 64, 125, 216 };
    traced_gives(cot_vmap(cot_vmap(f)), COT_TYPES(cot_f64(2, 3)), (const void *[]){ m },
                 cot_f64(2, 3), want, 0);
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

static void
mapped_sum(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_reduce_sum(cot_call(cot_vmap((cot_fn *)user), in[0]));
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

static double clipped[2];
RULE(same, out[0] = cot_mul(in[0], 1);)
RULE(clip_vjp, out[0] = cot_clip(in[0], -1, 1);)

START_TEST(a113)
{
    forward_gives(cube_fn(), 2, 12);
    const cot_custom *c =
        cot_custom_new(ctx, "clip", .forward = same, .vjp = clip_vjp, .generate_vmap = true);
    const cot_graph *g;
    (void)clipped;
    ck_assert_int_eq(cot_trace_fn(cot_jvp(fn_of(c)), COT_TYPES(cot_f64(), cot_f64()), &g),
                     COT_ERR_RULE);
    const char *text = strstr(cot_error(ctx), "custom_call: ");
    ck_assert_ptr_nonnull(text);
    char want[200];
    const char *line = strstr(cot_error(ctx), "clamp at ");
    ck_assert_msg(line && strstr(line, "check_custom.c:"), "%s", cot_error(ctx));
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
        const char *text = strstr(cot_error(ctx), "check_custom.c:");
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
static void
save_both(cot_setup *s, const cot_custom_info *info)
{
    (void)info;
    cot_save_in(s, 0);
    cot_save_in(s, 1);
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

/* The size that setup saves is that of one example. */
RULE(total, out[0] = cot_reduce_sum(in[0]);)
static void
total_setup(cot_setup *s, const cot_custom_info *info)
{
    (void)info;
    cot_save_data(s, cot_setup_in_type(s, 0).dims[0]);
    ck_assert_int_eq(cot_setup_in_type(s, 0).rank, 1);
}
RULE(total_vjp, out[0] = cot_broadcast_to(in[0], info->data[0]);)
START_TEST(b161)
{
    const cot_custom *c = cot_custom_new(ctx, "total", .forward = total, .setup = total_setup,
                                         .vjp = total_vjp, .generate_vmap = true);
    const double x[] = { 1, 2, 3, 4, 5, 6 }, want[] = { 1, 1, 1, 1, 1, 1 };
    traced_gives(cot_vmap(cot_grad(fn_of(c))), COT_TYPES(cot_f64(2, 3)), (const void *[]){ x },
                 cot_f64(2, 3), want, 0);
    cot_fn *h = cot_fn_new(ctx, "h", mapped_sum, 1, 1, fn_of(c));
    traced_gives(cot_grad(h), COT_TYPES(cot_f64(2, 3)), (const void *[]){ x }, cot_f64(2, 3),
                 want, 0);
}
END_TEST

/* A shared operand: summed over the batch outside, an example each inside. */
RULE(product_vjp, out[0] = cot_mul(in[2], in[1]); out[1] = cot_mul(in[2], in[0]);)
static cot_fn *inner;
static void
shared_sum(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_reduce_sum(
        cot_call(cot_vmap(inner, .in_dims = COT_LIST(COT_NONE, 0)), in[0], in[1]));
}
START_TEST(b162)
{
    const cot_custom *c =
        cot_custom_new(ctx, "product", .n_in = 2, .forward = product, .setup = save_both,
                       .vjp = product_vjp, .generate_vmap = true);
    const double w = 2, sum = -0.5;
    inner = cot_fn_new(ctx, "f", apply2, 2, 1, (void *)c);
    traced_gives(cot_grad(cot_fn_new(ctx, "h", shared_sum, 2, 1, NULL)),
                 COT_TYPES(cot_f64(), cot_f64(3)), (const void *[]){ &w, xs }, cot_f64(), &sum,
                 0);
    traced_gives(cot_vmap(cot_grad(inner), .in_dims = COT_LIST(COT_NONE, 0)),
                 COT_TYPES(cot_f64(), cot_f64(3)), (const void *[]){ &w, xs }, cot_f64(3), xs,
                 0);
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

START_TEST(b164)
{
    const cot_custom *c = cot_custom_new(ctx, "negate", .run = negate_run, .types = same_types);
    fails(cot_vmap(fn_of(c)), COT_TYPES(cot_f64(2, 3)), COT_ERR_RULE,
          "in vmap: vmap: negate has no vmap rule; wants .vmap, .generate_vmap (or .sequential "
          "for C code), or a vmap "
          "with .chunk = 1");
    const double x[] = { 1, 2, 3, 4, 5, 6 }, want[] = { -1, -2, -3, -4, -5, -6 };
    c = cot_custom_new(ctx, "negate2", .run = negate_run, .types = same_types,
                       .sequential = true);
    traced_gives(cot_vmap(fn_of(c)), COT_TYPES(cot_f64(2, 3)), (const void *[]){ x },
                 cot_f64(2, 3), want, 0);
}
END_TEST

START_TEST(a115)
{
    const cot_custom *c = cot_custom_new(ctx, "negate", .run = negate_run, .types = same_types);
    const double x[] = { 1, 2, 3, 4, 5, 6 }, want[] = { -1, -2, -3, -4, -5, -6 };
    traced_gives(cot_vmap(fn_of(c), .chunk = 1), COT_TYPES(cot_f64(2, 3)),
                 (const void *[]){ x }, cot_f64(2, 3), want, 0);
    fails(cot_vmap(fn_of(c)), COT_TYPES(cot_f64(2, 3)), COT_ERR_RULE,
          "in vmap: vmap: negate has no vmap rule; wants .vmap, .generate_vmap (or .sequential "
          "for C code), or a vmap "
          "with .chunk = 1");
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
        { "A25", a25, 1 },
        { "A26", a26, 1 },
        { "A27", a27, 1 },
        { "A28", a28, 1 },
        { "A29", a29, 1 },
        { "A30", a30, 1 },
        { "A36", a36, 1 },
        { "A37", a37, 1 },
        { "A38", a38, 1 },
        { "A39", a39, 1 },
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
        { "A115", a115, 1 },
        { "B153", b153, 1 },
        { "B155", b155, 1 },
        { "B156", b156, 1 },
        { "B157", once, 1 },
        { "B158", b158, 1 },
        { "B159", b159, 1 },
        { "B160", b160, 1 },
        { "B161", b161, 1 },
        { "B162", b162, 1 },
        { "B163", b163, 1 },
        { "B164", b164, 1 },
        { "B165", b165, 1 },
    };

    return SUITE("custom", cases);
}
