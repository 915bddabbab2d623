/* Running a function by evaluator, JIT and object file: see harness.h.
 *
 * The object's natural signature differs from function to function, so a line of C source is
 * written beside it that takes pointers in an array, and both become a shared library.  That
 * line includes the object's header, which is thereby compiled too. */
#define _XOPEN_SOURCE 700 /* mkdtemp, dlopen, clock_gettime */
#include "harness.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { WORK_ALIGN = 64, SAMPLES = 2000, CALLS = 16 };

harness
harness_begin(const char *name)
{
    harness c = { .ctx = cot_context_new(NULL), .name = name };

    c.seconds = getenv("HARNESS_TIME") ? atof(getenv("HARNESS_TIME")) : 0;
    c.no_compiler = system("command -v cc >/dev/null 2>&1") != 0;
    if (c.no_compiler)
        fprintf(stderr, "%s: no compiler cc: object files are skipped\n", name);
    return c;
}

static void
drop_results(harness *c)
{
    for (int i = 0; i < c->n_results; i++)
        cot_array_free(c->result[i]);
    c->n_results = 0;
}

int
harness_end(harness *c)
{
    drop_results(c);
    for (int i = 0; i < c->n_owned; i++)
        cot_array_free(c->owned[i]);
    cot_context_free(c->ctx);
    if (c->failed)
        fprintf(stderr, "%s: %d checks failed\n", c->name, c->failed);
    return c->failed != 0;
}

static void
fail(harness *c, const char *title, const char *why)
{
    c->failed++;
    fprintf(stderr, "%s: %s: %s\n", c->name, title, why);
    cot_error_clear(c->ctx);
}

/* ---- numbers ---- */

#define EACH_TYPE(X)                                                                           \
    X(COT_BOOL, uint8_t)                                                                       \
    X(COT_I8, int8_t)                                                                          \
    X(COT_I16, int16_t)                                                                        \
    X(COT_I32, int32_t) X(COT_I64, int64_t) X(COT_U8, uint8_t) X(COT_U16, uint16_t)            \
        X(COT_U32, uint32_t) X(COT_U64, uint64_t) X(COT_F32, float) X(COT_F64, double)

double
harness_element(const cot_array *a, int64_t i)
{
    const void *p = cot_array_read(a);

    switch (cot_array_type(a).dtype) {
#define READ(dtype, type)                                                                      \
    case dtype: return (double)((const type *)p)[i];
        EACH_TYPE(READ)
#undef READ
    default: return NAN; /* the halves have no C type: no program here prints them */
    }
}

static void
store(cot_array *a, int64_t i, double x)
{
    void *p = cot_array_data(a);

    switch (cot_array_type(a).dtype) {
#define STORE(dtype, type)                                                                     \
    case dtype: ((type *)p)[i] = (type)x; break;
        EACH_TYPE(STORE)
#undef STORE
    default: break;
    }
}

cot_array *
harness_array(harness *c, cot_type type, const double *elements)
{
    cot_array *a = c->n_owned < HARNESS_ARRAYS ? cot_array_new(c->ctx, type) : NULL;

    if (!a) {
        fail(c, "input", "no memory for an array");
        exit(1);
    }
    for (int64_t i = 0; i < cot_type_count(&type); i++)
        store(a, i, elements[i]);
    c->owned[c->n_owned++] = a;
    return a;
}

cot_array *
harness_keep(harness *c, int i)
{
    const cot_array *a = c->result[i];
    cot_array *copy = cot_array_copy(c->ctx, cot_array_type(a), cot_array_read(a));

    if (!copy || c->n_owned >= HARNESS_ARRAYS) {
        fail(c, "result", "no memory for an array");
        exit(1);
    }
    return c->owned[c->n_owned++] = copy;
}

