/* Random numbers and hidden inputs, as a user meets them: rows of the feature list. */
#include "tests/unit/draws.h"

#include <stdio.h>

/* ---- captured arrays ---- */

static cot_array *weight;

static void
linear(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)user;
    out[0] = cot_matmul(cot_capture(t, weight, "weight"), in[0]);
}

START_TEST(a109_jacobian_of_a_captured_layer)
{
    static const float w[6] = { 1, 2, 3, 4, 5, 6 }, w2[6] = { 7, 8, 9, 1, 2, 3 };
    float jac[6];
    cot_fn *f = cot_jacrev(fn(linear, 1, 1));
    cot_array *x = f32s(3, three_ones);
    const cot_graph *g, *again;
    cot_kernel *k;

    weight = cot_array_copy(ctx, cot_f32(2, 3), w);
    call(f, 1, &x, jac, sizeof jac);
    ck_assert_mem_eq(jac, w, sizeof w);
    ck_assert_int_eq(cot_trace_fn(f, COT_TYPES(cot_f32(3)), &g), COT_OK);
    memcpy(cot_array_data(weight), w2, sizeof w2);
    call(f, 1, &x, jac, sizeof jac);
    ck_assert_mem_eq(jac, w2, sizeof w2);
    ck_assert_int_eq(cot_trace_fn(f, COT_TYPES(cot_f32(3)), &again), COT_OK);
    ck_assert_ptr_eq(g, again);
    ck_assert_int_eq(cot_compile(f, COT_TYPES(cot_f32(3)), NULL, &k), COT_OK);
    memcpy(cot_array_data(weight), w, sizeof w);
    cot_array *y = cot_array_new(ctx, cot_f32(2, 3));
    ck_assert_int_eq(cot_run(k, &y, (const cot_array *[]){ x }), COT_OK);
    ck_assert_mem_eq(cot_array_data(y), w, sizeof w);
    same_on_eval(f, 1, &x, w, sizeof w);
    cot_array_free(y);
    cot_kernel_free(k);
    cot_array_free(x);
    cot_array_free(weight);
}
END_TEST

static void
nested(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    cot_value y = cot_call((cot_fn *)user, in[0]);
    out[0] = cot_reduce_sum(cot_mul(y, y));
}

START_TEST(a109_captured_through_nested_functions)
{
    static const float w[6] = { 1, 0, 0, 0, 2, 0 };
    float g[6], x2[6] = { 1, 1, 1, 2, 2, 2 };
    cot_fn *inner = fn(linear, 1, 1), *f = cot_fn_new(ctx, "outer", nested, 1, 1, inner);
    cot_array *x = cot_array_copy(ctx, cot_f32(2, 3), x2), *one = f32s(3, three_ones);
    float y[2];

    weight = cot_array_copy(ctx, cot_f32(2, 3), w);
    call(cot_vmap(cot_grad(f)), 1, &x, g, sizeof g);
    ck_assert_float_eq(g[0], 2);
    ck_assert_float_eq(g[1], 8);
    ck_assert_float_eq(g[3], 4);
    call(inner, 1, &one, y, sizeof y); /* traced alone, and then called inside another */
    call(f, 1, &one, y, sizeof y[0]);
    ck_assert_float_eq(y[0], 5);
    cot_array_free(x);
    cot_array_free(one);
    cot_array_free(weight);
}
END_TEST

static char text[20000];
static void
keep_text(void *user, const char *s, size_t n)
{
    (void)user;
    if (strlen(text) + n < sizeof text)
        strncat(text, s, n);
}

START_TEST(a109_prints_and_parses_back)
{
    static const float w[6] = { 0 };
    const cot_graph *g, *back;
    char once[sizeof text];

    weight = cot_array_copy(ctx, cot_f32(2, 3), w);
    ck_assert_int_eq(cot_trace_fn(fn(linear, 1, 1), COT_TYPES(cot_f32(3)), &g), COT_OK);
    text[0] = 0;
    cot_dump_graph(g, keep_text, NULL);
    ck_assert_ptr_nonnull(strstr(text, "(%arg0: f32[3], hidden %weight: f32[2,3]) -> f32[2]"));
    strcpy(once, text);
    ck_assert_int_eq(cot_parse(ctx, "t", once, strlen(once), NULL, &back), COT_OK);
    text[0] = 0;
    cot_dump_graph(back, keep_text, NULL);
    ck_assert_str_eq(once, text);
    cot_array_free(weight);
}
END_TEST

