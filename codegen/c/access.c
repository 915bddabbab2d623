/* Loads and stores (c.h).
 *
 * The stride of the index from lane to lane selects the instructions. 0: one element. 1: a
 * vector.  Another constant: where an unroll loop around moves the index by one, rows of
 * vectors that are transposed in registers; where 2, 4 or 8 stores are adjacent, as of real and
 * imaginary parts, interleaved vectors; otherwise elements at that stride.  No constant: an
 * element for each lane. */
#include <stdlib.h>

#include "codegen/c/emit.h"
#include "codegen/tuning.h"

/* The address arguments of a load or store, "x + v3, 4" for a stride of 4.  NULL: the stride is
 * not constant, but each lane is a scalar plus a constant, so that lanes are accessed one by
 * one. */
static const char *
place(cg_c_emit *e, const char *buffer, cg_val index, uint32_t set, int c, int lanes,
      const cg_c_condition *w, cg_c_shape *shape, int64_t *step)
{
    const bool constant =
        e->known[index].at || e->known[index].slope || cg_c_lanes(e, e->divergence[index]) == 1;
    const char *first;

    if (cg_c_is_even(e, index, set, c, w->lanes, step)) {
        first = cg_c_at_lane(e, index, set, c, 0);
        *shape = *step == 1 ? CG_C_DENSE : *step == -1 ? CG_C_BACK : CG_C_STEP;
        first = strcmp(first, "0") == 0
                    ? buffer
                    : cg_c_format(e, "%s + %s", buffer, cg_c_bare_term(e->t, first));
        return *shape == CG_C_STEP ? cg_c_format(e, "%s, %s", first, cg_c_int(e, *step))
                                   : first;
    }
    if (constant)
        return NULL;
    *shape = e->narrow[index] ? CG_C_AT32 : CG_C_AT;
    first = e->narrow[index] ? cg_c_use_narrow(e, index, set, c, lanes)
                             : cg_c_use(e, index, set, c, lanes);
    return cg_c_format(e, "%s, %s", buffer, cg_c_bare(e->t, first));
}

/* Is the constant index outside the array?  Then its condition is false, and a compiler that
 * sees the index but not the condition would warn. */
static bool
is_outside(const cg_c_emit *e, const cg_insn *i, const char *at)
{
    char *end;
    const long long x = strtoll(at, &end, 10);

    return end != at && !*end && (x < 0 || x >= e->k->buffer[i->imm].elements);
}

static const char *
lane_by_lane(cg_c_emit *e, cg_val v, uint32_t set, int c, int lanes, const cg_c_condition *w)
{
    const cg_insn *i = &e->k->insn[v];
    const char *s = cg_c_format(e, "(%s){", cg_c_type(e->t, (cot_dtype)i->type, lanes));
    const int number = cg_c_declare_test(e, w, lanes);

    cg_c_touch_own(e, v, w);
    for (int l = 0; l < lanes; l++) {
        const char *at = cg_c_bare(e->t, cg_c_at_lane(e, i->in[0], set, c, l)),
                   *x = cg_c_format(e, "%s[%s]", e->buffer[i->imm], at),
                   *m = cg_c_lane_test(e, w, number, l);
        if (m && is_outside(e, i, at))
            m = NULL, x = "0";
        else if (l >= w->lanes)
            x = "0";
        else if (i->type == COT_BOOL)
            x = cg_c_format(e, "-(%s != 0)", x);
        else
            x = cg_c_alone(e->t, (cot_dtype)i->type, l, x);
        x = m ? cg_c_format(e, "%s ? %s : 0", m, x) : x;
        s = cg_c_format(e, "%s%s %s", s, l ? "," : "", x);
    }
    return cg_c_format(e, "%s }", s);
}

/* Does each of several copies of the only user of v use the same copy of v? */
static bool
is_shared(const cg_c_emit *e, cg_val v)
{
    const cg_val by = e->use[v].by;

    return e->uses[v] == 1 && by &&
           cg_c_copies(e, e->divergence[by]) > cg_c_copies(e, e->divergence[v]);
}

/* Report the elements that load_every_other touches: for the lanes of a vector, or for copies
 * of a loop in one lane, where no condition applies. */
