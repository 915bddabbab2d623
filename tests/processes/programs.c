/* How programs with an axis of groups are run, and written to files (programs.h). */
#include "tests/processes/programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/build.h"
#include "ir/diag.h"
#include "passes/pass.h"
#include "runtime/build.h"
#include "runtime/compile.h"
#include "tests/laws/programs.h"

/* Pairs of a shift by one group, up or down. */
static const char *
shift(ir_arena *a, int64_t groups, bool up)
{
    ir_buf b;

    ir_buf_init(&b, a);
    for (int64_t i = 1; i < groups; i++)
        ir_buf_printf(&b, "%s%lld,%lld", i > 1 ? "," : "", (long long)(up ? i - 1 : i),
                      (long long)(up ? i : i - 1));
    return ir_format(a, "%.*s", (int)b.n, b.text);
}

static cot_status
make_graph(cot_context *ctx, const spread_program *p, int64_t groups, const ir_graph **out)
{
    const long long n = (long long)groups;
    const char *pipeline = ir_format(&ctx->arena, p->pipeline, n),
               *text =
                   ir_format(&ctx->arena, p->text, n, n - 1, shift(&ctx->arena, groups, true),
                             shift(&ctx->arena, groups, false));
    const pass_step *step;
    ir_module m;
    int steps;

    COT_TRY(ir_parse(ctx, p->name, text, strlen(text), &m));
    ir_graph *g = m.fn[m.n - 1];
    COT_TRY(pass_parse(ctx, 0, pipeline, &steps, &step));
    for (int i = 0; i < steps; i++)
        COT_TRY(pass_run(step[i].row, g, &step[i].options, &g));
    *out = g;
    return COT_OK;
}

/* Which NaN it is, is not promised. */
static void
one_nan(const ir_type *t, void *y)
{
    const int64_t n = (int64_t)laws_parts(t);
    const size_t size = n ? laws_bytes(t) / (size_t)n : 0;

    for (int64_t i = 0; i < n; i++) {
        const double x = laws_load(t->dtype, y, i);
        if (x != x)
            memset((char *)y + (size_t)i * size, 0xff, size);
    }
}

/* Of a long result a hash. */
static void
keep(spread_result *out, const ir_graph *f, void *const *results)
{
    for (int j = 0; j < f->n_out; j++) {
        const size_t n = laws_bytes(ir_type_at(f, f->out[j]));
        uint64_t hash = 14695981039346656037u;
        one_nan(ir_type_at(f, f->out[j]), results[j]);
        const bool fits = n <= sizeof out->at / 8;
        const size_t kept = fits ? n : sizeof hash;
        for (size_t i = 0; i < n && !fits; i++)
            hash = (hash ^ ((const unsigned char *)results[j])[i]) * 1099511628211u;
        if (out->bytes + kept > sizeof out->at)
            exit(2);
        if (n)
            memcpy(out->at + out->bytes, fits ? results[j] : &hash, kept);
        out->bytes += kept;
    }
}

int spread_differs = -1, spread_differing;
void (*spread_before)(const cot_comm *comm);

static void **
sample(const ir_graph *f, const cot_comm *c)
{
    uint64_t seed = 11;
    void **in = laws_sample(f, &seed, -1, 1, laws_fill);

    if (c && c->rank == spread_differs) {
        const int i = spread_differing;
        ((unsigned char *)in[i])[laws_bytes(ir_type_at(f, f->in[i])) - 1] ^= 1;
    }
    return in;
}

static cot_status
run(cot_context *ctx, const spread_program *p, int64_t groups, const char *backend,
    spread_result *out)
{
    const ir_graph *f;
    cot_kernel *k;
    cot_status status;

    COT_TRY(make_graph(ctx, p, groups, &f));
    COT_TRY(cot_compile_graph(f, &(cot_compile_options){ .backend = backend }, &k));
    void **in = sample(f, ctx->comm), **y = laws_values(f->n_out, f->out, f);
    void **args = IR_NEW_N(&ctx->arena, void *, f->n_in + f->n_out + 1);
    rt_arguments(k, in, y, args);
    if (spread_before)
        spread_before(ctx->comm);
    status = rt_call_kernel(k, args, NULL);
    if (status == COT_OK)
        keep(out, f, y);
    laws_free(f->n_in, in);
    laws_free(f->n_out, y);
    cot_kernel_free(k);
    return status;
}

const char *spread_own;
int spread_columns;
unsigned spread_args, spread_results;

/* The numbers of the bits. */
static cot_list
list_of(unsigned bits, int64_t *at)
{
    int n = 0;

    for (int i = 0; bits >> i; i++)
        if (bits >> i & 1)
            at[n++] = i;
    return (cot_list){ .n = n, .at = at };
}

static int
columns_for(const spread_program *p, const cot_comm *comm)
{
    if (spread_columns)
        return spread_columns;
    return comm && p->columns && comm->size % p->columns == 0 ? p->columns : 0;
}

