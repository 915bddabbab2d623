/* Who has what of a reduction, and how much room it takes (world_sum.h). */
#include "runtime/support/world_sum.h"

#include <string.h>

enum { SEGMENT = 1 << 16 }; /* elements of the longest segment of a block */

static int64_t
least(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

cot_rt_reduction
cot_rt_sum_of(cot_rt_own_rule rule, int64_t groups, int64_t by, int64_t parted, int64_t dtype,
              int64_t m)
{
    const cot_dtype t = (cot_dtype)dtype;

    return (cot_rt_reduction){ .rule = rule,
                               .groups = groups,
                               .by = (int)by,
                               .t = t,
                               .wide = cot_rt_wide_type(t),
                               .m = m,
                               .parted = parted,
                               .few = m * (int64_t)cot_rt_bytes_of(cot_rt_wide_type(t)) <=
                                      COT_RT_SUM_FEW };
}

/* What a process owns, and how many parts it has. */
static cot_rt_share
share_of(const cot_rt_reduction *r, int size, int p)
{
    cot_rt_share s = { .own = cot_rt_owned_by(r->rule, r->groups, size, p), .pieces = 1 };

    s.parts = r->by != COT_RT_SUM ? s.own.groups > 0 : cot_rt_owned_parts(r->groups, &s.own);
    return s;
}

/* The same, and writes the parts to `known`. */
static cot_rt_share
parts_of(const cot_rt_reduction *r, int size, int p, cot_rt_known *known)
{
    cot_rt_share s = { .own = cot_rt_owned_by(r->rule, r->groups, size, p), .pieces = 1 };
    cot_rt_sum_part at = { 0 };

    if (r->by != COT_RT_SUM)
        s.parts = s.own.groups > 0;
    while (r->by == COT_RT_SUM && s.own.groups && cot_rt_owned_part(r->groups, &s.own, &at)) {
        known[s.parts] = (cot_rt_known){ at, p, s.parts };
        s.parts++;
    }
    if (r->by != COT_RT_SUM && s.parts)
        known[0] = (cot_rt_known){ at, p, 0 };
    return s;
}

int64_t
cot_rt_sum_block(const cot_rt_reduction *r, int size)
{
    return r->parted < 0 ? least(r->m, (int64_t)SEGMENT * size) : r->m;
}

/* most: the parts that a process has at most. */
static bool
is_direct(const cot_rt_reduction *r, int size, int64_t most)
{
    return r->parted < 0 && size == 2 && most == 1 && r->few;
}

void
cot_rt_sum_segment(const cot_rt_reduction *r, int size, int p, int64_t n, bool direct,
                   cot_rt_share *s)
{
    s->from = direct ? 0 : n * p / size;
    s->piece = s->length = direct ? n : n * (p + 1) / size - s->from;
    if (r->parted >= 0) {
        s->pieces = cot_rt_owned_by(r->rule, r->parted, size, p).groups;
        s->piece = r->parted ? r->m / r->parted : 0;
        s->length = s->pieces * s->piece;
    }
}

int64_t
cot_rt_aligned(int64_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

/* Of a level of the fold: a chunk, or all elements where they are fewer. */
static int64_t
cot_rt_sum_level_bytes(const cot_rt_reduction *r)
{
    return cot_rt_aligned(least(r->m, COT_RT_CHUNK) * (int64_t)cot_rt_bytes_of(r->wide));
}

static int64_t
shares_bytes(int size)
{
    return cot_rt_aligned(size * (int64_t)sizeof(cot_rt_share));
}

cot_rt_sum_room
cot_rt_sum_plan(const cot_rt_reduction *r, int size, int rank, const cot_rt_share *of)
{
    const int64_t wide = (int64_t)cot_rt_bytes_of(r->wide), n = cot_rt_sum_block(r, size),
                  deepest = cot_rt_fold_levels(cot_rt_leaves(r->groups));
    int64_t all = 0, longest = 0, most = 0;
    cot_rt_share own = { .parts = 0 };

    for (int p = 0; p < size; p++) {
        cot_rt_share s = of ? of[p] : share_of(r, size, p);
        cot_rt_sum_segment(r, size, p, n, false, &s);
        all += s.parts;
        most = s.parts > most ? s.parts : most;
        longest = s.length > longest ? s.length : longest;
        own = p == rank ? s : own;
    }
    /* A segment of a shorter block is no longer. */
    const bool direct = is_direct(r, size, most);
    const int64_t length = direct ? n + 1 : own.length + 1,
                  message =
                      cot_rt_aligned(own.parts * (longest > length ? longest : length) * wide);
    return (cot_rt_sum_room){
        .shares = shares_bytes(size),
        .known = cot_rt_aligned(2 * all * (int64_t)sizeof(cot_rt_known) +
                                own.parts * (int64_t)sizeof(char *)),
        .lists = r->parted < 0 ? 0 : cot_rt_aligned(r->parted * (int64_t)sizeof(int64_t)),
        .fold = deepest * cot_rt_sum_level_bytes(r),
        .values =
            r->by != COT_RT_SUM && r->t == r->wide ? 0 : cot_rt_aligned(own.parts * n * wide),
        .packed = own.parts == 1 && r->parted < 0 ? 0 : message,
        .message = message,
        .messages = direct ? 2 * message : cot_rt_aligned(own.parts * n * wide),
        .parts = cot_rt_aligned((all - own.parts) * length * wide),
    };
}

static bool
is_before(const cot_rt_known *a, const cot_rt_known *b)
{
    const cot_rt_sum_part *x = &a->part, *y = &b->part;

    return x->q != y->q ? x->q < y->q : x->t < y->t;
}

/* Heapsort: the parts of a node below `i` of the heap go where they belong. */
static void
sift(cot_rt_known *x, int64_t i, int64_t n)
{
    const cot_rt_known moved = x[i];

    for (int64_t k = 2 * i + 1; k < n; i = k, k = 2 * i + 1) {
        if (k + 1 < n && is_before(&x[k], &x[k + 1]))
            k++;
        if (!is_before(&moved, &x[k]))
            break;
        x[i] = x[k];
    }
    x[i] = moved;
}

/* n parts in the order of their elements: as they are, or sorted behind them. */
static cot_rt_known *
sorted_parts(cot_rt_known *x, int64_t n)
{
    cot_rt_known *y = x + n;
    int64_t i = 1;

    while (i < n && !is_before(&x[i], &x[i - 1]))
        i++;
    if (i >= n)
        return x;
    memcpy(y, x, sizeof *y * (size_t)n);
    for (i = n / 2; i-- > 0;)
        sift(y, i, n);
    for (i = n; i-- > 1;) {
        const cot_rt_known last = y[i];
        y[i] = y[0];
        y[0] = last;
        sift(y, 0, i);
    }
    return y;
}

/* The rows that each process wants. */
static void
fill_lists(cot_rt_sum *s, int64_t *list)
{
    for (int p = 0; p < s->comm->size && s->r.parted >= 0; p++) {
        const cot_rt_owned own = cot_rt_owned_by(s->r.rule, s->r.parted, s->comm->size, p);
        s->of[p].list = list;
        cot_rt_owned_list(s->r.parted, &own, list);
        list += own.groups;
    }
}

char *
cot_rt_sum_take(cot_rt_sum *s, char *room)
{
    const int size = s->comm->size;
    cot_rt_known *each = (cot_rt_known *)(void *)(room + shares_bytes(size));
    int64_t most = 0;

    s->of = (cot_rt_share *)(void *)room;
    s->own = &s->of[s->comm->rank];
    for (int k = 0; k < size; k++) {
        s->of[k] = parts_of(&s->r, size, k, each + s->all);
        if (&s->of[k] == s->own)
            s->mine = each + s->all;
        s->all += s->of[k].parts;
        most = s->of[k].parts > most ? s->of[k].parts : most;
    }
    s->known = s->r.by == COT_RT_SUM ? sorted_parts(each, s->all) : each;
    const cot_rt_sum_room p = cot_rt_sum_plan(&s->r, size, s->comm->rank, s->of);
    s->direct = is_direct(&s->r, size, most);
    room += p.shares + p.known;
    s->value = (const char **)(void *)room - s->own->parts;
    fill_lists(s, (int64_t *)(void *)room);
    s->fold = (cot_rt_fold){ .t = s->r.wide,
                             .room = room += p.lists,
                             .bytes = cot_rt_sum_level_bytes(&s->r) };
    s->values = room += p.fold;
    return room + p.values;
}
