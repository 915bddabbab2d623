/* Tensor cores and asynchronous copies: the instructions of tensor.h, each one intrinsic of
 * LLVM for NVPTX.
 *
 * Operands and sums are in the thread's own memory, at constant offsets, so that SROA turns
 * them into registers. */
#include "codegen/kernel/grid.h"
#include "codegen/llvm/emit.h"

enum { GLOBAL = 1, SHARED = 3 };

static LLVMValueRef
place(cg_ll_emit *e, uint32_t buffer, LLVMValueRef index, int space)
{
    LLVMTypeRef t = cg_ll_storage(e->l, e->k->buffer[buffer].type);
    LLVMValueRef p = LLVMBuildGEP2(e->b, t, cg_ll_buffer(e, buffer), &index, 1, "");

    return space ? LLVMBuildAddrSpaceCast(
                       e->b, p, LLVMPointerTypeInContext(e->l->llvm, (unsigned)space), "")
                 : p;
}

static LLVMValueRef
operand(const cg_ll_emit *e, const cg_insn *i, int j)
{
    return cg_ll_get(e, i->in[j]).v;
}

static void
fetch(cg_ll_emit *e, const cg_insn *i)
{
    const int size = (int)cot_dtype_size(e->k->buffer[i->call->buffer[0]].type);
    LLVMValueRef in[3] = { place(e, i->call->buffer[0], operand(e, i, 0), SHARED),
                           place(e, i->call->buffer[1], operand(e, i, 1), GLOBAL) };

    const char *name = !i->imm     ? "llvm.nvvm.cp.async.cg.shared.global.16"
                       : size == 4 ? "llvm.nvvm.cp.async.ca.shared.global.4"
                                   : "llvm.nvvm.cp.async.ca.shared.global.8";

    if (!i->in[2]) {
        cg_ll_intrinsic(e->l, e->b, name, 0, NULL, 2, in);
        return;
    }
    in[2] = LLVMBuildTrunc(e->b, LLVMBuildMul(e->b, operand(e, i, 2), cg_ll_index(e, size), ""),
                           e->l->i32, "");
    cg_ll_intrinsic(e->l, e->b, ir_format(e->arena, "%s.s", name), 0, NULL, 3, in);
}

/* The element r places after that of operand j. */
static LLVMValueRef
own(cg_ll_emit *e, const cg_insn *i, int j, int r)
{
    LLVMValueRef at = LLVMBuildAdd(e->b, operand(e, i, j), cg_ll_index(e, r), "");

    return place(e, i->call->buffer[j], at, 0);
}

static void
fragment(cg_ll_emit *e, const cg_insn *i)
{
    LLVMTypeRef shared = LLVMPointerTypeInContext(e->l->llvm, SHARED);
    LLVMValueRef row = place(e, i->call->buffer[1], operand(e, i, 1), SHARED);
    LLVMValueRef x =
        cg_ll_intrinsic(e->l, e->b,
                        i->imm ? "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16"
                               : "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16",
                        1, &shared, 1, &row);

    for (unsigned r = 0; r < 4; r++)
        LLVMBuildStore(e->b, LLVMBuildExtractValue(e->b, x, r, ""), own(e, i, 0, (int)r));
}

static LLVMValueRef
word(cg_ll_emit *e, const cg_insn *i, int j, int r)
{
    LLVMValueRef p = own(e, i, j, r);

    if (i->type == COT_F16)
        return LLVMBuildLoad2(e->b, LLVMVectorType(e->l->f16, 2), p, "");
    if (i->type == COT_BF16)
        return LLVMBuildLoad2(e->b, e->l->i32, p, "");
    LLVMValueRef x = LLVMBuildLoad2(e->b, e->l->f32, p, "");
    return cg_ll_intrinsic(e->l, e->b, "llvm.nvvm.f2tf32.rna", 0, NULL, 1, &x);
}

static void
multiply(cg_ll_emit *e, const cg_insn *i)
{
    LLVMValueRef in[10];

    for (int r = 0; r < 4; r++) {
        in[r] = word(e, i, 1, r);
        in[6 + r] = LLVMBuildLoad2(e->b, e->l->f32, own(e, i, 0, r), "");
    }
    in[4] = word(e, i, 2, 0);
    in[5] = word(e, i, 2, 1);
    LLVMValueRef x =
        cg_ll_intrinsic(e->l, e->b,
                        i->type == COT_F16    ? "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"
                        : i->type == COT_BF16 ? "llvm.nvvm.mma.m16n8k16.row.col.bf16"
                                              : "llvm.nvvm.mma.m16n8k8.row.col.tf32",
                        0, NULL, 10, in);
    for (unsigned r = 0; r < 4; r++)
        LLVMBuildStore(e->b, LLVMBuildExtractValue(e->b, x, r, ""), own(e, i, 0, (int)r));
}

void
cg_ll_tensor(cg_ll_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    LLVMValueRef but = LLVMConstInt(e->l->i32, i->imm, 0);
    uint32_t set = 0;

    if (i->op == CG_COMMIT || i->op == CG_ARRIVE) {
        const bool commits = i->op == CG_COMMIT;
        cg_ll_intrinsic(e->l, e->b,
                        commits ? "llvm.nvvm.cp.async.commit.group"
                                : "llvm.nvvm.cp.async.wait.group",
                        0, NULL, commits ? 0 : 1, &but);
        return;
    }
    for (int j = 0; j < 3; j++)
        set |= i->in[j] ? e->var[i->in[j]].set : 0;
    for (int c = 0, all = cg_ll_copies(e, set); c < all; c++) {
        cg_ll_seek(e, set, c);
        if (i->op == CG_FETCH)
            fetch(e, i);
        else if (i->op == CG_FRAGMENT)
            fragment(e, i);
        else
            multiply(e, i);
    }
}
