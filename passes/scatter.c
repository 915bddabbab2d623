/* Scatter by a traced combiner: one update after the other, in row-major order of the index
 * vectors.
 *
 * If the combiner is a single op, or returns its second argument, the result is the scatter op
 * for it.  Any other is a scan over the index vectors: a step takes the window of each operand
 * at its index vector, combines it with the update, and writes it back.  In mode fill, windows
 * that are partly outside are unchanged.  Batch axes become additional integers of the index
 * vectors, since the slice that an update belongs to is known. */
#include "passes/scatter.h"

#include "ir/expand.h"
#include "passes/rules.h"

typedef struct step {
    const pass_combiner *c;
    const ir_type *x; /* type of operand 0; all operands have its shape */
    ir_ints window_dims; /* those of the updates */
    ir_ints thin, map; /* axes of x without windows; axes in the order of the index vectors */
    int64_t window[COT_MAX_RANK]; /* sizes of the window on each axis of x */
    bool moved; /* windows that are partly outside are moved inside */
} step;

ir_op
pass_scatter_op(const pass_combiner *c)
{
    const ir_graph *g = c->g;

    if (c->n != 1 || c->n_captured > 0)
        return OP_none;
    if (g->n_out == 1 && g->out[0] == g->in[1])
        return OP_scatter;
    const bool truth = ir_type_at(g, g->in[0])->dtype == COT_BOOL;
    const ir_combine by = ir_ops[pass_combiner_op(c)].by;
    if (by == IR_BY_OR || by == IR_BY_AND) /* on bool these are maximum and minimum */
        return truth ? ir_op_by(OP_scatter, by == IR_BY_OR ? IR_BY_MAX : IR_BY_MIN) : OP_none;
    return ir_op_by(OP_scatter, by);
}

ir_ref
pass_scatter_by_op(ir_build *b, ir_op op, const ir_attrs *at, ir_ref x, ir_ref v, ir_ref z)
{
    const bool bytes = x && ir_btype(b, x)->dtype == COT_BOOL && ir_ops[op].by;
    ir_ref y = bytes ? ir_convert(b, x, COT_U8) : x;

    z = bytes && z ? ir_convert(b, z, COT_U8) : z;
    y = y && v && z ? ir_node1(b, op, 3, (const ir_ref[]){ y, v, z }, at) : IR_NONE;
    return y && bytes ? ir_convert(b, y, COT_BOOL) : y;
}

/* The updates as [n, window], with the axes of the indices merged in front. */
static ir_ref
rows(ir_build *b, ir_ref z, ir_ints window_dims, int64_t n)
{
    const ir_type *t = ir_btype(b, z);
    int64_t perm[COT_MAX_RANK], dims[COT_MAX_RANK + 1];
    int p = 0, r = 0;

    for (int k = 0; k < t->rank; k++)
        if (!ir_ints_has(window_dims, k))
            perm[p++] = k;
    dims[r++] = n;
    for (int i = 0; i < window_dims.n; i++) {
        perm[p++] = window_dims.at[i];
        dims[r++] = t->dims[window_dims.at[i]];
    }
    return ir_reshape(b, ir_transpose(b, z, perm), r, dims);
}

/* The index vectors as [n, k] of i64, with the positions along batch axes as additional
 * integers. */
static ir_ref
whole_vectors(ir_build *b, const ir_attrs *at, ir_ref v)
{
    const ir_type *t = ir_btype(b, v);
    const ir_ints batch = at->scatter.indices_batch;
    ir_ref *part = IR_NEW_N(b->arena, ir_ref, batch.n + 1);
    int64_t dims[COT_MAX_RANK];

    memcpy(dims, t->dims, sizeof *dims * (size_t)t->rank);
    dims[t->rank - 1] = 1;
    part[0] = ir_convert(b, v, COT_I64);
    for (int i = 0; i < batch.n; i++)
        part[1 + i] = ir_iota(b, COT_I64, t->rank, dims, (int)batch.at[i]);
    v = ir_concatenate(b, 1 + batch.n, part, t->rank - 1);
    const int64_t k = t->dims[t->rank - 1] + batch.n;
    int64_t n = 1;
    for (int i = 0; i < t->rank - 1; i++)
        n *= t->dims[i];
    return ir_reshape(b, v, 2, (int64_t[]){ n, k });
}

