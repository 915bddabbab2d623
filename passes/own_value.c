/* pass_own: the two forms of a value, and the calls of C code that make one of the other.
 *
 * A form is made where it is asked for, so that nothing is sent that no node reads.  What waits
 * for that is a sum, which may be wanted whole or by rows, and a list of picked rows. */
#include "ir/custom.h"
#include "passes/own.h"

/* ---- which axes are parted ---- */

bool
pass_own_same(own_form x, own_form y)
{
    return memcmp(x.of, y.of, sizeof x.of) == 0;
}

bool
pass_own_is_whole(own_form form)
{
    return pass_own_same(form, (own_form){ { 0 } });
}

own_form
pass_own_with(own_form form, pass_among among, int axis)
{
    form.of[among] = axis < 0 ? 0 : (uint8_t)(1 + axis);
    return form;
}

own_form
pass_own_shifted(own_form form, int by)
{
    for (int k = 0; k < PASS_AMONGS; k++)
        if (form.of[k])
            form = pass_own_with(form, (pass_among)k, form.of[k] - 1 + by);
    return form;
}

own_form
pass_own_permuted(own_form form, ir_ints perm)
{
    own_form to = { { 0 } };

    for (int i = 0; i < perm.n; i++) {
        const pass_among among = pass_own_among(form, (int)perm.at[i]);
        if (among < PASS_AMONGS)
            to = pass_own_with(to, among, i);
    }
    return to;
}

pass_among
pass_own_among(own_form form, int axis)
{
    int k = 0;

    while (k < PASS_AMONGS && form.of[k] != 1 + axis)
        k++;
    return (pass_among)k;
}

/* ---- what a process owns, and calls ---- */

int
pass_own_sharing(const own_program *p, pass_among among)
{
    switch (among) {
    case PASS_AMONG_COLUMN: return p->world->size / p->columns;
    case PASS_AMONG_ROW: return p->columns;
    default: return p->world->size;
    }
}

int64_t
pass_own_owners(const own_program *p, pass_among among)
{
    return p->world->owners(p->rule, among, p->columns);
}

