/* The type of fft: complex numbers, or their parts along a last axis. */
#include "ir/fft.h"
#include "ir/infer/infer.h"

int
infer_fft(const infer_ctx *c)
{
    const ir_type *x = c->in[0];
    const bool whole = ir_is_complex(x->dtype);
    const int axis = x->rank - (whole ? 1 : 2);

    if (infer_dtype_is(c, 0, whole || x->dtype == COT_F32 || x->dtype == COT_F64,
                       "a complex type, or parts in f32 or f64") < 0)
        return -1;
    if (axis < 0 || (!whole && x->dims[x->rank - 1] != 2))
        return INFER_FAIL(c, ERR_operand_type, 0, infer_str(c, x),
                          whole ? "an axis" : "a last axis of 2, and one before it");
    if (x->dims[axis] == 0)
        return INFER_FAIL(c, ERR_axis_empty, (long long)axis, infer_str(c, x));
    if (!ir_fft_takes(x->dims[axis]))
        return INFER_FAIL(c, ERR_fft_length, (long long)x->dims[axis], IR_FFT_LARGEST);
    return infer_one(c, x);
}
