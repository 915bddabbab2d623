/* Distributions under keys, vmap, chunks and Jacobians: rows of the feature list. */
#include "tests/unit/draws.h"

static void
add_noise(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)user;
    out[0] = cot_add(in[0], cot_normal(t, cot_f32()));
}

static void
draw_key(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_uniform(t, cot_f32(2), .key = in[0]);
}

START_TEST(a91_a_draw_is_a_function_of_its_key)
{
    static const uint64_t k[4] = { 3, 0, 3, 0 };
    float y[4];
    cot_array *key = cot_array_copy(ctx, cot_u64(2, 2), k);

    call(cot_vmap(fn(draw_key, 1, 1)), 1, &key, y, sizeof y);
    ck_assert_mem_eq(y, y + 2, 2 * sizeof *y);
    ck_assert_float_ne(y[0], y[1]);
    cot_array_free(key);
}
END_TEST

static void
factories(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value v = in[0];
    cot_type many = cot_f32(2);

    switch (*(int *)user) {
    case 0: v = cot_normal(t, many); break;
    case 1: v = cot_uniform(t, many); break;
    case 2: v = cot_convert(cot_randint(t, cot_i32(2), 0, 1 << 20), COT_F32); break;
    case 3: v = cot_exponential(t, many); break;
    case 4: v = cot_gamma(t, cot_full(t, many, 2.0)); break;
    default: v = cot_convert(cot_permutation(t, 40), COT_F32);
    }
    out[0] = cot_add(cot_reduce_sum(cot_mul(v, v), .axes = COT_LIST(0)), cot_mul(in[0], 0.0));
    if (*(int *)user == 5)
        out[0] = cot_reduce_sum(cot_mul(v, cot_convert(cot_iota(t, cot_i32(40), 0), COT_F32)));
}

START_TEST(b75_factories)
{
    int which = _i;
    float y[3];
    const cot_graph *g;
    cot_array *x = f32s(3, three_ones);
    cot_fn *f = cot_fn_new(ctx, "f", factories, 1, 1, &which);

    call(cot_vmap(f, .randomness = COT_RANDOM_DIFFERENT), 1, &x, y, sizeof y);
    ck_assert(distinct(y, 3));
    call(cot_vmap(f, .randomness = COT_RANDOM_SAME), 1, &x, y, sizeof y);
    ck_assert(y[0] == y[1] && y[1] == y[2]);
    ck_assert_int_eq(cot_trace_fn(cot_vmap(f), COT_TYPES(cot_f32(3)), &g), COT_ERR_ARG);
    ck_assert_ptr_nonnull(strstr(cot_error(ctx), "randomness is error"));
    cot_array_free(x);
}
END_TEST

static void
keyed(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)user;
    out[0] = cot_add(in[0], cot_uniform(t, cot_f32(), .key = in[1]));
}

/* A key is a value: mapped, it gives each example its own numbers; shared, one draw for all. */
START_TEST(b76_explicit_keys)
{
    static const uint64_t k[6] = { 1, 0, 2, 0, 3, 0 };
    float y[3];
    cot_array *in[2] = { f32s(3, three_ones), cot_array_copy(ctx, cot_u64(3, 2), k) };

    call(cot_vmap(fn(keyed, 2, 1)), 2, in, y, sizeof y);
    ck_assert(distinct(y, 3));
    cot_array_free(in[1]);
    in[1] = cot_array_copy(ctx, cot_u64(2), k);
    call(cot_vmap(fn(keyed, 2, 1), .in_dims = COT_LIST(0, COT_NONE)), 2, in, y, sizeof y);
    ck_assert(y[0] == y[1] && y[1] == y[2]);
    cot_array_free(in[0]);
    cot_array_free(in[1]);
}
END_TEST

static void
like(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)user;
    out[0] = cot_convert(cot_bernoulli(t, cot_bool(64), in[0]), COT_F32);
}

/* The same uniforms, the examples' own thresholds: more is true where p is larger. */
START_TEST(b77_like_ops)
{
    static const float p[2] = { 0.5f, 0.5f };
    float y[128], z[64];
    cot_array *x = f32s(2, p), *one = cot_array_copy(ctx, cot_f32(), p);

    call(cot_vmap(fn(like, 1, 1), .randomness = COT_RANDOM_DIFFERENT), 1, &x, y, sizeof y);
    ck_assert_mem_ne(y, y + 64, sizeof z);
    call(cot_vmap(fn(like, 1, 1), .in_dims = COT_LIST(COT_NONE), .size = 2,
                  .randomness = COT_RANDOM_DIFFERENT),
         1, &one, y, sizeof y);
    ck_assert_mem_ne(y, y + 64, sizeof z);
    call(cot_vmap(fn(like, 1, 1), .randomness = COT_RANDOM_SAME), 1, &x, y, sizeof y);
    ck_assert_mem_eq(y, y + 64, sizeof z);
    cot_array_free(x);
    cot_array_free(one);
}
END_TEST

