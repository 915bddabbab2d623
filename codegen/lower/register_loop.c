/* Register-resident loops: loops with a small state.
 *
 * Each element of each carry is a carried scalar of one loop in one kernel, and the body is
 * emitted inline at constant indices.  The only memory accesses are to operands from outside,
 * to the ys, and to large carries of which a step writes few elements (register_memory.c).  If
 * carries have leading axes of examples that the body never mixes (register_fit.c), these axes
 * become enclosing loops, the inner one of which is vectorised: a thousand small systems are a
 * vector loop of serial loops.  A mapped `while` is a while whose condition varies over
 * lanes. */
#include "codegen/elemental/element.h"
#include "codegen/elemental/strip_mine.h"
#include "codegen/lower/register_loop.h"
#include "codegen/lower/subgraph.h"
#include "codegen/tuning.h"

/* The index of an example along the batch axes; `example` counts within the inner loop. */
static void
example_index(cg_register_loop *m, cg_ix example, cg_ix *at)
{
    cg_ix_split(&m->l->ix, m->outer, m->split, m->batch_dims, at);
    cg_ix_split(&m->l->ix, example, m->batch_rank - m->split, m->batch_dims + m->split,
                at + m->split);
}

/* How many axes of a value are batch axes. */
static int
batch_rank(const cg_register_loop *m, cg_batch_axis batch_axis)
{
    return batch_axis == CG_BATCH_LEADING && m->examples ? m->batch_rank : 0;
}

/* The index of element k of an example of a value of type t. */
static void
element_index(cg_register_loop *m, const ir_type *t, cg_batch_axis batch_axis, cg_ix example,
              int64_t k, cg_ix *at)
{
    int lead = batch_rank(m, batch_axis);
    if (lead)
        example_index(m, example, at);
    cg_ix_split(&m->l->ix, cg_ix_const(&m->l->ix, k), t->rank - lead, t->dims + lead,
                at + lead);
}

/* Carry i, an induction variable, in the current iteration. */
static cg_val *
induction_value(cg_register_loop *m, int i)
{
    cg_lowering *l = m->l;
    const cg_induction *v = &m->induction[i];
    const cg_ix at = cg_ix_addc(&l->ix, cg_ix_mul(&l->ix, m->iteration, v->by), v->start);
    cg_val *x = IR_NEW(l->arena, cg_val);

    *x = cg_convert(l, cg_ix_value(&l->ix, &l->b, at), COT_I64,
                    ir_type_at(m->v->f, m->n->first + (ir_ref)i)->dtype);
    return x;
}

static cg_frame *
body_frame(cg_register_loop *m, const ir_graph *f, cg_val *const *state, cg_ix step)
{
    cg_frame *in = cg_frame_new(m->l, f);
    for (int i = 0; i < f->n_in; i++) {
        cg_bind b = { .kind = CG_BIND_OUTER,
                      .frame = m->fr,
                      .ref = m->n->in[i],
                      .prefixed = i >= m->first_xs,
                      .prefix = step };
        const bool carried = i >= m->consts && i < m->first_xs;
        if (carried && m->in_memory[i - m->consts])
            b = (cg_bind){ .kind = CG_BIND_BUFFER, .buffer = m->buffer[i - m->consts] };
        else if (carried && m->induction[i - m->consts].is)
            b = (cg_bind){ .kind = CG_BIND_REGISTERS,
                           .registers = induction_value(m, i - m->consts) };
        else if (carried)
            b = (cg_bind){ .kind = CG_BIND_REGISTERS,
                           .registers = state[i - m->consts],
                           .n_batch = batch_rank(m, m->batch_axis[i - m->consts]) };
        cg_bind_value(m->l, in, f->in[i], b);
    }
    return in;
}

static void
emit_elements(cg_register_loop *m, cg_frame *fr, ir_ref v, cg_batch_axis batch_axis,
              int64_t count, cg_ix example, cg_val *x)
{
    const ir_type *t = ir_type_at(fr->f, v);
    for (int64_t k = 0; k < count; k++) {
        cg_ix at[COT_MAX_RANK + 1];
        element_index(m, t, batch_axis, example, k, at);
        x[k] = cg_element(m->l, fr, v, at);
    }
}

static cg_val **
new_state(cg_register_loop *m)
{
    cg_val **s = IR_NEW_N(m->l->arena, cg_val *, m->carries + 1);
    for (int i = 0; i < m->carries; i++)
        s[i] = IR_NEW_N(m->l->arena, cg_val, m->count[i] + 1);
    return s;
}

