/* Indexing as in NumPy: x[...] and x.at[...].set(y).
 *
 * An index is read once into a selection: a box of x with strides and reversals (the basic
 * part, which spans and integers say), and integers for some axes of that box (the advanced
 * part, which values say).  A read slices the box and gathers from it; an update slices the
 * box, scatters into it and puts it back where it was, for which a view knows the way
 * (passes/lens.h).  Axes that integers took are of size 1 in the box, and the last reshape
 * drops them and inserts the new ones, so that both directions share one list of axes. */
#include "cotrace/index.h"

#include "frontend/sub.h"
#include "passes/lens.h"

enum { NEW = -1, ARRAYS = -2 }; /* in selection.out, beside axes of x */

typedef struct selection {
    const char *op;
    const ir_type *t; /* of x */
    int64_t start[COT_MAX_RANK], limit[COT_MAX_RANK], stride[COT_MAX_RANK], size[COT_MAX_RANK];
    ir_axes reversed, taken;    /* taken: by an integer */
    ir_ref array[COT_MAX_RANK]; /* by axis; IR_NONE: none */
    int n_array;
    bool dropped; /* some of them lie outside on purpose: beyond the count of a mask */
    ir_ref valid; /* what does not; IR_NONE: all */
    int rank;     /* of the arrays, together */
    int64_t shape[COT_MAX_RANK];
    int n_out, out[3 * COT_MAX_RANK];
    bool apart, closed; /* arrays with something between; after the first run of them */
    int arrays_at;      /* where in out, or -1 */
    ir_ref mask;        /* an update by a mask alone: where, and its first axis */
    int mask_axis;
} selection;

typedef struct at_call {
    cot_value x;
    cot_operand y;
    cot_ats at;
    cot_at_options o;
    cot_update_kind kind;
    bool update;
    const pass_combiner *by; /* in place of kind */
} at_call;

static const ir_op scatters[] = { OP_scatter, OP_scatter_add, OP_scatter_mul, OP_scatter_min,
                                  OP_scatter_max };
static const ir_op combines[] = { OP_COUNT, OP_add, OP_mul, OP_min, OP_max };

/* ---- entries ---- */

cot_at
cot_at_int(int64_t i)
{
    return (cot_at){ .kind = COT_AT_INT, .start = i };
}
cot_at
cot_at_newaxis(void)
{
    return (cot_at){ .kind = COT_AT_NEWAXIS };
}
cot_at
cot_at_ellipsis(void)
{
    return (cot_at){ .kind = COT_AT_ELLIPSIS };
}
cot_at
cot_at_value(cot_value v)
{
    return (cot_at){ .kind = COT_AT_VALUE, .value = v };
}
cot_at
cot_at_same(cot_at a)
{
    return a;
}

cot_at
cot_at_span(int64_t start, int64_t stop, int64_t step)
{
    return (cot_at){ .kind = COT_AT_SPAN, .start = start, .stop = stop, .step = step };
}

cot_at
cot_at_mask(cot_value mask, int64_t bound)
{
    return (cot_at){ .kind = COT_AT_MASK, .value = mask, .start = bound };
}

/* ---- an index becomes a selection ---- */

/* Axis k of x stays or, taken by an integer, leaves. */
static void
keep_axis(selection *s, int k)
{
    s->out[s->n_out++] = k;
    s->closed |= s->arrays_at >= 0;
}

/* An array stands here: the first of them says where their axes go. */
static void
note_array(selection *s)
{
    if (s->arrays_at < 0) {
        s->arrays_at = s->n_out;
        s->out[s->n_out++] = ARRAYS;
    }
    s->apart |= s->closed;
}

