/* cot bench --at: the kernel for all sizes beside those that are compiled for some.
 *
 * Calls of both alternate in one run, so that what slows the machine slows both.  A sample is
 * of as many calls as take a millisecond; times are the least of the samples, and the quotient
 * is the median of those of a pair. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "ir/array.h"
#include "ir/diag.h"
#include "ir/limit.h"
#include "runtime/build.h"
#include "runtime/open/open.h"
#include "runtime/values.h"
#include "tools/cot.h"

enum { RUNS = 3, SAMPLES = 31 }; /* of compilation; of calls */

typedef struct comparison_row {
    double open, fixed, quotient, compile;
} comparison_row;

/* A function at one of its sizes, with arrays for it. */
typedef struct operands {
    int n_in, n_out;
    cot_array **in, **out;
} operands;

static cot_status
make_operands(cot_context *ctx, const ir_graph *f, operands *out)
{
    *out = (operands){ .n_out = f->n_out - f->n_inout };
    out->in = IR_NEW_N(&ctx->arena, cot_array *, f->n_in + 1);
    out->out = IR_NEW_N(&ctx->arena, cot_array *, f->n_out + 1);
    for (int i = 0; i < f->n_in; i++) {
        const ir_type *t = ir_type_at(f, f->in[i]);
        void *data = cli_memory(ctx, t);

        if (ir_is_bound(f, i))
            continue;
        rt_random_fill(t, CLI_SEED + (uint64_t)i, data);
        out->in[out->n_in] = cot_array_borrow(ctx, ir_type_public(t), data);
        if (!out->in[out->n_in++])
            return COT_ERR_MEMORY;
    }
    for (int i = 0; i < out->n_out; i++) {
        const ir_type *t = ir_type_at(f, f->out[i]);

        out->out[i] = cot_array_borrow(ctx, ir_type_public(t), cli_memory(ctx, t));
        if (!out->out[i])
            return COT_ERR_MEMORY;
    }
    return COT_OK;
}

static void
free_operands(const operands *x)
{
    for (int i = 0; x->in && i < x->n_in; i++)
        cot_array_free(x->in[i]);
    for (int i = 0; x->out && i < x->n_out; i++)
        cot_array_free(x->out[i]);
}

static cot_status
time_calls(const cot_kernel *k, const operands *x, int64_t calls, double *seconds)
{
    const double start = ir_now();

    for (int64_t i = 0; i < calls; i++)
        COT_TRY(cot_run(k, x->out, (const cot_array *const *)x->in));
    *seconds = (ir_now() - start) / (double)calls;
    return COT_OK;
}

static cot_status
count_calls(const cot_kernel *k, const operands *x, int64_t *calls)
{
    double first, next;

    COT_TRY(time_calls(k, x, 1, &first));
    COT_TRY(time_calls(k, x, 3, &next));
    *calls = (int64_t)fmax(1, 1e-3 / fmax(next, 1e-9));
    return COT_OK;
}

static cot_status
compare(const cot_kernel *open, const cot_kernel *fixed, const operands *x, comparison_row *row)
{
    double quotient[SAMPLES];
    int64_t calls[2];

    COT_TRY(count_calls(open, x, &calls[0]));
    COT_TRY(count_calls(fixed, x, &calls[1]));
    row->open = row->fixed = INFINITY;
    for (int i = 0; i < SAMPLES; i++) {
        double first, second;

        COT_TRY(time_calls(open, x, calls[0], &first));
        COT_TRY(time_calls(fixed, x, calls[1], &second));
        row->open = fmin(row->open, first);
        row->fixed = fmin(row->fixed, second);
        quotient[i] = first / second;
    }
    qsort(quotient, SAMPLES, sizeof *quotient, cli_ascending);
    row->quotient = quotient[SAMPLES / 2];
    return COT_OK;
}

static cot_status
compare_at(cot_cli *c, const rt_export *e, const cot_compile_options *o, const cot_kernel *open,
           const int64_t *size, comparison_row *row)
{
    cot_kernel *fixed = NULL;
    const cot_graph *f;
    operands x = { 0 };

    COT_TRY(e->open->graph(e->open->user, &c->ctx->arena, size, &f));
    row->compile = INFINITY;
    for (int i = 0; i < RUNS; i++) {
        const double start = ir_now();

        cot_kernel_free(fixed);
        COT_TRY(cot_compile_graph(f, o, &fixed));
        row->compile = fmin(row->compile, ir_now() - start);
    }
    cot_status status = make_operands(c->ctx, f, &x);
    if (status == COT_OK)
        status = compare(open, fixed, &x, row);
    free_operands(&x);
    cot_kernel_free(fixed);
    return status;
}

static cot_status
compile_open(cot_cli *c, const rt_export *e, const cot_compile_options *o, double *least,
             cot_kernel **out)
{
    rt_plan p;

    *least = INFINITY;
    *out = NULL;
    for (int i = 0; i < RUNS; i++) {
        const double start = ir_now();

        cot_kernel_free(*out);
        *out = NULL;
        COT_TRY(rt_plan_new(c->ctx, o, e->open->name, &p));
        COT_TRY(rt_open_compile(c->ctx, e->open, e->sizes, &p, out));
        *least = fmin(*least, ir_now() - start);
    }
    return COT_OK;
}

static void
print_row(const rt_sizes *s, const int64_t *size, const comparison_row *row)
{
    char text[256] = "";

    for (int i = 0; i < s->n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s=%" PRId64, i ? "," : "",
                 s->size[i].name, size[i]);
    printf("%-20s %12.3f us %12.3f us %12.2f %12.3f ms\n", text, 1e6 * row->open,
           1e6 * row->fixed, row->quotient, 1e3 * row->compile);
}

/* The function of the file for all sizes. */
static cot_status
read_function(cot_cli *c, rt_export *e)
{
    ir_graph *f;

    *e = (rt_export){ 0 };
    if (c->open)
        return cli_open(c, e);
    COT_TRY(cli_source(c, &f));
    if (!f || !f->sized)
        return ir_fail(c->ctx, 0, NULL, ERR_usage,
                       ir_format(&c->ctx->arena, "--at: %s has no sizes; wants some, or --open",
                                 c->files[0]));
    return cli_open_export(c, f, e);
}

int
cli_bench_open(cot_cli *c, const cot_compile_options *o)
{
    const int64_t *size;
    double compile;
    cot_kernel *open = NULL;
    rt_export e;
    int n;

    if (read_function(c, &e) != COT_OK ||
        rt_open_at_read(c->ctx, e.sizes, c->at, &n, &size) != COT_OK)
        return cli_failed(c);
    cot_status status = compile_open(c, &e, o, &compile, &open);
    if (status == COT_OK) {
        cli_hide_progress();
        printf("compile, for all sizes %10.3f ms\n", 1e3 * compile);
        printf("%-20s %15s %15s %12s %15s\n", "", "open", "fixed", "open/fixed",
               "compile, fixed");
    }
    for (int i = 0; i < n && status == COT_OK; i++) {
        const int64_t *at = size + (ptrdiff_t)i * e.sizes->n;
        comparison_row row;

        status = compare_at(c, &e, o, open, at, &row);
        cli_hide_progress();
        if (status == COT_OK)
            print_row(e.sizes, at, &row);
    }
    cot_kernel_free(open);
    return status == COT_OK ? EXIT_DONE : cli_failed(c);
}
