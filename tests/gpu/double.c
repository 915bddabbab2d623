/* A double of the CUDA driver over the host's memory.
 *
 * A stream is a list of things to do that nobody does before somebody waits for it: so a caller
 * who reads a result too early, or frees what is still wanted, gets wrong numbers here as
 * there.  Data that comes from pageable memory is copied when it is handed over, as the driver
 * says it does.  Captured work goes to a graph's list, which a launch of the graph appends.
 * Every address is checked against what is allocated.
 *
 * PTX is not run: the names of its entry points and the number of their parameters (all of 64
 * bits) are read, and a launch calls the hook with them. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#pragma GCC visibility push(default)
#include "tests/gpu/double_inside.h"

enum { MAX_PARAMETERS = 1024 };

static double_hook *hook;
static void *hook_user;
/* Another source file of the library may know programs of its own. */
__attribute__((weak)) double_hook double_program_launch;

void
double_on_launch(double_hook *h, void *user)
{
    hook = h;
    hook_user = user;
}

/* ---- memory ---- */

typedef struct allocation {
    struct allocation *next;
    char *at;
    size_t bytes;
} allocation;

static allocation *allocated;

static bool
is_allocated(cu_address at, size_t bytes)
{
    for (const allocation *p = allocated; p; p = p->next)
        if (at >= (cu_address)(uintptr_t)p->at &&
            at + bytes <= (cu_address)(uintptr_t)p->at + p->bytes)
            return true;
    return false;
}

static void *
at_device(cu_address at, size_t bytes, const char *what)
{
    if (!is_allocated(at, bytes))
        double_wrong(what);
    return is_allocated(at, bytes) ? (void *)(uintptr_t)at : NULL;
}

static void
let_go(cu_address at)
{
    for (allocation **p = &allocated; *p; p = &(*p)->next)
        if ((cu_address)(uintptr_t)(*p)->at == at) {
            allocation *old = *p;

            *p = old->next;
            memset(old->at, 0xEE, old->bytes);
            double_counts()->live--;
            double_counts()->live_bytes -= (int64_t)old->bytes;
            free(old->at);
            free(old);
            return;
        }
    double_wrong("free of what is not allocated");
}

/* ---- what is in a stream ---- */

typedef enum kind { TO_DEVICE, TO_HOST, MOVE, SET, FREE, LAUNCH, RECORD, WAIT } kind;

typedef struct cu_function_ entry;

typedef struct task {
    struct task *next;
    kind kind;
    cu_address to, from;
    void *host;                 /* to the host: where; to the device: a copy of what */
    size_t bytes;
    unsigned value;             /* set: of so many bytes each, `bytes` in all */
    size_t unit;
    cu_event event;
    int64_t records;            /* wait: for so many of the event */
    entry *fn;
    unsigned grid, block, shared;
    uint64_t parameter[MAX_PARAMETERS];
} task;

typedef struct list { task *first, **last; } list;
struct cu_stream_ { list work; bool capturing; list captured; cu_result failed; };
struct cu_graph_ { list work; };
struct cu_graph_exec_ { list work; };
struct cu_event_ { cu_event next; cu_stream stream; int64_t asked, done; struct timespec at; };
/* The stream that NULL stands for. */
static struct cu_stream_ plain;

static cu_stream
stream_of(cu_stream s)
{
    if (s)
        return s;
    if (!plain.work.last) {
        plain.work.last = &plain.work.first;
        plain.captured.last = &plain.captured.first;
    }
    return &plain;
}

static void
list_new(list *l)
{
    l->first = NULL;
    l->last = &l->first;
}

static void
list_free(list *l)
{
    for (task *t = l->first, *next; t; t = next) {
        next = t->next;
        if (t->kind == TO_DEVICE)
            free(t->host);
        free(t);
    }
    list_new(l);
}

static task *
list_add(list *l, const task *t)
{
    task *copy = malloc(sizeof *copy);

    *copy = *t;
    copy->next = NULL;
    if (t->kind == TO_DEVICE) {
        copy->host = malloc(t->bytes + 1);
        memcpy(copy->host, t->host, t->bytes);
    }
    *l->last = copy;
    l->last = &copy->next;
    return copy;
}

static cu_result
ask(cu_stream s, const task *t)
{
    s = stream_of(s);
    if (!double_is_current())
        double_wrong("no context is current");
    list_add(s->capturing ? &s->captured : &s->work, t);
    double_counts()->waiting += !s->capturing;
    return CU_SUCCESS;
}

static cu_result
launch_now(const task *t)
{
    void *parameter[MAX_PARAMETERS];
    double_hook *h = hook ? hook : double_program_launch;

    for (int i = 0; i < t->fn->n; i++)
        parameter[i] = (void *)(uintptr_t)&t->parameter[i];
    double_counts()->launches++;
    if (double_setting("launch") && double_counts()->launches == double_setting("launch"))
        return CU_LAUNCH_FAILED;
    return h ? h(hook_user, t->fn->name, t->grid, t->block, t->shared, parameter) : CU_SUCCESS;
}

