/* The code that is emitted: C, whose lines have the locations of what they compute in front of
 * them (codegen/c/marks.c); assembly where it is asked for, and PTX for a GPU, whose line
 * tables have them (codegen/llvm/debug.c). */
#include "codegen/kernel/grid.h"
#include "runtime/explore/explore.h"

#include <stdlib.h>

/* The kernel whose function begins at this line of n bytes; `last` is the one before it. */
typedef int part_finder(const rt_exploring *x, const char *line, size_t n, int last);
enum { OTHER = -1, NOTHING = -2 }; /* another function begins; none does */

/* In C the line is the comment in front of the function, `/<asterisk> name: note`. */
static int
find_in_c(const rt_exploring *x, const char *line, size_t n, int last)
{
    const cg_module *m = x->low.module;

    if (n < 4 || memcmp(line, "/* ", 3) != 0)
        return NOTHING;
    for (uint32_t i = 0; i < m->n_kernels; i++) {
        const uint32_t k = ((uint32_t)last + 1 + i) % m->n_kernels;
        const size_t length = strlen(m->kernel[k]->name);

        if (n > 3 + length && memcmp(line + 3, m->kernel[k]->name, length) == 0 &&
            (line[3 + length] == ':' || strncmp(line + 3 + length, " */", 3) == 0))
            return (int)k;
    }
    return NOTHING;
}

static bool
has_end(const char *s, size_t n, const char *end)
{
    const size_t length = strlen(end);

    return n >= length && memcmp(s + n - length, end, length) == 0;
}

/* In assembly for ELF it is the type of the function's symbol: `.type f.entry.name,@function`,
 * or `.type f.entry,@function` of the entry. */
static int
find_in_assembly(const rt_exploring *x, const char *line, size_t n, int last)
{
    static const char type[] = "\t.type\t", function[] = ",@function";
    const cg_module *m = x->low.module;

    (void)last;
    if (n < sizeof type || memcmp(line, type, sizeof type - 1) != 0 ||
        !has_end(line, n, function))
        return NOTHING;
    n -= strlen(function);
    if (has_end(line, n, ".entry"))
        return 0;
    for (uint32_t k = 1; k < m->n_kernels; k++)
        if (has_end(line, n, ir_format(x->arena, ".entry.%s", m->kernel[k]->name)))
            return (int)k;
    return OTHER;
}

static bool
begins(const char *s, size_t n, const char *start)
{
    return n >= strlen(start) && memcmp(s, start, strlen(start)) == 0;
}

/* In PTX it is `.visible .entry f_name(`, or `.func name(` of a function that kernels call; the
 * line of a declaration of that ends without a parenthesis. */
static int
find_in_ptx(const rt_exploring *x, const char *line, size_t n, int last)
{
    static const char entry[] = ".visible .entry ";
    const cg_module *m = x->low.module;

    (void)last;
    if (begins(line, n, ".func "))
        return has_end(line, n, "(") || has_end(line, n, ")") ? OTHER : NOTHING;
    if (!begins(line, n, entry))
        return NOTHING;
    line += sizeof entry - 1;
    n -= sizeof entry - 1;
    for (uint32_t k = 1; k < m->n_kernels; k++) {
        const char *name = cg_ptx_name(x->arena, x->plan.name, m->kernel[k]->name);

        if (begins(line, n, ir_format(x->arena, "%s(", name)))
            return (int)k;
    }
    return OTHER;
}

/* [line, kernel] for each line at which a function begins. */
static void
write_parts(const rt_exploring *x, ir_buf *b, const ir_buf *text, part_finder *find)
{
    bool first = true;
    int line = 0, last = 0;

    ir_buf_str(b, ",\"parts\":[");
    for (const char *s = text->text, *end = s + text->n; s < end; line++) {
        const char *stop = memchr(s, '\n', (size_t)(end - s));
        const int k = find(x, s, (size_t)((stop ? stop : end) - s), last);

        if (k != NOTHING) {
            rt_json_next(b, &first);
            ir_buf_printf(b, "[%d,%d]", line, k);
            last = k;
        }
        s = stop ? stop + 1 : end;
    }
    ir_buf_str(b, "]");
}

