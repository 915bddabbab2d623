/* Elements of one width as elements of another, by their bits, in little-endian order.
 *
 * Wider elements absorb a last axis, narrower ones add one.  The conversion goes by unsigned
 * integers that hold the bits of an element in their low bits: a bool has one bit, a 4-bit
 * integer four. */
#include "frontend/stablehlo/import/rules.h"

static cot_dtype
holder(int bits)
{
    return bits <= 8 ? COT_U8 : bits == 16 ? COT_U16 : bits == 32 ? COT_U32 : COT_U64;
}

static ir_ref
bits_as(ir_build *b, ir_ref x, cot_dtype t)
{
    return x && ir_btype(b, x)->dtype != t
               ? ir_node1(b, OP_bitcast, 1, &x, &(ir_attrs){ .dtype = { t } })
               : x;
}

/* Parts by shifts: from n narrow words a wide one, or from a wide one n narrow words along a
 * new last axis. */
static ir_ref
regrouped(ir_build *b, ir_ref x, int is, int want)
{
    const bool widen = want > is;
    const int wide = widen ? want : is, narrow = widen ? is : want;

    if (!x || is == want)
        return x;
    x = widen ? ir_convert(b, x, holder(wide))
              : ir_broadcast_axis(b, x, ir_btype(b, x)->rank, wide / narrow);
    if (!x)
        return IR_NONE;
    const ir_type *t = ir_btype(b, x);
    ir_ref factor = ir_splat_int(b, t, narrow);
    ir_ref shift = ir_mul(b, ir_iota(b, holder(wide), t->rank, t->dims, t->rank - 1), factor);
    x = ir_op2(b, widen ? OP_shl : OP_shr_logical, x, shift);
    if (widen)
        return ir_reduce(b, OP_reduce_sum, x, ir_axes_of(t->rank - 1));
    return ir_convert(b, ir_op2(b, OP_and, x, ir_splat_int(b, t, ((int64_t)1 << narrow) - 1)),
                      holder(narrow));
}

/* A complex number of 128 bits as two of 64: each part's bits are one of them. */
static ir_ref
halves(ir_build *b, ir_ref x)
{
    ir_ref part[2] = { ir_op1(b, OP_real, x), ir_op1(b, OP_imag, x) };

    for (int i = 0; i < 2; i++) {
        ir_ref words = regrouped(b, bits_as(b, part[i], COT_U64), 64, 32);
        if (!words)
            return IR_NONE;
        const ir_type *t = ir_btype(b, words);
        ir_ref at[2];
        for (int k = 0; k < 2; k++)
            at[k] = bits_as(b, ir_slice_axis(b, words, t->rank - 1, k, k + 1), COT_F32);
        part[i] = ir_op2(b, OP_complex, at[0], at[1]);
    }
    return part[0] && part[1] ? ir_concatenate(b, 2, part, ir_btype(b, part[0])->rank - 1)
                              : IR_NONE;
}

static ir_ref
joined(ir_build *b, ir_ref x)
{
    const ir_type *t = ir_btype(b, x);
    ir_ref part[2];

    for (int i = 0; i < 2; i++) {
        ir_ref z = ir_slice_axis(b, x, t->rank - 1, i, i + 1);
        ir_ref words[2] = { bits_as(b, ir_op1(b, OP_real, z), COT_U32),
                            bits_as(b, ir_op1(b, OP_imag, z), COT_U32) };
        ir_ref both = ir_concatenate(b, 2, words, t->rank - 1);
        part[i] = bits_as(b, regrouped(b, both, 32, 64), COT_F64);
    }
    return ir_op2(b, OP_complex, part[0], part[1]);
}

static bool
regroups(const ir_type *x, int is, int want)
{
    if (is > 64 || want > 64 || (is > want ? is % want : want % is) != 0)
        return false;
    return want > is ? x->rank > 0 && x->dims[x->rank - 1] == want / is
                     : want == is || x->rank < COT_MAX_RANK;
}

static int
width_of(const hlo_small *s, cot_dtype t)
{
    return s ? s->bits : t == COT_BOOL ? 1 : 8 * (int)cot_dtype_size(t);
}

void
fe_hlo_bitcast(hlo_emit *e)
{
    ir_build *b = e->b;
    const hlo_type *to = fe_hlo_declared(e, 0); /* its sizes follow from the operand's */
    const ir_type *from = fe_hlo_in_type(e, 0);

    if (!to)
        return;
    const hlo_small *in = fe_hlo_small_in(e, 0), *out = to->small;
    const int is = width_of(in, from->dtype), want = width_of(out, to->dtype);
    ir_ref x = e->in[0];
    if (in == out && to->dtype == from->dtype) {
        e->out[0] = x;
        return;
    }
    if (!in && !out && is == want) {
        e->out[0] = bits_as(b, x, to->dtype);
        return;
    }
    if (from->dtype == COT_C128 && to->dtype == COT_C64 && from->rank < COT_MAX_RANK) {
        e->out[0] = halves(b, x);
        return;
    }
    if (to->dtype == COT_C128 && from->dtype == COT_C64 && from->rank > 0 &&
        from->dims[from->rank - 1] == 2) {
        e->out[0] = joined(b, x);
        return;
    }
    if (!regroups(from, is, want)) {
        fe_hlo_fail(e, "no bits of %s are a %.*s", ir_type_str(b->ctx, from), (int)to->text.n,
                    to->text.at);
        return;
    }
    x = in                        ? fe_hlo_bits_of_small(b, in, x)
        : from->dtype == COT_BOOL ? ir_convert(b, x, COT_U8)
                                  : bits_as(b, x, holder(is));
    x = regrouped(b, x, is, want);
    e->out[0] = out                     ? fe_hlo_small_of_bits(b, out, x)
                : to->dtype == COT_BOOL ? ir_convert(b, x, COT_BOOL)
                                        : bits_as(b, x, to->dtype);
}
