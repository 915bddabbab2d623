/* Several reductions that are ready at one time, in the messages of one: processes.reduce_all.
 *
 * Each is cut into segments as in world_sum.c, and is folded in its own order; a message has
 * what it has of each, one after the other, aligned to its elements.  They are short, so that
 * copies into and out of messages cost less than messages of their own. */
#include <string.h>

#include "runtime/support/world_sum.h"

enum { WIDEST = 8 }; /* bytes of an element */

/* A number of `sums` in the table of a call. */
enum { OF_GROUPS, OF_BY, OF_DTYPE, OF_ELEMENTS };

/* What both halves of a call know; it stays at the beginning of the room. */
typedef struct world_sums {
    const cot_comm *comm; /* of those that own the groups */
    cot_rt_subgrid grid;
    int n;
    int64_t *number; /* by process: of the exchange with it */
    char *packed, *parts, *sent, *received;
    cot_rt_sum sum[]; /* n, and behind them the numbers */
} world_sums;

/* One of a call; few: they are few bytes together. */
static cot_rt_reduction
reduction_of(const int64_t *table, cot_rt_own_rule rule, bool few)
{
    cot_rt_reduction r = cot_rt_sum_of(rule, table[OF_GROUPS], table[OF_BY], -1,
                                       table[OF_DTYPE], table[OF_ELEMENTS]);

    r.few = few;
    return r;
}

/* Are all of them together as few as one that goes in one message? */
static bool
are_few(const int64_t *table, int64_t n)
{
    int64_t bytes = 0;

    for (int64_t i = 0; i < n; i++, table += COT_RT_WORLD_SUM_NUMBERS)
        bytes += table[OF_ELEMENTS] *
                 (int64_t)cot_rt_bytes_of(cot_rt_wide_type((cot_dtype)table[OF_DTYPE]));
    return bytes <= COT_RT_SUM_FEW;
}

/* Where what messages hold begins: what is packed, parts of others, the own segments, those of
 * others.  All messages may be on their way at one time. */
typedef struct sums_room {
    int64_t each, packed, parts, sent, received;
} sums_room;

/* alone: parts that are consecutive, and segments, are sent from where they are. */
static void
add_room(sums_room *to, const cot_rt_sum_room *p, int size, const cot_rt_reduction *r,
         bool alone)
{
    const int64_t segment = (r->m / size + 1) * (int64_t)cot_rt_bytes_of(r->t) + WIDEST;

    to->each += p->shares + p->known + p->lists + p->fold + p->values;
    to->parts += p->parts + WIDEST * (int64_t)size;
    if (!alone || p->packed)
        to->packed += p->messages + WIDEST * (int64_t)size;
    if (alone)
        return;
    to->sent += segment;
    to->received += segment * size;
}

static int64_t
state_bytes(int size, int64_t n)
{
    return cot_rt_aligned((int64_t)sizeof(world_sums) + n * (int64_t)sizeof(cot_rt_sum) +
                          size * (int64_t)sizeof(int64_t));
}

/* The room of all; its size. */
static int64_t
plan_room(sums_room *room, int size, int rank, const int64_t *table, int64_t n,
          cot_rt_own_rule rule)
{
    const bool few = are_few(table, n);

    *room = (sums_room){ .each = state_bytes(size, n) };
    for (int64_t i = 0; i < n; i++, table += COT_RT_WORLD_SUM_NUMBERS) {
        const cot_rt_reduction r = reduction_of(table, rule, few);
        const cot_rt_sum_room p = cot_rt_sum_plan(&r, size, rank, NULL);
        add_room(room, &p, size, &r, n == 1);
    }
    return room->each + cot_rt_aligned(room->packed) + cot_rt_aligned(room->parts) +
           cot_rt_aligned(room->sent) + cot_rt_aligned(room->received);
}

int64_t
cot_rt_world_sums_room(int size, int rank, const int64_t *table, int64_t n, int64_t owners)
{
    const cot_rt_owners o = cot_rt_owners_of(owners, size, rank);
    sums_room room;

    return plan_room(&room, o.size, o.rank, table, n, o.rule);
}

/* The next place in a message for elements of so many bytes; what is passed by is zeros, where
 * the message is written. */
static size_t
place(size_t at, size_t element, char *message)
{
    for (; at % element; at++)
        if (message)
            message[at] = 0;
    return at;
}