/* The context holds what its functions read: the caller may let go at once. */
START_TEST(a109_array_let_go_before_its_function)
{
    static const float w[6] = { 1, 2, 3, 4, 5, 6 };
    float y[2];
    cot_array *x = f32s(3, three_ones);
    cot_fn *f = fn(linear, 1, 1);
    cot_kernel *k;

    weight = cot_array_copy(ctx, cot_f32(2, 3), w);
    ck_assert_int_eq(cot_compile(f, COT_TYPES(cot_f32(3)), NULL, &k), COT_OK);
    cot_array_free(weight);
    weight = NULL;
    call(f, 1, &x, y, sizeof y);
    ck_assert_float_eq(y[0], 6);
    ck_assert_float_eq(y[1], 15);
    cot_array *z = cot_array_new(ctx, cot_f32(2));
    ck_assert_int_eq(cot_run(k, &z, (const cot_array *[]){ x }), COT_OK);
    ck_assert_mem_eq(cot_array_data(z), y, sizeof y);
    cot_array_free(z);
    cot_array_free(x);
    cot_kernel_free(k);
}
END_TEST

/* A15: closure over a value of the outer trace, and over an array. */
static cot_array *array_weights;
static void
model(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const cot_value *w = user;
    out[0] = cot_relu(cot_dot(in[0], w ? *w : cot_capture(t, array_weights, "weights")));
}
static void
closure(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value w = in[1];
    (void)t, (void)user;
    out[0] = cot_call(cot_vmap(cot_fn_new(ctx, "model", model, 1, 1, &w)), in[0]);
}

START_TEST(a15_closure_over_value_and_array)
{
    static const float x[6] = { 1, 2, 3, -4, -5, -6 }, w[3] = { 1, 1, 2 };
    cot_array *in[2] = { cot_array_copy(ctx, cot_f32(2, 3), x), f32s(3, w) };
    float y[2], z[2];

    array_weights = in[1];
    call(cot_vmap(fn(model, 1, 1)), 1, in, y, sizeof y);
    call(fn(closure, 2, 1), 2, in, z, sizeof z);
    ck_assert_float_eq(y[0], 9);
    ck_assert_float_eq(y[1], 0);
    ck_assert_mem_eq(y, z, sizeof y);
    cot_array_free(in[0]);
    cot_array_free(in[1]);
}
END_TEST

static char *
slurp(const char *path)
{
    FILE *f = fopen(path, "rb");
    static char bytes[20000];
    size_t n = f ? fread(bytes, 1, sizeof bytes - 1, f) : 0;

    bytes[n] = 0;
    if (f)
        fclose(f);
    return bytes;
}

static void add_noise(cot_trace *t, const cot_value *in, cot_value *out, void *user);

START_TEST(headers_list_hidden_arguments)
{
    static const float w[6] = { 0 };
    cot_export e[2] = { { fn(linear, 1, 1), COT_TYPES(cot_f32(3)), "linear" },
                        { fn(add_noise, 1, 1), COT_TYPES(cot_f32()), "add_noise" } };
    const char *h;

    weight = cot_array_copy(ctx, cot_f32(2, 3), w);
    ck_assert_int_eq(cot_build_object(ctx, e, 2, NULL, "random_row.o", "random_row.h"), COT_OK);
    h = slurp("random_row.h");
    ck_assert_ptr_nonnull(
        strstr(h, "int linear(const float *arg0, const float *weight, float *out0, "));
    ck_assert_ptr_nonnull(
        strstr(h, "int add_noise(const float *arg0, const uint64_t key[2], float *out0, "));
    remove("random_row.o");
    remove("random_row.h");
    cot_array_free(weight);
}
END_TEST

