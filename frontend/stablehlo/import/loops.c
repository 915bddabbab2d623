/* Counted loops become scans.
 *
 * JAX lowers fori_loop and scan to a while whose carries hold everything: the counter, the
 * arrays it reads a slice of at each step, the arrays it writes a slice to.  Here each carry is
 * classified:
 *
 *   an induction variable   starts at a number and has a number added at each step
 *   unchanged               is returned by the body as it came: a const
 *   written                 gets a slice at the index of the step, and is read nowhere: `ys`
 *   any other               is a carry
 *
 * A slice of a const, taken at the index of the step, becomes a slice `xs`.  Indices are
 * numbers a t + b in the step t, found through additions, conversions and the select that makes
 * a negative index positive; a is 1 or -1, and the indices are in bounds.  So reverse mode
 * saves what a step needs once, not all arrays at each step. Source: A. V. Aho et al.,
 * Compilers, 2nd ed., section 9.6 (induction variables). */
#include "frontend/stablehlo/import/rules.h"

#include "ir/diag.h"

typedef struct affine {
    bool known;
    int64_t a, b; /* a t + b */
} affine;

typedef enum carry_kind { CARRIED, UNCHANGED, WRITTEN } carry_kind;

typedef struct counted_loop {
    hlo_emit *e;
    const ir_graph *cond, *body;
    int consts, n;         /* captures; carries */
    const ir_ref *in;      /* of the loop: captures, then carries */
    int64_t trips;
    affine *of;            /* by value of the body */
    uint32_t *uses;        /* by value of the body */
    carry_kind *kind;      /* by carry */
    const ir_node **write; /* by carry: what writes it */
    int n_xs;
    const ir_node **xs;    /* the nodes that take a slice of a const */
    bool reverse;
} counted_loop;

/* ---- numbers ---- */

static bool
integer_of(const ir_node *n, int64_t *x)
{
    const ir_data *d = n && n->op == OP_constant ? &n->at->constant.data : NULL;

    if (!d || !d->splat || !ir_is_int(d->type->dtype))
        return false;
    switch (d->type->dtype) {
    case COT_I8: *x = *(const int8_t *)d->bytes; break;
    case COT_U8: *x = *(const uint8_t *)d->bytes; break;
    case COT_I16: *x = *(const int16_t *)d->bytes; break;
    case COT_U16: *x = *(const uint16_t *)d->bytes; break;
    case COT_I32: *x = *(const int32_t *)d->bytes; break;
    case COT_U32: *x = *(const uint32_t *)d->bytes; break;
    default: memcpy(x, d->bytes, 8); break;
    }
    return *x > -((int64_t)1 << 40) && *x < (int64_t)1 << 40;
}

/* Input i of the loop, known outside. */
static bool
known_outside(const counted_loop *c, int i, int64_t *x)
{
    return integer_of(ir_bdef(c->e->b, c->in[i]), x);
}

static int
input_of(const ir_graph *g, ir_ref v)
{
    for (int i = 0; i < g->n_in && !g->value[v].node; i++)
        if (g->in[i] == v)
            return i;
    return -1;
}

static int64_t
first(const counted_loop *c, affine x)
{
    return x.a < 0 ? x.a * (c->trips - 1) + x.b : x.b;
}

static int64_t
last(const counted_loop *c, affine x)
{
    return x.a < 0 ? x.b : x.a * (c->trips - 1) + x.b;
}

