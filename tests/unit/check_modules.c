/* Modules: functions with named parameters and buffers.  Cases bear the names of the rows. */
#include "tests/unit/traced.h"

static cot_array *made[64];
static int n_made;

static void
begin(void)
{
    suite_begin();
    n_made = 0;
}

static void
end(void)
{
    while (n_made > 0)
        cot_array_free(made[--n_made]);
    suite_end();
}

static cot_array *
keep(cot_array *a)
{
    return made[n_made++] = a;
}

#define ARRAY(type, ...) keep(cot_array_copy(ctx, type, (const float[]){ __VA_ARGS__ }))

static void
has(const cot_array *a, int n, const float *want)
{
    ck_assert_ptr_nonnull(a);
    ck_assert_uint_eq(cot_array_bytes(a), sizeof *want * (size_t)n);
    for (int i = 0; i < n; i++)
        ck_assert_msg(((const float *)cot_array_read(a))[i] == want[i],
                      "element %d is %g, wants %g", i,
                      (double)((const float *)cot_array_read(a))[i], (double)want[i]);
}
#define HAS(a, ...)                                                                            \
    has(a, (int)(sizeof((const float[]){ __VA_ARGS__ }) / sizeof(float)),                      \
        (const float[]){ __VA_ARGS__ })
#define RUNS(call) ck_assert_msg((call) == COT_OK, "%s", cot_error(ctx))

/* The call fails with the whole message. */
static void
fails(cot_status got, cot_status want, const char *message)
{
    ck_assert_int_eq(got, want);
    ck_assert_str_eq(cot_error(ctx), message);
    cot_error_clear(ctx);
}

/* weight, bias; x */
BODY(linear_body, out[0] = cot_linear(in[2], in[0], in[1]);)

static cot_module *
linear(const char *name)
{
    return cot_module_new(ctx, .name = name, .body = linear_body, .params = "weight, bias",
                          .inputs = "x", .results = "y");
}

static cot_module *
linear33(void)
{
    cot_module *m = linear("Linear");

    RUNS(cot_module_set(m, "weight", ARRAY(cot_f32(3, 3), 1, 2, 3, 4, 5, 6, 7, 8, 10)));
    RUNS(cot_module_set(m, "bias", ARRAY(cot_f32(3), .5f, -.5f, 1)));
    return m;
}

/* A102: the Jacobian in the input; the weights are read at each call. */
START_TEST(jacobian_in_the_input)
{
    cot_module *m = linear33();
    cot_array *x = ARRAY(cot_f32(3), 1, -1, 2), *j = NULL, *y = NULL;
    cot_fn *f = cot_jacrev(cot_module_fn(m), .wrt = COT_NAMES("x"));

    RUNS(cot_module_call(m, &y, 1, NULL, 0, &x, 1));
    RUNS(cot_module_call(m, &j, 1, NULL, 0, &x, 1, .fn = f));
    HAS(keep(y), 5.5f, 10.5f, 20);
    HAS(keep(j), 1, 2, 3, 4, 5, 6, 7, 8, 10);
    ((float *)cot_array_data(cot_module_array(m, "weight")))[0] = 11;
    RUNS(cot_module_call(m, &j, 1, NULL, 0, &x, 1, .fn = f));
    HAS(j, 11, 2, 3, 4, 5, 6, 7, 8, 10);
}
END_TEST

/* A103: the Jacobian in the parameters has their names. */
START_TEST(jacobian_in_the_parameters)
{
    cot_module *m = linear33();
    cot_array *x = ARRAY(cot_f32(3), 1, -1, 2), *j[2] = { NULL, NULL };
    cot_list names = COT_NAMES("weight, bias");
    cot_state s;

    for (int i = 0; i < 2; i++) {
        cot_fn *f = cot_module_fn(m);
        f = i ? cot_jacfwd(f, .wrt = names) : cot_jacrev(f, .wrt = names);
        RUNS(cot_module_call(m, j, 2, NULL, 0, &x, 1, .fn = f));
        RUNS(cot_module_named(m, names, j, 2, &s));
        HAS(cot_state_find(&s, "bias"), 1, 0, 0, 0, 1, 0, 0, 0, 1);
        HAS(cot_state_find(&s, "weight"), 1, -1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, -1, 2, 0, 0,
            0, 0, 0, 0, 0, 0, 0, 1, -1, 2);
    }
    keep(j[0]), keep(j[1]);
}
END_TEST

