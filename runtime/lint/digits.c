/* Digits that are lost: a graph is run in f32 and in f64 at the same numbers, and its results
 * are compared.  A function in f64 is judged by how it loses the digits of f32: what cancels
 * so many of 24 bits here cancels as many of 53 nearer to the same point.
 *
 * The op that loses them has a result with a large error and operands with a small one (as in
 * A. Sanchez-Stern et al., Finding Root Causes of Floating Point Error, PLDI 2018). */
#include "runtime/lint/lint.h"

#include <float.h>
#include <math.h>

#include "ir/diag.h"
#include "runtime/retype.h"

/* A result with fewer than 7 of the 24 bits of f32 has lost its digits; an operand with 15 has
 * not. */
#define LOST  0x1p-7
#define SMALL 0x1p-15
/* What is less has underflowed on its way. */
#define LEAST 0x1p-100

/* The only type of the floats of f and its sub-functions; NONE: there are several, or none. */
static cot_dtype
only_float(const lint_search *s)
{
    const ir_graph *const *all;
    const uint32_t graphs = ir_all_graphs(s->f, true, &all, s->arena);
    cot_dtype only = COT_DTYPE_NONE;

    for (uint32_t g = 0; g < graphs; g++)
        for (ir_ref v = 1; v < all[g]->n_values; v++) {
            const cot_dtype t = ir_type_at(all[g], v)->dtype;
            if (!ir_is_inexact(t) || t == only)
                continue;
            if (only != COT_DTYPE_NONE || (t != COT_F32 && t != COT_F64))
                return COT_DTYPE_NONE;
            only = t;
        }
    return only;
}

cot_status
rt_lint_digits_begin(lint_search *s)
{
    const cot_dtype own = only_float(s), other = own == COT_F32 ? COT_F64 : COT_F32;
    ir_graph *g, *all, *own_all;

    if (own == COT_DTYPE_NONE || s->f->effectful)
        return COT_OK;
    if (rt_retype(s->f, other, false, &g) != COT_OK ||
        rt_retype(s->f, other, true, &all) != COT_OK) {
        if (s->ctx->status == COT_ERR_CANCELLED || s->ctx->status == COT_ERR_MEMORY)
            return s->ctx->status;
        cot_error_clear(s->ctx); /* a foreign function has one type only */
        return COT_OK;
    }
    COT_TRY(rt_retype(s->f, COT_DTYPE_NONE, true, &own_all));
    const bool f32 = own == COT_F32;
    s->low = f32 ? s->f : g;
    s->high = f32 ? g : s->f;
    s->low_all = f32 ? own_all : all;
    s->high_all = f32 ? all : own_all;
    return COT_OK;
}

/* Inputs of g, in f32 or f64, which are the same numbers, all of f32. */
static void **
inputs_of(lint_search *s, const ir_graph *g, void *const *in)
{
    void **out = IR_NEW_N(s->run, void *, s->n_args + 1);

    for (int i = 0; i < s->n_args; i++) {
        const ir_type *from = s->arg[i].type, *to = ir_type_at(g, g->in[i]);

        out[i] = in[i];
        if (!ir_is_inexact(to->dtype))
            continue;
        out[i] = ir_alloc(s->run, rt_bytes(to) + 1);
        for (int64_t k = 0; k < from->size; k++)
            rt_set_element(to->dtype, out[i], k, (float)rt_number(from, in[i], k));
    }
    return out;
}

/* The results of g; NULL: it has failed. */
static void **
results_of(lint_search *s, const ir_graph *g, void *const *in)
{
    void **out = IR_NEW_N(s->run, void *, g->n_out + 1), **own = inputs_of(s, g, in);

    for (int j = 0; j < g->n_out; j++)
        out[j] = ir_alloc(s->run, rt_bytes(ir_type_at(g, g->out[j])) + 1);
    s->work += s->cost;
    if (ir_eval(g, out, (const void *const *)own) == COT_OK)
        return out;
    if (s->ctx->status != COT_ERR_CANCELLED)
        cot_error_clear(s->ctx);
    return NULL;
}

/* The largest error of an element of output j, relative to the largest element, and its index.
 * What f32 cannot represent has none. */
