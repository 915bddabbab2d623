/* Kernels for the double in a process that knows none: COT_DOUBLE_PROGRAM names .cot files,
 * separated by colons, whose functions are lowered as `cot build -o f.ptx` lowers them (with
 * --fast where a line of the file is "; fast"), and run by the simulator. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/kernel/grid.h"
#include "cotrace/cotrace.h"
#include "runtime/compile.h"
#include "runtime/open/open.h"
#include "tests/gpu/double.h"

double_hook double_program_launch;

enum { MAX_PROGRAMS = 1024 };

/* Functions are known by their own names, and by their files'. */
static struct {
    const char *fn, *file;
    cg_module *module;
    rt_open *open; /* of open sizes; else NULL */
} program[MAX_PROGRAMS];
static int n_programs;
static cot_context *ctx;
static ir_arena arena;

static char *
read_text(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    char *text = malloc(1 << 20);

    *n = f && text ? fread(text, 1, (1 << 20) - 1, f) : 0;
    if (text)
        text[*n] = '\0';
    if (f)
        fclose(f);
    return text;
}

static cot_status
lower(cot_context *c, void *arg)
{
    cot_compile_options o = { .backend = "sim", .cpu = "sm_80" };
    const cot_graph *g;
    rt_lowered low;
    rt_plan p;
    size_t n;
    char *text = read_text(arg, &n);
    cot_status s = cot_parse(c, arg, text, n, NULL, &g);

    o.fast = text && strstr(text, "; fast\n") != NULL;
    free(text);
    COT_TRY(s);
    COT_TRY(rt_plan_new(c, &o, cot_graph_name(g), &p));
    if (g->sized) {
        const rt_open_source *source;
        static rt_open tried; /* when the file was written: another form of it is not */
        rt_sizes *sizes;

        program[n_programs].open = &tried;
        COT_TRY(rt_open_text_source(g, NULL, NULL, &source, &sizes));
        COT_TRY(rt_open_lower_file(c, source, sizes, &p, &arena, &program[n_programs].open));
        low.module = program[n_programs].open->general.module;
    } else {
        COT_TRY(rt_lower(g, &p, &arena, &low));
    }
    const char *slash = strrchr(arg, '/');
    program[n_programs].fn = p.name;
    program[n_programs].file =
        ir_format(&arena, "%.*s", (int)strcspn(slash ? slash + 1 : arg, "."),
                  slash ? slash + 1 : (char *)arg);
    program[n_programs++].module = low.module;
    return COT_OK;
}

static void
read_programs(void)
{
    const char *list = getenv("COT_DOUBLE_PROGRAM");
    char path[1024];

    ctx = cot_context_new(NULL);
    ir_arena_init(&arena, ctx);
    while (list && *list && n_programs < MAX_PROGRAMS) {
        snprintf(path, sizeof path, "%.*s", (int)strcspn(list, ":"), list);
        if (rt_guard(ctx, lower, path) != COT_OK)
            fprintf(stderr, "double: %s\n", cot_error(ctx));
        list += strcspn(list, ":");
        list += *list == ':';
    }
}

/* When the driver is closed. */
__attribute__((destructor)) static void
forget_programs(void)
{
    if (!ctx)
        return;
    ir_arena_free(&arena);
    cot_context_free(ctx);
}

static const cg_kernel *
find(const char *name, rt_open **open)
{
    for (int i = 0; i < n_programs; i++)
        for (uint32_t k = 1; k < program[i].module->n_kernels; k++) {
            const char *kernel = program[i].module->kernel[k]->name;

            if (strcmp(cg_ptx_name(&arena, program[i].fn, kernel), name) == 0 ||
                strcmp(cg_ptx_name(&arena, program[i].file, kernel), name) == 0) {
                *open = program[i].open;
                return program[i].module->kernel[k];
            }
        }
    return NULL;
}

int
double_program_launch(void *user, const char *name, unsigned grid, unsigned block,
                      unsigned shared, void **parameters)
{
    rt_open *open = NULL;
    const cg_kernel *k;
    cg_launch l;
    void *buffer[1024];
    int64_t param[64];
    int32_t status = 0;
    int n = 0, p = 0;

    (void)user;
    if (!ctx)
        read_programs();
    k = find(name, &open);
    if (!k)
        return 500;
    l = cg_launch_of(k);
    if ((l.grid >= 0 && l.grid != (int64_t)grid) || l.block != (int)block ||
        l.dynamic != (int64_t)shared)
        return 1;
    for (uint32_t i = 0; i < k->n_buffers; i++)
        if (k->buffer[i].space <= CG_OUT) {
            buffer[n] = *(void **)parameters[n];
            if (k->buffer[i].align && (uintptr_t)buffer[n] % (uintptr_t)k->buffer[i].align)
                return 716; /* a misaligned address */
            n++;
        }
    for (; p < k->n_params; p++)
        param[p] = *(int64_t *)parameters[n + p];
    if (open) /* the last parameters are the sizes: so long are its buffers */
        cg_open_set_buffers(&open->general, param + p - k->module->n_sizes);
    if (cg_sim_launch(k, grid, buffer, param, &status) != COT_OK) {
        fprintf(stderr, "double: %s\n", cot_error(ctx));
        return 719;
    }
    if (l.fails && status)
        **(int32_t **)parameters[n + p] = status;
    return 0;
}
