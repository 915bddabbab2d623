/* What shows without a run: results that are zero, loops without a bound, numbers that lose
 * digits on the way through a narrower type. */
#include "passes/pass.h"
#include "runtime/lint/lint.h"

static void
keep_fixed(lint_search *s, cot_lint_kind kind, ir_loc loc, const char *op, int result,
           const char *what)
{
    cot_finding x = { .kind = kind, .op = op, .result = result, .when = "", .instead = "" };

    x.file = ir_loc_root(s->ctx, loc, &x.line);
    x.derived = rt_lint_derivation(s, loc);
    x.text = ir_format(s->arena, "%s: %s%s%s: %s", rt_lint_place(s, &x), op,
                       *x.derived ? ", " : "", x.derived, what);
    IR_PUSH(s->arena, s->found, s->n_found, s->cap_found,
            ((lint_found){ .at = { .kind = kind }, .finding = x }));
}

static bool
is_zero(const ir_graph *f, ir_ref v)
{
    const ir_node *n = ir_def(f, v);

    while (n && ir_ops[n->op].view)
        n = ir_def(f, n->in[0]);
    if (!n || ir_ops[n->op].record != IR_AT_constant)
        return false;
    const ir_data *d = &n->at->constant.data;
    for (int64_t i = 0; i < (d->splat ? 1 : d->type->size); i++)
        if (rt_number(d->type, d->bytes, i) != 0)
            return false;
    return d->type->size > 0;
}

/* The line of the function's result, as far as it is known. */
static ir_loc
place_of(const lint_search *s)
{
    const ir_graph *f = s->source ? s->source : s->f;
    const ir_node *n = f->n_out > 0 ? ir_def(f, f->out[0]) : NULL;

    return n ? n->loc : 0;
}

/* Is the graph g a derivative?  Other functions may well be zero. */
static bool
is_derivative(const lint_search *s, const ir_graph *g)
{
    static const char *const suffix[] = { ".grad", ".vjp",     ".jvp",
                                          ".jac",  ".hessian", ".linearize" };
    bool is = s->source && s->source != s->f;

    for (size_t i = 0; !s->source && i < sizeof suffix / sizeof *suffix; i++)
        is |= strstr(g->name, suffix[i]) != NULL;
    return is;
}

static cot_status
find_zeros(lint_search *s)
{
    ir_graph *g;

    COT_TRY(pass_simplify(s->f, &g));
    for (int j = 0; j < g->n_out; j++)
        if (ir_is_floating(g, g->out[j]) && is_zero(g, g->out[j]))
            keep_fixed(s, COT_LINT_ZERO, place_of(s), s->f->name, j,
                       ir_format(s->arena, "result %d is zero whatever the arguments are", j));
    return COT_OK;
}

static void
find_loops(lint_search *s, const ir_graph *f)
{
    ir_each_node (n, f)
        if (ir_loop_of(n).cond && n->at->loop.max == 0)
            keep_fixed(s, COT_LINT_LOOP, n->loc, ir_ops[n->op].name, -1,
                       "it has no bound: if its condition stays true, nothing ends it in an "
                       "object; .max bounds it");
}

static bool
is_conversion(const ir_graph *f, const ir_node *n, bool narrows)
{
    const cot_dtype from = n->n_in == 1 ? ir_type_at(f, n->in[0])->dtype : COT_DTYPE_NONE,
                    to = n->n_out == 1 ? ir_type_at(f, n->first)->dtype : COT_DTYPE_NONE;

    if (ir_ops[n->op].record != IR_AT_dtype || !ir_is_float(from) || !ir_is_float(to))
        return false;
    return narrows ? from == COT_F64 && to != COT_F64 : from != COT_F64 && to == COT_F64;
}

/* narrow[v]: the conversion from f64 that a narrower value comes from. */
static void
find_narrowed(lint_search *s, const ir_graph *f)
{
    const ir_node **narrow = IR_NEW_N(s->arena, const ir_node *, f->n_values);

    ir_each_node (n, f) {
        const ir_node *from = NULL;
        for (int k = 0; k < n->n_in && !from; k++)
            from = narrow[n->in[k]];
        if (is_conversion(f, n, true))
            from = n;
        else if (from && is_conversion(f, n, false)) {
            const char *to = cot_dtype_name(ir_type_at(f, from->first)->dtype);
            keep_fixed(s, COT_LINT_NARROWED, from->loc, ir_ops[from->op].name, -1,
                       ir_format(s->arena,
                                 "an f64 becomes %s here and f64 again later: its "
                                 "last digits are lost",
                                 to));
            from = NULL;
        }
        for (int j = 0; j < n->n_out; j++)
            narrow[n->first + (ir_ref)j] =
                ir_is_float(ir_type_at(f, n->first + (ir_ref)j)->dtype) ? from : NULL;
    }
}

cot_status
rt_lint_fixed(lint_search *s, const ir_graph *g)
{
    const ir_graph *const *all;
    const uint32_t graphs = ir_all_graphs(g, true, &all, s->arena);

    for (uint32_t i = 0; i < graphs; i++) {
        find_loops(s, all[i]);
        find_narrowed(s, all[i]);
    }
    return is_derivative(s, g) ? find_zeros(s) : COT_OK;
}
