/* COT_DUMP: the text of a stage, written while a function is compiled. */
#include <errno.h>

#include "ir/config.h"
#include "ir/reader.h"
#include "runtime/compile.h"

void
rt_dump_text(cot_context *ctx, const char *fn, const char *stage, const char *text, size_t n)
{
    const char *only = ctx->config.dump_fn, *dir = ctx->config.dump_dir;
    const char *kind = strcmp(stage, "llvm") == 0  ? "ll"
                       : strcmp(stage, "asm") == 0 ? "s"
                       : strcmp(stage, "ptx") == 0 ? "ptx"
                       : strcmp(stage, "c") == 0   ? "c"
                                                   : "txt";
    FILE *file = stderr;

    if (only && strcmp(only, fn) != 0)
        return;
    if (dir)
        file =
            fopen(ir_format(&ctx->message_arena, "%s/%s.%02u.%s.%s", dir,
                            ir_word_of(&ctx->message_arena, fn), ctx->dump_count, stage, kind),
                  "w");
    ctx->dump_count++;
    if (!file) {
        fprintf(stderr, "cotrace: cannot write a dump to %s: %s\n", dir, strerror(errno));
        return;
    }
    fprintf(file, "; %s: %s\n", fn, stage);
    fwrite(text, 1, n, file);
    if (file != stderr)
        fclose(file);
}
