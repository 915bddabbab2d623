/* cot opt: the transformed IR. */
#include "codegen/kernel/kernel.h"
#include "frontend/stablehlo/export/export.h"
#include "ir/diag.h"
#include "passes/pass.h"
#include "runtime/explore/explore.h"
#include "tools/cot.h"

static cot_status
print_graph(const cot_cli *c, const ir_graph *f)
{
    ir_buf b;

    ir_buf_init(&b, &c->ctx->arena);
    if (!c->emit || strcmp(c->emit, "cot") == 0)
        ir_print(&b, f, IR_PRINT_FORMAT | (c->locs ? IR_PRINT_LOCS : 0));
    else
        rt_dot(&b, f, NULL);
    cli_hide_progress();
    fwrite(b.text, 1, b.n, stdout);
    return COT_OK;
}

static bool
is_mlir(const char *path)
{
    const size_t n = strlen(path);

    return n > 5 && strcmp(path + n - 5, ".mlir") == 0;
}

/* A function for all of its sizes, with the pipeline: as text alone. */
static cot_status
print_open(cot_cli *c, const ir_graph *f)
{
    const bool other = (c->emit && strcmp(c->emit, "cot") != 0) || (c->out && is_mlir(c->out));
    ir_buf b;

    if (c->after_each || other)
        return ir_fail(c->ctx, 0, NULL, ERR_usage,
                       c->after_each ? "--after-each is at one size; wants --size NAME=N"
                                     : "only .cot text has open sizes; wants --size NAME=N");
    ir_buf_init(&b, &c->ctx->arena);
    COT_TRY(f ? cli_open_print(c, f, &b) : cli_open_text(c, &b));
    if (c->out)
        return cli_write(c, c->out, b.text, b.n) ? COT_OK : c->ctx->status;
    cli_hide_progress();
    fwrite(b.text, 1, b.n, stdout);
    return COT_OK;
}

/* -o FILE: StableHLO where its name ends in .mlir, else our text. */
static cot_status
write_graph(cot_cli *c, const ir_graph *f)
{
    ir_buf b;

    ir_buf_init(&b, &c->ctx->arena);
    if (is_mlir(c->out))
        COT_TRY(fe_hlo_export(f, &c->ctx->arena, &b));
    else
        ir_print(&b, f, IR_PRINT_FORMAT | (c->locs ? IR_PRINT_LOCS : 0));
    return cli_write(c, c->out, b.text, b.n) ? COT_OK : c->ctx->status;
}

static void
print_after(void *user, const char *name, const ir_graph *before, const ir_graph *result)
{
    const cot_cli *c = user;

    if (ir_graph_equal(before, result)) {
        printf("; %s: unchanged\n", name);
        return;
    }
    printf("; after %s\n", name);
    print_graph(c, result);
    printf("\n");
}

/* Kernels, which are printed again once they are verified. */
static cot_status
opt_kernels(cot_cli *c, const char *text)
{
    const char *name = strcmp(c->files[0], "-") == 0 ? "<stdin>" : c->files[0];
    ir_buf b;

    ir_buf_init(&b, &c->ctx->arena);
    COT_TRY(cli_kernels(c->ctx, name, text, c->bytes, c->pipeline, &b));
    if (c->out)
        return cli_write(c, c->out, b.text, b.n) ? COT_OK : c->ctx->status;
    cli_hide_progress();
    fwrite(b.text, 1, b.n, stdout);
    return COT_OK;
}

static cot_status
opt_file(cot_cli *c)
{
    const char *text = cli_text(c, c->files[0]);
    ir_module roots;

    if (!text)
        return COT_ERR_IO;
    if (cg_is_module_text(text, c->bytes))
        return opt_kernels(c, text);

    if (c->open)
        return print_open(c, NULL);
    COT_TRY(cli_load(c, c->files[0], &roots));
    if (c->out && roots.n > 1)
        return ir_fail(c->ctx, 0, NULL, ERR_usage,
                       ir_format(&c->ctx->arena, "%s has %d functions; pick one with --entry",
                                 c->files[0], roots.n));
    for (int i = 0; i < roots.n; i++) {
        ir_graph *f;

        if (i)
            printf("\n");
        if (cli_is_open(c, roots.fn[i])) {
            COT_TRY(print_open(c, roots.fn[i]));
            continue;
        }
        COT_TRY(cli_at_sizes(c, roots.fn[i], &roots.fn[i]));
        if (c->after_each) {
            printf("; as read\n");
            print_graph(c, roots.fn[i]);
            printf("\n");
        }
        COT_TRY(pass_pipeline(roots.fn[i], c->pipeline ? c->pipeline : "",
                              c->after_each ? print_after : NULL, c, &f));
        if (c->out)
            COT_TRY(write_graph(c, f));
        else if (!c->after_each)
            COT_TRY(print_graph(c, f));
    }
    return COT_OK;
}

int
cli_opt(cot_cli *c)
{
    int worst = EXIT_DONE;

    if (c->emit && strcmp(c->emit, "html") == 0)
        return cli_wrong(c, "--emit html is `cot explore`; wants cot or dot");
    if (c->emit && strcmp(c->emit, "cot") != 0 && strcmp(c->emit, "dot") != 0)
        return cli_wrong(c, "--emit is '%s'; wants cot or dot", c->emit);
    if (!c->expect && !c->bless)
        return opt_file(c) == COT_OK ? EXIT_DONE : cli_failed(c);
    for (int i = 0; i < c->n_files; i++) {
        int status = cli_expect(c, c->files[i]);

        worst = status > worst ? status : worst;
    }
    return worst;
}
