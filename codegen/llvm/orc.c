/* LLVM's linker, for objects that link.c does not know: those of other machines than x86-64,
 * and code with line tables, which LLVM registers with debuggers.
 *
 * LLJIT only links here, since its own compiler would use another code model and pipeline. Each
 * piece of code has a resource tracker, so that it can be removed alone.  LLJIT would resolve
 * other names of the process than those that are defined here, but the emitted code has none,
 * which a test of objects checks. */
#include "codegen/llvm/llvm.h"
#include "codegen/llvm/slow_path.h"

static cot_status
failed(cot_context *ctx, LLVMErrorRef error)
{
    char *text = LLVMGetErrorMessage(error);
    cot_status s = cg_ll_fail(ctx, "LLVM cannot load code: %s", text);

    LLVMDisposeErrorMessage(text);
    return s;
}

static void
ignore(LLVMErrorRef error)
{
    if (error)
        LLVMConsumeError(error);
}

static LLVMOrcCSymbolMapPair
symbol_at(LLVMOrcLLJITRef jit, const char *name, const void *at)
{
    LLVMOrcCSymbolMapPair p = {
        .Name = LLVMOrcLLJITMangleAndIntern(jit, name),
        .Sym.Address = (LLVMOrcExecutorAddress)(uintptr_t)at,
        .Sym.Flags = { .GenericFlags = LLVMJITSymbolGenericFlagsExported },
    };

    return p;
}

static LLVMErrorRef
define_symbols(cot_context *ctx, LLVMOrcLLJITRef jit)
{
    LLVMOrcCSymbolMapPair pair[CG_LL_MAX_SYMBOLS];
    char space[CG_LL_SYMBOL_NAME];
    const char *name;
    int n = 0;

    while (n < CG_LL_MAX_SYMBOLS && (name = cg_ll_symbol_row(n, space)) != NULL)
        pair[n++] = symbol_at(jit, name, cg_ll_symbol(ctx, name));
    return LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(jit),
                                 LLVMOrcAbsoluteSymbols(pair, (size_t)n));
}

/* LLJIT requires a target machine, so it gets one of the generic processor. */
static LLVMErrorRef
new_linker(const cg_ll_machine *m, LLVMOrcLLJITRef *out)
{
    LLVMOrcLLJITBuilderRef b = LLVMOrcCreateLLJITBuilder();
    LLVMTargetMachineRef plain =
        LLVMCreateTargetMachine(LLVMGetTargetMachineTarget(m->tm), m->triple, "", "",
                                LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelSmall);

    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
        b, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(plain));
    return LLVMOrcCreateLLJIT(out, b);
}

cot_status
cg_ll_orc_new(cot_context *ctx, const cg_ll_machine *m, LLVMOrcLLJITRef *out)
{
    LLVMErrorRef error = new_linker(m, out);

    if (error)
        return failed(ctx, error);
    error = define_symbols(ctx, *out);
    if (!error && ctx->config.debug) {
        cg_ll_show_library();
        error = LLVMOrcLLJITEnableDebugSupport(*out);
    }
    if (!error)
        return COT_OK;
    ignore(LLVMOrcDisposeLLJIT(*out));
    *out = NULL;
    return failed(ctx, error);
}

void
cg_ll_orc_free(LLVMOrcLLJITRef jit)
{
    if (jit)
        ignore(LLVMOrcDisposeLLJIT(jit));
}

cot_status
cg_ll_orc_link(cot_context *ctx, LLVMOrcLLJITRef jit, int n, const cg_object *object,
               const char *symbol, LLVMOrcResourceTrackerRef *tracker, void **entry)
{
    LLVMOrcExecutorAddress at = 0;
    LLVMErrorRef error = NULL;

    *tracker = LLVMOrcJITDylibCreateResourceTracker(LLVMOrcLLJITGetMainJITDylib(jit));
    for (int i = 0; i < n && !error; i++)
        error = LLVMOrcLLJITAddObjectFileWithRT(
            jit, *tracker,
            LLVMCreateMemoryBufferWithMemoryRangeCopy(object[i].bytes, object[i].size, symbol));
    if (!error)
        error = LLVMOrcLLJITLookup(jit, &at, symbol);
    *entry = (void *)(uintptr_t)at;
    return error ? failed(ctx, error) : COT_OK;
}

void
cg_ll_orc_unlink(LLVMOrcResourceTrackerRef tracker)
{
    if (!tracker)
        return;
    ignore(LLVMOrcResourceTrackerRemove(tracker));
    LLVMOrcReleaseResourceTracker(tracker);
}