BODY(shifted, out[0] = cot_add(cot_mul(in[0], in[2]), in[1]);)

/* A104: parameters and buffers are two trees; what is given replaces, the rest stays. */
START_TEST(replaces_what_is_given)
{
    cot_module *m = cot_module_new(ctx, .name = "Shift", .body = shifted, .params = "scale",
                                   .buffers = "shift", .inputs = "x", .results = "y");
    cot_array *x = ARRAY(cot_f32(2), 1, 2), *y = NULL;
    cot_state both[] = { COT_STATE({ "scale", ARRAY(cot_f32(), 10) }),
                         COT_STATE({ "shift", ARRAY(cot_f32(), 7) }) };

    RUNS(cot_module_set(m, "scale", ARRAY(cot_f32(), 3)));
    RUNS(cot_module_set(m, "shift", ARRAY(cot_f32(), 1)));
    RUNS(cot_module_call(m, &y, 1, NULL, 0, &x, 1));
    HAS(keep(y), 4, 7);
    RUNS(cot_module_call(m, &y, 1, both, 1, &x, 1));
    HAS(y, 11, 21);
    RUNS(cot_module_call(m, &y, 1, both, 2, &x, 1, .strict = 1));
    HAS(y, 17, 27);
    RUNS(cot_module_call(m, &y, 1, NULL, 0, &x, 1));
    HAS(y, 4, 7);
}
END_TEST

/* The line of the call is the program's: it is given here. */
static cot_status
call(cot_module *m, const cot_state *s, int n, const cot_functional_options *o)
{
    cot_array *x = ARRAY(cot_f32(3), 1, -1, 2), *y = NULL;
    cot_status status =
        cot_module_call_((cot_place){ "main.c", 5 }, m, &y, 1, s, n, &x, 1, o, sizeof *o);

    cot_array_free(y);
    return status;
}

START_TEST(the_same_name_twice)
{
    cot_array *b = ARRAY(cot_f32(3), 0, 0, 0);
    cot_state twice[] = { COT_STATE({ "bias", b }), COT_STATE({ "bias", b }) };

    fails(call(linear33(), twice, 2, &(cot_functional_options){ .strict = 0 }), COT_ERR_ARG,
          "main.c:5: module_call: \"bias\" appears in more than one state; wants it in one");
}
END_TEST

/* y = sum(a * x) + sum(b * b) with a and b one storage */
BODY(tied_body, out[0] = cot_add(cot_reduce_sum(cot_mul(in[0], in[2])),
                                 cot_reduce_sum(cot_mul(in[1], in[1])));)

START_TEST(tied_names)
{
    cot_module *m = cot_module_new(ctx, .name = "Tied", .body = tied_body, .params = "a, b",
                                   .inputs = "x", .results = "y");
    cot_array *w = ARRAY(cot_f32(3), 1, 2, 3), *v = ARRAY(cot_f32(3), 1, 1, 1),
              *x = ARRAY(cot_f32(3), 1, -1, 2), *y = NULL, *g = NULL;
    cot_state b = COT_STATE({ "b", v }), apart = COT_STATE({ "a", w }, { "b", v }),
              equal = COT_STATE({ "a", v }, { "b", v });

    RUNS(cot_module_set(m, "a", w));
    RUNS(cot_module_tie(m, "b", "a"));
    RUNS(cot_module_call(m, &y, 1, NULL, 0, &x, 1));
    HAS(keep(y), 19);
    RUNS(cot_module_call(m, &g, 1, NULL, 0, &x, 1, .fn = cot_grad(cot_module_fn(m))));
    HAS(keep(g), 3, 3, 8);
    RUNS(cot_module_call(m, &y, 1, &b, 1, &x, 1));
    HAS(y, 5);
    RUNS(cot_module_call(m, &y, 1, &equal, 1, &x, 1));
    HAS(y, 5);
    RUNS(cot_module_call(m, &y, 1, &b, 1, &x, 1, .untied = 1));
    HAS(y, 8);
    fails(call(m, &apart, 1, &(cot_functional_options){ .strict = 0 }), COT_ERR_ARG,
          "main.c:5: module_call: \"a\" and \"b\" are tied and given different arrays; "
          "wants one of "
          "them, or an untied call");
}
END_TEST