/* Whose parts begin where, of those that arrive in one message from each process. */
static void
place_parts(world_sums *w)
{
    char *from = w->parts;

    for (int p = 0; p < w->comm->size; p++) {
        size_t at = 0;
        for (int i = 0; i < w->n && p != w->comm->rank; i++) {
            cot_rt_sum *s = &w->sum[i];
            const size_t wide = cot_rt_bytes_of(s->r.wide);
            at = place(at, wide, NULL);
            s->of[p].part = from + at;
            at += (size_t)(s->of[p].parts * s->own->length) * wide;
        }
        from += place(at, WIDEST, NULL);
    }
}

/* The bytes of the parts of process `from` for process `to`. */
static size_t
bytes_of(const world_sums *w, int from, int to)
{
    size_t at = 0;

    for (int i = 0; i < w->n; i++) {
        const cot_rt_sum *s = &w->sum[i];
        const size_t wide = cot_rt_bytes_of(s->r.wide);
        at = place(at, wide, NULL) + (size_t)(s->of[from].parts * s->of[to].length) * wide;
    }
    return at;
}

/* What the own parts have for process p: a message at `to`, or one sum's where it is. */
static const void *
pack_for(const world_sums *w, int p, char *to)
{
    const void *x = to;
    size_t at = 0;

    for (int i = 0; i < w->n; i++) {
        const cot_rt_sum *s = &w->sum[i];
        const size_t wide = cot_rt_bytes_of(s->r.wide),
                     n = (size_t)(s->own->parts * s->of[p].length) * wide;
        at = place(at, wide, to);
        x = cot_rt_sum_pack(s, &s->of[p], to + at);
        if (w->n > 1 && x != to + at && n)
            memcpy(to + at, x, n);
        if (p == w->comm->rank)
            s->own->part = w->n > 1 ? to + at : x;
        at += n;
    }
    return w->n > 1 ? to : x;
}

/* Parts go to the owners of segments; the own ones, which are packed last, stay. */
static int
scatter(world_sums *w)
{
    const int rank = w->comm->rank;
    char *to = w->packed;

    for (int round = 0; round < w->comm->size; round++) {
        const int p = cot_rt_world_partner(w->comm, round);
        if (p == rank)
            continue;
        const size_t sends = bytes_of(w, rank, p);
        if (cot_rt_world_start(w->comm, p, pack_for(w, p, to), sends,
                               (void *)(uintptr_t)w->sum[0].of[p].part, bytes_of(w, p, rank),
                               &w->number[p]))
            return COT_RT_WORLD_FAILED;
        to += place(sends, WIDEST, NULL);
    }
    pack_for(w, rank, to);
    return 0;
}

/* Waits for what scatter began. */
static int
wait_scatter(const world_sums *w)
{
    for (int round = 0; round < w->comm->size; round++) {
        const int p = cot_rt_world_partner(w->comm, round);
        if (p != w->comm->rank && cot_rt_world_wait(w->comm, w->number[p]))
            return COT_RT_WORLD_FAILED;
    }
    return 0;
}

/* The segments of process p, between the results and a message; its bytes. */
static size_t
copy_segments(const world_sums *w, int p, void *const *out, char *message, bool into)
{
    size_t at = 0;

    for (int i = 0; i < w->n; i++) {
        const cot_rt_sum *s = &w->sum[i];
        const size_t size = cot_rt_bytes_of(s->r.t), n = (size_t)s->of[p].length * size;
        char *y = (char *)out[i] + (size_t)s->of[p].from * size;
        if (s->direct || !n)
            continue;
        at = place(at, size, into ? message : NULL);
        if (message)
            memcpy(into ? message + at : y, into ? y : message + at, n);
        at += n;
    }
    return at;
}

/* Where segments of process p arrive: in a message, or those of one sum where they belong. */
static char *
place_of(const world_sums *w, int p, void *const *out, char *message)
{
    const cot_rt_sum *s = &w->sum[0];

    return w->n > 1 ? message
                    : (char *)out[0] + (size_t)s->of[p].from * cot_rt_bytes_of(s->r.t);
}

