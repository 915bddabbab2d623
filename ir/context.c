/* Making and freeing contexts, and the recovery points to which failed allocations return. */
#include "ir/context.h"

#include <stdlib.h>

#include "ir/config.h"
#include "ir/diag.h"
#include "ir/lent.h"
#include "ir/limit.h"

static void *
libc_realloc(void *user, void *old, size_t bytes)
{
    (void)user;
    if (bytes == 0) {
        free(old);
        return NULL;
    }
    return realloc(old, bytes);
}

const char *
ir_intern(cot_context *ctx, const char *s)
{
    uint64_t hash = ir_hash(0, s, strlen(s));
    uint32_t at = 0, id;
    while ((id = ir_map_next(&ctx->texts, hash, &at)))
        if (ctx->text[id - 1] == s || strcmp(ctx->text[id - 1], s) == 0)
            return ctx->text[id - 1];
    IR_PUSH(&ctx->arena, ctx->text, ctx->n_texts, ctx->cap_texts,
            ir_copy_string(&ctx->arena, s));
    ir_map_add(&ctx->texts, hash, ctx->n_texts);
    return ctx->text[ctx->n_texts - 1];
}

void
ir_attach(cot_context *ctx, const void *key, void *data, void (*release)(void *))
{
    ir_attached *a = IR_NEW(&ctx->arena, ir_attached);
    *a = (ir_attached){ ctx->attached, key, data, release };
    ctx->attached = a;
}

void *
ir_attached_find(const cot_context *ctx, const void *key)
{
    for (const ir_attached *a = ctx->attached; a; a = a->next)
        if (a->key == key)
            return a->data;
    return NULL;
}

static void
lock_init(pthread_mutex_t *lock)
{
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
}

bool
ir_allocates_by_libc(const cot_context *ctx)
{
    return ctx->realloc == libc_realloc;
}

cot_context *
cot_context_new(const cot_options *options)
{
    void *(*alloc)(void *, void *, size_t) =
        options && options->alloc ? options->alloc : libc_realloc;
    void *user = options ? options->alloc_user : NULL;
    cot_context *ctx = alloc(user, NULL, sizeof *ctx);
    volatile bool made = false;
    if (!ctx)
        return NULL;
    memset(ctx, 0, sizeof *ctx);
    ctx->realloc = alloc;
    ctx->alloc_user = user;
    if (options)
        ctx->limits = options->limits;
    if (ctx->limits.bytes && !ir_meter_begin(ctx, ctx->limits.bytes)) {
        alloc(user, ctx, 0);
        return NULL;
    }
    ir_arena_init(&ctx->arena, ctx);
    ir_arena_init(&ctx->message_arena, ctx);
    ir_map_init(&ctx->types, &ctx->arena);
    ir_map_init(&ctx->texts, &ctx->arena);
    lock_init(&ctx->lock);
    IR_TRY(ctx) {
        ir_config_read(ctx, options);
        made = true;
    }
    if (!made) {
        cot_context_free(ctx);
        return NULL;
    }
    return ctx;
}

void
cot_context_free(cot_context *ctx)
{
    if (!ctx)
        return;
    for (ir_attached *a = ctx->attached; a; a = a->next)
        if (a->release)
            a->release(a->data);
    ir_arena_free_lendable(ctx);
    ir_arena_free(&ctx->message_arena);
    ir_arena_free(&ctx->arena);
    pthread_mutex_destroy(&ctx->lock);
    ir_meter_end(ctx);
}

const char *
cot_version(void)
{
    return COT_VERSION;
}
