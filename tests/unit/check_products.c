/* Products against sums in C: of narrow integers, widened to i32, the extremes of every type
 * among them; and of f32 and f64 by the chains of docs/numerics.md section 4, to the last
 * bit, at sizes that leave rows, columns and k's over. */
#include <math.h>

#include "traced.h"

/* x [m, k] by y [k, n], or turned: x [k, m] by y [n, k]. */
typedef struct sizes {
    int64_t m, n, k;
    bool transposed;
} sizes;

static void
product(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const sizes *s = user;
    cot_value x = cot_convert(in[0], COT_I32), y = cot_convert(in[1], COT_I32);

    (void)t;
    out[0] = s->transposed ? cot_dot_general(x, y, .lhs = COT_LIST(0), .rhs = COT_LIST(1))
                           : cot_matmul(x, y);
}

static const cot_dtype types[] = { COT_I8, COT_U8, COT_I16, COT_U16 };
enum { TYPES = 4 };

/* The extremes first. */
static int32_t
number(cot_dtype t, int64_t i)
{
    const int64_t high = t == COT_I8 ? 127 : t == COT_U8 ? 255 : t == COT_I16 ? 32767 : 65535;
    const int64_t low = t == COT_I8 ? -128 : t == COT_I16 ? -32768 : 0;

    return (int32_t)(i < 40 ? low : i < 80 ? high : low + i * 7919 % (high - low + 1));
}

static void
put(void *data, cot_dtype t, int64_t i)
{
    const int32_t x = number(t, i);

    if (t == COT_I8 || t == COT_U8)
        ((uint8_t *)data)[i] = (uint8_t)x;
    else
        ((uint16_t *)data)[i] = (uint16_t)x;
}

static cot_array *
numbers(cot_type t)
{
    cot_array *x = cot_array_new(ctx, t);

    for (int64_t i = 0; i < cot_type_count(&t); i++)
        put(cot_array_data(x), t.dtype, i);
    return x;
}

static void
gives(const sizes *s, cot_dtype tx, cot_dtype ty, const cot_compile_options *o)
{
    cot_types t = s->transposed ? COT_TYPES(cot_i8(s->k, s->m), cot_i8(s->n, s->k))
                                : COT_TYPES(cot_i8(s->m, s->k), cot_i8(s->k, s->n));
    cot_type of[2] = { t.at[0], t.at[1] };
    cot_kernel *k;

    of[0].dtype = tx;
    of[1].dtype = ty;
    cot_fn *f = cot_fn_new(ctx, "product", product, 2, 1, (void *)s);
    if (cot_compile(f, (cot_types){ .n = 2, .at = of }, o, &k) != COT_OK)
        ck_abort_msg("%s", cot_error(ctx));
    cot_array *in[2] = { numbers(of[0]), numbers(of[1]) },
              *out = cot_array_new(ctx, cot_i32(s->m, s->n));
    ck_assert_int_eq(cot_run(k, &out, (const cot_array *const *)in), COT_OK);
    for (int64_t i = 0; i < s->m; i++)
        for (int64_t j = 0; j < s->n; j++) {
            uint32_t want = 0;
            for (int64_t c = 0; c < s->k; c++)
                want += (uint32_t)number(tx, s->transposed ? c * s->m + i : i * s->k + c) *
                        (uint32_t)number(ty, s->transposed ? j * s->k + c : c * s->n + j);
            int32_t y = ((const int32_t *)cot_array_data(out))[i * s->n + j];
            ck_assert_msg((uint32_t)y == want,
                          "%s by %s, %d x %d x %d: element %d, %d is %d, wants %d",
                          cot_dtype_name(tx), cot_dtype_name(ty), (int)s->m, (int)s->k,
                          (int)s->n, (int)i, (int)j, y, (int)want);
        }
    cot_array_free(in[0]), cot_array_free(in[1]), cot_array_free(out);
    cot_kernel_free(k);
}

START_TEST(narrow_integers_are_exact)
{
    static const sizes row[] = {
        { 16, 24, 40, false }, { 13, 19, 41, true }, { 7, 9, 531, false },
        { 40, 16, 63, true },  { 3, 5, 7, false },   { 100, 8, 300, false },
    };
    const cot_dtype tx = types[_i % TYPES], ty = types[_i / TYPES];

    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        gives(&row[i], tx, ty,
              &(cot_compile_options){ .backend = "jit", .vector_bits = i % 2 ? 128 : 0 });
    gives(&row[0], tx, ty, &(cot_compile_options){ .backend = "jit", .threads = 2 });
    gives(&row[1], tx, ty, &(cot_compile_options){ .backend = "eval" });
}
END_TEST

