/* Object files, assembly and LLVM text.
 *
 * Several kernel modules are emitted into one LLVM module.  The natural entry of each is
 * visible, and everything else is internal.  An object for several processors contains each
 * kernel module once for each processor. */
#include "codegen/llvm/llvm.h"
#include "codegen/tuning.h"

/* Bytes: before PTX 8.1, since PTX 8.1. */
enum { PARAMETERS_PLAIN = 4352, MAX_PARAMETERS = 32764 };

typedef struct file {
    cg_ll_module l;
    ir_arena scratch;
    LLVMMemoryBufferRef text;
    int n_texts;
    volatile bool inside;
    int n_versions;
    const cg_version *v[CG_LLVM_MAX_VERSIONS];
    cg_version wide; /* v[0] with PTX 8.1 enabled */
    const cg_ll_machine *machine[CG_LLVM_MAX_VERSIONS],
        *any; /* any: the lowest level, for code that runs on every version's machine */
    int n;
    cg_output what;
} file;

static cot_status
print_module(cg_ll_module *l, LLVMMemoryBufferRef *text)
{
    char *s = LLVMPrintModuleToString(l->module);

    *text = LLVMCreateMemoryBufferWithMemoryRangeCopy(s, strlen(s), "llvm");
    LLVMDisposeMessage(s);
    return COT_OK;
}

/* Kernels with more than 4352 bytes of parameters need PTX 8.1 (CUDA 12.1), which allows
 * 32764. */
static cot_status
choose_ptx(cot_context *ctx, file *s)
{
    int64_t most = 0;

    for (int i = 0; i < s->n; i++)
        for (uint32_t k = 1; k < s->v[0]->fn[i].module->n_kernels; k++) {
            const int64_t bytes = cg_ll_ptx_parameters(s->v[0]->fn[i].module->kernel[k]);

            most = bytes > most ? bytes : most;
            if (bytes > MAX_PARAMETERS)
                return cg_ll_fail(
                    ctx, "kernel %s: has %lld bytes of parameters on a GPU; wants at most %d",
                    s->v[0]->fn[i].module->kernel[k]->name, (long long)bytes, MAX_PARAMETERS);
        }
    if (most <= PARAMETERS_PLAIN)
        return COT_OK;
    s->wide = *s->v[0];
    s->wide.target.features = *s->v[0]->target.features ? ir_format(&s->scratch, "%s,+ptx81",
                                                                    s->v[0]->target.features)
                                                        : "+ptx81";
    s->v[0] = &s->wide;
    return COT_OK;
}

static cot_status
find_machines(cot_context *ctx, file *s)
{
    if (strncmp(s->v[0]->target.triple, "nvptx64", 7) == 0)
        COT_TRY(choose_ptx(ctx, s));
    for (int i = 0; i < s->n_versions; i++)
        if (!(s->machine[i] = cg_ll_machine_of(ctx, &s->v[i]->target)))
            return cot_error_status(ctx);
    s->any = s->machine[0];
    if (s->n_versions > 1) {
        cg_target lowest = { .triple = s->v[0]->target.triple,
                             .cpu = "x86-64",
                             .features = "" };
        s->any = cg_ll_machine_of(ctx, &lowest);
    }
    return s->any ? COT_OK : cot_error_status(ctx);
}

/* Constants and outlined programs are shared among the functions for one processor, and not
 * with those for another. */
static void
begin_version(cg_ll_module *l, const cg_ll_machine *machine)
{
    l->machine = machine;
    l->n_shared = 0;
}

