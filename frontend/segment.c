/* Scans in segments: a scan of scans, each inner one checkpointed.
 *
 * Reverse mode keeps the carries between segments, and recomputes the states of one segment at
 * a time: with sqrt(n) segments of sqrt(n) steps it keeps 2 sqrt(n) states instead of n, and
 * runs the steps once more.  Steps that do not fill a segment form a shorter one, which runs
 * last. Source: T. Chen et al., Training Deep Nets with Sublinear Memory Cost, 2016. */
#include "frontend/trace.h"

/* The scan to be split: operands are consts, carries, xs; results carries, ys. */
typedef struct segmenting {
    ir_build *b;
    const ir_attrs *at;
    int consts, carries, n_in, n_out;
} segmenting;

/* The scan over `length` steps as a function that is called as a checkpoint. */
static ir_graph *
segment_graph(const segmenting *c, const ir_ref *in, int64_t length)
{
    ir_build *b = ir_build_new(c->b->ctx, ir_format(c->b->arena, "%s.segment", c->b->name));
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, c->n_in + 1),
           *y = IR_NEW_N(b->arena, ir_ref, c->n_out + 1);
    ir_attrs at = *c->at;
    ir_graph *g = NULL;

    at.scan.length = length;
    for (int i = 0; i < c->n_in; i++) {
        const ir_type *t = ir_btype(c->b, in[i]);
        int64_t dims[COT_MAX_RANK];
        memcpy(dims, t->dims, sizeof *dims * (size_t)t->rank);
        if (i >= c->consts + c->carries)
            dims[0] = length;
        x[i] = ir_input(b, ir_type_new(b->ctx, t->dtype, t->rank, dims), NULL);
    }
    b->loc = c->b->loc;
    ir_add_node(b, OP_scan, c->n_in, x, &at, y);
    for (int j = 0; j < c->n_out; j++)
        ir_output(b, y[j]);
    cot_status status = ir_build_end(b, &g);
    if (status != COT_OK)
        c->b->status = status;
    return g;
}

/* One segment as it is called: of consts, carries, its part of xs. */
static void
call_segment(const segmenting *c, ir_build *b, ir_graph *g, const ir_ref *in, ir_ref *out)
{
    ir_attrs at = { .call = { .remat = IR_REMAT_ALL, .body = g } };
    if (c->b->status == COT_OK)
        ir_add_node(b, OP_call, c->n_in, in, &at, out);
}

/* The body of the outer scan. */
static ir_graph *
outer_body(const segmenting *c, ir_graph *g)
{
    ir_build *b = ir_build_new(c->b->ctx, ir_format(c->b->arena, "%s.segments", c->b->name));
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, c->n_in + 1),
           *y = IR_NEW_N(b->arena, ir_ref, c->n_out + 1);
    ir_graph *body = NULL;

    for (int i = 0; i < c->n_in; i++)
        x[i] = ir_input(b, ir_type_at(g, g->in[i]), NULL);
    b->loc = c->b->loc;
    call_segment(c, b, g, x, y);
    for (int j = 0; j < c->n_out; j++)
        ir_output(b, y[j]);
    cot_status status = ir_build_end(b, &body);
    if (status != COT_OK)
        c->b->status = status;
    return body;
}

/* Steps from ... to - 1 of x as [k, (to - from) / k, ...]; k == 0: as they are. */
static ir_ref
part_of(ir_build *b, ir_ref x, int64_t from, int64_t to, int64_t k)
{
    const ir_type *t = ir_btype(b, x);
    int64_t dims[COT_MAX_RANK + 1] = { k, k > 0 ? (to - from) / k : 0 };

    x = ir_slice_axis(b, x, 0, from, to);
    if (k == 0)
        return x;
    if (t->rank == COT_MAX_RANK) {
        ir_build_fail(b, "scan", ERR_rank_limit, t->rank + 1);
        return IR_NONE;
    }
    for (int i = 1; i < t->rank; i++)
        dims[i + 1] = t->dims[i];
    return ir_reshape(b, x, t->rank + 1, dims);
}

/* [k, m, ...] as [k m, ...]. */
static ir_ref
joined(ir_build *b, ir_ref y)
{
    const ir_type *t = ir_btype(b, y);
    int64_t dims[COT_MAX_RANK] = { t->dims[0] * t->dims[1] };

    for (int i = 2; i < t->rank; i++)
        dims[i - 1] = t->dims[i];
    return ir_reshape(b, y, t->rank - 1, dims);
}

/* k segments of m steps, the first of all.  x: consts, carries, all xs. */
static void
run_full(const segmenting *c, int64_t k, int64_t m, const ir_ref *x, ir_ref *y)
{
    ir_ref *in = IR_NEW_N(c->b->arena, ir_ref, c->n_in + 1);
    ir_graph *g = segment_graph(c, x, m);
    ir_attrs at = *c->at;

    at.scan.length = k;
    at.scan.body = outer_body(c, g);
    for (int i = 0; i < c->n_in && c->b->status == COT_OK; i++)
        in[i] = i < c->consts + c->carries ? x[i] : part_of(c->b, x[i], 0, k * m, k);
    if (c->b->status == COT_OK)
        ir_add_node(c->b, OP_scan, c->n_in, in, &at, y);
    for (int j = c->carries; j < c->n_out && c->b->status == COT_OK; j++)
        y[j] = joined(c->b, y[j]);
}

/* Run the last steps, `from` to length - 1, which do not fill a segment. */
static void
run_rest(const segmenting *c, int64_t from, const ir_ref *x, ir_ref *y)
{
    const int64_t length = c->at->scan.length;
    ir_ref *in = IR_NEW_N(c->b->arena, ir_ref, c->n_in + 1);

    for (int i = 0; i < c->n_in; i++)
        in[i] = i < c->consts + c->carries ? x[i] : part_of(c->b, x[i], from, length, 0);
    call_segment(c, c->b, segment_graph(c, x, length - from), in, y);
}

const ir_ref *
fe_segments(ir_build *b, const ir_attrs *scan, int64_t segments, int n_in, const ir_ref *in)
{
    const int64_t n = scan->scan.length;
    segmenting c = {
        b, scan, (int)scan->scan.consts, (int)scan->scan.carries, n_in, scan->scan.body->n_out
    };
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, n_in + 1);
    ir_ref *y = IR_NEW_N(b->arena, ir_ref, c.n_out + 1),
           *z = IR_NEW_N(b->arena, ir_ref, c.n_out + 1);
    int64_t m = segments > 0 && segments < n ? n / segments : 1;

    while (segments < 0 && (m + 1) * (m + 1) <= n)
        m++;
    const int64_t k = segments > 0 && segments < n ? segments : n / m;
    memcpy(x, in, sizeof *x * (size_t)n_in);
    if (scan->scan.reverse && k * m < n)
        run_rest(&c, k * m, x, z);
    for (int i = 0; i < c.carries && scan->scan.reverse && k * m < n; i++)
        x[c.consts + i] = z[i];
    run_full(&c, k, m, x, y);
    for (int i = 0; i < c.carries && !scan->scan.reverse && k * m < n; i++)
        x[c.consts + i] = y[i];
    if (!scan->scan.reverse && k * m < n)
        run_rest(&c, k * m, x, z);
    for (int j = 0; j < c.n_out && k * m < n && b->status == COT_OK; j++) {
        if (j >= c.carries)
            y[j] = ir_concatenate(b, 2, (const ir_ref[]){ y[j], z[j] }, 0);
        else if (!scan->scan.reverse)
            y[j] = z[j];
    }
    return y;
}
