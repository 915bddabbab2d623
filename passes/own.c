/* The program of one process of several: what it owns of each spread axis, and what it sends.
 *
 * A value of the prepared graph is the same on all processes, or one of its axes is that of the
 * groups and each process has the rows of those that it owns, in the order of owner.h.
 *
 *   scan, spread     runs over the own groups: its slices are the own rows, its results too
 *   reduce_sum       of own rows over their axis alone: each process sums whole nodes of the
 *                    tree, and "processes.sum" folds them as one process does
 *   pointwise, transpose
 *                    of own rows: the own rows of the result
 *   anything else    takes whole values, which "processes.gather" puts together
 *
 * The results are whole on every process.  Only spread scans differ between processes in what
 * they run; loops and conds around them take the same steps everywhere, since their operands
 * are the same.  Every process reaches the same calls in one order: they are nodes with
 * effects.  The first call compares what the processes run.
 *
 * Wants: prepared.  Gives: the same function, bit for bit. */
#include "ir/custom.h"
#include "ir/owner.h"
#include "passes/engine.h"

typedef struct own_walk {
    const pass_world *world;
    ir_build *b;
    const ir_graph *f;
    ir_ref *whole; /* by value of f: the whole value, or IR_NONE */
    ir_ref *rows;  /* by value of f: the own rows, or IR_NONE */
    int *axis;     /* by value of f: that of the groups, where there are own rows */
} own_walk;

static ir_owned
owned(const own_walk *w, int64_t groups)
{
    return ir_owned_by(groups, w->world->size, w->world->rank);
}

/* ---- calls ---- */

/* A call of C code that makes a value of type t of x. */
static ir_ref
call(own_walk *w, const char *name, ir_ref x, const ir_type *t, ir_ints attrs)
{
    ir_build *g = ir_build_new(w->b->ctx, name);
    ir_graph *forward;

    if (!x || !t)
        return IR_NONE;
    ir_input(g, ir_btype(w->b, x), NULL);
    ir_output(g, ir_zeros(g, t));
    const cot_status status = ir_build_end(g, &forward);
    if (status != COT_OK) {
        w->b->status = status;
        return IR_NONE;
    }
    return ir_node1(w->b, OP_custom_call, 1, &x,
                    &(ir_attrs){ .custom = { .name = ir_intern(w->b->ctx, name),
                                             .attrs = attrs,
                                             .effects = true,
                                             .opaque = true,
                                             .forward = forward } });
}

static ir_ints
one_number(ir_build *b, int64_t x)
{
    return (ir_ints){ 1, ir_copy_bytes(b->arena, &x, sizeof x) };
}

/* t with another number of rows on its first axis, without it if n < 0. */
static const ir_type *
with_rows(ir_build *b, const ir_type *t, int64_t n)
{
    const ir_type *row = ir_type_close(b->ctx, t, 0);

    return n < 0 || !row ? row : ir_type_open(b->ctx, row, 0, n);
}

/* ---- the two forms of a value ---- */

static int64_t
groups_of(const own_walk *w, ir_ref v)
{
    return ir_type_at(w->f, v)->dims[w->axis[v]];
}

static ir_ref
whole(own_walk *w, ir_ref v)
{
    const int64_t groups = w->whole[v] ? 0 : groups_of(w, v);

    if (w->whole[v])
        return w->whole[v];
    ir_ref x = ir_move_axis(w->b, w->rows[v], w->axis[v], 0);
    if (!x)
        return IR_NONE;
    x = call(w, PASS_WORLD_GATHER, x, with_rows(w->b, ir_btype(w->b, x), groups),
             one_number(w->b, groups));
    return w->whole[v] = ir_move_axis(w->b, x, 0, w->axis[v]);
}

