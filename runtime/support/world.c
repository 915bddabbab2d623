/* Messages between processes, and what a shipped program begins with (world.h).
 *
 * All go over pairs of processes in P rounds: in round r process p meets (r - p) mod P, so that
 * each meets each once and no two wait in a circle. */
#include "runtime/support/world.h"

#include <string.h>

enum { NOTHING = -1 }; /* the number of an exchange that is over when it is begun */

int
cot_rt_world_partner(const cot_comm *c, int round)
{
    return (round - c->rank + c->size) % c->size;
}

int
cot_rt_world_exchange(const cot_comm *c, int partner, const void *send, size_t n_send,
                      void *receive, size_t n_receive)
{
    if (n_send == 0 && n_receive == 0)
        return 0;
    return c->exchange(c->user, partner, send, n_send, receive, n_receive) == 0
               ? 0
               : COT_RT_WORLD_FAILED;
}

bool
cot_rt_world_starts(const cot_comm *c)
{
    return c->start && c->wait;
}

int
cot_rt_world_start(const cot_comm *c, int partner, const void *send, size_t n_send,
                   void *receive, size_t n_receive, int64_t *number)
{
    *number = NOTHING;
    if (!cot_rt_world_starts(c))
        return cot_rt_world_exchange(c, partner, send, n_send, receive, n_receive);
    if (n_send == 0 && n_receive == 0)
        return 0;
    *number = c->start(c->user, partner, send, n_send, receive, n_receive);
    return *number >= 0 ? 0 : COT_RT_WORLD_FAILED;
}

int
cot_rt_world_wait(const cot_comm *c, int64_t number)
{
    if (number == NOTHING)
        return 0;
    return c->wait(c->user, number) == 0 ? 0 : COT_RT_WORLD_FAILED;
}

int
cot_rt_world_given_up(const cot_comm *c, int status)
{
    if (status && c->abort)
        c->abort(c->user);
    return status;
}

typedef struct compared {
    int64_t at[COT_RT_WORLD_COMPARED];
} compared;

/* Exchanges numbers with the partners of rounds `from` to `to`.  If one fails, the others are
 * given up before their memory, which is of the caller, is. */
static int
exchange_numbers(const cot_comm *c, int from, int to, const compared *own, compared *their)
{
    int64_t number[COT_RT_WORLD_AT_ONCE];
    int status = 0;

    for (int r = from; r < to && !status; r++) {
        const int p = cot_rt_world_partner(c, r);
        number[r - from] = NOTHING;
        their[r - from] = *own;
        if (p != c->rank)
            status = cot_rt_world_start(c, p, own, sizeof *own, &their[r - from], sizeof *own,
                                        &number[r - from]);
    }
    for (int r = from; r < to && !status; r++)
        status = cot_rt_world_wait(c, number[r - from]);
    return cot_rt_world_given_up(c, status);
}

int
cot_rt_world_compare(const cot_comm *c, const int64_t *own, int *process, int *differs)
{
    compared mine, their[COT_RT_WORLD_AT_ONCE];

    *process = -1;
    memcpy(mine.at, own, sizeof mine.at);
    for (int from = 0; from < c->size; from += COT_RT_WORLD_AT_ONCE) {
        const int end = from + COT_RT_WORLD_AT_ONCE, to = end < c->size ? end : c->size;
        if (exchange_numbers(c, from, to, &mine, their))
            return COT_RT_WORLD_FAILED;
        for (int r = from; r < to; r++)
            for (int k = 0; k < COT_RT_WORLD_COMPARED; k++) {
                if (their[r - from].at[k] == own[k])
                    continue;
                *process = cot_rt_world_partner(c, r);
                *differs = k;
                return COT_RT_WORLD_FAILED;
            }
    }
    return 0;
}

/* A word at a time, of which each bit changes half of the hash: the steps are those of
 * MurmurHash3's finalizer (Appleby, 2011). */
int
cot_rt_world_note(const void *x, const int64_t *before, int64_t *out, int64_t bytes)
{
    uint64_t hash = (uint64_t)*before ^ (uint64_t)bytes;

    for (int64_t at = 0; at < bytes; at += 8) {
        const int64_t left = bytes - at;
        uint64_t word = 0;
        memcpy(&word, (const char *)x + at, (size_t)(left < 8 ? left : 8));
        hash ^= word;
        hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdu;
        hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53u;
        hash ^= hash >> 33;
    }
    *out = (int64_t)hash;
    return 0;
}

/* The body for this process; -1: there is none for so many. */
static int32_t
body_of(int size, int rank, const int64_t *table, int64_t entries)
{
    for (int64_t i = 0; i < entries; i += 1 + table[i])
        if (table[i] == size)
            return rank >= 0 && rank < size ? (int32_t)table[i + 1 + rank] : -1;
    return size == 1 ? 0 : -1;
}

int
cot_rt_world_begin(const void *comm, const int64_t *table, const int64_t *noted, int32_t *body,
                   int64_t entries, int64_t hash)
{
    const cot_comm *c = comm;
    const int64_t own[COT_RT_WORLD_COMPARED] = { hash, *noted };
    int process, differs;

    *body = body_of(c ? c->size : 1, c ? c->rank : 0, table, entries);
    if (*body >= 0 && (!c || c->size < 2 || !cot_rt_world_compare(c, own, &process, &differs)))
        return 0;
    if (c && c->abort)
        c->abort(c->user);
    return COT_RT_WORLD_FAILED;
}

int
cot_rt_world_rows(const void *comm, int64_t *out, int64_t owners, int64_t groups)
{
    const cot_comm *c = comm;
    const cot_rt_owners o = cot_rt_owners_of(owners, c->size, c->rank);
    const cot_rt_owned own = cot_rt_owned_by(o.rule, groups, o.size, o.rank);

    cot_rt_owned_list(groups, &own, out);
    return 0;
}
