/* Compositions against values computed by hand, on the reference evaluator. */
#include "traced.h"

#define F64(...) ((const double[]){__VA_ARGS__})
#define I32(...) ((const int32_t[]){__VA_ARGS__})
#define IN(...) ((const void *const[]){__VA_ARGS__})

static const double X23[] = {1, 2, 3, 4, 5, 6.5};

BODY(mean_all, out[0] = cot_mean(in[0]);)
BODY(mean_rows, out[0] = cot_mean(in[0], .axes = COT_LIST(1), .keepdims = 1);)
BODY(var_rows, out[0] = cot_var(in[0], .axes = COT_LIST(-1), .ddof = 1);)
BODY(var_of_nothing, out[0] = cot_convert(cot_is_finite(cot_var(in[0], .ddof = 1)), COT_F64);)
BODY(norm_columns, out[0] = cot_norm(in[0], .axes = COT_LIST(0));)

START_TEST(reductions)
{
    body_gives("mean", mean_all, COT_TYPES(cot_f64(2, 3)), IN(X23), cot_f64(),
               F64(21.5 / 6), 1e-15);
    body_gives("mean", mean_rows, COT_TYPES(cot_f64(2, 3)), IN(X23), cot_f64(2, 1),
               F64(2, 15.5 / 3), 1e-15);
    body_gives("var", var_rows, COT_TYPES(cot_f64(2, 3)), IN(X23), cot_f64(2),
               F64(1, 1.5833333333333333), 1e-14);
    /* 0 / (0 - 1) is a variance of -0 */
    body_gives("var_of_nothing", var_of_nothing, COT_TYPES(cot_f64(0)), IN(X23),
               cot_f64(), F64(0), 0);
    body_gives("norm", norm_columns, COT_TYPES(cot_f64(2, 3)), IN(X23), cot_f64(3),
               F64(4.1231056256176606, 5.3851648071345037, 7.1589105316381767), 1e-15);
}
END_TEST

BODY(softmax, out[0] = cot_softmax(in[0]);)
BODY(softmax_0, out[0] = cot_softmax(in[0], .axes = COT_LIST(0));)
BODY(log_softmax, out[0] = cot_log_softmax(in[0]);)
BODY(logsumexp, out[0] = cot_logsumexp(in[0]);)
BODY(layer_norm, out[0] = cot_layer_norm(in[0], .scale = in[1], .bias = in[2], .eps = 0.25);)

START_TEST(softmaxes)
{
    const double e = exp(1), s = 1 + e + e * e;
    const double rows[] = {0, 1, 2, 1000, 1001, 1002};

    body_gives("softmax", softmax, COT_TYPES(cot_f64(2, 3)), IN(rows), cot_f64(2, 3),
               F64(1 / s, e / s, e * e / s, 1 / s, e / s, e * e / s), 1e-15);
    body_gives("softmax", softmax_0, COT_TYPES(cot_f64(2, 1)), IN(F64(3, 4)), cot_f64(2, 1),
               F64(1 / (1 + e), e / (1 + e)), 1e-15);
    body_gives("log_softmax", log_softmax, COT_TYPES(cot_f64(3)), IN(rows), cot_f64(3),
               F64(-log(s), 1 - log(s), 2 - log(s)), 1e-15);
    body_gives("logsumexp", logsumexp, COT_TYPES(cot_f64(3)), IN(rows + 3), cot_f64(),
               F64(1000 + log(s)), 1e-15);
    body_gives("logsumexp", logsumexp, COT_TYPES(cot_f64(2)), IN(F64(-INFINITY, -INFINITY)),
               cot_f64(), F64(-INFINITY), 0);
    /* mean 2, variance 1 - 0.25 + eps 0.25 = 1 after shifting: x = 2 -+ sqrt(0.75) */
    body_gives("layer_norm", layer_norm, COT_TYPES(cot_f64(1, 2), cot_f64(2), cot_f64()),
               IN(F64(2 - sqrt(0.75), 2 + sqrt(0.75)), F64(2, 4), F64(1)), cot_f64(1, 2),
               F64(1 - 2 * sqrt(0.75), 1 + 4 * sqrt(0.75)), 1e-14);
}
END_TEST

