/* Arrays without elements through the public functions: every row is traced for shapes with
 * sizes of 0, evaluated and compiled, alone, mapped over no example and with its gradient
 * (these two compiled for one of the shapes: it takes its time).  Results have the same bits;
 * the rows that are refused, with a status and a message, are those that want an
 * element: never a crash, whatever is empty. */
#include "traced.h"

#define X in[0]
#define INTS cot_convert(X, COT_I32)
#define TRUTHS cot_gt(X, 0)
#define COMPLEX cot_complex(X, cot_mul(X, 2))
#define SQUARE cot_matmul(cot_matrix(X), X)
#define cot_matrix(x) cot_transpose(x, .perm = COT_LIST(1, 0))
#define PARTS(z) cot_add(cot_real(z), cot_imag(z))
#define CELL(gates) &(cot_rnn_weights){ cot_full(t, cot_f32(gates * 2, cot_size(X, 1)), 0.5),  \
                                        cot_full(t, cot_f32(gates * 2, 2), 0.5),               \
                                       cot_full(t, cot_f32(gates * 2), 0.1),                   \
                                       cot_full(t, cot_f32(gates * 2), 0.2) }

/* The second function gives (0, 1, ...) of the rows of x: integers that index it. */
#define ROWS_OF cot_iota(t, cot_type_new(COT_I32, 1, (const int64_t[]){ cot_size(X, 0) }), 0)
#define FIRST_ROW cot_zeros(t, cot_i32(3))

