/* The profile: runs are counted exactly, in loops, branches, functions and threads; results
 * keep their bits; code without probes is what it was; the file is JSON. */
#define _GNU_SOURCE
#include <jansson.h>
#include <pthread.h>
#include <unistd.h>

#include "cotrace/cotrace.h"

#include "codegen/backend.h"
#include "codegen/kernel/cost.h"
#include "codegen/kernel/probe.h"
#include "runtime/profile.h"
#include "tests/unit/suite.h"

#define PRODUCT "dot_general %w, %x {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[40,40]"

/* Seven steps of a scan; a while that runs five times; one of two branches by the first
 * argument. */
static const char program[] =
    "fn @step(%w: f32[40,40], %x: f32[40,40]) -> f32[40,40] {\n"
    "  %0 = " PRODUCT "\n"
    "  %1 = tanh %0 : f32[40,40]\n"
    "  ret %1\n}\n"
    "fn @less(%i: i32[], %x: f32[40,40]) -> bool[] {\n"
    "  %0 = constant {data=5} : i32[]\n"
    "  %1 = lt %i, %0 : bool[]\n"
    "  ret %1\n}\n"
    "fn @more(%i: i32[], %x: f32[40,40]) -> (i32[], f32[40,40]) {\n"
    "  %0 = constant {data=1} : i32[]\n"
    "  %1 = add %i, %0 : i32[]\n"
    "  %2 = cumsum %x {axis=0} : f32[40,40]\n"
    "  %3 = sin %2 : f32[40,40]\n"
    "  ret %1, %3\n}\n"
    "fn @turned(%x: f32[40,40]) -> f32[40,40] {\n"
    "  %0 = reverse %x {axes=[1]} : f32[40,40]\n"
    "  ret %0\n}\n"
    "fn @ordered(%x: f32[40,40]) -> f32[40,40] {\n"
    "  %0 = cummax %x {axis=1} : f32[40,40]\n"
    "  ret %0\n}\n"
    "fn @f(%p: i32[], %w: f32[40,40], %x: f32[40,40]) -> f32[40,40] {\n"
    "  %0 = scan %w, %x {consts=1, carries=1, length=7, body=@step} : f32[40,40]\n"
    "  %1 = constant {data=0} : i32[]\n"
    "  %2, %3 = while %1, %0 {cond=@less, body=@more} : (i32[], f32[40,40])\n"
    "  %4 = cond %p, %3 {branches=[@turned, @ordered]} : f32[40,40]\n"
    "  ret %4\n}\n";

/* Without LLVM the back end c twice. */
static const char *
backend(int i)
{
    return i && cg_llvm() ? "jit" : "c";
}

typedef struct tried {
    cot_context *ctx;
    const cot_graph *graph;
    cot_kernel *k;
    cot_array *arg[3], *out;
} tried;

static tried
try_new(const char *backend, int threads, const char *profile)
{
    tried t = { .ctx =
                    cot_context_new(&(cot_options){ .profile = profile, .cache_dir = "off" }) };
    const cot_compile_options o = { .backend = backend, .threads = threads };
    cot_context *c = t.ctx;

    ck_assert_msg(cot_parse(c, "f.cot", program, sizeof program - 1, "f", &t.graph) == COT_OK,
                  "%s", cot_error(c));
    ck_assert_msg(cot_compile_graph(t.graph, &o, &t.k) == COT_OK, "%s", cot_error(c));
    for (int i = 0; i < 3; i++)
        t.arg[i] = cot_array_new(c, i ? cot_f32(40, 40) : cot_i32());
    t.out = cot_array_new(c, cot_f32(40, 40));
    *(int32_t *)cot_array_data(t.arg[0]) = 0;
    for (int i = 0; i < 1600; i++) {
        ((float *)cot_array_data(t.arg[1]))[i] = (float)(i % 7) * 0.1f - 0.3f;
        ((float *)cot_array_data(t.arg[2]))[i] = (float)(i % 11) * 0.2f - 1;
    }
    return t;
}

static void
try_run(const tried *t, int branch)
{
    *(int32_t *)cot_array_data(t->arg[0]) = branch;
    ck_assert_int_eq(
        cot_run(t->k, (cot_array *const[]){ t->out }, (const cot_array *const *)t->arg),
        COT_OK);
}

static void
try_free(tried *t)
{
    for (int i = 0; i < 3; i++)
        cot_array_free(t->arg[i]);
    cot_array_free(t->out);
    cot_kernel_free(t->k);
    cot_context_free(t->ctx);
}