/* Fills s: the axes without windows in ascending order; the axes that vectors index, with the
 * batch axes last; the sizes of the windows. */
static void
numbers(ir_build *b, const ir_attrs *at, const ir_type *z, step *s)
{
    const ir_ints batch = at->scatter.operand_batch, inserted = at->scatter.inserted,
                  map = at->scatter.index_map;
    int64_t *thin = IR_NEW_N(b->arena, int64_t, s->x->rank + 1),
            *to = IR_NEW_N(b->arena, int64_t, map.n + batch.n + 1);
    int n = 0, w = 0;

    for (int k = 0; k < s->x->rank; k++) {
        const bool is_thin = ir_ints_has(inserted, k) || ir_ints_has(batch, k);

        if (is_thin)
            thin[n++] = k;
        s->window[k] = is_thin ? 1 : z->dims[at->scatter.window_dims.at[w++]];
    }
    for (int i = 0; i < map.n + batch.n; i++)
        to[i] = i < map.n ? map.at[i] : batch.at[i - map.n];
    s->thin = (ir_ints){ n, thin };
    s->map = (ir_ints){ map.n + batch.n, to };
    s->window_dims = at->scatter.window_dims;
    s->moved = at->scatter.mode != IR_MODE_FILL;
}

/* Is the window at index vector v (i64[k]) inside? */
static ir_ref
inside(ir_build *b, const step *s, ir_ref v)
{
    const ir_type *t = ir_btype(b, v);
    int64_t *most = IR_NEW_N(b->arena, int64_t, s->map.n + 1);

    for (int i = 0; i < s->map.n; i++)
        most[i] = s->x->dims[s->map.at[i]] - s->window[s->map.at[i]];
    ir_ref low = ir_op2(b, OP_ge, v, ir_zeros(b, t)),
           high = ir_op2(b, OP_le, v, ir_constant(b, t, most));
    return ir_reduce(b, OP_reduce_and, ir_op2(b, OP_and, low, high), ir_axes_of(0));
}

/* Combines the window at the index vector with the updates and writes it back. */
static void
update(ir_build *r, const step *s, const pass_combiner *c, const ir_ref *x, ir_ref v,
       const ir_ref *z, ir_ref *out)
{
    const int n = c->n, windows = ir_btype(r, z[0])->rank;
    int64_t *axis = IR_NEW_N(r->arena, int64_t, windows + 1);
    ir_ref *old = IR_NEW_N(r->arena, ir_ref, n + 1), *made = IR_NEW_N(r->arena, ir_ref, n + 1);

    for (int i = 0; i < windows; i++)
        axis[i] = i;
    const ir_ints all = { windows, axis };
    const ir_attrs take = { .gather = { .offset_dims = all,
                                        .collapsed = s->thin,
                                        .index_map = s->map,
                                        .sizes = { s->x->rank, s->window },
                                        .mode = IR_MODE_CLIP } };
    const ir_attrs give = { .scatter = { .window_dims = all,
                                         .inserted = s->thin,
                                         .index_map = s->map,
                                         .mode = IR_MODE_CLIP } };
    for (int i = 0; i < n; i++)
        old[i] = ir_node1(r, OP_gather, 2, (const ir_ref[]){ x[i], v }, &take);
    pass_combine(r, c, old, z, made);
    const ir_ref good = s->moved ? IR_NONE : inside(r, s, v);
    for (int i = 0; i < n && r->status == COT_OK; i++) {
        if (good)
            made[i] = ir_select(
                r,
                ir_broadcast_scalar(r, good, ir_type_as(r->ctx, ir_btype(r, old[i]), COT_BOOL)),
                made[i], old[i]);
        out[i] = ir_node1(r, OP_scatter, 3, (const ir_ref[]){ x[i], v, made[i] }, &give);
    }
}

