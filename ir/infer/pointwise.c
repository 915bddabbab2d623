/* Types of pointwise ops: operands of one type (but for select), a result of the same shape. */
#include "ir/infer/infer.h"

static bool
dtype_known(cot_dtype t)
{
    return t > COT_DTYPE_NONE && t < COT_DTYPE_COUNT;
}

/* Operands first ... n_in-1 have equal types. */
static int
equal_from(const infer_ctx *c, int first)
{
    const ir_type *x = c->in[first];

    for (int i = first + 1; i < c->n_in; i++) {
        const ir_type *y = c->in[i];

        if (!ir_same_shape(x, y))
            return INFER_FAIL(c, ERR_shapes_differ, infer_str(c, x), infer_str(c, y));
        if (x->dtype != y->dtype)
            return INFER_FAIL(c, ERR_dtypes_differ, infer_str(c, x), infer_str(c, y));
    }
    return 0;
}

/* Equal operands whose element type is one of `wanted`; the result has type t, or theirs. */
static int
uniform(const infer_ctx *c, bool ok, const char *wanted, cot_dtype t)
{
    if (infer_dtype_is(c, 0, ok, wanted) < 0 || equal_from(c, 0) < 0)
        return -1;
    return infer_one(c, t ? ir_type_as(c->b->ctx, c->in[0], t) : c->in[0]);
}

int
infer_same(const infer_ctx *c)
{
    return uniform(c, true, "", COT_DTYPE_NONE);
}

int
infer_number(const infer_ctx *c)
{
    return uniform(c, infer_is_number(c->in[0]->dtype), "a number", COT_DTYPE_NONE);
}

int
infer_real(const infer_ctx *c)
{
    return uniform(c, infer_is_real(c->in[0]->dtype), infer_real_name(c->in[0]->dtype),
                   COT_DTYPE_NONE);
}

/* What has an order: anything but complex numbers. */
int
infer_ordered(const infer_ctx *c)
{
    return uniform(c, !ir_is_complex(c->in[0]->dtype), "a type that has an order",
                   COT_DTYPE_NONE);
}

int
infer_order(const infer_ctx *c)
{
    return uniform(c, !ir_is_complex(c->in[0]->dtype), "a type that has an order", COT_BOOL);
}

int
infer_abs(const infer_ctx *c)
{
    const cot_dtype t = c->in[0]->dtype;
    return uniform(c, infer_is_number(t), "a number", ir_part_type(t));
}

int
infer_inexact(const infer_ctx *c)
{
    return uniform(c, ir_is_inexact(c->in[0]->dtype), "a floating type", COT_DTYPE_NONE);
}

int
infer_complex(const infer_ctx *c)
{
    const cot_dtype t = ir_complex_type(c->in[0]->dtype);
    return uniform(c, t != COT_DTYPE_NONE, "f32 or f64", t);
}

int
infer_part(const infer_ctx *c)
{
    const cot_dtype t = c->in[0]->dtype;
    return uniform(c, ir_is_complex(t), "a complex type", ir_part_type(t));
}

int
infer_conj(const infer_ctx *c)
{
    return uniform(c, ir_is_complex(c->in[0]->dtype), "a complex type", COT_DTYPE_NONE);
}

int
infer_floating(const infer_ctx *c)
{
    return uniform(c, ir_is_float(c->in[0]->dtype),
                   ir_is_complex(c->in[0]->dtype) ? "a real floating type" : "a floating type",
                   COT_DTYPE_NONE);
}

int
infer_classify(const infer_ctx *c)
{
    return uniform(c, ir_is_inexact(c->in[0]->dtype), "a floating type", COT_BOOL);
}

int
infer_bits(const infer_ctx *c)
{
    return uniform(c, infer_is_bits(c->in[0]->dtype), "an integer or bool", COT_DTYPE_NONE);
}

int
infer_integer(const infer_ctx *c)
{
    return uniform(c, ir_is_int(c->in[0]->dtype), "an integer", COT_DTYPE_NONE);
}

int
infer_compare(const infer_ctx *c)
{
    return uniform(c, true, "", COT_BOOL);
}

int
infer_ipow(const infer_ctx *c)
{
    if (c->at->ipow.y < 0 && !ir_is_inexact(c->in[0]->dtype))
        return infer_dtype_is(c, 0, false, "a floating type, as y is negative");
    return infer_number(c);
}

int
infer_convert(const infer_ctx *c)
{
    cot_dtype t = c->at->dtype.dtype;

    if (!dtype_known(t))
        return INFER_FAIL(c, ERR_dtype_unknown, (int)t);
    return infer_one(c, ir_type_as(c->b->ctx, c->in[0], t));
}

int
infer_bitcast(const infer_ctx *c)
{
    cot_dtype t = c->at->dtype.dtype;

    if (!dtype_known(t))
        return INFER_FAIL(c, ERR_dtype_unknown, (int)t);
    if (ir_is_complex(t) || ir_is_complex(c->in[0]->dtype))
        return infer_dtype_is(c, 0, t == c->in[0]->dtype, "no complex type on either side");
    if (ir_bits(t) != ir_bits(c->in[0]->dtype))
        return INFER_FAIL(
            c, ERR_dtype_not, infer_str(c, c->in[0]),
            ir_format(c->b->arena, "an element type as wide as %s", cot_dtype_name(t)));
    return infer_one(c, ir_type_as(c->b->ctx, c->in[0], t));
}

int
infer_select(const infer_ctx *c)
{
    if (infer_dtype_is(c, 0, c->in[0]->dtype == COT_BOOL, "bool") < 0 || equal_from(c, 1) < 0)
        return -1;
    if (!ir_same_shape(c->in[0], c->in[1]))
        return INFER_FAIL(c, ERR_shapes_differ, infer_str(c, c->in[0]), infer_str(c, c->in[1]));
    return infer_one(c, c->in[1]);
}

int
infer_precision(const infer_ctx *c)
{
    const int64_t e = c->at->precision.exponent_bits, m = c->at->precision.mantissa_bits;

    if (e < 1 || e > 63 || m < 0 || m > 63)
        return INFER_FAIL(
            c, ERR_attr_wrong,
            ir_format(c->b->arena,
                      "exponent_bits is %lld, mantissa_bits %lld; wants 1 ... 63, 0 ... 63",
                      (long long)e, (long long)m));
    return infer_floating(c);
}

int
infer_counter(const infer_ctx *c)
{
    if (c->n_in == 3 && c->at->word.word != 0 && c->at->word.word != 1)
        return INFER_FAIL(c, ERR_attr_wrong,
                          ir_format(c->b->arena, "word is %lld; wants 0 or 1",
                                    (long long)c->at->word.word));
    return uniform(c, c->in[0]->dtype == COT_U64, "u64", COT_DTYPE_NONE);
}
