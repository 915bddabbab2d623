/* Reference cases of transforms: a program, a pipeline, inputs, and the results it must give.
 *
 * A case is a text file whose leading comments say what is done with the program below them:
 *
 *     ; run: grad(wrt=[0]) | vmap(in=[0,none], out=0)
 *     ; in: f32[2,3] 1 2 3 4 5 6
 *     ; out: f32[3] rtol=1e-05 atol=1e-06: 5 7 9
 *
 * Each is run by the evaluator and, where it is built, by the JIT.  An element matches when
 * |x - wanted| <= atol + rtol |wanted|; NaN matches NaN, an infinity the same infinity.
 * Element types and shapes must be equal.  Where the cases come from is said in README.md
 * beside them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cotrace/cotrace.h"

enum { MAX_ARRAYS = 16, LONGEST = 1 << 16 };

typedef struct figures {
    cot_type type;
    double rtol, atol;
    double *at;
} figures;

typedef struct golden {
    const char *path;
    cot_context *ctx;
    const char *text;
    char run[512];
    figures in[MAX_ARRAYS], out[MAX_ARRAYS];
    int n_in, n_out;
} golden;

static int
fault(const golden *g, const char *how, const char *why)
{
    fprintf(stderr, "%s: %s: %s\n", g->path, how, why);
    return 1;
}

static cot_dtype
dtype_named(const char *name, size_t n)
{
    for (cot_dtype d = COT_BOOL; d <= COT_F64; d++)
        if (strlen(cot_dtype_name(d)) == n && strncmp(cot_dtype_name(d), name, n) == 0)
            return d;
    return COT_DTYPE_NONE;
}

/* f32[2,3] rtol=1e-05 atol=1e-06: 1 2 3 */
static int
read_figures(const char *at, figures *x)
{
    const size_t n = strcspn(at, "[");
    char *end;

    *x = (figures){ .type.dtype = dtype_named(at, n) };
    at += n + 1;
    while (*at && *at != ']' && x->type.rank < 8) {
        x->type.dims[x->type.rank++] = strtoll(at, &end, 10);
        at = end + (*end == ',');
    }
    at += *at == ']';
    if (strncmp(at, " rtol=", 6) == 0) {
        x->rtol = strtod(at + 6, &end);
        x->atol = strtod(end + 6, &end);
        at = end + 1;
    }
    const int64_t count = cot_type_count(&x->type);
    x->at = calloc((size_t)count + 1, sizeof *x->at);
    for (int64_t i = 0; x->at && i < count; i++, at = end) {
        x->at[i] = strtod(at, &end);
        if (end == at)
            return 0;
    }
    return x->at && x->type.dtype != COT_DTYPE_NONE;
}

/* The comments at the top; false if one is no case's. */
static int
read_head(golden *g)
{
    int good = 1;

    for (const char *line = g->text; good && *line == ';'; line += strcspn(line, "\n") + 1) {
        if (strncmp(line, "; run: ", 7) == 0)
            snprintf(g->run, sizeof g->run, "%.*s", (int)strcspn(line + 7, "\n"), line + 7);
        else if (strncmp(line, "; in: ", 6) == 0)
            good = g->n_in < MAX_ARRAYS && read_figures(line + 6, &g->in[g->n_in++]);
        else if (strncmp(line, "; out: ", 7) == 0)
            good = g->n_out < MAX_ARRAYS && read_figures(line + 7, &g->out[g->n_out++]);
    }
    return good && g->n_out > 0;
}

#define EACH_TYPE(X)                                                                           \
    X(COT_BOOL, uint8_t)                                                                       \
    X(COT_I8, int8_t) X(COT_I16, int16_t) X(COT_I32, int32_t) X(COT_I64, int64_t)              \
        X(COT_U8, uint8_t) X(COT_U16, uint16_t) X(COT_U32, uint32_t) X(COT_U64, uint64_t)      \
            X(COT_F32, float) X(COT_F64, double)

static void
store(cot_array *a, int64_t i, double x)
{
    void *p = cot_array_data(a);

    switch (cot_array_type(a).dtype) {
#define STORE(dtype, type)                                                                     \
    case dtype: ((type *)p)[i] = (type)x; break;
        EACH_TYPE(STORE)
#undef STORE
    default: { /* bf16, which the case's figures are */
        const float f = (float)x;
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        ((uint16_t *)p)[i] = (uint16_t)((bits + 0x8000u) >> 16);
    }
    }
}

static double
element(const cot_array *a, int64_t i)
{
    const void *p = cot_array_read(a);

    switch (cot_array_type(a).dtype) {
#define READ(dtype, type)                                                                      \
    case dtype: return (double)((const type *)p)[i];
        EACH_TYPE(READ)
#undef READ
    default: {
        const uint32_t bits = (uint32_t)((const uint16_t *)p)[i] << 16;
        float f;
        memcpy(&f, &bits, sizeof f);
        return f;
    }
    }
}

