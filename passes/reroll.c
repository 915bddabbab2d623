/* Loops that the user wrote out are loops again.
 *
 * A C loop around ops is traced step by step, and its derivative is made node by node.  Where
 * equal steps follow each other, and each takes from those before it what the last one took,
 * they become a scan, which takes a hundredth of the time to compile.  Carries are what a step
 * takes from the one before; constants of each step's own are rows of a table; what is used
 * outside of the steps is a result.  What steps keep for reverse mode becomes an array, whose
 * rows the loop of the reverse steps reads in its order.
 *
 * Every node is computed as before from the same operands: no bit changes.  The pass comes
 * behind contraction, which must not see other sums and products because of it, and only before
 * kernels: the evaluator judges it by the nodes as they were.
 *
 * Loops in the body of a loop are found when the pass runs on the body. */
#include "passes/reroll.h"

#include "passes/rules/flow.h"

enum { FEW_NODES = 512, NEST = IR_MAX_NEST / 2 };

/* What a loop gives. */
typedef struct results {
    ir_ref *at;        /* the results of the scan */
    int *last, *all;   /* by value of the step: the result that it is; -1: none */
    uint32_t *end, *rows; /* values of the step: of carries that no step reads; of rows */
    int n_end, n_rows;
    bool reverse; /* row 0 is that of the last step */
} results;

typedef struct rerolling {
    reroll_sequence s;
    ir_build *b;
    ir_ref *env;          /* by value of the graph: what it is in the new one, if it is made */
    reroll_loop *loop;
    uint32_t n_loops;
    uint32_t *loop_of;    /* by place: one more than its loop; 0: none */
    results *of;          /* by loop, once it is made */
} rerolling;

static bool
is_leaf(const ir_node *n)
{
    return n->n_in == 0 && ir_ops[n->op].flag != IR_EFFECT && ir_ops[n->op].flag != IR_FLOW;
}

/* May n be in a loop? */
static bool
may_repeat(const ir_graph *f, const ir_node *n)
{
    return n->n_out > 0 && ir_ops[n->op].flag != IR_COLLECTIVE && !ir_is_spread(n) &&
           !(f->effectful && ir_effectful(n));
}

/* Equal for nodes that differ in their operands, and in the place of a slice or pad, alone. */
static uint64_t
kind_of(const ir_graph *f, const ir_node *n)
{
    const ir_record record = ir_ops[n->op].record;
    uint64_t h = ir_hash_u64(ir_hash_u64(n->op, (uint64_t)n->n_in), (uint64_t)n->n_out);

    for (int i = 0; i < n->n_out; i++)
        h = ir_hash_u64(h, (uint64_t)(uintptr_t)ir_type_at(f, n->first + (ir_ref)i));
    return record == IR_AT_slice || record == IR_AT_pad
               ? ir_hash_u64(h, (uint64_t)(uintptr_t)ir_type_at(f, n->in[0]))
               : ir_hash_u64(h, ir_attrs_hash(record, n->at));
}

static void
make_sequence(const ir_graph *f, ir_arena *a, reroll_sequence *s)
{
    uint32_t *node = IR_NEW_N(a, uint32_t, f->n_nodes);

    *s = (reroll_sequence){ .f = f, .a = a, .node = node, .eager = f->ctx->rerolls_all };
    s->place = IR_NEW_N(a, uint32_t, f->n_nodes);
    s->kind = IR_NEW_N(a, uint64_t, f->n_nodes);
    s->place[0] = REROLL_NOWHERE;
    for (uint32_t i = 1; i < f->n_nodes; i++) {
        const ir_node *n = &f->node[i];
        s->place[i] = is_leaf(n) ? REROLL_NOWHERE : s->n;
        if (is_leaf(n))
            continue;
        node[s->n] = i;
        s->kind[s->n] = may_repeat(f, n) ? kind_of(f, n) : ir_hash_u64(UINT64_MAX, i);
        s->n++;
    }
}

static void
find_loops(rerolling *w)
{
    reroll_sequence *s = &w->s;
    reroll_run *run = NULL;
    const uint32_t n = reroll_find(s, &run);

    w->loop_of = IR_NEW_N(s->a, uint32_t, s->n + 1);
    w->loop = IR_NEW_N(s->a, reroll_loop, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        reroll_loop *l = &w->loop[w->n_loops];
        if (!reroll_match(s, &run[i], w->loop_of, w->loop, l))
            continue;
        w->n_loops++;
        for (uint32_t k = 0; k < l->run.count; k++)
            w->loop_of[l->run.first + k] = w->n_loops;
        l->last = IR_NEW_N(s->a, bool, l->n_values);
        l->all = IR_NEW_N(s->a, bool, l->n_values);
    }
}

