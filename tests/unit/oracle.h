/* Oracles for transforms, on the reference evaluator: a function is text in f64, a transform a
 * pipeline.
 *
 *   mapped_agrees     vmap against a loop over the examples
 *   derivative_agrees jvp against differences, vjp against jvp (the dot-product test)
 *
 * Floating inputs are drawn from a stated seed, near `centre`; integer inputs count 0, 1, 2,
 * ... modulo `ints`, bool inputs alternate. */
#ifndef TESTS_ORACLE_H
#define TESTS_ORACLE_H

#include <math.h>

#include "ir/graph.h"
#include "passes/pass.h"
#include "tests/unit/suite.h"

#define MAX_ARRAYS 48 /* arguments or results */

static uint64_t oracle_state = 1;
static double centre = 0, spread = 1;
static int64_t ints = 3;

static inline void
oracle_setup(void)
{
    suite_begin();
    oracle_state = 1;
    centre = 0, spread = 1, ints = 3;
}

static inline double
draw(void)
{
    oracle_state = oracle_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(oracle_state >> 11) / 9007199254740992.0 * 2 - 1;
}

/* The last function of the text. */
static inline ir_graph *
graph_of(const char *text)
{
    ir_module m;
    cot_status status = ir_parse(ctx, "test", text, strlen(text), &m);

    ck_assert_msg(status == COT_OK, "%s", cot_error(ctx));
    return m.fn[m.n - 1];
}

static inline ir_graph *
piped(const ir_graph *f, const char *pipeline)
{
    ir_graph *g = NULL;
    cot_status status = pass_pipeline(f, pipeline, NULL, NULL, &g);

    ck_assert_msg(status == COT_OK, "%s: %s", pipeline, cot_error(ctx));
    return g;
}

/* A block of memory for each value. */
typedef struct values {
    int n;
    const ir_type *type[MAX_ARRAYS];
    void *at[MAX_ARRAYS];
} values;

static inline size_t
bytes_of(const ir_type *t)
{
    return (size_t)t->size * cot_dtype_size(t->dtype);
}

static inline values
values_of(const ir_graph *f, int n, const ir_ref *v)
{
    values x = { .n = n };

    ck_assert_int_le(n, MAX_ARRAYS);
    for (int i = 0; i < n; i++) {
        x.type[i] = ir_type_at(f, v[i]);
        x.at[i] = calloc(bytes_of(x.type[i]) + 8, 1);
    }
    return x;
}

static inline void
release(values *x)
{
    for (int i = 0; i < x->n; i++)
        free(x->at[i]);
}

static inline void
fill(values *x)
{
    for (int i = 0; i < x->n; i++)
        for (int64_t e = 0; e < x->type[i]->size; e++)
            switch (x->type[i]->dtype) {
            case COT_F64: ((double *)x->at[i])[e] = centre + spread * draw(); break;
            case COT_I64: ((int64_t *)x->at[i])[e] = (e + i) % ints; break;
            case COT_I32: ((int32_t *)x->at[i])[e] = (int32_t)((e + i) % ints); break;
            case COT_BOOL: ((uint8_t *)x->at[i])[e] = (uint8_t)((e + i) & 1); break;
            default: ck_abort_msg("element type not expected");
            }
}

static inline void
eval_into(const ir_graph *f, values *y, const values *x)
{
    cot_status status = ir_eval(f, y->at, (const void *const *)x->at);

    ck_assert_msg(status == COT_OK, "%s", cot_error(ctx));
}

static inline values
evaluated(const ir_graph *f, const values *x)
{
    values y = values_of(f, f->n_out, f->out);

    ck_assert_int_eq(x->n, f->n_in);
    eval_into(f, &y, x);
    return y;
}

static inline bool
near(double a, double b, double tolerance)
{
    if (isnan(a) || isnan(b) || isinf(a) || isinf(b))
        return (isnan(a) && isnan(b)) || a == b;
    return fabs(a - b) <= tolerance * (1 + fmax(fabs(a), fabs(b)));
}

static inline double
element(const ir_type *t, const void *p, int64_t e)
{
    switch (t->dtype) {
    case COT_F64: return ((const double *)p)[e];
    case COT_I64: return (double)((const int64_t *)p)[e];
    case COT_I32: return ((const int32_t *)p)[e];
    default: return ((const uint8_t *)p)[e];
    }
}

/* Compares n elements of result i. */
static inline void
same_elements(const char *what, int i, const ir_type *t, const void *got, const void *want,
              int64_t n, double tolerance)
{
    for (int64_t e = 0; e < n; e++) {
        double a = element(t, got, e), b = element(t, want, e);
        ck_assert_msg(near(a, b, tolerance),
                      "%s: result %d, element %lld: got %.17g, wants %.17g", what, i,
                      (long long)e, a, b);
    }
}

