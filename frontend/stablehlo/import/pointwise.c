/* Ops on elements.
 *
 * Signedness is the type's.  Of bools, add and maximum are or, multiply and minimum are and.
 * Comparisons by total order are comparisons of the bits as integers, where those of negative
 * numbers are complemented but for the sign. */
#include "frontend/stablehlo/import/rules.h"

#include <math.h>

#include "ir/diag.h"

static cot_dtype
in_dtype(const hlo_emit *e, int i)
{
    return fe_hlo_in_type(e, i)->dtype;
}

void
fe_hlo_unary(hlo_emit *e)
{
    const bool same = ir_is_unsigned(in_dtype(e, 0)) && strcmp(e->row->op, "abs") == 0;

    e->out[0] = same ? e->in[0] : fe_hlo_op(e, e->row->op, 1, e->in);
}

/* Bits counted: of small integers only their own. */
void
fe_hlo_bits(hlo_emit *e)
{
    const hlo_small *s = fe_hlo_small_in(e, 0);
    const ir_ref x = s ? fe_hlo_low_bits(e->b, s, e->in[0]) : e->in[0];

    e->out[0] = fe_hlo_op(e, e->row->op, 1, &x);
    if (s && strcmp(e->row->op, "clz") == 0 && e->out[0])
        e->out[0] = ir_sub(e->b, e->out[0], ir_like(e->b, x, 8 - s->bits));
}

void
fe_hlo_shift_right_logical(hlo_emit *e)
{
    const hlo_small *s = fe_hlo_small_in(e, 0);

    e->out[0] = ir_op2(e->b, OP_shr_logical, s ? fe_hlo_low_bits(e->b, s, e->in[0]) : e->in[0],
                       e->in[1]);
}

/* The parts of a real number are the number and 0. */
void
fe_hlo_part(hlo_emit *e)
{
    if (ir_is_complex(in_dtype(e, 0)))
        e->out[0] = fe_hlo_op(e, e->row->op, 1, e->in);
    else
        e->out[0] = strcmp(e->row->op, "real") == 0 ? e->in[0] : ir_like(e->b, e->in[0], 0);
}

/* e^(log(z) / 3) */
void
fe_hlo_cbrt(hlo_emit *e)
{
    if (!ir_is_complex(in_dtype(e, 0)))
        e->out[0] = fe_hlo_op(e, "cbrt", 1, e->in);
    else
        e->out[0] = ir_op2(e->b, OP_pow, e->in[0], ir_like(e->b, e->in[0], 1.0 / 3));
}

/* Of complex y and x: -i log((x + iy) / sqrt(x^2 + y^2)) */
void
fe_hlo_atan2(hlo_emit *e)
{
    ir_build *b = e->b;
    const ir_ref y = e->in[0], x = e->in[1];

    if (!ir_is_complex(in_dtype(e, 0))) {
        e->out[0] = ir_op2(b, OP_atan2, y, x);
        return;
    }
    ir_ref re = ir_op1(b, OP_real, y), one = re ? ir_like(b, re, 1) : IR_NONE,
           zero = re ? ir_like(b, re, 0) : IR_NONE;
    ir_ref i = ir_op2(b, OP_complex, zero, one), minus = i ? ir_op1(b, OP_neg, i) : IR_NONE;
    ir_ref product = ir_mul(b, y, y);
    ir_ref r = ir_op1(b, OP_sqrt, ir_add(b, ir_mul(b, x, x), product));
    ir_ref phase = r ? ir_op2(b, OP_div, ir_add(b, x, ir_mul(b, i, y)), r) : IR_NONE;
    e->out[0] = phase ? ir_mul(b, minus, ir_op1(b, OP_log, phase)) : IR_NONE;
}

