/* Memory runs short inside a public call: it says so, and makes nothing of a part; and once
 * there is memory again, the same call in the same context answers as if nothing had been.
 *
 * What fails is one allocation of the context's; these are of whole chunks, so that a number of
 * bytes, or of ops, taken before moves where in the call that is. */
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cotrace/cotrace.h"
#include "cotrace/file.h"
#include "cotrace/stablehlo.h"
#include "ir/context.h"
#include "tests/unit/suite.h"

enum { SHIFTS = 40, SHIFT = 112 };

typedef struct meter {
    long calls, fail_at;
} meter;

static void *
metered(void *user, void *old, size_t bytes)
{
    meter *m = user;

    if (bytes == 0) {
        free(old);
        return NULL;
    }
    return ++m->calls == m->fail_at ? NULL : realloc(old, bytes);
}

/* A call whose answer is a text; what it made before it failed is not looked at. */
typedef cot_status job(cot_context *ctx, int shift, char *text, size_t room);

typedef struct room {
    char *at;
    size_t left;
} room;

static void
take(void *user, const char *text, size_t bytes)
{
    room *r = user;
    const size_t n = bytes < r->left ? bytes : r->left;

    memcpy(r->at, text, n);
    r->at += n;
    r->left -= n;
}

static cot_status
write_graph(const cot_graph *g, char *text, size_t size)
{
    room r = { text, size - 1 };
    cot_status s = cot_dump_graph(g, take, &r);

    if (s == COT_OK)
        ck_assert_msg(r.at != text, "the graph's text is empty");
    *r.at = '\0';
    return s;
}

static cot_status
trace(cot_fn *f, cot_types types, char *text, size_t size)
{
    const cot_graph *g = NULL;

    /* whoever makes it has no memory, or the function is wrong, which the context knows */
    if (!f)
        return COT_ERR_MEMORY;
    COT_TRY(cot_trace_fn(f, types, &g));
    ck_assert_ptr_nonnull(g);
    return write_graph(g, text, size);
}

static void
body(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_reduce_sum(cot_mul(cot_sin(in[0]), in[1]), .axes = COT_LIST(0));
}

static cot_status
by_pipeline(cot_context *ctx, int shift, char *text, size_t size)
{
    (void)shift;
    return trace(
        cot_pipeline(cot_fn_new(ctx, "f", body, 2, 1, NULL), "grad | vmap(in=[0,none])"),
        COT_TYPES(cot_f32(4, 3), cot_f32(3)), text, size);
}

static cot_status
with_optional(cot_context *ctx, int shift, char *text, size_t size)
{
    cot_fn *f = cot_fn_optional(cot_fn_new(ctx, "f", body, 1, 1, NULL), "scale", 2);

    (void)shift;
    return f ? trace(cot_taking(f, "scale"), COT_TYPES(cot_f32(3), cot_f32()), text, size)
             : COT_ERR_MEMORY;
}

static cot_status
import(cot_context *ctx, int shift, char *text, size_t size)
{
    const cot_graph *g = NULL;
    char *module = malloc(16384);
    int n =
        snprintf(module, 16384, "func.func @main(%%a0: tensor<3xf32>) -> tensor<3xf32> {\n");

    for (int i = 0; i < 3 * shift; i++)
        n += snprintf(module + n, 16384 - (size_t)n,
                      "  %%a%d = stablehlo.add %%a%d, %%a%d : tensor<3xf32>\n", i + 1, i, i);
    n += snprintf(module + n, 16384 - (size_t)n, "  return %%a%d : tensor<3xf32>\n}\n",
                  3 * shift);
    cot_status s = cot_import_stablehlo(ctx, "m.mlir", module, (size_t)n, NULL, &g);
    free(module);
    if (s != COT_OK)
        return s;
    ck_assert_ptr_nonnull(g);
    return write_graph(g, text, size);
}

static void
printed(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_print(in[0], "x is {}");
}

/* The text of a call has its rules, which are traced for it. */
static cot_status
rules(cot_context *ctx, int shift, char *text, size_t size)
{
    (void)shift;
    return trace(cot_fn_new(ctx, "f", printed, 1, 1, NULL), COT_TYPES(cot_f32(3)), text, size);
}

/* Types and names enough for the maps that hold them to grow. */
static cot_status
types(cot_context *ctx, int shift, char *text, size_t size)
{
    (void)shift;
    for (int64_t i = 1; i < 300; i++) {
        cot_array *a = cot_array_new(ctx, cot_f32(i));
        if (!a)
            return COT_ERR_MEMORY;
        cot_array_free(a);
    }
    snprintf(text, size, "done");
    return COT_OK;
}

static cot_status
save(cot_context *ctx, int shift, char *text, size_t size)
{
    char path[64];
    cot_array *a = cot_array_new(ctx, cot_f32(3));

    (void)shift;
    if (!a)
        return COT_ERR_MEMORY;
    snprintf(path, sizeof path, "short-%ld.npz", (long)getpid());
    remove(path);
    cot_status s = cot_save(ctx, path, &COT_STATE({ "a", a }));
    cot_array_free(a);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(s != COT_OK || file, "said to be saved, and is not");
    if (file)
        fclose(file);
    remove(path);
    snprintf(text, size, "saved");
    return s == COT_ERR_TARGET ? COT_OK : s; /* built without npz */
}

static cot_status
write_array(cot_context *c, const char *path, cot_array *a)
{
    return strstr(path, ".npy") ? cot_npy_write(c, path, a)
                                : cot_save(c, path, &COT_STATE({ "a", a }));
}

