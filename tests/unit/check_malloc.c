/* Memory runs short in libraries that do not ask the context for it: libzip, jansson, stdio.
 * This program has malloc of its own, over the C library's, of which one call fails; each in
 * turn.  A call says that memory is short, and nothing else; it frees what it took, and the
 * same call in the same context answers afterwards as if nothing had been. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "cotrace/cotrace.h"
#include "cotrace/file.h"
#include "cotrace/stablehlo.h"
#include "tests/unit/suite.h"

#define OURS __attribute__((visibility("default")))

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void __libc_free(void *p);

/* Volatile: a compiler takes malloc for a function that looks at nothing of the program.  Of
 * this thread: calls since they are counted, which one fails (0: none); blocks that live. */
static _Thread_local volatile long calls, fail_at, live;

static bool
fails(void)
{
    const bool now = fail_at && ++calls == fail_at;

    if (now)
        errno = ENOMEM;
    return now;
}

OURS void *
malloc(size_t bytes)
{
    void *p = fails() ? NULL : __libc_malloc(bytes);

    live += p != NULL;
    return p;
}

OURS void *
calloc(size_t n, size_t bytes)
{
    void *p = fails() ? NULL : __libc_calloc(n, bytes);

    live += p != NULL;
    return p;
}

OURS void *
realloc(void *old, size_t bytes)
{
    if (bytes == 0 && old) {
        free(old);
        return NULL;
    }
    void *p = fails() ? NULL : __libc_realloc(old, bytes);

    live += p && !old;
    return p;
}

OURS void
free(void *p)
{
    live -= p != NULL;
    __libc_free(p);
}

/* The context's allocator, which counts blocks of its own. */
static long owned;

static void *
counted(void *user, void *old, size_t bytes)
{
    void *p = bytes ? realloc(old, bytes) : NULL;

    (void)user;
    if (bytes == 0)
        free(old);
    owned += p && !old;
    owned -= old && bytes == 0;
    return p;
}

static char path[512], saved[64];

static void
name_file(char *to, const char *stem, const char *ending)
{
    snprintf(to, sizeof saved, "malloc-%s-%ld%s", stem, (long)getpid(), ending);
}

/* Arrays of several ranks and types, among them an empty one. */
static cot_status
save(cot_context *c, const char *file)
{
    static const float x[] = { 1, 2, 3, 4, 5, 6 };
    cot_array *a[] = { cot_array_new(c, cot_f32(2, 3)), cot_array_new(c, cot_f64(0)),
                       cot_array_new(c, cot_f32()) };
    cot_status s = COT_ERR_MEMORY;

    if (a[0] && a[1] && a[2]) {
        memcpy(cot_array_data(a[0]), x, sizeof x);
        memcpy(cot_array_data(a[2]), x, sizeof *x);
        s = strstr(file, ".npy")
                ? cot_npy_write(c, file, a[0])
                : cot_save(c, file,
                           &COT_STATE({ "a", a[0] }, { "the empty one", a[1] }, { "c", a[2] }));
    }
    for (int i = 0; i < 3; i++)
        cot_array_free(a[i]);
    return s;
}

/* The numbers that are read, as text. */
static cot_status
load(cot_context *c, const char *file, char *text)
{
    cot_state state = { 0 };
    cot_array *one = NULL;
    const cot_status s =
        strstr(file, ".npy") ? cot_npy_read(c, file, &one) : cot_load(c, file, &state);
    const cot_array *a = one ? one : s == COT_OK ? cot_state_find(&state, "a") : NULL;

    if (a)
        for (int i = 0; i < 6; i++)
            text += sprintf(text, "%g ",
                            (double)((const float *)cot_array_data((cot_array *)a))[i]);
    if (s == COT_OK)
        sprintf(text, "of %d", state.n);
    cot_array_free(one);
    cot_state_free(&state);
    return s;
}

static cot_status
read_file(cot_context *c, char *text)
{
    return load(c, path, text);
}

/* What is in the file is judged where the whole file was written. */
static cot_status
write_file(cot_context *c, char *text)
{
    const cot_status s = save(c, saved);

    if (s == COT_OK) {
        const long armed = fail_at;
        fail_at = 0;
        cot_context *other = cot_context_new(NULL);
        if (load(other, saved, text) != COT_OK)
            sprintf(text, "what is written is wrong: %.200s", cot_error(other));
        cot_context_free(other);
        fail_at = armed;
    }
    remove(saved);
    return s;
}

