/* Layers and losses, forward and backward, beside PyTorch's figures, on the twin and compiled, with the same bits. */
#include "traced.h"

#define LIST(...) __VA_ARGS__
enum { MOST_IN = 8, MOST_WANT = 256 };

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
    shape in[MOST_IN];
    double want[MOST_WANT];
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
        ck_assert_msg((isinf(want[i]) && got[i] == want[i]) || fabs(got[i] - want[i]) <= 2e-11 * fmax(1, fabs(want[i])),
                      "%s: figure %d is %.17g, wants %.17g", r->name, (int)(from + i), got[i], want[i]);
    return from + cot_type_count(&t);
}

static void
run_row(const row *r, const char *backend, int n, const cot_type *types, cot_array *const *in, cot_array **out)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_kernel *k = NULL;
    int64_t wrt[MOST_IN];
    cot_fn *f = cot_fn_new(ctx, "f", weighed, n, 2, (void *)(uintptr_t)r);

    for (int i = 0; i < n; i++)
        wrt[i] = i;
    cot_fn *df = cot_grad(f, .wrt = { n, 0, wrt }, .aux = 1);
    cot_status s = cot_compile(df, (cot_types){ n, types }, &(cot_compile_options){ .backend = backend }, &k);
    ck_assert_msg(s == COT_OK, "%s: %s", r->name, cot_error(ctx));
    for (int i = 0; i <= n; i++)
        out[i] = cot_array_new(ctx, cot_graph_out_type(cot_kernel_graph(k), i));
    ck_assert_msg(cot_run(k, out, (const cot_array *const *)in) == COT_OK, "%s: %s", r->name, cot_error(ctx));
    cot_kernel_free(k);
    cot_context_free(ctx);
}

static void
check(const row *r)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_type types[MOST_IN];
    cot_array *in[MOST_IN], *out[MOST_IN + 1], *twin[MOST_IN + 1];
    int n = 0;

    for (; n < MOST_IN && (r->in[n].rank > 0); n++) {
        types[n] = cot_type_new(COT_F64, r->in[n].rank, r->in[n].dims);
        in[n] = cot_array_new(ctx, types[n]);
        double *x = cot_array_data(in[n]);
        for (int64_t i = 0; i < cot_type_count(&types[n]); i++)
            x[i] = 2 * sin(1.3 * n + 0.7 * (double)(i + 1));
    }
    run_row(r, "eval", n, types, in, twin);
    int64_t at = compare(r, twin[n], 0);
    for (int i = 0; i < n; i++)
        at = compare(r, twin[i], at);
#if COT_PLANS
    run_row(r, "jit", n, types, in, out);
    for (int i = 0; i <= n; i++) {
        ck_assert_msg(memcmp(cot_array_read(out[i]), cot_array_read(twin[i]), cot_array_bytes(out[i])) == 0,
                      "%s: result %d has other bits", r->name, i);
        cot_array_free(out[i]);
    }
#else
    (void)out;
#endif
    for (int i = 0; i < n; i++)
        cot_array_free(in[i]);
    for (int i = 0; i <= n; i++)
        cot_array_free(twin[i]);
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

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

int
main(void)
{
    const traced_case cases[] = {
        { "layers", layer, COUNT(layers) },
        { "losses", loss, COUNT(losses) },
    };

    return TRACED_CASES("nn", cases, NULL, NULL);
}
