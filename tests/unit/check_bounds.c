/* Products and inner products touch nothing beside their arguments, results and work block, and
 * give the evaluator's bits: on processors without masked loads and stores, on those that have
 * them for some types, and at every width.  Each buffer lies between red zones, and then
 * against a page that nobody may touch, so that a read beside it stops the test.
 *
 * The mistakes that it holds: a store of lanes under a mask forgot that its whole row was to be
 * left out, where the machine has no masked store; and the last, partial step of an inner
 * product was added by the block before it, too. */
#include <stdio.h>

#include "cotrace/cotrace.h"
#include "ir/array.h"
#include "runtime/compile.h"
#include "tests/redzone.h"
#include "tests/sizes.h"
#include "tests/unit/suite.h"
#include "trial.h"

enum { MAX_ARRAYS = 8 };

/* Of this machine's kind: what it has of masked moves is the lesser processor's. */
static const char *const processors[] = { "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4",
                                          NULL };
static const int widths[] = { 32, 128, 256, 512 };

static bool
runs_here(const char *cpu)
{
#if defined(__x86_64__)
    return !cpu || strcmp(cpu, "x86-64") == 0 ||
           (strcmp(cpu, "x86-64-v2") == 0 && __builtin_cpu_supports("sse4.2")) ||
           (strcmp(cpu, "x86-64-v3") == 0 && __builtin_cpu_supports("avx2") &&
            __builtin_cpu_supports("fma")) ||
           (strcmp(cpu, "x86-64-v4") == 0 && __builtin_cpu_supports("avx512vl") &&
            __builtin_cpu_supports("avx512bw"));
#else
    return !cpu;
#endif
}

static size_t
bytes_of(const ir_type *t)
{
    return (size_t)t->size * cot_dtype_size(t->dtype);
}

static void
expect_whole(const redzone *z, const char *what, int number, const char *text, const char *how)
{
    ptrdiff_t at = 0;

    ck_assert_msg(redzone_good(z, &at), "%s: %s %d of %d bytes was damaged at byte %d\n%s", how,
                  what, number, (int)z->n, (int)at, text);
}

static void
run_between(const cot_kernel *k, const ir_graph *f, void *const *given, void *const *want,
            redzone_kind kind, const char *text, const char *how)
{
    redzone z[MAX_ARRAYS], work;
    void *args[MAX_ARRAYS + 1] = { 0 };
    const int n = f->n_in + f->n_out;

    for (int i = 0; i < n; i++) {
        const ir_type *t = ir_type_at(f, i < f->n_in ? f->in[i] : f->out[i - f->n_in]);
        args[i] = redzone_new(&z[i], bytes_of(t), cot_dtype_size(t->dtype), kind);
        if (i < f->n_in)
            memcpy(args[i], given[i], bytes_of(t));
    }
    args[n] = k->pool;
    ck_assert_int_eq(rt_call_kernel(k, args, redzone_new(&work, k->work_bytes, 64, kind)),
                     COT_OK);
    for (int i = 0; i < n; i++)
        expect_whole(&z[i], i < f->n_in ? "argument" : "result", i, text, how);
    expect_whole(&work, "work block", 0, text, how);
    for (int i = 0; i < f->n_out; i++)
        for (int64_t e = 0; e < ir_type_at(f, f->out[i])->size; e++)
            ck_assert_msg(same(ir_type_at(f, f->out[i]), want[i], args[f->n_in + i], e),
                          "%s: element %d of result %d is not the evaluator's\n%s", how, (int)e,
                          i, text);
    for (int i = 0; i < n; i++)
        redzone_free(&z[i]);
    redzone_free(&work);
}

static void
run_by(const ir_graph *f, const cot_compile_options *o, void *const *given, void *const *want,
       const char *text)
{
    char how[64];
    cot_kernel *k;

    snprintf(how, sizeof how, "%s, %d bits, %d threads", o->cpu ? o->cpu : "this machine",
             o->vector_bits, o->threads);
    ck_assert_msg(cot_compile_graph(f, o, &k) == COT_OK, "%s: %s\n%s", how, cot_error(ctx),
                  text);
    for (redzone_kind kind = REDZONE_BOTH; kind <= REDZONE_BEGIN; kind++)
        run_between(k, f, given, want, kind, text, how);
    cot_kernel_free(k);
}

static void
evaluate(const ir_graph *f, void *const *given, void *const *want)
{
    void *args[MAX_ARRAYS + 1] = { 0 };
    cot_kernel *k;

    memcpy(args, given, sizeof *args * (size_t)f->n_in);
    memcpy(args + f->n_in, want, sizeof *args * (size_t)f->n_out);
    ck_assert_int_eq(cot_compile_graph(f, &(cot_compile_options){ .backend = "eval" }, &k),
                     COT_OK);
    ck_assert_int_eq(rt_call_kernel(k, args, NULL), COT_OK);
    cot_kernel_free(k);
}

