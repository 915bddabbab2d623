/* Runs functions on arrays of files, for linalg.py and sugar.py, which have programs of their
 * own of it:
 *
 *     linalg_run BACKEND <JOBS
 *     sugar_run BACKEND <JOBS
 *
 * A line of JOBS is `PREFIX NAME K`: the arguments are PREFIX.in0.npy, ...; the results, where
 * they are floating or complex also their tangents along `direction` and the arguments'
 * gradients for cotangents `direction`, are written to PREFIX.v0.npy, PREFIX.t0.npy,
 * PREFIX.g0.npy, ...  Where there are PREFIX.m0.npy, ..., of two examples each, the function
 * and its gradients mapped over them go to PREFIX.w0.npy, ... and PREFIX.h0.npy, ...  A
 * function that cannot be traced or run is said on stderr, and its job has no files. */
#include FUNCTIONS

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ARRAYS 16

typedef struct job {
    const function_row *row;
    double k;
} job;

static void
body(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const job *j = user;

    j->row->call(t, in, out, j->k);
}

/* The bits of a whole number of 64ths below 1 in f16 or bf16, which have it exactly. */
static uint16_t
half_bits(double x, bool brain)
{
    uint32_t b;
    float f = (float)x;

    memcpy(&b, &f, sizeof b);
    if (brain)
        return (uint16_t)(b >> 16);
    return (uint16_t)((b >> 16 & 0x8000) |
                      (x == 0 ? 0 : (b >> 13 & 0x3ffff) - ((127 - 15) << 10)));
}

/* Element i of `direction`, in the type. */
static void
put(void *data, cot_dtype d, int64_t i, double x)
{
    if (d == COT_F64 || d == COT_C128)
        ((double *)data)[i] = x;
    else if (d == COT_F32 || d == COT_C64)
        ((float *)data)[i] = (float)x;
    else
        ((uint16_t *)data)[i] = half_bits(x, d == COT_BF16);
}

/* An array of the type with element i = ((37 i + 11) mod 101) / 64 - 0.75, the imaginary part
 * likewise of 53, 29 and 97: exact in all types, and the same in linalg.py.  Zeros where there
 * is no derivative.  Of `examples` examples, unless that is 0, all alike. */
static cot_array *
direction(cot_context *ctx, cot_type type, int examples)
{
    cot_type all = type;
    int64_t n = cot_type_count(&type);

    if (examples > 0) {
        memmove(all.dims + 1, all.dims, (size_t)all.rank * sizeof *all.dims);
        all.dims[0] = examples;
        all.rank++;
    }
    cot_array *a = cot_array_new(ctx, all);
    void *data = a ? cot_array_data(a) : NULL;
    bool complex = type.dtype == COT_C64 || type.dtype == COT_C128;
    for (int64_t j = 0; data && j < n * (examples > 0 ? examples : 1); j++) {
        int64_t i = j % n;
        put(data, type.dtype, j * (1 + complex), (double)((i * 37 + 11) % 101) / 64 - 0.75);
        if (complex)
            put(data, type.dtype, j * 2 + 1, (double)((i * 53 + 29) % 97) / 64 - 0.75);
    }
    return a;
}

static bool
differentiable(cot_dtype d)
{
    return d == COT_F16 || d == COT_BF16 || d == COT_F32 || d == COT_F64 || d == COT_C64 ||
           d == COT_C128;
}

/* Write results from `first` on, by the name of what they are. */
static cot_status
write_all(cot_context *ctx, const char *prefix, char what, cot_array **y, int n)
{
    char path[512];

    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s.%c%d.npy", prefix, what, i);
        COT_TRY(cot_npy_write(ctx, path, y[i]));
    }
    return COT_OK;
}

/* Compile f for the types of the arguments, run it, and write results, from `first` on as
 * `what`. */
static cot_status
run(cot_context *ctx, cot_fn *f, const char *backend, const char *prefix, char what, int first,
    cot_array **x, int n_in)
{
    cot_type types[MAX_ARRAYS];
    cot_array *y[MAX_ARRAYS] = { NULL };
    cot_kernel *k = NULL;

    for (int i = 0; i < n_in; i++)
        types[i] = cot_array_type(x[i]);
    COT_TRY(cot_compile(f, (cot_types){ .n = n_in, .at = types },
                        &(cot_compile_options){ .backend = backend }, &k));
    int n_out = cot_graph_n_out(cot_kernel_graph(k));
    for (int i = 0; i < n_out; i++)
        y[i] = cot_array_new(ctx, cot_graph_out_type(cot_kernel_graph(k), i));
    cot_status status = cot_run(k, y, (const cot_array *const *)x);
    if (status == COT_OK)
        status = write_all(ctx, prefix, what, y + first, n_out - first);
    for (int i = 0; i < n_out; i++)
        cot_array_free(y[i]);
    cot_kernel_free(k);
    return status;
}

/* Put directions of the types that have derivatives behind x[0 .. n-1], run f, write the
 * results from
 * `first` on, and take the directions away. */
