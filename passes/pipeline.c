/* The passes by name, their options as text, and how one is run.
 *
 *   pipeline   pass { "|" pass }                     nothing at all is the empty pipeline
 *   pass       name [ "(" option { "," option } ")" ]
 *   option     name "=" value
 *   value      integer | "none" | name | "[" [ item { "," item } ] "]" | "[{" dims "}]"
 *   item       integer | "none"
 *
 * wrt takes names of arguments too, and in and out the dims of names.c.
 *
 * Each row of pass_rows lists the options that its pass takes; any other is an error that names
 * them. */
#include <stdlib.h>
#include <time.h>

#include "ir/diag.h"
#include "ir/limit.h"
#include "ir/number.h"
#include "ir/scan.h"
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
RUN(uncontract, pass_uncontract(f, out))
RUN(complex, pass_complex(f, out))
RUN(complex_memory, pass_complex_memory(f, out))
RUN(count, pass_count(f, out))
RUN(hoist, pass_hoist(f, out))
RUN(unroll, pass_unroll(f, out))

static cot_status
run_jvp(const ir_graph *f, const pass_options *o, ir_graph **out)
{
    if (o->strict)
        COT_TRY(pass_check_strict(f, &o->wrt, o->aux, 0));
    return pass_jvp(f, &o->wrt, o->aux, out);
}

enum {
    DIFF = PASS_WRT | PASS_AUX,
    MAP = PASS_IN | PASS_OUT | PASS_CHUNK | PASS_SIZE | PASS_RANDOMNESS | PASS_AXIS
};

const pass_row pass_rows[] = {
    { "grad", "gradient of a scalar", true, DIFF, run_grad, true },
    { "grad_and_value", "gradient of a scalar, and the scalar", true, DIFF, run_grad_and_value,
      true },
    { "jvp", "outputs and their tangents", true, DIFF | PASS_STRICT, run_jvp, false },
    { "linearize", "as jvp, the linear half apart", true, DIFF, run_linearize, true },
    { "vjp", "outputs and cotangents of the arguments", true, DIFF, run_vjp, true },
    { "jacfwd", "Jacobians by forward mode", true, DIFF | PASS_CHUNK | PASS_RANDOMNESS,
      run_jacfwd, true },
    { "jacrev", "Jacobians by reverse mode", true, DIFF | PASS_CHUNK, run_jacrev, true },
    { "hessian", "second derivatives, forward over reverse", true, DIFF, run_hessian, true },
    { "vmap", "the function over a mapped axis", true, MAP, run_vmap, false },
    { "functionalize", "without in-place writes and views", true, PASS_REMOVE,
      run_functionalize, false },
    { "checkpoint", "what reverse mode would keep is computed again", true, PASS_KEEP,
      run_checkpoint, true },
    { "simplify", "the same function, smaller", false, 0, run_simplify, false },
    { "dce", "without what no output needs", false, 0, run_dce, false },
    { "inline", "calls replaced by what they call", false, 0, run_inline, true },
    { "inline_small", "the same, but calls of large functions stay", false, 0, run_inline_small,
      false },
    { "expand", "ops that are graphs of smaller ops as calls of those", false, 0, run_expand,
      false },
    { "complex", "complex values as pairs of reals", false, 0, run_complex, false },
    { "contract", "products and sums to fma", false, 0, run_contract, false },
    { "uncontract", "products and sums apart, for good", false, 0, run_uncontract, false },
    { "count", "while loops of known length as scans", false, 0, run_count, false },
    { "hoist", "what no step of a loop changes, before it", false, 0, run_hoist, false },
    { "unroll", "short loops over large arrays as straight code", false, 0, run_unroll, false },
};
const int pass_row_count = sizeof pass_rows / sizeof pass_rows[0];

