/* --open: a module of StableHLO text whose sizes are open becomes one function for
 * all of them.  The text is imported at sizes, as often as the function is traced. */
#include "cotrace/stablehlo.h"
#include "frontend/stablehlo/import/import.h"
#include "ir/diag.h"
#include "runtime/build.h"
#include "runtime/open/open.h"
#include "tools/cot.h"

/* The size that stands for all where no other one is asked for. */
enum { ANY_SIZE = 8 };

typedef struct open_text {
    cot_cli *c;
    rt_open_source source;
    rt_sizes *sizes; /* of the arguments of the text; NULL: not read yet */
    const int64_t *size; /* NULL: any */
} open_text;

static const int64_t *
any_sizes(const open_text *o)
{
    int64_t *size = IR_NEW_N(&o->c->ctx->arena, int64_t, o->sizes->n + 1);

    for (int i = 0; i < o->sizes->n; i++) {
        const rt_size *s = &o->sizes->size[i];
        const int64_t n = s->least > ANY_SIZE  ? s->least
                          : s->most < ANY_SIZE ? s->most
                                               : ANY_SIZE;

        size[i] = n / s->multiple * s->multiple;
        size[i] += size[i] < s->least ? s->multiple : 0;
    }
    return size;
}

/* The type of an argument of the text that has open sizes; NULL, with the error recorded, where
 * --open does not say all lengths of it. */
static const ir_type *
type_of(const open_text *o, int i, cot_dtype dtype, const int64_t *size)
{
    const rt_sizes *s = o->sizes;
    cot_context *ctx = o->c->ctx;
    int64_t *dims = IR_NEW_N(&ctx->arena, int64_t, COT_MAX_RANK);

    for (int k = 0; k < s->rank[i]; k++) {
        if (!s->axis[i][k].is_open)
            break;
        dims[k] = cg_polynomial_at(&s->axis[i][k].length, size);
        if (k == s->rank[i] - 1)
            return ir_type_new(ctx, dtype, s->rank[i], dims);
    }
    if (s->rank[i] == 0)
        return ir_type_new(ctx, dtype, 0, dims);
    ir_fail(ctx, 0, o->source.name, ERR_usage,
            ir_format(&ctx->arena,
                      "argument %d has open sizes; --open wants all of its lengths, as in "
                      "'%d: [n, 3]'",
                      i, i));
    return NULL;
}

static bool
given(void *user, int n, const cot_dtype *want, const ir_type **type, ir_ints *sizes)
{
    open_text *o = user;
    cot_cli *c = o->c;

    if (!o->sizes && rt_sizes_read(c->ctx, &o->source, NULL, n, c->open, &o->sizes) != COT_OK)
        return false;
    const int64_t *size = o->size ? o->size : any_sizes(o);
    for (int i = 0; i < n; i++)
        if (!type[i] && !(type[i] = type_of(o, i, want[i], size)))
            return false;
    *sizes = (ir_ints){ 0, NULL };
    return true;
}

static cot_status
graph_at(void *user, ir_arena *scratch, const int64_t *size, const cot_graph **out)
{
    open_text *o = user;
    cot_cli *c = o->c;
    const char *path = c->files[0], *text = cli_text(c, path);
    const cot_import_options options = { .entry = c->entry };
    const fe_hlo_source source = { path, text, c->start, c->stop ? c->stop : c->bytes };
    const fe_hlo_extra extra = { .given = given, .user = o };
    ir_graph *f, *transformed;

    (void)scratch;
    o->size = size;
    COT_TRY(fe_hlo_import(c->ctx, &source, &options, &extra, &f));
    COT_TRY(cli_transform(c, f, &transformed));
    *out = transformed;
    return COT_OK;
}

/* The axes of the function's own arguments are found: the pipeline may have added some. */
static rt_sizes *
facts_of(const open_text *o)
{
    rt_sizes *s = IR_NEW(&o->c->ctx->arena, rt_sizes);

    s->n = o->sizes->n;
    for (int i = 0; i < s->n; i++) {
        s->size[i] = o->sizes->size[i];
        s->size[i].argument = s->size[i].axis = -1;
    }
    return s;
}

cot_status
cli_open(cot_cli *c, rt_export *out)
{
    open_text *o = IR_NEW(&c->ctx->arena, open_text);
    const char *path = c->files[0], *text = cli_text(c, path);
    const cot_graph *any;

    if (!text)
        return COT_ERR_IO;
    if (!fe_hlo_is_mlir(path, text, c->bytes))
        return ir_fail(c->ctx, 0, NULL, ERR_usage, "--open is for StableHLO text alone");
    *o = (open_text){ .c = c, .source = { path, 0, graph_at, o } };
    COT_TRY(graph_at(o, NULL, NULL, &any));
    if (!o->sizes)
        return ir_fail(c->ctx, 0, NULL, ERR_usage,
                       ir_format(&c->ctx->arena, "--open: no size of %s is open", path));
    *out = (rt_export){ .graph = any,
                        .name = c->name,
                        .open = &o->source,
                        .sizes = facts_of(o),
                        .opened = IR_NEW(&c->ctx->arena, struct rt_open *) };
    return COT_OK;
}

cot_status
cli_open_text(cot_cli *c, ir_buf *out)
{
    rt_export e = { 0 };

    COT_TRY(cli_open(c, &e));
    return rt_open_print(c->ctx, e.open, e.sizes, c->locs ? IR_PRINT_LOCS : 0, out);
}
