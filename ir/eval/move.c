/* Ops that move elements: each is one copy of a box, whose steps say how. */
#include "ir/eval/eval.h"
#include "ir/scalar.h"

static size_t
width_of(const ir_type *t)
{
    return cot_dtype_size(t->dtype);
}

static void *
element_at(void *x, const ir_type *t, int64_t i)
{
    return (char *)x + i * (int64_t)width_of(t);
}

static const void *
const_element_at(const void *x, const ir_type *t, int64_t i)
{
    return (const char *)x + i * (int64_t)width_of(t);
}

cot_status
eval_broadcast(const ir_eval_args *a)
{
    const ir_type *x = a->in_type[0], *r = a->out_type[0];
    int64_t from[COT_MAX_RANK] = { 0 }, to[COT_MAX_RANK], step[COT_MAX_RANK];

    ir_strides(x, step);
    ir_strides(r, to);
    for (int i = 0; i < x->rank; i++)
        if (x->dims[i] != 1)
            from[a->at->broadcast.dims.at[i]] = step[i];
    eval_copy(width_of(r), r->rank, r->dims, a->out[0], to, a->in[0], from);
    return COT_OK;
}

cot_status
eval_reshape(const ir_eval_args *a)
{
    eval_put(a->out[0], a->in[0], eval_bytes(a->out_type[0]));
    return COT_OK;
}

cot_status
eval_transpose(const ir_eval_args *a)
{
    const ir_type *r = a->out_type[0];
    int64_t from[COT_MAX_RANK], to[COT_MAX_RANK], step[COT_MAX_RANK];

    ir_strides(a->in_type[0], step);
    ir_strides(r, to);
    for (int i = 0; i < r->rank; i++)
        from[i] = step[a->at->perm.perm.at[i]];
    eval_copy(width_of(r), r->rank, r->dims, a->out[0], to, a->in[0], from);
    return COT_OK;
}

cot_status
eval_slice(const ir_eval_args *a)
{
    const ir_type *x = a->in_type[0], *r = a->out_type[0];
    int64_t from[COT_MAX_RANK], to[COT_MAX_RANK], step[COT_MAX_RANK], first = 0;

    if (r->size == 0)
        return COT_OK;
    ir_strides(x, step);
    ir_strides(r, to);
    for (int i = 0; i < r->rank; i++) {
        first += a->at->slice.start.at[i] * step[i];
        from[i] = r->dims[i] > 1 ? a->at->slice.stride.at[i] * step[i] : 0;
    }
    eval_copy(width_of(r), r->rank, r->dims, a->out[0], to,
              const_element_at(a->in[0], x, first), from);
    return COT_OK;
}

cot_status
eval_window(const ir_eval_args *a)
{
    const ir_type *x = a->in_type[0], *r = a->out_type[0];
    const int64_t axis = a->at->windows.axis;
    int64_t from[COT_MAX_RANK], to[COT_MAX_RANK];

    if (r->size == 0)
        return COT_OK;
    ir_strides(x, from);
    ir_strides(r, to);
    from[x->rank] = r->dims[x->rank] > 1 ? from[axis] * a->at->windows.dilation : 0;
    from[axis] = r->dims[axis] > 1 ? from[axis] * a->at->windows.stride : 0;
    eval_copy(width_of(r), r->rank, r->dims, a->out[0], to, a->in[0], from);
    return COT_OK;
}

/* Element i of an axis goes to low + i (interior + 1); those that land in the result are
 * kept. */
