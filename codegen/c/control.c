/* if and while.
 *
 * Where a condition differs from lane to lane, a region runs if any active lane takes it, under
 * the mask of those lanes, and results are selected lane by lane. */
#include "codegen/c/emit.h"

/* Write "v = x" for all copies of a yield, whose result varies over set. */
static void
take(cg_c_emit *e, const char *stem, cg_val v, uint32_t set, cot_dtype type, bool declare)
{
    const int lanes = cg_c_lanes(e, set);

    for (int c = 0; c < cg_c_copies(e, set); c++)
        if (declare)
            cg_c_line(e, lanes > 1 ? "%s %s_%d = { 0 };" : "%s %s_%d = 0;",
                      cg_c_type(e->t, type, lanes), stem, c);
        else
            cg_c_line(e, "%s_%d = %s;", stem, c, cg_c_use(e, v, set, c, lanes));
}

/* Write one branch under its mask; the copies of yield i are variables stem[i]_c.  An empty
 * branch needs no variables, since its yields are values from outside. */
static void
run_masked(cg_c_emit *e, const cg_block *x, bool other, const char **stem)
{
    const cg_region *r = other ? &x->other : &x->body;
    const cg_c_mask *outer = e->mask, *m;
    const int number = e->serial++;

    if (r->n == 0)
        return;
    for (int i = 0; i < x->n; i++) {
        stem[i] = cg_c_format(e, "%s%d_%d", other ? "other" : "then", number, i);
        take(e, stem[i], 0, e->divergence[x->result[i]], x->yield[i].type, true);
    }
    m = cg_c_mask_and(e, e->mask, x->cond, other);
    cg_c_line(e, "if (%s) {", cg_c_mask_any(e, m));
    e->indent++;
    e->mask = m;
    cg_c_region(e, r, NULL);
    e->mask = outer;
    for (int i = 0; i < x->n; i++)
        take(e, stem[i], other ? x->yield[i].init : x->yield[i].value,
             e->divergence[x->result[i]], x->yield[i].type, false);
    e->indent--;
    cg_c_line(e, "}");
}

/* The value that a branch yields for copy c of result i. */
static const char *
side(cg_c_emit *e, const cg_block *x, bool other, const char *stem, int i, int c)
{
    const uint32_t set = e->divergence[x->result[i]];

    if ((other ? x->other : x->body).n > 0)
        return cg_c_format(e, "%s_%d", stem, c);
    return cg_c_use(e, other ? x->yield[i].init : x->yield[i].value, set, c,
                    cg_c_lanes(e, set));
}

/* Write the selection for copy c of result i: where lanes take the branch, else the rest. */
static const char *
selected(cg_c_emit *e, const cg_block *x, int i, int c, const char *taken, const char *rest)
{
    const uint32_t set = e->divergence[x->result[i]];
    const int lanes = cg_c_lanes(e, set);
    const cot_dtype type = x->yield[i].type;
    const char *in[3] = { cg_c_use(e, x->cond, set, c, lanes), taken, rest };

    return cg_c_apply(e->t, SC_select, type, type, lanes, in);
}

/* A branch whose other side has no code: results are values from outside until some lane takes
 * it. */
static void
if_alone(cg_c_emit *e, const cg_block *x)
{
    const cg_c_mask *outer = e->mask, *m = cg_c_mask_and(e, e->mask, x->cond, false);

    for (int i = 0; i < x->n; i++) {
        const uint32_t set = e->divergence[x->result[i]];
        for (int c = 0; c < cg_c_copies(e, set); c++)
            cg_c_line(e, "%s %s = %s;", cg_c_type(e->t, x->yield[i].type, cg_c_lanes(e, set)),
                      cg_c_value(e, x->result[i], c), side(e, x, true, "", i, c));
    }
    cg_c_line(e, "if (%s) {", cg_c_mask_any(e, m));
    e->indent++;
    e->mask = m;
    cg_c_region(e, &x->body, NULL);
    e->mask = outer;
    for (int i = 0; i < x->n; i++) {
        const uint32_t set = e->divergence[x->result[i]];
        for (int c = 0; c < cg_c_copies(e, set); c++) {
            const char *result = cg_c_value(e, x->result[i], c),
                       *taken = cg_c_use(e, x->yield[i].value, set, c, cg_c_lanes(e, set));
            cg_c_line(e, "%s = %s;", result, selected(e, x, i, c, taken, result));
        }
    }
    e->indent--;
    cg_c_line(e, "}");
}

static void
if_varying(cg_c_emit *e, const cg_block *x)
{
    const char **then = IR_NEW_N(e->t->arena, const char *, x->n + 1),
               **other = IR_NEW_N(e->t->arena, const char *, x->n + 1);

    run_masked(e, x, false, then);
    run_masked(e, x, true, other);
    for (int i = 0; i < x->n; i++) {
        const uint32_t set = e->divergence[x->result[i]];
        for (int c = 0; c < cg_c_copies(e, set); c++)
            cg_c_line(e, "const %s %s = %s;",
                      cg_c_type(e->t, x->yield[i].type, cg_c_lanes(e, set)),
                      cg_c_value(e, x->result[i], c),
                      selected(e, x, i, c, side(e, x, false, then[i], i, c),
                               side(e, x, true, other[i], i, c)));
    }
}

