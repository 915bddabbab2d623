/* Values that loops carry in two buffers, which are swapped at the end of each step.
 *
 * A step that reads the old value at other elements than it writes cannot overwrite it.  It
 * writes to a second buffer, and then the addresses of the two are swapped (CG_SWAP), which
 * moves no data.  After the outermost loop each carry is settled (CG_SETTLE), so that a result
 * is where the caller wants it.  That takes one copy if the number of steps was odd.
 *
 * Settling brings all buffers of a group back to their own memory.  None of them holds anything
 * but the carry then, and another loop may start with them.  A settle instruction names one
 * buffer and is about the group that all swaps of the kernel make, so that a group that was
 * settled takes no further buffer.
 *
 * Buffers that swaps connect, directly or through others, are a group: each may be at the
 * address of any other, so that all of them live while one does.  A group is a tree of links,
 * as in R. E. Tarjan, Efficiency of a good but not linear set union algorithm, JACM 22 (1975).
 * At most one buffer of a group is the caller's.  If two buffers of a group are used after the
 * loop (as in a recurrence of two steps), none is the caller's, and the group stays swapped. */
#include "codegen/plan/plan.h"
#include "codegen/tuning.h"

static cg_exchanged *
record_of(cg_lowering *l, uint32_t buffer)
{
    cg_plan *p = l->plan;

    while (p->n_exchanged <= buffer) {
        const cg_exchanged alone = { .size = 1, .next = p->n_exchanged };
        IR_PUSH(l->arena, p->exchanged, p->n_exchanged, p->cap_exchanged, alone);
    }
    return &p->exchanged[buffer];
}

static uint32_t
root_of(const cg_plan *p, uint32_t buffer)
{
    while (p->exchanged[buffer].up)
        buffer = p->exchanged[buffer].up - 1;
    return buffer;
}

static cg_exchanged *
group_of(cg_lowering *l, uint32_t buffer)
{
    record_of(l, buffer);
    return &l->plan->exchanged[root_of(l->plan, buffer)];
}

/* Is p a whole buffer of this type, of which no other buffer is a part or an alias? */
static bool
is_whole(const cg_lowering *l, cg_place p, const ir_type *t)
{
    const cg_buffer *x = &l->entry.k->buffer[p.buffer];
    int64_t offset = 0;

    if (p.offset && (!cg_is_const(l->entry.k, p.offset, &offset) || offset != 0))
        return false;
    return (x->space == CG_WORK || x->space == CG_OUT) && !cg_is_aliased(x) &&
           x->type == t->dtype && x->elements == t->size;
}

/* Small values are copied, which is as fast. */
static bool
may_exchange(const cg_lowering *l, cg_place p, const ir_type *t)
{
    return !l->target.grid &&
           t->size * (int64_t)cot_dtype_size(t->dtype) >= CG_PLAN_MIN_SWAPPED_BYTES &&
           is_whole(l, p, t);
}

bool
cg_plan_spare(cg_lowering *l, cg_place p, const ir_type *t, cg_place *spare)
{
    if (!may_exchange(l, p, t))
        return false;
    const uint32_t old = record_of(l, p.buffer)->spare;
    if (old && !record_of(l, old - 1)->busy) {
        *spare = (cg_place){ .set = true, .buffer = old - 1 };
    } else {
        const cg_exchanged *g = group_of(l, p.buffer);
        if (g->closed || g->size >= CG_MAX_SWAPPED)
            return false;
        *spare = cg_plan_new(l, "next", t);
        l->entry.k->buffer[spare->buffer].align = l->entry.k->buffer[p.buffer].align;
        record_of(l, p.buffer)->spare = spare->buffer + 1;
    }
    record_of(l, spare->buffer)->busy = true;
    return true;
}

void
cg_plan_spare_done(cg_lowering *l, cg_place spare)
{
    record_of(l, spare.buffer)->busy = false;
}

