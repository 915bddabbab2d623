/* top_k: one pass over the line, which keeps the k best elements so far in order.
 *
 * The least of them is the threshold.  Elements are compared in blocks, by lanes.  A block
 * whose largest word does not exceed the threshold is skipped; in other blocks each element
 * that does is inserted in order.  An element equal to the threshold comes later in the line,
 * so it never displaces another.  Of n elements in random order k log(n / k) are inserted.
 *
 * If k is large, elements that exceed the threshold are appended to a list instead.  A full
 * list is sorted (by digits, the least significant first, stable) and cut to k elements, which
 * gives the next threshold. */
#include "codegen/elemental/element.h"
#include "codegen/elemental/strip_mine.h"
#include "codegen/fuse/cost.h"
#include "codegen/fuse/fuse.h"
#include "codegen/lower/sort_keys.h"
#include "codegen/tuning.h"

enum { BLOCK = CG_LOWER_TOP_BLOCK, DIGIT = CG_LOWER_SORT_DIGIT, RADIX = 1 << DIGIT };

typedef struct selection {
    const ir_node *n;
    cg_frame *fr;
    const ir_type *t;                   /* type of the result */
    cot_dtype key, word;
    int64_t size, k, lines;
    int axis;
    /* buffers of the k best words, and of their positions */
    uint32_t out, best, place;
    int64_t room;                       /* elements of a list; 0: elements are inserted */
    /* lists: the second buffers of words and of positions; counts of digits */
    uint32_t other[2], count;
    cg_val base;                        /* first element of the line's part of the lists */
    cg_ix at[COT_MAX_RANK + 1];         /* index of the line */
} selection;

static cg_val
word_at(cg_lowering *l, selection *o, cg_val i)
{
    o->at[o->axis] = cg_ix_var(&l->ix, i, 0, o->size - 1);
    return cg_word_of(l, cg_element(l, o->fr, o->n->in[0], o->at), o->key);
}

/* Insert the word of element i before the lesser ones of the n best; there is room for one
 * more. */
static void
insert(cg_lowering *l, const selection *o, cg_val word, cg_val i, cg_val n)
{
    cg_build *b = &l->b;
    cg_val loop = cg_while_begin(b), at = cg_while_carry(b, loop, COT_I64, n),
           zero = cg_i64(b, 0);
    cg_val back = cg_isub(b, at, cg_i64(b, 1)), some = cg_is_place(b, back, o->k);
    cg_val less = cg_insn2(b, SC_lt, o->word, cg_load(b, o->best, back, some), word);
    cg_while_test(b, loop,
                  cg_insn2(b, SC_and, COT_BOOL, less, cg_insn2(b, SC_lt, COT_I64, zero, at)));
    cg_val before = cg_isub(b, at, cg_i64(b, 1)), from = cg_is_place(b, before, o->k),
           to = cg_is_place(b, at, o->k);
    cg_store(b, o->best, at, cg_load(b, o->best, before, from), to);
    cg_store(b, o->place, at, cg_load(b, o->place, before, from), to);
    cg_while_next(b, loop, at, before);
    cg_while_end(b, loop);
    at = cg_loop_result(b, loop, 0);
    to = cg_is_place(b, at, o->k);
    cg_store(b, o->best, at, word, to);
    cg_store(b, o->place, at, i, to);
}

static cg_val
threshold(cg_lowering *l, const selection *o)
{
    return cg_load(&l->b, o->best, cg_i64(&l->b, o->k - 1), 0);
}

/* Insert the first k elements, whatever they are. */
static void
fill(cg_lowering *l, selection *o)
{
    cg_build *b = &l->b;
    cg_val loop = cg_loop_of(b, CG_SERIAL, o->k), i = cg_loop_var(b, loop);
    insert(l, o, word_at(l, o, i), i, i);
    cg_loop_end(b, loop);
}

static cg_val
largest_of_block(cg_lowering *l, selection *o, cg_val from)
{
    cg_build *b = &l->b;
    cg_val loop = cg_loop_of(b, CG_VECTOR, BLOCK);
    bool vector = l->vector;
    l->vector = true;
    cg_val word = word_at(l, o, cg_iadd(b, from, cg_loop_var(b, loop)));
    l->vector = vector;
    cg_loop_reduce(b, loop, CG_FOLD, SC_max, o->word, word);
    cg_loop_end(b, loop);
    return cg_loop_result(b, loop, 0);
}

/* Compare elements from ... to - 1, or the largest of each block of `step` of them, with the
 * threshold, and insert what exceeds it; returns the new threshold. */
