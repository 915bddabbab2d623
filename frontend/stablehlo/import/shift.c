/* Shifts that cancel have no derivative.
 *
 * softmax, log_softmax and logsumexp subtract the maximum so that exp does not overflow; the
 * result does not depend on it.  In JAX the maximum is behind a stop_gradient, which its
 * StableHLO text does not have.  So for each value c that is subtracted somewhere, the analysis
 * asks how the values computed from c change if d is added to c:
 *
 *   c, x - c, (x - c) - log s                         grow by k d
 *   exp of those, their sums, products, maxima        are multiplied by e^(k d)
 *   e / sum e, log(sum e) + c, x - c - log(sum e)     stay
 *
 * If every such value is of one of these kinds, and no result changes, c gets its stop_gradient
 * again: the derivative that is left out is 0 for every x, and a gradient of an imported
 * softmax is as short as that of our own.
 *
 * d may differ along the axes of c, so each value carries which of its axes are axes of c.
 * Calls are followed. */
#include <math.h>

#include "frontend/stablehlo/import/emit.h"
#include "passes/engine.h"

enum { MAX_DEPTH = 8 };

typedef enum motion_kind { STILL, GROWS, SCALES, LOST } motion_kind;
typedef struct motion {
    motion_kind kind;
    double k;
    int8_t axis[COT_MAX_RANK]; /* of c, that d varies along; -1: none */
} motion;

typedef struct motion_walk {
    ir_arena *a;
    const ir_graph *g;
    const motion **of;         /* by value; NULL: it stays as it is */
    const struct motion_walk *caller; /* NULL: none */
    const ir_node *call;       /* of the caller */
    int depth;
    int64_t *budget;           /* nodes that may still be visited */
} motion_walk;

/* ---- constants ---- */

/* The one number that all elements of v are, be it an argument of a call. */
static bool
number(const motion_walk *w, ir_ref v, double *x)
{
    const ir_node *n = ir_def(w->g, v);

    while (n && (n->op == OP_broadcast_in_dim || n->op == OP_reshape || n->op == OP_convert)) {
        v = n->in[0];
        n = ir_def(w->g, v);
    }
    for (int i = 0; !n && w->caller && i < w->g->n_in; i++)
        if (w->g->in[i] == v)
            return number(w->caller, w->call->in[i], x);
    return n && n->op == OP_constant && ir_data_number(&n->at->constant.data, x);
}

/* A number that stays itself when all that it stands among moves so. */
static bool
fits(const motion_walk *w, ir_ref v, motion_kind kind)
{
    double x;

    return number(w, v, &x) && (isnan(x) || isinf(x) || (kind == SCALES && x == 0));
}

/* ---- axes ---- */

static bool
same_axes(const motion *x, const motion *y, int rank)
{
    return memcmp(x->axis, y->axis, (size_t)rank) == 0;
}

static bool
still_along(const motion *x, ir_axes axes, int rank)
{
    for (int i = 0; i < rank; i++)
        if (ir_axes_has(axes, i) && x->axis[i] >= 0)
            return false;
    return true;
}

/* ---- how results move ---- */

/* Reads of an array that keep, of axes that d varies along, all in order. */
static bool
through_broadcast(const motion_walk *w, const ir_node *n, const motion *x, motion *y)
{
    const ir_type *to = ir_type_at(w->g, n->first), *from = ir_type_at(w->g, n->in[0]);
    const ir_ints dims = n->at->broadcast.dims;

    memset(y->axis, -1, (size_t)to->rank);
    for (int i = 0; i < dims.n; i++)
        if (from->dims[i] == to->dims[dims.at[i]])
            y->axis[dims.at[i]] = x->axis[i];
    return true;
}

/* Groups of axes with one product: either one axis on both sides, or d varies along none of
 * them. */
