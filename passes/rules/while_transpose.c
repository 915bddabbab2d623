/* The transpose of a while: of a counted loop that computes known carries along with linear
 * ones, as split_while makes it.
 *
 * The transposed loop needs the known carries before each step, from the last step to the
 * first.  There is neither memory for all of them nor a bound on the number of steps.  So
 * states are kept on a stack of SLOTS checkpoints, (position, state).  For each step, from the
 * last to the first:
 *
 *   - checkpoints after the step are popped;
 *   - from the last checkpoint, the loop runs forward to the step and pushes further
 *     checkpoints on the way: with f free slots and g steps to go, the next one comes after
 *     2 g / f steps (after one, if g <= f);
 *   - the residuals of the step are computed, and the transposed step is applied to the
 *     cotangents.
 *
 * As g is proportional to f^2 on the way, a gap that begins with f free slots is 2 n f /
 * SLOTS^2 steps long.  So up to n = SLOTS^2 / 2 steps cost one more forward run, and each
 * further run allows about SLOTS / 2 times as many; the optimum (revolve) allows twice as many.
 * Everything is ordinary ops and loops, which may be transformed again.
 *
 * In the mapped form all examples step together, and those that are done keep their values, as
 * in the op; steps are in a mapped cond, so that unused values do not affect results.
 *
 * Source: A. Griewank, A. Walther, Revolve, ACM TOMS 26 (2000), for the problem and its
 * optimum. */
#include "passes/rules/flow.h"

#define SLOTS     64
#define MIN_SLOTS 16
/* Bytes of all checkpoints together, unless MIN_SLOTS are more. */
#define SLOT_BYTES ((int64_t)1 << 28)

typedef struct reverse_loop {
    const ir_node *n;
    const ir_graph *f;   /* the body */
    int k;               /* consts; const 0 is the count, carry 0 the iteration */
    bool *known;         /* inputs of the body that are not linear */
    const ir_type *lead; /* i64 with the axes of the predicate */
    flow_split h;
    int n_const, *at_const; /* known consts except the count: inputs of the body */
    int n_state, *at_state; /* known carries that residuals need: carry numbers */
    int n_sum, *at_sum;     /* linear consts: inputs of the body */
    int n_lin, *at_lin;     /* linear carries: carry numbers */
    ir_graph *t;            /* the transposed rest of a step */
    int64_t slots;
} reverse_loop;

/* Is the condition i < trips, and does the body add 1 to i? */
static bool
is_counted(const ir_node *n)
{
    const ir_graph *c = n->at->loop.cond, *f = n->at->loop.body;
    int k = (int)n->at->loop.consts;
    const ir_node *lt = ir_def(c, c->out[0]),
                  *add = k > 0 && f->n_out > 0 ? ir_def(f, f->out[0]) : NULL;

    return add && lt && lt->op == OP_lt && lt->in[0] == c->in[k] && lt->in[1] == c->in[0] &&
           add->op == OP_add && (add->in[0] == f->in[k] || add->in[1] == f->in[k]) &&
           ir_type_at(f, f->in[k])->dtype == COT_I64;
}

/* The split of the body: carries that depend on linear inputs at any time are linear. */
static bool
split_body(ir_build *b, reverse_loop *r, const bool *linear)
{
    bool *unknown = IR_NEW_N(b->arena, bool, r->n->n_out), again = true;

    r->known = IR_NEW_N(b->arena, bool, r->n->n_in);
    for (int i = 0; i < r->n->n_in; i++)
        r->known[i] = !linear[i];
    while (again) {
        again = false;
        for (int c = 0; c < r->n->n_out; c++)
            unknown[c] = !r->known[r->k + c];
        if (!pass_flow_split(b, r->f, r->known, unknown, &r->h))
            return false;
        for (int c = 0; c < r->n->n_out; c++)
            if (r->known[r->k + c] && !r->h.known_out[c]) {
                r->known[r->k + c] = false;
                again = true;
            }
    }
    return true;
}