/* The runs of the kernels whose names begin so; -1: there is none. */
static int64_t
runs_of(const tried *t, const char *name)
{
    int64_t runs = -1;

    for (rt_counter *c = t->k->profile->first; c; c = c->next)
        if (strncmp(c->name, name, strlen(name)) == 0)
            runs = (runs < 0 ? 0 : runs) + atomic_load(&c->runs);
    return runs;
}

START_TEST(counts)
{
    for (int i = 0; i < 3; i++) {
        tried t = try_new(backend(i), 1 + i / 2, "/dev/null");

        for (int call = 0; call < 5; call++)
            try_run(&t, call >= 3);
        ck_assert_int_eq(runs_of(&t, "dot"), 7 * 5);
        ck_assert_int_eq(runs_of(&t, "reverse"), 3);
        ck_assert_int_eq(runs_of(&t, "cummax"), 2);
        ck_assert_int_eq(runs_of(&t, "cumsum"), 5 * 5);
        for (rt_counter *c = t.k->profile->first; c; c = c->next)
            ck_assert_int_ge(atomic_load(&c->ticks), 0);
        rt_profile_clear(t.k->profile);
        ck_assert_int_eq(runs_of(&t, "dot"), 0);
        try_free(&t);
    }
}
END_TEST

static int64_t
around(const cot_kernel *k, const char *name)
{
    for (rt_counter *c = k->profile->first; c; c = c->next)
        if (strcmp(c->name, name) == 0)
            return c->around;
    ck_abort_msg("no row %s", name);
}

/* A step of the loop goes through a row of the stack, the carry and a sum; the entry, once,
 * through all of the stack, and the argument and the result besides. */
START_TEST(working_sets)
{
    static const char text[] = "fn @step(%h: f32[100], %x: f32[100]) -> f32[100] {\n"
                               "  %0 = cumsum %x {axis=0}\n  %1 = add %0, %h\n  ret %1\n}\n"
                               "fn @f(%h: f32[100], %xs: f32[8,100]) -> f32[100] {\n"
                               "  %0 = scan %h, %xs {consts=0, carries=1, length=8, "
                               "body=@step} : f32[100]\n"
                               "  %1 = reverse %0 {axes=[0]}\n  ret %1\n}\n";
    cot_context *c = cot_context_new(&(cot_options){ .profile = "/dev/null" });
    const cot_graph *g;
    cot_kernel *k;

    ck_assert_int_eq(cot_parse(c, "f.cot", text, sizeof text - 1, "f", &g), COT_OK);
    ck_assert_int_eq(cot_compile_graph(g, &(cot_compile_options){ .backend = "c" }, &k),
                     COT_OK);
    ck_assert_int_eq(around(k, "cumsum"), 3 * 400);
    ck_assert_int_eq(around(k, "add"), 3 * 400);
    ck_assert_int_eq(around(k, "reverse"), 8 * 400 + 4 * 400);
    ck_assert_int_eq(around(k, "(copies)"), 8 * 400 + 4 * 400);
    cot_kernel_free(k);
    cot_context_free(c);
}
END_TEST

static void
sums(cot_trace *t, const cot_value *x, cot_value *y, void *user)
{
    (void)t, (void)user;
    y[0] = cot_reduce_sum(cot_cumsum(cot_sin(x[0]), 0), .axes = COT_LIST(1));
}

/* Kernels for all sizes count the runs of calls, not those by which they were tried; no rate is
 * known of them. */
START_TEST(open_sizes)
{
    for (int i = 0; i < 2; i++) {
        cot_context *c = cot_context_new(&(cot_options){ .profile = "/dev/null" });
        cot_fn *f = cot_open(cot_fn_new(c, "sums", sums, 1, 1, NULL), "0: [n, 3]");
        const cot_compile_options o = { .backend = backend(i) };
        int64_t runs = 0;
        cot_kernel *k;

        ck_assert_msg(cot_compile(f, COT_TYPES(cot_f32(4, 3)), &o, &k) == COT_OK, "%s",
                      cot_error(c));
        ck_assert_ptr_nonnull(k->profile);
        for (rt_counter *r = k->profile->first; r; r = r->next)
            ck_assert_int_eq(atomic_load(&r->runs), 0);
        for (int n = 1; n < 5000; n += 1000) {
            cot_array *x = cot_array_new(c, cot_f32(n, 3)), *y = cot_array_new(c, cot_f32(n));

            memset(cot_array_data(x), 0, cot_array_bytes(x));
            ck_assert_msg(cot_run(k, &y, (const cot_array *const[]){ x }) == COT_OK, "%s",
                          cot_error(c));
            cot_array_free(x);
            cot_array_free(y);
        }
        for (rt_counter *r = k->profile->first; r; r = r->next) {
            runs += atomic_load(&r->runs);
            ck_assert(r->bytes == 0 && r->flops == 0 && r->around == 0);
        }
        ck_assert_int_ge(runs, 5);
        cot_kernel_free(k);
        cot_context_free(c);
    }
}
END_TEST

