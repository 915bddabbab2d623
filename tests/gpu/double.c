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

enum { MAX_ENTRIES = 256, MAX_PARAMETERS = 1024, NAME = 128, PARAMETER_BYTES = 4352 };

/* ---- settings ---- */

static struct { const char *name; int64_t value, first;
} setting[] = {
    { "devices", 1, 1 },
    { "version", 12040, 12040 },
    { "arch", 80, 80 },
    { "pools", 1, 1 },
    { "memory", (int64_t)1 << 40, (int64_t)1 << 40 },
    { "launch", 0, 0 },
    { "jit", 0, 0 },
    { "capture", 1, 1 },
    { "init", 0, 0 },
};
enum { SETTINGS = sizeof setting / sizeof *setting };

static double_state state;
static double_hook *hook;
static void *hook_user;
/* Another source file of the library may know programs of its own. */
__attribute__((weak)) double_hook double_program_launch;

static int64_t
get(const char *name)
{
    for (int i = 0; i < SETTINGS; i++)
        if (strcmp(setting[i].name, name) == 0)
            return setting[i].value;
    abort();
}

static void
read_environment(void)
{
    const char *s = getenv("COT_DOUBLE");
    char name[16];
    long long value;
    int used;

    while (s && sscanf(s, "%15[a-z]=%lld%n", name, &value, &used) == 2) {
        double_set(name, value);
        s += used;
        s += *s == ',';
    }
}

void
double_wrong(const char *what)
{
    if (state.wrong++ == 0)
        snprintf(state.said, sizeof state.said, "%s", what);
}

void
double_on_launch(double_hook *h, void *user)
{
    hook = h;
    hook_user = user;
}

void
double_look(double_state *out)
{
    *out = state;
}

double_state *
double_counts(void)
{
    return &state;
}

/* ---- memory ---- */

typedef struct piece {
    struct piece *next;
    char *at;
    size_t bytes;
} piece;

static piece *pieces;

static bool
is_allocated(cu_address at, size_t bytes)
{
    for (const piece *p = pieces; p; p = p->next)
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
    for (piece **p = &pieces; *p; p = &(*p)->next)
        if ((cu_address)(uintptr_t)(*p)->at == at) {
            piece *old = *p;

            *p = old->next;
            memset(old->at, 0xEE, old->bytes);
            state.live--;
            state.live_bytes -= (int64_t)old->bytes;
            free(old->at);
            free(old);
            return;
        }
    double_wrong("free of what is not allocated");
}

/* ---- what is in a stream ---- */

typedef enum kind { TO_DEVICE, TO_HOST, MOVE, SET, FREE, LAUNCH, RECORD, WAIT } kind;

typedef struct cu_function_ { char name[NAME]; int n; unsigned threads, dynamic; } entry;
struct cu_module_ {
    entry entry[MAX_ENTRIES];
    int n;
};

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
struct cu_context_ { int users; };
static struct cu_context_ primary;
static int pushed;

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
    if (!pushed)
        double_wrong("no context is current");
    list_add(s->capturing ? &s->captured : &s->work, t);
    state.waiting += !s->capturing;
    return CU_SUCCESS;
}

static cu_result
launch_now(const task *t)
{
    void *parameter[MAX_PARAMETERS];
    double_hook *h = hook ? hook : double_program_launch;

    for (int i = 0; i < t->fn->n; i++)
        parameter[i] = (void *)(uintptr_t)&t->parameter[i];
    state.launches++;
    if (get("launch") && state.launches == get("launch"))
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
    state.copies_in += t->kind == TO_DEVICE;
    state.copies_out += t->kind == TO_HOST;
    state.moves += t->kind == MOVE;
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
    state.waiting--;
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
    state.syncs++;
    while (s->work.first)
        do_first(s);
    return s->failed;
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
    state.events++;
    return CU_SUCCESS;
}

