/* cot_open: one kernel serves all sizes, with the bits of a kernel for each. */
#include "cotrace/cotrace.h"
#include "tests/unit/suite.h"

enum { MAX_ARGS = 4 };

static const int64_t sizes[] = { 0,   1,   2,   15,  16,  17,  31,   32,   33,   63,   64,   65,
                                 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 4097, 65537 };
enum { SIZES = sizeof sizes / sizeof *sizes };

#define BODY(name)                                                                             \
    static void name(cot_trace *t, const cot_value *in, cot_value *out, void *user)
#define UNUSED (void)t, (void)user

BODY(map)
{
    UNUSED;
    out[0] = cot_add(cot_tanh(cot_mul(in[0], in[1])), in[0]);
}

BODY(mean)
{
    UNUSED;
    out[0] = cot_mean(cot_square(in[0]));
}

BODY(spread)
{
    UNUSED;
    out[0] = cot_std(in[0], .axes = COT_LIST(0));
}

BODY(softmax)
{
    UNUSED;
    out[0] = cot_softmax(in[0], .axes = COT_LIST(1));
}

BODY(columns)
{
    UNUSED;
    out[0] = cot_softmax(in[0], .axes = COT_LIST(0));
}

BODY(loss)
{
    UNUSED;
    cot_value miss = cot_sub(cot_tanh(cot_matmul(in[1], in[0])), in[2]);
    out[0] = cot_mean(cot_square(miss));
}

BODY(forces)
{
    UNUSED;
    cot_value far = cot_sub(cot_expand_dims(in[0], 1), cot_expand_dims(in[0], 0));
    cot_value square = cot_add(cot_reduce_sum(cot_square(far), .axes = COT_LIST(2)), 0.01);
    cot_value pull = cot_div(1, cot_mul(square, cot_sqrt(square)));
    out[0] = cot_reduce_sum(cot_mul(cot_expand_dims(pull, 2), far), .axes = COT_LIST(1));
}

BODY(outer)
{
    UNUSED;
    out[0] = cot_matmul(cot_expand_dims(in[0], 1), cot_expand_dims(in[1], 0));
}

BODY(differences)
{
    UNUSED;
    const cot_value after = cot_slice(in[0], .start = COT_LIST(1));
    const cot_value before = cot_slice(in[0], .limit = COT_LIST(-1));
    out[0] = cot_sub(after, before);
}

/* An argument's shape; -k is k n, -100 the other size. */
typedef struct shape {
    int rank;
    int64_t dims[3];
} shape;
enum { OTHER = -100 };

