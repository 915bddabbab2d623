/* Which loops run in registers: those with a small state and a short body.  A carry that does
 * not fit may stay in memory if a step writes few of its elements and reads few.
 *
 * Each value of the body is classified by the batch axes, those of independent examples: it is
 * uniform, has the batch axes first, or mixes examples.  A value that mixes examples rules out
 * a loop over examples. */
#include <math.h>

#include "codegen/fuse/cost.h"
#include "codegen/lower/register_loop.h"
#include "codegen/tuning.h"
#include "ir/build.h"

/* Up to which a double holds every integer. */
#define EXACT 0x1p53

typedef struct fitting {
    const ir_graph *f;
    int64_t examples; /* 0: there are no batch axes */
    int batch_rank;
    const int64_t *batch_dims;
    int64_t work, max_fold;
    cg_batch_axis *of;
    /* each example needs all of it, for a sum or a product over it */
    bool *whole;
    bool *held; /* computed from the loop's state, which is in registers */
    bool *stays; /* it is a carry that stays in memory, perhaps after updates of this step */
} fitting;

/* Are the first axes of type t the batch axes? */
static bool
leads(const ir_type *t, int batch_rank, const int64_t *batch_dims)
{
    return batch_rank > 0 && t->rank >= batch_rank &&
           memcmp(t->dims, batch_dims, sizeof *batch_dims * (size_t)batch_rank) == 0;
}

/* Does the view leave axis k, a batch axis, unchanged? */
static bool
keeps_axis(const fitting *u, const ir_node *n, int k)
{
    switch (n->op) {
    case OP_broadcast_in_dim: return n->at->broadcast.dims.at[k] == k;
    case OP_transpose: return n->at->perm.perm.at[k] == k;
    case OP_slice: return n->at->slice.start.at[k] == 0 && n->at->slice.stride.at[k] == 1;
    case OP_reverse: return !ir_axes_has(n->at->axes.axes, k);
    case OP_windows: return n->at->windows.axis != k;
    case OP_pad:
        return n->at->pad.low.at[k] == 0 && n->at->pad.interior.at[k] == 0 &&
               u->of[n->in[1]] == CG_BATCH_UNIFORM;
    case OP_reshape: return true; /* axes after the batch axes are regrouped */
    default: return false;
    }
}

static cg_batch_axis
view_batch_axis(const fitting *u, const ir_node *n)
{
    const ir_type *x = ir_type_at(u->f, n->in[0]), *y = ir_type_at(u->f, n->first);
    bool good =
        leads(x, u->batch_rank, u->batch_dims) && leads(y, u->batch_rank, u->batch_dims);

    for (int k = 0; good && k < u->batch_rank; k++)
        good = keeps_axis(u, n, k);
    return good ? CG_BATCH_LEADING : CG_BATCH_MIXED;
}

/* Do the entries of the list start with the batch axes, in order? */
static bool
begins_with_batch(const fitting *u, ir_ints list)
{
    for (int k = 0; k < u->batch_rank; k++)
        if (k >= list.n || list.at[k] != k)
            return false;
    return true;
}

/* Is one of the batch axes in the list? */
static bool
has_batch_axis(const fitting *u, ir_ints list)
{
    for (int k = 0; k < u->batch_rank; k++)
        if (ir_ints_has(list, k))
            return true;
    return false;
}

/* The axes of examples must be the first batch axes of the product, or free axes that come
 * first in its result. */
static cg_batch_axis
product_batch_axis(const fitting *u, const ir_node *n)
{
    bool x = u->of[n->in[0]] == CG_BATCH_LEADING, y = u->of[n->in[1]] == CG_BATCH_LEADING;
    ir_ints bx = n->at->dot.lhs_batch, by = n->at->dot.rhs_batch;
    if (bx.n > 0)
        return (!x || begins_with_batch(u, bx)) && (!y || begins_with_batch(u, by))
                   ? CG_BATCH_LEADING
                   : CG_BATCH_MIXED;
    if (x && !y)
        return has_batch_axis(u, n->at->dot.lhs) ? CG_BATCH_MIXED : CG_BATCH_LEADING;
    bool lhs_free = ir_type_at(u->f, n->in[0])->rank > n->at->dot.lhs.n;
    return x || lhs_free || has_batch_axis(u, n->at->dot.rhs) ? CG_BATCH_MIXED
                                                              : CG_BATCH_LEADING;
}

static cg_batch_axis
index_batch_axis(const fitting *u, const ir_node *n)
{
    switch (n->op) {
    case OP_gather: /* from a table that is uniform, at indices of the examples */
        return u->of[n->in[0]] == CG_BATCH_UNIFORM &&
                       !has_batch_axis(u, n->at->gather.offset_dims)
                   ? CG_BATCH_LEADING
                   : CG_BATCH_MIXED;
    default: return CG_BATCH_MIXED;
    }
}