/* v is used by loop `user` (0: by none). */
static void
note_use(rerolling *w, ir_ref v, uint32_t user)
{
    const uint32_t p = reroll_place(&w->s, v),
                   made = p == REROLL_NOWHERE ? 0 : w->loop_of[p];
    uint32_t step;

    if (!made || made == user)
        return;
    const reroll_loop *l = &w->loop[made - 1];
    const uint32_t of = reroll_value(&w->s, l, v, &step);
    *(step + 1 == reroll_steps(&l->run) ? &l->last[of] : &l->all[of]) = true;
}

static void
note_uses(rerolling *w)
{
    const ir_graph *f = w->s.f;

    for (uint32_t i = 0; i < w->s.n; i++)
        for (int k = 0; k < reroll_node(&w->s, i)->n_in; k++)
            note_use(w, reroll_node(&w->s, i)->in[k], w->loop_of[i]);
    for (int i = 0; i < f->n_out; i++)
        note_use(w, f->out[i], 0);
}

/* The row of a loop's results that step t has made. */
static int64_t
row_of_step(const rerolling *w, uint32_t loop, int64_t t)
{
    return w->of[loop].reverse ? reroll_steps(&w->loop[loop].run) - 1 - t : t;
}

/* Row t of an array, without its first axis. */
static ir_ref
row_at(ir_build *b, ir_ref rows, int64_t t)
{
    const ir_type *type = ir_btype(b, rows);
    const ir_ref row = ir_slice_axis(b, rows, 0, t, t + 1);

    return ir_reshape(b, row, type->rank - 1, type->dims + 1);
}

/* Value v, which a loop that is made has made. */
static ir_ref
value_of_loop(rerolling *w, uint32_t loop, ir_ref v)
{
    const reroll_loop *l = &w->loop[loop];
    uint32_t step;
    const uint32_t of = reroll_value(&w->s, l, v, &step);
    const results *r = &w->of[loop];

    if (step + 1 == reroll_steps(&l->run) && r->last[of] >= 0)
        return r->at[r->last[of]];
    return row_at(w->b, r->at[r->all[of]], row_of_step(w, loop, step));
}

static ir_ref
value_of(rerolling *w, ir_ref v)
{
    const ir_node *n = ir_def(w->s.f, v);
    const uint32_t p = reroll_place(&w->s, v);

    if (w->env[v])
        return w->env[v];
    if (p == REROLL_NOWHERE)
        ir_copy_mapped(w->b, n, w->env);
    else
        w->env[v] = value_of_loop(w, w->loop_of[p] - 1, v);
    return w->env[v];
}

/* ---- the body ---- */

typedef struct body {
    ir_build *b;
    const reroll_loop *l;
    ir_ref *same, *carry, *number, *row, *value;
} body;

/* The type of a value of the step. */
static const ir_type *
type_of_value(const rerolling *w, const reroll_loop *l, uint32_t value)
{
    uint32_t low = 0, high = l->run.period;

    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        *(l->value[middle] <= value ? &low : &high) = middle;
    }
    return ir_type_at(w->s.f, reroll_node(&w->s, l->run.first + low)->first + value -
                                  l->value[low]);
}

/* same: by value that is the same in all steps: what it is outside; IR_NONE: it is made in the
 * body, too. */
static void
add_inputs(rerolling *w, body *y, const results *r, const ir_ref *same)
{
    const reroll_loop *l = y->l;
    ir_arena *a = w->s.a;

    y->same = IR_NEW_N(a, ir_ref, l->n_same + 1);
    y->carry = IR_NEW_N(a, ir_ref, l->n_carry + 1);
    y->number = IR_NEW_N(a, ir_ref, l->n_number + 1);
    y->row = IR_NEW_N(a, ir_ref, l->n_row + 1);
    y->value = IR_NEW_N(a, ir_ref, l->n_values + 1);
    for (uint32_t i = 0; i < l->n_same; i++)
        if (same[i])
            y->same[i] = ir_input(y->b, ir_type_at(w->s.f, l->same[i]), NULL);
        else
            ir_copy_node(y->b, ir_def(w->s.f, l->same[i]), NULL, &y->same[i]);
    for (uint32_t i = 0; i < l->n_carry; i++)
        y->carry[i] = ir_input(y->b, ir_type_at(w->s.f, l->carry[i].start), NULL);
    for (uint32_t i = 0; i < l->n_number; i++)
        y->number[i] = ir_input(y->b, l->number[i].type, NULL);
    for (int i = 0; i < r->n_end; i++)
        ir_input(y->b, type_of_value(w, l, r->end[i]), NULL);
    for (uint32_t i = 0; i < l->n_row; i++)
        y->row[i] = ir_input(y->b, l->row[i].type, NULL);
}

