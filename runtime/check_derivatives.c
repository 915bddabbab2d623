/* Checks of derivatives: against differences, and jvp and vjp against each other.
 *
 * Differences are taken in double precision: the graph is rebuilt with every float as f64 and
 * every complex number as c128, so that the derivative is judged and not the rounding of f32.
 * Complex values stay complex until the evaluator runs the graph: a derivative is judged as its
 * rules define it, and not as the derivative of the loops that a factorisation becomes.  A
 * graph with a custom function keeps its types, which are those of that function's code and
 * rules, and has a longer step.  The step is halved once, and the two quotients show how
 * accurate differences are at this point (L. F. Richardson, 1911). */
#include "runtime/verdict.h"

#include <math.h>

#include "ir/build.h"
#include "ir/diag.h"
#include "passes/engine.h"
#include "runtime/retype.h"
#include "runtime/values.h"

enum { MINUS, PLUS, MINUS_HALF, PLUS_HALF, POINTS };

/* The graph that is judged, the step of differences, and what they and products may differ by,
 * relative to the numbers that they are made of. */
typedef struct judged {
    const ir_graph *g;
    double step, slack, products;
} judged;

/* x + h d for the floating inputs; the others as they are. */
static void **
moved(const ir_graph *f, void *const *x, void *const *d, double h)
{
    void **out = IR_NEW_N(&f->ctx->arena, void *, f->n_in + 1);

    for (int i = 0; i < f->n_in; i++) {
        const ir_type *t = ir_type_at(f, f->in[i]);

        out[i] = x[i];
        if (!ir_is_inexact(t->dtype))
            continue;
        out[i] = ir_alloc(&f->ctx->arena, rt_bytes(t) + 1);
        for (int64_t k = 0; k < rt_parts(t); k++)
            rt_set_element(ir_part_type(t->dtype), out[i], k,
                           rt_number(t, x[i], k) + h * rt_number(t, d[i], k));
    }
    return out;
}

/* Does the tangent of element k of result i agree with the differences of y? */
static void
compare_difference(const judged *j, int i, int64_t k, void **const y[POINTS], double tangent,
                   rt_verdict *v)
{
    const ir_type *t = ir_type_at(j->g, j->g->out[i]);
    double p[POINTS];

    for (int m = 0; m < POINTS; m++)
        p[m] = rt_number(t, y[m][i], k);
    const double full = (p[PLUS] - p[MINUS]) / (2 * j->step),
                 half = (p[PLUS_HALF] - p[MINUS_HALF]) / j->step,
                 trust = 8 * fabs(full - half) + j->slack * (1 + fabs(half) + fabs(p[PLUS]));
    if (!isfinite(half) || !isfinite(full) || fabs(half - tangent) <= trust)
        return;
    v->good = false;
    ir_buf_printf(&v->why,
                  "jvp: result %d, element %lld has tangent %.9g; differences say %.9g", i,
                  (long long)k, tangent, half);
}

/* dy: the results of the jvp, the tangents last. */
static void
compare_differences(const judged *j, void **const y[POINTS], void *const *dy, rt_verdict *v)
{
    const ir_graph *g = j->g;
    int tangent = 0;

    for (int i = 0; i < g->n_out && v->good; i++) {
        const ir_type *t = ir_type_at(g, g->out[i]);
        if (!ir_is_inexact(t->dtype))
            continue;
        const void *d = dy[g->n_out + tangent++];
        for (int64_t k = 0; k < rt_parts(t) && v->good; k++)
            compare_difference(j, i, k, y, rt_number(t, d, k), v);
    }
}

/* For complex numbers the real part, which is the inner product of pairs of reals. */
static double
inner_product(const ir_type *t, const void *x, const void *y)
{
    double sum = 0;

    for (int64_t k = 0; k < rt_parts(t); k++)
        sum += rt_number(t, x, k) * rt_number(t, y, k);
    return sum;
}

/* The sum over those of n values that are floating of the inner product of x and y; y has an
 * array for each of these, and so has x, or for each value where all_x is set.  The sum of
 * magnitudes is added to *size. */
static double
sum_products(const ir_graph *g, int n, const ir_ref *value, void *const *x, bool all_x,
             void *const *y, double *size)
{
    double sum = 0;

    for (int i = 0, at = 0; i < n; i++) {
        const ir_type *t = ir_type_at(g, value[i]);
        if (!ir_is_inexact(t->dtype))
            continue;
        const double part = inner_product(t, x[all_x ? i : at], y[at]);
        sum += part;
        *size += fabs(part);
        at++;
    }
    return sum;
}