/* The upper half of the bits of a product. */
void
fe_hlo_mulhi(hlo_emit *e)
{
    ir_build *b = e->b;
    const cot_dtype t = in_dtype(e, 0);
    const int bits = ir_bits(t);
    const bool sign = ir_is_signed(t);

    if (!ir_is_int(t) || t != in_dtype(e, 1)) {
        fe_hlo_fail(e, "wants integers of one type");
        return;
    }
    if (bits < 64) {
        const cot_dtype wide = sign ? COT_I64 : COT_U64;
        ir_ref converted = ir_convert(b, e->in[1], wide);
        ir_ref p = ir_mul(b, ir_convert(b, e->in[0], wide), converted);
        p = p ? ir_op2(b, sign ? OP_shr_arithmetic : OP_shr_logical, p, ir_like(b, p, bits))
              : IR_NONE;
        e->out[0] = p ? ir_convert(b, p, t) : IR_NONE;
        return;
    }
    /* (a + 2^32 b)(c + 2^32 d) without signs; those take away the other factor from the upper
     * half */
    const ir_attrs plain = { .dtype = { COT_U64 } }, back = { .dtype = { t } };
    const ir_ref x = sign ? ir_node1(b, OP_bitcast, 1, &e->in[0], &plain) : e->in[0];
    const ir_ref y = sign ? ir_node1(b, OP_bitcast, 1, &e->in[1], &plain) : e->in[1];
    if (!x || !y)
        return;
    const ir_ref half = ir_like(b, x, 32), low = ir_splat_int(b, ir_btype(b, x), UINT32_MAX),
                 zero = ir_like(b, x, 0);
    const ir_ref a = ir_op2(b, OP_and, x, low), up = ir_op2(b, OP_shr_logical, x, half);
    const ir_ref c = ir_op2(b, OP_and, y, low), d = ir_op2(b, OP_shr_logical, y, half);
    ir_ref shifted = ir_op2(b, OP_shr_logical, ir_mul(b, a, c), half);
    ir_ref mid = ir_add(b, ir_mul(b, up, c), shifted);
    ir_ref both = ir_op2(b, OP_and, mid, low);
    ir_ref mid2 = ir_add(b, ir_mul(b, a, d), both);
    ir_ref right = ir_op2(b, OP_shr_logical, mid2, half);
    ir_ref sum = ir_add(b, ir_op2(b, OP_shr_logical, mid, half), right);
    ir_ref top = ir_add(b, ir_mul(b, up, d), sum);
    for (int k = 0; sign && k < 2; k++)
        top = ir_sub(
            b, top,
            ir_select(b, ir_op2(b, OP_lt, e->in[k], ir_like(b, e->in[k], 0)), k ? x : y, zero));
    e->out[0] = sign && top ? ir_node1(b, OP_bitcast, 1, &top, &back) : top;
}

/* The greater (lesser) complex number: by the real parts, then by the imaginary ones. */
static ir_ref
by_parts(hlo_emit *e, bool most, ir_ref x, ir_ref y)
{
    ir_build *b = e->b;
    const ir_op than = most ? OP_gt : OP_lt;
    const ir_ref re[2] = { ir_op1(b, OP_real, x), ir_op1(b, OP_real, y) };
    const ir_ref im[2] = { ir_op1(b, OP_imag, x), ir_op1(b, OP_imag, y) };

    if (!re[0] || !re[1] || !im[0] || !im[1])
        return IR_NONE;
    ir_ref right = ir_op2(b, than, im[0], im[1]);
    ir_ref tie = ir_op2(b, OP_and, ir_op2(b, OP_eq, re[0], re[1]), right);
    return ir_select(b, ir_op2(b, OP_or, ir_op2(b, than, re[0], re[1]), tie), x, y);
}

static ir_ref
two(hlo_emit *e, const char *op, ir_ref x, ir_ref y)
{
    if (ir_is_complex(ir_btype(e->b, x)->dtype) &&
        (strcmp(op, "max") == 0 || strcmp(op, "min") == 0))
        return by_parts(e, *op == 'm' && op[1] == 'a', x, y);

    static const char *const of_bool[][2] = {
        { "add", "or" }, { "max", "or" }, { "mul", "and" }, { "min", "and" }, { "sub", "xor" }
    };

    for (size_t i = 0;
         ir_btype(e->b, x)->dtype == COT_BOOL && i < sizeof of_bool / sizeof *of_bool; i++)
        if (strcmp(op, of_bool[i][0]) == 0)
            return fe_hlo_op(e, of_bool[i][1], 2, (const ir_ref[]){ x, y });
    return fe_hlo_op(e, op, 2, (const ir_ref[]){ x, y });
}

void
fe_hlo_binary(hlo_emit *e)
{
    e->out[0] = two(e, e->row->op, e->in[0], e->in[1]);
}

/* ---- broadcasting, of chlo ---- */

