/* Kernels for GPUs as files: the module as PTX, and a manifest that says how a host runs it.
 *
 * The manifest is JSON: for each function its arguments, its entry points with their grids, and
 * the steps of its entry as codegen/host/manifest.c prints them.  These two files and the
 * driver suffice to run a function. docs/gpu.md has the format, examples/ptx_host.c a program
 * that reads it. */
#include <inttypes.h>

#include "codegen/kernel/cost.h"
#include "codegen/kernel/grid.h"
#include "codegen/host/host.h"
#include "ir/diag.h"
#include "runtime/build.h"
#include "runtime/file.h"
#include "runtime/open/open.h"

bool
rt_is_ptx(const char *path)
{
    const size_t n = strlen(path);

    return n > 4 && strcmp(path + n - 4, ".ptx") == 0;
}

static const char *
use_of(const rt_plan *p, const ir_graph *f, int i)
{
    static const char *const hidden[] = { "in", "captured", "generator" };

    for (int k = 0; k < f->n_inout; k++)
        if (f->inout[k].arg == i)
            return "inout";
    return ir_ints_has(p->donated, i) ? "donated" : hidden[f->hidden[i].kind];
}

/* Lengths, of which some are expressions of sizes, and bytes, which are one. */
static void
print_open_type(ir_buf *b, const ir_type *t, const cg_size_form *dims, const char *const *size)
{
    for (int i = 0; i < t->rank; i++) {
        const char *quote = cg_form_is_constant(&dims[i]) ? "" : "\"";

        ir_buf_printf(b, "%s%s", i ? ", " : "", quote);
        cg_form_print(b, &dims[i], size);
        ir_buf_str(b, quote);
    }
    ir_buf_printf(b, "], \"bytes\": \"%zu", cot_dtype_size(t->dtype));
    for (int i = 0; i < t->rank; i++) {
        ir_buf_str(b, "*(");
        cg_form_print(b, &dims[i], size);
        ir_buf_str(b, ")");
    }
    ir_buf_str(b, "\"}");
}

/* dims: NULL where none is open. */
static void
print_argument(ir_buf *b, const char *name, const char *use, const ir_type *t,
               const cg_size_form *dims, const char *const *size)
{
    ir_buf_str(b, "\n    {\"name\": ");
    cg_json_string(b, name);
    ir_buf_printf(b, ", \"use\": \"%s\", \"type\": \"%s\", \"dims\": [", use,
                  cot_dtype_name(t->dtype));
    if (dims) {
        print_open_type(b, t, dims, size);
        return;
    }
    for (int i = 0; i < t->rank; i++)
        ir_buf_printf(b, "%s%" PRId64, i ? ", " : "", t->dims[i]);
    ir_buf_printf(b, "], \"bytes\": %" PRId64 "}", t->size * (int64_t)cot_dtype_size(t->dtype));
}

static void
print_arguments(ir_buf *b, const rt_plan *p, const ir_graph *f, const rt_open *open,
                const char *const *size)
{
    const int own = f->n_out - f->n_inout;

    ir_buf_str(b, "  \"arguments\": [");
    for (int i = 0; i < f->n_in + own; i++) {
        const bool in = i < f->n_in;
        const char *const *names = in ? f->in_name : f->out_name;
        const int k = in ? i : i - f->n_in;

        ir_buf_str(b, i ? "," : "");
        print_argument(
            b, names && names[k] ? names[k] : ir_format(b->arena, in ? "arg%d" : "out%d", k),
            in ? use_of(p, f, i) : "out", ir_type_at(f, in ? f->in[i] : f->out[k]),
            open ? rt_open_axes(open, f, in ? i : f->n_in + k, b->arena) : NULL, size);
    }
    ir_buf_str(b, "],\n");
}

static void
print_kernels(ir_buf *b, const cg_natural *fn)
{
    const cg_module *m = fn->module;

    ir_buf_str(b, "  \"kernels\": [");
    for (uint32_t i = 1; i < m->n_kernels; i++) {
        const cg_launch l = cg_launch_of(m->kernel[i]);

        ir_buf_str(b, i > 1 ? ",\n    {\"entry\": " : "\n    {\"entry\": ");
        cg_json_string(b, cg_ptx_name(b->arena, fn->name, m->kernel[i]->name));
        ir_buf_printf(b, ", \"grid\": %" PRId64 ", \"block\": %d, \"shared\": %" PRId64, l.grid,
                      l.block, l.shared);
        ir_buf_printf(b, ", \"dynamic\": %" PRId64 ", \"fails\": %s}", l.dynamic,
                      l.fails ? "true" : "false");
    }
    ir_buf_str(b, "],\n");
}