/* The own rows of x along an axis, as a gather of rows. */
static ir_ref
take_rows(own_walk *w, ir_ref x, int axis)
{
    ir_build *b = w->b;
    const ir_type *t = ir_btype(b, x);
    const ir_owned own = owned(w, t->dims[axis]);
    int64_t *list = IR_NEW_N(b->arena, int64_t, own.groups + 1), rest[COT_MAX_RANK],
            sizes[COT_MAX_RANK];
    const int64_t count[2] = { own.groups, 1 }, at = axis;
    int n = 0;

    ir_owned_list(t->dims[axis], &own, list);
    for (int k = 0; k < t->rank; k++) {
        sizes[k] = k == axis ? 1 : t->dims[k];
        if (k != axis)
            rest[n++] = k;
    }
    ir_ref i = ir_constant(b, ir_type_new(b->ctx, COT_I64, 2, count), list);
    const ir_ints none = { 0, NULL }, place = { 1, &at };
    return ir_node1(
        b, OP_gather, 2, (ir_ref[]){ x, i },
        &(ir_attrs){
            .gather = {
                { n, rest }, place, none, none, place, { t->rank, sizes }, IR_MODE_PROMISE } });
}

static ir_ref
rows(own_walk *w, ir_ref v, int axis)
{
    if (w->rows[v] && w->axis[v] == axis)
        return w->rows[v];
    const ir_ref x = whole(w, v), one = pass_same_along(w->b, x, axis);
    if (one)
        return ir_broadcast_axis(w->b, one, axis,
                                 owned(w, ir_type_at(w->f, v)->dims[axis]).groups);
    return x ? take_rows(w, x, axis) : IR_NONE;
}

static bool
is_parted(const own_walk *w, ir_ref v)
{
    return w->rows[v] && !w->whole[v];
}

/* ---- nodes ---- */

static void
own_scan(own_walk *w, const ir_node *n)
{
    const int consts = (int)n->at->scan.consts;
    ir_ref *in = IR_NEW_N(w->b->arena, ir_ref, n->n_in + 1);
    ir_attrs at = ir_node_attrs(n);

    at.scan.length = owned(w, n->at->scan.length).groups;
    for (int i = 0; i < n->n_in; i++)
        in[i] = i < consts ? whole(w, n->in[i]) : rows(w, n->in[i], 0);
    w->b->loc = n->loc;
    ir_add_node(w->b, OP_scan, n->n_in, in, &at, w->rows + n->first);
    for (int i = 0; i < n->n_out; i++)
        w->axis[n->first + (ir_ref)i] = 0;
}

static void
own_sum(own_walk *w, const ir_node *n)
{
    const ir_ref v = n->in[0];
    ir_ref x = ir_move_axis(w->b, w->rows[v], w->axis[v], 0);

    if (x)
        w->whole[n->first] = call(w, PASS_WORLD_SUM, x, ir_type_at(w->f, n->first),
                                  one_number(w->b, groups_of(w, v)));
}

static void
own_transpose(own_walk *w, const ir_node *n)
{
    const ir_ints perm = n->at->perm.perm;
    const ir_ref v = n->in[0];

    w->rows[n->first] = ir_transpose(w->b, w->rows[v], perm.at);
    for (int i = 0; i < perm.n; i++)
        if (perm.at[i] == w->axis[v])
            w->axis[n->first] = i;
}

/* The axis that the parted operands of a pointwise node share; -1: there is none. */
static int
shared_axis(const own_walk *w, const ir_node *n)
{
    int axis = -1;

    for (int i = 0; i < n->n_in; i++) {
        if (!is_parted(w, n->in[i]))
            continue;
        if (axis >= 0 && axis != w->axis[n->in[i]])
            return -1;
        axis = w->axis[n->in[i]];
    }
    return axis;
}

static void
own_pointwise(own_walk *w, const ir_node *n, int axis)
{
    ir_ref *in = IR_NEW_N(w->b->arena, ir_ref, n->n_in + 1);

    for (int i = 0; i < n->n_in; i++)
        in[i] = rows(w, n->in[i], axis);
    w->b->loc = n->loc;
    ir_copy_node(w->b, n, in, w->rows + n->first);
    for (int i = 0; i < n->n_out; i++)
        w->axis[n->first + (ir_ref)i] = axis;
}

static cot_status own_graph(ir_graph *f, const void *user, ir_graph **out);

