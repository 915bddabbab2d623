/* How often inline emission computes a value again, in code and in elements.
 *
 * A use that changes the index (a slice, say) emits the code of its operand, and of all that
 * the operand is computed from, again, so that nested slices multiply.  A use at the user's own
 * index shares the code with the other users at that index.
 *
 * Elements are computed again where loops reach a value more than once: both operands of a
 * concatenation run over the value that they share, one loop after the other.  A chain of such
 * concatenations, as in a sorting network or in steps of a Fourier transform by hand, doubles
 * the work at each step.  An exception is a kernel of short rows: it computes all elements of a
 * row at once (schedule/map_loops.c), each once. */
#include "codegen/fuse/recompute.h"

#include "codegen/fuse/fuse.h"
#include "codegen/fuse/views.h"
#include "codegen/tuning.h"

cg_recompute *
cg_recompute_begin(cg_lowering *l, const ir_graph *f)
{
    ir_arena *a = l->tables;
    cg_recompute *c = IR_NEW(a, cg_recompute);

    *c = (cg_recompute){ .l = l, .f = f };
    c->copies = IR_NEW_N(a, uint32_t, f->n_values);
    c->index = IR_NEW_N(a, uint32_t, f->n_values);
    c->elements = IR_NEW_N(a, double, f->n_values);
    c->interleaved = IR_NEW_N(a, bool, f->n_values);
    c->rows = IR_NEW_N(a, cg_short_rows, f->n_values);
    return c;
}

/* Is the last axis so short that lanes run along another one, and its elements are unrolled?
 * schedule/map_loops.c decides so. */
static bool
has_short_rows(const cg_recompute *c, const ir_type *space, int64_t last)
{
    const int bits = ir_bits(space->dtype);
    const int64_t lanes = cg_lanes(c->l, bits), wide = lanes * CG_SCHEDULE_MAP_VECTORS,
                  enough = CG_SCHEDULE_ENOUGH_BITS / bits;

    return !c->l->target.grid && last > 1 && last <= CG_SCHEDULE_MAX_UNROLLED_ROW &&
           2 * last < (wide < enough ? wide : enough) && space->size / last >= lanes;
}

void
cg_recompute_root(cg_recompute *c, ir_ref v, const ir_type *space)
{
    const int64_t last = space->rank ? space->dims[space->rank - 1] : 1;

    c->copies[v] = 0;           /* its users read it, its kernel is another one */
    c->elements[v] = (double)space->size;
    c->rows[v] = (cg_short_rows){ has_short_rows(c, space, last) ? space->size / last : 0, 0 };
}

/* The end of the axes from `first` on that have `size` elements in all; -1: no axes have. */
static int
end_of(const ir_type *t, int first, int64_t size)
{
    int64_t n = 1;
    int k = first;

    while (k < t->rank && n < size)
        n *= t->dims[k++];
    return n == size ? k : -1;
}

/* The number of a row as an expression of the index of a value of type t. */
static cg_ix
row_number(cg_ix_table *ix, const ir_type *t, int axis, int end, const cg_ix *at)
{
    return cg_ix_flat(ix, end - axis, t->dims + axis, at + axis);
}

/* The rows of the operand of view n if row i of n is row i of it. */
static cg_short_rows
rows_behind_view(const cg_recompute *c, const ir_node *n, cg_short_rows rows, int end)
{
    const ir_type *tx = ir_type_at(c->f, n->in[0]), *ty = ir_type_at(c->f, n->first);
    const ir_mark mark = ir_arena_mark(c->l->scratch);
    cg_short_rows found = { 0 };
    cg_ix to[COT_MAX_RANK];
    cg_access w;

    cg_access_begin(&w, c->l->scratch, c->f, NULL);
    const cg_ix *at = cg_access_space(&w, ty->rank, ty->dims);
    const cg_ix row = row_number(&w.ix, ty, rows.axis, end, at);
    cg_view_index(&w.ix, c->f, n, at, to);
    for (int k = 0; k < tx->rank && !found.n; k++) {
        const int last = end_of(tx, k, rows.n);
        if (last >= 0 && row_number(&w.ix, tx, k, last, to) == row)
            found = (cg_short_rows){ rows.n, k };
    }
    ir_arena_release(c->l->scratch, mark);
    return found;
}

