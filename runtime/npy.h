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

/* Read the header of a whole file in memory.  NULL, or what is wrong with it. */
const char *rt_npy_header(rt_npy *h, const void *file, size_t size);
/* Its elements, in this machine's byte order and row-major; out holds h->bytes. */
void rt_npy_elements(const rt_npy *h, const void *file, void *out);
/* A new array of them. */
cot_status rt_npy_array(cot_context *ctx, const rt_npy *h, const void *file, cot_array **out);

/* The header of a file of this type: its length, at most RT_NPY_HEAD.  The elements follow
 * it. */
enum { RT_NPY_HEAD = 2048 };
size_t rt_npy_write_header(char out[RT_NPY_HEAD], const cot_type *type);

#endif