static void
touch_every_other(cg_c_emit *e, cg_val v, const cg_c_condition *w, int lanes, bool back,
                  const cg_block *copies)
{
    const int pair = back ? 0 : e->pair[v];
    const cg_touched x = { .adjacent = 2 * pair,
                           .lanes = copies ? 0 : lanes,
                           .step = back ? -2 : 2,
                           .copies = copies,
                           .first = back       ? -2 * (lanes - 1)
                                    : pair < 0 ? -1
                                               : 0,
                           .count = 2 * lanes - (pair ? 0 : 1) };

    cg_c_touch(e, v, w, x);
}

static const char *
load_every_other(cg_c_emit *e, cg_val v, int lanes, bool back)
{
    const cot_dtype type = (cot_dtype)e->k->insn[v].type;

    return e->pair[v] && !back ? cg_c_load_of_pairs(e->t, type, lanes, e->pair[v] < 0)
                               : cg_c_load_every_other(e->t, type, lanes, back);
}

static const char *
loaded_lanes(cg_c_emit *e, cg_val v, uint32_t set, int c, int lanes, const cg_c_condition *w,
             bool held)
{
    const cg_insn *i = &e->k->insn[v];
    const cot_dtype type = (cot_dtype)i->type;
    const char *buffer = e->buffer[i->imm], *at;
    cg_c_shape shape;
    int64_t step = 0;

    if (w->when == CG_C_ALWAYS && type != COT_BOOL &&
        cg_c_is_even(e, i->in[0], set, c, lanes, &step) && (step == 2 || step == -2)) {
        touch_every_other(e, v, w, lanes, step < 0, NULL);
        return cg_c_format(e, "%s(%s + %s)", load_every_other(e, v, lanes, step < 0), buffer,
                           cg_c_bare_term(e->t, cg_c_at_lane(e, i->in[0], set, c, 0)));
    }
    at = place(e, buffer, i->in[0], set, c, lanes, w, &shape, &step);
    if (!at)
        return lane_by_lane(e, v, set, c, lanes, w);
    cg_c_touch_shape(e, v, w, shape, step, w->lanes);
    if (held && shape == CG_C_DENSE && w->when == CG_C_ALWAYS && type != COT_BOOL)
        return cg_c_format(e, "%s(%s)", cg_c_load_held(e->t, type, lanes), at);
    return cg_c_format(e, w->text ? "%s(%s, %s)" : "%s(%s)",
                       cg_c_load(e->t, type, lanes, shape, w->when), at,
                       w->text ? w->text : "");
}

/* The copy at lane 0 of the vector loop that agrees with copy c in all other levels. */
static int
first_copy(const cg_c_emit *e, uint32_t set, int c)
{
    int later = 1;

    for (int i = e->vector_level + 1; i < e->n_levels; i++)
        if (set >> i & 1)
            later *= e->level[i].copies;
    return c - c / later % e->level[e->vector_level].copies * later;
}

/* The text of index v at lane 0 of the vector loop; NULL: it is not a scalar plus a
 * constant. */
static const char *
first_index(cg_c_emit *e, cg_val v, uint32_t set, int c)
{
    const int first = first_copy(e, set, c);
    int64_t step;

    return cg_c_is_even(e, v, set, first, 1, &step) ? cg_c_at_lane(e, v, set, first, 0) : NULL;
}

/* Replace the lanes of x past the end of a tail by `first`, or by lane 0 of x if that is NULL.
 * Masked loads give 0 there, and a division by it would raise an exception that no element of
 * the user's raises. */
static const char *
fill_tail(cg_c_emit *e, cot_dtype type, const char *x, const char *first, uint32_t set, int c,
          int lanes)
{
    const cg_c_mask *m = e->mask;

    if (!e->fills_tails || !m || !m->limit || (m->set & ~set) ||
        (!first && cg_c_copies(e, set) != 1))
        return x;
    const char *read = cg_c_format(e, "tail%d", e->serial++);
    cg_c_line(e, "const %s %s = %s;", cg_c_type(e->t, type, lanes), read, cg_c_bare(e->t, x));
    if (!first)
        first = cg_c_format(e, "%s[0]", read);
    first = cg_c_format(e, type == COT_BOOL ? "%s(%s != 0)" : "%s(%s)",
                        cg_c_splat(e->t, type, lanes), first);
    return cg_c_apply(e->t, SC_select, type, type, lanes,
                      (const char *const[]){ cg_c_mask_for(e, m, set, c, lanes), read, first });
}

