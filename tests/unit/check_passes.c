/* The transforms against what they mean, on the reference evaluator: derivatives against
 * differences, reverse mode against forward mode, second derivatives against differences of
 * first ones, vmap against a loop.  One row of a table is one function; every op of the
 * pointwise, reduction, movement and product families has one. */
#include <math.h>
#include <stdio.h>

#include "transformed.h"

typedef struct func {
    const char *text;
    double lo, hi; /* where the inputs lie */
} func;

static double
dot(const vals *x, int x0, const vals *y, int y0, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        for (int64_t k = 0; k < x->size[x0 + i]; k++)
            s += x->v[x0 + i][k] * y->v[y0 + i][k];
    return s;
}

static vals *
moved(const vals *x, const vals *dx, double h)
{
    vals *z = calloc(1, sizeof *z);
    *z = *x;
    for (int i = 0; i < dx->n; i++)
        for (int64_t k = 0; k < x->size[i]; k++)
            z->v[i][k] += h * dx->v[i][k];
    return z;
}

/* jvp of f against the difference quotient, at x along dx (which may be shorter than x). */
static void
check_jvp(const ir_graph *f, const char *pipeline, const vals *x, const vals *dx)
{
    const double h = 1e-5;
    const ir_graph *jvp = after(f, pipeline);
    vals *in = joined(x, dx), *y = run(jvp, in);
    vals *plus = moved(x, dx, h), *minus = moved(x, dx, -h);
    vals *yp = run(f, plus), *ym = run(f, minus);
    for (int j = 0; j < f->n_out; j++)
        for (int64_t k = 0; k < y->size[j]; k++) {
            const double want = (yp->v[j][k] - ym->v[j][k]) / (2 * h),
                         got = y->v[f->n_out + j][k];
            ck_assert_msg(fabs(got - want) <= 2e-7 * (1 + fabs(want)),
                          "%s: output %d [%d]: %.12g, difference %.12g\n%s", pipeline, j,
                          (int)k, got, want, printed(f));
        }
    free(in), free(y), free(plus), free(minus), free(yp), free(ym);
}

/* <ct, J dx> = <J'ct, dx>. */
static void
check_vjp(const ir_graph *f, const vals *x, const vals *dx, const vals *ct)
{
    vals *forward_in = joined(x, dx), *reverse_in = joined(x, ct);
    vals *forward = run(after(f, "jvp"), forward_in);
    vals *linear = run(after(f, "linearize"), forward_in);
    vals *reverse = run(after(f, "vjp"), reverse_in);
    const double a = dot(forward, f->n_out, ct, 0, f->n_out);
    const double l = dot(linear, f->n_out, ct, 0, f->n_out);
    const double b = dot(reverse, f->n_out, dx, 0, f->n_in);
    ck_assert_msg(fabs(a - b) <= 1e-12 * (1 + fabs(a) + fabs(b)),
                  "<ct, J dx> = %.17g, <J'ct, dx> = %.17g\n%s", a, b, printed(f));
    ck_assert_msg(fabs(a - l) <= 1e-12 * (1 + fabs(a)), "linearize: %.17g, jvp: %.17g\n%s", l,
                  a, printed(f));
    free(forward_in), free(reverse_in), free(forward), free(linear), free(reverse);
}

/* vmap over the inputs in `set`, against one example after the other. */
static void
check_vmap(const ir_graph *f, unsigned set, const func *c)
{
    enum { SIZE = 3 };
    char text[128] = "vmap(size=3, in=[";
    for (int i = 0; i < f->n_in; i++)
        strcat(text, i ? (set >> i & 1 ? ",0" : ",none") : (set & 1 ? "0" : "none"));
    strcat(text, "])");
    const ir_graph *mapped = after(f, text);
    vals *x = random_vals(f->n_in, mapped, mapped->in, 5 + set, c->lo, c->hi),
         *y = run(mapped, x);
    for (int e = 0; e < SIZE; e++) {
        vals *one = calloc(1, sizeof *one);
        one->n = f->n_in;
        for (int i = 0; i < f->n_in; i++) {
            const int64_t n = ir_type_at(f, f->in[i])->size;
            one->size[i] = n;
            memcpy(one->v[i], x->v[i] + (set >> i & 1 ? e * n : 0), sizeof(double) * (size_t)n);
        }
        vals *want = run(f, one);
        for (int j = 0; j < f->n_out; j++)
            for (int64_t k = 0; k < want->size[j]; k++) {
                const double w = want->v[j][k], g = y->v[j][e * want->size[j] + k];
                ck_assert_msg(fabs(g - w) <= 1e-13 * (1 + fabs(w)),
                              "%s: example %d, output %d [%d]: %.17g, alone %.17g\n%s", text, e,
                              j, (int)k, g, w, printed(mapped));
            }
        free(one), free(want);
    }
    free(x), free(y);
}