static ir_ref
operand_in(const body *y, const reroll_operand *x)
{
    switch (x->from) {
    case REROLL_STEP: return y->value[x->at];
    case REROLL_CARRY: return y->carry[x->at];
    case REROLL_SAME: return y->same[x->at];
    case REROLL_NUMBER: return y->number[x->at];
    case REROLL_ROW: return y->row[x->at];
    }
    return IR_NONE;
}

/* A slice or pad at a place that moves. */
static ir_ref
move_in(const body *y, const ir_graph *f, const ir_node *n, const reroll_moving *moving,
        const ir_ref *in)
{
    const ir_type *type = ir_type_at(f, n->first);
    ir_ref x[COT_MAX_RANK + 2] = { in[0] };
    int k = 1;

    if (moving->row >= 0) {
        int64_t start[COT_MAX_RANK] = { 0 }, limit[COT_MAX_RANK] = { 1 };
        const ir_type *whole = ir_type_at(f, n->in[0]);
        int64_t dims[COT_MAX_RANK] = { 1 };
        for (int i = 1; i < type->rank; i++) {
            start[i] = n->at->slice.start.at[i];
            limit[i] = n->at->slice.limit.at[i];
            dims[i] = whole->dims[i];
        }
        return ir_slice(y->b, ir_reshape(y->b, y->row[moving->row], type->rank, dims), start,
                        limit, n->at->slice.stride.at);
    }
    if (ir_ops[n->op].record == IR_AT_pad) {
        x[0] = ir_broadcast_scalar(y->b, in[1], type);
        x[k++] = in[0];
    }
    for (int i = 0; i < type->rank; i++)
        x[k++] = y->number[moving->number[i]];
    if (ir_ops[n->op].record == IR_AT_pad)
        return ir_node1(y->b, OP_dynamic_update_slice, k, x, NULL);
    return ir_node1(y->b, OP_dynamic_slice, k, x,
                    &(ir_attrs){ .sizes = { { type->rank, type->dims } } });
}

static void
copy_step(rerolling *w, body *y)
{
    const reroll_loop *l = y->l;

    for (uint32_t j = 0; j < l->run.period; j++) {
        const ir_node *n = reroll_node(&w->s, l->run.first + j);
        ir_ref *in = IR_NEW_N(w->s.a, ir_ref, n->n_in + 1), *out = &y->value[l->value[j]];
        for (int k = 0; k < n->n_in; k++)
            in[k] = operand_in(y, &l->operand[l->in[j] + (uint32_t)k]);
        y->b->loc = n->loc;
        if (l->moving[j])
            *out = move_in(y, w->s.f, n, l->moving[j], in);
        else
            ir_copy_node(y->b, n, in, out);
    }
}

/* The results: carries and numbers of the next step, what is used once the loop ends, as carries
 * that no step reads, then the rows. */
static void
add_outputs(rerolling *w, const body *y, const results *r)
{
    const reroll_loop *l = y->l;

    for (uint32_t i = 0; i < l->n_carry; i++) {
        const reroll_carry *c = &l->carry[i];
        ir_output(y->b, c->behind < 0 ? y->value[c->of] : y->carry[c->behind]);
    }
    for (uint32_t i = 0; i < l->n_number; i++) {
        y->b->loc = w->b->loc;
        ir_output(y->b, ir_add(y->b, y->number[i],
                               ir_splat_int(y->b, l->number[i].type, l->number[i].step)));
    }
    for (int i = 0; i < r->n_end; i++)
        ir_output(y->b, y->value[r->end[i]]);
    for (int i = 0; i < r->n_rows; i++)
        ir_output(y->b, y->value[r->rows[i]]);
}

/* ---- the scan ---- */

