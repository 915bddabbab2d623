/* Every carrier of a program, bit for bit against the evaluator: the JIT, an object file, C by gcc and C by
 * clang, over the programs of the laws.
 *
 *   carriers FIRST STEP         programs FIRST, FIRST + STEP, ...
 *   carriers --page FIRST STEP  likewise; docs/carriers.md to standard output
 *
 * Programs go into files of many, since starting a compiler is dear.  Each has one of the widths of C source in turn.  A compiler
 * that is not there is left out, and so is LLVM. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/call.h"
#include "runtime/compile.h"
#include "tests/laws/programs.h"

enum { BATCH = 48, MAX_OPS = 512 };
enum { JIT, OBJECT, GCC, CLANG, CARRIERS };

static const char *const carrier_name[CARRIERS] = { "JIT", "object", "C by gcc", "C by clang" };
static const char *const compiler[CARRIERS] = { [GCC] = "gcc -O1", [CLANG] = "clang -O1" };

static struct row {
    const char *op;
    int programs, good[CARRIERS];
} row[MAX_OPS];
static int n_rows, failures;
static bool here[CARRIERS], page;

typedef struct batch {
    cot_context *ctx;
    char folder[64];
    int n;
    laws_program p[BATCH];
    struct row *row[BATCH];
    cg_natural c[BATCH], native[BATCH]; /* for C; for an object */
    void **in[BATCH], **want[BATCH], **got[BATCH];
    cg_target target;
} batch;

static struct row *
row_of(const char *op)
{
    for (int i = 0; i < n_rows; i++)
        if (strcmp(row[i].op, op) == 0)
            return &row[i];
    row[n_rows].op = strdup(op);
    return &row[n_rows++];
}

static void
wrong(const laws_program *p, int carrier, const char *why)
{
    failures++;
    fprintf(stderr, "carriers: program %d: %s: %s\n%s", p->number, carrier_name[carrier], why, p->text);
}

static void
compare(batch *b, int i, int carrier)
{
    const ir_graph *f = b->p[i].f;

    for (int k = 0; k < f->n_out; k++)
        if (laws_differ(ir_type_at(f, f->out[k]), b->want[i][k], b->got[i][k]) >= 0) {
            wrong(&b->p[i], carrier, "differs from the evaluator");
            return;
        }
    b->row[i]->good[carrier]++;
}

/* -- one program: evaluated, lowered, by the JIT -- */

static cot_status
lower(batch *b, int i, const char *backend, int bits, cg_natural *out, cg_target *target)
{
    const ir_graph *f = b->p[i].f;
    rt_lowered low;
    rt_plan p;

    COT_TRY(rt_plan_new(b->ctx, &(cot_compile_options){ .backend = backend, .vector_bits = bits, .threads = 1 },
                        f->name, &p));
    COT_TRY(rt_lower(f, &p, &b->ctx->arena, &low));
    *out = (cg_natural){ .name = ir_format(&b->ctx->arena, "p%d", b->p[i].number),
                         .module = low.module,
                         .n_in = f->n_in,
                         .n_out = f->n_out };
    *target = p.target;
    return COT_OK;
}

static bool
run_kernel(batch *b, int i, const char *backend, void **out)
{
    const ir_graph *f = b->p[i].f;
    void **args = IR_NEW_N(&b->ctx->arena, void *, f->n_in + f->n_out + 1);
    cot_status status;
    cot_kernel *k;

    status = cot_compile_graph(f, &(cot_compile_options){ .backend = backend }, &k);
    if (status == COT_OK) {
        rt_arguments(k, b->in[i], out, args);
        status = rt_call_kernel(k, args, NULL);
        cot_kernel_free(k);
    }
    if (status != COT_OK) {
        wrong(&b->p[i], JIT, cot_error(b->ctx));
        cot_error_clear(b->ctx);
    }
    return status == COT_OK;
}

