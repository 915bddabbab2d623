/* Scatter by a body that has no name: one update after the other, in order.
 *
 * A scan over the index vectors takes the window of each operand that its vector points at, gives it and the
 * update to the body, and puts the result back.  A window that is not wholly inside is left as it is. */
#include "frontend/stablehlo/rules.h"

#include "ir/diag.h"

typedef struct step {
    const pass_combiner *c;
    const ir_attrs *at;
    const ir_type *x;      /* of operand 0: all have its shape */
    int64_t window[COT_MAX_RANK]; /* sizes of the window on each axis of x */
} step;

/* Updates with the axes of the indices in front, as one: [n, window]. */
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

/* Is the window at index vector v (integers, i64[k]) inside? */
static ir_ref
inside(ir_build *b, const step *s, ir_ref v)
{
    const ir_ints map = s->at->scatter.index_map;
    int64_t *most = IR_NEW_N(b->arena, int64_t, map.n + 1);

    for (int i = 0; i < map.n; i++)
        most[i] = s->x->dims[map.at[i]] - s->window[map.at[i]];
    const ir_type *t = ir_btype(b, v);
    ir_ref low = ir_op2(b, OP_ge, v, ir_zeros(b, t)), high = ir_op2(b, OP_le, v, ir_constant(b, t, most));
    return ir_reduce(b, OP_reduce_and, ir_op2(b, OP_and, low, high), ir_axes_of(0));
}

/* (captured ..., x ..., v, z ...) -> x ... */
static ir_graph *
body(hlo_emit *e, const step *s, int n, const ir_type *const *type, int n_in)
{
    const int n_captured = s->c->n_captured;
    fe_source source = { .name = "scatter", .loc = e->b->loc, .n_in = n_in, .n_out = n, .type = type, .alone = true };
    cot_value *in = IR_NEW_N(e->b->arena, cot_value, n_in + 1), *out = IR_NEW_N(e->b->arena, cot_value, n + 1);
    cot_trace *t = fe_trace_begin(e->h->ctx, &source, in);
    ir_build *b = t->b;
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, n_in + 1), *old = IR_NEW_N(b->arena, ir_ref, n), *made = IR_NEW_N(b->arena, ir_ref, n);
    ir_ints all = { 0, NULL };
    ir_graph *g = NULL;

    for (int i = 0; i < n_in; i++)
        x[i] = t->slot[in[i].id].ref;
    pass_combiner c = *s->c;
    c.captured = x;
    const ir_ref v = x[n_captured + n], *z = x + n_captured + n + 1;
    const int windows = ir_btype(b, z[0])->rank;
    int64_t *axis = IR_NEW_N(b->arena, int64_t, windows + 1);
    for (int i = 0; i < windows; i++)
        axis[i] = i;
    all = (ir_ints){ windows, axis };
    const ir_attrs take = { .gather = { .offset_dims = all, .collapsed = s->at->scatter.inserted,
                                        .index_map = s->at->scatter.index_map,
                                        .sizes = { s->x->rank, s->window }, .mode = IR_MODE_CLIP } };
    const ir_attrs give = { .scatter = { .window_dims = all, .inserted = s->at->scatter.inserted,
                                         .index_map = s->at->scatter.index_map, .mode = IR_MODE_CLIP } };
    for (int i = 0; i < n; i++)
        old[i] = ir_node1(b, OP_gather, 2, (const ir_ref[]){ x[n_captured + i], v }, &take);
    pass_combine(b, &c, old, z, made);
    const ir_ref good = inside(b, s, v);
    for (int i = 0; i < n && b->status == COT_OK; i++) {
        ir_ref y = ir_select(b, ir_broadcast_scalar(b, good, ir_type_as(b->ctx, ir_btype(b, old[i]), COT_BOOL)), made[i], old[i]);
        out[i] = fe_handle(t, ir_node1(b, OP_scatter, 3, (const ir_ref[]){ x[n_captured + i], v, y }, &give));
    }
    if (b->status != COT_OK)
        source.n_out = 0;
    return fe_trace_end(t, &source, out, &g) == COT_OK ? g : NULL;
}

void
fe_hlo_scatter_each(hlo_emit *e, const pass_combiner *c, ir_ref vectors, const ir_attrs *at)
{
    const int n = c->n, n_in = c->n_captured + 2 * n + 1;
    ir_build *b = e->b;
    const ir_type *vt = ir_btype(b, vectors), *zt = fe_hlo_in_type(e, n + 1);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, n_in + 1), *out = IR_NEW_N(b->arena, ir_ref, n + 1);
    const ir_type **type = IR_NEW_N(b->arena, const ir_type *, n_in + 1);
    step s = { .c = c, .at = at, .x = fe_hlo_in_type(e, 0) };
    const int64_t k = vt->dims[vt->rank - 1], length = k ? vt->size / k : 0, flat[2] = { length, k };
    int w = 0;

    if (at->scatter.operand_batch.n > 0 || k == 0) {
        fe_hlo_fail(e, "a scatter by a body that is no add, multiply, minimum, maximum or replacement has no batch dimensions");
        return;
    }
    for (int i = 0; i < n; i++) /* the replacement of the same numbers: its types are checked */
        if (!ir_same_shape(fe_hlo_in_type(e, i), s.x) ||
            !ir_node1(b, OP_scatter, 3, (const ir_ref[]){ e->in[i], vectors, e->in[n + 1 + i] }, at)) {
            fe_hlo_fail(e, "its operands have different shapes");
            return;
        }
    for (int a = 0; a < s.x->rank; a++)
        s.window[a] = ir_ints_has(at->scatter.inserted, a) ? 1
                      : w < at->scatter.window_dims.n     ? zt->dims[at->scatter.window_dims.at[w++]]
                                                          : 1;
    for (int i = 0; i < c->n_captured; i++)
        in[i] = c->captured[i];
    for (int i = 0; i < n; i++) {
        in[c->n_captured + i] = e->in[i];
        in[c->n_captured + n + 1 + i] = rows(b, e->in[n + 1 + i], at->scatter.window_dims, length);
    }
    in[c->n_captured + n] = ir_reshape(b, ir_convert(b, vectors, COT_I64), 2, flat);
    for (int i = 0; i < n_in; i++) {
        if (!in[i])
            return;
        type[i] = i < c->n_captured + n ? ir_btype(b, in[i]) : ir_type_close(b->ctx, ir_btype(b, in[i]), 0);
    }
    ir_attrs scan = { .scan = { .consts = c->n_captured, .carries = n, .length = length } };
    if (!(scan.scan.body = body(e, &s, n, type, n_in))) {
        b->status = e->h->ctx->status;
        return;
    }
    ir_add_node(b, OP_scan, n_in, in, &scan, out);
    for (int i = 0; i < n; i++)
        e->out[i] = fe_hlo_bad(e) ? IR_NONE : out[i];
}
