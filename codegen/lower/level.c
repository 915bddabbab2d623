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

cg_frame *
cg_node_kernel(cg_lowering *l, const cg_level *v, const ir_node *n)
{
    cg_kernel_begin(l, ir_ops[n->op].name);
    l->k->loc = n->loc;
    l->k->note = ir_ops[n->op].doc;
    return cg_level_frame(l, v, &(cg_group){ 0 });
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

/* The results that groups before position i of the order compute in the memory of y, which is
 * that of c; they are added to the list. */
typedef struct in_place {
    ir_ref *v;
    uint32_t n, cap;
} in_place;

static void
add_heirs(cg_lowering *l, const cg_level *b, ir_ref y, ir_ref c, uint32_t i, in_place *all)
{
    const cg_fusion *fusion = b->fusion;
    for (ir_ref z = fusion->heir[y]; z; z = fusion->next_heir[z]) {
        const bool elsewhere = b->place[z].set && !cg_may_share(l, b->place[z], b->place[c]);
        if (!elsewhere && fusion->made[z] <= i)
            IR_PUSH(l->scratch, all->v, all->n, all->cap, z);
    }
}

bool
cg_may_overwrite(cg_lowering *l, const cg_level *b, ir_ref x, ir_ref c)
{
    const uint32_t made = b->fusion->made[x];
    const ir_mark mark = ir_arena_mark(l->scratch);
    in_place all = { 0 };
    bool may = made > 0;
    if (may)
        IR_PUSH(l->scratch, all.v, all.n, all.cap, c);
    for (uint32_t k = 0; k < all.n && may; k++) {
        may = may_overwrite_one(l, b, x, all.v[k], made - 1);
        add_heirs(l, b, all.v[k], c, made - 1, &all);
    }
    ir_arena_release(l->scratch, mark);
    return may;
}

static uint64_t
buffer_hash(uint32_t buffer)
{
    return ir_hash_u64(0, buffer);
}

/* Index the inputs of a level by their buffers and by the buffers that those may overlap. */
void
cg_index_inputs(cg_lowering *l, cg_level *v)
{
    ir_map_init(&v->inputs, l->arena);
    for (int i = 0; i < v->f->n_in; i++) {
        const cg_place p = v->place[v->f->in[i]];
        const uint32_t alias = p.set ? l->entry.k->buffer[p.buffer].alias : 0;
        if (p.set)
            ir_map_add(&v->inputs, buffer_hash(p.buffer), (uint32_t)i + 1);
        if (alias)
            ir_map_add(&v->inputs, buffer_hash(alias - 1), (uint32_t)i + 1);
    }
}

/* The first input, counted from 1, that is indexed by the buffer and may share the place, if it
 * is before `first` or `first` is 0. */
static uint32_t
first_input(const cg_lowering *l, const cg_level *v, uint32_t buffer, cg_place p,
            uint32_t first)
{
    for (uint32_t at = 0, i; (i = ir_map_next(&v->inputs, buffer_hash(buffer), &at)) != 0;)
        if ((first == 0 || i < first) && cg_may_share(l, v->place[v->f->in[i - 1]], p))
            first = i;
    return first;
}

ir_ref
cg_input_at(const cg_lowering *l, const cg_level *v, cg_place p)
{
    const uint32_t alias = l->entry.k->buffer[p.buffer].alias;
    uint32_t first = first_input(l, v, p.buffer, p, 0);
    if (alias)
        first = first_input(l, v, alias - 1, p, first);
    return first ? v->f->in[first - 1] : IR_NONE;
}
