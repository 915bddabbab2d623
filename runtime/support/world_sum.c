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

#include "runtime/support/world_sum.h"

static int64_t
least(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

static int64_t
total(const cot_rt_sum_room *p)
{
    return p->shares + p->known + p->lists + p->fold + p->values + p->packed + p->parts;
}

int64_t
cot_rt_world_reduce_room(int size, int rank, int64_t owners, int64_t groups, int64_t by,
                         int64_t parted, int64_t dtype, int64_t m)
{
    const cot_rt_owners o = cot_rt_owners_of(owners, size, rank);
    const cot_rt_reduction r = cot_rt_sum_of(o.rule, groups, by, parted, dtype, m);
    const cot_rt_sum_room p = cot_rt_sum_plan(&r, o.size, o.rank, NULL);

    return total(&p);
}

void
cot_rt_sum_begin(cot_rt_sum *s, int64_t begin, int64_t n)
{
    const size_t wide = cot_rt_bytes_of(s->r.wide);
    char *part = s->parts;

    s->begin = begin;
    s->n = n;
    for (int k = 0; k < s->comm->size; k++)
        cot_rt_sum_segment(&s->r, s->comm->size, k, n, s->direct, &s->of[k]);
    for (cot_rt_share *p = s->of; p < s->of + s->comm->size; p++) {
        if (p == s->own)
            continue;
        p->part = part;
        part += (size_t)(p->parts * s->own->length) * wide;
    }
}

/* The row that this process has of element t of leaf q; `next` is the first not yet used. */
static int64_t
row_of(const cot_rt_sum *s, int64_t q, int64_t t, int64_t *next)
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
fold_part(cot_rt_sum *s, const cot_rt_sum_part *part, const char *x, int64_t from,
          int64_t *next)
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

/* The row that a part is, without a sum; -1: it is the sum of several.  A node of a process
 * with one group has other leaves, too, which are absent. */
static int64_t
one_row(const cot_rt_sum *s, const cot_rt_sum_part *part, int64_t *next)
{
    if (s->r.by != COT_RT_SUM || s->own->own.groups == 1)
        return 0;
    return part->level == 0 && part->n == 1 ? row_of(s, part->q, part->t, next) : -1;
}

void
cot_rt_sum_rows(cot_rt_sum *s, const char *x)
{
    const size_t wide = cot_rt_bytes_of(s->r.wide);
    int64_t next = 0;

    for (int64_t k = 0; k < s->own->parts; k++) {
        const cot_rt_sum_part *part = &s->mine[k].part;
        char *to = s->values + (size_t)(k * s->n) * wide;
        const int64_t first = next;
        const int64_t row = s->r.wide == s->r.t ? one_row(s, part, &next) : -1;
        s->value[k] = row < 0 ? to : x + (size_t)(row * s->r.m + s->begin) * wide;
        if (row >= 0)
            continue;
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

const void *
cot_rt_sum_pack(const cot_rt_sum *s, const cot_rt_share *p, char *to)
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
fold_known(cot_rt_sum *s, int64_t from, int64_t n)
{
    const size_t wide = cot_rt_bytes_of(s->r.wide), row = (size_t)s->own->length * wide;
    void *to = s->fold.room;

    s->fold.n = n;
    for (const cot_rt_known *k = s->known; k < s->known + s->all; k++) {
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

void
cot_rt_sum_fold(cot_rt_sum *s, char *out)
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
scatter(cot_rt_sum *s)
{
    const size_t wide = cot_rt_bytes_of(s->r.wide);

    for (int round = 0; round < s->comm->size; round++) {
        cot_rt_share *p = &s->of[cot_rt_world_partner(s->comm, round)];
        if (p == s->own)
            continue;
        if (cot_rt_world_exchange(s->comm, (int)(p - s->of), cot_rt_sum_pack(s, p, s->packed),
                                  (size_t)(s->own->parts * p->length) * wide,
                                  (void *)(uintptr_t)p->part,
                                  (size_t)(p->parts * s->own->length) * wide))
            return COT_RT_WORLD_FAILED;
    }
    s->own->part = cot_rt_sum_pack(s, s->own, s->packed);
    return 0;
}

/* Segments go to all. */
static int
gather(cot_rt_sum *s, char *out)
{
    const size_t size = cot_rt_bytes_of(s->r.t);

    out += (size_t)s->begin * size;
    for (int round = 0; round < s->comm->size; round++) {
        const cot_rt_share *p = &s->of[cot_rt_world_partner(s->comm, round)];
        if (p != s->own &&
            cot_rt_world_exchange(s->comm, (int)(p - s->of), out + (size_t)s->own->from * size,
                                  (size_t)s->own->length * size, out + (size_t)p->from * size,
                                  (size_t)p->length * size))
            return COT_RT_WORLD_FAILED;
    }
    return 0;
}

static int
reduce_block(cot_rt_sum *s, int64_t begin, int64_t n, const char *rows, char *out)
{
    cot_rt_sum_begin(s, begin, n);
    cot_rt_sum_rows(s, rows);
    if (scatter(s))
        return COT_RT_WORLD_FAILED;
    cot_rt_sum_fold(s, out);
    return s->r.parted < 0 && !s->direct ? gather(s, out) : 0;
}

int
cot_rt_world_reduce(const void *comm, const void *rows, void *out, void *room, int64_t owners,
                    int64_t groups, int64_t by, int64_t parted, int64_t dtype, int64_t m)
{
    cot_rt_subgrid g;
    cot_rt_sum s = { .comm = cot_rt_subgrid_of(&g, comm, owners) };

    s.r = cot_rt_sum_of(g.owners.rule, groups, by, parted, dtype, m);
    const int64_t block = cot_rt_sum_block(&s.r, s.comm->size);
    int status = 0;

    if (m == 0)
        return 0;
    s.packed = cot_rt_sum_take(&s, room);
    s.parts = s.packed + cot_rt_sum_plan(&s.r, s.comm->size, s.comm->rank, s.of).packed;
    for (int64_t at = 0; at < m && !status; at += block)
        status = reduce_block(&s, at, least(block, m - at), rows, out);
    return cot_rt_world_given_up(s.comm, status);
}