static void
copy_now(const task *t)
{
    void *to = t->kind == TO_HOST
                   ? t->host
                   : at_device(t->to, t->bytes, "a copy to what is not allocated");
    void *from = t->kind == TO_DEVICE ? t->host : NULL;

    if (t->kind == TO_HOST || t->kind == MOVE)
        from = at_device(t->from, t->bytes, "a copy from what is not allocated");
    double_counts()->copies_in += t->kind == TO_DEVICE;
    double_counts()->copies_out += t->kind == TO_HOST;
    double_counts()->moves += t->kind == MOVE;
    if (t->kind == SET && to)
        for (size_t i = 0; i < t->bytes; i += t->unit)
            memcpy((char *)to + i, &t->value, t->unit);
    else if (to && from)
        memmove(to, from, t->bytes);
}

static void do_first(cu_stream s);

static cu_result
do_now(task *t)
{
    switch (t->kind) {
    case LAUNCH: return launch_now(t);
    case FREE: let_go(t->to); break;
    case RECORD:
        t->event->done++;
        clock_gettime(CLOCK_MONOTONIC, &t->event->at);
        break;
    case WAIT:
        while (t->event->done < t->records)
            do_first(t->event->stream);
        break;
    default: copy_now(t);
    }
    return CU_SUCCESS;
}

/* The first thing that the stream holds.  Failures are sticky, as the driver's are.  (plain and
 * other streams differ: the two kinds of callers never meet.) */
static void
do_first(cu_stream s)
{
    task *t = s->work.first;
    const bool still = t->kind == FREE || t->kind == RECORD;

    s->work.first = t->next;
    if (!t->next)
        s->work.last = &s->work.first;
    cu_result r = s->failed && !still ? s->failed : do_now(t);
    double_counts()->waiting--;
    if (r != CU_SUCCESS && !s->failed)
        s->failed = r;
    if (t->kind == TO_DEVICE)
        free(t->host);
    free(t);
}

cu_result
stream_sync_(cu_stream s)
{
    s = stream_of(s);
    double_counts()->syncs++;
    while (s->work.first)
        do_first(s);
    return s->failed;
}

/* A stream that is asked goes on by one step. */
cu_result
stream_query_(cu_stream s)
{
    s = stream_of(s);
    if (!s->work.first)
        return s->failed;
    do_first(s);
    return CU_NOT_READY;
}

/* ---- events ---- */

/* They stay as long as the library: a stream may still wait for one that was let go of. */
static cu_event events;

__attribute__((destructor)) static void
free_events(void)
{
    for (cu_event e; (e = events);) {
        events = e->next;
        free(e);
    }
}

cu_result
event_create_(cu_event *e, unsigned flags)
{
    *e = calloc(1, sizeof **e);
    if (!*e || flags & ~(unsigned)CU_EVENT_DISABLE_TIMING)
        return CU_INVALID_VALUE;
    (*e)->next = events;
    events = *e;
    double_counts()->events++;
    return CU_SUCCESS;
}

cu_result
event_destroy_(cu_event e)
{
    (void)e;
    double_counts()->events--;
    return CU_SUCCESS;
}

cu_result
event_record_(cu_event e, cu_stream s)
{
    e->stream = stream_of(s);
    e->asked++;
    return ask(s, &(task){ .kind = RECORD, .event = e });
}

cu_result
stream_wait_(cu_stream s, cu_event e, unsigned flags)
{
    if (flags)
        return CU_INVALID_VALUE;
    return ask(s, &(task){ .kind = WAIT, .event = e, .records = e->asked });
}

cu_result event_sync(cu_event e) __asm__("cuEventSynchronize");
cu_result event_between(float *ms, cu_event from, cu_event to) __asm__("cuEventElapsedTime");

cu_result
event_sync(cu_event e)
{
    cu_result r = e->stream->failed;

    while (e->done < e->asked)
        do_first(e->stream);
    return r ? r : e->stream->failed;
}

cu_result
event_between(float *ms, cu_event from, cu_event to)
{
    *ms = (float)((double)(to->at.tv_sec - from->at.tv_sec) * 1e3 +
                  (double)(to->at.tv_nsec - from->at.tv_nsec) * 1e-6);
    return CU_SUCCESS;
}

/* ---- streams ---- */

cu_result
stream_create_(cu_stream *s, unsigned flags)
{
    (void)flags;
    *s = calloc(1, sizeof **s);
    list_new(&(*s)->work);
    list_new(&(*s)->captured);
    double_counts()->streams++;
    return CU_SUCCESS;
}

cu_result
stream_destroy_(cu_stream s)
{
    (void)stream_sync_(s);
    double_counts()->streams--;
    free(s);
    return CU_SUCCESS;
}

/* pool NULL: that of the device. */
cu_result
alloc_(cu_address *out, size_t bytes, cu_pool pool, cu_stream s)
{
    allocation *p;

    if (pool)
        double_use_pool(pool);

    if (!bytes || stream_of(s)->capturing)
        return CU_INVALID_VALUE;
    if (double_counts()->live_bytes + (int64_t)bytes > double_setting("memory"))
        return CU_OUT_OF_MEMORY;
    p = malloc(sizeof *p);
    *p = (allocation){ allocated, aligned_alloc(256, (bytes + 255) / 256 * 256), bytes };
    memset(p->at, 0xA5, bytes);
    allocated = p;
    double_counts()->live++;
    double_counts()->live_bytes += (int64_t)bytes;
    *out = (cu_address)(uintptr_t)p->at;
    return CU_SUCCESS;
}