/* The known carries that residuals depend on, directly or over iterations. */
static void
find_state(ir_build *b, reverse_loop *r)
{
    const ir_graph *g = r->h.known;
    bool *in = IR_NEW_N(b->arena, bool, g->n_in), *out = IR_NEW_N(b->arena, bool, g->n_out);
    bool *need = IR_NEW_N(b->arena, bool, g->n_out), again = true;
    int first = 0, at = 0;

    for (int i = 0; i < r->k; i++)
        first += r->known[i];
    for (int j = r->h.n_known; j < g->n_out; j++)
        need[j] = true;
    while (again) {
        again = false;
        for (int s = 0; s < r->h.n_known; s++) {
            bool reaches = false;

            in[first + s] = true;
            pass_depends(b->arena, g, in, out);
            in[first + s] = false;
            for (int j = 0; j < g->n_out; j++)
                reaches |= out[j] && need[j];
            if (reaches && !need[s])
                need[s] = again = true;
        }
    }
    r->at_state = IR_NEW_N(b->arena, int, r->n->n_out);
    for (int c = 0; c < r->n->n_out; c++)
        if (r->known[r->k + c] && need[at++])
            r->at_state[r->n_state++] = c;
}

static void
sort_operands(ir_build *b, reverse_loop *r)
{
    int64_t bytes = 1;

    r->at_const = IR_NEW_N(b->arena, int, r->k);
    r->at_sum = IR_NEW_N(b->arena, int, r->k);
    r->at_lin = IR_NEW_N(b->arena, int, r->n->n_out);
    for (int i = 1; i < r->k; i++)
        if (r->known[i])
            r->at_const[r->n_const++] = i;
        else
            r->at_sum[r->n_sum++] = i;
    for (int c = 0; c < r->n->n_out; c++)
        if (!r->known[r->k + c])
            r->at_lin[r->n_lin++] = c;
    for (int s = 0; s < r->n_state; s++) {
        const ir_type *t = ir_type_at(r->f, r->f->out[r->at_state[s]]);
        bytes += t->size * (int64_t)cot_dtype_size(t->dtype);
    }
    r->slots = SLOT_BYTES / bytes;
    r->slots = r->slots > SLOTS ? SLOTS : r->slots < MIN_SLOTS ? MIN_SLOTS : r->slots;
}

static const ir_type *
carry_type(const reverse_loop *r, int c)
{
    return ir_type_at(r->f, r->f->in[r->k + c]);
}

static ir_ref
int_const(ir_build *b, int64_t x)
{
    return ir_splat_int(b, ir_scalar_type(b->ctx, COT_I64), x);
}

/* The inputs of the known half, from consts and states. */
static ir_ref *
known_in(ir_build *b, const reverse_loop *r, const ir_ref *consts, const ir_ref *state)
{
    ir_ref *body = IR_NEW_N(b->arena, ir_ref, r->n->n_in),
           *x = IR_NEW_N(b->arena, ir_ref, r->n->n_in);
    int at = 0;

    for (int i = 0; i < r->n_const; i++)
        body[r->at_const[i]] = consts[i];
    for (int s = 0; s < r->n_state; s++)
        body[r->k + r->at_state[s]] = state[s];
    for (int i = 0; i < r->n->n_in; i++)
        if (r->known[i])
            x[at++] = body[i];
    return x;
}

/* The states after one step. */
static void
step(ir_build *b, const reverse_loop *r, const ir_ref *consts, const ir_ref *state, ir_ref *y)
{
    int *which = IR_NEW_N(b->arena, int, r->n_state), at = 0, s = 0;

    for (int c = 0; c < r->n->n_out && s < r->n_state; c++) {
        if (r->at_state[s] == c)
            which[s++] = at;
        at += r->known[r->k + c];
    }
    pass_copy_needed(b, r->h.known, known_in(b, r, consts, state), r->n_state, which, y);
}

/* Propagates cotangents through one step: results are those of the linear consts, then of the
 * linear carries. */
static void
back_step(ir_build *b, const reverse_loop *r, const ir_ref *consts, const ir_ref *state,
          const ir_ref *ct, ir_ref *y)
{
    int *which = IR_NEW_N(b->arena, int, r->h.n_res);
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, r->h.n_res + r->n_lin);

    for (int i = 0; i < r->h.n_res; i++)
        which[i] = r->h.n_known + i;
    pass_copy_needed(b, r->h.known, known_in(b, r, consts, state), r->h.n_res, which, x);
    memcpy(x + r->h.n_res, ct, sizeof *x * (size_t)r->n_lin);
    ir_inline_graph(b, r->t, x, y);
}

static void
const_inputs(ir_build *b, const reverse_loop *r, ir_ref *x)
{
    for (int i = 0; i < r->n_const; i++)
        x[i] = ir_input_like(b, r->f, r->f->in[r->at_const[i]], "");
}

static void
state_inputs(ir_build *b, const reverse_loop *r, ir_ref *x)
{
    for (int s = 0; s < r->n_state; s++)
        x[s] = ir_input_like(b, r->f, r->f->in[r->k + r->at_state[s]], "");
}

