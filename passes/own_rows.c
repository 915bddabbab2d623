/* pass_own: rows that move between groups.
 *
 * ppermute is slices of rows and zeros, concatenated, or one slice that is padded.  A slice of
 * own rows is noted as a list of runs of them, and so is a slice of that.  Where such lists and
 * zeros are put together along the axis of the groups, "processes.move" makes the own rows of
 * the result.  A list that anything else reads is made of the whole value. */
#include <math.h>

#include "passes/own.h"

/* A growing list of runs. */
typedef struct run_list {
    own_picked *p;
    int64_t cap;
} run_list;

static void
add_run(const own_walk *w, run_list *l, int64_t first, int64_t n)
{
    int64_t *last = l->p->n ? l->p->run + 2 * (l->p->n - 1) : NULL;

    if (n <= 0)
        return;
    l->p->total += n;
    if (last && (first < 0 ? last[0] < 0 : last[0] >= 0 && last[0] + last[1] == first)) {
        last[1] += n;
        return;
    }
    if (l->p->n == l->cap) {
        int64_t *more = IR_NEW_N(w->b->arena, int64_t, 4 * l->cap + 16);
        if (l->p->n)
            memcpy(more, l->p->run, sizeof *more * 2 * (size_t)l->p->n);
        l->p->run = more;
        l->cap = 2 * l->cap + 8;
    }
    l->p->run[2 * l->p->n] = first < 0 ? -1 : first;
    l->p->run[2 * l->p->n++ + 1] = n;
}

/* Adds n rows of value v, every step-th from one on: own rows, or what was picked of some. */
static void
add_rows(const own_walk *w, run_list *l, ir_ref v, int64_t from, int64_t n, int64_t step)
{
    const own_picked *of = w->picked[v];
    int64_t k = 0, before = 0;

    if (!of && step == 1)
        add_run(w, l, from, n);
    for (int64_t i = 0; !of && step > 1 && i < n; i++)
        add_run(w, l, from + i * step, 1);
    for (int64_t i = 0; of && i < n && k < of->n;) {
        const int64_t at = from + i * step - before, *run = of->run + 2 * k;
        if (at >= run[1]) {
            before += run[1];
            k++;
            continue;
        }
        const int64_t left = run[1] - at, take = step > 1 ? 1 : left < n - i ? left : n - i;
        add_run(w, l, run[0] < 0 ? -1 : run[0] + at, take);
        i += take;
    }
}

/* The value of which v has rows along an axis, and who shares them; IR_NONE: there is none. */
static ir_ref
base_of(const own_walk *w, ir_ref v, int axis, pass_among *among)
{
    const own_picked *p = w->picked[v];

    if (p && !w->whole[v] && !w->rows[v]) {
        *among = p->among;
        return p->axis == axis ? p->base : IR_NONE;
    }
    *among = pass_own_among(pass_own_form(w, v), axis);
    return *among < PASS_AMONGS ? v : IR_NONE;
}

static bool
is_zero(const own_walk *w, ir_ref v)
{
    const ir_node *n = ir_def(w->f, v);
    double x;

    return n && ir_ops[n->op].record == IR_AT_constant &&
           ir_data_number(&n->at->constant.data, &x) && x == 0 && !signbit(x);
}

static own_picked *
new_list(const own_walk *w, ir_ref base, pass_among among, int axis, run_list *l)
{
    own_picked *p = IR_NEW(w->b->arena, own_picked);

    *p = (own_picked){ .base = base, .among = among, .axis = axis };
    *l = (run_list){ p, 0 };
    return p;
}

/* Is all of axis k picked, as it is? */
static bool
is_all(const ir_type *t, const ir_node *n, int k)
{
    return n->at->slice.start.at[k] == 0 && n->at->slice.limit.at[k] == t->dims[k] &&
           n->at->slice.stride.at[k] == 1;
}

static bool
pick_slice(own_walk *w, const ir_node *n)
{
    const ir_type *t = ir_type_at(w->f, n->in[0]);
    int axis = -1;
    pass_among among;
    run_list l;

    for (int k = 0; k < t->rank; k++) {
        if (is_all(t, n, k))
            continue;
        if (axis >= 0)
            return false;
        axis = k;
    }
    const ir_ref base = axis >= 0 ? base_of(w, n->in[0], axis, &among) : IR_NONE;
    if (!base)
        return false;
    w->picked[n->first] = new_list(w, base, among, axis, &l);
    add_rows(w, &l, n->in[0], n->at->slice.start.at[axis],
             ir_type_at(w->f, n->first)->dims[axis], n->at->slice.stride.at[axis]);
    return true;
}

