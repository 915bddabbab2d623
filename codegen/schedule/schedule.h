/* The loops of kernels of groups. */
#ifndef CODEGEN_SCHEDULE_SCHEDULE_H
#define CODEGEN_SCHEDULE_SCHEDULE_H

#include "codegen/elemental/element.h"
#include "codegen/fuse/fuse.h"

/* schedule/map.c: the kernel of a map group, in the kernel in hand. */
void cg_map_kernel(cg_lowering *l, cg_frame *fr, const cg_fusion *fusion, const cg_group *g);
/* The same for values, or for one, that go where `put` stores them, element by element; stride:
 * how far apart elements are there, along each axis; again: an element may be done twice. */
typedef void cg_put(cg_lowering *l, void *user, const cg_ix *at, cg_val x);
void cg_put_group(cg_lowering *l, cg_frame *fr, const cg_fusion *fusion, const cg_group *g,
                  const int64_t *stride, bool again, cg_put *put, void *user);
void cg_put_kernel(cg_lowering *l, cg_frame *fr, const cg_fusion *fusion, ir_ref v,
                   const int64_t *stride, bool again, cg_put *put, void *user);
/* For kernels of groups: element `at` of v becomes x; what the kernel makes, as its note; may a
 * result lie where an operand was (then no element may be done twice)? */
void cg_store_element(cg_lowering *l, cg_frame *fr, ir_ref v, uint32_t buffer, const cg_ix *at,
                      cg_val x);
void cg_note_group(cg_lowering *l, const cg_frame *fr, const cg_group *g);
bool cg_writes_over(const cg_lowering *l, const cg_frame *fr, const cg_access *w,
                    const cg_group *g);

/* rows.c: the kernel of a row group. */
void cg_row_kernel(cg_lowering *l, cg_frame *fr, const cg_fusion *fusion, const cg_group *g);

/* columns.c: the kernel of a column group. */
void cg_column_kernel(cg_lowering *l, cg_frame *fr, const cg_group *g);

/* How many parts each value of the group has, all made here; 0 if they are no interleaves of as
 * many.  And the kernel that makes them, value i in buffer[i]; an element may be done twice. */
int cg_interleaved_parts(const cg_frame *fr, const cg_group *g);
void cg_interleave_kernel(cg_lowering *l, cg_frame *fr, const cg_fusion *fusion,
                          const cg_group *g, const uint32_t *buffer, int parts);

#endif
