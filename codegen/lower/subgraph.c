/* Places of the inputs, results and carries of a sub-function; calls.
 *
 * Each carry has one buffer, that of the result.  A body writes a carry in place if nothing
 * reads the old value any more, so that dynamic_update_slice and scatter copy nothing.
 * Otherwise it writes the carry to another buffer; when the step is done, the two are swapped
 * (plan/swaps.c), or the value is copied if they cannot be. */
#include "codegen/elemental/element.h"
#include "codegen/fuse/access.h"
#include "codegen/lower/launches.h"
#include "codegen/lower/subgraph.h"

bool
cg_same_place(cg_place x, cg_place y)
{
    return x.set && y.set && x.buffer == y.buffer && x.offset == y.offset;
}

/* The places of the results of node n: in the memory of operands that the level owns and that
 * are dead afterwards, if n may overwrite them. */
cg_place *
cg_place_results(cg_lowering *l, cg_level *v, const ir_node *n)
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

void
cg_lend(cg_level *to, ir_ref x, cg_place p)
{
    to->place[x] = p;
    to->borrowed[x] = true;
}

/* Let the outputs of a level be computed in `to`, unless they have places. */
void
cg_aim_outputs(cg_level *b, const cg_place *to)
{
    for (int i = 0; i < b->f->n_out; i++)
        if (!b->place[b->f->out[i]].set)
            b->place[b->f->out[i]] = to[i];
}

void
cg_copy_outputs(cg_lowering *l, const cg_level *b, const cg_place *to)
{
    for (int i = 0; i < b->f->n_out; i++) {
        ir_ref x = b->f->out[i];
        if (!cg_same_place(b->place[x], to[i]))
            cg_plan_copy(l, to[i], b->place[x], ir_type_at(b->f, x));
    }
}

/* Plan f on operands in memory, with results in `to`. */
void
cg_plan_sub(cg_lowering *l, const ir_graph *f, const cg_place *in, const cg_place *to)
{
    cg_level *b = cg_level_new(l, f);
    for (int i = 0; i < f->n_in; i++)
        cg_lend(b, f->in[i], in[i]);
    cg_aim_outputs(b, to);
    cg_plan_graph(l, b);
    cg_copy_outputs(l, b, to);
}

/* Let the parts in which output x of a level differs from input c be written under the mask. */
void
cg_mask_parts(cg_lowering *l, cg_level *b, ir_ref x, ir_ref c, const cg_masked *mask)
{
    while (mask && x != c) {
        const ir_node *n = ir_def(b->f, x);
        b->mask[x] = mask;
        x = n->in[cg_part_operand(l, b->f, n, (int)(x - n->first))];
    }
}

/* Let output x of a level be computed in the memory of input c, which the level owns, if
 * possible. */
void
cg_aim_carry(cg_lowering *l, cg_level *b, ir_ref x, ir_ref c)
{
    b->borrowed[c] = false;
    if (!b->place[x].set && cg_may_overwrite(l, b, x, c))
        b->place[x] = b->place[c];
}

/* By value of the level: 1 + the number of the carry that it becomes in the next step; 0:
 * none. */
static int *
find_moves(cg_lowering *l, const cg_level *b, int carries)
{
    int *to = IR_NEW_N(l->scratch, int, b->f->n_values);

    for (int i = 0; i < carries; i++)
        to[b->f->out[i]] = i + 1;
    return to;
}

const cg_place *
cg_aim_spares(cg_lowering *l, cg_level *b, int first, int carries, const cg_place *to,
              const cg_ending *e)
{
    cg_place *spare = IR_NEW_N(l->arena, cg_place, carries + 1);
    const ir_mark mark = ir_arena_mark(l->scratch);
    const int *moves = find_moves(l, b, carries);

    for (int i = 0; i < carries && !l->target.grid; i++) {
        const ir_ref x = b->f->out[i];
        if (!ir_def(b->f, x) || b->place[x].set || cg_is_chosen(e, i) || e->mask[i])
            continue;
        const int j = moves[b->f->in[first + i]] - 1;
        if (j >= 0 && j != i && ir_type_at(b->f, x) == ir_type_at(b->f, b->f->out[j]) &&
            cg_plan_may_swap(l, to[i], to[j], ir_type_at(b->f, x), true))
            cg_aim_carry(l, b, x, b->f->in[first + j]);
        if (!b->place[x].set && cg_plan_spare(l, to[i], ir_type_at(b->f, x), &spare[i]))
            b->place[x] = spare[i];
    }
    ir_arena_release(l->scratch, mark);
    return spare;
}

static bool
is_source(const cg_place *from, int n, int i, cg_place p)
{
    bool is = false;
    for (int j = 0; j < n; j++)
        is |= j != i && cg_same_place(from[j], p);
    return is;
}

bool
cg_is_chosen(const cg_ending *e, int i)
{
    return e->chooses && !e->mask[i];
}

/* Copy new values that are the old value of another carry, before that is overwritten.  Such a
 * value is copied to its own place if no needed old value is there and it is not selected by
 * example; else to a temporary. */
