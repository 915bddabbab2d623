/* Access analysis: see access.h. */
#include "codegen/fuse/access.h"

#include "codegen/elemental/element.h"
#include "codegen/fuse/cost.h"
#include "codegen/fuse/views.h"
#include "codegen/tuning.h"

void
cg_access_begin(cg_access *w, ir_arena *a, const ir_graph *f, const bool *stop)
{
    *w = (cg_access){ .arena = a, .f = f, .stop = stop };
    cg_ix_begin(&w->ix, a);
    ir_map_init(&w->index, a);
}

cg_ix *
cg_access_space(cg_access *w, int rank, const int64_t *dims)
{
    cg_ix *at = IR_NEW_N(w->arena, cg_ix, rank + 1);
    for (int k = 0; k < rank; k++)
        at[k] = cg_ix_var(&w->ix, 0, 0, dims[k] > 0 ? dims[k] - 1 : 0);
    return at;
}

static void
add_read(cg_access *w, ir_ref v, int rank, const cg_ix *at)
{
    int n = v ? rank : 1;
    cg_read r = { .v = v, .rank = rank };
    if (n)
        r.at = ir_copy_bytes(w->arena, at, sizeof *at * (size_t)n);
    IR_PUSH(w->arena, w->read, w->n_reads, w->cap_reads, r);
}

/* Does lo <= x < hi hold for some value of x?  If it does not hold for all, the test is
 * recorded. */
static bool
add_test(cg_access *w, cg_ix x, int64_t lo, int64_t hi)
{
    const cg_ix_expr *e = &w->ix.expr[x];
    if (e->hi < lo || e->lo >= hi)
        return false;
    if (e->lo < lo || e->hi >= hi) {
        cg_test t = { x, lo, hi };
        add_read(w, 0, 0, &x);
        IR_PUSH(w->arena, w->test, w->n_tests, w->cap_tests, t);
    }
    return true;
}

/* Was v analysed at this index before?  If not, it is recorded. */
static bool
is_known(cg_access *w, ir_ref v, int rank, const cg_ix *at)
{
    uint64_t h = ir_hash_u64(17, v);
    uint32_t id;
    for (int k = 0; k < rank; k++)
        h = ir_hash_u64(h, at[k]);
    for (uint32_t i = 0; (id = ir_map_next(&w->index, h, &i)) != 0;) {
        const cg_seen *s = &w->seen[id - 1];
        if (s->v == v && (rank == 0 || memcmp(s->at, at, sizeof *at * (size_t)rank) == 0))
            return true;
    }
    cg_seen s = { v, rank, NULL };
    if (rank)
        s.at = ir_copy_bytes(w->arena, at, sizeof *at * (size_t)rank);
    IR_PUSH(w->arena, w->seen, w->n_seen, w->cap_seen, s);
    ir_map_add(&w->index, h, w->n_seen);
    return false;
}

static void
access_pad(cg_access *w, const ir_node *n, const cg_ix *at)
{
    const ir_type *x = ir_type_at(w->f, n->in[0]);
    cg_ix to[COT_MAX_RANK + 1];
    bool some = x->size > 0;
    for (int k = 0; k < x->rank && some; k++) {
        int64_t step = n->at->pad.interior.at[k] + 1;
        cg_ix i = cg_ix_addc(&w->ix, at[k], -n->at->pad.low.at[k]);
        some = add_test(w, i, 0, (x->dims[k] - 1) * step + 1);
        if (step > 1)
            some &= add_test(w, cg_ix_mod(&w->ix, i, step), 0, 1);
        to[k] = cg_ix_div(&w->ix, i, step);
    }
    if (some)
        cg_access_value(w, n->in[0], to);
    cg_access_value(w, n->in[1], to);
}

static void
access_concatenate(cg_access *w, const ir_node *n, const cg_ix *at)
{
    int rank = ir_type_at(w->f, n->first)->rank, axis = (int)n->at->axis.axis;
    cg_ix to[COT_MAX_RANK + 1];
    int64_t start = 0;
    memcpy(to, at, sizeof *at * (size_t)rank);
    for (int i = 0; i < n->n_in; i++) {
        int64_t size = ir_type_at(w->f, n->in[i])->dims[axis];
        to[axis] = cg_ix_addc(&w->ix, at[axis], -start);
        if (add_test(w, to[axis], 0, size))
            cg_access_value(w, n->in[i], to);
        start += size;
    }
}

/* Record the tests from number `first` on that depend on x once more for each value of x: a
 * small window is unrolled, so each of its elements has tests of its own. */
