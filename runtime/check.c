/* Judging a graph: back ends against the twin, derivatives against differences, vmap against a
 * loop.
 *
 * Differences are taken in double precision: the graph is rebuilt with every float as f64 and
 * every complex number as c128, so that what is judged is the derivative and not the
 * rounding of f32.  Complex values stay complex until the twin runs the graph: a derivative
 * is judged as the rules give it, and not as the derivative of the loops that a
 * factorisation becomes.  The step is halved once, and the two quotients tell how far
 * differences can be trusted at this point (L. F. Richardson, 1911). */
#include "runtime/check.h"

#include <math.h>

#include "ir/build.h"
#include "ir/diag.h"
#include "passes/engine.h"
#include "runtime/compile.h"
#include "runtime/values.h"

/* ---- running ---- */

static void **
new_outputs(const ir_graph *f)
{
    void **out = IR_NEW_N(&f->ctx->arena, void *, f->n_out + 1);

    for (int i = 0; i < f->n_out; i++)
        out[i] = ir_alloc(&f->ctx->arena, rt_bytes(ir_type_at(f, f->out[i])) + 1);
    return out;
}

cot_status
rt_run_graph(const ir_graph *f, const cot_compile_options *o, void *const *in, void ***out)
{
    void **args = IR_NEW_N(&f->ctx->arena, void *, f->n_in + f->n_out + 1);
    cot_status status;
    cot_kernel *k;

    *out = new_outputs(f);
    COT_TRY(cot_compile_graph(f, o, &k));
    rt_arguments(k, in, *out, args);
    status = rt_call_kernel(k, args, NULL);
    cot_kernel_free(k);
    return status;
}

/* Complex arrays are pairs to the twin: the same bytes. */
static cot_status
twin(const ir_graph *f, void *const *in, void ***out)
{
    ir_graph *g;

    *out = new_outputs(f);
    COT_TRY(pass_complex_memory(f, &g));
    return ir_eval(g, *out, (const void *const *)in);
}

static void **
random_inputs(const ir_graph *f, uint64_t seed)
{
    void **in = IR_NEW_N(&f->ctx->arena, void *, f->n_in + 1);

    for (int i = 0; i < f->n_in; i++) {
        const ir_type *t = ir_type_at(f, f->in[i]);

        in[i] = ir_alloc(&f->ctx->arena, rt_bytes(t) + 1);
        rt_random_fill(t, seed + (uint64_t)i, in[i]);
    }
    return in;
}

/* ---- points at which loops end ---- */

enum { MOST_TURNS = 20000 };

static bool
has_open_loop(const ir_graph *f)
{
    const ir_graph *const *all;

    for (uint32_t i = 0, graphs = ir_all_graphs(f, true, &all, &f->ctx->arena); i < graphs; i++)
        ir_each_node (n, all[i])
            if (n->op == OP_while && n->at.loop.max == 0)
                return true;
    return false;
}

static cot_status bounded(const ir_graph *f, ir_graph **out);

static void
bound_node(ir_build *b, const ir_graph *f, const ir_node *n, const ir_ref *env,
           const ir_ref *in, ir_ref *out)
{
    ir_attrs at;

    (void)f, (void)env;
    if (ir_ops[n->op].flag != IR_FLOW) {
        ir_copy_node(b, n, in, out);
        return;
    }
    if ((b->status = pass_rewrite_subs(b, n, bounded, &at)) != COT_OK)
        return;
    if (n->op == OP_while && at.loop.max == 0)
        at.loop.max = MOST_TURNS;
    ir_add_node(b, (ir_op)n->op, n->n_in, in, &at, out);
}

static cot_status
bounded(const ir_graph *f, ir_graph **out)
{
    return pass_rewrite(f, "check", bound_node, out);
}

static cot_status
check_ends(const ir_graph *f, void *const *in, bool *ends)
{
    ir_graph *g;
    void **out;
    cot_status status;

    *ends = true;
    if (!has_open_loop(f))
        return COT_OK;
    COT_TRY(bounded(f, &g));
    status = twin(g, in, &out);
    *ends = status != COT_ERR_BOUND;
    if (*ends)
        return status;
    cot_error_clear(f->ctx);
    return COT_OK;
}

cot_status
rt_check_points(const ir_graph *f, void *const *in, bool *ends)
{
    COT_TRY(check_ends(f, in, ends));
    for (int i = 0; i < f->n_in && !*ends; i++) {
        const ir_type *t = ir_type_at(f, f->in[i]);

        for (int64_t k = 0; k < rt_parts(t) && ir_is_inexact(t->dtype); k++)
            rt_set_element(ir_part_type(t->dtype), in[i], k,
                           fabs(rt_element(ir_part_type(t->dtype), in[i], k)));
    }
    return *ends ? COT_OK : check_ends(f, in, ends);
}