/* Start and limit as Python's slice.indices has them, then ascending. */
static bool
read_span(ir_build *b, selection *s, const cot_at *a, int i, int k)
{
    const int64_t n = s->t->dims[k], step = a->step;
    int64_t lo = step < 0 ? -1 : 0, hi = step < 0 ? n - 1 : n;
    int64_t from = a->start, to = a->stop;

    if (step == 0 || step == COT_NONE) {
        ir_build_fail(b, s->op, ERR_at_span, i);
        return false;
    }
    from = from == COT_NONE ? (step < 0 ? hi : lo) : from < 0 ? from + n : from;
    to = to == COT_NONE ? (step < 0 ? lo : hi) : to < 0 ? to + n : to;
    from = from < lo ? lo : from > hi ? hi : from;
    to = to < lo ? lo : to > hi ? hi : to;
    const int64_t by = step < 0 ? -step : step, d = step < 0 ? from - to : to - from;
    const int64_t count = d > 0 ? (d - 1) / by + 1 : 0;
    s->size[k] = count;
    s->stride[k] = count > 1 ? by : 1;
    s->start[k] = count == 0 ? 0 : step < 0 ? from - (count - 1) * by : from;
    s->limit[k] = count == 0 ? 0 : s->start[k] + (count - 1) * s->stride[k] + 1;
    if (step < 0 && count > 1)
        s->reversed |= ir_axes_of(k);
    keep_axis(s, k);
    return true;
}

static bool
read_int(ir_build *b, selection *s, const cot_at *a, int k, bool advanced)
{
    const int64_t i = a->start < 0 ? a->start + s->t->dims[k] : a->start;

    if (i < 0 || i >= s->t->dims[k]) {
        ir_build_fail(b, s->op, ERR_index_range, (long long)a->start, k,
                      ir_type_str(b->ctx, s->t));
        return false;
    }
    s->start[k] = i;
    s->limit[k] = i + 1;
    s->size[k] = 1;
    s->taken |= ir_axes_of(k);
    if (advanced)
        note_array(s);
    return true;
}

/* Integers v for axis k. */
static void
add_array(selection *s, ir_ref v, int k)
{
    s->array[k] = v;
    s->n_array++;
}

static bool
mask_fits(ir_build *b, const selection *s, const ir_type *m, int i, int k)
{
    if (m->rank > 0 && k + m->rank <= s->t->rank &&
        memcmp(m->dims, s->t->dims + k, sizeof *m->dims * (size_t)m->rank) == 0)
        return true;
    ir_build_fail(b, s->op, ERR_at_mask, i, ir_type_str(b->ctx, m), ir_type_str(b->ctx, s->t));
    return false;
}

/* The places where a mask holds: one array of them for each of its axes. */
static bool
read_mask(ir_build *b, selection *s, ir_ref mask, int64_t bound, int i, int k)
{
    const ir_type *m = ir_btype(b, mask);
    ir_ref count;

    if (!mask_fits(b, s, m, i, k))
        return false;
    if (bound < 1) {
        ir_build_fail(b, s->op, ERR_at_unbounded, ir_type_str(b->ctx, m), i);
        return false;
    }
    ir_ref rows = fe_places(b, mask, bound, -1, &count);
    for (int j = 0; j < m->rank && rows; j++)
        add_array(s, ir_reshape(b, ir_slice_axis(b, rows, 1, j, j + 1), 1, &bound), k + j);
    if (rows) {
        ir_ref place = ir_iota(b, ir_btype(b, count)->dtype, 1, &bound, 0);
        ir_ref in = ir_op2(b, OP_lt, place, ir_broadcast_scalar(b, count, ir_btype(b, place)));
        s->valid = s->valid ? ir_op2(b, OP_and, s->valid, in) : in;
    }
    s->dropped = true;
    note_array(s);
    return rows != IR_NONE;
}

static bool
read_value(ir_build *b, const at_call *c, selection *s, ir_ref v, int i, int k, bool advanced)
{
    const ir_type *t = ir_btype(b, v);

    if (t->dtype == COT_BOOL && c->update && !s->mask) {
        s->mask = v;
        s->mask_axis = k;
        return mask_fits(b, s, t, i, k);
    }
    if (t->dtype == COT_BOOL)
        return read_mask(b, s, v, 0, i, k);
    if (!ir_is_int(t->dtype)) {
        ir_build_fail(b, s->op, ERR_at_value, i, ir_type_str(b->ctx, t));
        return false;
    }
    add_array(s, fe_from_start(b, v, s->t->dims[k]), k);
    if (advanced)
        note_array(s);
    return true;
}

