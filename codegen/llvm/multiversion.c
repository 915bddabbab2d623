/* One object for several processors of the x86-64 family.
 *
 * The object contains the functions once for each level that the user named (x86-64 psABI,
 * section 3.1.1).  The caller sees a function for the lowest level, which reads a word and
 * calls the best version that the processor supports.  The word is 0 until the first call
 * determines the level (by cpuid, and by xgetbv for the registers that the system saves).  It
 * is read and written relaxed: every thread finds the same level, so that a race only
 * determines it twice. */
#include "codegen/llvm/llvm.h"
#include "cotrace/base.h"

static const char *const levels[] = { "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4" };
enum { N_LEVELS = sizeof levels / sizeof *levels };

static const char level_text[] =
    "@cot.cpu = global i32 0, align 4\n"
    "define { i32, i32, i32, i32 } @cot.cpuid(i32 %leaf) noinline nounwind {\n"
    "  %r = call { i32, i32, i32, i32 } asm sideeffect \"cpuid\", "
    "\"={ax},={bx},={cx},={dx},{ax},{cx}\"(i32 %leaf, i32 0)\n"
    "  ret { i32, i32, i32, i32 } %r\n"
    "}\n"
    /* x86-64-v2: sse3, ssse3, cmpxchg16b, sse4.1, sse4.2, popcnt; lahf. v3: fma, movbe,
     * osxsave, avx, f16c; bmi1, avx2, bmi2; lzcnt. v4: avx512f, dq, cd, bw, vl. */
    "define i32 @cot.level() noinline nounwind {\n"
    "  %c0 = call { i32, i32, i32, i32 } @cot.cpuid(i32 0)\n"
    "  %leaves = extractvalue { i32, i32, i32, i32 } %c0, 0\n"
    "  %c1 = call { i32, i32, i32, i32 } @cot.cpuid(i32 1)\n"
    "  %f1 = extractvalue { i32, i32, i32, i32 } %c1, 2\n"
    "  %has7 = icmp uge i32 %leaves, 7\n"
    "  %leaf7 = select i1 %has7, i32 7, i32 0\n"
    "  %c7 = call { i32, i32, i32, i32 } @cot.cpuid(i32 %leaf7)\n"
    "  %b7 = extractvalue { i32, i32, i32, i32 } %c7, 1\n"
    "  %f7 = select i1 %has7, i32 %b7, i32 0\n"
    "  %cx = call { i32, i32, i32, i32 } @cot.cpuid(i32 -2147483647)\n"
    "  %fx = extractvalue { i32, i32, i32, i32 } %cx, 2\n"
    "  %a1 = and i32 %f1, 9970177\n"
    "  %e1 = icmp eq i32 %a1, 9970177\n"
    "  %ax = and i32 %fx, 1\n"
    "  %ex = icmp eq i32 %ax, 1\n"
    "  %v2 = and i1 %e1, %ex\n"
    "  %b1 = and i32 %f1, 943722496\n"
    "  %g1 = icmp eq i32 %b1, 943722496\n"
    "  %d7 = and i32 %f7, 296\n"
    "  %g7 = icmp eq i32 %d7, 296\n"
    "  %bx = and i32 %fx, 32\n"
    "  %gx = icmp eq i32 %bx, 32\n"
    "  %v31 = and i1 %g1, %g7\n"
    "  %v32 = and i1 %v31, %gx\n"
    "  %v33 = and i1 %v32, %v2\n"
    "  br i1 %v33, label %wide, label %narrow\n"
    /* The system must save ymm (bits 1, 2), and for v4 masks and zmm (5, 6, 7) as well. */
    "wide:\n"
    "  %x = call { i32, i32 } asm sideeffect \".byte 0x0f, 0x01, 0xd0\", "
    "\"={ax},={dx},{cx}\"(i32 0)\n"
    "  %s = extractvalue { i32, i32 } %x, 0\n"
    "  %s3 = and i32 %s, 6\n"
    "  %o3 = icmp eq i32 %s3, 6\n"
    "  %s4 = and i32 %s, 230\n"
    "  %o4 = icmp eq i32 %s4, 230\n"
    "  %d4 = and i32 %f7, -805109760\n"
    "  %g4 = icmp eq i32 %d4, -805109760\n"
    "  %v4 = and i1 %o4, %g4\n"
    "  %l4 = select i1 %v4, i32 4, i32 3\n"
    "  %l3 = select i1 %o3, i32 %l4, i32 2\n"
    "  br label %known\n"
    "narrow:\n"
    "  %l2 = select i1 %v2, i32 2, i32 1\n"
    "  br label %known\n"
    "known:\n"
    "  %level = phi i32 [ %l3, %wide ], [ %l2, %narrow ]\n"
    "  store atomic i32 %level, ptr @cot.cpu monotonic, align 4\n"
    "  ret i32 %level\n"
    "}\n";

