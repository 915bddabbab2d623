/* argsort on a GPU: a bitonic network (K. Batcher, Sorting networks and their applications,
 * 1968).
 *
 * Words of the keys and positions are in scratch memory, each line padded to a power of two
 * with elements that follow all others.  Positions break ties, so no two elements are equal,
 * and the order is the stable one, whatever the network does.  A step compares all pairs of one
 * distance at once.  A line that fits shared memory is sorted by one block, with a barrier
 * after each step.  For longer lines a kernel does one step; loops of the entry call it, with
 * the length of the runs that are merged and the distance as parameters. */
#include "codegen/elemental/element.h"
#include "codegen/elemental/strip_mine.h"
#include "codegen/fuse/fuse.h"
#include "codegen/kernel/grid.h"
#include "codegen/lower/level.h"
#include "codegen/lower/sort_keys.h"
#include "codegen/tuning.h"

typedef struct network {
    const ir_node *n;
    cg_level *v;
    cg_frame *fr;
    const ir_type *t;           /* type of the result */
    int axis;
    bool top;                   /* sort in descending order */
    int64_t size, most, lines, padded;
    cot_dtype place;
    cg_place word_at[CG_LOWER_MAX_NETWORK_KEYS], place_at;
    uint32_t word[CG_LOWER_MAX_NETWORK_KEYS], places, out;
} network;

static cot_dtype
word_type(const network *s, int key)
{
    return cg_word_type(ir_type_at(s->v->f, s->n->in[key])->dtype);
}

static uint32_t
scratch(cg_lowering *l, const network *s, cg_place *p, cot_dtype t, const char *name)
{
    const int64_t dims[1] = { s->lines * s->padded };
    const ir_type *type = ir_type_as(l->ctx, ir_type_shaped(l->ctx, s->t, 1, dims), t);

    if (!p->set)
        *p = cg_plan_new(l, name, type);
    return cg_place_buffer(l, p, type, name, true);
}

static void
begin(cg_lowering *l, network *s)
{
    s->fr = cg_node_kernel(l, s->v, s->n);
    for (int k = 0; k < s->n->n_in; k++)
        s->word[k] = scratch(l, s, &s->word_at[k], word_type(s, k), "word");
    s->places = scratch(l, s, &s->place_at, s->place, "place");
}

/* The index, on all axes, of element `at` of a line. */
static void
index_of(cg_lowering *l, const network *s, cg_ix line, cg_ix at, cg_ix *to)
{
    cg_line_at(l, s->t, s->axis, line, to);
    to[s->axis] = at;
}

/* -- the steps of the network -------------------------------------------------------------- */

/* Store element j of a line at index `to` of the scratch. */
static void
fill_one(cg_lowering *l, const network *s, cg_ix line, cg_val j, cg_val to)
{
    cg_build *b = &l->b;
    cg_ix at = cg_ix_var(&l->ix, cg_imin(b, j, cg_i64(b, s->size - 1)), 0, s->size - 1),
          index[COT_MAX_RANK + 1];
    cg_val there = s->padded > s->size ? cg_insn2(b, SC_lt, COT_I64, j, cg_i64(b, s->size)) : 0;

    index_of(l, s, line, at, index);
    for (int k = 0; k < s->n->n_in; k++) {
        const cot_dtype t = ir_type_at(s->v->f, s->n->in[k])->dtype, w = word_type(s, k);
        const int bits = t == COT_BOOL ? 8 : ir_bits(t);
        const uint64_t all = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
        cg_val x = cg_word_of(l, cg_element(l, s->fr, s->n->in[k], index), t);
        if (s->top)
            x = cg_insn2(b, SC_xor, w, x, cg_const(b, w, all));
        cg_store(b, s->word[k], to, cg_choose(l, w, there, x, cg_const(b, w, UINT64_MAX)), 0);
    }
    cg_store(b, s->places, to, cg_convert(l, j, COT_I64, s->place), 0);
}

static void
fill(cg_lowering *l, void *user, cg_ix i)
{
    const network *s = user;
    cg_build *b = &l->b;
    cg_val flat = cg_ix_value(&l->ix, b, i);

    cg_val remainder = cg_imod(b, flat, s->padded);
    fill_one(l, s, cg_ix_var(&l->ix, cg_idiv(b, flat, s->padded), 0, s->lines - 1), remainder,
             flat);
}

/* Compare elements i and i + distance of a line: ascending if bit `run` of i is 0, else
 * descending. */