const char *
cg_c_fill_index(cg_c_emit *e, const cg_insn *i, cot_dtype type, const char *x, uint32_t set,
                int c, int lanes)
{
    const char *at = first_index(e, i->in[0], set, c);

    if (at)
        at = cg_c_bare(e->t,
                       cg_c_apply(e->t, (ir_sc_op)i->op, (cot_dtype)i->type, COT_I64, 1, &at));
    return fill_tail(e, type, x, at, set, c, lanes);
}

/* The value for the lanes of a load past the end of a tail: the element at lane 0 of the vector
 * loop, since lane 0 of a later register may itself be past the end.  If no element is known to
 * be loaded, it is 1.  NULL: fill_tail takes lane 0 of this register. */
static const char *
first_element(cg_c_emit *e, const cg_insn *i, uint32_t set, int c)
{
    const cot_dtype type = (cot_dtype)i->type;
    const char *at;

    if (!e->m->trapping_math || !e->mask || cg_c_copies(e, set) == 1)
        return NULL;
    if (i->in[1] == 0 && (at = first_index(e, i->in[0], set, c)))
        return cg_c_format(e, "%s[%s]", e->buffer[i->imm], cg_c_bare(e->t, at));
    return type == COT_F64    ? "1.0"
           : type == COT_F32  ? "1.0f"
           : type == COT_F16  ? "0x3c00"
           : type == COT_BF16 ? "0x3f80"
                              : NULL;
}

static const char *
loaded(cg_c_emit *e, cg_val v, uint32_t set, int c, int lanes)
{
    const cg_insn *i = &e->k->insn[v];
    const char *type = cg_c_type(e->t, (cot_dtype)i->type, lanes), *s;
    const cg_c_condition w = cg_c_condition_of(e, i->in[1], set, c, lanes);

    if (w.lanes == 0)
        return lanes == 1 ? "0" : cg_c_format(e, "(%s){ 0 }", type);
    if (lanes == 1) {
        const char *at = cg_c_bare(e->t, cg_c_use(e, i->in[0], set, c, 1));
        cg_c_touch_own(e, v, &w);
        return w.text && is_outside(e, i, at)
                   ? "0"
                   : cg_c_format(e, w.text ? "%3$s ? %1$s[%2$s] : 0" : "%1$s[%2$s]",
                                 e->buffer[i->imm], at, w.text ? w.text : "");
    }
    const cg_applied *under = e->under;
    e->under = cg_apply_both(e->ranges, under, w.gate_by);
    s = loaded_lanes(e, v, set, c, lanes, &w, is_shared(e, v));
    e->under = under;
    s = w.gate ? cg_c_format(e, "%s ? %s : (%s){ 0 }", w.gate, s, type) : s;
    return fill_tail(e, (cot_dtype)i->type, s, first_element(e, i, set, c), set, c, lanes);
}

/* -- transposes in registers -- */

/* Find an unroll level over which the index has stride 1, or at most `most`, and which has as
 * many copies as there are lanes.  The stride from lane to lane must be constant, and no copy
 * may have a condition.  Returns -1 if there is none. */
static int
transposed_level(const cg_c_emit *e, const cg_insn *i, uint32_t set, cg_val when, int64_t most,
                 int64_t *move)
{
    const int lanes = cg_c_lanes(e, set);
    int64_t step;

    if (when || e->mask || lanes == 1 || lanes > CG_C_MAX_TRANSPOSED || i->type == COT_BOOL ||
        e->level[e->vector_level].copies > 1 ||
        !cg_c_is_even(e, i->in[0], set, 0, lanes, &step) || (step > -2 && step < 2))
        return -1;
    for (int l = 0; l < e->n_levels; l++)
        if ((set & e->divergence[i->in[0]]) >> l & 1 && e->level[l].loop->kind == CG_UNROLL &&
            e->level[l].extent == lanes) {
            *move = cg_stride_over(e->k, i->in[0], e->level[l].loop);
            if (*move >= 1 && *move <= most)
                return l;
        }
    return -1;
}

