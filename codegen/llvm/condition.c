/* Conditions of accesses: a scalar one, which holds for all lanes, and one for each lane. */
#include "codegen/llvm/access.h"

cg_ll_truth
cg_ll_truth_and(cg_ll_emit *e, cg_ll_truth x, cg_ll_truth y)
{
    return (cg_ll_truth){ !x.v   ? y.v
                          : !y.v ? x.v
                                 : LLVMBuildAnd(e->b, x.v, y.v, ""),
                          cg_apply_both(e->ranges, x.by, y.by) };
}

cg_ll_truth
cg_ll_truth_any(cg_ll_emit *e, cg_ll_truth lanes)
{
    const cg_ll_copy x = { .v = lanes.v, .wide = true };

    return (cg_ll_truth){ cg_ll_any_lane(e, x), cg_apply_any(e->ranges, lanes.by) };
}

static void
add_condition(cg_ll_emit *e, cg_ll_condition *c, cg_ll_copy x, const cg_applied *by, bool wide)
{
    const cg_ll_truth t = { x.v, by };

    if (x.wide && wide) {
        c->lanes = cg_ll_truth_and(e, c->lanes, t);
        c->limit = NULL;
    } else
        c->scalar = cg_ll_truth_and(e, c->scalar, x.wide ? cg_ll_truth_any(e, t) : t);
}

/* Add the current mask to the condition of an access that varies over `set`.  If the mask
 * varies over more levels, the access happens if any of those copies is active.  A mask that is
 * only the limit of a tail adds nothing to a scalar access, since lane 0 is always active. */
static void
add_mask(cg_ll_emit *e, cg_ll_condition *c, uint32_t set, bool wide)
{
    const cg_ll_mask *m = e->mask;
    uint32_t more = m ? m->lanes.set & ~set : 0;
    int digit[32];
    cg_ll_copy x = { 0 };

    if (!m)
        return;
    if (m->limit && !wide) {
        c->scalar.by = cg_apply_both(e->ranges, c->scalar.by, cg_apply_any(e->ranges, m->by));
        return;
    }
    memcpy(digit, e->digit, sizeof digit);
    for (int i = 0, n = cg_ll_copies(e, more); i < n; i++) {
        cg_ll_seek(e, more, i);
        cg_ll_copy y = *cg_ll_at(e, &m->lanes);
        bool vector = x.wide || y.wide;
        if (x.v)
            y.v = LLVMBuildOr(e->b, cg_ll_as(e, x, vector), cg_ll_as(e, y, vector), "");
        x = (cg_ll_copy){ .v = y.v, .wide = vector };
    }
    memcpy(e->digit, digit, sizeof digit);
    bool alone = !c->lanes.v;
    add_condition(e, c, x, m->by, wide);
    if (alone && m->limit)
        c->limit = m->limit;
}

/* Add a conjunction operand by operand, with those that are uniform over the lanes kept scalar.
 * Otherwise the mask is a vector of a broadcast scalar and a constant, and LLVM 19 then loads
 * without a mask the registers in which the constant is known to be false. */
static void
add_when(cg_ll_emit *e, cg_ll_condition *c, cg_val when, bool wide)
{
    const cg_insn *i = &e->k->insn[when];

    if (i->op == SC_and && i->type == COT_BOOL && wide && cg_ll_get(e, when).wide) {
        add_when(e, c, i->in[0], wide);
        add_when(e, c, i->in[1], wide);
    } else {
        add_condition(e, c, cg_ll_get(e, when), cg_apply(e->ranges, when, true), wide);
    }
}

cg_ll_condition
cg_ll_condition_of(cg_ll_emit *e, cg_val when, uint32_t set, bool wide)
{
    cg_ll_condition c = { 0 };

    if (when)
        add_when(e, &c, when, wide);
    add_mask(e, &c, set, wide);
    return c;
}

cg_ll_truth
cg_ll_condition_lanes(cg_ll_emit *e, const cg_ll_condition *c)
{
    const cg_ll_truth all = { c->scalar.v ? cg_ll_splat(e, c->scalar.v, e->lanes) : NULL,
                              c->scalar.by };

    return cg_ll_truth_and(e, c->lanes, all);
}
