/* Pointwise ops: the scalar program of the op, applied to the operands at the same index.
 *
 * An element under a mask may not exist: it is past the end of a reduction, or outside of a
 * pad's operand.  Its value is not used, but dividing by the zero that is read for it would
 * raise a floating-point exception, and end a program that traps exceptions.  Under trapping
 * math the operands of ops that can raise an exception are therefore replaced there by harmless
 * numbers. */
#include "codegen/elemental/element.h"
#include "codegen/lower/rules.h"

/* A number at which the op has no pole; some functions have one at 1. */
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
    const ir_sc_program *p = ir_sc_of(l->ctx, n->op, n->at, n->n_in, in, type);
    if (l->mask && l->m->trapping_math && !ir_ops[n->op].quiet)
        make_harmless(l, n, in, x);
    return p ? cg_inline(&l->b, p, x) : 0;
}
