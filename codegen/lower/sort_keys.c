/* Keys as unsigned words: see sort_keys.h. */
#include "codegen/lower/sort_keys.h"

#include "codegen/elemental/element.h"

cot_dtype
cg_word_type(cot_dtype key)
{
    return key != COT_BOOL && ir_bits(key) > 32 ? COT_U64 : COT_U32;
}

static cg_val
float_word(cg_build *b, cg_val x, cot_dtype w, int bits, uint64_t infinite)
{
    const uint64_t top = (uint64_t)1 << (bits - 1);
    cg_val sign = cg_const(b, w, top), all = cg_const(b, w, top | (top - 1));
    cg_val size = cg_insn2(b, SC_and, w, x, cg_const(b, w, top - 1));
    cg_val nan = cg_insn2(b, SC_lt, w, cg_const(b, w, infinite), size);
    cg_val positive = cg_insn2(b, SC_le, w, x, sign);
    cg_val mixed = cg_insn2(b, SC_xor, w, x, all);
    cg_val y = cg_insn3(b, SC_select, w, positive, cg_insn2(b, SC_or, w, x, sign), mixed);
    return cg_insn3(b, SC_select, w, nan, all, y);
}

cg_val
cg_word_of(cg_lowering *l, cg_val x, cot_dtype t)
{
    cg_build *b = &l->b;
    const cot_dtype w = cg_word_type(t);
    switch (t) {
    case COT_F16:
    case COT_BF16:
        x = cg_insn1(b, SC_cvt, w, cg_insn1(b, SC_bitcast, COT_U16, x));
        return float_word(b, x, w, 16, t == COT_F16 ? 0x7c00 : 0x7f80);
    case COT_F32:
        return float_word(b, cg_insn1(b, SC_bitcast, w, x), w, 32, 0x7f800000);
    case COT_F64:
        return float_word(b, cg_insn1(b, SC_bitcast, w, x), w, 64, 0x7ff0000000000000);
    default:
        if (!ir_is_signed(t))
            return cg_convert(l, x, t, w);
        /* add 2^(bits-1); only the low bits of the word matter */
        x = cg_convert(l, x, t, w == COT_U64 ? COT_I64 : COT_I32);
        cg_val constant = cg_const(b, w, (uint64_t)1 << (ir_bits(t) - 1));
        return cg_insn2(b, SC_add, w, cg_insn1(b, SC_bitcast, w, x), constant);
    }
}

cg_val
cg_is_place(cg_build *b, cg_val i, int64_t n)
{
    cg_val low = cg_insn2(b, SC_le, COT_I64, cg_i64(b, 0), i);

    return cg_insn2(b, SC_and, COT_BOOL, low, cg_insn2(b, SC_lt, COT_I64, i, cg_i64(b, n)));
}

void
cg_line_at(cg_lowering *l, const ir_type *t, int axis, cg_ix i, cg_ix *at)
{
    int64_t dims[COT_MAX_RANK];
    cg_ix other[COT_MAX_RANK + 1];
    int rank = 0;
    for (int k = 0; k < t->rank; k++)
        if (k != axis)
            dims[rank++] = t->dims[k];
    cg_ix_split(&l->ix, i, rank, dims, other);
    for (int k = 0, j = 0; k < t->rank; k++)
        if (k != axis)
            at[k] = other[j++];
}
