/* Sums over short rows of repeated operands, as sums over the axis before it.
 *
 * The distance between each of n points and each of k others is a sum over coordinates, of a
 * value [n, k, 3] that nobody stores.  Lanes go along k, where the coordinates of one point lie
 * beside each other: a load of one coordinate takes every third element, n times over; of
 * longer rows, each row is folded within a vector.  Of an operand that is repeated MIN_REUSE
 * times, a copy [3, k] costs little.  So all elementwise ops between the operands and the sums
 * have their last two axes exchanged, [n, 3, k], and operands with both axes are read from
 * copies, which barriers have stored.
 *
 * Elements of a sum keep their order, so that no bit changes.  Compilers for tensors call this
 * the assignment of layouts (XLA's pass of that name; R. Baghdadi et al., Tiramisu, CGO 2019,
 * section 3). */
#include "passes/engine.h"

enum {
    /* elements of a row: a longer sum within vectors takes no longer; one of at most SHORT_ROW
     * is written out, and a longer one is a loop, which takes longer to compile */
    MIN_ROW = 3, /* every other element is loaded as quickly as each */
    MAX_ROW = 32,
    SHORT_ROW = 8,
    MIN_LANES = 16, /* rows beside each other: the lanes of the widest vectors of f32 */
    MIN_REUSE = 16, /* times that a copy is read */
    /* of what is summed: below, a kernel that copies costs more; of longer rows */
    MIN_ELEMENTS = 1 << 12,
    MIN_ELEMENTS_LONG = 1 << 16
};

typedef struct row_sums {
    const ir_graph *f;
    /* by value of an elementwise op: others that it shares an op with, up to one for all
     * (union-find, R. Tarjan, 1975); for that one: may they change, and is it worth while? */
    ir_ref *up;
    bool *fixed, *pays;
    ir_ref *turned; /* by value, in the new graph: with its last two axes exchanged */
} row_sums;

static bool
is_elementwise(const ir_node *n)
{
    return n && ir_ops[n->op].flag == IR_POINTWISE && !ir_is_view(n->op) && n->n_in > 0 &&
           n->n_out == 1;
}

static bool
has_record(const ir_node *n, ir_record r)
{
    return n && ir_ops[n->op].record == r;
}

static bool
sums_rows(const ir_graph *f, const ir_node *n)
{
    return ir_ops[n->op].flag == IR_REDUCE && has_record(n, IR_AT_axes) &&
           n->at->axes.axes == ir_axes_of(ir_type_at(f, n->in[0])->rank - 1);
}

/* May values of this type change, and are they large enough? */
static bool
suits(const ir_graph *f, const ir_type *t)
{
    if (t->rank < 2 || t->size == 0)
        return false;
    const int64_t row = t->dims[t->rank - 1];
    if (f->ctx->small_passes)
        return row <= MAX_ROW;
    return t->size >= MIN_ELEMENTS && row >= MIN_ROW && row <= MAX_ROW &&
           t->dims[t->rank - 2] >= MIN_LANES &&
           (row <= SHORT_ROW || t->size >= MIN_ELEMENTS_LONG);
}

/* Does the operand of the broadcast n have both of the last axes of its result? */
static bool
has_both(const ir_graph *f, const ir_node *n)
{
    const ir_type *x = ir_type_at(f, n->in[0]), *y = ir_type_at(f, n->first);
    bool has[2] = { false, false };

    for (int k = 0; k < x->rank; k++)
        for (int i = 0; i < 2; i++)
            has[i] |= n->at->broadcast.dims.at[k] == y->rank - 1 - i && x->dims[k] > 1;
    return has[0] && has[1];
}

/* Is it the result of a node that can be made with its axes exchanged: one number everywhere,
 * or repeated so often that a copy pays? */
static bool
is_leaf(const ir_graph *f, ir_ref v)
{
    const ir_node *n = ir_def(f, v);
    const int64_t times = f->ctx->small_passes ? 1 : MIN_REUSE;

    if (has_record(n, IR_AT_constant))
        return n->at->constant.data.splat;
    return has_record(n, IR_AT_broadcast) &&
           (!has_both(f, n) || ir_type_at(f, v)->size / times >= ir_type_at(f, n->in[0])->size);
}

