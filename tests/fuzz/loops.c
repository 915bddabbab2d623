/* Loops over several arrays of one type, as a lowering that shares their memory meets them.
 *
 * A carry of a step is a new value, the old value of another carry, what no step changes, or
 * the same value as another carry; a new value reads the old ones where they are written or
 * elsewhere, or writes over a part of one.  Steps hold branches and other loops, and stack what
 * they see.  Values stay within [-2, 2], so that a difference in one step is not lost in
 * another. */
#include "tests/fuzz/grow.h"

enum { MAX_CARRIES = 5, MAX_NEW = 6, MAX_ARRAYS = 32, DEEPEST_LOOP = 3 };

/* A function of arrays of type t, as it grows; `from` is where draws come from. */
typedef struct step {
    gen *from;
    ir_build *b;
    const ir_type *t;
    ir_ref v[MAX_ARRAYS], count; /* count: of the loop around; or IR_NONE */
    int n, depth;
} step;

static void loop(step *s);

static ir_ref
any_array(step *s)
{
    return s->v[below(s->from, s->n)];
}

static void
keep_array(step *s, ir_ref x)
{
    if (x && s->n < MAX_ARRAYS)
        s->v[s->n++] = x;
}

/* ---- a new value ---- */

/* x within [-2, 2]; integers wrap. */
static ir_ref
bounded(step *s, ir_ref x)
{
    if (!ir_is_float(s->t->dtype))
        return x;
    return below(s->from, 2)
               ? ir_op1(s->b, OP_sin, x)
               : ir_op3(s->b, OP_clamp, ir_splat(s->b, s->t, -2), x, ir_splat(s->b, s->t, 2));
}

/* What lies elsewhere: reversed, turned around an axis, or its neighbours along one. */
static ir_ref
elsewhere(step *s, ir_ref x)
{
    const int axis = below(s->from, s->t->rank);
    const int64_t n = s->t->dims[axis], at = 1 + below(s->from, (int)n - 1);
    const ir_ref part[2] = { ir_slice_axis(s->b, x, axis, at, n),
                             ir_slice_axis(s->b, x, axis, 0, at) };

    switch (below(s->from, 4)) {
    case 0: return ir_reverse(s->b, x, ir_axes_below(s->t->rank));
    case 1: return ir_reverse(s->b, x, (ir_axes)1 << axis);
    case 2: return ir_concatenate(s->b, 2, part, axis);
    default: return ir_node1(s->b, OP_cumsum, 1, &x, &(ir_attrs){ .cumulate = { axis, 0 } });
    }
}

/* A sum over an axis, for each element that it is of. */
static ir_ref
summed(step *s, ir_ref x)
{
    const int axis = below(s->from, s->t->rank);
    const ir_ref sum = ir_reduce(s->b, OP_reduce_sum, x, (ir_axes)1 << axis);

    return ir_broadcast_axis(s->b, sum, axis, s->t->dims[axis]);
}

/* A box of y over x: most of it or little, at a place that is known, or counted. */
static ir_ref
box_over(step *s, ir_ref x, ir_ref y)
{
    int64_t start[COT_MAX_RANK], limit[COT_MAX_RANK], stride[COT_MAX_RANK];
    const bool little = below(s->from, 3) == 0, counted = s->count && below(s->from, 3) == 0;
    const ir_type *index = ir_scalar_type(s->b->ctx, COT_I32);
    ir_ref in[2 + COT_MAX_RANK] = { x };

    for (int k = 0; k < s->t->rank; k++) {
        const int n = (int)s->t->dims[k],
                  size = little ? 1 + below(s->from, n) : n - below(s->from, n > 7 ? 2 : 1);
        start[k] = below(s->from, n - size + 1);
        limit[k] = start[k] + size;
        stride[k] = 1;
        in[2 + k] =
            counted ? s->count : ir_splat_int(s->b, index, below(s->from, n - size + 2) - 1);
    }
    in[1] = ir_slice(s->b, y, start, limit, stride);
    return ir_node1(s->b, OP_dynamic_update_slice, 2 + s->t->rank, in, NULL);
}

/* Rows of y over x, or added to it, at one place or several. */
static ir_ref
rows_over(step *s, ir_ref x, ir_ref y)
{
    const int64_t n = s->t->dims[0], m = below(s->from, 2) ? 1 : 1 + below(s->from, (int)n),
                  rows = m > 1 ? 1 : n - below(s->from, n > 3 ? 2 : 1), zero = 0,
                  whole[2] = { m, 1 };
    int64_t window[COT_MAX_RANK];
    const bool some = m > 1; /* a row at each of several places; else rows at one */
    const ir_type *index =
        ir_type_new(s->b->ctx, COT_I32, some ? 2 : 1, some ? whole : whole + 1);
    ir_ref at =
               some ? ir_iota(s->b, COT_I32, 2, whole, 0) : ir_splat_int(s->b, index, n - rows),
           u = ir_slice_axis(s->b, y, 0, 0, some ? m : rows);

    if (some && below(s->from, 2))
        at = ir_op2(s->b, OP_rem, ir_mul(s->b, at, ir_splat_int(s->b, index, 2)),
                    ir_splat_int(s->b, index, n));
    for (int k = 0; k < s->t->rank; k++)
        window[k] = k + some;
    const ir_ints none = { 0, NULL }, first = { 1, &zero },
                  windows = { s->t->rank - some, window };
    return ir_node1(s->b, below(s->from, 2) ? OP_scatter : OP_scatter_add, 3,
                    (ir_ref[]){ x, at, u },
                    &(ir_attrs){ .scatter = { windows, some ? first : none, none, none, first,
                                              IR_MODE_FILL, 0 } });
}

