/* Who owns which groups, and the parts of a sum (owner.h). */
#include "runtime/support/owner.h"

int64_t
cot_rt_leaves(int64_t groups)
{
    return (groups + COT_RT_BLOCK - 1) / COT_RT_BLOCK * COT_RT_LANES;
}

/* The five bits of a lane's number, reversed. */
static int64_t
lane_reversed(int64_t lane)
{
    static const uint8_t r[COT_RT_LANES] = { 0,  16, 8,  24, 4,  20, 12, 28, 2,  18, 10,
                                         26, 6,  22, 14, 30, 1,  17, 9,  25, 5,  21,
                                         13, 29, 3,  19, 11, 27, 7,  23, 15, 31 };

    return r[lane];
}

int64_t
cot_rt_leaf_size(int64_t groups, int64_t q, int64_t *first)
{
    const int64_t lane = lane_reversed(q % COT_RT_LANES),
                  left = groups - q / COT_RT_LANES * COT_RT_BLOCK,
                  n = left < COT_RT_BLOCK ? left : COT_RT_BLOCK;

    *first = q / COT_RT_LANES * COT_RT_BLOCK + lane;
    return lane < n ? (n - lane - 1) / COT_RT_LANES + 1 : 0;
}

int
cot_rt_leaf_owner(int64_t groups, int processes, int64_t q, int64_t before)
{
    const bool power = (processes & (processes - 1)) == 0;

    if (power && processes <= COT_RT_LANES && groups <= COT_RT_BLOCK)
        return (int)(q * processes / COT_RT_LANES);
    return (int)(before * processes / groups);
}

/* Leaves that are absent belong to the process of the one before them, so that they end no
 * node. */
static cot_rt_owned
owned_leaves(int64_t groups, int processes, int rank)
{
    const int64_t leaves = cot_rt_leaves(groups);
    cot_rt_owned own = { .from = leaves, .to = leaves };
    int64_t before = 0, first;

    for (int64_t q = 0; q < leaves && own.to == leaves; q++) {
        const int64_t size = cot_rt_leaf_size(groups, q, &first);
        if (size == 0)
            continue;
        const int owner = cot_rt_leaf_owner(groups, processes, q, before);
        if (owner == rank) {
            own.from = own.groups ? own.from : q;
            own.groups += size;
        } else if (own.groups)
            own.to = q;
        before += size;
    }
    return own;
}

/* The first group of a process, or of the one behind the last. */
static int64_t
run_start(int64_t groups, int processes, int64_t rank)
{
    const int64_t at = groups / processes * rank + groups % processes * rank / processes;

    return rank < processes && groups / COT_RT_BLOCK / COT_RT_MANY_BLOCKS >= processes
               ? at / COT_RT_BLOCK * COT_RT_BLOCK
               : at;
}

static cot_rt_owned
owned_run(int64_t groups, int processes, int rank)
{
    const int64_t first = run_start(groups, processes, rank),
                  end = run_start(groups, processes, (int64_t)rank + 1);

    return (cot_rt_owned){ .rule = COT_RT_OWN_RUNS,
                       .from = first / COT_RT_BLOCK * COT_RT_LANES,
                       .to = (end + COT_RT_BLOCK - 1) / COT_RT_BLOCK * COT_RT_LANES,
                       .first = first,
                       .groups = end - first };
}

cot_rt_owned
cot_rt_owned_by(cot_rt_own_rule rule, int64_t groups, int processes, int rank)
{
    return rule == COT_RT_OWN_RUNS ? owned_run(groups, processes, rank)
                               : owned_leaves(groups, processes, rank);
}

void
cot_rt_owned_list(int64_t groups, const cot_rt_owned *own, int64_t *list)
{
    int64_t first;

    if (own->rule == COT_RT_OWN_RUNS) {
        for (int64_t k = 0; k < own->groups; k++)
            list[k] = own->first + k;
        return;
    }
    for (int64_t q = own->from; q < own->to; q++) {
        const int64_t size = cot_rt_leaf_size(groups, q, &first);
        for (int64_t t = 0; t < size; t++)
            *list++ = first + t * COT_RT_LANES;
    }
}

/* The elements of a leaf below a group. */
static int64_t
elements_below(int64_t first, int64_t size, int64_t group)
{
    const int64_t n = group > first ? (group - first + COT_RT_LANES - 1) / COT_RT_LANES : 0;

    return n < size ? n : size;
}

/* Elements t to t + n - 1 of leaf q are own's; is that all of it? */
static bool
leaf_share(int64_t groups, const cot_rt_owned *own, int64_t q, int64_t *t, int64_t *n)
{
    int64_t first;
    const int64_t size = cot_rt_leaf_size(groups, q, &first);

    *t = 0;
    *n = size;
    if (own->rule == COT_RT_OWN_RUNS) {
        *t = elements_below(first, size, own->first);
        *n = elements_below(first, size, own->first + own->groups) - *t;
    }
    return *n == size;
}

static bool
node_is_whole(int64_t groups, const cot_rt_owned *own, int64_t q, int64_t end)
{
    int64_t t, n;

    if (end > own->to)
        return false;
    for (; q < end; q++)
        if (!leaf_share(groups, own, q, &t, &n))
            return false;
    return true;
}

/* The part that begins at element t of leaf q, of which the process has n. */
static cot_rt_sum_part
part_at(int64_t groups, const cot_rt_owned *own, int64_t q, int64_t t, int64_t n, bool whole)
{
    cot_rt_sum_part part = { q, t, t ? 1 : n, 0 };

    for (int64_t size = 1; whole && q % (2 * size) == 0; size *= 2) {
        if (!node_is_whole(groups, own, q + size, q + 2 * size))
            break;
        part.level++;
    }
    return part;
}

bool
cot_rt_owned_part(int64_t groups, const cot_rt_owned *own, cot_rt_sum_part *part)
{
    int64_t q = part->n ? part->q : own->from, t, n;

    if (part->n && part->t) {
        leaf_share(groups, own, q, &t, &n);
        if (part->t + 1 < t + n) {
            part->t++;
            return true;
        }
    }
    for (q += part->n ? (int64_t)1 << part->level : 0; q < own->to; q++) {
        const bool whole = leaf_share(groups, own, q, &t, &n);
        if (n == 0)
            continue;
        *part = part_at(groups, own, q, t, n, whole);
        return true;
    }
    return false;
}

int64_t
cot_rt_owned_parts(int64_t groups, const cot_rt_owned *own)
{
    cot_rt_sum_part part = { 0 };
    int64_t n = 0;

    while (own->groups && cot_rt_owned_part(groups, own, &part))
        n++;
    return n;
}
