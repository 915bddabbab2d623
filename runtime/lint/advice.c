/* The op of the source that a finding is about, and another form of it (advice.def).
 *
 * The rule of a derivative is at the line of the op that it is of.  Where a line has several
 * ops, it is the one whose operands are so at the point that its derivative is not finite. */
#include "runtime/lint/lint.h"

#include <ctype.h>
#include <math.h>

#include "ir/number.h"
#include "ir/build.h"
#include "ir/diag.h"

typedef enum lint_where {
    NONE_ABOVE,
    ZERO,
    UNIT,
    BELOW_ONE,
    ABOVE_MINUS,
    DIVISOR,
    BOTH,
    LARGE,
    FAR
} lint_where;

static const struct operand_row {
    ir_op op;
    lint_where where;
    const char *instead;
} rows[] = {
#define FORM(pattern, instead)
#define OPERAND(op, where, instead) { OP_##op, where, instead },
#define SATURATES(op)
#include "runtime/lint/advice.def"
#undef FORM
#undef OPERAND
#undef SATURATES
};
enum { N_ROWS = sizeof rows / sizeof *rows };

static const struct form_row {
    const char *pattern, *instead;
} forms[] = {
#define FORM(pattern, instead) { pattern, instead },
#define OPERAND(op, where, instead)
#define SATURATES(op)
#include "runtime/lint/advice.def"
#undef FORM
#undef OPERAND
#undef SATURATES
};
enum { N_FORMS = sizeof forms / sizeof *forms };

static const ir_op flat[] = {
#define FORM(pattern, instead)
#define OPERAND(op, where, instead)
#define SATURATES(op) OP_##op,
#include "runtime/lint/advice.def"
#undef FORM
#undef OPERAND
#undef SATURATES
};
enum { N_FLAT = sizeof flat / sizeof *flat };

static const struct operand_row *
row_of(ir_op op)
{
    for (int i = 0; i < N_ROWS; i++)
        if (rows[i].op == op)
            return &rows[i];
    return NULL;
}

bool
rt_lint_divides(ir_op op)
{
    const struct operand_row *r = row_of(op);

    return r && r->where == DIVISOR;
}

bool
rt_lint_is_derived(const cot_context *ctx, ir_loc loc)
{
    static const char *const how[] = { "in grad", "in grad_and_value", "in jvp", "in vjp",
                                       "in linearize" };

    for (const ir_loc_entry *e = ir_loc_at(ctx, loc); e->from; e = ir_loc_at(ctx, e->from))
        for (size_t i = 0; i < sizeof how / sizeof *how; i++)
            if (strcmp(e->how, how[i]) == 0)
                return true;
    return false;
}

const char *
rt_lint_derivation(lint_search *s, ir_loc loc)
{
    const char *text = "";

    for (const ir_loc_entry *e = ir_loc_at(s->ctx, loc); e->from;
         e = ir_loc_at(s->ctx, e->from))
        text = *text ? ir_format(s->arena, "%s, %s", e->how, text) : e->how;
    return text;
}

/* Are operands x and y so that the op, or its derivative, is not finite? */
static bool
holds(lint_where where, double x, double y)
{
    switch (where) {
    case NONE_ABOVE: return !(x > 0);
    case ZERO: return x == 0;
    case UNIT: return !(fabs(x) < 1);
    case BELOW_ONE: return !(x > 1);
    case ABOVE_MINUS: return !(x > -1);
    case DIVISOR: return y == 0;
    case BOTH: return x == 0 && y == 0;
    case LARGE: return !(x < 80);
    case FAR: return !(fabs(x) < 80);
    }
    return false;
}

static bool
is_flat(const ir_node *n)
{
    for (int i = 0; i < N_FLAT; i++)
        if (flat[i] == (ir_op)n->op)
            return true;
    return false;
}