static ir_ref
new_array(step *s)
{
    const ir_ref x = any_array(s), y = any_array(s);

    switch (below(s->from, 9)) {
    case 0: return bounded(s, ir_add(s->b, x, y));
    case 1: return bounded(s, ir_mul(s->b, x, ir_splat(s->b, s->t, 3)));
    case 2: return bounded(s, elsewhere(s, x));
    case 3: return bounded(s, ir_sub(s->b, elsewhere(s, x), y));
    case 4: return bounded(s, ir_add(s->b, summed(s, x), y));
    case 5: return box_over(s, x, y);
    case 6: return box_over(s, x, bounded(s, elsewhere(s, x)));
    case 7: return bounded(s, rows_over(s, x, y));
    default: return ir_select(s->b, ir_op2(s->b, OP_lt, x, y), elsewhere(s, y), x);
    }
}

/* ---- sub-functions ---- */

static step
step_begin(const step *outer, int arrays, bool counts)
{
    step s = { .from = outer->from,
               .b = ir_build_new(outer->b->ctx, "step"),
               .t = outer->t,
               .depth = outer->depth + 1 };

    if (counts)
        s.count = ir_input(s.b, ir_scalar_type(s.b->ctx, COT_I32), "i");
    for (int i = 0; i < arrays; i++)
        s.v[s.n++] = ir_input(s.b, s.t, NULL);
    return s;
}

/* Two results of two arrays. */
static ir_graph *
branch(step *outer)
{
    step s = step_begin(outer, 2, false);
    ir_graph *f = NULL;

    for (int i = below(s.from, 3); i > 0; i--)
        keep_array(&s, new_array(&s));
    if (s.depth < DEEPEST_LOOP && below(s.from, 3) == 0)
        loop(&s);
    ir_output(s.b, s.v[s.n - 1]);
    ir_output(s.b, any_array(&s));
    ir_build_end(s.b, &f);
    return f;
}

static void
choose(step *s)
{
    ir_graph *f[3];
    const int branches = 2 + below(s->from, 2);
    ir_ref in[3] = { s->count, any_array(s), any_array(s) }, out[2] = { IR_NONE, IR_NONE };

    if (!s->count || below(s->from, 2))
        in[0] = ir_convert(
            s->b, ir_reduce(s->b, OP_reduce_max, in[1], ir_axes_below(s->t->rank)), COT_I32);
    for (int i = 0; i < branches; i++)
        f[i] = branch(s);
    if (s->b->status == COT_OK)
        ir_add_node(s->b, OP_cond, 3, in, &(ir_attrs){ .cond.branches = { branches, f } }, out);
    keep_array(s, out[0]);
    keep_array(s, out[1]);
}

/* What a step hands on: of arrays [first, first + carries), which it found, and of new ones. */
static void
hand_on(step *s, int first, int carries)
{
    const int made = s->n;

    for (int i = below(s->from, MAX_NEW); i > 0; i--)
        keep_array(s, new_array(s));
    if (s->depth < DEEPEST_LOOP && below(s->from, 3) == 0)
        loop(s);
    if (below(s->from, 3) == 0)
        choose(s);
    for (int i = 0; i < carries; i++) {
        const int kind = below(s->from, 8);
        if (kind < 4 && s->n > made)
            ir_output(s->b, s->v[made + below(s->from, s->n - made)]);
        else if (kind < 7)
            ir_output(s->b, s->v[first + below(s->from, carries)]);
        else
            ir_output(s->b, any_array(s));
    }
}

/* ---- loops ---- */

static void
draw(step *s, ir_ref *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = i > 0 && below(s->from, 6) == 0 ? x[i - 1] : any_array(s);
}

/* A scan of a counter and arrays; it stacks some that a step sees, and the rows of one of the
 * stacks live on. */
