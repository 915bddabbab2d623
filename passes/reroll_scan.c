/* The scan of a loop that was found: its operands, its body, and what stands for its values
 * outside.
 *
 * What all steps take alike are consts; constants are made in the body.  Rows of arrays are
 * handed out by the scan, which goes backwards where all arrays are read from their ends.  What
 * is used of all steps is a result with a row for each, unless it is a row of an array that was
 * there before. */
#include "passes/reroll.h"

#include "passes/rules/flow.h"

enum { FEW_ELEMENTS = 64 };

/* The node of the step that makes a value. */
static uint32_t
node_of_value(const reroll_loop *l, uint32_t value)
{
    uint32_t low = 0, high = l->run.period;

    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        *(l->value[middle] <= value ? &low : &high) = middle;
    }
    return low;
}

/* The row of an array that a value of the step is, perhaps in another shape; -1: none. */
static int
row_that_is(const rerolling *w, const reroll_loop *l, uint32_t value)
{
    for (;;) {
        const uint32_t j = node_of_value(l, value);
        const ir_node *n = reroll_node(&w->s, l->run.first + j);
        const reroll_operand *x = &l->operand[l->in[j]];
        const int row = l->moving[j] ? l->moving[j]->row : -1;
        if (row >= 0)
            return ir_type_at(w->s.f, n->first)->size == l->row[row].type->size ? row : -1;
        if (l->moving[j] || ir_ops[n->op].record != IR_AT_shape)
            return -1;
        if (x->from == REROLL_ROW)
            return l->row[x->at].kind == REROLL_CONSTANTS ? -1 : (int)x->at;
        if (x->from != REROLL_STEP)
            return -1;
        value = x->at;
    }
}

/* The array that has row t of r at start + step * t of its first axis, perhaps in another
 * shape. */
static ir_ref
array_of(rerolling *w, const reroll_row *r, int64_t *start, int64_t *step)
{
    *start = r->start;
    *step = r->step;
    while (r->kind == REROLL_OF_LOOP) {
        const reroll_loop *l = &w->loop[r->loop];
        const reroll_results *y = &w->of[r->loop];
        const int row = row_that_is(w, l, r->of);
        if (row < 0) {
            *start = y->reverse ? reroll_steps(&l->run) - 1 - *start : *start;
            *step = y->reverse ? -*step : *step;
            return y->all[r->of];
        }
        r = &l->row[row];
        *start = r->start + *start * r->step;
        *step *= r->step;
    }
    return pass_reroll_value_of(w, r->array);
}

/* Value v, which a loop that is made has made. */
static ir_ref
value_of_loop(rerolling *w, uint32_t loop, ir_ref v)
{
    const reroll_loop *l = &w->loop[loop];
    const ir_type *type = ir_type_at(w->s.f, v);
    reroll_row r = { .kind = REROLL_OF_LOOP, .loop = loop };
    int64_t start, none;
    uint32_t step;

    r.of = reroll_value(&w->s, l, v, &step);
    if (reroll_end(l, r.of, step))
        return w->of[loop].at[reroll_end(l, r.of, step) - 1];
    if (step + 1 == reroll_steps(&l->run) && w->of[loop].last[r.of] >= 0)
        return w->of[loop].at[w->of[loop].last[r.of]];
    r.start = step;
    const ir_ref rows = array_of(w, &r, &start, &none);
    return ir_reshape(w->b, ir_slice_axis(w->b, rows, 0, start, start + 1), type->rank,
                      type->dims);
}

ir_ref
pass_reroll_value_of(rerolling *w, ir_ref v)
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

typedef struct scan_body {
    ir_build *b;
    const reroll_loop *l;
    ir_ref *same, *carry, *number, *row, *value;
} scan_body;

/* The type of a value of the step. */
static const ir_type *
type_of_value(const rerolling *w, const reroll_loop *l, uint32_t value)
{
    const uint32_t j = node_of_value(l, value);

    return ir_type_at(w->s.f,
                      reroll_node(&w->s, l->run.first + j)->first + value - l->value[j]);
}

/* The consts: what is the same in all steps, and arrays whose rows are read. same: by value
 * that is the same: what it is outside; IR_NONE: it is made in the body, too, or not used. */
static void
add_consts(rerolling *w, scan_body *y, const ir_ref *same)
{
    const reroll_loop *l = y->l;
    int64_t start, step;

    for (uint32_t i = 0; i < l->n_same; i++)
        if (same[i])
            y->same[i] = ir_input(y->b, ir_type_at(w->s.f, l->same[i]), NULL);
        else if (ir_def(w->s.f, l->same[i]) &&
                 reroll_place(&w->s, l->same[i]) == REROLL_NOWHERE)
            ir_copy_node(y->b, ir_def(w->s.f, l->same[i]), NULL, &y->same[i]);
    for (uint32_t i = 0; i < l->n_row; i++)
        if (l->row[i].number >= 0)
            y->row[i] =
                ir_input(y->b, ir_btype(w->b, array_of(w, &l->row[i], &start, &step)), NULL);
}