/* The condition under which an example stores a value.  A uniform value is stored by the first
 * example alone if threads share the examples; 0: always. */
static cg_val
stored_by(cg_register_loop *m, cg_batch_axis batch_axis, cg_ix example)
{
    cg_lowering *l = m->l;

    if (batch_axis == CG_BATCH_LEADING || !m->examples || !m->many)
        return 0;
    const cg_ix first = cg_ix_add(&l->ix, cg_ix_mul(&l->ix, m->outer, m->inner), example);
    return cg_insn2(&l->b, SC_eq, COT_I64, cg_ix_value(&l->ix, &l->b, first), cg_i64(&l->b, 0));
}

static void
store_elements(cg_register_loop *m, int result, const ir_type *t, cg_batch_axis batch_axis,
               cg_ix example, cg_ix step, bool collected, const cg_val *x)
{
    cg_lowering *l = m->l;
    int64_t count =
        batch_axis == CG_BATCH_LEADING && m->examples ? t->size / m->examples : t->size;
    cg_val when = stored_by(m, batch_axis, example);
    for (int64_t k = 0; k < count; k++) {
        cg_ix at[COT_MAX_RANK + 1];
        element_index(m, t, batch_axis, example, k, at);
        cg_ix flat = cg_ix_flat(&l->ix, t->rank, t->dims, at);
        if (collected)
            flat = cg_ix_add(&l->ix, flat, cg_ix_mul(&l->ix, step, t->size));
        cg_store(&l->b, m->buffer[result], cg_ix_value(&l->ix, &l->b, flat), x[k], when);
    }
}

/* One step: emit the new values of the carries, and store the ys. */
static cg_val **
run_step(cg_register_loop *m, const ir_graph *f, cg_val *const *state, cg_ix example,
         cg_ix step)
{
    cg_frame *in = body_frame(m, f, state, step);
    cg_val **next = new_state(m);
    cg_late_stores late = { 0 };
    for (int i = 0; i < m->carries; i++)
        emit_elements(m, in, f->out[i], m->batch_axis[i], m->count[i], example, next[i]);
    for (int i = 0; i < m->carries; i++)
        if (m->in_memory[i])
            cg_emit_updates(m, in, i, &late);
    for (int i = m->carries; i < f->n_out; i++) {
        const ir_type *t = ir_type_at(f, f->out[i]);
        /* a uniform output is emitted whole, even if it has an element for each example */
        int64_t count =
            m->out[i] == CG_BATCH_LEADING && m->examples ? t->size / m->examples : t->size;
        cg_val *y = IR_NEW_N(m->l->arena, cg_val, count + 1);
        emit_elements(m, in, f->out[i], m->out[i], count, example, y);
        store_elements(m, i, t, m->out[i], example, step, true, y);
    }
    cg_emit_late_stores(m->l, &late);
    return next;
}

/* Begin the loop over the steps of a scan; *step is the index of the step. */
static cg_val
steps_begin(cg_register_loop *m, cg_ix *step)
{
    cg_lowering *l = m->l;
    int64_t length = m->n->at->scan.length;
    cg_val loop = cg_loop_of(&l->b, CG_SERIAL, length);
    *step = m->iteration = cg_ix_var(&l->ix, cg_loop_var(&l->b, loop), 0, length - 1);
    if (m->n->at->scan.reverse)
        *step = cg_ix_addc(&l->ix, cg_ix_mul(&l->ix, *step, -1), length - 1);
    return loop;
}

static void
run_scan(cg_register_loop *m, cg_ix example, cg_val *const *state)
{
    cg_lowering *l = m->l;
    cg_ix t;
    cg_val loop = steps_begin(m, &t);
    cg_val **now = new_state(m);
    for (int i = 0; i < m->carries; i++)
        for (int64_t k = 0; k < m->count[i]; k++)
            now[i][k] = cg_loop_carry(
                &l->b, loop, ir_type_at(m->v->f, m->n->first + (ir_ref)i)->dtype, state[i][k]);
    cg_val **next = run_step(m, m->n->at->scan.body, now, example, t);
    for (int i = 0; i < m->carries; i++)
        for (int64_t k = 0; k < m->count[i]; k++)
            cg_loop_next(&l->b, loop, now[i][k], next[i][k]);
    if (m->spills)
        cg_replace_loads(&l->b, loop);
    cg_loop_end(&l->b, loop);
    for (int i = 0, r = 0; i < m->carries; i++)
        for (int64_t k = 0; k < m->count[i]; k++)
            state[i][k] = cg_loop_result(&l->b, loop, r++);
}