START_TEST(strict_calls)
{
    cot_array *b = ARRAY(cot_f32(3), 0, 0, 0);
    cot_array *w = ARRAY(cot_f32(3, 3), 1, 0, 0, 0, 1, 0, 0, 0, 1);
    cot_state some = COT_STATE({ "bias", b }), other = COT_STATE({ "scale", b }),
              more = COT_STATE({ "weight", w }, { "bias", b }, { "scale", b }),
              apart[] = { COT_STATE({ "weight", w }), COT_STATE({ "bias", b }) };

    ck_assert_int_eq(call(linear("Linear"), apart, 2, &(cot_functional_options){ .strict = 1 }),
                     COT_OK);
    fails(call(linear33(), &more, 1, &(cot_functional_options){ .strict = 1 }), COT_ERR_ARG,
          "main.c:5: module_call: Linear has no parameter or buffer called \"scale\"");
    fails(call(linear33(), NULL, 0, &(cot_functional_options){ .strict = 1 }), COT_ERR_ARG,
          "main.c:5: module_call: \"weight\" is not given; wants every parameter "
          "and buffer "
          "of Linear");
    fails(call(linear33(), &some, 1, &(cot_functional_options){ .strict = 1 }), COT_ERR_ARG,
          "main.c:5: module_call: \"weight\" is not given; wants every parameter "
          "and buffer "
          "of Linear");
    fails(call(linear33(), &other, 1, &(cot_functional_options){ .strict = 0 }), COT_ERR_ARG,
          "main.c:5: module_call: Linear has no parameter or buffer called \"scale\"");
    fails(call(linear("Linear"), &some, 1, &(cot_functional_options){ .strict = 0 }),
          COT_ERR_ARG, "main.c:5: module_call: \"weight\" of Linear has no array; wants one");
}
END_TEST

/* ---- ensembles ---- */

static cot_module *
linear21(int i)
{
    static const float weight[3][2] = { { 1, 0 }, { 2, -1 }, { 3, -2 } },
                       bias[] = { 0, 10, 20 };
    cot_module *m = linear("Linear");

    RUNS(cot_module_set(m, "weight", keep(cot_array_copy(ctx, cot_f32(1, 2), weight[i]))));
    RUNS(cot_module_set(m, "bias", keep(cot_array_copy(ctx, cot_f32(1), &bias[i]))));
    return m;
}

/* A105, B149, B150: the figures of EXAMPLES. */
START_TEST(an_ensemble)
{
    cot_module *m[] = { linear21(0), linear21(1), linear21(2) };
    cot_array *shared = ARRAY(cot_f32(2), 2, 3), *own = ARRAY(cot_f32(3, 2), 2, 3, 1, 1, 0, 2),
              *y = NULL;
    cot_fn *f = cot_module_fn(m[0]);
    cot_state s[2];

    RUNS(cot_stack_module_state(ctx, m, 3, &s[0], &s[1]));
    ck_assert_int_eq(s[0].n, 2);
    ck_assert_int_eq(s[1].n, 0);
    cot_type t = cot_array_type(cot_state_find(&s[0], "weight"));
    ck_assert_int_eq(t.rank, 3);
    ck_assert_int_eq(t.dims[0], 3);
    ck_assert_int_eq(t.dims[1], 1);
    ck_assert_int_eq(t.dims[2], 2);
    HAS(cot_state_find(&s[0], "weight"), 1, 0, 2, -1, 3, -2);
    HAS(cot_state_find(&s[0], "bias"), 0, 10, 20);
    RUNS(
        cot_module_call(m[0], &y, 1, s, 2, &shared, 1,
                        .fn = cot_vmap(f, .in_dims = COT_DIMS("weight: 0, bias: 0, x: none"))));
    HAS(keep(y), 2, 11, 20);
    RUNS(cot_module_call(m[0], &y, 1, s, 2, &own, 1, .fn = cot_vmap(f)));
    HAS(y, 2, 11, 16);
    cot_state_free(&s[0]);
    cot_state_free(&s[1]);
}
END_TEST

