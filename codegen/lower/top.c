/* top_k of few elements: one pass over the line, which keeps the k best so far in order.
 *
 * The least of them is the threshold.  Elements are met by blocks in lanes: a block whose largest word does not
 * pass the threshold is done with, and of others each element that does is inserted where it belongs.  An element
 * equal to the threshold comes after it, so it never displaces it.  Of n elements in random order k log(n / k) are
 * inserted. */
#include "codegen/cost.h"
#include "codegen/fuse.h"
#include "codegen/lower/order.h"

enum { TOP_MOST = 64, BLOCK = 64 };

typedef struct topping {
    const ir_node *n;
    cg_frame *fr;
    const ir_type *t;                   /* of the result */
    cot_dtype key, word;
    int64_t size, k, lines;
    int axis;
    uint32_t out, best, place;          /* the k best words, and their places */
    cg_ix at[COT_MAX_RANK + 1];         /* the line */
} topping;

static cg_val
word_at(cg_lowering *l, topping *o, cg_val i)
{
    o->at[o->axis] = cg_ix_var(&l->ix, i, 0, o->size - 1);
    return cg_word_of(l, cg_pull(l, o->fr, o->n->in[0], o->at), o->key);
}

/* The word of element i goes before those that are less, of the `n` there are; one more place is free. */
static void
insert(cg_lowering *l, const topping *o, cg_val word, cg_val i, cg_val n)
{
    cg_build *b = &l->b;
    cg_val loop = cg_while_begin(b), at = cg_while_carry(b, loop, COT_I64, n), zero = cg_i64(b, 0);
    uint32_t mark = cg_scope_begin(l);
    cg_val back = cg_isub(b, at, cg_i64(b, 1)), safe = cg_insn2(b, SC_max, COT_I64, back, zero);
    cg_val less = cg_insn2(b, SC_lt, o->word, cg_load(b, o->best, safe, 0), word);
    cg_while_test(b, loop, cg_insn2(b, SC_and, COT_BOOL, less, cg_insn2(b, SC_lt, COT_I64, zero, at)));
    cg_val before = cg_isub(b, at, cg_i64(b, 1));
    cg_store(b, o->best, at, cg_load(b, o->best, before, 0), 0);
    cg_store(b, o->place, at, cg_load(b, o->place, before, 0), 0);
    cg_while_next(b, loop, at, before);
    cg_scope_end(l, mark);
    cg_while_end(b, loop);
    at = cg_loop_result(b, loop, 0);
    cg_store(b, o->best, at, word, 0);
    cg_store(b, o->place, at, i, 0);
}

static cg_val
threshold(cg_lowering *l, const topping *o)
{
    return cg_load(&l->b, o->best, cg_i64(&l->b, o->k - 1), 0);
}

/* The first k, whatever they are. */
static void
fill(cg_lowering *l, topping *o)
{
    cg_build *b = &l->b;
    cg_val loop = cg_loop_begin(b, CG_SERIAL, cg_i64(b, 0), cg_i64(b, o->k), 1, 0), i = cg_loop_var(b, loop);
    uint32_t mark = cg_scope_begin(l);
    insert(l, o, word_at(l, o, i), i, i);
    cg_scope_end(l, mark);
    cg_loop_end(b, loop);
}

/* Elements from ... to - 1, each on its own; the threshold after them. */
static cg_val
one_by_one(cg_lowering *l, topping *o, cg_val from, cg_val to, cg_val least)
{
    cg_build *b = &l->b;
    cg_val loop = cg_loop_begin(b, CG_SERIAL, from, to, 1, 0), i = cg_loop_var(b, loop);
    cg_val now = cg_loop_carry(b, loop, o->word, least);
    uint32_t mark = cg_scope_begin(l);
    cg_val word = word_at(l, o, i), in = cg_if_begin(b, cg_insn2(b, SC_lt, o->word, now, word));
    uint32_t inner = cg_scope_begin(l);
    insert(l, o, word, i, cg_i64(b, o->k - 1));
    cg_val next = threshold(l, o);
    cg_scope_end(l, inner);
    cg_if_else(b, in);
    cg_if_yield(b, in, o->word, next, now);
    cg_if_end(b, in);
    cg_loop_next(b, loop, now, cg_loop_result(b, in, 0));
    cg_scope_end(l, mark);
    cg_loop_end(b, loop);
    return cg_loop_result(b, loop, 0);
}

