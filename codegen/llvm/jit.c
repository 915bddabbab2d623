/* Code in this process.
 *
 * The context's own target machine generates the object, and LLJIT only links it: LLJIT's own
 * compiler would use another code model and pipeline.  Each kernel has a resource tracker, so
 * that it can be removed alone.  A kernel may outlive its context, so the LLJIT is
 * reference-counted by the context and by each kernel.  Symbols are numbered, since all kernels
 * share a name space. memcpy, memset and memmove are defined here.  LLJIT would resolve other
 * names of the process as well, but the emitted code has none, which a test of objects
 * checks. */
#include <stdatomic.h>
#include <stdlib.h>

#include <llvm-c/LLJIT.h>
#include <llvm-c/LLJITUtils.h>
#include <llvm-c/Orc.h>

#include "codegen/llvm/llvm.h"

typedef struct cg_ll_jit {
    LLVMOrcLLJITRef jit;
    atomic_int users;
    atomic_int serial;
} cg_ll_jit;

typedef struct loaded {
    cg_ll_jit *jit;
    LLVMOrcResourceTrackerRef tracker;
} loaded;

static cot_status
orc_failed(cot_context *ctx, LLVMErrorRef error)
{
    char *text = LLVMGetErrorMessage(error);
    cot_status s = cg_ll_fail(ctx, "LLVM cannot load code: %s", text);

    LLVMDisposeErrorMessage(text);
    return s;
}

static void
jit_release(cg_ll_jit *j)
{
    if (atomic_fetch_sub(&j->users, 1) != 1)
        return;
    LLVMErrorRef error = LLVMOrcDisposeLLJIT(j->jit);
    if (error)
        LLVMConsumeError(error);
    free(j);
}

static LLVMErrorRef
define_libc(LLVMOrcLLJITRef jit)
{
    static const struct {
        const char *name;
        void *at;
    } symbol[] = {
        { "memcpy", (void *)memcpy },
        { "memset", (void *)memset },
        { "memmove", (void *)memmove },
    };
    enum { N = sizeof symbol / sizeof symbol[0] };
    LLVMOrcCSymbolMapPair pair[N];

    for (int i = 0; i < N; i++) {
        pair[i].Name = LLVMOrcLLJITMangleAndIntern(jit, symbol[i].name);
        pair[i].Sym.Address = (LLVMOrcExecutorAddress)(uintptr_t)symbol[i].at;
        pair[i].Sym.Flags =
            (LLVMJITSymbolFlags){ .GenericFlags = LLVMJITSymbolGenericFlagsExported };
    }
    return LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(jit),
                                 LLVMOrcAbsoluteSymbols(pair, N));
}

/* Make an LLJIT that only links.  It requires a target machine, so it gets one of the generic
 * processor. */
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

static cot_status
jit_of(cot_context *ctx, const cg_ll_machine *m, cg_ll_jit **out)
{
    cg_ll_session *s = cg_ll_session_of(ctx);

    if (s->jit == NULL) {
        cg_ll_jit *j = calloc(1, sizeof *j);
        if (j == NULL)
            ir_out_of_memory(ctx);
        LLVMErrorRef error = new_linker(m, &j->jit);
        if (error) {
            free(j);
            return orc_failed(ctx, error);
        }
        atomic_init(&j->users, 1);
        error = define_libc(j->jit);
        if (!error && ctx->config.debug)
            error = LLVMOrcLLJITEnableDebugSupport(j->jit);
        if (error) {
            jit_release(j);
            return orc_failed(ctx, error);
        }
        s->jit_release = jit_release;
        s->jit = j; /* assigned when complete, since the next compilation uses it */
    }
    *out = s->jit;
    return COT_OK;
}

static cot_status
look_up(cot_context *ctx, cg_ll_jit *j, const char *name, void **out)
{
    LLVMOrcExecutorAddress at = 0;
    LLVMErrorRef error = LLVMOrcLLJITLookup(j->jit, &at, name);

    if (error)
        return orc_failed(ctx, error);
    *out = (void *)(uintptr_t)at;
    return COT_OK;
}

/* What to compile: a kernel module, or (NULL) the natural entry for an entry. */
typedef struct wanted {
    const cg_module *module;
    cg_entry *entry;
    int n_args;
    bool parallel, debug;
} wanted;

/* Link the objects, which this function consumes. perf is told only of the first object: with
 * config.perf there is only one. */
