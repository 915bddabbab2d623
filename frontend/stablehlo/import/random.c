/* Random bits: Threefry and Philox by a key and a counter.  (What JAX draws is spelled out in
 * its programs.)
 *
 * The state is a key and a counter, u64 each; draw i is of the counter plus i, whose lower half
 * comes first, and so it is with the key and with the words drawn.  Philox has a counter of 128
 * bits, the words after the key, lower one first; where there is one word, the key is above
 * it.  A counter gives four words of 32 bits, or two of 64.  The default is Philox, as XLA has
 * it on CPU.  Source: J. K. Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC
 * 2011. */
#include "frontend/stablehlo/import/rules.h"

#include <math.h>

#include "ir/diag.h"

/* The halves of u64 words exchanged. */
static ir_ref
swapped(ir_build *b, ir_ref x)
{
    ir_ref n = x ? ir_splat_int(b, ir_btype(b, x), 32) : IR_NONE;

    ir_ref high = x ? ir_op2(b, OP_shr_logical, x, n) : IR_NONE;
    return x ? ir_op2(b, OP_or, ir_op2(b, OP_shl, x, n), high) : IR_NONE;
}

/* Random words of the shape of t.  Element i is drawn at the counter plus i, so elements do not
 * depend on each other. */
static ir_ref
words(ir_build *b, ir_ref key, ir_ref counter, const ir_type *t)
{
    const ir_type *u64 = ir_type_as(b->ctx, t, COT_U64);
    ir_ref i = ir_reshape(b, ir_iota(b, COT_U64, 1, &t->size, 0), t->rank, t->dims);
    ir_ref at = ir_add(b, ir_broadcast_scalar(b, counter, u64), i);

    ir_ref low_first = swapped(b, at);
    return swapped(
        b, ir_op2(b, OP_threefry, ir_broadcast_scalar(b, swapped(b, key), u64), low_first));
}

/* Of elements of 32 bits and less a word serves two that are neighbours along one axis: the
 * first whose size is even, else the longest, of which the last word serves one.  The shape of
 * the words. */
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
        return y ? ir_convert(b, ir_op2(b, OP_and, y, ir_splat_int(b, w, UINT32_MAX)), COT_U32)
                 : IR_NONE;
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
    static const cot_dtype of_size[] = {
        [1] = COT_U8, [2] = COT_U16, [4] = COT_U32, [8] = COT_U64
    };
    const cot_dtype narrow = of_size[cot_dtype_size(t->dtype)];

    if (y && narrow != ir_btype(b, y)->dtype) /* conversions saturate: cut first */
        y = ir_convert(
            b,
            ir_op2(b, OP_and, y,
                   ir_splat_int(b, ir_btype(b, y), narrow == COT_U8 ? 0xff : 0xffff)),
            narrow);
    return y ? ir_node1(b, OP_bitcast, 1, &y, &(ir_attrs){ .dtype = { t->dtype } }) : IR_NONE;
}

static ir_ref
word(ir_build *b, ir_ref state, int i)
{
    return ir_reshape(b, ir_slice_axis(b, state, 0, i, i + 1), 0, NULL);
}

/* n values of the parts, in turns: part 0 of the first counter, part 1 of it, ...; the first of
 * them, in the shape of t. */
static ir_ref
interleaved(ir_build *b, const ir_type *t, int n, ir_ref *part)
{
    for (int i = 0; i < n; i++)
        if (!part[i])
            return IR_NONE;
    const int64_t all = n * ir_btype(b, part[0])->size;
    for (int i = 0; i < n; i++)
        part[i] = ir_broadcast_axis(b, part[i], 1, 1);
    ir_ref y =
        ir_slice_axis(b, ir_reshape(b, ir_concatenate(b, n, part, 1), 1, &all), 0, 0, t->size);
    return ir_reshape(b, y, t->rank, t->dims);
}

