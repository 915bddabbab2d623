/* cot_open: one kernel serves all sizes, with the bits of a kernel for each. */
#include "codegen/open/rewrite.h"
#include "cotrace/cotrace.h"
#include "ir/context.h"
#include "tests/unit/open_programs.h"

/* The kernel for all sizes against that for the arrays' alone; frees the arrays. */
static void
check_bits(const program *p, cot_fn *open, cot_fn *f, cot_array **arg, int64_t n)
{
    cot_array *x = NULL, *y = NULL;

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

START_TEST(has_the_bits_of_each_size)
{
    const program *p = &programs[_i];
    cot_fn *f = function_of(p), *open = cot_open(f, p->sizes);

    for (int i = 0; i < SIZES; i++) {
        const int64_t n = sizes[i], other = sizes[(i + 3) % SIZES] % 300;
        cot_array *arg[MAX_ARGS];

        if (!has_size(p, n, other))
            continue;
        for (int k = 0; k < p->n; k++)
            arg[k] = filled(&p->arg[k], n, other, (uint32_t)(7 * i + k));
        check_bits(p, open, f, arg, n);
    }
    ck_assert_int_eq(cot_cache_of(open).misses, 1);
}
END_TEST

/* Sums and products that are -0, also where blocks are whole and nothing is behind them. */
START_TEST(has_the_zeros_of_each_size)
{
    static const int16_t whole[] = { 1, 255, 256, 257, 511, 512, 513, 1024, 1536 };
    const program *p = &programs[_i];
    cot_fn *f = function_of(p), *open = cot_open(f, p->sizes);

    for (size_t i = 0; i < 3 * sizeof whole / sizeof *whole; i++) {
        const int64_t n = whole[i / 3], other = whole[(i / 3 + 3) % 9] % 300;
        cot_array *arg[MAX_ARGS];

        if (!has_size(p, n, other))
            continue;
        for (int k = 0; k < p->n; k++)
            arg[k] = nearly_zero(&p->arg[k], n, other, k + (int)i);
        check_bits(p, open, f, arg, n);
    }
}
END_TEST

/* The reference evaluator runs the graph of each size. */
START_TEST(is_evaluated_at_each_size)
{
    static const int16_t few[] = { 0, 1, 2, 5, 33, 64, 257 };
    const program *p = &programs[_i];
    cot_fn *f = function_of(p);
    cot_type type[MAX_ARGS];
    cot_kernel *k = NULL;

    ck_assert_msg(cot_compile(cot_open(f, p->sizes), small_types(p, type),
                              &(cot_compile_options){ .backend = "eval" }, &k) == COT_OK,
                  "%s: %s", p->name, cot_error(ctx));
    for (size_t i = 0; i < 2 * sizeof few / sizeof *few; i++) {
        const int64_t n = few[i / 2], other = few[(i / 2 + 2) % 7] % 60;
        cot_array *arg[MAX_ARGS], *y = NULL;

        if (!has_size(p, n, other))
            continue;
        for (int j = 0; j < p->n; j++)
            arg[j] = filled(&p->arg[j], n, other, (uint32_t)(7 * i + (size_t)j));
        ck_assert_int_eq(cot_jit(f, &y, 1, (const cot_array *const *)arg, p->n), COT_OK);
        gives(k, p, arg, y, n);
    }
    cot_kernel_free(k);
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

/* Sums along an open axis are divided among threads, with the bits of one thread. */
START_TEST(has_the_bits_of_one_thread)
{
    static const int64_t lengths[] = { 32767, 32768, 32769, 65536, 131073, 1051681, 4194304 };
    const cot_compile_options two = { .threads = 2 };
    const shape line = { 1, { -1 } };
    cot_fn *f = cot_open(cot_fn_new(ctx, "mean", mean, 1, 1, NULL), "0: [n] where n >= 1");
    cot_kernel *k, *own;

    ck_assert_int_eq(cot_compile(f, COT_TYPES(cot_f32(7)), &two, &k), COT_OK);
    ck_assert_int_eq(cot_compile(f, COT_TYPES(cot_f32(7)), NULL, &own), COT_OK);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        cot_array *x = filled(&line, lengths[i], 0, (uint32_t)i),
                  *y = cot_array_new(ctx, cot_f32()), *z = cot_array_new(ctx, cot_f32());
        const cot_array *arg[] = { x };

        ck_assert_int_eq(cot_run(k, &y, arg), COT_OK);
        ck_assert_int_eq(cot_run(own, &z, arg), COT_OK);
        ck_assert_msg(memcmp(cot_array_data(y), cot_array_data(z), sizeof(float)) == 0,
                      "differs at %d", (int)lengths[i]);
        cot_array_free(x);
        cot_array_free(y);
        cot_array_free(z);
    }
    cot_kernel_free(k);
    cot_kernel_free(own);
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
    { "0: [n*n]", "\"0: [n*n]\", column 9: no axis is as long as n, or a multiple of it" },
    { "0: [n] where k > 1", "column 15: wants the name of a size" },
    { "0: [n] where n > 1", "column 16: wants '%'" },
    { "0: [n] where n % 4 == 1", "column 24: wants a multiple of a number" },
    { "0: [n] where n >= 5, n <= 4", "column 28: the facts leave no size" },
    { "0: [4], 1: [_]", "column 15: no size is named" },
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
    { by_its_size, "0: [n]", { 4 }, 1, "it is another program at n = 1 than at n = " },
    { unrolled, "0: [n]", { 4 }, 1, "it is another program at n = " },
    { decomposed,
      "0: [n, _]",
      { 4, 4 },
      2,
      "f: has no kernel for all sizes: cholesky chooses what it does by the length" },
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

/* Its gradient is a sum of three shifted parts, whose ends are in another order at n = 3. */
BODY(diffused)
{
    UNUSED;
    const cot_value left = cot_slice(in[0], .limit = COT_LIST(-2)),
                    right = cot_slice(in[0], .start = COT_LIST(2)),
                    middle = cot_slice(in[0], .start = COT_LIST(1), .limit = COT_LIST(-1));
    const cot_value all = cot_add(cot_sub(left, cot_mul(2, middle)), right);
    out[0] = cot_mean(cot_square(cot_pad(all, 0, .low = COT_LIST(1), .high = COT_LIST(1))));
}

START_TEST(proposes_a_fact_that_serves)
{
    cot_fn *f = cot_grad(cot_fn_new(ctx, "diffused", diffused, 1, 1, NULL));
    cot_kernel *k;

    ck_assert_int_eq(
        cot_compile(cot_open(f, "0: [n] where n >= 3"), COT_TYPES(cot_f32(9)), NULL, &k),
        COT_ERR_SHAPE);
    ck_assert_msg(strstr(cot_error(ctx), "it is from \"where n >= 4\" on"), "%s",
                  cot_error(ctx));
    cot_error_clear(ctx);
    ck_assert_int_eq(
        cot_compile(cot_open(f, "0: [n] where n >= 4"), COT_TYPES(cot_f32(9)), NULL, &k),
        COT_OK);
    cot_kernel_free(k);
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

/* A size that is no length is found in a multiple of it, and a number. */
START_TEST(finds_a_size_in_a_multiple)
{
    static const struct {
        int64_t n;
        const char *message; /* NULL: it is called */
    } row[] = {
        { 9, NULL },
        { 8, "argument 0 has 8 along axis 0; wants 2*n + 1, which is 7" },
        { 4, "argument 0 has 4 along axis 0; wants at least the least size, which is 5" },
        { 0, "argument 0 has 0 along axis 0; wants at least the least size, which is 5" },
    };
    cot_fn *f =
        cot_open(cot_fn_new(ctx, "running", running, 1, 1, NULL), "0: [2*n + 1] where n >= 2");
    const shape line = { 1, { -1 } };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        cot_array *x = filled(&line, row[i].n, 0, 1), *y = NULL;
        const cot_status is = cot_jit(f, &y, 1, (const cot_array *[]){ x }, 1);

        ck_assert_int_eq(is, row[i].message ? COT_ERR_SHAPE : COT_OK);
        ck_assert_msg(!row[i].message || strstr(cot_error(ctx), row[i].message), "%s",
                      cot_error(ctx));
        cot_error_clear(ctx);
        cot_array_free(x);
        cot_array_free(y);
    }
}
END_TEST

/* The arrays of a call may be there, and a loop over all their pairs too long for 63 bits. */
START_TEST(refuses_a_product_of_sizes)
{
    cot_fn *f = cot_open(cot_fn_new(ctx, "volume", volume, 3, 1, NULL),
                         "0: [n], 1: [m], 2: [k] where n >= 2, m >= 2, k >= 2");
    const int64_t most = (int64_t)1 << 30;
    cot_array *x = cot_array_borrow(ctx, cot_f32(most), &(float){ 1 }), *y = NULL;
    const cot_array *arg[] = { x, x, x };

    ck_assert_int_eq(cot_jit(f, &y, 1, arg, 3), COT_ERR_SHAPE);
    ck_assert_msg(
        strstr(cot_error(ctx), "a product of the sizes of the arguments exceeds 2^56") != NULL,
        "%s", cot_error(ctx));
    cot_array_free(x);
}
END_TEST

/* A multiple of a quotient of three sizes, times one of them, is more than their product. */
START_TEST(counts_multiples_of_quotients)
{
    const cg_open_fact fact[3] = { { 0, 1 << 30, 1 }, { 0, 1 << 30, 1 }, { 0, 1 << 30, 1 } };
    const cg_polynomial volume = { .n = 1, .term = { { 1, 3, { 0, 1, 2 } } } };
    cg_size_form form[] = { { .n = 1, .quotient = { { 1 << 20, 2, 0, volume } } },
                            { .n = 1, .quotient = { { 1, 2, 1, volume } } } };
    cg_open o = { .ctx = ctx, .arena = &ctx->arena, .n_sizes = 3, .entry = { .fact = fact } };

    o.form = &form[_i];
    cg_open_find_terms(&o, 1);
    ck_assert(cg_open_has_room(&o, (const int64_t[]){ 8, 8, 8 }));
    ck_assert(!cg_open_has_room(&o, (const int64_t[]){ 1 << 14, 1 << 14, 1 << 14 }));
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
        EACH(has_the_zeros_of_each_size, PROGRAMS),
        EACH(is_evaluated_at_each_size, PROGRAMS),
        ONCE(compiles_once_for_ten_thousand_sizes),
        ONCE(has_the_bits_of_one_thread),
        ONCE(is_run_with_memory_of_the_callers),
        EACH(refuses_a_text, TEXTS),
        EACH(refuses_a_function, DEPENDENTS),
        EACH(refuses_a_call, CALLS),
        ONCE(finds_a_size_in_a_multiple),
        ONCE(refuses_a_product_of_sizes),
        ONCE(is_the_outermost),
        EACH(counts_multiples_of_quotients, 2),
        ONCE(proposes_a_fact_that_serves),
    };
    return SUITE("open", cases);
}
