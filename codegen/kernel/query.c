/* Properties of values that follow from a kernel alone: types, constants, source lines, and the
 * operands, definitions and buffers of an instruction. */
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

/* The end of a loop; that of a grid is a product where two of its factors are open. */
static bool
is_known_end(const cg_kernel *k, const cg_block *loop, int64_t *out)
{
    const cg_insn *i = &k->insn[loop->hi];
    int64_t y;

    if (loop->kind != CG_GRID || i->op != SC_mul || i->type != COT_I64)
        return cg_is_const(k, loop->hi, out);
    return cg_is_const(k, i->in[0], out) && cg_is_const(k, i->in[1], &y) &&
           !__builtin_mul_overflow(*out, y, out);
}

int64_t
cg_extent(const cg_kernel *k, const cg_block *loop)
{
    int64_t lo, hi;

    if (!cg_is_const(k, loop->lo, &lo) || !is_known_end(k, loop, &hi))
        return -1;
    return hi > lo ? (hi - lo + loop->step - 1) / loop->step : 0;
}

static void
see(cg_visit *visit, void *user, cg_val v)
{
    if (v)
        visit(user, v);
}

void
cg_each_operand(const cg_insn *i, cg_visit *visit, void *user)
{
    const cg_block *x = i->block;

    for (int j = 0; j < 3; j++)
        see(visit, user, i->in[j]);
    for (int j = 0; j < 4; j++)
        see(visit, user, i->args[j]);
    for (int j = 0; i->call && i->call->offset && j < i->call->n_buffers; j++)
        see(visit, user, i->call->offset[j]);
    for (int j = 0; i->call && j < i->call->n_params; j++)
        see(visit, user, i->call->param[j]);
    if (i->call)
        see(visit, user, i->call->grid);
    for (int j = 0; i->ext && j < i->ext->n; j++) {
        see(visit, user, i->ext->arg[j].value);
        see(visit, user, i->ext->arg[j].offset);
    }
    if (!x)
        return;
    see(visit, user, x->lo);
    see(visit, user, x->hi);
    see(visit, user, x->limit);
    see(visit, user, x->cond);
    for (int j = 0; j < x->n; j++) {
        see(visit, user, x->yield[j].init);
        see(visit, user, x->yield[j].value);
    }
}

static void
each_use_in(const cg_kernel *k, const cg_region *r, cg_visit *visit, void *user)
{
    for (uint32_t n = 0; n < r->n; n++)
        cg_each_use(k, r->insn[n], visit, user);
}

void
cg_each_use(const cg_kernel *k, cg_val v, cg_visit *visit, void *user)
{
    const cg_insn *i = &k->insn[v];

    cg_each_operand(i, visit, user);
    if (i->block) {
        each_use_in(k, &i->block->other, visit, user);
        each_use_in(k, &i->block->body, visit, user);
    }
}

void
cg_each_definition(const cg_kernel *k, cg_val v, cg_visit *visit, void *user)
{
    const cg_block *x = k->insn[v].block;

    see(visit, user, v);
    if (!x)
        return;
    see(visit, user, x->var);
    for (int i = 0; i < x->n; i++) {
        see(visit, user, x->yield[i].carried);
        see(visit, user, x->result[i]);
    }
    for (uint32_t n = 0; n < x->other.n; n++)
        cg_each_definition(k, x->other.insn[n], visit, user);
    for (uint32_t n = 0; n < x->body.n; n++)
        cg_each_definition(k, x->body.insn[n], visit, user);
}

void
cg_each_buffer_of(const cg_insn *i, cg_visit_buffer *visit, void *user)
{
    if (i->op == CG_LOAD || i->op == CG_STORE || i->op == CG_PREFETCH || i->op == CG_SETTLE ||
        i->op == CG_PLACE)
        visit(user, (uint32_t)i->imm);
    for (int j = 0; i->call && j < i->call->n_buffers; j++)
        visit(user, i->call->buffer[j]);
    for (int j = 0; i->ext && j < i->ext->n; j++)
        if (i->ext->arg[j].buffer)
            visit(user, i->ext->arg[j].buffer - 1);
}

void
cg_each_buffer(const cg_kernel *k, cg_val v, cg_visit_buffer *visit, void *user)
{
    const cg_insn *i = &k->insn[v];

    cg_each_buffer_of(i, visit, user);
    for (uint32_t n = 0; i->block && n < i->block->other.n; n++)
        cg_each_buffer(k, i->block->other.insn[n], visit, user);
    for (uint32_t n = 0; i->block && n < i->block->body.n; n++)
        cg_each_buffer(k, i->block->body.insn[n], visit, user);
}
