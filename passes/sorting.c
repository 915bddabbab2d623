/* Sorting by a traced comparator.
 *
 * If the comparator is `less` (or `greater`) between a key of a and the same key of b, or
 * lexicographically between several keys, the keys are recovered and argsort sorts by them.
 * Any other comparator is used in a bottom-up merge sort of positions, which does all merges of
 * a level at once: the rank of an element in two runs is its rank in its own run plus the
 * number of elements of the other run that come before it, which is found by binary search (of
 * equal ones, those of the left run come first, so the sort is stable).  That takes log2(n)^2 /
 * 2 rounds of n comparisons.
 *
 * Source: merging by ranks is R. Cole's remark in Parallel merge sort, SIAM J. Computing 17(4),
 * 1988, section 1. */
#include "passes/sorting.h"

#include "passes/rules.h"

enum { MAX_KEYS = 16 };

/* ---- keys ---- */

typedef struct keys {
    const pass_combiner *c;
    int n;
    ir_ref key[MAX_KEYS]; /* values of the comparator that are the keys of a */
    bool greater[MAX_KEYS];
} keys;

static int
input_of(const ir_graph *g, ir_ref v)
{
    for (int i = 0; i < g->n_in; i++)
        if (g->in[i] == v)
            return i;
    return -1;
}

/* Is y computed from the b's as x is from the a's (with `swap`: the other way round)? */
static bool
same_key(const pass_combiner *c, ir_ref x, ir_ref y, bool swap)
{
    const ir_graph *g = c->g;
    const ir_node *m = ir_def(g, x), *n = ir_def(g, y);

    if (!m || !n) {
        const int i = m ? -1 : input_of(g, x), j = n ? -1 : input_of(g, y);
        if (i < 0 || j < 0)
            return false;
        return i >= 2 * c->n ? i == j : swap ? j + c->n == i : i + c->n == j;
    }
    if (m->op != n->op || m->n_in != n->n_in || m->n_out != 1 ||
        ir_ops[m->op].flag == IR_FLOW || !ir_attrs_equal(ir_ops[m->op].record, m->at, n->at))
        return false;
    if (m == n)
        return m->n_in == 0;
    for (int i = 0; i < m->n_in; i++)
        if (!same_key(c, m->in[i], n->in[i], swap))
            return false;
    return true;
}

/* Is v a comparison of a key?  Then k is the key of a, and *greater tells whether larger keys
 * come first. */
static bool
read_less(const pass_combiner *c, ir_ref v, ir_ref *k, bool *greater)
{
    const ir_node *n = ir_def(c->g, v);

    if (!n || (n->op != OP_lt && n->op != OP_gt))
        return false;
    const bool straight = same_key(c, n->in[0], n->in[1], false);
    if (!straight && !same_key(c, n->in[0], n->in[1], true))
        return false;
    *k = n->in[straight ? 0 : 1];
    *greater = (n->op == OP_gt) == straight;
    return true;
}

/* Is v true where the keys k of a and b are equal? */
static bool
is_equal(const pass_combiner *c, ir_ref v, ir_ref k)
{
    const ir_node *n = ir_def(c->g, v);

    if (!n || n->op != OP_eq)
        return false;
    return (n->in[0] == k && same_key(c, n->in[0], n->in[1], false)) ||
           (n->in[1] == k && same_key(c, n->in[1], n->in[0], false));
}

/* Recognises less(k0), or less(k0) or equal(k0) and the rest, written with `or` or as a
 * select. */
static bool
read_keys(keys *s, ir_ref v)
{
    const pass_combiner *c = s->c;
    const ir_node *n = ir_def(c->g, v);

    if (!n || s->n == MAX_KEYS)
        return false;
    if (read_less(c, v, &s->key[s->n], &s->greater[s->n])) {
        s->n++;
        return true;
    }
    if (n->op == OP_select && read_less(c, n->in[2], &s->key[s->n], &s->greater[s->n]) &&
        is_equal(c, n->in[0], s->key[s->n])) {
        s->n++;
        return read_keys(s, n->in[1]);
    }
    for (int i = 0; n->op == OP_or && i < 2; i++) {
        const ir_node *m = ir_def(c->g, n->in[1 - i]);

        if (!m || m->op != OP_and || !read_less(c, n->in[i], &s->key[s->n], &s->greater[s->n]))
            continue;
        for (int j = 0; j < 2; j++)
            if (is_equal(c, m->in[j], s->key[s->n])) {
                s->n++;
                return read_keys(s, m->in[1 - j]);
            }
    }
    return false;
}

