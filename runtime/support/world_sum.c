/* A reduction of rows that several processes have: processes.reduce (world.h).
 *
 * It is what MPI calls an all-reduce, as a reduce-scatter and an all-gather: the elements of
 * the result are cut into P segments, and each process sends to each other what it knows of its
 * segment: the parts of a sum (owner.h), or one extreme.  For 2^k processes that own runs of
 * leaves and up to 512 groups a process has one part, so that (P - 1) / P of the elements leave
 * each process twice, the least volume there is.  The owner of a segment folds the parts of all
 * processes in the order of the leaves.  Where each process wants no more than its segment,
 * that is the end.
 *
 * Many elements are reduced in blocks, one after the other, so that what is sent, folded and
 * received is in a cache.  A part that is one row of the operand stays where it is, and a
 * message that is consecutive in memory is sent from there. */
#include <string.h>

#include "runtime/support/world.h"
#include "runtime/support/world_fold.h"

typedef struct rt_reduction {
    cot_rt_own_rule rule;
    int64_t groups;
    int by;
    cot_dtype t, wide;
    int64_t m, parted;
} rt_reduction;

/* A part of one process. */
typedef struct known_part {
    cot_rt_sum_part part;
    int process;
    int64_t at; /* which of those of the process it is */
} known_part;

/* What a process has of a reduction. */
typedef struct share {
    cot_rt_owned own;
    int64_t parts;
    /* the segment of the result that it folds: `length` elements, in `pieces` of `piece` each
     * that begin at `piece` times list[k], or one from `from` on */
    int64_t from, length, piece;
    int64_t *list, pieces;
    const char *part; /* its parts for the segment of this process: [parts, length], wide */
} share;

/* Elements of the longest segment of a block.  Of two processes that know one part each, and
 * of so few bytes, each sends all that it knows: as many bytes as otherwise, in one message. */
enum { SEGMENT = 1 << 16, FEW = 10240 };

/* Where the room is used: sizes in bytes, in this order. */
typedef struct room_plan {
    int64_t shares, known, lists, fold, values, packed, parts;
} room_plan;

typedef struct world_sum {
    const cot_comm *comm;
    rt_reduction r;
    cot_rt_fold fold;
    share *of, *own; /* by process; that of this one */
    known_part *mine, *known; /* of this process; of all, in the order of their elements */
    int64_t all; /* how many */
    bool direct; /* each process has all of the result for its segment */
    int64_t begin, n; /* the block: its first element, and how many */
    const char **value; /* by own part: its elements of the block, wide */
    char *values, *packed, *parts;
} world_sum;

