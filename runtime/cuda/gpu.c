/* A GPU: opening it, its memory, its modules. */
#include "runtime/cuda/gpu.h"

#include <stdio.h>

#include "ir/config.h"
#include "ir/diag.h"

/* ---- failures ---- */

cot_status
rt_gpu_check(rt_gpu *g, cu_result r, const char *doing)
{
    char text[200];

    if (r == CU_SUCCESS)
        return COT_OK;
    rt_driver_error(&g->driver, r, text, sizeof text);
    snprintf(g->said, sizeof g->said, "%s: %s: %s", g->name, doing, text);
    return r == CU_OUT_OF_MEMORY ? COT_ERR_MEMORY : COT_ERR_TARGET;
}

cot_status
rt_gpu_fail(cot_context *ctx, const rt_gpu *g, cot_status status, const char *fn)
{
    return ir_fail(ctx, 0, fn, status == COT_ERR_MEMORY ? ERR_device_memory : ERR_device,
                   g->said);
}

/* ---- opening ---- */

static const char *
place_why(ir_place *p)
{
    return ((rt_gpu *)p)->said;
}

static cot_status
place_read(ir_place *p, void *to, const void *from, size_t bytes)
{
    rt_gpu *g = (rt_gpu *)p;
    cot_status s;

    rt_gpu_begin(g);
    s = rt_gpu_check(g, g->driver.to_host(to, (cu_address)(uintptr_t)from, bytes, g->stream),
                     "copying to the host");
    if (s == COT_OK)
        s = rt_gpu_sync(g);
    rt_gpu_end(g);
    return s;
}

/* The caller may change the source when this returns.  So it waits for the copy, as the driver
 * does not tell whether it has made one of its own. */
static cot_status
place_write(ir_place *p, void *to, const void *from, size_t bytes)
{
    rt_gpu *g = (rt_gpu *)p;
    cot_status s;

    rt_gpu_begin(g);
    s = rt_gpu_check(g, g->driver.to_device((cu_address)(uintptr_t)to, from, bytes, g->stream),
                     "copying to the device");
    if (s == COT_OK)
        s = rt_gpu_sync(g);
    rt_gpu_end(g);
    return s;
}

static void
place_release(ir_place *p, cot_array *a)
{
    rt_gpu *g = (rt_gpu *)p;

    rt_gpu_begin(g);
    rt_gpu_free(g, (cu_address)(uintptr_t)a->data);
    rt_gpu_end(g);
    rt_gpu_drop(g);
}

static const ir_place cuda_place = { .device_type = 2,
                                     .release = place_release,
                                     .read = place_read,
                                     .write = place_write,
                                     .why = place_why };

/* A pool for this context, which keeps freed memory, since the next call needs as much.  The
 * device's default pool belongs to the process, and others may change its settings. */
static cot_status
make_pool(rt_gpu *g)
{
    const cu_pool_props props = { .allocation = CU_POOL_PINNED,
                                  .place = CU_POOL_ON_DEVICE,
                                  .ordinal = g->place.device_id };
    uint64_t all = UINT64_MAX;
    int pools = 0;

    COT_TRY(rt_gpu_check(g, g->driver.device_attribute(&pools, CU_ATTRIBUTE_POOLS, g->device),
                         "opening it"));
    if (!pools) {
        snprintf(g->said, sizeof g->said,
                 "%s has no memory pools; wants a GPU and a driver that do", g->name);
        return COT_ERR_TARGET;
    }
    COT_TRY(rt_gpu_check(g, g->driver.pool_make(&g->pool, &props), "its memory pool"));
    return rt_gpu_check(g, g->driver.pool_set(g->pool, CU_POOL_RELEASE_THRESHOLD, &all),
                        "its memory pool");
}

static cot_status
find_device(rt_gpu *g, int ordinal)
{
    int count = 0, major = 0, minor = 0;

    snprintf(g->name, sizeof g->name, "CUDA device %d", ordinal);
    COT_TRY(rt_gpu_check(g, g->driver.device_count(&count), "counting devices"));
    if (ordinal >= count) {
        snprintf(g->said, sizeof g->said, "there is no CUDA device %d: the driver has %d",
                 ordinal, count);
        return COT_ERR_TARGET;
    }
    COT_TRY(rt_gpu_check(g, g->driver.device_get(&g->device, ordinal), "opening it"));
    COT_TRY(
        rt_gpu_check(g, g->driver.device_name(g->name, sizeof g->name, g->device), "its name"));
    COT_TRY(rt_gpu_check(g, g->driver.device_attribute(&major, CU_ATTRIBUTE_MAJOR, g->device),
                         "opening it"));
    COT_TRY(rt_gpu_check(g, g->driver.device_attribute(&minor, CU_ATTRIBUTE_MINOR, g->device),
                         "opening it"));
    COT_TRY(rt_gpu_check(
        g, g->driver.device_attribute(&g->processors, CU_ATTRIBUTE_PROCESSORS, g->device),
        "opening it"));
    g->arch = 10 * major + minor;
    if (g->arch >= 80)
        return COT_OK;
    snprintf(g->said, sizeof g->said, "%.100s is sm_%d; wants sm_80 or newer", g->name,
             g->arch);
    return COT_ERR_TARGET;
}

