/* Instructions that a machine may lack, exact to the last bit: conversions of halves, rounding
 * to an integer, fma.
 *
 * f16 to f32 by integers: shift exponent and fraction into place and rebias; a subnormal is
 * normalised by a float subtraction, which is exact. f32 to f16: for normal results add half an
 * ulp less one plus the last kept bit, then shift; for subnormal ones let a float addition of
 * 0.5 do the rounding (F. Giesen's method).
 *
 * Rounding to an integer, |x| < 2^(p-1): adding and subtracting 2^(p-1) with the sign of x
 * rounds to nearest even; the other roundings correct that by one.  A zero result gets the sign
 * of x.
 *
 * soft_fma.c has fma in f64, for which there is no wider format. fma in f32: the product is
 * exact in f64.  The sum is rounded to odd there, by the error of the addition (Knuth's
 * two-sum), and then to f32, which is correctly rounded since 53 >= 2 * 24 + 2 (S. Boldo, G.
 * Melquiond, Emulation of FMA and correctly rounded sums, IEEE TC 57, 2008). */
#include "codegen/llvm/emit.h"

static LLVMValueRef
same(cg_ll_emit *e, LLVMValueRef c, LLVMValueRef x)
{
    LLVMTypeRef t = LLVMTypeOf(x);

    return LLVMGetTypeKind(t) == LLVMVectorTypeKind
               ? cg_ll_splat(e, c, (int)LLVMGetVectorSize(t))
               : c;
}

static LLVMValueRef
int_like(cg_ll_emit *e, LLVMTypeRef t, uint64_t c, LLVMValueRef x)
{
    return same(e, LLVMConstInt(t, c, 0), x);
}

static LLVMValueRef
real_like(cg_ll_emit *e, LLVMTypeRef t, double c, LLVMValueRef x)
{
    return same(e, LLVMConstReal(t, c), x);
}

static LLVMValueRef
f16_to_f32_by_integers(cg_ll_emit *e, LLVMValueRef h)
{
    LLVMBuilderRef b = e->b;
    LLVMTypeRef i32 = e->l->i32, f32 = cg_ll_type_like(e->l->f32, h);
    LLVMValueRef w = LLVMBuildZExt(b, h, cg_ll_type_like(i32, h), "");
    LLVMValueRef low = LLVMBuildShl(b, LLVMBuildAnd(b, w, int_like(e, i32, 0x7fff, h), ""),
                                    int_like(e, i32, 13, h), "");
    LLVMValueRef exponent = LLVMBuildAnd(b, low, int_like(e, i32, 0x0f800000, h), "");
    LLVMValueRef normal = LLVMBuildAdd(b, low, int_like(e, i32, 112u << 23, h), "");
    LLVMValueRef special = LLVMBuildAdd(b, normal, int_like(e, i32, 112u << 23, h), "");
    LLVMValueRef odd = LLVMBuildBitCast(
        b, LLVMBuildAdd(b, normal, int_like(e, i32, 1u << 23, h), ""), f32, "");
    LLVMValueRef tiny = LLVMBuildFSub(b, odd, real_like(e, e->l->f32, 0x1p-14, h), "");
    LLVMValueRef is_special =
        LLVMBuildICmp(b, LLVMIntEQ, exponent, int_like(e, i32, 0x0f800000, h), "");
    LLVMValueRef is_tiny = LLVMBuildICmp(b, LLVMIntEQ, exponent, int_like(e, i32, 0, h), "");
    LLVMValueRef r = LLVMBuildSelect(b, is_special, special, normal, "");
    LLVMValueRef sign = LLVMBuildShl(b, LLVMBuildAnd(b, w, int_like(e, i32, 0x8000, h), ""),
                                     int_like(e, i32, 16, h), "");

    r = LLVMBuildSelect(b, is_tiny, LLVMBuildBitCast(b, tiny, cg_ll_type_like(i32, h), ""), r,
                        "");
    return LLVMBuildBitCast(b, LLVMBuildOr(b, r, sign, ""), f32, "");
}

