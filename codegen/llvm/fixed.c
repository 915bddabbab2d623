/* Functions with open sizes that have bodies for some sizes.
 *
 * The general module and that of each body are entries of their own.  A function in front of
 * them compares the sizes and calls one of them.  Arguments are an array of pointers: to
 * arrays, then to the sizes, then to the pool; a body has no sizes, so that it gets a copy of
 * the array without them where it takes a pool. */
#include "codegen/llvm/llvm.h"

static LLVMValueRef
address(cg_ll_module *l, LLVMTypeRef type, LLVMValueRef array, int i)
{
    LLVMValueRef at = LLVMConstInt(l->i64, (uint64_t)i, 0);

    return LLVMBuildInBoundsGEP2(l->b, type, array, &at, 1, "");
}

static LLVMValueRef
load(cg_ll_module *l, LLVMTypeRef type, LLVMValueRef array, int i)
{
    return LLVMBuildLoad2(l->b, type, address(l, type, array, i), "");
}

static LLVMValueRef
without_sizes(cg_ll_module *l, LLVMValueRef args, int n_args)
{
    LLVMValueRef copy =
        LLVMBuildAlloca(l->b, LLVMArrayType2(l->ptr, (uint64_t)n_args + 1), "args");

    for (int i = 0; i <= n_args; i++)
        LLVMBuildStore(l->b, load(l, l->ptr, args, i < n_args ? i : i + 1),
                       address(l, l->ptr, copy, i));
    return copy;
}

static LLVMValueRef
are_equal(cg_ll_module *l, LLVMValueRef sizes, int n, const int64_t *size)
{
    LLVMValueRef all = LLVMConstInt(LLVMInt1TypeInContext(l->llvm), 1, 0);

    for (int i = 0; i < n; i++) {
        LLVMValueRef wants = LLVMConstInt(l->i64, (uint64_t)size[i], 0);
        all = LLVMBuildAnd(l->b, all,
                           LLVMBuildICmp(l->b, LLVMIntEQ, load(l, l->i64, sizes, i), wants, ""),
                           "");
    }
    return all;
}

static LLVMValueRef
call(cg_ll_module *l, const char *entry, LLVMValueRef args, LLVMValueRef work)
{
    return LLVMBuildCall2(l->b, cg_ll_entry_type(l), LLVMGetNamedFunction(l->module, entry),
                          (LLVMValueRef[]){ args, work }, 2, "");
}

static const char *
entry_of(cg_ll_module *l, const char *entry, int body)
{
    return body < 0 ? ir_format(l->arena, "%s.open", entry)
                    : ir_format(l->arena, "%s.at%d", entry, body);
}

/* The function that compares. */
static LLVMValueRef
choose(cg_ll_module *l, const cg_natural *fn, const char *entry)
{
    const int n_args = fn->n_in + fn->n_out;
    LLVMValueRef f = cg_ll_function(l, entry, cg_ll_entry_type(l), false),
                 args = LLVMGetParam(f, 0), work = LLVMGetParam(f, 1);

    LLVMPositionBuilderAtEnd(l->b, LLVMAppendBasicBlockInContext(l->llvm, f, ""));
    LLVMValueRef sizes = load(l, l->ptr, args, n_args);
    for (int i = 0; i < fn->n_fixed; i++) {
        const cg_fixed *x = &fn->fixed[i];
        LLVMBasicBlockRef is = LLVMAppendBasicBlockInContext(l->llvm, f, ""),
                          other = LLVMAppendBasicBlockInContext(l->llvm, f, "");

        LLVMBuildCondBr(l->b, are_equal(l, sizes, fn->module->n_sizes, x->size), is, other);
        LLVMPositionBuilderAtEnd(l->b, is);
        LLVMBuildRet(l->b,
                     call(l, entry_of(l, entry, i),
                          x->module->parallel ? without_sizes(l, args, n_args) : args, work));
        LLVMPositionBuilderAtEnd(l->b, other);
    }
    LLVMBuildRet(l->b, call(l, entry_of(l, entry, -1), args, work));
    return f;
}

cot_status
cg_ll_function_add(cg_ll_module *l, const cg_natural *fn, const char *entry,
                   const char *natural)
{
    const int n_args = fn->n_in + fn->n_out;

    if (fn->n_fixed == 0)
        return cg_ll_module_add(l, fn->module, entry, false, natural, n_args);
    for (int i = -1; i < fn->n_fixed; i++)
        COT_TRY(cg_ll_module_add(l, i < 0 ? fn->module : fn->fixed[i].module,
                                 entry_of(l, entry, i), false, NULL, 0));
    LLVMValueRef f = choose(l, fn, entry);
    if (natural)
        cg_ll_natural_of(l, f, natural, n_args, fn->module->parallel, fn->module);
    return COT_OK;
}
