/* Schedules: the loops of the kernels of groups. */
#ifndef CODEGEN_SCHEDULE_SCHEDULE_H
#define CODEGEN_SCHEDULE_SCHEDULE_H

#include "codegen/elemental/element.h"
#include "codegen/fuse/fuse.h"

/* schedule/map.c: emit a map group into the current kernel. */
void cg_map_kernel(cg_lowering *l, cg_frame *fr, const cg_fusion *fusion, const cg_group *g);
/* The same for values, or one value, whose elements `put` stores. stride: the strides of the
 * memory that put stores to, by axis; idempotent: an element may be computed twice. */
typedef void cg_put(cg_lowering *l, void *user, const cg_ix *at, cg_val x);
void cg_put_group(cg_lowering *l, cg_frame *fr, const cg_fusion *fusion, const cg_group *g,
                  const int64_t *stride, bool idempotent, cg_put *put, void *user);
void cg_put_kernel(cg_lowering *l, cg_frame *fr, const cg_fusion *fusion, ir_ref v,
                   const int64_t *stride, bool idempotent, cg_put *put, void *user);
/* Store x as element `at` of v. */
void cg_store_element(cg_lowering *l, cg_frame *fr, ir_ref v, uint32_t buffer, const cg_ix *at,
                      cg_val x);
/* Write the note of the current kernel: the values that it computes, and their source lines. */
void cg_note_group(cg_lowering *l, const cg_frame *fr, const cg_group *g);
/* May a result of the group share memory with an operand?  Then no element may be computed
 * twice. */
bool cg_writes_over(const cg_lowering *l, const cg_frame *fr, const cg_access *w,
                    const cg_group *g);

/* rows.c: emit a row group into the current kernel. */
void cg_row_kernel(cg_lowering *l, cg_frame *fr, const cg_fusion *fusion, const cg_group *g);

/* columns.c: emit a column group into the current kernel. */
void cg_column_kernel(cg_lowering *l, cg_frame *fr, const cg_group *g);

/* interleave.c.  The number of parts of each value, if all values of the group are interleaves
 * of equally many parts that this kernel computes; else 0. */
int cg_interleaved_parts(const cg_frame *fr, const cg_group *g);
/* Emit such a group.  Value i is stored to buffer[i]; an element may be computed twice. */
void cg_interleave_kernel(cg_lowering *l, cg_frame *fr, const cg_fusion *fusion,
                          const cg_group *g, const uint32_t *buffer, int parts);

#endif
