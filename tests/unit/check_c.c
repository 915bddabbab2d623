/* The C emitter: the graphs of check_lower.c as one C file, compiled by the system's
 * compilers, give the bits of the reference evaluator.  What the emitter refuses it refuses
 * with a sentence, and it refuses little. */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#include "codegen/lower.h"
#include "lower_graphs.h"
#include "passes/pass.h"
#include "tests/unit/suite.h"
#include "trial.h"

enum { MAX_GRAPHS = 256, MAX_REFUSED = 0 };

/* `feature`: what the processor must have to run the code (as /proc/cpuinfo lists it); where it
 * has not, the compiler only reads the file.  In gnu modes the headers of a processor with
 * arithmetic of halves define FLT_EVAL_METHOD as 16. */
static const struct {
    const char *compiler;
    int vector_bits;
    const char *feature;
} row[] = {
    { "gcc -std=c11 -O2 -march=native", 256, NULL },
    { "gcc -std=c11 -O0", 32, NULL },
    { "clang -std=c11 -O2 -march=native", 128, NULL },
    { "gcc -std=gnu11 -O2 -march=sapphirerapids", 512, "avx512_fp16" },
    { "clang -std=gnu11 -O2 -march=sapphirerapids", 512, "avx512_fp16" },
};

static bool
can_run(const char *compiler)
{
    char command[256];
    snprintf(command, sizeof command,
             "echo 'int x;' | %s -x c -c - -o /dev/null >/dev/null 2>&1", compiler);
    return system(command) == 0;
}

static bool
has_feature(const char *name)
{
    char command[128];

    snprintf(command, sizeof command, "grep -qw %s /proc/cpuinfo 2>/dev/null", name);
    return system(command) == 0;
}

static ir_graph *
prepared(cot_context *ctx, const lower_graph *g)
{
    ir_module m;
    ir_graph *f;
    ck_assert_msg(ir_parse(ctx, g->name, g->text, strlen(g->text), &m) == COT_OK, "%s: %s",
                  g->name, cot_error(ctx));
    ck_assert_msg(pass_prepare(m.fn[m.n - 1], &f) == COT_OK, "%s: %s", g->name, cot_error(ctx));
    return f;
}

/* Every graph that C carries, in one text. */
static int
collect(cot_context *ctx, ir_arena *a, int bits, cg_natural *fn, ir_graph **graph,
        const lower_graph **of)
{
    int n = 0, refused = 0;
    cg_target target = {
        .vector_bits = bits, .registers = 16, .l1 = 32 << 10, .l2 = 512 << 10, .l3 = 8 << 20
    };
    cg_lower_options o = { .target = &target, .threads = 1, .fuse = true };
    for (int i = 0; i < (int)lower_graph_count; i++) {
        cg_module *m;
        const void *bytes;
        size_t size;
        graph[n] = prepared(ctx, &lower_graphs[i]);
        ck_assert_msg(cg_lower(graph[n], &o, a, &m) == COT_OK, "%s: %s", lower_graphs[i].name,
                      cot_error(ctx));
        fn[n] = (cg_natural){ .name = ir_format(a, "g%d", i),
                              .module = m,
                              .n_in = graph[n]->n_in,
                              .n_out = graph[n]->n_out };
        of[n] = &lower_graphs[i];
        if (cg_c()->emit(ctx, &target, CG_TO_C, 1, &fn[n], a, &bytes, &size) == COT_OK) {
            n++;
            continue;
        }
        ck_assert_msg(strstr(cot_error(ctx), "C source") != NULL, "%s", cot_error(ctx));
        cot_error_clear(ctx);
        refused++;
    }
    ck_assert_int_le(refused, MAX_REFUSED);
    return n;
}

