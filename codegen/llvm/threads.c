/* GPU: the numbers of a thread, and the memory that the threads of a block share. */
#include "codegen/kernel/grid.h"
#include "codegen/llvm/emit.h"

enum { SHARED = 3 };

LLVMValueRef
cg_ll_special_register(cg_ll_emit *e, const char *name)
{
    LLVMValueRef x = cg_ll_intrinsic(e->l, e->b, name, 0, NULL, 0, NULL);

    return LLVMBuildZExt(e->b, x, e->l->i64, "");
}

LLVMValueRef
cg_ll_thread(cg_ll_emit *e)
{
    return cg_ll_special_register(e, "llvm.nvvm.read.ptx.sreg.tid.x");
}

LLVMValueRef
cg_ll_lane(cg_ll_emit *e)
{
    return LLVMBuildAnd(e->b, cg_ll_thread(e), cg_ll_index(e, CG_WARP - 1), "lane");
}

LLVMValueRef
cg_ll_shared_array(cg_ll_emit *e, LLVMTypeRef element, int64_t n, int align)
{
    LLVMTypeRef t = LLVMArrayType2(element, (uint64_t)(n ? n : 1));
    LLVMValueRef g = LLVMAddGlobalInAddressSpace(
        e->l->module, t, ir_format(e->arena, "shared_%d", e->l->serial++), SHARED);

    LLVMSetInitializer(g, LLVMGetUndef(t));
    LLVMSetLinkage(g, LLVMInternalLinkage);
    LLVMSetAlignment(g, (unsigned)align);
    return LLVMConstAddrSpaceCast(g, e->l->ptr);
}

/* The shared memory whose size the launch sets.  All kernels use one symbol for it, of size
 * 0. */
static LLVMValueRef
dynamic_memory(cg_ll_emit *e)
{
    LLVMValueRef g = LLVMGetNamedGlobal(e->l->module, "dynamic");

    if (g)
        return g;
    g = LLVMAddGlobalInAddressSpace(
        e->l->module, LLVMArrayType2(LLVMInt8TypeInContext(e->l->llvm), 0), "dynamic", SHARED);
    LLVMSetLinkage(g, LLVMExternalLinkage);
    LLVMSetAlignment(g, 16);
    return g;
}

/* The condition that this is the one thread that acts for all; NULL: each thread acts for
 * itself. */
LLVMValueRef
cg_ll_first_thread(cg_ll_emit *e)
{
    if (!e->l->machine->grid || (e->thread_kind != CG_GRID && e->thread_kind != CG_WARPS))
        return NULL;
    return LLVMBuildICmp(e->b, LLVMIntEQ,
                         e->thread_kind == CG_GRID ? cg_ll_thread(e) : cg_ll_lane(e),
                         cg_ll_index(e, 0), "first");
}

LLVMValueRef
cg_ll_shared_buffer(cg_ll_emit *e, uint32_t buffer)
{
    const cg_buffer *x = &e->k->buffer[buffer];
    const int64_t at = cg_dynamic_place(e->k, buffer);
    LLVMValueRef begin, offset = cg_ll_index(e, at);

    if (at < 0)
        return cg_ll_shared_array(e, cg_ll_storage(e->l, x->type), x->elements, 16);
    begin = LLVMConstAddrSpaceCast(dynamic_memory(e), e->l->ptr);
    return LLVMConstInBoundsGEP2(LLVMInt8TypeInContext(e->l->llvm), begin, &offset, 1);
}