static void
compare_pair(cg_lowering *l, const network *s, cg_val pair, cg_val run, cg_val distance)
{
    cg_build *b = &l->b;
    cg_val one = cg_i64(b, 1);
    cg_val low =
        cg_insn2(b, SC_and, COT_I64, pair, cg_insn2(b, SC_sub, COT_I64, distance, one));
    cg_val i = cg_insn2(b, SC_sub, COT_I64, cg_insn2(b, SC_shl, COT_I64, pair, one), low);
    cg_val j = cg_insn2(b, SC_add, COT_I64, i, distance),
           x[CG_LOWER_MAX_NETWORK_KEYS + 1] = { 0 }, y[CG_LOWER_MAX_NETWORK_KEYS + 1] = { 0 };
    const int keys = s->n->n_in;
    cg_val there = cg_is_place(b, j, l->k->buffer[s->places].elements);

    for (int k = 0; k <= keys; k++) {
        const uint32_t from = k < keys ? s->word[k] : s->places;
        x[k] = cg_load(b, from, i, there);
        y[k] = cg_load(b, from, j, there);
    }
    cg_val after = cg_insn2(b, SC_lt, s->place, y[keys], x[keys]);
    for (int k = keys - 1; k >= 0; k--) {
        const cot_dtype w = word_type(s, k);
        after = cg_insn2(b, SC_and, COT_BOOL, cg_insn2(b, SC_eq, w, x[k], y[k]), after);
        after = cg_insn2(b, SC_or, COT_BOOL, cg_insn2(b, SC_lt, w, y[k], x[k]), after);
    }
    /* the last merge, whose run is the whole line, is ascending */
    cg_val bit = cg_insn2(b, SC_and, COT_I64, cg_imod(b, i, s->padded), run);
    cg_val down = cg_insn2(b, SC_ne, COT_I64, bit, cg_i64(b, 0));
    cg_val swap =
        cg_insn2(b, SC_and, COT_BOOL, there, cg_insn2(b, SC_xor, COT_BOOL, after, down));
    for (int k = 0; k <= keys; k++) {
        const uint32_t to = k < keys ? s->word[k] : s->places;
        cg_store(b, to, i, y[k], swap);
        cg_store(b, to, j, x[k], swap);
    }
}

static void
compare(cg_lowering *l, void *user, cg_ix pair)
{
    cg_val distance = cg_param(&l->b, 1);
    cg_val run = cg_param(&l->b, 0);
    compare_pair(l, user, cg_ix_value(&l->ix, &l->b, pair), run, distance);
}

/* Store position j of a line, which is at index `from` of the scratch, as a result. */
static void
store_one(cg_lowering *l, const network *s, cg_ix line, cg_val j, cg_val from)
{
    cg_build *b = &l->b;
    cg_ix to[COT_MAX_RANK + 1];

    index_of(l, s, line, cg_ix_var(&l->ix, j, 0, s->most - 1), to);
    cg_val value = cg_convert(l, cg_load(b, s->places, from, 0), s->place, s->t->dtype);
    cg_store(b, s->out, cg_ix_value(&l->ix, b, cg_ix_flat(&l->ix, s->t->rank, s->t->dims, to)),
             value, 0);
}

static void
store_result(cg_lowering *l, void *user, cg_ix i)
{
    const network *s = user;
    cg_build *b = &l->b;
    cg_val flat = cg_ix_value(&l->ix, b, i), j = cg_imod(b, flat, s->most),
           line = cg_idiv(b, flat, s->most);

    store_one(l, s, cg_ix_var(&l->ix, line, 0, s->lines - 1), j,
              cg_iadd(b, cg_imul(b, line, s->padded), j));
}

/* -- a block for each line ----------------------------------------------------------------- */

static int64_t
bytes_of_line(const network *s)
{
    size_t bytes = cot_dtype_size(s->place);

    for (int k = 0; k < s->n->n_in; k++)
        bytes += cot_dtype_size(word_type(s, k));
    return s->padded * (int64_t)bytes;
}

static uint32_t
shared_buffer(cg_lowering *l, const char *name, cot_dtype t, int64_t n)
{
    const uint32_t b = cg_local_buffer(l, name, t, n);

    l->k->buffer[b].space = CG_SHARED;
    return b;
}

/* Emit body(i) for i = t, t + threads, ... below n, for thread t. */
typedef void thread_body(cg_lowering *l, const network *s, cg_ix line, cg_val i,
                         const cg_val *user);

static void
loop_of_thread(cg_lowering *l, const network *s, cg_ix line, cg_val t, int64_t threads,
               int64_t n, thread_body *body, const cg_val *user)
{
    cg_val i, loop = cg_thread_loop(&l->b, t, threads, n, &i);

    body(l, s, line, i, user);
    cg_loop_end(&l->b, loop);
}

static void
fill_of_thread(cg_lowering *l, const network *s, cg_ix line, cg_val i, const cg_val *user)
{
    (void)user;
    fill_one(l, s, line, i, i);
}

static void
compare_of_thread(cg_lowering *l, const network *s, cg_ix line, cg_val i, const cg_val *user)
{
    (void)line;
    compare_pair(l, s, i, user[0], user[1]);
}

static void
store_of_thread(cg_lowering *l, const network *s, cg_ix line, cg_val i, const cg_val *user)
{
    (void)user;
    store_one(l, s, line, i, i);
}

