/* Cotrace: collectives, which see all examples of a vmap.
 *
 * In the body of cot_vmap(f, .axis = "i") the examples have the axis "i", and a collective over
 * "i" takes part of each: cot_psum(x, "i") is the sum of x over all of them. Of nested vmaps
 * each may name an axis; an inner name hides an outer one. What is the same for all examples
 * stays unmapped, so that a result of psum may leave with out_dims COT_NONE.
 *
 * Derivatives are those of the function of all examples together: the vmap of a gradient sums
 * over all results that an x is part of (psum transposes to psum), as the gradient of the vmap
 * does.
 *
 * Errors   COT_ERR_ARG    no vmap around the body names the axis; the vmap has .chunk, so
 *                         that the examples are never there at once; pairs send or receive
 *                         twice, or name no example
 *          COT_ERR_DTYPE  psum, psum_scatter: x is no number; pmean: x is neither floating
 *                         nor complex; pmax, pmin: x is complex
 * Source   the parallel operators of JAX (psum, pmax, ppermute, ...), under vmap. */
#ifndef COTRACE_COLLECTIVE_H
#define COTRACE_COLLECTIVE_H

#include "cotrace/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct COT_NAMED_ cot_collective_options {
    COT_BEGIN_
    /* all_gather: where the new axis is; psum_scatter: the one cut */
    int axis;
} cot_collective_options;

COT_API cot_value cot_psum_(cot_place at, cot_value x, const char *axis_name);
COT_API cot_value cot_pmean_(cot_place at, cot_value x, const char *axis_name);
COT_API cot_value cot_pmax_(cot_place at, cot_value x, const char *axis_name);
COT_API cot_value cot_pmin_(cot_place at, cot_value x, const char *axis_name);
COT_API cot_value cot_all_gather_(cot_place at, cot_value x, const char *axis_name,
                                  const cot_collective_options *o, size_t size);
COT_API cot_value cot_psum_scatter_(cot_place at, cot_value x, const char *axis_name,
                                    const cot_collective_options *o, size_t size);
COT_API cot_value cot_ppermute_(cot_place at, cot_value x, const char *axis_name,
                                cot_list pairs);
COT_API cot_value cot_axis_index_(cot_place at, cot_trace *t, const char *axis_name);
/* The number of examples: known while tracing. -1, with the error recorded, if no vmap names
 * the axis. */
COT_API int64_t cot_axis_size_(cot_place at, cot_trace *t, const char *axis_name);

#ifndef __cplusplus
/* The sum of x over all examples: x is any number, of any shape, and the result has its
 * type. */
#define cot_psum(x, axis_name) cot_psum_(COT_HERE, x, axis_name)
/* The mean of x over all examples: the sum divided by the number of examples. x is floating or
 * complex, of any shape, and the result has its type. */
#define cot_pmean(x, axis_name) cot_pmean_(COT_HERE, x, axis_name)
/* The maximum of x over all examples, element by element; NaN if one is. x is of any type but a
 * complex one (COT_ERR_DTYPE), and the result has its type. */
#define cot_pmax(x, axis_name) cot_pmax_(COT_HERE, x, axis_name)
/* The minimum of x over all examples, element by element; NaN if one is. x is of any type but a
 * complex one (COT_ERR_DTYPE), and the result has its type. */
#define cot_pmin(x, axis_name) cot_pmin_(COT_HERE, x, axis_name)
/* x of all examples along a new axis, at .axis (default 0; negative counts from the end of the
 * result): of m examples T[..., m, ...], of any element type.  Errors: COT_ERR_SHAPE where the
 * result has no such axis. */
#define cot_all_gather(x, ...) COT_ALL_GATHER_(x, __VA_ARGS__, .end_ = 0)
#define COT_ALL_GATHER_(x, axis_name, ...)                                                     \
    cot_all_gather_(COT_HERE, x, axis_name, &(const cot_collective_options){ __VA_ARGS__ },    \
                    sizeof(cot_collective_options))
/* Slice i of the sum of x for example i, along .axis (default 0), which the result lacks; x is
 * any number.  Errors: COT_ERR_SHAPE where the axis has another size than the number of
 * examples. */
#define cot_psum_scatter(x, ...) COT_PSUM_SCATTER_(x, __VA_ARGS__, .end_ = 0)
#define COT_PSUM_SCATTER_(x, axis_name, ...)                                                   \
    cot_psum_scatter_(COT_HERE, x, axis_name, &(const cot_collective_options){ __VA_ARGS__ },  \
                      sizeof(cot_collective_options))
/* cot_ppermute(x, "i", COT_LIST(from, to, from, to)): example `to` gets x of example `from`;
 * one that gets nothing has zeros. */
#define cot_ppermute(x, axis_name, pairs) cot_ppermute_(COT_HERE, x, axis_name, pairs)
/* The number of the example in the vmap that names the axis: i32[], from 0 to cot_axis_size(t,
 * axis_name) - 1. */
#define cot_axis_index(t, axis_name) cot_axis_index_(COT_HERE, t, axis_name)
/* The number of examples, known while tracing; -1, with the error recorded, if no vmap names
 * the axis. */
#define cot_axis_size(t, axis_name) cot_axis_size_(COT_HERE, t, axis_name)
#endif

#ifdef __cplusplus
}
#endif
#endif
