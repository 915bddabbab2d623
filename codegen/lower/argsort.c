/* argsort: lines are sorted one after the other, or in parallel by threads, in one kernel with
 * scratch memory.
 *
 * Keys become unsigned words whose order is that of the keys (ir/eval/sort.c).  For each
 * element of a short line the elements that precede it are counted: n^2 comparisons in lanes,
 * without branches or swaps.  Longer lines are sorted by digits, the least significant first
 * (LSD radix sort: D. Knuth, The Art of Computer Programming 3, section 5.2.5): all digits of a
 * line are counted in one pass, and then each pass moves words and positions to the place of
 * their digit.  Every pass is stable, so several keys are sorted by the last one first. */
#include "codegen/elemental/element.h"
#include "codegen/elemental/strip_mine.h"
#include "codegen/fuse/cost.h"
#include "codegen/fuse/fuse.h"
#include "codegen/lower/level.h"
#include "codegen/lower/rules.h"
#include "codegen/lower/sort_keys.h"
#include "codegen/tuning.h"

enum { DIGIT = CG_LOWER_SORT_DIGIT, RADIX = 1 << DIGIT, DIGITS = 64 / DIGIT };

typedef struct ordering {
    const ir_node *n;
    cg_frame *fr;
    const ir_type *t;                   /* type of the result */
    int64_t size, lines;
    int axis;
    uint32_t out;
    int64_t most;                       /* how many positions of a line are stored */
    bool top;                           /* sort in descending order */
    cot_dtype place;                    /* type of positions in scratch memory */
    uint32_t word[CG_LOWER_MAX_COUNTED_KEYS], from[2],
        to[2]; /* the two buffers of words and of positions */
    uint32_t count;
    cg_ix at[COT_MAX_RANK + 1];         /* index of the line */
    cg_val base;                        /* first element of its scratch; 0: element 0 */
    int key, digit, digits;
    bool first, last;                   /* is this the first, the last key that is sorted by */
    cg_ix i;
} ordering;

static int
word_bits(cot_dtype key)
{
    return key == COT_BOOL ? 8 : ir_bits(key);
}

/* The index of element i in the scratch of the line. */
static cg_val
scratch(cg_lowering *l, const ordering *o, cg_val i)
{
    return o->base ? cg_iadd(&l->b, o->base, i) : i;
}

static cg_val
key_word(cg_lowering *l, ordering *o, int key, cg_ix i)
{
    const ir_ref x = o->n->in[key];
    o->at[o->axis] = i;
    const cot_dtype t = ir_type_at(o->fr->f, x)->dtype, w = cg_word_type(t);
    cg_val word = cg_word_of(l, cg_element(l, o->fr, x, o->at), t);
    uint64_t all = word_bits(t) == 64 ? UINT64_MAX : ((uint64_t)1 << word_bits(t)) - 1;
    return o->top ? cg_insn2(&l->b, SC_xor, w, word, cg_const(&l->b, w, all)) : word;
}

static void
store_place(cg_lowering *l, ordering *o, cg_ix where, cg_val place)
{
    cg_build *b = &l->b;
    cg_val i = cg_ix_value(&l->ix, b, where), when = cg_is_place(b, i, o->most);
    where = cg_ix_var(&l->ix, i, 0, o->most - 1);
    o->at[o->axis] = where;
    cg_ix flat = cg_ix_flat(&l->ix, o->t->rank, o->t->dims, o->at);
    cg_store(b, o->out, cg_ix_value(&l->ix, b, flat), place, when);
}

/* -- sorting by counting ------------------------------------------------------------------- */

static void
count_fill(cg_lowering *l, void *user, cg_ix i)
{
    ordering *o = user;
    cg_val at = cg_ix_value(&l->ix, &l->b, i);
    for (int k = 0; k < o->n->n_in; k++)
        cg_store(&l->b, o->word[k], at, key_word(l, o, k, i), 0);
}

/* Does element j precede element i?  The first key decides, then the next; equal elements are
 * ordered by position. */
