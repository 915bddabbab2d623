/* Owners of groups, and the tree of their sums (owner.h). */
#include "ir/owner.h"

enum { LANES = 32, BLOCK = 512, MANY_BLOCKS = 8 };

int64_t
ir_leaves(int64_t groups)
{
    return (groups + BLOCK - 1) / BLOCK * LANES;
}

/* The five bits of a lane's number, reversed. */
static int64_t
reversed(int64_t lane)
{
    int64_t r = 0;

    for (int k = 0; k < 5; k++)
        r |= (lane >> k & 1) << (4 - k);
    return r;
}

int64_t
ir_leaf_size(int64_t groups, int64_t q, int64_t *first)
{
    const int64_t lane = reversed(q % LANES), left = groups - q / LANES * BLOCK,
                  n = left < BLOCK ? left : BLOCK;

    *first = q / LANES * BLOCK + lane;
    return lane < n ? (n - lane - 1) / LANES + 1 : 0;
}

/* A leaf belongs to the process in whose share of 1 / processes its first group is. */
static ir_owned
leaves_of(int64_t groups, int processes, int rank)
{
    const int64_t leaves = ir_leaves(groups);
    ir_owned own = { .from = leaves, .to = leaves };
    int64_t before = 0, first;

    for (int64_t q = 0; q < leaves; q++) {
        const int64_t size = ir_leaf_size(groups, q, &first);
        const int64_t owner = before < groups ? before * processes / groups : processes - 1;

        if (owner == rank && own.from == leaves)
            own.from = q;
        if (owner == rank)
            own.groups += size;
        if (owner > rank && own.from < leaves && own.to == leaves)
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

    return rank < processes && groups / BLOCK / MANY_BLOCKS >= processes ? at / BLOCK * BLOCK
                                                                         : at;
}

static ir_owned
run_of(int64_t groups, int processes, int rank)
{
    const int64_t first = run_start(groups, processes, rank),
                  end = run_start(groups, processes, (int64_t)rank + 1);

    return (ir_owned){ .rule = IR_OWN_RUNS,
                       .from = first / BLOCK * LANES,
                       .to = (end + BLOCK - 1) / BLOCK * LANES,
                       .first = first,
                       .groups = end - first };
}

ir_owned
ir_owned_by(ir_own_rule rule, int64_t groups, int processes, int rank)
{
    return rule == IR_OWN_RUNS ? run_of(groups, processes, rank)
                               : leaves_of(groups, processes, rank);
}

void
ir_owned_list(int64_t groups, const ir_owned *own, int64_t *list)
{
    int64_t first;

    if (own->rule == IR_OWN_RUNS) {
        for (int64_t k = 0; k < own->groups; k++)
            list[k] = own->first + k;
        return;
    }
    for (int64_t q = own->from; q < own->to; q++) {
        const int64_t size = ir_leaf_size(groups, q, &first);
        for (int64_t t = 0; t < size; t++)
            *list++ = first + t * LANES;
    }
}

/* The elements of a leaf below a group. */
static int64_t
elements_below(int64_t first, int64_t size, int64_t group)
{
    const int64_t n = group > first ? (group - first + LANES - 1) / LANES : 0;

    return n < size ? n : size;
}

/* Elements t to t + n - 1 of leaf q are own's; is that all of it? */
static bool
leaf_share(int64_t groups, const ir_owned *own, int64_t q, int64_t *t, int64_t *n)
{
    int64_t first;
    const int64_t size = ir_leaf_size(groups, q, &first);

    *t = 0;
    *n = size;
    if (own->rule == IR_OWN_RUNS) {
        *t = elements_below(first, size, own->first);
        *n = elements_below(first, size, own->first + own->groups) - *t;
    }
    return *n == size;
}

static bool
is_whole(int64_t groups, const ir_owned *own, int64_t q, int64_t end)
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
static ir_part
part_at(int64_t groups, const ir_owned *own, int64_t q, int64_t t, int64_t n, bool whole)
{
    ir_part part = { q, t, t ? 1 : n, 0 };

    for (int64_t size = 1; whole && q % (2 * size) == 0; size *= 2) {
        if (!is_whole(groups, own, q + size, q + 2 * size))
            break;
        part.level++;
    }
    return part;
}

/* A leaf that is absent is behind those that are there, in each node. */
bool
ir_owned_part(int64_t groups, const ir_owned *own, ir_part *part)
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
ir_owned_parts(int64_t groups, const ir_owned *own)
{
    ir_part part = { 0 };
    int64_t n = 0;

    while (own->groups && ir_owned_part(groups, own, &part))
        n++;
    return n;
}