static cot_status
open_gpu(rt_gpu *g, const char *path, int ordinal)
{
    cot_status s;

    if (rt_driver_open(&g->driver, path, g->said, sizeof g->said))
        return COT_ERR_TARGET;
    COT_TRY(find_device(g, ordinal));
    COT_TRY(rt_gpu_check(g, g->driver.context_retain(&g->context, g->device),
                         "its primary context"));
    rt_gpu_begin(g);
    s = make_pool(g);
    if (s == COT_OK)
        s = rt_gpu_check(g, g->driver.stream_create(&g->stream, CU_STREAM_NON_BLOCKING),
                         "a stream");
    if (s == COT_OK)
        s = rt_gpu_check(g, g->driver.event_create(&g->event, CU_EVENT_DISABLE_TIMING),
                         "an event");
    if (s == COT_OK)
        s = rt_gpu_check(g, g->driver.host_alloc((void **)&g->here, sizeof *g->here),
                         "memory of the host for it");
    rt_gpu_end(g);
    return s;
}

static void
close_gpu(rt_gpu *g)
{
    void *(*alloc)(void *, void *, size_t) = g->realloc;
    void *user = g->alloc_user;

    if (g->context) {
        rt_gpu_begin(g);
        if (g->stream)
            (void)g->driver.stream_sync(g->stream);
        rt_gpu_free(g, g->work);
        rt_gpu_free(g, g->status);
        for (rt_gpu_module *m = g->modules, *next; m; m = next) {
            next = m->next;
            (void)g->driver.module_unload(m->module);
            (void)alloc(user, m, 0);
        }
        if (g->stream) {
            (void)g->driver.stream_sync(g->stream); /* freed memory is unused after this */
            (void)g->driver.stream_destroy(g->stream);
        }
        if (g->event)
            (void)g->driver.event_destroy(g->event);
        if (g->here)
            (void)g->driver.host_free(g->here);
        if (g->pool)
            (void)g->driver.pool_free(g->pool); /* give the pool's unused memory to others */
        rt_gpu_end(g);
        (void)g->driver.context_release(g->device);
    }
    rt_driver_close(&g->driver);
    pthread_mutex_destroy(&g->lock);
    (void)alloc(user, g, 0);
}

rt_gpu *
rt_gpu_hold(rt_gpu *g)
{
    atomic_fetch_add(&g->users, 1);
    return g;
}

void
rt_gpu_drop(rt_gpu *g)
{
    if (g && atomic_fetch_sub(&g->users, 1) == 1)
        close_gpu(g);
}

void
rt_gpu_begin(rt_gpu *g)
{
    pthread_mutex_lock(&g->lock);
    (void)g->driver.context_push(g->context);
}

void
rt_gpu_end(rt_gpu *g)
{
    cu_context old;

    (void)g->driver.context_pop(&old);
    pthread_mutex_unlock(&g->lock);
}

/* ---- the gpus of a context ---- */

enum { MAX_GPUS = 16 };

typedef struct gpus {
    rt_gpu *at[MAX_GPUS];
} gpus;

static void
drop_all(void *data)
{
    gpus *all = data;

    for (int i = 0; i < MAX_GPUS; i++)
        rt_gpu_drop(all->at[i]);
}

static gpus *
gpus_of(cot_context *ctx)
{
    static const char key;
    gpus *all = ir_attached_find(ctx, &key);

    if (!all) {
        all = IR_NEW(&ctx->arena, gpus);
        ir_attach(ctx, &key, all, drop_all);
    }
    return all;
}

static cot_status
open_into(cot_context *ctx, gpus *all, int ordinal, char *why, size_t n)
{
    rt_gpu *g = ir_realloc(ctx, NULL, sizeof *g);
    cot_status s;

    *g = (rt_gpu){
        .place = cuda_place, .users = 1, .realloc = ctx->realloc, .alloc_user = ctx->alloc_user
    };
    g->place.device_id = ordinal;
    g->place.gpu = g;
    pthread_mutex_init(&g->lock, NULL);
    s = open_gpu(g, ctx->config.driver, ordinal);
    if (s == COT_OK) {
        all->at[ordinal] = g;
        return COT_OK;
    }
    snprintf(why, n, "%s", g->said);
    close_gpu(g);
    return s;
}

cot_status
rt_gpu_of(cot_context *ctx, int ordinal, rt_gpu **out)
{
    gpus *all = gpus_of(ctx);
    char why[512];

    *out = NULL;
    if (ordinal < 0 || ordinal >= MAX_GPUS)
        return ir_fail(ctx, 0, NULL, ERR_device,
                       ir_format(&ctx->message_arena, "there is no CUDA device %d", ordinal));
    if (!all->at[ordinal] && open_into(ctx, all, ordinal, why, sizeof why) != COT_OK)
        return ir_fail(ctx, 0, NULL, ERR_device, ir_copy_string(&ctx->message_arena, why));
    *out = all->at[ordinal];
    return COT_OK;
}