static int64_t
least(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

/* ---- who has what ---- */

static rt_reduction
reduction(int64_t rule, int64_t groups, int64_t by, int64_t parted, int64_t dtype, int64_t m)
{
    const cot_dtype t = (cot_dtype)dtype;

    return (rt_reduction){ (cot_rt_own_rule)rule, groups, (int)by, t,
                           cot_rt_wide_type(t),   m,      parted };
}

/* What a process owns, and how many parts it has. */
static share
share_of(const rt_reduction *r, int size, int p)
{
    share s = { .own = cot_rt_owned_by(r->rule, r->groups, size, p), .pieces = 1 };

    s.parts = r->by != COT_RT_SUM ? s.own.groups > 0 : cot_rt_owned_parts(r->groups, &s.own);
    return s;
}

/* The same, and writes the parts to `known`. */
static share
parts_of(const rt_reduction *r, int size, int p, known_part *known)
{
    share s = { .own = cot_rt_owned_by(r->rule, r->groups, size, p), .pieces = 1 };
    cot_rt_sum_part at = { 0 };

    if (r->by != COT_RT_SUM)
        s.parts = s.own.groups > 0;
    while (r->by == COT_RT_SUM && s.own.groups && cot_rt_owned_part(r->groups, &s.own, &at)) {
        known[s.parts] = (known_part){ at, p, s.parts };
        s.parts++;
    }
    if (r->by != COT_RT_SUM && s.parts)
        known[0] = (known_part){ at, p, 0 };
    return s;
}

/* Elements of a block: all, where rows of the result are wanted. */
static int64_t
block_of(const rt_reduction *r, int size)
{
    return r->parted < 0 ? least(r->m, (int64_t)SEGMENT * size) : r->m;
}

/* most: the parts that a process has at most. */
static bool
is_direct(const rt_reduction *r, int size, int64_t most)
{
    return r->parted < 0 && size == 2 && most == 1 &&
           r->m * (int64_t)cot_rt_bytes_of(r->wide) <= FEW;
}

/* The segment of process p in a block of n elements. */
static void
set_segment(const rt_reduction *r, int size, int p, int64_t n, bool direct, share *s)
{
    s->from = direct ? 0 : n * p / size;
    s->piece = s->length = direct ? n : n * (p + 1) / size - s->from;
    if (r->parted >= 0) {
        s->pieces = cot_rt_owned_by(r->rule, r->parted, size, p).groups;
        s->piece = r->parted ? r->m / r->parted : 0;
        s->length = s->pieces * s->piece;
    }
}

static int64_t
aligned(int64_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

/* Of a level of the fold: a chunk, or all elements where they are fewer. */
static int64_t
level_bytes(const rt_reduction *r)
{
    return aligned(least(r->m, COT_RT_CHUNK) * (int64_t)cot_rt_bytes_of(r->wide));
}

static int64_t
shares_bytes(int size)
{
    return aligned(size * (int64_t)sizeof(share));
}

static int64_t
total(const room_plan *p)
{
    return p->shares + p->known + p->lists + p->fold + p->values + p->packed + p->parts;
}

/* of: the shares of all, or NULL where they are not known. */
static room_plan
plan_room(const rt_reduction *r, int size, int rank, const share *of)
{
    const int64_t wide = (int64_t)cot_rt_bytes_of(r->wide), n = block_of(r, size),
                  deepest = cot_rt_fold_levels(cot_rt_leaves(r->groups));
    int64_t all = 0, longest = 0, most = 0;
    share own = { .parts = 0 };

    for (int p = 0; p < size; p++) {
        share s = of ? of[p] : share_of(r, size, p);
        set_segment(r, size, p, n, false, &s);
        all += s.parts;
        most = s.parts > most ? s.parts : most;
        longest = s.length > longest ? s.length : longest;
        own = p == rank ? s : own;
    }
    /* A segment of a shorter block is no longer. */
    const int64_t length = is_direct(r, size, most) ? n : own.length + 1;
    return (room_plan){
        .shares = shares_bytes(size),
        .known = aligned(2 * all * (int64_t)sizeof(known_part) +
                         own.parts * (int64_t)sizeof(char *)),
        .lists = r->parted < 0 ? 0 : aligned(r->parted * (int64_t)sizeof(int64_t)),
        .fold = deepest * level_bytes(r),
        .values = r->by != COT_RT_SUM && r->t == r->wide ? 0 : aligned(own.parts * n * wide),
        .packed = own.parts == 1 && r->parted < 0
                      ? 0
                      : aligned(own.parts * (longest > length ? longest : length) * wide),
        .parts = aligned((all - own.parts) * length * wide),
    };
}

int64_t
cot_rt_world_reduce_room(int size, int rank, int64_t rule, int64_t groups, int64_t by,
                         int64_t parted, int64_t dtype, int64_t m)
{
    const rt_reduction r = reduction(rule, groups, by, parted, dtype, m);
    const room_plan p = plan_room(&r, size, rank, NULL);

    return total(&p);
}

static bool
is_before(const known_part *a, const known_part *b)
{
    const cot_rt_sum_part *x = &a->part, *y = &b->part;

    return x->q != y->q ? x->q < y->q : x->t < y->t;
}

/* Heapsort: the parts of a node below `i` of the heap go where they belong. */
static void
sift(known_part *x, int64_t i, int64_t n)
{
    const known_part moved = x[i];

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
static known_part *
sorted_parts(known_part *x, int64_t n)
{
    known_part *y = x + n;
    int64_t i = 1;

    while (i < n && !is_before(&x[i], &x[i - 1]))
        i++;
    if (i >= n)
        return x;
    memcpy(y, x, sizeof *y * (size_t)n);
    for (i = n / 2; i-- > 0;)
        sift(y, i, n);
    for (i = n; i-- > 1;) {
        const known_part last = y[i];
        y[i] = y[0];
        y[0] = last;
        sift(y, 0, i);
    }
    return y;
}

/* The rows that each process wants. */
static void
fill_lists(world_sum *s, int64_t *list)
{
    for (int p = 0; p < s->comm->size && s->r.parted >= 0; p++) {
        const cot_rt_owned own = cot_rt_owned_by(s->r.rule, s->r.parted, s->comm->size, p);
        s->of[p].list = list;
        cot_rt_owned_list(s->r.parted, &own, list);
        list += own.groups;
    }
}

static void
take_room(world_sum *s, char *room)
{
    const int size = s->comm->size;
    known_part *each = (known_part *)(void *)(room + shares_bytes(size));
    int64_t most = 0;

    s->of = (share *)(void *)room;
    s->own = &s->of[s->comm->rank];
    for (int k = 0; k < size; k++) {
        s->of[k] = parts_of(&s->r, size, k, each + s->all);
        if (&s->of[k] == s->own)
            s->mine = each + s->all;
        s->all += s->of[k].parts;
        most = s->of[k].parts > most ? s->of[k].parts : most;
    }
    s->known = s->r.by == COT_RT_SUM ? sorted_parts(each, s->all) : each;
    const room_plan p = plan_room(&s->r, size, s->comm->rank, s->of);
    s->direct = is_direct(&s->r, size, most);
    room += p.shares + p.known;
    s->value = (const char **)(void *)room - s->own->parts;
    fill_lists(s, (int64_t *)(void *)room);
    s->fold =
        (cot_rt_fold){ .t = s->r.wide, .room = room += p.lists, .bytes = level_bytes(&s->r) };
    s->values = room += p.fold;
    s->packed = room += p.values;
    s->parts = room + p.packed;
}

/* The block of n elements from `begin` on: its segments, and where their parts go. */
static void
begin_block(world_sum *s, int64_t begin, int64_t n)
{
    const size_t wide = cot_rt_bytes_of(s->r.wide);
    char *part = s->parts;

    s->begin = begin;
    s->n = n;
    for (int k = 0; k < s->comm->size; k++)
        set_segment(&s->r, s->comm->size, k, n, s->direct, &s->of[k]);
    for (share *p = s->of; p < s->of + s->comm->size; p++) {
        if (p == s->own)
            continue;
        p->part = part;
        part += (size_t)(p->parts * s->own->length) * wide;
    }
}

/* ---- the parts of this process ---- */

/* The row that this process has of element t of leaf q; `next` is the first not yet used. */
static int64_t
row_of(const world_sum *s, int64_t q, int64_t t, int64_t *next)
{
    const cot_rt_owned *own = &s->own->own;
    int64_t first;

    if (own->rule == COT_RT_OWN_LEAVES)
        return (*next)++;
    cot_rt_leaf_size(s->r.groups, q, &first);
    return first + 32 * t - own->first;
}

/* Elements `from` on of a part. */
static void
fold_part(world_sum *s, const cot_rt_sum_part *part, const char *x, int64_t from, int64_t *next)
{
    const size_t size = cot_rt_bytes_of(s->r.t);
    const bool same = s->r.wide == s->r.t;
    float more[COT_RT_CHUNK]; /* what is widened becomes f32 */
    int64_t first;

    for (int64_t q = part->q; q < part->q + ((int64_t)1 << part->level); q++) {
        const int64_t n = part->level ? cot_rt_leaf_size(s->r.groups, q, &first) : part->n;
        for (int64_t k = 0; k < n; k++) {
            const int64_t row = row_of(s, q, part->t + k, next);
            const void *at = x + (size_t)(row * s->r.m + from) * size;
            if (!same) {
                void *to = k == 0 ? cot_rt_fold_room(&s->fold, q) : more;
                cot_rt_widen(s->r.t, s->fold.n, at, to);
                at = to;
            }
            if (k == 0)
                cot_rt_fold_push(&s->fold, q, at);
            else
                cot_rt_fold_more(&s->fold, at);
        }
    }
}

static bool
is_one_row(const world_sum *s, const cot_rt_sum_part *part)
{
    return s->r.by != COT_RT_SUM || (part->level == 0 && part->n == 1);
}

/* The parts of this process in the block, of its rows x. */
static void
fold_rows(world_sum *s, const char *x)
{
    const size_t wide = cot_rt_bytes_of(s->r.wide);
    int64_t next = 0;

    for (int64_t k = 0; k < s->own->parts; k++) {
        const cot_rt_sum_part *part = &s->mine[k].part;
        char *to = s->values + (size_t)(k * s->n) * wide;
        const int64_t first = next;
        s->value[k] = to;
        if (is_one_row(s, part) && s->r.wide == s->r.t) {
            const int64_t row = s->r.by == COT_RT_SUM ? row_of(s, part->q, part->t, &next) : 0;
            s->value[k] = x + (size_t)(row * s->r.m + s->begin) * wide;
            continue;
        }
        if (s->r.by != COT_RT_SUM) {
            cot_rt_widen(s->r.t, s->n, x + (size_t)s->begin * cot_rt_bytes_of(s->r.t), to);
            continue;
        }
        for (int64_t from = 0; from < s->n; from += COT_RT_CHUNK) {
            next = first;
            s->fold.n = least(COT_RT_CHUNK, s->n - from);
            fold_part(s, part, x, s->begin + from, &next);
            memcpy(to + (size_t)from * wide, cot_rt_folded(&s->fold), (size_t)s->fold.n * wide);
        }
    }
}

/* ---- segments ---- */

/* What the own parts have of a process's segment, one part after the other: where it is, if it
 * is consecutive, or a copy. */
static const void *
pack_segment(const world_sum *s, const share *p, char *to)
{
    const size_t wide = cot_rt_bytes_of(s->r.wide), piece = (size_t)p->piece * wide;
    char *const start = to;

    if (s->own->parts == 1 && p->pieces == 1)
        return s->value[0] + (p->list ? (size_t)p->list[0] * piece : (size_t)p->from * wide);
    for (int64_t k = 0; k < s->own->parts; k++)
        for (int64_t i = 0; i < p->pieces; i++, to += piece)
            if (piece)
                memcpy(to,
                       s->value[k] +
                           (p->list ? (size_t)p->list[i] * piece : (size_t)p->from * wide),
                       piece);
    return start;
}

/* Elements `from` on of the own segment, of the parts of all processes for it. */
static const void *
fold_known(world_sum *s, int64_t from, int64_t n)
{
    const size_t wide = cot_rt_bytes_of(s->r.wide), row = (size_t)s->own->length * wide;
    void *to = s->fold.room;

    s->fold.n = n;
    for (const known_part *k = s->known; k < s->known + s->all; k++) {
        const char *x = s->of[k->process].part + (size_t)k->at * row + (size_t)from * wide;
        if (s->r.by == COT_RT_SUM && k->part.t)
            cot_rt_fold_more(&s->fold, x);
        else if (s->r.by == COT_RT_SUM)
            cot_rt_fold_push(&s->fold, k->part.q, x);
        else if (k == s->known)
            memcpy(to, x, (size_t)n * wide);
        else
            cot_rt_combine(s->r.by, s->r.wide, n, to, x);
    }
    return s->r.by == COT_RT_SUM ? cot_rt_folded(&s->fold) : to;
}

static void
fold_segment(world_sum *s, char *out)
{
    const int64_t at = s->r.parted < 0 ? s->begin + s->own->from : 0;

    for (int64_t from = 0; from < s->own->length; from += COT_RT_CHUNK) {
        const int64_t n = least(COT_RT_CHUNK, s->own->length - from);
        cot_rt_narrow(s->r.t, n, fold_known(s, from, n),
                      out + (size_t)(at + from) * cot_rt_bytes_of(s->r.t));
    }
}

/* Parts go to the owners of segments; the own ones, which are packed last, stay. */
static int
scatter(world_sum *s)
{
    const size_t wide = cot_rt_bytes_of(s->r.wide);

    for (int round = 0; round < s->comm->size; round++) {
        share *p = &s->of[cot_rt_world_partner(s->comm, round)];
        if (p == s->own)
            continue;
        if (cot_rt_world_exchange(s->comm, (int)(p - s->of), pack_segment(s, p, s->packed),
                                  (size_t)(s->own->parts * p->length) * wide,
                                  (void *)(uintptr_t)p->part,
                                  (size_t)(p->parts * s->own->length) * wide))
            return COT_RT_WORLD_FAILED;
    }
    s->own->part = pack_segment(s, s->own, s->packed);
    return 0;
}

/* Segments go to all. */
static int
gather(world_sum *s, char *out)
{
    const size_t size = cot_rt_bytes_of(s->r.t);

    out += (size_t)s->begin * size;
    for (int round = 0; round < s->comm->size; round++) {
        const share *p = &s->of[cot_rt_world_partner(s->comm, round)];
        if (p != s->own &&
            cot_rt_world_exchange(s->comm, (int)(p - s->of), out + (size_t)s->own->from * size,
                                  (size_t)s->own->length * size, out + (size_t)p->from * size,
                                  (size_t)p->length * size))
            return COT_RT_WORLD_FAILED;
    }
    return 0;
}

static int
reduce_block(world_sum *s, int64_t begin, int64_t n, const char *rows, char *out)
{
    begin_block(s, begin, n);
    fold_rows(s, rows);
    if (scatter(s))
        return COT_RT_WORLD_FAILED;
    fold_segment(s, out);
    return s->r.parted < 0 && !s->direct ? gather(s, out) : 0;
}

int
cot_rt_world_reduce(const void *comm, const void *rows, void *out, void *room, int64_t rule,
                    int64_t groups, int64_t by, int64_t parted, int64_t dtype, int64_t m)
{
    world_sum s = { .comm = comm, .r = reduction(rule, groups, by, parted, dtype, m) };
    const int64_t block = block_of(&s.r, s.comm->size);
    int status = 0;

    if (m == 0)
        return 0;
    take_room(&s, room);
    for (int64_t at = 0; at < m && !status; at += block)
        status = reduce_block(&s, at, least(block, m - at), rows, out);
    if (status && s.comm->abort)
        s.comm->abort(s.comm->user);
    return status;
}