/* v = a t + b, if it is seen to be, from operands that come before. */
static affine
affine_of(const counted_loop *c, const ir_node *n)
{
    const affine none = { false, 0, 0 };
    const affine x = n->n_in > 0 ? c->of[n->in[0]] : none,
                 y = n->n_in > 1 ? c->of[n->in[1]] : none;
    int64_t k;

    switch (n->op) {
    case OP_constant:
        return integer_of(n, &k) && n->at->constant.data.type->rank == 0
                   ? (affine){ true, 0, k }
                   : none;
    case OP_add: return x.known && y.known ? (affine){ true, x.a + y.a, x.b + y.b } : none;
    case OP_sub: return x.known && y.known ? (affine){ true, x.a - y.a, x.b - y.b } : none;
    case OP_convert: return x.known && first(c, x) >= 0 && last(c, x) <= INT32_MAX ? x : none;
    case OP_reshape:
    case OP_stop_gradient: return x;
    case OP_select: { /* of i < 0: i + n, else i */
        const ir_node *p = ir_def(c->body, n->in[0]);
        const affine z = c->of[n->in[2]];
        if (!p || p->op != OP_lt || !z.known || !c->of[p->in[0]].known ||
            !c->of[p->in[1]].known || c->of[p->in[1]].a != 0)
            return none;
        return first(c, c->of[p->in[0]]) >= c->of[p->in[1]].b ? z : none;
    }
    default: return none;
    }
}

/* ---- what the carries are ---- */

/* Wide enough that no place of an array wraps. */
static bool
is_counter_type(const ir_type *t)
{
    return t->rank == 0 && ir_is_int(t->dtype) && cot_dtype_size(t->dtype) >= 4;
}

/* Carry k starts at a number and has a number added: both. */
static bool
induction(const counted_loop *c, int k, affine *x)
{
    const ir_node *n = ir_def(c->body, c->body->out[k]);
    const ir_ref self = c->body->in[c->consts + k];
    int64_t step, start;

    if (!n || n->op != OP_add || !is_counter_type(ir_type_at(c->body, self)) ||
        !known_outside(c, c->consts + k, &start))
        return false;
    const ir_ref other = n->in[0] == self ? n->in[1] : n->in[1] == self ? n->in[0] : IR_NONE;
    if (!other || !integer_of(ir_def(c->body, other), &step))
        return false;
    *x = (affine){ true, step, start };
    return true;
}

/* A number that the loop does not change: inside the condition, or handed to it. */
static bool
fixed(const counted_loop *c, ir_ref v, int64_t *x)
{
    const int i = input_of(c->cond, v);

    if (integer_of(ir_def(c->cond, v), x))
        return true;
    return i >= 0 && (i < c->consts || c->body->out[i - c->consts] == c->body->in[i]) &&
           known_outside(c, i, x);
}

/* while (i < n): how often. */
static bool
count_trips(counted_loop *c)
{
    const ir_node *n = ir_def(c->cond, c->cond->out[0]);
    int64_t limit;
    affine x;

    if (!n || n->op != OP_lt)
        return false;
    const int i = input_of(c->cond, n->in[0]);
    if (i < c->consts || !induction(c, i - c->consts, &x) || !fixed(c, n->in[1], &limit) ||
        x.a < 1)
        return false;
    c->trips = limit > x.b ? (limit - x.b + x.a - 1) / x.a : 0;
    return c->trips < INT32_MAX / 2 && last(c, x) + x.a < INT32_MAX;
}

static void
find_affine(counted_loop *c)
{
    c->of = IR_NEW_N(c->e->h->a, affine, c->body->n_values + 1);
    c->uses = IR_NEW_N(c->e->h->a, uint32_t, c->body->n_values + 1);
    for (int k = 0; k < c->n; k++)
        induction(c, k, &c->of[c->body->in[c->consts + k]]);
    ir_each_node (n, c->body) {
        if (n->n_out == 1 && is_counter_type(ir_type_at(c->body, n->first)))
            c->of[n->first] = affine_of(c, n);
        for (int i = 0; i < n->n_in; i++)
            c->uses[n->in[i]]++;
    }
    for (int i = 0; i < c->body->n_out; i++)
        c->uses[c->body->out[i]]++;
}

/* The place of a box on axis 0 of an array of type t is that of the step, inside, and the box
 * all of the rest. */
static bool
is_row(const counted_loop *c, const ir_type *t, const ir_type *box, ir_ref place)
{
    const affine x = c->of[place];

    if (t->rank < 1 || box->dims[0] != 1 || !x.known || (x.a != 1 && x.a != -1))
        return false;
    for (int k = 1; k < t->rank; k++)
        if (box->dims[k] != t->dims[k])
            return false;
    return first(c, x) >= 0 && last(c, x) < t->dims[0];
}