/* ---- verdicts ---- */

static void
verdict_new(const ir_graph *f, rt_verdict *v)
{
    v->good = true;
    v->skipped = false;
    ir_buf_init(&v->why, &f->ctx->arena);
}

static void
skip(rt_verdict *v, const char *why)
{
    v->skipped = true;
    ir_buf_str(&v->why, why);
}

/* ---- back ends ---- */

static bool
has_float(const ir_graph *f, int n, const ir_ref *v)
{
    for (int i = 0; i < n; i++)
        if (ir_is_floating(f, v[i]))
            return true;
    return false;
}

static void
compare_bits(const ir_graph *f, const char *name, void *const *want, void *const *got,
             rt_verdict *v)
{
    for (int i = 0; i < f->n_out && v->good; i++) {
        const ir_type *t = ir_type_at(f, f->out[i]);
        int64_t at = rt_first_difference(t, want[i], got[i]);

        if (at < 0)
            continue;
        const cot_dtype part = ir_part_type(t->dtype);
        v->good = false;
        ir_buf_printf(&v->why, "%s: result %d, element %lld is %.17g; the twin has %.17g", name,
                      i, (long long)at, rt_element(part, got[i], at),
                      rt_element(part, want[i], at));
    }
}

/* One compilation in process against the twin's results `want`: by LLVM, or where that is not
 * there by the C compiler, whose vectors have any width. */
static cot_status
compare_code(const ir_graph *f, int bits, int threads, void *const *in, void *const *want,
             rt_verdict *v)
{
    const char *backend = cg_llvm() ? "jit" : "c";
    const cot_compile_options o = { .backend = backend,
                                    .vector_bits = bits,
                                    .threads = threads };
    const char *name = ir_format(&f->ctx->arena, "%s%d bits, %d threads",
                                 cg_llvm() ? "" : "C, ", bits, threads);
    void **got;
    COT_TRY(rt_run_graph(f, &o, in, &got));
    compare_bits(f, name, want, got, v);
    return COT_OK;
}

/* Is there a C compiler that makes code for this process?  The context says why not. */
static bool
has_compiler(cot_context *ctx)
{
    ir_build *b = ir_build_new(ctx, "nothing");
    cot_kernel *k;
    ir_graph *f;

    ir_output(b, ir_input(b, ir_scalar_type(ctx, COT_F32), "x"));
    if (ir_build_end(b, &f) != COT_OK ||
        cot_compile_graph(f, &(cot_compile_options){ .backend = "c" }, &k) != COT_OK)
        return false;
    cot_kernel_free(k);
    return true;
}

enum { C_BITS = 512 }; /* what the C compiler takes apart for a smaller machine */

/* The twin's results, and the host's widest vector; skipped where there is neither LLVM nor a C
 * compiler. */
static cot_status
backends_begin(const ir_graph *f, void *const *in, int *bits, void ***want, rt_verdict *v)
{
    rt_plan host;

    verdict_new(f, v);
    *bits = 0;
    if (!cg_llvm() && !has_compiler(f->ctx)) {
        skip(v, ir_format(&f->ctx->arena, "there is only the twin: built without LLVM, and %s",
                          cot_error(f->ctx)));
        cot_error_clear(f->ctx);
        return COT_OK;
    }
    COT_TRY(rt_plan_new(f->ctx, NULL, f->name, &host));
    *bits = cg_llvm() ? host.target.vector_bits : C_BITS;
    return rt_run_graph(f, &(cot_compile_options){ .backend = "eval" }, in, want);
}

cot_status
rt_check_backends(const ir_graph *f, void *const *in, rt_verdict *v)
{
    static const int widths[] = { 32, 128, 256, 512 };
    void **want;
    int most;
    COT_TRY(backends_begin(f, in, &most, &want, v));
    for (int i = 0; i < 8 && v->good && widths[i / 2] <= most; i++)
        COT_TRY(compare_code(f, widths[i / 2], 1 + i % 2, in, want, v));
    return COT_OK;
}

/* Inputs of a derivative of f: f's own, then a direction for each further one. */
static void **
derived_inputs(const ir_graph *f, const ir_graph *g, void *const *in)
{
    void **all = random_inputs(g, 99);
    for (int i = 0; i < f->n_in; i++)
        all[i] = in[i];
    return all;
}

