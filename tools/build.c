/* cot build: object files, archives, assembly, LLVM IR, and a header. */
#include "runtime/build.h"
#include "tools/cot.h"

int
cli_build(cot_cli *c)
{
    const cot_compile_options o = { .target = c->target, .cpu = c->cpu, .threads = c->threads };
    rt_export e = { .name = c->name };
    ir_graph *f;

    if (!c->out)
        return cli_wrong(c, "no output is named; wants -o OUT.{o,a,s,ll}");
    if (cli_entry(c, &f) != COT_OK)
        return cli_failed(c);
    e.graph = f;
    return rt_build(c->ctx, 1, &e, &o, c->out, c->header) == COT_OK ? EXIT_DONE : cli_failed(c);
}