/* By all processors, or at all widths of this one and with two threads. */
static void
stays_inside(const char *text, bool by_processors)
{
    const cot_graph *f;
    void *given[MAX_ARRAYS], *want[MAX_ARRAYS];
    uint64_t state = 7;
    cg_target host = { 0 };

    ck_assert_int_eq(cg_llvm()->target(ctx, &host), COT_OK);
    ck_assert_msg(cot_parse(ctx, "test", text, strlen(text), NULL, &f) == COT_OK, "%s\n%s",
                  cot_error(ctx), text);
    for (int i = 0; i < f->n_in; i++)
        fill(given[i] = room(ir_type_at(f, f->in[i])), ir_type_at(f, f->in[i]), &state, false);
    for (int i = 0; i < f->n_out; i++)
        want[i] = room(ir_type_at(f, f->out[i]));
    evaluate(f, given, want);
    for (size_t i = 0; by_processors && i < sizeof processors / sizeof *processors; i++)
        if (runs_here(processors[i]))
            run_by(
                f,
                &(cot_compile_options){ .backend = "jit", .cpu = processors[i], .threads = 1 },
                given, want, text);
    for (size_t i = 0; !by_processors && i < 4 && widths[i] <= host.vector_bits; i++)
        run_by(f,
               &(cot_compile_options){
                   .backend = "jit", .vector_bits = widths[i], .threads = 1 + (int)(i % 2) },
               given, want, text);
    for (int i = 0; i < f->n_in; i++)
        free(given[i]);
    for (int i = 0; i < f->n_out; i++)
        free(want[i]);
}

static const char *const types[] = { "f16", "bf16", "f32", "f64", "i32" };
enum { TYPES = 5 };

START_TEST(products_of_odd_sizes)
{
    static const int row[][3] = { { 7, 7, 5 }, { 9, 5, 17 }, { 13, 11, 7 }, { 7, 23, 300 } };
    const int *s = row[_i / TYPES];
    const char *t = types[_i % TYPES];
    char text[512];

    snprintf(text, sizeof text,
             "fn @f(%%x: %s[%d,%d], %%y: %s[%d,%d]) -> %s[%d,%d] {\n"
             "  %%0 = dot_general %%x, %%y {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : "
             "%s[%d,%d]\n  ret %%0\n}\n",
             t, s[0], s[2], t, s[2], s[1], t, s[0], s[1], t, s[0], s[1]);
    stays_inside(text, true);
}
END_TEST

/* The last step of the last block is its own alone. */
START_TEST(inner_products_with_a_tail)
{
    static const int row[] = { 513, 544, 1055, 1569 };
    const int k = row[_i / TYPES];
    const char *t = types[_i % TYPES];
    char text[1024];

    snprintf(
        text, sizeof text,
        "fn @f(%%x: %s[%d], %%y: %s[%d], %%z: %s[3,%d]) -> (%s[], %s[3]) {\n"
        "  %%0 = dot_general %%x, %%y {lhs=[0], rhs=[0], lhs_batch=[], rhs_batch=[]} : %s[]\n"
        "  %%1 = dot_general %%z, %%x {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : %s[3]\n"
        "  ret %%0, %%1\n}\n",
        t, k, t, k, t, k, t, t, t, t);
    stays_inside(text, false);
}
END_TEST

/* A zone that is damaged is seen, wherever that is. */
START_TEST(damage_is_seen)
{
    static const int at[] = { -1, 10, 11, REDZONE_BYTES, -REDZONE_BYTES };
    redzone z;
    unsigned char *p = redzone_new(&z, 10, 4, REDZONE_BOTH);
    ptrdiff_t where = 0;

    memset(p, 1, 10);
    ck_assert(redzone_good(&z, &where));
    p[at[_i]] ^= 1;
    ck_assert(!redzone_good(&z, &where));
    ck_assert_int_eq(where, at[_i]);
    redzone_free(&z);
}
END_TEST

/* Any two sizes meet in any two axes. */
START_TEST(rows_have_all_pairs)
{
    const int64_t n = SIZES_FEW;
    const int a = _i % 4, b = _i / 4;

    for (int64_t x = 0; x < n && a != b; x++)
        for (int64_t y = 0; y < n; y++) {
            bool met = false;
            for (int64_t r = 0; r < sizes_rows(n) && !met; r++)
                met = sizes_row(sizes_few, n, r, a) == sizes_few[x] &&
                      sizes_row(sizes_few, n, r, b) == sizes_few[y];
            ck_assert_msg(met, "axes %d, %d: sizes %d, %d", a, b, (int)sizes_few[x],
                          (int)sizes_few[y]);
        }
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(products_of_odd_sizes, 4 * TYPES),
        EACH(inner_products_with_a_tail, 4 * TYPES),
        EACH(damage_is_seen, 5),
        EACH(rows_have_all_pairs, 16),
    };

    return SUITE("bounds", cases);
}
