/* cumsum, cumprod, cummax, cummin.  A line is one axis of the operand, with n elements.
 *
 * The order is that of docs/numerics.md section 5: chunks of 16 are scanned in registers by the
 * method of Hillis and Steele, and the last element of each is carried to the next within a
 * block of 1,024.  The prefix of a block is the scan, by the same rule, of the totals of the
 * blocks before it.  If elements of adjacent lines are contiguous, lanes run across lines.
 * Otherwise they run along the elements of a chunk (cumulate_lanes.c), except on targets
 * without vectors and under trapping math.  In this file a chunk is scalars, and there are two
 * loops over blocks, both of which threads may share: one for totals (which a line of one block
 * does not need) and one for results.
 *
 * Where the number of elements is open (cg_is_open), what depends on it is a value that the
 * kernel computes: how many blocks each level has, and what is behind them.  There are as many
 * levels as the largest number needs, most of which then have nothing to do.
 *
 * Each scan declares to the verifier that its totals take each element of their blocks once,
 * that its results take each element of the line once, and that each result is stored once
 * (verify/coverage.h). */
#include "codegen/elemental/element.h"
#include "codegen/elemental/strip_mine.h"
#include "codegen/fuse/cost.h"
#include "codegen/fuse/fuse.h"
#include "codegen/lower/cumulate.h"
#include "codegen/lower/level.h"
#include "codegen/lower/rules.h"
#include "codegen/tuning.h"

/* Is i among the first `there`?  0: without a condition. */
static cg_val
is_there(cg_lowering *l, int i, cg_val there)
{
    return there ? cg_insn2(&l->b, SC_lt, COT_I64, cg_i64(&l->b, i), there) : 0;
}

/* Scan elements base ... base + m - 1, or the first `there` of them (0: all), and store the
 * results, with the prefix `before` of the block if there is one.  Returns the last element
 * without that prefix. */
static cg_val
chunk(cg_lowering *l, cg_cumulating *c, cg_ix base, int m, cg_val there, cg_val carry,
      cg_val before)
{
    cg_val x[CG_CHUNK];
    for (int i = 0; i < m; i++)
        x[i] = cg_cumulate_element(l, c, cg_ix_addc(&l->ix, base, i), is_there(l, i, there));
    for (int d = 1; d < m; d *= 2)
        for (int i = m - 1; i >= d; i--)
            x[i] = cg_cumulate_combine(l, c, x[i - d], x[i]);
    for (int i = 0; i < m; i++) {
        x[i] = cg_cumulate_combine(l, c, carry, x[i]);
        cg_cumulate_put(l, c, cg_ix_addc(&l->ix, base, i),
                        before ? cg_cumulate_combine(l, c, before, x[i]) : x[i],
                        is_there(l, i, there));
    }
    return x[m - 1];
}

/* The last element of a chunk's scan, which is a tree of its 16 elements. */
static cg_val
chunk_total(cg_lowering *l, cg_cumulating *c, cg_ix base)
{
    cg_val x[CG_CHUNK];
    for (int i = 0; i < CG_CHUNK; i++)
        x[i] = cg_cumulate_element(l, c, cg_ix_addc(&l->ix, base, i), 0);
    for (int d = 1; d < CG_CHUNK; d *= 2)
        for (int i = CG_CHUNK - 1; i >= d; i -= 2 * d)
            x[i] = cg_cumulate_combine(l, c, x[i - d], x[i]);
    return x[CG_CHUNK - 1];
}

