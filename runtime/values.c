/* Elements of arrays: generated from a seed, printed, compared. */
#include "runtime/values.h"

#include <math.h>

#include "ir/scalar.h"

#define EACH_INT(X)                                                                            \
    X(BOOL, uint8_t)                                                                           \
    X(I8, int8_t) X(I16, int16_t) X(I32, int32_t) X(I64, int64_t) X(U8, uint8_t)               \
        X(U16, uint16_t) X(U32, uint32_t) X(U64, uint64_t)

double
rt_element(cot_dtype t, const void *data, int64_t i)
{
    switch (t) {
#define X(name, type)                                                                          \
    case COT_##name: return (double)((const type *)data)[i];
        EACH_INT(X)
#undef X
    case COT_F16: return (double)cot_f16_to_f32(((const uint16_t *)data)[i]);
    case COT_BF16: return (double)cot_bf16_to_f32(((const uint16_t *)data)[i]);
    case COT_F32: return (double)((const float *)data)[i];
    case COT_F64: return ((const double *)data)[i];
    default: return 0;
    }
}

/* Converts to the range of an integer type: NaN to 0, others to the nearest value in range. */
static double
fit(cot_dtype t, double x)
{
    int bits = ir_is_signed(t) ? ir_bits(t) - 1 : ir_bits(t);
    double top = ldexp(1, bits), low = ir_is_signed(t) ? -top : 0;

    x = isnan(x) ? 0 : trunc(x);
    return x < low ? low : x >= top ? nextafter(top, 0) : x;
}

void
rt_set_element(cot_dtype t, void *data, int64_t i, double x)
{
    switch (t) {
    case COT_BOOL: ((uint8_t *)data)[i] = x != 0; break;
#define X(name, type)                                                                          \
    case COT_##name: ((type *)data)[i] = (type)fit(t, x); break;
    X(I8, int8_t)
    X(I16, int16_t) X(I32, int32_t) X(I64, int64_t) X(U8, uint8_t) X(U16, uint16_t)
        X(U32, uint32_t) X(U64, uint64_t)
#undef X
            case COT_F16:
        ((uint16_t *)data)[i] = cot_f32_to_f16((float)x);
        break;
    case COT_BF16: ((uint16_t *)data)[i] = cot_f32_to_bf16((float)x); break;
    case COT_F32: ((float *)data)[i] = (float)x; break;
    case COT_F64: ((double *)data)[i] = x; break;
    default: break;
    }
}

double
rt_number(const ir_type *t, const void *data, int64_t i)
{
    return t->dtype == COT_BOOL ? ((const uint8_t *)data)[i] != 0
                                : rt_element(ir_part_type(t->dtype), data, i);
}

int64_t
rt_find_nan(const ir_type *t, const void *data)
{
    for (int64_t i = 0; ir_is_inexact(t->dtype) && i < rt_parts(t); i++)
        if (isnan(rt_number(t, data, i)))
            return i;
    return -1;
}

/* Steele, Lea, Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014. */
static uint64_t
next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

void
rt_random_fill(const ir_type *t, uint64_t seed, void *out)
{
    const cot_dtype part = ir_part_type(t->dtype);

    for (int64_t i = 0; i < rt_parts(t); i++) {
        uint64_t r = next_random(&seed);

        if (t->dtype == COT_BOOL)
            rt_set_element(t->dtype, out, i, (double)(r >> 63));
        else if (ir_is_int(t->dtype))
            rt_set_element(t->dtype, out, i, (double)(r >> 62));
        else
            rt_set_element(part, out, i, ldexp((double)(r >> 40), -22) - 2);
    }
}

static void
print_element(ir_buf *b, cot_dtype t, const void *data, int64_t i)
{
    if (ir_is_complex(t)) {
        ir_buf_str(b, "(");
        print_element(b, ir_part_type(t), data, 2 * i);
        ir_buf_str(b, ", ");
        print_element(b, ir_part_type(t), data, 2 * i + 1);
        ir_buf_str(b, ")");
    } else if (ir_is_float(t) && isnan(rt_element(t, data, i)))
        ir_buf_str(b, "nan"); /* the sign of a NaN is not defined */
    else if (t == COT_F64)
        ir_buf_f64(b, ((const double *)data)[i]);
    else if (ir_is_float(t))
        ir_buf_f32(b, (float)rt_element(t, data, i));
    else if (t == COT_BOOL)
        ir_buf_str(b, ((const uint8_t *)data)[i] ? "true" : "false");
    else if (t == COT_U64)
        ir_buf_printf(b, "%llu", (unsigned long long)((const uint64_t *)data)[i]);
    else if (t == COT_I64)
        ir_buf_printf(b, "%lld", (long long)((const int64_t *)data)[i]);
    else
        ir_buf_printf(b, "%lld", (long long)rt_element(t, data, i));
}

enum { EDGE = 8 };

/* Prints the elements from axis k on; `at` is the first. */
static void
print_axis(ir_buf *b, const ir_type *t, const void *data, int k, int64_t at, int64_t size,
           bool whole)
{
    int64_t n, inner;

    if (k == t->rank) {
        print_element(b, t->dtype, data, at);
        return;
    }
    n = t->dims[k];
    inner = n ? size / n : 0;
    ir_buf_str(b, "[");
    for (int64_t i = 0; i < n; i++) {
        if (i)
            ir_buf_str(b, ", ");
        if (!whole && n > 2 * EDGE && i == EDGE) {
            ir_buf_str(b, "..., ");
            i = n - EDGE;
        }
        print_axis(b, t, data, k + 1, at + i * inner, inner, whole);
    }
    ir_buf_str(b, "]");
}

void
rt_print_elements(ir_buf *b, const ir_type *t, const void *data, bool whole)
{
    print_axis(b, t, data, 0, 0, t->size, whole);
}

/* Compares the parts of complex numbers. */
int64_t
rt_first_difference(const ir_type *t, const void *x, const void *y)
{
    const cot_dtype part = ir_part_type(t->dtype);
    const size_t size = cot_dtype_size(part);

    for (int64_t i = 0; i < rt_parts(t); i++) {
        const char *p = (const char *)x + (size_t)i * size,
                   *q = (const char *)y + (size_t)i * size;

        if (memcmp(p, q, size) == 0)
            continue;
        if (ir_is_float(part) && isnan(rt_element(part, x, i)) && isnan(rt_element(part, y, i)))
            continue;
        return i;
    }
    return -1;
}
