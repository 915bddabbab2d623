/* Search for two iterations of a parallel loop that conflict.
 *
 * Where the proof that iterations are independent (races.h) fails, either the kernel is wrong
 * or the proof is too weak.  The search executes the loop's index arithmetic (numbers.h), and
 * nothing else, for its first and its last iterations, within the first iteration of the loops
 * around.  Accesses under an unknown condition or at an unknown index are skipped.  So a
 * conflict that is found is real: it happens in every run that reaches the loop. */
#include "codegen/verify/meet.h"

#include "codegen/tuning.h"
#include "codegen/verify/numbers.h"
#include "ir/map.h"

/* The iterations that have read and stored an element, by the loop's variable. shared: more
 * than one iteration has read it. */
typedef struct element {
    uint32_t place;
    int64_t index, reader, writer;
    bool read, shared, stored;
} element;

typedef struct search {
    const cg_kernel *k;
    const cg_block *loop;
    ir_arena *arena;
    cg_numbers n;
    ir_map map; /* finds elements by their hash, numbered from 1 */
    element *at;
    uint32_t n_at, cap_at;
    int64_t now;  /* the loop's variable */
    int64_t left; /* remaining steps of the search */
    bool found;
    cg_conflict *out;
} search;

static void run(search *s, const cg_region *r);

static element *
element_of(search *s, uint32_t place, int64_t index)
{
    const uint64_t hash = ir_hash_u64(ir_hash_u64(place, (uint64_t)index), 0);
    uint32_t at = 0, number;

    while ((number = ir_map_next(&s->map, hash, &at)) != 0)
        if (s->at[number - 1].place == place && s->at[number - 1].index == index)
            return &s->at[number - 1];
    IR_PUSH(s->arena, s->at, s->n_at, s->cap_at, ((element){ .place = place, .index = index }));
    ir_map_add(&s->map, hash, s->n_at);
    return &s->at[s->n_at - 1];
}

static void
record_conflict(search *s, int64_t other, uint32_t buffer, int64_t index)
{
    s->found = true;
    *s->out = (cg_conflict){ other, s->now, buffer, index };
}

static void
touch_element(search *s, uint32_t buffer, uint32_t place, int64_t index, bool writes)
{
    element *x = element_of(s, place, index);

    if (x->stored && x->writer != s->now) {
        record_conflict(s, x->writer, buffer, index);
    } else if (writes && x->read && (x->shared || x->reader != s->now)) {
        record_conflict(s, x->reader, buffer, index);
    } else if (writes) {
        x->stored = true;
        x->writer = s->now;
    } else if (x->read) {
        x->shared |= x->reader != s->now;
    } else {
        x->read = true;
        x->reader = s->now;
    }
}

/* Local and shared memory is private to an iteration.  Buffers that may alias count as one. */
static void
touch(search *s, uint32_t buffer, cg_val index, int64_t count, bool writes)
{
    const cg_buffer *x = &s->k->buffer[buffer];
    uint32_t place = buffer;
    int64_t first = 0;

    if (x->space == CG_LOCAL || x->space == CG_SHARED || x->space == CG_CONST ||
        (index && !cg_number_of(&s->n, index, &first)))
        return;
    for (uint32_t left = s->k->n_buffers; s->k->buffer[place].alias && left > 0; left--)
        place = s->k->buffer[place].alias - 1;
    for (int64_t i = 0; i < count && s->left-- > 0 && !s->found; i++)
        touch_element(s, buffer, place, first + i, writes);
}

static void
touch_if(search *s, const cg_insn *i, cg_val when)
{
    int64_t holds = 1;

    if ((!when || cg_number_of(&s->n, when, &holds)) && holds)
        touch(s, (uint32_t)i->imm, i->in[0], 1, i->op == CG_STORE);
}

static void
copy(search *s, const cg_insn *i)
{
    for (int j = 2; j-- > 0;) {
        const uint32_t x = i->call->buffer[j];
        const int64_t size = (int64_t)cot_dtype_size(s->k->buffer[x].type);
        touch(s, x, i->in[j], ((int64_t)i->imm + size - 1) / size, j == 0);
    }
}

/* A callee writes all of its results; its reads are not known here. */
static void
call(search *s, const cg_call *c)
{
    const cg_kernel *to = s->k->module->kernel[c->kernel];

    for (uint32_t j = 0, n = 0; j < to->n_buffers; j++) {
        if (to->buffer[j].space > CG_OUT)
            continue;
        if (to->buffer[j].space == CG_OUT)
            touch(s, c->buffer[n], c->offset[n], to->buffer[j].elements, true);
        n++;
    }
}

