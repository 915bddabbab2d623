/* Where a packed matrix product has its copies, and what writes them (dot_pack.c). */
#ifndef CODEGEN_LOWER_DOT_PACK_H
#define CODEGEN_LOWER_DOT_PACK_H

#include "codegen/lower/dot_inside.h"

/* Elements of the scratch: k and column of a panel of the block that begins at k0; k and row i
 * of a strip. */
cg_val cg_dot_panel_index(const cg_dot_product *p, cg_val panel, cg_val k0, cg_val k,
                          cg_val column);
cg_val cg_dot_left_index(const cg_dot_product *p, cg_val strip, cg_val k, cg_val i);
/* The offset of row m of the left side; beyond the last row, that of the last. */
cg_val cg_dot_row_offset(const cg_dot_product *p, cg_val m);

/* The k's of a block in runs along the innermost axis of k, in which addresses are affine. */
typedef struct cg_dot_runs {
    /* element k of the run is `base` + k times the innermost stride */
    cg_val loop, lo, hi, base;
} cg_dot_runs;
cg_dot_runs cg_dot_runs_begin(const cg_dot_product *p, cg_val k0, cg_val kc);

/* Copy panel number `panel`, from column n0 on; rows m_begin ... m_end of the left side. */
void cg_dot_pack_panel(const cg_dot_product *p, cg_val panel, cg_val n0, cg_val k0, cg_val kc);
void cg_dot_pack_rows(const cg_dot_product *p, cg_val m_begin, cg_val m_end, cg_val k0,
                      cg_val kc);

#endif