/* B34: what is left of the ten compositions when the caller has checked jvp, vjp, jvp of vjp,
 * vjp of vjp and vmap.  Mapped: everything, then only the first argument. */
static void
check_compositions(const ir_graph *f, const ir_graph *vjp, const func *c)
{
    const ir_graph *jvp = after(f, "jvp"), *mapped = after(f, "vmap(size=2)");
    const ir_graph *jvp_vjp = after(vjp, "jvp"), *vjp_vjp = after(vjp, "vjp");
    const ir_graph *each[] = { vjp, jvp, jvp_vjp, vjp_vjp };
    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) {
        check_vmap(each[i], (1u << each[i]->n_in) - 1, c);
        check_vmap(each[i], 1, c);
    }
    vals *x = random_vals(f->n_in, mapped, mapped->in, 7, c->lo, c->hi);
    vals *dx = random_vals(f->n_in, mapped, mapped->in, 8, -1, 1);
    vals *ct = random_vals(f->n_out, mapped, mapped->out, 9, -1, 1);
    check_vjp(mapped, x, dx, ct);
    check_jvp(mapped, "jvp", x, dx);
    free(x), free(dx), free(ct);
}

/* Uses do not count in contraction: the value beside a derivative has the bits of the value
 * alone. */
static void
check_bits(const ir_graph *f, const vals *x, const vals *ct)
{
    vals *both = joined(x, ct), *alone = run(after(f, "inline | simplify | dce | contract"), x);
    vals *beside = run(after(f, "vjp | inline | simplify | dce | contract"), both);
    for (int j = 0; j < f->n_out; j++)
        ck_assert_msg(memcmp(alone->v[j], beside->v[j], sizeof alone->v[j]) == 0, "%s",
                      printed(f));
    free(both), free(alone), free(beside);
}

static void
check_function(const func *c)
{
    const ir_graph *f = parsed(c->text), *vjp = after(f, "vjp");
    vals *x = random_vals(f->n_in, f, f->in, 1, c->lo, c->hi);
    vals *dx = random_vals(f->n_in, f, f->in, 2, -1, 1);
    vals *ct = random_vals(f->n_out, f, f->out, 3, -1, 1);
    vals *xct = joined(x, ct), *dxct = random_vals(f->n_in + f->n_out, vjp, vjp->in, 4, -1, 1);
    check_jvp(f, "jvp", x, dx);
    check_vjp(f, x, dx, ct);
    check_jvp(vjp, "jvp", xct, dxct); /* second derivatives, forward over reverse */
    vals *ctct = random_vals(vjp->n_out, vjp, vjp->out, 6, -1, 1);
    check_vjp(vjp, xct, dxct, ctct);
    for (unsigned set = 1; set < 1u << f->n_in; set++)
        check_vmap(f, set, c);
    check_compositions(f, vjp, c);
    check_bits(f, x, ct);
    free(x), free(dx), free(ct), free(xct), free(dxct), free(ctct);
}