/* The keys of a as a graph; its inputs are those of the comparator. */
static const ir_graph *
key_graph(ir_build *b, const keys *s)
{
    const ir_graph *g = s->c->g;
    ir_build *r = ir_build_new(b->ctx, "key");
    ir_ref *at = IR_NEW_N(r->arena, ir_ref, g->n_values);
    ir_graph *out = NULL;

    for (int i = 0; i < g->n_in; i++)
        at[g->in[i]] = ir_input(r, ir_type_at(g, g->in[i]), NULL);
    ir_each_node(n, g)
        ir_copy_mapped(r, n, at);
    for (int i = 0; i < s->n; i++)
        ir_output(r, at[s->key[i]]);
    const cot_status status = ir_build_end(r, &out);
    if (status != COT_OK)
        b->status = status;
    return out;
}

/* Reverses the order of a key: the complement of an integer, the negative of a float. */
static ir_ref
descending(ir_build *b, ir_ref x)
{
    const ir_type *t = x ? ir_btype(b, x) : NULL;

    return !t ? IR_NONE : ir_is_float(t->dtype) ? ir_neg(b, x) : ir_op1(b, OP_not, x);
}

static ir_ref
by_keys(ir_build *b, const keys *s, int axis, const ir_ref *x)
{
    pass_combiner c = *s->c;
    ir_ref y[MAX_KEYS];
    const ir_type *t = ir_btype(b, x[0]);

    c.g = key_graph(b, s);
    if (!c.g)
        return IR_NONE;
    pass_combine(b, &c, x, x, y);
    for (int i = 0; i < s->n; i++)
        y[i] = s->greater[i] ? descending(b, y[i]) : y[i];
    const cot_dtype place = t->dims[axis] > INT32_MAX ? COT_I64 : COT_I32;
    return ir_node1(b, OP_argsort, s->n, y, &(ir_attrs){ .arg = { axis, place } });
}

/* ---- merging ---- */

/* Lines that are stored one after the other: element i of line l is at l n + i. */
typedef struct merging {
    ir_build *b;
    const pass_combiner *c;
    int64_t n, total;
    const ir_type *place; /* the type i64[total] */
} merging;

static ir_ref
take(ir_build *b, ir_ref x, ir_ref place)
{
    const int64_t zero = 0, one = 1, vectors[2] = { place ? ir_btype(b, place)->size : 0, 1 };
    ir_attrs a = { .gather = { .collapsed = { 1, &zero },
                               .index_map = { 1, &zero },
                               .sizes = { 1, &one },
                               .mode = IR_MODE_PROMISE } };
    ir_ref in[2] = { x, place ? ir_reshape(b, place, 2, vectors) : IR_NONE };

    return x && place ? ir_node1(b, OP_gather, 2, in, &a) : IR_NONE;
}

static ir_ref
number(const merging *m, ir_build *b, int64_t x)
{
    return ir_splat_int(b, m->place, x);
}

static ir_ref
asked(ir_build *r, const merging *m, const ir_ref *x, const ir_ref *y, const ir_ref *captured)
{
    pass_combiner c = *m->c;
    ir_ref *z = IR_NEW_N(r->arena, ir_ref, c.n + 1);

    c.captured = captured;
    pass_combine(r, &c, x, y, z);
    return z[0];
}

/* One round of the binary searches.  Inputs: lists, captured values, starts of the other runs,
 * whether the run is the left one, low, high. */