BODY(relu, out[0] = cot_relu(in[0]);)
BODY(gelu, out[0] = cot_gelu(in[0]);)
BODY(gelu_tanh, out[0] = cot_gelu(in[0], .tanh = 1);)
BODY(silu, out[0] = cot_silu(in[0]);)
BODY(softplus, out[0] = cot_softplus(in[0]);)
BODY(sum_relu, out[0] = cot_reduce_sum(cot_relu(in[0]));)

START_TEST(activations)
{
    cot_context *ctx = cot_context_new(NULL);

    body_gives("relu", relu, COT_TYPES(cot_f64(4)), IN(F64(-1, 0, 2, NAN)), cot_f64(4),
               F64(0, 0, 2, NAN), 0);
    body_gives("gelu", gelu, COT_TYPES(cot_f64(2)), IN(F64(1, -2)), cot_f64(2),
               F64(0.84134474606854293, -0.045500263896358417), 1e-14);
    body_gives("gelu", gelu_tanh, COT_TYPES(cot_f64(1)), IN(F64(1)), cot_f64(1),
               F64(0.84119199060827676), 1e-14);
    body_gives("silu", silu, COT_TYPES(cot_f64(1)), IN(F64(1)), cot_f64(1),
               F64(0.7310585786300049), 1e-15);
    body_gives("softplus", softplus, COT_TYPES(cot_f64(3)), IN(F64(-1000, 0, 1000)), cot_f64(3),
               F64(0, log(2), 1000), 1e-15);
    traced_gives(cot_grad(cot_fn_new(ctx, "relu", sum_relu, 1, 1, NULL)), COT_TYPES(cot_f64(3)),
                 IN(F64(-1, 0, 2)), cot_f64(3), F64(0, 0, 1), 0);
    cot_context_free(ctx);
}
END_TEST

BODY(where, out[0] = cot_where(cot_lt(in[0], 2), in[0], 7);)
BODY(one_hot, out[0] = cot_one_hot(in[0], 3, COT_F64);)
BODY(take_0, out[0] = cot_take(in[0], in[1], 0);)
BODY(take_1, out[0] = cot_take(in[0], in[1], 1);)
BODY(take_along, out[0] = cot_take_along(in[0], in[1], 1);)
BODY(roll, out[0] = cot_roll(in[0], -1, 1);)
BODY(tril, out[0] = cot_tril(in[0], 0);)
BODY(triu, out[0] = cot_triu(in[0], 1);)

START_TEST(indexing)
{
    cot_type m = cot_f64(2, 3);

    body_gives("where", where, COT_TYPES(cot_f64(3)), IN(X23), cot_f64(3), F64(1, 7, 7), 0);
    body_gives("one_hot", one_hot, COT_TYPES(cot_i32(2)), IN(I32(2, 5)), cot_f64(2, 3),
               F64(0, 0, 1, 0, 0, 0), 0);
    body_gives("take", take_0, COT_TYPES(m, cot_i32(3)), IN(X23, I32(1, 0, -1)), cot_f64(3, 3),
               F64(4, 5, 6.5, 1, 2, 3, 4, 5, 6.5), 0);
    body_gives("take", take_1, COT_TYPES(m, cot_i32(2, 1)), IN(X23, I32(2, 9)),
               cot_f64(2, 2, 1), F64(3, 3, 6.5, 6.5), 0);
    body_gives("take_along", take_along, COT_TYPES(m, cot_i32(2, 2)), IN(X23, I32(2, 0, 1, -1)),
               cot_f64(2, 2), F64(3, 1, 5, 6.5), 0);
    body_gives("roll", roll, COT_TYPES(m), IN(X23), m, F64(2, 3, 1, 5, 6.5, 4), 0);
    body_gives("tril", tril, COT_TYPES(m), IN(X23), m, F64(1, 0, 0, 4, 5, 0), 0);
    body_gives("triu", triu, COT_TYPES(m), IN(X23), m, F64(0, 2, 3, 0, 0, 6.5), 0);
}
END_TEST

