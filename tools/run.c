/* cot run: a function on arrays from files, or made up from a seed. */
#include "cotrace/file.h"
#include "frontend/stablehlo/import/import.h"
#include "ir/array.h"
#include "ir/diag.h"
#include "passes/pass.h"
#include "runtime/compile.h"
#include "runtime/values.h"
#include "tools/cot.h"

void *
cli_memory(cot_context *ctx, const ir_type *t)
{
    enum { LINE = 64 };
    const uintptr_t p = (uintptr_t)ir_alloc(&ctx->arena, rt_bytes(t) + LINE);

    return (void *)((p + LINE - 1) / LINE * LINE);
}

void **
cli_buffers(cot_context *ctx, const ir_graph *f)
{
    void **out = IR_NEW_N(&ctx->arena, void *, f->n_out + 1);

    for (int i = 0; i < f->n_out; i++)
        out[i] = cli_memory(ctx, ir_type_at(f, f->out[i]));
    return out;
}

static bool
is_vmap(const pass_step *s)
{
    return strcmp(s->row->name, "vmap") == 0;
}

/* What the pipeline makes of f if every open size is 2: the arity after each step is the true
 * one. */
static cot_status
probe(const ir_graph *f, int n, const pass_step *step, const ir_graph **stage)
{
    stage[0] = f;
    for (int i = 0; i < n; i++) {
        pass_options o = step[i].options;
        ir_graph *g;

        if (is_vmap(&step[i]) && o.vmap.size == 0)
            o.vmap.size = 2;
        COT_TRY(step[i].row->run(stage[i], &o, &g));
        stage[i + 1] = g;
    }
    return COT_OK;
}

/* From the last step to the first: the types of the arguments before a step, from those after
 * it.  Only vmap changes types; jvp and vjp append arguments. */
static cot_status
infer_sizes(cot_cli *c, const ir_graph *f, int n, pass_step *step)
{
    cot_context *ctx = c->ctx;
    const ir_graph **stage = IR_NEW_N(&ctx->arena, const ir_graph *, n + 1);
    const ir_type **type, **before;

    COT_TRY(probe(f, n, step, stage));
    const int n_in = stage[n]->n_in;
    COT_TRY(cli_bind(c, stage[n]));
    type = IR_NEW_N(&ctx->arena, const ir_type *, n_in + 1);
    for (int i = 0; i < n_in; i++)
        if (!(type[i] = cli_bound_type(c, i, ir_type_at(stage[n], stage[n]->in[i])->dtype)))
            return ctx->status;
    for (int i = n - 1; i >= 0; i--) {
        if (!is_vmap(&step[i]))
            continue;
        before = IR_NEW_N(&ctx->arena, const ir_type *, n_in + 1);
        COT_TRY(pass_vmap_example(ctx, 0, stage[i]->n_in, type, &step[i].options.vmap, before));
        type = before;
    }
    return COT_OK;
}

cot_status
cli_transform(cot_cli *c, const ir_graph *f, ir_graph **out)
{
    const char *pipeline = c->pipeline ? c->pipeline : "";
    const pass_step *given;
    pass_step *step;
    bool open = false;
    int n;

    COT_TRY(pass_parse(c->ctx, 0, pipeline, &n, &given));
    step = IR_NEW_N(&c->ctx->arena, pass_step, n + 1);
    for (int i = 0; i < n; i++)
        step[i] = given[i];
    for (int i = 0; i < n; i++)
        open |= is_vmap(&step[i]) && step[i].options.vmap.size == 0;
    if (open && c->n_in)
        COT_TRY(infer_sizes(c, f, n, step));
    *out = (ir_graph *)f;
    for (int i = 0; i < n; i++)
        COT_TRY(pass_run(step[i].row, *out, &step[i].options, out));
    return COT_OK;
}

/* The last results of a module with expectations are what they compare. */
static int
count_results(const cot_cli *c, const ir_graph *f)
{
    return c->checks && c->checks->n ? c->checks->n_results : f->n_out;
}

static cot_status
write_each(cot_cli *c, const cot_state *s)
{
    for (int i = 0; i < s->n; i++)
        COT_TRY(cot_npy_write(c->ctx, ir_format(&c->ctx->arena, "%s%d.npy", c->out, i),
                              s->at[i].array));
    return COT_OK;
}

/* PREFIX0.npy, PREFIX1.npy, ...; or one file of them all, by their names. */
static cot_status
write_results(cot_cli *c, const ir_graph *f, void *const *out)
{
    cot_named *at = IR_NEW_N(&c->ctx->arena, cot_named, f->n_out + 1);
    cot_state s = { .at = at };
    cot_status status = COT_OK;

    for (int i = 0; i < count_results(c, f) && status == COT_OK; i++) {
        const char *name = f->out_name ? f->out_name[i] : NULL;
        at[i].name = name ? name : ir_format(&c->ctx->arena, "out%d", i);
        at[i].array =
            cot_array_borrow(c->ctx, ir_type_public(ir_type_at(f, f->out[i])), out[i]);
        status = at[i].array ? COT_OK : COT_ERR_MEMORY;
        s.n += status == COT_OK;
    }
    if (status == COT_OK)
        status = cli_is_named(c->out) ? cot_save(c->ctx, c->out, &s) : write_each(c, &s);
    cot_state_free(&s);
    return status;
}

