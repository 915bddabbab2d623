/* Which reductions have kernels of their own kind: those of rows, and those over the first axes
 * of a large operand, which are computed row by row (schedule/columns.h). */
#include "codegen/fuse/columns.h"
#include "codegen/fuse/cost.h"
#include "codegen/fuse/fuse.h"
#include "codegen/tuning.h"

enum {
    LANES = 32,
    BLOCK = 512,
};

/* Is v computed from windows over an array by a few pointwise ops?  Windows overlap, so lanes
 * run along their positions instead of along a window. */
static bool
is_of_windows(const ir_graph *f, ir_ref v, int steps)
{
    const ir_node *n = ir_def(f, v);
    if (!n || steps == 0 || (n->op != OP_windows && ir_ops[n->op].flag != IR_POINTWISE))
        return false;
    for (int i = 0; i < n->n_in; i++)
        if (is_of_windows(f, n->in[i], steps - 1))
            return true;
    return n->op == OP_windows;
}

/* Do few elements follow the reduced axes?  Vectors across rows would be gathered, and vectors
 * along the few would be mostly empty: lanes run along the reduced axes, with a sum for each of
 * the few. */
static bool
has_short_tail(const cg_lowering *l, const ir_graph *f, const ir_node *n, int64_t size,
               int64_t tail)
{
    return !l->target.grid && ir_is_fold(n->op) && tail > 1 && tail <= CG_FUSE_MAX_INNER &&
           size >= CG_FUSE_MIN_ROW && !is_of_windows(f, n->in[0], 4);
}

bool
cg_row_axes(const cg_lowering *l, const ir_graph *f, const ir_node *n, int *outer, int *inner)
{
    if (ir_ops[n->op].flag != IR_REDUCE)
        return false;
    const ir_type *x = ir_type_at(f, n->in[0]);
    const ir_axes axes = ir_reduced_axes(n);
    int64_t size = 1, tail = 1;
    int along = 0, k = 0;
    while (k < x->rank && !ir_axes_has(axes, k))
        k++;
    *outer = k;
    for (; k < x->rank && ir_axes_has(axes, k); k++) {
        size *= x->dims[k];
        along += x->dims[k] > 1;
    }
    *inner = x->rank - k;
    for (; k < x->rank; k++) {
        if (ir_axes_has(axes, k))
            return false;
        tail *= x->dims[k];
    }
    if (x->size == 0)
        return false;
    if (*inner > 0)
        return has_short_tail(l, f, n, size, tail);
    return size >= CG_FUSE_MIN_ROW ||
           (size >= CG_FUSE_SHORT_ROW && along == 1 && !is_of_windows(f, n->in[0], 4));
}

bool
cg_is_row_reduce(const cg_lowering *l, const ir_graph *f, const ir_node *n)
{
    int outer, inner;
    return cg_row_axes(l, f, n, &outer, &inner);
}

cg_columns
cg_columns_of(cg_lowering *l, const ir_graph *f, uint32_t n, const ir_ref *v)
{
    cg_columns c = { .l = l, .f = f };
    for (uint32_t i = 0; i < n && i < CG_FUSE_MAX_COLUMN_SUMS; i++) {
        const ir_node *d = ir_def(f, v[i]);
        int first, last;
        c.x = ir_type_at(f, d->in[0]);
        c.rows = cg_reduced(f, d, &first, &last);
        c.v[c.n] = v[i];
        c.how[c.n++] = cg_fold_of(ir_ops[d->op].by, c.x->dtype);
    }
    c.count = c.rows ? c.x->size / c.rows : 0;
    c.parts = (c.rows + BLOCK - 1) / BLOCK * LANES;
    return c;
}

/* The stack is a binary counter over the parts: its height is at most the number of digits. */
/* Of 2^48 rows, the most that an array has: there are 16 rows to a part. */
enum { MOST_DEPTH = 46 };

int64_t
cg_columns_depth(const cg_columns *c)
{
    int64_t n = 1;

    if (cg_is_open(c->l, c->rows))
        return MOST_DEPTH;
    while ((int64_t)1 << (n - 1) < c->parts)
        n++;
    return n;
}

bool
cg_columns_fit(const cg_columns *c, int64_t width)
{
    int64_t bytes = 0;
    for (int i = 0; i < c->n; i++)
        bytes += cg_columns_depth(c) * (int64_t)cot_dtype_size(c->how[i].type);
    return width * bytes <= CG_FUSE_MAX_COLUMN_SCRATCH;
}

bool
cg_columns_choose_panel(cg_columns *c)
{
    int64_t panels = 1;

    if (cg_is_open(c->l, c->count))
        return false;           /* no panel divides all numbers of columns */
    if (!c->l->target.grid &&
        cg_is_shared(c->l, c->x->size, cg_lanes(c->l, ir_bits(c->x->dtype)),
                     c->x->size * (int64_t)cot_dtype_size(c->x->dtype)))
        panels = c->l->o->threads;
    while (panels < c->count && (c->count % panels || !cg_columns_fit(c, c->count / panels)))
        panels++;
    c->width = c->count / panels;
    return c->width >= CG_FUSE_MIN_COLUMNS / 4;
}

bool
cg_is_column_reduce(cg_lowering *l, const ir_graph *f, const ir_node *n)
{
    int first, last;
    if (!ir_is_fold(n->op) || (cg_lanes(l, 32) == 1 && !l->target.grid))
        return false;
    cg_reduced(f, n, &first, &last);
    if (first != 0 || ir_axes_count(n->at->axes.axes) != last)
        return false;
    cg_columns c = cg_columns_of(l, f, 1, &n->first);
    if (l->target.grid)
        return !cg_is_row_reduce(l, f, n) && c.rows >= CG_FUSE_MIN_GRID_ROWS && c.count > 0 &&
               c.count < CG_FUSE_MAX_GRID_COLUMNS;
    return c.rows >= CG_FUSE_MIN_ROWS && c.count >= CG_FUSE_MIN_COLUMNS &&
           cg_columns_choose_panel(&c);
}

bool
cg_may_share_columns(cg_lowering *l, const ir_graph *f, uint32_t n, const ir_ref *v)
{
    cg_columns c = cg_columns_of(l, f, n, v);
    return n <= CG_FUSE_MAX_COLUMN_SUMS && (l->target.grid || cg_columns_choose_panel(&c));
}

bool
cg_may_join_rows(cg_lowering *l, const ir_graph *f, uint32_t n, const ir_ref *v)
{
    cg_columns c = cg_columns_of(l, f, n, v);
    return !l->target.grid && n <= CG_FUSE_MAX_COLUMN_SUMS && cg_columns_fit(&c, c.count);
}