/* A branch of a mapped cond for the examples that take a step, forward or back. */
static ir_graph *
branch(ir_build *outer, const reverse_loop *r, bool back, bool taken)
{
    int n_y = r->n_state > r->n_sum + r->n_lin ? r->n_state : r->n_sum + r->n_lin;
    ir_build *b = pass_flow_begin(outer, r->f->name);
    ir_ref *c = IR_NEW_N(b->arena, ir_ref, r->n_const),
           *s = IR_NEW_N(b->arena, ir_ref, r->n_state);
    ir_ref *ct = IR_NEW_N(b->arena, ir_ref, r->n_lin), *y = IR_NEW_N(b->arena, ir_ref, n_y);

    const_inputs(b, r, c);
    state_inputs(b, r, s);
    for (int i = 0; back && i < r->n_lin; i++)
        ct[i] = ir_input(b, carry_type(r, r->at_lin[i]), "ct");
    if (taken && back)
        back_step(b, r, c, s, ct, y);
    else if (taken)
        step(b, r, c, s, y);
    for (int i = 0; !taken && back && i < r->n_sum; i++)
        y[i] = ir_zeros(b, ir_type_at(r->f, r->f->in[r->at_sum[i]]));
    if (!taken)
        memcpy(back ? y + r->n_sum : y, back ? ct : s,
               sizeof *y * (size_t)(back ? r->n_lin : r->n_state));
    for (int i = 0; i < (back ? r->n_sum + r->n_lin : r->n_state); i++)
        ir_output(b, y[i]);
    return pass_flow_end(outer, b, r->f);
}

/* Step number `trip`, a scalar, for the examples whose count is larger. */
static void
step_all(ir_build *b, const reverse_loop *r, bool back, ir_ref trip, ir_ref trips,
         const ir_ref *consts, const ir_ref *state, const ir_ref *ct, ir_ref *y)
{
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, r->n_const + r->n_state + r->n_lin);
    int n = r->n_const + r->n_state + (back ? r->n_lin : 0);

    if (r->lead->rank == 0 && back)
        back_step(b, r, consts, state, ct, y);
    else if (r->lead->rank == 0)
        step(b, r, consts, state, y);
    if (r->lead->rank == 0)
        return;
    ir_graph *no = branch(b, r, back, false), *yes = branch(b, r, back, true);
    memcpy(x, consts, sizeof *x * (size_t)r->n_const);
    memcpy(x + r->n_const, state, sizeof *x * (size_t)r->n_state);
    if (back)
        memcpy(x + r->n_const + r->n_state, ct, sizeof *x * (size_t)r->n_lin);
    pass_flow_choose(b, ir_op2(b, OP_lt, pass_lead(b, trip, r->lead), trips), no, yes, n, x, y);
}

/* The stack: `depth` checkpoints; position[i], slot[s][i]. */
typedef struct stack {
    ir_ref depth, position, *slot;
} stack;

/* Row i of x, where i is a scalar. */
static ir_ref
row(ir_build *b, ir_ref x, ir_ref i)
{
    int64_t sizes[COT_MAX_RANK];
    ir_ref in[COT_MAX_RANK + 1] = { x, i };

    if (!x)
        return IR_NONE;
    const ir_type *t = ir_btype(b, x);
    for (int k = 1; k < t->rank; k++) {
        in[k + 1] = int_const(b, 0);
        sizes[k] = t->dims[k];
    }
    sizes[0] = 1;
    ir_ref y = ir_node1(b, OP_dynamic_slice, t->rank + 1, in,
                        &(ir_attrs){ .sizes = { { t->rank, sizes } } });
    return ir_reshape(b, y, t->rank - 1, sizes + 1);
}

static ir_ref
set_row(ir_build *b, ir_ref x, ir_ref i, ir_ref y)
{
    ir_ref in[COT_MAX_RANK + 2] = { x, IR_NONE, i };

    if (!x)
        return IR_NONE;
    const ir_type *t = ir_btype(b, x);
    in[1] = ir_broadcast_axis(b, y, 0, 1);
    for (int k = 1; k < t->rank; k++)
        in[k + 2] = int_const(b, 0);
    return ir_node1(b, OP_dynamic_update_slice, t->rank + 2, in, NULL);
}

