/* Strip mining: loops over elements, one by one, by vectors, or by the threads of a GPU. */
#ifndef CODEGEN_ELEMENTAL_STRIP_MINE_H
#define CODEGEN_ELEMENTAL_STRIP_MINE_H

#include "codegen/lowering.h"

/* The least power of two that is at least n. */
int64_t cg_pow2_from(int64_t n);
/* Emit body(i) for 0 <= i < n, in vectors of up to `lanes` lanes. idempotent: an element may be
 * computed twice. */
typedef void cg_strip_body(cg_lowering *l, void *user, cg_ix i);
void cg_strip_mine(cg_lowering *l, cg_kind kind, int64_t n, int64_t lanes, bool idempotent,
                   cg_strip_body *body, void *user);
/* The same for an open number of elements (cg_is_open), which need not look like one. */
void cg_strip_mine_open(cg_lowering *l, cg_kind kind, int64_t n, int64_t lanes,
                        cg_strip_body *body, void *user);
/* GPU: the threads of a block for n, which may depend on open sizes. */
int64_t cg_threads_of(const cg_lowering *l, int64_t n);
/* GPU: begin n threads in blocks; *i is the number of the thread. */
cg_val cg_threads_begin(cg_lowering *l, int64_t n, cg_val *i);
void cg_threads_end(cg_lowering *l, cg_val grid);
/* The loop of thread t, one of so many, over t, t + threads, ... below n; *i is its element. */
cg_val cg_thread_loop(cg_build *b, cg_val t, int64_t threads, int64_t n, cg_val *i);

#endif
