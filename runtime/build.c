/* Object files and C source.
 *
 * The output belongs to the user: functions that take plain pointers and one work block, whose
 * size is a constant of the header (header.c), and that need nothing else at run time.  Where
 * several processors are named, each function is lowered for each of them, and the object
 * selects a version on the first call. */
#include "runtime/build.h"

#include <stdio.h>
#include <sys/stat.h>

#include "frontend/fn.h"
#include "frontend/stablehlo/export/export.h"
#include "ir/diag.h"
#include "runtime/file.h"
#include "runtime/open/open.h"
#include "runtime/world.h"

static const char *
ending(const char *path)
{
    const char *slash = strrchr(path, '/');

    return strrchr(slash ? slash : path, '.');
}

static cot_status
form_of(cot_context *ctx, const char *path, cg_output *what, bool *archive)
{
    const char *dot = ending(path);

    *archive = dot && strcmp(dot, ".a") == 0;
    if (dot && (strcmp(dot, ".o") == 0 || *archive))
        *what = CG_TO_OBJECT;
    else if (dot && strcmp(dot, ".s") == 0)
        *what = CG_TO_ASM;
    else if (dot && strcmp(dot, ".ll") == 0)
        *what = CG_TO_LLVM;
    else if (dot && strcmp(dot, ".c") == 0)
        *what = CG_TO_C;
    else
        return ir_fail(
            ctx, 0, NULL, ERR_usage,
            ir_format(&ctx->arena,
                      "%s: wants a name that ends in .o, .a, .c, .s, .ll, .ptx or .mlir",
                      path));
    return COT_OK;
}

/* ---- lowering ---- */

/* Fails if a function of the file has the name of a function that it calls. */
static cot_status
check_foreign_names(cot_context *ctx, int n, const cg_natural *fn)
{
    for (int i = 0; i < n; i++)
        for (uint32_t k = 0; k < fn[i].module->n_ext; k++)
            for (int j = 0; j < n; j++) {
                const cg_extern *x = fn[i].module->ext[k];
                if (x->symbol && strcmp(x->symbol, fn[j].name) == 0)
                    return ir_fail(
                        ctx, x->loc, "custom_call", ERR_usage,
                        ir_format(&ctx->arena,
                                  "%s is a foreign function, and a function of the file; "
                                  "wants another name for the latter",
                                  x->symbol));
            }
    return COT_OK;
}

/* The state of one output: its functions in their first form, and its bytes. */
typedef struct output {
    int n;
    const rt_export *e;
    rt_plan p;
    cg_natural *fn;
    rt_function *described;
    rt_file_rows *rows; /* of the profile of each function; NULL: there is none */
    const void *bytes;
    size_t size;
} output;

/* The bodies of a function with open sizes for those of o->at. */
static cot_status
lower_fixed(cot_context *ctx, const rt_export *e, const cot_compile_options *o, rt_plan *p,
            ir_arena *a, cg_natural *fn, rt_file_rows *rows)
{
    const int64_t *size;
    cg_fixed *fixed;

    if (!o || !o->at)
        return COT_OK;
    COT_TRY(rt_open_at_read(ctx, e->sizes, o->at, &fn->n_fixed, &size));
    fn->fixed = fixed = IR_NEW_N(a, cg_fixed, fn->n_fixed + 1);
    for (int i = 0; i < fn->n_fixed; i++) {
        const cot_graph *f;
        rt_lowered low;

        fixed[i].size = size + (ptrdiff_t)i * e->sizes->n;
        COT_TRY(e->open->graph(e->open->user, a, fixed[i].size, &f));
        COT_TRY(rt_lower(f, p, a, &low));
        if (p->backend != cg_c())
            COT_TRY(cg_check_externs(low.module, "an object file"));
        if (rows)
            rt_profile_file(low.module, fn->name, rows, a);
        fixed[i].module = low.module;
    }
    return COT_OK;
}