rt_gpu *
rt_gpu_try(cot_context *ctx, int ordinal)
{
    gpus *all = gpus_of(ctx);
    char why[512];

    if (ordinal < 0 || ordinal >= MAX_GPUS)
        return NULL;
    if (!all->at[ordinal])
        (void)open_into(ctx, all, ordinal, why, sizeof why);
    return all->at[ordinal];
}

rt_gpu *
rt_gpu_opened(cot_context *ctx, int i)
{
    gpus *all = gpus_of(ctx);

    for (int n = 0; n < MAX_GPUS; n++)
        if (all->at[n] && i-- == 0)
            return all->at[n];
    return NULL;
}

/* ---- memory ---- */

cot_status
rt_gpu_alloc(rt_gpu *g, size_t bytes, cu_address *out)
{
    return rt_gpu_check(g, g->driver.alloc(out, bytes ? bytes : 1, g->pool, g->stream),
                        "allocating memory");
}

void
rt_gpu_free(rt_gpu *g, cu_address at)
{
    if (at)
        (void)g->driver.release(at, g->stream);
}

cot_status
rt_gpu_sync(rt_gpu *g)
{
    return rt_gpu_check(g, g->driver.stream_sync(g->stream), "waiting for the device");
}

/* The two locks are not held at once, so that two gpus may follow each other. */
cot_status
rt_gpu_follow(rt_gpu *g, rt_gpu *other)
{
    char said[sizeof g->said] = "";
    cot_status s;

    rt_gpu_begin(other);
    s = rt_gpu_check(other, other->driver.event_record(other->event, other->stream),
                     "an event");
    if (s != COT_OK)
        memcpy(said, other->said, sizeof said);
    rt_gpu_end(other);
    rt_gpu_begin(g);
    if (s == COT_OK)
        s = rt_gpu_check(g, g->driver.stream_wait(g->stream, other->event, 0),
                         "waiting for another stream");
    else
        memcpy(g->said, said, sizeof said);
    rt_gpu_end(g);
    return s;
}

cot_status
rt_gpu_work(rt_gpu *g, size_t bytes, cu_address *out)
{
    if (bytes > g->work_bytes) {
        rt_gpu_free(g, g->work);
        g->work = g->work_bytes = 0;
        COT_TRY(rt_gpu_alloc(g, bytes, &g->work));
        g->work_bytes = bytes;
    }
    *out = g->work;
    return COT_OK;
}

/* ---- modules ---- */

static uint64_t
hash_bytes(const char *s, size_t n)
{
    uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */

    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * 0x100000001b3u;
    return h;
}

/* Lets the driver compile PTX, and reports errors from its log. */
static cot_status
compile_ptx(rt_gpu *g, const char *ptx, cu_module *out)
{
    char log[300] = "";
    int option[] = { CU_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_BYTES };
    void *value[] = { log, (void *)(uintptr_t)sizeof log };
    cot_status s =
        rt_gpu_check(g, g->driver.module_load(out, ptx, 2, option, value), "compiling PTX");
    size_t n = strlen(g->said);

    log[sizeof log - 1] = '\0';
    if (s != COT_OK && *log)
        snprintf(g->said + n, sizeof g->said - n, "; %s", log);
    return s;
}

cot_status
rt_gpu_load(rt_gpu *g, const char *ptx, size_t bytes, rt_gpu_module **out)
{
    const uint64_t hash = hash_bytes(ptx, bytes);
    rt_gpu_module *m;
    cot_status s;

    for (m = g->modules; m; m = m->next)
        if (m->hash == hash && m->bytes == bytes && memcmp(m + 1, ptx, bytes) == 0) {
            m->users++;
            *out = m;
            return COT_OK;
        }
    m = g->realloc(g->alloc_user, NULL, sizeof *m + bytes + 1);
    if (!m) {
        snprintf(g->said, sizeof g->said, "memory of the host is short");
        return COT_ERR_MEMORY;
    }
    *m = (rt_gpu_module){ .next = g->modules, .hash = hash, .bytes = bytes, .users = 1 };
    memcpy(m + 1, ptx, bytes);
    ((char *)(m + 1))[bytes] = '\0';
    s = compile_ptx(g, (const char *)(m + 1), &m->module);
    if (s != COT_OK) {
        (void)g->realloc(g->alloc_user, m, 0);
        return s;
    }
    *out = g->modules = m;
    return COT_OK;
}

/* One unused module is kept, since compiling the same function again is likely. */
void
rt_gpu_unload(rt_gpu *g, rt_gpu_module *m)
{
    rt_gpu_module **at = &g->modules;

    if (!m || --m->users > 0)
        return;
    while (*at && (*at == m || (*at)->users > 0))
        at = &(*at)->next;
    if (!*at)
        return;
    rt_gpu_module *old = *at;
    *at = old->next;
    (void)g->driver.stream_sync(g->stream); /* its kernels may still be running */
    (void)g->driver.module_unload(old->module);
    (void)g->realloc(g->alloc_user, old, 0);
}