static bool
through_reshape(const motion_walk *w, const ir_node *n, const motion *x, motion *y)
{
    const ir_type *from = ir_type_at(w->g, n->in[0]), *to = ir_type_at(w->g, n->first);
    int i = 0, j = 0;

    memset(y->axis, -1, (size_t)to->rank);
    if (to->size == 0)
        return false;
    while (i < from->rank || j < to->rank) {
        const int i0 = i, j0 = j;
        int64_t left = i < from->rank ? from->dims[i++] : 1,
                right = j < to->rank ? to->dims[j++] : 1;
        if (left == 1 && right != 1) { /* an axis of size 1 that goes */
            j = j0;
            continue;
        }
        if (right == 1 && left != 1) {
            i = i0;
            continue;
        }
        while (left != right)
            if (left < right)
                left *= from->dims[i++];
            else
                right *= to->dims[j++];
        if (i == i0 + 1 && j == j0 + 1)
            y->axis[j0] = x->axis[i0];
        else
            for (int k = i0; k < i; k++)
                if (x->axis[k] >= 0)
                    return false;
    }
    return true;
}

static bool
through_gather(const motion_walk *w, const ir_node *n, const motion *x, motion *y)
{
    const ir_type *from = ir_type_at(w->g, n->in[0]), *to = ir_type_at(w->g, n->first);
    int64_t batch[COT_MAX_RANK] = { 0 };
    int window = 0, n_batch = 0;

    memset(y->axis, -1, (size_t)to->rank);
    /* axes of the indices are those of the result that no window has */
    for (int j = 0; j < to->rank; j++)
        if (!ir_ints_has(n->at->gather.offset_dims, j))
            batch[n_batch++] = j;
    for (int i = 0; i < from->rank; i++) {
        int at = -1;
        for (int k = 0; k < n->at->gather.operand_batch.n; k++)
            if (n->at->gather.operand_batch.at[k] == i &&
                n->at->gather.indices_batch.at[k] < n_batch)
                at = (int)batch[n->at->gather.indices_batch.at[k]];
        if (at < 0 && !ir_ints_has(n->at->gather.collapsed, i) &&
            !ir_ints_has(n->at->gather.operand_batch, i)) {
            at = (int)n->at->gather.offset_dims.at[window++];
            if (n->at->gather.sizes.at[i] != from->dims[i])
                at = -1;
        }
        if (at >= 0)
            y->axis[at] = x->axis[i];
        else if (x->axis[i] >= 0)
            return false;
    }
    return true;
}

/* The move of x's axes to those of n's result. */
static bool
moved_axes(const motion_walk *w, const ir_node *n, const motion *x, motion *y)
{
    const ir_type *from = ir_type_at(w->g, n->in[0]), *to = ir_type_at(w->g, n->first);
    int k = 0;

    switch (n->op) {
    case OP_broadcast_in_dim: return through_broadcast(w, n, x, y);
    case OP_reshape: return through_reshape(w, n, x, y);
    case OP_gather: return through_gather(w, n, x, y);
    case OP_transpose:
        for (int i = 0; i < to->rank; i++)
            y->axis[i] = x->axis[n->at->perm.perm.at[i]];
        return true;
    case OP_reduce_sum:
    case OP_reduce_max:
    case OP_reduce_min:
        for (int i = 0; i < from->rank; i++)
            if (!ir_axes_has(n->at->axes.axes, i))
                y->axis[k++] = x->axis[i];
        return still_along(x, n->at->axes.axes, from->rank);
    case OP_reverse:
        memcpy(y->axis, x->axis, (size_t)to->rank);
        return still_along(x, n->at->axes.axes, from->rank);
    default: /* slices: axes that d varies along stay whole */
        memcpy(y->axis, x->axis, (size_t)to->rank);
        for (int i = 0; i < from->rank; i++)
            if (x->axis[i] >= 0 && from->dims[i] != to->dims[i])
                return false;
        return true;
    }
}