cot_status
rt_check_derived(const ir_graph *f, const char *pipeline, void *const *in, rt_verdict *v)
{
    ir_graph *g;
    void **all, **want;
    int most;
    verdict_new(f, v);
    if (!has_float(f, f->n_in, f->in) || !has_float(f, f->n_out, f->out)) {
        skip(v, "no floating input or output");
        return COT_OK;
    }
    COT_TRY(pass_pipeline(f, pipeline, NULL, NULL, &g));
    all = derived_inputs(f, g, in);
    COT_TRY(backends_begin(g, all, &most, &want, v));
    if (most > 0)
        COT_TRY(compare_code(g, most, 1, all, want, v));
    if (most > 128 && v->good)
        COT_TRY(compare_code(g, 128, 2, all, want, v));
    return COT_OK;
}

/* ---- f with every float as f64, every complex number as c128 ---- */

static cot_dtype
wide(cot_dtype t)
{
    return ir_is_complex(t) ? COT_C128 : ir_is_float(t) ? COT_F64 : t;
}

/* n numbers of type t as doubles, two for each complex one. */
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

/* The bits of a float are those that it has in f: of what f64 rounds to in its type. */
static ir_ref
wide_bitcast(ir_build *b, const ir_graph *f, const ir_node *n, ir_ref x)
{
    ir_ref own = ir_convert(b, x, ir_type_at(f, n->in[0])->dtype);

    return ir_convert(b, ir_node1(b, OP_bitcast, 1, &own, &n->at), wide(n->at.dtype.dtype));
}

static cot_status widen(const ir_graph *f, ir_graph **out);