static const struct {
    const char *name;
    unsigned bit;
} option_names[] = {
    { "wrt", PASS_WRT },
    { "aux", PASS_AUX },
    { "chunk", PASS_CHUNK },
    { "in", PASS_IN },
    { "out", PASS_OUT },
    { "size", PASS_SIZE },
    { "randomness", PASS_RANDOMNESS },
    { "axis", PASS_AXIS },
    { "remove", PASS_REMOVE },
    { "strict", PASS_STRICT },
    { "keep", PASS_KEEP },
};
enum { OPTIONS = sizeof option_names / sizeof option_names[0] };

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

/* Reading. */

typedef struct pipeline_reader {
    cot_context *ctx;
    const char *text, *at;
    const pass_row *row; /* the pass whose options are read */
    ir_loc loc;          /* of the call that has the text; 0: a command line */
} pipeline_reader;

static cot_status
fault(pipeline_reader *r, const char *message)
{
    const char *where = r->row ? r->row->name : "pipeline";
    return ir_fail(r->ctx, r->loc, where, ERR_pipeline, message, (int)(r->at - r->text) + 1,
                   r->text);
}

static bool
is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_';
}

/* A word, in the context's arena; "" if there is none. */
static const char *
read_word(pipeline_reader *r)
{
    ir_skip_space(&r->at);
    const char *start = r->at;
    while (is_word(*r->at))
        r->at++;
    return ir_format(&r->ctx->arena, "%.*s", (int)(r->at - start), start);
}

static cot_status
read_integer(pipeline_reader *r, int64_t least, int64_t most, int64_t *out)
{
    char *end;
    ir_skip_space(&r->at);
    const char *digits = r->at + (*r->at == '-');
    if (*digits < '0' || *digits > '9')
        return fault(r, "wants an integer");
    const long long x = strtoll(r->at, &end, 10);
    if (x < least || x > most)
        return fault(r, ir_format(&r->ctx->arena,
                                  "the integer is out of range; wants %lld or more",
                                  (long long)least));
    if (is_word(*end))
        return fault(r, "wants an integer");
    r->at = end;
    *out = x;
    return COT_OK;
}

/* An integer or, where it may be, `none`. */
static cot_status
read_item(pipeline_reader *r, bool none, int64_t *out)
{
    ir_skip_space(&r->at);
    if (none && strncmp(r->at, "none", 4) == 0 && !is_word(r->at[4])) {
        r->at += 4;
        *out = PASS_NO_AXIS;
        return COT_OK;
    }
    return read_integer(r, INT32_MIN, INT32_MAX, out);
}

/* A list, or a single item (*one). */
static cot_status
read_list(pipeline_reader *r, bool none, int *n, int64_t **items, bool *one)
{
    uint32_t count = 0, cap = 0;
    int64_t x, *list = IR_NEW(&r->ctx->arena, int64_t);
    *one = !ir_accept(&r->at, '[');
    if (*one) {
        COT_TRY(read_item(r, none, list));
        *n = 1, *items = list;
        return COT_OK;
    }
    if (!ir_accept(&r->at, ']')) {
        do {
            COT_TRY(read_item(r, none, &x));
            IR_PUSH(&r->ctx->arena, list, count, cap, x);
        } while (ir_accept(&r->at, ','));
        if (!ir_accept(&r->at, ']'))
            return fault(r, "wants `,` or `]` in the list");
    }
    *n = (int)count, *items = list;
    return COT_OK;
}

/* Is the list one of names? */
static bool
names_follow(const pipeline_reader *r)
{
    const char *c = r->at + strspn(r->at, " \t\n[");
    return is_word(*c) && !(*c >= '0' && *c <= '9');
}

/* [a, b.c] as the text between the brackets. */
static cot_status
read_names(pipeline_reader *r, char open, char close, const char **out)
{
    int depth = 1;
    if (!ir_accept(&r->at, open))
        return fault(r, "wants a list of names");
    const char *start = r->at;
    for (; *r->at && depth > 0; r->at++)
        depth += (*r->at == open) - (*r->at == close);
    if (depth > 0)
        return fault(r, "wants the end of the list of names");
    *out = ir_format(&r->ctx->arena, "%.*s", (int)(r->at - 1 - start), start);
    return COT_OK;
}