cu_result
event_destroy_(cu_event e)
{
    (void)e;
    state.events--;
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

/* ---- opening ---- */

void
double_set(const char *name, int64_t value)
{
    if (strcmp(name, "reset") == 0) {
        const double_state now = state;

        for (int i = 0; i < SETTINGS; i++)
            setting[i].value = setting[i].first;
        state = (double_state){ .live = now.live,
                                .live_bytes = now.live_bytes,
                                .contexts = now.contexts,
                                .streams = now.streams,
                                .pools = now.pools,
                                .modules = now.modules,
                                .graphs = now.graphs,
                                .host = now.host,
                                .events = now.events,
                                .waiting = now.waiting };
        return;
    }
    for (int i = 0; i < SETTINGS; i++)
        if (strcmp(setting[i].name, name) == 0)
            setting[i].value = value;
}

cu_result
init_(unsigned flags)
{
    read_environment();
    if (get("init"))
        return (cu_result)get("init");
    return flags ? CU_INVALID_VALUE : get("devices") == 0 ? CU_NO_DEVICE : CU_SUCCESS;
}

cu_result
version_(int *v)
{
    read_environment();
    *v = (int)get("version");
    return CU_SUCCESS;
}

static const struct { cu_result r; const char *name, *text; } errors[] = {
    { CU_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument" },
    { CU_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory" },
    { CU_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected" },
    { CU_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed" },
    { CU_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found" },
    { CU_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure" },
};

cu_result
error_name_(cu_result r, const char **name)
{
    *name = NULL;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].r == r)
            *name = errors[i].name;
    return *name ? CU_SUCCESS : CU_INVALID_VALUE;
}

cu_result
error_string_(cu_result r, const char **text)
{
    *text = NULL;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].r == r)
            *text = errors[i].text;
    return *text ? CU_SUCCESS : CU_INVALID_VALUE;
}

cu_result
device_count_(int *n)
{
    *n = (int)get("devices");
    return CU_SUCCESS;
}

cu_result
device_get_(cu_device *d, int ordinal)
{
    *d = ordinal;
    return ordinal >= 0 && ordinal < get("devices") ? CU_SUCCESS : CU_INVALID_DEVICE;
}

cu_result
device_name_(char *name, int n, cu_device d)
{
    snprintf(name, (size_t)n, "Double %d", d);
    return CU_SUCCESS;
}

cu_result
device_attribute_(int *value, int what, cu_device d)
{
    (void)d;
    *value = what == CU_ATTRIBUTE_MAJOR       ? (int)get("arch") / 10
             : what == CU_ATTRIBUTE_MINOR     ? (int)get("arch") % 10
             : what == CU_ATTRIBUTE_POOLS     ? (int)get("pools")
             : what == CU_ATTRIBUTE_PROCESSORS ? 1
                                               : 0;
    return CU_SUCCESS;
}

cu_result
context_retain_(cu_context *c, cu_device d)
{
    (void)d;
    *c = &primary;
    state.contexts++;
    return CU_SUCCESS;
}

cu_result
context_release_(cu_device d)
{
    (void)d;
    state.contexts--;
    return CU_SUCCESS;
}

cu_result
context_push_(cu_context c)
{
    if (c != &primary)
        double_wrong("a context that is none");
    pushed++;
    return CU_SUCCESS;
}

cu_result
context_pop_(cu_context *c)
{
    *c = &primary;
    if (--pushed < 0)
        double_wrong("a context popped that nobody pushed");
    return CU_SUCCESS;
}

/* ---- modules ---- */

/* As ptxas: parameters of more bytes want PTX 8.1. */
static bool
fits(const char *ptx, const entry *e)
{
    const char *version = strstr(ptx, ".version ");
    int major = 0, minor = 0;

    return 8 * e->n <= PARAMETER_BYTES ||
           (version && sscanf(version, ".version %d.%d", &major, &minor) == 2 &&
            10 * major + minor >= 81);
}

static bool
read_entries(struct cu_module_ *m, const char *ptx)
{
    for (const char *s = ptx; (s = strstr(s, ".entry ")); m->n++) {
        entry *e = &m->entry[m->n];
        const char *end;

        s += strlen(".entry ");
        s += strspn(s, " ");
        if (m->n == MAX_ENTRIES - 1 || !(end = strchr(s, ')')))
            return false;
        snprintf(e->name, NAME, "%.*s", (int)strcspn(s, "( \t\n"), s);
        for (e->n = 0; (s = strstr(s, ".param")) && s < end; s += 6)
            e->n++;
        s = end;
        if (!fits(ptx, e))
            return false;
        end = strstr(s, ".maxntid");
        e->threads = end ? (unsigned)strtoul(end + strlen(".maxntid"), NULL, 10) : 1024;
    }
    return strstr(ptx, ".version ") && strstr(ptx, ".target ");
}

cu_result
module_load_(cu_module *out, const void *image, unsigned n, int *options, void **values)
{
    struct cu_module_ *m = calloc(1, sizeof *m);
    char *log = NULL;
    size_t room = 0;

    for (unsigned i = 0; i < n; i++) {
        log = options[i] == CU_JIT_ERROR_LOG ? values[i] : log;
        room = options[i] == CU_JIT_ERROR_LOG_BYTES ? (size_t)(uintptr_t)values[i] : room;
    }
    if (get("jit") || !read_entries(m, image)) {
        if (log)
            snprintf(log, room,
                     "ptxas application ptx input, line 9; fatal : this is a double");
        free(m);
        return CU_INVALID_PTX;
    }
    state.modules++;
    *out = m;
    return CU_SUCCESS;
}

cu_result
module_unload_(cu_module m)
{
    state.modules--;
    free(m);
    return CU_SUCCESS;
}

cu_result
module_function_(cu_function *f, cu_module m, const char *name)
{
    for (int i = 0; i < m->n; i++)
        if (strcmp(m->entry[i].name, name) == 0) {
            *f = &m->entry[i];
            return CU_SUCCESS;
        }
    return CU_NOT_FOUND;
}

/* ---- streams ---- */

cu_result
stream_create_(cu_stream *s, unsigned flags)
{
    (void)flags;
    *s = calloc(1, sizeof **s);
    list_new(&(*s)->work);
    list_new(&(*s)->captured);
    state.streams++;
    return CU_SUCCESS;
}

cu_result
stream_destroy_(cu_stream s)
{
    (void)stream_sync_(s);
    state.streams--;
    free(s);
    return CU_SUCCESS;
}

/* pool NULL: that of the device. */
cu_result
alloc_(cu_address *out, size_t bytes, cu_pool pool, cu_stream s)
{
    piece *p;

    if (pool)
        double_use_pool(pool);

    if (!bytes || stream_of(s)->capturing)
        return CU_INVALID_VALUE;
    if (state.live_bytes + (int64_t)bytes > get("memory"))
        return CU_OUT_OF_MEMORY;
    p = malloc(sizeof *p);
    *p = (piece){ pieces, aligned_alloc(256, (bytes + 255) / 256 * 256), bytes };
    memset(p->at, 0xA5, bytes);
    pieces = p;
    state.live++;
    state.live_bytes += (int64_t)bytes;
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
    state.host++;
    return *at ? CU_SUCCESS : CU_OUT_OF_MEMORY;
}

cu_result
host_free_(void *at)
{
    free(at);
    state.host--;
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
    if (!get("capture") || s->capturing)
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
    state.graphs++;
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
    state.graphs++;
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
    state.graphs--;
    return CU_SUCCESS;
}

cu_result
graph_destroy_(cu_graph g)
{
    list_free(&g->work);
    free(g);
    state.graphs--;
    return CU_SUCCESS;
}
