/* cot explore: a function on its way to kernels, as a page for a browser. */
#include "ir/diag.h"
#include "passes/pass.h"
#include "runtime/explore/explore.h"
#include "tools/cot.h"

/* The file's function, followed through the pipeline. */
static cot_status
make(void *user, ir_graph **out)
{
    cot_cli *c = user;
    struct ir_follow *const follow = c->ctx->follow;
    ir_graph *f;

    c->ctx->follow = NULL; /* it begins with what is read */
    const cot_status status = cli_source(c, &f);
    if (status != COT_OK)
        return status;
    if (!f)
        return ir_fail(c->ctx, 0, NULL, ERR_usage,
                       "the file's modules hold their own expectations; pick one with --entry");
    c->ctx->follow = follow;
    COT_TRY(pass_follow("source", NULL, &f));
    return cli_transform(c, f, out);
}

int
cli_explore(cot_cli *c)
{
    if (!c->out)
        return cli_wrong(c, "no file is named for the page; wants -o FILE.html or FILE.json");
    return rt_explore(c->ctx, c->pipeline, c->assembly, make, c, c->out) == COT_OK
               ? EXIT_DONE
               : cli_failed(c);
}
