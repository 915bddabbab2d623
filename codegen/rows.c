/* The loops of row kernels: for each row, passes over its elements.
 *
 * A reduction is in the first pass after those it depends on; an output, likewise.  Reductions of one pass share
 * one loop.  What is expensive and is wanted in a later pass is kept in a row on the stack. */
#include <inttypes.h>

#include "codegen/cost.h"
#include "codegen/fuse.h"
#include "codegen/lower/reduce.h"
#include "codegen/lower/walk.h"

typedef struct rows {
    cg_lowering *l;
    cg_frame *fr;
    const cg_cut *cut;
    const cg_group *g;
    int64_t n;     /* elements of a row    */
    int64_t outer; /* rows                 */
    int *stage;    /* of each value of g   */
    int stages, now;
    int *first;        /* of each value of the graph: 1 + the stage that computes it first */
    bool *keep;        /* kept in a row on the stack   */
    uint32_t *kept_in; /* its buffer                   */
    uint32_t *buffer;  /* of each value of g           */
    int64_t cost;
    int widest;
    bool again; /* no result lies where an operand was */
    cg_ix at[COT_MAX_RANK + 1];
} rows;

static bool
is_reduce(const rows *r, ir_ref v)
{
    const ir_node *n = ir_def(r->fr->f, v);
    return n && cg_is_row_reduce(r->fr->f, n);
}

static bool
is_outer(const rows *r, ir_ref v)
{
    return cg_is_outer_member(r->fr->f, r->g, v);
}

static int
index_in_group(const cg_group *g, ir_ref v)
{
    for (uint32_t i = 0; v && i < g->n; i++)
        if (g->v[i] == v)
            return (int)i;
    return -1;
}

static cg_ix *
walk_member(rows *r, cg_walk *w, ir_ref v, const bool *stop)
{
    cg_walk_begin(w, r->l->arena, r->fr->f, stop);
    cg_ix *at =
        cg_walk_space(w, r->g->space->rank, r->g->space->dims); /* the outer axes come first */
    if (is_reduce(r, v))
        cg_walk_value(w, ir_def(r->fr->f, v)->in[0], at);
    else
        cg_walk_root(w, v, at);
    return at;
}

/* A member is one pass after each reduction of the group it reads, and not before another result it reads. */
static void
find_stages(rows *r)
{
    r->stage = IR_NEW_N(r->l->arena, int, r->g->n);
    for (uint32_t i = 0; i < r->g->n; i++) {
        cg_walk w;
        walk_member(r, &w, r->g->v[i], r->cut->root);
        r->again &= !cg_writes_over(r->fr, &w, r->g);
        for (uint32_t j = 0; j < w.n_reads; j++) {
            int m = index_in_group(r->g, w.read[j].v);
            if (m < 0)
                continue;
            int s = r->stage[m] + is_reduce(r, r->g->v[m]);
            if (s > r->stage[i])
                r->stage[i] = s;
        }
        if (r->stage[i] + 1 > r->stages)
            r->stages = r->stage[i] + 1;
        r->cost += w.cost + 1;
        if (w.widest > r->widest)
            r->widest = w.widest;
    }
}

static int64_t
cost_of(const rows *r, ir_ref v, int depth)
{
    const ir_node *n = ir_def(r->fr->f, v);
    if (!n || r->cut->root[v] || depth > 40)
        return 0;
    int64_t c = cg_op_cost(r->fr->f, n);
    for (int i = 0; i < n->n_in && c <= CG_COST_SHARE; i++)
        c += cost_of(r, n->in[i], depth + 1);
    return c;
}

