/* The processes that own the groups of an axis together, and their communicator (world.h). */
#include "runtime/support/world.h"

enum { RULE_BITS = 1, AMONG_BITS = 2 };

int64_t
cot_rt_owners_number(cot_rt_own_rule rule, cot_rt_among among, int columns)
{
    if (among == COT_RT_AMONG_ALL)
        return rule;
    return rule | among << RULE_BITS | (int64_t)columns << (RULE_BITS + AMONG_BITS);
}

cot_rt_owners
cot_rt_owners_of(int64_t number, int size, int rank)
{
    const int64_t columns = number >> (RULE_BITS + AMONG_BITS);
    const int among = (int)(number >> RULE_BITS) & ((1 << AMONG_BITS) - 1), n = (int)columns;
    cot_rt_owners o = { (cot_rt_own_rule)(number & ((1 << RULE_BITS) - 1)), size, rank, 0, 1 };

    if (among == COT_RT_AMONG_ALL || columns < 1 || columns > size || size % n)
        return o;
    if (among == COT_RT_AMONG_COLUMN)
        return (cot_rt_owners){ o.rule, size / n, rank / n, rank % n, n };
    return (cot_rt_owners){ o.rule, n, rank % n, rank - rank % n, 1 };
}

static int
partner_of(const cot_rt_subgrid *g, int partner)
{
    return g->owners.first + partner * g->owners.step;
}

static int
exchange(void *user, int partner, const void *send, size_t n_send, void *receive,
         size_t n_receive)
{
    const cot_rt_subgrid *g = user;

    return g->of->exchange(g->of->user, partner_of(g, partner), send, n_send, receive,
                           n_receive);
}

static int64_t
start(void *user, int partner, const void *send, size_t n_send, void *receive, size_t n_receive)
{
    const cot_rt_subgrid *g = user;

    return g->of->start(g->of->user, partner_of(g, partner), send, n_send, receive, n_receive);
}

static int
finish(void *user, int64_t number)
{
    const cot_rt_subgrid *g = user;

    return g->of->wait(g->of->user, number);
}

static void
give_up(void *user)
{
    const cot_rt_subgrid *g = user;

    g->of->abort(g->of->user);
}

const cot_comm *
cot_rt_subgrid_of(cot_rt_subgrid *g, const cot_comm *c, int64_t owners)
{
    g->of = c;
    g->owners = cot_rt_owners_of(owners, c->size, c->rank);
    if (g->owners.size == c->size)
        return c;
    g->comm = (cot_comm){ .user = g,
                          .rank = g->owners.rank,
                          .size = g->owners.size,
                          .exchange = exchange,
                          .abort = c->abort ? give_up : NULL,
                          .start = c->start ? start : NULL,
                          .wait = c->wait ? finish : NULL };
    return &g->comm;
}
