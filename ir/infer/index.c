/* Types of ops that index at run time.
 *
 * gather and scatter take StableHLO's dimension numbers, with the index vectors along the last
 * axis of the indices.  In both, the operand's axes are of three kinds: window axes (in order,
 * the window's), collapsed or inserted ones (windows are one element thick), and batch axes,
 * which move together with an axis of the indices. */
#include "ir/infer/infer.h"

/* Operands from, ... are one integer scalar for each axis of x. */
static int
starts_ok(const infer_ctx *c, int from)
{
    int rank = c->in[0]->rank;

    if (c->n_in != from + rank)
        return INFER_FAIL(c, ERR_operand_count, c->n_in, from + rank);
    for (int i = from; i < c->n_in; i++)
        if (c->in[i]->rank != 0 || !ir_is_int(c->in[i]->dtype))
            return INFER_FAIL(c, ERR_operand_type, i, infer_str(c, c->in[i]),
                              "an integer scalar");
    return 0;
}

int
infer_dynamic_slice(const infer_ctx *c)
{
    ir_ints sizes = c->at->sizes.sizes;

    if (c->n_in < 1)
        return INFER_FAIL(c, ERR_operand_count, c->n_in, 1);
    if (starts_ok(c, 1) < 0 || infer_length(c, "sizes", sizes, c->in[0]->rank) < 0 ||
        infer_sizes(c, "sizes", sizes, c->in[0]->dims) < 0)
        return -1;
    return infer_one(c, infer_shaped(c, c->in[0], sizes.n, sizes.at));
}

int
infer_dynamic_update_slice(const infer_ctx *c)
{
    if (c->n_in < 2)
        return INFER_FAIL(c, ERR_operand_count, c->n_in, 2);
    const ir_type *x = c->in[0], *y = c->in[1];
    if (x->dtype != y->dtype)
        return INFER_FAIL(c, ERR_dtypes_differ, infer_str(c, x), infer_str(c, y));
    if (x->rank != y->rank)
        return INFER_FAIL(c, ERR_shapes_differ, infer_str(c, x), infer_str(c, y));
    for (int k = 0; k < x->rank; k++)
        if (y->dims[k] > x->dims[k])
            return INFER_FAIL(c, ERR_operand_type, 1, infer_str(c, y),
                              ir_format(c->b->arena, "at most %lld on axis %d",
                                        (long long)x->dims[k], k));
    if (starts_ok(c, 2) < 0)
        return -1;
    return infer_one(c, x);
}

/* The dimension numbers that gather and scatter share. */
typedef struct window_dims {
    const char *window_name, *thin_name;
    ir_ints window;             /* axes of the result (gather) or of the updates (scatter)    */
    /* axes of x that are collapsed (gather) or inserted (scatter) */
    ir_ints thin;
    ir_ints operand_batch, indices_batch, index_map;
    ir_axes thin_set, batch_set, window_set;
} window_dims;

static int
batch_ok(const infer_ctx *c, const window_dims *d)
{
    const ir_type *x = c->in[0], *y = c->in[1];
    ir_axes set;

    if (infer_length(c, "indices_batch", d->indices_batch, d->operand_batch.n) < 0 ||
        infer_axis_list(c, "indices_batch", d->indices_batch, y->rank - 1, &set) < 0)
        return -1;
    for (int i = 0; i < d->operand_batch.n; i++) {
        int64_t k = d->operand_batch.at[i], m = d->indices_batch.at[i];

        if (x->dims[k] != y->dims[m])
            return INFER_FAIL(c, ERR_axis_sizes, "batch", "x", (long long)k,
                              (long long)x->dims[k], "indices", (long long)m,
                              (long long)y->dims[m]);
    }
    return 0;
}

/* What holds for both; fills the sets of d. */
static int
window_dims_ok(const infer_ctx *c, window_dims *d)
{
    const ir_type *x = c->in[0], *y = c->in[1];
    ir_axes mapped;

    if (infer_dtype_is(c, 1, ir_is_int(y->dtype), "integers") < 0)
        return -1;
    if (y->rank < 1)
        return INFER_FAIL(c, ERR_operand_type, 1, infer_str(c, y),
                          "index vectors along a last axis");
    if (infer_axis_list(c, d->thin_name, d->thin, x->rank, &d->thin_set) < 0 ||
        infer_ascending(c, d->thin_name, d->thin) < 0 ||
        infer_axis_list(c, "operand_batch", d->operand_batch, x->rank, &d->batch_set) < 0 ||
        infer_ascending(c, "operand_batch", d->operand_batch) < 0 ||
        infer_disjoint(c, d->thin_set, d->batch_set) < 0 || batch_ok(c, d) < 0)
        return -1;
    if (d->index_map.n != y->dims[y->rank - 1])
        return INFER_FAIL(c, ERR_index_count, d->index_map.n, (long long)y->dims[y->rank - 1]);
    if (infer_axis_list(c, "index_map", d->index_map, x->rank, &mapped) < 0 ||
        infer_disjoint(c, mapped, d->batch_set) < 0)
        return -1;
    int windows = x->rank - d->thin.n - d->operand_batch.n, outer = y->rank - 1 + windows;
    if (outer > COT_MAX_RANK)
        return INFER_FAIL(c, ERR_rank_limit, outer);
    if (infer_length(c, d->window_name, d->window, windows) < 0 ||
        infer_axis_list(c, d->window_name, d->window, outer, &d->window_set) < 0)
        return -1;
    return infer_ascending(c, d->window_name, d->window);
}

