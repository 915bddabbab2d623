/* A scan whose steps wait, as a while.
 *
 * If a step contains a loop of many iterations, perhaps in a branch, the host would have to
 * synchronise in every step.  As a while whose iterations wait (predicate.c), the scan is
 * launched several steps at a time, whatever its inner loops do, and the host synchronises once
 * for all of them.  The number of the step is then a carry in device memory.  The x of a step
 * is a dynamic_slice of the xs, and its y is written into the ys by a dynamic_update_slice; the
 * ys are carried in place, in memory that is not initialised.  The body has the same nodes, so
 * the results have the same bits. */
#include "codegen/lower/launches.h"

#include "ir/build.h"

typedef struct scan_as_while {
    cot_context *ctx;
    const ir_graph *f;
    const ir_node *n;
    const ir_graph *body;
    int consts, carries, n_xs, n_ys;
} scan_as_while;

static const ir_type *
count_type(const scan_as_while *s)
{
    return ir_scalar_type(s->ctx, COT_I64);
}

static const ir_type *
type_in(const scan_as_while *s, int i)
{
    return ir_type_at(s->f, s->n->in[i]);
}

static const ir_type *
type_out(const scan_as_while *s, int i)
{
    return ir_type_at(s->f, s->n->first + (ir_ref)i);
}

/* Add the inputs of the condition or body of the while: consts, xs | the step, carries, ys. */
static ir_ref *
while_inputs(const scan_as_while *s, ir_build *b)
{
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, s->n->n_in + s->n_ys + 2);
    int n = 0;

    for (int i = 0; i < s->consts; i++)
        in[n++] = ir_input(b, type_in(s, i), NULL);
    for (int i = 0; i < s->n_xs; i++)
        in[n++] = ir_input(b, type_in(s, s->consts + s->carries + i), NULL);
    in[n++] = ir_input(b, count_type(s), NULL);
    for (int i = 0; i < s->carries + s->n_ys; i++)
        in[n++] = ir_input(b, type_out(s, i), NULL);
    return in;
}

static const ir_graph *
end_part(ir_build *b)
{
    ir_graph *out = NULL;

    return ir_build_end(b, &out) == COT_OK ? out : NULL;
}

static const ir_graph *
make_test(const scan_as_while *s)
{
    ir_build *b = ir_build_new(s->ctx, "steps_left");
    const ir_ref *in = while_inputs(s, b);

    ir_output(b, ir_op2(b, OP_lt, in[s->consts + s->n_xs],
                        ir_splat_int(b, count_type(s), s->n->at->scan.length)));
    return end_part(b);
}

/* The starts of element t along the first axis. */
static void
fill_starts(ir_build *b, ir_ref t, int rank, ir_ref *start)
{
    start[0] = t;
    for (int k = 1; k < rank; k++)
        start[k] = ir_splat_int(b, ir_btype(b, t), 0);
}

static ir_ref
slice_step(ir_build *b, ir_ref x, ir_ref t, const ir_type *step)
{
    const ir_type *all = ir_btype(b, x);
    ir_ref in[COT_MAX_RANK + 1] = { x };
    int64_t sizes[COT_MAX_RANK];
    ir_attrs at = { 0 };

    fill_starts(b, t, all->rank, in + 1);
    for (int k = 0; k < all->rank; k++)
        sizes[k] = k ? all->dims[k] : 1;
    at.sizes.sizes = ir_list(b, all->rank, sizes);
    const ir_ref one = ir_node1(b, OP_dynamic_slice, all->rank + 1, in, &at);
    return ir_reshape(b, one, step->rank, step->dims);
}

static ir_ref
put_step(ir_build *b, ir_ref all, ir_ref t, ir_ref y)
{
    const ir_type *to = ir_btype(b, all);
    ir_ref in[COT_MAX_RANK + 2] = { all };
    int64_t dims[COT_MAX_RANK];

    for (int k = 0; k < to->rank; k++)
        dims[k] = k ? to->dims[k] : 1;
    in[1] = ir_reshape(b, y, to->rank, dims);
    fill_starts(b, t, to->rank, in + 2);
    return ir_node1(b, OP_dynamic_update_slice, to->rank + 2, in, NULL);
}

