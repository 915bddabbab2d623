/* A binary heap of numbers; the least is popped first. */
#ifndef CODEGEN_FUSE_HEAP_H
#define CODEGEN_FUSE_HEAP_H

#include "ir/arena.h"

typedef struct cg_heap {
    uint32_t *at, n, cap;
} cg_heap;

static inline void
cg_heap_push(cg_heap *h, ir_arena *a, uint32_t x)
{
    uint32_t i = h->n;
    IR_PUSH(a, h->at, h->n, h->cap, x);
    for (; i > 0 && h->at[(i - 1) / 2] > x; i = (i - 1) / 2)
        h->at[i] = h->at[(i - 1) / 2];
    h->at[i] = x;
}

static inline uint32_t
cg_heap_pop(cg_heap *h)
{
    const uint32_t top = h->at[0], last = h->at[--h->n];
    uint32_t i = 0;
    for (uint32_t c = 1; c < h->n; c = 2 * i + 1) {
        c += c + 1 < h->n && h->at[c + 1] < h->at[c];
        if (h->at[c] >= last)
            break;
        h->at[i] = h->at[c];
        i = c;
    }
    h->at[i] = last;
    return top;
}

#endif
