/* Layers, losses and optimisers, inside: they are written with the public ops alone, as a user
 * would write them.
 *
 * Each function takes the place it is called from as `at`, and COT_HERE is that here, so
 * that every op in it stands at the user's line.  On f16 and bf16 a function widens its
 * operands once and narrows its result once. */
#ifndef FRONTEND_NN_NN_H
#define FRONTEND_NN_NN_H

#include "cotrace/cotrace.h"
#include "frontend/trace.h"

#undef COT_HERE
#define COT_HERE at

static inline bool
fe_given(cot_value v)
{
    return v.ctx != NULL;
}

/* f16 and bf16 become f32, others stay; and back to an element type. */
static inline cot_value
fe_wide(cot_place at, cot_value x)
{
    return ir_is_half(cot_dtype_of(x)) ? cot_convert(x, COT_F32) : x;
}
static inline cot_value
fe_back(cot_place at, cot_value y, cot_dtype to)
{
    return cot_dtype_of(y) == to || to == COT_DTYPE_NONE ? y : cot_convert(y, to);
}

/* What is wrong with an op on x, recorded as `error`, whose format takes one text: a bad
 * value. */
cot_value fe_wrong(cot_place at, cot_value x, const char *op, ir_error error,
                   const char *format, ...);
/* The trace that is open where an op on x stands; NULL, the error recorded, if none is. */
cot_trace *fe_open(cot_place at, cot_value x, const char *op);
/* The type of a value as text, in the context's arena. */
const char *fe_type_text(cot_value x);
/* Is x of a floating type?  Else the error is recorded.  A bad value counts as right: its
 * error is known. */
bool fe_floating(cot_place at, const char *op, cot_value x);
/* cot_reshape by a rank and sizes. */
static inline cot_value
fe_shaped(cot_place at, cot_value x, int rank, const int64_t *shape)
{
    return cot_reshape_(at, x, (cot_list){ .n = rank, .at = shape });
}
/* v [c] along axis 1 of x's shape: [c, 1, ..., 1]. */
cot_value fe_channels(cot_place at, cot_value v, cot_value x);
/* Does v, a weight that the user calls `name`, broadcast to x (a weight of one axis: along
 * axis 1 of x, if by_channel)?  Else the error is recorded.  A bad value, or none, counts as
 * right. */
bool fe_fits(cot_place at, const char *op, const char *name, cot_value v, cot_value x,
             bool by_channel);
/* y scale + bias, per channel, where given; op is whose weights these are. */
cot_value fe_scaled(cot_place at, const char *op, cot_value y, cot_value scale, cot_value bias);

#endif