/* Declare an array r of the vectors row[u] and transpose it; returns the array's number. */
static int
transposed(cg_c_emit *e, cot_dtype type, int lanes, const char *const *row)
{
    const int number = e->serial++;

    cg_c_line(e, "%s r%d[%d] = {", cg_c_type(e->t, type, lanes), number, lanes);
    for (int u = 0; u < lanes; u++)
        cg_c_line(e, "    %s,", row[u]);
    cg_c_line(e, "};");
    cg_c_line(e, "%s(r%d);", cg_c_transpose(e->t, type, lanes), number);
    return number;
}

static void
load_transposed(cg_c_emit *e, cg_val v, uint32_t set, int level, int64_t move)
{
    const cg_insn *i = &e->k->insn[v];
    const cot_dtype type = (cot_dtype)i->type;
    const uint32_t others = set & ~((uint32_t)1 << level);
    const int lanes = cg_c_lanes(e, set);
    const char *row[CG_C_MAX_TRANSPOSED],
        *load = move == 1 ? cg_c_load(e->t, type, lanes, CG_C_DENSE, CG_C_ALWAYS)
                          : load_every_other(e, v, lanes, false);

    for (int c = 0; c < cg_c_copies(e, others); c++) {
        const int first = cg_c_copy_at(e, set, others, c, level, 0);
        if (move == 1)
            cg_c_touch(e, v, NULL,
                       (cg_touched){ .copies = e->level[level].loop, .count = lanes });
        else
            touch_every_other(e, v, NULL, lanes, false, e->level[level].loop);
        for (int u = 0; u < lanes; u++)
            row[u] =
                cg_c_format(e, "%s(%s + %s)", load, e->buffer[i->imm],
                            cg_c_bare_term(e->t, cg_c_at_lane(e, i->in[0], set, first, u)));
        const int r = transposed(e, type, lanes, row);
        for (int u = 0; u < lanes; u++)
            cg_c_line(e, "const %s %s = r%d[%d];", cg_c_type(e->t, type, lanes),
                      cg_c_value(e, v, cg_c_copy_at(e, set, others, c, level, u)), r, u);
    }
}

static void
store_transposed(cg_c_emit *e, cg_val v, uint32_t set, int level)
{
    const cg_insn *i = &e->k->insn[v];
    const cot_dtype type = (cot_dtype)i->type;
    const uint32_t others = set & ~((uint32_t)1 << level);
    const int lanes = cg_c_lanes(e, set);
    const char *row[CG_C_MAX_TRANSPOSED];

    for (int c = 0; c < cg_c_copies(e, others); c++) {
        const int first = cg_c_copy_at(e, set, others, c, level, 0);
        for (int u = 0; u < lanes; u++)
            row[u] =
                cg_c_use(e, i->in[1], set, cg_c_copy_at(e, set, others, c, level, u), lanes);
        const int r = transposed(e, type, lanes, row);
        cg_c_touch(e, v, NULL, (cg_touched){ .copies = e->level[level].loop, .count = lanes });
        for (int u = 0; u < lanes; u++)
            cg_c_line(e, "%s(%s + %s, r%d[%d]);",
                      cg_c_store(e->t, type, lanes, CG_C_DENSE, CG_C_ALWAYS), e->buffer[i->imm],
                      cg_c_bare_term(e->t, cg_c_at_lane(e, i->in[0], set, first, u)), r, u);
    }
}

/* -- instructions -- */

void
cg_c_load_insn(cg_c_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    const uint32_t set = e->divergence[v];
    int64_t move = 1;
    const int lanes = cg_c_lanes(e, set),
              level = transposed_level(e, i, set, i->in[1], 2, &move);

    if (level >= 0) {
        load_transposed(e, v, set, level, move);
        return;
    }
    for (int c = 0; c < cg_c_copies(e, set); c++)
        cg_c_bind(e, v, c, (cot_dtype)i->type, lanes, loaded(e, v, set, c, lanes));
}

/* The value of one of several adjacent stores is hidden from clang, which would otherwise
 * gather their scalars into a vector at more cost than it saves.  (3 is a lane for which
 * cg_c_alone always hides.) */
