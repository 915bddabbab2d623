/* Factorisations by their residuals: what the results of an op multiply to is the operand, and
 * what is said to be orthonormal, triangular or in order is.
 *
 * The evaluator runs the prepared graph; the products are three loops over C's complex numbers
 * in double precision (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2002:
 * each residual is a modest multiple of n roundings of the norm).  Operands are of every size
 * below, square, tall and wide, of ordinary numbers, and of one rank less than they could be.
 * */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/check.h"
#include "tests/raw/raw.h"
#include "tests/laws/programs.h"

enum { BOUND = 32, MAX_NUMBERS = 40 };

typedef struct matrix {
    int n, m;
    raw_number at[MAX_NUMBERS][MAX_NUMBERS];
} matrix;

static matrix x, r[3], y, z; /* the operand, up to three results, and what is made of them */
static int judged, failures;

static void
get(const ir_type *t, const void *array, matrix *a)
{
    a->n = t->rank ? (int)t->dims[0] : 1;
    a->m = t->rank > 1 ? (int)t->dims[1] : 1;
    for (int i = 0; i < a->n; i++)
        for (int j = 0; j < a->m; j++)
            a->at[i][j] = raw_load(t, array, i * a->m + j);
}

static void
multiply(const matrix *a, const matrix *b, matrix *c)
{
    c->n = a->n;
    c->m = b->m;
    for (int i = 0; i < c->n; i++)
        for (int j = 0; j < c->m; j++) {
            c->at[i][j] = 0;
            for (int k = 0; k < a->m; k++)
                c->at[i][j] += a->at[i][k] * b->at[k][j];
        }
}

static matrix
adjoint(const matrix *a)
{
    static matrix c;

    c.n = a->m;
    c.m = a->n;
    for (int i = 0; i < c.n; i++)
        for (int j = 0; j < c.m; j++)
            c.at[i][j] = conj(a->at[j][i]);
    return c;
}

/* a with column j times element j of the column w. */
static matrix
scaled(const matrix *a, const matrix *w)
{
    static matrix c;

    c = *a;
    c.m = a->m < w->n ? a->m : w->n;
    for (int i = 0; i < c.n; i++)
        for (int j = 0; j < c.m; j++)
            c.at[i][j] = a->at[i][j] * w->at[j][0];
    return c;
}

static double
distance(const matrix *a, const matrix *b)
{
    double most = 0;

    for (int i = 0; i < a->n; i++)
        for (int j = 0; j < a->m; j++) {
            const double d = cabs(a->at[i][j] - b->at[i][j]);
            most = d > most || isnan(d) ? d : most;
        }
    return a->n == b->n && a->m == b->m ? most : (double)INFINITY;
}

/* How far the columns are from orthonormal. */
static double
skew(const matrix *a)
{
    static matrix one, c, h;

    h = adjoint(a);
    multiply(&h, a, &c);
    one.n = one.m = c.n;
    for (int i = 0; i < c.n; i++)
        for (int j = 0; j < c.n; j++)
            one.at[i][j] = i == j;
    return distance(&one, &c);
}

/* The largest element below the diagonal. */
static double
below(const matrix *a)
{
    double most = 0;

    for (int i = 0; i < a->n; i++)
        for (int j = 0; j < a->m && j < i; j++)
            most = fmax(most, cabs(a->at[i][j]));
    return most;
}

/* 0 where the real numbers of the column are in order, descending or not. */
static double
disorder(const matrix *w, int sign)
{
    for (int i = 1; i < w->n; i++)
        if (sign * creal(w->at[i][0]) < sign * creal(w->at[i - 1][0]))
            return (double)INFINITY;
    return 0;
}

/* ---- one judge for each op: the largest residual ---- */

static double
judge_cholesky(void)
{
    static matrix h;

    h = adjoint(&r[0]);
    multiply(&r[0], &h, &y);
    return fmax(distance(&x, &y), below(&h));
}

static double
judge_lu(void)
{
    static matrix l, u;

    l = u = r[0];
    l.m = u.n = x.n < x.m ? x.n : x.m;
    for (int i = 0; i < x.n; i++)
        for (int j = 0; j < x.m; j++) {
            if (j < l.m)
                l.at[i][j] = i == j ? 1 : i > j ? r[0].at[i][j] : 0;
            if (i < u.n)
                u.at[i][j] = i > j ? 0 : r[0].at[i][j];
        }
    multiply(&l, &u, &y);
    z = x;
    for (int i = 0; i < x.n; i++)
        for (int j = 0; j < x.m; j++)
            z.at[i][j] = x.at[(int)creal(r[2].at[i][0])][j];
    return distance(&z, &y);
}