BODY(other_body, out[0] = cot_linear(in[2], in[0], in[1]);)

START_TEST(stacks_that_do_not_fit)
{
    const cot_place at = { "main.c", 8 };
    cot_module *m[] = { linear21(0), linear21(1) }, *wrong[] = { m[0], NULL };
    cot_state p, b;

    fails(cot_stack_module_state_(at, ctx, m, 0, &p, &b), COT_ERR_ARG,
          "main.c:8: stack_module_state: the list of modules is empty; wants one or more");
    cot_module_train(m[1], 0);
    fails(cot_stack_module_state_(at, ctx, m, 2, &p, &b), COT_ERR_ARG,
          "main.c:8: stack_module_state: module 1 is in evaluation mode, module 0 in training "
          "mode; wants "
          "one mode");
    cot_module_train(m[1], 1);
    RUNS(cot_module_freeze(m[1], "bias", 1));
    fails(cot_stack_module_state_(at, ctx, m, 2, &p, &b), COT_ERR_ARG,
          "main.c:8: stack_module_state: \"bias\" is frozen in module 1 and not in module 0; "
          "wants it "
          "alike in all");
    RUNS(cot_module_freeze(m[1], "bias", 0));
    RUNS(cot_module_set(m[1], "weight", ARRAY(cot_f32(2, 2), 1, 2, 3, 4)));
    fails(cot_stack_module_state_(at, ctx, m, 2, &p, &b), COT_ERR_SHAPE,
          "main.c:8: stack_module_state: \"weight\" is f32[2,2] in module 1 and f32[1,2] in "
          "module 0; "
          "wants equal types");
    RUNS(cot_module_set(m[1], "weight",
                        keep(cot_array_copy(ctx, cot_f64(1, 2), (double[2]){ 0 }))));
    fails(cot_stack_module_state_(at, ctx, m, 2, &p, &b), COT_ERR_SHAPE,
          "main.c:8: stack_module_state: \"weight\" is f64[1,2] in module 1 and f32[1,2] in "
          "module 0; "
          "wants equal types");
    RUNS(cot_module_set(m[1], "weight", NULL));
    fails(cot_stack_module_state_(at, ctx, m, 2, &p, &b), COT_ERR_ARG,
          "main.c:8: stack_module_state: \"weight\" of Linear has no array; wants one");
    ck_assert_int_eq(p.n, 0);
    ck_assert_int_eq(b.n, 0);
    wrong[1] = cot_module_new(ctx, .name = "Linear", .body = linear_body,
                              .params = "weight, offset", .inputs = "x", .results = "y");
    RUNS(cot_module_set(wrong[1], "weight", cot_module_array(m[0], "weight")));
    fails(cot_stack_module_state_(at, ctx, wrong, 2, &p, &b), COT_ERR_ARG,
          "main.c:8: stack_module_state: module 1 has \"offset\" where module 0 has \"bias\"; "
          "wants equal trees");
    wrong[1] = cot_module_new(ctx, .name = "Other", .body = other_body,
                              .params = "weight, bias", .inputs = "x", .results = "y");
    fails(cot_stack_module_state_(at, ctx, wrong, 2, &p, &b), COT_ERR_ARG,
          "main.c:8: stack_module_state: module 1 is a Other, module 0 a Linear; wants modules "
          "of one "
          "kind");
}
END_TEST

/* ---- batch norm ---- */

struct normed {
    cot_value scale, bias, mean, var, batches, x;
};

static void
normed_body(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const struct normed *m = COT_STRUCT(struct normed, in);
    cot_value stats[2];

    (void)t, (void)user;
    out[0] = cot_batch_norm(m->x, stats, .scale = m->scale, .bias = m->bias, .mean = m->mean,
                            .var = m->var, .training = 1);
    out[1] = m->mean.ctx ? stats[0] : out[0];
    out[2] = m->mean.ctx ? stats[1] : out[0];
}