/* Unary ops, and where they are smooth. */
static const struct {
    const char *op;
    double lo, hi;
} unary[] = {
    { "neg", -2, 2 },
    { "abs", 0.1, 2 },
    { "abs", -2, -0.1 },
    { "exp", -2, 2 },
    { "exp2", -2, 2 },
    { "expm1", -2, 2 },
    { "log", 0.2, 3 },
    { "log2", 0.2, 3 },
    { "log1p", -0.5, 3 },
    { "sqrt", 0.2, 3 },
    { "rsqrt", 0.2, 3 },
    { "cbrt", 0.2, 3 },
    { "cbrt", -3, -0.2 },
    { "sin", -3, 3 },
    { "cos", -3, 3 },
    { "tan", -1, 1 },
    { "asin", -0.9, 0.9 },
    { "acos", -0.9, 0.9 },
    { "atan", -3, 3 },
    { "sinh", -2, 2 },
    { "cosh", -2, 2 },
    { "tanh", -2, 2 },
    { "asinh", -3, 3 },
    { "acosh", 1.2, 3 },
    { "atanh", -0.8, 0.8 },
    { "logistic", -3, 3 },
    { "erf", -2, 2 },
    { "erfc", -2, 2 },
    { "lgamma", 0.3, 4 },
    { "digamma", 0.3, 4 },
    { "erf_inv", -0.9, 0.9 },
    { "erfcx", -2, 2 },
    { "ndtr", -3, 3 },
    { "ndtri", 0.1, 0.9 },
    { "log_ndtr", -6, 3 },
    { "bessel_i0e", 0.1, 3 },
    { "bessel_i1e", 0.1, 3 },
    { "bessel_j0", 0.1, 9 },
    { "bessel_j1", 0.1, 9 },
    { "sign", 0.1, 2 },
    { "floor", 0.1, 0.9 },
    { "ceil", 0.1, 0.9 },
    { "trunc", 0.1, 0.9 },
    { "round", 0.1, 0.4 },
    { "round_even", 0.1, 0.4 },
    { "integer_pow {y=3}", -2, 2 },
    { "integer_pow {y=2}", -2, 2 },
    { "integer_pow {y=-2}", 0.5, 2 },
    { "integer_pow {y=1}", -2, 2 },
    { "integer_pow {y=0}", -2, 2 },
};

START_TEST(unary_ops)
{
    char text[256], op[64];
    const char *space = strchr(unary[_i].op, ' ');
    const int n = space ? (int)(space - unary[_i].op) : (int)strlen(unary[_i].op);
    snprintf(op, sizeof op, "%.*s", n, unary[_i].op);
    snprintf(text, sizeof text,
             "fn @f(%%x: f64[5]) -> f64[5] {\n  %%0 = %s %%x%s : f64[5]\n  ret %%0\n}\n", op,
             space ? space : "");
    check_function(&(func){ text, unary[_i].lo, unary[_i].hi });
}
END_TEST

#define BINARY(op)                                                                             \
    "fn @f(%x: f64[4], %y: f64[4]) -> f64[4] {\n %0 = " op " %x, %y : f64[4]\n ret %0\n}\n"
#define ONE(in, op, out)                                                                       \
    "fn @f(%x: f64" in ") -> f64" out " {\n %0 = " op " : f64" out "\n ret %0\n}\n"
#define TWO(in, in2, op, out)                                                                  \
    "fn @f(%x: f64" in ", %y: f64" in2 ") -> f64" out " {\n %0 = " op " : f64" out             \
    "\n ret %0\n}\n"

