/* Is a run of nodes a loop?
 *
 * Each operand of a node is, in all steps, one of: what the same step makes; what an earlier
 * step makes, and some value before; the same value; an integer that grows by as much in each
 * step; a constant of each step's own; what another loop's step makes, at a place that moves by
 * as much in each step.  Which one it is, the last steps say.  Where an early step differs, the
 * loop begins behind it, and where a late one does, it ends there. */
#include "passes/reroll.h"

enum {
    MAX_TRIES = 8,      /* other beginnings and ends of a loop */
    MAX_BYTES = 1 << 20 /* of the constants of all steps */
};

typedef struct run_matching {
    const reroll_sequence *s;
    const uint32_t *loop_of;
    const reroll_loop *loops;
    reroll_loop *l;
    uint32_t steps, bad; /* bad: the step that differs */
    bool never;          /* no beginning or end helps */
    ir_map same, carry, number, row;
} run_matching;

static const ir_node *
node_of(const run_matching *m, uint32_t step, uint32_t j)
{
    return reroll_node(m->s, m->l->run.first + step * m->l->run.period + j);
}

static ir_ref
operand_of(const run_matching *m, uint32_t step, uint32_t j, int k)
{
    return node_of(m, step, j)->in[k];
}

static bool
differs(run_matching *m, uint32_t step)
{
    m->bad = step;
    return false;
}

static bool
hopeless(run_matching *m)
{
    m->never = true;
    return false;
}

static bool
is_inside(const run_matching *m, ir_ref v)
{
    const uint32_t p = reroll_place(m->s, v);

    return p != REROLL_NOWHERE && p >= m->l->run.first;
}

static const ir_node *
constant_of(const run_matching *m, ir_ref v)
{
    const ir_node *n = ir_def(m->s->f, v);

    return n && ir_ops[n->op].record == IR_AT_constant ? n : NULL;
}

static uint32_t
same_of(run_matching *m, ir_ref v)
{
    reroll_loop *l = m->l;
    const uint64_t hash = ir_hash_u64(0, v);
    uint32_t at = 0, id;

    while ((id = ir_map_next(&m->same, hash, &at)))
        if (l->same[id - 1] == v)
            return id - 1;
    IR_PUSH(m->s->a, l->same, l->n_same, l->cap_same, v);
    ir_map_add(&m->same, hash, l->n_same);
    return l->n_same - 1;
}

static uint32_t
carry_of(run_matching *m, reroll_carry c)
{
    reroll_loop *l = m->l;
    const uint64_t hash =
        ir_hash_u64(ir_hash_u64(ir_hash_u64(0, c.start), c.of), (uint64_t)c.behind);
    uint32_t at = 0, id;

    while ((id = ir_map_next(&m->carry, hash, &at))) {
        const reroll_carry *d = &l->carry[id - 1];
        if (d->start == c.start && d->of == c.of && d->behind == c.behind)
            return id - 1;
    }
    IR_PUSH(m->s->a, l->carry, l->n_carry, l->cap_carry, c);
    ir_map_add(&m->carry, hash, l->n_carry);
    return l->n_carry - 1;
}

static uint32_t
number_of(run_matching *m, reroll_number x)
{
    reroll_loop *l = m->l;
    const uint64_t hash = ir_hash_u64(ir_hash_u64((uint64_t)(uintptr_t)x.type,
                                                  (uint64_t)x.start), (uint64_t)x.step);
    uint32_t at = 0, id;

    while ((id = ir_map_next(&m->number, hash, &at))) {
        const reroll_number *y = &l->number[id - 1];
        if (y->type == x.type && y->start == x.start && y->step == x.step)
            return id - 1;
    }
    IR_PUSH(m->s->a, l->number, l->n_number, l->cap_number, x);
    ir_map_add(&m->number, hash, l->n_number);
    return l->n_number - 1;
}

static bool
rows_equal(const run_matching *m, const reroll_row *x, const reroll_row *y)
{
    return x->kind == y->kind && x->type == y->type && x->array == y->array &&
           x->loop == y->loop && x->of == y->of && x->start == y->start &&
           x->step == y->step &&
           (x->kind != REROLL_CONSTANTS ||
            memcmp(x->value, y->value, m->steps * sizeof *x->value) == 0);
}

