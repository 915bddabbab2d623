/* The entry, group by group: see plan.h.
 *
 * It is written in one go; each buffer is a piece of the work block that has no offset yet
 * (lifetimes.c). */
#include "codegen/lower/guard.h"
#include "codegen/fuse/access.h"
#include "codegen/kernel/grid.h"
#include "codegen/plan/plan.h"

#include "ir/diag.h"
#include "ir/limit.h"

cg_level *
cg_level_new(cg_lowering *l, const ir_graph *f)
{
    cg_level *v = IR_NEW(l->arena, cg_level);
    v->f = f;
    v->place = IR_NEW_N(l->arena, cg_place, f->n_values);
    v->borrowed = IR_NEW_N(l->arena, bool, f->n_values);
    v->whole = IR_NEW_N(l->arena, const cg_whole *, f->n_values);
    v->mask = IR_NEW_N(l->arena, const cg_masked *, f->n_values);
    v->stride = IR_NEW_N(l->arena, const int64_t *, f->n_values);
    v->maker = IR_NEW_N(l->arena, uint32_t, f->n_values);
    v->cut = cg_fuse(l, f);
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

cg_place
cg_place_at(cg_lowering *l, cg_place p, cg_val off)
{
    p.offset = p.offset ? cg_iadd(&l->entry, p.offset, off) : off;
    return p;
}

/* The number of the kernel in hand, or of one before that is the same; then it is not compiled
 * again. */
static int
shared_kernel(cg_lowering *l)
{
    cg_module *m = l->m;
    const uint64_t h = cg_kernel_hash(l->k);
    uint32_t number = m->n_kernels - 1;
    while (m->kernel[number] != l->k)
        number--;
    for (uint32_t at = 0, i; (i = ir_map_next(&l->kernels, h, &at)) != 0;)
        if (number + 1 == m->n_kernels && cg_kernel_same(m->kernel[i], l->k)) {
            ir_buf_printf(l->why, "%s: is %s\n", l->k->name, m->kernel[i]->name);
            cg_kernel_drop(m);
            return (int)i;
        }
    ir_map_add(&l->kernels, h, number);
    return (int)number;
}

void
cg_kernel_call(cg_lowering *l)
{
    cg_kernel_call_with(l, 0, NULL);
}

void
cg_kernel_call_with(cg_lowering *l, int n_params, const cg_val *params)
{
    if (l->target.grid) {
        cg_grid_schedule(l->k);
        l->k->alone |= cg_launch_of(l->k).grid <= l->target.processors;
    }
    if (l->guard.set)
        cg_guard_kernel(l);
    uint32_t n = l->k->n_buffers, *buffer = IR_NEW_N(l->arena, uint32_t, n + 1);
    cg_val *offset = IR_NEW_N(l->arena, cg_val, n + 1);
    uint32_t m = 0;
    l->plan->now++;
    for (uint32_t i = 0; i < n; i++) {
        if (!l->arg[i])
            continue;
        buffer[m] = l->arg[i] - 1;
        offset[m++] = l->arg_offset[i];
        cg_plan_touch(l, l->arg[i] - 1);
    }
    cg_call_kernel(&l->entry, shared_kernel(l), buffer, offset, n_params, params);
}

void
cg_plan_copy(cg_lowering *l, cg_place to, cg_place from, const ir_type *t)
{
    int64_t bytes = t->size * (int64_t)cot_dtype_size(t->dtype);
    if (l->guard.set) {
        cg_guarded_copy(l, to, from, t);
        return;
    }
    l->plan->now++;
    cg_plan_touch(l, to.buffer);
    cg_plan_touch(l, from.buffer);
    cg_val zero = cg_i64(&l->entry, 0);
    if (bytes > 0)
        cg_copy(&l->entry, to.buffer, to.offset ? to.offset : zero, from.buffer,
                from.offset ? from.offset : zero, bytes);
}

bool
cg_may_share(const cg_lowering *l, cg_place x, cg_place y)
{
    const cg_buffer *at = l->entry.k->buffer;
    return x.set && y.set && (x.buffer == y.buffer || at[x.buffer].alias == y.buffer + 1
                              || at[y.buffer].alias == x.buffer + 1);
}

/* A constant that some node wants in memory is read where it is. */
static bool
place_constant(cg_lowering *l, cg_level *v, ir_ref x)
{
    const ir_node *n = ir_def(v->f, x);
    const ir_type *t = ir_type_at(v->f, x);
    if (!n || n->op != OP_constant || n->at.constant.data.splat || v->place[x].set)
        return false;
    uint32_t i = cg_buffer_add(l->entry.k, "constant", t->dtype, CG_CONST, t->size);
    l->entry.k->buffer[i].data = n->at.constant.data.bytes;
    v->place[x] = (cg_place){ .set = true, .buffer = i };
    v->borrowed[x] = true;
    return true;
}

/* The only value of a group that is a reshape (or barrier), and what it reshapes; IR_NONE: it
 * is none. */
static ir_ref
reshaped(const cg_level *v, const cg_group *g)
{
    const ir_node *n = g->kind == CG_GROUP_MAP && g->n == 1 ? ir_def(v->f, g->v[0]) : NULL;
    return n && (n->op == OP_reshape || n->op == OP_barrier) ? n->in[0] : IR_NONE;
}

/* A reshape of what nobody writes over is no copy. */
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
    if (g->n == 1 && v->whole[g->v[0]]) {
        cg_plan_whole(l, v, g->v[0]);
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
    if (g->kind == CG_GROUP_MAP)
        cg_map_kernel(l, fr, v->cut, g);
    else if (g->kind == CG_GROUP_COLUMN)
        cg_column_kernel(l, fr, g);
    else
        cg_row_kernel(l, fr, v->cut, g);
    cg_kernel_call(l);
}

static void
plan_node(cg_lowering *l, cg_level *v, const cg_group *g)
{
    switch (g->node->op) {
    case OP_dot_general:
    case OP_conv_general:
        cg_plan_dot(l, v, g);
        break;
    case OP_argsort:
    case OP_top_k:
        cg_plan_argsort(l, v, g);
        break;
    case OP_fft:
        cg_plan_fft(l, v, g);
        break;
    case OP_cumsum:
    case OP_cumprod:
    case OP_cummax:
    case OP_cummin:
        cg_plan_cumulate(l, v, g);
        break;
    case OP_call:
        cg_plan_call(l, v, g);
        break;
    case OP_cond:
        cg_plan_cond(l, v, g);
        break;
    case OP_while:
        cg_plan_while(l, v, g);
        break;
    case OP_scan:
        cg_plan_scan(l, v, g);
        break;
    case OP_custom_call:
        cg_plan_foreign(l, v, g);
        break;
    default:
        cg_plan_update(l, v, g);
    }
}

static int
times_among_operands(const ir_node *n, ir_ref x)
{
    int times = 0;
    for (int i = 0; i < n->n_in; i++)
        times += n->in[i] == x;
    return times;
}

/* Does loop or branch n take c, for nothing else, and go on in its memory to what x is? */
static bool
carried_on(cg_lowering *l, const ir_graph *f, const ir_node *n, ir_ref x, ir_ref c)
{
    const int *over = cg_overwrites(l, f, n), from = over ? over[x - n->first] : -1;
    return from >= 0 && n->in[from] == c && times_among_operands(n, c) == 1;
}

/* Does the map kernel g read c only at the element that it writes? */
static bool
reads_in_place(cg_lowering *l, const cg_level *b, const cg_group *g, ir_ref c)
{
    cg_walk w;
    cg_walk_begin(&w, l->scratch, b->f, b->cut->root);
    const cg_ix *at = cg_walk_space(&w, g->space->rank, g->space->dims);
    for (uint32_t j = 0; j < g->n; j++)
        cg_walk_root(&w, g->v[j], at);
    for (uint32_t j = 0; j < w.n_reads; j++) {
        const cg_read *r = &w.read[j];
        if (r->v == c && (r->rank != g->space->rank ||
                          (r->rank && memcmp(r->at, at, sizeof *at * (size_t)r->rank) != 0)))
            return false;
    }
    return true;
}

/* The same where c alone is in the memory; x is made by the group at place i of the order. */
static bool
may_overwrite_one(cg_lowering *l, const cg_level *b, ir_ref x, ir_ref c, uint32_t i)
{
    const cg_cut *cut = b->cut;
    const cg_group *g = &cut->group[cut->order[i]];
    if (cut->last[c] != i || cut->readers[c] == 0)
        return cut->last[c] <= i;
    if (g->kind == CG_GROUP_NODE && ir_ops[g->node->op].flag == IR_FLOW)
        return carried_on(l, b->f, g->node, x, c);
    if (g->kind != CG_GROUP_MAP)
        return g->kind == CG_GROUP_NODE && ir_ops[g->node->op].flag == IR_INDEX &&
               g->node->in[0] == c;
    return reads_in_place(l, b, g, c);
}

/* What is made of c by the first n groups and may be where c is: updates, ends of loops. */
static bool *
made_in_place(cg_lowering *l, const cg_level *b, ir_ref c, uint32_t n)
{
    bool *is = IR_NEW_N(l->scratch, bool, b->f->n_values);
    is[c] = true;
    for (uint32_t i = 0; i < n; i++) {
        const cg_group *g = &b->cut->group[b->cut->order[i]];
        const int *over =
            g->kind == CG_GROUP_NODE ? cg_overwrites(l, b->f, g->node) : NULL;
        for (int k = 0; over && k < g->node->n_out; k++) {
            const ir_ref y = g->node->first + (ir_ref)k;
            const bool apart = b->place[y].set && !cg_may_share(l, b->place[y], b->place[c]);
            is[y] = over[k] >= 0 && is[g->node->in[over[k]]] && !apart;
        }
    }
    return is;
}

bool
cg_may_overwrite(cg_lowering *l, const cg_level *b, ir_ref x, ir_ref c)
{
    const cg_cut *cut = b->cut;
    for (uint32_t i = 0; i < cut->n; i++) {
        const cg_group *g = &cut->group[cut->order[i]];
        bool makes = false;
        for (uint32_t j = 0; j < g->n; j++)
            makes |= g->v[j] == x;
        if (!makes)
            continue;
        const ir_mark mark = ir_arena_mark(l->scratch);
        const bool *there = made_in_place(l, b, c, i);
        bool may = true;
        for (ir_ref y = 1; y < b->f->n_values && may; y++)
            may = !there[y] || may_overwrite_one(l, b, x, y, i);
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

/* A value that only such a node reads is computed where the node's result will be: no copy. */
static void
forward_places(cg_lowering *l, cg_level *v)
{
    for (uint32_t i = v->cut->n; i-- > 0;) {
        const cg_group *g = &v->cut->group[v->cut->order[i]];
        if (cg_forward_pieces(l, v, i))
            continue;
        const int *over =
            g->kind == CG_GROUP_NODE ? cg_overwrites(l, v->f, g->node) : NULL;
        for (int k = 0; over && k < g->node->n_out; k++) {
            if (over[k] < 0)
                continue;
            ir_ref x = g->node->in[over[k]], y = g->node->first + (ir_ref)k;
            if (v->place[x].set || times_among_operands(g->node, x) > 1 ||
                v->cut->last[x] != i || !ir_def(v->f, x))
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
    cg_group g = { .kind = CG_GROUP_MAP, .space = t, .n = 1, .v = &x };
    if (v->place[x].set)
        return;
    plan_kernel(l, v, &g);
    v->cut->root[x] = true;
}

/* What is made last, of a group: what the rest of it is made for. */
static ir_loc
group_loc(const cg_level *v, const cg_group *g)
{
    const ir_node *n = g->node ? g->node : g->n ? ir_def(v->f, g->v[g->n - 1]) : NULL;
    return n ? n->loc : 0;
}

void
cg_plan_graph(cg_lowering *l, cg_level *v)
{
    const ir_loc around = l->loc;
    forward_places(l, v);
    for (uint32_t i = 0; i < v->cut->n && l->status == COT_OK; i++) {
        const cg_group *g = &v->cut->group[v->cut->order[i]];
        const ir_mark mark = ir_arena_mark(l->scratch);
        v->at = i;
        l->loc = group_loc(v, g);
        l->status = ir_check(l->ctx);
        if (l->status != COT_OK)
            break;
        if (g->kind == CG_GROUP_NODE)
            plan_node(l, v, g);
        else
            plan_kernel(l, v, g);
        ir_arena_release(l->scratch, mark);
    }
    l->loc = around;
}