#define EMPTY_ROWS(E)                                                                          \
    /* pointwise */                                                                            \
    E(cot_neg(X)) E(cot_abs(X)) E(cot_exp(X)) E(cot_log1p(X)) E(cot_sqrt(X)) E(cot_tanh(X))    \
    E(cot_erf(X)) E(cot_lgamma(X)) E(cot_digamma(X)) E(cot_integer_pow(X, 3)) E(cot_pow(X, X)) \
    E(cot_atan2(X, X)) E(cot_rem(X, 2.0)) E(cot_max(X, 0.0)) E(cot_clip(X, 0.0, 1.0))          \
    E(cot_select(TRUTHS, X, 1.0)) E(cot_fma(X, X, X)) E(cot_hypot(X, X))                       \
    E(cot_betainc(X, X, X)) E(cot_igamma(X, X)) E(cot_zeta(X, X)) E(cot_frexp(X, NULL))        \
    E(cot_ldexp(X, 3)) E(cot_reduce_precision(X, 5, 7)) E(cot_nextafter(X, X)) E(cot_sinc(X))  \
    E(cot_xlogy(X, X)) E(cot_logaddexp(X, X)) E(cot_convert(cot_popcnt(INTS), COT_F32))        \
    E(cot_convert(cot_div(INTS, 2), COT_F32)) E(cot_convert(X, COT_F16))                       \
    E(cot_convert(TRUTHS, COT_F32)) E(cot_barrier(X)) E(cot_stop_gradient(X))                  \
    E(cot_bitcast(cot_bitcast(X, COT_I32), COT_F32))                                           \
    /* movement */                                                                             \
    E(cot_transpose(X, .perm = COT_LIST(1, 0)))                                                \
    E(cot_reshape(X, cot_size(X, 1), cot_size(X, 0)))                                          \
    E(cot_reverse(X, .axes = COT_LIST(0, 1)))                                                  \
    E(cot_pad(X, 0.0, .low = COT_LIST(1, 1), .high = COT_LIST(0, 2)))                          \
    E(cot_pad(X, 1.0, .interior = COT_LIST(2, 1))) E(cot_concatenate(COT_VALUES(X, X), 0))     \
    E(cot_concatenate(COT_VALUES(X, X), 1))                                                    \
    E(cot_broadcast_to(X, 2, cot_size(X, 0), cot_size(X, 1))) E(cot_roll(X, 1, 0))             \
    E(cot_tril(X, 0)) E(cot_triu(X, 1)) E(cot_expand_dims(X, 1)) E(cot_squeeze(X))             \
    E(cot_stack(COT_VALUES(X, X), 1)) E(cot_diag(SQUARE, 0)) E(cot_kron(X, X))                 \
    E(cot_outer(cot_reduce_sum(X, .axes = COT_LIST(0)),                                        \
                cot_reduce_sum(X, .axes = COT_LIST(1))))                                       \
    E(cot_sliding_windows(X, 1, 0))                                                            \
    E(cot_sliding_windows(cot_pad(X, 0.0, .high = COT_LIST(2, 0)), 2, 0))                      \
    /* reductions */                                                                           \
    E(cot_reduce_sum(X)) E(cot_reduce_sum(X, .axes = COT_LIST(0)))                             \
    E(cot_reduce_sum(X, .axes = COT_LIST(1))) E(cot_reduce_prod(X))                            \
    E(cot_reduce_prod(X, .axes = COT_LIST(1))) E(cot_reduce_max(X))                            \
    E(cot_reduce_max(X, .axes = COT_LIST(0)))                                                  \
    E(cot_reduce_min(X, .axes = COT_LIST(1), .keepdims = 1))                                   \
    E(cot_convert(cot_reduce_and(TRUTHS), COT_F32))                                            \
    E(cot_convert(cot_reduce_or(TRUTHS, .axes = COT_LIST(0)), COT_F32))                        \
    E(cot_convert(cot_argmax(X, .axis = 0), COT_F32))                                          \
    E(cot_convert(cot_argmin(X, .axis = 1), COT_F32)) E(cot_mean(X))                           \
    E(cot_mean(X, .axes = COT_LIST(0))) E(cot_var(X))                                          \
    E(cot_var(X, .axes = COT_LIST(1), .ddof = 1)) E(cot_norm(X))                               \
    E(cot_norm(X, .axes = COT_LIST(0))) E(cot_logsumexp(X))                                    \
    E(cot_logsumexp(X, .axes = COT_LIST(1))) E(cot_softmax(X))                                 \
    E(cot_softmax(X, .axes = COT_LIST(0))) E(cot_log_softmax(X)) E(cot_vector_norm(X, 3))      \
    E(cot_vector_norm(X, INFINITY)) E(cot_vector_norm(X, 0)) E(cot_cosine_similarity(X, X, 1)) \
    /* order and running sums */                                                               \
    E(cot_sort(X, 0)) E(cot_sort(X, 1, .descending = 1))                                       \
    E(cot_convert(cot_argsort(X, 0), COT_F32)) E(cot_median(X, 0)) E(cot_median(X, 1))         \
    E(cot_quantile(X, 0.3, 1)) E(cot_top_k(X, 0, NULL)) E(cot_top_k(X, 1, NULL))               \
    E(cot_cumsum(X, 0)) E(cot_cumsum(X, 1, .reverse = 1)) E(cot_cumprod(X, 1))                 \
    E(cot_cummax(X, 0)) E(cot_cummin(X, 1)) E(cot_cumlogsumexp(X, 0))                          \
    E(cot_unique(X, .size = 3))                                                                \
    E(cot_convert(cot_unique(INTS, .size = 2, .fill = -1), COT_F32))                           \
    E(cot_convert(cot_bincount(cot_reshape(INTS, cot_size(X, 0) * cot_size(X, 1)), 4),         \
                  COT_F32))                                                                    \
    E(cot_convert(cot_bincount(ROWS_OF, 0), COT_F32))                                          \
    E(cot_convert(cot_histogram(X, 4, 0, 1), COT_F32))                                         \
    E(cot_convert(cot_searchsorted(cot_zeros(t, cot_f32(3)), X), COT_F32))                     \
    E(cot_convert(cot_searchsorted(cot_zeros(t, cot_f32(0)), X, .right = 1), COT_F32))         \
    E(cot_convert(cot_nonzero(X, .size = 4, .fill = -1), COT_F32))                             \
    E(cot_convert(cot_nonzero(X, .size = 1), COT_F32))                                         \
    /* products */                                                                             \
    E(SQUARE) E(cot_matmul(X, cot_matrix(X))) E(cot_dot(X, cot_matrix(X)))                     \
    E(cot_einsum("ij,ij->", COT_VALUES(X, X))) E(cot_einsum("ij,kj->ik", COT_VALUES(X, X)))    \
    E(cot_einsum("ij->j", COT_VALUES(X))) E(cot_einsum("ij,ik->ijk", COT_VALUES(X, X)))        \
    E(cot_einsum("aij,bji->ab",                                                                \
                 COT_VALUES(cot_broadcast_to(X, 2, cot_size(X, 0), cot_size(X, 1)),            \
                                           cot_broadcast_to(cot_matrix(X), 3, cot_size(X, 1),  \
                                               cot_size(X, 0)))))                              \
    E(cot_linear(X, cot_ones(t, cot_f32(4, cot_size(X, 1))), cot_ones(t, cot_f32(4))))         \
    E(cot_conv(cot_reshape(X, 1, 1, cot_size(X, 0) * cot_size(X, 1)),                          \
               cot_ones(t, cot_f32(2, 1, 1))))                                                 \
    E(cot_conv(cot_reshape(X, cot_size(X, 0), 1, cot_size(X, 1)),                              \
               cot_ones(t, cot_f32(2, 1, 3)), .same = 1))                                      \
    E(cot_conv(cot_reshape(X, 2, cot_size(X, 0) * cot_size(X, 1), 2),                          \
               cot_ones(t, cot_f32(2, cot_size(X, 0), 1))))                                    \
    E(cot_window_sum(X, COT_LIST(1, 1))) E(cot_window_max(X, COT_LIST(2), .same = 1))          \
    E(cot_max_pool(X, COT_LIST(2), .padding = COT_LIST(1, 1))) E(cot_avg_pool(X, COT_LIST(1))) \
    E(cot_avg_pool(X, COT_LIST(2), .padding = COT_LIST(1, 1), .count_valid = 1))               \
    E(cot_adaptive_avg_pool(cot_reshape(X, 1, cot_size(X, 0), cot_size(X, 1)), COT_LIST(2)))   \
    /* indexing */                                                                             \
    E(cot_take(X, FIRST_ROW, 0)) E(cot_take(X, cot_zeros(t, cot_i32(0)), 1))                   \
    E(cot_take(X, ROWS_OF, 0))                                                                 \
    E(cot_take_along(X, cot_zeros(t, cot_i32(0, cot_size(X, 1))), 0))                          \
    E(cot_take_along(X, cot_mul(INTS, 0), 1))                                                  \
    E(cot_index(X, COT_AT(COT_SPAN(COT_NONE, COT_NONE, -1))))                                  \
    E(cot_index(X, COT_AT(COT_SPAN(1, 0), COT_NEWAXIS)))                                       \
    E(cot_index(X, COT_AT(ROWS_OF))) E(cot_index(X, COT_AT(COT_MASK(TRUTHS, 3))))              \
    E(cot_index(X, COT_AT(cot_zeros(t, cot_i32(0)))))                                          \
    E(cot_index(X, COT_AT(FIRST_ROW))) E(cot_index_set(X, COT_AT(ROWS_OF), 1.0))               \
    E(cot_index_add(X, COT_AT(ROWS_OF), X))                                                    \
    E(cot_index_add(X, COT_AT(FIRST_ROW), 2.0)) E(cot_index_mul(X, COT_AT(TRUTHS), 2.0))       \
    E(cot_index_max(X, COT_AT(cot_zeros(t, cot_i32(0))), 2.0))                                 \
    E(cot_scatter_by(sums, .xs = COT_VALUES(X), .updates = COT_VALUES(X),                      \
                     .index = COT_AT(ROWS_OF)))                                                \
    E(cot_put_along(X, cot_mul(INTS, 0), X, 1))                                                \
    E(cot_add_along(X, cot_zeros(t, cot_i32(0, cot_size(X, 1))), 1.0, 0))                      \
    E(cot_segment_sum(X, ROWS_OF, 3)) E(cot_segment_prod(X, ROWS_OF, 0))                       \
    E(cot_segment_max(X, ROWS_OF, 2)) E(cot_segment_min(X, ROWS_OF, 2))                        \
    E(cot_dynamic_slice(X, COT_VALUES(cot_zeros(t, cot_i32()), cot_zeros(t, cot_i32())),       \
                        COT_LIST(0, 0)))                                                       \
    E(cot_dynamic_slice(X, COT_VALUES(cot_zeros(t, cot_i32()), cot_zeros(t, cot_i32())),       \
                        COT_LIST(cot_size(X, 0), cot_size(X, 1))))                             \
    E(cot_dynamic_update_slice(X, X,                                                           \
                               COT_VALUES(cot_zeros(t, cot_i32()), cot_zeros(t, cot_i32()))))  \
    E(cot_one_hot(ROWS_OF, 3, COT_F32)) E(cot_one_hot(FIRST_ROW, 0, COT_F32))                  \
    E(cot_embedding(X, FIRST_ROW))                                                             \
    E(cot_embedding(cot_ones(t, cot_f32(4, 2)), cot_zeros(t, cot_i32(0))))                     \
    /* bodies */                                                                               \
    E(cot_reduce(sums, .xs = COT_VALUES(X), .inits = COT_VALUES(cot_ones(t, cot_f32()))))      \
    E(cot_reduce(odd, .xs = COT_VALUES(X), .inits = COT_VALUES(cot_ones(t, cot_f32())),        \
                 .axes = COT_LIST(0)))                                                         \
    E(cot_reduce_window(odd, .xs = COT_VALUES(X), .inits = COT_VALUES(cot_ones(t, cot_f32())), \
                        .window = COT_LIST(1, 2), .same = 1))                                  \
    E(cot_sort_by(before, .xs = COT_VALUES(X)))                                                \
    E(cot_associative_scan(odd_rows, .xs = COT_VALUES(X)))                                     \
    E(cot_select_and_scatter(keeps, NULL, X, X, cot_ones(t, cot_f32()),                        \
                             .window = COT_LIST(1, 1)))                                        \
    E((cot_scan(adds_row, .in = COT_VALUES(cot_zeros(t, cot_f32(cot_size(X, 1)))),             \
                .xs = COT_VALUES(X), .n_out = 1, .out = two), two[1]))                         \
    E((cot_scan(adds_row, .in = COT_VALUES(cot_zeros(t, cot_f32(cot_size(X, 1)))),             \
                .xs = COT_VALUES(X), .n_out = 1, .out = two), two[0]))                         \
    E((cot_map(twice_row, .xs = COT_VALUES(X), .out = two), two[0]))                           \
    /* complex numbers, transforms */                                                          \
    E(PARTS(cot_mul(COMPLEX, COMPLEX))) E(PARTS(cot_exp(COMPLEX))) E(cot_abs(COMPLEX))         \
    E(PARTS(cot_reduce_prod(COMPLEX)))                                                         \
    E(PARTS(cot_matmul(COMPLEX, cot_matrix(COMPLEX)))) E(PARTS(cot_cumprod(COMPLEX, 0)))       \
    E(cot_angle(COMPLEX))                                                                      \
    E(PARTS(cot_fft(X))) E(PARTS(cot_fft(X, .axes = COT_LIST(0)))) E(PARTS(cot_rfft(X)))       \
    E(cot_irfft(COMPLEX)) E(PARTS(cot_fftshift(COMPLEX)))                                      \
    /* linear algebra */                                                                       \
    E(cot_cholesky(SQUARE)) E(cot_inv(SQUARE)) E(cot_det(SQUARE)) E(cot_slogdet(SQUARE, NULL)) \
    E(cot_solve(SQUARE, SQUARE)) E(cot_triangular_solve(SQUARE, SQUARE))                       \
    E(cot_lu(SQUARE, NULL, NULL)) E(cot_qr(X, NULL)) E(cot_eigh(SQUARE, NULL))                 \
    E(cot_abs(cot_eigvals(SQUARE))) E(cot_svdvals(X)) E(cot_pinv(X)) E(cot_lstsq(X, X))        \
    E(cot_expm(SQUARE)) E(cot_matrix_power(SQUARE, 3)) E(cot_matrix_power(SQUARE, -1))         \
    E(cot_matrix_trace(SQUARE)) E(cot_matrix_norm(X, COT_NORM_FRO))                            \
    /* layers and losses */                                                                    \
    E(cot_layer_norm(X)) E(cot_rms_norm(X)) E(cot_batch_norm(X, NULL)) E(cot_gelu(X))          \
    E(cot_glu(cot_concatenate(COT_VALUES(X, X), 1), 1))                                        \
    E(cot_normalize(X)) E(cot_mse(X, X)) E(cot_mse(X, X, .reduction = COT_LOSS_SUM))           \
    E(cot_huber(X, X)) E(cot_kl_div(X, X)) E(cot_cross_entropy(X, cot_mul(ROWS_OF, 0)))        \
    E(cot_bce_with_logits(X, X)) E(cot_attention(X, X, X))                                     \
    E(cot_attention(X, X, X, .causal = 1))                                                     \
    E(cot_group_norm(cot_reshape(X, cot_size(X, 0), 1, cot_size(X, 1)), 1))                    \
    E(cot_rotary(cot_concatenate(COT_VALUES(X, X), 1)))                                        \
    E(cot_rnn_cell(X, cot_zeros(t, cot_f32(cot_size(X, 0), 2)), CELL(1)))                      \
    E(cot_gru_cell(X, cot_zeros(t, cot_f32(cot_size(X, 0), 2)), CELL(3)))