static ir_graph *
search_step(const merging *m, const ir_ref *x)
{
    const pass_combiner *c = m->c;
    ir_build *r = ir_build_new(m->b->ctx, "merge");
    ir_ref *list = IR_NEW_N(r->arena, ir_ref, c->n + 1),
           *probe = IR_NEW_N(r->arena, ir_ref, c->n + 1),
           *captured = IR_NEW_N(r->arena, ir_ref, c->n_captured + 1);
    ir_graph *g = NULL;

    for (int i = 0; i < c->n; i++)
        list[i] = ir_input(r, ir_btype(m->b, x[i]), NULL);
    for (int i = 0; i < c->n_captured; i++)
        captured[i] = ir_input(r, ir_btype(m->b, c->captured[i]), NULL);
    ir_ref start = ir_input(r, m->place, NULL),
           left = ir_input(r, ir_type_as(r->ctx, m->place, COT_BOOL), NULL);
    ir_ref low = ir_input(r, m->place, NULL), high = ir_input(r, m->place, NULL);
    ir_ref one = number(m, r, 1);
    ir_ref middle = ir_op2(r, OP_shr_arithmetic, ir_add(r, low, high), one);
    ir_ref most = number(m, r, m->total - 1),
           at = ir_op2(r, OP_min, ir_add(r, start, middle), most);

    for (int i = 0; i < c->n; i++)
        probe[i] = take(r, list[i], at);
    /* an element of the left run comes after those that are less, one of the right run after
     * those that are not greater */
    ir_ref less = asked(r, m, probe, list, captured);
    ir_ref over = ir_op1(r, OP_not, asked(r, m, list, probe, captured));
    ir_ref go = ir_op3(r, OP_select, left, less, over), open = ir_op2(r, OP_lt, low, high);
    ir_ref up = ir_op2(r, OP_and, open, go),
           down = ir_op2(r, OP_and, open, ir_op1(r, OP_not, go));
    ir_output(r, ir_select(r, up, ir_add(r, middle, number(m, r, 1)), low));
    ir_output(r, ir_select(r, down, middle, high));
    const cot_status status = ir_build_end(r, &g);
    if (status != COT_OK)
        m->b->status = status;
    return g;
}

/* Merges runs of w positions to runs of 2 w; x has the elements. */
static ir_ref
merge(const merging *m, int64_t w, ir_ref place, const ir_ref *x)
{
    ir_build *b = m->b;
    const pass_combiner *c = m->c;
    const int n_in = c->n + c->n_captured + 4;
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, n_in), end[2] = { IR_NONE, IR_NONE };
    ir_graph *body = search_step(m, x);
    int64_t rounds = 1;
    int at = 0;

    while (w >> rounds)
        rounds++;
    ir_ref i = ir_iota(b, COT_I64, 1, &m->total, 0),
           inside = ir_op2(b, OP_rem, i, number(m, b, m->n));
    ir_ref line = ir_sub(b, i, inside), own = ir_op2(b, OP_rem, inside, number(m, b, 2 * w));
    ir_ref base = ir_sub(b, inside, own), left = ir_op2(b, OP_lt, own, number(m, b, w));
    ir_ref bound = number(m, b, m->n);
    ir_ref right_from = ir_op2(b, OP_min, ir_add(b, base, number(m, b, w)), bound);
    ir_ref right = number(m, b, m->n);
    ir_ref right_to = ir_op2(b, OP_min, ir_add(b, base, number(m, b, 2 * w)), right);
    ir_ref start = ir_add(b, line, ir_select(b, left, right_from, base));
    ir_ref otherwise = number(m, b, w);
    ir_ref size = ir_select(b, left, ir_sub(b, right_to, right_from), otherwise);

    for (int k = 0; k < c->n; k++)
        in[at++] = x[k];
    for (int k = 0; k < c->n_captured; k++)
        in[at++] = c->captured[k];
    in[at++] = start;
    in[at++] = left;
    in[at++] = number(m, b, 0);
    in[at++] = size;
    ir_attrs scan = { .scan = {
                          .consts = at - 2, .carries = 2, .length = rounds, .body = body } };
    if (b->status == COT_OK)
        ir_add_node(b, OP_scan, at, in, &scan, end);
    ir_ref before = ir_select(b, left, own, ir_sub(b, own, number(m, b, w)));
    ir_ref sum = ir_add(b, before, end[0]);
    ir_ref to = ir_add(b, ir_add(b, line, base), sum);
    const int64_t zero = 0, vectors[2] = { m->total, 1 };
    ir_attrs put = { .scatter = { .inserted = { 1, &zero },
                                  .index_map = { 1, &zero },
                                  .mode = IR_MODE_PROMISE,
                                  .unique = 1 } };
    ir_ref moved[3] = { ir_zeros(b, m->place), to ? ir_reshape(b, to, 2, vectors) : IR_NONE,
                        place };
    return to ? ir_node1(b, OP_scatter, 3, moved, &put) : IR_NONE;
}

