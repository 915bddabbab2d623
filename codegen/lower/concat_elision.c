/* Concat elision: parts of a value that consists of reshapes, transposes and concatenations are
 * computed directly in its memory.
 *
 * A stored value (the whole) that is nothing but such views of other values is followed down to
 * its parts, each of which has an offset and a stride for each axis in the whole.  A part
 * that is last read by the whole, and is contiguous in it, is computed there.  A result that a
 * scan collects, and that nothing else reads, may have any strides: the scan stores its steps
 * there, as when chunks of rows or columns are joined to a matrix.  The other parts are copied
 * when the whole is planned. */
#include "codegen/elemental/element.h"
#include "codegen/lower/launches.h"
#include "codegen/schedule/schedule.h"

typedef struct following {
    cg_lowering *l;
    const cg_level *v;
    ir_ref y;
    cg_concat *whole;
} following;

/* The strides of x, which is reshaped to y, from the strides of y; false if x has none, because
 * steps along one of its axes would differ. */
static bool
stride_before(const ir_type *x, const ir_type *y, const int64_t *of_y, int64_t *of_x)
{
    int64_t left = 1, step = 0; /* a run of elements of y: how many, and their stride */
    int j = y->rank;
    for (int i = x->rank - 1; i >= 0; i--) {
        while (left % x->dims[i] != 0) {
            j--;
            if (y->dims[j] == 1)
                continue;
            if (left == 1)
                step = of_y[j];
            else if (of_y[j] != step * left)
                return false;
            left *= y->dims[j];
        }
        of_x[i] = step;
        left /= x->dims[i];
        step *= x->dims[i];
    }
    return true;
}

static void
add_part(following *s, ir_ref x, int64_t offset, const int64_t *stride)
{
    int rank = ir_type_at(s->v->f, x)->rank;
    cg_concat_part p = { .v = x, .offset = offset };
    p.stride = ir_copy_bytes(s->l->arena, stride, sizeof *stride * (size_t)rank);
    IR_PUSH(s->l->arena, s->whole->part, s->whole->n, s->whole->cap, p);
}

static void
follow(following *s, ir_ref x, int64_t offset, const int64_t *stride)
{
    const ir_graph *f = s->v->f;
    const ir_node *n = ir_def(f, x);
    int64_t to[COT_MAX_RANK + 1] = { 0 };
    bool stop = !n || (x != s->y && s->v->fusion->root[x]);

    if (!stop && n->op == OP_reshape &&
        stride_before(ir_type_at(f, n->in[0]), ir_type_at(f, x), stride, to)) {
        follow(s, n->in[0], offset, to);
    } else if (!stop && n->op == OP_transpose) {
        for (int k = 0; k < ir_type_at(f, x)->rank; k++)
            to[n->at->perm.perm.at[k]] = stride[k];
        follow(s, n->in[0], offset, to);
    } else if (!stop && n->op == OP_concatenate) {
        for (int i = 0; i < n->n_in; i++) {
            follow(s, n->in[i], offset, stride);
            offset +=
                stride[n->at->axis.axis] * ir_type_at(f, n->in[i])->dims[n->at->axis.axis];
        }
    } else {
        add_part(s, x, offset, stride);
    }
}

static bool
is_dense(const ir_type *t, const int64_t *stride)
{
    int64_t step = 1;
    for (int k = t->rank - 1; k >= 0; k--) {
        if (t->dims[k] != 1 && stride[k] != step)
            return false;
        step *= t->dims[k];
    }
    return true;
}

/* Is the scan one without carries, which only collects results?  Then cg_plan_scan can store
 * steps with any strides. */
static bool
only_collects(cg_lowering *l, const ir_graph *f, const ir_node *n)
{
    return n->op == OP_scan && n->at->scan.carries == 0 && !cg_steps(l, f, n);
}

/* May part k of the whole, which the group at position i of the order computes, be computed in
 * the memory of the whole? */