/* Row `at` of an array, as a value of the type. */
static ir_ref
read_row(ir_build *b, ir_ref array, ir_ref at, const ir_type *type)
{
    const ir_type *t = ir_btype(b, array);
    int64_t sizes[COT_MAX_RANK] = { 1 };
    ir_ref in[COT_MAX_RANK + 1] = { array, at };

    for (int i = 1; i < t->rank; i++) {
        sizes[i] = t->dims[i];
        in[i + 1] = ir_splat_int(b, ir_btype(b, at), 0);
    }
    const ir_ref row = ir_node1(b, OP_dynamic_slice, t->rank + 1, in,
                                &(ir_attrs){ .sizes = { { t->rank, sizes } } });
    return ir_reshape(b, row, type->rank, type->dims);
}

static void
add_inputs(rerolling *w, scan_body *y, const reroll_results *r, const ir_ref *same)
{
    const reroll_loop *l = y->l;
    ir_arena *a = w->s.a;

    y->same = IR_NEW_N(a, ir_ref, l->n_same + 1);
    y->carry = IR_NEW_N(a, ir_ref, l->n_carry + 1);
    y->number = IR_NEW_N(a, ir_ref, l->n_number + 1);
    y->row = IR_NEW_N(a, ir_ref, l->n_row + 1);
    y->value = IR_NEW_N(a, ir_ref, l->n_values + 1);
    add_consts(w, y, same);
    for (uint32_t i = 0; i < l->n_carry; i++)
        y->carry[i] = ir_input(y->b, ir_type_at(w->s.f, l->carry[i].start), NULL);
    for (uint32_t i = 0; i < l->n_number; i++)
        y->number[i] = ir_input(y->b, l->number[i].type, NULL);
    for (int i = 0; i < r->n_end; i++)
        ir_input(y->b, type_of_value(w, l, r->end[i]), NULL);
    for (uint32_t i = 0; i < l->n_row; i++)
        y->row[i] =
            l->row[i].number < 0
                ? ir_input(y->b, l->row[i].type, NULL)
                : read_row(y->b, y->row[i], y->number[l->row[i].number], l->row[i].type);
}