/* Both operands at the rank of the larger one: axes of the smaller go to broadcast_dimensions,
 * or to the last. */
static bool
meet(hlo_emit *e, ir_ref *to)
{
    const ir_type *t[2] = { fe_hlo_in_type(e, 0), fe_hlo_in_type(e, 1) };
    const int small = t[0]->rank <= t[1]->rank ? 0 : 1, rank = t[!small]->rank;
    int64_t dims[COT_MAX_RANK], shape[COT_MAX_RANK];
    ir_ints at;

    for (int k = 0; k < t[small]->rank; k++)
        dims[k] = rank - t[small]->rank + k;
    if (fe_hlo_find(e->op, "broadcast_dimensions", NULL)) {
        if (!fe_hlo_ints(e, "broadcast_dimensions", NULL, t[small]->rank, 0, &at))
            return false;
        memcpy(dims, at.at, sizeof *dims * (size_t)at.n);
    }
    memcpy(shape, t[!small]->dims, sizeof *shape * (size_t)rank);
    for (int k = 0; k < t[small]->rank; k++) {
        if (dims[k] < 0 || dims[k] >= rank) {
            fe_hlo_fail(e, "broadcast_dimensions[%d] is %lld; wants an axis", k,
                        (long long)dims[k]);
            return false;
        }
        if (shape[dims[k]] == 1)
            shape[dims[k]] = t[small]->dims[k];
    }
    to[small] = ir_broadcast_in_dim(e->b, e->in[small], rank, shape, dims);
    for (int k = 0; k < rank; k++)
        dims[k] = k;
    to[!small] = ir_broadcast_in_dim(e->b, e->in[!small], rank, shape, dims);
    return to[0] && to[1];
}

void
fe_hlo_broadcasting(hlo_emit *e)
{
    ir_ref x[2];

    if (meet(e, x))
        e->out[0] = two(e, e->row->op, x[0], x[1]);
}

/* The predicate and both choices at their common shape; what is of lower rank goes to the last
 * axes. */
void
fe_hlo_broadcast_select(hlo_emit *e)
{
    int64_t shape[COT_MAX_RANK], dims[COT_MAX_RANK];
    ir_ref x[3];
    int rank = 0;

    for (int i = 0; i < 3; i++)
        rank = fe_hlo_in_type(e, i)->rank > rank ? fe_hlo_in_type(e, i)->rank : rank;
    for (int k = 0; k < rank; k++)
        shape[k] = 1;
    for (int i = 0; i < 3; i++) {
        const ir_type *t = fe_hlo_in_type(e, i);
        for (int k = 0; k < t->rank; k++)
            if (shape[rank - t->rank + k] == 1)
                shape[rank - t->rank + k] = t->dims[k];
    }
    for (int i = 0; i < 3; i++) {
        const int own = fe_hlo_in_type(e, i)->rank;
        for (int k = 0; k < own; k++)
            dims[k] = rank - own + k;
        x[i] = ir_broadcast_in_dim(e->b, e->in[i], rank, shape, dims);
    }
    e->out[0] = ir_select(e->b, x[0], x[1], x[2]);
}

/* ---- comparison ---- */

static ir_ref
compare(hlo_emit *e, ir_ref x, ir_ref y)
{
    static const struct {
        const char *name;
        ir_op op;
    } row[] = { { "EQ", OP_eq }, { "NE", OP_ne }, { "LT", OP_lt },
                { "LE", OP_le }, { "GT", OP_gt }, { "GE", OP_ge } };
    const hlo_span direction = fe_hlo_enum(e, "comparison_direction", "0"),
                   type = fe_hlo_enum(e, "compare_type", "1");
    const bool total = fe_hlo_is(type, "TOTALORDER") && ir_is_float(ir_btype(e->b, x)->dtype);

    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (fe_hlo_is(direction, row[i].name)) {
            y = total ? fe_hlo_total(e->b, y) : y;
            x = total ? fe_hlo_total(e->b, x) : x;
            return ir_op2(e->b, row[i].op, x, y);
        }
    fe_hlo_fail(e, "compares by '%.*s'; wants EQ, NE, LT, LE, GT or GE", (int)direction.n,
                direction.n ? direction.at : "");
    return IR_NONE;
}

