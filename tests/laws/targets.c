/* Objects for other machines: the programs of the laws, compiled for each, linked with nothing,
 * run where something can run them, bit for bit against the evaluator.  Machines whose names
 * end in -c have C source, by their own compiler.
 *
 *   targets NAME FIRST STEP             machine NAME; programs FIRST, FIRST + STEP, ...
 *   targets NAME --sizes SEED COUNT     programs of all sizes (classes.h), drawn by SEED
 *
 * A run is one process for all programs: a small main without a C library (machine.h) reads
 * all operands from its input and writes all results.  A test builds and looks for undefined
 * symbols on every machine that has LLVM, or the other machine's C compiler; it links and runs
 * where a linker and an emulator are installed, and says so where not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/call.h"
#include "runtime/compile.h"
#include "tests/laws/classes.h"
#include "tests/laws/machine.h"

enum { MAX_PROGRAMS = 256, SPACE = 8 };

static struct state {
    const machine *to;
    cot_context *ctx;
    char folder[64];
    int n, n_versions;
    laws_program p[MAX_PROGRAMS];
    cg_natural fn[SPACE][MAX_PROGRAMS];
    cg_version v[SPACE];
    void **in[MAX_PROGRAMS], **want[MAX_PROGRAMS], **got[MAX_PROGRAMS];
    size_t work, in_bytes, out_bytes;
    int failures;
} s;

static void
wrong(int i, const char *what, const char *why)
{
    s.failures++;
    fprintf(stderr, "targets: %s: program %d: %s: %s\n%s", s.to->name, s.p[i].number, what, why,
            s.p[i].text);
}

static size_t
room(const ir_type *t)
{
    return (laws_bytes(t) + 127) / 64 * 64;
}

/* ---- programs ---- */

static bool
evaluate(int i)
{
    const ir_graph *f = s.p[i].f;
    void **args = IR_NEW_N(&s.ctx->arena, void *, f->n_in + f->n_out + 1);
    cot_kernel *k;
    cot_status status = cot_compile_graph(f, &(cot_compile_options){ .backend = "eval" }, &k);

    if (status == COT_OK) {
        rt_arguments(k, s.in[i], s.want[i], args);
        status = rt_call_kernel(k, args, NULL);
        cot_kernel_free(k);
    }
    return status == COT_OK;
}

/* One in four is compiled for threads, that share every loop, and called without a pool: the
 * caller's thread runs all parts.  The functions of several processors have one form. */
static int
threads_of(int i)
{
    const bool several = s.to->cpu && strchr(s.to->cpu, ',');

    return !several && (s.p[i].number % 4 == 3 || strstr(s.p[i].text, "carries=0")) ? 2 : 1;
}

static cot_status
lower(int i, int version, const char *cpu)
{
    const cot_compile_options o = { .target = s.to->target,
                                    .cpu = cpu,
                                    .features = s.to->features,
                                    .threads = threads_of(i),
                                    .backend = s.to->cc ? "c" : NULL,
                                    .vector_bits = 32 * s.to->lanes };
    const ir_graph *f = s.p[i].f;
    rt_lowered low;
    rt_plan p;

    s.ctx->shares_all = true; /* with several threads */
    COT_TRY(rt_plan_new(s.ctx, &o, f->name, &p));
    COT_TRY(rt_lower(f, &p, &s.ctx->arena, &low));
    s.fn[version][i] = (cg_natural){ .name = ir_format(&s.ctx->arena, "p%d", s.p[i].number),
                                     .module = low.module,
                                     .n_in = f->n_in,
                                     .n_out = f->n_out };
    s.v[version] = (cg_version){ p.target, s.fn[version] };
    if ((size_t)low.module->work_bytes > s.work)
        s.work = (size_t)low.module->work_bytes;
    return COT_OK;
}

static bool
lower_all(int i)
{
    char list[128];

    if (!s.to->cpu)
        return lower(i, 0, NULL) == COT_OK;
    snprintf(list, sizeof list, "%s", s.to->cpu);
    s.n_versions = 0;
    for (char *cpu = strtok(list, ","); cpu; cpu = strtok(NULL, ","))
        if (lower(i, s.n_versions++, cpu) != COT_OK)
            return false;
    return true;
}

