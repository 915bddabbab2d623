/* Kernels of interleaves: concatenations of values of size 1 along the last axis, as of the
 * parts of complex numbers.  All parts of an element are computed together and stored to
 * adjacent places.  In an interleave along the first axis, as of the elements of small
 * matrices, the parts are stored one array apart. */
#include "codegen/fuse/access.h"
#include "codegen/schedule/schedule.h"
#include "codegen/tuning.h"

typedef struct interleaving {
    const ir_type *part;
    const uint32_t *buffer;
    int parts, n;               /* parts of each interleave; parts of all of them */
    bool first;
    int held;
    cg_val *x;
} interleaving;

static int
parts_of(const ir_graph *f, ir_ref v)
{
    const ir_node *n = cg_interleave_of(f, v);
    return n ? n->n_in : 0;
}

static bool
is_along_first(const ir_graph *f, ir_ref v)
{
    return cg_interleave_of(f, v)->at->axis.axis < ir_type_at(f, v)->rank - 1;
}

int
cg_interleaved_parts(const cg_frame *fr, const cg_group *g)
{
    const int parts = parts_of(fr->f, g->v[0]);
    for (uint32_t i = 0; i < g->n; i++)
        if (!cg_is_made(fr, g->v[i]) || !parts || parts_of(fr->f, g->v[i]) != parts ||
            is_along_first(fr->f, g->v[i]) != is_along_first(fr->f, g->v[0]))
            return 0;
    return parts;
}

static void
put_part(cg_lowering *l, void *user, const cg_ix *at, cg_val x)
{
    interleaving *s = user;
    cg_val where[CG_FUSE_MAX_INTERLEAVED];
    s->x[s->held++] = x;
    if (s->held < s->n)
        return;
    s->held = 0;
    cg_ix flat = cg_ix_mul(&l->ix, cg_ix_flat(&l->ix, s->part->rank, s->part->dims, at),
                           s->first ? 1 : s->parts);
    for (int k = 0; k < s->parts; k++)
        where[k] = cg_ix_value(&l->ix, &l->b,
                               cg_ix_addc(&l->ix, flat, s->first ? k * s->part->size : k));
    for (int i = 0; i < s->n; i++)
        cg_store(&l->b, s->buffer[i / s->parts], where[i % s->parts], s->x[i], 0);
}

void
cg_interleave_kernel(cg_lowering *l, cg_frame *fr, const cg_fusion *fusion, const cg_group *g,
                     const uint32_t *buffer, int parts)
{
    const ir_graph *f = fr->f;
    interleaving s = { .buffer = buffer, .parts = parts, .n = parts * (int)g->n };
    ir_ref *v = IR_NEW_N(l->scratch, ir_ref, s.n);
    s.x = IR_NEW_N(l->scratch, cg_val, s.n);
    for (int i = 0; i < s.n; i++)
        v[i] = cg_interleave_of(f, g->v[i / parts])->in[i % parts];
    s.part = ir_type_at(f, v[0]);
    s.first = is_along_first(f, g->v[0]);
    const cg_group each = { .kind = CG_GROUP_MAP,
                            .space = s.part,
                            .n = (uint32_t)s.n,
                            .v = v,
                            .part = g->part,
                            .bytes = g->bytes };
    cg_put_group(l, fr, fusion, &each, NULL, true, put_part, &s);
}
