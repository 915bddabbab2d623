/* chlo.ragged_dot: products of groups of rows.
 *
 * group_sizes splits the ragged axis of the left operand into runs, one after the other.  If
 * the axis is
 *
 *   free         rows of group g are multiplied with matrix g of the right operand
 *   contracted   group g gives matrix g of the result
 *   batched      groups do not interact, and the product is the plain one
 *
 * Both operands become arrays with an axis of groups in front, 0 outside of the group, as in
 * JAX; rows of no group are 0.  One list of sizes serves all examples, or each prefix of the
 * axes before the ragged one has its own. */
#include "frontend/stablehlo/import/rules.h"

#include "ir/diag.h"

typedef struct ragged {
    ir_ints lhs_batch, rhs_batch, lhs, rhs, axis, group;
} ragged;

static int
find(ir_ints list, int64_t x)
{
    for (int i = 0; i < list.n; i++)
        if (list.at[i] == x)
            return i;
    return -1;
}

static bool
read_numbers(hlo_emit *e, ragged *r)
{
    const hlo_op *const op = e->op;
    hlo_op numbers;

    if (!fe_hlo_record(e, "ragged_dot_dimension_numbers", &numbers))
        return false;
    e->op = &numbers;
    const bool good = fe_hlo_ints(e, "lhs_batching_dimensions", NULL, 0, 0, &r->lhs_batch) &&
                      fe_hlo_ints(e, "rhs_batching_dimensions", NULL, 0, 0, &r->rhs_batch) &&
                      fe_hlo_ints(e, "lhs_contracting_dimensions", NULL, 0, 0, &r->lhs) &&
                      fe_hlo_ints(e, "rhs_contracting_dimensions", NULL, 0, 0, &r->rhs) &&
                      fe_hlo_ints(e, "lhs_ragged_dimensions", NULL, 0, 0, &r->axis) &&
                      fe_hlo_ints(e, "rhs_group_dimensions", NULL, 0, 0, &r->group);
    e->op = op;
    if (good && (r->axis.n != 1 || r->axis.at[0] < 0 ||
                 r->axis.at[0] >= fe_hlo_in_type(e, 0)->rank || r->lhs.n != r->rhs.n))
        fe_hlo_fail(e, "wants one ragged axis of the left operand");
    return good && !fe_hlo_bad(e);
}

/* The axes of x that belong to the leading axes of group_sizes, which are all but its last one:
 * batch axes first, then contracted (or free) axes before the ragged one.  Returns their
 * number, or -1. */
static int
prefix(hlo_emit *e, int rank, ir_ints batch, ir_ints contracted, int64_t axis, int64_t *at)
{
    const int contracts = find(contracted, axis), want = fe_hlo_in_type(e, 2)->rank - 1;
    int n = 0;

    if (want == 0)
        return 0;
    for (int i = 0; i < batch.n; i++)
        at[n++] = batch.at[i];
    for (int i = 0; i < contracts; i++)
        at[n++] = contracted.at[i];
    for (int i = 0; contracts < 0 && i < axis && i < rank; i++)
        if (find(batch, i) < 0 && find(contracted, i) < 0)
            at[n++] = i;
    if (n != want)
        fe_hlo_fail(e, "group_sizes is %s; wants rank 1 or %d",
                    ir_type_str(e->b->ctx, fe_hlo_in_type(e, 2)), n + 1);
    return fe_hlo_bad(e) ? -1 : n;
}

/* x with an axis of groups in front: what group g has not is 0. */
static ir_ref
parted(hlo_emit *e, ir_ref x, int64_t axis, int n, const int64_t *along)
{
    ir_build *b = e->b;
    const ir_type *s = fe_hlo_in_type(e, 2);
    ir_ref wide = ir_broadcast_axis(b, x, 0, s->dims[s->rank - 1]);
    int64_t dims[COT_MAX_RANK];

    if (!wide || n < 0)
        return IR_NONE;
    const ir_type *t = ir_btype(b, wide);
    for (int i = 0; i < n; i++)
        dims[i] = along[i] + 1;
    dims[n] = 0;
    const ir_attrs sum = { .cumulate = { s->rank - 1, false } };
    ir_ref end = ir_node1(b, OP_cumsum, 1, &e->in[2], &sum);
    ir_ref start = end ? ir_sub(b, end, e->in[2]) : IR_NONE;
    if (!start)
        return IR_NONE;
    const ir_ints list = { n + 1, dims };
    start = fe_hlo_spread(e, start, t->rank, t->dims, list);
    end = fe_hlo_spread(e, end, t->rank, t->dims, list);
    ir_ref at = ir_iota(b, s->dtype, t->rank, t->dims, (int)axis + 1);
    ir_ref less = ir_op2(b, OP_lt, at, end);
    ir_ref in = ir_op2(b, OP_and, ir_op2(b, OP_le, start, at), less);
    return ir_select(b, in, wide, ir_zeros(b, t));
}