static cot_status
read_back(cot_context *ctx, const char *ending, char *text, size_t size)
{
    char path[64];
    cot_context *other = cot_context_new(NULL);
    cot_array *a = cot_array_new(other, cot_f32(3)), *b = NULL;
    cot_state state = { 0 };

    snprintf(path, sizeof path, "short-%ld%s", (long)getpid(), ending);
    cot_status s = write_array(other, path, a);
    if (s == COT_OK)
        s = strstr(path, ".npy") ? cot_npy_read(ctx, path, &b) : cot_load(ctx, path, &state);
    ck_assert_msg(s == COT_OK || (!b && state.n == 0), "an array of a file that was not read");
    remove(path);
    cot_array_free(a);
    cot_array_free(b);
    cot_state_free(&state);
    cot_context_free(other);
    snprintf(text, size, "read");
    return s == COT_ERR_TARGET ? COT_OK : s; /* built without the format */
}

static cot_status
read_npy(cot_context *ctx, int shift, char *text, size_t size)
{
    (void)shift;
    return read_back(ctx, ".npy", text, size);
}

static cot_status
read_npz(cot_context *ctx, int shift, char *text, size_t size)
{
    (void)shift;
    return read_back(ctx, ".npz", text, size);
}

static cot_status
read_safetensors(cot_context *ctx, int shift, char *text, size_t size)
{
    (void)shift;
    return read_back(ctx, ".safetensors", text, size);
}

static cot_status
compile_and_run(cot_context *ctx, int shift, char *text, size_t size)
{
    cot_array *x = cot_array_new(ctx, cot_f32(3)),
              *y = x ? cot_array_new(ctx, cot_f32()) : NULL;
    cot_fn *f = y ? cot_fn_new(ctx, "f", body, 2, 1, NULL) : NULL;
    cot_kernel *k = NULL;
    cot_status s = COT_ERR_MEMORY;

    (void)shift;
    if (f) /* NULL belongs to no context */
        s = cot_compile(f, COT_TYPES(cot_f32(3), cot_f32(3)),
                        &(cot_compile_options){ .backend = "eval" }, &k);
    if (s == COT_OK)
        s = cot_run(k, &y, (const cot_array *[]){ x, x });
    cot_kernel_free(k);
    cot_array_free(x);
    cot_array_free(y);
    snprintf(text, size, "run");
    return s;
}

typedef struct named {
    const char *name;
    job *run;
} named;

static const named jobs[] = { { "pipeline", by_pipeline },
                              { "taking", with_optional },
                              { "import", import },
                              { "rules", rules },
                              { "types", types },
                              { "save", save },
                              { "npy", read_npy },
                              { "npz", read_npz },
                              { "safetensors", read_safetensors },
                              { "run", compile_and_run } };
enum { JOBS = sizeof jobs / sizeof *jobs, TEXT = 16384 };

/* Allocation `at` of the job fails.  False: it has no more. */
static bool
fail_one(const named *j, int shift, long at, const char *wanted)
{
    meter m = { 0, 0 };
    cot_context *c = cot_context_new(&(cot_options){ .alloc = metered, .alloc_user = &m });
    char text[TEXT] = "";

    IR_TRY(c) {
        (void)ir_alloc(&c->arena, (size_t)shift * SHIFT);
    }
    m = (meter){ 0, at };
    cot_status s = j->run(c, shift, text, sizeof text);
    const bool failed = m.calls >= at;
    if (s != COT_OK) {
        ck_assert_msg(s == COT_ERR_MEMORY && failed, "%s, %d, allocation %ld: %s: %s", j->name,
                      shift, at, cot_status_name(s), cot_error(c));
        ck_assert_int_eq(cot_error_status(c), COT_ERR_MEMORY);
        ck_assert_str_ne(cot_error(c), "");
        cot_error_clear(c);
        m.fail_at = 0;
        s = j->run(c, shift, text, sizeof text);
        ck_assert_msg(s == COT_OK, "%s, %d, after allocation %ld: %s", j->name, shift, at,
                      cot_error(c));
    }
    ck_assert_msg(strcmp(text, wanted) == 0, "%s, %d, allocation %ld: is\n%s\nwants\n%s",
                  j->name, shift, at, text, wanted);
    cot_context_free(c);
    return failed;
}

START_TEST(the_context_goes_on)
{
    const named *j = &jobs[_i];

    for (int shift = 0; shift < SHIFTS; shift++) {
        char wanted[TEXT] = "";
        cot_context *c = cot_context_new(NULL);
        ck_assert_int_eq(j->run(c, shift, wanted, sizeof wanted), COT_OK);
        cot_context_free(c);
        for (long at = 1; fail_one(j, shift, at, wanted); at++)
            ck_assert_int_lt(at, 20000);
    }
}
END_TEST

/* No file is to be had, which the message names; where one is, all goes on. */
START_TEST(descriptors_run_out)
{
    struct rlimit all, none;
    cot_context *c = cot_context_new(NULL);
    cot_array *a = cot_array_new(c, cot_f32(3)), *b = NULL;
    char path[64];

    snprintf(path, sizeof path, "short-%ld.npy", (long)getpid());
    ck_assert_int_eq(cot_npy_write(c, path, a), COT_OK);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &all), 0);
    none = (struct rlimit){ 0, all.rlim_max };
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
        const cot_status s = i ? cot_npy_write(c, path, a) : cot_npy_read(c, path, &b);
        ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &all), 0);
        ck_assert_int_eq(s, COT_ERR_IO);
        ck_assert_msg(strstr(cot_error(c), strerror(EMFILE)) != NULL, "%s", cot_error(c));
        cot_error_clear(c);
    }
    ck_assert_int_eq(cot_npy_read(c, path, &b), COT_OK);
    remove(path);
    cot_array_free(a);
    cot_array_free(b);
    cot_context_free(c);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(the_context_goes_on, JOBS),
        ONCE(descriptors_run_out),
    };

    return SUITE("short", cases);
}
