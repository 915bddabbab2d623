/* Levels: see level.h. */
#include "codegen/lower/level.h"

#include "codegen/elemental/element.h"

cg_level *
cg_level_new(cg_lowering *l, const ir_graph *f)
{
    cg_level *v = IR_NEW(l->arena, cg_level);
    v->f = f;
    v->place = IR_NEW_N(l->arena, cg_place, f->n_values);
    v->borrowed = IR_NEW_N(l->arena, bool, f->n_values);
    v->concat = IR_NEW_N(l->arena, const cg_concat *, f->n_values);
    v->mask = IR_NEW_N(l->arena, const cg_masked *, f->n_values);
    v->stride = IR_NEW_N(l->arena, const int64_t *, f->n_values);
    v->maker = IR_NEW_N(l->arena, uint32_t, f->n_values);
    v->fusion = cg_fuse(l, f);
    return v;
}

cg_frame *
cg_level_frame(cg_lowering *l, const cg_level *v, const cg_group *g)
{
    cg_frame *fr = cg_frame_new(l, v->f);
    fr->place = v->place;
    fr->maker = v->maker;
    fr->making = g->n ? ++l->plan->frames : 0;
    for (uint32_t i = 0; i < g->n; i++)
        v->maker[g->v[i]] = fr->making;
    return fr;
}

int
cg_times_among_operands(const ir_node *n, ir_ref x)
{
    int times = 0;
    for (int i = 0; i < n->n_in; i++)
        times += n->in[i] == x;
    return times;
}

/* Does loop or branch n update c in place into its result x, and read c through no other
 * operand? */
static bool
updates_in_place(cg_lowering *l, const ir_graph *f, const ir_node *n, ir_ref x, ir_ref c)
{
    const int *over = cg_overwrites(l, f, n), from = over ? over[x - n->first] : -1;
    return from >= 0 && n->in[from] == c && cg_times_among_operands(n, c) == 1;
}

/* Does map group g read c only at the element that it writes? */
static bool
reads_in_place(cg_lowering *l, const cg_level *b, const cg_group *g, ir_ref c)
{
    cg_access w;
    cg_access_begin(&w, l->scratch, b->f, b->fusion->root);
    const cg_ix *at = cg_access_space(&w, g->space->rank, g->space->dims);
    for (uint32_t j = 0; j < g->n; j++)
        cg_access_root(&w, g->v[j], at);
    for (uint32_t j = 0; j < w.n_reads; j++) {
        const cg_read *r = &w.read[j];
        if (r->v == c && (r->rank != g->space->rank ||
                          (r->rank && memcmp(r->at, at, sizeof *at * (size_t)r->rank) != 0)))
            return false;
    }
    return true;
}

/* May x overwrite c, if c is the only value in that memory? x is computed by the group at
 * position i of the order. */
static bool
may_overwrite_one(cg_lowering *l, const cg_level *b, ir_ref x, ir_ref c, uint32_t i)
{
    const cg_fusion *fusion = b->fusion;
    const cg_group *g = &fusion->group[fusion->order[i]];
    if (fusion->last[c] != i || fusion->readers[c] == 0)
        return fusion->last[c] <= i;
    if (g->kind == CG_GROUP_NODE && ir_ops[g->node->op].flag == IR_FLOW)
        return updates_in_place(l, b->f, g->node, x, c);
    if (g->kind != CG_GROUP_MAP)
        return g->kind == CG_GROUP_NODE && ir_ops[g->node->op].flag == IR_INDEX &&
               g->node->in[0] == c;
    return reads_in_place(l, b, g, c);
}

/* The values that the first n groups of the order compute from c in the memory of c: by
 * updates, loops and branches. */
static bool *
computed_in_place(cg_lowering *l, const cg_level *b, ir_ref c, uint32_t n)
{
    bool *is = IR_NEW_N(l->scratch, bool, b->f->n_values);
    is[c] = true;
    for (uint32_t i = 0; i < n; i++) {
        const cg_group *g = &b->fusion->group[b->fusion->order[i]];
        const int *over =
            g->kind == CG_GROUP_NODE ? cg_overwrites(l, b->f, g->node) : NULL;
        for (int k = 0; over && k < g->node->n_out; k++) {
            const ir_ref y = g->node->first + (ir_ref)k;
            const bool elsewhere =
                b->place[y].set && !cg_may_share(l, b->place[y], b->place[c]);
            is[y] = over[k] >= 0 && is[g->node->in[over[k]]] && !elsewhere;
        }
    }
    return is;
}

bool
cg_may_overwrite(cg_lowering *l, const cg_level *b, ir_ref x, ir_ref c)
{
    const cg_fusion *fusion = b->fusion;
    for (uint32_t i = 0; i < fusion->n; i++) {
        const cg_group *g = &fusion->group[fusion->order[i]];
        bool makes = false;
        for (uint32_t j = 0; j < g->n; j++)
            makes |= g->v[j] == x;
        if (!makes)
            continue;
        const ir_mark mark = ir_arena_mark(l->scratch);
        const bool *in_place = computed_in_place(l, b, c, i);
        bool may = true;
        for (ir_ref y = 1; y < b->f->n_values && may; y++)
            may = !in_place[y] || may_overwrite_one(l, b, x, y, i);
        ir_arena_release(l->scratch, mark);
        return may;
    }
    return false;
}

ir_ref
cg_input_at(const cg_lowering *l, const cg_level *v, cg_place p)
{
    for (int i = 0; i < v->f->n_in; i++)
        if (cg_may_share(l, v->place[v->f->in[i]], p))
            return v->f->in[i];
    return IR_NONE;
}
