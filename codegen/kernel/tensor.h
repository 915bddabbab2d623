/* Tensor cores, and copies in the background: instructions of kernels for GPUs.
 *
 *   fetch     16 bytes from memory that blocks share (in[1], of buffer 1) to shared memory
 * (in[0], of buffer 0), while
 *             the thread goes on; in[2], if given: only so many elements, and zeros for the
 *             rest
 *   commit    closes a group: what was sent for since the last one
 *   arrive    waits until all groups have come but the latest imm; other threads want a
 * barrier, too
 *   fragment  four 8 x 8 matrices from shared memory to 4 words of each thread of a warp.  A
 * row is 16 bytes;
 *             row r of matrix q begins at the element that thread 8 q + r gives (in[1]).  A
 *             word is two elements
 *             of 16 bits, or one of 32: thread t gets word t % 4 of row t / 4 of each matrix;
 *             with `columns` (16
 *             bits) elements 2 (t % 4) and 2 (t % 4) + 1 of column t / 4
 *   mma       a warp adds a product of 16 x k and k x 8 to its 16 x 8 sums: 4 words for the
 * left side, 2 for
 *             the right, 4 sums, in each thread, g = t / 4, c = t % 4:
 *               sums    (g, 2 c), (g, 2 c + 1), (g + 8, 2 c), (g + 8, 2 c + 1)
 *               16 bits, k = 16: left words (g, 2 c ...), (g + 8, 2 c ...), (g, 2 c + 8 ...),
 *               (g + 8, 2 c + 8 ...),
 *                       right words (2 c ..., g), (2 c + 8 ..., g)
 *               tf32, k = 8: left (g, c), (g + 8, c), (g, c + 4), (g + 8, c + 4), right (c, g),
 *               (c + 4, g), rounded
 *                       to 11 bits, ties away from zero
 *
 * All threads of a block do them.  The meaning of mma: each sum is a chain of fma in order of
 * k, in f32.  A product of two factors is exact in f32, so this is a sum of k terms, each
 * addition rounded to nearest.  GPUs add several products at once and cut bits off: their sums
 * lie within k 2^-22 sum |x y| of the exact one, not at these bits.  That is why products go
 * this way only where the user asked for speed (`fast`). */
#ifndef CODEGEN_KERNEL_TENSOR_H
#define CODEGEN_KERNEL_TENSOR_H

#include "codegen/kernel/kernel.h"

void cg_fetch(cg_build *b, uint32_t to, cg_val to_at, uint32_t from, cg_val from_at,
              cg_val count);
/* So many neighbours, 16 bytes, or one element. */
void cg_fetch_some(cg_build *b, uint32_t to, cg_val to_at, uint32_t from, cg_val from_at,
                   cg_val count, int64_t elements);
void cg_commit(cg_build *b);
void cg_arrive(cg_build *b, int but);
/* to: 4 words of the thread from element to_at, of type u32, or f32 as the shared memory's. */
void cg_fragment(cg_build *b, uint32_t to, cg_val to_at, uint32_t from, cg_val row,
                 bool columns);
/* Sums, left words, right words: buffers of the thread, and elements.  type: of the factors,
 * f32 for tf32. */
void cg_mma(cg_build *b, cot_dtype type, const uint32_t buffer[3], const cg_val at[3]);

#endif
