/* cot_jit: kernels found by the types of their arguments.
 *
 * Each function has a hash table of kernels by types, with open addressing.  A hit only reads
 * the table, with acquire loads.  A miss takes the context's lock, searches again, compiles,
 * and publishes the entry with one store.  A table that is half full is replaced by a copy of
 * twice the size; the old one is kept until the context ends, since other threads may still
 * read it.  The number of entries is bounded: beyond it a kernel is compiled for one call
 * only.
 *
 * With cot_options.cache_bytes the calls of a context run one after the other, since a miss may
 * free the kernels that were called longest ago, of any function. */
#include "cotrace/comm.h"
#include "frontend/fn.h"
#include "ir/array.h"
#include "ir/diag.h"
#include "runtime/cuda/gpu.h"
#include "runtime/device.h"
#include "runtime/open/open.h"
#include "runtime/values.h"

enum { TABLE_START = 8, MAX_TABLE = 1024 };

typedef struct kernel_entry {
    uint64_t hash;
    cot_kernel *kernel;
} kernel_entry;

typedef struct kernel_table {
    uint32_t n, cap; /* n is protected by the lock; cap is a power of two */
    struct kernel_table *older;
    _Atomic(cot_kernel *) latest; /* that was found last: most calls have its types again */
    _Atomic(const kernel_entry *) at[];
} kernel_table;

/* A call, and what becomes of it. */
typedef struct miss {
    cot_fn *fn;
    const cot_compile_options *options;
    const cot_array *const *args;
    int n;
    cot_array *const *results;
    int n_results;
    bool spread; /* some of these are spread over several processes */
    cot_kernel *kernel;
    bool alone; /* it is not in the table, so the caller frees it */
} miss;

/* Which arrays are spread, and over how many rows. */
static uint64_t
hash_spread(uint64_t h, const miss *m)
{
    for (int i = 0; i < m->n; i++)
        h = ir_hash_u64(h, m->args[i]->spread ? 1 + (uint64_t)m->args[i]->all : 0);
    for (int i = 0; i < m->n_results; i++)
        h = ir_hash_u64(h, m->results[i] && m->results[i]->spread);
    return h;
}

/* Where sizes are open, lengths do not count. */
static uint64_t
hash_types(const miss *m)
{
    const cot_fn *f = m->fn;
    const cot_array *const *args = m->args;
    uint64_t h = (uint64_t)m->n;

    for (int i = 0; i < m->n; i++) {
        h = ir_hash_u64(h, (uint64_t)args[i]->type.dtype << 8 | (uint64_t)args[i]->type.rank);
        for (int k = 0; k < args[i]->type.rank && !f->open; k++)
            h = ir_hash_u64(h, (uint64_t)args[i]->dims[k]);
    }
    return m->spread ? hash_spread(h, m) : h;
}

/* Is spread in the kernel what is spread in the call? */
static bool
fits_spread(const cot_kernel *k, const miss *m)
{
    if (!k->spread || m->n_results != k->n_out)
        return false;
    for (int i = 0; i < m->n; i++)
        if (m->args[i]->spread != k->spread[i] ||
            (k->spread[i] && m->args[i]->all != ir_type_at(k->graph, k->graph->in[i])->dims[0]))
            return false;
    for (int i = 0; i < m->n_results; i++)
        if ((m->results[i] && m->results[i]->spread) != k->spread[k->n_in + i])
            return false;
    return true;
}

static bool
fits(const cot_kernel *k, const miss *m)
{
    if (k->open)
        return rt_open_fits(k, m->args, m->n);
    if (k->n_args != m->n)
        return false;
    for (int i = 0; i < m->n; i++)
        if (!ir_array_has_type(m->args[i], k->type[i]))
            return false;
    return m->spread ? fits_spread(k, m) : !k->spread;
}

static cot_kernel *
find(const miss *m)
{
    const cot_fn *f = m->fn;
    kernel_table *t = atomic_load_explicit(&f->compiled, memory_order_acquire);

    if (!t)
        return NULL;
    cot_kernel *latest = atomic_load_explicit(&t->latest, memory_order_acquire);
    if (latest && fits(latest, m))
        return latest;
    const uint64_t hash = hash_types(m);
    for (uint32_t i = (uint32_t)hash & (t->cap - 1);; i = (i + 1) & (t->cap - 1)) {
        const kernel_entry *e = atomic_load_explicit(&t->at[i], memory_order_acquire);

        if (!e)
            return NULL;
        if (e->hash == hash && fits(e->kernel, m)) {
            atomic_store_explicit(&t->latest, e->kernel, memory_order_release);
            return e->kernel;
        }
    }
}

