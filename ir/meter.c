/* The time and the memory that a public call has used.
 *
 * A public call begins at its outermost recovery point: there the count of nodes and the clock
 * start, and the next report of its progress is due a while later.
 *
 * Bytes are counted by an allocator in front of the context's own.  It stores the size of each
 * block in front of it, since the contract of realloc does not tell the size of what is freed.
 * Arrays remember their allocator and may outlive the context, so the meter is kept alive by
 * the context and by each block. */
#include <stddef.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "ir/lent.h"
#include "ir/limit.h"
#include "ir/number.h"

double
ir_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* 0: the system does not tell. */
static uint64_t
resident(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long long all, pages = 0;

    if (file && fscanf(file, "%llu %llu", &all, &pages) != 2)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

void
ir_print_time(const cot_context *ctx, const char *what, double seconds, const char *text)
{
    char figures[64];

    if (!ctx->config.time)
        return;
    ir_snprintf(figures, sizeof figures, "%9.3f ms %8.1f MB", 1e3 * seconds,
                1e-6 * (double)resident());
    fprintf(stderr, "time: %-14s %s  %s\n", what, figures, text);
}

void
ir_begin_call(cot_context *ctx)
{
    ctx->made = 0;
    ctx->lent_before = ctx->lent_serial;
    ctx->began = ctx->limits.seconds > 0 || ctx->progress.call ? ir_now() : 0;
    ctx->progress.next = ctx->began + ctx->progress.after;
    ctx->progress.told = false;
    ctx->progress.at.stage = NULL;
    fegetenv(&ctx->outside);
    fesetenv(FE_DFL_ENV);
}

void
ir_end_call(cot_context *ctx)
{
    const cot_progress over = { .seconds = ctx->progress.at.seconds };

    if (ctx->progress.told)
        ctx->progress.call(ctx->progress.user, &over);
    ctx->progress.told = false;
    if (ctx->status != COT_OK)
        ir_arena_recall(ctx);
    fesetenv(&ctx->outside);
}

double
ir_seconds_left(const cot_context *ctx)
{
    double left;

    if (ctx->limits.seconds <= 0)
        return -1;
    left = ctx->began + ctx->limits.seconds - ir_now();
    return left > 0 ? left : 0;
}

typedef struct ir_meter {
    void *(*realloc)(void *user, void *old, size_t bytes);
    void *user;
    uint64_t most;
    _Atomic uint64_t held, blocks;      /* blocks: one more for the context */
    atomic_bool refused;
    char text[96];
} ir_meter;

typedef union head {
    size_t bytes;
    max_align_t align;
} head;

static void
let_go(ir_meter *m)
{
    if (atomic_fetch_sub(&m->blocks, 1) == 1)
        m->realloc(m->user, m, 0);
}

static void *
free_counted(ir_meter *m, head *old)
{
    if (old) {
        atomic_fetch_sub(&m->held, old->bytes);
        m->realloc(m->user, old, 0);
        let_go(m);
    }
    return NULL;
}

static void *
refuse(ir_meter *m, size_t more)
{
    atomic_fetch_sub(&m->held, more);
    atomic_store(&m->refused, true);
    return NULL;
}

/* realloc's contract.  The sum is taken first, so that threads cannot pass the limit
 * together. */
static void *
counted(void *user, void *old, size_t bytes)
{
    ir_meter *m = user;
    head *h = old ? (head *)old - 1 : NULL;
    const size_t before = h ? h->bytes : 0;

    if (bytes == 0)
        return free_counted(m, h);
    if (bytes > SIZE_MAX / 2 || bytes > m->most)
        return refuse(m, 0);
    if (atomic_fetch_add(&m->held, bytes) + bytes - before > m->most)
        return refuse(m, bytes);
    head *p = m->realloc(m->user, h, sizeof *p + bytes);
    if (!p) {
        atomic_fetch_sub(&m->held, bytes);
        return NULL;
    }
    atomic_fetch_sub(&m->held, before);
    if (!h)
        atomic_fetch_add(&m->blocks, 1);
    p->bytes = bytes;
    return p + 1;
}

bool
ir_meter_begin(cot_context *ctx, uint64_t bytes)
{
    ir_meter *m = ctx->realloc(ctx->alloc_user, NULL, sizeof *m);

    if (!m)
        return false;
    *m = (ir_meter){ .realloc = ctx->realloc, .user = ctx->alloc_user, .most = bytes };
    atomic_init(&m->blocks, 1);
    snprintf(m->text, sizeof m->text,
             "out of memory: the context may hold %llu bytes (cot_limits)",
             (unsigned long long)bytes);
    ctx->meter = m;
    ctx->realloc = counted;
    ctx->alloc_user = m;
    return true;
}

void
ir_meter_end(cot_context *ctx)
{
    ir_meter *m = ctx->meter;

    if (!m) {
        ctx->realloc(ctx->alloc_user, ctx, 0);
        return;
    }
    m->realloc(m->user, ctx, 0);
    let_go(m);
}

const char *
ir_meter_refused(const cot_context *ctx)
{
    return ctx->meter && atomic_load(&ctx->meter->refused) ? ctx->meter->text : NULL;
}

void
ir_meter_clear(cot_context *ctx)
{
    if (ctx->meter)
        atomic_store(&ctx->meter->refused, false);
}
