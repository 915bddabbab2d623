/* What rules share: copies of boxes, and the widening of f16 and bf16 to f32 for ops that
 * compute. */
#include "ir/eval/eval.h"

#include "ir/scalar.h"

#define COPY_ROW(T)                                                                       \
    for (int64_t i = 0; i < n; i++)                                                       \
        ((T *)to)[i * to_step] = ((const T *)from)[i * from_step];

static void
copy_row(size_t width, int64_t n, void *to, int64_t to_step, const void *from,
         int64_t from_step)
{
    switch (width) {
    case 1:  COPY_ROW(uint8_t) break;
    case 2:  COPY_ROW(uint16_t) break;
    case 4:  COPY_ROW(uint32_t) break;
    default: COPY_ROW(uint64_t)
    }
}

void
eval_copy(size_t width, int rank, const int64_t *dims, void *to, const int64_t *to_step,
          const void *from, const int64_t *from_step)
{
    int64_t at[COT_MAX_RANK] = { 0 };
    char *p = to;
    const char *q = from;

    for (int k = 0; k < rank; k++)
        if (dims[k] == 0)
            return;
    if (rank == 0) {
        memcpy(to, from, width);
        return;
    }
    int last = rank - 1, k;
    do {
        copy_row(width, dims[last], p, to_step[last], q, from_step[last]);
        for (k = last - 1; k >= 0; k--) {
            p += to_step[k] * (int64_t)width;
            q += from_step[k] * (int64_t)width;
            if (++at[k] < dims[k])
                break;
            p -= to_step[k] * dims[k] * (int64_t)width;
            q -= from_step[k] * dims[k] * (int64_t)width;
            at[k] = 0;
        }
    } while (k >= 0);
}

void
eval_fill(size_t width, int64_t n, void *to, const void *element)
{
    copy_row(width, n, to, 1, element, 0);
}

const void *
eval_widen(ir_arena *a, const ir_type *t, const void *x)
{
    const uint16_t *half = x;

    if (!ir_is_half(t->dtype))
        return x;
    float *wide = ir_alloc(a, sizeof *wide * (size_t)t->size);
    for (int64_t i = 0; i < t->size; i++)
        wide[i] = t->dtype == COT_F16 ? cot_f16_to_f32(half[i]) : cot_bf16_to_f32(half[i]);
    return wide;
}

void *
eval_wide(ir_arena *a, const ir_type *t, void *out)
{
    return ir_is_half(t->dtype) ? ir_alloc(a, sizeof(float) * (size_t)t->size) : out;
}

void
eval_narrow(const ir_type *t, const void *wide, void *out)
{
    const float *x = wide;
    uint16_t *half = out;

    if (!ir_is_half(t->dtype))
        return;
    for (int64_t i = 0; i < t->size; i++)
        half[i] = t->dtype == COT_F16 ? cot_f32_to_f16(x[i]) : cot_f32_to_bf16(x[i]);
}

int64_t
eval_index(cot_dtype t, const void *x, int64_t i)
{
    switch (t) {
    case COT_BOOL:
    case COT_U8:  return ((const uint8_t *)x)[i];
    case COT_I8:  return ((const int8_t *)x)[i];
    case COT_I16: return ((const int16_t *)x)[i];
    case COT_U16: return ((const uint16_t *)x)[i];
    case COT_I32: return ((const int32_t *)x)[i];
    case COT_U32: return ((const uint32_t *)x)[i];
    case COT_U64: {
        uint64_t u = ((const uint64_t *)x)[i];
        return u > INT64_MAX ? INT64_MAX : (int64_t)u;
    }
    default:      return ((const int64_t *)x)[i];
    }
}
