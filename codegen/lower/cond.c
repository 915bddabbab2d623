/* Conditionals in the entry: an `if` of kernel 0 around the kernels of each branch, predicated
 * kernels if the device decides, or all branches for all examples if the index is mapped. */
#include "codegen/lower/launches.h"
#include "codegen/elemental/element.h"
#include "codegen/lower/predicate.h"
#include "codegen/lower/subgraph.h"
#include "codegen/tuning.h"

typedef struct branching {
    const ir_node *n;
    cg_val index;
    cot_dtype type; /* of the index */
    const cg_place *in, *to;
    const int *over; /* by result: the operand whose memory it overwrites; -1: none */
    const int *part; /* by result with a mask: the operand that it equals but for parts */
} branching;

static void
plan_branch(cg_lowering *l, const branching *c, int k, const cg_ending *e)
{
    const ir_graph *f = c->n->at->cond.branches.at[k];
    cg_level *b = cg_level_new(l, f);
    for (int i = 0; i < f->n_in; i++)
        cg_lend(b, f->in[i], c->in[i]);
    for (int i = 0; i < f->n_out; i++) {
        if (e->mask[i])
            cg_mask_parts(l, b, f->out[i], f->in[c->part[i] - 1], e->mask[i]);
        if (c->over[i] > 0)
            cg_aim_carry(l, b, f->out[i], f->in[c->over[i] - 1]);
    }
    for (int i = 0; i < f->n_out; i++)
        if (c->over[i] < 0 && !e->chooses && !b->place[f->out[i]].set)
            b->place[f->out[i]] = c->to[i];
    cg_plan_graph(l, b);
    cg_end_step(l, b, f->n_out, c->to, e);
}

/* Plan branches first ... last.  The branch that is taken is the first whose number is at least
 * the index.  Many branches are bisected, so that ifs nest only as deep as the logarithm of
 * their number. */
static void
plan_branches(cg_lowering *l, const branching *c, int first, int last, const cg_ending *e)
{
    const int k = last - first < CG_LOWER_FEW_BRANCHES ? first : first + (last - first) / 2;

    if (first == last) {
        plan_branch(l, c, first, e);
        return;
    }
    cg_val here = c->type == COT_BOOL ? cg_insn1(&l->entry, SC_not, COT_BOOL, c->index)
                                      : cg_insn2(&l->entry, SC_le, c->type, c->index,
                                                 cg_const(&l->entry, c->type, (uint64_t)k));
    cg_val branch = cg_if_begin(&l->entry, here);
    plan_branches(l, c, first, k, e);
    cg_if_else(&l->entry, branch);
    plan_branches(l, c, k + 1, last, e);
    cg_if_end(&l->entry, branch);
}

/* The same, but the device decides: kernels of each branch are predicated. */
static void
plan_predicated_branches(cg_lowering *l, const branching *c, cg_place when,
                         const ir_type *index, const cg_ending *e)
{
    const int n = c->n->at->cond.branches.n;
    const cg_place *word = cg_predicate_branches(l, when, index, n), outer = l->predicate;
    cg_place *end = IR_NEW_N(l->arena, cg_place, n);
    for (int k = 0; k < n; k++) {
        l->predicate = word[k];
        plan_branch(l, c, k, e);
        end[k] = l->predicate;
    }
    l->predicate = outer;
    l->predicate = cg_predicate_join(l, n, word, end);
}

/* For each result of a cond, the operand that it overwrites, or -1.  It overwrites an operand
 * if the two share memory.  A mapped cond overwrites parts of an operand; if the result has
 * other memory, the operand is copied there first. */
static int *
start_results(cg_lowering *l, const cg_level *v, const ir_node *n, const cg_place *to)
{
    const bool mapped = ir_type_at(v->f, n->in[0])->rank > 0;
    const int *may = cg_overwrites(l, v->f, n);
    int *over = IR_NEW_N(l->arena, int, n->n_out + 1);
    for (int i = 0; i < n->n_out; i++) {
        over[i] = may[i];
        if (over[i] < 0)
            continue;
        const cg_place from = v->place[n->in[over[i]]];
        if (!mapped && !cg_may_share(l, from, to[i]))
            over[i] = -1;
        else if (!cg_same_place(from, to[i]))
            cg_plan_copy(l, to[i], from, ir_type_at(v->f, n->first + (ir_ref)i));
    }
    return over;
}

static int *
parts_of(cg_lowering *l, const cg_level *v, const ir_node *n)
{
    int *part = IR_NEW_N(l->arena, int, n->n_out + 1);
    for (int i = 0; i < n->n_out; i++)
        part[i] = cg_part_operand(l, v->f, n, i);
    return part;
}

/* Run all branches on all examples.  Results that are updated in parts are written only for the
 * examples that take the branch.  Other results are written for all examples by the first
 * branch, and by later branches for the examples that take them. */
static void
plan_mapped_branches(cg_lowering *l, const branching *c, const cg_level *v, cg_place when)
{
    const ir_graphs branches = c->n->at->cond.branches;
    const ir_type *p = ir_type_at(v->f, c->n->in[0]);
    for (int k = 0; k < branches.n && p->size > 0; k++) {
        const cg_masked own = { .when = when, .type = p, .branch = k, .branches = branches.n };
        const cg_ending e = { .chooses = k > 0,
                              .when = when,
                              .p = p,
                              .branch = k,
                              .branches = branches.n,
                              .mask = cg_masks_of(l, v, c->n, &own) };
        plan_branch(l, c, k, &e);
    }
}

void
cg_plan_cond(cg_lowering *l, cg_level *v, const cg_group *g)
{
    const ir_node *n = g->node;
    const ir_type *p = ir_type_at(v->f, n->in[0]);
    cg_place *to = cg_place_results(l, v, n), *in = cg_operand_places(l, v, n);
    const int *over = start_results(l, v, n, to);
    branching c = { .n = n,
                    .type = p->dtype,
                    .in = in + 1,
                    .to = to,
                    .over = over,
                    .part = parts_of(l, v, n) };
    const cg_place when = in[0];
    for (int i = 0; i < n->n_out; i++)
        if (over[i] > 0)
            in[over[i]] = to[i];
    if (p->rank > 0) {
        plan_mapped_branches(l, &c, v, when);
        return;
    }
    const cg_ending end = { .mask = cg_masks_of(l, v, n, &(cg_masked){ .type = p }) };
    if (n->at->cond.branches.n > 1 && cg_is_predicated(l, v->f, n)) {
        plan_predicated_branches(l, &c, when, p, &end);
        return;
    }
    l->plan->now++;
    cg_plan_touch(l, when.buffer);
    c.index =
        cg_load(&l->entry, when.buffer, when.offset ? when.offset : cg_i64(&l->entry, 0), 0);
    plan_branches(l, &c, 0, n->at->cond.branches.n - 1, &end);
}
