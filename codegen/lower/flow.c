/* Calls, branches and loops in the entry: kernels of the sub-function between the branches and
 * loops of kernel 0.
 *
 * Carries live in one buffer each, that of the result.  A body writes a carry in place where
 * the old value is read no more (so dynamic_update_slice and scatter copy nothing); otherwise
 * into a buffer of its own that is copied when the step is done.  With a mapped predicate a
 * step is computed for every example, and those that are active take it. */
#include "codegen/elemental/element.h"
#include "codegen/elemental/strip_mine.h"
#include "codegen/fuse/access.h"
#include "codegen/lower/predicate.h"
#include "codegen/lower/launches.h"
#include "codegen/lower/level.h"

/* -- examples chosen by a predicate -------------------------------------------------------- */

typedef struct choosing {
    uint32_t to, from, when;
    cot_dtype index;                    /* of the predicate             */
    int64_t inner, branch, branches;    /* elements of an example       */
    cg_val chosen;
    cg_ix example;
} choosing;

static void
choose_element(cg_lowering *l, void *user, cg_ix i)
{
    choosing *c = user;
    cg_val chosen = c->chosen;
    if (!chosen) {
        cg_val x = cg_load(&l->b, c->when, cg_ix_value(&l->ix, &l->b, i), 0);
        chosen = cg_is_branch(&l->b, x, c->index, c->branch, c->branches);
    }
    cg_ix flat = cg_ix_add(&l->ix, cg_ix_mul(&l->ix, c->example, c->inner), i);
    cg_val at = cg_ix_value(&l->ix, &l->b, flat);
    cg_store(&l->b, c->to, at, cg_load(&l->b, c->from, at, chosen), chosen);
}

static void
choose_example(cg_lowering *l, void *user, cg_ix e)
{
    choosing *c = user;
    cg_val x = cg_load(&l->b, c->when, cg_ix_value(&l->ix, &l->b, e), 0);
    c->chosen = cg_is_branch(&l->b, x, c->index, c->branch, c->branches);
    c->example = e;
    cg_strip_mine(l, CG_SERIAL, c->inner, cg_lanes(l, ir_bits(l->k->buffer[c->to].type)), false,
                  choose_element, c);
}

/* to = the examples of from whose predicate says `branch`. */
static void
plan_choose(cg_lowering *l, cg_place to, cg_place from, const ir_type *t, cg_place when,
            const ir_type *p, int64_t branch, int64_t branches)
{
    choosing c = { .index = p->dtype, .branch = branch, .branches = branches };
    if (t->size == 0)
        return;
    c.inner = t->size / p->size;
    cg_kernel_begin(l, "choose");
    c.to = cg_place_buffer(l, &to, t, "y", true);
    c.from = cg_place_buffer(l, &from, t, "x", false);
    c.when = cg_place_buffer(l, &when, p, "when", false);
    if (c.inner == 1)
        cg_strip_mine(l, cg_kind_of_all(l), p->size, cg_lanes(l, ir_bits(t->dtype)), false,
                      choose_element, &c);
    else
        cg_strip_mine(l, cg_kind_of_all(l), p->size, 1, true, choose_example, &c);
    cg_kernel_call(l);
}

static void
any_step(cg_lowering *l, void *user, cg_ix i)
{
    const uint32_t *b = user;
    cg_val at = cg_i64(&l->b, 0), x = cg_load(&l->b, b[0], cg_ix_value(&l->ix, &l->b, i), 0);
    cg_store(&l->b, b[1], at, cg_insn2(&l->b, SC_or, COT_BOOL, cg_load(&l->b, b[1], at, 0), x),
             0);
}

/* Whether any example is active, as a BOOL of the entry. */
static cg_val
plan_any(cg_lowering *l, cg_place p, const ir_type *t)
{
    cg_val zero = cg_i64(&l->entry, 0);
    if (t->rank > 0) {
        const ir_type *one = ir_scalar_type(l->ctx, COT_BOOL);
        cg_place any = cg_plan_new(l, "any", one);
        uint32_t b[2];
        cg_kernel_begin(l, "any");
        b[0] = cg_place_buffer(l, &p, t, "x", false);
        b[1] = cg_place_buffer(l, &any, one, "any", true);
        cg_store(&l->b, b[1], cg_i64(&l->b, 0), cg_const(&l->b, COT_BOOL, 0), 0);
        cg_strip_mine(l, CG_SERIAL, t->size, 1, true, any_step, b);
        cg_kernel_call(l);
        p = any;
    }
    cg_plan_touch(l, p.buffer);
    return cg_load(&l->entry, p.buffer, p.offset ? p.offset : zero, 0);
}

