/* cot explore: a function on its way to kernels, as a page for a browser. */
#include "ir/diag.h"
#include "passes/pass.h"
#include "runtime/explore/explore.h"
#include "tools/profile.h"

static const char several[] =
    "the file's modules hold their own expectations; pick one with --entry";

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
        return ir_fail(c->ctx, 0, NULL, ERR_usage, several);
    c->ctx->follow = follow;
    COT_TRY(pass_follow("source", NULL, &f));
    return cli_transform(c, f, out);
}

static cot_status
explore(cot_cli *c, const profiled *p)
{
    const cot_compile_options compile = { .backend = c->backend,
                                          .target = c->target,
                                          .cpu = c->cpu,
                                          .features = c->features,
                                          .threads = c->threads,
                                          .fast = c->fast,
                                          .trapping_math = c->trapping_math };
    const rt_explore_options o = { .pipeline = c->pipeline ? c->pipeline : "",
                                   .compile = &compile,
                                   .assembly = c->assembly,
                                   .profile = p->k ? p->k->profile : NULL,
                                   .calls = p->calls };

    return rt_explore(c->ctx, &o, make, c, c->out);
}

/* What calls of the function take, before anybody follows it. */
static cot_status
measure(cot_cli *c, profiled *p)
{
    const cot_compile_options o = { .backend = c->backend,
                                    .cpu = c->cpu,
                                    .features = c->features,
                                    .threads = c->threads,
                                    .trapping_math = c->trapping_math };
    ir_graph *f;

    COT_TRY(cli_entry(c, &f));
    if (!f)
        return ir_fail(c->ctx, 0, NULL, ERR_usage, several);
    return profile_calls(c, f, &o, NULL, p);
}

int
cli_explore(cot_cli *c)
{
    profiled p = { 0 };

    if (!c->out)
        return cli_wrong(c, "no file is named for the page; wants -o FILE.html or FILE.json");
    if (c->backend && strcmp(c->backend, "eval") == 0)
        return cli_wrong(c, "the evaluator has no kernels; wants jit, c, cuda or sim");
    if (c->profile && c->target)
        return cli_wrong(c, "--profile calls the function here; --target is another machine");
    cot_status status = c->profile ? measure(c, &p) : COT_OK;
    if (status == COT_OK)
        status = explore(c, &p);
    if (p.k)
        cot_kernel_free(p.k);
    return status == COT_OK ? EXIT_DONE : cli_failed(c);
}
