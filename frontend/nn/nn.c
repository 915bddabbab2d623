/* What layers and losses share: values of a channel, weights that fit. */
#include "frontend/nn/nn.h"

cot_value
fe_channels(cot_place at, cot_value v, cot_value x)
{
    int64_t shape[COT_MAX_RANK];
    const int rank = cot_rank(x) - 1;

    if (cot_rank(v) != 1 || rank < 1)
        return v;
    for (int k = 0; k < rank; k++)
        shape[k] = k == 0 ? cot_size(v, 0) : 1;
    return fe_shaped(at, v, rank, shape);
}

bool
fe_fits(cot_place at, const char *op, const char *name, cot_value v, cot_value x,
        bool by_channel)
{
    if (!fe_given(v) || cot_dtype_of(v) == COT_DTYPE_NONE ||
        cot_dtype_of(x) == COT_DTYPE_NONE)
        return true;
    const cot_type tv = cot_type_of(v), tx = cot_type_of(x);
    const ir_type weight = { .rank = tv.rank, .dims = tv.dims },
                  whole = { .rank = tx.rank, .dims = tx.dims };

    by_channel = by_channel && tv.rank == 1 && tx.rank > 1;
    if (by_channel ? tv.dims[0] == 1 || tv.dims[0] == tx.dims[1]
                   : fe_type_fits(&weight, &whole))
        return true;
    fe_wrong(at, x, op, ERR_shape_wrong, "%s is %s; wants %s %s", name, fe_type_text(v),
             by_channel ? "one element for each channel, axis 1 of"
                        : "a shape that broadcasts to that of",
             fe_type_text(x));
    return false;
}

cot_value
fe_scaled(cot_place at, const char *op, cot_value y, cot_value scale, cot_value bias)
{
    if (!fe_fits(at, op, ".scale", scale, y, true) || !fe_fits(at, op, ".bias", bias, y, true))
        return y;
    if (fe_given(scale))
        y = cot_mul(y, fe_channels(at, fe_wide(at, scale), y));
    return fe_given(bias) ? cot_add(y, fe_channels(at, fe_wide(at, bias), y)) : y;
}