static void
classify(counted_loop *c)
{
    const ir_graph *g = c->body;

    c->kind = IR_NEW_N(c->e->h->a, carry_kind, c->n + 1);
    c->write = IR_NEW_N(c->e->h->a, const ir_node *, c->n + 1);
    for (int k = 0; k < c->n; k++) {
        const ir_ref self = g->in[c->consts + k];
        const ir_node *n = ir_def(g, g->out[k]);
        if (g->out[k] == self)
            c->kind[k] = UNCHANGED;
        else if (n && n->op == OP_dynamic_update_slice && n->in[0] == self &&
                 c->uses[self] == 1 && c->uses[n->first] == 1 &&
                 is_row(c, ir_type_at(g, self), ir_type_at(g, n->in[1]), n->in[2])) {
            c->kind[k] = WRITTEN;
            c->write[k] = n;
        }
    }
    c->xs = IR_NEW_N(c->e->h->a, const ir_node *, g->n_nodes + 1);
    ir_each_node (n, g) {
        const int i = n->op == OP_dynamic_slice ? input_of(g, n->in[0]) : -1;
        if (i >= 0 && (i < c->consts || c->kind[i - c->consts] == UNCHANGED) &&
            is_row(c, ir_type_at(g, n->in[0]), ir_type_at(g, n->first), n->in[1]))
            c->xs[c->n_xs++] = n;
    }
    bool all = true;
    int rows = 0;
    for (int i = 0; i < c->n_xs; i++, rows++)
        all &= c->of[c->xs[i]->in[1]].a < 0;
    for (int k = 0; k < c->n; k++)
        if (c->kind[k] == WRITTEN) {
            all &= c->of[c->write[k]->in[2]].a < 0;
            rows++;
        }
    c->reverse = all && rows > 0;
}

/* ---- the scan ---- */

/* Rows of an array in the order in which scan takes them: those at a t + b for t from 0, or
 * from the last. */
static ir_ref
rows_of(const counted_loop *c, ir_ref x, affine at)
{
    ir_build *b = c->e->b;
    const ir_type *t = ir_btype(b, x);
    ir_ref y = first(c, at) == 0 && c->trips == t->dims[0]
                   ? x
                   : ir_slice_axis(b, x, 0, first(c, at), first(c, at) + c->trips);

    return y && at.a < 0 && !c->reverse ? ir_reverse(b, y, ir_axes_of(0)) : y;
}

/* The array after all rows are written. */
static ir_ref
written(const counted_loop *c, int k, ir_ref ys)
{
    ir_build *b = c->e->b;
    const affine at = c->of[c->write[k]->in[2]];
    const ir_ref x = c->in[c->consts + k];
    const ir_type *t = ir_btype(b, x);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, t->rank + 2);

    if (at.a < 0 && !c->reverse)
        ys = ir_reverse(b, ys, ir_axes_of(0));
    if (c->trips == t->dims[0])
        return ys;
    in[0] = x;
    in[1] = ys;
    for (int i = 0; i < t->rank; i++)
        in[2 + i] = ir_splat_int(b, ir_scalar_type(b->ctx, COT_I64), i == 0 ? first(c, at) : 0);
    return ir_node1(b, OP_dynamic_update_slice, t->rank + 2, in, NULL);
}