/* Segments go to all; arrived: what this began has. */
static int
gather(const world_sums *w, void *const *out, bool arrived)
{
    const int rank = w->comm->rank;
    const char *own = place_of(w, rank, out, w->sent);
    char *received = w->received;
    const size_t sends =
        copy_segments(w, rank, out, w->n > 1 && !arrived ? w->sent : NULL, true);

    for (int round = 0; round < w->comm->size; round++) {
        const int p = cot_rt_world_partner(w->comm, round);
        if (p == rank)
            continue;
        char *from = place_of(w, p, out, received);
        const size_t n = copy_segments(w, p, out, NULL, false);
        if (arrived ? cot_rt_world_wait(w->comm, w->number[p])
                    : cot_rt_world_start(w->comm, p, own, sends, from, n, &w->number[p]))
            return COT_RT_WORLD_FAILED;
        if (w->n > 1 && arrived)
            copy_segments(w, p, out, from, false);
        received += place(n, WIDEST, NULL);
    }
    return 0;
}

static void
take_room(world_sums *w, const int64_t *table, cot_rt_own_rule rule, char *room)
{
    const bool few = are_few(table, w->n);
    sums_room all;

    plan_room(&all, w->comm->size, w->comm->rank, table, w->n, rule);
    w->number = (int64_t *)(void *)&w->sum[w->n];
    room += state_bytes(w->comm->size, w->n);
    for (int i = 0; i < w->n; i++, table += COT_RT_WORLD_SUM_NUMBERS) {
        cot_rt_sum *s = &w->sum[i];
        *s = (cot_rt_sum){ .comm = w->comm, .r = reduction_of(table, rule, few) };
        room = cot_rt_sum_take(s, room);
        cot_rt_sum_begin(s, 0, s->r.m);
    }
    w->packed = room;
    w->parts = w->packed + cot_rt_aligned(all.packed);
    w->sent = w->parts + cot_rt_aligned(all.parts);
    w->received = w->sent + cot_rt_aligned(all.sent);
    place_parts(w);
}

int
cot_rt_world_start_sums(const void *comm, const int64_t *table, const void *const *rows,
                        void *room, int64_t n, int64_t owners)
{
    world_sums *w = room;

    w->comm = cot_rt_subgrid_of(&w->grid, comm, owners);
    w->n = (int)n;
    take_room(w, table, w->grid.owners.rule, room);
    for (int i = 0; i < w->n; i++)
        cot_rt_sum_rows(&w->sum[i], rows[i]);
    return cot_rt_world_given_up(comm, scatter(w));
}

int
cot_rt_world_sums(const void *comm, void *const *out, void *room)
{
    world_sums *w = room;
    int status = wait_scatter(w);

    for (int i = 0; i < w->n && !status; i++)
        cot_rt_sum_fold(&w->sum[i], out[i]);
    if (!status)
        status = gather(w, out, false) || gather(w, out, true) ? COT_RT_WORLD_FAILED : 0;
    return cot_rt_world_given_up(comm, status);
}

int
cot_rt_world_start_sums_of(const void *comm, const int64_t *table, const void *x0,
                           const void *x1, const void *x2, const void *x3, const void *x4,
                           const void *x5, const void *x6, const void *x7, const void *x8,
                           const void *x9, const void *x10, const void *x11, const void *x12,
                           const void *x13, const void *x14, const void *x15, void *room,
                           int64_t n, int64_t owners)
{
    const void *const rows[] = { x0, x1, x2,  x3,  x4,  x5,  x6,  x7,
                                 x8, x9, x10, x11, x12, x13, x14, x15 };

    return cot_rt_world_start_sums(comm, table, rows, room, n, owners);
}

int
cot_rt_world_sums_of(const void *comm, const void *x0, const void *x1, const void *x2,
                     const void *x3, const void *x4, const void *x5, const void *x6,
                     const void *x7, const void *x8, const void *x9, const void *x10,
                     const void *x11, const void *x12, const void *x13, const void *x14,
                     const void *x15, const void *room, void *y0, void *y1, void *y2, void *y3,
                     void *y4, void *y5, void *y6, void *y7, void *y8, void *y9, void *y10,
                     void *y11, void *y12, void *y13, void *y14, void *y15)
{
    void *const out[] = {
        y0, y1, y2, y3, y4, y5, y6, y7, y8, y9, y10, y11, y12, y13, y14, y15
    };

    (void)x0, (void)x1, (void)x2, (void)x3, (void)x4, (void)x5, (void)x6, (void)x7;
    (void)x8, (void)x9, (void)x10, (void)x11, (void)x12, (void)x13, (void)x14, (void)x15;
    return cot_rt_world_sums(comm, out, (void *)(uintptr_t)room);
}