BODY(matmul, out[0] = cot_matmul(in[0], in[1]);)
BODY(dot, out[0] = cot_dot(in[0], in[1]);)

START_TEST(products)
{
    const double *a = F64(1, 2, 3, 4), *b = F64(5, 6, 7, 8), *v = F64(1, 10);
    const double *two = F64(1, 2, 3, 4, 1, 0, 0, 1);

    body_gives("matmul", matmul, COT_TYPES(cot_f64(2, 2), cot_f64(2, 2)), IN(a, b),
               cot_f64(2, 2), F64(19, 22, 43, 50), 0);
    body_gives("matmul", matmul, COT_TYPES(cot_f64(2), cot_f64(2, 2)), IN(v, b), cot_f64(2),
               F64(75, 86), 0);
    body_gives("matmul", matmul, COT_TYPES(cot_f64(2, 2), cot_f64(2)), IN(b, v), cot_f64(2),
               F64(65, 87), 0);
    body_gives("matmul", matmul, COT_TYPES(cot_f64(2), cot_f64(2)), IN(v, v), cot_f64(),
               F64(101), 0);
    body_gives("matmul", matmul, COT_TYPES(cot_f64(2, 2, 2), cot_f64(1, 2, 2)), IN(two, b),
               cot_f64(2, 2, 2), F64(19, 22, 43, 50, 5, 6, 7, 8), 0);
    body_gives("matmul", matmul, COT_TYPES(cot_f64(2, 2), cot_f64(2, 2, 2)), IN(b, two),
               cot_f64(2, 2, 2), F64(23, 34, 31, 46, 5, 6, 7, 8), 0);
    body_gives("dot", dot, COT_TYPES(cot_f64(), cot_f64(2)), IN(F64(3), v), cot_f64(2),
               F64(3, 30), 0);
    body_gives("dot", dot, COT_TYPES(cot_f64(2, 2), cot_f64(2)), IN(a, v), cot_f64(2),
               F64(21, 43), 0);
}
END_TEST

BODY(ein_matmul, out[0] = cot_einsum("ij,jk->ik", COT_VALUES(in[0], in[1]));)
BODY(ein_implicit, out[0] = cot_einsum("ij,jk", COT_VALUES(in[0], in[1]));)
BODY(ein_outer, out[0] = cot_einsum("i,j->ji", COT_VALUES(in[0], in[1]));)
BODY(ein_trace, out[0] = cot_einsum("ii", COT_VALUES(in[0]));)
BODY(ein_diagonal, out[0] = cot_einsum("ii->i", COT_VALUES(in[0]));)
BODY(ein_batch, out[0] = cot_einsum("...ij,...jk->...ik", COT_VALUES(in[0], in[1]));)
BODY(ein_three, out[0] = cot_einsum("i,ij,j->", COT_VALUES(in[0], in[1], in[0]));)
BODY(ein_sum, out[0] = cot_einsum("ij -> j", COT_VALUES(in[0]));)

START_TEST(einsums)
{
    const double *a = F64(1, 2, 3, 4), *b = F64(5, 6, 7, 8), *v = F64(1, 10);
    cot_type m = cot_f64(2, 2), r = cot_f64(2);

    body_gives("einsum", ein_matmul, COT_TYPES(m, m), IN(a, b), m, F64(19, 22, 43, 50), 0);
    body_gives("einsum", ein_implicit, COT_TYPES(m, m), IN(a, b), m, F64(19, 22, 43, 50), 0);
    body_gives("einsum", ein_outer, COT_TYPES(r, r), IN(v, a), m, F64(1, 10, 2, 20), 0);
    body_gives("einsum", ein_trace, COT_TYPES(m), IN(a), cot_f64(), F64(5), 0);
    body_gives("einsum", ein_diagonal, COT_TYPES(m), IN(a), r, F64(1, 4), 0);
    body_gives("einsum", ein_batch, COT_TYPES(cot_f64(1, 2, 2), cot_f64(2, 2, 1)), IN(a, b),
               cot_f64(2, 2, 1), F64(17, 39, 23, 53), 0);
    body_gives("einsum", ein_three, COT_TYPES(r, m), IN(v, a), cot_f64(), F64(451), 0);
    body_gives("einsum", ein_sum, COT_TYPES(m), IN(a), r, F64(4, 6), 0);
}
END_TEST

