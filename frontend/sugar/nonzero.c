/* The places of elements that are not 0, as many as the user makes room for.
 *
 * The number of places depends on values, so its bound is given: element j of the result is the
 * j-th place in row-major order, and what is left of the room holds `fill`.  The place of an
 * element among the others is the running sum of the marks; elements that have no place are
 * scattered beyond the end, where scatter drops them. */
#include "cotrace/sugar.h"

#include "frontend/trace.h"

/* [n, rank]: the index of each element of a shape, by axis. */
static ir_ref
coordinates(ir_build *b, cot_dtype t, const ir_type *x)
{
    ir_ref *part = IR_NEW_N(b->arena, ir_ref, x->rank + 1);
    const int64_t dims[2] = { x->size, 0 };

    if (x->rank == 0)
        return ir_broadcast_in_dim(b, ir_zeros(b, ir_scalar_type(b->ctx, t)), 2,
                                   (const int64_t[]){ 1, 0 }, NULL);
    for (int k = 0; k < x->rank; k++)
        part[k] = ir_reshape(b, ir_iota(b, t, x->rank, x->dims, k), 2,
                             (const int64_t[]){ dims[0], 1 });
    return ir_concatenate(b, x->rank, part, 1);
}

ir_ref
fe_places(ir_build *b, ir_ref x, int64_t size, int64_t fill, ir_ref *count)
{
    const ir_type *t = ir_btype(b, x);
    cot_dtype it = t->size <= INT32_MAX && size <= INT32_MAX ? COT_I32 : COT_I64;
    int64_t columns = 1, zero = 0;
    ir_ref is = t->dtype == COT_BOOL ? x : ir_op2(b, OP_ne, x, ir_like(b, x, 0));
    ir_ref mark = ir_convert(b, ir_reshape(b, is, 1, &t->size), it);

    *count = ir_reduce(b, OP_reduce_sum, mark, 1);
    ir_ref sums =
        mark ? ir_node1(b, OP_cumsum, 1, &mark, &(ir_attrs){ .cumulate = { .axis = 0 } })
             : IR_NONE;
    ir_ref at = ir_sub(b, sums, ir_like(b, mark, 1));
    ir_ref past = mark ? ir_splat_int(b, ir_btype(b, mark), size) : IR_NONE;
    at = ir_select(b, ir_reshape(b, is, 1, &t->size), at, past);
    ir_ref room = ir_broadcast_in_dim(b, ir_splat_int(b, ir_scalar_type(b->ctx, it), fill), 2,
                                      (const int64_t[]){ size, t->rank }, NULL);
    ir_attrs a = { .scatter = { .window_dims = { 1, &columns },
                                .inserted = { 1, &zero },
                                .index_map = { 1, &zero },
                                .mode = IR_MODE_FILL } };
    ir_ref in[3] = { room, ir_broadcast_axis(b, at, 1, 1), coordinates(b, it, t) };
    return in[0] && in[1] && in[2] ? ir_node1(b, OP_scatter, 3, in, &a) : IR_NONE;
}

static ir_ref
nonzero(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const cot_nonzero_options *o = options;
    ir_ref count;

    (void)n;
    if (o->size < 1) {
        ir_build_fail(b, "nonzero", ERR_nonzero, ir_type_str(b->ctx, ir_btype(b, x[0].ref)));
        return IR_NONE;
    }
    ir_ref y = fe_places(b, x[0].ref, o->size, o->fill, &count);
    if (o->count)
        *o->count = fe_handle(b->ctx->trace, count);
    return y;
}

cot_value
cot_nonzero_(cot_place at, cot_value x, const cot_nonzero_options *options, size_t size)
{
    FE_OPTIONS(cot_nonzero_options, o, options, size);

    if (o.count)
        *o.count = (cot_value){ x.ctx, 0, 0 };
    return fe_apply1(at, "nonzero", nonzero, x, &o);
}
