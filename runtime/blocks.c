/* Work blocks of earlier calls are kept in slots, and each is taken and given back by one
 * atomic exchange, which avoids the problems of lock-free lists. */
#include <stdlib.h>

#include "runtime/compile.h"

#define LINE 64

void *
rt_block_find(rt_blocks *b)
{
    for (int i = 0; i < RT_SLOTS; i++) {
        void *block;

        if (!atomic_load_explicit(&b->slot[i], memory_order_relaxed))
            continue;
        block = atomic_exchange_explicit(&b->slot[i], NULL, memory_order_acquire);
        if (block)
            return block;
    }
    return NULL;
}

void *
rt_block_take(rt_blocks *b)
{
    void *block = rt_block_find(b);

    return block ? block : aligned_alloc(LINE, (b->bytes + LINE - 1) / LINE * LINE);
}

void
rt_block_give(rt_blocks *b, void *block)
{
    for (int i = 0; i < RT_SLOTS; i++) {
        void *none = NULL;

        if (atomic_compare_exchange_strong_explicit(&b->slot[i], &none, block,
                                                    memory_order_release, memory_order_relaxed))
            return;
    }
    free(block);
}

void
rt_blocks_free(rt_blocks *b)
{
    for (int i = 0; i < RT_SLOTS; i++)
        free(atomic_load(&b->slot[i]));
}