/* A call executes no locked instruction for this, so concurrent calls may lose a count. */
static void
count(_Atomic uint64_t *n)
{
    atomic_store_explicit(n, atomic_load_explicit(n, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

cot_cache
cot_cache_of(const cot_fn *f)
{
    if (!f)
        return (cot_cache){ 0, 0, 0 };
    return (cot_cache){ atomic_load_explicit(&f->hits, memory_order_relaxed),
                        atomic_load_explicit(&f->misses, memory_order_relaxed), f->traces };
}

/* A miss, with the lock held. */

/* The functions of a context that have a table: their kernels are freed with the context. */
typedef struct owned {
    cot_fn *fn;
    struct owned *next;
} owned;

static const char attached;

static void
free_kernels(kernel_table *t)
{
    for (uint32_t i = 0; i < t->cap; i++) {
        const kernel_entry *e = atomic_exchange(&t->at[i], NULL);

        if (e)
            cot_kernel_free(e->kernel);
    }
    atomic_store(&t->latest, NULL);
    t->n = 0;
}

static void
free_tables(void *data)
{
    for (owned *o = *(owned **)data; o; o = o->next)
        free_kernels(atomic_load(&o->fn->compiled));
}

static void
own(cot_fn *f)
{
    owned **list = ir_attached_find(f->ctx, &attached);
    owned *o = IR_NEW(&f->ctx->arena, owned);

    if (!list) {
        list = IR_NEW(&f->ctx->arena, owned *);
        ir_attach(f->ctx, &attached, list, free_tables);
    }
    *o = (owned){ f, *list };
    *list = o;
}

void
cot_jit_clear(cot_fn *f)
{
    if (!f)
        return;
    pthread_mutex_lock(&f->ctx->lock);
    kernel_table *t = atomic_load(&f->compiled);
    if (t)
        free_kernels(t);
    pthread_mutex_unlock(&f->ctx->lock);
}

static void
put(kernel_table *t, const kernel_entry *e)
{
    uint32_t i = (uint32_t)e->hash & (t->cap - 1);

    while (atomic_load_explicit(&t->at[i], memory_order_relaxed))
        i = (i + 1) & (t->cap - 1);
    atomic_store_explicit(&t->at[i], e, memory_order_release);
    t->n++;
}

/* The table of f, with room for another entry. */
static kernel_table *
table_with_room(cot_fn *f)
{
    kernel_table *t = atomic_load(&f->compiled), *more;
    uint32_t cap = t ? 2 * t->cap : TABLE_START;

    if (t && 2 * (t->n + 1) <= t->cap)
        return t;
    more = ir_alloc(&f->ctx->arena, sizeof *more + cap * sizeof *more->at);
    more->cap = cap;
    more->older = t;
    for (uint32_t i = 0; t && i < t->cap; i++)
        if (t->at[i])
            put(more, atomic_load(&t->at[i]));
    if (!t)
        own(f);
    atomic_store_explicit(&f->compiled, more, memory_order_release);
    return more;
}

/* -- the bound -- */

static uint64_t
bytes_of(const cot_kernel *k)
{
    return sizeof *k + k->code.bytes + k->work_bytes;
}

/* Frees kernel k of the table.  The others are put anew, since a search ends at a free slot. */
static void
remove_kernel(kernel_table *t, cot_kernel *k, ir_arena *scratch)
{
    const ir_mark mark = ir_arena_mark(scratch);
    const kernel_entry **kept = IR_NEW_N(scratch, const kernel_entry *, t->cap);
    uint32_t n = 0;

    for (uint32_t i = 0; i < t->cap; i++) {
        const kernel_entry *e = atomic_exchange(&t->at[i], NULL);
        if (e && e->kernel != k)
            kept[n++] = e;
    }
    atomic_store(&t->latest, NULL);
    t->n = 0;
    for (uint32_t i = 0; i < n; i++)
        put(t, kept[i]);
    ir_arena_release(scratch, mark);
    cot_kernel_free(k);
}

/* Frees what was called longest ago until the kernels of the context's functions have no more
 * than config.cache_bytes, or `newest` alone is left. */
static void
keep_bound(cot_context *ctx, const cot_kernel *newest)
{
    owned **list = ir_attached_find(ctx, &attached);

    for (;;) {
        uint64_t sum = 0;
        kernel_table *in = NULL;
        cot_kernel *oldest = NULL;

        for (const owned *o = *list; o; o = o->next) {
            kernel_table *t = atomic_load(&o->fn->compiled);
            for (uint32_t i = 0; i < t->cap; i++) {
                const kernel_entry *e = atomic_load(&t->at[i]);
                sum += e ? bytes_of(e->kernel) : 0;
                if (e && e->kernel != newest && (!oldest || e->kernel->used < oldest->used)) {
                    oldest = e->kernel;
                    in = t;
                }
            }
        }
        if (sum <= ctx->config.cache_bytes || !oldest)
            return;
        remove_kernel(in, oldest, &ctx->arena);
    }
}

/* The numbers of the arrays that are spread. */
static cot_list
spread_list(cot_context *ctx, int n, cot_array *const *a)
{
    int64_t *list = IR_NEW_N(&ctx->arena, int64_t, n + 1);
    int k = 0;

    for (int i = 0; i < n; i++)
        if (a[i] && a[i]->spread)
            list[k++] = i;
    return (cot_list){ .n = k, .at = list };
}

/* The types of whole arrays, and the options with what is spread. */
static cot_status
compile_call(cot_context *ctx, miss *m)
{
    cot_type *type = IR_NEW_N(&ctx->arena, cot_type, m->n + 1);
    const cot_types types = { .n = m->n, .at = type };
    cot_compile_options o = m->options ? *m->options : (cot_compile_options){ 0 };

    for (int i = 0; i < m->n; i++) {
        type[i] = m->args[i]->type;
        if (m->args[i]->spread && type[i].rank > 8)
            type[i].more = ir_copy_bytes(&ctx->arena, m->args[i]->dims,
                                         sizeof(int64_t) * (size_t)type[i].rank);
        if (m->args[i]->spread)
            *(type[i].rank > 8 ? (int64_t *)type[i].more : type[i].dims) = m->args[i]->all;
    }
    if (!m->spread)
        return cot_compile(m->fn, types, m->options, &m->kernel);
    o.spread = spread_list(ctx, m->n, (cot_array *const *)m->args);
    o.spread_results = spread_list(ctx, m->n_results, m->results);
    return cot_compile(m->fn, types, &o, &m->kernel);
}

static cot_status
compile_miss(cot_context *ctx, void *arg)
{
    miss *m = arg;
    kernel_table *t = atomic_load(&m->fn->compiled);
    kernel_entry *e;

    m->kernel = find(m);
    if (m->kernel) {
        count(&m->fn->hits);
        return COT_OK;
    }
    count(&m->fn->misses);
    m->alone = t && t->n >= MAX_TABLE;
    if (m->alone)
        return compile_call(ctx, m);
    e = IR_NEW(&ctx->arena, kernel_entry);
    t = table_with_room(m->fn);
    COT_TRY(compile_call(ctx, m));
    *e = (kernel_entry){ hash_types(m), m->kernel };
    put(t, e);
    if (ctx->config.cache_bytes)
        keep_bound(ctx, m->kernel);
    return COT_OK;
}

typedef struct want {
    const cot_kernel *k;
    cot_array **results;
    int n;
    const cot_array *const *args;
    const int64_t *size; /* where sizes are open */
} want;

/* Results are on the device if an argument is. */
static cot_status
make_result(cot_context *ctx, const want *w, const cot_type *type, cot_array **out)
{
    for (int i = 0; w->k->program && i < w->k->n_args; i++)
        if (!ir_array_is_here(w->args[i]))
            return rt_array_on(ctx, type, w->args[i]->place->device_id, false, out);
    *out = ir_array_new_unset(ctx, type);
    return *out ? COT_OK
                : ir_fail(ctx, w->k->loc, w->k->graph->name, ERR_memory_for, "a result",
                          (unsigned long long)rt_bytes(ir_type_of(ctx, type)));
}

/* The type of result i of the call; dims has room for COT_MAX_RANK. */
static cot_type
result_type(const want *w, int i, int64_t *dims)
{
    return w->k->open ? rt_open_result(w->k, i, w->size, dims)
                      : ir_type_public(w->k->type[w->k->n_in + i]);
}

static cot_status
make_results(cot_context *ctx, void *arg)
{
    const want *w = arg;
    int64_t dims[COT_MAX_RANK];

    if (w->n != w->k->n_out)
        return ir_fail(ctx, w->k->loc, w->k->graph->name, ERR_usage,
                       ir_format(&ctx->message_arena, "%d results are asked for; it has %d",
                                 w->n, w->k->n_out));
    for (int i = 0; i < w->n; i++) {
        cot_type type = result_type(w, i, dims);

        if (!w->results[i])
            COT_TRY(make_result(ctx, w, &type, &w->results[i]));
    }
    return COT_OK;
}

/* Makes the results without the lock, where that is possible and nothing fails: small kernels
 * take less time than the lock. */
static bool
make_results_freely(const want *w)
{
    cot_context *ctx = w->k->ctx;
    int64_t dims[COT_MAX_RANK];
    bool there = true;

    if (w->n != w->k->n_out || w->k->program || !ir_allocates_by_libc(ctx))
        return false;
    for (int i = 0; i < w->n; i++)
        if (!w->results[i]) {
            const cot_type type = result_type(w, i, dims);
            w->results[i] = ir_array_new_unset(ctx, &type);
            there &= w->results[i] != NULL;
        }
    return there;
}

static bool
all_there(const want *w)
{
    bool there = w->n == w->k->n_out;

    for (int i = 0; i < w->n; i++)
        there &= w->results[i] != NULL;
    return there;
}

/* A call with missing arguments or results. */
typedef struct missing {
    const cot_fn *fn;
    const char *call, *what;
} missing;

static cot_status
record_missing(cot_context *ctx, void *arg)
{
    const missing *m = arg;

    return ir_fail(ctx, m->fn->loc, m->fn->name, ERR_usage,
                   ir_format(&ctx->message_arena, "%s: %s", m->call, m->what));
}

/* Finds or compiles the kernel, makes missing results, and runs it. */
static cot_status
call_on(miss *m, cot_array **results, int n_results)
{
    cot_fn *f = m->fn;
    cot_status status = COT_OK;

    m->kernel = find(m);
    if (m->kernel)
        count(&f->hits);
    else
        COT_TRY(rt_guard(f->ctx, compile_miss, m));
    int64_t size[CG_MAX_SIZES];
    const want w = { m->kernel, results, n_results, m->args, size };
    if (m->kernel->open && !rt_open_sizes(m->kernel, m->args, size))
        return rt_open_refuse_sizes(m->kernel, m->args);
    if (!all_there(&w) && !make_results_freely(&w))
        status = rt_guard(f->ctx, make_results, (void *)&w);
    if (status == COT_OK)
        status = m->kernel->open ? rt_run_open(m->kernel, NULL, size, results, m->args)
                                 : cot_run(m->kernel, results, m->args);
    if (m->alone)
        cot_kernel_free(m->kernel);
    return status;
}

/* A miss of another thread may free the kernel, so the lock is held until the call ends. */
static cot_status
call_alone(miss *m, cot_array **results, int n_results)
{
    cot_context *ctx = m->fn->ctx;

    pthread_mutex_lock(&ctx->lock);
    const cot_status status = call_on(m, results, n_results);
    if (m->kernel && !m->alone)
        m->kernel->used = ++ctx->jit_calls;
    pthread_mutex_unlock(&ctx->lock);
    return status;
}

/* One process holds all rows of what is spread. */
static bool
is_spread(const miss *m)
{
    const cot_comm *c = m->fn->ctx->comm;
    bool spread = false;

    if (!c || c->size < 2)
        return false;
    for (int i = 0; i < m->n; i++)
        spread |= m->args[i]->spread;
    for (int i = 0; i < m->n_results; i++)
        spread |= m->results[i] && m->results[i]->spread;
    return spread;
}

cot_status
rt_call_fn(const char *call, cot_fn *f, const cot_compile_options *o, cot_array **results,
           int n_results, const cot_array *const *args, int n_args)
{
    miss m = { f, o, args, n_args, results, n_results, false, NULL, false };
    missing no = { f, call, "an argument is NULL; wants an array" };

    for (int i = 0; i < n_args; i++)
        if (!args || !args[i])
            return rt_guard(f->ctx, record_missing, &no);
    no.what = "the list of results is NULL; wants room for them";
    if (n_results > 0 && !results)
        return rt_guard(f->ctx, record_missing, &no);
    m.spread = is_spread(&m);
    no.what = "an array is spread over processes, where sizes are open; wants whole ones";
    if (m.spread && f->open)
        return rt_guard(f->ctx, record_missing, &no);
    return f->ctx->config.cache_bytes ? call_alone(&m, results, n_results)
                                      : call_on(&m, results, n_results);
}

cot_status
cot_jit(cot_fn *f, cot_array **results, int n_results, const cot_array *const *args, int n_args)
{
    if (!f)
        return COT_ERR_ARG;
    return rt_call_fn("cot_jit", f, NULL, results, n_results, args, n_args);
}