/* -- sub-functions ------------------------------------------------------------------------- */

static bool
same_place(cg_place x, cg_place y)
{
    return x.set && y.set && x.buffer == y.buffer && x.offset == y.offset;
}

/* The results of node n, in memory: over operands that are ours and die here, where it has
 * such. */
static cg_place *
place_results(cg_lowering *l, cg_level *v, const ir_node *n)
{
    const int *over = cg_overwrites(l, v->f, n);
    for (int i = 0; i < n->n_out; i++) {
        const ir_ref y = n->first + (ir_ref)i,
                     x = over && over[i] >= 0 ? n->in[over[i]] : IR_NONE;
        bool mine = x && v->place[x].set && !v->borrowed[x] && v->fusion->last[x] == v->at;
        for (int k = 0; k < n->n_in && mine; k++)
            mine = k == over[i] || n->in[k] != x;
        if (!v->place[y].set && mine)
            v->place[y] = v->place[x];
        if (!v->place[y].set)
            v->place[y] = cg_plan_new(l, "t", ir_type_at(v->f, y));
    }
    return v->place + n->first;
}

static void
lend(cg_level *to, ir_ref x, cg_place p)
{
    to->place[x] = p;
    to->borrowed[x] = true;
}

/* Let the outputs of a level be computed where they are wanted, where nothing else is there. */
static void
aim_outputs(cg_level *b, const cg_place *to)
{
    for (int i = 0; i < b->f->n_out; i++)
        if (!b->place[b->f->out[i]].set)
            b->place[b->f->out[i]] = to[i];
}

static void
copy_outputs(cg_lowering *l, const cg_level *b, const cg_place *to)
{
    for (int i = 0; i < b->f->n_out; i++) {
        ir_ref x = b->f->out[i];
        if (!same_place(b->place[x], to[i]))
            cg_plan_copy(l, to[i], b->place[x], ir_type_at(b->f, x));
    }
}

/* f on operands that are in memory, results to `to`. */
static void
plan_sub(cg_lowering *l, const ir_graph *f, const cg_place *in, const cg_place *to)
{
    cg_level *b = cg_level_new(l, f);
    for (int i = 0; i < f->n_in; i++)
        lend(b, f->in[i], in[i]);
    aim_outputs(b, to);
    cg_plan_graph(l, b);
    copy_outputs(l, b, to);
}

/* -- carries ------------------------------------------------------------------------------- */

/* What output x of a level is, but for parts, is written under the mask: from input c on. */
static void
mask_parts(cg_level *b, ir_ref x, ir_ref c, const cg_masked *mask)
{
    while (mask && x != c) {
        const ir_node *n = ir_def(b->f, x);
        b->mask[x] = mask;
        x = n->in[cg_part_operand(b->f, n, (int)(x - n->first))];
    }
}

/* Let output x of a level be computed over input c, which is ours, where that can be. */
static void
aim_carry(cg_lowering *l, cg_level *b, ir_ref x, ir_ref c)
{
    b->borrowed[c] = false;
    if (!b->place[x].set && cg_may_overwrite(l, b, x, c))
        b->place[x] = b->place[c];
}

static bool
is_source(const cg_place *from, int n, int i, cg_place p)
{
    bool is = false;
    for (int j = 0; j < n; j++)
        is |= j != i && same_place(from[j], p);
    return is;
}

/* How results that are not where they belong get there: copied; or chosen for the examples
 * of a branch, all but those that are written under a mask. */
typedef struct ending {
    bool chooses;
    cg_place when;
    const ir_type *p;
    int64_t branch, branches;
    const cg_masked *const *mask;
} ending;

static bool
is_chosen(const ending *e, int i)
{
    return e->chooses && !e->mask[i];
}

/* Where the new carries are.  One that is another's old value, which is still to be written
 * over, is copied before: to where it belongs, if nobody's old value is there and it is not
 * chosen; else to a place of its own. */