static cot_value two[2];

BODY(sums, out[0] = cot_add(in[0], in[1]);)
BODY(odd, out[0] = cot_add(in[0], cot_mul(in[0], in[1]));)
BODY(odd_rows, out[0] = cot_add(in[0], cot_mul(in[0], in[1]));)
BODY(before, out[0] = cot_lt(cot_mul(in[0], in[0]), cot_mul(in[1], in[1]));)
BODY(keeps, out[0] = cot_ge(in[0], in[1]);)
BODY(adds_row, out[0] = cot_add(in[0], in[1]); out[1] = cot_mul(in[0], in[1]);)
BODY(twice_row, out[0] = cot_mul(in[0], 2.0);)

/* One body serves all rows: the user pointer says which of them. */
static void
any_row(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const int want = *(int *)user;
    int i = 0;

#define E(...) if (i++ == want) { out[0] = __VA_ARGS__; return; }
    EMPTY_ROWS(E)
#undef E
    (void)t;
}

static const char *const rows[] = {
#define E(...) #__VA_ARGS__,
    EMPTY_ROWS(E)
#undef E
};

/* What of an empty axis has no answer, or no derivative. */
static bool
may_refuse(const char *row, bool derivative)
{
    static const char *const words[] = { "cot_argmax", "cot_argmin", "cot_median",
                                         "cot_quantile", "cot_top_k(X, 1", "fft(",
                                         "FIRST_ROW", "cot_conv(cot_reshape(X, 2",
                                         "cot_adaptive_avg_pool" };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(row, words[i]))
            return true;
    return derivative && (strstr(row, "cot_zeta") || strstr(row, "cot_betainc"));
}