static cg_val
compare(cg_lowering *l, selection *o, cg_val from, cg_val to, int64_t step, cg_val least)
{
    cg_build *b = &l->b;
    cg_val loop = cg_loop_begin(b, CG_SERIAL, from, to, step, 0), i = cg_loop_var(b, loop);
    cg_val now = cg_loop_carry(b, loop, o->word, least), next;
    cg_val word = step > 1 ? largest_of_block(l, o, i) : word_at(l, o, i);
    cg_val branch = cg_if_begin(b, cg_insn2(b, SC_lt, o->word, now, word));
    if (step > 1) {
        next = compare(l, o, i, cg_iadd(b, i, cg_i64(b, step)), 1, now);
    } else {
        insert(l, o, word, i, cg_i64(b, o->k - 1));
        next = threshold(l, o);
    }
    cg_if_else(b, branch);
    cg_if_yield(b, branch, o->word, next, now);
    cg_if_end(b, branch);
    cg_loop_next(b, loop, now, cg_loop_result(b, branch, 0));
    cg_loop_end(b, loop);
    return cg_loop_result(b, loop, 0);
}

/* The index of element i in the line's list. */
static cg_val
list_at(cg_lowering *l, const selection *o, cg_val i)
{
    return o->base ? cg_iadd(&l->b, o->base, i) : i;
}

static void
store_places(cg_lowering *l, void *user, cg_ix i)
{
    selection *o = user;
    cg_build *b = &l->b;
    o->at[o->axis] = i;
    cg_ix flat = cg_ix_flat(&l->ix, o->t->rank, o->t->dims, o->at);
    cg_val place = cg_load(b, o->place, list_at(l, o, cg_ix_value(&l->ix, b, i)), 0);
    cg_val value = cg_convert(l, place, COT_I64, o->t->dtype);
    cg_store(b, o->out, cg_ix_value(&l->ix, b, flat), value, 0);
}

/* -- lists --------------------------------------------------------------------------------- */

static void
zero_digits(cg_lowering *l, void *user, cg_ix i)
{
    const selection *o = user;
    cg_val zero = cg_i64(&l->b, 0);
    cg_store(&l->b, o->count, cg_ix_value(&l->ix, &l->b, i), zero, 0);
}

/* The index of the counter of a word's digit; the largest digit comes first. */
static cg_val
digit_of(cg_lowering *l, const selection *o, cg_val word, int digit)
{
    cg_build *b = &l->b;
    if (digit)
        word =
            cg_insn2(b, SC_shr, o->word, word, cg_const(b, o->word, (uint64_t)(digit * DIGIT)));
    word = cg_insn2(b, SC_and, o->word, word, cg_const(b, o->word, RADIX - 1));
    cg_val converted = cg_convert(l, word, o->word, COT_I64);
    return cg_isub(b, cg_i64(b, RADIX - 1), converted);
}

static void
count_digits(cg_lowering *l, const selection *o, uint32_t words, int digit, cg_val n)
{
    cg_build *b = &l->b;
    cg_val loop = cg_loop_begin(b, CG_SERIAL, cg_i64(b, 0), n, 1, 0);
    cg_val at =
        digit_of(l, o, cg_load(b, words, list_at(l, o, cg_loop_var(b, loop)), 0), digit);
    cg_val one = cg_i64(b, 1);
    cg_store(b, o->count, at, cg_iadd(b, cg_load(b, o->count, at, 0), one), 0);
    cg_loop_end(b, loop);
}

static void
sum_digits(cg_lowering *l, const selection *o)
{
    cg_build *b = &l->b;
    cg_val loop = cg_loop_of(b, CG_SERIAL, RADIX);
    cg_val sum = cg_loop_carry(b, loop, COT_I64, cg_i64(b, 0)), at = cg_loop_var(b, loop);
    cg_loop_next(b, loop, sum, cg_iadd(b, sum, cg_load(b, o->count, at, 0)));
    cg_store(b, o->count, at, sum, 0);
    cg_loop_end(b, loop);
}

static void
move_digits(cg_lowering *l, const selection *o, const uint32_t *from, const uint32_t *to,
            int digit, cg_val n)
{
    cg_build *b = &l->b;
    cg_val loop = cg_loop_begin(b, CG_SERIAL, cg_i64(b, 0), n, 1, 0);
    cg_val at = list_at(l, o, cg_loop_var(b, loop)), word = cg_load(b, from[0], at, 0);
    cg_val count = digit_of(l, o, word, digit), where = cg_load(b, o->count, count, 0);
    cg_store(b, o->count, count, cg_iadd(b, where, cg_i64(b, 1)), 0);
    cg_val when = cg_is_place(b, where, o->room);
    where = list_at(l, o, where);
    cg_store(b, to[0], where, word, when);
    cg_store(b, to[1], where, cg_load(b, from[1], at, 0), when);
    cg_loop_end(b, loop);
}

