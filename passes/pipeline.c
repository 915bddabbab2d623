/* The passes by name, and how one is run.
 *
 * A row says which properties its pass wants of a graph.  Missing ones are established, and
 * only those.  It also says which properties the result has, which is checked. */
#include <time.h>

#include "ir/config.h"
#include "ir/diag.h"
#include "ir/limit.h"
#include "ir/number.h"
#include "passes/calls.h"
#include "passes/rules.h"

/* The rows. */

#define RUN(name, call)                                                                        \
    static cot_status run_##name(const ir_graph *f, const pass_options *o, ir_graph **out)     \
    {                                                                                          \
        (void)o;                                                                               \
        return call;                                                                           \
    }
RUN(grad, pass_grad(f, &o->wrt, o->aux, out))
RUN(grad_and_value, pass_grad_and_value(f, &o->wrt, o->aux, out))
RUN(linearize, pass_linearize(f, &o->wrt, o->aux, out))
RUN(vjp, pass_vjp(f, &o->wrt, o->aux, out))
RUN(jacfwd, pass_jacfwd(f, &o->wrt, o->aux, o->chunk, o->vmap.randomness, out))
RUN(jacrev, pass_jacrev(f, &o->wrt, o->aux, o->chunk, out))
RUN(hessian, pass_hessian(f, &o->wrt, o->aux, out))
RUN(vmap, pass_vmap(f, &o->vmap, out))
RUN(functionalize, pass_functionalize(f, o->remove_views, out))
RUN(checkpoint, pass_checkpoint(f, o->keep_products, out))
RUN(simplify, pass_simplify(f, out))
RUN(dce, pass_dce(f, out))
RUN(dce_last, pass_dce_last(f, out))
RUN(inline, pass_inline(f, out))
RUN(inline_small, pass_inline_small(f, out))
RUN(inline_last, pass_inline_last(f, out))
RUN(expand, pass_expand(f, out))
RUN(contract, pass_contract(f, out))
RUN(contract_last, pass_contract_last(f, out))
RUN(uncontract, pass_uncontract(f, out))
RUN(complex, pass_complex(f, out))
RUN(complex_memory, pass_complex_memory(f, out))
RUN(while_to_scan, pass_while_to_scan(f, out))
RUN(hoist, pass_hoist(f, out))
RUN(unroll, pass_unroll(f, out))
RUN(boxes, pass_boxes(f, out))
RUN(absorb, pass_absorb(f, out))
RUN(reroll, pass_reroll(f, out))
RUN(rematerialize, pass_rematerialize(f, out))
RUN(layout, pass_layout(f, out))
RUN(groups, pass_group_consts(f, out))

static cot_status
run_jvp(const ir_graph *f, const pass_options *o, ir_graph **out)
{
    if (o->strict)
        COT_TRY(pass_check_strict(f, &o->wrt, o->aux, 0));
    return pass_jvp(f, &o->wrt, o->aux, out);
}

enum {
    DIFF = PASS_WRT | PASS_AUX,
    MAP = PASS_IN | PASS_OUT | PASS_CHUNK | PASS_SIZE | PASS_RANDOMNESS | PASS_AXIS |
          PASS_OVER
};

/* A transform gives no property: it may bring in rules of custom functions, which may write. */
enum {
    TAKES = PASS_PURE | PASS_SHALLOW, /* wanted by almost every pass */
    LAST = TAKES | PASS_EXPANDED /* wanted by the passes before kernels, from inlining on */
};

