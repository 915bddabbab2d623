// The plain functions serve C++: no macro of the headers is needed, and none is visible.
#include "cotrace/cotrace.h"

#if defined(cot_add) || defined(COT_HERE)
#error "the macros are for C"
#endif

static void
loss(cot_trace *, const cot_value *in, cot_value *out, void *)
{
    const cot_place at = {__FILE__, __LINE__};
    cot_value miss = cot_sub_(at, cot_operand_value(in[0]), cot_operand_real(1.5));
    out[0] = cot_mean_(at, cot_square_(at, miss), nullptr, 0);
}

int
main()
{
    cot_context *ctx = cot_context_new(nullptr);
    const cot_place at = {__FILE__, __LINE__};
    cot_fn *df = cot_grad_(at, cot_fn_new_(at, ctx, "loss", loss, 1, 1, nullptr), nullptr, 0);
    const int64_t dims[] = {3};
    const cot_type x = cot_type_new(COT_F32, 1, dims);
    const cot_graph *g;
    const cot_status status = cot_trace_fn(df, cot_types_of(1, &x), &g);
    cot_context_free(ctx);
    return status;
}
