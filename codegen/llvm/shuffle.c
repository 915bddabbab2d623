/* Permutations of vectors: the transpose of a square, interleaved rows. */
#include "codegen/llvm/emit.h"
#include "codegen/tuning.h"

/* The elements of x and y at the positions in mask, where those of y count from e->lanes. */
LLVMValueRef
cg_ll_picked(cg_ll_emit *e, LLVMValueRef x, LLVMValueRef y, const int *mask)
{
    LLVMValueRef *c = IR_NEW_N(e->arena, LLVMValueRef, e->lanes);

    for (int i = 0; i < e->lanes; i++)
        c[i] = LLVMConstInt(e->l->i32, (uint64_t)mask[i], 0);
    return LLVMBuildShuffleVector(e->b, x, y, LLVMConstVector(c, (unsigned)e->lanes), "");
}

/* x, for shuffles of which selection finds no shorter form together with this one.  On x86 it
 * searches chains of them at every shuffle: half of the time that a transpose takes to compile.
 * What is exchanged here is in as few shuffles as there may be. */
static LLVMValueRef
fenced(cg_ll_emit *e, LLVMValueRef x)
{
    LLVMTypeRef t = LLVMTypeOf(x), i = LLVMGetElementType(t);
    const LLVMTypeKind kind = LLVMGetTypeKind(i);
    const unsigned bits = kind == LLVMIntegerTypeKind  ? LLVMGetIntTypeWidth(i)
                          : kind == LLVMDoubleTypeKind ? 64
                          : kind == LLVMFloatTypeKind  ? 32
                                                       : 16,
                   part = bits == 64 ? 64 : 32, all = LLVMGetVectorSize(t) * bits;

    if (!e->l->machine->x86 || all % part)
        return x;
    LLVMTypeRef as = LLVMVectorType(part == 64 ? e->l->f64 : e->l->f32, all / part);
    x = LLVMBuildBitCast(e->b, x, as, "");
    x = cg_ll_intrinsic(e->l, e->b, "llvm.arithmetic.fence", 1, &as, 1, &x);
    return LLVMBuildBitCast(e->b, x, t, "");
}

/* One step of a square transpose (J. Eklundh, 1972): of rows i and i + h, exchange the columns
 * where bit h differs. */
static void
exchange(cg_ll_emit *e, LLVMValueRef *row, int n, int i, int h)
{
    LLVMValueRef lo[256], hi[256], x = row[i], y = row[i + h];

    for (int c = 0; c < n; c++) {
        lo[c] = LLVMConstInt(e->l->i32, (uint64_t)(c & h ? n + c - h : c), 0);
        hi[c] = LLVMConstInt(e->l->i32, (uint64_t)(c & h ? n + c : c + h), 0);
    }
    row[i] =
        fenced(e, LLVMBuildShuffleVector(e->b, x, y, LLVMConstVector(lo, (unsigned)n), ""));
    row[i + h] =
        fenced(e, LLVMBuildShuffleVector(e->b, x, y, LLVMConstVector(hi, (unsigned)n), ""));
}

void
cg_ll_transpose_registers(cg_ll_emit *e, LLVMValueRef *row, int n)
{
    for (int h = n / 2; h > 0; h /= 2)
        for (int i = 0; i < n; i++)
            if (!(i & h))
                exchange(e, row, n, i, h);
}

/* Interleave n row vectors: element l of row c moves to position l n + c of the concatenated
 * rows.  For a power of two, rows of the first half are interleaved with those of the second,
 * and so on with the results: log2(n) rounds of two shuffles for each pair of rows. */
static void
interleave_halves(cg_ll_emit *e, LLVMValueRef *row, int n)
{
    int *mask = IR_NEW_N(e->arena, int, 2 * e->lanes);
    LLVMValueRef next[CG_LLVM_MAX_INTERLEAVED];

    for (int l = 0; l < 2 * e->lanes; l++)
        mask[l] = (l & 1) * e->lanes + l / 2;
    /* after a round, row c of a block is a part of an interleaved run that is twice as long */
    for (int run = 1; run < n; run *= 2) {
        const int blocks = n / run / 2;
        for (int c = 0; c < blocks; c++)
            for (int k = 0; k < run; k++) {
                LLVMValueRef x = row[c * run + k], y = row[(c + blocks) * run + k];
                next[c * run * 2 + 2 * k] = fenced(e, cg_ll_picked(e, x, y, mask));
                next[c * run * 2 + 2 * k + 1] =
                    fenced(e, cg_ll_picked(e, x, y, mask + e->lanes));
            }
        memcpy(row, next, sizeof *row * (size_t)n);
    }
}

/* For any n: each result is collected from the rows by one shuffle after the other. */
static void
interleave_each(cg_ll_emit *e, LLVMValueRef *row, int n)
{
    int *mask = IR_NEW_N(e->arena, int, e->lanes);
    LLVMValueRef next[CG_LLVM_MAX_INTERLEAVED];

    for (int q = 0; q < n; q++) {
        next[q] = row[0];
        for (int c = 1; c < n; c++) {
            for (int l = 0; l < e->lanes; l++) {
                const int place = q * e->lanes + l, from = place % n;
                mask[l] = from == c             ? e->lanes + place / n
                          : c == 1 && from == 0 ? place / n
                                                : l;
            }
            next[q] = cg_ll_picked(e, next[q], row[c], mask);
        }
    }
    memcpy(row, next, sizeof *row * (size_t)n);
}

void
cg_ll_interleave(cg_ll_emit *e, LLVMValueRef *row, int n)
{
    if ((n & (n - 1)) == 0)
        interleave_halves(e, row, n);
    else
        interleave_each(e, row, n);
}