static uint32_t
row_of(run_matching *m, reroll_row x)
{
    reroll_loop *l = m->l;
    uint64_t hash = ir_hash_u64(ir_hash_u64((uint64_t)x.kind, x.array), (uint64_t)x.start);
    uint32_t at = 0, id;

    hash = ir_hash_u64(ir_hash_u64(ir_hash_u64(hash, x.loop), x.of), (uint64_t)x.step);
    if (x.kind == REROLL_CONSTANTS)
        hash = ir_hash(hash, x.value, m->steps * sizeof *x.value);
    while ((id = ir_map_next(&m->row, hash, &at)))
        if (rows_equal(m, &l->row[id - 1], &x))
            return id - 1;
    IR_PUSH(m->s->a, l->row, l->n_row, l->cap_row, x);
    ir_map_add(&m->row, hash, l->n_row);
    return l->n_row - 1;
}

/* The operand is what a node at a fixed distance before makes, in all steps but the first
 * `lag`, for which it is something from before the loop. */
static bool
match_inside(run_matching *m, uint32_t j, int k, reroll_operand *out)
{
    const uint32_t last = m->steps - 1, period = m->l->run.period;
    const ir_ref v = operand_of(m, last, j, k);
    const ir_type *type = ir_type_at(m->s->f, v);
    const uint32_t back = m->l->run.first + last * period + j - reroll_place(m->s, v);
    uint32_t step;
    const uint32_t of = reroll_value(m->s, m->l, v, &step), lag = last - step;
    int behind = -1;

    /* what one step makes for all later ones: the loop begins behind it */
    if (lag > REROLL_MAX_LAG || lag >= m->steps ||
        (lag > 0 && v == operand_of(m, last - 1, j, k)))
        return differs(m, step);
    for (uint32_t t = m->steps; t-- > 0;) {
        const ir_ref u = operand_of(m, t, j, k);
        const uint32_t here = m->l->run.first + t * period + j;
        uint32_t s;
        if (t < lag ? is_inside(m, u) || ir_type_at(m->s->f, u) != type
                    : reroll_place(m->s, u) != here - back ||
                          reroll_value(m->s, m->l, u, &s) != of)
            return differs(m, t);
    }
    for (uint32_t i = 1; i <= lag; i++)
        behind = (int)carry_of(m, (reroll_carry){ operand_of(m, lag - i, j, k), of, behind });
    *out = lag ? (reroll_operand){ REROLL_CARRY, (uint32_t)behind }
               : (reroll_operand){ REROLL_STEP, of };
    return true;
}

static bool
match_same(run_matching *m, uint32_t j, int k, reroll_operand *out)
{
    const ir_ref v = operand_of(m, m->steps - 1, j, k);

    for (uint32_t t = m->steps - 1; t-- > 0;)
        if (operand_of(m, t, j, k) != v)
            return differs(m, t);
    *out = (reroll_operand){ REROLL_SAME, same_of(m, v) };
    return true;
}

/* The integer that a constant is, if it is one number. */
static bool
integer_of(const ir_node *n, const ir_type *type, int64_t *x)
{
    double d;

    if (type->rank || !ir_is_int(type->dtype) || type->dtype == COT_U64 ||
        !ir_data_number(&n->at->constant.data, &d) || d < -0x1p52 || d > 0x1p52)
        return false;
    *x = (int64_t)d;
    return true;
}

/* Do the constants grow by as much in each step? */
static bool
are_numbers(const run_matching *m, const ir_ref *v, const ir_type *type, reroll_number *out)
{
    int64_t x, y;

    if (!integer_of(constant_of(m, v[0]), type, &x) ||
        !integer_of(constant_of(m, v[1]), type, &y))
        return false;
    *out = (reroll_number){ type, x, y - x };
    for (uint32_t t = 2; t < m->steps; t++)
        if (!integer_of(constant_of(m, v[t]), type, &y) || y != x + t * out->step)
            return false;
    return true;
}

