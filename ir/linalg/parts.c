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

ir_ref
ir_la_line(ir_build *b, ir_ref x)
{
    if (!x)
        return IR_NONE;
    const ir_type *t = ir_btype(b, x);
    int64_t dims[3] = { 1, 1, t->dims[t->rank - 1] };

    for (int k = 0; k < t->rank - 1; k++)
        dims[0] *= t->dims[k];
    return ir_reshape(b, x, 3, dims);
}

ir_ref
ir_la_in_order(ir_build *b, ir_ref x, ir_ref order)
{
    static const int64_t axis[3] = { 0, 1, 2 };
    const int64_t sizes[3] = { 1, 1, ir_la_cols(b, x) };
    const ir_ints batch = { 1, axis }, rows = { 1, axis + 1 }, cols = { 1, axis + 2 };

    return ir_node1(
        b, OP_gather, 2, (ir_ref[]){ x, order },
        &(ir_attrs){
            .gather = { cols, rows, batch, batch, rows, { 3, sizes }, IR_MODE_PROMISE } });
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

ir_ref
ir_la_number(ir_build *b, int64_t i)
{
    return ir_splat_int(b, ir_type_new(b->ctx, COT_I32, 0, NULL), i);
}

ir_ref
ir_la_times(ir_build *b, ir_ref i, int64_t k)
{
    return k == 1 ? i : ir_mul(b, i, ir_la_number(b, k));
}

ir_ref
ir_la_put(ir_build *b, ir_ref x, ir_ref y, int64_t r, int64_t c)
{
    ir_ref column = ir_la_number(b, c);
    return ir_la_put_at(b, x, y, ir_la_number(b, r), column);
}

ir_ref
ir_la_block_at(ir_build *b, ir_ref x, ir_ref r, int64_t m, ir_ref c, int64_t n)
{
    const int64_t sizes[3] = { ir_la_batch(b, x), m, n };
    const ir_ref zero = ir_la_number(b, 0), in[4] = { x, zero, r ? r : zero, c ? c : zero };

    return ir_node1(b, OP_dynamic_slice, 4, in, &(ir_attrs){ .sizes = { { 3, sizes } } });
}

ir_ref
ir_la_put_at(ir_build *b, ir_ref x, ir_ref y, ir_ref r, ir_ref c)
{
    const ir_ref zero = ir_la_number(b, 0);

    return ir_node1(b, OP_dynamic_update_slice, 5,
                    (ir_ref[]){ x, y, zero, r ? r : zero, c ? c : zero }, NULL);
}

ir_ref
ir_la_transpose(ir_build *b, ir_ref x)
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
ir_la_conj(ir_build *b, ir_ref x)
{
    return ir_la_is_complex(b, x) ? ir_op1(b, OP_conj, x) : x;
}

ir_ref
ir_la_adjoint(ir_build *b, ir_ref x)
{
    return ir_la_conj(b, ir_la_transpose(b, x));
}

ir_ref
ir_la_dot_adjoint(ir_build *b, ir_ref x, ir_ref y)
{
    return ir_la_dot(b, x, false, ir_la_conj(b, y), true);
}

ir_ref
ir_la_real(ir_build *b, ir_ref x)
{
    return ir_la_is_complex(b, x) ? ir_op1(b, OP_real, x) : x;
}

ir_ref
ir_la_size(ir_build *b, ir_ref x)
{
    ir_ref size = ir_op1(b, OP_abs, ir_la_real(b, x));

    if (!ir_la_is_complex(b, x))
        return size;
    return ir_add(b, size, ir_op1(b, OP_abs, ir_op1(b, OP_imag, x)));
}

ir_ref
ir_la_square(ir_build *b, ir_ref x)
{
    ir_ref re = ir_la_real(b, x), im = ir_la_is_complex(b, x) ? ir_op1(b, OP_imag, x) : IR_NONE;

    re = ir_mul(b, re, re);
    return im ? ir_add(b, re, ir_mul(b, im, im)) : re;
}

ir_ref
ir_la_fit_real(ir_build *b, ir_ref x, ir_ref like)
{
    return like ? ir_convert(b, ir_la_fit(b, x, like), ir_btype(b, like)->dtype) : IR_NONE;
}

ir_ref
ir_la_hermitian(ir_build *b, ir_ref x)
{
    ir_ref adjoint = ir_la_adjoint(b, x);
    ir_ref y = ir_select(b, ir_la_compare(b, OP_ge, x, 0), x, adjoint);

    if (!ir_la_is_complex(b, x))
        return y;
    ir_ref converted = ir_convert(b, ir_la_real(b, x), ir_btype(b, x)->dtype);
    return ir_select(b, ir_la_compare(b, OP_eq, x, 0), converted, y);
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

void
ir_la_for_begin(ir_build *b, ir_la_loop *l, ir_ref from, ir_ref to, int consts, int carries,
                const ir_ref *x)
{
    *l = (ir_la_loop){ .b = ir_sub_begin(b, "step"), .consts = consts, .carries = carries };
    for (int i = 0, k = 0; i < consts + carries + 2; i++) {
        const bool own = i == consts || i == consts + 1;
        ir_ref v = l->outer[i] = i == consts ? to : i == consts + 1 ? from : x[k];
        ir_ref in = v ? ir_input(l->b, ir_btype(b, v), NULL) : IR_NONE;
        if (!own)
            l->in[k++] = in;
        else if (i == consts)
            l->last = in;
        else
            l->step = in;
    }
}

/* Is the counter below the end? */
static ir_graph *
goes_on(ir_build *b, const ir_la_loop *l)
{
    ir_build *c = ir_sub_begin(b, "more");
    ir_ref in[10];

    for (int i = 0; i < l->consts + l->carries + 2; i++)
        in[i] = l->outer[i] ? ir_input(c, ir_btype(b, l->outer[i]), NULL) : IR_NONE;
    ir_output(c, ir_op2(c, OP_lt, in[l->consts + 1], in[l->consts]));
    return ir_sub_end(b, c);
}

void
ir_la_for_end(ir_build *b, ir_la_loop *l, const ir_ref *next, ir_ref *out)
{
    const int n_in = l->consts + l->carries + 2;
    ir_ref result[10];

    ir_output(l->b, ir_add(l->b, l->step, ir_la_number(l->b, 1)));
    for (int i = 0; i < l->carries; i++)
        ir_output(l->b, next[i]);
    ir_graph *body = ir_sub_end(b, l->b), *cond = goes_on(b, l);
    if (body && cond)
        ir_add_node(b, OP_while, n_in, l->outer,
                    &(ir_attrs){ .loop = { l->consts + 1, 0, cond, body } }, result);
    for (int i = 0; i < l->carries; i++)
        out[i] = body && cond ? result[i + 1] : IR_NONE;
}

/* Reshapes between [batch, 1, m, n] and [batch, m, n]. */
static ir_ref
parted(ir_build *b, ir_ref x)
{
    return x ? ir_reshape(b, x, 4,
                          (const int64_t[]){ ir_la_batch(b, x), 1, ir_la_rows(b, x),
                                             ir_la_cols(b, x) })
             : IR_NONE;
}

void
ir_la_map(ir_build *b, ir_la_each *f, const void *user, int n_in, const ir_ref *x, int n_out,
          ir_ref *y)
{
    ir_ref in[4], inner[4], out[4];
    const int64_t batch = ir_la_batch(b, x[0]);

    if (batch == 1) {
        f(b, user, x, y);
        return;
    }
    ir_build *s = ir_sub_begin(b, "each");
    for (int i = 0; i < n_in; i++) {
        in[i] = parted(b, x[i]);
        inner[i] =
            x[i] ? ir_input(s, ir_la_type(b, x[i], 1, ir_la_rows(b, x[i]), ir_la_cols(b, x[i])),
                            NULL)
                 : IR_NONE;
    }
    f(s, user, inner, out);
    for (int j = 0; j < n_out; j++)
        ir_output(s, out[j]);
    ir_graph *body = ir_sub_end(b, s);
    for (int j = 0; j < n_out; j++)
        y[j] = IR_NONE;
    if (!body)
        return;
    ir_add_node(b, OP_scan, n_in, in, &(ir_attrs){ .scan = { 0, 0, batch, 0, body } }, out);
    for (int j = 0; j < n_out && out[j]; j++) {
        const ir_type *t = ir_btype(b, out[j]);
        y[j] =
            ir_reshape(b, out[j], 3, (const int64_t[]){ t->dims[0], t->dims[2], t->dims[3] });
    }
}

ir_ref
ir_la_grow(ir_build *b, ir_ref x, int64_t n)
{
    const int64_t rows = ir_la_rows(b, x), cols = ir_la_cols(b, x), low[3] = { 0, 0, 0 };

    if (!x || (rows == n && cols == n))
        return x;
    ir_ref zero = ir_splat(b, ir_type_new(b->ctx, ir_btype(b, x)->dtype, 0, NULL), 0);
    ir_ref y = ir_pad(b, x, zero, low, (const int64_t[]){ 0, n - rows, n - cols }, NULL);
    ir_ref far = ir_la_rows_where(b, OP_ge, y, ir_la_number(b, rows));
    ir_ref one = ir_like(b, y, 1);
    return ir_select(b, ir_op2(b, OP_and, far, ir_la_compare(b, OP_eq, y, 0)), one, y);
}

ir_ref
ir_la_crop(ir_build *b, ir_ref x, int64_t m, int64_t n)
{
    return ir_la_rows(b, x) == m && ir_la_cols(b, x) == n ? x : ir_la_block(b, x, 0, m, 0, n);
}

ir_la_blocking
ir_la_blocking_of(int64_t n, int64_t most)
{
    const int64_t blocks = (n + most - 1) / most;

    return (ir_la_blocking){ blocks, (n + blocks - 1) / blocks };
}

double
ir_la_precision(const ir_build *b, ir_ref x)
{
    return x && ir_part_type(ir_btype(b, x)->dtype) == COT_F64 ? 0x1p-52 : 0x1p-23;
}
