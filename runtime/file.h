/* Files of named arrays, inside. */
#ifndef RUNTIME_FILE_H
#define RUNTIME_FILE_H

#include <stdbool.h>

#include "cotrace/file.h"

/* map.c: the file in memory; NULL and errno if it cannot be.  An empty one is an address
 * without bytes. */
const void *rt_file_map(const char *path, size_t *size);
void rt_file_unmap(const void *file, size_t size);

/* A whole file in memory, read; `path` is for messages.  Arrays are appended to out, also
 * before an
 * error: the caller frees them. */
cot_status rt_npz_read(cot_context *ctx, const char *path, const void *file, size_t size,
                       cot_state *out);
cot_status rt_npz_write(cot_context *ctx, const char *path, const cot_state *s);
cot_status rt_safetensors_read(cot_context *ctx, const char *path, const void *file,
                               size_t size, cot_state *out);
cot_status rt_safetensors_write(cot_context *ctx, const char *path, const cot_state *s);

/* place.c: is the array in this process's memory?  COT_ERR_ARG with a message if not.  The
 * caller need not hold the context's lock. */
cot_status rt_want_here(cot_context *ctx, const cot_array *a);

#endif
