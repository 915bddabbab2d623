/* Draws inside custom functions: a forward draws what an ordinary function that is called there
 * would, and its rules draw numbers of their own. */
#define _GNU_SOURCE
#include "tests/unit/customs.h"
#include "tests/unit/draws.h"

#define N 3

static const double ones[2 * N] = { 1, 1, 1, 1, 1, 1 };

/* x times uniform numbers, as an ordinary function and as a forward; the mask is a result. */
BODY(scale_plain, out[0] = cot_mul(in[0], cot_uniform(t, cot_f64()));)
RULE(scale, out[1] = cot_uniform(t, cot_f64()); out[0] = cot_mul(in[0], out[1]);)
RULE(scale_vjp, out[0] = cot_mul(in[0], in[1]);)
static void
save_mask(cot_setup *k, const cot_custom_info *info)
{
    (void)info;
    ck_assert_int_eq(cot_setup_in_type(k, 0).rank, 0);
    cot_save_out(k, 1);
    cot_mark_nondiff(k, 1);
}

static const cot_custom *
scaling(bool sequential)
{
    return cot_custom_new(ctx, "scale", .forward = scale, .setup = save_mask, .vjp = scale_vjp,
                          .n_out = 2, .generate_vmap = !sequential, .sequential = sequential);
}

/* Two calls and draws around them, by a call of either kind: `user` is NULL or the custom
 * one. */
static cot_value
scaled(cot_value x, const cot_custom *c)
{
    return c ? cot_custom_call(c, COT_LIST(), COT_VALUES(x), NULL)
             : cot_call(cot_fn_new(ctx, "scale", scale_plain, 1, 1, NULL), x);
}
static void
twice(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value before = cot_uniform(t, cot_f64()), y = scaled(in[0], user);

    y = cot_add(cot_mul(10, y), cot_mul(before, scaled(in[0], user)));
    out[0] = cot_add(y, cot_mul(100, cot_uniform(t, cot_f64())));
}
static void
step(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = scaled(in[0], user);
    out[1] = scaled(in[0], user);
}
static void
scanned(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value y[2];
    (void)t;
    cot_scan(step, .in = COT_VALUES(in[0]), .out = y, .n_out = 1, .length = N, .user = user);
    out[0] = cot_add(cot_mul(y[0], 100), cot_reduce_sum(y[1]));
}

/* The same recomputed in the backward half, in a branch. */
BODY(branch, out[0] = scaled(in[0], user);)
BODY(other, out[0] = cot_neg(scaled(in[0], user));)
static void
branching(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_fn *f = cot_checkpoint(cot_fn_new(ctx, "twice", twice, 1, 1, user));
    (void)t;
    out[0] = cot_cond(cot_gt(in[0], 0), branch, other, .in = COT_VALUES(cot_call(f, in[0])),
                      .user = user);
}

/* The argument is a scalar, then a vector, then a matrix. */
enum {
    PLAIN,
    GRAD,
    JVP,
    VMAP_SAME,
    VMAP_DIFFERENT,
    VMAP_GRAD,
    GRAD_VMAP,
    CHUNK,
    TWO_LEVELS,
    N_KINDS
};

BODY(total, out[0] = cot_reduce_sum(cot_call(*(cot_fn **)user, in[0]));)

static cot_fn *
transformed(int kind, cot_fn **f)
{
    switch (kind) {
    case GRAD: return cot_grad(*f);
    case JVP: return cot_jvp(*f);
    case VMAP_SAME: return cot_vmap(*f, .randomness = COT_RANDOM_SAME);
    case VMAP_DIFFERENT: return cot_vmap(*f, .randomness = COT_RANDOM_DIFFERENT);
    case VMAP_GRAD: return cot_vmap(cot_grad(*f), .randomness = COT_RANDOM_DIFFERENT);
    case CHUNK: return cot_vmap(*f, .randomness = COT_RANDOM_DIFFERENT, .chunk = 2);
    case GRAD_VMAP:
        *f = cot_vmap(*f, .randomness = COT_RANDOM_DIFFERENT);
        return cot_grad(cot_fn_new(ctx, "total", total, 1, 1, f));
    case TWO_LEVELS:
        return cot_vmap(cot_vmap(*f, .randomness = COT_RANDOM_SAME),
                        .randomness = COT_RANDOM_DIFFERENT);
    default: return *f;
    }
}