/* The level of a processor, from 1; 0: it is not a level. */
static int
level_of(const char *cpu)
{
    for (int i = 0; i < N_LEVELS; i++)
        if (strcmp(cpu, levels[i]) == 0)
            return i + 1;
    return 0;
}

cot_status
cg_ll_sort_versions(cot_context *ctx, int n, const cg_version *v, const cg_version **sorted)
{
    for (int i = 0; i < n; i++) {
        const int level = level_of(v[i].target.cpu);
        int at = i;

        if (strncmp(v[i].target.triple, "x86_64-", 7) != 0 || level == 0)
            return cg_ll_fail(
                ctx,
                "target %s, processor '%s': an object for several processors wants x86-64, "
                "x86-64-v2, x86-64-v3, x86-64-v4",
                v[i].target.triple, v[i].target.cpu);
        if (*v[i].target.features)
            return cg_ll_fail(
                ctx,
                "features '%s': an object for several processors wants none, since it selects "
                "by the processor alone",
                v[i].target.features);
        for (; at > 0 && level_of(sorted[at - 1]->target.cpu) >= level; at--) {
            if (level_of(sorted[at - 1]->target.cpu) == level)
                return cg_ll_fail(ctx, "the processor '%s' is named twice", v[i].target.cpu);
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = &v[i];
    }
    return COT_OK;
}

const char *
cg_ll_version_entry(cg_ll_module *l, const char *name, const cg_version *v)
{
    return ir_format(l->arena, "%s.%s", name, v->target.cpu);
}

/* Emit code that reads the level, or determines it on the first call. */
static LLVMValueRef
find_level(cg_ll_module *l, LLVMValueRef fn)
{
    LLVMValueRef word = LLVMGetNamedGlobal(l->module, "cot.cpu"),
                 ask = LLVMGetNamedFunction(l->module, "cot.level");
    LLVMBasicBlockRef first = LLVMGetInsertBlock(l->b),
                      asks = LLVMAppendBasicBlockInContext(l->llvm, fn, "ask"),
                      known = LLVMAppendBasicBlockInContext(l->llvm, fn, "known");
    LLVMValueRef seen = LLVMBuildLoad2(l->b, l->i32, word, ""), level;

    LLVMSetOrdering(seen, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(seen, 4);
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, seen, LLVMConstNull(l->i32), ""), asks,
                    known);
    LLVMPositionBuilderAtEnd(l->b, asks);
    LLVMValueRef found = LLVMBuildCall2(l->b, LLVMGlobalGetValueType(ask), ask, NULL, 0, "");
    LLVMBuildBr(l->b, known);
    LLVMPositionBuilderAtEnd(l->b, known);
    level = LLVMBuildPhi(l->b, l->i32, "level");
    LLVMAddIncoming(level, (LLVMValueRef[]){ seen, found },
                    (LLVMBasicBlockRef[]){ first, asks }, 2);
    return level;
}

cot_status
cg_ll_choose(cg_ll_module *l, const char *name, int n_args, const cg_module *m, int n,
             const cg_version *const *v)
{
    LLVMValueRef in[2], fn, level;

    if (!LLVMGetNamedGlobal(l->module, "cot.cpu"))
        COT_TRY(cg_ll_link_text(l, level_text));
    fn = cg_ll_begin_natural(l, name, n_args, m->parallel, m, in);
    level = find_level(l, fn);
    for (int i = n; i-- > 0;) {
        LLVMValueRef entry =
            LLVMGetNamedFunction(l->module, cg_ll_version_entry(l, name, v[i]));
        LLVMBasicBlockRef use = LLVMAppendBasicBlockInContext(l->llvm, fn, ""),
                          below = LLVMAppendBasicBlockInContext(l->llvm, fn, "");
        LLVMValueRef least = LLVMConstInt(l->i32, (uint64_t)level_of(v[i]->target.cpu), 0);

        LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntUGE, level, least, ""), use, below);
        LLVMPositionBuilderAtEnd(l->b, use);
        LLVMBuildRet(l->b, LLVMBuildCall2(l->b, cg_ll_entry_type(l), entry, in, 2, ""));
        LLVMPositionBuilderAtEnd(l->b, below);
    }
    LLVMBuildRet(l->b, LLVMConstInt(l->i32, COT_ERR_TARGET, 0));
    cg_ll_debug_leave(l, (cg_ll_scope){ 0 });
    return COT_OK;
}