/* Processes share the work of a function at least. */
static cot_status
check_spread(cot_context *ctx, const output *out, const cg_natural *fn)
{
    bool any = out->p.counts.n == 0;

    for (int i = 0; i < out->n; i++)
        any |= fn[i].comm;
    return any ? COT_OK
               : ir_fail(ctx, 0, out->e[0].graph->name, ERR_usage,
                         "has no axis that is spread over processes (.over, over=world); "
                         "processes can share nothing of it");
}

/* The function for the numbers of processes that are asked for. */
static cot_status
lower_for_processes(cot_context *ctx, const rt_export *e, const cot_compile_options *o,
                    rt_plan *p, ir_arena *a, cg_natural *fn, rt_lowered *low)
{
    const ir_ints none = { 0, NULL }, spread = p->spread, results = p->spread_results;

    COT_TRY(rt_world_counts(ctx, o ? o->processes : NULL, &p->counts));
    const ir_ints counts = p->counts;
    if (counts.n) /* what one process runs has nothing that is spread */
        p->counts = p->spread = p->spread_results = none;
    COT_TRY(rt_lower(e->graph, p, a, low));
    fn->alone = low->module;
    p->counts = counts;
    p->spread = spread;
    p->spread_results = results;
    if (p->counts.n)
        COT_TRY(rt_lower(e->graph, p, a, low));
    fn->comm = low->comm;
    return COT_OK;
}

/* Lower the functions for one processor or width. */
static cot_status
lower_exports(cot_context *ctx, output *out, const cot_compile_options *o, ir_arena *a,
              cg_natural *fn)
{
    const rt_export *e = out->e;
    const int n = out->n;
    rt_plan *p = &out->p;

    for (int i = 0; i < n; i++) {
        rt_lowered low;

        COT_TRY(rt_plan_new(ctx, o, e[i].graph->name, p));
        if (!p->backend)
            return ir_fail(ctx, 0, NULL, ERR_target,
                           "object files need the back end jit, and a build with LLVM");
        fn[i].name = e[i].name ? ir_copy_string(a, e[i].name) : p->name;
        if (!rt_is_c_name(fn[i].name))
            return ir_fail(ctx, 0, NULL, ERR_usage,
                           ir_format(a,
                                     "'%s' is no name for a C function: %s; give one by .name, "
                                     "or in cot build by "
                                     "--name NAME or --export NAME=...",
                                     fn[i].name,
                                     rt_is_word(fn[i].name)
                                         ? "C, C++ or their libraries have it"
                                         : "wants letters, digits and _, no digit first"));
        for (int k = 0; k < i; k++)
            if (strcmp(fn[k].name, fn[i].name) == 0)
                return ir_fail(ctx, 0, NULL, ERR_usage,
                               ir_format(a, "two functions are named %s", fn[i].name));
        if (e[i].open) {
            COT_TRY(rt_open_lower_file(ctx, e[i].open, e[i].sizes, p, a, e[i].opened));
            fn[i].open = &(*e[i].opened)->general;
            low.module = fn[i].open->module;
            COT_TRY(lower_fixed(ctx, &e[i], o, p, a, &fn[i],
                                out->rows ? &out->rows[i] : NULL));
        } else {
            COT_TRY(lower_for_processes(ctx, &e[i], o, p, a, &fn[i], &low));
        }
        if (p->backend != cg_c())
            COT_TRY(cg_check_externs(low.module, "an object file"));
        if (out->rows)
            rt_profile_file(low.module, fn[i].name, &out->rows[i], a);
        fn[i].module = low.module;
    }
    COT_TRY(check_spread(ctx, out, fn));
    return check_foreign_names(ctx, n, fn);
}

