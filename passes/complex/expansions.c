/* The table of expansions on pairs, by op, and the expansions that only select or exchange
 * parts.
 *
 * Ops with complex operands that are not in the table are linear in each part (sums, moves,
 * selects): complex.c applies them to both parts. */
#include "passes/complex/pair.h"

static pass_pair_rule *const rules[OP_COUNT] = {
#define PAIR(op) [OP_##op] = pair_##op
    PAIR(complex), PAIR(real),        PAIR(imag),      PAIR(conj),        PAIR(convert),
    PAIR(eq),      PAIR(ne),          PAIR(is_finite), PAIR(iota),        PAIR(abs),
    PAIR(sign),    PAIR(mul),         PAIR(div),       PAIR(integer_pow), PAIR(reduce_prod),
    PAIR(cumprod), PAIR(scatter_mul), PAIR(fft),       PAIR(dot_general), PAIR(exp),
    PAIR(exp2),    PAIR(expm1),       PAIR(log),       PAIR(log2),        PAIR(log1p),
    PAIR(sqrt),    PAIR(rsqrt),       PAIR(pow),       PAIR(logistic),    PAIR(sin),
    PAIR(cos),     PAIR(tan),         PAIR(sinh),      PAIR(cosh),        PAIR(tanh),
    PAIR(asin),    PAIR(acos),        PAIR(atan),      PAIR(asinh),       PAIR(acosh),
    PAIR(atanh),   PAIR(conv_general),
#undef PAIR
};

pass_pair_rule *
pass_pair_rule_of(ir_op op)
{
    return rules[op];
}

pass_pair
pass_pair_constant(ir_build *b, const ir_data *d)
{
    const cot_dtype t = ir_part_type(d->type->dtype);
    const ir_type *type = ir_type_as(b->ctx, d->type, t);
    const size_t size = cot_dtype_size(t), n = d->n / (2 * size);
    const char *from = d->bytes;
    ir_ref part[2];
    for (int k = 0; k < 2; k++) {
        char *to = ir_alloc(b->arena, n * size + 1);
        for (size_t i = 0; i < n; i++)
            memcpy(to + i * size, from + (2 * i + (size_t)k) * size, size);
        ir_data data =
            d->splat ? ir_data_splat(b->arena, type, to) : ir_data_list(b->arena, type, to);
        part[k] = ir_node1(b, OP_constant, 0, NULL, &(ir_attrs){ .constant = { data } });
    }
    return (pass_pair){ part[0], part[1] };
}

pass_pair
pair_complex(ir_build *b, const ir_node *n, const pass_pair *x)
{
    (void)b, (void)n;
    return (pass_pair){ x[0].re, x[1].re };
}

pass_pair
pair_real(ir_build *b, const ir_node *n, const pass_pair *x)
{
    (void)b, (void)n;
    return (pass_pair){ x->re, IR_NONE };
}

pass_pair
pair_imag(ir_build *b, const ir_node *n, const pass_pair *x)
{
    (void)b, (void)n;
    return (pass_pair){ x->im, IR_NONE };
}

pass_pair
pair_conj(ir_build *b, const ir_node *n, const pass_pair *x)
{
    (void)n;
    return (pass_pair){ x->re, ir_neg(b, x->im) };
}

/* A real becomes (x, 0).  A complex number becomes its real part, or for bool, whether it is
 * not 0. */
pass_pair
pair_convert(ir_build *b, const ir_node *n, const pass_pair *x)
{
    const cot_dtype to = n->at->dtype.dtype, part = ir_part_type(to);
    if (to == COT_BOOL) {
        ir_ref zero = ir_like(b, x->re, 0);
        ir_ref unequal = ir_op2(b, OP_ne, x->im, zero);
        return (pass_pair){ pr_or(b, ir_op2(b, OP_ne, x->re, zero), unequal), IR_NONE };
    }
    ir_ref re = ir_convert(b, x->re, part);
    if (!ir_is_complex(to))
        return (pass_pair){ re, IR_NONE };
    return (pass_pair){ re, x->im ? ir_convert(b, x->im, part) : ir_like(b, re, 0) };
}

pass_pair
pair_eq(ir_build *b, const ir_node *n, const pass_pair *x)
{
    (void)n;
    ir_ref equal = ir_op2(b, OP_eq, x[0].im, x[1].im);
    return (pass_pair){ pr_and(b, ir_op2(b, OP_eq, x[0].re, x[1].re), equal), IR_NONE };
}

pass_pair
pair_ne(ir_build *b, const ir_node *n, const pass_pair *x)
{
    (void)n;
    ir_ref unequal = ir_op2(b, OP_ne, x[0].im, x[1].im);
    return (pass_pair){ pr_or(b, ir_op2(b, OP_ne, x[0].re, x[1].re), unequal), IR_NONE };
}

pass_pair
pair_is_finite(ir_build *b, const ir_node *n, const pass_pair *x)
{
    (void)n;
    ir_ref finite = ir_op1(b, OP_is_finite, x->im);
    return (pass_pair){ pr_and(b, ir_op1(b, OP_is_finite, x->re), finite), IR_NONE };
}

/* Applied to both parts as a last axis, which is their layout in memory. */
pass_pair
pair_fft(ir_build *b, const ir_node *n, const pass_pair *x)
{
    if (!x->re || !x->im)
        return (pass_pair){ IR_NONE, IR_NONE };
    const ir_type *t = ir_btype(b, x->re);
    const ir_ref z = pass_pair_in_memory(b, *x, t->rank, t->dims);
    return pass_pair_of_memory(b, ir_node1(b, OP_fft, 1, &z, n->at), t->rank, t->dims);
}

pass_pair
pair_iota(ir_build *b, const ir_node *n, const pass_pair *x)
{
    ir_attrs at = ir_node_attrs(n);
    (void)x;
    at.iota.dtype = ir_part_type(at.iota.dtype);
    ir_ref re = ir_node1(b, OP_iota, 0, NULL, &at);
    return (pass_pair){ re, re ? ir_like(b, re, 0) : IR_NONE };
}