/* Scan `chunks` chunks from base on, at most `most`, and return the carry behind them. */
static cg_val
whole_chunks(cg_lowering *l, cg_cumulating *c, cg_ix base, cg_val chunks, int64_t most,
             bool results, cg_val before)
{
    cg_val carry = cg_neutral(&l->b, c->how.op, c->how.type);
    cg_val loop = cg_loop_begin(&l->b, CG_SERIAL, cg_i64(&l->b, 0), chunks, 1, 0);
    cg_val now = cg_loop_carry(&l->b, loop, c->how.type, carry);
    cg_ix k = cg_ix_var(&l->ix, cg_loop_var(&l->b, loop), 0, most - 1);
    cg_ix start = cg_ix_add(&l->ix, base, cg_ix_mul(&l->ix, k, CG_CHUNK));
    cg_val next = results ? chunk(l, c, start, CG_CHUNK, 0, now, before)
                          : cg_cumulate_combine(l, c, now, chunk_total(l, c, start));
    cg_loop_next(&l->b, loop, now, next);
    cg_loop_end(&l->b, loop);
    return cg_loop_result(&l->b, loop, 0);
}

/* Scan the chunks of a block of m elements at base.  Results are stored if `results`; returns
 * the total. */
static cg_val
block(cg_lowering *l, cg_cumulating *c, cg_ix base, int64_t m, bool results, cg_val before)
{
    const int64_t chunks = m / CG_CHUNK;
    cg_val carry = cg_neutral(&l->b, c->how.op, c->how.type);
    if (chunks)
        carry = whole_chunks(l, c, base, cg_i64(&l->b, chunks), chunks, results, before);
    if (m % CG_CHUNK)
        carry = chunk(l, c, cg_ix_addc(&l->ix, base, chunks * CG_CHUNK), (int)(m % CG_CHUNK), 0,
                      carry, before);
    return carry;
}

/* The elements behind the whole blocks of an open number of them: whole chunks, if there are
 * any, then a loop over the last one, which runs once or not at all. */
static void
rest_of_open(cg_lowering *l, cg_cumulating *c, cg_val before)
{
    cg_build *b = &l->b;
    const cg_scan_rest r = cg_cumulate_rest(l, c, c->level);
    cg_val carry = whole_chunks(l, c, r.base, r.chunks, CG_SCAN_BLOCK / CG_CHUNK, true, before);
    cg_val loop = cg_loop_begin(b, CG_SERIAL, cg_i64(b, 0), r.elements, CG_CHUNK, 0);
    chunk(l, c, r.behind, CG_CHUNK - 1, r.elements, carry, before);
    cg_loop_end(b, loop);
}

static void
total_of(cg_lowering *l, void *user, cg_ix b)
{
    cg_cumulating *c = user;
    cg_val x = block(l, c, cg_ix_mul(&l->ix, b, CG_SCAN_BLOCK), CG_SCAN_BLOCK, false, 0);
    cg_store(&l->b, c->total[c->level], cg_cumulate_at(l, c, b), x, 0);
}

/* The prefix of block b: the scan of the totals before it; neutral for the first. */
static cg_val
before_block(cg_lowering *l, const cg_cumulating *c, cg_ix b)
{
    cg_val i = cg_ix_value(&l->ix, &l->b, b), zero = cg_i64(&l->b, 0);
    cg_val some = cg_insn2(&l->b, SC_lt, COT_I64, zero, i);
    cg_ix last = cg_ix_var(
        &l->ix, cg_insn2(&l->b, SC_max, COT_I64, cg_iadd(&l->b, i, cg_i64(&l->b, -1)), zero), 0,
        c->open ? c->size : c->length / CG_SCAN_BLOCK);
    cg_val x = cg_load(&l->b, c->sum[c->level], cg_cumulate_at(l, c, last), some);
    return cg_choose(l, c->how.type, some, x, cg_neutral(&l->b, c->how.op, c->how.type));
}

static void
results_of(cg_lowering *l, void *user, cg_ix b)
{
    cg_cumulating *c = user;
    cg_val before = c->length > CG_SCAN_BLOCK || c->open ? before_block(l, c, b) : 0;
    block(l, c, cg_ix_mul(&l->ix, b, CG_SCAN_BLOCK), CG_SCAN_BLOCK, true, before);
}

/* The line, or totals, of an open number of elements: whole blocks, then the others.  Totals of
 * the last level are less than a block. */
