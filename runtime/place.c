/* Arrays on devices: creating, copying, waiting. */
#include <stdlib.h>

#include "cotrace/device.h"
#include "ir/diag.h"
#include "runtime/compile.h"
#include "runtime/cuda/gpu.h"
#include "runtime/file.h"

/* "host": -1; "cuda", "cuda:1": the number.  False: not the name of a device. */
static bool
read_name(const char *name, int *ordinal)
{
    char *end;
    long n;

    *ordinal = strcmp(name, "host") == 0 ? -1 : 0;
    if (*ordinal < 0 || strcmp(name, "cuda") == 0)
        return true;
    if (strncmp(name, "cuda:", 5) != 0)
        return false;
    n = strtol(name + 5, &end, 10);
    *ordinal = n < 0 || n > 1 << 20 ? 1 << 20 : (int)n;
    return end != name + 5 && !*end;
}

const char *
cot_array_device(const cot_array *a)
{
    static const char *const name[] = { "cuda:0",  "cuda:1",  "cuda:2",  "cuda:3",
                                        "cuda:4",  "cuda:5",  "cuda:6",  "cuda:7",
                                        "cuda:8",  "cuda:9",  "cuda:10", "cuda:11",
                                        "cuda:12", "cuda:13", "cuda:14", "cuda:15" };

    return !a || ir_array_is_here(a) ? "host" : name[a->place->device_id & 15];
}

static cot_status
failed(cot_context *ctx, ir_place *p, cot_status s)
{
    return ir_fail(ctx, 0, NULL, s == COT_ERR_MEMORY ? ERR_device_memory : ERR_device,
                   p->why(p));
}

typedef struct placement {
    cot_type type;
    const char *device;
    const cot_array *from;      /* NULL: zeros */
    cot_array *out;
} placement;

static cot_status
fill(rt_gpu *g, cot_array *a, bool zero)
{
    cu_address at = 0;
    cot_status s;

    rt_gpu_begin(g);
    s = rt_gpu_alloc(g, a->bytes, &at);
    if (s == COT_OK && zero && a->bytes)
        s = rt_gpu_check(g, g->driver.set_bytes(at, 0, a->bytes, g->stream), "zeroing memory");
    rt_gpu_end(g);
    a->data = (void *)(uintptr_t)at;
    return s;
}

cot_status
rt_array_on(cot_context *ctx, const cot_type *type, int ordinal, bool zero, cot_array **out)
{
    static char nowhere;
    rt_gpu *g;
    cot_array *a;
    cot_status s;

    *out = NULL;
    COT_TRY(rt_gpu_of(ctx, ordinal, &g));
    a = ir_array_new(ctx, type, &nowhere);
    if (!a)
        return ir_fail(ctx, 0, NULL, ERR_memory);
    s = fill(g, a, zero);
    if (s != COT_OK) {
        cot_array_free(a);
        return failed(ctx, &g->place, s);
    }
    a->place = &rt_gpu_hold(g)->place;
    *out = a;
    return COT_OK;
}

static cot_status
make(cot_context *ctx, void *arg)
{
    placement *m = arg;
    int ordinal;

    if (!m->device || !read_name(m->device, &ordinal))
        return ir_fail(ctx, 0, NULL, ERR_usage,
                       ir_format(&ctx->message_arena,
                                 "the device is '%s'; wants host, cuda or cuda:1",
                                 m->device ? m->device : ""));
    if (!ir_type_of(ctx, &m->type))
        return ctx->status;
    if (ordinal >= 0)
        return rt_array_on(ctx, &m->type, ordinal, !m->from, &m->out);
    m->out = ir_array_new(ctx, &m->type, NULL);
    return m->out ? COT_OK : ir_fail(ctx, 0, NULL, ERR_memory);
}

cot_array *
cot_array_new_on(cot_context *ctx, cot_type type, const char *device)
{
    placement m = { type, device, NULL, NULL };

    return rt_guard(ctx, make, &m) == COT_OK ? m.out : NULL;
}

cot_array *
cot_array_to(cot_context *ctx, const cot_array *a, const char *device)
{
    if (!a) {
        ir_fail_null(ctx, "array_to", "the array");
        return NULL;
    }
    placement m = { a->type, device, a, NULL };

    if (rt_guard(ctx, make, &m) != COT_OK)
        return NULL;
    if (cot_array_assign(ctx, m.out, a) == COT_OK)
        return m.out;
    cot_array_free(m.out);
    return NULL;
}

typedef struct assigning {
    cot_array *to;
    const cot_array *from;
} assigning;