/* Threads that share the steps of a scan are all busy, and what a row has is a part of the
 * call's time. */
START_TEST(steps)
{
    static const char text[] =
        "fn @step(%x: f32[256]) -> f32[256] {\n"
        "  %0 = cumsum %x {axis=0}\n  %1 = cumsum %0 {axis=0, reverse=true}\n  ret %1\n}\n"
        "fn @f(%x: f32[2000,256]) -> f32[2000,256] {\n"
        "  %0 = scan %x {carries=0, length=2000, body=@step}\n  ret %0\n}\n";
    cot_context *c = cot_context_new(
        &(cot_options){ .profile = "/dev/null", .threads = 2, .cache_dir = "off" });
    const cot_compile_options o = { .backend = backend(1), .threads = 2 };
    const cot_graph *g;
    cot_kernel *k;
    int rows = 0;

    ck_assert_int_eq(cot_parse(c, "f.cot", text, sizeof text - 1, "f", &g), COT_OK);
    ck_assert_msg(cot_compile_graph(g, &o, &k) == COT_OK, "%s", cot_error(c));
    cot_array *in = cot_array_new(c, cot_f32(2000, 256)),
              *out = cot_array_new(c, cot_f32(2000, 256));
    memset(cot_array_data(in), 0, 4 * 2000 * 256);
    ck_assert_int_eq(cot_run(k, &out, (const cot_array *const *)&in), COT_OK);
    for (rt_counter *r = k->profile->first; r; r = r->next)
        if (atomic_load(&r->runs) > 0) {
            rows++;
            ck_assert_int_eq(atomic_load(&r->runs), 2000);
            ck_assert_int_eq(atomic_load(&r->shared), atomic_load(&r->ticks));
            ck_assert_msg(rt_profile_idle(r) < 0.01, "%s: %g", r->name, rt_profile_idle(r));
        }
    ck_assert_int_ge(rows, 2);
    cot_array_free(in);
    cot_array_free(out);
    cot_kernel_free(k);
    cot_context_free(c);
}
END_TEST

/* Threads are busy for as long as they run ranges, and idle where a kernel shares no loop. */
START_TEST(idle)
{
    static const char text[] =
        "fn @f(%x: f32[1024,256], %y: f32[3,256]) -> (f32[1024,256], f32[3]) {\n"
        "  %0 = sin %x\n  %1 = tanh %0\n  %2 = cumsum %1 {axis=1}\n"
        "  %3 = reduce_sum %y {axes=[1]}\n  ret %2, %3\n}\n";
    cot_context *c = cot_context_new(
        &(cot_options){ .profile = "/dev/null", .threads = 2, .cache_dir = "off" });
    const cot_compile_options o = { .backend = backend(1), .threads = 2 };
    cot_array *in[2], *out[2];
    const cot_graph *g;
    cot_kernel *k;
    int shared = 0;

    ck_assert_int_eq(cot_parse(c, "f.cot", text, sizeof text - 1, "f", &g), COT_OK);
    ck_assert_msg(cot_compile_graph(g, &o, &k) == COT_OK, "%s", cot_error(c));
    for (int i = 0; i < 2; i++) {
        in[i] = cot_array_new(c, i ? cot_f32(3, 256) : cot_f32(1024, 256));
        memset(cot_array_data(in[i]), 0, i ? 4 * 3 * 256 : 4 * 1024 * 256);
        out[i] = cot_array_new(c, i ? cot_f32(3) : cot_f32(1024, 256));
    }
    for (int call = 0; call < 4; call++)
        ck_assert_int_eq(cot_run(k, out, (const cot_array *const *)in), COT_OK);
    ck_assert_int_eq(k->profile->threads, 2);
    for (rt_counter *r = k->profile->first; r; r = r->next) {
        const double none = rt_profile_idle(r);

        ck_assert(none >= 0 && none <= 1);
        shared += atomic_load(&r->shared) > 0;
        ck_assert_int_eq(atomic_load(&r->shared) > 0, atomic_load(&r->worked) > 0);
        if (!r->is_parallel)
            ck_assert_msg(none == 0.5 || atomic_load(&r->ticks) == 0, "%s: %g", r->name, none);
    }
    ck_assert_int_gt(shared, 0);
    rt_profile_clear(k->profile);
    ck_assert(rt_profile_idle(k->profile->first) == 0);
    for (int i = 0; i < 2; i++) {
        cot_array_free(in[i]);
        cot_array_free(out[i]);
    }
    cot_kernel_free(k);
    cot_context_free(c);
}
END_TEST

