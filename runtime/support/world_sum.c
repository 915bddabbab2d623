/* A reduction of rows that several processes have: processes.reduce (world.h).
 *
 * It is what MPI calls an all-reduce, as a reduce-scatter and an all-gather: the elements of
 * the result are cut into P segments, and each process sends to each other what it knows of its
 * segment: the parts of a sum (ir/owner.h), or one extreme.  For 2^k processes that own runs of
 * leaves and up to 512 groups a process has one part, so that (P - 1) / P of the elements leave
 * each process twice, the least volume there is.  The owner of a segment folds the parts of all
 * processes in the order of the leaves.  Where each process wants no more than its segment,
 * that is the end.
 *
 * A part that is one row of the operand stays where it is, and a message that is consecutive in
 * memory is sent from there. */
#include <string.h>

#include "runtime/support/world.h"
#include "runtime/support/world_fold.h"

typedef struct rt_reduction {
    ir_own_rule rule;
    int64_t groups;
    int by;
    cot_dtype t, wide;
    int64_t m, parted;
} rt_reduction;

/* A part of one process. */
typedef struct known_part {
    ir_part part;
    int process;
    int64_t at; /* which of those of the process it is */
} known_part;

/* What a process has of a reduction. */
typedef struct share {
    ir_owned own;
    int64_t parts;
    /* the segment of the result that it folds: `length` elements, in `pieces` of `piece` each
     * that begin at `piece` times list[k], or one from `from` on */
    int64_t from, length, piece;
    int64_t *list, pieces;
    const char *part; /* its parts for the segment of this process: [parts, length], wide */
} share;

/* Where the room is used: sizes in bytes, in this order. */
typedef struct room_plan {
    int64_t shares, known, lists, fold, values, packed, parts;
} room_plan;

typedef struct world_sum {
    const cot_comm *comm;
    rt_reduction r;
    cot_rt_fold fold;
    share *of, *own; /* by process; that of this one */
    known_part *mine, *known; /* of this process; of all, in the order of the leaves */
    int64_t all; /* how many */
    const char **value; /* by own part: its m elements, wide */
    char *values, *packed;
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

    return (
        rt_reduction){ (ir_own_rule)rule, groups, (int)by, t, cot_rt_wide_type(t), m, parted };
}

