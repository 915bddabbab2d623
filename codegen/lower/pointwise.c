/* Pointwise ops: the op's scalar program on the operands at the same index.
 *
 * Under a mask the element may not exist: it lies past the end of a reduction, or beside the
 * operand of a pad.  Its value is not used, but a division by the zero that it reads would
 * raise a floating-point exception that no element raises, which ends a program that traps
 * exceptions.  Under trapping math the operands of ops that may raise one are harmless numbers
 * there. */
#include "codegen/elemental/element.h"
#include "codegen/lower/rules.h"

/* Where no function is near a pole; 1 is one of some. */
static double
harmless(ir_op op)
{
    return op == OP_atanh || op == OP_erf_inv || op == OP_ndtri ? 0.5 : 1;
}

static void
make_harmless(cg_lowering *l, const ir_node *n, const cot_dtype *in, cg_val *x)
{
    const double one = harmless(n->op);
    uint64_t bits;

    memcpy(&bits, &one, sizeof bits);
    for (int i = 0; i < n->n_in; i++)
        if (ir_is_float(in[i]))
            x[i] = cg_insn3(&l->b, SC_select, in[i], l->mask, x[i],
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
        x[i] = cg_element(l, fr, n->in[i], at);
    }
    const cot_dtype type = ir_type_at(fr->f, n->first)->dtype;
    const ir_sc_program *p = ir_sc_of(l->ctx, n->op, &n->at, n->n_in, in, type);
    if (l->mask && l->m->trapping_math && !ir_ops[n->op].quiet)
        make_harmless(l, n, in, x);
    return p ? cg_inline(&l->b, p, x) : 0;
}
