/* pass_own: the two forms of a value, and the calls of C code that make one of the other.
 *
 * A form is made where it is asked for, so that nothing is sent that no node reads.  What waits
 * for that is a sum, which may be wanted whole or by rows, and a list of picked rows. */
#include "ir/custom.h"
#include "passes/own.h"

pass_owned
pass_own_share(const own_walk *w, int64_t groups, int64_t *list)
{
    const pass_world *world = w->program->world;

    return world->owned(w->program->rule, groups, world->size, world->rank, list);
}

void
pass_own_calls(ir_build *b, const char *name, const char *prototype, ir_ints attrs, int n_in,
               const ir_ref *in, int n_out, const ir_type *const *t, ir_ref *out)
{
    ir_build *g = ir_build_new(b->ctx, name);
    ir_graph *forward;

    for (int i = 0; i < n_in; i++)
        ir_input(g, ir_btype(b, in[i]), NULL);
    for (int j = 0; j < n_out; j++)
        ir_output(g, ir_zeros(g, t[j]));
    const cot_status status = ir_build_end(g, &forward);
    if (status != COT_OK) {
        b->status = status;
        return;
    }
    ir_add_node(b, OP_custom_call, n_in, in,
                &(ir_attrs){ .custom = { .name = ir_intern(b->ctx, name),
                                         .attrs = attrs,
                                         .effects = true,
                                         .opaque = true,
                                         .prototype = prototype,
                                         .forward = forward } },
                out);
}

ir_ref
pass_own_call(own_walk *w, const char *name, ir_ref x, const ir_type *t, ir_ints attrs)
{
    ir_ref y = IR_NONE;

    if (x && t)
        pass_own_calls(w->b, name, NULL, attrs, 1, &x, 1, &t, &y);
    return y;
}

ir_ints
pass_numbers(ir_build *b, int n, const int64_t *x)
{
    return (ir_ints){ n, ir_copy_bytes(b->arena, x, sizeof *x * (size_t)n) };
}

const ir_type *
pass_with_rows(ir_build *b, const ir_type *t, int axis, int64_t n)
{
    const ir_type *row = ir_type_close(b->ctx, t, axis);

    return row ? ir_type_open(b->ctx, row, axis, n) : NULL;
}

int64_t
pass_groups_of(const own_walk *w, ir_ref v)
{
    return ir_type_at(w->f, v)->dims[w->axis[v]];
}

/* Own rows along an axis, put together. */
static ir_ref
gather(own_walk *w, ir_ref x, int axis, int64_t groups)
{
    x = ir_move_axis(w->b, x, axis, 0);
    if (!x)
        return IR_NONE;
    const int64_t row = pass_row_bytes(ir_btype(w->b, x));
    x = pass_own_call(w, PASS_WORLD_GATHER, x,
                      pass_with_rows(w->b, ir_btype(w->b, x), 0, groups),
                      pass_numbers(w->b, 3, (int64_t[]){ w->program->rule, groups, row }));
    return ir_move_axis(w->b, x, 0, axis);
}

/* What a sum sends by each rule; it is asked again for as many groups as the last one. */
static void
count_parts(own_program *p, int64_t groups, int64_t bytes)
{
    if (groups != p->counted)
        for (int rule = 0; rule < 2; rule++)
            p->parts[rule] = p->world->parts((pass_own_rule)rule, groups, p->world->size);
    p->counted = groups;
    for (int rule = 0; rule < 2; rule++)
        p->sent[rule] += (double)p->parts[rule] * (double)bytes;
}

ir_ref
pass_own_reduce(own_walk *w, ir_ref x, int64_t groups, ir_combine by, const ir_type *t,
                int64_t parted)
{
    int64_t m = t->size;

    if (parted >= 0) {
        m = parted;
        for (int k = 1; k < t->rank; k++)
            m *= t->dims[k];
    }
    if (by == IR_BY_SUM)
        count_parts(w->program, groups, m * (int64_t)cot_dtype_size(t->dtype));
    return pass_own_call(
        w, PASS_WORLD_REDUCE, x, t,
        pass_numbers(w->b, 6,
                     (int64_t[]){ w->program->rule, groups, by, parted, t->dtype, m }));
}

/* A sum that no node has read yet. */
static ir_ref
reduce(own_walk *w, const own_sum *s, ir_ref x, const ir_type *t, int64_t parted)
{
    return pass_own_reduce(w, x, s->groups, IR_BY_SUM, t, parted);
}

int64_t
pass_row_bytes(const ir_type *t)
{
    int64_t n = (int64_t)cot_dtype_size(t->dtype);

    for (int i = 1; i < t->rank; i++)
        n *= t->dims[i];
    return n;
}

static ir_ref
whole_sum(own_walk *w, const own_sum *s)
{
    const ir_ref y = s->rows ? reduce(w, s, s->rows, s->type, -1) : IR_NONE;

    return y && s->perm ? ir_transpose(w->b, y, s->perm) : y;
}

/* Rows along an axis of the transposed sum.  The call makes them of its first axis, to which
 * the axis goes in the operand. */
