/* Memory regions.  Chunks double in size up to a limit, which is higher for scratch memory: the
 * rest of a graph's chunk stays empty as long as the graph lives.  A request that does not fit
 * the current chunk gets a new one.  Chunks come from the context's allocator zeroed, so
 * allocation is a bump.  Under the address sanitizer what lies between the pieces, and the rest
 * of a chunk, is out of bounds. */
#include "ir/arena.h"

#include <stdarg.h>
#include <stdio.h>

#include "ir/context.h"
#include "ir/number.h"

typedef struct ir_chunk {
    struct ir_chunk *older;
    size_t bytes;
    char *used;                 /* the end of what was allocated when a newer chunk came */
} ir_chunk;

#if defined(__has_feature)
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
enum { BETWEEN = 16 };
#define CLOSE(p, bytes) ASAN_POISON_MEMORY_REGION(p, bytes)
#define OPEN(p, bytes) ASAN_UNPOISON_MEMORY_REGION(p, bytes)
#else
enum { BETWEEN = 0 };
#define CLOSE(p, bytes) ((void)(p), (void)(bytes))
#define OPEN(p, bytes) ((void)(p), (void)(bytes))
#endif

enum { ALIGN = 16, FIRST = 1 << 12, LARGEST = 1 << 18, LARGEST_SCRATCH = 1 << 20 };
#define HEAD ((sizeof(ir_chunk) + ALIGN - 1) / ALIGN * ALIGN)

void
ir_arena_init(ir_arena *a, cot_context *ctx)
{
    *a = (ir_arena){ .ctx = ctx };
}

static void
give_back(ir_arena *a, ir_chunk *from)
{
    for (ir_chunk *c = from, *older; c; c = older) {
        older = c->older;
        OPEN(c, c->bytes);
        ir_free(a->ctx, c);
    }
}

void
ir_arena_free(ir_arena *a)
{
    give_back(a, a->head);
    *a = (ir_arena){ .ctx = a->ctx };
}

void
ir_arena_reset(ir_arena *a)
{
    ir_chunk *head = a->head;

    a->scratch = true;
    if (!head)
        return;
    give_back(a, head->older);
    head->older = NULL;
    OPEN(head, head->bytes);
    memset((char *)head + HEAD, 0, (size_t)(a->at - (char *)head) - HEAD);
    a->at = (char *)head + HEAD;
    CLOSE(a->at, (size_t)(a->end - a->at));
}

ir_mark
ir_arena_mark(const ir_arena *a)
{
    const bool empty = !a->head || (!a->head->older && a->at == (char *)a->head + HEAD);

    return empty ? (ir_mark){ 0 } : (ir_mark){ a->head, a->at };
}

/* A release back to an empty arena keeps the newest chunk, which is the largest: the next user
 * of the arena is likely to need as much. */
void
ir_arena_release(ir_arena *a, ir_mark mark)
{
    a->scratch = true;
    if (!mark.head) {
        ir_arena_reset(a);
        return;
    }
    while (a->head != mark.head) {
        ir_chunk *older = a->head->older;
        OPEN(a->head, a->head->bytes);
        ir_free(a->ctx, a->head);
        a->head = older;
        a->at = older->used;
        a->end = (char *)older + older->bytes;
    }
    OPEN(mark.at, (size_t)(a->at - mark.at));
    memset(mark.at, 0, (size_t)(a->at - mark.at));
    a->at = mark.at;
    CLOSE(a->at, (size_t)(a->end - a->at));
}

static void
chunk_add(ir_arena *a, size_t bytes)
{
    size_t want = a->head ? a->head->bytes * 2 : FIRST;
    const size_t most = a->scratch ? LARGEST_SCRATCH : LARGEST;
    if (want > most)
        want = most;
    if (want < bytes + HEAD)
        want = bytes + HEAD;
    ir_chunk *c = ir_realloc(a->ctx, NULL, want);
    memset(c, 0, want);
    if (a->head)
        a->head->used = a->at;
    *c = (ir_chunk){ .older = a->head, .bytes = want };
    a->head = c;
    a->at = (char *)c + HEAD;
    a->end = (char *)c + want;
    CLOSE(a->at, want - HEAD);
}

void *
ir_alloc(ir_arena *a, size_t bytes)
{
    if (bytes > SIZE_MAX / 4)
        ir_short_of_memory(a->ctx, bytes);
    size_t taken = (bytes + ALIGN - 1) / ALIGN * ALIGN + BETWEEN;
    if (taken == 0)
        taken = ALIGN;
    if ((size_t)(a->end - a->at) < taken)
        chunk_add(a, taken);
    void *p = a->at;
    a->at += taken;
    OPEN(p, bytes);
    return p;
}

void *
ir_copy_bytes(ir_arena *a, const void *p, size_t bytes)
{
    void *q = ir_alloc(a, bytes);
    if (bytes)
        memcpy(q, p, bytes);
    return q;
}

char *
ir_copy_string(ir_arena *a, const char *s)
{
    return s ? ir_copy_bytes(a, s, strlen(s) + 1) : NULL;
}

char *
ir_format(ir_arena *a, const char *format, ...)
{
    va_list ap, again;
    va_start(ap, format);
    va_copy(again, ap);
    int n = ir_vsnprintf(NULL, 0, format, ap);
    va_end(ap);
    char *s = ir_alloc(a, (size_t)n + 1);
    ir_vsnprintf(s, (size_t)n + 1, format, again);
    va_end(again);
    return s;
}

/* Most arrays stay short, and there are many: the first copy has 32 bytes or two items. */
void *
ir_grow(ir_arena *a, void *items, size_t item_bytes, uint32_t n, uint32_t *cap)
{
    const uint32_t first = item_bytes < 16 ? (uint32_t)(32 / item_bytes) : 2;
    uint32_t more = *cap ? *cap * 2 : first;
    void *p = ir_alloc(a, item_bytes * more);
    if (n)
        memcpy(p, items, item_bytes * n);
    *cap = more;
    return p;
}