/* How many axes an entry stands for. */
static int
width(ir_build *b, const cot_at *a, ir_ref v)
{
    if (a->kind == COT_AT_NEWAXIS || a->kind == COT_AT_ELLIPSIS)
        return 0;
    return v && ir_btype(b, v)->dtype == COT_BOOL ? ir_btype(b, v)->rank : 1;
}

/* The values of the entries; how many axes are left for an ellipsis; -1 if they do not fit. */
static int
resolve(ir_build *b, const at_call *c, selection *s, ir_ref *v, bool *advanced)
{
    int used = 0, dots = 0;

    for (int i = 0; i < c->at.n; i++) {
        const cot_at *a = &FE_AT(c->at)[i];
        const bool held = a->kind == COT_AT_VALUE || a->kind == COT_AT_MASK;
        v[i] = held ? fe_resolve(b->ctx->trace, a->value, s->op, i) : IR_NONE;
        if (held && !v[i])
            return -1;
        if (a->kind == COT_AT_MASK && ir_btype(b, v[i])->dtype != COT_BOOL) {
            ir_build_fail(b, s->op, ERR_at_mask, i, ir_type_str(b->ctx, ir_btype(b, v[i])),
                          ir_type_str(b->ctx, s->t));
            return -1;
        }
        *advanced |= held && ir_btype(b, v[i])->rank > 0;
        used += width(b, a, v[i]);
        dots += a->kind == COT_AT_ELLIPSIS;
    }
    if (used <= s->t->rank && dots <= 1)
        return s->t->rank - used;
    ir_build_fail(b, s->op, ERR_at_count, used, ir_type_str(b->ctx, s->t));
    return -1;
}

static bool
read_entry(ir_build *b, const at_call *c, selection *s, int i, ir_ref v, int k, int rest,
           bool advanced)
{
    const cot_at *a = &FE_AT(c->at)[i];

    switch (a->kind) {
    case COT_AT_INT: return read_int(b, s, a, k, advanced);
    case COT_AT_SPAN: return read_span(b, s, a, i, k);
    case COT_AT_NEWAXIS: keep_axis(s, NEW); return true;
    case COT_AT_VALUE: return read_value(b, c, s, v, i, k, advanced);
    case COT_AT_MASK: return read_mask(b, s, v, a->start, i, k);
    case COT_AT_ELLIPSIS: break;
    }
    for (int j = 0; j < rest; j++)
        keep_axis(s, k + j);
    s->closed |= s->arrays_at >= 0;
    return true;
}

/* The common shape of the arrays. */
static bool
meet_arrays(ir_build *b, selection *s)
{
    fe_arg in[COT_MAX_RANK];
    ir_ref out[COT_MAX_RANK];
    int n = 0;

    for (int k = 0; k < s->t->rank; k++)
        if (s->array[k])
            in[n++] = (fe_arg){ s->array[k], COT_IS_VALUE, 0, 0 };
    if (n > 0 && !fe_unify(b, s->op, n, in, NULL, out))
        return false;
    for (int k = 0, i = 0; k < s->t->rank; k++)
        if (s->array[k])
            s->array[k] = out[i++];
    s->rank = n > 0 ? ir_btype(b, out[0])->rank : 0;
    if (n > 0)
        memcpy(s->shape, ir_btype(b, out[0])->dims, sizeof *s->shape * (size_t)s->rank);
    return true;
}

