/* Cumulative ops whose lanes run along the elements of a chunk: for lines that are not adjacent
 * in memory, element by element.
 *
 * A chunk of 16 is one iteration of a serial loop inside a vector loop: it is scanned (CG_SCAN)
 * and combined with the carry, a scalar.  The prefix of a block is the scan of the totals of
 * the blocks before it.  A single thread updates that scan after each block, and only in the
 * chunk of totals that contains the block, so that it reads each element once.  Threads that
 * share a line compute the totals of a run of blocks, then their scan, then the results. */
#include "codegen/elemental/element.h"
#include "codegen/elemental/strip_mine.h"
#include "codegen/lower/cumulate.h"
#include "codegen/tuning.h"

/* -- chunks -- */

/* Open a loop over the lanes of a chunk of m elements, or at most m if there is a limit.
 * Returns the number of the lane. */
static cg_ix
lanes_begin(cg_lowering *l, cg_cumulating *c, int64_t m, cg_val limit)
{
    const int64_t lanes = cg_pow2_from(m);
    if (!limit && m < lanes)
        limit = cg_i64(&l->b, m);
    c->chunk =
        cg_loop_begin(&l->b, CG_VECTOR, cg_i64(&l->b, 0), cg_i64(&l->b, lanes), 1, limit);
    l->vector = true;
    return cg_ix_var(&l->ix, cg_loop_var(&l->b, c->chunk), 0, m - 1);
}

static void
lanes_end(cg_lowering *l, cg_cumulating *c)
{
    l->vector = false;
    cg_loop_end(&l->b, c->chunk);
}

/* Scan a chunk, and if `results`, store it combined with what precedes it.  Returns the scan of
 * the chunk alone. */
static cg_val
chunk_in_lanes(cg_lowering *l, cg_cumulating *c, cg_ix i, bool results, cg_val carry,
               cg_val before)
{
    cg_val x = cg_scan_lanes(&l->b, c->how.op, cg_cumulate_element(l, c, i, 0));
    if (results) {
        cg_val y = cg_cumulate_combine(l, c, carry, x);
        cg_cumulate_put(l, c, i, before ? cg_cumulate_combine(l, c, before, y) : y, 0);
    }
    return x;
}

/* The loop over chunks, at most `most`, is inside the vector loop.  Only the carry depends on
 * the chunk before, and it is an operation on scalars. */
static void
whole_chunks(cg_lowering *l, cg_cumulating *c, cg_ix base, cg_val chunks, int64_t most,
             bool keeps, bool results, cg_val before)
{
    cg_build *b = &l->b;
    cg_ix lane = lanes_begin(l, c, CG_CHUNK, 0);
    cg_val loop = cg_loop_begin(b, CG_SERIAL, cg_i64(b, 0), chunks, 1, 0);
    cg_val carry = cg_loop_carry(b, loop, c->how.type, cg_neutral(b, c->how.op, c->how.type));
    cg_ix k = cg_ix_var(&l->ix, cg_loop_var(b, loop), 0, most - 1);
    cg_ix i = cg_ix_add(&l->ix, cg_ix_add(&l->ix, base, cg_ix_mul(&l->ix, k, CG_CHUNK)), lane);
    cg_val x = chunk_in_lanes(l, c, i, results, carry, before);
    cg_loop_next(b, loop, carry, cg_cumulate_combine(l, c, carry, cg_last_lane(b, x)));
    cg_loop_end(b, loop);
    if (keeps)
        cg_store(b, c->kept, cg_i64(b, 0), cg_loop_result(b, loop, 0), 0);
    lanes_end(l, c);
}

/* Scan the chunks of a block of m elements at base; store results if `results`.  Returns the
 * total of a whole block. */
static cg_val
block_in_lanes(cg_lowering *l, cg_cumulating *c, cg_ix base, int64_t m, bool results,
               cg_val before)
{
    const int64_t chunks = m / CG_CHUNK, rest = m % CG_CHUNK;
    const bool keeps = rest || m == CG_SCAN_BLOCK;
    cg_val carry = cg_neutral(&l->b, c->how.op, c->how.type);
    if (chunks)
        whole_chunks(l, c, base, cg_i64(&l->b, chunks), chunks, keeps, results, before);
    if (chunks && keeps)
        carry = cg_load(&l->b, c->kept, cg_i64(&l->b, 0), 0);
    if (rest) {
        cg_ix lane = lanes_begin(l, c, rest, 0);
        cg_ix first = cg_ix_addc(&l->ix, base, chunks * CG_CHUNK);
        chunk_in_lanes(l, c, cg_ix_add(&l->ix, first, lane), true, carry, before);
        lanes_end(l, c);
    }
    return carry;
}