static bool
match_constants(run_matching *m, uint32_t j, int k, reroll_operand *out)
{
    const ir_type *type = ir_type_at(m->s->f, operand_of(m, m->steps - 1, j, k));
    const size_t bytes = (size_t)type->size * cot_dtype_size(type->dtype);
    ir_ref *v = IR_NEW_N(m->s->a, ir_ref, m->steps);
    reroll_number number;

    if (bytes > MAX_BYTES / m->steps || type->rank == COT_MAX_RANK)
        return hopeless(m);
    for (uint32_t t = m->steps; t-- > 0;) {
        v[t] = operand_of(m, t, j, k);
        if (!constant_of(m, v[t]) || ir_type_at(m->s->f, v[t]) != type)
            return differs(m, t);
    }
    *out = are_numbers(m, v, type, &number)
               ? (reroll_operand){ REROLL_NUMBER, number_of(m, number) }
               : (reroll_operand){ REROLL_ROW, row_of(m, (reroll_row){ .kind = REROLL_CONSTANTS,
                                                                       .type = type,
                                                                       .number = -1,
                                                                       .value = v }) };
    return true;
}

/* One more than the loop in which v is made, its step, and which value of it v is. */
static uint32_t
made_in(const run_matching *m, ir_ref v, uint32_t *step, uint32_t *of)
{
    const uint32_t p = reroll_place(m->s, v), loop = p == REROLL_NOWHERE ? 0 : m->loop_of[p];

    if (loop)
        *of = reroll_value(m->s, &m->loops[loop - 1], v, step);
    return loop;
}

static bool
match_of_loop(run_matching *m, uint32_t j, int k, reroll_operand *out)
{
    const ir_ref v = operand_of(m, m->steps - 1, j, k);
    uint32_t end, before, of, same, t = m->steps - 1, step;
    const uint32_t loop = made_in(m, v, &end, &of);

    if (made_in(m, operand_of(m, t - 1, j, k), &before, &same) != loop || same != of)
        return differs(m, t);
    const int64_t by = (int64_t)end - before;
    while (t-- > 0)
        if (made_in(m, operand_of(m, t, j, k), &step, &same) != loop || same != of ||
            step != end - (m->steps - 1 - t) * by)
            return differs(m, t);
    if (ir_type_at(m->s->f, v)->rank == COT_MAX_RANK)
        return hopeless(m);
    *out = (reroll_operand){ REROLL_ROW,
                             row_of(m, (reroll_row){ .kind = REROLL_OF_LOOP,
                                                     .type = ir_type_at(m->s->f, v),
                                                     .loop = loop - 1,
                                                     .number = -1,
                                                     .of = of,
                                                     .start = end - (m->steps - 1) * by,
                                                     .step = by }) };
    return true;
}

static bool
match_operand(run_matching *m, uint32_t j, int k, reroll_operand *out)
{
    const ir_ref v = operand_of(m, m->steps - 1, j, k);
    uint32_t step, of;

    if (is_inside(m, v))
        return match_inside(m, j, k, out);
    if (v == operand_of(m, m->steps - 2, j, k))
        return match_same(m, j, k, out);
    if (constant_of(m, v))
        return match_constants(m, j, k, out);
    if (made_in(m, v, &step, &of))
        return match_of_loop(m, j, k, out);
    /* the last step may be another one */
    const ir_ref u = operand_of(m, m->steps - 2, j, k);
    return is_inside(m, u) || constant_of(m, u) || made_in(m, u, &step, &of)
               ? differs(m, m->steps - 1)
               : hopeless(m);
}

/* The list of places that moves: the starts of a slice, the low edges of a pad. */
static const ir_ints *
places_of(const ir_node *n)
{
    switch (ir_ops[n->op].record) {
    case IR_AT_slice: return &n->at->slice.start;
    case IR_AT_pad: return &n->at->pad.low;
    default: return NULL;
    }
}

/* Is n the op of node `like` at another place, where a loop can put it? */
static bool
is_movable(const ir_node *n, const ir_node *like)
{
    const bool pads = ir_ops[n->op].record == IR_AT_pad;

    for (int i = 0; i < places_of(n)->n; i++) {
        if (places_of(n)->at[i] > INT32_MAX)
            return false;
        if (pads ? n->at->pad.interior.at[i] || n->at->pad.low.at[i] < 0 ||
                       n->at->pad.high.at[i] < 0
                 : n->at->slice.stride.at[i] != 1 ||
                       n->at->slice.limit.at[i] - n->at->slice.start.at[i] !=
                           like->at->slice.limit.at[i] - like->at->slice.start.at[i])
            return false;
    }
    return true;
}

