/* The transforms that compose.c chains, and the law by which each is judged, as the last one of
 * a chain: see there. */
#include "tests/laws/compose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "passes/engine.h"

bool
chain_fail(const chain *c, const char *what)
{
    char law[120];

    snprintf(law, sizeof law, "compose: %s", c->name);
    return laws_fail(c->p, law, what);
}

bool
chain_fail_error(const chain *c, const char *step)
{
    char what[600];

    snprintf(what, sizeof what, "%s: %s", step, cot_error(c->p->f->ctx));
    cot_error_clear(c->p->f->ctx);
    return chain_fail(c, what);
}

bool
chain_run(const chain *c, const ir_graph *f, void **out, void **in)
{
    return laws_eval(f, out, in) == COT_OK || chain_fail_error(c, "evaluation");
}

/* Arrays are equal, to a tolerance of the largest finite element or of 1. */
bool
chain_same(const chain *c, const char *what, int k, const ir_type *t, const void *got,
     const void *want, double tolerance)
{
    double scale = 1;
    char text[300];

    for (int64_t i = 0; i < t->size; i++) {
        double x = fabs(laws_load(t->dtype, want, i));
        scale = isfinite(x) && x > scale ? x : scale;
    }
    for (int64_t i = 0; i < t->size; i++) {
        double x = laws_load(t->dtype, got, i), y = laws_load(t->dtype, want, i);

        if (x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= tolerance * scale)
            continue;
        snprintf(text, sizeof text, "%s: %d, element %d: %.17g, wants %.17g", what, k, (int)i,
                 x, y);
        return chain_fail(c, text);
    }
    return true;
}

/* The inputs of the program come first in every transform of it; what follows are tangents and
 * cotangents, of unit size. */
void **
chain_sample(const chain *c, const ir_graph *f, uint64_t seed)
{
    void **in = laws_values(f->n_in, f->in, f);
    const laws_program *p = c->p;

    for (int i = 0; i < f->n_in; i++)
        if (i < p->f->n_in)
            laws_fill(&seed, ir_type_at(f, f->in[i]), p->f->in_name[i], p->lo, p->hi, in[i]);
        else
            laws_fill(&seed, ir_type_at(f, f->in[i]), "d", -1, 1, in[i]);
    return in;
}

int
chain_count_floating(const ir_graph *f, int n, const ir_ref *v)
{
    int k = 0;

    for (int i = 0; i < n; i++)
        k += ir_is_floating(f, v[i]);
    return k;
}

/* And not complex: a Jacobian is none of these.  tests/laws/laws_derivatives.c has
 * their derivatives. */
bool
chain_in_f64(const ir_graph *f)
{
    for (int i = 0; i < f->n_in + f->n_out; i++) {
        const ir_type *t = ir_type_at(f, i < f->n_in ? f->in[i] : f->out[i - f->n_in]);
        if (ir_is_inexact(t->dtype) && t->dtype != COT_F64)
            return false;
    }
    return chain_count_floating(f, f->n_in, f->in) > 0 &&
           chain_count_floating(f, f->n_out, f->out) > 0;
}

int64_t
chain_elements(const ir_graph *f, int n, const ir_ref *v)
{
    int64_t sum = 0;

    for (int i = 0; i < n; i++)
        sum += ir_type_at(f, v[i])->size;
    return sum;
}

static pass_wrt
floating_wrt(const ir_graph *f)
{
    int *arg = IR_NEW_N(&f->ctx->arena, int, f->n_in), n = 0;

    for (int i = 0; i < f->n_in; i++)
        if (ir_is_floating(f, f->in[i]))
            arg[n++] = i;
    return (pass_wrt){ n, arg };
}

/* How a map in a chain maps: which arguments, at the first or the last axis of each, how many
 * examples.  It differs from program to program and from link to link, and all ways come
 * about. */
typedef struct way {
    unsigned mapped, last;
    int64_t size;
} way;

unsigned chain_salt;

