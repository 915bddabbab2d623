/* The open kernel of a function: it is traced at types with other lengths. */
#include "runtime/open/open.h"

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
rt_open_compile_fn(cot_fn *f, cot_types types, const rt_plan *p, cot_kernel **out)
{
    rt_sizes *sizes;

    COT_TRY(rt_sizes_read(f, f->open, types.n, &sizes));
    traced_function t = { f, types, sizes };
    const rt_open_source source = { f->name, f->loc, trace, &t };
    return rt_open_compile(f->ctx, &source, sizes, p, out);
}
