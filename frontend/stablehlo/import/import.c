/* StableHLO text to a graph: read, then build the entry, and with it whatever it calls. */
#include "frontend/stablehlo/import/import.h"

#include "frontend/custom.h"
#include "frontend/stablehlo/import/emit.h"
#include "ir/diag.h"
#include "ir/limit.h"

bool
fe_hlo_is_mlir(const char *path, const char *text, size_t bytes)
{
    const size_t n = path ? strlen(path) : 0;
    size_t i = 0;

    if (n > 5 && strcmp(path + n - 5, ".mlir") == 0)
        return true;
    if (n > 4 && strcmp(path + n - 4, ".cot") == 0)
        return false;
    while (i < bytes &&
           (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r'))
        i++;
    for (const char *const *s = (const char *const[]){ "module", "//", "#loc", "func.func",
                                                       "\"builtin.module\"", "ML\xefR", NULL };
         *s; s++)
        if (bytes - i >= strlen(*s) && memcmp(text + i, *s, strlen(*s)) == 0)
            return true;
    return false;
}

size_t
fe_hlo_module_end(const char *text, size_t from, size_t bytes)
{
    static const char mark[] = "// -----";
    const size_t n = sizeof mark - 1;

    for (const char *s = text + from, *end = text + bytes; s < end; s++) {
        if ((size_t)(end - s) >= n && memcmp(s, mark, n) == 0 && s > text + from)
            return (size_t)(s - text);
        if (!(s = memchr(s, '\n', (size_t)(end - s))))
            break;
    }
    return bytes;
}

static const hlo_attr *
attribute(const hlo_attr *dict, const char *name)
{
    for (int i = 0; dict && dict->kind == HLO_DICT && i < dict->n; i++)
        if (strcmp(dict->named[i].name, name) == 0)
            return &dict->named[i].value;
    return NULL;
}

/* Functions by name. */
static bool
index_functions(hlo_import *h)
{
    h->func = IR_NEW_N(h->a, hlo_func, h->m->n_funcs + 1);
    ir_map_init(&h->funcs, h->a);
    ir_map_init(&h->rows, h->a);
    for (uint32_t i = 0; i < h->m->n_funcs; i++) {
        const hlo_op *op = h->m->func[i];
        const hlo_attr *name = fe_hlo_find(op, "sym_name", NULL);
        if (!name || name->text.n == 0)
            return fe_hlo_refuse(h->ctx, h->r, op->at, "func.func", "has no name");
        if (fe_hlo_func(h, name->text))
            return fe_hlo_refuse(h->ctx, h->r, op->at, fe_hlo_text(h->a, name->text),
                                 "is there twice");
        h->func[i] = (hlo_func){ .op = op, .name = fe_hlo_text(h->a, name->text) };
        ir_map_add(&h->funcs, ir_hash(0, name->text.at, name->text.n), i + 1);
    }
    return true;
}

static bool
is_private(const hlo_op *op)
{
    const hlo_attr *how = fe_hlo_find(op, "sym_visibility", NULL);

    return how && fe_hlo_is(how->text, "private");
}

/* Public functions that can be called as they are. */
static bool
list_callable(hlo_import *h, fe_hlo_names *to)
{
    *to = (fe_hlo_names){ 0, IR_NEW_N(&h->ctx->arena, const char *, h->m->n_funcs + 1) };
    for (uint32_t i = 0; i < h->m->n_funcs; i++) {
        const hlo_op *op = h->func[i].op;
        if (!is_private(op) && op->n_regions && op->region[0]->n_args == 0)
            to->at[to->n++] = ir_format(&h->ctx->arena, "%s", h->func[i].name);
    }
    return to->n > 0;
}

/* The function named, else @main, else the only public one; NULL without an error: several
 * are. */
static hlo_func *
entry_of(hlo_import *h, const char *entry, fe_hlo_names *several)
{
    const char *name = entry ? entry : "main";
    hlo_func *f = fe_hlo_func(h, (hlo_span){ name, strlen(name) }), *only = NULL;
    int n = 0;

    if (f)
        return f;
    for (uint32_t i = 0; i < h->m->n_funcs && !entry; i++)
        if (!is_private(h->func[i].op)) {
            only = &h->func[i];
            n++;
        }
    if (n == 1)
        return only;
    if (!entry && several && list_callable(h, several))
        return NULL;
    fe_hlo_refuse(h->ctx, h->r, h->r->text, entry ? entry : "module",
                  entry ? "the module has no function of this name"
                        : "has no function @main, and not one that is public");
    return NULL;
}

/* An array of ours whose sizes are not all in the text? */
static bool
is_open(const hlo_type *t)
{
    return t->kind == HLO_TENSOR && t->dtype && !t->type;
}

/* The types of the entry's arguments: those given fill the sizes that the text leaves open. */
static const ir_type *const *
argument_types(hlo_import *h, const hlo_func *f, const fe_hlo_extra *extra, int *n)
{
    const hlo_region *r = f->op->n_regions ? f->op->region[0] : NULL;
    const cot_types given = h->o ? h->o->types : (cot_types){ .n = 0, .at = NULL };
    const hlo_type *const *declared = NULL;
    bool open = false;

    *n = r ? fe_hlo_arguments(h, r, &declared) : 0;
    const ir_type **type = IR_NEW_N(h->a, const ir_type *, *n + 1);
    if (given.n > 0 && given.n != *n) {
        fe_hlo_refuse(h->ctx, h->r, f->op->at, f->name,
                      ir_format(h->a, "%d types are given; wants %d", given.n, *n));
        return NULL;
    }
    cot_dtype *want = IR_NEW_N(h->a, cot_dtype, *n + 1);
    for (int i = 0; i < *n; i++) {
        want[i] = declared[i]->dtype;
        type[i] = declared[i]->type;
        open |= is_open(declared[i]);
    }
    h->open = open;
    h->sizes = h->o ? (ir_ints){ h->o->sizes.n, FE_AT(h->o->sizes) } : (ir_ints){ 0, NULL };
    if (open && !given.n && extra->given &&
        extra->given(extra->user, *n, want, type, &h->sizes))
        return type;
    if (h->ctx->status != COT_OK)
        return NULL;
    for (int i = 0; i < *n; i++) {
        const hlo_type *t = declared[i];
        type[i] = given.n ? ir_type_of(h->ctx, &FE_AT(given)[i]) : t->type;
        if (type[i])
            continue;
        if (!given.n)
            fe_hlo_refuse(
                h->ctx, h->r, t->text.at, f->name,
                is_open(t)
                    ? ir_format(h->a, "argument %d has open sizes; wants its type given", i)
                    : ir_format(h->a, "argument %d is %.*s, which is not supported", i,
                                (int)t->text.n, t->text.at));
        return NULL;
    }
    return type;
}

/* Arguments that the text lets a result take. */
static void
find_donated(hlo_import *h, const hlo_func *f, ir_ints *out)
{
    const hlo_attr *attrs = fe_hlo_find(f->op, "arg_attrs", NULL);
    const hlo_region *r = f->op->n_regions ? f->op->region[0] : NULL;
    const int listed = r && attrs && attrs->kind == HLO_LIST ? attrs->n : 0;
    int64_t *at = IR_NEW_N(&h->ctx->arena, int64_t, listed + 1);
    int n = 0, first = 0;

    for (int i = 0; i < listed && i < r->n_args; i++) {
        const hlo_type *t = h->m->value[r->arg + (uint32_t)i].type;
        if (t->kind == HLO_TENSOR && (attribute(&attrs->item[i], "tf.aliasing_output") ||
                                      attribute(&attrs->item[i], "jax.buffer_donor")))
            at[n++] = first;
        first += fe_hlo_leaves(t);
    }
    *out = (ir_ints){ n, at };
}

static cot_status
build(hlo_import *h, const fe_hlo_extra *extra, ir_graph **out)
{
    const ir_type *const *type;
    hlo_func *f;
    int n;

    h->env = IR_NEW_N(h->a, ir_ref, h->m->n_values + 1);
    if (!index_functions(h) || !(f = entry_of(h, h->o ? h->o->entry : NULL, extra->several)) ||
        !(type = argument_types(h, f, extra, &n)))
        return h->ctx->status;
    if (h->o && h->o->n_rules > 0 && !fe_hlo_bind_rules(h))
        return h->ctx->status;
    if (extra->donated)
        find_donated(h, f, extra->donated);
    *out = fe_hlo_function(h, f, n, type, f->op->at);
    return *out ? COT_OK : h->ctx->status;
}

/* All of it, so that the caller's status is set once: when memory runs short, it is not yet. */
static cot_status
read_and_build(cot_context *ctx, ir_arena *scratch, const fe_hlo_source *s,
               const cot_import_options *o, const fe_hlo_extra *extra, ir_graph **out)
{
    fe_hlo_checks *const checks = extra->checks;
    hlo_reader r = { .ctx = ctx,
                     .a = scratch,
                     .path = s->path,
                     .text = s->text,
                     .at = s->text + s->from,
                     .end = s->text + s->to };
    hlo_import h = { .ctx = ctx, .a = scratch, .r = &r, .o = o, .checks = checks };

    ir_stage(ctx, "read", s->path, s->to);
    cot_status status = fe_hlo_parse(&r) ? COT_OK : ctx->status;
    h.m = r.m;
    ir_stage(ctx, "import", s->path, 0);
    if (status == COT_OK)
        status = build(&h, extra, out);
    if (checks && checks->n)
        checks->at = ir_copy_bytes(&ctx->arena, checks->at, sizeof *checks->at * checks->n);
    return status;
}

cot_status
fe_hlo_import(cot_context *ctx, const fe_hlo_source *s, const cot_import_options *o,
              const fe_hlo_extra *extra, ir_graph **out)
{
    static const fe_hlo_extra none = { 0 };
    cot_trace *const volatile below = ctx->trace;
    volatile cot_status status = COT_ERR_MEMORY;
    ir_arena scratch;

    *out = NULL;
    if (extra && extra->checks)
        *extra->checks = (fe_hlo_checks){ 0, 0, NULL, 0 };
    ir_arena_init(&scratch, ctx);
    ctx->folds_shapes = true;
    IR_TRY (ctx) {
        status = read_and_build(ctx, &scratch, s, o, extra ? extra : &none, out);
    }
    ctx->folds_shapes = false;
    fe_trace_unwind(ctx, below); /* memory ran short: traces were not ended */
    ir_arena_free(&scratch);
    return status;
}

cot_status
cot_import_stablehlo(cot_context *ctx, const char *path, const char *text, size_t bytes,
                     const cot_import_options *options, const cot_graph **out)
{
    ir_graph *g = NULL;

    if (!ctx || !text || !out)
        return ir_fail_null(ctx, "import_stablehlo", text ? "the result" : "the text");
    pthread_mutex_lock(&ctx->lock);
    const fe_hlo_source source = { path, text, 0, bytes };
    const cot_status status = fe_hlo_import(ctx, &source, options, NULL, &g);
    pthread_mutex_unlock(&ctx->lock);
    *out = g;
    return status;
}