/* Keep what was computed at every element of the row in an earlier pass, and is dear. */
static void
find_kept(rows *r)
{
    const ir_graph *f = r->fr->f;
    bool *stop = IR_NEW_N(r->l->arena, bool, f->n_values);
    r->first = IR_NEW_N(r->l->arena, int, f->n_values);
    r->keep = IR_NEW_N(r->l->arena, bool, f->n_values);
    r->kept_in = IR_NEW_N(r->l->arena, uint32_t, f->n_values);
    memcpy(stop, r->cut->root, sizeof *stop * f->n_values);
    /* a single row may be split among threads, whose stacks are their own */
    int64_t room = r->outer == 1 && r->n > 8192 ? 0 : CG_ROW_MOST;
    for (int s = 0; s < r->stages; s++)
        for (uint32_t i = 0; i < r->g->n; i++) {
            cg_walk w;
            if (r->stage[i] != s)
                continue;
            cg_ix *at = walk_member(r, &w, r->g->v[i], stop);
            for (uint32_t j = 0; j < w.n_seen; j++) {
                const cg_seen *e = &w.seen[j];
                const ir_type *t = ir_type_at(f, e->v);
                bool whole =
                    ir_same_shape(t, r->g->space) && !stop[e->v] && ir_def(f, e->v) &&
                    (t->rank == 0 || memcmp(e->at, at, sizeof *at * (size_t)t->rank) == 0);
                if (!whole)
                    continue;
                if (r->first[e->v] == 0)
                    r->first[e->v] = s + 1;
                int64_t bytes = r->n * (int64_t)cot_dtype_size(t->dtype);
                if (r->first[e->v] > s || bytes > room || cost_of(r, e->v, 0) <= CG_COST_SHARE)
                    continue;
                r->keep[e->v] = stop[e->v] = true;
                room -= bytes;
            }
        }
}

/* The results and the kept values of this pass at an element; then what the reductions want. */
typedef struct pass {
    rows *r;
    int n;
    ir_ref reduce[8];
    cg_fold how[8];
} pass;

static void
element_of_pass(cg_lowering *l, void *user, cg_ix j, cg_val *e)
{
    pass *p = user;
    rows *r = p->r;
    const ir_graph *f = r->fr->f;
    cg_ix at[COT_MAX_RANK + 1];
    int outer = r->g->outer, rank = r->g->space->rank;
    memcpy(at, r->at, sizeof *at * (size_t)outer);
    cg_ix_split(&l->ix, j, rank - outer, r->g->space->dims + outer, at + outer);
    for (int i = 0; i < p->n; i++) {
        ir_ref x = ir_def(f, p->reduce[i])->in[0];
        e[i] = cg_convert(l, cg_pull(l, r->fr, x, at), ir_type_at(f, x)->dtype, p->how[i].type);
    }
    for (uint32_t i = 0; i < r->g->n; i++)
        if (r->stage[i] == r->now && !is_outer(r, r->g->v[i]))
            cg_store_element(l, r->fr, r->g->v[i], r->buffer[i], at,
                             cg_pull(l, r->fr, r->g->v[i], at));
    for (ir_ref v = 1; v < f->n_values; v++)
        if (r->keep[v] && r->first[v] == r->now + 1)
            cg_store(&l->b, r->kept_in[v], cg_ix_value(&l->ix, &l->b, j),
                     cg_pull(l, r->fr, v, at), l->mask);
}

static void
element_alone(cg_lowering *l, void *user, cg_ix j)
{
    element_of_pass(l, user, j, NULL);
}

/* A pass without reductions: lanes along the row. */
static void
plain_pass(rows *r, pass *p)
{
    int64_t lanes = cg_lanes(r->l, r->widest ? r->widest : 8);
    if (lanes > 1 && r->cost <= CG_COST_HEAVY)
        lanes *= 2;
    cg_each(r->l, CG_SERIAL, r->n, lanes, r->again, element_alone, p);
}

static void
finish_reduction(rows *r, const pass *p, int i, cg_val x)
{
    cg_lowering *l = r->l;
    ir_ref v = p->reduce[i];
    x = cg_fold_finish(l, r->fr->f, ir_def(r->fr->f, v), x);
    cg_store_element(l, r->fr, v, r->buffer[index_in_group(r->g, v)], r->at, x);
    cg_remember(l, r->fr, v, r->at, x);
}

static bool
is_plain_reduce(const ir_node *n)
{
    return n->op != OP_argmax && n->op != OP_argmin;
}

