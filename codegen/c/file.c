/* One self-contained C file of several modules: pragmas that pin the numbers, helpers,
 * kernels, entries. */
#include "codegen/c/c.h"

static const char preamble[] =
    "/* Made by Cotrace.  This file belongs to you: no licence of Cotrace's applies to it.\n"
    " *\n"
    " * Its results are defined to the last bit: build it without -ffast-math.  Where the "
    "target has no fma\n"
    " * instruction, fma is a call of the C library's, exact and slow. */\n"
    "#include <stdint.h>\n#include <string.h>\n\n"
    "#if defined(__FAST_MATH__) || (defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0)\n"
    "#error \"this file wants IEEE arithmetic: no -ffast-math, no extended precision\"\n"
    "#endif\n"
    "#if defined(__clang__)\n#pragma STDC FP_CONTRACT OFF\n"
    "#pragma clang diagnostic ignored \"-Wunused-variable\"\n#pragma clang diagnostic ignored "
    "\"-Wunused-function\"\n"
    "#if __clang_major__ >= 13\n#pragma clang diagnostic ignored \"-Wunused-but-set-variable\"\n#endif\n"
    "#elif defined(__GNUC__)\n#pragma GCC optimize(\"fp-contract=off\")\n#pragma GCC "
    "diagnostic ignored \"-Wunused-variable\"\n"
    "#pragma GCC diagnostic ignored \"-Wunused-but-set-variable\"\n#pragma GCC diagnostic "
    "ignored \"-Wpsabi\"\n"
    "#pragma GCC diagnostic ignored \"-Wunused-function\"\n#endif\n\n";

/* "const T *aN, ": const if it is only read. */
static void
print_argument(cg_c_text *t, const cg_module *m, int arg, ir_buf *b)
{
    const cg_kernel *k = m->kernel[0];
    const cg_buffer *x = NULL;
    for (uint32_t i = 0; i < k->n_buffers; i++)
        if (k->buffer[i].space <= CG_OUT && k->buffer[i].arg == arg)
            x = &k->buffer[i];
    ir_buf_printf(b, "%s%s *a%d, ", x && x->space == CG_IN ? "const " : "",
                  x ? cg_c_type(t, x->type, 1) : "void", arg);
}

/* int name(const T0 *x0, ..., T *out0, ..., void *work): packs its arguments and calls the
 * entry. */
static void
natural(cg_c_text *t, const cg_natural *f)
{
    ir_buf *b = &t->body;
    int n = f->n_in + f->n_out;
    ir_buf_printf(b, "int %s(", f->name);
    for (int i = 0; i < n; i++)
        print_argument(t, f->module, i, b);
    ir_buf_str(b, "void *work);\n");
    ir_buf_printf(b, "int\n%s(", f->name);
    for (int i = 0; i < n; i++)
        print_argument(t, f->module, i, b);
    ir_buf_printf(b, "void *work)\n{\n    void *args[%d] = {", n + 1);
    for (int i = 0; i < n; i++)
        ir_buf_printf(b, " (void *)a%d,", i);
    ir_buf_printf(b, " 0 };\n    return %s_k0(args, work);\n}\n", f->name);
}

static cot_status
emit(cot_context *ctx, const cg_target *target, cg_output what, int n, const cg_natural *fn,
     ir_arena *arena, const void **bytes, size_t *size)
{
    cg_c_text t = { .ctx = ctx, .arena = arena };
    ir_buf all;
    (void)target, (void)what;
    ir_buf_init(&t.head, arena);
    ir_buf_init(&t.body, arena);
    ir_buf_init(&all, arena);
    ir_map_init(&t.made, arena);
    ir_buf_str(&t.head, preamble);
    for (int i = 0; i < n; i++)
        COT_TRY(cg_check_externs(fn[i].module, "C source"));
    for (int i = 0; i < n; i++) {
        for (uint32_t k = fn[i].module->n_kernels; k-- > 1;)
            cg_c_kernel(&t, fn[i].module, fn[i].module->kernel[k], fn[i].name);
        cg_c_kernel(&t, fn[i].module, fn[i].module->kernel[0], fn[i].name);
        natural(&t, &fn[i]);
    }
    if (t.status != COT_OK)
        return t.status;
    ir_buf_add(&all, t.head.text, t.head.n);
    ir_buf_str(&all, "\n");
    ir_buf_add(&all, t.body.text, t.body.n);
    *bytes = all.text;
    *size = all.n;
    return COT_OK;
}

const cg_backend *
cg_c(void)
{
    static const cg_backend backend = { .name = "c", .emit = emit };
    return &backend;
}
