/* Element types and interned array types: equal types are the same pointer (in one context). */
#ifndef IR_TYPE_H
#define IR_TYPE_H

#include <stdbool.h>

#include "cotrace/tensor.h"
#include "ir/buf.h"

typedef struct ir_type {
    cot_dtype dtype;
    int rank;
    int64_t size;               /* number of elements */
    const int64_t *dims;
} ir_type;

/* The type; NULL with the error recorded if a size is negative, rank above 64, or the number of
 * elements above 2^48. */
const ir_type *ir_type_new(struct cot_context *ctx, cot_dtype t, int rank, const int64_t *dims);
const ir_type *ir_type_of(struct cot_context *ctx, const cot_type *t);
cot_type ir_type_public(const ir_type *t);
const ir_type *ir_scalar_type(struct cot_context *ctx, cot_dtype t);
/* The same shape with another element type; the same element type with another shape. */
const ir_type *ir_type_as(struct cot_context *ctx, const ir_type *t, cot_dtype dtype);
const ir_type *ir_type_shaped(struct cot_context *ctx, const ir_type *t, int rank,
                              const int64_t *dims);
/* With an axis of size n inserted at k; with axis k removed. */
const ir_type *ir_type_open(struct cot_context *ctx, const ir_type *t, int k, int64_t n);
const ir_type *ir_type_close(struct cot_context *ctx, const ir_type *t, int k);
bool ir_same_shape(const ir_type *a, const ir_type *b);
void ir_type_print(ir_buf *b, const ir_type *t);          /* f32[2,3] */
/* in the context's arena: for errors */
const char *ir_type_str(struct cot_context *ctx, const ir_type *t);
void ir_strides(const ir_type *t, int64_t *stride);       /* row-major, in elements */

static inline bool ir_is_float(cot_dtype t) { return t >= COT_F16 && t <= COT_F64; }
static inline bool ir_is_complex(cot_dtype t) { return t >= COT_C64; }
static inline bool
ir_is_inexact(cot_dtype t)
{
    return t >= COT_F16;
} /* what has derivatives */
static inline bool ir_is_signed(cot_dtype t) { return t >= COT_I8 && t <= COT_I64; }
static inline bool ir_is_unsigned(cot_dtype t) { return t >= COT_U8 && t <= COT_U64; }
static inline bool ir_is_int(cot_dtype t) { return t >= COT_I8 && t <= COT_U64; }
/* Of which a sum and a product may be joined (docs/numerics.md section 2). */
static inline bool
ir_contracts(cot_dtype t)
{
    return t == COT_F32 || t == COT_F64;
}
static inline bool ir_is_half(cot_dtype t) { return t == COT_F16 || t == COT_BF16; }
static inline int
ir_bits(cot_dtype t)
{
    return t == COT_BOOL ? 1 : 8 * (int)cot_dtype_size(t);
}
/* The type of the parts of a complex number, t itself if it is none; the complex type of such
 * parts, NONE if none. */
static inline cot_dtype
ir_part_type(cot_dtype t)
{
    return t == COT_C64 ? COT_F32 : t == COT_C128 ? COT_F64 : t;
}
static inline cot_dtype
ir_complex_type(cot_dtype t)
{
    return t == COT_F32 ? COT_C64 : t == COT_F64 ? COT_C128 : COT_DTYPE_NONE;
}
/* The type in which an op on t computes: f32 for f16 and bf16, else t. */
static inline cot_dtype ir_compute_type(cot_dtype t) { return ir_is_half(t) ? COT_F32 : t; }

#endif