/* Write a region that is executed if cond holds, or (holds = false) if it does not. */
static void
region_under(cg_c_emit *e, const cg_region *r, cg_val cond, bool holds)
{
    const cg_applied *outer = e->under;

    e->under = cg_apply_both(e->ranges, outer, cg_apply(e->ranges, cond, holds));
    cg_c_region(e, r, NULL);
    e->under = outer;
}

void
cg_c_if(cg_c_emit *e, const cg_block *x)
{
    if (e->divergence[x->cond]) {
        (x->body.n > 0 && x->other.n == 0 ? if_alone : if_varying)(e, x);
        return;
    }
    for (int i = 0; i < x->n; i++)
        cg_c_declare(e, x->result[i], x->yield[i].type);
    cg_c_line(e, "if (%s) {", cg_c_value(e, x->cond, 0));
    e->indent++;
    region_under(e, &x->body, x->cond, true);
    for (int i = 0; i < x->n; i++)
        cg_c_assign(e, x->result[i], x->yield[i].value);
    e->indent--;
    if (x->other.n || x->n) {
        cg_c_line(e, "} else {");
        e->indent++;
        region_under(e, &x->other, x->cond, false);
        for (int i = 0; i < x->n; i++)
            cg_c_assign(e, x->result[i], x->yield[i].init);
        e->indent--;
    }
    cg_c_line(e, "}");
}

/* Assign all carried values at once, since the new value of one may use the old value of
 * another. */
static void
next_carries(cg_c_emit *e, const cg_block *x, const cg_c_mask *go)
{
    for (int i = 0; i < x->n; i++) {
        const uint32_t set = e->divergence[x->yield[i].carried];
        const int lanes = cg_c_lanes(e, set);
        const cot_dtype type = x->yield[i].type;
        for (int c = 0; c < cg_c_copies(e, set); c++) {
            const char *s = cg_c_value(e, x->yield[i].carried, c),
                       *v = cg_c_use(e, x->yield[i].value, set, c, lanes),
                       *m = cg_c_mask_for(e, go, set, c, lanes);
            if (m)
                v = cg_c_apply(e->t, SC_select, type, type, lanes,
                               (const char *const[]){ m, v, s });
            cg_c_line(e, "const %s next_%s = %s;", cg_c_type(e->t, type, lanes), s, v);
        }
    }
    for (int i = 0; i < x->n; i++)
        for (int c = 0; c < cg_c_copies(e, e->divergence[x->yield[i].carried]); c++) {
            const char *s = cg_c_value(e, x->yield[i].carried, c);
            cg_c_line(e, "%s = next_%s;", s, s);
        }
}

/* Declare the mask of lanes that take another step, which the loop updates. */
static cg_c_mask *
begin_active(cg_c_emit *e, const cg_block *x)
{
    const uint32_t set = e->divergence[x->cond] | (e->mask ? e->mask->set : 0);
    const int lanes = cg_c_lanes(e, set);
    cg_c_mask *active = cg_c_mask_new(e, set);

    active->by = e->mask ? e->mask->by : NULL;
    for (int c = 0; c < cg_c_copies(e, set); c++) {
        const char *m = cg_c_mask_for(e, e->mask, set, c, lanes);
        if (!m)
            m = lanes == 1 ? "1" : cg_c_format(e, "%s(1)", cg_c_splat(e->t, COT_BOOL, lanes));
        cg_c_line(e, "%s %s = %s;", cg_c_type(e->t, COT_BOOL, lanes),
                  cg_c_mask_copy(e, active, c), m);
    }
    return active;
}

static void
while_varying(cg_c_emit *e, const cg_block *x)
{
    const cg_c_mask *outer = e->mask, *go;
    cg_c_mask *active = begin_active(e, x);

    cg_c_line(e, "for (;;) {");
    e->indent++;
    e->mask = active;
    cg_c_region(e, &x->other, NULL);
    go = cg_c_mask_and(e, active, x->cond, false);
    cg_c_line(e, "if (!(%s))", cg_c_mask_any(e, go));
    cg_c_line(e, "    break;");
    cg_c_check_cancel(e);
    e->mask = go;
    cg_c_region(e, &x->body, NULL);
    e->mask = outer;
    next_carries(e, x, go);
    for (int c = 0; c < cg_c_copies(e, active->set); c++)
        cg_c_line(e, "%s = %s;", cg_c_mask_copy(e, active, c), cg_c_mask_copy(e, go, c));
    e->indent--;
    cg_c_line(e, "}");
}

void
cg_c_while(cg_c_emit *e, const cg_block *x)
{
    for (int i = 0; i < x->n; i++) {
        cg_c_define(e, x->yield[i].carried, x->yield[i].init, x->yield[i].type);
    }
    if (e->divergence[x->cond])
        while_varying(e, x);
    else {
        cg_c_line(e, "for (;;) {");
        e->indent++;
        cg_c_region(e, &x->other, NULL);
        cg_c_line(e, "if (!%s)", cg_c_value(e, x->cond, 0));
        cg_c_line(e, "    break;");
        cg_c_check_cancel(e);
        region_under(e, &x->body, x->cond, true);
        next_carries(e, x, NULL);
        e->indent--;
        cg_c_line(e, "}");
    }
    for (int i = 0; i < x->n; i++)
        cg_c_alias(e, x->result[i], x->yield[i].carried);
}
