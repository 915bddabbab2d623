/* Cotrace: one kernel for all sizes.
 *
 * A function is compiled for the shapes of its arguments.  Where some of their lengths are
 * known only when the program runs (a batch, the number of particles or of time steps), they
 * are given names, and one kernel serves them all:
 *
 *     cot_fn *f = cot_open(cot_grad(loss), "x: [n, _], y: [n]");
 *     cot_jit(f, ...)     compiles at the first call, and serves every n
 *
 * Its results have the bits of a kernel that was compiled for the size: docs/sizes.md. */
#ifndef COTRACE_OPEN_H
#define COTRACE_OPEN_H

#include "cotrace/transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* f with open sizes, for cot_jit, cot_compile, and cot_build_object, where the function takes
 * its sizes as int64_t before its arrays.  `sizes` gives the lengths of the axes of its
 * arguments, each by its name or its number from 0; arguments that it leaves out have none that
 * is open:
 *
 *     "x: [n, _], y: [2*n + 1] where n >= 1, n <= 4096, n % 4 == 0"
 *
 * _ is a fixed length, that of the array at the first call; others are sums of products of
 * sizes and integers.  Each size is the length of some axis by itself.  Facts follow `where`;
 * without them a size is 0 to 2^30.  The function is the outermost: a transform of it is of f,
 * and has fixed sizes.
 *
 * The text is copied.  The function belongs to f's context; NULL where f is NULL.  Errors
 * come when it is compiled, with the line of this call: COT_ERR_ARG (the text),
 * COT_ERR_SHAPE (f has no kernel for all sizes; the message says where it depends on one,
 * and how).  Calls answer COT_ERR_SHAPE where the lengths of the arguments do not agree, or
 * a fact does not hold; nothing is written then. */
COT_API cot_fn *cot_open_(cot_place at, cot_fn *f, const char *sizes);
#define cot_open(f, sizes) cot_open_(COT_HERE, f, sizes)

#ifdef __cplusplus
}
#endif

#endif
