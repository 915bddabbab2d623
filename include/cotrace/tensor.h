/* Cotrace: element types, array types, and typed memory. */
#ifndef COTRACE_TENSOR_H
#define COTRACE_TENSOR_H

#include "cotrace/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Element types.  f16 is IEEE binary16, bf16 the upper half of binary32. */
typedef enum cot_dtype {
    COT_DTYPE_NONE = 0,
    COT_BOOL,
    COT_I8, COT_I16, COT_I32, COT_I64,
    COT_U8, COT_U16, COT_U32, COT_U64,
    COT_F16, COT_BF16, COT_F32, COT_F64,
    COT_DTYPE_COUNT
} cot_dtype;

#define COT_MAX_RANK 64

/* An array type: element type and sizes.  dims is borrowed by the call that takes it. */
typedef struct cot_type {
    cot_dtype dtype;
    int rank;                    /* 0 to COT_MAX_RANK            */
    int64_t dims[8];             /* the sizes where rank <= 8    */
    const int64_t *more;         /* all the sizes where rank > 8 */
} cot_type;

COT_API const char *cot_dtype_name(cot_dtype dtype);     /* "f32"                    */
COT_API size_t cot_dtype_size(cot_dtype dtype);          /* bytes; 1 for bool        */

#ifdef __cplusplus
}
#endif
#endif
