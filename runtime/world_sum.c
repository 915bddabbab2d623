/* A reduction of rows that several processes have: processes.reduce (world.c).
 *
 * It is what MPI calls an all-reduce, as a reduce-scatter and an all-gather: the elements of
 * the result are cut into P segments, and each process sends to each other what it knows of its
 * segment: the parts of a sum (ir/owner.h), or one extreme.  For 2^k processes that own runs of
 * leaves and up to 512 groups a process has one part, so that (P - 1) / P of the elements leave
 * each process twice, the least volume there is.  The owner of a segment folds the parts of all
 * processes in the order of the leaves.  Where each process wants no more than its segment,
 * that is the end. */
#include <stdlib.h>
#include <string.h>

#include "runtime/world_fold.h"
#include "runtime/world_sum.h"

int
rt_world_partner(const cot_comm *c, int round)
{
    return (round - c->rank + c->size) % c->size;
}

int
rt_world_exchange(const cot_comm *c, int partner, const void *send, size_t n_send,
                  void *receive, size_t n_receive)
{
    if (n_send == 0 && n_receive == 0)
        return 0;
    return c->exchange(c->user, partner, send, n_send, receive, n_receive);
}

/* A part of one process. */
typedef struct known {
    ir_part part;
    int process;
    int64_t at; /* which of those of the process it is */
} known;

/* What a process has of a reduction. */
typedef struct share {
    ir_owned own;
    int64_t parts;
    known *known;
    /* the segment of the result that it folds: `length` elements, in `pieces` of `piece` each
     * that begin at `piece` times list[k], or one from `from` on */
    int64_t from, length, piece;
    int64_t *list, pieces;
    char *part; /* its parts for the segment of this process: [parts, length], wide */
} share;

typedef struct world_sum {
    const cot_comm *comm;
    const rt_reduction *r;
    cot_dtype wide;
    rt_fold *fold;
    share *of, *own; /* by process; that of this one */
    known *known; /* of all, in the order of the leaves */
    int64_t all; /* how many */
    int64_t *lists;
    char *values; /* of the parts of this process: [parts, m], wide */
    char *packed; /* what is sent */
} world_sum;

static int64_t
least(int64_t x, int64_t y)
{
    return x < y ? x : y;
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
    ir_leaf_size(s->r->groups, q, &first);
    return first + 32 * t - own->first;
}

/* Elements `from` on of a part. */
static void
fold_part(world_sum *s, const ir_part *part, const char *x, int64_t from, int64_t *next)
{
    const size_t size = cot_dtype_size(s->r->t);
    uint64_t more[RT_CHUNK * RT_WIDE / sizeof(uint64_t)];
    int64_t first;

    for (int64_t q = part->q; q < part->q + ((int64_t)1 << part->level); q++) {
        const int64_t n = part->level ? ir_leaf_size(s->r->groups, q, &first) : part->n;
        for (int64_t k = 0; k < n; k++) {
            const int64_t row = row_of(s, q, part->t + k, next);
            const char *at = x + (size_t)(row * s->r->m + from) * size;
            if (k == 0) {
                rt_widen(s->r->t, s->fold->n, at, rt_fold_push(s->fold, q));
                continue;
            }
            if (s->wide != s->r->t)
                rt_widen(s->r->t, s->fold->n, at, more);
            rt_fold_more(s->fold, s->wide == s->r->t ? (const void *)at : more);
        }
    }
}

/* The parts of this process, of its rows x. */
static void
fold_rows(world_sum *s, const char *x)
{
    const size_t wide = cot_dtype_size(s->wide);

    if (s->r->by != IR_BY_SUM) {
        rt_widen(s->r->t, s->own->parts * s->r->m, x, s->values);
        return;
    }
    for (int64_t from = 0; from < s->r->m; from += RT_CHUNK) {
        int64_t next = 0;
        s->fold->n = least(RT_CHUNK, s->r->m - from);
        for (int64_t k = 0; k < s->own->parts; k++) {
            fold_part(s, &s->own->known[k].part, x, from, &next);
            memcpy(s->values + (size_t)(k * s->r->m + from) * wide, rt_folded(s->fold),
                   (size_t)s->fold->n * wide);
        }
    }
}