/* Checks <w, Jv> = <J'w, v>.  The tangents are those of the floating outputs; d is a direction
 * for each input. */
static cot_status
compare_transpose(const judged *j, void *const *x, void *const *d, void *const *jvp_out,
                  rt_verdict *v)
{
    const ir_graph *g = j->g;
    ir_graph *vjp;
    void **in, **out;
    double size = 0;

    COT_TRY(pass_vjp(g, NULL, 0, &vjp));
    in = rt_random_inputs(vjp, 77);
    for (int i = 0; i < g->n_in; i++)
        in[i] = x[i];
    COT_TRY(rt_check_eval(vjp, in, &out));
    const double left = sum_products(g, g->n_out, g->out, in + g->n_in, false,
                                     jvp_out + g->n_out, &size),
                 right = sum_products(g, g->n_in, g->in, d, true, out + g->n_out, &size);
    if (isfinite(left) && isfinite(right) && fabs(left - right) > j->products * (1 + size)) {
        v->good = false;
        ir_buf_printf(&v->why, "vjp: <w, Jv> is %.12g, <J'w, v> is %.12g", left, right);
    }
    return COT_OK;
}

/* Has f, or a sub-function, a custom function? */
static bool
has_custom(const ir_graph *f)
{
    const ir_graph *const *all;
    const uint32_t graphs = ir_all_graphs(f, true, &all, &f->ctx->arena);

    for (uint32_t i = 0; i < graphs; i++)
        ir_each_node (n, all[i])
            if (ir_ops[n->op].record == IR_AT_custom)
                return true;
    return false;
}

/* The fewest bits of a float of n values. */
static int
fewest_bits(const ir_graph *f, int n, const ir_ref *value)
{
    int least = 64;

    for (int i = 0; i < n; i++) {
        const cot_dtype t = ir_part_type(ir_type_at(f, value[i])->dtype);
        if (ir_is_float(t) && ir_bits(t) < least)
            least = ir_bits(t);
    }
    return least;
}

static cot_status
judged_of(const ir_graph *f, judged *j)
{
    ir_graph *g;

    *j = (judged){ f, 1e-5, 1e-6, 1e-9 };
    if (has_custom(f)) {
        const int in = fewest_bits(f, f->n_in, f->in), out = fewest_bits(f, f->n_out, f->out);
        if (in < 32 || out < 32)
            *j = (judged){ f, 0x1p-3, 0.1, 0.05 };
        else if (in < 64 || out < 64)
            *j = (judged){ f, 0x1p-7, 2e-3, 1e-4 };
        return COT_OK;
    }
    COT_TRY(rt_retype(f, COT_F64, false, &g));
    j->g = g;
    return COT_OK;
}

cot_status
rt_check_derivatives(const ir_graph *f, void *const *in, rt_verdict *v)
{
    static const double steps[POINTS] = { -1, 1, -0.5, 0.5 };
    ir_graph *jvp;
    void **x, **d, **all, **out, **y[POINTS];
    judged j;
    int at;

    rt_verdict_new(f, v);
    if (!rt_has_float(f, f->n_in, f->in) || !rt_has_float(f, f->n_out, f->out)) {
        rt_verdict_skip(v, "no floating input or output");
        return COT_OK;
    }
    COT_TRY(judged_of(f, &j));
    x = rt_retype_inputs(f, j.g, in);
    d = rt_random_inputs(j.g, 55);
    COT_TRY(pass_jvp(j.g, NULL, 0, &jvp));
    all = IR_NEW_N(&f->ctx->arena, void *, jvp->n_in + 1);
    at = j.g->n_in;
    for (int i = 0; i < j.g->n_in; i++) {
        all[i] = x[i];
        if (ir_is_floating(j.g, j.g->in[i]))
            all[at++] = d[i];
    }
    COT_TRY(rt_check_eval(jvp, all, &out));
    for (int i = 0; i < POINTS; i++)
        COT_TRY(rt_check_eval(j.g, moved(j.g, x, d, steps[i] * j.step), &y[i]));
    compare_differences(&j, y, out, v);
    return v->good ? compare_transpose(&j, x, d, out, v) : COT_OK;
}