/* The same functions in several forms get one work block and one signature. */
static void
join_forms(int n_forms, const cg_version *v, int n)
{
    for (int i = 0; i < n; i++) {
        cg_module *most = (cg_module *)(uintptr_t)v[0].fn[i].module;

        for (int k = 0; k < n_forms; k++)
            for (int j = 0; j < v[k].fn[i].n_fixed; j++)
                most->parallel |= v[k].fn[i].fixed[j].module->parallel;
        for (int k = 1; k < n_forms; k++) {
            const cg_module *m = v[k].fn[i].module;
            most->work_bytes =
                m->work_bytes > most->work_bytes ? m->work_bytes : most->work_bytes;
            most->work_align =
                m->work_align > most->work_align ? m->work_align : most->work_align;
            most->parallel |= m->parallel;
        }
        for (int k = 1; k < n_forms; k++)
            ((cg_module *)(uintptr_t)v[k].fn[i].module)->parallel = most->parallel;
    }
}

/* ---- processors ---- */

enum { MAX_VERSIONS = RT_MAX_FORMS };

/* Splits "x86-64-v2,x86-64-v3" into names; returns 1 if it is not a list. */
static int
split_cpus(cot_context *ctx, const char *list, const char **cpu)
{
    int n = 0;

    cpu[n++] = list ? ir_copy_string(&ctx->arena, list) : NULL;
    for (char *s = (char *)(uintptr_t)cpu[0]; s && (s = strchr(s, ',')) != NULL;) {
        *s++ = '\0';
        if (n == MAX_VERSIONS)
            return n + 1;
        cpu[n++] = s;
    }
    return n;
}

/* The names of a list, none of which may be empty. */
static cot_status
find_cpus(cot_context *ctx, const char *list, const char **cpu, int *n)
{
    *n = split_cpus(ctx, list, cpu);
    if (*n > MAX_VERSIONS)
        return ir_fail(ctx, 0, NULL, ERR_usage,
                       "more than 8 processors are named for one object");
    for (int k = 0; k < *n; k++)
        if (cpu[k] && !*cpu[k])
            return ir_fail(
                ctx, 0, NULL, ERR_usage,
                ir_format(&ctx->arena,
                          "the processors are '%s'; wants names, and commas between them",
                          list));
    return COT_OK;
}

/* ---- C source ---- */

/* The bytes of work of a function's bodies for some sizes: those of the form that has most. */
static void
describe_fixed(cot_context *ctx, const cg_natural *of, rt_function *fn)
{
    if (!fn->fixed_work)
        fn->fixed_work = IR_NEW_N(&ctx->arena, int64_t, of->n_fixed + 1);
    fn->n_fixed = of->n_fixed;
    fn->fixed = of->fixed;
    for (int i = 0; i < of->n_fixed; i++)
        if (of->fixed[i].module->work_bytes > fn->fixed_work[i])
            fn->fixed_work[i] = of->fixed[i].module->work_bytes;
}

/* Name the parameters of all forms, and describe the functions by the first. */
static void
describe_forms(cot_context *ctx, int n, const cg_version *v, output *out)
{
    for (int k = n; k-- > 0;)
        out->described = rt_functions(&ctx->arena, &out->p, out->n, out->e,
                                      (cg_natural *)(uintptr_t)v[k].fn);
    for (int i = 0; i < out->n; i++) {
        rt_function *fn = &out->described[i];

        fn->rows = out->rows ? &out->rows[i] : NULL;
        for (int k = 0; k < n && fn->open; k++) {
            fn->form[fn->n_forms++] = v[k].fn[i].open;
            describe_fixed(ctx, &v[k].fn[i], fn);
        }
    }
}

static cot_status
write_c_forms(cot_context *ctx, int n, const cg_c_width *w, output *out)
{
    cg_version form[MAX_VERSIONS] = { 0 };

    for (int k = 0; k < n; k++)
        form[k].fn = w[k].fn;
    join_forms(n, form, out->n);
    describe_forms(ctx, n, form, out);
    return cg_c_write(ctx, n, w, out->n, false, &ctx->arena, &out->bytes, &out->size);
}