BODY(cross_entropy, out[0] = cot_cross_entropy(in[0], in[1]);)
BODY(mse, out[0] = cot_mse(in[0], in[1]);)

START_TEST(losses)
{
    body_gives("cross_entropy", cross_entropy, COT_TYPES(cot_f64(2, 2), cot_i32(2)),
               IN(F64(0, 0, 0, -INFINITY), I32(1, 0)), cot_f64(), F64(log(2) / 2), 1e-15);
    body_gives("mse", mse, COT_TYPES(cot_f64(2), cot_f64()), IN(F64(1, 4), F64(2)), cot_f64(),
               F64(2.5), 0);
}
END_TEST

BODY(squeeze, out[0] = cot_squeeze(in[0]);)
BODY(expand, out[0] = cot_expand_dims(in[0], -1);)
BODY(stack, out[0] = cot_stack(COT_VALUES(in[0], in[1]), 1);)
BODY(split, cot_value p[3]; cot_split(in[0], 3, 1, p); out[0] = p[1];)
BODY(element, out[0] = cot_index(in[0], -1, 1);)
BODY(linspace, out[0] = cot_add(cot_linspace(t, COT_F64, 0, 1, 5), in[0]);)
BODY(eye, out[0] = cot_mul(cot_eye(t, COT_F64, 2), in[0]);)
BODY(arange, out[0] = cot_add(cot_arange(t, COT_I32, 3), in[0]);)

START_TEST(shapes)
{
    body_gives("squeeze", squeeze, COT_TYPES(cot_f64(1, 3, 1)), IN(X23), cot_f64(3),
               F64(1, 2, 3), 0);
    body_gives("expand_dims", expand, COT_TYPES(cot_f64(3)), IN(X23), cot_f64(3, 1),
               F64(1, 2, 3), 0);
    body_gives("stack", stack, COT_TYPES(cot_f64(2), cot_f64(2)), IN(X23, X23 + 2),
               cot_f64(2, 2), F64(1, 3, 2, 4), 0);
    body_gives("split", split, COT_TYPES(cot_f64(2, 3)), IN(X23), cot_f64(2, 1), F64(2, 5), 0);
    body_gives("index", element, COT_TYPES(cot_f64(2, 3)), IN(X23), cot_f64(2), F64(3, 6.5), 0);
    body_gives("linspace", linspace, COT_TYPES(cot_f64()), IN(F64(0)), cot_f64(5),
               F64(0, .25, .5, .75, 1), 0);
    body_gives("eye", eye, COT_TYPES(cot_f64()), IN(F64(3)), cot_f64(2, 2), F64(3, 0, 0, 3), 0);
    body_gives("arange", arange, COT_TYPES(cot_i32()), IN(I32(5)), cot_i32(3), F64(5, 6, 7), 0);
}
END_TEST

BODY(entr, out[0] = cot_entr(in[0]);)
BODY(logit, out[0] = cot_logit(in[0]);)
BODY(sinc, out[0] = cot_sinc(in[0]);)
BODY(sum_sinc, out[0] = cot_reduce_sum(cot_sinc(in[0]));)
BODY(sum_entr, out[0] = cot_reduce_sum(cot_entr(in[0]));)
BODY(i0, out[0] = cot_bessel_i0(in[0]);)
BODY(i1, out[0] = cot_bessel_i1(in[0]);)
BODY(xlogy, out[0] = cot_xlogy(in[0], in[1]);)
BODY(sum_xlogy, out[0] = cot_reduce_sum(cot_xlogy(in[0], in[1]));)
BODY(xlog1py, out[0] = cot_xlog1py(in[0], in[1]);)
BODY(logaddexp, out[0] = cot_logaddexp(in[0], in[1]);)
BODY(logaddexp2, out[0] = cot_logaddexp2(in[0], in[1]);)
BODY(beta, out[0] = cot_beta(in[0], 2.5);)
BODY(lower_gamma, out[0] = cot_igamma(in[0], in[1]);)
BODY(upper_gamma, out[0] = cot_igammac(in[0], in[1]);)
BODY(moved_sample, out[0] = cot_random_gamma_grad(in[0], in[1]);)

