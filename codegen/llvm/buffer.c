/* The address of a buffer: a constant of the module, memory shared by a block of threads, or
 * stack memory.  It is created on first use. */
#include "codegen/llvm/emit.h"

LLVMValueRef
cg_ll_buffer(cg_ll_emit *e, uint32_t buffer)
{
    const cg_buffer *x = &e->k->buffer[buffer];

    if (e->address && e->address[buffer])
        return LLVMBuildLoad2(e->b, e->l->ptr, e->address[buffer], x->name);
    if (e->buffer[buffer] == NULL) {
        int64_t bytes = x->elements * (int64_t)cot_dtype_size(x->type);
        e->buffer[buffer] = x->space == CG_CONST ? cg_ll_constant_data(e->l, x->data, bytes)
                            : x->space == CG_SHARED
                                ? cg_ll_shared_buffer(e, buffer)
                                : cg_ll_stack(e, cg_ll_storage(e->l, x->type),
                                              x->elements ? x->elements : 1, 64);
    }
    return e->buffer[buffer];
}