static const char *
stored_alone(cg_c_emit *e, cg_val v, const char *x)
{
    const cg_insn *i = &e->k->insn[v];
    const bool real = i->type == COT_F32 || i->type == COT_F64;

    return real && e->adjacent[v] && e->k->insn[i->in[1]].op < SC_COUNT
               ? cg_c_alone(e->t, (cot_dtype)i->type, 3, x)
               : x;
}

static void
store_scalar(cg_c_emit *e, cg_val v, uint32_t set, int c, const cg_c_condition *w)
{
    const cg_insn *i = &e->k->insn[v];
    const char *at = cg_c_bare(e->t, cg_c_use(e, i->in[0], set, c, 1));

    if (w->text && is_outside(e, i, at))
        return;
    cg_c_touch_own(e, v, w);
    if (w->text)
        cg_c_line(e, "if (%s)", w->text);
    const char *value = stored_alone(e, v, cg_c_bare(e->t, cg_c_use(e, i->in[1], set, c, 1)));
    cg_c_line(e, "%s%s[%s] = %s;", w->text ? "    " : "", e->buffer[i->imm], at, value);
}

static void
store_lanes(cg_c_emit *e, cg_val v, uint32_t set, int c, int lanes, const cg_c_condition *w)
{
    const cg_insn *i = &e->k->insn[v];
    const char *x = cg_c_use(e, i->in[1], set, c, lanes),
               *s = cg_c_format(e, "x%d", e->serial++);

    const int number = cg_c_declare_test(e, w, lanes);

    cg_c_touch_own(e, v, w);
    cg_c_line(e, "const %s %s = %s;", cg_c_type(e->t, (cot_dtype)i->type, lanes), s, x);
    for (int l = 0; l < w->lanes; l++) {
        const char *m = cg_c_lane_test(e, w, number, l),
                   *at = cg_c_bare(e->t, cg_c_at_lane(e, i->in[0], set, c, l));
        if (m && is_outside(e, i, at))
            continue;
        if (m)
            cg_c_line(e, "if (%s)", m);
        cg_c_line(e, i->type == COT_BOOL ? "%s[%s] = %s[%d] != 0;" : "%s[%s] = %s[%d];",
                  e->buffer[i->imm], at, s, l);
    }
}

static void
store_vector(cg_c_emit *e, cg_val v, uint32_t set, int c, int lanes, const cg_c_condition *w)
{
    const cg_insn *i = &e->k->insn[v];
    const cot_dtype type = (cot_dtype)i->type;
    cg_c_shape shape;
    int64_t step = 0;
    const char *at = place(e, e->buffer[i->imm], i->in[0], set, c, lanes, w, &shape, &step),
               *store;

    if (!at) {
        store_lanes(e, v, set, c, lanes, w);
        return;
    }
    cg_c_touch_shape(e, v, w, shape, step, w->lanes);
    if (e->k->buffer[i->imm].streams && shape == CG_C_DENSE && w->when == CG_C_ALWAYS &&
        type != COT_BOOL) {
        store = cg_c_stream(e->t, type, lanes, 1);
        e->streams = true;
    } else
        store = cg_c_store(e->t, type, lanes, shape, w->when);
    cg_c_line(e, w->text ? "%s(%s, %s, %s);" : "%s(%s, %s);", store, at,
              cg_c_bare(e->t, cg_c_use(e, i->in[1], set, c, lanes)), w->text ? w->text : "");
}

/* Store all copies past the caches, if they are consecutive whole vectors. */
static bool
stream_copies(cg_c_emit *e, cg_val v, uint32_t set, int lanes)
{
    const cg_insn *i = &e->k->insn[v];
    const int copies = cg_c_copies(e, set);
    const char *store, *args = "";
    int64_t step;

    if (!e->k->buffer[i->imm].streams || i->in[2] || e->mask || i->type == COT_BOOL ||
        lanes == 1 || copies < 2 || copies > CG_C_MAX_INTERLEAVED ||
        set != (uint32_t)1 << e->vector_level ||
        cg_stride_over(e->k, i->in[0], e->level[e->vector_level].loop) != 1 ||
        !cg_c_is_even(e, i->in[0], set, 0, lanes, &step) || step != 1 ||
        !(store = cg_c_stream(e->t, (cot_dtype)i->type, lanes, copies)))
        return false;
    cg_c_touch(e, v, NULL,
               (cg_touched){ .lanes = copies * lanes, .step = 1, .count = copies * lanes });
    for (int c = 0; c < copies; c++)
        args = cg_c_format(e, "%s, %s", args,
                           cg_c_bare(e->t, cg_c_use(e, i->in[1], set, c, lanes)));
    cg_c_line(e, "%s(%s + %s%s);", store, e->buffer[i->imm],
              cg_c_bare_term(e->t, cg_c_at_lane(e, i->in[0], set, 0, 0)), args);
    e->streams = true;
    return true;
}