/* (captured ..., x ..., v, z ...) -> x ... */
static ir_graph *
body(ir_build *b, const step *s, int n_in, const ir_type *const *type)
{
    const int n = s->c->n, n_captured = s->c->n_captured;
    ir_build *r = ir_sub_begin(b, ir_format(b->arena, "%s.scatter", b->name));
    ir_ref *in = IR_NEW_N(r->arena, ir_ref, n_in + 1), *out = IR_NEW_N(r->arena, ir_ref, n + 1);
    pass_combiner c = *s->c;

    for (int i = 0; i < n_in; i++)
        in[i] = ir_input(r, type[i], NULL);
    c.captured = in;
    update(r, s, &c, in + n_captured, in[n_captured + n], in + n_captured + n + 1, out);
    for (int i = 0; i < n && r->status == COT_OK; i++)
        ir_output(r, out[i]);
    return ir_sub_end(b, r);
}

/* Checks operands and updates by building a scatter of them, which reports their errors. */
static bool
fits(ir_build *b, const pass_combiner *c, const ir_attrs *at, const ir_ref *x, ir_ref v,
     const ir_ref *z)
{
    for (int i = 0; i < c->n && b->status == COT_OK; i++) {
        if (!x[i] || !z[i] || !v)
            return false;
        if (!ir_same_shape(ir_btype(b, x[i]), ir_btype(b, x[0])))
            ir_build_fail(b, "scatter", ERR_shapes_differ,
                          ir_type_str(b->ctx, ir_btype(b, x[i])),
                          ir_type_str(b->ctx, ir_btype(b, x[0])));
        else
            ir_node1(b, OP_scatter, 3, (const ir_ref[]){ x[i], v, z[i] }, at);
    }
    return b->status == COT_OK;
}

static void
one_by_one(ir_build *b, const pass_combiner *c, const ir_attrs *at, const ir_ref *x, ir_ref v,
           const ir_ref *z, ir_ref *y)
{
    const int n = c->n, n_in = c->n_captured + 2 * n + 1;
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, n_in + 1);
    const ir_type **type = IR_NEW_N(b->arena, const ir_type *, n_in + 1);
    step s = { .c = c, .x = ir_btype(b, x[0]) };

    numbers(b, at, ir_btype(b, z[0]), &s);
    ir_ref vectors = in[c->n_captured + n] = whole_vectors(b, at, v);
    if (!vectors)
        return;
    const int64_t length = ir_btype(b, vectors)->dims[0];
    for (int i = 0; i < c->n_captured; i++)
        in[i] = c->captured[i];
    for (int i = 0; i < n; i++) {
        in[c->n_captured + i] = x[i];
        in[c->n_captured + n + 1 + i] = rows(b, z[i], s.window_dims, length);
    }
    for (int i = 0; i < n_in; i++) {
        if (!in[i])
            return;
        type[i] = i < c->n_captured + n ? ir_btype(b, in[i])
                                        : ir_type_close(b->ctx, ir_btype(b, in[i]), 0);
    }
    ir_attrs scan = { .scan = { .consts = c->n_captured, .carries = n, .length = length } };
    if ((scan.scan.body = body(b, &s, n_in, type)) != NULL)
        ir_add_node(b, OP_scan, n_in, in, &scan, y);
}

void
pass_scatter(ir_build *b, const pass_combiner *c, const ir_attrs *at, const ir_ref *x, ir_ref v,
             const ir_ref *z, ir_ref *y)
{
    const ir_op op = pass_scatter_op(c);
    ir_ref *made = IR_NEW_N(b->arena, ir_ref, c->n + 1);
    const bool good = op != OP_none || fits(b, c, at, x, v, z);

    if (op != OP_none)
        made[0] = pass_scatter_by_op(b, op, at, x[0], v, z[0]);
    else if (good && ir_btype(b, x[0])->size == 0)
        /* X is empty, so there is nothing to update. */
        memcpy(made, x, sizeof *x * (size_t)c->n);
    else if (good)
        one_by_one(b, c, at, x, v, z, made);
    for (int i = 0; i < c->n; i++)
        y[i] = b->status == COT_OK ? made[i] : IR_NONE;
}
