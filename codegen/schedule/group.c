/* What kernels of all groups need: storing a result, and the note that says what the kernel
 * computes. */
#include <inttypes.h>

#include "codegen/plan/plan.h"
#include "codegen/schedule/schedule.h"

void
cg_store_element(cg_lowering *l, cg_frame *fr, ir_ref v, uint32_t buffer, const cg_ix *at,
                 cg_val x)
{
    const ir_type *t = ir_type_at(fr->f, v);
    cg_ix flat = cg_ix_flat(&l->ix, t->rank, t->dims, at);
    cg_store(&l->b, buffer, cg_ix_value(&l->ix, &l->b, flat), x, l->mask);
}

void
cg_note_group(cg_lowering *l, const cg_frame *fr, const cg_group *g)
{
    ir_buf b;
    ir_buf_init(&b, l->scratch);
    for (uint32_t i = 0; i < g->n; i++) {
        const ir_node *n = ir_def(fr->f, g->v[i]);
        ir_buf_printf(&b, "%s%%%" PRIu32 " %s", i ? ", " : "", g->v[i],
                      n ? ir_ops[n->op].name : "copy");
        if (n && n->loc) {
            ir_buf_str(&b, " at ");
            ir_loc_print(l->ctx, n->loc, &b);
        }
    }
    l->k->note = b.text;
    l->k->loc = ir_def(fr->f, g->v[0]) ? ir_def(fr->f, g->v[0])->loc : 0;
}

/* May a result be in the memory of an operand?  Then no element may be computed twice. */
bool
cg_writes_over(const cg_lowering *l, const cg_frame *fr, const cg_access *w, const cg_group *g)
{
    for (uint32_t i = 0; i < w->n_reads; i++)
        for (uint32_t j = 0; w->read[i].v && j < g->n; j++)
            if (cg_may_share(l, fr->place[w->read[i].v], fr->place[g->v[j]]))
                return true;
    return false;
}
