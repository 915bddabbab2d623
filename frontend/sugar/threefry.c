/* JAX's threefry2x32 keys: u32[2], with jax_threefry_partitionable (the default of JAX 0.10).
 *
 *   key      the halves of the seed
 *   split    key i is both words at the counter i; fold_in: both words at the counter n
 *   bits     of 32: the xor of both words at the counter i; of 64: both words
 *   uniform  the top 23 bits as the fraction of a float in [1, 2), less 1
 *   normal   sqrt(2) erfinv of a uniform number in (-1, 1); erfinv as XLA has it: M. Giles,
 *            Approximating the erfinv function, GPU Computing Gems, 2011 */
#include "cotrace/random.h"
#include "frontend/trace.h"

/* The key as one number, first word above. */
static ir_ref
packed(ir_build *b, const char *op, ir_ref key, const ir_type *shape)
{
    ir_ref half[2];
    const ir_type *t = key ? ir_btype(b, key) : NULL;

    if (!t)
        return IR_NONE;
    if (t->dtype != COT_U32 || t->rank != 1 || t->dims[0] != 2) {
        ir_build_fail(b, op, ERR_random_key, ir_type_str(b->ctx, t), "u32[2]");
        return IR_NONE;
    }
    for (int i = 0; i < 2; i++)
        half[i] = ir_convert(
            b, ir_reshape(b, ir_slice_axis(b, key, 0, i, i + 1), 0, NULL), COT_U64);
    ir_ref by = ir_splat_int(b, ir_scalar_type(b->ctx, COT_U64), 32);
    ir_ref k = ir_op2(b, OP_or, ir_op2(b, OP_shl, half[0], by), half[1]);
    return ir_broadcast_scalar(b, k, shape);
}

/* Both words at the counters 0 ... size - 1, first above. */
static ir_ref
words(ir_build *b, const char *op, ir_ref key, int64_t size)
{
    ir_ref n = ir_iota(b, COT_U64, 1, &size, 0);
    ir_ref k = n ? packed(b, op, key, ir_btype(b, n)) : IR_NONE;

    return k ? ir_op2(b, OP_threefry, k, n) : IR_NONE;
}

static ir_ref
upper(ir_build *b, ir_ref x)
{
    return x ? ir_op2(b, OP_shr_logical, x, ir_splat_int(b, ir_btype(b, x), 32)) : IR_NONE;
}

static ir_ref
lower(ir_build *b, ir_ref x)
{
    return x ? ir_op2(b, OP_and, x, ir_splat_int(b, ir_btype(b, x), 0xffffffff)) : IR_NONE;
}

/* u64[...] as u32[..., 2]. */
static ir_ref
unpacked(ir_build *b, ir_ref x)
{
    ir_ref half[2] = { upper(b, x), lower(b, x) };
    int rank = x ? ir_btype(b, x)->rank : 0;

    for (int i = 0; i < 2; i++)
        half[i] =
            half[i] ? ir_broadcast_axis(b, ir_convert(b, half[i], COT_U32), rank, 1) : IR_NONE;
    return ir_concatenate(b, 2, half, rank);
}

static ir_ref
split(ir_build *b, const fe_arg *x, int n, const void *options)
{
    (void)n;
    return unpacked(b, words(b, "threefry_split", x[0].ref, *(const int64_t *)options));
}

static ir_ref
fold_in(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const ir_type *t = ir_scalar_type(b->ctx, COT_U64);
    ir_ref k = packed(b, "threefry_fold_in", x[0].ref, t);

    (void)n;
    return k ? unpacked(
                   b, ir_op2(b, OP_threefry, k, ir_splat_int(b, t, *(const uint32_t *)options)))
             : IR_NONE;
}

static ir_ref
bits32(ir_build *b, const char *op, ir_ref key, const ir_type *t)
{
    ir_ref w = words(b, op, key, t->size);
    ir_ref low = w ? lower(b, w) : IR_NONE;
    ir_ref mixed = w ? ir_op2(b, OP_xor, upper(b, w), low) : IR_NONE;

    return mixed ? ir_reshape(b, ir_convert(b, mixed, COT_U32), t->rank, t->dims) : IR_NONE;
}

static const ir_type *
type_in(ir_build *b, const char *op, const cot_type *type, cot_dtype a, cot_dtype or,
        const char *wanted)
{
    const ir_type *t = ir_type_of(b->ctx, type);

    if (!t)
        b->status = b->ctx->status;
    if (!t || t->dtype == a || t->dtype == or)
        return t;
    ir_build_fail(b, op, ERR_dtype_not, ir_type_str(b->ctx, t), wanted);
    return NULL;
}