/* Does the place along an axis move by as much in each step? */
static bool
match_axis(run_matching *m, uint32_t j, int axis, int64_t *start, int64_t *step)
{
    const uint32_t last = m->steps - 1;
    const int64_t end = places_of(node_of(m, last, j))->at[axis];

    *step = end - places_of(node_of(m, last - 1, j))->at[axis];
    *start = end - last * *step;
    for (uint32_t t = last; t-- > 0;)
        if (places_of(node_of(m, t, j))->at[axis] != *start + t * *step)
            return differs(m, t);
    return true;
}

/* Node j is at a place that moves. */
static bool
match_moving(run_matching *m, uint32_t j)
{
    const ir_node *like = node_of(m, m->steps - 1, j);
    const ir_type *type = ir_type_at(m->s->f, like->in[0]);
    const int rank = places_of(like)->n;
    reroll_moving *moving = IR_NEW(m->s->a, reroll_moving);
    int64_t *start = IR_NEW_N(m->s->a, int64_t, rank), *step = IR_NEW_N(m->s->a, int64_t, rank);
    uint32_t *number = IR_NEW_N(m->s->a, uint32_t, rank);
    const reroll_operand *x = &m->l->operand[m->l->in[j]];
    int moves = 0;

    *moving = (reroll_moving){ -1, number };
    m->l->moving[j] = moving;
    for (uint32_t t = m->steps; t-- > 0;)
        if (!is_movable(node_of(m, t, j), like))
            return differs(m, t);
    for (int i = 0; i < rank; i++) {
        if (!match_axis(m, j, i, &start[i], &step[i]))
            return false;
        moves += step[i] != 0;
    }
    if (ir_ops[like->op].record == IR_AT_slice && moves == 1 && step[0] &&
        like->at->slice.limit.at[0] - like->at->slice.start.at[0] == 1 &&
        x->from == REROLL_SAME) {
        moving->row = (int)row_of(m, (reroll_row){ .kind = REROLL_OF_ARRAY,
                                                   .type = ir_type_close(m->s->f->ctx, type, 0),
                                                   .array = m->l->same[x->at],
                                                   .number = -1,
                                                   .start = start[0],
                                                   .step = step[0] });
        return true;
    }
    for (int i = 0; i < rank; i++)
        number[i] = number_of(m, (reroll_number){ ir_scalar_type(m->s->f->ctx, COT_I32),
                                                  start[i], step[i] });
    return true;
}

static bool
match_node(run_matching *m, uint32_t j)
{
    const ir_node *like = node_of(m, m->steps - 1, j);
    const ir_record record = ir_ops[like->op].record;
    bool moves = false;

    for (uint32_t t = m->steps - 1; t-- > 0;) {
        const ir_node *n = node_of(m, t, j);
        if (n->op != like->op || n->n_in != like->n_in || n->n_out != like->n_out ||
            ir_type_at(m->s->f, n->first) != ir_type_at(m->s->f, like->first))
            return differs(m, t);
        if (ir_attrs_equal(record, n->at, like->at))
            continue;
        if (!places_of(like))
            return differs(m, t);
        moves = true;
    }
    for (int k = 0; k < like->n_in; k++)
        if (!match_operand(m, j, k, &m->l->operand[m->l->in[j] + (uint32_t)k]))
            return false;
    return !moves || match_moving(m, j);
}

/* Which carries hold the values of the last steps when the loop ends. */
static void
find_ends(run_matching *m)
{
    reroll_loop *l = m->l;
    uint32_t *back = IR_NEW_N(m->s->a, uint32_t, l->n_carry + 1);

    l->end = IR_NEW_N(m->s->a, uint32_t, REROLL_MAX_LAG *(l->n_values + 1));
    for (uint32_t i = 0; i < l->n_carry; i++) {
        const reroll_carry *c = &l->carry[i];
        back[i] = c->behind < 0 ? 0 : back[c->behind] + 1;
        l->end[c->of * REROLL_MAX_LAG + back[i]] = i + 1;
    }
}

