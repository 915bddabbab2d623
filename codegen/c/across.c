/* Instructions across the lanes of a vector loop: scans, and the value of the last lane.
 *
 * The lanes are stored in one vector or in several adjacent ones.  A step of a scan by fewer
 * lanes than a vector has shifts in the last lanes of the preceding vector; a longer step
 * combines whole vectors.  A step updates the last vector first, because each vector reads the
 * preceding one as it was before the step. */
#include "codegen/c/emit.h"

/* The vectors that hold the lanes of a scan. */
typedef struct lanes_of {
    cg_c_emit *e;
    const cg_insn *i;
    const char **name; /* of each vector */
    int n, lanes;
} lanes_of;

static void
combine_into(const lanes_of *x, int u, const char *before)
{
    const cot_dtype t = (cot_dtype)x->i->type;
    const char *in[] = { before, x->name[u] };

    cg_c_line(x->e, "%s = %s;", x->name[u],
              cg_c_bare(x->e->t, cg_c_apply(x->e->t, (ir_sc_op)x->i->imm, t, t, x->lanes, in)));
}

static const char *
moved_up(const lanes_of *x, int u, int by)
{
    cg_c_emit *e = x->e;
    const cot_dtype t = (cot_dtype)x->i->type;
    const char *none = cg_c_constant(e->t, t, cg_neutral_bits((ir_sc_op)x->i->imm, t));
    const char *before =
        u > 0 ? x->name[u - 1] : cg_c_format(e, "%s(%s)", cg_c_splat(e->t, t, x->lanes), none);
    const int number = e->serial++;

    cg_c_line(e, "const %s up%d = %s(%s, %s);", cg_c_type(e->t, t, x->lanes), number,
              cg_c_moved_up(e->t, t, x->lanes, by), before, x->name[u]);
    return cg_c_format(e, "up%d", number);
}

static void
scan(const lanes_of *x)
{
    for (int d = 1; d < x->n * x->lanes; d *= 2)
        for (int u = x->n - 1; u >= 0; u--)
            if (d < x->lanes)
                combine_into(x, u, moved_up(x, u, d));
            else if (u >= d / x->lanes)
                combine_into(x, u, x->name[u - d / x->lanes]);
}

void
cg_c_scan_lanes(cg_c_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    const int own = e->vector_level;
    const uint32_t set = e->divergence[v], others = set & ~((uint32_t)1 << own);
    lanes_of x = { .e = e, .i = i, .n = e->level[own].copies, .lanes = cg_c_lanes(e, set) };

    x.name = IR_NEW_N(e->t->arena, const char *, x.n);
    for (int c = 0; c < cg_c_copies(e, others); c++) {
        for (int u = 0; u < x.n; u++) {
            const int copy = cg_c_copy_at(e, set, others, c, own, u);
            x.name[u] = cg_c_value(e, v, copy);
            cg_c_line(e, "%s %s = %s;", cg_c_type(e->t, (cot_dtype)i->type, x.lanes), x.name[u],
                      cg_c_bare(e->t, cg_c_use(e, i->in[0], set, copy, x.lanes)));
        }
        scan(&x);
    }
}

void
cg_c_last_lane(cg_c_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    const int own = e->vector_level;
    const uint32_t set = e->divergence[v], from = set | (uint32_t)1 << own;
    const int lanes = cg_c_lanes(e, from), last = e->level[own].copies - 1;

    for (int c = 0; c < cg_c_copies(e, set); c++) {
        const char *x =
            cg_c_use(e, i->in[0], from, cg_c_copy_at(e, from, set, c, own, last), lanes);
        cg_c_line(e, "const %s %s = %s%s%s;", cg_c_type(e->t, (cot_dtype)i->type, 1),
                  cg_c_value(e, v, c), x, lanes > 1 ? cg_c_format(e, "[%d]", lanes - 1) : "",
                  lanes > 1 && i->type == COT_BOOL ? " != 0" : "");
    }
}
