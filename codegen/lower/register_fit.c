/* Which loops run in registers: those with a small state and a short body.
 *
 * Each value of the body is classified by the batch axis, that of independent examples: it is
 * uniform, has the axis first, or mixes examples, which refuses the loop over examples. */
#include "codegen/fuse/cost.h"
#include "codegen/lower/register_loop.h"
#include "codegen/tuning.h"

typedef struct fitting {
    const ir_graph *f;
    int64_t examples; /* 0: there is no such axis */
    int64_t work;
    cg_batch_axis *of;
    /* each example wants all of it, for a sum or a product over it */
    bool *whole;
    bool *held; /* made of what the loop holds in registers */
} fitting;

static bool
leads(const fitting *u, const ir_type *t)
{
    return t->rank > 0 && t->dims[0] == u->examples;
}

static cg_batch_axis
view_batch_axis(const fitting *u, const ir_node *n)
{
    const ir_type *x = ir_type_at(u->f, n->in[0]), *y = ir_type_at(u->f, n->first);
    bool good = leads(u, x) && leads(u, y);
    switch (n->op) {
    case OP_broadcast_in_dim: good = good && n->at.broadcast.dims.at[0] == 0; break;
    case OP_transpose: good = good && n->at.perm.perm.at[0] == 0; break;
    case OP_slice:
        good = good && n->at.slice.start.at[0] == 0 && n->at.slice.stride.at[0] == 1;
        break;
    case OP_reverse: good = good && !ir_axes_has(n->at.axes.axes, 0); break;
    case OP_windows: good = good && n->at.windows.axis != 0; break;
    case OP_pad:
        good = good && n->at.pad.low.at[0] == 0 && n->at.pad.interior.at[0] == 0 &&
               u->of[n->in[1]] == CG_BATCH_UNIFORM;
        break;
    case OP_reshape: /* what follows the first axis is regrouped */ break;
    default: good = false;
    }
    return good ? CG_BATCH_LEADING : CG_BATCH_MIXED;
}

/* The axis of examples is a batch axis, the first; or a free axis that comes first in the
 * result. */
static cg_batch_axis
product_batch_axis(const fitting *u, const ir_node *n)
{
    bool x = u->of[n->in[0]] == CG_BATCH_LEADING, y = u->of[n->in[1]] == CG_BATCH_LEADING;
    ir_ints bx = n->at.dot.lhs_batch, by = n->at.dot.rhs_batch;
    if (bx.n > 0)
        return (!x || bx.at[0] == 0) && (!y || by.at[0] == 0) ? CG_BATCH_LEADING
                                                              : CG_BATCH_MIXED;
    if (x && !y)
        return ir_ints_has(n->at.dot.lhs, 0) ? CG_BATCH_MIXED : CG_BATCH_LEADING;
    bool lhs_free = ir_type_at(u->f, n->in[0])->rank > n->at.dot.lhs.n;
    return x || lhs_free || ir_ints_has(n->at.dot.rhs, 0) ? CG_BATCH_MIXED : CG_BATCH_LEADING;
}

