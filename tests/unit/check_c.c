/* Kernels as C source: what a C compiler makes of them has the bits of the twin (A14).
 *
 * The graphs of check_lower.c, and one of all elementary functions for each floating type, go into one
 * self-contained file, which is compiled by each compiler present and loaded.  What the C emitter does not
 * carry is refused with a message that says so; nothing else may fail. */
#include <check.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "codegen/backend.h"
#include "codegen/lower.h"
#include "ir/context.h"
#include "ir/op.h"
#include "kernels.h"
#include "lower_graphs.h"
#include "passes/pass.h"

enum { MOST = 160 };

typedef int c_entry(void *const *args, void *work);

typedef struct sample {
    const char *name;
    ir_graph *f;
    cg_module *m;
    bool special;
} sample;

static cot_context *ctx;
static ir_arena arena;
static sample samples[MOST];
static cg_natural natural[MOST];
static int n_samples, n_refused;

static const char *
elementary_graph(const char *type)
{
    ir_buf b;
    int n = 0;

    ir_buf_init(&b, &arena);
    ir_buf_printf(&b, "fn @f(%%x: %s[67]) -> (", type);
    for (int pass = 0; pass < 2; pass++) {
        n = 0;
        for (int op = OP_FIRST; op < OP_COUNT; op++) {
            cot_dtype t = COT_F32;
            if (ir_ops[op].flag != IR_POINTWISE || ir_ops[op].record != IR_AT_none || ir_ops[op].n_in > 2 ||
                ir_sc_of(ctx, op, NULL, ir_ops[op].n_in, (cot_dtype[]){ t, t }, t) == NULL || op == OP_is_finite ||
                (op >= OP_and && op <= OP_ge) || op == OP_not || op == OP_popcnt || op == OP_clz)
                continue;
            if (pass == 0)
                ir_buf_printf(&b, "%s%s[67]", n ? ", " : "", type);
            else
                ir_buf_printf(&b, "  %%%d = %s %%x%s : %s[67]\n", n, ir_ops[op].name,
                              ir_ops[op].n_in == 2 ? ", %x" : "", type);
            n++;
        }
        ir_buf_str(&b, pass == 0 ? ") {\n" : "  ret ");
    }
    for (int i = 0; i < n; i++)
        ir_buf_printf(&b, "%s%%%d", i ? ", " : "", i);
    ir_buf_str(&b, "\n}\n");
    return b.text;
}

/* Lower the graph; keep it if the C emitter carries it. */
static void
add(const char *name, const char *text, bool special)
{
    ir_module m;
    sample *s = &samples[n_samples];
    cg_target target = { .vector_bits = 256, .registers = 16 };
    cg_lower_options o = { .target = &target, .threads = 1, .fuse = true };
    const void *bytes;
    size_t size;

    ck_assert_msg(ir_parse(ctx, name, text, strlen(text), &m) == COT_OK, "%s: %s", name, cot_error(ctx));
    ck_assert_msg(pass_prepare(m.fn[m.n - 1], &s->f) == COT_OK, "%s: %s", name, cot_error(ctx));
    ck_assert_msg(cg_lower(s->f, &o, &arena, &s->m) == COT_OK, "%s: %s", name, cot_error(ctx));
    natural[n_samples] = (cg_natural){ ir_format(&arena, "f%d", n_samples), s->m, s->f->n_in, s->f->n_out, NULL };
    if (cg_c()->emit(ctx, &target, CG_TO_C, 1, &natural[n_samples], &arena, &bytes, &size) != COT_OK) {
        ck_assert_msg(strstr(cot_error(ctx), "C source") != NULL, "%s: %s", name, cot_error(ctx));
        cot_error_clear(ctx);
        n_refused++;
        return;
    }
    s->name = name;
    s->special = special;
    n_samples++;
}

static void
write_file(const char *path)
{
    const void *bytes;
    size_t size;
    cg_target target = { .vector_bits = 256 };
    FILE *f = fopen(path, "w");

    ck_assert_ptr_nonnull(f);
    cot_status status = cg_c()->emit(ctx, &target, CG_TO_C, n_samples, natural, &arena, &bytes, &size);
    ck_assert_msg(status == COT_OK, "%s", cot_error(ctx));
    fwrite(bytes, 1, size, f);
    /* The natural entries have a type each; a table of entries of one type serves the test. */
    for (int i = 0; i < n_samples; i++)
        fprintf(f, "int test_f%d(void *const *args, void *work) { return f%d_%s(args, work); }\n", i, i,
                samples[i].m->kernel[0]->name);
    fclose(f);
}

