/* NumPy's array files, versions 1 to 3. */
#ifndef RUNTIME_NPY_H
#define RUNTIME_NPY_H

#include <stdbool.h>

#include "cotrace/tensor.h"

typedef struct rt_npy {
    cot_dtype dtype;
    int rank;
    int64_t dims[COT_MAX_RANK];
    bool swap;    /* the elements have the other byte order */
    bool fortran; /* the first axis varies fastest */
    size_t data;  /* offset of the elements */
    size_t bytes; /* the bytes of the elements; checked against the file */
} rt_npy;

/* These return what is wrong with a file, or NULL. prefix: from its first bytes, RT_NPY_PREFIX
 * or all `size`, finds the offset of its elements. header: reads everything before them. */
enum { RT_NPY_PREFIX = 12 };
const char *rt_npy_prefix(const void *file, size_t size, size_t *data);
const char *rt_npy_header(rt_npy *h, const void *file, size_t size);
/* Reads whole elements from byte `first` of h->bytes on, in the file's order, RT_NPY_BLOCK
 * bytes at a time or any other number.  It stores them at their positions in out, which is
 * row-major and in this machine's byte order.  Returns NULL, or what is wrong. */
enum { RT_NPY_BLOCK = 1 << 16 };
const char *rt_npy_elements(const rt_npy *h, size_t first, const void *from, size_t bytes,
                            void *out);
/* A new array of the file's type. */
cot_status rt_npy_array(cot_context *ctx, const rt_npy *h, cot_array **out);

/* Writes the header of a file of this type and returns its length, at most RT_NPY_HEAD. The
 * elements follow it. */
enum { RT_NPY_HEAD = 2048 };
size_t rt_npy_write_header(char out[RT_NPY_HEAD], const cot_type *type);
/* cot_npy_write of an array that is not spread. */
cot_status rt_npy_write_whole(cot_context *ctx, const char *path, const cot_array *a);

#endif