/* Merge runs of 2, 4, ... elements, each merge by steps of half the distance. */
static void
merge_line(cg_lowering *l, const network *s, cg_ix line, cg_val t, int64_t threads)
{
    cg_build *b = &l->b;
    int64_t stages = 0;

    while ((int64_t)1 << stages < s->padded)
        stages++;
    cg_val one = cg_i64(b, 1),
           outer = cg_loop_begin(b, CG_SERIAL, one, cg_i64(b, stages + 1), 1, 0);
    cg_val stage = cg_loop_var(b, outer);
    cg_val inner = cg_loop_begin(b, CG_SERIAL, cg_i64(b, 0), stage, 1, 0);
    cg_val left = cg_isub(b, cg_isub(b, stage, one), cg_loop_var(b, inner));
    const cg_val run[2] = { cg_insn2(b, SC_shl, COT_I64, one, stage),
                            cg_insn2(b, SC_shl, COT_I64, one, left) };

    loop_of_thread(l, s, line, t, threads, s->padded / 2, compare_of_thread, run);
    cg_barrier(b);
    cg_loop_end(b, inner);
    cg_loop_end(b, outer);
}

static void
sort_in_blocks(cg_lowering *l, network *s)
{
    cg_build *b = &l->b;
    const int64_t threads =
        s->padded / 2 < CG_LOWER_NETWORK_THREADS ? s->padded / 2 : CG_LOWER_NETWORK_THREADS;

    s->fr = cg_node_kernel(l, s->v, s->n);
    s->out = cg_place_buffer(l, &s->v->place[s->n->first], s->t, "y", true);
    for (int k = 0; k < s->n->n_in; k++)
        s->word[k] = shared_buffer(l, "word", word_type(s, k), s->padded);
    s->places = shared_buffer(l, "place", s->place, s->padded);
    cg_val grid = cg_loop_of(b, CG_GRID, s->lines);
    cg_ix line = cg_ix_var(&l->ix, cg_loop_var(b, grid), 0, s->lines - 1);
    cg_val block = cg_loop_of(b, CG_BLOCK, threads);
    cg_val t = cg_loop_var(b, block);

    loop_of_thread(l, s, line, t, threads, s->padded, fill_of_thread, NULL);
    cg_barrier(b);
    merge_line(l, s, line, t, threads);
    loop_of_thread(l, s, line, t, threads, s->most, store_of_thread, NULL);
    cg_loop_end(b, block);
    cg_loop_end(b, grid);
    l->k->flops = s->lines * s->padded * CG_LOWER_COST_SORT;
    ir_buf_printf(l->why, "%s: %lld lines of %lld, a block each\n", l->k->name,
                  (long long)s->lines, (long long)s->size);
    cg_kernel_call(l);
}

/* -- a kernel for each step ---------------------------------------------------------------- */

static void
plan_network(cg_lowering *l, network *s)
{
    cg_build *e = &l->entry;
    int64_t stages = 0;

    while ((int64_t)1 << stages < s->padded)
        stages++;
    cg_plan_loop_begin(l);
    cg_val one = cg_i64(e, 1),
           outer = cg_loop_begin(e, CG_SERIAL, one, cg_i64(e, stages + 1), 1, 0);
    cg_val stage = cg_loop_var(e, outer),
           inner = cg_loop_begin(e, CG_SERIAL, cg_i64(e, 0), stage, 1, 0);
    cg_val left = cg_isub(e, cg_isub(e, stage, one), cg_loop_var(e, inner));
    const cg_val params[2] = { cg_insn2(e, SC_shl, COT_I64, one, stage),
                               cg_insn2(e, SC_shl, COT_I64, one, left) };

    begin(l, s);
    cg_strip_mine(l, CG_PARALLEL, s->lines * (s->padded / 2), 1, true, compare, s);
    l->k->flops = s->lines * s->padded;
    cg_kernel_call_with(l, 2, params);
    cg_loop_end(e, inner);
    cg_loop_end(e, outer);
    cg_plan_loop_end(l);
}

bool
cg_plan_sort_grid(cg_lowering *l, cg_level *v, const ir_node *n, int axis, bool top)
{
    network s = {
        .n = n, .v = v, .t = ir_type_at(v->f, n->first), .axis = axis, .top = top, .padded = 1
    };

    s.size = ir_type_at(v->f, n->in[0])->dims[axis];
    s.most = s.t->dims[axis];
    s.lines = s.t->size / s.most;
    s.place = s.size <= INT32_MAX ? COT_I32 : COT_I64;
    if (!l->target.grid || s.size <= CG_LOWER_MAX_SORT_ALONE ||
        n->n_in > CG_LOWER_MAX_NETWORK_KEYS)
        return false;
    while (s.padded < s.size)
        s.padded *= 2;
    if (bytes_of_line(&s) <= CG_MAX_SHARED) {
        sort_in_blocks(l, &s);
        return true;
    }
    begin(l, &s);
    cg_strip_mine(l, CG_PARALLEL, s.lines * s.padded, 1, true, fill, &s);
    cg_kernel_call(l);
    plan_network(l, &s);
    begin(l, &s);
    s.out = cg_place_buffer(l, &v->place[n->first], s.t, "y", true);
    cg_strip_mine(l, CG_PARALLEL, s.lines * s.most, 1, true, store_result, &s);
    cg_kernel_call(l);
    return true;
}