/* What a process owns, how many parts it has, and its segment. */
static share
share_of(const rt_reduction *r, int size, int p)
{
    const int64_t from = r->m / size * p + r->m % size * p / size,
                  end = r->m / size * (p + 1) + r->m % size * (p + 1) / size;
    share s = { .own = ir_owned_by(r->rule, r->groups, size, p), .pieces = 1, .from = from };

    s.parts = r->by != COT_RT_SUM ? s.own.groups > 0 : ir_owned_parts(r->groups, &s.own);
    s.piece = s.length = end - from;
    if (r->parted >= 0) {
        s.pieces = ir_owned_by(r->rule, r->parted, size, p).groups;
        s.piece = r->parted ? r->m / r->parted : 0;
        s.length = s.pieces * s.piece;
    }
    return s;
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
total(const room_plan *p)
{
    return p->shares + p->known + p->lists + p->fold + p->values + p->packed + p->parts;
}

static room_plan
plan_room(const rt_reduction *r, int size, int rank)
{
    const int64_t wide = (int64_t)cot_rt_bytes_of(r->wide);
    const share own = share_of(r, size, rank);
    int64_t all = 0, longest = 0, deepest = cot_rt_fold_levels(ir_leaves(r->groups));

    for (int p = 0; p < size; p++) {
        const share s = share_of(r, size, p);
        all += s.parts;
        longest = s.length > longest ? s.length : longest;
    }
    return (room_plan){
        .shares = aligned(size * (int64_t)sizeof(share)),
        .known = aligned((all + own.parts) * (int64_t)sizeof(known_part) +
                         own.parts * (int64_t)sizeof(char *)),
        .lists = r->parted < 0 ? 0 : aligned(r->parted * (int64_t)sizeof(int64_t)),
        .fold = deepest * level_bytes(r),
        .values = r->by != COT_RT_SUM && r->t == r->wide ? 0 : aligned(own.parts * r->m * wide),
        .packed = own.parts == 1 && r->parted < 0 ? 0 : aligned(own.parts * longest * wide),
        .parts = aligned((all - own.parts) * own.length * wide),
    };
}

int64_t
cot_rt_world_reduce_room(int size, int rank, int64_t rule, int64_t groups, int64_t by,
                         int64_t parted, int64_t dtype, int64_t m)
{
    const rt_reduction r = reduction(rule, groups, by, parted, dtype, m);
    const room_plan p = plan_room(&r, size, rank);

    return total(&p);
}

static bool
is_before(const known_part *a, const known_part *b)
{
    const ir_part *x = &a->part, *y = &b->part;

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

static void
sort_parts(known_part *x, int64_t n)
{
    bool sorted = true;

    for (int64_t i = 1; i < n && sorted; i++)
        sorted = !is_before(&x[i], &x[i - 1]);
    for (int64_t i = n / 2; i-- > 0 && !sorted;)
        sift(x, i, n);
    for (int64_t i = n; i-- > 1 && !sorted;) {
        const known_part last = x[i];
        x[i] = x[0];
        x[0] = last;
        sift(x, 0, i);
    }
}

/* The parts of all, in the order of their elements, and the places of segments. */
static void
fill_shares(world_sum *s, int64_t *list, char *part)
{
    const rt_reduction *r = &s->r;
    const int64_t wide = (int64_t)cot_rt_bytes_of(r->wide);

    for (int p = 0; p < s->comm->size; p++) {
        share *to = &s->of[p];
        ir_part at = { 0 };
        for (int64_t k = 0; k < to->parts; k++) {
            if (r->by == COT_RT_SUM)
                ir_owned_part(r->groups, &to->own, &at);
            s->known[s->all++] = (known_part){ at, p, k };
            if (to == s->own)
                s->mine[k] = s->known[s->all - 1];
        }
        if (to != s->own) {
            to->part = part;
            part += to->parts * s->own->length * wide;
        }
        if (r->parted < 0)
            continue;
        const ir_owned own = ir_owned_by(r->rule, r->parted, s->comm->size, p);
        to->list = list;
        ir_owned_list(r->parted, &own, list);
        list += own.groups;
    }
    if (r->by == COT_RT_SUM)
        sort_parts(s->known, s->all);
}

static void
take_room(world_sum *s, char *room)
{
    const room_plan p = plan_room(&s->r, s->comm->size, s->comm->rank);

    s->of = (share *)(void *)room;
    for (int k = 0; k < s->comm->size; k++)
        s->of[k] = share_of(&s->r, s->comm->size, k);
    s->own = &s->of[s->comm->rank];
    s->mine = (known_part *)(void *)(room += p.shares);
    s->known = s->mine + s->own->parts;
    s->value = (const char **)(void *)(room + p.known) - s->own->parts;
    int64_t *lists = (int64_t *)(void *)(room += p.known);
    s->fold =
        (cot_rt_fold){ .t = s->r.wide, .room = room += p.lists, .bytes = level_bytes(&s->r) };
    s->values = room += p.fold;
    s->packed = room += p.values;
    fill_shares(s, lists, room + p.packed);
}

/* ---- the parts of this process ---- */

/* The row that this process has of element t of leaf q; `next` is the first not yet used. */
static int64_t
row_of(const world_sum *s, int64_t q, int64_t t, int64_t *next)
{
    const ir_owned *own = &s->own->own;
    int64_t first;

    if (own->rule == IR_OWN_LEAVES)
        return (*next)++;
    ir_leaf_size(s->r.groups, q, &first);
    return first + 32 * t - own->first;
}

/* Elements `from` on of a part. */
static void
fold_part(world_sum *s, const ir_part *part, const char *x, int64_t from, int64_t *next)
{
    const size_t size = cot_rt_bytes_of(s->r.t);
    const bool same = s->r.wide == s->r.t;
    float more[COT_RT_CHUNK]; /* what is widened becomes f32 */
    int64_t first;

    for (int64_t q = part->q; q < part->q + ((int64_t)1 << part->level); q++) {
        const int64_t n = part->level ? ir_leaf_size(s->r.groups, q, &first) : part->n;
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
is_one_row(const world_sum *s, const ir_part *part)
{
    return s->r.by != COT_RT_SUM || (part->level == 0 && part->n == 1);
}

/* The parts of this process, of its rows x. */
static void
fold_rows(world_sum *s, const char *x)
{
    const size_t wide = cot_rt_bytes_of(s->r.wide);
    int64_t next = 0;

    for (int64_t k = 0; k < s->own->parts; k++) {
        const ir_part *part = &s->mine[k].part;
        char *to = s->values + (size_t)(k * s->r.m) * wide;
        int64_t begin = next;
        s->value[k] = to;
        if (is_one_row(s, part) && s->r.wide == s->r.t) {
            const int64_t row = s->r.by == COT_RT_SUM ? row_of(s, part->q, part->t, &next) : 0;
            s->value[k] = x + (size_t)(row * s->r.m) * wide;
            continue;
        }
        if (s->r.by != COT_RT_SUM) {
            cot_rt_widen(s->r.t, s->r.m, x, to);
            continue;
        }
        for (int64_t from = 0; from < s->r.m; from += COT_RT_CHUNK) {
            next = begin;
            s->fold.n = least(COT_RT_CHUNK, s->r.m - from);
            fold_part(s, part, x, from, &next);
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
    const int64_t at = s->r.parted < 0 ? s->own->from : 0;

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

int
cot_rt_world_reduce(const void *comm, const void *rows, void *out, void *room, int64_t rule,
                    int64_t groups, int64_t by, int64_t parted, int64_t dtype, int64_t m)
{
    world_sum s = { .comm = comm, .r = reduction(rule, groups, by, parted, dtype, m) };

    take_room(&s, room);
    fold_rows(&s, rows);
    int status = scatter(&s);
    if (!status) {
        fold_segment(&s, out);
        status = parted < 0 ? gather(&s, out) : 0;
    }
    if (status && s.comm->abort)
        s.comm->abort(s.comm->user);
    return status;
}