static void
run_loop(search *s, const cg_block *x)
{
    int64_t lo, hi, limit = INT64_MAX;

    if (!cg_number_of(&s->n, x->lo, &lo) || !cg_number_of(&s->n, x->hi, &hi) ||
        (x->limit && !cg_number_of(&s->n, x->limit, &limit)))
        return;
    s->n.depth++;
    for (int64_t i = lo; i < hi && limit > 0 && s->left-- > 0 && !s->found; limit--) {
        cg_number_bind(&s->n, x->var, i);
        run(s, &x->body);
        if (__builtin_add_overflow(i, x->step, &i))
            break;
    }
    cg_number_unbind(&s->n, x->var);
    s->n.depth--;
}

static void
run_if(search *s, const cg_block *x)
{
    int64_t holds;

    if (cg_number_of(&s->n, x->cond, &holds))
        run(s, holds ? &x->body : &x->other);
}

/* Executes one iteration of a while, with the initial values of what it carries. */
static void
run_while(search *s, const cg_block *x)
{
    int64_t value;

    s->n.depth++;
    for (int j = 0; j < x->n; j++)
        if (cg_number_of(&s->n, x->yield[j].init, &value))
            cg_number_bind(&s->n, x->yield[j].carried, value);
    run(s, &x->other);
    if (cg_number_of(&s->n, x->cond, &value) && value)
        run(s, &x->body);
    for (int j = 0; j < x->n; j++)
        cg_number_unbind(&s->n, x->yield[j].carried);
    s->n.depth--;
}

static void
run(search *s, const cg_region *r)
{
    for (uint32_t n = 0; n < r->n && s->left > 0 && !s->found; n++) {
        const cg_insn *i = &s->k->insn[r->insn[n]];
        switch (i->op) {
        case CG_LOAD: touch_if(s, i, i->in[1]); break;
        case CG_STORE: touch_if(s, i, i->in[2]); break;
        case CG_COPY: copy(s, i); break;
        case CG_CALL: call(s, i->call); break;
        case CG_LOOP: run_loop(s, i->block); break;
        case CG_IF: run_if(s, i->block); break;
        case CG_WHILE: run_while(s, i->block); break;
        default: break;
        }
    }
}

/* Executes up to `count` iterations, from `from` on in steps of `step`, until the steps are
 * used up.  Returns how many. */
static int64_t
run_some(search *s, int64_t from, int64_t step, int64_t count)
{
    int64_t n = 0;

    s->left = CG_VERIFY_MAX_MEETING_STEPS;
    s->n.steps = 0;
    for (; n < count && s->left-- > 0 && !s->found; n++) {
        s->now = from + n * step;
        cg_number_bind(&s->n, s->loop->var, s->now);
        run(s, &s->loop->body);
    }
    cg_number_unbind(&s->n, s->loop->var);
    return n;
}

static void
run_ends(search *s)
{
    const cg_block *x = s->loop;
    int64_t lo, hi;

    if (!cg_number_of(&s->n, x->lo, &lo) || !cg_number_of(&s->n, x->hi, &hi) || lo < 0 ||
        lo >= hi)
        return;
    const int64_t count = (hi - 1 - lo) / x->step + 1;
    s->n.depth++;
    const int64_t done = run_some(s, lo, x->step, count);
    if (!s->found && done < count)
        run_some(s, lo + (count - 1) * x->step, -x->step, count - done);
    s->n.depth--;
}

/* Finds the loop in the region and executes it, within the first iteration of the loops around
 * it. */
static bool
reach(search *s, const cg_region *r)
{
    for (uint32_t n = 0; n < r->n; n++) {
        const cg_insn *i = &s->k->insn[r->insn[n]];
        const cg_block *x = i->block;
        int64_t lo;
        if (!x)
            continue;
        if (x == s->loop) {
            run_ends(s);
            return true;
        }
        s->n.depth++;
        if (i->op == CG_LOOP && cg_number_of(&s->n, x->lo, &lo))
            cg_number_bind(&s->n, x->var, lo);
        if (reach(s, &x->body) || reach(s, &x->other))
            return true;
        cg_number_unbind(&s->n, x->var);
        s->n.depth--;
    }
    return false;
}

/* A parameter that has the same value in all calls is known. */
static void
bind_params(search *s, const cg_interval *param)
{
    for (cg_val v = 1; v < s->k->n_insns; v++) {
        const cg_insn *i = &s->k->insn[v];
        if (i->op == CG_PARAM && param[i->imm].lo == param[i->imm].hi)
            cg_number_bind(&s->n, v, param[i->imm].lo);
    }
}

bool
cg_find_conflict(const cg_kernel *k, const cg_block *loop, const cg_interval *param,
                 ir_arena *scratch, cg_conflict *out)
{
    const ir_mark mark = ir_arena_mark(scratch);
    search s = { .k = k, .loop = loop, .arena = scratch, .out = out };

    ir_map_init(&s.map, scratch);
    cg_numbers_begin(&s.n, k, scratch);
    if (param)
        bind_params(&s, param);
    reach(&s, &k->body);
    ir_arena_release(scratch, mark);
    return s.found;
}