cu_result
release_(cu_address at, cu_stream s)
{
    return ask(s, &(task){ .kind = FREE, .to = at });
}

cu_result
to_device_(cu_address to, const void *from, size_t bytes, cu_stream s)
{
    if (stream_of(s)->capturing)
        double_wrong("pageable memory in a capture");
    return ask(
        s, &(task){
               .kind = TO_DEVICE, .to = to, .host = (void *)(uintptr_t)from, .bytes = bytes });
}

cu_result
to_host_(void *to, cu_address from, size_t bytes, cu_stream s)
{
    if (stream_of(s)->capturing)
        double_wrong("pageable memory in a capture");
    return ask(s, &(task){ .kind = TO_HOST, .host = to, .from = from, .bytes = bytes });
}

cu_result
move_(cu_address to, cu_address from, size_t bytes, cu_stream s)
{
    return ask(s, &(task){ .kind = MOVE, .to = to, .from = from, .bytes = bytes });
}

cu_result
set_bytes_(cu_address at, unsigned char value, size_t bytes, cu_stream s)
{
    return ask(s, &(task){ .kind = SET, .to = at, .value = value, .unit = 1, .bytes = bytes });
}

cu_result
set_halves_(cu_address at, unsigned short value, size_t n, cu_stream s)
{
    if (at % 2)
        return CU_INVALID_VALUE;
    return ask(s, &(task){ .kind = SET, .to = at, .value = value, .unit = 2, .bytes = 2 * n });
}

cu_result
set_words_(cu_address at, unsigned value, size_t n, cu_stream s)
{
    if (at % 4)
        return CU_INVALID_VALUE;
    return ask(s, &(task){ .kind = SET, .to = at, .value = value, .unit = 4, .bytes = 4 * n });
}

cu_result
host_alloc_(void **at, size_t bytes)
{
    *at = calloc(1, bytes);
    double_counts()->host++;
    return *at ? CU_SUCCESS : CU_OUT_OF_MEMORY;
}

cu_result
host_free_(void *at)
{
    free(at);
    double_counts()->host--;
    return CU_SUCCESS;
}

/* As on every GPU from sm_80 on. */
cu_result
function_set_(cu_function f, cu_function_attribute what, int value)
{
    if (what != CU_FUNCTION_DYNAMIC || value < 0 || value > 99 << 10)
        return CU_INVALID_VALUE;
    f->dynamic = (unsigned)value;
    return CU_SUCCESS;
}

cu_result
launch_(cu_function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
        unsigned bz, unsigned shared, cu_stream s, void **parameter, void **extra)
{
    task t = { .kind = LAUNCH, .fn = f, .grid = gx, .block = bx, .shared = shared };

    if (bx > f->threads || gx > INT32_MAX)
        return CU_INVALID_VALUE;
    if (!gx || gy != 1 || gz != 1 || !bx || bx > 1024 || by != 1 || bz != 1 ||
        (shared > 48 << 10 && shared > f->dynamic) || extra || f->n > MAX_PARAMETERS)
        return CU_INVALID_VALUE;
    for (int i = 0; i < f->n; i++)
        memcpy(&t.parameter[i], parameter[i], sizeof t.parameter[i]);
    return ask(s, &t);
}

/* ---- graphs ---- */

cu_result
capture_begin_(cu_stream s, int mode)
{
    (void)mode;
    if (!double_setting("capture") || s->capturing)
        return CU_INVALID_VALUE;
    s->capturing = true;
    return CU_SUCCESS;
}

cu_result
capture_end_(cu_stream s, cu_graph *out)
{
    *out = malloc(sizeof **out);
    (*out)->work = s->captured;
    if (!s->captured.first)
        list_new(&(*out)->work);
    list_new(&s->captured);
    s->capturing = false;
    double_counts()->graphs++;
    return CU_SUCCESS;
}

cu_result
graph_make_(cu_graph_exec *out, cu_graph g, unsigned long long flags)
{
    (void)flags;
    *out = malloc(sizeof **out);
    list_new(&(*out)->work);
    for (const task *t = g->work.first; t; t = t->next)
        list_add(&(*out)->work, t);
    double_counts()->graphs++;
    return CU_SUCCESS;
}

cu_result
graph_launch_(cu_graph_exec g, cu_stream s)
{
    for (const task *t = g->work.first; t; t = t->next)
        ask(s, t);
    return CU_SUCCESS;
}

cu_result
graph_exec_destroy_(cu_graph_exec g)
{
    list_free(&g->work);
    free(g);
    double_counts()->graphs--;
    return CU_SUCCESS;
}

cu_result
graph_destroy_(cu_graph g)
{
    list_free(&g->work);
    free(g);
    double_counts()->graphs--;
    return CU_SUCCESS;
}