static cg_val
comes_before(cg_lowering *l, const ordering *o, const cg_val *mine, cg_val j, cg_val i)
{
    cg_build *b = &l->b;
    cg_val less = cg_insn2(b, SC_lt, COT_I32, cg_convert(l, j, COT_I64, COT_I32), i);
    for (int k = o->n->n_in - 1; k >= 0; k--) {
        const cot_dtype w = l->k->buffer[o->word[k]].type;
        cg_val other = cg_load(b, o->word[k], j, 0);
        cg_val equal =
            cg_insn2(b, SC_and, COT_BOOL, cg_insn2(b, SC_eq, w, other, mine[k]), less);
        less = cg_insn2(b, SC_or, COT_BOOL, cg_insn2(b, SC_lt, w, other, mine[k]), equal);
    }
    return less;
}

static void
count_before(cg_lowering *l, void *user, cg_ix i)
{
    const ordering *o = user;
    cg_build *b = &l->b;
    cg_val mine[CG_LOWER_MAX_COUNTED_KEYS], at = cg_ix_value(&l->ix, b, i),
                                            me = cg_convert(l, at, COT_I64, COT_I32);
    for (int k = 0; k < o->n->n_in; k++)
        mine[k] = cg_load(b, o->word[k], at, 0);
    cg_val loop = cg_loop_of(b, CG_SERIAL, o->size);
    cg_val n = cg_loop_carry(b, loop, COT_I32, cg_const(b, COT_I32, 0));
    cg_val less = comes_before(l, o, mine, cg_loop_var(b, loop), me);
    cg_val one =
        cg_insn3(b, SC_select, COT_I32, less, cg_const(b, COT_I32, 1), cg_const(b, COT_I32, 0));
    cg_loop_next(b, loop, n, cg_insn2(b, SC_add, COT_I32, n, one));
    cg_loop_end(b, loop);
    cg_store(b, o->count, at, cg_loop_result(b, loop, 0), 0);
}

static void
count_place(cg_lowering *l, void *user, cg_ix i)
{
    ordering *o = user;
    cg_val at = cg_ix_value(&l->ix, &l->b, i);
    cg_val rank = cg_convert(l, cg_load(&l->b, o->count, at, 0), COT_I32, COT_I64);
    store_place(l, o, cg_ix_var(&l->ix, rank, 0, o->size - 1),
                cg_convert(l, at, COT_I64, o->t->dtype));
}

static void
count_line(cg_lowering *l, ordering *o)
{
    int widest = 32;
    for (int k = 0; k < o->n->n_in; k++)
        if (l->k->buffer[o->word[k]].type == COT_U64)
            widest = 64;
    cg_strip_mine(l, CG_SERIAL, o->size, cg_lanes(l, widest), true, count_fill, o);
    cg_strip_mine(l, CG_SERIAL, o->size, cg_lanes(l, widest), true, count_before, o);
    cg_strip_mine(l, CG_SERIAL, o->size, 1, true, count_place, o);
}

/* -- sorting by digits --------------------------------------------------------------------- */

/* Fill the words of the current key, in the order that the keys after it gave. */
static void
digit_fill(cg_lowering *l, void *user, cg_ix i)
{
    ordering *o = user;
    cg_val at = scratch(l, o, cg_ix_value(&l->ix, &l->b, i));
    cg_ix where = i;
    cg_val old = l->mask;
    if (!o->first) {
        cg_val p = cg_convert(l, cg_load(&l->b, o->from[1], at, 0), o->place, COT_I64);
        cg_mask_and(l, cg_is_place(&l->b, p, o->size));
        where = cg_ix_var(&l->ix, p, 0, o->size - 1);
    }
    cg_val word = key_word(l, o, o->key, where);
    l->mask = old;
    cg_store(&l->b, o->from[0], at, word, 0);
}

static void
zero_count(cg_lowering *l, void *user, cg_ix i)
{
    const ordering *o = user;
    cg_val zero = cg_const(&l->b, o->place, 0);
    cg_store(&l->b, o->count, cg_ix_value(&l->ix, &l->b, i), zero, 0);
}

/* The index of the counter of a digit of the word. */
static cg_val
digit_of(cg_lowering *l, const ordering *o, cg_val word, int digit)
{
    cg_build *b = &l->b;
    const cot_dtype w = cg_word_type(ir_type_at(o->fr->f, o->n->in[o->key])->dtype);
    if (digit)
        word = cg_insn2(b, SC_shr, w, word, cg_const(b, w, (uint64_t)(digit * DIGIT)));
    word = cg_insn2(b, SC_and, w, word, cg_const(b, w, RADIX - 1));
    cg_val constant = cg_i64(b, digit * RADIX);
    return cg_iadd(b, cg_convert(l, word, w, COT_I64), constant);
}