static cg_place *
new_carries(cg_lowering *l, const cg_level *b, int carries, const cg_place *to, const ending *e)
{
    cg_place *from = IR_NEW_N(l->arena, cg_place, carries + 1);
    for (int i = 0; i < carries; i++)
        from[i] = b->place[b->f->out[i]];
    for (int i = 0; i < carries; i++) {
        const ir_type *t = ir_type_at(b->f, b->f->out[i]);
        bool is_carry = false;
        for (int j = 0; j < carries; j++)
            is_carry |= j != i && same_place(from[i], to[j]) &&
                        !same_place(b->place[b->f->out[j]], to[j]);
        if (!is_carry)
            continue;
        const bool direct = !is_chosen(e, i) && !is_source(from, carries, i, to[i]);
        cg_place own = direct ? to[i] : cg_plan_new(l, "t", t);
        cg_plan_copy(l, own, from[i], t);
        from[i] = own;
    }
    return from;
}

/* What was not computed in place is copied, or chosen. */
static void
end_step(cg_lowering *l, const cg_level *b, int carries, const cg_place *to, const ending *e)
{
    const cg_place *from = new_carries(l, b, carries, to, e);
    for (int i = 0; i < carries; i++) {
        const ir_type *t = ir_type_at(b->f, b->f->out[i]);
        if (same_place(from[i], to[i]))
            continue;
        if (is_chosen(e, i))
            plan_choose(l, to[i], from[i], t, e->when, e->p, e->branch, e->branches);
        else
            cg_plan_copy(l, to[i], from[i], t);
    }
}

/* By result of node n: the mask that its parts are written under in the sub-functions of n.
 * Of the mapped form, that of the predicate, where the result is not to be chosen as a
 * whole. */
static const cg_masked **
masks_of(cg_lowering *l, const cg_level *v, const ir_node *n, const cg_masked *own)
{
    const cg_masked **mask = IR_NEW_N(l->arena, const cg_masked *, n->n_out + 1);
    for (int i = 0; i < n->n_out; i++) {
        const cg_masked *outer = v->mask[n->first + (ir_ref)i];
        mask[i] = outer;
        if (own->type->rank == 0 || cg_part_operand(v->f, n, i) < 0)
            continue;
        cg_masked *m = IR_NEW(l->arena, cg_masked);
        *m = *own;
        m->outer = outer;
        mask[i] = m;
    }
    return mask;
}

/* -- calls --------------------------------------------------------------------------------- */

static cg_place *
operand_places(cg_lowering *l, const cg_level *v, const ir_node *n)
{
    cg_place *p = IR_NEW_N(l->arena, cg_place, n->n_in + 1);
    for (int i = 0; i < n->n_in; i++)
        p[i] = v->place[n->in[i]];
    return p;
}

void
cg_plan_call(cg_lowering *l, cg_level *v, const cg_group *g)
{
    cg_place *to = place_results(l, v, g->node);
    cg_plan_called(l, g->node->at.call.body, plan_sub, operand_places(l, v, g->node), to);
}

/* -- branches ------------------------------------------------------------------------------ */

typedef struct branching {
    const ir_node *n;
    cg_val index;
    cot_dtype type; /* of the index */
    const cg_place *in, *to;
    const int *over; /* by result: the operand it is written over, whose memory is its; or -1 */
    const int *part; /* by result with a mask: the operand that it is, but for parts */
} branching;

static void
plan_branch(cg_lowering *l, const branching *c, int k, const ending *e)
{
    const ir_graph *f = c->n->at.cond.branches.at[k];
    cg_level *b = cg_level_new(l, f);
    for (int i = 0; i < f->n_in; i++)
        lend(b, f->in[i], c->in[i]);
    for (int i = 0; i < f->n_out; i++) {
        if (e->mask[i])
            mask_parts(b, f->out[i], f->in[c->part[i] - 1], e->mask[i]);
        if (c->over[i] > 0)
            aim_carry(l, b, f->out[i], f->in[c->over[i] - 1]);
    }
    for (int i = 0; i < f->n_out; i++)
        if (c->over[i] < 0 && !e->chooses && !b->place[f->out[i]].set)
            b->place[f->out[i]] = c->to[i];
    cg_plan_graph(l, b);
    end_step(l, b, f->n_out, c->to, e);
}

enum { BRANCHES_FEW = 4 };

/* Branches first, first + 1, ... last: the first whose number is at least the index.  Many
 * are halved, so that they nest no deeper than the logarithm of their number. */
