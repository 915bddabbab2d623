/* Internal declarations for files of named arrays. */
#ifndef RUNTIME_FILE_H
#define RUNTIME_FILE_H

#include <stdbool.h>

#include <stddef.h>

#include "cotrace/file.h"

/* map.c: the file in memory; NULL and errno if that fails.  An empty file is an address with no
 * bytes. */
const void *rt_file_map(const char *path, size_t *size);
void rt_file_unmap(const void *file, size_t size);

/* Writes the parts one after the other as a file; returns 0, or errno.  After a failure an
 * incomplete file is deleted, unless it is a pipe or device. */
typedef struct rt_part {
    const void *bytes;
    size_t n;
} rt_part;
int rt_file_write(const char *path, size_t n, const rt_part *part);
cot_status rt_file_save(cot_context *ctx, const char *path, const void *bytes, size_t n);

/* Reads a whole file in memory; `path` is for messages.  Arrays are appended to out, even
 * before an error: the caller frees them. */
cot_status rt_npz_read(cot_context *ctx, const char *path, const void *file, size_t size,
                       cot_state *out);
/* Appends to a list whose memory belongs to the context and is large enough. */
static inline void
rt_state_add(cot_state *s, const char *name, cot_array *a)
{
    s->at[s->n++] = (cot_named){ name, a };
}

cot_status rt_npz_write(cot_context *ctx, const char *path, const cot_state *s);
cot_status rt_safetensors_read(cot_context *ctx, const char *path, const void *file,
                               size_t size, cot_state *out);
cot_status rt_safetensors_write(cot_context *ctx, const char *path, const cot_state *s);

/* Fails if the arrays are not all there, and under different names. */
cot_status rt_check_names(cot_context *ctx, const char *path, const cot_state *s);

/* place.c: fails with COT_ERR_ARG if the array is not in this process's memory, or spread so
 * that others have rows of it.  The caller
 * need not hold the context's lock. */
cot_status rt_want_here(cot_context *ctx, const cot_array *a);

#endif
