/* Linear systems and roots: values, derivatives of every order against formulas, maps. */
#include "both.h"

/* ---- a system of two equations: (in[0] I + shift) x = b, where shift exchanges with a sign
 * ---- */

typedef struct matrix {
    cot_value a; /* [2,2] */
} matrix;

static void
apply(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_matmul(((const matrix *)user)->a, in[0]);
}

/* Richardson's iteration, which converges for these matrices and, as solvers do, is a while
 * loop. */
typedef struct iteration {
    cot_fn *a;
    cot_value b;
} iteration;

static void
goes_on(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const iteration *i = user;
    (void)t;
    cot_value r = cot_sub(i->b, cot_call(i->a, in[0]));
    out[0] = cot_gt(cot_reduce_sum(cot_square(r)), 1e-30);
}

static void
step(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const iteration *i = user;
    (void)t;
    out[0] = cot_add(in[0], cot_mul(0.25, cot_sub(i->b, cot_call(i->a, in[0]))));
}

static void
richardson(cot_trace *t, cot_fn *a, const cot_value *b, cot_value *x, void *user)
{
    iteration i = { a, b[0] };
    (void)t, (void)user;
    x[0] = cot_while(goes_on, step, .in = COT_VALUES(cot_mul(b[0], 0.0)), .user = &i);
}

/* in: a [2,2], b [2] */
BODY(solved, matrix m = { in[0] };
     out[0] = cot_custom_linear_solve(apply, richardson, .b = COT_VALUES(in[1]), .user = &m);)
BODY(squares, cot_value x[1]; solved(t, in, x, user);
     out[0] = cot_reduce_sum(cot_mul(cot_square(x[0]), x[0]));)

static cot_value
at2(cot_value a, int i, int k)
{
    return cot_index(cot_index(a, i, 0), k, 0);
}

/* The same by Cramer's rule. */
BODY(cramer, cot_value a = at2(in[0], 0, 0), b = at2(in[0], 0, 1);
     cot_value c = at2(in[0], 1, 0); cot_value d = at2(in[0], 1, 1);
     cot_value e = cot_index(in[1], 0, 0), f = cot_index(in[1], 1, 0);
     cot_value det = cot_sub(cot_mul(a, d), cot_mul(b, c));
     cot_value x = cot_div(cot_sub(cot_mul(e, d), cot_mul(b, f)), det);
     cot_value y = cot_div(cot_sub(cot_mul(a, f), cot_mul(e, c)), det);
     out[0] = cot_stack(COT_VALUES(x, y), 0);)
BODY(cramer_squares, cot_value x[1]; cramer(t, in, x, user);
     out[0] = cot_reduce_sum(cot_mul(cot_square(x[0]), x[0]));)

static const double a22[4] = { 3, 1, -0.5, 2.5 }, b2[2] = { 1, -2 };

static void
same(cot_fn *f, cot_fn *g, cot_types types, const void *const *in)
{
    static double a[ROOM], b[ROOM];
    int64_t n = results(f, types, in, a);

    ck_assert_int_eq(results(g, types, in, b), n);
    for (int64_t i = 0; i < n; i++)
        ck_assert_msg(fabs(a[i] - b[i]) <= 1e-10 * fmax(1, fabs(a[i])), "%s: %d: %.17g, %.17g",
                      cot_fn_name(f), (int)i, a[i], b[i]);
}

START_TEST(linear_systems)
{
    cot_fn *f = fn("solved", solved, 2, 1), *g = fn("cramer", cramer, 2, 1);
    cot_fn *s = fn("squares", squares, 2, 1), *c = fn("cramer_squares", cramer_squares, 2, 1);
    const cot_types two = COT_TYPES(cot_f64(2, 2), cot_f64(2));
    const cot_types four = COT_TYPES(cot_f64(2, 2), cot_f64(2), cot_f64(2, 2), cot_f64(2));
    const cot_list both = COT_LIST(0, 1);

    same(g, f, two, IN(a22, b2));
    same(cot_jvp(g), cot_jvp(f), four, IN(a22, b2, F64(1, 2, 3, 4), F64(0.5, 0.25)));
    same(cot_grad(c, .wrt = both), cot_grad(s, .wrt = both), two, IN(a22, b2));
    same(cot_jacrev(g, .wrt = both), cot_jacrev(f, .wrt = both), two, IN(a22, b2));
    same(cot_jacfwd(g, .wrt = both), cot_jacfwd(f, .wrt = both), two, IN(a22, b2));
    same(cot_hessian(c, .wrt = both), cot_hessian(s, .wrt = both), two, IN(a22, b2));
    same(cot_jacrev(cot_jacrev(g)), cot_jacrev(cot_jacrev(f)), two, IN(a22, b2));
}
END_TEST

