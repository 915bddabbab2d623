/* The address of a buffer: an element of the entry's arguments, a place in the work block, a
 * constant of the module, memory shared by a block of threads, or stack memory.  It is created
 * on first use, at the beginning of the function. */
#include "codegen/llvm/emit.h"

bool
cg_ll_is_found(const cg_ll_emit *e, uint32_t buffer)
{
    const cg_space space = e->k->buffer[buffer].space;

    return (e->args && space <= CG_OUT) || (e->work && space == CG_WORK);
}

static LLVMValueRef
find(cg_ll_emit *e, const cg_buffer *x)
{
    cg_ll_module *l = e->l;
    LLVMValueRef index = cg_ll_index(e, x->space == CG_WORK ? x->offset : x->arg);

    if (x->space == CG_WORK)
        return LLVMBuildInBoundsGEP2(e->b, l->i8, e->work, &index, 1, "");
    return LLVMBuildLoad2(e->b, l->ptr,
                          LLVMBuildInBoundsGEP2(e->b, l->ptr, e->args, &index, 1, ""), x->name);
}

static LLVMValueRef
find_at_beginning(cg_ll_emit *e, const cg_buffer *x)
{
    LLVMBasicBlockRef at = LLVMGetInsertBlock(e->b);

    LLVMPositionBuilderAtEnd(e->b, e->allocas);
    LLVMValueRef p = find(e, x);
    LLVMPositionBuilderAtEnd(e->b, at);
    return p;
}

LLVMValueRef
cg_ll_home(cg_ll_emit *e, uint32_t buffer)
{
    const cg_buffer *x = &e->k->buffer[buffer];
    const int64_t bytes = x->elements * (int64_t)cot_dtype_size(x->type);

    if (e->buffer[buffer] == NULL)
        e->buffer[buffer] = cg_ll_is_found(e, buffer) ? find_at_beginning(e, x)
                            : x->space == CG_CONST ? cg_ll_constant_data(e->l, x->data, bytes)
                            : x->space == CG_SHARED
                                ? cg_ll_shared_buffer(e, buffer)
                                : cg_ll_stack(e, cg_ll_storage(e->l, x->type),
                                              x->elements ? x->elements : 1, 64);
    return e->buffer[buffer];
}

void
cg_ll_place_buffer(cg_ll_emit *e, const cg_insn *i)
{
    const uint32_t buffer = (uint32_t)i->imm;
    LLVMValueRef offset = cg_ll_uniform(e, i->in[0]);

    e->buffer[buffer] = LLVMBuildInBoundsGEP2(e->b, e->l->i8, e->work, &offset, 1, "");
    if (e->address && e->address[buffer])
        LLVMBuildStore(e->b, e->buffer[buffer], e->address[buffer]);
}

LLVMValueRef
cg_ll_buffer(cg_ll_emit *e, uint32_t buffer)
{
    if (e->address && e->address[buffer])
        return LLVMBuildLoad2(e->b, e->l->ptr, e->address[buffer], e->k->buffer[buffer].name);
    return cg_ll_home(e, buffer);
}