static void
new_carries(cg_lowering *l, const cg_level *b, int carries, cg_place *from, const cg_place *to,
            const cg_ending *e)
{
    const cg_place *old = ir_copy_bytes(l->arena, from, (size_t)carries * sizeof *from);
    for (int i = 0; i < carries; i++) {
        const ir_type *t = ir_type_at(b->f, b->f->out[i]);
        bool is_carry = false;
        for (int j = 0; j < carries; j++)
            is_carry |=
                j != i && cg_same_place(from[i], to[j]) && !cg_same_place(old[j], to[j]);
        if (!is_carry)
            continue;
        const bool direct = !cg_is_chosen(e, i) && !is_source(from, carries, i, to[i]);
        cg_place own = direct ? to[i] : cg_plan_new(l, "t", t);
        cg_plan_copy(l, own, from[i], t);
        from[i] = own;
    }
}

/* Is the new value of carry i in the memory of another carry, whose own new value is
 * elsewhere? */
static bool
moves_from_carry(const cg_place *from, const cg_place *to, int carries, int i,
                 const cg_ending *e)
{
    for (int j = 0; j < carries; j++)
        if (j != i && cg_same_place(from[i], to[j]))
            return !cg_same_place(from[j], to[j]) && !cg_is_chosen(e, j) && !e->mask[j];
    return false;
}

/* Swap the memory of carry i with that of its new value, and let `from` follow the values that
 * move. */
static void
swap_carry(cg_lowering *l, cg_place *from, const cg_place *to, int carries, int i, bool both)
{
    const cg_place other = from[i];

    for (int k = 0; k < carries; k++)
        if (cg_same_place(from[k], other))
            from[k] = to[i];
        else if (cg_same_place(from[k], to[i]))
            from[k] = other;
    cg_plan_swap(l, to[i], other, both);
}

/* Swap carries with their new values.  Swaps between two carries come first, because a value
 * that is moved into a second buffer has to be copied. */
static void
swap_carries(cg_lowering *l, const cg_level *b, cg_place *from, const cg_place *to, int carries,
             const cg_ending *e)
{
    for (int both = 1; both >= 0; both--)
        for (int i = 0; i < carries; i++)
            if (!cg_is_chosen(e, i) && !e->mask[i] && !cg_same_place(from[i], to[i]) &&
                (both ? moves_from_carry(from, to, carries, i, e)
                      : e->spare[i].set && cg_same_place(from[i], e->spare[i])) &&
                cg_plan_may_swap(l, to[i], from[i], ir_type_at(b->f, b->f->out[i]), both))
                swap_carry(l, from, to, carries, i, both);
}

/* Swap, copy or select the new values that were not computed in place. */
void
cg_end_step(cg_lowering *l, const cg_level *b, int carries, const cg_place *to,
            const cg_ending *e)
{
    cg_place *from = IR_NEW_N(l->arena, cg_place, carries + 1);
    for (int i = 0; i < carries; i++)
        from[i] = b->place[b->f->out[i]];
    if (e->spare)
        swap_carries(l, b, from, to, carries, e);
    new_carries(l, b, carries, from, to, e);
    for (int i = 0; i < carries; i++) {
        const ir_type *t = ir_type_at(b->f, b->f->out[i]);
        if (cg_same_place(from[i], to[i]))
            continue;
        if (cg_is_chosen(e, i))
            cg_plan_choose(l, to[i], from[i], t, e->when, e->p, e->branch, e->branches);
        else
            cg_plan_copy(l, to[i], from[i], t);
    }
    for (int i = 0; i < carries && e->spare; i++)
        if (e->spare[i].set)
            cg_plan_spare_done(l, e->spare[i]);
}

/* For each result of node n, the mask under which its parts are written in the sub-functions of
 * n.  If n is mapped this includes the predicate of n, except for results that are selected as
 * a whole. */
const cg_masked **
cg_masks_of(cg_lowering *l, const cg_level *v, const ir_node *n, const cg_masked *own)
{
    const cg_masked **mask = IR_NEW_N(l->arena, const cg_masked *, n->n_out + 1);
    for (int i = 0; i < n->n_out; i++) {
        const cg_masked *outer = v->mask[n->first + (ir_ref)i];
        mask[i] = outer;
        if (own->type->rank == 0 || cg_part_operand(l, v->f, n, i) < 0)
            continue;
        cg_masked *m = IR_NEW(l->arena, cg_masked);
        *m = *own;
        m->outer = outer;
        mask[i] = m;
    }
    return mask;
}

cg_place *
cg_operand_places(cg_lowering *l, const cg_level *v, const ir_node *n)
{
    cg_place *p = IR_NEW_N(l->arena, cg_place, n->n_in + 1);
    for (int i = 0; i < n->n_in; i++)
        p[i] = v->place[n->in[i]];
    return p;
}

void
cg_plan_call(cg_lowering *l, cg_level *v, const cg_group *g)
{
    cg_place *to = cg_place_results(l, v, g->node);
    cg_plan_called(l, g->node->at->call.body, cg_plan_sub, cg_operand_places(l, v, g->node),
                   to);
}