static way
way_of(const ir_graph *f)
{
    static const int64_t sizes[] = { 2, 1, 3, 0, 2, 5, 2 };
    uint64_t h = ir_hash_u64(chain_salt, (uint64_t)f->n_in);
    way w = { (unsigned)(h >> 8), (unsigned)(h >> 24), sizes[h % 7] };

    w.mapped &= (1u << f->n_in) - 1;
    if (!w.mapped || h >> 62 == 0)
        w.mapped = (1u << f->n_in) - 1;
    return w;
}

static cot_status
make_vmap(const ir_graph *f, ir_graph **out)
{
    int64_t *in = IR_NEW_N(&f->ctx->arena, int64_t, f->n_in + 1), y;
    way w = way_of(f);
    pass_vmap_options o = {
        .in = { f->n_in, in, false }, .out = { 1, &y, true }, .size = w.size, .sized = true
    };

    y = w.last >> 31 ? -1 : 0;
    for (int i = 0; i < f->n_in; i++)
        in[i] = !(w.mapped >> i & 1) ? PASS_NO_AXIS : w.last >> i & 1 ? -1 : 0;
    return pass_vmap(f, &o, out);
}

/* Example e of a batch of arrays of type t. */
static void
example_of(const way *w, bool last, const ir_type *t, int64_t e, const void *batch, void *out)
{
    size_t width = cot_dtype_size(t->dtype);

    for (int64_t k = 0; k < t->size; k++)
        memcpy((char *)out + (size_t)k * width,
               (const char *)batch + (size_t)(last ? k * w->size + e : e * t->size + k) * width,
               width);
}

static bool
law_vmap(const chain *c)
{
    const ir_graph *g = c->g;
    void **want = laws_values(g->n_out, g->out, g), **got = laws_values(g->n_out, g->out, g);
    void **example = laws_values(g->n_in, g->in, g);
    way w = way_of(g);
    bool ok = true;

    for (int64_t e = 0; e < w.size && ok; e++) {
        for (int i = 0; i < g->n_in; i++) {
            const ir_type *t = ir_type_at(g, g->in[i]);
            if (w.mapped >> i & 1)
                example_of(&w, w.last >> i & 1, t, e, c->in[i], example[i]);
            else
                memcpy(example[i], c->in[i], laws_bytes(t));
        }
        ok = chain_run(c, g, want, example);
        for (int j = 0; j < g->n_out && ok; j++) {
            const ir_type *t = ir_type_at(g, g->out[j]);
            example_of(&w, w.last >> 31, t, e, c->out[j], got[j]);
            ok = chain_same(c, "against a loop, result", j, t, got[j], want[j], 1e-10);
        }
    }
    laws_free(g->n_out, want);
    laws_free(g->n_out, got);
    laws_free(g->n_in, example);
    return ok;
}

static cot_status
make_jvp(const ir_graph *f, ir_graph **out)
{
    return pass_jvp(f, NULL, 0, out);
}

/* to = x + h v on floating inputs; the same elsewhere. */
static void
moved(const ir_graph *f, void **to, void **x, void **v, double h)
{
    for (int i = 0, k = 0; i < f->n_in; i++) {
        const ir_type *t = ir_type_at(f, f->in[i]);

        memcpy(to[i], x[i], laws_bytes(t));
        if (!ir_is_floating(f, f->in[i]))
            continue;
        for (int64_t e = 0; e < t->size; e++)
            ((double *)to[i])[e] += h * ((double *)v[k])[e];
        k++;
    }
}

/* The results of g are passed on, and the tangents are central differences: h^2 g'''/6 + eps
 * |g| / h. */