static void
scan_open(cg_lowering *l, cg_cumulating *c)
{
    cg_build *b = &l->b;
    const cg_val n = cg_cumulate_count(l, c, c->level);
    const bool last = c->level == c->levels;
    cg_val full = cg_cumulate_count(l, c, c->level + 1), before = 0;
    if (!last) {
        c->element_takes = cg_reduction_counted(b, cg_imul(b, full, CG_SCAN_BLOCK));
        cg_cumulate_each_block(l, c, CG_SERIAL, cg_i64(b, 0), full, total_of);
        c->level++;
        scan_open(l, c);
        c->level--;
    }
    c->element_takes = cg_reduction_counted(b, n);
    c->result_takes = cg_reduction_counted(b, n);
    if (!last) {
        cg_cumulate_each_block(l, c, CG_SERIAL, cg_i64(b, 0), full, results_of);
        before = before_block(l, c, cg_ix_var(&l->ix, full, 0, c->size));
    }
    rest_of_open(l, c, before);
}

static void
scan(cg_lowering *l, cg_cumulating *c)
{
    const int64_t n = c->length, blocks = (n + CG_SCAN_BLOCK - 1) / CG_SCAN_BLOCK,
                  full = n / CG_SCAN_BLOCK;
    const cg_kind kind = c->level == 0 ? c->blocks : CG_SERIAL;
    if (blocks > 1) {
        cg_cumulate_declare(l, c, 0, (blocks - 1) * CG_SCAN_BLOCK, 0, 1);
        cg_strip_mine(l, kind, blocks - 1, 1, true, total_of, c);
        c->level++;
        c->length = blocks - 1;
        scan(l, c);
        c->level--;
        c->length = n;
    }
    cg_cumulate_declare_results(l, c, 0, n, 0, 1);
    cg_strip_mine(l, kind, full, 1, true, results_of, c);
    if (n % CG_SCAN_BLOCK) {
        cg_ix last = cg_ix_const(&l->ix, full);
        block(l, c, cg_ix_mul(&l->ix, last, CG_SCAN_BLOCK), n % CG_SCAN_BLOCK, true,
              full ? before_block(l, c, last) : 0);
    }
}

/* Set the index to line number `line` of all lines. */
static void
set_line(cg_lowering *l, cg_cumulating *c, cg_ix line, cg_ix column)
{
    int64_t dims[COT_MAX_RANK];
    cg_ix at[COT_MAX_RANK + 1];
    int rank = 0;
    for (int k = 0; k < c->t->rank; k++)
        if (k != c->axis)
            dims[rank++] = c->t->dims[k];
    cg_ix_split(&l->ix, line, rank, dims, at);
    for (int k = 0, j = 0; k < c->t->rank; k++)
        if (k != c->axis)
            c->at[k] = at[j++];
    c->row = c->own_scratch ? line : column;
    c->column = cg_ix_value(&l->ix, &l->b, c->row);
    c->level = 0;
    c->length = c->size;
}

static void
scan_line(cg_lowering *l, cg_cumulating *c, cg_ix line, cg_ix column)
{
    set_line(l, c, line, column);
    if (c->in_lanes)
        cg_scan_in_lanes(l, c);
    else if (c->open)
        scan_open(l, c);
    else
        scan(l, c);
}

static void
inner_line(cg_lowering *l, void *user, cg_ix i)
{
    cg_cumulating *c = user;
    scan_line(l, c, cg_ix_add(&l->ix, cg_ix_mul(&l->ix, c->line, c->inner), i), i);
}

static void
outer_line(cg_lowering *l, void *user, cg_ix i)
{
    cg_cumulating *c = user;
    c->line = i;
    cg_strip_mine(l, c->columns, c->inner, cg_lanes(l, ir_bits(c->how.type)), true, inner_line,
                  c);
}

static void
any_line(cg_lowering *l, void *user, cg_ix i)
{
    scan_line(l, user, i, cg_ix_const(&l->ix, 0));
}