static LLVMValueRef
f32_to_f16_by_integers(cg_ll_emit *e, LLVMValueRef x)
{
    LLVMBuilderRef b = e->b;
    LLVMTypeRef i32 = e->l->i32, wide = cg_ll_type_like(i32, x);
    LLVMValueRef w = LLVMBuildBitCast(b, x, wide, "");
    LLVMValueRef mag = LLVMBuildAnd(b, w, int_like(e, i32, 0x7fffffff, x), "");
    LLVMValueRef nan = LLVMBuildICmp(b, LLVMIntUGT, mag, int_like(e, i32, 0x7f800000, x), "");
    LLVMValueRef big = LLVMBuildICmp(b, LLVMIntUGE, mag, int_like(e, i32, 0x47800000, x), "");
    LLVMValueRef tiny = LLVMBuildICmp(b, LLVMIntULT, mag, int_like(e, i32, 0x38800000, x), "");
    LLVMValueRef sum = LLVMBuildFAdd(b, LLVMBuildBitCast(b, mag, LLVMTypeOf(x), ""),
                                     real_like(e, e->l->f32, 0.5, x), "");
    LLVMValueRef small = LLVMBuildSub(b, LLVMBuildBitCast(b, sum, wide, ""),
                                      int_like(e, i32, 0x3f000000, x), "");
    LLVMValueRef odd = LLVMBuildAnd(b, LLVMBuildLShr(b, mag, int_like(e, i32, 13, x), ""),
                                    int_like(e, i32, 1, x), "");
    LLVMValueRef up =
        LLVMBuildAdd(b, LLVMBuildAdd(b, mag, int_like(e, i32, 0xc8000fffu, x), ""), odd, "");
    LLVMValueRef r = LLVMBuildLShr(b, up, int_like(e, i32, 13, x), "");
    LLVMValueRef sign = LLVMBuildAnd(b, LLVMBuildLShr(b, w, int_like(e, i32, 16, x), ""),
                                     int_like(e, i32, 0x8000, x), "");
    LLVMValueRef over =
        LLVMBuildSelect(b, nan, int_like(e, i32, 0x7e00, x), int_like(e, i32, 0x7c00, x), "");

    r = LLVMBuildSelect(b, tiny, small, r, "");
    r = LLVMBuildSelect(b, big, over, r, "");
    return LLVMBuildTrunc(b, LLVMBuildOr(b, r, sign, ""), cg_ll_type_like(e->l->i16, x), "");
}

LLVMValueRef
cg_ll_half_to_f32(cg_ll_emit *e, cot_dtype from, LLVMValueRef x)
{
    LLVMTypeRef i32 = e->l->i32;

    if (from == COT_F16) {
        if (!e->l->machine->half)
            return f16_to_f32_by_integers(e, x);
        x = LLVMBuildBitCast(e->b, x, cg_ll_type_like(e->l->f16, x), "");
        x = LLVMBuildFPExt(e->b, x, cg_ll_type_like(e->l->f32, x), "");
        if (e->l->machine->grid)
            return x;
        /* Without the fence LLVM 19 narrows a minimum or maximum of f32 to one of half, and
         * expands that so that NaNs are lost. */
        LLVMTypeRef type = LLVMTypeOf(x);
        return cg_ll_intrinsic(e->l, e->b, "llvm.arithmetic.fence", 1, &type, 1, &x);
    }
    LLVMValueRef w = LLVMBuildZExt(e->b, x, cg_ll_type_like(i32, x), "");
    w = LLVMBuildShl(e->b, w, int_like(e, i32, 16, x), "");
    return LLVMBuildBitCast(e->b, w, cg_ll_type_like(e->l->f32, x), "");
}

/* LLVM 19 converts two floats as a vector of four, whose unused lanes may raise an overflow.
 * So the two are repeated.  The fence hides from LLVM that the copies are unused. */
static LLVMValueRef
narrow_to_f16(cg_ll_emit *e, LLVMValueRef x)
{
    LLVMTypeRef type = LLVMTypeOf(x), i32 = e->l->i32;
    LLVMValueRef repeat[4];

    if (e->l->machine->grid || LLVMGetTypeKind(type) != LLVMVectorTypeKind ||
        LLVMGetVectorSize(type) != 2)
        return LLVMBuildFPTrunc(e->b, x, cg_ll_type_like(e->l->f16, x), "");
    for (unsigned i = 0; i < 4; i++)
        repeat[i] = LLVMConstInt(i32, i % 2, 0);
    x = LLVMBuildShuffleVector(e->b, x, x, LLVMConstVector(repeat, 4), "");
    type = LLVMTypeOf(x);
    x = cg_ll_intrinsic(e->l, e->b, "llvm.arithmetic.fence", 1, &type, 1, &x);
    x = LLVMBuildFPTrunc(e->b, x, cg_ll_type_like(e->l->f16, x), "");
    return LLVMBuildShuffleVector(e->b, x, x, LLVMConstVector(repeat, 2), "");
}