/* The own rows of what is picked. */
static void
move_rows(own_walk *w, const ir_node *n, const own_picked *p)
{
    ir_build *b = w->b;
    const ir_ref rows = w->rows[p->base]; /* though it may be whole as well by now */
    const own_form form =
        rows ? w->form[p->base] : pass_own_with(pass_own_form(w, p->base), p->among, p->axis);
    const ir_ref x = ir_move_axis(b, rows ? rows : pass_own_as(w, p->base, form), p->axis, 0);
    int64_t *attrs = IR_NEW_N(b->arena, int64_t, PASS_MOVE_RUNS + 2 * p->n);

    if (!x)
        return;
    w->program->moves = true;
    attrs[0] = ir_type_at(w->f, p->base)->dims[p->axis];
    attrs[1] = p->total;
    attrs[2] = pass_row_bytes(ir_btype(b, x));
    attrs[3] = p->n;
    attrs[4] = pass_own_owners(w->program, p->among);
    memcpy(attrs + PASS_MOVE_RUNS, p->run, sizeof *attrs * 2 * (size_t)p->n);
    const ir_ref y =
        pass_own_call(w, PASS_WORLD_MOVE, x,
                      pass_with_rows(b, ir_btype(b, x), 0,
                                     pass_own_share(w, p->among, p->total, NULL).groups),
                      (ir_ints){ (int)(PASS_MOVE_RUNS + 2 * p->n), attrs });
    pass_own_set(w, n->first, ir_move_axis(b, y, 0, p->axis), form);
}

/* Is nothing padded along axis k?  Elsewhere rows are only added at both ends. */
static bool
is_bare(const ir_node *n, int k)
{
    return n->at->pad.low.at[k] == 0 && n->at->pad.high.at[k] == 0;
}

static bool
pick_pad(own_walk *w, const ir_node *n)
{
    const ir_type *t = ir_type_at(w->f, n->in[0]);
    int axis = -1;
    pass_among among;
    run_list l;

    for (int k = 0; k < t->rank; k++) {
        if (n->at->pad.interior.at[k] != 0 || n->at->pad.low.at[k] < 0 ||
            n->at->pad.high.at[k] < 0 || (axis >= 0 && !is_bare(n, k)))
            return false;
        axis = is_bare(n, k) ? axis : k;
    }
    const ir_ref base = axis >= 0 ? base_of(w, n->in[0], axis, &among) : IR_NONE;
    if (!base || !is_zero(w, n->in[1]))
        return false;
    own_picked *p = new_list(w, base, among, axis, &l);
    add_run(w, &l, -1, n->at->pad.low.at[axis]);
    add_rows(w, &l, n->in[0], 0, t->dims[axis], 1);
    add_run(w, &l, -1, n->at->pad.high.at[axis]);
    move_rows(w, n, p);
    return true;
}

/* All operands are rows of one value, or zeros. */
static bool
pick_concatenation(own_walk *w, const ir_node *n)
{
    const int axis = (int)n->at->axis.axis;
    ir_ref base = IR_NONE;
    pass_among among = PASS_AMONGS, of_base = PASS_AMONGS;
    run_list l;

    for (int i = 0; i < n->n_in; i++) {
        const ir_ref of = base_of(w, n->in[i], axis, &among);
        if (of ? base && of != base : !is_zero(w, n->in[i]))
            return false;
        base = of ? of : base;
        of_base = of ? among : of_base;
    }
    if (!base)
        return false;
    own_picked *p = new_list(w, base, of_base, axis, &l);
    for (int i = 0; i < n->n_in; i++) {
        const int64_t rows = ir_type_at(w->f, n->in[i])->dims[axis];
        if (base_of(w, n->in[i], axis, &among))
            add_rows(w, &l, n->in[i], 0, rows, 1);
        else
            add_run(w, &l, -1, rows);
    }
    move_rows(w, n, p);
    return true;
}

bool
pass_own_pick(own_walk *w, const ir_node *n)
{
    switch (ir_ops[n->op].record) {
    case IR_AT_slice: return pick_slice(w, n);
    case IR_AT_pad: return pick_pad(w, n);
    case IR_AT_axis: return pick_concatenation(w, n);
    default: return false;
    }
}
