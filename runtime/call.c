/* Calls C functions whose arguments are known only at run time, through libffi.
 *
 * libffi has no type for f16 and bf16: C code takes their bits as uint16_t.  It has none for
 * bool either, which is passed as one byte. */
#include "runtime/call.h"

#include <ffi.h>
#include <string.h>

#include "ir/diag.h"
#include "runtime/compile.h"
#include "runtime/tier.h"

static ffi_type *const ffi_types[COT_DTYPE_COUNT] = {
    [COT_BOOL] = &ffi_type_uint8, [COT_I8] = &ffi_type_sint8,    [COT_I16] = &ffi_type_sint16,
    [COT_I32] = &ffi_type_sint32, [COT_I64] = &ffi_type_sint64,  [COT_U8] = &ffi_type_uint8,
    [COT_U16] = &ffi_type_uint16, [COT_U32] = &ffi_type_uint32,  [COT_U64] = &ffi_type_uint64,
    [COT_F16] = &ffi_type_uint16, [COT_BF16] = &ffi_type_uint16, [COT_F32] = &ffi_type_float,
    [COT_F64] = &ffi_type_double,
};

static cot_status
cannot_call(cot_context *ctx, void *arg)
{
    (void)arg;
    return ir_fail(ctx, 0, NULL, ERR_foreign, "libffi cannot make this call");
}

/* libffi widens integer results to a word, so the answer is read from one. */
bool
rt_call_any(void (*fn)(void), int n, const rt_arg *args, cot_dtype t, void *answer)
{
    ffi_type *type[n + 1];
    void *value[n + 1];
    union {
        ffi_arg word;
        double d;
        float f;
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
        uint64_t u64;
    } a = { 0 };
    ffi_cif cif;

    for (int i = 0; i < n; i++) {
        type[i] = args[i].by_value ? ffi_types[args[i].dtype] : &ffi_type_pointer;
        value[i] = args[i].by_value ? args[i].at : (void *)&args[i].at;
    }
    ffi_type *result = t == COT_DTYPE_NONE ? &ffi_type_void : ffi_types[t];
    if (ffi_prep_cif(&cif, FFI_DEFAULT_ABI, (unsigned)n, result, type) != FFI_OK)
        return false;
    ffi_call(&cif, fn, &a, value);
    if (t == COT_DTYPE_NONE)
        return true;
    switch (t == COT_F32 || t == COT_F64 ? 0 : cot_dtype_size(t)) {
    case 1: a.u8 = (uint8_t)a.word; break;
    case 2: a.u16 = (uint16_t)a.word; break;
    case 4: a.u32 = (uint32_t)a.word; break;
    default: break;
    }
    memcpy(answer, &a, cot_dtype_size(t));
    return true;
}

cot_status
rt_call_c(cot_context *ctx, void (*fn)(void), int n, const rt_arg *args, int *result)
{
    if (!rt_call_any(fn, n, args, COT_I32, result))
        return rt_guard(ctx, cannot_call, NULL);
    return COT_OK;
}

typedef struct natural_call {
    const cot_kernel *k;
    cg_code code;
} natural_call;

static cot_status
make_natural(cot_context *ctx, void *arg)
{
    natural_call *c = arg;
    const cot_kernel *k = c->k;

    return k->plan.backend->natural(ctx, &k->plan.target, k->code.entry, k->n_in + k->n_out,
                                    k->parallel, &c->code);
}

/* If the kernel has no natural entry, one is compiled for this call. */
cot_status
rt_call_natural(const cot_kernel *k, void *const *args, void *work)
{
    const int n = k->n_in + k->n_out;
    rt_arg arg[n + 2];
    int status, used = 0;

    COT_TRY(rt_tier_wait(k));
    natural_call c = { k, { .natural = k->code.natural } };
    const bool made = !c.code.natural;
    for (int i = 0; i < n; i++)
        arg[used++] = (rt_arg){ .at = args[i] };
    if (k->parallel)
        arg[used++] = (rt_arg){ .at = k->pool };
    arg[used++] = (rt_arg){ .at = work };
    if (made)
        COT_TRY(rt_guard(k->ctx, make_natural, &c));
    const cot_status s = rt_call_c(k->ctx, (void (*)(void))c.code.natural, used, arg, &status);
    if (made)
        k->plan.backend->unload(&c.code);
    return s != COT_OK ? s : (cot_status)status;
}