static void
row_pass(rows *r, bool parallel)
{
    cg_lowering *l = r->l;
    pass p = { .r = r };
    bool maps = false;
    cg_val x[8];
    for (uint32_t i = 0; i < r->g->n; i++) {
        const ir_node *n = ir_def(r->fr->f, r->g->v[i]);
        if (r->stage[i] != r->now)
            continue;
        if (!is_outer(r, r->g->v[i])) {
            maps = true;
        } else if (!is_reduce(r, r->g->v[i])) { /* before the loop: its reductions are done */
            cg_val a = cg_pull(l, r->fr, r->g->v[i], r->at);
            cg_store_element(l, r->fr, r->g->v[i], r->buffer[i], r->at, a);
        } else if (!is_plain_reduce(n)) { /* argmax has two loops of its own */
            cg_val a = lower_arg(l, r->fr, n, 0, r->at);
            cg_store_element(l, r->fr, r->g->v[i], r->buffer[i], r->at, a);
            cg_remember(l, r->fr, r->g->v[i], r->at, a);
        } else {
            p.reduce[p.n] = r->g->v[i];
            p.how[p.n++] = cg_fold_of(n->op, ir_type_at(r->fr->f, n->in[0])->dtype);
        }
    }
    if (p.n == 0 && maps)
        plain_pass(r, &p);
    if (p.n == 0)
        return;
    cg_fold_form form = cg_lanes(l, 32) > 1 ? CG_FOLD_LANES : CG_FOLD_SERIAL;
    cg_fold_loops(l, r->n, p.n, p.how, form, parallel, element_of_pass, &p, x);
    for (int i = 0; i < p.n; i++)
        finish_reduction(r, &p, i, x[i]);
}

static void
bind_kept(rows *r, int stage)
{
    const ir_graph *f = r->fr->f;
    for (uint32_t i = 0; i < r->g->n; i++)
        if (r->stage[i] == stage && !is_outer(r, r->g->v[i]))
            r->fr->bind[r->g->v[i]] =
                (cg_bind){ .kind = CG_BIND_BUFFER, .buffer = r->buffer[i] };
    for (ir_ref v = 1; v < f->n_values; v++)
        if (r->keep[v] && r->first[v] == stage + 1)
            r->fr->bind[v] =
                (cg_bind){ .kind = CG_BIND_BUFFER, .buffer = r->kept_in[v], .last_only = r->n };
}

void
cg_row_kernel(cg_lowering *l, cg_frame *fr, const cg_cut *cut, const cg_group *g)
{
    rows r = { .l = l, .fr = fr, .cut = cut, .g = g, .n = 1, .outer = 1, .again = true };
    for (int k = 0; k < g->space->rank; k++)
        *(k < g->outer ? &r.outer : &r.n) *= g->space->dims[k];
    r.buffer = IR_NEW_N(l->arena, uint32_t, g->n);
    for (uint32_t i = 0; i < g->n; i++)
        r.buffer[i] =
            cg_place_buffer(l, &fr->place[g->v[i]], ir_type_at(fr->f, g->v[i]), "y", true);
    cg_note_group(l, fr, g);
    find_stages(&r);
    find_kept(&r);
    for (ir_ref v = 1; v < fr->f->n_values; v++)
        if (r.keep[v])
            r.kept_in[v] = cg_local_buffer(l, "row", ir_type_at(fr->f, v)->dtype, r.n);
    bool many = l->o->threads > 1 && r.cost * g->space->size > CG_COST_PARALLEL;
    cg_val loop = 0;
    uint32_t mark = cg_scope_begin(l);
    if (r.outer > 1) {
        cg_kind kind = many ? CG_PARALLEL : CG_SERIAL;
        loop = cg_loop_begin(&l->b, kind, cg_i64(&l->b, 0), cg_i64(&l->b, r.outer), 1, 0);
        cg_ix row = cg_ix_var(&l->ix, cg_loop_var(&l->b, loop), 0, r.outer - 1);
        cg_ix_split(&l->ix, row, g->outer, g->space->dims, r.at);
    }
    l->k->flops = r.cost * g->space->size;
    l->k->bytes = g->space->size * (r.widest ? r.widest : 8) / 8 * 2;
    ir_buf_printf(l->why,
                  "%s: %" PRId64 " rows of %" PRId64 ", %d passes, cost %" PRId64 "%s\n",
                  l->k->name, r.outer, r.n, r.stages, r.cost, many ? ", parallel" : "");
    for (r.now = 0; r.now < r.stages; r.now++) {
        row_pass(&r, many && r.outer == 1);
        bind_kept(&r, r.now);
    }
    cg_scope_end(l, mark);
    if (loop)
        cg_loop_end(&l->b, loop);
}
