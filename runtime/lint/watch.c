/* One run at a point: which op made the NaN or the infinity that a result has.
 *
 * Each value that is not finite has a cause: the op that made such a number of finite ones.  A
 * NaN or infinity that an op only passes on, or makes of another, keeps its cause.  A pointwise
 * op passes on what its operands have at the same element, of a select what the chosen one has;
 * other ops what any element has, NaN before infinity.  What sub-functions make is the cause of
 * the results of their node. */
#include "runtime/lint/lint.h"

#include <math.h>

#include "ir/diag.h"

enum { MAX_ORIGINS = 4096, DEPTHS = 64, COST_OF_NODE = 32 };

typedef struct scope {
    const ir_graph *f;
    uint32_t *cause; /* by value: 1 + the number of an origin; 0: none is known */
} scope;

typedef struct watcher {
    lint_search *s;
    uint32_t n_origins, cap_origins;
    lint_origin *origin;
    uint32_t n_scopes, cap_scopes;
    scope *scope;
    /* by depth: how many origins there were after its last node, or that of an outer one */
    uint32_t before[DEPTHS];
    uint32_t changes; /* 1 + the number of the origin whose results are changed; 0: none */
} watcher;

static uint32_t *
causes_of(watcher *w, const ir_graph *f)
{
    for (uint32_t i = w->n_scopes; i-- > 0;)
        if (w->scope[i].f == f)
            return w->scope[i].cause;
    scope new = { f, IR_NEW_N(w->s->run, uint32_t, f->n_values) };
    IR_PUSH(w->s->run, w->scope, w->n_scopes, w->cap_scopes, new);
    return new.cause;
}

/* The first NaN, or else the first infinity; -1: all are finite. */
static int64_t
find_bad(const ir_type *t, const void *data, bool *nan)
{
    int64_t at = rt_find_nan(t, data);

    *nan = at >= 0;
    for (int64_t i = 0; at < 0 && ir_is_inexact(t->dtype) && i < rt_parts(t); i++)
        if (!isfinite(rt_number(t, data, i)))
            at = i;
    return at;
}

/* Is the op's element made of the operands' elements at the same index? */
static bool
is_pointwise(const ir_node *n)
{
    return ir_ops[n->op].flag == IR_POINTWISE;
}

/* The operands of a choice by its first operand: the one that is chosen at element i. */
static bool
is_passed_on(const ir_graph *f, const ir_node *n, int operand, const void *const *in, int64_t i)
{
    const ir_type *p = ir_type_at(f, n->in[0]);

    if (!is_pointwise(n) || n->n_in != 3 || p->dtype != COT_BOOL)
        return true;
    return operand == (rt_number(p, in[0], i) != 0 ? 1 : 2);
}

/* How bad an operand is where result element i comes from: 0 finite, 1 infinite, 2 NaN. */
static int
badness(const ir_graph *f, const ir_node *n, int operand, const void *const *in, int64_t i)
{
    const ir_type *t = ir_type_at(f, n->in[operand]);
    bool nan;

    if (!ir_is_inexact(t->dtype) || !is_passed_on(f, n, operand, in, i))
        return 0;
    if (is_pointwise(n)) {
        const double x = rt_number(t, in[operand], i);
        return isnan(x) ? 2 : !isfinite(x);
    }
    return find_bad(t, in[operand], &nan) < 0 ? 0 : 1 + nan;
}

static lint_origin
origin_at(const ir_graph *f, const ir_node *n, const void *const *in, const ir_type *t,
          const void *out, int64_t i)
{
    lint_origin o = { .f = f, .n = n, .out = rt_number(t, out, i), .result = -1 };

    o.kind = isnan(o.out) ? COT_LINT_NAN : COT_LINT_INFINITE;
    for (; is_pointwise(n) && o.n_in < n->n_in && o.n_in < 3; o.n_in++)
        o.in[o.n_in] = rt_number(ir_type_at(f, n->in[o.n_in]), in[o.n_in], i);
    return o;
}

static uint32_t
add_origin(watcher *w, lint_origin o)
{
    if (w->n_origins == MAX_ORIGINS)
        return 0;
    IR_PUSH(w->s->run, w->origin, w->n_origins, w->cap_origins, o);
    return w->n_origins;
}

/* The cause of a result that has a NaN or an infinity at element i. */
static uint32_t
cause_of(watcher *w, const ir_graph *f, const ir_node *n, int depth, const void *const *in,
         const ir_type *t, const void *out, int64_t i)
{
    const uint32_t *cause = causes_of(w, f);
    const bool nan = isnan(rt_number(t, out, i));
    uint32_t from = 0;
    int worst = 0;

    for (int k = 0; k < n->n_in; k++) {
        const int bad = badness(f, n, k, in, i);
        if (bad > worst || (bad && bad == worst && !from))
            from = cause[n->in[k]];
        worst = bad > worst ? bad : worst;
    }
    if (from || worst == 2 || n->n_in == 0)
        return from;
    if (ir_ops[n->op].flag == IR_FLOW || ir_ops[n->op].flag == IR_EXPAND) {
        const uint32_t before = depth < DEPTHS ? w->before[depth] : w->n_origins;
        if (before < w->n_origins)
            return before + 1;
    }
    /* an infinity of which the op makes another is given: by a constant, or to a body */
    return worst == 1 && !nan ? 0 : add_origin(w, origin_at(f, n, in, t, out, i));
}