static double
error_of(const ir_graph *low, const ir_graph *high, int j, void *const *x, void *const *y,
         int64_t *at)
{
    const ir_type *t = ir_type_at(low, low->out[j]), *u = ir_type_at(high, high->out[j]);
    double largest = 0, error = 0;

    *at = 0;
    for (int64_t i = 0; ir_is_inexact(u->dtype) && i < u->size; i++) {
        const double a = rt_number(t, x[j], i), b = rt_number(u, y[j], i);
        if (!isfinite(a) || !isfinite(b))
            return 0;
        largest = fmax(largest, fabs(b));
        if (fabs(a - b) > error) {
            error = fabs(a - b);
            *at = i;
        }
    }
    return largest < LEAST || largest > (double)FLT_MAX ? 0 : error / largest;
}

/* May another form of the op keep the digits?  What only chooses or rounds has jumped, and sums
 * of what cancels are small compared with what they add. */
static bool
may_lose(const ir_node *n)
{
    return ir_ops[n->op].flag == IR_POINTWISE && !ir_ops[n->op].quiet && !ir_ops[n->op].stored;
}

/* The node whose operands have small errors, on the way back from output j. */
static const ir_node *
find_loss(lint_search *s, int j, void *const *x, void *const *y)
{
    const ir_graph *f = s->f;
    ir_ref v = f->out[j];

    for (const ir_node *n; (n = ir_def(f, v)) != NULL;) {
        double worst = SMALL;
        ir_ref next = IR_NONE;

        for (int k = 0; k < n->n_in; k++) {
            int64_t at;
            const double e =
                error_of(s->low_all, s->high_all, f->n_out + (int)n->in[k] - 1, x, y, &at);
            if (e > worst) {
                worst = e;
                next = n->in[k];
            }
        }
        if (!next)
            return may_lose(n) ? n : NULL;
        v = next;
    }
    return NULL;
}

static lint_origin
origin_of(lint_search *s, const ir_node *n, int j, double error, void *const *x, void *const *y)
{
    lint_origin o = { .kind = COT_LINT_DIGITS, .f = s->f, .n = n, .result = j, .error = error };
    const ir_graph *g = s->low_all;
    const int out = s->f->n_out + (int)n->first - 1;
    int64_t at;

    error_of(g, s->high_all, out, x, y, &at);
    o.out = rt_number(ir_type_at(g, g->out[out]), x[out], at);
    for (; ir_ops[n->op].flag == IR_POINTWISE && o.n_in < n->n_in && o.n_in < 3; o.n_in++) {
        const int in = s->f->n_out + (int)n->in[o.n_in] - 1;
        o.in[o.n_in] = rt_number(ir_type_at(g, g->out[in]), x[in], at);
    }
    return o;
}

/* A point like p, a little off it. */
static lint_point
beside(lint_search *s, const lint_point *p, uint32_t seed, double factor)
{
    lint_point q = { p->seed + seed,
                     ir_copy_bytes(s->run, p->fill, sizeof *p->fill * (size_t)s->n_args) };

    for (int i = 0; i < s->n_args; i++)
        if (ir_is_inexact(s->arg[i].type->dtype) && q.fill[i].how != LINT_NEAR)
            q.fill[i].x *= factor;
    return q;
}

/* Does output j lose digits there?  At a single point two roundings may happen to cancel. */
static double
loss_at(lint_search *s, const lint_point *p, int j)
{
    void **in = rt_lint_fill_point(s, p);
    void **x = results_of(s, s->low, in), **y = x ? results_of(s, s->high, in) : NULL;
    int64_t at;

    return y ? error_of(s->low, s->high, j, x, y, &at) : 0;
}

int
rt_lint_digits(lint_search *s, const lint_point *p, lint_origin **found)
{
    void **in = rt_lint_fill_point(s, p);
    void **x = results_of(s, s->low, in), **y = x ? results_of(s, s->high, in) : NULL;
    void **all_x = NULL, **all_y = NULL;
    int n = 0;

    *found = IR_NEW_N(s->run, lint_origin, s->f->n_out + 1);
    for (int j = 0; y && j < s->f->n_out; j++) {
        int64_t at;
        const double error = error_of(s->low, s->high, j, x, y, &at);
        const lint_point one = beside(s, p, 1000, 1 + 0x1p-7),
                         other = beside(s, p, 2000, 1 - 0x1p-7);
        if (error < LOST || loss_at(s, &one, j) < LOST || loss_at(s, &other, j) < LOST)
            continue;
        if (!all_x) {
            all_x = results_of(s, s->low_all, in);
            all_y = all_x ? results_of(s, s->high_all, in) : NULL;
        }
        const ir_node *op = all_y ? find_loss(s, j, all_x, all_y) : NULL;
        if (op && !rt_lint_saturates(s, op))
            (*found)[n++] = origin_of(s, op, j, error, all_x, all_y);
    }
    return n;
}