static cot_status
add_functions(file *s)
{
    cg_ll_module *l = &s->l;

    for (int i = 0; l->machine->grid && i < s->n; i++)
        COT_TRY(cg_ll_ptx_add(l, s->v[0]->fn[i].module, s->v[0]->fn[i].name));
    if (l->machine->grid)
        return COT_OK;
    if (s->n_versions == 1) {
        for (int i = 0; i < s->n; i++) {
            const cg_natural *fn = &s->v[0]->fn[i];
            COT_TRY(
                cg_ll_function_add(l, fn, ir_format(l->arena, "%s.entry", fn->name), fn->name));
        }
        return COT_OK;
    }
    for (int k = 0; k < s->n_versions; k++) {
        begin_version(l, s->machine[k]);
        for (int i = 0; i < s->n; i++) {
            const cg_natural *fn = &s->v[k]->fn[i];
            COT_TRY(cg_ll_function_add(l, fn, cg_ll_version_entry(l, fn->name, s->v[k]), NULL));
        }
    }
    begin_version(l, s->any);
    for (int i = 0; i < s->n; i++) {
        const cg_natural *fn = &s->v[0]->fn[i];
        COT_TRY(cg_ll_choose(l, fn->name, fn->n_in + fn->n_out, fn->module,
                             s->n_versions, s->v));
    }
    return COT_OK;
}

static cot_status
emit_all(cot_context *ctx, void *arg)
{
    file *s = arg;
    cg_ll_module *l = &s->l;

    s->n_texts = 1;
    COT_TRY(find_machines(ctx, s));
    COT_TRY(cg_ll_module_begin(l, ctx, &s->scratch, s->any,
                               s->n ? s->v[0]->fn[0].name : "cotrace", s->v[0]->target.debug));
    l->lines_are_locations = s->n && s->v[0]->fn[0].module->record;
    COT_TRY(add_functions(s));
    COT_TRY(cg_ll_module_finish(l));
    if (s->what == CG_TO_LLVM)
        return print_module(l, &s->text);
    return cg_ll_module_emit(l, s->what == CG_TO_OBJECT ? LLVMObjectFile : LLVMAssemblyFile,
                             &s->text);
}

cot_status
cg_ll_write_versions(cot_context *ctx, int n_versions, const cg_version *v, cg_output what,
                     int n, ir_arena *arena, const void **bytes, size_t *size)
{
    file s = { .n_versions = n_versions, .n = n, .what = what, .v = { v } };
    volatile cot_status status = COT_OK;
    volatile bool short_of_memory = false;

    const bool grid = strncmp(v->target.triple, "nvptx64", 7) == 0;

    if (what != CG_TO_OBJECT && what != CG_TO_ASM && what != CG_TO_LLVM && what != CG_TO_PTX)
        return cg_ll_fail(ctx, "the LLVM back end writes no C");
    if (grid ? what == CG_TO_OBJECT : what == CG_TO_PTX)
        return cg_ll_fail(ctx, "target %s: has no %s", v->target.triple,
                          grid ? "object files; wants PTX" : "PTX");
    if (grid && n_versions > 1)
        return cg_ll_fail(ctx, "PTX is compiled for one processor; later ones run it as well");
    if (n_versions > CG_LLVM_MAX_VERSIONS)
        return cg_ll_fail(ctx, "%d processors are named for one object; wants at most 8",
                          n_versions);
    if (n_versions > 1)
        COT_TRY(cg_ll_sort_versions(ctx, n_versions, v, s.v));
    ir_arena_init(&s.scratch, ctx);
    pthread_mutex_lock(&ctx->lock);
    IR_TRY (ctx) {
        status = cg_ll_run(ctx, emit_all, &s, &s.n_texts, &s.text, &s.inside);
        if (status == COT_OK) {
            *size = LLVMGetBufferSize(s.text);
            *bytes = ir_copy_bytes(arena, LLVMGetBufferStart(s.text), *size + 1);
        }
    }
    IR_CAUGHT(ctx)
    {
        short_of_memory = true;
    }
    cg_ll_leave(&s.inside);
    cg_ll_module_free(&s.l);
    if (s.text)
        LLVMDisposeMemoryBuffer(s.text);
    ir_arena_free(&s.scratch);
    pthread_mutex_unlock(&ctx->lock);
    if (short_of_memory)
        ir_out_of_memory(ctx);
    return status;
}

cot_status
cg_ll_write(cot_context *ctx, const cg_target *t, cg_output what, int n, const cg_natural *fn,
            ir_arena *arena, const void **bytes, size_t *size)
{
    cg_version v = { *t, fn };

    COT_TRY(cg_ll_name_target(ctx, &v.target));
    return cg_ll_write_versions(ctx, 1, &v, what, n, arena, bytes, size);
}