bool
cg_plan_may_swap(cg_lowering *l, cg_place x, cg_place y, const ir_type *t, bool carries)
{
    const cg_buffer *a = &l->entry.k->buffer[x.buffer], *b = &l->entry.k->buffer[y.buffer];

    if (!may_exchange(l, x, t) || !may_exchange(l, y, t) || x.buffer == y.buffer)
        return false;
    record_of(l, x.buffer > y.buffer ? x.buffer : y.buffer);
    const cg_exchanged *g = group_of(l, x.buffer), *h = group_of(l, y.buffer);
    const int outs =
        (g->out || a->space == CG_OUT) + (g != h && (h->out || b->space == CG_OUT));
    if (a->align != b->align || outs > (carries || g->several || h->several ? 0 : 1))
        return false;
    return g == h || (!g->closed && !h->closed && g->size + h->size <= CG_MAX_SWAPPED);
}

/* Merge the groups of x and y; returns the root. */
static cg_exchanged *
join(cg_plan *p, uint32_t x, uint32_t y)
{
    cg_exchanged *at = p->exchanged;
    const uint32_t a = root_of(p, x), b = root_of(p, y), next = at[x].next;

    if (a == b)
        return &at[a];
    const uint32_t root = at[a].size < at[b].size ? b : a, leaf = a + b - root;
    at[leaf].up = root + 1;
    at[root].size += at[leaf].size;
    at[root].out |= at[leaf].out;
    at[root].several |= at[leaf].several;
    at[root].stays |= at[leaf].stays || (at[leaf].unsettled && at[leaf].nest != p->nest);
    at[x].next = at[y].next;
    at[y].next = next;
    return &at[root];
}

void
cg_plan_swap(cg_lowering *l, cg_place x, cg_place y, bool carries)
{
    const cg_buffer *buffer = l->entry.k->buffer;
    cg_plan *p = l->plan;
    cg_exchanged *g;

    record_of(l, x.buffer > y.buffer ? x.buffer : y.buffer);
    g = join(p, x.buffer, y.buffer);
    g->out |= buffer[x.buffer].space == CG_OUT || buffer[y.buffer].space == CG_OUT;
    g->several |= carries;
    g->stays |= g->unsettled && g->nest != p->nest;
    g->unsettled = true;
    g->nest = p->nest;
    p->now++;
    cg_plan_touch(l, x.buffer);
    cg_plan_touch(l, y.buffer);
    cg_swap(&l->entry, x.buffer, y.buffer);
}

static void
extend(cg_lifetime *s, cg_lifetime by)
{
    if (s->first == 0 || (by.first && by.first < s->first))
        s->first = by.first;
    if (by.last > s->last)
        s->last = by.last;
}

void
cg_plan_settle(cg_lowering *l, int n, const cg_place *to)
{
    cg_plan *p = l->plan;

    for (int i = 0; i < n && p->n_loops == 0; i++) {
        if (to[i].buffer >= p->n_exchanged)
            continue;
        cg_exchanged *g = &p->exchanged[root_of(p, to[i].buffer)];
        if (!g->unsettled || g->nest != p->nest || g->several || g->stays)
            continue;
        g->unsettled = false;
        g->closed = true;
        p->now++;
        cg_settle(&l->entry, to[i].buffer);
        cg_plan_touch(l, to[i].buffer);
        for (uint32_t x = p->exchanged[to[i].buffer].next; x != to[i].buffer;
             x = p->exchanged[x].next) {
            cg_plan_touch(l, x);
            extend(&p->span[x], (cg_lifetime){ p->nest_step, p->now });
        }
    }
}

/* The buffers of a group that was not settled live as long as any of them. */
void
cg_plan_join_spans(cg_lowering *l)
{
    cg_plan *p = l->plan;
    const uint32_t n = p->n_exchanged < p->n ? p->n_exchanged : p->n;

    for (uint32_t i = 0; i < n; i++) {
        const uint32_t root = root_of(p, i);
        if (p->exchanged[root].unsettled || p->exchanged[root].stays)
            extend(&p->span[root], p->span[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        const cg_exchanged *g = &p->exchanged[root_of(p, i)];
        if (g->unsettled || g->stays)
            p->span[i] = p->span[root_of(p, i)];
    }
}
