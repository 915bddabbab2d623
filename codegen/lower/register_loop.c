/* Register-resident loops: those with a small state.
 *
 * Each element of each carry is a carried scalar of one loop in one kernel, and the body is
 * emitted inline at constant indices: no memory is touched but what comes from outside, and
 * the ys.  If every carry has a leading axis of examples that the body never mixes (which is
 * found by looking), that axis becomes a vector loop around: a thousand small systems are a
 * vector loop of serial loops.  A mapped `while` is a while whose condition varies over
 * lanes. */
#include "codegen/elemental/element.h"
#include "codegen/elemental/strip_mine.h"
#include "codegen/fuse/cost.h"
#include "codegen/lower/level.h"

/* -- what fits into registers -------------------------------------------------------------- */

/* A longer body spills, is slower than kernels in turn, and takes the compiler long; over
 * examples, kernels in turn would be loops of their own. */
enum {
    MAX_REGISTERS = 64,
    MAX_Y = 256,
    MAX_WORK = 250,
    WORK_MOST_EACH = 1000,
    MAX_FOLD = 128,
    MIN_EXAMPLES = 4
};

/* How a value of a body lies along the axis of examples. */
typedef enum lie {
    /* the same for all examples, or outside of the loop: any element may be read */
    FREE,
    ALONG, /* element e of axis 0 belongs to example e */
    ASTRAY /* an example needs what belongs to others */
} lie;

typedef struct fitting {
    const ir_graph *f;
    int64_t examples; /* 0: there is no such axis */
    int64_t work;
    lie *of;
    /* each example wants all of it, for a sum or a product over it */
    bool *whole;
    bool *held; /* made of what the loop holds in registers */
} fitting;

static bool
leads(const fitting *u, const ir_type *t)
{
    return t->rank > 0 && t->dims[0] == u->examples;
}

static lie
view_lie(const fitting *u, const ir_node *n)
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
               u->of[n->in[1]] == FREE;
        break;
    case OP_reshape: /* what follows the first axis is regrouped */ break;
    default: good = false;
    }
    return good ? ALONG : ASTRAY;
}

/* The axis of examples is a batch axis, the first; or a free axis that comes first in the
 * result. */
static lie
product_lie(const fitting *u, const ir_node *n)
{
    bool x = u->of[n->in[0]] == ALONG, y = u->of[n->in[1]] == ALONG;
    ir_ints bx = n->at.dot.lhs_batch, by = n->at.dot.rhs_batch;
    if (bx.n > 0)
        return (!x || bx.at[0] == 0) && (!y || by.at[0] == 0) ? ALONG : ASTRAY;
    if (x && !y)
        return ir_ints_has(n->at.dot.lhs, 0) ? ASTRAY : ALONG;
    bool lhs_free = ir_type_at(u->f, n->in[0])->rank > n->at.dot.lhs.n;
    return x || lhs_free || ir_ints_has(n->at.dot.rhs, 0) ? ASTRAY : ALONG;
}

static lie
index_lie(const fitting *u, const ir_node *n)
{
    switch (n->op) {
    case OP_gather: /* of a table outside, at indices of the examples */
        return u->of[n->in[0]] == FREE && !ir_ints_has(n->at.gather.offset_dims, 0) ? ALONG
                                                                                    : ASTRAY;
    default: return ASTRAY;
    }
}

static lie
node_lie(const fitting *u, const ir_node *n)
{
    bool along = false;
    for (int i = 0; i < n->n_in; i++) {
        if (u->of[n->in[i]] == ASTRAY)
            return ASTRAY;
        along |= u->of[n->in[i]] == ALONG;
    }
    if (!along)
        return FREE;
    switch (ir_ops[n->op].flag) {
    case IR_POINTWISE: return ALONG;
    case IR_MOVE:
        if (n->op == OP_concatenate)
            return n->at.axis.axis != 0 ? ALONG : ASTRAY;
        return view_lie(u, n);
    case IR_REDUCE: return ir_axes_has(ir_reduced_axes(n), 0) ? ASTRAY : ALONG;
    case IR_CONTRACT: return n->op == OP_dot_general ? product_lie(u, n) : ASTRAY;
    default: return index_lie(u, n);
    }
}