static ir_ref
constant_rows(rerolling *w, const reroll_row *r, int64_t steps, bool reverse)
{
    const ir_type *type = ir_type_open(w->b->ctx, r->type, 0, steps);
    const size_t size = cot_dtype_size(type->dtype), bytes = size * (size_t)r->type->size;
    char *all = ir_alloc(w->s.a, bytes * (size_t)steps + 1);

    for (int64_t t = 0; t < steps; t++) {
        const ir_data *d = &ir_def(w->s.f, r->value[reverse ? steps - 1 - t : t])->at->constant.data;
        for (int64_t i = 0; i < r->type->size; i++)
            memcpy(all + (size_t)t * bytes + (size_t)i * size,
                   (const char *)d->bytes + (d->splat ? 0 : (size_t)i * size), size);
    }
    return ir_constant(w->b, type, all);
}

/* Rows start, start + step, ... of x. */
static ir_ref
moved_rows(ir_build *b, ir_ref x, int64_t start, int64_t step, int64_t steps)
{
    const ir_type *type = ir_btype(b, x);
    const int64_t end = start + (steps - 1) * step, low = step < 0 ? end : start,
                  high = step < 0 ? start : end;
    int64_t from[COT_MAX_RANK] = { low }, to[COT_MAX_RANK] = { high + 1 },
            by[COT_MAX_RANK] = { step < 0 ? -step : step };

    for (int i = 1; i < type->rank; i++) {
        to[i] = type->dims[i];
        by[i] = 1;
    }
    x = ir_slice(b, x, from, to, by);
    return step < 0 ? ir_reverse(b, x, 1) : x;
}

/* The array and the place of row t of r, and by how much it moves from step to step. */
static ir_ref
source_of(rerolling *w, const reroll_row *r, int64_t *start, int64_t *step)
{
    *start = r->start;
    *step = r->step;
    if (r->kind == REROLL_OF_ARRAY)
        return value_of(w, r->array);
    *start = row_of_step(w, r->loop, r->start);
    *step = w->of[r->loop].reverse ? -r->step : r->step;
    return w->of[r->loop].at[w->of[r->loop].all[r->of]];
}

/* A loop that reads arrays from their ends, and none from its beginning, is a reverse scan:
 * nothing is turned around. */
static bool
goes_back(rerolling *w, const reroll_loop *l)
{
    int64_t start, step;
    bool any = false;

    for (uint32_t i = 0; i < l->n_row; i++) {
        if (l->row[i].kind == REROLL_CONSTANTS)
            continue;
        source_of(w, &l->row[i], &start, &step);
        if (step > 0)
            return false;
        any = true;
    }
    return any;
}

static ir_ref
rows_of(rerolling *w, const reroll_row *r, int64_t steps, bool reverse)
{
    int64_t start, step;

    if (r->kind == REROLL_CONSTANTS)
        return constant_rows(w, r, steps, reverse);
    const ir_ref x = source_of(w, r, &start, &step);
    return reverse ? moved_rows(w->b, x, start + (steps - 1) * step, -step, steps)
                   : moved_rows(w->b, x, start, step, steps);
}

/* Which values of the step are results of the scan, and where among these. */
static void
choose_results(rerolling *w, uint32_t loop)
{
    const reroll_loop *l = &w->loop[loop];
    results *r = &w->of[loop];
    ir_arena *a = w->s.a;
    int n = (int)(l->n_carry + l->n_number);

    r->last = IR_NEW_N(a, int, l->n_values);
    r->all = IR_NEW_N(a, int, l->n_values);
    r->end = IR_NEW_N(a, uint32_t, l->n_values);
    r->rows = IR_NEW_N(a, uint32_t, l->n_values);
    for (uint32_t i = 0; i < l->n_values; i++)
        r->last[i] = r->all[i] = -1;
    for (uint32_t i = 0; i < l->n_carry; i++)
        if (l->carry[i].behind < 0)
            r->last[l->carry[i].of] = (int)i;
    for (uint32_t i = 0; i < l->n_values; i++)
        if (l->last[i] && !l->all[i] && r->last[i] < 0) {
            r->last[i] = n++;
            r->end[r->n_end++] = i;
        }
    for (uint32_t i = 0; i < l->n_values; i++)
        if (l->all[i]) {
            r->all[i] = n++;
            r->rows[r->n_rows++] = i;
        }
    r->at = IR_NEW_N(a, ir_ref, n + 1);
}