const pass_row pass_rows[] = {
    { "grad", "gradient of a scalar", true, DIFF, run_grad, PASS_AS_RUN, TAKES, 0 },
    { "grad_and_value", "gradient of a scalar, and the scalar", true, DIFF, run_grad_and_value,
      PASS_AS_RUN, TAKES, 0 },
    { "jvp", "outputs and their tangents", true, DIFF | PASS_STRICT, run_jvp, PASS_LINEAR,
      TAKES, 0 },
    { "linearize", "as jvp, the linear half apart", true, DIFF, run_linearize, PASS_AS_RUN,
      TAKES, 0 },
    { "vjp", "outputs and cotangents of the arguments", true, DIFF, run_vjp, PASS_AS_RUN, TAKES,
      0 },
    { "jacfwd", "Jacobians by forward mode", true, DIFF | PASS_CHUNK | PASS_RANDOMNESS,
      run_jacfwd, PASS_AS_RUN, TAKES, 0 },
    { "jacrev", "Jacobians by reverse mode", true, DIFF | PASS_CHUNK, run_jacrev, PASS_AS_RUN,
      TAKES, 0 },
    { "hessian", "second derivatives, forward over reverse", true, DIFF, run_hessian,
      PASS_AS_RUN, TAKES, 0 },
    { "vmap", "the function over a mapped axis", true, MAP, run_vmap, PASS_LINEAR, TAKES, 0 },
    { "functionalize", "without in-place writes and views", true, PASS_REMOVE,
      run_functionalize, PASS_LINEAR, PASS_SHALLOW, PASS_UNWRITTEN },
    { "checkpoint", "what reverse mode would keep is computed again", true, PASS_KEEP,
      run_checkpoint, PASS_INLINED, TAKES, 0 },
    { "simplify", "the same function, smaller", false, 0, run_simplify, PASS_LINEAR, TAKES,
      PASS_KEEPS },
    { "dce", "without what no output needs", false, 0, run_dce, PASS_LINEAR, TAKES,
      PASS_KEEPS },
    { "inline", "calls replaced by what they call", false, 0, run_inline, PASS_INLINED, TAKES,
      PASS_KEEPS },
    { "inline_small", "the same, but calls of large functions stay", false, 0, run_inline_small,
      PASS_LINEAR, TAKES, PASS_KEEPS },
    { "expand", "ops that are graphs of smaller ops as calls of those", false, 0, run_expand,
      PASS_LINEAR, TAKES, PASS_EXPANDED },
    { "complex", "complex values as pairs of reals", false, 0, run_complex, PASS_LINEAR, TAKES,
      0 },
    { "contract", "products and sums to fma", false, 0, run_contract, PASS_LINEAR, TAKES,
      PASS_KEEPS },
    { "uncontract", "products and sums apart, for good", false, 0, run_uncontract, PASS_LINEAR,
      TAKES, PASS_KEEPS },
    { "while_to_scan", "while loops of known length as scans", false, 0, run_while_to_scan,
      PASS_LINEAR, TAKES, PASS_KEEPS },
    { "hoist", "what no step of a loop changes, before it", false, 0, run_hoist, PASS_LINEAR,
      TAKES, PASS_KEEPS },
    { "unroll", "short loops over large arrays as straight code", false, 0, run_unroll,
      PASS_LINEAR, TAKES, PASS_KEEPS },
    { "boxes", "writes of most of a value, at known places, as pieces put together", false, 0,
      run_boxes, PASS_LINEAR, TAKES, PASS_KEEPS },
    { "absorb", "exponentials that a sum absorbs as normal numbers", false, 0, run_absorb,
      PASS_LINEAR, TAKES, PASS_KEEPS },
    { "reroll", "equal steps that follow each other as a loop", false, 0, run_reroll,
      PASS_LINEAR, TAKES, PASS_KEEPS },
    { "rematerialize", "what loops keep for others made again where that takes less", false, 0,
      run_rematerialize, PASS_LINEAR, TAKES, PASS_KEEPS },
    { "layout", "sums over short rows of repeated operands over the axis before", false, 0,
      run_layout, PASS_LINEAR, TAKES, PASS_KEEPS },
};
const int pass_row_count = sizeof pass_rows / sizeof pass_rows[0];

const pass_row *
pass_find(const char *name)
{
    for (int i = 0; i < pass_row_count; i++)
        if (strcmp(pass_rows[i].name, name) == 0)
            return &pass_rows[i];
    return NULL;
}

pass_options
pass_default_options(void)
{
    static const int64_t first = 0;
    const pass_dims every = { .n = 1, .at = &first, .one = true };
    return (pass_options){ .wrt = { .n = PASS_DEFAULT },
                           .vmap = { .in = every, .out = every } };
}

/* The new values of in/out arguments are the last results of every transform: they are not
 * differentiated, and mapped like their arguments. */
static cot_status
run_with_inout(const pass_row *row, const ir_graph *f, pass_options o, ir_graph **out)
{
    o.aux += row->takes & PASS_AUX ? f->n_inout : 0;
    COT_TRY(row->run(f, &o, out));
    (*out)->n_inout = f->n_inout;
    (*out)->inout = *out == f ? f->inout
                              : ir_copy_bytes((*out)->arena, f->inout,
                                              sizeof *f->inout * (size_t)f->n_inout);
    return COT_OK;
}

/* The node with the largest expanded sub-function. */
static const ir_node *
largest_use(const ir_graph *f, const ir_graph **in)
{
    const ir_node *largest = NULL;
    ir_graph *const *sub;
    uint64_t most = 0;

    ir_each_node (n, f) {
        uint64_t size = 0;
        for (int i = 0, subs = ir_subgraphs(n, &sub, f->arena); i < subs; i++)
            size += sub[i]->unfolded;
        if (size > most) {
            most = size;
            largest = n;
            *in = sub[0];
        }
    }
    return largest;
}