static void
print_function(ir_buf *b, const rt_plan *p, const cg_natural *fn, const rt_export *e)
{
    const rt_open *open = e->open ? *e->opened : NULL;
    const char *size[CG_MAX_SIZES];
    const cg_module *m = fn->module;
    int64_t flops, bytes;

    for (int i = 0; open && i < open->sizes->n; i++)
        size[i] = open->sizes->size[i].name;
    ir_buf_str(b, "{\n  \"name\": ");
    cg_json_string(b, fn->name);
    ir_buf_str(b, ",\n");
    print_arguments(b, p, e->graph, open, size);
    if (open) {
        ir_buf_str(b, "  ");
        rt_describe_open(
            b, &(rt_function){
                   .open = open, .size_name = size, .form = { &open->general }, .n_forms = 1 });
        ir_buf_printf(b, "  \"align\": %d,\n", CG_DEVICE_ALIGN);
    } else {
        cg_module_cost(m, &flops, &bytes);
        ir_buf_printf(b,
                      "  \"work_bytes\": %" PRId64 ", \"align\": %d, \"flops\": %" PRId64
                      ", \"moved\": %" PRId64 ",\n",
                      m->work_bytes, CG_DEVICE_ALIGN, flops, bytes);
    }
    print_kernels(b, fn);
    ir_buf_str(b, "  ");
    cg_host_print(b, m);
    ir_buf_str(b, "}");
}

static const char *
file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void
print_manifest(ir_buf *b, const char *path, const rt_plan *p, int n, const cg_natural *fn,
               const rt_export *e)
{
    ir_buf_printf(b, "{\"cotrace\": \"%s\", \"format\": 1, \"target\": \"%s\", \"module\": ",
                  COT_VERSION, p->target.cpu);
    cg_json_string(b, file_name(path));
    ir_buf_str(b, ", \"functions\": [");
    for (int i = 0; i < n; i++) {
        ir_buf_str(b, i ? ", " : "");
        print_function(b, p, &fn[i], &e[i]);
    }
    ir_buf_str(b, "]}\n");
}

static cot_status
check_foreign(const cg_module *m)
{
    if (!m->n_ext)
        return COT_OK;
    return ir_fail(m->ctx, m->ext[0]->loc, "custom_call", ERR_custom_ptx, m->ext[0]->name);
}

static cot_status
lower_all(cot_context *ctx, int n, const rt_export *e, const cot_compile_options *o,
          ir_arena *a, rt_plan *p, cg_natural *fn)
{
    for (int i = 0; i < n; i++) {
        rt_lowered low;

        COT_TRY(rt_plan_new(ctx, o, e[i].graph->name, p));
        fn[i] = (cg_natural){ .name = e[i].name ? ir_copy_string(a, e[i].name) : p->name,
                              .n_in = e[i].graph->n_in,
                              .n_out = e[i].graph->n_out - e[i].graph->n_inout };
        if (!rt_is_word(fn[i].name))
            return ir_fail(
                ctx, 0, NULL, ERR_usage,
                ir_format(a,
                          "'%s' is no name for entries of PTX: wants letters, digits "
                          "and _, no digit first",
                          fn[i].name));
        for (int k = 0; k < i; k++)
            if (strcmp(fn[k].name, fn[i].name) == 0)
                return ir_fail(ctx, 0, NULL, ERR_usage,
                               ir_format(a, "two functions are named %s", fn[i].name));
        if (e[i].open) {
            *e[i].opened = NULL;
            COT_TRY(rt_open_lower_file(ctx, e[i].open, e[i].sizes, p, a, e[i].opened));
            low.module = (*e[i].opened)->general.module;
        } else {
            COT_TRY(rt_lower(e[i].graph, p, a, &low));
        }
        COT_TRY(check_foreign(low.module));
        COT_TRY(cg_host_check(low.module));
        fn[i].module = low.module;
    }
    return COT_OK;
}

cot_compile_options
rt_ptx_options(cot_context *ctx, const cot_compile_options *o)
{
    cot_compile_options each = o ? *o : (cot_compile_options){ 0 };
    const char *target = ctx->config.target;

    each.backend = "cuda";
    each.target = NULL;
    if (!each.cpu)
        each.cpu =
            target && strncmp(target, "cuda:", 5) == 0
                ? ir_format(&ctx->arena, "%.*s", (int)strcspn(target + 5, ","), target + 5)
                : "sm_80";
    return each;
}

cot_status
rt_build_ptx(cot_context *ctx, int n, const rt_export *e, const cot_compile_options *o,
             const char *path, const char *header)
{
    const cot_compile_options each = rt_ptx_options(ctx, o);
    ir_arena *a = &ctx->arena;
    cg_natural *fn = IR_NEW_N(a, cg_natural, n + 1);
    const void *bytes;
    size_t size;
    rt_plan p;
    ir_buf b;

    if (header)
        return ir_fail(ctx, 0, NULL, ERR_usage,
                       "PTX has no C header; wants none named: its manifest is beside it");
    COT_TRY(lower_all(ctx, n, e, &each, a, &p, fn));
    COT_TRY(cg_llvm()->emit(ctx, &p.target, CG_TO_PTX, n, fn, a, &bytes, &size));
    COT_TRY(rt_file_save(ctx, path, bytes, size));
    ir_buf_init(&b, a);
    print_manifest(&b, path, &p, n, fn, e);
    return rt_file_save(ctx,
                        each.manifest ? each.manifest
                                      : ir_format(a, "%.*s.json", (int)strlen(path) - 4, path),
                        b.text, b.n);
}
