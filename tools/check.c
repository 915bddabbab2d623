/* cot check: derivatives against differences, vmap against loops, back ends (those of the
 * derivatives too) against the reference evaluator. */
#include "runtime/check.h"

#include "ir/diag.h"
#include "passes/pass.h"
#include "runtime/build.h"
#include "runtime/open/open.h"
#include "tools/cot.h"

static void
tell_end(const cot_cli *c, const char *name, cli_color color, const char *end, const char *why)
{
    printf("%-12s ", name);
    cli_print(c, stdout, color, end, strlen(end));
    printf("%s\n", why);
}

/* Print one line; EXIT_CHECK if the check failed, the error's exit if it could not be made. */
static int
tell(cot_cli *c, const char *name, cot_status status, const rt_verdict *v)
{
    if (status == COT_ERR_RULE) {
        cli_hide_progress();
        printf("%-12s skipped: %s\n", name, cot_error(c->ctx));
        cot_error_clear(c->ctx);
        return EXIT_DONE;
    }
    if (status != COT_OK) {
        int answer = cli_failed(c);

        cot_error_clear(c->ctx);
        return answer;
    }
    cli_hide_progress();
    if (v->skipped)
        printf("%-12s skipped: %s\n", name, v->why.text);
    else if (v->good)
        tell_end(c, name, CLI_GOOD, "agrees", "");
    else
        tell_end(c, name, CLI_BAD, "FAILED: ", v->why.text);
    return v->good ? EXIT_DONE : EXIT_CHECK;
}

static int
worse(int a, int b)
{
    return a > b ? a : b;
}

/* Of a text with sizes: is there one text, and one kernel, for all of them?  Both are compared
 * with the function at sizes when they are made. */
static int
check_all_sizes(cot_cli *c)
{
    rt_export e = { 0 };
    cot_kernel *k = NULL;
    ir_graph *f;
    ir_buf text;
    rt_plan p;

    ir_buf_init(&text, &c->ctx->arena);
    cot_status status = cli_source(c, &f);
    if (status == COT_OK)
        status = cli_open_export(c, f, &e);
    if (status == COT_OK)
        status = rt_open_print(c->ctx, e.open, e.sizes, 0, &text);
    if (status == COT_OK)
        status = rt_plan_new(c->ctx, NULL, f->name, &p);
    if (status == COT_OK)
        status = rt_open_compile(c->ctx, e.open, e.sizes, &p, &k);
    cot_kernel_free(k);
    if (status == COT_ERR_SHAPE) {
        cli_hide_progress();
        printf("%-12s skipped: %s\n", "all sizes", cot_error(c->ctx));
        cot_error_clear(c->ctx);
        return EXIT_DONE;
    }
    return tell(c, "all sizes", status, &(rt_verdict){ .good = true });
}

int
cli_check(cot_cli *c)
{
    int worst = EXIT_DONE;
    cot_status status;
    rt_verdict v;
    ir_graph *f;
    void **in;
    bool ends;

    if (cli_entry(c, &f) != COT_OK || cli_inputs(c, f, &in) != COT_OK)
        return cli_failed(c);
    status = rt_check_text(f, &v);
    worst = worse(worst, tell(c, "text", status, &v));
    if (pass_functionalize(f, true, &f) !=
        COT_OK) /* the reference evaluator takes pure graphs */
        return cli_failed(c);
    if (c->n_in == 0 && rt_check_points(f, in, &ends) != COT_OK)
        return cli_failed(c);
    if (c->n_in == 0 && !ends) {
        printf("%-12s skipped: %s\n", "the rest", RT_NO_END);
        return worst;
    }
    status = rt_check_backends(f, in, &v);
    worst = worse(worst, tell(c, "back ends", status, &v));
    status = rt_check_derived(f, "jvp", in, &v);
    worst = worse(worst, tell(c, "of its jvp", status, &v));
    status = rt_check_derived(f, "vjp", in, &v);
    worst = worse(worst, tell(c, "of its vjp", status, &v));
    status = rt_check_derivatives(f, in, &v);
    worst = worse(worst, tell(c, "derivatives", status, &v));
    status = rt_check_vmap(f, 3, &v);
    worst = worse(worst, tell(c, "vmap", status, &v));
    return c->at_sizes && !c->size ? worse(worst, check_all_sizes(c)) : worst;
}