static void
test_each(cg_access *w, uint32_t first, cg_ix x, int64_t size)
{
    const uint32_t n = w->n_tests;

    for (uint32_t i = first; i < n && size > 1; i++) {
        const cg_test t = w->test[i];
        bool pure;
        const int64_t k = cg_ix_coef(&w->ix, t.x, x, &pure);
        if (!pure || k == 0)
            continue;
        cg_ix rest = cg_ix_add(&w->ix, t.x, cg_ix_mul(&w->ix, x, -k));
        for (int64_t j = 0; j < size; j++)
            add_test(w, cg_ix_addc(&w->ix, rest, j * k), t.lo, t.hi);
    }
}

static void
access_reduce(cg_access *w, const ir_node *n, const cg_ix *at)
{
    const ir_type *x = ir_type_at(w->f, n->in[0]);
    const ir_axes axes = ir_reduced_axes(n);
    cg_ix to[COT_MAX_RANK + 1];
    int64_t cost = w->cost, wide = w->wide, size = 1;
    const uint32_t tests = w->n_tests;
    w->reduces = true;
    for (int k = 0, i = 0; k < x->rank; k++) {
        to[k] = ir_axes_has(axes, k)
                    ? cg_ix_var(&w->ix, 0, 0, x->dims[k] > 0 ? x->dims[k] - 1 : 0)
                    : at[i++];
        if (ir_axes_has(axes, k))
            size *= x->dims[k];
    }
    cg_access_value(w, n->in[0], to);
    for (int k = 0; k < x->rank && size <= CG_FUSE_MAX_WINDOW; k++)
        if (ir_axes_has(axes, k))
            test_each(w, tests, to[k], x->dims[k]);
    /* The cost saturates, since that of nested sums is a product that can overflow. */
    const int64_t most = CG_FUSE_MAX_COST / (size > 0 ? size : 1);
    w->wide = w->wide > most ? CG_FUSE_MAX_COST : wide + (w->wide - wide) * size;
    w->cost = w->cost > most ? CG_FUSE_MAX_COST : cost + (w->cost - cost + 1) * size;
    if (size > w->longest)
        w->longest = size;
}

/* The starts are read at run time, so each is a new variable. */
static void
access_dynamic_slice(cg_access *w, const ir_node *n, const cg_ix *at)
{
    const ir_type *x = ir_type_at(w->f, n->in[0]);
    cg_ix to[COT_MAX_RANK + 1];
    for (int k = 0; k < x->rank; k++) {
        cg_ix start = cg_ix_var(&w->ix, 0, 0, x->dims[k] - n->at->sizes.sizes.at[k]);
        cg_access_value(w, n->in[1 + k], to);
        to[k] = cg_ix_add(&w->ix, at[k], start);
    }
    cg_access_value(w, n->in[0], to);
}

static void
access_gather(cg_access *w, const ir_node *n, const cg_ix *at)
{
    const ir_type *x = ir_type_at(w->f, n->in[0]), *y = ir_type_at(w->f, n->in[1]);
    int rank = ir_type_at(w->f, n->first)->rank, offset = 0, batch = 0;
    cg_ix to[COT_MAX_RANK + 1], from[COT_MAX_RANK + 1];
    for (int k = 0; k < rank; k++)
        if (!ir_ints_has(n->at->gather.offset_dims, k))
            from[batch++] = at[k];
    if (y->rank > 0)
        from[y->rank - 1] = cg_ix_var(&w->ix, 0, 0, y->dims[y->rank - 1]);
    cg_access_value(w, n->in[1], from);
    for (int k = 0; k < x->rank; k++) {
        to[k] = cg_ix_var(&w->ix, 0, 0, x->dims[k]);
        for (int j = 0; j < n->at->gather.operand_batch.n; j++)
            if (n->at->gather.operand_batch.at[j] == k)
                to[k] = from[n->at->gather.indices_batch.at[j]];
        if (!ir_ints_has(n->at->gather.collapsed, k) &&
            !ir_ints_has(n->at->gather.operand_batch, k))
            to[k] = cg_ix_add(&w->ix, to[k], at[n->at->gather.offset_dims.at[offset++]]);
    }
    cg_access_value(w, n->in[0], to);
}

/* A product: the contracted axes are new variables. */
static void
access_dot(cg_access *w, const ir_node *n, const cg_ix *at)
{
    const ir_type *x = ir_type_at(w->f, n->in[0]), *y = ir_type_at(w->f, n->in[1]);
    cg_ix to[2][COT_MAX_RANK + 1];
    int next = n->at->dot.lhs_batch.n;
    for (int i = 0; i < n->at->dot.lhs.n; i++) {
        int64_t size = x->dims[n->at->dot.lhs.at[i]];
        cg_ix k = cg_ix_var(&w->ix, 0, 0, size > 0 ? size - 1 : 0);
        to[0][n->at->dot.lhs.at[i]] = to[1][n->at->dot.rhs.at[i]] = k;
    }
    for (int i = 0; i < n->at->dot.lhs_batch.n; i++)
        to[0][n->at->dot.lhs_batch.at[i]] = to[1][n->at->dot.rhs_batch.at[i]] = at[i];
    for (int k = 0; k < x->rank; k++)
        if (!ir_ints_has(n->at->dot.lhs, k) && !ir_ints_has(n->at->dot.lhs_batch, k))
            to[0][k] = at[next++];
    for (int k = 0; k < y->rank; k++)
        if (!ir_ints_has(n->at->dot.rhs, k) && !ir_ints_has(n->at->dot.rhs_batch, k))
            to[1][k] = at[next++];
    cg_access_value(w, n->in[0], to[0]);
    cg_access_value(w, n->in[1], to[1]);
}

