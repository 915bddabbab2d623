/* Memory regions.  Chunks double in size up to a limit; a request that does not fit the current
 * chunk gets a new one.  Chunks come from the context's allocator zeroed, so allocation is a
 * bump. */
#include "ir/arena.h"

#include <stdarg.h>
#include <stdio.h>

#include "ir/context.h"
#include "ir/number.h"

typedef struct ir_chunk {
    struct ir_chunk *older;
    size_t bytes;
} ir_chunk;

enum { ALIGN = 16, FIRST = 1 << 12, LARGEST = 1 << 20 };
#define HEAD ((sizeof(ir_chunk) + ALIGN - 1) / ALIGN * ALIGN)

void
ir_arena_init(ir_arena *a, cot_context *ctx)
{
    *a = (ir_arena){ .ctx = ctx };
}

void
ir_arena_free(ir_arena *a)
{
    for (ir_chunk *c = a->head, *older; c; c = older) {
        older = c->older;
        ir_free(a->ctx, c);
    }
    *a = (ir_arena){ .ctx = a->ctx };
}

void
ir_arena_reset(ir_arena *a)
{
    ir_chunk *head = a->head;

    if (!head)
        return;
    for (ir_chunk *c = head->older, *older; c; c = older) {
        older = c->older;
        ir_free(a->ctx, c);
    }
    head->older = NULL;
    memset((char *)head + HEAD, 0, (size_t)(a->at - (char *)head) - HEAD);
    a->at = (char *)head + HEAD;
}

static void
chunk_add(ir_arena *a, size_t bytes)
{
    size_t want = a->head ? a->head->bytes * 2 : FIRST;
    if (want > LARGEST)
        want = LARGEST;
    if (want < bytes + HEAD)
        want = bytes + HEAD;
    ir_chunk *c = ir_realloc(a->ctx, NULL, want);
    memset(c, 0, want);
    *c = (ir_chunk){ .older = a->head, .bytes = want };
    a->head = c;
    a->at = (char *)c + HEAD;
    a->end = (char *)c + want;
}

void *
ir_alloc(ir_arena *a, size_t bytes)
{
    if (bytes > SIZE_MAX / 4)
        ir_out_of_memory(a->ctx);
    bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    if (bytes == 0)
        bytes = ALIGN;
    if ((size_t)(a->end - a->at) < bytes)
        chunk_add(a, bytes);
    void *p = a->at;
    a->at += bytes;
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

void *
ir_grow(ir_arena *a, void *items, size_t item_bytes, uint32_t n, uint32_t *cap)
{
    uint32_t more = *cap ? *cap * 2 : 8;
    void *p = ir_alloc(a, item_bytes * more);
    if (n)
        memcpy(p, items, item_bytes * n);
    *cap = more;
    return p;
}
