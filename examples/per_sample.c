/* The gradient of every example, clipped one by one: what differentially private training adds
 * noise to.
 *
 * grad gives the gradient of one example's loss, vmap all of them at once, as one kernel.
 * Each is scaled to the norm CLIP at most, over all parameters together, before the mean is
 * taken; the sum over examples of an ordinary gradient could not say which of them was large.
 * Source: M. Abadi et al., Deep Learning with Differential Privacy, 2016. */
#include <math.h>

#include "cotrace/cotrace.h"

enum { N = 6, D = 4, H = 5, C = 3, PARAMS = 4 };
static const double CLIP = 1;

struct model {
    cot_value w1, b1, w2, b2;
};
struct example {
    struct model m;
    cot_value x, label;
};

/* -log of the probability of the label, for one example. */
static void
loss(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const struct example *e = COT_STRUCT(struct example, in);
    cot_value hidden = cot_tanh(cot_linear(e->x, e->m.w1, e->m.b1));

    (void)t, (void)user;
    out[0] = cot_cross_entropy(cot_linear(hidden, e->m.w2, e->m.b2), e->label);
}

/* The gradients of all examples, the norm of each, and the mean of the clipped ones. */
static void
clipped(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_fn *each = cot_vmap(cot_grad(user, .wrt = COT_NAMES("m")),
                            .in_dims = COT_DIMS("m: none, x: 0, label: 0"));
    cot_value g[PARAMS], squares[PARAMS];

    (void)t;
    cot_call_all(each, COT_VALUES(in[0], in[1], in[2], in[3], in[4], in[5]), g, PARAMS);
    for (int i = 0; i < PARAMS; i++)
        squares[i] = cot_reduce_sum(cot_reshape(cot_square(g[i]), N, -1), .axes = COT_LIST(1));
    cot_value norm =
        cot_sqrt(cot_add(cot_add(squares[0], squares[1]), cot_add(squares[2], squares[3])));
    cot_value factor = cot_min(1, cot_div(CLIP, norm));
    for (int i = 0; i < PARAMS; i++) {
        out[i] = g[i];
        out[PARAMS + 1 + i] =
            cot_div(cot_einsum("n,n...->...", COT_VALUES(factor, g[i])), (double)N);
    }
    out[PARAMS] = norm;
}

/* Numbers between -1 and 1 that look like nothing in particular. */
static cot_array *
numbers(cot_context *ctx, cot_type type, int from)
{
    cot_array *a = cot_array_new(ctx, type);
    double *x = a ? cot_array_data(a) : NULL;

    for (size_t i = 0; a && i < cot_array_bytes(a) / sizeof *x; i++)
        x[i] = (double)((from + 37 * (int)i) % 65 - 32) / 32;
    return a;
}

/* How far each example's gradient, asked for alone, is from its slice of all of them.  Not the
 * same bits: mapped over examples a matrix-vector product is a matrix product, which sums in
 * another order. */
static cot_status
compare(cot_fn *f, cot_array *const *args, cot_array *const *all, double *off)
{
    cot_context *ctx = cot_fn_context(f);
    cot_fn *one = cot_grad(f, .wrt = COT_NAMES("m"));

    *off = 0;
    for (int k = 0; k < N; k++) {
        cot_array *g[PARAMS] = { NULL };
        cot_array *x =
            cot_array_borrow(ctx, cot_f64(D), (double *)cot_array_data(args[4]) + k * D);
        cot_array *label = cot_array_borrow(ctx, cot_i32(), (int *)cot_array_data(args[5]) + k);

        COT_TRY(cot_jit(one, g, PARAMS,
                        (const cot_array *[]){ args[0], args[1], args[2], args[3], x, label },
                        6));
        for (int i = 0; i < PARAMS; i++) {
            size_t n = cot_array_bytes(g[i]) / sizeof(double);
            const double *alone = cot_array_read(g[i]), *slice = cot_array_read(all[i]);
            for (size_t j = 0; j < n; j++)
                *off = fmax(*off, fabs(alone[j] - slice[(size_t)k * n + j]));
            cot_array_free(g[i]);
        }
        cot_array_free(x), cot_array_free(label);
    }
    return COT_OK;
}

static cot_status
run(cot_context *ctx)
{
    static int labels[N] = { 0, 1, 2, 2, 1, 0 };
    cot_fn *f = cot_fn_named(cot_fn_new(ctx, "loss", loss, 6, 1, NULL),
                             "m{w1, b1, w2, b2}, x, label", "loss");
    cot_fn *all = cot_fn_new(ctx, "clipped", clipped, 6, 2 * PARAMS + 1, f);
    cot_array *args[] = {
        numbers(ctx, cot_f64(H, D), 1), numbers(ctx, cot_f64(H), 2),
        numbers(ctx, cot_f64(C, H), 3), numbers(ctx, cot_f64(C), 4),
        numbers(ctx, cot_f64(N, D), 5), cot_array_borrow(ctx, cot_i32(N), labels)
    };
    cot_array *results[2 * PARAMS + 1] = { NULL };
    double total = 0, off;

    COT_TRY(cot_jit(all, results, 2 * PARAMS + 1, (const cot_array *const *)args, 6));
    const double *norm = cot_array_read(results[PARAMS]);
    printf("norms ");
    for (int i = 0; i < N; i++)
        printf(" %.6f", norm[i]);
    for (int i = PARAMS + 1; i < 2 * PARAMS + 1; i++) {
        const double *g = cot_array_read(results[i]);
        for (size_t k = 0; k < cot_array_bytes(results[i]) / sizeof *g; k++)
            total += g[k] * g[k];
    }
    printf("\nsquared norm of the mean of the clipped gradients  %.6f\n", total);
    COT_TRY(compare(f, args, results, &off));
    printf("one example at a time, within 1e-15: %s\n", off <= 1e-15 ? "yes" : "no");
    for (int i = 0; i < 6; i++)
        cot_array_free(args[i]);
    for (int i = 0; i < 2 * PARAMS + 1; i++)
        cot_array_free(results[i]);
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
