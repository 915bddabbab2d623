/* Pointwise ops: the op's scalar program on the operands at the same index.
 *
 * Under a mask the element may not exist: it lies past the end of a reduction, or beside the
 * operand of a pad.  Its value is not used, but a division of what it reads, zeros, would raise
 * a floating-point exception that no element raises, which ends a program that traps them.  So
 * operands of ops that may raise one are harmless numbers there. */
#include "codegen/lower/pull.h"

/* Does the op raise no exception, whatever its operands are but for signalling NaNs?  Sums may
 * overflow; nothing but a sum of constants and uniform values of that size does where masked
 * loads give zeros. */
static bool
raises_nothing(ir_op op)
{
    switch (op) {
    case OP_neg:
    case OP_abs:
    case OP_sign:
    case OP_add:
    case OP_sub:
    case OP_max:
    case OP_min:
    case OP_clamp:
    case OP_floor:
    case OP_ceil:
    case OP_trunc:
    case OP_round:
    case OP_round_even:
    case OP_is_finite:
    case OP_eq:
    case OP_ne:
    case OP_lt:
    case OP_le:
    case OP_gt:
    case OP_ge:
    case OP_select:
    case OP_stop_gradient:
    case OP_barrier:
    case OP_bitcast: return true;
    default: return false;
    }
}

/* Functions with a pole at 1. */
static double
harmless(ir_op op)
{
    return op == OP_atanh || op == OP_erf_inv || op == OP_ndtri ? 0.5 : 1;
}

/* A load under a mask gives 0 where the element does not exist, and so does its conversion. */
static bool
is_masked_load(const cg_kernel *k, cg_val x)
{
    while (k->insn[x].op == SC_cvt && ir_is_float((cot_dtype)k->insn[x].type))
        x = k->insn[x].in[0];
    return k->insn[x].op == CG_LOAD && k->insn[x].in[1] != 0;
}

/* The operands that are to be harmless, from the first to before the last: a quotient's
 * divisor, one factor of a product if neither is 0, or all. */
static void
operands_at_risk(const cg_lowering *l, const ir_node *n, const cg_val *x, int *first, int *last)
{
    *first = n->op == OP_div ? 1 : 0;
    *last = n->n_in;
    if (n->op == OP_mul || n->op == OP_fma)
        *last = is_masked_load(l->k, x[0]) || is_masked_load(l->k, x[1]) ? 0 : 1;
}

static void
make_harmless(cg_lowering *l, const ir_node *n, const cot_dtype *in, cg_val *x)
{
    const double one = harmless(n->op);
    uint64_t bits;
    int64_t known;
    int first, last;

    memcpy(&bits, &one, sizeof bits);
    operands_at_risk(l, n, x, &first, &last);
    for (int i = first; i < last; i++)
        if (ir_is_float(in[i]) && !cg_is_const(l->k, x[i], &known))
            x[i] =
                cg_select_kept(&l->b, CG_KEEP_RESULT, in[i], l->mask, x[i],
                               cg_convert(l, cg_const(&l->b, COT_F64, bits), COT_F64, in[i]));
}

cg_val
lower_pointwise(cg_lowering *l, cg_frame *fr, const ir_node *n, int result, const cg_ix *at)
{
    cg_val x[4];
    cot_dtype in[4];
    (void)result;
    for (int i = 0; i < n->n_in; i++) {
        in[i] = ir_type_at(fr->f, n->in[i])->dtype;
        x[i] = cg_pull(l, fr, n->in[i], at);
    }
    const cot_dtype type = ir_type_at(fr->f, n->first)->dtype;
    const ir_sc_program *p = ir_sc_of(l->ctx, n->op, &n->at, n->n_in, in, type);
    if (l->mask && !l->target.grid && !raises_nothing(n->op))
        make_harmless(l, n, in, x);
    return p ? cg_inline(&l->b, p, x) : 0;
}