/* ---- modes of vmap ---- */

static int noise_line;
static void
add_noise(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)user;
    noise_line = __LINE__ + 1;
    out[0] = cot_add(in[0], cot_normal(t, cot_f32()));
}

START_TEST(a87_error)
{
    const cot_graph *g;
    char want[400];
    cot_fn *f = cot_vmap(fn(add_noise, 1, 1));

    ck_assert_int_eq(cot_trace_fn(f, COT_TYPES(cot_f32(3)), &g), COT_ERR_ARG);
    snprintf(
        want, sizeof want,
        "%s:%d: vmap: draws random numbers, and randomness is error; wants different (each "
        "example its own) or same (one draw for all)",
        __FILE__, noise_line);
    ck_assert_str_eq(cot_error(ctx), want);
}
END_TEST

START_TEST(a88_different)
{
    float y[3], again[3], next[3];

    for (int64_t chunk = 0; chunk <= 3; chunk++) {
        cot_manual_seed(ctx, 7);
        mapped(add_noise, COT_RANDOM_DIFFERENT, chunk, chunk ? again : y);
        ck_assert(distinct(y, 3));
        if (chunk)
            ck_assert_mem_eq(y, again, sizeof y);
    }
    mapped(add_noise, COT_RANDOM_DIFFERENT, 0, next);
    ck_assert_float_ne(y[0], next[0]);
}
END_TEST

START_TEST(a89_same)
{
    float y[3], next[3];
    const cot_graph *g;

    mapped(add_noise, COT_RANDOM_SAME, 0, y);
    ck_assert(y[0] == y[1] && y[1] == y[2]);
    mapped(add_noise, COT_RANDOM_SAME, 0, next);
    ck_assert_float_ne(y[0], next[0]);
    ck_assert_int_eq(cot_trace_fn(cot_vmap(fn(add_noise, 1, 1), .randomness = COT_RANDOM_SAME),
                                  COT_TYPES(cot_f32(3)), &g), COT_OK);
    text[0] = 0;
    cot_dump_graph(g, keep_text, NULL);
    ck_assert_ptr_nonnull(strstr(text, " = philox"));
    ck_assert_ptr_null(strstr(text, "u64[3")); /* no draw has the axis */
}
END_TEST

START_TEST(a90_generator_advances)
{
    float a[3], b[3], c[3];

    cot_manual_seed(ctx, 5);
    mapped(add_noise, COT_RANDOM_DIFFERENT, 0, a);
    mapped(add_noise, COT_RANDOM_DIFFERENT, 0, b);
    cot_manual_seed(ctx, 5);
    mapped(add_noise, COT_RANDOM_DIFFERENT, 0, c);
    ck_assert_mem_eq(a, c, sizeof a);
    ck_assert_mem_ne(a, b, sizeof a);
}
END_TEST

START_TEST(a86_only_vmap_and_jacfwd)
{
    const cot_graph *g;

    ck_assert_int_eq(cot_trace_fn(cot_pipeline_((cot_place){ "main.c", 7 }, fn(add_noise, 1, 1),
                                                "grad(randomness=same)"),
                                  COT_TYPES(cot_f32()), &g),
                     COT_ERR_ARG);
    ck_assert_str_eq(
        cot_error(ctx),
        "main.c:7: grad: has no option `randomness`; its options: wrt, aux (column 6 "
        "of `grad(randomness=same)`)");
    cot_error_clear(ctx);
    ck_assert_int_eq(cot_trace_fn(cot_pipeline(fn(add_noise, 1, 1), "vmap(randomness=same)"),
                                  COT_TYPES(cot_f32(3)), &g), COT_OK);
}
END_TEST

/* ---- draws written in place ---- */

static int write_line;