/* Inputs: consts, unchanged carries, carries, rows.  Results: carries, rows. */
static ir_graph *
scan_body(const counted_loop *c)
{
    const ir_graph *g = c->body;
    ir_build *b = ir_build_new(c->e->h->ctx, g->name);
    ir_ref *env = IR_NEW_N(b->arena, ir_ref, g->n_values + 1);
    ir_graph *made = NULL;
    int x = 0;

    b->loc = c->e->b->loc;
    for (int i = 0; i < c->consts; i++)
        env[g->in[i]] = ir_input_like(b, g, g->in[i], "");
    for (int pass = UNCHANGED; pass >= CARRIED; pass--)
        for (int k = 0; k < c->n; k++)
            if (c->kind[k] == (carry_kind)pass)
                env[g->in[c->consts + k]] = ir_input_like(b, g, g->in[c->consts + k], "");
    for (int i = 0; i < c->n_xs; i++) {
        const ir_type *t = ir_type_at(g, c->xs[i]->first);
        ir_ref row = ir_input(b, ir_type_close(b->ctx, t, 0), NULL);
        env[c->xs[i]->first] = ir_reshape(b, row, t->rank, t->dims);
    }
    ir_each_node (n, g) {
        bool skip = x < c->n_xs && n == c->xs[x];

        x += skip;
        for (int k = 0; k < c->n; k++)
            skip |= c->write[k] == n;
        if (!skip)
            ir_copy_mapped(b, n, env);
    }
    b->loc = c->e->b->loc;
    for (int k = 0; k < c->n; k++)
        if (c->kind[k] == CARRIED)
            ir_output(b, env[g->out[k]]);
    for (int k = 0; k < c->n; k++)
        if (c->kind[k] == WRITTEN) {
            const ir_ref z = env[c->write[k]->in[1]];
            const ir_type *t = z ? ir_btype(b, z) : NULL;
            ir_output(b, t ? ir_reshape(b, z, t->rank - 1, t->dims + 1) : IR_NONE);
        }
    return ir_build_end(b, &made) == COT_OK ? made : NULL;
}

static void
make_scan(counted_loop *c, ir_ref *out)
{
    hlo_emit *e = c->e;
    ir_build *b = e->b;
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, c->consts + c->n + c->n_xs + 1),
           *y = IR_NEW_N(b->arena, ir_ref, c->n + 1);
    ir_attrs at = { .scan = {
                        .length = c->trips, .reverse = c->reverse, .body = scan_body(c) } };
    int n = 0, j = 0;

    if (!at.scan.body) {
        b->status = e->h->ctx->status;
        return;
    }
    for (int i = 0; i < c->consts; i++)
        in[n++] = c->in[i];
    for (int k = 0; k < c->n; k++)
        if (c->kind[k] == UNCHANGED)
            in[n++] = c->in[c->consts + k];
    at.scan.consts = n;
    for (int k = 0; k < c->n; k++)
        if (c->kind[k] == CARRIED)
            in[n++] = c->in[c->consts + k];
    at.scan.carries = n - at.scan.consts;
    for (int i = 0; i < c->n_xs; i++)
        in[n++] = rows_of(c, c->in[input_of(c->body, c->xs[i]->in[0])], c->of[c->xs[i]->in[1]]);
    ir_add_node(b, OP_scan, n, in, &at, y);
    for (int pass = CARRIED; pass <= WRITTEN; pass++)
        for (int k = 0; k < c->n && !fe_hlo_bad(e); k++) {
            if (c->kind[k] != (carry_kind)pass)
                continue;
            out[k] = pass == UNCHANGED ? c->in[c->consts + k]
                     : pass == CARRIED ? y[j++]
                                       : written(c, k, y[j++]);
        }
}

bool
fe_hlo_counted(hlo_emit *e, const ir_attrs *loop, const ir_ref *in, ir_ref *y)
{
    counted_loop c = { .e = e, .consts = (int)loop->loop.consts, .n = e->n_in, .in = in };
    ir_graph *const cond = fe_hlo_flat(e, loop->loop.cond), *const body =
                                                                fe_hlo_flat(e, loop->loop.body);

    if (!cond || !body)
        return fe_hlo_bad(e);
    c.cond = cond;
    c.body = body;
    if (body->n_out != c.n || cond->n_out != 1 || body->effectful || cond->effectful ||
        !count_trips(&c))
        return false;
    if (c.trips == 0) {
        for (int k = 0; k < c.n; k++)
            y[k] = in[c.consts + k];
        return true;
    }
    find_affine(&c);
    classify(&c);
    bool results = false;
    for (int k = 0; k < c.n; k++)
        results |= c.kind[k] != UNCHANGED;
    if (!results)
        return false;
    make_scan(&c, y);
    return true;
}