static bool
add(batch *b, int number)
{
    static const int bits[] = { 32, 128, 256 };
    laws_program *p = &b->p[b->n];
    uint64_t seed = 4000 + (uint64_t)number;
    const int i = b->n;
    cg_target target;

    if (!laws_make(b->ctx, number, p) || p->f->n_inout)
        return false;
    b->in[i] = laws_values(p->f->n_in, p->f->in, p->f);
    b->want[i] = laws_values(p->f->n_out, p->f->out, p->f);
    b->got[i] = laws_values(p->f->n_out, p->f->out, p->f);
    for (int k = 0; k < p->f->n_in; k++)
        laws_fill_special(&seed, ir_type_at(p->f, p->f->in[k]), p->f->in_name[k], p->lo, p->hi, b->in[i][k]);
    b->n++;
    b->row[i] = row_of(p->op);
    b->row[i]->programs++;
    if (!run_kernel(b, i, "eval", b->want[i]) || lower(b, i, "c", bits[number % 3], &b->c[i], &target) != COT_OK) {
        wrong(p, GCC, cot_error(b->ctx));
        cot_error_clear(b->ctx);
        b->c[i].module = NULL;
    }
    if (here[JIT]) {
        if (run_kernel(b, i, "jit", b->got[i]))
            compare(b, i, JIT);
        if (lower(b, i, "jit", 0, &b->native[i], &b->target) != COT_OK)
            b->native[i].module = NULL;
    }
    return true;
}

/* -- files -- */

static bool
write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "w");
    bool good = file && fwrite(bytes, 1, size, file) == size;

    return file && fclose(file) == 0 && good;
}

/* Link, load, call each. */
static void
run_library(batch *b, int carrier, const cg_natural *fn, const char *command)
{
    char line[512], path[128];
    void *library;

    snprintf(line, sizeof line, "cd %s && %s -w -shared -fPIC -o x%d.so", b->folder, command, carrier);
    snprintf(path, sizeof path, "%s/x%d.so", b->folder, carrier);
    library = system(line) == 0 ? dlopen(path, RTLD_NOW) : NULL;
    if (!library) {
        wrong(&b->p[0], carrier, "the file does not compile or load");
        return;
    }
    for (int i = 0; i < b->n; i++) {
        const ir_graph *f = b->p[i].f;
        rt_arg *arg = IR_NEW_N(&b->ctx->arena, rt_arg, f->n_in + f->n_out + 1);
        int answer = -1;
        void (*entry)(void);
        if (!fn[i].module)
            continue;
        void *work = aligned_alloc(64, (size_t)(fn[i].module->work_bytes + 128) / 64 * 64);
        for (int k = 0; k < f->n_in + f->n_out; k++)
            arg[k].at = k < f->n_in ? b->in[i][k] : b->got[i][k - f->n_in];
        arg[f->n_in + f->n_out].at = work;
        *(void **)&entry = dlsym(library, fn[i].name);
        if (!entry || rt_call_c(b->ctx, entry, f->n_in + f->n_out + 1, arg, &answer) != COT_OK || answer)
            wrong(&b->p[i], carrier, "fails");
        else
            compare(b, i, carrier);
        free(work);
    }
    dlclose(library);
}

/* Each function is a file of its own width, included one after the other would clash: so a file for each width. */
static int
group(const batch *b, int bits, cg_natural *out, int *index)
{
    static const int each[] = { 32, 128, 256 };
    int n = 0;

    for (int i = 0; i < b->n; i++)
        if (b->c[i].module && each[b->p[i].number % 3] == bits) {
            index[n] = i;
            out[n++] = b->c[i];
        }
    return n;
}

static bool
write_sources(batch *b, char *names, size_t room)
{
    static const int each[] = { 32, 128, 256 };
    cg_natural fn[BATCH];
    int index[BATCH];
    const void *bytes;
    size_t size;

    *names = '\0';
    for (int k = 0; k < 3; k++) {
        const int n = group(b, each[k], fn, index);
        const cg_c_width w = { each[k] / 32, fn };
        if (n == 0)
            continue;
        if (cg_c_write(b->ctx, 1, &w, n, false, &b->ctx->arena, &bytes, &size) != COT_OK ||
            !write_file(ir_format(&b->ctx->arena, "%s/c%d.c", b->folder, each[k]), bytes, size)) {
            wrong(&b->p[index[0]], GCC, cot_error(b->ctx));
            return false;
        }
        snprintf(names + strlen(names), room - strlen(names), " c%d.c", each[k]);
    }
    return *names;
}