static void
philox(hlo_emit *e, const ir_type *state, const ir_type *t)
{
    ir_build *b = e->b;
    const bool wide = cot_dtype_size(t->dtype) == 8;
    const int64_t n = (t->size + (wide ? 1 : 3)) / (wide ? 2 : 4), one = 1;
    const ir_type *u64 = ir_scalar_type(b->ctx, COT_U64),
                  *line = ir_type_new(b->ctx, COT_U64, 1, &n);
    const ir_ref key = word(b, e->in[0], 0), low = word(b, e->in[0], 1),
                 high = word(b, e->in[0], state->dims[0] == 3 ? 2 : 0);
    ir_ref base = ir_broadcast_scalar(b, low, line),
           at = ir_add(b, base, ir_iota(b, COT_U64, 1, &n, 0)), part[4], half[4];
    ir_ref over = ir_convert(b, ir_op2(b, OP_lt, at, base), COT_U64);
    const ir_ref in[3] = { ir_broadcast_scalar(b, key, line), at,
                           ir_add(b, ir_broadcast_scalar(b, high, line), over) };

    for (int i = 0; i < 2; i++)
        part[i] = ir_node1(b, OP_philox, 3, in, &(ir_attrs){ .word = { i } });
    for (int i = 0; i < 4 && part[i / 2]; i++) {
        half[i] = i % 2 ? ir_op2(b, OP_shr_logical, part[i / 2], ir_splat_int(b, line, 32))
                        : ir_op2(b, OP_and, part[i / 2], ir_splat_int(b, line, UINT32_MAX));
        half[i] = half[i] ? ir_convert(b, half[i], COT_U32) : IR_NONE;
    }
    if (fe_hlo_bad(e))
        return;
    e->out[1] = elements(b, wide ? interleaved(b, t, 2, part) : interleaved(b, t, 4, half), t);
    const ir_ref after = ir_add(b, low, ir_splat_int(b, u64, n));
    const ir_ref above = ir_add(b, high, ir_convert(b, ir_op2(b, OP_lt, after, low), COT_U64));
    const ir_ref next[3] = { ir_reshape(b, key, 1, &one), ir_reshape(b, after, 1, &one),
                             ir_reshape(b, above, 1, &one) };
    e->out[0] = ir_concatenate(b, (int)state->dims[0], next, 0);
}

static void
threefry(hlo_emit *e, const ir_type *t)
{
    const bool wide = cot_dtype_size(t->dtype) == 8;
    ir_build *b = e->b;
    int axis = 0;
    const ir_type *drawn = wide ? t : half_shape(b, t, &axis);
    const ir_ref key = word(b, e->in[0], 0), counter = word(b, e->in[0], 1);
    ir_ref y = words(b, key, counter, drawn);

    e->out[1] = elements(b, wide ? y : both_halves(b, y, t, axis), t);
    const int64_t one = 1;
    ir_ref after =
        ir_add(b, counter, ir_splat_int(b, ir_scalar_type(b->ctx, COT_U64), drawn->size));
    const ir_ref next[2] = { ir_reshape(b, key, 1, &one), ir_reshape(b, after, 1, &one) };
    e->out[0] = ir_concatenate(b, 2, next, 0);
}

void
fe_hlo_rng_bit_generator(hlo_emit *e)
{
    const hlo_span algorithm = fe_hlo_enum(e, "rng_algorithm", "algorithm");
    const ir_type *state = fe_hlo_in_type(e, 0),
                  *t = e->n_out == 2 ? fe_hlo_out_type(e, 1) : NULL;
    const bool by_philox = fe_hlo_is(algorithm, "PHILOX") || fe_hlo_is(algorithm, "DEFAULT");
    const bool known = by_philox || fe_hlo_is(algorithm, "THREE_FRY");

    if (fe_hlo_bad(e))
        return;
    if (!t || !known || state->dtype != COT_U64 || state->rank != 1 || state->dims[0] < 2 ||
        state->dims[0] > 2 + by_philox || t->dtype == COT_BOOL ||
        cot_dtype_size(t->dtype) > 8 || t->rank == COT_MAX_RANK)
        fe_hlo_fail(e,
                    "is supported by THREE_FRY with a state of two u64, by PHILOX and DEFAULT "
                    "with one of two or three; not by "
                    "%.*s of these types",
                    (int)algorithm.n, algorithm.n ? algorithm.at : "");
    else if (by_philox)
        philox(e, state, t);
    else
        threefry(e, t);
}

