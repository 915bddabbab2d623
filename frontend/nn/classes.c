/* Losses of classes: cross entropy and negative log likelihood, with weights, smoothing and
 * labels to ignore.
 *
 * The label's logarithm is gathered, so that -inf elsewhere makes no NaN; an ignored label
 * is replaced by 0 before and its loss by 0 after; a label that is no class gives NaN.  A
 * mean divides by the weights of the labels that count. */
#include <math.h>

#include "cotrace/loss.h"

#include "frontend/nn/loss.h"

typedef struct labelled {
    cot_value each, weight; /* of each example; weight unset: 1 */
} labelled;

static bool
fits(cot_place at, const char *op, cot_value x, cot_value labels, const cot_loss_options *o)
{
    const cot_type t = cot_type_of(x), l = cot_type_of(labels), w = cot_type_of(o->weight);
    const bool same = ir_is_float(l.dtype), classes = l.rank == t.rank - (same ? 0 : 1);
    bool good = t.rank >= 1 && classes && l.dtype != COT_BOOL;

    if (t.dtype == COT_DTYPE_NONE || l.dtype == COT_DTYPE_NONE ||
        (fe_given(o->weight) && w.dtype == COT_DTYPE_NONE))
        return false;
    for (int k = 0; k < l.rank && good; k++)
        good = cot_type_size(&t, k) == cot_type_size(&l, k);
    if (good && fe_given(o->weight))
        good = w.rank == 1 && cot_type_size(&w, 0) == cot_type_size(&t, -1);
    if (!good)
        fe_wrong(at, x, op, ERR_shape_wrong,
                 "x is %s, labels are %s, weights %s; wants x [..., n], integers [...] or "
                 "probabilities [..., n], and weights [n]",
                 fe_type_text(x), fe_type_text(labels), fe_type_text(o->weight));
    return good;
}

/* Which labels count; none to ignore: unset. */
static cot_value
counted(cot_place at, cot_value labels, cot_list ignore)
{
    cot_value keep = { NULL, 0, 0 };

    if (ignore.n > 0 && !FE_AT(ignore))
        return fe_wrong(at, labels, "cross_entropy", ERR_usage,
                        "ignore is the bare number %d; wants a list, as COT_LIST(%d)", ignore.n,
                        ignore.n);
    for (int i = 0; i < ignore.n; i++) {
        cot_value other = cot_ne(labels, FE_AT(ignore)[i]);
        keep = i == 0 ? other : cot_and(keep, other);
    }
    return keep;
}

static labelled
by_labels(cot_place at, cot_value lp, cot_value labels, const cot_loss_options *o)
{
    const int64_t n = cot_size(lp, -1);
    cot_value keep = counted(at, labels, o->ignore);
    cot_value label = fe_given(keep) ? cot_where(keep, labels, 0) : labels;
    cot_value known = cot_and(cot_ge(label, 0), cot_lt(label, n));
    cot_value own = cot_squeeze(cot_take_along(lp, cot_expand_dims(label, -1), -1), -1);
    labelled y = { cot_where(known, cot_neg(own), (double)NAN), { NULL, 0, 0 } };

    if (fe_given(o->weight)) {
        y.weight = cot_take(fe_wide(at, o->weight), label, 0);
        y.each = cot_mul(y.each, y.weight);
    }
    if (o->label_smoothing > 0) {
        cot_value all = fe_given(o->weight) ? cot_mul(lp, fe_wide(at, o->weight)) : lp;
        cot_value even =
            cot_mul(cot_reduce_sum(all, .axes = COT_LIST(-1)), -o->label_smoothing / (double)n);
        y.each = cot_add(cot_mul(y.each, 1 - o->label_smoothing), even);
    }
    if (fe_given(keep)) {
        cot_value one = cot_convert(keep, cot_dtype_of(lp));
        y.each = cot_where(keep, y.each, 0);
        y.weight = fe_given(y.weight) ? cot_mul(y.weight, one) : one;
    }
    return y;
}

static cot_value
by_distribution(cot_place at, cot_value lp, cot_value p, const cot_loss_options *o)
{
    if (o->label_smoothing > 0)
        p = cot_add(cot_mul(p, 1 - o->label_smoothing),
                    o->label_smoothing / (double)cot_size(lp, -1));
    /* 0 times the logarithm of 0 is 0; elsewhere p = 0 has a derivative, too */
    cot_value none = cot_and(cot_eq(p, 0), cot_not(cot_is_finite(lp)));
    cot_value part = cot_mul(p, cot_where(none, 0, lp));
    if (fe_given(o->weight))
        part = cot_mul(part, fe_wide(at, o->weight));
    return cot_neg(cot_reduce_sum(part, .axes = COT_LIST(-1)));
}

static cot_value
finished(cot_place at, labelled y, const cot_loss_options *o, cot_dtype to)
{
    if (o->reduction == COT_LOSS_MEAN && fe_given(y.weight))
        return fe_back(at, cot_div(cot_reduce_sum(y.each), cot_reduce_sum(y.weight)), to);
    return fe_reduced(at, y.each, o, to);
}

cot_value
cot_nll_(cot_place at, cot_value log_probs, cot_value labels, const cot_loss_options *options,
         size_t size)
{
    FE_OPTIONS(cot_loss_options, o, options, size);

    if (!fe_floating(at, "nll", log_probs) || !fits(at, "nll", log_probs, labels, &o))
        return log_probs;
    if (ir_is_float(cot_dtype_of(labels)))
        return fe_wrong(at, log_probs, "nll", ERR_dtype_wrong, "labels are %s; wants integers",
                        fe_type_text(labels));
    return finished(at, by_labels(at, fe_wide(at, log_probs), labels, &o), &o,
                    cot_dtype_of(log_probs));
}

cot_value
cot_cross_entropy_loss_(cot_place at, cot_value logits, cot_value labels,
                        const cot_loss_options *options, size_t size)
{
    FE_OPTIONS(cot_loss_options, o, options, size);
    const bool plain = o.reduction == COT_LOSS_MEAN && !fe_given(o.weight) && o.ignore.n == 0 &&
                       o.label_smoothing == 0;

    if (plain && !ir_is_float(cot_dtype_of(labels)))
        return cot_cross_entropy_(at, logits, labels);
    if (!fe_floating(at, "cross_entropy", logits) ||
        !fits(at, "cross_entropy", logits, labels, &o))
        return logits;
    cot_value lp = cot_log_softmax(fe_wide(at, logits));
    if (ir_is_float(cot_dtype_of(labels)))
        return fe_reduced(at, by_distribution(at, lp, fe_wide(at, labels), &o), &o,
                          cot_dtype_of(logits));
    return finished(at, by_labels(at, lp, labels, &o), &o, cot_dtype_of(logits));
}
