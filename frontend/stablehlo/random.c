/* Random bits: Threefry by a key and a counter.  (What JAX draws is spelled out in its programs.)
 *
 * The state is a key and a counter, u64 each; draw i is of the counter plus i, whose lower half comes first, and so
 * it is with the key and with the words drawn.  Source: J. K. Salmon et al., Parallel random numbers: as easy as
 * 1, 2, 3, SC 2011. */
#include "frontend/stablehlo/rules.h"

#include "ir/diag.h"

/* The halves of u64 words exchanged. */
static ir_ref
swapped(ir_build *b, ir_ref x)
{
    ir_ref n = x ? ir_splat_int(b, ir_btype(b, x), 32) : IR_NONE;

    return x ? ir_op2(b, OP_or, ir_op2(b, OP_shl, x, n), ir_op2(b, OP_shr_logical, x, n)) : IR_NONE;
}

void
fe_hlo_rng_bit_generator(hlo_emit *e)
{
    const hlo_span algorithm = fe_hlo_enum(e, "rng_algorithm", "algorithm");
    const ir_type *state = fe_hlo_in_type(e, 0), *t = e->n_out == 2 ? fe_hlo_out_type(e, 1) : NULL;
    ir_build *b = e->b;

    if (!t || !fe_hlo_is(algorithm, "THREE_FRY") || state->dtype != COT_U64 || state->rank != 1 || state->dims[0] != 2 ||
        cot_dtype_size(t->dtype) != 8) {
        fe_hlo_fail(e, "is supported of 64-bit words by THREE_FRY with a state of two u64; not by %.*s of these types",
                    (int)algorithm.n, algorithm.n ? algorithm.at : "");
        return;
    }
    const ir_type *u64 = ir_type_as(b->ctx, t, COT_U64), *scalar = ir_scalar_type(b->ctx, COT_U64);
    ir_ref key = ir_reshape(b, ir_slice_axis(b, e->in[0], 0, 0, 1), 0, NULL);
    ir_ref counter = ir_reshape(b, ir_slice_axis(b, e->in[0], 0, 1, 2), 0, NULL);
    ir_ref i = ir_reshape(b, ir_iota(b, COT_U64, 1, &t->size, 0), t->rank, t->dims);
    ir_ref word = ir_add(b, ir_broadcast_scalar(b, counter, u64), i);
    ir_ref y = ir_op2(b, OP_threefry, ir_broadcast_scalar(b, swapped(b, key), u64), swapped(b, word));
    y = swapped(b, y);
    e->out[1] = y ? ir_node1(b, OP_bitcast, 1, &y, &(ir_attrs){ .dtype = { t->dtype } }) : IR_NONE;
    const int64_t one = 1;
    const ir_ref next[2] = { ir_reshape(b, key, 1, &one),
                             ir_reshape(b, ir_add(b, counter, ir_splat_int(b, scalar, t->size)), 1, &one) };
    e->out[0] = ir_concatenate(b, 2, next, 0);
}