/* The sorted positions along the last axis of [lines, n]. */
static ir_ref
by_merging(ir_build *b, const pass_combiner *c, int64_t lines, int64_t n, const ir_ref *x)
{
    merging m = { b, c, n, lines * n, NULL };
    ir_ref *flat = IR_NEW_N(b->arena, ir_ref, c->n + 1),
           *now = IR_NEW_N(b->arena, ir_ref, c->n + 1);

    m.place = ir_type_new(b->ctx, COT_I64, 1, &m.total);
    ir_ref first = ir_iota(b, COT_I64, 1, &m.total, 0), place = first;
    for (int i = 0; i < c->n; i++)
        now[i] = flat[i] = ir_reshape(b, ir_op1(b, OP_stop_gradient, x[i]), 1, &m.total);
    for (int64_t w = 1; w < n && b->status == COT_OK; w *= 2) {
        place = merge(&m, w, place, now);
        for (int i = 0; i < c->n && 2 * w < n; i++)
            now[i] = take(b, flat[i], place);
    }
    return ir_op2(b, OP_rem, place, number(&m, b, n));
}

/* ---- both ---- */

/* The elements of x at positions along an axis, which are in range; `place` has the rank of
 * x. */
static ir_ref
take_along(ir_build *b, ir_ref x, ir_ref place, int axis)
{
    const ir_type *t = x ? ir_btype(b, x) : NULL;
    int64_t at[1] = { axis }, others[COT_MAX_RANK], sizes[COT_MAX_RANK];
    int k = 0;

    if (!t || !place || t->dims[axis] == 0)
        return t && place ? x : IR_NONE;
    for (int i = 0; i < t->rank; i++) {
        sizes[i] = 1;
        if (i != axis)
            others[k++] = i;
    }
    ir_attrs a = { .gather = { .collapsed = { 1, at }, .operand_batch = { k, others },
                               .indices_batch = { k, others }, .index_map = { 1, at },
                               .sizes = { t->rank, sizes }, .mode = IR_MODE_PROMISE } };
    ir_ref in[2] = { x, ir_broadcast_axis(b, place, t->rank, 1) };
    return ir_node1(b, OP_gather, 2, in, &a);
}

static ir_ref
sort_places(ir_build *b, const pass_combiner *c, int axis, const ir_ref *x)
{
    keys s = { .c = c };
    ir_ref *moved = IR_NEW_N(b->arena, ir_ref, c->n + 1);
    const ir_type *t = x[0] ? ir_btype(b, x[0]) : NULL;

    if (!t || b->status != COT_OK)
        return IR_NONE;
    const int64_t n = t->dims[axis];
    const ir_type *place = ir_type_as(b->ctx, t, n > INT32_MAX ? COT_I64 : COT_I32);
    if (t->size == 0 || n == 1)
        return ir_zeros(b, place);
    if (read_keys(&s, c->g->out[0]))
        return by_keys(b, &s, axis, x);
    for (int i = 0; i < c->n; i++)
        moved[i] = ir_move_axis(b, x[i], axis, t->rank - 1);
    if (b->status != COT_OK)
        return IR_NONE;
    ir_ref y = by_merging(b, c, t->size / n, n, moved);
    const ir_type *last = ir_btype(b, moved[0]);
    y = y ? ir_convert(b, ir_reshape(b, y, last->rank, last->dims), place->dtype) : IR_NONE;
    return y ? ir_move_axis(b, y, t->rank - 1, axis) : IR_NONE;
}

void
pass_sort(ir_build *b, const pass_combiner *c, int axis, const ir_ref *x, ir_ref *y)
{
    ir_ref place = sort_places(b, c, axis, x);

    for (int i = 0; i < c->n; i++)
        y[i] = take_along(b, x[i], place, axis);
}