static void
count_digits(cg_lowering *l, void *user, cg_ix i)
{
    const ordering *o = user;
    cg_build *b = &l->b;
    cg_val word = cg_load(b, o->from[0], scratch(l, o, cg_ix_value(&l->ix, b, i)), 0);
    for (int d = 0; d < o->digits; d++) {
        cg_val at = digit_of(l, o, word, d);
        cg_val one = cg_const(b, o->place, 1);
        cg_val n = cg_insn2(b, SC_add, o->place, cg_load(b, o->count, at, 0), one);
        cg_store(b, o->count, at, n, 0);
    }
}

/* Turn counts into the position of the first word of each digit. */
static void
sum_counts(cg_lowering *l, const ordering *o)
{
    cg_build *b = &l->b;
    cg_val sum[DIGITS], next[DIGITS];
    cg_val loop = cg_loop_of(b, CG_SERIAL, RADIX);
    for (int d = 0; d < o->digits; d++)
        sum[d] = cg_loop_carry(b, loop, o->place, cg_const(b, o->place, 0));
    for (int d = 0; d < o->digits; d++) {
        cg_val at = cg_iadd(b, cg_loop_var(b, loop), cg_i64(b, d * RADIX));
        next[d] = cg_insn2(b, SC_add, o->place, sum[d], cg_load(b, o->count, at, 0));
        cg_store(b, o->count, at, sum[d], 0);
    }
    for (int d = 0; d < o->digits; d++)
        cg_loop_next(b, loop, sum[d], next[d]);
    cg_loop_end(b, loop);
}

static void
move_digit(cg_lowering *l, void *user, cg_ix i)
{
    ordering *o = user;
    cg_build *b = &l->b;
    cg_val from = cg_ix_value(&l->ix, b, i), at = scratch(l, o, from);
    cg_val word = cg_load(b, o->from[0], at, 0), count = digit_of(l, o, word, o->digit);
    cg_val place = o->first && !o->digit ? cg_convert(l, from, COT_I64, o->place)
                                         : cg_load(b, o->from[1], at, 0);
    cg_val to = cg_load(b, o->count, count, 0);
    cg_store(b, o->count, count, cg_insn2(b, SC_add, o->place, to, cg_const(b, o->place, 1)),
             0);
    to = cg_convert(l, to, o->place, COT_I64);
    if (o->last && o->digit == o->digits - 1) {
        store_place(l, o, cg_ix_var(&l->ix, to, 0, o->size - 1),
                    cg_convert(l, place, o->place, o->t->dtype));
        return;
    }
    /* one branch, which is predictable, for both stores */
    cg_val branch = cg_if_begin(b, cg_is_place(b, to, o->size));
    to = scratch(l, o, to);
    if (o->digit < o->digits - 1)
        cg_store(b, o->to[0], to, word, 0);
    cg_store(b, o->to[1], to, place, 0);
    cg_if_end(b, branch);
}

static void
sort_by_key(cg_lowering *l, ordering *o)
{
    const cot_dtype t = ir_type_at(o->fr->f, o->n->in[o->key])->dtype;
    const uint32_t words = o->word[cg_word_type(t) == COT_U64 ? 2 : 0];
    /* positions stay where the last pass left them; words are filled again */
    o->from[0] = words;
    o->to[0] = words + 1;
    o->digits = word_bits(t) / DIGIT;
    cg_strip_mine(l, CG_SERIAL, o->size, o->first ? cg_lanes(l, ir_bits(cg_word_type(t))) : 1,
                  true, digit_fill, o);
    cg_strip_mine(l, CG_SERIAL, o->digits * RADIX, cg_lanes(l, ir_bits(o->place)), true,
                  zero_count, o);
    cg_strip_mine(l, CG_SERIAL, o->size, 1, true, count_digits, o);
    sum_counts(l, o);
    for (o->digit = 0; o->digit < o->digits; o->digit++) {
        cg_strip_mine(l, CG_SERIAL, o->size, 1, true, move_digit, o);
        for (int k = 0; k < 2; k++) {
            uint32_t x = o->from[k];
            o->from[k] = o->to[k];
            o->to[k] = x;
        }
    }
    o->first = false;
}