/* [[1, 2], [3, 4]] */
static void
print_array(const cot_array *a)
{
    const cot_type t = cot_array_type(a);
    const int64_t *dims = t.rank > 8 ? t.more : t.dims, n = cot_type_count(&t);

    for (int64_t i = 0; i < n; i++) {
        int64_t row = 1;

        for (int k = t.rank - 1; k >= 0; k--)
            if (i % (row *= dims[k]) == 0)
                putchar('[');
        printf("%.10g", harness_element(a, i) + 0.0); /* -0 prints as 0 */
        row = 1;
        for (int k = t.rank - 1; k >= 0; k--)
            if ((i + 1) % (row *= dims[k]) == 0)
                putchar(']');
        if (i + 1 < n)
            printf(", ");
    }
    if (n == 0)
        printf("[]");
}

/* ---- three back ends ---- */

typedef struct trip {
    harness *c;
    const char *title;
    cot_fn *f;
    inputs in;
    cot_types types;
    int n_out;
} trip;

static int
new_results(const trip *t, const cot_graph *g, cot_array **out)
{
    for (int i = 0; i < t->n_out; i++) {
        out[i] = cot_array_new(t->c->ctx, cot_graph_out_type(g, i));
        if (!out[i])
            return 0;
    }
    return 1;
}

static int
by_kernel(const trip *t, const cot_graph *g, cot_compile_options o, cot_array **out)
{
    cot_kernel *k = NULL;
    int good;

    if (t->c->draws)
        cot_manual_seed(t->c->ctx, t->c->seed);
    good = new_results(t, g, out) && cot_compile(t->f, t->types, &o, &k) == COT_OK &&
           cot_run(k, out, (const cot_array *const *)t->in.at) == COT_OK;

    if (!good)
        fail(t->c, t->title, cot_error(t->c->ctx));
    cot_kernel_free(k);
    return good;
}

/* The C source between an array of pointers and the object's own signature. */
static int
write_glue(const char *path, int n)
{
    FILE *file = fopen(path, "w");

    if (!file)
        return 0;
    fprintf(file,
            "#include <stddef.h>\n#include \"f.h\"\n"
            "size_t work_bytes(void);\nint call(void *const *a, void *work);\n"
            "size_t work_bytes(void) { return COMPILED_WORK_BYTES; }\n"
            "int call(void *const *a, void *work)\n{\n    (void)a;\n    return compiled(");
    for (int i = 0; i < n; i++)
        fprintf(file, "a[%d], ", i);
    fprintf(file, "work);\n}\n");
    return fclose(file) == 0;
}

/* Call what the library holds.  Its answer, or -1. */
static int
call_library(const trip *t, const char *path, cot_array **out)
{
    void *library = dlopen(path, RTLD_NOW), *work = NULL, *at[HARNESS_ARRAYS];
    size_t (*work_bytes)(void) = NULL;
    int (*call)(void *const *, void *) = NULL;
    uint64_t key[2] = { t->c->seed, 0 };
    int answer = -1, n = 0;

    for (int i = 0; i < t->in.n; i++)
        at[n++] = cot_array_data(t->in.at[i]);
    if (t->c->draws)
        at[n++] = key;
    for (int i = 0; i < t->n_out; i++)
        at[n++] = cot_array_data(out[i]);
    if (library) {
        /* POSIX's way to make a function of an object's address. */
        *(void **)&work_bytes = dlsym(library, "work_bytes");
        *(void **)&call = dlsym(library, "call");
    }
    if (work_bytes && call) {
        work = aligned_alloc(WORK_ALIGN, (work_bytes() / WORK_ALIGN + 1) * WORK_ALIGN);
        if (work)
            answer = call(at, work);
        free(work);
    }
    if (library)
        dlclose(library);
    return answer;
}