/* The rows of operand x if row i of n reads no other elements of x than those of row i. */
static cg_short_rows
rows_of_operand(const cg_recompute *c, const ir_node *n, ir_ref x, cg_short_rows rows)
{
    const ir_type *tx = ir_type_at(c->f, x), *ty = ir_type_at(c->f, n->first);
    const cg_short_rows none = { 0 };
    const int end = rows.n ? end_of(ty, rows.axis, rows.n) : -1;
    const ir_op_flag flag = ir_ops[n->op].flag;

    if (end < 0 || (flag != IR_POINTWISE && flag != IR_MOVE))
        return none;
    if (ir_is_view(n->op))
        return rows_behind_view(c, n, rows, end);
    if (tx->rank != ty->rank)
        return none;
    for (int k = rows.axis; k < end; k++)
        if (tx->dims[k] != ty->dims[k])
            return none;
    return rows;
}

/* Are the operands of n, a concatenation or a pad, computed one after the other?  Those of an
 * interleave, and those of a short row, are computed together, at one index. */
static bool
is_sequential(const cg_recompute *c, const ir_node *n, cg_short_rows rows)
{
    return ir_ops[n->op].flag == IR_MOVE && !ir_is_view(n->op) && !rows.n &&
           !c->interleaved[n->first];
}

/* The elements of x that are computed for `elements` elements of n.  Data movement that adds
 * elements computes no more than x has. */
static double
elements_of(const cg_recompute *c, const ir_node *n, ir_ref x, double elements, double ratio)
{
    const int64_t nx = ir_type_at(c->f, x)->size, ny = ir_type_at(c->f, n->first)->size;

    return ir_ops[n->op].flag == IR_MOVE && nx < ny
               ? elements * ratio * (double)nx / (double)ny
               : elements;
}

void
cg_recompute_use(cg_recompute *c, const ir_node *n, ir_ref x, bool moves, double ratio)
{
    const ir_ref y = n->first;
    const ir_node *interleave = cg_interleave_of(c->f, y); /* n, or what a barrier hides */
    const cg_short_rows rows = rows_of_operand(c, n, x, c->rows[y]);
    const bool first = !c->copies[y];
    if (interleave)
        c->interleaved[interleave->first] = true;
    const uint32_t by = first ? 1 : c->copies[y], had = c->copies[x],
                   index = is_sequential(c, n, rows) ? c->f->n_values + c->n_indices++
                           : moves                   ? y
                           : first                   ? 0
                                                     : c->index[y];
    const bool same = had > 0 && !moves && c->index[x] == index;
    const uint32_t copies = !same ? had + by : had > by ? had : by;
    const double elements = elements_of(c, n, x, c->elements[y], ratio), old = c->elements[x];

    if (had == 0)
        c->rows[x] = rows;
    else if (c->rows[x].n != rows.n || c->rows[x].axis != rows.axis)
        c->rows[x].n = 0;
    c->index[x] = had == 0 || same ? index : ~x; /* ~x: indices that only x has */
    c->copies[x] = copies < CG_FUSE_MAX_COPIED ? copies : CG_FUSE_MAX_COPIED;
    c->elements[x] = !same && !c->rows[x].n ? old + elements : old > elements ? old : elements;
}

bool
cg_is_recomputed(const cg_recompute *c, ir_ref v)
{
    const double most = c->l->target.grid ? CG_FUSE_MAX_GRID_REPEATS : 1.01;

    return c->elements[v] > most * (double)ir_type_at(c->f, v)->size;
}
