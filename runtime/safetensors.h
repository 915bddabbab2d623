/* The header of a safetensors file. */
#ifndef RUNTIME_SAFETENSORS_H
#define RUNTIME_SAFETENSORS_H

#include <stdbool.h>

#include "cotrace/tensor.h"

typedef struct rt_tensor {
    const char *name;
    cot_dtype dtype;
    int rank;
    const void *shape; /* JSON: see rt_tensor_dims */
    size_t at, bytes;  /* place of its elements in the file; checked against it */
} rt_tensor;

typedef struct rt_safetensors {
    size_t n;
    rt_tensor *at;    /* sorted by offset */
    void *json;       /* owner of the names */
    const char *name; /* the tensor that has the error */
    char why[200];
    bool memory; /* the only error is that memory ran out */
} rt_safetensors;

/* Read the header of a whole file in memory.  False: `why` tells what is wrong.  It must be
 * closed in either case. */
bool rt_safetensors_open(rt_safetensors *s, const void *file, size_t size);
void rt_safetensors_close(rt_safetensors *s);
void rt_tensor_dims(const rt_tensor *t, int64_t dims[COT_MAX_RANK]);

#endif
