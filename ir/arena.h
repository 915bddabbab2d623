/* Memory regions: allocate in order, free all at once.
 *
 * Three lifetimes, three arenas: context, graph, scratch.  Allocation never answers NULL: when
 * memory is short it jumps to the context's innermost recovery point (ir/context.h), where the
 * public call that set it answers COT_ERR_MEMORY.  Whatever is built lives in arenas, so that
 * the jump leaves nothing behind. */
#ifndef IR_ARENA_H
#define IR_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cot_context;

typedef struct ir_arena {
    struct cot_context *ctx;
    struct ir_chunk *head;      /* the chunk allocated from; links to the older ones */
    char *at, *end;
    bool scratch;               /* what was allocated was given back: more will come */
} ir_arena;

void ir_arena_init(ir_arena *a, struct cot_context *ctx);
/* the arena is empty again, and usable   */
void ir_arena_free(ir_arena *a);
/* likewise, but keeps its newest chunk    */
void ir_arena_reset(ir_arena *a);
/* What is allocated after a mark can be given back alone: for scratch memory in a loop. */
typedef struct ir_mark {
    struct ir_chunk *head;      /* NULL: the arena is empty */
    char *at;
} ir_mark;
ir_mark ir_arena_mark(const ir_arena *a);
void ir_arena_release(ir_arena *a, ir_mark mark);
/* zeroed, aligned to 16                  */
void *ir_alloc(ir_arena *a, size_t bytes);
void *ir_copy_bytes(ir_arena *a, const void *p, size_t bytes);
char *ir_copy_string(ir_arena *a, const char *s);
char *ir_format(ir_arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define IR_NEW(a, type) ((type *)ir_alloc(a, sizeof(type)))
#define IR_NEW_N(a, type, n) ((type *)ir_alloc(a, sizeof(type) * (size_t)(n)))

/* Growing arrays in an arena: IR_PUSH(a, items, n, cap, value); the old copy stays behind. */
void *ir_grow(ir_arena *a, void *items, size_t item_bytes, uint32_t n, uint32_t *cap);
#define IR_PUSH(a, items, n, cap, value)                                                 \
    do {                                                                                 \
        if ((n) == (cap))                                                                \
            (items) = ir_grow(a, items, sizeof *(items), n, &(cap));                     \
        (items)[(n)++] = (value);                                                        \
    } while (0)

#endif
