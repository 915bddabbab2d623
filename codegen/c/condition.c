/* Conditions of accesses, and reports of what accesses touch (verify/ranges.h).
 *
 * The condition of an access is the conjunction of its own condition and of the enclosing mask.
 * Where exactly the first few lanes are active, their number is kept instead of a mask. */
#include "codegen/c/emit.h"

/* Report an access v with its condition and the conditions of the enclosing branches. */
void
cg_c_touch(cg_c_emit *e, cg_val v, const cg_c_condition *w, cg_touched x)
{
    x.access = v;
    x.by = cg_apply_both(e->ranges, e->under, w ? w->by : NULL);
    cg_report(e->ranges, &x);
}

/* Report an access of one element for each lane. */
void
cg_c_touch_own(cg_c_emit *e, cg_val v, const cg_c_condition *w)
{
    cg_c_touch(e, v, w, (cg_touched){ .count = 1 });
}

/* Recognise a mask of constants: the first n lanes, or other lanes. */
static bool
constant_mask(cg_c_emit *e, cg_val v, uint32_t set, int c, int lanes, cg_c_condition *out)
{
    const uint32_t own = e->divergence[v];
    const int64_t *at = e->known[v].at;
    int n = 0;

    if (!at || cg_c_lanes(e, own) != lanes)
        return false;
    at += cg_c_copy_for(e, set, c, own) * lanes;
    while (n < lanes && at[n])
        n++;
    for (int l = n; l < lanes; l++)
        if (at[l])
            return false;
    *out = (cg_c_condition){ .when = n == lanes ? CG_C_ALWAYS : CG_C_PART,
                             .lanes = n,
                             .known = true,
                             .text = n == lanes ? NULL : cg_c_format(e, "%d", n),
                             .by = cg_apply(e->ranges, v, true) };
    return true;
}

/* A scalar condition taken from a mask holds if any lane of the mask is active. */
static const cg_applied *
applied_by(cg_c_emit *e, const cg_c_mask *m, int lanes)
{
    if (!m)
        return NULL;
    return lanes == 1 && cg_c_lanes(e, m->set) > 1 ? cg_apply_any(e->ranges, m->by) : m->by;
}

cg_c_condition
cg_c_condition_of(cg_c_emit *e, cg_val when, uint32_t set, int c, int lanes)
{
    const cg_c_mask *m = e->mask;
    const char *mask, *own = NULL;
    cg_c_condition r = { .lanes = lanes };

    if (when && lanes > 1 && cg_c_lanes(e, e->divergence[when]) == 1) {
        r = cg_c_condition_of(e, 0, set, c, lanes);
        r.gate = cg_c_use(e, when, set, c, 1);
        r.gate_by = cg_apply(e->ranges, when, true);
        return r;
    }
    r.by = when ? cg_apply(e->ranges, when, true) : NULL;
    if (when && constant_mask(e, when, set, c, lanes, &r)) {
        if (r.lanes == 0 || !m)
            return r;
        when = r.text ? when : 0;
        r = (cg_c_condition){ .lanes = lanes, .by = r.by };
    }
    r.by = cg_apply_both(e->ranges, r.by, applied_by(e, m, lanes));
    if (!when && m && m->limit && lanes > 1) {
        const int first = lanes * cg_c_copy_for(e, set, c, (uint32_t)1 << e->vector_level);
        r.when = CG_C_PART;
        r.text = cg_c_format(e, first ? "%s - %d" : "%s", m->limit, first);
        return r;
    }
    own = when ? cg_c_use(e, when, set, c, lanes) : NULL;
    mask = cg_c_mask_for(e, m, set, c, lanes);
    r.text = own && mask ? cg_c_format(e, "%s & %s", own, mask) : own ? own : mask;
    r.when = r.text ? CG_C_MASK : CG_C_ALWAYS;
    r.known = !r.text;
    return r;
}

/* The text that tests whether a lane is active, given the variable of cg_c_declare_test; NULL:
 * it always is. */
const char *
cg_c_lane_test(cg_c_emit *e, const cg_c_condition *w, int number, int lane)
{
    if (w->known)
        return NULL;
    return w->when == CG_C_PART ? cg_c_format(e, "%d < w%d", lane, number)
                                : cg_c_format(e, "w%d[%d]", number, lane);
}

/* Declare a variable that holds the active lanes; returns its number. */
int
cg_c_declare_test(cg_c_emit *e, const cg_c_condition *w, int lanes)
{
    const int number = e->serial++;

    if (!w->known)
        cg_c_line(e, "const %s w%d = %s;",
                  w->when == CG_C_PART ? "int64_t" : cg_c_type(e->t, COT_BOOL, lanes), number,
                  w->text);
    return number;
}

/* Report the elements of `lanes` lanes of a vector access of that shape. */
void
cg_c_touch_shape(cg_c_emit *e, cg_val v, const cg_c_condition *w, cg_c_shape shape,
                 int64_t step, int lanes)
{
    if (shape == CG_C_DENSE || shape == CG_C_BACK)
        cg_c_touch(e, v, w,
                   (cg_touched){ .lanes = lanes,
                                 .step = step,
                                 .first = shape == CG_C_BACK ? 1 - lanes : 0,
                                 .count = lanes });
    else if (shape == CG_C_STEP)
        for (int l = 0; l < lanes; l++)
            cg_c_touch(
                e, v, w,
                (cg_touched){
                    .lane = l, .lanes = 1, .step = step, .first = step * l, .count = 1 });
    else
        cg_c_touch_own(e, v, w);
}
