/* Code in this process.
 *
 * The context's own target machine generates the object, and LLJIT only links it: LLJIT's own
 * compiler would use another code model and pipeline.  Each piece of code has a resource
 * tracker, so that it can be removed alone.  A kernel may outlive its context, so the LLJIT is
 * reference-counted by the context and by each piece of code.  The names that code refers to
 * (memcpy, memset, memmove, slow paths, the flag of cot_cancel) are defined here.  LLJIT would
 * resolve other names of the process as well, but the emitted code has none, which a test of
 * objects checks.
 *
 * Code is named by a digest of all that it follows from (codegen/store.h), which is part of the
 * entry's symbol, since all kernels share a name space.  Code that is loaded already is shared,
 * and objects that an earlier process stored are linked instead of compiled.  Code that
 * contains addresses of this process, and code that debuggers or perf are told of, has no such
 * name; its symbols are numbered. */
#include <stdatomic.h>
#include <stdlib.h>

#include "codegen/llvm/llvm.h"
#include "codegen/llvm/slow_path.h"
#include "codegen/store.h"

enum { BUCKETS = 256 };         /* by the first byte of a digest */

/* Code that is linked into the process. */
typedef struct loaded {
    struct cg_ll_jit *jit;
    LLVMOrcResourceTrackerRef tracker;
    bool named;                 /* it has a name and is in that name's bucket */
    ir_digest name;
    int users;                  /* kernels that call it                       */
    void *entry;
    size_t bytes;
    struct loaded *next;        /* in the bucket                              */
} loaded;

typedef struct cg_ll_jit {
    LLVMOrcLLJITRef jit;
    atomic_int users;
    atomic_int serial;
    pthread_mutex_t lock;       /* guards the buckets and `users` of their code */
    loaded *bucket[BUCKETS];
} cg_ll_jit;

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
    pthread_mutex_destroy(&j->lock);
    free(j);
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

/* The names that code in this process refers to.  Code holds no address, so that it can be
 * kept. */
static LLVMErrorRef
define_symbols(cot_context *ctx, LLVMOrcLLJITRef jit)
{
    enum { MAX = 4 + 2 * CG_LL_MAX_SLOW_PATHS };
    LLVMOrcCSymbolMapPair pair[MAX];
    char name[CG_LL_SLOW_PATH_NAME];
    const void *at;
    size_t n = 0;

    pair[n++] = symbol_at(jit, "memcpy", (const void *)(uintptr_t)memcpy);
    pair[n++] = symbol_at(jit, "memset", (const void *)(uintptr_t)memset);
    pair[n++] = symbol_at(jit, "memmove", (const void *)(uintptr_t)memmove);
    pair[n++] = symbol_at(jit, CG_LL_CANCELLED, &ctx->cancelled);
    for (int i = 0; n < MAX && (at = cg_ll_slow_path_row(i, name)) != NULL; i++)
        pair[n++] = symbol_at(jit, name, at);
    return LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(jit),
                                 LLVMOrcAbsoluteSymbols(pair, n));
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
        pthread_mutex_init(&j->lock, NULL);
        error = define_symbols(ctx, j->jit);
        if (!error && ctx->config.debug) {
            cg_ll_show_library();
            error = LLVMOrcLLJITEnableDebugSupport(j->jit);
        }
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
    h->users = 1;
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
    h->entry = at;
    h->bytes = out->bytes;
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

/* -- code by name -- */

/* Take code of that name that is loaded already, as one more user of it. */
static bool
share_loaded(cg_ll_jit *j, const ir_digest *name, cg_code *out)
{
    loaded *h;

    pthread_mutex_lock(&j->lock);
    for (h = j->bucket[name->byte[0]]; h; h = h->next)
        if (memcmp(&h->name, name, sizeof *name) == 0) {
            h->users++;
            break;
        }
    pthread_mutex_unlock(&j->lock);
    if (h)
        *out = (cg_code){ .entry = (cg_entry *)h->entry, .handle = h, .bytes = h->bytes };
    return h != NULL;
}

/* Give loaded code its name.  The caller holds the context's lock, so no other thread loads
 * code of that name meanwhile. */
static void
name_loaded(cg_ll_jit *j, const ir_digest *name, loaded *h)
{
    pthread_mutex_lock(&j->lock);
    h->named = true;
    h->name = *name;
    h->next = j->bucket[name->byte[0]];
    j->bucket[name->byte[0]] = h;
    pthread_mutex_unlock(&j->lock);
}

