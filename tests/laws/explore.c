/* The laws of values that are followed: `law_explore FIRST STEP FILE...`.
 *
 * The programs are those of the laws from FIRST on, every STEP-th one, and the functions of the
 * files, .cot and .mlir, each through several pipelines.  Every node and input of a stage was
 * made from one of an earlier stage; the steps of the plan compute nodes of the last stage
 * alone; the graph that is lowered and the kernels are those that are made when nobody
 * follows.  What a pipeline refuses is counted.
 *
 * A line for each failure, then the numbers; the exit status is 1 if one fails. */
#include <stdio.h>
#include <stdlib.h>

#include "cotrace/stablehlo.h"
#include "frontend/stablehlo/import/import.h"
#include "ir/diag.h"
#include "passes/pass.h"
#include "runtime/explore/explore.h"
#include "tests/laws/laws.h"

static const char *const pipelines[] = { "",
                                         "jvp",
                                         "vjp",
                                         "linearize | checkpoint",
                                         "vmap(size=2)",
                                         "vjp | vmap(size=3)",
                                         "vmap(size=2) | jvp",
                                         "jacrev | jvp",
                                         "jvp | vjp" };
enum { N_PIPELINES = sizeof pipelines / sizeof *pipelines };

static int walks, refused, failed;
static long numbers;

typedef struct program {
    const ir_graph *f;
    const char *name, *pipeline;
} program;

static void
fails(const program *p, const char *what, const char *where)
{
    failed++;
    printf("%s, '%s': %s: %s\n", p->name, p->pipeline, what, where);
    fflush(stdout);
}

static cot_status
follow(void *user, ir_graph **out)
{
    const program *p = user;
    ir_graph *f = (ir_graph *)p->f;

    COT_TRY(pass_follow("source", NULL, &f));
    return pass_pipeline(f, p->pipeline, NULL, NULL, out);
}

/* Counts marks that are no earlier number. */
typedef struct origins {
    uint32_t number;
    int n, wrong;
} origins;

static void
visit(void *user, uint32_t mark)
{
    origins *o = user;

    o->n++;
    o->wrong += mark == 0 || mark >= o->number;
}

static void
check_origin(const rt_exploring *x, const program *p, const char *stage, ir_loc loc,
             const char *what)
{
    origins o = { .number = ir_loc_at(x->ctx, loc)->mark };

    numbers++;
    ir_loc_each_mark(x->ctx, ir_loc_at(x->ctx, loc)->from, visit, &o);
    if (!o.number || o.n == 0 || o.wrong)
        fails(p, o.n ? "a later origin" : "no origin",
              ir_format(x->arena, "%s, %u %s", stage, o.number, what));
}

static void
check_stage(const rt_exploring *x, const program *p, uint32_t s)
{
    const rt_stage_graphs *stage = &x->stage[s];

    for (uint32_t g = stage->first; g < stage->first + stage->n; g++) {
        const ir_graph *f = x->graph[g];

        for (int i = 0; i < f->n_in; i++)
            check_origin(x, p, stage->name, f->in_loc[i], "input");
        ir_each_node (n, f)
            check_origin(x, p, stage->name, n->loc, ir_ops[n->op].name);
    }
}

static void
check_steps(const rt_exploring *x, const program *p)
{
    const rt_stage_graphs *last = &x->stage[x->n_stages - 1];

    for (uint32_t i = 0; i < x->record.n_steps; i++) {
        const cg_record_step *s = &x->record.step[i];

        if (s->n == 0)
            fails(p, "a step of no node", x->low.module->name);
        for (uint32_t k = 0; k < s->n; k++)
            if (rt_explore_number(x, x->record.loc[s->first + k]) < x->input[last->first])
                fails(p, "a step of an earlier stage", x->low.module->name);
    }
}

/* Without notes of kernels, which name lines: more nodes have one while they are followed. */
static const char *
text_of(ir_arena *a, const cg_module *m)
{
    bool note = false;
    ir_buf b, plain;

    ir_buf_init(&b, a);
    ir_buf_init(&plain, a);
    cg_module_print(&b, m);
    for (const char *s = b.text; *s; s++) {
        note = *s != '\n' && (note || *s == ';');
        if (!note && *s != ' ')
            ir_buf_add(&plain, s, 1);
    }
    return plain.text;
}

static const char *
graph_text(ir_arena *a, const ir_graph *f)
{
    ir_buf b;

    ir_buf_init(&b, a);
    ir_print(&b, f, 0);
    return b.text;
}