static cot_module *
normed(cot_batch_norm_config *config)
{
    cot_module *m =
        cot_module_new(ctx, .name = "Norm", .body = normed_body, .params = "bn{weight, bias}",
                       .buffers = "bn{running_mean, running_var, num_batches_tracked}",
                       .inputs = "x", .results = "y, mean, var");

    RUNS(cot_module_set(m, "bn.weight", ARRAY(cot_f32(1), 2)));
    RUNS(cot_module_set(m, "bn.bias", ARRAY(cot_f32(1), 1)));
    RUNS(cot_module_set(m, "bn.running_mean", ARRAY(cot_f32(1), 0)));
    RUNS(cot_module_set(m, "bn.running_var", ARRAY(cot_f32(1), 1)));
    RUNS(cot_module_set(m, "bn.num_batches_tracked", ARRAY(cot_f32(), 0)));
    config->track_running_stats = 1;
    RUNS(cot_module_batch_norm(m, "bn", config));
    return m;
}

static void
near(const cot_array *a, int i, double want)
{
    double x = (double)((const float *)cot_array_read(a))[i];

    ck_assert_msg(fabs(x - want) < 2e-6, "element %d is %g, wants %g", i, x, want);
}

/* A106, B152: three statistics gone, the flag off, the module itself returned. */
START_TEST(statistics_taken_away)
{
    cot_batch_norm_config config;
    cot_module *m = normed(&config);
    cot_array *x = ARRAY(cot_f32(4, 1), 1, 2, 3, 6), *y[3] = { NULL, NULL, NULL };

    ck_assert_ptr_eq(cot_replace_batch_norm(m), m);
    ck_assert_int_eq(config.track_running_stats, 0);
    ck_assert_ptr_null(cot_module_array(m, "bn.running_mean"));
    ck_assert_ptr_null(cot_module_array(m, "bn.running_var"));
    ck_assert_ptr_null(cot_module_array(m, "bn.num_batches_tracked"));
    ck_assert_ptr_nonnull(cot_module_array(m, "bn.weight"));
    RUNS(cot_module_call(m, y, 3, NULL, 0, &x, 1));
    near(y[0], 0, 1 - 4 / sqrt(3.5 + 1e-5));
    near(y[0], 3, 1 + 6 / sqrt(3.5 + 1e-5));
    for (int i = 0; i < 3; i++)
        keep(y[i]);
}
END_TEST

/* A107: the statistics are values, so that vmap gives those of each batch. */
START_TEST(statistics_out)
{
    cot_batch_norm_config config;
    cot_module *m = normed(&config);
    cot_array *x = ARRAY(cot_f32(2, 4, 1), 1, 2, 3, 6, 0, 0, 4, 4),
              *y[3] = { NULL, NULL, NULL };
    cot_fn *f = cot_vmap(cot_module_fn(m), .in_dims = COT_DIMS("bn: none, x: 0"));

    RUNS(cot_module_call(m, y, 3, NULL, 0, &x, 1, .fn = f));
    near(y[1], 0, 0.3);
    near(y[1], 1, 0.2);
    near(y[2], 0, 0.9 + 0.1 * 14 / 3);
    near(y[2], 1, 0.9 + 0.1 * 16 / 3);
    near(y[0], 4, 1 - 4 / sqrt(4 + 1e-5));
    for (int i = 0; i < 3; i++)
        keep(y[i]);
}
END_TEST

/* A107: what the statistics become is a tree of the buffers' own names, one for each batch, and
 * goes into the next call, where its leaves are mapped. */
START_TEST(statistics_in_and_out)
{
    cot_batch_norm_config config;
    cot_module *m = normed(&config);
    cot_array *x = ARRAY(cot_f32(2, 4, 1), 1, 2, 3, 6, 0, 0, 4, 4),
              *y[3] = { NULL, NULL, NULL }, *z[3] = { NULL, NULL, NULL };
    cot_fn *f = cot_vmap(cot_module_fn(m), .in_dims = COT_DIMS("bn: none, x: 0")),
           *g = cot_vmap(cot_module_fn(m), .in_dims = COT_DIMS("bn: none, bn.running_mean: 0, "
                                                               "bn.running_var: 0, x: 0"));

    RUNS(cot_module_call(m, y, 3, NULL, 0, &x, 1, .fn = f));
    cot_state after =
        COT_STATE({ "bn.running_mean", y[1] }, { "bn.running_var", y[2] });
    ck_assert_int_eq(cot_array_type(y[1]).rank, 2);
    RUNS(cot_module_call(m, z, 3, &after, 1, &x, 1, .fn = g));
    near(z[1], 0, 0.9 * 0.3 + 0.3);
    near(z[1], 1, 0.9 * 0.2 + 0.2);
    near(z[2], 0, 0.9 * (0.9 + 0.1 * 14 / 3) + 0.1 * 14 / 3);
    near(z[2], 1, 0.9 * (0.9 + 0.1 * 16 / 3) + 0.1 * 16 / 3);
    for (int i = 0; i < 3; i++)
        keep(y[i]), keep(z[i]);
    HAS(cot_module_array(m, "bn.running_mean"), 0);
    HAS(cot_module_array(m, "bn.running_var"), 1);
}
END_TEST

