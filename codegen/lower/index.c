/* Dynamic indexing: indices are emitted like any other value, clamped, and become part of the
 * address.
 *
 * gather and scatter share one model, as in the reference evaluator: every index vector names a
 * window of the operand. */
#include "codegen/lower/index.h"

#include "codegen/elemental/element.h"
#include "codegen/lower/rules.h"
#include "codegen/tuning.h"

static cg_val
fill_value(cg_lowering *l, cot_dtype t)
{
    switch (t) {
    case COT_F16:  return cg_const(&l->b, t, 0x7e00);
    case COT_BF16: return cg_const(&l->b, t, 0x7fc0);
    case COT_F32:  return cg_const(&l->b, t, 0x7fc00000u);
    case COT_F64:  return cg_const(&l->b, t, 0x7ff8000000000000u);
    default: return cg_const(&l->b, t, ir_is_signed(t) ? (uint64_t)1 << (ir_bits(t) - 1) : 0);
    }
}

/* Are all windows that a constant names inside the operand?  Large constants are not
 * examined. */
static bool
inside_by_constant(const ir_graph *f, const cg_windows *w)
{
    const ir_node *n = ir_def(f, w->y);
    const ir_type *t = ir_type_at(f, w->y);
    if (!n || n->op != OP_constant || t->dtype != COT_I32 ||
        t->size > CG_LOWER_MAX_INDEX_TABLE || w->index_map.n == 0)
        return false;
    const ir_data *d = &n->at->constant.data;
    const int64_t many = d->splat ? 1 : t->size;
    for (int64_t i = 0; i < many; i++)
        for (int m = 0; m < w->index_map.n; m++) {
            int64_t k = w->index_map.at[m];
            int32_t at;
            if (!d->splat && i % w->index_map.n != m)
                continue;
            memcpy(&at, (const char *)d->bytes + i * (int64_t)sizeof at, sizeof at);
            if (at < 0 || at > w->x->dims[k] - w->size[k])
                return false;
        }
    return true;
}

static cg_windows
gather_windows(const ir_graph *f, const ir_node *n)
{
    cg_windows w = { .x = ir_type_at(f, n->in[0]),
                     .y = n->in[1],
                     .thin = n->at->gather.collapsed,
                     .operand_batch = n->at->gather.operand_batch,
                     .indices_batch = n->at->gather.indices_batch,
                     .index_map = n->at->gather.index_map,
                     .outer = n->at->gather.offset_dims,
                     .mode = n->at->gather.mode };
    memcpy(w.size, n->at->gather.sizes.at, sizeof(int64_t) * (size_t)w.x->rank);
    w.known = inside_by_constant(f, &w);
    return w;
}

cg_windows
cg_scatter_windows(const ir_graph *f, const ir_node *n)
{
    const ir_type *z = ir_type_at(f, n->in[2]);
    cg_windows w = { .x = ir_type_at(f, n->in[0]),
                     .y = n->in[1],
                     .thin = n->at->scatter.inserted,
                     .operand_batch = n->at->scatter.operand_batch,
                     .indices_batch = n->at->scatter.indices_batch,
                     .index_map = n->at->scatter.index_map,
                     .outer = n->at->scatter.window_dims,
                     .mode = n->at->scatter.mode };
    for (int k = 0, i = 0; k < w.x->rank; k++) {
        bool thin = ir_ints_has(w.thin, k) || ir_ints_has(w.operand_batch, k);
        w.size[k] = thin ? 1 : z->dims[w.outer.at[i++]];
    }
    return w;
}

/* Is start (of type t) within [0, most]?  0: always. */
static cg_val
fits(cg_lowering *l, cg_val start, cot_dtype t, int64_t most)
{
    if (t == COT_U64)
        return cg_insn2(&l->b, SC_le, t, start, cg_const(&l->b, t, (uint64_t)most));
    cg_val i = cg_convert(l, start, t, COT_I64), low = 0, high = 0;
    if (!cg_is_within(l->k, i, 0, INT64_MAX))
        low = cg_insn2(&l->b, SC_le, COT_I64, cg_i64(&l->b, 0), i);
    if (!cg_is_within(l->k, i, INT64_MIN, most))
        high = cg_insn2(&l->b, SC_le, COT_I64, i, cg_i64(&l->b, most));
    return cg_and(l, low, high);
}

/* Starts are clamped even if `inside` is false, so that every address is valid. */
bool
cg_window_at(cg_lowering *l, cg_frame *fr, const cg_windows *w, const cg_ix *at, int rank,
             cg_ix *to, cg_val *inside)
{
    const ir_type *y = ir_type_at(fr->f, w->y);
    cg_ix from[COT_MAX_RANK + 1];
    int batch = 0, offset = 0;
    *inside = 0;
    for (int k = 0; k < rank; k++)
        if (!ir_ints_has(w->outer, k))
            from[batch++] = at[k];
    for (int k = 0; k < w->x->rank; k++)
        to[k] = 0;
    for (int i = 0; i < w->operand_batch.n; i++)
        to[w->operand_batch.at[i]] = from[w->indices_batch.at[i]];
    for (int i = 0; i < w->index_map.n; i++) {
        int64_t k = w->index_map.at[i], most = w->x->dims[k] - w->size[k];
        if (most < 0)
            return false;
        from[y->rank - 1] = cg_ix_const(&l->ix, i);
        cg_val start = cg_element(l, fr, w->y, from);
        if (w->mode == IR_MODE_FILL)
            *inside = cg_and(l, *inside, fits(l, start, y->dtype, most));
        to[k] = cg_ix_add(
            &l->ix, to[k],
            w->known ? cg_ix_var(&l->ix, cg_convert(l, start, y->dtype, COT_I64), 0, most)
                     : cg_clamped_index(l, start, y->dtype, most));
    }
    for (int k = 0; k < w->x->rank; k++)
        if (!ir_ints_has(w->thin, k) && !ir_ints_has(w->operand_batch, k))
            to[k] = cg_ix_add(&l->ix, to[k], at[w->outer.at[offset++]]);
    return true;
}