/* Sort the n elements of the list in descending order.  The number of digits is even, so that
 * they end in the buffer that they started in. */
static void
sort_list(cg_lowering *l, selection *o, cg_val n)
{
    n = cg_insn2(&l->b, SC_min, COT_I64, n, cg_i64(&l->b, o->room));
    const uint32_t list[2][2] = { { o->best, o->place }, { o->other[0], o->other[1] } };
    for (int d = 0; d < ir_bits(o->word) / DIGIT; d++) {
        cg_strip_mine(l, CG_SERIAL, RADIX, cg_lanes(l, 64), true, zero_digits, o);
        count_digits(l, o, list[d % 2][0], d, n);
        sum_digits(l, o);
        move_digits(l, o, list[d % 2], list[1 - d % 2], d, n);
    }
}

static void
append(cg_lowering *l, const selection *o, cg_val at, cg_val word, cg_val i)
{
    cg_val when = cg_is_place(&l->b, at, o->room);
    at = list_at(l, o, at);
    cg_store(&l->b, o->best, at, word, when);
    cg_store(&l->b, o->place, at, i, when);
}

/* Append the elements of a block that exceed the threshold to the n elements of the list;
 * returns the new number of elements. */
static cg_val
append_block(cg_lowering *l, selection *o, cg_val from, cg_val n, cg_val least)
{
    cg_build *b = &l->b;
    cg_val loop = cg_loop_begin(b, CG_SERIAL, from, cg_iadd(b, from, cg_i64(b, BLOCK)), 1, 0);
    cg_val now = cg_loop_carry(b, loop, COT_I64, n), i = cg_loop_var(b, loop);
    cg_val word = word_at(l, o, i), passes = cg_insn2(b, SC_lt, o->word, least, word);
    /* stored in any case, but counted only if it passes: no branch is mispredicted */
    append(l, o, now, word, i);
    cg_loop_next(b, loop, now,
                 cg_insn3(b, SC_select, COT_I64, passes, cg_iadd(b, now, cg_i64(b, 1)), now));
    cg_loop_end(b, loop);
    return cg_loop_result(b, loop, 0);
}

/* Append a block, if its largest element exceeds the threshold. */
static cg_val
try_block(cg_lowering *l, selection *o, cg_val from, cg_val some, cg_val n, cg_val least)
{
    cg_build *b = &l->b;
    cg_val most = largest_of_block(l, o, from),
           passes = cg_insn2(b, SC_lt, o->word, least, most);
    cg_val in = cg_if_begin(b, cg_insn2(b, SC_and, COT_BOOL, some, passes));
    cg_val more = append_block(l, o, from, n, least);
    cg_if_else(b, in);
    cg_if_yield(b, in, COT_I64, more, n);
    cg_if_end(b, in);
    return cg_loop_result(b, in, 0);
}

/* Take the elements that make up no whole block first, whatever they are, then the blocks.  The
 * list is sorted after the first and last step, and whenever it has no room for another
 * block. */
static void
by_lists(cg_lowering *l, selection *o, cg_ix number)
{
    cg_build *b = &l->b;
    const int64_t blocks = (o->size - o->k) / BLOCK, start = o->size - blocks * BLOCK;
    if (o->base)
        o->base = cg_imul(b, cg_ix_value(&l->ix, b, number), o->room);
    cg_val first = cg_loop_of(b, CG_SERIAL, start), i = cg_loop_var(b, first);
    append(l, o, i, word_at(l, o, i), i);
    cg_loop_end(b, first);

    cg_val loop = cg_loop_of(b, CG_SERIAL, blocks + 1), step = cg_loop_var(b, loop);
    cg_val n = cg_loop_carry(b, loop, COT_I64, cg_i64(b, start));
    cg_val least = cg_loop_carry(b, loop, o->word, cg_const(b, o->word, 0));
    cg_val some = cg_insn2(b, SC_lt, COT_I64, cg_i64(b, 0), step);
    cg_val zero = cg_i64(b, 0);
    cg_val before = cg_insn2(b, SC_max, COT_I64, cg_isub(b, step, cg_i64(b, 1)), zero);
    cg_val constant = cg_i64(b, blocks ? start : 0);
    cg_val from = cg_iadd(b, cg_imul(b, before, BLOCK), constant);
    cg_val now = blocks ? try_block(l, o, from, some, n, least) : n;
    cg_val full = cg_insn2(b, SC_lt, COT_I64, cg_i64(b, o->room - BLOCK - 1), now);
    cg_val equal = cg_insn2(b, SC_eq, COT_I64, step, cg_i64(b, blocks));
    cg_val end =
        cg_insn2(b, SC_or, COT_BOOL, cg_insn2(b, SC_eq, COT_I64, step, cg_i64(b, 0)), equal);
    cg_val sorts = cg_if_begin(b, cg_insn2(b, SC_or, COT_BOOL, full, end));
    sort_list(l, o, now);
    cg_val next = cg_load(b, o->best, list_at(l, o, cg_i64(b, o->k - 1)), 0);
    cg_if_else(b, sorts);
    cg_if_yield(b, sorts, COT_I64, cg_i64(b, o->k), now);
    cg_if_yield(b, sorts, o->word, next, least);
    cg_if_end(b, sorts);
    cg_loop_next(b, loop, n, cg_loop_result(b, sorts, 0));
    cg_loop_next(b, loop, least, cg_loop_result(b, sorts, 1));
    cg_loop_end(b, loop);
    cg_strip_mine(l, CG_SERIAL, o->k, 1, true, store_places, o);
}

