/* Bags of embeddings: the sum, mean or maximum of the rows that a list of indices names.
 *
 * Bags of one size are the rows of a matrix of indices and are reduced along an axis.  Bags of
 * any size are concatenated in a vector and are segments: the bag of an element is the number
 * of offsets that are not above its position.  A maximum is gathered from its first position,
 * so that its gradient goes there, as in PyTorch. */
#include <math.h>

#include "cotrace/nn.h"

#include "frontend/nn/nn.h"

/* Rows [..., d] of each index, which of them count [..., 1], and the bags that they are in. */
typedef struct bags {
    cot_value rows, counts, ids;    /* ids unset: a bag is a slice of axis 0 */
    int64_t n;
} bags;

static cot_value
total(cot_place at, const bags *b, cot_value x)
{
    if (!fe_given(b->ids))
        return cot_reduce_sum(x, .axes = COT_LIST(1));
    return cot_segment_(at, COT_UPDATE_ADD, x, b->ids, b->n);
}

static cot_value
counted(cot_place at, const bags *b)
{
    cot_value one = cot_convert(b->counts, cot_dtype_of(b->rows));

    return cot_max(total(at, b, one), 1);
}

static cot_value
sum(cot_place at, const bags *b)
{
    return total(at, b, cot_where(b->counts, b->rows, 0));
}

/* y, or 0 for a bag in which no row counts. */
static cot_value
or_zero(cot_place at, const bags *b, cot_value y)
{
    cot_value n = total(at, b, cot_convert(b->counts, COT_I32));

    return cot_where(cot_gt(n, 0), y, 0);
}

static cot_value
greatest_of_slices(cot_place at, const bags *b)
{
    cot_value rows = cot_where(b->counts, b->rows, -(double)INFINITY);
    if (cot_size(rows, 1) == 0)
        return cot_reduce_sum(b->rows, .axes = COT_LIST(1));
    cot_value place = cot_argmax(rows, .axis = 1, .keepdims = 1);
    cot_value y = cot_take_along(b->rows, place, 1);

    return or_zero(at, b, cot_index_(at, y, 0, 1));
}

static cot_value
greatest_of_segments(cot_place at, cot_trace *t, const bags *b)
{
    cot_value rows = cot_where(b->counts, b->rows, -(double)INFINITY);
    const int64_t n = cot_size(rows, 0);
    if (n == 0)
        return total(at, b, b->rows);
    cot_value fixed = cot_stop_gradient(rows);
    cot_value most = cot_segment_(at, COT_UPDATE_MAX, fixed, b->ids, b->n);
    cot_value there = cot_eq(fixed, cot_take(most, b->ids, 0));
    there = cot_or(there, cot_ne(fixed, fixed));
    cot_value place = cot_expand_dims(cot_iota(t, cot_i64(n), 0), 1);
    place = cot_where(there, place, n);
    place = cot_segment_(at, COT_UPDATE_MIN, place, b->ids, b->n);
    return or_zero(at, b, cot_take_along(b->rows, cot_clip(place, 0, n - 1), 0));
}

/* x [...] as [..., 1]. */
static cot_value
column(cot_place at, cot_value x)
{
    return cot_expand_dims(x, -1);
}

static const char *
complaint(cot_value weight, cot_value index, cot_bag_kind kind, const cot_bag_options *o)
{
    const cot_type ti = cot_type_of(index);

    if (cot_rank(weight) != 2 || (ti.rank != 1 && ti.rank != 2) || !ir_is_int(ti.dtype))
        return "wants a weight [n, d] and integers of one or two axes";
    if ((ti.rank == 1) != fe_given(o->offsets))
        return "wants .offsets with an index of one axis, and with no other";
    if (fe_given(o->offsets) &&
        (cot_rank(o->offsets) != 1 || !ir_is_int(cot_dtype_of(o->offsets))))
        return "wants integers of one axis as .offsets";
    if (kind < COT_BAG_SUM || kind > COT_BAG_MAX)
        return "wants COT_BAG_SUM, COT_BAG_MEAN or COT_BAG_MAX";
    if (fe_given(o->weights) && kind != COT_BAG_SUM)
        return "wants COT_BAG_SUM with .weights";
    if (fe_given(o->weights)) {
        const cot_type tw = cot_type_of(o->weights);
        bool same = tw.rank == ti.rank && ir_is_float(tw.dtype);
        for (int k = 0; same && k < ti.rank; k++)
            same = cot_type_size(&tw, k) == cot_type_size(&ti, k);
        if (!same)
            return "wants floating .weights of the index's shape";
    }
    if (o->padding.n != 0 && (o->padding.n != 1 || !FE_AT(o->padding)))
        return "wants one entry in .padding, as COT_LIST(0)";
    return NULL;
}

/* Which indices count, all of them where no row is padding. */
static cot_value
counting(cot_place at, cot_value weight, cot_value index, const cot_bag_options *o)
{
    if (o->padding.n == 0)
        return cot_eq(index, index);
    const int64_t row = FE_AT(o->padding)[0], n = cot_size(weight, 0);
    return cot_ne(index, row < 0 && n > 0 ? row + n : row);
}

cot_value
cot_embedding_bag_(cot_place at, cot_value weight, cot_value index, cot_bag_kind kind,
                   const cot_bag_options *options, size_t size)
{
    FE_OPTIONS(cot_bag_options, o, options, size);
    const char *const op = "embedding_bag";
    cot_trace *t = fe_open(at, weight, op);
    const cot_dtype dtype = cot_dtype_of(weight);

    if (!t || dtype == COT_DTYPE_NONE || !fe_floating(at, op, weight))
        return weight;
    if (cot_dtype_of(index) == COT_DTYPE_NONE)
        return index;
    if (fe_given(o.offsets) && cot_dtype_of(o.offsets) == COT_DTYPE_NONE)
        return o.offsets;
    if (fe_given(o.weights) && cot_dtype_of(o.weights) == COT_DTYPE_NONE)
        return o.weights;
    const char *why = complaint(weight, index, kind, &o);
    if (why)
        return fe_wrong(at, weight, op, ERR_attr_wrong, "weight is %s, index is %s; %s",
                        fe_type_text(weight), fe_type_text(index), why);
    bags b = { cot_take(fe_wide(at, weight), index, 0),
               column(at, counting(at, weight, index, &o)), COT_UNSET, 0 };
    if (fe_given(o.weights))
        b.rows = cot_mul(b.rows, column(at, fe_wide(at, o.weights)));
    if (fe_given(o.offsets)) {
        cot_value place =
            cot_convert(cot_iota(t, cot_i64(cot_size(index, 0)), 0), cot_dtype_of(o.offsets));
        b.n = cot_size(o.offsets, 0);
        b.ids = cot_sub(cot_searchsorted(o.offsets, place, .right = 1), 1);
    }
    cot_value y = kind == COT_BAG_SUM    ? sum(at, &b)
                  : kind == COT_BAG_MEAN ? cot_div(sum(at, &b), counted(at, &b))
                  : fe_given(b.ids)      ? greatest_of_segments(at, t, &b)
                                         : greatest_of_slices(at, &b);
    return fe_back(at, y, dtype);
}