static void
digit_line(cg_lowering *l, ordering *o)
{
    o->first = true;
    for (o->key = o->n->n_in - 1; o->key >= 0; o->key--) {
        o->last = o->key == 0;
        sort_by_key(l, o);
    }
}

static bool
by_counting(const ordering *o)
{
    return o->size <= CG_LOWER_MAX_COUNTED && o->n->n_in <= CG_LOWER_MAX_COUNTED_KEYS;
}

static void
line(cg_lowering *l, void *user, cg_ix i)
{
    ordering *o = user;
    cg_line_at(l, o->t, o->axis, i, o->at);
    if (o->base)
        o->base = cg_imul(&l->b, cg_ix_value(&l->ix, &l->b, i), o->size);
    if (by_counting(o))
        count_line(l, o);
    else
        digit_line(l, o);
}

/* Two buffers of that type, one after the other, each with room for `lines` lines. */
static uint32_t
two_buffers(cg_lowering *l, const ordering *o, cot_dtype t, const char *name, int64_t lines)
{
    const uint32_t first = cg_work_buffer(l, name, name, t, lines * o->size);
    cg_work_buffer(l, name, name, t, lines * o->size);
    return first;
}

static void
make_scratch(cg_lowering *l, ordering *o, int64_t lines)
{
    bool any[2] = { false, false };
    for (int k = 0; k < o->n->n_in; k++)
        any[cg_word_type(ir_type_at(o->fr->f, o->n->in[k])->dtype) == COT_U64] = true;
    if (by_counting(o)) {
        for (int k = 0; k < o->n->n_in; k++)
            o->word[k] = cg_local_buffer(
                l, "word", cg_word_type(ir_type_at(o->fr->f, o->n->in[k])->dtype), o->size);
        o->count = cg_local_buffer(l, "rank", COT_I32, o->size);
        return;
    }
    o->word[0] = any[0] ? two_buffers(l, o, COT_U32, "word", lines) : 0;
    o->word[2] = any[1] ? two_buffers(l, o, COT_U64, "word", lines) : 0;
    o->from[1] = two_buffers(l, o, o->place, "place", lines);
    o->to[1] = o->from[1] + 1;
    o->count = cg_local_buffer(l, "count", o->place, DIGITS * RADIX);
}

void
cg_plan_argsort(cg_lowering *l, cg_level *v, const cg_group *g)
{
    const ir_node *n = g->node;
    const bool top = n->op == OP_top_k;
    const int axis = (int)(top ? n->at->top.axis : n->at->arg.axis);
    ordering o = { .n = n, .t = ir_type_at(v->f, n->first), .axis = axis, .top = top };
    if (!v->place[n->first].set)
        v->place[n->first] = cg_plan_new(l, "t", o.t);
    if (o.t->size == 0)
        return;
    if ((top && cg_plan_top(l, v, g)) || cg_plan_sort_grid(l, v, n, axis, top))
        return;
    o.size = ir_type_at(v->f, n->in[0])->dims[o.axis];
    o.most = o.t->dims[o.axis];
    o.lines = o.t->size / o.most;
    o.place = o.size <= INT32_MAX ? COT_I32 : COT_I64;
    o.fr = cg_node_kernel(l, v, n);
    o.out = cg_place_buffer(l, &v->place[n->first], o.t, "y", true);
    bool many = o.lines > 1 && cg_lines_are_apart(l, o.t, o.axis) &&
                cg_is_shared(l, o.lines * o.size * CG_LOWER_COST_SORT, 1, 0);
    make_scratch(l, &o, many ? o.lines : 1);
    l->k->flops = o.lines * o.size * CG_LOWER_COST_SORT;
    o.base = many ? cg_i64(&l->b, 0) : 0;
    ir_buf_printf(l->why, "%s: %lld lines of %lld, by %s%s\n", l->k->name, (long long)o.lines,
                  (long long)o.size, by_counting(&o) ? "counting" : "digits",
                  many ? ", parallel" : "");
    cg_strip_mine(l, many ? CG_PARALLEL : CG_SERIAL, o.lines, 1, true, line, &o);
    cg_kernel_call(l);
}
