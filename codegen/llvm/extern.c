/* Calls of C functions: by address in this process, by name in an object. */
#include "codegen/llvm/emit.h"

/* The caller extends narrow integers, as C's calling convention does on every supported
 * machine. */
static void
extend(cg_ll_module *l, LLVMValueRef call, LLVMAttributeIndex at, cot_dtype t)
{
    if (t == COT_DTYPE_NONE || ir_is_float(t) || ir_bits(t) >= 32)
        return;
    const char *name = ir_is_signed(t) && t != COT_BOOL ? "signext" : "zeroext";
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddCallSiteAttribute(call, at, LLVMCreateEnumAttribute(l->llvm, kind, 0));
}

static LLVMValueRef
argument(cg_ll_emit *e, const cg_extern_arg *a)
{
    if (a->type != COT_DTYPE_NONE)
        return cg_ll_uniform(e, a->value);
    if (!a->buffer)
        return cg_ll_address(e->l, a->address);
    LLVMValueRef p = cg_ll_buffer(e, a->buffer - 1);
    if (!a->offset)
        return p;
    LLVMValueRef at = cg_ll_uniform(e, a->offset);
    return LLVMBuildInBoundsGEP2(e->b, cg_ll_storage(e->l, e->k->buffer[a->buffer - 1].type), p,
                                 &at, 1, "");
}

/* Store all pointers but the first in an array, which is passed instead of them. */
static int
pack(cg_ll_emit *e, const cg_extern *x, LLVMValueRef *arg)
{
    LLVMValueRef array = cg_ll_stack(e, e->l->ptr, x->n, 16);
    for (int i = 1; i < x->n; i++) {
        LLVMValueRef at = cg_ll_index(e, i - 1);
        LLVMBuildStore(e->b, arg[i], LLVMBuildInBoundsGEP2(e->b, e->l->ptr, array, &at, 1, ""));
    }
    arg[1] = array;
    return 2;
}

static LLVMValueRef
callee(cg_ll_emit *e, const cg_extern *x, LLVMTypeRef type)
{
    if (e->l->in_process || !x->symbol)
        return cg_ll_address(e->l, (const void *)(uintptr_t)x->address);
    LLVMValueRef fn = LLVMGetNamedFunction(e->l->module, x->symbol);
    return fn ? fn : cg_ll_function(e->l, x->symbol, type, true);
}

void
cg_ll_extern(cg_ll_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    const cg_extern *x = i->ext;
    const cot_dtype t = (cot_dtype)i->type;
    LLVMValueRef *arg = IR_NEW_N(e->arena, LLVMValueRef, x->n + 2);
    LLVMTypeRef *in = IR_NEW_N(e->arena, LLVMTypeRef, x->n + 2);
    int n = x->n;

    for (int k = 0; k < x->n; k++)
        arg[k] = argument(e, &x->arg[k]);
    if (x->packed)
        n = pack(e, x, arg);
    for (int k = 0; k < n; k++)
        in[k] = LLVMTypeOf(arg[k]);
    LLVMTypeRef type = LLVMFunctionType(t == COT_DTYPE_NONE ? e->l->none : cg_ll_type(e->l, t),
                                        in, (unsigned)n, 0);
    LLVMValueRef y = LLVMBuildCall2(e->b, type, callee(e, x, type), arg, (unsigned)n, "");
    extend(e->l, y, (LLVMAttributeIndex)LLVMAttributeReturnIndex, t);
    for (int k = 0; k < n && !x->packed; k++)
        extend(e->l, y, (LLVMAttributeIndex)(1 + k), x->arg[k].type);
    if (t == COT_DTYPE_NONE)
        return;
    cg_ll_define(e, v, 0);
    e->var[v].copy[0] = cg_ll_scalar(y);
}