/* The text without marks into `plain`; [line, value] for each of them. */
static void
write_c_lines(const rt_exploring *x, ir_buf *b, const ir_buf *text, ir_buf *plain)
{
    bool first = true, inside = false;
    int line = 0;

    ir_buf_str(b, ",\"lines\":[");
    for (const char *s = text->text, *end = s + text->n; s < end;) {
        if (*s == CG_C_MARK) {
            inside = !inside;
            s++;
        } else if (inside) {
            char *after;
            const uint32_t number = rt_explore_number(x, (ir_loc)strtoul(s, &after, 10));

            if (number) {
                rt_json_next(b, &first);
                ir_buf_printf(b, "[%d,%u]", line, number);
            }
            s = after + (*after == ',');
        } else {
            line += *s == '\n';
            ir_buf_add(plain, s++, 1);
        }
    }
    ir_buf_str(b, "]");
}

/* Directives of line tables, and labels that only these need. */
static bool
is_of_debugger(const char *s, size_t n)
{
    static const char *const starts[] = { "\t.loc\t",       "\t.file\t",    "\t.cfi_",
                                          ".Ltmp",          ".Lfunc_begin", "$L__tmp",
                                          "$L__func_begin", "$L__func_end" };

    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (n > strlen(starts[i]) && memcmp(s, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

/* A function begins here, which has nothing of the one before. */
static bool
is_new_function(const char *s, size_t n)
{
    return begins(s, n, "\t.type\t") || begins(s, n, ".visible .entry ") ||
           begins(s, n, ".func ");
}

/* The text without line tables into `plain`; [line, value] for each instruction behind a
 * `.loc FILE LINE`, whose line is a location. */
static void
write_assembly_lines(const rt_exploring *x, ir_buf *b, const ir_buf *text, ir_buf *plain)
{
    bool first = true, tables = false;
    uint32_t number = 0;
    int line = 0;

    ir_buf_str(b, ",\"lines\":[");
    for (const char *s = text->text, *end = s + text->n, *stop; s < end; s = stop) {
        const char *const newline = memchr(s, '\n', (size_t)(end - s));
        stop = newline ? newline + 1 : end;
        const size_t n = (size_t)(stop - s);
        int file, at;

        if (begins(s, n, "\t.section\t"))
            tables = begins(s, n, "\t.section\t.debug_");
        if (is_new_function(s, n))
            number = 0;
        if (sscanf(s, "\t.loc\t%d %d", &file, &at) == 2)
            number = rt_explore_number(x, (ir_loc)at);
        if (tables || is_of_debugger(s, n))
            continue;
        if (number && n > 1 && s[0] == '\t' && s[1] != '.') {
            rt_json_next(b, &first);
            ir_buf_printf(b, "[%d,%u]", line, number);
        }
        if (begins(s, n, ".target ") && memchr(s, ',', n)) /* `, debug`: of the tables */
            ir_buf_printf(plain, "%.*s\n", (int)strcspn(s, ","), s);
        else
            ir_buf_add(plain, s, n);
        line++;
    }
    ir_buf_str(b, "]");
}

/* The text of a stage; where it cannot be emitted, the message. */
static void
write_code(rt_exploring *x, ir_buf *b, const char *stage, part_finder *find)
{
    const bool is_c = find == find_in_c;
    rt_plan plan = x->plan;
    ir_buf text, plain, lines;

    ir_buf_init(&text, x->arena);
    ir_buf_init(&plain, x->arena);
    ir_buf_init(&lines, x->arena);
    plan.target.debug = !is_c;
    ir_buf_str(b, "{\"text\":");
    if (rt_stage_code(x->low.prepared, &plan, stage, x->low.module, &text) != COT_OK) {
        rt_json_string(b, cot_error(x->ctx));
        cot_error_clear(x->ctx);
    } else {
        (is_c ? write_c_lines : write_assembly_lines)(x, &lines, &text, &plain);
        rt_json_bytes(b, plain.text, plain.n);
        write_parts(x, b, &plain, find);
        ir_buf_add(b, lines.text, lines.n);
    }
    ir_buf_str(b, "}");
}

/* Without a finder there is no such code. */
static void
write_named(rt_exploring *x, ir_buf *b, const char *name, const char *stage, part_finder *find)
{
    ir_buf_printf(b, "\"%s\":", name);
    if (x->low.module && find)
        write_code(x, b, stage, find);
    else
        ir_buf_str(b, "null");
}

void
rt_explore_code(rt_exploring *x, ir_buf *b)
{
    const bool gpu = x->plan.target.grid;

    write_named(x, b, "c", "c", gpu ? NULL : find_in_c);
    ir_buf_str(b, ",");
    write_named(x, b, "assembly", "asm",
                !gpu && x->o->assembly && x->plan.backend == cg_llvm() && cg_llvm()
                    ? find_in_assembly
                    : NULL);
    ir_buf_str(b, ",");
    write_named(x, b, "ptx", "ptx", gpu && cg_llvm() ? find_in_ptx : NULL);
}