static int
by_object(const trip *t, const cot_graph *g, cot_array **out)
{
    char folder[] = "/tmp/torch_func_XXXXXX", path[4][64], line[512];
    const char *file[4] = { "f.o", "f.h", "glue.c", "f.so" }, *why = NULL;
    const cot_export e = { t->f, t->types, "compiled" };

    if (!mkdtemp(folder)) {
        fail(t->c, t->title, "no temporary folder");
        return 0;
    }
    for (int i = 0; i < 4; i++)
        snprintf(path[i], sizeof path[i], "%s/%s", folder, file[i]);
    snprintf(line, sizeof line, "cc -shared -fPIC -Wall -Werror -o %s %s %s", path[3], path[2],
             path[0]);
    if (!new_results(t, g, out) ||
        cot_build_object(t->c->ctx, &e, 1, NULL, path[0], path[1]) != COT_OK)
        why = cot_error(t->c->ctx);
    else if (!write_glue(path[2], t->in.n + t->n_out + (t->c->draws != 0)) || system(line) != 0)
        why = "the object was not linked";
    else if (call_library(t, path[3], out) != 0)
        why = "the object's function failed";
    if (why)
        fail(t->c, t->title, why);
    for (int i = 0; i < 4; i++)
        unlink(path[i]);
    rmdir(folder);
    return !why;
}

/* ---- comparing ---- */

/* Bits are compared, but for NaNs, of which any is as good as another. */
static int
same_array(const cot_array *a, const cot_array *b)
{
    const cot_type type = cot_array_type(a);
    const size_t size = cot_dtype_size(type.dtype);
    const char *p = cot_array_read(a), *q = cot_array_read(b);
    const int has_nan = type.dtype == COT_F32 || type.dtype == COT_F64;

    for (int64_t i = 0; i < cot_type_count(&type); i++)
        if (memcmp(p + (size_t)i * size, q + (size_t)i * size, size) != 0 &&
            !(has_nan && isnan(harness_element(a, i)) && isnan(harness_element(b, i))))
            return 0;
    return 1;
}

static void
compare(const trip *t, cot_array *const *reference, const char *backend, cot_array *const *out)
{
    char why[128];

    for (int i = 0; i < t->n_out; i++) {
        if (same_array(reference[i], out[i]))
            continue;
        snprintf(why, sizeof why, "%s and evaluator differ in result %d", backend, i);
        fail(t->c, t->title, why);
    }
}

static void
compare_figures(const trip *t, cot_array *const *out, figures want)
{
    char why[160];
    int at = 0;

    for (int k = 0; want.n >= 0 && k < t->n_out; k++) {
        const cot_type type = cot_array_type(out[k]);

        for (int64_t i = 0; i < cot_type_count(&type); i++, at++) {
            const double w = at < want.n ? want.at[at] : NAN, x = harness_element(out[k], i);

            if (isnan(w) ? isnan(x) : fabs(x - w) <= want.relative * fabs(w) || x == w)
                continue;
            snprintf(why, sizeof why, "result %d [%d] is %.17g; wants %.17g", k, (int)i, x, w);
            fail(t->c, t->title, why);
        }
    }
    if (want.n >= 0 && at != want.n)
        fail(t->c, t->title, "the number of figures is another than expected");
}

/* ---- time ---- */

static double
now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int
by_size(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;

    return (a > b) - (a < b);
}

void
harness_time(harness *c, const char *title, cot_fn *f, inputs in)
{
    static double sample[SAMPLES];
    cot_array *out[HARNESS_RESULTS] = { NULL };
    const cot_array *const *args = (const cot_array *const *)in.at;
    cot_type type[HARNESS_ARRAYS];
    const cot_graph *g;
    int n = 0;

    if (c->seconds <= 0)
        return;
    for (int i = 0; i < in.n; i++)
        type[i] = cot_array_type(in.at[i]);
    if (cot_trace_fn(f, (cot_types){ .n = in.n, .at = type }, &g) != COT_OK ||
        cot_jit(f, out, cot_graph_n_out(g), args, in.n) != COT_OK) {
        fail(c, title, cot_error(c->ctx));
        return;
    }
    for (double end = now() + c->seconds; n < SAMPLES && (n < 5 || now() < end); n++) {
        const double start = now();

        for (int i = 0; i < CALLS; i++)
            cot_jit(f, out, cot_graph_n_out(g), args, in.n);
        sample[n] = (now() - start) / CALLS;
    }
    qsort(sample, (size_t)n, sizeof *sample, by_size);
    printf("time\t%s\t%.3f\n", title, 1e6 * sample[n / 2]);
    for (int i = 0; i < cot_graph_n_out(g); i++)
        cot_array_free(out[i]);
}

