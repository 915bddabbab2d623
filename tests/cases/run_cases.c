/* Folders of reference cases: `run_cases DIR [--backend LIST] [--only NAME]`.
 *
 * Each folder in DIR with a case.json is a case: a program in StableHLO text, the transforms to
 * apply to it, inputs and the results that it must give (npy files).  Each is run by the
 * evaluator and by the JIT, or by those of LIST, as "eval,c".  An element matches when |x -
 * wanted| <= atol + rtol |wanted|; NaN matches NaN, an infinity the same one; element types and
 * shapes are equal.  A line for each case that fails, then the numbers. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"

enum { MAX_ARRAYS = 64 };

typedef struct arrays {
    int n;
    cot_array *at[MAX_ARRAYS];
} arrays;

static void
free_arrays(arrays *a)
{
    for (int i = 0; i < a->n; i++)
        cot_array_free(a->at[i]);
    a->n = 0;
}

static cot_dtype
dtype_named(const char *name)
{
    for (int t = COT_BOOL; name && t < COT_DTYPE_COUNT; t++)
        if (strcmp(cot_dtype_name((cot_dtype)t), name) == 0)
            return (cot_dtype)t;
    return name && strcmp(name, "i1") == 0 ? COT_BOOL : COT_DTYPE_NONE;
}

/* The same bytes as another element type of the same size: bf16 travels as uint16, bool as a
 * byte. */
static cot_array *
recast(run_case *c, cot_array *a, cot_dtype want)
{
    cot_type t = cot_array_type(a);

    if (!a || want == COT_DTYPE_NONE || t.dtype == want ||
        cot_dtype_size(t.dtype) != cot_dtype_size(want))
        return a;
    t.dtype = want;
    cot_array *to = cot_array_copy(c->ctx, t, cot_array_read(a));
    cot_array_free(a);
    return to;
}

static bool
read_arrays(run_case *c, const json_t *list, arrays *to)
{
    char path[4096];

    if (json_array_size(list) > MAX_ARRAYS)
        return case_wrong(c, "has more than %d arrays", MAX_ARRAYS);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *x = json_array_get(list, i);
        const char *file = json_string_value(json_object_get(x, "file"));
        snprintf(path, sizeof path, "%s/%s", c->folder, file ? file : "");
        if (cot_npy_read(c->ctx, path, &to->at[to->n]) != COT_OK)
            return case_wrong(c, "%s", cot_error(c->ctx));
        to->at[to->n] = recast(c, to->at[to->n],
                               dtype_named(json_string_value(json_object_get(x, "dtype"))));
        to->n++;
    }
    return true;
}

static double
half(uint16_t bits)
{
    const int e = bits >> 10 & 31, m = bits & 1023;
    const double x = e == 31 ? (m ? (double)NAN : (double)INFINITY)
                     : e     ? ldexp(1024 + m, e - 25)
                             : ldexp(m, -24);

    return bits >> 15 ? -x : x;
}

/* Element i, of complex arrays part i. */
static double
element(const cot_array *a, int64_t i)
{
    const void *p = cot_array_read(a);
    float f;

    switch (cot_array_type(a).dtype) {
    case COT_BOOL:
    case COT_U8: return ((const uint8_t *)p)[i];
    case COT_I8: return ((const int8_t *)p)[i];
    case COT_I16: return ((const int16_t *)p)[i];
    case COT_U16: return ((const uint16_t *)p)[i];
    case COT_I32: return ((const int32_t *)p)[i];
    case COT_U32: return ((const uint32_t *)p)[i];
    case COT_I64: return (double)((const int64_t *)p)[i];
    case COT_U64: return (double)((const uint64_t *)p)[i];
    case COT_F16: return half(((const uint16_t *)p)[i]);
    case COT_F64: return ((const double *)p)[i];
    case COT_BF16: {
        const uint32_t bits = (uint32_t)((const uint16_t *)p)[i] << 16;
        memcpy(&f, &bits, sizeof f);
        return f;
    }
    case COT_F32: return ((const float *)p)[i];
    default: /* complex: pairs */
        return cot_dtype_size(cot_array_type(a).dtype) == 8 ? (double)((const float *)p)[i]
                                                            : ((const double *)p)[i];
    }
}

static bool
matches(double x, double wanted, double rtol, double atol)
{
    if (isnan(wanted) || isinf(wanted))
        return isnan(wanted) ? isnan(x) : x == wanted;
    return fabs(x - wanted) <= atol + rtol * fabs(wanted);
}

static bool
compare(run_case *c, const char *backend, const json_t *list, const arrays *out,
        const arrays *wanted)
{
    for (int j = 0; j < wanted->n; j++) {
        const json_t *x = json_array_get(list, (size_t)j);
        const double rtol = json_number_value(json_object_get(x, "rtol")),
                     atol = json_number_value(json_object_get(x, "atol"));
        const cot_type t = cot_array_type(wanted->at[j]);
        const bool integer = t.dtype >= COT_I8 && t.dtype <= COT_U64 && rtol == 0 && atol == 0;
        const int64_t n = cot_type_count(&t) * (cot_dtype_name(t.dtype)[0] == 'c' ? 2 : 1);
        if (integer && memcmp(cot_array_read(out->at[j]), cot_array_read(wanted->at[j]),
                              cot_array_bytes(out->at[j])) == 0)
            continue;
        for (int64_t i = 0; i < n; i++) {
            const double is = element(out->at[j], i), want = element(wanted->at[j], i);
            if (!matches(is, want, rtol, atol))
                return case_wrong(c, "%s: result %d [%lld] is %.17g; wants %.17g", backend, j,
                                  (long long)i, is, want);
        }
    }
    return true;
}