static cot_status
read_wrt(pipeline_reader *r, pass_wrt *wrt, const char **names)
{
    int64_t *items;
    bool one;
    if (names_follow(r))
        return read_names(r, '[', ']', names);
    COT_TRY(read_list(r, false, &wrt->n, &items, &one));
    int *arg = IR_NEW_N(&r->ctx->arena, int, wrt->n + 1);
    for (int i = 0; i < wrt->n; i++)
        arg[i] = (int)items[i];
    wrt->arg = arg;
    return COT_OK;
}

static cot_status
read_dims(pipeline_reader *r, pass_dims *dims, const char **names)
{
    int64_t *items;
    const char *before = (ir_skip_space(&r->at), r->at);
    if (ir_accept(&r->at, '[') && (ir_skip_space(&r->at), *r->at == '{')) {
        COT_TRY(read_names(r, '{', '}', names));
        return ir_accept(&r->at, ']') ? COT_OK : fault(r, "wants `]` after the names");
    }
    r->at = before;
    COT_TRY(read_list(r, true, &dims->n, &items, &dims->one));
    dims->at = items;
    return COT_OK;
}

/* A word out of a list; its position. */
static cot_status
read_choice(pipeline_reader *r, const char *const *choice, int n, int *out)
{
    const char *word = read_word(r);
    for (int i = 0; i < n; i++)
        if (strcmp(choice[i], word) == 0) {
            *out = i;
            return COT_OK;
        }
    const char *list = choice[0];
    for (int i = 1; i < n; i++)
        list = ir_format(&r->ctx->arena, "%s, %s", list, choice[i]);
    return fault(r, ir_format(&r->ctx->arena, "found `%s`; wants one of %s", word, list));
}

static cot_status
read_value(pipeline_reader *r, unsigned bit, pass_options *o)
{
    static const char *const randomness[] = { "error", "different", "same" };
    static const char *const remove[] = { "mutations", "mutations_and_views" };
    static const char *const keep[] = { "nothing", "products" };
    int64_t x;
    int choice;
    switch (bit) {
    case PASS_WRT: return read_wrt(r, &o->wrt, &o->wrt_names);
    case PASS_AUX:
        COT_TRY(read_integer(r, 0, INT32_MAX, &x));
        o->aux = (int)x;
        return COT_OK;
    case PASS_CHUNK:
        COT_TRY(read_integer(r, 1, INT64_MAX, &x));
        o->chunk = o->vmap.chunk = x;
        return COT_OK;
    case PASS_IN: return read_dims(r, &o->vmap.in, &o->in_names);
    case PASS_OUT: return read_dims(r, &o->vmap.out, &o->out_names);
    case PASS_SIZE: o->vmap.sized = true; return read_integer(r, 0, INT64_MAX, &o->vmap.size);
    case PASS_RANDOMNESS: return read_choice(r, randomness, 3, &o->vmap.randomness);
    case PASS_REMOVE:
        COT_TRY(read_choice(r, remove, 2, &choice));
        o->remove_views = choice == 1;
        return COT_OK;
    case PASS_KEEP:
        COT_TRY(read_choice(r, keep, 2, &choice));
        o->keep_products = choice == 1;
        return COT_OK;
    case PASS_STRICT:
        COT_TRY(read_integer(r, 0, 1, &x));
        o->strict = x != 0;
        return COT_OK;
    default:
        o->vmap.axis_name = read_word(r);
        return *o->vmap.axis_name ? COT_OK : fault(r, "wants a name for the axis");
    }
}

static const char *
options_of(cot_context *ctx, const pass_row *row)
{
    const char *list = NULL;
    for (int i = 0; i < OPTIONS; i++)
        if (row->takes & option_names[i].bit)
            list = list ? ir_format(&ctx->arena, "%s, %s", list, option_names[i].name)
                        : option_names[i].name;
    return list ? list : "none";
}