static const func functions[] = {
    { BINARY("add"), -2, 2 },
    { BINARY("sub"), -2, 2 },
    { BINARY("mul"), -2, 2 },
    { BINARY("div"), 0.5, 2 },
    { BINARY("pow"), 0.5, 2 },
    { BINARY("atan2"), 0.5, 2 },
    { BINARY("lbeta"), 0.5, 3 },
    { "fn @f(%x: f64[4]) -> f64[4] {\n %a = constant {data=2.5} : f64[4]\n %0 = igamma %a, %x "
      ": f64[4]\n ret %0\n}\n",
      0.5, 3 },
    { "fn @f(%x: f64[4]) -> f64[4] {\n %a = constant {data=2.5} : f64[4]\n %0 = igammac %a, %x "
      ": f64[4]\n ret %0\n}\n",
      0.5, 3 },
    { "fn @f(%x: f64[4]) -> f64[4] {\n %a = constant {data=2.5} : f64[4]\n %0 = igamma_grad_a "
      "%a, %x : f64[4]\n ret %0\n}\n",
      0.5, 3 },
    { "fn @f(%x: f64[4]) -> f64[4] {\n %a = constant {data=2.5} : f64[4]\n %0 = "
      "random_gamma_grad %a, %x : f64[4]\n ret %0\n}\n",
      0.5, 3 },
    { BINARY("igamma"), 0.5, 3 },
    { BINARY("igammac"), 0.5, 3 },
    { BINARY("igamma_grad_a"), 0.5, 3 },
    { BINARY("hypot"), 0.5, 2 },
    { BINARY("logaddexp"), -2, 2 },
    { BINARY("max"), -2, 2 },
    { BINARY("min"), -2, 2 },
    { "fn @f(%x: f64[4], %y: f64[4]) -> f64[4] {\n %0 = mul %x, %x : f64[4]\n %c = constant "
      "{data=7.3} : f64[4]\n"
      " %1 = add %0, %c : f64[4]\n %2 = rem %1, %y : f64[4]\n ret %2\n}\n",
      0.9, 1.0 },
    { "fn @f(%x: f64[4], %y: f64[4], %z: f64[4]) -> f64[4] {\n %0 = fma %x, %y, %z : f64[4]\n "
      "ret %0\n}\n",
      -2, 2 },
    { "fn @f(%x: f64[4], %y: f64[4], %z: f64[4]) -> f64[4] {\n %0 = clamp %x, %y, %z : "
      "f64[4]\n ret %0\n}\n",
      -2, 2 },
    { "fn @f(%x: f64[4], %y: f64[4]) -> f64[4] {\n %0 = lt %x, %y : bool[4]\n %1 = mul %x, %x "
      ": f64[4]\n"
      " %2 = select %0, %1, %y : f64[4]\n ret %2\n}\n",
      -2, 2 },
    { "fn @f(%x: f64[4]) -> f64[4] {\n %0 = sin %x : f64[4]\n %1 = convert %0 {dtype=f64} : "
      "f64[4]\n ret %1\n}\n",
      -2, 2 },
    { "fn @f(%x: f64[4]) -> f64[4] {\n %0 = constant {data=3} : f64[4]\n %1 = pow %x, %0 : "
      "f64[4]\n ret %1\n}\n",
      -2, 2 },
    { "fn @f(%x: f64[4]) -> f64[4] {\n %0 = constant {data=-1.5} : f64[4]\n %1 = pow %x, %0 : "
      "f64[4]\n ret %1\n}\n",
      0.5, 2 },
    { "fn @f(%x: f64[3], %y: f64[2,3]) -> f64[2,3] {\n %0 = sin %x : f64[3]\n"
      " %1 = mul %0, %x : f64[3]\n"
      " %2 = broadcast_in_dim %1 {shape=[2,3], dims=[1]} : f64[2,3]\n"
      " %3 = neg %2 : f64[2,3]\n %4 = mul %y, %y : f64[2,3]\n %5 = add %4, %3 : f64[2,3]\n"
      " %6 = tanh %5 : f64[2,3]\n %7 = mul %6, %2 : f64[2,3]\n %8 = sub %7, %5 : f64[2,3]\n"
      " ret %8\n}\n",
      -1, 1 },
    /* movement */
    { ONE("[3,1]", "broadcast_in_dim %x {shape=[2,3,4], dims=[1,2]}", "[2,3,4]"), -2, 2 },
    { ONE("[]", "broadcast_in_dim %x {shape=[2,3], dims=[]}", "[2,3]"), -2, 2 },
    { ONE("[3,4]", "reshape %x {shape=[2,6]}", "[2,6]"), -2, 2 },
    { ONE("[3,4,2]", "transpose %x {perm=[2,0,1]}", "[2,3,4]"), -2, 2 },
    { ONE("[7,5]", "slice %x {start=[1,0], limit=[6,5], stride=[2,3]}", "[3,2]"), -2, 2 },
    { ONE("[4]", "slice %x {start=[2], limit=[2], stride=[1]}", "[0]"), -2, 2 },
    { TWO("[3,2]", "[]", "pad %x, %y {low=[1,0], high=[0,2], interior=[0,1]}", "[4,5]"), -2,
      2 },
    { TWO("[5]", "[]", "pad %x, %y {low=[-2], high=[3], interior=[0]}", "[6]"), -2, 2 },
    { TWO("[5]", "[]", "pad %x, %y {low=[-1], high=[-2], interior=[2]}", "[10]"), -2, 2 },
    { TWO("[2,3]", "[2,1]", "concatenate %x, %y {axis=1}", "[2,4]"), -2, 2 },
    { TWO("[2,3]", "[1,3]", "concatenate %x, %y, %x {axis=0}", "[5,3]"), -2, 2 },
    { ONE("[2,3,2]", "reverse %x {axes=[0,2]}", "[2,3,2]"), -2, 2 },
    /* reductions */
    { ONE("[3,4,2]", "reduce_sum %x {axes=[1]}", "[3,2]"), -2, 2 },
    { ONE("[3,4]", "reduce_sum %x {axes=[0,1]}", "[]"), -2, 2 },
    { ONE("[3,4]", "reduce_max %x {axes=[1]}", "[3]"), -2, 2 },
    { ONE("[3,4]", "reduce_min %x {axes=[0]}", "[4]"), -2, 2 },
    { ONE("[3,5]", "reduce_prod %x {axes=[1]}", "[3]"), -2, 2 },
    { ONE("[7,2]", "reduce_prod %x {axes=[0]}", "[2]"), -2, 2 },
    { ONE("[2,3]", "reduce_prod %x {axes=[0,1]}", "[]"), -2, 2 },
    { ONE("[3,1]", "reduce_prod %x {axes=[1]}", "[3]"), -2, 2 },
    { ONE("[3,0]", "reduce_prod %x {axes=[1]}", "[3]"), -2, 2 },
    { ONE("[3]", "reduce_prod %x {axes=[]}", "[3]"), -2, 2 },
    { ONE("[3]", "reduce_max %x {axes=[]}", "[3]"), -2, 2 },
    { ONE("[3,0]", "reduce_sum %x {axes=[1]}", "[3]"), -2, 2 },
    /* products: matrix, transposed, vector, inner, outer, batched, two contracted axes */
    { TWO("[3,4]", "[4,2]", "dot_general %x, %y {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]}",
          "[3,2]"),
      -2, 2 },
    { TWO("[4,3]", "[2,4]", "dot_general %x, %y {lhs=[0], rhs=[1], lhs_batch=[], rhs_batch=[]}",
          "[3,2]"),
      -2, 2 },
    { TWO("[4,3]", "[3]", "dot_general %x, %y {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]}",
          "[4]"),
      -2, 2 },
    { TWO("[4]", "[4]", "dot_general %x, %y {lhs=[0], rhs=[0], lhs_batch=[], rhs_batch=[]}",
          "[]"),
      -2, 2 },
    { TWO("[3]", "[4]", "dot_general %x, %y {lhs=[], rhs=[], lhs_batch=[], rhs_batch=[]}",
          "[3,4]"),
      -2, 2 },
    { TWO("[2,3,4]", "[4,2,5]",
          "dot_general %x, %y {lhs=[2], rhs=[0], lhs_batch=[0], rhs_batch=[1]}", "[2,3,5]"),
      -2, 2 },
    { TWO("[2,3,4]", "[4,5,2]",
          "dot_general %x, %y {lhs=[0,2], rhs=[2,0], lhs_batch=[], rhs_batch=[]}", "[3,5]"),
      -2, 2 },
    { TWO("[3,2,4,2]", "[2,5,2,4]",
          "dot_general %x, %y {lhs=[2], rhs=[3], lhs_batch=[3,1], rhs_batch=[0,2]}",
          "[2,2,3,5]"),
      -2, 2 },
    { "fn @f(%x: f64[3,3]) -> f64[3,3] {\n %0 = dot_general %x, %x {lhs=[1], rhs=[0], "
      "lhs_batch=[], rhs_batch=[]} : f64[3,3]\n ret %0\n}\n",
      -2, 2 },
};

