/* One self-contained C file of several functions (c.h): what all widths share, then the
 * functions at each width, of which the preprocessor takes one. */
#include "codegen/c/c.h"

static void
begin_width(cg_c_text *t, int bits)
{
    t->bits = bits;
    t->own = (cg_c_names){ 0 };
    ir_map_init(&t->own.map, t->arena);
    ir_buf_init(&t->head, t->arena);
    ir_buf_init(&t->body, t->arena);
}

/* Which width, if nobody says: the target's, among those that the file has. */
static void
print_choice(ir_buf *b, int n, const cg_c_width *w)
{
    static const struct {
        int lanes;
        const char *test;
    } row[] = { { 16, "defined(__AVX512F__) && defined(__AVX512VL__)" }, { 8, "defined(__AVX__)" }, { 4, "defined(__SSE2__) || defined(__ARM_NEON) || defined(__riscv_vector) || defined(__wasm_simd128__)" } };
    int open = 0;

    ir_buf_str(b, "\n/* How many floats a vector has: compile with -DCOT_LANES=N for another of");
    for (int i = 0; i < n; i++)
        ir_buf_printf(b, "%s %d", i ? "," : "", w[i].lanes);
    ir_buf_str(b, ".  Results are the same. */\n#if !defined(COT_LANES)\n");
    for (int k = 0; k < 3; k++)
        for (int i = 1; i < n; i++)
            if (w[i].lanes == row[k].lanes)
                ir_buf_printf(b, "#%s defined(COT_GNU) && (%s)\n#define COT_LANES %d\n", open++ ? "elif" : "if", row[k].test, w[i].lanes);
    ir_buf_printf(b, open ? "#else\n#define COT_LANES %d\n#endif\n#endif\n" : "#define COT_LANES %d\n#endif\n", w[0].lanes);
}

cot_status
cg_c_write(cot_context *ctx, int n_widths, const cg_c_width *w, int n, bool in_process,
           ir_arena *arena, const void **bytes, size_t *size)
{
    cg_c_text t = { .ctx = ctx, .arena = arena, .in_process = in_process };
    ir_buf widths, all;

    ir_buf_init(&t.common, arena);
    ir_buf_init(&widths, arena);
    ir_buf_init(&all, arena);
    ir_map_init(&t.shared.map, arena);
    for (int k = 0; k < n_widths; k++) {
        begin_width(&t, 32 * w[k].lanes);
        for (int i = 0; i < n; i++) {
            COT_TRY(cg_check_externs(w[k].fn[i].module, in_process ? NULL : "C source"));
            cg_c_module(&t, &w[k].fn[i]);
        }
        if (t.status != COT_OK)
            return t.status;
        ir_buf_printf(&widths, "\n#%s COT_LANES == %d\n\n", k ? "elif" : "if", w[k].lanes);
        if (t.head.n > 0) {
            ir_buf_add(&widths, t.head.text, t.head.n);
            ir_buf_str(&widths, "\n");
        }
        ir_buf_add(&widths, t.body.text, t.body.n);
    }
    ir_buf_printf(&all, "/* Written by Cotrace %s.  This file belongs to you: use it as you like. */\n", COT_VERSION);
    ir_buf_str(&all, cg_c_preamble);
    print_choice(&all, n_widths, w);
    ir_buf_str(&all, "\n");
    ir_buf_add(&all, t.common.text ? t.common.text : "", t.common.n);
    ir_buf_add(&all, widths.text, widths.n);
    ir_buf_str(&all, "#else\n#error \"COT_LANES: the file has no functions of that width\"\n#endif\n");
    *bytes = all.text;
    *size = all.n;
    return COT_OK;
}