/* The first lines that differ. */
static const char *
first_difference(ir_arena *a, const char *s, const char *t)
{
    size_t from = 0;

    for (size_t i = 0; s[i] && s[i] == t[i]; i++)
        if (s[i] == '\n')
            from = i + 1;
    return ir_format(a, "%.*s, and %.*s", (int)strcspn(s + from, "\n"), s + from,
                     (int)strcspn(t + from, "\n"), t + from);
}

/* Is what nobody followed the same? */
static void
check_plain(const rt_exploring *x, const program *p)
{
    const rt_plan plan = { .engine = x->plan.engine,
                           .backend = x->plan.backend,
                           .target = x->plan.target,
                           .threads = x->plan.threads,
                           .fuse = x->plan.fuse,
                           .name = x->plan.name };
    rt_lowered low;
    ir_graph *g;

    if (pass_pipeline(p->f, p->pipeline, NULL, NULL, &g) != COT_OK ||
        rt_lower(g, &plan, x->arena, &low) != COT_OK)
        fails(p, "fails when nobody follows", cot_error(x->ctx));
    else if (!ir_graph_equal(low.prepared, x->low.prepared))
        fails(p, "another graph",
              first_difference(x->arena, graph_text(x->arena, low.prepared),
                               graph_text(x->arena, x->low.prepared)));
    else if (strcmp(text_of(x->arena, low.module), text_of(x->arena, x->low.module)) != 0)
        fails(p, "other kernels",
              first_difference(x->arena, text_of(x->arena, low.module),
                               text_of(x->arena, x->low.module)));
}

static void
walk(cot_context *ctx, program *p)
{
    ir_arena *arena = ir_arena_take(ctx);
    const rt_explore_options o = { .pipeline = p->pipeline };
    rt_exploring x = { .ctx = ctx, .arena = arena, .o = &o };

    walks++;
    if (rt_explore_collect(&x, follow, p) != COT_OK) {
        refused += cot_error_status(ctx) != COT_ERR_INTERNAL;
        if (cot_error_status(ctx) == COT_ERR_INTERNAL)
            fails(p, "an internal error", cot_error(ctx));
        cot_error_clear(ctx);
    } else {
        check_steps(&x, p);
        check_plain(&x, p);
    }
    for (uint32_t s = 1; s < x.n_stages; s++)
        check_stage(&x, p, s);
    ir_arena_give(arena);
}

static void
all_pipelines(cot_context *ctx, const ir_graph *f, const char *name)
{
    for (int k = 0; k < N_PIPELINES; k++)
        walk(ctx, &(program){ f, name, pipelines[k] });
}

static char *
contents(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20), *expect;

    *n = file && text ? fread(text, 1, (1 << 20) - 1, file) : 0;
    if (file)
        fclose(file);
    if (text && (expect = strstr(text, "; expect:")) != NULL)
        *expect = '\0', *n = (size_t)(expect - text);
    return text;
}

static void
file_functions(cot_context *ctx, const char *path)
{
    size_t n;
    char *text = contents(path, &n);
    ir_module m = { 0 };
    ir_graph *f;

    if (text && fe_hlo_is_mlir(path, text, n)) {
        const cot_import_options o = { 0 };
        if (fe_hlo_import(ctx, &(fe_hlo_source){ path, text, 0, n }, &o, &(fe_hlo_extra){ 0 },
                          &f) == COT_OK &&
            f)
            all_pipelines(ctx, f, path);
    } else if (text && ir_parse(ctx, path, text, n, &m) == COT_OK) {
        for (int i = 0; i < m.n; i++)
            all_pipelines(ctx, m.fn[i], path);
    }
    cot_error_clear(ctx);
    free(text);
}

int
main(int argc, char **argv)
{
    const int first = argc > 2 ? atoi(argv[1]) : 0, step = argc > 2 ? atoi(argv[2]) : 1;

    for (int i = first; i < laws_count(); i += step) {
        cot_context *ctx = cot_context_new(NULL);
        laws_program law;

        if (laws_make(ctx, i, &law))
            all_pipelines(ctx, law.f, ir_format(&ctx->arena, "%s (program %d)", law.op, i));
        cot_context_free(ctx);
    }
    for (int i = 3; i < argc; i++) {
        cot_context *ctx = cot_context_new(NULL);

        file_functions(ctx, argv[i]);
        cot_context_free(ctx);
    }
    printf("%d walks, %d refused, %ld nodes and inputs, %d failures\n", walks, refused, numbers,
           failed);
    return failed > 0;
}