static cot_status
lower_form(cot_context *ctx, const cot_compile_options *o, int lanes, int level, output *out,
           cg_c_width *w)
{
    cg_natural *to = IR_NEW_N(&ctx->arena, cg_natural, out->n + 1);
    cot_compile_options each = *o;

    each.vector_bits = 32 * lanes;
    *w = (cg_c_width){ lanes, to, level };
    return lower_exports(ctx, out, &each, &ctx->arena, to);
}

/* Writes the functions for each level of x86-64 that is named. */
static cot_status
write_c_levels(cot_context *ctx, const cot_compile_options *o, output *out)
{
    cot_compile_options each = *o;
    const char *cpu[MAX_VERSIONS];
    cg_c_width w[MAX_VERSIONS];
    int n, n_levels = 0;

    COT_TRY(find_cpus(ctx, o->cpu, cpu, &n));
    each.cpu = NULL;
    for (int k = 0; k < n; k++)
        if (!cg_c_x86_level(cpu[k]))
            return ir_fail(ctx, 0, NULL, ERR_target,
                           ir_format(&ctx->arena,
                                     "the processor is '%s'; C source for named processors "
                                     "wants x86-64, x86-64-v2, x86-64-v3, x86-64-v4",
                                     cpu[k]));
    for (int level = 1; level <= 4; level++)
        for (int k = 0; k < n; k++) {
            if (cg_c_x86_level(cpu[k]) != level)
                continue;
            if (n_levels > 0 && w[n_levels - 1].level == level)
                return ir_fail(
                    ctx, 0, NULL, ERR_target,
                    ir_format(&ctx->arena, "the processor '%s' is named twice", cpu[k]));
            COT_TRY(lower_form(ctx, &each, cg_c_x86_lanes(level), level, out, &w[n_levels++]));
        }
    return write_c_forms(ctx, n_levels, w, out);
}

/* Writes the functions for each width that a compiler may select; with vector_bits, for that
 * width and for scalars. */
static cot_status
write_c(cot_context *ctx, const cot_compile_options *o, output *out)
{
    enum { WIDTHS = 4 };
    static const int lanes[WIDTHS] = { 1, 4, 8, 16 };
    cot_compile_options each = o ? *o : (cot_compile_options){ 0 };
    const int asked = each.vector_bits;
    cg_c_width w[WIDTHS];
    int n_widths = 0;

    each.backend = "c";
    if (each.cpu)
        return write_c_levels(ctx, &each, out);
    for (int k = 0; k < WIDTHS; k++)
        if (!asked || lanes[k] == 1 || lanes[k] * 32 == asked)
            COT_TRY(lower_form(ctx, &each, lanes[k], 0, out, &w[n_widths++]));
    return write_c_forms(ctx, n_widths, w, out);
}

/* ---- objects ---- */

static cot_status
write_native(cot_context *ctx, const cot_compile_options *o, cg_output what, output *out)
{
    cot_compile_options each = o ? *o : (cot_compile_options){ 0 };
    const char *cpu[MAX_VERSIONS];
    cg_version v[MAX_VERSIONS];
    int n_cpus;

    if (!each.backend && cg_llvm())
        /* an object is for processors, whatever the context's target is */
        each.backend = "jit";
    COT_TRY(find_cpus(ctx, each.cpu, cpu, &n_cpus));
    for (int k = n_cpus; k-- > 0;) {
        cg_natural *fn = IR_NEW_N(&ctx->arena, cg_natural, out->n + 1);

        each.cpu = cpu[k];
        COT_TRY(lower_exports(ctx, out, &each, &ctx->arena, fn));
        if (out->p.backend->name_target)
            COT_TRY(out->p.backend->name_target(ctx, &out->p.target));
        v[k] = (cg_version){ out->p.target, fn };
    }
    if (!out->p.backend->emit_versions)
        return ir_fail(ctx, 0, NULL, ERR_target,
                       "object files need the back end jit, and a build with LLVM");
    join_forms(n_cpus, v, out->n);
    describe_forms(ctx, n_cpus, v, out);
    out->fn = (cg_natural *)(uintptr_t)v[0].fn;
    return out->p.backend->emit_versions(ctx, n_cpus, v, what, out->n, &ctx->arena, &out->bytes,
                                         &out->size);
}

