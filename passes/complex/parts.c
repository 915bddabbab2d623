/* Functions of two reals that complex functions are composed of.
 *
 * At zeros and infinities each is what C99's Annex G requires.  Intermediate results neither
 * overflow nor underflow where the result is an ordinary number. */
#include <math.h>

#include "passes/complex/pair.h"

bool
pr_is_zero(const ir_build *b, ir_ref x)
{
    double c;
    return ir_is_splat(b, x, &c) && c == 0;
}

ir_ref
pr_product(ir_build *b, ir_ref x, ir_ref y)
{
    /* Adding -0 changes no number, not even -0. */
    return ir_op3(b, OP_fma, x, y, ir_like(b, x, -0.0));
}

ir_ref
pr_is_inf(ir_build *b, ir_ref x)
{
    return pr_is(b, pr_abs(b, x), INFINITY);
}

ir_ref
pr_is_nan(ir_build *b, ir_ref x)
{
    return ir_op2(b, OP_ne, x, x);
}

static ir_ref
bits_of(ir_build *b, ir_ref x)
{
    const cot_dtype t = pr_wide(b, x) ? COT_I64 : COT_I32;
    return ir_node1(b, OP_bitcast, 1, &x, &(ir_attrs){ .dtype = { t } });
}

ir_ref
pr_copysign(ir_build *b, ir_ref x, ir_ref y)
{
    if (!x || !y)
        return IR_NONE;
    const cot_dtype t = ir_btype(b, x)->dtype;
    const bool wide = pr_wide(b, x);
    ir_ref p = bits_of(b, x), q = bits_of(b, y);
    if (!p)
        return IR_NONE;
    ir_ref rest = ir_splat_int(b, ir_btype(b, p), wide ? INT64_MAX : INT32_MAX);
    ir_ref sign = ir_splat_int(b, ir_btype(b, p), wide ? INT64_MIN : INT32_MIN);
    ir_ref none = ir_splat_int(b, ir_btype(b, p), 0);
    ir_ref otherwise = pr_and(b, q, sign);
    ir_ref y_sign = ir_select(b, pr_is_nan(b, y), none, otherwise);
    ir_ref both = pr_or(b, pr_and(b, p, rest), y_sign);
    return ir_node1(b, OP_bitcast, 1, &both, &(ir_attrs){ .dtype = { t } });
}

ir_ref
pr_zero_wins(ir_build *b, ir_ref x, ir_ref y)
{
    ir_ref one = pr_copysign(b, pr_k(b, x, 1), y);
    ir_ref product = ir_mul(b, x, y);
    ir_ref then = ir_mul(b, x, one);
    return ir_select(b, pr_is(b, x, 0), then, product);
}

static ir_ref
root_of_squares(ir_build *b, ir_ref x, ir_ref y)
{
    ir_ref product = ir_mul(b, y, y);
    return ir_op1(b, OP_sqrt, ir_add(b, ir_mul(b, x, x), product));
}

/* f32 is computed in f64, where squares of f32 are exact and do not overflow; f64 is scaled by
 * a power of 2. */
ir_ref
pr_hypot(ir_build *b, ir_ref x, ir_ref y)
{
    ir_ref infinite = pr_is_inf(b, y);
    ir_ref r, inf = pr_or(b, pr_is_inf(b, x), infinite);
    if (!pr_wide(b, x)) {
        ir_ref converted = ir_convert(b, y, COT_F64);
        ir_ref wide = root_of_squares(b, ir_convert(b, x, COT_F64), converted);
        r = ir_convert(b, wide, COT_F32);
    } else {
        ir_ref size = pr_abs(b, y);
        ir_ref m = ir_op2(b, OP_max, pr_abs(b, x), size);
        ir_ref large = pr_more(b, m, 0x1p500), small = pr_less(b, m, 0x1p-500);
        ir_ref one = pr_k(b, x, 1);
        ir_ref down = ir_select(b, large, pr_k(b, x, 0x1p-600), one);
        ir_ref otherwise = pr_k(b, x, 1);
        ir_ref up = ir_select(b, large, pr_k(b, x, 0x1p600), otherwise);
        ir_ref by = ir_select(b, small, pr_k(b, x, 0x1p600), down);
        ir_ref back = ir_select(b, small, pr_k(b, x, 0x1p-600), up);
        ir_ref product = ir_mul(b, y, by);
        r = ir_mul(b, root_of_squares(b, ir_mul(b, x, by), product), back);
    }
    return ir_select(b, inf, pr_k(b, x, INFINITY), r);
}

/* For the sizes m >= n >= 0: log m + log1p((n/m)^2) / 2.  Where m is near 1 the two terms would
 * cancel, and it is log1p((m - 1)(m + 1) + n^2) / 2. */
ir_ref
pr_log_abs(ir_build *b, ir_ref x, ir_ref y, ir_ref t)
{
    ir_ref ax = pr_abs(b, x), ay = pr_abs(b, y), inf = pr_k(b, x, INFINITY),
           one = pr_k(b, x, 1);
    ir_ref m = ir_op2(b, OP_max, ax, ay), n = ir_op2(b, OP_min, ax, ay);
    ir_ref less = pr_less(b, m, 1.5);
    ir_ref near = pr_and(b, pr_more(b, m, 0.5), less);
    ir_ref equal = pr_is(b, m, INFINITY);
    ir_ref no_divisor = pr_or(b, pr_is(b, m, 0), equal);
    ir_ref r = ir_div(b, n, ir_select(b, no_divisor, one, m));
    if (!t) {
        ir_ref product = ir_mul(b, n, n);
        ir_ref right = pr_addk(b, m, 1);
        t = ir_add(b, ir_mul(b, pr_addk(b, m, -1), right), product);
    }
    ir_ref rest = ir_op1(b, OP_log1p, ir_select(b, near, t, ir_mul(b, r, r)));
    ir_ref head = ir_op1(b, OP_log, ir_select(b, near, one, m));
    ir_ref sum = ir_add(b, head, pr_mulk(b, rest, 0.5));
    ir_ref equal_ay = pr_is(b, ay, INFINITY);
    return ir_select(b, pr_or(b, pr_is(b, ax, INFINITY), equal_ay), inf, sum);
}
