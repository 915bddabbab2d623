/* Jacobians and Hessians of a network, by every way there is, and of a batch at once.
 *
 * The network is x -> tanh(W2 tanh(W1 x + b1) + b2).  Its Jacobian in x has three rows and
 * five columns: forward mode makes it by columns, reverse mode by rows, and one pullback of
 * each unit vector makes it row by row.  The Hessian is forward over reverse, or reverse over
 * reverse; its product with a vector needs neither. vmap gives a Jacobian for each example. */
#include <math.h>
#include <string.h>

#include "cotrace/cotrace.h"

enum { N = 4, D = 5, H = 7, C = 3, ARGS = 5, X = 4 };

static void
predict(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value hidden = cot_tanh(cot_linear(in[X], in[0], in[1]));

    (void)t, (void)user;
    out[0] = cot_tanh(cot_linear(hidden, in[2], in[3]));
}

static void
sum_of_squares(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_reduce_sum(cot_square(cot_call(user, in[0], in[1], in[2], in[3], in[4])));
}

/* The pullback of each unit vector, one call after another; its result i + 1 is for argument i
 * of wrt. */
static void
by_rows(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_fn *back = cot_vjp(user, .wrt = COT_LIST(X));
    cot_value unit = cot_eye(t, COT_F64, C), row[C], y[2];

    for (int i = 0; i < C; i++) {
        cot_call_all(back, COT_VALUES(in[0], in[1], in[2], in[3], in[4], cot_index(unit, i, 0)),
                     y, 2);
        row[i] = y[1];
    }
    out[0] = cot_stack(COT_VALUES(row[0], row[1], row[2]), 0);
}

static cot_array *
numbers(cot_context *ctx, cot_type type, int from)
{
    cot_array *a = cot_array_new(ctx, type);
    double *x = a ? cot_array_data(a) : NULL;

    for (size_t i = 0; a && i < cot_array_bytes(a) / sizeof *x; i++)
        x[i] = (double)((from + 37 * (int)i) % 65 - 32) / 64;
    return a;
}

typedef struct results {
    cot_array *args[ARGS + 1]; /* the parameters, one example, and a direction */
    cot_array *at[16];
    int n;
} results;

static cot_status
jit(results *r, cot_fn *f, int n_args, const double **out)
{
    cot_array **a = &r->at[r->n];

    COT_TRY(cot_jit(f, a, 1, (const cot_array *const *)r->args, n_args));
    *out = cot_array_read(r->at[r->n++]);
    return COT_OK;
}

static const char *
within(const double *x, const double *y, int n, double bound)
{
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i] - y[i]) <= bound))
            return "no";
    return "yes";
}

static int
same(const double *x, const double *y, int n)
{
    return memcmp(x, y, (size_t)n * sizeof *x) == 0;
}

static cot_status
jacobians(results *r, cot_fn *f)
{
    const double *columns, *rows, *single;
    cot_fn *by = cot_fn_new(cot_fn_context(f), "by_rows", by_rows, ARGS, 1, f);

    COT_TRY(jit(r, cot_jacrev(f, .wrt = COT_LIST(X)), ARGS, &rows));
    COT_TRY(jit(r, cot_jacfwd(f, .wrt = COT_LIST(X)), ARGS, &columns));
    COT_TRY(jit(r, by, ARGS, &single));
    for (int i = 0; i < C; i++) {
        printf(i ? "        " : "Jacobian");
        for (int k = 0; k < D; k++)
            printf(" %9.6f", rows[i * D + k]);
        printf("\n");
    }
    printf("row by row: %s\n", same(rows, single, C * D) ? "the same bits" : "other bits");
    printf("by columns, within 1e-15: %s\n", within(rows, columns, C * D, 1e-15));
    return COT_OK;
}