static cot_status
run_along(cot_context *ctx, cot_fn *f, const char *backend, const char *prefix, char what,
          int first, cot_array **x, int n, const cot_type *types, int n_types, int examples)
{
    int n_x = n;

    for (int i = 0; i < n_types; i++)
        if (differentiable(types[i].dtype))
            x[n_x++] = direction(ctx, types[i], examples);
    cot_status status = run(ctx, f, backend, prefix, what, first, x, n_x);
    while (n_x > n)
        cot_array_free(x[--n_x]), x[n_x] = NULL;
    return status;
}

/* The same of two examples at once: m are their operands, in and out are the types of one. */
static cot_status
run_mapped(cot_context *ctx, cot_fn *f, const char *backend, const char *prefix, const job *j,
           cot_array **m, const cot_type *out, bool derivatives)
{
    int n = j->row->n_in;
    cot_status status = run(ctx, cot_vmap(f), backend, prefix, 'w', 0, m, n);

    if (status != COT_OK || !derivatives)
        return status;
    return run_along(ctx, cot_vmap(cot_vjp(f)), backend, prefix, 'h', j->row->n_out, m, n, out,
                     j->row->n_out, 2);
}

/* The value, then tangents and gradients along directions of the types that have them, then all
 * mapped. */
static cot_status
run_job(cot_context *ctx, const char *backend, const char *prefix, job *j, cot_array **x,
        cot_array **m)
{
    int n = j->row->n_in, n_out = j->row->n_out, n_x = 0, n_y = 0;
    cot_type in[MAX_ARRAYS], out[MAX_ARRAYS];
    const cot_graph *g;
    cot_fn *f = cot_fn_new(ctx, j->row->name, body, n, n_out, j);
    cot_status status = run(ctx, f, backend, prefix, 'v', 0, x, n);

    for (int i = 0; i < n; i++) {
        in[i] = cot_array_type(x[i]);
        n_x += differentiable(in[i].dtype);
    }
    if (status == COT_OK)
        status = cot_trace_fn(f, (cot_types){ .n = n, .at = in }, &g);
    for (int i = 0; status == COT_OK && i < n_out; i++) {
        out[i] = cot_graph_out_type(g, i);
        n_y += differentiable(out[i].dtype);
    }
    bool derivatives = n_x > 0 && n_y > 0;
    if (status == COT_OK && derivatives)
        status = run_along(ctx, cot_jvp(f), backend, prefix, 't', n_out, x, n, in, n, 0);
    if (status == COT_OK && derivatives)
        status = run_along(ctx, cot_vjp(f), backend, prefix, 'g', n_out, x, n, out, n_out, 0);
    if (status == COT_OK && m[0])
        status = run_mapped(ctx, f, backend, prefix, j, m, out, derivatives);
    return status;
}

static const function_row *
find(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0)
            return &functions[i];
    return NULL;
}

static bool
exists(const char *path)
{
    FILE *f = fopen(path, "rb");

    if (f)
        fclose(f);
    return f != NULL;
}

/* An array of a file; bf16 stands in files as its bits, u16. */
static cot_status
read(cot_context *ctx, const char *path, bool bf16, cot_array **out)
{
    cot_array *bits;

    COT_TRY(cot_npy_read(ctx, path, bf16 ? &bits : out));
    if (!bf16)
        return COT_OK;
    cot_type type = cot_array_type(bits);
    if (type.dtype == COT_U16)
        type.dtype = COT_BF16;
    *out = cot_array_copy(ctx, type, cot_array_data(bits));
    cot_array_free(bits);
    return *out ? COT_OK : cot_error_status(ctx);
}

/* A context for each job: what one compiled is not kept for the next. */
static int
run_line(const char *backend, const char *prefix, const char *name, double k)
{
    job j = { find(name), k };
    cot_array *x[MAX_ARRAYS] = { NULL }, *m[MAX_ARRAYS] = { NULL };
    char path[512];
    size_t length = strlen(prefix);
    bool bf16 = length > 5 && strcmp(prefix + length - 5, ".bf16") == 0;
    cot_context *ctx = cot_context_new(NULL);
    cot_status status = COT_OK;

    if (!j.row || !ctx) {
        fprintf(stderr, "%s: no such function\n", name);
        cot_context_free(ctx);
        return 1;
    }
    for (int i = 0; status == COT_OK && i < j.row->n_in; i++) {
        snprintf(path, sizeof path, "%s.in%d.npy", prefix, i);
        status = read(ctx, path, bf16, &x[i]);
        snprintf(path, sizeof path, "%s.m%d.npy", prefix, i);
        if (status == COT_OK && exists(path))
            status = read(ctx, path, bf16, &m[i]);
    }
    if (status == COT_OK)
        status = run_job(ctx, backend, prefix, &j, x, m);
    if (status != COT_OK)
        fprintf(stderr, "%s %s\n", prefix, cot_error(ctx));
    for (int i = 0; i < MAX_ARRAYS; i++) {
        cot_array_free(x[i]);
        cot_array_free(m[i]);
    }
    cot_context_free(ctx);
    return 0;
}

int
main(int argc, char **argv)
{
    char prefix[256], name[64];
    double k;
    int bad = 0;

    if (argc != 2)
        return fprintf(stderr, "usage: %s BACKEND <JOBS\n", argv[0]), 2;
    while (scanf("%255s %63s %lf", prefix, name, &k) == 3)
        bad |= run_line(argv[1], prefix, name, k);
    return bad;
}