static cg_val
largest_of_block(cg_lowering *l, topping *o, cg_val from)
{
    cg_build *b = &l->b;
    cg_val loop = cg_loop_begin(b, CG_VECTOR, cg_i64(b, 0), cg_i64(b, BLOCK), 1, 0);
    uint32_t mark = cg_scope_begin(l);
    bool vector = l->vector;
    l->vector = true;
    cg_val word = word_at(l, o, cg_iadd(b, from, cg_loop_var(b, loop)));
    l->vector = vector;
    cg_loop_reduce(b, loop, CG_FOLD, SC_max, o->word, word);
    cg_scope_end(l, mark);
    cg_loop_end(b, loop);
    return cg_loop_result(b, loop, 0);
}

/* Whole blocks from `from` on. */
static cg_val
by_blocks(cg_lowering *l, topping *o, cg_val from, cg_val to, cg_val least)
{
    cg_build *b = &l->b;
    cg_val loop = cg_loop_begin(b, CG_SERIAL, from, to, BLOCK, 0), i = cg_loop_var(b, loop);
    cg_val now = cg_loop_carry(b, loop, o->word, least);
    uint32_t mark = cg_scope_begin(l);
    cg_val most = largest_of_block(l, o, i), some = cg_if_begin(b, cg_insn2(b, SC_lt, o->word, now, most));
    uint32_t inner = cg_scope_begin(l);
    cg_val next = one_by_one(l, o, i, cg_iadd(b, i, cg_i64(b, BLOCK)), now);
    cg_scope_end(l, inner);
    cg_if_else(b, some);
    cg_if_yield(b, some, o->word, next, now);
    cg_if_end(b, some);
    cg_loop_next(b, loop, now, cg_loop_result(b, some, 0));
    cg_scope_end(l, mark);
    cg_loop_end(b, loop);
    return cg_loop_result(b, loop, 0);
}

static void
store_places(cg_lowering *l, void *user, cg_ix i)
{
    topping *o = user;
    cg_build *b = &l->b;
    o->at[o->axis] = i;
    cg_ix flat = cg_ix_flat(&l->ix, o->t->rank, o->t->dims, o->at);
    cg_val place = cg_load(b, o->place, cg_ix_value(&l->ix, b, i), 0);
    cg_store(b, o->out, cg_ix_value(&l->ix, b, flat), cg_convert(l, place, COT_I64, o->t->dtype), 0);
}

static void
line(cg_lowering *l, void *user, cg_ix i)
{
    topping *o = user;
    cg_build *b = &l->b;
    int64_t dims[COT_MAX_RANK], whole = (o->size - o->k) / BLOCK * BLOCK;
    cg_ix at[COT_MAX_RANK + 1];
    int rank = 0;
    for (int k = 0; k < o->t->rank; k++)
        if (k != o->axis)
            dims[rank++] = o->t->dims[k];
    cg_ix_split(&l->ix, i, rank, dims, at);
    for (int k = 0, j = 0; k < o->t->rank; k++)
        if (k != o->axis)
            o->at[k] = at[j++];
    fill(l, o);
    cg_val from = cg_i64(b, o->k), to = cg_i64(b, o->k + whole), least = threshold(l, o);
    if (whole)
        least = by_blocks(l, o, from, to, least);
    if (o->k + whole < o->size)
        one_by_one(l, o, to, cg_i64(b, o->size), least);
    cg_each(l, CG_SERIAL, o->k, 1, true, store_places, o);
}

bool
cg_plan_top(cg_lowering *l, cg_level *v, const cg_group *g)
{
    const ir_node *n = g->node;
    const cg_group none = { 0 };
    const ir_type *x = ir_type_at(v->f, n->in[0]);
    topping o = { .n = n, .t = ir_type_at(v->f, n->first), .key = x->dtype, .word = cg_word_type(x->dtype),
                  .axis = (int)n->at.top.axis, .k = n->at.top.k };
    o.size = x->dims[o.axis];
    o.lines = o.t->size / o.k;
    if (o.k > TOP_MOST || 2 * o.k > o.size)
        return false;
    cg_kernel_begin(l, "top_k");
    l->k->loc = n->loc;
    l->k->note = ir_ops[OP_top_k].doc;
    o.fr = cg_level_frame(l, v, &none);
    o.out = cg_place_buffer(l, &v->place[n->first], o.t, "y", true);
    o.best = cg_local_buffer(l, "best", o.word, o.k);
    o.place = cg_local_buffer(l, "place", COT_I64, o.k);
    l->k->flops = x->size * 4;
    bool many = l->o->threads > 1 && o.lines > 1 && x->size * 4 > CG_COST_PARALLEL;
    ir_buf_printf(l->why, "%s: %lld lines of %lld, by insertion%s\n", l->k->name, (long long)o.lines,
                  (long long)o.size, many ? ", parallel" : "");
    cg_each(l, many ? CG_PARALLEL : CG_SERIAL, o.lines, 1, true, line, &o);
    cg_kernel_call(l);
    return true;
}