/* Signed integers in the order -NaN, -inf, ..., -0, 0, ..., inf, NaN: IEEE 754, 5.10. */
ir_ref
fe_hlo_total(ir_build *b, ir_ref x)
{
    const ir_type *t = ir_btype(b, x);
    const int bits = 8 * (int)cot_dtype_size(t->dtype);
    const cot_dtype as = bits == 16 ? COT_I16 : bits == 32 ? COT_I32 : COT_I64;
    ir_ref i = ir_node1(b, OP_bitcast, 1, &x, &(ir_attrs){ .dtype = { as } });
    const ir_type *it = ir_type_as(b->ctx, t, as);
    const int64_t most = bits == 16 ? INT16_MAX : bits == 32 ? INT32_MAX : INT64_MAX;
    ir_ref flipped = ir_op2(b, OP_xor, i, ir_splat_int(b, it, most));

    return i ? ir_select(b, ir_op2(b, OP_lt, i, ir_splat_int(b, it, 0)), flipped, i) : IR_NONE;
}

void
fe_hlo_compare(hlo_emit *e)
{
    e->out[0] = compare(e, e->in[0], e->in[1]);
}

void
fe_hlo_broadcast_compare(hlo_emit *e)
{
    ir_ref x[2];

    if (meet(e, x))
        e->out[0] = compare(e, x[0], x[1]);
}

/* ---- choice ---- */

ir_ref
fe_hlo_as_wide(hlo_emit *e, ir_ref x, ir_ref like)
{
    const ir_type *t = ir_btype(e->b, x), *want = ir_btype(e->b, like);

    if (t->rank > 0 || want->rank == 0)
        return x;
    return ir_broadcast_in_dim(e->b, x, want->rank, want->dims, NULL);
}

void
fe_hlo_clamp(hlo_emit *e)
{
    ir_ref wide = fe_hlo_as_wide(e, e->in[2], e->in[1]);
    e->out[0] = ir_op3(e->b, OP_clamp, fe_hlo_as_wide(e, e->in[0], e->in[1]), e->in[1], wide);
}

/* ---- powers ---- */

/* The exponent is the same number everywhere: repeated squaring has a derivative that the
 * general power lacks at 0. */
static bool
small_power(hlo_emit *e, int64_t *y)
{
    double x;

    if (!ir_is_splat(e->b, e->in[1], &x) || x != floor(x) || fabs(x) > 64)
        return false;
    *y = (int64_t)x;
    return *y >= 0;
}

/* x^y by the bits of y, the lowest first.  Of negative y: 1 for 1, 1 or -1 for -1, else 0. */
static ir_ref
integer_power(hlo_emit *e, ir_ref x, ir_ref y)
{
    ir_build *b = e->b;
    const ir_type *t = ir_btype(b, x);
    ir_ref one = ir_splat_int(b, t, 1), zero = ir_splat_int(b, t, 0), r = one, p = x, bit;

    for (int i = 0; i < ir_bits(t->dtype) && r; i++) {
        bit = ir_op2(b, OP_and, ir_op2(b, OP_shr_logical, y, ir_splat_int(b, t, i)), one);
        ir_ref product = ir_mul(b, r, p);
        r = ir_select(b, ir_op2(b, OP_ne, bit, zero), product, r);
        p = ir_mul(b, p, p);
    }
    if (!ir_is_signed(t->dtype) || !r)
        return r;
    ir_ref minus = ir_splat_int(b, t, -1),
           odd = ir_op2(b, OP_ne, ir_op2(b, OP_and, y, one), zero);
    ir_ref chosen = ir_select(b, odd, minus, one);
    ir_ref otherwise = ir_select(b, ir_op2(b, OP_eq, x, minus), chosen, zero);
    ir_ref low = ir_select(b, ir_op2(b, OP_eq, x, one), one, otherwise);
    return ir_select(b, ir_op2(b, OP_lt, y, zero), low, r);
}

void
fe_hlo_power(hlo_emit *e)
{
    int64_t y;

    if (ir_is_int(in_dtype(e, 0)))
        e->out[0] = integer_power(e, e->in[0], e->in[1]);
    else if (ir_is_float(in_dtype(e, 0)) && small_power(e, &y) && y <= 3)
        e->out[0] = ir_integer_pow(e->b, e->in[0], y);
    else
        e->out[0] = fe_hlo_op(e, "pow", 2, e->in);
}

