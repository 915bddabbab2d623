/* Indexing as in NumPy: x[...] and x.at[...].set(y).
 *
 * An index is read once into a selection (at_select.c): a box, and integers for some axes of
 * it.  A read slices the box and gathers from it; an update slices the box, scatters into it
 * and writes it back by the inverse of the view (passes/lens.h).  Axes that integers index have
 * size 1 in the box, and the last reshape drops them and inserts the new ones, so that both
 * directions share one list of axes. */
#include "frontend/sugar/at.h"

#include "passes/lens.h"

static const ir_op scatters[] = { OP_scatter, OP_scatter_add, OP_scatter_mul, OP_scatter_min,
                                  OP_scatter_max };
static const ir_op combines[] = { OP_COUNT, OP_add, OP_mul, OP_min, OP_max };

/* ---- reading ---- */

static ir_attrs
box(const fe_at_selection *s)
{
    const int n = s->t->rank;

    return (ir_attrs){ .slice = { { n, s->start }, { n, s->limit }, { n, s->stride } } };
}

static ir_ref
read_box(ir_build *b, const fe_at_selection *s, ir_ref x)
{
    return ir_reverse(b, ir_slice(b, x, s->start, s->limit, s->stride), s->reversed);
}

/* x with y in the place of the box. */
static ir_ref
put_box(ir_build *b, const fe_at_selection *s, ir_ref x, ir_ref y)
{
    const ir_attrs at = box(s);
    const ir_node n = { .op = OP_view_slice, .at = &at };

    return pass_lens_put(b, &n, &x, ir_reverse(b, y, s->reversed));
}

/* How gather and scatter see the box: the arrays' axes come at a place among those that have
 * none. */
typedef struct numbers {
    int64_t axes[COT_MAX_RANK], offset[COT_MAX_RANK], sizes[COT_MAX_RANK], shape[COT_MAX_RANK];
    int n, k, rank, at;
} numbers;

static bool
dimension_numbers(ir_build *b, const fe_at_selection *s, numbers *d)
{
    int before = 0;

    d->rank = s->t->rank - s->n_array + s->rank;
    d->at = 0;
    if (d->rank > COT_MAX_RANK) {
        ir_build_fail(b, s->op, ERR_rank_limit, d->rank);
        return false;
    }
    for (int k = 0; k < s->t->rank && !s->separated; k++) {
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
vectors(ir_build *b, const fe_at_selection *s, bool clamp)
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
result_shape(ir_build *b, const fe_at_selection *s, int *rank, int64_t *shape)
{
    int n = 0;

    if (s->n_out + s->rank > 2 * COT_MAX_RANK) {
        ir_build_fail(b, s->op, ERR_rank_limit, s->n_out + s->rank);
        return false;
    }
    for (int i = 0; i < s->rank && s->separated; i++)
        shape[n++] = s->shape[i];
    for (int i = 0; i < s->n_out; i++) {
        for (int j = 0; j < s->rank && s->out[i] == FE_AT_ARRAYS && !s->separated; j++)
            shape[n++] = s->shape[j];
        if (s->out[i] != FE_AT_ARRAYS)
            shape[n++] = s->out[i] == FE_AT_NEW ? 1 : s->size[s->out[i]];
    }
    *rank = n;
    if (n > COT_MAX_RANK)
        ir_build_fail(b, s->op, ERR_rank_limit, n);
    return n <= COT_MAX_RANK;
}

static ir_ref
read_arrays(ir_build *b, const fe_at_call *c, const fe_at_selection *s, ir_ref base)
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
    const fe_at_call *c = options;
    fe_at_selection s = { .op = "index" };
    int rank;
    int64_t shape[2 * COT_MAX_RANK];
    ir_ref x = fe_resolve(b->ctx->trace, c->x, s.op, 0);

    (void)none, (void)n;
    if (!x || !fe_at_select(b, c, ir_btype(b, x), &s) || !result_shape(b, &s, &rank, shape))
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
    fe_at_call c = { .x = x, .at = readable(index) };

    fe_options(&c.o, sizeof c.o, o, size);
    return fe_apply_in(x.ctx, at, "index", index_at, &c);
}

/* ---- updating ---- */

/* The updates: of the shape of the read, in the element type of x. */
static ir_ref
update_value(ir_build *b, const fe_at_call *c, const fe_at_selection *s, int rank,
             const int64_t *shape)
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
combine(ir_build *b, const fe_at_call *c, const ir_ref *x, const ir_ref *y, ir_ref *z)
{
    if (c->by)
        pass_combine(b, c->by, x, y, z);
    else
        z[0] = c->kind == COT_UPDATE_SET ? y[0] : ir_op2(b, combines[c->kind], x[0], y[0]);
}

/* By a mask and nothing else: a select. */
static void
update_masked(ir_build *b, const fe_at_call *c, const fe_at_selection *s, int n,
              const ir_ref *x, const ir_ref *y, ir_ref *z)
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
update_arrays(ir_build *b, const fe_at_call *c, const fe_at_selection *s, int n,
              const ir_ref *base, const ir_ref *y, ir_ref *z)
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
only_mask(ir_build *b, const fe_at_call *c, const fe_at_selection *s)
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
update_all(ir_build *b, const fe_at_call *c, const fe_at_selection *s, int n, const ir_ref *x,
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

/* The shape of the updates: of the read, or, by a mask, of x after the mask. */
static bool
updates_shape(ir_build *b, const fe_at_call *c, const fe_at_selection *s, int *rank,
              int64_t *shape)
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
    const fe_at_call *c = options;
    fe_at_selection s = { .op = name[c->kind] };
    int rank;
    int64_t shape[2 * COT_MAX_RANK];
    ir_ref x = fe_resolve(b->ctx->trace, c->x, s.op, 0), z = IR_NONE;

    (void)none, (void)n;
    if (!x || !fe_at_select(b, c, ir_btype(b, x), &s) || !updates_shape(b, c, &s, &rank, shape))
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
    const fe_at_call c = {
        .at = readable(at), .o = { .clip = clip }, .update = true, .by = by
    };
    fe_at_selection s = { .op = op };
    ir_ref *wide = IR_NEW_N(b->arena, ir_ref, by->n + 1);
    int rank;
    int64_t shape[2 * COT_MAX_RANK];

    if (!fe_at_select(b, &c, ir_btype(b, x[0]), &s) || !updates_shape(b, &c, &s, &rank, shape))
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
    fe_at_call c = { .x = x, .y = y, .at = readable(index), .kind = kind, .update = true };

    fe_options(&c.o, sizeof c.o, o, size);
    return fe_apply_in(x.ctx, at, "index", index_update, &c);
}