/* ---- segments ---- */

/* What the own parts have of a process's segment, one part after the other. */
static void
pack_segment(const world_sum *s, const share *p, char *to)
{
    const size_t wide = cot_dtype_size(s->wide), piece = (size_t)p->piece * wide;

    for (int64_t k = 0; k < s->own->parts; k++) {
        const char *row = s->values + (size_t)(k * s->r->m) * wide;
        for (int64_t i = 0; i < p->pieces; i++, to += piece)
            if (piece)
                memcpy(to,
                       row + (p->list ? (size_t)p->list[i] * piece : (size_t)p->from * wide),
                       piece);
    }
}

/* Elements `from` on of the own segment, of the parts of all processes for it. */
static const void *
fold_known(world_sum *s, int64_t from, int64_t n)
{
    const size_t wide = cot_dtype_size(s->wide), row = (size_t)s->own->length * wide;
    void *to = s->fold->at[0];

    s->fold->n = n;
    for (const known *k = s->known; k < s->known + s->all; k++) {
        const char *x = s->of[k->process].part + (size_t)k->at * row + (size_t)from * wide;
        if (s->r->by == IR_BY_SUM && k->part.t)
            rt_fold_more(s->fold, x);
        else if (s->r->by == IR_BY_SUM)
            memcpy(rt_fold_push(s->fold, k->part.q), x, (size_t)n * wide);
        else if (k == s->known)
            memcpy(to, x, (size_t)n * wide);
        else
            rt_combine(s->r->by, s->wide, n, to, x);
    }
    return s->r->by == IR_BY_SUM ? rt_folded(s->fold) : to;
}

static void
fold_segment(world_sum *s, char *out)
{
    const int64_t at = s->r->parted < 0 ? s->own->from : 0;

    for (int64_t from = 0; from < s->own->length; from += RT_CHUNK) {
        const int64_t n = least(RT_CHUNK, s->own->length - from);
        rt_narrow(s->r->t, n, fold_known(s, from, n),
                  out + (size_t)(at + from) * cot_dtype_size(s->r->t));
    }
}

/* Parts go to the owners of segments. */
static int
scatter(world_sum *s)
{
    const size_t wide = cot_dtype_size(s->wide);

    pack_segment(s, s->own, s->own->part);
    for (int round = 0; round < s->comm->size; round++) {
        const share *p = &s->of[rt_world_partner(s->comm, round)];
        if (p == s->own)
            continue;
        pack_segment(s, p, s->packed);
        if (rt_world_exchange(s->comm, (int)(p - s->of), s->packed,
                              (size_t)(s->own->parts * p->length) * wide, p->part,
                              (size_t)(p->parts * s->own->length) * wide))
            return RT_WORLD_FAILED;
    }
    return 0;
}

/* Segments go to all. */
static int
gather(world_sum *s, char *out)
{
    const size_t size = cot_dtype_size(s->r->t);

    for (int round = 0; round < s->comm->size; round++) {
        const share *p = &s->of[rt_world_partner(s->comm, round)];
        if (p != s->own &&
            rt_world_exchange(s->comm, (int)(p - s->of), out + (size_t)s->own->from * size,
                              (size_t)s->own->length * size, out + (size_t)p->from * size,
                              (size_t)p->length * size))
            return RT_WORLD_FAILED;
    }
    return 0;
}

/* ---- who has what ---- */

static int
by_element(const void *a, const void *b)
{
    const ir_part *x = &((const known *)a)->part, *y = &((const known *)b)->part;

    return x->q != y->q ? (x->q < y->q ? -1 : 1) : (x->t > y->t) - (x->t < y->t);
}

