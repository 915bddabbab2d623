/* The different elements of an array, as many as the user makes room for.
 *
 * Sorted, equal elements are neighbours: the first of each run is kept, and the running sum of
 * those marks is its place among them.  What has no place is scattered beyond the end, where
 * scatter drops it. */
#include "cotrace/order.h"

#include "frontend/trace.h"

typedef struct finding {
    ir_build *b;
    int64_t n, size;
    ir_ref sorted, from;        /* the elements in order, and where they come from */
    ir_ref first, place;        /* is it the first of its run; the number of the run */
} finding;

static ir_ref
number(const finding *f, int64_t x, ir_ref like)
{
    return like ? ir_splat_int(f->b, ir_btype(f->b, like), x) : IR_NONE;
}

/* Different from the one before it; NaNs are equal. */
static ir_ref
marks(const finding *f)
{
    ir_build *b = f->b;
    const ir_type *one = ir_type_new(b->ctx, COT_BOOL, 1, (const int64_t[]){ 1 });

    if (f->n == 0)
        return ir_zeros(b, ir_type_new(b->ctx, COT_BOOL, 1, &f->n));
    ir_ref x = ir_slice_axis(b, f->sorted, 0, 0, f->n - 1),
           y = ir_slice_axis(b, f->sorted, 0, 1, f->n);
    ir_ref differ = ir_op2(b, OP_ne, x, y);
    if (x && ir_is_float(ir_btype(b, x)->dtype)) {
        ir_ref unequal = ir_op2(b, OP_ne, y, y);
        ir_ref both = ir_op2(b, OP_and, ir_op2(b, OP_ne, x, x), unequal);
        differ = ir_op2(b, OP_and, differ, ir_op1(b, OP_not, both));
    }
    return ir_concatenate(b, 2, (ir_ref[]){ ir_splat_int(b, one, 1), differ }, 0);
}

/* What `op` makes of room, of that many elements, and x at places, one for each element of
 * x. */
static ir_ref
put(const finding *f, ir_op op, ir_ref room, ir_ref place, ir_ref x)
{
    const int64_t zero = 0, vectors[2] = { f->n, 1 };
    ir_attrs a = {
        .scatter = { .inserted = { 1, &zero }, .index_map = { 1, &zero }, .mode = IR_MODE_FILL }
    };
    ir_ref in[3] = { room, place ? ir_reshape(f->b, place, 2, vectors) : IR_NONE, x };

    return in[0] && in[1] && in[2] ? ir_node1(f->b, op, 3, in, &a) : IR_NONE;
}

static ir_ref
room(const finding *f, ir_ref like, int64_t n, double x)
{
    ir_build *b = f->b;

    return like ? ir_splat(b, ir_type_new(b->ctx, ir_btype(b, like)->dtype, 1, &n), x)
                : IR_NONE;
}

static finding
find(ir_build *b, ir_ref x, int64_t size)
{
    const ir_type *t = ir_btype(b, x);
    finding f = { .b = b, .n = t->size, .size = size };
    const cot_dtype place = f.n <= INT32_MAX && size <= INT32_MAX ? COT_I32 : COT_I64;
    ir_ref flat = ir_reshape(b, x, 1, &f.n);

    f.from = fe_argsort(b, 1, &flat, 0, place);
    f.sorted = f.n == 0 || !f.from
                   ? flat
                   : fe_along(b, flat, ir_broadcast_axis(b, f.from, 1, 1), 0, IR_MODE_PROMISE);
    f.first = marks(&f);
    ir_ref mark = f.first ? ir_convert(b, f.first, place) : IR_NONE;
    ir_ref sums =
        mark ? ir_node1(b, OP_cumsum, 1, &mark, &(ir_attrs){ .cumulate = { .axis = 0 } })
             : IR_NONE;
    f.place = sums ? ir_sub(b, sums, number(&f, 1, sums)) : IR_NONE;
    return f;
}

static void
give(const finding *f, cot_value *to, ir_ref x)
{
    if (to)
        *to = fe_handle(f->b->ctx->trace, x);
}

static ir_ref
unique(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const cot_unique_options *o = options;
    const ir_type *t = ir_btype(b, x[0].ref);

    (void)n;
    if (o->size < 1) {
        ir_build_fail(b, "unique", ERR_unique, ir_type_str(b->ctx, t));
        return IR_NONE;
    }
    const finding f = find(b, x[0].ref, o->size);
    if (b->status != COT_OK)
        return IR_NONE;
    ir_ref only = ir_select(b, f.first, f.place, number(&f, o->size, f.place));
    ir_ref ones = number(&f, 1, f.place), zeros = room(&f, f.place, o->size, 0);
    if (o->count)
        give(&f, o->count,
             ir_reduce(b, OP_reduce_sum, ir_convert(b, f.first, ir_btype(b, f.place)->dtype),
                       1));
    if (o->counts)
        give(&f, o->counts, put(&f, OP_scatter_add, zeros, f.place, ones));
    if (o->index)
        give(&f, o->index, put(&f, OP_scatter, zeros, only, f.from));
    if (o->inverse) {
        ir_ref back = put(&f, OP_scatter, room(&f, f.place, f.n, 0), f.from, f.place);
        give(&f, o->inverse, back ? ir_reshape(b, back, t->rank, t->dims) : IR_NONE);
    }
    return put(&f, OP_scatter, room(&f, x[0].ref, o->size, o->fill), only, f.sorted);
}

cot_value
cot_unique_(cot_place at, cot_value x, const cot_unique_options *options, size_t size)
{
    FE_OPTIONS(cot_unique_options, o, options, size);
    cot_value *const more[] = { o.count, o.counts, o.index, o.inverse };

    for (int i = 0; i < 4; i++)
        if (more[i])
            *more[i] = (cot_value){ x.ctx, 0, 0 };
    return fe_apply1(at, "unique", unique, x, &o);
}
