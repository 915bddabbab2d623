/* Plan a graph, group by group: the memory of each result, and the kernels that compute it.
 *
 * The statements of the entry are written in one pass; buffers are parts of the work block
 * whose offsets are assigned later (plan/lifetimes.c). */
#include "codegen/elemental/element.h"
#include "codegen/kernel/record.h"
#include "codegen/lower/level.h"
#include "codegen/schedule/schedule.h"
#include "ir/diag.h"
#include "ir/limit.h"

/* A constant that is needed in memory is read from the module's data. */
static bool
place_constant(cg_lowering *l, cg_level *v, ir_ref x)
{
    const ir_node *n = ir_def(v->f, x);
    const ir_type *t = ir_type_at(v->f, x);
    if (!n || n->op != OP_constant || n->at->constant.data.splat || v->place[x].set)
        return false;
    uint32_t i = cg_buffer_add(l->entry.k, "constant", t->dtype, CG_CONST, t->size);
    l->entry.k->buffer[i].data = n->at->constant.data.bytes;
    v->place[x] = (cg_place){ .set = true, .buffer = i };
    v->borrowed[x] = true;
    return true;
}

/* The operand of the reshape or barrier that is the group's only value; IR_NONE: the group is
 * something else. */
static ir_ref
reshaped(const cg_level *v, const cg_group *g)
{
    const ir_node *n = g->kind == CG_GROUP_MAP && g->n == 1 ? ir_def(v->f, g->v[0]) : NULL;
    return n && (n->op == OP_reshape || n->op == OP_barrier) ? n->in[0] : IR_NONE;
}

/* A reshape of a value that nothing overwrites shares its memory. */
static bool
place_reshape(const cg_group *g, cg_level *v)
{
    ir_ref x = reshaped(v, g), y = g->v[0];
    if (!x || !v->borrowed[x] || v->place[y].set)
        return false;
    v->place[y] = v->place[x];
    v->borrowed[y] = true;
    return true;
}

static void
plan_kernel(cg_lowering *l, cg_level *v, const cg_group *g)
{
    if (g->n == 0)
        return;
    if (g->kind == CG_GROUP_MAP && g->n == 1 && place_constant(l, v, g->v[0]))
        return;
    if (g->n == 1 && v->concat[g->v[0]]) {
        cg_plan_concat(l, v, g->v[0]);
        return;
    }
    if (g->n == 1 && v->stride[g->v[0]]) {
        cg_plan_put(l, v, g->v[0], v->place[g->v[0]], 0, v->stride[g->v[0]]);
        return;
    }
    if (place_reshape(g, v))
        return;
    for (uint32_t i = 0; i < g->n; i++)
        if (!v->place[g->v[i]].set)
            v->place[g->v[i]] = cg_plan_new(l, "t", ir_type_at(v->f, g->v[i]));
    if (g->space->size == 0 && g->kind == CG_GROUP_MAP)
        return;
    const ir_node *n = ir_def(v->f, g->v[g->n - 1]);
    cg_kernel_begin(l, n ? ir_ops[n->op].name : "copy");
    cg_frame *fr = cg_level_frame(l, v, g);
    cg_bind_windows(l, v, g, fr);
    if (g->kind == CG_GROUP_MAP)
        cg_map_kernel(l, fr, v->fusion, g);
    else if (g->kind == CG_GROUP_COLUMN)
        cg_column_kernel(l, fr, g);
    else
        cg_row_kernel(l, fr, v->fusion, g);
    cg_kernel_call(l);
}

/* A value that is last read by a node which overwrites it, or by a concatenation, is computed
 * directly in the memory of the result. */
static void
forward_places(cg_lowering *l, cg_level *v)
{
    cg_index_inputs(l, v);
    for (uint32_t i = v->fusion->n; i-- > 0;) {
        const cg_group *g = &v->fusion->group[v->fusion->order[i]];
        if (cg_elide_concat(l, v, i))
            continue;
        const int *over =
            g->kind == CG_GROUP_NODE ? cg_overwrites(l, v->f, g->node) : NULL;
        for (int k = 0; over && k < g->node->n_out; k++) {
            if (over[k] < 0)
                continue;
            ir_ref x = g->node->in[over[k]], y = g->node->first + (ir_ref)k;
            if (v->place[x].set || cg_times_among_operands(g->node, x) > 1 ||
                v->fusion->last[x] != i || !ir_def(v->f, x))
                continue;
            ir_ref c = v->place[y].set ? cg_input_at(l, v, v->place[y]) : IR_NONE;
            if (c && !cg_may_overwrite(l, v, x, c))
                continue;
            if (!v->place[y].set)
                v->place[y] = cg_plan_new(l, "t", ir_type_at(v->f, y));
            v->place[x] = v->place[y];
        }
    }
}

void
cg_plan_value(cg_lowering *l, cg_level *v, ir_ref x)
{
    const ir_type *t = ir_type_at(v->f, x);
    /* what it reads is not counted here */
    cg_group g = { .kind = CG_GROUP_MAP,
                   .space = t,
                   .n = 1,
                   .v = &x,
                   .bytes = t->size * (int64_t)cot_dtype_size(t->dtype) };
    if (v->place[x].set)
        return;
    plan_kernel(l, v, &g);
    v->fusion->root[x] = true;
}

/* The source line of a group is that of its last value, for which the others are computed. */
static ir_loc
group_loc(const cg_level *v, const cg_group *g)
{
    const ir_node *n = g->node ? g->node : g->n ? ir_def(v->f, g->v[g->n - 1]) : NULL;
    return n ? n->loc : 0;
}

/* Which value is in which buffer, for who shows it. */
static void
record_places(cg_lowering *l, const cg_level *v)
{
    for (ir_ref x = 1; l->m->record && x < v->f->n_values; x++) {
        const ir_node *n = ir_def(v->f, x);

        if (v->place[x].set)
            cg_record_place(l->m->record, ir_value_loc(v->f, x), n ? (int)(x - n->first) : 0,
                            l->entry.k, v->place[x].buffer);
    }
}

void
cg_plan_graph(cg_lowering *l, cg_level *v)
{
    const ir_loc around = l->loc;
    forward_places(l, v);
    for (uint32_t i = 0; i < v->fusion->n && l->status == COT_OK; i++) {
        const cg_group *g = &v->fusion->group[v->fusion->order[i]];
        const ir_mark mark = ir_arena_mark(l->scratch);
        v->at = i;
        l->loc = group_loc(v, g);
        if (v == l->outermost)
            ir_stage_done(l->ctx, i);
        l->status = ir_check(l->ctx);
        if (l->status != COT_OK)
            break;
        if (g->kind == CG_GROUP_NODE)
            l->rules->node[g->node->op](l, v, g);
        else
            plan_kernel(l, v, g);
        ir_arena_release(l->scratch, mark);
    }
    record_places(l, v);
    l->loc = around;
}