static void
plan_branches(cg_lowering *l, const branching *c, int first, int last, const ending *e)
{
    const int k = last - first < BRANCHES_FEW ? first : first + (last - first) / 2;

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

/* The same where the device chooses. */
static void
plan_guarded_branches(cg_lowering *l, const branching *c, cg_place when, const ir_type *index,
                      const ending *e)
{
    const int n = c->n->at.cond.branches.n;
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

/* The results of a cond that are written over operands, -1 for the others: such as lie
 * there; in the mapped form parts, which are written to a copy of the operand where the
 * result does not lie there. */
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
        else if (!same_place(from, to[i]))
            cg_plan_copy(l, to[i], from, ir_type_at(v->f, n->first + (ir_ref)i));
    }
    return over;
}

static int *
parts_of(cg_lowering *l, const cg_level *v, const ir_node *n)
{
    int *part = IR_NEW_N(l->arena, int, n->n_out + 1);
    for (int i = 0; i < n->n_out; i++)
        part[i] = cg_part_operand(v->f, n, i);
    return part;
}

/* All branches, on all examples: what is written in parts only for the examples that take
 * the branch, the rest of the first branch for all and of the others for those. */
static void
plan_mapped_branches(cg_lowering *l, const branching *c, const cg_level *v, cg_place when)
{
    const ir_graphs branches = c->n->at.cond.branches;
    const ir_type *p = ir_type_at(v->f, c->n->in[0]);
    for (int k = 0; k < branches.n && p->size > 0; k++) {
        const cg_masked own = { .when = when, .type = p, .branch = k, .branches = branches.n };
        const ending e = { .chooses = k > 0,
                           .when = when,
                           .p = p,
                           .branch = k,
                           .branches = branches.n,
                           .mask = masks_of(l, v, c->n, &own) };
        plan_branch(l, c, k, &e);
    }
}

void
cg_plan_cond(cg_lowering *l, cg_level *v, const cg_group *g)
{
    const ir_node *n = g->node;
    const ir_type *p = ir_type_at(v->f, n->in[0]);
    cg_place *to = place_results(l, v, n), *in = operand_places(l, v, n);
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
    const ending end = { .mask = masks_of(l, v, n, &(cg_masked){ .type = p }) };
    if (n->at.cond.branches.n > 1 && cg_is_predicated(l, v->f, n)) {
        plan_guarded_branches(l, &c, when, p, &end);
        return;
    }
    l->plan->now++;
    cg_plan_touch(l, when.buffer);
    c.index =
        cg_load(&l->entry, when.buffer, when.offset ? when.offset : cg_i64(&l->entry, 0), 0);
    plan_branches(l, &c, 0, n->at.cond.branches.n - 1, &end);
}

/* -- loops --------------------------------------------------------------------------------- */

/* Give the carries their first values. */
static void
start_carries(cg_lowering *l, const cg_level *v, const ir_node *n, int first, int carries,
              const cg_place *to)
{
    for (int i = 0; i < carries; i++)
        if (!same_place(v->place[n->in[first + i]], to[i]))
            cg_plan_copy(l, to[i], v->place[n->in[first + i]],
                         ir_type_at(v->f, n->in[first + i]));
}

static cg_level *
body_level(cg_lowering *l, const ir_graph *f, int n, const cg_place *in)
{
    cg_level *b = cg_level_new(l, f);
    for (int i = 0; i < n; i++)
        lend(b, f->in[i], in[i]);
    return b;
}

/* The body of a while, once: carries to `to`, of the examples that are active. */
static void
plan_turn(cg_lowering *l, const cg_level *v, const ir_node *n, const cg_place *in,
          const cg_place *to, cg_place active)
{
    const int consts = (int)n->at.loop.consts, carries = n->n_in - consts;
    const ir_type *p = ir_type_at(n->at.loop.cond, n->at.loop.cond->out[0]);
    cg_level *b = body_level(l, n->at.loop.body, n->n_in, in);
    const cg_masked own = { .when = active, .type = p, .branch = 1, .branches = 2 };
    const ending end = { .chooses = p->rank > 0,
                         .when = active,
                         .p = p,
                         .branch = 1,
                         .branches = 2,
                         .mask = masks_of(l, v, n, &own) };
    for (int i = 0; i < carries; i++)
        if (!is_chosen(&end, i)) {
            mask_parts(b, b->f->out[i], b->f->in[consts + i], end.mask[i]);
            aim_carry(l, b, b->f->out[i], b->f->in[consts + i]);
        }
    cg_plan_graph(l, b);
    end_step(l, b, carries, to, &end);
}

