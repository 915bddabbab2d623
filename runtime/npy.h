/* NumPy's array files, versions 1 to 3. */
#ifndef RUNTIME_NPY_H
#define RUNTIME_NPY_H

#include <stdbool.h>

#include "cotrace/tensor.h"

typedef struct rt_npy {
    cot_dtype dtype;
    int rank;
    int64_t dims[COT_MAX_RANK];
    bool swap;                  /* the elements are of the other byte order          */
    bool fortran;               /* the first axis varies fastest                     */
    size_t data;                /* where the elements begin                          */
    size_t bytes;               /* how many bytes they are; checked against the file */
} rt_npy;

/* What is wrong with a file, or NULL.  Of its first bytes, RT_NPY_PREFIX or all `size` of them,
 * where its elements begin; then of what comes before those, the rest. */
enum { RT_NPY_PREFIX = 12 };
const char *rt_npy_prefix(const void *file, size_t size, size_t *data);
const char *rt_npy_header(rt_npy *h, const void *file, size_t size);
/* Elements from byte `first` of h->bytes on: whole ones, RT_NPY_BLOCK bytes at a time or any
 * other number, in the file's order.  They go to their places in out, which is row-major and
 * in this machine's byte order.  NULL, or what is wrong. */
enum { RT_NPY_BLOCK = 1 << 16 };
const char *rt_npy_elements(const rt_npy *h, size_t first, const void *from, size_t bytes,
                            void *out);
/* A new array for them. */
cot_status rt_npy_array(cot_context *ctx, const rt_npy *h, cot_array **out);

/* The header of a file of this type: its length, at most RT_NPY_HEAD.  The elements follow
 * it. */
enum { RT_NPY_HEAD = 2048 };
size_t rt_npy_write_header(char out[RT_NPY_HEAD], const cot_type *type);

#endif