static void
run_while(cg_register_loop *m, cg_ix example, cg_val *const *state)
{
    cg_lowering *l = m->l;
    cg_build *b = &l->b;
    const ir_graph *cond = m->n->at->loop.cond;
    cg_ix at[COT_MAX_RANK + 1];
    if (m->examples)
        example_index(m, example, at);
    cg_val loop = cg_while_begin(b);
    cg_val **now = new_state(m);
    for (int i = 0; i < m->carries; i++)
        for (int64_t k = 0; k < m->count[i]; k++)
            now[i][k] = cg_while_carry(
                b, loop, ir_type_at(m->v->f, m->n->first + (ir_ref)i)->dtype, state[i][k]);
    cg_val count = m->n->at->loop.max > 0 ? cg_while_carry(b, loop, COT_I64, cg_i64(b, 0)) : 0;
    cg_val go = cg_element(l, body_frame(m, cond, now, 0), cond->out[0], at);
    if (count)
        cg_fail_if(b,
                   cg_insn2(b, SC_and, COT_BOOL, go,
                            cg_insn2(b, SC_le, COT_I64, cg_i64(b, m->n->at->loop.max), count)),
                   COT_ERR_BOUND);
    cg_while_test(b, loop, go);
    cg_val **next = run_step(m, m->n->at->loop.body, now, example, 0);
    for (int i = 0; i < m->carries; i++)
        for (int64_t k = 0; k < m->count[i]; k++)
            cg_while_next(b, loop, now[i][k], next[i][k]);
    if (count)
        cg_while_next(b, loop, count, cg_iadd(b, count, cg_i64(b, 1)));
    cg_while_end(b, loop);
    for (int i = 0, r = 0; i < m->carries; i++)
        for (int64_t k = 0; k < m->count[i]; k++)
            state[i][k] = cg_loop_result(b, loop, r++);
}

static cg_val **
first_state(cg_register_loop *m, cg_ix example)
{
    cg_val **state = new_state(m);
    for (int i = 0; i < m->carries; i++) {
        if (m->batch_axis[i] == CG_BATCH_LEADING)
            emit_elements(m, m->fr, m->n->in[m->consts + i], CG_BATCH_LEADING, m->count[i],
                          example, state[i]);
        else
            memcpy(state[i], m->shared[i], sizeof *state[i] * (size_t)m->count[i]);
    }
    return state;
}

static void
store_state(cg_register_loop *m, cg_ix example, cg_val *const *state)
{
    for (int i = 0; i < m->carries; i++) {
        if (m->in_memory[i])
            continue;
        if (m->induction[i].is)
            m->iteration = cg_ix_const(&m->l->ix, m->n->at->scan.length);
        store_elements(m, i, ir_type_at(m->v->f, m->n->first + (ir_ref)i), m->batch_axis[i],
                       example, 0, false,
                       m->induction[i].is ? induction_value(m, i) : state[i]);
    }
}

/* One example of the inner loop, after those that chunks have computed. */
static void
run_example(cg_lowering *l, void *user, cg_ix example)
{
    cg_register_loop *m = user;
    l->exact = true;
    if (m->in_chunks)
        example = cg_ix_addc(&l->ix, example, m->in_chunks);
    cg_val **state = first_state(m, example);
    if (m->counts)
        run_scan(m, example, state);
    else
        run_while(m, example, state);
    store_state(m, example, state);
    l->exact = false;
}

/* A step of one vector of examples is a dependence chain.  A scan therefore runs
 * CG_LOWER_LOOP_CHUNK vectors through each step, so that their chains overlap, and then what is
 * left, if it is more than a pair.  Registers would hold the states of two at most, so between
 * steps states are in arrays on the stack. */
typedef struct chunk {
    cg_register_loop *m;
    cg_ix first; /* its first example */
    uint32_t **local; /* buffer of each element of each carry */
    cg_ix step;
} chunk;

static void
save_state(const chunk *c, cg_ix j, cg_val *const *state)
{
    cg_lowering *l = c->m->l;
    cg_val at = cg_ix_value(&l->ix, &l->b, j);
    for (int i = 0; i < c->m->carries; i++)
        for (int64_t k = 0; k < c->m->count[i]; k++)
            cg_store(&l->b, c->local[i][k], at, state[i][k], 0);
}

static cg_val **
load_state(const chunk *c, cg_ix j)
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
    save_state(c, j, first_state(c->m, cg_ix_add(&l->ix, c->first, j)));
}

static void
chunk_step(cg_lowering *l, void *user, cg_ix j)
{
    const chunk *c = user;
    save_state(c, j,
               run_step(c->m, c->m->n->at->scan.body, load_state(c, j),
                        cg_ix_add(&l->ix, c->first, j), c->step));
}