static ir_ref
sum_rows(own_walk *w, const own_sum *s, int axis)
{
    ir_build *b = w->b;
    const int from = s->perm ? (int)s->perm[axis] : axis;
    const ir_ref x = ir_move_axis(b, s->rows, from + 1, 1);

    if (!x)
        return IR_NONE;
    const int64_t n = s->type->dims[from], own = pass_own_share(w, n, NULL).groups;
    const ir_type *row = ir_type_close(b->ctx, s->type, from),
                  *t = row ? ir_type_open(b->ctx, row, 0, own) : NULL;
    const ir_ref y = ir_move_axis(b, t ? reduce(w, s, x, t, n) : IR_NONE, 0, from);
    return y && s->perm ? ir_transpose(b, y, s->perm) : y;
}

/* Of own rows. */
static ir_ref
whole_rows(own_walk *w, ir_ref v)
{
    if (!w->whole[v])
        w->whole[v] = gather(w, w->rows[v], w->axis[v], pass_groups_of(w, v));
    return w->whole[v];
}

/* What own_rows.c has noted, of the whole value. */
static ir_ref
whole_picked(own_walk *w, ir_ref v)
{
    const own_picked *p = w->picked[v];
    const ir_ref x = whole_rows(w, p->base);
    ir_ref *part = IR_NEW_N(w->b->arena, ir_ref, p->n + 1);

    if (!x)
        return IR_NONE;
    for (int64_t k = 0; k < p->n; k++) {
        const int64_t first = p->run[2 * k], n = p->run[2 * k + 1];
        part[k] = first < 0
                      ? ir_zeros(w->b, pass_with_rows(w->b, ir_btype(w->b, x), p->axis, n))
                      : ir_slice_axis(w->b, x, p->axis, first, first + n);
    }
    return p->n ? ir_concatenate(w->b, (int)p->n, part, p->axis)
                : ir_slice_axis(w->b, x, p->axis, 0, 0);
}

ir_ref
pass_own_whole(own_walk *w, ir_ref v)
{
    if (w->whole[v])
        return w->whole[v];
    if (w->rows[v])
        return whole_rows(w, v);
    if (w->sum[v])
        w->whole[v] = whole_sum(w, w->sum[v]);
    else if (w->picked[v])
        w->whole[v] = whole_picked(w, v);
    return w->whole[v];
}

/* The numbers of the own groups, [n, 1]: a constant, or found when the program runs. */
static ir_ref
own_groups(own_walk *w, int64_t groups, int64_t n)
{
    ir_build *b = w->b;
    const ir_type *t = ir_type_new(b->ctx, COT_I64, 2, (const int64_t[]){ n, 1 });

    if (w->program->world->any)
        return pass_own_call(w, PASS_WORLD_ROWS,
                             ir_splat_int(b, ir_type_new(b->ctx, COT_U8, 0, NULL), 0), t,
                             pass_numbers(b, 2, (int64_t[]){ w->program->rule, groups }));
    int64_t *list = IR_NEW_N(b->arena, int64_t, n + 1);
    pass_own_share(w, groups, list);
    return ir_constant(b, t, list);
}

/* The own rows of x along an axis: a slice, or a gather of rows. */
static ir_ref
take_rows(own_walk *w, ir_ref x, int axis)
{
    ir_build *b = w->b;
    const ir_type *t = ir_btype(b, x);
    const pass_owned own = pass_own_share(w, t->dims[axis], NULL);
    int64_t rest[COT_MAX_RANK], sizes[COT_MAX_RANK];
    const int64_t at = axis;
    int n = 0;

    if (w->program->rule == PASS_OWN_RUNS && !w->program->world->any)
        return ir_slice_axis(b, x, axis, own.first, own.first + own.groups);
    for (int k = 0; k < t->rank; k++) {
        sizes[k] = k == axis ? 1 : t->dims[k];
        if (k != axis)
            rest[n++] = k;
    }
    const ir_ref i = own_groups(w, t->dims[axis], own.groups);
    const ir_ints none = { 0, NULL }, place = { 1, &at };
    return ir_node1(
        b, OP_gather, 2, (ir_ref[]){ x, i },
        &(ir_attrs){
            .gather = {
                { n, rest }, place, none, none, place, { t->rank, sizes }, IR_MODE_PROMISE } });
}

ir_ref
pass_own_rows(own_walk *w, ir_ref v, int axis)
{
    if (w->sum[v] && !w->whole[v] && !w->rows[v]) {
        w->rows[v] = sum_rows(w, w->sum[v], axis);
        w->axis[v] = axis;
    }
    if (w->rows[v] && w->axis[v] == axis)
        return w->rows[v];
    const ir_ref x = pass_own_whole(w, v), one = pass_same_along(w->b, x, axis);
    if (one)
        return ir_broadcast_axis(
            w->b, one, axis, pass_own_share(w, ir_type_at(w->f, v)->dims[axis], NULL).groups);
    return x ? take_rows(w, x, axis) : IR_NONE;
}

bool
pass_is_parted(const own_walk *w, ir_ref v)
{
    return w->rows[v] && !w->whole[v];
}