/* Second derivatives by the order; mpmath with 40 digits. */
START_TEST(incomplete_gamma_twice)
{
    static const struct { double a, x, aa, g; } row[] = {
        { 0.5, 0.3, 0.62614765583991265, -1.587523884255 },
        { 2, 3, -0.079308616296455419, -0.362323007255139 },
        { 30, 28, 0.0048836186038393737, -0.0165552593017464 }, { 2, 0, 0, NAN },
        { 2, INFINITY, 0, NAN }, { -1, 2, NAN, NAN },
    };
    cot_context *ctx = cot_context_new(&(cot_options){ .verify = 1 });
    const cot_types two = COT_TYPES(cot_f64(), cot_f64());
    cot_fn *p = cot_hessian(cot_fn_new(ctx, "p", lower_gamma, 2, 1, NULL)),
           *q = cot_hessian(cot_fn_new(ctx, "q", upper_gamma, 2, 1, NULL)),
           *g = cot_grad(cot_fn_new(ctx, "g", moved_sample, 2, 1, NULL)),
           *r = cot_jacrev(cot_grad(cot_fn_new(ctx, "r", lower_gamma, 2, 1, NULL)));

    for (int i = 0; i < 6; i++) {
        const void *const in[] = { &row[i].a, &row[i].x };
        traced_gives(p, two, in, cot_f64(), F64(row[i].aa), 1e-11);
        traced_gives(q, two, in, cot_f64(), F64(-row[i].aa), 1e-11);
        if (i < 3)
            traced_gives(g, two, in, cot_f64(), F64(row[i].g), 1e-10);
        traced_gives(r, two, in, cot_f64(), F64(row[i].aa), 1e-11);
    }
    cot_context_free(ctx);
}
END_TEST

BODY(betainc, out[0] = cot_betainc(in[0], in[1], in[2]);)
BODY(sum_betainc, out[0] = cot_reduce_sum(cot_betainc(cot_stop_gradient(in[0]),
                                                      cot_stop_gradient(in[1]), in[2]));)
BODY(multigammaln, out[0] = cot_multigammaln(in[0], 3);)
BODY(ldexp_by, out[0] = cot_ldexp(in[0], in[1]);)
BODY(sum_ldexp, out[0] = cot_reduce_sum(cot_ldexp(in[0], 3));)
BODY(frexp_of, out[0] = cot_frexp(in[0], NULL);)
BODY(exponent_of, cot_frexp(in[0], &out[0]);)
BODY(sum_frexp, out[0] = cot_reduce_sum(cot_frexp(in[0], NULL));)
BODY(precise, out[0] = cot_reduce_precision(in[0], 5, 2);)

