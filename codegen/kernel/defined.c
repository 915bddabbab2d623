/* The element types for which each scalar instruction is defined.
 *
 * Back ends and the reference evaluator implement only these.  The verifier refuses a kernel
 * with others, and the parser refuses them at their place in the text. */
#include "codegen/kernel/kernel.h"

enum { BOOLS = 1, INTS = 2, FLOATS = 4, HALVES = 8 };

static const uint8_t takes[SC_COUNT] = {
    [SC_add] = INTS | FLOATS,
    [SC_sub] = INTS | FLOATS,
    [SC_mul] = INTS | FLOATS,
    [SC_div] = INTS | FLOATS,
    [SC_rem] = INTS,
    [SC_neg] = INTS | FLOATS,
    [SC_abs] = FLOATS,
    [SC_sqrt] = FLOATS,
    [SC_fma] = FLOATS,
    [SC_max] = INTS | FLOATS,
    [SC_min] = INTS | FLOATS,
    [SC_floor] = FLOATS,
    [SC_ceil] = FLOATS,
    [SC_trunc] = FLOATS,
    [SC_rint] = FLOATS,
    [SC_and] = INTS | BOOLS,
    [SC_or] = INTS | BOOLS,
    [SC_xor] = INTS | BOOLS,
    [SC_not] = INTS | BOOLS,
    [SC_shl] = INTS,
    [SC_shr] = INTS,
    [SC_popcnt] = INTS,
    [SC_clz] = INTS,
    [SC_pairs] = INTS,
    [SC_quads] = INTS,
    [SC_eq] = INTS | FLOATS | BOOLS,
    [SC_ne] = INTS | FLOATS | BOOLS,
    [SC_lt] = INTS | FLOATS | BOOLS,
    [SC_le] = INTS | FLOATS | BOOLS,
    [SC_select] = INTS | FLOATS | BOOLS | HALVES,
    [SC_cvt] = INTS | FLOATS | BOOLS | HALVES,
    [SC_bitcast] = INTS | FLOATS | HALVES,
    [SC_table] = INTS | FLOATS,
    [SC_slow_path] = FLOATS,
};

bool
cg_scalar_takes(ir_sc_op op, cot_dtype t)
{
    const int set = t == COT_BOOL                  ? BOOLS
                    : ir_is_int(t)                 ? INTS
                    : ir_is_half(t)                ? HALVES
                    : t == COT_F32 || t == COT_F64 ? FLOATS
                                                   : 0;

    return (takes[op] & set) && ((op != SC_pairs && op != SC_quads) || t == COT_I32);
}

/* A bitcast keeps the width; f16 and bf16 are converted from and to f32 only. */
bool
cg_scalar_converts(ir_sc_op op, cot_dtype from, cot_dtype to)
{
    if (!cg_scalar_takes(op, from))
        return false;
    if (op == SC_bitcast)
        return ir_bits(from) == ir_bits(to);
    return from == COT_F32 || to == COT_F32 || !(ir_is_half(from) || ir_is_half(to));
}

bool
cg_scalar_combines(ir_sc_op op)
{
    return op == SC_add || op == SC_mul || op == SC_max || op == SC_min || op == SC_and ||
           op == SC_or;
}