static bool
select_from(ir_build *b, const at_call *c, const ir_type *t, selection *s)
{
    ir_ref *v = IR_NEW_N(b->arena, ir_ref, c->at.n + 1);
    bool advanced = false, dots = false;
    int k = 0;

    s->t = t;
    s->arrays_at = -1;
    for (int i = 0; i < t->rank; i++) {
        s->limit[i] = s->size[i] = t->dims[i];
        s->stride[i] = 1;
    }
    int rest = resolve(b, c, s, v, &advanced);
    for (int i = 0; i < c->at.n && rest >= 0; i++) {
        if (s->n_out >= 2 * COT_MAX_RANK) {
            ir_build_fail(b, s->op, ERR_rank_limit, s->n_out);
            return false;
        }
        if (!read_entry(b, c, s, i, v[i], k, rest, advanced))
            return false;
        dots |= FE_AT(c->at)[i].kind == COT_AT_ELLIPSIS;
        k += FE_AT(c->at)[i].kind == COT_AT_ELLIPSIS ? rest : width(b, &FE_AT(c->at)[i], v[i]);
    }
    for (; rest >= 0 && !dots && k < t->rank; k++)
        keep_axis(s, k);
    return rest >= 0 && b->status == COT_OK && meet_arrays(b, s);
}

/* ---- reading ---- */

static ir_attrs
box(const selection *s)
{
    const int n = s->t->rank;

    return (ir_attrs){ .slice = { { n, s->start }, { n, s->limit }, { n, s->stride } } };
}

static ir_ref
read_box(ir_build *b, const selection *s, ir_ref x)
{
    return ir_reverse(b, ir_slice(b, x, s->start, s->limit, s->stride), s->reversed);
}

/* x with y in the place of the box. */
static ir_ref
put_box(ir_build *b, const selection *s, ir_ref x, ir_ref y)
{
    ir_node n = { .op = OP_view_slice, .at = box(s) };

    return pass_lens_put(b, &n, &x, ir_reverse(b, y, s->reversed));
}

/* How gather and scatter see the box: the arrays' axes come at a place among those that have
 * none. */
typedef struct numbers {
    int64_t axes[COT_MAX_RANK], offset[COT_MAX_RANK], sizes[COT_MAX_RANK], shape[COT_MAX_RANK];
    int n, k, rank, at;
} numbers;

static bool
dimension_numbers(ir_build *b, const selection *s, numbers *d)
{
    int before = 0;

    d->rank = s->t->rank - s->n_array + s->rank;
    d->at = 0;
    if (d->rank > COT_MAX_RANK) {
        ir_build_fail(b, s->op, ERR_rank_limit, d->rank);
        return false;
    }
    for (int k = 0; k < s->t->rank && !s->apart; k++) {
        if (s->array[k]) {
            d->at = before;
            break;
        }
        before++;
    }
    for (int k = 0, place = 0; k < s->t->rank; k++) {
        d->sizes[k] = s->array[k] ? 1 : s->size[k];
        if (s->array[k]) {
            d->axes[d->n++] = k;
            continue;
        }
        place = place == d->at && d->k == d->at ? d->at + s->rank : place;
        d->shape[place] = s->size[k];
        d->offset[d->k++] = place++;
    }
    for (int i = 0; i < s->rank; i++)
        d->shape[d->at + i] = s->shape[i];
    return true;
}

/* [arrays' shape, axes]: the index vectors. */
static ir_ref
vectors(ir_build *b, const selection *s, bool clamp)
{
    ir_ref *part = IR_NEW_N(b->arena, ir_ref, s->n_array + 1);
    int n = 0;

    for (int k = 0; k < s->t->rank; k++) {
        if (!s->array[k])
            continue;
        ir_ref i = s->array[k];
        if (clamp) {
            ir_ref bound = ir_like(b, i, (double)(s->t->dims[k] - 1));
            i = ir_op3(b, OP_clamp, ir_like(b, i, 0), i, bound);
        }
        part[n++] = i ? ir_broadcast_axis(b, i, s->rank, 1) : IR_NONE;
    }
    return ir_concatenate(b, n, part, s->rank);
}

