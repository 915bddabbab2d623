/* Checks of derivatives: against differences, and jvp and vjp against each other.
 *
 * Differences are taken in double precision: the graph is rebuilt with every float as f64 and
 * every complex number as c128, so that the derivative is judged and not the rounding of f32.
 * Complex values stay complex until the evaluator runs the graph: a derivative is judged as its
 * rules define it, and not as the derivative of the loops that a factorisation becomes.  The
 * step is halved once, and the two quotients show how accurate differences are at this point
 * (L. F. Richardson, 1911). */
#include "runtime/verdict.h"

#include <math.h>

#include "ir/build.h"
#include "ir/diag.h"
#include "passes/engine.h"
#include "runtime/values.h"

static cot_dtype
wide(cot_dtype t)
{
    return ir_is_complex(t) ? COT_C128 : ir_is_float(t) ? COT_F64 : t;
}

/* n numbers of type t as doubles; a complex number gives two. */
static double *
as_doubles(ir_arena *a, cot_dtype t, const void *from, int64_t n)
{
    const cot_dtype part = ir_part_type(t);
    double *x = IR_NEW_N(a, double, 2 * n + 1);

    for (int64_t i = 0; i < (ir_is_complex(t) ? 2 * n : n); i++)
        x[i] = rt_element(part, from, i);
    return x;
}

static ir_ref
wide_constant(ir_build *b, const ir_data *d)
{
    const ir_type *t = ir_type_as(b->ctx, d->type, wide(d->type->dtype));
    ir_attrs at = { .constant = { *d } };

    if (t == d->type)
        return ir_node1(b, OP_constant, 0, NULL, &at);
    const double *x = as_doubles(b->arena, d->type->dtype, d->bytes, d->splat ? 1 : t->size);
    if (!d->splat)
        return ir_constant(b, t, x);
    at.constant.data = ir_data_splat(b->arena, t, x);
    return ir_node1(b, OP_constant, 0, NULL, &at);
}

/* A bitcast of a float uses the bits that it has in f: the f64 is rounded to that type
 * first. */
static ir_ref
wide_bitcast(ir_build *b, const ir_graph *f, const ir_node *n, ir_ref x)
{
    ir_ref own = ir_convert(b, x, ir_type_at(f, n->in[0])->dtype);

    return ir_convert(b, ir_node1(b, OP_bitcast, 1, &own, n->at), wide(n->at->dtype.dtype));
}

static cot_status widen(const ir_graph *f, ir_graph **out);

/* The attributes of n with the wide types. */
static bool
wide_attrs(ir_build *b, const ir_node *n, ir_attrs *at)
{
    int fields;
    const ir_field *field = ir_record_fields(ir_ops[n->op].record, &fields);

    *at = ir_node_attrs(n);
    if (ir_runs_bodies(n->op))
        return pass_rewrite_subs(b, n, widen, at) == COT_OK;
    for (int i = 0; i < fields; i++)
        if (field[i].kind == IR_F_DTYPE) {
            cot_dtype *t = (cot_dtype *)((char *)at + field[i].offset);
            *t = wide(*t);
        }
    return true;
}

static cot_status
widen(const ir_graph *f, ir_graph **out)
{
    ir_build *b = ir_build_new(f->ctx, f->name);
    ir_ref *env = IR_NEW_N(b->arena, ir_ref, f->n_values);

    for (int i = 0; i < f->n_in; i++) {
        const ir_type *t = ir_type_at(f, f->in[i]);

        env[f->in[i]] = ir_input(b, ir_type_as(f->ctx, t, wide(t->dtype)), f->in_name[i]);
    }
    ir_each_node (n, f) {
        ir_ref *in = IR_NEW_N(b->arena, ir_ref, n->n_in + 1);
        ir_attrs at;

        for (int i = 0; i < n->n_in; i++)
            in[i] = env[n->in[i]];
        b->loc = n->loc;
        if (n->op == OP_constant)
            env[n->first] = wide_constant(b, &n->at->constant.data);
        else if (n->op == OP_convert && wide(n->at->dtype.dtype) == ir_btype(b, in[0])->dtype)
            env[n->first] = in[0];
        else if (n->op == OP_bitcast)
            env[n->first] = wide_bitcast(b, f, n, in[0]);
        else if (!wide_attrs(b, n, &at))
            return ir_fail(f->ctx, n->loc, ir_ops[n->op].name, ERR_usage,
                           "cannot be taken to f64");
        else
            ir_add_node(b, (ir_op)n->op, n->n_in, in, &at, env + n->first);
    }
    for (int i = 0; i < f->n_out; i++)
        ir_output(b, env[f->out[i]]);
    return ir_build_end(b, out);
}

/* x + h d for the floating inputs; the others as they are. */
static void **
moved(const ir_graph *f, void *const *x, void *const *d, double h)
{
    void **out = IR_NEW_N(&f->ctx->arena, void *, f->n_in + 1);

    for (int i = 0; i < f->n_in; i++) {
        const ir_type *t = ir_type_at(f, f->in[i]);
        double *y;

        out[i] = x[i];
        if (!ir_is_inexact(t->dtype))
            continue;
        out[i] = y = ir_alloc(&f->ctx->arena, rt_bytes(t) + 1);
        for (int64_t k = 0; k < rt_parts(t); k++)
            y[k] = ((const double *)x[i])[k] + h * ((const double *)d[i])[k];
    }
    return out;
}

