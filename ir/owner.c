/* Owners of groups, and the tree of their sums (owner.h). */
#include "ir/owner.h"

enum { LANES = 32, BLOCK = 512 };

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
ir_owned
ir_owned_by(int64_t groups, int processes, int rank)
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

void
ir_owned_list(int64_t groups, const ir_owned *own, int64_t *list)
{
    int64_t first;

    for (int64_t q = own->from; q < own->to; q++) {
        const int64_t size = ir_leaf_size(groups, q, &first);
        for (int64_t t = 0; t < size; t++)
            *list++ = first + t * LANES;
    }
}

static bool
is_present(int64_t groups, int64_t q, int64_t end)
{
    int64_t first;

    for (; q < end; q++)
        if (ir_leaf_size(groups, q, &first))
            return true;
    return false;
}

bool
ir_owned_node(int64_t groups, const ir_owned *own, int64_t *q, int *level)
{
    while (*q < own->to) {
        int64_t size = 1;

        for (*level = 0; *q % (2 * size) == 0 && *q + 2 * size <= own->to; ++*level)
            size *= 2;
        if (is_present(groups, *q, *q + size))
            return true;
        *q += size;
    }
    return false;
}

int64_t
ir_owned_nodes(int64_t groups, const ir_owned *own)
{
    int64_t q = own->from, n = 0;
    int level;

    for (; ir_owned_node(groups, own, &q, &level); q += (int64_t)1 << level)
        n++;
    return n;
}