static ir_ref
find(row_sums *w, ir_ref v)
{
    while (w->up[v] != v)
        v = w->up[v] = w->up[w->up[v]];
    return v;
}

static void
join(row_sums *w, ir_ref v, ir_ref x)
{
    v = find(w, v);
    x = find(w, x);
    w->up[x] = v;
    w->fixed[v] |= w->fixed[x];
    w->pays[v] |= w->pays[x];
}

static void
fix(row_sums *w, ir_ref v)
{
    w->fixed[find(w, v)] = true;
}

static void
look_at_elementwise(row_sums *w, const ir_node *n)
{
    const ir_graph *f = w->f;
    const ir_type *t = ir_type_at(f, n->first);

    if (!suits(f, t))
        fix(w, n->first);
    for (int i = 0; i < n->n_in; i++) {
        const ir_ref x = n->in[i];
        const ir_node *d = ir_def(f, x);
        if (is_elementwise(d))
            join(w, n->first, x);
        else if (!is_leaf(f, x) || !ir_same_shape(ir_type_at(f, x), t))
            fix(w, n->first);
        else if (has_record(d, IR_AT_broadcast) && has_both(f, d))
            w->pays[find(w, n->first)] = true;
    }
}

static void
look_at(row_sums *w, const ir_node *n)
{
    const ir_graph *f = w->f;

    if (is_elementwise(n)) {
        look_at_elementwise(w, n);
        return;
    }
    for (int i = 0; i < n->n_in; i++)
        if (is_elementwise(ir_def(f, n->in[i])) && !sums_rows(f, n))
            fix(w, n->in[i]);
}

/* Finds what changes; is there anything? */
static bool
begin(row_sums *w, const ir_graph *f)
{
    bool any = false;

    *w = (row_sums){ .f = f };
    ir_each_node (n, f)
        any |= has_record(n, IR_AT_broadcast) && has_both(f, n) &&
               suits(f, ir_type_at(f, n->first));
    if (!any)
        return false;
    w->up = IR_NEW_N(f->arena, ir_ref, f->n_values);
    w->fixed = IR_NEW_N(f->arena, bool, f->n_values);
    w->pays = IR_NEW_N(f->arena, bool, f->n_values);
    w->turned = IR_NEW_N(f->arena, ir_ref, f->n_values);
    for (ir_ref v = 0; v < f->n_values; v++)
        w->up[v] = v;
    ir_each_node (n, f)
        look_at(w, n);
    for (int i = 0; i < f->n_out; i++)
        if (is_elementwise(ir_def(f, f->out[i])))
            fix(w, f->out[i]);
    any = false;
    for (ir_ref v = 0; v < f->n_values; v++)
        any |= w->pays[v] && !w->fixed[v] && w->up[v] == v;
    return any;
}

static bool
changes(row_sums *w, ir_ref v)
{
    if (!w->up || !is_elementwise(ir_def(w->f, v)))
        return false;
    v = find(w, v);
    return w->pays[v] && !w->fixed[v];
}

/* -- the new nodes -- */

static void
exchanged(const ir_type *t, int64_t *dims)
{
    memcpy(dims, t->dims, sizeof *dims * (size_t)t->rank);
    dims[t->rank - 1] = t->dims[t->rank - 2];
    dims[t->rank - 2] = t->dims[t->rank - 1];
}

/* Is x a view of memory that already has its last axis before the other one? */
static bool
is_exchanged(const ir_graph *f, ir_ref x)
{
    const ir_node *n = ir_def(f, x);

    for (; n && !has_record(n, IR_AT_perm) && ir_is_view(n->op); n = ir_def(f, n->in[0]))
        ;
    return has_record(n, IR_AT_perm);
}

