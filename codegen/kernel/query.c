/* Properties of values that follow from a kernel alone: types, constants, source lines. */
#include "codegen/kernel/kernel.h"

bool
cg_has_mode(const cg_block *x, cg_mode mode)
{
    for (int i = 0; i < x->n; i++)
        if (x->yield[i].mode == mode)
            return true;
    return false;
}

cot_dtype
cg_type(const cg_kernel *k, cg_val v)
{
    const cg_insn *i = &k->insn[v];

    if (i->op == SC_eq || i->op == SC_ne || i->op == SC_lt || i->op == SC_le)
        return COT_BOOL;
    return (cot_dtype)i->type;
}

bool
cg_any_parallel(const cg_module *m)
{
    for (uint32_t i = 0; i < m->n_kernels; i++)
        for (uint32_t v = 1; v < m->kernel[i]->n_insns; v++)
            if (m->kernel[i]->insn[v].op == CG_LOOP &&
                m->kernel[i]->insn[v].block->kind == CG_PARALLEL)
                return true;
    return false;
}

ir_loc
cg_loc_of(const cg_kernel *k, cg_val v)
{
    ir_loc loc = k->insn[v].loc ? k->insn[v].loc : k->loc;

    for (uint32_t i = 1; i < k->n_insns && !loc; i++)
        loc = k->insn[i].loc;
    return loc;
}

bool
cg_is_const(const cg_kernel *k, cg_val v, int64_t *x)
{
    const cg_insn *i = &k->insn[v];

    if (i->op != SC_const || v == 0)
        return false;
    int drop = 64 - (i->type == COT_BOOL ? 64 : ir_bits((cot_dtype)i->type));
    if (x)
        *x = ir_is_signed((cot_dtype)i->type) ? (int64_t)(i->imm << drop) >> drop
                                              : (int64_t)i->imm;
    return true;
}