/* Inputs of the widened graph from those of f. */
static void **
wide_inputs(const ir_graph *f, const ir_graph *g, void *const *in)
{
    void **out = IR_NEW_N(&f->ctx->arena, void *, f->n_in + 1);

    for (int i = 0; i < f->n_in; i++) {
        const ir_type *from = ir_type_at(f, f->in[i]), *to = ir_type_at(g, g->in[i]);

        out[i] =
            from == to ? in[i] : as_doubles(&f->ctx->arena, from->dtype, in[i], from->size);
    }
    return out;
}

enum { MINUS, PLUS, MINUS_HALF, PLUS_HALF, POINTS };
#define STEP 1e-5

/* Do the tangents dy agree with the differences of y? */
static void
compare_differences(const ir_graph *g, void **const y[POINTS], void *const *dy, rt_verdict *v)
{
    int tangent = 0;

    for (int i = 0; i < g->n_out && v->good; i++) {
        const ir_type *t = ir_type_at(g, g->out[i]);
        const double *const p[POINTS] = { y[0][i], y[1][i], y[2][i], y[3][i] },
                            *d = dy[g->n_out + tangent];

        if (!ir_is_inexact(t->dtype))
            continue;
        tangent++;
        for (int64_t k = 0; k < rt_parts(t) && v->good; k++) {
            double full = (p[PLUS][k] - p[MINUS][k]) / (2 * STEP),
                   half = (p[PLUS_HALF][k] - p[MINUS_HALF][k]) / STEP;
            double trust = 8 * fabs(full - half) + 1e-6 * (1 + fabs(half) + fabs(p[PLUS][k]));

            if (!isfinite(half) || !isfinite(full) || fabs(half - d[k]) <= trust)
                continue;
            v->good = false;
            ir_buf_printf(&v->why,
                          "jvp: result %d, element %lld has tangent %.9g; differences say %.9g",
                          i, (long long)k, d[k], half);
        }
    }
}

/* For complex numbers the real part, which is the inner product of pairs of reals. */
static double
inner_product(const ir_type *t, const double *x, const double *y)
{
    double sum = 0;

    for (int64_t k = 0; k < rt_parts(t); k++)
        sum += x[k] * y[k];
    return sum;
}

/* Checks <w, Jv> = <J'w, v>.  The tangents are those of the floating outputs; d is a direction
 * for each input. */
static cot_status
compare_transpose(const ir_graph *g, void *const *x, void *const *d, void *const *jvp_out,
                  rt_verdict *v)
{
    ir_graph *vjp;
    void **in, **out;
    double left = 0, right = 0, size = 0;
    int at = 0;

    COT_TRY(pass_vjp(g, NULL, 0, &vjp));
    in = rt_random_inputs(vjp, 77);
    for (int i = 0; i < g->n_in; i++)
        in[i] = x[i];
    COT_TRY(rt_check_eval(vjp, in, &out));
    for (int i = 0; i < g->n_out; i++) {
        const ir_type *t = ir_type_at(g, g->out[i]);
        double part;

        if (!ir_is_inexact(t->dtype))
            continue;
        part = inner_product(t, in[g->n_in + at], jvp_out[g->n_out + at]);
        left += part;
        size += fabs(part);
        at++;
    }
    at = 0;
    for (int i = 0; i < g->n_in; i++) {
        const ir_type *t = ir_type_at(g, g->in[i]);
        double part;

        if (!ir_is_inexact(t->dtype))
            continue;
        part = inner_product(t, out[g->n_out + at++], d[i]);
        right += part;
        size += fabs(part);
    }
    if (isfinite(left) && isfinite(right) && fabs(left - right) > 1e-9 * (1 + size)) {
        v->good = false;
        ir_buf_printf(&v->why, "vjp: <w, Jv> is %.12g, <J'w, v> is %.12g", left, right);
    }
    return COT_OK;
}

cot_status
rt_check_derivatives(const ir_graph *f, void *const *in, rt_verdict *v)
{
    static const double step[POINTS] = { -STEP, STEP, -STEP / 2, STEP / 2 };
    ir_graph *g, *jvp;
    void **x, **d, **all, **out, **y[POINTS];
    int at;

    rt_verdict_new(f, v);
    if (!rt_has_float(f, f->n_in, f->in) || !rt_has_float(f, f->n_out, f->out)) {
        rt_verdict_skip(v, "no floating input or output");
        return COT_OK;
    }
    COT_TRY(widen(f, &g));
    x = wide_inputs(f, g, in);
    d = rt_random_inputs(g, 55);
    COT_TRY(pass_jvp(g, NULL, 0, &jvp));
    all = IR_NEW_N(&f->ctx->arena, void *, jvp->n_in + 1);
    at = g->n_in;
    for (int i = 0; i < g->n_in; i++) {
        all[i] = x[i];
        if (ir_is_floating(g, g->in[i]))
            all[at++] = d[i];
    }
    COT_TRY(rt_check_eval(jvp, all, &out));
    for (int i = 0; i < POINTS; i++)
        COT_TRY(rt_check_eval(g, moved(g, x, d, step[i]), &y[i]));
    compare_differences(g, y, out, v);
    return v->good ? compare_transpose(g, x, d, out, v) : COT_OK;
}