static void
line(cg_lowering *l, void *user, cg_ix i)
{
    selection *o = user;
    cg_build *b = &l->b;
    int64_t whole = (o->size - o->k) / BLOCK * BLOCK;
    cg_line_at(l, o->t, o->axis, i, o->at);
    if (o->room) {
        by_lists(l, o, i);
        return;
    }
    fill(l, o);
    cg_val from = cg_i64(b, o->k), to = cg_i64(b, o->k + whole), least = threshold(l, o);
    if (whole)
        least = compare(l, o, from, to, BLOCK, least);
    if (o->k + whole < o->size)
        compare(l, o, to, cg_i64(b, o->size), 1, least);
    cg_strip_mine(l, CG_SERIAL, o->k, 1, true, store_places, o);
}

static void
make_lists(cg_lowering *l, selection *o, int64_t lines)
{
    if (!o->room) {
        o->best = cg_local_buffer(l, "best", o->word, o->k);
        o->place = cg_local_buffer(l, "place", COT_I64, o->k);
        return;
    }
    const int64_t room = lines * o->room; /* of each line that is in progress */
    o->best = cg_work_buffer(l, "word", "word", o->word, room);
    o->place = cg_work_buffer(l, "place", "place", COT_I64, room);
    o->other[0] = cg_work_buffer(l, "word", "word", o->word, room);
    o->other[1] = cg_work_buffer(l, "place", "place", COT_I64, room);
    o->count = cg_local_buffer(l, "count", COT_I64, RADIX);
}

bool
cg_plan_top(cg_lowering *l, cg_level *v, const cg_group *g)
{
    const ir_node *n = g->node;
    const ir_type *x = ir_type_at(v->f, n->in[0]);
    selection o = { .n = n,
                    .t = ir_type_at(v->f, n->first),
                    .key = x->dtype,
                    .word = cg_word_type(x->dtype),
                    .axis = (int)n->at->top.axis,
                    .k = n->at->top.k };
    o.size = x->dims[o.axis];
    o.lines = o.t->size / o.k;
    if (o.k > CG_LOWER_MAX_INSERTED ? CG_LOWER_TOP_SHARE * o.k > o.size
                                    : CG_LOWER_INSERTED_SHARE * o.k > o.size)
        return false;
    if (o.k > CG_LOWER_MAX_INSERTED)
        o.room = 2 * o.k + CG_LOWER_TOP_LIST;
    o.fr = cg_node_kernel(l, v, n);
    o.out = cg_place_buffer(l, &v->place[n->first], o.t, "y", true);
    l->k->flops = x->size * CG_LOWER_COST_TOP;
    bool many = o.lines > 1 && cg_lines_are_apart(l, o.t, o.axis) &&
                cg_is_shared(l, x->size * CG_LOWER_COST_TOP, 1, 0);
    make_lists(l, &o, many ? o.lines : 1);
    o.base = many ? cg_i64(&l->b, 0) : 0;
    ir_buf_printf(l->why, "%s: %lld lines of %lld, by %s%s\n", l->k->name, (long long)o.lines,
                  (long long)o.size, o.room ? "lists" : "insertion", many ? ", parallel" : "");
    cg_strip_mine(l, many ? CG_PARALLEL : CG_SERIAL, o.lines, 1, true, line, &o);
    cg_kernel_call(l);
    return true;
}