static void
scan(step *s, int consts, int carries, int64_t length)
{
    const int stacks = below(s->from, 3);
    const ir_type *count = ir_type_new(s->b->ctx, COT_I32, 1, &length);
    ir_ref in[2 * MAX_CARRIES + 1], out[MAX_CARRIES + 2] = { IR_NONE };
    step body = {
        .from = s->from, .b = ir_build_new(s->b->ctx, "step"), .t = s->t, .depth = s->depth + 1
    };
    ir_graph *f;

    draw(s, in, consts + carries);
    in[consts + carries] = ir_iota(s->b, COT_I32, 1, count->dims, 0);
    for (int i = 0; i < consts + carries; i++)
        body.v[body.n++] = ir_input(body.b, s->t, NULL);
    body.count = ir_input(body.b, ir_scalar_type(s->b->ctx, COT_I32), "i");
    hand_on(&body, consts, carries);
    for (int i = 0; i < stacks; i++)
        ir_output(body.b, any_array(&body));
    if (ir_build_end(body.b, &f) != COT_OK)
        return;
    ir_add_node(s->b, OP_scan, consts + carries + 1, in,
                &(ir_attrs){ .scan = { consts, carries, length, below(s->from, 2), f } }, out);
    for (int i = 0; i < carries; i++)
        keep_array(s, out[i]);
    for (int i = 0; i < stacks && length > 0 && out[carries + i]; i++) {
        const int64_t at = below(s->from, (int)length);
        keep_array(s, ir_reshape(s->b, ir_slice_axis(s->b, out[carries + i], 0, at, at + 1),
                                 s->t->rank, s->t->dims));
    }
}

/* While i < length, and, at times, something of the arrays holds; at times with a bound. */
static void
counted(step *s, int consts, int carries, int64_t length)
{
    const ir_type *count = ir_scalar_type(s->b->ctx, COT_I32);
    step test = step_begin(s, 0, false), body = test;
    ir_ref in[2 * MAX_CARRIES + 1], out[MAX_CARRIES + 1] = { IR_NONE }, got[2] = { IR_NONE };
    ir_graph *cond, *f;

    body.b = ir_build_new(s->b->ctx, "step");
    draw(s, in, consts);
    draw(s, in + consts + 1, carries);
    in[consts] = ir_splat_int(s->b, count, 0);
    for (int i = 0; i < consts + 1 + carries; i++) {
        const ir_type *t = i == consts ? count : s->t;
        const ir_ref x = ir_input(test.b, t, NULL), y = ir_input(body.b, t, NULL);
        if (i == consts) {
            test.count = x;
            body.count = y;
        } else {
            keep_array(&test, x);
            keep_array(&body, y);
        }
    }
    got[0] = ir_op2(test.b, OP_lt, test.count, ir_splat_int(test.b, count, length));
    if (below(s->from, 3) == 0) {
        got[1] = ir_reduce(test.b, OP_reduce_max, any_array(&test), ir_axes_below(s->t->rank));
        got[1] = ir_op2(test.b, OP_lt, got[1], ir_splat(test.b, ir_btype(test.b, got[1]), 1));
        got[0] = ir_op2(test.b, OP_and, got[0], got[1]);
    }
    ir_output(test.b, got[0]);
    ir_output(body.b, ir_add(body.b, body.count, ir_splat_int(body.b, count, 1)));
    hand_on(&body, consts, carries);
    if (ir_build_end(test.b, &cond) != COT_OK || ir_build_end(body.b, &f) != COT_OK)
        return;
    ir_add_node(s->b, OP_while, consts + 1 + carries, in,
                &(ir_attrs){ .loop = { consts, below(s->from, 2) ? length + 1 : 0, cond, f } },
                out);
    for (int i = 0; i < carries; i++)
        keep_array(s, out[1 + i]);
}

static void
loop(step *s)
{
    const int consts = below(s->from, 3), carries = 1 + below(s->from, MAX_CARRIES);
    const int64_t length = below(s->from, 6);

    if (s->b->status != COT_OK)
        return;
    if (below(s->from, 3))
        scan(s, consts, carries, length);
    else
        counted(s, consts, carries, length);
}

/* Arrays of at least some bytes, below which carries are copied, and of few numbers for a
 * vector and a tail. */
static const ir_type *
array_type(gen *g)
{
    static const int64_t sizes[][3] = { { 17 },      { 64 }, { 9, 8 }, { 5, 13 },
                                        { 3, 4, 6 }, { 70 }, { 8, 8 }, { 600 } };
    static const cot_dtype types[] = { COT_F64, COT_F32, COT_F64, COT_F32,
                                       COT_I32, COT_F16, COT_U8,  COT_BF16 };
    const int64_t *dims = sizes[below(g, 8)];
    int rank = 0;

    while (rank < 3 && dims[rank] > 0)
        rank++;
    return ir_type_new(g->b->ctx, below(g, 2) ? COT_F64 : types[below(g, 8)], rank, dims);
}

void
grow_loop(gen *g)
{
    step s = { .from = g, .b = g->b, .t = array_type(g), .depth = g->depth };

    for (int i = 1 + below(g, 3); i > 0; i--)
        keep_array(&s, below(g, 4) ? ir_input(g->b, s.t, NULL) : grow_like(g, s.t));
    for (int i = 1 + below(g, 2); i > 0 && g->b->status == COT_OK; i--)
        loop(&s);
    if (below(g, 2) && g->b->status == COT_OK)
        keep_array(&s, new_array(&s));
    for (int i = 0; i < 3 && i < s.n; i++)
        keep(g, s.v[s.n - 1 - i]);
}
