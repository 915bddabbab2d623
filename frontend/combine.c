/* Reductions, windows and sorts by a traced body.  The body is traced once, for one element of
 * each list, and passed to passes/combine.c, window.c and sorting.c, which build the graphs. */
#include "cotrace/combine.h"

#include "frontend/sub.h"
#include "passes/sorting.h"
#include "passes/window.h"

typedef struct combination {
    const char *title;
    cot_body *body, *scatter;
    cot_combine_options o;
    cot_value x, source, init;
} combination;

/* The body on two elements of each type: (a, b) -> an element again, or bool. */
static bool
traced(ir_build *b, const combination *s, cot_body *body, int n, const ir_type *const *element,
       bool test, pass_combiner *c)
{
    const ir_type **type = IR_NEW_N(b->arena, const ir_type *, 2 * n + 1);
    fe_shared consts = { 0 };
    fe_sub sub = { 0 };

    for (int i = 0; i < 2 * n; i++)
        type[i] = element[i % n];
    if (!fe_trace_sub(b, ir_format(b->arena, "%s.%s", b->name, test ? "before" : "combine"),
                      body, s->o.user, 2 * n, type, test ? 1 : n, &consts, &sub))
        return false;
    *c = (pass_combiner){ sub.g, n, sub.n_captured, sub.captured };
    for (int i = 0; i < (test ? 1 : n); i++) {
        const ir_type *want = test ? ir_scalar_type(b->ctx, COT_BOOL) : element[i];
        const ir_type *got = ir_type_at(sub.g, sub.g->out[i]);

        if (got != want) {
            ir_build_fail(b, s->title, ERR_sub_type, "body", "output", i,
                          ir_type_str(b->ctx, got), ir_type_str(b->ctx, want));
            return false;
        }
    }
    return true;
}

static ir_ref
given(ir_build *b, const combination *s, cot_value v, int i)
{
    return fe_resolve(b->ctx->trace, v, s->title, i);
}

/* The lists, of one shape, and the types of their elements. */
static bool
lists(ir_build *b, const combination *s, ir_ref *x, const ir_type **element)
{
    if (s->o.xs.n < 1 || !s->body) {
        ir_build_fail(b, s->title, ERR_usage,
                      s->body ? "has no .xs; wants at least one" : "a body is NULL");
        return false;
    }
    for (int i = 0; i < s->o.xs.n; i++) {
        x[i] = given(b, s, FE_AT(s->o.xs)[i], i);
        if (!x[i])
            return false;
        if (!ir_same_shape(ir_btype(b, x[i]), ir_btype(b, x[0]))) {
            ir_build_fail(b, s->title, ERR_shapes_differ,
                          ir_type_str(b->ctx, ir_btype(b, x[i])),
                          ir_type_str(b->ctx, ir_btype(b, x[0])));
            return false;
        }
        element[i] = ir_scalar_type(b->ctx, ir_btype(b, x[i])->dtype);
    }
    return true;
}

static bool
inits(ir_build *b, const combination *s, const ir_type *const *element, ir_ref *init)
{
    if (s->o.inits.n != s->o.xs.n) {
        ir_build_fail(b, s->title, ERR_attr_wrong,
                      ir_format(b->arena, ".inits has %d entries; wants %d, as .xs",
                                s->o.inits.n, s->o.xs.n));
        return false;
    }
    for (int i = 0; i < s->o.xs.n; i++) {
        init[i] = given(b, s, FE_AT(s->o.inits)[i], s->o.xs.n + i);
        if (!init[i])
            return false;
        if (ir_btype(b, init[i]) != element[i]) {
            ir_build_fail(b, s->title, ERR_attr_wrong,
                          ir_format(b->arena, ".inits[%d] is %s; wants %s", i,
                                    ir_type_str(b->ctx, ir_btype(b, init[i])),
                                    ir_type_str(b->ctx, element[i])));
            return false;
        }
    }
    return true;
}

static ir_ref
results(const combination *s, ir_build *b, const ir_ref *y)
{
    for (int i = 0; s->o.out && i < s->o.xs.n; i++)
        s->o.out[i] = fe_handle(b->ctx->trace, b->status == COT_OK ? y[i] : IR_NONE);
    return b->status == COT_OK ? y[0] : IR_NONE;
}