/* Add the scratch buffers to the current kernel, and reserve their memory in the first. */
static void
make_scratch(cg_lowering *l, cg_cumulating *c)
{
    c->levels = c->open ? CG_OPEN_SCAN_LEVELS : 0;
    while (!c->open && cg_cumulate_blocks(c, c->levels + 1) > 0)
        c->levels++;
    for (int level = 0; level < c->levels; level++) {
        const int64_t dims[1] = { cg_cumulate_rows(c, level) * c->width };
        const ir_type *t =
            ir_type_as(l->ctx, ir_type_shaped(l->ctx, c->t, 1, dims), c->how.type);
        if (!c->total_at[level].set) {
            c->total_at[level] = cg_plan_new(l, "total", t);
            c->sum_at[level] = cg_plan_new(l, "sum", t);
        }
        c->total[level] = cg_place_buffer(l, &c->total_at[level], t, "total", true);
        c->sum[level] = cg_place_buffer(l, &c->sum_at[level], t, "sum", true);
    }
}

/* Threads that share the blocks of one line read each block twice.  A few of them are no faster
 * than one thread that reads it once, in lanes. */
static bool
shares_blocks(const cg_lowering *l, const cg_cumulating *c)
{
    return !c->in_lanes || l->o->share_all ||
           (l->o->threads >= CG_LOWER_MIN_SCAN_THREADS && c->size >= CG_LOWER_MIN_SHARED_SCAN);
}

/* Emit all lines.  Threads share the lines, or the blocks of a single line, unless the number
 * of elements is open. */
static void
emit(cg_lowering *l, cg_cumulating *c)
{
    const int64_t lines = c->t->size / c->size, lanes = cg_lanes(l, ir_bits(c->how.type));
    const bool across = c->inner >= lanes && lanes > 1;
    c->in_lanes = !across && lanes > 1 && !l->m->trapping_math;
    const int64_t cost =
        c->t->size * (c->in_lanes ? CG_LOWER_COST_SCAN_LANES : CG_LOWER_COST_SCAN);
    const bool many =
        !c->open && cg_is_shared(l, cost, c->in_lanes || across ? lanes : 1,
                                 2 * c->t->size * (int64_t)cot_dtype_size(c->t->dtype));
    /* of adjacent lines each has scratch of its own, so that threads may share them, too */
    const bool by_columns = many && across && c->outer < l->o->threads;
    const bool by_lines = many && !by_columns && (across ? c->outer : lines) > 1;
    c->blocks = many && !by_lines && !across && shares_blocks(l, c) ? CG_PARALLEL : CG_SERIAL;
    c->columns = by_columns ? CG_PARALLEL : CG_SERIAL;
    c->own_scratch = by_lines;
    c->width = by_lines ? lines : across ? c->inner : 1;
    make_scratch(l, c);
    if (c->in_lanes)
        c->kept = cg_local_buffer(l, "kept", c->how.type, 1);
    l->k->flops = cost;
    ir_buf_printf(l->why, "%s: %lld lines of %lld%s%s\n", l->k->name, (long long)lines,
                  (long long)c->size, across ? ", vectorised across lines" : "",
                  by_lines || by_columns     ? ", parallel"
                  : c->blocks == CG_PARALLEL ? ", parallel over blocks"
                                             : "");
    cg_strip_mine(l, by_lines ? CG_PARALLEL : CG_SERIAL, across ? c->outer : lines, 1, true,
                  across ? outer_line : any_line, c);
}

/* -- on a GPU: a thread for each block of each line, a kernel for each step ---------------- */

enum { STEP_TOTALS, STEP_SUMS, STEP_RESULTS, STEP_LAST, STEPS };

typedef struct scan_step {
    cg_cumulating *c;
    int step;
    int64_t blocks;             /* blocks of a line in this step */
} scan_step;