LLVMValueRef
cg_ll_f32_to_half(cg_ll_emit *e, cot_dtype to, LLVMValueRef x)
{
    LLVMTypeRef i32 = e->l->i32, i16 = cg_ll_type_like(e->l->i16, x);

    if (to == COT_F16) {
        /* LLVM 19's vector conversion raises exceptions in unused lanes */
        if (!e->l->machine->half || e->l->trapping_math)
            return f32_to_f16_by_integers(e, x);
        return LLVMBuildBitCast(e->b, narrow_to_f16(e, x), i16, "");
    }
    LLVMValueRef w = LLVMBuildBitCast(e->b, x, cg_ll_type_like(i32, x), "");
    LLVMValueRef high = LLVMBuildLShr(e->b, w, int_like(e, i32, 16, x), "");
    LLVMValueRef odd = LLVMBuildAnd(e->b, high, int_like(e, i32, 1, x), "");
    LLVMValueRef up =
        LLVMBuildAdd(e->b, LLVMBuildAdd(e->b, w, int_like(e, i32, 0x7fff, x), ""), odd, "");
    LLVMValueRef quiet = LLVMBuildOr(e->b, high, int_like(e, i32, 0x40, x), "");
    LLVMValueRef nan = LLVMBuildFCmp(e->b, LLVMRealUNO, x, x, "");

    up = LLVMBuildLShr(e->b, up, int_like(e, i32, 16, x), "");
    return LLVMBuildTrunc(e->b, LLVMBuildSelect(e->b, nan, quiet, up, ""), i16, "");
}

static LLVMValueRef
unary(cg_ll_emit *e, const char *name, LLVMValueRef x)
{
    LLVMTypeRef t = LLVMTypeOf(x);

    return cg_ll_intrinsic(e->l, e->b, name, 1, &t, 1, &x);
}

static LLVMValueRef
with_sign_of(cg_ll_emit *e, LLVMValueRef x, LLVMValueRef sign)
{
    LLVMTypeRef t = LLVMTypeOf(x);

    return cg_ll_intrinsic(e->l, e->b, "llvm.copysign", 1, &t, 2, (LLVMValueRef[]){ x, sign });
}

LLVMValueRef
cg_ll_soft_round(cg_ll_emit *e, ir_sc_op op, cot_dtype t, LLVMValueRef x)
{
    LLVMBuilderRef b = e->b;
    LLVMTypeRef f = cg_ll_type(e->l, t);
    LLVMValueRef magic = real_like(e, f, t == COT_F64 ? 0x1p52 : 0x1p23, x),
                 one = real_like(e, f, 1, x);
    LLVMValueRef zero = real_like(e, f, 0, x), mag = unary(e, "llvm.fabs", x);
    LLVMValueRef near = LLVMBuildFSub(b, LLVMBuildFAdd(b, mag, magic, ""), magic, "");
    LLVMValueRef is_small = LLVMBuildFCmp(b, LLVMRealOLT, mag, magic, ""), y, off;

    if (op == SC_trunc) {
        off = LLVMBuildFCmp(b, LLVMRealOGT, near, mag, "");
        y = LLVMBuildFSub(b, near, LLVMBuildSelect(b, off, one, zero, ""), "");
    } else if (op == SC_rint)
        y = near;
    else {
        y = with_sign_of(e, near, x);
        off = LLVMBuildFCmp(b, op == SC_floor ? LLVMRealOGT : LLVMRealOLT, y, x, "");
        LLVMValueRef step = LLVMBuildSelect(b, off, one, zero, "");
        y = op == SC_floor ? LLVMBuildFSub(b, y, step, "") : LLVMBuildFAdd(b, y, step, "");
    }
    return LLVMBuildSelect(b, is_small, with_sign_of(e, y, x), x, "");
}

/* Operands that compare equal have the same bits, except zeros of different signs: the bitwise
 * and of both gives the maximum, the or the minimum.  A NaN is the result. */