static bool
law_jvp(const chain *c)
{
    const ir_graph *g = c->g;
    const double h = 1e-5;
    void **near = laws_values(g->n_in, g->in, g), **y = laws_values(g->n_out, g->out, g);
    void **ahead = laws_values(g->n_out, g->out, g),
         **behind = laws_values(g->n_out, g->out, g);
    bool ok = chain_run(c, g, y, c->in);

    for (int j = 0; j < g->n_out && ok; j++)
        ok = chain_same(c, "value", j, ir_type_at(g, g->out[j]), c->out[j], y[j], 1e-10);
    moved(g, near, c->in, c->in + g->n_in, h);
    ok = ok && chain_run(c, g, ahead, near);
    moved(g, near, c->in, c->in + g->n_in, -h);
    ok = ok && chain_run(c, g, behind, near);
    for (int j = 0, k = 0; j < g->n_out && ok; j++) {
        const ir_type *t = ir_type_at(g, g->out[j]);
        double *a = ahead[j], *b = behind[j];

        if (!ir_is_floating(g, g->out[j]))
            continue;
        for (int64_t e = 0; e < t->size; e++)
            a[e] = a[e] == b[e] ? 0 : (a[e] - b[e]) / (2 * h);
        ok = c->p->kinks ||
             chain_same(c, "against differences, tangent", j, t, c->out[g->n_out + k], a, 3e-6);
        k++;
    }
    laws_free(g->n_in, near);
    laws_free(g->n_out, y);
    laws_free(g->n_out, ahead);
    laws_free(g->n_out, behind);
    return ok;
}

static cot_status
make_vjp(const ir_graph *f, ir_graph **out)
{
    return pass_vjp(f, NULL, 0, out);
}

static void
add_inner(const ir_type *t, const double *x, const double *y, double *sum, double *scale)
{
    for (int64_t i = 0; i < t->size; i++) {
        *sum += x[i] * y[i];
        *scale += fabs(x[i] * y[i]);
    }
}

/* jvp of g at c's arguments and tangents `seed`: its outputs, to be freed; *in its inputs. */
static bool
tangents(const chain *c, uint64_t seed, ir_graph **j, void ***in, void ***out)
{
    if (pass_jvp(c->g, NULL, 0, j) != COT_OK)
        return chain_fail_error(c, "jvp");
    *in = chain_sample(c, *j, seed);
    *out = laws_values((*j)->n_out, (*j)->out, *j);
    for (int i = 0; i < c->g->n_in; i++)
        memcpy((*in)[i], c->in[i], laws_bytes(ir_type_at(c->g, c->g->in[i])));
    for (int i = c->g->n_in; i < (*j)->n_in; i++)
        laws_fill(&seed, ir_type_at(*j, (*j)->in[i]), "d", -1, 1, (*in)[i]);
    return chain_run(c, *j, *out, *in);
}

/* <w, J v> = <J' w, v>. */
static bool
law_vjp(const chain *c)
{
    const ir_graph *g = c->g;
    double left = 0, right = 0, scale = 1;
    ir_graph *j;
    void **in, **out;
    char what[200];

    if (!tangents(c, 77, &j, &in, &out))
        return false;
    for (int i = 0, k = 0; i < g->n_out; i++)
        if (ir_is_floating(g, g->out[i])) {
            add_inner(ir_type_at(g, g->out[i]), out[g->n_out + k], c->in[g->n_in + k], &left,
                      &scale);
            k++;
        }
    for (int i = 0, k = 0; i < g->n_in; i++)
        if (ir_is_floating(g, g->in[i])) {
            add_inner(ir_type_at(g, g->in[i]), in[g->n_in + k], c->out[g->n_out + k], &right,
                      &scale);
            k++;
        }
    snprintf(what, sizeof what, "<w, J v> is %.17g, <J' w, v> is %.17g", left, right);
    bool ok = (isnan(left) && isnan(right)) || left == right ||
              fabs(left - right) <= 1e-11 * scale || chain_fail(c, what);
    laws_free(j->n_in, in);
    laws_free(j->n_out, out);
    return ok;
}

static cot_status
make_linearize(const ir_graph *f, ir_graph **out)
{
    return pass_linearize(f, NULL, 0, out);
}

/* What jvp gives. */
static bool
law_linearize(const chain *c)
{
    ir_graph *j;

    if (pass_jvp(c->g, NULL, 0, &j) != COT_OK)
        return chain_fail_error(c, "jvp");
    void **want = laws_values(j->n_out, j->out, j);
    bool ok = chain_run(c, j, want, c->in);
    for (int k = 0; k < j->n_out && ok; k++)
        ok = chain_same(c, "against jvp, result", k, ir_type_at(j, j->out[k]), c->out[k],
                        want[k], 1e-10);
    laws_free(j->n_out, want);
    return ok;
}