/* The elements behind the whole blocks of an open number of them: whole chunks, if there are
 * any, then a loop over the last one, which runs once or not at all. */
static void
rest_in_lanes(cg_lowering *l, cg_cumulating *c, cg_val before)
{
    cg_build *b = &l->b;
    const cg_scan_rest r = cg_cumulate_rest(l, c, 0);
    whole_chunks(l, c, r.base, r.chunks, CG_SCAN_BLOCK / CG_CHUNK, true, true, before);
    cg_val carry = cg_load(b, c->kept, cg_i64(b, 0), 0);
    cg_val loop = cg_loop_begin(b, CG_SERIAL, cg_i64(b, 0), r.elements, CG_CHUNK, 0);
    cg_ix lane = lanes_begin(l, c, CG_CHUNK, r.elements);
    chunk_in_lanes(l, c, cg_ix_add(&l->ix, r.behind, lane), true, carry, before);
    lanes_end(l, c);
    cg_loop_end(b, loop);
}

/* -- blocks -- */

/* The index of the total of block i of a level, and of its scan. */
static cg_val
scratch_at(cg_lowering *l, cg_cumulating *c, int level, cg_val i)
{
    const int64_t rows = cg_cumulate_rows(c, level);
    cg_ix at = cg_ix_var(&l->ix, i, 0, rows - 1);
    return cg_ix_value(&l->ix, &l->b, cg_ix_add(&l->ix, at, cg_ix_mul(&l->ix, c->row, rows)));
}

/* The prefix of block i of a level: the neutral element if i is 0. */
static cg_val
before_blocks(cg_lowering *l, cg_cumulating *c, int level, cg_val i)
{
    cg_build *b = &l->b;
    cg_val zero = cg_i64(b, 0), some = cg_insn2(b, SC_lt, COT_I64, zero, i);
    cg_val last = cg_insn2(b, SC_max, COT_I64, cg_iadd(b, i, cg_i64(b, -1)), zero);
    cg_val x = cg_load(b, c->sum[level], scratch_at(l, c, level, last), some);
    x = cg_choose(l, c->how.type, some, x, cg_neutral(b, c->how.op, c->how.type));
    if (level + 1 == c->levels)
        return x;
    return cg_cumulate_combine(
        l, c, before_blocks(l, c, level + 1, cg_idiv(b, last, CG_SCAN_BLOCK)), x);
}

static void push_total(cg_lowering *l, cg_cumulating *c, int level, cg_val i);

/* If block i completes a block of the next level, store the total of that and scan it. */
static void
push_up(cg_lowering *l, cg_cumulating *c, int level, cg_val i)
{
    cg_build *b = &l->b;
    cg_val full =
        cg_insn2(b, SC_eq, COT_I64, cg_imod(b, i, CG_SCAN_BLOCK), cg_i64(b, CG_SCAN_BLOCK - 1));
    cg_val branch = cg_if_begin(b, full);
    cg_val up = cg_idiv(b, i, CG_SCAN_BLOCK);
    cg_store(b, c->total[level + 1], scratch_at(l, c, level + 1, up),
             cg_load(b, c->sum[level], scratch_at(l, c, level, i), 0), 0);
    push_total(l, c, level + 1, up);
    cg_if_end(b, branch);
}

/* Scan the totals of the chunk that contains block i, whose total has been stored.  Lanes
 * behind i have no total yet; they are overwritten later. */
static void
push_total(cg_lowering *l, cg_cumulating *c, int level, cg_val i)
{
    cg_build *b = &l->b;
    const cot_dtype t = c->how.type;
    cg_val none = cg_neutral(b, c->how.op, t),
           first = cg_imul(b, cg_idiv(b, i, CG_CHUNK), CG_CHUNK);
    cg_val within = cg_insn2(b, SC_ne, COT_I64, cg_imod(b, first, CG_SCAN_BLOCK), cg_i64(b, 0));
    cg_val last = cg_insn2(b, SC_max, COT_I64, cg_iadd(b, first, cg_i64(b, -1)), cg_i64(b, 0));
    cg_val carry = cg_load(b, c->sum[level], scratch_at(l, c, level, last), within);
    carry = cg_choose(l, t, within, carry, none);
    cg_take_value(b, c->scan_takes[level], i, 0);

    cg_ix lane = lanes_begin(l, c, CG_CHUNK, 0);
    cg_val at = cg_iadd(b, first, cg_ix_value(&l->ix, b, lane));
    cg_val there = cg_insn2(b, SC_le, COT_I64, at, i);
    cg_val to = scratch_at(l, c, level, at);
    cg_val x = cg_load(b, c->total[level], to, there);
    x = cg_scan_lanes(b, c->how.op, cg_choose(l, t, there, x, none));
    cg_store(b, c->sum[level], to, cg_cumulate_combine(l, c, carry, x), 0);
    lanes_end(l, c);
    if (level + 1 < c->levels)
        push_up(l, c, level, i);
}

