/* The profile as a file in Chrome's trace event format, which Perfetto and chrome://tracing
 * show: an event for each run of a kernel, and the rows beside them. */
#include "runtime/events.h"

#include <errno.h>
#include <stdlib.h>

#include "ir/diag.h"
#include "runtime/explore/explore.h"

/* The number of an event's thread, from 1 on. */
static int
thread_of(uint64_t *seen, int *n, uint64_t thread)
{
    enum { MOST = 256 };
    int i = 0;

    while (i < *n && seen[i] != thread)
        i++;
    if (i == *n && *n < MOST)
        seen[(*n)++] = thread;
    return i + 1;
}

static void
write_events(ir_buf *b, rt_profiles *all, int64_t n, double scale)
{
    uint64_t seen[256 + 1];
    bool first = true;
    int threads = 0;

    ir_buf_str(b, "\"traceEvents\":[\n");
    for (int64_t i = 0; i < n; i++) {
        const rt_event *e = &all->event[i];
        bool start = true;

        ir_buf_str(b, first ? "{" : ",\n{");
        first = false;
        rt_json_text(b, &start, "name", e->of->name);
        rt_json_text(b, &start, "cat", e->of->of->function);
        rt_json_text(b, &start, "ph", "X");
        rt_json_number(b, &start, "pid", 1);
        rt_json_number(b, &start, "tid", thread_of(seen, &threads, e->thread));
        ir_buf_printf(b, ",\"ts\":%.3f,\"dur\":%.3f}",
                      1e6 * scale * (double)(e->from - all->began),
                      1e6 * scale * (double)(e->to - e->from));
    }
    ir_buf_str(b, "]");
}

static void
write_row(ir_buf *b, rt_counter *c, double scale)
{
    const int64_t runs = atomic_load(&c->runs);
    const double seconds = scale * (double)atomic_load(&c->ticks);
    bool first = true;

    ir_buf_str(b, "{");
    rt_json_text(b, &first, "function", c->of->function);
    rt_json_text(b, &first, "name", c->name);
    rt_json_number(b, &first, "runs", (double)runs);
    rt_json_number(b, &first, "us", 1e6 * seconds);
    rt_json_number(b, &first, "bytes", (double)c->bytes);
    rt_json_number(b, &first, "flops", (double)c->flops);
    rt_json_number(b, &first, "around", (double)c->around);
    rt_json_number(b, &first, "vector", c->is_vector);
    rt_json_number(b, &first, "threads", c->is_parallel);
    if (c->of->threads > 1)
        rt_json_number(b, &first, "idle", rt_profile_idle(c));
    rt_json_text(b, &first, "note", c->note);
    rt_json_text(b, &first, "why", c->why);
    ir_buf_str(b, "}");
}

void
rt_profile_json(ir_buf *b, cot_context *ctx)
{
    rt_profiles *all = rt_profiles_of(ctx);
    const int64_t met = all->event ? atomic_load(&all->n_events) : 0,
                  n = met < RT_EVENTS ? met : RT_EVENTS;
    const double scale = rt_profiles_scale(all);
    const char *comma = "";

    ir_buf_str(b, "{");
    write_events(b, all, n, scale);
    ir_buf_printf(b, ",\n\"displayTimeUnit\":\"ns\",\n\"leftOut\":%lld,\n\"kernels\":[\n",
                  (long long)(met - n));
    for (const rt_profile *p = all->first; p; p = p->next)
        for (rt_counter *c = p->first; c; c = c->next, comma = ",\n") {
            ir_buf_str(b, comma);
            write_row(b, c, scale);
        }
    ir_buf_str(b, "\n]}\n");
}

/* The context ends: there is no call that could return a status. */
static void
write_file(rt_profiles *all)
{
    cot_context *ctx = all->ctx;
    const char *path = ctx->config.profile, *volatile wrong = "out of memory";
    ir_arena arena;
    ir_buf b;

    ir_arena_init(&arena, ctx);
    IR_TRY (ctx) {
        ir_buf_init(&b, &arena);
        rt_profile_json(&b, ctx);
        errno = 0;
        wrong = fwrite(b.text, 1, b.n, all->file) == b.n ? NULL : strerror(errno);
    }
    ir_arena_free(&arena);
    errno = 0;
    if (fclose(all->file) != 0 && !wrong)
        wrong = strerror(errno);
    if (wrong)
        fprintf(stderr, "cotrace: cannot write the profile to %s: %s\n", path, wrong);
}

static void
release(void *data)
{
    rt_profiles *all = data;

    if (all->file)
        write_file(all);
    if (all->event)
        ir_free(all->ctx, all->event);
}

/* What is released is attached before it is there: memory may be short in between. */
static cot_status
open_file(rt_profiles *all, const char *path)
{
    static const char key;

    if (!ir_attached_find(all->ctx, &key))
        ir_attach(all->ctx, &key, all, release);
    if (!all->event)
        all->event = ir_realloc(all->ctx, NULL, RT_EVENTS * sizeof *all->event);
    all->file = fopen(path, "w");
    return all->file ? COT_OK : ir_fail_io(all->ctx, path, errno);
}

cot_status
rt_profile_kernel(cot_kernel *k, cg_module *m)
{
    cot_context *ctx = k->ctx;

    if (!ctx->config.counted)
        return COT_OK;
    rt_profiles *all = rt_profiles_of(ctx);
    if (ctx->config.profile && !all->file)
        COT_TRY(open_file(all, ctx->config.profile));
    k->profile = rt_profile_module(ctx, m);
    if (k->pool)
        k->pool = rt_profile_pool(k->profile, k->pool, k->plan.threads);
    return COT_OK;
}
