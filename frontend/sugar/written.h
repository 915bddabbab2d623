/* Functions that are written with the public ops alone, as a user would write them, inside.
 *
 * Each function takes the location of its caller as `at`, and COT_HERE is defined as that
 * location here, so that every op in it has the user's line.  On f16 and bf16 a function widens
 * its operands once and narrows its result once. */
#ifndef FRONTEND_SUGAR_WRITTEN_H
#define FRONTEND_SUGAR_WRITTEN_H

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

#endif
