/* The names that compiled code in this process refers to.  Code holds no address, so that it
 * can be kept. */
#include "codegen/llvm/llvm.h"
#include "codegen/llvm/slow_path.h"

const char *
cg_ll_symbol_row(int i, char name[CG_LL_SYMBOL_NAME])
{
    static const char *const plain[] = { "memcpy", "memset", "memmove", CG_LL_CANCELLED };
    enum { PLAIN = sizeof plain / sizeof *plain };

    if (i < PLAIN)
        return plain[i];
    return cg_ll_slow_path_row(i - PLAIN, name) ? name : NULL;
}

const void *
cg_ll_symbol(void *context, const char *name)
{
    cot_context *ctx = context;

    if (strcmp(name, "memcpy") == 0)
        return (const void *)(uintptr_t)memcpy;
    if (strcmp(name, "memset") == 0)
        return (const void *)(uintptr_t)memset;
    if (strcmp(name, "memmove") == 0)
        return (const void *)(uintptr_t)memmove;
    if (strcmp(name, CG_LL_CANCELLED) == 0)
        return ctx->owner ? &ctx->owner->cancelled : &ctx->cancelled;
    return cg_ll_slow_path_at(name);
}