START_TEST(b79_bernoulli_mapped_probability_same)
{
    static const float p[2] = { 0.3f, 0.7f };
    float y[128];
    int more = 0;
    cot_array *x = f32s(2, p);

    call(cot_vmap(fn(like, 1, 1), .randomness = COT_RANDOM_SAME), 1, &x, y, sizeof y);
    for (int i = 0; i < 64; i++) {
        ck_assert(y[i] <= y[64 + i]);
        more += y[i] < y[64 + i];
    }
    ck_assert_int_gt(more, 0);
    cot_array_free(x);
}
END_TEST

static void
drop(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_dropout(in[0], 0.5);
}

START_TEST(b78_dropout)
{
    float x[128], y[128];
    const cot_graph *g;

    for (int i = 0; i < 128; i++)
        x[i] = (float)(1 + i / 64);
    cot_array *in = cot_array_copy(ctx, cot_f32(2, 64), x);
    call(cot_vmap(fn(drop, 1, 1), .randomness = COT_RANDOM_SAME), 1, &in, y, sizeof y);
    for (int i = 0; i < 64; i++)
        ck_assert(y[64 + i] == 2 * y[i] && (y[i] == 0 || y[i] == 2));
    call(cot_vmap(fn(drop, 1, 1), .randomness = COT_RANDOM_DIFFERENT), 1, &in, y, sizeof y);
    int differ = 0;
    for (int i = 0; i < 64; i++)
        differ += (y[i] == 0) != (y[64 + i] == 0);
    ck_assert_int_gt(differ, 0);
    ck_assert_int_eq(cot_trace_fn(cot_vmap(fn(drop, 1, 1)), COT_TYPES(cot_f32(2, 64)), &g),
                     COT_ERR_ARG);
    cot_array_free(in);
}
END_TEST

START_TEST(b82_chunks)
{
    float x[7] = { 0 }, y[7], z[7];
    cot_array *in = f32s(7, x);

    for (int64_t c = 1; c <= 7; c++) {
        cot_manual_seed(ctx, 3);
        call(cot_vmap(fn(add_noise, 1, 1), .randomness = COT_RANDOM_DIFFERENT, .chunk = c), 1,
             &in, c == 1 ? y : z, sizeof y);
        ck_assert(distinct(y, 7));
        if (c > 1)
            ck_assert_mem_eq(y, z, sizeof y);
    }
    cot_array_free(in);
}
END_TEST

static void
scaled(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)user;
    out[0] = cot_mul(in[0], cot_uniform(t, cot_f32()));
}

START_TEST(b83_jacfwd)
{
    float j[9];
    const cot_graph *g;
    cot_array *x = f32s(3, three_ones);

    ck_assert_int_eq(cot_trace_fn(cot_jacfwd(fn(scaled, 1, 1)), COT_TYPES(cot_f32(3)), &g),
                     COT_ERR_ARG);
    ck_assert_ptr_nonnull(
        strstr(cot_error(ctx),
               ": jacfwd: draws random numbers, and randomness is error; wants different "
               "(each example its own) or same (one draw for all)"));
    cot_error_clear(ctx);
    call(cot_jacfwd(fn(scaled, 1, 1), .randomness = COT_RANDOM_SAME), 1, &x, j, sizeof j);
    ck_assert(j[0] == j[4] && j[4] == j[8] && j[1] == 0);
    call(cot_jacfwd(fn(scaled, 1, 1), .randomness = COT_RANDOM_DIFFERENT), 1, &x, j, sizeof j);
    ck_assert(j[0] != j[4] && j[4] != j[8] && j[0] != j[8] && j[1] == 0);
    cot_array_free(x);
}
END_TEST

START_TEST(b84_nested)
{
    float x[6] = { 0 }, y[6];
    cot_array *in = cot_array_copy(ctx, cot_f32(2, 3), x);
    cot_fn *f = cot_vmap(cot_vmap(fn(add_noise, 1, 1), .randomness = COT_RANDOM_SAME),
                         .randomness = COT_RANDOM_DIFFERENT);

    call(f, 1, &in, y, sizeof y);
    ck_assert(y[0] == y[1] && y[1] == y[2] && y[3] == y[4] && y[4] == y[5] && y[0] != y[3]);
    f = cot_vmap(cot_vmap(fn(add_noise, 1, 1), .randomness = COT_RANDOM_DIFFERENT),
                 .randomness = COT_RANDOM_SAME);
    call(f, 1, &in, y, sizeof y);
    ck_assert(distinct(y, 3));
    ck_assert_mem_eq(y, y + 3, 3 * sizeof *y);
    f = cot_vmap(cot_vmap(fn(add_noise, 1, 1), .randomness = COT_RANDOM_DIFFERENT),
                 .randomness = COT_RANDOM_DIFFERENT);
    call(f, 1, &in, y, sizeof y);
    ck_assert(distinct(y, 6));
    cot_array_free(in);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "A91", a91_a_draw_is_a_function_of_its_key, 1 },
        { "B75", b75_factories, 6 },
        { "B76", b76_explicit_keys, 1 },
        { "B77", b77_like_ops, 1 },
        { "B78", b78_dropout, 1 },
        { "B79", b79_bernoulli_mapped_probability_same, 1 },
        { "B82", b82_chunks, 1 },
        { "B83", b83_jacfwd, 1 },
        { "B84", b84_nested, 1 },
    };

    return SUITE("mapped_draws", cases);
}
