/* The neural tangent kernel of a network, two ways.
 *
 * K(x, y) = J(x) J(y)' with J the Jacobian of the network's outputs in all its parameters.
 * One way makes the Jacobians and contracts them.  The other makes none: a unit vector e is
 * pulled back at y and the result pushed forward at x, which is J(x) J(y)' e; vmap does it for
 * all e, y and x.  The two sum in different orders, so that they agree within a few units of
 * the last place, and not to the bit.   Source: R. Novak, J. Sohl-Dickstein, S. Schoenholz,
 * Fast Finite Width Neural Tangent Kernel, 2022. */
#include <math.h>

#include "cotrace/cotrace.h"

enum { N = 4, M = 3, D = 3, H = 8, C = 2, PARAMS = 4 };

static void
network(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value hidden = cot_tanh(cot_linear(in[4], in[0], in[1]));

    (void)t, (void)user;
    out[0] = cot_linear(hidden, in[2], in[3]);
}

/* parameters, xs [N, D], ys [M, D] -> [N, M, C, C] by Jacobians */
static void
by_contraction(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_fn *jacobian = cot_jacrev(user, .wrt = COT_LIST(0, 1, 2, 3));
    cot_fn *each =
        cot_vmap(jacobian, .in_dims = COT_LIST(COT_NONE, COT_NONE, COT_NONE, COT_NONE, 0));
    cot_value x[PARAMS], y[PARAMS];

    (void)t;
    cot_call_all(each, COT_VALUES(in[0], in[1], in[2], in[3], in[4]), x, PARAMS);
    cot_call_all(each, COT_VALUES(in[0], in[1], in[2], in[3], in[5]), y, PARAMS);
    for (int i = 0; i < PARAMS; i++) {
        cot_value flat_x = cot_reshape(x[i], N, C, -1), flat_y = cot_reshape(y[i], M, C, -1);
        cot_value part = cot_einsum("nap,mbp->nmab", COT_VALUES(flat_x, flat_y));
        out[0] = i ? cot_add(out[0], part) : part;
    }
}

/* parameters, x, y, e -> J(x) J(y)' e */
static void
there_and_back(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_fn *back = cot_vjp(user, .wrt = COT_LIST(0, 1, 2, 3));
    cot_fn *forth = cot_jvp(user, .wrt = COT_LIST(0, 1, 2, 3));
    cot_value g[1 + PARAMS], y[2];

    (void)t;
    cot_call_all(back, COT_VALUES(in[0], in[1], in[2], in[3], in[5], in[6]), g, 1 + PARAMS);
    cot_call_all(forth, COT_VALUES(in[0], in[1], in[2], in[3], in[4], g[1], g[2], g[3], g[4]),
                 y, 2);
    out[0] = y[1];
}

/* The same [N, M, C, C], with e the last axis. */
static void
by_products(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const int64_t none = COT_NONE;
    cot_fn *f = cot_fn_new(cot_trace_context(t), "there_and_back", there_and_back, 7, 1, user);

    f = cot_vmap(f, .in_dims = COT_LIST(none, none, none, none, none, none, 0),
                 .out_dims = COT_ALL(1));
    f = cot_vmap(f, .in_dims = COT_LIST(none, none, none, none, none, 0, none));
    f = cot_vmap(f, .in_dims = COT_LIST(none, none, none, none, 0, none, none));
    out[0] = cot_call(f, in[0], in[1], in[2], in[3], in[4], in[5], cot_eye(t, COT_F64, C));
}

static cot_array *
numbers(cot_context *ctx, cot_type type, int from)
{
    cot_array *a = cot_array_new(ctx, type);
    double *x = a ? cot_array_data(a) : NULL;

    for (size_t i = 0; a && i < cot_array_bytes(a) / sizeof *x; i++)
        x[i] = (double)((from + 37 * (int)i) % 65 - 32) / 32;
    return a;
}

static cot_status
run(cot_context *ctx)
{
    cot_fn *f = cot_fn_new(ctx, "network", network, 5, 1, NULL);
    cot_array *args[] = { numbers(ctx, cot_f64(H, D), 1), numbers(ctx, cot_f64(H), 2),
                          numbers(ctx, cot_f64(C, H), 3), numbers(ctx, cot_f64(C), 4),
                          numbers(ctx, cot_f64(N, D), 5), numbers(ctx, cot_f64(M, D), 6) };
    cot_array *k[2] = { NULL, NULL };
    double off = 0, most = 0;

    COT_TRY(cot_jit(cot_fn_new(ctx, "by_contraction", by_contraction, 6, 1, f), &k[0], 1,
                    (const cot_array *const *)args, 6));
    COT_TRY(cot_jit(cot_fn_new(ctx, "by_products", by_products, 6, 1, f), &k[1], 1,
                    (const cot_array *const *)args, 6));
    const double *x = cot_array_read(k[0]), *y = cot_array_read(k[1]);
    for (int n = 0; n < N; n++) {
        printf("K(x%d, .)", n);
        for (int m = 0; m < M; m++)
            printf("  [%8.4f %8.4f; %8.4f %8.4f]", x[(n * M + m) * 4], x[(n * M + m) * 4 + 1],
                   x[(n * M + m) * 4 + 2], x[(n * M + m) * 4 + 3]);
        printf("\n");
    }
    for (int i = 0; i < N * M * C * C; i++) {
        off = fmax(off, fabs(x[i] - y[i]));
        most = fmax(most, fabs(x[i]));
    }
    printf("the two ways differ by less than 1e-15 of the greatest: %s\n",
           off < 1e-15 * most ? "yes" : "no");
    for (int i = 0; i < 6; i++)
        cot_array_free(args[i]);
    cot_array_free(k[0]), cot_array_free(k[1]);
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