START_TEST(other_ops)
{
    check_function(&functions[_i]);
}
END_TEST

/* The rules build well-typed graphs for each floating type (the verifier is on). */
START_TEST(other_types)
{
    static const char *const type[] = { "f32", "f16", "bf16" };
    for (size_t i = 0; i < sizeof type / sizeof type[0]; i++) {
        ir_buf b;
        ir_arena a;
        ir_arena_init(&a, ctx);
        ir_buf_init(&b, &a);
        for (const char *p = functions[_i].text; *p; p++) {
            const bool here = strncmp(p, "f64", 3) == 0;
            ir_buf_add(&b, here ? type[i] : p, here ? strlen(type[i]) : 1);
            p += here ? 2 : 0;
        }
        const ir_graph *f = parsed(b.text);
        after(f, "vjp | jvp | vmap(size=2) | simplify | dce | contract");
        after(f, "contract | linearize | vjp");
        ir_arena_free(&a);
    }
}
END_TEST

/* Values at kinks and corners: f, x, and the wanted gradient by x. */
static const struct {
    const char *what, *body;
    double x, y, dx, dy;
} corner[] = {
    { "abs at 0", "%2 = abs %x : f64[]", 0, 0, 0, 0 },
    { "a tie of max shares", "%2 = max %x, %y : f64[]", 1, 1, 0.5, 0.5 },
    { "a tie of min shares", "%2 = min %x, %y : f64[]", 1, 1, 0.5, 0.5 },
    { "clamp at its bound",
      "%0 = constant {data=0} : f64[]\n %1 = constant {data=1} : f64[]\n %2 = clamp %0, %x, %1 "
      ": f64[]",
      1, 0, 0, 0 },
    { "clamp inside",
      "%0 = constant {data=0} : f64[]\n %1 = constant {data=1} : f64[]\n %2 = clamp %0, %x, %1 "
      ": f64[]",
      0.5, 0, 1, 0 },
    { "0^0", "%2 = pow %x, %y : f64[]", 0, 0, 0, 0 },
    { "0^1", "%2 = pow %x, %y : f64[]", 0, 1, 1, 0 },
    { "0^2", "%2 = pow %x, %y : f64[]", 0, 2, 0, 0 },
    { "2^0", "%2 = pow %x, %y : f64[]", 2, 0, 0, 0.693147180559945309417 },
    { "(-2)^2", "%2 = pow %x, %y : f64[]", -2, 2, -4, NAN },
    { "stop_gradient", "%0 = stop_gradient %x : f64[]\n %2 = mul %0, %y : f64[]", 3, 2, 0, 3 },
    { "select's trap",
      "%0 = constant {data=0} : f64[]\n %1 = gt %x, %0 : bool[]\n %3 = log %x : f64[]\n %2 = "
      "select %1, %3, %0 : f64[]",
      -1, 0, 0, 0 },
    { "select's trap at infinity",
      "%0 = constant {data=0} : f64[]\n %1 = gt %x, %0 : bool[]\n %3 = sqrt %x : f64[]\n %2 = "
      "select %1, %3, %0 : f64[]",
      0, 0, NAN, 0 },
};

