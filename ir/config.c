/* Merges options and environment into one record.  A field of cot_options that is set wins. */
#include "ir/config.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

enum { CACHE_DIR_BYTES = 256 << 20 };

static const char *
text(cot_context *ctx, const char *option, const char *variable)
{
    const char *s = option ? option : getenv(variable);
    return s && *s ? ir_copy_string(&ctx->arena, s) : NULL;
}

/* A variable that is no number counts as not set, and rt_plan_new reports it. */
static int
number(cot_context *ctx, int option, const char *variable, int otherwise)
{
    const char *s = getenv(variable);
    char *end = NULL;
    const long n = s ? strtol(s, &end, 10) : 0;

    if (option || !s || !*s)
        return option ? option : otherwise;
    if (*end || n < INT_MIN || n > INT_MAX) {
        ctx->no_number = variable;
        ctx->no_number_is = ir_copy_string(&ctx->arena, s);
        return otherwise;
    }
    return (int)n;
}

void
ir_config_read(cot_context *ctx, const cot_options *options)
{
    static const cot_options none;
    const cot_options *o = options ? options : &none;
#ifdef NDEBUG
    const int debug = 0;
#else
    const int debug = 1;
#endif
    ctx->config = (ir_config){
        .dump = text(ctx, o->dump, "COT_DUMP"),
        .dump_fn = text(ctx, o->dump_fn, "COT_DUMP_FN"),
        .dump_dir = text(ctx, o->dump_dir, "COT_DUMP_DIR"),
        .off = text(ctx, o->off, "COT_OFF"),
        .target = text(ctx, o->target, "COT_TARGET"),
        .driver = text(ctx, o->driver, "COT_CUDA_DRIVER"),
        .profile = text(ctx, o->profile, "COT_PROFILE"),
        .verify = number(ctx, o->verify, "COT_VERIFY", debug),
        .time = number(ctx, o->time, "COT_TIME", 0) > 0,
        .debug = number(ctx, o->debug, "COT_DEBUG", 0) > 0,
        .perf = number(ctx, o->perf, "COT_PERF", 0) > 0,
        .isolate = number(ctx, o->isolate, "COT_ISOLATE", 0) > 0,
        .trapping_math = number(ctx, o->trapping_math, "COT_TRAPPING_MATH", 0) > 0,
        .trap = number(ctx, o->trap, "COT_TRAP", 0) > 0,
        .tiered = number(ctx, o->tiered, "COT_TIERED", 0) > 0,
        .threads = number(ctx, o->threads, "COT_THREADS", 1),
        .compile_threads = number(ctx, o->compile_threads, "COT_COMPILE_THREADS", 0),
        .vector_bits = o->vector_bits,
        .cache_dir = o->cache_dir ? ir_copy_string(&ctx->arena, o->cache_dir) : NULL,
        .cache_bytes = o->cache_bytes,
        .cache_dir_bytes = o->cache_dir_bytes ? o->cache_dir_bytes : CACHE_DIR_BYTES,
    };
    ctx->config.counted = ctx->config.profile != NULL;
    ctx->progress.call = o->progress;
    ctx->progress.user = o->progress_user;
    ctx->comm = o->comm;
    ctx->columns = o->columns;
    ctx->own = o->own ? ir_copy_string(&ctx->arena, o->own) : NULL;
    ctx->progress.after = o->progress_after > 0 ? o->progress_after : 1;
    if (ctx->config.verify < 0)
        ctx->config.verify = 0;
    if (ctx->config.threads < 1)
        ctx->config.threads = 1;
}

const char *
ir_config_compiler(void)
{
    const char *s = getenv("COT_CC");
    return s && *s ? s : NULL;
}

const char *
ir_config_llvm(void)
{
    const char *s = getuid() == geteuid() ? getenv("COT_LLVM") : NULL;
    return s && *s ? s : NULL;
}

const char *
ir_config_temporary(void)
{
    const char *s = getenv("TMPDIR");
    return s && *s ? s : "/tmp";
}

const char *
ir_config_cache_dir(cot_context *ctx)
{
    const char *option = ctx->config.cache_dir, *s = option ? option : getenv("COT_CACHE_DIR"),
               *root = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

    if (s && *s)
        return strcmp(s, "off") == 0 ? NULL : ir_copy_string(&ctx->arena, s);
    if (s)
        return NULL;
    /* The XDG Base Directory Specification ignores a path that is not absolute. */
    if (root && *root == '/')
        return ir_format(&ctx->arena, "%s/cotrace", root);
    return home && *home == '/' ? ir_format(&ctx->arena, "%s/.cache/cotrace", home) : NULL;
}

bool
ir_config_lists(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *s = list; s && *s; s += strcspn(s, ","), s += *s == ',') {
        size_t m = strcspn(s, ",");
        if ((m == n && memcmp(s, name, n) == 0) || (m == 3 && memcmp(s, "all", 3) == 0))
            return true;
    }
    return false;
}
