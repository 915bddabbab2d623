/* Values that need no variable (emit.h).
 *
 * The text of a value replaces its variable if the value is used once, in the same region and
 * for the same copies, if no instruction in between may change what it reads, and if the text
 * is short.  A sum or product of indices may be used several times.  A value that is another
 * name of one needs no variable either; nor does a carried value that is, since it changes only
 * at the end of its loop. */
#include "codegen/c/emit.h"
#include "codegen/tuning.h"

static void
note(cg_c_emit *e, cg_val v, uint32_t at, cg_val by)
{
    if (v)
        e->use[v] = (cg_c_use_at){ at, by };
}

/* Find nearby loads of adjacent elements; e->pair says which of the two comes first. */
static void
note_pairs(cg_c_emit *e, const cg_region *r)
{
    cg_val load[CG_C_PAIR_DISTANCE] = { 0 };
    uint32_t seen = 0;

    for (uint32_t n = 0; n < r->n; n++) {
        const cg_val v = r->insn[n];
        e->pair[v] = 0;
        if (e->k->insn[v].op != CG_LOAD)
            continue;
        for (int i = 0; i < CG_C_PAIR_DISTANCE && !e->pair[v]; i++)
            for (int by = -1; by <= 1 && load[i] && !e->pair[v]; by += 2)
                if (!e->pair[load[i]] && cg_are_adjacent(e->k, v, load[i], by)) {
                    e->pair[v] = (int8_t)by;
                    e->pair[load[i]] = (int8_t)-by;
                }
        load[seen++ % CG_C_PAIR_DISTANCE] = v;
    }
}

void
cg_c_note_uses(cg_c_emit *e, const cg_region *r, const cg_block *around)
{
    uint32_t effect = UINT32_MAX;

    cg_c_count_picks(e, r);
    note_pairs(e, r);
    for (uint32_t n = r->n; n-- > 0;) {
        const cg_insn *i = &e->k->insn[r->insn[n]];
        e->next_effect[r->insn[n]] = effect;
        if (effect != UINT32_MAX && cg_are_adjacent(e->k, r->insn[n], r->insn[effect], 1))
            e->adjacent[r->insn[n]] = e->adjacent[r->insn[effect]] = true;
        if (i->op >= CG_STORE)
            effect = n;
        e->place[r->insn[n]] = n;
        if (i->op < SC_COUNT || (i->op >= CG_LOAD && i->op <= CG_STORE))
            for (int k = 0; k < 3; k++)
                note(e, i->in[k], n, r->insn[n]);
    }
    for (int i = 0;
         around && r == &around->body && i < around->n && !cg_has_mode(around, CG_FOLD); i++)
        note(e, around->yield[i].value, r->n, 0);
}

static bool
is_index_sum(const cg_insn *i)
{
    return i->type == COT_I64 && (i->op == SC_add || i->op == SC_sub || i->op == SC_mul);
}

/* Is u the next step of several independent sums?  All copies of one step are written before
 * those of the next; otherwise the compiler may interleave them and exceed the registers. */
static bool
is_step(const cg_c_emit *e, cg_val v, const cg_insn *u)
{
    return u->op == SC_fma && u->in[2] == v && e->k->insn[v].op == SC_fma &&
           cg_c_copies(e, e->divergence[v]) > 1;
}

/* Is v a load whose copies are stored unchanged?  All copies are loaded before any is stored,
 * so that a cache miss of one does not delay the others. */
static bool
is_move(const cg_c_emit *e, cg_val v, const cg_insn *u)
{
    return u->op == CG_STORE && e->k->insn[v].op == CG_LOAD &&
           cg_c_copies(e, e->divergence[v]) > 1;
}

/* A minimum or maximum.  That of vectors is a call; that of scalars is an expression which
 * contains both operands twice. */
static bool
is_limit(uint32_t op)
{
    return op == SC_max || op == SC_min;
}

/* Does the text of the only user contain the text of each copy once? */
static bool
is_taken_once(const cg_c_emit *e, cg_val v, cg_val by)
{
    const cg_insn *u = &e->k->insn[by];
    uint32_t set;

    if (by == 0)
        return true;
    set = e->divergence[by];
    if (u->op == CG_STORE)
        set = e->divergence[u->in[0]] | e->divergence[u->in[1]] |
              (u->in[2] ? e->divergence[u->in[2]] : 0);
    return set == e->divergence[v] && !is_step(e, v, u) && !is_move(e, v, u) &&
           u->op != SC_slow_path && u->op != SC_table &&
           !(is_limit(u->op) && cg_c_lanes(e, set) == 1) &&
           (e->k->insn[v].type != COT_BOOL || u->op == SC_select);
}

static size_t
longest(const cg_c_emit *e, cg_val v)
{
    const cg_val by = e->use[v].by;
    const bool scalars =
        cg_c_lanes(e, e->divergence[v]) == 1 && cg_c_copies(e, e->divergence[v]) > 1;

    return !by                                                         ? CG_C_MAX_INLINE_YIELD
           : scalars && e->k->insn[by].op == CG_STORE                  ? CG_C_MAX_INLINE_STORED
           : scalars || e->k->insn[v].op == SC_pairs                   ? CG_C_MAX_INLINE_PAIRS
           : is_limit(e->k->insn[v].op) && is_limit(e->k->insn[by].op) ? CG_C_MAX_INLINE_LIMITS
                                                                       : CG_C_MAX_INLINE;
}

static bool
is_inline(const cg_c_emit *e, cg_val v, const char *x)
{
    const cg_insn *i = &e->k->insn[v];
    const cg_c_use_at *u = &e->use[v];
    const bool truth =
        (i->type == COT_BOOL && i->op < SC_COUNT) || (i->op >= SC_eq && i->op <= SC_le);

    if (cg_c_is_name(x) && i->op != CG_LOAD)
        return true;
    if (is_index_sum(i) && strlen(x) <= CG_C_MAX_INLINE_INDEX && !strchr(x, '['))
        return true;
    if (i->op >= SC_COUNT && i->op != CG_LOAD)
        return false;
    if (i->op == SC_slow_path || e->uses[v] != 1 || strlen(x) > longest(e, v) ||
        u->at <= e->place[v] || (truth && (!u->by || e->k->insn[u->by].op != SC_select)))
        return false;
    return u->at <= e->next_effect[v] && is_taken_once(e, v, u->by);
}

/* An index of several copies that is used only inside inner loops. clang would otherwise gather
 * the copies into a vector and take it apart again in each iteration. */
static bool
is_base(const cg_c_emit *e, cg_val v, int lanes)
{
    return e->k->insn[v].type == COT_I64 && lanes == 1 &&
           cg_c_copies(e, e->divergence[v]) > 1 && e->uses[v] > 0 && e->use[v].at == 0 &&
           e->use[v].by == 0;
}

void
cg_c_bind(cg_c_emit *e, cg_val v, int copy, cot_dtype type, int lanes, const char *x)
{
    const int copies = cg_c_copies(e, e->divergence[v]);

    if (is_inline(e, v, x)) {
        if (!e->inlined[v])
            e->inlined[v] = IR_NEW_N(e->t->arena, const char *, copies);
        e->inlined[v][copy] = cg_c_is_compound(x) ? cg_c_format(e, "(%s)", x) : x;
        return;
    }
    if (is_base(e, v, lanes))
        x = cg_c_alone(e->t, type, copy, cg_c_bare(e->t, x));
    cg_c_line(e, "%s%s %s = %s;", e->settles ? "" : "const ", cg_c_type(e->t, type, lanes),
              cg_c_value(e, v, copy), cg_c_bare(e->t, x));
}
