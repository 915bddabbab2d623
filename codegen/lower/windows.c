/* The part of each value in memory that a kernel reads.
 *
 * A kernel whose operand is a slice of a larger value is called with the memory of the slice,
 * and counts its elements from there.  Layers that read slices of one stack of weights are then
 * the same kernel, which is compiled once, at different offsets.  The part is the hull of all
 * elements that the access analysis finds: a stencil, which reads several slices of one value,
 * has one buffer.  A value that may be in the memory of a result is bound as a whole, since
 * buffers of a kernel that overlap must be the same memory. */
#include "codegen/lower/level.h"

bool
cg_is_in_a_result(const cg_lowering *l, const cg_level *v, const cg_group *g, ir_ref x)
{
    for (uint32_t i = 0; i < g->n; i++)
        if (cg_may_share(l, v->place[x], v->place[g->v[i]]))
            return true;
    return false;
}

/* Let the part of r->v that the frame binds have the elements of this read too. */
static void
add_read(cg_lowering *l, const cg_level *v, cg_frame *fr, cg_access *w, const cg_read *r)
{
    const ir_type *t = ir_type_at(v->f, r->v);
    const cg_ix at = cg_ix_flat(&w->ix, t->rank, t->dims, r->at);
    const cg_ix_expr *e = &w->ix.expr[at];
    cg_bind b = *cg_bound(fr, r->v);
    int64_t lo = e->lo > 0 ? e->lo : 0, hi = e->hi < t->size ? e->hi + 1 : t->size;

    if (hi <= lo)
        return;
    if (b.elements) {
        lo = b.first < lo ? b.first : lo;
        hi = b.first + b.elements > hi ? b.first + b.elements : hi;
    }
    b.first = lo;
    b.elements = hi - lo;
    cg_bind_value(l, fr, r->v, b);
}

void
cg_bind_windows(cg_lowering *l, const cg_level *v, const cg_group *g, cg_frame *fr)
{
    cg_access w;

    if (!g->partial)
        return;
    cg_access_group(&w, l->scratch, v->f, v->fusion, g);
    for (uint32_t i = 0; i < w.n_reads; i++)
        if (w.read[i].v && v->place[w.read[i].v].set && !cg_is_made(fr, w.read[i].v) &&
            !cg_is_in_a_result(l, v, g, w.read[i].v))
            add_read(l, v, fr, &w, &w.read[i]);
}
