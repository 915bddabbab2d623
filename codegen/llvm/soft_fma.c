/* fma in f64 without fma instructions, exact for every input.
 *
 * Method of FreeBSD's s_fma.c (D. Schultz), after S. Boldo and G. Melquiond (IEEE TC 57, 2008),
 * made branch-free: scale the operands to [1/2, 1); multiply them exactly into hi + lo (T.
 * Dekker's splitting); add the scaled z exactly to hi; add the small parts rounded to odd; the
 * last addition, or the scaling into the subnormals, then rounds once.  It is a function of the
 * module, which is called for each lane, since only machines without fma need it. */
#include "codegen/llvm/emit.h"

typedef struct soft {
    cg_ll_emit *e;
    LLVMBuilderRef b;
    LLVMTypeRef f64, i64;
} soft;

static LLVMValueRef
real(const soft *s, double x)
{
    return LLVMConstReal(s->f64, x);
}
static LLVMValueRef
whole(const soft *s, int64_t x)
{
    return LLVMConstInt(s->i64, (uint64_t)x, 1);
}
static LLVMValueRef
bits_of(const soft *s, LLVMValueRef x)
{
    return LLVMBuildBitCast(s->b, x, s->i64, "");
}
static LLVMValueRef
from_bits(const soft *s, LLVMValueRef x)
{
    return LLVMBuildBitCast(s->b, x, s->f64, "");
}
static LLVMValueRef
add(const soft *s, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildFAdd(s->b, x, y, "");
}
static LLVMValueRef
sub(const soft *s, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildFSub(s->b, x, y, "");
}
static LLVMValueRef
mul(const soft *s, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildFMul(s->b, x, y, "");
}
static LLVMValueRef
iadd(const soft *s, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildAdd(s->b, x, y, "");
}
static LLVMValueRef
isub(const soft *s, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildSub(s->b, x, y, "");
}

static LLVMValueRef
pick(const soft *s, LLVMValueRef c, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildSelect(s->b, c, x, y, "");
}

static LLVMValueRef
clamp(const soft *s, LLVMValueRef x, int64_t lo, int64_t hi)
{
    x = pick(s, LLVMBuildICmp(s->b, LLVMIntSLT, x, whole(s, lo), ""), whole(s, lo), x);
    return pick(s, LLVMBuildICmp(s->b, LLVMIntSGT, x, whole(s, hi), ""), whole(s, hi), x);
}

/* 2^n for -1022 <= n <= 1023. */
static LLVMValueRef
power(const soft *s, LLVMValueRef n)
{
    return from_bits(s, LLVMBuildShl(s->b, iadd(s, n, whole(s, 1023)), whole(s, 52), ""));
}

/* x 2^n, rounded once: all steps but the last have normal results, unless the whole underflows
 * to zero. */
static LLVMValueRef
scale(const soft *s, LLVMValueRef x, LLVMValueRef n)
{
    LLVMValueRef first = clamp(s, n, -900, 900), rest = isub(s, n, first);
    LLVMValueRef second = clamp(s, rest, -1000, 1000),
                 third = clamp(s, isub(s, rest, second), -1000, 1000);

    return mul(s, mul(s, mul(s, x, power(s, first)), power(s, second)), power(s, third));
}

static LLVMValueRef
exponent_bits(const soft *s, LLVMValueRef x)
{
    LLVMValueRef e = LLVMBuildLShr(s->b, bits_of(s, x), whole(s, 52), "");

    return LLVMBuildAnd(s->b, e, whole(s, 0x7ff), "");
}

/* x = fraction 2^exponent with the fraction in [1/2, 1), for finite x other than 0. */
static void
part(const soft *s, LLVMValueRef x, LLVMValueRef *fraction, LLVMValueRef *exponent)
{
    LLVMValueRef tiny = LLVMBuildICmp(s->b, LLVMIntEQ, exponent_bits(s, x), whole(s, 0), "");
    LLVMValueRef y = pick(s, tiny, mul(s, x, real(s, 0x1p54)), x),
                 bias = pick(s, tiny, whole(s, 1022 + 54), whole(s, 1022));
    LLVMValueRef low =
        LLVMBuildAnd(s->b, bits_of(s, y), whole(s, (int64_t)0x800fffffffffffffu), "");

    *exponent = isub(s, exponent_bits(s, y), bias);
    *fraction = from_bits(s, LLVMBuildOr(s->b, low, whole(s, (int64_t)1022 << 52), ""));
}