/* The operands of the scan; how many of them are consts.  same[] as add_inputs has it. */
static int
add_operands(rerolling *w, const reroll_loop *l, const results *r, ir_ref *same, ir_ref *in,
             int *n)
{
    const int64_t steps = reroll_steps(&l->run);
    int k = 0;

    for (uint32_t i = 0; i < l->n_same; i++)
        if (reroll_place(&w->s, l->same[i]) != REROLL_NOWHERE || !ir_def(w->s.f, l->same[i]))
            in[k++] = same[i] = value_of(w, l->same[i]);
    const int consts = k;
    for (uint32_t i = 0; i < l->n_carry; i++)
        in[k++] = value_of(w, l->carry[i].start);
    for (uint32_t i = 0; i < l->n_number; i++)
        in[k++] = ir_splat_int(w->b, l->number[i].type, l->number[i].start);
    for (int i = 0; i < r->n_end; i++)
        in[k++] = ir_zeros(w->b, type_of_value(w, l, r->end[i]));
    for (uint32_t i = 0; i < l->n_row; i++)
        in[k++] = rows_of(w, &l->row[i], steps, r->reverse);
    *n = k;
    return consts;
}

static void
make_loop(rerolling *w, uint32_t loop)
{
    const reroll_loop *l = &w->loop[loop];
    results *r = &w->of[loop];
    ir_arena *a = w->s.a;
    ir_ref *same = IR_NEW_N(a, ir_ref, l->n_same + 1);
    int n_in;

    choose_results(w, loop);
    r->reverse = goes_back(w, l);
    ir_ref *in = IR_NEW_N(
        a, ir_ref, l->n_same + l->n_carry + l->n_number + (uint32_t)r->n_end + l->n_row + 1);
    w->b->loc = reroll_node(&w->s, l->run.first)->loc;
    const int consts = add_operands(w, l, r, same, in, &n_in);
    body y = { .b = pass_flow_begin(w->b, "step"), .l = l };
    y.b->uncontracted = w->s.f->uncontracted;
    y.b->guarded = w->s.f->guarded;
    y.b->contracted = w->s.f->contracted;
    add_inputs(w, &y, r, same);
    copy_step(w, &y);
    add_outputs(w, &y, r);
    ir_graph *step = pass_flow_end(w->b, y.b, NULL);
    if (!step)
        return;
    ir_add_node(w->b, OP_scan, n_in, in,
                &(ir_attrs){ .scan = { .consts = consts,
                                       .carries = l->n_carry + l->n_number + r->n_end,
                                       .length = reroll_steps(&l->run),
                                       .reverse = r->reverse,
                                       .body = step } },
                r->at);
}

/* ---- the graph ---- */

static void
copy_node(rerolling *w, const ir_node *n)
{
    ir_ref *in = IR_NEW_N(w->s.a, ir_ref, n->n_in + 1);
    ir_attrs at;

    for (int k = 0; k < n->n_in; k++)
        in[k] = value_of(w, n->in[k]);
    w->b->loc = n->loc;
    if (ir_ops[n->op].flag != IR_FLOW) {
        ir_copy_node(w->b, n, in, &w->env[n->first]);
        return;
    }
    const cot_status status = pass_rewrite_subs(w->b, n, pass_reroll, &at);
    if (status != COT_OK)
        w->b->status = status;
    else
        ir_add_node(w->b, (ir_op)n->op, n->n_in, in, &at, &w->env[n->first]);
}

static cot_status
rerolled(const ir_graph *f, ir_graph **out)
{
    rerolling w = { .b = ir_build_like(f, f->name) };

    w.b->uncontracted = f->uncontracted;
    w.b->guarded = f->guarded;
    w.b->contracted = f->contracted;
    make_sequence(f, w.b->work, &w.s);
    find_loops(&w);
    note_uses(&w);
    w.of = IR_NEW_N(w.s.a, results, w.n_loops + 1);
    w.env = IR_NEW_N(w.s.a, ir_ref, f->n_values);
    for (int i = 0; i < f->n_in; i++)
        w.env[f->in[i]] = ir_input_like(w.b, f, f->in[i], "");
    for (uint32_t i = 0; i < w.s.n && w.b->status == COT_OK; i++) {
        const uint32_t loop = w.loop_of[i];
        if (!loop)
            copy_node(&w, reroll_node(&w.s, i));
        else if (w.loop[loop - 1].run.first == i)
            make_loop(&w, loop - 1);
    }
    for (int j = 0; j < f->n_out && w.b->status == COT_OK; j++)
        pass_output(w.b, f, j, value_of(&w, f->out[j]), "");
    return pass_end(w.b, "reroll", out);
}

bool
pass_rerolls(const ir_graph *f)
{
    return (f->unfolded > FEW_NODES || f->ctx->rerolls_all) && f->nest < NEST;
}

cot_status
pass_reroll(const ir_graph *f, ir_graph **out)
{
    *out = (ir_graph *)f;
    return pass_rerolls(f) ? rerolled(f, out) : COT_OK;
}
