/* What is made of a product or of sums, element by element: where that is computed. */
#include "codegen/fuse.h"
#include "codegen/lower/walk.h"

enum { EPILOGUE_MOST = 4, VIA_MOST = 6, TAIL_MOST = 24, TAIL_SHARE = 8, TAIL_ROWS = 32 };
#define NOWHERE UINT32_MAX

typedef struct joining {
    cg_lowering *l;
    const ir_graph *f;
    cg_cut *cut;
} joining;

/* What is made of one number for each row, beside the row's own work, is no vector.  Where that
 * would be long it is left to a kernel of its own, which has many rows at a time.  On a GPU rows
 * are threads. */
bool
cg_is_long_tail(const cg_lowering *l, int64_t cost, int64_t rows, int64_t row)
{
    return !l->target.grid && cost > TAIL_MOST && cost * TAIL_SHARE > row && rows >= TAIL_ROWS &&
           cg_lanes(l, 32) > 1;
}

/* Is x made of y by transposes and reshapes alone, none of which is in memory before x? */
static bool
is_seen_via(const joining *u, ir_ref y, ir_ref x)
{
    for (int steps = 0; steps < VIA_MOST; steps++) {
        const ir_node *n = x == y ? NULL : ir_def(u->f, x);
        if (!n || (n->op != OP_transpose && n->op != OP_reshape))
            break;
        x = n->in[0];
        if (u->cut->root[x])
            break;
    }
    return x == y;
}

/* Does map group g read y, seen as `via`, element by element? */
static bool
reads_each(const joining *u, const cg_group *g, ir_ref y, ir_ref via)
{
    const ir_type *t = ir_type_at(u->f, y);
    cg_walk w;
    cg_ix space[COT_MAX_RANK];
    bool fits = true;
    cg_walk_begin(&w, u->l->arena, u->f, u->cut->root);
    cg_ix *at = cg_walk_space(&w, t->rank, t->dims);
    for (int k = 0; via != y && k < t->rank; k++)
        at[k] = t->dims[k] == 1 ? 0 : at[k];
    cg_index_via(&w.ix, u->f, y, via, at, space);
    cg_walk_group_at(&w, g, space);
    for (uint32_t j = 0; j < w.n_reads; j++)
        fits = fits &&
               (w.read[j].v != y || cg_is_identity(w.read[j].rank, w.read[j].at, at, t->rank));
    return fits && !w.reduces;
}

/* The view of product y, y itself perhaps, that map group g reads element by element; or
 * none. */
static ir_ref
seen_by(const joining *u, const cg_group *g, ir_ref y)
{
    if (g->kind != CG_GROUP_MAP || g->n > EPILOGUE_MOST ||
        g->space->size != ir_type_at(u->f, y)->size)
        return IR_NONE;                                             /* not y with a margin */
    if (ir_same_shape(g->space, ir_type_at(u->f, y)))
        return reads_each(u, g, y, y) ? y : IR_NONE;
    ir_each_node(n, u->f)
        if ((n->op == OP_transpose || n->op == OP_reshape) &&
            ir_same_shape(ir_type_at(u->f, n->first), g->space) &&
            is_seen_via(u, y, n->first) && reads_each(u, g, y, n->first))
            return n->first;
    return IR_NONE;
}

static bool
reads(const joining *u, const cg_group *g, ir_ref y)
{
    cg_walk w;
    cg_walk_group(&w, u->l->arena, u->f, u->cut, g);
    for (uint32_t j = 0; j < w.n_reads; j++)
        if (w.read[j].v == y)
            return true;
    return false;
}

static int64_t
cost_of(const joining *u, const cg_group *g)
{
    cg_walk w;
    cg_walk_group(&w, u->l->arena, u->f, u->cut, g);
    return w.cost;
}

/* A group that is a map of y's elements, as they are or seen via transposes and reshapes, and
 * reads product y element by element, and waits for nobody who waits for y. */
static uint32_t
find_epilogue(const joining *u, uint32_t product, ir_ref y, bool *others, ir_ref *via)
{
    uint32_t found = NOWHERE;
    for (uint32_t i = 0; i < u->cut->n; i++) {
        const cg_group *g = &u->cut->group[i];
        if (!cg_needs(g, product) || !reads(u, g, y))
            continue;
        ir_ref seen = found == NOWHERE ? seen_by(u, g, y) : IR_NONE;
        for (uint32_t j = 0; seen && j < u->cut->n; j++)
            if (j != product && cg_needs(g, j) && cg_needs(&u->cut->group[j], product))
                seen = IR_NONE;
        if (seen) {
            found = i;
            *via = seen;
        } else {
            *others = true;
        }
    }
    return found;
}

/* What consumes a product element by element is computed where the product is: bias,
 * activation, a step of descent. */
void
cg_fuse_epilogues(cg_lowering *l, const ir_graph *f, cg_cut *cut)
{
    const joining all = { l, f, cut }, *u = &all;
    ir_arena *a = l->arena;
    for (uint32_t i = 0; i < u->cut->n; i++) {
        cg_group *g = &u->cut->group[i];
        bool others = false;
        if (!g->node || ir_ops[g->node->op].flag != IR_CONTRACT || g->n != 1 ||
            g->v[0] != g->node->first)
            continue;
        ir_ref y = g->v[0];
        for (int k = 0; k < u->f->n_out; k++)
            others |= u->f->out[k] == y;
        ir_ref via = IR_NONE;
        uint32_t at = find_epilogue(u, i, y, &others, &via);
        if (at == NOWHERE)
            continue;
        cg_group *e = &u->cut->group[at];
        if (cg_is_inner_product(u->f, g->node) && cg_is_long_tail(u->l, cost_of(u, e), e->space->size, cg_terms_of(u->f, g->node)))
            continue;
        e->kind = CG_GROUP_NODE;
        e->node = g->node;
        e->via = via;
        u->cut->root[y] = others;
        if (others)
            IR_PUSH(a, e->v, e->n, e->cap, y);
        *g = (cg_group){ .kind = CG_GROUP_MAP, .space = e->space, .needs = g->needs, .n_needs = g->n_needs };
        for (uint32_t j = 0; j < u->cut->n; j++)
            if (j != at && cg_needs(&u->cut->group[j], i))
                cg_join_needs(a, &u->cut->group[j], e, at);
    }
}