/* x y = hi + lo exactly. */
static void
product(const soft *s, LLVMValueRef x, LLVMValueRef y, LLVMValueRef *hi, LLVMValueRef *lo)
{
    LLVMValueRef split = real(s, 0x1p27 + 1), px = mul(s, x, split), py = mul(s, y, split);
    LLVMValueRef x1 = add(s, sub(s, x, px), px), y1 = add(s, sub(s, y, py), py);
    LLVMValueRef x2 = sub(s, x, x1), y2 = sub(s, y, y1), p = mul(s, x1, y1);
    LLVMValueRef q = add(s, mul(s, x1, y2), mul(s, x2, y1));

    *hi = add(s, p, q);
    *lo = add(s, add(s, sub(s, p, *hi), q), mul(s, x2, y2));
}

static LLVMValueRef
sum_to_odd(const soft *s, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef sum = add(s, x, y);

    return cg_ll_to_odd(s->e, sum, cg_ll_sum_error(s->e, x, y, sum));
}

/* (x + y) 2^n where the result is subnormal. x + y is rounded to odd at the bit above the last
 * that the result keeps.  If that bit is the last of the sum, the scaling rounds correctly
 * without it. */
static LLVMValueRef
sum_subnormal(const soft *s, LLVMValueRef x, LLVMValueRef y, LLVMValueRef n)
{
    LLVMValueRef sum = add(s, x, y), err = cg_ll_sum_error(s->e, x, y, sum),
                 bits = bits_of(s, sum);
    LLVMValueRef lost = isub(s, whole(s, 1), iadd(s, exponent_bits(s, sum), n));
    LLVMValueRef one_lost = LLVMBuildICmp(s->b, LLVMIntEQ, lost, whole(s, 1), "");
    LLVMValueRef odd = LLVMBuildTrunc(s->b, bits, s->e->l->i1, "");
    LLVMValueRef wants = LLVMBuildXor(s->b, LLVMBuildNot(s->b, one_lost, ""), odd, "");
    LLVMValueRef inexact = LLVMBuildFCmp(s->b, LLVMRealONE, err, real(s, 0), "");
    LLVMValueRef inward = LLVMBuildICmp(
        s->b, LLVMIntSLT, LLVMBuildXor(s->b, bits, bits_of(s, err), ""), whole(s, 0), "");
    LLVMValueRef step = pick(s, inward, whole(s, -1), whole(s, 1));

    step = pick(s, LLVMBuildAnd(s->b, wants, inexact, ""), step, whole(s, 0));
    return scale(s, from_bits(s, iadd(s, bits, step)), n);
}

/* x, y, z finite and not 0, z not negligible. */
static LLVMValueRef
general(const soft *s, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z)
{
    LLVMValueRef xf, yf, zf, xe, ye, ze, hi, lo, limit = whole(s, 106);

    part(s, x, &xf, &xe);
    part(s, y, &yf, &ye);
    part(s, z, &zf, &ze);
    LLVMValueRef n = iadd(s, xe, ye), spread = isub(s, n, ze);
    LLVMValueRef far = LLVMBuildICmp(s->b, LLVMIntSGT, spread, limit, "");
    LLVMValueRef near = mul(s, zf, power(s, isub(s, whole(s, 0), clamp(s, spread, -60, 106))));
    LLVMTypeRef t = s->f64;
    LLVMValueRef least = cg_ll_intrinsic(s->e->l, s->b, "llvm.copysign", 1, &t, 2,
                                         (LLVMValueRef[]){ real(s, 0x1p-1022), zf });
    zf = pick(s, far, least, near);
    product(s, xf, yf, &hi, &lo);
    LLVMValueRef r = add(s, hi, zf), r_low = cg_ll_sum_error(s->e, hi, zf, r);
    LLVMValueRef cancelled = LLVMBuildFCmp(s->b, LLVMRealOEQ, r, real(s, 0), "");
    LLVMValueRef adjust = sum_to_odd(s, r_low, lo);
    LLVMValueRef top = isub(s, exponent_bits(s, r), whole(s, 1023));
    LLVMValueRef normal = LLVMBuildICmp(s->b, LLVMIntSGT, iadd(s, n, top), whole(s, -1023), "");
    LLVMValueRef y1 = scale(s, add(s, r, adjust), n), y2 = sum_subnormal(s, r, adjust, n);
    LLVMValueRef exact =
        pick(s, LLVMBuildFCmp(s->b, LLVMRealOEQ, lo, real(s, 0), ""), r, scale(s, lo, n));

    return pick(s, cancelled, exact, pick(s, normal, y1, y2));
}