static void
compare(const ir_graph *f, const lower_graph *g, cg_entry *packed(void *, const char *),
        void *library, const char *name, int64_t work_bytes)
{
    uint64_t state = 7;
    void **in = calloc((size_t)f->n_in + 1, sizeof *in),
         **want = calloc((size_t)f->n_out + 1, sizeof *want);
    void **args = calloc((size_t)(f->n_in + f->n_out) + 1, sizeof *args);
    for (int i = 0; i < f->n_in; i++) {
        args[i] = in[i] = room(ir_type_at(f, f->in[i]));
        fill(in[i], ir_type_at(f, f->in[i]), &state, g->special);
    }
    for (int i = 0; i < f->n_out; i++) {
        want[i] = room(ir_type_at(f, f->out[i]));
        args[f->n_in + i] = room(ir_type_at(f, f->out[i]));
    }
    ck_assert_int_eq(ir_eval(f, want, (const void *const *)in), COT_OK);
    void *work = aligned_alloc(64, (size_t)(work_bytes + 128) / 64 * 64);
    ck_assert_int_eq(packed(library, name)(args, work), 0);
    for (int i = 0; i < f->n_out; i++) {
        const ir_type *t = ir_type_at(f, f->out[i]);
        for (int64_t k = 0; k < t->size; k++)
            ck_assert_msg(same(t, want[i], args[f->n_in + i], k),
                          "%s: output %d differs at %lld", g->name, i, (long long)k);
        free(want[i]);
        free(args[f->n_in + i]);
    }
    for (int i = 0; i < f->n_in; i++)
        free(in[i]);
    free(work), free(in), free(want), free(args);
}

static cg_entry *
entry_of(void *library, const char *name)
{
    union {
        void *p;
        cg_entry *f;
    } u;
    char symbol[64];
    snprintf(symbol, sizeof symbol, "entry_%s", name);
    u.p = dlsym(library, symbol);
    ck_assert_msg(u.p != NULL, "%s", symbol);
    return u.f;
}

/* The test's own lines at the end of the file pack the arguments. */
static void
write_file(const char *path, const void *bytes, size_t size, int n, const cg_natural *fn)
{
    FILE *f = fopen(path, "w");
    ck_assert(f != NULL);
    fwrite(bytes, 1, size, f);
    for (int i = 0; i < n; i++) {
        fprintf(f,
                "int entry_%s(void *const *args, void *work);\nint entry_%s(void *const *args, "
                "void *work) { return %s(",
                fn[i].name, fn[i].name, fn[i].name);
        for (int k = 0; k < fn[i].n_in + fn[i].n_out; k++)
            fprintf(f, "args[%d], ", k);
        fprintf(f, "work); }\n");
    }
    fclose(f);
}

START_TEST(c_agrees_with_the_evaluator)
{
    static cg_natural fn[MAX_GRAPHS];
    static ir_graph *graph[MAX_GRAPHS];
    static const lower_graph *of[MAX_GRAPHS];
    char folder[] = "/tmp/cotrace-XXXXXX", source[64], object[64], command[512];
    const bool runs = !row[_i].feature || has_feature(row[_i].feature);
    const void *bytes;
    size_t size;
    ir_arena a;
    if (!can_run(row[_i].compiler)) {
        printf("skipped: %s is not here\n", row[_i].compiler);
        return;
    }
    cot_context *ctx = cot_context_new(NULL);
    ir_arena_init(&a, ctx);
    const cg_target target = { .vector_bits = row[_i].vector_bits };
    int n = collect(ctx, &a, row[_i].vector_bits, fn, graph, of);
    ck_assert_int_eq(cg_c()->emit(ctx, &target, CG_TO_C, n, fn, &a, &bytes, &size), COT_OK);
    ck_assert(mkdtemp(folder) != NULL);
    snprintf(source, sizeof source, "%s/all.c", folder);
    snprintf(object, sizeof object, "%s/all.so", folder);
    write_file(source, bytes, size, n, fn);
    snprintf(command, sizeof command,
             "%s -Wall -Wextra -Wpedantic -Wconversion -Werror %s %s -o %s", row[_i].compiler,
             runs ? "-shared -fPIC" : "-fsyntax-only", source, object);
    ck_assert_msg(system(command) == 0, "%s", command);
    void *library = runs ? dlopen(object, RTLD_NOW) : NULL;
    ck_assert_msg(library != NULL || !runs, "%s", dlerror());
    for (int i = 0; i < n && runs; i++)
        compare(graph[i], of[i], entry_of, library, fn[i].name, fn[i].module->work_bytes);
    if (runs)
        dlclose(library);
    remove(source), remove(object), rmdir(folder);
    ir_arena_free(&a);
    cot_context_free(ctx);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(c_agrees_with_the_evaluator, sizeof row / sizeof *row),
    };

    return SUITE("c", cases);
}