/* A node on whole values, the same on all processes; what is within it may have groups. */
static void
copy_whole(own_walk *w, const ir_node *n)
{
    ir_ref *in = IR_NEW_N(w->b->arena, ir_ref, n->n_in + 1);
    ir_attrs at;

    for (int i = 0; i < n->n_in; i++)
        in[i] = whole(w, n->in[i]);
    w->b->loc = n->loc;
    if (ir_ops[n->op].flag != IR_FLOW) {
        ir_copy_node(w->b, n, in, w->whole + n->first);
        return;
    }
    const cot_status status = pass_replace_subs(w->b, n, own_graph, w->world, &at);
    if (status != COT_OK)
        w->b->status = status;
    else
        ir_add_node(w->b, (ir_op)n->op, n->n_in, in, &at, w->whole + n->first);
}

static bool
is_same_rank(const own_walk *w, const ir_node *n)
{
    for (int i = 0; i < n->n_in; i++)
        if (ir_type_at(w->f, n->in[i])->rank != ir_type_at(w->f, n->first)->rank)
            return false;
    return true;
}

static void
own_node(own_walk *w, const ir_node *n)
{
    const bool parted = n->n_in > 0 && is_parted(w, n->in[0]);
    const int axis =
        ir_ops[n->op].flag == IR_POINTWISE && is_same_rank(w, n) ? shared_axis(w, n) : -1;

    w->b->loc = n->loc;
    if (ir_is_spread(n) && !n->at->scan.body->effectful)
        own_scan(w, n);
    else if (parted && ir_ops[n->op].flag == IR_REDUCE && ir_ops[n->op].by == IR_BY_SUM &&
             n->at->axes.axes == ir_axes_of(w->axis[n->in[0]]))
        own_sum(w, n);
    else if (parted && ir_ops[n->op].record == IR_AT_perm)
        own_transpose(w, n);
    else if (axis >= 0)
        own_pointwise(w, n, axis);
    else
        copy_whole(w, n);
}

/* f with `begin` as its first call, if it is the whole program. */
static cot_status
build(const ir_graph *f, const pass_world *world, bool first, ir_graph **out)
{
    own_walk w = { .world = world, .b = ir_build_like(f, f->name), .f = f };
    ir_arena *a = w.b->arena;

    w.b->uncontracted = f->uncontracted;
    w.b->guarded = f->guarded;
    w.b->contracted = f->contracted;
    w.whole = IR_NEW_N(a, ir_ref, f->n_values);
    w.rows = IR_NEW_N(a, ir_ref, f->n_values);
    w.axis = IR_NEW_N(a, int, f->n_values);
    for (int i = 0; i < f->n_in; i++)
        w.whole[f->in[i]] = ir_input_like(w.b, f, f->in[i], "");
    if (first) {
        const ir_type *t = ir_type_new(f->ctx, COT_U8, 0, NULL);
        call(&w, PASS_WORLD_BEGIN, ir_splat_int(w.b, t, 0), t,
             one_number(w.b, (int64_t)world->hash));
    }
    for (uint32_t i = 1; i < f->n_nodes && w.b->status == COT_OK; i++)
        own_node(&w, &f->node[i]);
    for (int j = 0; j < f->n_out; j++)
        pass_output(w.b, f, j, whole(&w, f->out[j]), "");
    return pass_end(w.b, "own", out);
}

static cot_status
own_graph(ir_graph *f, const void *user, ir_graph **out)
{
    *out = f;
    return pass_has_groups(f) ? build(f, user, false, out) : COT_OK;
}

cot_status
pass_own(const ir_graph *f, const pass_world *world, ir_graph **out)
{
    *out = (ir_graph *)f;
    if (world->size < 2 || !pass_has_groups(f))
        return COT_OK;
    COT_TRY(build(f, world, true, out));
    (*out)->n_inout = f->n_inout;
    (*out)->inout =
        ir_copy_bytes((*out)->arena, f->inout, sizeof *f->inout * (size_t)f->n_inout);
    return COT_OK;
}