/* The sum of elements moves by all of theirs. */
static void
move_elements(const motion_walk *w, const ir_node *n, const motion *x, motion *y)
{
    *y = (motion){ .kind = x->kind, .k = x->k };
    if (!moved_axes(w, n, x, y))
        y->kind = LOST;
    else if (n->op == OP_reduce_sum && x->kind == GROWS)
        y->k *=
            (double)ir_type_at(w->g, n->in[0])->size / (double)ir_type_at(w->g, n->first)->size;
}

/* Of those to choose or add from, all move alike; or one does, among numbers that fit. */
static void
move_alike(const motion_walk *w, const ir_node *n, const motion *x, const motion *y, motion *to)
{
    const int first = n->op == OP_select, rank = ir_type_at(w->g, n->first)->rank;

    *to = x ? *x : *y;
    if (x && y ? x->kind != y->kind || x->k != y->k || !same_axes(x, y, rank)
               : !fits(w, n->in[first + (x ? 1 : 0)], to->kind))
        to->kind = LOST;
}

/* The moves of x and y add up, or of x and s y, where they are alike. */
static void
move_both(const motion_walk *w, const ir_node *n, const motion *x, const motion *y, double s,
          motion *to)
{
    *to = x ? *x : *y;
    to->k = (x ? x->k : 0) + s * (y ? y->k : 0);
    if (x && y && (x->kind != y->kind || !same_axes(x, y, ir_type_at(w->g, n->first)->rank)))
        to->kind = LOST;
    else if (to->k == 0)
        to->kind = STILL;
}

/* x + s y. */
static void
move_sum(const motion_walk *w, const ir_node *n, const motion *x, const motion *y, double s,
         motion *to)
{
    if ((x ? x : y)->kind == SCALES)
        move_alike(w, n, x, y, to);
    else
        move_both(w, n, x, y, s, to);
}

/* x y^s. */
static void
move_product(const motion_walk *w, const ir_node *n, const motion *x, const motion *y, double s,
             motion *to)
{
    double c;

    *to = x ? *x : *y;
    if (to->kind != GROWS)
        move_both(w, n, x, y, s, to);
    else if ((x && y) || (s < 0 && !x) || !number(w, n->in[x ? 1 : 0], &c) || !isfinite(c) ||
             c == 0)
        to->kind = LOST;
    else
        to->k = s < 0 ? to->k / c : to->k * c;
}

/* Sums of products of one operand that is scaled. */
static void
move_dot(const motion_walk *w, const ir_node *n, const motion *x, const motion *y, motion *to)
{
    const ir_ints sum = x ? n->at->dot.lhs : n->at->dot.rhs,
                  batch = x ? n->at->dot.lhs_batch : n->at->dot.rhs_batch;
    const int side = x ? 0 : 1, rank = ir_type_at(w->g, n->in[side])->rank;
    const motion *from = x ? x : y;
    int at = x ? batch.n : ir_type_at(w->g, n->in[0])->rank - n->at->dot.lhs.n;

    *to = (motion){ .kind = (x && y) || from->kind != SCALES ? LOST : SCALES, .k = from->k };
    memset(to->axis, -1, (size_t)ir_type_at(w->g, n->first)->rank);
    for (int i = 0; i < batch.n; i++)
        to->axis[i] = from->axis[batch.at[i]];
    for (int i = 0; i < rank; i++)
        if (ir_ints_has(sum, i))
            to->kind = from->axis[i] >= 0 ? LOST : to->kind;
        else if (!ir_ints_has(batch, i))
            to->axis[at++] = from->axis[i];
}

static void
move_function(const ir_node *n, const motion *x, motion *y)
{
    *y = *x;
    if (n->op == OP_exp && x->kind == GROWS)
        y->kind = SCALES;
    else if (n->op == OP_log && x->kind == SCALES)
        y->kind = GROWS;
    else if (n->op == OP_neg && x->kind == GROWS)
        y->k = -x->k;
    else if (!((n->op == OP_neg || n->op == OP_abs) && x->kind == SCALES))
        y->kind = LOST;
}