static cot_status
make_jacfwd(const ir_graph *f, ir_graph **out)
{
    pass_wrt wrt = floating_wrt(f);

    return pass_jacfwd(f, &wrt, 0, 0, 0, out);
}

static cot_status
make_jacrev(const ir_graph *f, ir_graph **out)
{
    pass_wrt wrt = floating_wrt(f);

    return pass_jacrev(f, &wrt, 0, 0, out);
}

/* Block (j, i) has the shape of output j, then of argument i: the sum over i of block times
 * tangent is the tangent of output j. */
static bool
law_jacobian(const chain *c)
{
    const ir_graph *g = c->g;
    pass_wrt wrt = floating_wrt(g);
    ir_graph *jvp;
    void **in, **out;

    if (!tangents(c, 78, &jvp, &in, &out))
        return false;
    bool ok = true;
    for (int j = 0; j < g->n_out && ok; j++) {
        const ir_type *y = ir_type_at(g, g->out[j]);
        double *sum = calloc((size_t)y->size + 1, sizeof *sum);

        for (int i = 0; i < wrt.n; i++) {
            int64_t n = ir_type_at(g, g->in[wrt.arg[i]])->size;
            const double *block = c->out[j * wrt.n + i], *v = in[g->n_in + i];

            for (int64_t e = 0; e < y->size; e++)
                for (int64_t k = 0; k < n; k++)
                    sum[e] += block[e * n + k] * v[k];
        }
        ok = chain_same(c, "Jacobian times tangent, result", j, y, sum, out[g->n_out + j],
                        1e-9);
        free(sum);
    }
    laws_free(jvp->n_in, in);
    laws_free(jvp->n_out, out);
    return ok;
}

static cot_status
make_hessian(const ir_graph *f, ir_graph **out)
{
    pass_wrt wrt = floating_wrt(f);

    return pass_hessian(f, &wrt, 0, out);
}

/* Block (j, a, b): the sum over a and b of block times u_a v_b is the last part of jvp(jvp(g))
 * at (x, u, v, 0). */
static bool
law_hessian(const chain *c)
{
    const ir_graph *g = c->g;
    pass_wrt wrt = floating_wrt(g);
    ir_graph *one, *two;

    if (pass_jvp(g, NULL, 0, &one) != COT_OK || pass_jvp(one, NULL, 0, &two) != COT_OK)
        return chain_fail_error(c, "jvp of jvp");
    void **in = chain_sample(c, two, 79), **out = laws_values(two->n_out, two->out, two);
    for (int i = 0; i < g->n_in; i++)
        memcpy(in[i], c->in[i], laws_bytes(ir_type_at(g, g->in[i])));
    for (int i = g->n_in + 2 * wrt.n; i < two->n_in; i++)
        memset(in[i], 0, laws_bytes(ir_type_at(two, two->in[i])));
    bool ok = chain_run(c, two, out, in);
    for (int j = 0; j < g->n_out && ok; j++) {
        const ir_type *y = ir_type_at(g, g->out[j]);
        double *sum = calloc((size_t)y->size + 1, sizeof *sum);

        for (int a = 0; a < wrt.n; a++)
            for (int b = 0; b < wrt.n; b++) {
                int64_t n = ir_type_at(g, g->in[wrt.arg[a]])->size,
                        m = ir_type_at(g, g->in[wrt.arg[b]])->size;
                const double *block = c->out[(j * wrt.n + a) * wrt.n + b];
                const double *u = in[g->n_in + a], *v = in[g->n_in + wrt.n + b];

                for (int64_t e = 0; e < y->size * n * m; e++)
                    sum[e / (n * m)] += block[e] * u[e / m % n] * v[e % m];
            }
        ok = chain_same(c, "Hessian times tangents, result", j, y, sum,
                        out[two->n_out - g->n_out + j], 1e-8);
        free(sum);
    }
    laws_free(two->n_in, in);
    laws_free(two->n_out, out);
    return ok;
}

