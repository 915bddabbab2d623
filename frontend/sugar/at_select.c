/* An index as in NumPy becomes a selection: a box of x with strides and reversals (the basic
 * part, which spans and integers say), and integers for some axes of that box (the advanced
 * part, which values say). */
#include "frontend/sugar/at.h"

#include "passes/lens.h"

cot_at
cot_at_int(int64_t i)
{
    return (cot_at){ .kind = COT_AT_INT, .start = i };
}
cot_at
cot_at_newaxis(void)
{
    return (cot_at){ .kind = COT_AT_NEWAXIS };
}
cot_at
cot_at_ellipsis(void)
{
    return (cot_at){ .kind = COT_AT_ELLIPSIS };
}
cot_at
cot_at_value(cot_value v)
{
    return (cot_at){ .kind = COT_AT_VALUE, .value = v };
}
cot_at
cot_at_same(cot_at a)
{
    return a;
}

cot_at
cot_at_span(int64_t start, int64_t stop, int64_t step)
{
    return (cot_at){ .kind = COT_AT_SPAN, .start = start, .stop = stop, .step = step };
}

cot_at
cot_at_mask(cot_value mask, int64_t bound)
{
    return (cot_at){ .kind = COT_AT_MASK, .value = mask, .start = bound };
}

/* Axis k of x stays or, taken by an integer, leaves. */
static void
keep_axis(fe_at_selection *s, int k)
{
    s->out[s->n_out++] = k;
    s->closed |= s->arrays_at >= 0;
}

/* An array stands here: the first of them says where their axes go. */
static void
note_array(fe_at_selection *s)
{
    if (s->arrays_at < 0) {
        s->arrays_at = s->n_out;
        s->out[s->n_out++] = FE_AT_ARRAYS;
    }
    s->separated |= s->closed;
}

/* Start and limit as Python's slice.indices has them, then ascending. */
static bool
read_span(ir_build *b, fe_at_selection *s, const cot_at *a, int i, int k)
{
    const int64_t n = s->t->dims[k], step = a->step;
    int64_t lo = step < 0 ? -1 : 0, hi = step < 0 ? n - 1 : n;
    int64_t from = a->start, to = a->stop;

    if (step == 0 || step == COT_NONE) {
        ir_build_fail(b, s->op, ERR_at_span, i);
        return false;
    }
    from = from == COT_NONE ? (step < 0 ? hi : lo) : from < 0 ? from + n : from;
    to = to == COT_NONE ? (step < 0 ? lo : hi) : to < 0 ? to + n : to;
    from = from < lo ? lo : from > hi ? hi : from;
    to = to < lo ? lo : to > hi ? hi : to;
    const int64_t by = step < 0 ? -step : step, d = step < 0 ? from - to : to - from;
    const int64_t count = d > 0 ? (d - 1) / by + 1 : 0;
    s->size[k] = count;
    s->stride[k] = count > 1 ? by : 1;
    s->start[k] = count == 0 ? 0 : step < 0 ? from - (count - 1) * by : from;
    s->limit[k] = count == 0 ? 0 : s->start[k] + (count - 1) * s->stride[k] + 1;
    if (step < 0 && count > 1)
        s->reversed |= ir_axes_of(k);
    keep_axis(s, k);
    return true;
}

static bool
read_int(ir_build *b, fe_at_selection *s, const cot_at *a, int k, bool advanced)
{
    const int64_t i = a->start < 0 ? a->start + s->t->dims[k] : a->start;

    if (i < 0 || i >= s->t->dims[k]) {
        ir_build_fail(b, s->op, ERR_index_range, (long long)a->start, k,
                      ir_type_str(b->ctx, s->t));
        return false;
    }
    s->start[k] = i;
    s->limit[k] = i + 1;
    s->size[k] = 1;
    s->taken |= ir_axes_of(k);
    if (advanced)
        note_array(s);
    return true;
}

/* Integers v for axis k. */
static void
add_array(fe_at_selection *s, ir_ref v, int k)
{
    s->array[k] = v;
    s->n_array++;
}

static bool
mask_fits(ir_build *b, const fe_at_selection *s, const ir_type *m, int i, int k)
{
    if (m->rank > 0 && k + m->rank <= s->t->rank &&
        memcmp(m->dims, s->t->dims + k, sizeof *m->dims * (size_t)m->rank) == 0)
        return true;
    ir_build_fail(b, s->op, ERR_at_mask, i, ir_type_str(b->ctx, m), ir_type_str(b->ctx, s->t));
    return false;
}

/* The places where a mask holds: one array of them for each of its axes. */
static bool
read_mask(ir_build *b, fe_at_selection *s, ir_ref mask, int64_t bound, int i, int k)
{
    const ir_type *m = ir_btype(b, mask);
    ir_ref count;

    if (!mask_fits(b, s, m, i, k))
        return false;
    if (bound < 1) {
        ir_build_fail(b, s->op, ERR_at_unbounded, ir_type_str(b->ctx, m), i);
        return false;
    }
    ir_ref rows = fe_places(b, mask, bound, -1, &count);
    for (int j = 0; j < m->rank && rows; j++)
        add_array(s, ir_reshape(b, ir_slice_axis(b, rows, 1, j, j + 1), 1, &bound), k + j);
    if (rows) {
        ir_ref place = ir_iota(b, ir_btype(b, count)->dtype, 1, &bound, 0);
        ir_ref in = ir_op2(b, OP_lt, place, ir_broadcast_scalar(b, count, ir_btype(b, place)));
        s->valid = s->valid ? ir_op2(b, OP_and, s->valid, in) : in;
    }
    s->dropped = true;
    note_array(s);
    return rows != IR_NONE;
}