/* The shape of the result: the arrays' axes where they stand, or first. */
static bool
result_shape(ir_build *b, const selection *s, int *rank, int64_t *shape)
{
    int n = 0;

    if (s->n_out + s->rank > 2 * COT_MAX_RANK) {
        ir_build_fail(b, s->op, ERR_rank_limit, s->n_out + s->rank);
        return false;
    }
    for (int i = 0; i < s->rank && s->apart; i++)
        shape[n++] = s->shape[i];
    for (int i = 0; i < s->n_out; i++) {
        for (int j = 0; j < s->rank && s->out[i] == ARRAYS && !s->apart; j++)
            shape[n++] = s->shape[j];
        if (s->out[i] != ARRAYS)
            shape[n++] = s->out[i] == NEW ? 1 : s->size[s->out[i]];
    }
    *rank = n;
    if (n > COT_MAX_RANK)
        ir_build_fail(b, s->op, ERR_rank_limit, n);
    return n <= COT_MAX_RANK;
}

static ir_ref
read_arrays(ir_build *b, const at_call *c, const selection *s, ir_ref base)
{
    const cot_mode mode = c->o.mode;
    numbers d = { .n = 0 };

    if (!dimension_numbers(b, s, &d))
        return IR_NONE;
    for (int k = 0; k < s->t->rank && s->valid; k++)
        if (s->array[k] && s->size[k] == 0) /* the mask holds nowhere */
            return ir_zeros(b, ir_type_shaped(b->ctx, s->t, d.rank, d.shape));
    ir_attrs a = { .gather = { .offset_dims = { d.k, d.offset },
                               .collapsed = { d.n, d.axes },
                               .index_map = { d.n, d.axes },
                               .sizes = { s->t->rank, d.sizes },
                               .mode = s->dropped && mode == COT_PROMISE ? IR_MODE_CLIP
                                                                         : (int)mode } };
    ir_ref in[2] = { base, vectors(b, s, false) };
    ir_ref y = in[1] ? ir_node1(b, OP_gather, 2, in, &a) : IR_NONE;
    if (!s->valid || !y)
        return y;
    /* One truth for each vector, repeated along what it reads. */
    int64_t dims[COT_MAX_RANK];
    ir_ref valid = fe_broadcast_to(b, s->op, s->valid, s->rank, s->shape);
    for (int i = 0; i < s->rank; i++)
        dims[i] = d.at + i;
    valid = ir_broadcast_in_dim(b, valid, d.rank, d.shape, dims);
    return ir_select(b, valid, y, ir_like(b, y, 0));
}

static ir_ref
index_at(ir_build *b, const fe_arg *none, int n, const void *options)
{
    const at_call *c = options;
    selection s = { .op = "index" };
    int rank;
    int64_t shape[2 * COT_MAX_RANK];
    ir_ref x = fe_resolve(b->ctx->trace, c->x, s.op, 0);

    (void)none, (void)n;
    if (!x || !select_from(b, c, ir_btype(b, x), &s) || !result_shape(b, &s, &rank, shape))
        return IR_NONE;
    ir_ref y = read_box(b, &s, x);
    if (y && s.n_array > 0)
        y = read_arrays(b, c, &s, y);
    return y ? ir_reshape(b, y, rank, shape) : IR_NONE;
}

/* An index whose entries cannot be read becomes one entry that was never set. */
static cot_ats
readable(cot_ats at)
{
    if (at.n == 0 || (at.n > 0 && FE_AT(at)))
        return at;
    return (cot_ats){ .n = 1, .n_held = 1, .held = { { .kind = COT_AT_VALUE } } };
}

cot_value
cot_index_at_(cot_place at, cot_value x, cot_ats index, const cot_at_options *o, size_t size)
{
    at_call c = { .x = x, .at = readable(index) };

    fe_options(&c.o, sizeof c.o, o, size);
    return fe_apply_in(x.ctx, at, "index", index_at, &c);
}

