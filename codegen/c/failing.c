/* Which kernels of a module can return a status other than 0. */
#include "codegen/c/c.h"

/* A fixed point, since calls may go to higher or lower numbers. */
const bool *
cg_c_find_failing(cg_c_text *t, const cg_module *m)
{
    bool *fails = IR_NEW_N(t->arena, bool, m->n_kernels + 1), grew = true;

    while (grew) {
        grew = false;
        for (uint32_t k = 0; k < m->n_kernels; k++)
            for (uint32_t i = 0; i < m->kernel[k]->n_insns && !fails[k]; i++) {
                const cg_insn *x = &m->kernel[k]->insn[i];
                if (x->op == CG_FAIL || (x->op == CG_CALL && fails[x->imm]) ||
                    (x->op == CG_WHILE && t->in_process))
                    fails[k] = grew = true;
            }
    }
    return fails;
}