static cg_batch_axis
node_batch_axis(const fitting *u, const ir_node *n)
{
    bool along = false;
    for (int i = 0; i < n->n_in; i++) {
        if (u->of[n->in[i]] == CG_BATCH_MIXED)
            return CG_BATCH_MIXED;
        along |= u->of[n->in[i]] == CG_BATCH_LEADING;
    }
    if (!along)
        return CG_BATCH_UNIFORM;
    switch (ir_ops[n->op].flag) {
    case IR_POINTWISE: return CG_BATCH_LEADING;
    case IR_MOVE:
        if (n->op == OP_concatenate)
            return n->at->axis.axis >= u->batch_rank ? CG_BATCH_LEADING : CG_BATCH_MIXED;
        return view_batch_axis(u, n);
    case IR_REDUCE:
        return ir_reduced_axes(n) & ir_axes_below(u->batch_rank) ? CG_BATCH_MIXED
                                                                 : CG_BATCH_LEADING;
    case IR_CONTRACT:
        return n->op == OP_dot_general ? product_batch_axis(u, n) : CG_BATCH_MIXED;
    default: return index_batch_axis(u, n);
    }
}

static void
find_whole(fitting *u)
{
    for (const ir_node *n = u->f->node + u->f->n_nodes - 1; n > u->f->node; n--) {
        bool folds = ir_ops[n->op].flag == IR_REDUCE || ir_ops[n->op].flag == IR_CONTRACT;
        for (int i = 0; i < n->n_in; i++)
            u->whole[n->in[i]] |=
                u->of[n->in[i]] == CG_BATCH_UNIFORM && (folds || u->whole[n->first]);
    }
}

/* Elements of one example.  A uniform value is counted as one example, unless each example
 * needs all of it. */
static int64_t
size_of(const fitting *u, ir_ref v)
{
    const ir_type *t = ir_type_at(u->f, v);
    return leads(t, u->batch_rank, u->batch_dims) && !u->whole[v] ? t->size / u->examples
                                                                  : t->size;
}

/* Registers have no addresses: reading at a dynamic index selects among all elements, and
 * writing to one updates all of them conditionally. */
static int64_t
choices(const fitting *u, const ir_node *n)
{
    if (n->n_in == 0 || !u->held[n->in[0]])
        return 0;
    switch (n->op) {
    case OP_dynamic_slice:
    case OP_gather: return 2 * size_of(u, n->in[0]) * size_of(u, n->first);
    case OP_dynamic_update_slice: return 2 * size_of(u, n->first);
    default: return 0;
    }
}

/* Each element that an update may write is computed by trying all updates of the step. */
static int64_t
update_work(const fitting *u, const ir_node *n)
{
    const int64_t updates = size_of(u, n->in[ir_ops[n->op].record == IR_AT_scatter ? 2 : 1]);

    return 4 * updates * (updates + 1);
}

static bool
node_fits(fitting *u, const ir_node *n)
{
    if (ir_ops[n->op].flag == IR_FLOW || ir_ops[n->op].flag == IR_LINE ||
        n->op == OP_conv_general)
        return false;
    if (u->stays[n->first]) {
        u->work += update_work(u, n);
        return u->work <= (u->examples ? CG_LOWER_MAX_BATCH_LOOP_WORK : CG_LOWER_MAX_LOOP_WORK);
    }
    int64_t each =
        ir_ops[n->op].flag == IR_MOVE ? 0 : cg_op_cost(u->f, n) * size_of(u, n->first);
    if (ir_ops[n->op].flag == IR_REDUCE || ir_ops[n->op].flag == IR_CONTRACT) {
        int64_t all = ir_type_at(u->f, n->in[0])->size, kept = ir_type_at(u->f, n->first)->size,
                fold = 1;
        if (n->op == OP_dot_general) {
            for (int i = 0; i < n->at->dot.lhs.n; i++)
                fold *= ir_type_at(u->f, n->in[0])->dims[n->at->dot.lhs.at[i]];
            each = 2 * fold * size_of(u, n->first);
        } else {
            fold = kept ? all / kept : 0;
            each = fold * size_of(u, n->first);
        }
        if (fold > u->max_fold)
            return false;
    }
    if (ir_ops[n->op].record ==
        IR_AT_scatter) { /* an element tries all updates, shared or not */
        const int64_t updates = ir_type_at(u->f, n->in[2])->size;
        if (updates > CG_LOWER_MAX_INLINE_UPDATES)
            return false;
        each = updates * size_of(u, n->first) * 4;
    }
    u->work += each + choices(u, n);
    return u->work <= (u->examples ? CG_LOWER_MAX_BATCH_LOOP_WORK : CG_LOWER_MAX_LOOP_WORK);
}