static void
total(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value y;

    any_row(t, in, &y, user);
    out[0] = cot_reduce_sum(cot_convert(y, COT_F32));
}

/* What f gives, by a back end, from zeros; or NULL and a message, never none. */
static cot_array *
result(cot_fn *f, cot_type x, const char *backend, const char *text)
{
    cot_array *in = cot_array_new(ctx, x), *y = NULL;
    cot_kernel *k = NULL;

    if (cot_compile(f, COT_TYPES(x), &(cot_compile_options){ .backend = backend },
                    &k) != COT_OK) {
        ck_assert_msg(cot_error(ctx)[0], "%s: no message", text);
        ck_assert_msg(!strstr(cot_error(ctx), "internal"), "%s: %s", text, cot_error(ctx));
        cot_error_clear(ctx);
    } else {
        y = cot_array_new(ctx, cot_graph_out_type(cot_kernel_graph(k), 0));
        ck_assert_msg(cot_run(k, &y, (const cot_array *const *)&in) == COT_OK, "%s: %s", text,
                      cot_error(ctx));
    }
    cot_kernel_free(k);
    cot_array_free(in);
    return y;
}

static bool
same(const cot_array *a, const cot_array *b)
{
    const cot_type t = cot_array_type(a);
    const char *x = cot_array_read(a), *y = cot_array_read(b);
    const size_t bytes = cot_dtype_size(t.dtype);

    for (int64_t i = 0; i < cot_type_count(&t); i++) {
        const float *p = (const float *)(const void *)(x + (size_t)i * bytes),
                    *q = (const float *)(const void *)(y + (size_t)i * bytes);
        const bool nan = t.dtype == COT_F32 && isnan(*p) && isnan(*q);

        if (!nan && memcmp(x + (size_t)i * bytes, y + (size_t)i * bytes, bytes) != 0)
            return false;
    }
    return true;
}