bool
rt_lint_saturates(const lint_search *s, const ir_node *n)
{
    const ir_graph *const *all;
    const uint32_t graphs = ir_all_graphs(s->f, true, &all, s->run);
    int line, other;
    const char *file = ir_loc_root(s->ctx, n->loc, &line);

    if (!rt_lint_is_derived(s->ctx, n->loc))
        return false;
    for (uint32_t g = 0; g < graphs; g++)
        ir_each_node (m, all[g])
            if (is_flat(m) && ir_loc_root(s->ctx, m->loc, &other) == file && other == line)
                return true;
    return false;
}

typedef struct primal_watch {
    lint_search *s;
    const char *file;
    int line;
    const ir_node *found;
} primal_watch;

static cot_status
watch_primal(void *user, const ir_graph *f, const ir_node *n, int depth, const void *const *in,
             void *const *out)
{
    primal_watch *w = user;
    const struct operand_row *r = row_of((ir_op)n->op);
    int line;

    (void)depth, (void)out;
    if (!r || w->found || ir_loc_root(w->s->ctx, n->loc, &line) != w->file || line != w->line)
        return COT_OK;
    const ir_type *t = ir_type_at(f, n->in[0]), *u = ir_type_at(f, n->in[n->n_in - 1]);
    for (int64_t i = 0; i < t->size && !w->found; i++)
        if (holds(r->where, rt_number(t, in[0], i), rt_number(u, in[n->n_in - 1], i)))
            w->found = n;
    return COT_OK;
}

/* May the source run on the first arguments of f? */
static bool
takes_arguments(const lint_search *s)
{
    if (!s->source || s->source->n_in > s->n_args)
        return false;
    for (int i = 0; i < s->source->n_in; i++)
        if (ir_type_at(s->source, s->source->in[i]) != s->arg[i].type)
            return false;
    return true;
}

static const ir_node *
primal_at_point(lint_search *s, const lint_point *p, const char *file, int line)
{
    const ir_graph *f = s->source;
    primal_watch w = { s, file, line, NULL };
    const ir_watch watch = { watch_primal, &w };
    void **in = rt_lint_fill_point(s, p), **out = IR_NEW_N(s->run, void *, f->n_out + 1);

    for (int j = 0; j < f->n_out; j++) {
        const ir_type *t = ir_type_at(f, f->out[j]);
        out[j] = ir_alloc(s->run, (size_t)t->size * cot_dtype_size(t->dtype) + 1);
    }
    if (ir_eval_watched(f, out, (const void *const *)in, &watch) != COT_OK &&
        s->ctx->status != COT_ERR_CANCELLED)
        cot_error_clear(s->ctx);
    return w.found;
}

const ir_node *
rt_lint_primal(lint_search *s, const lint_origin *at, const lint_point *p)
{
    const ir_graph *const *all;
    int line, other;
    const char *file = ir_loc_root(s->ctx, at->n->loc, &line);

    if (!s->source || !file || !rt_lint_is_derived(s->ctx, at->n->loc))
        return NULL;
    const ir_node *found = takes_arguments(s) ? primal_at_point(s, p, file, line) : NULL;
    const uint32_t graphs = found ? 0 : ir_all_graphs(s->source, true, &all, s->arena);
    for (uint32_t g = 0; g < graphs && !found; g++)
        ir_each_node (n, all[g])
            if (!found && row_of((ir_op)n->op) && ir_loc_root(s->ctx, n->loc, &other) == file &&
                other == line)
                found = n;
    return found;
}

/* Patterns: a match binds letters to values, and marks the nodes that it takes. */
typedef struct matching {
    const ir_graph *f;
    ir_ref letter[26];
    const ir_node *wanted;      /* a match has to take it */
    bool took;
} matching;

static bool match_pattern(matching *m, const char **pattern, ir_ref v);

static ir_ref
through_views(const ir_graph *f, ir_ref v)
{
    const ir_node *n;

    while ((n = ir_def(f, v)) != NULL && ir_ops[n->op].view)
        v = n->in[0];
    return v;
}

/* Skip one expression of a pattern. */
static const char *
after(const char *p)
{
    int depth = 0;

    for (; *p && !(depth == 0 && (*p == ',' || *p == ')')); p++)
        depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
    return p;
}

