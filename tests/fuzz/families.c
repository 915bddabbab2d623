/* Steps of random graphs that make a little program at once: complex numbers from real values
 * to real parts, factors of matrices, the incomplete beta function. */
#include "tests/fuzz/grow.h"

/* The wider of f32 and f64 where most values are that. */
static cot_dtype
float_type(gen *g)
{
    return g->main == COT_F64 ? COT_F64 : COT_F32;
}

/* Complex numbers of two values of a real type. */
static ir_ref
joined(gen *g, const ir_type *parts)
{
    ir_ref re = grow_like(g, parts), im = grow_like(g, parts);

    return ir_op2(g->b, OP_complex, re, im);
}

static ir_ref
pointwise(gen *g, ir_ref z, const ir_type *parts)
{
    static const ir_op unary[] = { OP_neg,  OP_exp,   OP_log,      OP_sqrt, OP_sin,
                                   OP_cos,  OP_tan,   OP_tanh,     OP_sinh, OP_cosh,
                                   OP_conj, OP_sign,  OP_logistic, OP_asin, OP_acosh,
                                   OP_atan, OP_log1p, OP_expm1,    OP_rsqrt };
    static const ir_op binary[] = { OP_add, OP_sub, OP_mul, OP_div, OP_mul, OP_pow };
    const int kind = below(g, 9);

    if (kind == 8)
        return ir_op2(g->b, OP_mul, z, ir_op1(g->b, OP_conj, z));
    if (kind < 3)
        return ir_op1(g->b, unary[below(g, (int)(sizeof unary / sizeof *unary))], z);
    if (kind == 3)
        return ir_node1(g->b, OP_integer_pow, 1, &z,
                        &(ir_attrs){ .ipow = { below(g, 6) - 2 } });
    if (kind == 4)
        return ir_select(g->b, grow_like(g, ir_type_as(g->b->ctx, parts, COT_BOOL)), z,
                         ir_op1(g->b, OP_conj, z));
    return ir_op2(g->b, binary[below(g, 6)], z, joined(g, parts));
}

/* A transform of lines along the last axis, of a length that the op takes. */
static ir_ref
transform(gen *g, ir_ref z)
{
    const ir_type *t = type_of(g, z);
    int64_t n = t->rank ? t->dims[t->rank - 1] : 0, rest = n;

    for (int p = 2; p <= 13 && rest > 1; p++)
        while (rest % p == 0)
            rest /= p;
    if (rest != 1)
        return z;
    return ir_node1(g->b, OP_fft, 1, &z, &(ir_attrs){ .fft = { below(g, 2) } });
}

static ir_ref
whole(gen *g, ir_ref z)
{
    const ir_type *t = type_of(g, z);
    int64_t k = t->rank ? below(g, t->rank) : 0;
    ir_ints none = { 0, NULL };

    switch (below(g, 7)) {
    case 0:  return grow_reshape(g, z);
    case 1:  return grow_transpose(g, z);
    case 2:  return grow_slice(g, z);
    case 3:
        return ir_reduce(g->b, below(g, 2) ? OP_reduce_sum : OP_reduce_prod, z,
                         ir_axes_below(t->rank) & (ir_axes)below(g, 8));
    case 4:
        return t->rank == 0 || t->size > 300
                   ? z
                   : ir_node1(g->b, below(g, 2) ? OP_cumsum : OP_cumprod, 1, &z,
                              &(ir_attrs){ .cumulate = { (int)k, below(g, 2) } });
    case 5:  return t->rank == 0 || t->size > 300 ? z
            : ir_dot(g->b, z, z, (ir_ints){ 1, &k }, (ir_ints){ 1, &k }, none, none);
    default: return transform(g, z);
    }
}

void
grow_complex(gen *g)
{
    const ir_type *t = ir_type_as(g->b->ctx, type_of(g, any(g)), float_type(g));
    ir_ref z = joined(g, t);

    for (int i = 1 + below(g, 4); i > 0 && z && type_of(g, z)->size <= LARGEST; i--)
        z = below(g, 2) ? whole(g, z)
                        : pointwise(g, z, ir_type_as(g->b->ctx, type_of(g, z), float_type(g)));
    if (below(g, 4) == 0)
        keep(g, ir_op1(g->b, OP_abs, z));
    else {
        keep(g, ir_op1(g->b, OP_real, z));
        keep(g, ir_op1(g->b, OP_imag, z));
    }
}