/* ---- all formats ---- */

static cot_status
write_text(cot_context *ctx, const char *path, const ir_buf *b)
{
    return rt_file_save(ctx, path, b->text, b->n);
}

static cot_status
describe(cot_context *ctx, const output *out, const cot_compile_options *o, const char *path,
         const char *header)
{
    ir_buf b;

    if (header) {
        ir_buf_init(&b, &ctx->arena);
        rt_print_header(&b, header, &out->p, out->n, out->described);
        COT_TRY(write_text(ctx, header, &b));
    }
    if (o && o->manifest) {
        ir_buf_init(&b, &ctx->arena);
        rt_print_manifest(&b, path, &out->p, o, out->n, out->described);
        COT_TRY(write_text(ctx, o->manifest, &b));
    }
    return COT_OK;
}

/* ---- StableHLO ---- */

static bool
is_mlir(const char *path)
{
    const char *dot = ending(path);

    return dot && strcmp(dot, ".mlir") == 0;
}

static cot_status
write_mlir(cot_context *ctx, int n, const rt_export *e, const char *path, const char *header,
           const char *manifest)
{
    ir_buf text;

    if (n != 1 || header || manifest)
        return ir_fail(ctx, 0, NULL, ERR_usage,
                       ir_format(&ctx->arena,
                                 "%s: wants one function, and neither header nor manifest",
                                 path));
    ir_buf_init(&text, &ctx->arena);
    COT_TRY(fe_hlo_export(e[0].graph, &ctx->arena, &text));
    return rt_file_save(ctx, path, text.text, text.n);
}

/* Identifies a file that may not exist: by its own numbers, or by those of its folder and its
 * name. */
static const char *
identity(const char *path, struct stat *s)
{
    const char *slash = strrchr(path, '/');
    char folder[4096];

    if (stat(path, s) == 0)
        return "";
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    return stat(folder, s) == 0 ? slash ? slash + 1 : path : NULL;
}