enum { CALLERS = 4, CALLS = 50 };

static void *
call_often(void *user)
{
    const tried *t = user;

    for (int i = 0; i < CALLS; i++)
        if (cot_run(t->k, (cot_array *const[]){ t->out }, (const cot_array *const *)t->arg))
            return "failed";
    return NULL;
}

START_TEST(counts_of_threads)
{
    tried t = try_new(backend(1), 1, "/dev/null");
    tried caller[CALLERS];
    pthread_t thread[CALLERS];
    void *wrong;

    for (int i = 0; i < CALLERS; i++) { /* a context makes arrays in one thread */
        caller[i] = t;
        caller[i].out = cot_array_new(t.ctx, cot_f32(40, 40));
    }
    for (int i = 0; i < CALLERS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, call_often, &caller[i]), 0);
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(thread[i], &wrong);
        ck_assert_ptr_null(wrong);
        cot_array_free(caller[i].out);
    }
    ck_assert_int_eq(runs_of(&t, "dot"), 7 * CALLERS * CALLS);
    ck_assert_int_eq(runs_of(&t, "reverse"), CALLERS * CALLS);
    try_free(&t);
}
END_TEST

START_TEST(bits)
{
    for (int i = 0; i < 3; i++) {
        tried with = try_new(backend(i), 1 + i / 2, "/dev/null"),
              without = try_new(backend(i), 1 + i / 2, NULL);

        ck_assert_ptr_null(without.k->profile);
        for (int branch = 0; branch < 2; branch++) {
            try_run(&with, branch);
            try_run(&without, branch);
            ck_assert_mem_eq(cot_array_data(with.out), cot_array_data(without.out), 4 * 1600);
        }
        try_free(&with);
        try_free(&without);
    }
}
END_TEST

/* -- the code -- */

static int
count(const char *text, const char *word)
{
    int n = 0;

    for (const char *s = text; (s = strstr(s, word)) != NULL; s += strlen(word))
        n++;
    return n;
}

static const char *
kernels_of(tried *t, const cg_module *m)
{
    ir_buf b;

    ir_buf_init(&b, &t->ctx->arena);
    cg_module_print(&b, m);
    return b.text;
}

static const void *
some_counter(void *user, const cg_module *m, const cg_insn *x)
{
    (void)m;
    return x->op == CG_CALL ? user : NULL;
}

static int64_t
enter(const void *counter)
{
    (void)counter;
    return 0;
}

static void
leave(const void *counter, int64_t entered)
{
    (void)counter, (void)entered;
}

/* A probe adds two statements to each call, and what it leaves is a module that is proved. */
START_TEST(probes)
{
    tried t = try_new("c", 1, NULL);
    rt_lowered low;
    int user;

    ck_assert_int_eq(rt_lower(t.graph, &t.k->plan, &t.ctx->arena, &low), COT_OK);
    const char *before = kernels_of(&t, low.module);
    const int calls = count(before, " call ");
    ck_assert_int_gt(calls, 3);
    ck_assert_int_eq(count(before, "profile."), 0);
    cg_probe_module(low.module, &(cg_probe){ .enter = enter,
                                             .leave = leave,
                                             .counter = some_counter,
                                             .user = &user });
    const char *after = kernels_of(&t, low.module);
    ck_assert_int_eq(count(after, " call "), calls);
    ck_assert_int_eq(count(after, "extern i64 profile.enter"), calls);
    ck_assert_int_eq(count(after, "extern profile.leave"), calls);
    ck_assert_msg(cg_verify(low.module) == COT_OK, "%s", cot_error(t.ctx));
    try_free(&t);
}
END_TEST

static void
add(void *user, const char *text, size_t n)
{
    ir_buf_add(user, text, n);
}

