/* Collectives: nodes that name an axis of the vmaps around the trace.
 *
 * The axis names that are in scope, and how many examples each has, are a list in the context
 * that grows while the function inside a vmap is traced (fn.c).  So an unknown name is reported
 * at the user's line. */
#include "cotrace/collective.h"

#include "frontend/trace.h"

typedef struct collective {
    ir_op op;
    const char *axis;
    cot_collective_options o;
    cot_list pairs;
} collective;

static const ir_named_axis *
find(ir_build *b, const char *op, const char *name)
{
    const ir_named_axis *x = b->ctx->axes;

    while (x && name && strcmp(x->name, name) != 0)
        x = x->outer;
    if (x && name)
        return x;
    ir_build_fail(b, op, ERR_axis_unbound, name ? name : "", name ? name : "i");
    return NULL;
}

/* psum, pmax, pmin, axis_index. */
static ir_ref
over(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const collective *c = options;
    const ir_named_axis *axis = find(b, ir_ops[c->op].name, c->axis);
    ir_ref in = n ? x[0].ref : IR_NONE;

    return axis ? ir_node1(b, c->op, n, &in, &(ir_attrs){ .over = { axis->name } }) : IR_NONE;
}

static ir_ref
mean(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const collective *c = options;
    const ir_named_axis *axis = find(b, "pmean", c->axis);
    ir_ref v = x[0].ref;

    (void)n;
    if (!v || !axis)
        return IR_NONE;
    if (!ir_is_inexact(ir_btype(b, v)->dtype)) {
        ir_build_fail(b, "pmean", ERR_operand_dtype, 0, ir_type_str(b->ctx, ir_btype(b, v)),
                      "a floating type");
        return IR_NONE;
    }
    ir_ref wide = fe_widen(b, v);
    ir_ref sum = ir_node1(b, OP_psum, 1, &wide, &(ir_attrs){ .over = { axis->name } });
    return fe_narrow(b, ir_div(b, sum, ir_like(b, sum, (double)axis->size)),
                     ir_btype(b, v)->dtype);
}

/* all_gather, psum_scatter. */
static ir_ref
stack(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const collective *c = options;
    const char *op = ir_ops[c->op].name;
    const ir_named_axis *axis = find(b, op, c->axis);

    if (!axis || !x[0].ref)
        return IR_NONE;
    int k = fe_axis(b, op, c->o.axis, ir_btype(b, x[0].ref)->rank + (c->op == OP_all_gather));
    if (k < 0)
        return IR_NONE;
    return ir_node1(b, c->op, n, &x[0].ref,
                    &(ir_attrs){ .stack = { axis->name, k, axis->size } });
}

static ir_ref
permute(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const collective *c = options;
    const ir_named_axis *axis = find(b, "ppermute", c->axis);

    if (!fe_lists(b, "ppermute", 1, &(fe_named_list){ "pairs", c->pairs }))
        return IR_NONE;
    return axis ? ir_node1(b, OP_ppermute, n, &x[0].ref,
                           &(ir_attrs){ .permute = { axis->name, fe_list(&c->pairs) } })
                : IR_NONE;
}

#define FE_OVER(name)                                                                          \
    cot_value cot_##name##_(cot_place at, cot_value x, const char *axis)                       \
    {                                                                                          \
        return fe_apply1(at, #name, over, x,                                                   \
                         &(const collective){ .op = OP_##name, .axis = axis });                \
    }
FE_OVER(psum)
FE_OVER(pmax)
FE_OVER(pmin)

cot_value
cot_pmean_(cot_place at, cot_value x, const char *axis)
{
    return fe_apply1(at, "pmean", mean, x, &(const collective){ .op = OP_psum, .axis = axis });
}

#define FE_STACK(name)                                                                         \
    cot_value cot_##name##_(cot_place at, cot_value x, const char *axis,                       \
                            const cot_collective_options *o, size_t size)                      \
    {                                                                                          \
        FE_OPTIONS(cot_collective_options, opt, o, size);                                      \
        return fe_apply1(at, #name, stack, x,                                                  \
                         &(const collective){ .op = OP_##name, .axis = axis, .o = opt });      \
    }
FE_STACK(all_gather)
FE_STACK(psum_scatter)

cot_value
cot_ppermute_(cot_place at, cot_value x, const char *axis, cot_list pairs)
{
    return fe_apply1(at, "ppermute", permute, x,
                     &(const collective){ .op = OP_ppermute, .axis = axis, .pairs = pairs });
}

cot_value
cot_axis_index_(cot_place at, cot_trace *t, const char *axis)
{
    return fe_apply0(at, t, "axis_index", over,
                     &(const collective){ .op = OP_axis_index, .axis = axis });
}

typedef struct sized {
    const char *axis;
    int64_t *size;
} sized;

static ir_ref
axis_size(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const sized *s = options;
    const ir_named_axis *axis = find(b, "axis_size", s->axis);

    (void)x, (void)n;
    *s->size = axis ? axis->size : -1;
    return IR_NONE;
}

int64_t
cot_axis_size_(cot_place at, cot_trace *t, const char *axis)
{
    int64_t size = -1;

    fe_apply0(at, t, "axis_size", axis_size, &(const sized){ axis, &size });
    return size;
}