pass_owned
pass_own_share(const own_walk *w, pass_among among, int64_t groups, int64_t *list)
{
    const pass_world *world = w->program->world;

    return world->owned(pass_own_owners(w->program, among), groups, world->size, world->rank,
                        list);
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

const ir_type *
pass_own_type(const own_walk *w, const ir_type *t, own_form form)
{
    for (int k = 0; k < PASS_AMONGS && t; k++)
        if (form.of[k]) {
            const int axis = form.of[k] - 1;
            t = pass_with_rows(w->b, t, axis,
                               pass_own_share(w, (pass_among)k, t->dims[axis], NULL).groups);
        }
    return t;
}

/* What a sum sends by each rule; it is asked again for as many groups as the last one. */
static void
count_parts(own_program *p, pass_among among, int64_t groups, double bytes)
{
    const int sharing = pass_own_sharing(p, among);

    if (groups != p->counted || sharing != p->sharing)
        for (int rule = 0; rule < 2; rule++)
            p->parts[rule] = p->world->parts((pass_own_rule)rule, groups, sharing);
    p->counted = groups;
    p->sharing = sharing;
    for (int rule = 0; rule < 2; rule++)
        p->sent[rule] += (double)p->parts[rule] * bytes;
}

ir_ref
pass_own_reduce(own_walk *w, ir_ref x, pass_among among, int64_t groups, ir_combine by,
                const ir_type *t, int64_t all, int64_t parted)
{
    int64_t m = 1;

    if (!x || !t)
        return IR_NONE;
    for (int k = 0; k < t->rank; k++)
        m *= k == 0 && parted >= 0 ? parted : t->dims[k];
    if (by == IR_BY_SUM)
        count_parts(w->program, among, groups, (double)all * (double)cot_dtype_size(t->dtype));
    return pass_own_call(w, PASS_WORLD_REDUCE, x, t,
                         pass_numbers(w->b, 7,
                                      (int64_t[]){ pass_own_owners(w->program, among), groups,
                                                   by, parted, t->dtype, m, all }));
}

int64_t
pass_row_bytes(const ir_type *t)
{
    int64_t n = (int64_t)cot_dtype_size(t->dtype);

    for (int i = 1; i < t->rank; i++)
        n *= t->dims[i];
    return n;
}

/* ---- from one form to another ---- */

/* Own rows along an axis of so many groups, put together. */
static ir_ref
gather(own_walk *w, ir_ref x, pass_among among, int axis, int64_t groups)
{
    x = ir_move_axis(w->b, x, axis, 0);
    if (!x)
        return IR_NONE;
    const int64_t row = pass_row_bytes(ir_btype(w->b, x));
    x = pass_own_call(
        w, PASS_WORLD_GATHER, x, pass_with_rows(w->b, ir_btype(w->b, x), 0, groups),
        pass_numbers(w->b, 3, (int64_t[]){ pass_own_owners(w->program, among), groups, row }));
    return ir_move_axis(w->b, x, 0, axis);
}

/* The numbers of the own groups, [n, 1]: a constant, or found when the program runs. */
static ir_ref
own_groups(own_walk *w, pass_among among, int64_t groups, int64_t n)
{
    ir_build *b = w->b;
    const ir_type *t = ir_type_new(b->ctx, COT_I64, 2, (const int64_t[]){ n, 1 });

    if (w->program->world->any)
        return pass_own_call(
            w, PASS_WORLD_ROWS, ir_splat_int(b, ir_type_new(b->ctx, COT_U8, 0, NULL), 0), t,
            pass_numbers(b, 2, (int64_t[]){ pass_own_owners(w->program, among), groups }));
    int64_t *list = IR_NEW_N(b->arena, int64_t, n + 1);
    pass_own_share(w, among, groups, list);
    return ir_constant(b, t, list);
}

/* The own rows of x along an axis: of one that is broadcast, a slice, or a gather of rows. */
static ir_ref
take_rows(own_walk *w, ir_ref x, pass_among among, int axis)
{
    ir_build *b = w->b;
    const ir_type *t = x ? ir_btype(b, x) : NULL;
    int64_t rest[COT_MAX_RANK], sizes[COT_MAX_RANK];
    const int64_t at = axis;
    int n = 0;

    if (!t)
        return IR_NONE;
    const pass_owned own = pass_own_share(w, among, t->dims[axis], NULL);
    const ir_ref one = pass_same_along(b, x, axis);
    if (one)
        return ir_broadcast_axis(b, one, axis, own.groups);
    if (w->program->rule == PASS_OWN_RUNS && !w->program->world->any)
        return ir_slice_axis(b, x, axis, own.first, own.first + own.groups);
    for (int k = 0; k < t->rank; k++) {
        sizes[k] = k == axis ? 1 : t->dims[k];
        if (k != axis)
            rest[n++] = k;
    }
    const ir_ref i = own_groups(w, among, t->dims[axis], own.groups);
    const ir_ints none = { 0, NULL }, place = { 1, &at };
    return ir_node1(
        b, OP_gather, 2, (ir_ref[]){ x, i },
        &(ir_attrs){
            .gather = {
                { n, rest }, place, none, none, place, { t->rank, sizes }, IR_MODE_PROMISE } });
}

/* x, whose whole type is t, in another form.  What is parted otherwise is gathered first, so
 * that nothing is parted twice. */
static ir_ref
convert(own_walk *w, ir_ref x, const ir_type *t, own_form from, own_form to)
{
    for (int k = 0; k < PASS_AMONGS && x; k++)
        if (from.of[k] && from.of[k] != to.of[k])
            x = gather(w, x, (pass_among)k, from.of[k] - 1, t->dims[from.of[k] - 1]);
    for (int k = 0; k < PASS_AMONGS && x; k++)
        if (to.of[k] && from.of[k] != to.of[k])
            x = take_rows(w, x, (pass_among)k, to.of[k] - 1);
    return x;
}

void
pass_own_set(own_walk *w, ir_ref v, ir_ref y, own_form form)
{
    if (pass_own_is_whole(form)) {
        w->whole[v] = y;
        return;
    }
    w->rows[v] = y;
    w->form[v] = form;
}

/* ---- sums that no node has read yet ---- */

bool
pass_own_is_unread(const own_walk *w, ir_ref v)
{
    return w->sum[v] && !w->whole[v] && !w->rows[v];
}

static ir_ints
perm_of(const own_sum *s)
{
    return (ir_ints){ s->perm ? s->type->rank : 0, s->perm };
}

static own_form
form_of_sum(const own_sum *s)
{
    return s->perm ? pass_own_permuted(s->form, perm_of(s)) : s->form;
}

/* Rows along an axis of the transposed sum.  The call makes them of its first axis, to which
 * the axis goes in the operand. */
static ir_ref
sum_rows(own_walk *w, const own_sum *s, int axis)
{
    ir_build *b = w->b;
    const int from = s->perm ? (int)s->perm[axis] : axis;
    const int64_t n = s->type->dims[from], own = pass_own_share(w, s->among, n, NULL).groups;
    const ir_type *all = pass_own_type(w, s->type, s->form),
                  *row = all ? ir_type_close(b->ctx, all, from) : NULL,
                  *t = row ? ir_type_open(b->ctx, row, 0, own) : NULL;
    const ir_ref x = ir_move_axis(b, s->rows, from + 1, 1);

    return ir_move_axis(
        b, pass_own_reduce(w, x, s->among, s->groups, IR_BY_SUM, t, s->type->size, n), 0, from);
}

/* Makes a sum as it is wanted: with own rows of one axis among those who share the groups, if
 * that is what is wanted, or else with all of it. */
static void
make_sum(own_walk *w, ir_ref v, own_form wanted)
{
    const own_sum *s = w->sum[v];
    const int axis = wanted.of[s->among] - 1;
    own_form form = form_of_sum(s);
    ir_ref y;

    if (axis >= 0 && pass_own_among(form, axis) == PASS_AMONGS) {
        y = sum_rows(w, s, axis);
        form = pass_own_with(form, s->among, axis);
    } else
        y = pass_own_reduce(w, s->rows, s->among, s->groups, IR_BY_SUM,
                            pass_own_type(w, s->type, s->form), s->type->size, -1);
    if (y && s->perm)
        y = ir_transpose(w->b, y, s->perm);
    pass_own_set(w, v, y, form);
}

/* ---- values ---- */

/* What own_rows.c has noted, of the whole value. */
static ir_ref
whole_picked(own_walk *w, ir_ref v)
{
    const own_picked *p = w->picked[v];
    const ir_ref x = pass_own_whole(w, p->base);
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

own_form
pass_own_form(const own_walk *w, ir_ref v)
{
    if (w->whole[v])
        return (own_form){ { 0 } };
    if (w->rows[v])
        return w->form[v];
    return w->sum[v] ? form_of_sum(w->sum[v]) : (own_form){ { 0 } };
}

bool
pass_is_parted(const own_walk *w, ir_ref v)
{
    return !pass_own_is_whole(pass_own_form(w, v));
}

ir_ref
pass_own_whole(own_walk *w, ir_ref v)
{
    const own_form whole = { { 0 } };

    if (pass_own_is_unread(w, v))
        make_sum(w, v, whole);
    if (w->whole[v])
        return w->whole[v];
    if (w->rows[v])
        w->whole[v] = convert(w, w->rows[v], ir_type_at(w->f, v), w->form[v], whole);
    else if (w->picked[v])
        w->whole[v] = whole_picked(w, v);
    return w->whole[v];
}

/* Is a part of what is parted in one form parted as well in the other? */
static bool
have_common(own_form x, own_form y)
{
    for (int k = 0; k < PASS_AMONGS; k++)
        if (x.of[k] && x.of[k] == y.of[k])
            return true;
    return false;
}

ir_ref
pass_own_as(own_walk *w, ir_ref v, own_form form)
{
    const ir_type *t = ir_type_at(w->f, v);

    if (pass_own_is_unread(w, v))
        make_sum(w, v, form);
    if (w->rows[v] && pass_own_same(w->form[v], form))
        return w->rows[v];
    if (w->rows[v] && !w->whole[v] && have_common(w->form[v], form))
        return convert(w, w->rows[v], t, w->form[v], form);
    return convert(w, pass_own_whole(w, v), t, (own_form){ { 0 } }, form);
}

ir_ref
pass_own_own(own_walk *w, ir_ref v)
{
    return pass_own_as(w, v, pass_own_form(w, v));
}
