/* Tensor cores, and asynchronous copies: instructions of kernels for GPUs.
 *
 *   fetch     copies 16 bytes from global memory (in[1], of buffer 1) to shared memory (in[0],
 *             of buffer 0) while the thread continues; in[2], if given, is the number of
 *             elements, and the rest become zeros
 *   commit    closes a group of copies: those that were started since the last commit
 *   arrive    waits until all groups but the latest imm have arrived; for the copies of other
 *             threads a barrier is needed as well
 *   fragment  loads four 8 x 8 matrices from shared memory into 4 words of each thread of a
 *             warp.  A row is 16 bytes; row r of matrix q starts at the element that thread
 *             8 q + r gives (in[1]).  A word is two elements of 16 bits, or one of 32.  Thread
 *             t gets word t % 4 of row t / 4 of each matrix; with `columns` (16 bits) it gets
 *             elements 2 (t % 4) and 2 (t % 4) + 1 of column t / 4
 *   mma       a warp adds a product of 16 x k and k x 8 to its 16 x 8 sums.  Each thread has 4
 *             words of the left side, 2 of the right side and 4 sums; with g = t / 4 and
 *             c = t % 4 they are
 *               sums     (g, 2 c), (g, 2 c + 1), (g + 8, 2 c), (g + 8, 2 c + 1)
 *               16 bits, k = 16
 *                 left   (g, 2 c ...), (g + 8, 2 c ...), (g, 2 c + 8 ...),
 *                        (g + 8, 2 c + 8 ...)
 *                 right  (2 c ..., g), (2 c + 8 ..., g)
 *               tf32, k = 8, rounded to 11 bits, ties away from zero
 *                 left   (g, c), (g + 8, c), (g, c + 4), (g + 8, c + 4)
 *                 right  (c, g), (c + 4, g)
 *
 * All threads of a block execute these instructions.  mma is defined as follows: each sum is a
 * chain of fma in order of k, in f32.  A product of two operands is exact in f32, so this is a
 * sum of k terms, each addition rounded to nearest.  GPUs add several products at once and
 * truncate: their sums are within k 2^-22 sum |x y| of the exact sum, but do not have these
 * bits.  Products therefore use tensor cores only where the user asked for speed (`fast`). */
#ifndef CODEGEN_KERNEL_TENSOR_H
#define CODEGEN_KERNEL_TENSOR_H

#include "codegen/kernel/kernel.h"

void cg_fetch(cg_build *b, uint32_t to, cg_val to_at, uint32_t from, cg_val from_at,
              cg_val count);
/* Copy 16 bytes of adjacent elements, or one element. */
void cg_fetch_some(cg_build *b, uint32_t to, cg_val to_at, uint32_t from, cg_val from_at,
                   cg_val count, int64_t elements);
void cg_commit(cg_build *b);
void cg_arrive(cg_build *b, int but);
/* to: 4 words of the thread from element to_at on, of type u32, or f32 if the shared memory
 * is. */
void cg_fragment(cg_build *b, uint32_t to, cg_val to_at, uint32_t from, cg_val row,
                 bool columns);
/* Sums, left words, right words: buffers of the thread, and elements of them. type: of the
 * operands; f32 for tf32. */
void cg_mma(cg_build *b, cot_dtype type, const uint32_t buffer[3], const cg_val at[3]);

#endif
