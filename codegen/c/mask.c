/* Masks of active lanes (c.h): from a condition, from the limit of a vector loop, and from
 * both. */
#include "codegen/c/emit.h"

const char *
cg_c_mask_copy(cg_c_emit *e, const cg_c_mask *m, int copy)
{
    return cg_c_format(e, "%s_%d", m->stem, copy);
}

static const char *
any_lane(cg_c_emit *e, const char *x, int lanes)
{
    return lanes == 1 ? x : cg_c_format(e, "%s(%s)", cg_c_any(e->t, lanes), x);
}

const char *
cg_c_mask_for(cg_c_emit *e, const cg_c_mask *m, uint32_t set, int c, int lanes)
{
    const char *all = NULL;

    if (!m || (m->limit && lanes == 1 && !(set & m->set)))
        return NULL;
    const int own = cg_c_lanes(e, m->set);
    const uint32_t both = set | m->set;
    for (int i = 0, n = cg_c_copies(e, both); i < n; i++) {
        if (cg_c_copy_for(e, both, i, set) != c)
            continue;
        const char *x = cg_c_mask_copy(e, m, cg_c_copy_for(e, both, i, m->set));
        x = lanes == 1 ? any_lane(e, x, own)
            : own == 1 ? cg_c_format(e, "%s(%s)", cg_c_splat(e->t, COT_BOOL, lanes), x)
                       : x;
        all = all ? cg_c_format(e, "%s | %s", all, x) : x;
    }
    return strchr(all, '|') ? cg_c_format(e, "(%s)", all) : all;
}

cg_c_mask *
cg_c_mask_new(cg_c_emit *e, uint32_t set)
{
    cg_c_mask *m = IR_NEW(e->t->arena, cg_c_mask);

    *m = (cg_c_mask){ .set = set, .stem = cg_c_format(e, "m%d", e->serial++) };
    return m;
}

/* Declare the mask m and cond, or m and not cond. */
const cg_c_mask *
cg_c_mask_and(cg_c_emit *e, const cg_c_mask *m, cg_val cond, bool negate)
{
    const uint32_t set = e->divergence[cond] | (m ? m->set : 0);
    const int lanes = cg_c_lanes(e, set);
    cg_c_mask *r = cg_c_mask_new(e, set);

    r->by = cg_apply_both(e->ranges, m ? m->by : NULL, cg_apply(e->ranges, cond, !negate));
    for (int c = 0; c < cg_c_copies(e, set); c++) {
        const char *x = cg_c_use(e, cond, set, c, lanes),
                   *y = cg_c_mask_for(e, m, set, c, lanes);
        x = negate ? cg_c_format(e, "%s%s", lanes == 1 ? "!" : "~", x) : x;
        cg_c_line(e, y ? "const %s %s = %s & %s;" : "const %s %s = %s;",
                  cg_c_type(e->t, COT_BOOL, lanes), cg_c_mask_copy(e, r, c), x, y);
    }
    return r;
}

const cg_c_mask *
cg_c_mask_limit(cg_c_emit *e, const cg_c_mask *m, const cg_block *loop)
{
    const cg_val limit = loop->limit;
    const uint32_t set = (uint32_t)1 << e->vector_level | (m ? m->set : 0);
    const int lanes = cg_c_lanes(e, set);
    cg_c_mask *r = cg_c_mask_new(e, set);

    r->by = cg_apply_both(e->ranges, m ? m->by : NULL, cg_apply(e->ranges, loop->var, true));
    r->limit = m ? NULL : cg_c_value(e, limit, 0);
    for (int c = 0; c < cg_c_copies(e, set); c++) {
        const int first = lanes * cg_c_copy_for(e, set, c, (uint32_t)1 << e->vector_level);
        const char *n = cg_c_value(e, limit, 0), *y = cg_c_mask_for(e, m, set, c, lanes), *x;
        x = lanes == 1 ? cg_c_format(e, "(%d < %s)", first, n)
                       : cg_c_format(e, "%s(%s, %d)", cg_c_below(e->t, lanes, false), n, first);
        cg_c_line(e, y ? "const %s %s = %s & %s;" : "const %s %s = %s;",
                  cg_c_type(e->t, COT_BOOL, lanes), cg_c_mask_copy(e, r, c), x, y);
    }
    return r;
}

/* The text that tests whether any lane of any copy is active. */
const char *
cg_c_mask_any(cg_c_emit *e, const cg_c_mask *m)
{
    const int lanes = cg_c_lanes(e, m->set);
    const char *all = NULL;

    for (int c = 0; c < cg_c_copies(e, m->set); c++)
        all = all ? cg_c_format(e, "%s | %s", all, cg_c_mask_copy(e, m, c))
                  : cg_c_mask_copy(e, m, c);
    return any_lane(e, all, lanes);
}