/* An integer is divided by zero: which element says nothing, the result has to depend on it. */
static void
watch_division(watcher *w, const ir_graph *f, const ir_node *n, const void *const *in,
               void *const *out)
{
    const ir_type *t = ir_type_at(f, n->first);
    int64_t at = -1;

    for (int64_t i = 0; i < t->size && at < 0; i++)
        if (rt_number(t, in[1], i) == 0)
            at = i;
    if (at < 0)
        return;
    lint_origin o = origin_at(f, n, in, t, out[0], at);
    o.kind = COT_LINT_DIVISION;
    if (add_origin(w, o) != w->changes)
        return;
    for (int64_t i = at; i < t->size; i++)
        if (rt_number(t, in[1], i) == 0)
            rt_set_element(t->dtype, out[0], i, rt_number(t, out[0], i) == 1 ? 0 : 1);
}

/* The elements that make a result: of a product x y, sqrt(|x| |y| |x y|), which is m k n. */
static uint64_t
cost_of(const ir_graph *f, const ir_node *n, int64_t size)
{
    if (ir_ops[n->op].flag != IR_CONTRACT || n->n_in < 2)
        return (uint64_t)size + COST_OF_NODE;
    const double x = (double)ir_type_at(f, n->in[0])->size,
                 y = (double)ir_type_at(f, n->in[1])->size;
    return (uint64_t)sqrt(x * y * (double)size) + COST_OF_NODE;
}

static cot_status
watch_node(void *user, const ir_graph *f, const ir_node *n, int depth, const void *const *in,
           void *const *out)
{
    watcher *w = user;

    if (rt_lint_divides((ir_op)n->op) && ir_is_int(ir_type_at(f, n->first)->dtype))
        watch_division(w, f, n, in, out);
    for (int j = 0; j < n->n_out; j++) {
        const ir_ref v = n->first + (ir_ref)j;
        bool nan;
        const int64_t i = find_bad(ir_type_at(f, v), out[j], &nan);
        uint32_t *cause = causes_of(w, f);

        w->s->cost += cost_of(f, n, ir_type_at(f, v)->size);
        cause[v] = i < 0 ? 0 : cause_of(w, f, n, depth, in, ir_type_at(f, v), out[j], i);
    }
    for (int d = depth; d < DEPTHS; d++)
        w->before[d] = w->n_origins;
    return COT_OK;
}

/* Evaluate f; false: it has failed, and the error is forgotten. */
static bool
evaluate(watcher *w, void *const *in, void **out)
{
    const ir_graph *f = w->s->f;
    const ir_watch watch = { watch_node, w };

    w->n_origins = 0;
    w->s->cost = 0;
    memset(w->before, 0, sizeof w->before);
    for (int j = 0; j < f->n_out; j++)
        out[j] = ir_alloc(w->s->run, rt_bytes(ir_type_at(f, f->out[j])) + 1);
    const cot_status status = ir_eval_watched(f, out, (const void *const *)in, &watch);
    w->s->work += w->s->cost;
    if (status == COT_OK)
        return true;
    if (w->s->ctx->status != COT_ERR_CANCELLED)
        cot_error_clear(w->s->ctx);
    return false;
}

static bool
differs(const lint_search *s, void *const *x, void *const *y)
{
    for (int j = 0; j < s->f->n_out; j++)
        if (rt_first_difference(ir_type_at(s->f, s->f->out[j]), x[j], y[j]) >= 0)
            return true;
    return false;
}

int
rt_lint_run(lint_search *s, const lint_point *p, lint_origin **found)
{
    const ir_graph *f = s->f;
    watcher w = { .s = s };
    void **in = rt_lint_fill_point(s, p), **out = IR_NEW_N(s->run, void *, 2 * f->n_out + 1);
    int n = 0;

    if (!evaluate(&w, in, out))
        return -1;
    const uint32_t origins = w.n_origins;
    lint_origin *origin = w.origin;
    const uint32_t *cause = causes_of(&w, f);
    *found = IR_NEW_N(s->run, lint_origin, f->n_out + (int)origins + 1);
    for (int j = 0; j < f->n_out; j++) {
        bool nan;
        if (find_bad(ir_type_at(f, f->out[j]), out[j], &nan) < 0 || !cause[f->out[j]])
            continue;
        (*found)[n] = origin[cause[f->out[j]] - 1];
        (*found)[n].kind = nan ? COT_LINT_NAN : COT_LINT_INFINITE;
        (*found)[n++].result = j;
    }
    for (uint32_t k = 0; k < origins; k++) {
        watcher changed = { .s = s, .changes = k + 1 };
        if (origin[k].kind == COT_LINT_DIVISION && evaluate(&changed, in, out + f->n_out) &&
            differs(s, out, out + f->n_out))
            (*found)[n++] = origin[k];
    }
    return n;
}
