/* Distances of every row of one matrix from every row of another, by a norm of the difference.
 *
 * A norm has no derivative at 0.  The gradient there is 0: an element whose root or power would
 * have an infinite slope is replaced before the op by one that has a finite one, and after it
 * by the value. */
#include <math.h>

#include "cotrace/nn.h"

#include "frontend/nn/nn.h"

/* x to the power p, with the derivative 0 where x is 0. */
static cot_value
power(cot_place at, cot_value x, double p)
{
    cot_value none = cot_eq(x, 0), safe = cot_where(none, 1, x);
    cot_value y = p == 0.5 ? cot_sqrt(safe) : cot_pow(safe, p);

    return cot_where(none, 0, y);
}

/* The norm of d along the last axis. */
static cot_value
norm(cot_place at, cot_value d, double p)
{
    if (p == 0)
        return cot_reduce_sum(cot_convert(cot_ne(d, 0), cot_dtype_of(d)), .axes = COT_LIST(-1));
    if (p == 1)
        return cot_reduce_sum(cot_abs(d), .axes = COT_LIST(-1));
    if (p == 2)
        return power(at, cot_reduce_sum(cot_mul(d, d), .axes = COT_LIST(-1)), 0.5);
    if (isinf(p))
        return cot_reduce_max(cot_abs(d), .axes = COT_LIST(-1));
    return power(at, cot_reduce_sum(power(at, cot_abs(d), p), .axes = COT_LIST(-1)), 1 / p);
}

cot_value
cot_cdist_(cot_place at, cot_value x, cot_value y, double p)
{
    const cot_dtype tx = cot_dtype_of(x), ty = cot_dtype_of(y);

    if (tx == COT_DTYPE_NONE || !fe_floating(at, "cdist", x))
        return x;
    if (ty == COT_DTYPE_NONE || !fe_floating(at, "cdist", y))
        return y;
    if (cot_rank(x) < 2 || cot_rank(y) < 2 || cot_size(x, -1) != cot_size(y, -1))
        return fe_wrong(at, x, "cdist", ERR_shape_wrong,
                        "x is %s, y is %s; wants rows of one length in two axes or more",
                        fe_type_text(x), fe_type_text(y));
    if (!(p >= 0))
        return fe_wrong(at, x, "cdist", ERR_attr_wrong, "p is %g; wants 0 or more", p);
    const cot_dtype t = fe_promote(tx, ty);
    if (cot_size(x, -1) == 0 && isinf(p))
        p = 1;                  /* of no element every distance is 0 */
    cot_value d =
        cot_sub(cot_expand_dims(fe_wide(at, x), -2), cot_expand_dims(fe_wide(at, y), -3));
    return fe_back(at, norm(at, d, p), t);
}