int
spread_run(const spread_program *p, int64_t groups, const char *backend, int threads,
           const cot_comm *comm, spread_result *out)
{
    cot_context *ctx = cot_context_new(&(cot_options){ .comm = comm,
                                                       .threads = threads,
                                                       .cache_dir = "off",
                                                       .verify = 1,
                                                       .own = spread_own,
                                                       .columns = columns_for(p, comm) });
    volatile int status = COT_ERR_MEMORY;

    out->bytes = 0;
    IR_TRY (ctx)
        status = run(ctx, p, groups, backend, out);
    snprintf(out->text, sizeof out->text, "%s", cot_error(ctx));
    cot_context_free(ctx);
    return status;
}

/* What is done with a graph in a context of its own. */
typedef cot_status with_graph(cot_context *ctx, const ir_graph *f, const void *user);

static int
in_context(const spread_program *p, int64_t groups, int threads, with_graph *body,
           const void *user, spread_result *out)
{
    cot_context *ctx = cot_context_new(&(cot_options){ .threads = threads,
                                                       .cache_dir = "off",
                                                       .verify = 1,
                                                       .own = spread_own,
                                                       .columns = p->columns });
    volatile int status = COT_ERR_MEMORY;
    const ir_graph *f;

    out->bytes = 0;
    IR_TRY (ctx) {
        status = make_graph(ctx, p, groups, &f);
        if (status == COT_OK)
            status = body(ctx, f, user);
    }
    snprintf(out->text, sizeof out->text, "%s", cot_error(ctx));
    cot_context_free(ctx);
    return status;
}

typedef struct file_wanted {
    const char *processes, *path, *header;
} file_wanted;

static cot_status
build(cot_context *ctx, const ir_graph *f, const void *user)
{
    const file_wanted *w = user;
    int64_t args[32], results[32];

    return rt_build(
        ctx, 1, &(rt_export){ .graph = f, .name = "shipped" },
        &(cot_compile_options){ .processes = w->processes,
                                .spread = list_of(spread_args, args),
                                .spread_results = list_of(spread_results, results) },
        w->path, w->header);
}

int
spread_build(const spread_program *p, int64_t groups, const char *processes, int threads,
             const char *path, const char *header, spread_result *out)
{
    const file_wanted w = { processes, path, header };

    return in_context(p, groups, threads, build, &w, out);
}

typedef struct shipped_call {
    spread_entry *entry;
    size_t work_bytes;
    const cot_comm *comm;
    spread_result *out;
} shipped_call;

/* The rows of a process in the memory of a whole value. */
static char *
rows_of(const ir_type *t, void *whole, const cot_comm *c, int rank, size_t *bytes)
{
    const cot_rows rows = cot_spread_rows(t->dims[0], c->size, rank);
    const size_t row = laws_bytes(t) / (size_t)t->dims[0];

    *bytes = row * (size_t)rows.count;
    return (char *)whole + row * (size_t)rows.first;
}

/* Of a result of which each process has its rows, all of them. */
static int
gather_rows(const ir_type *t, void *whole, const cot_comm *c)
{
    for (int round = 0; round < c->size; round++) {
        const int p = (round - c->rank + c->size) % c->size;
        size_t own, their;
        const char *from = rows_of(t, whole, c, c->rank, &own);
        char *to = rows_of(t, whole, c, p, &their);
        if (p != c->rank && c->exchange(c->user, p, from, own, to, their))
            return COT_ERR_FOREIGN;
    }
    return 0;
}

static cot_status
call(cot_context *ctx, const ir_graph *f, const void *user)
{
    const shipped_call *c = user;
    void **in = sample(f, c->comm), **y = laws_values(f->n_out, f->out, f);
    void **args = IR_NEW_N(&ctx->arena, void *, f->n_in + f->n_out + 1),
         *work = aligned_alloc(64, (c->work_bytes + 127) / 64 * 64);

    memcpy(args, in, sizeof *args * (size_t)f->n_in);
    memcpy(args + f->n_in, y, sizeof *args * (size_t)f->n_out);
    size_t bytes;
    for (int i = 0; i < f->n_in; i++)
        if (spread_args >> i & 1)
            args[i] = rows_of(ir_type_at(f, f->in[i]), in[i], c->comm, c->comm->rank, &bytes);
    for (int j = 0; j < f->n_out; j++)
        if (spread_results >> j & 1)
            args[f->n_in + j] =
                rows_of(ir_type_at(f, f->out[j]), y[j], c->comm, c->comm->rank, &bytes);
    int status = work ? c->entry(c->comm, args, work) : COT_ERR_MEMORY;
    for (int j = 0; j < f->n_out && status == COT_OK; j++)
        if (spread_results >> j & 1)
            status = gather_rows(ir_type_at(f, f->out[j]), y[j], c->comm);
    if (status == COT_OK)
        keep(c->out, f, y);
    free(work);
    laws_free(f->n_in, in);
    laws_free(f->n_out, y);
    return (cot_status)status;
}

int
spread_call(const spread_program *p, int64_t groups, spread_entry *entry, size_t work_bytes,
            const cot_comm *comm, spread_result *out)
{
    const shipped_call c = { entry, work_bytes, comm, out };

    return in_context(p, groups, 1, call, &c, out);
}