LLVMValueRef
cg_ll_soft_extreme(cg_ll_emit *e, ir_sc_op op, cot_dtype t, LLVMValueRef *in)
{
    LLVMBuilderRef b = e->b;
    LLVMTypeRef f = LLVMTypeOf(in[0]),
                w = cg_ll_type_like(t == COT_F64 ? e->l->i64 : e->l->i32, in[0]);
    LLVMValueRef x = LLVMBuildBitCast(b, in[0], w, ""), y = LLVMBuildBitCast(b, in[1], w, "");
    LLVMValueRef both = op == SC_max ? LLVMBuildAnd(b, x, y, "") : LLVMBuildOr(b, x, y, "");
    LLVMValueRef better =
        LLVMBuildFCmp(b, op == SC_max ? LLVMRealOGT : LLVMRealOLT, in[0], in[1], "");
    LLVMValueRef equal = LLVMBuildFCmp(b, LLVMRealOEQ, in[0], in[1], "");
    LLVMValueRef unordered = LLVMBuildFCmp(b, LLVMRealUNO, in[0], in[1], "");
    LLVMValueRef z = LLVMBuildSelect(b, better, in[0], in[1], "");

    z = LLVMBuildSelect(b, equal, LLVMBuildBitCast(b, both, f, ""), z, "");
    /* under trapping math no sum may serve to make the NaN: two large numbers overflow */
    LLVMValueRef nan = e->l->trapping_math
                           ? LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealUNO, in[0], in[0], ""),
                                             in[0], in[1], "")
                           : LLVMBuildFAdd(b, in[0], in[1], "");
    return LLVMBuildSelect(b, unordered, nan, z, "");
}

/* The exact error of the rounded sum s = a + b. */
LLVMValueRef
cg_ll_sum_error(cg_ll_emit *e, LLVMValueRef a, LLVMValueRef c, LLVMValueRef s)
{
    LLVMValueRef part = LLVMBuildFSub(e->b, s, a, "");
    LLVMValueRef left = LLVMBuildFSub(e->b, a, LLVMBuildFSub(e->b, s, part, ""), "");

    return LLVMBuildFAdd(e->b, left, LLVMBuildFSub(e->b, c, part, ""), "");
}

/* s + err rounded to odd, where s = a + c to nearest and err is its error. */
LLVMValueRef
cg_ll_to_odd(cg_ll_emit *e, LLVMValueRef s, LLVMValueRef err)
{
    LLVMBuilderRef b = e->b;
    LLVMTypeRef i64 = cg_ll_type_like(e->l->i64, s);
    LLVMValueRef bits = LLVMBuildBitCast(b, s, i64, ""), one = int_like(e, e->l->i64, 1, s);
    LLVMValueRef even =
        LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildAnd(b, bits, one, ""), LLVMConstNull(i64), "");
    LLVMValueRef inexact =
        LLVMBuildFCmp(b, LLVMRealONE, err, LLVMConstNull(LLVMTypeOf(err)), "");
    LLVMValueRef cross = LLVMBuildXor(b, bits, LLVMBuildBitCast(b, err, i64, ""), "");
    LLVMValueRef inward = LLVMBuildICmp(b, LLVMIntSLT, cross, LLVMConstNull(i64), "");
    LLVMValueRef step =
        LLVMBuildSelect(b, inward, int_like(e, e->l->i64, ~(uint64_t)0, s), one, "");

    step = LLVMBuildSelect(b, LLVMBuildAnd(b, even, inexact, ""), step, LLVMConstNull(i64), "");
    return LLVMBuildBitCast(b, LLVMBuildAdd(b, bits, step, ""), LLVMTypeOf(s), "");
}

LLVMValueRef
cg_ll_soft_fma32(cg_ll_emit *e, LLVMValueRef *in)
{
    LLVMTypeRef f64 = cg_ll_type_like(e->l->f64, in[0]);
    LLVMValueRef x = LLVMBuildFPExt(e->b, in[0], f64, ""),
                 y = LLVMBuildFPExt(e->b, in[1], f64, "");
    LLVMValueRef z = LLVMBuildFPExt(e->b, in[2], f64, ""), p = LLVMBuildFMul(e->b, x, y, "");
    LLVMValueRef s = LLVMBuildFAdd(e->b, p, z, "");

    return cg_ll_narrow(e, cg_ll_to_odd(e, s, cg_ll_sum_error(e, p, z, s)), LLVMTypeOf(in[0]));
}