static bool
agrees(cot_fn *f, cot_type x, const char *text, const char *how)
{
    const bool compiled = strcmp(how, "alone") == 0 || cot_type_size(&x, x.rank - 2) == 0;
    cot_array *reference = result(f, x, "eval", text),
              *jit = result(f, x, compiled ? "jit" : "eval", text);

    ck_assert_msg(!reference == !jit, "%s, %s: one back end refuses", text, how);
    if (reference)
        ck_assert_msg(same(reference, jit), "%s, %s: the back ends differ", text, how);
    const bool good = reference != NULL;
    ck_assert_msg(good || may_refuse(text, strcmp(how, "gradient") == 0),
                  "%s, %s: is refused", text, how);
    cot_array_free(reference);
    cot_array_free(jit);
    return good;
}

START_TEST(rows_take_nothing)
{
    static const int64_t shapes[][2] = { { 0, 3 }, { 3, 0 }, { 1, 0 } };
    const cot_type x = cot_type_new(COT_F32, 2, shapes[_i % 3]);
    /* a third of the rows each time: a test of its own for every shape and third */
    for (int r = _i / 3; r < (int)(sizeof rows / sizeof *rows); r += 3) {
        cot_fn *f = cot_fn_new(ctx, "f", any_row, 1, 1, &r);
        cot_fn *sum = cot_fn_new(ctx, "sum", total, 1, 1, &r);

        if (agrees(f, x, rows[r], "alone")) {
            agrees(cot_grad(sum), x, rows[r], "gradient");
            agrees(cot_vmap(f), cot_type_new(COT_F32, 3,
                                             (const int64_t[]){ 0, shapes[_i % 3][0],
                                                 shapes[_i % 3][1] }), rows[r],
                   "no examples");
        }
    }
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(rows_take_nothing, 9),
    };

    return SUITE("empty", cases);
}