/* The number of steps to the next checkpoint, with g steps to the goal and f free slots. */
static ir_ref
gap(ir_build *b, ir_ref g, ir_ref f)
{
    ir_ref two = int_const(b, 2), one = int_const(b, 1);
    ir_ref largest = ir_op2(b, OP_max, f, one);
    ir_ref wide = ir_add(b, ir_div(b, ir_mul(b, g, two), largest), one);
    return ir_select(b, ir_op2(b, OP_le, g, f), one, wide);
}

/* Consts of every loop: those that the steps read, and the count. */
static ir_ref
loop_consts(ir_build *b, const reverse_loop *r, ir_ref *consts)
{
    const_inputs(b, r, consts);
    return ir_input(b, r->lead, "trips");
}

/* A further input of a forward loop: the const `stop`, and the first carry `at`. */
static ir_ref
scalar_input(ir_build *b, const char *name)
{
    return ir_input(b, ir_scalar_type(b->ctx, COT_I64), name);
}

static void
loop(ir_build *b, int consts, ir_graph *cond, ir_graph *body, int n, const ir_ref *in,
     ir_ref *out)
{
    if (b->status == COT_OK)
        ir_add_node(b, OP_while, n, in,
                    &(ir_attrs){ .loop = { .consts = consts, .cond = cond, .body = body } },
                    out);
}

/* Runs steps from `at` to `stop`; the carries are `at` and the state. */
static ir_graph *
advance_graph(ir_build *outer, const reverse_loop *r, bool body)
{
    ir_build *b = pass_flow_begin(outer, body ? "step" : "on");
    ir_ref *consts = IR_NEW_N(b->arena, ir_ref, r->n_const);
    ir_ref *state = IR_NEW_N(b->arena, ir_ref, 2 * r->n_state), *y = state + r->n_state;
    ir_ref trips = loop_consts(b, r, consts);
    ir_ref stop = scalar_input(b, "stop"), at = scalar_input(b, "at");

    state_inputs(b, r, state);
    if (!body) {
        ir_output(b, ir_op2(b, OP_lt, at, stop));
        return pass_flow_end(outer, b, r->f);
    }
    step_all(b, r, false, at, trips, consts, state, NULL, y);
    ir_output(b, ir_add(b, at, int_const(b, 1)));
    for (int k = 0; k < r->n_state; k++)
        ir_output(b, y[k]);
    return pass_flow_end(outer, b, r->f);
}

static void
advance(ir_build *b, const reverse_loop *r, ir_ref at, ir_ref stop, ir_ref trips,
        const ir_ref *consts, ir_ref *state)
{
    int n = r->n_const, total = n + 3 + r->n_state;
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, total), *y = IR_NEW_N(b->arena, ir_ref, total);

    memcpy(x, consts, sizeof *x * (size_t)n);
    x[n] = trips;
    x[n + 1] = stop;
    x[n + 2] = at;
    memcpy(x + n + 3, state, sizeof *x * (size_t)r->n_state);
    ir_graph *body = advance_graph(b, r, true);
    loop(b, n + 2, advance_graph(b, r, false), body, total, x, y);
    memcpy(state, y + 1, sizeof *y * (size_t)r->n_state);
}

/* The stack as inputs: depth, position, slots. */
static void
stack_inputs(ir_build *b, const reverse_loop *r, stack *s)
{
    const ir_type *i64 = ir_scalar_type(b->ctx, COT_I64);

    s->depth = ir_input(b, i64, "depth");
    s->position = ir_input(b, ir_type_open(b->ctx, i64, 0, r->slots + 1), "position");
    s->slot = IR_NEW_N(b->arena, ir_ref, r->n_state);
    for (int i = 0; i < r->n_state; i++)
        s->slot[i] = ir_input(
            b, ir_type_open(b->ctx, carry_type(r, r->at_state[i]), 0, r->slots + 1), "slot");
}

/* The forward sweep carries `at`, the stack, and the state. */
static ir_graph *
sweep_cond(ir_build *outer, const reverse_loop *r)
{
    ir_build *b = pass_flow_begin(outer, "more");
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, r->n_const + r->n_state);
    stack s;

    loop_consts(b, r, x);
    ir_ref goal = scalar_input(b, "goal"), at = scalar_input(b, "at");
    stack_inputs(b, r, &s);
    state_inputs(b, r, x);
    ir_output(b, ir_op2(b, OP_lt, at, goal));
    return pass_flow_end(outer, b, r->f);
}

/* Runs to the next checkpoint, or to the goal, in which case it writes to a slot that is never
 * read. */