static bool
read_value(ir_build *b, const fe_at_call *c, fe_at_selection *s, ir_ref v, int i, int k,
           bool advanced)
{
    const ir_type *t = ir_btype(b, v);

    if (t->dtype == COT_BOOL && c->update && !s->mask) {
        s->mask = v;
        s->mask_axis = k;
        return mask_fits(b, s, t, i, k);
    }
    if (t->dtype == COT_BOOL)
        return read_mask(b, s, v, 0, i, k);
    if (!ir_is_int(t->dtype)) {
        ir_build_fail(b, s->op, ERR_at_value, i, ir_type_str(b->ctx, t));
        return false;
    }
    add_array(s, fe_from_start(b, v, s->t->dims[k]), k);
    if (advanced)
        note_array(s);
    return true;
}

/* How many axes an entry stands for. */
static int
width(ir_build *b, const cot_at *a, ir_ref v)
{
    if (a->kind == COT_AT_NEWAXIS || a->kind == COT_AT_ELLIPSIS)
        return 0;
    return v && ir_btype(b, v)->dtype == COT_BOOL ? ir_btype(b, v)->rank : 1;
}

/* The values of the entries; how many axes are left for an ellipsis; -1 if they do not fit. */
static int
resolve(ir_build *b, const fe_at_call *c, fe_at_selection *s, ir_ref *v, bool *advanced)
{
    int used = 0, dots = 0;

    for (int i = 0; i < c->at.n; i++) {
        const cot_at *a = &FE_AT(c->at)[i];
        const bool held = a->kind == COT_AT_VALUE || a->kind == COT_AT_MASK;
        v[i] = held ? fe_resolve(b->ctx->trace, a->value, s->op, i) : IR_NONE;
        if (held && !v[i])
            return -1;
        if (a->kind == COT_AT_MASK && ir_btype(b, v[i])->dtype != COT_BOOL) {
            ir_build_fail(b, s->op, ERR_at_mask, i, ir_type_str(b->ctx, ir_btype(b, v[i])),
                          ir_type_str(b->ctx, s->t));
            return -1;
        }
        *advanced |= held && ir_btype(b, v[i])->rank > 0;
        used += width(b, a, v[i]);
        dots += a->kind == COT_AT_ELLIPSIS;
    }
    if (used <= s->t->rank && dots <= 1)
        return s->t->rank - used;
    ir_build_fail(b, s->op, ERR_at_count, used, ir_type_str(b->ctx, s->t));
    return -1;
}

static bool
read_entry(ir_build *b, const fe_at_call *c, fe_at_selection *s, int i, ir_ref v, int k,
           int rest, bool advanced)
{
    const cot_at *a = &FE_AT(c->at)[i];

    switch (a->kind) {
    case COT_AT_INT: return read_int(b, s, a, k, advanced);
    case COT_AT_SPAN: return read_span(b, s, a, i, k);
    case COT_AT_NEWAXIS: keep_axis(s, FE_AT_NEW); return true;
    case COT_AT_VALUE: return read_value(b, c, s, v, i, k, advanced);
    case COT_AT_MASK: return read_mask(b, s, v, a->start, i, k);
    case COT_AT_ELLIPSIS: break;
    }
    for (int j = 0; j < rest; j++)
        keep_axis(s, k + j);
    s->closed |= s->arrays_at >= 0;
    return true;
}

/* The common shape of the arrays. */
static bool
meet_arrays(ir_build *b, fe_at_selection *s)
{
    fe_arg in[COT_MAX_RANK];
    ir_ref out[COT_MAX_RANK];
    int n = 0;

    for (int k = 0; k < s->t->rank; k++)
        if (s->array[k])
            in[n++] = (fe_arg){ s->array[k], COT_IS_VALUE, 0, 0 };
    if (n > 0 && !fe_unify(b, s->op, n, in, NULL, out))
        return false;
    for (int k = 0, i = 0; k < s->t->rank; k++)
        if (s->array[k])
            s->array[k] = out[i++];
    s->rank = n > 0 ? ir_btype(b, out[0])->rank : 0;
    if (n > 0)
        memcpy(s->shape, ir_btype(b, out[0])->dims, sizeof *s->shape * (size_t)s->rank);
    return true;
}

bool
fe_at_select(ir_build *b, const fe_at_call *c, const ir_type *t, fe_at_selection *s)
{
    ir_ref *v = IR_NEW_N(b->arena, ir_ref, c->at.n + 1);
    bool advanced = false, dots = false;
    int k = 0;

    s->t = t;
    s->arrays_at = -1;
    for (int i = 0; i < t->rank; i++) {
        s->limit[i] = s->size[i] = t->dims[i];
        s->stride[i] = 1;
    }
    int rest = resolve(b, c, s, v, &advanced);
    for (int i = 0; i < c->at.n && rest >= 0; i++) {
        if (s->n_out >= 2 * COT_MAX_RANK) {
            ir_build_fail(b, s->op, ERR_rank_limit, s->n_out);
            return false;
        }
        if (!read_entry(b, c, s, i, v[i], k, rest, advanced))
            return false;
        dots |= FE_AT(c->at)[i].kind == COT_AT_ELLIPSIS;
        k += FE_AT(c->at)[i].kind == COT_AT_ELLIPSIS ? rest : width(b, &FE_AT(c->at)[i], v[i]);
    }
    for (; rest >= 0 && !dots && k < t->rank; k++)
        keep_axis(s, k);
    return rest >= 0 && b->status == COT_OK && meet_arrays(b, s);
}