/* vmap of f, arguments in `mask` mapped, against a loop. */
static inline void
mapped_agrees(const ir_graph *f, unsigned mask, int64_t size)
{
    int64_t in[MAX_ARRAYS];
    ir_graph *g;

    for (int i = 0; i < f->n_in; i++)
        in[i] = mask >> i & 1 ? 0 : PASS_NO_AXIS;
    pass_vmap_options o = { .in = { f->n_in, in, false }, .size = size, .sized = true };
    ck_assert_msg(pass_vmap(f, &o, &g) == COT_OK, "%s", cot_error(ctx));
    values x = values_of(g, g->n_in, g->in), one = values_of(f, f->n_in, f->in);
    fill(&x);
    values y = evaluated(g, &x), z = values_of(f, f->n_out, f->out);
    for (int64_t e = 0; e < size; e++) {
        for (int i = 0; i < f->n_in; i++) {
            size_t bytes = bytes_of(one.type[i]);
            if (bytes)
                memcpy(one.at[i], (char *)x.at[i] + (mask >> i & 1 ? (size_t)e * bytes : 0),
                       bytes);
        }
        eval_into(f, &z, &one);
        for (int j = 0; j < f->n_out; j++)
            same_elements("vmap", j, z.type[j],
                          (char *)y.at[j] + (size_t)e * bytes_of(z.type[j]), z.at[j],
                          z.type[j]->size, 1e-11);
    }
    release(&x), release(&one), release(&y), release(&z);
}

/* Every choice of mapped arguments. */
static inline void
maps(const ir_graph *f, int64_t size)
{
    for (unsigned mask = 1; mask < 1u << f->n_in && mask < 64; mask++)
        mapped_agrees(f, mask, size);
}

/* f(x + h t) - f(x - h t) over 2 h, against the tangents of jvp. */
static inline void
differences_agree(const ir_graph *f, const values *x, const values *t, const values *dy,
                  double tolerance)
{
    const double h = 1e-5;
    values lo = values_of(f, f->n_in, f->in), hi = values_of(f, f->n_in, f->in);
    int d = 0;

    for (int i = 0, k = 0; i < f->n_in; i++) {
        memcpy(lo.at[i], x->at[i], bytes_of(x->type[i]));
        memcpy(hi.at[i], x->at[i], bytes_of(x->type[i]));
        if (x->type[i]->dtype != COT_F64)
            continue;
        for (int64_t e = 0; e < x->type[i]->size; e++) {
            ((double *)lo.at[i])[e] -= h * ((double *)t->at[k])[e];
            ((double *)hi.at[i])[e] += h * ((double *)t->at[k])[e];
        }
        k++;
    }
    values a = evaluated(f, &lo), b = evaluated(f, &hi);
    for (int j = 0; j < f->n_out; j++) {
        if (a.type[j]->dtype != COT_F64)
            continue;
        for (int64_t e = 0; e < a.type[j]->size; e++)
            ((double *)b.at[j])[e] =
                (((double *)b.at[j])[e] - ((double *)a.at[j])[e]) / (2 * h);
        same_elements("jvp", j, a.type[j], dy->at[d++], b.at[j], a.type[j]->size, tolerance);
    }
    release(&lo), release(&hi), release(&a), release(&b);
}

static inline double
dot_of(const values *a, int from, const values *b, int at, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        for (int64_t e = 0; e < a->type[from + i]->size; e++)
            sum += ((double *)a->at[from + i])[e] * ((double *)b->at[at + i])[e];
    return sum;
}

/* At a drawn point, in a drawn direction. */
static inline void
derivative_agrees(const ir_graph *f, double tolerance)
{
    ir_graph *jvp = piped(f, "jvp"), *vjp = piped(f, "vjp"), *lin = piped(f, "linearize");
    values x = values_of(jvp, jvp->n_in, jvp->in), v = values_of(vjp, vjp->n_in, vjp->in);
    int n_t = jvp->n_in - f->n_in, n_ct = vjp->n_in - f->n_in;

    fill(&x), fill(&v);
    for (int i = 0; i < f->n_in; i++)
        memcpy(v.at[i], x.at[i], bytes_of(x.type[i]));
    values y = evaluated(jvp, &x), w = evaluated(vjp, &v), u = evaluated(lin, &x);
    values t = { .n = n_t }, dy = { .n = n_ct };
    for (int i = 0; i < n_t; i++)
        t.type[i] = x.type[f->n_in + i], t.at[i] = x.at[f->n_in + i];
    for (int j = 0; j < n_ct; j++)
        dy.type[j] = y.type[f->n_out + j], dy.at[j] = y.at[f->n_out + j];
    for (int j = 0; j < f->n_out; j++)
        same_elements("vjp's value", j, w.type[j], w.at[j], y.at[j], w.type[j]->size, 1e-12);
    for (int j = 0; j < jvp->n_out; j++)
        same_elements("linearize", j, u.type[j], u.at[j], y.at[j], u.type[j]->size, 1e-10);
    differences_agree(f, &x, &t, &dy, tolerance);
    double forward = dot_of(&v, f->n_in, &dy, 0, n_ct), back = dot_of(&w, f->n_out, &t, 0, n_t);
    ck_assert_msg(near(forward, back, 1e-9), "<ct, J t> = %.17g, <J' ct, t> = %.17g", forward,
                  back);
    release(&x), release(&v), release(&y), release(&w), release(&u);
}

#endif