static void
free_results(const trip *t, cot_array **out)
{
    for (int i = 0; i < t->n_out; i++)
        cot_array_free(out[i]);
}

/* Vectors of each width, and two threads, change no bit. */
static void
by_every_width(const trip *t, const cot_graph *g, cot_array *const *reference)
{
    static const int width[] = { 32, 128, 256, 512 };
    char backend[64];

    for (int i = 0; i < 8; i++) {
        const cot_compile_options o = { .backend = "jit",
                                        .vector_bits = width[i / 2],
                                        .threads = 1 + i % 2 };
        cot_array *out[HARNESS_RESULTS] = { NULL };

        snprintf(backend, sizeof backend, "JIT at %d bits, %d threads", o.vector_bits,
                 o.threads);
        if (by_kernel(t, g, o, out))
            compare(t, reference, backend, out);
        free_results(t, out);
    }
}

static void
run_all(const trip *t, const cot_graph *g, figures want)
{
    cot_array *reference[HARNESS_RESULTS] = { NULL }, *object[HARNESS_RESULTS] = { NULL };
    harness *c = t->c;

    c->n_results = t->n_out;
    memset(c->result, 0, sizeof c->result);
    if (by_kernel(t, g, (cot_compile_options){ .backend = "eval" }, reference) &&
        by_kernel(t, g, (cot_compile_options){ .backend = "jit" }, c->result)) {
        compare(t, reference, "JIT", c->result);
        if (c->seconds <= 0)
            by_every_width(t, g, reference);
        if (!c->no_compiler && !c->skip_object && c->seconds <= 0 && by_object(t, g, object))
            compare(t, reference, "object", object);
        printf("%s =", t->title);
        for (int i = 0; i < t->n_out; i++) {
            printf(i ? "; " : " ");
            print_array(reference[i]);
        }
        printf("\n");
        compare_figures(t, reference, want);
        harness_time(c, t->title, t->f, t->in);
    }
    free_results(t, reference);
    free_results(t, object);
}

static int
types_of(inputs in, cot_type *type)
{
    for (int i = 0; i < in.n; i++)
        type[i] = cot_array_type(in.at[i]);
    return in.n;
}

void
by_back_ends(harness *c, const char *title, cot_fn *f, inputs in, figures want)
{
    cot_type type[HARNESS_ARRAYS];
    trip t = { c, title, f, in, { .n = types_of(in, type), .at = type }, 0 };
    const cot_graph *g = NULL;

    drop_results(c);
    if (cot_trace_fn(f, t.types, &g) != COT_OK) {
        fail(c, title, cot_error(c->ctx));
        return;
    }
    t.n_out = cot_graph_n_out(g);
    if (t.n_out > HARNESS_RESULTS)
        fail(c, title, "too many results");
    else
        run_all(&t, g, want);
}

void
refused(harness *c, const char *title, cot_fn *f, inputs in, cot_status status,
        const char *text)
{
    cot_type type[HARNESS_ARRAYS];
    const cot_types types = { .n = types_of(in, type), .at = type };
    const cot_graph *g = NULL;
    const cot_status got = cot_trace_fn(f, types, &g);

    if (got == COT_OK)
        fail(c, title, "was accepted");
    else if (got != status || !strstr(cot_error(c->ctx), text))
        fail(c, title, cot_error(c->ctx));
    else
        printf("%s: %s\n", title, cot_error(c->ctx));
    cot_error_clear(c->ctx);
}

void
holds(harness *c, const char *what, int yes)
{
    printf("%s: %s\n", what, yes ? "yes" : "no");
    if (!yes)
        fail(c, what, "does not hold");
}
