/* Object files, assembly and LLVM text: several modules in one LLVM module, each with its
 * natural entry visible and all else internal. */
#include "codegen/llvm/llvm.h"

static cot_status
keep(cg_ll_module *l, ir_arena *arena, LLVMMemoryBufferRef *text, const void **bytes,
     size_t *size)
{
    (void)l;
    *size = LLVMGetBufferSize(*text);
    *bytes = ir_copy_bytes(arena, LLVMGetBufferStart(*text), *size + 1);
    return COT_OK;
}

static cot_status
print_module(cg_ll_module *l, LLVMMemoryBufferRef *text)
{
    char *s = LLVMPrintModuleToString(l->module);

    *text = LLVMCreateMemoryBufferWithMemoryRangeCopy(s, strlen(s), "llvm");
    LLVMDisposeMessage(s);
    return COT_OK;
}

static cot_status
emit_all(cg_ll_module *l, const cg_ll_machine *machine, cg_output what, int n,
         const cg_natural *fn, LLVMMemoryBufferRef *out)
{
    char *message = NULL;

    COT_TRY(cg_ll_module_begin(l, l->ctx, l->arena, machine, n ? fn[0].name : "cotrace"));
    for (int i = 0; machine->grid && i < n; i++)
        COT_TRY(cg_ll_ptx_add(l, fn[i].module, fn[i].name));
    for (int i = 0; !machine->grid && i < n; i++)
        COT_TRY(cg_ll_module_add(l, fn[i].module, ir_format(l->arena, "%s.entry", fn[i].name),
                                 false, fn[i].name, fn[i].n_in + fn[i].n_out));
    COT_TRY(cg_ll_module_finish(l));
    if (what == CG_TO_LLVM)
        return print_module(l, out);
    if (LLVMTargetMachineEmitToMemoryBuffer(
            machine->tm, l->module, what == CG_TO_OBJECT ? LLVMObjectFile : LLVMAssemblyFile,
            &message, out)) {
        cot_status s = cg_ll_fail(l->ctx, "LLVM: %s", message);
        LLVMDisposeMessage(message);
        return s;
    }
    return l->errors ? cg_ll_fail(l->ctx, "LLVM: %s", l->first_error) : COT_OK;
}

cot_status
cg_ll_write(cot_context *ctx, const cg_target *t, cg_output what, int n, const cg_natural *fn,
            ir_arena *arena, const void **bytes, size_t *size)
{
    struct {
        cg_ll_module l;
        ir_arena scratch;
        LLVMMemoryBufferRef text;
    } s = { 0 };
    volatile cot_status status = COT_OK;
    volatile bool short_of_memory = false;

    if (what == CG_TO_C)
        return cg_ll_fail(ctx, "the LLVM back end writes no C");
    if ((what == CG_TO_PTX || what == CG_TO_OBJECT) && cg_ll_is_ptx(t->triple) != (what == CG_TO_PTX))
        return cg_ll_fail(ctx, "target %s: %s", t->triple, what == CG_TO_PTX ? "has no PTX" : "has no object files; wants PTX");
    ir_arena_init(&s.scratch, ctx);
    pthread_mutex_lock(&ctx->lock);
    IR_TRY (ctx) {
        const cg_ll_machine *machine = cg_ll_machine_of(ctx, t);
        s.l.arena = &s.scratch;
        s.l.ctx = ctx;
        status =
            machine ? emit_all(&s.l, machine, what, n, fn, &s.text) : cot_error_status(ctx);
        if (status == COT_OK)
            status = keep(&s.l, arena, &s.text, bytes, size);
    }
    IR_CAUGHT(ctx)
    {
        short_of_memory = true;
    }
    cg_ll_module_free(&s.l);
    if (s.text)
        LLVMDisposeMemoryBuffer(s.text);
    ir_arena_free(&s.scratch);
    pthread_mutex_unlock(&ctx->lock);
    if (short_of_memory)
        ir_out_of_memory(ctx);
    return status;
}
