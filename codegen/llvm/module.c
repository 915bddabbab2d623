/* An LLVM module under construction: its types, constants and functions, the passes over it,
 * and its machine code. */
#include "codegen/llvm/llvm.h"
#include "ir/diag.h"
#include "ir/limit.h"

static const char passes[] =
    "always-inline,function(early-cse,instcombine<no-verify-fixpoint>)";
/* Memory of one GPU thread (CG_LOCAL) becomes registers before equal values are merged. */
static const char grid_passes[] = "function(sroa,early-cse,instcombine<no-verify-fixpoint>)";

LLVMTypeRef
cg_ll_type(const cg_ll_module *l, cot_dtype t)
{
    switch (t) {
    case COT_BOOL: return l->i1;
    case COT_I8:
    case COT_U8: return l->i8;
    case COT_I16:
    case COT_U16:
    case COT_F16:
    case COT_BF16: return l->i16;
    case COT_I32:
    case COT_U32: return l->i32;
    case COT_F32: return l->f32;
    case COT_F64: return l->f64;
    default: return l->i64;
    }
}

LLVMTypeRef
cg_ll_storage(const cg_ll_module *l, cot_dtype t)
{
    return t == COT_BOOL ? l->i8 : cg_ll_type(l, t);
}

LLVMValueRef
cg_ll_bits(const cg_ll_module *l, cot_dtype t, uint64_t bits)
{
    if (t == COT_F32)
        return LLVMConstBitCast(LLVMConstInt(l->i32, bits, 0), l->f32);
    if (t == COT_F64)
        return LLVMConstBitCast(LLVMConstInt(l->i64, bits, 0), l->f64);
    return LLVMConstInt(cg_ll_type(l, t), bits, 0);
}

/* The address p of this process, as a constant. */
LLVMValueRef
cg_ll_address(cg_ll_module *l, const void *p)
{
    return LLVMConstIntToPtr(LLVMConstInt(l->i64, (uint64_t)(uintptr_t)p, 0), l->ptr);
}

LLVMValueRef
cg_ll_intrinsic(cg_ll_module *l, LLVMBuilderRef b, const char *name, int n_types,
                LLVMTypeRef *types, int n, LLVMValueRef *args)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(l->module, id, types, (size_t)n_types);

    return LLVMBuildCall2(b, LLVMIntrinsicGetType(l->llvm, id, types, (size_t)n_types), fn,
                          args, (unsigned)n, "");
}

/* Returns a private constant with these bytes; data at the same address give the same
 * constant. */
LLVMValueRef
cg_ll_constant_data(cg_ll_module *l, const void *data, int64_t bytes)
{
    for (uint32_t i = 0; i < l->n_shared; i++)
        if (l->shared[i].key == data && l->shared[i].width == -bytes)
            return l->shared[i].value;
    LLVMValueRef init = LLVMConstStringInContext2(l->llvm, data, (size_t)bytes, 1);
    const bool grid = l->machine->grid;
    LLVMValueRef g = LLVMAddGlobalInAddressSpace(
        l->module, LLVMTypeOf(init),
        ir_format(l->arena, grid ? "data_%u" : "data.%u", l->n_shared), grid);

    LLVMSetInitializer(g, init);
    LLVMSetGlobalConstant(g, 1);
    LLVMSetLinkage(g, grid ? LLVMInternalLinkage : LLVMPrivateLinkage);
    LLVMSetAlignment(g, 64);
    if (grid)
        g = LLVMConstAddrSpaceCast(g, l->ptr);
    IR_PUSH(l->arena, l->shared, l->n_shared, l->cap_shared,
            ((cg_ll_shared){ data, -bytes, g }));
    return g;
}

void
cg_ll_attribute(cg_ll_module *l, LLVMValueRef fn, LLVMAttributeIndex at, const char *name,
          uint64_t value)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

    LLVMAddAttributeAtIndex(fn, at, LLVMCreateEnumAttribute(l->llvm, kind, value));
}

void
cg_ll_string_attribute(cg_ll_module *l, LLVMValueRef fn, const char *key, const char *value)
{
    LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(l->llvm, key, (unsigned)strlen(key),
                                                      value, (unsigned)strlen(value)));
}

/* All functions have the processor and features of the target machine: otherwise calls between
 * them would pass vectors by different conventions. */
void
cg_ll_name_processor(cg_ll_module *l, LLVMValueRef fn)
{
    cg_ll_string_attribute(l, fn, "target-cpu", l->machine->cpu);
    cg_ll_string_attribute(l, fn, "target-features", l->machine->tuned);
}

LLVMValueRef
cg_ll_function(cg_ll_module *l, const char *name, LLVMTypeRef type, bool visible)
{
    LLVMValueRef fn = LLVMAddFunction(l->module, name, type);

    LLVMSetLinkage(fn, visible ? LLVMExternalLinkage : LLVMInternalLinkage);
    cg_ll_name_processor(l, fn);
    cg_ll_attribute(l, fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "nounwind", 0);
    if (l->trapping_math)
        cg_ll_attribute(l, fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "strictfp", 0);
    return fn;
}

static void
note_diagnostic(LLVMDiagnosticInfoRef d, void *user)
{
    cg_ll_module *l = user;

    if (LLVMGetDiagInfoSeverity(d) != LLVMDSError)
        return;
    char *text = LLVMGetDiagInfoDescription(d);
    if (l->errors++ == 0)
        snprintf(l->first_error, sizeof l->first_error, "LLVM: %s", text);
    LLVMDisposeMessage(text);
}