static void
block_at_once(cg_lowering *l, void *user, cg_ix b)
{
    cg_cumulating *c = user;
    cg_val i = cg_ix_value(&l->ix, &l->b, b), before = before_blocks(l, c, 0, i);
    cg_val total =
        block_in_lanes(l, c, cg_ix_mul(&l->ix, b, CG_SCAN_BLOCK), CG_SCAN_BLOCK, true, before);
    cg_store(&l->b, c->total[0], scratch_at(l, c, 0, i), total, 0);
    push_total(l, c, 0, i);
}

static void
block_and_scan(cg_lowering *l, void *user, cg_ix b)
{
    push_total(l, user, 0, cg_ix_value(&l->ix, &l->b, b));
}

static void
results_of_block(cg_lowering *l, void *user, cg_ix b)
{
    cg_cumulating *c = user;
    cg_val before = before_blocks(l, c, 0, cg_ix_value(&l->ix, &l->b, b));
    block_in_lanes(l, c, cg_ix_mul(&l->ix, b, CG_SCAN_BLOCK), CG_SCAN_BLOCK, true, before);
}

static void
total_of_block(cg_lowering *l, void *user, cg_ix b)
{
    cg_cumulating *c = user;
    cg_val x =
        block_in_lanes(l, c, cg_ix_mul(&l->ix, b, CG_SCAN_BLOCK), CG_SCAN_BLOCK, false, 0);
    cg_store(&l->b, c->total[0], scratch_at(l, c, 0, cg_ix_value(&l->ix, &l->b, b)), x, 0);
}

/* Threads share the totals of a run of blocks, and then the results, when the elements are
 * still in a cache. */
static void
shared_run(cg_lowering *l, void *user, cg_ix run)
{
    cg_cumulating *c = user;
    const int64_t each = CG_LOWER_SCAN_RUN;
    cg_val lo = cg_ix_value(&l->ix, &l->b, cg_ix_mul(&l->ix, run, each));
    cg_val hi = cg_imin(&l->b, cg_iadd(&l->b, lo, cg_i64(&l->b, each)),
                        cg_i64(&l->b, cg_cumulate_blocks(c, 1)));
    const uint32_t takes = c->element_takes;

    c->element_takes = c->total_takes;
    cg_cumulate_each_block(l, c, CG_PARALLEL, lo, hi, total_of_block);
    cg_cumulate_each_block(l, c, CG_SERIAL, lo, hi, block_and_scan);
    c->element_takes = takes;
    cg_cumulate_each_block(l, c, CG_PARALLEL, lo, hi, results_of_block);
}

static void
scan_blocks(cg_lowering *l, cg_cumulating *c)
{
    const int64_t full = c->size / CG_SCAN_BLOCK, rest = c->size % CG_SCAN_BLOCK;
    if (c->blocks == CG_PARALLEL) {
        cg_cumulate_declare(l, c, 0, full * CG_SCAN_BLOCK, 0, 1);
        c->total_takes = c->element_takes;
    }
    cg_cumulate_declare_results(l, c, 0, c->size, 0, 1);
    for (int level = 0; level < c->levels; level++)
        c->scan_takes[level] = cg_reduction_counted(&l->b, cg_cumulate_count(l, c, level + 1));
    if (c->blocks == CG_PARALLEL)
        cg_strip_mine(l, CG_SERIAL, (full + CG_LOWER_SCAN_RUN - 1) / CG_LOWER_SCAN_RUN, 1, true,
                      shared_run, c);
    else
        cg_cumulate_each_block(l, c, CG_SERIAL, cg_i64(&l->b, 0), cg_cumulate_count(l, c, 1),
                               block_at_once);
    if (c->open)
        rest_in_lanes(l, c, before_blocks(l, c, 0, cg_cumulate_count(l, c, 1)));
    else if (rest)
        block_in_lanes(l, c, cg_ix_const(&l->ix, full * CG_SCAN_BLOCK), rest, true,
                       before_blocks(l, c, 0, cg_i64(&l->b, full)));
}

void
cg_scan_in_lanes(cg_lowering *l, cg_cumulating *c)
{
    if (c->size > CG_SCAN_BLOCK || c->open) {
        scan_blocks(l, c);
        return;
    }
    cg_cumulate_declare_results(l, c, 0, c->size, 0, 1);
    block_in_lanes(l, c, cg_ix_const(&l->ix, 0), c->size, true, 0);
}
