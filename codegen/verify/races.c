/* Proof that iterations of a parallel loop do not conflict: the index of a stored element
 * determines the iteration (digits.h), or the conditions of two touches exclude a common
 * element (exclude.h).
 *
 * Touches of one buffer are grouped into clusters with overlapping ranges, since touches of
 * different clusters cannot conflict.  All touches of a cluster are tried together first, then
 * pair by pair. */
#include "codegen/verify/races.h"

#include "codegen/tuning.h"
#include "codegen/verify/atoms.h"
#include "codegen/verify/digits.h"
#include "codegen/verify/exclude.h"
#include "codegen/verify/prove.h"

void
cg_races_begin(cg_races *r, cg_facts *f, uint32_t counter)
{
    r->f = f;
    r->inside = true;
    r->counter = counter;
    r->n = 0;
    if (!r->known)
        r->known = IR_NEW(f->arena, cg_known);
}

void
cg_races_touch(cg_races *r, const cg_known *known, cg_touch t, int64_t count)
{
    const cg_space space = r->inside ? r->f->k->buffer[t.buffer].space : CG_LOCAL;

    if (space == CG_LOCAL || space == CG_SHARED || space == CG_CONST || known->infeasible)
        return;
    if (count > 1) {
        const uint32_t element = cg_new_atom(r->f, 0, (cg_interval){ 0, count - 1 });
        cg_sum s = { .n = 1, .term = { { element, 1 } } };
        if (cg_sum_add(&s, 1, &t.index))
            t.index = cg_form_keep(r->f->arena, &s);
    }
    t.n_known = known->n;
    t.known = ir_copy_bytes(r->f->arena, known->form, (size_t)known->n * sizeof *known->form);
    IR_PUSH(r->f->arena, r->touch, r->n, r->cap, t);
}

/* Buffers that may alias count as one. */
static uint32_t
place_of(const cg_kernel *k, uint32_t buffer)
{
    for (uint32_t left = k->n_buffers; k->buffer[buffer].alias && left > 0; left--)
        buffer = k->buffer[buffer].alias - 1;
    return buffer;
}

/* Do all touches of the buffer have this term? */
static bool
is_common(const cg_races *r, uint32_t buffer, const cg_term *x)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (place_of(r->f->k, r->touch[i].buffer) == buffer &&
            cg_sum_coefficient(&r->touch[i].index, x->atom) != x->c)
            return false;
    return true;
}

/* The index without terms from before the loop that all touches of the buffer have. */
static bool
own_part(const cg_races *r, uint32_t buffer, const cg_touch *t, cg_sum *own)
{
    *own = (cg_sum){ .k = t->index.k };
    if (t->index.n > CG_VERIFY_FORM_TERMS)
        return false;
    for (int i = 0; i < t->index.n; i++)
        if (t->index.term[i].atom >= r->counter || !is_common(r, buffer, &t->index.term[i]))
            own->term[own->n++] = t->index.term[i];
    cg_settle_quotients(r, t, own);
    return true;
}

/* All touches of one buffer, and their ranges. */
typedef struct touched_place {
    cg_parts all;
    cg_interval *in;
    bool *done;
} touched_place;

/* Shortens a range to end before the beginning of another, if that can be proved.  A buffer may
 * have several consecutive parts, and intervals are not exact. */
static void
end_before_others(const touched_place *p, uint32_t i)
{
    const cg_parts *x = &p->all;
    const cg_form part = cg_form_of(&x->part[i]);
    int64_t at = part.k;

    for (int left = CG_VERIFY_MAX_RACE_STARTS; left > 0; left--) {
        int64_t next = INT64_MAX;
        for (uint32_t j = 0; j < x->n; j++)
            if (x->part[j].k > at && x->part[j].k < next)
                next = x->part[j].k;
        cg_sum room = { .k = next - 1 };
        if (next > p->in[i].hi)
            return;
        if (cg_sum_add(&room, -1, &part) &&
            cg_prove(x->r->f, cg_known_at(x->r, x->at[i]), &room)) {
            p->in[i].hi = next - 1;
            return;
        }
        at = next;
    }
}

static bool
gather(cg_races *r, uint32_t buffer, touched_place *p)
{
    ir_arena *a = r->f->arena;

    p->all = (cg_parts){ r, 0, IR_NEW_N(a, const cg_touch *, r->n), IR_NEW_N(a, cg_sum, r->n) };
    p->in = IR_NEW_N(a, cg_interval, r->n);
    p->done = IR_NEW_N(a, bool, r->n);
    for (uint32_t i = 0; i < r->n; i++) {
        const cg_touch *t = &r->touch[i];
        cg_parts *x = &p->all;
        if (t->impossible || place_of(r->f->k, t->buffer) != buffer)
            continue;
        x->at[x->n] = t;
        if (!own_part(r, buffer, t, &x->part[x->n]))
            return false;
        const cg_form part = cg_form_of(&x->part[x->n]);
        p->in[x->n++] = cg_tight_interval(r->f, cg_known_at(r, t), &part);
    }
    for (uint32_t i = 0; i < p->all.n; i++)
        end_before_others(p, i);
    return true;
}

/* The touches whose ranges overlap that of i, directly or through others; only they can
 * conflict with it. */