bool
rt_is_same_file(const char *a, const char *b)
{
    struct stat s, t;
    const char *x = a ? identity(a, &s) : NULL, *y = b ? identity(b, &t) : NULL;

    return x && y && strcmp(x, y) == 0 && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

static cot_status
check_paths(cot_context *ctx, const char *path, const char *header, const char *manifest)
{
    const char *twice = rt_is_same_file(path, header) || rt_is_same_file(header, manifest)
                            ? header
                        : rt_is_same_file(path, manifest) ? path
                                                          : NULL;

    return twice ? ir_fail(ctx, 0, NULL, ERR_usage,
                           ir_format(&ctx->arena, "%s: is named for two outputs", twice))
                 : COT_OK;
}

/* The code is written last: if it exists, so do the other files. */
cot_status
rt_build(cot_context *ctx, int n, const rt_export *e, const cot_compile_options *o,
         const char *path, const char *header)
{
    cg_output what = CG_TO_OBJECT;
    output out = { .n = n, .e = e };
    bool archive;
    ir_buf b;

    if (n < 1)
        return ir_fail(ctx, 0, NULL, ERR_usage, "no function is named; wants one or more");
    COT_TRY(check_paths(ctx, path, header, o ? o->manifest : NULL));
    for (int i = 0; i < n; i++)
        if (o && o->at && !e[i].open)
            return ir_fail(ctx, 0, e[i].graph->name, ERR_usage,
                           "has no open size, for which .at, or --at, could give numbers");
    for (int i = 0; i < n; i++)
        if (e[i].open && ((o && o->at && rt_is_ptx(path)) || is_mlir(path) || e[i].n_res))
            return ir_fail(ctx, e[i].open->loc, e[i].graph->name, ERR_sizes_open,
                           e[i].n_res ? "halves pass residuals of fixed sizes"
                           : is_mlir(path)
                               ? "wants a file of objects, of C source or of PTX"
                               : "files of PTX have no bodies for some sizes alone, which .at, "
                                 "or --at, asks for");
    for (int i = 0; i < n; i++)
        if (o && o->processes && (e[i].open || rt_is_ptx(path) || is_mlir(path)))
            return ir_fail(ctx, 0, e[i].graph->name, ERR_usage,
                           e[i].open ? "has open sizes; wants fixed ones where .processes, or "
                                       "--processes, is given"
                                     : ir_format(&ctx->arena,
                                                 "%s: only objects and C source are shared by "
                                                 "processes",
                                                 path));
    if (o && o->profile && (rt_is_ptx(path) || is_mlir(path)))
        return ir_fail(
            ctx, 0, NULL, ERR_usage,
            ir_format(&ctx->arena, "%s: only objects and C source have a profile", path));
    if (o && o->profile)
        out.rows = IR_NEW_N(&ctx->arena, rt_file_rows, n);
    if (rt_is_ptx(path))
        return rt_build_ptx(ctx, n, e, o, path, header);
    if (is_mlir(path))
        return write_mlir(ctx, n, e, path, header, o ? o->manifest : NULL);
    COT_TRY(form_of(ctx, path, &what, &archive));
    COT_TRY(what == CG_TO_C ? write_c(ctx, o, &out) : write_native(ctx, o, what, &out));
    if (archive) {
        ir_buf_init(&b, &ctx->arena);
        rt_print_archive(&b, n, out.fn, out.bytes, out.size);
        out.bytes = b.text;
        out.size = b.n;
    }
    COT_TRY(describe(ctx, &out, o, path, header));
    return rt_file_save(ctx, path, out.bytes, out.size);
}

/* ---- public ---- */

typedef struct build_call {
    const cot_export *exports;
    int n;
    const cot_compile_options *options;
    const char *object, *header;
} build_call;

static cot_status
build_body(cot_context *ctx, void *arg)
{
    const build_call *c = arg;
    if (!c->object || c->n < 1 || !c->exports)
        return ir_fail(ctx, 0, NULL, ERR_usage,
                       !c->object ? "the path of the file is NULL; wants one"
                                  : "no function is named; wants one or more");
    rt_export *e = IR_NEW_N(&ctx->arena, rt_export, c->n + 1);

    for (int i = 0; i < c->n; i++) {
        if (!c->exports[i].fn)
            return ir_fail(ctx, 0, NULL, ERR_usage,
                           ir_format(&ctx->arena, "export %d: the function is NULL", i));
        if (c->exports[i].fn->ctx != ctx)
            return ir_fail(ctx, 0, NULL, ERR_fn_context, c->exports[i].fn->name);
        COT_TRY(cot_trace_fn(c->exports[i].fn, c->exports[i].types, &e[i].graph));
        e[i].n_res = fe_count_residuals(c->exports[i].fn, e[i].graph);
        if (c->exports[i].fn->open) {
            COT_TRY(rt_open_source_of(c->exports[i].fn, c->exports[i].types, &ctx->arena,
                                      &e[i].open, &e[i].sizes));
            e[i].opened = IR_NEW(&ctx->arena, struct rt_open *);
        }
        /* Otherwise the plan's name, which .name of the options sets. */
        e[i].name = c->exports[i].name;
    }
    return rt_build(ctx, c->n, e, c->options, c->object, c->header);
}

cot_status
cot_build_object(cot_context *ctx, const cot_export *exports, int n,
                 const cot_compile_options *options, const char *object, const char *header)
{
    build_call c = { exports, n, options, object, header };

    return rt_guard(ctx, build_body, &c);
}