void
cg_c_store_insn(cg_c_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    const uint32_t set = e->divergence[i->in[0]] | e->divergence[i->in[1]] |
                         (i->in[2] ? e->divergence[i->in[2]] : 0);
    int64_t move;
    const int lanes = cg_c_lanes(e, set),
              level = transposed_level(e, i, set, i->in[2], 1, &move);

    if (level >= 0) {
        store_transposed(e, v, set, level);
        return;
    }
    if (stream_copies(e, v, set, lanes))
        return;
    for (int c = 0; c < cg_c_copies(e, set); c++) {
        const cg_c_condition w = cg_c_condition_of(e, i->in[2], set, c, lanes);
        if (w.lanes == 0)
            continue;
        if (lanes == 1) {
            store_scalar(e, v, set, c, &w);
            continue;
        }
        if (w.gate)
            cg_c_line(e, "if (%s) {", w.gate);
        const cg_applied *under = e->under;
        e->under = cg_apply_both(e->ranges, under, w.gate_by);
        e->indent += w.gate != NULL;
        store_vector(e, v, set, c, lanes, &w);
        e->indent -= w.gate != NULL;
        e->under = under;
        if (w.gate)
            cg_c_line(e, "}");
    }
}

/* -- adjacent stores -- */

/* How many of the stores from v[0] on write elements n i, n i + 1, ..., n i + n - 1 in lane i,
 * so that they can be n stores of whole vectors; *set: the levels over which they vary. */
static uint32_t
rows_here(const cg_c_emit *e, const cg_val *v, uint32_t left, uint32_t *set)
{
    const cg_insn *first = &e->k->insn[v[0]];
    int64_t step;

    for (uint32_t n = CG_C_MAX_INTERLEAVED; n > 1; n /= 2) {
        bool good = n <= left;
        *set = e->divergence[first->in[0]];
        for (uint32_t k = 0; k < n && good; k++) {
            good = cg_are_adjacent(e->k, v[0], v[k], k);
            *set |= good ? e->divergence[e->k->insn[v[k]].in[1]] : 0;
        }
        const int lanes = cg_c_lanes(e, *set);
        for (int c = 0; good && c < cg_c_copies(e, *set); c++)
            good = lanes > 1 && cg_c_is_even(e, first->in[0], *set, c, lanes, &step) &&
                   step == (int64_t)n;
        if (good)
            return n;
    }
    return 0;
}

uint32_t
cg_c_store_adjacent(cg_c_emit *e, const cg_val *v, uint32_t left)
{
    const cg_insn *first = &e->k->insn[v[0]];
    uint32_t set = 0, n;

    if (first->op != CG_STORE || e->vector_level < 0 || e->mask || first->type == COT_BOOL ||
        (n = rows_here(e, v, left, &set)) == 0)
        return 0;
    const int lanes = cg_c_lanes(e, set);
    const bool streams = e->k->buffer[first->imm].streams;
    const char *store = cg_c_store_rows(e->t, (cot_dtype)first->type, lanes, (int)n, streams);
    for (int c = 0; c < cg_c_copies(e, set); c++) {
        const char *args = "";
        cg_c_touch(
            e, v[0], NULL,
            (cg_touched){ .adjacent = (int)n, .lanes = lanes, .step = n, .count = n * lanes });
        for (uint32_t k = 0; k < n; k++)
            args = cg_c_format(
                e, "%s, %s", args,
                cg_c_bare(e->t, cg_c_use(e, e->k->insn[v[k]].in[1], set, c, lanes)));
        cg_c_line(e, "%s(%s + %s%s);", store, e->buffer[first->imm],
                  cg_c_bare_term(e->t, cg_c_at_lane(e, first->in[0], set, c, 0)), args);
    }
    e->streams |= streams;
    return n;
}