static double
judge_qr(void)
{
    multiply(&r[0], &r[1], &y);
    return fmax(fmax(distance(&x, &y), skew(&r[0])), below(&r[1]));
}

static double
judge_eigh(void)
{
    multiply(&x, &r[1], &y);
    z = scaled(&r[1], &r[0]);
    return fmax(fmax(distance(&y, &z), skew(&r[1])), disorder(&r[0], 1));
}

static double
judge_svd(void)
{
    static matrix h;

    z = scaled(&r[0], &r[1]);
    h = r[2];
    h.n = z.m;
    multiply(&z, &h, &y);
    h = adjoint(&r[2]);
    return fmax(fmax(distance(&x, &y), disorder(&r[1], -1)), fmax(skew(&r[0]), skew(&h)));
}

/* x v = v w; u^H x = w u^H, which is x^H u = u conj(w). */
static double
judge_eig(void)
{
    static matrix h, c;

    multiply(&x, &r[1], &y);
    z = scaled(&r[1], &r[0]);
    const double right = distance(&y, &z);
    h = adjoint(&x);
    multiply(&h, &r[2], &y);
    c = adjoint(&r[0]);
    for (int i = 0; i < r[0].n; i++)
        c.at[i][0] = conj(r[0].at[i][0]);
    c.n = r[0].n;
    c.m = 1;
    z = scaled(&r[2], &c);
    return fmax(right, distance(&y, &z));
}

/* x z = z t; below the diagonal of t are the elements of blocks of two rows alone, of which a
 * complex t has none. */
static double
judge_schur(void)
{
    static matrix t;
    bool real = true;

    multiply(&x, &r[1], &y);
    multiply(&r[1], &r[0], &z);
    t = r[0];
    for (int i = 0; i < t.n; i++)
        for (int j = 0; j < t.n; j++)
            real &= cimag(x.at[i][j]) == 0;
    for (int i = 0; real && i + 1 < t.n; i++)
        if (creal(t.at[i][i + 1]) * creal(t.at[i + 1][i]) < 0) {
            if (cabs(t.at[i][i] - t.at[i + 1][i + 1]) > 1e-5 * (1 + cabs(t.at[i][i])))
                return (double)INFINITY;
            t.at[i + 1][i] = 0;
            i++;
        }
    return fmax(fmax(distance(&y, &z), skew(&r[1])), below(&t));
}

/* x y x = x. */
static double
judge_inverse(void)
{
    static matrix c;

    multiply(&x, &r[0], &y);
    multiply(&y, &x, &c);
    return distance(&x, &c);
}

typedef enum shape { SQUARE = 1, SYMMETRIC = 2, POSITIVE = 4, ANY_SHAPE = 0 } shape;

/* $: the type; ~: that of its parts; ^: the complex type; N, M: sizes, K: the smaller one. */
static const struct op {
    const char *name, *results, *types;
    shape shape;
    double (*judge)(void);
} ops[] = {
    { "cholesky", "%0", "$[N,N]", POSITIVE, judge_cholesky },
    { "lu", "%0, %1, %2", "$[N,M], i32[K], i32[N]", ANY_SHAPE, judge_lu },
    { "qr", "%0, %1", "$[N,K], $[K,M]", ANY_SHAPE, judge_qr },
    { "qr {full=true}", "%0, %1", "$[N,N], $[N,M]", ANY_SHAPE, judge_qr },
    { "eigh", "%0, %1", "~[N], $[N,N]", SYMMETRIC, judge_eigh },
    { "svd", "%0, %1, %2", "$[N,K], ~[K], $[K,M]", ANY_SHAPE, judge_svd },
    { "svd {full=true}", "%0, %1, %2", "$[N,N], ~[K], $[M,M]", ANY_SHAPE, judge_svd },
    { "eig", "%0, %1, %2", "^[N], ^[N,N], ^[N,N]", SQUARE, judge_eig },
    { "schur", "%0, %1", "$[N,N], $[N,N]", SQUARE, judge_schur },
    { "pinv", "%0", "$[M,N]", ANY_SHAPE, judge_inverse },
};

/* ---- programs ---- */