/* The attributes of n with the wide types. */
static bool
wide_attrs(ir_build *b, const ir_node *n, ir_attrs *at)
{
    *at = n->at;
    switch (n->op) {
    case OP_convert: at->dtype.dtype = wide(at->dtype.dtype); return true;
    case OP_iota: at->iota.dtype = wide(at->iota.dtype); return true;
    case OP_call: return widen(at->call.body, &at->call.body) == COT_OK;
    case OP_scan: return widen(at->scan.body, &at->scan.body) == COT_OK;
    case OP_while:
        return widen(at->loop.cond, &at->loop.cond) == COT_OK &&
               widen(at->loop.body, &at->loop.body) == COT_OK;
    case OP_cond: {
        ir_graph **branch = IR_NEW_N(b->arena, ir_graph *, at->cond.branches.n);

        for (int i = 0; i < at->cond.branches.n; i++)
            if (widen(at->cond.branches.at[i], &branch[i]) != COT_OK)
                return false;
        at->cond.branches.at = branch;
        return true;
    }
    case OP_linear_solve:
    case OP_root: {
        ir_graph **part = IR_NEW_N(b->arena, ir_graph *, at->implicit.parts.n);

        for (int i = 0; i < at->implicit.parts.n; i++)
            if (widen(at->implicit.parts.at[i], &part[i]) != COT_OK)
                return false;
        at->implicit.parts.at = part;
        return true;
    }
    default: return true;
    }
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
    ir_each_node(n, f) {
        ir_ref *in = IR_NEW_N(b->arena, ir_ref, n->n_in + 1);
        ir_attrs at;

        for (int i = 0; i < n->n_in; i++)
            in[i] = env[n->in[i]];
        b->loc = n->loc;
        if (n->op == OP_constant)
            env[n->first] = wide_constant(b, &n->at.constant.data);
        else if (n->op == OP_convert && wide(n->at.dtype.dtype) == ir_btype(b, in[0])->dtype)
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

/* ---- derivatives ---- */

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

/* Are the tangents dy what the differences of y say? */
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

/* Of complex numbers the real part: that of pairs of reals. */
static double
inner_product(const ir_type *t, const double *x, const double *y)
{
    double sum = 0;

    for (int64_t k = 0; k < rt_parts(t); k++)
        sum += x[k] * y[k];
    return sum;
}

/* <w, Jv> = <J'w, v>.  tangents: of the floating outputs; d: a direction for each input. */
static cot_status
compare_transpose(const ir_graph *g, void *const *x, void *const *d, void *const *jvp_out,
                  rt_verdict *v)
{
    ir_graph *vjp;
    void **in, **out;
    double left = 0, right = 0, size = 0;
    int at = 0;

    COT_TRY(pass_vjp(g, NULL, 0, &vjp));
    in = random_inputs(vjp, 77);
    for (int i = 0; i < g->n_in; i++)
        in[i] = x[i];
    COT_TRY(twin(vjp, in, &out));
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

    verdict_new(f, v);
    if (!has_float(f, f->n_in, f->in) || !has_float(f, f->n_out, f->out)) {
        skip(v, "no floating input or output");
        return COT_OK;
    }
    COT_TRY(widen(f, &g));
    x = wide_inputs(f, g, in);
    d = random_inputs(g, 55);
    COT_TRY(pass_jvp(g, NULL, 0, &jvp));
    all = IR_NEW_N(&f->ctx->arena, void *, jvp->n_in + 1);
    at = g->n_in;
    for (int i = 0; i < g->n_in; i++) {
        all[i] = x[i];
        if (ir_is_floating(g, g->in[i]))
            all[at++] = d[i];
    }
    COT_TRY(twin(jvp, all, &out));
    for (int i = 0; i < POINTS; i++)
        COT_TRY(twin(g, moved(g, x, d, step[i]), &y[i]));
    compare_differences(g, y, out, v);
    return v->good ? compare_transpose(g, x, d, out, v) : COT_OK;
}

/* ---- vmap ---- */

/* Agreement to the last few bits: a mapped product may take another order (docs/numerics.md
 * section 4). */
static bool
is_close(const ir_type *t, const void *x, const void *y, int64_t *at)
{
    const cot_dtype part = ir_part_type(t->dtype);
    const double eps = part == COT_F64   ? 0x1p-52
                       : part == COT_F32 ? 0x1p-23
                       : part == COT_F16 ? 0x1p-10
                                         : 0x1p-7;
    double largest = 0;

    for (int64_t i = 0; i < rt_parts(t); i++)
        if (isfinite(rt_element(part, x, i)))
            largest = fmax(largest, fabs(rt_element(part, x, i)));
    for (*at = 0; *at < rt_parts(t); ++*at) {
        double p = rt_element(part, x, *at), q = rt_element(part, y, *at);

        if (p == q || (isnan(p) && isnan(q)))
            continue;
        if (!ir_is_float(part) || !(fabs(p - q) <= 64 * eps * largest))
            return false;
    }
    return true;
}

cot_status
rt_check_vmap(const ir_graph *f, int64_t size, rt_verdict *v)
{
    const pass_vmap_options o = { .in = { 1, (int64_t[]){ 0 }, true },
                                  .out = { 1, (int64_t[]){ 0 }, true },
                                  .size = size };
    ir_graph *mapped;
    void **in, **out, **one, **got;
    bool ends;

    verdict_new(f, v);
    if (f->n_in == 0) {
        skip(v, "nothing to map: no arguments");
        return COT_OK;
    }
    COT_TRY(pass_vmap(f, &o, &mapped));
    in = random_inputs(mapped, 33);
    COT_TRY(rt_check_points(mapped, in, &ends));
    if (!ends) {
        skip(v, RT_NO_END);
        return COT_OK;
    }
    COT_TRY(twin(mapped, in, &out));
    one = IR_NEW_N(&f->ctx->arena, void *, f->n_in + 1);
    for (int64_t e = 0; e < size && v->good; e++) {
        for (int i = 0; i < f->n_in; i++)
            one[i] = (char *)in[i] + (size_t)e * rt_bytes(ir_type_at(f, f->in[i]));
        COT_TRY(twin(f, one, &got));
        for (int i = 0; i < f->n_out && v->good; i++) {
            const ir_type *t = ir_type_at(f, f->out[i]);
            const char *row = (const char *)out[i] + (size_t)e * rt_bytes(t);
            int64_t at;

            if (is_close(t, got[i], row, &at))
                continue;
            v->good = false;
            ir_buf_printf(
                &v->why,
                "vmap: example %lld, result %d, element %lld is %.9g; alone it is %.9g",
                (long long)e, i, (long long)at, rt_element(ir_part_type(t->dtype), row, at),
                rt_element(ir_part_type(t->dtype), got[i], at));
        }
    }
    return COT_OK;
}

/* ---- text ---- */

cot_status
rt_check_text(const ir_graph *f, rt_verdict *v)
{
    ir_module again;
    ir_buf text;

    verdict_new(f, v);
    ir_buf_init(&text, &f->ctx->arena);
    ir_print(&text, f, 0);
    COT_TRY(ir_parse(f->ctx, "printed", text.text, text.n, &again));
    if (!ir_graph_equal(again.fn[again.n - 1], f)) {
        v->good = false;
        ir_buf_str(&v->why, "what is printed parses to another graph");
    }
    return COT_OK;
}