/* x [b, m, k] by y [b, k, n]; `turned`: x [b, k, m]; `more`: an epilogue of the result. */
typedef struct real {
    int64_t b, m, n, k;
    bool transposed, more;
    cot_dtype type;
} real;

static void
real_product(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const real *s = user;
    cot_value z =
        cot_dot_general(in[0], in[1], .lhs = s->transposed ? COT_LIST(1) : COT_LIST(2),
                        .rhs = COT_LIST(1), .lhs_batch = COT_LIST(0), .rhs_batch = COT_LIST(0));

    (void)t;
    out[0] = s->more ? cot_max(z, 0.25) : z;
}

static double
real_number(int64_t i, int salt)
{
    return (double)((i * 7919 + salt) % 1009 - 504) / 331;
}

static double
rounded(const real *s, double x)
{
    return s->type == COT_F32 ? (double)(float)x : x;
}

static double
chain(const real *s, int64_t b, int64_t i, int64_t j)
{
    double sum = 0;

    for (int64_t k0 = 0; k0 < s->k; k0 += 256) {
        double acc = 0;
        for (int64_t k = k0; k < k0 + 256 && k < s->k; k++) {
            const double x = rounded(s, real_number(s->transposed ? (b * s->k + k) * s->m + i
                                                                  : (b * s->m + i) * s->k + k,
                                                    3));
            const double y = rounded(s, real_number((b * s->k + k) * s->n + j, 5));
            acc = s->type == COT_F32 ? (double)fmaf((float)x, (float)y, (float)acc)
                                     : fma(x, y, acc);
        }
        sum = k0 == 0              ? acc
              : s->type == COT_F32 ? (double)((float)sum + (float)acc)
                                   : sum + acc;
    }
    return s->more && sum < 0.25 ? 0.25 : sum;
}

static cot_array *
reals(cot_type t, int salt)
{
    cot_array *x = cot_array_new(ctx, t);

    for (int64_t i = 0; i < cot_type_count(&t); i++)
        if (t.dtype == COT_F32)
            ((float *)cot_array_data(x))[i] = (float)real_number(i, salt);
        else
            ((double *)cot_array_data(x))[i] = real_number(i, salt);
    return x;
}

static void
gives_chains(const real *s, const cot_compile_options *o)
{
    cot_type of[2] = { s->transposed ? cot_f32(s->b, s->k, s->m) : cot_f32(s->b, s->m, s->k),
                       cot_f32(s->b, s->k, s->n) };
    cot_type to = cot_f32(s->b, s->m, s->n);
    cot_kernel *k;

    of[0].dtype = of[1].dtype = to.dtype = s->type;
    cot_fn *f = cot_fn_new(ctx, "product", real_product, 2, 1, (void *)s);
    if (cot_compile(f, (cot_types){ .n = 2, .at = of }, o, &k) != COT_OK)
        ck_abort_msg("%s", cot_error(ctx));
    cot_array *in[2] = { reals(of[0], 3), reals(of[1], 5) }, *out = cot_array_new(ctx, to);
    ck_assert_int_eq(cot_run(k, &out, (const cot_array *const *)in), COT_OK);
    for (int64_t i = 0; i < s->b * s->m; i++)
        for (int64_t j = 0; j < s->n; j++) {
            const int64_t at = i * s->n + j;
            const double want = chain(s, i / s->m, i % s->m, j);
            const double y = s->type == COT_F32 ? ((const float *)cot_array_data(out))[at]
                                                : ((const double *)cot_array_data(out))[at];
            ck_assert_msg(y == want, "%d x %d x %d x %d: element %d, %d is %a, wants %a",
                          (int)s->b, (int)s->m, (int)s->k, (int)s->n, (int)i, (int)j, y, want);
        }
    cot_array_free(in[0]), cot_array_free(in[1]), cot_array_free(out);
    cot_kernel_free(k);
}