/* Values by SciPy; what is infinite in a factor harms neither value nor derivative. */
START_TEST(special_functions)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_type four = cot_f64(4), three = cot_f64(3), two = cot_f64(2);

    body_gives("entr", entr, COT_TYPES(four), IN(F64(0, -1, 0.5, NAN)), four,
               F64(0, -INFINITY, 0.34657359027997264, NAN), 1e-15);
    traced_gives(cot_grad(cot_fn_new(ctx, "entr", sum_entr, 1, 1, NULL)), COT_TYPES(two),
                 IN(F64(0, 0.5)), two,
                 F64(0x1.fffffffffffffp1023, -0.30685281944005469), 1e-15);
    body_gives("logit", logit, COT_TYPES(four), IN(F64(0, 1, 0.25, 2)), four,
               F64(-INFINITY, INFINITY, -1.0986122886681098, NAN), 1e-15);
    body_gives("sinc", sinc, COT_TYPES(four), IN(F64(0, 0.25, 1.5, 1e-8)), four,
               F64(1, 0.90031631615710606, -0.21220659078919377, 0.99999999999999989), 2e-16);
    traced_gives(cot_grad(cot_fn_new(ctx, "sinc", sum_sinc, 1, 1, NULL)), COT_TYPES(three),
                 IN(F64(0, 1e-6, 1.25)), three,
                 F64(0, -3.2898681336932e-06, -0.42163481436410), 1e-12);
    body_gives("bessel_i0", i0, COT_TYPES(two), IN(F64(-2, 0.5)), two,
               F64(2.2795853023360673, 1.0634833707413236), 1e-15);
    body_gives("bessel_i1", i1, COT_TYPES(two), IN(F64(-2, 0.5)), two,
               F64(-1.5906368546373291, 0.25789430539089631), 1e-15);
    body_gives("xlogy", xlogy, COT_TYPES(four, four),
               IN(F64(0, 0, 2, 0), F64(0, INFINITY, 3, NAN)), four,
               F64(0, 0, 2.1972245773362196, NAN), 1e-15);
    traced_gives(cot_grad(cot_fn_new(ctx, "xlogy", sum_xlogy, 2, 1, NULL)),
                 COT_TYPES(three, three), IN(F64(0, 0, 2), F64(0, 2, 3)), three,
                 F64(0, 0.69314718055994531, 1.0986122886681098), 1e-15);
    body_gives("xlog1py", xlog1py, COT_TYPES(three, three), IN(F64(0, 2, 3), F64(-1, 1e-20, 1)),
               three, F64(0, 2e-20, 2.0794415416798357), 1e-15);
    body_gives("logaddexp", logaddexp, COT_TYPES(three, three),
               IN(F64(1000, -INFINITY, 1), F64(1000, -INFINITY, 2)), three,
               F64(1000.6931471805599, -INFINITY, 2.3132616875182230), 1e-15);
    body_gives("logaddexp2", logaddexp2, COT_TYPES(three, three),
               IN(F64(1000, INFINITY, 1), F64(1000, -INFINITY, 3)), three,
               F64(1001, INFINITY, 3.3219280948873622), 1e-15);
    body_gives("beta", beta, COT_TYPES(two), IN(F64(1.5, 20)), two,
               F64(0.19634954084936207, 0.00067864544565209), 1e-13);
    body_gives("multigammaln", multigammaln, COT_TYPES(cot_f64()), IN(F64(4)), cot_f64(),
               F64(5.402975080909175), 1e-14);
    cot_context_free(ctx);
}
END_TEST

/* Values by SciPy; the ends, where there is a limit. */
START_TEST(incomplete_beta)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_type t = cot_f64(9);
    const double a[9] = { 0.5, 2, 30, 1000, 1e-3, 1e5, 5, 3, 0.25 },
                 b[9] = { 0.5, 3, 4, 2000, 20, 1e5, 1, 1e6, 7 };
    const double x[9] = { 0.3, 0.9, 0.8, 0.34, 1e-5, 0.501, 0.999, 2e-6, 1e-9 };

    body_gives("betainc", betainc, COT_TYPES(t, t, t), IN(a, b, x), t,
               F64(0.36901011956554536, 0.9963, 0.0808127257645497, 0.7812150911606441,
                   0.9920654738194826, 0.8144532554424423, 0.995009990004999,
                   0.3233246665001949, 0.00995569643812797), 1e-13);
    /* large parameters, near the mean: neither the prefactor nor the fraction loses digits */
    body_gives("betainc", betainc, COT_TYPES(cot_f64(4), cot_f64(4), cot_f64(4)),
               IN(F64(992, 168.75, 2500, 2887), F64(221.25, 2666.5, 2500, 12),
               F64(0.8185, 0.0599, 0.5, 0.996)), cot_f64(4),
               F64(0.524731334943643194, 0.543386611463960895, 0.5, 0.508819305027504136),
               4e-15);
    traced_gives(cot_grad(cot_fn_new(ctx, "betainc", sum_betainc, 3, 1, NULL),
                          .wrt = COT_LIST(2)), COT_TYPES(cot_f64(3), cot_f64(3), cot_f64(3)),
                 IN(F64(1, 2, 5), F64(1, 3, 1), F64(0, 0.5, 1)), cot_f64(3),
                 F64(1, 1.5, 5), 1e-13);
    body_gives("betainc", betainc, COT_TYPES(t, t, t),
               IN(F64(0, 1, 0, 1, 1, INFINITY, 1, -1, 2), F64(1, 0, 0, 1, 1, 1, INFINITY, 1, 3),
               F64(.5, .5, .5, 0, 1, .5, .5, .5, NAN)), t, F64(1, 0, NAN, 0, 1, 0, 1, NAN, NAN),
               0);
    cot_context_free(ctx);
}
END_TEST