/* Does a gather read nothing: no index vectors, or empty windows?  Then it may leave an empty
 * axis out, too. */
static bool
reads_nothing(const ir_type *y, ir_ints sizes)
{
    for (int k = 0; k < y->rank - 1; k++)
        if (y->dims[k] == 0)
            return true;
    for (int k = 0; k < sizes.n; k++)
        if (sizes.at[k] == 0)
            return true;
    return false;
}

int
infer_gather(const infer_ctx *c)
{
    const ir_type *x = c->in[0], *y = c->in[1];
    ir_ints sizes = c->at->gather.sizes;
    window_dims d = { .window_name = "offset_dims", .thin_name = "collapsed",
                      .window = c->at->gather.offset_dims, .thin = c->at->gather.collapsed,
                      .operand_batch = c->at->gather.operand_batch,
                      .indices_batch = c->at->gather.indices_batch,
                      .index_map = c->at->gather.index_map };
    int64_t dims[COT_MAX_RANK], window[COT_MAX_RANK];
    int rank, windows = 0, batch = 0;

    if (window_dims_ok(c, &d) < 0 || infer_length(c, "sizes", sizes, x->rank) < 0)
        return -1;
    for (int k = 0; k < x->rank; k++) {
        /* A batch axis is never indexed, so that it may be empty. */
        bool thin = ir_axes_has(d.thin_set | d.batch_set, k);

        if (thin && sizes.at[k] != 1)
            return INFER_FAIL(c, ERR_list_entry, "sizes", k, (long long)sizes.at[k], "1");
        if (thin && x->dims[k] == 0 && reads_nothing(y, sizes))
            continue;
        if (!ir_axes_has(d.batch_set, k) && (sizes.at[k] < 0 || sizes.at[k] > x->dims[k]))
            return INFER_FAIL(c, ERR_list_range, "sizes", k, (long long)sizes.at[k], 0ll,
                              (long long)x->dims[k]);
        if (!thin)
            window[windows++] = sizes.at[k];
    }
    if (c->at->gather.mode < 0 || c->at->gather.mode >= IR_MODE_COUNT)
        return INFER_FAIL(c, ERR_attr_value, "mode", (long long)c->at->gather.mode, "a mode");
    rank = y->rank - 1 + windows;
    windows = 0;
    for (int k = 0; k < rank; k++)
        dims[k] = ir_axes_has(d.window_set, k) ? window[windows++] : y->dims[batch++];
    return infer_one(c, infer_shaped(c, x, rank, dims));
}

/* The updates' window fits into x, and their other axes are those of the indices. */
static int
updates_ok(const infer_ctx *c, const window_dims *d)
{
    const ir_type *x = c->in[0], *y = c->in[1], *z = c->in[2];
    int axis = 0, batch = 0, want = y->rank - 1 + d->window.n;

    if (z->dtype != x->dtype)
        return INFER_FAIL(c, ERR_dtypes_differ, infer_str(c, x), infer_str(c, z));
    if (z->rank != want)
        return INFER_FAIL(c, ERR_operand_type, 2, infer_str(c, z),
                          ir_format(c->b->arena, "rank %d", want));
    for (int k = 0; k < z->rank; k++) {
        if (ir_axes_has(d->window_set, k)) {
            while (ir_axes_has(d->thin_set | d->batch_set, axis))
                axis++;
            if (z->dims[k] > x->dims[axis])
                return INFER_FAIL(c, ERR_axis_sizes, "window", "x", (long long)axis,
                                  (long long)x->dims[axis], "updates", (long long)k,
                                  (long long)z->dims[k]);
            axis++;
        } else if (z->dims[k] != y->dims[batch++]) {
            return INFER_FAIL(c, ERR_axis_sizes, "index", "indices", (long long)batch - 1,
                              (long long)y->dims[batch - 1], "updates", (long long)k,
                              (long long)z->dims[k]);
        }
    }
    return 0;
}

int
infer_scatter(const infer_ctx *c)
{
    window_dims d = { .window_name = "window_dims", .thin_name = "inserted",
                      .window = c->at->scatter.window_dims, .thin = c->at->scatter.inserted,
                      .operand_batch = c->at->scatter.operand_batch,
                      .indices_batch = c->at->scatter.indices_batch,
                      .index_map = c->at->scatter.index_map };

    if (ir_ops[c->op].by &&
        infer_dtype_is(c, 0, infer_is_number(c->in[0]->dtype), "a number") < 0)
        return -1;
    if (window_dims_ok(c, &d) < 0 || updates_ok(c, &d) < 0)
        return -1;
    if (c->at->scatter.mode < 0 || c->at->scatter.mode >= IR_MODE_COUNT)
        return INFER_FAIL(c, ERR_attr_value, "mode", (long long)c->at->scatter.mode, "a mode");
    return infer_one(c, c->in[0]);
}

int
infer_scatter_real(const infer_ctx *c)
{
    if (infer_dtype_is(c, 0, infer_is_real(c->in[0]->dtype), infer_real_name(c->in[0]->dtype)) <
        0)
        return -1;
    return infer_scatter(c);
}