/* Does f compute each example by itself, with little enough work?  Its inputs are uniform,
 * except for the carries, whose class is given. */
static bool
body_fits(cg_register_loop *m, const ir_graph *f, cg_batch_axis *out)
{
    ir_arena *a = m->l->arena;
    const int consts = m->consts, carries = m->carries;
    const cg_batch_axis *carry = m->batch_axis;
    fitting u = { .f = f,
                  .examples = m->examples,
                  .batch_rank = m->batch_rank,
                  .batch_dims = m->batch_dims,
                  .work = m->work,
                  .max_fold = m->spills ? CG_LOWER_MAX_SPILLED_FOLD : CG_LOWER_MAX_LOOP_FOLD,
                  .of = IR_NEW_N(a, cg_batch_axis, f->n_values),
                  .whole = IR_NEW_N(a, bool, f->n_values),
                  .held = IR_NEW_N(a, bool, f->n_values),
                  .stays = IR_NEW_N(a, bool, f->n_values) };
    for (int i = 0; i < carries; i++) {
        u.of[f->in[consts + i]] = carry[i];
        u.held[f->in[consts + i]] = !m->in_memory[i];
        u.stays[f->in[consts + i]] = m->in_memory[i];
    }
    ir_each_node (n, f) {
        cg_batch_axis y = node_batch_axis(&u, n);
        bool held = false;
        for (int i = 0; i < n->n_in; i++)
            held |= u.held[n->in[i]];
        for (int i = 0; i < n->n_out; i++) {
            u.of[n->first + (ir_ref)i] = y;
            u.held[n->first + (ir_ref)i] = held;
        }
        if (ir_is_update(n->op) && u.stays[n->in[0]]) {
            u.stays[n->first] = true;
            u.held[n->first] = false;
        }
        if (y == CG_BATCH_MIXED)
            return false;
    }
    find_whole(&u);
    ir_each_node (n, f)
        if (!node_fits(&u, n))
            return false;
    for (int i = 0; i < f->n_out; i++)
        out[i] = u.of[f->out[i]];
    m->work = u.work;
    return true;
}

static bool
is_integer_constant(const ir_graph *f, ir_ref x, int64_t *value)
{
    const ir_node *n = ir_def(f, x);
    double number;

    if (!n || n->op != OP_constant || !ir_is_int(ir_type_at(f, x)->dtype) ||
        !ir_data_number(&n->at->constant.data, &number) || fabs(number) > EXACT)
        return false;
    *value = (int64_t)number;
    return true;
}

cg_induction
cg_induction_of(const cg_register_loop *m, int i)
{
    const ir_graph *f = ir_loop_of(m->n).body;
    const ir_ref x = f->in[m->consts + i], first = m->n->in[m->consts + i];
    const ir_node *next = ir_def(f, f->out[i]);
    const cot_dtype t = ir_type_at(f, x)->dtype;
    const int bits = ir_bits(t) < 53 ? ir_bits(t) - ir_is_signed(t) : 53;
    cg_induction v = { 0 };
    int64_t length;

    if (!m->counts || ir_type_at(f, x)->rank > 0 || !next || next->op != OP_add ||
        !is_integer_constant(m->v->f, first, &v.start))
        return v;
    length = m->n->at->scan.length;
    if (next->in[0] == x)
        v.is = is_integer_constant(f, next->in[1], &v.by);
    else if (next->in[1] == x)
        v.is = is_integer_constant(f, next->in[0], &v.by);
    /* It wraps around neither in its type nor in the index. */
    const double last = (double)v.start + (double)v.by * (double)length,
                 end = ldexp(1, bits) - 1;
    v.is = v.is && last <= end && last >= (ir_is_signed(t) ? -end : 0);
    return v;
}

/* Does carry i stay in memory?  In a loop over examples none does: the lanes of a step would
 * write elements far apart, and a kernel for each step is no slower. */
static bool
stays_in_memory(const cg_register_loop *m, int i)
{
    const ir_graph *body = ir_loop_of(m->n).body;
    const int64_t updates =
        cg_updated_elements(m->l, body, body->out[i], body->in[m->consts + i]);

    return m->spills && m->examples == 0 && m->count[i] > CG_LOWER_MAX_SELECTED &&
           updates >= 0 && updates <= CG_LOWER_MAX_STEP_UPDATES;
}

/* Does the loop fit if the first `rank` axes of type t are the batch axes? rank 0: there is one
 * example. */