static bool
same_type(cot_type a, cot_type b)
{
    bool same = a.dtype == b.dtype && a.rank == b.rank;

    for (int k = 0; same && k < a.rank; k++)
        same = cot_type_size(&a, k) == cot_type_size(&b, k);
    return same;
}

static bool
check_types(run_case *c, const cot_graph *g, const arrays *wanted)
{
    if (cot_graph_n_out(g) != wanted->n)
        return case_wrong(c, "gives %d results; wants %d", cot_graph_n_out(g), wanted->n);
    for (int j = 0; j < wanted->n; j++)
        if (!same_type(cot_graph_out_type(g, j), cot_array_type(wanted->at[j])))
            return case_wrong(
                c, "result %d is of another type: %s of rank %d; wants %s of rank %d", j,
                cot_dtype_name(cot_graph_out_type(g, j).dtype), cot_graph_out_type(g, j).rank,
                cot_dtype_name(cot_array_type(wanted->at[j]).dtype),
                cot_array_type(wanted->at[j]).rank);
    return true;
}

static bool
run_on(run_case *c, const cot_graph *g, const char *backend, const arrays *in,
       const arrays *wanted)
{
    const cot_compile_options o = { .backend = backend };
    arrays out = { 0 };
    cot_kernel *k = NULL;

    for (; out.n < wanted->n; out.n++)
        out.at[out.n] = cot_array_new(c->ctx, cot_array_type(wanted->at[out.n]));
    const bool ran = cot_compile_graph(g, &o, &k) == COT_OK &&
                     cot_run(k, out.at, (const cot_array *const *)in->at) == COT_OK;
    if (!ran)
        case_wrong(c, "%s: %s", backend, cot_error(c->ctx));
    else
        compare(c, backend, json_object_get(c->about, "expected"), &out, wanted);
    cot_kernel_free(k);
    free_arrays(&out);
    return !c->why[0];
}

static bool
run_one(run_case *c, const char *backend)
{
    static const char *const all[] = { "eval", "jit", "c" };
    arrays in = { 0 }, wanted = { 0 };
    cot_type type[MAX_ARRAYS];
    const cot_graph *g = NULL;
    cot_fn *f = NULL;

    if (read_arrays(c, json_object_get(c->about, "inputs"), &in) &&
        read_arrays(c, json_object_get(c->about, "expected"), &wanted))
        f = case_function(c);
    for (int i = 0; i < in.n; i++)
        type[i] = cot_array_type(in.at[i]);
    if (f && cot_trace_fn(f, (cot_types){ .n = in.n, .at = type }, &g) != COT_OK)
        case_wrong(c, "%s", cot_error(c->ctx));
    else if (!f)
        case_wrong(c, "%s", cot_error(c->ctx));
    if (g && check_types(c, g, &wanted))
        for (int i = 0; i < 3; i++)
            if (strstr(backend, all[i]))
                run_on(c, g, all[i], &in, &wanted);
    free_arrays(&in);
    free_arrays(&wanted);
    return !c->why[0];
}

/* 1: passed, 0: failed, -1: the folder is no case. */
static int
run_folder(const char *dir, const char *name, const char *backend)
{
    char folder[2048], path[2100];
    json_error_t error;
    run_case c = { .folder = folder, .name = name };

    snprintf(folder, sizeof folder, "%s/%s", dir, name);
    snprintf(path, sizeof path, "%s/case.json", folder);
    FILE *file = fopen(path, "rb");
    if (!file)
        return -1;
    json_t *about = json_loadf(file, 0, &error);
    fclose(file);
    c.about = about;
    c.ctx = cot_context_new(NULL);
    if (!about)
        case_wrong(&c, "case.json:%d: %s", error.line, error.text);
    const bool passed = about && c.ctx && run_one(&c, backend);
    if (!passed) {
        printf("%s: %s\n", name, c.why);
        fflush(stdout);
    }
    cot_context_free(c.ctx);
    for (int i = 0; i < c.n_bodies; i++)
        free(c.bodies[i]);
    json_decref(about);
    return passed;
}

int
main(int argc, char **argv)
{
    const char *dir = NULL, *backend = "eval,jit", *only = NULL;
    int passed = 0, failed = 0;
    struct dirent **entry;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--backend") == 0 && i + 1 < argc)
            backend = argv[++i];
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            only = argv[++i];
        else
            dir = argv[i];
    }
    if (!dir) {
        fprintf(stderr, "usage: run_cases DIR [--backend LIST] [--only NAME]\n");
        return 2;
    }
    const int n = scandir(dir, &entry, NULL, alphasort);
    if (n < 0) {
        fprintf(stderr, "%s cannot be read\n", dir);
        return 77;
    }
    for (int i = 0; i < n; free(entry[i++])) {
        if (entry[i]->d_name[0] == '.' || (only && strcmp(only, entry[i]->d_name) != 0))
            continue;
        const int how = run_folder(dir, entry[i]->d_name, backend);
        passed += how == 1;
        failed += how == 0;
    }
    free(entry);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
