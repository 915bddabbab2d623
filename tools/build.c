/* cot build: object files, archives, C source, assembly, LLVM IR, and a header. */
#include "runtime/build.h"
#include "tools/cot.h"

#include <stdlib.h>

/* "0,2": numbers of arguments. */
static bool
read_donated(cot_cli *c, cot_list *out)
{
    int64_t *at = IR_NEW_N(&c->ctx->arena, int64_t, strlen(c->donated) + 1);
    const char *s = c->donated;
    char *end;

    *out = (cot_list){ 0, 0, at };
    for (;; s = end + 1) {
        at[out->n++] = strtoll(s, &end, 10);
        if (end == s || (*end && *end != ','))
            return false;
        if (!*end)
            return true;
    }
}

int
cli_build(cot_cli *c)
{
    cot_compile_options o = { .target = c->target, .cpu = c->cpu, .threads = c->threads };
    rt_export e = { .name = c->name };
    ir_graph *f;

    if (!c->out)
        return cli_wrong(c, "no output is named; wants -o OUT.{o,a,c,s,ll,mlir}");
    if (c->donated && !read_donated(c, &o.donated))
        return cli_wrong(c, "--donated is '%s'; wants numbers of arguments, as in 0,2", c->donated);
    if (cli_entry(c, &f) != COT_OK)
        return cli_failed(c);
    if (!c->donated && !c->pipeline && c->given_away.n > 0)
        o.donated = (cot_list){ c->given_away.n, 0, c->given_away.at };
    e.graph = f;
    return rt_build(c->ctx, 1, &e, &o, c->out, c->header) == COT_OK ? EXIT_DONE : cli_failed(c);
}