static bool
try_examples(cg_register_loop *m, const ir_type *t, int rank)
{
    const ir_graph *f = m->v->f, *body = ir_loop_of(m->n).body;
    cg_batch_axis test = CG_BATCH_UNIFORM;
    m->batch_rank = rank;
    m->batch_dims = t->dims;
    m->examples = rank ? 1 : 0;
    for (int k = 0; k < rank; k++)
        m->examples *= t->dims[k];
    m->elements = m->work = 0;
    m->widest = 8;
    for (int i = 0; i < m->carries; i++) {
        const ir_type *c = ir_type_at(f, m->n->first + (ir_ref)i);
        m->batch_axis[i] = leads(c, rank, m->batch_dims) ? CG_BATCH_LEADING : CG_BATCH_UNIFORM;
        m->count[i] = m->batch_axis[i] == CG_BATCH_LEADING ? c->size / m->examples : c->size;
        m->in_memory[i] = stays_in_memory(m, i);
        m->induction[i] = cg_induction_of(m, i);
        if (m->in_memory[i] || m->induction[i].is)
            m->count[i] = 0;
        m->elements += m->count[i];
        if (ir_bits(c->dtype) > m->widest &&
            (m->batch_axis[i] == CG_BATCH_LEADING || !m->examples))
            m->widest = ir_bits(c->dtype);
    }
    if (m->elements > CG_LOWER_MAX_STATE || !body_fits(m, body, m->out))
        return false;
    for (int i = 0; i < m->carries; i++)
        if (m->batch_axis[i] == CG_BATCH_UNIFORM && m->out[i] != CG_BATCH_UNIFORM)
            return false;
    for (int i = m->carries; i < m->n->n_out; i++) {
        int64_t size = ir_type_at(body, body->out[i])->size;
        if ((m->out[i] == CG_BATCH_LEADING ? size / m->examples : size) >
            CG_LOWER_MAX_COLLECTED)
            return false;
    }
    if (m->counts)
        return true;
    const ir_graph *cond = m->n->at->loop.cond;
    const ir_type *p = ir_type_at(cond, cond->out[0]);
    if (!body_fits(m, cond, &test))
        return false;
    if (m->examples == 0)
        return p->rank == 0;
    return m->n->at->loop.max == 0 &&
           (p->rank == 0 ? test == CG_BATCH_UNIFORM
                         : p->rank == rank && leads(p, rank, m->batch_dims));
}

/* Does the loop fit with some choice of the batch axes?  A single batch axis is the longest
 * first axis; several are those of the largest carry. */
static bool
fits_somehow(cg_register_loop *m)
{
    const ir_type *longest = NULL, *largest = NULL;
    for (int i = 0; i < m->carries; i++) {
        const ir_type *t = ir_type_at(m->v->f, m->n->first + (ir_ref)i);
        if (t->rank > 0 && (!longest || t->dims[0] > longest->dims[0]))
            longest = t;
        if (t->rank > 1 && (!largest || t->size > largest->size))
            largest = t;
    }
    if (longest && longest->dims[0] >= CG_LOWER_MIN_EXAMPLES && try_examples(m, longest, 1))
        return true;
    for (int rank = 2;
         largest && largest->size >= CG_LOWER_MIN_EXAMPLES && rank <= largest->rank; rank++)
        if (try_examples(m, largest, rank))
            return true;
    return try_examples(m, ir_type_at(m->v->f, m->n->first), 0) ||
           (longest && longest->dims[0] > 1 && try_examples(m, longest, 1));
}

/* A loop without carries does not: its results may have any strides (concat_elision.c). */
bool
cg_register_loop_fits(cg_register_loop *m)
{
    for (int i = 0; i < m->n->n_out; i++)
        if (ir_type_at(m->v->f, m->n->first + (ir_ref)i)->size == 0)
            return false;
    if (m->carries == 0)
        return false;
    m->spills = false;
    if (fits_somehow(m))
        return true;
    m->spills = true;
    return try_examples(m, ir_type_at(m->v->f, m->n->first), 0);
}

cg_register_loop
cg_register_loop_of(cg_lowering *l, cg_level *v, const ir_node *n)
{
    cg_register_loop m = { .l = l, .v = v, .n = n };
    const ir_loop loop = ir_loop_of(n);
    m.consts = loop.consts;
    m.carries = loop.carries;
    m.counts = n->op == OP_scan;
    m.first_xs = m.consts + m.carries;
    m.batch_axis = IR_NEW_N(l->arena, cg_batch_axis, n->n_out + 1);
    m.out = IR_NEW_N(l->arena, cg_batch_axis, n->n_out + 1);
    m.count = IR_NEW_N(l->arena, int64_t, n->n_out + 1);
    m.in_memory = IR_NEW_N(l->arena, bool, n->n_out + 1);
    m.induction = IR_NEW_N(l->arena, cg_induction, n->n_out + 1);
    return m;
}

bool
cg_fits_registers(cg_lowering *l, const ir_graph *f, const ir_node *n)
{
    cg_level v = { .f = f };
    cg_register_loop m = cg_register_loop_of(l, &v, n);
    return cg_register_loop_fits(&m);
}
