/* select, and the mapped conds of JAX that are written with it. */
#include "frontend/stablehlo/import/rules.h"

#include "ir/diag.h"

/* An op of the text that takes a value. */
typedef struct hlo_use {
    const hlo_op *op;
    const struct hlo_use *next;
} hlo_use;

/* Which ops of the regions searched so far define and use values.  What the import itself
 * adds to the module later is not among them. */
struct hlo_flow {
    uint32_t n_values;
    const hlo_op **def;   /* by value; NULL: an argument */
    const hlo_use **uses; /* by value: within the value's own region */
    uint32_t *reached;    /* by value: 1 + the index that a search reached it for; 0: none */
    uint32_t *queue;      /* values that the search at hand has reached */
    bool *is_searched;    /* by region */
};

static void
add_use(hlo_import *h, const hlo_region *r, const hlo_op *op, uint32_t v)
{
    hlo_flow *f = h->flow;

    if (v >= f->n_values || h->m->value[v].region != r)
        return;
    if (f->uses[v] && f->uses[v]->op == op)
        return;
    hlo_use *u = IR_NEW(h->a, hlo_use);
    *u = (hlo_use){ op, f->uses[v] };
    f->uses[v] = u;
}

/* An op takes its operands, and what its regions take from outside them. */
static void
search_region(hlo_import *h, const hlo_region *r)
{
    hlo_flow *f = h->flow;

    if (f->is_searched[r->id])
        return;
    f->is_searched[r->id] = true;
    for (uint32_t k = 0; k < r->n_ops; k++) {
        const hlo_op *op = r->op[k];
        for (int i = 0; i < op->n_out && op->out + (uint32_t)i < f->n_values; i++)
            f->def[op->out + (uint32_t)i] = op;
        for (int i = 0; i < op->n_in; i++)
            add_use(h, r, op, op->in[i]);
        for (int i = 0; i < op->n_regions; i++)
            for (uint32_t j = 0; j < op->region[i]->n_captured; j++)
                add_use(h, r, op, op->region[i]->captured[j]);
    }
}

static const hlo_op *
defined_by(hlo_import *h, uint32_t v)
{
    const hlo_region *r = v < h->flow->n_values ? h->m->value[v].region : NULL;

    if (r)
        search_region(h, r);
    return r ? h->flow->def[v] : NULL;
}

static bool
is_op(const hlo_op *op, const char *name, int n_in)
{
    return op && op->n_in == n_in && strcmp(op->name, name) == 0;
}

/* What v is before it is broadcast or reshaped. */
static uint32_t
source(hlo_import *h, uint32_t v)
{
    const hlo_op *op = defined_by(h, v);

    while (is_op(op, "stablehlo.broadcast_in_dim", 1) || is_op(op, "stablehlo.reshape", 1)) {
        v = op->in[0];
        op = defined_by(h, v);
    }
    return v;
}

/* The integer that a predicate compares with another, as an index is compared with the
 * number of a branch: *direction holds how.  false: it is no such comparison. */
static bool
compared_index(const hlo_emit *e, uint32_t predicate, uint32_t *index, hlo_span *direction)
{
    hlo_import *h = e->h;
    hlo_emit at = *e;

    at.op = defined_by(h, source(h, predicate));
    if (!is_op(at.op, "stablehlo.compare", 2) ||
        !ir_is_int(h->m->value[at.op->in[0]].type->dtype))
        return false;
    *index = source(h, at.op->in[0]);
    *direction = fe_hlo_enum(&at, "comparison_direction", "0");
    return true;
}

/* Does `op` select by a comparison of `index`? */
static bool
selects_by(const hlo_emit *e, const hlo_op *op, uint32_t index)
{
    uint32_t other;
    hlo_span direction;

    return is_op(op, "stablehlo.select", 3) &&
           compared_index(e, op->in[0], &other, &direction) && other == index;
}