static bool
match_letter(matching *m, char letter, ir_ref v)
{
    ir_ref *at = &m->letter[letter - 'a'];

    if (*at)
        return *at == v;
    *at = v;
    return true;
}

static bool
match_number(const matching *m, double x, ir_ref v)
{
    const ir_node *n = ir_def(m->f, v);
    double y;

    return n && ir_ops[n->op].record == IR_AT_constant &&
           ir_data_number(&n->at->constant.data, &y) && x == y;
}

/* Two operands, in this order or, where `either`, in the other one. */
static bool
match_two(matching *m, const char *first, const ir_node *n, bool either)
{
    const matching before = *m;
    const char *second = after(first) + 1, *p = first, *q = second;

    if (match_pattern(m, &p, n->in[0]) && match_pattern(m, &q, n->in[1]))
        return true;
    *m = before;
    p = first;
    q = second;
    return either && match_pattern(m, &p, n->in[1]) && match_pattern(m, &q, n->in[0]);
}

/* x^2, as a product or a power. */
static bool
match_square(matching *m, const char *operand, const ir_node *n)
{
    const bool product = n->n_in == 2 && n->in[0] == n->in[1] &&
                         strcmp(ir_ops[n->op].name, "mul") == 0,
               power = ir_ops[n->op].record == IR_AT_ipow && n->at->ipow.y == 2;

    return (product || power) && match_pattern(m, &operand, n->in[0]);
}

static bool
match_op(matching *m, const char *name, size_t length, const char *operands, const ir_node *n)
{
    const char *own = ir_ops[n->op].name;
    const bool commutes = strcmp(own, "add") == 0 || strcmp(own, "mul") == 0;
    bool good;

    if (strncmp(own, "reduce_", 7) == 0 &&
        (strncmp(name, "sum", length) == 0 || strncmp(name, "prod", length) == 0))
        own += 7;
    if (length == 6 && strncmp(name, "square", length) == 0)
        good = match_square(m, operands, n);
    else if (strlen(own) != length || strncmp(own, name, length) != 0)
        return false;
    else
        good = n->n_in == 2 ? match_two(m, operands, n, commutes)
                            : n->n_in == 1 && match_pattern(m, &operands, n->in[0]);
    m->took |= good && n == m->wanted;
    return good;
}

static bool
match_pattern(matching *m, const char **pattern, ir_ref v)
{
    const char *p = *pattern + strspn(*pattern, " ");
    const size_t length = strcspn(p, "(,) ");
    const ir_ref x = through_views(m->f, v);
    char *end;

    *pattern = after(p);
    if (isdigit((unsigned char)*p) || *p == '-')
        return match_number(m, ir_strtod(p, &end), x);
    if (length == 1)
        return match_letter(m, *p, x);
    const ir_node *n = ir_def(m->f, x);
    return n && match_op(m, p, length, p + length + 1, n);
}

/* A form that contains the op. */
static const char *
form_of(const ir_graph *f, const ir_node *wanted)
{
    for (int k = 0; k < N_FORMS; k++)
        ir_each_node (n, f) {
            matching m = { .f = f, .wanted = wanted };
            const char *pattern = forms[k].pattern;
            if (n->n_out == 1 && match_pattern(&m, &pattern, n->first) && m.took)
                return forms[k].instead;
        }
    return NULL;
}

static bool
is_node_of(const ir_graph *f, const ir_node *n)
{
    return n > f->node && n < f->node + f->n_nodes;
}

const char *
rt_lint_instead(lint_search *s, const lint_origin *at, const ir_node *primal)
{
    const ir_graph *f = primal ? s->source : at->f;
    const ir_node *n = primal ? primal : at->n;
    const char *form = is_node_of(f, n) ? form_of(f, n) : NULL;
    const struct operand_row *r = row_of((ir_op)n->op);

    if (form)
        return form;
    return r && at->kind != COT_LINT_DIGITS ? r->instead : "";
}