static ir_ints
shifted(ir_build *b, ir_ints list, bool front, bool back)
{
    int64_t *at = IR_NEW_N(b->arena, int64_t, list.n + 2);
    int n = 0;

    if (front)
        at[n++] = 0;
    for (int i = 0; i < list.n; i++)
        at[n++] = list.at[i] + 1;
    if (back)
        at[n++] = 0;
    return (ir_ints){ n, at };
}

/* The axis of groups of both is contracted, after the others. */
static ir_ref
free_rows(hlo_emit *e, const ragged *r, const ir_ref *x)
{
    int64_t along[2 * COT_MAX_RANK];
    int64_t *rhs = IR_NEW_N(e->b->arena, int64_t, r->rhs.n + 1);

    if (r->group.n != 1) {
        fe_hlo_fail(e, "wants one axis of groups of the right operand");
        return IR_NONE;
    }
    const int64_t axis = r->axis.at[0];
    const int n = prefix(e, fe_hlo_in_type(e, 0)->rank, r->lhs_batch, r->lhs, axis, along);
    ir_ref lhs = parted(e, x[0], axis, n, along);
    for (int i = 0; i < r->rhs.n; i++)
        rhs[i] = r->rhs.at[i];
    rhs[r->rhs.n] = r->group.at[0];
    return ir_dot(e->b, lhs, x[1], shifted(e->b, r->lhs, false, true),
                  (ir_ints){ r->rhs.n + 1, rhs }, shifted(e->b, r->lhs_batch, false, false),
                  r->rhs_batch);
}

/* The axis of groups of both is the first of the batch. */
static ir_ref
contracted_rows(hlo_emit *e, const ragged *r, const ir_ref *x)
{
    const int64_t axis[2] = { r->axis.at[0], r->rhs.at[find(r->lhs, r->axis.at[0])] };
    const ir_ints batch[2] = { r->lhs_batch, r->rhs_batch }, inner[2] = { r->lhs, r->rhs };
    int64_t along[2 * COT_MAX_RANK];
    ir_ref y[2] = { IR_NONE, IR_NONE };

    for (int i = 0; i < 2; i++) {
        const int rank = fe_hlo_in_type(e, i)->rank;
        const int n = prefix(e, rank, batch[i], inner[i], axis[i], along);
        if (axis[i] < 0 || axis[i] >= rank || n < 0)
            return IR_NONE;
        y[i] = parted(e, x[i], axis[i], n, along);
    }
    return ir_dot(e->b, y[0], y[1], shifted(e->b, r->lhs, false, false),
                  shifted(e->b, r->rhs, false, false), shifted(e->b, r->lhs_batch, true, false),
                  shifted(e->b, r->rhs_batch, true, false));
}

void
fe_hlo_ragged_dot(hlo_emit *e)
{
    const ir_type *sizes = fe_hlo_in_type(e, 2);
    cot_dtype as;
    ir_ref x[2];
    ragged r;

    if (!ir_is_int(sizes->dtype) || sizes->rank < 1) {
        fe_hlo_fail(e, "group_sizes is %s; wants a list of integers",
                    ir_type_str(e->b->ctx, sizes));
        return;
    }
    if (!read_numbers(e, &r))
        return;
    fe_hlo_product_operands(e, &as, x);
    if (find(r.lhs_batch, r.axis.at[0]) >= 0)
        e->out[0] = ir_dot(e->b, x[0], x[1], r.lhs, r.rhs, r.lhs_batch, r.rhs_batch);
    else if (find(r.lhs, r.axis.at[0]) >= 0)
        e->out[0] = contracted_rows(e, &r, x);
    else
        e->out[0] = free_rows(e, &r, x);
    if (e->out[0])
        e->out[0] = ir_convert(e->b, e->out[0], as);
}