static void
run_files(batch *b)
{
    char names[128];
    cg_natural fn[BATCH];
    const void *bytes;
    size_t size;
    int n = 0;

    if (write_sources(b, names, sizeof names))
        for (int k = GCC; k <= CLANG; k++)
            if (here[k])
                run_library(b, k, b->c, ir_format(&b->ctx->arena, "%s -march=native -std=c11 %s", compiler[k], names));
    for (int i = 0; i < b->n; i++)
        if (b->native[i].module)
            fn[n++] = b->native[i];
    if (!here[OBJECT] || n == 0)
        return;
    if (cg_llvm()->emit(b->ctx, &b->target, CG_TO_OBJECT, n, fn, &b->ctx->arena, &bytes, &size) == COT_OK &&
        write_file(ir_format(&b->ctx->arena, "%s/x.o", b->folder), bytes, size))
        run_library(b, OBJECT, b->native, "cc x.o");
    else
        wrong(&b->p[0], OBJECT, cot_error(b->ctx));
}

/* The number after the last program that it took. */
static int
run_batch(int first, int step)
{
    batch *b = calloc(1, sizeof *b);
    volatile int i = first;

    strcpy(b->folder, "/tmp/carriers-XXXXXX");
    b->ctx = cot_context_new(NULL);
    if (!mkdtemp(b->folder))
        exit(2);
    IR_TRY(b->ctx) {
        for (; i < laws_count() && b->n < BATCH; i += step)
            add(b, i);
        run_files(b);
    }
    char line[128];
    snprintf(line, sizeof line, "rm -rf %s", b->folder);
    if (system(line) != 0)
        failures++;
    for (int k = 0; k < b->n; k++) {
        laws_free(b->p[k].f->n_in, b->in[k]);
        laws_free(b->p[k].f->n_out, b->want[k]);
        laws_free(b->p[k].f->n_out, b->got[k]);
    }
    cot_context_free(b->ctx);
    free(b);
    return i;
}

static void
print_page(void)
{
    printf("# Carriers\n\nMade by `law_carriers --page FIRST STEP`: the programs of the laws, op by op, through everything that can carry\n"
           "them, on operands with NaN, infinities, zeros and subnormals among them. A number is how many programs gave the\n"
           "evaluator's bits; C source is written for vectors of 1, 4 and 8 floats in turn. A mismatch fails the test.\n\n"
           "| op | programs");
    for (int k = 0; k < CARRIERS; k++)
        printf(" | %s", carrier_name[k]);
    printf(" |\n|---|---|---|---|---|---|\n");
    for (int i = 0; i < n_rows; i++) {
        printf("| %s | %d", row[i].op, row[i].programs);
        for (int k = 0; k < CARRIERS; k++)
            if (here[k])
                printf(" | %d", row[i].good[k]);
            else
                printf(" | -");
        printf(" |\n");
    }
}

static bool
can_compile(const char *command)
{
    char line[128];

    snprintf(line, sizeof line, "echo 'int x;' | %s -x c -c - -o /dev/null >/dev/null 2>&1", command);
    return system(line) == 0;
}

int
main(int argc, char **argv)
{
    int first, step, programs = 0;

    page = argc > 1 && strcmp(argv[1], "--page") == 0;
    first = argc > 1 + page ? atoi(argv[1 + page]) : 0;
    step = argc > 2 + page ? atoi(argv[2 + page]) : 1;
    here[JIT] = here[OBJECT] = cg_llvm() != NULL;
    here[GCC] = can_compile(compiler[GCC]);
    here[CLANG] = can_compile(compiler[CLANG]);
    while (first < laws_count())
        first = run_batch(first, step);
    for (int i = 0; i < n_rows; i++)
        programs += row[i].programs;
    if (page)
        print_page();
    fprintf(stderr, "carriers: %d programs, %d failures\n", programs, failures);
    return failures > 0;
}
