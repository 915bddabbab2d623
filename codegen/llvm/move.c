/* Copies of bytes, gathers, and prefetches. */
#include "codegen/llvm/emit.h"

void
cg_ll_move_bytes(cg_ll_emit *e, LLVMValueRef to, LLVMValueRef from, LLVMValueRef bytes)
{
    if (e->l->machine->alone)
        cg_ll_builtin(e->l, e->b, "cot.copy", 3, (LLVMValueRef[]){ to, from, bytes });
    else
        LLVMBuildMemCpy(e->b, to, 1, from, 1, bytes);
}

/* base[index] for a vector of indices. mask NULL: every lane may be loaded. */
LLVMValueRef
cg_ll_gather(cg_ll_emit *e, LLVMTypeRef element, LLVMValueRef base, LLVMValueRef index,
             LLVMValueRef mask)
{
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(index));
    LLVMTypeRef v = LLVMVectorType(element, n), types[2] = { v, LLVMVectorType(e->l->ptr, n) };
    LLVMValueRef p = LLVMBuildInBoundsGEP2(e->b, element, base, &index, 1, "");
    LLVMValueRef all = LLVMConstAllOnes(LLVMVectorType(e->l->i1, n));
    unsigned align = LLVMGetIntTypeWidth(e->l->i8);

    align = element == e->l->f64 || element == e->l->i64 ? 8
            : element == e->l->i8                        ? 1
            : element == e->l->i16                       ? 2
                                                         : 4;
    if (mask)
        p = LLVMBuildSelect(e->b, mask, p, cg_ll_splat(e, e->l->zeros, (int)n), "");
    return cg_ll_intrinsic(
        e->l, e->b, "llvm.masked.gather", 2, types, 4,
        (LLVMValueRef[]){ p, LLVMConstInt(e->l->i32, align, 0), all, LLVMGetPoison(v) });
}

void
cg_ll_prefetch(cg_ll_emit *e, const cg_insn *i)
{
    const cg_buffer *x = &e->k->buffer[i->imm];
    LLVMTypeRef types[1] = { e->l->ptr };
    LLVMValueRef index = cg_ll_uniform(e, i->in[0]), one = LLVMConstInt(e->l->i32, 1, 0);
    LLVMValueRef p = LLVMBuildGEP2(e->b, cg_ll_storage(e->l, x->type),
                                   cg_ll_buffer(e, (uint32_t)i->imm), &index, 1, "");

    if (!e->l->machine->grid)
        cg_ll_intrinsic(e->l, e->b, "llvm.prefetch", 1, types, 4,
                        (LLVMValueRef[]){ p, LLVMConstNull(e->l->i32),
                                          LLVMConstInt(e->l->i32, 3, 0), one });
}

void
cg_ll_copy_insn(cg_ll_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    LLVMValueRef p[2];

    for (int j = 0; j < 2; j++) {
        const uint32_t buffer = i->call->buffer[j];
        LLVMTypeRef element = cg_ll_storage(e->l, e->k->buffer[buffer].type);
        LLVMValueRef index = i->in[j] ? cg_ll_uniform(e, i->in[j]) : NULL;
        p[j] = cg_ll_buffer(e, buffer);
        if (index)
            p[j] = LLVMBuildInBoundsGEP2(e->b, element, p[j], &index, 1, "");
    }
    const uint32_t to = i->call->buffer[0], from = i->call->buffer[1];
    LLVMValueRef bytes =
        i->in[2] ? cg_ll_uniform(e, i->in[2]) : cg_ll_index(e, (int64_t)i->imm);
    if (e->k->buffer[to].alias == from + 1 || e->k->buffer[from].alias == to + 1)
        bytes = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, p[0], p[1], ""),
                                cg_ll_index(e, 0), bytes, "");
    cg_ll_move_bytes(e, p[0], p[1], bytes);
}
