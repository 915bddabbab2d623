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

/* Words of the shape: draw i is of the counter plus i. */
static ir_ref
words(ir_build *b, ir_ref key, ir_ref counter, const ir_type *t)
{
    const ir_type *u64 = ir_type_as(b->ctx, t, COT_U64);
    ir_ref i = ir_reshape(b, ir_iota(b, COT_U64, 1, &t->size, 0), t->rank, t->dims);
    ir_ref at = ir_add(b, ir_broadcast_scalar(b, counter, u64), i);

    return swapped(b, ir_op2(b, OP_threefry, ir_broadcast_scalar(b, swapped(b, key), u64), swapped(b, at)));
}

/* Of elements of 32 bits and less a word serves two that are neighbours along one axis: the first whose size is even,
 * else the longest, of which the last word serves one.  The shape of the words. */
static const ir_type *
half_shape(ir_build *b, const ir_type *t, int *axis)
{
    int64_t dims[COT_MAX_RANK];
    int longest = 0, even = -1;

    if (t->rank == 0)
        return t;
    for (int k = t->rank - 1; k >= 0; k--) {
        longest = t->dims[k] >= t->dims[longest] ? k : longest;
        even = t->dims[k] % 2 == 0 ? k : even;
    }
    *axis = even >= 0 ? even : longest;
    memcpy(dims, t->dims, sizeof *dims * (size_t)t->rank);
    dims[*axis] = (dims[*axis] + 1) / 2;
    return ir_type_shaped(b->ctx, t, t->rank, dims);
}

static ir_ref
both_halves(ir_build *b, ir_ref y, const ir_type *t, int axis)
{
    const ir_type *w = y ? ir_btype(b, y) : NULL;
    int64_t dims[COT_MAX_RANK];

    if (!w || t->rank == 0)
        return y ? ir_convert(b, ir_op2(b, OP_and, y, ir_splat_int(b, w, UINT32_MAX)), COT_U32) : IR_NONE;
    const ir_ref part[2] = {
        ir_broadcast_axis(b, ir_op2(b, OP_and, y, ir_splat_int(b, w, UINT32_MAX)), axis + 1, 1),
        ir_broadcast_axis(b, ir_op2(b, OP_shr_logical, y, ir_splat_int(b, w, 32)), axis + 1, 1),
    };
    memcpy(dims, w->dims, sizeof *dims * (size_t)w->rank);
    dims[axis] *= 2;
    y = ir_reshape(b, ir_concatenate(b, 2, part, axis + 1), w->rank, dims);
    return y ? ir_convert(b, ir_slice_axis(b, y, axis, 0, t->dims[axis]), COT_U32) : IR_NONE;
}

/* The low bits of y as elements of t. */
static ir_ref
elements(ir_build *b, ir_ref y, const ir_type *t)
{
    static const cot_dtype of_size[] = { [1] = COT_U8, [2] = COT_U16, [4] = COT_U32, [8] = COT_U64 };
    const cot_dtype narrow = of_size[cot_dtype_size(t->dtype)];

    if (y && narrow != ir_btype(b, y)->dtype) /* conversions saturate: cut first */
        y = ir_convert(b, ir_op2(b, OP_and, y, ir_splat_int(b, ir_btype(b, y), narrow == COT_U8 ? 0xff : 0xffff)), narrow);
    return y ? ir_node1(b, OP_bitcast, 1, &y, &(ir_attrs){ .dtype = { t->dtype } }) : IR_NONE;
}

void
fe_hlo_rng_bit_generator(hlo_emit *e)
{
    const hlo_span algorithm = fe_hlo_enum(e, "rng_algorithm", "algorithm");
    const ir_type *state = fe_hlo_in_type(e, 0), *t = e->n_out == 2 ? fe_hlo_out_type(e, 1) : NULL;
    const bool wide = t && cot_dtype_size(t->dtype) == 8;
    ir_build *b = e->b;
    int axis = 0;

    if (!t || !fe_hlo_is(algorithm, "THREE_FRY") || state->dtype != COT_U64 || state->rank != 1 || state->dims[0] != 2 ||
        t->dtype == COT_BOOL || cot_dtype_size(t->dtype) > 8 || t->rank == COT_MAX_RANK) {
        fe_hlo_fail(e, "is supported by THREE_FRY with a state of two u64; not by %.*s of these types", (int)algorithm.n,
                    algorithm.n ? algorithm.at : "");
        return;
    }
    const ir_type *drawn = wide ? t : half_shape(b, t, &axis);
    ir_ref key = ir_reshape(b, ir_slice_axis(b, e->in[0], 0, 0, 1), 0, NULL);
    ir_ref counter = ir_reshape(b, ir_slice_axis(b, e->in[0], 0, 1, 2), 0, NULL);
    ir_ref y = words(b, key, counter, drawn);
    e->out[1] = elements(b, wide ? y : both_halves(b, y, t, axis), t);
    const int64_t one = 1;
    ir_ref after = ir_add(b, counter, ir_splat_int(b, ir_scalar_type(b->ctx, COT_U64), drawn->size));
    const ir_ref next[2] = { ir_reshape(b, key, 1, &one), ir_reshape(b, after, 1, &one) };
    e->out[0] = ir_concatenate(b, 2, next, 0);
}
