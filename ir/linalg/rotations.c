/* Jacobi's rotations: the order of pairs, their angles, and when a sweep is the last (jacobi.c
 * has the method and its sources). */
#include "ir/linalg/jacobi.h"

ir_la_deal
ir_la_deal_of(ir_build *b, int64_t n)
{
    ir_la_deal d = { n, IR_NEW_N(b->arena, int32_t, n), IR_NEW_N(b->arena, int32_t, n) };
    const int64_t h = n / 2;

    for (int64_t i = 0; i < n; i++) {
        int64_t from = i;
        if (h > 1)
            from = i == 0 ? 0 : i == 1 ? h : i < h ? i - 1 : i < n - 1 ? i + 1 : h - 1;
        d.from[i] = (int32_t)from;
        d.with[i] = (int32_t)(from < h ? from + h : from - h);
    }
    return d;
}

/* tan of the angle is the smaller root of t^2 + 2 z t - 1 = 0, z = (q - p) / 2 r, for the pair
 * of rows with squares p, q and product r (in eigh: diagonal elements p, q and r where they
 * meet): r / (|d| + sqrt(d^2 + r^2)) with the sign of d = r z, where squares are harmless, as
 * those of a scaled matrix. */
static ir_ref
tangent(ir_build *b, bool scaled, ir_ref p, ir_ref q, ir_ref r, ir_ref active)
{
    ir_ref zero = ir_like(b, p, 0), one = ir_like(b, p, 1);
    ir_ref half = ir_like(b, p, 0.5);
    ir_ref d = ir_mul(b, ir_sub(b, q, p), half), by = one;

    if (!scaled) {
        d = ir_div(b, d, ir_select(b, active, r, one));
        r = one;
    }
    ir_ref product = scaled ? ir_mul(b, r, r) : one;
    by = ir_op1(b, OP_sqrt, ir_add(b, ir_mul(b, d, d), product));
    by = ir_add(b, ir_op1(b, OP_abs, d), by);
    ir_ref chosen = ir_select(b, active, by, one);
    ir_ref t = ir_div(b, ir_select(b, active, r, zero), chosen);
    ir_ref negative = ir_neg(b, t);
    return ir_select(b, ir_op2(b, OP_lt, d, zero), negative, t);
}

ir_la_rotations
ir_la_rotations_of(ir_build *b, bool scaled, ir_ref p, ir_ref q, ir_ref r, ir_ref bound)
{
    ir_ref size = ir_op1(b, OP_abs, r), active = ir_op2(b, OP_gt, size, bound), phase = IR_NONE;

    if (ir_la_is_complex(b, r)) {
        ir_ref by = ir_select(b, active, size, ir_like(b, size, 1));
        ir_ref u = ir_div(b, r, ir_convert(b, by, ir_btype(b, r)->dtype));
        phase = ir_select(b, active, u, ir_like(b, u, 1));
        r = size;
    }
    ir_ref t = tangent(b, scaled, p, q, r, active), one = ir_like(b, t, 1);
    ir_ref root = ir_op1(b, OP_sqrt, ir_add(b, ir_mul(b, t, t), one));
    return (ir_la_rotations){ ir_div(b, t, root), ir_div(b, t, ir_add(b, root, one)), phase };
}

ir_ref
ir_la_rotates(ir_build *b, const ir_la_rotations *t)
{
    return ir_op2(b, OP_ne, t->s, ir_like(b, t->s, 0));
}

void
ir_la_materialise(ir_build *b, ir_la_rotations *t)
{
    t->s = ir_op1(b, OP_barrier, t->s);
    t->tau = ir_op1(b, OP_barrier, t->tau);
    if (t->phase)
        t->phase = ir_op1(b, OP_barrier, t->phase);
}

uint8_t *
ir_la_met(ir_build *b, const ir_la_deal *d)
{
    const int64_t n = d->n;
    uint8_t *is = IR_NEW_N(b->arena, uint8_t, n *n);

    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < n; k++)
            is[i * n + k] = d->from[k] == d->with[i];
    return is;
}

ir_ref
ir_la_has_off_diagonal(ir_build *b, ir_ref a, ir_ref bound, int first)
{
    const ir_type *t = a ? ir_btype(b, a) : NULL;
    if (!t)
        return IR_NONE;
    const int64_t n = t->dims[first];
    int64_t dims[3] = { 1, 1, 1 };
    uint8_t *off = IR_NEW_N(b->arena, uint8_t, n *n);

    for (int64_t i = 0; i < n * n; i++)
        off[i] = i % (n + 1) != 0;
    dims[first] = dims[first + 1] = n;
    ir_ref size = ir_la_size(b, a);
    ir_ref large = ir_op2(b, OP_gt, size, ir_la_fit(b, bound, size));
    ir_ref mask =
        ir_la_fit(b, ir_constant(b, ir_type_new(b->ctx, COT_BOOL, 3, dims), off), large);
    return ir_reduce(b, OP_reduce_or, ir_op2(b, OP_and, large, mask),
                     ir_axes_of(0) | ir_axes_of(1) | ir_axes_of(2));
}

ir_ref
ir_la_svd_bound(ir_build *b, ir_ref p, ir_ref q, int64_t n)
{
    const double least = ir_la_precision(b, p) * (double)(n > 4 ? n / 2 : 2);
    ir_ref root = ir_op1(b, OP_sqrt, q);
    ir_ref size = ir_mul(b, ir_op1(b, OP_sqrt, p), root);

    return ir_mul(b, size, ir_like(b, size, least));
}

ir_graph *
ir_la_goes_on(ir_build *b, const ir_ref *x)
{
    ir_build *c = ir_sub_begin(b, "more");
    ir_ref in[5];

    for (int i = 0; i < 5; i++)
        in[i] = x[i] ? ir_input(c, ir_btype(b, x[i]), NULL) : IR_NONE;
    ir_output(c,
              ir_op2(c, OP_and, in[1], ir_op2(c, OP_lt, in[2], ir_la_number(c, IR_LA_SWEEPS))));
    return ir_sub_end(b, c);
}
