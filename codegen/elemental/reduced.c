/* What a reduce node combines: its elements, how they combine, and what nothing is. */
#include "codegen/elemental/fold.h"

/* A step that is longer than any loop. */
#define ONCE ((int64_t)1 << 50)

cg_fold
cg_fold_of(ir_combine by, cot_dtype t)
{
    cg_fold d = { .type = ir_compute_type(t) };
    bool truth = t == COT_BOOL;
    switch (by) {
    case IR_BY_SUM:
        d.op = truth ? SC_or : SC_add;
        break;
    case IR_BY_PROD:
        d.op = truth ? SC_and : SC_mul;
        break;
    case IR_BY_MAX:
        d.op = truth ? SC_or : SC_max;
        break;
    case IR_BY_MIN:
        d.op = truth ? SC_and : SC_min;
        break;
    default:
        d.op = by == IR_BY_AND ? SC_and : SC_or;
    }
    return d;
}

int64_t
cg_reduced(const ir_graph *f, const ir_node *n, int *first, int *last)
{
    const ir_type *x = ir_type_at(f, n->in[0]);
    ir_axes axes = ir_reduced_axes(n);
    int64_t size = 1;
    *first = *last = 0;
    for (int k = 0; k < x->rank; k++)
        if (ir_axes_has(axes, k)) {
            if (*last == 0)
                *first = k;
            *last = k + 1;
            size *= x->dims[k];
        }
    return size;
}

/* Reduced axes need not be adjacent (a maximum takes any set). j numbers their elements in
 * row-major order. */
void
cg_reduced_index(cg_lowering *l, const ir_graph *f, const ir_node *n, const cg_ix *at, cg_ix j,
                 cg_ix *to)
{
    const ir_type *x = ir_type_at(f, n->in[0]);
    ir_axes axes = ir_reduced_axes(n);
    int64_t dims[COT_MAX_RANK];
    cg_ix along[COT_MAX_RANK];
    int m = 0, kept = 0;
    for (int k = 0; k < x->rank; k++)
        if (ir_axes_has(axes, k))
            dims[m++] = x->dims[k];
    if (m > 0)
        cg_ix_split(&l->ix, j, m, dims, along);
    m = 0;
    for (int k = 0; k < x->rank; k++)
        to[k] = ir_axes_has(axes, k) ? along[m++] : at[kept++];
}

cg_val
cg_fold_finish(cg_lowering *l, const ir_graph *f, const ir_node *n, cg_val x)
{
    cot_dtype t = ir_type_at(f, n->first)->dtype;
    return cg_convert(l, x, ir_compute_type(t), t);
}

/* The empty sum of floating-point numbers is +0, while sums start at -0.  The value is
 * carried by a loop that runs once, or not at all. */
cg_val
cg_unless_empty(cg_lowering *l, int64_t n, const cg_fold *how, cg_val x)
{
    cg_build *b = &l->b;

    if (how->op != SC_add || !ir_is_float(how->type) || !cg_is_open(l, n))
        return x;
    cg_val loop = cg_loop_begin(b, CG_SERIAL, cg_i64(b, 0), cg_i64(b, n), ONCE, 0);
    cg_val sum = cg_loop_carry(b, loop, how->type, cg_const(b, how->type, 0));
    cg_loop_next(b, loop, sum, x);
    cg_loop_end(b, loop);
    return cg_loop_result(b, loop, 0);
}