/* ---- updating ---- */

/* The updates: of the shape of the read, in the element type of x. */
static ir_ref
update_value(ir_build *b, const at_call *c, const selection *s, int rank, const int64_t *shape)
{
    const ir_type *t = ir_type_shaped(b->ctx, s->t, rank, shape);
    const fe_arg number = { IR_NONE, c->y.kind, c->y.real, c->y.integer };

    if (!t)
        return IR_NONE;
    if (c->y.kind != COT_IS_VALUE)
        return fe_number(b, s->op, &number, t);
    ir_ref y =
        fe_convert_into(b, s->op, fe_resolve(b->ctx->trace, c->y.value, s->op, 1), t->dtype);
    return fe_broadcast_to(b, s->op, y, rank, shape);
}

/* z[i] of x and y, element by element. */
static void
combine(ir_build *b, const at_call *c, const ir_ref *x, const ir_ref *y, ir_ref *z)
{
    if (c->by)
        pass_combine(b, c->by, x, y, z);
    else
        z[0] = c->kind == COT_UPDATE_SET ? y[0] : ir_op2(b, combines[c->kind], x[0], y[0]);
}

/* By a mask and nothing else: a select. */
static void
update_masked(ir_build *b, const at_call *c, const selection *s, int n, const ir_ref *x,
              const ir_ref *y, ir_ref *z)
{
    const ir_type *m = ir_btype(b, s->mask);
    ir_ref *wide = IR_NEW_N(b->arena, ir_ref, n);
    int64_t dims[COT_MAX_RANK];

    for (int k = 0; k < m->rank; k++)
        dims[k] = s->mask_axis + k;
    for (int i = 0; i < n; i++)
        wide[i] = y[i] ? fe_broadcast_to(b, s->op, y[i], s->t->rank, s->t->dims) : IR_NONE;
    ir_ref at = ir_broadcast_in_dim(b, s->mask, s->t->rank, s->t->dims, dims);
    combine(b, c, x, wide, z);
    for (int i = 0; i < n; i++)
        z[i] = z[i] ? ir_select(b, at, z[i], x[i]) : IR_NONE;
}

static void
update_arrays(ir_build *b, const at_call *c, const selection *s, int n, const ir_ref *base,
              const ir_ref *y, ir_ref *z)
{
    const bool clamp = c->o.clip && !s->dropped;
    ir_ref *shaped = IR_NEW_N(b->arena, ir_ref, n);
    numbers d = { .n = 0 };

    if (!dimension_numbers(b, s, &d))
        return;
    ir_attrs a = { .scatter = { .window_dims = { d.k, d.offset },
                                .inserted = { d.n, d.axes },
                                .index_map = { d.n, d.axes },
                                .mode = c->o.mode == COT_PROMISE && !s->dropped
                                            ? IR_MODE_PROMISE
                                            : IR_MODE_FILL,
                                .unique = c->o.unique != 0 } };
    ir_ref v = vectors(b, s, clamp);
    for (int i = 0; i < n; i++)
        if (!(shaped[i] = ir_reshape(b, y[i], d.rank, d.shape)))
            return;
    if (v && c->by)
        pass_scatter(b, c->by, &a, base, v, shaped, z);
    else if (v)
        z[0] = ir_node1(b, scatters[c->kind], 3, (const ir_ref[]){ base[0], v, shaped[0] }, &a);
}

/* By a mask, every entry is a mask that needs no bound. */
static bool
only_mask(ir_build *b, const at_call *c, const selection *s)
{
    for (int i = 0; i < c->at.n; i++)
        if (FE_AT(c->at)[i].kind != COT_AT_VALUE && FE_AT(c->at)[i].kind != COT_AT_ELLIPSIS) {
            ir_build_fail(b, s->op, ERR_at_unbounded, ir_type_str(b->ctx, ir_btype(b, s->mask)),
                          i);
            return false;
        }
    return s->n_array == 0;
}