static const ir_graph *
make_step(const scan_as_while *s)
{
    ir_build *b = ir_build_new(s->ctx, s->body->name);
    const ir_ref *in = while_inputs(s, b), *xs = in + s->consts, *carry = xs + s->n_xs + 1,
                 *ys = carry + s->carries;
    const ir_ref i = carry[-1];
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, s->body->n_in + 1),
           *y = IR_NEW_N(b->arena, ir_ref, s->body->n_out + 1);
    ir_ref t = i;

    b->loc = s->n->loc;
    if (s->n->at->scan.reverse)
        t = ir_sub(b, ir_splat_int(b, count_type(s), s->n->at->scan.length - 1), i);
    memcpy(x, in, sizeof *x * (size_t)s->consts);
    memcpy(x + s->consts, carry, sizeof *x * (size_t)s->carries);
    for (int k = 0; k < s->n_xs; k++) {
        const int at = s->consts + s->carries + k;

        x[at] = slice_step(b, xs[k], t, ir_type_at(s->body, s->body->in[at]));
    }
    ir_inline_graph(b, s->body, x, y);
    ir_output(b, ir_add(b, i, ir_splat_int(b, count_type(s), 1)));
    for (int k = 0; k < s->carries; k++)
        ir_output(b, y[k]);
    for (int k = 0; k < s->n_ys; k++)
        ir_output(b, put_step(b, ys[k], t, y[s->carries + k]));
    return end_part(b);
}

static const ir_graph *
make_steps(const scan_as_while *s)
{
    ir_build *b = ir_build_new(s->ctx, s->body->name);
    const int fixed = s->consts + s->carries, given = s->n->n_in, n = given + s->n_ys,
              n_out = s->n->n_out + 1;
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, n + 1), *x = IR_NEW_N(b->arena, ir_ref, n + 2),
           *y = IR_NEW_N(b->arena, ir_ref, n_out + 1);
    ir_attrs at = { 0 };

    at.loop.consts = s->consts + s->n_xs;
    at.loop.cond = (ir_graph *)(uintptr_t)make_test(s);
    at.loop.body = (ir_graph *)(uintptr_t)make_step(s);
    if (!at.loop.cond || !at.loop.body)
        return NULL;
    b->loc = s->n->loc;
    for (int i = 0; i < n; i++)
        in[i] =
            ir_input(b, i < given ? type_in(s, i) : type_out(s, s->carries + i - given), NULL);
    memcpy(x, in, sizeof *x * (size_t)s->consts);
    memcpy(x + s->consts, in + fixed, sizeof *x * (size_t)s->n_xs);
    x[s->consts + s->n_xs] = ir_splat_int(b, count_type(s), 0);
    memcpy(x + s->consts + s->n_xs + 1, in + s->consts, sizeof *x * (size_t)s->carries);
    memcpy(x + fixed + s->n_xs + 1, in + given, sizeof *x * (size_t)s->n_ys);
    ir_add_node(b, OP_while, n + 1, x, &at, y);
    for (int i = 1; i < n_out; i++)
        ir_output(b, y[i]);
    return end_part(b);
}

/* The while in a graph that make_steps built. */
static const ir_node *
while_of(const ir_graph *f)
{
    ir_each_node(n, f)
        if (n->op == OP_while)
            return n;
    return NULL;
}

const ir_graph *
cg_steps(cg_lowering *l, const ir_graph *f, const ir_node *n)
{
    scan_as_while s = { .ctx = l->ctx, .f = f, .n = n, .body = n->at->scan.body };
    cg_counted *known;

    if (!l->target.grid || n->at->scan.length == 0)
        return NULL;
    known = cg_count_of(l, n, 0);
    if (known->n >= -1)
        return known->steps;
    known->n = 0;
    if (cg_fits_registers(l, f, n) || !cg_steps_wait(l, s.body))
        return NULL;
    s.consts = (int)n->at->scan.consts;
    s.carries = (int)n->at->scan.carries;
    s.n_xs = n->n_in - s.consts - s.carries;
    s.n_ys = n->n_out - s.carries;
    known->steps = make_steps(&s);
    if (known->steps && !cg_may_iterate(l, while_of(known->steps)))
        known->steps = NULL;
    return known->steps;
}