static ir_ref
clamped(gen *g, ir_ref x)
{
    const ir_type *t = type_of(g, x);
    ir_ref in[3] = { ir_splat(g->b, t, -1), x, ir_splat(g->b, t, 1) };

    return ir_node1(g->b, OP_clamp, 3, in, NULL);
}

/* x in [-1, 1] with 4, 8, 12, ... added on the diagonal: all factors and their derivatives
 * exist.  With imaginary parts:
 * that much larger, since a disc of the plane holds more. */
static ir_ref
dominant(gen *g, ir_ref x, ir_ref imaginary)
{
    const ir_type *t = type_of(g, x);
    ir_ref row = ir_iota(g->b, t->dtype, t->rank, t->dims, t->rank - 2),
           column = ir_iota(g->b, t->dtype, t->rank, t->dims, t->rank - 1),
           weight = ir_mul(g->b, ir_add(g->b, row, ir_splat(g->b, t, 1)),
                           ir_splat(g->b, t, imaginary ? 8 : 4));

    x = ir_add(g->b, clamped(g, x),
               ir_select(g->b, ir_op2(g->b, OP_eq, row, column), weight, ir_splat(g->b, t, 0)));
    return imaginary ? ir_op2(g->b, OP_complex, x, clamped(g, imaginary)) : x;
}

static void
keep_parts(gen *g, ir_ref z)
{
    if (!z || !ir_is_complex(type_of(g, z)->dtype)) {
        keep(g, z);
        return;
    }
    keep(g, ir_op1(g->b, OP_real, z));
    keep(g, ir_op1(g->b, OP_imag, z));
}

void
grow_matrices(gen *g)
{
    static const ir_op square[] = { OP_cholesky, OP_lu,   OP_qr,      OP_eigh,
                                    OP_svd,      OP_pinv, OP_eig,     OP_triangular_solve,
                                    OP_inverse,  OP_det,  OP_slogdet, OP_adjugate,
                                    OP_full_lu,  OP_schur };
    const int n = 1 + below(g, 4), batch = below(g, 3);
    const ir_op op = square[below(g, sizeof square / sizeof *square)];
    const bool complex = below(g, 3) == 0;
    ir_attrs at = { 0 };
    ir_ref out[4], in[4];

    const ir_type *t =
        ir_type_new(g->b->ctx, float_type(g), 2 + (batch > 0),
                    batch > 0 ? (int64_t[]){ batch, n, n } : (int64_t[]){ n, n });
    in[0] = grow_like(g, t);
    if (complex)
        in[0] = dominant(g, in[0], grow_like(g, t));
    else if (g->main == COT_F64 || below(g, 2))
        in[0] = dominant(g, in[0], IR_NONE);
    if (op == OP_triangular_solve) {
        in[1] = complex ? joined(g, t) : grow_like(g, t);
        at.triangle.right = below(g, 2);
        at.triangle.upper = below(g, 2);
        at.triangle.transposed = below(g, 2);
        at.triangle.unit = below(g, 2);
    } else if (ir_ops[op].n_in == 4) {
        ir_ref still = ir_op1(g->b, OP_stop_gradient, in[0]);
        ir_add_node(g->b, OP_lu, 1, &still, NULL, in + 1);
    }
    if (g->b->status != COT_OK)
        return;
    const int results = ir_add_node(g->b, op, ir_ops[op].n_in, in, &at, out);
    for (int i = 0; i < results; i++) /* complex ones have a phase that nothing promises */
        keep_parts(g, op == OP_eig || (op == OP_schur && complex) ? ir_op1(g->b, OP_abs, out[i])
                                                                  : out[i]);
}

void
grow_betainc(gen *g)
{
    ir_ref x = any(g);
    const ir_type *t = ir_type_as(g->b->ctx, type_of(g, x), float_type(g));
    ir_ref in[3] = { ir_splat(g->b, t, 0.5 + below(g, 9) * 0.75) };

    in[1] = ir_splat(g->b, t, 0.5 + below(g, 9) * 0.75);
    in[2] = ir_op1(g->b, OP_logistic, grow_like(g, t));
    if (t->size <= 60)
        keep(g, ir_node1(g->b, OP_betainc, 3, in, NULL));
}
