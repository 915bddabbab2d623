/* The kernel of a map group: its loops, their order and their bodies (map_nest.c, map_loops.c),
 * or one loop for interleaves. */
#include "codegen/fuse/access.h"
#include "codegen/plan/plan.h"
#include "codegen/schedule/map.h"
#include "codegen/tuning.h"

void
cg_map_kernel(cg_lowering *l, cg_frame *fr, const cg_fusion *fusion, const cg_group *g)
{
    cg_mapping m = { .l = l, .fr = fr, .fusion = fusion, .g = g };
    uint32_t *buffer = IR_NEW_N(l->scratch, uint32_t, g->n);
    cg_access w;
    m.s = cg_map_nest(l, fr, fusion, g, NULL, -1, &w);
    m.idempotent = !cg_writes_over(l, fr, &w, g);
    m.buffer = buffer;
    for (uint32_t i = 0; i < g->n; i++) {
        const ir_type *t = ir_type_at(fr->f, g->v[i]);
        buffer[i] = cg_place_buffer(l, &fr->place[g->v[i]], t, "y", true);
        l->k->buffer[buffer[i]].streams =
            m.idempotent && t->size * cot_dtype_size(t->dtype) > CG_SCHEDULE_MIN_STREAMED &&
            !cg_is_open(l, t->size);
    }
    const int parts = m.idempotent ? cg_interleaved_parts(fr, g) : 0;
    if (parts)
        cg_interleave_kernel(l, fr, fusion, g, buffer, parts);
    else
        cg_map_run(&m);
}