static cot_status
link_objects(cot_context *ctx, cg_ll_jit *j, cg_ll_parallel_build *t, const wanted *w,
             const char *symbol, cg_code *out)
{
    LLVMMemoryBufferRef seen = NULL;
    loaded *h = calloc(1, sizeof *h);

    if (h == NULL)
        ir_out_of_memory(ctx);
    h->jit = j;
    h->tracker = LLVMOrcJITDylibCreateResourceTracker(LLVMOrcLLJITGetMainJITDylib(j->jit));
    atomic_fetch_add(&j->users, 1);
    out->handle = h;
    if (ctx->config.perf)
        seen = LLVMCreateMemoryBufferWithMemoryRangeCopy(
            LLVMGetBufferStart(t->object[0]), LLVMGetBufferSize(t->object[0]), "perf");
    cot_status s = COT_OK;
    void *at = NULL;
    for (int i = 0; i < t->n && s == COT_OK; i++) {
        LLVMMemoryBufferRef object = t->object[i];
        out->bytes += LLVMGetBufferSize(object);
        t->object[i] = NULL;
        LLVMErrorRef error = LLVMOrcLLJITAddObjectFileWithRT(j->jit, h->tracker, object);
        s = error ? orc_failed(ctx, error) : COT_OK;
    }
    if (s == COT_OK)
        s = look_up(ctx, j, symbol, &at);
    if (w->module)
        out->entry = (cg_entry *)at;
    else
        out->natural = at;
    if (s == COT_OK && seen)
        cg_ll_perf_map(w->module ? w->module->name : "natural", symbol, seen, at);
    if (seen)
        LLVMDisposeMemoryBuffer(seen);
    return s;
}

static cot_status
compile(cot_context *ctx, cg_ll_parallel_build *t, ir_arena *scratch,
        const cg_ll_machine *machine, const wanted *w, const char *symbol)
{
    cg_ll_module *l = &t->l[0];

    if (w->module) {
        COT_TRY(cg_check_externs(w->module, NULL));
        return cg_ll_compile_in_parallel(t, ctx, scratch, machine, w->module, symbol, w->debug);
    }
    t->n = 1;
    COT_TRY(cg_ll_module_begin(l, ctx, scratch, machine, symbol, w->debug));
    cg_ll_natural_of(l, cg_ll_address(l, (const void *)(uintptr_t)w->entry), symbol, w->n_args,
                     w->parallel, NULL);
    COT_TRY(cg_ll_module_finish(l));
    return cg_ll_module_emit(l, LLVMObjectFile, &t->object[0]);
}

/* The state of one load, from compilation to linking. */
typedef struct loading {
    cg_ll_parallel_build build;
    ir_arena scratch;
    cg_ll_jit *jit;
    const cg_ll_machine *machine;
    const wanted *wanted;
    const char *symbol;
    volatile bool inside;
} loading;

static cot_status
compile_job(cot_context *ctx, void *arg)
{
    loading *s = arg;

    return compile(ctx, &s->build, &s->scratch, s->machine, s->wanted, s->symbol);
}

static cot_status
find_jit(cot_context *ctx, const cg_target *t, loading *s)
{
    cot_status status;

    cg_ll_enter(&s->inside);
    s->machine = cg_ll_machine_of(ctx, t);
    status = s->machine ? jit_of(ctx, s->machine, &s->jit) : cot_error_status(ctx);
    cg_ll_leave(&s->inside);
    return status;
}

static cot_status
make(cot_context *ctx, const cg_target *t, loading *s, cg_code *out)
{
    cot_status status;

    COT_TRY(find_jit(ctx, t, s));
    s->symbol = ir_format(&s->scratch, s->wanted->module ? "cot_entry_%d" : "cot_natural_%d",
                          atomic_fetch_add(&s->jit->serial, 1));
    COT_TRY(cg_ll_run(ctx, compile_job, s, &s->build.n, s->build.object, &s->inside));
    cg_ll_enter(&s->inside);
    status = link_objects(ctx, s->jit, &s->build, s->wanted, s->symbol, out);
    cg_ll_leave(&s->inside);
    return status;
}

static cot_status
load(cot_context *ctx, const cg_target *t, const wanted *w, cg_code *out)
{
    loading s = { .wanted = w };
    volatile cot_status status = COT_OK;
    volatile bool short_of_memory = false;

    *out = (cg_code){ 0 };
    ir_arena_init(&s.scratch, ctx);
    pthread_mutex_lock(&ctx->lock);
    IR_TRY (ctx) {
        status = make(ctx, t, &s, out);
    }
    IR_CAUGHT(ctx)
    {
        short_of_memory = true;
    }
    cg_ll_leave(&s.inside);
    cg_ll_parallel_build_free(&s.build);
    ir_arena_free(&s.scratch);
    pthread_mutex_unlock(&ctx->lock);
    if (status != COT_OK || short_of_memory)
        cg_ll_unload(out);
    if (short_of_memory)
        ir_out_of_memory(ctx);
    return status;
}

cot_status
cg_ll_load(cot_context *ctx, const cg_target *t, const cg_module *m, cg_code *out)
{
    return load(ctx, t, &(wanted){ .module = m, .debug = t->debug }, out);
}

cot_status
cg_ll_natural(cot_context *ctx, const cg_target *t, cg_entry *entry, int n_args, bool parallel,
              cg_code *out)
{
    return load(ctx, t, &(wanted){ .entry = entry, .n_args = n_args, .parallel = parallel },
                out);
}

void
cg_ll_unload(cg_code *code)
{
    loaded *h = code->handle;

    if (h == NULL)
        return;
    LLVMErrorRef error = LLVMOrcResourceTrackerRemove(h->tracker);
    if (error)
        LLVMConsumeError(error);
    LLVMOrcReleaseResourceTracker(h->tracker);
    jit_release(h->jit);
    free(h);
    *code = (cg_code){ 0 };
}
