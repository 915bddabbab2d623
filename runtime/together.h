/* Calls that all processes of a context make together, outside of kernels. */
#ifndef RUNTIME_TOGETHER_H
#define RUNTIME_TOGETHER_H

#include "cotrace/spread.h"
#include "runtime/support/owner.h"
#include "ir/type.h"

/* What a process has to say of its part of a call: COT_OK, or a status and why. */
typedef struct rt_step {
    cot_status status;
    char why[160]; /* without what it was about */
} rt_step;
/* Notes a failure, unless there was one; of errno, if text is NULL. */
void rt_step_fail(rt_step *s, cot_status status, const char *text, int error);

/* How many processes the context has, and which is this one: 1 and 0 without a
 * communicator. */
int rt_processes(const cot_context *ctx);
int rt_rank(const cot_context *ctx);
/* All say how it went, and compare `same`, which they must agree in: COT_OK on all, or a status
 * on all, with the error recorded, "what: process 2: why", and noted in the step. */
cot_status rt_agree(cot_context *ctx, const char *what, uint64_t same, rt_step *step);
/* The sums over all processes of n numbers; false: the communicator has failed. */
bool rt_add_all(cot_context *ctx, int n, uint64_t *x);

/* The rows of an axis that a process has. */
cot_rows rt_rows_of(const cot_context *ctx, int64_t all, int rank);
/* The type of the whole of a spread array; dims has room for COT_MAX_RANK. */
cot_type rt_whole_type(const cot_array *a, int64_t *dims);
uint64_t rt_hash_type(uint64_t h, const cot_type *t);
/* Of a row along the first axis. */
size_t rt_row_bytes(const cot_array *a);
/* A spread array, or a whole one, of the type of a whole one: its memory holds nothing defined.
 * NULL, with the step failed: memory is short. */
cot_array *rt_array_of(cot_context *ctx, const cot_type *type, bool spread, rt_step *step);

/* A part of a file: `bytes` at an offset, from memory or to it. */
typedef struct rt_extent {
    uint64_t offset;
    size_t bytes;
    void *at;
} rt_extent;
/* A file of so many bytes, of which each process writes parts; it is there when it is whole. */
cot_status rt_write_parts(cot_context *ctx, const char *path, uint64_t size, int n,
                          const rt_extent *part, rt_step *step);
/* Parts of a file. */
void rt_read_parts(const char *path, int n, const rt_extent *part, rt_step *step);
/* The bytes of a file; 0 with the step failed where it is no file. */
uint64_t rt_file_size(const char *path, rt_step *step);

#endif
