/* chlo.scan: a body over the slices of arrays along an axis.
 *
 * Its body takes slices, then carries, and gives slices, then carries; ours takes carries, then
 * slices along axis 0, and gives them in that order.  An associative scan whose body is one
 * sum, product or extremum is the running one, to which the initial value comes last. */
#include "frontend/stablehlo/import/rules.h"

#include "ir/diag.h"

typedef struct scan_shape {
    int xs, carries, ys;
    int axis;
    int64_t length;
    bool reverse;
} scan_shape;

/* How many operands are sliced: the pretty form says `inits`, the generic one two numbers. */
static bool
segments(hlo_emit *e, scan_shape *p)
{
    const hlo_attr *sizes = fe_hlo_find(e->op, "operandSegmentSizes", "operand_segment_sizes");
    ir_ints list;

    if (sizes && fe_hlo_ints(e, "operandSegmentSizes", "operand_segment_sizes", 2, 0, &list))
        p->xs = list.at[0] >= 0 && list.at[0] <= e->n_in ? (int)list.at[0] : -1;
    else
        p->xs = (int)fe_hlo_int_or(e, "n_inputs", -1);
    p->carries = e->n_in - p->xs;
    p->ys = e->n_out - p->carries;
    if (p->xs < 0 || p->carries < 0 || p->ys < 0 || e->op->n_regions != 1)
        fe_hlo_fail(e, "wants inputs, initial values, a body, and results for both");
    return !fe_hlo_bad(e);
}

/* The axis and how long it is: that of the inputs; without any, what the text says. */
static bool
extent(hlo_emit *e, scan_shape *p)
{
    const ir_type *t = p->xs > 0   ? fe_hlo_in_type(e, 0)
                       : p->ys > 0 ? fe_hlo_out_type(e, 0)
                                   : NULL;
    int64_t axis;

    if (!fe_hlo_int(e, "dimension", NULL, &axis))
        return false;
    const int64_t known = t && axis >= 0 && axis < t->rank ? t->dims[axis] : -1;
    p->length = fe_hlo_int_or(e, "scan_dim_size", known);
    p->reverse = fe_hlo_flag(e, "is_reverse", false);
    p->axis = (int)axis;
    for (int i = 0; i < p->xs; i++) {
        const ir_type *x = fe_hlo_in_type(e, i);
        if (axis < 0 || axis >= x->rank)
            fe_hlo_fail(e, "input %d is %s; it has no axis %lld", i, ir_type_str(e->b->ctx, x),
                        (long long)axis);
        else if (x->dims[axis] != p->length)
            fe_hlo_fail(e, "input %d is %s; wants %lld elements along axis %lld", i,
                        ir_type_str(e->b->ctx, x), (long long)p->length, (long long)axis);
    }
    if (p->length < 0 || axis < 0 || axis >= COT_MAX_RANK)
        fe_hlo_fail(e, "its length is not known");
    return !fe_hlo_bad(e);
}

/* One op of the slice and the carry, which is both results: that op. */
static ir_op
running(const hlo_emit *e, const scan_shape *p, const ir_graph *g)
{
    const ir_node *n = g->n_nodes == 2 ? &g->node[1] : NULL;

    if (p->xs != 1 || p->carries != 1 || p->ys != 1 || g->n_in != 2 || !n || n->n_in != 2 ||
        n->in[0] == n->in[1] || g->out[0] != n->first || g->out[1] != n->first ||
        !fe_hlo_flag(e, "is_associative", false) || p->length < 1 ||
        fe_hlo_in_type(e, 0)->dtype == COT_BOOL)
        return OP_none;
    return fe_hlo_running((ir_op)n->op) ? (ir_op)n->op : OP_none;
}

static void
make_running(hlo_emit *e, const scan_shape *p, ir_op op)
{
    ir_build *b = e->b;
    const ir_attrs at = { .cumulate = { p->axis, p->reverse } };
    ir_ref y = ir_node1(b, fe_hlo_running(op), 1, e->in, &at);
    ir_ref start = ir_broadcast_axis(b, e->in[1], p->axis, p->length);

    y = fe_hlo_is_neutral(e, op, e->in[1]) ? y : ir_op2(b, op, y, start);
    const int64_t end = p->reverse ? 0 : p->length - 1;
    ir_ref last = ir_slice_axis(b, y, p->axis, end, end + 1);
    const ir_type *t = fe_hlo_in_type(e, 1);
    e->out[0] = y;
    e->out[1] = ir_reshape(b, last, t->rank, t->dims);
}

/* g (captures, slices, carries) -> (slices, carries) in the order of ours. */
static ir_graph *
reordered(hlo_emit *e, const ir_graph *g, const scan_shape *p, int captures)
{
    ir_build *b = ir_build_new(e->h->ctx, g->name);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, g->n_in + 1),
           *out = IR_NEW_N(b->arena, ir_ref, g->n_out + 1);
    ir_graph *made = NULL;

    b->loc = e->b->loc;
    for (int i = 0; i < g->n_in; i++) {
        const int k = i < captures ? i : i < captures + p->carries ? i + p->xs : i - p->carries;
        in[k] = ir_input_like(b, g, g->in[k], "");
    }
    ir_inline_graph(b, g, in, out);
    for (int i = 0; i < g->n_out; i++)
        ir_output(b, out[i < p->carries ? p->ys + i : i - p->carries]);
    if (ir_build_end(b, &made) != COT_OK)
        e->b->status = e->h->ctx->status;
    return made;
}

void
fe_hlo_scan(hlo_emit *e)
{
    ir_build *b = e->b;
    ir_ref *in, *y = IR_NEW_N(b->arena, ir_ref, e->n_out + 1);
    scan_shape p;
    int n = 0;

    if (!segments(e, &p) || !extent(e, &p))
        return;
    const ir_type **type = IR_NEW_N(b->arena, const ir_type *, e->n_in + 1);
    for (int i = 0; i < e->n_in; i++)
        type[i] = i < p.xs ? ir_type_close(b->ctx, fe_hlo_in_type(e, i), p.axis)
                           : fe_hlo_in_type(e, i);
    const hlo_captures c = fe_hlo_captures(e, 1, e->op->region);
    ir_graph *g = fe_hlo_region(e, e->op->region[0], &c, "scan", e->n_in, type);
    if (g && g->n_out != e->n_out)
        fe_hlo_fail(e, "its body gives %d results; wants %d", g->n_out, e->n_out);
    if (!g || fe_hlo_bad(e))
        return;
    if (running(e, &p, g)) {
        make_running(e, &p, running(e, &p, g));
        return;
    }
    ir_attrs at = { .scan = { .consts = c.n,
                              .carries = p.carries,
                              .length = p.length,
                              .reverse = p.reverse,
                              .body = reordered(e, g, &p, c.n) } };
    if (!at.scan.body)
        return;
    in = IR_NEW_N(b->arena, ir_ref, c.n + e->n_in + 1);
    for (int i = 0; i < c.n; i++)
        in[n++] = c.ref[i];
    for (int i = 0; i < p.carries; i++)
        in[n++] = e->in[p.xs + i];
    for (int i = 0; i < p.xs; i++)
        in[n++] = ir_move_axis(b, e->in[i], p.axis, 0);
    ir_add_node(b, OP_scan, n, in, &at, y);
    for (int i = 0; i < p.carries && !fe_hlo_bad(e); i++)
        e->out[p.ys + i] = y[i];
    for (int i = 0; i < p.ys && !fe_hlo_bad(e); i++)
        e->out[i] = ir_move_axis(b, y[p.carries + i], 0, p.axis);
}
