/* Graphs shown after stages: to who follows values, and by COT_DUMP as text, to stderr or to
 * numbered files.
 *
 * A dump is legal input to `cot opt`.  An unchanged graph is one line of comment. */
#include <stdio.h>

#include "ir/config.h"
#include "ir/follow.h"
#include "ir/reader.h"
#include "passes/pass.h"

/* Is f the function that the user asked for, or derived from it ("f.grad.vmap")? */
static bool
wanted(const cot_context *ctx, const char *stage, const ir_graph *f)
{
    const char *only = ctx->config.dump_fn;
    if (!ir_config_lists(ctx->config.dump, stage))
        return false;
    if (!only || !*only || strcmp(f->name, only) == 0)
        return true;
    const size_t n = strlen(only);
    return strncmp(f->name, only, n) == 0 && f->name[n] == '.';
}

static void
write_text(cot_context *ctx, const char *stage, const ir_graph *f, const char *text)
{
    const char *dir = ctx->config.dump_dir;
    const char *path = NULL;
    if (dir && *dir)
        path = ir_format(f->arena, "%s/%.*s.%02u.%s.cot", dir, (int)strcspn(f->name, "."),
                         ir_word_of(f->arena, f->name), ctx->dump_count, stage);
    ctx->dump_count++;
    FILE *out = path ? fopen(path, "w") : stderr;
    if (!out) {
        fprintf(stderr, "%s: cannot be written\n", path);
        return;
    }
    fputs(text, out);
    if (path)
        fclose(out);
}

void
pass_dump(const char *stage, const ir_graph *before, const ir_graph *f)
{
    ir_buf text;
    if (!wanted(f->ctx, stage, f))
        return;
    ir_buf_init(&text, f->arena);
    if (before && ir_graph_equal(before, f)) {
        ir_buf_printf(&text, "; %s: unchanged\n", stage);
    } else {
        ir_buf_printf(&text, "; after %s\n", stage);
        ir_print(&text, f, IR_PRINT_LOCS | (f->ctx->config.dump_dir ? IR_PRINT_FORMAT : 0));
    }
    write_text(f->ctx, stage, f, text.text);
}

cot_status
pass_follow(const char *stage, const ir_graph *from, ir_graph **g)
{
    const ir_follow *follow = (*g)->ctx->follow;

    return follow ? follow->stage(follow->user, stage, false, from, g) : COT_OK;
}

cot_status
pass_follow_part(const char *stage, const ir_graph *from, ir_graph **g)
{
    const ir_follow *follow = (*g)->ctx->follow;

    return follow ? follow->stage(follow->user, stage, true, from, g) : COT_OK;
}