/* user: bit 0, the destination is made inside; bit 1, the argument 1 is a probability. */
static void
draw_into(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const int how = *(int *)user;
    cot_value x = how & 1 ? cot_zeros(t, cot_f32(4)) : in[0];
    cot_value u = how & 2 ? cot_convert(cot_bernoulli(t, cot_bool(4), in[1]), COT_F32)
                          : cot_uniform(t, cot_f32(4));
    write_line = __LINE__ + 1;
    cot_assign(x, u);
    out[0] = cot_mul(x, 1.0);
}

static void
written(int how, cot_randomness mode, bool shared, float y[12])
{
    static const float zero[12] = { 0 }, p[3] = { 0, 0.5f, 1 };
    cot_array *in[2] = { shared ? cot_array_copy(ctx, cot_f32(4), zero)
                                : cot_array_copy(ctx, cot_f32(3, 4), zero),
                         f32s(3, p) };
    cot_array *out = cot_array_new(ctx, cot_f32(3, 4));
    cot_fn *f = cot_vmap(cot_fn_new(ctx, "f", draw_into, 2, 1, &how), .randomness = mode,
                         .in_dims = COT_LIST(shared ? COT_NONE : 0, 0));
    cot_kernel *k;

    if (cot_compile(f, COT_TYPES(cot_array_type(in[0]), cot_f32(3)), NULL, &k) != COT_OK)
        ck_abort_msg("%s", cot_error(ctx));
    ck_assert_int_eq(cot_run(k, &out, (const cot_array *const *)in), COT_OK);
    memcpy(y, cot_array_data(out), 12 * sizeof *y);
    if (!(how & 1) && !shared)
        ck_assert_mem_eq(cot_array_data(in[0]), y, 12 * sizeof *y);
    if (!(how & 1) && shared)
        ck_assert_mem_eq(cot_array_data(in[0]), y, 4 * sizeof *y);
    cot_kernel_free(k);
    for (int i = 0; i < 2; i++)
        cot_array_free(in[i]);
    cot_array_free(out);
}

static void
refused_write(int how, cot_randomness mode)
{
    const cot_graph *g;
    char want[600];
    cot_fn *f = cot_vmap(cot_fn_new(ctx, "f", draw_into, 2, 1, &how), .randomness = mode,
                         .in_dims = COT_LIST(COT_NONE, 0));

    ck_assert_int_eq(cot_trace_fn(f, COT_TYPES(cot_f32(4), cot_f32(3)), &g), COT_ERR_SHAPE);
    snprintf(
        want, sizeof want,
        "%s:%d: assign: argument 0 is f32[4] and not mapped, what is written to it is mapped: "
        "f32[4] for each example, f32[3,4] for all; wants the argument mapped too, or a value "
        "made inside",
        __FILE__, write_line);
    ck_assert_str_eq(cot_error(ctx), want);
    cot_error_clear(ctx);
}

START_TEST(b80_draws_into_what_is_not_mapped)
{
    float y[12];

    refused_write(0, COT_RANDOM_DIFFERENT);
    written(0, COT_RANDOM_SAME, true, y); /* one draw, one destination */
    ck_assert(distinct(y, 4));
    ck_assert_mem_eq(y, y + 4, 4 * sizeof *y);
    written(1, COT_RANDOM_DIFFERENT, true, y); /* made inside: becomes mapped */
    ck_assert(distinct(y, 12));
    written(0, COT_RANDOM_DIFFERENT, false, y);
    ck_assert(distinct(y, 12));
}
END_TEST

START_TEST(b81_draws_with_mapped_parameters)
{
    float y[12];

    refused_write(2, COT_RANDOM_DIFFERENT);
    refused_write(2, COT_RANDOM_SAME); /* the probability is mapped, so the draw is */
    for (int how = 2; how <= 3; how++) {
        written(how, COT_RANDOM_DIFFERENT, how & 1, y);
        for (int i = 0; i < 4; i++)
            ck_assert(y[i] == 0 && (y[4 + i] == 0 || y[4 + i] == 1) && y[8 + i] == 1);
    }
}
END_TEST

/* ---- loops, order ---- */