START_TEST(reals_are_chains)
{
    static const real row[] = {
        { 1, 48, 64, 512, false, false, COT_F32 },  { 1, 49, 67, 520, false, false, COT_F32 },
        { 1, 49, 67, 519, false, true, COT_F32 },   { 2, 40, 160, 264, false, false, COT_F32 },
        { 1, 50, 80, 300, true, false, COT_F32 },   { 1, 33, 150, 256, false, false, COT_F32 },
        { 1, 200, 20, 270, false, false, COT_F32 }, { 1, 31, 70, 530, false, false, COT_F64 },
        { 1, 64, 72, 512, true, true, COT_F64 },    { 3, 29, 50, 280, false, true, COT_F64 },
        { 1, 5, 300, 600, false, false, COT_F32 },  { 1, 300, 5, 600, false, false, COT_F32 },
        { 1, 34, 301, 600, false, false, COT_F32 }, { 1, 301, 34, 600, false, false, COT_F64 },
        { 1, 301, 40, 600, false, true, COT_F32 },  { 1, 200, 160, 520, false, true, COT_F32 },
        { 1, 310, 90, 200, false, true, COT_F32 },  { 1, 60, 200, 256, false, true, COT_F32 },
        { 1, 1501, 3, 4, false, false, COT_F32 },   { 1, 1501, 4, 3, true, true, COT_F32 },
        { 2, 2100, 2, 3, false, true, COT_F64 },    { 1, 5001, 1, 2, false, false, COT_F32 },
    };
    static const int bits[] = { 32, 128, 256 };
    const real *s = &row[_i];

    gives_chains(s, &(cot_compile_options){ .backend = "jit" });
    gives_chains(s, &(cot_compile_options){ .backend = "jit", .vector_bits = bits[_i % 3] });
    gives_chains(s, &(cot_compile_options){ .backend = "jit", .threads = 2 + _i % 2 });
    gives_chains(s, &(cot_compile_options){ .backend = "eval" });
    if (_i == 1 || _i == 15)
        gives_chains(s, &(cot_compile_options){ .backend = "c", .threads = _i == 1 ? 1 : 2 });
}
END_TEST

/* A product seen through a view that is a result, too, read by another product: of the memory
 * of the first, which the view, computed where the product is, does not replace. */
static void
seen_twice(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const int way = *(const int *)user;
    cot_value y = cot_matmul(in[0], in[1]); /* [2, 3, 4] */

    (void)t;
    out[0] = way == 0   ? cot_reshape(y, 6, 4)
             : way == 1 ? cot_transpose(y, .perm = COT_LIST(0, 2, 1))
             : way == 2 ? cot_slice(y, .start = COT_LIST(0, 1, 0), .limit = COT_LIST(2, 3, 4))
             : way == 3 ? cot_convert(y, COT_F64)
                        : cot_reshape(cot_transpose(y, .perm = COT_LIST(2, 0, 1)), 4, 6);
    out[1] = cot_dot_general(out[0], out[0], .lhs = COT_LIST(0), .rhs = COT_LIST(0));
    out[2] = cot_tanh(out[0]);
}

START_TEST(views_of_products)
{
    float x[2 * 3 * 5], w[2 * 5 * 4];
    const cot_types types = COT_TYPES(cot_f32(2, 3, 5), cot_f32(2, 5, 4));
    cot_fn *f = cot_fn_new(ctx, "f", seen_twice, 2, 3, &_i);
    cot_kernel *k[2];
    cot_array *in[2], *out[2][3];

    for (int i = 0; i < 30; i++)
        x[i] = (float)sin(i);
    for (int i = 0; i < 40; i++)
        w[i] = (float)cos(3 * i);
    in[0] = cot_array_borrow(ctx, types.at[0], x),
    in[1] = cot_array_borrow(ctx, types.at[1], w);
    for (int e = 0; e < 2; e++) {
        const cot_compile_options o = { .backend = e ? "jit" : "eval" };
        ck_assert_msg(cot_compile(f, types, &o, &k[e]) == COT_OK, "%s", cot_error(ctx));
        for (int j = 0; j < 3; j++)
            out[e][j] = cot_array_new(ctx, cot_graph_out_type(cot_kernel_graph(k[e]), j));
        ck_assert_int_eq(cot_run(k[e], out[e], (const cot_array *const *)in), COT_OK);
    }
    for (int j = 0; j < 3; j++) {
        const cot_type t = cot_array_type(out[0][j]);
        const size_t bytes = (size_t)cot_type_count(&t) * cot_dtype_size(t.dtype);
        ck_assert_msg(memcmp(cot_array_data(out[0][j]), cot_array_data(out[1][j]), bytes) == 0,
                      "result %d", j);
        cot_array_free(out[0][j]), cot_array_free(out[1][j]);
    }
    cot_array_free(in[0]), cot_array_free(in[1]);
    cot_kernel_free(k[0]), cot_kernel_free(k[1]);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(narrow_integers_are_exact, TYPES * TYPES),
        EACH(reals_are_chains, 22),
        EACH(views_of_products, 5),
    };

    return SUITE("products", cases);
}
