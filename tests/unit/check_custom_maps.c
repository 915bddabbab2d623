/* Rows of the feature list about vmap of custom functions: `ctest -R A25` runs one.
 *
 * A function is mapped by its own rule, by its body, or example by example; a rule is told the
 * size of the batch, which operands are mapped and what a draw means, and what it answers is
 * checked. */
#include "tests/unit/check_custom.h"

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
        { "A37", a37, 1 },
        { "A38", a38, 1 },
        { "A39", a39, 1 },
        { "A115", a115, 1 },
        { "B158", b158, 1 },
        { "B159", b159, 1 },
        { "B160", b160, 1 },
        { "B161", b161, 1 },
        { "B162", b162, 1 },
        { "B164", b164, 1 },
    };

    return SUITE("custom_maps", cases);
}