static void
chunk_leave(cg_lowering *l, void *user, cg_ix j)
{
    const chunk *c = user;
    store_state(c->m, cg_ix_add(&l->ix, c->first, j), load_state(c, j));
}

static void
run_chunk(cg_register_loop *m, cg_ix first, int64_t each, uint32_t **local, int64_t lanes)
{
    cg_lowering *l = m->l;
    chunk c = { .m = m, .first = first, .local = local };
    l->exact = true;
    cg_strip_mine(l, CG_SERIAL, each, lanes, false, chunk_enter, &c);
    cg_val loop = steps_begin(m, &c.step);
    cg_strip_mine(l, CG_SERIAL, each, lanes, false, chunk_step, &c);
    cg_loop_end(&l->b, loop);
    cg_strip_mine(l, CG_SERIAL, each, lanes, false, chunk_leave, &c);
    l->exact = false;
}

/* The memory of a chunk's states, by carry and its element. */
static uint32_t **
chunk_state(cg_register_loop *m, int64_t each)
{
    cg_lowering *l = m->l;
    uint32_t **local = IR_NEW_N(l->arena, uint32_t *, m->carries + 1);

    for (int i = 0; i < m->carries; i++) {
        local[i] = IR_NEW_N(l->arena, uint32_t, m->count[i] + 1);
        for (int64_t k = 0; k < m->count[i]; k++)
            local[i][k] = cg_local_buffer(
                l, "state", ir_type_at(m->v->f, m->n->first + (ir_ref)i)->dtype, each);
    }
    return local;
}

/* Run whole chunks of the examples behind the first `done`; returns how many they contain. */
static int64_t
run_chunks(cg_register_loop *m, cg_kind kind, int64_t done, int64_t each, int64_t lanes)
{
    cg_lowering *l = m->l;
    const int64_t whole = (m->inner - done) / each * each;
    bool along = m->counts && lanes > 1;

    for (int i = 0; i < m->carries; i++)
        along = along && (m->batch_axis[i] == CG_BATCH_LEADING || m->induction[i].is);
    if (!along || whole == 0)
        return 0;
    uint32_t **local = chunk_state(m, each);
    cg_val loop = cg_loop_begin(&l->b, kind, cg_i64(&l->b, 0), cg_i64(&l->b, whole), each, 0);
    const cg_ix first = cg_ix_var(&l->ix, cg_loop_var(&l->b, loop), 0, whole - each);
    run_chunk(m, cg_ix_add(&l->ix, first, cg_ix_const(&l->ix, done)), each, local, lanes);
    cg_loop_end(&l->b, loop);
    return whole;
}

/* Choose the batch axes that lanes run along: the last ones, as many as fill several vectors.
 * Threads share the outermost loop only; if it would be too short, or on a GPU, all batch axes
 * become one loop. */
static void
choose_inner(cg_register_loop *m, int64_t lanes)
{
    const cg_lowering *l = m->l;

    m->split = m->batch_rank;
    m->inner = 1;
    while (m->split > 0 && m->inner < CG_LOWER_LOOP_CHUNK * lanes)
        m->inner *= m->batch_dims[--m->split];
    if (l->target.grid ||
        (m->many && m->examples / m->inner < CG_LOWER_SHARES_OF_THREAD * l->o->threads)) {
        m->split = 0;
        m->inner = m->examples;
    }
}

/* Run the examples of the inner loop. over: results may have the memory of operands. */
static void
run_inner(cg_register_loop *m, cg_kind kind, int64_t lanes, bool over)
{
    const int64_t each = CG_LOWER_LOOP_CHUNK * lanes;

    m->in_chunks = run_chunks(m, kind, 0, each, lanes);
    const int64_t vectors = (m->inner - m->in_chunks) / lanes;
    if (!cg_is_open(m->l, m->inner) && vectors > 2)
        m->in_chunks += run_chunks(m, kind, m->in_chunks, vectors * lanes, lanes);
    if (lanes > 1 && m->elements <= CG_LOWER_MAX_PAIRED_STATE)
        lanes *= 2;
    if (cg_is_open(m->l, m->inner))
        cg_strip_mine_open(m->l, kind, m->inner - m->in_chunks, lanes, run_example, m);
    else
        cg_strip_mine(m->l, kind, m->inner - m->in_chunks, lanes, !over, run_example, m);
}