START_TEST(corners)
{
    char text[512];
    snprintf(text, sizeof text, "fn @f(%%x: f64[], %%y: f64[]) -> f64[] {\n %s\n ret %%2\n}\n",
             corner[_i].body);
    const ir_graph *g = after(parsed(text), "grad(wrt=[0,1])");
    double dx, dy;
    ck_assert_int_eq(
        ir_eval(g, (void *[]){ &dx, &dy }, (const void *[]){ &corner[_i].x, &corner[_i].y }),
        COT_OK);
    const double got[2] = { dx, dy }, want[2] = { corner[_i].dx, corner[_i].dy };
    for (int i = 0; i < 2; i++)
        ck_assert_msg(isnan(want[i]) ? isnan(got[i]) : fabs(got[i] - want[i]) < 1e-15,
                      "%s: derivative %d is %g, wants %g", corner[_i].what, i, got[i], want[i]);
}
END_TEST

/* Ties of a reduction share evenly; a product with zeros divides by nothing. */
START_TEST(reductions_with_ties_and_zeros)
{
    static const struct {
        const char *op;
        double x[4], dx[4];
    } row[] = {
        { "reduce_max", { 1, 3, 3, 2 }, { 0, 0.5, 0.5, 0 } },
        { "reduce_min", { 1, 1, 1, 2 }, { 1 / 3., 1 / 3., 1 / 3., 0 } },
        { "reduce_prod", { 2, 0, 3, 4 }, { 0, 24, 0, 0 } },
        { "reduce_prod", { 2, 0, 3, 0 }, { 0, 0, 0, 0 } },
        { "reduce_prod", { 2, 5, 3, 4 }, { 60, 24, 40, 30 } },
    };
    for (size_t r = 0; r < sizeof row / sizeof row[0]; r++) {
        char text[256];
        double dx[4];
        snprintf(
            text, sizeof text,
            "fn @f(%%x: f64[4]) -> f64[] {\n %%0 = %s %%x {axes=[0]} : f64[]\n ret %%0\n}\n",
            row[r].op);
        const ir_graph *g = after(parsed(text), "grad");
        ck_assert_int_eq(ir_eval(g, (void *[]){ dx }, (const void *[]){ row[r].x }), COT_OK);
        for (int k = 0; k < 4; k++)
            ck_assert_msg(fabs(dx[k] - row[r].dx[k]) < 1e-15, "%s [%d]: %g, wants %g",
                          row[r].op, k, dx[k], row[r].dx[k]);
    }
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(unary_ops, sizeof unary / sizeof unary[0]),
        EACH(other_ops, sizeof functions / sizeof functions[0]),
        EACH(other_types, sizeof functions / sizeof functions[0]),
        EACH(corners, sizeof corner / sizeof corner[0]),
        ONCE(reductions_with_ties_and_zeros),
    };

    return SUITE("passes", cases);
}