START_TEST(linear_systems_map)
{
    cot_fn *s = fn("squares", squares, 2, 1), *c = fn("cramer_squares", cramer_squares, 2, 1);
    const cot_list b_only = COT_LIST(COT_NONE, 0), a_only = COT_LIST(0, COT_NONE);
    const double many_b[6] = { 1, -2, 0, 0, 0.5, 4 },
                 many_a[8] = { 3, 1, -0.5, 2.5, 2, 0, 1, 3 };

    same(cot_vmap(c, .in_dims = b_only), cot_vmap(s, .in_dims = b_only),
         COT_TYPES(cot_f64(2, 2), cot_f64(3, 2)), IN(a22, many_b));
    same(cot_vmap(cot_grad(c), .in_dims = b_only), cot_vmap(cot_grad(s), .in_dims = b_only),
         COT_TYPES(cot_f64(2, 2), cot_f64(3, 2)), IN(a22, many_b));
    same(cot_vmap(cot_hessian(c), .in_dims = a_only),
         cot_vmap(cot_hessian(s), .in_dims = a_only), COT_TYPES(cot_f64(2, 2, 2), cot_f64(2)),
         IN(many_a, b2));
    same(cot_vmap(cot_grad(c, .wrt = COT_LIST(1))), cot_vmap(cot_grad(s, .wrt = COT_LIST(1))),
         COT_TYPES(cot_f64(2, 2, 2), cot_f64(2, 2)), IN(many_a, many_b));
}
END_TEST

/* ---- roots ---- */

typedef struct number {
    cot_value c;
} number;

/* x^3 + x = c: one root. */
static void
cubic(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] =
        cot_sub(cot_add(cot_mul(cot_square(in[0]), in[0]), in[0]), ((const number *)user)->c);
}

typedef struct halves {
    cot_fn *f;
} halves;

static void
halve(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value m = cot_mul(0.5, cot_add(in[0], in[1])),
              y = cot_call(((const halves *)user)->f, m);
    (void)t;
    out[0] = cot_select(cot_lt(y, 0), m, in[0]);
    out[1] = cot_select(cot_lt(y, 0), in[1], m);
    out[2] = cot_add(in[2], 1);
}

static void
narrow(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_and(cot_gt(cot_sub(in[1], in[0]), 1e-15), cot_lt(in[2], 60));
}

/* Bisection: nothing in it has a derivative. */
static void
bisect(cot_trace *t, cot_fn *f, const cot_value *x0, cot_value *x, void *user)
{
    halves h = { f };
    cot_value y[3], zero = cot_mul(x0[0], 0.0);
    (void)t, (void)user;
    cot_while(narrow, halve, .in = COT_VALUES(cot_sub(zero, 10.0), cot_add(zero, 10.0), zero),
              .out = y, .user = &h);
    x[0] = cot_mul(0.5, cot_add(y[0], y[1]));
}

/* One equation: divide by A(1). */
static void
divide(cot_trace *t, cot_fn *a, const cot_value *b, cot_value *x, void *user)
{
    (void)t, (void)user;
    x[0] = cot_div(b[0], cot_call(a, cot_add(cot_mul(b[0], 0.0), 1.0)));
}

BODY(inverse, number n = { in[0] };
     out[0] = cot_custom_root(cubic, bisect, .b = COT_VALUES(cot_mul(in[0], 0.0)),
                              .tangent = divide, .user = &n);)

/* x at c, and its derivatives by 1 / (3 x^2 + 1), -6 x x'^3, -6 x'^4 (1 - ... ). */
static double
exact(double c, int order)
{
    double x = c / 2;
    for (int i = 0; i < 100; i++)
        x -= (x * x * x + x - c) / (3 * x * x + 1);
    double d = 1 / (3 * x * x + 1), dd = -6 * x * d * d * d;
    return order == 0   ? x
           : order == 1 ? d
           : order == 2 ? dd
                        : -6 * d * d * d * d - 18 * x * d * d * dd;
}

START_TEST(roots)
{
    cot_fn *f = fn("inverse", inverse, 1, 1), *df = cot_grad(f), *ddf = cot_grad(df);
    const double c[3] = { 1.5, -4, 0 };
    const cot_types one = COT_TYPES(cot_f64()), three = COT_TYPES(cot_f64(3));

    GIVES(f, one, IN(c), exact(1.5, 0));
    GIVES(df, one, IN(c), exact(1.5, 1));
    GIVES(ddf, one, IN(c), exact(1.5, 2));
    GIVES(cot_grad(ddf), one, IN(c), exact(1.5, 3));
    GIVES(cot_hessian(f), one, IN(c), exact(1.5, 2));
    GIVES(cot_jacfwd(cot_jacfwd(f)), one, IN(c), exact(1.5, 2));
    GIVES(cot_vmap(df), three, IN(c), exact(1.5, 1), exact(-4, 1), exact(0, 1));
    GIVES(cot_vmap(ddf), three, IN(c), exact(1.5, 2), exact(-4, 2), exact(0, 2));
}
END_TEST

/* ---- a root in two unknowns, of different shapes ---- */

/* x0 = a sin x1 + a, x1 = a cos x0 / 2, elementwise: a contraction for small a. */
static void
circle(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const number *n = user;
    (void)t;
    out[0] = cot_sub(in[0], cot_add(cot_mul(n->c, cot_reduce_sum(cot_sin(in[1]))), n->c));
    out[1] = cot_sub(in[1], cot_mul(cot_mul(cot_cos(in[0]), 0.5), n->c));
}