/* z[i]: x[i] with the elements at the selection combined with y[i], which has the shape of the
 * read. */
static void
update_all(ir_build *b, const at_call *c, const selection *s, int n, const ir_ref *x,
           const ir_ref *y, ir_ref *z)
{
    ir_ref *base = IR_NEW_N(b->arena, ir_ref, n), *flat = IR_NEW_N(b->arena, ir_ref, n);

    for (int i = 0; i < n; i++)
        if (!y[i] || !(base[i] = read_box(b, s, x[i])))
            return;
    if (s->n_array > 0) {
        update_arrays(b, c, s, n, base, y, z);
    } else {
        for (int i = 0; i < n; i++)
            flat[i] = ir_reshape(b, y[i], s->t->rank, s->size);
        combine(b, c, base, flat, z);
    }
    for (int i = 0; i < n; i++)
        z[i] = z[i] ? put_box(b, s, x[i], z[i]) : IR_NONE;
}

/* The shape of the updates: of the read, or, by a mask, of x behind the mask. */
static bool
updates_shape(ir_build *b, const at_call *c, const selection *s, int *rank, int64_t *shape)
{
    if (!s->mask)
        return result_shape(b, s, rank, shape);
    const int at = s->mask_axis + ir_btype(b, s->mask)->rank;
    *rank = s->t->rank - at;
    memcpy(shape, s->t->dims + at, sizeof *shape * (size_t)*rank);
    return only_mask(b, c, s);
}

static ir_ref
index_update(ir_build *b, const fe_arg *none, int n, const void *options)
{
    static const char *const name[] = { "index_set", "index_add", "index_mul", "index_min",
                                        "index_max" };
    const at_call *c = options;
    selection s = { .op = name[c->kind] };
    int rank;
    int64_t shape[2 * COT_MAX_RANK];
    ir_ref x = fe_resolve(b->ctx->trace, c->x, s.op, 0), z = IR_NONE;

    (void)none, (void)n;
    if (!x || !select_from(b, c, ir_btype(b, x), &s) || !updates_shape(b, c, &s, &rank, shape))
        return IR_NONE;
    ir_ref y = update_value(b, c, &s, rank, shape);
    if (y && s.mask)
        update_masked(b, c, &s, 1, &x, &y, &z);
    else if (y)
        update_all(b, c, &s, 1, &x, &y, &z);
    return z;
}

bool
fe_scatter_by(ir_build *b, const char *op, cot_ats at, int clip, const pass_combiner *by,
              const ir_ref *x, const ir_ref *y, ir_ref *z)
{
    const at_call c = { .at = readable(at), .o = { .clip = clip }, .update = true, .by = by };
    selection s = { .op = op };
    ir_ref *wide = IR_NEW_N(b->arena, ir_ref, by->n + 1);
    int rank;
    int64_t shape[2 * COT_MAX_RANK];

    if (!select_from(b, &c, ir_btype(b, x[0]), &s) || !updates_shape(b, &c, &s, &rank, shape))
        return false;
    for (int i = 0; i < by->n; i++) {
        wide[i] = fe_convert_into(b, op, y[i], ir_btype(b, x[i])->dtype);
        wide[i] = wide[i] ? fe_broadcast_to(b, op, wide[i], rank, shape) : IR_NONE;
        z[i] = IR_NONE;
    }
    if (b->status == COT_OK && s.mask)
        update_masked(b, &c, &s, by->n, x, wide, z);
    else if (b->status == COT_OK)
        update_all(b, &c, &s, by->n, x, wide, z);
    return b->status == COT_OK;
}

cot_value
cot_index_update_(cot_place at, cot_update_kind kind, cot_value x, cot_ats index, cot_operand y,
                  const cot_at_options *o, size_t size)
{
    at_call c = { .x = x, .y = y, .at = readable(index), .kind = kind, .update = true };

    fe_options(&c.o, sizeof c.o, o, size);
    return fe_apply_in(x.ctx, at, "index", index_update, &c);
}