/* The line of f that unfolds to most; a node that a pass made has none. */
static const ir_node *
largest_line(const ir_graph *f)
{
    const ir_node *n, *first = largest_use(f, &f);

    for (n = first; n && !n->loc;)
        n = largest_use(f, &f);
    return n ? n : first;
}

/* Is what the use of sub-functions adds up to within limits? */
static cot_status
check_unfolded(const ir_graph *f, pass_growth growth)
{
    const ir_graph *const *all;
    uint64_t size = growth == PASS_AS_RUN ? f->runs : f->unfolded, most = IR_MAX_UNFOLDED;

    if (size <= most)
        return COT_OK;
    for (uint32_t i = 0, n = ir_all_graphs(f, true, &all, f->arena); i < n; i++)
        most += 16 * (uint64_t)all[i]->n_nodes;
    if (size > most && growth != PASS_AS_RUN) {
        const pass_calls *c = pass_calls_of(f);
        size = growth == PASS_INLINED ? c->inlined : c->size;
    }
    if (size <= most)
        return COT_OK;
    const ir_node *n = largest_line(f);
    return ir_fail(f->ctx, n ? n->loc : 0, n ? ir_ops[n->op].name : f->name, ERR_unfolds,
                   (unsigned long long)size, (unsigned long long)most);
}

/* Passes recurse into calls, so long chains of calls are inlined first.  Inlining does not
 * recurse. */
cot_status
pass_shallow(const ir_graph *f, pass_growth growth, ir_graph **out)
{
    *out = (ir_graph *)f;
    COT_TRY(check_unfolded(f, growth));
    return f->chain > IR_MAX_NEST
               ? run_with_inout(pass_find("inline_small"), f, pass_default_options(), out)
               : COT_OK;
}

unsigned
pass_properties(const ir_graph *f)
{
    return (f->mutates ? 0 : PASS_UNWRITTEN) | (f->views ? 0 : PASS_VIEWLESS) |
           (f->chain > IR_MAX_NEST ? 0 : PASS_SHALLOW) | (f->expands ? 0 : PASS_EXPANDED) |
           (f->complex ? 0 : PASS_REAL);
}

/* f without writes and without views, which other passes want; `functionalize` does this on
 * request. */
static cot_status
run_pure(const ir_graph *f, const pass_options *o, ir_graph **out)
{
    (void)o;
    return pass_functionalize(f, true, out);
}

static cot_status
check_properties(const pass_row *row, const char *when, unsigned has, unsigned wanted,
                 cot_context *ctx)
{
    static const char *const name[] = { "without writes", "without views", "of few levels",
                                        "expanded", "real" };

    for (int k = 0; k < 5; k++)
        if (wanted & ~has & 1u << k)
            return ir_fail(
                ctx, 0, row->name, ERR_internal,
                ir_format(&ctx->arena, "the graph %s the pass is not %s", when, name[k]));
    return COT_OK;
}

/* Establishes the properties that the row wants and f lacks, each by one pass. */
static cot_status
provide(const pass_row *row, const ir_graph *f, ir_graph **out)
{
    static const pass_row pure = { .name = "functionalize",
                                   .doc = "without in-place writes and views",
                                   .transform = true,
                                   .run = run_pure,
                                   .wants = PASS_SHALLOW,
                                   .gives = PASS_PURE };
    const unsigned missing = row->wants & ~pass_properties(f);

    COT_TRY(pass_shallow(f, row->growth, out));
    if (missing & PASS_PURE)
        COT_TRY(pass_run(&pure, *out, NULL, out));
    if (missing & PASS_EXPANDED)
        COT_TRY(pass_run(pass_find("expand"), *out, NULL, out));
    return check_properties(row, "before", pass_properties(*out), row->wants, f->ctx);
}

static void
print_time(const pass_row *row, const ir_graph *f, const ir_graph *out, double seconds)
{
    char text[128];

    snprintf(text, sizeof text, "%5u -> %5u nodes  %s", f->n_nodes - 1, out->n_nodes - 1,
             out->name);
    ir_print_time(f->ctx, row->name, seconds, text);
}

