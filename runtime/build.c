/* Object files and C source, and the C header that describes them.
 *
 * What is written is the user's: functions that take plain pointers and one work block whose size is
 * a constant of the header, and need nothing else at run time.  The header is C99 and C++. */
#include "runtime/build.h"

#include <errno.h>

#include "frontend/fn.h"
#include "ir/diag.h"

/* ---- names ---- */

/* A parameter's C name from a value's name: a word of its own, unlike those before it. */
static const char *
parameter_name(ir_arena *a, const char *from, const char *otherwise, const char **taken, int n)
{
    char *name = ir_copy_string(a, from ? from : otherwise);
    const char *base;

    for (char *c = name; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9')))
            *c = '_';
    if ((*name >= '0' && *name <= '9') || cg_c_is_word(name) || !*name)
        name = ir_format(a, "%s_",
                         *name >= '0' && *name <= '9' ? ir_format(a, "x%s", name) : name);
    base = name;
    for (int k = 2, i = 0; i < n; i++) {
        if (strcmp(taken[i], name) != 0)
            continue;
        name = ir_format(a, "%s_%d", base, k++);
        i = -1;
    }
    return name;
}

static const char *const *
parameter_names(ir_arena *a, const ir_graph *f)
{
    const int own = f->n_out - f->n_inout;
    const char **name = IR_NEW_N(a, const char *, f->n_in + own + 1);

    for (int i = 0; i < f->n_in; i++)
        name[i] = parameter_name(a, f->in_name[i], ir_format(a, "arg%d", i), name, i);
    for (int i = 0; i < own; i++)
        name[f->n_in + i] = parameter_name(a, f->out_name ? f->out_name[i] : NULL,
                                           ir_format(a, "out%d", i), name, f->n_in + i);
    return name;
}

static bool
is_c_name(const char *s)
{
    if (!*s || (*s >= '0' && *s <= '9') || cg_c_is_word(s))
        return false;
    for (; *s; s++)
        if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
              (*s >= '0' && *s <= '9') || *s == '_'))
            return false;
    return true;
}

/* ---- the header ---- */

static const char *const c_types[COT_DTYPE_COUNT] = {
    [COT_BOOL] = "uint8_t", [COT_I8] = "int8_t",     [COT_I16] = "int16_t",
    [COT_I32] = "int32_t",  [COT_I64] = "int64_t",   [COT_U8] = "uint8_t",
    [COT_U16] = "uint16_t", [COT_U32] = "uint32_t",  [COT_U64] = "uint64_t",
    [COT_F16] = "uint16_t", [COT_BF16] = "uint16_t", [COT_F32] = "float",
    [COT_F64] = "double",  [COT_C64] = "float",   [COT_C128] = "double",
};