/* The loop of l->run; on failure m->bad or m->never say why. */
static bool
match_once(run_matching *m)
{
    reroll_loop *l = m->l;
    ir_arena *a = m->s->a;
    const uint32_t period = l->run.period;
    uint32_t *value = IR_NEW_N(a, uint32_t, period), *in = IR_NEW_N(a, uint32_t, period), n = 0;

    *l = (reroll_loop){ .run = l->run, .value = value, .in = in };
    m->steps = reroll_steps(&l->run);
    for (uint32_t j = 0; j < period; j++) {
        const ir_node *node = reroll_node(m->s, l->run.first + j);
        value[j] = l->n_values;
        in[j] = n;
        l->n_values += (uint32_t)node->n_out;
        n += (uint32_t)node->n_in;
    }
    l->operand = IR_NEW_N(a, reroll_operand, n + 1);
    l->moving = IR_NEW_N(a, reroll_moving *, period);
    ir_map_init(&m->same, a);
    ir_map_init(&m->carry, a);
    ir_map_init(&m->number, a);
    ir_map_init(&m->row, a);
    for (uint32_t j = 0; j < period; j++)
        if (!match_node(m, j))
            return false;
    find_ends(m);
    return true;
}

/* By beginning of a step: how many bytes go from step to step.  Those of the values of one step
 * in the middle of the run are counted, up to their last use within two further steps. */
static void
count_carried(const reroll_sequence *s, const reroll_run *r, int64_t *bytes)
{
    const uint32_t p = r->period, first = r->first + reroll_steps(r) / 2 * p,
                   end = r->first + r->count;
    uint32_t *reach = IR_NEW_N(s->a, uint32_t, p); /* by node of the step: to its last use */
    int64_t *change = IR_NEW_N(s->a, int64_t, 2 * p + 1), sum = 0;

    for (uint32_t i = first; i < end && i < first + 3 * p; i++)
        for (int k = 0; k < reroll_node(s, i)->n_in; k++) {
            const uint32_t made = reroll_place(s, reroll_node(s, i)->in[k]);
            if (made != REROLL_NOWHERE && made >= first && made < first + p)
                reach[made - first] = i - made;
        }
    for (uint32_t j = 0; j < p; j++) {
        const ir_type *t = ir_type_at(s->f, reroll_node(s, first + j)->first);
        const int64_t size = t->size * (int64_t)cot_dtype_size(t->dtype);
        sum += reach[j] / p * size; /* from every beginning to the next */
        change[j + 1] += size;
        change[j + 1 + reach[j] % p] -= size;
    }
    for (uint32_t j = 0; j < 2 * p; j++) {
        sum += change[j];
        bytes[j % p] += sum;
    }
}

/* Steps begin where the least goes from one to the next. */
static void
choose_beginning(const reroll_sequence *s, reroll_run *r)
{
    int64_t *bytes = IR_NEW_N(s->a, int64_t, r->period);
    uint32_t best = 0;

    count_carried(s, r, bytes);
    for (uint32_t j = 1; j < r->period; j++)
        if (bytes[j] < bytes[best])
            best = j;
    r->first += best;
    r->count -= best;
}

bool
pass_reroll_match(const reroll_sequence *s, const reroll_run *r, const uint32_t *loop_of,
                  const reroll_loop *loops, reroll_loop *out)
{
    run_matching m = { .s = s, .loop_of = loop_of, .loops = loops, .l = out };

    *out = (reroll_loop){ .run = *r };
    choose_beginning(s, &out->run);
    for (int tries = 0; tries < MAX_TRIES; tries++) {
        const uint32_t steps = reroll_steps(&out->run);
        if (steps < 3 || !pass_reroll_is_worth_it(s, &out->run))
            return false;
        out->run.count = steps * out->run.period;
        if (match_once(&m))
            return true;
        if (m.never)
            return false;
        const uint32_t drop = (m.bad + 1) * out->run.period;
        if (m.bad < steps / 2)
            out->run.first += drop, out->run.count -= drop;
        else
            out->run.count = m.bad * out->run.period;
    }
    return false;
}