void
fe_hlo_square(hlo_emit *e)
{
    e->out[0] = ir_mul(e->b, e->in[0], e->in[0]);
}

void
fe_hlo_is_inf(hlo_emit *e)
{
    const bool both = *e->row->op == '\0';
    ir_ref x = both ? ir_op1(e->b, OP_abs, e->in[0]) : e->in[0];

    e->out[0] =
        ir_op2(e->b, OP_eq, x,
               ir_like(e->b, x, *e->row->op == '-' ? -(double)INFINITY : (double)INFINITY));
}

/* ---- constants and types ---- */

void
fe_hlo_constant(hlo_emit *e)
{
    const hlo_attr *a = fe_hlo_find(e->op, "value", NULL);
    const ir_type *t = fe_hlo_out_type(e, 0);
    ir_data data;

    if (!t)
        return;
    if (!a || a->kind != HLO_DENSE) {
        fe_hlo_fail(
            e,
            "has no dense<> with its elements; text with elided constants cannot be imported");
        return;
    }
    if (a->type->type != t) {
        fe_hlo_fail(e, "the elements are %.*s; wants %s", (int)a->type->text.n,
                    a->type->text.at, ir_type_str(e->b->ctx, t));
        return;
    }
    data = a->splat ? ir_data_splat(e->b->arena, t, a->bytes)
                    : ir_data_new(e->b->arena, t, a->bytes ? a->bytes : "");
    e->out[0] = ir_node1(e->b, OP_constant, 0, NULL, &(ir_attrs){ .constant = { data } });
}

void
fe_hlo_constant_like(hlo_emit *e)
{
    const hlo_attr *a = fe_hlo_find(e->op, "value", NULL);

    if (!a || (a->kind != HLO_INT && a->kind != HLO_REAL))
        fe_hlo_fail(e, "attribute value is no number");
    else
        e->out[0] = ir_like(e->b, e->in[0], a->kind == HLO_INT ? (double)a->i : a->x);
}

void
fe_hlo_convert(hlo_emit *e)
{
    const hlo_type *t = fe_hlo_declared(e, 0);
    const bool part = t && ir_is_complex(in_dtype(e, 0)) && !ir_is_complex(t->dtype);
    ir_ref x = e->in[0];

    if (!t)
        return;
    x = part ? ir_op1(e->b, OP_real, x) : x; /* of a complex number the real part counts */
    if (t->small && x && ir_is_inexact(ir_btype(e->b, x)->dtype))
        x = fe_hlo_saturated(e->b, t->small, x);
    e->out[0] = ir_convert(e->b, x, t->dtype);
}

/* To e bits of exponent and m of mantissa, nearest even. */
void
fe_hlo_reduce_precision(hlo_emit *e)
{
    const hlo_span f = fe_hlo_enum(e, "format", NULL);
    int64_t part[2] = { fe_hlo_int_or(e, "exponent_bits", 0),
                        fe_hlo_int_or(e, "mantissa_bits", -1) };
    int k = -1;

    for (size_t i = 0; i < f.n && i < 16; i++) { /* e5m10 */
        if (f.at[i] == 'e' || f.at[i] == 'm')
            part[k = f.at[i] == 'm'] = 0;
        else if (k >= 0 && f.at[i] >= '0' && f.at[i] <= '9' && part[k] < 1000)
            part[k] = 10 * part[k] + (f.at[i] - '0');
    }
    e->out[0] = ir_node1(e->b, OP_reduce_precision, 1, e->in,
                         &(ir_attrs){ .precision = { part[0], part[1] } });
}

/* ---- one device ---- */

void
fe_hlo_barrier(hlo_emit *e)
{
    for (int i = 0; i < e->n_out && i < e->n_in; i++)
        e->out[i] = e->in[i] ? ir_op1(e->b, OP_barrier, e->in[i]) : IR_NONE;
}

void
fe_hlo_same(hlo_emit *e)
{
    e->out[0] = e->in[0];
}

void
fe_hlo_zero(hlo_emit *e)
{
    const ir_type *t = fe_hlo_out_type(e, 0);

    if (t)
        e->out[0] = ir_splat_int(e->b, t, 0);
}

void
fe_hlo_token(hlo_emit *e)
{
    (void)e;
}
