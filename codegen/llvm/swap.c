/* Buffers that exchange their addresses: the current address of each is a variable on the
 * stack. */
#include "codegen/llvm/emit.h"

void
cg_ll_begin_swapped(cg_ll_emit *e)
{
    e->swapped = cg_find_swapped(e->k, e->arena);
    if (!e->swapped.next)
        return;
    e->address = IR_NEW_N(e->arena, LLVMValueRef, e->k->n_buffers);
    for (uint32_t i = 0; i < e->k->n_buffers; i++)
        if (cg_is_swapped(&e->swapped, i)) {
            LLVMValueRef word = cg_ll_stack(e, e->l->ptr, 1, 8);
            if (!e->k->buffer[i].placed)
                LLVMBuildStore(e->b, cg_ll_buffer(e, i), word);
            e->address[i] = word;
        }
}

void
cg_ll_swap(cg_ll_emit *e, const cg_insn *i)
{
    const uint32_t x = i->call->buffer[0], y = i->call->buffer[1];
    LLVMValueRef at_x = cg_ll_buffer(e, x), at_y = cg_ll_buffer(e, y);

    LLVMBuildStore(e->b, at_y, e->address[x]);
    LLVMBuildStore(e->b, at_x, e->address[y]);
}

/* If the buffer's data are not at its own address, copy them there. */
void
cg_ll_settle_buffer(cg_ll_emit *e, const cg_insn *i)
{
    const uint32_t buffer = (uint32_t)i->imm;
    const cg_buffer *x = &e->k->buffer[buffer];
    LLVMValueRef bytes = i->in[0]
                             ? cg_ll_uniform(e, i->in[0])
                             : cg_ll_index(e, x->elements * (int64_t)cot_dtype_size(x->type));
    LLVMValueRef own = cg_ll_home(e, buffer), at = cg_ll_buffer(e, buffer);
    LLVMBasicBlockRef away = cg_ll_block(e, "away"), end = cg_ll_block(e, "settled");

    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, at, own, ""), end, away);
    LLVMPositionBuilderAtEnd(e->b, away);
    cg_ll_move_bytes(e, own, at, bytes);
    cg_ll_goto(e, end, end);
    LLVMBuildStore(e->b, own, e->address[buffer]);
    for (uint32_t b = e->swapped.next[buffer]; b != buffer; b = e->swapped.next[b])
        LLVMBuildStore(e->b, cg_ll_home(e, b), e->address[b]);
}