/* The program at s.p[s.n], with its operands. */
static void
add(void **in)
{
    const int i = s.n++;
    const ir_graph *f = s.p[i].f;

    s.in[i] = in;
    s.want[i] = laws_values(f->n_out, f->out, f);
    s.got[i] = laws_values(f->n_out, f->out, f);
    if (!evaluate(i) || !lower_all(i))
        wrong(i, "lowering", cot_error(s.ctx));
}

static void
add_law(int number)
{
    laws_program *p = &s.p[s.n];
    uint64_t seed = 9000 + (uint64_t)number;

    if (laws_make(s.ctx, number, p) && !p->f->n_inout)
        add(laws_sample(p->f, &seed, p->lo, p->hi, laws_fill_special));
}

/* Programs that an object has a function of each: the same one twice is one. */
static void
add_class(int number)
{
    class_program p;

    for (int i = 0; i < s.n; i++)
        if (s.p[i].number == number)
            return;
    if (!classes_make(s.ctx, number, &p)) {
        s.failures++;
        fprintf(stderr, "targets: %s\n", cot_error(s.ctx));
        return;
    }
    s.p[s.n] = p.law;
    add(classes_operands(&p));
}

/* ---- undefined symbols ---- */

static bool
allowed(const char *name)
{
    char list[128];

    snprintf(list, sizeof list, "%s", s.to->may);
    for (char *w = strtok(list, " "); w; w = strtok(NULL, " ")) {
        const size_t n = strlen(w);
        if (w[n - 1] == '*' ? strncmp(name, w, n - 1) == 0 : strcmp(name, w) == 0)
            return true;
    }
    return false;
}

static uint64_t
word(const unsigned char *at, int bytes)
{
    uint64_t x = 0;

    for (int i = bytes; i-- > 0;)
        x = x << 8 | at[i];
    return x;
}

/* The symbols of an ELF object without a section; the rest of its layout is not our
 * business. */
static void
check_undefined(const unsigned char *o)
{
    const bool wide = o[4] == 2;
    const unsigned char *table = o + word(o + (wide ? 40 : 32), wide ? 8 : 4);
    const int each = (int)word(o + (wide ? 58 : 46), 2), n = (int)word(o + (wide ? 60 : 48), 2);

    for (int i = 0; i < n; i++) {
        const unsigned char *h = table + i * each, *names;
        if (word(h + 4, 4) != 2) /* SHT_SYMTAB */
            continue;
        const unsigned char *at = o + word(h + (wide ? 24 : 16), wide ? 8 : 4), *end =
            at + word(h + (wide ? 32 : 20), wide ? 8 : 4);
        h = table + (int)word(h + (wide ? 40 : 24), 4) * each;
        names = o + word(h + (wide ? 24 : 16), wide ? 8 : 4);
        for (at += wide ? 24 : 16; at < end; at += wide ? 24 : 16) {
            const char *name = (const char *)names + word(at, 4);
            if (word(at + (wide ? 6 : 14), 2) == 0 && *name && !allowed(name)) {
                s.failures++;
                fprintf(stderr, "targets: %s: the object wants %s\n", s.to->name, name);
            }
        }
    }
}

/* ---- files ---- */

static const char *
in_folder(const char *name)
{
    return ir_format(&s.ctx->arena, "%s/%s", s.folder, name);
}

static void
write_file(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(in_folder(name), "w");

    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        exit(2);
}

/* Operands and results each at a multiple of 64; before the operands the number of the only
 * program to run, or -1;
 * before the results a status for each program. */
static void
print_harness(ir_buf *b)
{
    size_t in = 64, out = (4 * (size_t)s.n + 63) / 64 * 64;
    ir_buf calls;

    ir_buf_init(&calls, &s.ctx->arena);
    for (int i = 0; i < s.n; i++) {
        const ir_graph *f = s.p[i].f;
        ir_buf_printf(b, "int p%d(", s.p[i].number);
        ir_buf_printf(&calls,
                      "    if (which < 0 || which == %d)\n        ((int *)out)[%d] = p%d(", i,
                      i, s.p[i].number);
        for (int k = 0; k < f->n_in; k++, ir_buf_str(b, "void *, ")) {
            ir_buf_printf(&calls, "in + %zu, ", in);
            in += room(ir_type_at(f, f->in[k]));
        }
        for (int k = 0; k < f->n_out; k++, ir_buf_str(b, "void *, ")) {
            ir_buf_printf(&calls, "out + %zu, ", out);
            out += room(ir_type_at(f, f->out[k]));
        }
        const bool pool = s.fn[0][i].module && s.fn[0][i].module->parallel;
        ir_buf_str(b, pool ? "void *, void *);\n" : "void *);\n");
        ir_buf_str(&calls, pool ? "0, work);\n" : "work);\n");
    }
    s.in_bytes = in + 64;
    s.out_bytes = out + 64;
    ir_buf_printf(
        b,
        "#define ALIGNED __attribute__((aligned(64)))\n"
        "ALIGNED unsigned char in[%zu], out[%zu];\nstatic ALIGNED unsigned char work[%zu];\n",
        s.in_bytes, s.out_bytes, s.work + 64);
    ir_buf_str(b, s.to->linux_header ? machine_linux : "");
    ir_buf_str(b, machine_moves);
    ir_buf_printf(b, "void run(void)\n{\n    const int which = *(int *)in;\n%s}\n",
                  calls.n ? calls.text : "");
}

