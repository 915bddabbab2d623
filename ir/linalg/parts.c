/* The pieces of linear algebra: see parts.h. */
#include "ir/linalg/parts.h"

ir_ref
ir_la_in(ir_build *b, ir_ref x)
{
    if (!x)
        return IR_NONE;
    const ir_type *t = ir_btype(b, x);
    const int64_t m = t->dims[t->rank - 2], n = t->dims[t->rank - 1];
    int64_t batch = 1;

    for (int k = 0; k < t->rank - 2; k++)
        batch *= t->dims[k];
    return ir_reshape(b, x, 3, (const int64_t[]){ batch, m, n });
}

ir_ref
ir_la_out(ir_build *b, ir_ref y, ir_ref x)
{
    int64_t dims[COT_MAX_RANK];
    int rank = 0;

    if (!x || !y)
        return IR_NONE;
    const ir_type *t = ir_btype(b, x), *u = ir_btype(b, y);
    for (; rank < t->rank - 2; rank++)
        dims[rank] = t->dims[rank];
    for (int k = 1; k < u->rank; k++)
        dims[rank++] = u->dims[k];
    return ir_reshape(b, y, rank, dims);
}

const ir_type *
ir_la_type(ir_build *b, ir_ref v, int64_t batch, int64_t rows, int64_t cols)
{
    return v ? ir_type_new(b->ctx, ir_btype(b, v)->dtype, 3,
                           (const int64_t[]){ batch, rows, cols })
             : NULL;
}

ir_ref
ir_la_block(ir_build *b, ir_ref x, int64_t r, int64_t m, int64_t c, int64_t n)
{
    const int64_t start[3] = { 0, r, c }, limit[3] = { ir_la_batch(b, x), r + m, c + n };

    return x ? ir_slice(b, x, start, limit, NULL) : IR_NONE;
}

static ir_ref
number(ir_build *b, int64_t i)
{
    return ir_splat_int(b, ir_type_new(b->ctx, COT_I32, 0, NULL), i);
}

ir_ref
ir_la_put(ir_build *b, ir_ref x, ir_ref y, int64_t r, int64_t c)
{
    return ir_la_put_at(b, x, y, number(b, r), number(b, c));
}

ir_ref
ir_la_block_at(ir_build *b, ir_ref x, ir_ref r, int64_t m, ir_ref c, int64_t n)
{
    const int64_t sizes[3] = { ir_la_batch(b, x), m, n };
    const ir_ref zero = number(b, 0), in[4] = { x, zero, r ? r : zero, c ? c : zero };

    return ir_node1(b, OP_dynamic_slice, 4, in, &(ir_attrs){ .sizes = { { 3, sizes } } });
}

ir_ref
ir_la_put_at(ir_build *b, ir_ref x, ir_ref y, ir_ref r, ir_ref c)
{
    const ir_ref zero = number(b, 0);

    return ir_node1(b, OP_dynamic_update_slice, 5,
                    (ir_ref[]){ x, y, zero, r ? r : zero, c ? c : zero }, NULL);
}

ir_ref
ir_la_turn(ir_build *b, ir_ref x)
{
    return ir_transpose(b, x, (const int64_t[]){ 0, 2, 1 });
}

ir_ref
ir_la_dot(ir_build *b, ir_ref x, bool tx, ir_ref y, bool ty)
{
    static const int64_t axis[3] = { 0, 1, 2 };
    const ir_ints batch = { 1, axis };

    return ir_dot(b, x, y, (ir_ints){ 1, axis + (tx ? 1 : 2) },
                  (ir_ints){ 1, axis + (ty ? 2 : 1) }, batch, batch);
}

ir_ref
ir_la_fit(ir_build *b, ir_ref x, ir_ref like)
{
    static const int64_t dims[3] = { 0, 1, 2 };

    return x && like ? ir_broadcast_in_dim(b, x, 3, ir_btype(b, like)->dims, dims) : IR_NONE;
}

/* 0, 1, ... along an axis of x, i32. */
static ir_ref
counted(ir_build *b, ir_ref x, int axis)
{
    return x ? ir_iota(b, COT_I32, 3, ir_btype(b, x)->dims, axis) : IR_NONE;
}

ir_ref
ir_la_compare(ir_build *b, ir_op op, ir_ref x, int64_t k)
{
    ir_ref row = counted(b, x, 1), col = counted(b, x, 2);

    if (k && col)
        col = ir_add(b, col, ir_splat_int(b, ir_btype(b, col), k));
    return ir_op2(b, op, row, col);
}

ir_ref
ir_la_keep(ir_build *b, ir_ref p, ir_ref x, double otherwise)
{
    return ir_select(b, p, x, ir_like(b, x, otherwise));
}

ir_ref
ir_la_eye(ir_build *b, ir_ref like)
{
    return like ? ir_convert(b, ir_la_compare(b, OP_eq, like, 0), ir_btype(b, like)->dtype)
                : IR_NONE;
}

ir_ref
ir_la_rows_where(ir_build *b, ir_op op, ir_ref x, ir_ref i)
{
    ir_ref n = counted(b, x, 1);

    return n && i ? ir_op2(b, op, n, ir_broadcast_scalar(b, i, ir_btype(b, n))) : IR_NONE;
}

ir_ref
ir_la_cols_where(ir_build *b, ir_op op, ir_ref x, ir_ref i)
{
    ir_ref n = counted(b, x, 2);

    return n && i ? ir_op2(b, op, n, ir_broadcast_scalar(b, i, ir_btype(b, n))) : IR_NONE;
}

void
ir_la_loop_begin(ir_build *b, ir_la_loop *l, int64_t n, int consts, int carries,
                 const ir_ref *x)
{
    *l = (ir_la_loop){
        .b = ir_sub_begin(b, "step"), .consts = consts, .carries = carries, .n = n
    };
    for (int i = 0; i < consts + carries; i++) {
        l->outer[i] = x[i];
        l->in[i] = x[i] ? ir_input(l->b, ir_btype(b, x[i]), NULL) : IR_NONE;
    }
    l->step = ir_input(l->b, ir_type_new(b->ctx, COT_I32, 0, NULL), "i");
}

void
ir_la_loop_end(ir_build *b, ir_la_loop *l, int n_ys, const ir_ref *next, ir_ref *out)
{
    const int n_in = l->consts + l->carries;
    ir_ref x[9];

    for (int i = 0; i < l->carries + n_ys; i++)
        if (l->b->status == COT_OK)
            ir_output(l->b, next[i]);
    ir_graph *body = ir_sub_end(b, l->b);
    for (int i = 0; i < n_in; i++)
        x[i] = l->outer[i];
    x[n_in] = ir_iota(b, COT_I32, 1, &l->n, 0);
    if (body)
        ir_add_node(b, OP_scan, n_in + 1, x,
                    &(ir_attrs){ .scan = { l->consts, l->carries, l->n, 0, body } }, out);
}