static void
run_one(const sample *s, c_entry *entry, const char *compiler, uint64_t state)
{
    const ir_graph *f = s->f;
    void **args = calloc((size_t)(f->n_in + f->n_out) + 1, sizeof *args);
    void **want = calloc((size_t)f->n_out + 1, sizeof *want);
    void *work = aligned_alloc(64, (size_t)(s->m->work_bytes + 64) / 64 * 64);

    for (int i = 0; i < f->n_in; i++) {
        args[i] = room(ir_type_at(f, f->in[i]));
        fill(args[i], ir_type_at(f, f->in[i]), &state, s->special);
    }
    for (int i = 0; i < f->n_out; i++) {
        want[i] = room(ir_type_at(f, f->out[i]));
        args[f->n_in + i] = room(ir_type_at(f, f->out[i]));
    }
    ck_assert_int_eq(ir_eval(f, want, (const void *const *)args), COT_OK);
    ck_assert_int_eq(entry(args, work), 0);
    for (int i = 0; i < f->n_out; i++) {
        const ir_type *y = ir_type_at(f, f->out[i]);
        for (int64_t k = 0; k < y->size; k++)
            ck_assert_msg(same(y, want[i], args[f->n_in + i], k), "%s, by %s: output %d differs at %lld", s->name,
                          compiler, i, (long long)k);
        free(want[i]);
    }
    for (int i = 0; i < f->n_in + f->n_out; i++)
        free(args[i]);
    free(args);
    free(want);
    free(work);
}

static const char *
machine_flags(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return "-mavx2 -mfma";
#endif
    return "";
}

static void
compile_and_run(const char *compiler, const char *folder)
{
    const char *library = ir_format(&arena, "%s/%s.so", folder, compiler);
    const char *command = ir_format(&arena, "%s -std=c11 -O1 %s -Wall -Wextra -Wno-psabi -Werror -shared -fPIC -o %s %s/f.c",
                                    compiler, machine_flags(), library, folder);

    if (system(ir_format(&arena, "command -v %s > /dev/null", compiler)) != 0)
        return;
    ck_assert_msg(system(command) == 0, "%s", command);
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(handle != NULL, "%s", dlerror());
    for (int i = 0; i < n_samples; i++) {
        c_entry *entry;
        void *symbol = dlsym(handle, ir_format(&arena, "test_f%d", i));
        ck_assert_ptr_nonnull(symbol);
        memcpy(&entry, &symbol, sizeof entry);
        for (uint64_t seed = 1; seed < 4; seed++)
            run_one(&samples[i], entry, compiler, seed);
    }
    dlclose(handle);
    remove(library);
}

START_TEST(compilers_agree_with_the_twin)
{
    char folder[] = "/tmp/cot-c-XXXXXX";

    ctx = cot_context_new(NULL);
    ir_arena_init(&arena, ctx);
    for (size_t i = 0; i < sizeof lower_graphs / sizeof *lower_graphs; i++)
        add(lower_graphs[i].name, lower_graphs[i].text, lower_graphs[i].special);
    add("elementary f32", elementary_graph("f32"), true);
    add("elementary f64", elementary_graph("f64"), true);
    add("elementary f16", elementary_graph("f16"), true);
    ck_assert_ptr_nonnull(mkdtemp(folder));
    write_file(ir_format(&arena, "%s/f.c", folder));
    if (getenv("KEEP") != NULL)
        printf("%s: %d graphs, %d refused\n", folder, n_samples, n_refused);
    compile_and_run("gcc", folder);
    compile_and_run("clang", folder);
    if (getenv("KEEP") == NULL) {
        remove(ir_format(&arena, "%s/f.c", folder));
        rmdir(folder);
    }
    ck_assert_msg(n_refused * 4 < n_samples, "%d graphs of %d refused", n_refused, n_refused + n_samples);
    ir_arena_free(&arena);
    cot_context_free(ctx);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("c");
    TCase *t = tcase_create("c");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, compilers_agree_with_the_twin);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? 0 : 1;
}