static bool follow(const motion_walk *w, const ir_node *n);

/* How the results of n move, as its operands do: false if that is not known. */
static bool
visit(const motion_walk *w, const ir_node *n)
{
    const ir_type *t = n->n_out == 1 ? ir_type_at(w->g, n->first) : NULL;
    const motion *x = n->n_in > 0 ? w->of[n->in[0]] : NULL,
                 *y = n->n_in > 1 ? w->of[n->in[1]] : NULL;
    motion *to;

    if (n->op == OP_call)
        return follow(w, n);
    if (t && (!ir_is_inexact(t->dtype) || jvp_rules[n->op] == jvp_zero))
        return true;
    if (!t || t->rank > COT_MAX_RANK)
        return false;
    to = IR_NEW(w->a, motion);
    switch (n->op) {
    case OP_neg:
    case OP_abs:
    case OP_exp:
    case OP_log: move_function(n, x, to); break;
    case OP_sign: return x->kind == SCALES;
    case OP_convert:
    case OP_barrier:
    case OP_reduce_precision: *to = *x; break;
    case OP_add: move_sum(w, n, x, y, 1, to); break;
    case OP_sub: move_sum(w, n, x, y, -1, to); break;
    case OP_mul: move_product(w, n, x, y, 1, to); break;
    case OP_div: move_product(w, n, x, y, -1, to); break;
    case OP_max:
    case OP_min: move_alike(w, n, x, y, to); break;
    case OP_select: move_alike(w, n, y, w->of[n->in[2]], to); break;
    case OP_dot_general: move_dot(w, n, x, y, to); break;
    case OP_broadcast_in_dim:
    case OP_reshape:
    case OP_transpose:
    case OP_reverse:
    case OP_slice:
    case OP_dynamic_slice:
    case OP_gather:
    case OP_reduce_sum:
    case OP_reduce_max:
    case OP_reduce_min: move_elements(w, n, x, to); break;
    default: return false;
    }
    if (to->kind != STILL)
        w->of[n->first] = to;
    return to->kind != LOST;
}

/* ---- walks ---- */

/* The nodes after `first` that use what moves, as far as that goes: *end is behind the last one
 * seen.  last[v] is the last node that uses v; NULL: see all of them. */
static bool
visit_all(const motion_walk *w, uint32_t first, const uint32_t *last, uint32_t *end)
{
    uint32_t horizon = last ? first : UINT32_MAX;

    for (*end = first; *end < w->g->n_nodes && *end <= horizon; ++*end) {
        const ir_node *n = &w->g->node[*end];
        bool any = last && *end == first;

        if (--*w->budget < 0)
            return false;
        for (int k = 0; k < n->n_in && !any; k++)
            any = w->of[n->in[k]] != NULL;
        if (!any)
            continue;
        if (!(last && *end == first) && !visit(w, n))
            return false;
        for (int k = 0; k < n->n_out; k++) {
            const ir_ref v = n->first + (ir_ref)k;
            if (last && w->of[v] && last[v] == UINT32_MAX) /* a result of the graph moves */
                return false;
            if (last && w->of[v] && last[v] > horizon)
                horizon = last[v];
        }
    }
    return true;
}

/* Into the function that n calls. */
static bool
follow(const motion_walk *w, const ir_node *n)
{
    const ir_graph *g = n->at->call.body;
    motion_walk in = { w->a, g, NULL, w, n, w->depth + 1, w->budget };
    uint32_t end;

    if (in.depth > MAX_DEPTH || (*w->budget -= g->n_values) < 0)
        return false;
    in.of = IR_NEW_N(w->a, const motion *, g->n_values + 1);
    for (int i = 0; i < g->n_in; i++)
        in.of[g->in[i]] = w->of[n->in[i]];
    if (!visit_all(&in, 1, NULL, &end))
        return false;
    for (int i = 0; i < g->n_out; i++)
        w->of[n->first + (ir_ref)i] = in.of[g->out[i]];
    return true;
}