static void
write_operands(int only)
{
    FILE *file = fopen(in_folder("in"), "w");
    static const char zeros[128];
    const int which[16] = { only };

    if (file)
        fwrite(which, 1, sizeof which, file);

    for (int i = 0; i < s.n && file; i++)
        for (int k = 0; k < s.p[i].f->n_in; k++) {
            const ir_type *t = ir_type_at(s.p[i].f, s.p[i].f->in[k]);
            fwrite(s.in[i][k], 1, laws_bytes(t), file);
            fwrite(zeros, 1, room(t) - laws_bytes(t), file);
        }
    if (!file || fclose(file) != 0)
        exit(2);
}

/* ---- linking and running ---- */

static int
shell(const char *command, const char *more)
{
    return system(ir_format(&s.ctx->arena, "cd %s && %s %s", s.folder, command, more));
}

static bool
all_zero(const unsigned char *at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (at[i])
            return false;
    return true;
}

/* The results of one program, or (only -1) of all.  What lies between two results is zero
 * before a run, and after it. */
static void
compare(const char *how, int only)
{
    unsigned char *out = calloc(1, s.out_bytes);
    size_t at = (4 * (size_t)s.n + 63) / 64 * 64;
    FILE *file = fopen(in_folder("out"), "r");

    if (!file || fread(out, 1, s.out_bytes, file) != s.out_bytes) {
        s.failures++;
        fprintf(stderr, "targets: %s: '%s' writes too little\n", s.to->name, how);
    } else
        for (int i = 0; i < s.n; i++) {
            const ir_graph *f = s.p[i].f;
            bool same = word(out + 4 * i, 4) == 0;
            for (int k = 0; k < f->n_out; k++) {
                const ir_type *t = ir_type_at(f, f->out[k]);
                memcpy(s.got[i][k], out + at, laws_bytes(t));
                same &= laws_differ(t, s.want[i][k], s.got[i][k]) < 0 &&
                        all_zero(out + at + laws_bytes(t), room(t) - laws_bytes(t));
                at += room(t);
            }
            if (!same && (only < 0 || only == i))
                wrong(i, how, "differs from the evaluator, or writes beside its results");
        }
    if (file)
        fclose(file);
    free(out);
}

static bool
says(const char *file, const char *what)
{
    return shell("grep -q", ir_format(&s.ctx->arena, "'%s' %s", what, file)) == 0;
}

/* Something crashed: which program?  An emulator that fails an assertion of its own (qemu 7.2,
 * where a vector is converted to integers) says nothing about us. */
static void
run_each(const char *how)
{
    int left_out = 0;

    for (int i = 0; i < s.n; i++) {
        write_operands(i);
        if (shell(how, "<in >out 2>err") == 0)
            compare(how, i);
        else if (says("err", "Assertion"))
            left_out++;
        else
            wrong(i, how, "crashes");
    }
    write_operands(-1);
    printf("targets: %s: '%s' fails itself at %d of %d programs\n", s.to->name, how, left_out,
           s.n);
}

static void
link_and_run(void)
{
    const char *link = machine_linker(s.to);
    int ran = 0;

    if (!link) {
        printf("targets: %s: built; not linked: no %.*s\n", s.to->name,
               (int)strcspn(s.to->link[0], " "), s.to->link[0]);
        return;
    }
    if (shell(link, "") != 0) {
        s.failures++;
        fprintf(stderr, "targets: %s: does not link\n", s.to->name);
        return;
    }
    for (int k = 0; k < 3 && s.to->run[k]; k++) {
        if (!machine_installed(s.to->run[k])) {
            printf("targets: %s: not run: no %.*s\n", s.to->name,
                   (int)strcspn(s.to->run[k], " "), s.to->run[k]);
            continue;
        }
        if (shell(s.to->run[k], "<in >out 2>err") != 0)
            run_each(s.to->run[k]);
        else
            compare(s.to->run[k], -1);
        ran++;
    }
    printf("targets: %s: %d programs, run in %d ways\n", s.to->name, s.n, ran);
}

