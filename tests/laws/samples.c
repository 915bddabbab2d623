/* Samples of operands, and arrays for them. */
#include <math.h>
#include <stdlib.h>

#include "ir/scalar.h"
#include "passes/pass.h"
#include "tests/laws/programs.h"

/* Splitmix: any seed will do, and equal seeds give equal samples on every machine. */
static uint64_t
draw(uint64_t *seed)
{
    uint64_t z = *seed += 0x9E3779B97F4A7C15u;

    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

double
laws_uniform(uint64_t *seed)
{
    return (double)(draw(seed) >> 11) * 0x1p-53;
}

void
laws_free(int n, void **arrays)
{
    for (int i = 0; i < n; i++)
        free(arrays[i]);
    free(arrays);
}

void **
laws_values(int n, const ir_ref *v, const ir_graph *f)
{
    void **list = calloc((size_t)n + 1, sizeof *list);

    for (int i = 0; i < n; i++)
        list[i] = calloc((size_t)ir_type_at(f, v[i])->size + 1,
                         cot_dtype_size(ir_type_at(f, v[i])->dtype));
    return list;
}

size_t
laws_bytes(const ir_type *t)
{
    return cot_dtype_size(t->dtype) * (size_t)t->size;
}

cot_status
laws_eval(const ir_graph *f, void *const *out, void *const *in)
{
    ir_graph *g;

    if (!f->complex)
        return ir_eval(f, out, (const void *const *)in);
    COT_TRY(pass_inline_all(f, &g));
    COT_TRY(pass_complex_memory(g, &g));
    return ir_eval(g, out, (const void *const *)in);
}

double
laws_load(cot_dtype t, const void *array, int64_t i)
{
    switch (ir_part_type(t)) {
    case COT_BOOL:
    case COT_U8:   return ((const uint8_t *)array)[i];
    case COT_I8:   return ((const int8_t *)array)[i];
    case COT_I16:  return ((const int16_t *)array)[i];
    case COT_U16:  return ((const uint16_t *)array)[i];
    case COT_I32:  return ((const int32_t *)array)[i];
    case COT_U32:  return ((const uint32_t *)array)[i];
    case COT_I64:  return (double)((const int64_t *)array)[i];
    case COT_U64:  return (double)((const uint64_t *)array)[i];
    case COT_F16: return (double)cot_f16_to_f32(((const uint16_t *)array)[i]);
    case COT_BF16: return (double)cot_bf16_to_f32(((const uint16_t *)array)[i]);
    case COT_F32:  return (double)((const float *)array)[i];
    default:       return ((const double *)array)[i];
    }
}

void
laws_store(cot_dtype t, void *array, int64_t i, double x)
{
    int64_t k = ir_is_inexact(t) ? 0 : (int64_t)x;

    switch (ir_part_type(t)) {
    case COT_F16: ((uint16_t *)array)[i] = cot_f32_to_f16((float)x); break;
    case COT_BF16: ((uint16_t *)array)[i] = cot_f32_to_bf16((float)x); break;
    case COT_F32:  ((float *)array)[i] = (float)x; break;
    case COT_F64:  ((double *)array)[i] = x; break;
    default:       memcpy((char *)array + (size_t)i * cot_dtype_size(t), &k, cot_dtype_size(t));
    }
}

/* By the argument's name: i and j are indices, n counts steps, p chooses a branch. */
static double
sample(uint64_t *seed, cot_dtype t, const char *name, double lo, double hi)
{
    double u = laws_uniform(seed);
    char c = name ? name[0] : 'x';

    if (t == COT_BOOL)
        return u < 0.5;
    if (ir_is_inexact(t))
        return lo + u * (hi - lo);
    if (c == 'i' || c == 'j')
        return floor(u * 8) - (ir_is_signed(t) ? 2 : 0);
    if (c == 'n' || c == 'p')
        return floor(u * 4);
    return ir_is_signed(t) ? floor(u * 11) - 5 : floor(u * 8);
}

void
laws_fill(uint64_t *seed, const ir_type *t, const char *name, double lo, double hi, void *array)
{
    for (int64_t i = 0; i < laws_parts(t); i++)
        laws_store(t->dtype, array, i, sample(seed, t->dtype, name, lo, hi));
}

static double
special(uint64_t *seed, cot_dtype t)
{
    static const double floats[] = { 0,         -0.0,      1,       -1,     0x1p-149, -0x1p-126,
                                     0x1p-1074, 0x1p-1022, 0x1p127, -65504, 0x1p1023, 0.5,
                                     -2.5,      1.5,       1e9,     -3e9,   1e19 };
    int n = sizeof floats / sizeof *floats;
    int k = (int)(draw(seed) % (unsigned)(n + 3));

    (void)t;
    return k < n        ? floats[k]
           : k == n     ? (double)NAN
           : k == n + 1 ? (double)INFINITY
                        : -(double)INFINITY;
}

void
laws_fill_special(uint64_t *seed, const ir_type *t, const char *name, double lo, double hi,
                  void *array)
{
    bool index = name && strchr("ijnp", name[0]);
    size_t width = cot_dtype_size(t->dtype);

    laws_fill(seed, t, name, lo, hi, array);
    for (int64_t i = 0; i < laws_parts(t) && t->dtype != COT_BOOL && !index; i++) {
        uint64_t bits = draw(seed);

        if (bits % 3 != 0)
            continue;
        if (ir_is_inexact(t->dtype))
            laws_store(t->dtype, array, i, special(seed, t->dtype));
        else if (bits % 2)      /* the least or the largest, or any bits */
            bits = bits >> 8 & 1 ? (uint64_t)1 << (ir_bits(t->dtype) - 1)
                                 : ~(uint64_t)0 >> (64 - ir_bits(t->dtype) + 1);
        if (!ir_is_inexact(t->dtype))
            memcpy((char *)array + (size_t)i * width, &bits, width);
    }
}

int64_t
laws_differ(const ir_type *t, const void *x, const void *y)
{
    const cot_dtype part = ir_part_type(t->dtype);
    size_t width = cot_dtype_size(part);

    for (int64_t i = 0; i < laws_parts(t); i++) {
        const char *p = (const char *)x + (size_t)i * width,
                   *q = (const char *)y + (size_t)i * width;

        if (memcmp(p, q, width) == 0)
            continue;
        if (ir_is_float(part) && isnan(laws_load(t->dtype, x, i)) &&
            isnan(laws_load(t->dtype, y, i)))
            continue;
        return i;
    }
    return -1;
}

void **
laws_sample(const ir_graph *f, uint64_t *seed, double lo, double hi, laws_filler *fill)
{
    void **in = laws_values(f->n_in, f->in, f);

    for (int i = 0; i < f->n_in; i++)
        fill(seed, ir_type_at(f, f->in[i]), f->in_name[i], lo, hi, in[i]);
    return in;
}