/* What each process owns, and how many parts it has; of all: how many. */
static int64_t
find_shares(world_sum *s)
{
    const rt_reduction *r = s->r;
    const int size = s->comm->size;
    int64_t all = 0;

    for (int p = 0; p < size; p++) {
        share *to = &s->of[p];
        const int64_t from = r->m * p / size;
        *to = (share){ .own = ir_owned_by(r->rule, r->groups, size, p), .pieces = 1 };
        to->parts =
            r->by != IR_BY_SUM ? to->own.groups > 0 : ir_owned_parts(r->groups, &to->own);
        to->from = from;
        to->piece = to->length = r->m * (p + 1) / size - from;
        if (r->parted >= 0) {
            to->pieces = ir_owned_by(r->rule, r->parted, size, p).groups;
            to->piece = r->parted ? r->m / r->parted : 0;
            to->length = to->pieces * to->piece;
        }
        all += to->parts;
    }
    s->own = &s->of[s->comm->rank];
    return s->all = all;
}

/* The parts, all in the order of their elements, and the places of segments. */
static void
fill_shares(world_sum *s, known *each, char *part)
{
    const rt_reduction *r = s->r;
    int64_t *list = s->lists, n = 0;

    for (int p = 0; p < s->comm->size; p++) {
        share *to = &s->of[p];
        ir_part at = { 0 };
        to->known = each + n;
        for (int64_t k = 0; k < to->parts; k++) {
            if (r->by == IR_BY_SUM)
                ir_owned_part(r->groups, &to->own, &at);
            each[n++] = (known){ at, p, k };
        }
        to->part = part;
        part += (size_t)(to->parts * s->own->length) * cot_dtype_size(s->wide);
        if (r->parted < 0)
            continue;
        const ir_owned own = ir_owned_by(r->rule, r->parted, s->comm->size, p);
        to->list = list;
        ir_owned_list(r->parted, &own, list);
        list += own.groups;
    }
    memcpy(s->known, each, sizeof *each * (size_t)n);
    if (r->by == IR_BY_SUM)
        qsort(s->known, (size_t)n, sizeof *s->known, by_element);
}

static int64_t
longest_segment(const world_sum *s)
{
    int64_t n = 0;

    for (int p = 0; p < s->comm->size; p++)
        n = s->of[p].length > n ? s->of[p].length : n;
    return n;
}

static int
reduce_rows(world_sum *s, const char *x, char *out)
{
    const size_t wide = cot_dtype_size(s->wide);
    const int64_t all = find_shares(s);
    char *parts = malloc((size_t)(all * s->own->length) * wide + 1);
    known *each = malloc(sizeof *each * (size_t)(2 * all + 1));
    int status = RT_WORLD_MEMORY;

    s->fold = malloc(sizeof *s->fold);
    s->values = malloc((size_t)(s->own->parts * s->r->m) * wide + 1);
    s->packed = malloc((size_t)(s->own->parts * longest_segment(s)) * wide + 1);
    s->lists = malloc(sizeof *s->lists * (size_t)(s->r->parted < 0 ? 1 : s->r->parted + 1));
    if (s->fold && s->values && s->packed && s->lists && parts && each) {
        s->fold->t = s->wide;
        s->fold->depth = 0;
        s->known = each + all;
        fill_shares(s, each, parts);
        fold_rows(s, x);
        status = scatter(s);
        if (!status) {
            fold_segment(s, out);
            status = s->r->parted < 0 ? gather(s, out) : 0;
        }
    }
    free(s->fold), free(s->values), free(s->packed), free(s->lists), free(parts), free(each);
    return status;
}

int
rt_world_reduce(const cot_comm *comm, const rt_reduction *r, const void *rows, void *out)
{
    world_sum s = { .comm = comm, .r = r, .wide = rt_wide_type(r->t) };

    s.of = malloc(sizeof *s.of * (size_t)comm->size);
    const int status = s.of ? reduce_rows(&s, rows, out) : RT_WORLD_MEMORY;
    free(s.of);
    return status;
}
