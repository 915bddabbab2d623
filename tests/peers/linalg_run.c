/* Runs functions of linear algebra and first weights on arrays of files, for linalg.py:
 *
 *     linalg_run BACKEND <JOBS
 *
 * A line of JOBS is `PREFIX NAME K`: the arguments are PREFIX.in0.npy, ...; the results, where
 * they are floating or complex also their tangents along `direction` and the arguments'
 * gradients for cotangents `direction`, are written to PREFIX.v0.npy, PREFIX.t0.npy,
 * PREFIX.g0.npy, ...  A function that cannot be traced or run is said on stderr, and its job
 * has no files. */
#include "linalg_functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 16

typedef struct job {
    const struct function_row *row;
    double k;
} job;

static void
body(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const job *j = user;

    j->row->call(t, in, out, j->k);
}

/* An array of the type with element i = ((37 i + 11) mod 101) / 64 - 0.75, the imaginary part
 * likewise of 53, 29 and 97: exact in all types, and the same in linalg.py. */
static cot_array *
direction(cot_context *ctx, cot_type type)
{
    cot_array *a = cot_array_new(ctx, type);
    void *data = a ? cot_array_data(a) : NULL;
    bool complex = type.dtype == COT_C64 || type.dtype == COT_C128;
    bool wide = type.dtype == COT_F64 || type.dtype == COT_C128;

    for (int64_t i = 0; data && i < cot_type_count(&type); i++) {
        double part[2] = { (double)((i * 37 + 11) % 101) / 64 - 0.75,
                           (double)((i * 53 + 29) % 97) / 64 - 0.75 };
        for (int p = 0; p <= complex; p++) {
            if (wide)
                ((double *)data)[i * (1 + complex) + p] = part[p];
            else
                ((float *)data)[i * (1 + complex) + p] = (float)part[p];
        }
    }
    return a;
}

static bool
differentiable(cot_dtype d)
{
    return d == COT_F32 || d == COT_F64 || d == COT_C64 || d == COT_C128;
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
    cot_type types[MOST];
    cot_array *y[MOST] = { NULL };
    cot_kernel *k = NULL;

    for (int i = 0; i < n_in; i++)
        types[i] = cot_array_type(x[i]);
    COT_TRY(cot_compile(f, (cot_types){ n_in, types },
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

/* The value, then tangents and gradients along directions of the types that have them. */
static cot_status
run_job(cot_context *ctx, const char *backend, const char *prefix, job *j, cot_array **x)
{
    int n = j->row->n_in, n_ct = 0, n_x = n;
    cot_type types[MOST];
    const cot_graph *g;
    cot_fn *f = cot_fn_new(ctx, j->row->name, body, n, j->row->n_out, j);
    cot_status status = run(ctx, f, backend, prefix, 'v', 0, x, n);

    for (int i = 0; i < n; i++)
        types[i] = cot_array_type(x[i]);
    if (status == COT_OK)
        status = cot_trace_fn(f, (cot_types){ n, types }, &g);
    for (int i = 0; status == COT_OK && i < j->row->n_out; i++)
        n_ct += differentiable(cot_graph_out_type(g, i).dtype);
    if (status != COT_OK || n_ct == 0)
        return status;
    for (int i = 0; i < n; i++)
        x[n_x++] = direction(ctx, types[i]);
    status = run(ctx, cot_jvp(f), backend, prefix, 't', j->row->n_out, x, n_x);
    while (n_x > n)
        cot_array_free(x[--n_x]), x[n_x] = NULL;
    for (int i = 0; i < j->row->n_out; i++)
        if (differentiable(cot_graph_out_type(g, i).dtype))
            x[n_x++] = direction(ctx, cot_graph_out_type(g, i));
    if (status == COT_OK)
        status = run(ctx, cot_vjp(f), backend, prefix, 'g', j->row->n_out, x, n_x);
    while (n_x > n)
        cot_array_free(x[--n_x]), x[n_x] = NULL;
    return status;
}

static const struct function_row *
find(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0)
            return &functions[i];
    return NULL;
}

/* A context for each job: what one compiled is not kept for the next. */
static int
run_line(const char *backend, const char *prefix, const char *name, double k)
{
    job j = { find(name), k };
    cot_array *x[MOST] = { NULL };
    char path[512];
    cot_context *ctx = cot_context_new(NULL);
    cot_status status = COT_OK;

    if (!j.row || !ctx) {
        fprintf(stderr, "%s: no such function\n", name);
        cot_context_free(ctx);
        return 1;
    }
    for (int i = 0; status == COT_OK && i < j.row->n_in; i++) {
        snprintf(path, sizeof path, "%s.in%d.npy", prefix, i);
        status = cot_npy_read(ctx, path, &x[i]);
    }
    if (status == COT_OK)
        status = run_job(ctx, backend, prefix, &j, x);
    if (status != COT_OK)
        fprintf(stderr, "%s %s\n", prefix, cot_error(ctx));
    for (int i = 0; i < MOST; i++)
        cot_array_free(x[i]);
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
        return fprintf(stderr, "usage: linalg_run BACKEND <JOBS\n"), 2;
    while (scanf("%255s %63s %lf", prefix, name, &k) == 3)
        bad |= run_line(argv[1], prefix, name, k);
    return bad;
}
