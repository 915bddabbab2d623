/* Layers and losses, forward and backward, beside PyTorch's figures, on the reference
 * evaluator and compiled, with the same bits. */
#include "runtime/values.h"
#include "traced.h"

#define LIST(...) __VA_ARGS__
enum { MAX_IN = 8, MAX_WANT = 256 };

typedef struct shape {
    int rank;
    int64_t dims[5];
} shape;

static cot_value
ints(cot_trace *t, int n, const int32_t *at)
{
    return cot_constant(t, cot_i32(n), at);
}
#define INTS(t, n, ...) ints(t, n, (const int32_t[]){__VA_ARGS__})

static cot_value
floats(cot_trace *t, int n, const double *at)
{
    return cot_constant(t, cot_f64(n), at);
}
#define FLOATS(t, n, ...) floats(t, n, (const double[]){__VA_ARGS__})

#define ROW(name, shapes, want, ...) BODY(f_##name, __VA_ARGS__)
#include "nn_layers.def"
#include "nn_losses.def"
#undef ROW

typedef struct row {
    const char *name;
    cot_body *body;
    shape in[MAX_IN];
    double want[MAX_WANT];
} row;

#define ROW(name, shapes, want, ...) { #name, f_##name, { LIST shapes }, { LIST want } },
static const row layers[] = {
#include "nn_layers.def"
};
static const row losses[] = {
#include "nn_losses.def"
};
#undef ROW

/* Inputs -> sum of y[i] cos(i + 1), y: user is the row. */
static void
weighed(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const row *r = user;
    cot_value y;

    r->body(t, in, &y, NULL);
    const int64_t n = cot_count(y);
    cot_value w = cot_cos(cot_add(cot_iota(t, cot_f64(n), 0), 1));
    out[0] = cot_reduce_sum(cot_mul(cot_reshape(y, n), w));
    out[1] = y;
}

static int64_t
compare(const row *r, const cot_array *a, int64_t from)
{
    const cot_type t = cot_array_type(a);
    const double *got = cot_array_read(a), *want = r->want + from;

    for (int64_t i = 0; i < cot_type_count(&t); i++)
        ck_assert_msg((isinf(want[i]) && got[i] == want[i]) ||
                          fabs(got[i] - want[i]) <= 2e-11 * fmax(1, fabs(want[i])),
                      "%s: figure %d is %.17g, wants %.17g", r->name, (int)(from + i), got[i],
                      want[i]);
    return from + cot_type_count(&t);
}

static void
run_row(const row *r, const char *backend, int n, const cot_type *types, cot_array *const *in,
        cot_array **out)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_kernel *k = NULL;
    int64_t wrt[MAX_IN];
    cot_fn *f = cot_fn_new(ctx, "f", weighed, n, 2, (void *)(uintptr_t)r);

    for (int i = 0; i < n; i++)
        wrt[i] = i;
    cot_fn *df = cot_grad(f, .wrt = { n, 0, wrt }, .aux = 1);
    cot_status s = cot_compile(df, (cot_types){ .n = n, .at = types },
                               &(cot_compile_options){ .backend = backend }, &k);
    ck_assert_msg(s == COT_OK, "%s: %s", r->name, cot_error(ctx));
    for (int i = 0; i <= n; i++)
        out[i] = cot_array_new(ctx, cot_graph_out_type(cot_kernel_graph(k), i));
    ck_assert_msg(cot_run(k, out, (const cot_array *const *)in) == COT_OK, "%s: %s", r->name,
                  cot_error(ctx));
    cot_kernel_free(k);
    cot_context_free(ctx);
}

static void
check(const row *r)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_type types[MAX_IN];
    cot_array *in[MAX_IN], *out[MAX_IN + 1], *reference[MAX_IN + 1];
    int n = 0;

    for (; n < MAX_IN && (r->in[n].rank > 0); n++) {
        types[n] = cot_type_new(COT_F64, r->in[n].rank, r->in[n].dims);
        in[n] = cot_array_new(ctx, types[n]);
        double *x = cot_array_data(in[n]);
        for (int64_t i = 0; i < cot_type_count(&types[n]); i++)
            x[i] = 2 * sin(1.3 * n + 0.7 * (double)(i + 1));
    }
    run_row(r, "eval", n, types, in, reference);
    int64_t at = compare(r, reference[n], 0);
    for (int i = 0; i < n; i++)
        at = compare(r, reference[i], at);