static ir_ref
bits(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const ir_type *t = type_in(b, "threefry_bits", options, COT_U32, COT_U64, "u32 or u64");

    (void)n;
    if (!t)
        return IR_NONE;
    if (t->dtype == COT_U64)
        return ir_reshape(b, words(b, "threefry_bits", x[0].ref, t->size), t->rank, t->dims);
    return bits32(b, "threefry_bits", x[0].ref, t);
}

static ir_ref
uniform01(ir_build *b, const char *op, ir_ref key, const ir_type *t)
{
    ir_ref u = bits32(b, op, key, t);

    if (!u)
        return IR_NONE;
    u = ir_op2(b, OP_shr_logical, u, ir_splat_int(b, ir_btype(b, u), 9));
    u = ir_op2(b, OP_or, u, ir_splat_int(b, ir_btype(b, u), 0x3f800000));
    u = ir_node1(b, OP_bitcast, 1, &u, &(ir_attrs){ .dtype = { COT_F32 } });
    return ir_sub(b, u, ir_like(b, u, 1));
}

static ir_ref
uniform(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const ir_type *t = type_in(b, "threefry_uniform", options, COT_F32, COT_F32, "f32");

    (void)n;
    return t ? uniform01(b, "threefry_uniform", x[0].ref, t) : IR_NONE;
}

static ir_ref
polynomial(ir_build *b, ir_ref x, int n, const float *c)
{
    ir_ref y = ir_like(b, x, c[0]);

    for (int i = 1; i < n; i++) {
        ir_ref constant = ir_like(b, x, c[i]);
        y = ir_add(b, ir_mul(b, y, x), constant);
    }
    return y;
}

static ir_ref
erfinv(ir_build *b, ir_ref x)
{
    static const float middle[9] = { 2.81022636e-08f, 3.43273939e-07f,  -3.5233877e-06f,
                                     -4.39150654e-06f, 0.00021858087f,  -0.00125372503f,
                                     -0.00417768164f, 0.246640727f,     1.50140941f },
                       tails[9] = { -0.000200214257f, 0.000100950558f, 0.00134934322f,
                                    -0.00367342844f,  0.00573950773f,  -0.0076224613f,
                                    0.00943887047f,   1.00167406f,     2.83297682f };
    ir_ref w = ir_neg(b, ir_op1(b, OP_log1p, ir_neg(b, ir_mul(b, x, x))));
    ir_ref near = polynomial(b, ir_sub(b, w, ir_like(b, w, 2.5)), 9, middle);
    ir_ref three = ir_like(b, w, 3);
    ir_ref far = polynomial(b, ir_sub(b, ir_op1(b, OP_sqrt, w), three), 9, tails);

    return ir_mul(b, x, ir_select(b, ir_op2(b, OP_lt, w, ir_like(b, w, 5)), near, far));
}

static ir_ref
normal(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const float low = -0x1.fffffep-1f;
    const ir_type *t = type_in(b, "threefry_normal", options, COT_F32, COT_F32, "f32");
    ir_ref u = t ? uniform01(b, "threefry_normal", x[0].ref, t) : IR_NONE;

    (void)n;
    if (!u)
        return IR_NONE;
    ir_ref constant = ir_like(b, u, (double)low);
    u = ir_add(b, ir_mul(b, u, ir_like(b, u, (double)(1.0f - low))), constant);
    u = ir_op2(b, OP_max, u, ir_like(b, u, (double)low));
    ir_ref factor = ir_like(b, u, 1.4142135623730951);
    return ir_mul(b, erfinv(b, u), factor);
}

cot_value
cot_threefry_key_(cot_place at, cot_trace *t, uint64_t seed)
{
    const uint32_t word[2] = { (uint32_t)(seed >> 32), (uint32_t)seed };

    return cot_constant_(at, t, (cot_type){ COT_U32, 1, { 2 }, NULL }, word);
}

cot_value
cot_threefry_fold_in_(cot_place at, cot_value key, uint32_t n)
{
    return fe_apply1(at, "threefry_fold_in", fold_in, key, &n);
}

cot_value
cot_threefry_split_(cot_place at, cot_value key, int64_t n)
{
    return fe_apply1(at, "threefry_split", split, key, &n);
}

cot_value
cot_threefry_bits_(cot_place at, cot_value key, cot_type type)
{
    return fe_apply1(at, "threefry_bits", bits, key, &type);
}

cot_value
cot_threefry_uniform_(cot_place at, cot_value key, cot_type type)
{
    return fe_apply1(at, "threefry_uniform", uniform, key, &type);
}

cot_value
cot_threefry_normal_(cot_place at, cot_value key, cot_type type)
{
    return fe_apply1(at, "threefry_normal", normal, key, &type);
}