static cot_status
read_option(pipeline_reader *r, pass_options *o, unsigned *given)
{
    ir_skip_space(&r->at);
    const char *start = r->at, *name = read_word(r);
    unsigned bit = 0;
    for (int i = 0; i < OPTIONS; i++)
        if (strcmp(option_names[i].name, name) == 0)
            bit = option_names[i].bit;
    if (!(bit & r->row->takes) || (bit & *given)) {
        r->at = start;
        return fault(r, bit & *given
                            ? ir_format(&r->ctx->arena, "option `%s` is given twice", name)
                            : ir_format(&r->ctx->arena, "has no option `%s`; its options: %s",
                                        name, options_of(r->ctx, r->row)));
    }
    *given |= bit;
    if (!ir_accept(&r->at, '='))
        return fault(r, "wants `=` after the option's name");
    return read_value(r, bit, o);
}

static cot_status
read_step(pipeline_reader *r, pass_step *step)
{
    unsigned given = 0;
    r->row = NULL;
    ir_skip_space(&r->at);
    const char *start = r->at, *name = read_word(r);
    step->row = pass_find(name);
    step->options = pass_default_options();
    if (!step->row) {
        const char *list = pass_rows[0].name;
        for (int i = 1; i < pass_row_count; i++)
            list = ir_format(&r->ctx->arena, "%s, %s", list, pass_rows[i].name);
        r->at = start;
        return fault(
            r, ir_format(&r->ctx->arena, "no pass is called `%s`; the passes: %s", name, list));
    }
    r->row = step->row;
    if (!ir_accept(&r->at, '(') || ir_accept(&r->at, ')'))
        return COT_OK;
    do
        COT_TRY(read_option(r, &step->options, &given));
    while (ir_accept(&r->at, ','));
    return ir_accept(&r->at, ')') ? COT_OK : fault(r, "wants `,` or `)` after an option");
}

cot_status
pass_parse(cot_context *ctx, ir_loc loc, const char *text, int *n, const pass_step **steps)
{
    pipeline_reader r = {
        .ctx = ctx, .loc = loc, .text = text ? text : "", .at = text ? text : ""
    };
    pass_step *list = NULL;
    uint32_t count = 0, cap = 0;
    ir_skip_space(&r.at);
    if (*r.at) {
        do {
            pass_step step;
            COT_TRY(read_step(&r, &step));
            IR_PUSH(&ctx->arena, list, count, cap, step);
        } while (ir_accept(&r.at, '|'));
        if (*r.at)
            return fault(&r, "wants `|` between passes");
    }
    *n = (int)count, *steps = list;
    return COT_OK;
}

/* Running. */

static double
now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* The new values of in/out arguments are the last results of every transform: not
 * differentiated, mapped as their arguments are. */
static cot_status
run_with_inout(const pass_row *row, const ir_graph *f, pass_options o, ir_graph **out)
{
    o.aux += row->takes & PASS_AUX ? f->n_inout : 0;
    COT_TRY(row->run(f, &o, out));
    (*out)->n_inout = f->n_inout;
    (*out)->inout = f->inout;
    return COT_OK;
}

/* The node that unfolds to most. */
static const ir_node *
largest_use(const ir_graph *f)
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
        }
    }
    return largest;
}

/* Is what calls, branches and bodies become in proportion to what is written: when all of them
 * are unfolded (each_use), or all but calls that stay? */
static cot_status
check_unfolded(const ir_graph *f, bool each_use)
{
    const ir_graph *const *all;
    uint64_t size = f->unfolded, most = IR_MAX_UNFOLDED;

    if (size <= most)
        return COT_OK;
    for (uint32_t i = 0, n = ir_all_graphs(f, true, &all, f->arena); i < n; i++)
        most += 16 * (uint64_t)all[i]->n_nodes;
    if (size > most && !each_use)
        size = pass_calls_of(f)->size;
    if (size <= most)
        return COT_OK;
    const ir_node *n = largest_use(f);
    return ir_fail(f->ctx, n ? n->loc : 0, n ? ir_ops[n->op].name : f->name, ERR_unfolds,
                   (unsigned long long)size, (unsigned long long)most);
}

