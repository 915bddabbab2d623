/* Epilogues: elementwise consumers of products, and where they are computed. */
#include "codegen/fuse/access.h"
#include "codegen/fuse/fuse.h"
#include "codegen/fuse/views.h"
#include "codegen/tuning.h"

#define NOWHERE UINT32_MAX

typedef struct joining {
    cg_lowering *l;
    const ir_graph *f;
    cg_fusion *fusion;
    cg_reads reads;
    /* the transposes and reshapes of each value, as lists: by value the first, by node the
     * next */
    uint32_t *view, *next_view;
    bool *is_output;
    uint32_t *merged_into; /* by group: the group that it was merged into, or NOWHERE */
} joining;

/* An epilogue of a row's sum computes one scalar for each row, and is not vectorised.  A long
 * one is left to a kernel of its own, whose lanes run over rows.  On a GPU rows are threads, so
 * that it is never too long. */
bool
cg_is_long_tail(const cg_lowering *l, int64_t cost, int64_t rows, int64_t row)
{
    return !l->target.grid && cost > CG_FUSE_MAX_TAIL && cost * CG_FUSE_TAIL_SHARE > row &&
           rows >= CG_FUSE_TAIL_ROWS && cg_lanes(l, 32) > 1;
}

/* Is x made of y by transposes and reshapes alone, none of which but x is stored? */
static bool
is_view_chain(const joining *u, ir_ref y, ir_ref x)
{
    for (int steps = 0; steps < CG_FUSE_MAX_EPILOGUE_VIEWS; steps++) {
        const ir_node *n = x == y ? NULL : ir_def(u->f, x);
        if (!n || (n->op != OP_transpose && n->op != OP_reshape))
            break;
        x = n->in[0];
        if (u->fusion->root[x])
            break;
    }
    return x == y;
}

/* Does map group g read y, indexed through its view `via`, element by element? */
static bool
reads_elementwise(const joining *u, const cg_group *g, ir_ref y, ir_ref via)
{
    const ir_mark mark = ir_arena_mark(u->l->scratch);
    const ir_type *t = ir_type_at(u->f, y);
    cg_access w;
    cg_ix space[COT_MAX_RANK];
    bool fits = true;
    cg_access_begin(&w, u->l->scratch, u->f, u->fusion->root);
    cg_ix *at = cg_access_space(&w, t->rank, t->dims);
    for (int k = 0; via != y && k < t->rank; k++)
        at[k] = t->dims[k] == 1 ? 0 : at[k];
    cg_index_via(&w.ix, u->f, y, via, at, space);
    cg_access_group_at(&w, g, space);
    for (uint32_t j = 0; j < w.n_reads; j++)
        fits = fits &&
               (w.read[j].v != y || cg_is_identity(w.read[j].rank, w.read[j].at, at, t->rank));
    ir_arena_release(u->l->scratch, mark);
    return fits && !w.reduces;
}

/* List the transposes and reshapes of each value. */
static void
find_views(joining *u)
{
    u->view = IR_NEW_N(u->l->tables, uint32_t, u->f->n_values);
    u->next_view = IR_NEW_N(u->l->tables, uint32_t, u->f->n_nodes);
    for (uint32_t i = u->f->n_nodes - 1; i > 0; i--) {
        const ir_node *n = &u->f->node[i];
        if (n->op != OP_transpose && n->op != OP_reshape)
            continue;
        u->next_view[i] = u->view[n->in[0]];
        u->view[n->in[0]] = i;
    }
}

/* The lowest-numbered view of y that has the shape of map group g and that g reads element by
 * element, among views at most CG_FUSE_MAX_EPILOGUE_VIEWS steps away; IR_NONE: there is
 * none. */
static ir_ref
search_views(const joining *u, const cg_group *g, ir_ref y)
{
    ir_ref todo[CG_FUSE_MAX_SEARCHED_VIEWS], best = IR_NONE;
    int n = 0, left[CG_FUSE_MAX_SEARCHED_VIEWS];
    todo[n] = y;
    left[n++] = CG_FUSE_MAX_EPILOGUE_VIEWS;
    while (n > 0) {
        const ir_ref x = todo[--n];
        const int steps = left[n];
        for (uint32_t i = steps ? u->view[x] : 0; i; i = u->next_view[i]) {
            const ir_ref v = u->f->node[i].first;
            if ((!best || v < best) && ir_same_shape(ir_type_at(u->f, v), g->space) &&
                is_view_chain(u, y, v) && reads_elementwise(u, g, y, v))
                best = v;
            if (n == CG_FUSE_MAX_SEARCHED_VIEWS)
                return IR_NONE;
            todo[n] = v;
            left[n++] = steps - 1;
        }
    }
    return best;
}

