/* Arenas that a context lends.
 *
 * A graph keeps the arena of its builder as long as the context lives.  A pass that fails ends
 * none of its builders, and a jump out of it gives nothing back, so that each such call would
 * leave its arenas behind.  The arenas that are lent are therefore a list, the newest first,
 * with ascending numbers.  When a public call ends with an error, the context recalls those
 * that were taken in it. */
#include "ir/lent.h"

typedef struct ir_lent {
    ir_arena arena;
    struct ir_lent *before;        /* made before it, lent or not */
    struct ir_lent *older, **link; /* link: what points to it in the list; NULL: not in it */
    uint64_t serial;
} ir_lent;

static ir_lent *
new_arena(cot_context *ctx)
{
    ir_lent *x = IR_NEW(&ctx->arena, ir_lent);

    ir_arena_init(&x->arena, ctx);
    x->before = ctx->lendable;
    return ctx->lendable = x;
}

void
ir_arena_free_lendable(cot_context *ctx)
{
    for (ir_lent *x = ctx->lendable; x; x = x->before)
        ir_arena_free(&x->arena);
}

ir_arena *
ir_arena_take(cot_context *ctx)
{
    ir_lent *x = ctx->spare;

    if (x)
        ctx->spare = x->older;
    else
        x = new_arena(ctx);
    x->older = ctx->lent;
    x->link = &ctx->lent;
    x->serial = ++ctx->lent_serial;
    if (x->older)
        x->older->link = &x->older;
    ctx->lent = x;
    return &x->arena;
}

void
ir_arena_keep(ir_arena *a)
{
    ir_lent *x = (ir_lent *)a;

    if (!x->link)
        return;
    *x->link = x->older;
    if (x->older)
        x->older->link = x->link;
    x->link = NULL;
}

void
ir_arena_give(ir_arena *a)
{
    ir_lent *x = (ir_lent *)a;

    ir_arena_keep(a);
    ir_arena_free(a);
    x->older = a->ctx->spare;
    a->ctx->spare = x;
}

void
ir_arena_recall(cot_context *ctx)
{
    while (ctx->lent && ctx->lent->serial > ctx->lent_before)
        ir_arena_give(&ctx->lent->arena);
}