/* Turns whose kernels ask whether the loop goes on.  The host looks after each chunk of them,
 * or never, if there are no more than a chunk or the loop around comes back to it. */
static void
plan_turns(cg_lowering *l, const cg_level *v, const ir_node *n, const cg_place *in,
           const cg_place *to)
{
    cg_build *e = &l->entry;
    const ir_type *p = ir_type_at(n->at.loop.cond, n->at.loop.cond->out[0]);
    const cg_place outer = l->predicate;
    cg_val loop = 0, go = 0;
    cg_iterations t;
    cg_iterations_begin(l, n, p, &t);
    cg_plan_loop_begin(l);
    if (t.syncs) {
        loop = cg_while_begin(e);
        go = cg_while_carry(e, loop, COT_BOOL, cg_const(e, COT_BOOL, 1));
        cg_while_test(e, loop, go);
    }
    cg_val turns =
        cg_loop_begin(e, CG_SERIAL, cg_i64(e, 0), cg_i64(e, t.at_once), 1, 0);
    l->predicate = t.head;
    plan_sub(l, n->at.loop.cond, in, &t.test);
    cg_iterations_next(l, &t);
    l->predicate = t.word;
    plan_turn(l, v, n, in, to, t.test);
    cg_iterations_end(l, &t);
    l->predicate = outer;
    cg_loop_end(e, turns);
    cg_plan_touch(l, t.alive.buffer);
    cg_plan_touch(l, t.test.buffer);
    if (t.syncs) {
        cg_while_next(e, loop, go, cg_load(e, t.alive.buffer, cg_i64(e, 0), 0));
        cg_while_end(e, loop);
    }
    cg_plan_loop_end(l);
    cg_iterations_leave(l, &t);
}

void
cg_plan_while(cg_lowering *l, cg_level *v, const cg_group *g)
{
    const ir_node *n = g->node;
    const ir_graph *cond = n->at.loop.cond;
    const ir_type *p = ir_type_at(cond, cond->out[0]);
    int consts = (int)n->at.loop.consts, carries = n->n_in - consts;
    cg_build *e = &l->entry;
    cg_place *to = place_results(l, v, n), *in = operand_places(l, v, n);
    if (cg_plan_register_loop(l, v, g, to))
        return;
    start_carries(l, v, n, consts, carries, to);
    memcpy(in + consts, to, sizeof *in * (size_t)carries);
    if (p->size == 0)
        return;
    if (cg_is_predicated(l, v->f, n)) {
        plan_turns(l, v, n, in, to);
        return;
    }
    cg_plan_loop_begin(l);
    cg_val loop = cg_while_begin(e);
    cg_val count = n->at.loop.max > 0 ? cg_while_carry(e, loop, COT_I64, cg_i64(e, 0)) : 0;
    cg_place active = cg_plan_new(l, "active", p);
    plan_sub(l, cond, in, &active);
    cg_val go = plan_any(l, active, p);
    if (count) {
        cg_val over = cg_insn2(e, SC_le, COT_I64, cg_i64(e, n->at.loop.max), count);
        cg_fail_if(e, cg_insn2(e, SC_and, COT_BOOL, go, over), COT_ERR_BOUND);
    }
    cg_while_test(e, loop, go);
    plan_turn(l, v, n, in, to, active);
    if (count)
        cg_while_next(e, loop, count, cg_iadd(e, count, cg_i64(e, 1)));
    cg_plan_touch(l, active.buffer);
    cg_while_end(e, loop);
    cg_plan_loop_end(l);
}

/* Is y made by a map that nobody reads, and one result only? */
static bool
is_alone(const cg_level *b, ir_ref y)
{
    int times = 0;
    for (int i = 0; i < b->f->n_out; i++)
        times += b->f->out[i] == y;
    for (uint32_t i = 0; i < b->fusion->n && times == 1 && b->fusion->readers[y] == 0; i++) {
        const cg_group *g = &b->fusion->group[i];
        if (g->n == 1 && g->v[0] == y)
            return g->kind == CG_GROUP_MAP;
    }
    return false;
}

/* A step of what is stacked is computed where it belongs, if that can be. */
static void
aim_step(cg_level *b, ir_ref y, cg_place to, const int64_t *stride)
{
    if (b->place[y].set || (stride && !is_alone(b, y)))
        return;
    b->place[y] = to;
    if (stride)
        b->stride[y] = stride + 1;
}