typedef struct picard {
    cot_fn *f;
    const cot_value *b;
    int linear;
} picard;

static void
picard_step(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const picard *p = user;
    cot_value r[2];
    (void)t;
    cot_call_all(p->f, COT_VALUES(in[0], in[1]), r, 2);
    for (int i = 0; i < 2; i++)
        out[i] = cot_sub(in[i], p->linear ? cot_sub(r[i], p->b[i]) : r[i]);
}

static void
iterate(cot_trace *t, cot_fn *f, const cot_value *b, cot_value *x, void *user)
{
    picard p = { f, b, 0 };
    (void)t, (void)user;
    cot_scan(picard_step, .in = COT_VALUES(b[0], b[1]), .out = x, .length = 60, .user = &p);
}

static void
iterate_linear(cot_trace *t, cot_fn *f, const cot_value *b, cot_value *x, void *user)
{
    picard p = { f, b, 1 };
    (void)t, (void)user;
    cot_scan(picard_step, .in = COT_VALUES(b[0], b[1]), .out = x, .length = 60, .user = &p);
}

static void
two_unknowns(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    number n = { in[0] };
    cot_value x[2];
    (void)user;
    cot_custom_root(circle, iterate,
                    .b = COT_VALUES(cot_mul(in[0], 0.0), cot_zeros(t, cot_f64(3))),
                    .out = x, .tangent = iterate_linear, .user = &n);
    out[0] = cot_add(x[0], cot_reduce_sum(cot_square(x[1])));
}

/* The same by running the iteration and differentiating it. */
static void
unrolled(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value x0 = cot_mul(in[0], 0.0), x1 = cot_zeros(t, cot_f64(3));
    (void)user;
    for (int i = 0; i < 60; i++) {
        cot_value y0 = cot_add(cot_mul(in[0], cot_reduce_sum(cot_sin(x1))), in[0]);
        x1 = cot_broadcast_to(cot_mul(cot_mul(cot_cos(x0), 0.5), in[0]), 3);
        x0 = y0;
    }
    out[0] = cot_add(x0, cot_reduce_sum(cot_square(x1)));
}

START_TEST(roots_of_several_unknowns)
{
    cot_fn *f = fn("two_unknowns", two_unknowns, 1, 1), *g = fn("unrolled", unrolled, 1, 1);
    const cot_types one = COT_TYPES(cot_f64());

    same(g, f, one, IN(F64(0.3)));
    same(cot_grad(g), cot_grad(f), one, IN(F64(0.3)));
    same(cot_grad(cot_grad(g)), cot_grad(cot_grad(f)), one, IN(F64(0.3)));
    same(cot_vmap(cot_grad(g)), cot_vmap(cot_grad(f)), COT_TYPES(cot_f64(2)),
         IN(F64(0.3, -0.2)));
}
END_TEST

/* ---- inside control flow; messages ---- */

BODY(same_value, out[0] = in[0];)
BODY(choose, out[0] = cot_cond(cot_gt(in[0], 0), inverse, same_value, .in = COT_VALUES(in[0]));)
BODY(again, out[0] = cot_scan(inverse, .in = COT_VALUES(in[0]), .length = 2);)

START_TEST(inside_control_flow)
{
    const double x = exact(1.5, 0);

    GIVES(cot_vmap(cot_grad(fn("choose", choose, 1, 1))), COT_TYPES(cot_f64(2)),
          IN(F64(1.5, -4)), exact(1.5, 1), 1);
    GIVES(cot_grad(fn("again", again, 1, 1)), COT_TYPES(cot_f64()), IN(F64(1.5)),
          exact(1.5, 1) * exact(x, 1));
}
END_TEST

static void
affine(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_exp_((cot_place){ "m.c", 3 }, in[0]);
}

BODY(not_linear, out[0] = cot_custom_linear_solve(affine, richardson, .b = COT_VALUES(in[0]));)
BODY(no_tangent, number n = { in[0] };
     out[0] = cot_custom_root_((cot_place){ "m.c", 8 }, cubic, bisect,
                               &(const cot_solve_options){ .b = COT_VALUES(in[0]), .user = &n },
                               sizeof(cot_solve_options));)

START_TEST(messages)
{
    traced_fails(fn("not_linear", not_linear, 1, 1), COT_TYPES(cot_f64(2)), COT_ERR_ARG,
                 "m.c:3: linear_solve: matvec is not linear in its arguments: see its exp");
    traced_fails(fn("no_tangent", no_tangent, 1, 1), COT_TYPES(cot_f64()), COT_ERR_ARG,
                 "m.c:8: root: has no .tangent; wants a solver of linear systems");
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "linear", linear_systems, 1 },
        { "linear_maps", linear_systems_map, 1 },
        ONCE(roots),
        { "several", roots_of_several_unknowns, 1 },
        { "flow", inside_control_flow, 1 },
        ONCE(messages),
    };

    return SUITE("implicit", cases);
}