/* Rounded once: 0x1.8p-1074 + 1 bit below a tie would go up twice. */
START_TEST(scaling)
{
    cot_context *ctx = cot_context_new(NULL);
    const double x[] = {1, 0x1.0000000000001p-30, 0x1.fffffffffffffp1023, 0x1p-1074, -3,
                        INFINITY, 0x1.0000000000003p-1000, 0};
    const int32_t n[] = {-1074, -1030, -2097, 2097, 2000000000, -5, -24, 2147483647};
    double want[8];

    for (int i = 0; i < 8; i++)
        want[i] = ldexp(x[i], n[i]);
    body_gives("ldexp", ldexp_by, COT_TYPES(cot_f64(8), cot_i32(8)), IN(x, n),
               cot_f64(8), want, 0);
    traced_gives(cot_grad(cot_fn_new(ctx, "ldexp", sum_ldexp, 1, 1, NULL)),
                 COT_TYPES(cot_f64()), IN(F64(5)), cot_f64(), F64(8), 0);
    body_gives("frexp", frexp_of, COT_TYPES(cot_f64(4)),
               IN(F64(-6, 0x1.8p-1073, -0.0, INFINITY)), cot_f64(4),
               F64(-0.75, 0.75, -0.0, INFINITY), 0);
    body_gives("frexp", exponent_of, COT_TYPES(cot_f64(4)),
               IN(F64(-6, 0x1.8p-1073, -0.0, INFINITY)), cot_i32(4), F64(3, -1072, 0, 0), 0);
    traced_gives(cot_grad(cot_fn_new(ctx, "frexp", sum_frexp, 1, 1, NULL)),
                 COT_TYPES(cot_f64(2)), IN(F64(5, -1)), cot_f64(2), F64(0.125, 0.5), 0);
    body_gives("reduce_precision", precise, COT_TYPES(cot_f64(3)), IN(F64(1.2, 60000, 1e9)),
               cot_f64(3), F64(1.25, 57344, INFINITY), 0);
    cot_context_free(ctx);
}
END_TEST

/* f16 and bf16 widen once and narrow once. */
START_TEST(halves_round_once)
{
    static traced_text got;
    cot_context *ctx = cot_context_new(NULL);
    const cot_graph *g;
    int converts = 0;

    got.n = 0;
    ck_assert_int_eq(cot_trace_fn(cot_fn_new(ctx, "f", softmax, 1, 1, NULL),
                                  COT_TYPES(cot_bf16(2, 3)), &g), COT_OK);
    cot_dump_graph(g, traced_write, &got);
    for (const char *p = got.text; (p = strstr(p, "convert")); p++)
        converts++;
    ck_assert_int_eq(converts, 2);
    cot_context_free(ctx);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(reductions),
        ONCE(softmaxes),
        ONCE(activations),
        ONCE(indexing),
        ONCE(products),
        ONCE(einsums),
        ONCE(losses),
        ONCE(shapes),
        ONCE(special_functions),
        ONCE(incomplete_beta),
        ONCE(incomplete_gamma_twice),
        ONCE(scaling),
        ONCE(halves_round_once),
    };

    return SUITE("sugar", cases);
}
