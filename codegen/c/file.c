/* A self-contained C file of several functions (c.h).  It contains text that all widths share,
 * which includes kernels without vectors, and then the functions at each width, one of which
 * the preprocessor selects. */
#include "codegen/c/c.h"
#include "ir/diag.h"

static void
print_choice(ir_buf *b, int n, const cg_c_width *w)
{
    static const struct {
        int lanes;
        const char *test;
    } row[] = { { 16, "defined(__AVX512F__) && defined(__AVX512VL__)" },
                { 8, "defined(__AVX__)" },
                { 4, "defined(__SSE2__) || defined(__ARM_NEON) || defined(__riscv_vector) || "
                     "defined(__wasm_simd128__)" } };
    int open = 0;

    ir_buf_str(b,
               "\n/* The number of floats of a vector; -DCOT_LANES=N selects another one of");
    for (int i = 0; i < n; i++)
        ir_buf_printf(b, "%s %d", i ? "," : "", w[i].lanes);
    ir_buf_str(b, ".  Results are the same. */\n#if !defined(COT_LANES)\n");
    for (int k = 0; k < 3; k++)
        for (int i = 1; i < n; i++)
            if (w[i].lanes == row[k].lanes)
                ir_buf_printf(b, "#%s defined(COT_GNU) && (%s)\n#define COT_LANES %d\n",
                              open++ ? "elif" : "if", row[k].test, w[i].lanes);
    ir_buf_printf(b,
                  open ? "#else\n#define COT_LANES %d\n#endif\n#endif\n"
                       : "#define COT_LANES %d\n#endif\n",
                  w[0].lanes);
    if (w[0].lanes > 1)
        ir_buf_str(
            b,
            "#if !defined(COT_GNU)\n#error \"vectors are those of gcc and clang\"\n#endif\n");
    else if (n > 1)
        ir_buf_str(
            b,
            "#if !defined(COT_GNU) /* no vectors, whatever COT_LANES is */\n#undef COT_LANES\n"
            "#define COT_LANES 1\n#endif\n");
}

typedef struct width_text {
    int lanes;
    ir_buf head, body;
    cg_c_kernel_text *kernel;
    uint32_t n;
} width_text;

static bool
has_kernel(const width_text *w, const char *text, size_t n)
{
    for (uint32_t i = 0; i < w->n; i++)
        if (w->kernel[i].n == n && !w->kernel[i].calls &&
            memcmp(w->body.text + w->kernel[i].at, text, n) == 0)
            return true;
    return false;
}

/* Is the function of a kernel that calls no other the same at all widths?  The first width must
 * be that of scalars, whose text uses no vector types. */
static bool
is_shared(const width_text *w, int n_widths, const char *text, const cg_c_kernel_text *k)
{
    bool shared = n_widths > 1 && w[0].lanes == 1 && !k->calls && k->n > 0;

    for (int i = 0; i < n_widths && shared; i++)
        shared = has_kernel(&w[i], text, k->n);
    return shared;
}

/* Join the text: kernels that are the same at all widths, then the functions at each width. */
static void
join_widths(ir_arena *a, int n_widths, const width_text *w, ir_buf *all)
{
    ir_buf_init(all, a);
    for (uint32_t i = 0; i < w[0].n; i++)
        if (is_shared(w, n_widths, w[0].body.text + w[0].kernel[i].at, &w[0].kernel[i]))
            ir_buf_add(all, w[0].body.text + w[0].kernel[i].at, w[0].kernel[i].n);
    for (int k = 0; k < n_widths; k++) {
        ir_buf_printf(all, "\n#%s COT_LANES == %d\n\n", k ? "elif" : "if", w[k].lanes);
        if (w[k].head.n > 0) {
            ir_buf_add(all, w[k].head.text, w[k].head.n);
            ir_buf_str(all, "\n");
        }
        for (uint32_t i = 0; i < w[k].n; i++)
            if (!is_shared(w, n_widths, w[k].body.text + w[k].kernel[i].at, &w[k].kernel[i]))
                ir_buf_add(all, w[k].body.text + w[k].kernel[i].at, w[k].kernel[i].n);
    }
}

static void
begin_tables(cg_c_text *t)
{
    ir_buf_init(&t->tables, t->arena);
    t->constants = (cg_c_names){ 0 };
    ir_map_init(&t->constants.map, t->arena);
}

