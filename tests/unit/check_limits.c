/* Limits of a call and its cancellation: each has its status, and the context answers the next
 * call as if nothing had been. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

#include "cotrace/cotrace.h"
#include "cotrace/file.h"
#include "cotrace/stablehlo.h"
#include "tests/unit/suite.h"

enum { OPS = 1000 };

static void
short_body(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_reduce_sum(cot_mul(cot_sin(in[0]), in[0]));
}

static void
long_body(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = in[0];
    for (int i = 0; i < OPS; i++)
        out[0] = cot_sin(out[0]);
}

static const cot_type three = { COT_F32, 1, { 3 }, NULL };

static cot_status
compile(cot_context *c, cot_body *body, const char *backend)
{
    cot_kernel *k = NULL;
    cot_status s = cot_compile(cot_fn_new(c, "f", body, 1, 1, NULL), COT_TYPES(cot_f32(3)),
                               &(cot_compile_options){ .backend = backend }, &k);

    ck_assert_msg((s == COT_OK) == (k != NULL), "%s", cot_error(c));
    cot_kernel_free(k);
    return s;
}

static void
expect(cot_context *c, cot_status got, cot_status want, const char *text)
{
    ck_assert_msg(got == want && cot_error_status(c) == want, "%s, wants %s: %s",
                  cot_status_name(got), cot_status_name(want), cot_error(c));
    ck_assert_msg(strstr(cot_error(c), text) != NULL, "%s: wants '%s'", cot_error(c), text);
    cot_error_clear(c);
}

static void
still_works(cot_context *c)
{
    ck_assert_msg(compile(c, short_body, NULL) == COT_OK, "%s", cot_error(c));
}

/* ---- every call looks ---- */

static cot_status
call_trace(cot_context *c)
{
    return cot_trace_fn(cot_fn_new(c, "f", short_body, 1, 1, NULL), COT_TYPES(cot_f32(3)),
                        NULL);
}

static cot_status
call_compile(cot_context *c)
{
    return compile(c, short_body, NULL);
}

static cot_status
call_jit(cot_context *c)
{
    cot_array *x = cot_array_new(c, three), *y = NULL;
    cot_status s = cot_jit(cot_fn_new(c, "f", short_body, 1, 1, NULL), &y, 1,
                           (const cot_array *[]){ x }, 1);

    cot_array_free(x);
    cot_array_free(y);
    return s;
}

static cot_status
call_parse(cot_context *c)
{
    const char *text = "fn @f(%x: f32[3]) -> f32[3] {\n  %0 = sin %x : f32[3]\n  ret %0\n}\n";

    return cot_parse(c, "f.cot", text, strlen(text), NULL, &(const cot_graph *){ NULL });
}

static cot_status
call_import(cot_context *c)
{
    const char *text =
        "func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {\n"
        "  %b = stablehlo.add %a, %a : tensor<3xf32>\n  return %b : tensor<3xf32>\n}\n";

    return cot_import_stablehlo(c, "m.mlir", text, strlen(text), NULL,
                                &(const cot_graph *){ NULL });
}

/* A file of the ending with one array of n bytes, stored, or deflated to a thousandth. */
static char *
write_array(const char *ending, int64_t n)
{
    static char path[64];
    cot_context *c = cot_context_new(NULL);
    cot_array *a = cot_array_new(c, cot_type_new(COT_U8, 1, &n));

    snprintf(path, sizeof path, "limits-%ld%s", (long)getpid(), ending);
    const cot_status s = strcmp(ending, ".npy") == 0
                             ? cot_npy_write(c, path, a)
                             : cot_save(c, path, &COT_STATE({ "a", a }));
    ck_assert_msg(s == COT_OK || s == COT_ERR_TARGET, "%s", cot_error(c));
    cot_array_free(a);
    cot_context_free(c);
    return s == COT_OK ? path : NULL;
}

static cot_status
read_array(cot_context *c, const char *path)
{
    cot_state state = { 0 };
    cot_array *a = NULL;
    const bool npy = strstr(path, ".npy") != NULL;
    const cot_status s = npy ? cot_npy_read(c, path, &a) : cot_load(c, path, &state);

    cot_array_free(a);
    cot_state_free(&state);
    return s;
}

static const char *const endings[] = { ".npy", ".npz", ".safetensors" };

static cot_status
call_read(cot_context *c, int i)
{
    const char *path = write_array(endings[i], 100);
    const cot_status s = path ? read_array(c, path) : COT_OK;

    if (path)
        remove(path);
    return s;
}

static cot_status
call_npy(cot_context *c)
{
    return call_read(c, 0);
}
static cot_status
call_npz(cot_context *c)
{
    return call_read(c, 1);
}
static cot_status
call_safetensors(cot_context *c)
{
    return call_read(c, 2);
}