/* A107: without statistics the same layer maps with nothing said about them. */
START_TEST(no_statistics_under_vmap)
{
    cot_batch_norm_config config;
    cot_module *m = cot_replace_batch_norm(normed(&config));
    cot_array *x = ARRAY(cot_f32(2, 4, 1), 1, 2, 3, 6, 0, 0, 4, 4),
              *y[3] = { NULL, NULL, NULL };
    cot_fn *f = cot_vmap(cot_module_fn(m), .in_dims = COT_DIMS("bn: none, x: 0"));

    RUNS(cot_module_call(m, y, 3, NULL, 0, &x, 1, .fn = f));
    near(y[0], 0, 1 - 4 / sqrt(3.5 + 1e-5));
    near(y[0], 4, 1 - 4 / sqrt(4 + 1e-5));
    near(y[0], 7, 1 + 4 / sqrt(4 + 1e-5));
    for (int i = 0; i < 3; i++)
        keep(y[i]);
}
END_TEST

/* A107: a group norm has no statistics at all: two groups of two channels, [4] for each
 * example. */
BODY(group_norm, out[0] = cot_reshape(cot_layer_norm(cot_reshape(in[0], 2, 2)), 4);)

START_TEST(group_norm_under_vmap)
{
    cot_array *x = ARRAY(cot_f32(2, 4), 1, 3, 5, 5, 0, 8, -1, 1), *y = NULL;
    cot_fn *f = cot_vmap(cot_fn_new(ctx, "group_norm", group_norm, 1, 1, NULL));

    RUNS(cot_jit(f, &y, 1, (const cot_array *[]){ x }, 1));
    keep(y);
    near(y, 0, -1 / sqrt(1 + 1e-5));
    near(y, 2, 0);
    near(y, 5, 4 / sqrt(16 + 1e-5));
    near(y, 6, -1 / sqrt(1 + 1e-5));
}
END_TEST

/* A107: the clash itself: statistics that all batches share cannot be written by each. */
BODY(written_stats, cot_value mean = cot_mean(in[1], .axes = COT_LIST(0));
     cot_assign(in[0], cot_add(cot_mul(0.9, in[0]), cot_mul(0.1, mean)));
     out[0] = cot_sub(in[1], mean);)

START_TEST(statistics_written_in_place)
{
    cot_fn *f = cot_vmap(cot_fn_new(ctx, "norm", written_stats, 2, 1, NULL),
                         .in_dims = COT_LIST(COT_NONE, 0));
    const cot_graph *g;

    ck_assert_int_eq(cot_trace_fn(f, COT_TYPES(cot_f32(1), cot_f32(2, 4, 1)), &g),
                     COT_ERR_SHAPE);
    ck_assert_ptr_nonnull(
        strstr(cot_error(ctx), "argument 0 is f32[1] and not mapped, what is written to it is "
                               "mapped: f32[1] for each example, f32[2,1] for all"));
    cot_error_clear(ctx);
}
END_TEST

/* ---- ensembles made under vmap ---- */

BODY(fresh_start, out[0] = cot_normal(t, cot_f32(1, 2)); out[1] = cot_normal(t, cot_f32(1));)
BODY(start_of_key, cot_value keys = cot_split_key(in[0], 2);
     out[0] = cot_normal(t, cot_f32(1, 2), .key = cot_index(keys, 0, 0));
     out[1] = cot_normal(t, cot_f32(1), .key = cot_index(keys, 1, 0));)

/* B151: three modules of the generator's numbers, different ones for each, and what they
 * answer. */
