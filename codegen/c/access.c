/* Loads and stores (c.h).
 *
 * How the index moves from lane to lane decides: not at all, one element; by one, a vector; by a
 * constant, elements that far apart; otherwise an element for each lane. */
#include "codegen/c/emit.h"

/* Under what copy c of an access happens: no lane, the first `lanes` of them, or as text says. */
typedef struct condition {
    cg_c_when when;
    int lanes; /* that may be active */
    bool known; /* they are */
    const char *text; /* a mask, a truth, or a number of lanes; NULL: always */
} condition;

/* A mask of constants: the first n lanes, or others. */
static bool
constant_mask(cg_c_emit *e, cg_val v, uint32_t set, int c, int lanes, condition *out)
{
    const uint32_t own = e->vary[v];
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
    *out = (condition){ n == lanes ? CG_C_ALWAYS : CG_C_PART, n, true, n == lanes ? NULL : cg_c_say(e, "%d", n) };
    return true;
}

static condition
condition_of(cg_c_emit *e, cg_val when, uint32_t set, int c, int lanes)
{
    const cg_c_mask *m = e->mask;
    const char *mask, *own = NULL;
    condition r = { .lanes = lanes };

    if (when && constant_mask(e, when, set, c, lanes, &r)) {
        if (r.lanes == 0 || !m)
            return r;
        when = r.text ? when : 0;
        r = (condition){ .lanes = lanes };
    }
    if (!when && m && m->limit && lanes > 1) {
        const int first = lanes * cg_c_copy_for(e, set, c, (uint32_t)1 << e->vector_level);
        return (condition){ CG_C_PART, lanes, false, cg_c_say(e, first ? "%s - %d" : "%s", m->limit, first) };
    }
    own = when ? cg_c_use(e, when, set, c, lanes) : NULL;
    mask = cg_c_mask_for(e, m, set, c, lanes);
    r.text = own && mask ? cg_c_say(e, "%s & %s", own, mask) : own ? own : mask;
    r.when = r.text ? CG_C_MASK : CG_C_ALWAYS;
    r.known = !r.text;
    return r;
}

/* The pointer and what follows it, "x + v3, 4"; NULL: a scalar and constants say where each lane is. */
static const char *
place(cg_c_emit *e, const char *buffer, cg_val index, uint32_t set, int c, int lanes, const condition *w,
      cg_c_shape *shape)
{
    const bool constant = e->known[index].at || e->known[index].slope || cg_c_lanes(e, e->vary[index]) == 1;
    const char *first;
    int64_t step;

    if (cg_c_is_even(e, index, set, c, w->lanes, &step)) {
        first = cg_c_at_lane(e, index, set, c, 0);
        *shape = step == 1 ? CG_C_DENSE : step == -1 ? CG_C_BACK : CG_C_STEP;
        first = strcmp(first, "0") == 0 ? buffer : cg_c_say(e, "%s + %s", buffer, first);
        return *shape == CG_C_STEP ? cg_c_say(e, "%s, %s", first, cg_c_int(e, step)) : first;
    }
    *shape = CG_C_AT;
    if (constant)
        return NULL;
    return cg_c_say(e, "%s, %s", buffer, cg_c_use(e, index, set, c, lanes));
}

/* Whether a lane is active, of what `w` says in a variable of its own; NULL: it is. */
static const char *
lane_test(cg_c_emit *e, const condition *w, int number, int lane)
{
    if (w->known)
        return NULL;
    return w->when == CG_C_PART ? cg_c_say(e, "%d < w%d", lane, number) : cg_c_say(e, "w%d[%d]", number, lane);
}

/* Declare it; its number. */
static int
declare_test(cg_c_emit *e, const condition *w, int lanes)
{
    const int number = e->serial++;

    if (!w->known)
        cg_c_line(e, "const %s w%d = %s;", w->when == CG_C_PART ? "int64_t" : cg_c_type(e->t, COT_BOOL, lanes), number,
                  w->text);
    return number;
}