static const char *
text_of(ir_arena *a, const struct op *op, cot_dtype t, int n, int m)
{
    const size_t word = strcspn(op->name, " ");
    const char *types = laws_substitute(a, op->types, cot_dtype_name(t));
    ir_buf b;

    ir_buf_init(&b, a);
    for (; *types; types++)
        if (strchr("NMK", *types))
            ir_buf_printf(&b, "%d", *types == 'N' ? n : *types == 'M' ? m : n < m ? n : m);
        else
            ir_buf_add(&b, types, 1);
    types = strchr(op->results, ',') ? ir_format(a, "(%s)", b.text) : b.text;
    return ir_format(a, "fn @f(%%x: %s[%d,%d]) -> %s {\n  %s = %.*s %%x%s : %s\n  ret %s\n}\n",
                     cot_dtype_name(t), n, m, types, op->results, (int)word, op->name,
                     op->name + word, types, op->results);
}

/* Ordinary numbers; the last row once more in place of the first, if `low`; symmetric, or x x^H
 * + 1, where that is wanted. */
static void
fill(uint64_t *seed, const ir_type *t, shape shape, bool low, void *array)
{
    static matrix h;

    laws_fill(seed, t, "x", -1, 1, array);
    get(t, array, &y);
    for (int j = 0; j < y.m && low; j++)
        y.at[0][j] = y.at[y.n - 1][j];
    h = adjoint(&y);
    if (shape & POSITIVE)
        multiply(&y, &h, &z);
    for (int i = 0; i < y.n; i++)
        for (int j = 0; j < y.m; j++)
            raw_store(t, array, i * y.m + j,
                      shape & POSITIVE    ? z.at[i][j] + (i == j)
                      : shape & SYMMETRIC ? y.at[i][j] + h.at[i][j]
                                          : y.at[i][j]);
}

static void
check(cot_context *ctx, const struct op *op, cot_dtype t, int n, int m, bool low)
{
    const double eps = ir_part_type(t) == COT_F64 ? 0x1p-52 : 0x1p-23;
    const char *text = text_of(&ctx->arena, op, t, n, m);
    uint64_t seed = (uint64_t)(n * 64 + m);
    ir_module module;
    void **in, **out;

    if (ir_parse(ctx, "residual.cot", text, strlen(text), &module) != COT_OK) {
        failures++;
        printf("residuals: %s\n%s", cot_error(ctx), text);
        return;
    }
    const ir_graph *f = module.fn[0];
    in = laws_values(1, f->in, f);
    fill(&seed, ir_type_at(f, f->in[0]), op->shape, low, in[0]);
    get(ir_type_at(f, f->in[0]), in[0], &x);
    if (rt_run_graph(f, &(cot_compile_options){ .backend = "eval" }, in, &out) == COT_OK) {
        for (int i = 0; i < f->n_out; i++)
            get(ir_type_at(f, f->out[i]), out[i], &r[i]);
        const double size = op->judge();
        judged++;
        if (!(size <= BOUND * (n + m) * eps * (op->shape & POSITIVE ? n : 1))) {
            failures++;
            printf("residuals: %s of %d x %d %s%s: %.3g, %.1f roundings\n%s", op->name, n, m,
                   cot_dtype_name(t), low ? ", of low rank" : "", size, size / eps, text);
        }
    } else {
        failures++;
        printf("residuals: %s\n%s", cot_error(ctx), text);
    }
    laws_free(1, in);
}

static void
check_one(const struct op *op, cot_dtype t, int n, int m, bool low)
{
    cot_context *ctx = cot_context_new(NULL);

    IR_TRY (ctx) {
        check(ctx, op, t, n, m, low);
    }
    cot_context_free(ctx);
}

static void
check_sizes(const struct op *op, cot_dtype t)
{
    static const int sizes[][2] = { { 1, 1 },   { 2, 2 },   { 3, 3 },   { 5, 5 },  { 8, 8 },
                                    { 13, 13 }, { 17, 17 }, { 24, 24 }, { 3, 1 },  { 1, 4 },
                                    { 5, 2 },   { 7, 6 },   { 2, 7 },   { 16, 9 }, { 9, 17 } };

    for (size_t k = 0; k < 2 * sizeof sizes / sizeof *sizes; k++) {
        const int n = sizes[k / 2][0], m = sizes[k / 2][1];
        if (op->shape == ANY_SHAPE || n == m)
            check_one(op, t, n, m, k % 2 && n > 1);
    }
}

int
main(void)
{
    static const cot_dtype types[] = { COT_F32, COT_F64, COT_C64, COT_C128 };

    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
        for (int t = 0; t < 4; t++)
            check_sizes(&ops[k], types[t]);
    printf("residuals: %d factorisations, %d failures\n", judged, failures);
    return failures > 0;
}
