/* Cotrace: arrays whose rows several processes hold, files that they write in parts, and
 * checkpoints.
 *
 * An axis of groups (cot_vmap with .over) is shared by the processes of a communicator
 * (cot_options.comm).  A spread array is one whose first axis is shared: each process has the
 * memory of its own rows alone, which are consecutive.  cot_jit takes spread arrays as
 * arguments, fills one that stands among the results, and then sends no more than the rows that
 * another process needs; cot_compile_options.spread and .spread_results say the same of
 * cot_compile.  Of a spread array cot_array_type, cot_array_data and cot_array_bytes say what
 * this process has, and cot_array_rows which rows those are.
 *
 * The functions below that take a context are collective, except cot_array_spread: all
 * processes call them in one order, with the same types, names and paths, or they answer
 * COT_ERR_FOREIGN; where one process fails, all answer a status, with a message that names it.
 * Without a communicator one process has all rows.  docs/processes.md says more. */
#ifndef COTRACE_SPREAD_H
#define COTRACE_SPREAD_H

#include "cotrace/comm.h"
#include "cotrace/file.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The rows of an axis that a process has: `count` from number `first` on, of `all`. */
typedef struct cot_rows {
    int64_t first, count, all;
} cot_rows;

/* What process `rank` of `processes` has of an axis of so many rows: those from all rank /
 * processes on, rounded down, to the beginning of the next process; each limit is rounded down
 * to a multiple of 512 where a process has at least 4,096 rows.  All 0 where a number is out of
 * range. */
COT_API cot_rows cot_spread_rows(int64_t all, int processes, int rank);

/* A new array of a type whose first axis is spread over the processes of the context: zeroed
 * memory of the rows of this process.  type is that of the whole, with one axis at least.  The
 * caller's to free, by cot_array_free; not collective.  NULL with the error recorded: the type
 * is wrong, a scalar, or memory is short. */
COT_API cot_array *cot_array_spread(cot_context *ctx, cot_type type);
/* Which rows of its first axis an array has: all of them, unless it is spread.  A scalar counts
 * as one row; all 0 where a is NULL. */
COT_API cot_rows cot_array_rows(const cot_array *a);
/* Is it one of cot_array_spread, even if one process has all rows? */
COT_API bool cot_array_is_spread(const cot_array *a);

/* Every process, as the one that gets, or has, the whole. */
#define COT_ALL_PROCESSES (-1)
/* *whole: a new array of all rows of a spread one, on process root, or on each with
 * COT_ALL_PROCESSES: the caller's to free; NULL on the others and after an error.
 *
 * Errors   COT_ERR_ARG      an array is not spread, root is no process
 *          COT_ERR_MEMORY, COT_ERR_FOREIGN  of any process */
COT_API cot_status cot_array_gather(cot_context *ctx, int root, const cot_array *spread,
                                    cot_array **whole);
/* Each process gets its rows of an array that process root has, which alone names it (NULL on
 * the others), or each has, with COT_ALL_PROCESSES: then nothing is sent but a comparison.
 *
 * Errors   as of cot_array_gather; COT_ERR_SHAPE, COT_ERR_DTYPE  both have other types */
COT_API cot_status cot_array_scatter(cot_context *ctx, int root, const cot_array *whole,
                                     cot_array *spread);

/* A new spread array of an npy file, of which each process reads its own rows; every process
 * sees the file.  The file is of any kind that cot_npy_read reads, but row-major and of the
 * byte order of this machine.  The caller's to free; NULL after an error.
 * (cot_npy_write of a spread array is collective: the file has all rows, each process writes
 * its own, and it is there when all of it is written.)
 *
 * Errors   COT_ERR_IO, COT_ERR_PARSE, COT_ERR_MEMORY, COT_ERR_FOREIGN  of any process */
COT_API cot_status cot_npy_read_spread(cot_context *ctx, const char *path, cot_array **out);

/* Write named arrays as one file: spread ones by all processes, each its own rows, others by
 * process 0, so that they are the same everywhere.  The file is written under the name
 * PATH.part, brought to the disk (fsync) and renamed: whoever opens path, and a program that is
 * started again, finds the old file or the whole new one.  Names are as of cot_save.
 *
 * Errors   COT_ERR_ARG  a name is missing, empty or there twice; no array
 *          COT_ERR_IO   it cannot be written, the disk is full: the old file stays
 *          COT_ERR_MEMORY, COT_ERR_FOREIGN  of any process */
COT_API cot_status cot_checkpoint_write(cot_context *ctx, const char *path, const cot_state *s);
/* The arrays of such a file, by any number of processes: those that were spread are spread, the
 * others whole on each.  Each process reads what it holds.  A file read gives new arrays: free
 * them with cot_state_free; the list and its names belong to the context.  After an error it is
 * empty.
 *
 * Errors   COT_ERR_IO     the file cannot be read
 *          COT_ERR_PARSE  it is no checkpoint, of another version, shorter or longer than it
 *                         says, or damaged: a hash differs; on every process
 *          COT_ERR_MEMORY, COT_ERR_FOREIGN  of any process */
COT_API cot_status cot_checkpoint_read(cot_context *ctx, const char *path, cot_state *out);

#ifdef __cplusplus
}
#endif
#endif