/* A predicate passes no derivative on. */
static bool
is_predicate_alone(const hlo_op *op, uint32_t v)
{
    return is_op(op, "stablehlo.select", 3) && op->in[0] == v && op->in[1] != v &&
           op->in[2] != v;
}

/* Appends the results of `op` that this search has not reached to the queue. */
static uint32_t
reach(hlo_flow *f, const hlo_op *op, uint32_t index, uint32_t n)
{
    for (int i = 0; i < op->n_out; i++) {
        const uint32_t v = op->out + (uint32_t)i;
        if (v < f->n_values && f->reached[v] != index + 1) {
            f->reached[v] = index + 1;
            f->queue[n++] = v;
        }
    }
    return n;
}

/* Do the results of `from` reach those of its region only through selects by `index`?  Values
 * that an earlier search for `index` has reached do. */
static bool
is_selected(const hlo_emit *e, const hlo_op *from, uint32_t index)
{
    hlo_flow *f = e->h->flow;
    const hlo_region *r = e->h->m->value[from->out].region;
    const hlo_op *terminator = r->op[r->n_ops - 1];
    uint32_t n = reach(f, from, index, 0);
    bool ok = true;

    for (uint32_t k = 0; k < n && ok; k++)
        for (const hlo_use *u = f->uses[f->queue[k]]; u && ok; u = u->next) {
            ok = u->op != terminator;
            if (ok && !is_predicate_alone(u->op, f->queue[k]) && !selects_by(e, u->op, index))
                n = reach(f, u->op, index, n);
        }
    for (uint32_t k = 0; k < n && !ok; k++)
        f->reached[f->queue[k]] = 0;
    return ok;
}

static void
make_flow(hlo_import *h)
{
    const uint32_t n = h->m->n_values;
    hlo_flow *f = IR_NEW(h->a, hlo_flow);

    f->n_values = n;
    f->def = IR_NEW_N(h->a, const hlo_op *, n);
    f->uses = IR_NEW_N(h->a, const hlo_use *, n);
    f->reached = IR_NEW_N(h->a, uint32_t, n);
    f->queue = IR_NEW_N(h->a, uint32_t, n);
    f->is_searched = IR_NEW_N(h->a, bool, h->m->n_regions + 1); /* ids begin at 1 */
    h->flow = f;
}

/* JAX maps a cond by computing every branch on select(index == i, x, stop_gradient(x)) and
 * selecting among the branches' results by the same index; its StableHLO text no longer has the
 * stop_gradient.  A select with the same value on both sides is such an operand only if its
 * predicate is index == i and everything computed from it is selected by that index.  Any other
 * select with the same value on both sides is that value, with its derivative. */
static bool
is_branch_operand(const hlo_emit *e)
{
    uint32_t index;
    hlo_span direction;

    if (e->op->in[1] != e->op->in[2] || e->op->out >= e->h->m->n_values)
        return false;
    if (!e->h->flow)
        make_flow(e->h);
    return defined_by(e->h, e->op->out) == e->op &&
           compared_index(e, e->op->in[0], &index, &direction) && fe_hlo_is(direction, "EQ") &&
           is_selected(e, e->op, index);
}

/* An operand of a branch gets its stop_gradient back: a derivative that is infinite or NaN
 * in a branch that is not taken does not reach it.
 *
 * Functions of JAX have derivative rules that their text does not have, and divide by 0 on
 * sides that are not taken: expn, spence.  So what holds a select of the text is guarded. */
void
fe_hlo_select(hlo_emit *e)
{
    ir_ref other = e->in[2];
    const bool inexact = ir_is_inexact(fe_hlo_in_type(e, 1)->dtype);

    e->b->guarded |= inexact && !e->h->ieee;
    if (inexact && is_branch_operand(e))
        other = ir_op1(e->b, OP_stop_gradient, other);
    e->out[0] = ir_select(e->b, fe_hlo_as_wide(e, e->in[0], e->in[1]), e->in[1], other);
}