START_TEST(an_ensemble_of_fresh_modules)
{
    cot_fn *start = cot_fn_new(ctx, "start", fresh_start, 0, 2, NULL),
           *wrong = cot_vmap(start, .size = 3);
    cot_array *p[2] = { NULL, NULL }, *q[2] = { NULL, NULL }, *x = ARRAY(cot_f32(2), 2, 3),
              *y = NULL;
    cot_module *m = linear("Linear");
    const cot_graph *g;

    RUNS(
        cot_jit(cot_vmap(start, .size = 3, .randomness = COT_RANDOM_DIFFERENT), p, 2, NULL, 0));
    keep(p[0]), keep(p[1]);
    const float *w = cot_array_read(p[0]), *b = cot_array_read(p[1]);
    ck_assert_uint_eq(cot_array_bytes(p[0]), 6 * sizeof *w);
    ck_assert(w[0] != w[2] && w[2] != w[4] && w[0] != w[4] && b[0] != b[1] && b[1] != b[2]);
    cot_state s = COT_STATE({ "weight", p[0] }, { "bias", p[1] });
    RUNS(cot_module_call(
        m, &y, 1, &s, 1, &x, 1, .strict = 1,
        .fn = cot_vmap(cot_module_fn(m), .in_dims = COT_DIMS("weight: 0, bias: 0, x: none"))));
    keep(y);
    for (int i = 0; i < 3; i++)
        near(y, i, 2 * (double)w[2 * i] + 3 * (double)w[2 * i + 1] + (double)b[i]);
    RUNS(cot_jit(cot_vmap(start, .size = 3, .randomness = COT_RANDOM_SAME), q, 2, NULL, 0));
    keep(q[0]), keep(q[1]);
    w = cot_array_read(q[0]);
    ck_assert(w[0] == w[2] && w[2] == w[4]);
    ck_assert_int_ne(cot_trace_fn(wrong, COT_TYPES(), &g), COT_OK);
    cot_error_clear(ctx);
}
END_TEST

/* B151: over keys: each module is what its key gives alone, to the bit. */
START_TEST(an_ensemble_of_keys)
{
    cot_fn *start = cot_fn_new(ctx, "start", start_of_key, 1, 2, NULL);
    uint64_t key[3][2] = { { 1, 0 }, { 2, 0 }, { 2, 5 } };
    cot_array *keys = keep(cot_array_borrow(ctx, cot_u64(3, 2), key)), *p[2] = { NULL, NULL };

    RUNS(cot_jit(cot_vmap(start), p, 2, (const cot_array *[]){ keys }, 1));
    keep(p[0]), keep(p[1]);
    for (int i = 0; i < 3; i++) {
        cot_array *one = keep(cot_array_borrow(ctx, cot_u64(2), key[i])),
                  *q[2] = { NULL, NULL };
        RUNS(cot_jit(start, q, 2, (const cot_array *[]){ one }, 1));
        keep(q[0]), keep(q[1]);
        ck_assert_mem_eq(cot_array_read(q[0]), (const float *)cot_array_read(p[0]) + 2 * i,
                         2 * sizeof(float));
        ck_assert_mem_eq(cot_array_read(q[1]), (const float *)cot_array_read(p[1]) + i,
                         sizeof(float));
    }
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "A102", jacobian_in_the_input, 1 },
        { "A103", jacobian_in_the_parameters, 1 },
        { "A104", replaces_what_is_given, 1 },
        { "A105", an_ensemble, 1 },
        { "A106", statistics_taken_away, 1 },
        { "A107", statistics_out, 1 },
        { "A107", statistics_in_and_out, 1 },
        { "A107", no_statistics_under_vmap, 1 },
        { "A107", group_norm_under_vmap, 1 },
        { "A107", statistics_written_in_place, 1 },
        { "B145", the_same_name_twice, 1 },
        { "B146", tied_names, 1 },
        { "B147", strict_calls, 1 },
        { "B148", stacks_that_do_not_fit, 1 },
        { "B149", an_ensemble, 1 },
        { "B150", an_ensemble, 1 },
        { "B151", an_ensemble_of_fresh_modules, 1 },
        { "B151", an_ensemble_of_keys, 1 },
        { "B152", statistics_taken_away, 1 },
    };

    return SUITE_WITH("modules", cases, begin, end);
}