static ir_ref
operand_in(const scan_body *y, const reroll_operand *x)
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
move_in(const scan_body *y, const ir_graph *f, const ir_node *n, const reroll_moving *moving,
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
copy_step(rerolling *w, scan_body *y)
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

/* The results: carries and numbers of the next step, what is used once the loop ends, as
 * carries that no step reads, then the rows. */
static void
add_outputs(rerolling *w, const scan_body *y, const reroll_results *r)
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
        const ir_data *d =
            &ir_def(w->s.f, r->value[reverse ? steps - 1 - t : t])->at->constant.data;
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

/* A loop that reads arrays from their ends, and none from its beginning, is a reverse scan:
 * nothing is turned around. */
static bool
goes_back(rerolling *w, const reroll_loop *l)
{
    int64_t start, step;
    bool any = false;

    for (uint32_t i = 0; i < l->n_row; i++) {
        if (l->row[i].kind == REROLL_CONSTANTS || l->row[i].number >= 0)
            continue;
        array_of(w, &l->row[i], &start, &step);
        if (step > 0)
            return false;
        any = true;
    }
    return any;
}

/* The rows of r for the scan to hand out. */
static ir_ref
rows_of(rerolling *w, const reroll_row *r, int64_t steps, bool reverse)
{
    const ir_type *type = ir_type_open(w->b->ctx, r->type, 0, steps);
    int64_t start, step;

    if (r->kind == REROLL_CONSTANTS)
        return constant_rows(w, r, steps, reverse);
    ir_ref x = array_of(w, r, &start, &step);
    x = reverse ? moved_rows(w->b, x, start + (steps - 1) * step, -step, steps)
                : moved_rows(w->b, x, start, step, steps);
    return ir_reshape(w->b, x, type->rank, type->dims);
}

/* Is each node of the step computed element by element? */
static bool
is_elementwise(const rerolling *w, const reroll_loop *l)
{
    for (uint32_t j = 0; j < l->run.period; j++) {
        const ir_op_flag flag = ir_ops[reroll_node(&w->s, l->run.first + j)->op].flag;
        if (flag != IR_POINTWISE && flag != IR_MOVE)
            return false;
    }
    return true;
}

/* Large rows that are not all of an array would be copied for the scan: the steps read them in
 * their place.  Not so elementwise steps, which are one kernel that reads what a scan hands
 * out. */
static void
place_rows(rerolling *w, reroll_loop *l)
{
    const ir_type *index = ir_scalar_type(w->b->ctx, COT_I32);
    const uint32_t steps = reroll_steps(&l->run);
    int64_t start, step;

    if (is_elementwise(w, l))
        return;
    for (uint32_t i = 0; i < l->n_row; i++) {
        reroll_row *r = &l->row[i];
        if (r->kind == REROLL_CONSTANTS || r->type->size <= FEW_ELEMENTS)
            continue;
        const ir_type *t = ir_btype(w->b, array_of(w, r, &start, &step));
        if (t->dims[0] > INT32_MAX || (t->dims[0] == steps && (step == 1 || step == -1)))
            continue;
        r->number = (int)l->n_number;
        IR_PUSH(w->s.a, l->number, l->n_number, l->cap_number,
                ((reroll_number){ index, start, step }));
    }
}

/* Which values of the step are results of the scan, and where among these. */
static void
choose_results(rerolling *w, uint32_t loop)
{
    const reroll_loop *l = &w->loop[loop];
    reroll_results *r = &w->of[loop];
    ir_arena *a = w->s.a;
    int n = (int)(l->n_carry + l->n_number);

    r->last = IR_NEW_N(a, int, l->n_values);
    r->all = IR_NEW_N(a, ir_ref, l->n_values);
    r->end = IR_NEW_N(a, uint32_t, l->n_values);
    r->rows = IR_NEW_N(a, uint32_t, l->n_values);
    for (uint32_t i = 0; i < l->n_values; i++)
        r->last[i] = -1;
    for (uint32_t i = 0; i < l->n_values; i++)
        if (l->last[i] && !l->all[i]) {
            r->last[i] = n++;
            r->end[r->n_end++] = i;
        }
    for (uint32_t i = 0; i < l->n_values; i++)
        if (l->all[i] && row_that_is(w, l, i) < 0)
            r->rows[r->n_rows++] = i;
    r->at = IR_NEW_N(a, ir_ref, n + r->n_rows + 1);
}

/* By value that is the same in all steps: is it more than an array of which steps take rows? */
static bool *
used_in_steps(const rerolling *w, const reroll_loop *l)
{
    bool *used = IR_NEW_N(w->s.a, bool, l->n_same + 1);

    for (uint32_t j = 0; j < l->run.period; j++) {
        const int n = reroll_node(&w->s, l->run.first + j)->n_in;
        for (int k = l->moving[j] && l->moving[j]->row >= 0; k < n; k++)
            if (l->operand[l->in[j] + (uint32_t)k].from == REROLL_SAME)
                used[l->operand[l->in[j] + (uint32_t)k].at] = true;
    }
    return used;
}

/* The operands of the scan; how many of them are consts.  same[] as add_inputs has it. */
static int
add_operands(rerolling *w, const reroll_loop *l, const reroll_results *r, ir_ref *same,
             ir_ref *in, int *n)
{
    const int64_t steps = reroll_steps(&l->run);
    const bool *used = used_in_steps(w, l);
    int64_t start, step;
    int k = 0;

    for (uint32_t i = 0; i < l->n_same; i++)
        if (used[i] &&
            (reroll_place(&w->s, l->same[i]) != REROLL_NOWHERE || !ir_def(w->s.f, l->same[i])))
            in[k++] = same[i] = pass_reroll_value_of(w, l->same[i]);
    for (uint32_t i = 0; i < l->n_row; i++)
        if (l->row[i].number >= 0)
            in[k++] = array_of(w, &l->row[i], &start, &step);
    const int consts = k;
    for (uint32_t i = 0; i < l->n_carry; i++)
        in[k++] = pass_reroll_value_of(w, l->carry[i].start);
    for (uint32_t i = 0; i < l->n_number; i++)
        in[k++] = ir_splat_int(w->b, l->number[i].type, l->number[i].start);
    for (int i = 0; i < r->n_end; i++)
        in[k++] = ir_zeros(w->b, type_of_value(w, l, r->end[i]));
    for (uint32_t i = 0; i < l->n_row; i++)
        if (l->row[i].number < 0)
            in[k++] = rows_of(w, &l->row[i], steps, r->reverse);
    *n = k;
    return consts;
}

void
pass_reroll_make(rerolling *w, uint32_t loop)
{
    reroll_loop *l = &w->loop[loop];
    reroll_results *r = &w->of[loop];
    ir_arena *a = w->s.a;
    ir_ref *same = IR_NEW_N(a, ir_ref, l->n_same + 1);
    int n_in;

    place_rows(w, l);
    choose_results(w, loop);
    r->reverse = goes_back(w, l);
    ir_ref *in = IR_NEW_N(
        a, ir_ref, l->n_same + l->n_carry + l->n_number + (uint32_t)r->n_end + l->n_row + 1);
    w->b->loc = reroll_node(&w->s, l->run.first)->loc;
    const int consts = add_operands(w, l, r, same, in, &n_in);
    scan_body y = { .b = pass_flow_begin(w->b, "step"), .l = l };
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
    for (int i = 0; i < r->n_rows; i++)
        r->all[r->rows[i]] = r->at[l->n_carry + l->n_number + (uint32_t)(r->n_end + i)];
}