#if COT_PLANS
    run_row(r, "jit", n, types, in, out);
    for (int i = 0; i <= n; i++) {
        ck_assert_msg(memcmp(cot_array_read(out[i]), cot_array_read(reference[i]),
                             cot_array_bytes(out[i])) == 0,
                      "%s: result %d has other bits", r->name, i);
        cot_array_free(out[i]);
    }
#else
    (void)out;
#endif
    for (int i = 0; i < n; i++)
        cot_array_free(in[i]);
    for (int i = 0; i <= n; i++)
        cot_array_free(reference[i]);
    cot_context_free(ctx);
}

START_TEST(layer)
{
    check(&layers[_i]);
}
END_TEST

START_TEST(loss)
{
    check(&losses[_i]);
}
END_TEST

/* In f32, bf16 and f16 the result has the operands' type and, roughly, the figures. */
static void
check_narrow(const row *r, cot_dtype t, double tolerance)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_type types[MAX_IN];
    const cot_graph *g;
    void *in[MAX_IN], *out;
    int n = 0;

    for (; n < MAX_IN && r->in[n].rank > 0; n++) {
        types[n] = cot_type_new(t, r->in[n].rank, r->in[n].dims);
        in[n] = calloc((size_t)cot_type_count(&types[n]), 8);
        for (int64_t i = 0; i < cot_type_count(&types[n]); i++)
            rt_set_element(t, in[n], i, 2 * sin(1.3 * n + 0.7 * (double)(i + 1)));
    }
    cot_fn *f = cot_fn_new(ctx, "f", r->body, n, 1, NULL);
    ck_assert_msg(cot_trace_fn(f, (cot_types){ .n = n, .at = types }, &g) == COT_OK, "%s: %s",
                  r->name, cot_error(ctx));
    const cot_type y = cot_graph_out_type(g, 0);
    ck_assert_msg(y.dtype == t, "%s: the result is %s", r->name, cot_dtype_name(y.dtype));
    out = calloc((size_t)cot_type_count(&y) + 1, 8);
    ck_assert_int_eq(ir_eval(g, &out, (const void *const *)in), COT_OK);
    for (int64_t i = 0; i < cot_type_count(&y); i++) {
        const double got = rt_element(t, out, i);
        ck_assert_msg(fabs(got - r->want[i]) <= tolerance * fmax(1, fabs(r->want[i])),
                      "%s in %s: figure %d is %g, wants %g", r->name, cot_dtype_name(t), (int)i,
                      got, r->want[i]);
    }
    free(out);
    while (n > 0)
        free(in[--n]);
    cot_context_free(ctx);
}

START_TEST(narrow)
{
    check_narrow(&layers[_i], COT_F32, 2e-5);
    check_narrow(&layers[_i], COT_BF16, 0.1);
    check_narrow(&layers[_i], COT_F16, 0.02);
}
END_TEST