/* The operand x of a broadcast, with its last two axes exchanged, in memory if it has both. */
static ir_ref
copied(ir_build *b, const ir_graph *f, const ir_node *n, ir_ref x)
{
    const int rank = ir_btype(b, x)->rank;
    int64_t perm[COT_MAX_RANK];

    for (int k = 0; k < rank; k++)
        perm[k] = k;
    perm[rank - 1] = rank - 2;
    perm[rank - 2] = rank - 1;
    x = ir_transpose(b, x, perm);
    return has_both(f, n) && !is_exchanged(f, n->in[0]) ? ir_op1(b, OP_barrier, x) : x;
}

static ir_ref
broadcast(ir_build *b, const ir_graph *f, const ir_node *n, ir_ref x)
{
    const ir_type *t = ir_type_at(f, n->first);
    const int last = t->rank - 1, rank = ir_btype(b, x)->rank;
    int64_t dims[COT_MAX_RANK], to[COT_MAX_RANK];

    exchanged(t, dims);
    for (int k = 0; k < rank; k++) {
        const int64_t d = n->at->broadcast.dims.at[k];
        to[k] = d == last ? last - 1 : d == last - 1 ? last : d;
    }
    if (rank > 1 && to[rank - 1] < to[rank - 2]) { /* dims are ascending: the last two */
        x = copied(b, f, n, x);
        to[rank - 1] = last;
        to[rank - 2] = last - 1;
    }
    return ir_broadcast_in_dim(b, x, t->rank, dims, to);
}

/* v with its last two axes exchanged: a leaf is made where it is first used. */
static ir_ref
turned(ir_build *b, row_sums *w, ir_ref v, const ir_ref *env)
{
    const ir_node *n = ir_def(w->f, v);
    ir_attrs at;
    int64_t dims[COT_MAX_RANK];

    if (w->turned[v])
        return w->turned[v];
    if (has_record(n, IR_AT_broadcast))
        return w->turned[v] = broadcast(b, w->f, n, env[n->in[0]]);
    at = ir_node_attrs(n);
    exchanged(at.constant.data.type, dims);
    at.constant.data.type =
        ir_type_new(b->ctx, at.constant.data.type->dtype, at.constant.data.type->rank, dims);
    ir_add_node(b, OP_constant, 0, NULL, &at, &w->turned[v]);
    return w->turned[v];
}

static void
visit(ir_build *b, const ir_graph *f, const ir_node *n, const ir_ref *env, const ir_ref *in,
      ir_ref *out, const void *user)
{
    row_sums *w = (row_sums *)user;
    ir_attrs at = ir_node_attrs(n);
    const bool change = n->n_out == 1 && changes(w, n->first),
               sum = n->n_in == 1 && changes(w, n->in[0]);

    if (ir_ops[n->op].flag == IR_FLOW) {
        const cot_status status = pass_rewrite_subs(b, n, pass_layout, &at);
        if (status != COT_OK)
            b->status = status;
        else
            ir_add_node(b, (ir_op)n->op, n->n_in, in, &at, out);
    } else if (change) {
        ir_ref *x = IR_NEW_N(b->arena, ir_ref, n->n_in);
        for (int i = 0; i < n->n_in; i++)
            x[i] = turned(b, w, n->in[i], env);
        ir_add_node(b, (ir_op)n->op, n->n_in, x, n->at, &w->turned[n->first]);
    } else if (sum) {
        at.axes.axes = ir_axes_of(ir_type_at(f, n->in[0])->rank - 2);
        ir_add_node(b, (ir_op)n->op, 1, &w->turned[n->in[0]], &at, out);
    } else {
        ir_copy_node(b, n, in, out);
    }
}

bool
pass_lays_out(const ir_graph *f)
{
    const ir_graph *const *all;
    row_sums w;

    for (uint32_t i = 0, n = ir_all_graphs(f, false, &all, f->arena); i < n; i++)
        if (begin(&w, all[i]))
            return true;
    return false;
}

cot_status
pass_layout(const ir_graph *f, ir_graph **out)
{
    row_sums w;
    bool any = begin(&w, f);

    ir_each_node (n, f)
        any |= ir_ops[n->op].flag == IR_FLOW;
    *out = (ir_graph *)f;
    return any ? pass_rewrite_with(f, "layout", visit, &w, out) : COT_OK;
}