static cg_parts
cluster(touched_place *p, uint32_t i, bool *writes)
{
    const cg_parts *all = &p->all;
    ir_arena *a = all->r->f->arena;
    cg_parts x = { all->r, 0, IR_NEW_N(a, const cg_touch *, all->n),
                   IR_NEW_N(a, cg_sum, all->n) };
    cg_interval in = p->in[i];

    *writes = false;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t j = i; j < all->n; j++)
            if (!p->done[j] && p->in[j].lo <= in.hi && p->in[j].hi >= in.lo) {
                in = cg_either(in, p->in[j]);
                x.at[x.n] = all->at[j];
                x.part[x.n++] = all->part[j];
                *writes |= all->at[j]->writes;
                p->done[j] = more = true;
            }
    }
    return x;
}

static bool
pair_is_independent(const cg_parts *x, uint32_t i, uint32_t j)
{
    const cg_touch *at[2] = { x->at[i], x->at[j] };
    cg_sum part[2] = { x->part[i], x->part[j] };
    const cg_parts pair = { x->r, i == j ? 1 : 2, at, part };
    cg_touch own[2] = { *at[0], *at[1] };

    for (int n = 0; n < 2; n++)
        own[n].index = cg_form_of(&part[n]);
    return (x->n > pair.n && cg_fixes_iteration(&pair)) ||
           cg_exclude(x->r, &own[0], i == j ? &own[0] : &own[1]);
}

/* Tries all pairs, where all touches together prove nothing.  Each pair costs a proof or
 * more. */
static bool
pairs_are_independent(const cg_parts *x)
{
    const uint64_t most = x->r->f->steps + CG_VERIFY_MAX_RACE_STEPS;
    int left = CG_VERIFY_MAX_RACE_PAIRS;

    for (uint32_t i = 0; i < x->n; i++)
        for (uint32_t j = i; j < x->n; j++)
            if ((x->at[i]->writes || x->at[j]->writes) &&
                (left-- == 0 || x->r->f->steps > most || !pair_is_independent(x, i, j)))
                return false;
    return true;
}

static bool
is_independent(cg_races *r, uint32_t buffer, bool by_data)
{
    touched_place p;
    bool writes;

    if (!gather(r, buffer, &p))
        return false;
    for (uint32_t i = 0; i < p.all.n; i++) {
        if (p.done[i])
            continue;
        const cg_parts x = cluster(&p, i, &writes);
        if (writes && !cg_fixes_iteration(&x) && (by_data || !pairs_are_independent(&x)))
            return false;
    }
    return true;
}

static bool
is_by_data(const cg_races *r, uint32_t place)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (r->touch[i].by_data && place_of(r->f->k, r->touch[i].buffer) == place)
            return true;
    return false;
}

/* Do the conditions of a touch contradict each other? */
static bool
is_impossible(cg_races *r, const cg_touch *t)
{
    const cg_known *known = cg_known_at(r, t);

    for (int i = 0; i < t->n_known; i++) {
        const cg_form *x = &t->known[i];

        for (int j = 0; j < x->n; j++) {
            const cg_term one = { x->term[j].atom, 1 };
            const cg_interval in =
                cg_tight_interval(r->f, known, &(cg_form){ .n = 1, .term = &one });
            if (in.lo > in.hi)
                return true;
        }
        if (cg_tight_interval(r->f, known, x).hi < 0)
            return true;
    }
    return false;
}

/* Mark the touches of the buffer that never happen: of the edge of a tile, in a kernel for all
 * sizes, where the size at hand is whole tiles. */
static bool
find_impossible(cg_races *r, uint32_t buffer)
{
    bool any = false;

    for (uint32_t i = 0; i < r->n; i++)
        if (place_of(r->f->k, r->touch[i].buffer) == buffer) {
            r->touch[i].impossible = is_impossible(r, &r->touch[i]);
            any |= r->touch[i].impossible;
        }
    return any;
}

/* Do the conditions of all touches of the buffer hold in the first iteration alone? */
static bool
is_of_first(cg_races *r, uint32_t buffer)
{
    const cg_term counter = { r->counter, 1 };
    const cg_form number = { .n = 1, .term = (cg_term *)&counter };

    for (uint32_t i = 0; i < r->n; i++)
        if (place_of(r->f->k, r->touch[i].buffer) == buffer &&
            cg_tight_interval(r->f, cg_known_at(r, &r->touch[i]), &number).hi > 0)
            return false;
    return true;
}

cg_races_count
cg_races_end(cg_races *r)
{
    const cg_kernel *k = r->f->k;
    const bool once = r->f->atom[r->counter].in.hi == 0;
    bool *done = IR_NEW_N(r->f->arena, bool, k->n_buffers + 1);
    cg_races_count n = { 0 };

    r->inside = false;
    for (uint32_t i = 0; i < r->n; i++) {
        const uint32_t place = place_of(k, r->touch[i].buffer);
        if (!r->touch[i].writes || done[place])
            continue;
        done[place] = true;
        const bool by_data = is_by_data(r, place);
        if (once || (r->n <= CG_VERIFY_MAX_TOUCHED &&
                     (is_independent(r, place, by_data) || is_of_first(r, place) ||
                      (find_impossible(r, place) && is_independent(r, place, by_data)))))
            n.proved++;
        else if (by_data)
            n.first = n.open + n.by_data++ ? n.first : r->touch[i].buffer;
        else if (n.open++ == 0)
            n.first = r->touch[i].buffer;
    }
    return n;
}