static void
step(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value u = cot_uniform(t, cot_f32());
    (void)user;
    out[0] = cot_add(in[0], u);
    out[1] = u;
}
static void
looping(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value y[2];
    (void)t, (void)user;
    cot_scan(step, .in = COT_VALUES(in[0]), .out = y, .n_out = 1, .length = 3);
    out[0] = y[1];
}
static void
put(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value u = cot_reshape(cot_uniform(t, cot_f32()), 1);
    (void)user;
    out[0] = cot_add(in[0], 1);
    out[1] = cot_dynamic_update_slice(in[1], u, COT_VALUES(in[0]));
}
static void
below3(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_lt(in[0], 3);
}
static void
whiling(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value y[2], zero = cot_full(t, cot_i32(), 0);
    (void)user, (void)in;
    cot_while(below3, put, .in = COT_VALUES(zero, cot_full(t, cot_f32(3), 0.0)), .out = y);
    out[0] = y[1];
}

START_TEST(trips_join_the_key)
{
    float zero = 0, y[3], z[6];
    cot_array *x = cot_array_copy(ctx, cot_f32(), &zero), *two = f32s(2, (float[]){ 0, 0 });

    call(fn(looping, 1, 1), 1, &x, y, sizeof y);
    ck_assert(distinct(y, 3));
    call(fn(whiling, 1, 1), 1, &x, y, sizeof y);
    ck_assert(distinct(y, 3));
    call(cot_vmap(fn(looping, 1, 1), .randomness = COT_RANDOM_DIFFERENT), 1, &two, z, sizeof z);
    ck_assert(distinct(z, 6));
    call(cot_vmap(fn(looping, 1, 1), .randomness = COT_RANDOM_SAME), 1, &two, z, sizeof z);
    ck_assert(distinct(z, 3));
    ck_assert_mem_eq(z, z + 3, sizeof y);
    cot_array_free(x);
    cot_array_free(two);
}
END_TEST

static void
dead_first(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value a = cot_uniform(t, cot_f32()), b = cot_uniform(t, cot_f32());
    (void)user;
    out[0] = cot_mul(in[0], b);
    if (user)
        out[1] = a;
}

START_TEST(order_of_draws_is_that_of_the_trace)
{
    float one = 1, y, z[2];
    cot_array *x = cot_array_copy(ctx, cot_f32(), &one), *out[2] = { NULL, NULL };

    cot_manual_seed(ctx, 1);
    call(fn(dead_first, 1, 1), 1, &x, &y, sizeof y);
    cot_manual_seed(ctx, 1);
    ck_assert_int_eq(cot_jit(cot_fn_new(ctx, "g", dead_first, 1, 2, &one), out, 2,
                             (const cot_array *[]){ x }, 1), COT_OK);
    z[0] = *(float *)cot_array_data(out[0]);
    z[1] = *(float *)cot_array_data(out[1]);
    ck_assert_float_eq(y, z[0]);
    ck_assert_float_ne(z[0], z[1]);
    cot_manual_seed(ctx, 1);
    call(cot_grad(fn(dead_first, 1, 1)), 1, &x, z, sizeof *z);
    ck_assert_float_eq(y, z[0]);
    for (int i = 0; i < 2; i++)
        cot_array_free(out[i]);
    cot_array_free(x);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "A15", a15_closure_over_value_and_array, 1 },
        { "A86", a86_only_vmap_and_jacfwd, 1 },
        { "A87", a87_error, 1 },
        { "A88", a88_different, 1 },
        { "A89", a89_same, 1 },
        { "A90", a90_generator_advances, 1 },
        { "A109", a109_jacobian_of_a_captured_layer, 1 },
        { "A109", a109_captured_through_nested_functions, 1 },
        { "A109", a109_prints_and_parses_back, 1 },
        { "A109", a109_array_let_go_before_its_function, 1 },
        { "A109", headers_list_hidden_arguments, 1 },
        { "B80", b80_draws_into_what_is_not_mapped, 1 },
        { "B81", b81_draws_with_mapped_parameters, 1 },
        { "loops", trips_join_the_key, 1 },
        { "order", order_of_draws_is_that_of_the_trace, 1 },
    };

    return SUITE("random", cases);
}
