/* Data movement: views only change the index.  Pad and concatenate select by the index, and
 * emit elements outside of an operand under a mask.  They cost nothing where the index is
 * known. */
#include "codegen/elemental/element.h"
#include "codegen/fuse/fuse.h"
#include "codegen/fuse/views.h"
#include "codegen/lower/rules.h"

/* Element `to` of operand x if `inside` holds, else y. */
static cg_val
element_inside(cg_lowering *l, cg_frame *fr, ir_ref x, const cg_ix *to, cg_val inside, cg_val y)
{
    cg_val old = cg_mask_and(l, inside);
    cg_val v = cg_element(l, fr, x, to);
    l->mask = old;
    return cg_choose(l, ir_type_at(fr->f, x)->dtype, inside, v, y);
}

/* Is x a reshape, perhaps under other views? */
static bool
is_reshaped(const ir_graph *f, ir_ref x)
{
    const ir_node *n = ir_def(f, x);

    while (n && ir_is_view(n->op) && n->op != OP_reshape)
        n = ir_def(f, n->in[0]);
    return n && n->op == OP_reshape;
}

/* i with the range [0, last].  An index that may be outside, where its load is masked, becomes
 * a new variable, because a reshape would carry it into other axes. */
static cg_ix
index_inside(cg_lowering *l, cg_ix i, int64_t last)
{
    const cg_ix_expr *e = &l->ix.expr[i];

    return e->lo >= 0 && e->hi <= last
               ? i
               : cg_ix_var(&l->ix, cg_ix_value(&l->ix, &l->b, i), 0, last);
}

static cg_val
inline_pad(cg_lowering *l, cg_frame *fr, const ir_node *n, const cg_ix *at)
{
    const ir_type *x = ir_type_at(fr->f, n->in[0]);
    cg_ix to[COT_MAX_RANK];
    cg_val inside = 0;
    const bool reshaped = is_reshaped(fr->f, n->in[0]);
    bool never = x->size == 0;
    for (int k = 0; k < x->rank && !never; k++) {
        int64_t step = n->at->pad.interior.at[k] + 1;
        bool off = false;
        cg_ix i = cg_ix_addc(&l->ix, at[k], -n->at->pad.low.at[k]);
        inside = cg_and(l, inside, cg_within(l, i, 0, (x->dims[k] - 1) * step + 1, &never));
        if (step > 1)
            inside = cg_and(l, inside, cg_within(l, cg_ix_mod(&l->ix, i, step), 0, 1, &off));
        never |= off;
        to[k] = cg_ix_div(&l->ix, i, step);
        if (reshaped && !never)
            to[k] = index_inside(l, to[k], x->dims[k] - 1);
    }
    cg_val fill = cg_element(l, fr, n->in[1], NULL);
    return never ? fill : element_inside(l, fr, n->in[0], to, inside, fill);
}

static cg_val
inline_concatenate(cg_lowering *l, cg_frame *fr, const ir_node *n, const cg_ix *at)
{
    const ir_type *y = ir_type_at(fr->f, n->first);
    int axis = (int)n->at->axis.axis;
    cg_ix to[COT_MAX_RANK];
    cg_val v = 0;
    int64_t start = 0;
    memcpy(to, at, sizeof *at * (size_t)y->rank);
    for (int i = 0; i < n->n_in; i++) {
        int64_t size = ir_type_at(fr->f, n->in[i])->dims[axis];
        bool never = size == 0;
        to[axis] = cg_ix_addc(&l->ix, at[axis], -start);
        cg_val inside = never ? 0 : cg_within(l, to[axis], 0, size, &never);
        if (!never)
            v = element_inside(l, fr, n->in[i], to, inside,
                               v ? v : cg_const(&l->b, y->dtype, 0));
        start += size;
    }
    return v;
}

static cg_val
inline_constant(cg_lowering *l, const ir_type *t, const ir_data *d, const cg_ix *at)
{
    const char *bytes = d->bytes;
    size_t size = cot_dtype_size(t->dtype);
    int64_t c;
    if (d->splat)
        return cg_bits_of(l, t->dtype, bytes);
    cg_ix flat = cg_ix_flat(&l->ix, t->rank, t->dims, at);
    if (cg_ix_is_const(&l->ix, flat, &c) && c >= 0 && c < t->size)
        return cg_bits_of(l, t->dtype, bytes + (size_t)c * size);
    uint32_t buffer = cg_const_buffer(l, t->dtype, t->size, bytes);
    return cg_load(&l->b, buffer, cg_ix_value(&l->ix, &l->b, flat), l->mask);
}

cg_val
lower_move(cg_lowering *l, cg_frame *fr, const ir_node *n, int result, const cg_ix *at)
{
    cg_ix to[COT_MAX_RANK];
    (void)result;
    switch (n->op) {
    case OP_pad: return inline_pad(l, fr, n, at);
    case OP_concatenate: return inline_concatenate(l, fr, n, at);
    case OP_constant:
        return inline_constant(l, ir_type_at(fr->f, n->first), &n->at->constant.data, at);
    case OP_iota:
        return cg_convert(l, cg_ix_value(&l->ix, &l->b, at[n->at->iota.axis]), COT_I64,
                          n->at->iota.dtype);
    default: cg_view_index(&l->ix, fr->f, n, at, to); return cg_element(l, fr, n->in[0], to);
    }
}