static cot_status (*const calls[])(cot_context *) = {
    call_trace,  call_compile, call_jit, call_parse,
    call_import, call_npy,     call_npz, call_safetensors,
};
enum { CALLS = sizeof calls / sizeof *calls };

START_TEST(every_call_is_cancelled)
{
    cot_context *c = cot_context_new(NULL);
    const cot_status good = calls[_i](c);

    ck_assert_msg(good == COT_OK, "%s", cot_error(c));
    cot_cancel(c);
    for (int i = 0; i < 2; i++)
        expect(c, calls[_i](c), COT_ERR_CANCELLED, "cancelled");
    cot_cancel_clear(c);
    ck_assert_msg(calls[_i](c) == COT_OK, "%s", cot_error(c));
    cot_context_free(c);
}
END_TEST

START_TEST(a_kernel_that_is_there_is_cancelled)
{
    cot_context *c = cot_context_new(NULL);
    cot_array *x = cot_array_new(c, three), *y = cot_array_new(c, cot_f32());
    cot_kernel *k;

    ck_assert_int_eq(
        cot_compile(cot_fn_new(c, "f", short_body, 1, 1, NULL), COT_TYPES(three), NULL, &k),
        COT_OK);
    cot_cancel(c);
    expect(c, cot_run(k, &y, (const cot_array *[]){ x }), COT_ERR_CANCELLED, "cancelled");
    cot_cancel_clear(c);
    ck_assert_int_eq(cot_run(k, &y, (const cot_array *[]){ x }), COT_OK);
    cot_kernel_free(k);
    cot_array_free(x);
    cot_array_free(y);
    cot_context_free(c);
}
END_TEST

/* ---- while it runs ---- */

static void
below_zero(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_lt(cot_reduce_max(in[0]), 0.0);
}

static void
halve(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_mul(cot_sub(in[0], cot_mean(in[0])), 0.5);
    out[0] = cot_sub(cot_mul(out[0], 0.0), 1.0);
}

/* Goes on for ever: of one value, and of more than a kernel takes in registers. */
static void
endless(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_while(below_zero, halve, .in = COT_VALUES(in[0]));
}

typedef struct watch {
    cot_context *c;
    const char *backend;
    int64_t n;
    _Atomic int running;
    cot_status status;
} watch;

static void *
run_endless(void *arg)
{
    watch *w = arg;
    cot_array *x = cot_array_new(w->c, cot_f32(w->n)), *y = cot_array_new(w->c, cot_f32(w->n));
    cot_kernel *k = NULL;

    for (int64_t i = 0; i < w->n; i++)
        ((float *)cot_array_data(x))[i] = -1;
    w->status =
        cot_compile(cot_fn_new(w->c, "f", endless, 1, 1, NULL), COT_TYPES(cot_f32(w->n)),
                    &(cot_compile_options){ .backend = w->backend }, &k);
    w->running = 1;
    if (w->status == COT_OK)
        w->status = cot_run(k, &y, (const cot_array *[]){ x });
    cot_kernel_free(k);
    cot_array_free(x);
    cot_array_free(y);
    return NULL;
}

static const struct {
    const char *backend;
    int64_t n;
} engines[] = { { NULL, 1 },   { NULL, 5000 }, { "c", 1 },
                { "c", 5000 }, { "eval", 7 },  { "sim", 5000 } };
enum { ENGINES = sizeof engines / sizeof *engines };

static void
finish(watch *w)
{
    if (w->status == COT_ERR_TARGET) /* built without it */
        cot_error_clear(w->c);
    else
        expect(w->c, w->status, COT_ERR_CANCELLED, "cancelled");
    cot_cancel_clear(w->c);
    still_works(w->c);
    cot_context_free(w->c);
}

START_TEST(another_thread_ends_a_loop)
{
    watch w = { .c = cot_context_new(NULL),
                .backend = engines[_i].backend,
                .n = engines[_i].n };
    pthread_t thread;

    ck_assert_int_eq(pthread_create(&thread, NULL, run_endless, &w), 0);
    while (!w.running)
        usleep(1000);
    usleep(5000);
    cot_cancel(w.c);
    pthread_join(thread, NULL);
    finish(&w);
}
END_TEST

static cot_context *signalled;

static void
on_signal(int number)
{
    (void)number;
    cot_cancel(signalled);
}

START_TEST(a_signal_handler_ends_a_loop)
{
    watch w = { .c = cot_context_new(NULL),
                .backend = engines[_i].backend,
                .n = engines[_i].n };
    const struct itimerval often = { { 0, 50000 }, { 0, 500000 } };

    signalled = w.c;
    signal(SIGALRM, on_signal);
    setitimer(ITIMER_REAL, &often, NULL);
    run_endless(&w);
    setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
    finish(&w);
}
END_TEST