static void
print_results(cot_cli *c, const ir_graph *f, void *const *out)
{
    ir_buf b;

    ir_buf_init(&b, &c->ctx->arena);
    if (!c->n_in && f->n_in)
        ir_buf_printf(&b, "; arguments made from seed %d%s\n", CLI_SEED,
                      c->at_sizes ? c->at_sizes : "");
    for (int i = 0; i < count_results(c, f); i++) {
        const ir_type *t = ir_type_at(f, f->out[i]);

        ir_type_print(&b, t);
        ir_buf_str(&b, " ");
        rt_print_elements(&b, t, out[i], false);
        ir_buf_str(&b, "\n");
    }
    cli_hide_progress();
    if (b.n) /* else there is no text at all */
        fwrite(b.text, 1, b.n, stdout);
}

/* A function, the entry of its module, with its arguments. */
typedef struct runnable {
    ir_graph *f; /* NULL: the module has several functions, which cot_cli.several lists */
    cot_kernel *k;
    void **args;
} runnable;

static cot_status
prepare(cot_cli *c, runnable *r)
{
    const cot_compile_options o = { .backend = c->backend,
                                    .threads = c->threads,
                                    .fast = c->fast,
                                    .trapping_math = c->trapping_math };

    COT_TRY(cli_entry(c, &r->f));
    if (!r->f)
        return COT_OK;
    COT_TRY(cli_inputs(c, r->f, &r->args));
    return cot_compile_graph(r->f, &o, &r->k);
}

/* What can fail in one of several processes alone comes before they exchange anything. */
static int
run_function(cot_cli *c)
{
    runnable r = { 0 };
    fe_hlo_checks checks;

    if (!c->pipeline)
        c->checks = &checks;
    checks.n = 0;
    const int failed = cli_agree(c, prepare(c, &r));
    if (failed || !r.f) {
        cot_kernel_free(r.k);
        return failed;
    }
    void **out = cli_buffers(c->ctx, r.f),
         **pointer = IR_NEW_N(&c->ctx->arena, void *, r.f->n_in + r.f->n_out + 1);
    rt_arguments(r.k, r.args, out, pointer);
    const cot_status status = rt_call_kernel(r.k, pointer, NULL);
    cot_kernel_free(r.k);
    if (status == COT_ERR_FOREIGN && c->trap) {
        cli_failed(c);
        return EXIT_CHECK;
    }
    if (status != COT_OK || (c->out && c->rank == 0 && write_results(c, r.f, out) != COT_OK))
        return cli_failed(c);
    if (!c->out && c->rank == 0)
        print_results(c, r.f, out);
    return cli_check_expectations(c, r.f, out) ? EXIT_DONE : EXIT_CHECK;
}

/* One after the other, whatever becomes of each: the worst exit status. */
static int
run_each(cot_cli *c, const fe_hlo_names *names)
{
    int worst = EXIT_DONE;

    c->several = NULL;
    if (c->out && names->n > 1)
        return cli_wrong(c,
                         "--out has place for the results of one function; %s has %d: pick one "
                         "with --entry",
                         c->files[0], names->n);
    for (int i = 0; i < names->n; i++) {
        cot_error_clear(c->ctx);
        c->entry = names->at[i];
        const int status = run_function(c);
        worst = status > worst ? status : worst;
    }
    c->entry = NULL;
    return worst;
}

/* Each module of the text, and where it has no entry each public function without arguments. */
static int
run_modules(cot_cli *c)
{
    int worst = EXIT_DONE;

    if (c->out && fe_hlo_module_end(c->text, 0, c->bytes) < c->bytes)
        return cli_wrong(c,
                         "--out has place for the results of one function; %s has several "
                         "modules: run one by one",
                         c->files[0]);
    do {
        fe_hlo_names names = { 0, NULL };
        cot_error_clear(c->ctx);
        c->stop = fe_hlo_module_end(c->text, c->start, c->bytes);
        c->several = &names;
        int status = run_function(c);
        if (names.n > 0)
            status = run_each(c, &names);
        worst = status > worst ? status : worst;
        c->start = c->stop;
    } while (c->stop < c->bytes);
    return worst;
}

int
cli_run(cot_cli *c)
{
    if (c->backend && strcmp(c->backend, "jit") != 0 && strcmp(c->backend, "c") != 0 &&
        strcmp(c->backend, "eval") != 0 && strcmp(c->backend, "cuda") != 0 &&
        strcmp(c->backend, "sim") != 0)
        return cli_wrong(c, "--backend is '%s'; wants jit, c, eval, cuda or sim", c->backend);
    if (c->trap && strcmp(c->trap, "nan") != 0)
        return cli_wrong(c, "--trap is '%s'; wants nan", c->trap);
    const int failed =
        cli_agree(c, cli_text(c, c->files[0]) ? COT_OK : cot_error_status(c->ctx));
    if (failed)
        return failed;
    return fe_hlo_is_mlir(c->files[0], c->text, c->bytes) && !c->entry ? run_modules(c)
                                                                       : run_function(c);
}