/* The results of f on ones by the JIT, which the evaluator agrees with in every bit. */
static int64_t
results(cot_fn *f, int kind, double out[2 * N])
{
    cot_type type = kind < VMAP_SAME     ? cot_f64()
                    : kind == TWO_LEVELS ? cot_f64(2, N)
                                         : cot_f64(N);
    int n = kind == JVP ? 2 : 1;
    cot_array *x[2] = { cot_array_copy(ctx, type, ones), cot_array_copy(ctx, type, ones) };
    cot_array *y[2] = { NULL, NULL }, *z[2] = { NULL, NULL };
    cot_kernel *k;

    cot_manual_seed(ctx, 5);
    ck_assert_msg(cot_jit(f, y, n, (const cot_array *const *)x, n) == COT_OK, "%s",
                  cot_error(ctx));
    ck_assert_int_eq(cot_compile(f, (cot_types){ .n = n, .at = (cot_type[]){ type, type } },
                                 &(cot_compile_options){ .backend = "eval" }, &k),
                     COT_OK);
    cot_manual_seed(ctx, 5);
    for (int i = 0; i < n; i++)
        z[i] = cot_array_new(ctx, type);
    ck_assert_int_eq(cot_run(k, z, (const cot_array *const *)x), COT_OK);
    const size_t bytes = cot_array_bytes(y[0]);
    for (int i = 0; i < n; i++) {
        ck_assert_mem_eq(cot_array_data(y[i]), cot_array_data(z[i]), bytes);
        memcpy((char *)out + (size_t)i * bytes, cot_array_data(y[i]), bytes);
    }
    for (int i = 0; i < 2; i++) {
        cot_array_free(x[i]);
        cot_array_free(y[i]);
        cot_array_free(z[i]);
    }
    cot_kernel_free(k);
    return (int64_t)(bytes / sizeof *out) * n;
}

/* The numbers are those of a function that is called there, in every transform, whichever way
 * the forward is mapped.  The cotangents of two calls may be added in another order. */
START_TEST(as_a_called_function)
{
    double want[2 * N], got[2 * N];
    const cot_custom *c = scaling(_i >= N_KINDS);
    cot_body *const bodies[] = { twice, scanned, branching };
    const int kind = _i % N_KINDS;

    for (int k = 0; k < 3; k++) {
        cot_fn *f = cot_fn_new(ctx, "f", bodies[k], 1, 1, NULL);
        cot_fn *g = cot_fn_new(ctx, "g", bodies[k], 1, 1, (void *)c);
        int64_t n = results(transformed(kind, &f), kind, want);
        ck_assert_int_eq(results(transformed(kind, &g), kind, got), n);
        const bool sums = kind == GRAD || kind == VMAP_GRAD || kind == GRAD_VMAP;
        for (int64_t i = 0; i < n; i++)
            ck_assert_double_le(fabs(got[i] - want[i]), sums ? 4e-16 * want[i] : 0);
    }
}
END_TEST

START_TEST(modes)
{
    double x[2 * N];
    const cot_graph *g;
    cot_fn *f = fn_of(scaling(false));

    ck_assert_int_eq(cot_trace_fn(cot_vmap(f), V64, &g), COT_ERR_ARG);
    ck_assert_ptr_nonnull(strstr(cot_error(ctx), "customs.h:"));
    ck_assert_ptr_nonnull(
        strstr(cot_error(ctx), ": vmap: draws random numbers, and randomness is error; "));
    cot_error_clear(ctx);
    results(transformed(VMAP_SAME, &f), VMAP_SAME, x);
    ck_assert(x[0] == x[1] && x[1] == x[2]);
    results(transformed(VMAP_DIFFERENT, &f), VMAP_DIFFERENT, x);
    ck_assert(x[0] != x[1] && x[1] != x[2] && x[0] != x[2]);
}
END_TEST

/* The rules draw other numbers than the forward: a derivative of each kind, noted as it is. */
RULE(one_draw, out[0] = cot_mul(in[0], cot_uniform(t, cot_f64()));)
RULE(draw_vjp, out[0] = cot_mul(in[0], cot_uniform(t, cot_f64()));)
RULE(draw_jvp, out[0] = cot_mul(in[2], cot_uniform(t, cot_f64()));)
START_TEST(rules_draw)
{
    double y[2 * N], dx[2 * N], dy[2 * N], each[2 * N], again[2 * N];
    cot_fn *f = fn_of(cot_custom_new(ctx, "c", .forward = one_draw, .vjp = draw_vjp,
                                     .jvp = draw_jvp, .generate_vmap = true));
    cot_fn *same = cot_vmap(cot_grad(f), .randomness = COT_RANDOM_SAME);

    results(f, PLAIN, y);
    results(transformed(GRAD, &f), GRAD, dx);
    results(transformed(GRAD, &f), GRAD, again);
    results(transformed(JVP, &f), JVP, dy);
    ck_assert_double_eq(dy[0], y[0]);
    ck_assert_double_eq(dx[0], again[0]);
    ck_assert(dx[0] != y[0] && dy[1] != y[0] && dy[1] != dx[0]);
    results(transformed(VMAP_GRAD, &f), VMAP_GRAD, each);
    ck_assert(each[0] != each[1] && each[1] != each[2] && each[0] != each[2]);
    results(same, VMAP_SAME, each);
    ck_assert(each[0] == dx[0] && each[1] == dx[0]);
}
END_TEST

