/* The profile of a file: its kernels call NAME_enter and NAME_leave, which whoever links it
 * has.
 *
 * Objects hold no state, so that what these two do is the caller's; the header has a pair of
 * them, which count into a buffer that the calling thread names.  Rows are numbered by the
 * names of kernels over all forms of a function, since a processor may have kernels that
 * another one has not. */
#include "codegen/kernel/cost.h"
#include "codegen/kernel/probe.h"
#include "runtime/build.h"

static uint32_t
row_of(rt_file_rows *rows, ir_arena *a, const char *name, const cg_kernel *k)
{
    for (uint32_t i = 0; i < rows->n; i++)
        if (strcmp(rows->row[i].name, name) == 0)
            return i + 1;
    const bool known = k && !k->module->n_sizes;
    const rt_file_row row = { ir_copy_string(a, name), known ? cg_kernel_bytes(k) : 0,
                              known ? k->flops : 0 };
    IR_PUSH(a, rows->row, rows->n, rows->cap, row);
    return rows->n;
}

typedef struct filling_rows {
    rt_file_rows *rows;
    ir_arena *a;
} filling_rows;

/* A plan that another one calls has rows for what it calls, and none itself. */
static const void *
counter_of(void *user, const cg_module *m, const cg_insn *x)
{
    const filling_rows *f = user;
    const cg_kernel *k = x->op == CG_CALL ? m->kernel[x->call->kernel] : NULL;

    if (k && k->plans)
        return NULL;
    return (const void *)(uintptr_t)row_of(f->rows, f->a,
                                           k                    ? k->name
                                           : x->op == CG_EXTERN ? x->ext->name
                                                                : "(copies)",
                                           k);
}

void
rt_profile_file(cg_module *m, const char *name, rt_file_rows *rows, ir_arena *a)
{
    filling_rows f = { rows, a };

    cg_probe_module(m, &(cg_probe){ .counter = counter_of, .user = &f, .prefix = name });
}

/* Without an array of no elements, which C does not have. */
static void
print_numbers(ir_buf *b, const rt_function *fn, const char *what, size_t field)
{
    ir_buf_printf(b, "#define %s_PROFILE_%s {", fn->constant, what);
    for (uint32_t i = 0; i < fn->rows->n; i++)
        ir_buf_printf(b, "%s %lld", i ? "," : "",
                      (long long)*(const int64_t *)((const char *)&fn->rows->row[i] + field));
    ir_buf_printf(b, "%s }\n", fn->rows->n ? "" : " 0");
}

void
rt_print_profile(ir_buf *b, const rt_function *fn)
{
    const char *big = fn->constant, *name = fn->name;

    ir_buf_printf(b,
                  "\n/* The profile of %s: it calls %s_enter(row) before each of its kernels, "
                  "and %s_leave(row, what\n"
                  " * that answered) behind it.  Both are yours to link.  Where %s_PROFILE is "
                  "defined before this header is\n"
                  " * included, in one file, they are here: %s_profile names a buffer of "
                  "%s_PROFILE_ROWS rows, into which the\n"
                  " * calls of the thread count. */\n",
                  name, name, name, big, name, big);
    ir_buf_printf(b, "#define %s_PROFILE_ROWS %u\n#define %s_PROFILE_NAMES {", big,
                  fn->rows->n, big);
    for (uint32_t i = 0; i < fn->rows->n; i++)
        ir_buf_printf(b, "%s \"%s\"", i ? "," : "", fn->rows->row[i].name);
    ir_buf_printf(b, "%s }\n", fn->rows->n ? "" : " \"\"");
    if (!fn->open) {
        print_numbers(b, fn, "BYTES", offsetof(rt_file_row, bytes));
        print_numbers(b, fn, "FLOPS", offsetof(rt_file_row, flops));
    }
    ir_buf_printf(b,
                  "struct %s_profile_row {\n"
                  "    int64_t runs, ticks; /* ticks: of cot_profile_clock */\n};\n"
                  "extern COT_PROFILE_THREAD struct %s_profile_row *%s_profile;\n"
                  "#ifdef %s_PROFILE\n"
                  "COT_PROFILE_THREAD struct %s_profile_row *%s_profile;\n"
                  "int64_t\n%s_enter(int64_t row)\n{\n"
                  "    (void)row;\n    return cot_profile_clock();\n}\n"
                  "void\n%s_leave(int64_t row, int64_t entered)\n{\n"
                  "    if (%s_profile) {\n"
                  "        %s_profile[row].ticks += cot_profile_clock() - entered;\n"
                  "        %s_profile[row].runs++;\n    }\n}\n#endif\n",
                  name, name, name, big, name, name, name, name, name, name, name);
}

/* What all functions of a header share. */
void
rt_print_profile_clock(ir_buf *b)
{
    ir_buf_str(
        b,
        "\n#ifndef COT_PROFILE_THREAD\n"
        "#ifdef __cplusplus\n#define COT_PROFILE_THREAD thread_local\n#else\n"
        "#define COT_PROFILE_THREAD _Thread_local\n#endif\n"
        "/* The processor's clock; nanoseconds where it is not known. */\n"
        "static inline int64_t\ncot_profile_clock(void)\n{\n"
        "#if defined(__x86_64__) && defined(__GNUC__)\n"
        "    return (int64_t)__builtin_ia32_rdtsc();\n"
        "#elif defined(__aarch64__) && defined(__GNUC__)\n"
        "    int64_t ticks;\n\n"
        "    __asm__ volatile(\"mrs %0, cntvct_el0\" : \"=r\"(ticks));\n"
        "    return ticks;\n"
        "#else\n"
        "    struct timespec t;\n\n"
        "    timespec_get(&t, TIME_UTC);\n"
        "    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;\n"
        "#endif\n}\n#endif\n");
}

void
rt_describe_profile(ir_buf *b, const rt_function *fn)
{
    ir_buf_str(b, "\"profile\": [");
    for (uint32_t i = 0; i < fn->rows->n; i++) {
        const rt_file_row *row = &fn->rows->row[i];

        ir_buf_printf(b, "%s{\"name\": \"%s\"", i ? ", " : "", row->name);
        if (!fn->open)
            ir_buf_printf(b, ", \"bytes\": %lld, \"flops\": %lld", (long long)row->bytes,
                          (long long)row->flops);
        ir_buf_str(b, "}");
    }
    ir_buf_str(b, "], ");
}