/* The gradient of two examples by a map: twice that of one. */
static void
check_mapped(const row *r)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_type types[MAX_IN];
    cot_array *in[MAX_IN], *out[MAX_IN + 1] = { NULL };
    int64_t wrt[MAX_IN];
    int n = 0;

    for (; n < MAX_IN && r->in[n].rank > 0; n++) {
        int64_t dims[6] = {2};
        memcpy(dims + 1, r->in[n].dims, sizeof r->in[n].dims);
        types[n] = cot_type_new(COT_F64, r->in[n].rank + 1, dims);
        wrt[n] = n;
        in[n] = cot_array_new(ctx, types[n]);
        double *x = cot_array_data(in[n]);
        const int64_t count = cot_type_count(&types[n]) / 2;
        for (int64_t i = 0; i < 2 * count; i++)
            x[i] = 2 * sin(1.3 * n + 0.7 * (double)(i % count + 1));
    }
    cot_fn *f = cot_fn_new(ctx, "f", weighed, n, 2, (void *)(uintptr_t)r);
    cot_fn *df = cot_vmap(cot_grad(f, .wrt = {n, 0, wrt}, .aux = 1));
    cot_kernel *k = NULL;
    cot_status s = cot_compile(df, (cot_types){ .n = n, .at = types },
                               &(cot_compile_options){ .backend = "eval" }, &k);
    ck_assert_msg(s == COT_OK, "%s: %s", r->name, cot_error(ctx));
    for (int i = 0; i <= n; i++)
        out[i] = cot_array_new(ctx, cot_graph_out_type(cot_kernel_graph(k), i));
    ck_assert_msg(cot_run(k, out, (const cot_array *const *)in) == COT_OK, "%s: %s", r->name,
                  cot_error(ctx));
    for (int64_t i = 0, at = 0; i <= n; i++) {
        const cot_type t = cot_array_type(out[i ? i - 1 : n]);
        const double *got = cot_array_read(out[i ? i - 1 : n]);
        const int64_t count = cot_type_count(&t) / 2;
        for (int64_t j = 0; j < 2 * count; j++) {
            const double want = r->want[at + j % count];
            ck_assert_msg((isinf(want) && got[j] == want) ||
                              fabs(got[j] - want) <= 2e-11 * fmax(1, fabs(want)),
                          "%s mapped: result %d, figure %d is %g, wants %g", r->name, (int)i,
                          (int)j, got[j], want);
        }
        at += count;
    }
    for (int i = 0; i <= n; i++)
        cot_array_free(out[i]);
    while (n > 0)
        cot_array_free(in[--n]);
    cot_kernel_free(k);
    cot_context_free(ctx);
}

START_TEST(mapped)
{
    check_mapped(_i < (int)(sizeof layers / sizeof *layers)
                     ? &layers[_i]
                     : &losses[_i - (int)(sizeof layers / sizeof *layers)]);
}
END_TEST

BODY(no_class, out[0] = cot_cross_entropy(in[0], INTS(t, 2, 0, 3));)
BODY(no_class_smooth,
     out[0] = cot_cross_entropy(in[0], INTS(t, 2, -1, 0), .label_smoothing = 0.5);)
BODY(minus_infinity,
     out[0] = cot_cross_entropy(in[0], INTS(t, 2, 0, 0), .reduction = COT_LOSS_EACH);)
BODY(blind, out[0] = cot_attention(in[0], in[0], in[0],
                                   .mask = cot_lt(cot_iota(t, cot_i32(2, 2), 0), 1));)

START_TEST(corners)
{
    const double x[6] = { 0, -INFINITY, -INFINITY, 1, 1, -INFINITY }, v[4] = { 1, 3, 5, 7 },
                 nan[1] = { NAN };
    const double each[2] = {0, log(2)}, mean[2] = {3, 5};

    body_gives("no_class", no_class, COT_TYPES(cot_f64(2, 3)), (const void *const[]){ x },
               cot_f64(), nan, 0);
    body_gives("no_class", no_class_smooth, COT_TYPES(cot_f64(2, 3)),
               (const void *const[]){ x }, cot_f64(), nan, 0);
    body_gives("infinite", minus_infinity, COT_TYPES(cot_f64(2, 3)), (const void *const[]){ x },
               cot_f64(2), each, 1e-15);
    /* The second query sees nothing: the mean of the values. */
    cot_context *ctx = cot_context_new(NULL);
    const cot_graph *g;
    double y[4];
    void *out = y;
    ck_assert_int_eq(
        cot_trace_fn(cot_fn_new(ctx, "blind", blind, 1, 1, NULL), COT_TYPES(cot_f64(2, 2)), &g),
        COT_OK);
    ck_assert_int_eq(ir_eval(g, &out, (const void *const[]){v}), COT_OK);
    ck_assert(y[2] == mean[0] && y[3] == mean[1]);
    cot_context_free(ctx);
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

int
main(void)
{
    const suite_case cases[] = {
        { "layers", layer, COUNT(layers) },
        { "losses", loss, COUNT(losses) },
        EACH(mapped, COUNT(layers) + COUNT(losses)),
        ONCE(corners),
        EACH(narrow, COUNT(layers)),
    };

    return SUITE("nn", cases);
}