static void
run_step(cg_lowering *l, void *user, cg_ix i)
{
    const scan_step *s = user;
    cg_cumulating *c = s->c;
    cg_val at = cg_ix_value(&l->ix, &l->b, i);
    const int64_t lines = c->t->size / c->size;
    cg_ix line = cg_ix_var(&l->ix, cg_idiv(&l->b, at, s->blocks), 0, lines - 1);
    cg_ix b = cg_ix_var(&l->ix, cg_imod(&l->b, at, s->blocks), 0, s->blocks - 1);
    set_line(l, c, line, line);
    cg_val part = cg_ix_value(&l->ix, &l->b, b);
    if (s->step == STEP_TOTALS) {
        cg_cumulate_declare(l, c, 0, s->blocks * CG_SCAN_BLOCK, part, s->blocks);
        total_of(l, c, b);
    } else if (s->step == STEP_RESULTS) {
        cg_cumulate_declare_results(l, c, 0, s->blocks * CG_SCAN_BLOCK, part, s->blocks);
        results_of(l, c, b);
    } else if (s->step == STEP_SUMS) {
        c->level = 1;
        c->length = (c->size + CG_SCAN_BLOCK - 1) / CG_SCAN_BLOCK - 1;
        scan(l, c);
    } else {
        cg_ix last = cg_ix_const(&l->ix, c->size / CG_SCAN_BLOCK);
        cg_cumulate_declare_results(l, c, c->size / CG_SCAN_BLOCK * CG_SCAN_BLOCK,
                                    c->size % CG_SCAN_BLOCK, 0, 1);
        block(l, c, cg_ix_mul(&l->ix, last, CG_SCAN_BLOCK), c->size % CG_SCAN_BLOCK, true,
              before_block(l, c, last));
    }
}

static void
plan_steps(cg_lowering *l, cg_level *v, cg_cumulating *c)
{
    const int64_t blocks = (c->size + CG_SCAN_BLOCK - 1) / CG_SCAN_BLOCK,
                  lines = c->t->size / c->size;
    const int64_t count[STEPS] = { blocks - 1, 1, c->size / CG_SCAN_BLOCK,
                                   c->size % CG_SCAN_BLOCK != 0 };
    c->own_scratch = true;
    c->width = lines;
    c->blocks = CG_SERIAL;
    for (int step = 0; step < STEPS; step++) {
        scan_step s = { c, step, count[step] };
        if (count[step] == 0)
            continue;
        c->fr = cg_node_kernel(l, v, c->n);
        l->k->flops = c->t->size * 2;
        c->out = cg_place_buffer(l, &v->place[c->n->first], c->t, "y", true);
        make_scratch(l, c);
        cg_strip_mine(l, CG_PARALLEL, lines * count[step], 1, true, run_step, &s);
        cg_kernel_call(l);
    }
}

/* Results that are larger than the caches are stored past them, unless they overwrite the
 * operand. */
static void
stream_results(cg_lowering *l, const cg_cumulating *c)
{
    l->k->buffer[c->out].streams =
        !cg_is_aliased(&l->k->buffer[c->out]) && !cg_is_open(l, c->t->size) &&
        c->t->size * cot_dtype_size(c->t->dtype) > CG_SCHEDULE_MIN_STREAMED;
}

void
cg_plan_cumulate(cg_lowering *l, cg_level *v, const cg_group *g)
{
    const ir_node *n = g->node;
    cg_cumulating c = {
        .n = n, .t = ir_type_at(v->f, n->first), .axis = (int)n->at->cumulate.axis, .inner = 1
    };
    if (!v->place[n->first].set)
        v->place[n->first] = cg_plan_new(l, "t", c.t);
    if (c.t->size == 0)
        return;
    for (int k = c.axis + 1; k < c.t->rank; k++)
        c.inner *= c.t->dims[k];
    c.size = c.t->dims[c.axis];
    c.open = cg_is_open(l, c.size);
    c.outer = c.t->size / c.size / c.inner;
    c.how = cg_fold_of(ir_ops[n->op].by, c.t->dtype);
    if (l->target.grid && c.size > CG_SCAN_BLOCK && !c.open) {
        plan_steps(l, v, &c);
        return;
    }
    c.fr = cg_node_kernel(l, v, n);
    c.out = cg_place_buffer(l, &v->place[n->first], c.t, "y", true);
    emit(l, &c);
    stream_results(l, &c);
    cg_kernel_call(l);
}