/* Write the functions at all widths. */
static cot_status
write_widths(cg_c_text *t, int n_widths, const cg_c_width *w, int n, bool *renamed, ir_buf *all)
{
    width_text *text = IR_NEW_N(t->arena, width_text, n_widths + 1);

    ir_buf_init(&t->common, t->arena);
    begin_tables(t);
    t->shared = (cg_c_names){ 0 };
    ir_map_init(&t->shared.map, t->arena);
    t->n_slow_paths = 0;
    for (int k = 0; k < n_widths; k++) {
        cg_c_begin_width(t, 32 * w[k].lanes);
        t->fn = w[k].fn;
        for (int i = 0; i < n; i++) {
            COT_TRY(cg_check_externs(w[k].fn[i].module, t->in_process ? NULL : "C source"));
            cg_c_module(t, &w[k].fn[i]);
        }
        if (t->status != COT_OK)
            return t->status;
        for (int i = 0; i < n; i++)
            renamed[i] |= cg_c_has_name(&t->shared, w[k].fn[i].name) ||
                          cg_c_has_name(&t->own, w[k].fn[i].name) ||
                          cg_c_is_fixed(w[k].fn[i].name);
        for (int i = 0; i < n; i++)
            COT_TRY(cg_c_check_foreign(t, w[k].fn[i].module));
        text[k] = (width_text){ w[k].lanes, t->head, t->body, t->kernel, t->n_kernels };
    }
    join_widths(t->arena, n_widths, text, all);
    return COT_OK;
}

/* The opening comment of the file, and how to compile it. */
static void
print_head(ir_buf *b, const cg_c_width *w)
{
    ir_buf_printf(
        b, "/* Written by Cotrace %s.  This file belongs to you: use it as you like.\n *\n",
        COT_VERSION);
    ir_buf_str(
        b, w->level
               ? " * Compile with -O2, by gcc or clang, for x86-64.  It has each function for "
                 "several processors and chooses\n * when one is first called: -march is not "
                 "needed. */\n"
               : " * Compile with -O2 and the processor's instructions, as -march=native or "
                 "-march=x86-64-v3: without\n * an instruction for fma, products and sums take "
                 "several times as long.  Results are the same. */\n");
}

/* Everything that depends on neither a width nor a processor. */
static void
print_preamble(const cg_c_text *t, ir_buf *b, int n, const cg_natural *fn)
{
    for (int i = 0; i < n; i++)
        if (t->renamed && t->renamed[i])
            ir_buf_printf(b,
                          "#define %s cot_own_%s /* differs from the public function of that "
                          "name */\n",
                          fn[i].name, fn[i].name);
    ir_buf_str(b, cg_c_preamble);
    if (t->trapping_math)
        ir_buf_str(b, cg_c_trapping_text);
}

/* Write all widths, with preprocessor conditions that select one. */
static cot_status
write_choice(cg_c_text *t, int n_widths, const cg_c_width *w, int n, ir_buf *all)
{
    bool *renamed = IR_NEW_N(t->arena, bool, n + 1), any_renamed = false;
    ir_buf widths;

    COT_TRY(write_widths(t, n_widths, w, n, renamed, &widths));
    for (int i = 0; i < n; i++)
        any_renamed |= renamed[i];
    if (any_renamed) {
        t->renamed = renamed;
        COT_TRY(write_widths(t, n_widths, w, n, renamed, &widths));
    }
    print_preamble(t, all, n, w->fn);
    ir_buf_str(all, cg_c_target_text);
    print_choice(all, n_widths, w);
    ir_buf_str(all, "\n");
    ir_buf_add(all, t->tables.text ? t->tables.text : "", t->tables.n);
    ir_buf_add(all, t->common.text ? t->common.text : "", t->common.n);
    ir_buf_add(all, widths.text, widths.n);
    ir_buf_str(
        all, "#else\n#error \"COT_LANES: the file has no functions of that width\"\n#endif\n");
    return COT_OK;
}

cot_status
cg_c_write(cot_context *ctx, int n_widths, const cg_c_width *w, int n, bool in_process,
           ir_arena *arena, const void **bytes, size_t *size)
{
    cg_c_text t = { .ctx = ctx, .arena = arena, .in_process = in_process, .n_fn = n };
    ir_buf all;

    t.trapping_math = n > 0 && w->fn->module->trapping_math;
    ir_buf_init(&all, arena);
    print_head(&all, w);
    if (w->level) {
        begin_tables(&t);
        print_preamble(&t, &all, n, w->fn);
        COT_TRY(cg_c_write_levels(&t, n_widths, w, &all));
    } else {
        COT_TRY(write_choice(&t, n_widths, w, n, &all));
    }
    *bytes = all.text;
    *size = all.n;
    return COT_OK;
}