static ir_graph *
sweep_body(ir_build *outer, const reverse_loop *r)
{
    ir_build *b = pass_flow_begin(outer, "forward");
    ir_ref *consts = IR_NEW_N(b->arena, ir_ref, r->n_const);
    ir_ref *state = IR_NEW_N(b->arena, ir_ref, r->n_state), full = int_const(b, r->slots);
    ir_ref trips = loop_consts(b, r, consts);
    ir_ref goal = scalar_input(b, "goal"), at = scalar_input(b, "at");
    stack s;

    stack_inputs(b, r, &s);
    state_inputs(b, r, state);
    ir_ref difference = ir_sub(b, full, s.depth);
    ir_ref wide = gap(b, ir_sub(b, goal, at), difference);
    ir_ref stop = ir_op2(b, OP_min, ir_add(b, at, wide), goal);
    advance(b, r, at, stop, trips, consts, state);
    ir_ref due = ir_op2(b, OP_lt, stop, goal);
    ir_ref i = ir_select(b, due, s.depth, full);
    ir_output(b, stop);
    ir_output(b, ir_add(b, s.depth, ir_convert(b, due, COT_I64)));
    ir_output(b, set_row(b, s.position, i, stop));
    for (int k = 0; k < r->n_state; k++)
        ir_output(b, set_row(b, s.slot[k], i, state[k]));
    for (int k = 0; k < r->n_state; k++)
        ir_output(b, state[k]);
    return pass_flow_end(outer, b, r->f);
}

/* Runs forward from the last checkpoint at or before step `goal`; returns the state there, and
 * the new stack. */
static void
sweep(ir_build *b, const reverse_loop *r, ir_ref goal, ir_ref trips, const ir_ref *consts,
      stack *s, ir_ref *state)
{
    int n = r->n_const, total = n + 5 + 2 * r->n_state;
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, total), *y = IR_NEW_N(b->arena, ir_ref, total);
    ir_ref one = int_const(b, 1), last = ir_sub(b, s->depth, one);
    ir_ref after = ir_op2(b, OP_gt, row(b, s->position, last), goal);

    s->depth = ir_sub(b, s->depth, ir_convert(b, after, COT_I64));
    last = ir_sub(b, s->depth, one);
    memcpy(x, consts, sizeof *x * (size_t)n);
    x[n++] = trips;
    x[n++] = goal;
    x[n++] = row(b, s->position, last);
    x[n++] = s->depth;
    x[n++] = s->position;
    for (int i = 0; i < r->n_state; i++) {
        x[n + i] = s->slot[i];
        x[n + r->n_state + i] = row(b, s->slot[i], last);
    }
    ir_graph *body = sweep_body(b, r);
    loop(b, r->n_const + 2, sweep_cond(b, r), body, total, x, y);
    s->depth = y[1];
    s->position = y[2];
    memcpy(s->slot, y + 3, sizeof *y * (size_t)r->n_state);
    memcpy(state, y + 3 + r->n_state, sizeof *y * (size_t)r->n_state);
}

/* The carries of the backward loop, in this order: steps left, the stack, sums for consts,
 * cotangents. */
static void
back_inputs(ir_build *b, const reverse_loop *r, ir_ref *left, stack *s, ir_ref *sum, ir_ref *ct)
{
    *left = scalar_input(b, "left");
    if (r->n_state > 0)
        stack_inputs(b, r, s);
    for (int i = 0; i < r->n_sum; i++)
        sum[i] = ir_input_like(b, r->f, r->f->in[r->at_sum[i]], "sum_");
    for (int i = 0; i < r->n_lin; i++)
        ct[i] = ir_input(b, carry_type(r, r->at_lin[i]), "ct");
}

static ir_graph *
back_cond(ir_build *outer, const reverse_loop *r)
{
    ir_build *b = pass_flow_begin(outer, "left");
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, r->n->n_in + r->n->n_out), left;
    stack s = { 0 };

    loop_consts(b, r, x);
    back_inputs(b, r, &left, &s, x, x + r->n_sum);
    ir_output(b, ir_op2(b, OP_gt, left, ir_like(b, left, 0)));
    return pass_flow_end(outer, b, r->f);
}