static cg_batch_axis
index_batch_axis(const fitting *u, const ir_node *n)
{
    switch (n->op) {
    case OP_gather: /* of a table outside, at indices of the examples */
        return u->of[n->in[0]] == CG_BATCH_UNIFORM && !ir_ints_has(n->at.gather.offset_dims, 0)
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
            return n->at.axis.axis != 0 ? CG_BATCH_LEADING : CG_BATCH_MIXED;
        return view_batch_axis(u, n);
    case IR_REDUCE:
        return ir_axes_has(ir_reduced_axes(n), 0) ? CG_BATCH_MIXED : CG_BATCH_LEADING;
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

/* Elements of one example; what is the same for all is computed where it is wanted. */
static int64_t
size_of(const fitting *u, ir_ref v)
{
    const ir_type *t = ir_type_at(u->f, v);
    return u->examples && leads(u, t) && !u->whole[v] ? t->size / u->examples : t->size;
}

/* Registers have no addresses: an element at a place that only the program knows is chosen from
 * all of them, and one that goes to such a place is offered to all. */
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

static bool
node_fits(fitting *u, const ir_node *n)
{
    if (ir_ops[n->op].flag == IR_FLOW || ir_ops[n->op].flag == IR_LINE ||
        n->op == OP_conv_general)
        return false;
    int64_t each =
        ir_ops[n->op].flag == IR_MOVE ? 0 : cg_op_cost(u->f, n) * size_of(u, n->first);
    if (ir_ops[n->op].flag == IR_REDUCE || ir_ops[n->op].flag == IR_CONTRACT) {
        int64_t all = ir_type_at(u->f, n->in[0])->size, kept = ir_type_at(u->f, n->first)->size,
                fold = 1;
        if (n->op == OP_dot_general) {
            for (int i = 0; i < n->at.dot.lhs.n; i++)
                fold *= ir_type_at(u->f, n->in[0])->dims[n->at.dot.lhs.at[i]];
            each = 2 * fold * size_of(u, n->first);
        } else {
            fold = kept ? all / kept : 0;
            each = fold * size_of(u, n->first);
        }
        if (fold > CG_LOWER_MAX_LOOP_FOLD)
            return false;
    }
    if (ir_ops[n->op].record == IR_AT_scatter)
        each = size_of(u, n->in[2]) * size_of(u, n->first) * 4;
    u->work += each + choices(u, n);
    return u->work <= (u->examples ? CG_LOWER_MAX_BATCH_LOOP_WORK : CG_LOWER_MAX_LOOP_WORK);
}

/* Does f keep to one example?  First inputs are BATCH_UNIFORM up to `consts`, then carries
 * are as given, the rest BATCH_UNIFORM. */
static bool
body_fits(const ir_graph *f, ir_arena *a, int64_t examples, int consts, int carries,
          const cg_batch_axis *carry, int64_t *work, cg_batch_axis *out)
{
    fitting u = { .f = f,
                  .examples = examples,
                  .work = *work,
                  .of = IR_NEW_N(a, cg_batch_axis, f->n_values),
                  .whole = IR_NEW_N(a, bool, f->n_values),
                  .held = IR_NEW_N(a, bool, f->n_values) };
    for (int i = 0; i < carries; i++) {
        u.of[f->in[consts + i]] = carry[i];
        u.held[f->in[consts + i]] = true;
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
        if (y == CG_BATCH_MIXED)
            return false;
    }
    find_whole(&u);
    ir_each_node (n, f)
        if (!node_fits(&u, n))
            return false;
    for (int i = 0; i < f->n_out; i++)
        out[i] = u.of[f->out[i]];
    *work = u.work;
    return true;
}

static bool
try_examples(cg_register_loop *m, int64_t examples)
{
    const ir_graph *f = m->v->f, *body = ir_loop_of(m->n).body;
    cg_batch_axis test = CG_BATCH_UNIFORM;
    m->examples = examples;
    m->elements = m->work = 0;
    m->widest = 8;
    for (int i = 0; i < m->carries; i++) {
        const ir_type *t = ir_type_at(f, m->n->first + (ir_ref)i);
        m->batch_axis[i] = examples && t->rank > 0 && t->dims[0] == examples ? CG_BATCH_LEADING
                                                                             : CG_BATCH_UNIFORM;
        m->count[i] = m->batch_axis[i] == CG_BATCH_LEADING ? t->size / examples : t->size;
        m->elements += m->count[i];
        if (ir_bits(t->dtype) > m->widest &&
            (m->batch_axis[i] == CG_BATCH_LEADING || !examples))
            m->widest = ir_bits(t->dtype);
    }
    if (m->elements > CG_LOWER_MAX_STATE ||
        !body_fits(body, m->l->arena, examples, m->consts, m->carries, m->batch_axis, &m->work,
                   m->out))
        return false;
    for (int i = 0; i < m->carries; i++)
        if (m->batch_axis[i] == CG_BATCH_UNIFORM && m->out[i] != CG_BATCH_UNIFORM)
            return false;
    for (int i = m->carries; i < m->n->n_out; i++) {
        int64_t size = ir_type_at(body, body->out[i])->size;
        if ((m->out[i] == CG_BATCH_LEADING ? size / examples : size) > CG_LOWER_MAX_STACKED)
            return false;
    }
    if (m->n->op == OP_scan)
        return true;
    const ir_graph *cond = m->n->at.loop.cond;
    const ir_type *p = ir_type_at(cond, cond->out[0]);
    if (!body_fits(cond, m->l->arena, examples, m->consts, m->carries, m->batch_axis, &m->work,
                   &test))
        return false;
    if (examples == 0)
        return p->rank == 0;
    return m->n->at.loop.max == 0 &&
           (p->rank == 0 ? test == CG_BATCH_UNIFORM : p->rank == 1 && p->dims[0] == examples);
}

bool
cg_register_loop_fits(cg_register_loop *m)
{
    int64_t examples = 0;
    for (int i = 0; i < m->carries; i++) {
        const ir_type *t = ir_type_at(m->v->f, m->n->first + (ir_ref)i);
        if (t->size == 0)
            return false;
        if (t->rank > 0 && t->dims[0] > examples)
            examples = t->dims[0];
    }
    for (int i = 0; i < m->n->n_out; i++)
        if (ir_type_at(m->v->f, m->n->first + (ir_ref)i)->size == 0)
            return false;
    if (m->carries > 0 && examples >= CG_LOWER_MIN_EXAMPLES && try_examples(m, examples))
        return true;
    return m->carries > 0 &&
           (try_examples(m, 0) || (examples > 1 && try_examples(m, examples)));
}

cg_register_loop
cg_register_loop_of(cg_lowering *l, cg_level *v, const ir_node *n)
{
    cg_register_loop m = { .l = l, .v = v, .n = n };
    const ir_loop loop = ir_loop_of(n);
    m.consts = loop.consts;
    m.carries = loop.carries;
    m.first_xs = m.consts + m.carries;
    m.batch_axis = IR_NEW_N(l->arena, cg_batch_axis, n->n_out + 1);
    m.out = IR_NEW_N(l->arena, cg_batch_axis, n->n_out + 1);
    m.count = IR_NEW_N(l->arena, int64_t, n->n_out + 1);
    return m;
}

bool
cg_fits_registers(cg_lowering *l, const ir_graph *f, const ir_node *n)
{
    cg_level v = { .f = f };
    cg_register_loop m = cg_register_loop_of(l, &v, n);
    return cg_register_loop_fits(&m);
}