static bool
compile_object(void)
{
    const void *bytes;
    size_t size;

    if (cg_llvm()->emit_versions(s.ctx, s.n_versions, s.v, CG_TO_OBJECT, s.n, &s.ctx->arena,
                                 &bytes, &size) != COT_OK) {
        s.failures++;
        fprintf(stderr, "targets: %s: %s\n", s.to->name, cot_error(s.ctx));
        return false;
    }
    if (memcmp(bytes, "\177ELF", 4) == 0)
        check_undefined(bytes);
    write_file("x.o", bytes, size);
    return true;
}

static bool
compile_c(void)
{
    const void *bytes;
    size_t size;
    struct stat about;

    if (!machine_installed(s.to->cc)) {
        printf("targets: %s: not compiled: no %.*s\n", s.to->name, (int)strcspn(s.to->cc, " "),
               s.to->cc);
        return false;
    }
    if (cg_c()->emit(s.ctx, &s.v[0].target, CG_TO_C, s.n, s.fn[0], &s.ctx->arena, &bytes,
                     &size) != COT_OK) {
        s.failures++;
        fprintf(stderr, "targets: %s: %s\n", s.to->name, cot_error(s.ctx));
        return false;
    }
    write_file("x.c", bytes, size);
    FILE *file = shell(s.to->cc, "") == 0 ? fopen(in_folder("x.o"), "r") : NULL;
    unsigned char *object =
        file && fstat(fileno(file), &about) == 0 ? calloc(1, (size_t)about.st_size) : NULL;
    if (object && fread(object, 1, (size_t)about.st_size, file) == (size_t)about.st_size)
        check_undefined(object);
    else {
        s.failures++;
        fprintf(stderr, "targets: %s: does not compile\n", s.to->name);
    }
    if (file)
        fclose(file);
    free(object);
    return s.failures == 0;
}

static void
make_files(void)
{
    ir_buf b;

    if (!(s.to->cc ? compile_c() : compile_object()))
        return;
    ir_buf_init(&b, &s.ctx->arena);
    print_harness(&b);
    write_file("harness.c", b.text, b.n);
    ir_buf_init(&b, &s.ctx->arena);
    ir_buf_printf(&b, "const OUT = %zu;\n%s", s.out_bytes, machine_node);
    write_file("run.js", b.text, b.n);
    write_operands(-1);
    link_and_run();
}

int
main(int argc, char **argv)
{
    /* volatile: it is read after the recovery point, to which an error jumps back */
    const volatile bool classes = argc == 5 && strcmp(argv[2], "--sizes") == 0;
    const int first = argc > 2 ? atoi(argv[2]) : 0, step = argc > 3 ? atoi(argv[3]) : 97;

    s.to = argc > 1 ? machine_named(argv[1]) : NULL;
    strcpy(s.folder, "/tmp/targets-XXXXXX");
    if (!s.to || !mkdtemp(s.folder))
        return fprintf(stderr,
                       "usage: targets MACHINE FIRST STEP | MACHINE --sizes SEED COUNT\n"),
               2;
    s.ctx = cot_context_new(NULL);
    s.n_versions = 1;
    IR_TRY(s.ctx) {
        for (int i = first; i < laws_count() && s.n < MAX_PROGRAMS && !classes; i += step)
            add_law(i);
        for (int i = 0; classes && i < atoi(argv[4]) && s.n < MAX_PROGRAMS; i++)
            add_class(classes_sample(strtoull(argv[3], NULL, 10), i));
        if (s.failures == 0)
            make_files();
    }
    if (!getenv("KEEP"))
        shell("rm -rf", s.folder);
    for (int i = 0; i < s.n; i++) {
        laws_free(s.p[i].f->n_in, s.in[i]);
        laws_free(s.p[i].f->n_out, s.want[i]);
        laws_free(s.p[i].f->n_out, s.got[i]);
    }
    cot_context_free(s.ctx);
    return s.failures > 0;
}
