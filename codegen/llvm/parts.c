/* Parts of a long region as functions (kernel/parts.h).
 *
 * A part takes the entry's arguments, work block and pool, if the function around it has them,
 * pointers to other buffers that it uses, and the values that it uses from before it.  In the
 * part, its parameters stand in the emitter's tables in their place.  It answers a status, as a
 * kernel does. */
#include "codegen/llvm/emit.h"

/* What a part is called with, and where the emitter keeps it. */
typedef struct passing {
    uint32_t n, cap_slot, cap_value, cap_type;
    LLVMValueRef **slot, *value;
    LLVMTypeRef *type;
} passing;

/* Nothing in the slot: there is nothing to pass. */
static void
pass(ir_arena *a, passing *p, LLVMValueRef *slot)
{
    uint32_t n = p->n;

    if (!*slot)
        return;
    IR_PUSH(a, p->value, n, p->cap_value, *slot);
    n = p->n;
    IR_PUSH(a, p->type, n, p->cap_type, LLVMTypeOf(*slot));
    IR_PUSH(a, p->slot, p->n, p->cap_slot, slot);
}

/* Buffers that swaps join are at each other's addresses: who uses one uses all. */
static void
add_swapped(cg_ll_emit *e, cg_part_uses *u)
{
    for (uint32_t i = 0, n = u->n_buffers; i < n; i++)
        if (cg_is_swapped(&e->swapped, u->buffer[i]))
            for (uint32_t b = e->swapped.next[u->buffer[i]]; b != u->buffer[i];
                 b = e->swapped.next[b])
                IR_PUSH(e->arena, u->buffer, u->n_buffers, u->cap_buffers, b);
}

static void
pass_buffer(cg_ll_emit *e, passing *p, uint32_t b)
{
    const cg_space space = e->k->buffer[b].space;

    if (e->address && e->address[b])
        pass(e->arena, p, &e->address[b]);
    if (space == CG_CONST || cg_ll_is_found(e, b))
        return;
    cg_ll_home(e, b);
    pass(e->arena, p, &e->buffer[b]);
}

static passing
pass_all(cg_ll_emit *outer, cg_ll_emit *e, const cg_part_uses *u)
{
    passing p = { 0 };

    pass(e->arena, &p, &e->args);
    pass(e->arena, &p, &e->work);
    pass(e->arena, &p, &e->pool);
    for (uint32_t i = 0; i < u->n_buffers; i++)
        pass_buffer(outer, &p, u->buffer[i]);
    for (uint32_t i = 0; i < u->n_values; i++) {
        const cg_ll_var *x = &e->var[u->value[i]];
        if (x->copy && !LLVMIsConstant(x->copy[0].v))
            pass(e->arena, &p, &x->copy[0].v);
    }
    return p;
}

/* The parameters take the place of what was passed; a buffer that is no parameter is found anew
 * where it is first used. */
static LLVMValueRef *
enter(cg_ll_emit *e, const passing *p, const cg_part_uses *u)
{
    LLVMValueRef *before = IR_NEW_N(e->arena, LLVMValueRef, u->n_buffers + 1);

    for (uint32_t i = 0; i < u->n_buffers; i++)
        before[i] = e->buffer[u->buffer[i]];
    for (uint32_t i = 0; i < u->n_buffers; i++)
        if (e->k->buffer[u->buffer[i]].space != CG_CONST)
            e->buffer[u->buffer[i]] = NULL;
    for (uint32_t i = 0; i < p->n; i++)
        *p->slot[i] = LLVMGetParam(e->fn, i);
    return before;
}

static void
leave(cg_ll_emit *e, const passing *p, const cg_part_uses *u, const LLVMValueRef *before)
{
    for (uint32_t i = 0; i < p->n; i++)
        *p->slot[i] = p->value[i];
    for (uint32_t i = 0; i < u->n_buffers; i++)
        e->buffer[u->buffer[i]] = before[i];
}

static void
emit_body(cg_ll_emit *e, const cg_val *insn, uint32_t n, cg_ll_statement_list *statements)
{
    cg_ll_module *l = e->l;

    e->sink = NULL;
    e->streams = false;
    e->allocas = cg_ll_block(e, "");
    LLVMBasicBlockRef body = cg_ll_block(e, "body");
    LLVMPositionBuilderAtEnd(e->b, body);
    const cg_ll_scope around =
        cg_ll_debug_enter(l, e->fn, e->k->name, cg_loc_of(e->k, insn[0]));
    statements(e, insn, n);
    cg_ll_settle(e);
    LLVMBuildRet(e->b, LLVMConstNull(l->i32));
    LLVMPositionBuilderAtEnd(e->b, e->allocas);
    LLVMBuildBr(e->b, body);
    cg_ll_debug_leave(l, around);
}

LLVMValueRef
cg_ll_call_part(cg_ll_emit *e, const cg_region *r, cg_part at, cg_ll_statement_list *statements)
{
    cg_part_uses u = cg_uses_of_part(e->partition, r, at);
    cg_ll_emit inner = *e;

    add_swapped(e, &u);
    passing p = pass_all(e, &inner, &u);
    LLVMTypeRef type = LLVMFunctionType(e->l->i32, p.type, p.n, 0);
    LLVMBasicBlockRef back = LLVMGetInsertBlock(e->b);
    inner.fn = cg_ll_function(
        e->l, ir_format(e->arena, "%s.part.%d", e->k->name, e->l->serial++), type, false);
    const LLVMValueRef *before = enter(&inner, &p, &u);
    emit_body(&inner, r->insn + at.from, at.to - at.from, statements);
    leave(&inner, &p, &u, before);
    LLVMPositionBuilderAtEnd(e->b, back);
    return LLVMBuildCall2(e->b, type, inner.fn, p.value, p.n, "");
}
