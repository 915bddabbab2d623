/* Code in this process.
 *
 * The context's own target machine generates objects, which link.c links, or LLVM's linker
 * where link.c does not know them.  A kernel may outlive its context, so what code needs is
 * reference-counted by the context and by each piece of code.
 *
 * Code is named by a digest of all that it follows from (codegen/store.h), which is part of the
 * entry's symbol.  Code that is loaded already is shared, and objects that an earlier process
 * stored are linked instead of compiled: LLVM is loaded where something has to be compiled, and
 * not before.  Code that contains addresses of this process, and code that debuggers or perf
 * are told of, has no such name; its symbols are numbered. */
#include <stdatomic.h>
#include <stdlib.h>

#include "codegen/llvm/llvm.h"

enum { BUCKETS = 256 };         /* by the first byte of a digest */

/* Code that is linked into the process. */
typedef struct loaded {
    struct cg_ll_jit *jit;
    cg_ll_image image;
    LLVMOrcResourceTrackerRef tracker; /* NULL: not linked by LLVM */
    bool named;                 /* it has a name and is in that name's bucket */
    ir_digest name;
    int users;                  /* kernels that call it                       */
    void *entry;
    size_t bytes;
    struct loaded *next;        /* in the bucket                              */
} loaded;

typedef struct cg_ll_jit {
    LLVMOrcLLJITRef orc; /* NULL: not needed so far */
    atomic_int users;
    atomic_int serial;
    pthread_mutex_t lock;       /* guards the buckets and `users` of their code */
    loaded *bucket[BUCKETS];
} cg_ll_jit;

static void
jit_release(cg_ll_jit *j)
{
    if (atomic_fetch_sub(&j->users, 1) != 1)
        return;
    cg_ll_orc_free(j->orc);
    pthread_mutex_destroy(&j->lock);
    free(j);
}

static cg_ll_jit *
jit_of(cot_context *ctx)
{
    cg_ll_session *s = cg_ll_session_of(ctx);

    if (s->jit == NULL) {
        cg_ll_jit *j = calloc(1, sizeof *j);
        if (j == NULL)
            ir_out_of_memory(ctx);
        atomic_init(&j->users, 1);
        pthread_mutex_init(&j->lock, NULL);
        s->jit_release = jit_release;
        s->jit = j;
    }
    return s->jit;
}

/* What to compile: a kernel module, or (NULL) the natural entry for an entry. */
typedef struct wanted {
    const cg_module *module;
    cg_entry *entry;
    int n_args;
    bool parallel, debug;
    bool find; /* only what is compiled already */
} wanted;

/* The state of one load, from compilation to linking. */
typedef struct loading {
    const cg_target *target;
    const wanted *wanted;
    cg_ll_parallel_build build; /* what was compiled */
    void *found[CG_MAX_OBJECTS]; /* what was in the store, from malloc */
    int n;
    cg_object object[CG_MAX_OBJECTS]; /* of either */
    ir_arena scratch;
    cg_ll_jit *jit;
    const cg_ll_machine *machine;
    const char *symbol;
    bool named;
    ir_digest name;
    volatile bool inside;
} loading;

static cot_status
find_machine(cot_context *ctx, loading *s)
{
    cg_ll_enter(&s->inside);
    s->machine = cg_ll_machine_of(ctx, s->target);
    cg_ll_leave(&s->inside);
    return s->machine ? COT_OK : cot_error_status(ctx);
}

/* -- linking -- */

static cot_status
link_by_llvm(cot_context *ctx, loading *s, loaded *h)
{
    cot_status status = COT_OK;

    if (!s->machine)
        COT_TRY(find_machine(ctx, s));
    cg_ll_enter(&s->inside);
    if (!s->jit->orc)
        status = cg_ll_orc_new(ctx, s->machine, &s->jit->orc);
    if (status == COT_OK)
        status = cg_ll_orc_link(ctx, s->jit->orc, s->n, s->object, s->symbol, &h->tracker,
                                &h->entry);
    cg_ll_leave(&s->inside);
    return status;
}