/* Operands, their types and inits, and the traced body. */
typedef struct combiner_operands {
    ir_ref *x, *init, *y;
    pass_combiner c;
} combiner_operands;

static bool
begin(ir_build *b, const combination *s, bool test, combiner_operands *p)
{
    const int n = s->o.xs.n;
    const ir_type **element = IR_NEW_N(b->arena, const ir_type *, n + 1);

    p->x = IR_NEW_N(b->arena, ir_ref, n + 1);
    p->y = IR_NEW_N(b->arena, ir_ref, n + 1);
    p->init = IR_NEW_N(b->arena, ir_ref, n + 1);
    return lists(b, s, p->x, element) && (test || inits(b, s, element, p->init)) &&
           traced(b, s, s->body, n, element, test, &p->c);
}

static ir_ref
reduce(ir_build *b, const fe_arg *a, int n_args, const void *options)
{
    const combination *s = options;
    ir_axes axes = 0;
    combiner_operands p;

    (void)a, (void)n_args;
    if (!begin(b, s, false, &p))
        return IR_NONE;
    const int rank = ir_btype(b, p.x[0])->rank;
    if (!fe_axes(b, s->title, s->o.axes, rank, ir_axes_below(rank), &axes))
        return IR_NONE;
    pass_reduce(b, &p.c, axes, p.x, p.init, p.y);
    return results(s, b, p.y);
}

static bool
window_list(ir_build *b, const combination *s, const char *what, cot_list list, int n,
            int64_t absent, int64_t least, int64_t *to)
{
    if (!fe_lists(b, s->title, 1, &(fe_named_list){ what, list }))
        return false;
    if (list.n != 0 && list.n != n) {
        ir_build_fail(b, s->title, ERR_attr_wrong,
                      ir_format(b->arena, "%s has %d entries; wants %d", what, list.n, n));
        return false;
    }
    for (int i = 0; i < n; i++) {
        to[i] = list.n ? FE_AT(list)[i] : absent;
        if (to[i] < least) {
            ir_build_fail(b, s->title, ERR_attr_wrong,
                          ir_format(b->arena, "%s[%d] is %lld; wants %lld or more", what, i,
                                    (long long)to[i], (long long)least));
            return false;
        }
    }
    return true;
}

/* The options as windows of every axis of t. */
static const pass_window *
windows_of(ir_build *b, const combination *s, const ir_type *t)
{
    const int n = t->rank;
    int64_t size[COT_MAX_RANK], stride[COT_MAX_RANK], dilation[COT_MAX_RANK],
        base[COT_MAX_RANK], pad[2 * COT_MAX_RANK];
    pass_window *w = IR_NEW_N(b->arena, pass_window, n + 1);

    if (!window_list(b, s, "window", s->o.window, n, 1, 1, size) ||
        !window_list(b, s, "strides", s->o.strides, n, 1, 1, stride) ||
        !window_list(b, s, "dilation", s->o.dilation, n, 1, 1, dilation) ||
        !window_list(b, s, "base_dilation", s->o.base_dilation, n, 1, 1, base) ||
        !window_list(b, s, "padding", s->o.padding, 2 * n, 0, INT32_MIN, pad))
        return NULL;
    for (int i = 0; i < n; i++) {
        w[i] = (pass_window){ size[i], stride[i],  dilation[i],
                              base[i], pad[2 * i], pad[2 * i + 1] };
        if (s->o.same)
            pass_window_same(t->dims[i], &w[i]);
    }
    return w;
}

static ir_ref
reduce_window(ir_build *b, const fe_arg *a, int n_args, const void *options)
{
    const combination *s = options;
    combiner_operands p;

    (void)a, (void)n_args;
    if (!begin(b, s, false, &p))
        return IR_NONE;
    const pass_window *w = windows_of(b, s, ir_btype(b, p.x[0]));
    if (!w)
        return IR_NONE;
    pass_reduce_window(b, &p.c, w, p.x, p.init, p.y);
    return results(s, b, p.y);
}

static ir_ref
sort_by(ir_build *b, const fe_arg *a, int n_args, const void *options)
{
    const combination *s = options;
    combiner_operands p;

    (void)a, (void)n_args;
    if (!begin(b, s, true, &p))
        return IR_NONE;
    const int axis = fe_axis(b, s->title, s->o.axis, ir_btype(b, p.x[0])->rank);
    if (axis < 0)
        return IR_NONE;
    pass_sort(b, &p.c, axis, p.x, p.y);
    return results(s, b, p.y);
}