/* The sum of all floating results. */
static cot_status
total(const ir_graph *f, ir_graph **out)
{
    ir_build *b = ir_build_new(f->ctx, f->name);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, f->n_in), *y = IR_NEW_N(b->arena, ir_ref, f->n_out),
           sum = IR_NONE;

    for (int i = 0; i < f->n_in; i++)
        in[i] = ir_input_like(b, f, f->in[i], "");
    ir_inline_graph(b, f, in, y);
    for (int j = 0; j < f->n_out; j++)
        if (ir_is_floating(f, f->out[j])) {
            ir_ref s = ir_reduce(b, OP_reduce_sum, y[j],
                                 ir_axes_below(ir_type_at(f, f->out[j])->rank));
            sum = sum ? ir_add(b, sum, s) : s;
        }
    ir_output(b, sum);
    return ir_build_end(b, out);
}

static cot_status
make_grad(const ir_graph *f, ir_graph **out)
{
    pass_wrt wrt = floating_wrt(f);
    ir_graph *sum;

    COT_TRY(total(f, &sum));
    return pass_grad_and_value(sum, &wrt, 0, out);
}

/* The same, within the bound, or neither is finite. */
static bool
agree(double x, double y, double bound)
{
    return x == y || fabs(x - y) <= bound || (!isfinite(x) && !isfinite(y));
}

/* The total derivative along v is <grad, v>; the value is the sum. */
static bool
law_grad(const chain *c)
{
    const ir_graph *g = c->g;
    double left = 0, right = 0, value = 0, scale = 1;
    ir_graph *j;
    void **in, **out;
    char what[200];

    if (!tangents(c, 80, &j, &in, &out))
        return false;
    for (int i = 0, k = 0; i < g->n_out; i++)
        if (ir_is_floating(g, g->out[i])) {
            for (int64_t e = 0; e < ir_type_at(g, g->out[i])->size; e++) {
                value += ((double *)out[i])[e];
                scale += fabs(((double *)out[i])[e]);
                left += ((double *)out[g->n_out + k])[e];
            }
            k++;
        }
    int n = chain_count_floating(g, g->n_in, g->in);
    for (int i = 0, k = 0; i < g->n_in; i++)
        if (ir_is_floating(g, g->in[i])) {
            add_inner(ir_type_at(g, g->in[i]), in[g->n_in + k], c->out[k], &right, &scale);
            k++;
        }
    double got = *(double *)c->out[n];
    snprintf(what, sizeof what, "derivative %.17g, by gradient %.17g; value %.17g, wants %.17g",
             left, right, got, value);
    bool ok = (agree(left, right, 1e-10 * scale) && agree(got, value, 1e-11 * scale)) ||
              chain_fail(c, what);
    laws_free(j->n_in, in);
    laws_free(j->n_out, out);
    return ok;
}

static cot_status
make_functionalize(const ir_graph *f, ir_graph **out)
{
    return pass_functionalize(f, true, out);
}

static bool
law_identity(const chain *c)
{
    void **want = laws_values(c->g->n_out, c->g->out, c->g);
    bool ok = chain_run(c, c->g, want, c->in);

    for (int j = 0; j < c->g->n_out && ok; j++)
        ok = chain_same(c, "result", j, ir_type_at(c->g, c->g->out[j]), c->out[j], want[j], 0);
    laws_free(c->g->n_out, want);
    return ok;
}

const chain_transform chain_transforms[] = {
    { "vmap", make_vmap, law_vmap, 0, 0 },
    { "jvp", make_jvp, law_jvp, 0, 1 },
    { "vjp", make_vjp, law_vjp, 0, 1 },
    { "linearize", make_linearize, law_linearize, 0, 1 },
    { "grad_and_value", make_grad, law_grad, 0, 1 },
    { "jacfwd", make_jacfwd, law_jacobian, 1, 1 },
    { "jacrev", make_jacrev, law_jacobian, 1, 1 },
    { "hessian", make_hessian, law_hessian, 2, 2 },
    { "functionalize", make_functionalize, law_identity, 0, 0 },
};
