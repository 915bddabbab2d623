/* The open kernel, or the general module, of a function: it is traced at types with other
 * lengths. */
#include "runtime/open/opening.h"

typedef struct traced_function {
    cot_fn *f;
    cot_types types;
    const rt_sizes *sizes;
} traced_function;

static bool
is_open_axis(const rt_sizes *s, int i, int k)
{
    return i < s->n_args && s->rank[i] > k && s->axis[i][k].is_open;
}

static cot_status
trace(void *user, ir_arena *scratch, const int64_t *size, const cot_graph **out)
{
    const traced_function *t = user;
    const cot_type *given = cot_types_entries(&t->types);
    cot_type *type = IR_NEW_N(scratch, cot_type, t->types.n + 1);

    for (int i = 0; i < t->types.n; i++) {
        int64_t *dims = IR_NEW_N(scratch, int64_t, given[i].rank + 1);

        type[i] = given[i];
        for (int k = 0; k < given[i].rank; k++) {
            dims[k] = given[i].rank > 8 ? given[i].more[k] : given[i].dims[k];
            if (is_open_axis(t->sizes, i, k))
                dims[k] = cg_polynomial_at(&t->sizes->axis[i][k].length, size);
            if (given[i].rank <= 8)
                type[i].dims[k] = dims[k];
        }
        type[i].more = given[i].rank > 8 ? dims : NULL;
    }
    return cot_trace_fn(t->f, (cot_types){ .n = t->types.n, .at = type }, out);
}

cot_status
rt_open_source_of(cot_fn *f, cot_types types, ir_arena *a, const rt_open_source **source,
                  rt_sizes **sizes)
{
    traced_function *t = IR_NEW(a, traced_function);
    const rt_open_source s = { f->name, f->loc, trace, t };

    if (fe_has_own_sizes(f)) {
        COT_TRY(cot_trace_fn(f, types, NULL)); /* do the types agree with the text? */
        return rt_open_text_source(f->graph, NULL, NULL, source, sizes);
    }

    *source = ir_copy_bytes(a, &s, sizeof s);
    COT_TRY(rt_sizes_read(f->ctx, &s, fe_argument_names(f, types.n), types.n, f->open, sizes));
    *t = (traced_function){ f, types, *sizes };
    return COT_OK;
}

cot_status
rt_open_compile_fn(cot_fn *f, cot_types types, const rt_plan *p, cot_kernel **out)
{
    const rt_open_source *source;
    rt_sizes *sizes;

    COT_TRY(rt_open_source_of(f, types, &f->ctx->arena, &source, &sizes));
    return rt_open_compile(f->ctx, source, sizes, p, out);
}

/* A module for a file is tried as a kernel of this machine, since that for which the file is
 * made may be another one; that for a GPU by the simulator. */
static cot_status
try_here(const rt_opening *o)
{
    const cot_compile_options sim = { .backend = "sim", .cpu = o->plan->target.cpu };
    cot_context *ctx = o->ctx;
    cot_kernel *k = NULL;
    rt_sizes *sizes = IR_NEW(&ctx->arena, rt_sizes);
    rt_plan p;

    *sizes = *o->sizes;
    COT_TRY(rt_plan_new(ctx, o->plan->target.grid ? &sim : NULL, o->source->name, &p));
    if (p.engine != RT_JIT && p.engine != RT_DEVICE)
        return o->n_other ? rt_open_refuse(o, 0, "it cannot be tried without a back end")
                          : COT_OK;
    const cot_status status = rt_open_compile(ctx, o->source, sizes, &p, &k);
    cot_kernel_free(k);
    return status;
}

cot_status
rt_open_lower_file(cot_context *ctx, const rt_open_source *source, rt_sizes *sizes,
                   const rt_plan *p, ir_arena *a, rt_open **out)
{
    const bool is_first = !*out; /* of several forms of the file */
    rt_open *open = *out = IR_NEW(a, rt_open);
    rt_opening o;

    open->sizes = sizes;
    rt_open_begin(&o, ctx, source, sizes, p, a);
    COT_TRY(rt_open_lower(&o, open));
    return is_first ? try_here(&o) : COT_OK;
}