static void
run_examples(cg_register_loop *m, int64_t lanes, bool over)
{
    cg_lowering *l = m->l;
    const cg_kind kind = m->many ? CG_PARALLEL : CG_SERIAL;

    if (m->examples == 0) {
        run_example(l, m, 0);
        return;
    }
    choose_inner(m, lanes);
    const int64_t outer = m->examples / m->inner;
    if (outer == 1) {
        run_inner(m, kind, lanes, over);
        return;
    }
    cg_val loop = cg_loop_of(&l->b, kind, outer);
    m->outer = cg_ix_var(&l->ix, cg_loop_var(&l->b, loop), 0, outer - 1);
    run_inner(m, CG_SERIAL, lanes, over);
    cg_loop_end(&l->b, loop);
}

/* Would an example read the first value of a shared carry after another example has overwritten
 * it?  It could if the result of the carry has the memory of an operand. */
static bool
shared_in_place(const cg_register_loop *m, const cg_place *to)
{
    for (int i = 0; m->examples && i < m->carries; i++)
        for (int k = 0; m->batch_axis[i] == CG_BATCH_UNIFORM && k < m->n->n_in; k++)
            if (cg_may_share(m->l, m->v->place[m->n->in[k]], to[i]))
                return true;
    return false;
}

/* May the carries that stay in memory be changed there, step by step?  No other operand may be
 * read from that memory, and an example of an enclosing branch that is not active may not be
 * changed. */
static bool
may_change_in_place(const cg_register_loop *m, const cg_place *to)
{
    for (int i = 0; i < m->carries; i++) {
        if (!m->in_memory[i])
            continue;
        if (m->v->mask[m->n->first + (ir_ref)i])
            return false;
        for (int k = 0; k < m->n->n_in; k++)
            if (k != m->consts + i && cg_may_share(m->l, m->v->place[m->n->in[k]], to[i]))
                return false;
    }
    return true;
}

/* The first values of the carries that stay in memory. */
static void
start_in_memory(const cg_register_loop *m, const cg_place *to)
{
    for (int i = 0; i < m->carries; i++) {
        const ir_ref x = m->n->in[m->consts + i];
        if (m->in_memory[i] && !cg_same_place(m->v->place[x], to[i]))
            cg_plan_copy(m->l, to[i], m->v->place[x], ir_type_at(m->v->f, x));
    }
}

bool
cg_plan_register_loop(cg_lowering *l, cg_level *v, const cg_group *g, const cg_place *to)
{
    const ir_node *n = g->node;
    cg_register_loop m = cg_register_loop_of(l, v, n);
    if (!cg_register_loop_fits(&m) || shared_in_place(&m, to) || !may_change_in_place(&m, to))
        return false;
    start_in_memory(&m, to);
    m.fr = cg_node_kernel(l, v, n);
    l->k->note = "a loop in registers";
    m.buffer = IR_NEW_N(l->arena, uint32_t, n->n_out + 1);
    bool over = false;
    for (int i = 0; i < n->n_out; i++) {
        m.buffer[i] =
            cg_place_buffer(l, &to[i], ir_type_at(v->f, n->first + (ir_ref)i), "y", true);
        for (int k = 0; k < n->n_in; k++)
            over |= cg_may_share(l, v->place[n->in[k]], to[i]);
    }
    int64_t lanes = cg_lanes(l, m.widest), steps = m.counts ? n->at->scan.length : 16;
    /* where each step stores, threads with few vectors write to the same lines of the cache */
    bool many = m.examples > 1 &&
                cg_has_shares(l, m.examples / lanes,
                              n->n_out > m.carries ? CG_LOWER_SHARES_OF_THREAD : 2) &&
                cg_is_shared(l, m.work * steps * m.examples, lanes, 0);
    ir_buf_printf(l->why,
                  "%s: loop in registers, %lld elements of state, %lld examples, %lld lanes, "
                  "cost %lld%s\n",
                  l->k->name, (long long)m.elements, (long long)m.examples, (long long)lanes,
                  (long long)m.work, many ? ", parallel" : "");
    l->k->flops = m.work * steps * (m.examples ? m.examples : 1);
    /* loaded before any example runs, since a result may have the memory of its first value */
    m.shared = new_state(&m);
    l->exact = true;
    for (int i = 0; i < m.carries; i++)
        if (m.batch_axis[i] == CG_BATCH_UNIFORM)
            emit_elements(&m, m.fr, n->in[m.consts + i], CG_BATCH_UNIFORM, m.count[i], 0,
                          m.shared[i]);
    l->exact = false;
    m.many = many;
    run_examples(&m, lanes, over);
    cg_kernel_call(l);
    return true;
}