cot_status
eval_pad(const ir_eval_args *a)
{
    const ir_type *x = a->in_type[0], *r = a->out_type[0];
    int64_t from[COT_MAX_RANK], to[COT_MAX_RANK], kept[COT_MAX_RANK], source = 0, target = 0;

    eval_fill(width_of(r), r->size, a->out[0], a->in[1]);
    ir_strides(x, from);
    ir_strides(r, to);
    for (int i = 0; i < r->rank; i++) {
        int64_t low = a->at->pad.low.at[i],
                gap = x->dims[i] > 1 ? a->at->pad.interior.at[i] + 1 : 1;
        int64_t first = low < 0 ? (-low + gap - 1) / gap : 0, room = r->dims[i] - 1 - low;
        int64_t last = room < 0 ? -1 : room / gap;

        if (last > x->dims[i] - 1)
            last = x->dims[i] - 1;
        if (first > last)
            return COT_OK;
        kept[i] = last - first + 1;
        source += first * from[i];
        target += (low + first * gap) * to[i];
        to[i] *= gap;
    }
    eval_copy(width_of(r), r->rank, kept, element_at(a->out[0], r, target), to,
              const_element_at(a->in[0], x, source), from);
    return COT_OK;
}

cot_status
eval_concatenate(const ir_eval_args *a)
{
    const ir_type *r = a->out_type[0];
    int axis = (int)a->at->axis.axis;
    int64_t from[COT_MAX_RANK], to[COT_MAX_RANK], at = 0;

    ir_strides(r, to);
    for (int i = 0; i < a->n_in; i++) {
        const ir_type *x = a->in_type[i];

        ir_strides(x, from);
        if (x->size > 0)
            eval_copy(width_of(r), r->rank, x->dims, element_at(a->out[0], r, at * to[axis]),
                      to, a->in[i], from);
        at += x->dims[axis];
    }
    return COT_OK;
}

cot_status
eval_reverse(const ir_eval_args *a)
{
    const ir_type *r = a->out_type[0];
    int64_t from[COT_MAX_RANK], to[COT_MAX_RANK], first = 0;

    if (r->size == 0)
        return COT_OK;
    ir_strides(r, from);
    ir_strides(r, to);
    for (int k = 0; k < r->rank; k++)
        if (ir_axes_has(a->at->axes.axes, k)) {
            first += (r->dims[k] - 1) * from[k];
            from[k] = -from[k];
        }
    eval_copy(width_of(r), r->rank, r->dims, a->out[0], to,
              const_element_at(a->in[0], r, first), from);
    return COT_OK;
}

/* Index i as an element of type t, converted as `convert` does from i64. */
static void
store_index(cot_dtype t, void *out, int64_t i)
{
    switch (t) {
    case COT_F16: *(uint16_t *)out = cot_f32_to_f16((float)i); break;
    case COT_BF16: *(uint16_t *)out = cot_f32_to_bf16((float)i); break;
    case COT_F32:  *(float *)out = (float)i; break;
    case COT_F64:  *(double *)out = (double)i; break;
    default:       memcpy(out, &i, cot_dtype_size(t));     /* modulo 2^n, little-endian */
    }
}

cot_status
eval_iota(const ir_eval_args *a)
{
    const ir_type *r = a->out_type[0];
    int axis = (int)a->at->iota.axis;
    int64_t n = r->dims[axis], step[COT_MAX_RANK], from[COT_MAX_RANK] = { 0 };

    if (r->size == 0)
        return COT_OK;
    char *count = ir_alloc(a->scratch, width_of(r) * (size_t)n);
    for (int64_t i = 0; i < n; i++)
        store_index(r->dtype, element_at(count, r, i), i);
    ir_strides(r, step);
    from[axis] = 1;
    eval_copy(width_of(r), r->rank, r->dims, a->out[0], step, count, from);
    return COT_OK;
}

cot_status
eval_constant(const ir_eval_args *a)
{
    const ir_data *d = &a->at->constant.data;

    if (d->splat)
        eval_fill(width_of(a->out_type[0]), a->out_type[0]->size, a->out[0], d->bytes);
    else
        eval_put(a->out[0], d->bytes, d->n);
    return COT_OK;
}

/* Writes: the values alone; where they go is writes.c's. */

cot_status
eval_clone(const ir_eval_args *a)
{
    eval_put(a->out[0], a->in[0], eval_bytes(a->out_type[0]));
    return COT_OK;
}

cot_status
eval_assign(const ir_eval_args *a)
{
    eval_put(a->out[0], a->in[1], eval_bytes(a->out_type[0]));
    return COT_OK;
}