cot_status
pass_run(const pass_row *row, const ir_graph *f, const pass_options *o, ir_graph **out)
{
    cot_context *ctx = f->ctx;
    pass_options named = o ? *o : pass_default_options();
    COT_TRY(provide(row, f, (ir_graph **)&f));
    ir_stage(ctx, row->name, f->name, 0);
    COT_TRY(ir_check(ctx));
    const double start = ctx->config.time ? ir_now() : 0;
    if (named.wrt_names || named.in_names || named.out_names)
        COT_TRY(pass_resolve_names(row, f, &named));
    COT_TRY(run_with_inout(row, f, named, out));
    const unsigned kept = row->gives & PASS_KEEPS ? pass_properties(f) & ~PASS_SHALLOW : 0;
    COT_TRY(check_properties(row, "after", pass_properties(*out), row->gives | kept, ctx));
    if (ctx->config.time)
        print_time(row, f, *out, ir_now() - start);
    if (ctx->config.verify)
        COT_TRY(ir_verify(ctx, *out, row->name));
    pass_dump(row->name, f, *out);
    return pass_follow(row->name, f, out);
}

/* Run one pass on *g, a graph on the way from f, which is of no use after it. */
static cot_status
advance(const pass_row *row, const ir_graph *f, ir_graph **g)
{
    ir_graph *const was = *g;

    COT_TRY(pass_run(row, was, NULL, g));
    if (was != f && was != *g)
        ir_graph_drop(was);
    return COT_OK;
}

/* The order matters.  Hoisting comes first, while a loop is still one node; then expansion.
 * Inlining comes before contraction, which does not see across a call.  Unrolling comes after
 * contraction, the last pass that may change a bit. */
cot_status
pass_prepare(const ir_graph *f, ir_graph **out)
{
    static const pass_row inline_last = { .name = "inline",
                                          .doc = "calls and custom functions",
                                          .run = run_inline_last,
                                          .wants = LAST };
    static const pass_row complex = { .name = "complex",
                                      .doc = "arrays of complex numbers as pairs",
                                      .run = run_complex_memory,
                                      .wants = LAST,
                                      .gives = PASS_REAL };
    static const pass_row dce = { .name = "dce",
                                  .doc = "without what no output needs",
                                  .run = run_dce_last,
                                  .wants = LAST | PASS_REAL,
                                  .gives = PASS_KEEPS };
    static const pass_row contract = { .name = "contract",
                                       .doc = "products and sums to fma, for good",
                                       .run = run_contract_last,
                                       .wants = TAKES,
                                       .gives = PASS_KEEPS };
    static const pass_row groups = { .name = "groups",
                                     .doc = "what all groups of a spread axis share, once",
                                     .run = run_groups,
                                     .wants = TAKES,
                                     .gives = PASS_KEEPS };
    ir_graph *g;

    COT_TRY(pass_shallow(f, PASS_LINEAR, &g));
    if (pass_has_groups(g))
        COT_TRY(advance(&groups, f, &g));
    if (g->loops) {
        COT_TRY(advance(pass_find("inline_small"), f, &g));
        COT_TRY(advance(pass_find("hoist"), f, &g));
    }
    COT_TRY(advance(&inline_last, f, &g));
    COT_TRY(pass_axis_check(g));
    if (g->complex)
        COT_TRY(advance(&complex, f, &g));
    COT_TRY(advance(pass_find("simplify"), f, &g));
    COT_TRY(advance(pass_find("hoist"), f, &g));
    COT_TRY(advance(&dce, f, &g));
    COT_TRY(advance(&contract, f, &g));
    if (pass_has_boxes(g))
        COT_TRY(advance(pass_find("boxes"), f, &g));
    if (pass_unrolls(g)) {
        COT_TRY(advance(pass_find("unroll"), f, &g));
        COT_TRY(advance(pass_find("simplify"), f, &g));
        COT_TRY(advance(&dce, f, &g));
    }
    *out = g;
    return COT_OK;
}

cot_status
pass_prepare_kernels(const ir_graph *f, bool loops, ir_graph **out)
{
    *out = (ir_graph *)f;
    if (pass_absorbs(f))
        COT_TRY(advance(pass_find("absorb"), f, out));
    if (loops && pass_rerolls(*out) && !ir_config_lists(f->ctx->config.off, "reroll"))
        COT_TRY(advance(pass_find("reroll"), f, out));
    if (loops && pass_rematerializes(*out) &&
        !ir_config_lists(f->ctx->config.off, "rematerialize"))
        COT_TRY(advance(pass_find("rematerialize"), f, out));
    if (loops && pass_lays_out(*out) && !ir_config_lists(f->ctx->config.off, "layout"))
        COT_TRY(advance(pass_find("layout"), f, out));
    return COT_OK;
}
