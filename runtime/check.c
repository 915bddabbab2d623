/* Checks of a graph: back ends against the reference evaluator, vmap against a loop, text
 * against the graph that it parses to. check_derivatives.c has the checks of derivatives. */
#include "runtime/verdict.h"

#include <math.h>

#include "ir/build.h"
#include "ir/diag.h"
#include "passes/engine.h"
#include "runtime/compile.h"
#include "runtime/tier.h"
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
    status = rt_tier_wait(k);
    if (status == COT_OK)
        status = rt_call_kernel(k, args, NULL);
    cot_kernel_free(k);
    return status;
}

/* The reference evaluator represents complex arrays as pairs of reals, which are the same
 * bytes. */
cot_status
rt_check_eval(const ir_graph *f, void *const *in, void ***out)
{
    ir_graph *g;

    *out = new_outputs(f);
    COT_TRY(pass_complex_memory(f, &g));
    return ir_eval(g, *out, (const void *const *)in);
}

void **
rt_random_inputs(const ir_graph *f, uint64_t seed)
{
    void **in = IR_NEW_N(&f->ctx->arena, void *, f->n_in + 1);

    for (int i = 0; i < f->n_in; i++) {
        const ir_type *t = ir_type_at(f, f->in[i]);

        in[i] = ir_alloc(&f->ctx->arena, rt_bytes(t) + 1);
        rt_random_fill(t, seed + (uint64_t)i, in[i]);
    }
    return in;
}

/* ---- arguments for which loops end ---- */

enum { MAX_ITERATIONS = 20000 };

static bool
has_open_loop(const ir_graph *f)
{
    const ir_graph *const *all;

    for (uint32_t i = 0, graphs = ir_all_graphs(f, true, &all, &f->ctx->arena); i < graphs; i++)
        ir_each_node (n, all[i])
            if (ir_loop_of(n).cond && n->at->loop.max == 0)
                return true;
    return false;
}

/* What a loop without a bound is given, and what only prints is dropped: it answers its
 * operand. */
static void
tame_node(ir_build *b, const ir_graph *f, const ir_node *n, const ir_ref *env, const ir_ref *in,
          ir_ref *out)
{
    static const char printer[] = "cot.print.";
    ir_attrs at;

    (void)f, (void)env;
    if (ir_ops[n->op].record == IR_AT_custom && n->n_in > 0 &&
        strncmp(n->at->custom.name, printer, sizeof printer - 1) == 0) {
        out[0] = in[0];
        return;
    }
    if (ir_ops[n->op].flag != IR_FLOW) {
        ir_copy_node(b, n, in, out);
        return;
    }
    if ((b->status = pass_rewrite_subs(b, n, rt_tame, &at)) != COT_OK)
        return;
    if (ir_loop_of(n).cond && at.loop.max == 0)
        at.loop.max = MAX_ITERATIONS;
    ir_add_node(b, (ir_op)n->op, n->n_in, in, &at, out);
}

cot_status
rt_tame(const ir_graph *f, ir_graph **out)
{
    return pass_rewrite(f, "check", tame_node, out);
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
    COT_TRY(rt_tame(f, &g));
    status = rt_check_eval(g, in, &out);
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

void
rt_verdict_new(const ir_graph *f, rt_verdict *v)
{
    v->good = true;
    v->skipped = false;
    ir_buf_init(&v->why, &f->ctx->arena);
}

void
rt_verdict_skip(rt_verdict *v, const char *why)
{
    v->skipped = true;
    ir_buf_str(&v->why, why);
}

/* ---- back ends ---- */

bool
rt_has_float(const ir_graph *f, int n, const ir_ref *v)
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
        ir_buf_printf(&v->why,
                      "%s: result %d, element %lld is %.17g; the reference evaluator has %.17g",
                      name, i, (long long)at, rt_element(part, got[i], at),
                      rt_element(part, want[i], at));
    }
}

/* Compares one compilation in this process with the reference evaluator's results `want`.  It
 * is done by LLVM, or without LLVM by the C compiler, whose vectors have any width. */
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

/* Is there a C compiler that can generate code for this process?  The context says why not. */
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

enum { C_BITS = 512 }; /* the C compiler splits wider vectors for a smaller machine */

/* Computes the reference evaluator's results and finds the host's widest vector; skips the
 * check if there is neither LLVM nor a C compiler. */
static cot_status
backends_begin(const ir_graph *f, void *const *in, int *bits, void ***want, rt_verdict *v)
{
    rt_plan host;

    rt_verdict_new(f, v);
    *bits = 0;
    if (!cg_llvm() && !has_compiler(f->ctx)) {
        rt_verdict_skip(
            v, ir_format(&f->ctx->arena,
                         "there is only the reference evaluator: built without LLVM, and %s",
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

/* Inputs of a derivative g of f: those of f, then a random direction for each further one. */
static void **
derived_inputs(const ir_graph *f, const ir_graph *g, void *const *in)
{
    void **all = rt_random_inputs(g, 99);
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
    rt_verdict_new(f, v);
    if (!rt_has_float(f, f->n_in, f->in) || !rt_has_float(f, f->n_out, f->out)) {
        rt_verdict_skip(v, "no floating input or output");
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

/* ---- vmap ---- */

/* Do the results agree except for the last few bits?  A mapped product may sum in another order
 * (docs/numerics.md section 4). */
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

    rt_verdict_new(f, v);
    if (f->n_in == 0) {
        rt_verdict_skip(v, "nothing to map: no arguments");
        return COT_OK;
    }
    COT_TRY(pass_vmap(f, &o, &mapped));
    in = rt_random_inputs(mapped, 33);
    COT_TRY(rt_check_points(mapped, in, &ends));
    if (!ends) {
        rt_verdict_skip(v, RT_NO_END);
        return COT_OK;
    }
    COT_TRY(rt_check_eval(mapped, in, &out));
    one = IR_NEW_N(&f->ctx->arena, void *, f->n_in + 1);
    for (int64_t e = 0; e < size && v->good; e++) {
        for (int i = 0; i < f->n_in; i++)
            one[i] = (char *)in[i] + (size_t)e * rt_bytes(ir_type_at(f, f->in[i]));
        COT_TRY(rt_check_eval(f, one, &got));
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

    rt_verdict_new(f, v);
    ir_buf_init(&text, &f->ctx->arena);
    ir_print(&text, f, 0);
    COT_TRY(ir_parse(f->ctx, "printed", text.text, text.n, &again));
    if (!ir_graph_equal(again.fn[again.n - 1], f)) {
        v->good = false;
        ir_buf_str(&v->why, "what is printed parses to another graph");
    }
    return COT_OK;
}