static bool
may_place(cg_lowering *l, const cg_level *v, const cg_concat *w, uint32_t k, uint32_t i)
{
    ir_ref x = w->part[k].v;
    const ir_node *n = ir_def(v->f, x);
    if (!n || n->op == OP_constant || !v->fusion->root[x] || v->place[x].set ||
        v->fusion->last[x] != i)
        return false;
    for (uint32_t j = 0; j < w->n; j++)
        if (j != k && w->part[j].v == x)
            return false;
    return is_dense(ir_type_at(v->f, x), w->part[k].stride) ||
           (only_collects(l, v->f, n) && v->fusion->readers[x] == 1);
}

static void
place_part(cg_lowering *l, cg_level *v, ir_ref y, cg_concat_part *p)
{
    v->place[p->v] =
        p->offset ? cg_place_at(l, v->place[y], cg_i64(&l->entry, p->offset)) : v->place[y];
    p->placed = true;
    if (!is_dense(ir_type_at(v->f, p->v), p->stride))
        v->stride[p->v] = p->stride;
}

bool
cg_elide_concat(cg_lowering *l, cg_level *v, uint32_t i)
{
    const cg_group *g = &v->fusion->group[v->fusion->order[i]];
    if (g->kind != CG_GROUP_MAP || g->n != 1 || g->space->size == 0 || !ir_def(v->f, g->v[0]))
        return false;
    ir_ref y = g->v[0];
    int64_t stride[COT_MAX_RANK + 1] = { 0 }, step = 1;
    cg_concat *w = IR_NEW(l->arena, cg_concat);
    bool any = false;
    if (v->place[y].set && cg_input_at(l, v, v->place[y]))
        return false;
    for (int k = g->space->rank - 1; k >= 0; step *= g->space->dims[k--])
        stride[k] = step;
    follow(&(following){ l, v, y, w }, y, 0, v->stride[y] ? v->stride[y] : stride);
    for (uint32_t k = 0; k < w->n; k++) {
        if (!may_place(l, v, w, k, i))
            continue;
        if (!v->place[y].set)
            v->place[y] = cg_plan_new(l, "t", g->space);
        place_part(l, v, y, &w->part[k]);
        any = true;
    }
    if (!any && cg_has_many_parts(l, v->f, y)) {
        v->place[y] = v->place[y].set ? v->place[y] : cg_plan_new(l, "t", g->space);
        any = true;
    }
    if (any)
        v->concat[y] = w;
    return any;
}

typedef struct putting {
    uint32_t buffer;
    const int64_t *stride;
    int rank;
} putting;

static void
put(cg_lowering *l, void *user, const cg_ix *at, cg_val x)
{
    const putting *p = user;
    cg_ix flat = 0;
    for (int k = 0; k < p->rank; k++)
        flat = cg_ix_add(&l->ix, flat, cg_ix_mul(&l->ix, at[k], p->stride[k]));
    cg_store(&l->b, p->buffer, cg_ix_value(&l->ix, &l->b, flat), x, 0);
}

void
cg_plan_put(cg_lowering *l, cg_level *v, ir_ref x, cg_place to, int64_t offset,
            const int64_t *stride)
{
    const ir_type *t = ir_type_at(v->f, x);
    const ir_node *n = ir_def(v->f, x);
    /* computed here if it is strided, else read from its place */
    const cg_group own = { .n = v->stride[x] != NULL, .v = &x };
    putting p = { .stride = stride, .rank = t->rank };
    int64_t end = 1;
    if (t->size == 0)
        return;
    for (int k = 0; k < t->rank; k++)
        end += (t->dims[k] - 1) * stride[k];
    cg_kernel_begin(l, n ? ir_ops[n->op].name : "copy");
    const ir_type *reach = ir_type_new(l->ctx, t->dtype, 1, &end);
    if (offset)
        to = cg_place_at(l, to, cg_i64(&l->entry, offset));
    p.buffer = cg_place_buffer(l, &to, reach, "y", true);
    cg_put_kernel(l, cg_level_frame(l, v, &own), v->fusion, x, stride, true, put, &p);
    cg_kernel_call(l);
}

void
cg_plan_concat(cg_lowering *l, cg_level *v, ir_ref y)
{
    const cg_concat *w = v->concat[y];
    for (uint32_t k = 0; k < w->n; k++)
        if (!w->part[k].placed)
            cg_plan_put(l, v, w->part[k].v, v->place[y], w->part[k].offset, w->part[k].stride);
}