/* Is each result independent of what is added to c? */
static bool
cancels(const motion_walk *w, ir_ref c, const uint32_t *last)
{
    const ir_type *t = ir_type_at(w->g, c);
    const ir_node *n;
    motion *start = IR_NEW(w->a, motion);
    uint32_t end;

    *start = (motion){ .kind = GROWS, .k = 1 };
    for (int i = 0; i < t->rank; i++)
        start->axis[i] = (int8_t)(t->dims[i] == 1 ? -1 : i);
    w->of[c] = start;
    const bool good = visit_all(w, w->g->value[c].node, last, &end);
    n = &w->g->node[end < w->g->n_nodes ? end : w->g->n_nodes - 1];
    memset(w->of + c, 0, sizeof *w->of * (n->first + (uint32_t)n->n_out - c));
    return good;
}

/* What is subtracted at n, before it was spread; IR_NONE if it is an input, a constant, or has
 * no derivative. */
static ir_ref
subtracted(const ir_graph *g, const ir_node *n)
{
    ir_ref v =
        n->op == OP_sub && ir_is_float(ir_type_at(g, n->first)->dtype) ? n->in[1] : IR_NONE;
    const ir_node *from = v ? ir_def(g, v) : NULL;

    while (from && (from->op == OP_broadcast_in_dim || from->op == OP_reshape)) {
        v = from->in[0];
        from = ir_def(g, v);
    }
    return from && from->op != OP_constant && jvp_rules[from->op] != jvp_zero ? v : IR_NONE;
}

static const uint32_t *
last_uses(const ir_graph *g, ir_arena *a)
{
    uint32_t *last = IR_NEW_N(a, uint32_t, g->n_values + 1);

    for (uint32_t i = 1; i < g->n_nodes; i++)
        for (int k = 0; k < g->node[i].n_in; k++)
            last[g->node[i].in[k]] = i;
    for (int i = 0; i < g->n_out; i++)
        last[g->out[i]] = UINT32_MAX;
    return last;
}

/* ---- the graph with its stop_gradients ---- */

static ir_graph *
with_stops(const ir_graph *g, const bool *stops)
{
    ir_build *b = ir_build_new(g->ctx, g->name);
    ir_ref *env = IR_NEW_N(b->arena, ir_ref, g->n_values);
    ir_graph *made = NULL;

    b->uncontracted = g->uncontracted;
    b->guarded = g->guarded;
    for (int i = 0; i < g->n_in; i++)
        env[g->in[i]] = ir_input_like(b, g, g->in[i], "");
    ir_each_node (n, g) {
        ir_copy_mapped(b, n, env);
        for (ir_ref v = n->first; v < n->first + (ir_ref)n->n_out; v++)
            if (stops[v])
                env[v] = ir_op1(b, OP_stop_gradient, env[v]);
    }
    for (int i = 0; i < g->n_out; i++)
        pass_output(b, g, i, env[g->out[i]], "");
    return ir_build_end(b, &made) == COT_OK ? made : NULL;
}

ir_graph *
fe_hlo_shifts(hlo_import *h, ir_graph *g)
{
    int64_t budget = 100000 + 50 * (int64_t)g->n_nodes;
    const uint32_t *last = NULL;
    bool *stops = NULL, any = false;
    motion_walk w = { h->a, g, NULL, NULL, NULL, 0, &budget };

    ir_each_node (n, g) {
        const ir_ref c = subtracted(g, n);
        if (!c)
            continue;
        if (!last) {
            last = last_uses(g, h->a);
            stops = IR_NEW_N(h->a, bool, g->n_values + 1);
            w.of = IR_NEW_N(h->a, const motion *, g->n_values + 1);
        }
        if (!stops[c] && last[c] != UINT32_MAX && cancels(&w, c, last))
            any = stops[c] = true;
    }
    return any ? with_stops(g, stops) : g;
}