/* Passes recurse into what is called, so that long chains of calls are inlined before.
 *  Inlining does not recurse. */
cot_status
pass_shallow(const ir_graph *f, bool each_use, ir_graph **out)
{
    *out = (ir_graph *)f;
    COT_TRY(check_unfolded(f, each_use));
    return f->chain > IR_MAX_NEST
               ? run_with_inout(pass_find("inline_small"), f, pass_default_options(), out)
               : COT_OK;
}

cot_status
pass_run(const pass_row *row, const ir_graph *f, const pass_options *o, ir_graph **out)
{
    cot_context *ctx = f->ctx;
    const double start = ctx->config.time ? now_ms() : 0;
    pass_options named = o ? *o : pass_default_options();
    COT_TRY(ir_check(ctx));
    COT_TRY(pass_shallow(f, row->each_use, (ir_graph **)&f));
    if (row->run != run_functionalize)
        COT_TRY(pass_functionalize(f, true, (ir_graph **)&f));
    COT_TRY(pass_resolve_names(row, f, &named));
    COT_TRY(run_with_inout(row, f, named, out));
    if (ctx->config.time) {
        char ms[32];

        ir_snprintf(ms, sizeof ms, "%9.3f", now_ms() - start);
        fprintf(stderr, "time: %-14s %s ms  %5u -> %5u nodes  %s\n", row->name, ms,
                f->n_nodes - 1, (*out)->n_nodes - 1, (*out)->name);
    }
    if (ctx->config.verify)
        COT_TRY(ir_verify(ctx, *out, row->name));
    pass_dump(row->name, f, *out);
    return COT_OK;
}

cot_status
pass_pipeline(const ir_graph *f, const char *text, pass_after *after, void *user,
              ir_graph **out)
{
    int n;
    const pass_step *step;
    ir_graph *g = (ir_graph *)f;
    COT_TRY(pass_parse(f->ctx, 0, text, &n, &step));
    for (int i = 0; i < n; i++) {
        const ir_graph *before = g;
        COT_TRY(pass_run(step[i].row, before, &step[i].options, &g));
        if (after)
            after(user, step[i].row->name, before, g);
    }
    *out = g;
    return COT_OK;
}

/* What loops need not repeat leaves them while it is one node; then expansions; inlining before
 * contraction, which does not see across a call; unrolling after it, since it is the last that
 * may change a bit. */
cot_status
pass_prepare(const ir_graph *f, ir_graph **out)
{
    static const pass_row complex = {
        "complex", "arrays of complex numbers as pairs", false, 0, run_complex_memory, false
    };
    static const pass_row dce = { "dce", "without what no output needs", false, 0, run_dce_last,
                                  false };
    static const pass_row inline_last = { "inline",        "calls and custom functions",
                                          false,           0,
                                          run_inline_last, false };
    ir_graph *g;

    COT_TRY(pass_shallow(f, false, &g));
    if (g->loops) {
        COT_TRY(pass_run(pass_find("inline_small"), g, NULL, &g));
        COT_TRY(pass_run(pass_find("hoist"), g, NULL, &g));
    }
    if (g->expands)
        COT_TRY(pass_run(pass_find("expand"), g, NULL, &g));
    COT_TRY(pass_run(&inline_last, g, NULL, &g));
    COT_TRY(pass_axis_check(g));
    if (g->complex)
        COT_TRY(pass_run(&complex, g, NULL, &g));
    COT_TRY(pass_run(pass_find("simplify"), g, NULL, &g));
    COT_TRY(pass_run(pass_find("hoist"), g, NULL, &g));
    COT_TRY(pass_run(&dce, g, NULL, &g));
    COT_TRY(pass_run(pass_find("contract"), g, NULL, &g));
    if (pass_unrolls(g)) {
        COT_TRY(pass_run(pass_find("unroll"), g, NULL, &g));
        COT_TRY(pass_run(pass_find("simplify"), g, NULL, &g));
        COT_TRY(pass_run(&dce, g, NULL, &g));
    }
    *out = g;
    return COT_OK;
}
