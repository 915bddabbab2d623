/* Packed operands of a matrix product: where their elements are, and the loops that copy them
 * (dot_pack.c). */
#ifndef CODEGEN_LOWER_DOT_PACK_H
#define CODEGEN_LOWER_DOT_PACK_H

#include "codegen/lower/dot_inside.h"

/* The index, in the scratch, of (k, column) of a panel of the block that starts at k0, and of
 * (k, row i) of a strip. */
cg_val cg_dot_panel_index(const cg_dot_product *p, cg_val panel, cg_val k0, cg_val k,
                          cg_val column);
cg_val cg_dot_left_index(const cg_dot_product *p, cg_val strip, cg_val k, cg_val i);
/* The offset of row m of the left side.  Rows beyond the last have the offset of the last. */
cg_val cg_dot_row_offset(const cg_dot_product *p, cg_val m);

/* Pack panel number `panel`, which starts at column n0; pack rows m_begin ... m_end of the left
 * side. */
void cg_dot_pack_panel(const cg_dot_product *p, cg_val panel, cg_val n0, cg_val k0, cg_val kc);
void cg_dot_pack_rows(const cg_dot_product *p, cg_val m_begin, cg_val m_end, cg_val k0,
                      cg_val kc);

#endif