static void
find_whole(fitting *u)
{
    for (const ir_node *n = u->f->node + u->f->n_nodes - 1; n > u->f->node; n--) {
        bool folds = ir_ops[n->op].flag == IR_REDUCE || ir_ops[n->op].flag == IR_CONTRACT;
        for (int i = 0; i < n->n_in; i++)
            u->whole[n->in[i]] |= u->of[n->in[i]] == FREE && (folds || u->whole[n->first]);
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
        if (fold > MAX_FOLD)
            return false;
    }
    if (ir_ops[n->op].record == IR_AT_scatter)
        each = size_of(u, n->in[2]) * size_of(u, n->first) * 4;
    u->work += each + choices(u, n);
    return u->work <= (u->examples ? WORK_MOST_EACH : MAX_WORK);
}

/* Does f keep to one example?  First inputs are FREE up to `consts`, then carries lie as given,
 * the rest FREE. */
static bool
body_fits(const ir_graph *f, ir_arena *a, int64_t examples, int consts, int carries,
          const lie *carry, int64_t *work, lie *out)
{
    fitting u = { .f = f,
                  .examples = examples,
                  .work = *work,
                  .of = IR_NEW_N(a, lie, f->n_values),
                  .whole = IR_NEW_N(a, bool, f->n_values),
                  .held = IR_NEW_N(a, bool, f->n_values) };
    for (int i = 0; i < carries; i++) {
        u.of[f->in[consts + i]] = carry[i];
        u.held[f->in[consts + i]] = true;
    }
    ir_each_node (n, f) {
        lie y = node_lie(&u, n);
        bool held = false;
        for (int i = 0; i < n->n_in; i++)
            held |= u.held[n->in[i]];
        for (int i = 0; i < n->n_out; i++) {
            u.of[n->first + (ir_ref)i] = y;
            u.held[n->first + (ir_ref)i] = held;
        }
        if (y == ASTRAY)
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

typedef struct machine { /* a loop in registers */
    cg_lowering *l;
    cg_level *v;
    const ir_node *n;
    cg_frame *fr;
    int consts, carries, first_xs;
    int64_t examples; /* 0: one */
    int64_t begun; /* of them, those that chunks took */
    bool many; /* threads share them               */
    lie *lie; /* of each carry */
    lie *out; /* of each output of the body */
    int64_t *count; /* elements of each carry, of one example */
    uint32_t *buffer; /* of each result */
    /* first values of the carries that all examples share */
    cg_val **shared;
    int64_t work, elements;
    int widest;
} machine;

static bool
try_examples(machine *m, int64_t examples)
{
    const ir_graph *f = m->v->f, *body = ir_loop_of(m->n).body;
    lie test = FREE;
    m->examples = examples;
    m->elements = m->work = 0;
    m->widest = 8;
    for (int i = 0; i < m->carries; i++) {
        const ir_type *t = ir_type_at(f, m->n->first + (ir_ref)i);
        m->lie[i] = examples && t->rank > 0 && t->dims[0] == examples ? ALONG : FREE;
        m->count[i] = m->lie[i] == ALONG ? t->size / examples : t->size;
        m->elements += m->count[i];
        if (ir_bits(t->dtype) > m->widest && (m->lie[i] == ALONG || !examples))
            m->widest = ir_bits(t->dtype);
    }
    if (m->elements > MAX_REGISTERS || !body_fits(body, m->l->arena, examples, m->consts,
                                                  m->carries, m->lie, &m->work, m->out))
        return false;
    for (int i = 0; i < m->carries; i++)
        if (m->lie[i] == FREE && m->out[i] != FREE)
            return false;
    for (int i = m->carries; i < m->n->n_out; i++) {
        int64_t size = ir_type_at(body, body->out[i])->size;
        if ((m->out[i] == ALONG ? size / examples : size) > MAX_Y)
            return false;
    }
    if (m->n->op == OP_scan)
        return true;
    const ir_graph *cond = m->n->at.loop.cond;
    const ir_type *p = ir_type_at(cond, cond->out[0]);
    if (!body_fits(cond, m->l->arena, examples, m->consts, m->carries, m->lie, &m->work, &test))
        return false;
    if (examples == 0)
        return p->rank == 0;
    return m->n->at.loop.max == 0 &&
           (p->rank == 0 ? test == FREE : p->rank == 1 && p->dims[0] == examples);
}

static bool
fits(machine *m)
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
    if (m->carries > 0 && examples >= MIN_EXAMPLES && try_examples(m, examples))
        return true;
    return m->carries > 0 &&
           (try_examples(m, 0) || (examples > 1 && try_examples(m, examples)));
}

/* -- the loop ------------------------------------------------------------------------------ */

/* Element k of an example of a value of type t. */
static void
element_index(machine *m, const ir_type *t, lie lie, cg_ix example, int64_t k, cg_ix *at)
{
    int lead = lie == ALONG && m->examples ? 1 : 0;
    if (lead)
        at[0] = example;
    cg_ix_split(&m->l->ix, cg_ix_const(&m->l->ix, k), t->rank - lead, t->dims + lead,
                at + lead);
}

static cg_frame *
body_frame(machine *m, const ir_graph *f, cg_val *const *state, cg_ix step)
{
    cg_frame *in = cg_frame_new(m->l, f);
    for (int i = 0; i < f->n_in; i++) {
        cg_bind b = { .kind = CG_BIND_OUTER,
                      .frame = m->fr,
                      .ref = m->n->in[i],
                      .prefixed = i >= m->first_xs,
                      .prefix = step };
        if (i >= m->consts && i < m->first_xs)
            b = (cg_bind){ .kind = CG_BIND_STATE,
                           .state = state[i - m->consts],
                           .n_batch = m->lie[i - m->consts] == ALONG && m->examples ? 1 : 0 };
        cg_bind_value(m->l, in, f->in[i], b);
    }
    return in;
}

static void
pull_elements(machine *m, cg_frame *fr, ir_ref v, lie lie, int64_t count, cg_ix example,
              cg_val *x)
{
    const ir_type *t = ir_type_at(fr->f, v);
    for (int64_t k = 0; k < count; k++) {
        cg_ix at[COT_MAX_RANK + 1];
        element_index(m, t, lie, example, k, at);
        x[k] = cg_element(m->l, fr, v, at);
    }
}

static cg_val **
new_state(machine *m)
{
    cg_val **s = IR_NEW_N(m->l->arena, cg_val *, m->carries + 1);
    for (int i = 0; i < m->carries; i++)
        s[i] = IR_NEW_N(m->l->arena, cg_val, m->count[i] + 1);
    return s;
}

/* What all examples have is stored by the first alone, where threads share them: 0 where none
 * do. */
static cg_val
stored_by(machine *m, lie lie, cg_ix example)
{
    cg_lowering *l = m->l;

    return lie != ALONG && m->examples && m->many
               ? cg_insn2(&l->b, SC_eq, COT_I64, cg_ix_value(&l->ix, &l->b, example),
                          cg_i64(&l->b, 0))
               : 0;
}

static void
store_elements(machine *m, int result, const ir_type *t, lie lie, cg_ix example, cg_ix step,
               bool stacked, const cg_val *x)
{
    cg_lowering *l = m->l;
    int64_t count = lie == ALONG && m->examples ? t->size / m->examples : t->size;
    cg_val when = stored_by(m, lie, example);
    for (int64_t k = 0; k < count; k++) {
        cg_ix at[COT_MAX_RANK + 1];
        element_index(m, t, lie, example, k, at);
        cg_ix flat = cg_ix_flat(&l->ix, t->rank, t->dims, at);
        if (stacked)
            flat = cg_ix_add(&l->ix, flat, cg_ix_mul(&l->ix, step, t->size));
        cg_store(&l->b, m->buffer[result], cg_ix_value(&l->ix, &l->b, flat), x[k], when);
    }
}

/* One step: what the carries become, and the ys stored. */
static cg_val **
run_step(machine *m, const ir_graph *f, cg_val *const *state, cg_ix example, cg_ix step)
{
    cg_frame *in = body_frame(m, f, state, step);
    cg_val **next = new_state(m);
    for (int i = 0; i < m->carries; i++)
        pull_elements(m, in, f->out[i], m->lie[i], m->count[i], example, next[i]);
    for (int i = m->carries; i < f->n_out; i++) {
        const ir_type *t = ir_type_at(f, f->out[i]);
        /* what is the same for all may still be stacked for each: its index says so */
        int64_t count = m->out[i] == ALONG && m->examples ? t->size / m->examples : t->size;
        cg_val *y = IR_NEW_N(m->l->arena, cg_val, count + 1);
        pull_elements(m, in, f->out[i], m->out[i], count, example, y);
        store_elements(m, i, t, m->out[i], example, step, true, y);
    }
    return next;
}

/* The loop over the steps of a scan and its scope; which of them it is at in *step. */
static cg_val
steps_begin(machine *m, cg_ix *step, uint32_t *mark)
{
    cg_lowering *l = m->l;
    int64_t length = m->n->at.scan.length;
    cg_val loop =
        cg_loop_begin(&l->b, CG_SERIAL, cg_i64(&l->b, 0), cg_i64(&l->b, length), 1, 0);
    *mark = cg_scope_begin(l);
    *step = cg_ix_var(&l->ix, cg_loop_var(&l->b, loop), 0, length - 1);
    if (m->n->at.scan.reverse)
        *step = cg_ix_addc(&l->ix, cg_ix_mul(&l->ix, *step, -1), length - 1);
    return loop;
}

static void
run_scan(machine *m, cg_ix example, cg_val *const *state)
{
    cg_lowering *l = m->l;
    cg_ix t;
    uint32_t mark;
    cg_val loop = steps_begin(m, &t, &mark);
    cg_val **now = new_state(m);
    for (int i = 0; i < m->carries; i++)
        for (int64_t k = 0; k < m->count[i]; k++)
            now[i][k] = cg_loop_carry(
                &l->b, loop, ir_type_at(m->v->f, m->n->first + (ir_ref)i)->dtype, state[i][k]);
    cg_val **next = run_step(m, m->n->at.scan.body, now, example, t);
    for (int i = 0; i < m->carries; i++)
        for (int64_t k = 0; k < m->count[i]; k++)
            cg_loop_next(&l->b, loop, now[i][k], next[i][k]);
    cg_scope_end(l, mark);
    cg_loop_end(&l->b, loop);
    for (int i = 0, r = 0; i < m->carries; i++)
        for (int64_t k = 0; k < m->count[i]; k++)
            state[i][k] = cg_loop_result(&l->b, loop, r++);
}

static void
run_while(machine *m, cg_ix example, cg_val *const *state)
{
    cg_lowering *l = m->l;
    cg_build *b = &l->b;
    const ir_graph *cond = m->n->at.loop.cond;
    cg_ix at[1] = { example };
    cg_val loop = cg_while_begin(b);
    uint32_t mark = cg_scope_begin(l);
    cg_val **now = new_state(m);
    for (int i = 0; i < m->carries; i++)
        for (int64_t k = 0; k < m->count[i]; k++)
            now[i][k] = cg_while_carry(
                b, loop, ir_type_at(m->v->f, m->n->first + (ir_ref)i)->dtype, state[i][k]);
    cg_val count = m->n->at.loop.max > 0 ? cg_while_carry(b, loop, COT_I64, cg_i64(b, 0)) : 0;
    cg_val go = cg_element(l, body_frame(m, cond, now, 0), cond->out[0], at);
    if (count)
        cg_fail_if(b,
                   cg_insn2(b, SC_and, COT_BOOL, go,
                            cg_insn2(b, SC_le, COT_I64, cg_i64(b, m->n->at.loop.max), count)),
                   COT_ERR_BOUND);
    cg_scope_end(l, mark);
    cg_while_test(b, loop, go);
    cg_val **next = run_step(m, m->n->at.loop.body, now, example, 0);
    for (int i = 0; i < m->carries; i++)
        for (int64_t k = 0; k < m->count[i]; k++)
            cg_while_next(b, loop, now[i][k], next[i][k]);
    if (count)
        cg_while_next(b, loop, count, cg_iadd(b, count, cg_i64(b, 1)));
    cg_scope_end(l, mark);
    cg_while_end(b, loop);
    for (int i = 0, r = 0; i < m->carries; i++)
        for (int64_t k = 0; k < m->count[i]; k++)
            state[i][k] = cg_loop_result(b, loop, r++);
}

static cg_val **
first_state(machine *m, cg_ix example)
{
    cg_val **state = new_state(m);
    for (int i = 0; i < m->carries; i++) {
        if (m->lie[i] == ALONG)
            pull_elements(m, m->fr, m->n->in[m->consts + i], ALONG, m->count[i], example,
                          state[i]);
        else
            memcpy(state[i], m->shared[i], sizeof *state[i] * (size_t)m->count[i]);
    }
    return state;
}

static void
store_state(machine *m, cg_ix example, cg_val *const *state)
{
    for (int i = 0; i < m->carries; i++)
        store_elements(m, i, ir_type_at(m->v->f, m->n->first + (ir_ref)i), m->lie[i], example,
                       0, false, state[i]);
}

/* The rest of the examples, from m->begun on. */
static void
run_example(cg_lowering *l, void *user, cg_ix example)
{
    machine *m = user;
    l->exact = true;
    if (m->begun)
        example = cg_ix_addc(&l->ix, example, m->begun);
    cg_val **state = first_state(m, example);
    if (m->n->op == OP_scan)
        run_scan(m, example, state);
    else
        run_while(m, example, state);
    store_state(m, example, state);
    l->exact = false;
}

/* -- many examples at a time --------------------------------------------------------------- */

/* A step of one vector of examples is a chain in which each operation waits for the one before.
 * So a scan takes CHUNK vectors through each step, their states in an array on the stack
 * between
 * steps: while one waits, the processor is at the next.  Registers could hold two at most. */
enum { CHUNK = 8 };

typedef struct chunk {
    machine *m;
    cg_ix first; /* its first example */
    uint32_t **local; /* of each element of each carry */
    cg_ix step;
} chunk;

static void
keep_state(const chunk *c, cg_ix j, cg_val *const *state)
{
    cg_lowering *l = c->m->l;
    cg_val at = cg_ix_value(&l->ix, &l->b, j);
    for (int i = 0; i < c->m->carries; i++)
        for (int64_t k = 0; k < c->m->count[i]; k++)
            cg_store(&l->b, c->local[i][k], at, state[i][k], 0);
}

static cg_val **
kept_state(const chunk *c, cg_ix j)
{
    cg_lowering *l = c->m->l;
    cg_val **state = new_state(c->m), at = cg_ix_value(&l->ix, &l->b, j);
    for (int i = 0; i < c->m->carries; i++)
        for (int64_t k = 0; k < c->m->count[i]; k++)
            state[i][k] = cg_load(&l->b, c->local[i][k], at, 0);
    return state;
}

static void
chunk_enter(cg_lowering *l, void *user, cg_ix j)
{
    const chunk *c = user;
    keep_state(c, j, first_state(c->m, cg_ix_add(&l->ix, c->first, j)));
}

static void
chunk_step(cg_lowering *l, void *user, cg_ix j)
{
    const chunk *c = user;
    keep_state(c, j,
               run_step(c->m, c->m->n->at.scan.body, kept_state(c, j),
                        cg_ix_add(&l->ix, c->first, j), c->step));
}

static void
chunk_leave(cg_lowering *l, void *user, cg_ix j)
{
    const chunk *c = user;
    store_state(c->m, cg_ix_add(&l->ix, c->first, j), kept_state(c, j));
}

static void
run_chunk(machine *m, cg_ix first, uint32_t **local, int64_t lanes)
{
    cg_lowering *l = m->l;
    chunk c = { .m = m, .first = first, .local = local };
    l->exact = true;
    cg_strip_mine(l, CG_SERIAL, CHUNK * lanes, lanes, false, chunk_enter, &c);
    uint32_t mark;
    cg_val loop = steps_begin(m, &c.step, &mark);
    cg_strip_mine(l, CG_SERIAL, CHUNK * lanes, lanes, false, chunk_step, &c);
    cg_scope_end(l, mark);
    cg_loop_end(&l->b, loop);
    cg_strip_mine(l, CG_SERIAL, CHUNK * lanes, lanes, false, chunk_leave, &c);
    l->exact = false;
}

/* Whole chunks of examples; how many examples that were. */
static int64_t
run_chunks(machine *m, cg_kind kind, int64_t lanes)
{
    cg_lowering *l = m->l;
    const int64_t each = CHUNK * lanes, whole = m->examples / each * each;
    bool along = m->n->op == OP_scan && lanes > 1;
    for (int i = 0; i < m->carries; i++)
        along = along && m->lie[i] == ALONG;
    if (!along || whole == 0)
        return 0;
    uint32_t **local = IR_NEW_N(l->arena, uint32_t *, m->carries + 1);
    for (int i = 0; i < m->carries; i++) {
        local[i] = IR_NEW_N(l->arena, uint32_t, m->count[i] + 1);
        for (int64_t k = 0; k < m->count[i]; k++)
            local[i][k] = cg_local_buffer(
                l, "state", ir_type_at(m->v->f, m->n->first + (ir_ref)i)->dtype, each);
    }
    cg_val loop = cg_loop_begin(&l->b, kind, cg_i64(&l->b, 0), cg_i64(&l->b, whole), each, 0);
    uint32_t mark = cg_scope_begin(l);
    run_chunk(m, cg_ix_var(&l->ix, cg_loop_var(&l->b, loop), 0, whole - each), local, lanes);
    cg_scope_end(l, mark);
    cg_loop_end(&l->b, loop);
    return whole;
}

/* Would an example find a carry that all share already stepped on by another?  So it is where
 * the shared carry's result takes the place of an operand. */
static bool
shared_in_place(const machine *m, const cg_place *to)
{
    for (int i = 0; m->examples && i < m->carries; i++)
        for (int k = 0; m->lie[i] == FREE && k < m->n->n_in; k++)
            if (cg_may_share(m->l, m->v->place[m->n->in[k]], to[i]))
                return true;
    return false;
}

static machine
machine_of(cg_lowering *l, cg_level *v, const ir_node *n)
{
    machine m = { .l = l, .v = v, .n = n };
    const ir_loop loop = ir_loop_of(n);
    m.consts = loop.consts;
    m.carries = loop.carries;
    m.first_xs = m.consts + m.carries;
    m.lie = IR_NEW_N(l->arena, lie, n->n_out + 1);
    m.out = IR_NEW_N(l->arena, lie, n->n_out + 1);
    m.count = IR_NEW_N(l->arena, int64_t, n->n_out + 1);
    return m;
}

bool
cg_fits_registers(cg_lowering *l, const ir_graph *f, const ir_node *n)
{
    cg_level v = { .f = f };
    machine m = machine_of(l, &v, n);
    return fits(&m);
}

bool
cg_plan_register_loop(cg_lowering *l, cg_level *v, const cg_group *g, const cg_place *to)
{
    const ir_node *n = g->node;
    const cg_group none = { 0 };
    machine m = machine_of(l, v, n);
    if (!fits(&m) || shared_in_place(&m, to))
        return false;
    cg_kernel_begin(l, ir_ops[n->op].name);
    l->k->loc = n->loc;
    l->k->note = "a loop in registers";
    m.fr = cg_level_frame(l, v, &none);
    m.buffer = IR_NEW_N(l->arena, uint32_t, n->n_out + 1);
    bool over = false;
    for (int i = 0; i < n->n_out; i++) {
        m.buffer[i] =
            cg_place_buffer(l, &to[i], ir_type_at(v->f, n->first + (ir_ref)i), "y", true);
        for (int k = 0; k < n->n_in; k++)
            over |= cg_may_share(l, v->place[n->in[k]], to[i]);
    }
    int64_t lanes = cg_lanes(l, m.widest), steps = n->op == OP_scan ? n->at.scan.length : 16;
    bool many = m.examples > 1 && cg_is_shared(l, m.work * steps * m.examples);
    ir_buf_printf(l->why,
                  "%s: loop in registers, %lld elements of state, %lld examples, %lld lanes, "
                  "cost %lld%s\n",
                  l->k->name, (long long)m.elements, (long long)m.examples, (long long)lanes,
                  (long long)m.work, many ? ", parallel" : "");
    l->k->flops = m.work * steps * (m.examples ? m.examples : 1);
    /* before any example: a result may lie where its first value was */
    m.shared = new_state(&m);
    l->exact = true;
    for (int i = 0; i < m.carries; i++)
        if (m.lie[i] == FREE)
            pull_elements(&m, m.fr, n->in[m.consts + i], FREE, m.count[i], 0, m.shared[i]);
    l->exact = false;
    m.many = many;
    cg_kind kind = many ? CG_PARALLEL : CG_SERIAL;
    m.begun = run_chunks(&m, kind, lanes);
    if (lanes > 1 && m.elements <= 12)
        lanes *= 2;
    if (m.examples)
        cg_strip_mine(l, kind, m.examples - m.begun, lanes, !over, run_example, &m);
    else
        run_example(l, &m, 0);
    cg_kernel_call(l);
    return true;
}