static void
cancels(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_cancel(user);
    long_body(t, in, out, NULL);
}

START_TEST(a_trace_is_cancelled_within)
{
    cot_context *c = cot_context_new(NULL);
    cot_fn *f = cot_fn_new(c, "f", cancels, 1, 1, c);

    expect(c, cot_trace_fn(cot_grad(f), COT_TYPES(cot_f32()), NULL), COT_ERR_CANCELLED,
           "check_limits.c");
    cot_cancel_clear(c);
    still_works(c);
    cot_context_free(c);
}
END_TEST

/* ---- limits ---- */

START_TEST(nodes)
{
    cot_context *c = cot_context_new(&(cot_options){ .limits.nodes = OPS / 2 });

    for (int i = 0; i < 2; i++) {
        expect(c, compile(c, long_body, NULL), COT_ERR_LIMIT,
               "made 501 nodes; the limit of a call is 500 (cot_limits)");
        still_works(c);
    }
    cot_context_free(c);
    c = cot_context_new(&(cot_options){ .limits.nodes = 100 * OPS });
    ck_assert_int_eq(compile(c, long_body, NULL), COT_OK);
    cot_context_free(c);
}
END_TEST

static void
slow_body(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    short_body(t, in, out, user);
    usleep(1200000);
}

START_TEST(seconds)
{
    cot_context *c = cot_context_new(&(cot_options){ .limits.seconds = 1 });

    double took = 0, limit = 0;

    ck_assert_int_eq(compile(c, slow_body, "eval"), COT_ERR_LIMIT);
    const char *said = strstr(cot_error(c), "took ");
    ck_assert_msg(said &&
                      sscanf(said, "took %lf seconds; the limit of a call is %lf (cot_limits)",
                             &took, &limit) == 2 &&
                      took >= 1.2 && limit == 1,
                  "%s", cot_error(c));
    cot_error_clear(c);
    ck_assert_int_eq(compile(c, short_body, "eval"), COT_OK);
    cot_context_free(c);
}
END_TEST

enum { MEGABYTE = 1 << 20 };

START_TEST(bytes_of_arrays)
{
    cot_context *c = cot_context_new(&(cot_options){ .limits.bytes = 4 * MEGABYTE });
    cot_array *a = cot_array_new(c, cot_f32(MEGABYTE / 2)), *b;

    ck_assert_ptr_nonnull(a);
    b = cot_array_new(c, cot_f32(MEGABYTE));
    ck_assert_ptr_null(b);
    expect(c, cot_error_status(c), COT_ERR_MEMORY, "4194304 bytes (cot_limits)");
    cot_array_free(a);
    b = cot_array_new(c, cot_f32(MEGABYTE / 2 + MEGABYTE / 4));
    ck_assert_msg(b != NULL, "%s", cot_error(c));
    cot_array_free(b);
    still_works(c);
    a = cot_array_new(c, cot_f32(3));
    cot_context_free(c);
    cot_array_free(a); /* outlives its context */
}
END_TEST

START_TEST(bytes_of_graphs)
{
    cot_context *c = cot_context_new(&(cot_options){ .limits.bytes = MEGABYTE / 4 });

    expect(c, compile(c, long_body, NULL), COT_ERR_MEMORY, "(cot_limits)");
    cot_context_free(c);
}
END_TEST

/* Reading takes an array's bytes and little more; where they are not to be had it says so. */
START_TEST(bytes_of_files)
{
    const char *path = write_array(endings[_i], 8 * MEGABYTE);

    if (!path)
        return;
    cot_context *c = cot_context_new(&(cot_options){ .limits.bytes = 9 * MEGABYTE });
    ck_assert_msg(read_array(c, path) == COT_OK, "%s", cot_error(c));
    cot_context_free(c);
    c = cot_context_new(&(cot_options){ .limits.bytes = 7 * MEGABYTE });
    expect(c, read_array(c, path), COT_ERR_MEMORY, "(cot_limits)");
    still_works(c);
    cot_context_free(c);
    remove(path);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(every_call_is_cancelled, CALLS),
        ONCE(a_kernel_that_is_there_is_cancelled),
        EACH(another_thread_ends_a_loop, ENGINES),
        EACH(a_signal_handler_ends_a_loop, ENGINES),
        ONCE(a_trace_is_cancelled_within),
        ONCE(nodes),
        ONCE(seconds),
        ONCE(bytes_of_arrays),
        ONCE(bytes_of_graphs),
        EACH(bytes_of_files, 3),
    };

    return SUITE("limits", cases);
}