/* perf is told only of the first object: with config.perf there is only one. */
static cot_status
link_objects(cot_context *ctx, loading *s, cg_code *out)
{
    const cg_module *m = s->wanted->module;
    loaded *h = calloc(1, sizeof *h);

    if (h == NULL)
        ir_out_of_memory(ctx);
    h->jit = s->jit;
    h->users = 1;
    atomic_fetch_add(&s->jit->users, 1);
    out->handle = h;
    if (!ctx->config.debug &&
        cg_ll_link(&s->scratch, s->n, s->object, s->symbol, cg_ll_symbol, ctx, &h->image))
        h->entry = h->image.entry;
    else
        COT_TRY(link_by_llvm(ctx, s, h));
    for (int i = 0; i < s->n; i++)
        h->bytes += s->object[i].size;
    out->bytes = h->bytes;
    if (m)
        out->entry = (cg_entry *)h->entry;
    else
        out->natural = h->entry;
    if (ctx->config.perf)
        cg_ll_perf_map(m ? m->name : "natural", s->symbol, s->build.object[0], h->entry);
    return COT_OK;
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

/* Find the name of the code to be loaded; false: it has none. */
static bool
find_name(cot_context *ctx, loading *s)
{
    cg_ll_session *session = cg_ll_session_of(ctx);
    const cg_target *t = s->target;
    ir_digest processor;
    ir_digest_state d;

    if (!s->wanted->module || s->wanted->debug || ctx->config.debug || ctx->config.perf)
        return false;
    const bool here = cg_ll_is_this_processor(ctx, t, &processor);
    if (!here && !(t->triple && t->cpu && t->features))
        return false;
    if (!session->build)
        session->build = cg_ll_build(&ctx->arena);
    if (!session->build || !cg_code_key(t, s->wanted->module, &s->scratch, &d))
        return false;
    ir_digest_text(&d, session->build);
    if (here)
        ir_digest_add(&d, &processor, sizeof processor);
    s->name = ir_digest_end(&d);
    return true;
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

/* Take the objects that an earlier process stored under the name; false: there are none. */
static bool
find_objects(const cg_code_store *store, loading *s)
{
    s->n = store ? store->find(store->self, &s->name, s->object) : 0;
    for (int i = 0; i < s->n; i++)
        s->found[i] = (void *)(uintptr_t)s->object[i].bytes;
    return s->n > 0;
}

/* Between the name and the compilation LLVM's file may have been replaced: then the code is not
 * what the name says. */
static void
keep_objects(cot_context *ctx, const cg_code_store *store, loading *s)
{
    cg_ll_session *session = cg_ll_session_of(ctx);
    cg_ll_enter(&s->inside);
    const char *build = s->named ? cg_ll_build(&s->scratch) : NULL;
    cg_ll_leave(&s->inside);

    if (build && strcmp(build, session->build) == 0) {
        if (store)
            store->keep(store->self, &s->name, s->n, s->object);
        return;
    }
    s->named = false;
    session->build = NULL;
}

/* -- compilation -- */

static cot_status
compile_job(cot_context *ctx, void *arg)
{
    loading *s = arg;
    const wanted *w = s->wanted;

    if (w->module) {
        COT_TRY(cg_check_externs(w->module, NULL));
        return cg_ll_compile_in_parallel(&s->build, ctx, &s->scratch, s->machine, w->module,
                                         s->symbol, w->debug);
    }
    cg_ll_module *l = s->build.l = IR_NEW(&s->scratch, cg_ll_module);
    s->build.n = 1;
    COT_TRY(cg_ll_module_begin(l, ctx, &s->scratch, s->machine, s->symbol, w->debug));
    cg_ll_natural_of(l, cg_ll_address(l, (const void *)(uintptr_t)w->entry), s->symbol,
                     w->n_args, w->parallel, NULL);
    COT_TRY(cg_ll_module_finish(l));
    return cg_ll_module_emit(l, LLVMObjectFile, &s->build.object[0]);
}

static cot_status
compile(cot_context *ctx, loading *s)
{
    COT_TRY(find_machine(ctx, s));
    COT_TRY(cg_ll_run(ctx, compile_job, s, &s->build.n, s->build.object, &s->inside));
    s->n = s->build.n;
    for (int i = 0; i < s->n; i++)
        s->object[i] = (cg_object){ LLVMGetBufferStart(s->build.object[i]),
                                    LLVMGetBufferSize(s->build.object[i]) };
    return COT_OK;
}

static cot_status
make(cot_context *ctx, loading *s, cg_code *out)
{
    s->jit = jit_of(ctx);
    if (s->wanted->find && !cg_code_store_of(ctx) && atomic_load(&s->jit->users) == 1)
        return COT_OK; /* there is no code that a name could find */
    cg_ll_enter(&s->inside);
    s->named = find_name(ctx, s);
    cg_ll_leave(&s->inside);
    if (s->named && share_loaded(s->jit, &s->name, out))
        return COT_OK;
    s->symbol = symbol_of(s);
    const cg_code_store *store = s->named ? cg_code_store_of(ctx) : NULL;
    if (!find_objects(store, s)) {
        if (s->wanted->find)
            return COT_OK;
        COT_TRY(compile(ctx, s));
        keep_objects(ctx, store, s);
    }
    COT_TRY(link_objects(ctx, s, out));
    if (s->named)
        name_loaded(s->jit, &s->name, out->handle);
    return COT_OK;
}

static void
loading_free(loading *s)
{
    cg_ll_leave(&s->inside);
    cg_ll_parallel_build_free(&s->build);
    for (int i = 0; i < CG_MAX_OBJECTS; i++)
        free(s->found[i]);
    ir_arena_free(&s->scratch);
}

static cot_status
load(cot_context *ctx, const cg_target *t, const wanted *w, cg_code *out)
{
    loading s = { .target = t, .wanted = w };
    volatile cot_status status = COT_OK;
    volatile bool short_of_memory = false;

    *out = (cg_code){ 0 };
    ir_arena_init(&s.scratch, ctx);
    pthread_mutex_lock(&ctx->lock);
    IR_TRY (ctx) {
        status = make(ctx, &s, out);
    }
    IR_CAUGHT(ctx)
    {
        short_of_memory = true;
    }
    loading_free(&s);
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
cg_ll_find(cot_context *ctx, const cg_target *t, const cg_module *m, cg_code *out)
{
    return load(ctx, t, &(wanted){ .module = m, .debug = t->debug, .find = true }, out);
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
        cg_ll_unlink(&h->image);
        cg_ll_orc_unlink(h->tracker);
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