static ir_graph *
back_body(ir_build *outer, const reverse_loop *r)
{
    ir_build *b = pass_flow_begin(outer, "backward");
    ir_ref *consts = IR_NEW_N(b->arena, ir_ref, r->n_const), left, trips, goal;
    ir_ref *state = IR_NEW_N(b->arena, ir_ref, r->n_state),
           *sum = IR_NEW_N(b->arena, ir_ref, r->n_sum);
    ir_ref *ct = IR_NEW_N(b->arena, ir_ref, r->n_lin);
    ir_ref *y = IR_NEW_N(b->arena, ir_ref, r->n_sum + r->n_lin);
    stack s = { 0 };

    trips = loop_consts(b, r, consts);
    back_inputs(b, r, &left, &s, sum, ct);
    goal = ir_sub(b, left, ir_like(b, left, 1));
    if (r->n_state > 0)
        sweep(b, r, goal, trips, consts, &s, state);
    step_all(b, r, true, goal, trips, consts, state, ct, y);
    ir_output(b, goal);
    if (r->n_state > 0) {
        ir_output(b, s.depth);
        ir_output(b, s.position);
    }
    for (int i = 0; i < r->n_state; i++)
        ir_output(b, s.slot[i]);
    for (int i = 0; i < r->n_sum; i++)
        ir_output(b, pass_accumulate(b, sum[i], y[i]));
    for (int i = 0; i < r->n_lin; i++)
        ir_output(b, y[r->n_sum + i]);
    return pass_flow_end(outer, b, r->f);
}

/* Runs the backward loop; its results are the sums for consts, then the cotangents. */
static ir_ref *
run_back(ir_build *b, const reverse_loop *r, const ir_ref *in, const ir_ref *ct)
{
    int n = 0, total = r->n_const + 6 + r->n_state + r->n_sum + r->n_lin;
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, total), *z = IR_NEW_N(b->arena, ir_ref, total);
    ir_graph *cond = back_cond(b, r), *body = back_body(b, r);

    for (int i = 0; i < r->n_const; i++)
        x[n++] = in[r->at_const[i]];
    x[n++] = in[0];
    x[n++] = r->lead->rank
                 ? ir_reduce(b, OP_reduce_max, ir_op2(b, OP_max, in[0], ir_like(b, in[0], 0)),
                             ir_axes_below(r->lead->rank))
                 : in[0];
    if (r->n_state > 0) {
        x[n++] = int_const(b, 1);
        x[n++] =
            ir_zeros(b, ir_type_open(b->ctx, ir_scalar_type(b->ctx, COT_I64), 0, r->slots + 1));
    }
    for (int i = 0; i < r->n_state; i++)
        x[n++] = ir_broadcast_axis(b, in[r->k + r->at_state[i]], 0, r->slots + 1);
    for (int i = 0; i < r->n_sum; i++)
        x[n++] = ir_zeros(b, ir_type_at(r->f, r->f->in[r->at_sum[i]]));
    for (int i = 0; i < r->n_lin; i++) {
        int c = r->at_lin[i];
        x[n++] = ct[c] ? ct[c] : ir_zeros(b, carry_type(r, c));
    }
    if (b->status == COT_OK)
        ir_add_node(
            b, OP_while, n, x,
            &(ir_attrs){ .loop = { .consts = r->n_const + 1, .cond = cond, .body = body } }, z);
    return z + (r->n_state > 0 ? 3 : 1) + r->n_state;
}

/* Transposes the rest of the step: from residuals and cotangents to cotangents. */
static bool
transpose_rest(ir_build *b, reverse_loop *r)
{
    bool *linear = IR_NEW_N(b->arena, bool, r->h.rest->n_in);
    bool *has = IR_NEW_N(b->arena, bool, r->h.rest->n_out);

    for (int i = r->h.n_res; i < r->h.rest->n_in; i++)
        linear[i] = true;
    for (int j = 0; j < r->h.rest->n_out; j++)
        has[j] = true;
    return pass_flow_ok(b, pass_transpose_body(r->h.rest, linear, has, &r->t));
}

void
transpose_while(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
                const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    reverse_loop r = { .n = n, .f = n->at->loop.body, .k = (int)n->at->loop.consts };

    if (!is_counted(n) || linear[0] || linear[r.k]) {
        ir_build_fail(b, "while", ERR_no_rule, "transpose", "its trips are not counted");
        return;
    }
    r.lead = ir_type_at(f, n->in[0]);
    if (!split_body(b, &r, linear) || !transpose_rest(b, &r))
        return;
    find_state(b, &r);
    sort_operands(b, &r);
    const ir_ref *z = run_back(b, &r, in, ct);
    for (int i = 0; i < r.n_sum; i++)
        ct_in[r.at_sum[i]] = z[i];
    for (int i = 0; i < r.n_lin; i++)
        ct_in[r.k + r.at_lin[i]] = z[r.n_sum + i];
}