static void
make_types(cg_ll_module *l)
{
    l->i1 = LLVMInt1TypeInContext(l->llvm);
    l->i8 = LLVMInt8TypeInContext(l->llvm);
    l->i16 = LLVMInt16TypeInContext(l->llvm);
    l->i32 = LLVMInt32TypeInContext(l->llvm);
    l->i64 = LLVMInt64TypeInContext(l->llvm);
    l->f16 = LLVMHalfTypeInContext(l->llvm);
    l->f32 = LLVMFloatTypeInContext(l->llvm);
    l->f64 = LLVMDoubleTypeInContext(l->llvm);
    l->ptr = LLVMPointerTypeInContext(l->llvm, 0);
    l->none = LLVMVoidTypeInContext(l->llvm);
}

cot_status
cg_ll_module_begin(cg_ll_module *l, cot_context *ctx, ir_arena *scratch,
                   const cg_ll_machine *machine, const char *name, bool debug)
{
    *l = (cg_ll_module){ .ctx = ctx, .arena = scratch, .machine = machine };
    l->llvm = LLVMContextCreate();
    l->module = LLVMModuleCreateWithNameInContext(name, l->llvm);
    l->b = LLVMCreateBuilderInContext(l->llvm);
    LLVMContextSetDiagnosticHandler(l->llvm, note_diagnostic, l);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine->tm);
    LLVMSetModuleDataLayout(l->module, layout);
    LLVMDisposeTargetData(layout);
    LLVMSetTarget(l->module, machine->triple);
    make_types(l);
    if (debug)
        cg_ll_debug_begin(l, name);
    LLVMTypeRef t = LLVMArrayType2(l->i64, 256);
    l->zeros = LLVMAddGlobal(l->module, t, "zeros");
    LLVMSetInitializer(l->zeros, LLVMConstNull(t));
    LLVMSetGlobalConstant(l->zeros, 1);
    LLVMSetLinkage(l->zeros, LLVMPrivateLinkage);
    LLVMSetAlignment(l->zeros, 64);
    return COT_OK;
}

void
cg_ll_module_free(cg_ll_module *l)
{
    cg_ll_debug_end(l);
    if (l->b)
        LLVMDisposeBuilder(l->b);
    if (l->module)
        LLVMDisposeModule(l->module);
    if (l->llvm)
        LLVMContextDispose(l->llvm);
    l->b = NULL;
    l->module = NULL;
    l->llvm = NULL;
}

/* Record a failure, which replaces earlier diagnostics of LLVM. */
static void
failed(cg_ll_module *l, const char *what, const char *text)
{
    l->errors++;
    snprintf(l->first_error, sizeof l->first_error, "%s: %s", what, text);
}

bool
cg_ll_cancelled(const cg_ll_module *l)
{
    return ir_is_cancelled(l->ctx);
}

/* Runs on the thread with a large stack. */
static void
run_passes(void *arg)
{
    cg_ll_module *l = arg;
    char *text = NULL;

    if (LLVMGetFirstUse(l->zeros) == NULL)
        LLVMDeleteGlobal(l->zeros);
    cg_ll_debug_end(l);
    if (l->ctx->config.verify) {
        if (LLVMVerifyModule(l->module, LLVMReturnStatusAction, &text))
            failed(l, "LLVM rejects its input", text);
        LLVMDisposeMessage(text);
        if (l->errors)
            return;
    }
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(l->module, l->machine->grid ? grid_passes : passes,
                                       l->machine->tm, options);
    LLVMDisposePassBuilderOptions(options);
    if (error) {
        text = LLVMGetErrorMessage(error);
        failed(l, "LLVM passes", text);
        LLVMDisposeErrorMessage(text);
    }
}

bool
cg_ll_optimise(cg_ll_module *l)
{
    cg_ll_with_stack(run_passes, l);
    return !l->errors;
}

bool
cg_ll_make_code(cg_ll_module *l, LLVMCodeGenFileType kind, LLVMMemoryBufferRef *out)
{
    char died[CG_LL_FATAL], *message = NULL;

    if (cg_ll_emit_file(l->machine->tm, l->module, kind, died, &message, out)) {
        l->errors++;
        snprintf(l->first_error, sizeof l->first_error, "target %s, processor %s: LLVM: %s",
                 l->machine->triple, l->machine->cpu, *died ? died : message);
        LLVMDisposeMessage(message);
    }
    if (*died) {
        l->died = true;
        l->b = NULL;
        l->module = NULL;
        l->llvm = NULL;
    }
    return !l->errors;
}

cot_status
cg_ll_module_status(cg_ll_module *l)
{
    if (l->died)
        cg_ll_forget_machine(l->ctx, l->machine);
    if (l->refused)
        return ir_fail(l->ctx, l->refused_at, NULL, ERR_unproved, l->refused);
    return l->errors ? cg_ll_fail(l->ctx, "%s", l->first_error) : ir_check(l->ctx);
}

cot_status
cg_ll_module_finish(cg_ll_module *l)
{
    cg_ll_optimise(l);
    return cg_ll_module_status(l);
}

cot_status
cg_ll_module_emit(cg_ll_module *l, LLVMCodeGenFileType kind, LLVMMemoryBufferRef *out)
{
    cg_ll_make_code(l, kind, out);
    return cg_ll_module_status(l);
}