/* The view of product y, or y itself, that map group g reads element by element; IR_NONE: there
 * is none. */
static ir_ref
view_read_by(const joining *u, const cg_group *g, ir_ref y)
{
    if (g->kind != CG_GROUP_MAP || g->n > CG_FUSE_MAX_EPILOGUE ||
        g->space->size != ir_type_at(u->f, y)->size)
        return IR_NONE;                                             /* y with a margin, say */
    if (ir_same_shape(g->space, ir_type_at(u->f, y)))
        return reads_elementwise(u, g, y, y) ? y : IR_NONE;
    return search_views(u, g, y);
}

static int64_t
cost_of(const joining *u, const cg_group *g)
{
    const ir_mark mark = ir_arena_mark(u->l->scratch);
    cg_access w;
    cg_access_group(&w, u->l->scratch, u->f, u->fusion, g);
    ir_arena_release(u->l->scratch, mark);
    return w.cost;
}

static uint32_t
reader(const joining *u, uint32_t r)
{
    const uint32_t i = u->reads.reader[r];
    return u->merged_into[i] == NOWHERE ? i : u->merged_into[i];
}

/* Does group i wait for another reader of y?  That reader would then have to run between y and
 * its epilogue. */
static bool
waits_for_reader(joining *u, uint32_t i, ir_ref y)
{
    for (uint32_t r = u->reads.first[y]; r < u->reads.first[y + 1]; r++)
        if (reader(u, r) != i && cg_deps_wait(&u->fusion->deps, i, reader(u, r)))
            return true;
    return false;
}

/* The first reader of product y that is a map of y's elements, or of a view of them, and that
 * waits for no other reader of y; NOWHERE: there is none.  *others is set if y has other
 * readers. */
static uint32_t
find_epilogue(joining *u, ir_ref y, bool *others, ir_ref *via)
{
    uint32_t found = NOWHERE;
    for (uint32_t r = u->reads.first[y]; r < u->reads.first[y + 1]; r++) {
        const uint32_t i = reader(u, r);
        ir_ref view = found == NOWHERE ? view_read_by(u, &u->fusion->group[i], y) : IR_NONE;
        if (view && !waits_for_reader(u, i, y)) {
            found = i;
            *via = view;
        } else {
            *others = true;
        }
    }
    return found;
}

/* Let the groups that wait for product i wait for group `at`, which computes it now. */
static void
follow_epilogue(joining *u, uint32_t i, uint32_t at)
{
    cg_deps *d = &u->fusion->deps;
    for (uint32_t e = d->of[i].group; e; e = d->dep[e].next_group)
        if (d->dep[e].group != at && d->dep[e].group != CG_NO_GROUP)
            cg_deps_add(d, d->dep[e].group, at);
}

/* Move elementwise consumers of a product into its kernel: a bias, an activation, a step of
 * gradient descent. */
void
cg_fuse_epilogues(cg_lowering *l, const ir_graph *f, cg_fusion *fusion)
{
    joining all = { .l = l, .f = f, .fusion = fusion }, *u = &all;
    ir_arena *a = l->arena;
    cg_find_reads(l, f, fusion, &u->reads);
    find_views(u);
    u->merged_into = IR_NEW_N(l->tables, uint32_t, fusion->n);
    memset(u->merged_into, 0xff, sizeof *u->merged_into * fusion->n);
    u->is_output = IR_NEW_N(l->tables, bool, f->n_values);
    for (int k = 0; k < f->n_out; k++)
        u->is_output[f->out[k]] = true;
    for (uint32_t i = 0; i < u->fusion->n; i++) {
        cg_group *g = &u->fusion->group[i];
        if (!g->node || ir_ops[g->node->op].flag != IR_CONTRACT || g->n != 1 ||
            g->v[0] != g->node->first)
            continue;
        ir_ref y = g->v[0], via = IR_NONE;
        bool others = u->is_output[y];
        uint32_t at = find_epilogue(u, y, &others, &via);
        if (at == NOWHERE)
            continue;
        cg_group *e = &u->fusion->group[at];
        if (cg_is_inner_product(u->f, g->node) &&
            cg_is_long_tail(u->l, cost_of(u, e), e->space->size, cg_terms_of(u->f, g->node)))
            continue;
        e->kind = CG_GROUP_NODE;
        e->node = g->node;
        e->via = via;
        u->fusion->root[y] = others;
        if (others)
            IR_PUSH(a, e->v, e->n, e->cap, y);
        *g = (cg_group){ .kind = CG_GROUP_MAP, .space = e->space };
        u->merged_into[i] = at;
        if (others)
            follow_epilogue(u, i, at);
    }
}