static const struct program {
    const char *name, *sizes;
    cot_body *body;
    bool grad;
    int64_t least;
    int n;
    shape arg[MAX_ARGS];
} programs[] = {
    { "map", "0: [n], 1: [n]", map, false, 0, 2, { { 1, { -1 } }, { 1, { -1 } } } },
    { "rows",
      "0: [n, _], 1: [n, _]",
      map,
      false,
      0,
      2,
      { { 2, { -1, 7 } }, { 2, { -1, 7 } } } },
    { "planes",
      "0: [n, m], 1: [n, m]",
      map,
      false,
      0,
      2,
      { { 2, { -1, OTHER } }, { 2, { -1, OTHER } } } },
    { "mean", "0: [n] where n >= 1", mean, false, 1, 1, { { 1, { -1 } } } },
    { "mean's", "0: [n] where n >= 1", mean, true, 1, 1, { { 1, { -1 } } } },
    { "std", "0: [n] where n >= 2", spread, false, 2, 1, { { 1, { -1 } } } },
    { "softmax", "0: [n, _]", softmax, false, 0, 1, { { 2, { -1, 100 } } } },
    { "columns", "0: [n, _] where n >= 1", columns, false, 1, 1, { { 2, { -1, 5 } } } },
    { "loss",
      "1: [n, _], 2: [n, _] where n >= 1",
      loss,
      false,
      1,
      3,
      { { 2, { 24, 9 } }, { 2, { -1, 24 } }, { 2, { -1, 9 } } } },
    { "loss's",
      "1: [n, _], 2: [n, _] where n >= 1",
      loss,
      true,
      1,
      3,
      { { 2, { 24, 9 } }, { 2, { -1, 24 } }, { 2, { -1, 9 } } } },
    { "forces", "0: [n, _] where n >= 1, n <= 600", forces, false, 1, 1, { { 2, { -1, 3 } } } },
    { "outer", "0: [n], 1: [m]", outer, false, 0, 2, { { 1, { -1 } }, { 1, { OTHER } } } },
    { "twice", "0: [2*n], 1: [n]", outer, false, 0, 2, { { 1, { -2 } }, { 1, { -1 } } } },
    { "differences", "0: [n] where n >= 1", differences, false, 1, 1, { { 1, { -1 } } } },
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

static cot_array *
filled(const shape *s, int64_t n, int64_t other, uint32_t seed)
{
    cot_type t = { .dtype = COT_F32, .rank = s->rank };

    for (int k = 0; k < s->rank; k++)
        t.dims[k] = s->dims[k] == OTHER ? other : s->dims[k] < 0 ? -s->dims[k] * n : s->dims[k];
    cot_array *a = cot_array_new(ctx, t);
    float *x = cot_array_data(a);
    for (size_t i = 0; i < cot_array_bytes(a) / sizeof *x; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (float)((int)(seed >> 12) % 2001 - 1000) / 577;
    }
    return a;
}

static cot_fn *
function_of(const struct program *p)
{
    cot_fn *f = cot_fn_new(ctx, "f", p->body, p->n, 1, NULL);

    return p->grad ? cot_grad(f) : f;
}

START_TEST(has_the_bits_of_each_size)
{
    const struct program *p = &programs[_i];
    cot_fn *f = function_of(p), *open = cot_open(f, p->sizes);

    for (int i = 0; i < SIZES; i++) {
        const int64_t n = sizes[i], other = sizes[(i + 3) % SIZES] % 300;
        const bool is_plane = p->body == forces || p->body == outer;
        cot_array *arg[MAX_ARGS], *x = NULL, *y = NULL;

        if (n < p->least || (is_plane && n > 600))
            continue;
        for (int k = 0; k < p->n; k++)
            arg[k] = filled(&p->arg[k], n, other, (uint32_t)(7 * i + k));
        ck_assert_msg(cot_jit(open, &x, 1, (const cot_array *const *)arg, p->n) == COT_OK,
                      "%s at %d: %s", p->name, (int)n, cot_error(ctx));
        ck_assert_int_eq(cot_jit(f, &y, 1, (const cot_array *const *)arg, p->n), COT_OK);
        ck_assert_msg(cot_array_bytes(x) == cot_array_bytes(y) &&
                          memcmp(cot_array_data(x), cot_array_data(y), cot_array_bytes(x)) == 0,
                      "%s differs at %d", p->name, (int)n);
        cot_array_free(x);
        cot_array_free(y);
        for (int k = 0; k < p->n; k++)
            cot_array_free(arg[k]);
    }
    ck_assert_int_eq(cot_cache_of(open).misses, 1);
}
END_TEST

/* Calls at many sizes compile nothing, and keep nothing. */
START_TEST(compiles_once_for_ten_thousand_sizes)
{
    cot_fn *f = cot_open(cot_fn_new(ctx, "map", map, 2, 1, NULL), "0: [n], 1: [n]");
    const shape line = { 1, { -1 } };

    for (int64_t n = 0; n < 10000; n++) {
        cot_array *x = filled(&line, n, 0, 1), *y = NULL;
        const cot_array *arg[] = { x, x };

        ck_assert_int_eq(cot_jit(f, &y, 1, arg, 2), COT_OK);
        cot_array_free(x);
        cot_array_free(y);
    }
    ck_assert_int_eq(cot_cache_of(f).misses, 1);
}
END_TEST

/* A kernel that cot_compile made; its arguments' types may have any length where they are
 * open. */
START_TEST(is_run_with_memory_of_the_callers)
{
    cot_fn *f = cot_open(cot_fn_new(ctx, "softmax", softmax, 1, 1, NULL), "0: [n, _]");
    const shape rows = { 2, { -1, 5 } };
    cot_kernel *k;
    cot_array *x = filled(&rows, 77, 0, 3), *y = cot_array_new(ctx, cot_f32(77, 5)),
              *few = cot_array_new(ctx, cot_f32(76, 5));
    const cot_array *arg[] = { x };

    ck_assert_int_eq(cot_compile(f, COT_TYPES(cot_f32(1, 5)), NULL, &k), COT_OK);
    ck_assert_int_eq(cot_run(k, &y, arg), COT_OK);
    ck_assert_int_eq(cot_run(k, &few, arg), COT_ERR_SHAPE);
    ck_assert_ptr_null(cot_kernel_entry(k));
    cot_kernel_free(k);
    cot_array_free(x);
    cot_array_free(y);
    cot_array_free(few);
}
END_TEST

static const struct refusal {
    const char *sizes, *message;
} texts[] = {
    { "", "\"\", column 1: there is no argument ''" },
    { "2: [n]", "\"2: [n]\", column 2: there is no argument '2'" },
    { "0: [n", "\"0: [n\", column 6: wants ','" },
    { "0: [n], 0: [n]", "\"0: [n], 0: [n]\", column 10: wants each argument once" },
    { "0: [2*n]", "\"0: [2*n]\", column 9: no axis is as long as n alone" },
    { "0: [n] where k > 1", "column 15: wants the name of a size" },
    { "0: [n] where n > 1", "column 16: wants '%'" },
    { "0: [n] where n % 4 == 1", "column 24: wants a multiple of a number" },
    { "0: [n] where n >= 5, n <= 4", "column 28: the facts leave no size" },
    { "0: [n], 1: [n] please", "column 16: wants ',' or the end" },
};
enum { TEXTS = sizeof texts / sizeof *texts };

START_TEST(refuses_a_text)
{
    cot_fn *f = cot_open(cot_fn_new(ctx, "map", map, 2, 1, NULL), texts[_i].sizes);
    cot_kernel *k;

    ck_assert_int_eq(cot_compile(f, COT_TYPES(cot_f32(4), cot_f32(4)), NULL, &k), COT_ERR_ARG);
    ck_assert_msg(strstr(cot_error(ctx), texts[_i].message), "%s", cot_error(ctx));
    ck_assert_ptr_nonnull(strstr(cot_error(ctx), "check_open.c:"));
}
END_TEST

BODY(by_its_size)
{
    UNUSED;
    out[0] = cot_size(in[0], 0) > 64 ? cot_sin(in[0]) : cot_cos(in[0]);
}

BODY(unrolled)
{
    UNUSED;
    out[0] = in[0];
    for (int64_t i = 0; i < cot_size(in[0], 0) / 1000; i++)
        out[0] = cot_sin(out[0]);
}

BODY(decomposed)
{
    UNUSED;
    out[0] = cot_cholesky(cot_matmul(in[0], cot_transpose(in[0])));
}

static const struct dependent {
    cot_body *body;
    const char *sizes;
    int64_t dims[2];
    int rank;
    const char *message;
} dependents[] = {
    { by_its_size, "0: [n]", { 4 }, 1, "it is another program at n = 2 than at n = " },
    { unrolled, "0: [n]", { 4 }, 1, "it is another program at n = " },
    { decomposed, "0: [n, _]", { 4, 4 }, 2, "f: has no kernel for all sizes: " },
};
enum { DEPENDENTS = sizeof dependents / sizeof *dependents };

/* What depends on a size otherwise than by its extents is refused, with the user's line. */
START_TEST(refuses_a_function)
{
    const struct dependent *d = &dependents[_i];
    cot_fn *f = cot_open(cot_fn_new(ctx, "f", d->body, 1, 1, NULL), d->sizes);
    cot_type t = { .dtype = COT_F32, .rank = d->rank, .dims = { d->dims[0], d->dims[1] } };
    cot_kernel *k;

    ck_assert_int_eq(cot_compile(f, cot_types_of(1, &t), NULL, &k), COT_ERR_SHAPE);
    ck_assert_msg(strstr(cot_error(ctx), d->message), "%s", cot_error(ctx));
    ck_assert_ptr_nonnull(strstr(cot_error(ctx), "check_open.c:"));
    ck_assert_ptr_null(k);
}
END_TEST

static const struct call {
    int64_t first, second;
    const char *message;
} calls[] = {
    { 8, 12, "argument 1 has 12 along axis 0; wants n, which is 8" },
    { 4, 4, "argument 0 has 4 along axis 0; wants at least" },
    { 404, 404, "argument 0 has 404 along axis 0; wants at most" },
    { 10, 10, "argument 0 has 10 along axis 0; wants a multiple of" },
};
enum { CALLS = sizeof calls / sizeof *calls };

START_TEST(refuses_a_call)
{
    cot_fn *f = cot_open(cot_fn_new(ctx, "map", map, 2, 1, NULL),
                         "0: [n], 1: [n] where n >= 8, n <= 400, n % 4 == 0");
    const shape line = { 1, { -1 } };
    cot_array *x = filled(&line, calls[_i].first, 0, 1),
              *z = filled(&line, calls[_i].second, 0, 1), *y = NULL;
    const cot_array *arg[] = { x, z };

    ck_assert_int_eq(cot_jit(f, &y, 1, arg, 2), COT_ERR_SHAPE);
    ck_assert_msg(strstr(cot_error(ctx), calls[_i].message), "%s", cot_error(ctx));
    ck_assert_ptr_null(y);
    cot_array_free(x);
    cot_array_free(z);
}
END_TEST

/* A transform of an open function is one of the function: its sizes are fixed. */
START_TEST(is_the_outermost)
{
    cot_fn *f = cot_grad(cot_open(cot_fn_new(ctx, "mean", mean, 1, 1, NULL), "0: [n]"));
    const shape line = { 1, { -1 } };

    for (int64_t n = 5; n < 7; n++) {
        cot_array *x = filled(&line, n, 0, 1), *y = NULL;

        ck_assert_int_eq(cot_jit(f, &y, 1, (const cot_array *const *)&x, 1), COT_OK);
        cot_array_free(x);
        cot_array_free(y);
    }
    ck_assert_int_eq(cot_cache_of(f).misses, 2);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(has_the_bits_of_each_size, PROGRAMS),
        ONCE(compiles_once_for_ten_thousand_sizes),
        ONCE(is_run_with_memory_of_the_callers),
        EACH(refuses_a_text, TEXTS),
        EACH(refuses_a_function, DEPENDENTS),
        EACH(refuses_a_call, CALLS),
        ONCE(is_the_outermost),
    };
    return SUITE("open", cases);
}