/* The state of one load, from compilation to linking. */
typedef struct loading {
    cg_ll_parallel_build build;
    ir_arena scratch;
    cg_ll_jit *jit;
    const cg_ll_machine *machine;
    const wanted *wanted;
    const char *symbol;
    bool named;
    ir_digest name;
    volatile bool inside;
} loading;

/* Find the name of the code to be loaded; false: it has none. */
static bool
find_name(cot_context *ctx, const cg_target *t, loading *s)
{
    const wanted *w = s->wanted;
    const cg_ll_machine *m = s->machine;
    const char *build = cg_build_of(&s->scratch, (const void *)(uintptr_t)LLVMContextCreate);
    ir_digest_state d;

    if (!w->module || w->debug || ctx->config.debug || ctx->config.perf || !build ||
        !cg_code_key(t, w->module, &s->scratch, &d))
        return false;
    ir_digest_text(&d, build);
    ir_digest_text(&d, m->triple);
    ir_digest_text(&d, m->cpu);
    ir_digest_text(&d, m->features);
    s->name = ir_digest_end(&d);
    return true;
}

/* Take the objects that an earlier process stored under the name; false: there are none. */
static bool
find_objects(const cg_code_store *store, loading *s)
{
    cg_object object[CG_MAX_OBJECTS];
    const int n = store ? store->find(store->self, &s->name, object) : 0;
    const bool fits = n > 0 && n <= CG_LL_COMPILE_THREADS;

    for (int i = 0; i < n; i++) {
        if (fits)
            s->build.object[i] = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                object[i].bytes, object[i].size, s->symbol);
        free((void *)(uintptr_t)object[i].bytes);
    }
    s->build.n = fits ? n : 0;
    return fits;
}

static void
keep_objects(const cg_code_store *store, const loading *s)
{
    cg_object object[CG_MAX_OBJECTS];
    const int n = s->build.n;

    if (!store || n > CG_MAX_OBJECTS)
        return;
    for (int i = 0; i < n; i++)
        object[i] = (cg_object){ LLVMGetBufferStart(s->build.object[i]),
                                 LLVMGetBufferSize(s->build.object[i]) };
    store->keep(store->self, &s->name, n, object);
}

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

static const char *
symbol_of(loading *s)
{
    char digits[65];

    if (!s->named)
        return ir_format(&s->scratch, s->wanted->module ? "cot_entry_%d" : "cot_natural_%d",
                         atomic_fetch_add(&s->jit->serial, 1));
    ir_digest_hex(&s->name, digits);
    return ir_format(&s->scratch, "cot_code_%s", digits);
}

static cot_status
make(cot_context *ctx, const cg_target *t, loading *s, cg_code *out)
{
    cot_status status;

    COT_TRY(find_jit(ctx, t, s));
    s->named = find_name(ctx, t, s);
    if (s->named && share_loaded(s->jit, &s->name, out))
        return COT_OK;
    s->symbol = symbol_of(s);
    const cg_code_store *store = s->named ? cg_code_store_of(ctx) : NULL;
    if (!find_objects(store, s)) {
        COT_TRY(cg_ll_run(ctx, compile_job, s, &s->build.n, s->build.object, &s->inside));
        keep_objects(store, s);
    }
    cg_ll_enter(&s->inside);
    status = link_objects(ctx, s->jit, &s->build, s->wanted, s->symbol, out);
    cg_ll_leave(&s->inside);
    if (status == COT_OK && s->named)
        name_loaded(s->jit, &s->name, out->handle);
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

/* Give up one use; true: it was the last.  Then the code is unlinked under the lock, before
 * another thread can define its symbol again. */
static bool
leave_loaded(loaded *h)
{
    cg_ll_jit *j = h->jit;
    bool last;

    pthread_mutex_lock(&j->lock);
    last = --h->users == 0;
    if (last && h->named) {
        loaded **at = &j->bucket[h->name.byte[0]];
        while (*at != h)
            at = &(*at)->next;
        *at = h->next;
    }
    if (last) {
        LLVMErrorRef error = LLVMOrcResourceTrackerRemove(h->tracker);
        if (error)
            LLVMConsumeError(error);
        LLVMOrcReleaseResourceTracker(h->tracker);
    }
    pthread_mutex_unlock(&j->lock);
    return last;
}

void
cg_ll_unload(cg_code *code)
{
    loaded *h = code->handle;

    if (h == NULL)
        return;
    cg_ll_jit *j = h->jit;
    if (leave_loaded(h)) {
        jit_release(j);
        free(h);
    }
    *code = (cg_code){ 0 };
}