/* A convolution: the window and the features are new variables. */
static void
access_conv(cg_access *w, const ir_node *n, const cg_ix *at)
{
    const ir_type *x = ir_type_at(w->f, n->in[0]), *y = ir_type_at(w->f, n->in[1]);
    cg_ix to[2][COT_MAX_RANK + 1];
    const int last = x->rank - 1;
    to[0][0] = to[1][0] = at[0];
    to[0][1] = at[1];
    to[1][last] = at[last];
    for (int k = 0; k <= last; k++) {
        int64_t size = k < last ? y->dims[k] : x->dims[last];
        if (k >= 1 && k < last)
            to[1][k] = cg_ix_var(&w->ix, 0, 0, size > 0 ? size - 1 : 0);
        if (k >= 2)
            to[0][k] = cg_ix_var(&w->ix, 0, 0, x->dims[k] > 0 ? x->dims[k] - 1 : 0);
    }
    cg_access_value(w, n->in[0], to[0]);
    cg_access_value(w, n->in[1], to[1]);
}

/* Analyse an op that is not pointwise.  The function is kept out of line because chains of
 * pointwise ops recurse deeply, and their frames should not hold its index array. */
static void __attribute__((noinline))
access_moved(cg_access *w, const ir_node *n, const cg_ix *at)
{
    cg_ix to[COT_MAX_RANK + 1];
    if (ir_is_view(n->op)) {
        cg_view_index(&w->ix, w->f, n, at, to);
        cg_access_value(w, n->in[0], to);
    } else if (n->op == OP_pad) {
        access_pad(w, n, at);
    } else if (n->op == OP_concatenate) {
        access_concatenate(w, n, at);
    } else if (n->op == OP_iota) {
        add_read(w, 0, 0, &at[n->at->iota.axis]);
    } else if (n->op == OP_constant) {
        if (!n->at->constant.data.splat)
            add_read(w, n->first, ir_type_at(w->f, n->first)->rank, at);
    } else if (ir_ops[n->op].flag == IR_REDUCE) {
        access_reduce(w, n, at);
    } else if (n->op == OP_dynamic_slice) {
        access_dynamic_slice(w, n, at);
    } else if (n->op == OP_gather) {
        access_gather(w, n, at);
    } else if (n->op == OP_dot_general) {
        access_dot(w, n, at);
    } else if (n->op == OP_conv_general) {
        access_conv(w, n, at);
    } else {
        for (int i = 0; i < n->n_in; i++)
            cg_access_value(w, n->in[i], at);
    }
}

static void
access_node(cg_access *w, const ir_node *n, const cg_ix *at)
{
    const ir_type *t = ir_type_at(w->f, n->first);
    if (t->dtype != COT_BOOL && ir_bits(t->dtype) > w->widest)
        w->widest = ir_bits(t->dtype);
    w->cost += cg_op_cost(w->f, n);
    w->wide += ir_bits(t->dtype) == 64 ? cg_op_cost(w->f, n) : 0;
    if (ir_ops[n->op].flag != IR_POINTWISE || ir_is_view(n->op)) {
        access_moved(w, n, at);
        return;
    }
    for (int i = 0; i < n->n_in; i++)
        cg_access_value(w, n->in[i], at);
}

void
cg_access_value(cg_access *w, ir_ref v, const cg_ix *at)
{
    const ir_type *t = ir_type_at(w->f, v);
    const ir_node *n = ir_def(w->f, v);
    if (is_known(w, v, t->rank, at))
        return;
    if (!n || w->stop[v])
        add_read(w, v, t->rank, at);
    else
        access_node(w, n, at);
    if (t->dtype != COT_BOOL && ir_bits(t->dtype) > w->widest)
        w->widest = ir_bits(t->dtype);
}

void
cg_access_root(cg_access *w, ir_ref v, const cg_ix *at)
{
    const ir_node *n = ir_def(w->f, v);
    if (is_known(w, v, ir_type_at(w->f, v)->rank, at))
        return;
    if (n)
        access_node(w, n, at);
    else
        add_read(w, v, ir_type_at(w->f, v)->rank, at);
}