static cot_status
hessians(results *r, cot_fn *g)
{
    const double *h, *reverse, *product, *v = cot_array_read(r->args[ARGS]);
    cot_fn *gradient = cot_grad(g, .wrt = COT_LIST(X));
    double turned[D * D], hv[D], trace = 0;

    COT_TRY(jit(r, cot_hessian(g, .wrt = COT_LIST(X)), ARGS, &h));
    COT_TRY(jit(r, cot_jacrev(gradient, .wrt = COT_LIST(X)), ARGS, &reverse));
    for (int i = 0; i < D; i++) {
        trace += h[i * D + i];
        hv[i] = 0;
        for (int k = 0; k < D; k++) {
            turned[i * D + k] = h[k * D + i];
            hv[i] += h[i * D + k] * v[k];
        }
    }
    printf("Hessian of the sum of squares: trace %.6f\n", trace);
    printf("symmetric, within 1e-15: %s\n", within(h, turned, D * D, 1e-15));
    printf("reverse over reverse, within 1e-15: %s\n", within(h, reverse, D * D, 1e-15));

    cot_array *pair[2] = { NULL, NULL };
    COT_TRY(cot_jit(cot_jvp(gradient, .wrt = COT_LIST(X)), pair, 2,
                    (const cot_array *const *)r->args, ARGS + 1));
    r->at[r->n++] = pair[0];
    r->at[r->n++] = pair[1];
    product = cot_array_read(pair[1]);
    printf("its product with a vector, within 1e-15: %s\n", within(hv, product, D, 1e-15));
    return COT_OK;
}

/* The first example of the batch is the example of before. */
static cot_status
batches(results *r, cot_fn *f, cot_fn *g, cot_array *xs)
{
    const double *all, *one = cot_array_read(r->at[0]);
    const double *hessians, *h = cot_array_read(r->at[3]);
    cot_list dims = COT_LIST(COT_NONE, COT_NONE, COT_NONE, COT_NONE, 0);
    cot_array *x = r->args[X];
    cot_status status;

    r->args[X] = xs;
    status = jit(r, cot_vmap(cot_jacrev(f, .wrt = COT_LIST(X)), .in_dims = dims), ARGS, &all);
    if (status == COT_OK)
        status = jit(r, cot_vmap(cot_hessian(g, .wrt = COT_LIST(X)), .in_dims = dims), ARGS,
                     &hessians);
    r->args[X] = x;
    COT_TRY(status);
    printf("of %d examples at once, within 1e-15: Jacobians %s, Hessians %s\n", N,
           within(all, one, C * D, 1e-15), within(hessians, h, D * D, 1e-15));
    return COT_OK;
}

static cot_status
run(cot_context *ctx)
{
    cot_fn *f = cot_fn_new(ctx, "predict", predict, ARGS, 1, NULL);
    cot_fn *g = cot_fn_new(ctx, "sum_of_squares", sum_of_squares, ARGS, 1, f);
    cot_array *xs = numbers(ctx, cot_f64(N, D), 5);
    results r = { .args = { numbers(ctx, cot_f64(H, D), 1), numbers(ctx, cot_f64(H), 2),
                            numbers(ctx, cot_f64(C, H), 3), numbers(ctx, cot_f64(C), 4),
                            cot_array_copy(ctx, cot_f64(D), cot_array_read(xs)),
                            numbers(ctx, cot_f64(D), 6) } };

    COT_TRY(jacobians(&r, f));
    COT_TRY(hessians(&r, g));
    COT_TRY(batches(&r, f, g, xs));
    for (int i = 0; i <= ARGS; i++)
        cot_array_free(r.args[i]);
    for (int i = 0; i < r.n; i++)
        cot_array_free(r.at[i]);
    cot_array_free(xs);
    return COT_OK;
}

int
main(void)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_status status = run(ctx);

    if (status != COT_OK)
        fprintf(stderr, "%s\n", cot_error(ctx));
    cot_context_free(ctx);
    return status != COT_OK;
}