static const char *
dump(const tried *t, const char *stage)
{
    ir_buf b;

    ir_buf_init(&b, &t->ctx->arena);
    ck_assert_msg(cot_dump_kernel(t->k, stage, add, &b) == COT_OK, "%s", cot_error(t->ctx));
    return b.text;
}

/* What is emitted has no probe, whether the context counts or not. */
START_TEST(code)
{
    static const char *const stages[] = { "kernels", "c", "llvm" };
    tried t = try_new(backend(1), 1, "/dev/null"), u = try_new(backend(1), 1, NULL);

    for (int i = 0; i < (cg_llvm() ? 3 : 2); i++) {
        const char *with = dump(&t, stages[i]);

        ck_assert_str_eq(with, dump(&u, stages[i]));
        ck_assert_ptr_null(strstr(with, "profile."));
    }
    try_free(&t);
    try_free(&u);
}
END_TEST

/* -- the file -- */

static int64_t
sum_of(const json_t *list, const char *name)
{
    int64_t sum = 0;

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);

        ck_assert_str_eq(json_string_value(json_object_get(row, "function")), "f");
        if (strcmp(json_string_value(json_object_get(row, "name")), name) == 0)
            sum += json_integer_value(json_object_get(row, "runs"));
    }
    return sum;
}

static int
events_of(const json_t *list, const char *name)
{
    int n = 0;

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *event = json_array_get(list, i);

        ck_assert_str_eq(json_string_value(json_object_get(event, "ph")), "X");
        ck_assert(json_is_number(json_object_get(event, "ts")));
        ck_assert(json_number_value(json_object_get(event, "dur")) >= 0);
        n += strcmp(json_string_value(json_object_get(event, "name")), name) == 0;
    }
    return n;
}

static json_t *
profile_of(int calls)
{
    char path[] = "/tmp/cotrace-profile-XXXXXX";
    const int file = mkstemp(path);
    json_error_t error = { 0 };

    ck_assert_int_ge(file, 0);
    close(file);
    tried t = try_new(backend(1), 1, path);
    for (int i = 0; i < calls; i++)
        try_run(&t, 0);
    try_free(&t);
    json_t *all = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    unlink(path);
    ck_assert_msg(all != NULL, "line %d: %s", error.line, error.text);
    return all;
}

START_TEST(file)
{
    json_t *all = profile_of(3);
    const json_t *events = json_object_get(all, "traceEvents");

    ck_assert_int_eq(events_of(events, "reverse"), 3);
    ck_assert_int_eq(json_integer_value(json_object_get(all, "leftOut")), 0);
    ck_assert_int_eq(sum_of(json_object_get(all, "kernels"), "reverse"), 3);
    json_decref(all);
}
END_TEST

/* Events beyond those that there is memory for are counted. */
START_TEST(long_file)
{
    json_t *all = profile_of(6000);
    const json_t *rows = json_object_get(all, "kernels");
    int64_t runs = 0;

    for (size_t i = 0; i < json_array_size(rows); i++)
        runs += json_integer_value(json_object_get(json_array_get(rows, i), "runs"));
    ck_assert_int_eq(json_array_size(json_object_get(all, "traceEvents")), 1 << 16);
    ck_assert_int_eq(json_integer_value(json_object_get(all, "leftOut")), runs - (1 << 16));
    json_decref(all);
}
END_TEST

START_TEST(no_file)
{
    cot_context *c = cot_context_new(
        &(cot_options){ .profile = "/nowhere/at all.json", .cache_dir = "off" });
    const cot_graph *g;
    cot_kernel *k;

    ck_assert_int_eq(cot_parse(c, "f.cot", program, sizeof program - 1, "f", &g), COT_OK);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(cot_compile_graph(g, &(cot_compile_options){ .backend = "c" }, &k),
                         COT_ERR_IO);
        ck_assert_ptr_null(k);
        ck_assert_str_eq(cot_error(c), "/nowhere/at all.json: No such file or directory");
        cot_error_clear(c);
    }
    ck_assert_int_eq(cot_compile_graph(g, &(cot_compile_options){ .backend = "eval" }, &k),
                     COT_OK);
    cot_kernel_free(k);
    cot_context_free(c);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = { ONCE(working_sets), ONCE(open_sizes), ONCE(idle),
                                 ONCE(steps),        ONCE(counts),     ONCE(counts_of_threads),
                                 ONCE(bits),         ONCE(probes),     ONCE(code),
                                 ONCE(file),         ONCE(long_file),  ONCE(no_file) };
    return SUITE("profile", cases);
}