/* Copies from one device to another through this process. */
static cot_status
by_host(cot_context *ctx, const assigning *c)
{
    const size_t bytes = c->to->bytes;
    void *memory = malloc(bytes ? bytes : 1);
    cot_status s;

    if (!memory)
        return ir_fail(ctx, 0, NULL, ERR_memory);
    s = c->from->place->read(c->from->place, memory, c->from->data, bytes);
    if (s != COT_OK) {
        free(memory);
        return failed(ctx, c->from->place, s);
    }
    s = c->to->place->write(c->to->place, c->to->data, memory, bytes);
    free(memory);
    return s == COT_OK ? COT_OK : failed(ctx, c->to->place, s);
}

static cot_status
assign(cot_context *ctx, void *arg)
{
    const assigning *c = arg;
    cot_array *to = c->to;
    const cot_array *from = c->from;
    cot_status s;

    if (to->type.dtype != from->type.dtype)
        return ir_fail(ctx, 0, NULL, ERR_dtype_wrong,
                       ir_format(&ctx->message_arena, "what is copied is %s; wants %s",
                                 cot_dtype_name(from->type.dtype),
                                 cot_dtype_name(to->type.dtype)));
    if (to->type.rank != from->type.rank ||
        memcmp(to->dims, from->dims, sizeof *to->dims * (size_t)to->type.rank) != 0)
        return ir_fail(ctx, 0, NULL, ERR_shape_wrong,
                       ir_format(&ctx->message_arena, "what is copied is %s; wants %s",
                                 ir_type_str(ctx, ir_type_of(ctx, &from->type)),
                                 ir_type_str(ctx, ir_type_of(ctx, &to->type))));
    if (to->read_only)
        return ir_fail(ctx, 0, NULL, ERR_usage,
                       "the array is read-only; wants one that can be written");
    if (!to->bytes)
        return COT_OK;
    if (ir_array_is_here(to) && ir_array_is_here(from)) {
        memmove(to->data, from->data, to->bytes);
        return COT_OK;
    }
    if (ir_array_is_here(to)) {
        s = from->place->read(from->place, to->data, from->data, to->bytes);
        return s == COT_OK ? COT_OK : failed(ctx, from->place, s);
    }
    if (!ir_array_is_here(from))
        return by_host(ctx, c);
    s = to->place->write(to->place, to->data, from->data, to->bytes);
    return s == COT_OK ? COT_OK : failed(ctx, to->place, s);
}

cot_status
cot_array_assign(cot_context *ctx, cot_array *to, const cot_array *from)
{
    assigning c = { to, from };

    if (!to || !from)
        return ir_fail_null(ctx, "array_assign", "the array");
    return rt_guard(ctx, assign, &c);
}

static cot_status
not_here(cot_context *ctx, void *arg)
{
    return ir_fail(
        ctx, 0, NULL, ERR_usage,
        ir_format(&ctx->message_arena,
                  "the array is on %s; wants one of this machine: cot_array_to copies",
                  cot_array_device(arg)));
}

static cot_status
not_whole(cot_context *ctx, void *arg)
{
    const cot_array *a = arg;

    return ir_fail(ctx, 0, NULL, ERR_usage,
                   ir_format(&ctx->message_arena,
                             "the array is spread, with %lld rows of %lld; wants a whole one: "
                             "cot_array_gather",
                             (long long)a->dims[0], (long long)a->all));
}

cot_status
rt_want_here(cot_context *ctx, const cot_array *a)
{
    if (a && a->spread && a->all != a->dims[0])
        return rt_guard(ctx, not_whole, (void *)(uintptr_t)a);
    return !a || ir_array_is_here(a) ? COT_OK : rt_guard(ctx, not_here, (void *)(uintptr_t)a);
}

static cot_status
count(cot_context *ctx, void *arg)
{
    int n = 0;

    while (rt_gpu_try(ctx, n))
        n++;
    *(int *)arg = n;
    return COT_OK;
}

int
cot_device_count(cot_context *ctx, const char *kind)
{
    int n = 0;

    if (kind && strcmp(kind, "cuda") == 0)
        (void)rt_guard(ctx, count, &n);
    return n;
}

static cot_status
wait_all(cot_context *ctx, void *none)
{
    cot_status status = COT_OK;
    rt_gpu *g;

    (void)none;
    for (int i = 0; (g = rt_gpu_opened(ctx, i)) != NULL && status == COT_OK; i++) {
        rt_gpu_begin(g);
        status = rt_gpu_sync(g);
        rt_gpu_end(g);
        if (status != COT_OK)
            return rt_gpu_fail(ctx, g, status, NULL);
    }
    return COT_OK;
}

cot_status
cot_device_wait(cot_context *ctx)
{
    return rt_guard(ctx, wait_all, NULL);
}