static void
to_text(void *user, const char *text, size_t bytes)
{
    char *to = user;
    const size_t n = strlen(to);

    memcpy(to + n, text, bytes);
    to[n + bytes] = '\0';
}

static cot_status
import(cot_context *c, char *text)
{
    static const char module[] =
        "module @m attributes {mhlo.num_partitions = 1 : i32} {\n"
        "  func.func public @main(%arg0: tensor<3xf32> {jax.arg_info = \"x\"}) -> "
        "(tensor<3xf32> {jax.result_info = \"\"}) {\n"
        "    %cst = stablehlo.constant dense<[1.5, 2.0, 0x7F800000]> : tensor<3xf32>\n"
        "    %0 = stablehlo.multiply %arg0, %cst : tensor<3xf32>\n"
        "    return %0 : tensor<3xf32>\n  }\n}\n";
    const cot_graph *g = NULL;

    COT_TRY(cot_import_stablehlo(c, "m.mlir", module, sizeof module - 1, NULL, &g));
    return cot_dump_graph(g, to_text, text);
}

static const struct {
    const char *name, *ending;
    cot_status (*run)(cot_context *c, char *text);
    int lost; /* blocks that libzip 1.7 loses where some of its allocations fail */
} jobs[] = {
    { "npy", ".npy", read_file, 0 },
    { "npz", ".npz", read_file, 1 },
    { "deflated npz", NULL, read_file, 1 },
    { "safetensors", ".safetensors", read_file, 0 },
    { "npy out", ".npy", write_file, 0 },
    { "npz out", ".npz", write_file, 1 },
    { "safetensors out", ".safetensors", write_file, 0 },
    { "import", "", import, 0 },
};
enum { JOBS = sizeof jobs / sizeof *jobs, TEXT = 4096, MAX_ALLOCATIONS = 5000 };

typedef struct outcome {
    cot_status status, again;
    bool failed; /* the allocation was asked for */
    char text[TEXT], error[200], why[200];
} outcome;

/* The job in a context of its own, whose allocation `at` fails; and once more. */
static void
run(int job, long at, outcome *o)
{
    cot_context *c = cot_context_new(&(cot_options){ .alloc = counted });

    *o = (outcome){ .text = "" };
    calls = 0;
    fail_at = at;
    o->status = jobs[job].run(c, o->text);
    o->failed = at && calls >= at;
    fail_at = 0;
    if (o->status != COT_OK) {
        snprintf(o->error, sizeof o->error, "%s", cot_error(c));
        cot_error_clear(c);
        o->text[0] = '\0';
        o->again = jobs[job].run(c, o->text);
        snprintf(o->why, sizeof o->why, "%s", cot_error(c));
    }
    cot_context_free(c);
}

START_TEST(each_call_fails)
{
    const char *name = jobs[_i].name;
    static outcome first, o, last;

    name_file(path, "in", jobs[_i].ending ? jobs[_i].ending : "");
    name_file(saved, "out", jobs[_i].ending ? jobs[_i].ending : "");
    if (!jobs[_i].ending)
        snprintf(path, sizeof path, "%s", FIXTURES "/deflated.npz");
    else if (*jobs[_i].ending && save(ctx, path) == COT_ERR_TARGET)
        return; /* built without the format */
    for (int i = 0; i < 2; i++) /* what a library keeps for good is there afterwards */
        run(_i, 0, &first);
    ck_assert_msg(first.status == COT_OK, "%s: %s", name, first.error);
    long held = live;
    const long own = owned;
    for (long at = 1; at == 1 || o.failed; at++) {
        ck_assert_int_lt(at, MAX_ALLOCATIONS);
        run(_i, at, &o);
        ck_assert_msg(o.status == COT_OK || o.status == COT_ERR_MEMORY, "%s, call %ld: %s: %s",
                      name, at, cot_status_name(o.status), o.error);
        ck_assert_msg(o.again == COT_OK, "%s, after call %ld: %s", name, at, o.why);
        ck_assert_msg(strcmp(o.text, first.text) == 0, "%s, call %ld: is %s, wants %s", name,
                      at, o.text, first.text);
        run(_i, 0, &last); /* the C library keeps the time zone, and asks again if it is lost */
        ck_assert_msg(live <= held + jobs[_i].lost, "%s, call %ld: %ld blocks are lost", name,
                      at, live - held);
        ck_assert_msg(owned == own, "%s, call %ld: arrays or contexts are lost", name, at);
        held = live;
    }
    if (jobs[_i].ending)
        remove(path);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = { EACH(each_call_fails, JOBS) };

    return SUITE("malloc", cases);
}