/* A .vmap body draws for its batch; one that calls the function again draws by that call. */
static cot_randomness told;
RULE(batch_draw, told = info->randomness;
     out[0] = cot_mul(in[0], cot_uniform(t, cot_f64(info->batch_size)));
     out[1] = cot_uniform(t, cot_f64(info->batch_size));)
static const cot_custom *itself;
RULE(by_itself, cot_custom_call(itself, COT_LIST(), COT_VALUES(in[0]), out);
     info->out_dims[1] = COT_NONE;)
START_TEST(a_vmap_rule_draws)
{
    double x[2 * N], again[2 * N];
    cot_fn *f =
        fn_of(cot_custom_new(ctx, "c", .forward = scale, .vmap = batch_draw, .n_out = 2));

    results(transformed(VMAP_DIFFERENT, &f), VMAP_DIFFERENT, x);
    ck_assert_int_eq(told, COT_RANDOM_DIFFERENT);
    ck_assert(x[0] != x[1] && x[1] != x[2] && x[0] != x[2]);
    results(transformed(VMAP_DIFFERENT, &f), VMAP_DIFFERENT, again);
    ck_assert_mem_eq(x, again, N * sizeof *x);
    results(transformed(VMAP_SAME, &f), VMAP_SAME, x);
    ck_assert_int_eq(told, COT_RANDOM_SAME);
    const cot_graph *g;
    ck_assert_msg(cot_trace_fn(cot_vmap(f, .size = 0, .randomness = COT_RANDOM_DIFFERENT),
                               COT_TYPES(cot_f64(0)), &g) == COT_OK,
                  "%s", cot_error(ctx));
    itself = cot_custom_new(ctx, "again", .forward = scale, .vmap = by_itself, .n_out = 2);
    f = fn_of(itself);
    results(transformed(VMAP_DIFFERENT, &f), VMAP_DIFFERENT, x);
    ck_assert(x[0] == x[1] && x[1] == x[2] && x[0] != 1);
}
END_TEST

/* The key is printed as an input of the forward, and what is parsed draws the same. */
START_TEST(prints_and_parses_back)
{
    static char once[sizeof((traced_text *)0)->text];
    static traced_text again;
    static const int kinds[] = { PLAIN, GRAD, JVP, VMAP_SAME, VMAP_DIFFERENT, VMAP_GRAD };
    double want[N_KINDS][2 * N], got[2 * N];
    cot_context *const here = ctx, *other = cot_context_new(&(cot_options){ .verify = 1 });
    const cot_graph *back;
    cot_fn *f = fn_of(cot_custom_new(ctx, "c", .forward = one_draw, .vjp = draw_vjp,
                                     .jvp = draw_jvp, .generate_vmap = true));

    for (int i = 0; i < 6; i++)
        results(transformed(kinds[i], &f), kinds[i], want[i]);
    strcpy(once, printed(f, S64));
    ck_assert_ptr_nonnull(strstr(once, "generator %key: u64[2]"));
    ck_assert_msg(cot_parse(other, "t", once, strlen(once), NULL, &back) == COT_OK, "%s",
                  cot_error(other));
    ck_assert_int_eq(cot_dump_graph(back, traced_write, &again), COT_OK);
    ck_assert_str_eq(once, again.text);
    ctx = other;
    f = cot_fn_of_graph(back);
    for (int i = 0; i < 6; i++) {
        int64_t n = results(transformed(kinds[i], &f), kinds[i], got);
        ck_assert_mem_eq(want[i], got, (size_t)n * sizeof *got);
    }
    ctx = here;
    cot_context_free(other);
}
END_TEST

/* Setup does not see the key. */
static void
save_second(cot_setup *k, const cot_custom_info *info)
{
    (void)info;
    cot_save_in(k, 1);
}
START_TEST(setup_does_not_see_the_key)
{
    const cot_graph *g;

    ck_assert_int_eq(
        cot_trace_fn(fn_of(cot_custom_new(ctx, "c", .forward = one_draw, .setup = save_second)),
                     S64, &g),
        COT_ERR_ARG);
    ck_assert_ptr_nonnull(strstr(cot_error(ctx), "c: setup names input 1; has 1"));
    cot_error_clear(ctx);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(as_a_called_function, 2 * N_KINDS),
        ONCE(modes),
        ONCE(rules_draw),
        ONCE(a_vmap_rule_draws),
        ONCE(prints_and_parses_back),
        ONCE(setup_does_not_see_the_key),
    };

    return SUITE_WITH("custom_draws", cases, suite_begin, suite_end);
}