static int
matches(double x, double wanted, const figures *f)
{
    if (isnan(wanted) || isinf(wanted))
        return isnan(wanted) ? isnan(x) : x == wanted;
    return fabs(x - wanted) <= f->atol + f->rtol * fabs(wanted);
}

static int
compare(const golden *g, const char *how, cot_array *const *out)
{
    char why[160];

    for (int k = 0; k < g->n_out; k++) {
        const figures *f = &g->out[k];
        for (int64_t i = 0; i < cot_type_count(&f->type); i++) {
            const double x = element(out[k], i);
            if (matches(x, f->at[i], f))
                continue;
            snprintf(why, sizeof why, "result %d [%d] is %.17g; wants %.17g", k, (int)i, x,
                     f->at[i]);
            return fault(g, how, why);
        }
    }
    return 0;
}

static int
same_type(const cot_type *a, const cot_type *b)
{
    int same = a->dtype == b->dtype && a->rank == b->rank;

    for (int k = 0; same && k < a->rank; k++)
        same = cot_type_size(a, k) == cot_type_size(b, k);
    return same;
}

static int
check_types(const golden *g, const cot_graph *graph)
{
    if (cot_graph_n_out(graph) != g->n_out)
        return fault(g, "trace", "the number of results is another");
    for (int k = 0; k < g->n_out; k++) {
        const cot_type t = cot_graph_out_type(graph, k);
        if (!same_type(&t, &g->out[k].type))
            return fault(g, "trace", "a result has another type");
    }
    return 0;
}

static int
run_on(const golden *g, cot_fn *f, cot_types types, const char *backend, cot_array *const *in)
{
    const cot_compile_options o = { .backend = backend };
    cot_array *out[MAX_ARRAYS] = { NULL };
    cot_kernel *k = NULL;
    int failed;

    for (int i = 0; i < g->n_out; i++)
        out[i] = cot_array_new(g->ctx, g->out[i].type);
    if (cot_compile(f, types, &o, &k) != COT_OK ||
        cot_run(k, out, (const cot_array *const *)in) != COT_OK)
        failed = fault(g, backend, cot_error(g->ctx));
    else
        failed = compare(g, backend, out);
    cot_kernel_free(k);
    for (int i = 0; i < g->n_out; i++)
        cot_array_free(out[i]);
    return failed;
}

static int
run_case(golden *g, size_t bytes)
{
    const cot_graph *graph;
    cot_array *in[MAX_ARRAYS] = { NULL };
    cot_type type[MAX_ARRAYS];
    int failed = 0;

    if (cot_parse(g->ctx, g->path, g->text, bytes, NULL, &graph) != COT_OK)
        return fault(g, "parse", cot_error(g->ctx));
    cot_fn *f = cot_pipeline(cot_fn_of_graph(graph), g->run);
    for (int i = 0; i < g->n_in; i++) {
        type[i] = g->in[i].type;
        in[i] = cot_array_new(g->ctx, type[i]);
        for (int64_t j = 0; j < cot_type_count(&type[i]); j++)
            store(in[i], j, g->in[i].at[j]);
    }
    const cot_types types = { .n = g->n_in, .at = type };
    if (cot_trace_fn(f, types, &graph) != COT_OK)
        failed = fault(g, "trace", cot_error(g->ctx));
    if (!failed)
        failed = check_types(g, graph) || run_on(g, f, types, "eval", in);
#ifdef WITH_JIT
    if (!failed)
        failed = run_on(g, f, types, "jit", in);
#endif
    for (int i = 0; i < g->n_in; i++)
        cot_array_free(in[i]);
    return failed;
}

static int
run_file(const char *path)
{
    static char text[LONGEST];
    golden g = { .path = path, .text = text, .ctx = cot_context_new(NULL) };
    FILE *file = fopen(path, "rb");
    const size_t bytes = file ? fread(text, 1, sizeof text - 1, file) : 0;
    int failed;

    text[bytes] = '\0';
    if (file)
        fclose(file);
    failed = bytes > 0 && read_head(&g) ? run_case(&g, bytes) : fault(&g, "read", "is no case");
    for (int i = 0; i < MAX_ARRAYS; i++) {
        free(g.in[i].at);
        free(g.out[i].at);
    }
    cot_context_free(g.ctx);
    return failed;
}

int
main(int argc, char **argv)
{
    int failed = 0;

    for (int i = 1; i < argc; i++)
        failed += run_file(argv[i]);
    printf("%d cases, %d failed\n", argc - 1, failed);
    return failed != 0;
}