static const char *
lane_by_lane(cg_c_emit *e, const cg_insn *i, uint32_t set, int c, int lanes, const condition *w)
{
    const char *s = cg_c_say(e, "(%s){", cg_c_type(e->t, (cot_dtype)i->type, lanes));
    const int number = declare_test(e, w, lanes);

    for (int l = 0; l < lanes; l++) {
        const char *x = cg_c_say(e, "%s[%s]", e->buffer[i->imm], cg_c_at_lane(e, i->in[0], set, c, l)),
                   *m = lane_test(e, w, number, l);
        if (l >= w->lanes)
            x = "0";
        else if (i->type == COT_BOOL)
            x = cg_c_say(e, "-(%s != 0)", x);
        x = m ? cg_c_say(e, "%s ? %s : 0", m, x) : x;
        s = cg_c_say(e, "%s%s %s", s, l ? "," : "", x);
    }
    return cg_c_say(e, "%s }", s);
}

static const char *
loaded(cg_c_emit *e, const cg_insn *i, uint32_t set, int c, int lanes)
{
    const cot_dtype type = (cot_dtype)i->type;
    const char *buffer = e->buffer[i->imm], *at;
    const condition w = condition_of(e, i->in[1], set, c, lanes);
    cg_c_shape shape;

    if (w.lanes == 0)
        return lanes == 1 ? "0" : cg_c_say(e, "(%s){ 0 }", cg_c_type(e->t, type, lanes));
    if (lanes == 1)
        return cg_c_say(e, w.text ? "%3$s ? %1$s[%2$s] : 0" : "%1$s[%2$s]", buffer, cg_c_use(e, i->in[0], set, c, 1),
                        w.text ? w.text : "");
    at = place(e, buffer, i->in[0], set, c, lanes, &w, &shape);
    if (!at)
        return lane_by_lane(e, i, set, c, lanes, &w);
    return cg_c_say(e, w.text ? "%s(%s, %s)" : "%s(%s)", cg_c_load(e->t, type, lanes, shape, w.when), at,
                    w.text ? w.text : "");
}

void
cg_c_load_insn(cg_c_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    const uint32_t set = e->vary[v];
    const int lanes = cg_c_lanes(e, set);

    for (int c = 0; c < cg_c_copies(e, set); c++)
        cg_c_line(e, "const %s %s = %s;", cg_c_type(e->t, (cot_dtype)i->type, lanes), cg_c_value(e, v, c),
                  loaded(e, i, set, c, lanes));
}

static void
store_scalar(cg_c_emit *e, const cg_insn *i, uint32_t set, int c, const condition *w)
{
    if (w->text)
        cg_c_line(e, "if (%s)", w->text);
    cg_c_line(e, "%s%s[%s] = %s;", w->text ? "    " : "", e->buffer[i->imm], cg_c_use(e, i->in[0], set, c, 1),
              cg_c_use(e, i->in[1], set, c, 1));
}

static void
store_lanes(cg_c_emit *e, const cg_insn *i, uint32_t set, int c, int lanes, const condition *w)
{
    const char *x = cg_c_use(e, i->in[1], set, c, lanes), *s = cg_c_say(e, "x%d", e->serial++);

    const int number = declare_test(e, w, lanes);

    cg_c_line(e, "const %s %s = %s;", cg_c_type(e->t, (cot_dtype)i->type, lanes), s, x);
    for (int l = 0; l < w->lanes; l++) {
        const char *m = lane_test(e, w, number, l);
        if (m)
            cg_c_line(e, "if (%s)", m);
        cg_c_line(e, i->type == COT_BOOL ? "%s[%s] = %s[%d] != 0;" : "%s[%s] = %s[%d];", e->buffer[i->imm],
                  cg_c_at_lane(e, i->in[0], set, c, l), s, l);
    }
}

void
cg_c_store_insn(cg_c_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    const uint32_t set = e->vary[i->in[0]] | e->vary[i->in[1]] | (i->in[2] ? e->vary[i->in[2]] : 0);
    const int lanes = cg_c_lanes(e, set);

    for (int c = 0; c < cg_c_copies(e, set); c++) {
        const condition w = condition_of(e, i->in[2], set, c, lanes);
        cg_c_shape shape;
        if (w.lanes == 0)
            continue;
        if (lanes == 1) {
            store_scalar(e, i, set, c, &w);
            continue;
        }
        const char *at = place(e, e->buffer[i->imm], i->in[0], set, c, lanes, &w, &shape);
        if (at)
            cg_c_line(e, w.text ? "%s(%s, %s, %s);" : "%s(%s, %s);",
                      cg_c_store(e->t, (cot_dtype)i->type, lanes, shape, w.when), at,
                      cg_c_use(e, i->in[1], set, c, lanes), w.text ? w.text : "");
        else
            store_lanes(e, i, set, c, lanes, &w);
    }
}