static void
adds(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_add(in[0], in[1]);
}

static ir_ref
select_and_scatter(ir_build *b, const fe_arg *a, int n_args, const void *options)
{
    const combination *s = options;
    ir_ref x = given(b, s, s->x, 0), source = x ? given(b, s, s->source, 1) : IR_NONE,
           init = source ? given(b, s, s->init, 2) : IR_NONE;
    pass_combiner select, scatter;

    (void)a, (void)n_args;
    if (!init)
        return IR_NONE;
    const ir_type *t = ir_btype(b, x), *element = ir_scalar_type(b->ctx, t->dtype);
    if (ir_btype(b, source)->dtype != t->dtype || ir_btype(b, init) != element) {
        ir_build_fail(b, s->title, ERR_dtypes_differ, ir_type_str(b->ctx, ir_btype(b, source)),
                      ir_type_str(b->ctx, t));
        return IR_NONE;
    }
    const pass_window *w = windows_of(b, s, t);
    if (!w || !traced(b, s, s->body, 1, &element, true, &select) ||
        !traced(b, s, s->scatter ? s->scatter : adds, 1, &element, false, &scatter))
        return IR_NONE;
    return pass_select_and_scatter(b, &select, &scatter, w, x, source, init);
}

static ir_ref
scatter_by(ir_build *b, const fe_arg *a, int n_args, const void *options)
{
    const combination *s = options;
    const int n = s->o.xs.n;
    const ir_type **element = IR_NEW_N(b->arena, const ir_type *, n + 1);
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, n + 1), *y = IR_NEW_N(b->arena, ir_ref, n + 1),
           *z = IR_NEW_N(b->arena, ir_ref, n + 1);
    pass_combiner c;

    (void)a, (void)n_args;
    if (!lists(b, s, x, element))
        return IR_NONE;
    if (s->o.updates.n != n) {
        ir_build_fail(b, s->title, ERR_attr_wrong,
                      ir_format(b->arena, ".updates has %d entries; wants %d, as .xs",
                                s->o.updates.n, n));
        return IR_NONE;
    }
    for (int i = 0; i < n; i++)
        if (!(y[i] = given(b, s, FE_AT(s->o.updates)[i], n + i)))
            return IR_NONE;
    if (!traced(b, s, s->body, n, element, false, &c) ||
        !fe_scatter_by(b, s->title, s->o.index, s->o.clip, &c, x, y, z))
        return IR_NONE;
    return results(s, b, z);
}

static void
combine_options(combination *s, const cot_combine_options *o, size_t size)
{
    fe_options(&s->o, sizeof s->o, o, size);
    fe_readable(&s->o.xs);
    fe_readable(&s->o.inits);
    fe_readable(&s->o.updates);
}

#define FE_COMBINE(name, rule)                                                                 \
    cot_value cot_##name##_(cot_place at, cot_body *body, const cot_combine_options *o,        \
                            size_t size)                                                       \
    {                                                                                          \
        combination s = { .title = #name, .body = body };                                      \
                                                                                               \
        combine_options(&s, o, size);                                                          \
        cot_context *ctx = s.o.xs.n > 0 ? FE_AT(s.o.xs)[0].ctx : NULL;                         \
        for (int i = 0; s.o.out && i < s.o.xs.n; i++)                                          \
            s.o.out[i] = (cot_value){ ctx, 0, 0 };                                             \
        return fe_apply_in(ctx, at, #name, rule, &s);                                          \
    }
FE_COMBINE(reduce, reduce)
FE_COMBINE(reduce_window, reduce_window)
FE_COMBINE(sort_by, sort_by)
FE_COMBINE(scatter_by, scatter_by)

cot_value
cot_select_and_scatter_(cot_place at, cot_body *select, cot_body *scatter, cot_value x,
                        cot_value source, cot_value init, const cot_combine_options *o,
                        size_t size)
{
    combination s = { .title = "select_and_scatter",
                      .body = select,
                      .scatter = scatter,
                      .x = x,
                      .source = source,
                      .init = init };

    combine_options(&s, o, size);
    return fe_apply_in(x.ctx, at, s.title, select_and_scatter, &s);
}