static void
end_stacked(cg_lowering *l, cg_level *b, ir_ref y, cg_place to, const int64_t *stride)
{
    if (same_place(b->place[y], to))
        return;
    if (stride)
        cg_plan_put(l, b, y, to, 0, stride + 1);
    else
        cg_plan_copy(l, to, b->place[y], ir_type_at(b->f, y));
}

/* As a while of the device's (steps.c); ys are written where they belong. */
static void
plan_steps(cg_lowering *l, const cg_level *v, const ir_node *n, const ir_graph *steps,
           const cg_place *in, const cg_place *to)
{
    const int carries = (int)n->at.scan.carries;
    cg_level *b = body_level(l, steps, n->n_in, in);
    for (int i = carries; i < n->n_out; i++)
        lend(b, steps->in[n->n_in + i - carries], to[i]);
    for (int i = 0; i < carries; i++)
        mask_parts(b, steps->out[i], steps->in[n->at.scan.consts + i],
                   v->mask[n->first + (ir_ref)i]);
    l->plan->now++;
    for (int i = 0; i < n->n_out; i++)
        cg_plan_touch(l, to[i].buffer);
    aim_outputs(b, to);
    cg_plan_graph(l, b);
    copy_outputs(l, b, to);
}

void
cg_plan_scan(cg_lowering *l, cg_level *v, const cg_group *g)
{
    const ir_node *n = g->node;
    const ir_graph *f = n->at.scan.body;
    int consts = (int)n->at.scan.consts, carries = (int)n->at.scan.carries,
        fixed = consts + carries;
    cg_build *e = &l->entry;
    cg_place *to = place_results(l, v, n), *in = operand_places(l, v, n);
    const ir_graph *steps;
    if (cg_plan_register_loop(l, v, g, to))
        return;
    if ((steps = cg_steps(l, v->f, n)) != NULL) {
        plan_steps(l, v, n, steps, in, to);
        return;
    }
    start_carries(l, v, n, consts, carries, to);
    memcpy(in + consts, to, sizeof *in * (size_t)carries);
    if (n->at.scan.length == 0)
        return;
    /* Stacked results live through every step, whatever step of the body writes them. */
    for (int i = carries; i < n->n_out; i++)
        cg_plan_touch(l, to[i].buffer);
    cg_plan_loop_begin(l);
    for (int i = carries; i < n->n_out; i++)
        cg_plan_touch(l, to[i].buffer);         /* alive through all steps, from the first on */
    cg_val loop = cg_loop_begin(e, CG_SERIAL, cg_i64(e, 0), cg_i64(e, n->at.scan.length), 1, 0);
    cg_val t = cg_loop_var(e, loop);
    if (n->at.scan.reverse)
        t = cg_isub(e, cg_i64(e, n->at.scan.length - 1), t);
    for (int i = fixed; i < n->n_in; i++)
        in[i] = cg_place_at(l, in[i], cg_imul(e, t, ir_type_at(f, f->in[i])->size));
    cg_place *ys = IR_NEW_N(l->arena, cg_place, n->n_out + 1);
    const int64_t **stride = (const int64_t **)v->stride + n->first;
    for (int i = carries; i < n->n_out; i++)
        ys[i] = cg_place_at(
            l, to[i], cg_imul(e, t, stride[i] ? stride[i][0] : ir_type_at(f, f->out[i])->size));
    cg_level *b = body_level(l, f, n->n_in, in);
    const ending end = {
        .mask = masks_of(l, v, n, &(cg_masked){ .type = ir_scalar_type(l->ctx, COT_BOOL) })
    };
    for (int i = 0; i < carries; i++) {
        mask_parts(b, b->f->out[i], b->f->in[consts + i], end.mask[i]);
        aim_carry(l, b, b->f->out[i], b->f->in[consts + i]);
    }
    for (int i = carries; i < n->n_out; i++)
        aim_step(b, f->out[i], ys[i], stride[i]);
    cg_plan_graph(l, b);
    for (int i = carries; i < n->n_out; i++)
        end_stacked(l, b, f->out[i], ys[i], stride[i]);
    end_step(l, b, carries, to, &end);
    cg_loop_end(e, loop);
    cg_plan_loop_end(l);
}
