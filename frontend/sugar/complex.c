/* Complex numbers, beside the ops on their parts. */
#include "cotrace/sugar.h"
#include "frontend/trace.h"
#include "ir/diag.h"

static ir_ref
angle(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const ir_ref z = x[0].ref;
    const cot_dtype t = ir_btype(b, z)->dtype;

    (void)n, (void)o;
    if (ir_is_complex(t)) {
        ir_ref re = ir_op1(b, OP_real, z);
        return ir_op2(b, OP_atan2, ir_op1(b, OP_imag, z), re);
    }
    if (ir_is_float(t))
        return ir_op2(b, OP_atan2, ir_like(b, z, 0), z);
    ir_build_fail(b, "angle", ERR_dtype_not, ir_type_str(b->ctx, ir_btype(b, z)),
                  "a floating or complex type");
    return IR_NONE;
}

cot_value
cot_angle_(cot_place at, cot_value x)
{
    return fe_apply1(at, "angle", angle, x, NULL);
}