cg_val
lower_gather(cg_lowering *l, cg_frame *fr, const ir_node *n, int result, const cg_ix *at)
{
    const cg_windows w = gather_windows(fr->f, n);
    cg_ix to[COT_MAX_RANK + 1];
    cg_val inside, fill = fill_value(l, w.x->dtype);
    (void)result;
    if (!cg_window_at(l, fr, &w, at, ir_type_at(fr->f, n->first)->rank, to, &inside))
        return fill;
    return cg_choose(l, w.x->dtype, inside, cg_element(l, fr, n->in[0], to), fill);
}

void
cg_box_starts(cg_lowering *l, cg_frame *fr, const ir_node *n, int from, const int64_t *sizes,
              cg_ix *start)
{
    const ir_type *x = ir_type_at(fr->f, n->in[0]);
    for (int k = 0; k < x->rank; k++)
        start[k] =
            cg_clamped_index(l, cg_element(l, fr, n->in[from + k], NULL),
                             ir_type_at(fr->f, n->in[from + k])->dtype, x->dims[k] - sizes[k]);
}

cg_val
lower_dynamic_slice(cg_lowering *l, cg_frame *fr, const ir_node *n, int result, const cg_ix *at)
{
    int rank = ir_type_at(fr->f, n->first)->rank;
    cg_ix to[COT_MAX_RANK + 1];
    (void)result;
    cg_box_starts(l, fr, n, 1, n->at->sizes.sizes.at, to);
    for (int k = 0; k < rank; k++)
        to[k] = cg_ix_add(&l->ix, to[k], at[k]);
    return cg_element(l, fr, n->in[0], to);
}

cg_val
lower_dynamic_update_slice(cg_lowering *l, cg_frame *fr, const ir_node *n, int result,
                           const cg_ix *at)
{
    const ir_type *y = ir_type_at(fr->f, n->in[1]);
    cg_ix to[COT_MAX_RANK + 1];
    cg_val inside = 0, x = cg_element(l, fr, n->in[0], at);
    bool never = y->size == 0;
    (void)result;
    cg_box_starts(l, fr, n, 2, y->dims, to);
    for (int k = 0; k < y->rank && !never; k++) {
        to[k] = cg_ix_add(&l->ix, at[k], cg_ix_mul(&l->ix, to[k], -1));
        inside = cg_and(l, inside, cg_within(l, to[k], 0, y->dims[k], &never));
    }
    if (never)
        return x;
    cg_val old = cg_mask_and(l, inside), u = cg_element(l, fr, n->in[1], to);
    l->mask = old;
    return cg_choose(l, y->dtype, inside, u, x);
}

cg_val
cg_scatter_combine(cg_lowering *l, ir_combine by, cot_dtype t, cg_val old, cg_val update)
{
    switch (by) {
    case IR_BY_SUM: return cg_insn2(&l->b, t == COT_BOOL ? SC_or : SC_add, t, old, update);
    case IR_BY_PROD: return cg_insn2(&l->b, t == COT_BOOL ? SC_and : SC_mul, t, old, update);
    case IR_BY_MIN: return cg_insn2(&l->b, t == COT_BOOL ? SC_and : SC_min, t, old, update);
    case IR_BY_MAX: return cg_insn2(&l->b, t == COT_BOOL ? SC_or : SC_max, t, old, update);
    default:
        return update;
    }
}

/* Inside a kernel: apply each update in order, if its window contains the element. */
cg_val
lower_scatter(cg_lowering *l, cg_frame *fr, const ir_node *n, int result, const cg_ix *at)
{
    const cg_windows w = cg_scatter_windows(fr->f, n);
    const ir_type *z = ir_type_at(fr->f, n->in[2]);
    cot_dtype t = w.x->dtype, wide = !ir_ops[n->op].by ? t : ir_compute_type(t);
    cg_val x = cg_convert(l, cg_element(l, fr, n->in[0], at), t, wide);
    (void)result;
    if (z->size > CG_LOWER_MAX_INLINE_UPDATES)
        return 0;
    for (int64_t i = 0; i < z->size; i++) {
        cg_ix from[COT_MAX_RANK + 1], to[COT_MAX_RANK + 1];
        cg_val hit;
        bool never = false;
        cg_ix_split(&l->ix, cg_ix_const(&l->ix, i), z->rank, z->dims, from);
        if (!cg_window_at(l, fr, &w, from, z->rank, to, &hit))
            continue;
        for (int k = 0; k < w.x->rank && !never; k++) {
            cg_ix off = cg_ix_add(&l->ix, at[k], cg_ix_mul(&l->ix, to[k], -1));
            hit = cg_and(l, hit, cg_within(l, off, 0, 1, &never));
        }
        if (never)
            continue;
        cg_val u = cg_convert(l, cg_element(l, fr, n->in[2], from), t, wide);
        x = cg_choose(l, wide, hit, cg_scatter_combine(l, ir_ops[n->op].by, wide, x, u), x);
    }
    return cg_convert(l, x, wide, t);
}