static LLVMValueRef
is_zero(const soft *s, LLVMValueRef x)
{
    return LLVMBuildFCmp(s->b, LLVMRealOEQ, x, real(s, 0), "");
}

static LLVMValueRef
is_special(const soft *s, LLVMValueRef x)
{
    return LLVMBuildICmp(s->b, LLVMIntEQ, exponent_bits(s, x), whole(s, 0x7ff), "");
}

static LLVMValueRef
body(const soft *s, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z)
{
    LLVMValueRef xf, xe, yf, ye, zf, ze, plain = add(s, mul(s, x, y), z);
    LLVMValueRef no_product = LLVMBuildOr(s->b, is_zero(s, x), is_zero(s, y), "");
    LLVMValueRef special = LLVMBuildOr(s->b, is_special(s, x), is_special(s, y), "");

    part(s, x, &xf, &xe);
    part(s, y, &yf, &ye);
    part(s, z, &zf, &ze);
    LLVMValueRef spread = isub(s, iadd(s, xe, ye), ze);
    LLVMValueRef tiny = LLVMBuildICmp(s->b, LLVMIntSLT, spread, whole(s, -53), "");
    LLVMValueRef r = pick(s, tiny, z, general(s, x, y, z));

    r = pick(s, is_special(s, z), z, r);
    r = pick(s, is_zero(s, z), mul(s, x, y), r);
    return pick(s, LLVMBuildOr(s->b, no_product, special, ""), plain, r);
}

static LLVMValueRef
function_of(cg_ll_emit *e)
{
    static const char key;
    cg_ll_module *l = e->l;
    LLVMTypeRef in[3] = { l->f64, l->f64, l->f64 };

    for (uint32_t i = 0; i < l->n_shared; i++)
        if (l->shared[i].key == &key)
            return l->shared[i].value;
    LLVMValueRef fn = cg_ll_function(l, "soft.fma", LLVMFunctionType(l->f64, in, 3, 0), false);
    LLVMBasicBlockRef back = LLVMGetInsertBlock(e->b);
    soft s = { .e = e, .b = e->b, .f64 = l->f64, .i64 = l->i64 };

    IR_PUSH(l->arena, l->shared, l->n_shared, l->cap_shared, ((cg_ll_shared){ &key, 0, fn }));
    LLVMPositionBuilderAtEnd(e->b, LLVMAppendBasicBlockInContext(l->llvm, fn, ""));
    LLVMBuildRet(e->b, body(&s, LLVMGetParam(fn, 0), LLVMGetParam(fn, 1), LLVMGetParam(fn, 2)));
    LLVMPositionBuilderAtEnd(e->b, back);
    return fn;
}

LLVMValueRef
cg_ll_soft_fma64(cg_ll_emit *e, LLVMValueRef *in)
{
    LLVMTypeRef t = LLVMTypeOf(in[0]);
    LLVMValueRef fn = function_of(e), y = LLVMGetPoison(t);
    LLVMTypeRef type = LLVMGlobalGetValueType(fn);

    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind)
        return LLVMBuildCall2(e->b, type, fn, in, 3, "");
    for (unsigned i = 0; i < LLVMGetVectorSize(t); i++) {
        LLVMValueRef at = cg_ll_index(e, i), x[3];
        for (int j = 0; j < 3; j++)
            x[j] = LLVMBuildExtractElement(e->b, in[j], at, "");
        y = LLVMBuildInsertElement(e->b, y, LLVMBuildCall2(e->b, type, fn, x, 3, ""), at, "");
    }
    return y;
}