/* Numbers without a state.  Which numbers these are is the implementation's choice: ours
 * are Threefry's words, keyed by the place of the op in the text, so that each run draws the
 * same, and each iteration of a loop. */

/* The upper bits of the words as numbers that the type has exactly: multiples of 2^-digits in
 * [0, 1), or odd ones of 2^(1-digits) in (-1, 1), which are the same to both sides of 0. */
static ir_ref
fractions(ir_build *b, ir_ref y, cot_dtype t, bool odd)
{
    const int digits = t == COT_F64   ? 53
                       : t == COT_F32 ? 24
                       : t == COT_F16 ? 11
                                      : 8,
              n = odd ? digits - 1 : digits;
    const ir_type *u64 = y ? ir_btype(b, y) : NULL;

    if (!u64)
        return IR_NONE;
    y = ir_op2(b, OP_shr_logical, y, ir_splat_int(b, u64, 64 - n));
    if (odd) {
        ir_ref one = ir_splat_int(b, u64, 1);
        y = ir_add(b, ir_add(b, y, y), one);
    }
    y = ir_convert(b, y, COT_F64);
    y = y ? ir_mul(b, y, ir_like(b, y, ldexp(1, -n))) : IR_NONE;
    return y ? ir_convert(b, odd ? ir_sub(b, y, ir_like(b, y, 1)) : y, t) : IR_NONE;
}

/* In [a, b), modulo its length. */
static ir_ref
whole_between(ir_build *b, ir_ref y, ir_ref low, ir_ref high, cot_dtype t)
{
    const ir_attrs u64 = { .dtype = { COT_U64 } }, i64 = { .dtype = { COT_I64 } };

    low = t == COT_U64 ? low : ir_convert(b, low, COT_I64);
    high = t == COT_U64 ? high : ir_convert(b, high, COT_I64);
    ir_ref span = ir_sub(b, high, low);
    if (t != COT_U64 && span)
        span = ir_node1(b, OP_bitcast, 1, &span, &u64);
    y = span ? ir_op2(b, OP_rem, y, span) : IR_NONE;
    if (t != COT_U64 && y)
        y = ir_node1(b, OP_bitcast, 1, &y, &i64);
    return y ? ir_convert(b, ir_add(b, low, y), t) : IR_NONE;
}

void
fe_hlo_rng(hlo_emit *e)
{
    const hlo_span kind = fe_hlo_enum(e, "rng_distribution", "distribution");
    const ir_type *t = fe_hlo_out_type(e, 0), *u64 = ir_scalar_type(e->b->ctx, COT_U64);
    const bool normal = fe_hlo_is(kind, "NORMAL");
    ir_build *b = e->b;

    if (!t)
        return;
    const bool real = ir_is_float(t->dtype);
    if ((!normal && !fe_hlo_is(kind, "UNIFORM")) || (normal && !real) ||
        ir_is_complex(t->dtype) || t->dtype == COT_BOOL || fe_hlo_in_type(e, 0)->rank ||
        fe_hlo_in_type(e, 1)->rank) {
        fe_hlo_fail(e,
                    "is supported for UNIFORM of integers and floats, and NORMAL of floats, "
                    "between two scalars; not for %.*s of %s",
                    (int)kind.n, kind.n ? kind.at : "", ir_type_str(b->ctx, t));
        return;
    }
    ir_ref zero = ir_splat_int(b, u64, 0);
    ir_ref y = words(b, ir_splat_int(b, u64, e->op->out), zero, t);
    ir_ref low = ir_broadcast_scalar(b, e->in[0], t),
           high = ir_broadcast_scalar(b, e->in[1], t);
    if (!real)
        e->out[0] = whole_between(b, y, low, high, t->dtype);
    else if (!(y = fractions(b, y, t->dtype, normal)))
        return;
    else if (normal) {
        ir_ref factor = ir_like(b, y, sqrt(2));
        e->out[0] =
            ir_add(b, low, ir_mul(b, high, ir_mul(b, ir_op1(b, OP_erf_inv, y), factor)));
    } else
        e->out[0] = ir_add(b, low, ir_mul(b, y, ir_sub(b, high, low)));
}
