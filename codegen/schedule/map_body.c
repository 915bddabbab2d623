/* The body of a map kernel: the elements of its values at one index of the space, or along one
 * short loop, and their stores. */
#include "codegen/elemental/fold.h"
#include "codegen/schedule/map.h"
#include "codegen/tuning.h"

/* Are all values reductions over the same axes of operands of one shape, too long to unroll?
 * Then they share their loops. */
static bool
is_joint(const cg_mapping *m)
{
    const ir_graph *f = m->fr->f;
    const ir_node *first = ir_def(f, m->g->v[0]);
    for (uint32_t i = 0; i < m->g->n; i++) {
        const ir_node *n = ir_def(f, m->g->v[i]);
        if (!n || !ir_is_fold(n->op) || n->at->axes.axes != first->at->axes.axes ||
            !ir_same_shape(ir_type_at(f, n->in[0]), ir_type_at(f, first->in[0])))
            return false;
    }
    int a, b;
    return !m->put && m->g->n > 1 && m->g->n <= CG_SCHEDULE_MAX_JOINT &&
           cg_reduced(f, first, &a, &b) > CG_SCHEDULE_MAX_UNROLLED_JOINT;
}

static void
joint_element(cg_lowering *l, void *user, cg_ix j, cg_val *e)
{
    cg_mapping *m = user;
    const ir_graph *f = m->fr->f;
    cg_ix to[COT_MAX_RANK + 1];
    for (uint32_t i = 0; i < m->g->n; i++) {
        const ir_node *n = ir_def(f, m->g->v[i]);
        cot_dtype t = ir_type_at(f, n->in[0])->dtype;
        cg_reduced_index(l, f, n, m->at, j, to);
        e[i] = cg_convert(l, cg_element(l, m->fr, n->in[0], to), t, ir_compute_type(t));
    }
}

static void
joint_body(cg_mapping *m)
{
    cg_lowering *l = m->l;
    const ir_graph *f = m->fr->f;
    cg_fold how[CG_SCHEDULE_MAX_JOINT];
    cg_val x[CG_SCHEDULE_MAX_JOINT];
    int a, b;
    for (uint32_t i = 0; i < m->g->n; i++) {
        const ir_node *n = ir_def(f, m->g->v[i]);
        how[i] = cg_fold_of(ir_ops[n->op].by, ir_type_at(f, n->in[0])->dtype);
    }
    cg_fold_loops(l, cg_reduced(f, ir_def(f, m->g->v[0]), &a, &b), (int)m->g->n, how,
                  CG_FOLD_SERIAL, false, joint_element, m, x);
    for (uint32_t i = 0; i < m->g->n; i++)
        cg_store_element(l, m->fr, m->g->v[i], m->buffer[i], m->at,
                         cg_fold_finish(l, f, ir_def(f, m->g->v[i]), x[i]));
}

/* Set the axes of loop i from its variable. */
static void
set_loop(cg_mapping *m, int i, cg_ix x)
{
    int first = m->s.first[i];
    cg_ix_split(&m->l->ix, x, m->s.last[i] - first, m->s.dims + first, m->axis + first);
}

void
cg_map_set_axes(cg_mapping *m, int level, cg_ix x)
{
    set_loop(m, m->order[level], x);
}

static void
set_index(cg_mapping *m)
{
    cg_map_index(&m->s, &m->l->ix, m->g->space, m->axis, m->at);
}

/* Emit all elements of a row, along the short last loops, and their indices, then the stores,
 * adjacent in the text, which emitters merge into whole vectors. */
static void
unrolled_body(cg_mapping *m)
{
    cg_lowering *l = m->l;
    const ir_graph *f = m->fr->f;
    const int64_t n = m->row, all = n * m->g->n;
    cg_val *x = IR_NEW_N(l->scratch, cg_val, all), *where = IR_NEW_N(l->scratch, cg_val, all);
    for (int64_t i = 0; i < all; i++) {
        const ir_ref v = m->g->v[i / n];

        cg_map_row_index(&m->s, &l->ix, m->unrolled, i % n, m->axis);
        set_index(m);
        x[i] = cg_element(l, m->fr, v, m->at);
        const cg_ix flat =
            cg_ix_flat(&l->ix, ir_type_at(f, v)->rank, ir_type_at(f, v)->dims, m->at);
        where[i] = cg_ix_value(&l->ix, &l->b, flat);
    }
    for (int64_t i = 0; i < all; i++)
        cg_store(&l->b, m->buffer[i / n], where[i], x[i], 0);
}

void
cg_map_body(cg_mapping *m)
{
    if (m->unrolled >= 0 && !is_joint(m)) {
        unrolled_body(m);
        return;
    }
    set_index(m);
    if (is_joint(m)) {
        joint_body(m);
        return;
    }
    cg_val *x = IR_NEW_N(m->l->scratch, cg_val, m->g->n);
    for (uint32_t i = 0; i < m->g->n; i++) {
        x[i] = cg_element(m->l, m->fr, m->g->v[i], m->at);
        if (m->put)
            m->put(m->l, m->user, m->at, x[i]);
        else if (m->idempotent)
            cg_store_element(m->l, m->fr, m->g->v[i], m->buffer[i], m->at, x[i]);
    }
    /* results that overwrite operands are stored when all values have read this element */
    for (uint32_t i = 0; i < m->g->n && !m->put && !m->idempotent; i++)
        cg_store_element(m->l, m->fr, m->g->v[i], m->buffer[i], m->at, x[i]);
}