static const char *
upper(ir_arena *a, const char *s)
{
    char *out = ir_copy_string(a, s);

    for (char *c = out; *c; c++)
        if (*c >= 'a' && *c <= 'z')
            *c = (char)(*c - 'a' + 'A');
        else if (!((*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9')))
            *c = '_';
    return out;
}

/* How argument i is used besides reading. */
static const char *
use_of(const rt_plan *p, const ir_graph *f, int i)
{
    for (int k = 0; k < f->n_inout; k++)
        if (f->inout[k].arg == i)
            return "inout ";
    return ir_ints_has(p->donated, i) ? "donated " : "";
}

/* "const float *" for each argument and result. */
static const char *const *
parameter_types(ir_arena *a, const rt_plan *p, const ir_graph *f)
{
    const int own = f->n_out - f->n_inout;
    const char **type = IR_NEW_N(a, const char *, f->n_in + own + 1);

    for (int i = 0; i < f->n_in + own; i++) {
        const ir_type *t = ir_type_at(f, i < f->n_in ? f->in[i] : f->out[i - f->n_in]);

        type[i] = i < f->n_in && f->hidden[i].kind == IR_HIDDEN_KEY
                      ? "const uint64_t *"
                      : ir_format(a, "%s%s *", i < f->n_in && !*use_of(p, f, i) ? "const " : "", c_types[t->dtype]);
    }
    return type;
}

static void
print_costs(ir_buf *b, const cg_module *m)
{
    int64_t flops = 0, bytes = 0;

    for (uint32_t i = 0; i < m->n_kernels; i++) {
        flops += m->kernel[i]->flops;
        bytes += m->kernel[i]->bytes;
    }
    ir_buf_printf(b, "\n * About %lld flops; %lld bytes moved. */", (long long)flops, (long long)bytes);
}

static void
print_prototype(ir_buf *b, const rt_plan *p, const cg_natural *fn, const ir_graph *f)
{
    const char *big = upper(b->arena, fn->name);

    ir_buf_printf(b, "\n/* %s(", fn->name);
    for (int i = 0; i < f->n_in; i++) {
        static const char *const hidden[] = { "", "captured ", "generator " };

        ir_buf_printf(b, "%s%s%s: %s", i ? ", " : "", hidden[f->hidden[i].kind], fn->arg_name[i],
                      use_of(p, f, i));
        ir_type_print(b, ir_type_at(f, f->in[i]));
    }
    ir_buf_str(b, ") -> (");
    for (int i = 0; i < fn->n_out; i++) {
        ir_buf_printf(b, "%s%s: ", i ? ", " : "", fn->arg_name[f->n_in + i]);
        ir_type_print(b, ir_type_at(f, f->out[i]));
    }
    ir_buf_str(b, ")");
    print_costs(b, fn->module);
    ir_buf_printf(b, "\n#define %s_WORK_BYTES %lld\n", big,
                  (long long)fn->module->work_bytes);
    ir_buf_printf(b, "#define %s_WORK_ALIGN %d\n", big,
                  fn->module->work_align > 0 ? fn->module->work_align : 1);
    ir_buf_printf(b, "int %s(", fn->name);
    for (int i = 0; i < f->n_in + fn->n_out; i++) {
        if (i < f->n_in && f->hidden[i].kind == IR_HIDDEN_KEY)
            ir_buf_printf(b, "const uint64_t %s[2], ", fn->arg_name[i]);
        else
            ir_buf_printf(b, "%s%s, ", fn->arg_type[i], fn->arg_name[i]);
    }
    ir_buf_printf(b, "%svoid *work);\n",
                  fn->module->parallel ? "const struct cot_parallel *pool, " : "");
}

/* What the first of two halves hands to the second, in one block: its size, and its parts as a list of
 * arguments for both. */
static void
print_residuals(ir_buf *b, const cg_natural *fn, const rt_export *e)
{
    enum { APART = 64 };
    const char *big = upper(b->arena, fn->name);
    const ir_graph *f = e->graph;
    long long at = 0;

    if (e->n_res == 0)
        return;
    ir_buf_printf(b, "#define %s_RES(block)", big);
    for (int i = f->n_out - e->n_res; i < f->n_out; i++) {
        const ir_type *t = ir_type_at(f, f->out[i]);

        ir_buf_printf(b, "%s \\\n    (%s *)((char *)(block) + %lld)", at ? "," : "", c_types[t->dtype], at);
        at += ((long long)t->size * (long long)cot_dtype_size(t->dtype) / APART + 1) * APART;
    }
    ir_buf_printf(b, "\n#define %s_RES_BYTES %lld\n#define %s_RES_ALIGN %d\n", big, at, big, APART);
}

/* What the linker must find: the prototypes of foreign functions, each once. */
static void
print_externs(ir_buf *b, int n, const cg_natural *fn)
{
    const char **seen = NULL;
    uint32_t n_seen = 0, cap = 0;

    for (int i = 0; i < n; i++)
        for (uint32_t j = 0; j < fn[i].module->n_ext; j++) {
            const char *p = fn[i].module->ext[j]->prototype;
            bool old = false;

            for (uint32_t k = 0; k < n_seen; k++)
                old |= strcmp(seen[k], p) == 0;
            if (old)
                continue;
            ir_buf_printf(b, n_seen ? "%s\n" : "\n/* Foreign functions: yours to link. */\n%s\n", p);
            IR_PUSH(b->arena, seen, n_seen, cap, p);
        }
}

static const char *
file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void
print_header(ir_buf *b, const char *path, const rt_plan *p, int n, const cg_natural *fn,
             const rt_export *e)
{
    const char *guard = upper(b->arena, file_name(path));
    bool parallel = false, inout = false, foreign = false;

    for (int i = 0; i < n; i++) {
        parallel |= fn[i].module->parallel;
        inout |= e[i].graph->n_inout > 0;
        foreign |= fn[i].module->n_ext > 0;
    }
    ir_buf_printf(
        b, "/* %s: written by Cotrace %s.  This file belongs to you: use it as you like.\n *\n",
        file_name(path), COT_VERSION);
    ir_buf_str(b, " * Arrays are dense, row-major and aligned to their element; no array "
                  "overlaps one that is written.\n"
                  " * f16, bf16 are bits in uint16_t; bool is one byte, 0 or 1; c64, c128 are pairs of float, double, the\n"
                  " * real part first, as float _Complex and std::complex<float>.  work has "
                  "NAME_WORK_BYTES bytes aligned\n"
                  " * to NAME_WORK_ALIGN, and may be NULL if that is 0 bytes.  The answer is "
                  "0; or a number\n");
    ir_buf_printf(b,
                  " * of cotrace/base.h, as %d where a loop passed its bound or %d where a "
                  "foreign function failed: then\n * no result is defined.%s%s */\n",
                  COT_ERR_BOUND, COT_ERR_FOREIGN,
                  inout ? "\n * An argument marked inout is updated: it holds its new value after the call." : "",
                  p->donated.n > 0 ? "\n * An argument marked donated holds nothing defined after the call; each "
                                     "result, in order, may be the\n * array of the first of them of its type "
                                     "that no result before it has."
                                   : "");
    ir_buf_printf(b, "#ifndef %s\n#define %s\n\n#include <stdint.h>\n\n", guard, guard);
    ir_buf_str(b, foreign ? "#include <stdbool.h>\n#include <stddef.h>\n" : "");
    ir_buf_str(b, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    print_externs(b, n, fn);
    if (parallel)
        ir_buf_str(b, "\n/* A parallel-for: cotrace/pool.h and libcotrace_rt.a have one; NULL "
                      "runs in the calling thread. */\n"
                      "struct cot_parallel;\n");
    for (int i = 0; i < n; i++) {
        print_prototype(b, p, &fn[i], e[i].graph);
        print_residuals(b, &fn[i], &e[i]);
    }
    ir_buf_str(b, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}

/* ---- archives ---- */

static void
add_member(ir_buf *b, const char *name, size_t bytes)
{
    char head[96];

    snprintf(head, sizeof head, "%-16s%-12d%-6d%-6d%-8s%-10zu`\n", name, 0, 0, 0, "644", bytes);
    ir_buf_add(b, head, 60);
}

static void
add_big_endian(ir_buf *b, size_t x)
{
    const char bytes[4] = { (char)(x >> 24), (char)(x >> 16), (char)(x >> 8), (char)x };

    ir_buf_add(b, bytes, 4);
}

/* ar's format, as System V has it: an index of names, then the one member. */
static void
print_archive(ir_buf *b, int n, const cg_natural *fn, const void *object, size_t bytes)
{
    size_t names = 0, index;

    for (int i = 0; i < n; i++)
        names += strlen(fn[i].name) + 1;
    index = 4 + 4 * (size_t)n + names;
    ir_buf_str(b, "!<arch>\n");
    add_member(b, "/", index + (index & 1));
    add_big_endian(b, (size_t)n);
    for (int i = 0; i < n; i++)
        add_big_endian(b, 8 + 60 + index + (index & 1));
    for (int i = 0; i < n; i++)
        ir_buf_add(b, fn[i].name, strlen(fn[i].name) + 1);
    if (index & 1)
        ir_buf_add(b, "", 1);
    add_member(b, "functions.o/", bytes);
    ir_buf_add(b, object, bytes);
    if (bytes & 1)
        ir_buf_str(b, "\n");
}

/* ---- files ---- */

static cot_status
write_file(cot_context *ctx, const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");
    bool good = file && fwrite(bytes, 1, n, file) == n;

    if (file)
        good &= fclose(file) == 0;
    return good ? COT_OK : ir_fail(ctx, 0, NULL, ERR_io, path, strerror(errno));
}

static cot_status
form_of(cot_context *ctx, const char *path, cg_output *what, bool *archive)
{
    const char *dot = strrchr(file_name(path), '.');

    *archive = dot && strcmp(dot, ".a") == 0;
    if (dot && (strcmp(dot, ".o") == 0 || *archive))
        *what = CG_TO_OBJECT;
    else if (dot && strcmp(dot, ".s") == 0)
        *what = CG_TO_ASM;
    else if (dot && strcmp(dot, ".ll") == 0)
        *what = CG_TO_LLVM;
    else if (dot && strcmp(dot, ".c") == 0)
        *what = CG_TO_C;
    else if (dot && strcmp(dot, ".mlir") == 0)
        return ir_fail(ctx, 0, NULL, ERR_usage,
                       ir_format(&ctx->arena,
                                 "%s: writing %s is not built in; wants .o, .a, .c, .s, .ll or .ptx",
                                 path, dot));
    else
        return ir_fail(
            ctx, 0, NULL, ERR_usage,
            ir_format(&ctx->arena, "%s: wants a name that ends in .o, .a, .c, .s, .ll or .ptx", path));
    return COT_OK;
}

/* Lower the functions; each then needs the work block that any of its forms needs. */
static cot_status
lower_exports(cot_context *ctx, int n, const rt_export *e, const cot_compile_options *o,
              ir_arena *a, rt_plan *p, cg_natural *fn)
{
    for (int i = 0; i < n; i++) {
        rt_lowered low;

        COT_TRY(rt_plan_new(ctx, o, e[i].graph->name, p));
        if (!p->backend)
            return ir_fail(ctx, 0, NULL, ERR_target,
                           "object files need the back end jit, and a build with LLVM");
        fn[i].name = e[i].name ? ir_copy_string(a, e[i].name) : p->name;
        if (!is_c_name(fn[i].name))
            return ir_fail(ctx, 0, NULL, ERR_usage,
                           ir_format(a, "'%s' is no name for a C function", fn[i].name));
        for (int k = 0; k < i; k++)
            if (strcmp(fn[k].name, fn[i].name) == 0)
                return ir_fail(ctx, 0, NULL, ERR_usage,
                               ir_format(a, "two functions are named %s", fn[i].name));
        COT_TRY(rt_lower(e[i].graph, p, a, &low));
        if (p->backend != cg_c())
            COT_TRY(cg_check_externs(low.module, "an object file"));
        fn[i].module = low.module;
        fn[i].n_in = e[i].graph->n_in;
        fn[i].n_out = e[i].graph->n_out - e[i].graph->n_inout;
        fn[i].arg_name = parameter_names(a, e[i].graph);
        fn[i].arg_type = parameter_types(a, p, e[i].graph);
    }
    return COT_OK;
}

/* ---- C source ---- */

enum { C_WIDTHS = 4 };

/* One work block serves all widths. */
static void
join_work(int n_widths, cg_c_width *w, cg_module *const *module, int n)
{
    for (int i = 0; i < n; i++) {
        cg_module *most = module[i];

        for (int k = 0; k < n_widths; k++) {
            const cg_module *m = w[k].fn[i].module;
            most->work_bytes = m->work_bytes > most->work_bytes ? m->work_bytes : most->work_bytes;
            most->work_align = m->work_align > most->work_align ? m->work_align : most->work_align;
        }
    }
}

/* The functions for each width that a compiler may choose; with vector_bits, for that and for
 * scalars.  fn: the first width's. */
static cot_status
write_c(cot_context *ctx, int n, const rt_export *e, const cot_compile_options *o, rt_plan *p,
        cg_natural *fn, const void **bytes, size_t *size)
{
    static const int lanes[C_WIDTHS] = { 1, 4, 8, 16 };
    cot_compile_options each = o ? *o : (cot_compile_options){ 0 };
    const int asked = each.vector_bits;
    cg_module **first = IR_NEW_N(&ctx->arena, cg_module *, n + 1);
    cg_c_width w[C_WIDTHS];
    int n_widths = 0;

    each.backend = "c";
    for (int k = 0; k < C_WIDTHS; k++) {
        cg_natural *to = k == 0 ? fn : IR_NEW_N(&ctx->arena, cg_natural, n + 1);

        if (asked && lanes[k] > 1 && lanes[k] * 32 != asked)
            continue;
        each.vector_bits = 32 * lanes[k];
        COT_TRY(lower_exports(ctx, n, e, &each, &ctx->arena, p, to));
        w[n_widths++] = (cg_c_width){ lanes[k], to };
    }
    for (int i = 0; i < n; i++)
        first[i] = (cg_module *)(uintptr_t)fn[i].module;
    join_work(n_widths, w, first, n);
    return cg_c_write(ctx, n_widths, w, n, false, &ctx->arena, bytes, size);
}

cot_status
rt_build(cot_context *ctx, int n, const rt_export *e, const cot_compile_options *o,
         const char *path, const char *header)
{
    cg_natural *fn = IR_NEW_N(&ctx->arena, cg_natural, n + 1);
    ir_arena *a = &ctx->arena;
    const void *bytes;
    bool archive;
    cg_output what = CG_TO_OBJECT;
    size_t size;
    rt_plan p;
    ir_buf b;

    if (n < 1)
        return ir_fail(ctx, 0, NULL, ERR_usage, "no function is named; wants one or more");
    if (rt_is_ptx(path))
        return rt_build_ptx(ctx, n, e, o, path, header);
    COT_TRY(form_of(ctx, path, &what, &archive));
    if (what == CG_TO_C)
        COT_TRY(write_c(ctx, n, e, o, &p, fn, &bytes, &size));
    else {
        COT_TRY(lower_exports(ctx, n, e, o, a, &p, fn));
        COT_TRY(p.backend->emit(ctx, &p.target, what, n, fn, a, &bytes, &size));
    }
    if (archive) {
        ir_buf_init(&b, a);
        print_archive(&b, n, fn, bytes, size);
        bytes = b.text;
        size = b.n;
    }
    COT_TRY(write_file(ctx, path, bytes, size));
    if (!header)
        return COT_OK;
    ir_buf_init(&b, a);
    print_header(&b, header, &p, n, fn, e);
    return write_file(ctx, header, b.text, b.n);
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
    rt_export *e = IR_NEW_N(&ctx->arena, rt_export, c->n + 1);

    for (int i = 0; i < c->n; i++) {
        COT_TRY(cot_trace_fn(c->exports[i].fn, c->exports[i].types, &e[i].graph));
        e[i].n_res = fe_count_residuals(c->exports[i].fn, e[i].graph);
        e[i].name = c->exports[i].name        ? c->exports[i].name
                    : c->n == 1 && c->options ? c->options->name
                                              : NULL;
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
